/* SPDX-License-Identifier: Apache-2.0 */
/* Column metrics of new files by the table's metrics modes (specification of the modes: Java's
 * MetricsConfig). */
#include "iceberg/metrics.h"

#include <stdlib.h>
#include <strings.h>

enum { DEFAULT_TRUNCATE = 16, DEFAULT_COLUMNS = 100 };

typedef enum mode_kind { MODE_NONE, MODE_COUNTS, MODE_TRUNCATE, MODE_FULL } mode_kind;

typedef struct column_mode {
    mode_kind kind;
    int32_t length; /* TRUNCATE: code points of a string, bytes of a binary */
} column_mode;

typedef struct field_mode {
    int32_t field_id;
    column_mode mode;
} field_mode;

struct rwl_metrics_config {
    column_mode other;  /* of fields that the schema does not have */
    field_mode *fields; /* the schema's leaves, nested ones too */
    int32_t count;
};

/* --- the modes --- */

static bool parse_mode(const char *text, column_mode *out) {
    static const char TRUNCATE[] = "truncate(";
    out->length = 0;
    if (strcasecmp(text, "none") == 0) {
        out->kind = MODE_NONE;
    } else if (strcasecmp(text, "counts") == 0) {
        out->kind = MODE_COUNTS;
    } else if (strcasecmp(text, "full") == 0) {
        out->kind = MODE_FULL;
    } else if (strncasecmp(text, TRUNCATE, sizeof TRUNCATE - 1) == 0) {
        char *end;
        long length = strtol(text + sizeof TRUNCATE - 1, &end, 10);
        if (length < 1 || length > INT32_MAX || strcmp(end, ")") != 0)
            return false;
        out->kind = MODE_TRUNCATE;
        out->length = (int32_t)length;
    } else {
        return false;
    }
    return true;
}

static int64_t count_ids(const rwl_type *type, int depth) {
    int64_t count = 0;
    for (int32_t i = 0; i < type->child_count; i++)
        count += 1 + (depth < RWL_TYPE_DEPTH_MAX ? count_ids(&type->children[i].type, depth + 1) : 0);
    return count;
}

static int64_t schema_ids(const rwl_schema *schema) {
    int64_t count = schema->field_count;
    for (int32_t i = 0; i < schema->field_count; i++)
        count += count_ids(&schema->fields[i].type, 0);
    return count;
}

/* Whether the bounds of a source column are bounds of this sort field. */
static bool keeps_order(const rwl_transform *t) {
    return t->kind != RWL_TRANSFORM_BUCKET && t->kind != RWL_TRANSFORM_VOID &&
           t->kind != RWL_TRANSFORM_UNKNOWN;
}

static bool is_sort_column(const rwl_metadata *metadata, int32_t field_id) {
    const rwl_sort_order *order = metadata->order;
    for (int32_t i = 0; order != NULL && i < order->field_count; i++)
        if (order->fields[i].source_id == field_id && keeps_order(&order->fields[i].transform))
            return true;
    return false;
}

static const char MODE_PREFIX[] = "write.metadata.metrics.column.";

/* The mode of the leaf whose property `key` names; an unknown mode text counts as none given, as in Java. */
static rwl_status mode_of_field(const rwl_metadata *metadata, const rwl_field *field, column_mode fallback,
                                rwl_buf *key, column_mode *out, rwl_error *err) {
    RWL_TRY(rwl_buf_terminate(key, err));
    const char *text = rwl_metadata_property(metadata, (const char *)key->data, NULL);
    if (text != NULL && parse_mode(text, out))
        return RWL_OK;
    *out = fallback;
    if (fallback.kind < MODE_TRUNCATE && is_sort_column(metadata, field->id)) {
        out->kind = MODE_TRUNCATE;
        out->length = DEFAULT_TRUNCATE;
    }
    return RWL_OK;
}

/* Walks the leaves: at each level the primitive fields first, then what is inside the others (Java's
 * MetricsConfig, limitFieldIds). */
typedef struct mode_walk {
    const rwl_metadata *metadata;
    rwl_metrics_config *config;
    bool all; /* the default is for all columns, else for the first `limit` leaves */
    int64_t limit;
    rwl_buf *key; /* the property's prefix, then the names so far */
    rwl_error *err;
} mode_walk;

static rwl_status set_mode(mode_walk *w, const rwl_field *field) {
    const column_mode truncate = {MODE_TRUNCATE, DEFAULT_TRUNCATE}, none = {MODE_NONE, 0};
    rwl_metrics_config *config = w->config;
    field_mode *to = &config->fields[config->count];
    column_mode fallback = w->all ? config->other : config->count < w->limit ? truncate : none;
    config->count++;
    to->field_id = field->id;
    return mode_of_field(w->metadata, field, fallback, w->key, &to->mode, w->err);
}

