/* SPDX-License-Identifier: Apache-2.0 */
/* A dataset directory: which version is asked for, its manifest, and where its files lie. */
#include "base/time.h"
#include "lance/dataset_internal.h"
#include "lance/manifest_internal.h"

#include <stdio.h>

enum { NAMED_MAX = 20 };

rwl_status rwl_lance_dataset_is(rwl_store *store, rwl_op *op, const char *location, bool *is,
                                rwl_error *err) {
    rwl_arena arena;
    rwl_stat stat;
    rwl_error why = {0};
    *is = false;
    rwl_arena_init(&arena, op->env, 0);
    const char *folder = rwl_arena_printf(&arena, "%s/_versions", location);
    rwl_status st = folder == NULL ? rwl_no_memory(&why, strlen(location))
                                   : rwl_store_stat(store, op, folder, &stat, &why);
    rwl_arena_clear(&arena);
    if (st == RWL_OK)
        *is = stat.is_directory;
    if (st == RWL_OK || st == RWL_NOT_FOUND)
        return RWL_OK;
    if (err != NULL)
        *err = why;
    return st;
}

/* --- what is asked for --- */

/* A request made plain: a branch (NULL main), and a version or a time of it, or its newest version. */
typedef struct target {
    const char *branch;
    int64_t version;  /* -1: not asked for */
    int64_t as_of_ms; /* -1 */
    bool is_head;
    bool is_detached; /* `version` without its top bit */
} target;

