/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Lance manifest: opened, everything that readers ask of it looked at, its inline lineage read, its transaction parsed. Packed
 * again, it opens again as the same and packs to the same bytes. What begins with '{' is read as a tag and as a branch.
 */
#include "counted.h"
#include "fuzz.h"
#include "lance/carrier.h"
#include "lance/dataset_internal.h"
#include "lance/lineage.h"
#include "lance/manifest_internal.h"
#include "lance/transaction.h"
#include "memory_store.h"

enum {
    BUDGET = 16 << 20,
    SLACK = 8 << 20,    /* windows, codecs' own state */
    FACTOR = 400,       /* of the input: an empty message of two bytes becomes a struct */
    FRAGMENTS_MAX = 16, /* whose lineage is read */
    ROWS_MAX = 500,     /* of them, from each end */
};

static rwl_env env;
static volatile uint64_t sink;

static void check(rwl_status st, const rwl_error *err) {
    FUZZ_CHECK(st == RWL_OK || err->message[0] != '\0');
    if (st != RWL_OK)
        fuzz_show(err->message);
}

/* --- tags and branches --- */

static void read_ref(rwl_store *store, rwl_op *op, bool is_tag) {
    rwl_arena arena;
    rwl_lance_ref ref;
    bool found = false;
    rwl_error err = {0};
    rwl_arena_init(&arena, &env, 0);
    rwl_lance_lookup lookup = {store, op, "d", &arena};
    rwl_status st = rwl_lance_ref_find(&lookup, "x", is_tag, &ref, &found, &err);
    check(st, &err);
    if (st == RWL_OK && found)
        FUZZ_CHECK((ref.version > 0 || ref.is_detached) && ref.version >= 0 && strcmp(ref.name, "x") == 0 &&
                   ref.is_tag == is_tag);
    rwl_arena_clear(&arena);
}

/* --- lineage --- */

static void read_sequences(const rwl_lance_dataset *d, rwl_op *op, const rwl_lance_fragment *f,
                           unsigned wanted) {
    rwl_lance_lineage *lineage = NULL;
    rwl_rows rows;
    rwl_error err = {0};
    int64_t count = f->physical_rows < ROWS_MAX ? f->physical_rows : ROWS_MAX;
    rwl_range ranges[2] = {{0, count}, {f->physical_rows - count, count}};
    memset(&rows, 0, sizeof rows);
    rwl_runs_init(&rows.row_ids, &env, 1);
    rwl_runs_init(&rows.versions, &env, 0);
    rwl_runs_init(&rows.created, &env, 0);
    rwl_lance_fragment_files files;
    rwl_lance_fragment_files_init(&files, d, op, f);
    rwl_status st = rwl_lance_lineage_open(&files, wanted, &lineage, &err);
    size_t parts = f->physical_rows >= 2 * ROWS_MAX ? 2 : 1;
    if (st == RWL_OK)
        st = rwl_lance_lineage_read(lineage, ranges, parts, &rows, &err);
    check(st, &err);
    if (st == RWL_OK) {
        int64_t all = count * (int64_t)parts;
        FUZZ_CHECK((wanted & RWL_LINEAGE_ROW_IDS) == 0 || rows.row_ids.length == all);
        FUZZ_CHECK((wanted & RWL_LINEAGE_VERSIONS) == 0 || rows.versions.length == all);
        FUZZ_CHECK((wanted & RWL_LINEAGE_CREATED) == 0 || rows.created.length == all);
    }
    rwl_lance_lineage_close(lineage);
    rwl_lance_fragment_files_clear(&files);
    rwl_runs_clear(&rows.row_ids);
    rwl_runs_clear(&rows.versions);
    rwl_runs_clear(&rows.created);
}

