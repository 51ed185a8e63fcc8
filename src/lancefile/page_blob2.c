/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blobs of version 2 (file version 2.2): a page of packed structs, laid out as any of them, with the levels of the field.
 *
 *   kind 0 inline      `size` bytes at `position` of the data file
 *   kind 1 packed      the same of sidecar `blob_id`, which holds many blobs
 *   kind 2 dedicated   sidecar `blob_id`, as many bytes as it has
 *   kind 3 external    bytes of what `blob_uri` names: with blob_id 0 a URL, else a path below base path `blob_id` of the manifest;
 *                      size 0: all of it
 *   kind 4 managed     of file version 2.3: UNSUPPORTED
 *
 * Null is told by the levels. Sidecars lie beside the data file, under a name that is made of the number alone.
 */
#include "lancefile/blob_internal.h"
#include "lancefile/field_internal.h"

enum { KIND_INLINE, KIND_PACKED, KIND_DEDICATED, KIND_EXTERNAL, KIND_MANAGED };

enum {
    FIELDS = 5,
    TOGETHER_MAX = 8 * 1024 * 1024 /* bytes of neighbours in a pack, read at once */
};

typedef struct blob {
    uint32_t kind, blob_id;
    uint64_t position, size;
    rwl_span uri; /* in the leaf of the places */
} blob;

typedef struct blob2_page {
    rwl_lance_page_reader base;
    rwl_lance_places places;
    rwl_lance_node node, fields[FIELDS];
    RWL_VEC(blob) blobs; /* by slot of the places that are loaded */
    int32_t visible_max; /* greatest definition level that has a slot */
    rwl_lance_blob_file file;
    rwl_lance_level_map same; /* levels of the places are the leaf's already */
} blob2_page;

/* --- places --- */

/* Numbers of 1, 8, 8 and 4 bytes, then a text, each behind its length. */
static rwl_status parse_place(rwl_span slot, blob *out, rwl_error *err) {
    static const size_t widths[FIELDS] = {1, 8, 8, 4, SIZE_MAX};
    uint64_t numbers[FIELDS] = {0};
    rwl_cursor c = rwl_cursor_of(slot);
    rwl_span bytes = {NULL, 0};
    for (int i = 0; i < FIELDS; i++) {
        uint32_t len = 0;
        RWL_TRY(rwl_cursor_le32(&c, &len, err));
        RWL_TRY(rwl_cursor_bytes(&c, len, &bytes, err));
        if (len != widths[i] && widths[i] != SIZE_MAX)
            return rwl_fail(err, RWL_INTERNAL, "field %d of a blob's place has %u bytes", i, len);
        for (size_t k = 0; k < len && widths[i] != SIZE_MAX; k++)
            numbers[i] |= (uint64_t)bytes.data[k] << (8 * k);
    }
    *out = (blob){(uint32_t)numbers[0], (uint32_t)numbers[3], numbers[1], numbers[2], bytes};
    return RWL_OK;
}

/* An external blob without a size is all of its file. */
static rwl_status find_size(blob2_page *page, blob *b, rwl_error *err) {
    if (b->kind >= KIND_MANAGED)
        return rwl_fail(err, b->kind == KIND_MANAGED ? RWL_UNSUPPORTED : RWL_CORRUPT, "blob of kind %u%s",
                        b->kind, b->kind == KIND_MANAGED ? " (managed) is not supported" : "");
    if (b->kind == KIND_DEDICATED)
        b->position = 0;
    if (b->kind == KIND_EXTERNAL && b->size == 0) {
        if (b->position != 0)
            return rwl_fail(err, RWL_CORRUPT, "external blob from %llu on without a size",
                            (unsigned long long)b->position);
        RWL_TRY(rwl_lance_blob_open_uri(&page->file, &page->base, b->blob_id, b->uri, err));
        b->size = (uint64_t)page->file.size;
    }
    if (b->size > INT64_MAX || b->position > INT64_MAX)
        return rwl_fail(err, RWL_CORRUPT, "blob of %llu bytes at %llu", (unsigned long long)b->size,
                        (unsigned long long)b->position);
    return RWL_OK;
}

