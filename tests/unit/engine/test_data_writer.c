/* SPDX-License-Identifier: Apache-2.0 */
/* Data files: split by partition, closed by size or rows, described exactly, removed when they are not wanted. */
#include "engine_test.h"
#include "suites.h"

#include "parquet/file.h"
#include "storage/test_store.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct writing {
    rwl_table *t;
    rwl_data_files *files;
    rwl_data_writer *w;
    rwl_batch batch;
} writing;

static writing start(const char *schema, const char *partition, const rwl_data_files_options *options) {
    writing x;
    test_create("t", 3, schema, partition, NULL);
    x.t = test_open("t");
    rwl_data_files_options o = options != NULL ? *options : (rwl_data_files_options){0};
    o.metadata = x.t->metadata;
    o.operation_id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    ASSERT_OK(rwl_data_files_new(x.t->store, test_op(), &o, &x.files, err));
    ASSERT_OK(rwl_data_writer_new(x.files, &x.w, err));
    ASSERT_OK(rwl_batch_init(&x.batch, test_env(), x.t->schema->fields, x.t->schema->field_count, err));
    return x;
}

static void stop(writing *x) {
    rwl_data_writer_free(x->w);
    rwl_data_files_free(x->files);
    rwl_batch_clear(&x->batch);
    test_close(x->t);
}

/* Rows (long id, string name): name "null" is null. */
static void add(writing *x, int64_t id, const char *name) {
    rwl_value a = {.kind = RWL_TYPE_LONG, .as.i64 = id};
    rwl_value b = strcmp(name, "null") == 0
                      ? rwl_value_null(RWL_TYPE_STRING)
                      : (rwl_value){.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str(name)};
    ASSERT_OK(rwl_column_append(&x->batch.columns[0], test_env(), &a, 1, err));
    ASSERT_OK(rwl_column_append(&x->batch.columns[1], test_env(), &b, 1, err));
    x->batch.length++;
}

static void write_batch(writing *x) {
    ASSERT_OK(rwl_data_writer_write(x->w, &x->batch, NULL, NULL, err));
    rwl_batch_reset(&x->batch);
}

static const rwl_added_file *finish(writing *x, size_t *count) {
    ASSERT_OK(rwl_data_writer_finish(x->w, err));
    return rwl_data_files_list(x->files, count);
}

static int64_t size_of(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

START_TEST(rows_go_to_the_file_of_their_partition) {
    writing x = start("id long, name string", "name", NULL);
    add(&x, 1, "x");
    add(&x, 2, "null");
    add(&x, 3, "y");
    add(&x, 4, "x");
    add(&x, 5, "null");
    write_batch(&x);
    add(&x, 6, "y");
    write_batch(&x);
    size_t count;
    const rwl_added_file *files = finish(&x, &count);
    ck_assert_uint_eq(count, 3);
    static const struct {
        const char *name, *folder;
        int64_t rows, null_names;
    } wanted[] = {
        {"x", "/data/name=x/", 2, 0}, {NULL, "/data/name=null/", 2, 2}, {"y", "/data/name=y/", 2, 0}};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(files[i].row_count, wanted[i].rows);
        ck_assert_ptr_nonnull(strstr(files[i].location, wanted[i].folder));
        ck_assert_int_eq(files[i].partition_count, 1);
        ck_assert_int_eq(files[i].partition[0].is_null, wanted[i].name == NULL);
        if (wanted[i].name != NULL)
            ck_assert(rwl_span_equal(files[i].partition[0].as.bytes, rwl_span_str(wanted[i].name)));
        ck_assert_int_eq(files[i].file_size, size_of(files[i].location));
        ck_assert_int_eq(files[i].metrics[1].null_count, wanted[i].null_names);
        ck_assert(!files[i].lineage.present);
    }
    stop(&x);
}
END_TEST

