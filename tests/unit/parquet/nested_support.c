/* SPDX-License-Identifier: Apache-2.0 */
/* A parser of Parquet's schema notation and a writer of pages from entries, for tests. */
#include "nested_support.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "memory_store.h"

#define PUT(expr) ck_assert_int_eq((expr), RWL_OK)
enum { ELEMENTS_MAX = 256, PAGES_MAX = 16, NAME_MAX_LEN = 32, ENTRIES_MAX = 512 };

typedef struct element {
    char name[NAME_MAX_LEN];
    int32_t repetition, physical, type_length, children, id; /* physical -1: a group */
    char annotation[NAME_MAX_LEN];
    int max_definition, max_repetition;
} element;

typedef struct place {
    int64_t offset, len, first_row;
} place;

typedef struct chunk {
    place pages[PAGES_MAX];
    int page_count;
    int64_t start, end, value_count;
    int64_t index_off, index_len;
} chunk;

/* --- the schema --- */

typedef struct parser {
    const char *p;
    element elements[ELEMENTS_MAX];
    int count;
} parser;

static void take_word(parser *s, char *out) {
    while (isspace((unsigned char)*s->p))
        s->p++;
    size_t n = 0;
    for (; isalnum((unsigned char)*s->p) || *s->p == '_'; s->p++) {
        ck_assert(n + 1 < NAME_MAX_LEN);
        out[n++] = *s->p;
    }
    out[n] = 0;
}

static bool take_char(parser *s, char c) {
    while (isspace((unsigned char)*s->p))
        s->p++;
    if (*s->p != c)
        return false;
    s->p++;
    return true;
}

