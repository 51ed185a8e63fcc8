/* SPDX-License-Identifier: Apache-2.0 */
/* What of a file is read for a filter: by leaves of structs, stored and inherited lineage, positions, constants. */
#include "iceberg/driver.h"
#include "iceberg/filter_fields.h"
#include "iceberg/fragment_deletes.h"
#include "iceberg/fragment_reader.h"
#include "parquet/writer.h"
#include "table_test.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROWS = 1500, GROUP_ROWS = 100 };

#define COLUMNS "id int, s struct<a: int, b: struct<c: string not null>>, gone long"

/* Row i of the file: id and s.a are i, s.b.c is "k<i>"; s is null from 1000 to 1099, s.b from 1100 to 1199. Where there is
 * stored lineage: _row_id is 10000 - i, but null from 300 to 399; the version is 5, and null from 400 on. */
static bool is_null(const rwl_field *field, int64_t row) {
    switch (field->id) {
    case RWL_FIELD_ID_ROW_ID:
        return row >= 300 && row < 400;
    case RWL_FIELD_ID_LAST_UPDATED:
        return row >= 400;
    default:
        return (strcmp(field->name, "s") == 0 && row >= 1000 && row < 1100) ||
               (strcmp(field->name, "b") == 0 && row >= 1100 && row < 1200);
    }
}

static rwl_value cell(const rwl_field *field, int64_t row) {
    rwl_value v = {.kind = field->type.kind};
    if (v.kind == RWL_TYPE_STRING)
        v.as.bytes = rwl_span_str(rwl_arena_printf(test_arena(), "k%" PRId64, row));
    else if (v.kind == RWL_TYPE_LONG)
        v.as.i64 = field->id == RWL_FIELD_ID_ROW_ID ? 10000 - row : 5;
    else
        v.as.i32 = (int32_t)row;
    return v;
}

static void put(rwl_column *c, const rwl_field *field, int64_t row) {
    rwl_value null = rwl_value_null(field->type.kind);
    if (is_null(field, row)) {
        ASSERT_OK(rwl_column_append(c, test_env(), &null, 1, err));
    } else if (field->type.kind == RWL_TYPE_STRUCT) {
        for (int32_t i = 0; i < field->type.child_count; i++)
            put(&c->children[i], &field->type.children[i], row);
        if (c->null_count > 0) {
            ASSERT_OK(rwl_column_need_validity(c, test_env(), c->length + 1, err));
            rwl_bit_set(c->validity.data, c->length);
        }
        c->length++;
    } else {
        rwl_value v = cell(field, row);
        ASSERT_OK(rwl_column_append(c, test_env(), &v, 1, err));
    }
}

/* A file of the first `count` fields, `group_rows` a row group. */
static rwl_fragment write_file(const char *name, const rwl_field *fields, int32_t count, int64_t group_rows) {
    rwl_batch batch;
    rwl_parquet_writer *w = NULL;
    rwl_parquet_written written;
    rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD, .row_group_rows = group_rows};
    const char *path = test_path(name);
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
    for (int64_t row = 0; row < ROWS; row++)
        for (int32_t i = 0; i < count; i++)
            put(&batch.columns[i], &fields[i], row);
    batch.length = ROWS;
    ASSERT_OK(rwl_parquet_writer_open(test_store(), test_op(), path, fields, count, &options, &w, err));
    ASSERT_OK(rwl_parquet_writer_write(w, &batch, err));
    ASSERT_OK(rwl_parquet_writer_finish(w, &written, err));
    rwl_fragment f = {.location = path,
                      .format = "PARQUET",
                      .file_size = written.file_size,
                      .row_count = written.row_count,
                      .lineage = {true, 0, 9},
                      .sort_order_id = -1};
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    return f;
}

static rwl_fragment write_plain(const rwl_metadata *m) {
    return write_file("plain.parquet", m->schema->fields, 2, GROUP_ROWS);
}

