/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A struct whose fields lie in several files, perhaps of different versions, or a list of such: what each file has is read by itself,
 * then all is put together. Lists have to be the same in all. A struct is there where one file has it, as in Lance; of 2.0, which knows
 * no null structs, that is everywhere.
 */
#include "column/bits.h"
#include "lancefile/field_internal.h"

enum { FILES_MAX = 32 };

/* The field cut down to what lies in one file. */
typedef struct part {
    const rwl_lancefile *file;
    rwl_lance_node node;
    rwl_lance_field_reader *reader;
    rwl_column column;
} part;

typedef struct field_split {
    rwl_lance_field_reader base;
    rwl_op *op;
    rwl_arena arena;
    rwl_buf bits; /* validity on its way */
    const rwl_lance_node *node;
    part parts[FILES_MAX];
    int count;
} field_split;

/* A field at the same place in each part; NULL where a part has none of it. */
typedef struct pieces {
    const rwl_lance_node *nodes[FILES_MAX];
    rwl_column *columns[FILES_MAX];
} pieces;

static const rwl_lance_field_vtable VTABLE;

/* --- which file has what --- */

/* Whether it may be in several parts. */
static bool is_split(const rwl_lance_node *node) {
    while (node->form == RWL_LANCE_LIST && node->dimension == 0 && node->child_count == 1)
        node = &node->children[0];
    return node->form == RWL_LANCE_STRUCT && node->child_count > 0;
}

/* Versions of the files that a field and what is below it lie in; *file is the first of them. */
static void look_at(const rwl_lance_read_field *field, const rwl_lance_node *node, const rwl_lancefile **file,
                    bool *has_20, bool *has_later) {
    const rwl_lancefile *own = node->index >= 0 ? field->sources[node->index].file : NULL;
    *file = *file == NULL ? own : *file;
    *has_20 |= own != NULL && own->version == RWL_LANCEFILE_2_0;
    *has_later |= own != NULL && own->version != RWL_LANCEFILE_2_0;
    bool has_nodes = node->form != RWL_LANCE_VECTOR && node->form != RWL_LANCE_PACKED;
    for (int32_t i = 0; has_nodes && i < node->child_count; i++) /* no deeper than reader.c allowed */
        look_at(field, &node->children[i], file, has_20, has_later);
}

/* The part of a file, made when it is a new one. */
static rwl_status part_of(field_split *f, const rwl_lancefile *file, int *out, rwl_error *err) {
    for (*out = 0; *out < f->count; ++*out)
        if (f->parts[*out].file == file)
            return RWL_OK;
    if (f->count == FILES_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a struct whose fields lie in more than %d files", FILES_MAX);
    f->parts[f->count++].file = file;
    return RWL_OK;
}

/* Parts that have something of a field, a bit each; none of what lies in no file. Structs and their lists are where the fields are,
 * anything else is in one part. */
static rwl_status parts_of(field_split *f, const rwl_lance_read_field *field, const rwl_lance_node *node,
                           uint32_t *out, rwl_error *err) {
    for (int32_t i = 0; is_split(node) && i < node->child_count; i++)
        RWL_TRY(parts_of(f, field, &node->children[i], out, err));
    if (is_split(node))
        return RWL_OK;
    const rwl_lancefile *file = NULL;
    bool has_20 = false, has_later = false;
    int number;
    look_at(field, node, &file, &has_20, &has_later);
    if (has_20 && has_later)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "%s: in files of version 2.0 and of later ones, but not a struct", node->field.name);
    if (file == NULL)
        return RWL_OK;
    RWL_TRY(part_of(f, file, &number, err));
    *out |= UINT32_C(1) << number;
    return RWL_OK;
}

/* --- set-up --- */

/* The type of what lies in a part. What lies nowhere goes with the first part that has something of the struct, so that nothing of
 * it is in others. */
static rwl_status cut_type(field_split *f, const rwl_lance_read_field *field, const rwl_lance_node *node,
                           int number, rwl_type *out, rwl_error *err) {
    uint32_t own = 0, number_bit = UINT32_C(1) << number;
    *out = node->field.type;
    if (!is_split(node))
        return RWL_OK;
    RWL_TRY(parts_of(f, field, node, &own, err));
    uint32_t first = own != 0 ? own & (~own + 1) : number_bit;
    rwl_field *fields = rwl_arena_array(&f->arena, (size_t)node->child_count, sizeof *fields);
    if (fields == NULL)
        return rwl_no_memory(err, (size_t)node->child_count * sizeof *fields);
    int32_t count = 0;
    for (int32_t i = 0; i < node->child_count; i++) {
        uint32_t parts = 0;
        RWL_TRY(parts_of(f, field, &node->children[i], &parts, err));
        if (((parts != 0 ? parts : first) & number_bit) == 0)
            continue;
        fields[count] = node->children[i].field;
        RWL_TRY(cut_type(f, field, &node->children[i], number, &fields[count].type, err));
        count++;
    }
    out->children = fields;
    out->child_count = count;
    return RWL_OK;
}

