/* SPDX-License-Identifier: Apache-2.0 */
/* Deletion files: the deleted physical positions of one fragment. */
#include "lance/deletions.h"

#include "ipc/ipc.h"

#include <inttypes.h>

enum { FILE_BYTES_MAX = 1 << 30 }; /* a bitmap of 2^32 rows has half of that */

/* --- .bin --- */

/* The 64-bit form of one chunk is the 32-bit form behind a count and a key. */
static rwl_status parse_bitmap(rwl_op *op, rwl_span content, rwl_bitmap **out, rwl_error *err) {
    rwl_buf whole;
    rwl_buf_init(&whole, op->env, SIZE_MAX);
    rwl_status st = rwl_buf_le64(&whole, 1, err);
    if (st == RWL_OK)
        st = rwl_buf_le32(&whole, 0, err);
    if (st == RWL_OK)
        st = rwl_buf_append(&whole, content.data, content.len, err);
    if (st == RWL_OK)
        st = rwl_bitmap_deserialize(op->env, rwl_buf_span(&whole), out, err);
    rwl_buf_clear(&whole);
    return st;
}

/* --- .arrow --- */

static rwl_status check_schema(struct ArrowArrayStream *stream, rwl_error *err) {
    struct ArrowSchema schema;
    if (stream->get_schema(stream, &schema) != 0) {
        rwl_ipc_stream_error(stream, err);
        return err->code;
    }
    rwl_status st = RWL_OK;
    if (schema.n_children != 1)
        st =
            rwl_fail(err, RWL_CORRUPT, "%" PRId64 " columns, where row_id alone is right", schema.n_children);
    else if (schema.children[0]->dictionary != NULL || strcmp(schema.children[0]->name, "row_id") != 0 ||
             strcmp(schema.children[0]->format, "I") != 0)
        st = rwl_fail(err, RWL_CORRUPT, "column %s of Arrow type %s, where row_id of uint32 (I) is right",
                      schema.children[0]->name, schema.children[0]->format);
    schema.release(&schema);
    return st;
}

static rwl_status add_positions(const struct ArrowArray *column, rwl_bitmap *into, rwl_error *err) {
    const uint8_t *validity = column->buffers[0], *values = column->buffers[1];
    for (int64_t i = 0; i < column->length; i++) {
        int64_t at = column->offset + i;
        bool was_there;
        if (column->null_count != 0 && validity != NULL && (validity[at >> 3] >> (at & 7) & 1) == 0)
            return rwl_fail(err, RWL_CORRUPT, "row_id is null in row %" PRId64, i);
        int64_t position = rwl_load_le32(values + at * 4);
        RWL_TRY(rwl_bitmap_add_checked(into, position, &was_there, err));
        if (was_there)
            return rwl_fail(err, RWL_CORRUPT, "position %" PRId64 " is there twice", position);
    }
    return RWL_OK;
}

/* Everything that the stream has. */
static rwl_status add_batches(rwl_op *op, struct ArrowArrayStream *stream, rwl_bitmap *into, rwl_error *err) {
    RWL_TRY(check_schema(stream, err));
    for (;;) {
        struct ArrowArray batch;
        RWL_TRY(rwl_op_check(op, err));
        if (stream->get_next(stream, &batch) != 0) {
            rwl_ipc_stream_error(stream, err);
            return err->code;
        }
        if (batch.release == NULL)
            return RWL_OK;
        rwl_status st = add_positions(batch.children[0], into, err);
        batch.release(&batch);
        RWL_TRY(st);
    }
}

static rwl_status parse_arrow(rwl_op *op, rwl_span content, const char *location, rwl_bitmap **out,
                              rwl_error *err) {
    struct ArrowArrayStream stream;
    rwl_error local;
    rwl_bitmap *bitmap = NULL;
    if (err == NULL)
        err = &local;
    RWL_TRY(rwl_ipc_open_bytes(op, content, location, &stream, err));
    rwl_status st = rwl_bitmap_new(op->env, &bitmap, err);
    if (st == RWL_OK)
        st = add_batches(op, &stream, bitmap, err);
    stream.release(&stream);
    if (st != RWL_OK) {
        rwl_bitmap_free(bitmap);
        return st;
    }
    *out = bitmap;
    return RWL_OK;
}

/* --- files --- */

/* Names the file, unless the message does. */
static rwl_status in_file(rwl_status st, const char *location, rwl_error *err) {
    if (st == RWL_OK || err == NULL)
        return st;
    if (strstr(err->message, location) == NULL)
        rwl_error_in(err, st, "deletion file %s", location);
    return rwl_error_path(err, st, location);
}

rwl_status rwl_lance_deletions_parse(rwl_op *op, rwl_span content, bool is_bitmap, const char *location,
                                     rwl_bitmap **out, rwl_error *err) {
    *out = NULL;
    rwl_status st =
        is_bitmap ? parse_bitmap(op, content, out, err) : parse_arrow(op, content, location, out, err);
    return in_file(st, location, err);
}

/* What the manifest says of them. */
static rwl_status check_against(const rwl_lance_fragment *fragment, const rwl_bitmap *deleted,
                                rwl_error *err) {
    int64_t count = rwl_bitmap_count(deleted);
    int64_t inside = rwl_bitmap_count_range(deleted, 0, fragment->physical_rows);
    if (inside != count)
        return rwl_fail(err, RWL_CORRUPT,
                        "%" PRId64 " of its positions are behind the %" PRId64 " rows of fragment %" PRId64,
                        count - inside, fragment->physical_rows, fragment->id);
    if (fragment->deletion.deleted_rows > 0 && fragment->deletion.deleted_rows != count)
        return rwl_fail(err, RWL_CORRUPT,
                        "%" PRId64 " positions, where the manifest says %" PRId64 " of fragment %" PRId64,
                        count, fragment->deletion.deleted_rows, fragment->id);
    return RWL_OK;
}

static rwl_status read_file(const rwl_lance_dataset *dataset, rwl_op *op, const rwl_lance_fragment *fragment,
                            const char *location, rwl_bitmap **out, rwl_error *err) {
    rwl_buf content;
    rwl_buf_init(&content, op->env, FILE_BYTES_MAX);
    rwl_status st = rwl_store_read_all(dataset->store, op, location, &content, err);
    if (st == RWL_OK)
        st = rwl_lance_deletions_parse(op, rwl_buf_span(&content), fragment->deletion.is_bitmap, location,
                                       out, err);
    rwl_buf_clear(&content);
    if (st == RWL_OK)
        st = in_file(check_against(fragment, *out, err), location, err);
    if (st != RWL_OK) {
        rwl_bitmap_free(*out);
        *out = NULL;
    }
    return st;
}

rwl_status rwl_lance_deletions_read(const rwl_lance_dataset *dataset, rwl_op *op,
                                    const rwl_lance_fragment *fragment, rwl_bitmap **out, rwl_error *err) {
    *out = NULL;
    if (!fragment->deletion.is_present)
        return RWL_OK;
    rwl_arena arena;
    const char *location;
    rwl_arena_init(&arena, op->env, 0);
    rwl_status st = rwl_lance_deletion_location(dataset, fragment, &arena, &location, err);
    if (st == RWL_OK)
        st = read_file(dataset, op, fragment, location, out, err);
    rwl_arena_clear(&arena);
    return st;
}
