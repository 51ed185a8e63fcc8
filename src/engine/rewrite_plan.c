/* SPDX-License-Identifier: Apache-2.0 */
/* Groups are packed while files stream by: one open group a partition, judged when it is closed. */
#include "engine/rewrite_plan.h"

#include "base/map.h"
#include "base/vec.h"
#include "iceberg/manifest.h"

/* A group that still takes files. */
typedef struct open_group {
    rwl_rewrite_group group;
    RWL_VEC(rwl_fragment) fragments;
    bool many_deletes; /* a file asks for it by its deletes */
    bool in_order;     /* every file carries the wanted order's id */
    int32_t deletes;   /* delete files that go when it is written */
} open_group;

typedef struct planner {
    rwl_op *op;
    const rwl_metadata *metadata;
    const rwl_rewrite_rules *rules;
    rwl_rewrite_plan *out;
    rwl_map open_by_key;      /* partition key → index in open */
    RWL_VEC(open_group) open; /* in order of first file; a closed one is replaced in place */
    RWL_VEC(rwl_rewrite_group) taken;
    rwl_buf key;
} planner;

int64_t rwl_rewrite_roll_bytes(const rwl_rewrite_rules *rules) {
    return rules->target_bytes + (rules->max_bytes - rules->target_bytes) / 2;
}

int64_t rwl_rewrite_expected_files(const rwl_rewrite_rules *rules, int64_t bytes) {
    int64_t target = rules->target_bytes;
    if (bytes < target)
        return 1;
    int64_t whole = bytes / target, rest = bytes % target;
    if (rest > rules->min_bytes)
        return whole + 1;
    int64_t roomy = target + target / 10, roll = rwl_rewrite_roll_bytes(rules);
    int64_t average = bytes / whole;
    if (average < (roomy < roll ? roomy : roll))
        return whole;
    return whole + (rest > 0 ? 1 : 0);
}

/* Deleted positions that surely belong to this file. */
static int64_t count_deleted(const rwl_fragment *f) {
    int64_t count = 0;
    for (int32_t i = 0; i < f->delete_count; i++)
        if (f->deletes[i].file_scoped)
            count += f->deletes[i].row_count;
    return count < f->row_count ? count : f->row_count;
}

static bool has_many_deletes(const rwl_rewrite_rules *rules, const rwl_fragment *f) {
    if (f->delete_count >= rules->delete_files)
        return true;
    return f->row_count > 0 && (double)count_deleted(f) / (double)f->row_count >= rules->delete_ratio;
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
    if (p->rules->rewrite_all || g->deletes > 0 || expected < files)
        return true;
    if (p->rules->sort != NULL && !(g->in_order && expected == 1))
        return true;
    return g->group.bytes > p->rules->max_bytes && expected > files;
}

static rwl_status close_group(planner *p, open_group *g, rwl_error *err) {
    int64_t live = g->group.rows - g->group.deleted_rows;
    int64_t live_bytes =
        g->group.rows > 0 ? (int64_t)((double)g->group.bytes * ((double)live / (double)g->group.rows)) : 0;
    g->group.expected_files = live > 0 ? rwl_rewrite_expected_files(p->rules, live_bytes) : 0;
    if (g->group.expected_files > live && live > 0)
        g->group.expected_files = live;
    g->group.reason = find_reason(p, g);
    if (g->group.reason == NULL) {
        p->out->skipped_too_few_files += (int64_t)g->fragments.len;
        return RWL_OK;
    }
    if (!has_gain(p, g)) {
        p->out->skipped_no_gain += (int64_t)g->fragments.len;
        return RWL_OK;
    }
    g->group.fragment_count = g->fragments.len;
    g->group.fragments =
        rwl_arena_copy(&p->out->arena, g->fragments.items, g->fragments.len * sizeof *g->fragments.items);
    if (g->group.fragments == NULL)
        return rwl_no_memory(err, g->fragments.len * sizeof *g->fragments.items);
    return rwl_vec_push(&p->taken, p->op->env, g->group, err);
}

static void start_group(const planner *p, open_group *g, const rwl_fragment *f, bool own_spec) {
    memset(&g->group, 0, sizeof g->group);
    g->group.spec_id = own_spec ? f->spec_id : -1;
    g->group.partition = own_spec ? f->partition : NULL;
    g->group.with_lineage = f->lineage.has_first_row_id;
    g->fragments.len = 0;
    g->many_deletes = false;
    g->in_order = p->rules->sort != NULL && p->rules->sort->order_id > 0;
    g->deletes = 0;
}

