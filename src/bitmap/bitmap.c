/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of 64-bit numbers: making, adding, joining. */
#include "bitmap/bitmap.h"

#include "bitmap/bitmap_internal.h"

rwl_status rwl_bitmap_new(const rwl_env *env, rwl_bitmap **out, rwl_error *err) {
    *out = NULL;
    rwl_bitmap *b = rwl_calloc(env, 1, sizeof *b);
    if (b == NULL)
        return rwl_no_memory(err, sizeof *b);
    b->heap.env = env;
    b->heap.bytes = (int64_t)sizeof *b;
    *out = b;
    return RWL_OK;
}

static void clear_chunk(rwl_bitmap *b, rwl_bitmap_chunk *chunk) {
    for (uint32_t i = 0; i < chunk->len; i++)
        rwl_container_clear(&b->heap, &chunk->items[i]);
    rwl_free(b->heap.env, chunk->items);
    b->heap.bytes -= (int64_t)(chunk->cap * sizeof *chunk->items);
}

void rwl_bitmap_free(rwl_bitmap *b) {
    if (b == NULL)
        return;
    for (size_t i = 0; i < b->len; i++)
        clear_chunk(b, &b->chunks[i]);
    const rwl_env *env = b->heap.env;
    rwl_free(env, b->chunks);
    rwl_free(env, b);
}

int64_t rwl_bitmap_count(const rwl_bitmap *b) {
    return b->count;
}

int64_t rwl_bitmap_memory(const rwl_bitmap *b) {
    return b->heap.bytes;
}

/* --- where a value belongs --- */

rwl_status rwl_bitmap_insert_chunk(rwl_bitmap *b, size_t at, uint32_t key, rwl_bitmap_chunk **out,
                                   rwl_error *err) {
    if (b->len == b->cap) {
        size_t cap = b->cap > 0 ? b->cap * 2 : 1, size = cap * sizeof *b->chunks;
        rwl_bitmap_chunk *chunks = rwl_realloc(b->heap.env, b->chunks, size);
        if (chunks == NULL)
            return rwl_no_memory(err, size);
        b->heap.bytes += (int64_t)((cap - b->cap) * sizeof *chunks);
        b->chunks = chunks;
        b->cap = cap;
    }
    rwl_bitmap_chunk *chunk = b->chunks + at;
    memmove(chunk + 1, chunk, (b->len - at) * sizeof *chunk);
    *chunk = (rwl_bitmap_chunk){.key = key};
    b->len++;
    *out = chunk;
    return RWL_OK;
}

static void drop_chunk(rwl_bitmap *b, size_t at) {
    clear_chunk(b, &b->chunks[at]);
    memmove(b->chunks + at, b->chunks + at + 1, (b->len - at - 1) * sizeof *b->chunks);
    b->len--;
}

rwl_status rwl_bitmap_insert_container(rwl_bitmap *b, rwl_bitmap_chunk *chunk, uint32_t at, rwl_container *c,
                                       rwl_error *err) {
    if (chunk->len == chunk->cap) {
        uint32_t cap = chunk->cap > 0 ? chunk->cap * 2 : 1;
        size_t size = cap * sizeof *chunk->items;
        rwl_container *items = rwl_realloc(b->heap.env, chunk->items, size);
        if (items == NULL) {
            rwl_container_clear(&b->heap, c);
            return rwl_no_memory(err, size);
        }
        b->heap.bytes += (int64_t)((cap - chunk->cap) * sizeof *items);
        chunk->items = items;
        chunk->cap = cap;
    }
    rwl_container *item = chunk->items + at;
    memmove(item + 1, item, (chunk->len - at) * sizeof *item);
    *item = *c;
    chunk->len++;
    return RWL_OK;
}

