/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An inline lineage sequence, read as it goes: from memory, or from the manifest file through a window.
 *
 *   row ids     RowIdSequence               := 1 segment*          segment := U64Segment (lineage/segment.h)
 *   versions    RowDatasetVersionSequence   := 1 run*              run     := 1 span U64Segment, 2 version u64
 *
 * Of a span only the number of values counts: after a compaction its values mean nothing. The window is as long as the longest
 * segment, and no shorter than RWL_LANCE_VALUES_WINDOW while there is as much to read; it is charged to the operation's budget.
 */
#ifndef RWL_LANCE_SEQUENCE_H
#define RWL_LANCE_SEQUENCE_H

#include "lance/manifest.h"
#include "lineage/segment.h"

enum { RWL_LANCE_VALUES_WINDOW = 256 * 1024 };

typedef struct rwl_lance_values {
    rwl_op *op;
    rwl_file *file; /* borrowed; NULL: `data` is borrowed and holds everything */
    int64_t offset; /* in the file, of the first byte that is not in the window */
    int64_t left;   /* bytes from there on */
    uint8_t *window;
    const uint8_t *data; /* window, or memory */
    size_t pos, len, cap;
    bool is_versions;
    rwl_segment segment; /* row ids: the one at hand, and where in it */
    rwl_segment_place place;
    int64_t version; /* versions: of the run at hand */
    int64_t rest;    /* values of it that are left */
    int64_t row;     /* values given or passed so far */
    int64_t bytes_read, requests;
} rwl_lance_values;

/* Starts at the first value of an inline arm. `file`: the manifest's, needed when the arm was left in it. Nothing is read yet. */
void rwl_lance_values_init(rwl_lance_values *values, rwl_op *op, const rwl_lance_arm *arm, bool is_versions,
                           rwl_file *file);
void rwl_lance_values_clear(rwl_lance_values *values);
/* Appends the next `count` values to `out` (row ids step 1, versions step 0). CORRUPT when there are fewer. */
RWL_MUST_CHECK rwl_status rwl_lance_values_read(rwl_lance_values *values, int64_t count, rwl_runs *out,
                                                rwl_error *err);
/* Passes them. */
RWL_MUST_CHECK rwl_status rwl_lance_values_skip(rwl_lance_values *values, int64_t count, rwl_error *err);
/* Of row ids: goes on to row `row` and gives the segment that holds it, valid until the next call, and its first row; *out NULL
 * behind the last one. */
RWL_MUST_CHECK rwl_status rwl_lance_values_segment(rwl_lance_values *values, int64_t row,
                                                   const rwl_segment **out, int64_t *first, rwl_error *err);
/* CORRUPT when there are more values. */
RWL_MUST_CHECK rwl_status rwl_lance_values_finish(rwl_lance_values *values, rwl_error *err);
/* The next segment, or the span and version of the next run, whole; *more false at the end. What is left of the one at hand is lost. */
RWL_MUST_CHECK rwl_status rwl_lance_values_next(rwl_lance_values *values, bool *more, rwl_error *err);

#endif
