/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dataset directory, and one version of it.
 *
 *   _versions/{2^64 - 1 - version, 20 digits}.manifest   (V2)   or {version}.manifest (V1); d{version}.manifest: detached
 *   data/   _deletions/   _transactions/   _indices/
 *   _refs/tags/{name}.json   _refs/branches/{name, '/' as %2F}.json
 *   tree/{branch}/   the same again, of a branch
 *
 * The newest version is the greatest in the listing; latest_version_hint.json is not asked. Files with other names are
 * passed over. Both schemes side by side are CORRUPT.
 */
#ifndef RWL_LANCE_DATASET_H
#define RWL_LANCE_DATASET_H

#include "lance/manifest.h"

#include <stdatomic.h>

typedef struct rwl_lance_version {
    int64_t version;
    const char *location; /* of its manifest */
} rwl_lance_version;

typedef struct rwl_lance_ref {
    const char *name;
    bool is_tag;
    const char *branch; /* tag: the branch it is on, NULL main; branch: its parent, NULL main */
    int64_t version;    /* tag: what it names; branch: the parent's version it began at */
    bool is_detached;   /* `version` is without its top bit */
    int64_t created_ms; /* -1: not told */
    int64_t manifest_size;
} rwl_lance_ref;

/* A version as a signed number of 64 bits: its own, of a detached one (from 2^63 on) the negative number of the same bits. */
static inline int64_t rwl_lance_version_bits(int64_t version, bool is_detached) {
    return is_detached ? version + INT64_MIN : version;
}

/* Which version; what is not given is NULL or -1. */
typedef struct rwl_lance_request {
    const char *state; /* after the '@': a version, branch or tag; a number that is also a name: USAGE */
    const char *on;    /* the branch that a version in `state` is of; NULL: main */
    int64_t version;   /* on main, or on the branch that is `ref` */
    bool is_detached; /* `version`, without its top bit, is of a detached one; in `state` the top bit tells */
    const char *ref;  /* a branch or tag */
    /* The newest version at or before, of main or the branch that is named, else of its ancestors. */
    int64_t as_of_ms;
} rwl_lance_request;

typedef struct rwl_lance_dataset {
    const rwl_env *env;
    rwl_arena arena;
    rwl_store *store;   /* borrowed */
    const char *root;   /* the dataset's directory */
    const char *branch; /* of the version, NULL main */
    const char *tree;   /* directory of its _versions: root, or root/tree/branch */
    const char *name;   /* what a change would go to: "main" or the branch; NULL: at a version, tag or time */
    rwl_lance_manifest *manifest;
    atomic_bool has_warned; /* of refs that say nothing: once is enough. Calls that read share the dataset */
} rwl_lance_dataset;

/* Whether a directory holds a dataset: it has a _versions folder. */
RWL_MUST_CHECK rwl_status rwl_lance_dataset_is(rwl_store *store, rwl_op *op, const char *location, bool *is,
                                               rwl_error *err);
/* Opens a version. NOT_FOUND naming the version, branch or tag (with those there are), USAGE. */
RWL_MUST_CHECK rwl_status rwl_lance_dataset_open(rwl_store *store, rwl_op *op, const char *root,
                                                 const rwl_lance_request *request, rwl_lance_dataset **out,
                                                 rwl_error *err);
void rwl_lance_dataset_free(rwl_lance_dataset *dataset); /* NULL is fine */

/* Versions under `tree`, newest first; in `arena`. */
RWL_MUST_CHECK rwl_status rwl_lance_versions(rwl_store *store, rwl_op *op, const char *tree, rwl_arena *arena,
                                             rwl_lance_version **out, size_t *count, rwl_error *err);
/* Tags and branches by name; in `arena`. Those that say nothing are left out, each with a line of warning when `warn`. */
RWL_MUST_CHECK rwl_status rwl_lance_refs(rwl_store *store, rwl_op *op, const char *root, bool warn,
                                         rwl_arena *arena, rwl_lance_ref **out, size_t *count,
                                         rwl_error *err);

/* Where a data or deletion file lies: base_id -1 is the version's own tree; CORRUPT for a base that the manifest does not list. */
RWL_MUST_CHECK rwl_status rwl_lance_data_location(const rwl_lance_dataset *dataset,
                                                  const rwl_lance_data_file *file, rwl_arena *arena,
                                                  const char **out, rwl_error *err);
/* Where a path below a base path lies: of blobs outside (rwl_lancefile_locate, `dataset` being its context). */
RWL_MUST_CHECK rwl_status rwl_lance_base_location(const void *dataset, uint32_t base_id, const char *path,
                                                  rwl_arena *arena, const char **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_deletion_location(const rwl_lance_dataset *dataset,
                                                      const rwl_lance_fragment *fragment, rwl_arena *arena,
                                                      const char **out, rwl_error *err);

#endif
