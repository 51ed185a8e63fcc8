/* SPDX-License-Identifier: Apache-2.0 */
/* Messages made by hand, most of them wrong in one place: what the reader says of each. */
#include "ipc/flat_build.h"
#include "ipc/ipc_internal.h"
#include "ipc_test.h"

#include <stdio.h>

/* What a message is made of; the defaults make two rows of a column "a". */
typedef struct message {
    int64_t rows;
    int64_t nodes[4]; /* length, nulls, length, nulls */
    size_t node_count;
    int64_t parts[8]; /* offset, length, … */
    size_t part_count;
    int64_t body_len; /* as the message says */
    int version, kind;
    bool zstd; /* says that it is compressed */
    uint8_t body[64];
} message;

/* Of the schema. */
typedef struct column {
    const char *name; /* NUL_NAME: one with a NUL in it */
    int type, bits;
    bool dictionary, big_endian;
    int children; /* of int32 */
} column;

static void put_message(rwl_flat *f, int version, int kind, size_t header, int64_t body_len,
                        const uint8_t *body, size_t body_size, rwl_buf *out) {
    rwl_span bytes;
    uint8_t prefix[8] = {0xff, 0xff, 0xff, 0xff};
    rwl_flat_begin(f);
    rwl_flat_i64(f, 3, body_len);
    if (header != 0)
        rwl_flat_ref(f, 2, header);
    rwl_flat_i16(f, 0, (int16_t)version);
    rwl_flat_u8(f, 1, (uint8_t)kind);
    ck_assert_int_eq(rwl_flat_finish(f, rwl_flat_end(f), &bytes), RWL_OK);
    rwl_store_le32(prefix + 4, (uint32_t)bytes.len);
    ck_assert_int_eq(rwl_buf_append(out, prefix, sizeof prefix, NULL), RWL_OK);
    ck_assert_int_eq(rwl_buf_append(out, bytes.data, bytes.len, NULL), RWL_OK);
    ck_assert_int_eq(rwl_buf_append(out, body, body_size, NULL), RWL_OK);
}

static size_t put_int(rwl_flat *f, int bits) {
    rwl_flat_begin(f);
    rwl_flat_i32(f, 0, bits);
    rwl_flat_u8(f, 1, 1);
    return rwl_flat_end(f);
}

static size_t put_field(rwl_flat *f, const column *c) {
    size_t children[2] = {0, 0}, list = 0, dictionary = 0;
    for (int i = 0; i < c->children; i++) {
        column child = {"child", RWL_IPC_INT, 32, false, false, 0};
        children[i] = put_field(f, &child);
    }
    if (c->children > 0)
        list = rwl_flat_vector(f, children, (size_t)c->children);
    size_t type = put_int(f, c->bits);
    size_t name = rwl_flat_string(f, c->name != NULL ? rwl_span_str(c->name) : rwl_span_of("a\0b", 3));
    if (c->dictionary) {
        rwl_flat_begin(f);
        dictionary = rwl_flat_end(f);
    }
    rwl_flat_begin(f);
    rwl_flat_ref(f, 5, list);
    rwl_flat_ref(f, 4, dictionary);
    rwl_flat_ref(f, 3, type);
    rwl_flat_ref(f, 0, name);
    rwl_flat_u8(f, 2, (uint8_t)c->type);
    rwl_flat_u8(f, 1, 1);
    return rwl_flat_end(f);
}

static void put_schema(const column *c, rwl_buf *out) {
    rwl_flat f;
    rwl_error err = {0};
    rwl_flat_init(&f, test_env(), &err);
    size_t field = put_field(&f, c), fields = rwl_flat_vector(&f, &field, 1);
    rwl_flat_begin(&f);
    rwl_flat_ref(&f, 1, fields);
    rwl_flat_i16(&f, 0, c->big_endian);
    size_t schema = rwl_flat_end(&f);
    put_message(&f, RWL_IPC_VERSION_5, RWL_IPC_SCHEMA, schema, 0, NULL, 0, out);
    rwl_flat_clear(&f);
}

