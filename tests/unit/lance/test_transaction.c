/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions: each operation, those nobody knows yet, and where they are kept. */
#include "lance/transaction.h"
#include "lance_test.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

static rwl_buf message, file;
static rwl_lance_transaction parsed;

static void setup(void) {
    lance_setup();
    rwl_buf_init(&message, &lance_env, SIZE_MAX);
    rwl_buf_init(&file, &lance_env, SIZE_MAX);
}

static void teardown(void) {
    rwl_buf_clear(&message);
    rwl_buf_clear(&file);
    lance_teardown();
}

static rwl_status parse(void) {
    return rwl_lance_transaction_parse(&lance_env, rwl_buf_span(&message), &lance_arena, &parsed,
                                       &lance_error);
}

START_TEST(each_operation_has_its_name) {
    static const char *const names[] = {
        "Append",       "Delete",          "Overwrite",         "CreateIndex", "Rewrite",
        "Merge",        "Restore",         "ReserveFragments",  "Update",      "Project",
        "UpdateConfig", "DataReplacement", "UpdateMemWalState", "Clone",       "UpdateBases",
        "DataOverlay",  "ReserveRowIds",   "operation 117",
    };
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        rwl_buf_reset(&message);
        pb_empty(&message, 100 + i);
        ASSERT_OK(parse());
        ck_assert_str_eq(parsed.operation, names[i]);
        ck_assert_int_eq(parsed.operation_number, (int)(100 + i));
    }
    rwl_buf_reset(&message);
    pb_text(&message, 2, "u");
    pb_empty(&message, 200); /* no operation */
    ASSERT_OK(parse());
    ck_assert_int_eq(parsed.operation_number, 0);
    ck_assert_str_eq(parsed.operation, "");
    ck_assert_str_eq(parsed.uuid, "u");
}
END_TEST

START_TEST(counts_what_an_update_names) {
    const uint64_t ids[] = {1, 300, 5};
    pb_varint(&message, 1, 9);
    size_t property = pb_begin(&message, 4);
    pb_text(&message, 1, "key");
    pb_text(&message, 2, "value");
    pb_end(&message, property);
    size_t update = pb_begin(&message, 108);
    pb_packed(&message, 1, ids, 3);
    pb_varint(&message, 1, 6); /* not packed */
    pb_empty(&message, 2);
    pb_empty(&message, 3);
    pb_empty(&message, 3);
    pb_end(&message, update);
    ASSERT_OK(parse());
    ck_assert_uint_eq(parsed.read_version, 9);
    ck_assert_int_eq(parsed.removed_fragments, 4);
    ck_assert_int_eq(parsed.updated_fragments, 1);
    ck_assert_int_eq(parsed.added_fragments, 2);
    ck_assert_uint_eq(parsed.property_count, 1);
    ck_assert_str_eq(parsed.properties[0].key, "key");
    ck_assert(rwl_span_equal(parsed.properties[0].value, rwl_span_str("value")));
}
END_TEST

START_TEST(counts_the_groups_of_a_rewrite) {
    size_t rewrite = pb_begin(&message, 104);
    for (int i = 0; i < 2; i++) {
        size_t group = pb_begin(&message, 3);
        for (int j = 0; j < 3; j++)
            pb_empty(&message, 1);
        pb_empty(&message, 2);
        pb_end(&message, group);
    }
    pb_end(&message, rewrite);
    ASSERT_OK(parse());
    ck_assert_int_eq(parsed.removed_fragments, 6);
    ck_assert_int_eq(parsed.added_fragments, 2);
    ck_assert_int_eq(parsed.updated_fragments, -1);
}
END_TEST

START_TEST(tells_predicate_and_restored_version) {
    size_t body = pb_begin(&message, 101);
    pb_text(&message, 3, "i > 3");
    pb_end(&message, body);
    ASSERT_OK(parse());
    ck_assert_str_eq(parsed.predicate, "i > 3");
    ck_assert_int_eq(parsed.restored_version, -1);
    rwl_buf_reset(&message);
    body = pb_begin(&message, 106);
    pb_varint(&message, 1, 7);
    pb_end(&message, body);
    ASSERT_OK(parse());
    ck_assert_ptr_null(parsed.predicate);
    ck_assert_int_eq(parsed.restored_version, 7);
}
END_TEST

