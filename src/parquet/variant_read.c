/* SPDX-License-Identifier: Apache-2.0 */
/* Variants from the leaves of their columns (VariantShredding.md, "Reconstructing a Shredded Variant"), row by row. */
#include "base/vec.h"
#include "column/variant.h"
#include "parquet/tree_internal.h"

/* A leaf's column and where the next value stands. */
typedef struct cursor {
    const rwl_parquet_entries *e;
    rwl_column column;
    size_t entry, slot;
} cursor;

/* An item of a container: bytes in the level's buffer, or elsewhere when `data` is set. */
typedef struct item {
    const uint8_t *data;
    size_t off, len;
    uint32_t id;
} item;

/* What a container under construction holds; one for each depth. */
typedef struct level {
    rwl_buf bytes;
    RWL_VEC(item) items;
    RWL_VEC(rwl_span) spans;
    RWL_VEC(uint32_t) ids;
} level;

typedef struct rwl_parquet_variant_reader {
    const rwl_env *env;
    const rwl_parquet_variant *variant;
    int32_t first_leaf, leaf_count; /* of the file */
    cursor *cursors;                /* by leaf of the file, from first_leaf on */
    level *levels;
    int level_count;
    rwl_buf value;
    rwl_span seen_metadata, metadata; /* of the last row: as stored, and trimmed */
} variant_reader;

/* --- setting up --- */

