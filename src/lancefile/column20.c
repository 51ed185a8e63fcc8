/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a field of file version 2.0: opened with those below, and the three passes of a round over them. */
#include "lancefile/field20_internal.h"

rwl_status rwl_lance_column20_fail(const rwl_lance_column20 *c, int32_t page, rwl_status st, rwl_error *err) {
    if (st == RWL_OK)
        return st;
    if (page >= 0)
        (void)rwl_error_in(err, st, "column %d, page %d", c->source->column, page);
    else
        (void)rwl_error_in(err, st, "column %d", c->source->column);
    return rwl_error_path(err, st, c->source->file->location);
}

/* --- opening --- */

rwl_status rwl_lance_column20_page(rwl_lance_column20 *c, int32_t index, const rwl_lance_page20 **out,
                                   rwl_error *err) {
    rwl_lance_page20_request request = {c->source->file, c->column, &c->column->pages[index], c->node,
                                        &c->field->arena};
    rwl_status st = RWL_OK;
    if (c->pages[index] == NULL)
        st = rwl_lance_page20_open(&request, &c->pages[index], err);
    st = rwl_arena_refused(&c->field->arena, st, "an encoding of a page", err);
    RWL_TRY(rwl_lance_column20_fail(c, index, st, err));
    *out = c->pages[index];
    return RWL_OK;
}

static rwl_status open_own(rwl_lance_column20 *c, int64_t rows, rwl_error *err) {
    rwl_lancefile *file = c->source->file;
    if (file == NULL)
        return RWL_OK;
    if (file->version != RWL_LANCEFILE_2_0)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: file version %s beside 2.0 in one field",
                        c->node->field.name, rwl_lancefile_version_name(file->version));
    RWL_TRY(rwl_lancefile_column(file, c->field->op, c->source->column, &c->column, err));
    if (c->column->row_count != rows)
        return rwl_lance_column20_fail(c, -1,
                                       rwl_fail(err, RWL_CORRUPT, "%lld rows where there have to be %lld",
                                                (long long)c->column->row_count, (long long)rows),
                                       err);
    c->pages = rwl_arena_array(&c->field->arena, (size_t)c->column->page_count, sizeof *c->pages);
    if (c->pages == NULL)
        return rwl_no_memory(err, (size_t)c->column->page_count * sizeof *c->pages);
    rwl_lance_fetch_init(&c->fetch, file, c->field->op);
    c->is_absent = false;
    return RWL_OK;
}

/* What the column's rows are worth: what is stored, or what they are once put out. */
static void add_row_bytes(rwl_lance_column20 *c, int64_t rows) {
    double stored = 0, output = (double)rows * (1 + rwl_type_width(&c->node->field.type));
    for (int32_t i = 0; c->column != NULL && i < c->column->page_count; i++)
        for (int32_t k = 0; k < c->column->pages[i].buffer_count; k++)
            stored += (double)c->column->pages[i].buffers[k].length;
    c->field->row_bytes += stored > output ? stored : output;
}

static rwl_status open_children(rwl_lance_column20 *c, const rwl_lance_source *sources, int64_t rows,
                                int depth, rwl_error *err) {
    size_t count = (size_t)c->node->child_count;
    c->children = rwl_arena_array(&c->field->arena, count, sizeof *c->children);
    if (c->children == NULL)
        return rwl_no_memory(err, count * sizeof *c->children);
    for (size_t i = 0; i < count; i++) {
        c->child_count = (int32_t)i + 1; /* to be closed from here on */
        rwl_status st = rwl_lance_column20_open(&c->children[i], c->field, &c->node->children[i], sources,
                                                rows, depth + 1, err);
        if (st != RWL_OK)
            return st;
        c->is_absent = c->is_absent && c->children[i].is_absent;
    }
    return RWL_OK;
}

/* Whether texts are lists of bytes, which have a column of their own behind this one: so before binary encodings. */
static rwl_status is_list_of_bytes(rwl_lance_column20 *c, bool *out, rwl_error *err) {
    const rwl_lance_page20 *page;
    *out = false;
    if (c->node->form != RWL_LANCE_BYTES || c->node->is_blob || c->column == NULL ||
        c->column->page_count == 0)
        return RWL_OK;
    RWL_TRY(rwl_lance_column20_page(c, 0, &page, err));
    *out = page->form == RWL_LANCE_PAGE20_LISTS;
    return RWL_OK;
}

