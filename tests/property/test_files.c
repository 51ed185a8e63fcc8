/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random Parquet files: random nested schemas, values and options written, read back in every way there is, and random
 * ranges of their rows stitched; every row must come back as it was put in.
 *
 *   ROWLINE_SEED    the run's seed; a failing file prints the seed that runs it alone
 *   ROWLINE_FILES   how many, 200 unless told otherwise
 */
#include "values.h"
#include "world.h"

#include "column/bits.h"
#include "parquet/reader.h"
#include "parquet/stitch.h"
#include "parquet/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELDS_MAX = 7, DEPTH_MAX = 4, INPUTS_MAX = 3, RANGES_MAX = 40 };

#define MUST(t, call)                                                                                        \
    do {                                                                                                     \
        rwl_error err_ = {0};                                                                                \
        rwl_error *err = &err_;                                                                              \
        rwl_status st_ = (call);                                                                             \
        EXPECT(st_ == RWL_OK, "%s: status %d, %s", #call, (int)st_, err_.message);                           \
        (void)(t);                                                                                           \
    } while (0)

typedef struct test {
    world w;
    rwl_pool *pool;
    rwl_store *store;
    rwl_arena arena;
    uint64_t seed, random;
    rwl_field fields[FIELDS_MAX];
    int32_t field_count, next_id;
    char what[400]; /* for a failure */
} test;

/* One file and the rows that went into it, as one batch. */
typedef struct written_file {
    char path[160];
    rwl_batch rows;
    rwl_parquet_file *file;
} written_file;

static void print_test(void *ctx) {
    const test *t = ctx;
    fprintf(stderr, "%s\nthis file alone: ROWLINE_SEED=%" PRIu64 " ROWLINE_FILES=1\n", t->what, t->seed);
}

static int64_t below(test *t, int64_t n) {
    return draw_below(&t->random, n);
}
static bool chance(test *t, int percent) {
    return draw_chance(&t->random, percent);
}

/* --- schemas --- */

static void make_field(test *t, rwl_field *field, int depth);

static void make_children(test *t, rwl_type *type, int32_t count, int depth) {
    rwl_field *children = rwl_arena_array(&t->arena, (size_t)count, sizeof *children);
    EXPECT(children != NULL, "no memory");
    for (int32_t i = 0; i < count; i++)
        make_field(t, &children[i], depth + 1);
    if (type->kind == RWL_TYPE_LIST)
        children[0].name = "element";
    if (type->kind == RWL_TYPE_MAP) {
        children[0].name = "key";
        children[0].required = true;
        children[1].name = "value";
    }
    type->children = children;
    type->child_count = count;
}

static rwl_type make_flat_type(test *t) {
    static const rwl_type_kind kinds[] = {
        RWL_TYPE_BOOLEAN,        RWL_TYPE_INT,       RWL_TYPE_LONG,        RWL_TYPE_FLOAT,
        RWL_TYPE_DOUBLE,         RWL_TYPE_DECIMAL,   RWL_TYPE_DATE,        RWL_TYPE_TIME,
        RWL_TYPE_STRING,         RWL_TYPE_TIMESTAMP, RWL_TYPE_TIMESTAMPTZ, RWL_TYPE_TIMESTAMP_NS,
        RWL_TYPE_TIMESTAMPTZ_NS, RWL_TYPE_UUID,      RWL_TYPE_FIXED,       RWL_TYPE_BINARY,
        RWL_TYPE_VARIANT,        RWL_TYPE_LONG,      RWL_TYPE_STRING,
    };
    rwl_type type = rwl_type_of(kinds[below(t, sizeof kinds / sizeof kinds[0])]);
    if (type.kind == RWL_TYPE_DECIMAL) {
        type.precision = 1 + (int32_t)below(t, 38);
        type.scale = (int32_t)below(t, type.precision + 1);
    }
    if (type.kind == RWL_TYPE_FIXED)
        type.length = 1 + (int32_t)below(t, 20);
    return type;
}

static void make_field(test *t, rwl_field *field, int depth) {
    *field = (rwl_field){.id = t->next_id++, .required = chance(t, 30)};
    field->name = rwl_arena_printf(&t->arena, "c%d", field->id);
    int nested = depth < DEPTH_MAX && chance(t, depth == 0 ? 50 : 40) ? 1 + (int)below(t, 3) : 0;
    if (nested == 0) {
        field->type = make_flat_type(t);
        return;
    }
    field->type = rwl_type_of(nested == 1 ? RWL_TYPE_STRUCT : nested == 2 ? RWL_TYPE_LIST : RWL_TYPE_MAP);
    make_children(t, &field->type, nested == 1 ? 1 + (int32_t)below(t, 3) : nested, depth);
    if (nested == 2) { /* one child */
        field->type.child_count = 1;
    } else if (nested == 3) {
        field->type.child_count = 2;
    }
}

/* --- values --- */

static rwl_span random_bytes(test *t, size_t len, bool text) {
    uint8_t *data = rwl_arena_alloc(&t->arena, len + 1);
    EXPECT(data != NULL, "no memory");
    for (size_t i = 0; i < len; i++)
        data[i] = text ? (uint8_t)('a' + below(t, 4)) : (uint8_t)below(t, 256);
    return rwl_span_of(data, len);
}

static rwl_i128 random_decimal(test *t, int32_t precision) {
    rwl_i128 v = 0;
    int32_t digits = 1 + (int32_t)below(t, precision);
    for (int32_t i = 0; i < digits; i++)
        v = v * 10 + below(t, 10);
    return chance(t, 50) ? -v : v;
}

/* A variant without names: metadata 01 00 00, an int8 (primitive type 3). */
static rwl_span random_variant(test *t) {
    uint8_t *v = rwl_arena_alloc(&t->arena, 5);
    EXPECT(v != NULL, "no memory");
    memcpy(v, (const uint8_t[]){1, 0, 0, 3 << 2, (uint8_t)below(t, 256)}, 5);
    return rwl_span_of(v, 5);
}

static rwl_value random_value(test *t, const rwl_type *type) {
    static const double odd[] = {0.0, -0.0, 1.5, -1e300, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0};
    rwl_value v = {.kind = type->kind};
    int64_t micros = below(t, INT64_C(4000000000000000)) - INT64_C(2000000000000000);
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        v.as.b = chance(t, 50);
        break;
    case RWL_TYPE_INT:
        v.as.i32 = (int32_t)(uint32_t)draw_u64(&t->random);
        break;
    case RWL_TYPE_DATE:
        v.as.i32 = (int32_t)below(t, 100000) - 50000;
        break;
    case RWL_TYPE_TIME:
        v.as.i64 = below(t, INT64_C(86400000000));
        break;
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        v.as.i64 = micros;
        break;
    case RWL_TYPE_FLOAT:
        v.as.f32 = chance(t, 30) ? (float)odd[below(t, 7)] : (float)below(t, 1000) / 8.0f;
        break;
    case RWL_TYPE_DOUBLE:
        v.as.f64 = chance(t, 30) ? odd[below(t, 7)] : (double)below(t, 1000000) / 7.0;
        break;
    case RWL_TYPE_DECIMAL:
        v.as.i128 = random_decimal(t, type->precision);
        break;
    case RWL_TYPE_STRING:
        v.as.bytes = random_bytes(t, (size_t)below(t, chance(t, 5) ? 300 : 12), true);
        break;
    case RWL_TYPE_BINARY:
        v.as.bytes = random_bytes(t, (size_t)below(t, 12), false);
        break;
    case RWL_TYPE_UUID:
        v.as.bytes = random_bytes(t, 16, false);
        break;
    case RWL_TYPE_FIXED:
        v.as.bytes = random_bytes(t, (size_t)type->length, false);
        break;
    case RWL_TYPE_VARIANT:
        v.as.bytes = random_variant(t);
        break;
    default: /* LONG */
        v.as.i64 = chance(t, 50) ? (int64_t)draw_u64(&t->random) : below(t, 1000);
    }
    return v;
}

