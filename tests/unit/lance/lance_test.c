/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of lance/ share. */
#include "lance_test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

rwl_env lance_env;
rwl_error lance_error;
rwl_op lance_op;
rwl_store *lance_store;
rwl_arena lance_arena;
char lance_folder[64];

void lance_setup(void) {
    rwl_env_init_default(&lance_env);
    rwl_op_init(&lance_op, &lance_env, 0);
    rwl_arena_init(&lance_arena, &lance_env, 0);
    memset(&lance_error, 0, sizeof lance_error);
    strcpy(lance_folder, "/tmp/rowline-lance-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(lance_folder));
    ASSERT_OK(rwl_store_local_new(&lance_env, NULL, 0, &lance_store, &lance_error));
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

void lance_teardown(void) {
    ck_assert_int_eq(atomic_load(&lance_op.memory_used), 0);
    rwl_store_free(lance_store);
    rwl_arena_clear(&lance_arena);
    nftw(lance_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *lance_path(const char *name) {
    char *path = rwl_arena_printf(&lance_arena, "%s/%s", lance_folder, name);
    ck_assert_ptr_nonnull(path);
    return path;
}

void lance_put(const char *name, rwl_span content) {
    char *path = rwl_arena_strdup(&lance_arena, lance_path(name));
    for (char *slash = strchr(path + strlen(lance_folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(content.data, 1, content.len, f), content.len);
    fclose(f);
}

void lance_put_text(const char *name, const char *text) {
    lance_put(name, rwl_span_str(text));
}

void lance_wrap(const rwl_buf *front, const rwl_buf *message, rwl_buf *out) {
    if (front != NULL)
        ASSERT_OK(rwl_buf_append(out, front->data, front->len, &lance_error));
    uint64_t at = out->len;
    ASSERT_OK(rwl_buf_le32(out, (uint32_t)message->len, &lance_error));
    ASSERT_OK(rwl_buf_append(out, message->data, message->len, &lance_error));
    ASSERT_OK(rwl_buf_le64(out, at, &lance_error));
    ASSERT_OK(rwl_buf_append(out, "\0\0\2\0LANC", 8, &lance_error));
}

void lance_message(rwl_buf *out, int64_t version) {
    const uint64_t zero = 0;
    static const uint8_t ids[] = {0x0a, 4, 0x0a, 2, 0x10, 4};
    static const uint8_t versions[] = {0x0a, 8, 0x0a, 4, 0x0a, 2, 0x10, 4, 0x10, 1};
    lance_put_field(out, 1, "i", 0, -1, "int32", true);
    size_t fragment = pb_begin(out, 2);
    size_t file = pb_begin(out, 2);
    pb_text(out, 1, "a.lance");
    pb_packed(out, 2, &zero, 1);
    pb_packed(out, 3, &zero, 1);
    pb_varint(out, 4, 2);
    pb_varint(out, 5, 1);
    pb_end(out, file);
    pb_varint(out, 4, 4);
    pb_bytes(out, 5, rwl_span_of(ids, sizeof ids));
    pb_bytes(out, 7, rwl_span_of(versions, sizeof versions));
    pb_bytes(out, 9, rwl_span_of(versions, sizeof versions));
    pb_end(out, fragment);
    pb_varint(out, 3, (uint64_t)version);
}

void lance_put_version(const char *tree, int64_t version, int64_t seconds) {
    rwl_buf message, file;
    rwl_buf_init(&message, &lance_env, SIZE_MAX);
    rwl_buf_init(&file, &lance_env, SIZE_MAX);
    lance_message(&message, version);
    size_t time = pb_begin(&message, 7);
    pb_signed(&message, 1, seconds);
    pb_end(&message, time);
    pb_varint(&message, 9, 2);
    pb_varint(&message, 10, 2);
    pb_varint(&message, 11, 0);
    pb_varint(&message, 14, 4);
    lance_wrap(NULL, &message, &file);
    char name[256];
    snprintf(name, sizeof name, "%s/_versions/%020llu.manifest", tree,
             (unsigned long long)(UINT64_MAX - (uint64_t)version));
    lance_put(name, rwl_buf_span(&file));
    rwl_buf_clear(&message);
    rwl_buf_clear(&file);
}

rwl_status lance_open(const char *name, rwl_lance_manifest **out) {
    return rwl_lance_manifest_open(lance_store, &lance_op, lance_path(name), out, &lance_error);
}

/* nftw has no context to pass */
static const char *wanted_ending;
static void (*each_found)(const char *path);

static int visit(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
    (void)st, (void)ftw;
    size_t len = strlen(path), ending = strlen(wanted_ending);
    if (flag == FTW_F && len > ending && strcmp(path + len - ending, wanted_ending) == 0)
        each_found(path);
    return 0;
}

bool lance_each_fixture(const char *folder, const char *ending, void (*each)(const char *path)) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", FIXTURES_DIR, folder);
    wanted_ending = ending;
    each_found = each;
    if (access(path, R_OK) == 0)
        return nftw(path, visit, 16, FTW_PHYS) == 0;
    printf("skipped: no %s\n", path);
    return false;
}
