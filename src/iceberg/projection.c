/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving columns against the fields of one file. */
#include "iceberg/projection.h"

#include "iceberg/name_mapping.h"

#include <inttypes.h>
#include <stdlib.h>

#define NAME_MAPPING_PROPERTY "schema.name-mapping.default"

/* --- files without ids --- */

static bool knows_field(const rwl_schema *schema, const rwl_field *field) {
    if (field->id >= RWL_FIELD_ID_RESERVED_MIN)
        return true;
    const rwl_field *own = rwl_schema_by_id(schema, field->id);
    return own != NULL && strcmp(own->name, field->name) == 0;
}

static bool knows_fields(const rwl_schema *schema, const rwl_field *fields, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        if (!knows_field(schema, &fields[i]))
            return false;
    return true;
}

/* The schema that the fields are of: the current one where it may be, else the latest. */
static const rwl_schema *find_schema(const rwl_metadata *m, const rwl_field *fields, int32_t count) {
    if (knows_fields(m->schema, fields, count))
        return m->schema;
    for (int32_t i = m->schema_count; i-- > 0;)
        if (knows_fields(&m->schemas[i], fields, count))
            return &m->schemas[i];
    return m->schema;
}

static rwl_status map_by_names(rwl_projection *p, const rwl_field *fields, int32_t count, rwl_error *err) {
    const rwl_schema *schema = find_schema(p->metadata, fields, count);
    rwl_name_mapping mapping;
    int32_t found;
    RWL_TRY(rwl_name_mapping_of_fields(schema->fields, schema->field_count, p->arena, &mapping, err));
    RWL_TRY(rwl_name_mapping_apply(&mapping, p->file->fields, p->file->field_count, p->arena, &p->fields,
                                   &found, err));
    if (found == 0 && count > 0 && p->field_count > 0)
        return rwl_fail(
            err, RWL_UNSUPPORTED,
            "the file has no field ids and the table has no name mapping, and none of its columns "
            "has the name of one of the table's");
    return RWL_OK;
}

static rwl_status give_ids(rwl_projection *p, const rwl_field *fields, int32_t count, rwl_error *err) {
    const char *text = rwl_metadata_property(p->metadata, NAME_MAPPING_PROPERTY, NULL);
    rwl_name_mapping mapping;
    int32_t found;
    if (text == NULL)
        return map_by_names(p, fields, count, err);
    RWL_TRY(rwl_name_mapping_parse(rwl_span_str(text), p->arena, &mapping, err));
    return rwl_name_mapping_apply(&mapping, p->file->fields, p->field_count, p->arena, &p->fields, &found,
                                  err);
}

/* --- looking up --- */

typedef struct key {
    int32_t id, index;
} key;

