/* SPDX-License-Identifier: Apache-2.0 */
/* Partition values turned back into facts of their source columns. */
#include "iceberg/partition_facts.h"

#include "iceberg/projection.h"
#include "iceberg/transform_internal.h"

rwl_partition_values rwl_partition_values_of(const rwl_value *value) {
    bool nan = !value->is_null && rwl_facts_is_nan(value);
    bool number = !value->is_null && !nan;
    return (rwl_partition_values){.may_null = value->is_null,
                                  .may_nan = nan,
                                  .has_lower = number,
                                  .has_upper = number,
                                  .lower = *value,
                                  .upper = *value,
                                  .is_one = true};
}

void rwl_facts_narrow_lower(rwl_column_facts *facts, const rwl_value *v) {
    if (!facts->has_lower || rwl_value_compare(v, &facts->lower) > 0)
        facts->lower = *v;
    facts->has_lower = true;
}

void rwl_facts_narrow_upper(rwl_column_facts *facts, const rwl_value *v) {
    if (!facts->has_upper || rwl_value_compare(v, &facts->upper) < 0)
        facts->upper = *v;
    facts->has_upper = true;
}

/* --- identity --- */

static void narrow_identity(const rwl_type *source, const rwl_partition_values *p, rwl_column_facts *facts) {
    rwl_value v;
    if (p->is_one && rwl_value_convert(&p->lower, source, &v)) {
        facts->is_constant = true;
        facts->constant = v;
        return;
    }
    if (p->may_nan == 0)
        facts->nan_count = 0;
    if (p->has_lower && rwl_value_convert(&p->lower, source, &v))
        rwl_facts_narrow_lower(facts, &v);
    if (p->has_upper && rwl_value_convert(&p->upper, source, &v))
        rwl_facts_narrow_upper(facts, &v);
}

/* --- truncate --- */

/* The largest value that truncates to `v`; false where none is known. Near the top of an integer type a truncated value
 * may be one that wrapped around, whose source is at the bottom: such a value tells nothing. A long may have been an int
 * when that happened. */
static bool last_of_truncated(const rwl_transform *t, const rwl_value *v, rwl_arena *arena, rwl_value *out) {
    int64_t more = t->param - 1;
    *out = *v;
    switch (v->kind) {
    case RWL_TYPE_INT:
        out->as.i32 = (int32_t)(v->as.i32 + more);
        return v->as.i32 <= INT32_MAX - more;
    case RWL_TYPE_LONG:
        return rwl_i64_add(v->as.i64, more, &out->as.i64) &&
               (v->as.i64 <= INT32_MAX - more || v->as.i64 > INT32_MAX);
    case RWL_TYPE_DECIMAL:
        return rwl_i128_add(v->as.i128, more, &out->as.i128);
    default:
        break;
    }
    if (v->as.bytes.len < (size_t)t->param) /* too short to be cut, in bytes or characters */
        return true;
    /* the next text that does not begin with it: its last byte that is not 0xff, one larger */
    size_t len = v->as.bytes.len;
    while (len > 0 && v->as.bytes.data[len - 1] == 0xff)
        len--;
    uint8_t *copy = len > 0 ? rwl_arena_copy(arena, v->as.bytes.data, len) : NULL;
    if (copy == NULL)
        return false;
    copy[len - 1]++;
    out->as.bytes = rwl_span_of(copy, len);
    return true;
}

static bool is_integer(rwl_type_kind kind) {
    return kind == RWL_TYPE_INT || kind == RWL_TYPE_LONG || kind == RWL_TYPE_DECIMAL;
}

static void narrow_truncated(const rwl_transform *t, const rwl_type *source, const rwl_partition_values *p,
                             rwl_arena *arena, rwl_column_facts *facts) {
    rwl_value lower, upper, last;
    bool has_last = p->has_upper && rwl_value_convert(&p->upper, source, &upper) &&
                    last_of_truncated(t, &upper, arena, &last);
    if (has_last)
        rwl_facts_narrow_upper(facts, &last);
    if (p->has_lower && (has_last || !is_integer(source->kind)) &&
        rwl_value_convert(&p->lower, source, &lower))
        rwl_facts_narrow_lower(facts, &lower);
}

/* --- times --- */