static void append_flat(test *t, rwl_column *c, bool required, int64_t rows) {
    rwl_value pool[16];
    int64_t distinct = 1 + below(t, 16);
    bool few = chance(t, 60);
    int nulls = required ? 0 : chance(t, 10) ? 100 : chance(t, 50) ? 20 : 0;
    for (int64_t i = 0; i < distinct; i++)
        pool[i] = random_value(t, &c->type);
    for (int64_t i = 0; i < rows;) {
        int64_t run = chance(t, 20) ? 1 + below(t, 50) : 1;
        run = run < rows - i ? run : rows - i;
        rwl_value v = chance(t, nulls) ? rwl_value_null(c->type.kind)
                      : few            ? pool[below(t, distinct)]
                                       : random_value(t, &c->type);
        MUST(t, rwl_column_append(c, &t->w.env, &v, run, err));
        i += run;
    }
}

/* Makes some of the rows just counted null. */
static void append_validity(test *t, rwl_column *c, bool required, int64_t rows) {
    int nulls = required ? 0 : chance(t, 50) ? 25 : 0;
    MUST(t, rwl_column_need_validity(c, &t->w.env, rows, err));
    rwl_bits_fill(c->validity.data, 0, rows, true);
    for (int64_t i = 0; i < rows; i++)
        if (chance(t, nulls)) {
            rwl_bit_clear(c->validity.data, i);
            c->null_count++;
        }
    c->length = rows;
}