static int depth_of(const rwl_parquet_variant_part *part) {
    int deepest = 0;
    for (int32_t i = 0; i < part->child_count; i++) {
        int depth = depth_of(&part->children[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* The types a variant has, as the specification lets them be shredded. */
static bool can_be_typed(const rwl_parquet_leaf *leaf) {
    switch (leaf->field.type.kind) {
    case RWL_TYPE_BOOLEAN:
    case RWL_TYPE_INT:
    case RWL_TYPE_LONG:
    case RWL_TYPE_DECIMAL:
        return leaf->int_bits >= 0;
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE:
    case RWL_TYPE_DATE:
    case RWL_TYPE_TIME:
        return !rwl_type_is_time_ns(&leaf->field.type);
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return leaf->physical == RWL_PARQUET_INT32 || leaf->physical == RWL_PARQUET_INT64 ||
               leaf->physical == RWL_PARQUET_FLOAT || leaf->physical == RWL_PARQUET_DOUBLE;
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
    case RWL_TYPE_UUID:
        return true;
    default:
        return false;
    }
}

static rwl_status check_types(const rwl_parquet_file *file, const rwl_parquet_variant_part *part,
                              rwl_error *err) {
    if (part->typed == RWL_PARQUET_TYPED_PRIMITIVE && !can_be_typed(&file->leaves[part->typed_leaf])) {
        const rwl_parquet_leaf *leaf = &file->leaves[part->typed_leaf];
        char name[64];
        rwl_type_name(&leaf->field.type, name, sizeof name);
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: variants have no %s", leaf->field.name,
                        leaf->int_bits < 0 ? "unsigned integers" : name);
    }
    for (int32_t i = 0; i < part->child_count; i++)
        RWL_TRY(check_types(file, &part->children[i], err));
    return RWL_OK;
}

static rwl_status set_up(variant_reader *r, rwl_parquet_tree *t, const rwl_parquet_branch *b,
                         rwl_error *err) {
    size_t count = (size_t)b->node->leaf_count;
    r->level_count = depth_of(&r->variant->value);
    r->levels = rwl_calloc(r->env, (size_t)r->level_count, sizeof *r->levels);
    r->cursors = rwl_calloc(r->env, count, sizeof *r->cursors);
    if (!r->levels || !r->cursors)
        return rwl_no_memory(err, count * sizeof *r->cursors);
    r->leaf_count = b->node->leaf_count;
    for (int i = 0; i < r->level_count; i++)
        rwl_buf_init(&r->levels[i].bytes, r->env, RWL_COLUMN_BYTES_MAX);
    for (int32_t i = 0; i < b->count; i++) {
        cursor *c = &r->cursors[t->leaves[b->first + i] - r->first_leaf];
        c->e = &t->entries[b->first + i];
        RWL_TRY(rwl_column_init(&c->column, r->env, &c->e->column.leaf->field.type, err));
        t->entries[b->first + i].out = &c->column;
    }
    return check_types(t->file, &r->variant->value, err);
}

rwl_status rwl_parquet_variant_reader_new(rwl_parquet_tree *t, const rwl_parquet_branch *b,
                                          struct rwl_parquet_variant_reader **out, rwl_error *err) {
    const rwl_env *env = t->shared->op->env;
    variant_reader *r = rwl_calloc(env, 1, sizeof *r);
    *out = r; /* freed with the branch */
    if (!r)
        return rwl_no_memory(err, sizeof *r);
    r->env = env;
    r->variant = b->node->variant;
    r->first_leaf = b->node->first_leaf;
    rwl_buf_init(&r->value, env, RWL_COLUMN_BYTES_MAX);
    return set_up(r, t, b, err);
}

void rwl_parquet_variant_reader_free(struct rwl_parquet_variant_reader *r, const rwl_env *env) {
    if (!r)
        return;
    for (int i = 0; r->levels && i < r->level_count; i++) {
        rwl_buf_clear(&r->levels[i].bytes);
        rwl_vec_clear(&r->levels[i].items, env);
        rwl_vec_clear(&r->levels[i].spans, env);
        rwl_vec_clear(&r->levels[i].ids, env);
    }
    for (int32_t i = 0; r->cursors && i < r->leaf_count; i++)
        rwl_column_clear(&r->cursors[i].column, env);
    rwl_buf_clear(&r->value);
    rwl_free(env, r->levels);
    rwl_free(env, r->cursors);
    rwl_free(env, r);
}

/* --- cursors --- */

static cursor *cursor_of(variant_reader *r, int32_t leaf) {
    return &r->cursors[leaf - r->first_leaf];
}

/* The definition level of the next entry; 0 behind the last. */
static int definition_of(const cursor *c) {
    return c->entry < c->e->cut ? c->e->definitions[c->entry] : 0;
}

static bool has_value(const cursor *c) {
    return c->entry < c->e->cut && c->e->definitions[c->entry] == c->e->max_definition;
}

static void step(cursor *c) {
    if (c->entry == c->e->cut)
        return;
    c->slot += c->e->definitions[c->entry] >= c->e->element_definition[c->e->max_repetition];
    c->entry++;
}

/* Passes one entry of each leaf of a part that is not there, or has no elements. */
static void step_part(variant_reader *r, const rwl_parquet_variant_part *part) {
    for (int32_t i = 0; i < part->leaf_count; i++)
        step(cursor_of(r, part->first_leaf + i));
}

static void step_children(variant_reader *r, const rwl_parquet_variant_part *part) {
    for (int32_t i = 0; i < part->child_count; i++)
        step_part(r, &part->children[i]);
}

/* --- values --- */

static rwl_status append_span(rwl_buf *out, rwl_span bytes, rwl_error *err) {
    return rwl_buf_append(out, bytes.data, bytes.len, err);
}

/* A value stored as such, without bytes behind it. */
static rwl_status take_value(cursor *c, bool *is_there, rwl_variant_items *value, rwl_error *err) {
    *is_there = has_value(c);
    if (*is_there)
        RWL_TRY(rwl_variant_open(rwl_column_bytes(&c->column, (int64_t)c->slot), value, err));
    step(c);
    return RWL_OK;
}

static rwl_status put_typed(const cursor *c, rwl_buf *out, rwl_error *err) {
    const rwl_parquet_leaf *leaf = c->e->column.leaf;
    rwl_type type = leaf->field.type;
    rwl_value v = rwl_column_value(&c->column, (int64_t)c->slot);
    if (type.kind == RWL_TYPE_INT)
        return rwl_variant_put_int(v.as.i32,
                                   leaf->int_bits == 8    ? 1
                                   : leaf->int_bits == 16 ? 2
                                                          : 4,
                                   out, err);
    if (type.kind == RWL_TYPE_LONG)
        return rwl_variant_put_int(v.as.i64, 8, out, err);
    if (type.kind == RWL_TYPE_DECIMAL && leaf->physical == RWL_PARQUET_INT64 && type.precision < 10)
        type.precision = 10; /* decimal8, as it is stored */
    else if (type.kind == RWL_TYPE_DECIMAL && leaf->physical >= RWL_PARQUET_BYTE_ARRAY && type.precision < 19)
        type.precision = 19;
    return rwl_variant_put_primitive(&type, &v, out, err);
}

static rwl_status fail_both(const rwl_parquet_variant_part *part, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "%s%svalue and typed_value are both set", part->name ? part->name : "",
                    part->name ? ": " : "");
}

static rwl_status build_part(variant_reader *r, const rwl_parquet_variant_part *part, int depth, rwl_buf *out,
                             bool *is_there, rwl_error *err);

/* --- containers --- */

static rwl_status add_item(variant_reader *r, level *l, item it, rwl_error *err) {
    return rwl_vec_push(&l->items, r->env, it, err);
}

/* The items as spans and ids, once the buffer no longer moves. */
static rwl_status close_items(variant_reader *r, level *l, rwl_error *err) {
    l->spans.len = l->ids.len = 0;
    RWL_TRY(rwl_vec_reserve(&l->spans, r->env, l->items.len + 1, err));
    RWL_TRY(rwl_vec_reserve(&l->ids, r->env, l->items.len + 1, err));
    for (size_t i = 0; i < l->items.len; i++) {
        const item *it = &l->items.items[i];
        l->spans.items[i] = rwl_span_of(it->data ? it->data : l->bytes.data + it->off, it->len);
        l->ids.items[i] = it->id;
    }
    return RWL_OK;
}

static rwl_status build_array(variant_reader *r, const rwl_parquet_variant_part *part, int depth,
                              rwl_buf *out, rwl_error *err) {
    const rwl_parquet_variant_part *element = &part->children[0];
    const cursor *guide = cursor_of(r, element->first_leaf);
    level *l = &r->levels[depth];
    l->items.len = 0;
    rwl_buf_reset(&l->bytes);
    if (definition_of(guide) < part->element_definition) {
        step_part(r, element);
        return rwl_variant_put_array(NULL, 0, out, err);
    }
    do {
        size_t entry = guide->entry;
        item it = {.off = l->bytes.len};
        bool is_there;
        RWL_TRY(build_part(r, element, depth + 1, &l->bytes, &is_there, err));
        if (!is_there) /* "readers must return a Variant null" */
            RWL_TRY(rwl_buf_append(&l->bytes, "", 1, err));
        it.len = l->bytes.len - it.off;
        RWL_TRY(add_item(r, l, it, err));
        if (guide->entry == entry)
            return rwl_fail(err, RWL_CORRUPT, "a variant's array ends too early");
    } while (guide->entry < guide->e->cut && guide->e->repetitions[guide->entry] == part->repetition);
    RWL_TRY(close_items(r, l, err));
    return rwl_variant_put_array(l->spans.items, l->items.len, out, err);
}

/* Whether one of the part's fields has this name: then what its columns say holds, also that it is missing. */
static bool is_shredded(const rwl_parquet_variant_part *part, rwl_span name) {
    for (int32_t i = 0; i < part->child_count; i++)
        if (strlen(part->children[i].name) == name.len &&
            memcmp(part->children[i].name, name.data, name.len) == 0)
            return true;
    return false;
}

/* The fields of the object that is partly stored as a value. */
static rwl_status add_stored_fields(variant_reader *r, const rwl_parquet_variant_part *part, level *l,
                                    const rwl_variant_items *value, rwl_error *err) {
    if (value->kind != RWL_VARIANT_OBJECT)
        return rwl_fail(err, RWL_CORRUPT, "a shredded object whose value is none");
    for (uint32_t i = 0; i < value->count; i++) {
        item it = {0};
        rwl_span bytes, name;
        RWL_TRY(rwl_variant_item(value, i, &it.id, &bytes, err));
        RWL_TRY(rwl_variant_name(r->metadata, it.id, &name, err));
        if (is_shredded(part, name))
            continue;
        it.data = bytes.data;
        it.len = bytes.len;
        RWL_TRY(add_item(r, l, it, err));
    }
    return RWL_OK;
}

static rwl_status build_object(variant_reader *r, const rwl_parquet_variant_part *part,
                               const rwl_variant_items *value, int depth, rwl_buf *out, rwl_error *err) {
    level *l = &r->levels[depth];
    l->items.len = 0;
    rwl_buf_reset(&l->bytes);
    for (int32_t i = 0; i < part->child_count; i++) {
        const rwl_parquet_variant_part *field = &part->children[i];
        item it = {.off = l->bytes.len};
        bool is_there;
        RWL_TRY(build_part(r, field, depth + 1, &l->bytes, &is_there, err));
        if (!is_there)
            continue;
        it.len = l->bytes.len - it.off;
        if (!rwl_variant_find_name(r->metadata, rwl_span_str(field->name), &it.id))
            return rwl_fail(err, RWL_CORRUPT, "variant metadata lack the name of field %s", field->name);
        RWL_TRY(add_item(r, l, it, err));
    }
    if (value)
        RWL_TRY(add_stored_fields(r, part, l, value, err));
    RWL_TRY(close_items(r, l, err));
    return rwl_variant_put_object(r->metadata, l->ids.items, l->spans.items, l->items.len, out, err);
}

/* --- parts --- */

static rwl_status build_primitive(variant_reader *r, const rwl_parquet_variant_part *part, rwl_buf *out,
                                  bool *is_typed, bool is_stored, rwl_error *err) {
    cursor *c = cursor_of(r, part->typed_leaf);
    *is_typed = has_value(c);
    if (*is_typed && is_stored)
        return fail_both(part, err);
    if (*is_typed)
        RWL_TRY(put_typed(c, out, err));
    step(c);
    return RWL_OK;
}

static rwl_status build_container(variant_reader *r, const rwl_parquet_variant_part *part,
                                  const rwl_variant_items *value, int depth, rwl_buf *out, bool *is_typed,
                                  rwl_error *err) {
    *is_typed = definition_of(cursor_of(r, part->children[0].first_leaf)) >= part->typed_definition;
    if (!*is_typed) {
        step_children(r, part);
        return RWL_OK;
    }
    if (part->typed == RWL_PARQUET_TYPED_OBJECT)
        return build_object(r, part, value, depth, out, err);
    if (value)
        return fail_both(part, err);
    return build_array(r, part, depth, out, err);
}

/* Appends the part's value for the current slot, if there is one, and passes its entries. */
static rwl_status build_part(variant_reader *r, const rwl_parquet_variant_part *part, int depth, rwl_buf *out,
                             bool *is_there, rwl_error *err) {
    bool is_stored = false, is_typed = false;
    rwl_variant_items value;
    if (part->value_leaf >= 0)
        RWL_TRY(take_value(cursor_of(r, part->value_leaf), &is_stored, &value, err));
    if (part->typed == RWL_PARQUET_TYPED_PRIMITIVE)
        RWL_TRY(build_primitive(r, part, out, &is_typed, is_stored, err));
    else if (part->typed != RWL_PARQUET_TYPED_NONE)
        RWL_TRY(build_container(r, part, is_stored ? &value : NULL, depth, out, &is_typed, err));
    *is_there = is_stored || is_typed;
    return is_stored && !is_typed ? append_span(out, value.value, err) : RWL_OK;
}

/* --- rows --- */

static rwl_status append_row(variant_reader *r, rwl_span value, rwl_column *out, rwl_error *err) {
    size_t end = out->bytes_len + r->metadata.len + value.len;
    RWL_TRY(rwl_column_reserve(out, r->env, out->length + 1, end, err));
    memcpy(out->values.data + out->bytes_len, r->metadata.data, r->metadata.len);
    if (value.len > 0)
        memcpy(out->values.data + out->bytes_len + r->metadata.len, value.data, value.len);
    int32_t *offsets = (int32_t *)(void *)out->offsets.data;
    if (out->length == 0)
        offsets[0] = 0;
    offsets[out->length + 1] = (int32_t)end;
    out->bytes_len = end;
    if (out->null_count > 0)
        rwl_bit_set(out->validity.data, out->length);
    out->length++;
    return RWL_OK;
}

/* The row's metadata, without bytes behind them. Most rows have those of the row before. */
static rwl_status take_metadata(variant_reader *r, cursor *c, rwl_error *err) {
    if (!has_value(c))
        return rwl_fail(err, RWL_CORRUPT, "a variant without metadata");
    rwl_span bytes = rwl_column_bytes(&c->column, (int64_t)c->slot), rest;
    step(c);
    if (r->seen_metadata.data && bytes.len == r->seen_metadata.len && bytes.len > 0 &&
        memcmp(bytes.data, r->seen_metadata.data, bytes.len) == 0)
        return RWL_OK;
    RWL_TRY(rwl_variant_split(bytes, &r->metadata, &rest, err));
    r->seen_metadata = bytes;
    return RWL_OK;
}

static rwl_status read_row(variant_reader *r, rwl_column *out, rwl_error *err) {
    static const uint8_t null_value[1] = {0};
    const rwl_parquet_variant_part *part = &r->variant->value;
    bool is_there;
    RWL_TRY(take_metadata(r, cursor_of(r, r->variant->metadata_leaf), err));
    if (part->typed == RWL_PARQUET_TYPED_NONE) {
        rwl_variant_items value;
        RWL_TRY(take_value(cursor_of(r, part->value_leaf), &is_there, &value, err));
        return append_row(r, is_there ? value.value : rwl_span_of(null_value, 1), out, err);
    }
    rwl_buf_reset(&r->value);
    RWL_TRY(build_part(r, part, 0, &r->value, &is_there, err));
    return append_row(r, is_there ? rwl_span_of(r->value.data, r->value.len) : rwl_span_of(null_value, 1),
                      out, err);
}

/* Passes one entry of every leaf. */
static void pass_row(variant_reader *r) {
    for (int32_t i = 0; i < r->leaf_count; i++)
        step(&r->cursors[i]);
}

static rwl_status read_slots(variant_reader *r, const rwl_parquet_branch *b, rwl_column *out,
                             rwl_error *err) {
    const rwl_value null = rwl_value_null(RWL_TYPE_VARIANT);
    const cursor *guide = cursor_of(r, r->variant->metadata_leaf);
    r->seen_metadata = rwl_span_of(NULL, 0);
    while (guide->entry < guide->e->cut) {
        int definition = definition_of(guide);
        if (definition < b->slot_definition) {
            pass_row(r); /* no slot: an empty list around it */
        } else if (definition < b->node->definition) {
            pass_row(r);
            RWL_TRY(rwl_column_append(out, r->env, &null, 1, err));
        } else {
            RWL_TRY(read_row(r, out, err));
        }
    }
    return RWL_OK;
}

rwl_status rwl_parquet_variant_read(rwl_parquet_tree *t, const rwl_parquet_branch *b, rwl_column *out,
                                    rwl_error *err) {
    variant_reader *r = b->variant;
    for (int32_t i = 0; i < r->leaf_count; i++)
        r->cursors[i].entry = r->cursors[i].slot = 0;
    rwl_status st = read_slots(r, b, out, err);
    for (int32_t i = 0; i < r->leaf_count; i++)
        rwl_column_reset(&r->cursors[i].column);
    (void)t;
    return st == RWL_OK ? st : rwl_error_in(err, st, "column %s", b->field.name);
}
