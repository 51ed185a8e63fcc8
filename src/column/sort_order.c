/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ordering rows by their keys: the first bits in which the keys differ spread the rows over buckets, and each bucket is
 * merge-sorted. Numbers that are spread evenly need little of the second, texts that begin alike little of the first.
 */
#include "column/sort.h"

enum {
    RUN = 16,
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    FINE_BITS = 8,
    FINE_DIGITS = 1 << FINE_BITS,
    FINE_ROWS = 64
};

typedef struct sort_item {
    rwl_sort_prefix prefix;
    int32_t row;
} sort_item;

_Static_assert(2 * sizeof(sort_item) <= RWL_SORT_ROW_BYTES, "the figure in the header covers both arrays");

void rwl_sort_keys_prefixes(const uint8_t *keys, const uint64_t *ends, int64_t count,
                            rwl_sort_prefix *prefixes) {
    uint64_t start = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t words[2] = {0, 0};
        size_t len = (size_t)(ends[i] - start);
        if (len >= sizeof words)
            memcpy(words, keys + start, sizeof words);
        else if (len > 0)
            memcpy(words, keys + start, len);
        prefixes[i] = (rwl_sort_prefix){__builtin_bswap64(words[0]), __builtin_bswap64(words[1])};
        start = ends[i];
    }
}

int rwl_sort_keys_compare_rest(const rwl_sort_keys *a, int64_t a_row, const rwl_sort_keys *b, int64_t b_row) {
    rwl_span x = rwl_sort_key_bytes(a, a_row), y = rwl_sort_key_bytes(b, b_row);
    const size_t known = sizeof(rwl_sort_prefix);
    if (x.len <= known || y.len <= known) /* no key is a prefix of another: equal */
        return 0;
    return rwl_span_compare(rwl_span_of(x.data + known, x.len - known),
                            rwl_span_of(y.data + known, y.len - known));
}

/* Whether a belongs before b, never so for equal keys: what stays in place is stable. */
static inline bool is_less(const rwl_sort_keys *keys, const sort_item *a, const sort_item *b) {
    if (a->prefix.high != b->prefix.high)
        return a->prefix.high < b->prefix.high;
    if (a->prefix.low != b->prefix.low)
        return a->prefix.low < b->prefix.low;
    return keys->ends != NULL && rwl_sort_keys_compare_rest(keys, a->row, keys, b->row) < 0;
}

/* --- merge sort --- */

