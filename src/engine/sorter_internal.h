/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the external sort, shared by the sorter*.c files and their tests. */
#ifndef RWL_ENGINE_SORTER_INTERNAL_H
#define RWL_ENGINE_SORTER_INTERNAL_H

#include "base/vec.h"
#include "column/extract.h"
#include "column/sort.h"
#include "engine/sorter.h"

/* --- keys (sorter_key.c) --- */

/* What makes keys of rows. */
typedef struct rwl_sorter_key {
    const rwl_env *env;
    const rwl_sort_order *order;
    rwl_field_path *sources; /* of each sort field, in the batch */
    rwl_column *transformed; /* result of each sort field's transform */
    rwl_column *nulls;       /* of sources in structs: which of their rows are null */
    rwl_column *columns;     /* the columns keys are made of: borrowed from the batch or from `transformed` */
    rwl_sort_key *by;
    bool is_short; /* prefixes are whole keys */
} rwl_sorter_key;

/* Keys of the rows of a batch. Zero-initialised is empty. */
typedef struct rwl_sorter_keys {
    rwl_sort_keys view;
    rwl_buf bytes;
    RWL_VEC(uint64_t) ends;
    RWL_VEC(rwl_sort_prefix) prefixes;
} rwl_sorter_keys;

/* A key by itself. */
typedef struct rwl_sorter_mark {
    bool set;
    rwl_sort_keys view; /* of one row */
    rwl_buf bytes;
    uint64_t end;
    rwl_sort_prefix prefix;
} rwl_sorter_mark;

RWL_MUST_CHECK rwl_status rwl_sorter_key_init(rwl_sorter_key *key, rwl_arena *arena, const rwl_env *env,
                                              const rwl_field *fields, int32_t field_count,
                                              const rwl_sort_order *order, rwl_error *err);
void rwl_sorter_key_clear(rwl_sorter_key *key);
RWL_MUST_CHECK rwl_status rwl_sorter_keys_make(rwl_sorter_key *key, const rwl_batch *batch,
                                               rwl_sorter_keys *keys, rwl_error *err);
void rwl_sorter_keys_clear(rwl_sorter_keys *keys, const rwl_env *env);
int64_t rwl_sorter_keys_bytes(const rwl_sorter_keys *keys); /* held */
/* What the keys of these rows will take, about. */
int64_t rwl_sorter_key_estimate(const rwl_sorter_key *key, const rwl_batch *batch);
RWL_MUST_CHECK rwl_status rwl_sorter_mark_set(rwl_sorter_mark *mark, const rwl_env *env,
                                              const rwl_sorter_keys *keys, int64_t row, rwl_error *err);
void rwl_sorter_mark_clear(rwl_sorter_mark *mark);

/* --- runs (sorter_run.c) --- */

/* Rows in order: blocks in the spill file, back to back, then those in memory. */
typedef struct rwl_sorter_run {
    int64_t rows;
    int64_t file_off, file_end;
    RWL_VEC(rwl_batch) blocks;
    size_t first_block;  /* those before are spilled, or were taken by the merge */
    int64_t block_bytes; /* the largest block's, its keys counted */
} rwl_sorter_run;

