/* SPDX-License-Identifier: Apache-2.0 */
/* Finding tables: layouts, hints, gzip, metadata files, moved tables. */
#include "catalog_test.h"
#include "codec/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_packed(const char *name, rwl_codec_id id, const char *text) {
    rwl_codec *codec;
    rwl_buf packed;
    rwl_buf_init(&packed, &fx.env, SIZE_MAX);
    ASSERT_OK(rwl_codec_new(&fx.env, id, 0, &codec, err));
    ASSERT_OK(rwl_codec_compress(codec, rwl_span_str(text), &packed, err));
    write_file(name, "");
    FILE *file = fopen(under_table(name), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(packed.data, 1, packed.len, file), packed.len);
    fclose(file);
    rwl_codec_free(codec);
    rwl_buf_clear(&packed);
}

START_TEST(newest_version_is_found_by_number_whatever_the_hint_says) {
    static const char *const hints[] = {NULL, "10", "2", "9", "junk", "", "-3"};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        write_file("metadata/v2.metadata.json", "two");
        write_file("metadata/v9.metadata.json", "nine");
        write_file("metadata/v10.metadata.json", "ten");
        write_file("metadata/v011.metadata.json", "malformed");
        write_file("metadata/.v12.metadata.json.x.tmp", "unfinished");
        if (hints[i] != NULL)
            write_file("metadata/version-hint.text", hints[i]);
        rwl_place place = find_place(fx.table);
        ck_assert_int_eq((int)place.layout, (int)RWL_LAYOUT_VERSIONS);
        ck_assert_ptr_null(place.refusal);
        ck_assert_str_eq(place.directory, fx.table);
        assert_newest(&place, 10, "ten");
    }
}
END_TEST

/* 5 was committed, since hints are written afterwards: a commit on 4 would give its ids out again (law 2) */
START_TEST(a_hint_above_the_newest_version_is_a_lost_commit) {
    write_file("metadata/v4.metadata.json", "four");
    write_file("metadata/version-hint.text", "5");
    rwl_place place = find_place(fx.table);
    ck_assert(strstr(fx.log, "version-hint.text says 5") != NULL);
    assert_newest(&place, 4, "four");
    ASSERT_FAILS(RWL_UNSUPPORTED, "newest metadata is v4.metadata.json",
                 swap_text(&place, 5, "x", false, err));
    ck_assert_int_eq(count_files("metadata/v5"), 0);
    write_file("metadata/v5.gz.metadata.json", "it is back");
    place = find_place(fx.table);
    ck_assert_ptr_null(place.refusal);
}
END_TEST

START_TEST(a_table_is_named_by_directory_or_url) {
    write_file("metadata/v1.metadata.json", "one");
    char name[160];
    const char *const forms[] = {"%s", "%s/", "%s//", "file:%s", "file://%s", "file://%s/"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t len = strlen(forms[i]), at = (size_t)(strstr(forms[i], "%s") - forms[i]);
        snprintf(name, sizeof name, "%.*s%s%s", (int)at, forms[i], fx.table, forms[i] + at + 2);
        ck_assert_uint_lt(len, sizeof name);
        rwl_place place = find_place(name);
        assert_newest(&place, 1, "one");
        ASSERT_OK(rwl_place_check_location(&place, &fx.op, fx.table, err));
    }
}
END_TEST

START_TEST(gzip_in_both_names) {
    write_packed("metadata/v1.gz.metadata.json", RWL_CODEC_GZIP, "{\"a\": 1}");
    rwl_place place = find_place(fx.table);
    assert_newest(&place, 1, "{\"a\": 1}");
    write_packed("metadata/v2.metadata.json.gz", RWL_CODEC_GZIP, "{\"a\": 2}");
    assert_newest(&place, 2, "{\"a\": 2}");
    write_file("metadata/v2.metadata.json", "plain"); /* Java looks for the plain one first */
    assert_newest(&place, 2, "plain");
    write_file("metadata/v3.gz.metadata.json", "not gzip");
    rwl_version version;
    ASSERT_FAILS(RWL_CORRUPT, "v3.gz.metadata.json",
                 rwl_place_load(&place, &fx.op, &fx.arena, &version, err));
}
END_TEST

