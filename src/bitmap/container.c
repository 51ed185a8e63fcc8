/* SPDX-License-Identifier: Apache-2.0 */
/* Containers: making, growing and adding to them. */
#include "bitmap/container.h"

#include "bitmap/container_internal.h"

static size_t item_size(uint8_t kind) {
    switch (kind) {
    case RWL_CONTAINER_ARRAY:
        return sizeof(uint16_t);
    case RWL_CONTAINER_RUNS:
        return sizeof(rwl_container_run);
    default:
        return sizeof(uint64_t);
    }
}

/* Makes room for `cap` items of the container's kind; the old block stays on failure. */
static rwl_status resize(rwl_container_heap *heap, rwl_container *c, uint32_t cap, rwl_error *err) {
    size_t size = (size_t)cap * item_size(c->kind);
    void *block = rwl_realloc(heap->env, c->as.words, size);
    if (block == NULL)
        return rwl_no_memory(err, size);
    heap->bytes += (int64_t)size - (int64_t)(c->cap * item_size(c->kind));
    c->as.words = block;
    c->cap = cap;
    return RWL_OK;
}

static rwl_status grow(rwl_container_heap *heap, rwl_container *c, uint32_t max, rwl_error *err) {
    if (c->len < c->cap)
        return RWL_OK;
    uint32_t cap = c->cap * 2 < max ? c->cap * 2 : max;
    return resize(heap, c, cap > c->len ? cap : c->len + 1, err);
}

void rwl_container_clear(rwl_container_heap *heap, rwl_container *c) {
    heap->bytes -= (int64_t)(c->cap * item_size(c->kind));
    rwl_free(heap->env, c->as.words);
    c->as.words = NULL;
    c->len = c->cap = c->cardinality = 0;
}

rwl_status rwl_container_init_kind(rwl_container_heap *heap, rwl_container *c, rwl_container_kind kind,
                                   uint32_t len, rwl_error *err) {
    memset(c, 0, sizeof *c);
    c->kind = (uint8_t)kind;
    if (kind == RWL_CONTAINER_WORDS) {
        RWL_TRY(resize(heap, c, RWL_CONTAINER_WORD_COUNT, err));
        memset(c->as.words, 0, RWL_CONTAINER_WORD_COUNT * sizeof(uint64_t));
        c->len = RWL_CONTAINER_WORD_COUNT;
        return RWL_OK;
    }
    return resize(heap, c, len > 0 ? len : 1, err);
}

rwl_status rwl_container_init_range(rwl_container_heap *heap, rwl_container *c, uint32_t first, uint32_t last,
                                    rwl_error *err) {
    if (first == last) {
        RWL_TRY(rwl_container_init_kind(heap, c, RWL_CONTAINER_ARRAY, 4, err));
        c->as.values[0] = (uint16_t)first;
    } else {
        RWL_TRY(rwl_container_init_kind(heap, c, RWL_CONTAINER_RUNS, 1, err));
        c->as.runs[0] = (rwl_container_run){(uint16_t)first, (uint16_t)last};
    }
    c->len = 1;
    c->cardinality = last - first + 1;
    return RWL_OK;
}

rwl_status rwl_container_copy(rwl_container_heap *heap, rwl_container *c, const rwl_container *from,
                              rwl_error *err) {
    RWL_TRY(rwl_container_init_kind(heap, c, from->kind, from->len, err));
    memcpy(c->as.words, from->as.words, from->len * item_size(from->kind));
    c->len = from->len;
    c->cardinality = from->cardinality;
    c->key = from->key;
    return RWL_OK;
}

/* --- forms --- */

static void replace(rwl_container_heap *heap, rwl_container *c, rwl_container *with) {
    with->key = c->key;
    with->cardinality = c->cardinality;
    rwl_container_clear(heap, c);
    *c = *with;
}

static rwl_status to_words(rwl_container_heap *heap, rwl_container *c, rwl_error *err) {
    if (c->kind == RWL_CONTAINER_WORDS)
        return RWL_OK;
    rwl_container w;
    RWL_TRY(rwl_container_init_kind(heap, &w, RWL_CONTAINER_WORDS, 0, err));
    if (c->kind == RWL_CONTAINER_ARRAY) {
        for (uint32_t i = 0; i < c->len; i++)
            w.as.words[c->as.values[i] >> 6] |= UINT64_C(1) << (c->as.values[i] & 63);
    } else {
        for (uint32_t i = 0; i < c->len; i++)
            (void)rwl_words_fill(w.as.words, c->as.runs[i].first, c->as.runs[i].last);
    }
    replace(heap, c, &w);
    return RWL_OK;
}

