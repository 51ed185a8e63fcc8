/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of copied pages damaged between writing and verifying: whatever would be read otherwise is found, nothing is
 * committed. Also what is compared by bytes at all.
 */
#include "engine_test.h"
#include "suites.h"

#include "engine/rewrite_group.h"
#include "parquet/page_walk.h"

#include <stdio.h>

/* --- tables --- */

typedef struct table_kind {
    const char *what, *codec, *partition, *deleted;
    int64_t compared, decoded, in_part; /* columns of row groups */
} table_kind;

/* Two files of ten rows of six columns, in pages of five rows; each file's row group stays one in the new file, but where
 * rows are deleted: of a row group that is there in part nobody tells how many nulls it has, nor where rows of lists are. The column of the partition is verified row by row. */
static const table_kind kinds[] = {
    {"uncompressed", "uncompressed", NULL, NULL, 12, 0, 0},
    {"zstd", "zstd", NULL, NULL, 12, 0, 0},
    {"snappy, partitioned", "snappy", "p", NULL, 10, 0, 0},
    {"a row deleted in the second file", "uncompressed", NULL, "id = 17", 6, 2, 4},
    {"a page of rows deleted in the first file", "zstd", NULL, "id < 5", 10, 2, 0},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static const char *make_lines(int first, int rows) {
    const char *lines = "";
    for (int i = first; i < first + rows; i++) {
        const char *text = i % 3 == 0 ? "" : rwl_arena_printf(test_arena(), ",'s':'t%d'", i % 2);
        const char *tags = i % 4 == 0 ? "[]" : i % 4 == 1 ? "['x']" : "['y',null]";
        lines = rwl_arena_printf(test_arena(), "%s{'id':%d,'a':%d,'b':%d,'p':1%s,'tags':%s}\n", lines, i,
                                 100 + 7 * i * i, 90 + 7 * i * i + i, text, tags);
    }
    return lines;
}

static void make_table(const table_kind *kind) {
    const char *const keys[] = {"write.parquet.page-row-limit", "write.parquet.row-group-size-bytes",
                                "write.parquet.compression-codec"};
    const char *const values[] = {"5", "900", kind->codec};
    rwl_create_options options = {.schema = "id long, a long, b long, p int, s string, tags list<string>",
                                  .format_version = 3,
                                  .partition = kind->partition,
                                  .property_keys = keys,
                                  .property_values = values,
                                  .property_count = 3};
    test_create_with("t", &options);
    test_append("t", make_lines(0, 10));
    test_append("t", make_lines(10, 10));
    if (kind->deleted != NULL)
        test_delete("t", kind->deleted);
}

/* --- a written file in memory --- */

typedef struct written {
    rwl_group_job *job;
    const char *location, *path;
    uint8_t bytes[1 << 16];
    size_t len;
} written;

static void load_file(written *w, rwl_group_job *job, const char *location) {
    w->job = job;
    w->location = w->path = location;
    if (strncmp(w->path, "file:", 5) == 0)
        w->path += strncmp(w->path, "file://", 7) == 0 ? 7 : 5;
    FILE *f = fopen(w->path, "rb");
    ck_assert_ptr_nonnull(f);
    w->len = fread(w->bytes, 1, sizeof w->bytes, f);
    fclose(f);
}

static void load(written *w, rwl_group_job *job) {
    size_t count;
    const rwl_added_file *files = rwl_data_files_list(job->files, &count);
    ck_assert_uint_eq(count, 1);
    load_file(w, job, files[0].location);
    ck_assert_uint_eq(w->len, (size_t)files[0].file_size);
}

static void store(const written *w, const uint8_t *bytes) {
    FILE *f = fopen(w->path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, w->len, f), w->len);
    fclose(f);
}

typedef struct page {
    int32_t leaf, group;
    int64_t off, body, end;
    int32_t type;
} page;

static size_t find_pages(const written *w, page *out, size_t max, int32_t *leaf_count) {
    size_t pages = 0;
    rwl_parquet_file *file;
    rwl_file *handle;
    rwl_parquet_walk walk;
    ASSERT_OK(rwl_parquet_open(w->job->store, test_op(), w->location, -1, &file, err));
    ASSERT_OK(rwl_file_open(w->job->store, test_op(), w->location, &handle, err));
    rwl_parquet_walk_init(&walk, test_op());
    *leaf_count = file->leaf_count;
    for (int32_t g = 0; g < file->group_count; g++)
        for (int32_t i = 0; i < file->leaf_count; i++) {
            bool found = true;
            rwl_parquet_walk_begin(&walk, handle, &file->groups[g].chunks[i]);
            for (int64_t off = walk.next;; off = walk.next) {
                ASSERT_OK(rwl_parquet_walk_next(&walk, &found, err));
                if (!found)
                    break;
                ck_assert_uint_lt(pages, max);
                out[pages++] = (page){i, g, off, walk.body_off, walk.next, walk.header.type};
            }
        }
    rwl_parquet_walk_clear(&walk);
    rwl_file_close(handle);
    rwl_parquet_close(file);
    return pages;
}

