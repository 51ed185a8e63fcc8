/* SPDX-License-Identifier: Apache-2.0 */
/* Locations and paths, without any I/O. */
#include "storage/paths.h"

#include <strings.h>

static bool is_scheme_char(char c, bool first) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (!first && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'));
}

/* The length of "scheme" in "scheme:/…", 0 when there is none. A colon elsewhere belongs to a file name. */
static size_t scheme_len(const char *location) {
    size_t len = 0;
    while (is_scheme_char(location[len], len == 0))
        len++;
    return len > 0 && location[len] == ':' && location[len + 1] == '/' ? len : 0;
}

static bool is_file_url(const char *location) {
    return strncasecmp(location, "file:", 5) == 0;
}

/* The absolute path of a file URL, or NULL when it names another host than this one or a relative path. */
static const char *file_url_path(const char *location) {
    static const char here[] = "//localhost/";
    const char *path = location + 5;
    if (strncasecmp(path, here, sizeof here - 1) == 0)
        path += sizeof here - 2;
    bool host = path[0] == '/' && path[1] == '/' && path[2] != '/';
    if (path[0] != '/' || host)
        return NULL;
    while (path[1] == '/')
        path++;
    return path;
}

rwl_status rwl_paths_strip(const char *location, const char **path, rwl_error *err) {
    *path = location;
    if (is_file_url(location)) {
        *path = file_url_path(location);
        return *path ? RWL_OK
                     : rwl_fail(err, RWL_UNSUPPORTED,
                                "%s: a file URL needs an absolute path and no host, as in file:///dir/name",
                                location);
    }
    size_t len = scheme_len(location);
    if (len > 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: locations of the scheme '%.*s' are not supported",
                        location, (int)(len < 40 ? len : 40), location);
    return location[0] ? RWL_OK : rwl_fail(err, RWL_USAGE, "an empty location");
}

/* What is matched: a file URL without its scheme, all else as it is. */
static const char *match_text(const char *location) {
    const char *path = is_file_url(location) ? file_url_path(location) : NULL;
    return path ? path : location;
}

static const char *skip_slashes(const char *p) {
    while (*p == '/')
        p++;
    return p;
}

static size_t component_len(const char *p) {
    return strcspn(p, "/");
}

static size_t count_components(const char *p) {
    size_t count = 0;
    for (p = skip_slashes(p); *p; p = skip_slashes(p + component_len(p)))
        count++;
    return count;
}

bool rwl_paths_under(const char *path, const char *dir, const char **rest) {
    if ((path[0] == '/') != (dir[0] == '/'))
        return false;
    const char *p = skip_slashes(path), *d = skip_slashes(dir);
    while (*d) {
        size_t len = component_len(d);
        if (component_len(p) != len || memcmp(p, d, len) != 0)
            return false;
        p = skip_slashes(p + len);
        d = skip_slashes(d + len);
    }
    if (rest)
        *rest = p;
    return true;
}

/* Whether a component is "..". */
static bool has_parent_step(const char *p) {
    for (p = skip_slashes(p); *p; p = skip_slashes(p + component_len(p))) {
        if (component_len(p) == 2 && p[0] == '.' && p[1] == '.')
            return true;
    }
    return false;
}

/* `dir` and `rest` with one slash between them, and a NUL. */
static rwl_status append_joined(const char *dir, const char *rest, rwl_buf *out, rwl_error *err) {
    size_t len = strlen(dir);
    RWL_TRY(rwl_buf_append(out, dir, len, err));
    if (*rest && (len == 0 || dir[len - 1] != '/'))
        RWL_TRY(rwl_buf_u8(out, '/', err));
    RWL_TRY(rwl_buf_str(out, rest, err));
    return rwl_buf_terminate(out, err);
}

rwl_status rwl_paths_map(const rwl_path_map *maps, size_t count, const char *location, rwl_buf *path,
                         bool *mapped, rwl_error *err) {
    const char *text = match_text(location), *best_rest = NULL;
    size_t best = 0, best_components = 0;
    for (size_t i = 0; i < count; i++) {
        const char *from = match_text(maps[i].from), *rest;
        size_t components = count_components(from);
        if (rwl_paths_under(text, from, &rest) && (!best_rest || components > best_components)) {
            best = i;
            best_rest = rest;
            best_components = components;
        }
    }
    if (mapped)
        *mapped = best_rest != NULL;
    if (!best_rest) {
        RWL_TRY(rwl_paths_strip(location, &text, err));
        return append_joined(text, "", path, err);
    }
    if (has_parent_step(best_rest))
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: '..' below the mapped path %s", location, maps[best].from);
    return append_joined(match_text(maps[best].to), best_rest, path, err);
}

rwl_status rwl_paths_check(const rwl_path_map *maps, size_t count, rwl_error *err) {
    for (size_t i = 0; i < count; i++) {
        const char *path;
        if (!maps[i].from[0] || !maps[i].to[0])
            return rwl_fail(err, RWL_USAGE, "a path map '%s=%s' with an empty side", maps[i].from,
                            maps[i].to);
        rwl_status st = rwl_paths_strip(maps[i].to, &path, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "path map to");
        for (size_t k = 0; k < i; k++) {
            const char *a = match_text(maps[i].from), *b = match_text(maps[k].from);
            if (rwl_paths_under(a, b, NULL) && rwl_paths_under(b, a, NULL))
                return rwl_fail(err, RWL_USAGE, "two path maps from %s", maps[i].from);
        }
    }
    return RWL_OK;
}

rwl_status rwl_paths_split(const char *path, rwl_buf *dir, const char **name, rwl_error *err) {
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return rwl_fail(err, RWL_USAGE, "%s: not the name of a file", path);
    *name = last;
    if (!slash)
        RWL_TRY(rwl_buf_str(dir, ".", err));
    else
        RWL_TRY(rwl_buf_append(dir, path, slash == path ? 1 : (size_t)(slash - path), err));
    return rwl_buf_terminate(dir, err);
}
