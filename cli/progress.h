/* SPDX-License-Identifier: Apache-2.0 */
/* Progress and log lines on standard error, told by any thread of the library. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool bar;            /* a line redrawn; else lines with time between them */
    bool silent;         /* neither */
    bool quiet, verbose; /* of log lines */
    atomic_flag busy;    /* one thread draws at a time; the others' news is dropped */
    int64_t start_ms, due_ms;
    bool drawn; /* a bar stands on the terminal's last line */
} progress;

/* `when` is auto, always or never. */
void progress_init(progress *p, const char *when, bool quiet, bool verbose);
/* The library's callbacks; `ctx` is the progress. */
void progress_update(void *ctx, const char *phase, int64_t done, int64_t total);
void progress_log(void *ctx, int32_t level, const char *line);
/* Takes the bar off the terminal; it comes back with the next news. */
void progress_erase(progress *p);
/* Takes it off for good. */
void progress_end(progress *p);

#endif
