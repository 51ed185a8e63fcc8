/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays of plain items: RWL_VEC(T) declares one, the macros below work on any. */
#ifndef RWL_BASE_VEC_H
#define RWL_BASE_VEC_H

#include "base/env.h"

/* A growing array of T; zero-initialised is empty. Items are plain data, moved by memcpy. */
#define RWL_VEC(T)                                                                                           \
    struct {                                                                                                 \
        T *items;                                                                                            \
        size_t len, cap;                                                                                     \
    }

/* Room for `more` items; keeps the old block on failure. */
RWL_MUST_CHECK rwl_status rwl_vec_grow(const rwl_env *env, void **items, size_t *cap, size_t len, size_t more,
                                       size_t item_size, rwl_error *err);

#define rwl_vec_reserve(vec, env, more, err)                                                                 \
    rwl_vec_grow((env), (void **)&(vec)->items, &(vec)->cap, (vec)->len, (more), sizeof *(vec)->items, (err))

/* Appends a copy of `value`; the status says whether there was room. */
#define rwl_vec_push(vec, env, value, err)                                                                   \
    (rwl_vec_reserve(vec, env, 1, err) == RWL_OK                                                             \
         ? ((vec)->items[(vec)->len++] = (value), (rwl_status)RWL_OK)                                        \
         : (rwl_status)RWL_NO_MEMORY)

#define rwl_vec_clear(vec, env)                                                                              \
    do {                                                                                                     \
        rwl_free((env), (vec)->items);                                                                       \
        (vec)->items = NULL;                                                                                 \
        (vec)->len = (vec)->cap = 0;                                                                         \
    } while (0)

#endif
