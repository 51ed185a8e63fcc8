/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of many manifests: their order whatever threads there are, what is opened for a filter, and how errors come. */
#include "base/pool.h"
#include "iceberg/entry_stream.h"
#include "iceberg/plan.h"
#include "storage/test_store.h"
#include "table_test.h"

#include <stdatomic.h>
#include <stdio.h>

/* --- tables --- */

static rwl_manifest_writer *open_writer(const rwl_metadata *m, int32_t content, const char *name) {
    const rwl_manifest_writer_options options = {.format_version = 3,
                                                 .content = content,
                                                 .schema = m->schema,
                                                 .spec = m->spec,
                                                 .snapshot_id = 1,
                                                 .codec = RWL_CODEC_DEFLATE};
    rwl_manifest_writer *w = NULL;
    ASSERT_OK(rwl_manifest_writer_open(test_store(), test_op(), test_path(name), &options, &w, err));
    return w;
}

static rwl_manifest finish(rwl_manifest_writer *w) {
    rwl_manifest m;
    ASSERT_OK(rwl_manifest_writer_finish(w, test_arena(), &m, err));
    m.sequence_number = m.min_sequence_number = 1;
    m.has_first_row_id = m.content == 0;
    return m;
}

static rwl_value int_value(int32_t v) {
    return (rwl_value){.kind = RWL_TYPE_INT, .as.i32 = v};
}

/* Data files "<number>-<i>" of one row in partition `number`. */
static rwl_manifest data_manifest(const rwl_metadata *m, int32_t number, int32_t files) {
    rwl_value partition = int_value(number);
    rwl_manifest_writer *w = open_writer(m, 0, rwl_arena_printf(test_arena(), "m%d.avro", number));
    for (int32_t i = 0; i < files; i++) {
        char path[32];
        snprintf(path, sizeof path, "%d-%d", number, i);
        rwl_data_file f = test_data_file(path, 1, &partition, 1);
        f.spec_id = m->spec->spec_id;
        ASSERT_OK(rwl_manifest_writer_add(w, &f, -1, err));
    }
    return finish(w);
}

/* A vector for data file "<number>-0" in partition `number`. */
static rwl_manifest delete_manifest(const rwl_metadata *m, int32_t number) {
    rwl_value partition = int_value(number);
    rwl_manifest_writer *w = open_writer(m, 1, rwl_arena_printf(test_arena(), "d%d.avro", number));
    rwl_data_file f = test_data_file("v.puffin", 1, &partition, 1);
    f.spec_id = m->spec->spec_id;
    f.content = RWL_CONTENT_POSITION_DELETES;
    f.file_format = "PUFFIN";
    f.referenced_data_file = rwl_arena_printf(test_arena(), "%d-0", number);
    f.content_offset = 4;
    f.content_size = 40;
    ASSERT_OK(rwl_manifest_writer_add(w, &f, -1, err));
    return finish(w);
}

static rwl_snapshot snapshot_of(const rwl_manifest *manifests, int32_t count) {
    const rwl_manifest_list_options options = {3, 1, -1, 1, 0};
    rwl_snapshot s = {.snapshot_id = 1, .parent_id = -1, .sequence_number = 1, .schema_id = -1};
    s.manifest_list = test_path("snap.avro");
    ASSERT_OK(
        rwl_manifest_list_write(test_store(), test_op(), s.manifest_list, manifests, count, &options, err));
    return s;
}

/* --- a store that tells what is opened --- */

typedef struct opened {
    atomic_int count;
    atomic_int deletes; /* how many of them are called d<number>.avro */
    atomic_int number;  /* of the last of these */
} opened;

static void note_open(void *ctx, rwl_test_call call, const char *location, bool fails) {
    opened *o = ctx;
    (void)fails;
    if (call != RWL_TEST_OPEN)
        return;
    atomic_fetch_add(&o->count, 1);
    int number;
    const char *name = strrchr(location, '/');
    if (name != NULL && sscanf(name, "/d%d.avro", &number) == 1) {
        atomic_fetch_add(&o->deletes, 1);
        atomic_store(&o->number, number);
    }
}