/* The RecordBatch table. */
static size_t put_rows(rwl_flat *f, const message *m) {
    size_t compression = 0;
    size_t parts = rwl_flat_structs(f, m->parts, 16, m->part_count);
    size_t nodes = rwl_flat_structs(f, m->nodes, 16, m->node_count);
    if (m->zstd) {
        rwl_flat_begin(f);
        rwl_flat_u8(f, 0, 1);
        compression = rwl_flat_end(f);
    }
    rwl_flat_begin(f);
    rwl_flat_i64(f, 0, m->rows);
    rwl_flat_ref(f, 3, compression);
    rwl_flat_ref(f, 2, parts);
    rwl_flat_ref(f, 1, nodes);
    return rwl_flat_end(f);
}

/* Dictionary 0 of these rows. */
static void put_dictionary(const message *m, bool delta, rwl_buf *out) {
    rwl_flat f;
    rwl_error err = {0};
    rwl_flat_init(&f, test_env(), &err);
    size_t rows = put_rows(&f, m);
    rwl_flat_begin(&f);
    rwl_flat_ref(&f, 1, rows);
    rwl_flat_u8(&f, 2, delta);
    size_t dictionary = rwl_flat_end(&f);
    put_message(&f, RWL_IPC_VERSION_5, RWL_IPC_DICTIONARY, dictionary, m->body_len, m->body,
                (size_t)m->body_len, out);
    rwl_flat_clear(&f);
}

static void put_batch(const message *m, rwl_buf *out) {
    rwl_flat f;
    rwl_error err = {0};
    rwl_flat_init(&f, test_env(), &err);
    size_t batch = put_rows(&f, m);
    size_t size = m->body_len >= 0 && m->body_len <= (int64_t)sizeof m->body ? (size_t)m->body_len : 0;
    put_message(&f, m->version, m->kind, batch, m->body_len, m->body, size, out);
    rwl_flat_clear(&f);
}

#define BATCH .version = RWL_IPC_VERSION_5, .kind = RWL_IPC_BATCH

static const column INTS = {"a", RWL_IPC_INT, 32, false, false, 0};
static const column TEXTS = {"a", RWL_IPC_UTF8, 0, false, false, 0};
static const column NOTHINGS = {"a", RWL_IPC_NULL, 0, false, false, 0};
static const column LISTS = {"a", RWL_IPC_LIST, 0, false, false, 1};

typedef struct batch_case {
    const char *name;
    const column *column;
    message m;
    rwl_status st;
    const char *says;
} batch_case;

