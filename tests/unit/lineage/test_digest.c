/* SPDX-License-Identifier: Apache-2.0 */
/* The digest against Spark's xxhash64 and against arithmetic. */
#include "lineage/digest.h"

#include "lineage_test.h"

static rwl_digest digest_of(const int64_t *ids, const int64_t *versions, int64_t count) {
    rwl_digest d;
    memset(&d, 0, sizeof d);
    rwl_runs id_runs = make_runs(1, ids, count), version_runs = make_runs(0, versions, count);
    ASSERT_OK(rwl_digest_add(&d, &id_runs, &version_runs, err));
    rwl_runs_clear(&id_runs);
    rwl_runs_clear(&version_runs);
    return d;
}

static void assert_i128(rwl_i128 value, const char *text) {
    char got[RWL_I128_TEXT_MAX];
    got[rwl_i128_format(value, 0, got)] = '\0';
    ck_assert_str_eq(got, text);
}

/* SELECT hex(xxhash64(id, version)) in Spark 4.1.4, ids and versions as bigint */
static const struct {
    int64_t id, version;
    uint64_t hash;
} spark[] = {
    {0, 1, UINT64_C(0x72EEC4CC54751688)}, {1, 1, UINT64_C(0xAF9BEF9D3437F546)},
    {0, 0, UINT64_C(0x80534700BA5D177E)}, {185407668, 128, UINT64_C(0x5A83FE9568E8339F)},
    {4, 2, UINT64_C(0x277A19548B1AC55C)}, {123456789012345, INT64_MAX, UINT64_C(0x7BC9C7F7E617D0F9)},
};
enum { SPARK_COUNT = sizeof spark / sizeof *spark };

START_TEST(lineage_checksum_is_sparks_xxhash64) {
    for (size_t i = 0; i < SPARK_COUNT; i++)
        ck_assert_uint_eq(digest_of(&spark[i].id, &spark[i].version, 1).lineage_checksum, spark[i].hash);
}
END_TEST

START_TEST(lineage_checksum_is_a_sum_modulo_2_64_without_order) {
    int64_t ids[SPARK_COUNT], versions[SPARK_COUNT];
    uint64_t want = 0;
    for (size_t i = 0; i < SPARK_COUNT; i++) {
        ids[i] = spark[SPARK_COUNT - 1 - i].id;
        versions[i] = spark[SPARK_COUNT - 1 - i].version;
        want += spark[i].hash;
    }
    ck_assert_uint_eq(digest_of(ids, versions, SPARK_COUNT).lineage_checksum, want);
}
END_TEST

START_TEST(sums_of_rows_with_lineage) {
    int64_t ids[] = {10, 11, 12, NIL, 5, 3, NIL}, versions[] = {2, 2, 3, NIL, 7, 7, NIL};
    rwl_digest d = digest_of(ids, versions, 7);
    ck_assert_int_eq(d.rows, 7);
    ck_assert_int_eq(d.rows_without_lineage, 2);
    assert_i128(d.row_id_sum, "41");       /* 10 + 11 + 12 + 5 + 3 */
    assert_i128(d.last_updated_sum, "21"); /* 2 + 2 + 3 + 7 + 7 */
    assert_i128(d.product_sum, "134");     /* 20 + 22 + 36 + 35 + 21 */
}
END_TEST

/* Long stretches are hashed eight rows at once where the processor can. */
START_TEST(stretches_of_any_length_hash_like_their_rows) {
    int64_t ids[131], versions[131];
    for (int64_t count = 1; count <= COUNT_OF(ids); count++) {
        uint64_t want = 0;
        for (int64_t i = 0; i < count; i++) {
            ids[i] = (INT64_C(1) << 40) - 60 + i;
            versions[i] = count % 3 == 0 ? INT64_MAX : count;
            want += digest_of(&ids[i], &versions[i], 1).lineage_checksum;
        }
        ck_assert_uint_eq(digest_of(ids, versions, count).lineage_checksum, want);
    }
}
END_TEST

/* Short stretches are hashed together, those of 16 rows and more by themselves. */
START_TEST(stretches_one_behind_another_hash_like_their_rows) {
    enum { COUNT = 2000 };
    static int64_t ids[COUNT], versions[COUNT];
    uint64_t want = 0;
    int64_t length = 1, left = 1;
    for (int64_t i = 0; i < COUNT; i++, left--) {
        if (left == 0)
            left = length = length % 20 + 1;
        ids[i] = left == length ? 100 * i : ids[i - 1] + 1;
        versions[i] = length;
        want += digest_of(&ids[i], &versions[i], 1).lineage_checksum;
    }
    ck_assert_uint_eq(digest_of(ids, versions, COUNT).lineage_checksum, want);
}
END_TEST

