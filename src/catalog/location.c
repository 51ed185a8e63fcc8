/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a table lies where its metadata says (CLI.md, "Moved tables"). */
#include "catalog/catalog.h"

#include <stdlib.h>

/* The real path, links resolved, at which a location lies; NULL when there is nothing or it is no local one.
 */
static char *find_real_path(rwl_store *store, const char *location) {
    rwl_buf path;
    rwl_buf_init(&path, store->env, SIZE_MAX);
    char *real = NULL;
    if (rwl_store_local_path(store, location, &path, NULL, NULL) == RWL_OK)
        real = realpath((const char *)path.data, NULL);
    rwl_buf_clear(&path);
    return real;
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
    char *said = find_real_path(place->store, location);
    char *found = find_real_path(place->store, place->directory);
    bool same = said != NULL && found != NULL && strcmp(said, found) == 0;
    if (place->layout == RWL_LAYOUT_FILE && !is_in_metadata_folder(place->file))
        same = said != NULL;
    free(said); /* realpath allocates with malloc */
    free(found);
    return same ? RWL_OK : fail_moved(place, location, err);
}
