/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of CSV text (RFC 4180): fields between commas, records between line ends (CRLF or LF); a field that begins with a
 * quote may hold commas, line ends and doubled quotes. A byte order mark in front is passed over.
 */
#ifndef RWL_ENGINE_CSV_H
#define RWL_ENGINE_CSV_H

#include "base/buf.h"

typedef struct rwl_csv rwl_csv;

typedef struct rwl_csv_field {
    rwl_span text; /* without quotes */
    bool quoted;
} rwl_csv_field;

/* Opens a path; "-" is standard input. */
RWL_MUST_CHECK rwl_status rwl_csv_open(rwl_op *op, const char *path, rwl_csv **out, rwl_error *err);
void rwl_csv_close(rwl_csv *csv); /* NULL is fine */
/* The next record, valid until the next call; *count 0 at the end. An empty line is one empty field. CORRUPT naming the line: a quote
 * that does not end, or is followed by text; UNSUPPORTED: a record above 256 MB. */
RWL_MUST_CHECK rwl_status rwl_csv_next(rwl_csv *csv, const rwl_csv_field **fields, int32_t *count,
                                       rwl_error *err);
/* The line the last record began in, from 1. */
int64_t rwl_csv_line(const rwl_csv *csv);
/* The path, or "standard input". */
const char *rwl_csv_path(const rwl_csv *csv);

#endif
