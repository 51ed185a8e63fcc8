/* SPDX-License-Identifier: Apache-2.0 */
/* The written side of conservation. */
#include "engine/verify.h"

#include "engine/entry_check.h"

void rwl_row_hasher_clear(rwl_row_hasher *hasher) {
    rwl_free(hasher->env, hasher->hashes);
    hasher->hashes = NULL;
    hasher->cap = 0;
}

rwl_status rwl_row_hasher_hash(rwl_row_hasher *hasher, const rwl_batch *batch, rwl_error *err) {
    if (hasher->cap < batch->length) {
        rwl_u128 *grown = rwl_realloc(hasher->env, hasher->hashes, (size_t)batch->length * sizeof *grown);
        if (grown == NULL)
            return rwl_no_memory(err, (size_t)batch->length * sizeof *grown);
        hasher->hashes = grown;
        hasher->cap = batch->length;
    }
    if (!hasher->by_position)
        memset(hasher->hashes, 0, (size_t)batch->length * sizeof *hasher->hashes);
    for (int64_t i = 0; hasher->by_position && i < batch->length; i++) {
        rwl_u128 at = (rwl_u128)hasher->position + (rwl_u128)i;
        hasher->hashes[i] = at << 64 | at;
    }
    hasher->position += batch->length;
    for (int32_t i = 0; i < batch->column_count; i++)
        rwl_column_hash_rows(&batch->columns[i], hasher->hashes);
    return RWL_OK;
}

rwl_status rwl_row_sums_add(rwl_row_sums *sums, rwl_row_hasher *hasher, const rwl_rows *rows,
                            bool with_values, rwl_error *err) {
    if (with_values)
        RWL_TRY(rwl_row_hasher_hash(hasher, &rows->batch, err));
    rwl_conserve_add(&sums->conserve, &rows->row_ids, &rows->versions, with_values ? hasher->hashes : NULL);
    return rwl_digest_add(&sums->digest, &rows->row_ids, &rows->versions, err);
}

rwl_status rwl_row_sums_merge(rwl_row_sums *into, const rwl_row_sums *from, rwl_error *err) {
    rwl_conserve_merge(&into->conserve, &from->conserve);
    return rwl_digest_merge(&into->digest, &from->digest, err);
}

/*
 * Its first_row_id is next-row-id: a row that stores no id would read one that no
 * row may have, so nothing that is inherited can pass for something that was carried.
 */
rwl_fragment rwl_verify_fragment(const rwl_verify_request *request, const rwl_added_file *file) {
    rwl_fragment f;
    memset(&f, 0, sizeof f);
    f.location = file->location;
    f.format = file->format;
    f.file_size = file->file_size;
    f.row_count = file->row_count;
    int64_t first =
        request->metadata->next_row_id; /* or the last that leaves ids for all rows, near the end of ids */
    first = file->row_count <= INT64_MAX - first ? first : INT64_MAX - file->row_count;
    f.lineage = (rwl_lineage_base){request->with_lineage, first, request->data_sequence_number};
    f.spec_id = file->spec_id;
    f.partition = file->partition;
    f.partition_count = file->partition_count;
    f.sort_order_id = file->sort_order_id;
    return f;
}

/* Hands every row of an opened file to the other side. */
static rwl_status pass_file(const rwl_driver *driver, rwl_reader *reader, rwl_handover *handover,
                            rwl_error *err) {
    for (;;) {
        RWL_TRY(driver->vtable->read_next(reader, &handover->making, err));
        if (handover->making.batch.length == 0)
            return rwl_handover_finish(handover, err);
        RWL_TRY(rwl_handover_pass(handover, err));
    }
}

rwl_status rwl_verify_read(rwl_op *op, const rwl_verify_reading *r, rwl_error *err) {
    rwl_reader *reader = NULL;
    rwl_handover handover;
    rwl_status st = rwl_handover_init(&handover, op, r->pool, r->options->fields, r->options->field_count,
                                      r->take, r->ctx, err);
    if (st == RWL_OK)
        st = r->driver->vtable->read_open(r->driver, op, r->fragment, r->options, &reader, err);
    if (st == RWL_OK)
        st = pass_file(r->driver, reader, &handover, err);
    rwl_handover_clear(&handover);
    r->driver->vtable->read_close(reader);
    return st;
}

rwl_status rwl_verify_blame(const rwl_added_file *file, rwl_status st, rwl_error *err) {
    if (st == RWL_OK)
        return st;
    if (st == RWL_CORRUPT) {
        st = RWL_INTERNAL;
        if (err != NULL)
            err->code = RWL_INTERNAL;
    }
    return rwl_error_in(err, st, "verifying %s", file->location);
}

