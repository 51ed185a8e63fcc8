/* SPDX-License-Identifier: Apache-2.0 */
/* The shadow of a table. */
#include "model.h"

#include "base/hash.h"
#include "iceberg/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        rwl_error err_ = {0};                                                                                \
        rwl_error *err = &err_;                                                                              \
        rwl_status st_ = (call);                                                                             \
        EXPECT(st_ == RWL_OK, "%s: status %d, %s", #call, (int)st_, err_.message);                           \
    } while (0)

void model_init(model *m, world *w) {
    memset(m, 0, sizeof *m);
    m->w = w;
    rwl_arena_init(&m->arena, &w->env, 0);
    rwl_map_init(&m->files_by_path, &w->env);
}

void model_clear(model *m) {
    for (size_t i = 0; i < m->snapshots.len; i++)
        rwl_free(&m->w->env, m->snapshots.items[i].rows);
    rwl_vec_clear(&m->snapshots, &m->w->env);
    rwl_vec_clear(&m->rows, &m->w->env);
    rwl_vec_clear(&m->files, &m->w->env);
    rwl_map_clear(&m->files_by_path);
    rwl_arena_clear(&m->arena);
}

static int64_t file_number(model *m, rwl_span path) {
    rwl_map_value *found;
    bool added;
    MUST(rwl_map_put(&m->files_by_path, path, &found, &added, err));
    if (!added)
        return found->i64;
    int64_t number = found->i64 = (int64_t)m->files.len;
    model_file file = {.path = rwl_arena_strndup(&m->arena, (const char *)path.data, path.len)};
    EXPECT(file.path != NULL, "out of memory");
    MUST(rwl_vec_push(&m->files, &m->w->env, file, err));
    return number;
}

/* --- reading a table state --- */

/* Calls `each` for every row of a scan: the columns, then _file, _pos, id, version. */
static void scan_rows(model *m, const rwl_table *table,
                      void (*each)(model *m, const rwl_batch *batch, int64_t i, void *ctx), void *ctx) {
    if (m->select == NULL) {
        for (int32_t i = 0; i < m->column_count; i++)
            m->select = rwl_arena_printf(&m->arena, "%s%s, ", i > 0 ? m->select : "",
                                         quote_name(&m->arena, m->columns[i].field.name));
        m->select = rwl_arena_printf(&m->arena, "%s_file, _pos", m->select);
    }
    rwl_scan_options options = {.rows = {.select = m->select, .lineage = true}, .limit = -1};
    rwl_scan *scan = NULL;
    MUST(rwl_scan_open(table, &m->w->op, &options, &scan, err));
    int32_t count;
    const rwl_field *fields = rwl_scan_fields(scan, &count);
    EXPECT(count == m->column_count + 4, "%d columns, not %d", count, m->column_count + 4);
    rwl_batch batch;
    MUST(rwl_batch_init(&batch, &m->w->env, fields, count, err));
    for (;;) {
        MUST(rwl_scan_next(scan, &batch, err));
        if (batch.length == 0)
            break;
        for (int64_t i = 0; i < batch.length; i++)
            each(m, &batch, i, ctx);
    }
    rwl_batch_clear(&batch);
    rwl_scan_close(scan);
}

static int64_t find_row(model *m, const rwl_batch *batch, int64_t i) {
    int64_t key = rwl_column_i64(&batch->columns[0])[i], n = key_index(key);
    EXPECT(n >= 0 && n < (int64_t)m->rows.len, "a row with key %" PRId64 " was never appended", key);
    return n;
}

static void check_values(model *m, int64_t n, const rwl_batch *batch, int64_t i) {
    for (int32_t c = 0; c < m->column_count; c++) {
        rwl_value got = rwl_column_value(&batch->columns[c], i);
        const rwl_value *want = &m->rows.items[n].values[c];
        const rwl_type *type = &m->columns[c].field.type;
        EXPECT(values_same(&got, want), "row %" PRId64 ", column %s: %s, not %s", n, m->columns[c].field.name,
               value_text(&m->arena, type, &got), value_text(&m->arena, type, want));
    }
}

/* --- the head --- */

