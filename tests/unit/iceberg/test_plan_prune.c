/* SPDX-License-Identifier: Apache-2.0 */
/* What partition values, summaries and metrics prove of a filter: every transform, and BUG-139 to 156, 175 to 180. */
#include "iceberg/filter_fields.h"
#include "iceberg/plan_prune.h"
#include "table_test.h"

#include <stdio.h>

/* A table, a filter on it, and who is asked. */
typedef struct asked {
    rwl_metadata *m;
    rwl_plan_pruner p;
} asked;

static asked ask(rwl_metadata *m, const char *filter) {
    asked a = {.m = m};
    const rwl_expr *expr = NULL;
    rwl_field *fields;
    rwl_plan_pruner p = {.metadata = m};
    ASSERT_OK(rwl_expr_parse(filter, test_arena(), &expr, err));
    ASSERT_OK(rwl_filter_fields(m, m->schema, test_arena(), &fields, NULL, &p.field_count, err));
    p.fields = fields;
    ASSERT_OK(rwl_expr_bind(expr, fields, p.field_count, test_arena(), &p.filter, err));
    rwl_plan_pruner_init(&a.p, &p, test_env());
    return a;
}

static void done(asked *a) {
    rwl_plan_pruner_clear(&a->p);
    rwl_metadata_free(a->m);
}

/* "no", "may" or "must". */
static const char *answer(asked *a, const rwl_manifest_entry *e) {
    if (!rwl_plan_may_match_file(&a->p, e))
        return "no";
    return rwl_plan_must_match_file(&a->p, e) ? "must" : "may";
}

static rwl_span encode(const rwl_value *v) {
    rwl_buf buf;
    rwl_buf_init(&buf, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_value_encode(v, &buf, err));
    rwl_span out = rwl_span_of(rwl_arena_copy(test_arena(), buf.data, buf.len), buf.len);
    rwl_buf_clear(&buf);
    return out;
}

/* --- partitions --- */

/* A column `c`, its partition field, a partition value (as the result type's text), and filters with answers: "!" before one
 * that must be "no", "=" before one that every row satisfies, else "may". */