START_TEST(names_of_files_are_all_different_and_sort_by_number) {
    rwl_data_files_options o = {.target_rows = 1, .sequence = 7};
    writing x = start("id long, name string", NULL, &o);
    for (int i = 0; i < 5; i++)
        add(&x, i, "a");
    write_batch(&x);
    size_t count;
    const rwl_added_file *files = finish(&x, &count);
    ck_assert_uint_eq(count, 5);
    for (size_t i = 0; i < 5; i++) {
        const char *name = rwl_arena_printf(
            test_arena(), "/data/00007-0-0f8fad5b-d9cb-469f-a165-70867728950e-%05zu.parquet", i + 1);
        ck_assert_ptr_nonnull(strstr(files[i].location, name));
    }
    stop(&x);
}
END_TEST

START_TEST(files_are_closed_at_exactly_the_rows_wanted) {
    rwl_data_files_options o = {.target_rows = 4};
    writing x = start("id long, name string", NULL, &o);
    for (int i = 0; i < 10; i++) {
        add(&x, i, "a");
        if (i % 3 == 2)
            write_batch(&x);
    }
    write_batch(&x);
    size_t count;
    const rwl_added_file *files = finish(&x, &count);
    static const int64_t wanted[] = {4, 4, 2};
    ck_assert_uint_eq(count, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(files[i].row_count, wanted[i]);
    stop(&x);
}
END_TEST

/* Text that hardly packs: files stay near the size, looked at every 8,192 rows of about 40 bytes. */
START_TEST(files_are_closed_near_the_size_wanted) {
    rwl_data_files_options o = {.target_bytes = 1 << 20};
    writing x = start("id long, name string", NULL, &o);
    for (int64_t i = 0; i < 100000; i++) {
        char text[40];
        sprintf(text, "%016llx%016llx", (unsigned long long)i * 0x9E3779B97F4A7C15ull,
                (unsigned long long)i * 0xC2B2AE3D27D4EB4Full);
        add(&x, i, text);
        if (x.batch.length == 50000)
            write_batch(&x);
    }
    size_t count;
    const rwl_added_file *files = finish(&x, &count);
    ck_assert_uint_ge(count, 2);
    int64_t rows = 0;
    for (size_t i = 0; i < count; i++) {
        rows += files[i].row_count;
        ck_assert_int_eq(files[i].file_size, size_of(files[i].location));
        ck_assert_msg(files[i].file_size < (3 << 20) / 2, "file %zu has %lld bytes", i,
                      (long long)files[i].file_size);
        if (i + 1 < count)
            ck_assert_msg(files[i].file_size > 1 << 19, "file %zu has %lld bytes", i,
                          (long long)files[i].file_size);
    }
    ck_assert_int_eq(rows, 100000);
    stop(&x);
}
END_TEST

/* More partitions than files may be open at once: some are closed and started again, nothing is lost. */
START_TEST(seventy_partitions_at_once) {
    writing x = start("id long, name string", "name", NULL);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 70; i++)
            add(&x, round * 70 + i, rwl_arena_printf(test_arena(), "p%02d", i));
        write_batch(&x);
    }
    size_t count;
    const rwl_added_file *files = finish(&x, &count);
    ck_assert_uint_ge(count, 70);
    int64_t rows = 0, of_partition[70] = {0};
    for (size_t i = 0; i < count; i++) {
        rows += files[i].row_count;
        rwl_span name = files[i].partition[0].as.bytes;
        ck_assert_uint_eq(name.len, 3);
        of_partition[(name.data[1] - '0') * 10 + name.data[2] - '0'] += files[i].row_count;
        ck_assert_int_eq(files[i].file_size, size_of(files[i].location));
    }
    ck_assert_int_eq(rows, 210);
    for (int i = 0; i < 70; i++)
        ck_assert_int_eq(of_partition[i], 3);
    rwl_change_set change = {.operation = RWL_OPERATION_APPEND,
                             .planned_snapshot_id = -1,
                             .data_sequence_number = -1,
                             .added_files = files,
                             .added_file_count = count};
    rwl_commit_outcome out;
    ASSERT_OK(try_commit(x.t, &change, &out, err));
    rwl_data_files_release(x.files);
    stop(&x);
    const char *ids = test_sorted(test_values("t", "id"));
    ck_assert_uint_eq(strlen(ids), 10 + 90 * 2 + 110 * 3 + 209);
}
END_TEST

