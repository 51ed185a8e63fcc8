/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of catalog/ and holds their helpers. */
#include "catalog_test.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

fixture fx;

static void keep_log(void *ctx, rwl_log_level level, const char *line) {
    (void)ctx;
    (void)level;
    size_t len = strlen(fx.log);
    snprintf(fx.log + len, sizeof fx.log - len, "%s\n", line);
}

void setup(void) {
    memset(&fx, 0, sizeof fx);
    rwl_env_init_default(&fx.env);
    fx.env.log = keep_log;
    rwl_op_init(&fx.op, &fx.env, 0);
    rwl_arena_init(&fx.arena, &fx.env, 0);
    snprintf(fx.root, sizeof fx.root, "/tmp/rwl-catalog-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(fx.root));
    snprintf(fx.table, sizeof fx.table, "%s/db/events", fx.root);
    ASSERT_OK(rwl_store_local_new(&fx.env, NULL, 0, &fx.store, err));
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *walk) {
    (void)st;
    (void)kind;
    (void)walk;
    return remove(path);
}

void teardown(void) {
    rwl_store_free(fx.store);
    rwl_arena_clear(&fx.arena);
    nftw(fx.root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *under_table(const char *name) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", fx.table, name);
    return path;
}

void write_file(const char *name, const char *content) {
    char path[256];
    snprintf(path, sizeof path, "%s", under_table(name));
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(content, file);
    fclose(file);
}

const char *read_file(const char *name) {
    static char text[4096];
    FILE *file = fopen(under_table(name), "r");
    size_t len = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[len] = '\0';
    if (file != NULL)
        fclose(file);
    return text;
}

bool file_exists(const char *name) {
    return access(under_table(name), F_OK) == 0;
}

int count_files(const char *prefix) {
    int count = 0;
    DIR *dir = opendir(under_table("metadata"));
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && strcmp(entry->d_name, ".") != 0 &&
                 strcmp(entry->d_name, "..") != 0;
    if (dir != NULL)
        closedir(dir);
    return count;
}

rwl_status swap_text(const rwl_place *place, int64_t number, const char *text, bool gzip, rwl_error *err) {
    const char *location;
    return rwl_place_swap(place, &fx.op, number, rwl_span_str(text), gzip, &fx.arena, &location, err);
}

void assert_newest(const rwl_place *place, int64_t number, const char *text) {
    rwl_version version;
    ASSERT_OK(rwl_place_load(place, &fx.op, &fx.arena, &version, err));
    ck_assert_int_eq(version.number, number);
    ck_assert_uint_eq(version.text.len, strlen(text));
    ck_assert(memcmp(version.text.data, text, strlen(text)) == 0);
    rwl_buf_clear(&version.text);
}

rwl_place find_place(const char *name) {
    rwl_place place;
    ASSERT_OK(rwl_place_find(fx.store, &fx.op, name, &fx.arena, &place, err));
    return place;
}

int main(void) {
    SRunner *runner = srunner_create(names_suite());
    srunner_add_suite(runner, place_suite());
    srunner_add_suite(runner, swap_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