/* Reads every row of a written file; `schema` NULL: without values. */
static rwl_status read_file(rwl_op *op, const rwl_verify_request *request, const rwl_added_file *file,
                            const rwl_schema *schema, rwl_take_fn take, void *ctx, rwl_error *err) {
    rwl_fragment fragment = rwl_verify_fragment(request, file);
    rwl_fragment_read_options options = {.fields = request->metadata->schema->fields,
                                         .lineage = RWL_LINEAGE_ALL};
    if (schema != NULL) {
        options.fields = schema->fields;
        options.field_count = schema->field_count;
    }
    rwl_driver driver = rwl_iceberg_driver(request->store, request->metadata, NULL);
    rwl_verify_reading reading = {&driver, &fragment, &options, request->overlap ? op->env->pool : NULL,
                                  take,    ctx};
    return rwl_verify_blame(file, rwl_verify_read(op, &reading, err), err);
}

typedef struct sum_pass {
    const rwl_verify_request *request;
    rwl_row_sums *sums;
    rwl_row_hasher hasher;
    rwl_entry_check *entries; /* NULL unless values are read */
} sum_pass;

static rwl_status sum_rows(void *ctx, rwl_rows *rows, rwl_error *err) {
    sum_pass *pass = ctx;
    RWL_TRY(rwl_row_sums_add(pass->sums, &pass->hasher, rows, pass->request->values != NULL, err));
    if (pass->entries != NULL)
        RWL_TRY(rwl_entry_check_rows(pass->entries, &rows->batch, err));
    if (!pass->request->with_lineage)
        return RWL_OK;
    RWL_TRY(rwl_laws_check_below(&rows->row_ids, pass->request->metadata->next_row_id, err));
    if (pass->request->distinct == NULL)
        return RWL_OK;
    rwl_mutex_lock(pass->request->distinct_lock);
    rwl_status st = rwl_distinct_add(pass->request->distinct, &rows->row_ids, err);
    rwl_mutex_unlock(pass->request->distinct_lock);
    return st;
}

static rwl_status sum_file(rwl_op *op, sum_pass *pass, const rwl_added_file *file, rwl_error *err) {
    if (pass->entries != NULL)
        rwl_entry_check_begin(pass->entries, file);
    RWL_TRY(read_file(op, pass->request, file, pass->request->values, sum_rows, pass, err));
    rwl_status st = pass->entries != NULL ? rwl_entry_check_end(pass->entries, err) : (rwl_status)RWL_OK;
    return st == RWL_OK ? st : rwl_error_in(err, st, "verifying %s", file->location);
}

rwl_status rwl_verify_files(rwl_op *op, const rwl_verify_request *request, rwl_row_sums *sums,
                            rwl_error *err) {
    sum_pass pass = {request, sums, {.env = op->env, .by_position = request->by_position}, NULL};
    const rwl_partition_spec *spec = request->spec != NULL ? request->spec : request->metadata->spec;
    rwl_status st = request->values != NULL
                        ? rwl_entry_check_new(op->env, request->values, spec, &pass.entries, err)
                        : (rwl_status)RWL_OK;
    for (size_t i = 0; st == RWL_OK && i < request->file_count; i++)
        st = sum_file(op, &pass, &request->files[i], err);
    rwl_row_hasher_clear(&pass.hasher);
    rwl_entry_check_free(pass.entries);
    return st;
}

static rwl_status add_ids(void *ctx, rwl_rows *rows, rwl_error *err) {
    return rwl_distinct_add(ctx, &rows->row_ids, err);
}

static bool overlaps(const rwl_added_file *file, int64_t lo, int64_t hi) {
    return file->lineage.min_id < hi && file->lineage.max_id >= lo;
}

/* The least id at or above `from` that a file may have; INT64_MAX when there is none. */
static int64_t find_least_id(const rwl_verify_request *requests, size_t request_count, int64_t from) {
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < request_count; i++)
        for (size_t f = 0; requests[i].with_lineage && f < requests[i].file_count; f++) {
            const rwl_stored_lineage *l = &requests[i].files[f].lineage;
            int64_t id = l->min_id > from ? l->min_id : from;
            if (l->max_id >= from && id < least)
                least = id;
        }
    return least;
}

/* Only windows and files with ids in them are read: next-row-id may be far above the number of rows. */
rwl_status rwl_verify_distinct(rwl_op *op, const rwl_verify_request *requests, size_t request_count,
                               rwl_distinct *distinct, rwl_error *err) {
    if (!distinct->too_large)
        return rwl_distinct_check(distinct, err);
    int64_t window = rwl_distinct_window(distinct->ceiling), lo = find_least_id(requests, request_count, 0);
    while (lo < INT64_MAX) {
        int64_t hi = lo > INT64_MAX - window ? INT64_MAX : lo + window;
        rwl_distinct_reset(distinct, lo, hi);
        for (size_t i = 0; i < request_count; i++)
            for (size_t f = 0; requests[i].with_lineage && f < requests[i].file_count; f++)
                if (overlaps(&requests[i].files[f], lo, hi))
                    RWL_TRY(read_file(op, &requests[i], &requests[i].files[f], NULL, add_ids, distinct, err));
        lo = find_least_id(requests, request_count, hi);
    }
    return rwl_distinct_check(distinct, err);
}
