/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations and paths, without any I/O. The rules of moved tables (CLI.md, "Moved tables"):
 *
 *   1. `file:`, `file://` and `file:///` before an absolute path count as no scheme.
 *   2. FROM matches whole path components; repeated and trailing slashes do not matter.
 *   3. The FROM with the most components wins.
 *   4. TO may be relative; what follows FROM is appended to it, byte for byte.
 *   5. A ".." after FROM is refused: nothing outside TO is read, written or deleted through a map.
 */
#ifndef RWL_STORAGE_PATHS_H
#define RWL_STORAGE_PATHS_H

#include "storage/store.h"

/* The path of a location with its file scheme taken off; borrowed from `location`. UNSUPPORTED for another
 * scheme, a host, or a file URL of a relative path. */
RWL_MUST_CHECK rwl_status rwl_paths_strip(const char *location, const char **path, rwl_error *err);
/* Whether `path` is `dir` or lies under it, by whole components; *rest (may be NULL) is what follows, without
 * slashes in front. Both are taken as they are: no links, no ".". */
bool rwl_paths_under(const char *path, const char *dir, const char **rest);
/* Appends the path `location` is read at, and a NUL not counted. */
RWL_MUST_CHECK rwl_status rwl_paths_map(const rwl_path_map *maps, size_t count, const char *location,
                                        rwl_buf *path, bool *mapped, rwl_error *err);
/* USAGE when a FROM or TO is empty, a TO has a scheme, or a FROM is given twice. */
RWL_MUST_CHECK rwl_status rwl_paths_check(const rwl_path_map *maps, size_t count, rwl_error *err);
/* Splits at the last slash: the directory ("." when there is none, "/" for the root) appended to `dir` with a
 * NUL not counted, the name borrowed. USAGE when the name is empty, "." or "..". */
RWL_MUST_CHECK rwl_status rwl_paths_split(const char *path, rwl_buf *dir, const char **name, rwl_error *err);

#endif
