/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on columns. Loops compute all rows and note whether any went wrong; only then rows are looked at one by
 * one, for the first that is wanted and not null.
 */
#include "column/bits.h"
#include "expr/eval_internal.h"

#include <math.h>

/* --- nulls --- */

static void zero_nulls(rwl_column *out) {
    size_t width = (size_t)rwl_type_width(&out->type);
    for (int64_t i = 0; width > 0 && i < out->length; i++) {
        if (!rwl_bit_get(out->validity.data, i))
            memset(out->values.data + (size_t)i * width, 0, width);
    }
}

rwl_status rwl_eval_give_nulls(const rwl_evaluation *e, const rwl_column *a, const rwl_column *b,
                               rwl_column *out) {
    out->length = e->length;
    out->null_count = 0;
    if (a->null_count == 0 && (b == NULL || b->null_count == 0))
        return RWL_OK;
    RWL_TRY(rwl_column_need_validity(out, e->env, e->length, e->err));
    for (size_t w = 0; w < e->words; w++) {
        uint64_t word = a->null_count > 0 ? rwl_eval_load_word(a->validity.data, w, e->length) : UINT64_MAX;
        if (b != NULL && b->null_count > 0)
            word &= rwl_eval_load_word(b->validity.data, w, e->length);
        int64_t left = e->length - (int64_t)w * 64;
        memcpy(out->validity.data + w * 8, &word, left >= 64 ? 8 : rwl_bits_bytes(left));
    }
    out->null_count = e->length - rwl_bits_count(out->validity.data, 0, e->length);
    if (!rwl_type_is_bytes(&out->type))
        zero_nulls(out);
    return RWL_OK;
}

/* --- one row --- */

/* Decimals: what each side is multiplied by to come to one scale, or to what the quotient needs. */
typedef struct decimal_plan {
    rwl_i128 left, right;
    int more_digits; /* of a quotient */
    int precision;
} decimal_plan;

static bool compute_int(rwl_arithmetic op, bool narrow, int64_t x, int64_t y, int64_t *z) {
    bool ok;
    *z = 0;
    switch (op) {
    case RWL_ARITHMETIC_ADD:
        ok = rwl_i64_add(x, y, z);
        break;
    case RWL_ARITHMETIC_SUBTRACT:
        ok = !__builtin_sub_overflow(x, y, z);
        break;
    case RWL_ARITHMETIC_MULTIPLY:
        ok = rwl_i64_mul(x, y, z);
        break;
    default:
        if (y == 0)
            return false;
        if (y == -1) /* the quotient of the least number overflows, and so does C */
            return op == RWL_ARITHMETIC_REMAINDER || compute_int(RWL_ARITHMETIC_SUBTRACT, narrow, 0, x, z);
        *z = op == RWL_ARITHMETIC_DIVIDE ? x / y : x % y;
        return true;
    }
    return ok && (!narrow || (*z >= INT32_MIN && *z <= INT32_MAX));
}

/* Ten times the remainder divided once more, by adding: ten times 10^38 is more than 128 bits hold. */
static rwl_u128 next_digit(rwl_u128 *rest, rwl_u128 divisor) {
    rwl_u128 sum = 0, digit = 0;
    if (*rest <= ~(rwl_u128)0 / 10) {
        sum = *rest * 10;
        digit = sum / divisor;
        *rest = sum % divisor;
        return digit;
    }
    for (int i = 0; i < 10; i++) {
        sum += *rest; /* both below the divisor, which is below 10^38 */
        if (sum >= divisor) {
            sum -= divisor;
            digit++;
        }
    }
    *rest = sum;
    return digit;
}

static bool divide_decimals(rwl_i128 x, rwl_i128 y, int more_digits, rwl_i128 *z) {
    const rwl_u128 limit = (rwl_u128)rwl_i128_pow10(38);
    bool negative = (x < 0) != (y < 0);
    rwl_u128 a = x < 0 ? 0 - (rwl_u128)x : (rwl_u128)x;
    rwl_u128 b = y < 0 ? 0 - (rwl_u128)y : (rwl_u128)y;
    if (b == 0)
        return false;
    rwl_u128 quotient = a / b, rest = a % b;
    for (int i = 0; i < more_digits; i++) {
        if (quotient >= limit / 10)
            return false;
        quotient = quotient * 10 + next_digit(&rest, b);
    }
    quotient += rest >= b - rest;
    *z = negative ? -(rwl_i128)quotient : (rwl_i128)quotient;
    return true;
}

