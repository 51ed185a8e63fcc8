/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the seeds of the other fuzz targets of Lance: manifests and refs, transactions, deletion files, sequences, codecs.
 *
 *   make_lance_seeds DIRECTORY      makes DIRECTORY/lance_manifest/…, …; files that exist are kept
 */
#include "base/env.h"
#include "seed_positions.h"
#include "seed_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rwl_env env;

/* --- manifests --- */

#define FILE_2_1 "2(1='a.lance' 2=00 3=00 4:2 5:1 6:338)"
#define IDS      "5=0a040a021004"
#define VERSIONS "7=0a080a040a0210041001 9=0a080a040a0210041001"
#define FIELD    "1(2='i' 4:-1 5='int32' 6:1 7:1)"
#define ENDS     "7(1:1700000000 2:5) 11:1 13(1='lance' 2='14.0.2') 14:4 15(1='lance' 2='2.1')"

static const struct {
    const char *name, *front, *text;
} MANIFESTS[] = {
    {"plain", "", FIELD " 2(" FILE_2_1 " 4:4 " IDS " " VERSIONS ") 3:1 9:2 10:2 " ENDS},
    {"address-ids", "", FIELD " 2(" FILE_2_1 " 4:4) 2(1:1 " FILE_2_1 " 4:2) 3:7 " ENDS},
    {"transaction", "05000000 0801 120131", FIELD " 3:2 23:0 12='1-1.txn' " ENDS},
    {"old-transaction", "05000000 0801 120131", FIELD " 3:2 21:0 " ENDS},
    {"spilled", "",
     FIELD " 2(" FILE_2_1 " 2(1='c.lance' 2=fdffffffffffffffff01fcffffffffffffffff01fbffffffffffffffff01 "
           "3=000102 4:2 5:2) 4:4 12() 13() 14()) 3:9 9:2050 10:2050 " ENDS},
    {"mixed-arms", "", FIELD " 2(" FILE_2_1 " 4:4 " IDS " 8(1='x' 3:5) 14()) 3:9 9:2050 10:2050 " ENDS},
    {"deletions", "",
     FIELD " 2(" FILE_2_1 " 3(1:1 2:3 3:77 4:2) 4:4 " IDS ") 2(1:1 " FILE_2_1
           " 3(2:3 3:78) 4:5) 3:4 9:3 10:3 " ENDS},
    {"segments", "",
     FIELD " 2(" FILE_2_1 " 4:10 5(1(2(1:2 2:6 3(1(2=0300)))) 1(3(1:10 2:18 3=29)) 1(4(1(1:30 2=00000500))) "
           "1(5(2(1:9 2=0400*3+01+00*3)))"
           ") 7(1(1(1(2:5)) 2:3) 1(1(1(1:5 2:10)) 2:4))) 3:5 9:2 10:2 " ENDS},
    {"schema", "",
     "1(2='s' 4:-1 5='struct' 6:1) 1(2='a' 3:1 5='string' 6:1 7:2) 1(2='l' 3:2 4:-1 5='list' 6:1 7:1) "
     "1(2='item' 3:3 4:2 5='fixed_size_list:float:4' 7:1) 1(2='d' 3:4 4:-1 5='dict:string:int32:false' 8()) "
     "1(2='e' 3:5 4:-1 5='binary' 9='lance.json' 10(1='k' 2='v')) 3:1 5(1='m' 2=00ff) " ENDS},
    {"bases", "",
     FIELD " 2(2(1='a.lance' 2=00 3=00 4:2 5:1 7:1) 3(2:1 3:2 7:2) 4:4) 3:1 9:17 10:25 16(1='k' 2='v') "
           "18(1:1 2='b' 3:1 4='/other') 18(1:2 4='/third/data') 19(1='t' 2='u') 20='dev' 8='tag' " ENDS},
    {"unknown-fields", "",
     FIELD " 2(" FILE_2_1 " 4:4 99='x' 16(1='k' 2='v')) 3:1 77:5 78='y' 24:3 25=0801 26:1 " ENDS},
    {"detached", "", FIELD " 3:9223372036854775813 " ENDS},
    {"empty", "", "3:1"},
};

