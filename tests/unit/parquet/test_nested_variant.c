/* SPDX-License-Identifier: Apache-2.0 */
/* Variants put together from their columns: the examples of VariantShredding.md. */
#include "nested_support.h"
#include "suites.h"

/* Metadata: "01 00 00" has no names (offset size 1, none, one offset). "11 02 00 01 02 6162" has a and b, sorted. */
#define NO_NAMES "x010000"
#define A_AND_B  "x11020001026162"

static const char measurement[] = "optional group measurement (VARIANT) { required binary metadata; optional "
                                  "binary value; optional int64 typed_value; }";
static const char tags[] = "optional group tags (VARIANT) { required binary metadata; optional binary value; "
                           "optional group typed_value (LIST) { "
                           "repeated group list { required group element { optional binary value; optional "
                           "binary typed_value (STRING); } } } }";
static const char event[] =
    "optional group event (VARIANT) { required binary metadata; optional binary value; optional group "
    "typed_value { "
    "required group a { optional binary value; optional binary typed_value (STRING); } } }";

static const struct {
    nested_spec spec;
    const char *rows;
} cases[] = {
    /* not shredded: 34 as int8 (0c 22), null, a null column */
    {{"optional group v (VARIANT) { required binary metadata; required binary value; }",
      {"0 1 " NO_NAMES ", 0 1 " NO_NAMES ", 0 0", "0 1 x0c22, 0 1 x00, 0 0"},
      .rows = 3},
     "34\nnull\nnull\n"},
    /* "The series of measurements 34, null, n/a, 100" */
    {{measurement,
      {"0 1 " NO_NAMES ", 0 1 " NO_NAMES ", 0 1 " NO_NAMES ", 0 1 " NO_NAMES,
       "0 1, 0 2 x00, 0 2 x0d6e2f61, 0 1", "0 2 34, 0 1, 0 1, 0 2 100"},
      .rows = 4},
     "34\nnull\n\"n/a\"\n100\n"},
    /* "both value and typed_value are null": a Variant null where a value is required */
    {{measurement, {"0 1 " NO_NAMES, "0 1", "0 1"}, .rows = 1}, "null\n"},
    /* "The series of tags arrays", with an empty one and one that is null as a column */
    {{tags,
      {"0 1 " NO_NAMES ", 0 1 " NO_NAMES ", 0 1 " NO_NAMES ", 0 1 " NO_NAMES ", 0 0",
       "0 1, 0 1, 0 1, 0 2 x00, 0 0", "0 3, 1 3, 0 3, 1 4 x00, 0 2, 0 1, 0 0",
       "0 4 comedy, 1 4 drama, 0 4 horror, 1 3, 0 2, 0 1, 0 0"},
      .rows = 5},
     "[\"comedy\", \"drama\"]\n[\"horror\", null]\n[]\nnull\nnull\n"},
    /* objects: shredded; partly (b in value: object of one field, 02 01 01 00 02 0c07: id 1, offsets 0 and 2, int8 7); empty; a
     * field that is null, of another type; not an object */
    {{event,
      {"0 1 " A_AND_B ", 0 1 " A_AND_B ", 0 1 " A_AND_B ", 0 1 " A_AND_B ", 0 1 " A_AND_B ", 0 1 " A_AND_B,
       "0 1, 0 2 x02010100020c07, 0 1, 0 1, 0 1, 0 2 x0561", "0 2, 0 2, 0 2, 0 3 x00, 0 3 x0c05, 0 1",
       "0 3 login, 0 3 noop, 0 2, 0 2, 0 2, 0 1"},
      .rows = 6},
     "{\"a\": \"login\"}\n{\"a\": \"noop\", \"b\": 7}\n{}\n{\"a\": null}\n{\"a\": 5}\n\"a\"\n"},
    /* in a list, with null and empty lists around */
    {{"optional group l (LIST) { repeated group list { optional group element (VARIANT) { required binary "
      "metadata; "
      "optional binary value; optional int32 typed_value; } } }",
      {"0 0, 0 1, 0 2, 0 3 " NO_NAMES ", 1 3 " NO_NAMES, "0 0, 0 1, 0 2, 0 3, 1 4 x0c22",
       "0 0, 0 1, 0 2, 0 4 9, 1 3"},
      .rows = 4},
     "null\n[]\n[null]\n[9, 34]\n"},
    /* value and metadata in the other order */
    {{"required group v (VARIANT) { required binary value; required binary metadata; }",
      {"0 0 x0c22", "0 0 " NO_NAMES},
      .rows = 1},
     "34\n"},
};