static const struct {
    const char *type, *partition, *value, *filters[8];
} PARTITIONS[] = {
    {"long", "c", "7", {"=c = 7", "!c = 8", "=c > 6", "!c is null", "=c in (1, 7)"}},
    {"double", "c", "NaN", {"=c is nan", "!c = 1", "=c <> 3", "=not (c < 10)", "!c is null"}},
    {"double", "c", "-0.0", {"=c = 0.0", "!c < 0", "!c is nan"}},
    {"string", "c", "null", {"=c is null", "!c = 'a'", "!c <> 'a'", "!c is not null"}},

    /* specification, appendix B: hash(34) = 2017239379, and 2017239379 mod 16 = 3 */
    {"long", "bucket(16, c)", "3", {"c = 34", "c in (34, 35)", "c > 5", "!c is null", "=c is not null"}},
    {"long", "bucket(16, c)", "4", {"!c = 34", "!c in (34)", "c <> 34", "c < 34"}},
    {"int", "bucket(16, c)", "4", {"!c = 34"}},
    {"long", "bucket(16, c)", "null", {"!c = 34", "=c is null"}},
    /* 14.20: -500754589 and 0x7fffffff is 1646729059, mod 16 = 3; BUG-175: the minimal bytes of -1.28 are 0x80 */
    {"decimal(9,2)", "bucket(16, c)", "3", {"c = 14.20", "c = -1.00", "!c = -1.28", "!c = 0", "c = -327.68"}},
    {"decimal(9,2)", "bucket(16, c)", "13", {"!c = 14.20", "c = -1.28"}},
    /* date 2017-11-16: -653330422 and 0x7fffffff is 1494153226, mod 16 = 10 */
    {"date", "bucket(16, c)", "10", {"c = date '2017-11-16'"}},
    {"date", "bucket(16, c)", "9", {"!c = date '2017-11-16'"}},
    /* 22:31:08: -662762989 and 0x7fffffff is 1484720659, mod 16 = 3 */
    {"time", "bucket(16, c)", "3", {"c = time '22:31:08'"}},
    {"time", "bucket(16, c)", "2", {"!c = time '22:31:08'"}},
    /* 2017-11-16T22:31:08: -2047944441 and 0x7fffffff is 99539207, mod 16 = 7; nanoseconds hash as microseconds */
    {"timestamp", "bucket(16, c)", "7", {"c = timestamp '2017-11-16 22:31:08'"}},
    {"timestamp_ns", "bucket(16, c)", "7", {"c = timestamp '2017-11-16 22:31:08'"}},
    {"timestamp_ns", "bucket(16, c)", "6", {"!c = timestamp '2017-11-16 22:31:08'"}},
    /* iceberg: 1210000089 mod 16 = 9; BUG-180: the four bytes of U+1F600, murmur3 computed by another program */
    {"string", "bucket(16, c)", "9", {"c = 'iceberg'", "!c = '\xf0\x9f\x98\x80'"}},
    {"string", "bucket(16, c)", "10", {"!c = 'iceberg'", "c = '\xf0\x9f\x98\x80'"}},
    /* 1488055340 mod 16 = 12; 00010203: -188683207 and 0x7fffffff is 1958800441, mod 16 = 9 */
    {"uuid", "bucket(16, c)", "12", {"c = uuid 'f79c3e09-677c-4bbd-a479-3f349cb785e7'"}},
    {"uuid", "bucket(16, c)", "11", {"!c = uuid 'f79c3e09-677c-4bbd-a479-3f349cb785e7'"}},
    {"binary", "bucket(16, c)", "9", {"c = x'00010203'"}},
    {"fixed[4]", "bucket(16, c)", "8", {"!c = x'00010203'"}},

    {"int",
     "truncate(10, c)",
     "20",
     {"c = 25", "=c >= 20", "=c <= 29", "!c = 30", "!c < 20", "!c = 19", "!c is null"}},
    {"int", "truncate(10, c)", "-10", {"c = -1", "c = -10", "!c = 0", "!c = -11"}},
    {"long",
     "truncate(10, c)",
     "9223372036854775800",
     {"c = 9223372036854775807", "c > 9223372036854775806"}},
    /* -2147483648 truncates to -2147483650, which wraps around to 2147483646 */
    {"int", "truncate(10, c)", "2147483646", {"c = -2147483648", "c < 0"}},
    /* as did a long's that was an int then */
    {"long", "truncate(10, c)", "2147483646", {"c = -2147483648", "c < 0"}},
    {"long", "truncate(10, c)", "2147483650", {"!c < 0", "=c >= 2147483650"}},
    {"decimal(9,2)", "truncate(50, c)", "10.50", {"c = 10.65", "=c < 11.00", "!c = 11.00", "!c < 10.50"}},
    {"string",
     "truncate(3, c)",
     "ice",
     {"c = 'iceberg'", "c = 'ice'", "!c = 'icg'", "!c = 'ic'", "=c >= 'ice'"}},
    {"string", "truncate(3, c)", "ic", {"=c = 'ic'", "!c = 'ice'"}},
    {"string", "truncate(2, c)", "\xc3\xa9t", {"c = '\xc3\xa9t\xc3\xa9'", "!c = '\xc3\xaat'"}},
    {"binary", "truncate(2, c)", "ffff", {"c = x'ffffff'", "!c = x'fffe'"}},
    {"binary", "truncate(2, c)", "01ff", {"c = x'01ffff'", "!c = x'0201'"}},

    {"timestamp",
     "year(c)",
     "47",
     {"c = timestamp '2017-12-31 23:59:59.999999'", "!c = timestamp '2018-01-01 00:00:00'",
      "!c = timestamp '2016-12-31 23:59:59.999999'", "=c >= date '2017-01-01'"}},
    {"date", "year(c)", "47", {"c = date '2017-06-01'", "!c = date '2018-01-01'"}},
    {"timestamp",
     "month(c)",
     "574",
     {"c = timestamp '2017-11-16 22:31:08'", "!c < timestamp '2017-11-01 00:00:00'"}},
    {"timestamptz",
     "day(c)",
     "2017-11-16",
     {"c = timestamptz '2017-11-16T14:31:08-08:00'", "!c = timestamptz '2017-11-17T00:00:00Z'"}},
    {"date", "day(c)", "2017-11-16", {"=c = date '2017-11-16'", "!c = date '2017-11-15'"}},
    /* BUG-177: 2017-12-01T10:12:55.038194789 is in hour 420034 */
    {"timestamp_ns",
     "hour(c)",
     "420034",
     {"c = timestamp '2017-12-01 10:12:55.038194789'", "!c = timestamp '2017-12-01 11:00:00'",
      "!c < timestamp '2017-12-01 10:00:00'"}},
    /* half an hour before 1970 is in hour -1; in hour 0 by writers that cut towards zero */
    {"timestamp",
     "hour(c)",
     "-1",
     {"c = timestamp '1969-12-31 23:30:00'", "!c >= timestamp '1970-01-01 00:00:00'"}},
    {"timestamp",
     "hour(c)",
     "0",
     {"c = timestamp '1969-12-31 23:30:00'", "!c = timestamp '1969-12-31 22:30:00'",
      "c = timestamp '1970-01-01 00:59:59.999999'", "!c = timestamp '1970-01-01 01:00:00'"}},
    {"timestamp",
     "year(c)",
     "-1",
     {"c = timestamp '1969-06-01 00:00:00'", "!c = timestamp '1970-01-01 00:00:00'"}},
    {"date", "day(c)", "1970-01-01", {"!c = date '1969-12-31'"}}, /* nothing was cut */
    /* 2^31 - 1 years are more than a timestamp holds */
    {"timestamp",
     "year(c)",
     "2147483647",
     {"=c > timestamp '9999-01-01 00:00:00'", "!c < timestamp '9999-01-01 00:00:00'"}},

    {"int", "void(c)", "null", {"c = 1", "c is null", "c is not null"}},
    /* BUG-179: two fields of one source */
    {"int", "bucket(4, c), c", "null, 7", {"=c is null"}},
    {"long", "truncate(100, c), bucket(16, c)", "0, 3", {"c = 34", "!c = 35", "!c = 134"}},
};