/* Index of the first chunk whose key is at least `key`. */
static size_t find_chunk(const rwl_bitmap *b, uint32_t key) {
    size_t low = 0, high = b->len;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (b->chunks[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Index of the first container whose key is at least `key`. */
static uint32_t find_item(const rwl_bitmap_chunk *chunk, uint16_t key) {
    uint32_t low = 0, high = chunk->len;
    if (high > 0 && chunk->items[high - 1].key < key)
        return high; /* appending */
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (chunk->items[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static uint32_t key_of(int64_t value) {
    return (uint32_t)((uint64_t)value >> 32);
}
static uint16_t sub_of(int64_t value) {
    return (uint16_t)((uint64_t)value >> 16);
}
static uint32_t low_of(int64_t value) {
    return (uint32_t)((uint64_t)value & 0xFFFF);
}

/* The container that `value` belongs to, or NULL; when NULL, `chunk` and `item` say where it would go. */
static rwl_container *locate(rwl_bitmap *b, int64_t value) {
    uint32_t key = key_of(value);
    uint16_t sub = sub_of(value);
    if (b->hint_chunk < b->len && b->chunks[b->hint_chunk].key == key) {
        rwl_bitmap_chunk *hinted = &b->chunks[b->hint_chunk];
        if (b->hint_item < hinted->len && hinted->items[b->hint_item].key == sub)
            return &hinted->items[b->hint_item];
    } else {
        b->hint_chunk = find_chunk(b, key);
    }
    b->hint_item = 0;
    if (b->hint_chunk == b->len || b->chunks[b->hint_chunk].key != key)
        return NULL;
    rwl_bitmap_chunk *chunk = &b->chunks[b->hint_chunk];
    b->hint_item = find_item(chunk, sub);
    bool there = b->hint_item < chunk->len && chunk->items[b->hint_item].key == sub;
    return there ? &chunk->items[b->hint_item] : NULL;
}

/* Moves a new container for `value` to where `locate` has just found that it belongs. */
static rwl_status insert_at_hint(rwl_bitmap *b, int64_t value, rwl_container *c, rwl_error *err) {
    bool new_chunk = b->hint_chunk == b->len || b->chunks[b->hint_chunk].key != key_of(value);
    rwl_bitmap_chunk *chunk;
    if (new_chunk) {
        rwl_status st = rwl_bitmap_insert_chunk(b, b->hint_chunk, key_of(value), &chunk, err);
        if (st != RWL_OK) {
            rwl_container_clear(&b->heap, c);
            return st;
        }
    } else {
        chunk = &b->chunks[b->hint_chunk];
    }
    c->key = sub_of(value);
    int64_t cardinality = c->cardinality;
    rwl_status st = rwl_bitmap_insert_container(b, chunk, b->hint_item, c, err);
    if (st == RWL_OK)
        b->count += cardinality;
    else if (new_chunk)
        drop_chunk(b, b->hint_chunk);
    return st;
}

/* --- adding --- */

static rwl_status check_value(int64_t value, rwl_error *err) {
    if (value < 0 || value > RWL_BITMAP_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "position %lld is outside 0..%lld", (long long)value,
                        (long long)RWL_BITMAP_MAX);
    return RWL_OK;
}

rwl_status rwl_bitmap_add_checked(rwl_bitmap *b, int64_t value, bool *was_there, rwl_error *err) {
    RWL_TRY(check_value(value, err));
    rwl_container *c = locate(b, value);
    if (c != NULL) {
        uint32_t before = c->cardinality;
        rwl_status st = rwl_container_add(&b->heap, c, low_of(value), was_there, err);
        b->count += (int64_t)c->cardinality - before;
        return st;
    }
    *was_there = false;
    rwl_container made;
    RWL_TRY(rwl_container_init_range(&b->heap, &made, low_of(value), low_of(value), err));
    return insert_at_hint(b, value, &made, err);
}

rwl_status rwl_bitmap_add(rwl_bitmap *b, int64_t value, rwl_error *err) {
    bool was_there;
    return rwl_bitmap_add_checked(b, value, &was_there, err);
}

/* Adds first..last, which lie in one container. */
static rwl_status add_span(rwl_bitmap *b, int64_t first, int64_t last, rwl_error *err) {
    rwl_container *c = locate(b, first);
    if (c != NULL) {
        uint32_t before = c->cardinality;
        rwl_status st = rwl_container_add_range(&b->heap, c, low_of(first), low_of(last), err);
        b->count += (int64_t)c->cardinality - before;
        return st;
    }
    rwl_container made;
    RWL_TRY(rwl_container_init_range(&b->heap, &made, low_of(first), low_of(last), err));
    return insert_at_hint(b, first, &made, err);
}

rwl_status rwl_bitmap_add_range(rwl_bitmap *b, int64_t start, int64_t count, rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    RWL_TRY(check_value(start, err));
    if (count < 0 || count - 1 > RWL_BITMAP_MAX - start)
        return rwl_fail(err, RWL_UNSUPPORTED, "%lld positions from %lld on pass the greatest, %lld",
                        (long long)count, (long long)start, (long long)RWL_BITMAP_MAX);
    int64_t end = start + count;
    while (start < end) {
        int64_t container_last = start | 0xFFFF;
        int64_t last = container_last < end ? container_last : end - 1;
        RWL_TRY(add_span(b, start, last, err));
        start = last + 1;
    }
    return RWL_OK;
}

static int64_t base_of(const rwl_bitmap_chunk *chunk, const rwl_container *c) {
    return (int64_t)((uint64_t)chunk->key << 32 | (uint64_t)c->key << 16);
}

static rwl_status union_container(rwl_bitmap *into, int64_t base, const rwl_container *from, rwl_error *err) {
    rwl_container *c = locate(into, base);
    if (c != NULL) {
        uint32_t before = c->cardinality;
        rwl_status st = rwl_container_union(&into->heap, c, from, err);
        into->count += (int64_t)c->cardinality - before;
        return st;
    }
    rwl_container made;
    RWL_TRY(rwl_container_copy(&into->heap, &made, from, err));
    return insert_at_hint(into, base, &made, err);
}

rwl_status rwl_bitmap_union(rwl_bitmap *into, const rwl_bitmap *from, rwl_error *err) {
    if (into == from)
        return RWL_OK;
    for (size_t i = 0; i < from->len; i++)
        for (uint32_t j = 0; j < from->chunks[i].len; j++) {
            const rwl_container *c = &from->chunks[i].items[j];
            RWL_TRY(union_container(into, base_of(&from->chunks[i], c), c, err));
        }
    return RWL_OK;
}

rwl_status rwl_bitmap_optimize(rwl_bitmap *b, rwl_error *err) {
    for (size_t i = 0; i < b->len; i++)
        for (uint32_t j = 0; j < b->chunks[i].len; j++)
            RWL_TRY(rwl_container_optimize(&b->heap, &b->chunks[i].items[j], err));
    return RWL_OK;
}

/* --- reading --- */

bool rwl_bitmap_contains(const rwl_bitmap *b, int64_t value) {
    if (value < 0)
        return false;
    size_t i = find_chunk(b, key_of(value));
    if (i == b->len || b->chunks[i].key != key_of(value))
        return false;
    const rwl_bitmap_chunk *chunk = &b->chunks[i];
    uint32_t j = find_item(chunk, sub_of(value));
    return j < chunk->len && chunk->items[j].key == sub_of(value) &&
           rwl_container_contains(&chunk->items[j], low_of(value));
}

/* A place among the containers, in order. */
typedef struct place {
    size_t chunk;
    uint32_t item;
} place;

/* The first container that ends at or after `value`; false when there is none. */
static bool seek(const rwl_bitmap *b, int64_t value, place *at) {
    at->chunk = find_chunk(b, key_of(value));
    at->item = 0;
    if (at->chunk < b->len && b->chunks[at->chunk].key == key_of(value)) {
        at->item = find_item(&b->chunks[at->chunk], sub_of(value));
        if (at->item == b->chunks[at->chunk].len) {
            at->chunk++;
            at->item = 0;
        }
    }
    return at->chunk < b->len;
}

static bool advance(const rwl_bitmap *b, place *at) {
    if (++at->item == b->chunks[at->chunk].len) {
        at->chunk++;
        at->item = 0;
    }
    return at->chunk < b->len;
}

static const rwl_container *container_at(const rwl_bitmap *b, place at, int64_t *base) {
    const rwl_container *c = &b->chunks[at.chunk].items[at.item];
    *base = base_of(&b->chunks[at.chunk], c);
    return c;
}

int64_t rwl_bitmap_count_range(const rwl_bitmap *b, int64_t start, int64_t count) {
    int64_t end = count > INT64_MAX - (start > 0 ? start : 0) ? INT64_MAX : start + count;
    start = start > 0 ? start : 0;
    if (count <= 0 || end <= start)
        return 0;
    int64_t total = 0, base;
    place at;
    for (bool more = seek(b, start, &at); more; more = advance(b, &at)) {
        const rwl_container *c = container_at(b, at, &base);
        if (base >= end)
            break;
        uint32_t high = end - base >= 65536 ? 65536 : (uint32_t)(end - base);
        total += rwl_container_rank(c, high);
        if (start > base)
            total -= rwl_container_rank(c, (uint32_t)(start - base));
    }
    return total;
}

bool rwl_bitmap_next_run(const rwl_bitmap *b, int64_t from, int64_t *start, int64_t *count) {
    from = from > 0 ? from : 0;
    place at;
    int64_t base;
    uint32_t first, last;
    if (!seek(b, from, &at))
        return false;
    const rwl_container *c = container_at(b, at, &base);
    if (!rwl_container_next_run(c, from > base ? (uint32_t)(from - base) : 0, &first, &last)) {
        if (!advance(b, &at))
            return false;
        c = container_at(b, at, &base);
        (void)rwl_container_next_run(c, 0, &first, &last); /* containers are never empty */
    }
    *start = base + first;
    int64_t end = base + last + 1;
    /* A run that reaches the end of its container may go on in the next. */
    while (last == 65535 && advance(b, &at)) {
        c = container_at(b, at, &base);
        if (base != end || !rwl_container_next_run(c, 0, &first, &last) || first != 0)
            break;
        end = base + last + 1;
    }
    *count = end - *start;
    return true;
}

/* --- walking --- */

static bool walk_array(rwl_bitmap_walk *w, int64_t from, int64_t *start, int64_t *count) {
    const rwl_container *c = w->container;
    uint32_t i = w->index;
    if (i > 0 && w->base + c->as.values[i - 1] >= from)
        return false;
    while (i < c->len && w->base + c->as.values[i] < from)
        i++;
    if (i == c->len)
        return false;
    *start = w->base + c->as.values[i];
    while (++i < c->len && c->as.values[i] == c->as.values[i - 1] + 1)
        ;
    w->index = i;
    *count = w->base + c->as.values[i - 1] + 1 - *start;
    return c->as.values[i - 1] < 65535;
}

/* The run at or after `from` within the container the walk is in, unless it may go on in the next one. */
static bool walk_container(rwl_bitmap_walk *w, int64_t from, int64_t *start, int64_t *count) {
    uint32_t first, last;
    if (w->container == NULL || from < w->base || from - w->base > 65535)
        return false;
    if (w->container->kind == RWL_CONTAINER_ARRAY)
        return walk_array(w, from, start, count);
    if (!rwl_container_next_run(w->container, (uint32_t)(from - w->base), &first, &last))
        return false;
    *start = w->base + first;
    *count = (int64_t)last + 1 - first;
    return last < 65535;
}

bool rwl_bitmap_walk_run(rwl_bitmap_walk *w, int64_t from, int64_t *start, int64_t *count) {
    if (walk_container(w, from, start, count))
        return true;
    w->container = NULL;
    if (!rwl_bitmap_next_run(w->bitmap, from, start, count))
        return false;
    place at;
    int64_t last = *start + *count - 1;
    if (!seek(w->bitmap, last, &at))
        return true;
    w->container = container_at(w->bitmap, at, &w->base);
    if (w->container->kind == RWL_CONTAINER_ARRAY)
        w->index = rwl_container_rank(w->container, (uint32_t)(last - w->base) + 1);
    return true;
}