static void make_manifests(const char *dir) {
    rwl_buf file, message;
    rwl_buf_init(&file, &env, SIZE_MAX);
    rwl_buf_init(&message, &env, SIZE_MAX);
    for (size_t i = 0; i < sizeof MANIFESTS / sizeof *MANIFESTS; i++) {
        rwl_buf_reset(&file);
        rwl_buf_reset(&message);
        seed_bytes(&file, MANIFESTS[i].front);
        seed_message(&message, MANIFESTS[i].text);
        uint64_t at = file.len;
        seed_must(rwl_buf_le32(&file, (uint32_t)message.len, NULL), "memory");
        seed_must(rwl_buf_append(&file, message.data, message.len, NULL), "memory");
        seed_must(rwl_buf_le64(&file, at, NULL), "memory");
        seed_must(rwl_buf_append(&file, "\0\0\2\0LANC", 8, NULL), "memory");
        seed_write(dir, "lance_manifest", MANIFESTS[i].name, rwl_buf_span(&file));
    }
    rwl_buf_clear(&message);
    rwl_buf_clear(&file);
}

static void make_refs(const char *dir) {
    static const char tag[] =
        "{\"branch\":null,\"version\":3,\"createdAt\":\"2026-01-02T03:04:05.123456789Z\","
        "\"updatedAt\":null,\"manifestSize\":403,\"metadata\":{}}";
    static const char branch[] =
        "{\"parentBranch\":\"main\",\"identifier\":{\"version_mapping\":[[3,\"ab\"]]},"
        "\"parentVersion\":3,\"createAt\":1700000000,\"manifestSize\":403}";
    static const char both[] =
        "{\"branch\":\"a/b\",\"version\":1,\"parent_branch\":\"x\",\"parent_version\":2,"
        "\"created_at\":\"2026-01-02T03:04:05+01:00\",\"manifest_size\":1}";
    seed_write(dir, "lance_manifest", "ref-tag", rwl_span_str(tag));
    seed_write(dir, "lance_manifest", "ref-branch", rwl_span_str(branch));
    seed_write(dir, "lance_manifest", "ref-both", rwl_span_str(both));
}

/* --- messages and bytes --- */

typedef struct text {
    const char *name, *text;
} text;

static const text TRANSACTIONS[] = {
    {"append", "1:1 2='u-1' 100(1(" FILE_2_1 " 4:4))"},
    {"delete", "1:2 2='u' 4(1='k' 2='v') 101(1(1:1 4:4) 2=0205 3='i > 2')"},
    {"overwrite",
     "2='u' 102(1(" FILE_2_1 " 4:4) 2(2='i' 4:-1 5='int32') 3(1='m' 2=00) 4(1='a' 2='b') 5(1:1 4='/x'))"},
    {"index", "1:3 2='u' 103(1(1(1=00*16) 2=01 3='idx' 5=3a30) 2(3='old'))"},
    {"rewrite",
     "1:4 2='u' 104(3(1(1:1 4:4 " IDS ") 2(1:2 4:8 " IDS " " VERSIONS ")) 4(1(1=00*16) 2(1=01*16)))"},
    {"merge", "1:5 2='u' 105(1(4:4) 2(2='j' 3:1 4:-1 5='int64') 4:1)"},
    {"restore", "1:6 2='u' 106(1:2)"},
    {"reserve", "1:7 2='u' 107(1:3)"},
    {"update", "1:8 2='u' 108(1=00 2(1:1 4:4) 3(4:2 " IDS ") 4=00 7:1)"},
    {"project", "1:9 2='u' 109(1(2='i' 4:-1 5='int32'))"},
    {"config", "1:10 2='u' 110(6(1(1='k' 2='v') 2:1))"},
    {"replacement", "1:11 2='u' 111(1(1:1 2(1='b.lance' 2=00 3=00 4:2 5:1)))"},
    {"unknown", "1:12 2='u' 150(1:1)"},
    {"none", "1:13 2='u'"},
    {"long-lineage", "1:14 100(1(4:4 5=0a+04+0a+02+10+04*5000))"},
};

/* A first byte for the kind of sequence, a second for its steps. */
static const text SEQUENCES[] = {
    {"0 range", "1(1(2:4))"},
    {"0 ranges", "1(1(1:9 2:40)) 1(1(1:3 2:4)) 1(1(2:2))"},
    {"0 holes", "1(2(1:2 2:90 3(1(1:3 2=000001000900))))"},
    {"0 bitmap", "1(3(1:10 2:40 3=29ff033f))"},
    {"0 sorted", "1(4(2(1:30 2=00*4+0500*2+00+0600*2+00)))"},
    {"0 array", "1(5(3(2=0900*7+0300*7+0400*7+0500*7)))"},
    {"0 all", "1(5(1(1:5 2=090003000400))) 1() 1(1(1:70 2:71)) 1(4(1(2=0100)))"},
    {"0 unknown", "1(1(2:4)) 7:5 8='x' 1(1(1:4 2:9))"},
    {"1 runs", "1(1(1(2:5)) 2:3) 1(1(1(1:5 2:900)) 2:4) 1(1(1(2:1)) 2:300)"},
    {"1 masked", "1(1(3(1:1 2:8 3=41)) 2:300) 1(2:7) 1(1(2(2:100 3(1(2=3200)))) 2:9)"},
    {"1 turned", "1(2:8 1(5(1(2=05000400)))) 1(1(4(1(2=05000600))) 9:1 2:1)"},
};