static rwl_fragment write_with_lineage(const rwl_metadata *m) {
    rwl_field fields[4] = {m->schema->fields[0], m->schema->fields[1]};
    fields[2] =
        (rwl_field){.name = RWL_COLUMN_ROW_ID, .id = RWL_FIELD_ID_ROW_ID, .type = rwl_type_of(RWL_TYPE_LONG)};
    fields[3] = (rwl_field){
        .name = RWL_COLUMN_LAST_UPDATED, .id = RWL_FIELD_ID_LAST_UPDATED, .type = rwl_type_of(RWL_TYPE_LONG)};
    return write_file("lineage.parquet", fields, 4, GROUP_ROWS);
}

/* --- what is read --- */

typedef struct read_result {
    const char *rows; /* "0+100 200+100" */
    int64_t groups;
} read_result;

static void add_rows(rwl_range *last, rwl_buf *out, int64_t pos, bool at_end) {
    if (!at_end && last->count > 0 && last->start + last->count == pos) {
        last->count++;
        return;
    }
    if (last->count > 0)
        ASSERT_OK(rwl_buf_printf(out, err, "%s%" PRId64 "+%" PRId64, out->len > 0 ? " " : "", last->start,
                                 last->count));
    *last = (rwl_range){pos, 1};
}

static read_result read_where(const rwl_metadata *m, const rwl_fragment *f, const char *where,
                              rwl_fragment_read_options options, rwl_bitmap *deletes) {
    rwl_field *fields;
    const rwl_expr *e;
    rwl_fragment_reader *r = NULL;
    rwl_rows rows;
    rwl_buf out;
    rwl_range last = {0};
    ASSERT_OK(rwl_filter_fields(m, m->schema, test_arena(), &fields, NULL, &options.filter_field_count, err));
    options.filter_fields = fields;
    if (where != NULL) {
        ASSERT_OK(rwl_expr_parse(where, test_arena(), &e, err));
        ASSERT_OK(rwl_expr_bind(e, fields, options.filter_field_count, test_arena(), &options.filter, err));
    }
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_fragment_reader_open(test_store(), test_op(), m, f, &options, deletes, &r, err));
    ASSERT_OK(rwl_rows_init(&rows, test_env(), options.fields, options.field_count, err));
    for (;;) {
        ASSERT_OK(rwl_fragment_reader_next(r, &rows, err));
        if (rows.batch.length == 0)
            break;
        for (int64_t i = 0; i < rows.batch.length; i++) {
            int64_t pos;
            ck_assert(rwl_runs_get(&rows.positions, i, &pos));
            add_rows(&last, &out, pos, false);
        }
    }
    add_rows(&last, &out, -1, true);
    read_result result = {rwl_arena_strndup(test_arena(), out.len > 0 ? (const char *)out.data : "", out.len),
                          rwl_fragment_reader_stats(r).groups_read};
    rwl_fragment_reader_close(r);
    rwl_rows_clear(&rows);
    rwl_buf_clear(&out);
    return result;
}

typedef struct prune_case {
    const char *where, *rows;
} prune_case;

/* Reads a column of every row, so that row groups are read at all. */
static void assert_reads(const rwl_metadata *m, const rwl_fragment *f, const prune_case *cases,
                         size_t count) {
    rwl_fragment_read_options options = {.fields = m->schema->fields, .field_count = 1};
    for (size_t i = 0; i < count; i++) {
        read_result got = read_where(m, f, cases[i].where, options, NULL);
        ck_assert_msg(strcmp(got.rows, cases[i].rows) == 0, "%s: %s", cases[i].where, got.rows);
    }
}
#define ASSERT_READS(m, f, cases) assert_reads(m, f, cases, sizeof(cases) / sizeof *(cases))

/* --- without stored lineage --- */

