/* SPDX-License-Identifier: Apache-2.0 */
/* Groups are packed while files stream by: one open group a partition, judged when it is closed. */
#include "engine/rewrite_plan_internal.h"

#include "base/int128.h"
#include "iceberg/delete_index.h"
#include "iceberg/manifest.h"

enum { SPLIT_OVERHEAD = 5 * 1024 }; /* Iceberg's, of a split */

/* A group that still takes files. */
typedef struct open_group {
    rwl_rewrite_group group;
    RWL_VEC(rwl_fragment) fragments;
    bool many_deletes;  /* a file asks for it by its deletes */
    bool in_order;      /* every file carries the wanted order's id */
    bool loses_deletes; /* deletes go, or no longer apply, when it is written */
    size_t place;       /* of its partition, by first file */
} open_group;

typedef struct planner {
    rwl_op *op;
    const rwl_metadata *metadata;
    int64_t sequence_number; /* of the snapshot, which the written files get */
    const rwl_rewrite_rules *rules;
    rwl_rewrite_plan *out;
    rwl_map open_by_key;      /* partition key → index in open */
    RWL_VEC(open_group) open; /* in order of first file; a closed one is replaced in place */
    rwl_rewrite_taken_list taken;
    rwl_buf key;
} planner;

/* A size that is part of another one, or more than it: at most INT64_MAX. */
static int64_t part_of(int64_t bytes, double part) {
    double size = (double)bytes * part;
    return size < 0x1p63 ? (int64_t)size : INT64_MAX;
}

rwl_status rwl_rewrite_rules_default(const rwl_metadata *metadata, int64_t target_bytes,
                                     rwl_rewrite_rules *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    if (target_bytes == 0)
        RWL_TRY(rwl_metadata_property_i64(metadata, "write.target-file-size-bytes", INT64_C(536870912),
                                          &target_bytes, err));
    out->target_bytes = target_bytes;
    out->min_bytes = part_of(target_bytes, 0.75);
    out->max_bytes = part_of(target_bytes, 1.8);
    out->min_input_files = 5;
    out->delete_ratio = 0.3;
    out->delete_files = INT32_MAX;
    out->max_group_bytes = INT64_C(100) << 30;
    return RWL_OK;
}

int64_t rwl_rewrite_roll_bytes(const rwl_rewrite_rules *rules) {
    return rules->target_bytes + (rules->max_bytes - rules->target_bytes) / 2;
}

int64_t rwl_rewrite_split_bytes(const rwl_rewrite_rules *rules, int64_t bytes) {
    int64_t split = bytes / rwl_rewrite_expected_files(rules, bytes) + SPLIT_OVERHEAD,
            roll = rwl_rewrite_roll_bytes(rules);
    return split < rules->target_bytes ? rules->target_bytes : split > roll ? roll : split;
}

int64_t rwl_rewrite_expected_files(const rwl_rewrite_rules *rules, int64_t bytes) {
    int64_t target = rules->target_bytes;
    if (bytes < target)
        return 1;
    int64_t whole = bytes / target, rest = bytes % target;
    if (rest > rules->min_bytes)
        return whole + 1;
    int64_t roomy, roll = rwl_rewrite_roll_bytes(rules);
    if (!rwl_i64_add(target, target / 10, &roomy))
        roomy = INT64_MAX;
    int64_t average = bytes / whole;
    if (average < (roomy < roll ? roomy : roll))
        return whole;
    return whole + (rest > 0 ? 1 : 0);
}

/*
 * Whether the delete is gone for this file once its rows are moved. One that names several files may stay, and only by its
 * sequence number is it sure not to apply to the new file, which has that of the planned snapshot.
 */
static bool is_lost(const rwl_delete_ref *d, const rwl_fragment *f) {
    return d->file_scoped || d->kind == RWL_DELETE_EQUALITY ||
           d->sequence_number > f->lineage.sequence_number;
}

int64_t rwl_rewrite_count_deleted(const rwl_fragment *f) {
    int64_t left = f->row_count;
    for (int32_t i = 0; i < f->delete_count; i++)
        if (f->deletes[i].file_scoped)
            left -= f->deletes[i].row_count < left ? f->deletes[i].row_count : left;
    return f->row_count - left;
}

