/* SPDX-License-Identifier: Apache-2.0 */
/* States by id, ref and time, over metadata that is only parsed. */
#include "engine_test.h"
#include "suites.h"

#include "engine/state.h"

static rwl_metadata *parsed;

/* A v2 table with these snapshots, refs and log (members of JSON, single quotes for double ones). */
static const rwl_metadata *make_metadata(const char *snapshots, const char *refs, const char *log,
                                         int64_t current) {
    char *text = rwl_arena_printf(
        test_arena(),
        "{'format-version':2,'table-uuid':'9c12d441-03fe-4693-9a96-a0705ddf69c1','location':'/t',"
        "'last-sequence-number':9,'last-updated-ms':9000,'last-column-id':1,'current-schema-id':1,"
        "'schemas':[{'type':'struct','schema-id':0,'fields':[{'id':1,'name':'old','required':false,'type':"
        "'long'}]},{'type':'struct','schema-id':1,'fields':[{'id':1,'name':'x','required':false,'type':"
        "'long'}]}],'default-spec-id':0,'partition-specs':[{'spec-id':0,'fields':[]}],'last-partition-id':"
        "999,'default-sort-order-id':0,'sort-orders':[{'order-id':0,'fields':[]}],'properties':{},"
        "'current-snapshot-id':%lld,'snapshots':[%s],'refs':{%s},'snapshot-log':[%s]}",
        (long long)current, snapshots, refs, log);
    for (char *p = text; *p != '\0'; p++)
        if (*p == '\'')
            *p = '"';
    rwl_metadata_free(parsed);
    parsed = NULL;
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_span_str(text), NULL, &parsed, err));
    return parsed;
}

static const char *snapshot(int64_t id, int64_t parent, int64_t ms, int schema) {
    const char *of =
        parent > 0 ? rwl_arena_printf(test_arena(), "'parent-snapshot-id':%lld,", (long long)parent) : "";
    return rwl_arena_printf(test_arena(),
                            "{'snapshot-id':%lld,%s'sequence-number':1,'timestamp-ms':%lld,'manifest-list':"
                            "'/t/l','schema-id':%d,'summary':{'operation':'append'}}",
                            (long long)id, of, (long long)ms, schema);
}

static rwl_status select_state(const rwl_metadata *m, rwl_state_request request, int64_t *id,
                               rwl_error *err) {
    rwl_state state;
    RWL_TRY(rwl_state_select(m, &request, 3600000, &state, err));
    *id = state.snapshot != NULL ? state.snapshot->snapshot_id : -1;
    return RWL_OK;
}

static const char *at_ms(int64_t ms) {
    return rwl_arena_printf(test_arena(), "1970-01-01T00:00:%02lld.%03lldZ", (long long)(ms / 1000),
                            (long long)(ms % 1000));
}

