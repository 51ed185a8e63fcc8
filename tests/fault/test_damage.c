/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged Parquet files: cut at any byte, or with any one bit flipped. Whatever looks at them ends by itself with rows or an
 * error, gives all its memory back, and holds no more of it than the budget and a multiple of the file.
 *
 *   ROWLINE_SEED    of the places where files are damaged
 *   ROWLINE_FLIPS   bits and lengths tried a file; 0: all
 */
#include "fault.h"

#include "column/bits.h"
#include "counted.h"
#include "engine/inspect.h"
#include "engine/inspect_pages.h"
#include "expr/expr.h"
#include "memory_store.h"
#include "parquet/prune.h"
#include "parquet/reader.h"
#include "parquet/stitch.h"
#include "parquet/writer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    FIELDS = 9,
    ROWS = 60,
    BODIES_MAX = 400,
    FIXTURE_MAX = 64 << 10,
    BUDGET = 16 << 20,
    MULTIPLE = 64,    /* of the file's bytes: footers are held as structs, indexes as values */
    SLACK = 1 << 20,  /* buffers of a reader, codecs' own state */
    SECONDS_MAX = 10, /* of CPU, for one file: sanitizers are slow */
    EACH_RARE = 16,   /* one damage in so many goes through the stitcher and inspect, too */
};

static rwl_env env;

/* --- files --- */

typedef struct sample {
    const char *name;
    uint8_t *bytes;
    size_t len;
    bool has_crc; /* of every page */
    struct {
        int64_t off, end;
    } bodies[BODIES_MAX];
    int body_count;
    int64_t rows;
} sample;

static const struct {
    const char *name;
    rwl_parquet_write_options options;
    bool is_small; /* two columns, a few rows: every bit is flipped */
} OURS[] = {
    {"small, plain, v1", {.codec = RWL_CODEC_NONE, .dictionary_bytes = -1}, true},
    {"small, dictionary, v2, no CRC, no index",
     {.codec = RWL_CODEC_NONE, .page_v2 = true, .without_crc = true, .without_index = true},
     true},
    {"dictionary, snappy, bloom", {.codec = RWL_CODEC_SNAPPY, .page_rows = 20}, false},
    {"dictionary, zstd, v2", {.codec = RWL_CODEC_ZSTD, .page_v2 = true, .page_rows = 25}, false},
    {"delta, none",
     {.codec = RWL_CODEC_NONE,
      .dictionary_bytes = -1,
      .prefer = RWL_PARQUET_PREFER_DELTA,
      .row_group_rows = 30},
     false},
    {"delta, gzip, v2, no CRC",
     {.codec = RWL_CODEC_GZIP,
      .dictionary_bytes = -1,
      .prefer = RWL_PARQUET_PREFER_DELTA,
      .page_v2 = true,
      .without_crc = true},
     false},
    {"split, lz4_raw",
     {.codec = RWL_CODEC_LZ4_RAW, .dictionary_bytes = -1, .prefer = RWL_PARQUET_PREFER_SPLIT},
     false},
    {"plain, brotli, no CRC",
     {.codec = RWL_CODEC_BROTLI, .dictionary_bytes = -1, .without_crc = true},
     false},
};
enum { OUR_COUNT = sizeof OURS / sizeof OURS[0] };

static const char *const THEIRS[] = {
    "apache+parquet-testing/data/alltypes_plain.snappy.parquet",
    "apache+parquet-testing/data/data_index_bloom_encoding_with_length.parquet",
    "apache+parquet-testing/data/delta_length_byte_array.parquet",
    "apache+parquet-testing/data/delta_encoding_optional_column.parquet",
    "apache+parquet-testing/data/byte_stream_split_extended.gzip.parquet",
    "apache+parquet-testing/data/concatenated_gzip_members.parquet",
    "apache+parquet-testing/data/datapage_v2.snappy.parquet",
    "apache+parquet-testing/data/hadoop_lz4_compressed.parquet",
    "apache+parquet-testing/data/list_columns.parquet",
    "apache+parquet-testing/data/nested_maps.snappy.parquet",
    "apache+parquet-testing/data/old_list_structure.parquet",
    "apache+parquet-testing/data/int32_with_null_pages.parquet",
    "apache+parquet-testing/data/large_string_map.brotli.parquet",
    "apache+parquet-testing/data/fixed_length_decimal_legacy.parquet",
    "apache+parquet-testing/shredded_variant/case-001.parquet",
    "apache+parquet-testing/shredded_variant/case-046.parquet",
};
enum { THEIR_COUNT = sizeof THEIRS / sizeof THEIRS[0] };

