/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of Parquet files and Arrow streams: matched by name, promoted, refused by name. */
#include "engine_test.h"
#include "suites.h"

#include "parquet/writer.h"

#include <unistd.h>

/* Two rows of each type of a version 3 table. */
#define EVERY_TYPE                                                                                           \
    "a boolean, b int, c long, d float, e double, f decimal(9,2), g date, h time, i timestamp, j "           \
    "timestamptz, "                                                                                          \
    "k timestamp_ns, l timestamptz_ns, m string, o uuid, p fixed[3], q binary"
#define EVERY_VALUE                                                                                          \
    "{'a':true,'b':-5,'c':5,'d':'NaN','e':-0.0,'f':'1.25','g':'2026-01-01','h':'00:00:01.000000',"           \
    "'i':'2026-01-01T00:00:00.000000','j':'2026-01-01T00:00:00.000000+00:00','k':'2026-01-01T00:00:00."      \
    "000000001',"                                                                                            \
    "'l':'2026-01-01T00:00:00.000000001+00:00','m':'text','o':'0f8fad5b-d9cb-469f-a165-70867728950e','p':'"  \
    "00ff7f',"                                                                                               \
    "'q':'00'}\n{}"

/* A Parquet file written by hand. */
static const char *write_parquet(const char *name, const rwl_field *fields, int32_t count,
                                 const rwl_batch *batch) {
    rwl_store *store = NULL;
    rwl_parquet_writer *w = NULL;
    rwl_parquet_written written;
    const rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE};
    const char *path = test_path(name);
    unlink(path);
    memset(&written, 0, sizeof written);
    ASSERT_OK(rwl_store_local_new(test_env(), NULL, 0, &store, err));
    ASSERT_OK(rwl_parquet_writer_open(store, test_op(), path, fields, count, &options, &w, err));
    ASSERT_OK(rwl_parquet_writer_write(w, batch, err));
    ASSERT_OK(rwl_parquet_writer_finish(w, &written, err));
    rwl_parquet_written_clear(&written);
    rwl_store_free(store);
    return path;
}

/* A batch of these columns: rows of "a,b c,d", null for null. */
static rwl_schema make_batch(const char *columns, const char *rows, rwl_batch *batch) {
    rwl_schema schema;
    ASSERT_OK(rwl_schema_from_text(columns, test_arena(), &schema, err));
    ASSERT_OK(rwl_batch_init(batch, test_env(), schema.fields, schema.field_count, err));
    char *rest = rwl_arena_strdup(test_arena(), rows);
    for (char *row; *rows != '\0' && (row = strsep(&rest, " ")) != NULL;) {
        for (int32_t i = 0; i < schema.field_count; i++) {
            char *cell = strsep(&row, ",");
            rwl_value v = rwl_value_null(schema.fields[i].type.kind);
            if (strcmp(cell, "null") != 0)
                ASSERT_OK(rwl_value_parse(&schema.fields[i].type, rwl_span_str(cell), test_arena(), &v, err));
            ASSERT_OK(rwl_column_append(&batch->columns[i], test_env(), &v, 1, err));
        }
        batch->length++;
    }
    return schema;
}

static const char *parquet_of(const char *columns, const char *rows) {
    rwl_batch batch;
    rwl_schema schema = make_batch(columns, rows, &batch);
    const char *path = write_parquet("in.parquet", schema.fields, schema.field_count, &batch);
    rwl_batch_clear(&batch);
    return path;
}

static rwl_status append_input(const char *name, rwl_input *input, rwl_error *err) {
    rwl_table *t = test_open(name);
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    rwl_status st = rwl_append(t, test_op(), &input, 1, &options, &out, err);
    test_close(t);
    return st;
}

static rwl_status append_parquet(const char *name, const char *path, rwl_error *err) {
    rwl_table *t = test_open(name);
    rwl_input *input = NULL;
    rwl_status st = rwl_input_open_parquet(test_op(), path, t->schema, &input, err);
    if (st == RWL_OK)
        st = append_input(name, input, err);
    rwl_input_close(input);
    test_close(t);
    return st;
}

