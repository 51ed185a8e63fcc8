/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable form, both ways.
 *
 *   bitmap64 := count(u64) { key(u32) bitmap32 }*             keys ascending, 0..2147483646
 *   bitmap32 := 0x303A(u32) n(u32) descriptor*n offset(u32)*n container*n
 *             | 0x303B(u16) n-1(u16) run_flags(ceil(n/8)) descriptor*n [offset(u32)*n if n >= 4] container*n
 *   descriptor := key(u16) cardinality-1(u16)
 *   container := value(u16)*cardinality (up to 4096) | bitmap(8192) | run_count(u16) { first(u16)
 * length-1(u16) }*
 *
 * All numbers are little-endian. Reading takes containers in order, as other libraries do, and does not use
 * the offsets: they are for random access and say nothing that the sizes do not.
 */
#include "bitmap/bitmap_internal.h"

#define COOKIE_PLAIN   0x303Au
#define COOKIE_RUNS    0x303Bu
#define OFFSETS_FROM   4u                    /* containers from which a bitmap with runs has offsets */
#define SIZE_MAX_JAVA  (INT64_C(2147483647)) /* a blob others can read stays below 2 GiB */
#define CONTAINERS_MAX 65536u

/* --- writing --- */

static bool is_runs(const rwl_container *c) {
    return c->kind == RWL_CONTAINER_RUNS;
}

static bool has_runs(const rwl_bitmap_chunk *chunk) {
    for (uint32_t i = 0; i < chunk->len; i++)
        if (is_runs(&chunk->items[i]))
            return true;
    return false;
}

static size_t container_size(const rwl_container *c) {
    if (is_runs(c))
        return 2 + 4 * (size_t)c->len;
    return c->cardinality <= RWL_CONTAINER_ARRAY_MAX ? 2 * (size_t)c->cardinality : 8192;
}

static size_t header_size(uint32_t len, bool runs) {
    if (!runs)
        return 8 + 8 * (size_t)len;
    return 4 + (len + 7) / 8 + 4 * (size_t)len + (len >= OFFSETS_FROM ? 4 * (size_t)len : 0);
}

static size_t chunk_size(const rwl_bitmap_chunk *chunk) {
    size_t size = header_size(chunk->len, has_runs(chunk));
    for (uint32_t i = 0; i < chunk->len; i++)
        size += container_size(&chunk->items[i]);
    return size;
}

static uint8_t *put16(uint8_t *p, uint32_t v) {
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t v) {
    rwl_store_le32(p, v);
    return p + 4;
}

static uint8_t *put_container(uint8_t *p, const rwl_container *c) {
    if (is_runs(c)) {
        p = put16(p, c->len);
        for (uint32_t i = 0; i < c->len; i++) {
            p = put16(p, c->as.runs[i].first);
            p = put16(p, (uint32_t)c->as.runs[i].last - c->as.runs[i].first);
        }
    } else if (c->cardinality > RWL_CONTAINER_ARRAY_MAX) {
        for (uint32_t i = 0; i < RWL_CONTAINER_WORD_COUNT; i++, p += 8)
            rwl_store_le64(p, c->as.words[i]);
    } else {
        uint32_t first, last = 0;
        for (uint32_t from = 0; from <= 65535 && rwl_container_next_run(c, from, &first, &last);
             from = last + 1)
            for (uint32_t v = first; v <= last; v++)
                p = put16(p, v);
    }
    return p;
}

