/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of nested columns from the levels of their leaves: validity of structs, offsets of lists and maps. */
#include "parquet/tree_internal.h"

enum { PIECE = 4096, WORDS = PIECE / 64 + 2 };

/* --- agreement --- */

static inline uint8_t at_most(uint8_t level, int most) {
    return level < most ? level : (uint8_t)most;
}

/* Both have an entry for each common slot: side by side. */
static bool agree_aligned(const rwl_parquet_entries *a, const rwl_parquet_entries *b,
                          const rwl_parquet_common *common) {
    if (a->cut != b->cut)
        return false;
    if (common->repetition > 0 && memcmp(a->repetitions, b->repetitions, a->cut) != 0)
        return false;
    uint8_t differ = 0;
    int most = common->definition;
    for (size_t i = 0; i < a->cut && most > 0; i++)
        differ |= (uint8_t)(at_most(a->definitions[i], most) ^ at_most(b->definitions[i], most));
    return differ == 0;
}

/* The next entry from `i` on that is one of the common slots. */
static size_t next_common(const rwl_parquet_entries *e, size_t i, int repetition) {
    while (e->repetitions && i < e->cut && e->repetitions[i] > repetition)
        i++;
    return i;
}

static bool agree(const rwl_parquet_entries *a, const rwl_parquet_entries *b,
                  const rwl_parquet_common *common) {
    int r = common->repetition, most = common->definition;
    if (a->max_repetition <= r && b->max_repetition <= r)
        return agree_aligned(a, b, common);
    size_t i = next_common(a, 0, r), k = next_common(b, 0, r);
    while (i < a->cut && k < b->cut) {
        if ((r > 0 && a->repetitions[i] != b->repetitions[k]) ||
            at_most(a->definitions[i], most) != at_most(b->definitions[k], most))
            return false;
        i = next_common(a, i + 1, r);
        k = next_common(b, k + 1, r);
    }
    return i == a->cut && k == b->cut;
}

rwl_status rwl_parquet_agree(const rwl_parquet_tree *t, rwl_error *err) {
    for (int32_t i = 0; i + 1 < t->leaf_count; i++)
        if (!agree(&t->entries[i], &t->entries[i + 1], &t->common[i]))
            return rwl_fail(err, RWL_CORRUPT, "columns %s and %s: levels disagree",
                            t->entries[i].column.leaf->field.name, t->entries[i + 1].column.leaf->field.name);
    return RWL_OK;
}

/* --- slots --- */

/* The slots of `n` entries from `i` on, as rwl_parquet_levels_pick has them; without bits where no value is null. */
static size_t pick_slots(const rwl_parquet_entries *e, const rwl_parquet_pick *pick, size_t i, size_t n,
                         uint64_t *bits, size_t *valid) {
    const uint8_t *repetitions = e->max_repetition > pick->slot_repetition ? e->repetitions + i : NULL;
    if (rwl_parquet_levels_count_from(e->definitions + i, n, pick->value_definition) < n)
        return rwl_parquet_levels_pick(e->definitions + i, repetitions, n, pick, bits, valid);
    *valid = repetitions ? n - rwl_parquet_levels_count_from(repetitions, n, pick->slot_repetition + 1) : n;
    return *valid;
}

/* Counts the branch's slots and writes their validity, if it may be null. The length stays. */
static rwl_status append_slots(const rwl_parquet_tree *t, const rwl_parquet_branch *b, rwl_column *out,
                               int64_t *slots, rwl_error *err) {
    const rwl_parquet_entries *e = &t->entries[b->guide];
    const rwl_env *env = t->shared->op->env;
    rwl_parquet_pick pick = {b->slot_definition, b->slot_repetition, b->node->definition};
    int64_t before = out->length;
    uint64_t bits[WORDS];
    rwl_status st = RWL_OK;
    RWL_TRY(rwl_column_reserve(out, env, before + (int64_t)e->cut, out->bytes_len, err));
    for (size_t i = 0; i < e->cut && st == RWL_OK; i += PIECE) {
        size_t n = e->cut - i < PIECE ? e->cut - i : PIECE, valid;
        size_t found = pick_slots(e, &pick, i, n, bits, &valid);
        if (!b->required) /* the length moves along, for the bits of the next piece */
            st = rwl_parquet_validity_append(out, env, bits, found, valid, err);
        out->length += (int64_t)found;
    }
    *slots = out->length - before;
    out->length = before;
    return st;
}

/* --- lists --- */

