/* SPDX-License-Identifier: Apache-2.0 */
/* Small pieces are gathered to writes of some pages; large ones go straight to the file. */
#include "storage/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PART_MAX = 1 << 30 /* below what one call may refuse */ };

struct rwl_spill {
    const rwl_env *env;
    const rwl_spill_calls *calls;
    int fd;          /* -1 before the first byte */
    int64_t written; /* bytes in the file; those of the buffer come behind */
    uint8_t *buffer;
    size_t buffered;
};

const char *rwl_spill_directory(void) {
    const char *dir = getenv("TMPDIR");
    return dir != NULL && dir[0] != '\0' ? dir : "/var/tmp";
}

/* For file systems without O_TMPFILE: a name for the moment between making and unlinking. */
static int open_unlinked(const char *dir) {
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "%s/rowline-XXXXXX", dir);
    if (len < 0 || (size_t)len >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

static int open_unnamed(const char *dir) {
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        fd = open_unlinked(dir);
    return fd;
}

const rwl_spill_calls rwl_spill_libc_calls = {open_unnamed, pwrite, pread};

rwl_status rwl_spill_new(const rwl_env *env, const rwl_spill_calls *calls, rwl_spill **out, rwl_error *err) {
    rwl_spill *s = rwl_calloc(env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->env = env;
    s->calls = calls != NULL ? calls : &rwl_spill_libc_calls;
    s->fd = -1;
    *out = s;
    return RWL_OK;
}

void rwl_spill_free(rwl_spill *s) {
    if (s == NULL)
        return;
    if (s->fd >= 0)
        close(s->fd);
    rwl_free(s->env, s->buffer);
    rwl_free(s->env, s);
}

int64_t rwl_spill_size(const rwl_spill *s) {
    return s->written + (int64_t)s->buffered;
}

/* Always IO: "not found" would speak of the table. */
static rwl_status fail_call(rwl_error *err, int error, const char *what, int64_t off) {
    (void)rwl_fail_errno(err, error, "%s a temporary file in %s at byte %lld", what, rwl_spill_directory(),
                         (long long)off);
    if (err != NULL)
        err->code = RWL_IO;
    return RWL_IO;
}

static rwl_status open_file(rwl_spill *s, rwl_error *err) {
    if (s->buffer == NULL)
        s->buffer = rwl_alloc(s->env, RWL_SPILL_BUFFER);
    if (s->buffer == NULL)
        return rwl_no_memory(err, RWL_SPILL_BUFFER);
    s->fd = s->calls->open_unnamed(rwl_spill_directory());
    if (s->fd >= 0)
        return RWL_OK;
    return fail_call(err, errno, "making", 0);
}

static rwl_status write_all(rwl_spill *s, const uint8_t *data, size_t len, rwl_error *err) {
    while (len > 0) {
        ssize_t n = s->calls->pwrite(s->fd, data, len < PART_MAX ? len : PART_MAX, (off_t)s->written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_call(err, n < 0 ? errno : ENOSPC, "writing", s->written);
        s->written += n;
        data += n;
        len -= (size_t)n;
    }
    return RWL_OK;
}

/* What stays in the buffer after a failed write is not written again: the file is of no use then. */
static rwl_status flush(rwl_spill *s, rwl_error *err) {
    size_t len = s->buffered;
    s->buffered = 0;
    return write_all(s, s->buffer, len, err);
}

rwl_status rwl_spill_append(rwl_spill *s, const void *data, size_t len, rwl_error *err) {
    if (len == 0)
        return RWL_OK;
    if (s->fd < 0)
        RWL_TRY(open_file(s, err));
    if (len > RWL_SPILL_BUFFER - s->buffered)
        RWL_TRY(flush(s, err));
    if (len >= RWL_SPILL_BUFFER)
        return write_all(s, data, len, err);
    memcpy(s->buffer + s->buffered, data, len);
    s->buffered += len;
    return RWL_OK;
}

rwl_status rwl_spill_read(rwl_spill *s, int64_t off, void *to, size_t len, rwl_error *err) {
    if (s->buffered > 0)
        RWL_TRY(flush(s, err));
    uint8_t *at = to;
    while (len > 0) {
        ssize_t n = s->calls->pread(s->fd, at, len < PART_MAX ? len : PART_MAX, (off_t)off);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_call(err, n < 0 ? errno : EIO, "reading", off);
        at += n;
        off += n;
        len -= (size_t)n;
    }
    return RWL_OK;
}

void rwl_spill_ahead(const rwl_spill *s, int64_t off, int64_t len) {
    if (s->fd >= 0 && len > 0)
        (void)posix_fadvise(s->fd, (off_t)off, (off_t)len, POSIX_FADV_WILLNEED);
}
