/* SPDX-License-Identifier: Apache-2.0 */
/* Random columns and values of every flat type. */
#include "values.h"

#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- failing --- */

static void (*print_context)(void *ctx);
static void *context;

void set_failure_context(void (*print)(void *ctx), void *ctx) {
    print_context = print;
    context = ctx;
}

void fail_test(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fputs("FAILED: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    if (print_context != NULL)
        print_context(context);
    exit(EXIT_FAILURE);
}

static void *need(void *block) {
    EXPECT(block != NULL, "out of memory");
    return block;
}

/* --- types --- */

/* In v2: as far as V3_FROM. */
static const rwl_type_kind KINDS[] = {
    RWL_TYPE_BOOLEAN,      RWL_TYPE_INT,           RWL_TYPE_LONG, RWL_TYPE_FLOAT,     RWL_TYPE_DOUBLE,
    RWL_TYPE_DECIMAL,      RWL_TYPE_DATE,          RWL_TYPE_TIME, RWL_TYPE_TIMESTAMP, RWL_TYPE_TIMESTAMPTZ,
    RWL_TYPE_STRING,       RWL_TYPE_STRING,        RWL_TYPE_UUID, RWL_TYPE_FIXED,     RWL_TYPE_BINARY,
    RWL_TYPE_TIMESTAMP_NS, RWL_TYPE_TIMESTAMPTZ_NS};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS, V3_FROM = 15 };

static rwl_type make_type(uint64_t *random, int32_t version) {
    rwl_type type = rwl_type_of(KINDS[draw_below(random, version >= 3 ? KIND_COUNT : V3_FROM)]);
    if (type.kind == RWL_TYPE_DECIMAL) {
        static const int32_t precisions[] = {4, 9, 15, 18, 19, 38};
        type.precision = precisions[draw_below(random, 6)];
        type.scale = (int32_t)draw_below(random, type.precision < 9 ? type.precision + 1 : 9);
    }
    if (type.kind == RWL_TYPE_FIXED)
        type.length = 1 + (int32_t)draw_below(random, 20);
    return type;
}

/* --- values --- */

static int64_t make_integer(uint64_t *random, int64_t least, int64_t greatest) {
    switch (draw_below(random, 8)) {
    case 0:
        return least;
    case 1:
        return greatest;
    case 2:
        return 0;
    default:
        return (int64_t)((uint64_t)least +
                         (uint64_t)((rwl_u128)draw_u64(random) %
                                    ((rwl_u128)((uint64_t)greatest - (uint64_t)least) + 1)));
    }
}

static double make_double(uint64_t *random) {
    static const double special[] = {0.0, -0.0, 1.0, -1.5, 1e300, 5e-324, INFINITY, -INFINITY, NAN, 3.25};
    if (draw_chance(random, 60))
        return special[draw_below(random, 10)];
    return ((double)draw_below(random, 2000000) - 1e6) / 64;
}

static rwl_span make_bytes(rwl_arena *arena, uint64_t *random, size_t len) {
    uint8_t *bytes = need(rwl_arena_alloc(arena, len));
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(draw_chance(random, 20) ? 0xFF : draw_u64(random));
    return rwl_span_of(bytes, len);
}

static rwl_span make_string(rwl_arena *arena, uint64_t *random) {
    static const char *const words[] = {
        "",
        "a",
        "O'Hara",
        "\"",
        "z\xc3\xbcrich",
        "\xf0\x9f\x90\xa7",
        "\xef\xbf\xbf",
        "b c",
        "a rather long text that passes the sixteen characters kept in bounds"};
    if (draw_chance(random, 70))
        return rwl_span_str(words[draw_below(random, 9)]);
    const char *text = need(rwl_arena_printf(arena, "s%lld", (long long)draw_below(random, 1000)));
    return rwl_span_str(text);
}

static rwl_i128 make_decimal(uint64_t *random, int32_t precision) {
    rwl_i128 limit = rwl_i128_pow10(precision) - 1;
    if (draw_chance(random, 30))
        return draw_chance(random, 50) ? limit : -limit;
    rwl_u128 bits = (rwl_u128)draw_u64(random) << 64 | draw_u64(random);
    rwl_i128 value = (rwl_i128)(bits % (rwl_u128)(limit + 1));
    return draw_chance(random, 50) ? value : -value;
}