START_TEST(parquet_gives_every_type_bit_for_bit) {
    test_create("from", 3, EVERY_TYPE, NULL, NULL);
    test_create("to", 3, EVERY_TYPE, NULL, NULL);
    test_append("from", EVERY_VALUE);
    test_head head = test_read_head("from");
    ASSERT_OK(append_parquet("to", test_live(&head, 0)->file.file_path, err));
    ck_assert_str_eq(test_values("to", NULL), test_values("from", NULL));
    ck_assert_ptr_nonnull(strstr(test_values("to", NULL), "true,-5,5,NaN,-0.0,1.25,"));
}
END_TEST

START_TEST(columns_are_matched_by_name_and_promoted) {
    test_create("t", 3, "id long, d double, f decimal(20,2), s string", NULL, NULL);
    ASSERT_OK(append_parquet(
        "t", parquet_of("s string, f decimal(9,2), d float, id int", "x,1.25,0.5,7 null,null,null,null"),
        err));
    ck_assert_str_eq(test_values("t", NULL), "7,0.5,1.25,x null,null,null,null");
}
END_TEST

START_TEST(missing_columns_are_null) {
    test_create("t", 3, "id long, s string", NULL, NULL);
    ASSERT_OK(append_parquet("t", parquet_of("id long", "1 2"), err));
    ck_assert_str_eq(test_values("t", NULL), "1,null 2,null");
}
END_TEST

START_TEST(wrong_columns_are_refused_by_name) {
    static const struct {
        const char *columns, *rows;
        rwl_status status;
        const char *part;
    } cases[] = {
        {"id long, what int", "1,2", RWL_CORRUPT, "column what is not in the table"},
        {"s string", "x", RWL_CORRUPT, "required column id is missing"},
        {"id long, s string", "null,x", RWL_CORRUPT, "required column id has a null"},
        {"id string", "x", RWL_CORRUPT, "column id is string, the table's is long"},
        {"id long, s int", "1,2", RWL_CORRUPT, "column s is int, the table's is string"},
        {"id double", "1.0", RWL_CORRUPT, "column id is double, the table's is long"},
        {"id long, n long", "1,2", RWL_CORRUPT, "column n is long, the table's is int"},
    };
    test_create("t", 3, "id long not null, s string, n int", NULL, NULL);
    const char *before = test_listing("t");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = parquet_of(cases[i].columns, cases[i].rows);
        ASSERT_FAILS(cases[i].status, cases[i].part, append_parquet("t", path, err));
        ASSERT_FAILS(cases[i].status, "in.parquet", append_parquet("t", path, err));
        ck_assert_str_eq(test_listing("t"), before);
    }
}
END_TEST

START_TEST(identities_are_not_forged_by_name_or_id) {
    static const char *const names[] = {
        "_row_id", "_last_updated_sequence_number", "_file", "_pos", "_deleted", "_spec_id", "_partition"};
    test_create("t", 3, "id long", NULL, NULL);
    rwl_batch batch;
    rwl_schema schema = make_batch("id long, x long", "1,2", &batch);
    rwl_field fields[2] = {schema.fields[0], schema.fields[1]};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fields[1].name = names[i];
        const char *path = write_parquet("in.parquet", fields, 2, &batch);
        ASSERT_FAILS(RWL_UNSUPPORTED, names[i], append_parquet("t", path, err));
    }
    fields[1].name = "innocent";
    fields[1].id = RWL_FIELD_ID_ROW_ID;
    ASSERT_FAILS(RWL_UNSUPPORTED, "2147483540",
                 append_parquet("t", write_parquet("in.parquet", fields, 2, &batch), err));
    rwl_batch_clear(&batch);
    /* a file that a rewrite wrote */
    test_create("from", 3, "id long", NULL, NULL);
    test_append("from", "{'id':1}");
    test_rewrite("from", NULL);
    test_head head = test_read_head("from");
    ASSERT_FAILS(RWL_UNSUPPORTED, "_row_id", append_parquet("t", test_live(&head, 0)->file.file_path, err));
}
END_TEST