static rwl_status open_bytes(rwl_lance_column20 *c, int depth, rwl_error *err) {
    rwl_lance_source *source = rwl_arena_alloc(&c->field->arena, sizeof *source);
    rwl_lance_node *byte = rwl_arena_alloc(&c->field->arena, sizeof *byte);
    c->children = rwl_arena_array(&c->field->arena, 1, sizeof *c->children);
    if (source == NULL || byte == NULL || c->children == NULL)
        return rwl_no_memory(err, sizeof *byte);
    int64_t bytes;
    *source = (rwl_lance_source){c->source->file, c->source->column + 1};
    byte->field = c->node->field;
    byte->field.type = (rwl_type){.kind = RWL_TYPE_FIXED, .length = 1};
    byte->form = RWL_LANCE_FIXED;
    byte->bits = 8;
    byte->logical_type = "fixed_size_binary:1";
    RWL_TRY(rwl_lance_lists20_open(c, &bytes, err));
    c->child_count = 1;
    return rwl_lance_column20_open(&c->children[0], c->field, byte, source, bytes, depth + 1, err);
}

/* Lists, of entries too. */
static bool has_items(const rwl_lance_node *node) {
    return node->form == RWL_LANCE_LIST || node->form == RWL_LANCE_MAP;
}

rwl_status rwl_lance_column20_open(rwl_lance_column20 *c, rwl_lance_field20 *f, const rwl_lance_node *node,
                                   const rwl_lance_source *sources, int64_t rows, int depth, rwl_error *err) {
    c->field = f;
    c->node = node;
    c->source = &sources[node->index];
    c->is_absent = true;
    c->dictionary_page = c->plain_page = -1;
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "fields nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    if (node->refusal != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "field %s: %s", node->field.name, node->refusal);
    if (node->form == RWL_LANCE_LIST && node->dimension > 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "field %s: a fixed-size list of structs in file version 2.0",
                        node->field.name);
    if (node->form == RWL_LANCE_MAP &&
        (node->children[0].form != RWL_LANCE_STRUCT || node->children[0].child_count != 2))
        return rwl_fail(err, RWL_UNSUPPORTED, "field %s: a map whose entries are no struct of two fields",
                        node->field.name);
    RWL_TRY(open_own(c, rows, err));
    add_row_bytes(c, rows);
    if (node->form == RWL_LANCE_STRUCT)
        return open_children(c, sources, rows, depth, err);
    bool has_bytes;
    RWL_TRY(is_list_of_bytes(c, &has_bytes, err));
    if (has_bytes)
        return open_bytes(c, depth, err);
    if (!has_items(node) || c->column == NULL)
        return RWL_OK;
    int64_t items;
    RWL_TRY(rwl_lance_lists20_open(c, &items, err));
    return open_children(c, sources, items, depth, err);
}

void rwl_lance_column20_close(rwl_lance_column20 *c) {
    if (c->field == NULL)
        return;
    for (int32_t i = 0; i < c->child_count; i++)
        rwl_lance_column20_close(&c->children[i]);
    rwl_lance_dictionary20_forget(c);
    rwl_lance_flat20_forget(c);
    rwl_vec_clear(&c->plains, c->field->env);
    rwl_lance_fetch_clear(&c->fetch);
    rwl_vec_clear(&c->parts, c->field->env);
    rwl_vec_clear(&c->items, c->field->env);
}

void rwl_lance_column20_reset(rwl_lance_column20 *c) {
    c->rows = 0;
    c->parts.len = 0;
    c->items.len = 0;
    if (c->column != NULL)
        rwl_lance_fetch_reset(&c->fetch);
    for (int32_t i = 0; i < c->child_count; i++)
        rwl_lance_column20_reset(&c->children[i]);
}

void rwl_lance_column20_stats(const rwl_lance_column20 *c, rwl_lance_read_stats *stats) {
    stats->pages_read += c->pages_read;
    stats->bytes_read += c->fetch.bytes_read;
    stats->requests += c->fetch.requests;
    for (int32_t i = 0; i < c->child_count; i++)
        rwl_lance_column20_stats(&c->children[i], stats);
}

