/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variant values (Parquet's VariantEncoding.md, version 1): taking apart, checking, printing and building.
 *
 *   metadata  header: version 1 (4 bits), sorted (bit 4), offset size - 1 (bits 6, 7)
 *             dictionary size, size + 1 offsets, bytes of the names: all little endian of the offset size
 *   value     basic type (2 bits) and header (6 bits), then
 *             primitive     by its type id: nothing, a number, scale and number, or length and bytes
 *             short string  the header's number of bytes
 *             object        count, ids of the names in the order of the names, count + 1 offsets, values
 *             array         count, count + 1 offsets, values
 *
 * A column of VARIANT holds the metadata followed by the value. Rules checked besides bounds: (1) a value ends
 * where its container does or before; (2) the sizes of a container's values together are at most the container's, so
 * that printing is linear in the bytes; (3) names are UTF-8 and those next to each other in an object differ
 * (order is not asked for: writers of old ordered by UTF-16); (4) nesting is at most RWL_VARIANT_DEPTH_MAX.
 */
#ifndef RWL_COLUMN_VARIANT_H
#define RWL_COLUMN_VARIANT_H

#include "column/value.h"

enum { RWL_VARIANT_DEPTH_MAX = 256 };

/* --- taking apart: spans borrow from the input; CORRUPT where the bytes are not a variant --- */

/* The metadata at the front of `bytes` and all that follows it; the metadata's offsets are checked to ascend. Also
 * trims metadata that stands alone: the value is empty then. */
RWL_MUST_CHECK rwl_status rwl_variant_split(rwl_span bytes, rwl_span *metadata, rwl_span *value,
                                            rwl_error *err);
/* Everything about both: names, every offset, every type, nothing after the value. */
RWL_MUST_CHECK rwl_status rwl_variant_check(rwl_span metadata, rwl_span value, rwl_error *err);
/* Appends the value as JSON text: CLI.md "Values in JSON", decimals as numbers. Checks what it reads. */
RWL_MUST_CHECK rwl_status rwl_variant_json(rwl_span metadata, rwl_span value, rwl_buf *out, rwl_error *err);

/* The number of names in the metadata, 0 when it is malformed. */
uint32_t rwl_variant_name_count(rwl_span metadata);
RWL_MUST_CHECK rwl_status rwl_variant_name(rwl_span metadata, uint32_t id, rwl_span *name, rwl_error *err);
/* The id of a name; false when the metadata has none. By halves if the metadata says that it is sorted. */
bool rwl_variant_find_name(rwl_span metadata, rwl_span name, uint32_t *id);

typedef enum rwl_variant_kind {
    RWL_VARIANT_PRIMITIVE, /* short strings too */
    RWL_VARIANT_OBJECT,
    RWL_VARIANT_ARRAY
} rwl_variant_kind;

/* One value opened: what kind it is, where it ends, its items. */
typedef struct rwl_variant_items {
    rwl_variant_kind kind;
    rwl_span value;             /* the bytes of this value, nothing after it */
    uint32_t count;             /* items of an object or array, else 0 */
    uint32_t id_size, off_size; /* bytes of an id and of an offset */
    size_t ids_at, offsets_at, items_at;
} rwl_variant_items;

/* Opens the value at the front of `value`; more bytes may follow. */
RWL_MUST_CHECK rwl_status rwl_variant_open(rwl_span value, rwl_variant_items *out, rwl_error *err);
/* Item `i` (below count): its name's id (0 in an array) and its bytes, exactly. */
RWL_MUST_CHECK rwl_status rwl_variant_item(const rwl_variant_items *items, uint32_t i, uint32_t *id,
                                           rwl_span *value, rwl_error *err);
/* A primitive as one of our values: int8 to int32 as INT, decimals with their scale and the most digits of their
 * width in `type`, null as a null of UNKNOWN. `value` is exactly one primitive; bytes are borrowed. */
RWL_MUST_CHECK rwl_status rwl_variant_primitive(rwl_span value, rwl_type *type, rwl_value *out,
                                                rwl_error *err);

/* --- building: each appends one value to `out` --- */

/* INT as int32, LONG as int64, DECIMAL in 4, 8 or 16 bytes by the precision of `type`, STRING short where it can be,
 * FIXED as binary; null as null. UNSUPPORTED for types that a variant does not have. */
RWL_MUST_CHECK rwl_status rwl_variant_put_primitive(const rwl_type *type, const rwl_value *v, rwl_buf *out,
                                                    rwl_error *err);
/* An integer in `width` bytes: 1, 2, 4 or 8; INTERNAL when it does not fit. */
RWL_MUST_CHECK rwl_status rwl_variant_put_int(int64_t v, int width, rwl_buf *out, rwl_error *err);
/* `values` are encoded values, each exactly one, that do not lie in `out`. */
RWL_MUST_CHECK rwl_status rwl_variant_put_array(const rwl_span *values, size_t count, rwl_buf *out,
                                                rwl_error *err);
/* Fields in any order, their names by id in `metadata`; written in the order of the names. CORRUPT for an id
 * that the metadata has not and for a name given twice. Scratch comes from out->env. */
RWL_MUST_CHECK rwl_status rwl_variant_put_object(rwl_span metadata, const uint32_t *ids,
                                                 const rwl_span *values, size_t count, rwl_buf *out,
                                                 rwl_error *err);

/* Metadata of `count` names, in the given order; flagged as sorted where they are, in bytes as narrow as they go. */
RWL_MUST_CHECK rwl_status rwl_variant_put_metadata(const rwl_span *names, size_t count, rwl_buf *out,
                                                   rwl_error *err);

#endif
