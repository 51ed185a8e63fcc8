/* SPDX-License-Identifier: Apache-2.0 */
/* Full-zip pages: entries taken apart into levels and values. */
#include "lancefile/zip_internal.h"

/* Where reading is in the bytes of some rows. */
typedef struct entries {
    const uint8_t *at, *end;
    int64_t rows; /* begun */
} entries;

static uint32_t load_control(const uint8_t *at, size_t len) {
    return len == 1 ? *at : len == 2 ? rwl_load_le16(at) : rwl_load_le32(at);
}

static rwl_status fail_short(const entries *e, const char *what, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "full-zip: row %lld ends within %s, %td bytes before its end",
                    (long long)e->rows - 1, what, e->end - e->at);
}

/* Levels of the next entry as number k; whether it has a value. */
static rwl_status read_control(rwl_lance_zip_page *page, entries *e, int64_t k, bool *is_visible,
                               rwl_error *err) {
    const rwl_lance_level_map *levels = &page->base.levels;
    uint32_t bits_def = (uint32_t)page->base.layout->bits_def, control = 0;
    if (page->control_len > 0) {
        if ((size_t)(e->end - e->at) < page->control_len)
            return fail_short(e, "a control word", err);
        control = load_control(e->at, page->control_len);
        e->at += page->control_len;
    }
    uint32_t rep = control >> bits_def, def = control & ((UINT32_C(1) << bits_def) - 1);
    if (rep > (uint32_t)levels->max_rep || (def > 0 && def >= (uint32_t)levels->level_count))
        return rwl_fail(err, RWL_CORRUPT, "full-zip: control word 0x%x: levels %u and %u of %d and %d",
                        control, rep, def, levels->max_rep, levels->level_count - 1);
    page->rep[k] = (uint16_t)rep;
    page->def[k] = (uint16_t)def;
    *is_visible = def <= (uint32_t)levels->max_visible;
    if (rep == (uint32_t)levels->max_rep)
        e->rows++;
    else if (e->rows == 0)
        return rwl_fail(err, RWL_CORRUPT, "full-zip: the first entry of a row has repetition level %u", rep);
    return RWL_OK;
}

/* --- fixed width --- */

static rwl_status read_boolean(const rwl_lance_zip_page *page, const uint8_t *at, int64_t k,
                               rwl_lance_leaf *leaf, rwl_error *err) {
    if (*at > 1 && page->def[k] == 0)
        return rwl_fail(err, RWL_CORRUPT, "full-zip: a boolean is 0x%02x", *at);
    return rwl_lance_leaf_add_fixed(leaf, at, 0, 1, err);
}

/* Of a value that is null for all: the elements of the vectors that it stands for, which have no validity of their own. */
static rwl_status add_null_elements(const rwl_lance_zip_page *page, const entries *e, int64_t k,
                                    rwl_lance_leaf *leaf, rwl_error *err) {
    if (page->def[k] > 0)
        return RWL_OK;
    if (rwl_lance_leaf_items(leaf, page->validity_levels) > 0) /* same: zeros, at least a bit for each */
        return rwl_lance_leaf_add_item_validity(leaf, page->validity_levels, page->same, 0, 1, err);
    if (page->entry_len > page->control_len)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "full-zip: row %lld has no bytes, and is not null",
                    (long long)e->rows - 1);
}

static rwl_status read_fixed(const rwl_lance_zip_page *page, entries *e, int64_t k, uint8_t **to,
                             rwl_lance_leaf *leaf, rwl_error *err) {
    size_t len = page->entry_len - page->control_len;
    if ((size_t)(e->end - e->at) < len)
        return fail_short(e, "a value", err);
    const uint8_t *at = e->at;
    e->at += len;
    if (page->form == RWL_LANCE_ZIP_BOOLEAN)
        return read_boolean(page, at, k, leaf, err);
    if (page->same != NULL) {
        RWL_TRY(rwl_lance_leaf_add_fixed(leaf, page->same, 0, 1, err));
    } else {
        memcpy(*to, at + (len - page->value_len), page->value_len);
        *to += page->value_len;
        leaf->slots++;
    }
    for (int level = 0; level < page->validity_levels; level++) {
        size_t validity_len = page->validity_len[level];
        /* of a null there is any validity: its elements are none */
        const uint8_t *bits = validity_len > 0 && page->def[k] == 0 ? at : NULL;
        RWL_TRY(rwl_lance_leaf_add_item_validity(leaf, level, bits, 0, 1, err));
        at += validity_len;
    }
    return page->is_null ? add_null_elements(page, e, k, leaf, err) : (rwl_status)RWL_OK;
}

