/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing tables, changing them, telling their states apart. */
#include "fault.h"

#include "base/vec.h"
#include "engine/append.h"
#include "engine/create.h"
#include "engine/delete.h"
#include "engine/rewrite.h"
#include "engine/scan.h"
#include "engine/upgrade.h"
#include "iceberg/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const scenario SCENARIOS[] = {
    {"create", "", '1', false},      {"first append", "3", 'a', false},
    {"append", "3a", 'a', false},    {"append to v2", "2a", 'a', false},
    {"delete", "3a", 'd', false},    {"delete with older vectors, a file goes", "3aad", 'D', false},
    {"rewrite", "3aad", 'r', false}, {"rewrite v2", "2aa", 'r', false},
    {"sort", "3aad", 's', false},    {"upgrade", "2aa", 'u', false},
    {"give ids", "2an", 'u', false}, {"rewrite a head without ids", "2aan", 'r', true},
};
const int SCENARIO_COUNT = sizeof SCENARIOS / sizeof *SCENARIOS;

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        rwl_error err_ = {0};                                                                                \
        rwl_error *err = &err_;                                                                              \
        rwl_status st_ = (call);                                                                             \
        ck_assert_msg(st_ == RWL_OK, "%s: status %d, %s", #call, (int)st_, err_.message);                    \
    } while (0)

/* --- changes --- */

typedef struct changing {
    world *w;
    const char *table;
    rwl_store *(*wrap)(void *ctx, rwl_store *inner);
    void *ctx;
} changing;

static rwl_status create_table(const changing *c, int32_t version, rwl_error *err) {
    static const char *const keys[] = {"commit.retry.num-retries"}, *const values[] = {"1000"};
    rwl_create_options options = {.schema = "k long not null, s string, d date",
                                  .partition = "bucket(2, k)",
                                  .format_version = version,
                                  .property_keys = keys,
                                  .property_values = values,
                                  .property_count = 1};
    rwl_store *store = NULL;
    RWL_TRY(rwl_store_local_new(&c->w->env, NULL, 0, &store, err));
    if (c->wrap != NULL)
        store = c->wrap(c->ctx, store);
    rwl_status st = rwl_create_table_in(&c->w->op, store, c->table, &options, err);
    rwl_store_free(store);
    return st;
}

/* Keys follow from the sequence number: appends of one history differ, the same append made again does not. */
static rwl_status fill_rows(const rwl_table *t, rwl_batch *batch, rwl_error *err) {
    for (int64_t i = 0; i < 6; i++) {
        char text[24];
        snprintf(text, sizeof text, "s%d", (int)(i * 5 % 6));
        rwl_value values[3] = {rwl_value_null(RWL_TYPE_LONG), rwl_value_null(RWL_TYPE_STRING),
                               rwl_value_null(RWL_TYPE_DATE)};
        values[0].is_null = false;
        values[0].as.i64 = t->metadata->last_sequence_number * 10 + i;
        values[1].is_null = i == 3;
        values[1].as.bytes = rwl_span_str(text);
        values[2].is_null = i == 4;
        values[2].as.i32 = (int32_t)i;
        for (int c = 0; c < 3; c++)
            RWL_TRY(rwl_column_append(&batch->columns[c], t->env, &values[c], 1, err));
    }
    batch->length = 6;
    return RWL_OK;
}

static rwl_status append_rows(rwl_op *op, const rwl_table *t, rwl_error *err) {
    rwl_batch batch;
    memset(&batch, 0, sizeof batch);
    RWL_TRY(
        rwl_batch_init(&batch, op->env, t->metadata->schema->fields, t->metadata->schema->field_count, err));
    batch_input input;
    batch_input_init(&input, &batch, 4);
    rwl_input *inputs[] = {&input.base};
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    rwl_status st = fill_rows(t, &batch, err);
    if (st == RWL_OK)
        st = rwl_append(t, op, inputs, 1, &options, &out, err);
    rwl_batch_clear(&batch);
    return st;
}

static rwl_status change_table(rwl_op *op, rwl_table *t, char change, rwl_error *err) {
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    rwl_upgrade_report report;
    rwl_rewrite_result result;
    rwl_rewrite_options rewrite = {.rewrite_all = true, .sort = change == 's' ? "s desc, k" : NULL};
    rwl_arena arena;
    rwl_arena_init(&arena, op->env, 0);
    rwl_status st;
    switch (change) {
    case 'a':
        st = append_rows(op, t, err);
        break;
    case 'd':
        st = rwl_delete(t, op, "k in (1, 12, 22)", &options, &out, err);
        break;
    case 'D': /* one bucket of the first append, one row of another file */
        st = rwl_delete(t, op, "k in (0, 1, 2, 3, 4, 5) or k = 13", &options, &out, err);
        break;
    case 'n':
        st = rwl_upgrade_table(t, op, 3, false, &options, &arena, &out, &report, err);
        break;
    case 'u':
        st = rwl_upgrade_table(t, op, 3, true, &options, &arena, &out, &report, err);
        break;
    default:
        st = rwl_rewrite(t, op, &rewrite, &out, &result, err);
    }
    rwl_arena_clear(&arena);
    return st;
}

