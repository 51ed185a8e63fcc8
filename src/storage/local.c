/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The local store: opening, reading, names. A submitted range is announced to the kernel, which reads ahead
 * by itself; waiting copies it. So what a decoder needs is on its way before it is asked for, without a
 * thread.
 */
#include "storage/local_internal.h"

#include "storage/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* What is read is copied from the page cache, and best decoded while it is in the processor's: int64 in PLAIN take
 * 2.2 ns a value in ranges of 8 MiB, 1.4 ns in ranges of 512 KiB. */
enum { RANGE_LEN = 512 * 1024 };

typedef struct local_file {
    rwl_file base;
    const rwl_env *env;
    int fd;
    int64_t size;
    char *path;
} local_file;

static rwl_local_store *as_local(rwl_store *s) {
    return (rwl_local_store *)s;
}

static local_file *as_file(rwl_file *f) {
    return (local_file *)f;
}

/* The local store in a stack of wrappers, or NULL. */
static const rwl_local_store *find_local(rwl_store *s);

rwl_status rwl_store_local_path(rwl_store *local, const char *location, rwl_buf *path, bool *mapped,
                                rwl_error *err) {
    const rwl_local_store *s = find_local(local);
    return rwl_paths_map(s ? s->maps : NULL, s ? s->map_count : 0, location, path, mapped, err);
}

/* --- reading --- */

static void close_file(rwl_file *f) {
    local_file *file = as_file(f);
    if (file->fd >= 0)
        close(file->fd);
    rwl_free(file->env, file->path);
    rwl_free(file->env, file);
}

/* Opens `path`; O_NONBLOCK so that a pipe of that name cannot hold us. */
static rwl_status open_fd(local_file *file, const char *path, rwl_error *err) {
    struct stat st;
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0 || fstat(file->fd, &st) != 0)
        return rwl_fail_errno(err, errno, "%s", path);
    if (!S_ISREG(st.st_mode))
        return rwl_fail(err, RWL_IO, "%s: not a regular file", path);
    file->size = st.st_size;
    return RWL_OK;
}

static rwl_status open_path(rwl_local_store *s, const char *path, rwl_file **out, rwl_error *err) {
    local_file *file = rwl_calloc(s->base.env, 1, sizeof *file);
    if (!file)
        return rwl_no_memory(err, sizeof *file);
    *file = (local_file){.base.vtable = s->base.vtable, .env = s->base.env, .fd = -1};
    file->path = rwl_strdup(s->base.env, path);
    rwl_status st = file->path ? open_fd(file, path, err) : rwl_no_memory(err, strlen(path));
    if (st != RWL_OK) {
        close_file(&file->base);
        return rwl_error_path(err, st, path);
    }
    *out = &file->base;
    return RWL_OK;
}

static rwl_status open_file(rwl_store *s, rwl_op *op, const char *location, rwl_file **out, rwl_error *err) {
    (void)op;
    rwl_buf path;
    rwl_buf_init(&path, s->env, SIZE_MAX);
    rwl_status st = rwl_store_local_path(s, location, &path, NULL, err);
    if (st == RWL_OK)
        st = open_path(as_local(s), (const char *)path.data, out, err);
    rwl_buf_clear(&path);
    return st;
}

static rwl_status get_size(rwl_file *f, int64_t *out, rwl_error *err) {
    (void)err;
    *out = as_file(f)->size;
    return RWL_OK;
}

static rwl_status submit_reads(rwl_file *f, rwl_op *op, rwl_range_read *const *reads, size_t count,
                               rwl_error *err) {
    (void)op;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        reads[i]->done = false;
        if (reads[i]->offset >= 0 && reads[i]->len > 0 && reads[i]->len <= INT64_MAX)
            (void)posix_fadvise(as_file(f)->fd, reads[i]->offset, (off_t)reads[i]->len, POSIX_FADV_WILLNEED);
    }
    return RWL_OK;
}

static rwl_status fail_end(const local_file *file, const rwl_range_read *read, int64_t end, rwl_error *err) {
    rwl_fail_at(err, RWL_CORRUPT, read->offset, "%s: file ends at byte %lld; %zu bytes needed at %lld",
                file->path, (long long)end, read->len, (long long)read->offset);
    return rwl_error_path(err, RWL_CORRUPT, file->path);
}