static rwl_field fields[FIELDS], inside[8];

static void set(rwl_field *f, int32_t id, const char *name, rwl_type_kind kind, rwl_field *children,
                int32_t n) {
    *f = (rwl_field){.id = id, .name = name, .type = rwl_type_of(kind)};
    f->type.children = children;
    f->type.child_count = n;
    f->type.precision = kind == RWL_TYPE_DECIMAL ? 20 : 0;
    f->type.scale = kind == RWL_TYPE_DECIMAL ? 2 : 0;
}

static void make_fields(void) {
    set(&inside[0], 10, "element", RWL_TYPE_INT, NULL, 0);
    set(&inside[1], 11, "key", RWL_TYPE_STRING, NULL, 0);
    set(&inside[2], 12, "value", RWL_TYPE_DOUBLE, NULL, 0);
    set(&inside[3], 13, "a", RWL_TYPE_DECIMAL, NULL, 0);
    set(&inside[4], 14, "b", RWL_TYPE_BOOLEAN, NULL, 0);
    inside[1].required = true;
    set(&fields[0], 1, "id", RWL_TYPE_LONG, NULL, 0);
    set(&fields[1], 2, "s", RWL_TYPE_STRING, NULL, 0);
    set(&fields[2], 3, "ts", RWL_TYPE_TIMESTAMPTZ, NULL, 0);
    set(&fields[3], 4, "f", RWL_TYPE_FLOAT, NULL, 0);
    set(&fields[4], 5, "u", RWL_TYPE_UUID, NULL, 0);
    set(&fields[5], 6, "l", RWL_TYPE_LIST, &inside[0], 1);
    set(&fields[6], 7, "m", RWL_TYPE_MAP, &inside[1], 2);
    set(&fields[7], 8, "st", RWL_TYPE_STRUCT, &inside[3], 2);
    set(&fields[8], 9, "i", RWL_TYPE_INT, NULL, 0);
    fields[0].required = true;
}

static rwl_value make_value(rwl_type_kind kind, int64_t k, char text[32]) {
    rwl_value v = {.kind = kind};
    snprintf(text, 32, "%08" PRId64 "-%08" PRId64, k % 7, k * 37 % 1000);
    if (kind == RWL_TYPE_STRING)
        v.as.bytes = rwl_span_of(text, (size_t)(k % 17));
    else if (kind == RWL_TYPE_UUID)
        v.as.bytes = rwl_span_of(text, 16);
    else if (kind == RWL_TYPE_DECIMAL)
        v.as.i128 = (rwl_i128)k * INT64_C(1000000007);
    else if (kind == RWL_TYPE_DOUBLE)
        v.as.f64 = (double)k / 3;
    else if (kind == RWL_TYPE_FLOAT)
        v.as.f32 = (float)k / 4;
    else if (kind == RWL_TYPE_BOOLEAN)
        v.as.b = k % 3 == 0;
    else if (kind == RWL_TYPE_INT)
        v.as.i32 = (int32_t)(k % 5);
    else
        v.as.i64 = k;
    return v;
}

/* Every fifth value is null where that is allowed, every fourth list empty. */
static void fill(rwl_column *c, bool required, int64_t rows) {
    char text[32];
    if (!rwl_type_is_nested(&c->type)) {
        for (int64_t i = 0; i < rows; i++) {
            rwl_value v = make_value(c->type.kind, i, text), null = rwl_value_null(c->type.kind);
            ck_assert_int_eq(rwl_column_append(c, &env, !required && i % 5 == 4 ? &null : &v, 1, NULL),
                             RWL_OK);
        }
        return;
    }
    ck_assert_int_eq(rwl_column_reserve(c, &env, rows, 0, NULL), RWL_OK);
    ck_assert_int_eq(rwl_column_need_validity(c, &env, rows, NULL), RWL_OK);
    rwl_bits_fill(c->validity.data, 0, rows, true);
    int32_t *offsets = (int32_t *)(void *)c->offsets.data;
    int64_t slots = rows;
    if (c->type.kind != RWL_TYPE_STRUCT) {
        offsets[0] = 0;
        for (int32_t i = 0; i < rows; i++)
            offsets[i + 1] = offsets[i] + (i % 5 == 4 ? 0 : i % 4);
        slots = offsets[rows];
    }
    for (int64_t i = 4; i < rows; i += 5) {
        rwl_bit_clear(c->validity.data, i);
        c->null_count++;
    }
    c->length = rows;
    for (int32_t i = 0; i < c->type.child_count; i++)
        fill(&c->children[i], c->type.children[i].required, slots);
}