/* Fills an empty column. */
static void fill_column(test *t, rwl_column *c, bool required, int64_t rows) {
    if (!rwl_type_is_nested(&c->type)) {
        append_flat(t, c, required, rows);
        return;
    }
    MUST(t, rwl_column_reserve(c, &t->w.env, rows, 0, err));
    append_validity(t, c, required, rows);
    int64_t slots = rows;
    if (c->type.kind != RWL_TYPE_STRUCT) {
        int32_t *offsets = (int32_t *)(void *)c->offsets.data;
        int64_t most = chance(t, 20) ? 1 : 1 + below(t, 6);
        offsets[0] = 0;
        for (int64_t i = 0; i < rows; i++)
            offsets[i + 1] = offsets[i] + (rwl_column_is_null(c, i) ? 0 : (int32_t)below(t, most + 1));
        slots = offsets[rows];
    }
    for (int32_t i = 0; i < c->type.child_count; i++)
        fill_column(t, &c->children[i], c->type.children[i].required, slots);
}

static void fill_batch(test *t, rwl_batch *batch, int64_t rows) {
    MUST(t, rwl_batch_init(batch, &t->w.env, t->fields, t->field_count, err));
    for (int32_t i = 0; i < t->field_count; i++)
        fill_column(t, &batch->columns[i], t->fields[i].required, rows);
    batch->length = rows;
}

/* --- writing --- */

static rwl_parquet_write_options random_options(test *t) {
    static const rwl_codec_id codecs[] = {RWL_CODEC_NONE, RWL_CODEC_SNAPPY,  RWL_CODEC_GZIP,
                                          RWL_CODEC_ZSTD, RWL_CODEC_LZ4_RAW, RWL_CODEC_BROTLI};
    rwl_parquet_write_options o = {
        .codec = codecs[below(t, 6)],
        .page_rows = chance(t, 50) ? 1 + below(t, 200) : 0,
        .page_bytes = chance(t, 30) ? 100 + below(t, 2000) : 0,
        .row_group_bytes = chance(t, 40) ? 1 + below(t, 20000) : 0,
        .row_group_rows = chance(t, 30) ? 1 + below(t, 800) : 0,
        .dictionary_bytes = chance(t, 30)   ? -1
                            : chance(t, 30) ? 1 + below(t, 500)
                                            : 0,
        .prefer = (rwl_parquet_preference)below(t, 3),
        .page_v2 = chance(t, 40),
        .without_crc = chance(t, 20),
        .without_index = chance(t, 20),
        .pool = chance(t, 50) ? t->pool : NULL,
    };
    return o;
}

