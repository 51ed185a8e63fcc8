/* SPDX-License-Identifier: Apache-2.0 */
/* Surroundings of engine tests: the temporary folder, the environment, tables changed by the engine. */
#define _XOPEN_SOURCE 700
#include "engine_test.h"

#include "base/uuid.h"
#include "scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rwl_env env;
static rwl_op op;
static rwl_arena arena;
static char folder[256];
static rwl_path_map maps[1];

rwl_env *test_env(void) {
    return &env;
}
rwl_op *test_op(void) {
    return &op;
}
rwl_arena *test_arena(void) {
    return &arena;
}

static void sleep_never(void *ctx, int64_t ms) {
    (void)ctx, (void)ms;
}

void engine_setup(void) {
    snprintf(folder, sizeof folder, "%s/rowline-test-XXXXXX", scratch_place());
    ck_assert_ptr_nonnull(mkdtemp(folder));
    rwl_env_init_default(&env);
    env.sleep_ms = sleep_never;
    rwl_arena_init(&arena, &env, 0);
    rwl_op_init(&op, &env, 0);
    maps[0] = (rwl_path_map){"/tmp/golden-icebird", test_path("golden")};
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

void engine_teardown(void) {
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    rwl_arena_clear(&arena);
}

Suite *test_suite(const char *name, const TTest *const *tests, size_t count) {
    Suite *suite = suite_create(name);
    TCase *tc = tcase_create(name);
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, engine_setup, engine_teardown);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tc, tests[i]);
    suite_add_tcase(suite, tc);
    return suite;
}

const char *test_path(const char *name) {
    const char *path = rwl_arena_printf(&arena, "%s/%s", folder, name);
    ck_assert_ptr_nonnull(path);
    return path;
}