START_TEST(transforms_of_partitions_are_applied) {
    test_create("t", 3, "id long, ts timestamptz, s string", "day(ts), bucket(16, id), truncate(2, s)", NULL);
    test_append(
        "t", "{'id':34,'ts':'2017-11-16T22:31:08.000001+00:00','s':'iceberg'}\n{'id':34,'ts':null,'s':null}");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 2);
    for (int32_t i = 0; i < 2; i++) {
        const rwl_data_file *f = &test_live(&head, i)->file;
        ck_assert_int_eq(f->partition[1].as.i32, 2017239379 % 16); /* hash of 34, appendix B */
        if (f->partition[0].is_null) {
            ck_assert(f->partition[2].is_null);
            ck_assert_ptr_nonnull(strstr(f->file_path, "ts_day=null/id_bucket=3/s_trunc=null/"));
        } else {
            ck_assert_int_eq(f->partition[0].as.i32, 17486); /* days from 1970-01-01 to 2017-11-16 */
            ck_assert(rwl_span_equal(f->partition[2].as.bytes, rwl_span_str("ic")));
            ck_assert_ptr_nonnull(strstr(f->file_path, "ts_day=2017-11-16/id_bucket=3/s_trunc=ic/"));
        }
    }
}
END_TEST

/* Batches that each are of one partition, as files of an older spec give them. Without the budget 48 files would hold 1 MiB
 * of random numbers each; a quarter of 64 MB is theirs. */
START_TEST(open_files_keep_to_their_part_of_the_budget) {
    test_op()->memory_limit = 64 << 20;
    writing x = start("p long, a long, b long", "p", NULL);
    uint64_t random = 1;
    test_count_memory();
    for (int64_t p = 0; p < 48; p++) {
        rwl_value v = {.kind = RWL_TYPE_LONG, .as.i64 = p};
        ASSERT_OK(rwl_column_append(&x.batch.columns[0], test_env(), &v, RWL_BATCH_ROWS, err));
        for (int32_t c = 1; c < 3; c++)
            for (int32_t row = 0; row < RWL_BATCH_ROWS; row++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                v.as.i64 = (int64_t)(random ^ random >> 31);
                ASSERT_OK(rwl_column_append(&x.batch.columns[c], test_env(), &v, 1, err));
            }
        x.batch.length = RWL_BATCH_ROWS;
        write_batch(&x);
    }
    size_t count;
    finish(&x, &count);
    ck_assert_uint_eq(count, 48);
    ck_assert_int_lt(test_peak_memory(), 32 << 20);
    stop(&x);
}
END_TEST

/* A field of structs as source: null where a struct above it is, told apart from its other rows; by streaming and by
 * stitching; found again by a filter. */
START_TEST(fields_of_structs_are_partitioned_by) {
    test_create("t", 3, "id long, event struct<ts: timestamptz, at: struct<place: string>>",
                "day(event.ts), event.at.place", NULL);
    const char *rows = "{'id':1,'event':{'ts':'2017-11-16T22:31:08+00:00','at':{'place':'x'}}}\n"
                       "{'id':2,'event':null}\n"
                       "{'id':3,'event':{'ts':'2017-11-17T00:00:00+00:00','at':null}}\n"
                       "{'id':4,'event':{'ts':'2017-11-16T00:00:00+00:00','at':{'place':'x'}}}\n"
                       "{'id':5,'event':{'ts':null,'at':{'place':null}}}";
    test_append("t", rows);
    test_append("t", rows);
    ck_assert_int_eq(test_read_head("t").data_files, 6);
    for (int how = 0; how < 3; how++) { /* as appended, copied, sorted */
        rwl_rewrite_options options = {.rewrite_all = true, .sort = how == 2 ? "event.ts desc" : NULL};
        if (how > 0)
            test_rewrite("t", &options);
        test_head head = test_read_head("t");
        ck_assert_int_eq(head.data_files, how == 0 ? 6 : 3);
        for (int32_t i = 0; i < head.data_files; i++) {
            const rwl_data_file *f = &test_live(&head, i)->file;
            const char *folder = f->partition[0].is_null   ? "/event.ts_day=null/event.at.place=null/"
                                 : f->partition[1].is_null ? "/event.ts_day=2017-11-17/event.at.place=null/"
                                                           : "/event.ts_day=2017-11-16/event.at.place=x/";
            ck_assert_msg(strstr(f->file_path, folder) != NULL, "%s is not in %s", f->file_path, folder);
        }
        ck_assert_str_eq(test_sorted(test_values("t", "id")), "1 1 2 2 3 3 4 4 5 5");
    }
}
END_TEST

