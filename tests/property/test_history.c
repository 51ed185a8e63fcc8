/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random histories of random tables against the shadow (model.h): append, delete, upgrade and rewrite in any order, and
 * after every step all rows, all lineage, the counter, the digest, a filter, and an older snapshot.
 *
 *   ROWLINE_SEED       the run's seed; a failing history prints the seed that runs it alone
 *   ROWLINE_HISTORIES  300 unless told otherwise
 *   ROWLINE_STEPS      25 unless told otherwise
 *   ROWLINE_WORKERS    processes; 2 unless told otherwise
 */
#include "model.h"

#include "engine/append.h"
#include "engine/create.h"
#include "engine/delete.h"
#include "engine/rewrite.h"
#include "engine/upgrade.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        rwl_error err_ = {0};                                                                                \
        rwl_error *err = &err_;                                                                              \
        rwl_status st_ = (call);                                                                             \
        EXPECT(st_ == RWL_OK, "%s: status %d, %s", #call, (int)st_, err_.message);                           \
    } while (0)

enum { ROWS_MAX = 60000 };

/* Counts over a worker's histories: a test that never rewrites proves nothing. */
typedef struct tally {
    int64_t steps, commits, appends, deletes, removed_rows, rewrites, moved_rows, stitched, copied_pages,
        upgrades, refusals, dry_runs;
} tally;

typedef struct history {
    world w;
    model m;
    uint64_t seed, random;
    rwl_pool *pool;
    rwl_schema schema; /* of the batches */
    rwl_field fields[COLUMNS_MAX];
    char table[160];
    bool small_target; /* by the table's property */
    bool unnumbered;   /* upgraded without numbering: the head has no ids */
    int32_t step, steps;
    diary done; /* for a failure */
    tally *tally;
} history;

static void print_history(void *ctx) {
    const history *h = ctx;
    fprintf(stderr,
            "%.*s\nstep %d of the history ROWLINE_SEED=%" PRIu64
            " ROWLINE_HISTORIES=1 ROWLINE_STEPS=%d; its table is %s\n",
            (int)h->done.len, h->done.text, h->step, h->seed, h->steps, h->table);
}

/* --- tables --- */

static rwl_table *open_table(history *h) {
    rwl_table_options options = {.for_change = true};
    rwl_table *t = NULL;
    MUST(rwl_table_open(&h->w.op, h->table, &options, &t, err));
    return t;
}

static int32_t draw_properties(history *h, const char **keys, const char **values) {
    static const char *const codecs[] = {"zstd", "snappy", "gzip", "uncompressed"};
    int32_t n = 0;
    if (draw_chance(&h->random, 40)) {
        keys[n] = "write.parquet.compression-codec";
        values[n++] = codecs[draw_below(&h->random, 4)];
    }
    if (draw_chance(&h->random, 20)) {
        keys[n] = "write.metadata.compression-codec";
        values[n++] = "gzip";
    }
    if (draw_chance(&h->random, 30)) {
        keys[n] = "write.parquet.page-row-limit";
        values[n++] = "5";
    }
    if (draw_chance(&h->random, 20)) {
        keys[n] = "write.parquet.row-group-size-bytes";
        values[n++] = "700";
    }
    if (draw_chance(&h->random, 20)) {
        keys[n] = "write.target-file-size-bytes";
        values[n++] = "3000";
        h->small_target = true;
    }
    return n;
}

