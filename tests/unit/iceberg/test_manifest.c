/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests and manifest lists written and read back: ICE-33 to 50 as far as they are about our versions. */
#include "table_test.h"

/* ICE-42 to 48: record_count 1587, sequence number 34, first_row_id 100. */
enum { ROWS = 1587, SEQUENCE = 34, FIRST = 100 };
#define SNAPSHOT INT64_C(987134631982734)

static rwl_manifest_writer *open_writer(const rwl_metadata *m, int32_t content, const char *name) {
    rwl_manifest_writer_options options = {
        .format_version = m->format_version,
        .content = content,
        .schema = m->schema,
        .spec = m->spec,
        .snapshot_id = SNAPSHOT,
        .codec = RWL_CODEC_DEFLATE,
    };
    rwl_manifest_writer *w = NULL;
    ASSERT_OK(rwl_manifest_writer_open(test_store(), test_op(), test_path(name), &options, &w, err));
    return w;
}

static rwl_manifest finish(rwl_manifest_writer *w) {
    rwl_manifest m;
    ASSERT_OK(rwl_manifest_writer_finish(w, test_arena(), &m, err));
    return m;
}

static rwl_manifest_reader *open_reader(const rwl_metadata *metadata, const rwl_manifest *m) {
    rwl_manifest_reader *r = NULL;
    ASSERT_OK(rwl_manifest_reader_open(test_store(), test_op(), metadata, m, &r, err));
    return r;
}

static const rwl_manifest_entry *next(rwl_manifest_reader *r) {
    const rwl_manifest_entry *e = NULL;
    ASSERT_OK(rwl_manifest_reader_next(r, &e, err));
    return e;
}

static rwl_manifest two_added_files(const rwl_metadata *m) {
    rwl_manifest_writer *w = open_writer(m, 0, "m0.avro");
    rwl_data_file a = test_data_file("s3://b/a.parquet", ROWS, NULL, 0);
    rwl_data_file b = test_data_file("s3://b/b.parquet", ROWS, NULL, 0);
    a.has_first_row_id = a.stored_has_first_row_id = true; /* ICE-02: what the caller presets is dropped */
    a.first_row_id = a.stored_first_row_id = 1000;
    ASSERT_OK(rwl_manifest_writer_add(w, &a, -1, err));
    ASSERT_OK(rwl_manifest_writer_add(w, &b, -1, err));
    return finish(w);
}

static rwl_manifest committed(rwl_manifest m, bool assigned, int64_t first_row_id) {
    m.sequence_number = SEQUENCE;
    m.has_first_row_id = assigned;
    m.first_row_id = first_row_id;
    return m;
}