/* BUG-114: log (1010, 2), (1000, 1), (1020, 3); as of 999, 1000, 1005, 1009, 1010, 1020. */
START_TEST(bug_114_a_log_out_of_order_is_read_by_its_greatest_time) {
    const rwl_metadata *m =
        make_metadata(rwl_arena_printf(test_arena(), "%s,%s,%s", snapshot(1, 0, 1000, 0),
                                       snapshot(2, 1, 1010, 0), snapshot(3, 2, 1020, 1)),
                      "'main':{'snapshot-id':3,'type':'branch'}",
                      "{'timestamp-ms':1010,'snapshot-id':2},{'timestamp-ms':1000,'snapshot-id':1},"
                      "{'timestamp-ms':1020,'snapshot-id':3}",
                      3);
    static const int64_t cases[][2] = {{1000, 1}, {1005, 1}, {1009, 1}, {1010, 2}, {1020, 3}, {9999, 3}};
    int64_t id;
    ASSERT_FAILS(RWL_NOT_FOUND, "its first is 1 of 1970-01-01T00:00:01.000000+00:00",
                 select_state(m, (rwl_state_request){.time = at_ms(999)}, &id, err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_OK(select_state(m, (rwl_state_request){.time = at_ms(cases[i][0])}, &id, err));
        ck_assert_int_eq(id, cases[i][1]);
    }
}
END_TEST

/* 1 - 2 - 4 is main after a rollback from 3; dev left at 2 and has 5. Main's log remembers that 3 was current. */
static const rwl_metadata *make_branches(void) {
    return make_metadata(rwl_arena_printf(test_arena(), "%s,%s,%s,%s,%s", snapshot(1, 0, 1000, 0),
                                          snapshot(2, 1, 2000, 0), snapshot(3, 2, 3000, 0),
                                          snapshot(4, 2, 5000, 1), snapshot(5, 2, 4500, 0)),
                         "'main':{'snapshot-id':4,'type':'branch'},'dev':{'snapshot-id':5,'type':'branch'},"
                         "'keep':{'snapshot-id':2,'type':'tag'},'77':{'snapshot-id':1,'type':'tag'}",
                         "{'timestamp-ms':1000,'snapshot-id':1},{'timestamp-ms':2000,'snapshot-id':2},"
                         "{'timestamp-ms':3000,'snapshot-id':3},{'timestamp-ms':4000,'snapshot-id':2},"
                         "{'timestamp-ms':5000,'snapshot-id':4}",
                         4);
}

START_TEST(a_time_is_that_of_the_branch_that_is_named) {
    static const struct {
        const char *branch;
        int64_t ms, id;
    } cases[] = {{NULL, 3500, 3},  {NULL, 4200, 2},  {NULL, 5000, 4},  {"main", 3500, 3},
                 {"dev", 1500, 1}, {"dev", 3500, 2}, {"dev", 4499, 2}, {"dev", 4500, 5}};
    const rwl_metadata *m = make_branches();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_state_request by_ref = {.ref = cases[i].branch, .time = at_ms(cases[i].ms)};
        rwl_state_request by_name = {.state = cases[i].branch, .time = at_ms(cases[i].ms)};
        int64_t id;
        ASSERT_OK(select_state(m, by_ref, &id, err));
        ck_assert_int_eq(id, cases[i].id);
        ASSERT_OK(select_state(m, by_name, &id, err));
        ck_assert_int_eq(id, cases[i].id);
    }
    int64_t id;
    ASSERT_FAILS(RWL_NOT_FOUND, "branch dev",
                 select_state(m, (rwl_state_request){.ref = "dev", .time = at_ms(999)}, &id, err));
    ASSERT_FAILS(RWL_USAGE, "tag",
                 select_state(m, (rwl_state_request){.ref = "keep", .time = at_ms(3000)}, &id, err));
    ASSERT_FAILS(RWL_USAGE, "one state",
                 select_state(m, (rwl_state_request){.snapshot = "1", .time = at_ms(3000)}, &id, err));
}
END_TEST

/* Without a log main's history is that of its parents. */
START_TEST(main_without_a_log_is_its_ancestors) {
    const rwl_metadata *m = make_metadata(
        rwl_arena_printf(test_arena(), "%s,%s", snapshot(1, 0, 1000, 0), snapshot(2, 1, 2000, 0)),
        "'main':{'snapshot-id':2,'type':'branch'}", "", 2);
    int64_t id;
    ASSERT_OK(select_state(m, (rwl_state_request){.time = at_ms(1999)}, &id, err));
    ck_assert_int_eq(id, 1);
    m = make_metadata("", "", "", -1);
    ASSERT_FAILS(RWL_NOT_FOUND, "no snapshot yet",
                 select_state(m, (rwl_state_request){.time = "1h"}, &id, err));
    ASSERT_OK(select_state(m, (rwl_state_request){.time = NULL}, &id, err));
    ck_assert_int_eq(id, -1);
}
END_TEST