/* What a writer's carelessness may put in a file; a table with it could not be read by others. */
START_TEST(values_that_their_type_does_not_have_are_refused) {
    static const char checked[] = "in.parquet: column v, from row 0 on: row 1: ";
    const struct {
        const char *columns, *message, *place;
        rwl_value value;
    } cases[] = {
        {"v decimal(5,2)",
         "a decimal has more digits",
         checked,
         {.kind = RWL_TYPE_DECIMAL, .as.i128 = 100000}},
        {"v decimal(5,2)",
         "a decimal has more digits",
         checked,
         {.kind = RWL_TYPE_DECIMAL, .as.i128 = -100000}},
        {"v time", "a time is outside of the day", checked, {.kind = RWL_TYPE_TIME, .as.i64 = 86400000000}},
        {"v string",
         "a text is not UTF-8",
         "in.parquet: row group 0: column v: ",
         {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of("a\xff", 2)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_batch batch;
        rwl_schema schema = make_batch(cases[i].columns, "null", &batch);
        ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &cases[i].value, 1, err));
        batch.length = 2;
        const char *path = write_parquet("in.parquet", schema.fields, schema.field_count, &batch);
        char name[8] = {'t', (char)('0' + (int)i), '\0'};
        test_create(name, 3, cases[i].columns, NULL, NULL);
        ASSERT_FAILS(RWL_CORRUPT, cases[i].message, append_parquet(name, path, err));
        ASSERT_FAILS(RWL_CORRUPT, cases[i].place, append_parquet(name, path, err));
        rwl_batch_clear(&batch);
    }
}
END_TEST

START_TEST(damaged_parquet_is_named) {
    test_create("t", 3, "id long", NULL, NULL);
    const char *path = parquet_of("id long", "1 2 3");
    ck_assert_int_eq(truncate(path, 40), 0);
    ASSERT_FAILS(RWL_CORRUPT, "in.parquet", append_parquet("t", path, err));
    ck_assert_int_eq(truncate(path, 0), 0);
    ASSERT_FAILS(RWL_CORRUPT, "in.parquet", append_parquet("t", path, err));
}
END_TEST

/* --- Arrow streams --- */

typedef struct source {
    rwl_batch *batches;
    int count, given, fail_at;
    bool freed;
} source;

static rwl_status give(void *ctx, rwl_batch *batch, rwl_error *err) {
    source *s = ctx;
    if (s->fail_at > 0 && s->given + 1 == s->fail_at)
        return rwl_fail(err, RWL_IO, "the cable was cut");
    if (s->given == s->count)
        return RWL_OK;
    rwl_batch *from = &s->batches[s->given++];
    const rwl_range all = {0, from->length};
    return rwl_batch_take_ranges(from, &all, 1, batch, err);
}

static void let_go(void *ctx) {
    ((source *)ctx)->freed = true;
}

static struct ArrowArrayStream stream_of(source *s, const rwl_schema *schema) {
    struct ArrowArrayStream stream;
    memset(&stream, 0, sizeof stream);
    rwl_arrow_source from = {.ctx = s, .next = give, .free = let_go};
    ASSERT_OK(rwl_arrow_stream_from(test_env(), schema->fields, schema->field_count, from, &stream, err));
    return stream;
}

static rwl_status append_stream(const char *name, struct ArrowArrayStream *stream, rwl_error *err) {
    rwl_table *t = test_open(name);
    rwl_input *input = NULL;
    rwl_status st = rwl_input_open_arrow(test_op(), stream, t->schema, &input, err);
    ck_assert_ptr_null(stream->release); /* taken, whatever the result */
    if (st == RWL_OK)
        st = append_input(name, input, err);
    rwl_input_close(input);
    test_close(t);
    return st;
}

START_TEST(streams_give_every_type) {
    test_create("t", 3, EVERY_TYPE, NULL, NULL);
    test_append("t", EVERY_VALUE);
    const char *once = test_values("t", NULL);
    rwl_table *t = test_open("t");
    rwl_scan_options options = {.limit = -1};
    rwl_scan *scan = NULL;
    rwl_batch batch;
    ASSERT_OK(rwl_scan_open(t, test_op(), &options, &scan, err));
    ASSERT_OK(rwl_batch_init(&batch, test_env(), t->schema->fields, t->schema->field_count, err));
    ASSERT_OK(rwl_scan_next(scan, &batch, err));
    rwl_scan_close(scan);
    source s = {.batches = &batch, .count = 1};
    struct ArrowArrayStream stream = stream_of(&s, t->schema);
    ASSERT_OK(append_stream("t", &stream, err));
    ck_assert(s.freed);
    rwl_batch_clear(&batch);
    test_close(t);
    ck_assert_str_eq(test_values("t", NULL), rwl_arena_printf(test_arena(), "%s %s", once, once));
}
END_TEST