static uint16_t def_at(const rwl_lance_leaf *leaf, int64_t entry) {
    return leaf->def.count > 0 ? leaf->def.items[entry] : 0;
}

static bool begins_row(const rwl_lance_leaf *leaf, int64_t entry) {
    return leaf->list_count == 0 || leaf->rep.items[entry] >= leaf->list_count;
}

static rwl_status parse_places(blob2_page *page, rwl_error *err) {
    const rwl_lance_leaf *leaf = &page->places.leaf;
    int64_t slot = 0;
    page->blobs.len = 0;
    RWL_TRY(rwl_vec_reserve(&page->blobs, page->base.op->env, (size_t)leaf->slots, err));
    for (int64_t i = 0; i < leaf->entries; i++) {
        uint16_t def = def_at(leaf, i);
        blob b = {.kind = KIND_INLINE};
        if (def > page->visible_max)
            continue;
        if (slot == leaf->slots)
            return rwl_fail(err, RWL_CORRUPT, "blobs: %lld places, levels tell of more", (long long)slot);
        if (def == 0) {
            RWL_TRY(parse_place(rwl_column_bytes(&leaf->values, slot), &b, err));
            rwl_status st = find_size(page, &b, err);
            if (st != RWL_OK)
                return rwl_error_in(err, st, "blob %lld", (long long)slot);
        }
        page->blobs.items[slot++] = b;
    }
    if (slot != leaf->slots)
        return rwl_fail(err, RWL_CORRUPT, "blobs: %lld places, levels tell of %lld", (long long)leaf->slots,
                        (long long)slot);
    page->blobs.len = (size_t)slot;
    return RWL_OK;
}

static rwl_status load_blobs(blob2_page *page, const rwl_range *rows, size_t count, rwl_error *err) {
    bool is_new;
    RWL_TRY(rwl_lance_places_load(&page->places, rows, count, &is_new, err));
    if (!is_new)
        return RWL_OK;
    rwl_status st = parse_places(page, err);
    if (st != RWL_OK)
        page->places.loaded.len = 0;
    return st;
}

/* How many of the first rows are at most `bytes_max`, whose entries and slots are so many. */
static int64_t walk_rows(const blob2_page *page, int64_t rows, uint64_t bytes_max, int64_t *entries,
                         int64_t *slots) {
    const rwl_lance_leaf *leaf = &page->places.leaf;
    int64_t row = 0, slot = 0, i = 0;
    *entries = *slots = 0;
    for (; i < leaf->entries; i++) {
        if (i > 0 && begins_row(leaf, i)) {
            row++;
            *entries = i;
            *slots = slot;
        }
        if (row == rows)
            return rows;
        if (def_at(leaf, i) > page->visible_max)
            continue;
        uint64_t size = page->blobs.items[slot++].size;
        if (size > bytes_max)
            return row;
        bytes_max -= size;
    }
    *entries = leaf->entries;
    *slots = slot;
    return rows;
}

static rwl_status measure_blobs(rwl_lance_page_reader *base, const rwl_range *ranges, size_t count,
                                int64_t rows, int64_t bytes_max, int64_t *fitting, rwl_error *err) {
    blob2_page *page = (blob2_page *)base;
    int64_t entries, slots;
    RWL_TRY(load_blobs(page, ranges, count, err));
    *fitting = walk_rows(page, rows, bytes_max > 0 ? (uint64_t)bytes_max : 0, &entries, &slots);
    return RWL_OK;
}

static rwl_status fit_blobs(rwl_lance_page_reader *base, const rwl_range *rows, size_t count,
                            int64_t bytes_max, int64_t *fitting, rwl_error *err) {
    blob2_page *page = (blob2_page *)base;
    return rwl_lance_places_fit(&page->places, base, measure_blobs, rows, count, bytes_max, fitting, err);
}

/* --- bytes --- */