static void create_table(history *h) {
    model *m = &h->m;
    const char *keys[8], *values[8];
    m->version = draw_chance(&h->random, 35) ? 2 : 3;
    m->column_count = 1 + (int32_t)draw_below(&h->random, COLUMNS_MAX);
    make_columns(&m->arena, &h->random, m->version, m->columns, m->column_count);
    rwl_create_options o = {.format_version = m->version};
    o.partition = partition_text(&m->arena, &h->random, m->columns, m->column_count);
    o.sort =
        draw_chance(&h->random, 30) ? sort_text(&m->arena, &h->random, m->columns, m->column_count) : NULL;
    o.schema = schema_text(&m->arena, m->columns, m->column_count);
    o.property_count = draw_properties(h, keys, values);
    o.property_keys = keys;
    o.property_values = values;
    for (int32_t i = 0; i < m->column_count; i++)
        h->fields[i] = m->columns[i].field;
    diary_note(&h->done, "v%d (%s) partition (%s) sort (%s)\n", m->version, o.schema,
               o.partition ? o.partition : "", o.sort ? o.sort : "");
    for (int32_t i = 0; i < o.property_count; i++)
        diary_note(&h->done, "  %s=%s\n", keys[i], values[i]);
    MUST(rwl_create_table(&h->w.op, h->table, &o, err));
}

/* --- after a step --- */

static void check_digest(history *h, const rwl_table *t) {
    rwl_digest got, want = model_digest(&h->m);
    memset(&got, 0, sizeof got);
    MUST(rwl_table_digest(t, &h->w.op, NULL, &got, err));
    EXPECT(rwl_digest_equal(&got, &want),
           "digest %016" PRIx64 " of %" PRId64 " rows, not %016" PRIx64 " of %" PRId64, got.lineage_checksum,
           got.rows, want.lineage_checksum, want.rows);
}

static void check_filter(history *h, const rwl_table *t) {
    const predicate *p = make_predicate(&h->m, &h->random, 2);
    int64_t got = -1, want = model_count(&h->m, p);
    diary_note(&h->done, "  count where %.200s\n", predicate_text(p));
    MUST(rwl_table_count(t, &h->w.op, predicate_text(p), &got, err));
    EXPECT(got == want, "%" PRId64 " rows match, not %" PRId64, got, want);
}

static void check_table(history *h, const model_step *step) {
    rwl_table *t = open_table(h);
    model_check(&h->m, t, step);
    check_digest(h, t);
    check_filter(h, t);
    if (step->change != MODEL_NOTHING)
        model_remember(&h->m, t->snapshot->snapshot_id);
    rwl_table_free(t);
    if (h->m.snapshots.len > 1)
        model_check_past(&h->m, h->table,
                         &h->m.snapshots.items[draw_below(&h->random, (int64_t)h->m.snapshots.len)]);
}

/* The commit's own figures. */
static void check_outcome(history *h, const rwl_commit_outcome *out, int64_t next_row_id,
                          int64_t added_rows) {
    EXPECT(out->result.sequence_number == h->m.sequence,
           "the commit says sequence number %" PRId64 ", not %" PRId64, out->result.sequence_number,
           h->m.sequence);
    if (h->m.version < 3)
        return;
    EXPECT(out->result.first_row_id == next_row_id, "the commit says first_row_id %" PRId64 ", not %" PRId64,
           out->result.first_row_id, next_row_id);
    EXPECT(out->result.added_rows == added_rows, "the commit says added_rows %" PRId64 ", not %" PRId64,
           out->result.added_rows, added_rows);
}

static void finish_commit(history *h, const model_step *step, const rwl_commit_outcome *out) {
    int64_t before = h->m.next_row_id;
    h->m.sequence++;
    h->tally->commits++;
    check_table(h, step);
    check_outcome(h, out, before, h->m.next_row_id - before);
    h->unnumbered = false;
}

/* --- append --- */

static int64_t draw_row_count(history *h) {
    if (draw_chance(&h->random, 4))
        return 300 + draw_below(&h->random, 400);
    return 1 + draw_below(&h->random, draw_chance(&h->random, 30) ? 40 : 8);
}