const char *test_write(const char *name, const char *text) {
    const char *path = test_path(name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    for (; *text != '\0'; text++)
        fputc(*text == '\'' ? '"' : *text, file);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

/* --- tables --- */

void test_create_with(const char *name, const rwl_create_options *options) {
    ASSERT_OK(rwl_create_table(&op, test_path(name), options, err));
}

void test_create(const char *name, int32_t version, const char *schema, const char *partition,
                 const char *sort) {
    rwl_create_options options = {
        .schema = schema, .partition = partition, .sort = sort, .format_version = version};
    test_create_with(name, &options);
}

static void copy_file(const char *from, const char *to) {
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    ck_assert_msg(in != NULL && out != NULL, "copying %s to %s", from, to);
    char block[16384];
    for (size_t got; (got = fread(block, 1, sizeof block, in)) > 0;)
        ck_assert_uint_eq(fwrite(block, 1, got, out), got);
    fclose(in);
    ck_assert_int_eq(fclose(out), 0);
}

static void copy_folder(const char *from, const char *to) {
    ck_assert_int_eq(mkdir(to, 0755), 0);
    DIR *dir = opendir(from);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        const char *source = rwl_arena_printf(&arena, "%s/%s", from, e->d_name);
        const char *target = rwl_arena_printf(&arena, "%s/%s", to, e->d_name);
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || stat(source, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            copy_folder(source, target);
        else
            copy_file(source, target);
    }
    closedir(dir);
}

bool test_golden(const char *table, int version) {
    const char *from = rwl_arena_printf(&arena, "%s/golden-icebird/%s", FIXTURES_DIR, table);
    if (access(from, R_OK) != 0) {
        fprintf(stderr, "skipped: no fixtures at %s\n", from);
        return false;
    }
    mkdir(test_path("golden"), 0755);
    const char *name = rwl_arena_printf(&arena, "golden/%s", table);
    copy_folder(from, test_path(name));
    for (int v = version + 1; version > 0 && v < 100; v++)
        unlink(test_path(rwl_arena_printf(&arena, "%s/metadata/v%d.metadata.json", name, v)));
    if (version > 0)
        test_write(rwl_arena_printf(&arena, "%s/metadata/version-hint.text", name),
                   rwl_arena_printf(&arena, "%d", version));
    return true;
}

static rwl_table *open_table(const char *name, bool for_change) {
    bool golden = strncmp(name, "golden/", 7) == 0;
    rwl_table_options options = {.maps = maps, .map_count = golden, .for_change = for_change};
    rwl_table *t = NULL;
    ASSERT_OK(rwl_table_open(&op, test_path(name), &options, &t, err));
    return t;
}

rwl_table *test_open(const char *name) {
    return open_table(name, true);
}

void test_close(rwl_table *t) {
    rwl_table_free(t);
}

void test_wrap_store(rwl_table *t, rwl_store *wrapper) {
    t->store = wrapper;
    t->place.store = wrapper;
}

rwl_status try_append(rwl_table *t, rwl_op *with, const char *lines, rwl_commit_outcome *out,
                      rwl_error *err) {
    static int number;
    const char *path = test_write(rwl_arena_printf(&arena, "rows-%d.jsonl", number++), lines);
    rwl_input *input = NULL;
    RWL_TRY(rwl_input_open_jsonl(with, path, t->metadata->schema, &input, err));
    rwl_change_options options = {0};
    rwl_status st = rwl_append(t, with, &input, 1, &options, out, err);
    rwl_input_close(input);
    unlink(path);
    return st;
}

rwl_commit_outcome test_append(const char *name, const char *lines) {
    rwl_table *t = test_open(name);
    rwl_commit_outcome out;
    ASSERT_OK(try_append(t, &op, lines, &out, err));
    test_close(t);
    return out;
}

rwl_commit_outcome test_delete(const char *name, const char *where) {
    rwl_table *t = test_open(name);
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    ASSERT_OK(rwl_delete(t, &op, where, &options, &out, err));
    test_close(t);
    return out;
}

test_rewritten test_rewrite(const char *name, const rwl_rewrite_options *options) {
    const rwl_rewrite_options all = {.rewrite_all = true};
    rwl_table *t = test_open(name);
    test_rewritten out;
    memset(&out, 0, sizeof out);
    ASSERT_OK(rwl_rewrite(t, &op, options != NULL ? options : &all, &out.commit, &out.rewrite, err));
    test_close(t);
    return out;
}

rwl_status try_rewrite(const char *name, const rwl_rewrite_options *options, rwl_error *err) {
    rwl_table *t = test_open(name);
    test_rewritten out;
    rwl_status st = rwl_rewrite(t, &op, options, &out.commit, &out.rewrite, err);
    test_close(t);
    return st;
}

rwl_upgrade_report test_upgrade(const char *name, bool assign) {
    rwl_table *t = test_open(name);
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    rwl_upgrade_report report;
    ASSERT_OK(rwl_upgrade_table(t, &op, 3, assign, &options, &arena, &out, &report, err));
    test_close(t);
    return report;
}

int64_t test_target(int64_t bytes, int64_t files) {
    for (int64_t target = bytes / files + 1; target > 1; target--) {
        rwl_rewrite_rules rules = {.target_bytes = target,
                                   .min_bytes = (int64_t)((double)target * 0.75),
                                   .max_bytes = (int64_t)((double)target * 1.8)};
        if (rwl_rewrite_expected_files(&rules, bytes) == files)
            return target;
    }
    ck_abort_msg("no target makes %lld files of %lld bytes", (long long)files, (long long)bytes);
    return 0;
}

int64_t test_bytes(const char *name) {
    test_head head = test_read_head(name);
    int64_t bytes = 0;
    for (int32_t i = 0; i < head.data_files; i++)
        bytes += test_live(&head, i)->file.file_size;
    return bytes;
}

/* --- rows --- */

static void put_cell(rwl_buf *out, const rwl_field *field, const rwl_column *column, int64_t row) {
    rwl_value v = rwl_column_value(column, row);
    if (v.is_null)
        ASSERT_OK(rwl_buf_append(out, "null", 4, err));
    else
        ASSERT_OK(rwl_value_format(&field->type, &v, out, err));
}

static void put_row(rwl_buf *out, const rwl_field *fields, int32_t count, bool lineage,
                    const rwl_batch *batch, int64_t row) {
    if (out->len > 0)
        ASSERT_OK(rwl_buf_u8(out, ' ', err));
    for (int32_t i = 0; i < count; i++) {
        char before = i == 0 ? 0 : lineage && i == count - 2 ? '=' : lineage && i == count - 1 ? '/' : ',';
        if (before != 0)
            ASSERT_OK(rwl_buf_u8(out, (uint8_t)before, err));
        put_cell(out, &fields[i], &batch->columns[i], row);
    }
}

static const char *scan_text(const char *name, const char *select, bool lineage) {
    rwl_table *t = open_table(name, false);
    rwl_scan_options options = {.rows = {.select = select, .lineage = lineage}, .limit = -1};
    rwl_scan *scan = NULL;
    rwl_batch batch;
    rwl_buf out;
    int32_t count;
    ASSERT_OK(rwl_scan_open(t, &op, &options, &scan, err));
    const rwl_field *fields = rwl_scan_fields(scan, &count);
    ASSERT_OK(rwl_batch_init(&batch, &env, fields, count, err));
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (;;) {
        ASSERT_OK(rwl_scan_next(scan, &batch, err));
        if (batch.length == 0)
            break;
        for (int64_t row = 0; row < batch.length; row++)
            put_row(&out, fields, count, lineage, &batch, row);
    }
    const char *text = rwl_arena_strndup(&arena, out.len > 0 ? (const char *)out.data : "", out.len);
    ck_assert_ptr_nonnull(text);
    rwl_buf_clear(&out);
    rwl_batch_clear(&batch);
    rwl_scan_close(scan);
    test_close(t);
    return text;
}

const char *test_rows(const char *name) {
    return scan_text(name, NULL, true);
}
const char *test_values(const char *name, const char *select) {
    return scan_text(name, select, false);
}

static int compare_words(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    double left = strtod(x, NULL), right = strtod(y, NULL);
    return left < right ? -1 : left > right ? 1 : strcmp(x, y);
}

const char *test_sorted(const char *words) {
    char *copy = rwl_arena_strdup(&arena, words), *state = NULL;
    const char **list = rwl_arena_array(&arena, strlen(words) / 2 + 1, sizeof *list);
    size_t count = 0;
    for (char *w = strtok_r(copy, " \n", &state); w != NULL; w = strtok_r(NULL, " \n", &state))
        list[count++] = w;
    qsort(list, count, sizeof *list, compare_words);
    char *out = rwl_arena_alloc(&arena, strlen(words) + 2), *end = out;
    *out = '\0';
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, "%s%s", i > 0 ? " " : "", list[i]);
    return out;
}

static rwl_buf listing;

static int list_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
    (void)st, (void)ftw;
    if (flag == FTW_F && (rwl_buf_append(&listing, path, strlen(path), NULL) != RWL_OK ||
                          rwl_buf_u8(&listing, '\n', NULL) != RWL_OK))
        return 1;
    return 0;
}