static const batch_case BATCHES[] = {
    {"two rows", &INTS, {2, {2, 0}, 1, {0, 0, 0, 8}, 2, 8, BATCH, .body = {1}}, RWL_OK, NULL},
    {"nulls with a bitmap", &INTS, {2, {2, 1}, 1, {0, 1, 8, 8}, 2, 16, BATCH, .body = {1}}, RWL_OK, NULL},
    {"negative rows", &INTS, {-1, {2, 0}, 1, {0, 0, 0, 8}, 2, 8, BATCH}, RWL_CORRUPT, "-1 rows"},
    {"more rows than values",
     &INTS,
     {3, {2, 0}, 1, {0, 0, 0, 8}, 2, 8, BATCH},
     RWL_CORRUPT,
     "fewer values than the batch has rows"},
    {"no node", &INTS, {2, {0}, 0, {0, 0, 0, 8}, 2, 8, BATCH}, RWL_CORRUPT, "too few columns"},
    {"one buffer", &INTS, {2, {2, 0}, 1, {0, 0}, 1, 8, BATCH}, RWL_CORRUPT, "too few buffers"},
    {"negative length", &INTS, {2, {-2, 0}, 1, {0, 0, 0, 8}, 2, 8, BATCH}, RWL_CORRUPT, "-2 values"},
    {"more nulls than values", &INTS, {2, {2, 3}, 1, {0, 1, 8, 8}, 2, 16, BATCH}, RWL_CORRUPT, "3 nulls"},
    {"negative nulls", &INTS, {2, {2, -1}, 1, {0, 1, 8, 8}, 2, 16, BATCH}, RWL_CORRUPT, "-1 nulls"},
    {"nulls without a bitmap",
     &INTS,
     {2, {2, 1}, 1, {0, 0, 0, 8}, 2, 8, BATCH},
     RWL_CORRUPT,
     "validity bits"},
    {"short values", &INTS, {2, {2, 0}, 1, {0, 0, 0, 7}, 2, 8, BATCH}, RWL_CORRUPT, "have 7 bytes, not 8"},
    {"a buffer behind the body",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 8, 8}, 2, 8, BATCH},
     RWL_CORRUPT,
     "does not lie in the body"},
    {"a buffer before the body",
     &INTS,
     {2, {2, 0}, 1, {0, 0, -8, 8}, 2, 8, BATCH},
     RWL_CORRUPT,
     "does not lie in the body"},
    {"a buffer of negative length",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 0, -8}, 2, 8, BATCH},
     RWL_CORRUPT,
     "does not lie in the body"},
    {"a buffer that wraps around",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 8, INT64_MAX}, 2, 8, BATCH},
     RWL_CORRUPT,
     "does not lie in the body"},
    {"a buffer at no multiple of 8",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 4, 8}, 2, 16, BATCH},
     RWL_CORRUPT,
     "does not lie in the body"},
    {"texts",
     &TEXTS,
     {2,
      {2, 0},
      1,
      {0, 0, 0, 12, 16, 3},
      3,
      24,
      BATCH,
      .body = {0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 'x', 'y', 'z'}},
     RWL_OK,
     NULL},
    {"short offsets", &TEXTS, {2, {2, 0}, 1, {0, 0, 0, 8, 16, 3}, 3, 24, BATCH}, RWL_CORRUPT, "offsets"},
    {"falling offsets",
     &TEXTS,
     {2, {2, 0}, 1, {0, 0, 0, 12, 16, 3}, 3, 24, BATCH, .body = {0, 0, 0, 0, 2, 0, 0, 0, 1}},
     RWL_CORRUPT,
     "offset 2 of row 2 is 1"},
    {"a negative offset",
     &TEXTS,
     {2, {2, 0}, 1, {0, 0, 0, 12, 16, 3}, 3, 24, BATCH, .body = {0xff, 0xff, 0xff, 0xff}},
     RWL_CORRUPT,
     "offset 0 of row 0 is -1"},
    {"an offset behind the bytes",
     &TEXTS,
     {2, {2, 0}, 1, {0, 0, 0, 12, 16, 3}, 3, 24, BATCH, .body = {0, 0, 0, 0, 1, 0, 0, 0, 4}},
     RWL_CORRUPT,
     "offset 2 of row 2 is 4"},
    {"a list of more than its child has",
     &LISTS,
     {1, {1, 0, 1, 0}, 2, {0, 0, 0, 8, 8, 0, 8, 4}, 4, 16, BATCH, .body = {0, 0, 0, 0, 2}},
     RWL_CORRUPT,
     "fewer values than its parent points to"},
    {"version 3",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 0, 8}, 2, 8, .version = 2, .kind = RWL_IPC_BATCH},
     RWL_UNSUPPORTED,
     "version 3"},
    {"version 6",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 0, 8}, 2, 8, .version = 5, .kind = RWL_IPC_BATCH},
     RWL_UNSUPPORTED,
     "version 6"},
    {"a tensor",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 0, 8}, 2, 8, .version = 4, .kind = 4},
     RWL_UNSUPPORTED,
     "kind 4"},
    {"a second schema",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 0, 8}, 2, 8, .version = 4, .kind = RWL_IPC_SCHEMA},
     RWL_UNSUPPORTED,
     "kind 1"},
    {"a negative body", &INTS, {2, {2, 0}, 1, {0, 0, 0, 8}, 2, -8, BATCH}, RWL_CORRUPT, "-8 bytes"},
    {"a body above 2 GiB",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 0, 8}, 2, INT64_C(1) << 31, BATCH},
     RWL_UNSUPPORTED,
     "2147483648 bytes"},
    {"a body that is not there",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 0, 8}, 2, 4096, BATCH},
     RWL_CORRUPT,
     "ends within a message"},
    {"a compressed buffer without its length",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 0, 7}, 2, 8, BATCH, .zstd = true},
     RWL_CORRUPT,
     "claims -2 bytes"},
    {"a compressed buffer of 2^63 - 1 bytes",
     &INTS,
     {2,
      {2, 0},
      1,
      {0, 0, 0, 16},
      2,
      16,
      BATCH,
      .zstd = true,
      .body = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}},
     RWL_CORRUPT,
     "claims 9223372036854775807 bytes"},
    {"a compressed buffer that is none",
     &INTS,
     {2, {2, 0}, 1, {0, 0, 0, 16}, 2, 16, BATCH, .zstd = true, .body = {8, 0, 0, 0, 0, 0, 0, 0, 'x'}},
     RWL_CORRUPT,
     NULL},
    {"a buffer left uncompressed",
     &INTS,
     {2,
      {2, 0},
      1,
      {0, 0, 0, 16},
      2,
      16,
      BATCH,
      .zstd = true,
      .body = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 5}},
     RWL_OK,
     NULL},
    {"rows of nothing", &NOTHINGS, {1 << 22, {1 << 22, 1 << 22}, 1, {0}, 0, 0, BATCH}, RWL_OK, NULL},
    {"more rows of nothing than a few bytes may claim",
     &NOTHINGS,
     {(1 << 22) + 1, {(1 << 22) + 1, 0}, 1, {0}, 0, 0, BATCH},
     RWL_UNSUPPORTED,
     "a batch of 4194305 rows has 0 bytes of values"},
};
enum { BATCH_COUNT = sizeof BATCHES / sizeof *BATCHES };