static void write_file(test *t, written_file *f, int number) {
    rwl_parquet_write_options options = random_options(t);
    rwl_parquet_writer *writer = NULL;
    rwl_parquet_written written;
    int64_t rows = chance(t, 10) ? below(t, 3) : 1 + below(t, 2500);
    snprintf(f->path, sizeof f->path, "%s/f%d.parquet", t->w.folder, number);
    fill_batch(t, &f->rows, rows);
    MUST(t, rwl_parquet_writer_open(t->store, &t->w.op, f->path, t->fields, t->field_count, &options, &writer,
                                    err));
    for (int64_t at = 0; at < rows;) {
        rwl_range range = {at, 1 + below(t, 900)};
        range.count = range.count < rows - at ? range.count : rows - at;
        rwl_batch part;
        MUST(t, rwl_batch_init(&part, &t->w.env, t->fields, t->field_count, err));
        MUST(t, rwl_batch_take_ranges(&f->rows, &range, 1, &part, err));
        MUST(t, rwl_parquet_writer_write(writer, &part, err));
        rwl_batch_clear(&part);
        at += range.count;
    }
    MUST(t, rwl_parquet_writer_finish(writer, &written, err));
    EXPECT(written.row_count == rows, "%" PRId64 " rows written, not %" PRId64, written.row_count, rows);
    rwl_parquet_written_clear(&written);
    MUST(t, rwl_parquet_open(t->store, &t->w.op, f->path, -1, &f->file, err));
    EXPECT(f->file->row_count == rows, "%" PRId64 " rows in the footer, not %" PRId64, f->file->row_count,
           rows);
}

static void close_file(written_file *f) {
    rwl_parquet_close(f->file);
    rwl_batch_clear(&f->rows);
}

/* --- comparing --- */

static void same_value(test *t, const rwl_column *got, int64_t at, const rwl_column *want, int64_t row,
                       const char *name) {
    rwl_buf a, b;
    rwl_buf_init(&a, &t->w.env, SIZE_MAX);
    rwl_buf_init(&b, &t->w.env, SIZE_MAX);
    MUST(t, rwl_column_format_json(got, at, &a, err));
    MUST(t, rwl_column_format_json(want, row, &b, err));
    EXPECT(a.len == b.len && memcmp(a.data, b.data, a.len) == 0,
           "%s, row %" PRId64 " of the source: %.*s\nexpected %.*s", name, row, (int)a.len,
           (const char *)a.data, (int)b.len, (const char *)b.data);
    rwl_buf_clear(&a);
    rwl_buf_clear(&b);
}

/* Rows of `got` from `at` on are rows [first, first + count) of `want`; columns[i] of want is column i of got. */
static void same_rows(test *t, const rwl_batch *got, int64_t at, const rwl_batch *want, int64_t first,
                      int64_t count, const int32_t *columns) {
    for (int32_t i = 0; i < got->column_count; i++) {
        int32_t from = columns != NULL ? columns[i] : i;
        MUST(t, rwl_column_check_values(&got->columns[i], err));
        EXPECT(got->columns[i].length == got->length, "%s: %" PRId64 " of %" PRId64 " rows",
               t->fields[from].name, got->columns[i].length, got->length);
        for (int64_t r = 0; r < count; r++)
            same_value(t, &got->columns[i], at + r, &want->columns[from], first + r, t->fields[from].name);
    }
}

/* Ascending, disjoint ranges of `rows` rows; returns their number, which may be none. */
static size_t random_ranges(test *t, int64_t rows, rwl_range *ranges) {
    size_t count = 0;
    for (int64_t at = below(t, 30); at < rows && count < RANGES_MAX;) {
        int64_t n = chance(t, 30) ? 1 : 1 + below(t, chance(t, 30) ? 1500 : 60);
        n = n < rows - at ? n : rows - at;
        ranges[count++] = (rwl_range){at, n};
        at += n + 1 + below(t, chance(t, 30) ? 900 : 20);
    }
    return count;
}

/* --- reading --- */

/* Some of the columns, in any order. */
static int32_t random_columns(test *t, int32_t *columns) {
    int32_t count = 0;
    for (int32_t i = 0; i < t->field_count; i++)
        if (chance(t, 60))
            columns[count++] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t j = (int32_t)below(t, i + 1), swap = columns[i];
        columns[i] = columns[j];
        columns[j] = swap;
    }
    return count;
}

static void open_reader(test *t, const written_file *f, const rwl_parquet_read_options *options,
                        rwl_parquet_reader **reader, rwl_batch *batch) {
    int32_t count;
    MUST(t, rwl_parquet_reader_new(t->store, &t->w.op, f->file, options, reader, err));
    const rwl_field *fields = rwl_parquet_reader_fields(*reader, &count);
    EXPECT(count == options->node_count, "%d fields of %d", count, options->node_count);
    MUST(t, rwl_batch_init(batch, &t->w.env, fields, count, err));
}

