/* SPDX-License-Identifier: Apache-2.0 */
/* Delete files become sets of keys; the keys of a data file are made once a batch and looked for in each set. */
#include "iceberg/equality_deletes.h"

#include "base/vec.h"
#include "iceberg/delete_cache.h"
#include "iceberg/fragment_reader.h"
#include "iceberg/key_fields.h"
#include "iceberg/key_set.h"

/* The equality deletes of a fragment that have the same keys. */
typedef struct key_group {
    const rwl_driver *driver;
    rwl_op *op;
    const rwl_fragment *fragment;
    rwl_arena arena;
    rwl_key_fields keys;
    bool as_numbers;
    uint64_t seed;
    RWL_VEC(const rwl_delete_ref *) refs;
    RWL_VEC(const rwl_delete_ref *) large; /* that must be read in parts */
    RWL_VEC(int64_t) large_bytes;          /* about as much as they would hold */
    RWL_VEC(rwl_delete_use) held;
    int64_t held_bytes;
    rwl_bitmap *into;
} key_group;

/* --- the keys of a file's rows --- */

/* A file of rows and what its keys are made with. */
typedef struct key_reader {
    rwl_fragment_reader *reader;
    rwl_rows rows;
    rwl_key_columns columns;
    rwl_row_keys keys; /* of the rows read last */
} key_reader;

static void close_keys(key_reader *r) {
    rwl_fragment_reader_close(r->reader);
    rwl_rows_clear(&r->rows);
    rwl_key_columns_clear(&r->columns);
    rwl_row_keys_clear(&r->keys);
}

/* The reader is to be closed also after a failure. */
static rwl_status open_keys(const key_group *g, const rwl_fragment *file, const rwl_field *fields,
                            key_reader *r, rwl_error *err) {
    const rwl_env *env = g->op->env;
    rwl_fragment_read_options options = {
        .fields = fields, .field_count = g->keys.count, .keep_deleted = true};
    memset(r, 0, sizeof *r);
    rwl_row_keys_init(&r->keys, env, g->as_numbers, g->seed);
    RWL_TRY(rwl_rows_init(&r->rows, env, fields, g->keys.count, err));
    RWL_TRY(rwl_key_columns_init(&r->columns, env, g->keys.count, err));
    return rwl_fragment_reader_open(g->driver->store, g->op, g->driver->state, file, &options, NULL,
                                    &r->reader, err);
}

/* Sets r->keys to the next ones; none are the end. */
static rwl_status next_keys(key_reader *r, rwl_error *err) {
    RWL_TRY(rwl_fragment_reader_next(r->reader, &r->rows, err));
    RWL_TRY(rwl_key_columns_set(&r->columns, &r->rows.batch, err));
    return rwl_row_keys_set(&r->keys, r->columns.columns, r->columns.count, r->rows.batch.length, err);
}

/* --- delete files --- */

/* A set being read: a part of `parts` of the keys. */
typedef struct set_reading {
    const key_group *group;
    const rwl_delete_ref *ref;
    uint32_t part, parts;
} set_reading;

/* A delete file is a file of rows without partition, lineage or deletes. */
static rwl_fragment as_fragment(const rwl_delete_ref *ref) {
    return (rwl_fragment){.location = ref->location,
                          .format = ref->format,
                          .file_size = ref->file_size,
                          .row_count = ref->row_count,
                          .spec_id = -1,
                          .sort_order_id = -1};
}

/* About the bytes of all keys, when `rows` of `total` filled `most`. */
static int64_t estimate_bytes(int64_t most, int64_t rows, int64_t total) {
    double bytes = (double)most * (double)total / (double)(rows > 0 ? rows : 1);
    return bytes < (double)(INT64_MAX / 4) ? (int64_t)bytes : INT64_MAX / 4;
}

/* *full: the set would hold more than it may, *estimate tells how much about. */
static rwl_status read_keys(const set_reading *reading, rwl_key_set *set, int64_t most, bool *full,
                            int64_t *estimate, rwl_error *err) {
    const key_group *g = reading->group;
    rwl_fragment file = as_fragment(reading->ref);
    key_reader r;
    int64_t rows = 0;
    *full = false;
    rwl_status st = open_keys(g, &file, g->keys.in_deletes, &r, err);
    while (st == RWL_OK && !*full) {
        st = next_keys(&r, err);
        if (st != RWL_OK || r.keys.length == 0)
            break;
        st = rwl_key_set_add(set, &r.keys, reading->part, reading->parts, full, err);
        rows += r.keys.length;
    }
    close_keys(&r);
    *estimate = *full ? estimate_bytes(most, rows, reading->ref->row_count) : rwl_key_set_memory(set);
    return st == RWL_OK ? st : rwl_error_in(err, st, "equality deletes");
}