/* What was read, to be compared once the shadow has its numbers. */
typedef struct reading {
    RWL_VEC(model_past_row) rows;
    const model_step *step;
} reading;

static model_past_row read_lineage(const model *m, const rwl_batch *batch, int64_t i, int64_t n) {
    const rwl_column *id = &batch->columns[m->column_count + 2],
                     *version = &batch->columns[m->column_count + 3];
    bool has_id = !rwl_column_is_null(id, i);
    EXPECT(has_id == !rwl_column_is_null(version, i), "row %" PRId64 ": only one of id and version is null",
           n);
    model_past_row row = {.row = n, .has_id = has_id};
    row.id = has_id ? rwl_column_i64(id)[i] : -1;
    row.version = has_id ? rwl_column_i64(version)[i] : -1;
    return row;
}

static void take_row(model *m, const rwl_batch *batch, int64_t i, void *ctx) {
    reading *r = ctx;
    int64_t n = find_row(m, batch, i);
    model_row *row = &m->rows.items[n];
    EXPECT(row->live, "row %" PRId64 " was deleted and is back", n);
    EXPECT(!row->seen, "row %" PRId64 " is there twice", n);
    row->seen = true;
    check_values(m, n, batch, i);
    int64_t file = file_number(m, rwl_column_bytes(&batch->columns[m->column_count], i));
    int64_t pos = rwl_column_i64(&batch->columns[m->column_count + 1])[i];
    bool moved = file != row->file;
    EXPECT(!moved || !m->files.items[file].known, "row %" PRId64 " moved into a file that was there before",
           n);
    EXPECT(moved || pos == row->pos, "row %" PRId64 " moved within its file", n);
    EXPECT(!moved || row->file < 0 || r->step->change == MODEL_REWRITE,
           "row %" PRId64 " moved without a rewrite", n);
    if (moved && row->file >= 0 && !row->has_id)
        row->version = r->step->planned_sequence; /* the data sequence number of the new file */
    row->file = file;
    row->pos = pos;
    if (moved)
        m->files.items[file].rows++;
    model_past_row seen = read_lineage(m, batch, i, n);
    MUST(rwl_vec_push(&r->rows, &m->w->env, seen, err));
}

/* Files are written full: positions 0 .. rows - 1, each once. */
static void check_positions(model *m) {
    for (size_t f = 0; f < m->files.len; f++)
        if (!m->files.items[f].known)
            EXPECT(m->files.items[f].rows > 0, "%s is new and empty", m->files.items[f].path);
    for (size_t i = 0; i < m->rows.len; i++) {
        const model_row *row = &m->rows.items[i];
        if (row->live)
            EXPECT(row->pos >= 0 && row->pos < m->files.items[row->file].rows,
                   "row %zu at position %" PRId64 " of %" PRId64, i, row->pos,
                   m->files.items[row->file].rows);
    }
}

/* The live files of one data manifest in entry order. */
typedef RWL_VEC(int64_t) number_vec;

static void list_manifest(model *m, const rwl_table *table, const rwl_manifest *manifest, number_vec *files) {
    rwl_manifest_reader *reader = NULL;
    MUST(rwl_manifest_reader_open(table->store, &m->w->op, table->metadata, manifest, &reader, err));
    for (;;) {
        const rwl_manifest_entry *entry;
        MUST(rwl_manifest_reader_next(reader, &entry, err));
        if (entry == NULL)
            break;
        if (entry->status == RWL_STATUS_DELETED)
            continue;
        int64_t number = file_number(m, rwl_span_str(entry->file.file_path));
        EXPECT(entry->file.record_count == m->files.items[number].rows,
               "%s: entry says %" PRId64 " rows, there are %" PRId64, entry->file.file_path,
               entry->file.record_count, m->files.items[number].rows);
        MUST(rwl_vec_push(files, &m->w->env, number, err));
    }
    rwl_manifest_reader_close(reader);
}

