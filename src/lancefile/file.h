/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Lance data file, versions 2.0, 2.1 and 2.2 (lance.org/format/file).
 *
 *   page buffers, each at a multiple of 64 (8 in older ones)
 *   global buffers; number 0 is the FileDescriptor
 *   column metadata messages, one a column
 *   column table   u64 position, u64 length   one a column
 *   global table   u64 position, u64 length   one a global buffer
 *   footer         u64 first column metadata | u64 column table | u64 global table | u32 global buffers | u32 columns |
 *                  u16 major | u16 minor | "LANC"          (40 bytes)
 *
 *   versions   (0,3) 2.0   (2,1) 2.1   (2,2) 2.2        refused by name: (2,3), (0,1) and (0,2) (legacy), others
 *              (2,0) is taken for 2.0, as others do
 *
 * Opening reads the tail (64 KiB at most unless the tables are longer); a column's metadata are read when it is first asked for.
 */
#ifndef RWL_LANCEFILE_FILE_H
#define RWL_LANCEFILE_FILE_H

#include "base/arena.h"
#include "base/thread.h"
#include "lancefile/schema.h"
#include "storage/store.h"

typedef enum rwl_lancefile_version {
    RWL_LANCEFILE_2_0 = 20,
    RWL_LANCEFILE_2_1 = 21,
    RWL_LANCEFILE_2_2 = 22
} rwl_lancefile_version;

/* Bytes of the file. Checked to lie within it. */
typedef struct rwl_lance_extent {
    int64_t offset, length;
} rwl_lance_extent;

typedef struct rwl_lance_page {
    int64_t first_row, row_count; /* of the column: rows, or (2.0, below lists) items */
    const rwl_lance_extent *buffers;
    int32_t buffer_count;
    rwl_span encoding; /* the message inside of the Any: PageLayout (2.1 and later) or ArrayEncoding (2.0) */
} rwl_lance_page;

typedef struct rwl_lance_column {
    const rwl_lance_page *pages; /* one after another: first_row is the sum of row counts before */
    int32_t page_count;
    const rwl_lance_extent *buffers; /* of the column itself: blobs */
    int32_t buffer_count;
    int64_t row_count;
} rwl_lance_column;

/* Where a file of one of the table's base paths lies, in `arena`; CORRUPT for a base that the table does not list, or a path that leads
 * out of it. */
typedef rwl_status rwl_lancefile_locate(const void *ctx, uint32_t base_id, const char *path, rwl_arena *arena,
                                        const char **out, rwl_error *err);

typedef struct rwl_lancefile {
    const rwl_env *env;
    rwl_store *store;             /* borrowed; for blobs in other files */
    rwl_lancefile_locate *locate; /* for those in base paths; NULL: there are none. Its owner sets it */
    const void *locate_ctx;
    rwl_arena arena;
    const char *location;
    rwl_file *file;
    int64_t size;
    uint8_t *tail; /* the file's last bytes: tables, mostly columns' metadata and the descriptor too */
    size_t tail_len;
    int64_t tail_offset;
    rwl_lancefile_version version;
    int32_t column_count;
    int32_t global_count;
    const rwl_lance_extent *globals, *column_metadata; /* one each */
    int64_t bytes_read, requests;                      /* of all but pages; guarded by lock */
    int64_t message_bytes;                             /* of messages that lie before the tail; likewise */
    rwl_mutex lock;                   /* around what is loaded when asked for, and the arena */
    const rwl_lance_column **columns; /* one each, NULL until asked for */
    const rwl_lance_field_def *defs;  /* of the FileDescriptor, once asked for */
    size_t def_count;
    const rwl_lance_field_def *const *column_defs; /* the field of each column, as the descriptor has it */
    size_t column_def_count;
    int64_t row_count; /* that the descriptor tells, once asked for; -1 before */
} rwl_lancefile;

/* Opens the file; `known_size` is what the table says (0 or less: nothing), a hint. UNSUPPORTED naming legacy and later versions. */
RWL_MUST_CHECK rwl_status rwl_lancefile_open(rwl_store *store, rwl_op *op, const char *location,
                                             int64_t known_size, rwl_lancefile **out, rwl_error *err);
void rwl_lancefile_free(rwl_lancefile *file); /* NULL is fine */
/* The pages of a column; from any thread. CORRUPT: out of range, buffers outside the file, a type URL that is not the version's. */
RWL_MUST_CHECK rwl_status rwl_lancefile_column(rwl_lancefile *file, rwl_op *op, int32_t index,
                                               const rwl_lance_column **out, rwl_error *err);
/* The page that holds a row of the column; pages lie one after another and hold all rows. */
int32_t rwl_lance_column_page(const rwl_lance_column *column, int64_t row);
/* Loads `defs`, `def_count`, `row_count`; from any thread. */
RWL_MUST_CHECK rwl_status rwl_lancefile_describe(rwl_lancefile *file, rwl_op *op, rwl_error *err);
/* The file's own field of a column: leaf (2.1 and later) or field (2.0) number `index` of its schema, depth first; NULL when its schema
 * has fewer. */
RWL_MUST_CHECK rwl_status rwl_lancefile_column_field(rwl_lancefile *file, rwl_op *op, int32_t index,
                                                     const rwl_lance_field_def **out, rwl_error *err);
/* "2.1" */
const char *rwl_lancefile_version_name(rwl_lancefile_version version);
/* Reads the fields of a lance.file.Schema or of a manifest (field 1 of the message) into `arena`. */
RWL_MUST_CHECK rwl_status rwl_lance_fields_parse(rwl_span message, rwl_arena *arena,
                                                 rwl_lance_field_def **out, size_t *count, rwl_error *err);

#endif