static bool load(sample *s, const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return false;
    s->bytes = malloc(FIXTURE_MAX);
    s->len = fread(s->bytes, 1, FIXTURE_MAX, f);
    fclose(f);
    ck_assert_uint_lt(s->len, FIXTURE_MAX);
    return true;
}

static void write_sample(world *w, rwl_store *store, int n, sample *s) {
    rwl_parquet_column_options bloom = {.path = "s", .bloom = true};
    rwl_parquet_write_options options = OURS[n].options;
    options.columns = &bloom;
    options.column_count = 1;
    options.bloom_max_bytes = 256;
    int32_t field_count = OURS[n].is_small ? 2 : FIELDS;
    rwl_batch batch;
    rwl_parquet_writer *writer;
    rwl_parquet_written written;
    char path[256];
    snprintf(path, sizeof path, "%s/sample-%d.parquet", w->folder, n);
    batch.length = OURS[n].is_small ? 5 : ROWS;
    int64_t rows = batch.length;
    ck_assert_int_eq(rwl_batch_init(&batch, &env, fields, field_count, NULL), RWL_OK);
    batch.length = rows;
    for (int32_t i = 0; i < field_count; i++)
        fill(&batch.columns[i], fields[i].required, rows);
    rwl_op op;
    rwl_op_init(&op, &env, 0);
    ck_assert_int_eq(rwl_parquet_writer_open(store, &op, path, fields, field_count, &options, &writer, NULL),
                     RWL_OK);
    ck_assert_int_eq(rwl_parquet_writer_write(writer, &batch, NULL), RWL_OK);
    ck_assert_int_eq(rwl_parquet_writer_finish(writer, &written, NULL), RWL_OK);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    ck_assert(load(s, path));
    s->name = OURS[n].name;
}

/* --- looking at a file in every way --- */

typedef struct outcome {
    rwl_status status; /* the first failure */
    int64_t rows;
} outcome;

static void note(outcome *o, rwl_status st) {
    if (o->status == RWL_OK)
        o->status = st;
}

/* Bits of validity and offsets can be looked at; lists are as long as they say. */
static void check_column(const rwl_column *c, int64_t rows) {
    ck_assert(c->length == rows && c->null_count >= 0 && c->null_count <= rows);
    bool is_list = c->type.kind == RWL_TYPE_LIST || c->type.kind == RWL_TYPE_MAP;
    int64_t nulls = 0, slots = rows;
    for (int64_t i = 0; i < rows; i++)
        nulls += rwl_column_is_null(c, i);
    if (nulls != c->null_count)
        ck_abort_msg("%" PRId64 " nulls, not %" PRId64, nulls, c->null_count);
    if (is_list)
        slots = rows > 0 ? rwl_column_offsets(c)[rows] : 0;
    for (int32_t i = 0; i < c->type.child_count; i++)
        check_column(&c->children[i], slots);
}

static void read_nodes(rwl_store *store, rwl_op *op, rwl_parquet_file *file,
                       const rwl_parquet_read_options *options, outcome *o) {
    rwl_parquet_reader *r;
    rwl_batch batch;
    int32_t field_count;
    int64_t pos, rows = 0;
    rwl_status st = rwl_parquet_reader_new(store, op, file, options, &r, NULL);
    note(o, st);
    if (st != RWL_OK)
        return;
    const rwl_field *of = rwl_parquet_reader_fields(r, &field_count);
    st = rwl_batch_init(&batch, &env, of, field_count, NULL);
    ck_assert_int_eq(st, RWL_OK);
    while ((st = rwl_parquet_reader_next(r, &batch, &pos, NULL)) == RWL_OK && batch.length > 0) {
        rows += batch.length;
        for (int32_t i = 0; i < field_count; i++)
            check_column(&batch.columns[i], batch.length);
    }
    note(o, st);
    o->rows = rows;
    rwl_batch_clear(&batch);
    rwl_parquet_reader_free(r);
}