static uint8_t *put_chunk(uint8_t *p, const rwl_bitmap_chunk *chunk) {
    bool runs = has_runs(chunk);
    if (runs) {
        p = put32(p, COOKIE_RUNS | (chunk->len - 1) << 16);
        memset(p, 0, (chunk->len + 7) / 8);
        for (uint32_t i = 0; i < chunk->len; i++)
            p[i / 8] = (uint8_t)(p[i / 8] | (unsigned)is_runs(&chunk->items[i]) << (i % 8));
        p += (chunk->len + 7) / 8;
    } else {
        p = put32(put32(p, COOKIE_PLAIN), chunk->len);
    }
    for (uint32_t i = 0; i < chunk->len; i++)
        p = put16(put16(p, chunk->items[i].key), chunk->items[i].cardinality - 1);
    if (!runs || chunk->len >= OFFSETS_FROM) {
        size_t off = header_size(chunk->len, runs);
        for (uint32_t i = 0; i < chunk->len; i++) {
            p = put32(p, (uint32_t)off);
            off += container_size(&chunk->items[i]);
        }
    }
    for (uint32_t i = 0; i < chunk->len; i++)
        p = put_container(p, &chunk->items[i]);
    return p;
}

rwl_status rwl_bitmap_serialize(const rwl_bitmap *b, rwl_buf *out, rwl_error *err) {
    uint64_t keys = b->len > 0 ? (uint64_t)b->chunks[b->len - 1].key + 1 : 0;
    int64_t size = 8 + 12 * (int64_t)(keys - b->len); /* an absent key is an empty bitmap of 8 bytes */
    for (size_t i = 0; i < b->len; i++)
        size += 4 + (int64_t)chunk_size(&b->chunks[i]);
    if (size > SIZE_MAX_JAVA)
        return rwl_fail(err, RWL_UNSUPPORTED, "bitmap of %lld values needs %lld bytes, more than %lld",
                        (long long)b->count, (long long)size, (long long)SIZE_MAX_JAVA);
    RWL_TRY(rwl_buf_reserve(out, (size_t)size, err));
    uint8_t *p = out->data + out->len;
    rwl_store_le64(p, keys);
    p += 8;
    uint32_t key = 0;
    for (size_t i = 0; i < b->len; i++) {
        for (; key < b->chunks[i].key; key++)
            p = put32(put32(put32(p, key), COOKIE_PLAIN), 0);
        p = put_chunk(put32(p, key++), &b->chunks[i]);
    }
    out->len += (size_t)size;
    return RWL_OK;
}

/* --- reading --- */

/* One 32-bit bitmap's header. */
typedef struct header {
    uint32_t len;
    rwl_span run_flags;   /* empty when no container is in run form */
    rwl_span descriptors; /* 4 bytes each */
} header;

static bool flagged(const header *h, uint32_t i) {
    return h->run_flags.len > 0 && (h->run_flags.data[i / 8] >> (i % 8) & 1) != 0;
}

static rwl_status read_header(rwl_cursor *c, header *h, rwl_error *err) {
    uint32_t cookie;
    int64_t at = (int64_t)c->pos;
    memset(h, 0, sizeof *h);
    RWL_TRY(rwl_cursor_le32(c, &cookie, err));
    bool runs = (cookie & 0xFFFF) == COOKIE_RUNS;
    if (runs) {
        h->len = (cookie >> 16) + 1;
        RWL_TRY(rwl_cursor_bytes(c, (h->len + 7) / 8, &h->run_flags, err));
    } else if (cookie == COOKIE_PLAIN) {
        RWL_TRY(rwl_cursor_le32(c, &h->len, err));
        if (h->len > CONTAINERS_MAX)
            return rwl_fail_at(err, RWL_CORRUPT, at, "bitmap has %u containers, at most 65536 are possible",
                               h->len);
    } else {
        return rwl_fail_at(err, RWL_CORRUPT, at, "bitmap cookie is 0x%08x, expected 0x0000303a or 0x....303b",
                           cookie);
    }
    RWL_TRY(rwl_cursor_bytes(c, 4 * (size_t)h->len, &h->descriptors, err));
    return runs && h->len < OFFSETS_FROM ? RWL_OK : rwl_cursor_skip(c, 4 * (size_t)h->len, err);
}

