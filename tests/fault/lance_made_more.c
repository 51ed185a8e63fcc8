/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets of one fragment without deletes: logical types and structs in two files; seeds of the fuzzer. */
#include "lance_made.h"

#include "lance_build.h"
#include "lancefile/file.h"
#include "seed_file.h"
#include "seed_text.h"
#include "wire/proto.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { COLUMNS_MAX = 32 };

/* --- a manifest of its parts --- */

static void put(const char *folder, const char *name, rwl_span content) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, content.data, content.len);
}

/* `parts`: the message's schema and fragment; the rest is the same for all. */
static void put_manifest(const char *folder, rwl_buf *parts) {
    rwl_buf file;
    rwl_buf_init(&file, parts->env, SIZE_MAX);
    seed_message(parts, "3:1 7(1:1700000000) 11:1 13(1='rowline' 2='1.0') 15(1='lance' 2='2.1')");
    seed_must(rwl_buf_le32(&file, (uint32_t)parts->len, NULL), "memory");
    seed_must(rwl_buf_append(&file, parts->data, parts->len, NULL), "memory");
    seed_must(rwl_buf_le64(&file, 0, NULL), "memory");
    seed_must(rwl_buf_append(&file, "\0\0\2\0LANC", 8, NULL), "memory");
    put(folder, "_versions/18446744073709551614.manifest", rwl_buf_span(&file));
    rwl_buf_clear(&file);
}

static void make_folders(const char *folder, const char *const *names, size_t count) {
    char path[512];
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s%s", folder, names[i]);
        mkdir(path, 0700);
    }
}

/* --- JSON, blobs beside the data file, a struct in two files --- */

static const char *const FILE_P[] = {
    "file p.lance 2 2 4",
    "schema 2='b' 4:-1 5='struct' 6:1 10(1='ARROW:extension:name' 2='lance.blob.v2')",
    "column", /* inline, null, in pack 1, all of file 2 */
    "buffer 00 19000000 00 c0 00*7 03 00*7 00*4 00*4 01 00 19000000 01 02 00*7 05 00*7 01000000 00*4 "
    "00 19000000 02 00*8 08 00*7 02000000 00*4",
    "buffer 00 1e 1f 3d 5b",
    "buffer 'abc'",
    "page 4 3(1:0 2:1 4:32 5:4 6:4 7(13(1(1(1(1:8)) 2:8) 1(1(1(1:64)) 2:64) 1(1(1(1:64)) 2:64)"
    " 1(1(1(1:32)) 2:32) 1(1(2(1(1(1:32)))) 3:32))) 8=03)",
    "schema 2='j' 3:1 4:-1 5='json' 6:1 10(1='ARROW:extension:name' 2='lance.json')",
    "column",
    "chunk 0 4 |0000 0100 0000 0000|14000000 1c000000 1c000000 2a000000 37000000 2000000040000000 "
    "8000000200000000200000025007 40000001100000010000000061",
    "chunks",
    "page 4 1(2(1(1:16)) 3(2(1(1(1:32)))) 6=03 7:1 9:4)",
    "field s 2 -1 struct ?",
    "field a 3 2 int32 ?",
    "column", /* one value, null, no struct, one value */
    "buffer ",
    "buffer 0000 0100 0200 0000",
    "page 4 2(5=0303 6=07000000 10:4)",
};

static const char *const FILE_Q[] = {
    "file q.lance 0 3 4",
    "field s 2 -1 struct ?",
    "field c 4 2 int32 ?",
    "column",
    "page 4 5()",
    "column",
    "buffer 01 00*3 02 00*3 03 00*3 04 00*3",
    "page 4 2(1(1(1(1:32 2()))))",
};

static const char PARTS[] =
    "1(2='b' 4:-1 5='struct' 6:1 10(1='ARROW:extension:name' 2='lance.blob.v2')) "
    "1(2='j' 3:1 4:-1 5='json' 6:1 10(1='ARROW:extension:name' 2='lance.json')) "
    "1(2='s' 3:2 4:-1 5='struct' 6:1) 1(2='a' 3:3 4:2 5='int32' 6:1) 1(2='c' 3:4 4:2 5='int32' 6:1) "
    "2(2(1='p.lance' 2=000103 3=000102 4:2 5:2) 2(1='q.lance' 2=0204 3=0001 5:3) 4:4)";

