/* SPDX-License-Identifier: Apache-2.0 */
/* Nested, variant and geo columns: written and read back, in every version, encoding and page size. */
#include "suites.h"
#include "writer_support.h"

#include <stdlib.h>

/* --- random nested rows --- */

static bool flip(unsigned *seed, int percent) {
    return rand_r(seed) % 100 < percent;
}

static void set_valid(rwl_column *c, bool valid) {
    write_ok(rwl_column_reserve(c, &writer_env, c->length + 1, 0, &writer_error));
    if (!valid && c->null_count == 0)
        write_ok(rwl_column_need_validity(c, &writer_env, c->length + 1, &writer_error));
    c->null_count += !valid;
    if (c->null_count > 0 && valid)
        rwl_bit_set(c->validity.data, c->length);
    else if (c->null_count > 0)
        rwl_bit_clear(c->validity.data, c->length);
    c->length++;
}

static void append_row(rwl_column *c, const rwl_field *field, bool forced_valid, unsigned *seed);

static void append_list(rwl_column *c, const rwl_field *field, bool valid, unsigned *seed) {
    int count = !valid || flip(seed, 30) ? 0 : 1 + rand_r(seed) % 4;
    if (valid && flip(seed, 1))
        count = 300; /* longer than a small page */
    for (int i = 0; i < count; i++)
        for (int32_t k = 0; k < field->type.child_count; k++)
            append_row(&c->children[k], &field->type.children[k], field->type.kind == RWL_TYPE_MAP && k == 0,
                       seed);
    set_valid(c, valid);
    int32_t *offsets = (int32_t *)(void *)c->offsets.data;
    if (c->length == 1)
        offsets[0] = 0;
    offsets[c->length] = (int32_t)c->children[0].length;
}

/* Metadata of two names and a value of up to 40 bytes: {"a": <string>} by hand (VariantEncoding.md). */
static rwl_span make_variant(uint8_t *buf, unsigned *seed) {
    static const uint8_t metadata[] = {0x01, 1, 0, 1, 'a'}; /* version 1, one name, offsets 0 1 */
    uint8_t len = (uint8_t)(rand_r(seed) % 30);
    memcpy(buf, metadata, sizeof metadata);
    uint8_t *v = buf + sizeof metadata;
    v[0] = 0x02; /* object: one-byte sizes */
    v[1] = 1;    /* field */
    v[2] = 0;    /* its name */
    v[3] = 0;
    v[4] = (uint8_t)(len + 1);
    v[5] = (uint8_t)(len << 2 | 1); /* short string */
    memset(v + 6, 'x', len);
    return rwl_span_of(buf, sizeof metadata + 6 + len);
}

static void append_flat(rwl_column *c, const rwl_field *field, bool valid, unsigned *seed) {
    uint8_t buf[64];
    rwl_value v = {.kind = field->type.kind, .is_null = !valid};
    switch (field->type.kind) {
    case RWL_TYPE_BOOLEAN:
        v.as.b = flip(seed, 30);
        break;
    case RWL_TYPE_INT:
        v.as.i32 = rand_r(seed) % 50;
        break;
    case RWL_TYPE_DOUBLE:
        v.as.f64 = rand_r(seed) / 7.0;
        break;
    case RWL_TYPE_DECIMAL:
        v.as.i128 = rand_r(seed) - (1 << 29);
        break;
    case RWL_TYPE_UUID:
        for (int i = 0; i < 16; i++)
            buf[i] = (uint8_t)rand_r(seed);
        v.as.bytes = rwl_span_of(buf, 16);
        break;
    case RWL_TYPE_STRING:
        memset(buf, 'a' + rand_r(seed) % 3, sizeof buf);
        v.as.bytes = rwl_span_of(buf, (size_t)(rand_r(seed) % 40));
        break;
    case RWL_TYPE_GEOMETRY: /* POINT (x y): little endian, type 1 */
        memset(buf, 0, 21);
        buf[0] = buf[1] = 1;
        buf[10] = (uint8_t)rand_r(seed);
        v.as.bytes = rwl_span_of(buf, 21);
        break;
    case RWL_TYPE_VARIANT:
        v.as.bytes = make_variant(buf, seed);
        break;
    default:
        v.as.i64 = rand_r(seed);
        break;
    }
    write_ok(rwl_column_append(c, &writer_env, &v, 1, &writer_error));
}