START_TEST(expired_snapshots_are_named_as_such) {
    const rwl_metadata *m = make_metadata(snapshot(3, 2, 3000, 0), "'main':{'snapshot-id':3,'type':'branch'}",
                                          "{'timestamp-ms':1000,'snapshot-id':1},"
                                          "{'timestamp-ms':3000,'snapshot-id':3}",
                                          3);
    int64_t id;
    ASSERT_FAILS(RWL_NOT_FOUND, "snapshot 1 has expired", /* the log names it */
                 select_state(m, (rwl_state_request){.state = "1"}, &id, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "snapshot 2 has expired", /* a child names it */
                 select_state(m, (rwl_state_request){.snapshot = "2"}, &id, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "snapshot 1 has expired",
                 select_state(m, (rwl_state_request){.time = at_ms(2000)}, &id, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "/t has no snapshot 9",
                 select_state(m, (rwl_state_request){.state = "9"}, &id, err));
}
END_TEST

START_TEST(a_state_has_its_own_schema_and_a_branch_the_current_one) {
    static const struct {
        rwl_state_request request;
        const char *column, *branch;
    } cases[] = {{{.state = "main"}, "x", "main"},
                 {{.ref = "dev"}, "x", "dev"},
                 {{.state = "keep"}, "old", NULL},
                 {{.snapshot = "1"}, "old", NULL},
                 {{.time = "1970-01-01T00:00:05Z"}, "x", NULL}, /* snapshot 4 was written with schema 1 */
                 {{.ref = "dev", .time = "1970-01-01T00:00:05Z"}, "old", NULL}};
    const rwl_metadata *m = make_branches();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_state state;
        ASSERT_OK(rwl_state_select(m, &cases[i].request, 0, &state, err));
        ck_assert_str_eq(state.schema->fields[0].name, cases[i].column);
        ck_assert_int_eq(state.branch == NULL, cases[i].branch == NULL);
        if (state.branch != NULL)
            ck_assert_str_eq(state.branch, cases[i].branch);
    }
    int64_t id;
    ASSERT_FAILS(RWL_USAGE, "77", select_state(m, (rwl_state_request){.state = "77"}, &id, err));
    ASSERT_OK(select_state(m, (rwl_state_request){.ref = "77"}, &id, err));
    m = make_metadata(snapshot(1, 0, 1000, 5), "'main':{'snapshot-id':1,'type':'branch'}", "", 1);
    ASSERT_FAILS(RWL_CORRUPT, "schema 5", select_state(m, (rwl_state_request){.state = "1"}, &id, err));
    ASSERT_OK(select_state(m, (rwl_state_request){.state = "main"}, &id, err));
}
END_TEST

START_TEST(times_are_instants_or_ages) {
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {{"1970-01-01T00:00:01Z", 1000},
                 {"1970-01-01 00:00:01.0019+00:00", 1001}, /* down to the millisecond */
                 {"1970-01-01T01:00:00+01:00", 0},
                 {"1969-12-31T23:59:59.9999Z", -1},       /* floor of -0.1 */
                 {"2d", 1000000000 - INT64_C(172800000)}, /* 2 * 86400 s before now */
                 {"12h", 1000000000 - 43200000},
                 {"50m", 1000000000 - 3000000},
                 {"30s", 1000000000 - 30000},
                 {"99999999999999999999d", INT64_MIN},
                 {"0001-01-01T00:00:00Z", INT64_C(-62135596800000)}}; /* 719162 days before 1970 */
    int64_t ms;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_OK(rwl_state_time(cases[i].text, 1000000000, &ms, err));
        ck_assert_msg(ms == cases[i].ms, "%s: %lld", cases[i].text, (long long)ms);
    }
    ASSERT_FAILS(RWL_USAGE, "no zone", rwl_state_time("2026-11-30T12:00:00", 0, &ms, err));
    static const char *const none[] = {"", "d", "2", "2w", "-2d", "2d ", "2026-11-30", "yesterday"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ASSERT_FAILS(RWL_USAGE, "no time", rwl_state_time(none[i], 0, &ms, err));
}
END_TEST

static void free_parsed(void) {
    rwl_metadata_free(parsed);
    parsed = NULL;
}

Suite *suite_state(void) {
    const TTest *const tests[] = {bug_114_a_log_out_of_order_is_read_by_its_greatest_time,
                                  a_time_is_that_of_the_branch_that_is_named,
                                  main_without_a_log_is_its_ancestors,
                                  expired_snapshots_are_named_as_such,
                                  a_state_has_its_own_schema_and_a_branch_the_current_one,
                                  times_are_instants_or_ages};
    Suite *s = suite_create("state");
    TCase *c = tcase_create("state");
    tcase_add_checked_fixture(c, engine_setup, engine_teardown);
    tcase_add_checked_fixture(c, NULL, free_parsed);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(c, tests[i]);
    suite_add_tcase(s, c);
    return s;
}
