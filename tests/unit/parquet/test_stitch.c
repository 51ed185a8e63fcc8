/* SPDX-License-Identifier: Apache-2.0 */
/* Stitched files hold the rows of their parts, whatever these are like. */
#include "stitch_support.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- schemas --- */

static rwl_field flat(const char *name, int32_t id, bool required, rwl_type_kind kind) {
    rwl_field f = {.name = name, .id = id, .required = required, .type = rwl_type_of(kind)};
    if (kind == RWL_TYPE_DECIMAL)
        f.type.precision = 20, f.type.scale = 2;
    if (kind == RWL_TYPE_FIXED)
        f.type.length = 5;
    return f;
}

static rwl_field nested(const char *name, int32_t id, bool required, rwl_type_kind kind,
                        const rwl_field *children, int32_t count) {
    rwl_field f = flat(name, id, required, kind);
    f.type.children = children;
    f.type.child_count = count;
    return f;
}

enum { FIELDS_MAX = 24 };
typedef struct schema {
    rwl_field fields[FIELDS_MAX];
    int32_t count;
    rwl_field children[16];
} schema;

/* `required`: which fields are, by bits, those of nested ones too. */
static void make_schema(schema *s, bool with_nested, unsigned required) {
    static const rwl_type_kind kinds[] = {RWL_TYPE_BOOLEAN, RWL_TYPE_INT,     RWL_TYPE_LONG,
                                          RWL_TYPE_FLOAT,   RWL_TYPE_DOUBLE,  RWL_TYPE_STRING,
                                          RWL_TYPE_BINARY,  RWL_TYPE_DECIMAL, RWL_TYPE_FIXED,
                                          RWL_TYPE_UUID,    RWL_TYPE_DATE,    RWL_TYPE_TIMESTAMPTZ};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    s->count = 0;
    for (int i = 0; i < 12; i++)
        s->fields[s->count++] = flat(names[i], i + 1, required >> i & 1, kinds[i]);
    if (!with_nested)
        return;
    s->children[0] = flat("element", 31, required >> 12 & 1, RWL_TYPE_STRING);
    s->fields[s->count++] = nested("list", 21, required >> 13 & 1, RWL_TYPE_LIST, &s->children[0], 1);
    s->children[1] = flat("key", 32, true, RWL_TYPE_INT);
    s->children[2] = flat("value", 33, required >> 14 & 1, RWL_TYPE_DOUBLE);
    s->fields[s->count++] = nested("map", 22, required >> 15 & 1, RWL_TYPE_MAP, &s->children[1], 2);
    s->children[3] = flat("x", 34, required >> 16 & 1, RWL_TYPE_LONG);
    s->children[4] = flat("element", 35, required >> 17 & 1, RWL_TYPE_INT);
    s->children[5] = nested("element", 36, required >> 18 & 1, RWL_TYPE_LIST, &s->children[4], 1);
    s->children[6] = nested("y", 37, required >> 19 & 1, RWL_TYPE_LIST, &s->children[5], 1);
    s->fields[s->count++] = nested("struct", 23, required >> 20 & 1, RWL_TYPE_STRUCT, NULL, 0);
    s->children[7] = s->children[3];
    s->children[8] = s->children[6];
    s->fields[s->count - 1].type.children = &s->children[7];
    s->fields[s->count - 1].type.child_count = 2;
}

/* --- random files --- */

enum { PARTS = 6 };

/* As another writer may have it: a narrower type, or columns in another order. */
static void vary(schema *s, unsigned *seed) {
    for (int32_t i = 0; i < s->count; i++) {
        rwl_type *type = &s->fields[i].type;
        if (type->kind == RWL_TYPE_LONG && rand_r(seed) % 3 == 0)
            *type = rwl_type_of(RWL_TYPE_INT);
        if (type->kind == RWL_TYPE_DECIMAL && rand_r(seed) % 2 == 0)
            type->precision = rand_r(seed) % 2 == 0 ? 8 : 15; /* in 4 and 8 bytes, 20 digits are in 9 */
    }
    for (int32_t i = s->count - 1; i > 0 && rand_r(seed) % 2 == 0; i--) {
        int32_t k = rand_r(seed) % (i + 1);
        rwl_field swap = s->fields[i];
        s->fields[i] = s->fields[k];
        s->fields[k] = swap;
    }
}

