/* SPDX-License-Identifier: Apache-2.0 */
/* Scans cut into tasks: together they give what the scan gives, and what is missing from one is never guessed. */
#include "engine/task.h"

#include "engine_test.h"
#include "suites.h"
#include "table/fragment_json.h"

static void make_table(void) {
    test_create("t", 3, "id long not null, name string", NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    test_append("t", "{'id':4,'name':'d'}\n{'id':5}");
    test_delete("t", "id = 2");
}

static const char *add_row(const char *text, const rwl_field *fields, const rwl_batch *batch, int64_t row) {
    for (int32_t i = 0; i < batch->column_count; i++) {
        rwl_value v = rwl_column_value(&batch->columns[i], row);
        rwl_buf cell;
        rwl_buf_init(&cell, test_env(), SIZE_MAX);
        if (v.is_null)
            ASSERT_OK(rwl_buf_str(&cell, "null", err));
        else
            ASSERT_OK(rwl_value_format(&fields[i].type, &v, &cell, err));
        text = rwl_arena_printf(test_arena(), "%s%s%.*s", text,
                                i > 0           ? ","
                                : *text != '\0' ? " "
                                                : "",
                                (int)cell.len, (const char *)cell.data);
        rwl_buf_clear(&cell);
    }
    return text;
}

/* The rows of a task behind `text`, as another process would read them: from the text and the table alone. */
static const char *add_rows(const char *text, rwl_span json) {
    rwl_table *t = test_open("t"), at;
    rwl_task task;
    rwl_scan *scan = NULL;
    rwl_batch batch;
    int32_t count;
    ASSERT_OK(rwl_task_parse(test_env(), json, &task, err));
    ASSERT_OK(rwl_task_scan(t, test_op(), &task, &at, &scan, err));
    const rwl_field *fields = rwl_scan_fields(scan, &count);
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
    for (;;) {
        ASSERT_OK(rwl_scan_next(scan, &batch, err));
        if (batch.length == 0)
            break;
        for (int64_t row = 0; row < batch.length; row++)
            text = add_row(text, fields, &batch, row);
    }
    rwl_batch_clear(&batch);
    rwl_scan_close(scan);
    rwl_task_clear(&task);
    test_close(t);
    return text;
}

/* All tasks of a scan read one after another; *count is how many there are, `first` the text of the first (may be NULL). */
static const char *read_tasks(const rwl_tasks_options *options, int32_t *count, const char **first) {
    rwl_table *t = test_open("t");
    rwl_tasks *tasks = NULL;
    const char *text = "";
    ASSERT_OK(rwl_tasks_open(t, test_op(), options, &tasks, err));
    for (*count = 0;; ++*count) {
        rwl_span json;
        ASSERT_OK(rwl_tasks_next(tasks, &json, err));
        if (json.data == NULL)
            break;
        ck_assert_uint_eq(strlen((const char *)json.data), json.len);
        if (*count == 0 && first != NULL)
            *first = rwl_arena_strndup(test_arena(), (const char *)json.data, json.len);
        text = add_rows(text, json);
    }
    rwl_tasks_close(tasks);
    test_close(t);
    return text;
}

/* Ids and versions are those of the plan: first_row_id and data sequence number travel (BUG-005). Newest file first. */
START_TEST(tasks_give_the_rows_of_the_scan_with_their_lineage) {
    static const struct {
        rwl_tasks_options options;
        const char *rows;
    } cases[] = {
        {{.lineage = true}, "4,d,3,2 5,null,4,2 1,a,0,1 3,c,2,1"},
        {{.select = "_row_id, name"}, "3,d 4,null 0,a 2,c"},
        {{.select = "id", .where = "name > 'a'"}, "4 3"},
        {{.where = "id > 100"}, ""},
    };
    make_table();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t count;
        const char *rows = read_tasks(&cases[i].options, &count, NULL);
        ck_assert_msg(strcmp(rows, cases[i].rows) == 0, "case %zu: %s", i, rows);
    }
}
END_TEST

/* BUG-096: parts smaller than a row group give each row once. 3 rows and 2 rows in files of some hundred bytes. */
START_TEST(bug_096_files_cut_into_parts_give_each_row_once) {
    make_table();
    int32_t count;
    rwl_tasks_options options = {.lineage = true, .target_bytes = 1};
    ck_assert_str_eq(read_tasks(&options, &count, NULL), "4,d,3,2 5,null,4,2 1,a,0,1 3,c,2,1");
    ck_assert_int_eq(count, 5); /* a physical row each, the deleted one too */
    test_head head = test_read_head("t");
    int64_t sizes[2] = {test_live(&head, 0)->file.file_size, test_live(&head, 1)->file.file_size};
    options.target_bytes = (sizes[0] > sizes[1] ? sizes[0] : sizes[1]) / 2 + 1;
    ck_assert_str_eq(read_tasks(&options, &count, NULL), "4,d,3,2 5,null,4,2 1,a,0,1 3,c,2,1");
    ck_assert_int_eq(count, 4); /* two files of two parts */
    options.target_bytes = INT64_C(8) << 20;
    ck_assert_str_eq(read_tasks(&options, &count, NULL), "4,d,3,2 5,null,4,2 1,a,0,1 3,c,2,1");
    ck_assert_int_eq(count, 1); /* each file weighs 4 MB at least */
}
END_TEST