/* *out NULL: too large. */
static rwl_status read_set(const set_reading *reading, int64_t most, rwl_key_set **out, int64_t *bytes,
                           rwl_error *err) {
    rwl_key_set *set = NULL;
    const rwl_env *env = reading->group->op->env;
    bool full = false;
    *out = NULL;
    RWL_TRY(rwl_key_set_new(env, reading->group->as_numbers, most, &set, err));
    rwl_status st = read_keys(reading, set, most, &full, bytes, err);
    if (st == RWL_OK && !full)
        *out = set;
    else
        rwl_key_set_free(env, set);
    return st;
}

static rwl_status load_set(void *ctx, int64_t most, void **value, int64_t *bytes, rwl_error *err) {
    rwl_key_set *set = NULL;
    rwl_status st = read_set(ctx, most, &set, bytes, err);
    *value = set;
    return st;
}

/* What a set depends on: the file, its keys, and the types they are read in. */
static rwl_status name_set(const key_group *g, const rwl_delete_ref *ref, rwl_buf *name, rwl_error *err) {
    RWL_TRY(rwl_buf_u8(name, 'e', err));
    for (int32_t i = 0; i < g->keys.count; i++) {
        const rwl_type *type = &g->keys.types[i];
        RWL_TRY(rwl_buf_le32(name, (uint32_t)ref->equality_ids[i], err));
        RWL_TRY(rwl_buf_le32(name, (uint32_t)type->kind, err));
        RWL_TRY(
            rwl_buf_le32(name, (uint32_t)(type->kind == RWL_TYPE_FIXED ? type->length : type->scale), err));
    }
    return rwl_buf_str(name, ref->location, err);
}

static rwl_status use_set(const key_group *g, const rwl_delete_ref *ref, rwl_delete_use *use,
                          rwl_error *err) {
    set_reading reading = {g, ref, 0, 1};
    rwl_delete_loader loader = {load_set, rwl_key_set_free, &reading};
    rwl_buf name;
    rwl_buf_init(&name, g->op->env, SIZE_MAX);
    rwl_status st = name_set(g, ref, &name, err);
    if (st == RWL_OK)
        st = rwl_delete_cache_use(g->driver->deletes, g->op, rwl_buf_span(&name), &loader, use, err);
    rwl_buf_clear(&name);
    return st;
}

/* --- looking for the keys of the data file --- */

/* Rows of a reader without filter or deletes follow one another. */
static rwl_status add_hits(const rwl_rows *rows, const uint8_t *hits, rwl_bitmap *into, rwl_error *err) {
    int64_t length = rows->batch.length, first = 0;
    (void)rwl_runs_get(&rows->positions, 0, &first);
    for (int64_t i = 0, end; i < length; i = end) {
        end = i + 1;
        if (!hits[i])
            continue;
        while (end < length && hits[end])
            end++;
        RWL_TRY(rwl_bitmap_add_range(into, first + i, end - i, err));
    }
    return RWL_OK;
}

/* The sets to look in, and scratch for the rows of a batch. */
typedef struct probing {
    const rwl_key_set *const *sets;
    size_t count;
    rwl_key_filter filter;
    uint8_t *hits; /* a byte a row */
    int32_t *rows; /* those that may still be in a set */
    int64_t cap;
} probing;

/* A filter is worth while when the rows are looked for more often than it has keys to be made of. */
static rwl_status start_probing(const key_group *g, probing *p, rwl_error *err) {
    int64_t keys = 0;
    for (size_t i = 0; i < p->count; i++)
        keys += rwl_key_set_count(p->sets[i]);
    if (keys / (int64_t)p->count > g->fragment->row_count)
        return RWL_OK;
    return rwl_key_filter_init(&p->filter, g->op->env, p->sets, p->count, g->seed, err);
}

static void stop_probing(const key_group *g, probing *p) {
    rwl_key_filter_clear(&p->filter, g->op->env);
    rwl_free(g->op->env, p->hits);
    rwl_free(g->op->env, p->rows);
}

