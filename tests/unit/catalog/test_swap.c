/* SPDX-License-Identifier: Apache-2.0 */
/* The swap: conflicts, races, lost replies, other engines, and each call failing in turn. */
#include "catalog_test.h"
#include "storage/test_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static rwl_place new_table(void) {
    rwl_place place;
    ASSERT_OK(rwl_place_create(fx.store, &fx.op, fx.table, &fx.arena, &place, err));
    ASSERT_OK(swap_text(&place, 1, "one", false, err));
    return place;
}

START_TEST(a_commit_writes_version_and_hint_and_removes_stale_checksums) {
    rwl_place place = new_table();
    ck_assert_str_eq(read_file("metadata/version-hint.text"), "1");
    write_file("metadata/.version-hint.text.crc", "stale");
    write_file("metadata/.v2.metadata.json.crc", "stale");
    const char *location = NULL;
    ASSERT_OK(rwl_place_swap(&place, &fx.op, 2, rwl_span_str("two"), false, &fx.arena, &location, err));
    ck_assert_str_eq(location, under_table("metadata/v2.metadata.json"));
    ck_assert_str_eq(read_file("metadata/v1.metadata.json"), "one");
    ck_assert_str_eq(read_file("metadata/v2.metadata.json"), "two");
    ck_assert_str_eq(read_file("metadata/version-hint.text"), "2");
    ck_assert_int_eq(count_files("."), 0); /* no checksum, no temporary file */
    ck_assert_int_eq(count_files(""), 3);
    assert_newest(&place, 2, "two");
}
END_TEST

START_TEST(gzip_is_written_and_read) {
    rwl_place place = new_table();
    ASSERT_OK(swap_text(&place, 2, "{\"two\": 2}", true, err));
    ck_assert(file_exists("metadata/v2.gz.metadata.json"));
    ck_assert_int_eq((unsigned char)read_file("metadata/v2.gz.metadata.json")[0], 0x1f);
    assert_newest(&place, 2, "{\"two\": 2}");
}
END_TEST

