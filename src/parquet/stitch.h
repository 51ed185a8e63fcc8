/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a Parquet file from ranges of rows of existing ones, compressed pages copied as they are wherever a page lies
 * wholly inside a kept range and its type and codec fit; only pages cut by the border of a range are decoded and encoded.
 *
 *   row group := parts merged until the target size; an input's row group that is large enough is copied whole
 *   chunk     := [dictionary: the one all parts share, or their union] pages of the parts, in order
 *
 * Never a dictionary-coded page after one that is not (readers rely on it); the row group ends instead.
 */
#ifndef RWL_PARQUET_STITCH_H
#define RWL_PARQUET_STITCH_H

#include "parquet/file.h"
#include "parquet/writer.h"

typedef struct rwl_parquet_stitch rwl_parquet_stitch;

/* Rows of one input, in the order they are written. */
typedef struct rwl_parquet_stitch_part {
    rwl_parquet_file *file;  /* the stitcher takes a reference as long as it needs it */
    const rwl_range *ranges; /* physical rows to keep: ascending, disjoint. Borrowed by add alone */
    size_t range_count;
    void *ctx; /* the caller's, for `make` */
    /* A flag for each of the options' `made`: the file has that column whole, and its pages may be copied. `make` is
     * still asked for it where rows of other parts of the row group are made. NULL: none. Borrowed until the end. */
    const bool *from_file;
} rwl_parquet_stitch_part;

typedef struct rwl_parquet_stitch_options {
    /* Codec, row group and page sizes, key values, … as for a writer; `pool` is not used, and what is said of single columns
     * is so of made ones alone. */
    rwl_parquet_write_options write;
    /* Columns whose values the caller makes (lineage): indexes of top-level fields. `make` sets `out` (of the field's
     * type, emptied) to the values of physical rows [first, first + count) of `part`, all of them kept. */
    const int32_t *made;
    int32_t made_count;
    rwl_status (*make)(void *ctx, const rwl_parquet_stitch_part *part, int32_t field, int64_t first,
                       int64_t count, rwl_column *out, rwl_error *err);
    void *make_ctx;
    bool
        keeps_filters; /* a file does not fit that lacks bloom filters `write` asks for: none are made of copied pages */
} rwl_parquet_stitch_options;

typedef struct rwl_parquet_stitch_stats {
    int64_t pages_copied;  /* bodies byte for byte as in the input (the header may be new) */
    int64_t pages_recoded; /* recompressed or with new levels or indexes, values not decoded */
    int64_t pages_encoded; /* values decoded and encoded, and pages of made columns */
    int64_t bytes_copied, bytes_read;
} rwl_parquet_stitch_stats;

/*
 * Whether the rows of `file` can be stitched into a file of `fields`: each field that is not made comes from a column
 * of the file with its id (by name when the file has no ids), of the same type or one that promotes to it, or is absent
 * and then null (a required one without a column, a default, a struct without one of its fields, a shredded variant: no).
 * *why (static text or in `arena`) says what is in the way.
 */
bool rwl_parquet_stitch_fits(const rwl_parquet_file *file, const rwl_field *fields, int32_t count,
                             const rwl_parquet_stitch_options *options, rwl_arena *arena, const char **why);

/*
 * A column is best written REQUIRED when all files have it so: their pages have no levels then. `narrow` is a copy, in
 * `arena`, of fields, nested ones too, that are all required; each file widens it: a field that it lacks or has OPTIONAL is
 * as required as `fields` says, not at all where that is NULL.
 */
RWL_MUST_CHECK rwl_status rwl_parquet_stitch_narrow(const rwl_field *fields, int32_t count, rwl_arena *arena,
                                                    rwl_field **narrow, rwl_error *err);
void rwl_parquet_stitch_widen(rwl_field *narrow, const rwl_field *fields, int32_t count,
                              const rwl_parquet_file *file);

RWL_MUST_CHECK rwl_status rwl_parquet_stitch_open(rwl_store *store, rwl_op *op, const char *location,
                                                  const rwl_field *fields, int32_t field_count,
                                                  const rwl_parquet_stitch_options *options,
                                                  rwl_parquet_stitch **out, rwl_error *err);
/* Adds the rows of a part. Pages are read and written here or at a later call, in bounded memory. */
RWL_MUST_CHECK rwl_status rwl_parquet_stitch_add(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part,
                                                 rwl_error *err);
int64_t rwl_parquet_stitch_size(
    const rwl_parquet_stitch *s); /* size of the file if finished now, estimated */
RWL_MUST_CHECK rwl_status rwl_parquet_stitch_finish(rwl_parquet_stitch *s, rwl_parquet_written *written,
                                                    rwl_parquet_stitch_stats *stats, rwl_error *err);
void rwl_parquet_stitch_abort(rwl_parquet_stitch *s); /* NULL is fine */

#endif
