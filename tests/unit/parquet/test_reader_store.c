/* SPDX-License-Identifier: Apache-2.0 */
/* The reader over a store that delays, reorders, splits and shortens: same rows, counted requests, bounded memory. */
#include "reader_support.h"
#include "suites.h"
#include "writer_support.h"

#include "base/pool.h"
#include "storage/test_store.h"

enum {
    ROWS = 40000,
    COLUMNS = 3,
    GROUPS_MAX = 64,
    MANY = 40000 /* bytes of a row group that give several */
};

static rwl_field fields[COLUMNS];
static int32_t groups; /* of the file as it was written */
static int64_t first_rows[GROUPS_MAX + 1];

/* Row i: i * 3, a string of i % 50 bytes, i / 2.0 with every seventh null. */
static void append_row(rwl_batch *batch, int64_t i) {
    char text[64];
    memset(text, 'a' + (int)(i % 26), sizeof text);
    rwl_value v[COLUMNS] = {{.kind = RWL_TYPE_LONG}, {.kind = RWL_TYPE_STRING}, {.kind = RWL_TYPE_DOUBLE}};
    v[0].as.i64 = i * 3;
    v[1].as.bytes = rwl_span_of(text, (size_t)(i % 50));
    v[2].as.f64 = (double)i / 2;
    v[2].is_null = i % 7 == 0;
    for (int c = 0; c < COLUMNS; c++)
        check_msg(rwl_column_append(&batch->columns[c], &writer_env, &v[c], 1, NULL) == RWL_OK, "append");
    batch->length++;
}

static void check_row(const rwl_batch *batch, int64_t row, int64_t i) {
    check_msg(rwl_column_i64(&batch->columns[0])[row] == i * 3, "row %lld: id", (long long)i);
    rwl_span s = rwl_column_bytes(&batch->columns[1], row);
    check_msg(s.len == (size_t)(i % 50) && (s.len == 0 || s.data[s.len - 1] == 'a' + i % 26),
              "row %lld: text", (long long)i);
    check_msg(rwl_column_is_null(&batch->columns[2], row) == (i % 7 == 0), "row %lld: null", (long long)i);
    check_msg(i % 7 == 0 || rwl_column_f64(&batch->columns[2])[row] == (double)i / 2, "row %lld: number",
              (long long)i);
}

static void remember_groups(void) {
    rwl_parquet_file *file;
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, -1, &file, &writer_error));
    groups = file->group_count;
    ck_assert_int_le(groups, GROUPS_MAX);
    for (int32_t g = 0; g < groups; g++)
        first_rows[g] = file->groups[g].first_row;
    first_rows[groups] = file->row_count;
    rwl_parquet_close(file);
}

static void write_file(int64_t page_bytes, int64_t dictionary_bytes, rwl_codec_id codec,
                       int64_t row_group_bytes) {
    fields[0] = (rwl_field){.name = "id", .id = 1, .required = true, .type = rwl_type_of(RWL_TYPE_LONG)};
    fields[1] = (rwl_field){.name = "text", .id = 2, .type = rwl_type_of(RWL_TYPE_STRING)};
    fields[2] = (rwl_field){.name = "number", .id = 3, .type = rwl_type_of(RWL_TYPE_DOUBLE)};
    rwl_batch batch;
    write_ok(rwl_batch_init(&batch, &writer_env, fields, COLUMNS, &writer_error));
    rwl_parquet_write_options o = {.codec = codec,
                                   .page_bytes = page_bytes,
                                   .dictionary_bytes = dictionary_bytes,
                                   .row_group_bytes = row_group_bytes};
    rwl_parquet_writer *w;
    write_ok(rwl_parquet_writer_open(writer_store, &writer_op, writer_path, fields, COLUMNS, &o, &w,
                                     &writer_error));
    for (int64_t i = 0; i < ROWS; i++)
        append_row(&batch, i);
    write_ok(rwl_parquet_writer_write(w, &batch, &writer_error));
    rwl_parquet_written written;
    write_ok(rwl_parquet_writer_finish(w, &written, &writer_error));
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    remember_groups();
    ck_assert(row_group_bytes == 0 ? groups == 1 : groups >= 4);
}

