/* SPDX-License-Identifier: Apache-2.0 */
/* A field of files 2.1 and 2.2: its leaf columns, read side by side and put together. */
#include "lancefile/assemble.h"
#include "lancefile/field_internal.h"
#include "lancefile/leaf_cursor.h"

enum {
    NARROWER = 16, /* rows of a step that was too much, divided by this */
    TOO_MUCH = 2,  /* times what a batch is to have */
    TOO_MUCH_MIN = 4 * 1024 * 1024
};

typedef struct field21 {
    rwl_lance_field_reader base;
    rwl_op *op;
    const rwl_lance_node *node;
    rwl_lance_leaf_cursor *cursors; /* of the leaves that a file has */
    int32_t cursor_count;
    rwl_lance_leaf *empties; /* likewise, of structs without fields: items and nothing else */
    int32_t empty_count;
    rwl_lance_leaf **leaves; /* by node index; NULL where no file has it */
    rwl_lance_assembler assembler;
    RWL_VEC(rwl_range) ranges; /* of the step */
    RWL_VEC(rwl_range) wide;   /* the same, of the entries of a column that has several a row */
    int64_t wanted;            /* rows of it */
} field21;

static const rwl_lance_field_vtable VTABLE;

/* --- set-up --- */

static bool is_leaf(const rwl_lance_node *node) {
    return node->form != RWL_LANCE_STRUCT && node->form != RWL_LANCE_LIST && node->form != RWL_LANCE_MAP;
}

static bool is_empty(const rwl_lance_node *node) {
    return node->form == RWL_LANCE_STRUCT && node->child_count == 0 && node->node_count == 1;
}

/* Counts the leaves below a node, and the greatest index. */
static rwl_status measure(const rwl_lance_node *node, int depth, int32_t *leaves, int32_t *last,
                          rwl_error *err) {
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a field nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    *last = node->index > *last ? node->index : *last;
    if (is_leaf(node)) {
        ++*leaves;
        return RWL_OK;
    }
    if (is_empty(node))
        ++*leaves;
    else if (node->child_count == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "a struct of whose fields none is wanted");
    for (int32_t i = 0; i < node->child_count; i++)
        RWL_TRY(measure(&node->children[i], depth + 1, leaves, last, err));
    return RWL_OK;
}

/* One layer, whatever is around, and no levels: such a struct is never null. */
static bool has_no_levels(const rwl_lance_page *page, const rwl_lance_layout *layout) {
    return layout->kind == RWL_LANCE_LAYOUT_CONSTANT && !layout->has_value && layout->layer_count == 1 &&
           (layout->layers[0] == RWL_LANCE_LAYER_ITEM ||
            layout->layers[0] == RWL_LANCE_LAYER_NULLABLE_ITEM) &&
           page->buffer_count == 0;
}

static rwl_status check_empty(field21 *f, rwl_lance_source source, int64_t entries, rwl_error *err) {
    const rwl_lance_column *column;
    RWL_TRY(rwl_lancefile_column(source.file, f->op, source.column, &column, err));
    rwl_status st = RWL_OK;
    if (column->row_count != entries)
        st = rwl_fail(err, RWL_CORRUPT, "column %d has %lld rows, the fragment %lld", source.column,
                      (long long)column->row_count, (long long)entries);
    for (int32_t i = 0; i < column->page_count && st == RWL_OK; i++) {
        rwl_arena arena;
        rwl_lance_layout layout;
        rwl_arena_init(&arena, f->op->env, 0);
        rwl_arena_charge(&arena, f->op);
        st = rwl_lance_layout_parse(column->pages[i].encoding, &arena, &layout, err);
        st = rwl_arena_refused(&arena, st, "an encoding of a page", err);
        if (st == RWL_OK && !has_no_levels(&column->pages[i], &layout))
            st = rwl_fail(err, RWL_UNSUPPORTED, "a struct without fields that has levels");
        if (st != RWL_OK)
            st = rwl_error_in(err, st, "column %d, page %d", source.column, i);
        rwl_arena_clear(&arena);
    }
    return st == RWL_OK ? RWL_OK : rwl_error_path(err, st, source.file->location);
}

static rwl_status open_empty(field21 *f, const rwl_lance_node *node, rwl_lance_source source,
                             int64_t row_count, rwl_error *err) {
    rwl_lance_leaf *leaf = &f->empties[f->empty_count++];
    f->leaves[node->index] = leaf;
    RWL_TRY(rwl_lance_leaf_init(leaf, f->op->env, node, err));
    if (leaf->list_count > 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "structs without fields in a list");
    return check_empty(f, source, rwl_lance_leaf_entries(leaf, row_count), err);
}

