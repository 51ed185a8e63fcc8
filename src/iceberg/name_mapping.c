/* SPDX-License-Identifier: Apache-2.0 */
/* Name mappings: parsed, made from a schema, applied to the fields of a file. */
#include "iceberg/name_mapping.h"

#include "base/vec.h"

#include <stdlib.h>

typedef struct parser {
    rwl_arena *arena;
    RWL_VEC(int32_t) ids; /* all so far */
} parser;

static int compare_names(const void *a, const void *b) {
    return strcmp(((const rwl_mapped_name *)a)->name, ((const rwl_mapped_name *)b)->name);
}

static int compare_ids(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static rwl_status sort_names(rwl_mapped_name *names, size_t count, rwl_error *err) {
    if (count > 1)
        qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1].name, names[i].name) == 0)
            return rwl_fail(err, RWL_CORRUPT, "the name '%.100s' is mapped twice", names[i].name);
    return RWL_OK;
}

/* --- parsing --- */

static rwl_status count_names(const rwl_json *fields, size_t *count, rwl_error *err) {
    *count = 0;
    if (rwl_json_kind_of(fields) != RWL_JSON_ARRAY)
        return rwl_fail(err, RWL_CORRUPT, "no array of fields");
    for (size_t i = 0; i < rwl_json_len(fields); i++) {
        rwl_json *names;
        RWL_TRY(rwl_json_need_array(rwl_json_at(fields, i), "names", &names, err));
        *count += rwl_json_len(names);
    }
    return RWL_OK;
}

static rwl_status parse_level(parser *p, const rwl_json *fields, int depth, rwl_name_mapping *out,
                              rwl_error *err);

static rwl_status parse_field(parser *p, const rwl_json *item, int depth, rwl_mapped_name *out,
                              rwl_error *err) {
    const rwl_json *fields = rwl_json_get(item, "fields");
    out->field_id = -1;
    if (rwl_json_kind_of(rwl_json_get(item, "field-id")) != RWL_JSON_NULL) {
        RWL_TRY(rwl_json_need_i32(item, "field-id", &out->field_id, err));
        if (out->field_id < 0)
            return rwl_fail(err, RWL_CORRUPT, "the field id %d", (int)out->field_id);
        RWL_TRY(rwl_vec_push(&p->ids, p->arena->env, out->field_id, err));
    }
    return rwl_json_kind_of(fields) == RWL_JSON_NULL ? (rwl_status)RWL_OK
                                                     : parse_level(p, fields, depth + 1, &out->fields, err);
}

static rwl_status parse_level(parser *p, const rwl_json *fields, int depth, rwl_name_mapping *out,
                              rwl_error *err) {
    size_t count, at = 0;
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "fields nest deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    RWL_TRY(count_names(fields, &count, err));
    rwl_mapped_name *names = rwl_arena_array(p->arena, count, sizeof *names);
    if (names == NULL)
        return rwl_no_memory(err, count * sizeof *names);
    for (size_t i = 0; i < rwl_json_len(fields); i++) {
        const rwl_json *item = rwl_json_at(fields, i), *own = rwl_json_get(item, "names");
        rwl_mapped_name field = {0};
        RWL_TRY(parse_field(p, item, depth, &field, err));
        for (size_t n = 0; n < rwl_json_len(own); n++) {
            const char *text = rwl_json_str(rwl_json_at(own, n));
            if (text == NULL)
                return rwl_fail(err, RWL_CORRUPT, "a name is no string");
            field.name = rwl_arena_strdup(p->arena, text);
            if (field.name == NULL)
                return rwl_no_memory(err, strlen(text));
            names[at++] = field;
        }
    }
    *out = (rwl_name_mapping){names, count};
    return sort_names(names, count, err);
}

static rwl_status check_ids(parser *p, rwl_error *err) {
    if (p->ids.len > 1)
        qsort(p->ids.items, p->ids.len, sizeof *p->ids.items, compare_ids);
    for (size_t i = 1; i < p->ids.len; i++)
        if (p->ids.items[i - 1] == p->ids.items[i])
            return rwl_fail(err, RWL_CORRUPT, "the field id %d is mapped twice", (int)p->ids.items[i]);
    return RWL_OK;
}

rwl_status rwl_name_mapping_parse(rwl_span json, rwl_arena *arena, rwl_name_mapping *out, rwl_error *err) {
    parser p = {.arena = arena};
    rwl_json *root = NULL;
    rwl_status st = rwl_json_parse(json, &root, err);
    if (st == RWL_OK)
        st = parse_level(&p, root, 0, out, err);
    if (st == RWL_OK)
        st = check_ids(&p, err);
    rwl_json_free(root);
    rwl_vec_clear(&p.ids, arena->env);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "name mapping");
}

/* --- from a schema --- */

static rwl_status map_fields(const rwl_field *fields, int32_t count, rwl_arena *arena, int depth,
                             rwl_name_mapping *out, rwl_error *err) {
    rwl_mapped_name *names = rwl_arena_array(arena, (size_t)count, sizeof *names);
    if (names == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *names);
    for (int32_t i = 0; i < count; i++) {
        const rwl_type *t = &fields[i].type;
        names[i].name = fields[i].name;
        names[i].field_id = fields[i].id;
        if (t->child_count > 0 && depth < RWL_TYPE_DEPTH_MAX)
            RWL_TRY(map_fields(t->children, t->child_count, arena, depth + 1, &names[i].fields, err));
    }
    *out = (rwl_name_mapping){names, (size_t)count};
    return sort_names(names, (size_t)count, err);
}

rwl_status rwl_name_mapping_of_fields(const rwl_field *fields, int32_t count, rwl_arena *arena,
                                      rwl_name_mapping *out, rwl_error *err) {
    return map_fields(fields, count, arena, 0, out, err);
}

/* --- applying --- */

static const rwl_mapped_name *find_name(const rwl_name_mapping *mapping, const char *name) {
    rwl_mapped_name wanted = {.name = name};
    if (mapping->count == 0 || name == NULL)
        return NULL;
    return bsearch(&wanted, mapping->names, mapping->count, sizeof *mapping->names, compare_names);
}

static rwl_status apply_level(const rwl_name_mapping *mapping, const rwl_field *fields, int32_t count,
                              rwl_arena *arena, int depth, const rwl_field **out, int32_t *found,
                              rwl_error *err) {
    static const rwl_name_mapping none = {0};
    rwl_field *copy = rwl_arena_array(arena, (size_t)count, sizeof *copy);
    if (copy == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *copy);
    *found = 0;
    for (int32_t i = 0; i < count; i++) {
        const rwl_mapped_name *name = find_name(mapping, fields[i].name);
        int32_t below;
        copy[i] = fields[i];
        copy[i].id = name != NULL ? name->field_id : -1;
        *found += copy[i].id >= 0;
        if (copy[i].type.child_count > 0 && depth < RWL_TYPE_DEPTH_MAX)
            RWL_TRY(apply_level(name != NULL ? &name->fields : &none, fields[i].type.children,
                                fields[i].type.child_count, arena, depth + 1, &copy[i].type.children, &below,
                                err));
    }
    *out = copy;
    return RWL_OK;
}

rwl_status rwl_name_mapping_apply(const rwl_name_mapping *mapping, const rwl_field *fields, int32_t count,
                                  rwl_arena *arena, const rwl_field **out, int32_t *found, rwl_error *err) {
    return apply_level(mapping, fields, count, arena, 0, out, found, err);
}