static void check_next(test *t, const written_file *f) {
    int32_t columns[FIELDS_MAX];
    rwl_range ranges[RANGES_MAX];
    rwl_parquet_read_options o = {
        .nodes = columns, .node_count = random_columns(t, columns), .row_count = -1};
    size_t range_count = chance(t, 50) ? random_ranges(t, f->rows.length, ranges) : 0;
    o.batch_rows = chance(t, 50) ? 1 + below(t, 700) : 0;
    o.batch_bytes = chance(t, 30) ? 1 + (size_t)below(t, 3000) : 0;
    o.pool = chance(t, 50) ? t->pool : NULL;
    if (range_count > 0) {
        o.ranges = ranges;
        o.range_count = range_count;
    } else {
        o.first_row = below(t, f->rows.length + 1);
        o.row_count = chance(t, 50) ? -1 : below(t, f->rows.length + 10);
        ranges[0] = (rwl_range){o.first_row, f->rows.length - o.first_row};
        if (o.row_count >= 0 && o.row_count < ranges[0].count)
            ranges[0].count = o.row_count;
        range_count = ranges[0].count > 0;
    }
    rwl_parquet_reader *reader;
    rwl_batch batch;
    open_reader(t, f, &o, &reader, &batch);
    int64_t want = range_count > 0 ? ranges[0].start : 0;
    for (size_t at = 0;;) {
        int64_t pos;
        MUST(t, rwl_parquet_reader_next(reader, &batch, &pos, err));
        if (batch.length == 0) {
            EXPECT(at == range_count, "the reader ends in range %zu of %zu", at, range_count);
            break;
        }
        EXPECT(at < range_count && pos == want && pos + batch.length <= ranges[at].start + ranges[at].count,
               "rows %" PRId64 " + %" PRId64 " where %" PRId64 " is due", pos, batch.length, want);
        same_rows(t, &batch, 0, &f->rows, pos, batch.length, columns);
        want += batch.length;
        if (want == ranges[at].start + ranges[at].count && ++at < range_count)
            want = ranges[at].start;
    }
    rwl_batch_clear(&batch);
    rwl_parquet_reader_free(reader);
}

/* The ranges cut at the borders of row groups; returns how many pieces. */
static size_t cut_at_groups(const rwl_parquet_file *file, const rwl_range *ranges, size_t count,
                            rwl_range *out, size_t room) {
    size_t made = 0;
    for (size_t i = 0; i < count; i++)
        for (int32_t g = 0; g < file->group_count && made < room; g++) {
            int64_t first = file->groups[g].first_row, end = first + file->groups[g].row_count;
            int64_t from = ranges[i].start > first ? ranges[i].start : first;
            int64_t to = ranges[i].start + ranges[i].count < end ? ranges[i].start + ranges[i].count : end;
            if (from < to)
                out[made++] = (rwl_range){from, to - from};
        }
    return made;
}

static int32_t group_of(const rwl_parquet_file *file, int64_t row) {
    int32_t g = 0;
    while (row >= file->groups[g].first_row + file->groups[g].row_count)
        g++;
    return g;
}

/* Takes pieces[0 .. count), all of one row group, until all are taken. */
static void take_pieces(test *t, const written_file *f, rwl_parquet_reader *reader, rwl_batch *batch,
                        rwl_range *pieces, size_t count, const int32_t *columns) {
    while (count > 0) {
        MUST(t, rwl_parquet_reader_take(reader, pieces, count, batch, err));
        EXPECT(batch->length > 0, "take gives nothing");
        for (int64_t at = 0; at < batch->length;) {
            EXPECT(count > 0, "take gives %" PRId64 " rows, too many", batch->length);
            int64_t n = pieces->count < batch->length - at ? pieces->count : batch->length - at;
            same_rows(t, batch, at, &f->rows, pieces->start, n, columns);
            at += n;
            pieces->start += n;
            pieces->count -= n;
            if (pieces->count == 0) {
                pieces++;
                count--;
            }
        }
    }
}

