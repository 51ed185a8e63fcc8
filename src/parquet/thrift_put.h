/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a Thrift struct being written in the compact protocol, in ascending order of their ids. */
#ifndef RWL_PARQUET_THRIFT_PUT_H
#define RWL_PARQUET_THRIFT_PUT_H

#include "wire/thrift.h"

/* An open struct: where it goes and the id of its last field. */
typedef struct rwl_thrift_writing {
    rwl_buf *out;
    int16_t last_id;
    rwl_error *err;
} rwl_thrift_writing;

RWL_MUST_CHECK rwl_status rwl_put_i8(rwl_thrift_writing *w, int16_t id, int8_t v);
RWL_MUST_CHECK rwl_status rwl_put_i16(rwl_thrift_writing *w, int16_t id, int16_t v);
RWL_MUST_CHECK rwl_status rwl_put_i32(rwl_thrift_writing *w, int16_t id, int32_t v);
RWL_MUST_CHECK rwl_status rwl_put_i64(rwl_thrift_writing *w, int16_t id, int64_t v);
RWL_MUST_CHECK rwl_status rwl_put_bool(rwl_thrift_writing *w, int16_t id, bool v);
RWL_MUST_CHECK rwl_status rwl_put_bytes(rwl_thrift_writing *w, int16_t id, rwl_span v);
RWL_MUST_CHECK rwl_status rwl_put_text(rwl_thrift_writing *w, int16_t id, const char *v);
/* The header of a list field; its items follow. */
RWL_MUST_CHECK rwl_status rwl_put_list(rwl_thrift_writing *w, int16_t id, rwl_thrift_type item, size_t count);
/* Opens a struct as field `id` of `w`: its fields go through `inner`, its end through rwl_put_end. */
RWL_MUST_CHECK rwl_status rwl_put_begin(rwl_thrift_writing *w, int16_t id, rwl_thrift_writing *inner);
RWL_MUST_CHECK rwl_status rwl_put_end(rwl_thrift_writing *w);
RWL_MUST_CHECK rwl_status rwl_put_empty(rwl_thrift_writing *w, int16_t id); /* a struct without fields */
/* An item of a list of structs: it begins without a header. */
static inline rwl_thrift_writing rwl_put_item(const rwl_thrift_writing *list) {
    return (rwl_thrift_writing){list->out, 0, list->err};
}

#endif
