/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building flatbuffers (flatbuffers.dev, "Internals"): back to front, so that what is referred to is there first. A position is
 * the distance of an object's start from the end of the buffer, which stays when the buffer grows.
 */
#ifndef RWL_IPC_FLAT_BUILD_H
#define RWL_IPC_FLAT_BUILD_H

#include "base/buf.h"

enum { RWL_FLAT_SLOTS = 8 }; /* fields of a table, at most */

typedef struct rwl_flat {
    const rwl_env *env;
    uint8_t *data;
    size_t cap, used; /* the last `used` bytes are written */
    rwl_status st;    /* of the first failure; later calls do nothing */
    rwl_error *err;
    size_t slots[RWL_FLAT_SLOTS]; /* of the open table: positions of its fields, 0 where absent */
    size_t table_start;
} rwl_flat;

void rwl_flat_init(rwl_flat *f, const rwl_env *env, rwl_error *err);
void rwl_flat_clear(rwl_flat *f);

/* Objects; each returns its position. */
size_t rwl_flat_string(rwl_flat *f, rwl_span text);
/* A vector of references to objects at `positions`. */
size_t rwl_flat_vector(rwl_flat *f, const size_t *positions, size_t count);
/* A vector of structs of `size` bytes, made of 64-bit numbers; `structs` as they lie in memory, little endian. */
size_t rwl_flat_structs(rwl_flat *f, const void *structs, size_t size, size_t count);

/* A table: begin, fields in any order, end. No other object may be built in between. */
void rwl_flat_begin(rwl_flat *f);
void rwl_flat_u8(rwl_flat *f, int slot, uint8_t value);
void rwl_flat_i16(rwl_flat *f, int slot, int16_t value);
void rwl_flat_i32(rwl_flat *f, int slot, int32_t value);
void rwl_flat_i64(rwl_flat *f, int slot, int64_t value);
void rwl_flat_ref(rwl_flat *f, int slot, size_t position); /* 0: absent */
size_t rwl_flat_end(rwl_flat *f);

/* Ends the buffer with a reference to its root table, its length a multiple of 8. */
RWL_MUST_CHECK rwl_status rwl_flat_finish(rwl_flat *f, size_t root, rwl_span *out);

#endif
