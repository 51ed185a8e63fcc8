/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A manifest: one version of a dataset (lance.org/format/table; protocol package lance.table).
 *
 *   [u32 length, IndexSection]   [u32 length, Transaction]   u32 length, Manifest   u64 its position | u16 0 | u16 2 | "LANC"
 *
 * Opening reads the tail (64 KiB), and of what lies before it only the rest of the Manifest message; index and transaction sections
 * are read when asked for. Inline lineage of more than RWL_LANCE_ARM_MAX bytes is left in the file: fragments say where, and
 * lance/lineage.h reads it as it goes. So memory follows the number of fragments, never that of rows.
 */
#ifndef RWL_LANCE_MANIFEST_H
#define RWL_LANCE_MANIFEST_H

#include "base/arena.h"
#include "lancefile/schema.h"
#include "storage/store.h"

enum { RWL_LANCE_ARM_MAX = 4096 };

/* The three sequences of a fragment, and the reserved field ids of their hidden columns: -3 - index. */
typedef enum rwl_lance_sequence {
    RWL_LANCE_ROW_IDS,
    RWL_LANCE_CREATED_AT,
    RWL_LANCE_LAST_UPDATED,
    RWL_LANCE_SEQUENCES
} rwl_lance_sequence;
static inline int32_t rwl_lance_sequence_field(rwl_lance_sequence s) {
    return -3 - (int32_t)s;
}
/* "_rowid", "_row_created_at_version", "_row_last_updated_at_version" */
const char *rwl_lance_sequence_name(rwl_lance_sequence s);

typedef enum rwl_lance_arm_kind {
    RWL_LANCE_ARM_ABSENT,
    RWL_LANCE_ARM_INLINE,
    RWL_LANCE_ARM_COLUMN,  /* spilled: in a hidden column of one of the fragment's files */
    RWL_LANCE_ARM_EXTERNAL /* 6, 8, 10: no writer ever; refused where the sequence is asked for */
} rwl_lance_arm_kind;

/* How a sequence is stored. INLINE: `length` bytes, in memory, or (bytes.data NULL) at `offset` of the manifest file. */
typedef struct rwl_lance_arm {
    rwl_lance_arm_kind kind;
    rwl_span bytes;
    int64_t offset, length;
} rwl_lance_arm;

typedef struct rwl_lance_data_file {
    const char *path; /* relative to its base's data folder */
    const int32_t *fields, *column_indices;
    int32_t field_count;
    int32_t index_count; /* 0: file versions before 2; fewer than fields: -1 is in their places */
    uint32_t major_version, minor_version;
    int64_t size;    /* 0: unknown */
    int64_t base_id; /* -1: the dataset's own root */
} rwl_lance_data_file;
/* File format version 1; a manifest may call version 2.0 by its other name 0.3. */
static inline bool rwl_lance_data_file_is_legacy(const rwl_lance_data_file *file) {
    return file->major_version == 0 && file->minor_version < 3;
}

typedef struct rwl_lance_deletion_file {
    bool is_present, is_bitmap; /* is_bitmap: ".bin", else ".arrow" */
    uint64_t read_version, id;
    int64_t deleted_rows; /* 0: not told */
    int64_t base_id;      /* -1: the dataset's own root */
} rwl_lance_deletion_file;

typedef struct rwl_lance_fragment {
    int64_t id;
    const rwl_lance_data_file *files;
    int32_t file_count;
    rwl_lance_deletion_file deletion;
    int64_t physical_rows;
    rwl_lance_arm arms[RWL_LANCE_SEQUENCES];
} rwl_lance_fragment;
/* Manifests of the time of legacy files may leave it out, and Lance writes no fragments without rows: 0 beside a file is no number. */
static inline bool rwl_lance_fragment_tells_rows(const rwl_lance_fragment *fragment) {
    return fragment->physical_rows > 0 || fragment->file_count == 0;
}

typedef struct rwl_lance_base {
    uint32_t id;
    bool is_dataset_root;
    const char *name; /* NULL when none */
    const char *path;
} rwl_lance_base;

typedef struct rwl_lance_pair {
    const char *key;
    rwl_span value;
} rwl_lance_pair;