static bool has_many_deletes(const rwl_rewrite_rules *rules, const rwl_fragment *f) {
    if (f->delete_count >= rules->delete_files)
        return true;
    return f->row_count > 0 &&
           (double)rwl_rewrite_count_deleted(f) / (double)f->row_count >= rules->delete_ratio;
}

static bool is_candidate(const rwl_rewrite_rules *rules, const rwl_fragment *f) {
    return rules->rewrite_all || f->file_size < rules->min_bytes || f->file_size > rules->max_bytes ||
           has_many_deletes(rules, f);
}

/* Why the group should be written, NULL when it is too small to bother. */
static const char *find_reason(const planner *p, const open_group *g) {
    size_t files = g->fragments.len;
    if (p->rules->rewrite_all)
        return "rewrite all";
    if (g->many_deletes)
        return "deleted rows";
    if (files > 1 && files >= (size_t)p->rules->min_input_files)
        return "small files";
    if (files > 1 && g->group.bytes > p->rules->target_bytes)
        return "small files";
    return g->group.bytes > p->rules->max_bytes ? "large files" : NULL;
}

/* Fewer files, fewer deletes, another order, or a file cut that is too large. */
static bool has_gain(const planner *p, const open_group *g) {
    int64_t files = (int64_t)g->fragments.len, expected = g->group.expected_files;
    if (p->rules->rewrite_all || g->loses_deletes || expected < files)
        return true;
    if (p->rules->sort != NULL && !(g->in_order && expected == 1))
        return true;
    return g->group.bytes > p->rules->max_bytes && expected > files;
}

/* Files that the live rows will make, by the part of the bytes that is theirs. */
int64_t rwl_rewrite_group_files(const rwl_rewrite_rules *rules, const rwl_rewrite_group *g) {
    int64_t live = g->rows - g->deleted_rows;
    if (live <= 0)
        return 0;
    int64_t bytes = part_of(g->bytes, (double)live / (double)g->rows),
            files = rwl_rewrite_expected_files(rules, bytes);
    return files < live ? files : live;
}

/* The group's files to the plan, in no more memory than they need: there may be a million. */
static rwl_status hand_over(planner *p, open_group *g, rwl_error *err) {
    const rwl_env *env = p->op->env;
    void *smaller = rwl_realloc(env, g->fragments.items, g->fragments.len * sizeof *g->fragments.items);
    if (smaller != NULL)
        g->fragments.items = smaller;
    RWL_TRY(rwl_vec_push(&p->out->blocks, env, (void *)g->fragments.items, err));
    g->group.fragments = g->fragments.items;
    g->group.fragment_count = g->fragments.len;
    g->fragments.items = NULL;
    g->fragments.len = g->fragments.cap = 0;
    return RWL_OK;
}

static rwl_status close_group(planner *p, open_group *g, rwl_error *err) {
    g->group.expected_files = rwl_rewrite_group_files(p->rules, &g->group);
    g->group.reason = find_reason(p, g);
    if (g->group.reason == NULL) {
        p->out->skipped_too_few_files += (int64_t)g->fragments.len;
        return RWL_OK;
    }
    if (!has_gain(p, g)) {
        p->out->skipped_no_gain += (int64_t)g->fragments.len;
        return RWL_OK;
    }
    RWL_TRY(hand_over(p, g, err));
    rwl_rewrite_taken taken = {g->group, g->place, p->taken.len};
    return rwl_vec_push(&p->taken, p->op->env, taken, err);
}

static void start_group(const planner *p, open_group *g, const rwl_fragment *f, bool own_spec) {
    memset(&g->group, 0, sizeof g->group);
    g->group.spec_id = own_spec ? f->spec_id : -1;
    g->group.partition = own_spec ? f->partition : NULL;
    g->group.with_lineage = f->lineage.has_first_row_id;
    g->fragments.len = 0;
    g->many_deletes = false;
    g->in_order = p->rules->sort != NULL && p->rules->sort->order_id > 0;
    g->loses_deletes = false;
}