static int32_t physical_of(const char *word) {
    static const char *const names[] = {"boolean", "int32",  "int64",  "int96",
                                        "float",   "double", "binary", "fixed"};
    for (int32_t i = 0; i < 8; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    ck_assert_str_eq(word, "group");
    return -1;
}

static void parse_fields(parser *s, int definition, int repetition, int32_t *count) {
    static const char *const repetitions[] = {"required", "optional", "repeated"};
    char word[NAME_MAX_LEN];
    for (*count = 0;; (*count)++) {
        take_word(s, word);
        if (word[0] == 0)
            return;
        element *e = &s->elements[s->count++];
        ck_assert_int_lt(s->count, ELEMENTS_MAX);
        *e = (element){.id = -1};
        while (strcmp(word, repetitions[e->repetition]) != 0)
            ck_assert_int_lt(++e->repetition, 3);
        take_word(s, word);
        e->physical = physical_of(word);
        if (e->physical == 7) {
            ck_assert(take_char(s, '('));
            take_word(s, word);
            e->type_length = atoi(word);
            ck_assert(take_char(s, ')'));
        }
        take_word(s, e->name);
        if (take_char(s, '(')) {
            take_word(s, e->annotation);
            ck_assert(take_char(s, ')'));
        }
        if (take_char(s, '=')) {
            take_word(s, word);
            e->id = atoi(word);
        }
        e->max_definition = definition + (e->repetition > 0);
        e->max_repetition = repetition + (e->repetition == 2);
        if (take_char(s, '{')) {
            parse_fields(s, e->max_definition, e->max_repetition, &e->children);
            ck_assert(take_char(s, '}'));
        } else {
            ck_assert(take_char(s, ';'));
        }
    }
}

/* --- Thrift --- */

static void put_i32(rwl_buf *o, int16_t *last, int16_t id, int32_t v) {
    PUT(rwl_thrift_put_field(o, last, id, RWL_THRIFT_I32, NULL));
    PUT(rwl_thrift_put_i32(o, v, NULL));
}

static void put_i64(rwl_buf *o, int16_t *last, int16_t id, int64_t v) {
    PUT(rwl_thrift_put_field(o, last, id, RWL_THRIFT_I64, NULL));
    PUT(rwl_thrift_put_i64(o, v, NULL));
}

static void put_list(rwl_buf *o, int16_t *last, int16_t id, rwl_thrift_type item, uint32_t count) {
    PUT(rwl_thrift_put_field(o, last, id, RWL_THRIFT_LIST, NULL));
    PUT(rwl_thrift_put_list(o, item, count, NULL));
}

/* Annotations of old have a converted type (field 6); others an empty member of the union of logical ones (10). */
static const struct {
    const char *name;
    int32_t converted;
    int16_t logical;
} annotations[] = {{"STRING", -1, 1},       {"UTF8", 0, 0},        {"MAP", 1, 0},
                   {"MAP_KEY_VALUE", 2, 0}, {"LIST", 3, 0},        {"INTERVAL", 21, 0},
                   {"UNKNOWN", -1, 11},     {"FLOAT16", -1, 15},   {"VARIANT", -1, 16},
                   {"GEOMETRY", -1, 17},    {"GEOGRAPHY", -1, 18}, {"UINT64", 14, 0},
                   {"UINT32", 13, 0},       {"INT8", 15, 0},       {"", -1, 0}};

static size_t find_annotation(const char *name) {
    size_t i = 0;
    while (strcmp(annotations[i].name, name) != 0)
        ck_assert_uint_lt(++i, sizeof annotations / sizeof annotations[0]);
    return i;
}

static void put_element(rwl_buf *o, const element *e) {
    int16_t last = 0, in = 0;
    size_t a = find_annotation(e->annotation);
    if (e->physical >= 0)
        put_i32(o, &last, 1, e->physical);
    if (e->type_length > 0)
        put_i32(o, &last, 2, e->type_length);
    put_i32(o, &last, 3, e->repetition);
    PUT(rwl_thrift_put_field(o, &last, 4, RWL_THRIFT_BINARY, NULL));
    PUT(rwl_thrift_put_binary(o, rwl_span_str(e->name), NULL));
    if (e->physical < 0)
        put_i32(o, &last, 5, e->children);
    if (annotations[a].converted >= 0)
        put_i32(o, &last, 6, annotations[a].converted);
    if (e->id >= 0)
        put_i32(o, &last, 9, e->id);
    if (annotations[a].logical > 0) {
        PUT(rwl_thrift_put_field(o, &last, 10, RWL_THRIFT_STRUCT, NULL));
        PUT(rwl_thrift_put_field(o, &in, annotations[a].logical, RWL_THRIFT_STRUCT, NULL));
        PUT(rwl_thrift_put_stop(o, NULL));
        PUT(rwl_thrift_put_stop(o, NULL));
    }
    PUT(rwl_thrift_put_stop(o, NULL));
}

/* --- levels and values --- */

static void put_varint(rwl_buf *o, uint32_t v) {
    for (; v >= 0x80; v >>= 7) {
        uint8_t byte = (uint8_t)(v | 0x80);
        PUT(rwl_buf_append(o, &byte, 1, NULL));
    }
    uint8_t byte = (uint8_t)v;
    PUT(rwl_buf_append(o, &byte, 1, NULL));
}

static void put_packed(rwl_buf *o, const int *levels, int count, int width, bool is_msb_first, int padded) {
    uint8_t bytes[ENTRIES_MAX] = {0};
    for (int i = 0; i < count * width; i++) {
        int level = levels[i / width],
            bit = is_msb_first ? level >> (width - 1 - i % width) & 1 : level >> (i % width) & 1;
        bytes[i / 8] = (uint8_t)(bytes[i / 8] | bit << (is_msb_first ? 7 - i % 8 : i % 8));
    }
    PUT(rwl_buf_append(o, bytes, (size_t)(padded * width + 7) / 8, NULL));
}

static void put_levels(const nested_spec *s, rwl_buf *o, const int *levels, int count, int max) {
    int width = 0;
    while (max >> width)
        width++;
    if (max == 0)
        return;
    if (s->levels_bit_packed) {
        put_packed(o, levels, count, width, true, count);
        return;
    }
    rwl_buf runs;
    rwl_buf_init(&runs, o->env, SIZE_MAX);
    if (s->runs_packed) {
        int groups = (count + 7) / 8;
        put_varint(&runs, (uint32_t)groups << 1 | 1);
        put_packed(&runs, levels, count, width, false, groups * 8);
    }
    for (int i = 0; i < count && !s->runs_packed; i++) {
        uint8_t level = (uint8_t)levels[i];
        put_varint(&runs, 1 << 1);
        PUT(rwl_buf_append(&runs, &level, 1, NULL));
    }
    if (!s->v2)
        PUT(rwl_buf_le32(o, (uint32_t)runs.len, NULL));
    PUT(rwl_buf_append(o, runs.data, runs.len, NULL));
    rwl_buf_clear(&runs);
}

static void put_value(rwl_buf *o, const element *e, const char *text, size_t len) {
    char word[256] = {0};
    ck_assert_uint_lt(len, sizeof word);
    memcpy(word, text, len);
    if (e->physical == RWL_PARQUET_INT32) {
        PUT(rwl_buf_le32(o, (uint32_t)atoi(word), NULL));
    } else if (e->physical == RWL_PARQUET_INT64) {
        uint8_t bytes[8];
        rwl_store_le64(bytes, (uint64_t)atoll(word));
        PUT(rwl_buf_append(o, bytes, 8, NULL));
    } else {
        uint8_t bytes[128];
        ck_assert_int_eq(e->physical, RWL_PARQUET_BYTE_ARRAY);
        if (word[0] == 'x') {
            for (size_t i = 1; i + 1 < len; i += 2) {
                char pair[3] = {word[i], word[i + 1], 0};
                bytes[i / 2] = (uint8_t)strtoul(pair, NULL, 16);
            }
            len = (len - 1) / 2;
        } else {
            memcpy(bytes, word, len);
        }
        PUT(rwl_buf_le32(o, (uint32_t)len, NULL));
        PUT(rwl_buf_append(o, bytes, len, NULL));
    }
}

typedef struct page {
    int repetitions[ENTRIES_MAX], definitions[ENTRIES_MAX], count, rows, nulls;
    rwl_buf values;
} page;

static int take_int(const char **p) {
    char *end;
    long v = strtol(*p, &end, 10);
    ck_assert_ptr_ne(end, *p);
    *p = end;
    return (int)v;
}

/* Entries up to the next | or the end. */
static void parse_page(const char **at, const element *e, page *out) {
    const char *p = *at;
    for (;;) {
        while (*p == ' ' || *p == ',' || *p == '\n')
            p++;
        if (*p == 0 || *p == '|')
            break;
        int i = out->count++;
        ck_assert_int_lt(i, ENTRIES_MAX);
        out->repetitions[i] = take_int(&p);
        out->definitions[i] = take_int(&p);
        out->rows += out->repetitions[i] == 0;
        out->nulls += out->definitions[i] < e->max_definition;
        while (*p == ' ')
            p++;
        size_t len = strcspn(p, ",|");
        if (out->definitions[i] == e->max_definition) {
            size_t trimmed = len;
            while (trimmed > 0 && p[trimmed - 1] == ' ')
                trimmed--;
            put_value(&out->values, e, p, trimmed);
        }
        p += len;
    }
    *at = *p == '|' ? p + 1 : p;
}

static void put_page(const nested_spec *s, const element *e, const page *pg, rwl_buf *o) {
    rwl_buf repetitions, definitions;
    rwl_buf_init(&repetitions, o->env, SIZE_MAX);
    rwl_buf_init(&definitions, o->env, SIZE_MAX);
    put_levels(s, &repetitions, pg->repetitions, pg->count, e->max_repetition);
    put_levels(s, &definitions, pg->definitions, pg->count, e->max_definition);
    int32_t size = (int32_t)(repetitions.len + definitions.len + pg->values.len);
    int16_t last = 0, in = 0;
    put_i32(o, &last, 1, s->v2 ? 3 : 0);
    put_i32(o, &last, 2, size);
    put_i32(o, &last, 3, size);
    PUT(rwl_thrift_put_field(o, &last, s->v2 ? 8 : 5, RWL_THRIFT_STRUCT, NULL));
    put_i32(o, &in, 1, pg->count);
    if (s->v2) {
        put_i32(o, &in, 2, pg->nulls);
        put_i32(o, &in, 3, pg->rows);
        put_i32(o, &in, 4, 0);
        put_i32(o, &in, 5, (int32_t)definitions.len);
        put_i32(o, &in, 6, (int32_t)repetitions.len);
    } else {
        put_i32(o, &in, 2, 0);
        put_i32(o, &in, 3, s->levels_bit_packed ? RWL_PARQUET_BIT_PACKED : RWL_PARQUET_RLE);
        put_i32(o, &in, 4, s->levels_bit_packed ? RWL_PARQUET_BIT_PACKED : RWL_PARQUET_RLE);
    }
    PUT(rwl_thrift_put_stop(o, NULL));
    PUT(rwl_thrift_put_stop(o, NULL));
    PUT(rwl_buf_append(o, repetitions.data, repetitions.len, NULL));
    PUT(rwl_buf_append(o, definitions.data, definitions.len, NULL));
    PUT(rwl_buf_append(o, pg->values.data, pg->values.len, NULL));
    rwl_buf_clear(&repetitions);
    rwl_buf_clear(&definitions);
}

static void put_leaf(const nested_spec *s, const element *e, const char *entries, chunk *c, rwl_buf *o) {
    int64_t rows = 0;
    c->start = (int64_t)o->len;
    do {
        page pg = {.count = 0};
        rwl_buf_init(&pg.values, o->env, SIZE_MAX);
        parse_page(&entries, e, &pg);
        place *where = &c->pages[c->page_count++];
        ck_assert_int_lt(c->page_count, PAGES_MAX);
        where->offset = (int64_t)o->len;
        where->first_row = rows;
        put_page(s, e, &pg, o);
        where->len = (int64_t)o->len - where->offset;
        rows += pg.rows;
        c->value_count += pg.count;
        rwl_buf_clear(&pg.values);
    } while (*entries);
    c->end = (int64_t)o->len;
}

/* --- the file --- */

static void put_index(const nested_spec *s, chunk *c, rwl_buf *o) {
    int16_t last = 0;
    c->index_off = (int64_t)o->len;
    put_list(o, &last, 1, RWL_THRIFT_STRUCT, (uint32_t)c->page_count);
    for (int i = 0; i < c->page_count; i++) {
        int16_t in = 0;
        bool is_wrong = i == s->shift_page;
        put_i64(o, &in, 1, c->pages[i].offset + (is_wrong ? s->shift_offset : 0));
        put_i32(o, &in, 2, (int32_t)c->pages[i].len);
        put_i64(o, &in, 3, c->pages[i].first_row + (is_wrong ? s->shift : 0));
        PUT(rwl_thrift_put_stop(o, NULL));
    }
    PUT(rwl_thrift_put_stop(o, NULL));
    c->index_len = (int64_t)o->len - c->index_off;
}

static void put_chunk(const nested_spec *s, const element *e, const chunk *c, rwl_buf *o) {
    int16_t last = 0, in = 0;
    put_i64(o, &last, 2, 0);
    PUT(rwl_thrift_put_field(o, &last, 3, RWL_THRIFT_STRUCT, NULL));
    put_i32(o, &in, 1, e->physical);
    put_list(o, &in, 2, RWL_THRIFT_I32, 1);
    PUT(rwl_thrift_put_i32(o, 0, NULL));
    put_list(o, &in, 3, RWL_THRIFT_BINARY, 1);
    PUT(rwl_thrift_put_binary(o, rwl_span_str(e->name), NULL));
    put_i32(o, &in, 4, 0);
    put_i64(o, &in, 5, c->value_count + s->lie_values);
    put_i64(o, &in, 6, c->end - c->start);
    put_i64(o, &in, 7, c->end - c->start);
    put_i64(o, &in, 9, c->start);
    PUT(rwl_thrift_put_stop(o, NULL));
    if (c->index_len > 0) {
        put_i64(o, &last, 4, c->index_off);
        put_i32(o, &last, 5, (int32_t)c->index_len);
    }
    PUT(rwl_thrift_put_stop(o, NULL));
}

static void put_footer(const nested_spec *s, const parser *schema, int32_t top, const chunk *chunks,
                       int leaves, rwl_buf *o) {
    size_t start = o->len;
    int16_t last = 0, in = 0;
    element root = {.name = "root", .physical = -1, .children = top, .id = -1};
    put_i32(o, &last, 1, 1);
    put_list(o, &last, 2, RWL_THRIFT_STRUCT, (uint32_t)schema->count + 1);
    put_element(o, &root);
    for (int i = 0; i < schema->count; i++)
        put_element(o, &schema->elements[i]);
    put_i64(o, &last, 3, s->rows);
    put_list(o, &last, 4, RWL_THRIFT_STRUCT, 1);
    put_list(o, &in, 1, RWL_THRIFT_STRUCT, (uint32_t)leaves);
    for (int i = 0, leaf = 0; i < schema->count; i++)
        if (schema->elements[i].physical >= 0)
            put_chunk(s, &schema->elements[i], &chunks[leaf++], o);
    put_i64(o, &in, 2, 0);
    put_i64(o, &in, 3, s->rows);
    PUT(rwl_thrift_put_stop(o, NULL));
    PUT(rwl_thrift_put_stop(o, NULL));
    PUT(rwl_buf_le32(o, (uint32_t)(o->len - start), NULL));
    PUT(rwl_buf_append(o, "PAR1", 4, NULL));
}

void build_nested(bench *b, const nested_spec *s, rwl_buf *o) {
    static parser schema;
    chunk chunks[NESTED_LEAVES_MAX + 1] = {{.start = 0}};
    int32_t top;
    int leaves = 0;
    memset(&schema, 0, sizeof schema);
    schema.p = s->schema;
    parse_fields(&schema, 0, 0, &top);
    ck_assert_int_eq(*schema.p, 0);
    rwl_buf_init(o, &b->env, SIZE_MAX);
    PUT(rwl_buf_append(o, "PAR1", 4, NULL));
    for (int i = 0; i < schema.count; i++) {
        if (schema.elements[i].physical < 0)
            continue;
        ck_assert_int_lt(leaves, NESTED_LEAVES_MAX);
        put_leaf(s, &schema.elements[i], s->entries[leaves] ? s->entries[leaves] : "", &chunks[leaves], o);
        leaves++;
    }
    for (int i = 0; i < leaves && s->with_index; i++)
        put_index(s, &chunks[i], o);
    put_footer(s, &schema, top, chunks, leaves, o);
}

/* --- reading --- */

static rwl_status read_all(bench *b, rwl_parquet_file *file, const nested_query *q, rwl_buf *text) {
    rwl_parquet_read_options o = {.nodes = &q->node,
                                  .node_count = 1,
                                  .wanted = q->wanted,
                                  .first_row = q->first_row,
                                  .row_count = q->row_count > 0 ? q->row_count : -1,
                                  .batch_rows = q->batch_rows,
                                  .batch_bytes = q->batch_bytes};
    rwl_parquet_reader *r;
    rwl_batch batch;
    int32_t count;
    int64_t pos;
    RWL_TRY(rwl_parquet_reader_new(b->store, &b->op, file, &o, &r, &b->err));
    const rwl_field *fields = rwl_parquet_reader_fields(r, &count);
    rwl_status st = rwl_batch_init(&batch, &b->env, fields, count, &b->err);
    while (st == RWL_OK) {
        st = rwl_parquet_reader_next(r, &batch, &pos, &b->err);
        if (st != RWL_OK || batch.length == 0)
            break;
        for (int64_t i = 0; i < batch.length && st == RWL_OK; i++) {
            st = rwl_column_format_json(&batch.columns[0], i, text, &b->err);
            PUT(rwl_buf_append(text, "\n", 1, NULL));
        }
    }
    rwl_batch_clear(&batch);
    rwl_parquet_reader_free(r);
    return st;
}

rwl_status read_nested(const nested_spec *spec, const nested_query *query, rwl_buf *text) {
    static rwl_env env;
    static const nested_query whole = {.node = 0};
    bench b;
    rwl_buf file;
    rwl_parquet_file *f;
    rwl_env_init_default(&env);
    b.env = env;
    build_nested(&b, spec, &file);
    bench_memory(&b, rwl_buf_span(&file));
    rwl_buf_init(text, &env, SIZE_MAX);
    rwl_status st = rwl_parquet_open(b.store, &b.op, "file", -1, &f, &b.err);
    if (st == RWL_OK) {
        st = read_all(&b, f, query ? query : &whole, text);
        rwl_parquet_close(f);
    }
    if (st != RWL_OK) {
        rwl_buf_reset(text);
        PUT(rwl_buf_append(text, b.err.message, strlen(b.err.message), NULL));
    }
    PUT(rwl_buf_append(text, "", 1, NULL));
    rwl_buf_clear(&file);
    bench_free(&b);
    return st;
}

void check_nested(const nested_spec *spec, const nested_query *query, const char *want) {
    rwl_buf text;
    rwl_status st = read_nested(spec, query, &text);
    ck_assert_msg(st == RWL_OK, "status %d: %s", st, (const char *)text.data);
    ck_assert_str_eq((const char *)text.data, want);
    rwl_buf_clear(&text);
}

void check_nested_fails(const nested_spec *spec, const nested_query *query, rwl_status status,
                        const char *part) {
    rwl_buf text;
    rwl_status st = read_nested(spec, query, &text);
    ck_assert_msg(st == status && strstr((const char *)text.data, part), "status %d: %s", st,
                  (const char *)text.data);
    rwl_buf_clear(&text);
}

void check_nested_type(const char *schema, bool required, const char *want) {
    static rwl_env env;
    bench b;
    rwl_buf file, text;
    rwl_parquet_file *f;
    nested_spec spec = {.schema = schema};
    rwl_env_init_default(&env);
    b.env = env;
    build_nested(&b, &spec, &file);
    bench_memory(&b, rwl_buf_span(&file));
    rwl_buf_init(&text, &env, SIZE_MAX);
    ck_ok(&b, rwl_parquet_open(b.store, &b.op, "file", -1, &f, &b.err));
    PUT(rwl_type_format(&f->nodes[0].field.type, &text, NULL));
    PUT(rwl_buf_append(&text, "", 1, NULL));
    ck_assert_str_eq((const char *)text.data, want);
    ck_assert_int_eq(f->nodes[0].field.required, required);
    rwl_buf_clear(&text);
    rwl_parquet_close(f);
    rwl_buf_clear(&file);
    bench_free(&b);
}
