/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads rows of a constant page (lance.encodings21 ConstantLayout): all values are the same, or null; what differs are levels.
 *
 *   page buffers   [the value] · rep · def      none: no levels; two: levels; one or three: the value comes first
 *   the value      fixed width: its bytes; variable: u32 buffers (2) · u32 bytes of each · two offsets (32 or 64 bits) · bytes
 *
 * A page without levels has rows as many as it says, and nothing is allocated for them before they are wanted.
 */
#include "lancefile/page.h"

enum { LEVELS_MAX = 1 << 28, NULLS = 1024 };

typedef struct constant_page {
    rwl_lance_page_reader base;
    bool has_value;
    uint8_t *owned; /* the value's bytes, when they came from a buffer */
    rwl_span value;
    uint16_t *rep, *def; /* entry_count of them, NULL when there are none */
    int64_t entry_count;
    int64_t charged;
    bool has_lists;
    int64_t row, entry; /* where reading has come to: row `row` begins at this entry */
} constant_page;

static constant_page *of_reader(rwl_lance_page_reader *page) {
    return (constant_page *)(void *)page;
}

/* --- reading --- */

static rwl_status want_rows(rwl_lance_page_reader *page, const rwl_range *rows, size_t count, size_t *number,
                            rwl_error *err) {
    (void)rows;
    (void)count;
    (void)err;
    *number = page->fetch->pieces.len; /* all is known */
    return RWL_OK;
}

/* Entries that begin with row `row`, going on from where reading has come to. */
static void seek_row(constant_page *p, int64_t row) {
    if (!p->has_lists || p->rep == NULL) {
        p->row = p->entry = row;
        return;
    }
    if (row < p->row)
        p->row = p->entry = 0;
    int64_t entry = p->entry;
    for (; p->row < row && entry < p->entry_count; p->row++) {
        do {
            entry++;
        } while (entry < p->entry_count && p->rep[entry] != p->base.levels.max_rep);
    }
    p->entry = entry;
}

/* Entries of a page without levels. */
static rwl_status add_plain(const constant_page *p, int64_t count, rwl_lance_leaf *leaf, rwl_error *err) {
    uint16_t nulls[NULLS];
    for (int i = 0; i < NULLS; i++)
        nulls[i] = 1; /* the innermost layer's */
    RWL_TRY(rwl_lance_leaf_add_same(leaf, p->value, count, err));
    if (p->has_value || p->base.levels.level_count < 2) /* a field of type null may have no level */
        return rwl_lance_leaf_add_entries(leaf, &p->base.levels, NULL, NULL, count, count, err);
    for (int64_t done = 0; done < count;) {
        int64_t step = count - done < NULLS ? count - done : NULLS;
        RWL_TRY(rwl_lance_leaf_add_entries(leaf, &p->base.levels, NULL, nulls, step, step, err));
        done += step;
    }
    return RWL_OK;
}

/* Slots of visible entries. Nulls of variable length are empty: the value and nothing take turns. */
static rwl_status add_slots(const constant_page *p, const uint16_t *def, int64_t count, rwl_lance_leaf *leaf,
                            rwl_error *err) {
    int32_t max_visible = p->base.levels.max_visible;
    bool by_runs = rwl_lance_leaf_is_bytes(leaf) && p->value.len > 0;
    int64_t visible = 0;
    for (int64_t i = 0; i < count; i++) {
        visible += def[i] <= max_visible;
        if (!by_runs || def[i] > max_visible || (i + 1 < count && def[i + 1] == def[i]))
            continue;
        RWL_TRY(rwl_lance_leaf_add_same(leaf, def[i] == 0 ? p->value : rwl_span_of(NULL, 0), visible, err));
        visible = 0;
    }
    return rwl_lance_leaf_add_same(leaf, p->value, visible, err);
}