/* Offsets of the lists whose own repetition level is the only one. */
static size_t offsets_of_rows(const rwl_parquet_entries *e, int least, int32_t *offsets, int32_t *end) {
    const uint8_t *definitions = e->definitions, *repetitions = e->repetitions;
    size_t lists = 0;
    int32_t elements = *end;
    for (size_t i = 0; i < e->cut; i++) {
        offsets[lists] = elements;
        lists += repetitions[i] == 0;
        elements += definitions[i] >= least;
    }
    *end = elements;
    return lists;
}

static size_t offsets_of_slots(const rwl_parquet_entries *e, const rwl_parquet_branch *b, int32_t *offsets,
                               int32_t *end) {
    const uint8_t *definitions = e->definitions, *repetitions = e->repetitions;
    int slot_definition = b->slot_definition, slot_repetition = b->slot_repetition;
    int repetition = b->node->repetition, least = b->node->element_definition;
    size_t lists = 0;
    int32_t elements = *end;
    for (size_t i = 0; i < e->cut; i++) {
        offsets[lists] = elements;
        lists += (repetitions[i] <= slot_repetition) & (definitions[i] >= slot_definition);
        elements += (repetitions[i] <= repetition) & (definitions[i] >= least);
    }
    *end = elements;
    return lists;
}

static rwl_status append_offsets(const rwl_parquet_tree *t, const rwl_parquet_branch *b, rwl_column *out,
                                 int64_t slots, rwl_error *err) {
    const rwl_parquet_entries *e = &t->entries[b->guide];
    int32_t *offsets = (int32_t *)(void *)out->offsets.data;
    if (out->length == 0)
        offsets[0] = 0;
    int32_t end = offsets[out->length];
    if ((int64_t)e->cut > INT32_MAX - 1 - end)
        return rwl_fail(err, RWL_UNSUPPORTED, "lists of more than 2^31 elements in one batch");
    bool is_simple = e->max_repetition == 1 && b->slot_definition == 0;
    size_t lists = is_simple ? offsets_of_rows(e, b->node->element_definition, offsets + out->length, &end)
                             : offsets_of_slots(e, b, offsets + out->length, &end);
    if ((int64_t)lists != slots)
        return rwl_fail(err, RWL_CORRUPT, "levels of %zu lists where there are %lld", lists,
                        (long long)slots);
    offsets[out->length + slots] = end;
    return RWL_OK;
}

/* Nulls for a value that no leaf stores. */
static rwl_status append_nulls(const rwl_parquet_tree *t, rwl_column *out, int64_t rows, rwl_error *err) {
    rwl_value null = rwl_value_null(RWL_TYPE_UNKNOWN);
    return rows > out->length ? rwl_column_append(out, t->shared->op->env, &null, rows - out->length, err)
                              : RWL_OK;
}

/* --- nodes --- */

static rwl_status assemble_children(rwl_parquet_tree *t, const rwl_parquet_branch *b, rwl_column *out,
                                    int64_t length, rwl_error *err) {
    for (int32_t i = 0; i < b->child_count; i++) {
        const rwl_parquet_branch *child = &b->children[i];
        if (child->count == 0)
            RWL_TRY(append_nulls(t, &out->children[i], length, err));
        else
            RWL_TRY(rwl_parquet_assemble(t, child, &out->children[i], err));
        if (out->children[i].length != length)
            return rwl_fail(err, RWL_CORRUPT, "%s: %lld values where there are %lld", child->field.name,
                            (long long)out->children[i].length, (long long)length);
    }
    if (b->field.type.kind == RWL_TYPE_MAP && out->children[0].null_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "%s: a null key", b->field.name);
    return RWL_OK;
}

static rwl_status assemble_list(rwl_parquet_tree *t, const rwl_parquet_branch *b, rwl_column *out,
                                rwl_error *err) {
    int64_t slots;
    RWL_TRY(append_slots(t, b, out, &slots, err));
    RWL_TRY(append_offsets(t, b, out, slots, err));
    out->length += slots;
    return assemble_children(t, b, out, rwl_column_offsets(out)[out->length], err);
}

rwl_status rwl_parquet_assemble(rwl_parquet_tree *t, const rwl_parquet_branch *b, rwl_column *out,
                                rwl_error *err) {
    int64_t slots;
    if (b->variant)
        return rwl_parquet_variant_read(t, b, out, err);
    switch (b->field.type.kind) {
    case RWL_TYPE_STRUCT:
        RWL_TRY(append_slots(t, b, out, &slots, err));
        out->length += slots;
        return assemble_children(t, b, out, out->length, err);
    case RWL_TYPE_LIST:
    case RWL_TYPE_MAP:
        return assemble_list(t, b, out, err);
    default:
        return RWL_OK; /* a leaf: done when it was read */
    }
}
