/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a table lies where its metadata says (CLI.md, "Moved tables"). */
#include "catalog/catalog.h"

#include <errno.h>
#include <stdlib.h>

/* The real path, links resolved, at which a location lies, to be freed by free; NULL when there is nothing or it is no
 * local one. */
static rwl_status find_real_path(rwl_store *store, const char *location, char **out, rwl_error *err) {
    rwl_buf path;
    rwl_buf_init(&path, store->env, SIZE_MAX);
    *out = NULL;
    rwl_status st = rwl_store_local_path(store, location, &path, NULL, err);
    if (st == RWL_OK) {
        *out = realpath((const char *)path.data, NULL);
        if (*out == NULL && errno == ENOMEM)
            st = rwl_no_memory(err, path.len);
    }
    rwl_buf_clear(&path);
    return st == RWL_NO_MEMORY ? st : RWL_OK;
}

/* Whether a file's directory is called metadata. If not, where the table is, only its metadata can tell. */
static bool is_in_metadata_folder(const char *file) {
    static const char folder[] = "metadata";
    const size_t len = sizeof folder - 1;
    const char *slash = strrchr(file, '/');
    if (slash == NULL || (size_t)(slash - file) < len || memcmp(slash - len, folder, len) != 0)
        return false;
    return slash - len == file || slash[-(ptrdiff_t)len - 1] == '/';
}

static rwl_status fail_moved(const rwl_place *place, const char *location, rwl_error *err) {
    int len = (int)strlen(location);
    while (len > 1 && location[len - 1] == '/')
        len--;
    rwl_fail(err, RWL_UNSUPPORTED,
             "%s: its metadata says it lies at %.*s: if it was moved, say --map-path %.*s=%s",
             place->directory, len, location, len, location, place->directory);
    return rwl_error_path(err, RWL_UNSUPPORTED, place->directory);
}

rwl_status rwl_place_check_location(const rwl_place *place, rwl_op *op, const char *location,
                                    rwl_error *err) {
    RWL_TRY(rwl_op_check(op, err));
    char *said = NULL, *found = NULL;
    rwl_status st = find_real_path(place->store, location, &said, err);
    if (st == RWL_OK)
        st = find_real_path(place->store, place->directory, &found, err);
    bool same = said != NULL && found != NULL && strcmp(said, found) == 0;
    if (place->layout == RWL_LAYOUT_FILE && !is_in_metadata_folder(place->file))
        same = said != NULL;
    free(said); /* realpath allocates with malloc */
    free(found);
    return st != RWL_OK || same ? st : fail_moved(place, location, err);
}