/* Needs a cardinality of at most RWL_CONTAINER_ARRAY_MAX. */
static rwl_status to_array(rwl_container_heap *heap, rwl_container *c, rwl_error *err) {
    rwl_container a;
    RWL_TRY(rwl_container_init_kind(heap, &a, RWL_CONTAINER_ARRAY, c->cardinality, err));
    uint32_t first, last = 0;
    for (uint32_t from = 0; from <= 65535 && rwl_container_next_run(c, from, &first, &last); from = last + 1)
        for (uint32_t v = first; v <= last; v++)
            a.as.values[a.len++] = (uint16_t)v;
    replace(heap, c, &a);
    return RWL_OK;
}

static rwl_status to_runs(rwl_container_heap *heap, rwl_container *c, uint32_t run_count, rwl_error *err) {
    rwl_container r;
    RWL_TRY(rwl_container_init_kind(heap, &r, RWL_CONTAINER_RUNS, run_count, err));
    uint32_t first, last = 0;
    for (uint32_t from = 0; from <= 65535 && rwl_container_next_run(c, from, &first, &last); from = last + 1)
        r.as.runs[r.len++] = (rwl_container_run){(uint16_t)first, (uint16_t)last};
    replace(heap, c, &r);
    return RWL_OK;
}

static uint32_t count_runs(const rwl_container *c) {
    if (c->kind == RWL_CONTAINER_RUNS)
        return c->len;
    uint32_t runs = 0;
    if (c->kind == RWL_CONTAINER_ARRAY) {
        for (uint32_t i = 0; i < c->len; i++)
            runs += i == 0 || c->as.values[i] != c->as.values[i - 1] + 1;
        return runs;
    }
    uint64_t carry = 0; /* the bit before the word */
    for (uint32_t i = 0; i < RWL_CONTAINER_WORD_COUNT; i++) {
        uint64_t w = c->as.words[i];
        runs += (uint32_t)__builtin_popcountll(w & ~(w << 1 | carry)); /* bits that begin a run */
        carry = w >> 63;
    }
    return runs;
}

rwl_status rwl_container_settle(rwl_container_heap *heap, rwl_container *c, rwl_error *err) {
    bool few = c->cardinality <= RWL_CONTAINER_ARRAY_MAX;
    if (c->kind == RWL_CONTAINER_RUNS && c->len > RWL_CONTAINER_RUNS_MAX)
        return few ? to_array(heap, c, err) : to_words(heap, c, err);
    if (c->kind == RWL_CONTAINER_WORDS && few)
        return to_array(heap, c, err);
    return RWL_OK;
}

/* The sizes compared are those of the Java library (2 a value, 8192, 2 + 4 a run): Iceberg's blobs come out
 * byte for byte. */
rwl_status rwl_container_optimize(rwl_container_heap *heap, rwl_container *c, rwl_error *err) {
    uint32_t runs = count_runs(c);
    bool few = c->cardinality <= RWL_CONTAINER_ARRAY_MAX;
    uint32_t plain_size = few ? 2 * c->cardinality : 8192;
    if (2 + 4 * runs < plain_size) {
        if (c->kind != RWL_CONTAINER_RUNS)
            return to_runs(heap, c, runs, err);
    } else if (few && c->kind != RWL_CONTAINER_ARRAY) {
        return to_array(heap, c, err);
    } else if (!few && c->kind != RWL_CONTAINER_WORDS) {
        return to_words(heap, c, err);
    }
    return c->kind != RWL_CONTAINER_WORDS && c->cap > c->len ? resize(heap, c, c->len, err) : RWL_OK;
}

/* --- adding --- */

static rwl_status add_to_array(rwl_container_heap *heap, rwl_container *c, uint32_t value, bool *was_there,
                               rwl_error *err) {
    uint32_t at = c->len;
    if (value <= c->as.values[c->len - 1]) {
        at = rwl_values_lower_bound(c->as.values, c->len, value);
        if (c->as.values[at] == value) {
            *was_there = true;
            return RWL_OK;
        }
    }
    if (c->len == RWL_CONTAINER_ARRAY_MAX) {
        RWL_TRY(to_words(heap, c, err));
        c->as.words[value >> 6] |= UINT64_C(1) << (value & 63);
        c->cardinality++;
        return RWL_OK;
    }
    RWL_TRY(grow(heap, c, RWL_CONTAINER_ARRAY_MAX, err));
    memmove(c->as.values + at + 1, c->as.values + at, (c->len - at) * sizeof(uint16_t));
    c->as.values[at] = (uint16_t)value;
    c->len++;
    c->cardinality++;
    return RWL_OK;
}

