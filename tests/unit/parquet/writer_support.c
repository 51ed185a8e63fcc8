/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the writer's tests. */
#include "writer_support.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

rwl_env writer_env;
rwl_op writer_op;
rwl_store *writer_store;
const char *writer_path;
rwl_error writer_error;

static char dir[64], path[96];

void writer_setup(void) {
    rwl_env_init_default(&writer_env);
    rwl_op_init(&writer_op, &writer_env, 0);
    snprintf(dir, sizeof dir, "/tmp/rowline-parquet-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/file.parquet", dir);
    writer_path = path;
    write_ok(rwl_store_local_new(&writer_env, NULL, 0, &writer_store, &writer_error));
}

void writer_teardown(void) {
    rwl_store_free(writer_store);
    unlink(path);
    rmdir(dir);
}

int writer_dir_entries(void) {
    DIR *d = opendir(dir);
    ck_assert_ptr_nonnull(d);
    int count = -2; /* "." and ".." */
    while (readdir(d) != NULL)
        count++;
    closedir(d);
    return count;
}

void every_type(rwl_field fields[EVERY_TYPE], bool required) {
    static const rwl_type_kind kinds[EVERY_TYPE] = {
        RWL_TYPE_BOOLEAN,     RWL_TYPE_INT,          RWL_TYPE_LONG,           RWL_TYPE_FLOAT,
        RWL_TYPE_DOUBLE,      RWL_TYPE_DECIMAL,      RWL_TYPE_DECIMAL,        RWL_TYPE_DECIMAL,
        RWL_TYPE_DECIMAL,     RWL_TYPE_DATE,         RWL_TYPE_TIME,           RWL_TYPE_TIMESTAMP,
        RWL_TYPE_TIMESTAMPTZ, RWL_TYPE_TIMESTAMP_NS, RWL_TYPE_TIMESTAMPTZ_NS, RWL_TYPE_STRING,
        RWL_TYPE_UUID,        RWL_TYPE_FIXED,        RWL_TYPE_BINARY,         RWL_TYPE_DECIMAL};
    static const int32_t precisions[EVERY_TYPE] = {[5] = 9, [6] = 18, [7] = 19, [8] = 38, [19] = 2};
    static const char *const names[EVERY_TYPE] = {"c1",  "c2",  "c3",  "c4",  "c5",  "c6",  "c7",
                                                  "c8",  "c9",  "c10", "c11", "c12", "c13", "c14",
                                                  "c15", "c16", "c17", "c18", "c19", "c20"};
    memset(fields, 0, EVERY_TYPE * sizeof *fields);
    for (int i = 0; i < EVERY_TYPE; i++) {
        fields[i].name = names[i];
        fields[i].id = i + 1;
        fields[i].required = required;
        fields[i].type = rwl_type_of(kinds[i]);
        fields[i].type.precision = precisions[i];
        fields[i].type.scale = precisions[i] > 0 ? 1 : 0;
        fields[i].type.length = kinds[i] == RWL_TYPE_FIXED ? 7 : 0;
    }
}

/* --- random values --- */

static uint64_t mix(uint64_t v) {
    v = (v ^ v >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return v ^ v >> 29;
}

static double pick_double(uint64_t k) {
    static const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1e308, 5e-324};
    return k % 16 < 7 ? special[k % 16] : (double)(int64_t)mix(k) / 3;
}

static int64_t pick_integer(uint64_t k) {
    static const int64_t special[] = {0, -1, INT64_MIN, INT64_MAX};
    return k % 16 < 4 ? special[k % 16] : (int64_t)mix(k);
}

static rwl_i128 pick_decimal(uint64_t k, int32_t precision) {
    rwl_i128 limit = rwl_i128_pow10(precision), most = limit - 1;
    if (k % 16 < 2)
        return k % 16 == 0 ? most : -most;
    rwl_i128 v = (rwl_i128)((rwl_u128)mix(k) << 64 | mix(k + 1));
    return v % limit;
}

