/* SPDX-License-Identifier: Apache-2.0 */
/* Folders, an environment without chance, rows from memory. */
#include "world.h"

#include "base/vec.h"
#include "scratch.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, DEPTH_MAX = 16 };

/* --- random tests --- */

uint64_t number_from(const char *name, uint64_t standard) {
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtoull(text, NULL, 10) : standard;
}

void diary_note(diary *d, const char *fmt, ...) {
    if (d->len > DIARY_MAX - 1200) {
        memmove(d->text, d->text + DIARY_MAX / 2, d->len - DIARY_MAX / 2);
        d->len -= DIARY_MAX / 2;
    }
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(d->text + d->len, DIARY_MAX - d->len, fmt, args);
    va_end(args);
    d->len += n > 0 ? (size_t)n : 0;
    if (d->len > DIARY_MAX - 1)
        d->len = DIARY_MAX - 1;
}

/* --- the environment --- */

static bool fail_now(world *w) {
    long long n = atomic_fetch_add(&w->allocations, 1) + 1;
    if (n != atomic_load(&w->fail_at))
        return false;
    atomic_fetch_add(&w->failed, 1);
    return true;
}

static void *count_realloc(void *ctx, void *old, size_t size) {
    world *w = ctx;
    if (size == 0) {
        if (old != NULL)
            atomic_fetch_sub(&w->live_blocks, 1);
        return w->libc_realloc(NULL, old, 0);
    }
    if (fail_now(w))
        return NULL;
    if (old == NULL)
        atomic_fetch_add(&w->live_blocks, 1);
    return w->libc_realloc(NULL, old, size);
}

static void *count_alloc_aligned(void *ctx, size_t alignment, size_t size) {
    world *w = ctx;
    if (fail_now(w))
        return NULL;
    atomic_fetch_add(&w->live_blocks, 1);
    return w->libc_alloc_aligned(NULL, alignment, size);
}

static void count_free_aligned(void *ctx, void *block) {
    world *w = ctx;
    if (block != NULL)
        atomic_fetch_sub(&w->live_blocks, 1);
    w->libc_free_aligned(NULL, block);
}

static int64_t tick_ms(void *ctx) {
    return atomic_fetch_add(&((world *)ctx)->now_ms, 1);
}
static int64_t tick_ns(void *ctx) {
    return atomic_fetch_add(&((world *)ctx)->now_ms, 1) * 1000000;
}
static void sleep_never(void *ctx, int64_t ms) {
    (void)ctx, (void)ms;
}

static bool draw_bytes(void *ctx, void *out, size_t len) {
    world *w = ctx;
    uint8_t *p = out;
    for (size_t i = 0; i < len; i++) {
        uint64_t state = atomic_fetch_add(&w->random, UINT64_C(0x9E3779B97F4A7C15));
        p[i] = (uint8_t)(draw_u64(&state) >> 24);
    }
    return true;
}

static bool make_folder(world *w) {
    int len = snprintf(w->folder, sizeof w->folder, "%s/rowline-test-XXXXXX", scratch_place());
    return len > 0 && (size_t)len < sizeof w->folder && mkdtemp(w->folder) != NULL;
}

bool world_open(world *w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    rwl_env_init_default(&w->env);
    w->libc_realloc = w->env.realloc;
    w->libc_alloc_aligned = w->env.alloc_aligned;
    w->libc_free_aligned = w->env.free_aligned;
    w->env.ctx = w;
    w->env.realloc = count_realloc;
    w->env.alloc_aligned = count_alloc_aligned;
    w->env.free_aligned = count_free_aligned;
    w->env.now_ms = tick_ms;
    w->env.monotonic_ns = tick_ns;
    w->env.sleep_ms = sleep_never;
    w->env.random = draw_bytes;
    atomic_store(&w->random, seed);
    atomic_store(&w->now_ms, INT64_C(1700000000000));
    world_new_op(w);
    return make_folder(w);
}

void world_close(world *w, bool keep) {
    if (!keep)
        world_remove_tree(w->folder);
}

void world_new_op(world *w) {
    rwl_op_init(&w->op, &w->env, 0);
}

void world_fail_allocation(world *w, int64_t n) {
    atomic_store(&w->allocations, 0);
    atomic_store(&w->failed, 0);
    atomic_store(&w->fail_at, n);
}

/* --- trees of files --- */

