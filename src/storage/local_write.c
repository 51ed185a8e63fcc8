/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The local store's new files. A file is written under a temporary name in its own directory, synced, and
 * then given its name by link(2), which fails when the name is taken: nobody sees a part of it, nobody's file
 * is replaced. What link answers is not believed when it is an error: over NFS the reply to a link that was
 * made may be lost and the repeated request answered EEXIST. The inodes of the two names decide.
 */
#include "storage/local_internal.h"

#include "base/uuid.h"
#include "storage/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { BUFFER_SIZE = 256 * 1024, TEMPORARY_NAME_SIZE = NAME_MAX + 1 };

/* A file under its temporary name. */
typedef struct temporary {
    const rwl_local_calls *calls;
    char *path;       /* of the target, for messages and its name */
    const char *name; /* in path */
    int dir, fd;
    bool linked; /* the temporary name exists */
    char temporary_name[TEMPORARY_NAME_SIZE];
} temporary;

typedef struct local_new_file {
    rwl_new_file base;
    const rwl_env *env;
    rwl_op *op;
    temporary tmp;
    uint8_t *buffer;
    size_t buffered;
    rwl_status failed; /* of an earlier write: what is written has a hole */
} local_new_file;

const rwl_local_calls rwl_local_libc_calls = {
    .write = write, .fsync = fsync, .linkat = linkat, .renameat = renameat, .fstatat = fstatat};

static local_new_file *as_new_file(rwl_new_file *f) {
    return (local_new_file *)f;
}

static rwl_status fail_call(const temporary *tmp, const char *what, rwl_error *err) {
    rwl_status st = rwl_fail_errno(err, errno, "%s: %s", tmp->path, what);
    return rwl_error_path(err, st, tmp->path);
}

/* A file system that has no fsync for directories says so; nothing more can be done on it. */
static int sync_fd(const rwl_local_calls *calls, int fd) {
    int rc;
    do {
        rc = calls->fsync(fd);
    } while (rc != 0 && errno == EINTR);
    return rc != 0 && (errno == EINVAL || errno == ENOTSUP) ? 0 : rc;
}

/* New files take the directory's group. A set-gid directory does that by itself; elsewhere it is tried, and
 * who may not give that group keeps the own one, as with any other program. */
static void adopt_group(int fd, int dir) {
    struct stat file_st, dir_st;
    if (fstat(fd, &file_st) == 0 && fstat(dir, &dir_st) == 0 && file_st.st_gid != dir_st.st_gid)
        (void)!fchown(fd, (uid_t)-1, dir_st.st_gid);
}

/* --- directories --- */

/* Makes `path` and syncs its name in the directory above. One that another process makes meanwhile is as
 * good. */
static rwl_status make_directory(const rwl_local_calls *calls, const char *path, const char *parent,
                                 rwl_error *err) {
    if (mkdir(path, 0777) != 0)
        return errno == EEXIST ? RWL_OK : rwl_fail_errno(err, errno, "%s: making the directory", path);
    rwl_status st = RWL_OK;
    int above = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int made = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (above >= 0 && made >= 0)
        adopt_group(made, above);
    if (above < 0 || sync_fd(calls, above) != 0)
        st = rwl_fail_errno(err, errno, "%s: syncing the directory", parent);
    if (made >= 0)
        close(made);
    if (above >= 0)
        close(above);
    return st;
}

/* Makes `dir` and what is missing above it, top down; `dir` is changed meanwhile and restored. */
static rwl_status make_directories(const rwl_local_calls *calls, const rwl_env *env, char *dir,
                                   rwl_error *err) {
    char *parent = rwl_strdup(env, dir);
    if (!parent)
        return rwl_no_memory(err, strlen(dir) + 1);
    rwl_status st = RWL_OK;
    size_t len = strlen(dir), parent_len = 0;
    for (size_t i = 1; i <= len && st == RWL_OK; i++) {
        if (dir[i] != '/' && dir[i] != '\0')
            continue;
        char saved = dir[i];
        dir[i] = '\0';
        struct stat found;
        if (dir[i - 1] != '/' && stat(dir, &found) != 0) {
            snprintf(parent, len + 1, "%.*s", (int)parent_len, dir);
            st = make_directory(calls, dir, parent_len ? parent : dir[0] == '/' ? "/" : ".", err);
        }
        dir[i] = saved;
        parent_len = i;
    }
    rwl_free(env, parent);
    return st;
}

