/* SPDX-License-Identifier: Apache-2.0 */
/* How a field is stored as a Parquet column. */
#include "parquet/shape.h"

int32_t rwl_parquet_decimal_bytes(int32_t precision) {
    rwl_u128 limit = 1;
    for (int32_t i = 0; i < precision; i++)
        limit *= 10;
    int32_t bytes = 1;
    while (bytes < 16 && limit > (rwl_u128)1 << (8 * bytes - 1))
        bytes++;
    return bytes;
}

static rwl_status decimal_shape(const rwl_field *field, rwl_parquet_shape *out, rwl_error *err) {
    int32_t precision = field->type.precision;
    if (precision < 1 || precision > 38)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: decimal precision %d is not 1 to 38", field->name,
                        precision);
    if (precision <= 9) {
        *out = (rwl_parquet_shape){RWL_PARQUET_INT32, 0, 4, RWL_PARQUET_ORDER_INT32};
    } else if (precision <= 18) {
        *out = (rwl_parquet_shape){RWL_PARQUET_INT64, 0, 8, RWL_PARQUET_ORDER_INT64};
    } else {
        int32_t bytes = rwl_parquet_decimal_bytes(precision);
        *out = (rwl_parquet_shape){RWL_PARQUET_FIXED, bytes, (size_t)bytes, RWL_PARQUET_ORDER_DECIMAL};
    }
    return RWL_OK;
}

static rwl_status fixed_shape(const rwl_field *field, rwl_parquet_shape *out, rwl_error *err) {
    int32_t length = field->type.length;
    if (rwl_type_is_decimal256(&field->type))
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "column %s: decimals of more than 38 digits can't be written to parquet",
                        field->name);
    if (length < 1)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: fixed[%d] can't be written", field->name, length);
    *out = (rwl_parquet_shape){RWL_PARQUET_FIXED, length, (size_t)length, RWL_PARQUET_ORDER_FIXED};
    return RWL_OK;
}

rwl_status rwl_parquet_shape_of(const rwl_field *field, rwl_parquet_shape *out, rwl_error *err) {
    switch (field->type.kind) {
    case RWL_TYPE_BOOLEAN:
        *out = (rwl_parquet_shape){RWL_PARQUET_BOOLEAN, 0, 0, RWL_PARQUET_ORDER_BOOLEAN};
        return RWL_OK;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        *out = (rwl_parquet_shape){RWL_PARQUET_INT32, 0, 4, RWL_PARQUET_ORDER_INT32};
        return RWL_OK;
    case RWL_TYPE_LONG:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        *out = (rwl_parquet_shape){RWL_PARQUET_INT64, 0, 8, RWL_PARQUET_ORDER_INT64};
        return RWL_OK;
    case RWL_TYPE_FLOAT:
        *out = (rwl_parquet_shape){RWL_PARQUET_FLOAT, 0, 4, RWL_PARQUET_ORDER_FLOAT};
        return RWL_OK;
    case RWL_TYPE_DOUBLE:
        *out = (rwl_parquet_shape){RWL_PARQUET_DOUBLE, 0, 8, RWL_PARQUET_ORDER_DOUBLE};
        return RWL_OK;
    case RWL_TYPE_DECIMAL:
        return decimal_shape(field, out, err);
    case RWL_TYPE_UUID:
        *out = (rwl_parquet_shape){RWL_PARQUET_FIXED, 16, 16, RWL_PARQUET_ORDER_FIXED};
        return RWL_OK;
    case RWL_TYPE_FIXED:
        return fixed_shape(field, out, err);
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
        *out = (rwl_parquet_shape){RWL_PARQUET_BYTE_ARRAY, 0, 0, RWL_PARQUET_ORDER_BYTES};
        return RWL_OK;
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        *out = (rwl_parquet_shape){RWL_PARQUET_BYTE_ARRAY, 0, 0, RWL_PARQUET_ORDER_NONE};
        return RWL_OK;
    default:
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "column %s: this type can't be written to parquet as one column", field->name);
    }
}
