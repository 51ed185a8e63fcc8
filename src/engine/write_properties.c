/* SPDX-License-Identifier: Apache-2.0 */
/* A table's write.parquet.* properties as options of a Parquet writer. */
#include "engine/write_properties.h"

#include "engine/budget.h"

#include <strings.h>

#define PREFIX "write.parquet."

static rwl_status fail_value(rwl_error *err, const char *key, const char *text, const char *want) {
    return rwl_fail(err, RWL_CORRUPT, "table property '%.100s' is '%.100s', not %s", key, text, want);
}

/* --- of the file --- */

/* A size: positive; *out stays as it is without the property. */
static rwl_status read_size(const rwl_json *properties, const char *key, int64_t *out, rwl_error *err) {
    const char *text = rwl_property(properties, key, NULL);
    if (text == NULL)
        return RWL_OK;
    RWL_TRY(rwl_property_i64(properties, key, 0, out, err));
    return *out > 0 ? RWL_OK : fail_value(err, key, text, "a number above 0");
}

static rwl_status read_codec(const rwl_json *properties, rwl_parquet_write_options *out, rwl_error *err) {
    const char *key = PREFIX "compression-codec", *name = rwl_property(properties, key, "zstd");
    if (!rwl_codec_by_name(name, &out->codec))
        return rwl_fail(err, RWL_UNSUPPORTED, "%s %.100s is not supported", key, name);
    int64_t level;
    RWL_TRY(rwl_property_i64(properties, PREFIX "compression-level", 0, &level, err));
    if (level < -100 || level > 100)
        return rwl_fail(err, RWL_UNSUPPORTED, PREFIX "compression-level %lld is out of range",
                        (long long)level);
    bool has_levels =
        out->codec == RWL_CODEC_GZIP || out->codec == RWL_CODEC_ZSTD || out->codec == RWL_CODEC_BROTLI;
    out->level = has_levels ? (int)level : 0; /* ignored by the others, as in Java */
    return RWL_OK;
}

