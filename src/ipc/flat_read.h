/* SPDX-License-Identifier: Apache-2.0 */
/* Reading flatbuffers from untrusted bytes: every reference is checked against the buffer. */
#ifndef RWL_IPC_FLAT_READ_H
#define RWL_IPC_FLAT_READ_H

#include "base/buf.h"

/* A table in a buffer; `at` 0 is an absent one, whose fields are all absent. */
typedef struct rwl_flat_table {
    rwl_span buf;
    size_t at;
    size_t fields;      /* where the field part of its vtable begins */
    size_t field_count; /* 16-bit entries there */
} rwl_flat_table;

typedef struct rwl_flat_items {
    size_t at; /* of the first item */
    uint32_t count;
} rwl_flat_items;

RWL_MUST_CHECK rwl_status rwl_flat_root(rwl_span buf, rwl_flat_table *out, rwl_error *err);
/* Scalars; `fallback` where the field is absent. */
RWL_MUST_CHECK rwl_status rwl_flat_get_u8(const rwl_flat_table *t, int slot, uint8_t fallback, uint8_t *out,
                                          rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_flat_get_i16(const rwl_flat_table *t, int slot, int16_t fallback, int16_t *out,
                                           rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_flat_get_i32(const rwl_flat_table *t, int slot, int32_t fallback, int32_t *out,
                                           rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_flat_get_i64(const rwl_flat_table *t, int slot, int64_t fallback, int64_t *out,
                                           rwl_error *err);
/* A table, absent: at 0. */
RWL_MUST_CHECK rwl_status rwl_flat_get_table(const rwl_flat_table *t, int slot, rwl_flat_table *out,
                                             rwl_error *err);
/* A string, absent: data NULL. */
RWL_MUST_CHECK rwl_status rwl_flat_get_string(const rwl_flat_table *t, int slot, rwl_span *out,
                                              rwl_error *err);
/* A vector of items of `size` bytes, all of them in the buffer; absent: none. */
RWL_MUST_CHECK rwl_status rwl_flat_get_vector(const rwl_flat_table *t, int slot, size_t size,
                                              rwl_flat_items *out, rwl_error *err);
/* Item `i` of a vector of tables (items of 4 bytes). */
RWL_MUST_CHECK rwl_status rwl_flat_item_table(const rwl_flat_table *t, const rwl_flat_items *items,
                                              uint32_t i, rwl_flat_table *out, rwl_error *err);

#endif