static void make_rows(history *h, rwl_batch *batch, int64_t count) {
    model *m = &h->m;
    for (int64_t i = 0; i < count; i++) {
        rwl_value *values = rwl_arena_array(&m->arena, (size_t)m->column_count, sizeof *values);
        EXPECT(values != NULL, "out of memory");
        values[0] = rwl_value_null(RWL_TYPE_LONG);
        values[0].is_null = false;
        values[0].as.i64 = make_key((int64_t)m->rows.len);
        for (int32_t c = 1; c < m->column_count; c++)
            values[c] = make_value(&m->arena, &h->random, &m->columns[c]);
        for (int32_t c = 0; c < m->column_count; c++)
            MUST(rwl_column_append(&batch->columns[c], &h->w.env, &values[c], 1, err));
        model_row row = {.values = values, .live = true, .file = -1, .version = m->sequence + 1};
        MUST(rwl_vec_push(&m->rows, &h->w.env, row, err));
    }
    batch->length = count;
    m->live += count;
}

static void append_rows(history *h) {
    int64_t count = draw_row_count(h);
    diary_note(&h->done, "append %" PRId64 " rows\n", count);
    if (h->m.rows.len + (size_t)count > ROWS_MAX)
        return;
    rwl_batch batch;
    MUST(rwl_batch_init(&batch, &h->w.env, h->fields, h->m.column_count, err));
    make_rows(h, &batch, count);
    batch_input input;
    batch_input_init(&input, &batch, 1 + draw_below(&h->random, 64));
    rwl_input *inputs[] = {&input.base};
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    rwl_table *t = open_table(h);
    MUST(rwl_append(t, &h->w.op, inputs, 1, &options, &out, err));
    rwl_table_free(t);
    rwl_batch_clear(&batch);
    h->tally->appends++;
    EXPECT(out.result.added_records == count, "%" PRId64 " rows added, not %" PRId64,
           out.result.added_records, count);
    finish_commit(h, &(model_step){.change = MODEL_APPEND}, &out);
}

/* --- delete --- */

static int64_t end_rows(history *h, const predicate *p) {
    int64_t count = 0;
    for (size_t i = 0; i < h->m.rows.len; i++) {
        model_row *row = &h->m.rows.items[i];
        if (!row->live || predicate_eval(p, &h->m, row) != 1)
            continue;
        row->live = false;
        count++;
    }
    h->m.live -= count;
    return count;
}

/* A filter that some rows match and most do not, usually: tables that are empty most of the time teach little. */
static const predicate *draw_delete(history *h) {
    const predicate *p = NULL;
    for (int tries = 0; tries < 6; tries++) {
        p = make_predicate(&h->m, &h->random, 2);
        int64_t count = model_count(&h->m, p);
        if ((count > 0 && 2 * count <= h->m.live) || draw_chance(&h->random, 5))
            break;
    }
    return p;
}

static void delete_rows(history *h) {
    const predicate *p = draw_delete(h);
    rwl_change_options options = {.dry_run = draw_chance(&h->random, 8)};
    rwl_commit_outcome out;
    rwl_error error = {0};
    diary_note(&h->done, "delete%s where %.200s\n", options.dry_run ? " --dry-run" : "", predicate_text(p));
    rwl_table *t = open_table(h);
    rwl_status st = rwl_delete(t, &h->w.op, predicate_text(p), &options, &out, &error);
    rwl_table_free(t);
    if (h->m.version < 3) {
        EXPECT(st == RWL_UNSUPPORTED && strstr(error.message, "upgrade") != NULL, "delete from v2: %d, %s",
               (int)st, error.message);
        h->tally->refusals++;
        check_table(h, &(model_step){.change = MODEL_NOTHING});
        return;
    }
    EXPECT(st == RWL_OK, "delete: %d, %s", (int)st, error.message);
    h->tally->dry_runs += options.dry_run;
    int64_t count = options.dry_run ? 0 : end_rows(h, p);
    EXPECT((out.result.snapshot_id >= 0) == (count > 0), "%" PRId64 " rows match, snapshot %" PRId64, count,
           out.result.snapshot_id);
    h->tally->deletes += count > 0;
    h->tally->removed_rows += count;
    if (count > 0)
        finish_commit(h, &(model_step){.change = MODEL_DELETE}, &out);
    else
        check_table(h, &(model_step){.change = MODEL_NOTHING});
}