/* Writers with names of their own, and stores that unpack what they hand out. */
START_TEST(compression_is_told_by_the_content) {
    static const struct {
        const char *name;
        rwl_codec_id id;
    } cases[] = {{"metadata/v1.metadata.json", RWL_CODEC_GZIP},
                 {"metadata/v2.metadata.json", RWL_CODEC_ZSTD},
                 {"metadata/v3.gz.metadata.json", RWL_CODEC_ZSTD},
                 {"metadata/v4.gz.metadata.json", RWL_CODEC_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].id == RWL_CODEC_NONE)
            write_file(cases[i].name, "{\"a\": 1}");
        else
            write_packed(cases[i].name, cases[i].id, "{\"a\": 1}");
        rwl_place place = find_place(fx.table);
        assert_newest(&place, (int64_t)i + 1, "{\"a\": 1}");
    }
}
END_TEST

/* 300 MB of nothing, packed in some kilobytes or a hole: refused by its size, before any of it is parsed. */
START_TEST(documents_above_the_limit_are_refused) {
    static const char *const names[] = {"metadata/v1.metadata.json", "metadata/v1.gz.metadata.json"};
    if (_i == 0) {
        write_file(names[0], "{");
        ck_assert_int_eq(truncate(under_table(names[0]), 300 << 20), 0);
    } else {
        char *spaces = malloc((300 << 20) + 1);
        memset(spaces, ' ', 300 << 20);
        spaces[300 << 20] = '\0';
        write_packed(names[1], RWL_CODEC_GZIP, spaces);
        free(spaces);
    }
    rwl_place place = find_place(fx.table);
    rwl_version version;
    ASSERT_FAILS(RWL_UNSUPPORTED, "metadata is limited to 256 MB",
                 rwl_place_load(&place, &fx.op, &fx.arena, &version, err));
}
END_TEST