START_TEST(batches_of_a_stream_are_matched_by_name) {
    test_create("t", 3, "id long, name string, n int", "name", "id");
    rwl_batch batches[3];
    rwl_schema schema = make_batch("name string, id int", "b,3 a,1", &batches[0]);
    make_batch("name string, id int", "c,5", &batches[1]);
    make_batch("name string, id int", "a,2 null,4", &batches[2]);
    source s = {.batches = batches, .count = 3};
    struct ArrowArrayStream stream = stream_of(&s, &schema);
    ASSERT_OK(append_stream("t", &stream, err));
    ck_assert_str_eq(test_sorted(test_values("t", NULL)), "1,a,null 2,a,null 3,b,null 4,null,null 5,c,null");
    ck_assert(s.freed);
    for (int i = 0; i < 3; i++)
        rwl_batch_clear(&batches[i]);
}
END_TEST

/* More rows in one array than a batch has here. */
START_TEST(large_arrays_are_taken) {
    test_create("t", 3, "id long, name string", "bucket(4, id)", "name");
    rwl_batch batch;
    rwl_schema schema = make_batch("id long, name string", "", &batch);
    const rwl_value name = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str("same")};
    enum { ROWS = 150000 };
    for (int64_t i = 0; i < ROWS; i++) {
        rwl_value id = {.kind = RWL_TYPE_LONG, .as.i64 = i};
        ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &id, 1, err));
    }
    ASSERT_OK(rwl_column_append(&batch.columns[1], test_env(), &name, ROWS, err));
    batch.length = ROWS;
    struct ArrowSchema arrow_schema;
    ASSERT_OK(rwl_arrow_export_schema(test_env(), schema.fields, 2, &arrow_schema, err));
    arrow_schema.release(&arrow_schema);
    source s = {.batches = &batch, .count = 1};
    struct ArrowArrayStream stream = stream_of(&s, &schema);
    ASSERT_OK(append_stream("t", &stream, err));
    rwl_batch_clear(&batch);
    rwl_table *t = test_open("t");
    int64_t count;
    rwl_digest digest;
    ASSERT_OK(rwl_table_count(t, test_op(), "name = 'same'", &count, err));
    ck_assert_int_eq(count, ROWS);
    ASSERT_OK(rwl_table_digest(t, test_op(), NULL, &digest, err));
    ck_assert_int_eq(digest.rows, ROWS);
    ck_assert_int_eq(t->metadata->next_row_id, ROWS);
    test_close(t);
}
END_TEST

START_TEST(a_stream_that_fails_is_told_and_nothing_stays) {
    test_create("t", 3, "id long", NULL, NULL);
    const char *before = test_listing("t");
    rwl_batch batch;
    rwl_schema schema = make_batch("id long", "1 2 3", &batch);
    source s = {.batches = &batch, .count = 1, .fail_at = 2};
    struct ArrowArrayStream stream = stream_of(&s, &schema);
    ASSERT_FAILS(RWL_IO, "the cable was cut", append_stream("t", &stream, err));
    ck_assert(s.freed);
    ck_assert_str_eq(test_listing("t"), before);
    rwl_batch_clear(&batch);
}
END_TEST

START_TEST(streams_with_wrong_columns_are_refused_and_released) {
    static const struct {
        const char *columns;
        rwl_status status;
        const char *part;
    } cases[] = {
        {"id long, what int", RWL_CORRUPT, "what"},
        {"s string", RWL_CORRUPT, "required column id is missing"},
        {"id string", RWL_CORRUPT, "column id is string"},
    };
    test_create("t", 3, "id long not null, s string", NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_batch batch;
        rwl_schema schema = make_batch(cases[i].columns, "", &batch);
        source s = {.batches = &batch, .count = 0};
        struct ArrowArrayStream stream = stream_of(&s, &schema);
        ASSERT_FAILS(cases[i].status, cases[i].part, append_stream("t", &stream, err));
        ck_assert(s.freed);
        rwl_batch_clear(&batch);
    }
    rwl_batch batch;
    rwl_schema schema = make_batch("id long, x long", "", &batch);
    rwl_field fields[2] = {schema.fields[0], schema.fields[1]};
    fields[1].name = "_row_id";
    schema.fields = fields;
    source s = {.batches = &batch, .count = 0};
    struct ArrowArrayStream stream = stream_of(&s, &schema);
    ASSERT_FAILS(RWL_UNSUPPORTED, "_row_id", append_stream("t", &stream, err));
    ck_assert(s.freed);
    rwl_batch_clear(&batch);
}
END_TEST