START_TEST(nan_and_signed_zero_have_partitions_of_their_own) {
    test_create("t", 3, "id long, d double", "d", NULL);
    test_append(
        "t", "{'id':1,'d':'NaN'}\n{'id':2,'d':0.0}\n{'id':3,'d':-0.0}\n{'id':4,'d':'NaN'}\n{'id':5,'d':0.0}");
    ck_assert_int_eq(test_read_head("t").data_files, 3);
    const char *rows = test_sorted(test_rows("t"));
    ck_assert_ptr_nonnull(strstr(rows, "1,NaN"));
    ck_assert_ptr_nonnull(strstr(rows, "3,-0.0"));
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    ck_assert_int_eq(test_read_head("t").data_files, 3);
}
END_TEST

START_TEST(bounds_and_counts_are_exact) {
    test_create("t", 3, "id long, d double, s string", NULL, NULL);
    test_append("t", "{'id':5,'d':'NaN','s':'b'}\n{'id':-7,'d':1.5}\n{'d':-0.0,'s':'a'}");
    test_head head = test_read_head("t");
    const rwl_data_file *f = &test_live(&head, 0)->file;
    ck_assert_int_eq(f->record_count, 3);
    ck_assert_int_eq(test_bound(f, 1, false), -7);
    ck_assert_int_eq(test_bound(f, 1, true), 5);
    static const int64_t nulls[] = {1, 0, 1};
    ck_assert_int_eq(f->null_count_count, 3);
    for (int32_t i = 0; i < 3; i++) {
        ck_assert_int_eq(f->value_counts[i].value, 3);
        ck_assert_int_eq(f->null_counts[i].value, nulls[i]);
    }
    ck_assert_int_eq(f->nan_count_count, 1);
    ck_assert_int_eq(f->nan_counts[0].field_id, 2);
    ck_assert_int_eq(f->nan_counts[0].value, 1);
    ck_assert_int_eq(f->split_count, 1);
    ck_assert_int_eq(f->split_offsets[0], 4); /* the first row group follows "PAR1" */
}
END_TEST

