/* SPDX-License-Identifier: Apache-2.0 */
/* Schema messages as schemas of the C data interface; each is one block of memory, released with its root. */
#include "ipc/read_internal.h"

#include "base/arena.h"
#include "base/vec.h"

enum { FIELDS_MAX = 1 << 20, PAIRS_MAX = 1 << 16 };

typedef struct schema_owner {
    const rwl_env *env;
    rwl_arena arena;
    int64_t fields;
    RWL_VEC(int64_t) dictionaries; /* ids, depth first */
} schema_owner;

/* --- releasing --- */

static void release_child(struct ArrowSchema *s) {
    for (int64_t i = 0; i < s->n_children; i++)
        if (s->children[i]->release != NULL)
            s->children[i]->release(s->children[i]);
    if (s->dictionary != NULL && s->dictionary->release != NULL)
        s->dictionary->release(s->dictionary);
    s->release = NULL;
}

static void free_owner(schema_owner *owner) {
    const rwl_env *env = owner->env;
    rwl_vec_clear(&owner->dictionaries, env);
    rwl_arena_clear(&owner->arena);
    rwl_free(env, owner);
}

static void release_root(struct ArrowSchema *s) {
    schema_owner *owner = s->private_data;
    release_child(s);
    free_owner(owner);
}

int64_t rwl_ipc_dictionary_id(const struct ArrowSchema *root, size_t index) {
    const schema_owner *owner = root->private_data;
    return owner->dictionaries.items[index];
}

/* --- types --- */

/* A format that ends with the letter of a unit, seconds to nanoseconds; "" for no unit. */
static const char *unit_format(schema_owner *o, const char *prefix, const char *suffix, int16_t unit) {
    return unit >= 0 && unit < 4 ? rwl_arena_printf(&o->arena, "%s%c%s", prefix, "smun"[unit], suffix) : "";
}

static rwl_status int_format(const rwl_flat_table *t, const char **out, rwl_error *err) {
    int32_t bits;
    uint8_t is_signed;
    RWL_TRY(rwl_flat_get_i32(t, 0, 0, &bits, err));
    RWL_TRY(rwl_flat_get_u8(t, 1, 0, &is_signed, err));
    *out = bits == 8    ? (is_signed ? "c" : "C")
           : bits == 16 ? (is_signed ? "s" : "S")
           : bits == 32 ? (is_signed ? "i" : "I")
           : bits == 64 ? (is_signed ? "l" : "L")
                        : "";
    return RWL_OK;
}

static rwl_status time_format(schema_owner *o, const rwl_flat_table *t, int id, const char **out,
                              rwl_error *err) {
    int16_t unit;
    rwl_span zone;
    RWL_TRY(
        rwl_flat_get_i16(t, 0, id == RWL_IPC_TIMESTAMP ? 0 : 1, &unit, err)); /* the defaults of Schema.fbs */
    if (id == RWL_IPC_DURATION) {
        *out = unit_format(o, "tD", "", unit);
    } else if (id == RWL_IPC_DATE) {
        *out = unit == 0 ? "tdD" : unit == 1 ? "tdm" : "";
    } else if (id == RWL_IPC_TIME) {
        *out = unit_format(o, "tt", "", unit);
    } else {
        RWL_TRY(rwl_flat_get_string(t, 1, &zone, err));
        const char *begin = unit_format(o, "ts", ":", unit);
        bool had = begin != NULL && begin[0] != '\0';
        *out = had ? rwl_arena_printf(&o->arena, "%s%.*s", begin, (int)(zone.len < 128 ? zone.len : 128),
                                      zone.data != NULL ? (const char *)zone.data : "")
                   : begin;
    }
    return RWL_OK;
}

static rwl_status decimal_format(schema_owner *o, const rwl_flat_table *t, const char **out, rwl_error *err) {
    int32_t precision, scale, bits;
    RWL_TRY(rwl_flat_get_i32(t, 0, 0, &precision, err));
    RWL_TRY(rwl_flat_get_i32(t, 1, 0, &scale, err));
    RWL_TRY(rwl_flat_get_i32(t, 2, 128, &bits, err));
    *out = bits == 128   ? rwl_arena_printf(&o->arena, "d:%d,%d", precision, scale)
           : bits == 256 ? rwl_arena_printf(&o->arena, "d:%d,%d,256", precision, scale)
                         : "";
    return RWL_OK;
}

static rwl_status sized_format(schema_owner *o, const rwl_flat_table *t, const char *prefix, const char **out,
                               rwl_error *err) {
    int32_t size;
    RWL_TRY(rwl_flat_get_i32(t, 0, 0, &size, err));
    *out = size >= 0 ? rwl_arena_printf(&o->arena, "%s%d", prefix, size) : "";
    return RWL_OK;
}

