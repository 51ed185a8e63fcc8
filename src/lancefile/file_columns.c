/* SPDX-License-Identifier: Apache-2.0 */
/* Column metadata of a Lance data file: pages, their buffers and encodings ("lance.file.v2": ColumnMetadata). */
#include "lancefile/file_internal.h"
#include "wire/proto.h"

#include <inttypes.h>

enum {
    PAGE_LEN_MIN = 8 /* bytes of a page's message: less has no room for an encoding */
};

/* Encoding: a oneof, of which the last counts. */
typedef enum encoding_kind {
    ENCODING_ABSENT,
    ENCODING_INDIRECT,
    ENCODING_DIRECT,
    ENCODING_NONE
} encoding_kind;

typedef struct any_message {
    rwl_span url, value;
} any_message;

/* --- encodings --- */

static rwl_status parse_any(rwl_span message, any_message *out, rwl_error *err) {
    const rwl_proto_want wants[] = {{1, NULL, &out->url}, {2, NULL, &out->value}};
    memset(out, 0, sizeof *out);
    return rwl_proto_pick(message, wants, 2, err);
}

/* Where the bytes of an encoding lie that is elsewhere in the file. */
static rwl_status parse_indirect(const rwl_lancefile *file, rwl_span message, rwl_lance_extent *out,
                                 rwl_error *err) {
    uint64_t at = 0, length = 0;
    const rwl_proto_want wants[] = {{1, &at, NULL}, {2, &length, NULL}};
    RWL_TRY(rwl_proto_pick(message, wants, 2, err));
    return rwl_lancefile_check_extent(file, at, length, out, err);
}

typedef struct encoding_arm {
    encoding_kind kind;
    rwl_span bytes; /* still unparsed */
} encoding_arm;

static rwl_status take_arm(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    encoding_arm *arm = ctx;
    if (field->number > ENCODING_NONE)
        return RWL_OK;
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    arm->kind = (encoding_kind)field->number;
    arm->bytes = field->bytes;
    return RWL_OK;
}

/* The bytes of the Any that an Encoding holds or names; *kind tells when there are none. */
static rwl_status resolve_encoding(rwl_lancefile *file, rwl_op *op, rwl_span message, encoding_kind *kind,
                                   any_message *out, rwl_error *err) {
    encoding_arm arm = {ENCODING_ABSENT, {NULL, 0}};
    rwl_span any = {NULL, 0};
    rwl_lance_extent extent;
    memset(out, 0, sizeof *out);
    RWL_TRY(rwl_proto_walk(message, take_arm, &arm, err));
    *kind = arm.kind;
    if (arm.kind == ENCODING_INDIRECT) {
        RWL_TRY(parse_indirect(file, arm.bytes, &extent, err));
        RWL_TRY(rwl_lancefile_message(file, op, "encoding", extent, &any, err));
        return parse_any(any, out, err);
    }
    if (arm.kind == ENCODING_DIRECT) {
        any_message direct; /* has the Any's bytes as field 1 */
        RWL_TRY(parse_any(arm.bytes, &direct, err));
        return parse_any(direct.url, out, err);
    }
    return RWL_OK;
}

/* Whether the part of a type URL behind its last slash is this name. */
static bool is_type(rwl_span url, const char *name) {
    size_t from = url.len;
    while (from > 0 && url.data[from - 1] != '/')
        from--;
    if (from == url.len) /* nothing, where there may be no pointer either */
        return false;
    return rwl_span_equal(rwl_span_of(url.data + from, url.len - from), rwl_span_str(name));
}

/* A type URL for a message. */
static void show_url(rwl_span url, char out[64]) {
    size_t n = url.len < 63 ? url.len : 63;
    for (size_t i = 0; i < n; i++)
        out[i] = url.data[i] >= 0x20 && url.data[i] < 0x7f ? (char)url.data[i] : '?';
    out[n] = 0;
}

static rwl_status take_last_number(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    (void)err;
    *(uint32_t *)ctx = field->number;
    return RWL_OK;
}