/* --- aim --- */

rwl_status rwl_lance_part20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    switch (part->page->form) {
    case RWL_LANCE_PAGE20_VALUES:
    case RWL_LANCE_PAGE20_PACKED:
    case RWL_LANCE_PAGE20_EVEN:
        return rwl_lance_values20_aim(c, part, err);
    case RWL_LANCE_PAGE20_BYTES:
    case RWL_LANCE_PAGE20_BLOBS:
        return rwl_lance_bytes20_aim(c, part, err);
    case RWL_LANCE_PAGE20_DICTIONARY:
        return rwl_lance_dictionary20_aim(c, part, err);
    case RWL_LANCE_PAGE20_LISTS:
        return rwl_lance_lists20_aim(c, part, err);
    default: /* nothing to read */
        (void)rwl_lance_field20_count(c->field, part->count);
        return RWL_OK;
    }
}

/* The rows of a range, page by page. */
static rwl_status aim_range(rwl_lance_column20 *c, rwl_range range, rwl_error *err) {
    int32_t index = rwl_lance_column_page(c->column, range.start);
    for (int64_t row = range.start, left = range.count; left > 0; index++) {
        const rwl_lance_page *page = &c->column->pages[index];
        rwl_lance_part20 part = {.index = index, .first = row - page->first_row};
        part.count = page->row_count - part.first < left ? page->row_count - part.first : left;
        row += part.count;
        left -= part.count;
        if (part.count == 0)
            continue;
        RWL_TRY(rwl_lance_column20_page(c, index, &part.page, err));
        RWL_TRY(rwl_lance_column20_fail(c, index, rwl_lance_part20_aim(c, &part, err), err));
        c->pages_read += c->parts.len == 0 || c->parts.items[c->parts.len - 1].index != index;
        RWL_TRY(rwl_vec_push(&c->parts, c->field->env, part, err));
    }
    return RWL_OK;
}

static bool is_too_big(const rwl_lance_field20 *f) {
    return f->bytes > f->limit;
}

rwl_status rwl_lance_column20_aim(rwl_lance_column20 *c, const rwl_range *ranges, size_t count,
                                  rwl_error *err) {
    for (size_t i = 0; i < count; i++)
        c->rows += ranges[i].count;
    if (c->column == NULL)
        (void)rwl_lance_field20_count(c->field, c->rows);
    for (size_t i = 0; c->column != NULL && i < count && !is_too_big(c->field); i++)
        RWL_TRY(aim_range(c, ranges[i], err));
    if (c->column != NULL)
        RWL_TRY(rwl_lance_column20_fail(c, -1, rwl_lance_fetch_submit(&c->fetch, err), err));
    bool is_struct = c->node->form == RWL_LANCE_STRUCT;
    for (int32_t i = 0; is_struct && i < c->child_count && !is_too_big(c->field); i++)
        RWL_TRY(rwl_lance_column20_aim(&c->children[i], ranges, count, err));
    return RWL_OK;
}

/* --- measure --- */

rwl_status rwl_lance_part20_measure(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    switch (part->page->form) {
    case RWL_LANCE_PAGE20_BYTES:
    case RWL_LANCE_PAGE20_BLOBS:
        return rwl_lance_bytes20_measure(c, part, err);
    case RWL_LANCE_PAGE20_DICTIONARY:
        return rwl_lance_dictionary20_measure(c, part, err);
    case RWL_LANCE_PAGE20_LISTS:
        return rwl_lance_lists20_measure(c, part, err);
    default:
        return RWL_OK;
    }
}

rwl_status rwl_lance_column20_measure(rwl_lance_column20 *c, rwl_error *err) {
    for (size_t i = 0; i < c->parts.len && !is_too_big(c->field); i++) {
        rwl_lance_part20 *part = &c->parts.items[i];
        RWL_TRY(rwl_lance_column20_fail(c, part->index, rwl_lance_part20_measure(c, part, err), err));
    }
    if (is_too_big(c->field))
        return RWL_OK;
    if (c->column != NULL)
        RWL_TRY(rwl_lance_column20_fail(c, -1, rwl_lance_fetch_submit(&c->fetch, err), err));
    if (c->node->form != RWL_LANCE_STRUCT && c->child_count > 0)
        RWL_TRY(rwl_lance_column20_aim(&c->children[0], c->items.items, c->items.len, err));
    for (int32_t i = 0; i < c->child_count && !is_too_big(c->field); i++)
        RWL_TRY(rwl_lance_column20_measure(&c->children[i], err));
    return RWL_OK;
}

