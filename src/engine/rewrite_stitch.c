/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a group are looked at first; then they are stitched while their rows are added up for verification. */
#include "engine/rewrite_stitch.h"

#include "base/pool.h"
#include "base/vec.h"
#include "engine/entry_check.h"
#include "engine/rewrite_live.h"
#include "engine/stored_lineage.h"
#include "parquet/stitch.h"

#include <strings.h>

/* Opened files kept between looking at them and stitching them; beyond that they are opened again. */
enum { KEPT_BYTES = 16 << 20, KEPT_SHARE = 16 /* of the budget */ };

typedef struct stitch_run {
    rwl_group_job *job;
    rwl_data_files *files;
    rwl_driver driver;
    rwl_arena arena;
    const char *why; /* what is in the way; NULL: nothing */
    rwl_parquet_stitch_options options;
    rwl_field *fields; /* of the files to be written: columns that all inputs have REQUIRED are */
    int32_t made[2];
    rwl_lineage_maker *maker;

    rwl_lineage_source *sources; /* one a fragment */
    rwl_parquet_file **opened;   /* likewise; NULL: to be opened */
    int64_t kept_bytes;

    rwl_parquet_stitch *stitch; /* the file being written */
    const char *location;
    int64_t rows;         /* in it */
    int64_t told;         /* rows of progress */
    rwl_live_ranges live; /* rows of the input at hand */

    rwl_row_sums sums;
    atomic_bool stop;      /* the other side failed: adding up is no use */
    atomic_bool misplaced; /* a row is not of the group's partition */
} stitch_run;

/* --- whether the files fit --- */

/* A column that is read from the partition tuple because the file does not have it. */
static bool lacks_partition_column(const stitch_run *run, const rwl_fragment *f,
                                   const rwl_parquet_file *file) {
    const rwl_metadata *m = run->job->metadata;
    const rwl_partition_spec *spec = rwl_metadata_spec(m, f->spec_id);
    for (int32_t i = 0; spec != NULL && i < spec->field_count; i++) {
        const rwl_partition_field *field = &spec->fields[i];
        if (field->transform.kind == RWL_TRANSFORM_IDENTITY &&
            rwl_schema_by_id(m->schema, field->source_id) != NULL &&
            rwl_parquet_node_by_id(file, field->source_id) < 0)
            return true;
    }
    return false;
}

static rwl_status check_file(stitch_run *run, size_t i, rwl_parquet_file *file, rwl_error *err) {
    const rwl_fragment *f = &run->job->group->fragments[i];
    const rwl_data_files *files = run->files;
    RWL_TRY(rwl_lineage_source_init(&run->sources[i], f, file, files->options.row_id_encoding, err));
    rwl_arena arena;
    rwl_arena_init(&arena, run->job->op->env, 0);
    const char *why = NULL;
    if (file->row_count != f->row_count)
        why = "has another number of rows than its entry says";
    else if (rwl_parquet_without_ids(file))
        why = "has no field ids";
    else if (lacks_partition_column(run, f, file))
        why = "lacks a partition column";
    else if (!rwl_parquet_stitch_fits(file, files->fields, files->field_count, &run->options, &arena, &why))
        why = why != NULL ? why : "does not fit";
    else
        why = NULL;
    if (why != NULL) {
        run->why = rwl_arena_printf(&run->arena, "%s: %s", f->location, why);
        run->why = run->why != NULL ? run->why : "no memory";
    } else {
        rwl_parquet_stitch_widen(run->fields, files->fields, files->schema->field_count, file);
    }
    rwl_arena_clear(&arena);
    return RWL_OK;
}

static const char *check_fragment(const rwl_fragment *f) {
    if (strcasecmp(f->format, "parquet") != 0)
        return "a file is no Parquet";
    return NULL;
}

static rwl_status open_input(stitch_run *run, size_t i, rwl_parquet_file **out, rwl_error *err) {
    const rwl_fragment *f = &run->job->group->fragments[i];
    *out = run->opened[i];
    run->opened[i] = NULL;
    if (*out != NULL)
        return RWL_OK;
    return rwl_parquet_open(run->job->store, run->job->op, f->location, f->file_size, out, err);
}

