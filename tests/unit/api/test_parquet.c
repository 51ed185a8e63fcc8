/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of rowline/parquet.h as a stranger calls them: Arrow C data made by hand on both sides. */
#include "suites.h"

#include <rowline/rowline.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rowline_context *context;
static rowline_error error;
static char dir[64], path[96], other_path[96];

static void setup(void) {
    rowline_context_options options = {.struct_size = sizeof options, .threads = 2};
    strcpy(dir, "/tmp/rowline-api-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a.parquet", dir);
    snprintf(other_path, sizeof other_path, "%s/b.parquet", dir);
    memset(&error, 0, sizeof error);
    ck_assert_int_eq(rowline_context_new(&options, &context, &error), ROWLINE_OK);
}

static void teardown(void) {
    rowline_context_free(context);
    unlink(path);
    unlink(other_path);
    ck_assert_msg(rmdir(dir) == 0, "files are left in %s: %s", dir, strerror(errno));
}

#define ok(expr) ck_assert_msg((expr) == ROWLINE_OK, "%s: %s", #expr, error.message)
#define fails(want_code, expr)                                                                               \
    do {                                                                                                     \
        ck_assert_int_eq((expr), want_code);                                                                 \
        ck_assert_int_eq(error.code, want_code);                                                             \
        ck_assert_int_ne(error.message[0], '\0');                                                            \
    } while (0)

/* --- rows: id int64 = the row's number, name utf8 = "n<id % 7>", null where id % 10 is 3 --- */

enum { ROWS = 500 };

typedef struct rows {
    struct ArrowArray top, id, name, *children[2];
    const void *top_buffers[1], *id_buffers[2], *name_buffers[3];
    int64_t ids[ROWS];
    uint8_t validity[ROWS / 8 + 1];
    int32_t offsets[ROWS + 1];
    char text[ROWS * 3];
} rows;

static void keep_array(struct ArrowArray *array) {
    array->release = NULL;
}

static bool is_null(int64_t id) {
    return id % 10 == 3;
}

static void make_rows(rows *r, int64_t first, int64_t count) {
    memset(r, 0, sizeof *r);
    int32_t len = 0;
    int64_t nulls = 0;
    for (int64_t i = 0; i < count; i++) {
        r->ids[i] = first + i;
        if (is_null(first + i)) {
            nulls++;
        } else {
            r->validity[i / 8] = (uint8_t)(r->validity[i / 8] | 1 << (i % 8));
            len += sprintf(r->text + len, "n%d", (int)((first + i) % 7));
        }
        r->offsets[i + 1] = len;
    }
    r->id_buffers[1] = r->ids;
    r->name_buffers[0] = r->validity;
    r->name_buffers[1] = r->offsets;
    r->name_buffers[2] = r->text;
    r->children[0] = &r->id;
    r->children[1] = &r->name;
    r->id =
        (struct ArrowArray){.length = count, .n_buffers = 2, .buffers = r->id_buffers, .release = keep_array};
    r->name = (struct ArrowArray){.length = count,
                                  .null_count = nulls,
                                  .n_buffers = 3,
                                  .buffers = r->name_buffers,
                                  .release = keep_array};
    r->top = (struct ArrowArray){.length = count,
                                 .n_buffers = 1,
                                 .buffers = r->top_buffers,
                                 .n_children = 2,
                                 .children = r->children,
                                 .release = keep_array};
}

static int schemas_released;

static void release_schema(struct ArrowSchema *schema) {
    schemas_released++;
    schema->release = NULL;
}

/* One key: "PARQUET:field_id" with one digit (C data interface, ArrowSchema.metadata; little-endian machines). */
#define FIELD_ID(digit) "\x01\0\0\0\x10\0\0\0PARQUET:field_id\x01\0\0\0" digit

static struct ArrowSchema make_schema(void) {
    static struct ArrowSchema id, name, *children[2] = {&id, &name};
    id = (struct ArrowSchema){
        .format = "l", .name = "id", .metadata = FIELD_ID("4"), .release = release_schema};
    name = (struct ArrowSchema){.format = "u",
                                .name = "name",
                                .metadata = FIELD_ID("7"),
                                .flags = ARROW_FLAG_NULLABLE,
                                .release = release_schema};
    return (struct ArrowSchema){
        .format = "+s", .name = "", .n_children = 2, .children = children, .release = release_schema};
}