START_TEST(batches_are_held_against_their_schema_and_body) {
    const batch_case *c = &BATCHES[_i];
    rwl_buf bytes;
    rwl_error err;
    int64_t rows;
    rwl_buf_init(&bytes, test_env(), SIZE_MAX);
    put_schema(c->column, &bytes);
    put_batch(&c->m, &bytes);
    rwl_status st = read_all(rwl_buf_span(&bytes), &rows, &err);
    ck_assert_msg(st == c->st, "%s: %d, %s", c->name, st, err.message);
    if (st == RWL_OK)
        ck_assert_int_eq(rows, c->m.rows);
    else
        ck_assert_msg(c->says == NULL || strstr(err.message, c->says) != NULL, "%s: '%s'", c->name,
                      err.message);
    rwl_buf_clear(&bytes);
}
END_TEST

typedef struct schema_case {
    column column;
    rwl_status st;
    const char *says;
} schema_case;

static const schema_case SCHEMAS[] = {
    {{"a", RWL_IPC_INT, 64, false, false, 0}, RWL_OK, NULL},
    {{"a", RWL_IPC_INT, 24, false, false, 0}, RWL_UNSUPPORTED, "column a has Arrow type number 2"},
    {{"a", RWL_IPC_DECIMAL, 300, false, false, 0}, RWL_UNSUPPORTED, NULL},
    {{"a", 11, 0, false, false, 0}, RWL_UNSUPPORTED, "Arrow type number 11"}, /* Interval */
    {{"a", 14, 0, false, false, 0}, RWL_UNSUPPORTED, "Arrow type number 14"}, /* Union */
    {{"a", 200, 0, false, false, 0}, RWL_UNSUPPORTED, "Arrow type number 200"},
    {{NULL, RWL_IPC_INT, 32, false, false, 0}, RWL_CORRUPT, "has a NUL"},
    {{"a", RWL_IPC_INT, 32, false, true, 0}, RWL_UNSUPPORTED, "big-endian"},
    {{"a", RWL_IPC_UTF8, 32, true, false, 0}, RWL_OK, NULL},
    {{"a", RWL_IPC_LIST, 32, true, false, 1}, RWL_UNSUPPORTED, "column a is a dictionary of nested values"},
    {{"a", RWL_IPC_LIST, 0, false, false, 0}, RWL_CORRUPT, NULL}, /* a list of nothing */
    {{"a", RWL_IPC_LIST, 0, false, false, 2}, RWL_CORRUPT, NULL}, /* or of two things */
};
enum { SCHEMA_COUNT = sizeof SCHEMAS / sizeof *SCHEMAS };