/* Keeps an opened file while that takes little. */
static void keep_input(stitch_run *run, size_t i, rwl_parquet_file *file) {
    int64_t limit = run->job->op->memory_limit, most = KEPT_BYTES;
    if (limit > 0 && limit / KEPT_SHARE < most)
        most = limit / KEPT_SHARE;
    int64_t size = (int64_t)file->tail.len * 2 +
                   (int64_t)file->group_count * file->leaf_count * (int64_t)sizeof(rwl_parquet_chunk);
    if (run->kept_bytes + size > most) {
        rwl_parquet_close(file);
        return;
    }
    run->kept_bytes += size;
    run->opened[i] = file;
}

static rwl_status check_input(stitch_run *run, size_t i, rwl_error *err) {
    rwl_parquet_file *file = NULL;
    run->why = check_fragment(&run->job->group->fragments[i]);
    if (run->why != NULL)
        return RWL_OK;
    RWL_TRY(rwl_op_check(run->job->op, err));
    rwl_status st = open_input(run, i, &file, err);
    if (st == RWL_OK)
        st = check_file(run, i, file, err);
    if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED ||
        st == RWL_NOT_FOUND) { /* the reader will tell it better */
        run->why = "a file can't be opened";
        st = RWL_OK;
    }
    if (st == RWL_OK && run->why == NULL)
        keep_input(run, i, file);
    else
        rwl_parquet_close(file);
    return st;
}

static const char *check_group(const rwl_group_job *job) {
    if (job->rules->sort != NULL)
        return "rows are sorted";
    if (job->tamper != NULL)
        return "rows are changed on the way";
    if (job->group->spec_id != job->files->spec->spec_id)
        return "files are of another partition spec";
    return NULL;
}

static rwl_status make_value(void *ctx, const rwl_parquet_stitch_part *part, int32_t field, int64_t first,
                             int64_t count, rwl_column *out, rwl_error *err) {
    stitch_run *run = ctx;
    return rwl_lineage_make(run->maker, part->ctx, part->file, field == run->made[0] ? 0 : 1, first, count,
                            out, err);
}

static rwl_status prepare(stitch_run *run, rwl_error *err) {
    const rwl_data_files *files = run->files;
    size_t count = run->job->group->fragment_count;
    if (run->job->verify_full)
        RWL_TRY(rwl_verify_sources(files->schema, files->spec, &run->files->arena, &run->job->sources, err));
    run->options.write = files->parquet;
    run->options.keeps_filters = true;
    RWL_TRY(rwl_parquet_stitch_narrow(files->fields, files->field_count, &run->arena, &run->fields, err));
    for (int32_t i = files->schema->field_count; i < files->field_count; i++)
        run->fields[i].required = false; /* lineage */
    if (files->options.lineage) {
        run->made[0] = files->schema->field_count;
        run->made[1] = run->made[0] + 1;
        run->options.made = run->made;
        run->options.made_count = 2;
        run->options.make = make_value;
        run->options.make_ctx = run;
    }
    run->sources = rwl_arena_array(&run->arena, count, sizeof *run->sources);
    run->opened = rwl_arena_array(&run->arena, count, sizeof *run->opened);
    if (run->sources == NULL || run->opened == NULL)
        return rwl_no_memory(err, count * sizeof *run->sources);
    RWL_TRY(rwl_lineage_maker_new(run->job->store, run->job->op, &run->maker, err));
    for (size_t i = 0; run->why == NULL && i < count; i++)
        RWL_TRY(check_input(run, i, err));
    return RWL_OK;
}

/* --- the rows of the inputs, as the ordinary reader gives them: lineage, and what their partition is made of --- */

static rwl_status sum_fragment(stitch_run *run, const rwl_fragment *f, rwl_rows *rows, rwl_row_hasher *hasher,
                               rwl_entry_check *entries, rwl_error *err) {
    const rwl_group_job *job = run->job;
    const rwl_driver *driver = &run->driver;
    rwl_fragment_read_options options = {
        .fields = job->sources.fields, .field_count = job->sources.field_count, .lineage = RWL_LINEAGE_ALL};
    rwl_reader *reader = NULL;
    rwl_status st = driver->vtable->read_open(driver, job->op, f, &options, &reader, err);
    while (st == RWL_OK && !atomic_load(&run->stop)) {
        st = driver->vtable->read_next(reader, rows, err);
        if (st != RWL_OK || rows->batch.length == 0)
            break;
        if (entries != NULL)
            st = rwl_entry_check_rows(entries, &rows->batch, err);
        if (st == RWL_INTERNAL) {
            atomic_store(&run->misplaced, true);
            st = RWL_OK;
            break;
        }
        if (st != RWL_OK)
            break;
        st = rwl_row_sums_add(&run->sums, hasher, rows, job->verify_full, err);
    }
    driver->vtable->read_close(reader);
    return st;
}