/* Reads with these options over a test store; returns the status, fills stats, checks rows and positions. */
static rwl_status read_over(const rwl_test_store_options *how, const rwl_parquet_read_options *o,
                            int64_t memory_limit, rwl_test_store_stats *seen, rwl_parquet_read_stats *stats,
                            int64_t *rows) {
    rwl_store *local, *store;
    rwl_op op;
    rwl_error err = {0};
    rwl_parquet_file *file = NULL;
    rwl_parquet_reader *r = NULL;
    rwl_batch batch;
    rwl_op_init(&op, &writer_env, memory_limit);
    write_ok(rwl_store_local_new(&writer_env, NULL, 0, &local, &writer_error));
    write_ok(rwl_test_store_new(&writer_env, local, how, &store, &writer_error));
    write_ok(rwl_batch_init(&batch, &writer_env, fields, o->node_count, &writer_error));
    *rows = 0;
    rwl_status st = rwl_parquet_open(store, &op, writer_path, -1, &file, &err);
    if (st == RWL_OK)
        st = rwl_parquet_reader_new(store, &op, file, o, &r, &err);
    int64_t next = o->first_row;
    while (st == RWL_OK) {
        int64_t pos;
        st = rwl_parquet_reader_next(r, &batch, &pos, &err);
        if (st != RWL_OK || batch.length == 0)
            break;
        check_msg(o->ranges || pos == next, "batch at %lld, not %lld", (long long)pos, (long long)next);
        next = pos + batch.length;
        for (int64_t i = 0; o->node_count == COLUMNS && i < batch.length; i++)
            check_row(&batch, i, pos + i);
        *rows += batch.length;
    }
    check_msg(st == RWL_OK || err.message[0] != 0, "a failure without a message");
    if (r && stats)
        *stats = rwl_parquet_reader_stats(r);
    rwl_parquet_reader_free(r);
    rwl_parquet_close(file);
    rwl_batch_clear(&batch);
    *seen = rwl_test_store_stats_of(store);
    rwl_store_free(store);
    ck_assert_int_eq(atomic_load(&op.memory_used), 0);
    ck_assert_int_eq(seen->open_files, 0);
    return st;
}

static const int32_t every_leaf[COLUMNS] = {0, 1, 2};
static const rwl_parquet_read_options everything = {
    .nodes = every_leaf, .node_count = COLUMNS, .row_count = -1};

START_TEST(asks_once_for_the_footer_and_once_for_each_row_group) {
    write_file(0, 0, RWL_CODEC_ZSTD, MANY);
    rwl_test_store_stats seen;
    rwl_parquet_read_stats stats;
    int64_t rows;
    ck_assert_int_eq(read_over(&(rwl_test_store_options){0}, &everything, 0, &seen, &stats, &rows), RWL_OK);
    ck_assert_int_eq(rows, ROWS);
    ck_assert_int_eq(seen.calls[RWL_TEST_READ], 1 + groups); /* neighbouring chunks are one range */
    ck_assert_int_eq(stats.requests, groups);
    ck_assert_int_eq(stats.groups_read, groups);
    ck_assert_int_eq(seen.calls[RWL_TEST_OPEN], 2);
}
END_TEST

START_TEST(reads_nothing_of_skipped_groups_and_of_no_columns) {
    write_file(0, 0, RWL_CODEC_ZSTD, MANY);
    rwl_range kept[GROUPS_MAX];
    size_t kept_count = 0;
    int64_t want = 0, skipped = 0;
    for (int32_t g = 0; g < groups; g++) {
        if (g % 2 == 0) {
            skipped++;
            continue;
        }
        kept[kept_count] = (rwl_range){first_rows[g], first_rows[g + 1] - first_rows[g]};
        want += kept[kept_count++].count;
    }
    rwl_parquet_read_options o = everything;
    rwl_test_store_stats seen;
    rwl_parquet_read_stats stats;
    int64_t rows;
    o.ranges = kept;
    o.range_count = kept_count;
    ck_assert_int_eq(read_over(&(rwl_test_store_options){0}, &o, 0, &seen, &stats, &rows), RWL_OK);
    ck_assert_int_eq(rows, want);
    ck_assert_int_eq(seen.calls[RWL_TEST_READ], 1 + groups - skipped);
    ck_assert_int_eq(stats.groups_skipped, skipped);
    o = (rwl_parquet_read_options){.row_count = -1};
    ck_assert_int_eq(read_over(&(rwl_test_store_options){0}, &o, 0, &seen, &stats, &rows), RWL_OK);
    ck_assert_int_eq(rows, ROWS);
    ck_assert_int_eq(seen.calls[RWL_TEST_READ], 1);
}
END_TEST