static void append_row(rwl_column *c, const rwl_field *field, bool forced_valid, unsigned *seed) {
    bool valid = field->required || forced_valid || !flip(seed, 25);
    if (field->type.kind == RWL_TYPE_STRUCT) {
        for (int32_t i = 0; i < field->type.child_count; i++)
            append_row(&c->children[i], &field->type.children[i], false, seed);
        set_valid(c, valid);
    } else if (rwl_type_is_nested(&field->type)) {
        append_list(c, field, valid, seed);
    } else {
        append_flat(c, field, valid, seed);
    }
}

/* --- comparing --- */

static void compare(const rwl_column *a, int64_t i, const rwl_column *b, int64_t k, const char *name) {
    bool is_null = rwl_column_is_null(a, i);
    check_msg(rwl_column_is_null(b, k) == is_null, "%s: null", name);
    if (is_null)
        return;
    if (a->type.kind == RWL_TYPE_STRUCT) {
        for (int32_t n = 0; n < a->type.child_count; n++)
            compare(&a->children[n], i, &b->children[n], k, a->type.children[n].name);
    } else if (rwl_type_is_nested(&a->type)) {
        const int32_t *x = rwl_column_offsets(a) + i, *y = rwl_column_offsets(b) + k;
        check_msg(x[1] - x[0] == y[1] - y[0], "%s: %d elements, not %d", name, y[1] - y[0], x[1] - x[0]);
        for (int32_t e = 0; e < x[1] - x[0]; e++)
            for (int32_t n = 0; n < a->type.child_count; n++)
                compare(&a->children[n], x[0] + e, &b->children[n], y[0] + e, a->type.children[n].name);
    } else if (a->type.kind == RWL_TYPE_BOOLEAN) {
        check_msg(rwl_bit_get(a->values.data, i) == rwl_bit_get(b->values.data, k), "%s: another value",
                  name);
    } else if (rwl_type_is_bytes(&a->type)) {
        check_msg(rwl_span_equal(rwl_column_bytes(a, i), rwl_column_bytes(b, k)), "%s: other bytes", name);
    } else {
        size_t width = (size_t)rwl_type_width(&a->type);
        check_msg(memcmp(a->values.data + (size_t)i * width, b->values.data + (size_t)k * width, width) == 0,
                  "%s: another value", name);
    }
}

static void check_same(const rwl_batch *all, const rwl_field *fields) {
    rwl_parquet_file *file;
    rwl_parquet_reader *reader;
    rwl_batch batch;
    int32_t nodes[16];
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, -1, &file, &writer_error));
    ck_assert_int_eq(file->row_count, all->length);
    ck_assert_int_eq(file->node_count, all->column_count);
    for (int32_t i = 0; i < file->node_count; i++) {
        nodes[i] = i;
        ck_assert_msg(rwl_type_equal(&file->nodes[i].field.type, &fields[i].type), "%s: another type",
                      fields[i].name);
        ck_assert_int_eq(file->nodes[i].field.id, fields[i].id);
    }
    rwl_parquet_read_options options = {
        .nodes = nodes, .node_count = file->node_count, .row_count = -1, .batch_rows = 700};
    write_ok(rwl_batch_init(&batch, &writer_env, fields, all->column_count, &writer_error));
    write_ok(rwl_parquet_reader_new(writer_store, &writer_op, file, &options, &reader, &writer_error));
    int64_t done = 0, first;
    for (;;) {
        write_ok(rwl_parquet_reader_next(reader, &batch, &first, &writer_error));
        if (batch.length == 0)
            break;
        for (int32_t i = 0; i < all->column_count; i++)
            for (int64_t r = 0; r < batch.length; r++)
                compare(&all->columns[i], done + r, &batch.columns[i], r, fields[i].name);
        done += batch.length;
    }
    ck_assert_int_eq(done, all->length);
    rwl_parquet_reader_free(reader);
    rwl_batch_clear(&batch);
    rwl_parquet_close(file);
}