static rwl_store *watching_store(opened *o, const rwl_test_store_options *more) {
    rwl_store *inner = NULL, *store = NULL;
    rwl_test_store_options options = {0};
    if (more != NULL)
        options = *more;
    options.before = note_open;
    options.before_ctx = o;
    ASSERT_OK(rwl_store_local_new(test_env(), NULL, 0, &inner, err));
    ASSERT_OK(rwl_test_store_new(test_env(), inner, &options, &store, err));
    return store;
}

/* --- environments with threads --- */

typedef struct workers {
    rwl_env env;
    rwl_op op;
    rwl_pool *pool;
} workers;

static void start_workers(workers *w, int threads) {
    w->env = *test_env();
    w->pool = NULL;
    if (threads > 1)
        ASSERT_OK(rwl_pool_new(&w->env, threads, &w->pool, err));
    w->env.pool = w->pool;
    rwl_op_init(&w->op, &w->env, 0);
}

static void stop_workers(workers *w) {
    rwl_pool_free(w->pool);
}

/* Counts fragments and checks that they come in the order of manifests and of entries. */
static int drain(rwl_plan *plan, int limit) {
    int count = 0, last_manifest = -1, last_file = -1;
    for (;;) {
        const rwl_fragment *f;
        int manifest, file;
        ASSERT_OK(rwl_plan_next(plan, &f, err));
        if (f == NULL || count == limit)
            return count;
        ck_assert_int_eq(sscanf(f->location, "%d-%d", &manifest, &file), 2);
        if (manifest == last_manifest)
            ck_assert_int_eq(file, last_file + 1);
        else
            ck_assert(manifest > last_manifest && file == 0);
        last_manifest = manifest;
        last_file = file;
        count++;
    }
}

/* --- order --- */

/* More files than one chunk holds, more manifests than a window. */
START_TEST(entries_come_in_list_order_whatever_threads_there_are) {
    static const int THREADS[] = {1, 2, 4};
    rwl_metadata *m = test_table(3, "p int", "p");
    rwl_manifest manifests[12];
    int want = 0;
    for (int i = 0; i < 12; i++) {
        int files = i % 4 == 0 ? 2500 : i;
        manifests[i] = data_manifest(m, i, files);
        want += files;
    }
    rwl_snapshot s = snapshot_of(manifests, 12);
    for (size_t i = 0; i < sizeof THREADS / sizeof *THREADS; i++) {
        workers w;
        opened o = {0};
        rwl_plan *plan = NULL;
        start_workers(&w, THREADS[i]);
        rwl_store *store = watching_store(&o, &(rwl_test_store_options){.seed = 7, .reorder = true});
        const rwl_plan_options options = {.snapshot = &s};
        ASSERT_OK(rwl_plan_open(store, &w.op, m, &options, &plan, err));
        ck_assert_int_eq(drain(plan, -1), want);
        ck_assert_int_eq(atomic_load(&o.count), 13);
        rwl_plan_close(plan);
        ASSERT_OK(rwl_plan_open(store, &w.op, m, &options, &plan, err)); /* left in the middle */
        ck_assert_int_eq(drain(plan, 1100), 1100);
        rwl_plan_close(plan);
        ck_assert_int_eq(rwl_test_store_stats_of(store).open_files, 0);
        rwl_store_free(store);
        stop_workers(&w);
    }
    rwl_metadata_free(m);
}
END_TEST

/* Both threads plan at the same time, each inside a task of the pool that reads their manifests. */
typedef struct nested {
    workers *w;
    const rwl_metadata *m;
    const rwl_snapshot *s;
    int count;
} nested;

static rwl_status plan_inside(void *arg, rwl_error *err) {
    nested *n = arg;
    rwl_plan *plan = NULL;
    const rwl_plan_options options = {.snapshot = n->s};
    RWL_TRY(rwl_plan_open(test_store(), &n->w->op, n->m, &options, &plan, err));
    const rwl_fragment *f = NULL;
    rwl_status st;
    while ((st = rwl_plan_next(plan, &f, err)) == RWL_OK && f != NULL)
        n->count++;
    rwl_plan_close(plan);
    return st;
}

