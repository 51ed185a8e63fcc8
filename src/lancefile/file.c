/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a Lance data file: its tail in one read, footer and tables checked, columns parsed when asked for. */
#include "lancefile/file.h"

#include "lancefile/file_internal.h"
#include "wire/proto.h"

#include <inttypes.h>

enum {
    FOOTER_LEN = 40,
    LEGACY_FOOTER_LEN = 16, /* of v1: position, major, minor, magic */
    TABLE_ENTRY_LEN = 16,
    TAIL_LEN = 64 * 1024
};

const char *rwl_lancefile_version_name(rwl_lancefile_version version) {
    switch (version) {
    case RWL_LANCEFILE_2_0:
        return "2.0";
    case RWL_LANCEFILE_2_1:
        return "2.1";
    case RWL_LANCEFILE_2_2:
        return "2.2";
    }
    return "unknown";
}

static rwl_status set_version(rwl_lancefile *file, uint16_t major, uint16_t minor, rwl_error *err) {
    static const struct {
        uint16_t major, minor;
        rwl_lancefile_version version;
    } known[] = {{0, 3, RWL_LANCEFILE_2_0}, /* (2, 0): written by none, taken for 2.0 by others */
                 {2, 0, RWL_LANCEFILE_2_0},
                 {2, 1, RWL_LANCEFILE_2_1},
                 {2, 2, RWL_LANCEFILE_2_2}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].major == major && known[i].minor == minor) {
            file->version = known[i].version;
            return RWL_OK;
        }
    const char *what = major == 0 && minor <= 2 ? " (legacy)" : "";
    return rwl_fail(err, RWL_UNSUPPORTED,
                    "Lance file version %u.%u%s is not supported (2.0, 2.1 and 2.2 are)", major, minor, what);
}

/* Magic and version, which legacy files have in the same place. */
static rwl_status check_end(rwl_lancefile *file, rwl_error *err) {
    if (file->size < LEGACY_FOOTER_LEN)
        return rwl_fail(err, RWL_CORRUPT, "no Lance file: %" PRId64 " bytes", file->size);
    const uint8_t *end = file->tail + file->tail_len;
    if (memcmp(end - 4, "LANC", 4) != 0)
        return rwl_fail_at(err, RWL_CORRUPT, file->size - 4,
                           "no Lance file: it ends in %02x %02x %02x %02x, not LANC", end[-4], end[-3],
                           end[-2], end[-1]);
    RWL_TRY(set_version(file, rwl_load_le16(end - 8), rwl_load_le16(end - 6), err));
    if (file->size < FOOTER_LEN)
        return rwl_fail(err, RWL_CORRUPT, "no Lance file: %" PRId64 " bytes have no room for the footer",
                        file->size);
    return RWL_OK;
}

static rwl_status read_range(rwl_lancefile *file, rwl_op *op, int64_t offset, size_t len, uint8_t *dst,
                             rwl_error *err) {
    RWL_TRY(rwl_file_read(file->file, op, offset, len, dst, err));
    file->bytes_read += (int64_t)len;
    file->requests++;
    return RWL_OK;
}

static rwl_status read_tail(rwl_lancefile *file, rwl_op *op, rwl_error *err) {
    size_t len = file->size < TAIL_LEN ? (size_t)file->size : TAIL_LEN;
    file->tail = rwl_alloc(file->env, len);
    if (!file->tail)
        return rwl_no_memory(err, len);
    file->tail_len = len;
    file->tail_offset = file->size - (int64_t)len;
    return read_range(file, op, file->tail_offset, len, file->tail, err);
}

/* Puts the bytes from `offset` to the tail's begin in front of it. */
static rwl_status extend_tail(rwl_lancefile *file, rwl_op *op, int64_t offset, rwl_error *err) {
    size_t more = (size_t)(file->tail_offset - offset);
    RWL_TRY(rwl_op_reserve(op, (int64_t)more, "tables of a data file", err));
    uint8_t *longer = rwl_alloc(file->env, more + file->tail_len);
    if (!longer) {
        rwl_op_release(op, (int64_t)more);
        return rwl_no_memory(err, more + file->tail_len);
    }
    memcpy(longer + more, file->tail, file->tail_len);
    rwl_free(file->env, file->tail);
    file->tail = longer;
    file->tail_len += more;
    file->tail_offset = offset;
    return read_range(file, op, offset, more, longer, err);
}

