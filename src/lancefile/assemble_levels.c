/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over the levels of one leaf. */
#include "lancefile/assemble_internal.h"

#include "column/bits.h"

rwl_status rwl_lance_levels_look(const rwl_lance_leaf *leaf, rwl_lance_place at, rwl_lance_level_view *out,
                                 rwl_error *err) {
    int32_t levels = leaf->layer_count + leaf->list_count;
    out->stride = leaf->per_row / at.per_row;
    out->entries = leaf->entries / (out->stride > 0 ? out->stride : 1);
    out->rep = leaf->rep.count > 0 ? leaf->rep.items : NULL;
    out->def = leaf->def.count > 0 ? leaf->def.items : NULL;
    out->start = leaf->list_count - at.lists;
    out->top = levels - at.list_outer;
    out->inner = levels - at.outer - 1;
    out->is_all = leaf->list_count == 0;
    bool is_whole = (leaf->list_count == 0 || leaf->rep.count == leaf->entries) &&
                    (leaf->def.count == 0 || leaf->def.count == leaf->entries);
    is_whole = is_whole && out->entries * out->stride == leaf->entries;
    if (!is_whole || out->start < 0 || out->inner < 0)
        return rwl_fail(err, RWL_INTERNAL, "a leaf of %lld entries with %lld and %lld levels in %d layers",
                        (long long)leaf->entries, (long long)leaf->rep.count, (long long)leaf->def.count,
                        leaf->layer_count);
    return RWL_OK;
}

static inline int32_t rep_at(const rwl_lance_level_view *v, int64_t i) {
    return v->rep != NULL ? v->rep[i] : 0;
}
static inline int32_t def_at(const rwl_lance_level_view *v, int64_t i) {
    return v->def != NULL ? v->def[i * v->stride] : 0;
}

/* Of both levels; in steps of one length, which the compiler makes vectors of. */
static int64_t count_both(const rwl_lance_level_view *v) {
    enum { STEP = 64 };
    const uint16_t *rep = v->rep, *def = v->def;
    uint16_t start = (uint16_t)v->start, top = (uint16_t)v->top;
    int64_t count = 0, i = 0;
    for (; i + STEP <= v->entries; i += STEP) {
        uint16_t some = 0;
        for (int k = 0; k < STEP; k++)
            some = (uint16_t)(some + ((rep[i + k] >= start) & (def[i + k] <= top)));
        count += some;
    }
    for (; i < v->entries; i++)
        count += (rep[i] >= start) & (def[i] <= top);
    return count;
}

static int64_t count_instances(const rwl_lance_level_view *v) {
    int64_t count = 0;
    if (v->is_all || (v->start <= 0 && v->def == NULL))
        return v->entries;
    for (int64_t i = 0; v->def == NULL && i < v->entries; i++)
        count += v->rep[i] >= v->start;
    for (int64_t i = 0; v->def != NULL && v->start <= 0 && i < v->entries; i++)
        count += v->def[i] <= v->top;
    return v->def != NULL && v->start > 0 ? count_both(v) : count;
}

rwl_status rwl_lance_levels_check(const rwl_lance_level_view *v, int64_t count, rwl_error *err) {
    int64_t found = count_instances(v);
    if (found != count)
        return rwl_fail(err, RWL_CORRUPT, "levels of %lld values where %lld are expected", (long long)found,
                        (long long)count);
    return RWL_OK;
}

/* --- validity from definition levels --- */

/* Bits of `def[i] <= limit`, eight at a time: bytes of 0 or 1, gathered by a multiplication. */
static void levels_to_bits(const uint16_t *def, int64_t count, int32_t limit, uint8_t *bits) {
    const uint64_t gather = UINT64_C(0x0102040810204080);
    uint16_t least = (uint16_t)limit;
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        uint8_t ones[64];
        for (int k = 0; k < 64; k++)
            ones[k] = def[i + k] <= least;
        for (int k = 0; k < 8; k++)
            bits[i / 8 + k] = (uint8_t)(rwl_load_le64(ones + 8 * k) * gather >> 56);
    }
    for (; i < count; i++) {
        if ((i & 7) == 0)
            bits[i / 8] = 0;
        bits[i / 8] = (uint8_t)(bits[i / 8] | (def[i] <= least) << (i & 7));
    }
}

/* Bits put one after another, stored a word at a time: a branch for each would be guessed wrong half the time. */
typedef struct bit_writer {
    uint8_t *bits; /* of which there are 8 bytes more than are needed */
    uint64_t word;
    int64_t count;
} bit_writer;

/* Puts `bit` if it counts: both are 0 or 1. */
static inline void put_bit(bit_writer *w, uint32_t bit, uint32_t counts) {
    w->word |= (uint64_t)(bit & counts) << (w->count & 63);
    w->count += counts;
    if ((w->count & 63) == 0 && counts != 0) {
        rwl_store_le64(w->bits + (w->count / 8 - 8), w->word);
        w->word = 0;
    }
}