const char *test_listing(const char *name) {
    rwl_buf_init(&listing, &env, SIZE_MAX);
    ck_assert_int_eq(nftw(test_path(name), list_one, 16, FTW_PHYS), 0);
    const char *text = rwl_arena_strndup(&arena, (const char *)listing.data, listing.len);
    rwl_buf_clear(&listing);
    return test_sorted(text);
}

/* --- memory --- */

static atomic_llong live_bytes, peak_bytes;

static void count_bytes(int64_t change) {
    long long now = atomic_fetch_add(&live_bytes, change) + change;
    long long peak = atomic_load(&peak_bytes);
    while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now))
        ;
}

static int64_t block_size(void *block) {
    return block != NULL ? (int64_t)malloc_usable_size(block) : 0;
}

static void *counting_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    int64_t before = block_size(old);
    if (size == 0) {
        count_bytes(-before);
        free(old);
        return NULL;
    }
    void *block = realloc(old, size);
    if (block != NULL)
        count_bytes(block_size(block) - before);
    return block;
}

static void *counting_alloc(void *ctx, size_t alignment, size_t size) {
    (void)ctx;
    void *block = NULL;
    if (posix_memalign(&block, alignment, size > 0 ? size : 1) != 0)
        return NULL;
    count_bytes(block_size(block));
    return block;
}

static void counting_free(void *ctx, void *block) {
    (void)ctx;
    count_bytes(-block_size(block));
    free(block);
}

void test_count_memory(void) {
    env.realloc = counting_realloc;
    env.alloc_aligned = counting_alloc;
    env.free_aligned = counting_free;
    atomic_store(&live_bytes, 0);
    atomic_store(&peak_bytes, 0);
}

int64_t test_peak_memory(void) {
    return atomic_load(&peak_bytes);
}