/* --- upgrade --- */

static void upgrade_table(history *h) {
    rwl_change_options options = {0};
    bool assign = draw_chance(&h->random, 70);
    diary_note(&h->done, "upgrade%s\n", assign ? "" : " --no-assign");
    rwl_commit_outcome out;
    rwl_upgrade_report report;
    rwl_table *t = open_table(h);
    bool snapshots = t->snapshot != NULL,
         numbers = assign && snapshots && (h->m.version < 3 || h->unnumbered);
    MUST(rwl_upgrade_table(t, &h->w.op, 3, assign, &options, &h->m.arena, &out, &report, err));
    rwl_table_free(t);
    EXPECT((out.result.snapshot_id >= 0) == numbers, "upgrade made snapshot %" PRId64,
           out.result.snapshot_id);
    EXPECT(report.assigned_rows == (numbers ? h->m.live : 0), "upgrade says it numbered %" PRId64 " rows",
           report.assigned_rows);
    h->tally->upgrades += h->m.version < 3;
    h->unnumbered = snapshots && !numbers && (h->m.version < 3 || h->unnumbered);
    h->m.version = 3;
    if (numbers)
        finish_commit(h, &(model_step){.change = MODEL_NUMBER}, &out);
    else
        check_table(h, &(model_step){.change = MODEL_NOTHING});
}

/* --- rewrite --- */

static rwl_rewrite_options draw_rewrite(history *h) {
    rwl_rewrite_options o = {.min_input_files = 1 + (int32_t)draw_below(&h->random, 4)};
    o.rewrite_all = draw_chance(&h->random, 45);
    o.no_pin = draw_chance(&h->random, 20);
    o.row_id_encoding = (rwl_row_id_encoding)draw_below(&h->random, 3);
    o.verify_lineage_only = draw_chance(&h->random, 20);
    o.change.dry_run = draw_chance(&h->random, 6);
    if (draw_chance(&h->random, 40))
        o.target_bytes = 1 + draw_below(&h->random, 6000);
    if (draw_chance(&h->random, 30))
        o.delete_ratio = 0.1;
    if (draw_chance(&h->random, 20))
        o.delete_files = 1;
    if (draw_chance(&h->random, 15))
        o.max_group_bytes = 1 + draw_below(&h->random, 8000);
    if (draw_chance(&h->random, 40))
        o.sort = sort_text(&h->m.arena, &h->random, h->m.columns, h->m.column_count);
    if (draw_chance(&h->random, 25))
        o.where = predicate_text(make_predicate(&h->m, &h->random, 1));
    return o;
}

static void check_rewrite(history *h, const rwl_rewrite_options *o, const rwl_rewrite_result *r,
                          const rwl_commit_outcome *out) {
    if (o->change.dry_run)
        return;
    EXPECT(r->rows_in == r->rows_out, "%" PRId64 " rows in, %" PRId64 " out", r->rows_in, r->rows_out);
    EXPECT(rwl_digest_equal(&r->before, &r->after), "digests before and after differ");
    EXPECT(h->m.version < 3 || r->rows_without_lineage == 0, "%" PRId64 " rows without lineage",
           r->rows_without_lineage);
    EXPECT((out->result.snapshot_id >= 0) == (r->groups > 0), "%" PRId64 " groups, snapshot %" PRId64,
           r->groups, out->result.snapshot_id);
    rwl_digest all = model_digest(&h->m);
    if (o->rewrite_all && o->where == NULL && h->m.live > 0)
        EXPECT(rwl_digest_equal(&r->before, &all), "--rewrite-all: the digest is not that of all rows");
    h->tally->rewrites += r->groups > 0;
    h->tally->moved_rows += r->rows_out;
    h->tally->stitched += r->groups_stitched;
    h->tally->copied_pages += r->pages_copied;
}