/* A task function: `arg` is the run. */
static rwl_status sum_inputs(void *arg, rwl_error *err) {
    stitch_run *run = arg;
    const rwl_group_job *job = run->job;
    rwl_rows rows;
    rwl_row_hasher hasher = {.env = job->op->env, .by_position = true};
    rwl_entry_check *entries = NULL;
    rwl_added_file partition = {.partition = job->group->partition};
    RWL_TRY(rwl_rows_init(&rows, job->op->env, job->sources.fields, job->sources.field_count, err));
    rwl_status st = RWL_OK;
    if (job->verify_full && job->files->spec->field_count > 0) {
        st = rwl_entry_check_new(job->op->env, &job->sources, job->files->spec, &entries, err);
        if (st == RWL_OK)
            rwl_entry_check_begin(entries, &partition);
    }
    for (size_t i = 0; st == RWL_OK && i < job->group->fragment_count; i++) {
        if (atomic_load(&run->stop) || atomic_load(&run->misplaced))
            break;
        st = sum_fragment(run, &job->group->fragments[i], &rows, &hasher, entries, err);
    }
    rwl_entry_check_free(entries);
    rwl_row_hasher_clear(&hasher);
    rwl_rows_clear(&rows);
    return st;
}

/* --- stitching --- */

static rwl_status open_file(stitch_run *run, rwl_error *err) {
    const rwl_data_files *files = run->files;
    if (run->stitch != NULL)
        return RWL_OK;
    run->rows = 0;
    RWL_TRY(rwl_data_files_name(run->files, run->job->group->partition, &run->location, err));
    return rwl_parquet_stitch_open(files->store, files->op, run->location, run->fields, files->field_count,
                                   &run->options, &run->stitch, err);
}

/* A count of nulls that is unknown is that of a lineage column copied in part: whole ones alone are copied. */
static void complete_lineage(const rwl_data_files *files, rwl_parquet_written *written) {
    for (int32_t i = files->schema->field_count; i < files->field_count; i++)
        if (written->columns[i].null_count < 0)
            written->columns[i].null_count = 0;
}

static rwl_status close_file(stitch_run *run, rwl_error *err) {
    rwl_data_files *files = run->files;
    rwl_parquet_written written;
    rwl_parquet_stitch_stats stats;
    memset(&written, 0, sizeof written);
    memset(&stats, 0, sizeof stats);
    if (run->stitch == NULL)
        return RWL_OK;
    rwl_status finished = rwl_parquet_stitch_finish(run->stitch, &written, &stats, err);
    run->stitch = NULL;
    if (finished == RWL_OK)
        complete_lineage(files, &written);
    files->pages_copied += stats.pages_copied;
    files->pages_encoded += stats.pages_recoded + stats.pages_encoded;
    return rwl_data_files_keep(files, run->location, run->job->group->partition, finished, &written, err);
}

/* Cuts `count` rows off the front of the live ranges: *taken ranges are theirs, *next is the first behind. */
static void cut_live(stitch_run *run, size_t *next, int64_t count, rwl_range *rest) {
    rwl_range *items = run->live.items;
    rest->count = 0;
    while (*next < run->live.len && count >= items[*next].count) {
        count -= items[*next].count;
        ++*next;
    }
    if (count == 0 || *next >= run->live.len)
        return;
    *rest = (rwl_range){items[*next].start + count, items[*next].count - count};
    items[*next].count = count;
    ++*next;
}

static void tell_progress(stitch_run *run, int64_t rows) {
    const rwl_group_job *job = run->job;
    run->told += rows;
    rwl_op_progress(job->op, "rewriting", atomic_fetch_add(job->rows_done, rows) + rows, job->rows_total);
}

/* Adds live ranges [from, to) to the open file, closing it where it is full. */
static rwl_status add_rows(stitch_run *run, rwl_parquet_file *file, size_t i, size_t from, size_t to,
                           rwl_error *err) {
    const rwl_data_files_options *o = &run->files->options;
    rwl_parquet_stitch_part part = {.file = file,
                                    .ranges = run->live.items + from,
                                    .range_count = to - from,
                                    .ctx = &run->sources[i],
                                    .from_file = run->sources[i].from_file};
    int64_t rows = 0;
    for (size_t r = from; r < to; r++)
        rows += run->live.items[r].count;
    RWL_TRY(rwl_parquet_stitch_add(run->stitch, &part, err));
    run->rows += rows;
    tell_progress(run, rows);
    bool is_full = run->rows == o->target_rows || rwl_parquet_stitch_size(run->stitch) >= o->target_bytes;
    return is_full ? close_file(run, err) : RWL_OK;
}

