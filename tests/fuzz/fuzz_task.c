/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of scans, as other processes give them: a text that is read as one has fragments that write as JSON, and what
 * was written reads as the same again. The same of a single fragment's object.
 */
#include "engine/task.h"
#include "fuzz.h"
#include "table/fragment_json.h"

static rwl_env env;
static volatile uint64_t sink;

/* Everything a fragment points to must be readable. */
static void visit(const rwl_fragment *f) {
    FUZZ_CHECK(f->location != NULL && f->format != NULL);
    sink += strlen(f->location) + strlen(f->format);
    for (int32_t i = 0; i < f->partition_count; i++)
        if (!f->partition[i].is_null && f->partition[i].kind == RWL_TYPE_STRING)
            for (size_t k = 0; k < f->partition[i].as.bytes.len; k++)
                sink += f->partition[i].as.bytes.data[k];
    for (int32_t i = 0; i < f->delete_count; i++) {
        const rwl_delete_ref *d = &f->deletes[i];
        FUZZ_CHECK(d->location != NULL && (d->kind != RWL_DELETE_EQUALITY || d->equality_count > 0));
        sink += strlen(d->location);
        for (int32_t k = 0; k < d->equality_count; k++)
            sink += (uint64_t)d->equality_ids[k];
    }
}

static void write_text(const rwl_fragment *f, rwl_buf *text) {
    rwl_json *json = NULL;
    rwl_error err = {0};
    rwl_status st = rwl_fragment_to_json(f, &json, &err);
    FUZZ_CHECK(st == RWL_OK);
    st = rwl_json_dump(json, 0, text, &err);
    FUZZ_CHECK(st == RWL_OK);
    rwl_json_free(json);
}

static void check_again(const rwl_fragment *f) {
    rwl_arena arena;
    rwl_buf first, second;
    rwl_json *json = NULL;
    rwl_fragment again;
    rwl_error err = {0};
    rwl_arena_init(&arena, &env, 0);
    rwl_buf_init(&first, &env, SIZE_MAX);
    rwl_buf_init(&second, &env, SIZE_MAX);
    visit(f);
    write_text(f, &first);
    rwl_status st = rwl_json_parse(rwl_buf_span(&first), &json, &err);
    FUZZ_CHECK(st == RWL_OK);
    st = rwl_fragment_from_json(json, &arena, &again, &err);
    FUZZ_CHECK(st == RWL_OK);
    write_text(&again, &second);
    FUZZ_CHECK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    rwl_json_free(json);
    rwl_buf_clear(&first);
    rwl_buf_clear(&second);
    rwl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_task task;
    rwl_json *json = NULL;
    rwl_error err = {0};
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_status st = rwl_task_parse(&env, rwl_span_of(data, len), &task, &err);
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    if (st == RWL_OK) {
        FUZZ_CHECK(task.metadata_location != NULL);
        for (size_t i = 0; i < task.fragment_count; i++)
            check_again(&task.fragments[i]);
        rwl_task_clear(&task);
    }
    if (rwl_json_parse(rwl_span_of(data, len), &json, NULL) == RWL_OK) {
        rwl_arena arena;
        rwl_fragment fragment;
        rwl_arena_init(&arena, &env, 0);
        st = rwl_fragment_from_json(json, &arena, &fragment, &err);
        FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
        if (st == RWL_OK)
            check_again(&fragment);
        rwl_arena_clear(&arena);
    }
    rwl_json_free(json);
    return 0;
}
