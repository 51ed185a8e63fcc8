/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hidden columns of data files that hold a fragment's row ids and versions (spilled lineage).
 *
 * The carrier of a spilled sequence is the one file of the fragment whose `fields` hold -3, -4 or -5; the entry of column_indices at
 * the same place says which column. Each breach is CORRUPT by a sentence of its own naming fragment and sequence, never a default:
 * no carrier; more than one; column index -1, missing, or not below the file's columns; the file's own type of that column is not
 * uint64, or its own name not the sequence's (Lance 14 notices neither, and takes other numbers for ids); nulls; another number of values
 * than physical rows; a marker beside a v1 file; markers without feature flag 2048.
 */
#ifndef RWL_LANCE_CARRIER_H
#define RWL_LANCE_CARRIER_H

#include "base/vec.h"
#include "column/runs.h"
#include "lance/fragment_files.h"
#include "lancefile/reader.h"
#include "table/driver.h"

/* A file that carries spilled sequences. */
typedef struct rwl_lance_carrier {
    int32_t file_index; /* among the fragment's */
    rwl_lancefile *file;
    rwl_lance_node nodes[RWL_LANCE_SEQUENCES];
    rwl_lance_source sources[RWL_LANCE_SEQUENCES];
    int32_t sequences[RWL_LANCE_SEQUENCES]; /* by slot */
    int32_t count;
    rwl_lance_reader *reader;
    rwl_batch batch;
} rwl_lance_carrier;

/* Those of one fragment. */
typedef struct rwl_lance_carriers {
    rwl_lance_fragment_files *files; /* borrowed; carriers among them are opened */
    rwl_lance_carrier items[RWL_LANCE_SEQUENCES];
    int32_t count;
    RWL_VEC(rwl_range) ranges; /* still to be read */
} rwl_lance_carriers;

/* The file of a spilled sequence, as an index among the fragment's, and its column; the manifest's part of the rules above. */
RWL_MUST_CHECK rwl_status rwl_lance_carrier_find(const rwl_lance_dataset *dataset,
                                                 const rwl_lance_fragment *fragment, rwl_lance_sequence s,
                                                 int32_t *file, int32_t *column, rwl_error *err);

void rwl_lance_carriers_init(rwl_lance_carriers *carriers, rwl_lance_fragment_files *files);
void rwl_lance_carriers_clear(rwl_lance_carriers *carriers);
/* Takes a spilled sequence in, all rules checked, no values read. */
RWL_MUST_CHECK rwl_status rwl_lance_carriers_add(rwl_lance_carriers *carriers, rwl_lance_sequence s,
                                                 rwl_error *err);
/* Appends all sequences taken in, of the physical rows of `ranges`, to those of `rows`. */
RWL_MUST_CHECK rwl_status rwl_lance_carriers_read(rwl_lance_carriers *carriers, const rwl_range *ranges,
                                                  size_t count, rwl_rows *rows, rwl_error *err);
/* Of values; not of what opening the files has read. */
void rwl_lance_carriers_add_stats(const rwl_lance_carriers *carriers, rwl_read_stats *to);

/* --- of any sequence --- */

const char *rwl_lance_sequence_subject(rwl_lance_sequence s); /* "row ids", for messages */
/* Puts fragment and sequence before a failure; RWL_OK stays. */
rwl_status rwl_lance_in_sequence(const rwl_lance_fragment *fragment, rwl_lance_sequence s, rwl_status st,
                                 rwl_error *err);
/* Where it goes in a batch of rows. */
rwl_runs *rwl_lance_sequence_runs(rwl_rows *rows, rwl_lance_sequence s);

#endif