static rwl_status reserve_rows(const rwl_env *env, probing *p, int64_t length, rwl_error *err) {
    if (length <= p->cap)
        return RWL_OK;
    uint8_t *hits = rwl_realloc(env, p->hits, (size_t)length);
    p->hits = hits != NULL ? hits : p->hits;
    int32_t *rows = rwl_realloc(env, p->rows, (size_t)length * sizeof *rows);
    p->rows = rows != NULL ? rows : p->rows;
    if (hits == NULL || rows == NULL)
        return rwl_no_memory(err, (size_t)length * sizeof *rows);
    p->cap = length;
    return RWL_OK;
}

static rwl_status probe_batch(const key_group *g, const key_reader *r, probing *p, rwl_error *err) {
    RWL_TRY(reserve_rows(g->op->env, p, r->keys.length, err));
    memset(p->hits, 0, (size_t)r->keys.length);
    size_t left = rwl_key_filter_apply(&p->filter, &r->keys, p->rows);
    for (size_t i = 0; i < p->count && left > 0; i++)
        left = rwl_key_set_probe(p->sets[i], &r->keys, p->rows, left, p->hits);
    return add_hits(&r->rows, p->hits, g->into, err);
}

/* One pass over the data file. */
static rwl_status probe_file(const key_group *g, const rwl_key_set *const *sets, size_t count,
                             rwl_error *err) {
    key_reader r;
    probing p = {.sets = sets, .count = count};
    rwl_status st = open_keys(g, g->fragment, g->keys.in_data, &r, err);
    if (st == RWL_OK)
        st = start_probing(g, &p, err);
    while (st == RWL_OK) {
        st = next_keys(&r, err);
        if (st != RWL_OK || r.keys.length == 0)
            break;
        st = probe_batch(g, &r, &p, err);
    }
    close_keys(&r);
    stop_probing(g, &p);
    return st;
}

static void release_held(key_group *g) {
    for (size_t i = 0; i < g->held.len; i++)
        rwl_delete_cache_release(g->driver->deletes, g->op, &g->held.items[i]);
    g->held.len = 0;
    g->held_bytes = 0;
}

static rwl_status probe_held(key_group *g, rwl_error *err) {
    if (g->held.len == 0)
        return RWL_OK;
    const rwl_key_set **sets = rwl_alloc(g->op->env, g->held.len * sizeof *sets);
    if (sets == NULL)
        return rwl_no_memory(err, g->held.len * sizeof *sets);
    for (size_t i = 0; i < g->held.len; i++)
        sets[i] = g->held.items[i].value;
    rwl_status st = probe_file(g, sets, g->held.len, err);
    rwl_free(g->op->env, sets);
    release_held(g);
    return st;
}

static bool holds_enough(const key_group *g) {
    return g->driver->deletes != NULL ? rwl_delete_cache_is_full(g->driver->deletes)
                                      : g->held_bytes >= rwl_delete_cache_limit(NULL);
}

static rwl_status take_ref(key_group *g, const rwl_delete_ref *ref, rwl_error *err) {
    rwl_delete_use use;
    RWL_TRY(rwl_vec_reserve(&g->held, g->op->env, 1, err));
    RWL_TRY(use_set(g, ref, &use, err));
    if (use.value == NULL) {
        RWL_TRY(rwl_vec_push(&g->large, g->op->env, ref, err));
        return rwl_vec_push(&g->large_bytes, g->op->env, use.bytes, err);
    }
    g->held.items[g->held.len++] = use;
    g->held_bytes += use.bytes;
    return holds_enough(g) ? probe_held(g, err) : RWL_OK;
}

/* --- sets too large to be held --- */

static rwl_status probe_part(const set_reading *reading, int64_t most, bool *full, rwl_error *err) {
    rwl_key_set *set = NULL;
    int64_t bytes;
    RWL_TRY(read_set(reading, most, &set, &bytes, err));
    *full = set == NULL;
    if (*full)
        return RWL_OK;
    const rwl_key_set *sets[1] = {set};
    rwl_status st = probe_file(reading->group, sets, 1, err);
    rwl_key_set_free(reading->group->op->env, set);
    return st;
}

/* Parts of about half of what may be held; twice as many when one turns out larger all the same. */
static rwl_status probe_large(const key_group *g, const rwl_delete_ref *ref, int64_t bytes, rwl_error *err) {
    const uint32_t parts_max = 1 << 20;
    int64_t most = rwl_delete_cache_most(g->driver->deletes), parts = bytes / (most / 2 + 1) + 2;
    while (parts <= parts_max) {
        bool full = false;
        for (uint32_t part = 0; part < parts && !full; part++) {
            set_reading reading = {g, ref, part, (uint32_t)parts};
            RWL_TRY(probe_part(&reading, most, &full, err));
        }
        if (!full)
            return RWL_OK;
        parts *= 2;
    }
    return rwl_fail(err, RWL_UNSUPPORTED, "equality delete file %s has keys too large for %lld bytes",
                    ref->location, (long long)most);
}