static rwl_status open_directory(const rwl_local_calls *calls, const rwl_env *env, char *dir, int *out,
                                 rwl_error *err) {
    *out = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*out < 0 && errno == ENOENT) {
        RWL_TRY(make_directories(calls, env, dir, err));
        *out = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    return *out < 0 ? rwl_fail_errno(err, errno, "%s", dir) : RWL_OK;
}

/* --- temporary files --- */

/* Closes and frees; the temporary name goes unless `keep`. */
static void clear_temporary(const rwl_env *env, temporary *tmp, bool keep) {
    if (tmp->linked && !keep)
        (void)unlinkat(tmp->dir, tmp->temporary_name, 0);
    if (tmp->fd >= 0)
        close(tmp->fd);
    if (tmp->dir >= 0)
        close(tmp->dir);
    rwl_free(env, tmp->path);
}

/* ".<name>.<uuid>.tmp", the name cut so that the whole fits a directory entry. */
static rwl_status name_temporary(const rwl_env *env, temporary *tmp, rwl_error *err) {
    rwl_uuid uuid;
    char text[RWL_UUID_TEXT_LEN + 1];
    RWL_TRY(rwl_uuid_new(env, &uuid, err));
    rwl_uuid_format(uuid.bytes, text);
    int most = NAME_MAX - RWL_UUID_TEXT_LEN - 6;
    snprintf(tmp->temporary_name, sizeof tmp->temporary_name, ".%.*s.%s.tmp", most, tmp->name, text);
    return RWL_OK;
}