/* The k-th value of a type; bytes live in `buf`. */
static rwl_value pick(const rwl_type *type, uint64_t k, char buf[128]) {
    rwl_value v = rwl_value_null(type->kind);
    v.is_null = false;
    uint64_t m = mix(k);
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        v.as.b = k % 2;
        break;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        v.as.i32 = k % 16 == 2 ? INT32_MIN : k % 16 == 3 ? INT32_MAX : (int32_t)pick_integer(k);
        break;
    case RWL_TYPE_FLOAT:
        v.as.f32 = (float)pick_double(k);
        break;
    case RWL_TYPE_DOUBLE:
        v.as.f64 = pick_double(k);
        break;
    case RWL_TYPE_DECIMAL:
        v.as.i128 = pick_decimal(k, type->precision);
        break;
    case RWL_TYPE_STRING: /* 0 to 120 bytes, euro signs among them */
        buf[0] = 0;
        for (uint64_t i = 0; i < k % 40; i++)
            strcat(buf, (m >> i) % 3 == 0 ? "\xE2\x82\xAC" : (m >> i) % 3 == 1 ? "a" : "z");
        v.as.bytes = rwl_span_str(buf);
        break;
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
        memcpy(buf, &m, 8);
        memcpy(buf + 8, &k, 8);
        v.as.bytes = rwl_span_of(buf, type->kind == RWL_TYPE_UUID ? 16 : (size_t)type->length);
        break;
    case RWL_TYPE_BINARY:
        memset(buf, k % 5 == 0 ? 0xFF : 1, 128);
        memcpy(buf, &m, k % 5 == 0 ? 0 : 8);
        v.as.bytes = rwl_span_of(buf, k % 90);
        break;
    default:
        v.as.i64 = pick_integer(k);
        break;
    }
    return v;
}

static void append_column(rwl_column *column, const rwl_type *type, column_style style, int64_t rows,
                          unsigned *seed) {
    char buf[128];
    rwl_value v = rwl_value_null(type->kind);
    for (int64_t i = 0; i < rows; i++) {
        if (i == 0 || rand_r(seed) % style.run == 0)
            v = pick(type, (uint64_t)rand_r(seed) % (uint64_t)style.distinct, buf);
        rwl_value null = rwl_value_null(type->kind);
        bool is_null = rand_r(seed) % 100 < style.null_percent;
        write_ok(rwl_column_append(column, &writer_env, is_null ? &null : &v, 1, &writer_error));
    }
}

void append_random(rwl_batch *batch, const rwl_field *fields, const column_style *styles, int64_t rows,
                   unsigned *seed) {
    for (int32_t i = 0; i < batch->column_count; i++) {
        column_style style = styles[i];
        if (fields[i].required)
            style.null_percent = 0;
        append_column(&batch->columns[i], &fields[i].type, style, rows, seed);
    }
    batch->length += rows;
}

/* --- failing allocations --- */

static int64_t allocations_left; /* the one after them fails */
static int64_t blocks_held;

static void *failing_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    if (size == 0) {
        blocks_held -= old != NULL;
        free(old);
        return NULL;
    }
    if (allocations_left-- <= 0)
        return NULL;
    void *block = realloc(old, size);
    blocks_held += old == NULL && block != NULL;
    return block;
}

void check_failed_allocations(write_fn write, void *ctx) {
    rwl_env env = writer_env;
    rwl_op op;
    rwl_store *store;
    env.realloc = failing_realloc;
    allocations_left = INT64_MAX;
    rwl_op_init(&op, &env, 0);
    write_ok(rwl_store_local_new(&env, NULL, 0, &store, &writer_error));
    int64_t before = blocks_held, done = 0;
    rwl_status st = RWL_NO_MEMORY;
    for (int64_t n = 0; st != RWL_OK; n += 1 + n / 100, done++) {
        allocations_left = n;
        st = write(store, &op, ctx);
        check_msg(st == RWL_OK || st == RWL_NO_MEMORY, "allocation %lld: status %d: %s", (long long)n, st,
                  writer_error.message);
        check_msg(blocks_held == before, "allocation %lld: %lld blocks leaked", (long long)n,
                  (long long)(blocks_held - before));
        check_msg(writer_dir_entries() == (st == RWL_OK), "allocation %lld: files left", (long long)n);
    }
    ck_assert_int_gt(done, 100);
    rwl_store_free(store);
}

