/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a Thrift struct being written in the compact protocol. */
#include "parquet/thrift_put.h"

static rwl_status put_header(rwl_thrift_writing *w, int16_t id, rwl_thrift_type type) {
    return rwl_thrift_put_field(w->out, &w->last_id, id, type, w->err);
}

rwl_status rwl_put_i8(rwl_thrift_writing *w, int16_t id, int8_t v) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_I8));
    return rwl_buf_u8(w->out, (uint8_t)v, w->err);
}

rwl_status rwl_put_i16(rwl_thrift_writing *w, int16_t id, int16_t v) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_I16));
    return rwl_thrift_put_i32(w->out, v, w->err);
}

rwl_status rwl_put_i32(rwl_thrift_writing *w, int16_t id, int32_t v) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_I32));
    return rwl_thrift_put_i32(w->out, v, w->err);
}

rwl_status rwl_put_i64(rwl_thrift_writing *w, int16_t id, int64_t v) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_I64));
    return rwl_thrift_put_i64(w->out, v, w->err);
}

rwl_status rwl_put_bool(rwl_thrift_writing *w, int16_t id, bool v) {
    return put_header(w, id, v ? RWL_THRIFT_TRUE : RWL_THRIFT_FALSE);
}

rwl_status rwl_put_bytes(rwl_thrift_writing *w, int16_t id, rwl_span v) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_BINARY));
    return rwl_thrift_put_binary(w->out, v, w->err);
}

rwl_status rwl_put_text(rwl_thrift_writing *w, int16_t id, const char *v) {
    return rwl_put_bytes(w, id, rwl_span_str(v));
}

rwl_status rwl_put_list(rwl_thrift_writing *w, int16_t id, rwl_thrift_type item, size_t count) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_LIST));
    if (count > INT32_MAX)
        return rwl_fail(w->err, RWL_UNSUPPORTED, "parquet metadata: a list of %zu items", count);
    return rwl_thrift_put_list(w->out, item, (uint32_t)count, w->err);
}

rwl_status rwl_put_begin(rwl_thrift_writing *w, int16_t id, rwl_thrift_writing *inner) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_STRUCT));
    *inner = (rwl_thrift_writing){w->out, 0, w->err};
    return RWL_OK;
}

rwl_status rwl_put_end(rwl_thrift_writing *w) {
    return rwl_thrift_put_stop(w->out, w->err);
}

rwl_status rwl_put_empty(rwl_thrift_writing *w, int16_t id) {
    rwl_thrift_writing inner;
    RWL_TRY(rwl_put_begin(w, id, &inner));
    return rwl_put_end(&inner);
}
