/* SPDX-License-Identifier: Apache-2.0 */
/* Builds, opens and reads single pages for tests. */
#include "page_test.h"

#include "memory_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void check(rwl_status st) {
    ck_assert_int_eq(st, RWL_OK);
}

rwl_status page_test_open(page_test *t, const rwl_lance_node *node, int32_t column, int32_t page) {
    const rwl_lance_column *c = NULL;
    rwl_arena_init(&t->arena, &t->env, 0);
    rwl_lance_fetch_init(&t->fetch, t->file, &t->op);
    RWL_TRY(rwl_lance_leaf_init(&t->leaf, &t->env, node, &t->error));
    RWL_TRY(rwl_lancefile_column(t->file, &t->op, column, &c, &t->error));
    RWL_TRY(rwl_lance_layout_parse(c->pages[page].encoding, &t->arena, &t->layout, &t->error));
    RWL_TRY(rwl_lance_leaf_check_layers(&t->leaf, &t->layout, &t->error));
    rwl_lance_page_request request = {.op = &t->op,
                                      .file = t->file,
                                      .column = c,
                                      .page = &c->pages[page],
                                      .layout = &t->layout,
                                      .leaf = &t->leaf,
                                      .fetch = &t->fetch,
                                      .general = &t->general};
    return rwl_lance_page_open(&request, &t->page, &t->error);
}

rwl_status page_test_build(page_test *t, const rwl_lance_node *node, const page_parts *parts) {
    memset(t, 0, sizeof *t);
    rwl_env_init_default(&t->env);
    rwl_op_init(&t->op, &t->env, 0);
    rwl_buf_init(&t->bytes, &t->env, SIZE_MAX);
    lance_build b;
    lance_build_init(&b, &t->env, 2, parts->is_2_1 ? 1 : 2);
    lance_build_field(&b, "a", 0, -1, "int32", true);
    lance_build_column(&b);
    for (int i = 0; i < parts->buffer_count; i++)
        lance_build_buffer(&b, parts->buffers[i].data, parts->buffers[i].len);
    lance_build_page(&b, parts->row_count, parts->encoding);
    lance_build_finish(&b, parts->row_count, &t->bytes);
    lance_build_clear(&b);
    t->store = rwl_memory_store_new(&t->env, rwl_buf_span(&t->bytes));
    RWL_TRY(rwl_lancefile_open(t->store, &t->op, "a.lance", 0, &t->file, &t->error));
    return page_test_open(t, node, 0, 0);
}

void page_test_close(page_test *t) {
    rwl_lance_page_close(t->page);
    t->page = NULL;
    rwl_lance_fetch_clear(&t->fetch);
    rwl_lance_leaf_clear(&t->leaf);
    rwl_arena_clear(&t->arena);
}

void page_test_clear(page_test *t) {
    page_test_close(t);
    rwl_lance_general_clear(&t->general);
    rwl_lancefile_free(t->file);
    rwl_store_free(t->store);
    rwl_buf_clear(&t->bytes);
    ck_assert_int_eq(atomic_load(&t->op.memory_used), 0);
}

rwl_status page_test_append(page_test *t, const rwl_range *rows, size_t count) {
    size_t number = 0;
    rwl_lance_fetch_reset(&t->fetch);
    RWL_TRY(t->page->vtable->want(t->page, rows, count, &number, &t->error));
    RWL_TRY(rwl_lance_fetch_submit(&t->fetch, &t->error));
    return t->page->vtable->read(t->page, rows, count, number, &t->leaf, &t->error);
}

rwl_status page_test_read(page_test *t, const rwl_range *rows, size_t count) {
    rwl_lance_leaf_reset(&t->leaf);
    return page_test_append(t, rows, count);
}

/* --- text --- */

static void put_bits(rwl_buf *out, const uint8_t *bits, int64_t from, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        check(rwl_buf_u8(out, rwl_bit_get(bits, from + i) ? '1' : '0', NULL));
}

static void put_slot(const rwl_lance_leaf *leaf, int64_t slot, rwl_buf *out) {
    if (leaf->node->form == RWL_LANCE_BYTES) {
        check(rwl_buf_hex(out, rwl_column_bytes(&leaf->values, slot), NULL));
    } else if (leaf->width_bits > 0 && leaf->width_bits % 8 == 0) {
        size_t width = (size_t)leaf->width_bits / 8;
        check(rwl_buf_hex(out, rwl_span_of(leaf->values.values.data + (size_t)slot * width, width), NULL));
    } else {
        put_bits(out, leaf->values.values.data, slot * leaf->width_bits, leaf->width_bits);
    }
    int64_t items;
    for (int level = 0; (items = rwl_lance_leaf_items(leaf, level)) > 0; level++) {
        const uint8_t *bits = rwl_lance_leaf_item_validity(leaf, level);
        check(rwl_buf_u8(out, '|', NULL));
        for (int64_t i = 0; bits == NULL && i < items; i++)
            check(rwl_buf_u8(out, '1', NULL));
        if (bits != NULL)
            put_bits(out, bits, slot * items, items);
    }
}