START_TEST(plans_inside_tasks_do_not_wait_for_each_other) {
    rwl_metadata *m = test_table(3, "p int", "p");
    rwl_manifest manifests[8];
    for (int i = 0; i < 8; i++)
        manifests[i] = data_manifest(m, i, 20);
    rwl_snapshot s = snapshot_of(manifests, 8);
    workers w;
    start_workers(&w, 2);
    nested tasks[6];
    rwl_group *group = NULL;
    ASSERT_OK(rwl_group_new(w.pool, &w.op, &group, err));
    for (int i = 0; i < 6; i++) {
        tasks[i] = (nested){&w, m, &s, 0};
        ASSERT_OK(rwl_group_submit(group, plan_inside, &tasks[i], err));
    }
    ASSERT_OK(rwl_group_wait(group, err));
    rwl_group_free(group);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(tasks[i].count, 160);
    stop_workers(&w);
    rwl_metadata_free(m);
}
END_TEST

/* --- what is opened --- */

/* The other 9,999 are not even there. */
START_TEST(a_filter_that_hits_one_of_ten_thousand_manifests_opens_the_list_and_that_one) {
    enum { COUNT = 10000, HIT = 7321 };
    rwl_metadata *m = test_table(3, "p int", "p");
    rwl_manifest *manifests = rwl_arena_array(test_arena(), COUNT, sizeof *manifests);
    rwl_manifest hit = data_manifest(m, HIT, 3);
    for (int i = 0; i < COUNT; i++) {
        rwl_field_summary *summary = rwl_arena_array(test_arena(), 1, sizeof *summary);
        uint8_t *bytes = rwl_arena_alloc(test_arena(), 4);
        rwl_store_le32(bytes, (uint32_t)i);
        *summary = (rwl_field_summary){false, -1, rwl_span_of(bytes, 4), rwl_span_of(bytes, 4)};
        manifests[i] = hit;
        manifests[i].partitions = summary;
        if (i != HIT)
            manifests[i].path = rwl_arena_printf(test_arena(), "/nowhere/m%d.avro", i);
    }
    rwl_snapshot s = snapshot_of(manifests, COUNT);
    const rwl_expr *filter = NULL;
    ASSERT_OK(rwl_expr_parse("p = 7321", test_arena(), &filter, err));
    for (int threads = 1; threads <= 4; threads += 3) {
        workers w;
        opened o = {0};
        rwl_plan *plan = NULL;
        start_workers(&w, threads);
        rwl_store *store = watching_store(&o, NULL);
        const rwl_plan_options options = {.snapshot = &s, .filter = filter};
        ASSERT_OK(rwl_plan_open(store, &w.op, m, &options, &plan, err));
        ck_assert_int_eq(drain(plan, -1), 3);
        ck_assert_int_eq(atomic_load(&o.count), 2);
        rwl_plan_stats stats = rwl_plan_get_stats(plan);
        ck_assert_int_eq(stats.manifests_read, 1);
        ck_assert_int_eq(stats.manifests_skipped, COUNT - 1);
        rwl_plan_close(plan);
        rwl_store_free(store);
        stop_workers(&w);
    }
    rwl_metadata_free(m);
}
END_TEST

