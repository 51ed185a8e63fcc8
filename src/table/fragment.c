/* SPDX-License-Identifier: Apache-2.0 */
/* Deep copies of fragments. */
#include "table/fragment.h"

static rwl_status copy_text(rwl_arena *arena, const char *from, const char **to, rwl_error *err) {
    *to = NULL;
    if (from == NULL)
        return RWL_OK;
    *to = rwl_arena_strdup(arena, from);
    return *to == NULL ? rwl_no_memory(err, strlen(from) + 1) : RWL_OK;
}

static rwl_status copy_partition(rwl_arena *arena, const rwl_fragment *from, rwl_fragment *to,
                                 rwl_error *err) {
    size_t count = (size_t)from->partition_count;
    rwl_value *values = rwl_arena_array(arena, count, sizeof *values);
    if (values == NULL)
        return rwl_no_memory(err, count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        if (!rwl_value_copy(arena, &from->partition[i], &values[i]))
            return rwl_no_memory(err, sizeof *values);
    to->partition = values;
    return RWL_OK;
}

static rwl_status copy_deletes(rwl_arena *arena, const rwl_fragment *from, rwl_fragment *to, rwl_error *err) {
    size_t count = (size_t)from->delete_count;
    rwl_delete_ref *refs = rwl_arena_array(arena, count, sizeof *refs);
    if (refs == NULL)
        return rwl_no_memory(err, count * sizeof *refs);
    for (size_t i = 0; i < count; i++) {
        refs[i] = from->deletes[i];
        RWL_TRY(copy_text(arena, from->deletes[i].location, &refs[i].location, err));
        RWL_TRY(copy_text(arena, from->deletes[i].format, &refs[i].format, err));
        size_t bytes = (size_t)refs[i].equality_count * sizeof *refs[i].equality_ids;
        refs[i].equality_ids = bytes > 0 ? rwl_arena_copy(arena, refs[i].equality_ids, bytes) : NULL;
        if (bytes > 0 && refs[i].equality_ids == NULL)
            return rwl_no_memory(err, bytes);
    }
    to->deletes = refs;
    return RWL_OK;
}

rwl_status rwl_fragment_copy(rwl_arena *arena, const rwl_fragment *from, rwl_fragment *to, rwl_error *err) {
    *to = *from;
    RWL_TRY(copy_text(arena, from->location, &to->location, err));
    RWL_TRY(copy_text(arena, from->format, &to->format, err));
    RWL_TRY(copy_partition(arena, from, to, err));
    return copy_deletes(arena, from, to, err);
}
