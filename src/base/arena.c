/* SPDX-License-Identifier: Apache-2.0 */
/* Arena blocks: a list, newest first, each twice as large as the one before up to a limit. */
#include "base/arena.h"

#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 16, FIRST_BLOCK = 1024, LARGEST_BLOCK = 256 * 1024 };

struct rwl_arena_block {
    rwl_arena_block *next;
    size_t size, used;
    _Alignas(ALIGNMENT) unsigned char data[];
};

void rwl_arena_init(rwl_arena *arena, const rwl_env *env, size_t max) {
    *arena = (rwl_arena){.env = env, .max = max};
}

void rwl_arena_charge(rwl_arena *arena, rwl_op *op) {
    arena->op = op;
}

rwl_status rwl_arena_refused(const rwl_arena *arena, rwl_status st, const char *what, rwl_error *err) {
    if (st != RWL_NO_MEMORY || arena->refused == 0)
        return st;
    return rwl_fail(err, RWL_UNSUPPORTED,
                    "%s needs %zu bytes beside %lld in use, more than the memory limit of %lld", what,
                    arena->refused, (long long)atomic_load(&arena->op->memory_used),
                    (long long)arena->op->memory_limit);
}

static void free_head(rwl_arena *arena) {
    rwl_arena_block *head = arena->head;
    arena->head = head->next;
    if (arena->op)
        rwl_op_release(arena->op, (int64_t)(sizeof *head + head->size));
    rwl_free(arena->env, head);
}

void rwl_arena_clear(rwl_arena *arena) {
    while (arena->head)
        free_head(arena);
    arena->used = 0;
    arena->refused = 0;
}

void rwl_arena_reset(rwl_arena *arena) {
    while (arena->head && arena->head->next)
        free_head(arena);
    if (arena->head)
        arena->head->used = 0;
    arena->used = 0;
    arena->refused = 0;
}

/* NULL also where the budget of an operation is too small, which is remembered. */
static rwl_arena_block *new_block(rwl_arena *arena, size_t size) {
    rwl_op *op = arena->op;
    size_t whole = sizeof(rwl_arena_block) + size;
    if (op &&
        rwl_op_reserve(op, whole < INT64_MAX ? (int64_t)whole : INT64_MAX, "an arena", NULL) != RWL_OK) {
        arena->refused = whole;
        return NULL;
    }
    rwl_arena_block *block = rwl_alloc(arena->env, whole);
    if (!block && op)
        rwl_op_release(op, (int64_t)whole);
    return block;
}

/* A block with room for `size`. A large one goes behind the head, whose free part stays in use. */
static rwl_arena_block *add_block(rwl_arena *arena, size_t size) {
    rwl_arena_block *head = arena->head;
    size_t want = head ? head->size * 2 : FIRST_BLOCK;
    if (want > LARGEST_BLOCK)
        want = LARGEST_BLOCK;
    bool behind = head && size > want / 2;
    if (size > want || behind)
        want = size;
    if (want > SIZE_MAX - sizeof *head)
        return NULL;
    rwl_arena_block *block = new_block(arena, want);
    if (!block)
        return NULL;
    block->size = want;
    block->used = 0;
    block->next = behind ? head->next : head;
    if (behind)
        head->next = block;
    else
        arena->head = block;
    return block;
}

/* As rwl_arena_alloc, its bytes as they were. */
static void *take(rwl_arena *arena, size_t size) {
    if (size > SIZE_MAX - ALIGNMENT)
        return NULL;
    size_t rounded = size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t used;
    if (__builtin_add_overflow(arena->used, rounded, &used) || (arena->max && used > arena->max))
        return NULL;
    rwl_arena_block *block = arena->head;
    if (!block || block->size - block->used < rounded)
        block = add_block(arena, rounded);
    if (!block)
        return NULL;
    void *out = block->data + block->used;
    block->used += rounded;
    arena->used = used;
    return out;
}

void *rwl_arena_alloc(rwl_arena *arena, size_t size) {
    void *out = take(arena, size);
    return out ? memset(out, 0, size) : NULL;
}

void *rwl_arena_array(rwl_arena *arena, size_t count, size_t size) {
    size_t total;
    return __builtin_mul_overflow(count, size, &total) ? NULL : rwl_arena_alloc(arena, total);
}

void *rwl_arena_copy(rwl_arena *arena, const void *data, size_t len) {
    void *out = rwl_arena_alloc(arena, len);
    if (out && len)
        memcpy(out, data, len);
    return out;
}

char *rwl_arena_strdup(rwl_arena *arena, const char *text) {
    return rwl_arena_strndup(arena, text, strlen(text));
}

char *rwl_arena_strndup(rwl_arena *arena, const char *text, size_t len) {
    if (len == SIZE_MAX)
        return NULL;
    char *out = rwl_arena_alloc(arena, len + 1);
    if (out && len)
        memcpy(out, text, len);
    return out;
}

char *rwl_arena_printf(rwl_arena *arena, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    rwl_arena_block *head = arena->head; /* most texts fit what is left of it, and are printed once */
    char *here = head ? (char *)head->data + head->used : NULL;
    int len = vsnprintf(here, head ? head->size - head->used : 0, fmt, args);
    char *out = len < 0 ? NULL : take(arena, (size_t)len + 1);
    if (out && out != here)
        vsnprintf(out, (size_t)len + 1, fmt, again);
    va_end(again);
    va_end(args);
    return out;
}
