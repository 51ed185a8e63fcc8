/* SPDX-License-Identifier: Apache-2.0 */
/* Listing branches from where a dataset is back to the beginning of main. */
#include "engine/lance_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool same_branch(const char *a, const char *b) {
    return strcmp(rwl_lance_branch_name(a), rwl_lance_branch_name(b)) == 0;
}

static const rwl_lance_ref *find_branch(const rwl_lance_history *h, const char *branch) {
    for (size_t i = 0; branch != NULL && i < h->heads.len; i++) {
        const rwl_lance_ref *ref = h->heads.items[i].ref;
        if (ref != NULL && !ref->is_tag && strcmp(ref->name, branch) == 0)
            return ref;
    }
    return NULL;
}

static const char *tree_of(rwl_lance_history *h, const rwl_lance_dataset *d, const char *branch) {
    return branch == NULL ? d->root : rwl_arena_printf(&h->arena, "%s/tree/%s", d->root, branch);
}

/* Appends the versions of a branch up to `limit`. */
static rwl_status add_branch(rwl_lance_history *h, const rwl_table *t, rwl_op *op, const char *branch,
                             int64_t limit, rwl_error *err) {
    const char *tree = tree_of(h, t->lance, branch);
    rwl_lance_version *versions;
    size_t count;
    if (tree == NULL)
        return rwl_no_memory(err, 256);
    RWL_TRY(rwl_lance_versions(t->store, op, tree, &h->arena, &versions, &count, err));
    for (size_t i = 0; i < count; i++) {
        rwl_lance_entry entry = {versions[i].version, false, branch, tree, versions[i].location};
        if (entry.version <= limit)
            RWL_TRY(rwl_vec_push(&h->entries, t->env, entry, err));
    }
    return RWL_OK;
}

/* A branch whose versions can't be listed is one that nothing is known of: the rest is. */
static bool is_passed_over(const rwl_table *t, rwl_op *op, const char *branch, rwl_status st,
                           const rwl_error *why) {
    if (st == RWL_NOT_FOUND)
        return true;
    if (st == RWL_CORRUPT && !t->lance->has_warned)
        rwl_log(op->env, RWL_LOG_WARN, "branch %s: %s", rwl_lance_branch_name(branch), why->message);
    return st == RWL_CORRUPT;
}

/* Each branch at most once: a circle of parents ends, as does the line at a parent that is not there. */
static rwl_status add_ancestors(rwl_lance_history *h, const rwl_table *t, rwl_op *op, rwl_error *err) {
    const char *branch = t->lance->branch;
    int64_t limit = t->lance->manifest->version;
    if (t->lance->manifest->is_detached) {
        rwl_lance_entry only = {limit, true, branch, t->lance->tree, t->lance->manifest->location};
        return rwl_vec_push(&h->entries, t->env, only, err);
    }
    for (size_t steps = 0; steps <= h->heads.len; steps++) {
        rwl_error why = {0};
        rwl_status st = add_branch(h, t, op, branch, limit, &why);
        if (steps > 0 && is_passed_over(t, op, branch, st, &why))
            break;
        if (st != RWL_OK) {
            if (err != NULL)
                *err = why;
            return st;
        }
        const rwl_lance_ref *ref = find_branch(h, branch);
        if (ref == NULL || ref->is_detached) /* what was before a detached version is not told */
            break;
        branch = ref->branch;
        limit = ref->version;
    }
    return RWL_OK;
}

static int compare_newest_first(const void *a, const void *b) {
    const rwl_lance_entry *x = a, *y = b;
    if (x->version != y->version)
        return x->version < y->version ? 1 : -1;
    if (x->branch == NULL || y->branch == NULL)
        return (x->branch != NULL) - (y->branch != NULL);
    return strcmp(x->branch, y->branch);
}

static rwl_status add_all(rwl_lance_history *h, const rwl_table *t, rwl_op *op, rwl_error *err) {
    for (size_t i = 0; i < h->heads.len; i++) {
        const rwl_lance_ref *ref = h->heads.items[i].ref;
        if ((ref == NULL || !ref->is_tag) && h->heads.items[i].version >= 0)
            RWL_TRY(add_branch(h, t, op, ref != NULL ? ref->name : NULL, INT64_MAX, err));
    }
    if (h->entries.len > 1)
        qsort(h->entries.items, h->entries.len, sizeof *h->entries.items, compare_newest_first);
    return RWL_OK;
}