static rwl_status read_page_version(const rwl_json *properties, rwl_parquet_write_options *out,
                                    rwl_error *err) {
    const char *key = PREFIX "page-version", *text = rwl_property(properties, key, "v1");
    out->page_v2 = strcmp(text, "v2") == 0 || strcmp(text, "PARQUET_2_0") == 0;
    if (!out->page_v2 && strcmp(text, "v1") != 0 && strcmp(text, "PARQUET_1_0") != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s %.100s is not supported: v1 or v2", key, text);
    return RWL_OK;
}

/* rowline's own: how values without a dictionary are stored. */
static rwl_status read_encoding(const rwl_json *properties, rwl_parquet_write_options *out, rwl_error *err) {
    const char *key = "rowline.parquet.encoding", *text = rwl_property(properties, key, "plain");
    if (strcmp(text, "plain") == 0)
        out->prefer = RWL_PARQUET_PREFER_PLAIN;
    else if (strcmp(text, "delta") == 0)
        out->prefer = RWL_PARQUET_PREFER_DELTA;
    else if (strcmp(text, "split") == 0)
        out->prefer = RWL_PARQUET_PREFER_SPLIT;
    else
        return fail_value(err, key, text, "plain, delta or split");
    return RWL_OK;
}

static rwl_status read_bool(const char *key, const char *text, bool *out, rwl_error *err) {
    *out = strcasecmp(text, "true") == 0;
    return *out || strcasecmp(text, "false") == 0 ? RWL_OK : fail_value(err, key, text, "true or false");
}

static rwl_status read_file_options(const rwl_json *properties, rwl_parquet_write_options *out,
                                    rwl_error *err) {
    RWL_TRY(read_codec(properties, out, err));
    RWL_TRY(read_page_version(properties, out, err));
    RWL_TRY(read_size(properties, PREFIX "row-group-size-bytes", &out->row_group_bytes, err));
    RWL_TRY(read_size(properties, PREFIX "page-size-bytes", &out->page_bytes, err));
    RWL_TRY(read_size(properties, PREFIX "page-row-limit", &out->page_rows, err));
    RWL_TRY(read_size(properties, PREFIX "dict-size-bytes", &out->dictionary_bytes, err));
    RWL_TRY(read_size(properties, PREFIX "bloom-filter-max-bytes", &out->bloom_max_bytes, err));
    RWL_TRY(read_encoding(properties, out, err));
    const char *key = "parquet.enable.dictionary", *text = rwl_property(properties, key, NULL);
    bool enabled = true;
    if (text != NULL)
        RWL_TRY(read_bool(key, text, &enabled, err));
    if (!enabled)
        out->dictionary_bytes = -1;
    return RWL_OK;
}

/* --- of columns --- */

typedef rwl_status (*column_setter)(const rwl_json *properties, const char *key, const char *text,
                                    rwl_parquet_column_options *o, rwl_error *err);

static rwl_status set_bloom(const rwl_json *properties, const char *key, const char *text,
                            rwl_parquet_column_options *o, rwl_error *err) {
    (void)properties;
    return read_bool(key, text, &o->bloom, err);
}

static rwl_status set_fpp(const rwl_json *properties, const char *key, const char *text,
                          rwl_parquet_column_options *o, rwl_error *err) {
    (void)properties;
    if (!rwl_double_parse(rwl_span_str(text), &o->bloom_fpp) || !(o->bloom_fpp > 0 && o->bloom_fpp < 1))
        return fail_value(err, key, text, "a number between 0 and 1");
    return RWL_OK;
}

static rwl_status set_distinct(const rwl_json *properties, const char *key, const char *text,
                               rwl_parquet_column_options *o, rwl_error *err) {
    (void)text;
    return read_size(properties, key, &o->bloom_distinct, err);
}

static rwl_status set_stats(const rwl_json *properties, const char *key, const char *text,
                            rwl_parquet_column_options *o, rwl_error *err) {
    bool enabled;
    (void)properties;
    RWL_TRY(read_bool(key, text, &enabled, err));
    o->without_stats = !enabled;
    return RWL_OK;
}

static rwl_status set_dictionary(const rwl_json *properties, const char *key, const char *text,
                                 rwl_parquet_column_options *o, rwl_error *err) {
    bool enabled;
    (void)properties;
    RWL_TRY(read_bool(key, text, &enabled, err));
    o->dictionary = enabled ? 1 : -1;
    return RWL_OK;
}

static const struct {
    const char *prefix;
    column_setter set;
} column_properties[] = {{PREFIX "bloom-filter-enabled.column.", set_bloom},
                         {PREFIX "bloom-filter-fpp.column.", set_fpp},
                         {PREFIX "bloom-filter-ndv.column.", set_distinct},
                         {PREFIX "stats-enabled.column.", set_stats},
                         {PREFIX "dict-encoding-enabled.column.", set_dictionary}};

/* The setter of a column's property, and the column's name in *name; NULL for other properties. */
static column_setter find_setter(const char *key, const char **name) {
    for (size_t i = 0; i < sizeof column_properties / sizeof *column_properties; i++) {
        size_t len = strlen(column_properties[i].prefix);
        if (strncmp(key, column_properties[i].prefix, len) == 0) {
            *name = key + len;
            return column_properties[i].set;
        }
    }
    return NULL;
}

/* What remains of `name` behind `part` and a dot; "" when it ends with it, NULL when it does not begin with it. */
static const char *behind(const char *name, const char *part) {
    size_t len = strlen(part);
    if (strncmp(name, part, len) != 0 || (name[len] != '\0' && name[len] != '.'))
        return NULL;
    return name[len] == '.' ? name + len + 1 : name + len;
}

static bool find_path(const rwl_field *field, const char *name, int depth, rwl_buf *path, rwl_status *st);

/* Looks below `child`, called `part` in the table and `stored` in files. */
static bool try_child(const rwl_field *child, const char *name, const char *part, const char *stored,
                      int depth, rwl_buf *path, rwl_status *st) {
    size_t mark = path->len;
    const char *rest = behind(name, part);
    if (rest == NULL || *st != RWL_OK)
        return false;
    *st = rwl_buf_printf(path, NULL, "%s%s", mark > 0 ? "." : "", stored);
    if (*st == RWL_OK && find_path(child, rest, depth + 1, path, st))
        return true;
    path->len = mark;
    return false;
}

static bool try_fields(const rwl_field *fields, int32_t count, const char *name, int depth, rwl_buf *path,
                       rwl_status *st) {
    for (int32_t i = 0; i < count; i++) /* a field's own name may hold dots: all that fit are tried */
        if (try_child(&fields[i], name, fields[i].name, fields[i].name, depth, path, st))
            return true;
    return false;
}

/* Whether the rest of a column's name leads from `field` to a primitive one; its path is appended. */
static bool find_path(const rwl_field *field, const char *name, int depth, rwl_buf *path, rwl_status *st) {
    const rwl_type *type = &field->type;
    if (depth > RWL_TYPE_DEPTH_MAX)
        return false;
    switch (type->kind) {
    case RWL_TYPE_STRUCT:
        return try_fields(type->children, type->child_count, name, depth, path, st);
    case RWL_TYPE_LIST:
        return try_child(&type->children[0], name, "element", "list.element", depth, path, st);
    case RWL_TYPE_MAP:
        return try_child(&type->children[0], name, "key", "key_value.key", depth, path, st) ||
               try_child(&type->children[1], name, "value", "key_value.value", depth, path, st);
    default:
        return *name == '\0' && type->kind < RWL_TYPE_VARIANT && type->kind != RWL_TYPE_UNKNOWN;
    }
}

/* Options being gathered: one entry a path. */
typedef struct gathering {
    const rwl_field *fields;
    int32_t field_count;
    rwl_arena *arena;
    rwl_buf path;
    rwl_parquet_column_options *items;
    int32_t count;
} gathering;

static rwl_status get_options(gathering *g, rwl_parquet_column_options **out, rwl_error *err) {
    RWL_TRY(rwl_buf_terminate(&g->path, err));
    for (int32_t i = 0; i < g->count; i++)
        if (strcmp(g->items[i].path, (const char *)g->path.data) == 0) {
            *out = &g->items[i];
            return RWL_OK;
        }
    *out = &g->items[g->count];
    (*out)->path = rwl_arena_strdup(g->arena, (const char *)g->path.data);
    if ((*out)->path == NULL)
        return rwl_no_memory(err, g->path.len);
    g->count++;
    return RWL_OK;
}

static rwl_status take_property(const rwl_json *properties, gathering *g, const char *key, const char *text,
                                rwl_error *err) {
    const char *name;
    rwl_status st = RWL_OK;
    rwl_parquet_column_options *options;
    column_setter set = find_setter(key, &name);
    if (set == NULL)
        return RWL_OK;
    rwl_buf_reset(&g->path);
    bool found = try_fields(g->fields, g->field_count, name, 0, &g->path, &st);
    if (st != RWL_OK)
        return rwl_no_memory(err, strlen(name));
    if (!found)
        return RWL_OK;
    RWL_TRY(get_options(g, &options, err));
    return set(properties, key, text, options, err);
}

static rwl_status read_columns(const rwl_json *properties, gathering *g, rwl_error *err) {
    const char *key, *name;
    rwl_json *value;
    size_t most = 0;
    for (size_t pos = 0; rwl_json_next(properties, &pos, &key, &value);)
        most += find_setter(key, &name) != NULL;
    g->items = rwl_arena_array(g->arena, most, sizeof *g->items);
    if (g->items == NULL)
        return rwl_no_memory(err, most * sizeof *g->items);
    for (size_t pos = 0; rwl_json_next(properties, &pos, &key, &value);)
        if (rwl_json_str(value) != NULL)
            RWL_TRY(take_property(properties, g, key, rwl_json_str(value), err));
    return RWL_OK;
}

rwl_status rwl_write_properties_read(const rwl_json *properties, const rwl_field *fields, int32_t field_count,
                                     rwl_arena *arena, rwl_parquet_write_options *out, rwl_error *err) {
    gathering g = {.fields = fields, .field_count = field_count, .arena = arena};
    RWL_TRY(read_file_options(properties, out, err));
    rwl_buf_init(&g.path, arena->env, SIZE_MAX);
    rwl_status st = read_columns(properties, &g, err);
    rwl_buf_clear(&g.path);
    if (st != RWL_OK)
        return st;
    out->columns = g.items;
    out->column_count = g.count;
    return RWL_OK;
}

/* --- memory --- */

static int64_t least_of(int64_t size, int64_t budget) {
    return size > 0 && size < budget ? size : budget;
}

void rwl_write_properties_limit(rwl_parquet_write_options *options, int64_t budget, int32_t columns) {
    enum { BLOOM_BYTES = 1 << 20 }; /* write.parquet.bloom-filter-max-bytes by default */
    if (budget == 0)
        return;
    rwl_write_budget b = rwl_budget_write(budget, columns > 0 ? columns : 1);
    options->row_group_bytes = least_of(options->row_group_bytes, b.row_group_bytes);
    options->page_bytes = least_of(options->page_bytes, b.page_bytes);
    if (options->dictionary_bytes >= 0)
        options->dictionary_bytes = least_of(options->dictionary_bytes, b.dictionary_bytes);
    int64_t bloom = options->bloom_max_bytes > 0 ? options->bloom_max_bytes : BLOOM_BYTES;
    options->bloom_max_bytes = least_of(bloom, b.dictionary_bytes);
}
