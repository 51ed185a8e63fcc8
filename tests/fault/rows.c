/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a scan as a sum, files read and written. */
#include "rows.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* --- rows --- */

static uint64_t hash_bytes(uint64_t h, const uint8_t *p, size_t len) {
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001B3);
    return h;
}

static rwl_status add_row(const rwl_batch *batch, int64_t row, rwl_buf *text, outcome *o, rwl_error *err) {
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (int32_t c = 0; c < batch->column_count; c++) {
        rwl_buf_reset(text);
        RWL_TRY(rwl_column_format_json(&batch->columns[c], row, text, err));
        h = hash_bytes(h, text->data, text->len);
        h = hash_bytes(h, (const uint8_t *)"\0", 1);
    }
    o->sum += h;
    o->rows++;
    return RWL_OK;
}

rwl_status read_rows(rwl_scan *scan, const rwl_env *e, outcome *o, rwl_error *err) {
    rwl_batch batch;
    rwl_buf text;
    int32_t count;
    const rwl_field *fields = rwl_scan_fields(scan, &count);
    RWL_TRY(rwl_batch_init(&batch, e, fields, count, err));
    rwl_buf_init(&text, e, SIZE_MAX);
    rwl_status st;
    do {
        st = rwl_scan_next(scan, &batch, err);
        for (int64_t i = 0; st == RWL_OK && i < batch.length; i++)
            st = add_row(&batch, i, &text, o, err);
    } while (st == RWL_OK && batch.length > 0);
    rwl_buf_clear(&text);
    rwl_batch_clear(&batch);
    return st;
}

/* --- files --- */

void write_file(const char *path, const uint8_t *bytes, size_t len) {
    FILE *f = fopen(path, "wb");
    ck_assert_msg(f != NULL && fwrite(bytes, 1, len, f) == len && fclose(f) == 0, "%s can't be written",
                  path);
}

uint8_t *read_file(const char *path, size_t *len) {
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s can't be read", path);
    fseek(f, 0, SEEK_END);
    *len = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*len + 1);
    ck_assert_uint_eq(fread(bytes, 1, *len, f), *len);
    fclose(f);
    return bytes;
}

/* --- the process --- */

double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