START_TEST(refuses_what_is_no_transaction) {
    pb_empty(&message, 100);
    pb_empty(&message, 101);
    ASSERT_FAILS(parse(), RWL_CORRUPT, "operations 100 and 101");
    rwl_buf_reset(&message);
    pb_empty(&message, 100);
    pb_empty(&message, 150);
    ASSERT_FAILS(parse(), RWL_CORRUPT, "operations 100 and 150");
    rwl_buf_reset(&message);
    pb_varint(&message, 100, 1);
    ASSERT_FAILS(parse(), RWL_CORRUPT, "Transaction.append: field 100 has wire type 0");
    rwl_buf_reset(&message);
    pb_text(&message, 2, "a long text");
    for (size_t len = message.len - 1; len > 0; len--) {
        message.len = len;
        ASSERT_FAILS(parse(), RWL_CORRUPT, "");
    }
}
END_TEST

/* --- where they are --- */

static rwl_lance_manifest *manifest_with(uint64_t section, bool has_section, const char *transaction_file) {
    rwl_buf head, front;
    rwl_lance_manifest *m;
    rwl_buf_init(&head, &lance_env, SIZE_MAX);
    rwl_buf_init(&front, &lance_env, SIZE_MAX);
    ASSERT_OK(rwl_buf_le32(&front, (uint32_t)message.len, &lance_error));
    ASSERT_OK(rwl_buf_append(&front, message.data, message.len, &lance_error));
    pb_varint(&head, 3, 1);
    if (transaction_file != NULL)
        pb_text(&head, 12, transaction_file);
    if (has_section)
        pb_varint(&head, 23, section);
    rwl_buf_reset(&file);
    lance_wrap(&front, &head, &file);
    lance_put("_versions/1.manifest", rwl_buf_span(&file));
    rwl_buf_clear(&head);
    rwl_buf_clear(&front);
    ASSERT_OK(lance_open("_versions/1.manifest", &m));
    return m;
}

static rwl_status read_of(const rwl_lance_manifest *m, bool *found) {
    return rwl_lance_transaction_read(lance_store, &lance_op, m, lance_folder, &lance_arena, &parsed, found,
                                      &lance_error);
}

START_TEST(reads_section_before_file) {
    bool found;
    pb_empty(&message, 107);
    lance_put("_transactions/0-a.txn", rwl_buf_span(&message));
    rwl_buf_reset(&message);
    pb_empty(&message, 100);
    rwl_lance_manifest *m = manifest_with(0, true, "0-a.txn");
    ASSERT_OK(read_of(m, &found));
    ck_assert(found);
    ck_assert_str_eq(parsed.operation, "Append");
    rwl_lance_manifest_free(m);
    m = manifest_with(0, false, "0-a.txn");
    ASSERT_OK(read_of(m, &found));
    ck_assert(found);
    ck_assert_str_eq(parsed.operation, "ReserveFragments");
    rwl_lance_manifest_free(m);
}
END_TEST

START_TEST(no_transaction_is_no_failure) {
    bool found;
    rwl_lance_manifest *m = manifest_with(0, false, "0-gone.txn");
    ASSERT_OK(read_of(m, &found));
    ck_assert(!found);
    rwl_lance_manifest_free(m);
    m = manifest_with(0, false, NULL);
    ASSERT_OK(read_of(m, &found));
    ck_assert(!found);
    rwl_lance_manifest_free(m);
}
END_TEST

