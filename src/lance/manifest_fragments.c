/* SPDX-License-Identifier: Apache-2.0 */
/* The fragments of a manifest: plain structs from protobuf-c's, and what must hold of them. */
#include "lance/manifest_internal.h"

#include "lance/table.pb-c.h"

enum { FRAGMENT_ID_MAX = INT32_MAX };

static const uint8_t no_bytes[1];

/* --- files --- */

/* Readers look up columns by the place in `fields`: what an index is missing for is -1, and stays beyond index_count. */
static rwl_status fill_indices(rwl_lance_manifest *m, const Rwl__Lance__DataFile *from,
                               rwl_lance_data_file *to, rwl_error *err) {
    to->index_count = (int32_t)from->n_column_indices;
    to->column_indices = from->column_indices;
    if (from->n_column_indices > from->n_fields)
        return rwl_fail(err, RWL_CORRUPT, "data file %.200s has %zu field ids but %zu column indices",
                        to->path, from->n_fields, from->n_column_indices);
    if (from->n_column_indices == from->n_fields)
        return RWL_OK;
    int32_t *padded = rwl_arena_array(&m->arena, from->n_fields, sizeof *padded);
    if (padded == NULL)
        return rwl_no_memory(err, from->n_fields * sizeof *padded);
    for (size_t i = 0; i < from->n_fields; i++)
        padded[i] = i < from->n_column_indices ? from->column_indices[i] : -1;
    to->column_indices = padded;
    return RWL_OK;
}

static rwl_status fill_file(rwl_lance_manifest *m, const Rwl__Lance__DataFile *from, rwl_lance_data_file *to,
                            rwl_error *err) {
    if (from->path == NULL || *from->path == '\0')
        return rwl_fail(err, RWL_CORRUPT, "a data file without a path");
    if (from->n_fields > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "data file %.200s has %zu fields", from->path, from->n_fields);
    if (from->file_size_bytes > INT64_MAX)
        return rwl_fail(err, RWL_CORRUPT, "data file %.200s of %llu bytes", from->path,
                        (unsigned long long)from->file_size_bytes);
    *to = (rwl_lance_data_file){
        .path = from->path,
        .fields = from->fields,
        .field_count = (int32_t)from->n_fields,
        .major_version = from->file_major_version,
        .minor_version = from->file_minor_version,
        .size = (int64_t)from->file_size_bytes,
        .base_id = from->has_base_id ? (int64_t)from->base_id : -1,
    };
    return fill_indices(m, from, to, err);
}

static rwl_status fill_files(rwl_lance_manifest *m, const Rwl__Lance__DataFragment *from,
                             rwl_lance_fragment *to, rwl_error *err) {
    if (from->n_files > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%zu data files", from->n_files);
    rwl_lance_data_file *files = rwl_arena_array(&m->arena, from->n_files, sizeof *files);
    if (files == NULL)
        return rwl_no_memory(err, from->n_files * sizeof *files);
    for (size_t i = 0; i < from->n_files; i++)
        RWL_TRY(fill_file(m, from->files[i], &files[i], err));
    to->files = files;
    to->file_count = (int32_t)from->n_files;
    return RWL_OK;
}

static rwl_status fill_deletion(const Rwl__Lance__DeletionFile *from, const rwl_lance_fragment *fragment,
                                rwl_lance_deletion_file *to, rwl_error *err) {
    if (from->file_type != 0 && from->file_type != 1)
        return rwl_fail(err, RWL_UNSUPPORTED, "a deletion file of type %d", (int)from->file_type);
    /* of old builds fragments do not tell their rows: 0 */
    if (fragment->physical_rows > 0 && from->num_deleted_rows > (uint64_t)fragment->physical_rows)
        return rwl_fail(err, RWL_CORRUPT, "%llu rows of %lld are deleted",
                        (unsigned long long)from->num_deleted_rows, (long long)fragment->physical_rows);
    if (from->num_deleted_rows > UINT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%llu rows are deleted",
                        (unsigned long long)from->num_deleted_rows);
    *to = (rwl_lance_deletion_file){
        .is_present = true,
        .is_bitmap = from->file_type == 1,
        .read_version = from->read_version,
        .id = from->id,
        .deleted_rows = (int64_t)from->num_deleted_rows,
        .base_id = from->has_base_id ? (int64_t)from->base_id : -1,
    };
    return RWL_OK;
}

/* --- arms --- */

typedef struct arm_fields {
    rwl_lance_sequence sequence;
    bool has_inline, has_external, has_column;
    rwl_span bytes;
} arm_fields;

static void arms_of(const Rwl__Lance__DataFragment *f, arm_fields out[RWL_LANCE_SEQUENCES]) {
    out[0] =
        (arm_fields){RWL_LANCE_ROW_IDS, f->has_inline_row_ids, f->external_row_ids != NULL,
                     f->column_row_ids != NULL, rwl_span_of(f->inline_row_ids.data, f->inline_row_ids.len)};
    out[1] = (arm_fields){RWL_LANCE_CREATED_AT, f->has_inline_created_at_versions,
                          f->external_created_at_versions != NULL, f->column_created_at_versions != NULL,
                          rwl_span_of(f->inline_created_at_versions.data, f->inline_created_at_versions.len)};
    out[2] = (arm_fields){
        RWL_LANCE_LAST_UPDATED, f->has_inline_last_updated_at_versions,
        f->external_last_updated_at_versions != NULL, f->column_last_updated_at_versions != NULL,
        rwl_span_of(f->inline_last_updated_at_versions.data, f->inline_last_updated_at_versions.len)};
}

static rwl_status fill_arm(const arm_fields *from, rwl_lance_arm *to, rwl_error *err) {
    if (from->has_inline + from->has_external + from->has_column > 1)
        return rwl_fail(err, RWL_CORRUPT, "%s is stored in more than one way",
                        rwl_lance_sequence_name(from->sequence));
    to->offset = -1;
    if (from->has_inline) {
        to->kind = RWL_LANCE_ARM_INLINE;
        to->bytes = from->bytes.len > 0 ? from->bytes : rwl_span_of(no_bytes, 0);
        to->length = (int64_t)from->bytes.len;
    } else if (from->has_column) {
        to->kind = RWL_LANCE_ARM_COLUMN;
    } else {
        to->kind = from->has_external ? RWL_LANCE_ARM_EXTERNAL : RWL_LANCE_ARM_ABSENT;
    }
    return RWL_OK;
}

static rwl_status fill_arms(const Rwl__Lance__DataFragment *from, rwl_lance_fragment *to, rwl_error *err) {
    arm_fields arms[RWL_LANCE_SEQUENCES];
    arms_of(from, arms);
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++)
        RWL_TRY(fill_arm(&arms[s], &to->arms[s], err));
    return RWL_OK;
}

