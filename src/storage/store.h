/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes by location. A store answers for the locations a table's metadata names; the local store maps
 * them to paths (rowline's --map-path). Reads are ranges, completed in any order; new files appear
 * whole or not at all.
 */
#ifndef RWL_STORAGE_STORE_H
#define RWL_STORAGE_STORE_H

#include "base/buf.h"

typedef struct rwl_store rwl_store;
typedef struct rwl_file rwl_file;         /* an open file for reading */
typedef struct rwl_new_file rwl_new_file; /* a file being written, invisible until finished */

typedef struct rwl_stat {
    int64_t size;
    int64_t modified_ms;
    bool is_directory;
} rwl_stat;

/* One range read. `dst` has room for `len`; `done`, `status`, `error` are set when it completes. A range
 * that passes the end of the file fails with CORRUPT ("file ends at …"). */
typedef struct rwl_range_read {
    int64_t offset;
    size_t len;
    uint8_t *dst;
    void *tag; /* the caller's */
    bool done;
    rwl_status status;
    rwl_error error;
} rwl_range_read;

/* What a store implements. Wrappers (test store) forward to another. All callable from any thread. */
typedef struct rwl_store_vtable {
    rwl_status (*open)(rwl_store *s, rwl_op *op, const char *location, rwl_file **out, rwl_error *err);
    rwl_status (*size)(rwl_file *f, int64_t *out, rwl_error *err);
    rwl_status (*submit)(rwl_file *f, rwl_op *op, rwl_range_read *const *reads, size_t count, rwl_error *err);
    rwl_status (*wait)(rwl_file *f, rwl_op *op, rwl_range_read *read, rwl_error *err);
    void (*cancel)(rwl_file *f);
    void (*close)(rwl_file *f);
    int64_t range_len; /* see rwl_file_range_len */

    rwl_status (*create)(rwl_store *s, rwl_op *op, const char *location, rwl_new_file **out, rwl_error *err);
    rwl_status (*write)(rwl_new_file *f, const void *data, size_t len, rwl_error *err);
    rwl_status (*finish)(rwl_new_file *f, rwl_error *err);
    void (*abort)(rwl_new_file *f);

    rwl_status (*stat)(rwl_store *s, rwl_op *op, const char *location, rwl_stat *out, rwl_error *err);
    rwl_status (*replace)(rwl_store *s, rwl_op *op, const char *location, rwl_span content, rwl_error *err);
    rwl_status (*remove)(rwl_store *s, rwl_op *op, const char *location, rwl_error *err);
    rwl_status (*list)(rwl_store *s, rwl_op *op, const char *location,
                       rwl_status (*each)(void *ctx, const char *name, const rwl_stat *st, rwl_error *err),
                       void *ctx, rwl_error *err);
    void (*free)(rwl_store *s);
    rwl_store *(*inner)(rwl_store *s); /* the store a wrapper forwards to; NULL when it is none */
} rwl_store_vtable;

struct rwl_store {
    const rwl_store_vtable *vtable;
    const rwl_env *env;
};
struct rwl_file {
    const rwl_store_vtable *vtable;
};
struct rwl_new_file {
    const rwl_store_vtable *vtable;
};

/* --- opening stores --- */

/* One --map-path: metadata keep `from`, files lie under `to`. */
typedef struct rwl_path_map {
    const char *from, *to;
} rwl_path_map;

/*
 * The local file system. Locations are absolute or relative paths, or file: URLs (`file:`, `file://`,
 * `file:///` before an absolute path). Maps are copied; CLI.md "Moved tables" has their rules: whole path
 * components, scheme ignored when matching, longest FROM wins, TO may be relative. Another scheme:
 * UNSUPPORTED naming it.
 */
RWL_MUST_CHECK rwl_status rwl_store_local_new(const rwl_env *env, const rwl_path_map *maps, size_t map_count,
                                              rwl_store **out, rwl_error *err);
/* The path `location` is read at, after mapping, appended to `path` with a NUL that is not counted; *mapped
 * tells whether a map applied (may be NULL). Looks through wrappers; another store maps nothing. ".." below
 * FROM is refused: it could lead out of TO. */
RWL_MUST_CHECK rwl_status rwl_store_local_path(rwl_store *local, const char *location, rwl_buf *path,
                                               bool *mapped, rwl_error *err);
void rwl_store_free(rwl_store *store); /* NULL is fine */

/* --- reading --- */

RWL_MUST_CHECK rwl_status rwl_file_open(rwl_store *s, rwl_op *op, const char *location, rwl_file **out,
                                        rwl_error *err);
void rwl_file_close(rwl_file *f); /* cancels what is in flight; NULL is fine */
RWL_MUST_CHECK rwl_status rwl_file_size(rwl_file *f, int64_t *out, rwl_error *err);
/* Warns when a file has another size than the table says (`known`; negative: it says none). Sizes in manifests are
 * hints, and there are writers who get them wrong: what is opened is the file as it is, and it must hold by itself. */
void rwl_file_size_compare(const rwl_env *env, const char *location, int64_t size, int64_t known);
/* Starts reads; the structs must stay where they are until waited for or cancelled. */
RWL_MUST_CHECK rwl_status rwl_file_submit(rwl_file *f, rwl_op *op, rwl_range_read *const *reads, size_t count,
                                          rwl_error *err);
/* Until this read is done; its own status is the result. */
RWL_MUST_CHECK rwl_status rwl_file_wait(rwl_file *f, rwl_op *op, rwl_range_read *read, rwl_error *err);
void rwl_file_cancel(rwl_file *f);
/* Bytes of a range from which on a longer one gains nothing here, and costs memory; 0: as long as can be. */
int64_t rwl_file_range_len(const rwl_file *f);
/* One range, submitted and waited for. */
RWL_MUST_CHECK rwl_status rwl_file_read(rwl_file *f, rwl_op *op, int64_t offset, size_t len, uint8_t *dst,
                                        rwl_error *err);
/* A whole file appended to `out`, at most out->max bytes (UNSUPPORTED above). */
RWL_MUST_CHECK rwl_status rwl_store_read_all(rwl_store *s, rwl_op *op, const char *location, rwl_buf *out,
                                             rwl_error *err);

/* --- writing --- */

/*
 * A new file: written to a temporary name in the target's directory (made when absent), then fsync, link to
 * the target, directory fsync. Never replaces. After any doubt target and temporary are compared by inode.
 */
RWL_MUST_CHECK rwl_status rwl_new_file_create(rwl_store *s, rwl_op *op, const char *location,
                                              rwl_new_file **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_new_file_write(rwl_new_file *f, const void *data, size_t len, rwl_error *err);
/* Makes it visible and frees the handle, whatever the result. EXISTS: the name is taken by another file.
 * COMMIT_UNKNOWN: it may have become visible. All else: it did not. */
RWL_MUST_CHECK rwl_status rwl_new_file_finish(rwl_new_file *f, rwl_error *err);
void rwl_new_file_abort(rwl_new_file *f); /* removes the temporary, frees; NULL is fine */
/* create, write, finish in one. */
RWL_MUST_CHECK rwl_status rwl_store_put(rwl_store *s, rwl_op *op, const char *location, rwl_span content,
                                        rwl_error *err);

/* Replaces a file atomically (rename over): for version-hint.text alone. */
RWL_MUST_CHECK rwl_status rwl_store_replace(rwl_store *s, rwl_op *op, const char *location, rwl_span content,
                                            rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_store_stat(rwl_store *s, rwl_op *op, const char *location, rwl_stat *out,
                                         rwl_error *err);
/* Removes a file; NOT_FOUND when it is gone already. */
RWL_MUST_CHECK rwl_status rwl_store_remove(rwl_store *s, rwl_op *op, const char *location, rwl_error *err);
/* Names in a directory, no order, "." and ".." left out; NOT_FOUND when there is no directory. */
RWL_MUST_CHECK rwl_status rwl_store_list(rwl_store *s, rwl_op *op, const char *location,
                                         rwl_status (*each)(void *ctx, const char *name, const rwl_stat *st,
                                                            rwl_error *err),
                                         void *ctx, rwl_error *err);

#endif