/* --- the fields --- */

#define OF(kind_, children_, count_)                                                                         \
    { .kind = kind_, .children = children_, .child_count = count_ }

static const rwl_field an_int = {.name = "element", .id = 20, .type = {.kind = RWL_TYPE_INT}};
static const rwl_field ints[] = {
    {.name = "element", .id = 21, .type = OF(RWL_TYPE_LIST, &an_int, 1)}}; /* a list of lists */
static const rwl_field pair[] = {
    {.name = "key", .id = 22, .required = true, .type = {.kind = RWL_TYPE_STRING}},
    {.name = "value", .id = 23, .type = {.kind = RWL_TYPE_DOUBLE}}};
static const rwl_field inner[] = {
    {.name = "yes", .id = 24, .type = {.kind = RWL_TYPE_BOOLEAN}},
    {.name = "price",
     .id = 25,
     .required = true,
     .type = {.kind = RWL_TYPE_DECIMAL, .precision = 12, .scale = 2}},
    {.name = "wide", .id = 26, .type = {.kind = RWL_TYPE_DECIMAL, .precision = 30, .scale = 2}},
    {.name = "key", .id = 27, .type = {.kind = RWL_TYPE_UUID}},
    {.name = "any", .id = 28, .type = {.kind = RWL_TYPE_VARIANT}},
    {.name = "shape", .id = 29, .type = {.kind = RWL_TYPE_GEOMETRY}},
    {.name = "map", .id = 30, .type = OF(RWL_TYPE_MAP, pair, 2)}};
static const rwl_field item = {
    .name = "element", .id = 31, .required = true, .type = OF(RWL_TYPE_STRUCT, inner, 7)};