/* --- append --- */

rwl_status rwl_lance_part20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                                   rwl_error *err) {
    switch (part->page->form) {
    case RWL_LANCE_PAGE20_VALUES:
    case RWL_LANCE_PAGE20_PACKED:
        return rwl_lance_values20_append(c, part, out, err);
    case RWL_LANCE_PAGE20_LISTS:
        return rwl_lance_lists20_append(c, part, out, err);
    case RWL_LANCE_PAGE20_NULLS:
        return rwl_lance_append_nulls(c->field->env, out, part->count, err);
    case RWL_LANCE_PAGE20_STRUCTS:
        return RWL_OK; /* all at once */
    case RWL_LANCE_PAGE20_DICTIONARY:
        return rwl_lance_dictionary20_append(c, part, out, err);
    default:
        return rwl_lance_bytes20_append(c, part, out, err);
    }
}

/* Structs are never null in this version; pages of nulls are what a column of nulls has. */
static rwl_status append_structs(rwl_lance_column20 *c, rwl_column *out, rwl_error *err) {
    RWL_TRY(rwl_column_reserve(out, c->field->env, out->length + c->rows, 0, err));
    RWL_TRY(rwl_lance_append_validity(c->field->env, out, NULL, c->rows, err));
    for (int32_t i = 0; i < c->child_count; i++)
        RWL_TRY(rwl_lance_column20_append(&c->children[i], &out->children[i], err));
    out->length += c->rows;
    return RWL_OK;
}

/* Keys and values of a map, which the output has without a struct around them. */
static rwl_status append_entries(rwl_lance_column20 *c, rwl_column *out, rwl_error *err) {
    rwl_lance_column20 *entries = &c->children[0];
    for (int32_t i = 0; i < entries->child_count; i++)
        RWL_TRY(rwl_lance_column20_append(&entries->children[i], &out->children[i], err));
    return out->children[0].null_count == 0
               ? (rwl_status)RWL_OK
               : rwl_lance_column20_fail(c, -1, rwl_fail(err, RWL_CORRUPT, "a map with a null key"), err);
}

/* The bytes behind ends that are there already. */
static rwl_status append_bytes(rwl_lance_column20 *c, rwl_column *out, rwl_error *err) {
    const rwl_env *env = c->field->env;
    rwl_column bytes;
    rwl_column_init_flat(&bytes, &c->children[0].node->field.type);
    rwl_status st = rwl_lance_column20_append(&c->children[0], &bytes, err);
    if (st == RWL_OK && bytes.null_count > 0)
        st = rwl_lance_column20_fail(c, -1, rwl_fail(err, RWL_CORRUPT, "a text with a null byte"), err);
    if (st == RWL_OK)
        st = rwl_column_reserve(out, env, out->length, out->bytes_len + (size_t)bytes.length, err);
    if (st == RWL_OK && bytes.length > 0) {
        memcpy(out->values.data + out->bytes_len, bytes.values.data, (size_t)bytes.length);
        out->bytes_len += (size_t)bytes.length;
    }
    rwl_column_clear(&bytes, env);
    return st;
}

rwl_status rwl_lance_column20_append(rwl_lance_column20 *c, rwl_column *out, rwl_error *err) {
    if (c->is_absent)
        return rwl_lance_append_nulls(c->field->env, out, c->rows, err);
    if (c->node->form == RWL_LANCE_STRUCT)
        return append_structs(c, out, err);
    for (size_t i = 0; i < c->parts.len; i++) {
        const rwl_lance_part20 *part = &c->parts.items[i];
        RWL_TRY(rwl_lance_column20_fail(c, part->index, rwl_lance_part20_append(c, part, out, err), err));
    }
    if (c->child_count == 0)
        return RWL_OK;
    if (c->node->form == RWL_LANCE_BYTES)
        return append_bytes(c, out, err);
    return c->node->form == RWL_LANCE_MAP
               ? append_entries(c, out, err)
               : rwl_lance_column20_append(&c->children[0], &out->children[0], err);
}
