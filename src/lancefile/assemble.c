/* SPDX-License-Identifier: Apache-2.0 */
/* Structs, lists and maps from the levels of their leaves. */
#include "lancefile/assemble.h"

#include "base/vec.h"
#include "column/bits.h"
#include "lancefile/field_internal.h"

void rwl_lance_assembler_init(rwl_lance_assembler *a, const rwl_env *env) {
    a->env = env;
    rwl_buf_init(&a->validity, env, SIZE_MAX);
    rwl_buf_init(&a->bytes, env, SIZE_MAX);
    rwl_buf_init(&a->bits, env, SIZE_MAX);
    rwl_buf_init(&a->moved, env, SIZE_MAX);
}

void rwl_lance_assembler_clear(rwl_lance_assembler *a) {
    rwl_buf_clear(&a->validity);
    rwl_buf_clear(&a->bytes);
    rwl_buf_clear(&a->bits);
    rwl_buf_clear(&a->moved);
}

/* --- where a node stands, and what a leaf's levels mean there --- */

/* What lies around a node: definition levels (an item one, a list two), lists, and the levels from the innermost list on outward. */
typedef struct place {
    int32_t outer, lists, list_outer;
    int64_t per_row; /* of fixed-size lists around */
    int depth;
} place;

static place inside_struct(place p) {
    p.outer++;
    p.depth++;
    return p;
}

static place inside_list(place p) {
    p.outer += 2;
    p.list_outer = p.outer;
    p.lists++;
    p.depth++;
    return p;
}

/* In lists of `dimension` structs each, which are an item of their own. */
static place inside_structs(place p, int32_t dimension) {
    p = inside_struct(p);
    p.per_row *= dimension; /* the leaf's product, which is below 2^31, or less */
    return p;
}

typedef struct view {
    const uint16_t *rep, *def; /* NULL: all 0 */
    int64_t entries;           /* of which the leaf may have `stride` each, the first of which counts */
    int64_t stride;
    int32_t start; /* least rep that begins an instance */
    int32_t top;   /* greatest def of an instance */
    bool is_all;   /* there are no lists, so that every entry is one */
    int32_t inner; /* definition levels inside of the node, when it is an item */
} view;