static rwl_status change_opened(const changing *c, char change, rwl_error *err) {
    rwl_table *t = NULL;
    rwl_table_options options = {.for_change = true};
    RWL_TRY(rwl_table_open(&c->w->op, c->table, &options, &t, err));
    if (c->wrap != NULL)
        t->place.store = t->store = c->wrap(c->ctx, t->store);
    rwl_status st = change_table(&c->w->op, t, change, err);
    rwl_table_free(t);
    return st;
}

rwl_status make_change(world *w, const char *table, char change,
                       rwl_store *(*wrap)(void *ctx, rwl_store *inner), void *ctx, rwl_error *err) {
    changing c = {w, table, wrap, ctx};
    if (change >= '1' && change <= '3')
        return create_table(&c, change == '2' ? 2 : 3, err);
    return change_opened(&c, change, err);
}

/* --- the test store around it --- */

typedef struct wrapping {
    const world *w;
    const rwl_test_store_options *options;
} wrapping;

static rwl_store *wrap_store(void *ctx, rwl_store *inner) {
    const wrapping *wr = ctx;
    rwl_store *store = NULL;
    MUST(rwl_test_store_new(&wr->w->env, inner, wr->options, &store, err));
    return store;
}

/* The store is freed with the table, so its counts are kept here. */
typedef struct counting {
    const rwl_test_store_options *options;
    rwl_test_store_stats *stats;
} counting;

static void count_call(void *ctx, rwl_test_call call, const char *location, bool fails) {
    counting *c = ctx;
    if (c->options->before != NULL)
        c->options->before(c->options->before_ctx, call, location, fails);
    if (c->stats != NULL)
        c->stats->calls[call]++;
    if (c->stats != NULL && fails)
        c->stats->failures++;
}

rwl_status fixture_change(fixture *f, const rwl_test_store_options *options, rwl_test_store_stats *stats,
                          rwl_error *err) {
    wrapping wr = {.w = &f->w};
    counting counted = {options, stats};
    rwl_test_store_options told = *options;
    told.before = count_call;
    told.before_ctx = &counted;
    wr.options = &told;
    if (stats != NULL)
        memset(stats, 0, sizeof *stats);
    return make_change(&f->w, f->table, f->s->change, wrap_store, &wr, err);
}

/* --- states --- */

typedef struct text_row {
    int64_t key;
    const char *text;
} text_row;

static int compare_keys(const void *a, const void *b) {
    int64_t x = ((const text_row *)a)->key, y = ((const text_row *)b)->key;
    return (x > y) - (x < y);
}

static const char *cell_text(fixture *f, const rwl_column *c, int64_t row) {
    rwl_value v = rwl_column_value(c, row);
    rwl_buf text;
    if (v.is_null)
        return "null";
    rwl_buf_init(&text, &f->w.env, SIZE_MAX);
    MUST(rwl_value_format(&c->type, &v, &text, err));
    const char *out = rwl_arena_strndup(&f->arena, (const char *)text.data, text.len);
    ck_assert_ptr_nonnull(out);
    rwl_buf_clear(&text);
    return out;
}

static const char *rows_text(fixture *f, const rwl_table *t) {
    rwl_scan_options options = {.rows = {.lineage = true}, .limit = -1};
    rwl_scan *scan = NULL;
    rwl_batch batch;
    int32_t count;
    RWL_VEC(text_row) rows = {NULL, 0, 0};
    MUST(rwl_scan_open(t, &f->w.op, &options, &scan, err));
    const rwl_field *fields = rwl_scan_fields(scan, &count);
    MUST(rwl_batch_init(&batch, &f->w.env, fields, count, err));
    for (;;) {
        MUST(rwl_scan_next(scan, &batch, err));
        for (int64_t i = 0; i < batch.length; i++) {
            text_row row = {rwl_column_i64(&batch.columns[0])[i], ""};
            for (int32_t c = 0; c < count; c++)
                row.text = rwl_arena_printf(&f->arena, "%s%s%s", row.text, c > 0 ? "," : " ",
                                            cell_text(f, &batch.columns[c], i));
            MUST(rwl_vec_push(&rows, &f->w.env, row, err));
        }
        if (batch.length == 0)
            break;
    }
    rwl_batch_clear(&batch);
    rwl_scan_close(scan);
    if (rows.len > 0)
        qsort(rows.items, rows.len, sizeof *rows.items, compare_keys);
    const char *text = "";
    for (size_t i = 0; i < rows.len; i++)
        text = rwl_arena_printf(&f->arena, "%s%s", text, rows.items[i].text);
    rwl_vec_clear(&rows, &f->w.env);
    return text;
}