#define DAY_US   INT64_C(86400000000)
#define YEARS_US (INT64_C(25000) * DAY_US) /* years 1901 to 2038: text forms without signs */

static rwl_value draw_value(rwl_arena *arena, uint64_t *random, const rwl_type *type) {
    rwl_value v = rwl_value_null(type->kind);
    v.is_null = type->kind == RWL_TYPE_UNKNOWN;
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        v.as.b = draw_chance(random, 50);
        break;
    case RWL_TYPE_INT:
        v.as.i32 = (int32_t)make_integer(random, INT32_MIN, INT32_MAX);
        break;
    case RWL_TYPE_LONG:
        v.as.i64 = make_integer(random, INT64_MIN, INT64_MAX);
        break;
    case RWL_TYPE_FLOAT:
        v.as.f32 = (float)make_double(random);
        break;
    case RWL_TYPE_DOUBLE:
        v.as.f64 = make_double(random);
        break;
    case RWL_TYPE_DECIMAL:
        v.as.i128 = make_decimal(random, type->precision);
        break;
    case RWL_TYPE_DATE:
        v.as.i32 = (int32_t)make_integer(random, -25000, 25000);
        break;
    case RWL_TYPE_TIME:
        v.as.i64 = make_integer(random, 0, DAY_US - 1);
        break;
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
        v.as.i64 = make_integer(random, -YEARS_US, YEARS_US);
        break;
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        v.as.i64 = make_integer(random, -YEARS_US * 1000, YEARS_US * 1000);
        break;
    case RWL_TYPE_STRING:
        v.as.bytes = make_string(arena, random);
        break;
    case RWL_TYPE_UUID:
        v.as.bytes = make_bytes(arena, random, 16);
        break;
    case RWL_TYPE_FIXED:
        v.as.bytes = make_bytes(arena, random, (size_t)type->length);
        break;
    case RWL_TYPE_BINARY:
        v.as.bytes = make_bytes(arena, random, (size_t)draw_below(random, 24));
        break;
    default:
        break;
    }
    return v;
}

rwl_value make_value(rwl_arena *arena, uint64_t *random, const random_column *column) {
    if (!column->field.required && draw_chance(random, 12))
        return rwl_value_null(column->field.type.kind);
    if (column->pool_only || draw_chance(random, 60))
        return column->pool[draw_below(random, column->pool_count)];
    return draw_value(arena, random, &column->field.type);
}

/* Multiplication by 7919 modulo a prime: a permutation of 0 .. 100002. */
enum { KEY_PRIME = 100003, KEY_FACTOR = 7919, KEY_SHIFT = 50000 };

/* FACTOR^-1 modulo the prime: a^(p-2). */
static int64_t invert_factor(void) {
    int64_t result = 1, base = KEY_FACTOR;
    for (int64_t e = KEY_PRIME - 2; e > 0; e >>= 1) {
        if (e & 1)
            result = result * base % KEY_PRIME;
        base = base * base % KEY_PRIME;
    }
    return result;
}

int64_t make_key(int64_t n) {
    return n * KEY_FACTOR % KEY_PRIME - KEY_SHIFT;
}

int64_t key_index(int64_t key) {
    if (key < -KEY_SHIFT || key >= KEY_PRIME - KEY_SHIFT)
        return -1;
    return (key + KEY_SHIFT) * invert_factor() % KEY_PRIME;
}

/* --- columns --- */

static const char *make_name(rwl_arena *arena, uint64_t *random, int32_t i) {
    static const char *const prefixes[] = {"c", "c", "c", "Col ", "\xc3\xa4_", "select", "a\"", "x-"};
    return need(rwl_arena_printf(arena, "%s%d", prefixes[draw_below(random, 8)], i));
}

