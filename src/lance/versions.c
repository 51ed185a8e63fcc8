/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of a tree, from the names in its _versions folder. */
#include "lance/dataset_internal.h"
#include "lance/manifest_internal.h"

#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>

enum { DIGITS_MAX = 20 }; /* of 2^64 - 1 */

/* --- names --- */

static bool parse_number(const char *text, size_t len, uint64_t *out) {
    *out = 0;
    if (len == 0 || len > DIGITS_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*out, (uint64_t)10, out) ||
            __builtin_add_overflow(*out, (uint64_t)(text[i] - '0'), out))
            return false;
    }
    return true;
}

rwl_lance_naming rwl_lance_version_of_name(const char *name, int64_t *version) {
    static const char ending[] = ".manifest";
    const uint64_t top = (uint64_t)1 << 63;
    size_t len = strlen(name);
    uint64_t number;
    *version = -1;
    if (len <= sizeof ending - 1 || strcmp(name + len - (sizeof ending - 1), ending) != 0)
        return RWL_LANCE_NOT_A_MANIFEST;
    len -= sizeof ending - 1;
    bool is_detached = name[0] == 'd';
    if (!parse_number(name + is_detached, len - is_detached, &number))
        return RWL_LANCE_NOT_A_MANIFEST;
    if (is_detached) {
        *version = (int64_t)(number & ~top);
        return number & top ? RWL_LANCE_DETACHED : RWL_LANCE_NOT_A_MANIFEST;
    }
    bool is_v2 = len == DIGITS_MAX;
    if (is_v2)
        number = UINT64_MAX - number;
    if (number == 0 || number > INT64_MAX)
        return RWL_LANCE_NOT_A_MANIFEST;
    *version = (int64_t)number;
    return is_v2 ? RWL_LANCE_V2 : RWL_LANCE_V1;
}

/* --- listing --- */

typedef struct listing {
    const rwl_env *env;
    rwl_arena *arena;
    const char *folder;
    RWL_VEC(rwl_lance_version) found;
    char a_v1[64], a_v2[64]; /* a name of each scheme */
} listing;

static rwl_status take_name(void *ctx, const char *name, const rwl_stat *stat, rwl_error *err) {
    listing *l = ctx;
    rwl_lance_version v;
    rwl_lance_naming naming = rwl_lance_version_of_name(name, &v.version);
    if (stat->is_directory || naming == RWL_LANCE_NOT_A_MANIFEST || naming == RWL_LANCE_DETACHED)
        return RWL_OK;
    snprintf(naming == RWL_LANCE_V1 ? l->a_v1 : l->a_v2, sizeof l->a_v1, "%s", name);
    if (*l->a_v1 && *l->a_v2)
        return rwl_fail(err, RWL_CORRUPT, "%s: %s and %s are of two naming schemes", l->folder, l->a_v1,
                        l->a_v2);
    v.location = rwl_arena_printf(l->arena, "%s/%s", l->folder, name);
    if (v.location == NULL)
        return rwl_no_memory(err, strlen(name));
    return rwl_vec_push(&l->found, l->env, v, err);
}

static int compare_versions(const void *a, const void *b) {
    const rwl_lance_version *x = a, *y = b;
    return (x->version < y->version) - (x->version > y->version);
}

static rwl_status sort_versions(listing *l, rwl_lance_version **out, size_t *count, rwl_error *err) {
    if (l->found.len > 1)
        qsort(l->found.items, l->found.len, sizeof *l->found.items, compare_versions);
    for (size_t i = 1; i < l->found.len; i++)
        if (l->found.items[i].version == l->found.items[i - 1].version)
            return rwl_fail(err, RWL_CORRUPT, "%s: version %lld has two manifests", l->folder,
                            (long long)l->found.items[i].version);
    *out = rwl_arena_copy(l->arena, l->found.items, l->found.len * sizeof *l->found.items);
    *count = l->found.len;
    return *out != NULL ? RWL_OK : rwl_no_memory(err, l->found.len * sizeof *l->found.items);
}

rwl_status rwl_lance_versions(rwl_store *store, rwl_op *op, const char *tree, rwl_arena *arena,
                              rwl_lance_version **out, size_t *count, rwl_error *err) {
    listing l = {.env = op->env, .arena = arena, .folder = rwl_arena_printf(arena, "%s/_versions", tree)};
    if (l.folder == NULL)
        return rwl_no_memory(err, strlen(tree));
    rwl_status st = rwl_store_list(store, op, l.folder, take_name, &l, err);
    if (st == RWL_OK)
        st = sort_versions(&l, out, count, err);
    rwl_vec_clear(&l.found, op->env);
    return st;
}