START_TEST(a_run_sums_like_its_rows) {
    enum { COUNT = 3000 };
    static int64_t scattered_ids[COUNT], scattered_versions[COUNT];
    rwl_runs ids, versions;
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    ASSERT_OK(rwl_runs_append(&ids, 1000, COUNT, err));
    ASSERT_OK(rwl_runs_append(&versions, 5, COUNT, err));
    for (int64_t i = 0; i < COUNT; i++) {
        scattered_ids[i] = 1000 + i * 1001 % COUNT; /* 1001 and 3000 share no factor */
        scattered_versions[i] = 5;
    }
    rwl_digest a, b = digest_of(scattered_ids, scattered_versions, COUNT);
    memset(&a, 0, sizeof a);
    ASSERT_OK(rwl_digest_add(&a, &ids, &versions, err));
    ck_assert(rwl_digest_equal(&a, &b));
    assert_i128(a.row_id_sum, "7498500"); /* 3000 * 1000 + 3000 * 2999 / 2 */
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
}
END_TEST

START_TEST(parts_merge_to_the_whole) {
    int64_t ids[] = {1, 2, NIL, 40}, versions[] = {1, 1, NIL, 9};
    rwl_digest whole = digest_of(ids, versions, 4), a = digest_of(ids, versions, 1);
    rwl_digest b = digest_of(ids + 1, versions + 1, 3);
    ASSERT_OK(rwl_digest_merge(&a, &b, err));
    ck_assert(rwl_digest_equal(&a, &whole));
    a.rows++;
    ck_assert(!rwl_digest_equal(&a, &whole));
}
END_TEST

START_TEST(sums_are_exact_to_38_digits_and_refused_beyond) {
    /* (2^63 - 2) * (2^63 - 1) is 8.5e37: two such rows pass 10^38 */
    int64_t ids[] = {INT64_MAX - 1}, versions[] = {INT64_MAX};
    rwl_digest d = digest_of(ids, versions, 1);
    assert_i128(d.product_sum, "85070591730234615838173535747377725442");
    rwl_runs id_runs = make_runs(1, ids, 1), version_runs = make_runs(0, versions, 1);
    ASSERT_FAILS(RWL_UNSUPPORTED, "product_sum of the digest passes 38 digits",
                 rwl_digest_add(&d, &id_runs, &version_runs, err));
    rwl_digest e = digest_of(ids, versions, 1);
    d = e;
    ASSERT_FAILS(RWL_UNSUPPORTED, "38 digits", rwl_digest_merge(&d, &e, err));
    rwl_runs_clear(&id_runs);
    rwl_runs_clear(&version_runs);
}
END_TEST

START_TEST(an_id_without_version_is_refused) {
    rwl_digest d;
    memset(&d, 0, sizeof d);
    rwl_runs ids = make_runs(1, (int64_t[]){4}, 1), versions = make_runs(0, (int64_t[]){NIL}, 1);
    ASSERT_FAILS(RWL_INTERNAL, "an id and no version", rwl_digest_add(&d, &ids, &versions, err));
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
}
END_TEST

START_TEST(checksum_has_16_lower_case_digits) {
    rwl_digest d;
    memset(&d, 0, sizeof d);
    char text[RWL_DIGEST_CHECKSUM_LEN + 1];
    rwl_digest_checksum_format(&d, text);
    ck_assert_str_eq(text, "0000000000000000");
    d.lineage_checksum = UINT64_C(0x9F2C41D0E7B35AE1);
    rwl_digest_checksum_format(&d, text);
    ck_assert_str_eq(text, "9f2c41d0e7b35ae1");
}
END_TEST

Suite *digest_suite(void) {
    Suite *suite = suite_create("digest");
    TCase *t = tcase_create("digest");
    suite_add_tcase(suite, t);
    tcase_add_test(t, lineage_checksum_is_sparks_xxhash64);
    tcase_add_test(t, lineage_checksum_is_a_sum_modulo_2_64_without_order);
    tcase_add_test(t, sums_of_rows_with_lineage);
    tcase_add_test(t, stretches_of_any_length_hash_like_their_rows);
    tcase_add_test(t, stretches_one_behind_another_hash_like_their_rows);
    tcase_add_test(t, a_run_sums_like_its_rows);
    tcase_add_test(t, parts_merge_to_the_whole);
    tcase_add_test(t, sums_are_exact_to_38_digits_and_refused_beyond);
    tcase_add_test(t, an_id_without_version_is_refused);
    tcase_add_test(t, checksum_has_16_lower_case_digits);
    return suite;
}