void rwl_sorter_run_clear(rwl_sorter_run *run, const rwl_env *env);
static inline bool rwl_sorter_run_in_memory(const rwl_sorter_run *run) {
    return run->first_block < run->blocks.len;
}
/* Bytes of values and offsets of the rows; bits count as bytes, so that the bytes of two parts are those of both. */
int64_t rwl_sorter_measure(const rwl_batch *batch, int64_t first, int64_t count);
/* No row of the batch measures more. */
int64_t rwl_sorter_row_most(const rwl_batch *batch);
/* Memory of a block, and of a column in it beside the values: itself, and what allocating three buffers takes. */
int64_t rwl_sorter_block_bytes(const rwl_batch *block);
enum { RWL_SORTER_COLUMN_BYTES = sizeof(rwl_column) + 3 * 32 };
/* Writes a block behind what is in the file, and reads it back; *off moves to its end. */
RWL_MUST_CHECK rwl_status rwl_sorter_block_write(rwl_spill *spill, const rwl_batch *block, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_sorter_block_read(rwl_spill *spill, int64_t *off, rwl_batch *block,
                                                rwl_error *err);

/* --- gathering (sorter_gather.c) --- */

/* Where an output row lies. */
typedef struct rwl_sorter_place {
    int32_t slot, row;
} rwl_sorter_place;

/* A block that is being merged. */
typedef struct rwl_sorter_slot {
    rwl_batch batch;
    rwl_sorter_keys keys;
    int64_t bytes;        /* held */
    int32_t first, taken; /* rows before `first` were given; those up to `taken` are in the places */
    bool from_memory;     /* not kept for another block */
} rwl_sorter_slot;

/* Buffers of one column in a slot. */
typedef struct rwl_sorter_source {
    const uint8_t *values;
    const int32_t *offsets;
    const uint8_t *validity; /* NULL: no nulls */
} rwl_sorter_source;

typedef struct rwl_sorter_gather {
    const rwl_env *env;
    RWL_VEC(rwl_sorter_place) places;
    RWL_VEC(rwl_sorter_source) sources; /* of the slots, for the column being gathered */
    RWL_VEC(int32_t) rows;              /* of nested columns: the places in `joined` */
} rwl_sorter_gather;

void rwl_sorter_gather_clear(rwl_sorter_gather *g);
/* Appends the rows at the places to `out`. */
RWL_MUST_CHECK rwl_status rwl_sorter_gather_rows(rwl_sorter_gather *g, const rwl_sorter_slot *slots,
                                                 int32_t slot_count, rwl_batch *out, rwl_error *err);

/* --- merging (sorter_merge.c) --- */

typedef struct rwl_sorter_merge rwl_sorter_merge;

/* Merges runs, whose blocks in memory it takes; all borrowed. `spent_bytes` of blocks wait for their rows to be
 * gathered. */
RWL_MUST_CHECK rwl_status rwl_sorter_merge_open(rwl_op *op, const rwl_field *fields, int32_t field_count,
                                                rwl_sorter_key *key, rwl_sorter_run *runs, size_t run_count,
                                                rwl_spill *spill, int64_t spent_bytes, rwl_sorter_merge **out,
                                                rwl_error *err);
void rwl_sorter_merge_close(rwl_sorter_merge *merge); /* NULL is fine */
/* Appends at most `max_rows` next rows to the empty batch `out`, of about `max_bytes`, at least one; none at the end. */
RWL_MUST_CHECK rwl_status rwl_sorter_merge_next(rwl_sorter_merge *merge, int64_t max_rows, int64_t max_bytes,
                                                rwl_batch *out, rwl_error *err);
/* Held beyond what the blocks in memory held when it was opened; 0 for NULL. */
int64_t rwl_sorter_merge_bytes(const rwl_sorter_merge *merge);
int64_t rwl_sorter_merge_taken(const rwl_sorter_merge *merge); /* bytes of blocks taken from memory */

/* --- the sorter itself --- */

enum { RWL_SORTER_CHUNK_ROWS = 65536, RWL_SORTER_BLOCK_ROWS = 4096, RWL_SORTER_LINEAGE_COLUMNS = 2 };
#define RWL_SORTER_NO_LIMIT (INT64_MAX / 4) /* of memory */

struct rwl_sorter {
    rwl_op *op;
    rwl_arena arena;
    const rwl_field *given; /* the caller's fields */
    int32_t given_count;
    rwl_field *fields; /* and behind them, when rows have them, those of lineage */
    int32_t field_count;
    rwl_sorter_key key;
    rwl_sorter_options options;
    int64_t chunk_bytes, chunk_rows, block_bytes;
    int64_t row_bytes;  /* no row takes less */
    bool open;          /* the first rows have come: it is known whether they have lineage */
    rwl_batch pending;  /* rows of the next chunk */
    rwl_batch incoming; /* columns of rows being added, borrowed but for lineage */
    rwl_column ids, versions;
    rwl_sorter_keys keys; /* of the chunk being sorted */
    RWL_VEC(int32_t) order;
    RWL_VEC(rwl_sorter_run) runs;
    size_t first_in_memory; /* runs before it are in the file alone */
    rwl_sorter_mark last;   /* key of the last row of the last run */
    rwl_sorter_mark bound;  /* with a limit: rows from this key on are not wanted */
    rwl_spill *spill;       /* NULL before it is needed */
    int64_t spilled;        /* in files before this one */
    int64_t rows, block_memory, reserved, given_rows;
    rwl_sorter_merge *merge; /* once finished */
    rwl_batch out;           /* with lineage as columns */
};

/* --- sizes (sorter_figures.c): bytes of each, of so much memory --- */

int64_t rwl_sorter_chunk_size(int64_t memory);
int64_t rwl_sorter_block_size(int64_t memory);
int64_t rwl_sorter_batch_size(int64_t memory); /* of rows given at once */
static inline int64_t rwl_sorter_clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* --- memory (sorter_memory.c) --- */

int64_t rwl_sorter_collecting_bytes(const rwl_sorter *s); /* held beside blocks */
/* Brings what the operation's budget knows to what is held, `more` counted. */
RWL_MUST_CHECK rwl_status rwl_sorter_account(rwl_sorter *s, int64_t more, rwl_error *err);
/* Spills the oldest blocks until those left, with `more`, are within the budget, as far as there are any. */
RWL_MUST_CHECK rwl_status rwl_sorter_make_room(rwl_sorter *s, int64_t more, rwl_error *err);
/* Puts a block behind a run's, and takes it. */
RWL_MUST_CHECK rwl_status rwl_sorter_push_block(rwl_sorter *s, rwl_sorter_run *run, rwl_batch *block,
                                                rwl_error *err);
/* With a limit: when twice as many rows are there, those behind it are dropped. */
RWL_MUST_CHECK rwl_status rwl_sorter_compact(rwl_sorter *s, rwl_error *err);
/* Merges runs until a block of each that is left fits. */
RWL_MUST_CHECK rwl_status rwl_sorter_fit_memory(rwl_sorter *s, rwl_error *err);

#endif