static rwl_status add_leveled(const constant_page *p, int64_t from, int64_t count, int64_t rows,
                              rwl_lance_leaf *leaf, rwl_error *err) {
    const uint16_t *rep = p->rep != NULL ? p->rep + from : NULL;
    const uint16_t *def = p->def != NULL ? p->def + from : NULL;
    if (def != NULL)
        RWL_TRY(add_slots(p, def, count, leaf, err));
    else
        RWL_TRY(rwl_lance_leaf_add_same(leaf, p->value, count, err));
    return rwl_lance_leaf_add_entries(leaf, &p->base.levels, rep, def, count, rows, err);
}

static rwl_status add_rows(constant_page *p, rwl_range rows, rwl_lance_leaf *leaf, rwl_error *err) {
    if (p->rep == NULL && p->def == NULL)
        return add_plain(p, rows.count, leaf, err);
    seek_row(p, rows.start);
    int64_t from = p->entry;
    seek_row(p, rows.start + rows.count);
    return add_leveled(p, from, p->entry - from, rows.count, leaf, err);
}

static rwl_status read_rows(rwl_lance_page_reader *page, const rwl_range *rows, size_t count, size_t number,
                            rwl_lance_leaf *leaf, rwl_error *err) {
    constant_page *p = of_reader(page);
    (void)number;
    RWL_TRY(rwl_lance_page_check_rows(page, rows, count, err));
    for (size_t i = 0; i < count; i++)
        RWL_TRY(add_rows(p, rows[i], leaf, err));
    return RWL_OK;
}

static void close_page(rwl_lance_page_reader *page) {
    constant_page *p = of_reader(page);
    const rwl_env *env = page->op->env;
    rwl_free(env, p->owned);
    rwl_free(env, p->rep);
    rwl_free(env, p->def);
    rwl_op_release(page->op, p->charged);
    rwl_free(env, p);
}

/* --- the value --- */

static rwl_status check_fixed(const rwl_lance_leaf *leaf, rwl_span value, rwl_error *err) {
    if ((int64_t)value.len != (leaf->width_bits + 7) / 8)
        return rwl_fail(err, RWL_CORRUPT, "constant of %zu bytes for values of %lld bits", value.len,
                        (long long)leaf->width_bits);
    return RWL_OK;
}

/* The one value in an array of one: offsets, then bytes. */
static rwl_status cut_variable(rwl_span offsets, rwl_span bytes, rwl_span *out, rwl_error *err) {
    if (offsets.len != 8 && offsets.len != 16)
        return rwl_fail(err, RWL_CORRUPT, "constant with %zu bytes of offsets", offsets.len);
    uint64_t start = offsets.len == 8 ? rwl_load_le32(offsets.data) : rwl_load_le64(offsets.data);
    uint64_t end = offsets.len == 8 ? rwl_load_le32(offsets.data + 4) : rwl_load_le64(offsets.data + 8);
    if (start > end || end > bytes.len)
        return rwl_fail(err, RWL_CORRUPT, "constant from %llu to %llu of %zu bytes",
                        (unsigned long long)start, (unsigned long long)end, bytes.len);
    *out = rwl_span_of(bytes.data + start, (size_t)(end - start));
    return RWL_OK;
}

static rwl_status parse_value(constant_page *p, const rwl_lance_leaf *leaf, rwl_span buffer, rwl_error *err) {
    if (leaf->node->form == RWL_LANCE_PACKED && leaf->width_bits == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "a constant of a packed struct of variable length");
    rwl_cursor c = rwl_cursor_of(buffer);
    rwl_span parts[2], value;
    uint32_t count = 0, sizes[2] = {0};
    RWL_TRY(rwl_cursor_le32(&c, &count, err));
    uint32_t want = leaf->node->form == RWL_LANCE_BYTES ? 2 : 1;
    if (count != want)
        return rwl_fail(err, RWL_CORRUPT, "constant of %u buffers, there have to be %u", count, want);
    for (uint32_t i = 0; i < count; i++)
        RWL_TRY(rwl_cursor_le32(&c, &sizes[i], err));
    for (uint32_t i = 0; i < count; i++)
        RWL_TRY(rwl_cursor_bytes(&c, sizes[i], &parts[i], err));
    if (count == 2) {
        RWL_TRY(cut_variable(parts[0], parts[1], &value, err));
    } else {
        value = parts[0];
        RWL_TRY(check_fixed(leaf, value, err));
    }
    p->owned = rwl_alloc(p->base.op->env, value.len > 0 ? value.len : 1);
    if (p->owned == NULL)
        return rwl_no_memory(err, value.len);
    if (value.len > 0)
        memcpy(p->owned, value.data, value.len);
    p->value = rwl_span_of(p->owned, value.len);
    p->has_value = true;
    return RWL_OK;
}