static rwl_status walk_fields(mode_walk *w, const rwl_field *fields, int32_t count, int depth) {
    size_t start = w->key->len;
    if (depth > RWL_TYPE_DEPTH_MAX)
        return RWL_OK; /* such a schema is refused elsewhere */
    for (int nested = 0; nested < 2; nested++)
        for (int32_t i = 0; i < count; i++) {
            const rwl_type *type = &fields[i].type;
            if (rwl_type_is_nested(type) != nested)
                continue;
            w->key->len = start;
            RWL_TRY(rwl_buf_printf(w->key, w->err, "%s%s", depth > 0 ? "." : "", fields[i].name));
            if (nested)
                RWL_TRY(walk_fields(w, type->children, type->child_count, depth + 1));
            else
                RWL_TRY(set_mode(w, &fields[i]));
        }
    w->key->len = start;
    return RWL_OK;
}

static rwl_status set_modes(const rwl_metadata *metadata, rwl_metrics_config *config, rwl_buf *key,
                            rwl_error *err) {
    const column_mode truncate = {MODE_TRUNCATE, DEFAULT_TRUNCATE}, none = {MODE_NONE, 0};
    const char *text = rwl_metadata_property(metadata, "write.metadata.metrics.default", NULL);
    bool given = text != NULL && parse_mode(text, &config->other);
    mode_walk walk = {.metadata = metadata, .config = config, .key = key, .err = err};
    RWL_TRY(rwl_metadata_property_i64(metadata, "write.metadata.metrics.max-inferred-column-defaults",
                                      DEFAULT_COLUMNS, &walk.limit, err));
    walk.all = given || schema_ids(metadata->schema) <= walk.limit;
    if (!given)
        config->other = walk.all ? truncate : none;
    RWL_TRY(rwl_buf_str(key, MODE_PREFIX, err));
    return walk_fields(&walk, metadata->schema->fields, metadata->schema->field_count, 0);
}

static int compare_fields(const void *a, const void *b) {
    const field_mode *x = a, *y = b;
    return (x->field_id > y->field_id) - (x->field_id < y->field_id);
}

rwl_status rwl_metrics_config_new(const rwl_metadata *metadata, rwl_arena *arena, rwl_metrics_config **out,
                                  rwl_error *err) {
    rwl_metrics_config *config = rwl_arena_alloc(arena, sizeof *config);
    if (config == NULL)
        return rwl_no_memory(err, sizeof *config);
    /* as many ids as fields, groups among them: room enough */
    config->fields = rwl_arena_array(arena, (size_t)schema_ids(metadata->schema), sizeof *config->fields);
    if (config->fields == NULL)
        return rwl_no_memory(err, sizeof *config->fields);
    rwl_buf key;
    rwl_buf_init(&key, arena->env, SIZE_MAX);
    rwl_status st = set_modes(metadata, config, &key, err);
    rwl_buf_clear(&key);
    if (config->count > 1)
        qsort(config->fields, (size_t)config->count, sizeof *config->fields, compare_fields);
    *out = config;
    return st;
}

static column_mode find_mode(const rwl_metrics_config *config, int32_t field_id) {
    const column_mode full = {MODE_FULL, 0};
    if (field_id == RWL_FIELD_ID_ROW_ID || field_id == RWL_FIELD_ID_LAST_UPDATED)
        return full;
    if (config->count == 0)
        return config->other;
    const field_mode wanted = {.field_id = field_id};
    const field_mode *found =
        bsearch(&wanted, config->fields, (size_t)config->count, sizeof wanted, compare_fields);
    return found != NULL ? found->mode : config->other;
}

/* --- cutting bounds --- */

/* Length of the first `points` code points; false when the text has no more than that. */
static bool cut_text(rwl_span text, int32_t points, size_t *len) {
    size_t i = 0;
    for (int32_t seen = 0; i < text.len; seen++) {
        if (seen == points) {
            *len = i;
            return true;
        }
        i++;
        while (i < text.len && (text.data[i] & 0xC0) == 0x80)
            i++;
    }
    *len = text.len;
    return false;
}

static uint32_t decode_point(const uint8_t *p, size_t len) {
    uint32_t c = len == 1 ? p[0] : p[0] & (0xFFu >> (len + 1));
    for (size_t i = 1; i < len; i++)
        c = c << 6 | (p[i] & 0x3Fu);
    return c;
}

static size_t encode_point(uint32_t c, uint8_t out[4]) {
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t LEAD[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = len; i-- > 1; c >>= 6)
        out[i] = (uint8_t)(0x80 | (c & 0x3F));
    out[0] = (uint8_t)(len == 1 ? c : LEAD[len] | c);
    return len;
}

/* The least text above every text that begins with data[0, len): the last code point that can be raised is
 * raised, those behind it go. `data` has room for one byte more than len. 0 when there is none. */