/* Values alone; blobs and zone maps of version 2.0 say so here. */
static rwl_status check_column_encoding(rwl_lancefile *file, rwl_op *op, rwl_span message, rwl_error *err) {
    any_message any;
    encoding_kind kind;
    uint32_t number = 1;
    char url[64];
    RWL_TRY(resolve_encoding(file, op, message, &kind, &any, err));
    if (kind == ENCODING_ABSENT || kind == ENCODING_NONE)
        return RWL_OK;
    show_url(any.url, url);
    if (!is_type(any.url, "lance.encodings.ColumnEncoding"))
        return rwl_fail(err, RWL_CORRUPT, "column encoding of type '%s'", url);
    RWL_TRY(rwl_proto_walk(any.value, take_last_number, &number, err));
    switch (number) {
    case 1:
        return RWL_OK;
    case 2:
        return rwl_fail(err, RWL_UNSUPPORTED, "column encoding 'zone index'");
    case 3: /* pages say where each value lies, as field20 reads them */
        return file->version == RWL_LANCEFILE_2_0 ? (rwl_status)RWL_OK
                                                  : rwl_fail(err, RWL_UNSUPPORTED, "column encoding 'blob'");
    default:
        return rwl_fail(err, RWL_UNSUPPORTED, "column encoding %" PRIu32, number);
    }
}

/* Releases of 2024 and 2025 wrote their drafts of 2.1 under its number; what finished it renamed the messages. */
static bool is_of_unfinished_2_1(rwl_span url) {
    return is_type(url, "lance.encodings.PageLayout") || is_type(url, "lance.encodings.ArrayEncoding");
}

static rwl_status take_page_encoding(rwl_lancefile *file, rwl_op *op, rwl_span message, rwl_lance_page *page,
                                     rwl_error *err) {
    any_message any;
    encoding_kind kind;
    char url[64];
    RWL_TRY(resolve_encoding(file, op, message, &kind, &any, err));
    if (kind == ENCODING_ABSENT || kind == ENCODING_NONE)
        return rwl_fail(err, RWL_CORRUPT, "no encoding");
    show_url(any.url, url);
    if (file->version == RWL_LANCEFILE_2_1 && is_of_unfinished_2_1(any.url))
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "file version 2.1 from before it was finished (encoding of type '%s')", url);
    const char *expected =
        file->version == RWL_LANCEFILE_2_0 ? "lance.encodings.ArrayEncoding" : "lance.encodings21.PageLayout";
    if (!is_type(any.url, expected))
        return rwl_fail(err, RWL_CORRUPT, "encoding of type '%s' in a file of version %s", url,
                        rwl_lancefile_version_name(file->version));
    page->encoding = any.value;
    return RWL_OK;
}

/* --- buffers --- */

/* Offsets and sizes of buffers, which come in two lists. */
typedef struct extent_lists {
    rwl_lance_extent *extents;
    uint32_t first;   /* number of the field with offsets; the next has sizes */
    size_t counts[2]; /* of offsets, of sizes: first how many there are, then how many are filled in */
    int list;         /* that is being read */
} extent_lists;

static rwl_status add_number(void *ctx, uint64_t value, rwl_error *err) {
    extent_lists *lists = ctx;
    if (value > INT64_MAX)
        return rwl_fail(err, RWL_CORRUPT, "buffer %s %" PRIu64, lists->list == 0 ? "offset" : "size", value);
    rwl_lance_extent *extent = &lists->extents[lists->counts[lists->list]++];
    *(lists->list == 0 ? &extent->offset : &extent->length) = (int64_t)value;
    return RWL_OK;
}

static bool is_list(const extent_lists *lists, const rwl_proto_field *field) {
    return field->number == lists->first || field->number == lists->first + 1;
}

static rwl_status count_list(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    extent_lists *lists = ctx;
    size_t count;
    if (!is_list(lists, field))
        return RWL_OK;
    RWL_TRY(rwl_proto_count(field, &count, err));
    lists->counts[field->number - lists->first] += count;
    return RWL_OK;
}

static rwl_status take_list(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    extent_lists *lists = ctx;
    if (!is_list(lists, field))
        return RWL_OK;
    lists->list = (int)(field->number - lists->first);
    return rwl_proto_each(field, add_number, lists, err);
}