static rwl_manifest_entry partition_entry(const rwl_metadata *m, const char *texts) {
    static rwl_value values[4];
    rwl_type types[4];
    char copy[128];
    snprintf(copy, sizeof copy, "%s", texts);
    char *at = copy, *next;
    ASSERT_OK(rwl_manifest_partition_types(m, m->spec, types, err));
    for (int32_t i = 0; i < m->spec->field_count; i++, at = next) {
        next = strstr(at, ", ");
        if (next != NULL) {
            *next = 0;
            next += 2;
        }
        values[i] = test_value(&types[i], rwl_arena_strdup(test_arena(), at));
        next = next == NULL ? at + strlen(at) : next;
    }
    rwl_manifest_entry e;
    memset(&e, 0, sizeof e);
    e.status = RWL_STATUS_ADDED;
    e.file = test_data_file("a", 10, values, m->spec->field_count);
    e.file.spec_id = m->spec->spec_id;
    return e;
}

static const char *expected(const char **filter) {
    const char *want = **filter == '!' ? "no" : **filter == '=' ? "must" : "may";
    *filter += **filter == '!' || **filter == '=';
    return want;
}

START_TEST(partition_values_say_what_their_transform_lets_them) {
    const char *columns = rwl_arena_printf(test_arena(), "c %s", PARTITIONS[_i].type);
    for (int i = 0; i < 8 && PARTITIONS[_i].filters[i] != NULL; i++) {
        const char *filter = PARTITIONS[_i].filters[i], *want = expected(&filter);
        asked a = ask(test_table(3, columns, PARTITIONS[_i].partition), filter);
        rwl_manifest_entry e = partition_entry(a.m, PARTITIONS[_i].value);
        const char *got = answer(&a, &e);
        ck_assert_msg(strcmp(got, want) == 0, "%s %s = %s, %s: %s, not %s", PARTITIONS[_i].type,
                      PARTITIONS[_i].partition, PARTITIONS[_i].value, filter, got, want);
        done(&a);
    }
}
END_TEST

/* The same for summaries: bounds of the partition values, "" for none. */
static const struct {
    const char *type, *partition, *lower, *upper;
    bool null;
    const char *filters[7];
} SUMMARIES[] = {
    {"long", "c", "5", "9", false, {"c = 7", "!c = 4", "!c > 9", "!c is null"}},
    {"long", "c", "5", "9", true, {"c is null", "!c = 4", "c is not null"}},
    {"long", "c", "", "", false, {"c = 7"}},
    {"double", "c", "1.5", "2.5", false, {"!c = 3.0", "c is nan", "c = 2.0"}},
    {"long", "bucket(16, c)", "0", "2", false, {"!c = 34", "!c in (34)", "c > 5"}},
    {"long", "bucket(16, c)", "2", "5", false, {"c = 34"}},
    {"int", "truncate(10, c)", "20", "40", false, {"c = 49", "!c = 50", "!c = 19"}},
    {"int", "truncate(10, c)", "20", "2147483646", false, {"c = 5", "c = -2147483648"}},
    {"string", "truncate(3, c)", "abc", "ice", false, {"c = 'iceberg'", "!c = 'icg'", "!c = 'abb'"}},
    {"timestamp",
     "day(c)",
     "2017-11-16",
     "2017-11-18",
     false,
     {"c = timestamp '2017-11-18 23:59:59.999999'", "!c = timestamp '2017-11-19 00:00:00'"}},
    {"int", "void(c)", "", "", true, {"c = 1", "c is not null"}},
    /* columns called _partition.x are the values themselves */
    {"long", "bucket(16, c)", "0", "2", false, {"!_partition.c_bucket = 3", "_partition.c_bucket = 1"}},
    {"long", "c", "5", "9", false, {"_spec_id = 0", "!_spec_id = 1"}},
};

START_TEST(partition_summaries_say_what_their_transform_lets_them) {
    const char *columns = rwl_arena_printf(test_arena(), "c %s", SUMMARIES[_i].type);
    for (int i = 0; i < 7 && SUMMARIES[_i].filters[i] != NULL; i++) {
        const char *filter = SUMMARIES[_i].filters[i], *want = expected(&filter);
        asked a = ask(test_table(3, columns, SUMMARIES[_i].partition), filter);
        rwl_type type;
        ASSERT_OK(rwl_manifest_partition_types(a.m, a.m->spec, &type, err));
        rwl_field_summary s = {.contains_null = SUMMARIES[_i].null, .contains_nan = -1};
        if (*SUMMARIES[_i].lower != 0) {
            rwl_value low = test_value(&type, SUMMARIES[_i].lower),
                      high = test_value(&type, SUMMARIES[_i].upper);
            s.lower = encode(&low);
            s.upper = encode(&high);
        }
        rwl_manifest m = {.spec_id = a.m->spec->spec_id, .partitions = &s, .partition_count = 1};
        bool may = rwl_plan_may_match_manifest(&a.p, &m);
        ck_assert_msg(may == (strcmp(want, "no") != 0), "%s %s in %s .. %s, %s: %d", SUMMARIES[_i].type,
                      SUMMARIES[_i].partition, SUMMARIES[_i].lower, SUMMARIES[_i].upper, filter, may);
        done(&a);
    }
}
END_TEST

