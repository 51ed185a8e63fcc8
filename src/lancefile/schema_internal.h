/* SPDX-License-Identifier: Apache-2.0 */
/* How one Lance logical type is stored and read: schema_type.c, for schema.c. */
#ifndef RWL_LANCEFILE_SCHEMA_INTERNAL_H
#define RWL_LANCEFILE_SCHEMA_INTERNAL_H

#include "lancefile/schema.h"

enum { RWL_LANCE_VALUE_BITS_MAX = 1 << 26 /* of a vector or packed struct: 8 MiB */ };

/* Fills form, bits, type and what else follows from the logical type alone, and a VECTOR's child. What has fields below it gets its
 * form only. What can't be read gets a refusal, form NULL and type unknown. NO_MEMORY. */
RWL_MUST_CHECK rwl_status rwl_lance_node_set_type(rwl_lance_node *node, const rwl_lance_field_def *def,
                                                  rwl_arena *arena, rwl_error *err);
/* Bits of a stored value of a FIXED or VECTOR node; 0 of others. */
int64_t rwl_lance_node_width(const rwl_lance_node *node);
/* Makes the node one that can't be read. NO_MEMORY. */
RWL_MUST_CHECK rwl_status rwl_lance_node_refuse(rwl_lance_node *node, rwl_arena *arena, rwl_error *err,
                                                const char *fmt, ...) RWL_PRINTF(4, 5);

#endif
