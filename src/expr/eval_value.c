/* SPDX-License-Identifier: Apache-2.0 */
/* Values on rows: a column at a time, each branch of CASE and COALESCE only where rows come to it. */
#include "column/bits.h"
#include "expr/eval_internal.h"

void rwl_operand_clear(rwl_operand *operand, const rwl_env *env) {
    rwl_column_clear(&operand->own, env);
}

/* --- choosing rows --- */

static bool any_bit(const uint64_t *bits, size_t words) {
    for (size_t w = 0; w < words; w++) {
        if (bits[w] != 0)
            return true;
    }
    return false;
}

static void start_bits(const rwl_evaluation *e, const uint64_t *active, uint64_t *bits) {
    if (active != NULL)
        memcpy(bits, active, e->words * 8);
    else
        memset(bits, 0xFF, e->words * 8);
    if (e->length % 64 != 0)
        bits[e->words - 1] &= (UINT64_C(1) << (e->length % 64)) - 1;
}

/* Copies the slots of rows in `mask`, none of them null. */
static void take_fixed(const rwl_evaluation *e, const rwl_column *from, const uint64_t *mask,
                       rwl_column *out) {
    size_t width = (size_t)rwl_type_width(&out->type);
    for (int64_t i = 0; i < e->length; i++) {
        if (!rwl_eval_wants(mask, i))
            continue;
        rwl_bit_set(out->validity.data, i);
        if (width > 0)
            memcpy(out->values.data + (size_t)i * width, from->values.data + (size_t)i * width, width);
        else if (rwl_bit_get(from->values.data, i)) /* booleans */
            rwl_bit_set(out->values.data, i);
    }
    out->null_count = e->length - rwl_bits_count(out->validity.data, 0, e->length);
}

/* Texts do not change in place: the column is put together anew. */
static rwl_status take_texts(const rwl_evaluation *e, const rwl_column *from, const uint64_t *mask,
                             rwl_column *out) {
    rwl_column made;
    rwl_column_init_flat(&made, &out->type);
    rwl_status st = rwl_column_reserve(&made, e->env, e->length, from->bytes_len, e->err);
    for (int64_t i = 0; i < e->length && st == RWL_OK; i++) {
        rwl_value v = rwl_column_value(rwl_eval_wants(mask, i) ? from : out, i);
        st = rwl_column_append(&made, e->env, &v, 1, e->err);
    }
    rwl_column_swap(out, &made);
    rwl_column_clear(&made, e->env);
    return st;
}

/* Takes rows of `mask` that have a value, and leaves in `mask` those. */
static rwl_status take_rows(const rwl_evaluation *e, const rwl_column *from, uint64_t *mask,
                            rwl_column *out) {
    for (size_t w = 0; from->null_count > 0 && w < e->words; w++)
        mask[w] &= rwl_eval_load_word(from->validity.data, w, e->length);
    if (!any_bit(mask, e->words))
        return RWL_OK;
    if (rwl_type_is_bytes(&out->type))
        return take_texts(e, from, mask, out);
    take_fixed(e, from, mask, out);
    return RWL_OK;
}

/* Row by row the first item whose condition holds (CHOICE) or that is not null (COALESCE). */
static rwl_status choose(const rwl_evaluation *e, const rwl_value_node *v, uint64_t *left, uint64_t *taken,
                         rwl_column *out) {
    rwl_value null = rwl_value_null(v->type.kind);
    RWL_TRY(rwl_column_append(out, e->env, &null, e->length, e->err));
    for (size_t k = 0; k < v->item_count && any_bit(left, e->words); k++) {
        rwl_operand item;
        memcpy(taken, left, e->words * 8);
        if (k < v->condition_count)
            RWL_TRY(rwl_eval_condition(e, v->conditions[k], left, taken));
        for (size_t w = 0; w < e->words; w++) {
            taken[w] &= left[w];
            left[w] &= v->kind == RWL_VALUE_CHOICE ? ~taken[w] : UINT64_MAX;
        }
        if (!any_bit(taken, e->words) || v->type.kind == RWL_TYPE_UNKNOWN)
            continue;
        rwl_status st = rwl_eval_operand(e, v->items[k], taken, &item);
        if (st == RWL_OK)
            st = take_rows(e, item.column, taken, out);
        rwl_operand_clear(&item, e->env);
        RWL_TRY(st);
        for (size_t w = 0; v->kind == RWL_VALUE_COALESCE && w < e->words; w++)
            left[w] &= ~taken[w];
    }
    return RWL_OK;
}

static rwl_status eval_choice(const rwl_evaluation *e, const rwl_value_node *v, const uint64_t *active,
                              rwl_column *out) {
    uint64_t *bits = rwl_alloc(e->env, 2 * e->words * 8);
    if (bits == NULL)
        return rwl_no_memory(e->err, 2 * e->words * 8);
    start_bits(e, active, bits);
    rwl_status st = choose(e, v, bits, bits + e->words, out);
    rwl_free(e->env, bits);
    return st;
}

/* --- conditions as values --- */