static rwl_status float_format(const rwl_flat_table *t, const char **out, rwl_error *err) {
    int16_t precision;
    RWL_TRY(rwl_flat_get_i16(t, 0, 0, &precision, err));
    *out = precision == 0 ? "e" : precision == 1 ? "f" : precision == 2 ? "g" : "";
    return RWL_OK;
}

/* The format string of a field's type; "" for one that is not read. */
static rwl_status read_format(schema_owner *o, const rwl_flat_table *t, uint8_t id, const char **out,
                              rwl_error *err) {
    static const char *const PLAIN[RWL_IPC_LARGE_LIST + 1] = {
        [RWL_IPC_NULL] = "n",        [RWL_IPC_BINARY] = "z",       [RWL_IPC_UTF8] = "u",
        [RWL_IPC_BOOL] = "b",        [RWL_IPC_LIST] = "+l",        [RWL_IPC_STRUCT] = "+s",
        [RWL_IPC_MAP] = "+m",        [RWL_IPC_LARGE_BINARY] = "Z", [RWL_IPC_LARGE_UTF8] = "U",
        [RWL_IPC_LARGE_LIST] = "+L",
    };
    *out = "";
    switch (id) {
    case RWL_IPC_INT:
        return int_format(t, out, err);
    case RWL_IPC_FLOAT:
        return float_format(t, out, err);
    case RWL_IPC_DECIMAL:
        return decimal_format(o, t, out, err);
    case RWL_IPC_DATE:
    case RWL_IPC_TIME:
    case RWL_IPC_TIMESTAMP:
    case RWL_IPC_DURATION:
        return time_format(o, t, id, out, err);
    case RWL_IPC_FIXED:
        return sized_format(o, t, "w:", out, err);
    case RWL_IPC_FIXED_LIST:
        return sized_format(o, t, "+w:", out, err);
    default:
        if (id <= RWL_IPC_LARGE_LIST && PLAIN[id] != NULL)
            *out = PLAIN[id];
        return RWL_OK;
    }
}

/* --- fields --- */

static rwl_status read_text(schema_owner *o, rwl_span text, const char **out, rwl_error *err) {
    if (text.len > 0 && memchr(text.data, 0, text.len) != NULL)
        return rwl_fail(err, RWL_CORRUPT, "a name in the schema has a NUL");
    *out = rwl_arena_strndup(&o->arena, text.data != NULL ? (const char *)text.data : "", text.len);
    return *out != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, text.len + 1);
}

static rwl_status put_text(rwl_buf *out, rwl_span text, rwl_error *err) {
    int32_t len = (int32_t)text.len; /* shorter than the message */
    RWL_TRY(rwl_buf_append(out, &len, sizeof len, err));
    return rwl_buf_append(out, text.data, text.len, err);
}

/* Pairs of the vector in `slot`, in the form of the C data interface; *out NULL without any. */
static rwl_status read_metadata(schema_owner *o, const rwl_flat_table *t, int slot, const char **out,
                                rwl_error *err) {
    rwl_flat_items pairs;
    *out = NULL;
    RWL_TRY(rwl_flat_get_vector(t, slot, 4, &pairs, err));
    if (pairs.count == 0)
        return RWL_OK;
    if (pairs.count > PAIRS_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a field has %u metadata entries", pairs.count);
    rwl_buf text;
    rwl_buf_init(&text, o->env, SIZE_MAX);
    int32_t count = (int32_t)pairs.count;
    rwl_status st = rwl_buf_append(&text, &count, sizeof count, err);
    for (uint32_t i = 0; st == RWL_OK && i < pairs.count; i++) {
        rwl_flat_table pair;
        rwl_span key, value;
        RWL_GOTO(st, rwl_flat_item_table(t, &pairs, i, &pair, err), done);
        RWL_GOTO(st, rwl_flat_get_string(&pair, 0, &key, err), done);
        RWL_GOTO(st, rwl_flat_get_string(&pair, 1, &value, err), done);
        RWL_GOTO(st, put_text(&text, key, err), done);
        st = put_text(&text, value, err);
    }
    if (st == RWL_OK) {
        *out = rwl_arena_copy(&o->arena, text.data, text.len);
        st = *out != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, text.len);
    }
done:
    rwl_buf_clear(&text);
    return st;
}

static rwl_status read_field(schema_owner *o, const rwl_flat_table *t, int depth, struct ArrowSchema *out,
                             rwl_error *err);