/* Asks for those of the data file alone: what lies in others is read when its turn comes. */
static rwl_status want_blobs(rwl_lance_page_reader *base, const rwl_range *rows, size_t count, size_t *number,
                             rwl_error *err) {
    blob2_page *page = (blob2_page *)base;
    int64_t entries, slots, total = rwl_lance_count_rows(rows, count);
    RWL_TRY(load_blobs(page, rows, count, err));
    if (walk_rows(page, total, (uint64_t)RWL_LANCE_BLOB_WANTED_MAX, &entries, &slots) < total)
        return rwl_fail(err, RWL_UNSUPPORTED, "more than %lld bytes of blobs in %lld rows at once",
                        (long long)RWL_LANCE_BLOB_WANTED_MAX, (long long)total);
    bool is_first = true;
    *number = 0;
    for (int64_t i = 0; i < slots; i++) {
        const blob *b = &page->blobs.items[i];
        size_t piece;
        if (b->kind != KIND_INLINE || b->size == 0)
            continue;
        RWL_TRY(rwl_lance_fetch_want(base->fetch, (int64_t)b->position, (int64_t)b->size, &piece, err));
        if (is_first)
            *number = piece;
        is_first = false;
    }
    return RWL_OK;
}

/* Blobs from slot `at` on, before `end`, whose bytes lie side by side in one pack, those of no bytes among them; `*len` bytes in all. Of
 * other kinds it is one. */
static int64_t count_neighbours(const blob2_page *page, int64_t at, int64_t end, uint64_t *len) {
    const blob *first = &page->blobs.items[at];
    int64_t i = at + 1;
    *len = first->size;
    for (; first->kind == KIND_PACKED && i < end; i++) {
        const blob *b = &page->blobs.items[i];
        if (b->size == 0)
            continue;
        if (b->kind != KIND_PACKED || b->blob_id != first->blob_id || b->position != first->position + *len ||
            *len + b->size > TOGETHER_MAX)
            break;
        *len += b->size;
    }
    return i - at;
}

static rwl_status open_other(blob2_page *page, const blob *b, rwl_error *err) {
    return b->kind == KIND_EXTERNAL
               ? rwl_lance_blob_open_uri(&page->file, &page->base, b->blob_id, b->uri, err)
               : rwl_lance_blob_open_sidecar(&page->file, &page->base, b->blob_id, err);
}

/* Reads `count` blobs of another file, side by side there, to where they stay. */
static rwl_status read_other(blob2_page *page, int64_t at, int64_t count, uint64_t len, rwl_lance_leaf *leaf,
                             rwl_error *err) {
    rwl_column *values = &leaf->values;
    const blob *b = &page->blobs.items[at];
    RWL_TRY(open_other(page, b, err));
    RWL_TRY(rwl_lance_blob_check(&page->file, b->position, len, err));
    RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, count, (size_t)len, err));
    rwl_status st = rwl_file_read(page->file.file, page->base.op, (int64_t)b->position, (size_t)len,
                                  values->values.data + values->bytes_len, err);
    if (st != RWL_OK)
        return rwl_error_path(err, st, page->file.location);
    page->base.fetch->bytes_read += (int64_t)len;
    page->base.fetch->requests++;
    int32_t *offsets = (int32_t *)(void *)values->offsets.data;
    for (int64_t i = 0; i < count; i++) {
        values->bytes_len += (size_t)b[i].size;
        offsets[++values->length] = (int32_t)values->bytes_len;
    }
    leaf->slots += count;
    return RWL_OK;
}