START_TEST(ice_42_uncommitted_manifest_has_no_sequence_number_and_explicit_first_row_id) {
    rwl_metadata *metadata = test_table(3, "id int", NULL);
    rwl_manifest m = two_added_files(metadata);
    ck_assert_int_eq(m.sequence_number, -1);
    ck_assert_int_eq(m.min_sequence_number, -1);
    m.has_first_row_id = true;
    m.first_row_id = FIRST;
    rwl_manifest_reader *r = open_reader(metadata, &m);
    const rwl_manifest_entry *e = next(r);
    ck_assert_int_eq(e->sequence_number, -1);
    ck_assert_int_eq(e->file.first_row_id, FIRST);
    ck_assert(!e->file.stored_has_first_row_id);
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(ice_43_44_entries_inherit_sequence_numbers_and_first_row_ids) {
    rwl_metadata *metadata = test_table(3, "id int", NULL);
    rwl_manifest m = committed(two_added_files(metadata), true, FIRST);
    ck_assert_int_eq(m.added_files, 2);
    ck_assert_int_eq(m.added_rows, 2 * ROWS);
    ck_assert_int_eq(m.unassigned_rows, 2 * ROWS);
    rwl_manifest_reader *r = open_reader(metadata, &m);
    const rwl_manifest_entry *e = next(r);
    ck_assert_int_eq(e->status, RWL_STATUS_ADDED);
    ck_assert_int_eq(e->snapshot_id, SNAPSHOT);
    ck_assert_int_eq(e->sequence_number, SEQUENCE);
    ck_assert_int_eq(e->file_sequence_number, SEQUENCE);
    ck_assert_int_eq(e->stored_sequence_number, -1);
    ck_assert_str_eq(e->file.file_path, "s3://b/a.parquet");
    ck_assert_int_eq(e->file.first_row_id, FIRST);
    e = next(r);
    ck_assert_int_eq(e->file.first_row_id, FIRST + ROWS);
    ck_assert_ptr_null(next(r));
    ck_assert_ptr_null(next(r));
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

static rwl_manifest one_existing_file(const rwl_metadata *m, int64_t first_row_id) {
    rwl_manifest_writer *w = open_writer(m, 0, "existing.avro");
    rwl_manifest_entry e;
    memset(&e, 0, sizeof e);
    e.snapshot_id = 7;
    e.sequence_number = 3;
    e.file_sequence_number = 5;
    e.file = test_data_file("s3://b/old.parquet", ROWS, NULL, 0);
    e.file.has_first_row_id = true;
    e.file.first_row_id = first_row_id;
    ASSERT_OK(rwl_manifest_writer_carry(w, &e, RWL_STATUS_EXISTING, err));
    e.file.file_path = "s3://b/gone.parquet";
    ASSERT_OK(rwl_manifest_writer_carry(w, &e, RWL_STATUS_DELETED, err));
    return finish(w);
}

START_TEST(ice_49_committed_manifest_without_first_row_id_makes_explicit_ones_null) {
    rwl_metadata *metadata = test_table(3, "id int", NULL);
    rwl_manifest m = committed(one_existing_file(metadata, 42), false, 0);
    rwl_manifest_reader *r = open_reader(metadata, &m);
    const rwl_manifest_entry *e = next(r);
    ck_assert(!e->file.has_first_row_id);
    ck_assert(e->file.stored_has_first_row_id);
    ck_assert_int_eq(e->file.stored_first_row_id, 42);
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(ice_50_uncommitted_manifest_keeps_explicit_first_row_id) {
    rwl_metadata *metadata = test_table(3, "id int", NULL);
    rwl_manifest m = one_existing_file(metadata, 42);
    ck_assert_int_eq(m.unassigned_rows, 0);
    ck_assert_int_eq(m.min_sequence_number, 3);
    rwl_manifest_reader *r = open_reader(metadata, &m);
    const rwl_manifest_entry *e = next(r);
    ck_assert(e->file.has_first_row_id);
    ck_assert_int_eq(e->file.first_row_id, 42);
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(carried_entries_keep_their_numbers_and_deleted_ones_get_the_commit) {
    rwl_metadata *metadata = test_table(3, "id int", NULL);
    rwl_manifest m = committed(one_existing_file(metadata, 42), true, 900);
    ck_assert_int_eq(m.existing_files, 1);
    ck_assert_int_eq(m.deleted_files, 1);
    ck_assert_int_eq(m.deleted_rows, ROWS);
    rwl_manifest_reader *r = open_reader(metadata, &m);
    const rwl_manifest_entry *e = next(r);
    ck_assert_int_eq(e->status, RWL_STATUS_EXISTING);
    ck_assert_int_eq(e->snapshot_id, 7);
    ck_assert_int_eq(e->sequence_number, 3);
    ck_assert_int_eq(e->file_sequence_number, 5);
    ck_assert_int_eq(e->file.first_row_id, 42);
    e = next(r);
    ck_assert_int_eq(e->status, RWL_STATUS_DELETED);
    ck_assert_int_eq(e->snapshot_id, SNAPSHOT);
    ck_assert_int_eq(e->sequence_number, 3);
    ck_assert_int_eq(e->file.first_row_id, 42);
    ck_assert_ptr_null(next(r));
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(explicit_sequence_number_is_kept_with_an_inherited_file_sequence_number) {
    rwl_metadata *metadata = test_table(3, "id int", NULL);
    rwl_manifest_writer *w = open_writer(metadata, 0, "m0.avro");
    rwl_data_file f = test_data_file("a", ROWS, NULL, 0);
    ASSERT_OK(rwl_manifest_writer_add(w, &f, 2, err));
    rwl_manifest m = finish(w);
    ck_assert_int_eq(m.min_sequence_number, 2);
    m = committed(m, true, FIRST);
    rwl_manifest_reader *r = open_reader(metadata, &m);
    const rwl_manifest_entry *e = next(r);
    ck_assert_int_eq(e->sequence_number, 2);
    ck_assert_int_eq(e->file_sequence_number, SEQUENCE);
    ck_assert_int_eq(e->stored_file_sequence_number, -1);
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(counts_that_differ_from_the_file_are_corrupt_and_both_are_named) {
    rwl_metadata *metadata = test_table(3, "id int", NULL);
    rwl_manifest m = committed(two_added_files(metadata), true, FIRST);
    m.added_files = 3;
    rwl_manifest_reader *r = open_reader(metadata, &m);
    const rwl_manifest_entry *e;
    ck_assert_ptr_nonnull(next(r));
    ck_assert_ptr_nonnull(next(r));
    ASSERT_FAILS(RWL_CORRUPT, "says 3 added and existing files, the manifest has 2",
                 rwl_manifest_reader_next(r, &e, err));
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(a_list_that_calls_a_data_manifest_deletes_is_corrupt) {
    rwl_metadata *metadata = test_table(3, "id int", NULL);
    rwl_manifest m = committed(two_added_files(metadata), false, 0);
    m.content = 1;
    rwl_manifest_reader *r = NULL;
    ASSERT_FAILS(RWL_CORRUPT, "content 1",
                 rwl_manifest_reader_open(test_store(), test_op(), metadata, &m, &r, err));
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(delete_vectors_keep_their_fields_and_have_no_first_row_id) {
    rwl_metadata *metadata = test_table(3, "id int", NULL);
    rwl_manifest_writer *w = open_writer(metadata, 1, "d.avro");
    rwl_data_file f = test_data_file("s3://b/x.puffin", 15, NULL, 0);
    f.content = RWL_CONTENT_POSITION_DELETES;
    f.file_format = "PUFFIN";
    f.referenced_data_file = "s3://b/a.parquet";
    f.content_offset = 4;
    f.content_size = 35;
    f.sort_order_id = -1;
    ASSERT_OK(rwl_manifest_writer_add(w, &f, -1, err));
    rwl_manifest m = committed(finish(w), false, 0);
    ck_assert_int_eq(m.content, 1);
    ck_assert_int_eq(m.unassigned_rows, 0);
    rwl_manifest_reader *r = open_reader(metadata, &m);
    const rwl_manifest_entry *e = next(r);
    ck_assert(!e->file.has_first_row_id);
    ck_assert_str_eq(e->file.referenced_data_file, "s3://b/a.parquet");
    ck_assert_int_eq(e->file.content_offset, 4);
    ck_assert_int_eq(e->file.content_size, 35);
    ck_assert_int_eq(e->file.sort_order_id, -1);
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

/* One partition field of each type; texts as the command line has them. */
static const struct {
    const char *type, *low, *high;
} PARTITION_CASES[] = {
    {"boolean", "false", "true"},
    {"int", "-2147483648", "2147483647"},
    {"long", "-9223372036854775808", "9223372036854775807"},
    {"float", "-1.5", "2.5"},
    {"double", "-1.5", "1e300"},
    {"decimal(9,2)", "-9999999.99", "14.20"},
    {"decimal(38,10)", "-0.0000000001", "9999999999999999999999999999.0000000001"},
    {"date", "1969-12-31", "2026-11-30"},
    {"time", "00:00:00.000000", "23:59:59.999999"},
    {"timestamp", "1969-12-31T23:59:59.999999", "2026-11-30T06:12:44.000001"},
    {"timestamptz", "1969-12-31T23:59:59.999999Z", "2026-11-30T06:12:44.000001Z"},
    {"timestamp_ns", "1969-12-31T23:59:59.999999999", "2026-11-30T06:12:44.000000001"},
    {"timestamptz_ns", "1969-12-31T23:59:59.999999999Z", "2026-11-30T06:12:44.000000001Z"},
    {"string", "", "\xc3\xa9t\xc3\xa9"},
    {"uuid", "00000000-0000-0000-0000-000000000001", "f79c3e09-677c-4bbd-a479-3f349cb785e7"},
    {"fixed[3]", "000102", "ff00ff"},
    {"binary", "00", "ffffff"},
};

static void assert_bound(const rwl_type *type, rwl_span bound, const rwl_value *want) {
    rwl_value got;
    ck_assert_ptr_nonnull(bound.data);
    ASSERT_OK(rwl_value_decode(type, bound, &got, err));
    ck_assert(rwl_value_equal(&got, want));
}

START_TEST(partition_values_of_every_type_survive_and_are_summarised) {
    const char *type_name = PARTITION_CASES[_i].type;
    rwl_metadata *metadata =
        test_table(3, rwl_arena_printf(test_arena(), "p %s, \"2-q\" %s", type_name, type_name), "p, \"2-q\"");
    rwl_type type = test_type(type_name);
    rwl_value low[2], high[2], null[2];
    for (int i = 0; i < 2; i++) {
        low[i] = test_value(&type, PARTITION_CASES[_i].low);
        high[i] = test_value(&type, PARTITION_CASES[_i].high);
        null[i] = rwl_value_null(type.kind);
    }
    rwl_manifest_writer *w = open_writer(metadata, 0, "p.avro");
    const rwl_value *tuples[] = {high, null, low};
    for (int i = 0; i < 3; i++) {
        rwl_data_file f = test_data_file("a", 1, tuples[i], 2);
        f.spec_id = metadata->spec->spec_id;
        ASSERT_OK(rwl_manifest_writer_add(w, &f, -1, err));
    }
    rwl_manifest m = committed(finish(w), true, 0);
    ck_assert_int_eq(m.partition_count, 2);
    ck_assert(m.partitions[1].contains_null);
    ck_assert_int_eq(m.partitions[1].contains_nan, 0);
    assert_bound(&type, m.partitions[1].lower, &low[1]);
    assert_bound(&type, m.partitions[1].upper, &high[1]);
    rwl_manifest_reader *r = open_reader(metadata, &m);
    for (int i = 0; i < 3; i++) {
        const rwl_manifest_entry *e = next(r);
        ck_assert_int_eq(e->file.partition_count, 2);
        ck_assert_int_eq((int)e->file.partition[1].kind, (int)type.kind);
        ck_assert(rwl_value_equal(&e->file.partition[0], &tuples[i][0]));
        ck_assert(rwl_value_equal(&e->file.partition[1], &tuples[i][1]));
    }
    ck_assert_ptr_null(next(r));
    rwl_manifest_reader_close(r);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(partition_summary_counts_nan_apart_and_keeps_signed_zeros) {
    rwl_metadata *metadata = test_table(2, "p double", "p");
    rwl_type type = rwl_type_of(RWL_TYPE_DOUBLE);
    const char *texts[] = {"NaN", "0.0", "-0.0"};
    rwl_manifest_writer *w = open_writer(metadata, 0, "p.avro");
    for (int i = 0; i < 3; i++) {
        rwl_value v = test_value(&type, texts[i]);
        rwl_data_file f = test_data_file("a", 1, &v, 1);
        f.spec_id = metadata->spec->spec_id;
        ASSERT_OK(rwl_manifest_writer_add(w, &f, -1, err));
    }
    rwl_manifest m = finish(w);
    ck_assert(!m.partitions[0].contains_null);
    ck_assert_int_eq(m.partitions[0].contains_nan, 1);
    rwl_value low = test_value(&type, "-0.0"), high = test_value(&type, "0.0");
    assert_bound(&type, m.partitions[0].lower, &low);
    assert_bound(&type, m.partitions[0].upper, &high);
    rwl_metadata_free(metadata);
}
END_TEST

/* An unknown transform, or a source column that no schema has any more. */
START_TEST(partition_values_of_an_unknown_type_are_refused_by_name) {
    rwl_metadata *metadata = test_table(3, "id int", "id");
    const rwl_type number = rwl_type_of(RWL_TYPE_INT), unknown = rwl_type_of(RWL_TYPE_UNKNOWN);
    rwl_manifest_writer_options options = {.format_version = 3,
                                           .schema = metadata->schema,
                                           .spec = metadata->spec,
                                           .snapshot_id = SNAPSHOT,
                                           .partition_types = &unknown,
                                           .codec = RWL_CODEC_DEFLATE};
    rwl_manifest_writer *w = NULL;
    ASSERT_OK(rwl_manifest_writer_open(test_store(), test_op(), test_path("u.avro"), &options, &w, err));
    rwl_value value = rwl_value_null(RWL_TYPE_UNKNOWN);
    rwl_data_file f = test_data_file("a", ROWS, &value, 1);
    ASSERT_OK(rwl_manifest_writer_add(w, &f, -1, err)); /* null has no type */
    value = test_value(&number, "5");
    ASSERT_FAILS(RWL_UNSUPPORTED, "partition field id", rwl_manifest_writer_add(w, &f, -1, err));
    rwl_manifest_writer_abort(w);
    rwl_metadata_free(metadata);
}
END_TEST

START_TEST(metrics_splits_and_equality_ids_survive) {
    rwl_metadata *metadata = test_table(2, "id int, s string", NULL);
    const rwl_metric_count counts[] = {{1, 100}, {2, INT64_C(1) << 40}};
    const rwl_metric_bound bounds[] = {{1, rwl_span_of("\1\0\0\0", 4)}, {2, rwl_span_of("", 0)}};
    const int64_t splits[] = {4, 1000};
    const int32_t ids[] = {1, 2};
    rwl_manifest_writer *w = open_writer(metadata, 1, "m.avro");
    rwl_data_file f = test_data_file("e", 3, NULL, 0);
    f.content = RWL_CONTENT_EQUALITY_DELETES;
    f.column_sizes = f.value_counts = f.null_counts = f.nan_counts = counts;
    f.column_size_count = f.value_count_count = f.null_count_count = f.nan_count_count = 2;
    f.lower_bounds = f.upper_bounds = bounds;
    f.lower_count = f.upper_count = 2;
    f.split_offsets = splits;
    f.split_count = 2;
    f.equality_ids = ids;
    f.equality_count = 2;
    f.key_metadata = rwl_span_of("key", 3);
    ASSERT_OK(rwl_manifest_writer_add(w, &f, -1, err));
    rwl_manifest m = committed(finish(w), false, 0);
    rwl_manifest_reader *r = open_reader(metadata, &m);
    rwl_data_file copy;
    ASSERT_OK(rwl_data_file_copy(test_arena(), &next(r)->file, true, &copy, err));
    rwl_manifest_reader_close(r);
    ck_assert_int_eq(copy.nan_count_count, 2);
    ck_assert_int_eq(copy.nan_counts[1].value, INT64_C(1) << 40);
    ck_assert_int_eq(copy.upper_count, 2);
    ck_assert(rwl_span_equal(copy.upper_bounds[0].value, bounds[0].value));
    ck_assert_ptr_nonnull(copy.upper_bounds[1].value.data);
    ck_assert_uint_eq(copy.upper_bounds[1].value.len, 0);
    ck_assert_int_eq(copy.split_offsets[1], 1000);
    ck_assert_int_eq(copy.equality_ids[1], 2);
    ck_assert(rwl_span_equal(copy.key_metadata, rwl_span_str("key")));
    rwl_metadata_free(metadata);
}
END_TEST

/* --- manifest lists: ICE-33 to 41 --- */

static rwl_manifest list_line(bool assigned) {
    static const rwl_field_summary SUMMARIES[] = {
        {false, -1, {(const uint8_t *)"\x0a\0\0\0", 4}, {(const uint8_t *)"\x64\0\0\0", 4}},
        {true, 0, {(const uint8_t *)"\x14\0\0\0", 4}, {(const uint8_t *)"\xc8\0\0\0", 4}},
    };
    rwl_manifest m;
    memset(&m, 0, sizeof m);
    m.path = "s3://bucket/table/m1.avro";
    m.length = 1024;
    m.spec_id = 1;
    m.sequence_number = 34;
    m.min_sequence_number = 10;
    m.added_snapshot_id = SNAPSHOT;
    m.added_files = 2;
    m.existing_files = 343;
    m.deleted_files = 1;
    m.added_rows = 5292;
    m.existing_rows = 857273;
    m.deleted_rows = 22910;
    m.partitions = SUMMARIES;
    m.partition_count = 2;
    m.has_first_row_id = assigned;
    m.first_row_id = 100;
    return m;
}

static rwl_manifest_list write_list(int32_t version, const rwl_manifest *lines, int32_t count) {
    rwl_manifest_list_options options = {version, SNAPSHOT, 1, 34, 130};
    rwl_snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot);
    snapshot.manifest_list = test_path("snap.avro");
    ASSERT_OK(rwl_manifest_list_write(test_store(), test_op(), snapshot.manifest_list, lines, count, &options,
                                      err));
    rwl_manifest_list list;
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), &snapshot, &list, err));
    return list;
}

static void assert_line(const rwl_manifest *m) {
    ck_assert_str_eq(m->path, "s3://bucket/table/m1.avro");
    ck_assert_int_eq(m->length, 1024);
    ck_assert_int_eq(m->spec_id, 1);
    ck_assert_int_eq(m->content, 0);
    ck_assert_int_eq(m->sequence_number, 34);
    ck_assert_int_eq(m->min_sequence_number, 10);
    ck_assert_int_eq(m->added_snapshot_id, SNAPSHOT);
    ck_assert_int_eq(m->added_files, 2);
    ck_assert_int_eq(m->existing_files, 343);
    ck_assert_int_eq(m->deleted_files, 1);
    ck_assert_int_eq(m->added_rows, 5292);
    ck_assert_int_eq(m->existing_rows, 857273);
    ck_assert_int_eq(m->deleted_rows, 22910);
}

START_TEST(ice_35_v2_list_has_no_first_row_id) {
    rwl_manifest m = list_line(true);
    rwl_manifest_list list = write_list(2, &m, 1);
    ck_assert_int_eq(list.count, 1);
    assert_line(&list.items[0]);
    ck_assert(!list.items[0].has_first_row_id);
    rwl_manifest_list_clear(&list);
}
END_TEST

START_TEST(ice_36_v3_list_keeps_a_first_row_id) {
    rwl_manifest m = list_line(true);
    rwl_manifest_list list = write_list(3, &m, 1);
    assert_line(&list.items[0]);
    ck_assert(list.items[0].has_first_row_id);
    ck_assert_int_eq(list.items[0].first_row_id, 100);
    rwl_manifest_list_clear(&list);
}
END_TEST

START_TEST(v3_list_refuses_an_unassigned_data_manifest) {
    rwl_manifest m = list_line(false);
    rwl_manifest_list_options options = {3, SNAPSHOT, 1, 34, 130};
    ASSERT_FAILS(
        RWL_INTERNAL, "no first_row_id",
        rwl_manifest_list_write(test_store(), test_op(), test_path("snap.avro"), &m, 1, &options, err));
    rwl_stat st;
    ASSERT_FAILS(RWL_NOT_FOUND, "",
                 rwl_store_stat(test_store(), test_op(), test_path("snap.avro"), &st, err));
}
END_TEST

START_TEST(list_writer_needs_counts) {
    rwl_manifest m = list_line(true);
    m.existing_rows = -1;
    rwl_manifest_list_options options = {3, SNAPSHOT, 1, 34, 130};
    ASSERT_FAILS(
        RWL_INTERNAL, "no counts",
        rwl_manifest_list_write(test_store(), test_op(), test_path("snap.avro"), &m, 1, &options, err));
}
END_TEST

START_TEST(delete_manifests_have_no_first_row_id_and_unassigned_numbers_become_the_commits) {
    rwl_manifest m = list_line(true);
    m.content = 1;
    m.sequence_number = m.min_sequence_number = -1;
    rwl_manifest_list list = write_list(3, &m, 1);
    ck_assert_int_eq(list.items[0].content, 1);
    ck_assert(!list.items[0].has_first_row_id);
    ck_assert_int_eq(list.items[0].sequence_number, 34);
    ck_assert_int_eq(list.items[0].min_sequence_number, 34);
    rwl_manifest_list_clear(&list);
}
END_TEST

START_TEST(ice_41_partition_summaries_survive) {
    rwl_manifest m = list_line(true);
    rwl_manifest_list list = write_list(3, &m, 1);
    const rwl_manifest *got = &list.items[0];
    ck_assert_int_eq(got->partition_count, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(got->partitions[i].contains_null, m.partitions[i].contains_null);
        ck_assert_int_eq(got->partitions[i].contains_nan, m.partitions[i].contains_nan);
        ck_assert(rwl_span_equal(got->partitions[i].lower, m.partitions[i].lower));
        ck_assert(rwl_span_equal(got->partitions[i].upper, m.partitions[i].upper));
    }
    rwl_manifest_list_clear(&list);
}
END_TEST

/* Lists of v1: no content, no sequence numbers, counts null or absent (ICE-40), old field names. */
static const char V1_LIST[] =
    "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":["
    "{\"name\":\"manifest_path\",\"type\":\"string\",\"field-id\":500},"
    "{\"name\":\"manifest_length\",\"type\":\"long\",\"field-id\":501},"
    "{\"name\":\"partition_spec_id\",\"type\":\"int\",\"field-id\":502},"
    "{\"name\":\"added_snapshot_id\",\"type\":[\"null\",\"long\"],\"default\":null,\"field-id\":503},"
    "{\"name\":\"added_data_files_count\",\"type\":[\"null\",\"int\"],\"default\":null,\"field-id\":504}]}";

START_TEST(ice_40_v1_list_reads_with_unknown_counts_and_sequence_number_0) {
    rwl_avro_writer *w = NULL;
    rwl_snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot);
    snapshot.manifest_list = test_path("v1.avro");
    ASSERT_OK(rwl_avro_writer_open(test_store(), test_op(), snapshot.manifest_list, V1_LIST, NULL, 0,
                                   RWL_CODEC_NONE, 0, &w, err));
    rwl_buf *b = rwl_avro_writer_record(w);
    ASSERT_OK(rwl_avro_put_bytes(b, rwl_span_str("m.avro"), err));
    ASSERT_OK(rwl_avro_put_long(b, 99, err));
    ASSERT_OK(rwl_avro_put_long(b, 0, err));
    ASSERT_OK(rwl_avro_put_long(b, 1, err));
    ASSERT_OK(rwl_avro_put_long(b, 77, err));
    ASSERT_OK(rwl_avro_put_long(b, 1, err));
    ASSERT_OK(rwl_avro_put_long(b, 2, err));
    ASSERT_OK(rwl_avro_writer_end_record(w, err));
    int64_t size;
    ASSERT_OK(rwl_avro_writer_finish(w, &size, err));
    rwl_manifest_list list;
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), &snapshot, &list, err));
    const rwl_manifest *m = &list.items[0];
    ck_assert_int_eq(m->added_snapshot_id, 77);
    ck_assert_int_eq(m->sequence_number, 0);
    ck_assert_int_eq(m->content, 0);
    ck_assert_int_eq(m->added_files, 2);
    ck_assert_int_eq(m->existing_files, -1);
    ck_assert_int_eq(m->added_rows, -1);
    ck_assert(!m->has_first_row_id);
    ck_assert_ptr_null(m->partitions);
    rwl_manifest_list_clear(&list);
}
END_TEST

Suite *suite_manifest(void) {
    Suite *s = suite_create("manifest");
    TCase *t = tcase_create("manifest");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, ice_42_uncommitted_manifest_has_no_sequence_number_and_explicit_first_row_id);
    tcase_add_test(t, ice_43_44_entries_inherit_sequence_numbers_and_first_row_ids);
    tcase_add_test(t, ice_49_committed_manifest_without_first_row_id_makes_explicit_ones_null);
    tcase_add_test(t, ice_50_uncommitted_manifest_keeps_explicit_first_row_id);
    tcase_add_test(t, carried_entries_keep_their_numbers_and_deleted_ones_get_the_commit);
    tcase_add_test(t, explicit_sequence_number_is_kept_with_an_inherited_file_sequence_number);
    tcase_add_test(t, counts_that_differ_from_the_file_are_corrupt_and_both_are_named);
    tcase_add_test(t, a_list_that_calls_a_data_manifest_deletes_is_corrupt);
    tcase_add_test(t, delete_vectors_keep_their_fields_and_have_no_first_row_id);
    tcase_add_loop_test(t, partition_values_of_every_type_survive_and_are_summarised, 0,
                        sizeof PARTITION_CASES / sizeof PARTITION_CASES[0]);
    tcase_add_test(t, partition_summary_counts_nan_apart_and_keeps_signed_zeros);
    tcase_add_test(t, partition_values_of_an_unknown_type_are_refused_by_name);
    tcase_add_test(t, metrics_splits_and_equality_ids_survive);
    tcase_add_test(t, ice_35_v2_list_has_no_first_row_id);
    tcase_add_test(t, ice_36_v3_list_keeps_a_first_row_id);
    tcase_add_test(t, v3_list_refuses_an_unassigned_data_manifest);
    tcase_add_test(t, list_writer_needs_counts);
    tcase_add_test(t, delete_manifests_have_no_first_row_id_and_unassigned_numbers_become_the_commits);
    tcase_add_test(t, ice_41_partition_summaries_survive);
    tcase_add_test(t, ice_40_v1_list_reads_with_unknown_counts_and_sequence_number_0);
    suite_add_tcase(s, t);
    return s;
}
