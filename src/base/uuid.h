/* SPDX-License-Identifier: Apache-2.0 */
/* UUIDs: version 4 from the environment's random source, text form, parsing. */
#ifndef RWL_BASE_UUID_H
#define RWL_BASE_UUID_H

#include "base/buf.h"

#define RWL_UUID_TEXT_LEN 36
typedef struct rwl_uuid {
    uint8_t bytes[16]; /* big endian, as text reads */
} rwl_uuid;

RWL_MUST_CHECK rwl_status rwl_uuid_new(const rwl_env *env, rwl_uuid *out, rwl_error *err);
void rwl_uuid_format(const uint8_t bytes[16], char out[RWL_UUID_TEXT_LEN + 1]);
bool rwl_uuid_parse(rwl_span text, uint8_t bytes[16]); /* 8-4-4-4-12, either case */
/* A positive random 63-bit number, as Iceberg's snapshot ids are. */
RWL_MUST_CHECK rwl_status rwl_random_id(const rwl_env *env, int64_t *out, rwl_error *err);

#endif