/* A second run finds nothing to do. (Orders that are not the table's have no id to recognise them by; targets of a few
 * rows are smaller than what a file takes without any row, so sizes come out other than planned; files that got smaller
 * may fit a group together.) */
static void check_converged(history *h, const rwl_rewrite_options *o) {
    if (o->rewrite_all || o->change.dry_run || o->sort != NULL || o->target_bytes > 0 ||
        o->max_group_bytes > 0 || h->small_target)
        return;
    rwl_commit_outcome out;
    rwl_rewrite_result r;
    rwl_table *t = open_table(h);
    MUST(rwl_rewrite(t, &h->w.op, o, &out, &r, err));
    rwl_table_free(t);
    EXPECT(out.result.snapshot_id < 0 && r.groups == 0,
           "a second run rewrites %" PRId64 " files in %" PRId64 " groups", r.input_files, r.groups);
}

static void rewrite_table(history *h) {
    rwl_rewrite_options o = draw_rewrite(h);
    rwl_commit_outcome out;
    rwl_rewrite_result r;
    diary_note(&h->done,
               "rewrite%s%s%s target %" PRId64 " group %" PRId64 " input files %d ratio %g deletes %" PRId64
               " sort (%s) where (%.200s)\n",
               o.rewrite_all ? " all" : "", o.no_pin ? " --no-pin" : "", o.change.dry_run ? " --dry-run" : "",
               o.target_bytes, o.max_group_bytes, o.min_input_files, o.delete_ratio, o.delete_files,
               o.sort ? o.sort : "", o.where ? o.where : "");
    rwl_table *t = open_table(h);
    int64_t planned = t->snapshot != NULL ? t->snapshot->sequence_number : 0;
    int64_t head = t->metadata->current_snapshot_id;
    MUST(rwl_rewrite(t, &h->w.op, &o, &out, &r, err));
    rwl_table_free(t);
    h->tally->dry_runs += o.change.dry_run;
    model_step step = {.change = MODEL_REWRITE, .pinned = !o.no_pin, .planned_sequence = planned};
    bool numbered = h->m.version >= 3 && h->unnumbered && head >= 0 && !o.change.dry_run;
    if (numbered) { /* the head got its ids first, in a commit of its own: look at that one, then at the rewrite */
        EXPECT(r.assigned_snapshot_id >= 0 && r.assigned_rows == h->m.live, "%" PRId64 " rows numbered",
               r.assigned_rows);
        char id[32];
        snprintf(id, sizeof id, "%" PRId64, r.assigned_snapshot_id);
        rwl_table_options options = {.snapshot = id};
        rwl_table *first = NULL;
        MUST(rwl_table_open(&h->w.op, h->table, &options, &first, err));
        h->m.sequence++;
        h->m.next_row_id += h->m.live;
        first->metadata->last_sequence_number = h->m.sequence; /* of that moment */
        first->metadata->next_row_id = h->m.next_row_id;
        h->m.next_row_id -= h->m.live;
        model_check(&h->m, first, &(model_step){.change = MODEL_NUMBER});
        rwl_table_free(first);
        model_remember(&h->m, r.assigned_snapshot_id);
        h->unnumbered = false;
    } else {
        EXPECT(o.change.dry_run || r.assigned_snapshot_id < 0, "numbered a head that has ids");
    }
    check_rewrite(h, &o, &r, &out);
    if (out.result.snapshot_id >= 0)
        finish_commit(h, &step, &out);
    else
        check_table(h, &(model_step){.change = MODEL_NOTHING});
    check_converged(h, &o);
}

/* --- histories --- */

