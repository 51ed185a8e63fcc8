/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the unit tests of src/column. */
#include "suites.h"

const rwl_type ALL_TYPES[] = {
    {.kind = RWL_TYPE_UNKNOWN},
    {.kind = RWL_TYPE_BOOLEAN},
    {.kind = RWL_TYPE_INT},
    {.kind = RWL_TYPE_LONG},
    {.kind = RWL_TYPE_FLOAT},
    {.kind = RWL_TYPE_DOUBLE},
    {.kind = RWL_TYPE_DECIMAL, .precision = 38, .scale = 4},
    {.kind = RWL_TYPE_DATE},
    {.kind = RWL_TYPE_TIME},
    {.kind = RWL_TYPE_TIMESTAMP},
    {.kind = RWL_TYPE_TIMESTAMPTZ},
    {.kind = RWL_TYPE_TIMESTAMP_NS},
    {.kind = RWL_TYPE_TIMESTAMPTZ_NS},
    {.kind = RWL_TYPE_STRING},
    {.kind = RWL_TYPE_UUID},
    {.kind = RWL_TYPE_FIXED, .length = 3},
    {.kind = RWL_TYPE_FIXED, .length = 8},
    {.kind = RWL_TYPE_BINARY},
};
const int ALL_TYPE_COUNT = sizeof ALL_TYPES / sizeof ALL_TYPES[0];

rwl_value random_value(const rwl_type *type, uint64_t *state, int null_every, uint8_t *room) {
    static const double DOUBLES[] = {0.0, -0.0, 1.5, -1.5, 1e300, -1e300, 5e-324};
    rwl_value v = rwl_value_null(type->kind);
    if (type->kind == RWL_TYPE_UNKNOWN || (null_every > 0 && next_random(state) % (uint64_t)null_every == 0))
        return v;
    v.is_null = false;
    uint64_t r = next_random(state);
    bool small = next_random(state) % 2 == 0; /* small domains make equal values */
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        v.as.b = r & 1;
        break;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        v.as.i32 = small ? (int32_t)(r % 5) - 2 : (int32_t)r;
        break;
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE: {
        double d = DOUBLES[r % 7];
        if (r % 11 == 0)
            d = __builtin_nan("");
        if (r % 11 == 1)
            d = small ? __builtin_inf() : -__builtin_inf();
        if (r % 11 == 2)
            d = (double)(int64_t)r;
        if (type->kind == RWL_TYPE_FLOAT)
            v.as.f32 = (float)d;
        else
            v.as.f64 = d;
        break;
    }
    case RWL_TYPE_DECIMAL:
        v.as.i128 = small ? (rwl_i128)(r % 5) - 2 : (rwl_i128)(int64_t)r * (int64_t)(next_random(state) >> 6);
        break;
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY: {
        size_t len = r % (small ? 3 : 20);
        for (size_t i = 0; i < len; i++)
            room[i] =
                (uint8_t)(type->kind == RWL_TYPE_STRING ? 'a' + next_random(state) % 3
                                                        : next_random(state) % 4 * 85); /* 0, 85, 170, 255 */
        v.as.bytes = rwl_span_of(room, len);
        break;
    }
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED: {
        size_t len = (size_t)rwl_type_width(type);
        for (size_t i = 0; i < len; i++)
            room[i] = (uint8_t)(next_random(state) % 3);
        v.as.bytes = rwl_span_of(room, len);
        break;
    }
    default:
        v.as.i64 = small ? (int64_t)(r % 5) - 2 : (int64_t)r;
        break;
    }
    return v;
}

int main(void) {
    Suite *suite = suite_create("column");
    suite_add_tcase(suite, type_cases());
    suite_add_tcase(suite, value_cases());
    suite_add_tcase(suite, batch_cases());
    suite_add_tcase(suite, kernel_cases());
    suite_add_tcase(suite, sort_cases());
    suite_add_tcase(suite, runs_cases());
    suite_add_tcase(suite, arrow_cases());
    suite_add_tcase(suite, arrow_depot_cases());
    suite_add_tcase(suite, variant_cases());
    suite_add_tcase(suite, wkb_cases());
    suite_add_tcase(suite, nested_cases());
    suite_add_tcase(suite, arrow_nested_cases());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