/* The greatest normalised level of an entry with a slot: the item's, and of the structs around it up to the first list. */
static int max_visible(const rwl_lance_leaf *leaf) {
    int levels = 1;
    for (const rwl_lance_node *p = leaf->node->parent; p != NULL; p = p->parent, levels++)
        if (p->form == RWL_LANCE_LIST || p->form == RWL_LANCE_MAP)
            break;
    return levels;
}

char *page_test_text(const page_test *t) {
    const rwl_lance_leaf *leaf = &t->leaf;
    rwl_buf out;
    rwl_buf_init(&out, &t->env, SIZE_MAX);
    check(rwl_buf_printf(&out, NULL, "%" PRId64 " rows", leaf->rows));
    int64_t slot = 0;
    ck_assert(leaf->rep.count == (leaf->list_count > 0 ? leaf->entries : 0));
    ck_assert(leaf->def.count == 0 || leaf->def.count == leaf->entries);
    for (int64_t i = 0; i < leaf->entries; i++) {
        int def = leaf->def.count > 0 ? leaf->def.items[i] : 0;
        check(rwl_buf_printf(&out, NULL, "\n%d/%d ", leaf->rep.count > 0 ? leaf->rep.items[i] : 0, def));
        if (def > max_visible(leaf))
            continue;
        ck_assert_int_lt(slot, leaf->slots);
        if (leaf->node->form == RWL_LANCE_BYTES && def > 0)
            ck_assert_uint_eq(rwl_column_bytes(&leaf->values, slot).len, 0);
        if (def == 0)
            put_slot(leaf, slot, &out);
        slot++;
    }
    ck_assert_int_eq(slot, leaf->slots);
    check(rwl_buf_terminate(&out, NULL));
    char *text = strdup((const char *)out.data);
    ck_assert_ptr_nonnull(text);
    rwl_buf_clear(&out);
    return text;
}

/* --- building --- */

static void pad_to_8(rwl_buf *out) {
    while (out->len % 8 != 0)
        check(rwl_buf_u8(out, 0xFE, NULL));
}

static void put16(rwl_buf *out, size_t value) {
    uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    check(rwl_buf_append(out, bytes, 2, NULL));
}

void put_mini_chunk(rwl_buf *words, rwl_buf *chunks, bool is_large, const mini_chunk_spec *spec) {
    size_t begin = chunks->len, levels_len = (size_t)spec->level_count * 2;
    put16(chunks, (size_t)spec->level_count);
    if (spec->rep != NULL)
        put16(chunks, levels_len);
    if (spec->def != NULL)
        put16(chunks, levels_len);
    for (int i = 0; i < spec->buffer_count; i++) {
        if (is_large)
            check(rwl_buf_le32(chunks, (uint32_t)spec->buffers[i].len, NULL));
        else
            put16(chunks, spec->buffers[i].len);
    }
    pad_to_8(chunks);
    for (int k = 0; k < 2; k++) {
        const uint16_t *levels = k == 0 ? spec->rep : spec->def;
        for (int i = 0; levels != NULL && i < spec->level_count; i++)
            put16(chunks, levels[i]);
        pad_to_8(chunks);
    }
    for (int i = 0; i < spec->buffer_count; i++) {
        check(rwl_buf_append(chunks, spec->buffers[i].data, spec->buffers[i].len, NULL));
        pad_to_8(chunks);
    }
    size_t word = ((chunks->len - begin) / 8 - 1) << 4 | (size_t)spec->log2;
    if (is_large)
        check(rwl_buf_le32(words, (uint32_t)word, NULL));
    else
        put16(words, word);
}

void put_mini_layout(rwl_buf *out, const mini_layout_spec *spec) {
    size_t at = pb_begin(out, 1);
    if (spec->has_rep)
        lance_put_flat(out, 1, 16);
    if (spec->has_def)
        lance_put_flat(out, 2, 16);
    check(rwl_buf_append(out, spec->values->data, spec->values->len, NULL));
    if (spec->dictionary != NULL) {
        check(rwl_buf_append(out, spec->dictionary->data, spec->dictionary->len, NULL));
        pb_varint(out, 5, spec->dictionary_items);
    }
    pb_packed(out, 6, spec->layers, spec->layer_count);
    pb_varint(out, 7, spec->buffers);
    if (spec->depth > 0)
        pb_varint(out, 8, spec->depth);
    pb_varint(out, 9, spec->items);
    if (spec->is_large)
        pb_varint(out, 10, 1);
    pb_end(out, at);
}