/* --- variable length --- */

static int32_t *ends_of(rwl_column *column) {
    return (int32_t *)(void *)column->offsets.data;
}

static rwl_status add_fsst(const rwl_lance_zip_page *page, rwl_span bytes, rwl_lance_leaf *leaf,
                           rwl_error *err) {
    rwl_column *c = &leaf->values;
    if (bytes.len > RWL_COLUMN_BYTES_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a value of %zu bytes", bytes.len);
    size_t room = bytes.len * 8 + RWL_LANCE_FSST_SLACK;
    RWL_TRY(rwl_lance_leaf_check_bytes(leaf, bytes.len, err));
    RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, 1, room, err));
    int64_t len = rwl_lance_fsst_decode(page->fsst, bytes, c->values.data + c->bytes_len);
    if (len < 0)
        return rwl_fail(err, RWL_CORRUPT, "fsst: a code that is none, in a value of %zu bytes", bytes.len);
    c->bytes_len += (size_t)len;
    ends_of(c)[++c->length] = (int32_t)c->bytes_len;
    leaf->slots++;
    return RWL_OK;
}

static rwl_status add_plain(rwl_span bytes, rwl_lance_leaf *leaf, rwl_error *err) {
    rwl_column *c = &leaf->values;
    if (bytes.len > RWL_COLUMN_BYTES_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a value of %zu bytes", bytes.len);
    RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, 1, bytes.len, err));
    if (bytes.len > 0)
        memcpy(c->values.data + c->bytes_len, bytes.data, bytes.len);
    c->bytes_len += bytes.len;
    ends_of(c)[++c->length] = (int32_t)c->bytes_len;
    leaf->slots++;
    return RWL_OK;
}

/* A frame that does not tell its length is put aside first. */
static rwl_status add_frame(rwl_lance_zip_page *page, rwl_span bytes, rwl_lance_leaf *leaf, rwl_error *err) {
    enum { SCRATCH_KEPT = 1024 * 1024 };
    rwl_op *op = page->base.op;
    RWL_TRY(rwl_lance_general_decode(page->base.general, op->env, page->scheme, bytes, &page->scratch, err));
    RWL_TRY(rwl_lance_leaf_check_bytes(leaf, page->scratch.len, err));
    int64_t held = (int64_t)page->scratch.cap;
    RWL_TRY(rwl_op_reserve(op, held, "decompressing", err));
    rwl_status st = add_plain(rwl_buf_span(&page->scratch), leaf, err);
    rwl_op_release(op, held);
    if (held > SCRATCH_KEPT)
        rwl_buf_clear(&page->scratch);
    return st;
}

static rwl_status add_compressed(rwl_lance_zip_page *page, rwl_span bytes, rwl_lance_leaf *leaf,
                                 rwl_error *err) {
    const rwl_env *env = page->base.op->env;
    rwl_column *c = &leaf->values;
    bool known;
    size_t len;
    RWL_TRY(rwl_lance_general_length(page->scheme, bytes, &known, &len, err));
    if (!known)
        return add_frame(page, bytes, leaf, err);
    RWL_TRY(rwl_lance_leaf_check_bytes(leaf, len, err));
    RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, 1, len, err));
    RWL_TRY(rwl_lance_general_decode_to(page->base.general, env, page->scheme, bytes,
                                        c->values.data + c->bytes_len, len, err));
    c->bytes_len += len;
    ends_of(c)[++c->length] = (int32_t)c->bytes_len;
    leaf->slots++;
    return RWL_OK;
}