static rwl_status read_range(const local_file *file, const rwl_range_read *read, rwl_error *err) {
    if (read->offset < 0 || read->len > INT64_MAX || read->offset > INT64_MAX - (int64_t)read->len)
        return fail_end(file, read, file->size, err);
    size_t got = 0;
    while (got < read->len) {
        ssize_t n = pread(file->fd, read->dst + got, read->len - got, read->offset + (off_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            rwl_status st = rwl_fail_errno(err, errno, "%s: reading %zu bytes at %lld", file->path, read->len,
                                           (long long)read->offset);
            return rwl_error_path(err, st, file->path);
        }
        if (n == 0)
            return fail_end(file, read, got ? read->offset + (int64_t)got : file->size, err);
        got += (size_t)n;
    }
    return RWL_OK;
}

static rwl_status wait_read(rwl_file *f, rwl_op *op, rwl_range_read *read, rwl_error *err) {
    if (!read->done) {
        rwl_status st = rwl_op_check(op, &read->error);
        read->status = st == RWL_OK ? read_range(as_file(f), read, &read->error) : st;
        read->done = true;
    }
    if (read->status != RWL_OK && err)
        *err = read->error;
    return read->status;
}

static void cancel_reads(rwl_file *f) {
    (void)f; /* nothing writes to a range but its own wait */
}

/* --- names --- */

static rwl_stat stat_of(const struct stat *st) {
    return (rwl_stat){.size = st->st_size,
                      .modified_ms = (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000,
                      .is_directory = S_ISDIR(st->st_mode)};
}

static rwl_status stat_path(const char *path, rwl_stat *out, rwl_error *err) {
    struct stat st;
    if (stat(path, &st) != 0) {
        /* below a file there is nothing, just as in an empty directory */
        int e = errno == ENOTDIR ? ENOENT : errno;
        return rwl_error_path(err, rwl_fail_errno(err, e, "%s", path), path);
    }
    *out = stat_of(&st);
    return RWL_OK;
}

static rwl_status stat_location(rwl_store *s, rwl_op *op, const char *location, rwl_stat *out,
                                rwl_error *err) {
    (void)op;
    rwl_buf path;
    rwl_buf_init(&path, s->env, SIZE_MAX);
    rwl_status st = rwl_store_local_path(s, location, &path, NULL, err);
    if (st == RWL_OK)
        st = stat_path((const char *)path.data, out, err);
    rwl_buf_clear(&path);
    return st;
}

/* Whether the directory of `path` lies under `to`, links and steps resolved; either may be relative. */
static bool lies_under(const rwl_env *env, const char *path, const char *to) {
    rwl_buf dir;
    const char *name;
    rwl_buf_init(&dir, env, SIZE_MAX);
    char *real_to = realpath(to, NULL), *real_dir = NULL; /* which allocates with malloc */
    if (rwl_paths_split(path, &dir, &name, NULL) == RWL_OK)
        real_dir = realpath((const char *)dir.data, NULL);
    bool under = real_to != NULL && real_dir != NULL && rwl_paths_under(real_dir, real_to, NULL);
    free(real_to);
    free(real_dir);
    rwl_buf_clear(&dir);
    return under;
}

/* With maps given, only what lies under one of their TOs may go (CLI.md, "Moved tables"). */
static bool may_remove(const rwl_local_store *s, const char *path, bool mapped) {
    bool may = mapped || s->map_count == 0;
    for (size_t i = 0; i < s->map_count && !may; i++) {
        const char *to;
        may = rwl_paths_strip(s->maps[i].to, &to, NULL) == RWL_OK && lies_under(s->base.env, path, to);
    }
    return may;
}

static rwl_status remove_location(rwl_store *s, rwl_op *op, const char *location, rwl_error *err) {
    (void)op;
    rwl_buf buf;
    bool mapped;
    rwl_buf_init(&buf, s->env, SIZE_MAX);
    rwl_status st = rwl_store_local_path(s, location, &buf, &mapped, err);
    if (st == RWL_OK) {
        const char *path = (const char *)buf.data;
        if (!may_remove(as_local(s), path, mapped))
            st =
                rwl_fail(err, RWL_UNSUPPORTED, "%s: lies outside every mapped path and is not removed", path);
        else if (unlink(path) != 0)
            st = rwl_fail_errno(err, errno == ENOTDIR ? ENOENT : errno, "%s: removing", path);
        if (st != RWL_OK)
            rwl_error_path(err, st, path);
    }
    rwl_buf_clear(&buf);
    return st;
}

typedef rwl_status (*list_fn)(void *ctx, const char *name, const rwl_stat *st, rwl_error *err);

static rwl_status list_entries(DIR *dir, const char *path, list_fn each, void *ctx, rwl_error *err) {
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry)
            return errno ? rwl_fail_errno(err, errno, "%s: listing", path) : RWL_OK;
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        struct stat st;
        if (fstatat(dirfd(dir), name, &st, 0) != 0 &&
            fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT) /* went while we looked */
                continue;
            return rwl_fail_errno(err, errno, "%s/%s", path, name);
        }
        rwl_stat out = stat_of(&st);
        RWL_TRY(each(ctx, name, &out, err));
    }
}