static void check_take(test *t, const written_file *f) {
    enum { PIECES_MAX = 4000 };
    int32_t columns[FIELDS_MAX];
    rwl_range ranges[RANGES_MAX];
    rwl_range *pieces = rwl_arena_array(&t->arena, PIECES_MAX, sizeof *pieces);
    EXPECT(pieces != NULL, "no memory");
    rwl_parquet_read_options o = {
        .nodes = columns, .node_count = random_columns(t, columns), .row_count = -1};
    o.batch_bytes = chance(t, 30) ? 1 + (size_t)below(t, 3000) : 0;
    o.pool = chance(t, 50) ? t->pool : NULL;
    size_t count =
        cut_at_groups(f->file, ranges, random_ranges(t, f->rows.length, ranges), pieces, PIECES_MAX);
    rwl_parquet_reader *reader;
    rwl_batch batch;
    open_reader(t, f, &o, &reader, &batch);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && group_of(f->file, pieces[end].start) == group_of(f->file, pieces[i].start))
            end++;
        take_pieces(t, f, reader, &batch, pieces + i, end - i, columns);
        i = end;
    }
    rwl_batch_clear(&batch);
    rwl_parquet_reader_free(reader);
}

/* --- stitching --- */

/* Values of the made column: a number that tells part and row. */
static rwl_status make_numbers(void *ctx, const rwl_parquet_stitch_part *part, int32_t field, int64_t first,
                               int64_t count, rwl_column *out, rwl_error *err) {
    test *t = ctx;
    (void)field;
    for (int64_t i = 0; i < count; i++) {
        rwl_value v = {.kind = RWL_TYPE_LONG, .as.i64 = *(const int64_t *)part->ctx * 1000000 + first + i};
        RWL_TRY(rwl_column_append(out, &t->w.env, &v, 1, err));
    }
    return RWL_OK;
}

/* Reads the stitched file whole and compares it with the ranges of the parts; the last column may be made. */
static void check_stitched(test *t, const char *path, const written_file *files,
                           const rwl_parquet_stitch_part *parts, size_t part_count, const int64_t *numbers,
                           bool made) {
    rwl_parquet_file *file;
    MUST(t, rwl_parquet_open(t->store, &t->w.op, path, -1, &file, err));
    int32_t nodes[FIELDS_MAX + 1];
    for (int32_t i = 0; i < file->node_count; i++)
        nodes[i] = i;
    rwl_parquet_read_options o = {.nodes = nodes, .node_count = file->node_count, .row_count = -1};
    rwl_parquet_reader *reader;
    rwl_batch all;
    MUST(t, rwl_parquet_reader_new(t->store, &t->w.op, file, &o, &reader, err));
    int32_t count;
    const rwl_field *fields = rwl_parquet_reader_fields(reader, &count);
    EXPECT(count == t->field_count + made, "%d columns stitched", count);
    MUST(t, rwl_batch_init(&all, &t->w.env, fields, count, err));
    rwl_batch batch;
    MUST(t, rwl_batch_init(&batch, &t->w.env, fields, count, err));
    for (;;) {
        int64_t pos;
        MUST(t, rwl_parquet_reader_next(reader, &batch, &pos, err));
        if (batch.length == 0)
            break;
        rwl_range whole = {0, batch.length};
        MUST(t, rwl_batch_take_ranges(&batch, &whole, 1, &all, err));
    }
    int64_t at = 0;
    rwl_batch shown = all;
    shown.column_count = t->field_count;
    for (size_t p = 0; p < part_count; p++)
        for (size_t r = 0; r < parts[p].range_count; r++) {
            rwl_range range = parts[p].ranges[r];
            EXPECT(at + range.count <= all.length, "%" PRId64 " rows stitched, more are due", all.length);
            same_rows(t, &shown, at, &files[numbers[p]].rows, range.start, range.count, NULL);
            for (int64_t i = 0; made && i < range.count; i++) {
                int64_t got = rwl_column_i64(&all.columns[count - 1])[at + i];
                EXPECT(got == numbers[p] * 1000000 + range.start + i, "made value %" PRId64, got);
            }
            at += range.count;
        }
    EXPECT(at == all.length, "%" PRId64 " rows stitched, %" PRId64 " are due", all.length, at);
    rwl_batch_clear(&batch);
    rwl_batch_clear(&all);
    rwl_parquet_reader_free(reader);
    rwl_parquet_close(file);
}