START_TEST(gives_the_same_rows_whatever_order_reads_come_in) {
    write_file(2000, 0, RWL_CODEC_SNAPPY, MANY);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        rwl_test_store_options how = {.seed = seed, .reorder = true, .split = 1 + (size_t)seed * 1000};
        rwl_parquet_read_options o = everything;
        rwl_test_store_stats seen;
        int64_t rows;
        o.first_row = (int64_t)seed * 4321;
        o.batch_rows = 777;
        ck_assert_int_eq(read_over(&how, &o, 0, &seen, NULL, &rows), RWL_OK);
        ck_assert_int_eq(rows, ROWS - o.first_row);
    }
}
END_TEST

/* One row group whose chunks are longer than the window that a small budget leaves: pages cross from piece to piece. */
START_TEST(reads_long_chunks_in_pieces_within_its_budget) {
    enum { BUDGET = 2 * 1024 * 1024 };
    write_file(30000, -1, RWL_CODEC_NONE, 0);
    for (uint64_t seed = 0; seed < 3; seed++) {
        rwl_test_store_options how = {.seed = seed, .reorder = seed > 0};
        rwl_parquet_read_options o = everything;
        rwl_test_store_stats seen;
        rwl_parquet_read_stats stats;
        int64_t rows;
        o.first_row = (int64_t)seed * 15000;
        ck_assert_int_eq(read_over(&how, &o, BUDGET, &seen, &stats, &rows), RWL_OK);
        ck_assert_int_eq(rows, ROWS - o.first_row);
        /* budget / 4 / 3 columns / 3 windows is below the least window, 64 KiB: the text of 40000 rows with
         * 24.5 bytes and a length of 4 is 1.14 MB, 18 pieces; the numbers 320 kB, 5 pieces; 274 kB, 5 pieces */
        if (seed == 0)
            ck_assert_int_ge(stats.requests, 18 + 5 + 5);
        else
            ck_assert_int_gt(stats.pages_skipped, 0);
    }
}
END_TEST

START_TEST(says_so_when_the_budget_is_too_small) {
    write_file(0, -1, RWL_CODEC_NONE, 0);
    rwl_test_store_stats seen;
    int64_t rows;
    ck_assert_int_eq(read_over(&(rwl_test_store_options){0}, &everything, 100000, &seen, NULL, &rows),
                     RWL_UNSUPPORTED);
}
END_TEST

START_TEST(cuts_batches_by_bytes_without_losing_rows) {
    write_file(0, 0, RWL_CODEC_ZSTD, 0);
    static const size_t limits[] = {1, 49, 50, 1000, 12345, 200000};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        rwl_parquet_read_options o = everything;
        rwl_test_store_stats seen;
        int64_t rows;
        o.batch_bytes = limits[i];
        o.first_row = i < 4 ? ROWS - 2000 : 3;
        ck_assert_int_eq(read_over(&(rwl_test_store_options){0}, &o, 0, &seen, NULL, &rows), RWL_OK);
        ck_assert_int_eq(rows, ROWS - o.first_row);
    }
}
END_TEST

START_TEST(passes_on_what_goes_wrong_in_any_read) {
    write_file(0, 0, RWL_CODEC_ZSTD, MANY);
    rwl_test_store_stats seen;
    int64_t rows;
    for (int64_t n = 1; n <= 1 + groups; n++) {
        rwl_test_store_options how = {.fail_at = n, .fail_call = RWL_TEST_READ};
        ck_assert_int_eq(read_over(&how, &everything, 0, &seen, NULL, &rows), RWL_IO);
        ck_assert_int_lt(rows, ROWS);
    }
    for (int64_t n = 1; n <= 2; n++) {
        rwl_test_store_options how = {.fail_at = n, .fail_call = RWL_TEST_OPEN};
        ck_assert_int_eq(read_over(&how, &everything, 0, &seen, NULL, &rows), RWL_IO);
    }
    rwl_test_store_options how = {.end_at = 30000};
    ck_assert_int_eq(read_over(&how, &everything, 0, &seen, NULL, &rows), RWL_CORRUPT);
}
END_TEST