void lance_made_parts(const rwl_env *env, const char *folder) {
    static const char *const folders[] = {"", "/data", "/data/p", "/_versions"};
    char name[SEED_NAME_MAX];
    rwl_buf bytes;
    make_folders(folder, folders, sizeof folders / sizeof *folders);
    rwl_buf_init(&bytes, env, SIZE_MAX);
    seed_file(env, FILE_P, sizeof FILE_P / sizeof *FILE_P, name, &bytes);
    put(folder, "data/p.lance", rwl_buf_span(&bytes));
    rwl_buf_reset(&bytes);
    seed_file(env, FILE_Q, sizeof FILE_Q / sizeof *FILE_Q, name, &bytes);
    put(folder, "data/q.lance", rwl_buf_span(&bytes));
    put(folder, "data/p/10000000000000000000000000000000.blob", rwl_span_str("a pack of blobs"));
    put(folder, "data/p/01000000000000000000000000000000.blob", rwl_span_str("one blob"));
    rwl_buf_reset(&bytes);
    seed_message(&bytes, PARTS);
    put_manifest(folder, &bytes);
    rwl_buf_clear(&bytes);
}

/* --- one data file, whose schema is the dataset's --- */

typedef struct described {
    int32_t count; /* columns */
    uint64_t ids[COLUMNS_MAX], columns[COLUMNS_MAX];
} described;

/* The fields, as the file's descriptor has them. */
static rwl_status put_fields(const rwl_lancefile *file, rwl_span bytes, rwl_buf *out, rwl_error *err) {
    rwl_span schema = {NULL, 0};
    const rwl_proto_want want = {1, NULL, &schema};
    const rwl_lance_extent *at = &file->globals[0];
    RWL_TRY(rwl_proto_pick(rwl_span_of(bytes.data + at->offset, (size_t)at->length), &want, 1, err));
    return rwl_buf_append(out, schema.data, schema.len, err);
}

static rwl_status list_columns(rwl_lancefile *file, rwl_op *op, described *out, rwl_error *err) {
    for (int32_t i = 0; i < file->column_count && i < COLUMNS_MAX; i++) {
        const rwl_lance_field_def *def;
        RWL_TRY(rwl_lancefile_column_field(file, op, i, &def, err));
        if (def == NULL) /* of bytes of the column before */
            break;
        out->ids[i] = (uint64_t)def->id;
        out->columns[i] = (uint64_t)i;
        out->count = i + 1;
    }
    return RWL_OK;
}

static void put_fragment(const rwl_lancefile *file, const described *d, rwl_buf *out) {
    bool is_2_0 = file->version == RWL_LANCEFILE_2_0;
    size_t fragment = pb_begin(out, 2), data = pb_begin(out, 2);
    pb_text(out, 1, "f.lance");
    pb_packed(out, 2, d->ids, (size_t)d->count);
    pb_packed(out, 3, d->columns, (size_t)d->count);
    pb_varint(out, 4, is_2_0 ? 0 : 2);
    pb_varint(out, 5, is_2_0 ? 3 : (uint64_t)file->version - 20);
    pb_end(out, data);
    pb_varint(out, 4, (uint64_t)file->row_count);
    pb_end(out, fragment);
}

void lance_made_of(const rwl_env *env, const char *data_file, const char *folder) {
    static const char *const folders[] = {"", "/data", "/_versions"};
    rwl_op op;
    rwl_error err = {0};
    rwl_store *store = NULL;
    rwl_lancefile *file = NULL;
    described d = {0};
    rwl_buf parts;
    char path[512];
    size_t len;
    make_folders(folder, folders, sizeof folders / sizeof *folders);
    uint8_t *bytes = read_file(data_file, &len);
    put(folder, "data/f.lance", rwl_span_of(bytes, len));
    snprintf(path, sizeof path, "%s/data/f.lance", folder);
    rwl_op_init(&op, env, 0);
    rwl_buf_init(&parts, env, SIZE_MAX);
    rwl_status st = rwl_store_local_new(env, NULL, 0, &store, &err);
    if (st == RWL_OK)
        st = rwl_lancefile_open(store, &op, path, 0, &file, &err);
    if (st == RWL_OK)
        st = list_columns(file, &op, &d, &err);
    if (st == RWL_OK)
        st = put_fields(file, rwl_span_of(bytes, len), &parts, &err);
    ck_assert_msg(st == RWL_OK, "%s: %s", data_file, err.message);
    put_fragment(file, &d, &parts);
    put_manifest(folder, &parts);
    free(bytes);
    rwl_buf_clear(&parts);
    rwl_lancefile_free(file);
    rwl_store_free(store);
}