static rwl_status open_temporary(const rwl_env *env, temporary *tmp, rwl_buf *dir, rwl_error *err) {
    RWL_TRY(rwl_paths_split(tmp->path, dir, &tmp->name, err));
    RWL_TRY(name_temporary(env, tmp, err));
    RWL_TRY(open_directory(tmp->calls, env, (char *)dir->data, &tmp->dir, err));
    tmp->fd = openat(tmp->dir, tmp->temporary_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (tmp->fd < 0)
        return fail_call(tmp, "creating a temporary file beside it", err);
    tmp->linked = true;
    adopt_group(tmp->fd, tmp->dir);
    return RWL_OK;
}

/* A temporary file beside the path of `location`; nothing is held when it fails. */
static rwl_status make_temporary(rwl_store *s, const char *location, temporary *tmp, rwl_error *err) {
    rwl_buf path, dir;
    rwl_buf_init(&path, s->env, SIZE_MAX);
    rwl_buf_init(&dir, s->env, SIZE_MAX);
    *tmp = (temporary){.calls = ((rwl_local_store *)s)->calls, .dir = -1, .fd = -1};
    rwl_status st = rwl_store_local_path(s, location, &path, NULL, err);
    if (st == RWL_OK) {
        tmp->path = (char *)path.data; /* taken: freed with the temporary */
        st = open_temporary(s->env, tmp, &dir, err);
        if (st != RWL_OK)
            rwl_error_path(err, st, tmp->path);
    } else {
        rwl_buf_clear(&path);
    }
    rwl_buf_clear(&dir);
    if (st != RWL_OK)
        clear_temporary(s->env, tmp, false);
    return st;
}

static rwl_status write_bytes(const temporary *tmp, const uint8_t *data, size_t len, rwl_error *err) {
    while (len > 0) {
        ssize_t n = tmp->calls->write(tmp->fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (n == 0)
                errno = ENOSPC;
            return fail_call(tmp, "writing", err);
        }
        data += n;
        len -= (size_t)n;
    }
    return RWL_OK;
}

/* --- new files --- */

static void free_new_file(local_new_file *file, bool keep_temporary) {
    const rwl_env *env = file->env;
    clear_temporary(env, &file->tmp, keep_temporary);
    rwl_free(env, file->buffer);
    rwl_free(env, file);
}

rwl_status rwl_local_create(rwl_store *s, rwl_op *op, const char *location, rwl_new_file **out,
                            rwl_error *err) {
    local_new_file *file = rwl_calloc(s->env, 1, sizeof *file);
    uint8_t *buffer = rwl_alloc(s->env, BUFFER_SIZE);
    if (!file || !buffer) {
        rwl_free(s->env, file);
        rwl_free(s->env, buffer);
        return rwl_no_memory(err, BUFFER_SIZE);
    }
    rwl_status st = make_temporary(s, location, &file->tmp, err);
    if (st != RWL_OK) {
        rwl_free(s->env, buffer);
        rwl_free(s->env, file);
        return st;
    }
    file->base.vtable = s->vtable;
    file->env = s->env;
    file->op = op;
    file->buffer = buffer;
    *out = &file->base;
    return RWL_OK;
}

static rwl_status flush_buffer(local_new_file *file, rwl_error *err) {
    RWL_TRY(write_bytes(&file->tmp, file->buffer, file->buffered, err));
    file->buffered = 0;
    return RWL_OK;
}

static rwl_status write_buffered(local_new_file *file, const uint8_t *data, size_t len, rwl_error *err) {
    if (len > BUFFER_SIZE - file->buffered) {
        RWL_TRY(rwl_op_check(file->op, err));
        RWL_TRY(flush_buffer(file, err));
    }
    if (len >= BUFFER_SIZE)
        return write_bytes(&file->tmp, data, len, err);
    if (len)
        memcpy(file->buffer + file->buffered, data, len);
    file->buffered += len;
    return RWL_OK;
}

rwl_status rwl_local_write(rwl_new_file *f, const void *data, size_t len, rwl_error *err) {
    local_new_file *file = as_new_file(f);
    if (file->failed != RWL_OK)
        return rwl_fail(err, file->failed, "%s: an earlier write failed", file->tmp.path);
    file->failed = write_buffered(file, data, len, err);
    return file->failed;
}

/* What a failed link means, when the target is not our file. */
typedef enum link_error { LINK_TAKEN, LINK_IMPOSSIBLE, LINK_NOT_MADE, LINK_UNCERTAIN } link_error;

static link_error judge_link_errno(int e) {
    switch (e) {
    case EEXIST:
        return LINK_TAKEN;
    case EPERM:
    case ENOTSUP: /* EOPNOTSUPP is the same number here */
    case ENOSYS:
    case EMLINK:
    case EXDEV:
        return LINK_IMPOSSIBLE;
    case EACCES:
    case EROFS:
    case ENOSPC:
    case EDQUOT:
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case ENOMEM:
        return LINK_NOT_MADE;
    default: /* EIO, ESTALE, ETIMEDOUT, …: the request may have been carried out */
        return LINK_UNCERTAIN;
    }
}

/* Whether the target is our file: 1 yes, 0 no (absent or another's), -1 when that cannot be found out. */
static int compare_target(const temporary *tmp, bool *exists) {
    struct stat ours, target;
    *exists = false;
    if (fstat(tmp->fd, &ours) != 0)
        return -1;
    if (tmp->calls->fstatat(tmp->dir, tmp->name, &target, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : -1;
    *exists = true;
    return ours.st_dev == target.st_dev && ours.st_ino == target.st_ino;
}

static rwl_status fail_unknown(const temporary *tmp, int e, rwl_error *err) {
    rwl_fail_errno(err, e, "%s: it may have become visible; its temporary name %s stays", tmp->path,
                   tmp->temporary_name);
    if (err)
        err->code = RWL_COMMIT_UNKNOWN;
    return rwl_error_path(err, RWL_COMMIT_UNKNOWN, tmp->path);
}

static rwl_status resolve_link_error(const temporary *tmp, int e, rwl_error *err) {
    bool exists;
    int ours = compare_target(tmp, &exists);
    if (ours == 1)
        return RWL_OK;
    rwl_status st;
    switch (judge_link_errno(e)) {
    case LINK_IMPOSSIBLE:
        rwl_fail_errno(err, e,
                       "%s: this file system makes no hard links (link), and without them a "
                       "commit cannot be safe",
                       tmp->path);
        st = RWL_UNSUPPORTED;
        break;
    case LINK_TAKEN:
        if (ours < 0)
            return fail_unknown(tmp, e, err);
        st = rwl_fail(err, RWL_EXISTS, "%s: the name is taken", tmp->path);
        break;
    case LINK_NOT_MADE:
        st = rwl_fail_errno(err, e, "%s: linking", tmp->path);
        break;
    default:
        /* Another's file under the name proves that ours did not get it. */
        if (!exists)
            return fail_unknown(tmp, e, err);
        st = rwl_fail(err, RWL_EXISTS, "%s: the name is taken", tmp->path);
        break;
    }
    if (err)
        err->code = st;
    return rwl_error_path(err, st, tmp->path);
}

/* Gives the file its name. On COMMIT_UNKNOWN the temporary name must stay: it is what tells later. */
static rwl_status publish(temporary *tmp, rwl_error *err) {
    if (tmp->calls->linkat(tmp->dir, tmp->temporary_name, tmp->dir, tmp->name, 0) != 0)
        RWL_TRY(resolve_link_error(tmp, errno, err));
    if (unlinkat(tmp->dir, tmp->temporary_name, 0) == 0)
        tmp->linked = false;
    if (sync_fd(tmp->calls, tmp->dir) != 0) {
        rwl_fail_errno(err, errno, "%s: it is visible, but syncing its directory failed", tmp->path);
        if (err)
            err->code = RWL_COMMIT_UNKNOWN;
        return rwl_error_path(err, RWL_COMMIT_UNKNOWN, tmp->path);
    }
    return RWL_OK;
}

static rwl_status sync_content(local_new_file *file, rwl_error *err) {
    if (file->failed != RWL_OK)
        return rwl_fail(err, file->failed, "%s: an earlier write failed", file->tmp.path);
    RWL_TRY(rwl_op_check(file->op, err));
    RWL_TRY(flush_buffer(file, err));
    return sync_fd(file->tmp.calls, file->tmp.fd) == 0 ? RWL_OK : fail_call(&file->tmp, "syncing", err);
}

rwl_status rwl_local_finish(rwl_new_file *f, rwl_error *err) {
    local_new_file *file = as_new_file(f);
    rwl_status st = sync_content(file, err);
    if (st == RWL_OK)
        st = publish(&file->tmp, err);
    free_new_file(file, st == RWL_COMMIT_UNKNOWN);
    return st;
}

void rwl_local_abort(rwl_new_file *f) {
    free_new_file(as_new_file(f), false);
}

/* --- replacing --- */

static rwl_status rename_over(temporary *tmp, rwl_span content, rwl_error *err) {
    RWL_TRY(write_bytes(tmp, content.data, content.len, err));
    if (sync_fd(tmp->calls, tmp->fd) != 0)
        return fail_call(tmp, "syncing", err);
    if (tmp->calls->renameat(tmp->dir, tmp->temporary_name, tmp->dir, tmp->name) != 0)
        return fail_call(tmp, "replacing", err);
    tmp->linked = false;
    return sync_fd(tmp->calls, tmp->dir) == 0 ? RWL_OK : fail_call(tmp, "syncing its directory", err);
}

rwl_status rwl_local_replace(rwl_store *s, rwl_op *op, const char *location, rwl_span content,
                             rwl_error *err) {
    (void)op;
    temporary tmp;
    RWL_TRY(make_temporary(s, location, &tmp, err));
    rwl_status st = rename_over(&tmp, content, err);
    clear_temporary(s->env, &tmp, false);
    return st;
}