static void read_all(rwl_store *store, rwl_op *op, rwl_parquet_file *file, outcome *o) {
    rwl_parquet_read_options options = {
        .node_count = 1, .row_count = -1, .batch_rows = 1000, .batch_bytes = 1 << 20};
    for (int32_t i = 0; i < file->node_count; i++) {
        options.nodes = &i;
        read_nodes(store, op, file, &options, o);
    }
}

/* A filter on each flat column by itself; then the rows it leaves. */
static void prune(rwl_store *store, rwl_op *op, rwl_parquet_file *file, outcome *o) {
    static const char *const forms[] = {"c = 3", "c = '00000003-00000111'", "c is null"};
    rwl_arena arena;
    for (int32_t i = 0; i < file->node_count && i < FIELDS; i++) {
        rwl_field field = file->nodes[i].field;
        field.name = "c";
        rwl_arena_init(&arena, &env, 0);
        for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
            const rwl_expr *expr;
            const rwl_parquet_source source = {
                .kind = file->nodes[i].leaf_count == 1 ? RWL_PARQUET_SOURCE_LEAF : RWL_PARQUET_SOURCE_UNKNOWN,
                .leaf = file->nodes[i].first_leaf};
            rwl_parquet_prune_request request = {.fields = &field, .field_count = 1, .sources = &source};
            rwl_parquet_selection selection;
            ck_assert_int_eq(rwl_expr_parse(forms[k], &arena, &expr, NULL), RWL_OK);
            if (rwl_expr_bind(expr, &field, 1, &arena, &request.filter, NULL) != RWL_OK)
                continue;
            rwl_status st = rwl_parquet_prune(store, op, file, &request, &selection, NULL);
            note(o, st);
            if (st != RWL_OK)
                continue;
            rwl_parquet_read_options options = {.nodes = &i,
                                                .node_count = 1,
                                                .row_count = -1,
                                                .ranges = selection.ranges,
                                                .range_count = selection.count,
                                                .batch_rows = 1000};
            read_nodes(store, op, file, &options, o);
            rwl_parquet_selection_clear(&selection, &env);
        }
        rwl_arena_clear(&arena);
    }
}

/* Calls `see` for every page; a failure ends a chunk. */
static void walk_pages(rwl_store *store, rwl_op *op, rwl_parquet_file *file,
                       void (*see)(void *ctx, const rwl_parquet_page_header *h, int64_t body), void *ctx) {
    rwl_file *f;
    if (rwl_file_open(store, op, file->location, &f, NULL) != RWL_OK)
        return;
    rwl_page_walk walk;
    rwl_page_walk_init(&walk, op, f);
    for (int32_t g = 0; g < file->group_count; g++)
        for (int32_t i = 0; i < file->leaf_count; i++) {
            rwl_parquet_page_header header;
            int64_t off;
            bool more = true;
            rwl_page_walk_start(&walk, &file->groups[g].chunks[i]);
            while (rwl_page_walk_next(&walk, &header, &off, &more, NULL) == RWL_OK && more)
                if (see != NULL)
                    see(ctx, &header, walk.off - header.compressed_size);
        }
    rwl_page_walk_clear(&walk);
    rwl_file_close(f);
}

/* Rows of two ranges into a new file; an error or a file. */
static void stitch(rwl_store *store, rwl_op *op, rwl_parquet_file *file, const char *to) {
    rwl_store *local;
    rwl_parquet_stitch *s;
    rwl_parquet_written written;
    rwl_field *kept = rwl_alloc(&env, ((size_t)file->node_count + 1) * sizeof *kept);
    rwl_range ranges[] = {{0, file->row_count / 2}, {file->row_count / 2 + 1, file->row_count / 4}};
    rwl_parquet_stitch_part part = {
        .file = file, .ranges = ranges, .range_count = ranges[1].count > 0 ? 2 : 1};
    rwl_parquet_stitch_options options = {.write = {.codec = RWL_CODEC_SNAPPY}};
    rwl_arena arena;
    const char *why;
    (void)store;
    rwl_arena_init(&arena, &env, 0);
    for (int32_t i = 0; i < file->node_count; i++) {
        kept[i] = file->nodes[i].field;
        kept[i].id = kept[i].id < 0 ? i + 1 : kept[i].id;
    }
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &local, NULL), RWL_OK);
    if (ranges[0].count > 0 &&
        rwl_parquet_stitch_fits(file, kept, file->node_count, &options, &arena, &why) &&
        rwl_parquet_stitch_open(local, op, to, kept, file->node_count, &options, &s, NULL) == RWL_OK) {
        if (rwl_parquet_stitch_add(s, &part, NULL) != RWL_OK)
            rwl_parquet_stitch_abort(s);
        else if (rwl_parquet_stitch_finish(s, &written, NULL, NULL) == RWL_OK)
            rwl_parquet_written_clear(&written);
    }
    unlink(to);
    rwl_store_free(local);
    rwl_arena_clear(&arena);
    rwl_free(&env, kept);
}