/* Merges first..last with the runs it overlaps or touches. */
static rwl_status add_to_runs(rwl_container_heap *heap, rwl_container *c, uint32_t first, uint32_t last,
                              rwl_error *err) {
    rwl_container_run *runs = c->as.runs;
    uint32_t begin = rwl_runs_lower_bound(runs, c->len, first > 0 ? first - 1 : 0);
    uint32_t end = begin; /* runs begin..end-1 melt into the new one */
    uint32_t lost = 0;
    while (end < c->len && runs[end].first <= last + 1) {
        lost += (uint32_t)(runs[end].last - runs[end].first) + 1;
        end++;
    }
    if (end > begin) {
        first = runs[begin].first < first ? runs[begin].first : first;
        last = runs[end - 1].last > last ? runs[end - 1].last : last;
        runs[begin] = (rwl_container_run){(uint16_t)first, (uint16_t)last};
        memmove(runs + begin + 1, runs + end, (c->len - end) * sizeof *runs);
        c->len -= end - begin - 1;
    } else {
        RWL_TRY(grow(heap, c, RWL_CONTAINER_RUNS_MAX + 1, err));
        runs = c->as.runs;
        memmove(runs + begin + 1, runs + begin, (c->len - begin) * sizeof *runs);
        runs[begin] = (rwl_container_run){(uint16_t)first, (uint16_t)last};
        c->len++;
    }
    c->cardinality += last - first + 1 - lost;
    return rwl_container_settle(heap, c, err);
}

rwl_status rwl_container_add(rwl_container_heap *heap, rwl_container *c, uint32_t value, bool *was_there,
                             rwl_error *err) {
    *was_there = false;
    if (c->kind == RWL_CONTAINER_ARRAY)
        return add_to_array(heap, c, value, was_there, err);
    if (c->kind == RWL_CONTAINER_WORDS) {
        uint64_t *word = &c->as.words[value >> 6], bit = UINT64_C(1) << (value & 63);
        *was_there = (*word & bit) != 0;
        c->cardinality += !*was_there;
        *word |= bit;
        return RWL_OK;
    }
    if (rwl_container_contains(c, value)) {
        *was_there = true;
        return RWL_OK;
    }
    return add_to_runs(heap, c, value, value, err);
}

rwl_status rwl_container_add_range(rwl_container_heap *heap, rwl_container *c, uint32_t first, uint32_t last,
                                   rwl_error *err) {
    if (last - first < 8 && c->kind == RWL_CONTAINER_ARRAY) {
        bool was_there;
        for (uint32_t v = first; v <= last; v++)
            RWL_TRY(rwl_container_add(heap, c, v, &was_there, err));
        return RWL_OK;
    }
    if (c->kind == RWL_CONTAINER_ARRAY) {
        uint32_t runs = count_runs(c);
        RWL_TRY(runs < RWL_CONTAINER_RUNS_MAX ? to_runs(heap, c, runs, err) : to_words(heap, c, err));
    }
    if (c->kind == RWL_CONTAINER_RUNS)
        return add_to_runs(heap, c, first, last, err);
    c->cardinality += rwl_words_fill(c->as.words, first, last);
    return rwl_container_settle(heap, c, err);
}

static void add_to_words(rwl_container *c, const rwl_container *from) {
    uint32_t cardinality = 0;
    if (from->kind == RWL_CONTAINER_WORDS) {
        for (uint32_t i = 0; i < RWL_CONTAINER_WORD_COUNT; i++) {
            c->as.words[i] |= from->as.words[i];
            cardinality += (uint32_t)__builtin_popcountll(c->as.words[i]);
        }
        c->cardinality = cardinality;
        return;
    }
    for (uint32_t i = 0; i < from->len; i++) {
        bool is_array = from->kind == RWL_CONTAINER_ARRAY;
        uint32_t first = is_array ? from->as.values[i] : from->as.runs[i].first;
        uint32_t last = is_array ? first : from->as.runs[i].last;
        c->cardinality += rwl_words_fill(c->as.words, first, last);
    }
}

rwl_status rwl_container_union(rwl_container_heap *heap, rwl_container *c, const rwl_container *from,
                               rwl_error *err) {
    if (c == from)
        return RWL_OK;
    /* A few items are added one by one; else both meet as words, and the smallest form is chosen after. */
    if (from->len > 16 || c->kind == RWL_CONTAINER_WORDS) {
        RWL_TRY(to_words(heap, c, err));
        add_to_words(c, from);
        return rwl_container_optimize(heap, c, err);
    }
    for (uint32_t i = 0; i < from->len; i++) {
        bool is_array = from->kind == RWL_CONTAINER_ARRAY, was_there;
        if (is_array)
            RWL_TRY(rwl_container_add(heap, c, from->as.values[i], &was_there, err));
        else
            RWL_TRY(rwl_container_add_range(heap, c, from->as.runs[i].first, from->as.runs[i].last, err));
    }
    return RWL_OK;
}
