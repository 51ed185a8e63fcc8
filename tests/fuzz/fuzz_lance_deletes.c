/* SPDX-License-Identifier: Apache-2.0 */
/* Deletion files of Lance fragments, of both kinds: positions are below 2^32 and as many as counted. */
#include "counted.h"
#include "fuzz.h"
#include "lance/deletions.h"
#include "memory_store.h"

enum { BUDGET = 16 << 20, SLACK = 8 << 20, FACTOR = 64 };

static rwl_env env;

static int64_t walk(const rwl_bitmap *b) {
    int64_t at = 0, start, count, all = 0;
    while (rwl_bitmap_next_run(b, at, &start, &count)) {
        FUZZ_CHECK(start >= at && count > 0);
        FUZZ_CHECK(rwl_bitmap_contains(b, start) && rwl_bitmap_contains(b, start + count - 1));
        all += count;
        at = start + count;
    }
    FUZZ_CHECK(at <= (int64_t)UINT32_MAX + 1);
    FUZZ_CHECK(all == rwl_bitmap_count(b) && all == rwl_bitmap_count_range(b, 0, at));
    return all;
}

/* As the file of a fragment of so many rows, of which the manifest says how many are deleted. */
static rwl_status read_file(rwl_store *store, rwl_op *op, bool is_bitmap, int64_t rows, int64_t deleted) {
    const rwl_lance_manifest m = {.env = &env, .location = "d"};
    const rwl_lance_dataset d = {
        .env = &env, .store = store, .root = "d", .tree = "d", .manifest = (rwl_lance_manifest *)&m};
    const rwl_lance_fragment f = {.physical_rows = rows,
                                  .deletion = {.is_present = true,
                                               .is_bitmap = is_bitmap,
                                               .read_version = 1,
                                               .deleted_rows = deleted,
                                               .base_id = -1}};
    rwl_bitmap *b = NULL;
    rwl_error err = {0};
    rwl_status st = rwl_lance_deletions_read(&d, op, &f, &b, &err);
    FUZZ_CHECK(st == RWL_OK || (err.message[0] != '\0' && b == NULL));
    if (st != RWL_OK)
        fuzz_show(err.message);
    rwl_bitmap_free(b);
    return st;
}

static void check_kind(rwl_store *store, rwl_op *op, rwl_span content, bool is_bitmap) {
    rwl_bitmap *b = NULL;
    rwl_error err = {0};
    rwl_status st = rwl_lance_deletions_parse(op, content, is_bitmap, "d", &b, &err);
    FUZZ_CHECK(st == RWL_OK || (err.message[0] != '\0' && b == NULL));
    if (st != RWL_OK)
        fuzz_show(err.message);
    int64_t count = st == RWL_OK ? walk(b) : 0;
    rwl_bitmap_free(b);
    rwl_status whole = read_file(store, op, is_bitmap, (int64_t)UINT32_MAX + 1, count);
    FUZZ_CHECK(st == whole);
    if (st != RWL_OK || count == 0)
        return;
    FUZZ_CHECK(read_file(store, op, is_bitmap, count - 1, 0) == RWL_CORRUPT);
    FUZZ_CHECK(read_file(store, op, is_bitmap, (int64_t)UINT32_MAX + 1, count + 1) == RWL_CORRUPT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_op op;
    counted_env_init(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, BUDGET);
    rwl_store *store = rwl_memory_store_new(&env, rwl_span_of(data, len));
    check_kind(store, &op, rwl_span_of(data, len), true);
    check_kind(store, &op, rwl_span_of(data, len), false);
    FUZZ_CHECK(atomic_load(&op.memory_used) == 0);
    rwl_store_free(store);
    FUZZ_CHECK(counted_live == 0);
    FUZZ_CHECK(counted_peak <= BUDGET + SLACK + FACTOR * (int64_t)len);
    return 0;
}
