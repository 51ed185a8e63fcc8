/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many runs to one: a tree of losers over the first keys of the runs says whose row is next; rows are noted as places and
 * gathered when the batch is full. A block whose last row was noted is kept until then, in a slot of its own, unless too
 * many of them wait. Of equal keys the one of the earlier run is first.
 */
#include "engine/sorter_internal.h"

/* Blocks of a run that are still to come. */
typedef struct source {
    rwl_sorter_run *run;
    int64_t off; /* of the next block in the spill file */
    int32_t slot;
} source;

/* The loser of a match, and in node 0 the winner of all. */
typedef struct node {
    rwl_sort_prefix prefix;
    int32_t source;
} node;

struct rwl_sorter_merge {
    rwl_op *op;
    const rwl_field *fields;
    int32_t field_count;
    rwl_sorter_key *key;
    rwl_spill *spill;
    source *sources;
    node *tree;
    int32_t count; /* of sources */
    RWL_VEC(rwl_sorter_slot) slots;
    RWL_VEC(int32_t) free_slots; /* room for all slots */
    RWL_VEC(int32_t) spent;      /* slots whose rows are all in the places; room for all slots */
    int64_t spent_bytes, spent_most;
    int64_t bytes;    /* held by slots */
    int64_t taken;    /* of blocks that were in memory already */
    int64_t row_most; /* bytes of the largest row seen so far, at least */
    rwl_sorter_gather gather;
};

int64_t rwl_sorter_merge_bytes(const rwl_sorter_merge *m) {
    return m == NULL ? 0
                     : m->bytes - m->taken +
                           (int64_t)(m->gather.places.cap * sizeof *m->gather.places.items +
                                     m->gather.rows.cap * sizeof *m->gather.rows.items +
                                     (size_t)m->count * (sizeof *m->sources + sizeof *m->tree) +
                                     m->slots.cap * sizeof *m->slots.items);
}

int64_t rwl_sorter_merge_taken(const rwl_sorter_merge *m) {
    return m->taken;
}

/* --- slots --- */

static rwl_status get_slot(rwl_sorter_merge *m, int32_t *out, rwl_error *err) {
    if (m->free_slots.len > 0) {
        *out = m->free_slots.items[--m->free_slots.len];
        return RWL_OK;
    }
    RWL_TRY(rwl_vec_reserve(&m->slots, m->op->env, 1, err));
    RWL_TRY(rwl_vec_reserve(&m->free_slots, m->op->env, m->slots.len + 1, err));
    RWL_TRY(rwl_vec_reserve(&m->spent, m->op->env, m->slots.len + 1, err));
    *out = (int32_t)m->slots.len;
    memset(&m->slots.items[m->slots.len++], 0, sizeof *m->slots.items);
    return RWL_OK;
}

static void clear_slot(rwl_sorter_merge *m, rwl_sorter_slot *slot) {
    if (slot->batch.env != NULL)
        rwl_batch_clear(&slot->batch);
    m->bytes -= slot->bytes;
    slot->bytes = 0;
}

/* A block that comes from memory is let go; buffers for blocks of the file are used again. */
static void release_slot(rwl_sorter_merge *m, int32_t i) {
    rwl_sorter_slot *slot = &m->slots.items[i];
    if (slot->from_memory) {
        clear_slot(m, slot);
        memset(&slot->batch, 0, sizeof slot->batch);
        slot->from_memory = false;
    }
    slot->first = slot->taken = 0;
    m->free_slots.items[m->free_slots.len++] = i;
}

static void account_slot(rwl_sorter_merge *m, rwl_sorter_slot *slot) {
    int64_t bytes = rwl_sorter_block_bytes(&slot->batch) + rwl_sorter_keys_bytes(&slot->keys);
    m->bytes += bytes - slot->bytes;
    slot->bytes = bytes;
}

static rwl_status fill_slot(rwl_sorter_merge *m, source *from, rwl_sorter_slot *slot, rwl_error *err) {
    if (from->off < from->run->file_end) {
        if (slot->batch.env == NULL)
            RWL_TRY(rwl_batch_init(&slot->batch, m->op->env, m->fields, m->field_count, err));
        RWL_TRY(rwl_sorter_block_read(m->spill, &from->off, &slot->batch, err));
    } else {
        clear_slot(m, slot);
        slot->batch = from->run->blocks.items[from->run->first_block++];
        slot->from_memory = true;
        m->taken += rwl_sorter_block_bytes(&slot->batch);
    }
    return rwl_sorter_keys_make(m->key, &slot->batch, &slot->keys, err);
}