static bool compute_decimal(rwl_arithmetic op, const decimal_plan *plan, rwl_i128 x, rwl_i128 y,
                            rwl_i128 *z) {
    bool ok;
    *z = 0;
    if (op == RWL_ARITHMETIC_DIVIDE) {
        ok = divide_decimals(x, y, plan->more_digits, z);
    } else if (op == RWL_ARITHMETIC_MULTIPLY) {
        ok = !__builtin_mul_overflow(x, y, z);
    } else {
        ok = !__builtin_mul_overflow(x, plan->left, &x) && !__builtin_mul_overflow(y, plan->right, &y);
        if (op == RWL_ARITHMETIC_REMAINDER) {
            ok = ok && y != 0;
            *z = ok ? x % y : 0;
        } else {
            ok = ok && !(op == RWL_ARITHMETIC_ADD ? __builtin_add_overflow(x, y, z)
                                                  : __builtin_sub_overflow(x, y, z));
        }
    }
    ok = ok && rwl_i128_fits_digits(*z, plan->precision);
    if (!ok)
        *z = 0;
    return ok;
}

/* --- failures --- */

static rwl_status fail_row(const rwl_evaluation *e, const rwl_value_node *v, const char *x, const char *y,
                           bool zero, int64_t row) {
    char type[80];
    rwl_type_name(&v->type, type, sizeof type);
    if (zero)
        return rwl_fail_at(e->err, RWL_USAGE, (int64_t)v->at,
                           "expression, at %zu: %s %s 0 is a division by zero (row %lld of the batch)",
                           v->at + 1, x, rwl_arithmetic_text(v->op), (long long)row);
    return rwl_fail_at(e->err, RWL_USAGE, (int64_t)v->at,
                       "expression, at %zu: %s %s %s does not fit type %s (row %lld of the batch)", v->at + 1,
                       x, v->kind == RWL_VALUE_NEGATE ? "times" : rwl_arithmetic_text(v->op), y, type,
                       (long long)row);
}

static rwl_status fail_numbers(const rwl_evaluation *e, const rwl_value_node *v, rwl_i128 x, int x_scale,
                               rwl_i128 y, int y_scale, int64_t row) {
    char left[RWL_I128_TEXT_MAX + 1];
    char right[RWL_I128_TEXT_MAX + 1];
    left[rwl_i128_format(x, x_scale, left)] = '\0';
    right[rwl_i128_format(y, y_scale, right)] = '\0';
    bool divides = v->op == RWL_ARITHMETIC_DIVIDE || v->op == RWL_ARITHMETIC_REMAINDER;
    return fail_row(e, v, left, right, y == 0 && divides, row);
}

/* Whether the row counts: a failure there is one. */
static bool matters(const uint64_t *active, const rwl_column *a, const rwl_column *b, int64_t i) {
    return rwl_eval_wants(active, i) && !rwl_column_is_null(a, i) && (b == NULL || !rwl_column_is_null(b, i));
}

/* --- integers --- */

static int64_t int_at(const rwl_column *c, int64_t i) {
    return c->type.kind == RWL_TYPE_INT ? rwl_column_i32(c)[i] : rwl_column_i64(c)[i];
}

static rwl_status find_bad_int(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *a,
                               const rwl_column *b, const uint64_t *active) {
    for (int64_t i = 0; i < e->length; i++) {
        int64_t z;
        if (matters(active, a, b, i) &&
            !compute_int(v->op, v->type.kind == RWL_TYPE_INT, int_at(a, i), int_at(b, i), &z))
            return fail_numbers(e, v, int_at(a, i), 0, int_at(b, i), 0, i);
    }
    return RWL_OK;
}

#define CHECKED_LOOP(overflow)                                                                               \
    do {                                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                      \
            bad |= overflow(x[i], y[i], &z[i]);                                                              \
    } while (0)

static bool compute_i32(rwl_arithmetic op, const int32_t *x, const int32_t *y, int32_t *z, int64_t n) {
    bool bad = false;
    switch (op) {
    case RWL_ARITHMETIC_ADD:
        CHECKED_LOOP(__builtin_add_overflow);
        break;
    case RWL_ARITHMETIC_SUBTRACT:
        CHECKED_LOOP(__builtin_sub_overflow);
        break;
    case RWL_ARITHMETIC_MULTIPLY:
        CHECKED_LOOP(__builtin_mul_overflow);
        break;
    default:
        for (int64_t i = 0; i < n; i++) {
            int64_t wide;
            bad |= !compute_int(op, true, x[i], y[i], &wide);
            z[i] = (int32_t)(wide <= INT32_MAX ? wide : 0);
        }
        break;
    }
    return !bad;
}

