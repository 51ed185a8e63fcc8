/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values from outside: variants, well-known binary, and what comes in through the Arrow C data interface.
 *
 *   input := 0 metadata_len(u8) metadata value | 1 WKB | 2 format(u8) length(u8) nulls(u8) buffers
 */
#include "column/arrow.h"
#include "column/variant.h"
#include "column/wkb.h"
#include "fuzz.h"

enum { TEXT_MAX = 1 << 20, LENGTH_MAX = 32, BUFFER_LEN = 4096, OFFSET_MAX = 64 };

static rwl_env env;
static volatile uint64_t sink;

/* A variant that is checked and found good prints, and its names are found again. */
static void check_variant(rwl_span bytes) {
    rwl_buf text;
    rwl_buf_init(&text, &env, TEXT_MAX);
    size_t cut = bytes.len > 0 ? bytes.data[0] % bytes.len : 0;
    if (bytes.len > 1) {
        rwl_span rest = rwl_span_of(bytes.data + 1, bytes.len - 1);
        rwl_span metadata = rwl_span_of(rest.data, cut), value = rwl_span_of(rest.data + cut, rest.len - cut);
        rwl_status good = rwl_variant_check(metadata, value, NULL);
        rwl_status printed = rwl_variant_json(metadata, value, &text, NULL);
        FUZZ_CHECK(good != RWL_OK || printed == RWL_OK || text.len > TEXT_MAX / 2);
        for (uint32_t i = 0; i < rwl_variant_name_count(metadata) && i < 16; i++) {
            rwl_span name;
            uint32_t id;
            if (rwl_variant_name(metadata, i, &name, NULL) == RWL_OK)
                sink += rwl_variant_find_name(metadata, name, &id);
        }
        rwl_span m, v;
        sink += (uint64_t)rwl_variant_split(rest, &m, &v, NULL);
    }
    rwl_buf_clear(&text);
}

static void check_wkb(rwl_span bytes) {
    rwl_buf text;
    rwl_buf_init(&text, &env, TEXT_MAX);
    sink += (uint64_t)rwl_wkb_format(bytes, &text, NULL);
    /* a coordinate of 8 bytes is at most 25 characters, an empty part of 5 bytes at most 30 */
    FUZZ_CHECK(text.len <= 64 * bytes.len + 64);
    rwl_buf_clear(&text);
}

/* --- Arrow --- */