static size_t raise_text(uint8_t *data, size_t len) {
    while (len > 0) {
        size_t start = len - 1;
        while (start > 0 && (data[start] & 0xC0) == 0x80)
            start--;
        if (len - start > 4)
            return 0;
        uint32_t c = decode_point(data + start, len - start);
        if (c < 0x10FFFF) {
            c = c == 0xD7FF ? 0xE000 : c + 1; /* surrogates are no code points of text */
            uint8_t raised[4];
            size_t n = encode_point(c, raised);
            memcpy(data + start, raised, n);
            return start + n;
        }
        len = start;
    }
    return 0;
}

static size_t raise_bytes(uint8_t *data, size_t len) {
    for (; len > 0; len--)
        if (data[len - 1] != 0xFF) {
            data[len - 1]++;
            return len;
        }
    return 0;
}

/* A lower or upper bound under `mode`; data NULL when there is no upper bound of that length. */
static rwl_status cut_bound(const rwl_value *v, column_mode mode, bool upper, rwl_arena *arena, rwl_span *out,
                            rwl_error *err) {
    rwl_span whole = v->as.bytes;
    bool text = v->kind == RWL_TYPE_STRING;
    size_t len = whole.len;
    bool cut = text ? cut_text(whole, mode.length, &len) : whole.len > (size_t)mode.length;
    if (cut && !text)
        len = (size_t)mode.length;
    uint8_t *bytes = rwl_arena_alloc(arena, len + 1);
    if (bytes == NULL)
        return rwl_no_memory(err, len + 1);
    if (len > 0)
        memcpy(bytes, whole.data, len);
    *out = rwl_span_of(bytes, len);
    if (!cut || !upper)
        return RWL_OK;
    out->len = text ? raise_text(bytes, len) : raise_bytes(bytes, len);
    if (out->len == 0)
        *out = rwl_span_of(NULL, 0);
    return RWL_OK;
}

static rwl_status make_bound(const rwl_value *v, column_mode mode, bool upper, rwl_arena *arena,
                             rwl_buf *scratch, rwl_span *out, rwl_error *err) {
    if (mode.kind == MODE_TRUNCATE && (v->kind == RWL_TYPE_STRING || v->kind == RWL_TYPE_BINARY))
        return cut_bound(v, mode, upper, arena, out, err);
    rwl_buf_reset(scratch);
    RWL_TRY(rwl_value_encode(v, scratch, err));
    *out = rwl_span_of(rwl_arena_copy(arena, scratch->data, scratch->len), scratch->len);
    return out->data == NULL ? rwl_no_memory(err, scratch->len) : RWL_OK;
}

static rwl_status fill_metrics(const rwl_parquet_column_metrics *from, column_mode mode, rwl_arena *arena,
                               rwl_buf *scratch, rwl_column_metrics *to, rwl_error *err) {
    to->with_counts = mode.kind != MODE_NONE;
    if (!to->with_counts)
        return RWL_OK;
    to->column_size = from->column_size;
    to->value_count = from->value_count;
    to->null_count = from->null_count;
    to->nan_count = from->nan_count;
    if (mode.kind < MODE_TRUNCATE || !from->has_bounds || from->is_repeated)
        return RWL_OK; /* the bounds of a repeated field say nothing about a row */
    RWL_TRY(make_bound(&from->lower, mode, false, arena, scratch, &to->lower, err));
    return make_bound(&from->upper, mode, true, arena, scratch, &to->upper, err);
}

/* UNKNOWN is not stored; nested fields have no metrics, only their leaves, which come behind all fields. */
static bool is_leaf(const rwl_field *field) {
    return field->type.kind != RWL_TYPE_UNKNOWN && !rwl_type_is_nested(&field->type);
}

rwl_status rwl_metrics_from_parquet(const rwl_metrics_config *config, const rwl_field *fields,
                                    int32_t field_count, const rwl_parquet_written *written, rwl_arena *arena,
                                    rwl_column_metrics **out, int32_t *out_count, rwl_error *err) {
    if (written->column_count < field_count)
        return rwl_fail(err, RWL_INTERNAL, "a written file has %d columns, not %d",
                        (int)written->column_count, (int)field_count);
    rwl_column_metrics *items = rwl_arena_array(arena, (size_t)written->column_count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    rwl_buf scratch;
    rwl_buf_init(&scratch, arena->env, SIZE_MAX);
    rwl_status st = RWL_OK;
    int32_t count = 0;
    for (int32_t i = 0; i < written->column_count; i++) {
        if (i < field_count && !is_leaf(&fields[i]))
            continue;
        int32_t id = i < field_count ? fields[i].id : written->columns[i].field_id;
        rwl_column_metrics *m = &items[count++];
        m->field_id = id;
        m->nan_count = -1;
        RWL_GOTO(st, fill_metrics(&written->columns[i], find_mode(config, id), arena, &scratch, m, err),
                 done);
    }
    *out = items;
    *out_count = count;
done:
    rwl_buf_clear(&scratch);
    return st;
}