START_TEST(no_table) {
    rwl_place place;
    rwl_version version;
    ASSERT_FAILS(RWL_NOT_FOUND, "no table at",
                 rwl_place_find(fx.store, &fx.op, fx.table, &fx.arena, &place, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "no table at",
                 rwl_place_find(fx.store, &fx.op, fx.root, &fx.arena, &place, err));
    write_file("metadata/version-hint.text", "3");
    ASSERT_FAILS(RWL_NOT_FOUND, "no table at",
                 rwl_place_find(fx.store, &fx.op, fx.table, &fx.arena, &place, err));
    ASSERT_FAILS(
        RWL_UNSUPPORTED, "neither a table's directory nor",
        rwl_place_find(fx.store, &fx.op, under_table("metadata/version-hint.text"), &fx.arena, &place, err));
    ASSERT_OK(rwl_place_create(fx.store, &fx.op, fx.table, &fx.arena, &place, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "no table at", rwl_place_load(&place, &fx.op, &fx.arena, &version, err));
}
END_TEST

START_TEST(a_catalogs_table_is_read_and_not_changed) {
    write_file("metadata/00009-aa.metadata.json", "nine");
    write_file("metadata/00010-bb.metadata.json", "ten");
    rwl_place place = find_place(fx.table);
    ck_assert_int_eq((int)place.layout, (int)RWL_LAYOUT_FOREIGN);
    assert_newest(&place, 10, "ten");
    ASSERT_FAILS(RWL_UNSUPPORTED, "changed only through its catalog", swap_text(&place, 11, "x", false, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "00010-bb.metadata.json", swap_text(&place, 11, "x", false, err));
    ck_assert_int_eq(count_files(""), 2);
    /* a hint that names no version of ours does not make it ours */
    write_file("metadata/version-hint.text", "10");
    place = find_place(fx.table);
    ck_assert_ptr_nonnull(place.refusal);
    /* an orphan of a lost race beside the newest: only the catalog knows */
    write_file("metadata/00010-cc.metadata.json", "other");
    rwl_version version;
    ASSERT_FAILS(RWL_UNSUPPORTED, "two newest metadata files",
                 rwl_place_load(&place, &fx.op, &fx.arena, &version, err));
}
END_TEST

START_TEST(two_layouts_need_a_deciding_hint) {
    write_file("metadata/00002-aa.metadata.json", "theirs");
    write_file("metadata/v1.metadata.json", "old");
    write_file("metadata/v2.metadata.json", "ours");
    static const char *const undecided[] = {NULL, "9", "junk"};
    for (size_t i = 0; i < sizeof undecided / sizeof *undecided; i++) {
        if (undecided[i] != NULL)
            write_file("metadata/version-hint.text", undecided[i]);
        rwl_place place = find_place(fx.table);
        ck_assert_ptr_nonnull(place.refusal);
        ck_assert(strstr(place.refusal, "v2.metadata.json and 00002-aa.metadata.json") != NULL);
        ASSERT_FAILS(RWL_UNSUPPORTED, "two layouts", swap_text(&place, 3, "x", false, err));
        assert_newest(&place, 2, "theirs"); /* the third version of theirs, the second of ours */
        ck_assert(strstr(fx.log, "reading 00002-aa.metadata.json") != NULL);
    }
    write_file("metadata/version-hint.text", "1"); /* low, but of ours */
    rwl_place place = find_place(fx.table);
    ck_assert_ptr_null(place.refusal);
    assert_newest(&place, 2, "ours");
    ASSERT_OK(swap_text(&place, 3, "three", false, err));
}
END_TEST

START_TEST(a_metadata_file_is_a_read_only_table) {
    write_file("metadata/v1.metadata.json", "one");
    write_file("metadata/v2.metadata.json", "two");
    rwl_place place = find_place(under_table("metadata/v1.metadata.json"));
    ck_assert_int_eq((int)place.layout, (int)RWL_LAYOUT_FILE);
    ck_assert_str_eq(place.directory, fx.table);
    assert_newest(&place, 0, "one");
    ASSERT_FAILS(RWL_UNSUPPORTED, "read only", swap_text(&place, 2, "x", false, err));
    ASSERT_OK(rwl_place_check_location(&place, &fx.op, fx.table, err));
    ASSERT_FAILS(RWL_UNSUPPORTED,
                 "--map-path /elsewhere/t=", rwl_place_check_location(&place, &fx.op, "/elsewhere/t", err));
    write_file("copy.metadata.json", "copied"); /* outside the metadata folder: the location is believed */
    place = find_place(under_table("copy.metadata.json"));
    ASSERT_OK(rwl_place_check_location(&place, &fx.op, fx.root, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "--map-path",
                 rwl_place_check_location(&place, &fx.op, "/elsewhere/t", err));
}
END_TEST

START_TEST(a_moved_table_is_refused_with_the_flag_to_use) {
    write_file("metadata/v1.metadata.json", "one");
    rwl_place place = find_place(fx.table);
    char want[256];
    snprintf(want, sizeof want, "say --map-path file:///old/wh/events=%s", fx.table);
    ASSERT_FAILS(RWL_UNSUPPORTED, want,
                 rwl_place_check_location(&place, &fx.op, "file:///old/wh/events/", err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "--map-path s3://bucket/db/events=",
                 rwl_place_check_location(&place, &fx.op, "s3://bucket/db/events", err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "--map-path", rwl_place_check_location(&place, &fx.op, fx.root, err));
}
END_TEST

START_TEST(a_mapped_table_and_a_linked_one_lie_where_they_should) {
    write_file("metadata/v1.metadata.json", "one");
    static const char *const from[] = {"/old/wh", "file:/old/wh", "s3://bucket/wh"};
    static const char *const locations[] = {"file:///old/wh/events", "/old/wh/events",
                                            "s3://bucket/wh/events"};
    char to[96];
    snprintf(to, sizeof to, "%s/db", fx.root);
    for (size_t i = 0; i < 3; i++) {
        rwl_path_map map = {from[i], to};
        rwl_store_free(fx.store);
        ASSERT_OK(rwl_store_local_new(&fx.env, &map, 1, &fx.store, err));
        rwl_place place = find_place(fx.table);
        ASSERT_OK(rwl_place_check_location(&place, &fx.op, locations[i], err));
        ASSERT_FAILS(RWL_UNSUPPORTED, "--map-path",
                     rwl_place_check_location(&place, &fx.op, "/old/wh2/events", err));
    }
    char link[96];
    snprintf(link, sizeof link, "%s/link", fx.root);
    ck_assert_int_eq(symlink(to, link), 0);
    char location[128];
    snprintf(location, sizeof location, "%s/events", link);
    rwl_place place = find_place(fx.table);
    ASSERT_OK(rwl_place_check_location(&place, &fx.op, location, err));
}
END_TEST

START_TEST(create_refuses_what_is_there) {
    rwl_place place;
    ASSERT_OK(rwl_place_create(fx.store, &fx.op, fx.table, &fx.arena, &place, err));
    ASSERT_OK(swap_text(&place, 1, "first", false, err));
    ASSERT_FAILS(RWL_EXISTS, "is a table already (v1.metadata.json)",
                 rwl_place_create(fx.store, &fx.op, fx.table, &fx.arena, &place, err));
    write_file("file", "");
    ASSERT_FAILS(RWL_EXISTS, "is a file",
                 rwl_place_create(fx.store, &fx.op, under_table("file"), &fx.arena, &place, err));
    write_file("other/metadata/00000-a.metadata.json", "");
    ASSERT_FAILS(RWL_EXISTS, "00000-a.metadata.json",
                 rwl_place_create(fx.store, &fx.op, under_table("other"), &fx.arena, &place, err));
}
END_TEST

START_TEST(a_huge_document_is_refused) {
    write_file("metadata/v1.metadata.json", "");
    ck_assert_int_eq(truncate(under_table("metadata/v1.metadata.json"), (off_t)(256 << 20) + 1), 0);
    rwl_place place = find_place(fx.table);
    rwl_version version;
    ASSERT_FAILS(RWL_UNSUPPORTED, "metadata is limited to 256 MB",
                 rwl_place_load(&place, &fx.op, &fx.arena, &version, err));
}
END_TEST

Suite *place_suite(void) {
    Suite *suite = suite_create("place");
    TCase *t = tcase_create("place");
    suite_add_tcase(suite, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, newest_version_is_found_by_number_whatever_the_hint_says);
    tcase_add_test(t, a_hint_above_the_newest_version_is_a_lost_commit);
    tcase_add_test(t, a_table_is_named_by_directory_or_url);
    tcase_add_test(t, gzip_in_both_names);
    tcase_add_test(t, compression_is_told_by_the_content);
    tcase_add_loop_test(t, documents_above_the_limit_are_refused, 0, 2);
    tcase_add_test(t, no_table);
    tcase_add_test(t, a_catalogs_table_is_read_and_not_changed);
    tcase_add_test(t, two_layouts_need_a_deciding_hint);
    tcase_add_test(t, a_metadata_file_is_a_read_only_table);
    tcase_add_test(t, a_moved_table_is_refused_with_the_flag_to_use);
    tcase_add_test(t, a_mapped_table_and_a_linked_one_lie_where_they_should);
    tcase_add_test(t, create_refuses_what_is_there);
    tcase_add_test(t, a_huge_document_is_refused);
    return suite;
}