static rwl_status open_part(field_split *f, const rwl_lance_read_field *field, int number, int64_t row_count,
                            rwl_error *err) {
    part *p = &f->parts[number];
    rwl_type type;
    RWL_TRY(cut_type(f, field, field->node, number, &type, err));
    RWL_TRY(rwl_lance_node_cut(field->node, &type, &f->arena, &p->node, err));
    RWL_TRY(rwl_column_init(&p->column, f->op->env, &p->node.field.type, err));
    rwl_lance_read_field own = *field;
    own.node = &p->node;
    return p->file->version == RWL_LANCEFILE_2_0
               ? rwl_lance_field20_open(f->op, &own, row_count, &p->reader, err)
               : rwl_lance_field21_open(f->op, &own, row_count, &p->reader, err);
}

static void close_field(rwl_lance_field_reader *field) {
    field_split *f = (field_split *)field;
    for (int i = 0; i < f->count; i++) {
        if (f->parts[i].reader != NULL)
            f->parts[i].reader->vtable->close(f->parts[i].reader);
        rwl_column_clear(&f->parts[i].column, f->op->env);
    }
    rwl_buf_clear(&f->bits);
    rwl_arena_clear(&f->arena);
    rwl_free(f->op->env, f);
}

rwl_status rwl_lance_field_split_open(rwl_op *op, const rwl_lance_read_field *field, int64_t row_count,
                                      rwl_lance_field_reader **out, rwl_error *err) {
    uint32_t parts = 0;
    *out = NULL;
    field_split *f = rwl_calloc(op->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->base.vtable = &VTABLE;
    f->op = op;
    f->node = field->node;
    rwl_arena_init(&f->arena, op->env, 0);
    rwl_buf_init(&f->bits, op->env, SIZE_MAX);
    rwl_status st = parts_of(f, field, field->node, &parts, err);
    if (st == RWL_OK && f->count == 0)
        st = rwl_fail(err, RWL_CORRUPT, "structs in several files, and none of their fields in any");
    for (int i = 0; i < f->count && st == RWL_OK; i++)
        st = open_part(f, field, i, row_count, err);
    if (st != RWL_OK) {
        close_field(&f->base);
        return st;
    }
    *out = &f->base;
    return RWL_OK;
}

/* --- steps --- */

static rwl_status fit_field(rwl_lance_field_reader *field, const rwl_range *rows, size_t count,
                            size_t bytes_max, int64_t *out, rwl_error *err) {
    field_split *f = (field_split *)field;
    *out = rwl_lance_count_rows(rows, count);
    for (int i = 0; i < f->count; i++) {
        int64_t fits;
        rwl_lance_field_reader *reader = f->parts[i].reader;
        RWL_TRY(reader->vtable->fit(reader, rows, count, bytes_max / (size_t)f->count, &fits, err));
        *out = fits < *out ? fits : *out;
    }
    return RWL_OK;
}

static rwl_status want_field(rwl_lance_field_reader *field, const rwl_range *rows, size_t count,
                             rwl_error *err) {
    field_split *f = (field_split *)field;
    for (int i = 0; i < f->count; i++)
        RWL_TRY(f->parts[i].reader->vtable->want(f->parts[i].reader, rows, count, err));
    return RWL_OK;
}

/* Bits of structs that one of the pieces has; *out is NULL when that is all of them. */
static rwl_status join_validity(field_split *f, const pieces *in, int64_t rows, const uint8_t **out,
                                rwl_error *err) {
    size_t len = rwl_bits_bytes(rows);
    *out = NULL;
    for (int i = 0; i < f->count; i++)
        if (in->columns[i] != NULL && in->columns[i]->null_count == 0)
            return RWL_OK;
    rwl_buf_reset(&f->bits);
    RWL_TRY(rwl_buf_reserve(&f->bits, len, err));
    memset(f->bits.data, 0, len);
    for (int i = 0; i < f->count; i++)
        for (size_t k = 0; in->columns[i] != NULL && k < len; k++)
            f->bits.data[k] |= in->columns[i]->validity.data[k];
    *out = f->bits.data;
    return RWL_OK;
}

/* The pieces of field `id` of the structs; returns in how many parts there are any, and one of them. */
static int find_pieces(const field_split *f, const pieces *in, int32_t id, pieces *out, int *last) {
    int found = 0;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < f->count; i++)
        for (int32_t k = 0; in->nodes[i] != NULL && k < in->nodes[i]->child_count; k++)
            if (in->nodes[i]->children[k].field.id == id) {
                out->nodes[i] = &in->nodes[i]->children[k];
                out->columns[i] = &in->columns[i]->children[k];
                *last = i;
                found++;
            }
    return found;
}