static const text DELETIONS[] = {
    {"array.bin", "3a300000 01000000 00000200 10000000 0100 0500 0900"},
    {"run.bin", "3b300000 01 00000900 0100 0500 0900"},
    {"bitset.bin", "3a300000 01000000 00000310 10000000 aa*1025 00*7167"},
    {"two.bin", "3a300000 02000000 00000000 ffff0000 18000000 1a000000 0500 ffff"},
    {"none.bin", "3a300000 00000000"},
};

/* kernel, width, second, count */
static const text CODECS[] = {
    {"unpack8", "00 00 03 0000 0123456789abcdef*48"},
    {"unpack16", "00 01 0b 0500 0123456789abcdef*176"},
    {"unpack32", "00 02 11 0900 0123456789abcdef*272"},
    {"unpack64", "00 03 21 0100 0123456789abcdef*528"},
    {"blocks", "01 01 01 0304 ff*128 ab*6"},
    {"blocks-padded", "01 02 01 0304 ff*128 ab*128"},
    {"runs", "02 02 00 0600 01000200 0303 0303"},
    {"runs-wide", "02 03 00 0600 010203 040506 0204"},
    {"runs-lengths", "02 02 01 0600 01000200 03000300"},
    {"split", "03 04 00 0300 'abcdefghijkl'"},
    {"split8", "03 08 00 0200 'abcdefghijklmnop'"},
    {"fsst", "04 00 00 1100 01000001'TSSF' 'ab'00*6 02 00ff'x'0000000000"},
    {"fsst-raw", "04 00 00 0800 00000000'TSSF' 'abc'"},
    {"lz4", "05 01 00 0000 03000000 30'abc'"},
    {"zstd", "05 02 00 0000 2000*7 28b52ffd20206500002001000200020040e1016001"},
    {"jsonb-scalar", "08 00 00 0000 20000000 20000009 60 3ff8 00*6"},
    {"jsonb-text", "08 00 00 0000 20000000 10000005 'a'0a22c3a9"},
    {"jsonb-array",
     "08 00 00 0000 80000006 00000000 40000000 20000001 20000003 50000004 2000000a 00 40ff7f 80000000"
     " 70 00*6 3039 02"},
    {"jsonb-object",
     "08 00 00 0000 40000002 10000001 10000002 20000002 5000000c 'abc' 5007 80000001 50000004 40000000"},
    {"zstd-bare", "05 02 00 0000 28b52ffd20206500002001000200020040e1016001"},
};

/* The layout's message, then the block; width and count in front. */
static const struct {
    const char *name, *head, *message, *block;
} BLOCKS[] = {
    {"flat", "06 01 00 0300", "1(3(1(1:16)) 6=01)", "010002000300"},
    {"flat-lz4", "06 00 00 0300", "1(3(1(1:8 2(1:1))) 6=01)", "03000000 30'abc'"},
    {"inline", "06 01 00 0500", "1(3(5(1:16)) 6=01)", "0100 ff*128"},
    {"out-of-line", "06 01 00 0200", "1(3(4(1:16 3(1(1:8)))) 6=01)", "01000200"},
    {"runs", "06 01 00 0300", "1(3(8(1(1(1:16)) 2(1(1:8)))) 6=01)", "0400*7 05000600 0201"},
    {"runs-wide", "06 01 00 0300", "1(3(8(1(1(1:16)) 2(1(1:16)))) 6=01)", "0400*7 05000600 0200 0100"},
    {"runs-packed", "06 01 00 0300", "1(3(8(1(1(1:16)) 2(4(1:8 3(1(1:1)))))) 6=01)", "0400*7 05000600 0201"},
    {"lists", "06 01 00 0200", "1(3(11(1:2 2(1(1:8)))) 6=01)", "01020304"},
    {"lz4-runs", "06 01 00 0300", "1(3(10(1(1:1) 3(8(1(1(1:16)) 2(1(1:8)))))) 6=01)",
     "0e000000 e0 0400*7 05000600 0201"},
    {"constant", "06 01 00 0300", "1(3(3(1=0701)) 6=01)", ""},
    {"levels", "06 01 00 0300", "1(1(1(1:16)) 2(8(1(1(1:16)) 2(1(1:8)))) 3(1(1:16)) 4(2(1(1(1:32)))) 6=01)",
     "010002000300"},
    {"variable", "06 00 00 0200", "1(3(2(1(1(1:32)))) 6=01)",
     "20000000 14000000 00000000 01000000 03000000 'abc'"},
    {"variable64", "06 00 00 0100", "1(3(2(1(1(1:64)))) 6=01)", "4000*7 2000*7 00*8 0300*7 'abc'"},
    {"fsst", "06 00 00 0200", "1(3(6(1=0100*2+01+'TSSF'+'ab'+00*6+02 2(2(1(1(1:32)))))) 6=01)",
     "20000000 14000000 00000000 01000000 03000000 00ff'x'"},
    {"lz4-variable", "06 00 00 0200", "1(3(10(1(1:1) 3(2(1(1(1:32)))))) 6=01)",
     "17000000 f008 20000000 14000000 00000000 01000000 03000000 'abc'"},
};

