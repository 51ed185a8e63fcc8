/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row lineage read from Parquet files: cases 60, 64 to 66 and X4 of the Iceberg reference. The reader gives
 * physical positions and the stored columns, lineage/inherit makes ids and versions of them.
 */
#include "suites.h"
#include "writer_support.h"

#include "lineage/inherit.h"

enum { DATA, ROW_ID, VERSION, FIELDS };
enum { GROUPS_MAX = 64 };

static rwl_field fields[FIELDS];

static void set_fields(void) {
    fields[DATA] = (rwl_field){.name = "data", .id = 1, .type = rwl_type_of(RWL_TYPE_LONG)};
    fields[ROW_ID] =
        (rwl_field){.name = RWL_COLUMN_ROW_ID, .id = RWL_FIELD_ID_ROW_ID, .type = rwl_type_of(RWL_TYPE_LONG)};
    fields[VERSION] = (rwl_field){
        .name = RWL_COLUMN_LAST_UPDATED, .id = RWL_FIELD_ID_LAST_UPDATED, .type = rwl_type_of(RWL_TYPE_LONG)};
}

static void append_long(rwl_column *c, int64_t v) {
    rwl_value value = rwl_value_null(RWL_TYPE_LONG);
    value.is_null = v < 0;
    value.as.i64 = v < 0 ? 0 : v;
    write_ok(rwl_column_append(c, &writer_env, &value, 1, &writer_error));
}

/* Writes `rows` rows; negative ids and versions are null. `count` of the fields. */
static void write_file(int count, int64_t rows, int64_t row_group_bytes, int64_t (*id)(int64_t),
                       int64_t (*version)(int64_t)) {
    rwl_batch batch;
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    rwl_parquet_write_options o = {
        .dictionary_bytes = -1, .row_group_bytes = row_group_bytes, .page_rows = 37};
    set_fields();
    write_ok(rwl_batch_init(&batch, &writer_env, fields, count, &writer_error));
    write_ok(
        rwl_parquet_writer_open(writer_store, &writer_op, writer_path, fields, count, &o, &w, &writer_error));
    for (int64_t i = 0; i < rows; i++) {
        append_long(&batch.columns[DATA], i);
        if (count > ROW_ID)
            append_long(&batch.columns[ROW_ID], id(i));
        if (count > VERSION)
            append_long(&batch.columns[VERSION], version(i));
        batch.length++;
    }
    write_ok(rwl_parquet_writer_write(w, &batch, &writer_error));
    write_ok(rwl_parquet_writer_finish(w, &written, &writer_error));
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
}

typedef struct seen_row {
    int64_t data, id, version;
} seen_row;

/* Reads everything; null ids and versions are -1. Returns the number of rows. */
static int64_t read_lineage(const rwl_inherit_file *from, int64_t batch_rows, const bool *skip,
                            int64_t first_row, seen_row *out) {
    rwl_parquet_file *file;
    rwl_parquet_reader *r;
    rwl_batch batch;
    int32_t leaves[FIELDS], count = 0, id_at = -1, version_at = -1;
    rwl_field projected[FIELDS];
    rwl_range kept[GROUPS_MAX];
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, -1, &file, &writer_error));
    for (int32_t f = 0; f < FIELDS; f++) {
        const rwl_parquet_leaf *leaf = rwl_parquet_leaf_by_id(file, fields[f].id);
        if (!leaf)
            continue;
        id_at = f == ROW_ID ? count : id_at;
        version_at = f == VERSION ? count : version_at;
        projected[count] = leaf->field;
        leaves[count++] = leaf->column;
    }
    rwl_parquet_read_options o = {.nodes = leaves,
                                  .node_count = count,
                                  .row_count = -1,
                                  .batch_rows = batch_rows,
                                  .ranges = skip ? kept : NULL,
                                  .first_row = first_row};
    for (int32_t g = 0; skip && g < file->group_count; g++)
        if (!skip[g])
            kept[o.range_count++] = (rwl_range){file->groups[g].first_row, file->groups[g].row_count};
    write_ok(rwl_batch_init(&batch, &writer_env, projected, count, &writer_error));
    write_ok(rwl_parquet_reader_new(writer_store, &writer_op, file, &o, &r, &writer_error));
    int64_t rows = 0;
    for (;;) {
        int64_t pos;
        write_ok(rwl_parquet_reader_next(r, &batch, &pos, &writer_error));
        if (batch.length == 0)
            break;
        rwl_runs ids, versions;
        rwl_runs_init(&ids, &writer_env, 1);
        rwl_runs_init(&versions, &writer_env, 0);
        rwl_inherit_stored stored = {id_at < 0 ? NULL : &batch.columns[id_at],
                                     version_at < 0 ? NULL : &batch.columns[version_at]};
        write_ok(rwl_inherit_rows(from, pos, batch.length, &stored, 0, &ids, &versions, &writer_error));
        for (int64_t i = 0; i < batch.length; i++, rows++) {
            out[rows].data = rwl_column_i64(&batch.columns[0])[i];
            if (!rwl_runs_get(&ids, i, &out[rows].id))
                out[rows].id = -1;
            if (!rwl_runs_get(&versions, i, &out[rows].version))
                out[rows].version = -1;
        }
        rwl_runs_clear(&ids);
        rwl_runs_clear(&versions);
    }
    rwl_parquet_reader_free(r);
    rwl_parquet_close(file);
    rwl_batch_clear(&batch);
    return rows;
}