static void look_at_fragment(const rwl_lance_dataset *d, const rwl_lance_fragment *f) {
    rwl_arena arena;
    const char *location;
    rwl_arena_init(&arena, &env, 0);
    FUZZ_CHECK(f->physical_rows >= 0 && f->id >= 0);
    for (int32_t i = 0; i < f->file_count; i++) {
        const rwl_lance_data_file *file = &f->files[i];
        sink += strlen(file->path) + rwl_lance_data_file_is_legacy(file);
        for (int32_t k = 0; k < file->field_count; k++)
            sink += (uint64_t)file->fields[k];
        for (int32_t k = 0; k < file->index_count; k++)
            sink += (uint64_t)file->column_indices[k];
        sink += rwl_lance_data_location(d, file, &arena, &location, NULL);
    }
    if (f->deletion.is_present)
        sink += rwl_lance_deletion_location(d, f, &arena, &location, NULL);
    for (int i = 0; i < RWL_LANCE_SEQUENCES; i++) {
        bool known = false;
        int64_t least, greatest;
        int32_t file, column;
        rwl_lance_sequence s = (rwl_lance_sequence)i;
        if (rwl_lance_lineage_bounds(f, s, &known, &least, &greatest, NULL) == RWL_OK && known)
            FUZZ_CHECK(least <= greatest);
        if (f->arms[s].kind == RWL_LANCE_ARM_COLUMN &&
            rwl_lance_carrier_find(d, f, s, &file, &column, NULL) == RWL_OK)
            FUZZ_CHECK(file >= 0 && file < f->file_count && column >= 0);
    }
    rwl_arena_clear(&arena);
}

/* --- manifests --- */

static void look_at_schema(const rwl_lance_node *nodes, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        sink += strlen(nodes[i].field.name) + (rwl_lance_node_refused(&nodes[i]) != NULL);
        look_at_schema(nodes[i].children, nodes[i].child_count);
    }
}

static void look_at_pairs(const rwl_lance_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sink += strlen(pairs[i].key);
        for (size_t k = 0; k < pairs[i].value.len; k += 17)
            sink += pairs[i].value.data[k];
    }
}

static void read_transaction(rwl_store *store, rwl_op *op, const rwl_lance_manifest *m) {
    rwl_arena arena;
    rwl_lance_transaction t;
    bool found = false;
    rwl_error err = {0};
    rwl_arena_init(&arena, &env, 0);
    rwl_status st = rwl_lance_transaction_read(store, op, m, "d", &arena, &t, &found, &err);
    check(st, &err);
    if (st == RWL_OK && found) {
        sink += strlen(t.operation) + strlen(t.uuid);
        look_at_pairs(t.properties, t.property_count);
    }
    rwl_arena_clear(&arena);
}

static void look_at(rwl_store *store, rwl_op *op, rwl_lance_manifest *m) {
    const rwl_lance_dataset d = {.env = &env, .store = store, .root = "d", .tree = "d", .manifest = m};
    int64_t time_ms, before = -1;
    sink += strlen(m->data_format) + strlen(m->writer_library) + strlen(m->writer_version) + strlen(m->tag) +
            strlen(m->branch) + strlen(m->transaction_file);
    sink += rwl_lance_manifest_time(store, op, "d", &time_ms, NULL);
    look_at_schema(m->schema.nodes, m->schema.count);
    look_at_pairs(m->config, m->config_count);
    look_at_pairs(m->table_metadata, m->table_metadata_count);
    look_at_pairs(m->schema_metadata, m->schema_metadata_count);
    for (size_t i = 0; i < m->base_count; i++)
        sink += strlen(m->bases[i].path);
    for (size_t i = 0; i < m->fragment_count; i++) {
        const rwl_lance_fragment *f = &m->fragments[i];
        FUZZ_CHECK(f->id > before);
        before = f->id;
        FUZZ_CHECK(rwl_lance_manifest_fragment(m, f->id) == f);
        look_at_fragment(&d, f);
        if (i < FRAGMENTS_MAX) {
            read_sequences(&d, op, f, RWL_LINEAGE_ROW_IDS | RWL_LINEAGE_VERSIONS | RWL_LINEAGE_CREATED);
            read_sequences(&d, op, f, RWL_LINEAGE_ROW_IDS);
            read_sequences(&d, op, f, RWL_LINEAGE_VERSIONS);
            read_sequences(&d, op, f, RWL_LINEAGE_CREATED);
        }
    }
    read_transaction(store, op, m);
}

/* --- packing --- */