static rwl_status list_location(rwl_store *s, rwl_op *op, const char *location, list_fn each, void *ctx,
                                rwl_error *err) {
    (void)op;
    rwl_buf buf;
    rwl_buf_init(&buf, s->env, SIZE_MAX);
    rwl_status st = rwl_store_local_path(s, location, &buf, NULL, err);
    if (st == RWL_OK) {
        const char *path = (const char *)buf.data;
        DIR *dir = opendir(path);
        st = dir ? list_entries(dir, path, each, ctx, err)
                 : rwl_fail_errno(err, errno == ENOTDIR ? ENOENT : errno, "%s", path);
        if (dir)
            closedir(dir);
        if (st != RWL_OK)
            rwl_error_path(err, st, path);
    }
    rwl_buf_clear(&buf);
    return st;
}

/* --- the store --- */

static void free_store(rwl_store *s) {
    rwl_local_store *local = as_local(s);
    for (size_t i = 0; i < local->map_count; i++) {
        rwl_free(s->env, (char *)(uintptr_t)local->maps[i].from);
        rwl_free(s->env, (char *)(uintptr_t)local->maps[i].to);
    }
    rwl_free(s->env, local->maps);
    rwl_free(s->env, local);
}

static const rwl_store_vtable local_vtable = {
    .open = open_file,
    .size = get_size,
    .submit = submit_reads,
    .wait = wait_read,
    .cancel = cancel_reads,
    .range_len = RANGE_LEN,
    .close = close_file,
    .create = rwl_local_create,
    .write = rwl_local_write,
    .finish = rwl_local_finish,
    .abort = rwl_local_abort,
    .stat = stat_location,
    .replace = rwl_local_replace,
    .remove = remove_location,
    .list = list_location,
    .free = free_store,
};

static const rwl_local_store *find_local(rwl_store *s) {
    while (s && s->vtable->inner)
        s = s->vtable->inner(s);
    /* by a function, not the table: tests hang a changed copy of the table on a local store */
    return s && s->vtable->free == free_store ? as_local(s) : NULL;
}

static rwl_status copy_maps(rwl_local_store *local, const rwl_path_map *maps, size_t count, rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    local->maps = rwl_calloc(local->base.env, count, sizeof *maps);
    if (!local->maps)
        return rwl_no_memory(err, sizeof *maps);
    for (size_t i = 0; i < count; i++) {
        rwl_path_map *copy = &local->maps[i];
        local->map_count++;
        copy->from = rwl_strdup(local->base.env, maps[i].from);
        copy->to = rwl_strdup(local->base.env, maps[i].to);
        if (!copy->from || !copy->to)
            return rwl_no_memory(err, strlen(maps[i].from) + strlen(maps[i].to));
    }
    return RWL_OK;
}

rwl_status rwl_store_local_new(const rwl_env *env, const rwl_path_map *maps, size_t map_count,
                               rwl_store **out, rwl_error *err) {
    *out = NULL;
    RWL_TRY(rwl_paths_check(maps, map_count, err));
    rwl_local_store *local = rwl_calloc(env, 1, sizeof *local);
    if (!local)
        return rwl_no_memory(err, sizeof *local);
    local->base = (rwl_store){&local_vtable, env};
    local->calls = &rwl_local_libc_calls;
    rwl_status st = copy_maps(local, maps, map_count, err);
    if (st != RWL_OK)
        free_store(&local->base);
    else
        *out = &local->base;
    return st;
}