static rwl_status read_array(rwl_container_heap *heap, rwl_cursor *in, uint32_t cardinality, rwl_container *c,
                             rwl_error *err) {
    rwl_span bytes;
    int64_t at = (int64_t)in->pos;
    RWL_TRY(rwl_cursor_bytes(in, 2 * (size_t)cardinality, &bytes, err));
    RWL_TRY(rwl_container_init_kind(heap, c, RWL_CONTAINER_ARRAY, cardinality, err));
    for (uint32_t i = 0; i < cardinality; i++) {
        c->as.values[i] = rwl_load_le16(bytes.data + 2 * (size_t)i);
        if (i > 0 && c->as.values[i] <= c->as.values[i - 1]) {
            unsigned before = c->as.values[i - 1], value = c->as.values[i];
            rwl_container_clear(heap, c);
            return rwl_fail_at(err, RWL_CORRUPT, at + 2 * (int64_t)i, "bitmap array has %u after %u", value,
                               before);
        }
    }
    c->len = c->cardinality = cardinality;
    return RWL_OK;
}

static rwl_status read_words(rwl_container_heap *heap, rwl_cursor *in, uint32_t cardinality, rwl_container *c,
                             rwl_error *err) {
    rwl_span bytes;
    int64_t at = (int64_t)in->pos;
    RWL_TRY(rwl_cursor_bytes(in, 8192, &bytes, err));
    RWL_TRY(rwl_container_init_kind(heap, c, RWL_CONTAINER_WORDS, 0, err));
    for (uint32_t i = 0; i < RWL_CONTAINER_WORD_COUNT; i++) {
        c->as.words[i] = rwl_load_le64(bytes.data + 8 * (size_t)i);
        c->cardinality += (uint32_t)__builtin_popcountll(c->as.words[i]);
    }
    if (c->cardinality == cardinality)
        return RWL_OK;
    uint32_t found = c->cardinality;
    rwl_container_clear(heap, c);
    return rwl_fail_at(err, RWL_CORRUPT, at, "bitmap container has %u values, its descriptor says %u", found,
                       cardinality);
}

/* Takes the next run; one that touches the run before melts into it. */
static rwl_status take_run(rwl_container *c, uint32_t first, uint32_t length_less_1, int64_t at,
                           rwl_error *err) {
    uint32_t last = first + length_less_1;
    if (last > 65535)
        return rwl_fail_at(err, RWL_CORRUPT, at, "bitmap run of %u values from %u on passes 65535",
                           length_less_1 + 1, first);
    rwl_container_run *before = c->len > 0 ? &c->as.runs[c->len - 1] : NULL;
    if (before != NULL && first <= before->last)
        return rwl_fail_at(err, RWL_CORRUPT, at, "bitmap run begins at %u, the run before ends at %u", first,
                           (unsigned)before->last);
    c->cardinality += length_less_1 + 1;
    if (before != NULL && first == (uint32_t)before->last + 1)
        before->last = (uint16_t)last;
    else
        c->as.runs[c->len++] = (rwl_container_run){(uint16_t)first, (uint16_t)last};
    return RWL_OK;
}

static rwl_status fill_runs(rwl_container *c, rwl_span bytes, uint32_t cardinality, int64_t at,
                            rwl_error *err) {
    for (size_t i = 0; i < bytes.len; i += 4)
        RWL_TRY(take_run(c, rwl_load_le16(bytes.data + i), rwl_load_le16(bytes.data + i + 2), at + (int64_t)i,
                         err));
    if (c->cardinality != cardinality)
        return rwl_fail_at(err, RWL_CORRUPT, at, "bitmap runs hold %u values, the descriptor says %u",
                           c->cardinality, cardinality);
    return RWL_OK;
}

static rwl_status read_runs(rwl_container_heap *heap, rwl_cursor *in, uint32_t cardinality, rwl_container *c,
                            rwl_error *err) {
    uint16_t run_count;
    rwl_span bytes;
    RWL_TRY(rwl_cursor_le16(in, &run_count, err));
    int64_t at = (int64_t)in->pos;
    RWL_TRY(rwl_cursor_bytes(in, 4 * (size_t)run_count, &bytes, err));
    RWL_TRY(rwl_container_init_kind(heap, c, RWL_CONTAINER_RUNS, run_count, err));
    rwl_status st = fill_runs(c, bytes, cardinality, at, err);
    if (st == RWL_OK)
        st = rwl_container_settle(heap, c, err);
    if (st != RWL_OK)
        rwl_container_clear(heap, c);
    return st;
}

