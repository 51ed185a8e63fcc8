/* SPDX-License-Identifier: Apache-2.0 */
/* Writing Puffin files: blobs one behind the other, then the footer that names them. */
#include "puffin/puffin.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>

/* The reserved id of the column _pos: the field a deletion vector is about. */
#define FIELD_POS INT64_C(2147483645)

/* DuckDB 1.5.5 reads each vector by itself, those that a snapshot needs, and keeps what it read. When what lies between a
 * vector and the next range it has is no longer than the vector, nor than this, it reads that too, and then takes any
 * vector that lies therein for the first one: silently wrong rows. So a vector and what fills up to the next one are longer
 * than the vector before: then no such stretch holds one, whichever were read before and in whatever order. */
#define WIDENED_MOST INT64_C(1048576)

struct rwl_puffin_writer {
    const rwl_env *env;
    const char *location;
    rwl_new_file *file;
    rwl_buf footer; /* payload so far: {"blobs":[… */
    rwl_buf blob;
    int64_t size; /* bytes written */
    int64_t blob_count;
    int64_t last_length, length_before; /* of the last vector and the one before it, 0 without */
};

static void free_writer(rwl_puffin_writer *w) {
    rwl_buf_clear(&w->footer);
    rwl_buf_clear(&w->blob);
    rwl_free(w->env, w);
}

static rwl_status write_bytes(rwl_puffin_writer *w, rwl_span bytes, rwl_error *err) {
    RWL_TRY(rwl_new_file_write(w->file, bytes.data, bytes.len, err));
    w->size += (int64_t)bytes.len;
    return RWL_OK;
}

static rwl_status open_file(rwl_puffin_writer *w, rwl_store *store, rwl_op *op, rwl_error *err) {
    RWL_TRY(rwl_buf_str(&w->footer, "{\"blobs\":[", err));
    RWL_TRY(rwl_new_file_create(store, op, w->location, &w->file, err));
    return write_bytes(w, rwl_span_str("PFA1"), err);
}

rwl_status rwl_puffin_writer_open(rwl_store *store, rwl_op *op, const char *location, rwl_puffin_writer **out,
                                  rwl_error *err) {
    *out = NULL;
    rwl_puffin_writer *w = rwl_calloc(op->env, 1, sizeof *w);
    if (w == NULL)
        return rwl_no_memory(err, sizeof *w);
    w->env = op->env;
    w->location = location;
    rwl_buf_init(&w->footer, w->env, INT32_MAX);
    rwl_buf_init(&w->blob, w->env, INT32_MAX);
    rwl_status st = open_file(w, store, op, err);
    if (st != RWL_OK) {
        rwl_puffin_writer_abort(w);
        return st;
    }
    *out = w;
    return RWL_OK;
}

void rwl_puffin_writer_abort(rwl_puffin_writer *w) {
    if (w == NULL)
        return;
    rwl_new_file_abort(w->file);
    free_writer(w);
}

/* --- the footer's entries --- */

static rwl_status set_properties(rwl_json *blob, const char *data_file, int64_t cardinality, rwl_error *err) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, cardinality);
    rwl_json *properties = rwl_json_new_object();
    RWL_TRY(rwl_json_set(blob, "properties", properties, err)); /* which holds it from here on */
    rwl_json *path = rwl_json_new_str(data_file);
    if (path == NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "path of a data file is no valid UTF-8: %s", data_file);
    RWL_TRY(rwl_json_set(properties, "referenced-data-file", path, err));
    return rwl_json_set(properties, "cardinality", rwl_json_new_str(digits), err);
}