static rwl_status take_inline(constant_page *p, const rwl_lance_leaf *leaf, rwl_error *err) {
    if (!p->base.layout->has_value)
        return RWL_OK;
    if (leaf->width_bits == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "a constant of variable length inside of the page's encoding");
    p->value = p->base.layout->value;
    p->has_value = true;
    return check_fixed(leaf, p->value, err);
}

/* --- levels --- */

/* The most levels that bytes of a codec can give. */
static int64_t levels_bound(const rwl_lance_codec *codec, int64_t len) {
    if (codec == NULL)
        return len / 2;
    switch (codec->kind) {
    case RWL_LANCE_CODEC_FLAT:
        return codec->scheme == RWL_LANCE_SCHEME_NONE ? len / 2 : LEVELS_MAX;
    case RWL_LANCE_CODEC_RLE:
        return len < LEVELS_MAX / 255 ? len * 255 : LEVELS_MAX;
    case RWL_LANCE_CODEC_INLINE_BITPACKING:
        return RWL_LANCE_PACK;
    case RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING:
        return len < LEVELS_MAX / 8 ? len * 8 : LEVELS_MAX;
    default:
        return LEVELS_MAX;
    }
}

static rwl_status decode_levels(constant_page *p, const rwl_lance_codec *codec, rwl_span in, int64_t count,
                                const char *what, uint16_t **out, rwl_error *err) {
    if (codec == NULL && in.len % 2 != 0)
        return rwl_fail(err, RWL_CORRUPT, "%s levels of %zu bytes", what, in.len);
    if (codec == NULL && (count == 0 || in.len == 0))
        count = (int64_t)in.len / 2;
    if (count < 0 || count > levels_bound(codec, (int64_t)in.len) || count > LEVELS_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%lld %s levels in %zu bytes", (long long)count, what, in.len);
    if (count == 0)
        return RWL_OK;
    int64_t rounded = (count + RWL_LANCE_PACK - 1) / RWL_LANCE_PACK * RWL_LANCE_PACK;
    size_t bytes = (size_t)rounded * sizeof **out;
    RWL_TRY(rwl_op_reserve(p->base.op, (int64_t)bytes, "a constant page's levels", err));
    p->charged += (int64_t)bytes;
    *out = rwl_alloc(p->base.op->env, bytes);
    if (*out == NULL)
        return rwl_no_memory(err, bytes);
    if (p->entry_count > 0 && p->entry_count != count)
        return rwl_fail(err, RWL_CORRUPT, "%lld repetition and %lld definition levels",
                        (long long)p->entry_count, (long long)count);
    p->entry_count = count;
    if (codec != NULL)
        return rwl_lance_block_fixed(p->base.general, p->base.op->env, codec, in, count, 16, *out, err);
    if ((int64_t)in.len != count * 2)
        return rwl_fail(err, RWL_CORRUPT, "%lld %s levels in %zu bytes", (long long)count, what, in.len);
    memcpy(*out, in.data, in.len);
    return RWL_OK;
}

/* Rows that levels make are those of the page; a valid value needs a value. */
static rwl_status check_levels(const constant_page *p, const rwl_lance_leaf *leaf, rwl_error *err) {
    int64_t rows = p->base.page->row_count, starts = p->entry_count;
    bool needs_value = p->def == NULL && (p->rep != NULL || p->base.levels.level_count < 2);
    for (int64_t i = 0; p->rep != NULL && i < p->entry_count; i++)
        starts -= p->rep[i] != p->base.levels.max_rep;
    for (int64_t i = 0; p->def != NULL && i < p->entry_count && !needs_value; i++)
        needs_value = p->def[i] == 0;
    if (p->rep == NULL && p->def == NULL && p->has_lists && rows > 0)
        return rwl_fail(err, RWL_CORRUPT, "constant page of lists without levels");
    if ((p->rep != NULL || p->def != NULL) && starts != rows)
        return rwl_fail(err, RWL_CORRUPT, "levels of %lld rows, the page has %lld", (long long)starts,
                        (long long)rows);
    if (p->rep != NULL && p->has_lists && p->rep[0] != p->base.levels.max_rep)
        return rwl_fail(err, RWL_CORRUPT, "repetition level %u of the first entry", p->rep[0]);
    if (needs_value && !p->has_value && rows > 0 && leaf->node->form != RWL_LANCE_NULL)
        return rwl_fail(err, RWL_CORRUPT, "constant page without a value, but not all of it is null");
    return RWL_OK;
}

/* --- opening --- */

static rwl_status set_up(constant_page *p, const rwl_lance_leaf *leaf, const rwl_span *buffers, int32_t count,
                         rwl_error *err) {
    const rwl_lance_layout *layout = p->base.layout;
    if (count % 2 == 1) {
        RWL_TRY(parse_value(p, leaf, buffers[0], err));
        buffers++;
        count--;
    }
    if (count == 2) {
        if (p->has_lists)
            RWL_TRY(
                decode_levels(p, layout->rep, buffers[0], layout->rep_values, "repetition", &p->rep, err));
        RWL_TRY(decode_levels(p, layout->def, buffers[1], layout->def_values, "definition", &p->def, err));
    }
    return check_levels(p, leaf, err);
}

static rwl_status read_buffers(constant_page *p, const rwl_lance_leaf *leaf, rwl_error *err) {
    const rwl_lance_page *page = p->base.page;
    size_t numbers[3] = {0};
    rwl_span buffers[3] = {{0}, {0}, {0}};
    rwl_status st = RWL_OK;
    rwl_lance_fetch fetch;
    rwl_lance_fetch_init(&fetch, p->base.file, p->base.op);
    for (int32_t i = 0; st == RWL_OK && i < page->buffer_count; i++)
        if (page->buffers[i].length > 0)
            st = rwl_lance_fetch_want(&fetch, page->buffers[i].offset, page->buffers[i].length, &numbers[i],
                                      err);
    if (st == RWL_OK)
        st = rwl_lance_fetch_submit(&fetch, err);
    for (int32_t i = 0; st == RWL_OK && i < page->buffer_count; i++)
        if (page->buffers[i].length > 0)
            st = rwl_lance_fetch_get(&fetch, numbers[i], &buffers[i], err);
    if (st == RWL_OK)
        st = set_up(p, leaf, buffers, page->buffer_count, err);
    rwl_lance_fetch_clear(&fetch);
    return st;
}

rwl_status rwl_lance_constant_open(const rwl_lance_page_request *request, rwl_lance_page_reader **out,
                                   rwl_error *err) {
    static const rwl_lance_page_vtable VTABLE = {.want = want_rows, .read = read_rows, .close = close_page};
    if (request->page->buffer_count > 3)
        return rwl_fail(err, RWL_CORRUPT, "constant page of %d buffers", request->page->buffer_count);
    constant_page *p = rwl_calloc(request->op->env, 1, sizeof *p);
    if (p == NULL)
        return rwl_no_memory(err, sizeof *p);
    rwl_lance_page_init(&p->base, &VTABLE, request);
    p->has_lists = p->base.levels.max_rep > 0;
    rwl_status st = take_inline(p, request->leaf, err);
    if (st == RWL_OK)
        st = read_buffers(p, request->leaf, err);
    if (st != RWL_OK) {
        close_page(&p->base);
        return st;
    }
    *out = &p->base;
    return RWL_OK;
}