/* Digits, or a minus and digits. */
static bool is_number(const char *text) {
    text += *text == '-';
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Detached versions have the top bit; the negative number of the same bits, as columns have it, means the same. */
static rwl_status parse_version(const char *text, target *out, rwl_error *err) {
    bool is_negative = *text == '-';
    uint64_t number = 0;
    for (text += is_negative; *text != '\0'; text++)
        if (__builtin_mul_overflow(number, (uint64_t)10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
            return rwl_fail(err, RWL_NOT_FOUND, "no version above 2^64 - 1");
    if (is_negative && (number == 0 || number - 1 > INT64_MAX))
        return rwl_fail(err, RWL_NOT_FOUND, "no version -%llu", (unsigned long long)number);
    number = is_negative ? 0 - number : number;
    out->is_detached = number >> 63 != 0;
    out->version = (int64_t)(number & INT64_MAX);
    return RWL_OK;
}

static rwl_lance_lookup lookup_in(rwl_lance_dataset *d, rwl_op *op) {
    return (rwl_lance_lookup){d->store, op, d->root, &d->arena};
}

/* A branch or tag, of which a version or time makes it a branch. *found false when there is neither. */
static rwl_status find_name(rwl_lance_dataset *d, rwl_op *op, const char *name, bool has_more, target *out,
                            bool *is_tag, bool *found, rwl_error *err) {
    rwl_lance_ref tag, branch;
    bool has_tag, has_branch;
    const rwl_lance_lookup lookup = lookup_in(d, op);
    *out = (target){.version = -1, .as_of_ms = -1, .is_head = true};
    *is_tag = false;
    *found = strcmp(name, "main") == 0;
    if (*found)
        return RWL_OK;
    RWL_TRY(rwl_lance_ref_find(&lookup, name, true, &tag, &has_tag, err));
    RWL_TRY(rwl_lance_ref_find(&lookup, name, false, &branch, &has_branch, err));
    if (has_tag && has_branch && !has_more)
        return rwl_fail(err, RWL_USAGE, "\"%.100s\" is a tag and a branch; name the version", name);
    has_tag = has_tag && !has_branch;
    *found = has_tag || has_branch;
    *is_tag = has_tag;
    if (has_tag)
        *out = (target){
            .branch = tag.branch, .version = tag.version, .is_detached = tag.is_detached, .as_of_ms = -1};
    else if (has_branch)
        out->branch = branch.name;
    return RWL_OK;
}

static rwl_status resolve_name(rwl_lance_dataset *d, rwl_op *op, const char *name, bool has_more, target *out,
                               rwl_error *err) {
    bool found, is_tag;
    RWL_TRY(find_name(d, op, name, has_more, out, &is_tag, &found, err));
    return found ? RWL_OK : rwl_lance_ref_missing(d->store, op, d->root, name, err);
}

/* What stands after the '@'. */
static rwl_status resolve_state(rwl_lance_dataset *d, rwl_op *op, const rwl_lance_request *request,
                                bool has_more, target *out, rwl_error *err) {
    const char *state = request->state;
    bool is_tag, found;
    if (!is_number(state))
        return resolve_name(d, op, state, has_more, out, err);
    RWL_TRY(find_name(d, op, state, has_more, out, &is_tag, &found, err));
    if (found)
        return rwl_fail(err, RWL_USAGE,
                        "\"%.100s\" is a version and the name of a %s; say which by an option", state,
                        is_tag ? "tag" : "branch");
    *out = (target){.version = -1, .as_of_ms = -1};
    if (request->on != NULL && (out->branch = rwl_arena_strdup(&d->arena, request->on)) == NULL)
        return rwl_no_memory(err, strlen(request->on));
    return parse_version(state, out, err);
}

static rwl_status resolve(rwl_lance_dataset *d, rwl_op *op, const rwl_lance_request *request, target *out,
                          rwl_error *err) {
    *out = (target){.version = -1, .as_of_ms = -1, .is_head = true};
    if (request == NULL)
        return RWL_OK;
    bool has_version = request->version >= 0, has_time = request->as_of_ms >= 0;
    const char *name = request->state != NULL ? request->state : request->ref;
    if (request->state != NULL && (request->ref != NULL || has_version))
        return rwl_fail(err, RWL_USAGE, "\"@%.100s\" beside another version, branch or tag", request->state);
    if (has_version && has_time)
        return rwl_fail(err, RWL_USAGE, "a version and a time");
    if (request->state != NULL)
        RWL_TRY(resolve_state(d, op, request, has_time, out, err));
    else if (request->ref != NULL)
        RWL_TRY(resolve_name(d, op, request->ref, has_version || has_time, out, err));
    if (!has_version && !has_time)
        return RWL_OK;
    if (!out->is_head)
        return rwl_fail(err, RWL_USAGE, "a version or time of \"%.100s\", which is one version", name);
    out->version = request->version;
    out->is_detached = has_version && request->is_detached;
    out->as_of_ms = request->as_of_ms;
    out->is_head = false;
    return RWL_OK;
}

/* --- its manifest --- */

/* The versions of a branch, newest first. */
typedef struct version_list {
    rwl_lance_version *items;
    size_t count;
} version_list;

typedef struct dated {
    int64_t version, ms;
} dated;

static rwl_status missing_version(const rwl_lance_dataset *d, const version_list *versions, int64_t version,
                                  rwl_error *err) {
    char text[512] = "";
    size_t len = 0;
    for (size_t i = 0; i < versions->count && i < NAMED_MAX; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%lld", i > 0 ? ", " : "",
                                (long long)versions->items[i].version);
    return rwl_fail(err, RWL_NOT_FOUND, "no version %lld of %.200s; there are %zu: %s%s", (long long)version,
                    d->tree, versions->count, text, versions->count > NAMED_MAX ? ", …" : "");
}

static rwl_status set_branch(rwl_lance_dataset *d, const char *branch, rwl_error *err) {
    d->branch = branch;
    d->tree = branch == NULL ? d->root : rwl_arena_printf(&d->arena, "%s/tree/%s", d->root, branch);
    return d->tree != NULL ? RWL_OK : rwl_no_memory(err, 256);
}

/* Lists the versions of a branch, which the dataset then is on. */
static rwl_status list_branch(rwl_lance_dataset *d, rwl_op *op, const char *branch, version_list *out,
                              rwl_error *err) {
    RWL_TRY(set_branch(d, branch, err));
    RWL_TRY(rwl_lance_versions(d->store, op, d->tree, &d->arena, &out->items, &out->count, err));
    return out->count > 0 ? RWL_OK
                          : rwl_fail(err, RWL_NOT_FOUND, "%.200s/_versions has no manifest", d->tree);
}

/* The newest version at or before a time among those up to `limit`; *out NULL when there is none, `first` the oldest then. */
static rwl_status find_time(const rwl_lance_dataset *d, rwl_op *op, const version_list *versions,
                            int64_t limit, int64_t as_of_ms, const char **out, dated *first, rwl_error *err) {
    *out = NULL;
    for (size_t i = 0; i < versions->count; i++) {
        const rwl_lance_version *v = &versions->items[i];
        if (v->version > limit)
            continue;
        RWL_TRY(rwl_op_check(op, err));
        first->version = v->version;
        RWL_TRY(rwl_lance_manifest_time(d->store, op, v->location, &first->ms, err));
        if (first->ms <= as_of_ms) {
            *out = v->location;
            return RWL_OK;
        }
    }
    return RWL_OK;
}

static rwl_status nothing_so_old(const rwl_lance_dataset *d, int64_t as_of_ms, const dated *first,
                                 rwl_error *err) {
    char wanted[RWL_TIME_TEXT_MAX], oldest[RWL_TIME_TEXT_MAX];
    return rwl_fail(err, RWL_NOT_FOUND, "no version of %.200s is as old as %s; the first is %lld of %s",
                    d->root, rwl_instant_format(as_of_ms, wanted), (long long)first->version,
                    rwl_instant_format(first->ms, oldest));
}

/* A branch at a time is an ancestor of it where the branch began later. */
static rwl_status choose_time(rwl_lance_dataset *d, rwl_op *op, const target *t, const char **out,
                              rwl_error *err) {
    enum { PARENTS_MAX = 100 }; /* a circle of parents ends */
    const rwl_lance_lookup lookup = lookup_in(d, op);
    const char *branch = t->branch;
    int64_t limit = INT64_MAX;
    dated first = {0, 0};
    for (int steps = 0; steps < PARENTS_MAX; steps++) {
        version_list versions;
        rwl_lance_ref ref;
        bool has_parent = false;
        RWL_TRY(list_branch(d, op, branch, &versions, err));
        RWL_TRY(find_time(d, op, &versions, limit, t->as_of_ms, out, &first, err));
        if (*out != NULL)
            return RWL_OK;
        if (branch != NULL)
            RWL_TRY(rwl_lance_ref_find(&lookup, branch, false, &ref, &has_parent, err));
        if (!has_parent || ref.is_detached) /* what was before a detached version is not told */
            break;
        branch = ref.branch;
        limit = ref.version;
    }
    return nothing_so_old(d, t->as_of_ms, &first, err);
}

/* Such versions are not in the listing, so that none of them is the newest; a branch may begin at one and have no other. */
static rwl_status choose_detached(rwl_lance_dataset *d, const target *t, const char **out, rwl_error *err) {
    RWL_TRY(set_branch(d, t->branch, err));
    *out = rwl_arena_printf(&d->arena, "%s/_versions/d%llu.manifest", d->tree,
                            (unsigned long long)t->version | (unsigned long long)1 << 63);
    return *out != NULL ? RWL_OK : rwl_no_memory(err, strlen(d->tree));
}

static rwl_status choose_version(rwl_lance_dataset *d, rwl_op *op, const target *t, const char **out,
                                 rwl_error *err) {
    version_list versions;
    if (t->is_detached)
        return choose_detached(d, t, out, err);
    RWL_TRY(list_branch(d, op, t->branch, &versions, err));
    for (size_t i = 0; i < versions.count; i++) {
        if (t->version < 0 || versions.items[i].version == t->version) {
            *out = versions.items[i].location;
            return RWL_OK;
        }
    }
    return missing_version(d, &versions, t->version, err);
}

static rwl_status open_version(rwl_lance_dataset *d, rwl_op *op, const target *t, rwl_error *err) {
    const char *location = NULL;
    d->name = !t->is_head ? NULL : t->branch != NULL ? t->branch : "main";
    RWL_TRY(t->as_of_ms >= 0 ? choose_time(d, op, t, &location, err)
                             : choose_version(d, op, t, &location, err));
    return rwl_lance_manifest_open(d->store, op, location, &d->manifest, err);
}

static rwl_status open_dataset(rwl_lance_dataset *d, rwl_op *op, const char *root,
                               const rwl_lance_request *request, rwl_error *err) {
    size_t len = strlen(root);
    target t;
    while (len > 1 && root[len - 1] == '/')
        len--;
    d->root = rwl_arena_strndup(&d->arena, root, len);
    if (d->root == NULL)
        return rwl_no_memory(err, len);
    RWL_TRY(resolve(d, op, request, &t, err));
    return open_version(d, op, &t, err);
}

rwl_status rwl_lance_dataset_open(rwl_store *store, rwl_op *op, const char *root,
                                  const rwl_lance_request *request, rwl_lance_dataset **out, rwl_error *err) {
    rwl_lance_dataset *d = rwl_calloc(op->env, 1, sizeof *d);
    if (d == NULL)
        return rwl_no_memory(err, sizeof *d);
    d->env = op->env;
    d->store = store;
    rwl_arena_init(&d->arena, op->env, 0);
    rwl_status st = open_dataset(d, op, root, request, err);
    if (st == RWL_OK) {
        *out = d;
        return RWL_OK;
    }
    rwl_lance_dataset_free(d);
    return st;
}

void rwl_lance_dataset_free(rwl_lance_dataset *dataset) {
    if (dataset == NULL)
        return;
    const rwl_env *env = dataset->env;
    rwl_lance_manifest_free(dataset->manifest);
    rwl_arena_clear(&dataset->arena);
    rwl_free(env, dataset);
}

/* --- its files --- */

static const rwl_lance_base *find_base(const rwl_lance_manifest *m, int64_t id) {
    size_t low = 0, high = m->base_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((int64_t)m->bases[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->base_count && (int64_t)m->bases[low].id == id ? &m->bases[low] : NULL;
}

/* Whether a path stays below where it starts. */
static bool stays_below(const char *path) {
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

static rwl_status place(const rwl_lance_dataset *d, int64_t base_id, const char *folder, const char *path,
                        rwl_arena *arena, const char **out, rwl_error *err) {
    const char *root = d->tree;
    if (!stays_below(path))
        return rwl_fail(err, RWL_CORRUPT, "file \"%.200s\" leads out of its folder", path);
    if (base_id >= 0) {
        const rwl_lance_base *base = find_base(d->manifest, base_id);
        if (base == NULL)
            return rwl_fail(err, RWL_CORRUPT,
                            "file \"%.200s\" is in base path %lld, which manifest %.200s does not list", path,
                            (long long)base_id, d->manifest->location);
        root = base->path; /* a relative one is its writer's, from the directory it ran in: taken as it is */
        folder = base->is_dataset_root ? folder : NULL;
    }
    size_t len = strlen(root);
    while (len > 1 && root[len - 1] == '/')
        len--;
    *out = rwl_arena_printf(arena, "%.*s/%s%s%s", (int)len, root, folder != NULL ? folder : "",
                            folder != NULL ? "/" : "", path);
    return *out != NULL ? RWL_OK : rwl_no_memory(err, len + strlen(path));
}

rwl_status rwl_lance_data_location(const rwl_lance_dataset *dataset, const rwl_lance_data_file *file,
                                   rwl_arena *arena, const char **out, rwl_error *err) {
    return place(dataset, file->base_id, "data", file->path, arena, out, err);
}

rwl_status rwl_lance_base_location(const void *dataset, uint32_t base_id, const char *path, rwl_arena *arena,
                                   const char **out, rwl_error *err) {
    return place(dataset, (int64_t)base_id, NULL, path, arena, out, err);
}

rwl_status rwl_lance_deletion_location(const rwl_lance_dataset *dataset, const rwl_lance_fragment *fragment,
                                       rwl_arena *arena, const char **out, rwl_error *err) {
    const rwl_lance_deletion_file *f = &fragment->deletion;
    const char *name = rwl_arena_printf(arena, "%lld-%llu-%llu.%s", (long long)fragment->id,
                                        (unsigned long long)f->read_version, (unsigned long long)f->id,
                                        f->is_bitmap ? "bin" : "arrow");
    if (name == NULL)
        return rwl_no_memory(err, 64);
    return place(dataset, f->base_id, "_deletions", name, arena, out, err);
}