static bool time_number(const rwl_value *v, int64_t *out) {
    if (v->kind != RWL_TYPE_INT && v->kind != RWL_TYPE_DATE && v->kind != RWL_TYPE_LONG)
        return false;
    *out = v->kind == RWL_TYPE_LONG ? v->as.i64 : v->as.i32;
    return *out >= INT32_MIN && *out <= INT32_MAX;
}

/* The first unit of the source type in year, month, day or hour `n`. */
static rwl_i128 time_begin(rwl_transform_kind kind, int64_t n, rwl_type_kind source) {
    int64_t second = rwl_transform_units(source);
    int64_t day = n;
    if (kind == RWL_TRANSFORM_HOUR)
        return (rwl_i128)n * 3600 * second;
    if (kind == RWL_TRANSFORM_YEAR)
        day = rwl_days_from_civil(1970 + n, 1, 1);
    if (kind == RWL_TRANSFORM_MONTH)
        day = rwl_days_from_civil(1970 + rwl_floor_div(n, 12), (int)rwl_floor_mod(n, 12) + 1, 1);
    return second > 0 ? (rwl_i128)day * 86400 * second : (rwl_i128)day;
}

static rwl_value time_value(rwl_type_kind source, rwl_i128 units) {
    rwl_value v = rwl_value_null(source);
    v.is_null = false;
    if (source == RWL_TYPE_DATE)
        v.as.i32 = units < INT32_MIN ? INT32_MIN : units > INT32_MAX ? INT32_MAX : (int32_t)units;
    else
        v.as.i64 = units < INT64_MIN ? INT64_MIN : units > INT64_MAX ? INT64_MAX : (int64_t)units;
    return v;
}

static void narrow_time(rwl_transform_kind kind, const rwl_type *source, const rwl_partition_values *p,
                        rwl_column_facts *facts) {
    int64_t n;
    if (source->kind != RWL_TYPE_DATE && rwl_transform_units(source->kind) == 0)
        return;
    bool exact = source->kind == RWL_TYPE_DATE && kind == RWL_TRANSFORM_DAY;
    if (p->has_lower && time_number(&p->lower, &n)) {
        rwl_value v = time_value(source->kind, time_begin(kind, n <= 0 && !exact ? n - 1 : n, source->kind));
        rwl_facts_narrow_lower(facts, &v);
    }
    if (p->has_upper && time_number(&p->upper, &n)) {
        rwl_value v = time_value(source->kind, time_begin(kind, n + 1, source->kind) - 1);
        rwl_facts_narrow_upper(facts, &v);
    }
}

/* --- all of them --- */

bool rwl_partition_narrow(const rwl_partition_field *field, const rwl_type *source,
                          const rwl_partition_values *values, rwl_arena *arena, rwl_column_facts *facts) {
    const rwl_transform *t = &field->transform;
    rwl_type result;
    if (t->kind == RWL_TRANSFORM_VOID || !rwl_transform_result(t, source, &result))
        return false;
    if (values->is_one && values->may_null) {
        facts->is_constant = true;
        facts->constant = rwl_value_null(source->kind);
        return true;
    }
    if (!values->may_null)
        facts->null_count = 0;
    switch (t->kind) {
    case RWL_TRANSFORM_IDENTITY:
        narrow_identity(source, values, facts);
        break;
    case RWL_TRANSFORM_TRUNCATE:
        narrow_truncated(t, source, values, arena, facts);
        break;
    case RWL_TRANSFORM_YEAR:
    case RWL_TRANSFORM_MONTH:
    case RWL_TRANSFORM_DAY:
    case RWL_TRANSFORM_HOUR:
        narrow_time(t->kind, source, values, facts);
        break;
    case RWL_TRANSFORM_BUCKET:
    case RWL_TRANSFORM_VOID:
    case RWL_TRANSFORM_UNKNOWN:
        break;
    }
    return true;
}

bool rwl_partition_may_contain(const rwl_partition_field *field, const rwl_partition_values *values,
                               const rwl_value *v) {
    int32_t hash;
    if (field->transform.kind != RWL_TRANSFORM_BUCKET || !rwl_transform_hash(v, &hash))
        return true;
    int32_t bucket = rwl_bucket_of((uint32_t)hash, field->transform.param);
    if (values->has_lower && values->lower.kind == RWL_TYPE_INT && bucket < values->lower.as.i32)
        return false;
    return !(values->has_upper && values->upper.kind == RWL_TYPE_INT && bucket > values->upper.as.i32);
}