START_TEST(schemas_are_refused_by_name) {
    const schema_case *c = &SCHEMAS[_i];
    rwl_buf bytes;
    rwl_error err;
    int64_t rows;
    rwl_buf_init(&bytes, test_env(), SIZE_MAX);
    put_schema(&c->column, &bytes);
    rwl_status st = read_all(rwl_buf_span(&bytes), &rows, &err);
    ck_assert_msg(st == c->st, "case %d: %d, %s", _i, st, err.message);
    ck_assert_msg(c->says == NULL || strstr(err.message, c->says) != NULL, "case %d: '%s'", _i, err.message);
    rwl_buf_clear(&bytes);
}
END_TEST

/* --- dictionaries: of "x" and "yz", indexed by two rows --- */

typedef struct dictionary_case {
    const char *name;
    bool there, delta;
    int32_t second; /* the index of row 1; that of row 0 is 1 */
    int64_t buffer; /* where the dictionary's text is said to lie */
    rwl_status st;
    const char *says;
} dictionary_case;

static const dictionary_case DICTIONARIES[] = {
    {"good", true, false, 0, 16, RWL_OK, NULL},
    {"missing", false, false, 0, 16, RWL_CORRUPT, "dictionary 0 is not there before it is used"},
    {"growing", true, true, 0, 16, RWL_UNSUPPORTED, "dictionary 0 grows on the way"},
    {"an index behind its end", true, false, 2, 16, RWL_CORRUPT, "an index outside of the dictionary"},
    {"a negative index", true, false, -1, 16, RWL_CORRUPT, "an index outside of the dictionary"},
    {"text behind its body", true, false, 0, 24, RWL_CORRUPT, "does not lie in the body"},
};
enum { DICTIONARY_COUNT = sizeof DICTIONARIES / sizeof *DICTIONARIES };

START_TEST(dictionaries_are_held_against_their_indexes) {
    static const column ENCODED = {"a", RWL_IPC_UTF8, 32, true, false, 0};
    const dictionary_case *c = &DICTIONARIES[_i];
    message values = {
        2, {2, 0}, 1,     {0, 0, 0, 12, c->buffer, 3},
        3, 24,     BATCH, .body = {0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 'x', 'y', 'z'}};
    message indexes = {2, {2, 0}, 1, {0, 0, 0, 8}, 2, 8, BATCH, .body = {1}};
    rwl_store_le32(indexes.body + 4, (uint32_t)c->second);
    rwl_buf bytes;
    rwl_error err;
    int64_t rows;
    rwl_buf_init(&bytes, test_env(), SIZE_MAX);
    put_schema(&ENCODED, &bytes);
    for (int i = 0; c->there && i < 2; i++) /* the second replaces the first */
        put_dictionary(&values, c->delta, &bytes);
    put_batch(&indexes, &bytes);
    put_batch(&indexes, &bytes);
    rwl_status st = read_all(rwl_buf_span(&bytes), &rows, &err);
    ck_assert_msg(st == c->st, "%s: %d, %s", c->name, st, err.message);
    ck_assert_msg(c->says == NULL || strstr(err.message, c->says) != NULL, "%s: '%s'", c->name, err.message);
    ck_assert(st != RWL_OK || rows == 4);
    rwl_buf_clear(&bytes);
}
END_TEST

/* A stream of the right form: schema, one batch, the end. */
static void put_stream(rwl_buf *out) {
    static const uint8_t end[8] = {0xff, 0xff, 0xff, 0xff};
    put_schema(&TEXTS, out);
    put_batch(&BATCHES[16].m, out);
    ck_assert_int_eq(rwl_buf_append(out, end, sizeof end, NULL), RWL_OK);
}

START_TEST(what_is_no_stream_is_refused) {
    static const char *const TEXT[] = {"", "ARROW", "ARROW1\0\0", "{\"id\": 1}\n", "PAR1\x15\x04\x15\x10"};
    static const size_t LEN[] = {0, 5, 8, 10, 8};
    for (size_t i = 0; i < sizeof TEXT / sizeof *TEXT; i++) {
        rwl_error err;
        int64_t rows;
        ck_assert_int_eq(read_all(rwl_span_of(TEXT[i], LEN[i]), &rows, &err), RWL_CORRUPT);
    }
    rwl_buf bytes; /* a batch comes first */
    rwl_error err;
    int64_t rows;
    rwl_buf_init(&bytes, test_env(), SIZE_MAX);
    put_batch(&BATCHES[0].m, &bytes);
    ck_assert_int_eq(read_all(rwl_buf_span(&bytes), &rows, &err), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "does not begin with a schema"));
    rwl_buf_clear(&bytes);
}
END_TEST