START_TEST(stops_when_cancelled) {
    write_file(0, 0, RWL_CODEC_ZSTD, MANY);
    rwl_op op;
    rwl_error err = {0};
    rwl_parquet_file *file;
    rwl_parquet_reader *r;
    rwl_batch batch;
    int64_t pos;
    rwl_op_init(&op, &writer_env, 0);
    write_ok(rwl_batch_init(&batch, &writer_env, fields, COLUMNS, &writer_error));
    write_ok(rwl_parquet_open(writer_store, &op, writer_path, -1, &file, &writer_error));
    write_ok(rwl_parquet_reader_new(writer_store, &op, file, &everything, &r, &writer_error));
    write_ok(rwl_parquet_reader_next(r, &batch, &pos, &writer_error));
    atomic_store(&op.cancelled, 1);
    ck_assert_int_eq(rwl_parquet_reader_next(r, &batch, &pos, &err), RWL_INTERRUPTED);
    rwl_parquet_reader_free(r);
    rwl_parquet_close(file);
    rwl_batch_clear(&batch);
}
END_TEST

/* --- chosen rows --- */

static uint64_t random_state;

static int64_t random_below(int64_t n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((random_state >> 33) % (uint64_t)n);
}

enum { RANGES_MAX = 200 };

/* Ascending ranges that do not touch; returns their number. */
static size_t random_ranges(rwl_range *out, int64_t first, int64_t end, int64_t gap, int64_t longest) {
    size_t n = 0;
    for (int64_t at = first + random_below(gap); at < end && n < RANGES_MAX; n++) {
        int64_t count = 1 + random_below(longest);
        out[n] = (rwl_range){at, count < end - at ? count : end - at};
        at += out[n].count + 1 + random_below(gap);
    }
    return n;
}

static int64_t rows_of(const rwl_range *ranges, size_t count) {
    int64_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += ranges[i].count;
    return rows;
}

START_TEST(gives_the_rows_of_ranges_and_no_others) {
    write_file(2000, 0, RWL_CODEC_ZSTD, _i % 2 == 0 ? MANY : 0);
    random_state = (uint64_t)_i + 1;
    rwl_range ranges[RANGES_MAX];
    rwl_test_store_options how = {.seed = random_state, .reorder = true};
    rwl_parquet_read_options o = everything;
    rwl_test_store_stats seen;
    rwl_parquet_read_stats stats, all;
    int64_t rows;
    ck_assert_int_eq(read_over(&how, &o, 0, &seen, &all, &rows), RWL_OK);
    o.ranges = ranges;
    o.range_count = random_ranges(ranges, 0, ROWS, 3000, 1 + random_below(1000));
    ck_assert_int_eq(read_over(&how, &o, 0, &seen, &stats, &rows), RWL_OK);
    ck_assert_int_eq(rows, rows_of(ranges, o.range_count));
    ck_assert_int_le(stats.bytes_read, all.bytes_read);
    ck_assert_int_lt(stats.pages_read, all.pages_read);
    /* cut by first_row and row_count, too */
    o.first_row = ranges[1].start + 1;
    o.row_count = 5000;
    int64_t want = 0, end = o.first_row + o.row_count;
    for (size_t i = 0; i < o.range_count; i++) {
        int64_t from = ranges[i].start > o.first_row ? ranges[i].start : o.first_row;
        int64_t to = ranges[i].start + ranges[i].count < end ? ranges[i].start + ranges[i].count : end;
        want += to > from ? to - from : 0;
    }
    ck_assert_int_eq(read_over(&how, &o, 0, &seen, &stats, &rows), RWL_OK);
    ck_assert_int_eq(rows, want);
}
END_TEST