START_TEST(delete_manifests_of_unpartitioned_specs_always_may_match) {
    asked a = ask(test_table(3, "c long", NULL), "_spec_id = 1 and c = 3");
    rwl_manifest m = {.spec_id = a.m->spec->spec_id, .content = 0};
    ck_assert(!rwl_plan_may_match_manifest(&a.p, &m));
    m.content = 1; /* its equality deletes apply to files of spec 1 */
    ck_assert(rwl_plan_may_match_manifest(&a.p, &m));
    done(&a);
}
END_TEST

/* Of a summary without partitions, and of a spec the table does not know, nothing is known. */
START_TEST(unknown_specs_and_absent_summaries_prune_nothing) {
    asked a = ask(test_table(3, "c long", "c"), "c = 3");
    rwl_manifest m = {.spec_id = a.m->spec->spec_id};
    ck_assert(rwl_plan_may_match_manifest(&a.p, &m));
    m.spec_id = 77;
    ck_assert(rwl_plan_may_match_manifest(&a.p, &m));
    rwl_value four = {.kind = RWL_TYPE_LONG, .as.i64 = 4};
    rwl_manifest_entry e;
    memset(&e, 0, sizeof e);
    e.file = test_data_file("a", 1, &four, 1);
    e.file.spec_id = 77;
    ck_assert_str_eq(answer(&a, &e), "may");
    done(&a);
}
END_TEST

/* spec 0 by bucket, spec 1 by identity, spec 2 by an unknown transform: each manifest by its own */
static const char EVOLVED[] =
    "{'format-version': 2, 'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1', 'location': 's3://b/t',"
    "'last-sequence-number': 1, 'last-updated-ms': 1, 'last-column-id': 2, 'current-schema-id': 1,"
    "'schemas': [{'type': 'struct', 'schema-id': 0, 'fields': [{'id': 1, 'name': 'd', 'required': false, "
    "'type': 'date'},"
    "{'id': 2, 'name': 'n', 'required': false, 'type': 'int'}]},"
    "{'type': 'struct', 'schema-id': 1, 'fields': [{'id': 1, 'name': 'd', 'required': false, 'type': "
    "'timestamp'},"
    "{'id': 2, 'name': 'n', 'required': false, 'type': 'long'}]}],"
    "'default-spec-id': 1, 'last-partition-id': 1003, 'partition-specs': ["
    "{'spec-id': 0, 'fields': [{'source-id': 1, 'field-id': 1000, 'name': 'd_bucket', 'transform': "
    "'bucket[16]'}]},"
    "{'spec-id': 1, 'fields': [{'source-id': 1, 'field-id': 1001, 'name': 'd_month', 'transform': 'month'},"
    "{'source-id': 2, 'field-id': 1002, 'name': 'n', 'transform': 'identity'}]},"
    "{'spec-id': 2, 'fields': [{'source-id': 2, 'field-id': 1003, 'name': 'n_zorder', 'transform': "
    "'zorder[3]'}]}],"
    "'default-sort-order-id': 0, 'sort-orders': [{'order-id': 0, 'fields': []}]}";

static const struct {
    int32_t spec;
    const char *filter, *want;
} EVOLVED_CASES[] = {
    /* files of spec 0 were put by the hash of days: that of a timestamp proves nothing */
    {0, "d = timestamp '2017-11-16 22:31:08'", "may"},
    {0, "d is null", "no"},
    {0, "_partition.n = 5", "no"}, /* spec 0 has no such field: null */
    {0, "_partition.d_bucket = 9", "must"},
    {1, "d = timestamp '2017-11-16 22:31:08'", "may"},
    {1, "d = timestamp '2017-12-01 00:00:00'", "no"},
    {1, "n = 9", "must"}, /* an int once, a long now */
    {1, "n = 3000000000", "no"},
    {1, "_partition.d_bucket is null", "must"},
    {2, "n = 9", "may"},
    {2, "n is null", "may"},
    {2, "_spec_id = 2", "must"},
};

