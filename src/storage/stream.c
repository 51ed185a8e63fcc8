/* SPDX-License-Identifier: Apache-2.0 */
/* Sequential reading by read(2), which pipes need, until the operation is cancelled. */
#include "storage/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

struct rwl_stream {
    rwl_op *op;
    char *path;
    int fd;
    bool owned;
};

rwl_status rwl_stream_open(rwl_op *op, const char *path, rwl_stream **out, rwl_error *err) {
    rwl_stream *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->op = op;
    s->owned = strcmp(path, "-") != 0;
    s->path = rwl_strdup(op->env, s->owned ? path : "standard input");
    s->fd = s->owned ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    rwl_status st = RWL_OK;
    if (s->path == NULL)
        st = rwl_no_memory(err, strlen(path));
    else if (s->fd < 0)
        st = rwl_error_path(err, rwl_fail_errno(err, errno, "can't open %s", path), path);
    if (st != RWL_OK) {
        rwl_stream_close(s);
        return st;
    }
    *out = s;
    return RWL_OK;
}

void rwl_stream_close(rwl_stream *s) {
    if (s == NULL)
        return;
    if (s->owned && s->fd >= 0)
        close(s->fd);
    rwl_free(s->op->env, s->path);
    rwl_free(s->op->env, s);
}

/* Returns when there is something to read, or the end of it. In moments: a signal that cancels the operation just before
 * read() would not end it, nor does one that another thread gets. */
static rwl_status wait_for_input(const rwl_stream *s, rwl_error *err) {
    enum { MOMENT_MS = 50 };
    struct pollfd input = {.fd = s->fd, .events = POLLIN};
    int ready;
    do {
        RWL_TRY(rwl_op_check(s->op, err));
        ready = poll(&input, 1, MOMENT_MS);
    } while (ready == 0 || (ready < 0 && errno == EINTR));
    return RWL_OK;
}

rwl_status rwl_stream_read(rwl_stream *s, uint8_t *dst, size_t cap, size_t *got, rwl_error *err) {
    for (;;) {
        RWL_TRY(wait_for_input(s, err));
        ssize_t n = read(s->fd, dst, cap);
        if (n >= 0) {
            *got = (size_t)n;
            return RWL_OK;
        }
        if (errno != EINTR)
            return rwl_error_path(err, rwl_fail_errno(err, errno, "can't read %s", s->path), s->path);
    }
}