START_TEST(reads_one_page_of_each_column_for_one_row) {
    write_file(2000, -1, RWL_CODEC_NONE, 0);
    rwl_range one = {ROWS / 2, 1};
    rwl_parquet_read_options o = everything;
    rwl_test_store_stats seen;
    rwl_parquet_read_stats stats;
    int64_t rows;
    o.ranges = &one;
    o.range_count = 1;
    ck_assert_int_eq(read_over(&(rwl_test_store_options){0}, &o, 0, &seen, &stats, &rows), RWL_OK);
    ck_assert_int_eq(rows, 1);
    ck_assert_int_eq(stats.pages_read, COLUMNS);
    ck_assert_int_eq(stats.requests, COLUMNS);
    ck_assert_int_lt(stats.bytes_read, COLUMNS * 3000); /* pages of about 2000 bytes */
}
END_TEST

/* Takes these rows, however many at once come, and checks them. */
static void take_rows(rwl_parquet_reader *r, rwl_batch *batch, const rwl_range *ranges, size_t count) {
    rwl_range left[RANGES_MAX];
    memcpy(left, ranges, count * sizeof *left);
    for (size_t at = 0; at < count;) {
        write_ok(rwl_parquet_reader_take(r, left + at, count - at, batch, &writer_error));
        ck_assert_int_gt(batch->length, 0);
        for (int64_t row = 0; row < batch->length;) {
            int64_t n = left[at].count < batch->length - row ? left[at].count : batch->length - row;
            for (int64_t i = 0; i < n; i++)
                check_row(batch, row + i, left[at].start + i);
            row += n;
            left[at].start += n;
            left[at].count -= n;
            at += left[at].count == 0;
        }
    }
}

/* Stretches of a row group at a time, each with ranges of its own; `limit` cuts batches by their bytes. */
START_TEST(takes_exactly_the_rows_asked_for) {
    static const size_t limits[] = {0, 50, 777, 10000};
    write_file(2000, _i % 3 == 0 ? -1 : 0, _i % 2 == 0 ? RWL_CODEC_NONE : RWL_CODEC_ZSTD,
               _i % 4 < 2 ? MANY : 0);
    random_state = (uint64_t)_i + 1;
    rwl_parquet_read_options o = everything;
    rwl_parquet_file *file;
    rwl_parquet_reader *r;
    rwl_batch batch;
    o.batch_bytes = limits[_i % 4];
    write_ok(rwl_batch_init(&batch, &writer_env, fields, COLUMNS, &writer_error));
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, -1, &file, &writer_error));
    write_ok(rwl_parquet_reader_new(writer_store, &writer_op, file, &o, &r, &writer_error));
    for (int32_t g = 0; g < file->group_count; g++) {
        int64_t at = file->groups[g].first_row, end = at + file->groups[g].row_count;
        while (at < end && g % 3 != 1) {
            rwl_range ranges[RANGES_MAX];
            int64_t stop = at + 1 + random_below(8000);
            size_t count = random_ranges(ranges, at, stop < end ? stop : end, 1 + random_below(2000), 300);
            take_rows(r, &batch, ranges, count);
            at = stop;
        }
    }
    rwl_parquet_reader_free(r);
    rwl_parquet_close(file);
    rwl_batch_clear(&batch);
    ck_assert_int_eq(atomic_load(&writer_op.memory_used), 0);
}
END_TEST

/* Columns side by side give the same rows, and of several failures the first column's. */
START_TEST(columns_side_by_side_give_the_same_rows) {
    write_file(2000, 0, RWL_CODEC_ZSTD, MANY);
    rwl_pool *pool;
    rwl_parquet_read_options o = everything;
    rwl_test_store_stats seen;
    int64_t rows;
    write_ok(rwl_pool_new(&writer_env, 3, &pool, &writer_error));
    o.pool = pool;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        rwl_test_store_options how = {.seed = seed, .reorder = true};
        o.batch_rows = seed == 2 ? 20000 : 0;
        ck_assert_int_eq(read_over(&how, &o, 0, &seen, NULL, &rows), RWL_OK);
        ck_assert_int_eq(rows, ROWS);
    }
    for (int64_t n = 2; n <= 1 + groups; n++) {
        rwl_test_store_options how = {.fail_at = n, .fail_call = RWL_TEST_READ};
        ck_assert_int_eq(read_over(&how, &o, 0, &seen, NULL, &rows), RWL_IO);
    }
    rwl_pool_free(pool);
}
END_TEST

