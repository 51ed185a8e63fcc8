/* SPDX-License-Identifier: Apache-2.0 */
/* Where tests make their folders. */
#ifndef RWL_TESTS_SCRATCH_H
#define RWL_TESTS_SCRATCH_H

#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* $TMPDIR, else memory where there is enough of it (containers may have 64 MB), as commits sync their files, hundreds of
 * times in the fault tests; else /tmp. */
static inline const char *scratch_place(void) {
    static const char memory[] = "/dev/shm";
    const char *wanted = getenv("TMPDIR");
    struct statvfs fs;
    if (wanted != NULL && *wanted != '\0')
        return wanted;
    if (access(memory, W_OK | X_OK) == 0 && statvfs(memory, &fs) == 0 &&
        fs.f_bavail >= (1u << 30) / fs.f_frsize)
        return memory;
    return "/tmp";
}

#endif
