/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that come back when an array is released. */
#include "column/arrow.h"
#include "suites.h"

enum { ROWS = 100 };

static rwl_env env;
static rwl_field fields[2];
static rwl_batch batch;
static rwl_arrow_depot *depot;

static void setup(void) {
    rwl_env_init_default(&env);
    fields[0] = (rwl_field){.name = "a", .id = 1, .type = {.kind = RWL_TYPE_LONG}};
    fields[1] = (rwl_field){.name = "b", .id = 2, .type = {.kind = RWL_TYPE_STRING}};
    OK(rwl_batch_init(&batch, &env, fields, 2, err));
    OK(rwl_arrow_depot_new(&env, 2, &depot, err));
}

static void teardown(void) {
    rwl_batch_clear(&batch);
    rwl_arrow_depot_unref(depot);
}

static void lend(struct ArrowArray *out, int64_t first) {
    for (int64_t i = 0; i < ROWS; i++) {
        rwl_value a = {.kind = RWL_TYPE_LONG, .as.i64 = first + i};
        rwl_value b = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of((const uint8_t *)"text", 4)};
        OK(rwl_column_append(&batch.columns[0], &env, &a, 1, err));
        OK(rwl_column_append(&batch.columns[1], &env, &b, 1, err));
    }
    batch.length = ROWS;
    OK(rwl_arrow_lend_batch(&batch, depot, out, err));
}

static const int64_t *numbers_of(const struct ArrowArray *array) {
    return array->children[0]->buffers[1];
}

START_TEST(buffers_of_a_released_batch_are_filled_again) {
    struct ArrowArray array;
    lend(&array, 0);
    const void *numbers = numbers_of(&array), *texts = array.children[1]->buffers[2];
    array.release(&array);
    rwl_arrow_depot_fill(depot, &batch);
    ck_assert_ptr_eq(batch.columns[0].values.data, numbers);
    ck_assert_ptr_eq(batch.columns[1].values.data, texts);
    ck_assert_int_eq(batch.columns[0].length, 0);
    lend(&array, 7);
    ck_assert_int_eq(numbers_of(&array)[0], 7);
    array.release(&array);
}
END_TEST

START_TEST(a_batch_that_is_kept_is_not_written_to) {
    struct ArrowArray first, second;
    lend(&first, 0);
    rwl_arrow_depot_fill(depot, &batch); /* nothing came back */
    ck_assert_int_eq(rwl_batch_bytes(&batch), 0);
    lend(&second, 50);
    ck_assert_int_eq(numbers_of(&first)[0], 0);
    ck_assert_int_eq(numbers_of(&second)[0], 50);
    first.release(&first);
    second.release(&second); /* the depot has a set already: freed */
}
END_TEST

START_TEST(a_child_moved_out_keeps_its_buffers) {
    struct ArrowArray array;
    lend(&array, 3);
    struct ArrowArray child = *array.children[0];
    array.children[0]->release = NULL;
    array.release(&array);
    rwl_arrow_depot_fill(depot, &batch);
    ck_assert_ptr_null(batch.columns[0].values.data);
    ck_assert_int_eq(((const int64_t *)child.buffers[1])[0], 3);
    child.release(&child);
}
END_TEST

START_TEST(an_array_may_outlive_its_depot) {
    struct ArrowArray array;
    lend(&array, 9);
    rwl_arrow_depot_unref(depot);
    depot = NULL;
    ck_assert_int_eq(numbers_of(&array)[ROWS - 1], 9 + ROWS - 1);
    array.release(&array);
}
END_TEST

TCase *arrow_depot_cases(void) {
    TCase *t = tcase_create("arrow depot");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, buffers_of_a_released_batch_are_filled_again);
    tcase_add_test(t, a_batch_that_is_kept_is_not_written_to);
    tcase_add_test(t, a_child_moved_out_keeps_its_buffers);
    tcase_add_test(t, an_array_may_outlive_its_depot);
    return t;
}