static const rwl_field fields[] = {
    {.name = "id", .id = 1, .required = true, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "lists", .id = 2, .type = OF(RWL_TYPE_LIST, ints, 1)},
    {.name = "items", .id = 3, .type = OF(RWL_TYPE_LIST, &item, 1)},
    {.name = "one", .id = 4, .required = true, .type = OF(RWL_TYPE_STRUCT, inner, 7)},
    {.name = "map", .id = 5, .type = OF(RWL_TYPE_MAP, pair, 2)},
    {.name = "any", .id = 6, .type = {.kind = RWL_TYPE_VARIANT}},
    {.name = "place", .id = 7, .type = {.kind = RWL_TYPE_GEOMETRY}},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void make_rows(rwl_batch *all, int64_t rows, unsigned seed) {
    write_ok(rwl_batch_init(all, &writer_env, fields, FIELDS, &writer_error));
    for (int64_t r = 0; r < rows; r++)
        for (int32_t i = 0; i < FIELDS; i++)
            append_row(&all->columns[i], &fields[i], false, &seed);
    all->length = rows;
}

static void write_all(const rwl_batch *all, const rwl_parquet_write_options *options,
                      rwl_parquet_written *written) {
    rwl_parquet_writer *w;
    write_ok(rwl_parquet_writer_open(writer_store, &writer_op, writer_path, fields, FIELDS, options, &w,
                                     &writer_error));
    write_ok(rwl_parquet_writer_write(w, all, &writer_error));
    write_ok(rwl_parquet_writer_finish(w, written, &writer_error));
}

static const rwl_parquet_write_options trips[] = {
    {.codec = RWL_CODEC_ZSTD},
    {.codec = RWL_CODEC_NONE, .page_rows = 50},
    {.codec = RWL_CODEC_SNAPPY, .page_bytes = 500, .page_v2 = true},
    {.codec = RWL_CODEC_LZ4_RAW, .dictionary_bytes = -1, .prefer = RWL_PARQUET_PREFER_DELTA, .page_v2 = true},
    {.codec = RWL_CODEC_NONE, .dictionary_bytes = -1, .prefer = RWL_PARQUET_PREFER_SPLIT, .page_rows = 1},
    {.codec = RWL_CODEC_GZIP,
     .row_group_rows = 333,
     .prefer = RWL_PARQUET_PREFER_DELTA,
     .dictionary_bytes = 300},
    {.codec = RWL_CODEC_ZSTD, .row_group_bytes = 20000, .without_index = true, .without_crc = true},
};

START_TEST(nested_rows_are_read_back) {
    rwl_batch all;
    rwl_parquet_written written;
    make_rows(&all, 1500, (unsigned)_i + 1);
    write_all(&all, &trips[_i], &written);
    check_same(&all, fields);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

/* Metrics behind the fields: one a leaf of nested fields; nothing repeated is bounded for Iceberg. */
START_TEST(metrics_name_nested_leaves) {
    rwl_batch all;
    rwl_parquet_written written;
    make_rows(&all, 500, 9);
    write_all(&all, &trips[0], &written);
    int repeated = 0, single = 0;
    for (int32_t i = FIELDS; i < written.column_count; i++) {
        const rwl_parquet_column_metrics *m = &written.columns[i];
        repeated += m->is_repeated;
        single += !m->is_repeated;
        ck_assert_int_ge(m->field_id, 20);
        ck_assert_int_ge(m->value_count, 500);
        ck_assert(m->is_repeated || m->value_count == 500);
    }
    /* lists: 1; items: 6 leaves, 2 of the variant in one, and the map's 2; one: the same, of which the map repeats */
    ck_assert_int_ge(single, 6);
    ck_assert_int_ge(repeated, 1 + 8 + 2 + 2);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

/* --- faults --- */

static rwl_status write_every_way(rwl_store *store, rwl_op *op, void *ctx) {
    const rwl_parquet_column_options columns[] = {{.path = "id", .bloom = true},
                                                  {.path = "lists.list.element.list.element", .bloom = true},
                                                  {.path = "map.key_value.key", .dictionary = 1}};
    const rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD,
                                               .dictionary_bytes = -1,
                                               .prefer = RWL_PARQUET_PREFER_DELTA,
                                               .page_v2 = true,
                                               .page_rows = 20,
                                               .row_group_rows = 70,
                                               .columns = columns,
                                               .column_count = 3};
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    RWL_TRY(rwl_parquet_writer_open(store, op, writer_path, fields, FIELDS, &options, &w, &writer_error));
    rwl_status st = rwl_parquet_writer_write(w, ctx, &writer_error);
    if (st != RWL_OK) {
        rwl_parquet_writer_abort(w);
        return st;
    }
    st = rwl_parquet_writer_finish(w, &written, &writer_error);
    rwl_parquet_written_clear(&written);
    return st;
}

START_TEST(a_failed_allocation_of_nested_rows_leaves_nothing) {
    rwl_batch all;
    make_rows(&all, 100, 3);
    check_failed_allocations(write_every_way, &all);
    check_same(&all, fields);
    rwl_batch_clear(&all);
}
END_TEST

Suite *writer_nested_suite(void) {
    Suite *suite = suite_create("parquet writer: nested columns");
    TCase *tc = tcase_create("nested");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, writer_setup, writer_teardown);
    tcase_add_loop_test(tc, nested_rows_are_read_back, 0, sizeof trips / sizeof *trips);
    tcase_add_test(tc, metrics_name_nested_leaves);
    tcase_add_test(tc, a_failed_allocation_of_nested_rows_leaves_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
