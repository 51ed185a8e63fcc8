/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that fuzz targets were given. */
#include "columns.h"

#include "fuzz.h"

static volatile uint64_t sink;

static bool is_list(const rwl_column *c) {
    return c->type.kind == RWL_TYPE_LIST || c->type.kind == RWL_TYPE_MAP;
}

void fuzz_check_column(const rwl_column *c, int64_t rows) {
    FUZZ_CHECK(c->length == rows && c->null_count >= 0 && c->null_count <= rows);
    bool is_bytes = rwl_type_is_bytes(&c->type);
    int64_t nulls = 0, elements = 0;
    for (int64_t i = 0; i < rows; i++) {
        nulls += rwl_column_is_null(c, i);
        if (!is_bytes && !is_list(c))
            continue;
        const int32_t *o = rwl_column_offsets(c);
        FUZZ_CHECK(o[i] >= 0 && o[i] <= o[i + 1] && (is_list(c) || (size_t)o[i + 1] <= c->bytes_len));
        for (int32_t k = o[i]; is_bytes && k < o[i + 1]; k += 61)
            sink += c->values.data[k];
        FUZZ_CHECK(!is_list(c) || o[i] == elements);
        elements = o[i + 1];
    }
    FUZZ_CHECK(nulls == c->null_count);
    for (int32_t i = 0; i < c->type.child_count; i++)
        fuzz_check_column(&c->children[i], is_list(c) ? elements : rows);
}

/* Of what is long, as compressed values may be, not every byte. */
static uint64_t mix(uint64_t h, const uint8_t *bytes, size_t len) {
    for (size_t i = 0; i < len; i += 1 + len / 4096)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001B3);
    return (h ^ len) * UINT64_C(0x100000001B3);
}

/* Depth: the type's, which is limited. */
uint64_t fuzz_hash_row(const rwl_column *c, int64_t i, uint64_t seed) {
    if (c->type.kind == RWL_TYPE_UNKNOWN || rwl_column_is_null(c, i))
        return mix(seed, (const uint8_t *)"null", 4);
    if (rwl_type_is_bytes(&c->type)) {
        rwl_span bytes = rwl_column_bytes(c, i);
        return mix(seed, bytes.data, bytes.len);
    }
    if (c->type.kind == RWL_TYPE_BOOLEAN)
        return mix(seed, (const uint8_t *)(rwl_bit_get(c->values.data, i) ? "1" : "0"), 1);
    int64_t first = i, end = i + 1;
    if (is_list(c)) {
        first = rwl_column_offsets(c)[i];
        end = rwl_column_offsets(c)[i + 1];
        seed = mix(seed, (const uint8_t *)"list", 4) ^ (uint64_t)(end - first);
    }
    for (int32_t k = 0; k < c->type.child_count; k++)
        for (int64_t n = first; n < end; n++)
            seed = fuzz_hash_row(&c->children[k], n, seed);
    if (c->type.child_count > 0 || is_list(c) || c->type.kind == RWL_TYPE_STRUCT)
        return seed;
    size_t width = (size_t)rwl_type_width(&c->type);
    return mix(seed, c->values.data + (size_t)i * width, width);
}
