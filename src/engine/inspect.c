/* SPDX-License-Identifier: Apache-2.0 */
/* Telling files apart, and the frame of every document. */
#include "engine/inspect_internal.h"
#include "engine/inspect_lance.h"

#include <inttypes.h>
#include <stdio.h>

enum { HEAD_LEN = 16 };
#define DOCUMENT_MAX ((size_t)1 << 30)

static const char *const KINDS[] = {
    [RWL_INSPECT_PARQUET] = "parquet",
    [RWL_INSPECT_AVRO] = "avro",
    [RWL_INSPECT_PUFFIN] = "puffin",
    [RWL_INSPECT_MANIFEST] = "manifest",
    [RWL_INSPECT_METADATA] = "metadata",
    [RWL_INSPECT_MANIFEST_LIST] = "manifest_list",
    [RWL_INSPECT_LANCE_DATA] = "lance_data",
    [RWL_INSPECT_LANCE_MANIFEST] = "lance_manifest",
    [RWL_INSPECT_LANCE_TRANSACTION] = "lance_transaction",
    [RWL_INSPECT_LANCE_DELETIONS] = "lance_deletions",
};

const char *rwl_inspect_kind(const rwl_inspect *in) {
    return KINDS[in->what];
}

/* --- what it is --- */

static rwl_status read_head(rwl_inspect *in, uint8_t head[HEAD_LEN], size_t *len, rwl_error *err) {
    rwl_stat st;
    RWL_TRY(rwl_store_stat(in->store, in->op, in->location, &st, err));
    if (st.is_directory)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "%s is a directory: inspect opens files, show, log and files tell about tables",
                        in->location);
    rwl_file *file;
    RWL_TRY(rwl_file_open(in->store, in->op, in->location, &file, err));
    rwl_status status = rwl_file_size(file, &in->size, err);
    *len = in->size < HEAD_LEN ? (size_t)in->size : HEAD_LEN;
    if (status == RWL_OK && *len > 0)
        status = rwl_file_read(file, in->op, 0, *len, head, err);
    rwl_file_close(file);
    return status;
}

static rwl_status fail_unknown(const rwl_inspect *in, const uint8_t *head, size_t len, rwl_error *err) {
    static const struct {
        const char *magic, *name;
    } OTHERS[] = {{"PARE", "Parquet with an encrypted footer"},
                  {"AGS1", "an encrypted file (Iceberg's AES GCM stream)"},
                  {"ORC", "ORC"},
                  {"ARROW1", "Arrow IPC"},
                  {"PK\x03\x04", "zip"},
                  {"SQLite format 3", "SQLite"},
                  {"\x28\xb5\x2f\xfd", "zstd"}};
    if (len == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s is empty", in->location);
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        size_t magic_len = strlen(OTHERS[i].magic);
        if (len >= magic_len && memcmp(head, OTHERS[i].magic, magic_len) == 0)
            return rwl_fail(err, RWL_UNSUPPORTED, "%s is %s, which inspect does not open", in->location,
                            OTHERS[i].name);
    }
    char hex[3 * 8 + 1] = "";
    for (size_t i = 0; i < len && i < 8; i++)
        snprintf(hex + 3 * i, 4, "%02x ", head[i]);
    hex[3 * (len < 8 ? len : 8) - 1] = '\0';
    return rwl_fail(err, RWL_UNSUPPORTED,
                    "%s begins with %s: no Parquet, Avro, Puffin, Lance or Iceberg metadata file",
                    in->location, hex);
}

static rwl_status open_avro(rwl_inspect *in, rwl_error *err) {
    rwl_avro_reader *reader;
    RWL_TRY(rwl_avro_reader_open(in->store, in->op, in->location, &reader, err));
    in->what = rwl_inspect_avro_what(rwl_avro_reader_schema(reader));
    rwl_avro_reader_close(reader);
    return RWL_OK;
}

/* Spaces and a byte order mark may stand before the brace. */
static bool looks_like_json(const uint8_t *head, size_t len) {
    size_t i = len >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < len && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
        i++;
    return i < len && head[i] == '{';
}

