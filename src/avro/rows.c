/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an Avro file: opening, and passes over its blocks. */
#include "avro/rows.h"

#include "avro/decode.h"
#include "avro/rows_internal.h"

#include <inttypes.h>

enum {
    BATCH_BYTES = 64 * 1024 * 1024, /* decoded, or in columns: the row that passes it ends a batch */
    BATCH_SHARE = 16,               /* of the budget, where that is less */
    CHECK_ROWS = 1024               /* between two looks at whether the operation was cancelled */
};

/* --- the file --- */

void rwl_avro_rows_close(rwl_avro_rows *rows) {
    if (rows == NULL)
        return;
    rwl_avro_header_clear(&rows->header);
    rwl_free(rows->env, rows->location);
    rwl_free(rows->env, rows);
}

static rwl_status read_header(rwl_avro_rows *rows, rwl_avro_input *in, int64_t known_size, rwl_error *err) {
    rwl_arena *arena = &rows->header.arena;
    rows->size = in->size;
    RWL_TRY(rwl_avro_header_read(&rows->header, in, err));
    RWL_TRY(rwl_avro_nodes_new(arena, rows->header.schema, &rows->nodes, &rows->field_count, err));
    rows->fields = rwl_arena_array(arena, (size_t)rows->field_count, sizeof *rows->fields);
    if (rows->fields == NULL)
        return rwl_no_memory(err, (size_t)rows->field_count * sizeof *rows->fields);
    for (int32_t i = 0; i < rows->field_count; i++)
        rows->fields[i] = rows->nodes[i].field;
    rwl_file_size_compare(rows->env, rows->location, in->size, known_size);
    return RWL_OK;
}

static rwl_status open_rows(rwl_avro_rows *rows, rwl_op *op, const char *location, int64_t known_size,
                            rwl_error *err) {
    rwl_avro_input in;
    rows->location = rwl_strdup(op->env, location);
    if (rows->location == NULL)
        return rwl_no_memory(err, strlen(location));
    rwl_status st = rwl_avro_input_open(&in, rows->store, op, location, 0, RWL_AVRO_HEADER_PIECE_LEN, err);
    if (st == RWL_OK)
        st = read_header(rows, &in, known_size, err);
    rwl_avro_input_close(&in);
    return st == RWL_OK ? RWL_OK : rwl_error_path(err, st, location);
}

rwl_status rwl_avro_rows_open(rwl_store *store, rwl_op *op, const char *location, int64_t known_size,
                              rwl_avro_rows **out, rwl_error *err) {
    *out = NULL;
    rwl_avro_rows *rows = rwl_calloc(op->env, 1, sizeof *rows);
    if (rows == NULL)
        return rwl_no_memory(err, sizeof *rows);
    rows->env = op->env;
    rows->store = store;
    rwl_avro_header_init(&rows->header, op);
    rwl_status st = open_rows(rows, op, location, known_size, err);
    if (st != RWL_OK) {
        rwl_avro_rows_close(rows);
        return st;
    }
    *out = rows;
    return RWL_OK;
}

const rwl_field *rwl_avro_rows_fields(const rwl_avro_rows *rows, int32_t *count) {
    *count = rows->field_count;
    return rows->fields;
}

rwl_span rwl_avro_rows_metadata(const rwl_avro_rows *rows, const char *key) {
    return rwl_avro_header_get(&rows->header, key);
}

/* --- a pass over its records --- */

struct rwl_avro_scan {
    const rwl_avro_rows *rows;
    rwl_op *op;
    rwl_avro_plan plan;
    rwl_avro_blocks blocks;
    rwl_avro_values values;
    int64_t pos;          /* of the next record */
    int64_t records_left; /* in the block */
};

void rwl_avro_scan_free(rwl_avro_scan *scan) {
    if (scan == NULL)
        return;
    rwl_avro_plan_clear(&scan->plan);
    rwl_avro_blocks_clear(&scan->blocks);
    rwl_op_release(scan->op, scan->values.charged);
    rwl_free(scan->op->env, scan);
}

