/* SPDX-License-Identifier: Apache-2.0 */
/* An arena: many small blocks that live and die with one parsed document. */
#ifndef RWL_BASE_ARENA_H
#define RWL_BASE_ARENA_H

#include "base/env.h"

typedef struct rwl_arena_block rwl_arena_block;

typedef struct rwl_arena {
    const rwl_env *env;
    rwl_arena_block *head;
    size_t used;    /* bytes handed out */
    size_t max;     /* limit of `used`; 0 for none */
    rwl_op *op;     /* whose budget its blocks take; NULL: none */
    size_t refused; /* bytes that the budget had no room for */
} rwl_arena;

void rwl_arena_init(rwl_arena *arena, const rwl_env *env, size_t max);
/* Charges blocks to an operation, which is to outlive the arena; before anything is allocated. */
void rwl_arena_charge(rwl_arena *arena, rwl_op *op);
/* The status of what was put into the arena: NO_MEMORY because of the budget becomes UNSUPPORTED naming `what` and the figure. */
rwl_status rwl_arena_refused(const rwl_arena *arena, rwl_status st, const char *what, rwl_error *err);
void rwl_arena_clear(rwl_arena *arena); /* frees everything */
void rwl_arena_reset(rwl_arena *arena); /* forgets everything, keeps the first block */
/* 16-byte aligned, zeroed; NULL when over the limit or out of memory. Size 0 gives a valid pointer. */
void *rwl_arena_alloc(rwl_arena *arena, size_t size);
void *rwl_arena_array(rwl_arena *arena, size_t count, size_t size); /* checked product */
void *rwl_arena_copy(rwl_arena *arena, const void *data, size_t len);
char *rwl_arena_strdup(rwl_arena *arena, const char *text);
char *rwl_arena_strndup(rwl_arena *arena, const char *text, size_t len);
char *rwl_arena_printf(rwl_arena *arena, const char *fmt, ...) RWL_PRINTF(2, 3);

#endif
