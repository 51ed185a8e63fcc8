/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the reader's tests. */
#include "reader_support.h"

#include "memory_store.h"
#include "writer_support.h"

#include "parquet/page.h"

static void init(bench *b) {
    memset(b, 0, sizeof *b);
    rwl_env_init_default(&b->env);
    rwl_op_init(&b->op, &b->env, 0);
}

void bench_local(bench *b) {
    init(b);
    ck_ok(b, rwl_store_local_new(&b->env, NULL, 0, &b->store, &b->err));
}

void bench_memory(bench *b, rwl_span file) {
    init(b);
    b->store = rwl_memory_store_new(&b->env, file);
    ck_assert_ptr_nonnull(b->store);
}

void bench_free(bench *b) {
    rwl_store_free(b->store);
    ck_assert_int_eq(atomic_load(&b->op.memory_used), 0);
}

static rwl_status append_batch(bench *b, const rwl_batch *from, rwl_batch *all) {
    rwl_range every = {0, from->length};
    for (int32_t i = 0; i < from->column_count; i++)
        RWL_TRY(rwl_column_take_ranges(&from->columns[i], &every, 1, &all->columns[i], &b->env, &b->err));
    all->length += from->length;
    return RWL_OK;
}

static rwl_status read_batches(bench *b, rwl_parquet_reader *r, const rwl_parquet_read_options *o,
                               rwl_batch *part, rwl_batch *all) {
    int64_t next = o->first_row;
    for (;;) {
        int64_t pos;
        RWL_TRY(rwl_parquet_reader_next(r, part, &pos, &b->err));
        if (part->length == 0)
            return RWL_OK;
        if (!o->ranges)
            check_msg(pos == next, "batch at %lld, not %lld", (long long)pos, (long long)next);
        next = pos + part->length;
        RWL_TRY(append_batch(b, part, all));
    }
}

rwl_status read_rows(bench *b, rwl_parquet_file *file, const rwl_parquet_read_options *o, rwl_batch *all,
                     rwl_parquet_read_stats *stats) {
    rwl_field *fields = rwl_calloc(&b->env, (size_t)o->node_count + 1, sizeof *fields);
    for (int32_t i = 0; i < o->node_count; i++)
        fields[i] = file->nodes[o->nodes[i]].field;
    rwl_batch part;
    ck_ok(b, rwl_batch_init(&part, &b->env, fields, o->node_count, &b->err));
    ck_ok(b, rwl_batch_init(all, &b->env, fields, o->node_count, &b->err));
    rwl_free(&b->env, fields);
    rwl_parquet_reader *r;
    rwl_status st = rwl_parquet_reader_new(b->store, &b->op, file, o, &r, &b->err);
    if (st == RWL_OK)
        st = read_batches(b, r, o, &part, all);
    if (r && stats)
        *stats = rwl_parquet_reader_stats(r);
    rwl_parquet_reader_free(r);
    rwl_batch_clear(&part);
    return st;
}

rwl_status read_leaf(bench *b, rwl_parquet_file *file, int32_t leaf, int64_t batch_rows, rwl_column *out) {
    rwl_parquet_read_options o = {
        .nodes = &file->leaves[leaf].top, .node_count = 1, .row_count = -1, .batch_rows = batch_rows};
    rwl_batch all;
    rwl_status st = read_rows(b, file, &o, &all, NULL);
    *out = all.columns[0];
    memset(&all.columns[0], 0, sizeof all.columns[0]);
    rwl_column_init_flat(&all.columns[0], &out->type);
    rwl_batch_clear(&all);
    return st;
}

/* --- building files --- */

#define PUT(expr) ck_assert_int_eq((expr), RWL_OK)

typedef struct chunk_place {
    int64_t dictionary, data, end, uncompressed;
} chunk_place;

static void put_i32(rwl_buf *o, int16_t *last, int16_t id, int32_t v) {
    PUT(rwl_thrift_put_field(o, last, id, RWL_THRIFT_I32, NULL));
    PUT(rwl_thrift_put_i32(o, v, NULL));
}

static void put_i64(rwl_buf *o, int16_t *last, int16_t id, int64_t v) {
    PUT(rwl_thrift_put_field(o, last, id, RWL_THRIFT_I64, NULL));
    PUT(rwl_thrift_put_i64(o, v, NULL));
}

static void put_text(rwl_buf *o, int16_t *last, int16_t id, const char *text) {
    PUT(rwl_thrift_put_field(o, last, id, RWL_THRIFT_BINARY, NULL));
    PUT(rwl_thrift_put_binary(o, rwl_span_str(text), NULL));
}