/* What the footer says, positions still unchecked. */
typedef struct footer {
    uint64_t columns, column_table, global_table; /* positions */
    uint32_t global_count, column_count;
} footer;

static rwl_status read_footer(const rwl_lancefile *file, footer *out, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of(file->tail + file->tail_len - FOOTER_LEN, FOOTER_LEN));
    RWL_TRY(rwl_cursor_le64(&c, &out->columns, err));
    RWL_TRY(rwl_cursor_le64(&c, &out->column_table, err));
    RWL_TRY(rwl_cursor_le64(&c, &out->global_table, err));
    RWL_TRY(rwl_cursor_le32(&c, &out->global_count, err));
    return rwl_cursor_le32(&c, &out->column_count, err);
}

static rwl_status check_table(const rwl_lancefile *file, const char *what, uint64_t position, uint32_t count,
                              rwl_error *err) {
    uint64_t end = (uint64_t)(file->size - FOOTER_LEN);
    if (position > end || count > (end - position) / TABLE_ENTRY_LEN || count > INT32_MAX)
        return rwl_fail_at(err, RWL_CORRUPT, file->size - FOOTER_LEN,
                           "table of %" PRIu32 " %s at %" PRIu64 " in a file of %" PRId64 " bytes", count,
                           what, position, file->size);
    return RWL_OK;
}

/* Tables stand before the footer; the tail grows by no more than they need. */
static rwl_status fetch_tables(rwl_lancefile *file, rwl_op *op, const footer *f, rwl_error *err) {
    RWL_TRY(check_table(file, "columns", f->column_table, f->column_count, err));
    RWL_TRY(check_table(file, "global buffers", f->global_table, f->global_count, err));
    if (f->columns > (uint64_t)(file->size - FOOTER_LEN))
        return rwl_fail_at(err, RWL_CORRUPT, file->size - FOOTER_LEN,
                           "column metadata at %" PRIu64 " in a file of %" PRId64 " bytes", f->columns,
                           file->size);
    uint64_t first = f->column_table < f->global_table ? f->column_table : f->global_table;
    if (first >= (uint64_t)file->tail_offset)
        return RWL_OK;
    uint64_t need = ((uint64_t)f->column_count + f->global_count) * TABLE_ENTRY_LEN + FOOTER_LEN;
    if ((uint64_t)file->size - first > need + TAIL_LEN)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)first,
                           "tables of %" PRIu64 " bytes begin %" PRIu64 " before the end", need,
                           (uint64_t)file->size - first);
    return extend_tail(file, op, (int64_t)first, err);
}

rwl_status rwl_lancefile_check_extent(const rwl_lancefile *file, uint64_t offset, uint64_t length,
                                      rwl_lance_extent *out, rwl_error *err) {
    uint64_t size = (uint64_t)file->size;
    if (offset > size || length > size - offset)
        return rwl_fail(err, RWL_CORRUPT, "%" PRIu64 " bytes at %" PRIu64 " in a file of %" PRId64, length,
                        offset, file->size);
    *out = (rwl_lance_extent){(int64_t)offset, (int64_t)length};
    return RWL_OK;
}