static void inspect(rwl_op *op, rwl_span bytes, const char *path) {
    rwl_inspect *in;
    rwl_inspect_options options = {.row_group = -1};
    rwl_span json;
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.len, f), bytes.len);
    fclose(f);
    if (rwl_inspect_open(op, path, &options, &in, NULL) == RWL_OK) {
        struct ArrowArrayStream stream;
        struct ArrowArray array = {.release = NULL};
        if (rwl_inspect_document(in, &json, NULL) == RWL_OK)
            ck_assert_uint_gt(json.len, 0);
        if (rwl_inspect_pages(in, &stream, NULL) == RWL_OK) {
            while (stream.get_next(&stream, &array) == 0 && array.release != NULL)
                array.release(&array);
            stream.release(&stream);
        }
        rwl_inspect_free(in);
    }
    unlink(path);
}

/* --- the test --- */

typedef struct run {
    world w;
    uint64_t seed, random;
    int64_t flips, done, refused, peak;
    const char *what; /* for messages */
} run;

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static outcome look(run *r, rwl_span bytes, bool is_rare) {
    char to[256];
    rwl_op op;
    outcome o = {.status = RWL_OK};
    int64_t before = counted_live;
    double started = cpu_seconds();
    counted_peak = counted_live;
    rwl_op_init(&op, &env, BUDGET);
    rwl_store *store = rwl_memory_store_new(&env, bytes);
    rwl_parquet_file *file;
    rwl_status st = rwl_parquet_open(store, &op, "sample", -1, &file, NULL);
    note(&o, st);
    if (st == RWL_OK) {
        outcome of_filter = {.status = RWL_OK};
        read_all(store, &op, file, &o);
        prune(store, &op, file, &of_filter);
        walk_pages(store, &op, file, NULL, NULL);
        snprintf(to, sizeof to, "%s/out.parquet", r->w.folder);
        if (is_rare)
            stitch(store, &op, file, to);
        rwl_parquet_close(file);
    }
    snprintf(to, sizeof to, "%s/in.parquet", r->w.folder);
    if (is_rare)
        inspect(&op, bytes, to);
    rwl_store_free(store);
    int64_t most = BUDGET + MULTIPLE * (int64_t)bytes.len + SLACK;
    int64_t held = counted_peak - before, lost = counted_live - before;
    r->peak = held > r->peak ? held : r->peak;
    if (held > most || lost != 0 || atomic_load(&op.memory_used) != 0)
        ck_abort_msg("%s: %" PRId64 " bytes held, %" PRId64 " not given back, %lld of the budget", r->what,
                     held, lost, atomic_load(&op.memory_used));
    if (cpu_seconds() - started > SECONDS_MAX)
        ck_abort_msg("%s: takes %.1f s", r->what, cpu_seconds() - started);
    r->done++;
    r->refused += o.status != RWL_OK;
    return o;
}

static void keep_body(void *ctx, const rwl_parquet_page_header *h, int64_t body) {
    sample *s = ctx;
    s->has_crc &= h->has_crc;
    ck_assert_int_lt(s->body_count, BODIES_MAX);
    s->bodies[s->body_count].off = body;
    s->bodies[s->body_count++].end = body + h->compressed_size;
}

static void learn(sample *s) {
    rwl_op op;
    rwl_op_init(&op, &env, 0);
    rwl_store *store = rwl_memory_store_new(&env, rwl_span_of(s->bytes, s->len));
    rwl_parquet_file *file;
    ck_assert_int_eq(rwl_parquet_open(store, &op, "sample", -1, &file, NULL), RWL_OK);
    s->has_crc = true;
    s->body_count = 0;
    s->rows = file->row_count;
    walk_pages(store, &op, file, keep_body, s);
    rwl_parquet_close(file);
    rwl_store_free(store);
}