static void put_list(rwl_buf *o, int16_t *last, int16_t id, rwl_thrift_type item, uint32_t count) {
    PUT(rwl_thrift_put_field(o, last, id, RWL_THRIFT_LIST, NULL));
    PUT(rwl_thrift_put_list(o, item, count, NULL));
}

static void put_page_header(const page_spec *p, int32_t uncompressed, rwl_span body, rwl_buf *o) {
    int16_t last = 0, in = 0;
    put_i32(o, &last, 1, p->type);
    put_i32(o, &last, 2, p->lie_uncompressed ? p->lie_uncompressed : uncompressed);
    put_i32(o, &last, 3, (int32_t)body.len);
    if (p->with_crc || p->wrong_crc)
        put_i32(o, &last, 4, (int32_t)(rwl_crc32(0, body) ^ (p->wrong_crc ? 1u : 0u)));
    bool v2 = p->type == RWL_PARQUET_DATA_PAGE_V2;
    int16_t id = v2 ? 8 : p->type == RWL_PARQUET_DICTIONARY_PAGE ? 7 : 5;
    PUT(rwl_thrift_put_field(o, &last, id, RWL_THRIFT_STRUCT, NULL));
    put_i32(o, &in, 1, p->value_count);
    if (v2) {
        put_i32(o, &in, 2, p->null_count);
        put_i32(o, &in, 3, p->value_count);
        put_i32(o, &in, 4, p->encoding);
        put_i32(o, &in, 5, (int32_t)p->levels.len);
        put_i32(o, &in, 6, 0);
        if (p->plain_v2)
            PUT(rwl_thrift_put_field(o, &in, 7, RWL_THRIFT_FALSE, NULL));
    } else {
        put_i32(o, &in, 2, p->encoding);
        if (id == 5) {
            put_i32(o, &in, 3, p->level_encoding ? p->level_encoding : RWL_PARQUET_RLE);
            put_i32(o, &in, 4, RWL_PARQUET_BIT_PACKED);
        }
    }
    PUT(rwl_thrift_put_stop(o, NULL));
    PUT(rwl_thrift_put_stop(o, NULL));
}

static void compress(bench *b, int32_t codec, rwl_span in, rwl_buf *out) {
    rwl_codec_id id;
    ck_assert(rwl_parquet_codec_of(codec, &id));
    if (id == RWL_CODEC_NONE) {
        PUT(rwl_buf_append(out, in.data, in.len, NULL));
        return;
    }
    rwl_codec *c;
    ck_ok(b, rwl_codec_new(&b->env, id, 0, &c, &b->err));
    ck_ok(b, rwl_codec_compress(c, in, out, &b->err));
    rwl_codec_free(c);
}

static void put_page(bench *b, const page_spec *p, int32_t codec, rwl_buf *o, int64_t *uncompressed) {
    rwl_buf plain, body;
    rwl_buf_init(&plain, &b->env, SIZE_MAX);
    rwl_buf_init(&body, &b->env, SIZE_MAX);
    bool v2 = p->type == RWL_PARQUET_DATA_PAGE_V2;
    if (p->levels.data && !v2)
        PUT(rwl_buf_le32(&plain, (uint32_t)p->levels.len, NULL));
    if (p->levels.data)
        PUT(rwl_buf_append(v2 ? &body : &plain, p->levels.data, p->levels.len, NULL));
    PUT(rwl_buf_append(&plain, p->values.data, p->values.len, NULL));
    int32_t size = (int32_t)(plain.len + (v2 ? p->levels.len : 0));
    compress(b, p->plain_v2 ? 0 : codec, rwl_buf_span(&plain), &body);
    size_t before = o->len;
    put_page_header(p, size, rwl_buf_span(&body), o);
    *uncompressed += (int64_t)(o->len - before) + size;
    PUT(rwl_buf_append(o, body.data, body.len, NULL));
    rwl_buf_clear(&plain);
    rwl_buf_clear(&body);
}

static void put_schema(const file_spec *f, rwl_buf *o, int16_t *last) {
    put_list(o, last, 2, RWL_THRIFT_STRUCT, (uint32_t)f->column_count + 1);
    int16_t in = 0;
    put_text(o, &in, 4, "schema");
    put_i32(o, &in, 5, f->column_count);
    PUT(rwl_thrift_put_stop(o, NULL));
    for (int32_t i = 0; i < f->column_count; i++) {
        const column_spec *c = &f->columns[i];
        in = 0;
        put_i32(o, &in, 1, (int32_t)c->physical);
        if (c->physical == RWL_PARQUET_FIXED)
            put_i32(o, &in, 2, c->type_length);
        put_i32(o, &in, 3, c->optional ? 1 : 0);
        put_text(o, &in, 4, c->name);
        if (c->converted >= 0)
            put_i32(o, &in, 6, c->converted);
        if (c->precision > 0) {
            put_i32(o, &in, 7, c->scale);
            put_i32(o, &in, 8, c->precision);
        }
        if (c->id >= 0)
            put_i32(o, &in, 9, c->id);
        PUT(rwl_thrift_put_stop(o, NULL));
    }
}