START_TEST(each_file_is_judged_by_its_own_spec) {
    asked a = ask(test_metadata(EVOLVED), EVOLVED_CASES[_i].filter);
    const rwl_value nine = {.kind = RWL_TYPE_INT, .as.i32 = 9};
    const rwl_value month[2] = {{.kind = RWL_TYPE_INT, .as.i32 = 574}, nine};
    rwl_manifest_entry e;
    memset(&e, 0, sizeof e);
    e.file = test_data_file("a", 1, EVOLVED_CASES[_i].spec == 1 ? month : &nine,
                            EVOLVED_CASES[_i].spec == 1 ? 2 : 1);
    e.file.spec_id = EVOLVED_CASES[_i].spec;
    ck_assert_msg(strcmp(answer(&a, &e), EVOLVED_CASES[_i].want) == 0, "spec %d, %s: %s",
                  EVOLVED_CASES[_i].spec, EVOLVED_CASES[_i].filter, answer(&a, &e));
    done(&a);
}
END_TEST

/* v1 numbers the fields of each spec from 1000 on. */
static const char ONE_ID[] =
    "{'format-version': 1, 'location': 's3://b/t', 'last-updated-ms': 1, 'last-column-id': 2,"
    "'schema': {'type': 'struct', 'schema-id': 0, 'fields': [{'id': 1, 'name': 'n', 'required': false, "
    "'type': 'int'}, {'id': 2, 'name': 's', 'required': false, 'type': 'string'}]},"
    "'default-spec-id': 1, 'partition-spec': [], 'partition-specs': ["
    "{'spec-id': 0, 'fields': [{'source-id': 1, 'name': 'n', 'transform': 'identity'}]},"
    "{'spec-id': 1, 'fields': [{'source-id': 2, 'name': 's', 'transform': 'identity'}]}]}";

START_TEST(bounds_of_another_field_with_the_same_id_are_not_read_as_its_own) {
    asked a = ask(test_metadata(ONE_ID), "_partition.s = 'z'");
    const rwl_value nine = {.kind = RWL_TYPE_INT, .as.i32 = 9};
    rwl_field_summary s = {.lower = encode(&nine), .upper = encode(&nine)};
    rwl_manifest m = {.spec_id = 0, .partitions = &s, .partition_count = 1};
    ck_assert(rwl_plan_may_match_manifest(&a.p, &m));
    m.spec_id = 1;
    ck_assert(!rwl_plan_may_match_manifest(&a.p, &m));
    done(&a);
}
END_TEST

/* --- metrics --- */