static bool is_protected(const sample *s, int64_t at) {
    for (int i = 0; s->has_crc && i < s->body_count; i++)
        if (at >= s->bodies[i].off && at < s->bodies[i].end)
            return true;
    return false;
}

static void flip(run *r, sample *s, size_t at, int bit, const outcome *whole) {
    char what[200];
    snprintf(what, sizeof what, "%s, byte %zu, bit %d (ROWLINE_SEED=%" PRIu64 ")", s->name, at, bit, r->seed);
    r->what = what;
    s->bytes[at] ^= (uint8_t)(1 << bit);
    outcome o = look(r, rwl_span_of(s->bytes, s->len), r->done % EACH_RARE == 0);
    s->bytes[at] ^= (uint8_t)(1 << bit);
    if (whole->status == RWL_OK && is_protected(s, (int64_t)at))
        ck_assert_msg(o.status == RWL_CORRUPT, "%s: not found by the checksum: status %d", what, o.status);
}

static void cut(run *r, const sample *s, size_t len) {
    char what[200];
    snprintf(what, sizeof what, "%s, cut at %zu", s->name, len);
    r->what = what;
    uint8_t *copy = malloc(len + 1); /* of its own, so that a sanitizer sees its end */
    memcpy(copy, s->bytes, len);
    outcome o = look(r, rwl_span_of(copy, len), r->done % EACH_RARE == 0);
    free(copy);
    ck_assert_msg(o.status != RWL_OK, "%s: read", what);
}

static void damage(run *r, sample *s, bool all) {
    learn(s);
    r->what = s->name;
    outcome whole = look(r, rwl_span_of(s->bytes, s->len), true);
    int64_t bits = (int64_t)s->len * 8;
    all = all || r->flips == 0 || bits <= r->flips;
    for (int64_t i = 0; i < (all ? bits : r->flips); i++) {
        int64_t n = all ? i : draw_below(&r->random, bits);
        flip(r, s, (size_t)(n / 8), (int)(n % 8), &whole);
    }
    for (int64_t i = 0; i < (all ? (int64_t)s->len : r->flips / 4); i++)
        cut(r, s, (size_t)(all ? i : draw_below(&r->random, (int64_t)s->len)));
    free(s->bytes);
}

static void begin(run *r, int n) {
    memset(r, 0, sizeof *r);
    r->seed = number_from("ROWLINE_SEED", 4);
    r->random = r->seed + (uint64_t)n * 1000003;
    r->flips = (int64_t)number_from("ROWLINE_FLIPS", 300) / fault_stride();
    ck_assert(world_open(&r->w, r->seed));
    counted_env_init(&env);
    make_fields();
}

static void end(run *r, const char *name) {
    printf("%s: %" PRId64 " files, %" PRId64 " refused, at most %" PRId64 " KiB held\n", name, r->done,
           r->refused, r->peak >> 10);
    ck_assert_int_eq(counted_live, 0);
    world_close(&r->w, false);
}

START_TEST(our_files_damaged_give_an_error_or_rows) {
    run r;
    sample s = {.name = ""};
    rwl_store *store;
    begin(&r, _i);
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &store, NULL), RWL_OK);
    write_sample(&r.w, store, _i, &s);
    damage(&r, &s, OURS[_i].is_small && fault_stride() == 1);
    rwl_store_free(store);
    end(&r, s.name);
}
END_TEST

START_TEST(files_of_others_damaged_give_an_error_or_rows) {
    run r;
    sample s = {.name = THEIRS[_i]};
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FIXTURES_DIR, THEIRS[_i]);
    if (!load(&s, path)) {
        printf("skipped: no %s\n", path);
        return;
    }
    begin(&r, OUR_COUNT + _i);
    damage(&r, &s, false);
    end(&r, s.name);
}
END_TEST

Suite *damage_suite(void) {
    Suite *suite = suite_create("damage");
    TCase *tc = tcase_create("damage");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, our_files_damaged_give_an_error_or_rows, 0, OUR_COUNT);
    tcase_add_loop_test(tc, files_of_others_damaged_give_an_error_or_rows, 0, THEIR_COUNT);
    suite_add_tcase(suite, tc);
    return suite;
}