static rwl_status stitch_input(stitch_run *run, size_t i, rwl_parquet_file *file, rwl_error *err) {
    int64_t target = run->files->options.target_rows;
    RWL_TRY(rwl_rewrite_live(&run->driver, run->job->op, &run->job->group->fragments[i], &run->live, err));
    for (size_t from = 0, to = 0; from < run->live.len; from = to) {
        rwl_range rest;
        RWL_TRY(open_file(run, err));
        cut_live(run, &to, target > 0 ? target - run->rows : INT64_MAX, &rest);
        RWL_TRY(add_rows(run, file, i, from, to, err));
        if (rest.count > 0)
            run->live.items[--to] = rest;
    }
    return RWL_OK;
}

static rwl_status stitch_inputs(stitch_run *run, rwl_error *err) {
    for (size_t i = 0; i < run->job->group->fragment_count; i++) {
        rwl_parquet_file *file = NULL;
        if (atomic_load(&run->misplaced))
            return RWL_OK;
        RWL_TRY(open_input(run, i, &file, err));
        rwl_status st = stitch_input(run, i, file, err);
        rwl_parquet_close(file); /* the stitcher holds on to those it still needs */
        RWL_TRY(st);
    }
    return close_file(run, err);
}

/* Both sides at once when there are threads. */
static rwl_status execute(stitch_run *run, rwl_error *err) {
    rwl_group_job *job = run->job;
    rwl_group *group = NULL;
    RWL_TRY(rwl_group_new(job->overlap ? job->op->env->pool : NULL, job->op, &group, err));
    rwl_status st = rwl_group_submit(group, sum_inputs, run, err);
    if (st == RWL_OK)
        st = stitch_inputs(run, err);
    if (st != RWL_OK)
        atomic_store(&run->stop, true);
    rwl_status waited = rwl_group_wait(group, st == RWL_OK ? err : NULL);
    rwl_group_free(group);
    return st != RWL_OK ? st : waited;
}

static void clear(stitch_run *run) {
    rwl_parquet_stitch_abort(run->stitch);
    run->stitch = NULL;
    for (size_t i = 0; run->opened != NULL && i < run->job->group->fragment_count; i++)
        rwl_parquet_close(run->opened[i]);
    rwl_lineage_maker_free(run->maker);
    rwl_vec_clear(&run->live, run->job->op->env);
    rwl_arena_clear(&run->arena);
}

/* What can't be stitched after all, a page too large or for want of memory, is decoded. */
static rwl_status try_stitch(stitch_run *run, rwl_error *err) {
    rwl_error first = {0};
    rwl_status st = execute(run, &first);
    if (st == RWL_UNSUPPORTED) {
        run->why = rwl_arena_strdup(&run->arena, first.message);
        run->why = run->why != NULL ? run->why : "no memory";
        return RWL_OK;
    }
    if (st != RWL_OK && err != NULL)
        *err = first;
    if (st == RWL_OK && atomic_load(&run->misplaced))
        run->why = "a row is not of its file's partition";
    return st;
}

static rwl_status run_stitch(stitch_run *run, bool *stitched, rwl_error *err) {
    rwl_group_job *job = run->job;
    run->why = check_group(job);
    if (run->why == NULL)
        RWL_TRY(prepare(run, err));
    if (run->why == NULL)
        RWL_TRY(try_stitch(run, err));
    *stitched = run->why == NULL;
    if (*stitched)
        job->before = run->sums;
    else
        rwl_log(job->op->env, RWL_LOG_DEBUG, "group %lld is decoded: %s", (long long)job->group->number,
                run->why);
    return RWL_OK;
}

rwl_status rwl_rewrite_stitch(rwl_group_job *job, bool *stitched, rwl_error *err) {
    stitch_run run;
    memset(&run, 0, sizeof run);
    run.job = job;
    run.files = job->files;
    run.driver = rwl_iceberg_driver(job->store, job->metadata, job->deletes);
    rwl_arena_init(&run.arena, job->op->env, 0);
    *stitched = false;
    rwl_status st = run_stitch(&run, stitched, err);
    clear(&run);
    if (!*stitched) {
        rwl_data_files_discard(job->files);
        atomic_fetch_sub(job->rows_done, run.told);
    }
    return st;
}
