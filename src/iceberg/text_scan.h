/* SPDX-License-Identifier: Apache-2.0 */
/* Scanner of the command line's text forms: schemas, partition specs, sort orders. Errors are USAGE and name
 * the place. */
#ifndef RWL_ICEBERG_TEXT_SCAN_H
#define RWL_ICEBERG_TEXT_SCAN_H

#include "iceberg/schema.h"

typedef struct rwl_text_scan {
    const char *what; /* "schema", "partition", "sort": for messages */
    const char *text;
    size_t pos;
    rwl_arena *arena; /* names live here */
} rwl_text_scan;

/* Starts at the beginning; text that is not UTF-8 is refused. */
RWL_MUST_CHECK rwl_status rwl_text_scan_init(rwl_text_scan *s, const char *what, const char *text,
                                             rwl_arena *arena, rwl_error *err);
/* Fails with "<what> text, position N: <message>", N from 1 in bytes. */
rwl_status rwl_text_scan_fail(const rwl_text_scan *s, size_t pos, rwl_error *err, const char *fmt, ...)
    RWL_PRINTF(4, 5);
/* Fails with "expected <what>" and what stands at `pos` instead. */
rwl_status rwl_text_scan_expected(const rwl_text_scan *s, size_t pos, const char *what, rwl_error *err);
bool rwl_text_scan_end(rwl_text_scan *s);            /* skips space; true when nothing is left */
bool rwl_text_scan_accept(rwl_text_scan *s, char c); /* skips space, then takes `c` when it is next */
RWL_MUST_CHECK rwl_status rwl_text_scan_expect(rwl_text_scan *s, char c, rwl_error *err);
/* Takes the bare word `word` (letter case aside) when it is next. */
bool rwl_text_scan_word(rwl_text_scan *s, const char *word);
/* A bare or "quoted" name ("" inside stands for one quote); `bare` (may be NULL) tells which. */
RWL_MUST_CHECK rwl_status rwl_text_scan_name(rwl_text_scan *s, const char **out, bool *bare, rwl_error *err);
/* A positive 32-bit number. */
RWL_MUST_CHECK rwl_status rwl_text_scan_number(rwl_text_scan *s, int32_t *out, rwl_error *err);
/* A field by name, dots leading into structs. `name` is the path with dots. */
RWL_MUST_CHECK rwl_status rwl_text_scan_field(rwl_text_scan *s, const rwl_schema *schema,
                                              const rwl_field **out, const char **name, rwl_error *err);

#endif