const char *table_text(fixture *f) {
    rwl_table *t = NULL;
    rwl_error error = {0};
    rwl_table_options options = {0};
    rwl_status st = rwl_table_open(&f->w.op, f->table, &options, &t, &error);
    if (st == RWL_NOT_FOUND)
        return "none";
    ck_assert_msg(st == RWL_OK, "the table can't be opened: %s", error.message);
    const rwl_metadata *m = t->metadata;
    const char *text = rwl_arena_printf(
        &f->arena, "v%d, sequence %" PRId64 ", next-row-id %" PRId64 ", %d snapshots, head %s:%s",
        m->format_version, m->last_sequence_number, m->next_row_id, m->snapshot_count,
        t->snapshot != NULL ? t->snapshot->operation : "none", rows_text(f, t));
    ck_assert_ptr_nonnull(text);
    rwl_table_free(t);
    return text;
}

/* --- files --- */

static const char *list_files(fixture *f) {
    rwl_buf text;
    rwl_buf_init(&text, &f->w.env, SIZE_MAX);
    ck_assert(world_list_files(f->table, &text));
    const char *out = rwl_arena_strndup(&f->arena, (const char *)text.data, text.len);
    rwl_buf_clear(&text);
    ck_assert_ptr_nonnull(out);
    return out;
}

/* Lines of the listing that are no line of `known`. */
static const char *without_lines(fixture *f, const char *listing, const char *known) {
    const char *out = "";
    for (const char *line = listing; *line != '\0';) {
        const char *end = strchr(line, '\n');
        const char *wanted = rwl_arena_printf(&f->arena, "\n%.*s", (int)(end + 1 - line), line);
        const char *all = rwl_arena_printf(&f->arena, "\n%s", known);
        ck_assert(wanted != NULL && all != NULL);
        if (strstr(all, wanted) == NULL)
            out = rwl_arena_printf(&f->arena, "%s%s", out, wanted + 1);
        line = end + 1;
    }
    return out;
}

static void add_needed(fixture *f, const char **known, const char *path) {
    size_t len = strlen(f->table);
    ck_assert_msg(strncmp(path, f->table, len) == 0 && path[len] == '/', "%s lies outside the table", path);
    *known = rwl_arena_printf(&f->arena, "%s%s\n", *known, path + len + 1);
    ck_assert_ptr_nonnull(*known);
}

static void add_manifest_files(fixture *f, const rwl_table *t, const rwl_manifest *m, const char **known) {
    rwl_manifest_reader *reader = NULL;
    MUST(rwl_manifest_reader_open(t->store, &f->w.op, t->metadata, m, &reader, err));
    for (;;) {
        const rwl_manifest_entry *entry;
        MUST(rwl_manifest_reader_next(reader, &entry, err));
        if (entry == NULL)
            break;
        add_needed(f, known, entry->file.file_path);
    }
    rwl_manifest_reader_close(reader);
}

static void add_snapshot_files(fixture *f, const rwl_table *t, const rwl_snapshot *s, const char **known) {
    rwl_manifest_list list;
    memset(&list, 0, sizeof list);
    add_needed(f, known, s->manifest_list);
    MUST(rwl_manifest_list_read(t->store, &f->w.op, s, &list, err));
    for (int32_t i = 0; i < list.count; i++) {
        add_needed(f, known, list.items[i].path);
        add_manifest_files(f, t, &list.items[i], known);
    }
    rwl_manifest_list_clear(&list);
}

const char *stray_files(fixture *f) {
    rwl_table *t = NULL;
    rwl_table_options options = {0};
    const char *known = f->files;
    rwl_status st = rwl_table_open(&f->w.op, f->table, &options, &t, NULL);
    if (st == RWL_OK) {
        for (int64_t v = 1; v <= t->version; v++)
            known = rwl_arena_printf(&f->arena, "%smetadata/v%" PRId64 ".metadata.json\n", known, v);
        known = rwl_arena_printf(&f->arena, "%smetadata/version-hint.text\n", known);
        for (int32_t i = 0; i < t->metadata->snapshot_count; i++)
            add_snapshot_files(f, t, &t->metadata->snapshots[i], &known);
    }
    rwl_table_free(t);
    return without_lines(f, list_files(f), known);
}

