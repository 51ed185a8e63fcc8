/* SPDX-License-Identifier: Apache-2.0 */
/* Live files summed up by partition. */
#include "engine/about.h"

#include "base/map.h"
#include "base/vec.h"
#include "engine/entry_walk.h"

#include <strings.h>

enum { ROWS_A_BATCH = 1024 };

static const rwl_field PARTITION_FIELDS[] = {
    RWL_ABOUT_JSON("partition"),
    RWL_ABOUT_FIELD("spec_id", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("record_count", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("file_count", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("total_data_file_size_in_bytes", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("position_delete_record_count", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("position_delete_file_count", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("dv_count", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("equality_delete_record_count", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("equality_delete_file_count", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("last_updated_at", RWL_TYPE_TIMESTAMPTZ),
    RWL_ABOUT_FIELD("last_updated_snapshot_id", RWL_TYPE_LONG),
};
enum { PARTITION_FIELD_COUNT = sizeof PARTITION_FIELDS / sizeof *PARTITION_FIELDS };

/* What is live in a partition. */
typedef struct partition_sums {
    int32_t spec_id;
    int64_t records, files, bytes;
    int64_t position_records, position_files, vectors;
    int64_t equality_records, equality_files;
    bool has_update; /* a live file's snapshot is still there */
    int64_t updated_ms, updated_by;
} partition_sums;

/* Keys of the map are spec id and the partition as JSON: what is printed, and equal just when the partitions are. */
typedef struct partitions_source {
    rwl_op *op;
    rwl_map by_key;
    RWL_VEC(partition_sums) sums;
    size_t given;
    rwl_buf key;
} partitions_source;

static void free_partitions(void *ctx) {
    partitions_source *p = ctx;
    const rwl_env *env = p->op->env;
    rwl_map_clear(&p->by_key);
    rwl_vec_clear(&p->sums, env);
    rwl_buf_clear(&p->key);
    rwl_free(env, p);
}

static rwl_status find_sums(partitions_source *p, const rwl_entry_walk *w, const rwl_data_file *file,
                            partition_sums **out, rwl_error *err) {
    rwl_doc doc = {.out = &p->key, .err = err, .st = RWL_OK};
    rwl_buf_reset(&p->key);
    RWL_TRY(rwl_buf_le32(&p->key, (uint32_t)file->spec_id, err));
    rwl_entry_walk_put_partition(w, file, &doc);
    RWL_TRY(doc.st);
    rwl_map_value *found;
    bool added;
    RWL_TRY(rwl_map_put(&p->by_key, rwl_buf_span(&p->key), &found, &added, err));
    if (added) {
        partition_sums fresh;
        memset(&fresh, 0, sizeof fresh);
        fresh.spec_id = file->spec_id;
        found->i64 = (int64_t)p->sums.len;
        RWL_TRY(rwl_vec_push(&p->sums, p->op->env, fresh, err));
    }
    *out = &p->sums.items[found->i64];
    return RWL_OK;
}

static rwl_status add_to(int64_t *sum, int64_t value, rwl_error *err) {
    if (__builtin_add_overflow(*sum, value, sum))
        return rwl_fail(err, RWL_CORRUPT, "the counts of a partition's files are beyond 64 bits");
    return RWL_OK;
}

static rwl_status add_file(partition_sums *s, const rwl_data_file *file, rwl_error *err) {
    if (file->content == RWL_CONTENT_DATA) {
        s->files++;
        RWL_TRY(add_to(&s->bytes, file->file_size, err));
        return add_to(&s->records, file->record_count, err);
    }
    if (file->content == RWL_CONTENT_EQUALITY_DELETES) {
        s->equality_files++;
        return add_to(&s->equality_records, file->record_count, err);
    }
    if (strcasecmp(file->file_format, "puffin") == 0)
        s->vectors++;
    else
        s->position_files++;
    return add_to(&s->position_records, file->record_count, err);
}

/* The commit that last brought a file that is still live, as far as its snapshot is there. */
static void add_update(partition_sums *s, const rwl_metadata *m, int64_t snapshot_id) {
    const rwl_snapshot *by = snapshot_id >= 0 ? rwl_metadata_snapshot(m, snapshot_id) : NULL;
    if (by == NULL || (s->has_update && by->timestamp_ms <= s->updated_ms))
        return;
    s->has_update = true;
    s->updated_ms = by->timestamp_ms;
    s->updated_by = by->snapshot_id;
}

static rwl_status sum_up(partitions_source *p, rwl_entry_walk *w, rwl_error *err) {
    for (;;) {
        const rwl_manifest_entry *e;
        partition_sums *s;
        RWL_TRY(rwl_entry_walk_next(w, &e, err));
        if (e == NULL)
            return RWL_OK;
        if (e->status == RWL_STATUS_DELETED)
            continue;
        RWL_TRY(find_sums(p, w, &e->file, &s, err));
        RWL_TRY(add_file(s, &e->file, err));
        add_update(s, w->table->metadata, e->snapshot_id);
    }
}

static rwl_status next_partitions(void *ctx, rwl_batch *batch, rwl_error *err) {
    partitions_source *p = ctx;
    for (; batch->length < ROWS_A_BATCH && p->given < p->sums.len; p->given++) {
        const partition_sums *s = &p->sums.items[p->given];
        rwl_span key = rwl_map_key(&p->by_key, p->given);
        rwl_about_row row = {.batch = batch, .err = err};
        rwl_about_text(&row, rwl_span_of(key.data + sizeof(int32_t), key.len - sizeof(int32_t)));
        rwl_about_i32(&row, true, s->spec_id);
        rwl_about_i64(&row, true, s->records);
        rwl_about_i64(&row, true, s->files);
        rwl_about_i64(&row, true, s->bytes);
        rwl_about_i64(&row, true, s->position_records);
        rwl_about_i64(&row, true, s->position_files);
        rwl_about_i64(&row, true, s->vectors);
        rwl_about_i64(&row, true, s->equality_records);
        rwl_about_i64(&row, true, s->equality_files);
        rwl_about_timestamptz(&row, s->has_update, s->updated_ms);
        rwl_about_i64(&row, s->has_update, s->updated_by);
        RWL_TRY(rwl_about_end(&row));
    }
    return RWL_OK;
}

rwl_status rwl_about_partitions(const rwl_table *table, rwl_op *op, struct ArrowArrayStream *out,
                                rwl_error *err) {
    partitions_source *p = rwl_calloc(op->env, 1, sizeof *p);
    if (p == NULL)
        return rwl_no_memory(err, sizeof *p);
    p->op = op;
    rwl_map_init(&p->by_key, op->env);
    rwl_buf_init(&p->key, op->env, SIZE_MAX);
    rwl_entry_walk walk;
    rwl_status st = rwl_entry_walk_open(&walk, table, op, table->snapshot, err);
    if (st == RWL_OK) {
        st = sum_up(p, &walk, err);
        rwl_entry_walk_clear(&walk);
    }
    if (st != RWL_OK) {
        free_partitions(p);
        return st;
    }
    rwl_arrow_source source = {p, next_partitions, free_partitions};
    return rwl_arrow_stream_from(op->env, PARTITION_FIELDS, PARTITION_FIELD_COUNT, source, out, err);
}