START_TEST(every_form_of_the_version_is_a_conflict) {
    static const char *const taken[] = {"metadata/v2.metadata.json", "metadata/v2.gz.metadata.json",
                                        "metadata/v2.metadata.json.gz", "metadata/v5.metadata.json"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        for (int gzip = 0; gzip < 2; gzip++) {
            rwl_place place;
            ASSERT_OK(rwl_place_create(fx.store, &fx.op, fx.table, &fx.arena, &place, err));
            ASSERT_OK(swap_text(&place, 1, "one", false, err));
            write_file(taken[i], "theirs");
            ASSERT_FAILS(RWL_CONFLICT, "another commit came first", swap_text(&place, 2, "x", gzip, err));
            ck_assert_str_eq(read_file(taken[i]), "theirs");
            ck_assert_int_eq(count_files(""), 3); /* v1, theirs, hint */
            ck_assert_str_eq(read_file("metadata/version-hint.text"), "1");
            teardown();
            setup();
        }
}
END_TEST

START_TEST(a_version_whose_base_is_gone_is_a_conflict) {
    rwl_place place = new_table();
    ASSERT_FAILS(RWL_CONFLICT, "version 4 is gone, the newest is 1", swap_text(&place, 5, "x", false, err));
    unlink(under_table("metadata/v1.metadata.json"));
    ASSERT_FAILS(RWL_CONFLICT, "version 1 is gone, the newest is 0", swap_text(&place, 2, "x", false, err));
    ck_assert_int_eq(count_files("v2"), 0);
}
END_TEST

/* Commits `commits` versions on top of whatever others commit; the exit code tells. */
static int commit_many(char writer, int commits) {
    rwl_place place;
    rwl_store *store;
    if (rwl_store_local_new(&fx.env, NULL, 0, &store, NULL) != RWL_OK ||
        rwl_place_find(store, &fx.op, fx.table, &fx.arena, &place, NULL) != RWL_OK)
        return 1;
    for (int done = 0; done < commits;) {
        rwl_version version;
        char text[64];
        const char *location;
        if (rwl_place_load(&place, &fx.op, &fx.arena, &version, NULL) != RWL_OK)
            return 2;
        snprintf(text, sizeof text, "%c%d on %.*s", writer, done, 3, (const char *)version.text.data);
        rwl_buf_clear(&version.text);
        rwl_status st = rwl_place_swap(&place, &fx.op, version.number + 1, rwl_span_str(text), false,
                                       &fx.arena, &location, NULL);
        if (st == RWL_OK)
            done++;
        else if (st != RWL_CONFLICT)
            return 10 + (int)st;
    }
    rwl_store_free(store);
    rwl_arena_clear(&fx.arena);
    return 0;
}

START_TEST(racing_committers_lose_nothing) {
    enum { WRITERS = 3, COMMITS = 15 };
    rwl_place place = new_table();
    pid_t pids[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        pids[w] = fork();
        if (pids[w] == 0)
            _exit(commit_many((char)(w == 0 ? 'a' : 'c' + w), COMMITS)); /* all write the plain form */
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = -1;
        ck_assert_int_eq(waitpid(pids[w], &status, 0), pids[w]);
        ck_assert_int_eq(status, 0);
    }
    rwl_version version;
    ASSERT_OK(rwl_place_load(&place, &fx.op, &fx.arena, &version, err));
    ck_assert_int_eq(version.number, 1 + WRITERS * COMMITS);
    rwl_buf_clear(&version.text);
    ck_assert_int_eq(count_files("v"), 1 + WRITERS * COMMITS + 1); /* and the hint */
    ck_assert_int_eq(count_files("."), 0);
}
END_TEST

/* --- another writer at exact moments: the local store with one call replaced --- */

static const rwl_store_vtable *local_calls;
static rwl_store_vtable hooked;
static const char *hook_file;

static rwl_status create_after_theirs(rwl_store *s, rwl_op *op, const char *location, rwl_new_file **out,
                                      rwl_error *err) {
    write_file(hook_file, "theirs");
    return local_calls->create(s, op, location, out, err);
}

static rwl_status replace_after_theirs(rwl_store *s, rwl_op *op, const char *location, rwl_span content,
                                       rwl_error *err) {
    write_file("metadata/theirs.tmp", "theirs");
    ck_assert_int_eq(rename(under_table("metadata/theirs.tmp"), under_table(hook_file)), 0);
    return local_calls->replace(s, op, location, content, err);
}

static rwl_status replace_and_unlink(rwl_store *s, rwl_op *op, const char *location, rwl_span content,
                                     rwl_error *err) {
    unlink(under_table(hook_file));
    return local_calls->replace(s, op, location, content, err);
}

static rwl_status replace_and_cancel(rwl_store *s, rwl_op *op, const char *location, rwl_span content,
                                     rwl_error *err) {
    atomic_store(&fx.op.cancelled, 1);
    return local_calls->replace(s, op, location, content, err);
}

static rwl_store_vtable *hook(const char *file) {
    local_calls = fx.store->vtable;
    hooked = *local_calls;
    hook_file = file;
    fx.store->vtable = &hooked;
    return &hooked;
}

static void unhook(void) {
    fx.store->vtable = local_calls;
}

START_TEST(a_version_that_appears_before_the_link_is_a_conflict) {
    rwl_place place = new_table();
    hook("metadata/v2.metadata.json")->create = create_after_theirs;
    ASSERT_FAILS(RWL_CONFLICT, "another commit came first", swap_text(&place, 2, "ours", false, err));
    unhook();
    ck_assert_str_eq(read_file("metadata/v2.metadata.json"), "theirs");
    ck_assert_str_eq(read_file("metadata/version-hint.text"), "1");
    ck_assert_int_eq(count_files("."), 0);
}
END_TEST

START_TEST(an_engine_that_renames_over_the_commit_makes_it_unknown) {
    rwl_place place = new_table();
    hook("metadata/v2.metadata.json")->replace = replace_after_theirs;
    ASSERT_FAILS(RWL_COMMIT_UNKNOWN, "was replaced by another writer",
                 swap_text(&place, 2, "ours", false, err));
    unhook();
    ck_assert_str_eq(read_file("metadata/v2.metadata.json"), "theirs");
}
END_TEST

START_TEST(the_same_version_in_another_form_makes_it_unknown) {
    rwl_place place = new_table();
    hook("metadata/v2.gz.metadata.json")->replace = replace_after_theirs;
    ASSERT_FAILS(RWL_COMMIT_UNKNOWN, "only one of them counts", swap_text(&place, 2, "ours", false, err));
    unhook();
    ck_assert_str_eq(read_file("metadata/v2.metadata.json"), "ours"); /* nothing is deleted */
}
END_TEST

START_TEST(a_version_that_vanishes_makes_it_unknown) {
    rwl_place place = new_table();
    hook("metadata/v2.metadata.json")->replace = replace_and_unlink;
    ASSERT_FAILS(RWL_COMMIT_UNKNOWN, "could not be read back", swap_text(&place, 2, "ours", false, err));
    unhook();
}
END_TEST

START_TEST(cancelling_after_the_link_changes_nothing) {
    rwl_place place = new_table();
    hook("")->replace = replace_and_cancel;
    ASSERT_OK(swap_text(&place, 2, "two", false, err));
    unhook();
    ASSERT_FAILS(RWL_INTERRUPTED, "", swap_text(&place, 3, "three", false, err));
    ck_assert_int_eq(count_files("v3"), 0);
    atomic_store(&fx.op.cancelled, 0);
}
END_TEST

/* --- failing calls --- */

/* Wraps the fixture's store; returns the place of the table in it. */
static rwl_place wrap(rwl_place place, rwl_store **test, const rwl_test_store_options *options) {
    ASSERT_OK(rwl_test_store_new(&fx.env, fx.store, options, test, err));
    fx.store = *test; /* it owns the local one now */
    place.store = *test;
    return place;
}

START_TEST(a_lost_reply_is_settled_by_looking) {
    rwl_store *test;
    rwl_test_store_options options = {.fail_at = 1, .fail_call = RWL_TEST_FINISH, .fail_after = true};
    rwl_place place = wrap(new_table(), &test, &options);
    ASSERT_OK(swap_text(&place, 2, "two", false, err));
    ck_assert(strstr(fx.log, "the store was not sure") != NULL);
    assert_newest(&place, 2, "two");
    ck_assert_str_eq(read_file("metadata/version-hint.text"), "2");
}
END_TEST

START_TEST(a_lost_reply_with_no_way_to_look_is_unknown) {
    rwl_store *test;
    rwl_test_store_options options = {0};
    rwl_place place = wrap(new_table(), &test, &options);
    ASSERT_OK(swap_text(&place, 2, "two", false, err)); /* counts the calls before the finish */
    rwl_test_store_stats stats = rwl_test_store_stats_of(test);
    ck_assert_int_eq(stats.calls[RWL_TEST_REMOVE], 2); /* one before the link, one after the hint */
    options = (rwl_test_store_options){.fail_call = RWL_TEST_ANY, .fail_after = true, .fail_rest = true};
    options.fail_at = stats.calls[RWL_TEST_LIST] + 1 + stats.calls[RWL_TEST_CREATE] +
                      stats.calls[RWL_TEST_WRITE] + 1; /* the finish, and all that comes after it */
    rwl_test_store_set(test, &options);
    ck_assert_int_eq((int)swap_text(&place, 3, "three", false, NULL), (int)RWL_COMMIT_UNKNOWN);
    ck_assert_str_eq(read_file("metadata/v3.metadata.json"), "three");
}
END_TEST

START_TEST(a_hint_that_cannot_be_replaced_fails_no_commit) {
    rwl_store *test;
    rwl_test_store_options options = {.fail_at = 1, .fail_call = RWL_TEST_REPLACE};
    rwl_place place = wrap(new_table(), &test, &options);
    ASSERT_OK(swap_text(&place, 2, "two", false, err));
    ck_assert(strstr(fx.log, "its hint was not replaced") != NULL);
    ck_assert_str_eq(read_file("metadata/version-hint.text"), "1");
    assert_newest(&place, 2, "two");
}
END_TEST

START_TEST(each_call_failing_in_turn_leaves_before_or_after) {
    rwl_store *test;
    rwl_test_store_options options = {0};
    rwl_place place = wrap(new_table(), &test, &options);
    int64_t version = 1;
    int failures = 0;
    for (int after = 0; after < 2; after++)
        for (int64_t n = 1;; n++) {
            char text[32], name[64];
            snprintf(text, sizeof text, "after %d, call %d", after, (int)n);
            snprintf(name, sizeof name, "metadata/v%lld.metadata.json", (long long)version + 1);
            options =
                (rwl_test_store_options){.fail_at = n, .fail_call = RWL_TEST_ANY, .fail_after = after != 0};
            rwl_test_store_set(test, &options);
            rwl_status st = swap_text(&place, version + 1, text, n % 2 == 0, NULL);
            rwl_test_store_stats stats = rwl_test_store_stats_of(test);
            ck_assert_int_eq(stats.open_files, 0);
            ck_assert_int_eq(stats.open_new_files, 0);
            rwl_test_store_set(test, &(rwl_test_store_options){0});
            rwl_version newest;
            ASSERT_OK(rwl_place_load(&place, &fx.op, &fx.arena, &newest, err));
            bool there = newest.number == version + 1;
            ck_assert(there || newest.number == version);
            rwl_buf_clear(&newest.text);
            if (st == RWL_OK || st != RWL_COMMIT_UNKNOWN) /* a clear answer is the truth */
                ck_assert_msg((st == RWL_OK) == there, "call %d: status %d", (int)n, (int)st);
            if (there)
                assert_newest(&place, version + 1, text);
            version += there;
            failures += stats.failures > 0;
            if (stats.failures == 0)
                break;
        }
    ck_assert_int_gt(failures, 12);
}
END_TEST

Suite *swap_suite(void) {
    Suite *suite = suite_create("swap");
    TCase *t = tcase_create("swap");
    suite_add_tcase(suite, t);
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_commit_writes_version_and_hint_and_removes_stale_checksums);
    tcase_add_test(t, gzip_is_written_and_read);
    tcase_add_test(t, every_form_of_the_version_is_a_conflict);
    tcase_add_test(t, a_version_whose_base_is_gone_is_a_conflict);
    tcase_add_test(t, racing_committers_lose_nothing);
    tcase_add_test(t, a_version_that_appears_before_the_link_is_a_conflict);
    tcase_add_test(t, an_engine_that_renames_over_the_commit_makes_it_unknown);
    tcase_add_test(t, the_same_version_in_another_form_makes_it_unknown);
    tcase_add_test(t, a_version_that_vanishes_makes_it_unknown);
    tcase_add_test(t, cancelling_after_the_link_changes_nothing);
    tcase_add_test(t, a_lost_reply_is_settled_by_looking);
    tcase_add_test(t, a_lost_reply_with_no_way_to_look_is_unknown);
    tcase_add_test(t, a_hint_that_cannot_be_replaced_fails_no_commit);
    tcase_add_test(t, each_call_failing_in_turn_leaves_before_or_after);
    return suite;
}