static rwl_status read_variable(rwl_lance_zip_page *page, entries *e, int64_t k, rwl_lance_leaf *leaf,
                                rwl_error *err) {
    if (page->def[k] > 0)
        return rwl_lance_leaf_add_same(leaf, rwl_span_of(NULL, 0), 1, err);
    size_t left = (size_t)(e->end - e->at);
    if (left < page->length_len)
        return fail_short(e, "a length", err);
    uint64_t len = page->length_len == 4 ? rwl_load_le32(e->at) : rwl_load_le64(e->at);
    if (len > left - page->length_len)
        return rwl_fail(err, RWL_CORRUPT, "full-zip: a value of %llu bytes where %zu are left",
                        (unsigned long long)len, left - page->length_len);
    rwl_span bytes = rwl_span_of(e->at + page->length_len, (size_t)len);
    size_t before = leaf->values.values.cap;
    e->at += page->length_len + (size_t)len;
    switch (page->form) {
    case RWL_LANCE_ZIP_FSST:
        return add_fsst(page, bytes, leaf, err);
    case RWL_LANCE_ZIP_GENERAL:
        return add_compressed(page, bytes, leaf, err);
    case RWL_LANCE_ZIP_PACKED:
        RWL_TRY(rwl_lance_leaf_check_bytes(leaf, bytes.len, err));
        leaf->slots++;
        RWL_TRY(rwl_lance_packed_append(page->packed, page->base.general, bytes, &leaf->values, err));
        RWL_TRY(rwl_lance_charge_grown(leaf->charge, &leaf->values.values, before, err));
        return rwl_lance_leaf_check_bytes(leaf, 0, err); /* fields may have been compressed */
    default:
        return add_plain(bytes, leaf, err);
    }
}

/* --- rows --- */

/* Up to a batch of entries. */
static rwl_status read_batch(rwl_lance_zip_page *page, entries *e, rwl_lance_leaf *leaf, rwl_error *err) {
    int64_t rows = e->rows, k = 0;
    bool is_fixed = page->entry_len > 0;
    uint8_t *to = NULL;
    if (is_fixed) {
        /* an entry may be a control word only, but no more values than these follow */
        size_t most = (size_t)(e->end - e->at) / page->entry_len;
        int64_t more = most < RWL_LANCE_ZIP_BATCH ? (int64_t)most : RWL_LANCE_ZIP_BATCH;
        RWL_TRY(rwl_lance_leaf_reserve(leaf, more, &to, err));
    }
    for (; k < RWL_LANCE_ZIP_BATCH && e->at < e->end; k++) {
        bool is_visible = false;
        RWL_TRY(read_control(page, e, k, &is_visible, err));
        if (!is_visible)
            continue;
        RWL_TRY(is_fixed ? read_fixed(page, e, k, &to, leaf, err) : read_variable(page, e, k, leaf, err));
    }
    const rwl_lance_layout *layout = page->base.layout;
    return rwl_lance_leaf_add_entries(leaf, &page->base.levels, layout->bits_rep > 0 ? page->rep : NULL,
                                      layout->bits_def > 0 ? page->def : NULL, k, e->rows - rows, err);
}

/* Values side by side and nothing between them. */
static bool is_plain(const rwl_lance_zip_page *page) {
    return page->form == RWL_LANCE_ZIP_FIXED && page->entry_len == page->value_len && page->same == NULL;
}

rwl_status rwl_lance_zip_read_entries(rwl_lance_zip_page *page, rwl_span in, int64_t rows,
                                      rwl_lance_leaf *leaf, rwl_error *err) {
    if (is_plain(page)) { /* then there is no index, and the bytes were asked for by their number */
        RWL_TRY(rwl_lance_leaf_add_fixed(leaf, in.data, 0, rows, err));
        for (int level = 0; level < page->validity_levels; level++)
            RWL_TRY(rwl_lance_leaf_add_item_validity(leaf, level, NULL, 0, rows, err));
        return rwl_lance_leaf_add_entries(leaf, &page->base.levels, NULL, NULL, rows, rows, err);
    }
    entries e = {in.data, in.data + in.len, 0};
    while (e.at < e.end)
        RWL_TRY(read_batch(page, &e, leaf, err));
    if (e.rows != rows)
        return rwl_fail(err, RWL_CORRUPT, "full-zip: %zu bytes hold %lld rows, not %lld", in.len,
                        (long long)e.rows, (long long)rows);
    return RWL_OK;
}
