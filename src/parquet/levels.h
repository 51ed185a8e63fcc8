/* SPDX-License-Identifier: Apache-2.0 */
/* Definition and repetition levels as bytes: decoding, comparing, counting and picking them, eight at a time. */
#ifndef RWL_PARQUET_LEVELS_H
#define RWL_PARQUET_LEVELS_H

#include "parquet/rle_decode.h"

/* Levels stay below: two of each group of the deepest schema. */
enum { RWL_PARQUET_LEVEL_MAX = 127, RWL_PARQUET_LEVELS_SLACK = 8 /* readable bytes behind levels */ };

/* Exactly `count` levels from a decoder of the width that `max` needs; CORRUPT for one above `max`. */
RWL_MUST_CHECK rwl_status rwl_parquet_levels_read(rwl_rle *rle, int max, uint8_t *out, size_t count,
                                                  rwl_error *err);
/* How many are at least `least`. */
size_t rwl_parquet_levels_count_from(const uint8_t *levels, size_t count, int least);
/* The index of the n-th zero (from 0), or `count` when there are no more than n. */
size_t rwl_parquet_levels_find_zero(const uint8_t *levels, size_t count, size_t n);

/* Of leaves in one list: whether each entry of repetition level 1, and the one before it (`before` is that before the
 * first), reaches the definition level `least`. `count` is not 0. */
bool rwl_parquet_levels_continue(const uint8_t *definitions, const uint8_t *repetitions, size_t count,
                                 int least, uint8_t before);

/* Which entries have a slot in a column, and which of the slots hold a value. */
typedef struct rwl_parquet_pick {
    int slot_definition;  /* a slot: a definition level of at least this … */
    int slot_repetition;  /* … and a repetition level of at most this */
    int value_definition; /* a value: a definition level of at least this, not below slot_definition */
} rwl_parquet_pick;

/* The slots among `count` entries, as bits of `bits` (room for count + 64) that say which hold a value; *valid says how
 * many do. `repetitions` NULL: all are 0. Returns the number of slots. */
size_t rwl_parquet_levels_pick(const uint8_t *definitions, const uint8_t *repetitions, size_t count,
                               const rwl_parquet_pick *pick, uint64_t *bits, size_t *valid);

#endif