static int compare_keys(const void *a, const void *b) {
    const key *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static rwl_status index_fields(rwl_projection *p, rwl_error *err) {
    size_t count = (size_t)p->field_count;
    int32_t *by_id = rwl_arena_array(p->arena, count, sizeof *by_id);
    int32_t *first_leaf = rwl_arena_array(p->arena, count, sizeof *first_leaf);
    key *keys = rwl_arena_array(p->arena, count, sizeof *keys);
    if (by_id == NULL || first_leaf == NULL || keys == NULL)
        return rwl_no_memory(err, count * sizeof *keys);
    for (int32_t i = 0; i < p->field_count; i++) {
        keys[i] = (key){p->fields[i].id, i};
        first_leaf[i] = p->leaf_count;
        p->leaf_count += rwl_field_leaf_count(&p->fields[i]);
    }
    if (count > 1)
        qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        by_id[i] = keys[i].index;
    p->by_id = by_id;
    p->first_leaf = first_leaf;
    return RWL_OK;
}

rwl_status rwl_projection_init(rwl_projection *p, const rwl_metadata *metadata, const rwl_fragment *fragment,
                               const rwl_stored_file *file, const rwl_field *fields, int32_t field_count,
                               rwl_arena *arena, rwl_error *err) {
    *p = (rwl_projection){.metadata = metadata,
                          .fragment = fragment,
                          .file = file,
                          .arena = arena,
                          .fields = file->fields,
                          .field_count = file->field_count};
    if (file->without_ids)
        RWL_TRY(give_ids(p, fields, field_count, err));
    return index_fields(p, err);
}

/* The place in by_id of the first field whose id is not less. */
static int32_t find_place(const rwl_projection *p, int32_t field_id) {
    int32_t low = 0, high = p->field_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (p->fields[p->by_id[middle]].id < field_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t rwl_projection_find(const rwl_projection *p, int32_t field_id) {
    int32_t at = find_place(p, field_id);
    if (field_id < 0 || at == p->field_count || p->fields[p->by_id[at]].id != field_id)
        return -1;
    return p->by_id[at];
}

static rwl_status fail_twice(const rwl_field *field, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "column %s (id %" PRId32 ") is twice in the file", field->name,
                    field->id);
}

static rwl_status find_top(const rwl_projection *p, int32_t field_id, int32_t *out, rwl_error *err) {
    int32_t at = find_place(p, field_id);
    *out = rwl_projection_find(p, field_id);
    bool is_twice = *out >= 0 && at + 1 < p->field_count && p->fields[p->by_id[at + 1]].id == field_id;
    return is_twice ? fail_twice(&p->fields[*out], err) : (rwl_status)RWL_OK;
}

rwl_status rwl_projection_find_lineage(const rwl_projection *p, int32_t field_id, int32_t *out,
                                       rwl_error *err) {
    *out = -1;
    if (p->file->without_ids || !p->fragment->lineage.has_first_row_id)
        return RWL_OK;
    RWL_TRY(find_top(p, field_id, out, err));
    if (*out < 0 || p->fields[*out].type.kind == RWL_TYPE_LONG)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "lineage column %s is no long", p->fields[*out].name);
}

/* --- types --- */

/* Types with the same bytes that files of careless writers leave without their annotation. */
static bool same_layout(const rwl_type *from, const rwl_type *to) {
    if (from->kind == RWL_TYPE_FIXED && to->kind == RWL_TYPE_UUID)
        return from->length == 16;
    if (from->kind == RWL_TYPE_UUID && to->kind == RWL_TYPE_FIXED)
        return to->length == 16;
    return from->kind == RWL_TYPE_STRING && to->kind == RWL_TYPE_BINARY;
}

/* The same instants in another unit: what writers did that knew one unit only. */
static bool same_times(rwl_type_kind from, rwl_type_kind to) {
    return (from == RWL_TYPE_TIMESTAMP && to == RWL_TYPE_TIMESTAMP_NS) ||
           (from == RWL_TYPE_TIMESTAMP_NS && to == RWL_TYPE_TIMESTAMP) ||
           (from == RWL_TYPE_TIMESTAMPTZ && to == RWL_TYPE_TIMESTAMPTZ_NS) ||
           (from == RWL_TYPE_TIMESTAMPTZ_NS && to == RWL_TYPE_TIMESTAMPTZ);
}

/* Text of writers that did not annotate it (Impala, old Hive); whether it is text is checked with the values. */
static bool is_plain_text(const rwl_type *from, const rwl_type *to) {
    return from->kind == RWL_TYPE_BINARY && to->kind == RWL_TYPE_STRING;
}

static rwl_status wrong_type(const rwl_projection *p, const rwl_field *field, const rwl_type *from,
                             rwl_error *err) {
    rwl_buf names[2];
    for (int i = 0; i < 2; i++)
        rwl_buf_init(&names[i], p->arena->env, 4096);
    const char *texts[2] = {"?", "?"};
    const rwl_type *types[2] = {from, &field->type};
    for (int i = 0; i < 2; i++)
        if (rwl_type_format(types[i], &names[i], NULL) == RWL_OK &&
            rwl_buf_terminate(&names[i], NULL) == RWL_OK)
            texts[i] = (const char *)names[i].data;
    rwl_status st = rwl_fail(err, RWL_CORRUPT, "column %s is %s in the file, which can't be read as %s",
                             field->name, texts[0], texts[1]);
    for (int i = 0; i < 2; i++)
        rwl_buf_clear(&names[i]);
    return st;
}

/* --- constants --- */

/* A partition value is typed by the current schema, `to` may be an older or a newer one. */
bool rwl_value_convert(const rwl_value *from, const rwl_type *to, rwl_value *out) {
    const int64_t day_us = INT64_C(86400000000);
    *out = *from;
    out->kind = to->kind;
    if (from->is_null || from->kind == to->kind)
        return true;
    if (from->kind == RWL_TYPE_INT && to->kind == RWL_TYPE_LONG)
        out->as.i64 = from->as.i32;
    else if (from->kind == RWL_TYPE_LONG && to->kind == RWL_TYPE_INT && from->as.i64 >= INT32_MIN &&
             from->as.i64 <= INT32_MAX)
        out->as.i32 = (int32_t)from->as.i64;
    else if (from->kind == RWL_TYPE_FLOAT && to->kind == RWL_TYPE_DOUBLE)
        out->as.f64 = (double)from->as.f32;
    else if (from->kind == RWL_TYPE_DOUBLE && to->kind == RWL_TYPE_FLOAT)
        out->as.f32 = (float)from->as.f64;
    else if (from->kind == RWL_TYPE_DATE && to->kind == RWL_TYPE_TIMESTAMP)
        return rwl_i64_mul(from->as.i32, day_us, &out->as.i64);
    else if (from->kind == RWL_TYPE_DATE && to->kind == RWL_TYPE_TIMESTAMP_NS)
        return rwl_i64_mul(from->as.i32, day_us * 1000, &out->as.i64);
    else
        return false;
    return true;
}

/* The identity partition field of the fragment's spec whose source is this field; -1 for none. */
static int32_t identity_field(const rwl_projection *p, int32_t field_id) {
    const rwl_partition_spec *spec = rwl_metadata_spec(p->metadata, p->fragment->spec_id);
    for (int32_t i = 0; spec != NULL && i < spec->field_count && i < p->fragment->partition_count; i++)
        if (spec->fields[i].source_id == field_id && spec->fields[i].transform.kind == RWL_TRANSFORM_IDENTITY)
            return i;
    return -1;
}

static rwl_status alloc_children(const rwl_projection *p, const rwl_type *type, rwl_recipe *out,
                                 rwl_error *err) {
    out->children = rwl_arena_array(p->arena, (size_t)type->child_count, sizeof *out->children);
    out->child_count = type->child_count;
    return out->children != NULL ? RWL_OK : rwl_no_memory(err, sizeof *out->children);
}

static void use_null(const rwl_field *field, rwl_recipe *out) {
    *out =
        (rwl_recipe){.kind = RWL_RECIPE_CONSTANT, .source = -1, .constant = rwl_value_null(field->type.kind)};
}

static rwl_status use_constant(const rwl_field *field, const rwl_value *v, rwl_recipe *out, rwl_error *err) {
    if (rwl_type_is_nested(&field->type) || !rwl_value_convert(v, &field->type, &out->constant))
        return rwl_fail(err, RWL_CORRUPT, "column %s: a partition value or default is of another type",
                        field->name);
    return RWL_OK;
}

static rwl_status resolve_absent(const rwl_projection *p, const rwl_field *field, int depth, rwl_recipe *out,
                                 rwl_error *err);

/* {} of a struct gives its fields their own defaults. The value says no more than that it is not null. */
static rwl_status use_nested_default(const rwl_projection *p, const rwl_field *field, int depth,
                                     rwl_recipe *out, rwl_error *err) {
    out->constant.is_null = false;
    if (field->type.kind != RWL_TYPE_STRUCT)
        return RWL_OK; /* an empty one */
    RWL_TRY(alloc_children(p, &field->type, out, err));
    for (int32_t i = 0; i < out->child_count; i++)
        RWL_TRY(resolve_absent(p, &field->type.children[i], depth + 1, &out->children[i], err));
    return RWL_OK;
}

static rwl_status resolve_absent(const rwl_projection *p, const rwl_field *field, int depth, rwl_recipe *out,
                                 rwl_error *err) {
    const rwl_value *value = field->initial_default;
    use_null(field, out);
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "columns nest deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    int32_t identity = identity_field(p, field->id);
    if (identity >= 0)
        return use_constant(field, &p->fragment->partition[identity], out, err);
    if (value != NULL && !value->is_null && rwl_type_is_nested(&field->type))
        return use_nested_default(p, field, depth, out, err);
    if (value != NULL && !value->is_null)
        return use_constant(field, value, out, err);
    if (field->required)
        return rwl_fail(err, RWL_CORRUPT, "required column %s (id %" PRId32 ") is missing and has no default",
                        field->name, field->id);
    return RWL_OK;
}

/* --- wanted leaves --- */

static void want_all(bool *wanted, int32_t first, const rwl_field *from) {
    int32_t count = wanted != NULL ? rwl_field_leaf_count(from) : 0;
    for (int32_t i = 0; i < count; i++)
        wanted[first + i] = true;
}

static bool is_wanted(const bool *wanted, int32_t first, const rwl_field *from) {
    int32_t count = rwl_field_leaf_count(from);
    for (int32_t i = 0; i < count; i++)
        if (wanted[first + i])
            return true;
    return false;
}

/* Where nothing in a nested field is wanted one leaf still says where it is null and how long: one without lists around it,
 * as far as there is one. */
static int32_t cheapest_leaf(const rwl_field *from, int depth) {
    int32_t at = 0, best = -1;
    if (from->type.child_count == 0 || depth > RWL_TYPE_DEPTH_MAX)
        return 0;
    for (int32_t i = 0; i < from->type.child_count; i++) {
        const rwl_field *child = &from->type.children[i];
        if (!rwl_type_is_nested(&child->type) && child->type.kind != RWL_TYPE_UNKNOWN &&
            child->type.kind != RWL_TYPE_VARIANT)
            return at;
        if (best < 0 && child->type.kind != RWL_TYPE_UNKNOWN)
            best = at + cheapest_leaf(child, depth + 1);
        at += rwl_field_leaf_count(child);
    }
    return best < 0 ? 0 : best;
}

static void want_any(bool *wanted, int32_t first, const rwl_field *from) {
    if (wanted != NULL && !is_wanted(wanted, first, from))
        wanted[first + cheapest_leaf(from, 0)] = true;
}

/* --- resolving --- */

static rwl_status resolve_stored(const rwl_projection *p, const rwl_field *field, const rwl_field *from,
                                 int32_t first, bool *wanted, int depth, rwl_recipe *out, rwl_error *err);

/* The child of a struct in the file with the id, NULL without; *first: its first leaf. */
static rwl_status find_child(const rwl_type *from, const rwl_field *field, int32_t *index, int32_t *first,
                             rwl_error *err) {
    int32_t at = *first;
    *index = -1;
    for (int32_t i = 0; i < from->child_count; i++) {
        if (from->children[i].id == field->id && *index >= 0)
            return fail_twice(field, err);
        if (from->children[i].id == field->id) {
            *index = i;
            *first = at;
        }
        at += rwl_field_leaf_count(&from->children[i]);
    }
    return RWL_OK;
}

/* A struct whose fields have no ids in a file that has some would read as nulls alone. */
static rwl_status check_struct(const rwl_projection *p, const rwl_field *field, const rwl_field *from,
                               rwl_error *err) {
    bool has_ids = p->file->without_ids;
    if (from->type.child_count == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: a struct without fields", field->name);
    for (int32_t i = 0; i < from->type.child_count; i++)
        has_ids = has_ids || from->type.children[i].id >= 0;
    return has_ids ? RWL_OK
                   : rwl_fail(err, RWL_UNSUPPORTED,
                              "column %s: its fields have no field ids in a file that has some", field->name);
}

static rwl_status resolve_struct(const rwl_projection *p, const rwl_field *field, const rwl_field *from,
                                 int32_t first, bool *wanted, int depth, rwl_recipe *out, rwl_error *err) {
    RWL_TRY(check_struct(p, field, from, err));
    RWL_TRY(alloc_children(p, &field->type, out, err));
    for (int32_t i = 0; i < out->child_count; i++) {
        const rwl_field *child = &field->type.children[i];
        int32_t index, leaf = first;
        RWL_TRY(find_child(&from->type, child, &index, &leaf, err));
        if (index < 0)
            RWL_TRY(resolve_absent(p, child, depth + 1, &out->children[i], err));
        else
            RWL_TRY(resolve_stored(p, child, &from->type.children[index], leaf, wanted, depth + 1,
                                   &out->children[i], err));
        out->children[i].source = out->children[i].kind == RWL_RECIPE_CONSTANT ? -1 : index;
    }
    return RWL_OK;
}

/* Elements, keys and values have their places; keys are always read whole. */
static rwl_status resolve_elements(const rwl_projection *p, const rwl_field *field, const rwl_field *from,
                                   int32_t first, bool *wanted, int depth, rwl_recipe *out, rwl_error *err) {
    if (from->type.child_count != field->type.child_count)
        return wrong_type(p, field, &from->type, err);
    RWL_TRY(alloc_children(p, &field->type, out, err));
    for (int32_t i = 0; i < out->child_count; i++) {
        const rwl_field *child = &from->type.children[i];
        RWL_TRY(resolve_stored(p, &field->type.children[i], child, first, wanted, depth + 1,
                               &out->children[i], err));
        out->children[i].source = out->children[i].kind == RWL_RECIPE_CONSTANT ? -1 : i;
        if (field->type.kind == RWL_TYPE_MAP && i == 0)
            want_all(wanted, first, child);
        want_any(wanted, first, child);
        first += rwl_field_leaf_count(child);
    }
    return RWL_OK;
}

static rwl_status resolve_leaf(const rwl_projection *p, const rwl_field *field, const rwl_field *from,
                               int32_t first, bool *wanted, rwl_recipe *out, rwl_error *err) {
    const rwl_type *has = &from->type, *to = &field->type;
    bool is_same = rwl_type_equal(has, to) || same_layout(has, to) ||
                   (has->kind == to->kind && to->kind >= RWL_TYPE_VARIANT &&
                    !rwl_type_is_nested(to)); /* geometries keep the table's reference system */
    if (!is_same && !same_times(has->kind, to->kind) && !is_plain_text(has, to) &&
        !rwl_type_promotes(has, to))
        return wrong_type(p, field, has, err);
    out->kind = is_same ? RWL_RECIPE_SAME : RWL_RECIPE_PROMOTED;
    want_all(wanted, first, from);
    return RWL_OK;
}

/* `from` is the field in the file, `first` its first leaf. */
static rwl_status resolve_stored(const rwl_projection *p, const rwl_field *field, const rwl_field *from,
                                 int32_t first, bool *wanted, int depth, rwl_recipe *out, rwl_error *err) {
    *out = (rwl_recipe){.kind = RWL_RECIPE_REBUILT, .constant = rwl_value_null(field->type.kind)};
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "columns nest deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    if (field->type.kind == RWL_TYPE_UNKNOWN) { /* "any stored column is ignored" */
        use_null(field, out);
        return RWL_OK;
    }
    if (!rwl_type_is_nested(&field->type) || from->type.kind != field->type.kind)
        return resolve_leaf(p, field, from, first, wanted, out, err);
    if (field->type.kind == RWL_TYPE_STRUCT)
        RWL_TRY(resolve_struct(p, field, from, first, wanted, depth, out, err));
    else
        RWL_TRY(resolve_elements(p, field, from, first, wanted, depth, out, err));
    want_any(wanted, first, from);
    return RWL_OK;
}

rwl_status rwl_projection_resolve(const rwl_projection *p, const rwl_field *field, bool *wanted,
                                  rwl_recipe *out, rwl_error *err) {
    int32_t index;
    RWL_TRY(find_top(p, field->id, &index, err));
    if (index < 0)
        return resolve_absent(p, field, 0, out, err);
    RWL_TRY(resolve_stored(p, field, &p->fields[index], p->first_leaf[index], wanted, 0, out, err));
    out->source = out->kind == RWL_RECIPE_CONSTANT ? -1 : index;
    return RWL_OK;
}

/* --- binding --- */

static void bind(const bool *wanted, const rwl_field *from, int32_t first, rwl_recipe *recipe) {
    if (recipe->kind != RWL_RECIPE_REBUILT)
        return;
    int32_t kept = 0, matched = 0;
    for (int32_t i = 0; i < from->type.child_count; i++) {
        const rwl_field *child = &from->type.children[i];
        bool is_read = from->type.kind != RWL_TYPE_STRUCT || is_wanted(wanted, first, child);
        for (int32_t k = 0; k < recipe->child_count && is_read; k++) {
            rwl_recipe *r = &recipe->children[k];
            if (r->source != i || r->is_bound)
                continue;
            bind(wanted, child, first, r);
            r->source = kept;
            r->is_bound = true;
            matched += r->kind == RWL_RECIPE_SAME && k == kept;
        }
        kept += is_read;
        first += rwl_field_leaf_count(child);
    }
    if (kept == recipe->child_count && matched == kept)
        recipe->kind = RWL_RECIPE_SAME;
}

void rwl_projection_bind(const rwl_projection *p, const bool *wanted, rwl_recipe *recipe) {
    if (recipe->source >= 0)
        bind(wanted, &p->fields[recipe->source], p->first_leaf[recipe->source], recipe);
}
