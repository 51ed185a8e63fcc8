/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of rowline/output.h: a stream made by hand goes out in every format, or fails and leaves nothing. */
#include "suites.h"

#include <rowline/rowline.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rowline_context *context;
static rowline_error error;
static char dir[64], path[128];

static void setup(void) {
    rowline_context_options options = {.struct_size = sizeof options, .threads = 1};
    strcpy(dir, "/tmp/rowline-out-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/rows.csv", dir);
    memset(&error, 0, sizeof error);
    ck_assert_int_eq(rowline_context_new(&options, &context, &error), ROWLINE_OK);
}

static void teardown(void) {
    rowline_context_free(context);
    unlink(path);
    ck_assert_msg(rmdir(dir) == 0, "files are left in %s: %s", dir, strerror(errno));
}

/* --- a stream of rows 1 to 3 of n (int16) and s (large utf8), which starts at an offset; `fails_at` that batch fails --- */

typedef struct stream {
    int batches, fails_at, next;
    struct ArrowSchema top, fields[2], *children[2];
    struct ArrowArray rows, columns[2], *column_list[2];
    const void *no_buffers[1], *n_buffers[2], *s_buffers[3];
} stream;

static const int16_t NUMBERS[] = {-7, 1, -2, 3};
static const uint8_t VALID[] = {0x0b}; /* rows 0, 1 and 3 */
static const int64_t OFFSETS[] = {0, 4, 5, 5, 8};
static const char BYTES[] = "skipx,\"y";

static void keep_schema(struct ArrowSchema *s) {
    s->release = NULL;
}

static void keep_array(struct ArrowArray *a) {
    a->release = NULL;
}

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
    *out = ((stream *)s->private_data)->top;
    return 0;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out) {
    stream *data = s->private_data;
    memset(out, 0, sizeof *out);
    if (data->next == data->fails_at)
        return EIO;
    if (data->next++ < data->batches)
        *out = data->rows;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *s) {
    (void)s;
    return "the dog ate it";
}

static void release_stream(struct ArrowArrayStream *s) {
    s->release = NULL;
}

static struct ArrowArrayStream make_stream(stream *d, int batches, int fails_at) {
    static const char *const FORMATS[] = {"s", "U"}, *const NAMES[] = {"n", "s"};
    *d = (stream){.batches = batches, .fails_at = fails_at};
    d->n_buffers[1] = NUMBERS;
    d->s_buffers[0] = VALID;
    d->s_buffers[1] = OFFSETS;
    d->s_buffers[2] = BYTES;
    for (int i = 0; i < 2; i++) {
        d->fields[i] =
            (struct ArrowSchema){.format = FORMATS[i], .name = NAMES[i], .flags = 2, .release = keep_schema};
        d->children[i] = &d->fields[i];
        d->column_list[i] = &d->columns[i];
    }
    d->columns[0] = (struct ArrowArray){
        .length = 3, .offset = 1, .n_buffers = 2, .buffers = d->n_buffers, .release = keep_array};
    d->columns[1] = (struct ArrowArray){.length = 3,
                                        .offset = 1,
                                        .null_count = 1,
                                        .n_buffers = 3,
                                        .buffers = d->s_buffers,
                                        .release = keep_array};
    d->top = (struct ArrowSchema){
        .format = "+s", .name = "", .n_children = 2, .children = d->children, .release = keep_schema};
    d->rows = (struct ArrowArray){.length = 3,
                                  .n_buffers = 1,
                                  .n_children = 2,
                                  .buffers = d->no_buffers,
                                  .children = d->column_list,
                                  .release = keep_array};
    return (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, d};
}

/* --- a sink into memory that may be full --- */

typedef struct bytes {
    char data[1 << 16];
    size_t len, most;
} bytes;

static int32_t take(void *sink_context, const void *data, size_t length) {
    bytes *b = sink_context;
    if (length > b->most - b->len)
        return ENOSPC;
    memcpy(b->data + b->len, data, length);
    b->len += length;
    b->data[b->len] = '\0';
    return 0;
}

static bytes out;

static rowline_status write_rows(const char *format, int batches, int fails_at, size_t most, int64_t *count) {
    stream data;
    struct ArrowArrayStream s = make_stream(&data, batches, fails_at);
    rowline_sink sink = {&out, take};
    rowline_output_options options = {.struct_size = sizeof options, .format = format};
    out = (bytes){.most = most};
    memset(&error, 0, sizeof error);
    rowline_status st = rowline_stream_write(context, &s, &sink, &options, count, &error);
    ck_assert_ptr_nonnull(s.release); /* stays the caller's */
    s.release(&s);
    return st;
}

enum { ROOM = sizeof out.data - 1, NEVER = -1 };

START_TEST(rows_of_a_foreign_stream_go_out_as_text) {
    int64_t count;
    ck_assert_int_eq(write_rows("csv", 2, NEVER, ROOM, &count), ROWLINE_OK);
    ck_assert_int_eq(count, 6);
    ck_assert_str_eq(out.data, "n,s\n1,x\n-2,\n3,\",\"\"y\"\n1,x\n-2,\n3,\",\"\"y\"\n");
    ck_assert_int_eq(write_rows("jsonl", 1, NEVER, ROOM, NULL), ROWLINE_OK);
    ck_assert_str_eq(out.data,
                     "{\"n\": 1, \"s\": \"x\"}\n{\"n\": -2, \"s\": null}\n{\"n\": 3, \"s\": \",\\\"y\"}\n");
}
END_TEST