/* Opens a cursor for each leaf that a file has; `measure` has made sure of depth and room. */
static rwl_status open_leaves(field21 *f, const rwl_lance_read_field *field, const rwl_lance_node *node,
                              int64_t row_count, rwl_error *err) {
    for (int32_t i = 0; !is_leaf(node) && i < node->child_count; i++)
        RWL_TRY(open_leaves(f, field, &node->children[i], row_count, err));
    rwl_lance_source source = field->sources[node->index];
    if (is_empty(node) && source.file != NULL)
        return open_empty(f, node, source, row_count, err);
    if (!is_leaf(node) || source.file == NULL)
        return RWL_OK;
    rwl_lance_leaf_cursor *cursor = &f->cursors[f->cursor_count++];
    f->leaves[node->index] = &cursor->leaf;
    RWL_TRY(rwl_lance_cursor_open(cursor, f->op, node, source, row_count, err));
    cursor->leaf.charge = &f->base.charge;
    return RWL_OK;
}

static void close_field(rwl_lance_field_reader *field) {
    field21 *f = (field21 *)field;
    for (int32_t i = 0; i < f->cursor_count; i++)
        rwl_lance_cursor_clear(&f->cursors[i]);
    rwl_free(f->op->env, f->cursors);
    rwl_free(f->op->env, (void *)f->leaves);
    for (int32_t i = 0; i < f->empty_count; i++)
        rwl_lance_leaf_clear(&f->empties[i]);
    rwl_free(f->op->env, f->empties);
    rwl_vec_clear(&f->wide, f->op->env);
    rwl_lance_assembler_clear(&f->assembler);
    rwl_vec_clear(&f->ranges, f->op->env);
    rwl_lance_charge_clear(&f->base.charge);
    rwl_free(f->op->env, f);
}

