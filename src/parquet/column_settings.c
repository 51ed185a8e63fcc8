/* SPDX-License-Identifier: Apache-2.0 */
/* What the options of a file mean for one of its leaves. */
#include "parquet/column_settings.h"

#include "parquet/page.h"

enum {
    DEFAULT_PAGE_BYTES = 1 << 20,
    DEFAULT_PAGE_ROWS = 20000,
    DEFAULT_DICTIONARY_BYTES = 2 << 20,
    LIMIT = 1 << 30 /* of each size of a page: the format's are 32 bits */
};

static size_t limit_or(int64_t value, size_t standard) {
    return value <= 0 ? standard : value > LIMIT ? (size_t)LIMIT : (size_t)value;
}

static const rwl_parquet_column_options *find_options(const rwl_parquet_write_options *o,
                                                      const rwl_parquet_write_leaf *leaf) {
    for (int32_t i = 0; i < o->column_count; i++)
        if (strcmp(o->columns[i].path, leaf->dotted) == 0)
            return &o->columns[i];
    return NULL;
}

/* Whether the specification allows the encoding for values of this type (Encodings.md). */
static bool is_possible(rwl_parquet_encoding encoding, rwl_parquet_physical physical) {
    bool is_integer = physical == RWL_PARQUET_INT32 || physical == RWL_PARQUET_INT64;
    switch (encoding) {
    case RWL_PARQUET_PLAIN:
        return true;
    case RWL_PARQUET_RLE:
        return physical == RWL_PARQUET_BOOLEAN;
    case RWL_PARQUET_DELTA_BINARY_PACKED:
        return is_integer;
    case RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return physical == RWL_PARQUET_BYTE_ARRAY;
    case RWL_PARQUET_DELTA_BYTE_ARRAY:
        return physical == RWL_PARQUET_BYTE_ARRAY || physical == RWL_PARQUET_FIXED;
    case RWL_PARQUET_BYTE_STREAM_SPLIT:
        return is_integer || physical == RWL_PARQUET_FLOAT || physical == RWL_PARQUET_DOUBLE ||
               physical == RWL_PARQUET_FIXED;
    default:
        return false;
    }
}

static rwl_status apply_options(const rwl_parquet_write_options *o, const rwl_parquet_column_options *column,
                                const rwl_parquet_write_leaf *leaf, rwl_parquet_column_settings *out,
                                rwl_error *err) {
    out->bloom = column->bloom && leaf->shape.physical != RWL_PARQUET_BOOLEAN; /* two values need no filter */
    out->without_stats = column->without_stats;
    out->bloom_fpp = column->bloom_fpp;
    out->bloom_distinct = column->bloom_distinct;
    if (column->dictionary < 0)
        out->dictionary_bytes = 0;
    if (column->dictionary > 0) {
        out->dictionary_bytes = limit_or(o->dictionary_bytes, DEFAULT_DICTIONARY_BYTES);
        out->keep_dictionary = true;
    }
    if (!column->force_encoding)
        return RWL_OK;
    if (!is_possible(column->encoding, leaf->shape.physical))
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: its type has no encoding %s", leaf->dotted,
                        rwl_parquet_encoding_name((int32_t)column->encoding));
    out->force_encoding = true;
    out->encoding = column->encoding;
    out->dictionary_bytes = 0;
    return RWL_OK;
}

rwl_status rwl_parquet_column_settings_of(const rwl_parquet_write_options *o,
                                          const rwl_parquet_write_leaf *leaf,
                                          rwl_parquet_column_settings *out, rwl_error *err) {
    size_t dictionary = limit_or(o->dictionary_bytes, DEFAULT_DICTIONARY_BYTES);
    *out = (rwl_parquet_column_settings){
        .page_bytes = limit_or(o->page_bytes, DEFAULT_PAGE_BYTES),
        .page_rows = limit_or(o->page_rows, DEFAULT_PAGE_ROWS),
        .dictionary_bytes = o->dictionary_bytes < 0 ? 0 : dictionary,
        .prefer = o->prefer,
        .page_v2 = o->page_v2,
        .with_crc = !o->without_crc,
        .bloom_max_bytes = o->bloom_max_bytes,
    };
    if (leaf->field->id == RWL_FIELD_ID_ROW_ID) {
        out->dictionary_bytes = 0;
        out->prefer = RWL_PARQUET_PREFER_PLAIN;
    }
    const rwl_parquet_column_options *column = find_options(o, leaf);
    if (column != NULL)
        RWL_TRY(apply_options(o, column, leaf, out, err));
    if (leaf->field->id == RWL_FIELD_ID_LAST_UPDATED) {
        out->dictionary_bytes = dictionary;
        out->keep_dictionary = true;
        out->force_encoding = false;
    }
    if (leaf->shape.physical == RWL_PARQUET_BOOLEAN)
        out->dictionary_bytes = 0;
    return RWL_OK;
}