static void sort_run(const rwl_sort_keys *keys, sort_item *items, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        sort_item item = items[i];
        int64_t at = i;
        for (; at > 0 && is_less(keys, &item, &items[at - 1]); at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static void merge(const rwl_sort_keys *keys, const sort_item *left, int64_t left_count,
                  const sort_item *right, int64_t right_count, sort_item *out) {
    /* already in order, or whole sides apart: sorted input costs one comparison a pair of runs */
    if (right_count == 0 || !is_less(keys, &right[0], &left[left_count - 1])) {
        memcpy(out, left, (size_t)left_count * sizeof *out);
        memcpy(out + left_count, right, (size_t)right_count * sizeof *out);
        return;
    }
    int64_t l = 0;
    int64_t r = 0;
    while (l < left_count && r < right_count)
        *out++ = is_less(keys, &right[r], &left[l]) ? right[r++] : left[l++];
    memcpy(out, left + l, (size_t)(left_count - l) * sizeof *out);
    memcpy(out + (left_count - l), right + r, (size_t)(right_count - r) * sizeof *out);
}

/* Returns the one of the two arrays that ends up sorted. */
static sort_item *merge_all(const rwl_sort_keys *keys, sort_item *a, sort_item *b, int64_t count) {
    for (int64_t i = 0; i < count; i += RUN)
        sort_run(keys, a + i, count - i < RUN ? count - i : RUN);
    for (int64_t size = RUN; size < count; size *= 2) {
        for (int64_t i = 0; i < count; i += 2 * size) {
            int64_t left = count - i < size ? count - i : size;
            int64_t right = count - i - left < size ? count - i - left : size;
            merge(keys, a + i, left, a + i + left, right, b + i);
        }
        sort_item *t = a;
        a = b;
        b = t;
    }
    return a;
}

/* --- buckets --- */

/* How far to shift a prefix right so that its `bits` highest bits of those set in `differ` on are the lowest. */
static unsigned find_shift(rwl_sort_prefix differ, unsigned bits) {
    unsigned top = differ.high != 0  ? 128 - (unsigned)__builtin_clzll(differ.high)
                   : differ.low != 0 ? 64 - (unsigned)__builtin_clzll(differ.low)
                                     : 0;
    return top > bits ? top - bits : 0;
}

static inline unsigned digit_of(const rwl_sort_prefix *p, unsigned shift, unsigned digits) {
    uint64_t bits = shift >= 64  ? p->high >> (shift - 64)
                    : shift == 0 ? p->low
                                 : p->low >> shift | p->high << (64 - shift);
    return (unsigned)bits & (digits - 1);
}

/* Counts to the places where the buckets begin. */
static void add_up(int32_t *starts, int digits) {
    for (int k = 0; k < digits; k++)
        starts[k + 1] += starts[k];
}

/* Filling has moved each start to the next bucket's. */
static void move_back(int32_t *starts, int digits) {
    memmove(starts + 1, starts, (size_t)digits * sizeof *starts);
    starts[0] = 0;
}

/* Spreads the rows over buckets, as they came in each; `starts` (DIGITS + 1) says where those begin. */
static void fill_buckets(const rwl_sort_prefix *p, int64_t count, int32_t *starts, sort_item *out) {
    rwl_sort_prefix differ = {0, 0};
    for (int64_t i = 1; i < count; i++) {
        differ.high |= p[i].high ^ p[0].high;
        differ.low |= p[i].low ^ p[0].low;
    }
    unsigned shift = find_shift(differ, DIGIT_BITS);
    memset(starts, 0, (DIGITS + 1) * sizeof *starts);
    for (int64_t i = 0; i < count; i++)
        starts[digit_of(&p[i], shift, DIGITS) + 1]++;
    add_up(starts, DIGITS);
    for (int64_t i = 0; i < count; i++)
        out[starts[digit_of(&p[i], shift, DIGITS)]++] = (sort_item){p[i], (int32_t)i};
    move_back(starts, DIGITS);
}

/* A bucket of many rows once more: numbers of one exponent, texts that begin alike. Sorted, it is in one of the two. */
static const sort_item *sort_bucket(const rwl_sort_keys *keys, sort_item *items, sort_item *other,
                                    int32_t count) {
    if (count < FINE_ROWS)
        return merge_all(keys, items, other, count);
    rwl_sort_prefix differ = {0, 0};
    for (int32_t i = 1; i < count; i++) {
        differ.high |= items[i].prefix.high ^ items[0].prefix.high;
        differ.low |= items[i].prefix.low ^ items[0].prefix.low;
    }
    unsigned shift = find_shift(differ, FINE_BITS);
    int32_t starts[FINE_DIGITS + 1] = {0};
    for (int32_t i = 0; i < count; i++)
        starts[digit_of(&items[i].prefix, shift, FINE_DIGITS) + 1]++;
    add_up(starts, FINE_DIGITS);
    for (int32_t i = 0; i < count; i++)
        other[starts[digit_of(&items[i].prefix, shift, FINE_DIGITS)]++] = items[i];
    move_back(starts, FINE_DIGITS);
    for (int k = 0; k < FINE_DIGITS; k++) {
        int32_t first = starts[k], rows = starts[k + 1] - first;
        const sort_item *sorted =
            rows > 1 ? merge_all(keys, other + first, items + first, rows) : other + first;
        if (rows > 0 && sorted != other + first)
            memcpy(other + first, sorted, (size_t)rows * sizeof *sorted);
    }
    return other;
}

static void order_buckets(const rwl_sort_keys *keys, int64_t count, sort_item *items, int32_t *order) {
    int32_t starts[DIGITS + 1];
    fill_buckets(keys->prefixes, count, starts, items);
    for (int k = 0; k < DIGITS; k++) {
        int32_t first = starts[k], rows = starts[k + 1] - first;
        const sort_item *sorted = sort_bucket(keys, items + first, items + count + first, rows);
        for (int32_t i = 0; i < rows; i++)
            order[first + i] = sorted[i].row;
    }
}

static bool is_sorted(const rwl_sort_keys *keys, int64_t count) {
    for (int64_t i = 1; i < count; i++)
        if (rwl_sort_keys_compare(keys, i - 1, keys, i) > 0)
            return false;
    return true;
}

rwl_status rwl_sort_keys_order(const rwl_env *env, const rwl_sort_keys *keys, int64_t count, int32_t *order,
                               rwl_error *err) {
    if (count <= 0)
        return RWL_OK;
    if (is_sorted(keys, count)) {
        for (int64_t i = 0; i < count; i++)
            order[i] = (int32_t)i;
        return RWL_OK;
    }
    if (count > INT32_MAX || (uint64_t)count > SIZE_MAX / RWL_SORT_ROW_BYTES)
        return rwl_fail(err, RWL_INTERNAL, "%lld rows ordered at once", (long long)count);
    size_t size = (size_t)count * 2 * sizeof(sort_item);
    sort_item *items = rwl_alloc(env, size);
    if (items == NULL)
        return rwl_no_memory(err, size);
    order_buckets(keys, count, items, order);
    rwl_free(env, items);
    return RWL_OK;
}