static bool compute_i64(rwl_arithmetic op, const int64_t *x, const int64_t *y, int64_t *z, int64_t n) {
    bool bad = false;
    switch (op) {
    case RWL_ARITHMETIC_ADD:
        CHECKED_LOOP(__builtin_add_overflow);
        break;
    case RWL_ARITHMETIC_SUBTRACT:
        CHECKED_LOOP(__builtin_sub_overflow);
        break;
    case RWL_ARITHMETIC_MULTIPLY:
        CHECKED_LOOP(__builtin_mul_overflow);
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            bad |= !compute_int(op, false, x[i], y[i], &z[i]);
        break;
    }
    return !bad;
}

/* --- decimals --- */

static decimal_plan plan_decimals(const rwl_value_node *v, const rwl_type *a, const rwl_type *b) {
    decimal_plan plan = {1, 1, 0, v->type.precision};
    int scale = a->scale > b->scale ? a->scale : b->scale;
    plan.left = rwl_i128_pow10(scale - a->scale);
    plan.right = rwl_i128_pow10(scale - b->scale);
    plan.more_digits = v->type.scale + b->scale - a->scale;
    return plan;
}

static rwl_status compute_decimals(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *a,
                                   const rwl_column *b, const uint64_t *active, rwl_column *out) {
    decimal_plan plan = plan_decimals(v, &a->type, &b->type);
    const rwl_i128 *x = rwl_column_i128(a);
    const rwl_i128 *y = rwl_column_i128(b);
    rwl_i128 *z = (rwl_i128 *)(void *)out->values.data;
    for (int64_t i = 0; i < e->length; i++) {
        if (!compute_decimal(v->op, &plan, x[i], y[i], &z[i]) && matters(active, a, b, i))
            return fail_numbers(e, v, x[i], a->type.scale, y[i], b->type.scale, i);
    }
    return RWL_OK;
}

int rwl_decimal_order(rwl_i128 a, int a_scale, rwl_i128 b, int b_scale) {
    rwl_i128 wide;
    if (a_scale > b_scale)
        return -rwl_decimal_order(b, b_scale, a, a_scale);
    if (__builtin_mul_overflow(a, rwl_i128_pow10(b_scale - a_scale), &wide))
        return a < 0 ? -1 : 1;
    return (wide > b) - (wide < b);
}

/* --- floats --- */

#define FLOAT_LOOPS(T, modulo)                                                                               \
    switch (op) {                                                                                            \
    case RWL_ARITHMETIC_ADD:                                                                                 \
        for (int64_t i = 0; i < n; i++)                                                                      \
            z[i] = x[i] + y[i];                                                                              \
        break;                                                                                               \
    case RWL_ARITHMETIC_SUBTRACT:                                                                            \
        for (int64_t i = 0; i < n; i++)                                                                      \
            z[i] = x[i] - y[i];                                                                              \
        break;                                                                                               \
    case RWL_ARITHMETIC_MULTIPLY:                                                                            \
        for (int64_t i = 0; i < n; i++)                                                                      \
            z[i] = x[i] * y[i];                                                                              \
        break;                                                                                               \
    case RWL_ARITHMETIC_DIVIDE:                                                                              \
        for (int64_t i = 0; i < n; i++)                                                                      \
            z[i] = divide_##T(x[i], y[i]);                                                                   \
        break;                                                                                               \
    default:                                                                                                 \
        for (int64_t i = 0; i < n; i++)                                                                      \
            z[i] = modulo(x[i], y[i]);                                                                       \
        break;                                                                                               \
    }

/* IEEE 754's division, which C leaves undefined by zero. */
static float divide_float(float x, float y) {
    if (y == 0)
        return x == 0 || x != x ? NAN : copysignf(INFINITY, signbit(x) != signbit(y) ? -1.0F : 1.0F);
    return x / y;
}
static double divide_double(double x, double y) {
    if (y == 0)
        return x == 0 || x != x ? (double)NAN
                                : copysign((double)INFINITY, signbit(x) != signbit(y) ? -1.0 : 1.0);
    return x / y;
}