/* Numbers the files of a manifest that have no number, as model.h says. */
static void number_manifest(model *m, const number_vec *files, const model_step *step) {
    bool takes = false;
    int64_t rows = 0;
    for (size_t i = 0; i < files->len; i++) {
        takes = takes || !m->files.items[files->items[i]].numbered;
        rows += m->files.items[files->items[i]].rows;
    }
    if (!takes)
        return;
    bool pinned = step->change == MODEL_REWRITE && step->pinned;
    int64_t next = m->next_row_id;
    for (size_t i = 0; i < files->len; i++) {
        model_file *file = &m->files.items[files->items[i]];
        if (file->numbered)
            continue;
        file->numbered = true;
        file->base = next;
        next += file->rows;
    }
    if (!pinned)
        m->next_row_id += rows;
}

static void number_files(model *m, const rwl_table *table, const model_step *step) {
    rwl_manifest_list list;
    memset(&list, 0, sizeof list);
    MUST(rwl_manifest_list_read(table->store, &m->w->op, table->snapshot, &list, err));
    number_vec files = {NULL, 0, 0};
    for (int32_t i = 0; i < list.count; i++) {
        if (list.items[i].content != RWL_CONTENT_DATA)
            continue;
        files.len = 0;
        list_manifest(m, table, &list.items[i], &files);
        if (m->version >= 3 && step->change != MODEL_NOTHING)
            number_manifest(m, &files, step);
    }
    rwl_vec_clear(&files, &m->w->env);
    rwl_manifest_list_clear(&list);
}

/* A row without id in a file with a number takes it. */
static void number_rows(model *m) {
    for (size_t i = 0; i < m->rows.len; i++) {
        model_row *row = &m->rows.items[i];
        if (!row->live || row->has_id || !m->files.items[row->file].numbered)
            continue;
        row->has_id = true;
        row->id = m->files.items[row->file].base + row->pos;
    }
}

static void check_lineage(model *m, const reading *r) {
    for (size_t i = 0; i < r->rows.len; i++) {
        const model_past_row *got = &r->rows.items[i];
        const model_row *want = &m->rows.items[got->row];
        EXPECT(got->has_id == want->has_id, "row %" PRId64 " in %s %s an id", got->row,
               m->files.items[want->file].path, got->has_id ? "has" : "lacks");
        if (!want->has_id)
            continue;
        EXPECT(got->id == want->id, "row %" PRId64 " has id %" PRId64 ", not %" PRId64, got->row, got->id,
               want->id);
        EXPECT(got->version == want->version, "row %" PRId64 " has version %" PRId64 ", not %" PRId64,
               got->row, got->version, want->version);
        EXPECT(want->id < m->next_row_id, "row %" PRId64 " has id %" PRId64 ", next-row-id is %" PRId64,
               got->row, want->id, m->next_row_id);
    }
}