static void put_chunk(const file_spec *f, const column_spec *c, const chunk_place *place, int64_t rows,
                      rwl_buf *o) {
    int16_t last = 0, in = 0;
    put_i64(o, &last, 2, 0);
    PUT(rwl_thrift_put_field(o, &last, 3, RWL_THRIFT_STRUCT, NULL));
    put_i32(o, &in, 1, (int32_t)c->physical);
    put_list(o, &in, 2, RWL_THRIFT_I32, 1);
    PUT(rwl_thrift_put_i32(o, 0, NULL));
    put_list(o, &in, 3, RWL_THRIFT_BINARY, 1);
    PUT(rwl_thrift_put_binary(o, rwl_span_str(c->name), NULL));
    put_i32(o, &in, 4, c->lie_codec > 0 ? c->lie_codec : c->codec);
    put_i64(o, &in, 5, rows + f->lie_values);
    put_i64(o, &in, 6, place->uncompressed);
    int64_t start = place->dictionary ? place->dictionary : place->data;
    put_i64(o, &in, 7, place->end - start);
    put_i64(o, &in, 9, (f->no_dictionary_offset ? start : place->data) + f->lie_offset);
    if (place->dictionary && !f->no_dictionary_offset)
        put_i64(o, &in, 11, place->dictionary);
    PUT(rwl_thrift_put_stop(o, NULL));
    PUT(rwl_thrift_put_stop(o, NULL));
}

static void put_footer(const file_spec *f, const chunk_place *places, rwl_buf *o) {
    size_t start = o->len;
    int16_t last = 0;
    int64_t rows = 0;
    for (int32_t g = 0; g < f->group_count; g++)
        rows += f->group_rows[g];
    put_i32(o, &last, 1, 1);
    put_schema(f, o, &last);
    put_i64(o, &last, 3, rows + f->lie_rows);
    put_list(o, &last, 4, RWL_THRIFT_STRUCT, (uint32_t)f->group_count);
    for (int32_t g = 0; g < f->group_count; g++) {
        int16_t in = 0;
        put_list(o, &in, 1, RWL_THRIFT_STRUCT, (uint32_t)f->column_count);
        for (int32_t i = 0; i < f->column_count; i++)
            put_chunk(f, &f->columns[i], &places[g * f->column_count + i], f->group_rows[g], o);
        put_i64(o, &in, 2, 0);
        put_i64(o, &in, 3, f->group_rows[g]);
        PUT(rwl_thrift_put_stop(o, NULL));
    }
    PUT(rwl_thrift_put_stop(o, NULL));
    PUT(rwl_buf_le32(o, (uint32_t)(o->len - start), NULL));
    PUT(rwl_buf_append(o, "PAR1", 4, NULL));
}

void build_file(bench *b, const file_spec *f, rwl_buf *o) {
    rwl_buf_init(o, &b->env, SIZE_MAX);
    PUT(rwl_buf_append(o, "PAR1", 4, NULL));
    size_t chunks = (size_t)f->group_count * (size_t)f->column_count;
    chunk_place *places = rwl_calloc(&b->env, chunks + 1, sizeof *places);
    int32_t *used = rwl_calloc(&b->env, (size_t)f->column_count + 1, sizeof *used);
    for (int32_t g = 0; g < f->group_count; g++)
        for (int32_t i = 0; i < f->column_count; i++) {
            const column_spec *c = &f->columns[i];
            chunk_place *place = &places[g * f->column_count + i];
            for (int32_t p = 0; p < c->pages_in_group[g]; p++) {
                const page_spec *page = &c->pages[used[i]++];
                if (page->type == RWL_PARQUET_DICTIONARY_PAGE && !place->dictionary && !place->data)
                    place->dictionary = (int64_t)o->len;
                else if (!place->data)
                    place->data = (int64_t)o->len;
                put_page(b, page, c->codec, o, &place->uncompressed);
            }
            if (!place->data)
                place->data = (int64_t)o->len;
            place->end = (int64_t)o->len;
        }
    put_footer(f, places, o);
    rwl_free(&b->env, places);
    rwl_free(&b->env, used);
}
