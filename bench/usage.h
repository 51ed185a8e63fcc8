/* SPDX-License-Identifier: Apache-2.0 */
/* What a benchmark's work cost this process: CPU time, wall time, peak memory. */
#ifndef BENCH_USAGE_H
#define BENCH_USAGE_H

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct usage {
    double user, system, wall; /* seconds */
} usage;

static inline usage usage_now(void) {
    struct rusage u;
    struct timespec t;
    getrusage(RUSAGE_SELF, &u);
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (usage){.user = (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6,
                   .system = (double)u.ru_stime.tv_sec + (double)u.ru_stime.tv_usec / 1e6,
                   .wall = (double)t.tv_sec + (double)t.tv_nsec / 1e9};
}

/* What was used since `start`. */
static inline usage usage_since(usage start) {
    usage now = usage_now();
    return (usage){now.user - start.user, now.system - start.system, now.wall - start.wall};
}

/* Keeps the repetition of the least CPU time; *best is zero before the first. */
static inline void usage_least(usage *best, usage one) {
    if (best->wall == 0 || one.user + one.system < best->user + best->system)
        *best = one;
}

/* Peak resident bytes of this program alone: ru_maxrss also has what the parent held when it started us. */
static inline long long usage_peak(void) {
    char line[256];
    long long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "VmHWM: %lld", &kib) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return kib * 1024;
}

/* The members every driver prints, without braces. */
static inline void usage_print(usage u) {
    printf("\"cpu\":%.6f,\"user\":%.6f,\"wall\":%.6f,\"peak\":%lld", u.user + u.system, u.user, u.wall,
           usage_peak());
}

#endif
