/* SPDX-License-Identifier: Apache-2.0 */
/* Name mappings: field ids for files that carry none (specification, "Column Projection", appendix C). */
#include "iceberg/schema.h"

#include <stdlib.h>

typedef struct mapped_name {
    const char *name;
    int32_t field_id;
} mapped_name;

struct rwl_name_mapping {
    mapped_name *names; /* top-level names, sorted */
    size_t count;
};

static int compare_names(const void *a, const void *b) {
    return strcmp(((const mapped_name *)a)->name, ((const mapped_name *)b)->name);
}

/* Counts the names of one level and checks the levels below. */
static rwl_status count_names(const rwl_json *fields, int depth, size_t *count, rwl_error *err) {
    *count = 0;
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "fields nest deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    if (rwl_json_kind_of(fields) != RWL_JSON_ARRAY)
        return rwl_fail(err, RWL_CORRUPT, "no array of fields");
    for (size_t i = 0; i < rwl_json_len(fields); i++) {
        const rwl_json *item = rwl_json_at(fields, i);
        int32_t id;
        rwl_json *names;
        size_t below;
        RWL_TRY(rwl_json_opt_i32(item, "field-id", NULL, &id, err));
        RWL_TRY(rwl_json_need_array(item, "names", &names, err));
        for (size_t n = 0; n < rwl_json_len(names); n++) {
            if (!rwl_json_str(rwl_json_at(names, n)))
                return rwl_fail(err, RWL_CORRUPT, "a name is no string");
        }
        *count += rwl_json_len(names);
        if (rwl_json_kind_of(rwl_json_get(item, "fields")) != RWL_JSON_NULL)
            RWL_TRY(count_names(rwl_json_get(item, "fields"), depth + 1, &below, err));
    }
    return RWL_OK;
}

static rwl_status take_names(const rwl_json *fields, rwl_arena *arena, rwl_name_mapping *out,
                             rwl_error *err) {
    for (size_t i = 0; i < rwl_json_len(fields); i++) {
        const rwl_json *item = rwl_json_at(fields, i);
        const rwl_json *names = rwl_json_get(item, "names");
        int32_t id = -1; /* a field without id hides its columns */
        RWL_TRY(rwl_json_opt_i32(item, "field-id", NULL, &id, err));
        for (size_t n = 0; n < rwl_json_len(names); n++) {
            const char *name = rwl_arena_strdup(arena, rwl_json_str(rwl_json_at(names, n)));
            if (!name)
                return rwl_no_memory(err, sizeof(mapped_name));
            out->names[out->count++] = (mapped_name){name, id};
        }
    }
    return RWL_OK;
}

static rwl_status build_mapping(const rwl_json *json, rwl_arena *arena, rwl_name_mapping *out,
                                rwl_error *err) {
    size_t count;
    RWL_TRY(count_names(json, 0, &count, err));
    out->names = rwl_arena_array(arena, count, sizeof *out->names);
    if (!out->names)
        return rwl_no_memory(err, count * sizeof *out->names);
    RWL_TRY(take_names(json, arena, out, err));
    if (count > 1)
        qsort(out->names, count, sizeof *out->names, compare_names);
    for (size_t i = 1; i < count; i++) {
        if (compare_names(&out->names[i - 1], &out->names[i]) == 0)
            return rwl_fail(err, RWL_CORRUPT, "the name '%.100s' is mapped twice", out->names[i].name);
    }
    return RWL_OK;
}

rwl_status rwl_name_mapping_parse(rwl_span json, rwl_arena *arena, rwl_name_mapping **out, rwl_error *err) {
    *out = NULL;
    rwl_name_mapping *mapping = rwl_arena_alloc(arena, sizeof *mapping);
    if (!mapping)
        return rwl_no_memory(err, sizeof *mapping);
    rwl_json *root = NULL;
    rwl_status st = rwl_json_parse(json, &root, err);
    if (st == RWL_OK)
        st = build_mapping(root, arena, mapping, err);
    rwl_json_free(root);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "name mapping");
    *out = mapping;
    return RWL_OK;
}

int32_t rwl_name_mapping_find(const rwl_name_mapping *mapping, const char *column) {
    mapped_name wanted = {column, -1};
    const mapped_name *found =
        bsearch(&wanted, mapping->names, mapping->count, sizeof *mapping->names, compare_names);
    return found ? found->field_id : -1;
}
