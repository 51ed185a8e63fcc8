/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the sorter gives to what, and what it takes in all. */
#include "engine/sorter_internal.h"

#include "base/int128.h"

#define KIB ((int64_t)1024)
#define MIB (1024 * KIB)

int64_t rwl_sorter_chunk_size(int64_t memory) {
    return rwl_sorter_clamp(memory / 16, 64 * KIB, 32 * MIB);
}

int64_t rwl_sorter_block_size(int64_t memory) {
    return rwl_sorter_clamp(memory / 512, 16 * KIB, 512 * KIB);
}

int64_t rwl_sorter_batch_size(int64_t memory) {
    return rwl_sorter_clamp(memory / 16, 64 * KIB, 16 * MIB);
}

/* A chunk, two blocks to merge and a batch, each with buffers of 64 bytes at least for a column. */
int64_t rwl_sorter_least_memory(int32_t columns) {
    return 2 * MIB + 32 * KIB * columns;
}

rwl_status rwl_sorter_share(int64_t budget, int64_t share, int32_t columns, int64_t *memory, rwl_error *err) {
    int64_t least = rwl_sorter_least_memory(columns);
    if (budget > 0 && least > budget / 2)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "a memory budget of %lld MB is too small: sorting needs %lld MB",
                        (long long)(budget >> 20), (long long)(2 * least >> 20) + 1);
    *memory = budget == 0 ? 0 : share < least ? least : share;
    return RWL_OK;
}

int64_t rwl_sorter_row_bytes(const rwl_field *fields, int32_t field_count) {
    int64_t bytes = RWL_SORTER_LINEAGE_COLUMNS * (int64_t)sizeof(int64_t);
    for (int32_t i = 0; i < field_count; i++) {
        const rwl_type *type = &fields[i].type;
        bool has_width = !rwl_type_is_bytes(type) && !rwl_type_is_nested(type);
        bytes += has_width ? rwl_type_width(type) : (int64_t)sizeof(int32_t);
    }
    return bytes;
}

/* A merge pass writes all rows once more, beside the file it reads. */
int64_t rwl_sorter_disk_bytes(int64_t bytes, int64_t memory) {
    if (memory == 0 || bytes <= memory / 4 * 3)
        return 0;
    bool in_one_pass = bytes / rwl_sorter_chunk_size(memory) < memory / 2 / rwl_sorter_block_size(memory);
    int64_t twice;
    return in_one_pass ? bytes : rwl_i64_mul(bytes, 2, &twice) ? twice : INT64_MAX;
}