START_TEST(bug_007_row_ids_that_are_positions_leave_row_groups_out) {
    static const prune_case cases[] = {
        {"_row_id = 99", "0+100"},
        {"_row_id = 100", "100+100"},
        {"_row_id in (99, 100, 1499)", "0+200 1400+100"},
        {"_row_id in (1500, -1)", ""},
        {"_row_id >= 1400", "1400+100"},
        {"_row_id is null", ""},
        {"_row_id <> 5", "0+1500"},
        {"_pos between 250 and 349", "200+200"},
        {"_pos = _row_id", "0+1500"},
        {"_pos < 100 or _row_id > 1400", "0+100 1400+100"},
        {"_row_id = 100 and id = 500", ""},
    };
    rwl_metadata *m = test_table(3, COLUMNS, NULL);
    rwl_fragment f = write_plain(m);
    ASSERT_READS(m, &f, cases);
    rwl_fragment_read_options options = {.fields = m->schema->fields, .field_count = 1};
    ck_assert_int_eq(read_where(m, &f, "_row_id = 100", options, NULL).groups, 1);
    static const prune_case moved[] = {
        {"_row_id = 100", ""}, {"_row_id = 7100", "100+100"}, {"_pos = 100", "100+100"}};
    f.lineage.first_row_id = 7000;
    ASSERT_READS(m, &f, moved);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_004_rows_without_lineage_have_neither_id_nor_version) {
    static const prune_case cases[] = {{"_row_id is null", "0+1500"},
                                       {"_last_updated_sequence_number is null", "0+1500"},
                                       {"_row_id = 5", ""},
                                       {"_last_updated_sequence_number = 9", ""}};
    rwl_metadata *m = test_table(3, COLUMNS, NULL);
    rwl_fragment f = write_plain(m);
    f.lineage.has_first_row_id = false;
    ASSERT_READS(m, &f, cases);
    f = write_with_lineage(m);
    f.lineage.has_first_row_id = false; /* hides what is stored (law 5) */
    ASSERT_READS(m, &f, cases);
    rwl_metadata_free(m);
}
END_TEST

/* Parts of a row group: 2100 would be in rows 1024 to 2047 of 5000, here 1024 to 1499. */
START_TEST(a_large_row_group_is_read_in_part) {
    static const prune_case cases[] = {
        {"_row_id = 1200", "1024+476"}, {"_pos in (3, 1499)", "0+1500"}, {"_row_id = 1023", "0+1024"}};
    rwl_metadata *m = test_table(3, COLUMNS, NULL);
    rwl_fragment f = write_file("large.parquet", m->schema->fields, 2, 0);
    ASSERT_READS(m, &f, cases);
    rwl_metadata_free(m);
}
END_TEST

/* --- with stored lineage --- */

START_TEST(stored_lineage_tells_only_where_nothing_is_inherited) {
    static const prune_case cases[] = {
        {"_row_id = 9990", "0+100 300+100"}, /* 10000 - 10; null cells may be anything */
        {"_row_id = 350", "300+100"},        /* a null cell's position */
        {"_row_id is null", "300+100"},      /* so it seems from here */
        {"_row_id > 9700", "0+400"},         /* rows 0 to 299 */
        {"_last_updated_sequence_number = 5", "0+1500"},
        {"_last_updated_sequence_number = 9", "400+1100"},
        {"_last_updated_sequence_number > 5", "400+1100"},
    };
    rwl_metadata *m = test_table(3, COLUMNS, NULL);
    rwl_fragment f = write_with_lineage(m);
    ASSERT_READS(m, &f, cases);
    rwl_metadata_free(m);
}
END_TEST