static rwl_status verify(written *w, rwl_error *err) {
    w->job->distinct = NULL; /* ids would be there twice */
    *err = (rwl_error){0};
    return rwl_group_job_verify(w->job, err);
}

/* Sums over everything in the file as the ordinary reader gives it, rows in their order. */
static bool read_all(written *w, rwl_row_sums *sums) {
    rwl_verify_request request = rwl_group_job_request(w->job);
    rwl_error err = {0};
    memset(sums, 0, sizeof *sums);
    request.values = w->job->metadata->schema;
    request.by_position = true;
    request.distinct = NULL;
    return rwl_verify_files(test_op(), &request, sums, &err) == RWL_OK;
}

/* --- every byte --- */

typedef struct sweep {
    int64_t found, harmless;
} sweep;

/* One bit of each byte: found, or all values and counts are read as they were. */
static void flip_all(void *ctx, rwl_group_job *job) {
    static written w;
    static uint8_t bytes[sizeof w.bytes];
    static page pages[200];
    sweep *s = ctx;
    rwl_row_sums right, now;
    rwl_error err;
    int32_t leaves;
    load(&w, job);
    size_t page_count = find_pages(&w, pages, 200, &leaves);
    ck_assert_msg(verify(&w, &err) == RWL_OK, "%s", err.message);
    ck_assert(read_all(&w, &right));
    memcpy(bytes, w.bytes, w.len);
    for (size_t i = 0; i < w.len; i++) {
        bytes[i] ^= (uint8_t)(1 << i % 8);
        store(&w, bytes);
        rwl_status st = verify(&w, &err);
        bytes[i] = w.bytes[i];
        s->found += st != RWL_OK;
        for (size_t k = 0; st == RWL_OK && k < page_count; k++)
            ck_assert_msg((int64_t)i < pages[k].body || (int64_t)i >= pages[k].end,
                          "byte %zu of the body of a page of column %d was not looked at", i,
                          (int)pages[k].leaf);
        if (st != RWL_OK)
            continue;
        s->harmless++;
        ck_assert_msg(read_all(&w, &now) &&
                          rwl_conserve_compare(&right.conserve, &now.conserve, &err) == RWL_OK,
                      "byte %zu changes what is read, and was not found", i);
    }
    store(&w, w.bytes);
    ck_assert(verify(&w, &err) == RWL_OK);
}

START_TEST(a_flipped_bit_is_found_wherever_it_matters) {
    sweep s = {0, 0};
    make_table(&kinds[_i]);
    rwl_rewrite_options o = {.rewrite_all = true, .damage = flip_all, .damage_ctx = &s};
    (void)test_rewrite("t", &o);
    /* pages are more than half of such a file; footers and indexes have bytes that rows do not depend on */
    ck_assert_int_gt(s.found, s.harmless / 2);
}
END_TEST

/* --- pages that are whole, but not where they belong --- */

typedef struct misplacing {
    const char *what;
    int32_t leaf, group, page;                   /* that data page of the column … */
    int32_t other_leaf, other_group, other_page; /* … changes places with this one, headers and all */
} misplacing;

/* Of the columns id (0), a (1) and b (2), whose pages have the same size. */
static const misplacing misplacings[] = {
    {"two pages of a column", 1, 0, 0, 1, 0, 1},
    {"pages of two columns of a type", 1, 0, 0, 2, 0, 0},
    {"pages of two row groups", 1, 0, 0, 1, 1, 0},
    {"the last page and another row group's first", 2, 0, 1, 2, 1, 0},
};
enum { MISPLACING_COUNT = sizeof misplacings / sizeof *misplacings };

static const page *find_page(const page *pages, size_t count, int32_t leaf, int32_t group, int32_t number) {
    for (size_t i = 0; i < count; i++)
        if (pages[i].leaf == leaf && pages[i].group == group &&
            pages[i].type != RWL_PARQUET_DICTIONARY_PAGE && number-- == 0)
            return &pages[i];
    ck_abort_msg("no such page");
}

static void swap_pages(void *ctx, rwl_group_job *job) {
    static written w;
    static uint8_t bytes[sizeof w.bytes];
    static page pages[200];
    const misplacing *m = ctx;
    int32_t leaves;
    load(&w, job);
    size_t count = find_pages(&w, pages, 200, &leaves);
    const page *a = find_page(pages, count, m->leaf, m->group, m->page),
               *b = find_page(pages, count, m->other_leaf, m->other_group, m->other_page);
    ck_assert_int_eq(a->end - a->off, b->end - b->off);
    memcpy(bytes, w.bytes, w.len);
    memcpy(bytes + a->off, w.bytes + b->off, (size_t)(b->end - b->off));
    memcpy(bytes + b->off, w.bytes + a->off, (size_t)(a->end - a->off));
    store(&w, bytes);
}

