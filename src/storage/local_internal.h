/* SPDX-License-Identifier: Apache-2.0 */
/* The local store's insides, shared by its two files and its tests. */
#ifndef RWL_STORAGE_LOCAL_INTERNAL_H
#define RWL_STORAGE_LOCAL_INTERNAL_H

#include "storage/store.h"

#include <sys/stat.h>
#include <sys/types.h>

/* The system calls that decide whether a file became visible; each as its POSIX namesake, result and errno.
 */
typedef struct rwl_local_calls {
    ssize_t (*write)(int fd, const void *data, size_t len);
    int (*fsync)(int fd);
    int (*linkat)(int from_dir, const char *from, int to_dir, const char *to, int flags);
    int (*renameat)(int from_dir, const char *from, int to_dir, const char *to);
    int (*fstatat)(int dir, const char *name, struct stat *out, int flags);
} rwl_local_calls;

typedef struct rwl_local_store {
    rwl_store base;
    const rwl_local_calls *calls; /* tests put their own here */
    rwl_path_map *maps;
    size_t map_count;
} rwl_local_store;

/* Writing, in local_write.c. */
extern const rwl_local_calls rwl_local_libc_calls;
rwl_status rwl_local_create(rwl_store *s, rwl_op *op, const char *location, rwl_new_file **out,
                            rwl_error *err);
rwl_status rwl_local_write(rwl_new_file *f, const void *data, size_t len, rwl_error *err);
rwl_status rwl_local_finish(rwl_new_file *f, rwl_error *err);
void rwl_local_abort(rwl_new_file *f);
rwl_status rwl_local_replace(rwl_store *s, rwl_op *op, const char *location, rwl_span content,
                             rwl_error *err);

#endif