static void make_texts(const char *dir, const char *target, const text *texts, size_t count,
                       bool are_messages) {
    rwl_buf file;
    rwl_buf_init(&file, &env, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        rwl_buf_reset(&file);
        (are_messages ? seed_message : seed_bytes)(&file, texts[i].text);
        seed_write(dir, target, texts[i].name, rwl_buf_span(&file));
    }
    rwl_buf_clear(&file);
}

/* --- deletion files of the other kind --- */

static void make_arrow(const char *dir, const char *name, uint32_t step, int64_t count, int batches) {
    rwl_buf file;
    rwl_buf_init(&file, &env, SIZE_MAX);
    seed_positions(step, count, batches, &file);
    seed_write(dir, "lance_deletes", name, rwl_buf_span(&file));
    rwl_buf_clear(&file);
}

/* --- with something in front --- */

static void make_sequences(const char *dir) {
    rwl_buf file;
    char name[64];
    rwl_buf_init(&file, &env, SIZE_MAX);
    for (size_t i = 0; i < sizeof SEQUENCES / sizeof *SEQUENCES; i++) {
        const uint8_t head[2] = {(uint8_t)(SEQUENCES[i].name[0] - '0'), (uint8_t)i};
        rwl_buf_reset(&file);
        seed_must(rwl_buf_append(&file, head, sizeof head, NULL), "memory");
        seed_message(&file, SEQUENCES[i].text);
        snprintf(name, sizeof name, "%s", SEQUENCES[i].name + 2);
        seed_write(dir, "lance_sequence", name, rwl_buf_span(&file));
    }
    rwl_buf_clear(&file);
}

static void make_blocks(const char *dir) {
    rwl_buf file, message;
    char name[64];
    rwl_buf_init(&file, &env, SIZE_MAX);
    rwl_buf_init(&message, &env, SIZE_MAX);
    for (size_t i = 0; i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
        rwl_buf_reset(&file);
        rwl_buf_reset(&message);
        seed_message(&message, BLOCKS[i].message);
        const uint8_t len[2] = {(uint8_t)message.len, (uint8_t)(message.len >> 8)};
        seed_bytes(&file, BLOCKS[i].head);
        seed_must(rwl_buf_append(&file, len, sizeof len, NULL), "memory");
        seed_must(rwl_buf_append(&file, message.data, message.len, NULL), "memory");
        seed_bytes(&file, BLOCKS[i].block);
        snprintf(name, sizeof name, "block-%s", BLOCKS[i].name);
        seed_write(dir, "lance_codecs", name, rwl_buf_span(&file));
    }
    rwl_buf_clear(&message);
    rwl_buf_clear(&file);
}

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make_lance_seeds DIRECTORY\n");
        return EXIT_FAILURE;
    }
    rwl_env_init_default(&env);
    make_manifests(argv[1]);
    make_refs(argv[1]);
    make_texts(argv[1], "lance_transaction", TRANSACTIONS, COUNT_OF(TRANSACTIONS), true);
    make_sequences(argv[1]);
    make_texts(argv[1], "lance_deletes", DELETIONS, COUNT_OF(DELETIONS), false);
    make_arrow(argv[1], "few.arrow", 3, 5, 1);
    make_arrow(argv[1], "batches.arrow", 70000, 20, 3);
    make_arrow(argv[1], "none.arrow", 1, 0, 1);
    make_texts(argv[1], "lance_codecs", CODECS, COUNT_OF(CODECS), false);
    make_blocks(argv[1]);
    return EXIT_SUCCESS;
}
