/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporary files for what does not fit the memory budget: written once from front to back, read anywhere. They have no
 * name, so that nothing is left behind whatever happens to the process. Made in $TMPDIR, else /var/tmp.
 */
#ifndef RWL_STORAGE_SPILL_H
#define RWL_STORAGE_SPILL_H

#include "base/buf.h"

#include <sys/types.h>

/* The system calls of a spill file; each as its POSIX namesake, result and errno. */
typedef struct rwl_spill_calls {
    int (*open_unnamed)(const char *dir); /* a new file without a name: its descriptor, -1 with errno */
    ssize_t (*pwrite)(int fd, const void *data, size_t len, off_t off);
    ssize_t (*pread)(int fd, void *data, size_t len, off_t off);
} rwl_spill_calls;
extern const rwl_spill_calls rwl_spill_libc_calls;

typedef struct rwl_spill rwl_spill;

/* Held by each file that is written. */
enum { RWL_SPILL_BUFFER = 64 * 1024 };

/* A file is made with the first byte. `calls` are for tests, NULL elsewhere. */
RWL_MUST_CHECK rwl_status rwl_spill_new(const rwl_env *env, const rwl_spill_calls *calls, rwl_spill **out,
                                        rwl_error *err);
void rwl_spill_free(rwl_spill *spill); /* and the file with it; NULL is fine */
int64_t rwl_spill_size(const rwl_spill *spill);
/* Appends bytes. IO naming the directory when it is full or cannot be written. */
RWL_MUST_CHECK rwl_status rwl_spill_append(rwl_spill *spill, const void *data, size_t len, rwl_error *err);
/* Reads bytes that were appended. IO when they cannot be had. */
RWL_MUST_CHECK rwl_status rwl_spill_read(rwl_spill *spill, int64_t off, void *to, size_t len, rwl_error *err);
/* Tells the system that these bytes will be read soon. */
void rwl_spill_ahead(const rwl_spill *spill, int64_t off, int64_t len);
/* Where spill files are made. Not to be released. */
const char *rwl_spill_directory(void);

#endif