static rwl_status read_container(rwl_container_heap *heap, rwl_cursor *in, const header *h, uint32_t i,
                                 rwl_container *c, rwl_error *err) {
    uint16_t key = rwl_load_le16(h->descriptors.data + 4 * (size_t)i);
    uint32_t cardinality = (uint32_t)rwl_load_le16(h->descriptors.data + 4 * (size_t)i + 2) + 1;
    if (flagged(h, i))
        RWL_TRY(read_runs(heap, in, cardinality, c, err));
    else if (cardinality <= RWL_CONTAINER_ARRAY_MAX)
        RWL_TRY(read_array(heap, in, cardinality, c, err));
    else
        RWL_TRY(read_words(heap, in, cardinality, c, err));
    c->key = key;
    return RWL_OK;
}

static rwl_status read_chunk(rwl_bitmap *b, uint32_t key, rwl_cursor *in, rwl_error *err) {
    header h;
    RWL_TRY(read_header(in, &h, err));
    if (h.len == 0)
        return RWL_OK;
    rwl_bitmap_chunk *chunk;
    RWL_TRY(rwl_bitmap_insert_chunk(b, b->len, key, &chunk, err));
    for (uint32_t i = 0; i < h.len; i++) {
        rwl_container c;
        int64_t at = (int64_t)in->pos;
        RWL_TRY(read_container(&b->heap, in, &h, i, &c, err));
        if (chunk->len > 0 && chunk->items[chunk->len - 1].key >= c.key) {
            unsigned before = chunk->items[chunk->len - 1].key, container_key = c.key;
            rwl_container_clear(&b->heap, &c);
            return rwl_fail_at(err, RWL_CORRUPT, at, "bitmap container key %u follows %u", container_key,
                               before);
        }
        b->count += c.cardinality;
        RWL_TRY(rwl_bitmap_insert_container(b, chunk, chunk->len, &c, err));
    }
    return RWL_OK;
}

static rwl_status read_bitmap(rwl_bitmap *b, rwl_cursor *in, rwl_error *err) {
    uint64_t count;
    RWL_TRY(rwl_cursor_le64(in, &count, err));
    if (count > rwl_cursor_left(in) / 12) /* a key and the smallest bitmap */
        return rwl_fail_at(err, RWL_CORRUPT, 0, "bitmap count %llu is more than %zu bytes can hold",
                           (unsigned long long)count, rwl_cursor_left(in));
    int64_t before = -1;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t key;
        int64_t at = (int64_t)in->pos;
        RWL_TRY(rwl_cursor_le32(in, &key, err));
        if (key > RWL_BITMAP_KEY_MAX)
            return rwl_fail_at(err, RWL_CORRUPT, at, "bitmap key %u is above %u", key, RWL_BITMAP_KEY_MAX);
        if ((int64_t)key <= before)
            return rwl_fail_at(err, RWL_CORRUPT, at, "bitmap key %u follows %lld", key, (long long)before);
        before = key;
        RWL_TRY(read_chunk(b, key, in, err));
    }
    if (rwl_cursor_left(in) > 0)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)in->pos, "%zu bytes after the end of the bitmap",
                           rwl_cursor_left(in));
    return RWL_OK;
}

rwl_status rwl_bitmap_deserialize(const rwl_env *env, rwl_span bytes, rwl_bitmap **out, rwl_error *err) {
    *out = NULL;
    rwl_bitmap *b;
    RWL_TRY(rwl_bitmap_new(env, &b, err));
    rwl_cursor in = rwl_cursor_of(bytes);
    rwl_status st = read_bitmap(b, &in, err);
    if (st != RWL_OK)
        rwl_bitmap_free(b);
    else
        *out = b;
    return st;
}