static void finish_bits(bit_writer *w) {
    if ((w->count & 63) != 0)
        rwl_store_le64(w->bits + w->count / 64 * 8, w->word);
}

/* The same of instances alone, where not every entry is one. */
static void instances_to_bits(const rwl_lance_level_view *v, int32_t limit, uint8_t *bits) {
    bit_writer w = {bits, 0, 0};
    for (int64_t i = 0; i < v->entries; i++) {
        int32_t def = def_at(v, i);
        put_bit(&w, def <= limit, (uint32_t)(rep_at(v, i) >= v->start) & (uint32_t)(def <= v->top));
    }
    finish_bits(&w);
}

rwl_status rwl_lance_levels_validity(rwl_buf *bits, const rwl_lance_level_view *v, int64_t count,
                                     int32_t limit, const uint8_t **out, int64_t *nulls, rwl_error *err) {
    *out = NULL;
    *nulls = 0;
    if (v->def == NULL || count == 0)
        return RWL_OK;
    rwl_buf_reset(bits);
    RWL_TRY(rwl_buf_reserve(bits, rwl_bits_bytes(count) + 8, err));
    if (count == v->entries && v->stride == 1)
        levels_to_bits(v->def, count, limit, bits->data);
    else
        instances_to_bits(v, limit, bits->data);
    *nulls = count - rwl_bits_count(bits->data, 0, count);
    *out = *nulls > 0 ? bits->data : NULL;
    return RWL_OK;
}

/* --- leaves of one struct tell the same of it --- */

static inline uint32_t outer_level(const rwl_lance_level_view *v, int64_t i) {
    int32_t def = def_at(v, i) - v->inner;
    return ((uint32_t)(rep_at(v, i) - v->start) << 16) | (uint32_t)(def > 0 ? def : 0);
}

/* The next entry from `i` on that is not inside of an instance. */
static inline int64_t next_outer(const rwl_lance_level_view *v, int64_t i) {
    while (i < v->entries && rep_at(v, i) < v->start)
        i++;
    return i;
}

rwl_status rwl_lance_levels_check_alike(const rwl_lance_level_view *a, const rwl_lance_level_view *b,
                                        rwl_error *err) {
    bool is_alike = true;
    int64_t i = 0, k = 0;
    if (a->start == 0 && b->start == 0) { /* no lists inside: entry for entry */
        is_alike = a->entries == b->entries;
        bool has_levels = a->rep != NULL || a->def != NULL || b->def != NULL;
        uint32_t differ = 0;
        for (; is_alike && has_levels && i < a->entries; i++)
            differ |= outer_level(a, i) ^ outer_level(b, i);
        is_alike = is_alike && differ == 0;
        i = k = a->entries;
    }
    while (is_alike) {
        i = next_outer(a, i);
        k = next_outer(b, k);
        if (i >= a->entries || k >= b->entries)
            break;
        is_alike = outer_level(a, i++) == outer_level(b, k++);
    }
    if (!is_alike || i < a->entries || k < b->entries) /* one goes on where the other ended */
        return rwl_fail(err, RWL_CORRUPT, "columns of a struct differ in their levels");
    return RWL_OK;
}

/* --- lists --- */

/* Without branches: levels are hard to guess. */
bool rwl_lance_levels_walk_list(const rwl_lance_level_view *v, int32_t inner, int32_t *offsets,
                                uint8_t *bits) {
    bit_writer w = {bits, 0, 0};
    uint32_t elements = 0, is_open = 0, is_wrong = 0;
    for (int64_t i = 0; i < v->entries; i++) {
        int32_t rep = rep_at(v, i), def = def_at(v, i);
        uint32_t has_element = def <= inner, begins = rep >= v->start;
        uint32_t is_instance =
            begins & (uint32_t)(def <= v->top); /* else it stands for a list outside of this one */
        is_wrong |= ~begins & ((is_open & has_element) ^ 1) & 1;
        is_open = (begins & has_element) | (~begins & is_open);
        offsets[w.count] = (int32_t)elements;
        put_bit(&w, has_element | (uint32_t)(def == inner + 2), is_instance);
        elements += has_element & (uint32_t)(rep >= v->start - 1);
    }
    finish_bits(&w);
    offsets[w.count] = (int32_t)elements;
    return is_wrong == 0;
}

rwl_status rwl_lance_levels_check_groups(const rwl_lance_level_view *v, rwl_error *err) {
    uint32_t differ = 0;
    for (int64_t i = 0; v->def != NULL && i < v->entries; i++) {
        const uint16_t *def = v->def + i * v->stride;
        int32_t first = def[0] > v->inner ? def[0] : v->inner;
        for (int64_t k = 1; k < v->stride; k++) {
            int32_t other = def[k] > v->inner ? def[k] : v->inner;
            differ |= (uint32_t)(first ^ other);
        }
    }
    if (differ != 0)
        return rwl_fail(err, RWL_CORRUPT, "structs of a fixed-size list differ in the list's levels");
    return RWL_OK;
}