static rwl_status join(field_split *f, const rwl_lance_node *node, const pieces *in, int64_t rows,
                       rwl_column *out, rwl_error *err);

static bool are_alike(const rwl_column *a, const rwl_column *b, int64_t rows) {
    if (memcmp(rwl_column_offsets(a), rwl_column_offsets(b), ((size_t)rows + 1) * sizeof(int32_t)) != 0)
        return false;
    bool is_alike = a->null_count == b->null_count;
    for (int64_t i = 0; is_alike && a->null_count > 0 && i < rows; i++)
        is_alike = rwl_bit_get(a->validity.data, i) == rwl_bit_get(b->validity.data, i);
    return is_alike;
}

static rwl_status join_lists(field_split *f, const rwl_lance_node *node, const pieces *in, int64_t rows,
                             rwl_column *out, rwl_error *err) {
    pieces items = {{NULL}, {NULL}};
    const rwl_column *told = NULL;
    for (int i = 0; i < f->count; i++) {
        if (in->columns[i] == NULL)
            continue;
        items.nodes[i] = &in->nodes[i]->children[0];
        items.columns[i] = &in->columns[i]->children[0];
        if (told != NULL && !are_alike(told, in->columns[i], rows))
            return rwl_fail(err, RWL_CORRUPT, "lists that differ from one file to another");
        told = in->columns[i];
    }
    if (told == NULL)
        return rwl_fail(err, RWL_INTERNAL, "lists in no part");
    const int32_t *offsets = rwl_column_offsets(told);
    RWL_TRY(rwl_column_reserve(out, f->op->env, rows, 0, err));
    RWL_TRY(rwl_lance_append_validity(f->op->env, out, told->null_count > 0 ? told->validity.data : NULL,
                                      rows, err));
    memcpy(out->offsets.data, offsets, ((size_t)rows + 1) * sizeof *offsets);
    out->length = rows;
    return join(f, &node->children[0], &items, offsets[rows], &out->children[0], err);
}

/* What one part has changes hands, what several have is put together. Depth: the type's. */
static rwl_status join_structs(field_split *f, const rwl_lance_node *node, const pieces *in, int64_t rows,
                               rwl_column *out, rwl_error *err) {
    const uint8_t *validity;
    RWL_TRY(join_validity(f, in, rows, &validity, err));
    RWL_TRY(rwl_column_reserve(out, f->op->env, rows, 0, err));
    RWL_TRY(rwl_lance_append_validity(f->op->env, out, validity, rows, err));
    out->length = rows;
    for (int32_t i = 0; i < node->child_count; i++) {
        const rwl_lance_node *child = &node->children[i];
        pieces below;
        int one = 0, found = find_pieces(f, in, child->field.id, &below, &one);
        if (found == 0)
            return rwl_fail(err, RWL_INTERNAL, "field %s is in no part", child->field.name);
        if (found > 1) {
            RWL_TRY(join(f, child, &below, rows, &out->children[i], err));
            continue;
        }
        rwl_column swapped = out->children[i];
        out->children[i] = *below.columns[one];
        *below.columns[one] = swapped;
    }
    return RWL_OK;
}

static rwl_status join(field_split *f, const rwl_lance_node *node, const pieces *in, int64_t rows,
                       rwl_column *out, rwl_error *err) {
    return node->form == RWL_LANCE_LIST ? join_lists(f, node, in, rows, out, err)
                                        : join_structs(f, node, in, rows, out, err);
}

static rwl_status read_field(rwl_lance_field_reader *field, size_t bytes_max, rwl_column *out,
                             rwl_error *err) {
    field_split *f = (field_split *)field;
    pieces whole = {{NULL}, {NULL}};
    int64_t rows = INT64_MAX;
    memset(&f->base.stats, 0, sizeof f->base.stats);
    for (int i = 0; i < f->count; i++) {
        part *p = &f->parts[i];
        whole.nodes[i] = &p->node;
        whole.columns[i] = &p->column;
        RWL_TRY(p->reader->vtable->read(p->reader, bytes_max / (size_t)f->count, &p->column, err));
        rows = p->column.length < rows ? p->column.length : rows;
        f->base.stats.pages_read += p->reader->stats.pages_read;
        f->base.stats.bytes_read += p->reader->stats.bytes_read;
        f->base.stats.requests += p->reader->stats.requests;
    }
    for (int i = 0; i < f->count; i++)
        RWL_TRY(rwl_lance_cut_column(f->op->env, whole.columns[i], rows, err));
    if (f->count == 1) { /* of which something that is not read is elsewhere */
        rwl_column swapped = *out;
        *out = f->parts[0].column;
        f->parts[0].column = swapped;
        return RWL_OK;
    }
    rwl_column_reset(out);
    return join(f, f->node, &whole, rows, out, err);
}

static const rwl_lance_field_vtable VTABLE = {
    .want = want_field, .read = read_field, .close = close_field, .fit = fit_field};