static const struct {
    const char *format;
    int offset_width; /* 0: buffers of validity and values */
    const char *child;
} formats[] = {
    {"n", 0, NULL},    {"b", 0, NULL},       {"c", 0, NULL},        {"C", 0, NULL},
    {"s", 0, NULL},    {"S", 0, NULL},       {"i", 0, NULL},        {"I", 0, NULL},
    {"l", 0, NULL},    {"L", 0, NULL},       {"e", 0, NULL},        {"f", 0, NULL},
    {"g", 0, NULL},    {"d:5,2", 0, NULL},   {"d:9,2,32", 0, NULL}, {"d:38,9,256", 0, NULL},
    {"tdD", 0, NULL},  {"tdm", 0, NULL},     {"tts", 0, NULL},      {"ttu", 0, NULL},
    {"tss:", 0, NULL}, {"tsn:UTC", 0, NULL}, {"w:3", 0, NULL},      {"u", 4, NULL},
    {"z", 4, NULL},    {"U", 8, NULL},       {"Z", 8, NULL},        {"+l", 4, "i"},
    {"+L", 8, "u"},    {"+w:2", 0, "l"},     {"+s", 0, "b"},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

static _Alignas(64) uint8_t buffers[4][BUFFER_LEN];
static rwl_span source;

static void no_schema(struct ArrowSchema *s) {
    s->release = NULL;
}
static void no_array(struct ArrowArray *a) {
    a->release = NULL;
}

/* The next bytes of the input; zeros behind. */
static void *next_buffer(int i, size_t len) {
    size_t n = len < source.len ? len : source.len;
    memset(buffers[i], 0, BUFFER_LEN);
    if (n > 0)
        memcpy(buffers[i], source.data, n);
    source = rwl_span_of(source.data + n, source.len - n);
    return buffers[i];
}

/* The interface gives no sizes of buffers, so that offsets have to stay below what there is; they may descend. */
static void *next_offsets(int i, int width, int64_t count) {
    uint8_t *bytes = next_buffer(i, (size_t)count * (size_t)width);
    for (int64_t k = 0; k < count; k++) {
        int64_t v =
            width == 4 ? (int32_t)rwl_load_le32(bytes + 4 * k) : (int64_t)rwl_load_le64(bytes + 8 * k);
        v = v > OFFSET_MAX ? OFFSET_MAX : v;
        if (width == 4)
            rwl_store_le32(bytes + 4 * k, (uint32_t)v);
        else
            rwl_store_le64(bytes + 8 * k, (uint64_t)v);
    }
    return bytes;
}

static void fill_array(struct ArrowArray *a, const void **of, const char *format, int offset_width,
                       int first) {
    bool is_struct = strcmp(format, "+s") == 0 || format[0] == 'n' || strncmp(format, "+w", 2) == 0;
    a->buffers = of;
    a->release = no_array;
    a->n_buffers = format[0] == 'n' ? 0 : is_struct ? 1 : offset_width > 0 && format[0] != '+' ? 3 : 2;
    of[0] = a->null_count != 0 ? next_buffer(first, 8) : NULL;
    of[1] = offset_width > 0 ? next_offsets(first + 1, offset_width, a->offset + a->length + 1)
                             : next_buffer(first + 1, 32 * LENGTH_MAX);
    of[2] = buffers[3];
}

static void check_rows(const rwl_batch *batch, int64_t length) {
    rwl_buf text;
    const rwl_column *c = &batch->columns[0];
    FUZZ_CHECK(batch->length == length && c->length == length);
    rwl_buf_init(&text, &env, TEXT_MAX);
    int64_t nulls = 0;
    for (int64_t i = 0; i < length; i++) {
        nulls += rwl_column_is_null(c, i);
        FUZZ_CHECK(rwl_column_format_json(c, i, &text, NULL) == RWL_OK);
    }
    FUZZ_CHECK(c->type.kind == RWL_TYPE_UNKNOWN || nulls == c->null_count);
    rwl_buf_clear(&text);
}

static void check_arrow(rwl_span bytes) {
    if (bytes.len < 3)
        return;
    int f = bytes.data[0] % FORMAT_COUNT;
    source = rwl_span_of(bytes.data + 3, bytes.len - 3);
    memset(buffers[3], 'x', BUFFER_LEN);
    struct ArrowSchema leaf = {
        .format = formats[f].child, .name = "element", .flags = 2, .release = no_schema};
    struct ArrowSchema *leaves[] = {&leaf};
    struct ArrowSchema child = {.format = formats[f].format, .name = "c", .flags = 2, .release = no_schema};
    struct ArrowSchema *children[] = {&child};
    struct ArrowSchema root = {
        .format = "+s", .name = "", .n_children = 1, .children = children, .release = no_schema};
    struct ArrowArray leaf_array = {.length = OFFSET_MAX}, array = {.length = bytes.data[1] % LENGTH_MAX};
    struct ArrowArray *leaf_arrays[] = {&leaf_array}, *arrays[] = {&array};
    const void *root_buffers[1] = {NULL}, *array_buffers[3], *leaf_buffers[3];
    array.offset = bytes.data[1] >> 6;
    array.null_count = (int8_t)bytes.data[2] % 4;
    struct ArrowArray all = {.length = array.length,
                             .n_buffers = 1,
                             .buffers = root_buffers,
                             .n_children = 1,
                             .children = arrays,
                             .release = no_array};
    fill_array(&array, array_buffers, formats[f].format, formats[f].offset_width, 0);
    if (formats[f].child != NULL) {
        child.n_children = array.n_children = 1;
        child.children = leaves;
        array.children = leaf_arrays;
        static _Alignas(64) int32_t steps[BUFFER_LEN];
        for (int i = 0; i <= OFFSET_MAX; i++)
            steps[i] = i;
        bool is_text = formats[f].child[0] == 'u';
        leaf_buffers[0] = NULL;
        leaf_buffers[1] = is_text ? (const void *)steps : buffers[3];
        leaf_buffers[2] = buffers[3];
        leaf_array.buffers = leaf_buffers;
        leaf_array.n_buffers = is_text ? 3 : 2;
        leaf_array.release = no_array;
    }
    rwl_arena arena;
    rwl_field *fields;
    int32_t count;
    rwl_batch batch;
    rwl_arena_init(&arena, &env, 0);
    if (rwl_arrow_import_schema(&root, &arena, &fields, &count, NULL) == RWL_OK &&
        rwl_batch_init(&batch, &env, fields, count, NULL) == RWL_OK) {
        if (rwl_arrow_import_batch(&root, &all, &batch, NULL) == RWL_OK)
            check_rows(&batch, array.length);
        rwl_batch_clear(&batch);
    }
    rwl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    if (len == 0)
        return 0;
    rwl_env_init_default(&env);
    fuzz_fix_random(&env);
    rwl_span rest = rwl_span_of(data + 1, len - 1);
    if (data[0] % 3 == 0)
        check_variant(rest);
    else if (data[0] % 3 == 1)
        check_wkb(rest);
    else
        check_arrow(rest);
    return 0;
}