static void check_stitch(test *t, const written_file *files, int file_count) {
    rwl_parquet_stitch_part parts[6];
    rwl_range ranges[6][RANGES_MAX];
    int64_t numbers[6];
    size_t part_count = 1 + (size_t)below(t, 6);
    for (size_t i = 0; i < part_count; i++) {
        const written_file *f = &files[numbers[i] = below(t, file_count)];
        parts[i] = (rwl_parquet_stitch_part){.file = f->file, .ranges = ranges[i], .ctx = &numbers[i]};
        if (chance(t, 50)) {
            ranges[i][0] = (rwl_range){0, f->rows.length};
            parts[i].range_count = f->rows.length > 0;
        } else {
            parts[i].range_count = random_ranges(t, f->rows.length, ranges[i]);
        }
    }
    rwl_field fields[FIELDS_MAX + 1];
    memcpy(fields, t->fields, sizeof t->fields);
    int32_t made_field = t->field_count;
    bool made = chance(t, 50);
    if (made)
        fields[made_field] = (rwl_field){.name = "made", .id = 1 << 20, .type = rwl_type_of(RWL_TYPE_LONG)};
    for (int32_t i = 0; i < t->field_count; i++)
        fields[i].required &= chance(t, 80);
    rwl_parquet_stitch_options o = {.write = random_options(t),
                                    .made = &made_field,
                                    .made_count = made,
                                    .make = make_numbers,
                                    .make_ctx = t};
    char path[180];
    snprintf(path, sizeof path, "%s/stitched.parquet", t->w.folder);
    rwl_parquet_stitch *s;
    rwl_parquet_written written;
    rwl_parquet_stitch_stats stats;
    MUST(t, rwl_parquet_stitch_open(t->store, &t->w.op, path, fields, t->field_count + made, &o, &s, err));
    for (size_t i = 0; i < part_count; i++)
        MUST(t, rwl_parquet_stitch_add(s, &parts[i], err));
    MUST(t, rwl_parquet_stitch_finish(s, &written, &stats, err));
    rwl_parquet_written_clear(&written);
    check_stitched(t, path, files, parts, part_count, numbers, made);
    remove(path);
}

/* --- one file after the other --- */

static void run_one(test *t) {
    written_file files[INPUTS_MAX];
    t->random = t->seed;
    t->next_id = 1;
    EXPECT(world_open(&t->w, t->seed), "no folder for tests");
    rwl_arena_init(&t->arena, &t->w.env, 0);
    MUST(t, rwl_store_local_new(&t->w.env, NULL, 0, &t->store, err));
    MUST(t, rwl_pool_new(&t->w.env, 3, &t->pool, err));
    t->field_count = 1 + (int32_t)below(t, FIELDS_MAX);
    for (int32_t i = 0; i < t->field_count; i++)
        make_field(t, &t->fields[i], 0);
    int file_count = 1 + (int)below(t, INPUTS_MAX);
    for (int i = 0; i < file_count; i++) {
        write_file(t, &files[i], i);
        for (int k = 0; k < 3; k++) {
            check_next(t, &files[i]);
            check_take(t, &files[i]);
        }
    }
    for (int k = 0; k < 3; k++)
        check_stitch(t, files, file_count);
    for (int i = 0; i < file_count; i++)
        close_file(&files[i]);
    rwl_pool_free(t->pool);
    rwl_store_free(t->store);
    rwl_arena_clear(&t->arena);
    EXPECT(atomic_load(&t->w.op.memory_used) == 0, "%lld bytes of the budget not given back",
           (long long)atomic_load(&t->w.op.memory_used));
    world_close(&t->w, false);
}

int main(void) {
    static test t;
    uint64_t seed = number_from("ROWLINE_SEED", 20261130), count = number_from("ROWLINE_FILES", 200);
    set_failure_context(print_test, &t);
    for (uint64_t i = 0; i < count; i++) {
        memset(&t, 0, sizeof t);
        t.seed = seed + i;
        run_one(&t);
    }
    printf("%" PRIu64 " sets of files from seed %" PRIu64 "\n", count, seed);
    return 0;
}