/* --- the deletes of a fragment --- */

static rwl_status resolve_group(key_group *g, rwl_error *err) {
    const rwl_delete_ref *any = g->refs.items[0];
    if (any->equality_count <= 0)
        return rwl_fail(err, RWL_CORRUPT, "equality delete file %s has no equality ids", any->location);
    rwl_status st = rwl_key_fields_find(g->driver->state, any->equality_ids, any->equality_count, &g->arena,
                                        &g->keys, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "equality delete file %s", any->location);
    g->as_numbers = rwl_keys_are_numbers(g->keys.types, (size_t)g->keys.count);
    g->seed = rwl_delete_cache_seed(g->driver->deletes);
    const rwl_env *env = g->op->env;
    if (g->driver->deletes == NULL && env->random != NULL && !env->random(env->ctx, &g->seed, sizeof g->seed))
        g->seed = 0;
    return RWL_OK;
}

static rwl_status add_group(key_group *g, rwl_error *err) {
    RWL_TRY(resolve_group(g, err));
    for (size_t i = 0; i < g->refs.len; i++)
        RWL_TRY(take_ref(g, g->refs.items[i], err));
    RWL_TRY(probe_held(g, err));
    for (size_t i = 0; i < g->large.len; i++)
        RWL_TRY(probe_large(g, g->large.items[i], g->large_bytes.items[i], err));
    return RWL_OK;
}

static bool same_keys(const rwl_delete_ref *a, const rwl_delete_ref *b) {
    return a->equality_count == b->equality_count && a->equality_count > 0 &&
           memcmp(a->equality_ids, b->equality_ids, (size_t)a->equality_count * sizeof *a->equality_ids) == 0;
}

/* Moves those of `left` with the keys of its first to the group. */
static rwl_status collect_group(key_group *g, const rwl_delete_ref **left, size_t *count, rwl_error *err) {
    size_t kept = 0;
    const rwl_delete_ref *first = left[0];
    for (size_t i = 0; i < *count; i++) {
        if (same_keys(first, left[i]))
            RWL_TRY(rwl_vec_push(&g->refs, g->op->env, left[i], err));
        else
            left[kept++] = left[i];
    }
    *count = kept;
    return RWL_OK;
}

static void clear_group(key_group *g) {
    const rwl_env *env = g->op->env;
    release_held(g);
    rwl_vec_clear(&g->held, env);
    rwl_vec_clear(&g->refs, env);
    rwl_vec_clear(&g->large, env);
    rwl_vec_clear(&g->large_bytes, env);
    rwl_arena_clear(&g->arena);
}

static rwl_status add_groups(const rwl_driver *driver, rwl_op *op, const rwl_fragment *fragment,
                             const rwl_delete_ref **left, size_t count, rwl_bitmap *into, rwl_error *err) {
    rwl_status st = RWL_OK;
    while (st == RWL_OK && count > 0) {
        key_group g = {.driver = driver, .op = op, .fragment = fragment, .into = into};
        rwl_arena_init(&g.arena, op->env, 0);
        st = collect_group(&g, left, &count, err);
        if (st == RWL_OK)
            st = add_group(&g, err);
        clear_group(&g);
    }
    return st;
}

rwl_status rwl_equality_deletes_add(const rwl_driver *driver, rwl_op *op, const rwl_fragment *fragment,
                                    rwl_bitmap *into, rwl_error *err) {
    size_t count = 0;
    for (int32_t i = 0; i < fragment->delete_count; i++)
        count += fragment->deletes[i].kind == RWL_DELETE_EQUALITY;
    if (count == 0)
        return RWL_OK;
    const rwl_delete_ref **left = rwl_alloc(op->env, count * sizeof *left);
    if (left == NULL)
        return rwl_no_memory(err, count * sizeof *left);
    count = 0;
    for (int32_t i = 0; i < fragment->delete_count; i++)
        if (fragment->deletes[i].kind == RWL_DELETE_EQUALITY)
            left[count++] = &fragment->deletes[i];
    rwl_status st = add_groups(driver, op, fragment, left, count, into, err);
    rwl_free(op->env, left);
    return st;
}
