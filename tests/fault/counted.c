/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts. */
#include "counted.h"

#include <malloc.h>
#include <stdlib.h>

int64_t counted_live, counted_peak;

static void count(void *block, int sign) {
    counted_live += sign * (int64_t)malloc_usable_size(block);
    counted_peak = counted_live > counted_peak ? counted_live : counted_peak;
}

static void *counting_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    count(old, -1);
    if (size == 0) {
        free(old);
        return NULL;
    }
    void *block = realloc(old, size);
    count(block != NULL ? block : old, 1);
    return block;
}

static void *counting_aligned(void *ctx, size_t alignment, size_t size) {
    (void)ctx;
    void *block = NULL;
    if (posix_memalign(&block, alignment, size) != 0)
        return NULL;
    count(block, 1);
    return block;
}

static void counting_free(void *ctx, void *block) {
    (void)ctx;
    count(block, -1);
    free(block);
}

void counted_env_init(rwl_env *env) {
    rwl_env_init_default(env);
    env->realloc = counting_realloc;
    env->alloc_aligned = counting_aligned;
    env->free_aligned = counting_free;
    counted_live = counted_peak = 0;
}