/* Names make no lineage, whatever a mapping says of them: ids are those of the positions. */
START_TEST(a_mapped_name_is_no_stored_lineage) {
    static const prune_case cases[] = {{"_row_id = 9990", ""}, {"_row_id = 100", "100+100"}};
    static const char *const key = "schema.name-mapping.default";
    static const char *const mapping =
        "[{\"field-id\":1,\"names\":[\"id\"]},{\"field-id\":2147483540,\"names\":[\"_row_id\"]}]";
    rwl_metadata *plain = test_table(3, COLUMNS, NULL), *m = NULL;
    rwl_metadata_new options = {.location = test_folder(),
                                .format_version = 3,
                                .schema = plain->schema,
                                .property_keys = &key,
                                .property_values = &mapping,
                                .property_count = 1};
    ASSERT_OK(rwl_metadata_create(test_env(), &options, &m, err));
    rwl_field fields[2] = {m->schema->fields[0]};
    fields[1] = (rwl_field){.name = RWL_COLUMN_ROW_ID, .id = -1, .type = rwl_type_of(RWL_TYPE_LONG)};
    fields[0].id = -1;
    rwl_fragment f = write_file("named.parquet", fields, 2, GROUP_ROWS);
    ASSERT_READS(m, &f, cases);
    rwl_metadata_free(plain);
    rwl_metadata_free(m);
}
END_TEST

/* --- constants --- */

START_TEST(what_is_the_same_in_every_row_is_all_or_nothing) {
    rwl_metadata *m = test_table(3, COLUMNS, "bucket(4, id), id");
    rwl_fragment f = write_plain(m);
    rwl_value partition[2] = {{.kind = RWL_TYPE_INT, .as.i32 = 3}, {.kind = RWL_TYPE_INT, .is_null = true}};
    f.partition = partition;
    f.partition_count = 2;
    const prune_case cases[] = {
        {"_last_updated_sequence_number = 9", "0+1500"},
        {"_last_updated_sequence_number > 9", ""},
        {"_spec_id = 0", "0+1500"},
        {"_spec_id = 1", ""},
        {"_file = 'elsewhere'", ""},
        {rwl_arena_printf(test_arena(), "_file = '%s'", f.location), "0+1500"},
        {"\"_partition.id_bucket\" = 3", "0+1500"},
        {"\"_partition.id_bucket\" = 2", ""},
        {"gone is null", "0+1500"},
        {"gone = 1", ""},
    };
    ASSERT_READS(m, &f, cases);
    rwl_metadata_free(m);
}
END_TEST

/* --- leaves of structs --- */

START_TEST(fields_of_structs_are_told_by_their_leaves) {
    static const prune_case cases[] = {
        {"\"s.a\" = 555", "500+100"},
        {"\"s.a\" >= 1450", "1400+100"},
        {"\"s.a\" = 1050", ""}, /* s is null there */
        {"\"s.a\" is null", "1000+100"},
        {"\"s.b.c\" = 'k777'", "0+100 700+100"}, /* texts: k0 to k99, and k700 to k799 */
        {"\"s.b.c\" is null", "1000+200"},       /* null by s, and by b: it is required itself */
        {"\"s.b.c\" is not null and id >= 1000", "1200+300"},
        {"\"s.a\" = 20 or \"s.b.c\" = 'k1499'", "0+200 1400+100"}, /* k100 to k199 */
    };
    rwl_metadata *m = test_table(3, COLUMNS, NULL);
    rwl_fragment f = write_plain(m);
    ASSERT_READS(m, &f, cases);
    rwl_metadata_free(m);
}
END_TEST

/* The column is read by its place at the top, whatever a struct before it has. */
START_TEST(an_id_that_stands_twice_tells_nothing) {
    static const prune_case cases[] = {{"id = 777", "0+1500"}, {"id = 9000", "0+1500"}};
    rwl_metadata *m = test_table(3, COLUMNS, NULL);
    rwl_field inside = {.name = "a", .id = 1, .type = rwl_type_of(RWL_TYPE_LONG)};
    rwl_field fields[2] = {{.name = "s", .id = 60, .type = rwl_type_of(RWL_TYPE_STRUCT)},
                           m->schema->fields[0]};
    fields[0].type.children = &inside;
    fields[0].type.child_count = 1;
    rwl_fragment f = write_file("twice.parquet", fields, 2, GROUP_ROWS);
    ASSERT_READS(m, &f, cases);
    rwl_metadata_free(m);
}
END_TEST