START_TEST(a_bad_transaction_leaves_the_manifest_open) {
    static const uint64_t sections[] = {1, 8, 1000000, (uint64_t)1 << 63, UINT64_MAX};
    bool found;
    pb_empty(&message, 100);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        rwl_lance_manifest *m = manifest_with(sections[i], true, NULL);
        ASSERT_FAILS(read_of(m, &found), RWL_CORRUPT, "transaction");
        rwl_lance_manifest_free(m);
    }
    lance_put_text("_transactions/0-b.txn", "no transaction");
    rwl_lance_manifest *m = manifest_with(0, false, "0-b.txn");
    ASSERT_FAILS(read_of(m, &found), RWL_CORRUPT, "0-b.txn");
    rwl_lance_manifest_free(m);
    m = manifest_with(0, false, "../0-b.txn");
    ASSERT_FAILS(read_of(m, &found), RWL_CORRUPT, "is no name in _transactions");
    rwl_lance_manifest_free(m);
}
END_TEST

/* Two groups of fragments with lineage of 1 MiB each: what is kept of them is little. */
START_TEST(long_lineage_of_a_transaction_is_passed_over) {
    bool found;
    size_t arm_len = 1 << 20;
    uint8_t *arm = calloc(arm_len, 1);
    size_t rewrite = pb_begin(&message, 104);
    for (int i = 0; i < 8; i++) {
        size_t group = pb_begin(&message, 3), fragment = pb_begin(&message, 2);
        pb_bytes(&message, 5, rwl_span_of(arm, arm_len));
        pb_end(&message, fragment);
        pb_end(&message, group);
    }
    pb_end(&message, rewrite);
    free(arm);
    rwl_lance_manifest *m = manifest_with(0, true, NULL);
    rwl_op small;
    rwl_op_init(&small, &lance_env, 1 << 18);
    ASSERT_OK(rwl_lance_transaction_read(lance_store, &small, m, lance_folder, &lance_arena, &parsed, &found,
                                         &lance_error));
    ck_assert_int_eq(parsed.added_fragments, 8);
    ck_assert_int_eq(atomic_load(&small.memory_used), 0);
    rwl_lance_manifest_free(m);
}
END_TEST

static int transactions_seen;

static void check_fixture(const char *path) {
    rwl_buf content;
    transactions_seen++;
    rwl_buf_init(&content, &lance_env, SIZE_MAX);
    ASSERT_OK(rwl_store_read_all(lance_store, &lance_op, path, &content, &lance_error));
    rwl_status st =
        rwl_lance_transaction_parse(&lance_env, rwl_buf_span(&content), &lance_arena, &parsed, &lance_error);
    ck_assert_msg(st == RWL_OK, "%s: %s", path, lance_error.message);
    ck_assert_msg(parsed.operation_number >= 100, "%s", path);
    /* named {read version}-{uuid}.txn */
    char name[256];
    snprintf(name, sizeof name, "/%llu-%s.txn", (unsigned long long)parsed.read_version, parsed.uuid);
    ck_assert_str_eq(strrchr(path, '/'), name);
    rwl_buf_clear(&content);
}

START_TEST(every_transaction_file_of_the_fixtures) {
    static const char *const folders[] = {"pylance", "generated-lancedb-0.31.0", "lancedb+lance"};
    for (size_t i = 0; i < 3; i++) {
        transactions_seen = 0;
        if (lance_each_fixture(folders[i], ".txn", check_fixture))
            ck_assert_int_gt(transactions_seen, 5);
    }
}
END_TEST

Suite *transaction_suite(void) {
    Suite *suite = suite_create("transaction");
    TCase *tcase = tcase_create("transaction");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, each_operation_has_its_name);
    tcase_add_test(tcase, counts_what_an_update_names);
    tcase_add_test(tcase, counts_the_groups_of_a_rewrite);
    tcase_add_test(tcase, tells_predicate_and_restored_version);
    tcase_add_test(tcase, refuses_what_is_no_transaction);
    tcase_add_test(tcase, reads_section_before_file);
    tcase_add_test(tcase, no_transaction_is_no_failure);
    tcase_add_test(tcase, a_bad_transaction_leaves_the_manifest_open);
    tcase_add_test(tcase, long_lineage_of_a_transaction_is_passed_over);
    tcase_add_test(tcase, every_transaction_file_of_the_fixtures);
    suite_add_tcase(suite, tcase);
    return suite;
}