/* --- fixtures --- */

int64_t fault_stride(void) {
    const char *text = getenv("ROWLINE_FAULT_STRIDE");
    int64_t stride = text != NULL ? strtoll(text, NULL, 10) : 1;
    return stride > 0 ? stride : 1;
}

void fixture_reset(fixture *f) {
    world_remove_tree(f->table);
    if (f->s->prepared[0] != '\0')
        ck_assert(world_copy_tree(f->prepared, f->table));
    world_new_op(&f->w);
}

void fixture_open(fixture *f, const scenario *s) {
    memset(f, 0, sizeof *f);
    f->s = s;
    ck_assert_msg(world_open(&f->w, 7), "no folder for the test");
    rwl_arena_init(&f->arena, &f->w.env, 0);
    snprintf(f->table, sizeof f->table, "%s/t", f->w.folder);
    snprintf(f->prepared, sizeof f->prepared, "%s/prepared", f->w.folder);
    for (const char *p = s->prepared; *p != '\0'; p++)
        MUST(make_change(&f->w, f->table, *p, NULL, NULL, err));
    f->before = table_text(f);
    f->files = list_files(f);
    if (s->prepared[0] != '\0')
        ck_assert(world_copy_tree(f->table, f->prepared));
    if (s->numbers_first) {
        MUST(make_change(&f->w, f->table, 'u', NULL, NULL, err));
        f->numbered = table_text(f);
        fixture_reset(f);
    }
    MUST(make_change(&f->w, f->table, s->change, NULL, NULL, err));
    f->after = table_text(f);
    ck_assert_str_ne(f->before, f->after);
    ck_assert_str_eq(stray_files(f), "");
    fixture_reset(f);
}

void fixture_close(fixture *f) {
    rwl_arena_clear(&f->arena);
    world_close(&f->w, false);
    ck_assert_int_eq(atomic_load(&f->w.live_blocks), 0);
}

/* --- checks --- */

static bool is_numbered(const fixture *f, const char *text) {
    return f->numbered != NULL && strcmp(text, f->numbered) == 0;
}

static void check_again(fixture *f, const char *what) {
    rwl_error error = {0};
    world_new_op(&f->w);
    rwl_status st = make_change(&f->w, f->table, f->s->change, NULL, NULL, &error);
    if (f->s->change == '1' && st == RWL_EXISTS)
        st = RWL_OK;
    ck_assert_msg(st == RWL_OK, "%s, %s: made again: %s", f->s->name, what, error.message);
}

static void check_reruns(fixture *f, const char *text, const char *what) {
    bool was_before = strcmp(text, f->before) == 0 || is_numbered(f, text);
    check_again(f, what);
    const char *now = table_text(f);
    if (was_before)
        ck_assert_msg(strcmp(now, f->after) == 0, "%s, %s: made again:\n%s\nnot\n%s", f->s->name, what, now,
                      f->after);
}

void fixture_check(fixture *f, rwl_status st, bool may_leave, const char *what, const char *message) {
    world_new_op(&f->w);
    const char *text = table_text(f);
    bool before = strcmp(text, f->before) == 0 || is_numbered(f, text), after = strcmp(text, f->after) == 0;
    ck_assert_msg(before || after, "%s, %s (%s): neither before nor after:\n%s", f->s->name, what, message,
                  text);
    bool allowed = st == RWL_OK ? after : st == RWL_COMMIT_UNKNOWN || before;
    ck_assert_msg(allowed, "%s, %s: status %d (%s), and the table is %s", f->s->name, what, (int)st, message,
                  after ? "after" : "before");
    if (!may_leave && st != RWL_COMMIT_UNKNOWN) {
        const char *stray = stray_files(f);
        ck_assert_msg(*stray == '\0', "%s, %s (status %d, %s): left behind:\n%s", f->s->name, what, (int)st,
                      message, stray);
    }
    check_reruns(f, text, what);
}

void fixture_check_killed(fixture *f, const char *what) {
    world_new_op(&f->w);
    const char *text = table_text(f);
    bool known = strcmp(text, f->before) == 0 || is_numbered(f, text) || strcmp(text, f->after) == 0;
    ck_assert_msg(known, "%s, %s: neither before nor after:\n%s", f->s->name, what, text);
    check_reruns(f, text, what);
}