/* Gives the source its next block; slot -1 when there is none. */
static rwl_status load(rwl_sorter_merge *m, source *from, rwl_error *err) {
    from->slot = -1;
    if (from->off >= from->run->file_end && !rwl_sorter_run_in_memory(from->run))
        return RWL_OK;
    RWL_TRY(rwl_op_check(m->op, err));
    int32_t i;
    RWL_TRY(get_slot(m, &i, err));
    rwl_sorter_slot *slot = &m->slots.items[i];
    rwl_status st = fill_slot(m, from, slot, err);
    account_slot(m, slot);
    if (st != RWL_OK) {
        release_slot(m, i);
        return st;
    }
    slot->first = slot->taken = 0;
    from->slot = i;
    int64_t most = rwl_sorter_row_most(&slot->batch);
    m->row_most = most > m->row_most ? most : m->row_most;
    return RWL_OK;
}

/* --- the tree --- */

/* Rows of sources that are at their end come last. */
static rwl_sort_prefix prefix_of(const rwl_sorter_merge *m, int32_t i) {
    const source *s = &m->sources[i];
    if (s->slot < 0)
        return RWL_SORT_PREFIX_END;
    const rwl_sorter_slot *slot = &m->slots.items[s->slot];
    return slot->keys.view.prefixes[slot->taken];
}

static bool tie_is_before(const rwl_sorter_merge *m, int32_t a, int32_t b) {
    const source *x = &m->sources[a], *y = &m->sources[b];
    if (!m->key->is_short && x->slot >= 0 && y->slot >= 0) {
        const rwl_sorter_slot *s = &m->slots.items[x->slot], *t = &m->slots.items[y->slot];
        int order = rwl_sort_keys_compare_rest(&s->keys.view, s->taken, &t->keys.view, t->taken);
        if (order != 0)
            return order < 0;
    }
    return a < b;
}

static inline bool is_before(const rwl_sorter_merge *m, const node *a, const node *b) {
    if (a->prefix.high != b->prefix.high)
        return a->prefix.high < b->prefix.high;
    if (a->prefix.low != b->prefix.low)
        return a->prefix.low < b->prefix.low;
    return tie_is_before(m, a->source, b->source);
}

/* The source's next row goes up the tree; what it meets and beats stays where it was. */
static void replay(rwl_sorter_merge *m, int32_t i) {
    node up = {prefix_of(m, i), i};
    for (int32_t at = (i + m->count) / 2; at > 0; at /= 2) {
        node *loser = &m->tree[at];
        if (is_before(m, loser, &up)) {
            node t = *loser;
            *loser = up;
            up = t;
        }
    }
    m->tree[0] = up;
}

/* Every match from the leaves up: node `at` has the leaves and nodes 2 at and 2 at + 1 below it. */
static rwl_status build_tree(rwl_sorter_merge *m, rwl_error *err) {
    size_t size = 2 * (size_t)m->count * sizeof(node);
    node *winners = rwl_alloc(m->op->env, size);
    if (winners == NULL)
        return rwl_no_memory(err, size);
    for (int32_t i = 0; i < m->count; i++)
        winners[m->count + i] = (node){prefix_of(m, i), i};
    for (int32_t at = m->count - 1; at > 0; at--) {
        const node *a = &winners[2 * at], *b = &winners[2 * at + 1];
        bool first = is_before(m, a, b);
        winners[at] = first ? *a : *b;
        m->tree[at] = first ? *b : *a;
    }
    m->tree[0] = winners[1]; /* of one source, its leaf */
    rwl_free(m->op->env, winners);
    return RWL_OK;
}

/* --- the merge --- */

static rwl_status start(rwl_sorter_merge *m, rwl_sorter_run *runs, rwl_error *err) {
    const rwl_env *env = m->op->env;
    m->sources = rwl_calloc(env, (size_t)m->count, sizeof *m->sources);
    m->tree = rwl_calloc(env, (size_t)m->count, sizeof *m->tree);
    if (m->sources == NULL || m->tree == NULL)
        return rwl_no_memory(err, (size_t)m->count * sizeof *m->sources);
    for (int32_t i = 0; i < m->count; i++) {
        m->sources[i] = (source){.run = &runs[i], .off = runs[i].file_off};
        RWL_TRY(load(m, &m->sources[i], err));
    }
    return build_tree(m, err);
}