static rwl_status identify(rwl_inspect *in, rwl_error *err) {
    uint8_t head[HEAD_LEN] = {0};
    size_t len;
    bool found;
    RWL_TRY(read_head(in, head, &len, err));
    RWL_TRY(rwl_inspect_lance_by_end(in, &found, err));
    if (found)
        return RWL_OK;
    if (len >= 4 && memcmp(head, "PAR1", 4) == 0) {
        in->what = RWL_INSPECT_PARQUET;
        return rwl_parquet_open(in->store, in->op, in->location, -1, &in->parquet, err);
    }
    if (len >= 4 && memcmp(head, "Obj\x01", 4) == 0)
        return open_avro(in, err);
    in->what = len >= 4 && memcmp(head, "PFA1", 4) == 0 ? RWL_INSPECT_PUFFIN : RWL_INSPECT_METADATA;
    if (in->what == RWL_INSPECT_PUFFIN || looks_like_json(head, len) ||
        (len >= 2 && head[0] == 0x1f && head[1] == 0x8b))
        return RWL_OK;
    RWL_TRY(rwl_inspect_lance_by_head(in, rwl_span_of(head, len), &found, err));
    return found ? (rwl_status)RWL_OK : fail_unknown(in, head, len, err);
}

/* --- which part of it --- */

bool rwl_inspect_wants(const rwl_inspect *in, const rwl_parquet_leaf *leaf) {
    if (in->column == NULL)
        return true;
    size_t len = strlen(in->column);
    return strncmp(leaf->field.name, in->column, len) == 0 &&
           (leaf->field.name[len] == '\0' || leaf->field.name[len] == '.');
}

static rwl_status check_part(rwl_inspect *in, rwl_error *err) {
    bool has_schema = in->what != RWL_INSPECT_PUFFIN && in->what != RWL_INSPECT_LANCE_TRANSACTION &&
                      in->what != RWL_INSPECT_LANCE_DELETIONS;
    if (in->schema_only && !has_schema)
        return rwl_fail(err, RWL_USAGE, "%s is %s, which has no schema", in->location, KINDS[in->what]);
    if (in->manifest_list != NULL && in->what != RWL_INSPECT_MANIFEST)
        return rwl_fail(err, RWL_USAGE, "a manifest list goes with a manifest, %s is %s", in->location,
                        KINDS[in->what]);
    if (in->what == RWL_INSPECT_LANCE_DATA && in->row_group < 0)
        return rwl_inspect_lance_check_column(in, err);
    if (in->row_group >= 0 && in->what != RWL_INSPECT_PARQUET)
        return rwl_fail(err, RWL_USAGE, "row groups are chosen of Parquet files, %s is %s", in->location,
                        KINDS[in->what]);
    if (in->what != RWL_INSPECT_PARQUET)
        return in->column == NULL
                   ? (rwl_status)RWL_OK
                   : rwl_fail(err, RWL_USAGE, "columns are chosen of Parquet and Lance data files, %s is %s",
                              in->location, KINDS[in->what]);
    const rwl_parquet_file *file = in->parquet;
    if (in->row_group >= file->group_count)
        return rwl_fail(err, RWL_USAGE, "no row group %" PRId64 ": %s has %" PRId32, in->row_group,
                        in->location, file->group_count);
    for (int32_t i = 0; i < file->leaf_count; i++)
        if (rwl_inspect_wants(in, &file->leaves[i]))
            return RWL_OK;
    return in->column == NULL ? (rwl_status)RWL_OK
                              : rwl_fail(err, RWL_USAGE, "no column %s in %s", in->column, in->location);
}

/* --- the handle --- */

static rwl_status keep_text(rwl_inspect *in, const char *text, const char **out, rwl_error *err) {
    *out = text != NULL ? rwl_arena_strdup(&in->arena, text) : NULL;
    return text != NULL && *out == NULL ? rwl_no_memory(err, strlen(text)) : RWL_OK;
}

static rwl_status open_file(rwl_inspect *in, const char *location, const rwl_inspect_options *options,
                            rwl_error *err) {
    RWL_TRY(keep_text(in, location, &in->location, err));
    RWL_TRY(keep_text(in, options->manifest_list, &in->manifest_list, err));
    RWL_TRY(keep_text(in, options->column, &in->column, err));
    RWL_TRY(rwl_store_local_new(in->env, options->maps, options->map_count, &in->store, err));
    RWL_TRY(identify(in, err));
    return check_part(in, err);
}

