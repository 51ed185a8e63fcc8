/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a commit and the summary of its snapshot (specification, appendix F "Optional Snapshot Summary
 * Fields"). */
#include "iceberg/update_internal.h"

#include "base/int128.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- counting --- */

static rwl_status touch(update_attempt *a, int32_t spec_id, const rwl_value *values, int32_t count,
                        rwl_error *err) {
    rwl_buf key;
    rwl_buf_init(&key, a->u->env, SIZE_MAX);
    rwl_map_value *value;
    rwl_status st = rwl_partition_key(spec_id, values, count, &key, err);
    if (st == RWL_OK)
        st = rwl_map_put(&a->partitions, rwl_buf_span(&key), &value, NULL, err);
    rwl_buf_clear(&key);
    return st;
}

static void count_removed(update_figures *g, const rwl_data_file *f) {
    if (f->content == RWL_CONTENT_DATA) {
        g->removed_data_files++;
        g->removed_records += f->record_count;
        g->removed_size += f->file_size;
        return;
    }
    g->removed_delete_files++;
    if (f->content == RWL_CONTENT_EQUALITY_DELETES) {
        g->removed_equality_files++;
        g->removed_equality_rows += f->record_count;
        g->removed_size += f->file_size;
        return;
    }
    bool vector = rwl_delete_is_vector(f);
    g->removed_positions += f->record_count;
    /* several vectors share a Puffin file: each counts its own bytes */
    g->removed_size += vector && f->content_size >= 0 ? f->content_size : f->file_size;
    if (vector)
        g->removed_vectors++;
    else
        g->removed_position_files++;
}

static rwl_status count_added(update_attempt *a, rwl_error *err) {
    const rwl_change_set *change = a->u->change;
    update_figures *g = &a->figures;
    for (size_t i = 0; i < change->added_file_count; i++) {
        const rwl_added_file *f = &change->added_files[i];
        g->added_data_files++;
        g->added_records += f->row_count;
        g->added_size += f->file_size;
        RWL_TRY(touch(a, f->spec_id, f->partition, f->partition_count, err));
    }
    for (size_t i = 0; i < change->added_vector_count; i++) {
        const rwl_added_vector *v = &change->added_vectors[i];
        g->added_delete_files++;
        g->added_vectors++;
        g->added_positions += v->cardinality;
        g->added_size += v->length;
        RWL_TRY(touch(a, v->spec_id, v->partition, v->partition_count, err));
    }
    return RWL_OK;
}

rwl_status rwl_update_count(update_attempt *a, rwl_error *err) {
    RWL_TRY(count_added(a, err));
    for (int32_t i = 0; i < a->parent.count; i++) {
        const update_source *source = a->sources[i];
        for (size_t j = 0; source != NULL && j < source->hit_count; j++) {
            const update_hit *hit = &source->hits[j];
            if (!hit->drop)
                continue;
            count_removed(&a->figures, &hit->file);
            RWL_TRY(touch(a, hit->file.spec_id, hit->file.partition, hit->file.partition_count, err));
        }
    }
    if (a->u->change->operation == RWL_OPERATION_REPLACE &&
        a->figures.added_records > a->figures.removed_records)
        return rwl_fail(err, RWL_INTERNAL, "a replace would add %" PRId64 " records for %" PRId64 " removed",
                        a->figures.added_records, a->figures.removed_records);
    return RWL_OK;
}

/* --- the summary --- */

static rwl_status put_number(rwl_json *summary, const char *key, int64_t value, bool even_zero,
                             rwl_error *err) {
    char text[24];
    if (value == 0 && !even_zero) {
        rwl_json_remove(summary, key); /* a property given by the caller tells no figure */
        return RWL_OK;
    }
    snprintf(text, sizeof text, "%" PRId64, value);
    return rwl_json_set(summary, key, rwl_json_new_str(text), err);
}

typedef struct named_figure {
    const char *key;
    int64_t value;
} named_figure;

static rwl_status put_changes(const update_attempt *a, rwl_json *summary, rwl_error *err) {
    const update_figures *g = &a->figures;
    const named_figure figures[] = {
        {"added-data-files", g->added_data_files},
        {"deleted-data-files", g->removed_data_files},
        {"added-delete-files", g->added_delete_files},
        {"removed-delete-files", g->removed_delete_files},
        {"removed-equality-delete-files", g->removed_equality_files},
        {"removed-position-delete-files", g->removed_position_files},
        {"added-dvs", g->added_vectors},
        {"removed-dvs", g->removed_vectors},
        {"added-records", g->added_records},
        {"deleted-records", g->removed_records},
        {"added-files-size", g->added_size},
        {"removed-files-size", g->removed_size},
        {"added-position-deletes", g->added_positions},
        {"removed-position-deletes", g->removed_positions},
        {"removed-equality-deletes", g->removed_equality_rows},
        {"changed-partition-count", (int64_t)a->partitions.len},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        RWL_TRY(put_number(summary, figures[i].key, figures[i].value, false, err));
    RWL_TRY(put_number(summary, "manifests-created", g->manifests_created, true, err));
    RWL_TRY(put_number(summary, "manifests-kept", g->manifests_kept, true, err));
    return put_number(summary, "manifests-replaced", g->manifests_replaced, true, err);
}

/* The parent's total; false when it does not say one that is a number. */
static bool parent_total(const update_attempt *a, const char *key, int64_t *out) {
    *out = 0;
    if (a->head == NULL)
        return true;
    const char *text = a->head->summary == NULL ? NULL : rwl_json_str(rwl_json_get(a->head->summary, key));
    if (text == NULL || *text < '0' || *text > '9')
        return false;
    char *end;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return *end == 0 && value < INT64_MAX;
}

typedef struct update_totals {
    int64_t records, data_files, delete_files;
} update_totals;

static rwl_status put_total(const update_attempt *a, rwl_json *summary, const char *key, int64_t added,
                            int64_t removed, rwl_error *err) {
    int64_t total;
    if (!parent_total(a, key, &total) || !rwl_i64_add(total, added - removed, &total) || total < 0)
        return RWL_OK;
    return put_number(summary, key, total, true, err);
}

/* What the manifests of the new list hold; false when a count is missing or the sum passes 63 bits. */
static bool count_list(const update_attempt *a, update_totals *out) {
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < a->list.len; i++) {
        const rwl_manifest *m = &a->list.items[i];
        if (m->added_files < 0 || m->existing_files < 0 || m->added_rows < 0 || m->existing_rows < 0)
            return false;
        int64_t files = (int64_t)m->added_files + m->existing_files, rows;
        if (!rwl_i64_add(m->added_rows, m->existing_rows, &rows))
            return false;
        if (m->content == 1)
            out->delete_files += files;
        else if (!rwl_i64_add(out->records, rows, &out->records))
            return false;
        else
            out->data_files += files;
    }
    return true;
}

/* Whether the parent's total and this change come to what the manifests hold. */
static bool fits(const update_attempt *a, const char *key, int64_t change, int64_t counted) {
    int64_t total;
    return !parent_total(a, key, &total) || (rwl_i64_add(total, change, &total) && total == counted);
}

static void forget_totals(rwl_json *summary) {
    static const char *const keys[] = {"total-records",          "total-data-files",
                                       "total-delete-files",     "total-files-size",
                                       "total-position-deletes", "total-equality-deletes"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        rwl_json_remove(summary, keys[i]);
}

/*
 * Files and rows by the manifests, so that a wrong total of some commit before does not go on for ever; others are the
 * parent's and this change, left out where the parent's are found wrong.
 */
static rwl_status put_totals(const update_attempt *a, rwl_json *summary, rwl_error *err) {
    const update_figures *g = &a->figures;
    update_totals t;
    bool counted = count_list(a, &t);
    bool trusted =
        counted && fits(a, "total-records", g->added_records - g->removed_records, t.records) &&
        fits(a, "total-data-files", g->added_data_files - g->removed_data_files, t.data_files) &&
        fits(a, "total-delete-files", g->added_delete_files - g->removed_delete_files, t.delete_files);
    forget_totals(summary); /* a caller's too */
    if (counted) {
        RWL_TRY(put_number(summary, "total-records", t.records, true, err));
        RWL_TRY(put_number(summary, "total-data-files", t.data_files, true, err));
        RWL_TRY(put_number(summary, "total-delete-files", t.delete_files, true, err));
    }
    if (!trusted)
        return RWL_OK;
    RWL_TRY(put_total(a, summary, "total-files-size", g->added_size, g->removed_size, err));
    RWL_TRY(put_total(a, summary, "total-position-deletes", g->added_positions, g->removed_positions, err));
    return put_total(a, summary, "total-equality-deletes", 0, g->removed_equality_rows, err);
}

static rwl_status fill_summary(const update_attempt *a, rwl_json *summary, rwl_error *err) {
    const rwl_change_set *change = a->u->change;
    for (size_t i = 0; i < change->summary_count; i++)
        RWL_TRY(
            rwl_json_set(summary, change->summary_keys[i], rwl_json_new_str(change->summary_values[i]), err));
    RWL_TRY(rwl_json_set(summary, "operation", rwl_json_new_str(rwl_operation_name(change->operation)), err));
    RWL_TRY(put_changes(a, summary, err));
    RWL_TRY(put_totals(a, summary, err));
    RWL_TRY(rwl_json_set(summary, "engine-name", rwl_json_new_str("rowline"), err));
    RWL_TRY(rwl_json_set(summary, "engine-version", rwl_json_new_str(ROWLINE_VERSION), err));
    return rwl_json_set(summary, "rowline.commit-id", rwl_json_new_str(a->u->commit_id), err);
}

rwl_status rwl_update_summary(const update_attempt *a, rwl_json **out, rwl_error *err) {
    *out = rwl_json_new_object();
    if (*out == NULL)
        return rwl_no_memory(err, 64);
    rwl_status st = fill_summary(a, *out, err);
    if (st != RWL_OK) {
        rwl_json_free(*out);
        *out = NULL;
    }
    return st;
}
