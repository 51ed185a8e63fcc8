/* SPDX-License-Identifier: Apache-2.0 */
/* Thrift compact: a struct is skipped, read again field by field and written back; both readings must agree. */
#include "fuzz.h"
#include "wire/thrift.h"

/* Reads the values a struct has of its own; nested ones are skipped. */
static rwl_status read_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    rwl_span bytes;
    int64_t i64;
    (void)ctx;
    switch (f.type) {
    case RWL_THRIFT_I16:
    case RWL_THRIFT_I32:
    case RWL_THRIFT_I64:
        return rwl_thrift_i64(c, &i64, err);
    case RWL_THRIFT_BINARY:
        RWL_TRY(rwl_thrift_binary(c, &bytes, err));
        FUZZ_CHECK(bytes.len == 0 || (bytes.data >= c->data && bytes.data + bytes.len <= c->data + c->len));
        return RWL_OK;
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

/* A number written and read again is the same. */
static void check_number(int64_t v) {
    rwl_env env;
    rwl_buf b;
    int64_t again;
    rwl_env_init_default(&env);
    rwl_buf_init(&b, &env, SIZE_MAX);
    FUZZ_CHECK(rwl_thrift_put_i64(&b, v, NULL) == RWL_OK);
    rwl_cursor c = rwl_cursor_of(rwl_buf_span(&b));
    FUZZ_CHECK(rwl_thrift_i64(&c, &again, NULL) == RWL_OK && again == v && rwl_cursor_left(&c) == 0);
    rwl_buf_clear(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_cursor skipped = rwl_cursor_of(rwl_span_of(data, len)), walked = skipped;
    rwl_status by_skip = rwl_thrift_skip(&skipped, RWL_THRIFT_STRUCT, NULL);
    rwl_status by_walk = rwl_thrift_struct(&walked, read_field, NULL, NULL);
    FUZZ_CHECK(skipped.pos <= len && walked.pos <= len);
    /* skipping counts its depth from the outside, so it may refuse one level more */
    FUZZ_CHECK(by_skip != RWL_OK || (by_walk == RWL_OK && skipped.pos == walked.pos));
    if (len >= 8)
        check_number((int64_t)rwl_load_le64(data));
    return 0;
}
