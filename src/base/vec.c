/* SPDX-License-Identifier: Apache-2.0 */
/* Growing an array of any item. */
#include "base/vec.h"

#include <string.h>

rwl_status rwl_vec_grow(const rwl_env *env, void **items, size_t *cap, size_t len, size_t more,
                        size_t item_size, rwl_error *err) {
    size_t need, size;
    if (__builtin_add_overflow(len, more, &need))
        return rwl_no_memory(err, SIZE_MAX);
    if (need <= *cap)
        return RWL_OK;
    size_t new_cap = *cap + *cap / 2;
    if (new_cap < need)
        new_cap = need;
    if (new_cap < 8)
        new_cap = 8;
    if (__builtin_mul_overflow(new_cap, item_size, &size))
        return rwl_no_memory(err, SIZE_MAX);
    void *block; /* copied, not read through void **: the caller's pointer has another type */
    memcpy(&block, items, sizeof block);
    block = rwl_realloc(env, block, size);
    if (!block)
        return rwl_no_memory(err, size);
    memcpy(items, &block, sizeof block);
    *cap = new_cap;
    return RWL_OK;
}