static rwl_status add_file(planner *p, open_group *g, const rwl_fragment *f, rwl_error *err) {
    RWL_TRY(rwl_vec_push(&g->fragments, p->op->env, *f, err));
    g->group.bytes += f->file_size;
    if (!rwl_i64_add(g->group.rows, f->row_count, &g->group.rows))
        return rwl_fail(err, RWL_CORRUPT, "the files of a group have more rows than 64 bits count, with %s",
                        f->location);
    g->group.deleted_rows += rwl_rewrite_count_deleted(f);
    g->many_deletes = g->many_deletes || has_many_deletes(p->rules, f);
    if (p->rules->sort != NULL && f->sort_order_id != p->rules->sort->order_id)
        g->in_order = false;
    for (int32_t i = 0; i < f->delete_count; i++)
        g->loses_deletes = g->loses_deletes || is_lost(&f->deletes[i], f);
    return RWL_OK;
}

/* The group key: lineage or not, then the partition of the default spec, or nothing for older specs. */
static rwl_status make_key(planner *p, const rwl_fragment *f, bool own_spec, rwl_error *err) {
    rwl_buf_reset(&p->key);
    RWL_TRY(rwl_buf_u8(&p->key, (uint8_t)((f->lineage.has_first_row_id ? 2 : 0) | (own_spec ? 1 : 0)), err));
    return own_spec ? rwl_partition_key(f->spec_id, f->partition, f->partition_count, &p->key, err)
                    : (rwl_status)RWL_OK;
}

/* Whether the file would be too much for the group: then it begins the next one, however large it is. */
static bool is_full(const planner *p, const open_group *g, const rwl_fragment *f) {
    size_t files = g->fragments.len;
    return files > 0 && (g->group.bytes > p->rules->max_group_bytes - f->file_size ||
                         (p->rules->max_group_files > 0 && files >= (size_t)p->rules->max_group_files));
}

static rwl_status take_file(planner *p, const rwl_fragment *f, rwl_error *err) {
    bool own_spec = f->spec_id == p->metadata->spec->spec_id;
    RWL_TRY(make_key(p, f, own_spec, err));
    rwl_fragment copy;
    RWL_TRY(rwl_fragment_copy(&p->out->arena, f, &copy, err));
    bool added;
    rwl_map_value *found;
    RWL_TRY(rwl_map_put(&p->open_by_key, rwl_buf_span(&p->key), &found, &added, err));
    if (added) {
        found->i64 = (int64_t)p->open.len;
        open_group fresh;
        memset(&fresh, 0, sizeof fresh);
        RWL_TRY(rwl_vec_push(&p->open, p->op->env, fresh, err));
        p->open.items[found->i64].place = (size_t)found->i64;
        start_group(p, &p->open.items[found->i64], &copy, own_spec);
    }
    open_group *g = &p->open.items[found->i64];
    if (is_full(p, g, &copy)) {
        RWL_TRY(close_group(p, g, err));
        start_group(p, g, &copy, own_spec);
    }
    return add_file(p, g, &copy, err);
}

/* Live data files of the snapshot, as the manifest list counts them; -1 when a count is missing. */
static rwl_status count_live_files(rwl_store *store, rwl_op *op, const rwl_snapshot *snapshot, int64_t *out,
                                   rwl_error *err) {
    rwl_manifest_list list;
    memset(&list, 0, sizeof list);
    RWL_TRY(rwl_manifest_list_read(store, op, snapshot, &list, err));
    *out = 0;
    for (int32_t i = 0; i < list.count && *out >= 0; i++) {
        const rwl_manifest *m = &list.items[i];
        if (m->content != RWL_CONTENT_DATA)
            continue;
        *out = m->added_files < 0 || m->existing_files < 0 ? -1 : *out + m->added_files + m->existing_files;
    }
    rwl_manifest_list_clear(&list);
    return RWL_OK;
}