static rowline_parquet_writer *begin(const char *location, const rowline_parquet_write_options *options) {
    struct ArrowSchema schema = make_schema();
    rowline_parquet_writer *writer = NULL;
    ok(rowline_parquet_writer_open(context, location, &schema, options, &writer, &error));
    ck_assert_ptr_null(schema.release); /* taken */
    return writer;
}

/* `count` rows from id `first` on, in pages of 50 rows. */
static void write_file(const char *location, int64_t first, int64_t count) {
    static const rowline_property properties[] = {{"write.parquet.page-row-limit", "50"}},
                                  key_values[] = {{"made.by", "a test"}};
    static const int32_t by_id[] = {0};
    rowline_parquet_write_options options = {.struct_size = sizeof options,
                                             .properties = properties,
                                             .property_count = 1,
                                             .key_values = key_values,
                                             .key_value_count = 1,
                                             .sorted_by = by_id,
                                             .sorted_by_count = 1};
    rowline_parquet_result result = {.struct_size = sizeof result};
    static rows r;
    rowline_parquet_writer *writer = begin(location, &options);
    for (int64_t done = 0; done < count; done += ROWS) {
        make_rows(&r, first + done, count - done < ROWS ? count - done : ROWS);
        ok(rowline_parquet_writer_write(writer, &r.top, &error));
        ck_assert_ptr_nonnull(r.top.release); /* stays the caller's */
    }
    ok(rowline_parquet_writer_finish(writer, &result, &error));
    ck_assert_int_eq(result.rows, count);
    ck_assert_int_eq(result.row_groups, count > 0);
    ck_assert_int_gt(result.bytes, 8);
}

static rowline_parquet *open_file(const char *location) {
    rowline_parquet *file = NULL;
    ok(rowline_parquet_open(context, location, &file, &error));
    return file;
}

/* Checks that the stream gives rows of the ids `want`, (first, count) pairs up to a count of 0, and releases it. With
 * `name_first` its columns are name and id. */
static void check_stream(struct ArrowArrayStream *stream, const int64_t want[][2], bool name_first) {
    int64_t pair = 0, done = 0;
    for (;;) {
        struct ArrowArray batch;
        ck_assert_msg(stream->get_next(stream, &batch) == 0, "%s", stream->get_last_error(stream));
        if (batch.release == NULL)
            break;
        ck_assert_int_eq(batch.n_children, 2);
        const struct ArrowArray *id = batch.children[name_first], *name = batch.children[!name_first];
        for (int64_t i = 0; i < batch.length; i++) {
            int64_t want_id = want[pair][0] + done;
            ck_assert_int_eq(((const int64_t *)id->buffers[1])[id->offset + i], want_id);
            const uint8_t *validity = name->buffers[0];
            int64_t at = name->offset + i;
            ck_assert_int_eq(validity == NULL || (validity[at / 8] >> (at % 8) & 1), !is_null(want_id));
            if (!is_null(want_id)) {
                const int32_t *offsets = (const int32_t *)name->buffers[1] + at;
                char text[8];
                int len = snprintf(text, sizeof text, "n%d", (int)(want_id % 7));
                ck_assert_int_eq(offsets[1] - offsets[0], len);
                ck_assert_mem_eq((const char *)name->buffers[2] + offsets[0], text, len);
            }
            if (++done == want[pair][1]) {
                pair++;
                done = 0;
            }
        }
        batch.release(&batch);
    }
    ck_assert_int_eq(want[pair][1], 0);
    stream->release(stream);
}

static void check_file(const char *location, const int64_t want[][2]) {
    struct ArrowArrayStream stream;
    rowline_parquet *file = open_file(location);
    ok(rowline_parquet_read(file, NULL, &stream, &error));
    check_stream(&stream, want, false);
    rowline_parquet_close(file);
}