static rwl_status read_blobs(rwl_lance_page_reader *base, const rwl_range *rows, size_t count, size_t number,
                             rwl_lance_leaf *leaf, rwl_error *err) {
    blob2_page *page = (blob2_page *)base;
    const rwl_lance_leaf *places = &page->places.leaf;
    int64_t entries, slots, total = rwl_lance_count_rows(rows, count);
    if (!rwl_lance_places_are_loaded(&page->places, rows, count))
        return rwl_fail(err, RWL_INTERNAL, "blobs of rows that were not wanted");
    walk_rows(page, total, UINT64_MAX, &entries, &slots);
    for (int64_t i = 0, more; i < slots; i += more) {
        const blob *b = &page->blobs.items[i];
        rwl_span bytes = rwl_span_of("", 0);
        more = 1;
        if (b->size > 0 && b->kind != KIND_INLINE) {
            uint64_t len;
            more = count_neighbours(page, i, slots, &len);
            RWL_TRY(read_other(page, i, more, len, leaf, err));
            continue;
        }
        if (b->size > 0)
            RWL_TRY(rwl_lance_fetch_get(base->fetch, number++, &bytes, err));
        RWL_TRY(rwl_lance_leaf_add_same(leaf, bytes, 1, err));
    }
    return rwl_lance_leaf_add_entries(leaf, &page->same, places->rep.count > 0 ? places->rep.items : NULL,
                                      places->def.count > 0 ? places->def.items : NULL, entries, total, err);
}

static void close_blobs(rwl_lance_page_reader *base) {
    blob2_page *page = (blob2_page *)base;
    rwl_lance_places_clear(&page->places);
    rwl_vec_clear(&page->blobs, base->op->env);
    rwl_lance_blob_close(&page->file);
    rwl_free(base->op->env, page);
}

static const rwl_lance_page_vtable blob2_vtable = {
    .want = want_blobs, .read = read_blobs, .close = close_blobs, .fit = fit_blobs};

/* --- opening --- */

/* The struct that the column holds, where the field stands. */
static void make_nodes(blob2_page *page, const rwl_lance_node *field) {
    static const struct {
        const char *name, *type;
        int32_t bits;
    } fields[FIELDS] = {{"kind", "uint8", 8},
                        {"position", "uint64", 64},
                        {"size", "uint64", 64},
                        {"blob_id", "uint32", 32},
                        {"blob_uri", "string", 0}};
    for (int32_t i = 0; i < FIELDS; i++)
        page->fields[i] = (rwl_lance_node){.field.name = fields[i].name,
                                           .form = fields[i].bits > 0 ? RWL_LANCE_FIXED : RWL_LANCE_BYTES,
                                           .bits = fields[i].bits,
                                           .place = i,
                                           .logical_type = fields[i].type,
                                           .parent = &page->node};
    page->node = (rwl_lance_node){.form = RWL_LANCE_PACKED,
                                  .logical_type = "struct",
                                  .parent = field->parent,
                                  .node_count = FIELDS + 1,
                                  .children = page->fields,
                                  .child_count = FIELDS};
}

/* Levels of items below the innermost list have slots. */
static void set_levels(blob2_page *page, const rwl_lance_leaf *leaf) {
    page->visible_max = 1;
    for (const rwl_lance_node *p = leaf->node->parent; p != NULL; p = p->parent) {
        if (p->form == RWL_LANCE_MAP || (p->form == RWL_LANCE_LIST && p->dimension == 0))
            break;
        page->visible_max++;
    }
    page->same.level_count = 2 * RWL_LANCE_LAYERS_MAX + 1;
    page->same.max_rep = leaf->list_count;
    for (int32_t i = 0; i < page->same.level_count; i++)
        page->same.full[i] = (uint16_t)i;
}

rwl_status rwl_lance_blob2_open(const rwl_lance_page_request *request, rwl_lance_page_reader **out,
                                rwl_error *err) {
    *out = NULL;
    blob2_page *page = rwl_calloc(request->op->env, 1, sizeof *page);
    if (page == NULL)
        return rwl_no_memory(err, sizeof *page);
    rwl_lance_page_init(&page->base, &blob2_vtable, request);
    make_nodes(page, request->leaf->node);
    set_levels(page, request->leaf);
    rwl_status st = rwl_lance_places_open(&page->places, request, request->layout, &page->node, err);
    if (st != RWL_OK) {
        close_blobs(&page->base);
        return st;
    }
    *out = &page->base;
    return RWL_OK;
}
