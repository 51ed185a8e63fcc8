/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes expressions: parse, print, parse again, bind and evaluate on one row of each type. */
#include "expr/expr.h"
#include "fuzz.h"

static const rwl_field FIELDS[] = {
    {.name = "i", .id = 1, .type = {.kind = RWL_TYPE_INT}},
    {.name = "l", .id = 2, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "f", .id = 3, .type = {.kind = RWL_TYPE_FLOAT}},
    {.name = "d", .id = 4, .type = {.kind = RWL_TYPE_DOUBLE}},
    {.name = "dec", .id = 5, .type = {.kind = RWL_TYPE_DECIMAL, .precision = 38, .scale = 10}},
    {.name = "s", .id = 6, .type = {.kind = RWL_TYPE_STRING}},
    {.name = "b", .id = 7, .type = {.kind = RWL_TYPE_BOOLEAN}},
    {.name = "dt", .id = 8, .type = {.kind = RWL_TYPE_DATE}},
    {.name = "ts", .id = 9, .type = {.kind = RWL_TYPE_TIMESTAMP}},
    {.name = "tz", .id = 10, .type = {.kind = RWL_TYPE_TIMESTAMPTZ}},
    {.name = "tn", .id = 11, .type = {.kind = RWL_TYPE_TIMESTAMP_NS}},
    {.name = "t", .id = 12, .type = {.kind = RWL_TYPE_TIME}},
    {.name = "u", .id = 13, .type = {.kind = RWL_TYPE_UUID}},
    {.name = "bin", .id = 14, .type = {.kind = RWL_TYPE_BINARY}},
    {.name = "fx", .id = 15, .type = {.kind = RWL_TYPE_FIXED, .length = 2}},
    {.name = "no", .id = 16, .type = {.kind = RWL_TYPE_UNKNOWN}},
    {.name = "_row_id", .id = RWL_FIELD_ID_ROW_ID, .type = {.kind = RWL_TYPE_LONG}},
};
enum { FIELD_COUNT = sizeof FIELDS / sizeof FIELDS[0] };

static bool lookup_nothing(void *ctx, int32_t column, rwl_column_facts *out) {
    (void)ctx;
    (void)column;
    (void)out;
    return false;
}

/* A row of nulls: no expression may need more than that to fall over. */
static void evaluate(const rwl_bound *bound, const rwl_env *env) {
    rwl_batch batch;
    uint64_t bits[1];
    bool ready = rwl_batch_init(&batch, env, FIELDS, FIELD_COUNT, NULL) == RWL_OK;
    for (int32_t i = 0; ready && i < FIELD_COUNT; i++) {
        rwl_value null = rwl_value_null(FIELDS[i].type.kind);
        ready = rwl_column_append(&batch.columns[i], env, &null, 1, NULL) == RWL_OK;
    }
    batch.length = 1;
    rwl_status st = ready ? rwl_expr_eval_batch(bound, &batch, bits, NULL) : RWL_NO_MEMORY;
    FUZZ_CHECK(st == RWL_OK || st == RWL_NO_MEMORY || (st == RWL_USAGE && rwl_bound_can_fail(bound)));
    ready = ready && st == RWL_OK;
    rwl_facts facts = {NULL, lookup_nothing, NULL};
    FUZZ_CHECK(!ready || bits[0] == 0 || rwl_expr_may_match(bound, &facts));
    FUZZ_CHECK(!ready || bits[0] == 1 || !rwl_expr_must_match(bound, &facts));
    rwl_batch_clear(&batch);
}

/* A value of each of the fields, for whatever type it has. */
static void evaluate_value(const rwl_bound_value *value, const rwl_env *env, int nulls) {
    rwl_batch batch;
    rwl_column out;
    const rwl_column *columns[FIELD_COUNT];
    bool ready = rwl_batch_init(&batch, env, FIELDS, FIELD_COUNT, NULL) == RWL_OK;
    for (int32_t i = 0; ready && i < FIELD_COUNT; i++) {
        static const uint8_t ZEROS[16] = {0};
        rwl_value v = rwl_value_null(FIELDS[i].type.kind);
        v.is_null = nulls != 0;
        if (rwl_type_is_bytes(&FIELDS[i].type) || v.kind == RWL_TYPE_UUID || v.kind == RWL_TYPE_FIXED)
            v.as.bytes = rwl_span_of(ZEROS, v.kind == RWL_TYPE_UUID ? 16 : 2);
        ready = rwl_column_append(&batch.columns[i], env, &v, 1, NULL) == RWL_OK;
        columns[i] = &batch.columns[i];
    }
    if (rwl_column_init(&out, env, rwl_bound_value_type(value), NULL) == RWL_OK && ready) {
        rwl_status st = rwl_expr_eval_value(value, columns, 1, env, &out, NULL);
        FUZZ_CHECK(st == RWL_OK ? out.length == 1
                                : st == RWL_USAGE || st == RWL_NO_MEMORY || st == RWL_UNSUPPORTED);
    }
    rwl_column_clear(&out, env);
    rwl_batch_clear(&batch);
}

/* What was printed reads back and prints the same, unless spelling BETWEEN out passed the depth limit. */
static void print_again(const rwl_expr *expr, rwl_arena *arena, const rwl_env *env) {
    rwl_buf first;
    rwl_buf second;
    const rwl_expr *again;
    rwl_error err = {0};
    rwl_buf_init(&first, env, SIZE_MAX);
    rwl_buf_init(&second, env, SIZE_MAX);
    if (rwl_expr_format(expr, &first, NULL) == RWL_OK && rwl_buf_terminate(&first, NULL) == RWL_OK) {
        rwl_status st = rwl_expr_parse((const char *)first.data, arena, &again, &err);
        FUZZ_CHECK(st == RWL_OK || st == RWL_NO_MEMORY || strstr(err.message, "nested deeper") != NULL ||
                   first.len > RWL_EXPR_TEXT_MAX);
        if (st == RWL_OK && rwl_expr_format(again, &second, NULL) == RWL_OK)
            FUZZ_CHECK(rwl_span_equal(rwl_buf_span(&first), rwl_buf_span(&second)));
    }
    rwl_buf_clear(&first);
    rwl_buf_clear(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rwl_env env;
    rwl_arena arena;
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_arena_init(&arena, &env, (size_t)64 << 20);
    const char *text = rwl_arena_strndup(&arena, (const char *)data, size);
    const rwl_expr *expr;
    const rwl_bound *bound;
    rwl_error err = {0};
    if (text != NULL && rwl_expr_parse(text, &arena, &expr, &err) == RWL_OK) {
        print_again(expr, &arena, &env);
        if (rwl_expr_bind(expr, FIELDS, FIELD_COUNT, &arena, &bound, &err) == RWL_OK)
            evaluate(bound, &env);
        const rwl_bound_value *value;
        if (rwl_expr_bind_value(expr, FIELDS, FIELD_COUNT, NULL, &arena, &value, &err) == RWL_OK) {
            evaluate_value(value, &env, 1);
            evaluate_value(value, &env, 0);
        }
    }
    rwl_arena_clear(&arena);
    return 0;
}