static rwl_status read_fields(schema_owner *o, const rwl_flat_table *t, int slot, int depth,
                              struct ArrowSchema *out, rwl_error *err) {
    rwl_flat_items items;
    RWL_TRY(rwl_flat_get_vector(t, slot, 4, &items, err));
    o->fields += items.count;
    if (depth > RWL_IPC_DEPTH_MAX || o->fields > FIELDS_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "the schema is nested too deep or has too many fields");
    struct ArrowSchema *children = rwl_arena_array(&o->arena, items.count, sizeof *children);
    out->children = rwl_arena_array(&o->arena, items.count, sizeof *out->children);
    if (children == NULL || out->children == NULL)
        return rwl_no_memory(err, items.count * sizeof *children);
    out->n_children = items.count;
    for (uint32_t i = 0; i < items.count; i++) {
        rwl_flat_table field;
        out->children[i] = &children[i];
        RWL_TRY(rwl_flat_item_table(t, &items, i, &field, err));
        RWL_TRY(read_field(o, &field, depth + 1, &children[i], err));
    }
    return RWL_OK;
}

/* Makes a field of values one of indexes into a dictionary of them (DictionaryEncoding of Schema.fbs). */
static rwl_status encode(schema_owner *o, const rwl_flat_table *encoding, struct ArrowSchema *out,
                         rwl_error *err) {
    rwl_flat_table index;
    int64_t id;
    if (out->n_children > 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s is a dictionary of nested values, which is not read",
                        out->name);
    struct ArrowSchema *values = rwl_arena_alloc(&o->arena, sizeof *values);
    if (values == NULL)
        return rwl_no_memory(err, sizeof *values);
    RWL_TRY(rwl_flat_get_i64(encoding, 0, 0, &id, err));
    RWL_TRY(rwl_flat_get_table(encoding, 1, &index, err));
    *values = *out;
    values->name = "";
    values->metadata = NULL;
    out->dictionary = values;
    out->format = "i"; /* the default */
    if (index.at != 0)
        RWL_TRY(int_format(&index, &out->format, err));
    if (out->format[0] == '\0')
        return rwl_fail(err, RWL_CORRUPT, "column %s has indexes of no integer type", out->name);
    return rwl_vec_push(&o->dictionaries, o->env, id, err);
}

static rwl_status read_field(schema_owner *o, const rwl_flat_table *t, int depth, struct ArrowSchema *out,
                             rwl_error *err) {
    rwl_flat_table type, dictionary;
    rwl_span name;
    uint8_t id, nullable;
    memset(out, 0, sizeof *out);
    RWL_TRY(rwl_flat_get_string(t, 0, &name, err));
    RWL_TRY(read_text(o, name, &out->name, err));
    RWL_TRY(rwl_flat_get_u8(t, 1, 0, &nullable, err));
    RWL_TRY(rwl_flat_get_u8(t, 2, 0, &id, err));
    RWL_TRY(rwl_flat_get_table(t, 3, &type, err));
    RWL_TRY(rwl_flat_get_table(t, 4, &dictionary, err));
    RWL_TRY(read_format(o, &type, id, &out->format, err));
    if (out->format == NULL)
        return rwl_no_memory(err, 32);
    if (out->format[0] == '\0')
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s has Arrow type number %u, which is not read",
                        out->name, id);
    RWL_TRY(read_metadata(o, t, 6, &out->metadata, err));
    out->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    out->release = release_child;
    RWL_TRY(read_fields(o, t, 5, depth, out, err));
    return dictionary.at != 0 ? encode(o, &dictionary, out, err) : (rwl_status)RWL_OK;
}

static rwl_status read_root(schema_owner *o, const rwl_flat_table *schema, struct ArrowSchema *out,
                            rwl_error *err) {
    int16_t endianness;
    RWL_TRY(rwl_flat_get_i16(schema, 0, 0, &endianness, err));
    if (endianness != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "the data are big-endian");
    memset(out, 0, sizeof *out);
    out->format = "+s";
    out->name = "";
    RWL_TRY(read_metadata(o, schema, 2, &out->metadata, err));
    return read_fields(o, schema, 1, 0, out, err);
}

rwl_status rwl_ipc_read_schema(const rwl_env *env, const rwl_flat_table *schema, struct ArrowSchema *out,
                               rwl_error *err) {
    schema_owner *o = rwl_calloc(env, 1, sizeof *o);
    if (o == NULL)
        return rwl_no_memory(err, sizeof *o);
    o->env = env;
    rwl_arena_init(&o->arena, env, 0);
    rwl_status st = read_root(o, schema, out, err);
    if (st != RWL_OK) {
        free_owner(o);
        memset(out, 0, sizeof *out);
        return st;
    }
    out->private_data = o;
    out->release = release_root;
    return RWL_OK;
}
