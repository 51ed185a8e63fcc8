/* SPDX-License-Identifier: Apache-2.0 */
/* Random columns of nested types. */
#include "nested.h"

#include "column/variant.h"

#include <stdlib.h>

#define FLAT(field_name, field_id, ...)                                                                      \
    {                                                                                                        \
        .name = (field_name), .id = (field_id), .type = { __VA_ARGS__ }                                      \
    }
#define NEST(field_name, field_id, type_kind, fields)                                                        \
    {                                                                                                        \
        .name = (field_name), .id = (field_id), .type = {                                                    \
            .kind = (type_kind),                                                                             \
            .children = (fields),                                                                            \
            .child_count = sizeof(fields) / sizeof(fields)[0]                                                \
        }                                                                                                    \
    }

static const rwl_field PAIR[] = {FLAT("a", 11, .kind = RWL_TYPE_INT), FLAT("b", 12, .kind = RWL_TYPE_STRING)};
static const rwl_field LONGS[] = {FLAT("element", 13, .kind = RWL_TYPE_LONG)};
static const rwl_field DOUBLES[] = {
    {.name = "key", .id = 14, .required = true, .type = {.kind = RWL_TYPE_STRING}},
    FLAT("value", 15, .kind = RWL_TYPE_DOUBLE)};
static const rwl_field STRINGS[] = {FLAT("element", 16, .kind = RWL_TYPE_STRING)};
static const rwl_field INNER[] = {NEST("x", 17, RWL_TYPE_LIST, STRINGS),
                                  FLAT("y", 18, .kind = RWL_TYPE_BOOLEAN)};
static const rwl_field STRUCTS[] = {NEST("element", 19, RWL_TYPE_STRUCT, INNER)};
static const rwl_field INTS[] = {FLAT("element", 20, .kind = RWL_TYPE_INT)};
static const rwl_field LISTS[] = {NEST("element", 21, RWL_TYPE_LIST, INTS)};
static const rwl_field DATES[] = {FLAT("element", 22, .kind = RWL_TYPE_DATE)};
static const rwl_field BY_INT[] = {
    {.name = "key", .id = 23, .required = true, .type = {.kind = RWL_TYPE_INT}},
    NEST("value", 24, RWL_TYPE_LIST, DATES)};
static const rwl_field DEEP[] = {NEST("t", 25, RWL_TYPE_LIST, LISTS),
                                 FLAT("u", 26, .kind = RWL_TYPE_DECIMAL, .precision = 38, .scale = 4)};
static const rwl_field WIDE[] = {NEST("s", 27, RWL_TYPE_STRUCT, DEEP), NEST("v", 28, RWL_TYPE_MAP, BY_INT)};
static const rwl_field NOTHINGS[] = {FLAT("element", 29, .kind = RWL_TYPE_UNKNOWN)};
static const rwl_field VARIANTS[] = {FLAT("element", 30, .kind = RWL_TYPE_VARIANT)};

const rwl_field NESTED[] = {
    NEST("pair", 1, RWL_TYPE_STRUCT, PAIR),       NEST("longs", 2, RWL_TYPE_LIST, LONGS),
    NEST("doubles", 3, RWL_TYPE_MAP, DOUBLES),    NEST("structs", 4, RWL_TYPE_LIST, STRUCTS),
    NEST("wide", 5, RWL_TYPE_STRUCT, WIDE),       FLAT("empty", 6, .kind = RWL_TYPE_STRUCT),
    NEST("nothings", 7, RWL_TYPE_LIST, NOTHINGS), NEST("variants", 8, RWL_TYPE_LIST, VARIANTS),
};
const int NESTED_COUNT = sizeof NESTED / sizeof NESTED[0];

void append_present(rwl_column *c, const rwl_env *env, int64_t elements) {
    OK(rwl_column_reserve(c, env, c->length + 1, 0, err));
    if (c->null_count > 0)
        rwl_bit_set(c->validity.data, c->length);
    if (c->type.kind != RWL_TYPE_STRUCT) {
        int32_t *offsets = (int32_t *)(void *)c->offsets.data;
        offsets[c->length + 1] = offsets[c->length] + (int32_t)elements;
    }
    c->length++;
}

static void append_null(rwl_column *c, const rwl_env *env) {
    rwl_value null = rwl_value_null(c->type.kind);
    OK(rwl_column_append(c, env, &null, 1, err));
}

/* {"n": number} or a number alone. */
static void append_variant(rwl_column *c, const rwl_env *env, uint64_t *seed) {
    rwl_span name = rwl_span_str("n");
    uint32_t id = 0;
    rwl_buf all, number;
    rwl_buf_init(&all, env, SIZE_MAX);
    rwl_buf_init(&number, env, SIZE_MAX);
    OK(rwl_variant_put_metadata(&name, 1, &all, err));
    OK(rwl_variant_put_int((int64_t)next_random(seed), 8, &number, err));
    rwl_span value = rwl_buf_span(&number);
    if (next_random(seed) % 2 == 0)
        OK(rwl_buf_append(&all, value.data, value.len, err));
    else
        OK(rwl_variant_put_object(rwl_span_of(all.data, all.len), &id, &value, 1, &all, err));
    rwl_value v = {.kind = RWL_TYPE_VARIANT, .as.bytes = rwl_buf_span(&all)};
    OK(rwl_column_append(c, env, &v, 1, err));
    rwl_buf_clear(&all);
    rwl_buf_clear(&number);
}

static void append_flat(rwl_column *c, const rwl_env *env, int null_every, uint64_t *seed) {
    uint8_t room[32];
    rwl_value v = random_value(&c->type, seed, null_every, room);
    if (v.kind == RWL_TYPE_DATE)
        v.as.i32 &= 65535;
    OK(rwl_column_append(c, env, &v, 1, err));
}

void append_random(rwl_column *c, const rwl_env *env, int null_every, uint64_t *seed) {
    bool nested = rwl_type_is_nested(&c->type) || c->type.kind == RWL_TYPE_VARIANT;
    if (nested && null_every > 0 && next_random(seed) % (uint64_t)null_every == 0) {
        append_null(c, env);
    } else if (c->type.kind == RWL_TYPE_VARIANT) {
        append_variant(c, env, seed);
    } else if (c->type.kind == RWL_TYPE_STRUCT) {
        for (int32_t i = 0; i < c->type.child_count; i++)
            append_random(&c->children[i], env, null_every, seed);
        append_present(c, env, 0);
    } else if (nested) {
        int64_t count = (int64_t)(next_random(seed) % 4);
        for (int64_t k = 0; k < count; k++)
            for (int32_t i = 0; i < c->type.child_count; i++)
                append_random(&c->children[i], env, c->type.kind == RWL_TYPE_MAP && i == 0 ? 0 : null_every,
                              seed);
        append_present(c, env, count);
    } else {
        append_flat(c, env, null_every, seed);
    }
}

char **texts_of(const rwl_column *c, const rwl_env *env) {
    char **texts = calloc((size_t)c->length + 1, sizeof *texts);
    rwl_buf out;
    rwl_buf_init(&out, env, SIZE_MAX);
    for (int64_t i = 0; i < c->length; i++) {
        rwl_buf_reset(&out);
        OK(rwl_column_format_json(c, i, &out, err));
        OK(rwl_buf_terminate(&out, err));
        texts[i] = strdup((const char *)out.data);
    }
    rwl_buf_clear(&out);
    return texts;
}

void free_texts(char **texts, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}