void make_columns(rwl_arena *arena, uint64_t *random, int32_t version, random_column *columns,
                  int32_t count) {
    memset(columns, 0, sizeof *columns * (size_t)count);
    columns[0].field =
        (rwl_field){.name = "k", .id = 1, .required = true, .type = rwl_type_of(RWL_TYPE_LONG)};
    columns[0].sequence = true;
    for (int32_t i = 1; i < count; i++) {
        random_column *c = &columns[i];
        c->field.type = make_type(random, version);
        c->field.name = make_name(arena, random, i);
        c->field.id = i + 1;
        c->field.required = c->field.type.kind != RWL_TYPE_UNKNOWN && draw_chance(random, 25);
        c->pool_count = 1 + (int32_t)draw_below(random, POOL_MAX);
        for (int32_t v = 0; v < c->pool_count; v++)
            c->pool[v] = draw_value(arena, random, &c->field.type);
    }
}

const char *quote_name(rwl_arena *arena, const char *name) {
    char *out = need(rwl_arena_alloc(arena, 2 * strlen(name) + 3));
    char *p = out;
    *p++ = '"';
    for (; *name != '\0'; name++) {
        if (*name == '"')
            *p++ = '"';
        *p++ = *name;
    }
    *p++ = '"';
    *p = '\0';
    return out;
}

const char *schema_text(rwl_arena *arena, const random_column *columns, int32_t count) {
    const char *text = "";
    for (int32_t i = 0; i < count; i++) {
        char type[64];
        rwl_type_name(&columns[i].field.type, type, sizeof type);
        text = need(rwl_arena_printf(arena, "%s%s%s %s%s", text, i > 0 ? ", " : "",
                                     quote_name(arena, columns[i].field.name), type,
                                     columns[i].field.required ? " not null" : ""));
    }
    return text;
}

/* --- partitions and orders --- */

static bool is_day_type(rwl_type_kind kind) {
    return kind == RWL_TYPE_DATE || (kind >= RWL_TYPE_TIMESTAMP && kind <= RWL_TYPE_TIMESTAMPTZ_NS);
}

static bool has_buckets(rwl_type_kind kind) {
    return kind != RWL_TYPE_BOOLEAN && kind != RWL_TYPE_FLOAT && kind != RWL_TYPE_DOUBLE &&
           kind != RWL_TYPE_UNKNOWN;
}

static bool can_truncate(rwl_type_kind kind) {
    return kind == RWL_TYPE_INT || kind == RWL_TYPE_LONG || kind == RWL_TYPE_DECIMAL ||
           kind == RWL_TYPE_STRING || kind == RWL_TYPE_BINARY;
}

/* A transform of this column as text; identity where what was drawn does not take the type. */
static const char *transform_text(rwl_arena *arena, uint64_t *random, const random_column *c) {
    static const char *const days[] = {"year", "month", "day", "hour"};
    const char *name = quote_name(arena, c->field.name);
    rwl_type_kind kind = c->field.type.kind;
    int64_t drawn = draw_below(random, 4);
    if (c->sequence || (drawn == 0 && has_buckets(kind)))
        return need(rwl_arena_printf(arena, "bucket(%d, %s)", 1 + (int)draw_below(random, 3), name));
    if (drawn == 1 && can_truncate(kind))
        return need(rwl_arena_printf(arena, "truncate(%d, %s)", 1 + (int)draw_below(random, 12), name));
    if (drawn <= 2 && is_day_type(kind)) {
        int64_t unit = draw_below(random, kind == RWL_TYPE_DATE ? 3 : 4);
        return need(rwl_arena_printf(arena, "%s(%s)", days[unit], name));
    }
    return drawn == 3 ? need(rwl_arena_printf(arena, "identity(%s)", name)) : name;
}

const char *partition_text(rwl_arena *arena, uint64_t *random, random_column *columns, int32_t count) {
    int64_t wanted = draw_below(random, 4) % 3; /* none as often as one and two together */
    const char *text = NULL;
    for (int32_t i = (int32_t)draw_below(random, count), tried = 0; wanted > 0 && tried < count;
         i = (i + 1) % count, tried++) {
        random_column *c = &columns[i];
        if (c->field.type.kind == RWL_TYPE_UNKNOWN)
            continue;
        const char *term = transform_text(arena, random, c);
        text = text == NULL ? term : need(rwl_arena_printf(arena, "%s, %s", text, term));
        c->pool_only = !c->sequence;
        if (c->pool_count > 2)
            c->pool_count = 2;
        wanted--;
    }
    return text;
}