/* Bits of the feature flags ("feature_flags"). */
enum {
    RWL_LANCE_FLAG_DELETIONS = 1,
    RWL_LANCE_FLAG_STABLE_ROW_IDS = 2,
    RWL_LANCE_FLAG_V2_FORMAT = 4,
    RWL_LANCE_FLAG_CONFIG = 8,
    RWL_LANCE_FLAG_BASE_PATHS = 16,
    RWL_LANCE_FLAG_NO_TRANSACTION_FILES = 32,
    RWL_LANCE_FLAG_OVERLAYS = 64,
    RWL_LANCE_FLAG_COVERED_INDEX = 128,
    RWL_LANCE_FLAG_MIXED_FILE_VERSIONS = 256,
    RWL_LANCE_FLAG_REUSE_INDEX = 512,
    RWL_LANCE_FLAG_TAGGED_REUSE_INDEX = 1024,
    RWL_LANCE_FLAG_SPILLED_LINEAGE = 2048,
    RWL_LANCE_FLAG_FRAGMENT_TREE = 4096,
    RWL_LANCE_FLAG_COVERING_FIELDS = 8192,
    RWL_LANCE_FLAG_MANAGED_BLOBS = 16384,
    RWL_LANCE_FLAG_FIELD_IDS = 32768,
    RWL_LANCE_FLAG_ZONE_SEEDS = 65536,
    RWL_LANCE_FLAG_OBJECT_METADATA = 131072
};

typedef struct rwl_lance_manifest {
    const rwl_env *env;
    rwl_arena arena;
    const char *location;
    int64_t size; /* of the file */
    int64_t message_offset, message_length;
    int64_t version; /* of a detached version the top bit is not part of it */
    bool is_detached;
    int64_t timestamp_ms, timestamp_ns; /* ns: within the second */
    uint64_t reader_flags, writer_flags;
    int64_t next_row_id;
    int64_t max_fragment_id;                     /* -1: none */
    const char *data_format;                     /* "2.1", as it is there; "" when absent */
    const char *writer_library;                  /* "" when absent */
    const char *writer_version;                  /* likewise; with prerelease "-…" and build "+…" */
    const char *tag, *branch, *transaction_file; /* "" when absent */
    int64_t index_section, transaction_section;  /* positions in the file, -1: none */
    const rwl_lance_field_def *defs;
    size_t def_count;
    rwl_lance_schema schema;
    const rwl_lance_fragment *fragments; /* by ascending id */
    size_t fragment_count;
    const rwl_lance_base *bases; /* by ascending id */
    size_t base_count;
    const rwl_lance_pair *config, *table_metadata, *schema_metadata;
    size_t config_count, table_metadata_count, schema_metadata_count;
    int64_t lineage_bytes[RWL_LANCE_SEQUENCES]; /* inline ones, over all fragments */
    /* The Manifest as protobuf-c has it, unknown fields too; inline lineage that was left in the file is empty in it. */
    void *message;
} rwl_lance_manifest;

/* Opens and checks a manifest. CORRUPT naming what; UNSUPPORTED for what a reader must not ignore (rwl_lance_flags_check, overlays, a
 * fragment tree, fragment ids of 2^31 and more). */
RWL_MUST_CHECK rwl_status rwl_lance_manifest_open(rwl_store *store, rwl_op *op, const char *location,
                                                  rwl_lance_manifest **out, rwl_error *err);
void rwl_lance_manifest_free(rwl_lance_manifest *manifest); /* NULL is fine */
bool rwl_lance_manifest_has_stable_ids(const rwl_lance_manifest *manifest);
const rwl_lance_fragment *rwl_lance_manifest_fragment(const rwl_lance_manifest *manifest,
                                                      int64_t id); /* NULL: none */
/*
 * Appends the Manifest message again, unknown fields kept, inline lineage filled in from the file. Byte for byte what it was when
 * its writer kept to the order of lance's own (fields by number, the arms of a sequence at the least number of theirs), wrote
 * the shortest varints and packed its lists, as all known ones do; of another writer the same fields in that order.
 */
RWL_MUST_CHECK rwl_status rwl_lance_manifest_pack(const rwl_lance_manifest *manifest, rwl_store *store,
                                                  rwl_op *op, rwl_buf *out, rwl_error *err);

/* UNSUPPORTED naming the first bit that this reader does not know ("feature flag 512 (fragment reuse index with stable row ids)");
 * CORRUPT when one that belongs in both words is in one, or a writer's bit is set for readers. */
RWL_MUST_CHECK rwl_status rwl_lance_flags_check(uint64_t reader, uint64_t writer, rwl_error *err);
/* The same of writers. */
RWL_MUST_CHECK rwl_status rwl_lance_flags_check_write(uint64_t writer, rwl_error *err);
/* "deletion files", … of one bit; NULL when unknown. */
const char *rwl_lance_flag_name(uint64_t bit);

#endif