static void compute_f32(rwl_arithmetic op, const float *x, const float *y, float *z, int64_t n) {
    FLOAT_LOOPS(float, fmodf)
}

static void compute_f64(rwl_arithmetic op, const double *x, const double *y, double *z, int64_t n) {
    FLOAT_LOOPS(double, fmod)
}

/* --- text --- */

static rwl_status join_texts(const rwl_evaluation *e, const rwl_column *a, const rwl_column *b,
                             rwl_column *out) {
    size_t total = 0;
    for (int64_t i = 0; i < e->length; i++) {
        if (!rwl_column_is_null(a, i) && !rwl_column_is_null(b, i))
            total += rwl_column_bytes(a, i).len + rwl_column_bytes(b, i).len;
    }
    RWL_TRY(rwl_column_reserve(out, e->env, e->length, total, e->err));
    int32_t *offsets = (int32_t *)(void *)out->offsets.data;
    size_t at = 0;
    offsets[0] = 0;
    for (int64_t i = 0; i < e->length; i++) {
        const rwl_column *sides[2] = {a, b};
        bool null = rwl_column_is_null(a, i) || rwl_column_is_null(b, i);
        for (int k = 0; k < 2 && !null; k++) {
            rwl_span text = rwl_column_bytes(sides[k], i);
            if (text.len > 0)
                memcpy(out->values.data + at, text.data, text.len);
            at += text.len;
        }
        offsets[i + 1] = (int32_t)at; /* reserve holds it below 2^31 */
    }
    out->bytes_len = at;
    return RWL_OK;
}

/* --- columns --- */

rwl_status rwl_eval_arithmetic(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *a,
                               const rwl_column *b, const uint64_t *active, rwl_column *out) {
    bool ok = true;
    if (v->type.kind == RWL_TYPE_STRING) {
        RWL_TRY(join_texts(e, a, b, out));
        return rwl_eval_give_nulls(e, a, b, out);
    }
    RWL_TRY(rwl_column_reserve(out, e->env, e->length, 0, e->err));
    void *z = out->values.data;
    switch (v->type.kind) {
    case RWL_TYPE_INT:
        ok = compute_i32(v->op, rwl_column_i32(a), rwl_column_i32(b), z, e->length);
        break;
    case RWL_TYPE_LONG:
        ok = compute_i64(v->op, rwl_column_i64(a), rwl_column_i64(b), z, e->length);
        break;
    case RWL_TYPE_FLOAT:
        compute_f32(v->op, rwl_column_f32(a), rwl_column_f32(b), z, e->length);
        break;
    case RWL_TYPE_DOUBLE:
        compute_f64(v->op, rwl_column_f64(a), rwl_column_f64(b), z, e->length);
        break;
    default:
        RWL_TRY(compute_decimals(e, v, a, b, active, out));
        break;
    }
    if (!ok)
        RWL_TRY(find_bad_int(e, v, a, b, active));
    return rwl_eval_give_nulls(e, a, b, out);
}

rwl_status rwl_eval_negate(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *a,
                           const uint64_t *active, rwl_column *out) {
    RWL_TRY(rwl_column_reserve(out, e->env, e->length, 0, e->err));
    void *z = out->values.data;
    for (int64_t i = 0; i < e->length; i++) {
        int64_t wide;
        switch (v->type.kind) {
        case RWL_TYPE_FLOAT:
            ((float *)z)[i] = -rwl_column_f32(a)[i];
            break;
        case RWL_TYPE_DOUBLE:
            ((double *)z)[i] = -rwl_column_f64(a)[i];
            break;
        case RWL_TYPE_DECIMAL: /* of 38 digits at most */
            ((rwl_i128 *)z)[i] = -rwl_column_i128(a)[i];
            break;
        default:
            if (!compute_int(RWL_ARITHMETIC_SUBTRACT, v->type.kind == RWL_TYPE_INT, 0, int_at(a, i), &wide)) {
                if (matters(active, a, NULL, i))
                    return fail_numbers(e, v, int_at(a, i), 0, -1, 0, i);
                wide = 0;
            }
            if (v->type.kind == RWL_TYPE_INT)
                ((int32_t *)z)[i] = (int32_t)wide;
            else
                ((int64_t *)z)[i] = wide;
            break;
        }
    }
    return rwl_eval_give_nulls(e, a, NULL, out);
}
