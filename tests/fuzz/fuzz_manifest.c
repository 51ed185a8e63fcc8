/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifests and manifest lists: an Avro file read as both. Its entries are decoded with everything, with the metrics of
 * some columns and without any, which must see the same files; and as trees of datums, which must hold as many.
 */
#include "fuzz.h"
#include "iceberg/manifest.h"
#include "iceberg/plan_prune.h"
#include "memory_store.h"

enum { ENTRIES_MAX = 20000 };

static rwl_env env;
static rwl_op op;
static rwl_metadata *metadata;
static volatile uint64_t sink;

/* Specs 0 and 1: unpartitioned, and fields of several transforms; 2 is not known: the header's own counts. */
static const char METADATA[] =
    "{\"format-version\":3,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\",\"location\":\"s3://b/t\","
    "\"last-sequence-number\":9,\"last-updated-ms\":1,\"last-column-id\":3,\"next-row-id\":1000,\"current-"
    "schema-id\":0,"
    "\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":3,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"}]}],"
    "\"default-spec-id\":1,\"last-partition-id\":1003,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]},"
    "{\"spec-id\":1,\"fields\":["
    "{\"source-id\":1,\"field-id\":1000,\"name\":\"id_bucket\",\"transform\":\"bucket[4]\"},"
    "{\"source-id\":2,\"field-id\":1001,\"name\":\"s_trunc\",\"transform\":\"truncate[3]\"},"
    "{\"source-id\":3,\"field-id\":1002,\"name\":\"ts_day\",\"transform\":\"day\"},"
    "{\"source-id\":1,\"field-id\":1003,\"name\":\"odd\",\"transform\":\"zorder\"}]}],"
    "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}]}";

static uint64_t visit_span(rwl_span s) {
    uint64_t sum = s.len;
    for (size_t i = 0; i < s.len; i++)
        sum += s.data[i];
    return sum;
}

/* Everything an entry points to must be readable. */
static uint64_t visit(const rwl_manifest_entry *e) {
    const rwl_data_file *f = &e->file;
    uint64_t sum = strlen(f->file_path) + strlen(f->file_format) + (uint64_t)f->record_count;
    FUZZ_CHECK(e->status >= 0 && e->status <= 2 && f->record_count >= 0 && f->file_size >= 0);
    FUZZ_CHECK(e->sequence_number >= 0 || e->status != RWL_STATUS_EXISTING);
    for (int32_t i = 0; i < f->partition_count; i++)
        if (!f->partition[i].is_null && f->partition[i].kind == RWL_TYPE_STRING)
            sum += visit_span(f->partition[i].as.bytes);
    for (int32_t i = 0; i < f->value_count_count; i++)
        sum += (uint64_t)f->value_counts[i].value;
    for (int32_t i = 0; i < f->lower_count; i++)
        sum += visit_span(f->lower_bounds[i].value);
    for (int32_t i = 0; i < f->upper_count; i++)
        sum += visit_span(f->upper_bounds[i].value);
    for (int32_t i = 0; i < f->split_count; i++)
        sum += (uint64_t)f->split_offsets[i];
    for (int32_t i = 0; i < f->equality_count; i++)
        sum += (uint64_t)f->equality_ids[i];
    return sum + visit_span(f->key_metadata);
}

/* How the file read: the entries before the end or an error, and a sum of what every way of reading sees. */
typedef struct outcome {
    bool whole;
    int entries;
    uint64_t files;
} outcome;

static outcome read_manifest(rwl_store *store, const rwl_manifest *m, const rwl_manifest_wanted *wanted) {
    outcome out = {0};
    rwl_manifest_reader *r = NULL;
    rwl_error err = {0};
    if (rwl_manifest_reader_open_for(store, &op, metadata, m, wanted, &r, &err) != RWL_OK)
        return out;
    const rwl_manifest_entry *e = NULL;
    rwl_status st;
    while ((st = rwl_manifest_reader_next(r, &e, &err)) == RWL_OK && e != NULL && out.entries < ENTRIES_MAX) {
        sink += visit(e);
        out.entries++;
        out.files = out.files * 31 + strlen(e->file.file_path) + (uint64_t)e->file.first_row_id +
                    (uint64_t)e->file.file_size;
    }
    FUZZ_CHECK(st == RWL_OK || err.message[0] != 0);
    out.whole = st == RWL_OK && e == NULL;
    rwl_manifest_reader_close(r);
    return out;
}

static int count_records(rwl_store *store) {
    int count = 0;
    rwl_avro_reader *r = NULL;
    if (rwl_avro_reader_open(store, &op, "input", &r, NULL) != RWL_OK)
        return -1;
    const rwl_avro_datum *record = NULL;
    while (count <= ENTRIES_MAX && rwl_avro_reader_next(r, &record, NULL) == RWL_OK && record != NULL)
        count++;
    rwl_avro_reader_close(r);
    return count;
}

static void read_as_manifest(rwl_store *store, int32_t spec_id, int32_t content) {
    static const int32_t ids[] = {1, 3};
    const rwl_manifest_wanted some = {.counts = true, .bounds = true, .ids = ids, .id_count = 2}, none = {0};
    rwl_manifest m = {.path = "input", .spec_id = spec_id, .content = content, .sequence_number = 5};
    m.added_files = m.existing_files = m.deleted_files = -1;
    m.added_rows = m.existing_rows = m.deleted_rows = -1;
    m.has_first_row_id = content == 0;
    m.first_row_id = 100;
    outcome all = read_manifest(store, &m, NULL), few = read_manifest(store, &m, &some),
            bare = read_manifest(store, &m, &none);
    if (!all.whole)
        return; /* what is passed over is not looked at as closely */
    FUZZ_CHECK(few.whole && few.entries == all.entries && few.files == all.files);
    FUZZ_CHECK(bare.whole && bare.entries == all.entries && bare.files == all.files);
    FUZZ_CHECK(all.entries == ENTRIES_MAX || count_records(store) <= all.entries);
}

static void read_as_list(rwl_store *store) {
    rwl_manifest_list list;
    rwl_snapshot snapshot = {.snapshot_id = 1, .manifest_list = "input"};
    rwl_error err = {0};
    if (rwl_manifest_list_read(store, &op, &snapshot, &list, &err) != RWL_OK)
        return;
    for (int32_t i = 0; i < list.count; i++) {
        const rwl_manifest *m = &list.items[i];
        FUZZ_CHECK((m->content == 0 || m->content == 1) && m->sequence_number >= 0);
        sink += strlen(m->path);
        for (int32_t k = 0; k < m->partition_count; k++)
            sink += visit_span(m->partitions[k].lower) + visit_span(m->partitions[k].upper);
    }
    rwl_manifest_list_clear(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    if (metadata == NULL) {
        rwl_error err = {0};
        rwl_env_init_default(&env);
        rwl_op_init(&op, &env, 0);
        rwl_status st = rwl_metadata_parse(&env, rwl_span_str(METADATA), NULL, &metadata, &err);
        FUZZ_CHECK(st == RWL_OK);
    }
    fuzz_fix_random(&env);
    rwl_store *store = rwl_memory_store_new(&env, rwl_span_of(data, len));
    for (int32_t spec_id = 0; spec_id < 3; spec_id++)
        read_as_manifest(store, spec_id, 0);
    read_as_manifest(store, 0, 1);
    read_as_list(store);
    rwl_store_free(store);
    return 0;
}