static rwl_status parse_buffers(rwl_lancefile *file, rwl_span message, uint32_t first,
                                const rwl_lance_extent **out, int32_t *count, rwl_error *err) {
    extent_lists lists = {.first = first};
    RWL_TRY(rwl_proto_walk(message, count_list, &lists, err));
    size_t n = lists.counts[0];
    if (n != lists.counts[1])
        return rwl_fail(err, RWL_CORRUPT, "%zu buffer offsets and %zu sizes", n, lists.counts[1]);
    if (n > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%zu buffers", n);
    lists.extents = rwl_arena_array(&file->arena, n, sizeof *lists.extents);
    if (!lists.extents)
        return rwl_no_memory(err, n * sizeof *lists.extents);
    lists.counts[0] = lists.counts[1] = 0;
    RWL_TRY(rwl_proto_walk(message, take_list, &lists, err));
    for (size_t i = 0; i < n; i++) {
        rwl_lance_extent *e = &lists.extents[i];
        rwl_status st = rwl_lancefile_check_extent(file, (uint64_t)e->offset, (uint64_t)e->length, e, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "buffer %zu", i);
    }
    *out = lists.extents;
    *count = (int32_t)n;
    return RWL_OK;
}

/* --- pages --- */

static rwl_status parse_page(rwl_lancefile *file, rwl_op *op, rwl_span message, rwl_lance_page *page,
                             rwl_error *err) {
    rwl_span encoding;
    RWL_TRY(rwl_lancefile_rows_and_bytes(message, 3, 4, &page->row_count, &encoding, err));
    RWL_TRY(parse_buffers(file, message, 1, &page->buffers, &page->buffer_count, err));
    return take_page_encoding(file, op, encoding, page, err);
}

/* A column on its way. */
typedef struct column_message {
    rwl_lancefile *file;
    rwl_op *op;
    rwl_lance_column *column;
    rwl_lance_page *pages;
    int32_t page; /* the next */
} column_message;

static rwl_status count_page(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    int32_t *count = ctx; /* at most the message's bytes */
    if (field->number != 2)
        return RWL_OK;
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    if (field->bytes.len < PAGE_LEN_MIN)
        return rwl_fail(err, RWL_CORRUPT, "page %" PRId32 ": no encoding in %zu bytes", *count,
                        field->bytes.len);
    ++*count;
    return RWL_OK;
}

static rwl_status add_page(column_message *m, rwl_span message, rwl_error *err) {
    rwl_lance_column *column = m->column;
    rwl_lance_page *page = &m->pages[m->page];
    rwl_status st = parse_page(m->file, m->op, message, page, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "page %" PRId32, m->page);
    page->first_row = column->row_count;
    if (page->row_count > INT64_MAX - column->row_count)
        return rwl_fail(err, RWL_CORRUPT, "page %" PRId32 ": rows overflow", m->page);
    column->row_count += page->row_count;
    m->page++;
    return RWL_OK;
}

static rwl_status take_column_part(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    column_message *m = ctx;
    if (field->number == 2)
        return add_page(m, field->bytes, err);
    if (field->number != 1)
        return RWL_OK;
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    return check_column_encoding(m->file, m->op, field->bytes, err);
}

static rwl_status parse_column(rwl_lancefile *file, rwl_op *op, rwl_span metadata, rwl_lance_column *column,
                               rwl_error *err) {
    RWL_TRY(rwl_proto_walk(metadata, count_page, &column->page_count, err));
    rwl_lance_page *pages = rwl_arena_array(&file->arena, (size_t)column->page_count, sizeof *pages);
    if (!pages)
        return rwl_no_memory(err, (size_t)column->page_count * sizeof *pages);
    column->pages = pages;
    RWL_TRY(parse_buffers(file, metadata, 3, &column->buffers, &column->buffer_count, err));
    column_message m = {file, op, column, pages, 0};
    return rwl_proto_walk(metadata, take_column_part, &m, err);
}

static rwl_status load_column(rwl_lancefile *file, rwl_op *op, int32_t index, rwl_error *err) {
    rwl_span metadata;
    rwl_lance_column *column = rwl_arena_alloc(&file->arena, sizeof *column);
    if (!column)
        return rwl_no_memory(err, sizeof *column);
    RWL_TRY(rwl_lancefile_message(file, op, "metadata", file->column_metadata[index], &metadata, err));
    RWL_TRY(parse_column(file, op, metadata, column, err));
    file->columns[index] = column;
    return RWL_OK;
}

rwl_status rwl_lancefile_column(rwl_lancefile *file, rwl_op *op, int32_t index, const rwl_lance_column **out,
                                rwl_error *err) {
    *out = NULL;
    if (index < 0 || index >= file->column_count)
        return rwl_error_path(err,
                              rwl_fail(err, RWL_CORRUPT, "column %" PRId32 " of a file with %" PRId32, index,
                                       file->column_count),
                              file->location);
    rwl_mutex_lock(&file->lock);
    rwl_status st = file->columns[index] ? (rwl_status)RWL_OK : load_column(file, op, index, err);
    st = rwl_arena_refused(&file->arena, st, "what a data file says of a column", err);
    if (st == RWL_OK)
        *out = file->columns[index];
    rwl_mutex_unlock(&file->lock);
    if (st == RWL_OK)
        return st;
    rwl_error_in(err, st, "column %" PRId32, index);
    return rwl_error_path(err, st, file->location);
}

int32_t rwl_lance_column_page(const rwl_lance_column *column, int64_t row) {
    int32_t low = 0, high = column->page_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (column->pages[middle].first_row <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
