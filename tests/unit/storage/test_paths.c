/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of moved tables; expected values from CLI.md, "Moved tables", rule by rule. */
#include "storage/paths.h"

#include "storage_tests.h"

static void check_text(rwl_status st, rwl_buf *buf, const char *expected, const char *input) {
    if (!expected) {
        ck_assert_msg(st != RWL_OK, "%s", input);
    } else {
        ck_assert_msg(st == RWL_OK, "%s", input);
        ck_assert_str_eq((const char *)buf->data, expected);
    }
    rwl_buf_clear(buf);
}

START_TEST(file_urls_are_paths_and_other_schemes_are_refused_by_name) {
    static const struct {
        const char *location, *path;
    } cases[] = {{"/a/b", "/a/b"},
                 {"a/b", "a/b"},
                 {"file:/a/b", "/a/b"},
                 {"file:///a/b", "/a/b"},
                 {"file:////a/b", "/a/b"},
                 {"FILE:///a b%20c", "/a b%20c"}, /* Iceberg writes paths into URLs unescaped */
                 {"a:b/c", "a:b/c"},
                 {"file://localhost/a/b", "/a/b"},
                 {"file://localhost", NULL},
                 {"file://localhosts/a", NULL},
                 {"file://host/a", NULL},
                 {"file:a", NULL},
                 {"s3://bucket/a", NULL},
                 {"hdfs:/a", NULL},
                 {"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path;
        rwl_error err;
        rwl_status st = rwl_paths_strip(cases[i].location, &path, &err);
        ck_assert_msg((st == RWL_OK) == (cases[i].path != NULL), "%s", cases[i].location);
        if (st == RWL_OK)
            ck_assert_str_eq(path, cases[i].path);
    }
    const char *path;
    rwl_error err;
    ck_assert_int_eq(rwl_paths_strip("s3://bucket/a", &path, &err), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "'s3'"));
}
END_TEST

START_TEST(maps_match_whole_components_and_the_longest_wins) {
    static const rwl_path_map maps[] = {
        {"/wh", "/copy"}, {"file:///wh/db/t", "moved"}, {"s3://bucket/wh/", "/s3/"}, {"/slash/", "/to/"}};
    static const struct {
        const char *location, *path;
        bool mapped;
    } cases[] = {{"/wh/x/y.parquet", "/copy/x/y.parquet", true},
                 {"/wh", "/copy", true},
                 {"/wh/", "/copy", true},
                 {"/whx/y", "/whx/y", false},
                 {"file:/wh/x", "/copy/x", true},
                 {"file:///wh/x", "/copy/x", true},
                 {"/wh/db/t/data/f", "moved/data/f", true}, /* longest FROM, relative TO */
                 {"/wh/db/tt/f", "/copy/db/tt/f", true},
                 {"/wh//db//t//data//f", "moved/data//f", true}, /* what follows FROM stays byte for byte */
                 {"s3://bucket/wh/a", "/s3/a", true},
                 {"/slash/a", "/to/a", true},
                 {"wh/x", "wh/x", false},
                 {"/wh/../etc/passwd", NULL, false},
                 {"/wh/a/..", NULL, false},
                 {"/wh/a..b", "/copy/a..b", true},
                 {"/other/../x", "/other/../x", false},
                 {"s3://bucket/other", NULL, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_buf buf;
        bool mapped = false;
        rwl_env_init_default(&env);
        rwl_buf_init(&buf, &env, SIZE_MAX);
        rwl_status st = rwl_paths_map(maps, 4, cases[i].location, &buf, &mapped, NULL);
        check_text(st, &buf, cases[i].path, cases[i].location);
        if (cases[i].path)
            ck_assert_int_eq(mapped, cases[i].mapped);
    }
}
END_TEST

START_TEST(senseless_maps_are_refused) {
    static const rwl_path_map cases[][2] = {{{"", "/a"}, {"/b", "/c"}},
                                            {{"/a", ""}, {"/b", "/c"}},
                                            {{"/a", "s3://b"}, {"/b", "/c"}},
                                            {{"/a", "/b"}, {"file:///a/", "/c"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_store *store;
        rwl_env_init_default(&env);
        ck_assert_int_ne(rwl_store_local_new(&env, cases[i], 2, &store, NULL), RWL_OK);
        ck_assert_ptr_null(store);
    }
}
END_TEST

START_TEST(paths_split_at_the_last_slash) {
    static const struct {
        const char *path, *dir, *name;
    } cases[] = {{"/a/b", "/a", "b"}, {"b", ".", "b"},      {"/b", "/", "b"},
                 {"a/", NULL, NULL},  {"a/..", NULL, NULL}, {".", NULL, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_buf buf;
        const char *name;
        rwl_env_init_default(&env);
        rwl_buf_init(&buf, &env, SIZE_MAX);
        rwl_status st = rwl_paths_split(cases[i].path, &buf, &name, NULL);
        if (st == RWL_OK)
            ck_assert_str_eq(name, cases[i].name);
        check_text(st, &buf, cases[i].dir, cases[i].path);
    }
}
END_TEST

TCase *paths_tests(void) {
    TCase *tc = tcase_create("paths");
    tcase_add_test(tc, file_urls_are_paths_and_other_schemes_are_refused_by_name);
    tcase_add_test(tc, maps_match_whole_components_and_the_longest_wins);
    tcase_add_test(tc, senseless_maps_are_refused);
    tcase_add_test(tc, paths_split_at_the_last_slash);
    return tc;
}
