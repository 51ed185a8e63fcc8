/* SPDX-License-Identifier: Apache-2.0 */
/* Stitches a group's files, or streams its rows to the data writer, through the sorter when an order is wanted. */
#include "engine/rewrite_group.h"

#include "engine/handover.h"
#include "engine/rewrite_stitch.h"
#include "lineage/carry.h"

typedef struct group_run {
    rwl_group_job *job;
    rwl_data_writer *writer;
    bool lineage;       /* the table has lineage columns */
    rwl_sorter *sorter; /* collects the rows before they are written; NULL when plan order is kept */
    bool collecting;    /* rows go to the sorter, not to the writer */
    rwl_row_hasher hasher;
    rwl_handover handover; /* from the reader, or the sorter, to the sorter or the writer */
} group_run;

/* Even files: as many rows in each as the expected number of files asks for. Other specs are split by partition, so sizes decide. */
static int64_t rows_per_file(const rwl_group_job *job) {
    const rwl_rewrite_group *g = job->group;
    int64_t live = g->rows - g->deleted_rows;
    if (g->expected_files <= 1 || (job->rules->spec != NULL && g->spec_id != job->rules->spec->spec_id) ||
        g->spec_id < 0)
        return 0;
    return (live + g->expected_files - 1) / g->expected_files;
}

static rwl_status make_files(rwl_group_job *job, rwl_error *err) {
    rwl_data_files_options options = {
        .metadata = job->metadata,
        .spec = job->rules->spec,
        .lineage = job->metadata->format_version >= 3,
        .row_id_encoding = job->row_id_encoding,
        .sort_order_id = job->rules->sort != NULL ? job->rules->sort->order_id : 0,
        .target_bytes = rwl_rewrite_roll_bytes(job->rules),
        .target_rows = rows_per_file(job),
        .sequence = (int32_t)(job->group->number % INT32_MAX),
        .operation_id = job->operation_id,
    };
    return rwl_data_files_new(job->store, job->op, &options, &job->files, err);
}

/* Rows store the id and version they were read with; those that have none yet keep the number of their own commit. */
static rwl_status stored_lineage(group_run *run, const rwl_fragment *f, rwl_rows *rows, rwl_error *err) {
    if (!run->lineage || f->lineage.has_first_row_id)
        return RWL_OK;
    return rwl_carry_unnumbered(f->lineage.sequence_number, rows->batch.length, &rows->row_ids,
                                &rows->versions, err);
}

static rwl_status take_rows(void *ctx, rwl_rows *rows, rwl_error *err) {
    group_run *run = ctx;
    const rwl_runs *ids = run->lineage ? &rows->row_ids : NULL,
                   *versions = run->lineage ? &rows->versions : NULL;
    return run->collecting ? rwl_sorter_add(run->sorter, &rows->batch, ids, versions, err)
                           : rwl_data_writer_write(run->writer, &rows->batch, ids, versions, err);
}

static rwl_status pass_rows(group_run *run, const rwl_fragment *f, rwl_error *err) {
    rwl_group_job *job = run->job;
    rwl_rows *rows = &run->handover.making;
    int64_t count = rows->batch.length;
    RWL_TRY(rwl_row_sums_add(&job->before, &run->hasher, rows, job->verify_full, err));
    RWL_TRY(stored_lineage(run, f, rows, err));
    if (job->tamper != NULL)
        job->tamper(job->tamper_ctx, rows);
    rwl_op_progress(job->op, "rewriting", atomic_fetch_add(job->rows_done, count) + count, job->rows_total);
    return rwl_handover_pass(&run->handover, err);
}

static rwl_status read_fragment(group_run *run, const rwl_fragment *f, rwl_error *err) {
    rwl_group_job *job = run->job;
    rwl_fragment_read_options options = {.fields = job->metadata->schema->fields,
                                         .field_count = job->metadata->schema->field_count,
                                         .lineage = RWL_LINEAGE_ALL};
    rwl_driver driver = rwl_iceberg_driver(job->store, job->metadata, job->deletes);
    rwl_reader *reader = NULL;
    rwl_status st = driver.vtable->read_open(&driver, job->op, f, &options, &reader, err);
    while (st == RWL_OK) {
        st = driver.vtable->read_next(reader, &run->handover.making, err);
        if (st != RWL_OK || run->handover.making.batch.length == 0)
            break;
        st = pass_rows(run, f, err);
    }
    driver.vtable->read_close(reader);
    return st;
}

