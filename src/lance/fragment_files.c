/* SPDX-License-Identifier: Apache-2.0 */
/* The data files of one fragment, opened as they are needed. */
#include "lance/fragment_files.h"

void rwl_lance_fragment_files_init(rwl_lance_fragment_files *files, const rwl_lance_dataset *dataset,
                                   rwl_op *op, const rwl_lance_fragment *fragment) {
    *files = (rwl_lance_fragment_files){.dataset = dataset, .op = op, .fragment = fragment};
    rwl_arena_init(&files->arena, op->env, 0);
}

void rwl_lance_fragment_files_clear(rwl_lance_fragment_files *files) {
    for (int32_t i = 0; files->items != NULL && i < files->fragment->file_count; i++)
        rwl_lancefile_free(files->items[i]);
    rwl_arena_clear(&files->arena);
}

static rwl_status open_file(rwl_lance_fragment_files *files, int32_t index, rwl_lancefile **out,
                            rwl_error *err) {
    const rwl_lance_data_file *f = &files->fragment->files[index];
    const char *location;
    RWL_TRY(rwl_lance_data_location(files->dataset, f, &files->arena, &location, err));
    RWL_TRY(rwl_lancefile_open(files->dataset->store, files->op, location, f->size, out, err));
    (*out)->locate = rwl_lance_base_location;
    (*out)->locate_ctx = files->dataset;
    return RWL_OK;
}

rwl_status rwl_lance_fragment_files_open(rwl_lance_fragment_files *files, int32_t index, rwl_lancefile **out,
                                         rwl_error *err) {
    if (files->items == NULL) {
        size_t count = (size_t)files->fragment->file_count;
        files->items = rwl_arena_array(&files->arena, count, sizeof(rwl_lancefile *));
        if (files->items == NULL)
            return rwl_no_memory(err, count * sizeof(rwl_lancefile *));
    }
    if (files->items[index] == NULL)
        RWL_TRY(open_file(files, index, &files->items[index], err));
    *out = files->items[index];
    return RWL_OK;
}
