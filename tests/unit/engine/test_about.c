/* SPDX-License-Identifier: Apache-2.0 */
/* Who made a snapshot, and what changed between two versions of metadata. */
#include "engine_test.h"
#include "suites.h"

#include "engine/about_changes.h"
#include "engine/evidence.h"

#include <stdio.h>

static void check_text(rwl_span got, const char *wanted) {
    ck_assert_int_eq(got.data == NULL, wanted == NULL);
    if (wanted != NULL)
        ck_assert_msg(rwl_span_equal(got, rwl_span_str(wanted)), "'%.*s', not '%s'", (int)got.len,
                      (const char *)got.data, wanted);
}

/* Double quotes for single ones. */
static rwl_span unquote(const char *text) {
    char *copy = rwl_arena_strdup(test_arena(), text);
    for (char *p = copy; *p != '\0'; p++)
        if (*p == '\'')
            *p = '"';
    return rwl_span_str(copy);
}

/* --- evidence --- */

START_TEST(an_engine_is_told_by_the_marks_of_a_summary) {
    static const struct {
        const char *summary;
        rwl_evidence_kind kind;
        const char *name, *version;
    } cases[] = {
        {"{'operation':'append','engine-name':'spark','engine-version':'4.1.4','iceberg-version':'Apache "
         "Iceberg 1.12.0 (commit 1)'}",
         RWL_EVIDENCE_SUMMARY, "spark", "4.1.4"},
        {"{'engine-name':'duckdb'}", RWL_EVIDENCE_SUMMARY, "duckdb", NULL},
        {"{'spark.app.id':'local-1','added-records':'3'}", RWL_EVIDENCE_SUMMARY, "spark", NULL},
        {"{'flink.job-id':'a1','flink.operator-id':'b'}", RWL_EVIDENCE_SUMMARY, "flink", NULL},
        {"{'trino_query_id':'2026'}", RWL_EVIDENCE_SUMMARY, "trino", NULL},
        {"{'kafka.connect.commit-id':'c'}", RWL_EVIDENCE_SUMMARY, "kafka-connect", NULL},
        {"{'iceberg-version':'Apache Iceberg 1.10.0 (commit 2114bf631)'}", RWL_EVIDENCE_SUMMARY, "iceberg",
         "1.10.0"},
        {"{'iceberg-version':'our fork'}", RWL_EVIDENCE_SUMMARY, "our fork", NULL},
        {"{'spark.app.identity':'x','operation':'append'}", RWL_EVIDENCE_NONE, NULL, NULL},
        {"{}", RWL_EVIDENCE_NONE, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_json *json;
        ASSERT_OK(rwl_json_parse(unquote(cases[i].summary), &json, err));
        rwl_snapshot s = {.snapshot_id = 1, .summary = json};
        rwl_evidence e = rwl_evidence_of_summary(&s);
        ck_assert_int_eq(e.kind, cases[i].kind);
        check_text(e.name, cases[i].name);
        check_text(e.version, cases[i].version);
        rwl_json_free(json);
    }
    rwl_snapshot none = {.snapshot_id = 1};
    ck_assert_int_eq(rwl_evidence_of_summary(&none).kind, RWL_EVIDENCE_NONE);
}
END_TEST

/* Texts that parquet-java, Arrow, DuckDB and others write. */
START_TEST(a_created_by_is_a_name_and_a_version) {
    static const struct {
        const char *text, *name, *version;
    } cases[] = {
        {"parquet-mr version 1.16.0 (build 6901a2040f1c37fd0b0a2a4b0f0a1f0c4b5e1f00)", "parquet-mr",
         "1.16.0"},
        {"parquet-cpp-arrow version 26.0.0", "parquet-cpp-arrow", "26.0.0"},
        {"DuckDB version v1.5.5 (build d8c9d1b)", "DuckDB", "v1.5.5"},
        {"Polars", "Polars", NULL},
        {" version 3", " version 3", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_evidence e = rwl_evidence_of_created_by(cases[i].text);
        ck_assert_int_eq(e.kind, RWL_EVIDENCE_CREATED_BY);
        check_text(e.name, cases[i].name);
        check_text(e.version, cases[i].version);
    }
    ck_assert_int_eq(rwl_evidence_of_created_by(NULL).kind, RWL_EVIDENCE_NONE);
    ck_assert_int_eq(rwl_evidence_of_created_by("").kind, RWL_EVIDENCE_NONE);
    ck_assert_int_eq(rwl_evidence_of_created_by("bad \xff").kind, RWL_EVIDENCE_NONE);
}
END_TEST

START_TEST(an_engine_is_looked_for_in_a_file_it_added) {
    test_create("t", 3, "id long", NULL, NULL);
    test_append("t", "{'id':1}");
    rwl_table *t = test_open("t");
    rwl_evidence e;
    ASSERT_OK(rwl_evidence_of_files(t, test_op(), t->snapshot, test_arena(), &e, err));
    ck_assert_int_eq(e.kind, RWL_EVIDENCE_CREATED_BY);
    check_text(e.name, "rowline");
    /* files that are gone tell nothing, and that is no failure */
    ck_assert_int_eq(rename(test_path("t/data"), test_path("elsewhere")), 0);
    rwl_error untouched = {0};
    ck_assert_int_eq(rwl_evidence_of_files(t, test_op(), t->snapshot, test_arena(), &e, &untouched), RWL_OK);
    ck_assert_int_eq(e.kind, RWL_EVIDENCE_NONE);
    ck_assert_int_eq(untouched.code, 0);
    test_close(t);
}
END_TEST

/* --- changes --- */

/* Parts of a v2 document; NULL: the one below. */
typedef struct parts {
    const char *version, *schemas, *schema, *specs, *spec, *orders, *order, *properties, *current, *snapshots,
        *refs, *statistics;
} parts;

static const char SCHEMA[] =
    "{'type':'struct','schema-id':%d,'fields':[{'id':1,'name':'x','required':false,'type':'long'}]}";

static rwl_metadata *make(parts p) {
#define OR(part, fallback) ((part) != NULL ? (part) : (fallback))
    const char *one = rwl_arena_printf(test_arena(), SCHEMA, 0);
    const char *text = rwl_arena_printf(
        test_arena(),
        "{'format-version':%s,'table-uuid':'9c12d441-03fe-4693-9a96-a0705ddf69c1','location':'/t',"
        "'last-sequence-number':9,'next-row-id':0,'last-updated-ms':9000,'last-column-id':1,"
        "'current-schema-id':%s,'schemas':[%s],'default-spec-id':%s,'partition-specs':[%s],"
        "'last-partition-id':1000,'default-sort-order-id':%s,'sort-orders':[%s],'properties':{%s},"
        "'current-snapshot-id':%s,'snapshots':[%s],'refs':{%s},'statistics':[%s]}",
        OR(p.version, "2"), OR(p.schema, "0"), OR(p.schemas, one), OR(p.spec, "0"),
        OR(p.specs, "{'spec-id':0,'fields':[]}"), OR(p.order, "0"),
        OR(p.orders, "{'order-id':0,'fields':[]}"), OR(p.properties, ""), OR(p.current, "-1"),
        OR(p.snapshots, ""), OR(p.refs, ""), OR(p.statistics, ""));
    rwl_metadata *m = NULL;
    ASSERT_OK(rwl_metadata_parse(test_env(), unquote(text), NULL, &m, err));
    return m;
}

static void check_changes(parts before, parts after, const char *kinds, const char *sentences) {
    rwl_metadata *older = make(before), *newer = make(after);
    rwl_buf got_kinds, got;
    rwl_buf_init(&got_kinds, test_env(), SIZE_MAX);
    rwl_buf_init(&got, test_env(), SIZE_MAX);
    rwl_doc doc = {.out = &got, .st = RWL_OK};
    ASSERT_OK(rwl_changes_compare(older, newer, &got_kinds, &doc, err));
    ASSERT_OK(rwl_buf_terminate(&got, err));
    ck_assert_str_eq((const char *)got_kinds.data, kinds);
    ck_assert_str_eq((const char *)got.data, sentences);
    rwl_buf_clear(&got_kinds);
    rwl_buf_clear(&got);
    rwl_metadata_free(older);
    rwl_metadata_free(newer);
}

#define SNAPSHOT(id) "{'snapshot-id':" #id ",'sequence-number':1,'timestamp-ms':1000,'manifest-list':'/l'}"
#define MAIN(id)     "'main':{'snapshot-id':" #id ",'type':'branch'}"

START_TEST(changes_of_layout_and_properties_are_told) {
    const char *two = rwl_arena_printf(test_arena(), "%s,%s", rwl_arena_printf(test_arena(), SCHEMA, 0),
                                       rwl_arena_printf(test_arena(), SCHEMA, 1));
    parts same = {0};
    check_changes(same, same, "", "");
    check_changes(same, (parts){.version = "3"}, "upgrade", "\"format version 2 to 3\"");
    check_changes(same, (parts){.schemas = two, .schema = "1"}, "schema",
                  "\"schema 1 added\", \"current schema 0 to 1\"");
    check_changes(
        same,
        (parts){.specs = "{'spec-id':0,'fields':[]},{'spec-id':1,'fields':[{'source-id':1,'field-id':1000,"
                         "'name':'x','transform':'identity'}]}",
                .spec = "1",
                .orders = "{'order-id':0,'fields':[]},{'order-id':1,'fields':[{'source-id':1,'transform':"
                          "'identity','direction':'asc','null-order':'nulls-first'}]}",
                .order = "1"},
        "partition spec, sort order",
        "\"partition spec 1 added\", \"default partition spec 0 to 1\", \"sort order 1 added\", "
        "\"default sort order 0 to 1\"");
    check_changes((parts){.properties = "'a':'1','b':'2','c':'3'"},
                  (parts){.properties = "'a':'1','b':'9','d':'4'"}, "properties",
                  "\"property b set to 9\", \"property d set to 4\", \"property c removed\"");
    check_changes(same,
                  (parts){.statistics = "{'snapshot-id':1,'statistics-path':'/s','file-size-in-bytes':1,"
                                        "'file-footer-size-in-bytes':1,'blob-metadata':[]}"},
                  "statistics", "\"statistics: 1 files, 0 before\"");
}
END_TEST

START_TEST(a_head_that_moves_to_its_own_snapshot_is_no_change) {
    const parts none = {0};
    const parts one = {.current = "1", .snapshots = SNAPSHOT(1), .refs = MAIN(1)};
    const parts two = {.current = "2", .snapshots = SNAPSHOT(1) "," SNAPSHOT(2), .refs = MAIN(2)};
    const parts back = {.current = "1", .snapshots = SNAPSHOT(1) "," SNAPSHOT(2), .refs = MAIN(1)};
    const parts refs = {.current = "2",
                        .snapshots = SNAPSHOT(1) "," SNAPSHOT(2),
                        .refs = MAIN(2) ",'keep':{'snapshot-id':1,'type':'tag'},"
                                        "'dev':{'snapshot-id':1,'type':'branch','max-ref-age-ms':5}"};
    const parts kept = {.current = "2", .snapshots = SNAPSHOT(2), .refs = MAIN(2)};
    check_changes(none, one, "", "");
    check_changes(one, two, "", "");
    check_changes(two, back, "refs", "\"branch main moved from 2 to 1\"");
    check_changes(two, refs, "refs", "\"tag keep created at 1\", \"branch dev created at 1\"");
    check_changes(refs, two, "refs", "\"tag keep removed\", \"branch dev removed\"");
    check_changes(two, kept, "expire", "\"snapshot 1 expired\"");
    check_changes(two, none, "refs, expire", "\"branch main removed\", \"2 snapshots expired\"");
    parts older = refs;
    older.refs = MAIN(2) ",'keep':{'snapshot-id':1,'type':'tag'},'dev':{'snapshot-id':2,'type':'branch'}";
    check_changes(older, refs, "refs", "\"branch dev moved from 2 to 1\", \"branch dev: retention changed\"");
}
END_TEST

/* A version with more changes than are told ends with their number. */
START_TEST(many_changes_are_counted) {
    char *many = rwl_arena_printf(test_arena(), "'k0':'v'");
    for (int i = 1; i < 203; i++)
        many = rwl_arena_printf(test_arena(), "%s,'k%d':'v'", many, i);
    rwl_metadata *older = make((parts){0}), *newer = make((parts){.properties = many});
    rwl_buf kinds, got;
    rwl_buf_init(&kinds, test_env(), SIZE_MAX);
    rwl_buf_init(&got, test_env(), SIZE_MAX);
    rwl_doc doc = {.out = &got, .st = RWL_OK};
    ASSERT_OK(rwl_changes_compare(older, newer, &kinds, &doc, err));
    ASSERT_OK(rwl_buf_terminate(&got, err));
    ck_assert_ptr_nonnull(strstr((const char *)got.data, "\"property k199 set to v\", \"3 more\""));
    rwl_buf_clear(&kinds);
    rwl_buf_clear(&got);
    rwl_metadata_free(older);
    rwl_metadata_free(newer);
}
END_TEST

Suite *suite_about(void) {
    const TTest *const tests[] = {
        an_engine_is_told_by_the_marks_of_a_summary,        a_created_by_is_a_name_and_a_version,
        an_engine_is_looked_for_in_a_file_it_added,         changes_of_layout_and_properties_are_told,
        a_head_that_moves_to_its_own_snapshot_is_no_change, many_changes_are_counted};
    return TEST_SUITE("about", tests);
}
