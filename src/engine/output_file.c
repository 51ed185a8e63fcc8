/* SPDX-License-Identifier: Apache-2.0 */
/* Files that replace others by rename(2). */
#include "engine/output_file.h"

#include "base/uuid.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct rwl_output_file {
    rwl_op *op;
    int fd;
    char *shown;     /* the path as it was given, for messages */
    char *target;    /* to rename to; NULL when it is written as it is */
    char *temporary; /* NULL: none */
};

static rwl_status fail_call(const rwl_output_file *f, const char *what, rwl_error *err) {
    int why = errno;
    return rwl_error_path(err, rwl_fail_errno(err, why, "%s: %s", f->shown, what), f->shown);
}

void rwl_output_file_abort(rwl_output_file *f) {
    if (f == NULL)
        return;
    const rwl_env *env = f->op->env;
    if (f->temporary != NULL)
        (void)unlink(f->temporary);
    if (f->fd >= 0)
        close(f->fd);
    rwl_free(env, f->temporary);
    rwl_free(env, f->target);
    rwl_free(env, f->shown);
    rwl_free(env, f);
}

/* DIR/.NAME.UUID.tmp, the name cut so that the whole fits a directory entry. */
static rwl_status name_temporary(rwl_output_file *f, rwl_error *err) {
    rwl_uuid uuid;
    char text[RWL_UUID_TEXT_LEN + 1];
    RWL_TRY(rwl_uuid_new(f->op->env, &uuid, err));
    rwl_uuid_format(uuid.bytes, text);
    const char *slash = strrchr(f->target, '/');
    const char *name = slash != NULL ? slash + 1 : f->target;
    size_t size = strlen(f->target) + RWL_UUID_TEXT_LEN + 8;
    f->temporary = rwl_alloc(f->op->env, size);
    if (f->temporary == NULL)
        return rwl_no_memory(err, size);
    snprintf(f->temporary, size, "%.*s.%.*s.%s.tmp", (int)(name - f->target), f->target,
             NAME_MAX - RWL_UUID_TEXT_LEN - 6, name, text);
    return RWL_OK;
}

/* A temporary file for the target; `old` is the file it will replace, or NULL. */
static rwl_status open_temporary(rwl_output_file *f, const struct stat *old, rwl_error *err) {
    RWL_TRY(name_temporary(f, err));
    f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f->fd < 0) {
        int why = errno; /* nothing of this name is ours to remove */
        rwl_free(f->op->env, f->temporary);
        f->temporary = NULL;
        errno = why;
        return fail_call(f, "can't be written", err);
    }
    if (old != NULL && fchmod(f->fd, old->st_mode & 07777) != 0)
        return fail_call(f, "keeping its mode", err);
    return RWL_OK;
}

/* A moment for the other end of a pipe, or until the operation is cancelled: the signal that does so may come to another thread, so that no
 * call may wait here for long. */
static rwl_status wait_moment(const rwl_output_file *f, rwl_error *err) {
    struct pollfd other = {.fd = f->fd, .events = POLLOUT};
    RWL_TRY(rwl_op_check(f->op, err));
    (void)poll(&other, f->fd >= 0 ? 1 : 0, 50);
    return rwl_op_check(f->op, err);
}

/* A pipe without a reader gives ENXIO. */
static rwl_status open_as_it_is(rwl_output_file *f, bool is_pipe, rwl_error *err) {
    for (;;) {
        f->fd = open(f->shown, O_WRONLY | O_CLOEXEC | O_APPEND | O_NONBLOCK);
        if (f->fd >= 0)
            return RWL_OK;
        if (errno != EINTR && !(is_pipe && errno == ENXIO))
            return fail_call(f, "can't be written", err);
        RWL_TRY(wait_moment(f, err));
    }
}

static bool is_special(const char *path) {
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

static rwl_status open_target(rwl_output_file *f, rwl_error *err) {
    struct stat old;
    bool exists = stat(f->shown, &old) == 0;
    if (!exists && errno != ENOENT)
        return fail_call(f, "can't be written", err);
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return fail_call(f, "can't be written", err);
    }
    if (exists && (!S_ISREG(old.st_mode) || is_special(f->shown)))
        return open_as_it_is(f, S_ISFIFO(old.st_mode), err);
    char *real = exists ? realpath(f->shown, NULL) : NULL;
    if (exists && real == NULL)
        return fail_call(f, "can't be resolved", err);
    if (exists && access(real, W_OK) != 0) { /* rename asks only for the directory's permission */
        free(real);
        errno = EACCES;
        return fail_call(f, "can't be written", err);
    }
    f->target = rwl_strdup(f->op->env, real != NULL ? real : f->shown);
    free(real);
    if (f->target == NULL)
        return rwl_no_memory(err, PATH_MAX);
    return open_temporary(f, exists ? &old : NULL, err);
}

rwl_status rwl_output_file_open(rwl_op *op, const char *path, rwl_output_file **out, rwl_error *err) {
    rwl_output_file *f = rwl_calloc(op->env, 1, sizeof *f);
    *out = NULL;
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->op = op;
    f->fd = -1;
    f->shown = rwl_strdup(op->env, path);
    rwl_status st = f->shown != NULL ? open_target(f, err) : rwl_no_memory(err, strlen(path) + 1);
    if (st != RWL_OK) {
        rwl_output_file_abort(f);
        return st;
    }
    *out = f;
    return RWL_OK;
}

rwl_status rwl_output_file_write(rwl_output_file *f, const void *data, size_t len, rwl_error *err) {
    const char *at = data;
    while (len > 0) {
        ssize_t n = write(f->fd, at, len);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
            RWL_TRY(wait_moment(f, err)); /* the reader of a pipe may never come */
            continue;
        }
        if (n < 0)
            return fail_call(f, "writing", err);
        at += n;
        len -= (size_t)n;
    }
    return RWL_OK;
}

static rwl_status publish(rwl_output_file *f, rwl_error *err) {
    if (f->target == NULL)
        return RWL_OK;
    if (fsync(f->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        return fail_call(f, "syncing", err);
    if (rename(f->temporary, f->target) != 0)
        return fail_call(f, "giving the file its name", err);
    rwl_free(f->op->env, f->temporary);
    f->temporary = NULL;
    return RWL_OK;
}

rwl_status rwl_output_file_finish(rwl_output_file *f, rwl_error *err) {
    rwl_status st = publish(f, err);
    int fd = f->fd;
    f->fd = -1;
    if (close(fd) != 0 && st == RWL_OK && f->target == NULL) /* of a file, fsync has told */
        st = fail_call(f, "closing", err);
    rwl_output_file_abort(f);
    return st;
}