static rwl_status set_blob(rwl_json *blob, const char *data_file, const rwl_dv_ref *ref, rwl_error *err) {
    rwl_json *fields = rwl_json_new_array();
    RWL_TRY(rwl_json_set(blob, "type", rwl_json_new_str("deletion-vector-v1"), err));
    RWL_TRY(rwl_json_set(blob, "fields", fields, err));
    RWL_TRY(rwl_json_append(fields, rwl_json_new_i64(FIELD_POS), err));
    RWL_TRY(rwl_json_set(blob, "snapshot-id", rwl_json_new_i64(-1), err));
    RWL_TRY(rwl_json_set(blob, "sequence-number", rwl_json_new_i64(-1), err));
    RWL_TRY(rwl_json_set(blob, "offset", rwl_json_new_i64(ref->offset), err));
    RWL_TRY(rwl_json_set(blob, "length", rwl_json_new_i64(ref->length), err));
    return set_properties(blob, data_file, ref->cardinality, err);
}

static rwl_status append_entry(rwl_puffin_writer *w, const char *data_file, const rwl_dv_ref *ref,
                               rwl_error *err) {
    rwl_json *blob = rwl_json_new_object();
    if (blob == NULL)
        return rwl_fail(err, RWL_NO_MEMORY, "no memory for a blob's description");
    rwl_status st = set_blob(blob, data_file, ref, err);
    if (st == RWL_OK && w->blob_count > 0)
        st = rwl_buf_u8(&w->footer, ',', err);
    if (st == RWL_OK)
        st = rwl_json_dump(blob, 0, &w->footer, err);
    rwl_json_free(blob);
    return st;
}

/* Zeros behind the last vector until there is room for what may follow it (WIDENED_MOST). */
static rwl_status write_gap(rwl_puffin_writer *w, rwl_error *err) {
    static const uint8_t zeros[4096];
    int64_t before = w->length_before < WIDENED_MOST ? w->length_before : WIDENED_MOST;
    for (int64_t left = before == 0 ? 0 : before + 1 - w->last_length; left > 0;) {
        size_t some = left < (int64_t)sizeof zeros ? (size_t)left : sizeof zeros;
        RWL_TRY(write_bytes(w, (rwl_span){zeros, some}, err));
        left -= (int64_t)some;
    }
    return RWL_OK;
}

rwl_status rwl_puffin_add_dv(rwl_puffin_writer *w, const char *data_file, rwl_bitmap *positions,
                             rwl_dv_ref *ref, rwl_error *err) {
    rwl_buf_reset(&w->blob);
    RWL_TRY(rwl_dv_encode(positions, &w->blob, err));
    RWL_TRY(write_gap(w, err));
    *ref = (rwl_dv_ref){w->location, w->size, (int64_t)w->blob.len, rwl_bitmap_count(positions), 0};
    RWL_TRY(append_entry(w, data_file, ref, err));
    RWL_TRY(write_bytes(w, rwl_buf_span(&w->blob), err));
    w->blob_count++;
    w->length_before = w->last_length;
    w->last_length = ref->length;
    return RWL_OK;
}

/* --- the end --- */

static rwl_status write_footer(rwl_puffin_writer *w, rwl_error *err) {
    /* An empty file says nothing but that: the 32 bytes that every implementation writes. */
    const char *tail =
        w->blob_count == 0 ? "]}" : "],\"properties\":{\"created-by\":\"rowline " ROWLINE_VERSION "\"}}";
    RWL_TRY(write_gap(w, err));
    RWL_TRY(rwl_buf_str(&w->footer, tail, err));
    uint32_t payload_size = (uint32_t)w->footer.len;
    RWL_TRY(rwl_buf_le32(&w->footer, payload_size, err));
    RWL_TRY(rwl_buf_le32(&w->footer, 0, err)); /* flags */
    RWL_TRY(rwl_buf_str(&w->footer, "PFA1", err));
    RWL_TRY(write_bytes(w, rwl_span_str("PFA1"), err));
    return write_bytes(w, rwl_buf_span(&w->footer), err);
}

rwl_status rwl_puffin_writer_finish(rwl_puffin_writer *w, int64_t *file_size, rwl_error *err) {
    rwl_status st = write_footer(w, err);
    if (st != RWL_OK) {
        rwl_puffin_writer_abort(w);
        return st;
    }
    if (file_size != NULL)
        *file_size = w->size;
    st = rwl_new_file_finish(w->file, err);
    free_writer(w);
    return st;
}
