/* SPDX-License-Identifier: Apache-2.0 */
/* Lance data files from bytes in memory, for tests of what opens them. */
#include "file_support.h"

#include "memory_store.h"

rwl_status memory_file_open(memory_file *f, rwl_span bytes) {
    memset(f, 0, sizeof *f);
    rwl_env_init_default(&f->env);
    rwl_op_init(&f->op, &f->env, 0);
    f->store = rwl_memory_store_new(&f->env, bytes);
    ck_assert_ptr_nonnull(f->store);
    return rwl_lancefile_open(f->store, &f->op, "mem", 0, &f->file, &f->err);
}

void memory_file_clear(memory_file *f) {
    rwl_lancefile_free(f->file);
    ck_assert_int_eq(f->op.memory_used, 0);
    rwl_store_free(f->store);
    memset(f, 0, sizeof *f);
}

int64_t memory_file_held(memory_file *f) {
    const rwl_lance_column *column;
    for (int32_t i = 0; i < f->file->column_count; i++)
        (void)!rwl_lancefile_column(f->file, &f->op, i, &column, NULL);
    return f->op.memory_used;
}

void expect_failure(rwl_status status, rwl_status expected, const rwl_error *err, const char *text) {
    ck_assert_msg(status == expected, "status %d, not %d: %s", (int)status, (int)expected, err->message);
    ck_assert_msg(strstr(err->message, text) != NULL, "'%s' does not say '%s'", err->message, text);
}