static rwl_status open_scan(rwl_avro_scan *scan, rwl_error *err) {
    const rwl_avro_rows *rows = scan->rows;
    rwl_avro_input *in = &scan->blocks.input;
    RWL_TRY(rwl_avro_input_open(in, rows->store, scan->op, rows->location, rows->header.end,
                                RWL_AVRO_PIECE_LEN, err));
    if (in->size == rows->size)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "file has %" PRId64 " bytes, had %" PRId64, in->size, rows->size);
}

rwl_status rwl_avro_scan_new(rwl_avro_rows *rows, rwl_op *op, const int32_t *columns, int32_t column_count,
                             const bool *wanted, rwl_avro_scan **out, rwl_error *err) {
    *out = NULL;
    rwl_avro_scan *scan = rwl_calloc(op->env, 1, sizeof *scan);
    if (scan == NULL)
        return rwl_no_memory(err, sizeof *scan);
    scan->rows = rows;
    scan->op = op;
    scan->values = (rwl_avro_values){.op = op, .values_left = RWL_AVRO_VALUES_FREE};
    rwl_avro_blocks_init(&scan->blocks, op, &rows->header);
    rwl_status st = rwl_avro_plan_init(&scan->plan, rows, columns, column_count, wanted, err);
    if (st == RWL_OK)
        st = open_scan(scan, err);
    if (st != RWL_OK) {
        rwl_avro_scan_free(scan);
        return rwl_error_path(err, st, rows->location);
    }
    *out = scan;
    return RWL_OK;
}

const rwl_field *rwl_avro_scan_fields(const rwl_avro_scan *scan, int32_t *count) {
    *count = scan->plan.count;
    return scan->plan.fields;
}

int64_t rwl_avro_scan_bytes_read(const rwl_avro_scan *scan) {
    return scan->blocks.input.asked;
}

/* The head of the next block, whose records still may be passed over by their number. */
static rwl_status next_block(rwl_avro_scan *scan, int64_t *count, int64_t *size, bool *end, rwl_error *err) {
    size_t over = rwl_cursor_left(&scan->values.in);
    if (over > 0)
        return rwl_fail(err, RWL_CORRUPT, "%zu bytes are left after the last record", over);
    RWL_TRY(rwl_op_check(scan->op, err));
    RWL_TRY(rwl_avro_block_open(&scan->blocks, count, size, end, err));
    if (*count > INT64_MAX - scan->pos)
        return rwl_fail(err, RWL_CORRUPT, "block has %" PRId64 " records", *count);
    return RWL_OK;
}

/* Records of no bytes are limited by number, others by the bytes. */
static rwl_status check_count(rwl_avro_scan *scan, int64_t count, size_t len, rwl_error *err) {
    int64_t min_len = scan->rows->header.schema->min_len;
    if (min_len > 0 ? count > (int64_t)len / min_len : count > scan->values.values_left)
        return rwl_fail(err, RWL_CORRUPT, "%" PRId64 " records cannot be in %zu bytes", count, len);
    if (min_len == 0)
        scan->values.values_left -= count;
    return RWL_OK;
}

static rwl_status read_block(rwl_avro_scan *scan, int64_t count, int64_t size, rwl_error *err) {
    rwl_span plain;
    RWL_TRY(rwl_avro_block_read(&scan->blocks, size, &plain, err));
    scan->values.in = rwl_cursor_of(plain);
    scan->values.values_left += RWL_AVRO_VALUES_PER_BYTE * (int64_t)plain.len;
    RWL_TRY(check_count(scan, count, plain.len, err));
    scan->records_left = count;
    return RWL_OK;
}

/* At most `count` records of the block; *bytes is what the batch may still take. */
static rwl_status read_rows(rwl_avro_scan *scan, int64_t count, rwl_batch *batch, int64_t *bytes,
                            rwl_error *err) {
    rwl_avro_values *v = &scan->values;
    if (count > scan->records_left)
        count = scan->records_left;
    for (int64_t i = 0; i<count && * bytes> 0; i++) {
        size_t begin = v->in.pos;
        if (i % CHECK_ROWS == CHECK_ROWS - 1)
            RWL_TRY(rwl_op_check(scan->op, err));
        rwl_status st = rwl_avro_values_row(v, &scan->plan, batch->columns, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "row %" PRId64, scan->pos);
        *bytes -= (int64_t)(v->in.pos - begin) + RWL_AVRO_RECORD_MAX - v->memory_left;
        scan->records_left--;
        scan->pos++;
        batch->length++;
    }
    return RWL_OK;
}