START_TEST(pages_in_each_others_places_are_found) {
    make_table(&kinds[0]);
    const char *before = test_listing("t");
    rwl_rewrite_options o = {
        .rewrite_all = true, .damage = swap_pages, .damage_ctx = (void *)(uintptr_t)&misplacings[_i]};
    ASSERT_FAILS(RWL_INTERNAL, "conservation: values of rows changed", try_rewrite("t", &o, err));
    ck_assert_msg(strcmp(test_listing("t"), before) == 0, "%s: files were left behind", misplacings[_i].what);
}
END_TEST

/* --- the file or its entry --- */

static void cut_file(void *ctx, rwl_group_job *job) {
    static written w;
    (void)ctx;
    load(&w, job);
    w.len--;
    store(&w, w.bytes);
}

static void miscount_nulls(void *ctx, rwl_group_job *job) {
    size_t count;
    const rwl_added_file *files = rwl_data_files_list(job->files, &count);
    int32_t field_id = *(const int32_t *)ctx;
    rwl_column_metrics *metrics = (rwl_column_metrics *)(uintptr_t)files[0].metrics;
    for (int32_t i = 0; i < files[0].metrics_count; i++)
        metrics[i].null_count += metrics[i].field_id == field_id;
}

static void miscount_rows(void *ctx, rwl_group_job *job) {
    size_t count;
    (void)ctx;
    ((rwl_added_file *)(uintptr_t)rwl_data_files_list(job->files, &count))->row_count--;
}

START_TEST(files_that_are_not_as_their_entries_say_are_found) {
    static int32_t of_a = 2, of_s = 5;
    const rwl_rewrite_options cases[] = {
        {.rewrite_all = true, .damage = cut_file},
        {.rewrite_all = true, .damage = miscount_nulls, .damage_ctx = &of_a},
        {.rewrite_all = true, .damage = miscount_nulls, .damage_ctx = &of_s},
        {.rewrite_all = true, .damage = miscount_rows},
    };
    make_table(&kinds[_i == 0 ? 0 : 3]); /* all compared, half decoded */
    const char *before = test_listing("t");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_FAILS(RWL_INTERNAL, "verifying", try_rewrite("t", &cases[i], err));
        ck_assert_str_eq(test_listing("t"), before);
    }
}
END_TEST

/* --- sources that can't be read either --- */

/* A bit of the first data page of the column a. */
static void break_page(written *w, uint8_t bit) {
    static page pages[200];
    int32_t leaves;
    size_t count = find_pages(w, pages, 200, &leaves);
    const page *p = find_page(pages, count, 1, 0, 0);
    w->bytes[p->body + (p->end - p->body) / 2] ^= bit;
    store(w, w->bytes);
}

/* Not alike: what is no copy is decoded. */
static void break_both(void *ctx, rwl_group_job *job) {
    static written w;
    (void)ctx;
    load(&w, job);
    break_page(&w, 1);
    load_file(&w, job, job->group->fragments[0].location);
    break_page(&w, 2);
}

START_TEST(what_can_be_read_on_neither_side_is_blamed_on_the_source) {
    make_table(&kinds[_i]);
    rwl_rewrite_options o = {.rewrite_all = true, .damage = break_both};
    ASSERT_FAILS(RWL_CORRUPT, "wrong checksum", try_rewrite("t", &o, err));
}
END_TEST

/* --- what is compared --- */

static void look(void *ctx, rwl_group_job *job) {
    rwl_error err = {0};
    rwl_distinct *distinct = job->distinct;
    job->distinct = NULL;
    ck_assert_msg(rwl_group_job_verify(job, &err) == RWL_OK, "%s", err.message);
    job->distinct = distinct;
    *(rwl_copies_stats *)ctx = job->copies;
}

START_TEST(copies_are_compared_by_bytes_and_other_columns_decoded) {
    const table_kind *kind = &kinds[_i];
    rwl_copies_stats stats = {0};
    make_table(kind);
    const char *rows = test_sorted(test_rows("t"));
    rwl_rewrite_options o = {.rewrite_all = true, .damage = look, .damage_ctx = &stats};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.groups_stitched, 1);
    ck_assert_msg(stats.compared == kind->compared && stats.decoded == kind->decoded &&
                      stats.in_part == kind->in_part,
                  "%s: %lld, %lld and %lld", kind->what, (long long)stats.compared, (long long)stats.decoded,
                  (long long)stats.in_part);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
}
END_TEST

Suite *suite_verify_copies(void) {
    Suite *suite = suite_create("verify copies");
    TCase *tcase = tcase_create("verify copies");
    tcase_add_checked_fixture(tcase, engine_setup, engine_teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_flipped_bit_is_found_wherever_it_matters, 0, KIND_COUNT);
    tcase_add_loop_test(tcase, pages_in_each_others_places_are_found, 0, MISPLACING_COUNT);
    tcase_add_loop_test(tcase, files_that_are_not_as_their_entries_say_are_found, 0, 2);
    tcase_add_loop_test(tcase, what_can_be_read_on_neither_side_is_blamed_on_the_source, 0, 2);
    tcase_add_loop_test(tcase, copies_are_compared_by_bytes_and_other_columns_decoded, 0, KIND_COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}
