/* SPDX-License-Identifier: Apache-2.0 */
/* What the levels of one leaf tell of a node: how many instances it has, which are null, where its lists end (assemble.h has the rules). */
#ifndef RWL_LANCEFILE_ASSEMBLE_INTERNAL_H
#define RWL_LANCEFILE_ASSEMBLE_INTERNAL_H

#include "lancefile/assemble.h"

/* What lies around a node: definition levels (an item one, a list two), lists, and the levels from the innermost list on outward. */
typedef struct rwl_lance_place {
    int32_t outer, lists, list_outer;
    int64_t per_row; /* of fixed-size lists around */
    int depth;
} rwl_lance_place;

/* The levels of a leaf as a node at or above it has them. Borrowed from the leaf. */
typedef struct rwl_lance_level_view {
    const uint16_t *rep, *def; /* NULL: all 0 */
    int64_t entries;           /* of which the leaf may have `stride` each, the first of which counts */
    int64_t stride;
    int32_t start; /* least rep that begins an instance */
    int32_t top;   /* greatest def of an instance */
    bool is_all;   /* there are no lists, so that every entry is one */
    int32_t inner; /* definition levels inside of the node, when it is an item */
} rwl_lance_level_view;

/* INTERNAL when the leaf does not lie below such a place, or has not a level an entry. */
RWL_MUST_CHECK rwl_status rwl_lance_levels_look(const rwl_lance_leaf *leaf, rwl_lance_place at,
                                                rwl_lance_level_view *out, rwl_error *err);
/* CORRUPT unless there are so many instances. */
RWL_MUST_CHECK rwl_status rwl_lance_levels_check(const rwl_lance_level_view *v, int64_t count,
                                                 rwl_error *err);
/* Into `bits`: an instance is valid when its def is at most `limit`. *out is NULL when all of them are. */
RWL_MUST_CHECK rwl_status rwl_lance_levels_validity(rwl_buf *bits, const rwl_lance_level_view *v,
                                                    int64_t count, int32_t limit, const uint8_t **out,
                                                    int64_t *nulls, rwl_error *err);
/* CORRUPT unless two leaves of one struct tell the same of it. */
RWL_MUST_CHECK rwl_status rwl_lance_levels_check_alike(const rwl_lance_level_view *a,
                                                       const rwl_lance_level_view *b, rwl_error *err);
/* CORRUPT unless the entries of each fixed-size list of structs tell the same of it. */
RWL_MUST_CHECK rwl_status rwl_lance_levels_check_groups(const rwl_lance_level_view *v, rwl_error *err);
/* Fills offsets and validity bits of lists (of count + 1 and count, and 8 bytes more); false for an item outside of a list, or in one
 * that is null or empty. `inner`: levels inside of the list, then null, then empty. */
bool rwl_lance_levels_walk_list(const rwl_lance_level_view *v, int32_t inner, int32_t *offsets,
                                uint8_t *bits);

#endif