/* --- comparing --- */

static rwl_span bits_of(const rwl_column *c, int64_t row, uint8_t *boolean) {
    if (c->type.kind == RWL_TYPE_BOOLEAN) {
        *boolean = rwl_bit_get(c->values.data, row);
        return rwl_span_of(boolean, 1);
    }
    if (rwl_type_is_bytes(&c->type))
        return rwl_column_bytes(c, row);
    size_t width = (size_t)rwl_type_width(&c->type);
    return rwl_span_of(c->values.data + (size_t)row * width, width);
}

static void check_column(const rwl_column *got, const rwl_column *all, int64_t first, const char *name) {
    uint8_t a, b;
    for (int64_t i = 0; i < got->length; i++) {
        bool is_null = rwl_column_is_null(all, first + i);
        check_msg(rwl_column_is_null(got, i) == is_null, "%s row %lld: null", name, (long long)(first + i));
        if (!is_null)
            check_msg(rwl_span_equal(bits_of(got, i, &a), bits_of(all, first + i, &b)), "%s row %lld", name,
                      (long long)(first + i));
    }
}

void check_read_back(const char *location, const rwl_batch *all, const rwl_field *fields,
                     int64_t batch_rows) {
    rwl_parquet_file *file;
    rwl_parquet_reader *reader;
    rwl_batch batch;
    int32_t leaves[64];
    write_ok(rwl_parquet_open(writer_store, &writer_op, location, -1, &file, &writer_error));
    ck_assert_int_eq(file->row_count, all->length);
    ck_assert_int_eq(file->leaf_count, all->column_count);
    for (int32_t i = 0; i < all->column_count; i++) {
        const rwl_field *f = &file->leaves[i].field;
        ck_assert_str_eq(f->name, fields[i].name);
        ck_assert_int_eq(f->id, fields[i].id);
        ck_assert_int_eq(f->required, fields[i].required);
        ck_assert_msg(rwl_type_equal(&f->type, &fields[i].type), "%s: another type", f->name);
        leaves[i] = i;
    }
    rwl_parquet_read_options options = {
        .nodes = leaves, .node_count = all->column_count, .row_count = -1, .batch_rows = batch_rows};
    write_ok(rwl_batch_init(&batch, &writer_env, fields, all->column_count, &writer_error));
    write_ok(rwl_parquet_reader_new(writer_store, &writer_op, file, &options, &reader, &writer_error));
    int64_t done = 0, first;
    for (;;) {
        write_ok(rwl_parquet_reader_next(reader, &batch, &first, &writer_error));
        if (batch.length == 0)
            break;
        ck_assert_int_eq(first, done);
        for (int32_t i = 0; i < all->column_count; i++)
            check_column(&batch.columns[i], &all->columns[i], done, fields[i].name);
        done += batch.length;
    }
    ck_assert_int_eq(done, all->length);
    rwl_parquet_reader_free(reader);
    rwl_batch_clear(&batch);
    rwl_parquet_close(file);
}

static bool is_nan(const rwl_value *v) {
    return (v->kind == RWL_TYPE_FLOAT && isnan(v->as.f32)) ||
           (v->kind == RWL_TYPE_DOUBLE && isnan(v->as.f64));
}

/* A zero bound has the sign that makes it the widest. */
static void widen_zero(rwl_value *v, bool upper) {
    if (v->kind == RWL_TYPE_FLOAT && v->as.f32 == 0)
        v->as.f32 = upper ? 0.0f : -0.0f;
    if (v->kind == RWL_TYPE_DOUBLE && v->as.f64 == 0)
        v->as.f64 = upper ? 0.0 : -0.0;
}

