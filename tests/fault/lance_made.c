/* SPDX-License-Identifier: Apache-2.0 */
/* The dataset, as bytes; reading one. */
#include "lance_made.h"

#include "engine/lance_table.h"
#include "seed_file.h"
#include "seed_positions.h"
#include "seed_text.h"

#include <stdio.h>
#include <sys/stat.h>

/* --- data files --- */

#define FIELDS                                                                                               \
    "field i 0 -1 int32 ?", "field s 1 -1 string ?", "field l 2 -1 list ?", "field item 3 2 int16 ?"
#define LISTS "1(1(1(1:16)) 2(1(1:16)) 3(1(1:16)) 6=0304 7:1 8:1 9:"

/* Fragment 0: integers packed inline, texts by a dictionary, a list a row; the second null. */
static const char *const FILE_A[] = {
    "file a.lance 2 1 10",
    FIELDS,
    "column",
    "chunk 0 10 |00*18 0100|03 00*3 ff*128 aa*128 00*128",
    "chunks",
    "page 10 1(2(1(1:16)) 3(5(1:32)) 6=03 7:1 9:10)",
    "column",
    "chunk 0 10 |00*4 0100 00*14|00*4 01 00*3 00*4 01 00*3 00*24",
    "chunks",
    "buffer 20000000 14000000 00000000 01000000 03000000 'abc'",
    "page 10 1(2(1(1:16)) 3(1(1:32)) 4(2(1(1(1:32)))) 5:2 6=03 7:1 9:10)",
    "column",
    "chunk 1 3 0100 0000 0100|0000 0100 0200|0100 0200",
    "chunk 0 8 0100 0100 0100 0100 0100 0100 0100 0100|00*16|0300 0400 0500 0600 0700 0800 0900 0a00",
    "chunks",
    "buffer 0200*7 00*8 0800*7 00*8",
    "page 10 " LISTS "10)",
};

/* Its lineage: ids flat, created at constant, last updated in two chunks. */
static const char *const FILE_C[] = {
    "file c.lance 2 2 10",
    "schema 2='_rowid' 3:-3 4:-1 5='uint64'",
    "schema 2='_row_created_at_version' 3:-4 4:-1 5='uint64'",
    "schema 2='_row_last_updated_at_version' 3:-5 4:-1 5='uint64'",
    "column",
    "chunk 0 0 ||05 00*7 03 00*7 09 00*7 01 00*7 02 00*7 04 00*7 06 00*7 07 00*7 08 00*7 0a 00*7",
    "chunks",
    "page 10 1(3(1(1:64)) 6=01 7:1 9:10)",
    "column",
    "page 10 2(5=01 6=01+00*7)",
    "column",
    "chunk 3 0 ||0100*7 0200*7 0100*7 0200*7 0100*7 0200*7 0100*7 0200*7",
    "chunk 0 0 ||0100*7 0200*7",
    "chunks",
    "page 10 1(3(1(1:64)) 6=01 7:1 9:10)",
};

/* Fragment 1: two pages a column, texts full-zip. */
static const char *const FILE_B[] = {
    "file b.lance 2 2 6",
    FIELDS,
    "column",
    "chunk 0 0 ||01 00*3 02 00*3 03 00*3 04 00*3",
    "chunks",
    "page 4 1(3(1(1:32)) 6=01 7:1 9:4)",
    "page 2 2(5=01 6=07000000)",
    "column",
    "buffer 00 02000000 'ab' 01 00 01000000 'c' 00 00000000 01 00 03000000 'def'",
    "buffer 00 07 08 0e 13 14 1c",
    "page 6 3(2:1 4:32 5:6 6:6 7(2(1(1(1:32)))) 8=03)",
    "column",
    "chunk 0 7 0100 0100 0000 0100 0100 0100 0100|0000 0000 0100 0200 00*6|0100 0200 0300 0400 0500 0600",
    "chunks",
    "buffer 0600*7 00*8",
    "page 6 " LISTS "6)",
};

/* Fragment 2, of 2.0. */
static const char *const FILE_D[] = {
    "file d.lance 0 3 3",
    FIELDS,
    "column",
    "buffer 05",
    "buffer 01 00*3 02 00*3 03 00*3",
    "page 3 2(2(1(1(1:1 2())) 2(1(1:32 2(1:1)))))",
    "column",
    "buffer 02 00*7 06 00*7 03 00*7",
    "buffer 'abc'",
    "page 3 6(1(2(1(1(1(1:64 2()))))) 2(1(1:8 2(1:1))) 3:4)",
    "column",
    "buffer 02 00*7 07 00*7 04 00*7",
    "page 3 4(1(2(1(1(1(1:64 2()))))) 2:5 3:4)",
    "column",
    "buffer 0100 0200 0300 0400",
    "page 4 2(1(1(1(1:16 2()))))",
};

/* --- the manifest --- */

#define DATA_FILE(name, major, minor) "2(1='" name "' 2=000103 3=000102 4:" major " 5:" minor ") "