/* One random stitching; prints its seed when it fails. */
static void stitch_randomly(unsigned seed, bool with_nested) {
    unsigned first_seed = seed;
    char what[64];
    snprintf(what, sizeof what, "seed %u", first_seed);
    unsigned everywhere = (unsigned)rand_r(&seed) & (unsigned)rand_r(&seed);
    schema target;
    make_schema(&target, with_nested, everywhere);
    int64_t bases[PARTS];
    int parts = 1 + rand_r(&seed) % PARTS;
    rwl_parquet_stitch_part part[PARTS] = {0};
    rwl_parquet_write_options common = stitch_random_options(&seed);
    bool alike = rand_r(&seed) % 2; /* files of one writer */
    for (int i = 0; i < parts; i++) {
        schema input;
        make_schema(&input, with_nested, alike ? everywhere : everywhere | (unsigned)rand_r(&seed));
        for (int drop = 0; drop < 3 && !alike; drop++) { /* a column the file does not have */
            int32_t k = rand_r(&seed) % input.count;
            if (!target.fields[k].required && input.fields[k].id == target.fields[k].id) {
                for (int32_t m = k; m + 1 < input.count; m++)
                    input.fields[m] = input.fields[m + 1];
                input.count--;
                break;
            }
        }
        if (!alike)
            vary(&input, &seed);
        rwl_parquet_write_options options = alike ? common : stitch_random_options(&seed);
        value_style style = {.distinct = rand_r(&seed) % 3 == 0 ? 2000 : 5 + rand_r(&seed) % 40,
                             .null_percent = rand_r(&seed) % 3 * 20,
                             .offset = rand_r(&seed) % 2 * 100 * i};
        int64_t rows = 1 + rand_r(&seed) % (rand_r(&seed) % 3 == 0 ? 2000 : 300);
        const char *path = stitch_path(i);
        stitch_write(path, input.fields, input.count, &options, &style, rows, (unsigned)rand_r(&seed));
        stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, path, -1, &part[i].file, &stitch_error));
        part[i].ranges = stitch_random_ranges(rows, &part[i].range_count, &seed);
        bases[i] = i * 100000;
        part[i].ctx = &bases[i];
    }
    target.fields[target.count] = flat("_row_id", 2147483540, false, RWL_TYPE_LONG);
    const int32_t made[] = {target.count++};
    stitch_job job = {
        .fields = target.fields, .field_count = target.count, .parts = part, .part_count = parts};
    job.options.write = alike && rand_r(&seed) % 2 ? common : stitch_random_options(&seed);
    job.options.write.row_group_bytes = rand_r(&seed) % 3 == 0 ? 20000 : 0;
    job.options.made = made;
    job.options.made_count = 1;
    job.options.make = stitch_make_ids;
    stitch_run(&job, stitch_path(99), what);
    rwl_parquet_written_clear(&job.written);
    unlink(stitch_path(99));
    for (int i = 0; i < parts; i++) {
        rwl_parquet_close(part[i].file);
        free((void *)(uintptr_t)part[i].ranges);
        unlink(stitch_path(i));
    }
}

static unsigned first_seed(void) {
    const char *text = getenv("ROWLINE_SEED");
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 1;
}

static unsigned seed_count(unsigned usual) {
    const char *text = getenv("ROWLINE_SEEDS");
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : usual;
}

START_TEST(random_ranges_of_random_files_give_their_rows) {
    for (unsigned i = 0; i < seed_count(15); i++)
        stitch_randomly(first_seed() + i, false);
}
END_TEST

START_TEST(random_ranges_of_nested_files_give_their_rows) {
    for (unsigned i = 0; i < seed_count(15); i++)
        stitch_randomly(1000 + first_seed() + i, true);
}
END_TEST

Suite *stitch_suite(void) {
    Suite *suite = suite_create("stitch");
    TCase *tc = tcase_create("random");
    tcase_add_checked_fixture(tc, stitch_setup, stitch_teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, random_ranges_of_random_files_give_their_rows);
    tcase_add_test(tc, random_ranges_of_nested_files_give_their_rows);
    suite_add_tcase(suite, tc);
    return suite;
}