START_TEST(what_is_written_is_described_and_read) {
    static const int64_t want[][2] = {{0, 1200}, {0, 0}};
    schemas_released = 0;
    write_file(path, 0, 1200);
    ck_assert_int_eq(schemas_released, 1); /* the top one, which would release its children */
    rowline_parquet *file = open_file(path);
    rowline_parquet_info info = {.struct_size = sizeof info};
    ok(rowline_parquet_describe(file, &info, &error));
    ck_assert_int_eq(info.rows, 1200);
    ck_assert_int_eq(info.row_groups, 1);
    ck_assert_int_eq(info.columns, 2);
    ck_assert_ptr_nonnull(strstr(info.created_by, "rowline version "));
    struct ArrowSchema schema;
    ok(rowline_parquet_schema(file, &schema, &error));
    ck_assert_str_eq(schema.format, "+s");
    ck_assert_int_eq(schema.n_children, 2);
    ck_assert_str_eq(schema.children[0]->format, "l");
    ck_assert_int_eq(schema.children[0]->flags & ARROW_FLAG_NULLABLE, 0);
    ck_assert_mem_eq(schema.children[0]->metadata, FIELD_ID("4"), sizeof FIELD_ID("4") - 1);
    ck_assert_str_eq(schema.children[1]->name, "name");
    ck_assert_int_eq(schema.children[1]->flags & ARROW_FLAG_NULLABLE, ARROW_FLAG_NULLABLE);
    schema.release(&schema);
    rowline_parquet_close(file);
    check_file(path, want);
}
END_TEST

START_TEST(columns_filter_and_range_are_applied) {
    static const char *const columns[] = {"name", "id"};
    static const int64_t want[][2] = {{130, 11}, {0, 0}}; /* rows 100..249 of which 130 <= id <= 140 */
    write_file(path, 0, 1200);
    rowline_parquet *file = open_file(path);
    rowline_parquet_read_options options = {.struct_size = sizeof options,
                                            .columns = columns,
                                            .column_count = 2,
                                            .where = "id >= 130 and id <= 140",
                                            .first_row = 100,
                                            .row_count = 150,
                                            .batch_rows = 4};
    struct ArrowArrayStream stream;
    ok(rowline_parquet_read(file, &options, &stream, &error));
    check_stream(&stream, want, true);
    ok(rowline_parquet_read(file, &options, &stream, &error)); /* a second stream of the same file */
    check_stream(&stream, want, true);
    static const int64_t none[][2] = {{0, 0}};
    options = (rowline_parquet_read_options){.struct_size = sizeof options, .first_row = 1200};
    ok(rowline_parquet_read(file, &options, &stream, &error));
    check_stream(&stream, none, false);
    rowline_parquet_close(file);
}
END_TEST

START_TEST(statistics_say_what_was_skipped) {
    static const int64_t want[][2] = {{777, 1}, {0, 0}};
    write_file(path, 0, 1200); /* 24 pages a column */
    rowline_parquet *file = open_file(path);
    rowline_parquet_read_options options = {.struct_size = sizeof options, .where = "id = 777"};
    rowline_scan_stats stats = {.struct_size = sizeof stats};
    struct ArrowArrayStream stream;
    ok(rowline_parquet_read(file, &options, &stream, &error));
    struct ArrowArray batch;
    do {
        ck_assert_int_eq(stream.get_next(&stream, &batch), 0);
        if (batch.release == NULL)
            break;
        ck_assert_int_eq(batch.length, 1);
        ck_assert_int_eq(((const int64_t *)batch.children[0]->buffers[1])[batch.children[0]->offset],
                         want[0][0]);
        batch.release(&batch);
    } while (true);
    ok(rowline_parquet_read_get_stats(&stream, &stats, &error));
    ck_assert_int_eq(stats.row_groups_read, 1);
    ck_assert_int_eq(stats.pages_read, 2);
    ck_assert_int_eq(stats.pages_skipped, 46);
    ck_assert_int_eq(stats.files_read, 1);
    ck_assert_int_eq(stats.manifests_read, 0);
    stream.release(&stream);
    rowline_parquet_close(file);
}
END_TEST