static rwl_status write_sorted(group_run *run, rwl_error *err) {
    run->collecting = false;
    RWL_TRY(rwl_sorter_finish(run->sorter, err));
    for (;;) {
        rwl_rows *rows = &run->handover.making;
        RWL_TRY(
            rwl_sorter_next(run->sorter, RWL_BATCH_ROWS, &rows->batch, &rows->row_ids, &rows->versions, err));
        if (rows->batch.length == 0) {
            rwl_log(run->job->op->env, RWL_LOG_DEBUG,
                    "group %lld: %lld rows sorted, %lld bytes in temporary files",
                    (long long)run->job->group->number, (long long)rwl_sorter_rows(run->sorter),
                    (long long)rwl_sorter_spilled(run->sorter));
            return rwl_handover_finish(&run->handover, err);
        }
        RWL_TRY(rwl_handover_pass(&run->handover, err));
    }
}

static rwl_status stream_group(group_run *run, rwl_error *err) {
    rwl_group_job *job = run->job;
    const rwl_schema *schema = job->metadata->schema;
    rwl_pool *pool = job->overlap ? job->op->env->pool : NULL;
    RWL_TRY(rwl_data_writer_new(job->files, &run->writer, err));
    RWL_TRY(rwl_handover_init(&run->handover, job->op, pool, schema->fields, schema->field_count, take_rows,
                              run, err));
    if (job->rules->sort != NULL) {
        RWL_TRY(rwl_sorter_new(job->op, schema->fields, schema->field_count, job->rules->sort, &job->sorting,
                               &run->sorter, err));
        run->collecting = true;
    }
    for (size_t i = 0; i < job->group->fragment_count; i++)
        RWL_TRY(read_fragment(run, &job->group->fragments[i], err));
    RWL_TRY(rwl_handover_finish(&run->handover, err));
    if (run->sorter != NULL)
        RWL_TRY(write_sorted(run, err));
    return rwl_data_writer_finish(run->writer, err);
}

rwl_verify_request rwl_group_job_request(const rwl_group_job *job) {
    rwl_verify_request request = {
        .store = job->store,
        .metadata = job->metadata,
        .spec = job->rules->spec,
        .by_position = job->verify_full && job->stitched,
        .with_lineage = job->metadata->format_version >= 3 && job->group->with_lineage,
        .data_sequence_number = job->data_sequence_number,
        .distinct = job->distinct,
        .distinct_lock = job->distinct_lock,
        .overlap = job->overlap,
    };
    if (job->verify_full)
        request.values = job->stitched ? &job->sources : job->metadata->schema;
    request.files = rwl_data_files_list(job->files, &request.file_count);
    return request;
}

static rwl_status stream(rwl_group_job *job, rwl_error *err) {
    group_run run;
    memset(&run, 0, sizeof run);
    run.job = job;
    run.lineage = job->files->options.lineage;
    run.hasher.env = job->op->env;
    rwl_status st = stream_group(&run, err);
    rwl_handover_clear(&run.handover);
    rwl_data_writer_free(run.writer);
    rwl_sorter_free(run.sorter);
    rwl_row_hasher_clear(&run.hasher);
    return st;
}

rwl_status rwl_group_job_verify(rwl_group_job *job, rwl_error *err) {
    rwl_verify_request request = rwl_group_job_request(job);
    memset(&job->after, 0, sizeof job->after);
    RWL_TRY(rwl_verify_files(job->op, &request, &job->after, err));
    RWL_TRY(rwl_conserve_compare(&job->before.conserve, &job->after.conserve, err));
    if (!job->stitched || !job->verify_full)
        return RWL_OK;
    const rwl_copies_request copies = {&request, job->deletes, job->group->fragments,
                                       job->group->fragment_count};
    RWL_TRY(rwl_verify_copies(job->op, &copies, &job->copies, err));
    rwl_log(job->op->env, RWL_LOG_DEBUG,
            "group %lld: columns of row groups: %lld compared by bytes, %lld by values, %lld by both",
            (long long)job->group->number, (long long)job->copies.compared, (long long)job->copies.decoded,
            (long long)job->copies.in_part);
    return RWL_OK;
}

rwl_status rwl_group_job_run(void *arg, rwl_error *err) {
    rwl_group_job *job = arg;
    const rwl_env *env = job->op->env;
    if (job->deadline_ns > 0 && env->monotonic_ns(env->ctx) >= job->deadline_ns)
        return RWL_OK;
    RWL_TRY(make_files(job, err));
    RWL_TRY(rwl_rewrite_stitch(job, &job->stitched, err));
    if (!job->stitched)
        RWL_TRY(stream(job, err));
    if (job->damage != NULL)
        job->damage(job->damage_ctx, job);
    RWL_TRY(rwl_group_job_verify(job, err));
    size_t written;
    (void)rwl_data_files_list(job->files, &written);
    rwl_log(env, RWL_LOG_INFO, "group %lld: %zu file%s to %zu, %lld rows verified",
            (long long)job->group->number, job->group->fragment_count,
            job->group->fragment_count == 1 ? "" : "s", written, (long long)job->after.conserve.rows);
    job->done = true;
    return RWL_OK;
}

void rwl_group_job_clear(rwl_group_job *job) {
    rwl_data_files_free(job->files);
    job->files = NULL;
}
