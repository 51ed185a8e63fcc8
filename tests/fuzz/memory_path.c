/* SPDX-License-Identifier: Apache-2.0 */
/* memfd_create(2), and the name that /proc gives it. */
#include "memory_path.h"

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

void memory_path_open(memory_path *p, const uint8_t *data, size_t len) {
    p->fd = memfd_create("input", MFD_CLOEXEC);
    FUZZ_CHECK(p->fd >= 0);
    for (size_t done = 0; done < len;) {
        ssize_t n = write(p->fd, data + done, len - done);
        FUZZ_CHECK(n > 0);
        done += (size_t)n;
    }
    snprintf(p->path, sizeof p->path, "/proc/self/fd/%d", p->fd);
}

void memory_path_close(memory_path *p) {
    close(p->fd);
}