/* A branch's newest version; -1 when there is none. */
static rwl_status newest_of(rwl_lance_history *h, const rwl_table *t, rwl_op *op, const char *branch,
                            int64_t *out, rwl_error *err) {
    const char *tree = tree_of(h, t->lance, branch);
    rwl_error why = {0};
    rwl_lance_version *versions;
    size_t count = 0;
    *out = -1;
    if (tree == NULL)
        return rwl_no_memory(err, 256);
    rwl_status st = rwl_lance_versions(t->store, op, tree, &h->arena, &versions, &count, &why);
    if (st == RWL_OK && count > 0)
        *out = versions[0].version;
    if (st == RWL_OK || is_passed_over(t, op, branch, st, &why))
        return RWL_OK;
    if (err != NULL)
        *err = why;
    return st;
}

static rwl_status read_heads(rwl_lance_history *h, const rwl_table *t, rwl_op *op, rwl_error *err) {
    rwl_lance_ref *refs;
    size_t count;
    RWL_TRY(
        rwl_lance_refs(t->store, op, t->lance->root, !t->lance->has_warned, &h->arena, &refs, &count, err));
    for (size_t i = 0; i <= count; i++) {
        const rwl_lance_ref *ref = i > 0 ? &refs[i - 1] : NULL;
        rwl_lance_head head = {.ref = ref};
        if (ref == NULL || !ref->is_tag) {
            RWL_TRY(newest_of(h, t, op, ref != NULL ? ref->name : NULL, &head.version, err));
        } else {
            head.version = ref->version;
            head.is_detached = ref->is_detached;
        }
        RWL_TRY(rwl_vec_push(&h->heads, t->env, head, err));
    }
    return RWL_OK;
}

rwl_status rwl_lance_heads_read(const rwl_table *table, rwl_op *op, rwl_lance_history *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_arena_init(&out->arena, table->env, 0);
    rwl_status st = read_heads(out, table, op, err);
    table->lance->has_warned = true;
    if (st != RWL_OK)
        rwl_lance_history_clear(out);
    return st;
}

rwl_status rwl_lance_history_read(const rwl_table *table, rwl_op *op, bool all, rwl_lance_history *out,
                                  rwl_error *err) {
    RWL_TRY(rwl_lance_heads_read(table, op, out, err));
    rwl_status st = all ? add_all(out, table, op, err) : add_ancestors(out, table, op, err);
    if (st != RWL_OK)
        rwl_lance_history_clear(out);
    return st;
}

void rwl_lance_history_clear(rwl_lance_history *h) {
    const rwl_env *env = h->arena.env;
    rwl_vec_clear(&h->entries, env);
    rwl_vec_clear(&h->heads, env);
    rwl_arena_clear(&h->arena);
}

/* Looked for from `near` on, which it rather follows. */
static const rwl_lance_entry *find_entry(const rwl_lance_history *h, size_t near, const char *branch,
                                         int64_t version) {
    for (size_t i = 1; i < h->entries.len; i++) {
        const rwl_lance_entry *e = &h->entries.items[(near + i) % h->entries.len];
        if (e->version == version && !e->is_detached && same_branch(e->branch, branch))
            return e;
    }
    return NULL;
}

int64_t rwl_lance_history_before(const rwl_lance_history *h, size_t index, const rwl_lance_entry **out) {
    const rwl_lance_entry *e = &h->entries.items[index];
    const rwl_lance_ref *ref = find_branch(h, e->branch);
    const char *branch = e->branch;
    int64_t version = e->version - 1;
    *out = NULL;
    if (e->is_detached)
        return 0;
    if (ref != NULL && !ref->is_detached && ref->version == e->version) {
        branch = ref->branch;
        version = e->version;
    }
    if (version > 0)
        *out = find_entry(h, index, branch, version);
    return version;
}

void rwl_lance_history_put_refs(const rwl_lance_history *h, const rwl_lance_entry *e, rwl_doc *doc,
                                const char *key) {
    rwl_doc_open(doc, key, '[');
    for (size_t i = 0; i < h->heads.len; i++) {
        const rwl_lance_head *head = &h->heads.items[i];
        const char *on = head->ref == NULL ? NULL : head->ref->is_tag ? head->ref->branch : head->ref->name;
        if (head->version == e->version && head->is_detached == e->is_detached && same_branch(on, e->branch))
            rwl_doc_text(doc, NULL, head->ref != NULL ? head->ref->name : "main");
    }
    rwl_doc_close(doc, ']');
}

void rwl_lance_version_put(int64_t version, bool is_detached, rwl_doc *doc, const char *key) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, (uint64_t)rwl_lance_version_bits(version, is_detached));
    rwl_doc_raw(doc, key, rwl_span_str(text));
}
