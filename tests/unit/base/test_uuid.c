/* SPDX-License-Identifier: Apache-2.0 */
#include "base/uuid.h"

#include "base_tests.h"

START_TEST(text_goes_both_ways_in_either_case) {
    uint8_t bytes[16];
    char text[RWL_UUID_TEXT_LEN + 1];
    ck_assert(rwl_uuid_parse(rwl_span_str("F79C3E09-677c-4bbd-A479-3f349cb785e7"), bytes));
    ck_assert_mem_eq(bytes, "\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7", 16);
    rwl_uuid_format(bytes, text);
    ck_assert_str_eq(text, "f79c3e09-677c-4bbd-a479-3f349cb785e7");
}
END_TEST

START_TEST(rejects_other_forms) {
    static const char *const cases[] = {"",
                                        "f79c3e09677c4bbda4793f349cb785e7",
                                        "f79c3e09-677c-4bbd-a479-3f349cb785e",
                                        "f79c3e09-677c-4bbd-a479-3f349cb785eg",
                                        "f79c3e090677c-4bbd-a479-3f349cb785e7",
                                        "f79c3e09-677c-4bbd-a479-3f349cb785e70"};
    uint8_t bytes[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(!rwl_uuid_parse(rwl_span_str(cases[i]), bytes), "%s", cases[i]);
}
END_TEST

static bool give_ones(void *ctx, void *out, size_t len) {
    memset(out, 0xff, len);
    return ctx == NULL;
}

START_TEST(new_ones_have_version_4_and_ids_are_positive) {
    rwl_env env;
    rwl_uuid uuid;
    rwl_error err;
    int64_t id;
    rwl_env_init_default(&env);
    env.random = give_ones;
    ck_assert_int_eq(rwl_uuid_new(&env, &uuid, &err), RWL_OK);
    ck_assert_int_eq(uuid.bytes[6], 0x4f); /* RFC 9562: version in the high half of octet 6, */
    ck_assert_int_eq(uuid.bytes[8], 0xbf); /* variant 10 on top of octet 8 */
    ck_assert_int_eq(rwl_random_id(&env, &id, &err), RWL_OK);
    ck_assert_int_eq(id, INT64_MAX);
    env.ctx = &env;
    ck_assert_int_eq(rwl_random_id(&env, &id, &err), RWL_IO);
    ck_assert_int_eq(rwl_uuid_new(&env, &uuid, &err), RWL_IO);
}
END_TEST

TCase *uuid_tests(void) {
    TCase *tc = tcase_create("uuid");
    tcase_add_test(tc, text_goes_both_ways_in_either_case);
    tcase_add_test(tc, rejects_other_forms);
    tcase_add_test(tc, new_ones_have_version_4_and_ids_are_positive);
    return tc;
}
