/* SPDX-License-Identifier: Apache-2.0 */
/* Streams a group's rows from its fragments to the data writer, through the sorter when an order is wanted. */
#include "engine/rewrite_group.h"

#include "engine/sorter.h"

typedef struct group_run {
    rwl_group_job *job;
    bool lineage; /* the table has lineage columns */
    rwl_sorter *sorter;
    rwl_row_hasher hasher;
    rwl_rows rows, sorted;
    bool rows_ready, sorted_ready;
} group_run;

/* Even files: as many rows in each as the expected number of files asks for. Older specs are split by partition, so sizes decide. */
static int64_t rows_per_file(const rwl_rewrite_group *g) {
    int64_t live = g->rows - g->deleted_rows;
    if (g->expected_files <= 1 || g->spec_id < 0)
        return 0;
    return (live + g->expected_files - 1) / g->expected_files;
}

static rwl_status open_writer(group_run *run, rwl_error *err) {
    rwl_group_job *job = run->job;
    rwl_data_writer_options options = {
        .metadata = job->metadata,
        .lineage = run->lineage,
        .sort_order_id = job->rules->sort != NULL ? job->rules->sort->order_id : 0,
        .target_bytes = rwl_rewrite_roll_bytes(job->rules),
        .target_rows = rows_per_file(job->group),
        .sequence = (int32_t)(job->group->number % INT32_MAX),
        .operation_id = job->operation_id,
    };
    return rwl_data_writer_new(job->store, job->op, &options, &job->writer, err);
}

/*
 * What rows store: their id and version as read. Rows that have no id yet store none and get one from their new file; they keep
 * the number of their own commit as version, which the file's entry alone could not say for files of several commits.
 */
static rwl_status stored_lineage(group_run *run, const rwl_fragment *f, rwl_rows *rows, rwl_error *err) {
    if (!run->lineage || f->lineage.has_first_row_id)
        return RWL_OK;
    rwl_runs_reset(&rows->versions);
    return rwl_runs_append(&rows->versions, f->lineage.sequence_number, rows->batch.length, err);
}

static rwl_status pass_rows(group_run *run, const rwl_fragment *f, rwl_error *err) {
    rwl_group_job *job = run->job;
    rwl_rows *rows = &run->rows;
    RWL_TRY(rwl_row_sums_add(&job->before, &run->hasher, rows, job->verify_full, err));
    RWL_TRY(stored_lineage(run, f, rows, err));
    if (job->tamper != NULL)
        job->tamper(job->tamper_ctx, rows);
    const rwl_runs *ids = run->lineage ? &rows->row_ids : NULL,
                   *versions = run->lineage ? &rows->versions : NULL;
    if (run->sorter != NULL) {
        rwl_status st = rwl_sorter_add(run->sorter, &rows->batch, ids, versions, err);
        return st != RWL_UNSUPPORTED
                   ? st
                   : rwl_error_in(err, st, "group %lld of %lld bytes in %zu file%s",
                                  (long long)job->group->number, (long long)job->group->bytes,
                                  job->group->fragment_count, job->group->fragment_count == 1 ? "" : "s");
    }
    return rwl_data_writer_write(job->writer, &rows->batch, ids, versions, err);
}

static rwl_status read_fragment(group_run *run, const rwl_fragment *f, rwl_error *err) {
    rwl_group_job *job = run->job;
    rwl_fragment_read_options options = {.fields = job->metadata->schema->fields,
                                         .field_count = job->metadata->schema->field_count,
                                         .lineage = true};
    rwl_driver driver = rwl_iceberg_driver(job->store, job->metadata);
    rwl_reader *reader = NULL;
    rwl_status st = driver.vtable->read_open(&driver, job->op, f, &options, &reader, err);
    while (st == RWL_OK) {
        st = driver.vtable->read_next(reader, &run->rows, err);
        if (st != RWL_OK || run->rows.batch.length == 0)
            break;
        st = pass_rows(run, f, err);
        rwl_op_progress(job->op, "rewriting",
                        atomic_fetch_add(job->rows_done, run->rows.batch.length) + run->rows.batch.length,
                        job->rows_total);
    }
    driver.vtable->read_close(reader);
    return st;
}

static rwl_status write_sorted(group_run *run, rwl_error *err) {
    RWL_TRY(rwl_sorter_finish(run->sorter, err));
    for (;;) {
        rwl_rows *rows = &run->sorted;
        RWL_TRY(
            rwl_sorter_next(run->sorter, RWL_BATCH_ROWS, &rows->batch, &rows->row_ids, &rows->versions, err));
        if (rows->batch.length == 0)
            return RWL_OK;
        RWL_TRY(rwl_data_writer_write(run->job->writer, &rows->batch, run->lineage ? &rows->row_ids : NULL,
                                      run->lineage ? &rows->versions : NULL, err));
    }
}

static rwl_status write_group(group_run *run, rwl_error *err) {
    rwl_group_job *job = run->job;
    const rwl_schema *schema = job->metadata->schema;
    RWL_TRY(rwl_rows_init(&run->rows, job->op->env, schema->fields, schema->field_count, err));
    run->rows_ready = true;
    RWL_TRY(open_writer(run, err));
    if (job->rules->sort != NULL) {
        RWL_TRY(rwl_rows_init(&run->sorted, job->op->env, schema->fields, schema->field_count, err));
        run->sorted_ready = true;
        RWL_TRY(rwl_sorter_new(job->op, schema->fields, schema->field_count, job->rules->sort, &run->sorter,
                               err));
    }
    for (size_t i = 0; i < job->group->fragment_count; i++)
        RWL_TRY(read_fragment(run, &job->group->fragments[i], err));
    if (run->sorter != NULL)
        RWL_TRY(write_sorted(run, err));
    return rwl_data_writer_finish(job->writer, err);
}

rwl_verify_request rwl_group_job_request(const rwl_group_job *job) {
    rwl_verify_request request = {
        .store = job->store,
        .metadata = job->metadata,
        .full = job->verify_full,
        .with_lineage = job->metadata->format_version >= 3 && job->group->with_lineage,
        .data_sequence_number = job->data_sequence_number,
        .distinct = job->distinct,
        .distinct_lock = job->distinct_lock,
    };
    request.files = rwl_data_writer_files(job->writer, &request.file_count);
    return request;
}

rwl_status rwl_group_job_run(void *arg, rwl_error *err) {
    rwl_group_job *job = arg;
    group_run run;
    memset(&run, 0, sizeof run);
    run.job = job;
    run.lineage = job->metadata->format_version >= 3;
    run.hasher.env = job->op->env;
    rwl_status st = write_group(&run, err);
    rwl_sorter_free(run.sorter);
    rwl_row_hasher_clear(&run.hasher);
    if (run.rows_ready)
        rwl_rows_clear(&run.rows);
    if (run.sorted_ready)
        rwl_rows_clear(&run.sorted);
    RWL_TRY(st);
    rwl_verify_request request = rwl_group_job_request(job);
    RWL_TRY(rwl_verify_files(job->op, &request, &job->after, err));
    RWL_TRY(rwl_conserve_compare(&job->before.conserve, &job->after.conserve, err));
    rwl_log(job->op->env, RWL_LOG_INFO, "group %lld: %zu file%s to %zu, %lld rows verified",
            (long long)job->group->number, job->group->fragment_count,
            job->group->fragment_count == 1 ? "" : "s", request.file_count,
            (long long)job->after.conserve.rows);
    return RWL_OK;
}

void rwl_group_job_clear(rwl_group_job *job) {
    rwl_data_writer_free(job->writer);
    job->writer = NULL;
}
