/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on a terminal, a heartbeat elsewhere. */
#include "progress.h"

#include "text.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    BAR_AFTER_MS = 1000, /* what is done sooner needs no bar */
    BAR_EVERY_MS = 100,
    HEARTBEAT_MS = 60000,
    BAR_WIDTH = 30,
};

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void progress_init(progress *p, const char *when, bool quiet, bool verbose) {
    memset(p, 0, sizeof *p);
    atomic_flag_clear(&p->busy);
    bool always = when != NULL && strcmp(when, "always") == 0;
    p->bar = always || isatty(STDERR_FILENO);
    p->silent = (quiet && !always) || (when != NULL && strcmp(when, "never") == 0);
    p->quiet = quiet;
    p->verbose = verbose;
    p->start_ms = now_ms();
    p->due_ms = p->start_ms + (!p->bar ? HEARTBEAT_MS : always ? 0 : BAR_AFTER_MS);
}

static void write_stderr(const char *text, int len, size_t room) {
    size_t left = len < 0 ? 0 : (size_t)len < room ? (size_t)len : room - 1;
    while (left > 0) {
        ssize_t n = write(STDERR_FILENO, text, left);
        if (n <= 0)
            return;
        text += n;
        left -= (size_t)n;
    }
}

static void draw_bar(const char *phase, int64_t done, int64_t total) {
    char line[256], bar[BAR_WIDTH + 1];
    int len;
    if (total > 0) {
        double part = done < total ? (double)done / (double)total : 1;
        int full = (int)(part * BAR_WIDTH);
        memset(bar, '.', BAR_WIDTH);
        memset(bar, '#', (size_t)full);
        bar[BAR_WIDTH] = '\0';
        len = snprintf(line, sizeof line, "\r\033[K%.60s [%s] %3d %%  %s of %s", phase, bar,
                       (int)(part * 100), text_grouped(done).s, text_grouped(total).s);
    } else {
        len = snprintf(line, sizeof line, "\r\033[K%.60s %s", phase, text_grouped(done).s);
    }
    write_stderr(line, len, sizeof line);
}

static void write_heartbeat(const progress *p, int64_t now, const char *phase, int64_t done, int64_t total) {
    char line[256];
    short_text elapsed = text_duration(now - p->start_ms);
    int len = total > 0 ? snprintf(line, sizeof line, "rowline: %.60s %s of %s after %s\n", phase,
                                   text_grouped(done).s, text_grouped(total).s, elapsed.s)
                        : snprintf(line, sizeof line, "rowline: %.60s %s after %s\n", phase,
                                   text_grouped(done).s, elapsed.s);
    write_stderr(line, len, sizeof line);
}

void progress_update(void *ctx, const char *phase, int64_t done, int64_t total) {
    progress *p = ctx;
    if (p->silent || atomic_flag_test_and_set(&p->busy))
        return;
    int64_t now = now_ms();
    if (now >= p->due_ms) {
        p->due_ms = now + (p->bar ? BAR_EVERY_MS : HEARTBEAT_MS);
        if (p->bar)
            draw_bar(phase, done, total);
        else
            write_heartbeat(p, now, phase, done, total);
        p->drawn = p->bar;
    }
    atomic_flag_clear(&p->busy);
}

static void lock(progress *p) {
    while (atomic_flag_test_and_set(&p->busy))
        sched_yield();
}

static void erase(progress *p) {
    if (p->drawn)
        write_stderr("\r\033[K", 4, 5);
    p->drawn = false;
}

/* Warnings always; news of finished parts (info) where no bar tells of them; the rest with --verbose. */
static bool shows_level(const progress *p, int32_t level) {
    return level >= 2 || p->verbose || (level == 1 && !p->bar && !p->silent);
}

void progress_log(void *ctx, int32_t level, const char *line) {
    progress *p = ctx;
    if (!shows_level(p, level))
        return;
    char text[1024];
    char *printable = text_printable(line, strlen(line));
    int len = snprintf(text, sizeof text, "rowline: %s%s\n", level >= 2 ? "warning: " : "",
                       printable != NULL ? printable : "");
    if (len >= (int)sizeof text)
        text[sizeof text - 2] = '\n';
    free(printable);
    lock(p);
    erase(p);
    write_stderr(text, len, sizeof text);
    atomic_flag_clear(&p->busy);
}

void progress_erase(progress *p) {
    lock(p);
    erase(p);
    atomic_flag_clear(&p->busy);
}

void progress_end(progress *p) {
    lock(p);
    erase(p);
    p->silent = true;
    atomic_flag_clear(&p->busy);
}
