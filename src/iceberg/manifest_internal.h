/* SPDX-License-Identifier: Apache-2.0 */
/* What reading and writing of manifests share: field ids, Avro schemas, partition values. */
#ifndef RWL_ICEBERG_MANIFEST_INTERNAL_H
#define RWL_ICEBERG_MANIFEST_INTERNAL_H

#include "iceberg/manifest.h"

/* Field ids of manifest entries (specification, "Manifests"). */
enum {
    RWL_ENTRY_STATUS = 0,
    RWL_ENTRY_SNAPSHOT_ID = 1,
    RWL_ENTRY_DATA_FILE = 2,
    RWL_ENTRY_SEQUENCE_NUMBER = 3,
    RWL_ENTRY_FILE_SEQUENCE_NUMBER = 4,
    RWL_FILE_PATH = 100,
    RWL_FILE_FORMAT = 101,
    RWL_FILE_PARTITION = 102,
    RWL_FILE_RECORD_COUNT = 103,
    RWL_FILE_SIZE = 104,
    RWL_FILE_COLUMN_SIZES = 108, /* map<117, 118> */
    RWL_FILE_VALUE_COUNTS = 109, /* map<119, 120> */
    RWL_FILE_NULL_COUNTS = 110,  /* map<121, 122> */
    RWL_FILE_LOWER_BOUNDS = 125, /* map<126, 127> */
    RWL_FILE_UPPER_BOUNDS = 128, /* map<129, 130> */
    RWL_FILE_KEY_METADATA = 131,
    RWL_FILE_SPLIT_OFFSETS = 132, /* list<133> */
    RWL_FILE_CONTENT = 134,
    RWL_FILE_EQUALITY_IDS = 135, /* list<136> */
    RWL_FILE_NAN_COUNTS = 137,   /* map<138, 139> */
    RWL_FILE_SORT_ORDER_ID = 140,
    RWL_FILE_FIRST_ROW_ID = 142,
    RWL_FILE_REFERENCED = 143,
    RWL_FILE_CONTENT_OFFSET = 144,
    RWL_FILE_CONTENT_SIZE = 145
};

/* Field ids of manifest lists (specification, "Manifest Lists"). */
enum {
    RWL_LIST_PATH = 500,
    RWL_LIST_LENGTH = 501,
    RWL_LIST_SPEC_ID = 502,
    RWL_LIST_ADDED_SNAPSHOT_ID = 503,
    RWL_LIST_ADDED_FILES = 504,
    RWL_LIST_EXISTING_FILES = 505,
    RWL_LIST_DELETED_FILES = 506,
    RWL_LIST_PARTITIONS = 507, /* list<508> */
    RWL_SUMMARY_CONTAINS_NULL = 509,
    RWL_SUMMARY_LOWER = 510,
    RWL_SUMMARY_UPPER = 511,
    RWL_LIST_ADDED_ROWS = 512,
    RWL_LIST_EXISTING_ROWS = 513,
    RWL_LIST_DELETED_ROWS = 514,
    RWL_LIST_SEQUENCE_NUMBER = 515,
    RWL_LIST_MIN_SEQUENCE_NUMBER = 516,
    RWL_LIST_CONTENT = 517,
    RWL_SUMMARY_CONTAINS_NAN = 518,
    RWL_LIST_KEY_METADATA = 519,
    RWL_LIST_FIRST_ROW_ID = 520
};

/* The Avro schema of a manifest of `version` (2 or 3) whose partition fields have these types. */
RWL_MUST_CHECK rwl_status rwl_manifest_schema(int32_t version, const rwl_partition_spec *spec,
                                              const rwl_type *types, rwl_buf *out, rwl_error *err);
/* The Avro schema of a manifest list of `version` (2 or 3). */
RWL_MUST_CHECK rwl_status rwl_manifest_list_schema(int32_t version, rwl_buf *out, rwl_error *err);

/* Bytes of an Avro fixed that holds such a decimal: the least n with 10^precision < 2^(8n - 1). */
int32_t rwl_decimal_fixed_size(int32_t precision);

/* --- typed access to Avro records (manifest_fields.c); errors name the field --- */

RWL_MUST_CHECK rwl_status rwl_record_i64(const rwl_avro_datum *record, int32_t id, const char *name,
                                         int64_t *out, rwl_error *err);
/* `fallback` when the field is absent or null. */
RWL_MUST_CHECK rwl_status rwl_record_opt_i64(const rwl_avro_datum *record, int32_t id, const char *name,
                                             int64_t fallback, int64_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_record_opt_i32(const rwl_avro_datum *record, int32_t id, const char *name,
                                             int32_t fallback, int32_t *out, rwl_error *err);
/* *out NULL when absent or null; text with a NUL inside is CORRUPT. */
RWL_MUST_CHECK rwl_status rwl_record_opt_str(const rwl_avro_datum *record, int32_t id, const char *name,
                                             rwl_arena *arena, const char **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_record_str(const rwl_avro_datum *record, int32_t id, const char *name,
                                         rwl_arena *arena, const char **out, rwl_error *err);
/* Bytes copied to `arena`; data NULL when absent or null, never NULL else. */
RWL_MUST_CHECK rwl_status rwl_record_opt_bytes(const rwl_avro_datum *record, int32_t id, const char *name,
                                               rwl_arena *arena, rwl_span *out, rwl_error *err);
/* The array in this field; NULL when absent or null. */
RWL_MUST_CHECK rwl_status rwl_record_opt_array(const rwl_avro_datum *record, int32_t id, const char *name,
                                               const rwl_avro_datum **out, rwl_error *err);

/*
 * A partition value out of a manifest as a value of type `target` (specification, "Avro": values of the type
 * the column had when the manifest was written are promoted). `target` of kind UNKNOWN takes the Avro type as
 * it is. `datum` NULL is null. Bytes are copied to `arena`.
 */
RWL_MUST_CHECK rwl_status rwl_partition_value(const rwl_avro_datum *datum, const rwl_type *target,
                                              rwl_arena *arena, rwl_value *out, rwl_error *err);

/* Appends an entry in the form of rwl_manifest_schema: stored numbers as in `entry`, -1 as null. */
RWL_MUST_CHECK rwl_status rwl_manifest_entry_encode(const rwl_manifest_entry *entry, int32_t version,
                                                    const rwl_type *types, rwl_buf *out, rwl_error *err);

#endif