/* Counts the file among those that deletes of several files apply to. */
static rwl_status count_shared(planner *p, const rwl_fragment *f, rwl_error *err) {
    for (int32_t i = 0; i < f->delete_count; i++) {
        const rwl_delete_ref *d = &f->deletes[i];
        rwl_map_value *users;
        if (d->kind != RWL_DELETE_POSITIONS || d->file_scoped)
            continue;
        RWL_TRY(rwl_map_put(&p->out->shared_deletes, rwl_span_str(d->location), &users, NULL, err));
        users->i64++;
    }
    return RWL_OK;
}

/* A delete that claims to be newer than its snapshot would go on to apply to what is written now, with this snapshot's number. */
static rwl_status check_deletes(const planner *p, const rwl_fragment *f, rwl_error *err) {
    for (int32_t i = 0; i < f->delete_count; i++)
        if (f->deletes[i].sequence_number > p->sequence_number)
            return rwl_fail(err, RWL_CORRUPT,
                            "delete file %s has sequence number %lld, above %lld of the snapshot it is in",
                            f->deletes[i].location, (long long)f->deletes[i].sequence_number,
                            (long long)p->sequence_number);
    return RWL_OK;
}

static rwl_status stream_files(planner *p, const rwl_driver *driver, rwl_planner *plan, bool all,
                               int64_t *seen, rwl_error *err) {
    for (;;) {
        const rwl_fragment *f;
        RWL_TRY(driver->vtable->plan_next(plan, &f, err));
        if (f == NULL)
            break;
        ++*seen;
        if (all)
            RWL_TRY(count_shared(p, f, err));
        if (!is_candidate(p->rules, f)) {
            p->out->skipped_right_size++;
            continue;
        }
        RWL_TRY(check_deletes(p, f, err));
        RWL_TRY(take_file(p, f, err));
    }
    for (size_t i = 0; i < p->open.len; i++)
        RWL_TRY(close_group(p, &p->open.items[i], err));
    return RWL_OK;
}

rwl_status rwl_rewrite_plan_make(const rwl_table *table, rwl_op *op, const rwl_expr *filter,
                                 const rwl_rewrite_rules *rules, rwl_rewrite_plan *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_arena_init(&out->arena, op->env, 0);
    rwl_map_init(&out->shared_deletes, op->env);
    out->complete = true;
    if (table->snapshot == NULL)
        return RWL_OK;
    planner p;
    memset(&p, 0, sizeof p);
    p.op = op;
    p.metadata = table->metadata;
    p.sequence_number = table->snapshot->sequence_number;
    p.rules = rules;
    p.out = out;
    rwl_map_init(&p.open_by_key, op->env);
    rwl_buf_init(&p.key, op->env, SIZE_MAX);

    rwl_driver driver = rwl_table_driver(table);
    rwl_planner *plan = NULL;
    int64_t seen = 0, live = -1;
    rwl_status st = rwl_table_plan(table, &driver, op, filter, &plan, err);
    if (st == RWL_OK)
        st = stream_files(&p, &driver, plan, filter == NULL, &seen, err);
    if (st == RWL_OK)
        st = rwl_rewrite_choose(rules, &p.taken, out, err);
    if (st == RWL_OK && filter != NULL)
        st = count_live_files(table->store, op, table->snapshot, &live, err);
    if (live > seen)
        out->skipped_filtered = live - seen;
    driver.vtable->plan_close(plan);
    for (size_t i = 0; i < p.open.len; i++)
        rwl_vec_clear(&p.open.items[i].fragments, op->env);
    rwl_vec_clear(&p.open, op->env);
    rwl_vec_clear(&p.taken, op->env);
    rwl_map_clear(&p.open_by_key);
    rwl_buf_clear(&p.key);
    if (st != RWL_OK)
        rwl_rewrite_plan_clear(out);
    return st;
}

void rwl_rewrite_plan_clear(rwl_rewrite_plan *plan) {
    const rwl_env *env = plan->shared_deletes.env; /* NULL: nothing was planned */
    for (size_t i = 0; i < plan->blocks.len; i++)
        rwl_free(env, plan->blocks.items[i]);
    if (env != NULL) {
        rwl_vec_clear(&plan->blocks, env);
        rwl_map_clear(&plan->shared_deletes);
    }
    rwl_arena_clear(&plan->arena);
    memset(plan, 0, sizeof *plan);
}