/* The one row of a table, appended to another whose fields are required. */
static rwl_status append_rows_of(const char *from, const char *to, rwl_error *failure) {
    rwl_table *t = test_open(from);
    rwl_scan_options options = {.limit = -1};
    rwl_scan *scan = NULL;
    rwl_batch batch;
    ASSERT_OK(rwl_scan_open(t, test_op(), &options, &scan, err));
    ASSERT_OK(rwl_batch_init(&batch, test_env(), t->schema->fields, t->schema->field_count, err));
    ASSERT_OK(rwl_scan_next(scan, &batch, err));
    rwl_scan_close(scan);
    source s = {.batches = &batch, .count = 1};
    struct ArrowArrayStream stream = stream_of(&s, t->schema);
    rwl_status st = append_stream(to, &stream, failure);
    rwl_batch_clear(&batch);
    test_close(t);
    return st;
}

START_TEST(nulls_of_required_fields_within_values_are_refused) {
    static const struct {
        const char *from, *to, *row;
        const char *part; /* NULL: the row is taken */
    } cases[] = {
        {"s struct<a int>", "s struct<a int not null>", "{'s':{'a':null}}", "s: required field a has a null"},
        {"s struct<a int>", "s struct<a int not null>", "{'s':null}", NULL},
        {"l list<int>", "l list<int not null>", "{'l':[1,null]}", "l: required field element has a null"},
        {"l list<int>", "l list<int not null>", "{'l':null}\n{'l':[]}\n{'l':[1]}", NULL},
        {"m map<int,int>", "m map<int,int not null>", "{'m':[[1,null]]}", "required field value has a null"},
        {"s struct<t struct<a int>>", "s struct<t struct<a int not null>>", "{'s':{'t':null}}\n{'s':null}",
         NULL},
        {"l list<struct<a int>>", "l list<struct<a int not null>>", "{'l':[{'a':1},null]}\n{'l':[{}]}",
         "l: required field a has a null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *from = rwl_arena_printf(test_arena(), "from%zu", i);
        const char *to = rwl_arena_printf(test_arena(), "to%zu", i);
        test_create(from, 3, cases[i].from, NULL, NULL);
        test_create(to, 3, cases[i].to, NULL, NULL);
        test_append(from, cases[i].row);
        if (cases[i].part != NULL)
            ASSERT_FAILS(RWL_CORRUPT, cases[i].part, append_rows_of(from, to, err));
        else
            ASSERT_OK(append_rows_of(from, to, err));
    }
}
END_TEST

START_TEST(an_empty_stream_commits_nothing) {
    test_create("t", 3, "id long", NULL, NULL);
    const char *before = test_listing("t");
    rwl_batch batch;
    rwl_schema schema = make_batch("id long", "", &batch);
    source s = {.batches = &batch, .count = 0};
    struct ArrowArrayStream stream = stream_of(&s, &schema);
    ASSERT_OK(append_stream("t", &stream, err));
    ck_assert_str_eq(test_listing("t"), before);
    rwl_batch_clear(&batch);
}
END_TEST

Suite *suite_input_columns(void) {
    const TTest *const tests[] = {
        parquet_gives_every_type_bit_for_bit,
        columns_are_matched_by_name_and_promoted,
        missing_columns_are_null,
        wrong_columns_are_refused_by_name,
        identities_are_not_forged_by_name_or_id,
        values_that_their_type_does_not_have_are_refused,
        damaged_parquet_is_named,
        streams_give_every_type,
        batches_of_a_stream_are_matched_by_name,
        large_arrays_are_taken,
        a_stream_that_fails_is_told_and_nothing_stays,
        streams_with_wrong_columns_are_refused_and_released,
        nulls_of_required_fields_within_values_are_refused,
        an_empty_stream_commits_nothing,
    };
    return TEST_SUITE("input columns", tests);
}