static void take_step(history *h) {
    int64_t drawn = draw_below(&h->random, 100);
    h->tally->steps++;
    if (h->m.version < 3) {
        if (drawn < 50)
            append_rows(h);
        else if (drawn < 75)
            rewrite_table(h);
        else if (drawn < 90)
            upgrade_table(h);
        else
            delete_rows(h);
    } else if (drawn < 38 || h->m.live == 0) {
        append_rows(h);
    } else if (drawn < 68) {
        delete_rows(h);
    } else if (drawn < 97) {
        rewrite_table(h);
    } else {
        upgrade_table(h);
    }
    EXPECT(h->w.op.memory_used == 0, "%lld bytes of the budget were not given back",
           (long long)h->w.op.memory_used);
}

static void run_history(uint64_t seed, int32_t steps, tally *t) {
    history *h = calloc(1, sizeof *h);
    EXPECT(h != NULL, "out of memory");
    h->seed = h->random = seed;
    h->steps = steps;
    h->tally = t;
    set_failure_context(print_history, h);
    EXPECT(world_open(&h->w, seed), "no folder for the test");
    if (draw_chance(&h->random, 30)) {
        MUST(rwl_pool_new(&h->w.env, 3, &h->pool, err));
        h->w.env.pool = h->pool;
    }
    model_init(&h->m, &h->w);
    snprintf(h->table, sizeof h->table, "%s/t", h->w.folder);
    create_table(h);
    for (h->step = 1; h->step <= steps; h->step++)
        take_step(h);
    for (size_t i = 0; i < h->m.snapshots.len; i += 5)
        model_check_past(&h->m, h->table, &h->m.snapshots.items[i]);
    model_clear(&h->m);
    rwl_pool_free(h->pool);
    long long left = atomic_load(&h->w.live_blocks);
    EXPECT(left == 0, "%lld blocks of memory were not given back", left);
    world_close(&h->w, false);
    set_failure_context(NULL, NULL);
    free(h);
}

static int run_worker(uint64_t seed, int64_t first, int64_t step, int64_t count, int32_t steps) {
    tally t;
    memset(&t, 0, sizeof t);
    for (int64_t i = first; i < count; i += step)
        run_history(seed + (uint64_t)i, steps, &t);
    printf("%" PRId64 " steps, %" PRId64 " commits: %" PRId64 " appends, %" PRId64 " deletes of %" PRId64
           " rows, %" PRId64 " rewrites of %" PRId64 " rows (%" PRId64 " groups stitched, %" PRId64
           " pages copied), %" PRId64 " upgrades; %" PRId64 " refusals, %" PRId64 " dry runs\n",
           t.steps, t.commits, t.appends, t.deletes, t.removed_rows, t.rewrites, t.moved_rows, t.stitched,
           t.copied_pages, t.upgrades, t.refusals, t.dry_runs);
    bool idle = count >= 100 && (t.deletes == 0 || t.rewrites == 0 || t.upgrades == 0 || t.stitched == 0 ||
                                 t.copied_pages == 0);
    if (idle)
        fprintf(stderr, "FAILED: a kind of step never happened\n");
    return idle ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(void) {
    uint64_t seed = number_from("ROWLINE_SEED", 20261130);
    int64_t count = (int64_t)number_from("ROWLINE_HISTORIES", 300);
    int64_t workers = (int64_t)number_from("ROWLINE_WORKERS", 2);
    int32_t steps = (int32_t)number_from("ROWLINE_STEPS", 25);
    if (count == 1 || workers <= 1)
        return run_worker(seed, 0, 1, count, steps);
    int result = EXIT_SUCCESS;
    for (int64_t i = 0; i < workers; i++) {
        pid_t child = fork();
        if (child < 0)
            result = EXIT_FAILURE;
        if (child == 0)
            exit(run_worker(seed, i, workers, count, steps));
    }
    int status;
    while (wait(&status) > 0) {
        if (WIFSIGNALED(status))
            fprintf(stderr,
                    "FAILED: a worker was killed by signal %d; ROWLINE_WORKERS=1 in a debugger shows where\n",
                    WTERMSIG(status));
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            result = EXIT_FAILURE;
    }
    return result;
}