START_TEST(parts_are_stitched_in_order) {
    static const int64_t want[][2] = {{50, 100}, {170, 1}, {2000, 300}, {0, 0}};
    static const rowline_row_range ranges[] = {{50, 100}, {160, 0}, {170, 1}};
    char third[96];
    snprintf(third, sizeof third, "%s/c.parquet", dir);
    write_file(path, 0, 400);
    write_file(other_path, 2000, 300);
    rowline_parquet *a = open_file(path), *b = open_file(other_path);
    rowline_parquet_part parts[] = {{.file = a, .ranges = ranges, .range_count = 3}, {.file = b}};
    static const rowline_property properties[] = {{"write.parquet.page-row-limit", "50"}};
    rowline_parquet_write_options options = {
        .struct_size = sizeof options, .properties = properties, .property_count = 1};
    rowline_parquet_result result = {.struct_size = sizeof result};
    ok(rowline_parquet_stitch(context, third, parts, 2, &options, &result, &error));
    ck_assert_int_eq(result.rows, 401);
    /* Of 50 rows: 50..149 of the one file and all 300 of the other. Names of the other have their dictionary in another
     * order ("n5" first), so that their indexes are written anew. */
    ck_assert_int_eq(result.pages_copied, (2 + 6) + 2);
    check_file(third, want);
    fails(ROWLINE_EXISTS, rowline_parquet_stitch(context, third, parts, 2, NULL, &result, &error));
    check_file(third, want); /* as it was */
    ck_assert_int_eq(unlink(third), 0);

    static const rowline_row_range wrong[][2] = {{{0, 401}}, {{10, 5}, {14, 1}}, {{-1, 1}}, {{0, -1}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        parts[0].ranges = wrong[i];
        parts[0].range_count = 2;
        fails(ROWLINE_USAGE, rowline_parquet_stitch(context, third, parts, 2, NULL, NULL, &error));
    }
    parts[0].file = NULL;
    fails(ROWLINE_USAGE, rowline_parquet_stitch(context, third, parts, 2, NULL, NULL, &error));
    fails(ROWLINE_USAGE, rowline_parquet_stitch(context, third, NULL, 0, NULL, NULL, &error));
    rowline_parquet_close(a);
    rowline_parquet_close(b);
}
END_TEST

START_TEST(files_that_are_none_are_refused) {
    rowline_parquet *file = NULL;
    fails(ROWLINE_NOT_FOUND, rowline_parquet_open(context, path, &file, &error));
    ck_assert_ptr_null(file);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_gt(fputs("PAR1 and nothing that ends as it began", f), 0);
    fclose(f);
    fails(ROWLINE_CORRUPT, rowline_parquet_open(context, path, &file, &error));
    ck_assert_ptr_null(file);
    rowline_parquet_close(NULL);
}
END_TEST

START_TEST(wrong_options_are_named) {
    write_file(path, 0, 10);
    rowline_parquet *file = open_file(path);
    struct ArrowArrayStream stream;
    static const char *const missing[] = {"nobody"};
    rowline_parquet_read_options bad_reads[] = {
        {.struct_size = 0},
        {.struct_size = sizeof *bad_reads, .columns = missing, .column_count = 1},
        {.struct_size = sizeof *bad_reads, .where = "id >"},
        {.struct_size = sizeof *bad_reads, .where = "nobody = 1"},
        {.struct_size = sizeof *bad_reads, .first_row = -1},
        {.struct_size = sizeof *bad_reads, .row_count = -2}};
    for (size_t i = 0; i < sizeof bad_reads / sizeof *bad_reads; i++)
        fails(ROWLINE_USAGE, rowline_parquet_read(file, &bad_reads[i], &stream, &error));
    rowline_parquet_close(file);

    static const rowline_property codec[] = {{"write.parquet.compression-codec", "lzo"}},
                                  half[] = {{"write.parquet.page-row-limit", NULL}};
    static const int32_t third[] = {2};
    const rowline_parquet_write_options size = {.struct_size = sizeof size};
    rowline_parquet_write_options bad_writes[] = {{.struct_size = 3}, size, size, size, size};
    bad_writes[1].properties = half;
    bad_writes[1].property_count = 1;
    bad_writes[2].sorted_by = third;
    bad_writes[2].sorted_by_count = 1;
    bad_writes[3].key_value_count = 1; /* of an array at NULL */
    bad_writes[4].properties = codec;
    bad_writes[4].property_count = 1;
    for (size_t i = 0; i < sizeof bad_writes / sizeof *bad_writes; i++) {
        struct ArrowSchema schema = make_schema();
        rowline_parquet_writer *writer = NULL;
        fails(i < 4 ? ROWLINE_USAGE : ROWLINE_UNSUPPORTED,
              rowline_parquet_writer_open(context, other_path, &schema, &bad_writes[i], &writer, &error));
        ck_assert_ptr_null(writer);
        ck_assert_ptr_null(schema.release); /* taken all the same */
        fails(ROWLINE_USAGE, rowline_parquet_writer_open(context, other_path, &schema, NULL, &writer,
                                                         &error)); /* released */
    }
}
END_TEST

START_TEST(after_a_failed_write_there_is_no_file) {
    static rows r;
    rowline_parquet_writer *writer = begin(path, NULL);
    make_rows(&r, 0, 100);
    ok(rowline_parquet_writer_write(writer, &r.top, &error));
    r.top.n_children = 1;
    fails(ROWLINE_CORRUPT, rowline_parquet_writer_write(writer, &r.top, &error));
    r.top.n_children = 2;
    fails(ROWLINE_CORRUPT, rowline_parquet_writer_write(writer, &r.top, &error));
    fails(ROWLINE_CORRUPT, rowline_parquet_writer_finish(writer, NULL, &error));
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(an_aborted_file_and_a_taken_name_leave_nothing) {
    static rows r;
    make_rows(&r, 0, 100);
    rowline_parquet_writer *writer = begin(path, NULL);
    ok(rowline_parquet_writer_write(writer, &r.top, &error));
    rowline_parquet_writer_abort(writer);
    rowline_parquet_writer_abort(NULL);
    ck_assert_int_ne(access(path, F_OK), 0);

    static const int64_t want[][2] = {{0, 10}, {0, 0}};
    write_file(path, 0, 10);
    writer = begin(path, NULL);
    ok(rowline_parquet_writer_write(writer, &r.top, &error));
    fails(ROWLINE_EXISTS, rowline_parquet_writer_finish(writer, NULL, &error));
    check_file(path, want);
}
END_TEST

START_TEST(a_file_may_have_no_rows) {
    static const int64_t none[][2] = {{0, 0}};
    write_file(path, 0, 0);
    check_file(path, none);
}
END_TEST

START_TEST(a_file_may_have_no_columns) {
    struct ArrowSchema schema = {.format = "+s", .name = "", .release = release_schema};
    const void *buffers[1] = {NULL};
    struct ArrowArray batch = {.length = 30, .n_buffers = 1, .buffers = buffers, .release = keep_array};
    rowline_parquet_writer *writer = NULL;
    ok(rowline_parquet_writer_open(context, path, &schema, NULL, &writer, &error));
    ok(rowline_parquet_writer_write(writer, &batch, &error));
    ok(rowline_parquet_writer_finish(writer, NULL, &error));
    rowline_parquet *file = open_file(path);
    rowline_parquet_info info = {.struct_size = sizeof info};
    ok(rowline_parquet_describe(file, &info, &error));
    ck_assert_int_eq(info.rows, 30);
    ck_assert_int_eq(info.columns, 0);
    rowline_parquet_close(file);
}
END_TEST

/* A caller compiled when a struct had fewer fields gets those, one that forgot struct_size nothing. */
START_TEST(results_fill_only_the_room_there_is) {
    write_file(path, 0, 10);
    rowline_parquet *file = open_file(path);
    for (size_t i = 0; i < 2; i++) {
        rowline_parquet_info info = {
            .struct_size = i == 0 ? 0 : offsetof(rowline_parquet_info, bytes), .rows = -5, .bytes = -5};
        ok(rowline_parquet_describe(file, &info, &error));
        ck_assert_int_eq(info.rows, i == 0 ? -5 : 10);
        ck_assert_int_eq(info.bytes, -5);
    }
    rowline_parquet_close(file);
}
END_TEST

Suite *parquet_suite(void) {
    Suite *suite = suite_create("api parquet");
    TCase *tc = tcase_create("files");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, what_is_written_is_described_and_read);
    tcase_add_test(tc, columns_filter_and_range_are_applied);
    tcase_add_test(tc, statistics_say_what_was_skipped);
    tcase_add_test(tc, parts_are_stitched_in_order);
    tcase_add_test(tc, files_that_are_none_are_refused);
    tcase_add_test(tc, wrong_options_are_named);
    tcase_add_test(tc, after_a_failed_write_there_is_no_file);
    tcase_add_test(tc, an_aborted_file_and_a_taken_name_leave_nothing);
    tcase_add_test(tc, a_file_may_have_no_rows);
    tcase_add_test(tc, a_file_may_have_no_columns);
    tcase_add_test(tc, results_fill_only_the_room_there_is);
    suite_add_tcase(suite, tc);
    return suite;
}