static void wrap(const rwl_buf *front, const rwl_buf *message, rwl_buf *out) {
    rwl_status st = rwl_buf_append(out, front->data, front->len, NULL);
    st = st == RWL_OK ? rwl_buf_le32(out, (uint32_t)message->len, NULL) : st;
    st = st == RWL_OK ? rwl_buf_append(out, message->data, message->len, NULL) : st;
    st = st == RWL_OK ? rwl_buf_le64(out, front->len, NULL) : st;
    st = st == RWL_OK ? rwl_buf_append(out, "\0\0\2\0LANC", 8, NULL) : st;
    FUZZ_CHECK(st == RWL_OK);
}

static void check_same(const rwl_lance_manifest *a, const rwl_lance_manifest *b) {
    FUZZ_CHECK(a->version == b->version && a->is_detached == b->is_detached);
    FUZZ_CHECK(a->timestamp_ms == b->timestamp_ms && a->next_row_id == b->next_row_id);
    FUZZ_CHECK(a->def_count == b->def_count && a->schema.count == b->schema.count);
    FUZZ_CHECK(a->fragment_count == b->fragment_count && a->base_count == b->base_count);
    for (size_t i = 0; i < a->fragment_count; i++) {
        const rwl_lance_fragment *x = &a->fragments[i], *y = &b->fragments[i];
        FUZZ_CHECK(x->id == y->id && x->file_count == y->file_count && x->physical_rows == y->physical_rows);
        for (int s = 0; s < RWL_LANCE_SEQUENCES; s++)
            FUZZ_CHECK(x->arms[s].kind == y->arms[s].kind && x->arms[s].length == y->arms[s].length);
    }
}

static void pack_again(rwl_store *store, rwl_op *op, const rwl_lance_manifest *m) {
    rwl_buf front, first, file, second;
    rwl_lance_manifest *again = NULL;
    rwl_error err = {0};
    rwl_buf *const all[] = {&front, &first, &file, &second};
    for (int i = 0; i < 4; i++)
        rwl_buf_init(all[i], &env, SIZE_MAX);
    /* sections are at positions before the message: those stay inside */
    FUZZ_CHECK(rwl_buf_reserve(&front, (size_t)m->message_offset, NULL) == RWL_OK);
    memset(front.data, 0, (size_t)m->message_offset);
    front.len = m->message_offset >= 4 ? (size_t)m->message_offset - 4 : 0;
    rwl_status st = rwl_lance_manifest_pack(m, store, op, &first, &err);
    check(st, &err);
    FUZZ_CHECK(st == RWL_OK);
    wrap(&front, &first, &file);
    rwl_store *other = rwl_memory_store_new(&env, rwl_buf_span(&file));
    st = rwl_lance_manifest_open(other, op, "d", &again, &err);
    check(st, &err);
    FUZZ_CHECK(st == RWL_OK);
    check_same(m, again);
    FUZZ_CHECK(rwl_lance_manifest_pack(again, other, op, &second, &err) == RWL_OK);
    FUZZ_CHECK(rwl_span_equal(rwl_buf_span(&first), rwl_buf_span(&second)));
    rwl_lance_manifest_free(again);
    rwl_store_free(other);
    for (int i = 0; i < 4; i++)
        rwl_buf_clear(all[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_op op;
    rwl_lance_manifest *m = NULL;
    rwl_error err = {0};
    counted_env_init(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, BUDGET);
    rwl_store *store = rwl_memory_store_new(&env, rwl_span_of(data, len));
    if (len > 0 && data[0] == '{') {
        read_ref(store, &op, true);
        read_ref(store, &op, false);
    } else {
        rwl_status st = rwl_lance_manifest_open(store, &op, "d", &m, &err);
        check(st, &err);
        if (st == RWL_OK) {
            look_at(store, &op, m);
            FUZZ_CHECK(counted_peak <= BUDGET + SLACK + FACTOR * (int64_t)len);
            pack_again(store, &op, m);
            rwl_lance_manifest_free(m);
        }
    }
    FUZZ_CHECK(atomic_load(&op.memory_used) == 0);
    rwl_store_free(store);
    FUZZ_CHECK(counted_live == 0);
    FUZZ_CHECK(counted_peak <= BUDGET + SLACK + 2 * FACTOR * (int64_t)len);
    return 0;
}
