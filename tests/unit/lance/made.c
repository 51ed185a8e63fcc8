/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets made of structs. */
#include "made.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

void made_open(made *m, int64_t memory_limit) {
    memset(m, 0, sizeof *m);
    rwl_env_init_default(&m->env);
    rwl_op_init(&m->op, &m->env, memory_limit);
    rwl_arena_init(&m->arena, &m->env, 0);
    const char *base = getenv("TMPDIR");
    snprintf(m->folder, sizeof m->folder, "%s/rowline-lance-XXXXXX", base != NULL ? base : "/tmp");
    ck_assert(mkdtemp(m->folder) != NULL);
    ASSERT_OK(rwl_store_local_new(&m->env, NULL, 0, &m->store, err));
    ck_assert_int_eq(mkdir(made_path(m, "data"), 0700), 0);
    ck_assert_int_eq(mkdir(made_path(m, "_deletions"), 0700), 0);
    m->manifest =
        (rwl_lance_manifest){.env = &m->env,
                             .location = made_path(m, "1.manifest"),
                             .version = 1,
                             .next_row_id = INT64_MAX,
                             .reader_flags = RWL_LANCE_FLAG_STABLE_ROW_IDS | RWL_LANCE_FLAG_SPILLED_LINEAGE,
                             .writer_flags = RWL_LANCE_FLAG_STABLE_ROW_IDS | RWL_LANCE_FLAG_SPILLED_LINEAGE,
                             .index_section = -1,
                             .transaction_section = -1};
    m->dataset = (rwl_lance_dataset){
        .env = &m->env, .store = m->store, .root = m->folder, .tree = m->folder, .manifest = &m->manifest};
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

void made_close(made *m) {
    rwl_store_free(m->store);
    rwl_arena_clear(&m->arena);
    ck_assert_int_eq(nftw(m->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    ck_assert_int_eq((int)m->op.memory_used, 0);
}

const char *made_path(made *m, const char *name) {
    return rwl_arena_printf(&m->arena, "%s/%s", m->folder, name);
}

void made_file(made *m, const char *file, const char *const *types, const uint64_t *const *values,
               int32_t columns, uint32_t count) {
    lance_build b;
    lance_build_init(&b, &m->env, 2, 1);
    for (int32_t i = 0; i < columns; i++) {
        const char *colon = strchr(types[i], ':');
        const char *name = colon == NULL ? rwl_arena_printf(&m->arena, "c%d", i)
                                         : rwl_arena_strndup(&m->arena, types[i], (size_t)(colon - types[i]));
        lance_build_field(&b, name, i, -1, colon == NULL ? types[i] : colon + 1, true);
    }
    for (int32_t i = 0; i < columns; i++)
        lance_build_flat_column(&b, values[i], count, 64);
    lance_build_write(&b, count, made_path(m, rwl_arena_printf(&m->arena, "data/%s", file)));
    lance_build_clear(&b);
}

rwl_lance_data_file made_data_file(const char *path, const int32_t *fields, const int32_t *indices,
                                   int32_t count) {
    return (rwl_lance_data_file){.path = path,
                                 .fields = fields,
                                 .column_indices = indices,
                                 .field_count = count,
                                 .index_count = indices != NULL ? count : 0,
                                 .major_version = 2,
                                 .minor_version = 1,
                                 .base_id = -1};
}

rwl_lance_arm made_arm(const rwl_buf *bytes) {
    return (rwl_lance_arm){
        .kind = RWL_LANCE_ARM_INLINE, .bytes = rwl_buf_span(bytes), .length = (int64_t)bytes->len};
}

rwl_lance_arm made_kind(rwl_lance_arm_kind kind) {
    return (rwl_lance_arm){.kind = kind};
}

/* --- segments --- */

/* Bounds, those that are not 0, as every writer. */
static void put_bounds(rwl_buf *out, uint64_t start, uint64_t end) {
    if (start != 0)
        pb_varint(out, 1, start);
    if (end != 0)
        pb_varint(out, 2, end);
}

/* EncodedU64Array of two bytes a number, base 0. */
static void put_u16(rwl_buf *out, uint32_t number, const uint16_t *values, size_t count) {
    size_t array = pb_begin(out, number), form = pb_begin(out, 1);
    uint8_t bytes[2000];
    ck_assert(count <= sizeof bytes / 2);
    for (size_t i = 0; i < count; i++) {
        bytes[2 * i] = (uint8_t)(values[i] & 0xff);
        bytes[2 * i + 1] = (uint8_t)(values[i] >> 8);
    }
    pb_bytes(out, 2, rwl_span_of(bytes, 2 * count));
    pb_end(out, form);
    pb_end(out, array);
}

void put_range(rwl_buf *out, uint64_t start, uint64_t end) {
    size_t segment = pb_begin(out, 1), range = pb_begin(out, 1);
    put_bounds(out, start, end);
    pb_end(out, range);
    pb_end(out, segment);
}

void put_holes(rwl_buf *out, uint64_t start, uint64_t end, const uint16_t *holes, size_t count) {
    size_t segment = pb_begin(out, 1), range = pb_begin(out, 2);
    put_bounds(out, start, end);
    put_u16(out, 3, holes, count);
    pb_end(out, range);
    pb_end(out, segment);
}

void put_bitmap(rwl_buf *out, uint64_t start, uint64_t end, const uint8_t *bits, size_t len) {
    size_t segment = pb_begin(out, 1), range = pb_begin(out, 3);
    put_bounds(out, start, end);
    pb_bytes(out, 3, rwl_span_of(bits, len));
    pb_end(out, range);
    pb_end(out, segment);
}

void put_numbers(rwl_buf *out, bool is_sorted, const uint16_t *values, size_t count) {
    size_t segment = pb_begin(out, 1);
    put_u16(out, is_sorted ? 4 : 5, values, count);
    pb_end(out, segment);
}

void put_run(rwl_buf *out, uint64_t start, uint64_t rows, uint64_t version) {
    size_t run = pb_begin(out, 1), span = pb_begin(out, 1), range = pb_begin(out, 1);
    put_bounds(out, start, start + rows);
    pb_end(out, range);
    pb_end(out, span);
    pb_varint(out, 2, version);
    pb_end(out, run);
}

void assert_values(const rwl_runs *r, const int64_t *values, int64_t count) {
    ck_assert_int_eq(r->length, count);
    for (int64_t i = 0; i < count; i++) {
        int64_t got = -1;
        ck_assert(rwl_runs_get(r, i, &got));
        ck_assert_msg(got == values[i], "row %lld is %lld, not %lld", (long long)i, (long long)got,
                      (long long)values[i]);
    }
}