static const char MANIFEST[] =
    "1(2='i' 4:-1 5='int32' 6:1 7:1) 1(2='s' 3:1 4:-1 5='string' 6:1 7:2) 1(2='l' 3:2 4:-1 5='list' 6:1 7:1) "
    "1(2='item' 3:3 4:2 5='int16' 6:1 7:1) "
    "2(" DATA_FILE("a.lance", "2",
                   "1") "2(1='c.lance' 2=fd+ff*8+01+fc+ff*8+01+fb+ff*8+01 3=000102 4:2 5:2) "
                        "3(1:1 2:1 3:7 4:3) 4:10 12() 13() 14()) "
                        "2(1:1 " DATA_FILE(
                            "b.lance", "2",
                            "2") "3(2:1 3:8 4:2) 4:6 "
                                 "5(1(2(1:20 2:24 3(1(2=1600)))) 1(3(1:30 2:34 3=09)) 1(5(1(1:40 2=0100)))) "
                                 "7(1(1(1(2:4)) 2:3) 1(1(1(1:4 2:6)) 2:4)) 9(1(1(1(2:6)) 2:2))) "
                                 "2(1:2 2(1='d.lance' 2=00010203 3=00010203 5:3) 4:3 5(1(1(1:50 2:53))) "
                                 "7(1(1(1(2:3)) 2:5)) 9(1(1(1(2:3)) 2:5))) "
                                 "3:1 7(1:1700000000) 9:2307 10:2307 11:2 13(1='rowline' 2='1.0') 14:100 "
                                 "15(1='lance' 2='2.1')";

static void put(const char *folder, const char *name, const rwl_buf *content) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, content->data, content->len);
}

static void put_data(const char *folder, const char *const *lines, size_t count, rwl_buf *scratch) {
    char name[SEED_NAME_MAX], inside[SEED_NAME_MAX + 8];
    rwl_buf_reset(scratch);
    seed_file(scratch->env, lines, count, name, scratch);
    snprintf(inside, sizeof inside, "data/%s", name);
    put(folder, inside, scratch);
}

static void put_manifest(const char *folder, rwl_buf *scratch) {
    rwl_buf message;
    rwl_buf_init(&message, scratch->env, SIZE_MAX);
    seed_message(&message, MANIFEST);
    rwl_buf_reset(scratch);
    seed_must(rwl_buf_le32(scratch, (uint32_t)message.len, NULL), "memory");
    seed_must(rwl_buf_append(scratch, message.data, message.len, NULL), "memory");
    seed_must(rwl_buf_le64(scratch, 0, NULL), "memory");
    seed_must(rwl_buf_append(scratch, "\0\0\2\0LANC", 8, NULL), "memory");
    put(folder, "_versions/18446744073709551614.manifest", scratch);
    rwl_buf_clear(&message);
}

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

void lance_made(const rwl_env *env, const char *folder) {
    static const char *const folders[] = {"", "/data", "/_versions", "/_deletions"};
    rwl_buf scratch;
    rwl_buf_init(&scratch, env, SIZE_MAX);
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", folder, folders[i]);
        mkdir(path, 0700);
    }
    put_data(folder, FILE_A, COUNT_OF(FILE_A), &scratch);
    put_data(folder, FILE_B, COUNT_OF(FILE_B), &scratch);
    put_data(folder, FILE_C, COUNT_OF(FILE_C), &scratch);
    put_data(folder, FILE_D, COUNT_OF(FILE_D), &scratch);
    rwl_buf_reset(&scratch);
    seed_bytes(&scratch, "3a300000 01000000 00000200 10000000 0100 0500 0900");
    put(folder, "_deletions/0-1-7.bin", &scratch);
    rwl_buf_reset(&scratch);
    seed_positions(2, 2, 1, &scratch);
    put(folder, "_deletions/1-1-8.arrow", &scratch);
    put_manifest(folder, &scratch);
    rwl_buf_clear(&scratch);
}

/* --- reading --- */

static rwl_status open_dataset(rwl_table *t, rwl_op *op, const char *folder, const char *version,
                               const rwl_test_store_options *options, rwl_error *err) {
    const rwl_name name = {.table = folder};
    const rwl_table_options state = {.snapshot = version};
    RWL_TRY(rwl_store_local_new(op->env, NULL, 0, &t->store, err));
    if (options != NULL)
        RWL_TRY(rwl_test_store_new(op->env, t->store, options, &t->store, err));
    return rwl_lance_table_open(t, op, &name, &state, err);
}

rwl_status lance_read(rwl_op *op, const char *folder, const char *version,
                      const rwl_test_store_options *options, outcome *o, rwl_error *err) {
    const rwl_scan_options lineage = {.rows = {.lineage = true}, .limit = -1};
    rwl_scan *scan = NULL;
    rwl_table *t = rwl_calloc(op->env, 1, sizeof *t);
    if (t == NULL)
        return rwl_no_memory(err, sizeof *t);
    t->env = op->env;
    rwl_arena_init(&t->arena, op->env, 0);
    rwl_status st = open_dataset(t, op, folder, version, options, err);
    if (st == RWL_OK)
        st = rwl_scan_open(t, op, &lineage, &scan, err);
    if (st == RWL_OK)
        st = read_rows(scan, op->env, o, err);
    rwl_scan_close(scan);
    rwl_table_free(t);
    return st;
}