/* Of column c in a file of ten rows: counts (-2: absent), bounds in hexadecimal ("": absent), a filter, the answer. */
static const struct {
    const char *type;
    int64_t values, nulls, nans;
    const char *lower, *upper, *filter, *want;
} METRICS[] = {
    {"int", 10, 0, -2, "05000000", "09000000", "c = 7", "may"},
    {"int", 10, 0, -2, "05000000", "09000000", "c = 10", "no"},
    {"int", 10, 0, -2, "05000000", "09000000", "c >= 5", "must"},
    {"int", 10, 1, -2, "05000000", "09000000", "c >= 5", "may"},
    {"int", 10, 10, -2, "", "", "c = 1", "no"},
    {"int", 10, 10, -2, "", "", "c is null", "must"},
    {"int", 10, 0, -2, "", "", "c is null", "no"},
    /* BUG-174: negative counts are unknown */
    {"int", 10, -1, -2, "05000000", "09000000", "c is null", "may"},
    {"int", -1, -1, -1, "05000000", "09000000", "c >= 5", "may"},
    /* other counts than rows say nothing of rows */
    {"int", 7, 0, -2, "05000000", "09000000", "c is null", "may"},
    {"int", 7, 7, -2, "", "", "c is not null", "may"},
    {"int", -2, 0, -2, "05000000", "09000000", "c is null", "no"},
    {"int", -2, -2, -2, "", "", "c = 1", "may"},
    /* BUG-145: x <> 5 must not be said of [null, 5] */
    {"int", 10, 1, -2, "05000000", "05000000", "c <> 5", "no"},
    {"int", 10, 1, -2, "05000000", "05000000", "c = 5", "may"},
    {"int", 10, -2, -2, "06000000", "07000000", "c <> 5", "may"},
    {"int", 10, 0, -2, "06000000", "07000000", "c <> 5", "must"},
    /* BUG-139: only the column itself is judged by its bounds */
    {"long", 10, 0, -2, "0000000000000000", "3100000000000000", "c % 8 = 4", "may"},
    /* BUG-147: NaN is in no bounds and above every number */
    {"double", 10, 0, 1, "0000000000000840", "0000000000000840", "c <> 3", "may"},
    {"double", 10, 0, 1, "0000000000000840", "0000000000000840", "not (c < 10)", "may"},
    {"double", 10, 0, 1, "0000000000000840", "0000000000000840", "c > 5", "may"},
    {"double", 10, 0, -2, "0000000000000840", "0000000000000840", "c > 5", "may"},
    {"double", 10, 0, 0, "0000000000000840", "0000000000000840", "c > 5", "no"},
    {"double", 10, 0, 10, "", "", "c < 5", "no"},
    /* without a count of NaN a row group with one may be missing: Spark's add_files says -45018 to 19999 of -50000 … */
    {"double", 10, 0, -2, "0000000000000840", "0000000000000840", "c < 1", "may"},
    {"float", 10, 0, -2, "00004040", "00004040", "c = 1", "may"},
    {"float", 10, 0, 0, "00004040", "00004040", "c = 1", "no"},
    /* BUG-148 */
    {"double", 10, 0, 0, "", "", "c is nan", "no"},
    {"double", 10, 0, 10, "", "", "c is nan", "must"},
    /* a NaN bound, and the other one with it, is none; nor are bounds in the wrong order (BUG-151) */
    {"double", 10, 0, 0, "000000000000f87f", "0000000000000840", "c > 5", "may"},
    {"double", 10, 0, 0, "0000000000000840", "000000000000f87f", "c < 1", "may"},
    {"int", 10, 0, -2, "09000000", "05000000", "c = 20", "may"},
    /* zeros of both signs are equal */
    {"double", 10, 0, 0, "0000000000000000", "0000000000000840", "c = -0.0", "may"},
    {"double", 10, 0, 0, "0000000000000080", "0000000000000080", "c = 0.0", "must"},
    /* promoted columns: the length of a bound is that of the type the file has */
    {"long", 10, 0, -2, "05000000", "ffffff7f", "c = 2147483648", "no"},
    {"long", 10, 0, -2, "fbffffff", "09000000", "c < -5", "no"},
    {"double", 10, 0, 0, "00004040", "00004040", "c = 3", "must"},
    {"timestamp", 10, 0, -2, "01000000", "02000000", "c > timestamp '1970-01-03 00:00:00'", "no"},
    {"timestamp", 10, 0, -2, "01000000", "02000000", "c = timestamp '1970-01-02 00:00:00'", "may"},
    {"timestamp_ns", 10, 0, -2, "01000000", "02000000", "c > timestamp '1970-01-03 00:00:00'", "no"},
    {"timestamptz", 10, 0, -2, "01000000", "02000000", "c > timestamptz '1970-01-04T00:00:00Z'", "may"},
    /* 106751 days are the last whose nanoseconds fit */
    {"timestamp_ns", 10, 0, -2, "01000000", "00000010", "c > timestamp '2200-01-01 00:00:00'", "may"},
    /* BUG-154: 1 and 999 nanoseconds after 2024-01-01 */
    {"timestamp_ns", 10, 0, -2, "010065011710a617", "e70365011710a617",
     "c > timestamp '2024-01-01 00:00:00.000000999'", "no"},
    {"timestamp_ns", 10, 0, -2, "010065011710a617", "e70365011710a617",
     "c = timestamp '2024-01-01 00:00:00.000000999'", "may"},
    /* decimals of any length, signed: -1 and 5 with scale 0, 128 as 0080 */
    {"decimal(4,0)", 10, 0, -2, "ff", "05", "c = 0", "may"},
    {"decimal(4,0)", 10, 0, -2, "ff", "05", "c > 5", "no"},
    {"decimal(38,0)", 10, 0, -2, "ff7f", "0080", "c = -129", "may"},
    {"decimal(38,0)", 10, 0, -2, "ff7f", "0080", "c < -129", "no"},
    {"decimal(38,0)", 10, 0, -2, "ffffff7f", "0000000080", "c > 128", "no"},
    /* BUG-141, 150, 156: bounds are inequalities of unsigned bytes */
    {"string", 10, 0, -2, "61", "62", "c = 'abc'", "may"},
    {"string", 10, 0, -2, "61", "62", "c = 'b1'", "no"},
    {"string", 10, 0, -2, "61", "61", "c = 'a'", "must"},
    {"string", 10, 0, -2, "efbd9e", "f09f9880", "c = '\xef\xbd\x9e'", "may"},
    {"string", 10, 0, -2, "efbd9e", "f09f9880", "c > '\xf0\x9f\x98\x80'", "no"},
    /* BUG-140: an upper bound cut inside a character is none, a lower one is good enough */
    {"string", 10, 0, -2, "61e2", "61e2", "c > 'b'", "may"},
    {"string", 10, 0, -2, "61e2", "61e2", "c < 'a'", "no"},
    {"binary", 10, 0, -2, "01", "02ff", "c = x'02ffff'", "no"},
    /* row groups 00 to 40 and 40 to ff, merged as signed numbers: 40 is the greater of 40 and ff; others wrote what no row had */
    {"uuid", 10, 0, -2, "00000000000000000000000000000001", "0000000000000000000000000000000f",
     "c = uuid '00000000-0000-0000-0000-000000000010'", "may"},
    {"uuid", 10, 0, -2, "0001", "0002", "c = uuid '00000000-0000-0000-0000-000000000010'", "may"},
    {"fixed[2]", 10, 0, -2, "0001", "0002", "c = x'0003'", "no"},
    {"boolean", 10, 0, -2, "00", "00", "c", "no"},
    {"boolean", 10, 0, -2, "ff", "ff", "c", "must"},
    {"struct<x int>", 10, 0, -2, "05000000", "09000000", "c.x = 10", "no"},
    {"struct<x int>", 10, 0, -2, "05000000", "09000000", "c.x >= 5", "must"},
    /* nulls of a field alone: those of its struct may not be among them */
    {"struct<x int>", -2, 0, -2, "", "", "c.x is null", "may"},
    {"struct<x int>", 10, 0, -2, "", "", "c.x is null", "no"},
    {"struct<x int>", 4, 0, -2, "05000000", "09000000", "c.x >= 5", "may"},
};