rwl_status rwl_sorter_merge_open(rwl_op *op, const rwl_field *fields, int32_t field_count,
                                 rwl_sorter_key *key, rwl_sorter_run *runs, size_t run_count,
                                 rwl_spill *spill, int64_t spent_bytes, rwl_sorter_merge **out,
                                 rwl_error *err) {
    if (run_count >= INT32_MAX / 2)
        return rwl_fail(err, RWL_INTERNAL, "%zu runs merged at once", run_count);
    rwl_sorter_merge *m = rwl_calloc(op->env, 1, sizeof *m);
    if (m == NULL)
        return rwl_no_memory(err, sizeof *m);
    m->op = op;
    m->fields = fields;
    m->field_count = field_count;
    m->key = key;
    m->spill = spill;
    m->count = (int32_t)run_count;
    m->spent_most = spent_bytes;
    m->gather.env = op->env;
    rwl_status st = run_count > 0 ? start(m, runs, err) : RWL_OK;
    if (st != RWL_OK) {
        rwl_sorter_merge_close(m);
        return st;
    }
    *out = m;
    return RWL_OK;
}

void rwl_sorter_merge_close(rwl_sorter_merge *m) {
    if (m == NULL)
        return;
    const rwl_env *env = m->op->env;
    for (size_t i = 0; i < m->slots.len; i++) {
        clear_slot(m, &m->slots.items[i]);
        rwl_sorter_keys_clear(&m->slots.items[i].keys, env);
    }
    rwl_vec_clear(&m->slots, env);
    rwl_vec_clear(&m->free_slots, env);
    rwl_vec_clear(&m->spent, env);
    rwl_sorter_gather_clear(&m->gather);
    rwl_free(env, m->sources);
    rwl_free(env, m->tree);
    rwl_free(env, m);
}

/* Gathers what was noted; then spent blocks are of no more use. */
static rwl_status flush(rwl_sorter_merge *m, rwl_batch *out, rwl_error *err) {
    RWL_TRY(rwl_sorter_gather_rows(&m->gather, m->slots.items, (int32_t)m->slots.len, out, err));
    for (size_t i = 0; i < m->spent.len; i++)
        release_slot(m, m->spent.items[i]);
    m->spent.len = 0;
    m->spent_bytes = 0;
    for (int32_t i = 0; i < m->count; i++) {
        if (m->sources[i].slot < 0)
            continue;
        rwl_sorter_slot *slot = &m->slots.items[m->sources[i].slot];
        slot->first = slot->taken;
    }
    return RWL_OK;
}

/* The source's block is at its end: it waits to be gathered, and the next one comes. */
static rwl_status turn_page(rwl_sorter_merge *m, source *from, rwl_batch *out, rwl_error *err) {
    m->spent.items[m->spent.len++] = from->slot;
    m->spent_bytes += m->slots.items[from->slot].bytes;
    from->slot = -1;
    if (m->spent_bytes > m->spent_most)
        RWL_TRY(flush(m, out, err));
    return load(m, from, err);
}

/* The winner's row is noted, and the next winner found. */
static inline rwl_status note_row(rwl_sorter_merge *m, rwl_batch *out, rwl_error *err) {
    int32_t i = m->tree[0].source;
    source *from = &m->sources[i];
    rwl_sorter_slot *slot = &m->slots.items[from->slot];
    m->gather.places.items[m->gather.places.len++] = (rwl_sorter_place){from->slot, slot->taken++};
    if (slot->taken == slot->batch.length)
        RWL_TRY(turn_page(m, from, out, err));
    replay(m, i);
    return RWL_OK;
}

static bool at_end(const rwl_sorter_merge *m) {
    return m->count == 0 || m->sources[m->tree[0].source].slot < 0;
}

/* What was noted for this batch so far. */
static int64_t measure_rows(const rwl_sorter_merge *m, const rwl_batch *out) {
    int64_t bytes = rwl_sorter_measure(out, 0, out->length);
    for (size_t i = 0; i < m->gather.places.len; i++) {
        const rwl_sorter_place *p = &m->gather.places.items[i];
        bytes += rwl_sorter_measure(&m->slots.items[p->slot].batch, p->row, 1);
    }
    return bytes;
}

rwl_status rwl_sorter_merge_next(rwl_sorter_merge *m, int64_t max_rows, int64_t max_bytes, rwl_batch *out,
                                 rwl_error *err) {
    RWL_TRY(rwl_op_check(m->op, err));
    RWL_TRY(rwl_vec_reserve(&m->gather.places, m->op->env, (size_t)max_rows, err));
    int64_t bytes = -1; /* not counted while all rows there can be would fit */
    for (int64_t rows = 0; rows < max_rows && !at_end(m); rows++) {
        if (m->row_most > max_bytes / max_rows) {
            const rwl_sorter_slot *slot = &m->slots.items[m->sources[m->tree[0].source].slot];
            bytes =
                (bytes < 0 ? measure_rows(m, out) : bytes) + rwl_sorter_measure(&slot->batch, slot->taken, 1);
            if (rows > 0 && bytes > max_bytes)
                break;
        }
        RWL_TRY(note_row(m, out, err));
    }
    return flush(m, out, err);
}
