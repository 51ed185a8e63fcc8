/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delete files, Parquet or Avro. As position deletes: with and without a cache they name the same rows. As equality deletes
 * the file is the data file too: whatever its keys are, each row has its own, so that it deletes itself whole, from the
 * cache, without one, and where the set of keys is read in parts.
 */
#include "fuzz.h"
#include "iceberg/driver.h"
#include "iceberg/equality_deletes.h"
#include "iceberg/position_deletes.h"
#include "iceberg/stored_file.h"
#include "memory_store.h"

enum { ROWS_MAX = 20000, BUDGET = 256 << 20, SMALL_CACHE = 4096 };

static rwl_env env;
static rwl_metadata *metadata;

/* A field of each kind of key, with an id that seeds use. */
static const char METADATA[] =
    "{\"format-version\":3,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\",\"location\":\"s3://b/t\","
    "\"last-sequence-number\":9,\"last-updated-ms\":1,\"last-column-id\":20,\"next-row-id\":1000,"
    "\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":3,\"name\":\"d\",\"required\":false,\"type\":\"decimal(9, 2)\"},"
    "{\"id\":4,\"name\":\"ts\",\"required\":false,\"type\":\"timestamptz\"},"
    "{\"id\":5,\"name\":\"f\",\"required\":false,\"type\":\"double\"},"
    "{\"id\":6,\"name\":\"b\",\"required\":false,\"type\":\"boolean\"},"
    "{\"id\":13,\"name\":\"r\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":14,\"name\":\"x\",\"required\":false,\"type\":\"uuid\"}]}}]}],"
    "\"default-spec-id\":0,\"last-partition-id\":999,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],"
    "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}]}";

static const char *format_of(rwl_span file) {
    return file.len >= 4 && memcmp(file.data, "PAR1", 4) == 0 ? "PARQUET" : "AVRO";
}

/* The rows there are, by reading nothing of them; -1 when that fails. */
static int64_t count_rows(rwl_store *store, rwl_op *op, const char *format) {
    rwl_stored_file *file = NULL;
    rwl_stored_reader *r = NULL;
    rwl_stored_read_options options = {0};
    rwl_batch batch;
    int64_t rows = -1, first;
    int32_t count;
    if (rwl_stored_file_open(store, op, "input", format, -1, &file, NULL) != RWL_OK)
        return -1;
    if (rwl_stored_reader_new(store, op, file, &options, &r, NULL) == RWL_OK) {
        const rwl_field *fields = rwl_stored_reader_fields(r, &count);
        rwl_status st = rwl_batch_init(&batch, &env, fields, count, NULL);
        FUZZ_CHECK(st == RWL_OK);
        rows = 0;
        while ((st = rwl_stored_reader_next(r, &batch, &first, NULL)) == RWL_OK && batch.length > 0 &&
               rows <= ROWS_MAX)
            rows += batch.length;
        rows = st == RWL_OK ? rows : -1;
        rwl_batch_clear(&batch);
    }
    rwl_stored_reader_free(r);
    rwl_stored_file_close(file);
    return rows;
}

static rwl_bitmap *new_bitmap(void) {
    rwl_bitmap *b = NULL;
    rwl_status st = rwl_bitmap_new(&env, &b, NULL);
    FUZZ_CHECK(st == RWL_OK);
    return b;
}

/* --- by position --- */

static rwl_status read_positions(rwl_store *store, rwl_op *op, rwl_delete_cache *cache,
                                 const rwl_delete_ref *ref, const char *data_file, int64_t *count) {
    rwl_bitmap *b = new_bitmap();
    rwl_error err = {0};
    rwl_status st = rwl_position_deletes_read(store, op, cache, ref, data_file, b, &err);
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    *count = rwl_bitmap_count(b);
    rwl_bitmap_free(b);
    return st;
}

static bool keep_path(void *ctx, rwl_span path) {
    char *kept = ctx;
    if (path.len >= 256 || memchr(path.data, 0, path.len) != NULL)
        return false;
    memcpy(kept, path.data, path.len);
    kept[path.len] = '\0';
    return true;
}