rwl_status rwl_inspect_open(rwl_op *op, const char *location, const rwl_inspect_options *options,
                            rwl_inspect **out, rwl_error *err) {
    *out = NULL;
    rwl_inspect *in = rwl_calloc(op->env, 1, sizeof *in);
    if (in == NULL)
        return rwl_no_memory(err, sizeof *in);
    in->env = op->env;
    in->op = op;
    in->row_group = options->row_group;
    in->schema_only = options->schema_only;
    rwl_arena_init(&in->arena, op->env, 0);
    rwl_buf_init(&in->document, op->env, DOCUMENT_MAX);
    rwl_status st = open_file(in, location, options, err);
    if (st != RWL_OK) {
        rwl_inspect_free(in);
        return rwl_error_path(err, st, location);
    }
    *out = in;
    return RWL_OK;
}

void rwl_inspect_free(rwl_inspect *in) {
    if (in == NULL)
        return;
    rwl_parquet_close(in->parquet);
    rwl_inspect_lance_close(in);
    rwl_store_free(in->store);
    rwl_buf_clear(&in->document);
    rwl_arena_clear(&in->arena);
    rwl_free(in->env, in);
}

/* --- the document --- */

void rwl_inspect_pair(rwl_doc *doc, rwl_span key, rwl_span value) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_span(doc, "key", key);
    if (value.data == NULL || rwl_utf8_valid(value))
        rwl_doc_span(doc, "value", value);
    else
        rwl_doc_hex(doc, "hex", value);
    rwl_doc_i64(doc, "bytes", (int64_t)value.len);
    rwl_doc_close(doc, '}');
}

void rwl_inspect_put_ranges(const rwl_bitmap *positions, rwl_doc *doc) {
    int64_t start = 0, count = 0, ranges = 0;
    rwl_bitmap_walk walk = {.bitmap = positions};
    rwl_doc_open(doc, "ranges", '[');
    for (int64_t from = 0; doc->st == RWL_OK && rwl_bitmap_walk_run(&walk, from, &start, &count);
         from = start + count, ranges++) {
        rwl_doc_open(doc, NULL, '[');
        rwl_doc_i64(doc, NULL, start);
        rwl_doc_i64(doc, NULL, count);
        rwl_doc_close(doc, ']');
    }
    rwl_doc_close(doc, ']');
    rwl_doc_i64(doc, "range_count", ranges);
}

static rwl_status put_document(rwl_inspect *in, rwl_error *err) {
    rwl_doc doc = {.out = &in->document, .err = err};
    rwl_doc_open(&doc, NULL, '{');
    rwl_doc_text(&doc, "kind", KINDS[in->what]);
    rwl_doc_text(&doc, "path", in->location);
    rwl_doc_i64(&doc, "size_bytes", in->size);
    switch (in->what) {
    case RWL_INSPECT_PARQUET:
        RWL_TRY(rwl_inspect_parquet(in, &doc, err));
        break;
    case RWL_INSPECT_AVRO:
        RWL_TRY(rwl_inspect_avro(in, &doc, err));
        break;
    case RWL_INSPECT_PUFFIN:
        RWL_TRY(rwl_inspect_puffin(in, &doc, err));
        break;
    case RWL_INSPECT_MANIFEST:
        RWL_TRY(in->schema_only ? rwl_inspect_avro(in, &doc, err) : rwl_inspect_manifest(in, &doc, err));
        break;
    case RWL_INSPECT_MANIFEST_LIST:
        RWL_TRY(in->schema_only ? rwl_inspect_avro(in, &doc, err) : rwl_inspect_manifest_list(in, &doc, err));
        break;
    case RWL_INSPECT_METADATA:
        RWL_TRY(rwl_inspect_metadata(in, &doc, err));
        break;
    case RWL_INSPECT_LANCE_DATA:
        RWL_TRY(rwl_inspect_lance_data(in, &doc, err));
        break;
    case RWL_INSPECT_LANCE_MANIFEST:
        RWL_TRY(rwl_inspect_lance_manifest(in, &doc, err));
        break;
    case RWL_INSPECT_LANCE_TRANSACTION:
        rwl_inspect_lance_transaction(in->transaction, &doc);
        break;
    case RWL_INSPECT_LANCE_DELETIONS:
        rwl_inspect_lance_deletions(in, &doc);
        break;
    }
    rwl_doc_close(&doc, '}');
    RWL_TRY(doc.st);
    return rwl_buf_terminate(&in->document, err);
}

rwl_status rwl_inspect_document(rwl_inspect *in, rwl_span *json, rwl_error *err) {
    if (in->document.len == 0) {
        rwl_status st = put_document(in, err);
        if (st != RWL_OK) {
            rwl_buf_reset(&in->document);
            return rwl_error_path(err, st, in->location);
        }
    }
    *json = rwl_buf_span(&in->document);
    return RWL_OK;
}