START_TEST(stored_lineage_is_told_from_the_written_columns) {
    rwl_data_files_options o = {.lineage = true};
    writing x = start("id long, name string", NULL, &o);
    rwl_runs ids, versions;
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    for (int i = 0; i < 4; i++)
        add(&x, i, "a");
    ASSERT_OK(rwl_runs_append(&ids, 40, 1, err));
    ASSERT_OK(rwl_runs_append_null(&ids, 1, err));
    ASSERT_OK(rwl_runs_append(&ids, 7, 2, err));
    ASSERT_OK(rwl_runs_append(&versions, 3, 2, err));
    ASSERT_OK(rwl_runs_append_null(&versions, 2, err));
    ASSERT_OK(rwl_data_writer_write(x.w, &x.batch, &ids, &versions, err));
    size_t count;
    const rwl_added_file *files = finish(&x, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert(files[0].lineage.present);
    ck_assert_int_eq(files[0].lineage.null_ids, 1);
    ck_assert_int_eq(files[0].lineage.null_versions, 2);
    ck_assert_int_eq(files[0].lineage.min_id, 7);
    ck_assert_int_eq(files[0].lineage.max_id, 40);
    ck_assert_int_gt(x.files->pages_encoded, 3);
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
    stop(&x);
}
END_TEST

START_TEST(finish_may_come_again_and_without_rows) {
    writing x = start("id long, name string", NULL, NULL);
    size_t count;
    finish(&x, &count);
    ck_assert_uint_eq(count, 0);
    write_batch(&x); /* no rows: no file */
    finish(&x, &count);
    ck_assert_uint_eq(count, 0);
    add(&x, 1, "a");
    write_batch(&x);
    finish(&x, &count);
    ck_assert_uint_eq(count, 1);
    add(&x, 2, "b");
    write_batch(&x);
    finish(&x, &count);
    ck_assert_uint_eq(count, 2);
    stop(&x);
}
END_TEST

START_TEST(files_that_are_not_released_are_removed) {
    writing x = start("id long, name string", "name", NULL);
    const char *before = test_listing("t");
    add(&x, 1, "x");
    add(&x, 2, "y");
    write_batch(&x);
    size_t count;
    finish(&x, &count);
    ck_assert_uint_eq(count, 2);
    add(&x, 3, "z"); /* still open */
    write_batch(&x);
    stop(&x);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

START_TEST(released_files_stay) {
    writing x = start("id long, name string", NULL, NULL);
    add(&x, 1, "x");
    write_batch(&x);
    size_t count;
    const char *path = rwl_arena_strdup(test_arena(), finish(&x, &count)->location);
    rwl_data_files_release(x.files);
    stop(&x);
    ck_assert_int_gt(size_of(path), 0);
}
END_TEST

/* The n-th call of the store fails, whatever it is: nothing stays behind. */
START_TEST(whatever_fails_nothing_stays) {
    for (int64_t n = 1; n < 60; n++) {
        writing x;
        memset(&x, 0, sizeof x);
        const char *name = rwl_arena_printf(test_arena(), "t%lld", (long long)n);
        test_create(name, 3, "id long, name string", "name", NULL);
        const char *before = test_listing(name);
        x.t = test_open(name);
        rwl_store *store = NULL;
        const rwl_test_store_options failing = {.fail_call = RWL_TEST_ANY, .fail_at = n};
        ASSERT_OK(rwl_test_store_new(test_env(), x.t->store, &failing, &store, err));
        test_wrap_store(x.t, store);
        rwl_data_files_options o = {.metadata = x.t->metadata, .operation_id = "op", .target_rows = 2};
        ASSERT_OK(rwl_data_files_new(x.t->store, test_op(), &o, &x.files, err));
        ASSERT_OK(rwl_data_writer_new(x.files, &x.w, err));
        ASSERT_OK(rwl_batch_init(&x.batch, test_env(), x.t->schema->fields, 2, err));
        for (int i = 0; i < 7; i++)
            add(&x, i, i % 2 == 0 ? "x" : "y");
        rwl_status st = rwl_data_writer_write(x.w, &x.batch, NULL, NULL, NULL);
        if (st == RWL_OK)
            st = rwl_data_writer_finish(x.w, NULL);
        bool failed = rwl_test_store_stats_of(store).failures > 0;
        ck_assert_msg((st != RWL_OK) == failed, "call %lld: status %d", (long long)n, (int)st);
        const rwl_test_store_options working = {0};
        rwl_test_store_set(store, &working);
        stop(&x);
        ck_assert_msg(strcmp(test_listing(name), before) == 0, "call %lld left %s", (long long)n,
                      test_listing(name));
        if (!failed)
            return;
    }
    ck_abort_msg("too many calls");
}
END_TEST

START_TEST(properties_decide_where_and_how) {
    static const char *const keys[] = {"write.data.path", "write.parquet.compression-codec",
                                       "write.parquet.page-row-limit",
                                       "write.parquet.bloom-filter-enabled.column.id"};
    const char *values[] = {test_path("elsewhere"), "snappy", "2", "true"};
    rwl_create_options options = {.schema = "id long",
                                  .format_version = 3,
                                  .property_keys = keys,
                                  .property_values = values,
                                  .property_count = 4};
    test_create_with("t", &options);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}\n{'id':4}\n{'id':5}");
    test_head head = test_read_head("t");
    const rwl_data_file *f = &test_live(&head, 0)->file;
    ck_assert_int_eq(strncmp(f->file_path, values[0], strlen(values[0])), 0);
    rwl_table *t = test_open("t");
    rwl_parquet_file *file = NULL;
    ASSERT_OK(rwl_parquet_open(t->store, test_op(), f->file_path, f->file_size, &file, err));
    ck_assert_int_eq((int)file->groups[0].chunks[0].codec, (int)RWL_CODEC_SNAPPY);
    ck_assert_int_gt(file->groups[0].chunks[0].bloom.len, 0);
    ck_assert_int_gt(file->groups[0].chunks[0].offset_index.len, 0);
    rwl_parquet_close(file);
    test_close(t);
    test_delete("t", "id = 3");
    ck_assert_ptr_nonnull(strstr(test_listing("elsewhere"), ".puffin"));
}
END_TEST

static int told;

static void count_warnings(void *ctx, rwl_log_level level, const char *line) {
    (void)ctx;
    told += level == RWL_LOG_WARN && strstr(line, "Parquet") != NULL;
}

/* A table may ask for Avro or ORC: it gets Parquet, which every reader of such tables knows, and one line that says so. */
START_TEST(tables_that_ask_for_other_formats_get_parquet_and_a_line) {
    static const struct {
        const char *format;
        int lines;
    } cases[] = {{"avro", 1}, {"ORC", 1}, {"Parquet", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = rwl_arena_printf(test_arena(), "t%zu", i), *key = "write.format.default";
        rwl_create_options options = {.schema = "id long",
                                      .format_version = 3,
                                      .property_keys = &key,
                                      .property_values = &cases[i].format,
                                      .property_count = 1};
        test_create_with(name, &options);
        test_env()->log = count_warnings;
        told = 0;
        test_append(name, "{'id':1}");
        ck_assert_int_eq(told, cases[i].lines);
        test_append(name, "{'id':2}");
        told = 0;
        test_rewrite(name, NULL);
        ck_assert_int_eq(told, cases[i].lines);
        test_head head = test_read_head(name);
        ck_assert_str_eq(test_live(&head, 0)->file.file_format, "PARQUET");
        ck_assert_str_eq(test_sorted(test_rows(name)), "1=0/1 2=1/2");
    }
}
END_TEST

START_TEST(what_cannot_be_written_is_refused_by_name) {
    static const struct {
        const char *key, *value, *part;
    } cases[] = {
        {"write.parquet.compression-codec", "lzo", "lzo"},
        {"write.parquet.compression-level", "999", "999"},
        {"write.target-file-size-bytes", "many", "many"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = rwl_arena_printf(test_arena(), "t%zu", i);
        rwl_create_options options = {.schema = "id long",
                                      .format_version = 3,
                                      .property_keys = &cases[i].key,
                                      .property_values = &cases[i].value,
                                      .property_count = 1};
        test_create_with(name, &options);
        const char *before = test_listing(name);
        rwl_table *t = test_open(name);
        rwl_commit_outcome out;
        rwl_error err = {0};
        rwl_status st = try_append(t, test_op(), "{'id':1}", &out, &err);
        ck_assert_msg(st != RWL_OK && strstr(err.message, cases[i].part) != NULL, "%s: %d %s", cases[i].key,
                      (int)st, err.message);
        test_close(t);
        ck_assert_str_eq(test_listing(name), before);
    }
}
END_TEST

Suite *suite_data_writer(void) {
    const TTest *const tests[] = {
        rows_go_to_the_file_of_their_partition,
        names_of_files_are_all_different_and_sort_by_number,
        files_are_closed_at_exactly_the_rows_wanted,
        files_are_closed_near_the_size_wanted,
        seventy_partitions_at_once,
        transforms_of_partitions_are_applied,
        open_files_keep_to_their_part_of_the_budget,
        fields_of_structs_are_partitioned_by,
        nan_and_signed_zero_have_partitions_of_their_own,
        bounds_and_counts_are_exact,
        stored_lineage_is_told_from_the_written_columns,
        finish_may_come_again_and_without_rows,
        files_that_are_not_released_are_removed,
        released_files_stay,
        whatever_fails_nothing_stays,
        properties_decide_where_and_how,
        tables_that_ask_for_other_formats_get_parquet_and_a_line,
        what_cannot_be_written_is_refused_by_name,
    };
    return TEST_SUITE("data writer", tests);
}