static rwl_span from_hex(const char *text) {
    size_t len = strlen(text) / 2;
    uint8_t *bytes = rwl_arena_alloc(test_arena(), len);
    for (size_t i = 0; i < len; i++)
        bytes[i] =
            (uint8_t)(rwl_hex_digit((uint8_t)text[2 * i]) << 4 | rwl_hex_digit((uint8_t)text[2 * i + 1]));
    return len == 0 ? rwl_span_of(NULL, 0) : rwl_span_of(bytes, len);
}

typedef struct file_metrics {
    rwl_metric_count values, nulls, nans;
    rwl_metric_bound lower, upper;
} file_metrics;

/* -2 and "" leave the column's metric out. */
static rwl_manifest_entry metrics_entry(file_metrics *m, int32_t id, int64_t values, int64_t nulls,
                                        int64_t nans, const char *lower, const char *upper) {
    rwl_manifest_entry e;
    memset(&e, 0, sizeof e);
    e.file = test_data_file("a", 10, NULL, 0);
    *m = (file_metrics){{id, values}, {id, nulls}, {id, nans}, {id, from_hex(lower)}, {id, from_hex(upper)}};
    e.file.value_counts = &m->values;
    e.file.null_counts = &m->nulls;
    e.file.nan_counts = &m->nans;
    e.file.lower_bounds = &m->lower;
    e.file.upper_bounds = &m->upper;
    e.file.value_count_count = values != -2;
    e.file.null_count_count = nulls != -2;
    e.file.nan_count_count = nans != -2;
    e.file.lower_count = *lower != 0;
    e.file.upper_count = *upper != 0;
    return e;
}

START_TEST(metrics_say_no_more_than_they_can) {
    asked a = ask(test_table(3, rwl_arena_printf(test_arena(), "c %s", METRICS[_i].type), NULL),
                  METRICS[_i].filter);
    file_metrics m;
    int32_t id = a.m->schema->fields[0].type.kind == RWL_TYPE_STRUCT ? 2 : 1;
    rwl_manifest_entry e = metrics_entry(&m, id, METRICS[_i].values, METRICS[_i].nulls, METRICS[_i].nans,
                                         METRICS[_i].lower, METRICS[_i].upper);
    ck_assert_msg(strcmp(answer(&a, &e), METRICS[_i].want) == 0, "%s %s .. %s, %s: %s, not %s",
                  METRICS[_i].type, METRICS[_i].lower, METRICS[_i].upper, METRICS[_i].filter, answer(&a, &e),
                  METRICS[_i].want);
    done(&a);
}
END_TEST

/* --- lineage --- */