/* A stream may end without its end mark, but not within a message. */
START_TEST(every_cut_is_seen_but_those_between_messages) {
    rwl_buf bytes, schema;
    rwl_error err;
    int64_t rows;
    rwl_buf_init(&bytes, test_env(), SIZE_MAX);
    rwl_buf_init(&schema, test_env(), SIZE_MAX);
    put_stream(&bytes);
    put_schema(&TEXTS, &schema);
    for (size_t len = 0; len < bytes.len; len++) {
        bool between = len == schema.len || len >= bytes.len - 8;
        rwl_status st = read_all(rwl_span_of(bytes.data, len), &rows, &err);
        if (len > bytes.len - 8)
            continue; /* in the end mark itself: nothing is lost */
        ck_assert_msg(st == (between ? RWL_OK : RWL_CORRUPT), "%zu of %zu bytes: %d %s", len, bytes.len, st,
                      err.message);
    }
    rwl_buf_clear(&bytes);
    rwl_buf_clear(&schema);
}
END_TEST

/* A file has an end mark before its footer: without it batches may be missing. */
START_TEST(every_cut_of_a_file_before_its_end_mark_is_seen) {
    rwl_buf bytes;
    rwl_error err;
    int64_t rows;
    rwl_buf_init(&bytes, test_env(), SIZE_MAX);
    ck_assert_int_eq(rwl_buf_append(&bytes, RWL_IPC_MAGIC "\0\0", 8, NULL), RWL_OK);
    put_stream(&bytes);
    for (size_t len = 0; len <= bytes.len; len++) {
        rwl_status st = read_all(rwl_span_of(bytes.data, len), &rows, &err);
        ck_assert_msg(st == (len == bytes.len ? RWL_OK : RWL_CORRUPT), "%zu of %zu bytes: %d %s", len,
                      bytes.len, st, err.message);
    }
    ck_assert_int_eq(rows, 2);
    rwl_buf_clear(&bytes);
}
END_TEST

/* What comes of them does not matter, as long as nothing is read that is not there (sanitizers tell). */
START_TEST(every_changed_byte_is_survived) {
    static const uint8_t FLIPS[] = {0x01, 0x80, 0xff};
    rwl_buf bytes;
    rwl_error err;
    int64_t rows;
    rwl_buf_init(&bytes, test_env(), SIZE_MAX);
    put_stream(&bytes);
    for (size_t i = 0; i < bytes.len; i++) {
        for (size_t f = 0; f < sizeof FLIPS; f++) {
            bytes.data[i] ^= FLIPS[f];
            rwl_status st = read_all(rwl_buf_span(&bytes), &rows, &err);
            ck_assert(st == RWL_OK || st == RWL_CORRUPT || st == RWL_UNSUPPORTED);
            bytes.data[i] ^= FLIPS[f];
        }
    }
    rwl_buf_clear(&bytes);
}
END_TEST

Suite *corrupt_suite(void) {
    Suite *suite = suite_create("corrupt");
    TCase *tc = tcase_create("corrupt");
    tcase_add_loop_test(tc, batches_are_held_against_their_schema_and_body, 0, BATCH_COUNT);
    tcase_add_loop_test(tc, dictionaries_are_held_against_their_indexes, 0, DICTIONARY_COUNT);
    tcase_add_loop_test(tc, schemas_are_refused_by_name, 0, SCHEMA_COUNT);
    tcase_add_test(tc, what_is_no_stream_is_refused);
    tcase_add_test(tc, every_cut_is_seen_but_those_between_messages);
    tcase_add_test(tc, every_cut_of_a_file_before_its_end_mark_is_seen);
    tcase_add_test(tc, every_changed_byte_is_survived);
    suite_add_tcase(suite, tc);
    return suite;
}