/* A task is of one state: what comes after it does not change its rows, what is gone is told. */
START_TEST(tasks_stay_what_they_were_when_the_table_goes_on) {
    make_table();
    int32_t count;
    const char *task;
    rwl_tasks_options options = {.lineage = true};
    read_tasks(&options, &count, &task);
    test_append("t", "{'id':6}");
    test_rewrite("t", NULL);
    ck_assert_str_eq(add_rows("", rwl_span_str(task)), "4,d,3,2 5,null,4,2 1,a,0,1 3,c,2,1");
}
END_TEST

START_TEST(tasks_of_another_table_are_refused) {
    make_table();
    test_create("other", 3, "id long, name string", NULL, NULL);
    int32_t count;
    const char *text;
    rwl_tasks_options options = {.lineage = true};
    read_tasks(&options, &count, &text);
    rwl_table *other = test_open("other"), at;
    rwl_task task;
    rwl_scan *scan = NULL;
    ASSERT_OK(rwl_task_parse(test_env(), rwl_span_str(text), &task, err));
    ASSERT_FAILS(RWL_USAGE, "another table", rwl_task_scan(other, test_op(), &task, &at, &scan, err));
    rwl_task_clear(&task);
    test_close(other);
}
END_TEST

START_TEST(bug_006_a_task_without_data_sequence_number_is_refused) {
    make_table();
    int32_t count;
    const char *text;
    rwl_tasks_options options = {.lineage = true};
    read_tasks(&options, &count, &text);
    static const struct {
        const char *cut, *put, *message;
    } cases[] = {
        {"\"data_sequence_number\": 2", "\"x\": 2", "data_sequence_number"},
        {"\"fragments\": [", "\"fragments\": [], \"x\": [", "fragments"},
        {"\"schema\": 0", "\"rows\": [0, 1], \"schema\": 0", "rows"}, /* of two fragments */
        {"\"snapshot_id\": \"", "\"snapshot_id\": \"x", "snapshot_id"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = strstr(text, cases[i].cut);
        ck_assert_msg(at != NULL, "%s", text);
        const char *changed = rwl_arena_printf(test_arena(), "%.*s%s%s", (int)(at - text), text, cases[i].put,
                                               at + strlen(cases[i].cut));
        rwl_task task;
        ASSERT_FAILS(RWL_CORRUPT, cases[i].message,
                     rwl_task_parse(test_env(), rwl_span_str(changed), &task, err));
    }
}
END_TEST

/* A delete file is opened by its format, which a task must tell; that of a vector can only be Puffin. */
START_TEST(a_delete_file_without_format_is_refused) {
    static const char *const kinds[] = {"positions", "equality", "vector"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *text = rwl_arena_printf(
            test_arena(),
            "{\"file_path\":\"d\",\"file_format\":\"PARQUET\",\"file_size_in_bytes\":9,\"record_count\":1,"
            "\"spec_id\":0,\"partition\":[],\"data_sequence_number\":1,\"file_sequence_number\":1,"
            "\"deletes\":[{\"kind\":\"%s\",\"file_path\":\"e\",\"file_size_in_bytes\":9,"
            "\"record_count\":1,\"data_sequence_number\":2,\"equality_ids\":[1],\"content_offset\":4,"
            "\"content_size_in_bytes\":50}]}",
            kinds[i]);
        rwl_json *json = NULL;
        rwl_fragment f;
        ASSERT_OK(rwl_json_parse(rwl_span_str(text), &json, err));
        if (strcmp(kinds[i], "vector") == 0)
            ASSERT_OK(rwl_fragment_from_json(json, test_arena(), &f, err));
        else
            ASSERT_FAILS(RWL_CORRUPT, "file_format", rwl_fragment_from_json(json, test_arena(), &f, err));
        rwl_json_free(json);
    }
}
END_TEST

/* Two files of the greatest size each: their sum is no number of 64 bits, and each is a task of its own. */
START_TEST(sizes_that_no_file_has_do_not_overflow) {
    test_create("t", 2, "id long", NULL, NULL);
    rwl_table *t = test_open("t");
    rwl_data_file files[2];
    memset(files, 0, sizeof files);
    for (int i = 0; i < 2; i++) {
        files[i].file_path = i == 0 ? "/a.parquet" : "/b.parquet";
        files[i].file_format = "PARQUET";
        files[i].record_count = 1;
        files[i].file_size = INT64_MAX;
        files[i].sort_order_id = -1;
        files[i].content_offset = files[i].content_size = -1;
    }
    rwl_manifest manifest = test_manifest(t, RWL_CONTENT_DATA, files, 2);
    test_put_snapshot(t, &manifest, 1, "append", "other", 0);
    test_close(t);
    t = test_open("t");
    rwl_tasks *tasks = NULL;
    rwl_tasks_options options = {0};
    rwl_span json;
    int count = -1;
    ASSERT_OK(rwl_tasks_open(t, test_op(), &options, &tasks, err));
    do {
        ASSERT_OK(rwl_tasks_next(tasks, &json, err));
        count++;
    } while (json.data != NULL);
    ck_assert_int_eq(count, 2);
    rwl_tasks_close(tasks);
    test_close(t);
}
END_TEST

Suite *suite_task(void) {
    const TTest *const tests[] = {
        tasks_give_the_rows_of_the_scan_with_their_lineage,
        bug_096_files_cut_into_parts_give_each_row_once,
        tasks_stay_what_they_were_when_the_table_goes_on,
        tasks_of_another_table_are_refused,
        bug_006_a_task_without_data_sequence_number_is_refused,
        a_delete_file_without_format_is_refused,
        sizes_that_no_file_has_do_not_overflow,
    };
    return TEST_SUITE("task", tests);
}