START_TEST(variants_are_put_together_from_their_columns) {
    for (int64_t batch = 0; batch < 3; batch++) {
        nested_query q = {.batch_rows = batch};
        check_nested(&cases[_i].spec, &q, cases[_i].rows);
    }
}
END_TEST

static const struct {
    nested_spec spec;
    rwl_status status;
    const char *message;
} wrong[] = {
    {{measurement, {"0 1 " NO_NAMES, "0 2 x0c22", "0 2 34"}, .rows = 1},
     RWL_CORRUPT,
     "value and typed_value are both set"},
    {{tags, {"0 1 " NO_NAMES, "0 2 x00", "0 3", "0 4 a"}, .rows = 1},
     RWL_CORRUPT,
     "value and typed_value are both set"},
    {{tags, {"0 1 " NO_NAMES, "0 1", "0 4 x00", "0 4 a"}, .rows = 1},
     RWL_CORRUPT,
     "value and typed_value are both set"},
    {{event, {"0 1 " A_AND_B, "0 2 x0561", "0 2", "0 3 b"}, .rows = 1},
     RWL_CORRUPT,
     "a shredded object whose value is none"},
    {{event, {"0 1 " NO_NAMES, "0 1", "0 2", "0 3 b"}, .rows = 1}, RWL_CORRUPT, "lack the name of field a"},
    {{measurement, {"0 1 x02", "0 1", "0 2 34"}, .rows = 1}, RWL_CORRUPT, "measurement"},
    {{measurement, {"0 1 " NO_NAMES, "0 2 x", "0 1"}, .rows = 1}, RWL_CORRUPT, "measurement"},
    {{"optional group v (VARIANT) { required binary metadata; optional binary value; optional int32 "
      "typed_value "
      "(UINT32); }",
      {"0 1 " NO_NAMES, "0 1", "0 2 34"},
      .rows = 1},
     RWL_UNSUPPORTED,
     "v.typed_value"},
    {{"optional group v (VARIANT) { required binary metadata; optional binary value; optional fixed(4) "
      "typed_value; }",
      {"", "", ""},
      .rows = 0},
     RWL_UNSUPPORTED,
     "v.typed_value"},
};

START_TEST(conflicting_or_damaged_variants_are_refused) {
    check_nested_fails(&wrong[_i].spec, NULL, wrong[_i].status, wrong[_i].message);
}
END_TEST

START_TEST(a_field_that_is_shredded_and_stored_is_read_from_its_column) {
    /* value has a: 7 and b: 7 (02 02 00 01 00 02 04 0c07 0c07); the column of a says missing, then "x" */
    nested_spec spec = {event,
                        {"0 1 " A_AND_B ", 0 1 " A_AND_B,
                         "0 2 x020200010002040c070c07, 0 2 x020200010002040c070c07", "0 2, 0 2",
                         "0 2, 0 3 y"},
                        .rows = 2};
    check_nested(&spec, NULL, "{\"b\": 7}\n{\"a\": \"y\", \"b\": 7}\n");
}
END_TEST

Suite *nested_variant_suite(void) {
    Suite *s = suite_create("parquet variants");
    TCase *tc = tcase_create("variants");
    tcase_add_loop_test(tc, variants_are_put_together_from_their_columns, 0,
                        (int)(sizeof cases / sizeof cases[0]));
    tcase_add_loop_test(tc, conflicting_or_damaged_variants_are_refused, 0,
                        (int)(sizeof wrong / sizeof wrong[0]));
    tcase_add_test(tc, a_field_that_is_shredded_and_stored_is_read_from_its_column);
    suite_add_tcase(s, tc);
    return s;
}
