/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The versions that came before a Lance dataset's: those of its branch, newest first, then those of the parent up to where the branch
 * began, and so on. A branch's first version has the number of the parent's that it began at, so both are listed.
 */
#ifndef RWL_ENGINE_LANCE_HISTORY_H
#define RWL_ENGINE_LANCE_HISTORY_H

#include "base/vec.h"
#include "engine/inspect_doc.h"
#include "engine/table.h"

typedef struct rwl_lance_entry {
    int64_t version;
    bool is_detached;     /* `version` is without its top bit */
    const char *branch;   /* NULL: main */
    const char *tree;     /* directory of its _versions */
    const char *manifest; /* location */
} rwl_lance_entry;

/* A branch's newest version, or what a tag names. */
typedef struct rwl_lance_head {
    const rwl_lance_ref *ref; /* NULL: main */
    int64_t version;          /* -1: a branch without versions, or whose tree is not there */
    bool is_detached;         /* `version` is without its top bit */
} rwl_lance_head;

typedef struct rwl_lance_history {
    rwl_arena arena; /* of all texts */
    RWL_VEC(rwl_lance_entry) entries;
    RWL_VEC(rwl_lance_head) heads; /* main, then refs by name */
} rwl_lance_history;

/* `all`: of all branches, by version, descending, main first. To be cleared when this succeeds. */
RWL_MUST_CHECK rwl_status rwl_lance_history_read(const rwl_table *table, rwl_op *op, bool all,
                                                 rwl_lance_history *out, rwl_error *err);
/* The refs and where they point, no entries. */
RWL_MUST_CHECK rwl_status rwl_lance_heads_read(const rwl_table *table, rwl_op *op, rwl_lance_history *out,
                                               rwl_error *err);
void rwl_lance_history_clear(rwl_lance_history *history);

/* The version that the one of entry `index` was made from, on its branch or the parent: each is made from the one before, whether or not
 * that one has been cleaned up since. 0 when there is none, or it is not told. *entry is NULL when it is not listed. */
int64_t rwl_lance_history_before(const rwl_lance_history *history, size_t index,
                                 const rwl_lance_entry **entry);
/* Names of branches whose newest this version is, and of tags on it, as an array. */
void rwl_lance_history_put_refs(const rwl_lance_history *history, const rwl_lance_entry *entry, rwl_doc *doc,
                                const char *key);
static inline const char *rwl_lance_branch_name(const char *branch) {
    return branch != NULL ? branch : "main";
}

/* A version in full, an unsigned number. */
void rwl_lance_version_put(int64_t version, bool is_detached, rwl_doc *doc, const char *key);

#endif