/* --- parts of a file --- */

static rwl_bitmap *every_seventh(void) {
    rwl_bitmap *deletes = NULL;
    ASSERT_OK(rwl_bitmap_new(test_env(), &deletes, err));
    for (int64_t i = 0; i < ROWS; i += 7)
        ASSERT_OK(rwl_bitmap_add(deletes, i, err));
    return deletes;
}

/* Rows of a part keep their positions, and parts that tile the file give each row once. */
START_TEST(bug_096_parts_of_a_file_give_every_row_once) {
    static const int64_t sizes[] = {1, 64, 100, 333, ROWS, 4000};
    rwl_metadata *m = test_table(3, COLUMNS, NULL);
    rwl_fragment f = write_plain(m);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int64_t next = 0;
        for (int64_t start = 0; start < ROWS; start += sizes[k]) {
            rwl_fragment_read_options options = {
                .fields = m->schema->fields, .field_count = 1, .rows = {start, sizes[k]}};
            int64_t end = start + sizes[k] < ROWS ? start + sizes[k] : ROWS;
            read_result got = read_where(m, &f, NULL, options, NULL);
            ck_assert_str_eq(got.rows,
                             rwl_arena_printf(test_arena(), "%" PRId64 "+%" PRId64, start, end - start));
            ck_assert_int_eq(start, next);
            next = end;
        }
        ck_assert_int_eq(next, ROWS);
    }
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_072_parts_filters_and_deletes_keep_physical_positions) {
    rwl_metadata *m = test_table(3, COLUMNS, NULL);
    rwl_fragment f = write_plain(m);
    rwl_fragment_read_options options = {.fields = m->schema->fields, .field_count = 1, .rows = {95, 10}};
    /* 98 is deleted (14 * 7); 105 too, but it is behind the part */
    ck_assert_str_eq(read_where(m, &f, NULL, options, every_seventh()).rows, "95+3 99+6");
    ck_assert_str_eq(read_where(m, &f, "id >= 100", options, every_seventh()).rows, "100+5");
    ck_assert_str_eq(read_where(m, &f, "_row_id = 300", options, every_seventh()).rows, "");
    options.rows = (rwl_range){ROWS - 1, 100};
    options.batch_rows = 1;
    ck_assert_str_eq(read_where(m, &f, NULL, options, NULL).rows, "1499+1");
    options.rows = (rwl_range){ROWS, 1};
    ck_assert_str_eq(read_where(m, &f, NULL, options, NULL).rows, "");
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_fragment_prune(void) {
    Suite *s = suite_create("fragment_prune");
    TCase *tc = tcase_create("fragment_prune");
    tcase_add_checked_fixture(tc, table_setup, table_teardown);
    tcase_add_test(tc, bug_007_row_ids_that_are_positions_leave_row_groups_out);
    tcase_add_test(tc, bug_004_rows_without_lineage_have_neither_id_nor_version);
    tcase_add_test(tc, a_large_row_group_is_read_in_part);
    tcase_add_test(tc, stored_lineage_tells_only_where_nothing_is_inherited);
    tcase_add_test(tc, a_mapped_name_is_no_stored_lineage);
    tcase_add_test(tc, an_id_that_stands_twice_tells_nothing);
    tcase_add_test(tc, what_is_the_same_in_every_row_is_all_or_nothing);
    tcase_add_test(tc, fields_of_structs_are_told_by_their_leaves);
    tcase_add_test(tc, bug_096_parts_of_a_file_give_every_row_once);
    tcase_add_test(tc, bug_072_parts_filters_and_deletes_keep_physical_positions);
    suite_add_tcase(s, tc);
    return s;
}
