/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pages of one leaf column give for the rows of a step: values and levels, appended page after page.
 *
 * Values are as stored, in slots: of the entries that are visible, in order. Entries that are null have a slot with any value (of
 * BYTES an empty one). Levels are one an entry. Definition levels count every layer, outward from the item: an item layer has one
 * (null), a list layer two (null, empty); 0 is valid. Repetition levels: 0 the next item of the innermost list, k the start of a
 * list at depth k from the inside. A leaf without lists has an entry and a slot a row, or in fixed-size lists of structs so many a row.
 *
 *   list<int32?>?   rows [1, null], [], null, [2]      layers item?/list?0      max_visible 1
 *     entries  rep 1 0 1 1 1 · def 0 1 3 2 0           slots  1 · 2
 */
#ifndef RWL_LANCEFILE_LEAF_H
#define RWL_LANCEFILE_LEAF_H

#include "base/int128.h"
#include "column/batch.h"
#include "lancefile/charge.h"
#include "lancefile/encoding.h"

typedef struct rwl_lance_levels {
    uint16_t *items;
    int64_t count, cap;
} rwl_lance_levels;

/* Which elements of a VECTOR's slots are null. */
typedef struct rwl_lance_item_validity {
    rwl_buffer bits; /* one an element, 1 valid; meaningful while has_nulls */
    bool has_nulls;
} rwl_lance_item_validity;

typedef struct rwl_lance_leaf {
    const rwl_env *env;
    rwl_lance_charge *charge;   /* of values; NULL: not charged */
    const rwl_lance_node *node; /* FIXED, BYTES, VECTOR, PACKED, NULL, or a STRUCT without fields */
    int32_t layer_count; /* that every page has to have: the item, and each struct and list around it */
    int32_t list_count;  /* of them */
    /* Entries a row: 1, or so many structs as the fixed-size lists around have; then there are no lists. */
    int64_t per_row;
    /* Of a slot: FIXED's bits, the product of a VECTOR's, the sum of a PACKED's; 0: BYTES, and a PACKED of variable length
     * (packed_rows.h). */
    int64_t width_bits;
    /* Variable length: a BINARY column without nulls. Else values.data holds `slots` values of width_bits side by side (single bits least
     * significant first; its own length is not kept). */
    rwl_column values;
    int64_t slots;
    int64_t bytes_max; /* of variable-length slots stored as less, in one step; 0: what a column can hold */
    /* VECTOR: by level, 0 the elements of slots, 1 the elements of these. */
    rwl_lance_item_validity item_validity[RWL_LANCE_VECTOR_DEPTH_MAX];
    int64_t entries, rows;
    rwl_lance_levels rep; /* count is `entries`, or 0 without lists */
    rwl_lance_levels def; /* count is `entries`, or 0 while all are valid */
} rwl_lance_leaf;

/* `layer_count`, `list_count` and `per_row` follow from the node's parents. UNSUPPORTED: fixed-size lists of structs in lists, or
 * around them. To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_init(rwl_lance_leaf *leaf, const rwl_env *env,
                                              const rwl_lance_node *node, rwl_error *err);
/* Slots are of variable length although the node's bits are told: of packed structs with vectors (packed_rows.h). */
void rwl_lance_leaf_use_rows(rwl_lance_leaf *leaf);
void rwl_lance_leaf_clear(rwl_lance_leaf *leaf);
void rwl_lance_leaf_reset(rwl_lance_leaf *leaf); /* no rows, keeps buffers */

/* Of a column with so many rows; -1 for more than can be. */
static inline int64_t rwl_lance_leaf_entries(const rwl_lance_leaf *leaf, int64_t rows) {
    int64_t entries;
    return rwl_i64_mul(rows, leaf->per_row, &entries) ? entries : -1;
}

/* Whether slots are of variable length. */
static inline bool rwl_lance_leaf_is_bytes(const rwl_lance_leaf *leaf) {
    return leaf->width_bits == 0 && leaf->node->form != RWL_LANCE_NULL;
}

/* --- values, for pages (leaf_values.c) --- */

/* Room for `more` slots behind leaf->slots and RWL_LANCE_PACK values (of 16 bytes at most) beyond them; *out is where they begin, NULL
 * for single bits that do not begin a byte and for BYTES. What is written there counts once leaf->slots does. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_reserve(rwl_lance_leaf *leaf, int64_t more, uint8_t **out,
                                                 rwl_error *err);
/* Room for `slots` more values of variable length, and `bytes` of them, behind those that there are: where all of them grow. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_reserve_bytes(rwl_lance_leaf *leaf, int64_t slots, size_t bytes,
                                                       rwl_error *err);
/* Appends slots [from, from + count) of `values`, which are of width_bits each. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_add_fixed(rwl_lance_leaf *leaf, const uint8_t *values, int64_t from,
                                                   int64_t count, rwl_error *err);
/* Appends slots [from, from + count) of a BINARY or STRING column; UNSUPPORTED beyond RWL_COLUMN_BYTES_MAX. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_add_bytes(rwl_lance_leaf *leaf, const rwl_column *values,
                                                   int64_t from, int64_t count, rwl_error *err);
/* UNSUPPORTED when so many bytes more pass bytes_max: to be asked before values become more than what was read for them. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_check_bytes(const rwl_lance_leaf *leaf, size_t more, rwl_error *err);
/* Appends `count` times the same slot: width_bits of `value` (CORRUPT when it has fewer), or for BYTES the span; data NULL: zeros, or
 * empty. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_add_same(rwl_lance_leaf *leaf, rwl_span value, int64_t count,
                                                  rwl_error *err);
/* Appends the validity of the elements at a level (0 those of the slots) of the last `slots` slots, already added: bits from `from`
 * on; NULL: all valid, which add_fixed and add_same took them to be. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_add_item_validity(rwl_lance_leaf *leaf, int level,
                                                           const uint8_t *bits, int64_t from, int64_t slots,
                                                           rwl_error *err);
/* Bits of the elements at a level; NULL while all are valid. */
static inline const uint8_t *rwl_lance_leaf_item_validity(const rwl_lance_leaf *leaf, int level) {
    return leaf->item_validity[level].has_nulls ? leaf->item_validity[level].bits.data : NULL;
}
/* Elements of a slot of a VECTOR at a level; 0 when it has no such level. */
int64_t rwl_lance_leaf_items(const rwl_lance_leaf *leaf, int level);

/* --- levels, for pages (leaf.c) --- */

/* Appends `count` entries, with the page's own levels (mapped here; NULL: none, every entry a row) and counts `rows`. CORRUPT for a
 * level that the page's layers do not have. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_add_entries(rwl_lance_leaf *leaf, const rwl_lance_level_map *map,
                                                     const uint16_t *rep, const uint16_t *def, int64_t count,
                                                     int64_t rows, rwl_error *err);
/* CORRUPT when the page's layers are not as many, or lists where the schema has none. */
RWL_MUST_CHECK rwl_status rwl_lance_leaf_check_layers(const rwl_lance_leaf *leaf,
                                                      const rwl_lance_layout *layout, rwl_error *err);

#endif
