/* SPDX-License-Identifier: Apache-2.0 */
/* Joining a relative path to the working directory. */
#include "storage/absolute.h"

#include "base/buf.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* PWD when it names the working directory, else what the system says. */
static rwl_status working_directory(char out[PATH_MAX], rwl_error *err) {
    const char *pwd = getenv("PWD");
    struct stat said, real;
    if (pwd != NULL && *pwd == '/' && strlen(pwd) < PATH_MAX && stat(pwd, &said) == 0 &&
        stat(".", &real) == 0 && said.st_dev == real.st_dev && said.st_ino == real.st_ino) {
        memcpy(out, pwd, strlen(pwd) + 1);
        return RWL_OK;
    }
    return getcwd(out, PATH_MAX) != NULL ? (rwl_status)RWL_OK
                                         : rwl_fail_errno(err, errno, "can't tell the working directory");
}

size_t rwl_url_scheme_len(const char *text) {
    const char *slash = strchr(text, '/');
    bool is_url = slash != NULL && slash > text + 1 && slash[-1] == ':' && slash[1] == '/';
    return is_url ? (size_t)(slash - text) - 1 : 0;
}

/* Removes ".", ".." and empty steps of an absolute path, in place. */
static void tidy(char *path) {
    char *to = path;
    for (char *from = path; *from != '\0';) {
        while (*from == '/')
            from++;
        size_t len = strcspn(from, "/");
        if (len == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (len > 0 && !(len == 1 && *from == '.')) {
            *to++ = '/';
            memmove(to, from, len);
            to += len;
        }
        from += len;
    }
    if (to == path)
        *to++ = '/';
    *to = '\0';
}

rwl_status rwl_path_absolute(const char *path, rwl_arena *arena, const char **out, rwl_error *err) {
    char cwd[PATH_MAX];
    char *text;
    if (strncmp(path, "file:", 5) == 0 || rwl_url_scheme_len(path) > 0) {
        text = rwl_arena_strdup(arena, path);
        for (size_t len = text != NULL ? strlen(text) : 0;
             len > 1 && text[len - 1] == '/' && text[len - 2] != '/'; len--)
            text[len - 1] = '\0';
    } else if (*path == '/') {
        text = rwl_arena_strdup(arena, path);
        if (text != NULL)
            tidy(text);
    } else {
        RWL_TRY(working_directory(cwd, err));
        text = rwl_arena_printf(arena, "%s/%s", cwd, path);
        if (text != NULL)
            tidy(text);
    }
    *out = text;
    return text != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, strlen(path));
}