static rwl_status add_file(planner *p, open_group *g, const rwl_fragment *f, rwl_error *err) {
    RWL_TRY(rwl_vec_push(&g->fragments, p->op->env, *f, err));
    g->group.bytes += f->file_size;
    g->group.rows += f->row_count;
    g->group.deleted_rows += count_deleted(f);
    g->many_deletes = g->many_deletes || has_many_deletes(p->rules, f);
    if (p->rules->sort != NULL && f->sort_order_id != p->rules->sort->order_id)
        g->in_order = false;
    for (int32_t i = 0; i < f->delete_count; i++)
        g->deletes += f->deletes[i].file_scoped;
    return RWL_OK;
}

/* The group key: lineage or not, then the partition of the default spec, or nothing for older specs. */
static rwl_status make_key(planner *p, const rwl_fragment *f, bool own_spec, rwl_error *err) {
    rwl_buf_reset(&p->key);
    RWL_TRY(rwl_buf_u8(&p->key, (uint8_t)((f->lineage.has_first_row_id ? 2 : 0) | (own_spec ? 1 : 0)), err));
    for (int32_t i = 0; own_spec && i < f->partition_count; i++) {
        RWL_TRY(rwl_buf_u8(&p->key, f->partition[i].is_null, err));
        size_t at = p->key.len;
        RWL_TRY(rwl_buf_le64(&p->key, 0, err));
        if (!f->partition[i].is_null)
            RWL_TRY(rwl_value_encode(&f->partition[i], &p->key, err));
        rwl_store_le64(p->key.data + at, p->key.len - at);
    }
    return RWL_OK;
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
        start_group(p, &p->open.items[found->i64], &copy, own_spec);
    }
    open_group *g = &p->open.items[found->i64];
    if (g->fragments.len > 0 && g->group.bytes > p->rules->max_group_bytes - copy.file_size) {
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

static rwl_status stream_files(planner *p, const rwl_driver *driver, rwl_planner *plan, int64_t *seen,
                               rwl_error *err) {
    for (;;) {
        const rwl_fragment *f;
        RWL_TRY(driver->vtable->plan_next(plan, &f, err));
        if (f == NULL)
            break;
        ++*seen;
        if (is_candidate(p->rules, f))
            RWL_TRY(take_file(p, f, err));
        else
            p->out->skipped_right_size++;
    }
    for (size_t i = 0; i < p->open.len; i++)
        RWL_TRY(close_group(p, &p->open.items[i], err));
    return RWL_OK;
}

/* Numbers the taken groups and hands them to the plan. */
static rwl_status keep_groups(planner *p, rwl_error *err) {
    rwl_rewrite_plan *out = p->out;
    out->groups = rwl_arena_copy(&out->arena, p->taken.items, p->taken.len * sizeof *p->taken.items);
    if (out->groups == NULL)
        return rwl_no_memory(err, p->taken.len * sizeof *p->taken.items);
    out->group_count = p->taken.len;
    for (size_t i = 0; i < out->group_count; i++)
        out->groups[i].number = (int64_t)i + 1;
    return RWL_OK;
}

rwl_status rwl_rewrite_plan_make(const rwl_table *table, rwl_op *op, const rwl_expr *filter,
                                 const rwl_rewrite_rules *rules, rwl_rewrite_plan *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_arena_init(&out->arena, op->env, 0);
    if (table->snapshot == NULL)
        return RWL_OK;
    planner p;
    memset(&p, 0, sizeof p);
    p.op = op;
    p.metadata = table->metadata;
    p.rules = rules;
    p.out = out;
    rwl_map_init(&p.open_by_key, op->env);
    rwl_buf_init(&p.key, op->env, SIZE_MAX);

    rwl_driver driver = rwl_table_driver(table);
    rwl_planner *plan = NULL;
    int64_t seen = 0, live = -1;
    rwl_status st = rwl_table_plan(table, &driver, op, filter, &plan, err);
    if (st == RWL_OK)
        st = stream_files(&p, &driver, plan, &seen, err);
    if (st == RWL_OK)
        st = keep_groups(&p, err);
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
    rwl_arena_clear(&plan->arena);
    memset(plan, 0, sizeof *plan);
}