/* Every allocation of a whole read fails in turn. */
static int64_t allocations_left;

static void *failing_realloc(void *ctx, void *old, size_t size) {
    if (size > 0 && allocations_left-- == 0)
        return NULL;
    return writer_env.realloc(ctx, old, size);
}

static void *failing_aligned(void *ctx, size_t alignment, size_t size) {
    return allocations_left-- == 0 ? NULL : writer_env.alloc_aligned(ctx, alignment, size);
}

static rwl_status read_once(rwl_store *store, const rwl_env *env, int64_t *rows) {
    rwl_op op;
    rwl_error err = {0};
    rwl_parquet_file *file = NULL;
    rwl_parquet_reader *r = NULL;
    rwl_batch batch = {0};
    int64_t pos;
    rwl_op_init(&op, env, 0);
    *rows = 0;
    rwl_status st = rwl_batch_init(&batch, env, fields, COLUMNS, &err);
    if (st == RWL_OK)
        st = rwl_parquet_open(store, &op, writer_path, -1, &file, &err);
    if (st == RWL_OK)
        st = rwl_parquet_reader_new(store, &op, file, &everything, &r, &err);
    while (st == RWL_OK && (st = rwl_parquet_reader_next(r, &batch, &pos, &err)) == RWL_OK &&
           batch.length > 0)
        *rows += batch.length;
    rwl_parquet_reader_free(r);
    rwl_parquet_close(file);
    rwl_batch_clear(&batch);
    ck_assert_int_eq(atomic_load(&op.memory_used), 0);
    return st;
}

START_TEST(survives_every_failed_allocation) {
    write_file(0, 0, RWL_CODEC_ZSTD, MANY);
    rwl_env env = writer_env;
    env.realloc = failing_realloc;
    env.alloc_aligned = failing_aligned;
    rwl_store *store;
    allocations_left = INT64_MAX;
    write_ok(rwl_store_local_new(&env, NULL, 0, &store, &writer_error));
    int64_t rows, failures = 0;
    for (int64_t n = 0;; n++) {
        allocations_left = n;
        rwl_status st = read_once(store, &env, &rows);
        if (st == RWL_OK && allocations_left >= 0)
            break; /* none failed */
        /* a failed read-ahead is made up for later */
        check_msg(st == RWL_NO_MEMORY || (st == RWL_OK && rows == ROWS), "allocation %lld: status %d",
                  (long long)n, st);
        failures += st != RWL_OK;
    }
    ck_assert_int_eq(rows, ROWS);
    ck_assert_int_gt(failures, 20);
    rwl_store_free(store);
}
END_TEST

Suite *reader_store_suite(void) {
    Suite *s = suite_create("reader_store");
    TCase *t = tcase_create("store");
    tcase_add_checked_fixture(t, writer_setup, writer_teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, asks_once_for_the_footer_and_once_for_each_row_group);
    tcase_add_test(t, reads_nothing_of_skipped_groups_and_of_no_columns);
    tcase_add_test(t, gives_the_same_rows_whatever_order_reads_come_in);
    tcase_add_test(t, reads_long_chunks_in_pieces_within_its_budget);
    tcase_add_test(t, says_so_when_the_budget_is_too_small);
    tcase_add_test(t, cuts_batches_by_bytes_without_losing_rows);
    tcase_add_test(t, passes_on_what_goes_wrong_in_any_read);
    tcase_add_test(t, stops_when_cancelled);
    tcase_add_loop_test(t, gives_the_rows_of_ranges_and_no_others, 0, 8);
    tcase_add_test(t, reads_one_page_of_each_column_for_one_row);
    tcase_add_loop_test(t, takes_exactly_the_rows_asked_for, 0, 12);
    tcase_add_test(t, columns_side_by_side_give_the_same_rows);
    tcase_add_test(t, survives_every_failed_allocation);
    suite_add_tcase(s, t);
    return s;
}
