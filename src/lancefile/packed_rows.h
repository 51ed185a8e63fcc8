/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed structs with fields whose length varies, or vectors (variable_packed_struct, in full-zip pages of file version 2.2). A row is
 *
 *   stored   field after field: bits_per_value / 8 bytes, or a length of bits_per_length and as many bytes, each field compressed
 *            by itself; a struct inside is such a row and has a length, too; a vector has its elements' validity before them
 *   a slot   field after field: u32 length and as many bytes, decompressed; of fields that are cut away length 0. Of a vector all
 *            values, then the validity of the elements, level by level, in bytes of its own. No bytes: null
 *
 * A slot is the same whatever a page's codecs are. Fields are never null themselves: no writer can store that.
 */
#ifndef RWL_LANCEFILE_PACKED_ROWS_H
#define RWL_LANCEFILE_PACKED_ROWS_H

#include "lancefile/schema.h"
#include "lancefile/unpack.h"

typedef struct rwl_lance_packed_format rwl_lance_packed_format; /* a page's codecs, ready for use */

/* Whether structs of the node are rows whatever the file version is. */
static inline bool rwl_lance_node_is_packed_rows(const rwl_lance_node *node) {
    return node->form == RWL_LANCE_PACKED && node->bits == 0 && node->child_count > 0;
}

/* For the children that the node has. CORRUPT when the codec has other fields; UNSUPPORTED naming a codec that a field has. */
RWL_MUST_CHECK rwl_status rwl_lance_packed_format_new(rwl_op *op, const rwl_lance_node *node,
                                                      const rwl_lance_codec *codec,
                                                      rwl_lance_packed_format **out, rwl_error *err);
void rwl_lance_packed_format_free(rwl_lance_packed_format *format); /* NULL is fine */
/* Appends the slot of a stored row to a BINARY column. */
RWL_MUST_CHECK rwl_status rwl_lance_packed_append(rwl_lance_packed_format *format, rwl_lance_general *general,
                                                  rwl_span row, rwl_column *slots, rwl_error *err);
/* Appends field `number` of each slot to `out`, a BINARY or STRING column; of slots without bytes `null_len` zeros. */
RWL_MUST_CHECK rwl_status rwl_lance_packed_take(const rwl_env *env, const rwl_column *slots, int32_t number,
                                                size_t null_len, rwl_column *out, rwl_error *err);

#endif
