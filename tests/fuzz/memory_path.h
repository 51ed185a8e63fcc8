/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in memory under a path, for readers that open one. */
#ifndef TESTS_FUZZ_MEMORY_PATH_H
#define TESTS_FUZZ_MEMORY_PATH_H

#include <stddef.h>
#include <stdint.h>

typedef struct memory_path {
    int fd;
    char path[64];
} memory_path;

/* A file of these bytes that no directory names; aborts when there can be none. */
void memory_path_open(memory_path *p, const uint8_t *data, size_t len);
void memory_path_close(memory_path *p);

#endif
