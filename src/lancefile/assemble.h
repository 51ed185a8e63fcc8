/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The column of a field, put together from the values and levels of its leaves (file versions 2.1 and 2.2).
 *
 * At a node with d lists around it, a leaf below it with R lists and T definition levels has
 *
 *   an instance of the node   at each entry with rep >= R - d that no list around the node cuts off (def <= T - levels of
 *                             the innermost of these lists and of all outside of it)
 *   null                      where def is the node's own null level, or (a struct's child) one further out
 *   an element of a list      at each instance of the list's child; a null or empty list is one entry without
 *
 * so that every node is one pass over the entries of one leaf. Leaves of one struct have to tell the same of it, which is
 * checked.
 *
 * A fixed-size list of structs has no entries of its own: those of its structs, so many a list, tell all the same of it and of what
 * is around it, which is checked too. There are no other lists then. A struct without fields is an item without values.
 */
#ifndef RWL_LANCEFILE_ASSEMBLE_H
#define RWL_LANCEFILE_ASSEMBLE_H

#include "lancefile/leaf.h"

typedef struct rwl_lance_assembler {
    const rwl_env *env;
    rwl_buf validity, bytes; /* scratch: of the instances of one node; fields of a packed struct */
    rwl_buf bits, moved;     /* validity and values moved so that they begin a byte */
} rwl_lance_assembler;

void rwl_lance_assembler_init(rwl_lance_assembler *a, const rwl_env *env);
void rwl_lance_assembler_clear(rwl_lance_assembler *a);

/* Sets `out` (of the node's type, reset) to the `rows` rows of the leaves, by node index, NULL where a file has none: null. May take the
 * leaves' buffers. CORRUPT when leaves contradict each other or themselves. */
RWL_MUST_CHECK rwl_status rwl_lance_assemble(rwl_lance_assembler *a, const rwl_lance_node *node,
                                             rwl_lance_leaf *const *leaves, int64_t rows, rwl_column *out,
                                             rwl_error *err);

/* --- for assemble.c (assemble_slots.c) --- */

/* Sets `out` to the slots of a leaf, `nulls` of which have bit 0 in `validity` (NULL when none). */
RWL_MUST_CHECK rwl_status rwl_lance_assemble_slots(rwl_lance_assembler *a, rwl_lance_leaf *leaf,
                                                   const uint8_t *validity, int64_t nulls, rwl_column *out,
                                                   rwl_error *err);
#endif