static int64_t batch_bytes(const rwl_op *op) {
    int64_t share = op->memory_limit / BATCH_SHARE;
    return share > 0 && share < BATCH_BYTES ? share : BATCH_BYTES;
}

static rwl_status fill_batch(rwl_avro_scan *scan, int64_t max_rows, rwl_batch *batch, rwl_error *err) {
    int64_t bytes = batch_bytes(scan->op);
    RWL_TRY(rwl_avro_values_charge(&scan->values, batch, err));
    while (batch->length < max_rows && bytes > 0) {
        if (scan->records_left == 0) {
            int64_t count, size;
            bool end;
            RWL_TRY(next_block(scan, &count, &size, &end, err));
            if (end)
                break;
            RWL_TRY(read_block(scan, count, size, err));
        }
        RWL_TRY(read_rows(scan, max_rows - batch->length, batch, &bytes, err));
    }
    for (int32_t i = 0; i < scan->plan.count; i++)
        RWL_TRY(rwl_avro_values_check_text(&scan->plan.branches[i], &batch->columns[i], err));
    return RWL_OK;
}

static rwl_status in_block(const rwl_avro_scan *scan, rwl_status st, rwl_error *err) {
    if (st == RWL_OK)
        return RWL_OK;
    return rwl_error_path(err, rwl_error_in(err, st, "block at byte %" PRId64, scan->blocks.off),
                          scan->rows->location);
}

rwl_status rwl_avro_scan_next(rwl_avro_scan *scan, int64_t max_rows, rwl_batch *batch, int64_t *first_pos,
                              rwl_error *err) {
    rwl_batch_reset(batch);
    rwl_avro_plan_restart(&scan->plan);
    *first_pos = scan->pos;
    if (batch->column_count != scan->plan.count || max_rows <= 0)
        return rwl_fail(err, RWL_INTERNAL, "batch of %d columns for %d of at most %" PRId64 " rows",
                        batch->column_count, scan->plan.count, max_rows);
    return in_block(scan, fill_batch(scan, max_rows, batch, err), err);
}

/* --- passing over rows --- */

static rwl_status skip_rows(rwl_avro_scan *scan, int64_t pos, rwl_error *err) {
    while (scan->pos < pos && scan->records_left > 0) {
        if (scan->records_left % CHECK_ROWS == 0)
            RWL_TRY(rwl_op_check(scan->op, err));
        rwl_status st = rwl_avro_skip(&scan->values.in, scan->rows->header.schema, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "row %" PRId64, scan->pos);
        scan->pos++;
        scan->records_left--;
    }
    return RWL_OK;
}

static rwl_status skip_to(rwl_avro_scan *scan, int64_t pos, rwl_error *err) {
    RWL_TRY(skip_rows(scan, pos, err));
    while (scan->pos < pos) {
        int64_t count, size;
        bool end;
        RWL_TRY(next_block(scan, &count, &size, &end, err));
        if (end)
            return RWL_OK;
        if (count <= pos - scan->pos) {
            RWL_TRY(rwl_avro_block_skip(&scan->blocks, size, err));
            scan->pos += count;
            continue;
        }
        RWL_TRY(read_block(scan, count, size, err));
        RWL_TRY(skip_rows(scan, pos, err));
    }
    return RWL_OK;
}

rwl_status rwl_avro_scan_skip_to(rwl_avro_scan *scan, int64_t pos, rwl_error *err) {
    if (pos < scan->pos)
        return rwl_fail(err, RWL_INTERNAL, "row %" PRId64 " lies before row %" PRId64, pos, scan->pos);
    return in_block(scan, skip_to(scan, pos, err), err);
}
