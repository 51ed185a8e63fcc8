/* SPDX-License-Identifier: Apache-2.0 */
/* A buffered output that remembers its first failure, so that a closed pipe can end a command quietly. */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stddef.h>
#include <stdint.h>

enum { OUT_BUFFER = 65536 };

typedef struct output {
    int fd;
    int failed; /* errno of the first write that failed, else 0; later output vanishes */
    size_t len;
    char buffer[OUT_BUFFER];
} output;

void out_init(output *o, int fd);
void out_bytes(output *o, const char *data, size_t len);
void out_str(output *o, const char *text);
void out_char(output *o, char c);
void out_spaces(output *o, int32_t count);
/* Formats at most 2 KB; longer text goes through out_str. */
void out_printf(output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_flush(output *o);

#endif