static rwl_status read_table(rwl_lancefile *file, const char *what, uint64_t position, uint32_t count,
                             const rwl_lance_extent **out, rwl_error *err) {
    rwl_lance_extent *extents = rwl_arena_array(&file->arena, count, sizeof *extents);
    if (!extents)
        return rwl_no_memory(err, count * sizeof *extents);
    const uint8_t *entry = file->tail + (position - (uint64_t)file->tail_offset);
    for (uint32_t i = 0; i < count; i++, entry += TABLE_ENTRY_LEN) {
        rwl_status st = rwl_lancefile_check_extent(file, rwl_load_le64(entry), rwl_load_le64(entry + 8),
                                                   &extents[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s %" PRIu32, what, i);
    }
    *out = extents;
    return RWL_OK;
}

static rwl_status load(rwl_lancefile *file, rwl_op *op, int64_t known_size, rwl_error *err) {
    footer f;
    RWL_TRY(rwl_file_size(file->file, &file->size, err));
    RWL_TRY(read_tail(file, op, err));
    RWL_TRY(check_end(file, err));
    RWL_TRY(read_footer(file, &f, err));
    RWL_TRY(fetch_tables(file, op, &f, err));
    RWL_TRY(read_table(file, "column metadata", f.column_table, f.column_count, &file->column_metadata, err));
    RWL_TRY(read_table(file, "global buffer", f.global_table, f.global_count, &file->globals, err));
    file->column_count = (int32_t)f.column_count;
    file->global_count = (int32_t)f.global_count;
    file->columns = rwl_arena_array(&file->arena, f.column_count, sizeof *file->columns);
    if (!file->columns)
        return rwl_no_memory(err, f.column_count * sizeof *file->columns);
    rwl_file_size_compare(op->env, file->location, file->size, known_size > 0 ? known_size : -1);
    return RWL_OK;
}

rwl_status rwl_lancefile_open(rwl_store *store, rwl_op *op, const char *location, int64_t known_size,
                              rwl_lancefile **out, rwl_error *err) {
    *out = NULL;
    RWL_TRY(rwl_op_check(op, err));
    rwl_lancefile *file = rwl_calloc(op->env, 1, sizeof *file);
    if (!file)
        return rwl_no_memory(err, sizeof *file);
    rwl_status st = rwl_mutex_init(&file->lock, err);
    if (st != RWL_OK) {
        rwl_free(op->env, file);
        return st;
    }
    file->env = op->env;
    file->store = store;
    file->row_count = -1;
    rwl_arena_init(&file->arena, op->env, 0);
    rwl_arena_charge(&file->arena, op);
    file->location = rwl_arena_strdup(&file->arena, location);
    if (!file->location) {
        st = rwl_no_memory(err, strlen(location));
        goto out;
    }
    RWL_GOTO(st, rwl_file_open(store, op, location, &file->file, err), out);
    RWL_GOTO(st, load(file, op, known_size, err), out);
    *out = file;
    return RWL_OK;
out:
    st = rwl_arena_refused(&file->arena, st, "tables of a data file", err);
    rwl_lancefile_free(file);
    return rwl_error_path(err, st, location);
}

void rwl_lancefile_free(rwl_lancefile *file) {
    if (!file)
        return;
    const rwl_env *env = file->env;
    rwl_file_close(file->file);
    if (file->tail_len > TAIL_LEN)
        rwl_op_release(file->arena.op, (int64_t)(file->tail_len - TAIL_LEN));
    rwl_arena_clear(&file->arena);
    rwl_free(env, file->tail);
    rwl_mutex_clear(&file->lock);
    rwl_free(env, file);
}

rwl_status rwl_lancefile_message(rwl_lancefile *file, rwl_op *op, const char *what, rwl_lance_extent extent,
                                 rwl_span *out, rwl_error *err) {
    if (extent.length > RWL_LANCEFILE_MESSAGE_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s of %" PRId64 " bytes; the limit is %d", what, extent.length,
                        RWL_LANCEFILE_MESSAGE_MAX);
    if (extent.offset >= file->tail_offset) {
        *out = rwl_span_of(file->tail + (extent.offset - file->tail_offset), (size_t)extent.length);
        return RWL_OK;
    }
    if (extent.length >
        file->size - file->message_bytes) /* many pages can name the same bytes as their encoding */
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "%s of %" PRId64 " bytes beside %" PRId64 " of others in a file of %" PRId64, what,
                        extent.length, file->message_bytes, file->size);
    file->message_bytes += extent.length;
    uint8_t *bytes = rwl_arena_alloc(&file->arena, (size_t)extent.length);
    if (!bytes)
        return rwl_no_memory(err, (size_t)extent.length);
    if (extent.length > 0)
        RWL_TRY(read_range(file, op, extent.offset, (size_t)extent.length, bytes, err));
    *out = rwl_span_of(bytes, (size_t)extent.length);
    return RWL_OK;
}

rwl_status rwl_lancefile_rows_and_bytes(rwl_span message, uint32_t rows_number, uint32_t bytes_number,
                                        int64_t *rows, rwl_span *bytes, rwl_error *err) {
    uint64_t told = 0;
    const rwl_proto_want wants[] = {{rows_number, &told, NULL}, {bytes_number, NULL, bytes}};
    *bytes = rwl_span_of(NULL, 0);
    RWL_TRY(rwl_proto_pick(message, wants, 2, err));
    if (told > INT64_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%" PRIu64 " rows", told);
    *rows = (int64_t)told;
    return RWL_OK;
}