/* Law 1, from the shadow's own numbers: without it the test itself would be wrong. */
static int compare_ids(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void check_unique(model *m) {
    RWL_VEC(int64_t) ids = {NULL, 0, 0};
    for (size_t i = 0; i < m->rows.len; i++)
        if (m->rows.items[i].live && m->rows.items[i].has_id)
            MUST(rwl_vec_push(&ids, &m->w->env, m->rows.items[i].id, err));
    if (ids.len > 0)
        qsort(ids.items, ids.len, sizeof *ids.items, compare_ids);
    for (size_t i = 1; i < ids.len; i++)
        EXPECT(ids.items[i] != ids.items[i - 1], "id %" PRId64 " occurs twice", ids.items[i]);
    rwl_vec_clear(&ids, &m->w->env);
}

static void check_metadata(const model *m, const rwl_metadata *metadata) {
    EXPECT(metadata->format_version == m->version, "format version %d, not %d", metadata->format_version,
           m->version);
    EXPECT(metadata->last_sequence_number == m->sequence, "sequence number %" PRId64 ", not %" PRId64,
           metadata->last_sequence_number, m->sequence);
    EXPECT(metadata->next_row_id == m->next_row_id, "next-row-id %" PRId64 ", not %" PRId64,
           metadata->next_row_id, m->next_row_id);
}

void model_check(model *m, const rwl_table *table, const model_step *step) {
    reading r = {.step = step};
    for (size_t i = 0; i < m->rows.len; i++)
        m->rows.items[i].seen = false;
    if (table->snapshot != NULL) {
        scan_rows(m, table, take_row, &r);
        EXPECT((int64_t)r.rows.len == m->live, "%zu rows, not %" PRId64, r.rows.len, m->live);
        check_positions(m);
        number_files(m, table, step);
        number_rows(m);
    }
    check_lineage(m, &r);
    check_unique(m);
    check_metadata(m, table->metadata);
    for (size_t f = 0; f < m->files.len; f++)
        m->files.items[f].known = true;
    rwl_vec_clear(&r.rows, &m->w->env);
}

/* --- the past --- */

void model_remember(model *m, int64_t snapshot_id) {
    model_snapshot s = {.id = snapshot_id,
                        .rows = rwl_calloc(&m->w->env, (size_t)m->live + 1, sizeof *s.rows)};
    EXPECT(s.rows != NULL, "out of memory");
    for (size_t i = 0; i < m->rows.len; i++) {
        const model_row *row = &m->rows.items[i];
        if (row->live)
            s.rows[s.count++] = (model_past_row){(int64_t)i, row->has_id, row->id, row->version};
    }
    MUST(rwl_vec_push(&m->snapshots, &m->w->env, s, err));
}

static void take_past_row(model *m, const rwl_batch *batch, int64_t i, void *ctx) {
    reading *r = ctx;
    int64_t n = find_row(m, batch, i);
    check_values(m, n, batch, i);
    model_past_row row = read_lineage(m, batch, i, n);
    MUST(rwl_vec_push(&r->rows, &m->w->env, row, err));
}

static int compare_rows(const void *a, const void *b) {
    return compare_ids(&((const model_past_row *)a)->row, &((const model_past_row *)b)->row);
}

void model_check_past(model *m, const char *name, const model_snapshot *s) {
    char id[32];
    snprintf(id, sizeof id, "%" PRId64, s->id);
    rwl_table_options options = {.snapshot = id};
    rwl_table *table = NULL;
    MUST(rwl_table_open(&m->w->op, name, &options, &table, err));
    reading r = {0};
    scan_rows(m, table, take_past_row, &r);
    EXPECT(r.rows.len == s->count, "snapshot %s has %zu rows, not %zu", id, r.rows.len, s->count);
    if (s->count > 0)
        qsort(r.rows.items, r.rows.len, sizeof *r.rows.items, compare_rows);
    for (size_t i = 0; i < s->count; i++) {
        const model_past_row *got = &r.rows.items[i], *want = &s->rows[i];
        EXPECT(got->row == want->row, "snapshot %s has row %" PRId64 ", not %" PRId64, id, got->row,
               want->row);
        EXPECT(got->has_id == want->has_id &&
                   (!want->has_id || (got->id == want->id && got->version == want->version)),
               "snapshot %s: row %" PRId64 " reads id %" PRId64 " version %" PRId64 ", was %" PRId64
               " and %" PRId64,
               id, got->row, got->id, got->version, want->has_id ? want->id : -1,
               want->has_id ? want->version : -1);
    }
    rwl_vec_clear(&r.rows, &m->w->env);
    rwl_table_free(table);
}

/* XXH64 of 8 bytes by the general function: not the arithmetic that the digest inlines. */
static uint64_t hash_number(int64_t value, uint64_t seed) {
    uint8_t bytes[8];
    rwl_store_le64(bytes, (uint64_t)value);
    return rwl_hash_xxh64(rwl_span_of(bytes, sizeof bytes), seed);
}

rwl_digest model_digest(const model *m) {
    rwl_digest d;
    memset(&d, 0, sizeof d);
    for (size_t i = 0; i < m->rows.len; i++) {
        const model_row *row = &m->rows.items[i];
        if (!row->live)
            continue;
        d.rows++;
        if (!row->has_id) {
            d.rows_without_lineage++;
            continue;
        }
        d.row_id_sum += row->id;
        d.last_updated_sum += row->version;
        d.product_sum += (rwl_i128)row->id * row->version;
        d.lineage_checksum += hash_number(row->version, hash_number(row->id, 42));
    }
    return d;
}