static rwl_status look(const rwl_lance_leaf *leaf, place at, view *out, rwl_error *err) {
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

static inline int32_t rep_at(const view *v, int64_t i) {
    return v->rep != NULL ? v->rep[i] : 0;
}
static inline int32_t def_at(const view *v, int64_t i) {
    return v->def != NULL ? v->def[i * v->stride] : 0;
}

/* Of both levels; in steps of one length, which the compiler makes vectors of. */
static int64_t count_both(const view *v) {
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

static int64_t count_instances(const view *v) {
    int64_t count = 0;
    if (v->is_all || (v->start <= 0 && v->def == NULL))
        return v->entries;
    for (int64_t i = 0; v->def == NULL && i < v->entries; i++)
        count += v->rep[i] >= v->start;
    for (int64_t i = 0; v->def != NULL && v->start <= 0 && i < v->entries; i++)
        count += v->def[i] <= v->top;
    return v->def != NULL && v->start > 0 ? count_both(v) : count;
}

static rwl_status check_instances(const view *v, int64_t count, rwl_error *err) {
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
static void instances_to_bits(const view *v, int32_t limit, uint8_t *bits) {
    bit_writer w = {bits, 0, 0};
    for (int64_t i = 0; i < v->entries; i++) {
        int32_t def = def_at(v, i);
        put_bit(&w, def <= limit, (uint32_t)(rep_at(v, i) >= v->start) & (uint32_t)(def <= v->top));
    }
    finish_bits(&w);
}

/* Into a->validity: an instance is valid when its def is at most `limit`. *out is NULL when all are. */
static rwl_status find_validity(rwl_lance_assembler *a, const view *v, int64_t count, int32_t limit,
                                const uint8_t **out, int64_t *nulls, rwl_error *err) {
    *out = NULL;
    *nulls = 0;
    if (v->def == NULL || count == 0)
        return RWL_OK;
    rwl_buf_reset(&a->validity);
    RWL_TRY(rwl_buf_reserve(&a->validity, rwl_bits_bytes(count) + 8, err));
    if (count == v->entries && v->stride == 1)
        levels_to_bits(v->def, count, limit, a->validity.data);
    else
        instances_to_bits(v, limit, a->validity.data);
    *nulls = count - rwl_bits_count(a->validity.data, 0, count);
    *out = *nulls > 0 ? a->validity.data : NULL;
    return RWL_OK;
}

/* --- leaves of one struct tell the same of it --- */

static inline uint32_t outer_level(const view *v, int64_t i) {
    int32_t def = def_at(v, i) - v->inner;
    return ((uint32_t)(rep_at(v, i) - v->start) << 16) | (uint32_t)(def > 0 ? def : 0);
}

/* The next entry from `i` on that is not inside of an instance. */
static inline int64_t next_outer(const view *v, int64_t i) {
    while (i < v->entries && rep_at(v, i) < v->start)
        i++;
    return i;
}

static rwl_status check_alike(const view *a, const view *b, rwl_error *err) {
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

/* --- nodes --- */

typedef struct job {
    rwl_lance_assembler *a;
    rwl_lance_leaf *const *leaves;
} job;

static rwl_status put_node(const job *j, const rwl_lance_node *node, place at, int64_t count, rwl_column *out,
                           rwl_error *err);

static bool is_leaf(const rwl_lance_node *node) {
    if (node->form == RWL_LANCE_STRUCT && node->child_count == 0)
        return true;
    return node->form != RWL_LANCE_STRUCT && node->form != RWL_LANCE_LIST && node->form != RWL_LANCE_MAP;
}

/* The first leaf at or below a node that a file has; NULL: none. */
static rwl_lance_leaf *first_leaf(const job *j, const rwl_lance_node *node, int depth) {
    if (is_leaf(node))
        return j->leaves[node->index];
    rwl_lance_leaf *found = NULL;
    for (int32_t i = 0; depth < RWL_TYPE_DEPTH_MAX && found == NULL && i < node->child_count; i++)
        found = first_leaf(j, &node->children[i], depth + 1);
    return found;
}

static rwl_status put_nulls(const job *j, int64_t count, rwl_column *out, rwl_error *err) {
    rwl_value null = rwl_value_null(out->type.kind);
    return rwl_column_append(out, j->a->env, &null, count, err);
}

/* The children of a struct, or of a map's entries, whose instances lie at `at`; `first` is the leaf that told how many there are. */
static rwl_status put_children(const job *j, const rwl_lance_node *node, place at, int64_t count,
                               const rwl_lance_leaf *first, rwl_column *out, rwl_error *err) {
    if (out->type.child_count != node->child_count)
        return rwl_fail(err, RWL_INTERNAL, "a struct of %d fields into one of %d", node->child_count,
                        out->type.child_count);
    view mine, other;
    RWL_TRY(look(first, at, &mine, err));
    for (int32_t i = 0; i < node->child_count; i++) {
        const rwl_lance_node *child = &node->children[i];
        const rwl_lance_leaf *leaf = first_leaf(j, child, at.depth + 1);
        rwl_status st = RWL_OK;
        if (leaf != NULL && leaf != first) {
            st = look(leaf, at, &other, err);
            if (st == RWL_OK)
                st = check_alike(&mine, &other, err);
        }
        if (st == RWL_OK)
            st = put_node(j, child, inside_struct(at), count, &out->children[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s", child->field.name);
    }
    return RWL_OK;
}

static rwl_status put_struct(const job *j, const rwl_lance_node *node, place at, int64_t count,
                             const rwl_lance_leaf *leaf, rwl_column *out, rwl_error *err) {
    view v;
    const uint8_t *validity;
    int64_t nulls;
    RWL_TRY(look(leaf, at, &v, err));
    RWL_TRY(check_instances(&v, count, err));
    RWL_TRY(find_validity(j->a, &v, count, v.inner, &validity, &nulls, err));
    RWL_TRY(rwl_column_reserve(out, j->a->env, count, 0, err));
    RWL_TRY(rwl_lance_append_validity(j->a->env, out, validity, count, err));
    out->length = count;
    return put_children(j, node, at, count, leaf, out, err);
}

/* Fills offsets and validity bits (of count + 1 and count, and 8 bytes more); false for an item outside of a list, or in one that is
 * null or empty. `inner`: levels inside of the list, then null, then empty. Without branches: levels are hard to guess. */
static bool walk_list(const view *v, int32_t inner, int32_t *offsets, uint8_t *bits) {
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

static rwl_status put_elements(const job *j, const rwl_lance_node *node, place at, int64_t count,
                               const rwl_lance_leaf *leaf, rwl_column *out, rwl_error *err) {
    const rwl_lance_node *child = &node->children[0];
    if (node->form == RWL_LANCE_LIST)
        return put_node(j, child, inside_list(at), count, &out->children[0], err);
    if (child->form != RWL_LANCE_STRUCT || child->child_count != 2)
        return rwl_fail(err, RWL_INTERNAL, "a map without entries of key and value");
    RWL_TRY(put_children(j, child, inside_list(at), count, leaf, out, err));
    if (out->children[0].null_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "a map with a null key");
    return RWL_OK;
}

static rwl_status put_list(const job *j, const rwl_lance_node *node, place at, int64_t count,
                           const rwl_lance_leaf *leaf, rwl_column *out, rwl_error *err) {
    view v;
    RWL_TRY(look(leaf, at, &v, err));
    int32_t inner = v.inner - 1; /* a list has two levels of its own */
    if (inner < 0 || v.start < 1 || node->child_count != 1)
        return rwl_fail(err, RWL_INTERNAL, "a list whose leaf has no list");
    if (v.entries >= INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld values in one batch", (long long)v.entries);
    RWL_TRY(check_instances(&v, count, err));
    RWL_TRY(rwl_column_reserve(out, j->a->env, count, 0, err));
    rwl_buf *bits = &j->a->validity;
    rwl_buf_reset(bits);
    RWL_TRY(rwl_buf_reserve(bits, rwl_bits_bytes(count) + 8, err));
    int32_t *offsets = (int32_t *)(void *)out->offsets.data;
    if (!walk_list(&v, inner, offsets, bits->data))
        return rwl_fail(err, RWL_CORRUPT, "a value that continues a list which is null, empty or not begun");
    int64_t nulls = count - rwl_bits_count(bits->data, 0, count);
    RWL_TRY(rwl_lance_append_validity(j->a->env, out, nulls > 0 ? bits->data : NULL, count, err));
    out->length = count;
    return put_elements(j, node, at, offsets[count], leaf, out, err);
}

/* --- lists of so many structs each --- */

/* Entries of one list tell the same of it. */
static rwl_status check_groups(const view *v, rwl_error *err) {
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

/* The structs of lists that are not null. */
static rwl_status take_valid(const job *j, const rwl_column *structs, int32_t dimension, int64_t count,
                             rwl_column *out, rwl_error *err) {
    RWL_VEC(rwl_range) ranges = {0};
    rwl_status st = RWL_OK;
    for (int64_t i = 0, to; i < count && st == RWL_OK; i = to + 1) { /* runs of valid ones */
        for (to = i; to < count && rwl_bit_get(out->validity.data, to);)
            to++;
        rwl_range range = {i * dimension, (to - i) * dimension};
        if (to > i)
            st = rwl_vec_push(&ranges, j->a->env, range, err);
    }
    if (st == RWL_OK)
        st = rwl_column_take_ranges(structs, ranges.items, ranges.len, &out->children[0], j->a->env, err);
    rwl_vec_clear(&ranges, j->a->env);
    return st;
}

static rwl_status put_structs(const job *j, const rwl_lance_node *node, place at, int64_t count,
                              rwl_column *out, rwl_error *err) {
    const rwl_lance_node *child = &node->children[0];
    place inside = inside_structs(at, node->dimension);
    rwl_column *elements = &out->children[0], all;
    if (out->null_count == 0)
        return put_node(j, child, inside, count * node->dimension, elements, err);
    rwl_status st = rwl_column_init(&all, j->a->env, &elements->type, err);
    if (st == RWL_OK)
        st = put_node(j, child, inside, count * node->dimension, &all, err);
    if (st == RWL_OK)
        st = take_valid(j, &all, node->dimension, count, out, err);
    rwl_column_clear(&all, j->a->env);
    return st;
}

static rwl_status put_fixed_list(const job *j, const rwl_lance_node *node, place at, int64_t count,
                                 const rwl_lance_leaf *leaf, rwl_column *out, rwl_error *err) {
    view v;
    const uint8_t *validity;
    int64_t nulls;
    RWL_TRY(look(leaf, at, &v, err));
    if (v.stride % node->dimension != 0 || v.rep != NULL || node->child_count != 1)
        return rwl_fail(err, RWL_INTERNAL, "a fixed-size list of %d structs whose leaf has %lld",
                        node->dimension, (long long)v.stride);
    if (leaf->entries >= INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld values in one batch", (long long)leaf->entries);
    RWL_TRY(check_instances(&v, count, err));
    RWL_TRY(check_groups(&v, err));
    RWL_TRY(find_validity(j->a, &v, count, v.inner, &validity, &nulls, err));
    RWL_TRY(rwl_column_reserve(out, j->a->env, count, 0, err));
    int32_t *offsets = (int32_t *)(void *)out->offsets.data;
    offsets[0] = 0;
    for (int64_t i = 0; i < count; i++)
        offsets[i + 1] = offsets[i] + (validity == NULL || rwl_bit_get(validity, i) ? node->dimension : 0);
    RWL_TRY(rwl_lance_append_validity(j->a->env, out, validity, count, err));
    out->length = count;
    return put_structs(j, node, at, count, out, err);
}

static rwl_status put_leaf(const job *j, place at, int64_t count, rwl_lance_leaf *leaf, rwl_column *out,
                           rwl_error *err) {
    view v;
    const uint8_t *validity;
    int64_t nulls;
    RWL_TRY(look(leaf, at, &v, err));
    RWL_TRY(check_instances(&v, count, err));
    if (leaf->slots != count)
        return rwl_fail(err, RWL_CORRUPT, "%lld values where levels tell of %lld", (long long)leaf->slots,
                        (long long)count);
    RWL_TRY(find_validity(j->a, &v, count, 0, &validity, &nulls, err));
    return rwl_lance_assemble_slots(j->a, leaf, validity, nulls, out, err);
}

static rwl_status put_node(const job *j, const rwl_lance_node *node, place at, int64_t count, rwl_column *out,
                           rwl_error *err) {
    if (at.depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a field nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    rwl_lance_leaf *leaf = first_leaf(j, node, at.depth);
    if (leaf == NULL)
        return put_nulls(j, count, out, err);
    switch (node->form) {
    case RWL_LANCE_STRUCT:
        return put_struct(j, node, at, count, leaf, out, err);
    case RWL_LANCE_LIST:
    case RWL_LANCE_MAP:
        if (node->dimension > 0)
            return put_fixed_list(j, node, at, count, leaf, out, err);
        return put_list(j, node, at, count, leaf, out, err);
    default:
        return put_leaf(j, at, count, leaf, out, err);
    }
}

rwl_status rwl_lance_assemble(rwl_lance_assembler *a, const rwl_lance_node *node,
                              rwl_lance_leaf *const *leaves, int64_t rows, rwl_column *out, rwl_error *err) {
    job j = {a, leaves};
    place top = {.per_row = 1};
    return put_node(&j, node, top, rows, out, err);
}