typedef bool (*visit_fn)(void *ctx, const char *path, bool is_directory);

/* Calls `visit` for everything below `path`: a directory after what is in it when `after`, else before. */
static bool walk_tree(const char *path, bool after, int depth, visit_fn visit, void *ctx) {
    DIR *dir = depth < DEPTH_MAX ? opendir(path) : NULL;
    bool ok = dir != NULL;
    for (const struct dirent *entry; ok && (entry = readdir(dir)) != NULL;) {
        char inner[PATH_SIZE];
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        ok = lstat(inner, &st) == 0;
        bool is_directory = ok && S_ISDIR(st.st_mode);
        if (ok && !after)
            ok = visit(ctx, inner, is_directory);
        if (ok && is_directory)
            ok = walk_tree(inner, after, depth + 1, visit, ctx);
        if (ok && after)
            ok = visit(ctx, inner, is_directory);
    }
    if (dir != NULL)
        closedir(dir);
    return ok;
}

static bool remove_one(void *ctx, const char *path, bool is_directory) {
    (void)ctx;
    return (is_directory ? rmdir(path) : unlink(path)) == 0;
}

void world_remove_tree(const char *path) {
    (void)walk_tree(path, true, 0, remove_one, NULL);
    (void)rmdir(path);
}

typedef struct copy_job {
    size_t from_len;
    const char *to;
} copy_job;

static bool copy_bytes(FILE *in, FILE *out) {
    char block[16384];
    size_t n;
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        if (fwrite(block, 1, n, out) != n)
            return false;
    return ferror(in) == 0;
}

static bool copy_one(void *ctx, const char *path, bool is_directory) {
    const copy_job *job = ctx;
    char target[PATH_SIZE];
    snprintf(target, sizeof target, "%s%s", job->to, path + job->from_len);
    if (is_directory)
        return mkdir(target, 0777) == 0;
    FILE *in = fopen(path, "rb");
    FILE *out = in != NULL ? fopen(target, "wb") : NULL;
    bool ok = out != NULL && copy_bytes(in, out);
    if (in != NULL)
        fclose(in);
    if (out != NULL)
        ok = fclose(out) == 0 && ok;
    return ok;
}

bool world_copy_tree(const char *from, const char *to) {
    copy_job job = {strlen(from), to};
    return mkdir(to, 0777) == 0 && walk_tree(from, false, 0, copy_one, &job);
}

typedef struct listing {
    size_t skip;
    char **names;
    size_t len, cap;
} listing;

static bool list_one(void *ctx, const char *path, bool is_directory) {
    listing *l = ctx;
    if (is_directory)
        return true;
    if (l->len == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 64;
        char **grown = realloc(l->names, cap * sizeof *grown);
        if (grown == NULL)
            return false;
        l->names = grown;
        l->cap = cap;
    }
    l->names[l->len] = strdup(path + l->skip);
    return l->names[l->len++] != NULL;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool world_list_files(const char *path, rwl_buf *out) {
    listing l = {.skip = strlen(path) + 1};
    struct stat st;
    bool ok = stat(path, &st) != 0 || walk_tree(path, false, 0, list_one, &l);
    if (ok && l.len > 0)
        qsort(l.names, l.len, sizeof *l.names, compare_names);
    for (size_t i = 0; i < l.len; i++) {
        ok = ok && rwl_buf_printf(out, NULL, "%s\n", l.names[i]) == RWL_OK;
        free(l.names[i]);
    }
    free(l.names);
    return ok && rwl_buf_terminate(out, NULL) == RWL_OK;
}

/* --- rows from memory --- */

static rwl_status next_rows(rwl_input *base, rwl_batch *batch, rwl_error *err) {
    batch_input *in = (batch_input *)(void *)base;
    rwl_batch_reset(batch);
    int64_t left = in->rows->length - in->at;
    rwl_range range = {in->at, left < in->step ? left : in->step};
    if (range.count == 0)
        return RWL_OK;
    in->at += range.count;
    return rwl_batch_take_ranges(in->rows, &range, 1, batch, err);
}

static void close_nothing(rwl_input *base) {
    (void)base;
}

static const rwl_input_vtable batch_vtable = {next_rows, close_nothing};

void batch_input_init(batch_input *input, const rwl_batch *rows, int64_t step) {
    *input = (batch_input){.base.vtable = &batch_vtable, .rows = rows, .step = step};
}