static rwl_status eval_truth(const rwl_evaluation *e, const rwl_value_node *v, const uint64_t *active,
                             rwl_column *out) {
    uint64_t *bits = rwl_alloc(e->env, 2 * e->words * 8);
    if (bits == NULL)
        return rwl_no_memory(e->err, 2 * e->words * 8);
    size_t bytes = rwl_bits_bytes(e->length);
    rwl_status st = rwl_column_reserve(out, e->env, e->length, 0, e->err);
    if (st == RWL_OK)
        st = rwl_column_need_validity(out, e->env, e->length, e->err);
    if (st == RWL_OK)
        st = rwl_eval_condition(e, v->conditions[0], active, bits);
    if (st == RWL_OK)
        st = rwl_eval_condition(e, v->conditions[1], active, bits + e->words);
    if (st == RWL_OK) {
        memcpy(out->values.data, bits, bytes);
        for (size_t w = 0; w < e->words; w++)
            bits[w] |= bits[e->words + w];
        memcpy(out->validity.data, bits, bytes);
        out->length = e->length;
        out->null_count = e->length - rwl_bits_count(out->validity.data, 0, e->length);
    }
    rwl_free(e->env, bits);
    return st;
}

/* --- operands --- */

static rwl_status eval_items(const rwl_evaluation *e, const rwl_value_node *v, const uint64_t *active,
                             rwl_column *out) {
    rwl_operand a;
    rwl_operand b;
    rwl_status st = rwl_eval_operand(e, v->items[0], active, &a);
    rwl_column_init_flat(&b.own, &v->type);
    if (st == RWL_OK && v->kind == RWL_VALUE_ARITHMETIC) {
        st = rwl_eval_operand(e, v->items[1], active, &b);
        if (st == RWL_OK)
            st = rwl_eval_arithmetic(e, v, a.column, b.column, active, out);
    } else if (st == RWL_OK && v->kind == RWL_VALUE_NEGATE) {
        st = rwl_eval_negate(e, v, a.column, active, out);
    } else if (st == RWL_OK) {
        st = rwl_eval_cast(e, v, a.column, active, out);
    }
    rwl_operand_clear(&a, e->env);
    rwl_operand_clear(&b, e->env);
    return st;
}

static const rwl_column *find_slot(const rwl_evaluation *e, const rwl_value_node *v) {
    const rwl_slot *slot = e->slots;
    while (slot->node != v) /* bound inside its LET */
        slot = slot->next;
    return slot->column;
}

rwl_status rwl_eval_operand(const rwl_evaluation *e, const rwl_value_node *v, const uint64_t *active,
                            rwl_operand *out) {
    rwl_type none = rwl_type_of(RWL_TYPE_UNKNOWN);
    rwl_column_init_flat(&out->own, rwl_type_is_nested(&v->type) ? &none : &v->type);
    out->column = &out->own;
    switch (v->kind) {
    case RWL_VALUE_COLUMN:
        out->column = e->columns[v->column];
        return RWL_OK;
    case RWL_VALUE_SLOT:
        out->column = find_slot(e, v);
        return RWL_OK;
    case RWL_VALUE_CONSTANT:
        return rwl_column_append(&out->own, e->env, &v->constant, e->length, e->err);
    case RWL_VALUE_CHOICE:
    case RWL_VALUE_COALESCE:
        return eval_choice(e, v, active, &out->own);
    case RWL_VALUE_CONDITION:
        return eval_truth(e, v, active, &out->own);
    default:
        return eval_items(e, v, active, &out->own);
    }
}

rwl_status rwl_value_eval_constant(const rwl_value_node *v, rwl_arena *arena, rwl_value *out,
                                   rwl_error *err) {
    rwl_evaluation e = {NULL, 1, 1, arena->env, err, NULL, true};
    rwl_operand result;
    rwl_status st = rwl_eval_operand(&e, v, NULL, &result);
    if (st == RWL_OK) {
        rwl_value value = rwl_column_value(result.column, 0);
        if (!rwl_value_copy(arena, &value, out))
            st = rwl_no_memory(err, sizeof value);
    }
    rwl_operand_clear(&result, arena->env);
    return st;
}

/* --- a whole value --- */

static rwl_status check_columns(const rwl_bound_value *bound, const rwl_column *const *columns,
                                int64_t length, rwl_error *err) {
    for (int32_t i = 0; i < bound->column_count; i++) {
        int32_t at = bound->columns[i];
        const rwl_type *type = &bound->fields[at].type;
        const rwl_column *c = columns[at];
        if (c == NULL || c->type.kind != type->kind || rwl_type_width(&c->type) != rwl_type_width(type) ||
            c->length != length)
            return rwl_fail(err, RWL_INTERNAL, "expression on column '%s' was given another one",
                            bound->fields[at].name);
    }
    return RWL_OK;
}

rwl_status rwl_expr_eval_value(const rwl_bound_value *bound, const rwl_column *const *columns, int64_t length,
                               const rwl_env *env, rwl_column *out, rwl_error *err) {
    RWL_TRY(check_columns(bound, columns, length, err));
    const rwl_value_node *v = bound->root;
    rwl_evaluation e = {columns, length, rwl_expr_bits_size(length) / 8, env, err, NULL, true};
    rwl_column_reset(out);
    if (length == 0)
        return RWL_OK;
    if (v->kind == RWL_VALUE_COLUMN) {
        rwl_range all = {0, length};
        return rwl_column_take_ranges(columns[v->column], &all, 1, out, env, err);
    }
    if (v->kind == RWL_VALUE_CONSTANT)
        return rwl_column_append(out, env, &v->constant, length, err);
    rwl_operand result;
    rwl_status st = rwl_eval_operand(&e, v, NULL, &result);
    if (st == RWL_OK)
        rwl_column_swap(out, &result.own);
    rwl_operand_clear(&result, env);
    return st;
}