/* A file of ten rows with first_row_id 100 and number 7; metrics of the stored column; -3: without first_row_id. */
static const struct {
    int32_t id;
    int64_t values, nulls;
    const char *lower, *upper, *filter, *want;
} LINEAGE[] = {
    /* metrics that leave the column out prove nothing: a writer with many columns leaves out these */
    {RWL_FIELD_ID_ROW_ID, -2, -2, "", "", "_row_id = 3", "may"},
    {RWL_FIELD_ID_ROW_ID, -2, -2, "", "", "_row_id = 105", "may"},
    {RWL_FIELD_ID_ROW_ID, -2, -2, "", "", "_row_id is null", "no"},
    {RWL_FIELD_ID_ROW_ID, -2, -2, "", "", "_row_id is not null", "must"},
    {RWL_FIELD_ID_ROW_ID, 10, 0, "", "", "_row_id = 105", "may"},
    /* all stored, 20 to 30 */
    {RWL_FIELD_ID_ROW_ID, 10, 0, "1400000000000000", "1e00000000000000", "_row_id = 25", "may"},
    {RWL_FIELD_ID_ROW_ID, 10, 0, "1400000000000000", "1e00000000000000", "_row_id = 105", "no"},
    {RWL_FIELD_ID_ROW_ID, 10, 0, "1400000000000000", "1e00000000000000", "_row_id <= 30", "must"},
    /* some of them: the others have 100 to 109 */
    {RWL_FIELD_ID_ROW_ID, 10, 4, "1400000000000000", "1e00000000000000", "_row_id = 105", "may"},
    {RWL_FIELD_ID_ROW_ID, 10, 4, "1400000000000000", "1e00000000000000", "_row_id = 110", "no"},
    {RWL_FIELD_ID_ROW_ID, 10, 4, "1400000000000000", "1e00000000000000", "_row_id < 20", "no"},
    {RWL_FIELD_ID_ROW_ID, 10, -2, "1400000000000000", "1e00000000000000", "_row_id = 105", "may"},
    {RWL_FIELD_ID_ROW_ID, 10, 4, "1400000000000000", "", "_row_id = 5", "may"},
    /* a column of nulls: all inherited */
    {RWL_FIELD_ID_ROW_ID, 10, 10, "", "", "_row_id = 110", "no"},
    {RWL_FIELD_ID_ROW_ID, 10, 10, "", "", "_row_id between 100 and 109", "must"},
    {RWL_FIELD_ID_LAST_UPDATED, 10, 10, "", "", "_last_updated_sequence_number = 7", "must"},
    {RWL_FIELD_ID_LAST_UPDATED, -2, -2, "", "", "_last_updated_sequence_number = 8", "may"},
    {RWL_FIELD_ID_LAST_UPDATED, 10, 0, "0300000000000000", "0500000000000000",
     "_last_updated_sequence_number > 5", "no"},
    {RWL_FIELD_ID_LAST_UPDATED, 10, 1, "0300000000000000", "0500000000000000",
     "_last_updated_sequence_number > 5", "may"},
    {RWL_FIELD_ID_LAST_UPDATED, 10, 1, "0300000000000000", "0500000000000000",
     "_last_updated_sequence_number > 7", "no"},
    /* law 5: without first_row_id both are null, whatever is stored */
    {RWL_FIELD_ID_ROW_ID, -3, 0, "1400000000000000", "1e00000000000000", "_row_id = 25", "no"},
    {RWL_FIELD_ID_LAST_UPDATED, -3, 0, "", "", "_last_updated_sequence_number is null", "must"},
};

START_TEST(lineage_is_known_only_where_metrics_tell_what_is_stored) {
    asked a = ask(test_table(3, "c int", NULL), LINEAGE[_i].filter);
    file_metrics m;
    bool without = LINEAGE[_i].values == -3;
    rwl_manifest_entry e = metrics_entry(&m, LINEAGE[_i].id, without ? 10 : LINEAGE[_i].values,
                                         LINEAGE[_i].nulls, -2, LINEAGE[_i].lower, LINEAGE[_i].upper);
    e.sequence_number = 7;
    e.file.has_first_row_id = !without;
    e.file.first_row_id = 100;
    ck_assert_msg(strcmp(answer(&a, &e), LINEAGE[_i].want) == 0, "%s: %s, not %s", LINEAGE[_i].filter,
                  answer(&a, &e), LINEAGE[_i].want);
    done(&a);
}
END_TEST

START_TEST(only_columns_of_the_filter_are_asked_for) {
    asked a = ask(test_table(3, "c int, s struct<x int, y int>, d int", NULL),
                  "s.y = 1 and c = 2 and _row_id = 3 and _file = 'a'");
    rwl_manifest_wanted wanted;
    ASSERT_OK(rwl_plan_pruner_wanted(&a.p, test_arena(), &wanted, err));
    ck_assert(wanted.counts && wanted.bounds && !wanted.sizes && !wanted.splits);
    ck_assert_int_eq(wanted.id_count, 3);
    int32_t y = a.m->schema->fields[1].type.children[1].id;
    for (int32_t i = 0; i < 3; i++)
        ck_assert(wanted.ids[i] == 1 || wanted.ids[i] == y || wanted.ids[i] == RWL_FIELD_ID_ROW_ID);
    done(&a);
}
END_TEST

Suite *suite_plan_prune(void) {
    Suite *s = suite_create("plan_prune");
    TCase *t = tcase_create("plan_prune");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_loop_test(t, partition_values_say_what_their_transform_lets_them, 0,
                        sizeof PARTITIONS / sizeof *PARTITIONS);
    tcase_add_loop_test(t, partition_summaries_say_what_their_transform_lets_them, 0,
                        sizeof SUMMARIES / sizeof *SUMMARIES);
    tcase_add_test(t, delete_manifests_of_unpartitioned_specs_always_may_match);
    tcase_add_test(t, unknown_specs_and_absent_summaries_prune_nothing);
    tcase_add_loop_test(t, each_file_is_judged_by_its_own_spec, 0,
                        sizeof EVOLVED_CASES / sizeof *EVOLVED_CASES);
    tcase_add_test(t, bounds_of_another_field_with_the_same_id_are_not_read_as_its_own);
    tcase_add_loop_test(t, metrics_say_no_more_than_they_can, 0, sizeof METRICS / sizeof *METRICS);
    tcase_add_loop_test(t, lineage_is_known_only_where_metrics_tell_what_is_stored, 0,
                        sizeof LINEAGE / sizeof *LINEAGE);
    tcase_add_test(t, only_columns_of_the_filter_are_asked_for);
    suite_add_tcase(s, t);
    return s;
}
