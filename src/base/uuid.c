/* SPDX-License-Identifier: Apache-2.0 */
/* UUIDs of version 4 (RFC 9562) and random ids. */
#include "base/uuid.h"

static rwl_status draw(const rwl_env *env, void *out, size_t len, rwl_error *err) {
    if (!env->random(env->ctx, out, len))
        return rwl_fail(err, RWL_IO, "the random source gave no bytes");
    return RWL_OK;
}

rwl_status rwl_uuid_new(const rwl_env *env, rwl_uuid *out, rwl_error *err) {
    RWL_TRY(draw(env, out->bytes, sizeof out->bytes, err));
    out->bytes[6] = (uint8_t)((out->bytes[6] & 0x0f) | 0x40); /* version 4 */
    out->bytes[8] = (uint8_t)((out->bytes[8] & 0x3f) | 0x80); /* variant 10 */
    return RWL_OK;
}

static bool is_dash_place(size_t i) {
    return i == 8 || i == 13 || i == 18 || i == 23;
}

void rwl_uuid_format(const uint8_t bytes[16], char out[RWL_UUID_TEXT_LEN + 1]) {
    static const char digits[] = "0123456789abcdef";
    size_t nibble = 0;
    for (size_t i = 0; i < RWL_UUID_TEXT_LEN; i++) {
        if (is_dash_place(i)) {
            out[i] = '-';
            continue;
        }
        uint8_t byte = bytes[nibble / 2];
        out[i] = digits[nibble % 2 ? byte & 15 : byte >> 4];
        nibble++;
    }
    out[RWL_UUID_TEXT_LEN] = '\0';
}

bool rwl_uuid_parse(rwl_span text, uint8_t bytes[16]) {
    uint8_t parsed[16] = {0};
    if (text.len != RWL_UUID_TEXT_LEN)
        return false;
    size_t nibble = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (is_dash_place(i)) {
            if (text.data[i] != '-')
                return false;
            continue;
        }
        int digit = rwl_hex_digit(text.data[i]);
        if (digit < 0)
            return false;
        parsed[nibble / 2] = (uint8_t)(parsed[nibble / 2] << 4 | digit);
        nibble++;
    }
    memcpy(bytes, parsed, sizeof parsed);
    return true;
}

rwl_status rwl_random_id(const rwl_env *env, int64_t *out, rwl_error *err) {
    uint64_t value = 0;
    RWL_TRY(draw(env, &value, sizeof value, err));
    value &= INT64_MAX;
    *out = value ? (int64_t)value : 1;
    return RWL_OK;
}