/* Ten partitions with a vector each: the manifest of bucket 0 alone is read. The hash of 4 mod 10 is 0. */
START_TEST(ice_124_a_filter_on_one_bucket_opens_its_delete_manifest_alone) {
    rwl_metadata *m = test_table(3, "id long", "bucket(10, id)");
    rwl_manifest manifests[20];
    for (int i = 0; i < 10; i++) {
        manifests[i] = data_manifest(m, i, 1);
        manifests[10 + i] = delete_manifest(m, i);
    }
    rwl_snapshot s = snapshot_of(manifests, 20);
    const rwl_expr *filter = NULL;
    ASSERT_OK(rwl_expr_parse("id = 4", test_arena(), &filter, err));
    opened o = {0};
    rwl_store *store = watching_store(&o, NULL);
    rwl_plan *plan = NULL;
    const rwl_plan_options options = {.snapshot = &s, .filter = filter};
    ASSERT_OK(rwl_plan_open(store, test_op(), m, &options, &plan, err));
    ck_assert_int_eq(atomic_load(&o.count), 2);
    ck_assert_int_eq(atomic_load(&o.deletes), 1);
    ck_assert_int_eq(atomic_load(&o.number), 0);
    const rwl_fragment *f;
    ASSERT_OK(rwl_plan_next(plan, &f, err));
    ck_assert_str_eq(f->location, "0-0");
    ck_assert_int_eq(f->delete_count, 1);
    ASSERT_OK(rwl_plan_next(plan, &f, err));
    ck_assert_ptr_null(f);
    ck_assert_int_eq(atomic_load(&o.count), 3);
    rwl_plan_close(plan);
    rwl_store_free(store);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(manifests_without_live_files_are_not_opened) {
    rwl_metadata *m = test_table(3, "p int", "p");
    rwl_manifest manifests[2] = {data_manifest(m, 0, 1), data_manifest(m, 1, 1)};
    manifests[0].added_files = 0;
    manifests[0].added_rows = 0;
    manifests[0].deleted_files = 1;
    manifests[0].deleted_rows = 1;
    manifests[0].path = "/nowhere/gone.avro";
    rwl_snapshot s = snapshot_of(manifests, 2);
    rwl_plan *plan = NULL;
    const rwl_plan_options options = {.snapshot = &s};
    ASSERT_OK(rwl_plan_open(test_store(), test_op(), m, &options, &plan, err));
    ck_assert_int_eq(drain(plan, -1), 1);
    rwl_plan_close(plan);
    rwl_metadata_free(m);
}
END_TEST

/* --- errors --- */

/* What lies before a manifest that can't be read is given first, in every number of threads. */
START_TEST(an_error_comes_where_its_manifest_does_and_again) {
    rwl_metadata *m = test_table(3, "p int", "p");
    rwl_manifest manifests[5];
    for (int i = 0; i < 5; i++)
        manifests[i] = data_manifest(m, i, 10);
    manifests[2].path = "/nowhere/m2.avro";
    manifests[3].path = "/nowhere/m3.avro";
    rwl_snapshot s = snapshot_of(manifests, 5);
    for (int threads = 1; threads <= 4; threads++) {
        workers w;
        rwl_plan *plan = NULL;
        const rwl_fragment *f;
        start_workers(&w, threads);
        const rwl_plan_options options = {.snapshot = &s};
        ASSERT_OK(rwl_plan_open(test_store(), &w.op, m, &options, &plan, err));
        for (int i = 0; i < 20; i++)
            ASSERT_OK(rwl_plan_next(plan, &f, err));
        ASSERT_FAILS(RWL_NOT_FOUND, "m2.avro", rwl_plan_next(plan, &f, err));
        ASSERT_FAILS(RWL_NOT_FOUND, "m2.avro", rwl_plan_next(plan, &f, err));
        rwl_plan_close(plan);
        stop_workers(&w);
    }
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_cancelled_plan_is_interrupted) {
    rwl_metadata *m = test_table(3, "p int", "p");
    rwl_manifest manifests[3];
    for (int i = 0; i < 3; i++)
        manifests[i] = data_manifest(m, i, 3000);
    rwl_snapshot s = snapshot_of(manifests, 3);
    workers w;
    rwl_plan *plan = NULL;
    const rwl_fragment *f = NULL;
    start_workers(&w, 2);
    const rwl_plan_options options = {.snapshot = &s};
    ASSERT_OK(rwl_plan_open(test_store(), &w.op, m, &options, &plan, err));
    ASSERT_OK(rwl_plan_next(plan, &f, err));
    atomic_store(&w.op.cancelled, 1);
    rwl_status st = RWL_OK;
    while (st == RWL_OK && f != NULL)
        st = rwl_plan_next(plan, &f, NULL);
    ck_assert_int_eq((int)st, (int)RWL_INTERRUPTED);
    rwl_plan_close(plan);
    stop_workers(&w);
    rwl_metadata_free(m);
}
END_TEST

/* --- budgets --- */

enum { ROOMY = 1 << 30 /* for a window of all threads */ };

/* All entries of a snapshot of five manifests, where `room` bytes of a large budget are left. */
static rwl_status plan_within(const rwl_metadata *m, const rwl_snapshot *s, int threads, int64_t room,
                              int *count, rwl_error *why) {
    workers w;
    rwl_plan *plan = NULL;
    const rwl_fragment *f = NULL;
    start_workers(&w, threads);
    w.op.memory_limit = ROOMY;
    ASSERT_OK(rwl_op_reserve(&w.op, ROOMY - room, "others", err));
    const rwl_plan_options options = {.snapshot = s};
    rwl_status st = rwl_plan_open(test_store(), &w.op, m, &options, &plan, why);
    for (*count = 0; st == RWL_OK; ++*count) {
        char expected[32];
        st = rwl_plan_next(plan, &f, why);
        if (st == RWL_OK && f == NULL)
            break;
        snprintf(expected, sizeof expected, "%d-%d", *count / 3000, *count % 3000);
        if (st == RWL_OK)
            ck_assert_str_eq(f->location, expected);
    }
    rwl_plan_close(plan);
    ck_assert_int_eq(w.op.memory_used, ROOMY - room);
    stop_workers(&w);
    return st;
}

START_TEST(what_one_thread_can_plan_many_can) {
    rwl_metadata *m = test_table(3, "p int", "p");
    rwl_manifest manifests[5];
    for (int i = 0; i < 5; i++)
        manifests[i] = data_manifest(m, i, 3000);
    rwl_snapshot s = snapshot_of(manifests, 5);
    int64_t refused = 0, fits = 16 << 20;
    int count;
    while (fits - refused > 1024) {
        int64_t room = (refused + fits) / 2;
        rwl_status st = plan_within(m, &s, 1, room, &count, NULL);
        ck_assert(st == RWL_OK || st == RWL_UNSUPPORTED);
        *(st == RWL_OK ? &fits : &refused) = room;
    }
    ASSERT_FAILS(RWL_UNSUPPORTED, "more than the memory limit of 1073741824",
                 plan_within(m, &s, 4, refused / 2, &count, err));
    for (int i = 0; i < 8; i++) { /* a block of an arena more or less, by where it begins again */
        ASSERT_OK(plan_within(m, &s, 2 + i % 3, fits + (64 << 10), &count, err));
        ck_assert_int_eq(count, 15000);
    }
    rwl_metadata_free(m);
}
END_TEST

/* --- options --- */

START_TEST(deleted_entries_and_both_contents_come_when_asked_for) {
    rwl_metadata *m = test_table(3, "p int", "p");
    rwl_value partition = int_value(5);
    rwl_manifest_entry gone = {.snapshot_id = 1, .sequence_number = 1, .file_sequence_number = 1};
    gone.file = test_data_file("gone", 1, &partition, 1);
    gone.file.spec_id = m->spec->spec_id;
    rwl_manifest_writer *w = open_writer(m, 0, "gone.avro");
    ASSERT_OK(rwl_manifest_writer_carry(w, &gone, RWL_STATUS_DELETED, err));
    const rwl_manifest manifests[] = {delete_manifest(m, 0), finish(w), data_manifest(m, 1, 1)};
    const rwl_entry_stream_options options = {
        .manifests = manifests, .count = 3, .content = -1, .deleted = true, .wanted = {.bounds = true}};
    rwl_entry_stream *stream = NULL;
    ASSERT_OK(rwl_entry_stream_open(test_store(), test_op(), m, &options, &stream, err));
    static const char *const PATHS[] = {"v.puffin", "gone", "1-0"};
    for (int i = 0; i < 3; i++) {
        rwl_streamed_entry e;
        ASSERT_OK(rwl_entry_stream_next(stream, &e, err));
        ck_assert_str_eq(e.entry->file.file_path, PATHS[i]);
        ck_assert_ptr_eq(e.manifest, &manifests[i]);
        ck_assert(e.must_match);
    }
    rwl_streamed_entry e;
    ASSERT_OK(rwl_entry_stream_next(stream, &e, err));
    ck_assert_ptr_null(e.entry);
    ck_assert_int_eq(rwl_entry_stream_get_stats(stream).manifests_read, 3);
    rwl_entry_stream_close(stream);
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_entry_stream(void) {
    Suite *s = suite_create("entry_stream");
    TCase *t = tcase_create("entry_stream");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, entries_come_in_list_order_whatever_threads_there_are);
    tcase_add_test(t, plans_inside_tasks_do_not_wait_for_each_other);
    tcase_add_test(t, a_filter_that_hits_one_of_ten_thousand_manifests_opens_the_list_and_that_one);
    tcase_add_test(t, ice_124_a_filter_on_one_bucket_opens_its_delete_manifest_alone);
    tcase_add_test(t, manifests_without_live_files_are_not_opened);
    tcase_add_test(t, an_error_comes_where_its_manifest_does_and_again);
    tcase_add_test(t, a_cancelled_plan_is_interrupted);
    tcase_add_test(t, what_one_thread_can_plan_many_can);
    tcase_add_test(t, deleted_entries_and_both_contents_come_when_asked_for);
    suite_add_tcase(s, t);
    return s;
}