START_TEST(rows_of_a_foreign_stream_go_out_as_arrow_and_parquet) {
    ck_assert_int_eq(write_rows("arrow", 1, NEVER, ROOM, NULL), ROWLINE_OK);
    ck_assert_mem_eq(out.data, "\xff\xff\xff\xff", 4);
    ck_assert_mem_eq(out.data + out.len - 8, "\xff\xff\xff\xff\0\0\0\0", 8);
    ck_assert_int_eq(write_rows("arrow-file", 1, NEVER, ROOM, NULL), ROWLINE_OK);
    ck_assert_mem_eq(out.data, "ARROW1\0\0", 8);
    ck_assert_int_eq(write_rows("parquet", 1, NEVER, ROOM, NULL), ROWLINE_OK);
    ck_assert_mem_eq(out.data, "PAR1", 4);
    ck_assert_mem_eq(out.data + out.len - 4, "PAR1", 4);
}
END_TEST

START_TEST(a_sink_that_is_full_ends_the_call_with_its_errno) {
    static const char *const FORMATS[] = {"csv", "jsonl", "arrow", "arrow-file", "parquet"};
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        ck_assert_int_eq(write_rows(FORMATS[i], 1, NEVER, 3, NULL), ROWLINE_IO);
        ck_assert_int_eq(error.system_errno, ENOSPC);
    }
}
END_TEST

START_TEST(a_stream_that_fails_is_told_with_its_reason) {
    ck_assert_int_eq(write_rows("csv", 2, 1, ROOM, NULL), ROWLINE_IO);
    ck_assert_ptr_nonnull(strstr(error.message, "the dog ate it"));
}
END_TEST

START_TEST(formats_are_named) {
    ck_assert_int_eq(write_rows("xml", 1, NEVER, ROOM, NULL), ROWLINE_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "'xml'"));
    ck_assert_int_eq(write_rows(NULL, 1, NEVER, ROOM, NULL), ROWLINE_USAGE);
}
END_TEST

static rowline_status save(const char *to, const char *format, const rowline_property *property,
                           int fails_at) {
    stream data;
    struct ArrowArrayStream s = make_stream(&data, 1, fails_at);
    rowline_output_options options = {.struct_size = sizeof options,
                                      .format = format,
                                      .properties = property,
                                      .property_count = property != NULL};
    memset(&error, 0, sizeof error);
    rowline_status st = rowline_stream_save(context, &s, to, &options, NULL, &error);
    s.release(&s);
    return st;
}

static void has(const char *text) {
    char data[256] = "";
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    data[fread(data, 1, sizeof data - 1, f)] = '\0';
    fclose(f);
    ck_assert_str_eq(data, text);
}

#define CSV "n,s\n1,x\n-2,\n3,\",\"\"y\"\n"

START_TEST(a_file_is_replaced_whole_or_not_at_all) {
    ck_assert_int_eq(save(path, NULL, NULL, 0), ROWLINE_IO); /* teardown sees that nothing is left */
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(save(path, NULL, NULL, NEVER), ROWLINE_OK);
    has(CSV);
    ck_assert_int_eq(save(path, "jsonl", NULL, 1), ROWLINE_IO);
    has(CSV);
    ck_assert_int_eq(save(path, "jsonl", NULL, NEVER), ROWLINE_OK);
    has("{\"n\": 1, \"s\": \"x\"}\n{\"n\": -2, \"s\": null}\n{\"n\": 3, \"s\": \",\\\"y\"}\n");
}
END_TEST

START_TEST(what_cannot_be_saved_is_refused) {
    char other[160];
    rowline_property bad = {"write.parquet.compression-codec", "lzma"};
    snprintf(other, sizeof other, "%s/no/such.csv", dir);
    ck_assert_int_eq(save(other, NULL, NULL, NEVER), ROWLINE_NOT_FOUND);
    ck_assert_str_eq(error.path, other);
    ck_assert_int_eq(save(dir, "csv", NULL, NEVER), ROWLINE_IO);
    snprintf(other, sizeof other, "%s/rows.txt", dir);
    ck_assert_int_eq(save(other, NULL, NULL, NEVER), ROWLINE_USAGE);
    ck_assert_int_ne(save(other, "parquet", &bad, NEVER), ROWLINE_OK);
    ck_assert_ptr_nonnull(strstr(error.message, "lzma"));
}
END_TEST

Suite *output_suite(void) {
    const TTest *const TESTS[] = {
        rows_of_a_foreign_stream_go_out_as_text,
        rows_of_a_foreign_stream_go_out_as_arrow_and_parquet,
        a_sink_that_is_full_ends_the_call_with_its_errno,
        a_stream_that_fails_is_told_with_its_reason,
        formats_are_named,
        a_file_is_replaced_whole_or_not_at_all,
        what_cannot_be_saved_is_refused,
    };
    Suite *suite = suite_create("output");
    TCase *tc = tcase_create("output");
    tcase_add_checked_fixture(tc, setup, teardown);
    for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++)
        tcase_add_test(tc, TESTS[i]);
    suite_add_tcase(suite, tc);
    return suite;
}