rwl_status rwl_lance_field21_open(rwl_op *op, const rwl_lance_read_field *field, int64_t row_count,
                                  rwl_lance_field_reader **out, rwl_error *err) {
    int32_t leaves = 0, last = 0;
    *out = NULL;
    RWL_TRY(measure(field->node, 0, &leaves, &last, err));
    field21 *f = rwl_calloc(op->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->base.vtable = &VTABLE;
    f->op = f->base.charge.op = op;
    f->node = field->node;
    rwl_lance_assembler_init(&f->assembler, op->env);
    f->cursors = rwl_calloc(op->env, (size_t)leaves, sizeof *f->cursors);
    f->leaves = (rwl_lance_leaf **)rwl_calloc(op->env, (size_t)last + 1, sizeof *f->leaves);
    f->empties = rwl_calloc(op->env, (size_t)leaves, sizeof *f->empties);
    rwl_status st = f->cursors != NULL && f->leaves != NULL && f->empties != NULL
                        ? open_leaves(f, field, field->node, row_count, err)
                        : rwl_no_memory(err, (size_t)leaves * sizeof *f->cursors);
    if (st != RWL_OK) {
        close_field(&f->base);
        return st;
    }
    *out = &f->base;
    return RWL_OK;
}

/* --- steps --- */

/* The ranges as the cursor's column counts. */
static rwl_status widen(field21 *f, const rwl_lance_leaf_cursor *cursor, const rwl_range *rows, size_t count,
                        const rwl_range **out, rwl_error *err) {
    int64_t per_row = cursor->leaf.per_row;
    *out = rows;
    if (per_row == 1)
        return RWL_OK;
    f->wide.len = 0;
    RWL_TRY(rwl_vec_reserve(&f->wide, f->op->env, count, err));
    for (size_t i = 0; i < count; i++) /* of rows that the column has */
        f->wide.items[i] = (rwl_range){rows[i].start * per_row, rows[i].count * per_row};
    f->wide.len = count;
    *out = f->wide.items;
    return RWL_OK;
}

/* What all leaves together are is shared out between them as they need it. */
static rwl_status fit_field(rwl_lance_field_reader *field, const rwl_range *rows, size_t count,
                            size_t bytes_max, int64_t *out, rwl_error *err) {
    field21 *f = (field21 *)field;
    int64_t fits = rwl_lance_count_rows(rows, count);
    double total = 0, each;
    for (int32_t i = 0; i < f->cursor_count; i++) {
        int64_t within;
        const rwl_range *ranges;
        RWL_TRY(widen(f, &f->cursors[i], rows, count, &ranges, err));
        RWL_TRY(rwl_lance_cursor_fit(&f->cursors[i], ranges, count, (double)bytes_max, &within, &each, err));
        within /= f->cursors[i].leaf.per_row;
        within = within > 0 ? within : 1;
        fits = within < fits ? within : fits;
        total += within > 0 ? each / (double)within : 0;
    }
    if (total * (double)fits > (double)bytes_max)
        fits = (int64_t)((double)bytes_max / total);
    *out = fits > 1 ? fits : 1;
    return RWL_OK;
}

/* Wants the ranges; fewer of them when they are too much for the budget at once. */
static rwl_status want_ranges(field21 *f, rwl_error *err) {
    for (;;) {
        rwl_status st = RWL_OK;
        for (int32_t i = 0; i < f->cursor_count && st == RWL_OK; i++) {
            const rwl_range *ranges;
            st = widen(f, &f->cursors[i], f->ranges.items, f->ranges.len, &ranges, err);
            if (st == RWL_OK)
                st = rwl_lance_cursor_want(&f->cursors[i], ranges, f->ranges.len, err);
        }
        if (st != RWL_UNSUPPORTED || f->wanted <= 1)
            return st;
        f->wanted = f->wanted > NARROWER ? f->wanted / NARROWER : 1;
        f->ranges.len = rwl_lance_cut_ranges(f->ranges.items, f->ranges.len, f->wanted);
    }
}

static rwl_status want_field(rwl_lance_field_reader *field, const rwl_range *rows, size_t count,
                             rwl_error *err) {
    field21 *f = (field21 *)field;
    f->ranges.len = 0;
    RWL_TRY(rwl_vec_reserve(&f->ranges, f->op->env, count, err));
    if (count > 0)
        memcpy(f->ranges.items, rows, count * sizeof *rows);
    f->ranges.len = count;
    f->wanted = rwl_lance_count_rows(rows, count);
    return want_ranges(f, err);
}

/* Reads the leaves. What no batch can hold in so many rows, or is far more than it was thought to be, is tried in fewer. */
static rwl_status read_leaves(field21 *f, size_t bytes_max, rwl_error *err) {
    int64_t too_much = bytes_max > TOO_MUCH_MIN ? (int64_t)bytes_max * TOO_MUCH : TOO_MUCH_MIN * TOO_MUCH;
    for (;;) {
        rwl_status st = RWL_OK;
        for (int32_t i = 0; i < f->cursor_count; i++)
            f->cursors[i].leaf.bytes_max = f->wanted > 1 ? too_much : 0;
        for (int32_t i = 0; i < f->cursor_count && st == RWL_OK; i++)
            st = rwl_lance_cursor_read(&f->cursors[i], err);
        if (st != RWL_UNSUPPORTED || f->wanted <= 1)
            return st;
        f->wanted = f->wanted > NARROWER ? f->wanted / NARROWER : 1;
        f->ranges.len = rwl_lance_cut_ranges(f->ranges.items, f->ranges.len, f->wanted);
        RWL_TRY(want_ranges(f, err));
    }
}

/* Counts what leaves and batch hold. A leaf that is the field decodes into the batch's own buffers, when they are the larger ones. */
static rwl_status take_buffers(field21 *f, rwl_column *out, rwl_error *err) {
    int64_t held = 0;
    rwl_column *values = f->cursor_count > 0 ? &f->cursors[0].leaf.values : NULL;
    if (is_leaf(f->node) && values != NULL && values->values.cap < out->values.cap) {
        rwl_buffer larger = out->values;
        out->values = values->values;
        values->values = larger;
    }
    for (int32_t i = 0; i < f->cursor_count; i++)
        held += (int64_t)f->cursors[i].leaf.values.values.cap;
    bool fits;
    RWL_TRY(rwl_lance_charge_batch(&f->base.charge, held, out, &fits, err));
    for (int32_t i = 0; i < f->cursor_count && !fits; i++)
        rwl_column_clear(&f->cursors[i].leaf.values, f->op->env);
    return RWL_OK;
}

static rwl_status read_field(rwl_lance_field_reader *field, size_t bytes_max, rwl_column *out,
                             rwl_error *err) {
    field21 *f = (field21 *)field;
    rwl_column_reset(out);
    RWL_TRY(take_buffers(f, out, err));
    RWL_TRY(read_leaves(f, bytes_max, err));
    for (int32_t i = 0; i < f->empty_count; i++)
        f->empties[i].entries = f->empties[i].rows = f->wanted * f->empties[i].per_row;
    rwl_status st = rwl_lance_assemble(&f->assembler, f->node, f->leaves, f->wanted, out, err);
    if (st != RWL_OK)
        return f->cursor_count == 0 ? st : rwl_error_path(err, st, f->cursors[0].source.file->location);
    memset(&f->base.stats, 0, sizeof f->base.stats);
    for (int32_t i = 0; i < f->cursor_count; i++)
        rwl_lance_cursor_stats(&f->cursors[i], &f->base.stats);
    return rwl_lance_cut_column(f->op->env, out, rwl_lance_rows_within(out, bytes_max), err);
}

static const rwl_lance_field_vtable VTABLE = {
    .want = want_field, .read = read_field, .close = close_field, .fit = fit_field};
