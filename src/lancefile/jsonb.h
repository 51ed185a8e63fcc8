/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as lance.json columns store it: JSONB (format of the crate jsonb, version 0.5), all numbers big endian.
 *
 *   value       header, entries, data
 *   header      u32: 4 array, 2 object, 1 scalar in the top three bits, the count of values below (of a scalar anything)
 *   entry       u32: 0, a type of three bits, the length of its data below
 *   array       an entry a value, then their data one after another
 *   object      an entry a key, an entry a value, then the data of keys, then of values; keys in the order of their bytes
 *   scalar      one entry, its data
 *
 *   type        0 null   1 string, UTF-8   2 number   3 false   4 true   5 a value, array or object   6 extension
 *   number      u8 kind: 00 zero   10 NaN   20, 30 infinity of either sign   40 signed, 50 unsigned, 1, 2, 4 or 8 bytes
 *               60 binary64   70 decimal: 8, 16 or 32 bytes, once a precision (u8) behind the longer two, a scale (u8)
 *
 * A document that begins with a byte of JSON text is such text, and UTF-8: pylance 0.38 and 0.39 append it so.
 *
 * Validity: every length is that of the bytes there are, nothing is left over; keys are strings; null, true and false have no
 * data. Extensions (dates and the like, which JSON text does not give) are UNSUPPORTED.
 */
#ifndef RWL_LANCEFILE_JSONB_H
#define RWL_LANCEFILE_JSONB_H

#include "column/batch.h"

/*
 * Appends a document as JSON text, as Lance gives it: no spaces, keys in stored order, integers as they are, floats by the fewest
 * digits with ".0" or an exponent (from 1e16 on with its sign, below 1e-5), null for what is not finite. Decimals, of which Lance
 * gives the nearest float, have all their digits. CORRUPT; UNSUPPORTED for extensions and more than 10,000 levels.
 */
RWL_MUST_CHECK rwl_status rwl_lance_jsonb_text(rwl_span document, rwl_buf *out, rwl_error *err);
/* Turns the documents of a STRING column into their texts; nulls stay. */
RWL_MUST_CHECK rwl_status rwl_lance_jsonb_column(const rwl_env *env, rwl_column *column, rwl_error *err);

#endif