static void place_left(rwl_lance_fragment *fragments, const rwl_lance_left *left, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rwl_lance_sequence s = left[i].field == 5   ? RWL_LANCE_ROW_IDS
                               : left[i].field == 7 ? RWL_LANCE_LAST_UPDATED
                                                    : RWL_LANCE_CREATED_AT;
        /* the walk that left arms behind has counted the same fragments */
        rwl_lance_arm *arm = &fragments[left[i].fragment].arms[s];
        arm->bytes = rwl_span_of(NULL, 0);
        arm->offset = left[i].offset;
        arm->length = left[i].length;
    }
}

/* --- all --- */

static rwl_status fill_fragment(rwl_lance_manifest *m, const Rwl__Lance__DataFragment *from,
                                rwl_lance_fragment *to, rwl_error *err) {
    if (from->n_overlays > 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "data overlay files (feature flag %d)",
                        (int)RWL_LANCE_FLAG_OVERLAYS);
    /* addresses have 32 bits for rows */
    if (from->physical_rows > (uint64_t)1 << 32)
        return rwl_fail(err, RWL_CORRUPT, "%llu physical rows", (unsigned long long)from->physical_rows);
    to->physical_rows = (int64_t)from->physical_rows;
    RWL_TRY(fill_files(m, from, to, err));
    if (from->deletion_file != NULL)
        RWL_TRY(fill_deletion(from->deletion_file, to, &to->deletion, err));
    return fill_arms(from, to, err);
}

static rwl_status fill_list(rwl_lance_manifest *m, const Rwl__Lance__Manifest *from, rwl_lance_fragment *out,
                            rwl_error *err) {
    for (size_t i = 0; i < from->n_fragments; i++) {
        uint64_t id = from->fragments[i]->id;
        if (id > FRAGMENT_ID_MAX)
            return rwl_fail(err, RWL_UNSUPPORTED, "fragment id %llu, 2^31 or more", (unsigned long long)id);
        out[i].id = (int64_t)id;
        if (i > 0 && out[i].id <= out[i - 1].id)
            return rwl_fail(err, RWL_CORRUPT, "fragment %lld follows fragment %lld: ids do not rise",
                            (long long)out[i].id, (long long)out[i - 1].id);
        rwl_status st = fill_fragment(m, from->fragments[i], &out[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "fragment %lld", (long long)out[i].id);
    }
    return RWL_OK;
}

/* Sums over fragments; what is above 2^63 can't be, of at most 2^31 fragments with 2^32 rows each, but of bytes it can. */
static rwl_status sum_arms(rwl_lance_manifest *m, rwl_error *err) {
    for (size_t i = 0; i < m->fragment_count; i++) {
        for (int s = 0; s < RWL_LANCE_SEQUENCES; s++) {
            const rwl_lance_arm *arm = &m->fragments[i].arms[s];
            if (arm->kind == RWL_LANCE_ARM_INLINE &&
                __builtin_add_overflow(m->lineage_bytes[s], arm->length, &m->lineage_bytes[s]))
                return rwl_fail(err, RWL_CORRUPT, "inline lineage of more than 2^63 bytes");
        }
    }
    return RWL_OK;
}

rwl_status rwl_lance_manifest_fill_fragments(rwl_lance_manifest *m, const rwl_lance_left *left,
                                             size_t left_count, rwl_error *err) {
    const Rwl__Lance__Manifest *from = m->message;
    rwl_lance_fragment *fragments = rwl_arena_array(&m->arena, from->n_fragments, sizeof *fragments);
    if (fragments == NULL)
        return rwl_no_memory(err, from->n_fragments * sizeof *fragments);
    RWL_TRY(fill_list(m, from, fragments, err));
    place_left(fragments, left, left_count);
    m->fragments = fragments;
    m->fragment_count = from->n_fragments;
    if (from->n_fragments > 0) {
        int64_t greatest = fragments[from->n_fragments - 1].id;
        if (!from->has_max_fragment_id) /* of builds that wrote no zero, or nothing at all */
            m->max_fragment_id = greatest;
        else if (m->max_fragment_id < greatest)
            return rwl_fail(err, RWL_CORRUPT, "max_fragment_id is %lld, there is a fragment %lld",
                            (long long)m->max_fragment_id, (long long)greatest);
    }
    return sum_arms(m, err);
}