typedef struct expected {
    int64_t nulls, nans;
    bool has_bounds;
    rwl_value lower, upper;
} expected;

static expected expect(const rwl_column *c, int64_t first, int64_t rows) {
    expected e = {0};
    for (int64_t i = first; i < first + rows; i++) {
        rwl_value v = rwl_column_value(c, i);
        e.nulls += v.is_null;
        if (v.is_null || is_nan(&v)) {
            e.nans += !v.is_null;
            continue;
        }
        if (!e.has_bounds || rwl_value_compare(&v, &e.lower) < 0)
            e.lower = v;
        if (!e.has_bounds || rwl_value_compare(&v, &e.upper) > 0)
            e.upper = v;
        e.has_bounds = true;
    }
    widen_zero(&e.lower, false);
    widen_zero(&e.upper, true);
    return e;
}

void check_metrics(const rwl_parquet_written *written, const rwl_batch *all) {
    ck_assert_int_eq(written->row_count, all->length);
    ck_assert_int_eq(written->column_count, all->column_count);
    for (int32_t i = 0; i < all->column_count; i++) {
        const rwl_parquet_column_metrics *m = &written->columns[i];
        rwl_type_kind kind = all->columns[i].type.kind;
        expected e = expect(&all->columns[i], 0, all->length);
        ck_assert_int_eq(m->value_count, all->length);
        ck_assert_int_eq(m->null_count, e.nulls);
        ck_assert_int_eq(m->nan_count, kind == RWL_TYPE_FLOAT || kind == RWL_TYPE_DOUBLE ? e.nans : -1);
        ck_assert_int_eq(m->has_bounds, e.has_bounds);
        if (e.has_bounds) {
            ck_assert_msg(rwl_value_compare(&m->lower, &e.lower) == 0, "lower bound of column %d", i);
            ck_assert_msg(rwl_value_compare(&m->upper, &e.upper) == 0, "upper bound of column %d", i);
        }
    }
}

/* A bound is the least or greatest value, or, of strings, a cut one beyond it that says so. */
static void check_bound(const rwl_parquet_leaf *leaf, rwl_span bound, bool is_exact, const rwl_value *value,
                        int beyond) {
    rwl_value v;
    if (!rwl_parquet_stats_value(leaf, bound, &v)) {
        ck_assert(beyond > 0 && rwl_type_is_bytes(&leaf->field.type)); /* nothing is greater in 64 bytes */
        return;
    }
    int order = rwl_value_compare(&v, value);
    ck_assert(order == 0 || (order == beyond && rwl_type_is_bytes(&leaf->field.type)));
    ck_assert_int_eq(is_exact, order == 0);
}

static void check_chunk(const rwl_parquet_leaf *leaf, const rwl_parquet_chunk *chunk, const expected *e) {
    const rwl_parquet_stats *s = &chunk->stats;
    rwl_type_kind kind = leaf->field.type.kind;
    ck_assert_int_eq(s->null_count, e->nulls);
    ck_assert_int_eq(s->nan_count, kind == RWL_TYPE_FLOAT || kind == RWL_TYPE_DOUBLE ? e->nans : -1);
    if (e->has_bounds) {
        check_bound(leaf, s->min, s->min_is_exact, &e->lower, -1);
        check_bound(leaf, s->max, s->max_is_exact, &e->upper, 1);
    } else {
        ck_assert(s->min.data == NULL && s->max.data == NULL);
    }
}

void check_statistics(const char *location, const rwl_batch *all) {
    rwl_parquet_file *file;
    write_ok(rwl_parquet_open(writer_store, &writer_op, location, -1, &file, &writer_error));
    for (int32_t g = 0; g < file->group_count; g++) {
        const rwl_parquet_group *group = &file->groups[g];
        for (int32_t i = 0; i < file->leaf_count; i++) {
            expected e = expect(&all->columns[i], group->first_row, group->row_count);
            check_chunk(&file->leaves[i], &group->chunks[i], &e);
        }
    }
    rwl_parquet_close(file);
}