/* The first file that is named has deletes, as many each way; fewer where row groups are passed over by bounds that lie. */
static void check_positions(rwl_store *store, rwl_op *op, const rwl_delete_ref *ref) {
    char path[256] = "s3://b/t/data/0.parquet";
    bool found = false;
    rwl_delete_cache *cache = NULL, *small = NULL;
    rwl_status searched = rwl_position_deletes_search(store, op, ref, keep_path, path, &found, NULL);
    rwl_status st = rwl_delete_cache_new(&env, 0, &cache, NULL);
    FUZZ_CHECK(st == RWL_OK);
    st = rwl_delete_cache_new(&env, SMALL_CACHE, &small, NULL);
    FUZZ_CHECK(st == RWL_OK);
    int64_t count, counts[3];
    st = read_positions(store, op, cache, ref, path, &count);
    if (st == RWL_OK) { /* the whole file was read */
        FUZZ_CHECK(searched == RWL_OK && found == (count > 0));
        FUZZ_CHECK(count <= ref->row_count);
        rwl_delete_cache *const caches[] = {cache, small, NULL};
        for (int i = 0; i < 3; i++) {
            st = read_positions(store, op, caches[i], ref, path, &counts[i]);
            FUZZ_CHECK(st == RWL_OK && (caches[i] == cache ? counts[i] == count : counts[i] <= count));
        }
    }
    rwl_delete_cache_free(small);
    rwl_delete_cache_free(cache);
}

/* --- by equality --- */

static void check_keys(rwl_store *store, rwl_op *op, const rwl_delete_ref *ref, rwl_delete_cache *cache) {
    rwl_driver driver = rwl_iceberg_driver(store, metadata, cache);
    rwl_fragment data = {.location = "input",
                         .format = ref->format,
                         .file_size = ref->file_size,
                         .row_count = ref->row_count,
                         .deletes = ref,
                         .delete_count = 1,
                         .spec_id = -1,
                         .sort_order_id = -1};
    rwl_error err = {0};
    rwl_bitmap *b = new_bitmap();
    rwl_status st = rwl_equality_deletes_add(&driver, op, &data, b, &err);
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    FUZZ_CHECK(st != RWL_OK || rwl_bitmap_count(b) == ref->row_count);
    rwl_bitmap_free(b);
}

static void check_equality(rwl_store *store, rwl_op *op, const rwl_delete_ref *at) {
    static const int32_t ids[][2] = {{1, 0}, {2, 0},  {3, 0}, {4, 0}, {5, 0},
                                     {6, 0}, {14, 0}, {1, 2}, {5, 14}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        rwl_delete_ref ref = *at;
        rwl_delete_cache *cache = NULL;
        ref.kind = RWL_DELETE_EQUALITY;
        ref.equality_ids = ids[i];
        ref.equality_count = ids[i][1] != 0 ? 2 : 1;
        check_keys(store, op, &ref, NULL);
        rwl_status st = rwl_delete_cache_new(&env, i % 2 == 0 ? SMALL_CACHE : 0, &cache, NULL);
        FUZZ_CHECK(st == RWL_OK);
        check_keys(store, op, &ref, cache);
        rwl_delete_cache_free(cache);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_op op;
    if (metadata == NULL) {
        rwl_env_init_default(&env);
        rwl_status st = rwl_metadata_parse(&env, rwl_span_str(METADATA), NULL, &metadata, NULL);
        FUZZ_CHECK(st == RWL_OK);
    }
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, BUDGET);
    rwl_store *store = rwl_memory_store_new(&env, rwl_span_of(data, len));
    const char *format = format_of(rwl_span_of(data, len));
    rwl_delete_ref ref = {
        .kind = RWL_DELETE_POSITIONS, .location = "input", .format = format, .file_size = (int64_t)len};
    ref.row_count = count_rows(store, &op, format);
    if (ref.row_count >= 0 && ref.row_count <= ROWS_MAX) {
        check_positions(store, &op, &ref);
        check_equality(store, &op, &ref);
    }
    FUZZ_CHECK(atomic_load(&op.memory_used) == 0);
    rwl_store_free(store);
    return 0;
}
