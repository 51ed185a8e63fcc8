/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes and protocol buffers as short texts, for seeds. Spaces mean nothing; a text that is none ends the program.
 *
 *   bytes     hex digits, 'text', and after either *n: so many times         "0a00 00*4 'abc'"
 *   message   number:varint   number=bytes   number(message)                  "1(3(1(1:32)) 6=01 9:4) 2='x'"
 *             (of bytes one piece without spaces; two are joined by +)
 */
#ifndef TESTS_FUZZ_SEED_TEXT_H
#define TESTS_FUZZ_SEED_TEXT_H

#include "base/buf.h"

void seed_bytes(rwl_buf *out, const char *text);
void seed_message(rwl_buf *out, const char *text);
/* A file of these bytes, {directory}/{target}/{name}; one that exists is kept. */
void seed_write(const char *directory, const char *target, const char *name, rwl_span content);
void seed_must(rwl_status st, const char *what);

#endif