const char *sort_text(rwl_arena *arena, uint64_t *random, const random_column *columns, int32_t count) {
    static const char *const directions[] = {"", " asc", " desc"}, *const nulls[] = {"", " nulls first",
                                                                                     " nulls last"};
    int64_t wanted = 1 + draw_below(random, 2);
    const char *text = NULL;
    for (int32_t i = (int32_t)draw_below(random, count), tried = 0; wanted > 0 && tried < count;
         i = (i + 1) % count, tried++) {
        if (columns[i].field.type.kind == RWL_TYPE_UNKNOWN)
            continue;
        const char *term = draw_chance(random, 30) ? transform_text(arena, random, &columns[i])
                                                   : quote_name(arena, columns[i].field.name);
        text = need(rwl_arena_printf(arena, "%s%s%s%s%s", text != NULL ? text : "", text != NULL ? ", " : "",
                                     term, directions[draw_below(random, 3)], nulls[draw_below(random, 3)]));
        wanted--;
    }
    return text != NULL ? text : "k";
}

/* --- comparing --- */

static int compare_bytes(rwl_span a, rwl_span b) {
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len > 0 ? memcmp(a.data, b.data, len) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_doubles(double a, double b) {
    if (isnan(a) || isnan(b))
        return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    return (a > b) - (a < b);
}

int values_order(const rwl_value *a, const rwl_value *b) {
    switch (a->kind) {
    case RWL_TYPE_BOOLEAN:
        return a->as.b - b->as.b;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        return (a->as.i32 > b->as.i32) - (a->as.i32 < b->as.i32);
    case RWL_TYPE_FLOAT:
        return compare_doubles((double)a->as.f32, (double)b->as.f32);
    case RWL_TYPE_DOUBLE:
        return compare_doubles(a->as.f64, b->as.f64);
    case RWL_TYPE_DECIMAL:
        return (a->as.i128 > b->as.i128) - (a->as.i128 < b->as.i128);
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        return compare_bytes(a->as.bytes, b->as.bytes);
    default:
        return (a->as.i64 > b->as.i64) - (a->as.i64 < b->as.i64);
    }
}

bool values_same(const rwl_value *a, const rwl_value *b) {
    if (a->is_null || b->is_null)
        return a->is_null == b->is_null;
    if (a->kind == RWL_TYPE_FLOAT)
        return memcmp(&a->as.f32, &b->as.f32, sizeof a->as.f32) == 0;
    if (a->kind == RWL_TYPE_DOUBLE)
        return memcmp(&a->as.f64, &b->as.f64, sizeof a->as.f64) == 0;
    return values_order(a, b) == 0;
}

/* --- text --- */

const char *value_text(rwl_arena *arena, const rwl_type *type, const rwl_value *v) {
    if (v->is_null)
        return "null";
    rwl_buf text;
    rwl_buf_init(&text, arena->env, SIZE_MAX);
    EXPECT(rwl_value_format(type, v, &text, NULL) == RWL_OK, "a value has no text");
    const char *out = need(rwl_arena_strndup(arena, (const char *)text.data, text.len));
    rwl_buf_clear(&text);
    return out;
}

static const char *quote_text(rwl_arena *arena, const char *prefix, const char *text) {
    char *out = need(rwl_arena_alloc(arena, strlen(prefix) + 2 * strlen(text) + 3));
    char *p = out + sprintf(out, "%s'", prefix);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            *p++ = '\'';
        *p++ = *text;
    }
    *p++ = '\'';
    *p = '\0';
    return out;
}

const char *value_literal(rwl_arena *arena, const rwl_type *type, const rwl_value *v) {
    const char *text = value_text(arena, type, v);
    switch (type->kind) {
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE:
        return strcmp(text, "NaN") == 0 ? "nan" : text;
    case RWL_TYPE_DATE:
        return quote_text(arena, "date ", text);
    case RWL_TYPE_TIME:
        return quote_text(arena, "time ", text);
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMP_NS:
        return quote_text(arena, "timestamp ", text);
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return quote_text(arena, "timestamptz ", text);
    case RWL_TYPE_STRING:
        return quote_text(arena, "", text);
    case RWL_TYPE_UUID:
        return quote_text(arena, "uuid ", text);
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        return quote_text(arena, "X", text);
    default:
        return text;
    }
}