static int64_t id_60(int64_t i) {
    return i == 2 ? 1000 : i == 3 ? 1001 : -1;
}
static int64_t version_60(int64_t i) {
    return i == 2 ? 33 : -1;
}

START_TEST(ice_60_stored_lineage_falls_back_to_constants) {
    static const int64_t ids[] = {2000, 2001, 1000, 1001, 2004}, versions[] = {34, 34, 33, 34, 34};
    rwl_inherit_file from = {.first_row_id = {true, 2000}, .data_sequence_number = 34};
    seen_row got[5];
    write_file(FIELDS, 5, 0, id_60, version_60);
    for (int64_t batch_rows = 1; batch_rows <= 5; batch_rows++) {
        ck_assert_int_eq(read_lineage(&from, batch_rows, NULL, 0, got), 5);
        for (int i = 0; i < 5; i++) {
            ck_assert_int_eq(got[i].id, ids[i]);
            ck_assert_int_eq(got[i].version, versions[i]);
        }
    }
    from.first_row_id = (rwl_opt_i64){false, 0}; /* law 5: null whatever is stored */
    ck_assert_int_eq(read_lineage(&from, 5, NULL, 0, got), 5);
    for (int i = 0; i < 5; i++)
        ck_assert(got[i].id == -1 && got[i].version == -1);
}
END_TEST

START_TEST(ice_64_missing_columns_come_from_base_and_position) {
    enum { ROWS = 250 };
    rwl_inherit_file from = {.first_row_id = {true, 100}, .data_sequence_number = 5};
    seen_row got[ROWS];
    write_file(1, ROWS, 1000, NULL, NULL);
    ck_assert_int_eq(read_lineage(&from, 33, NULL, 0, got), ROWS);
    for (int64_t i = 0; i < ROWS; i++)
        ck_assert(got[i].id == 100 + i && got[i].version == 5);
}
END_TEST

static int64_t id_65(int64_t i) {
    return i % 2 == 0 ? 555 + i : -1;
}
static int64_t version_65(int64_t i) {
    return i % 2 == 0 ? 7 : -1;
}

START_TEST(ice_65_even_rows_stored_odd_rows_inherited) {
    enum { ROWS = 250 };
    rwl_inherit_file from = {.first_row_id = {true, 100}, .data_sequence_number = 5};
    seen_row got[ROWS];
    write_file(FIELDS, ROWS, 1000, id_65, version_65);
    ck_assert_int_eq(read_lineage(&from, 33, NULL, 0, got), ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        ck_assert_int_eq(got[i].id, i % 2 == 0 ? 555 + i : 100 + i);
        ck_assert_int_eq(got[i].version, i % 2 == 0 ? 7 : 5);
    }
}
END_TEST

START_TEST(ice_66_batches_start_at_base_plus_their_rows) {
    enum { ROWS = 240, BATCH = 60 };
    rwl_inherit_file from = {.first_row_id = {true, 100}, .data_sequence_number = 5};
    seen_row got[ROWS];
    write_file(1, ROWS, 0, NULL, NULL);
    ck_assert_int_eq(read_lineage(&from, BATCH, NULL, 0, got), ROWS);
    for (int64_t b = 0; b < ROWS / BATCH; b++) {
        ck_assert_int_eq(got[b * BATCH].id, 100 + b * BATCH);
        ck_assert_int_eq(got[(b + 1) * BATCH - 1].id, 100 + (b + 1) * BATCH - 1);
    }
}
END_TEST

START_TEST(ice_x4_skipped_row_groups_do_not_shift_positions) {
    enum { ROWS = 400 };
    bool skip[GROUPS_MAX] = {false};
    rwl_inherit_file from = {.first_row_id = {true, 5000}, .data_sequence_number = 5};
    seen_row got[ROWS];
    rwl_parquet_file *file;
    write_file(1, ROWS, 600, NULL, NULL);
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, -1, &file, &writer_error));
    ck_assert(file->group_count >= 4 && file->group_count <= GROUPS_MAX);
    for (int32_t g = 0; g < file->group_count; g += 2)
        skip[g] = true;
    int64_t count = read_lineage(&from, 33, skip, 0, got), n = 0;
    for (int32_t g = 1; g < file->group_count; g += 2)
        for (int64_t i = 0; i < file->groups[g].row_count; i++, n++) {
            int64_t pos = file->groups[g].first_row + i;
            ck_assert(got[n].data == pos && got[n].id == 5000 + pos);
        }
    ck_assert_int_eq(count, n);
    rwl_parquet_close(file);
    /* from a row in the middle of a group and of a page */
    ck_assert_int_eq(read_lineage(&from, 33, NULL, 151, got), ROWS - 151);
    for (int64_t i = 0; i < ROWS - 151; i++)
        ck_assert(got[i].data == 151 + i && got[i].id == 5000 + 151 + i);
}
END_TEST

Suite *reader_lineage_suite(void) {
    Suite *s = suite_create("reader_lineage");
    TCase *t = tcase_create("lineage");
    tcase_add_checked_fixture(t, writer_setup, writer_teardown);
    tcase_add_test(t, ice_60_stored_lineage_falls_back_to_constants);
    tcase_add_test(t, ice_64_missing_columns_come_from_base_and_position);
    tcase_add_test(t, ice_65_even_rows_stored_odd_rows_inherited);
    tcase_add_test(t, ice_66_batches_start_at_base_plus_their_rows);
    tcase_add_test(t, ice_x4_skipped_row_groups_do_not_shift_positions);
    suite_add_tcase(s, t);
    return s;
}
