/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding manifest entries: the manifest's own Avro schema is compiled once into steps, one a field in file order, each
 * of which stores a value in its member of rwl_manifest_entry or passes over it. Fields are found by id, by name where
 * the schema has no ids at all; what is not wanted is never decoded.
 *
 *   entry     := step*                       status, snapshot_id, sequence numbers, data_file
 *   data_file := step*                       path, counts, maps …, partition
 *   partition := step*                       one a field of the partition spec
 *
 * An optional field is a union with one branch that is not null, as the specification has it.
 */
#ifndef RWL_ICEBERG_MANIFEST_PROGRAM_H
#define RWL_ICEBERG_MANIFEST_PROGRAM_H

#include "iceberg/manifest_internal.h"

typedef enum rwl_step_kind {
    RWL_STEP_NULL, /* a null: no bytes */
    RWL_STEP_I64,
    RWL_STEP_I32,
    RWL_STEP_STR,
    RWL_STEP_BYTES,
    RWL_STEP_FIRST_ROW_ID,
    RWL_STEP_COUNTS,    /* map of field id to long */
    RWL_STEP_BOUNDS,    /* map of field id to bytes */
    RWL_STEP_SPLITS,    /* list of longs */
    RWL_STEP_IDS,       /* list of field ids */
    RWL_STEP_RECORD,    /* `steps` */
    RWL_STEP_PARTITION, /* `steps`, one a field of the record */
    RWL_STEP_VALUE,     /* a partition field's value */
    /* passed over */
    RWL_STEP_SKIP_VARINT,
    RWL_STEP_SKIP_BYTES,
    RWL_STEP_SKIP_FIXED,       /* `size` bytes */
    RWL_STEP_SKIP_LIST_VARINT, /* items of `size` varints */
    RWL_STEP_SKIP_LIST_BOUND,  /* items of a varint and bytes */
    RWL_STEP_SKIP_ANY
} rwl_step_kind;

/* A field's value: its schema without the union that makes it optional. */
typedef struct rwl_step_form {
    const rwl_avro_schema *schema; /* of the values that are not null */
    int32_t branch_count;          /* of the union; 0: none */
    int32_t value_branch;
} rwl_step_form;

typedef struct rwl_step {
    rwl_step_kind kind;
    rwl_step_form form;
    const char *name;
    int32_t id;
    uint16_t offset, count_offset; /* of the members in rwl_manifest_entry */
    uint32_t required;             /* bit that a value sets; 0: optional */
    int32_t size;                  /* SKIP_FIXED, SKIP_LIST_VARINT; VALUE: index in the spec */
    rwl_step_form item;            /* lists: of an item; maps: of the value */
    bool key_first;                /* maps: items are a plain key, then a plain value */
    int32_t key_at, value_at;      /* maps: fields of an item */
    const struct rwl_step *steps;  /* RECORD, PARTITION */
    int32_t step_count;
} rwl_step;

typedef struct rwl_manifest_program {
    const rwl_partition_spec *spec;
    const rwl_type *types; /* of its fields */
    rwl_manifest_wanted wanted;
    uint32_t required; /* bits of all required fields, whether or not the schema has them */
    rwl_step entry;    /* RECORD */
} rwl_manifest_program;

/* Compiles the schema; the program and what it points to are in `arena`, `spec`, `types` and the ids of `wanted` are
 * borrowed. CORRUPT: the schema is no record, or a wanted field has a type that can't be its own. UNSUPPORTED: a wanted
 * field that is a union of several types. */
RWL_MUST_CHECK rwl_status rwl_manifest_compile(const rwl_avro_schema *schema, const rwl_partition_spec *spec,
                                               const rwl_type *types, const rwl_manifest_wanted *wanted,
                                               rwl_arena *arena, rwl_manifest_program *out, rwl_error *err);

/* CORRUPT naming the first required field that is not among those seen. */
rwl_status rwl_manifest_fail_required(const rwl_manifest_program *program, uint32_t seen, rwl_error *err);

/* Where decoding stands in a block. */
typedef struct rwl_entry_decoder {
    rwl_cursor in;
    int64_t
        values_left; /* that may yet be passed over without being looked at: against schemas of values without bytes */
} rwl_entry_decoder;

/* So that a few bytes do not become endless values: a manifest may have this many, and so many more for each byte. */
#define RWL_ENTRY_VALUES_FREE     (INT64_C(1) << 22)
#define RWL_ENTRY_VALUES_PER_BYTE 64

/* The next entry as stored, its numbers not yet inherited; what it points to is in `arena`. CORRUPT names the field, and
 * the file once its path is known. */
RWL_MUST_CHECK rwl_status rwl_manifest_entry_decode(const rwl_manifest_program *program, rwl_entry_decoder *d,
                                                    rwl_arena *arena, rwl_manifest_entry *out,
                                                    rwl_error *err);

#endif
