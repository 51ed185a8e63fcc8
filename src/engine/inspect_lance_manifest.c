/* SPDX-License-Identifier: Apache-2.0 */
/* Lance manifests: a version with its fragments, where their lineage is and how it is encoded, indices, transaction. */
#include "engine/inspect_lance.h"

#include "engine/lance_about.h"
#include "engine/lance_figures.h"
#include "lance/sequence.h"
#include "wire/proto.h"

#include <inttypes.h>

enum { ITEMS_SHOWN = 12, LENGTH_LEN = 4, UUID_LEN = 16 };
#define INDEX_SECTION_MAX ((int64_t)64 * 1024 * 1024)

/* --- lineage --- */

/* Segments or runs one after another, through the window of lance/sequence.h: the arm may be far larger than that. */
static rwl_status put_items(rwl_lance_values *v, rwl_buf *text, rwl_doc *doc, rwl_error *err) {
    int64_t count = 0, rows = 0;
    bool more;
    rwl_doc_open(doc, v->is_versions ? "runs" : "segments", '[');
    for (;; count++) {
        RWL_TRY(rwl_lance_values_next(v, &more, err));
        if (!more)
            break;
        if (__builtin_add_overflow(rows, v->rest, &rows))
            return rwl_fail(err, RWL_CORRUPT, "there are more than 2^63 - 1 values");
        if (count >= ITEMS_SHOWN)
            continue;
        if (v->is_versions) {
            rwl_doc_open(doc, NULL, '[');
            rwl_doc_i64(doc, NULL, v->rest);
            rwl_doc_i64(doc, NULL, v->version);
            rwl_doc_close(doc, ']');
        } else {
            rwl_buf_reset(text);
            RWL_TRY(rwl_segment_format(&v->segment, text, err));
            rwl_doc_span(doc, NULL, rwl_buf_span(text));
        }
    }
    rwl_doc_close(doc, ']');
    rwl_doc_i64(doc, v->is_versions ? "run_count" : "segment_count", count);
    rwl_doc_i64(doc, "rows", rows);
    return doc->st;
}

static rwl_status put_arm(const rwl_inspect *in, rwl_file *file, const rwl_lance_fragment *fragment,
                          rwl_lance_sequence sequence, rwl_doc *doc, rwl_error *err) {
    static const char *const KEYS[] = {"row_ids", "created_at", "last_updated_at"};
    const rwl_lance_arm *arm = &fragment->arms[sequence];
    rwl_status st = RWL_OK;
    rwl_doc_open(doc, KEYS[sequence], '{');
    rwl_doc_text(doc, "kind", rwl_lance_arm_name(arm->kind));
    if (arm->kind == RWL_LANCE_ARM_INLINE) {
        rwl_lance_values v;
        rwl_buf text;
        rwl_doc_i64(doc, "bytes", arm->length);
        rwl_buf_init(&text, in->env, SIZE_MAX);
        rwl_lance_values_init(&v, in->op, arm, sequence != RWL_LANCE_ROW_IDS, file);
        st = put_items(&v, &text, doc, err);
        rwl_lance_values_clear(&v);
        rwl_buf_clear(&text);
    }
    rwl_doc_close(doc, '}');
    return st == RWL_OK ? st : rwl_error_in(err, st, "%s", rwl_lance_sequence_name(sequence));
}

/* --- fragments --- */

static void put_numbers(rwl_doc *doc, const char *key, const int32_t *numbers, int32_t count) {
    rwl_doc_open(doc, key, '[');
    for (int32_t i = 0; i < count; i++)
        rwl_doc_i64(doc, NULL, numbers[i]);
    rwl_doc_close(doc, ']');
}

static rwl_status put_file(const rwl_lance_data_file *f, rwl_buf *text, rwl_doc *doc, rwl_error *err) {
    rwl_buf_reset(text);
    RWL_TRY(rwl_buf_printf(text, err, "%" PRIu32 ".%" PRIu32, f->major_version, f->minor_version));
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_text(doc, "path", f->path);
    rwl_doc_span(doc, "file_version", rwl_buf_span(text));
    put_numbers(doc, "fields", f->fields, f->field_count);
    put_numbers(doc, "column_indices", f->column_indices, f->index_count);
    rwl_doc_maybe(doc, "bytes", f->size > 0, f->size);
    rwl_doc_maybe(doc, "base_id", f->base_id >= 0, f->base_id);
    rwl_doc_close(doc, '}');
    return doc->st;
}

/* Unsigned 64-bit numbers are random ids: a string, as snapshot ids are. */
static void put_unsigned(rwl_doc *doc, const char *key, uint64_t value, rwl_buf *text) {
    rwl_buf_reset(text);
    if (doc->st == RWL_OK)
        doc->st = rwl_buf_printf(text, doc->err, "%" PRIu64, value);
    rwl_doc_span(doc, key, rwl_buf_span(text));
}

static void put_deletion(const rwl_lance_deletion_file *d, rwl_buf *text, rwl_doc *doc) {
    if (!d->is_present) {
        rwl_doc_text(doc, "deletion_file", NULL);
        return;
    }
    rwl_doc_open(doc, "deletion_file", '{');
    rwl_doc_text(doc, "form", d->is_bitmap ? "bitmap" : "arrow");
    rwl_doc_i64(doc, "read_version", (int64_t)(d->read_version & INT64_MAX));
    put_unsigned(doc, "id", d->id, text);
    rwl_doc_maybe(doc, "deleted_rows", d->deleted_rows > 0, d->deleted_rows);
    rwl_doc_maybe(doc, "base_id", d->base_id >= 0, d->base_id);
    rwl_doc_close(doc, '}');
}

static rwl_status put_fragment(const rwl_inspect *in, rwl_file *file, const rwl_lance_fragment *f,
                               rwl_buf *text, rwl_doc *doc, rwl_error *err) {
    RWL_TRY(rwl_op_check(in->op, err));
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_i64(doc, "id", f->id);
    rwl_doc_i64(doc, "physical_rows", f->physical_rows);
    rwl_doc_open(doc, "files", '[');
    for (int32_t i = 0; i < f->file_count; i++)
        RWL_TRY(put_file(&f->files[i], text, doc, err));
    rwl_doc_close(doc, ']');
    put_deletion(&f->deletion, text, doc);
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++)
        RWL_TRY(put_arm(in, file, f, (rwl_lance_sequence)s, doc, err));
    rwl_doc_close(doc, '}');
    return doc->st;
}

static rwl_status put_fragments(rwl_inspect *in, rwl_file *file, rwl_doc *doc, rwl_error *err) {
    const rwl_lance_manifest *m = in->manifest;
    rwl_status st = RWL_OK;
    rwl_buf text;
    rwl_buf_init(&text, in->env, SIZE_MAX);
    rwl_doc_i64(doc, "fragment_count", (int64_t)m->fragment_count);
    rwl_doc_open(doc, "fragments", '[');
    for (size_t i = 0; st == RWL_OK && i < m->fragment_count; i++) {
        st = put_fragment(in, file, &m->fragments[i], &text, doc, err);
        if (st != RWL_OK)
            st = rwl_error_in(err, st, "fragment %" PRId64, m->fragments[i].id);
    }
    rwl_doc_close(doc, ']');
    rwl_buf_clear(&text);
    return st;
}

/* --- sections: a length, then a message, before the manifest's own --- */

static rwl_status section_length(const rwl_inspect *in, rwl_file *file, int64_t offset, int64_t *length,
                                 rwl_error *err) {
    uint8_t bytes[LENGTH_LEN];
    int64_t room = in->manifest->message_offset - LENGTH_LEN - offset; /* of the section */
    if (offset < 0 || room < LENGTH_LEN)
        return rwl_fail(err, RWL_CORRUPT, "it is at byte %" PRId64 ", behind the manifest's", offset);
    RWL_TRY(rwl_file_read(file, in->op, offset, LENGTH_LEN, bytes, err));
    *length = rwl_load_le32(bytes);
    if (*length > room - LENGTH_LEN)
        return rwl_fail(err, RWL_CORRUPT, "%" PRId64 " bytes at byte %" PRId64 " pass the manifest's",
                        *length, offset);
    return RWL_OK;
}

static rwl_status put_field_id(void *ctx, uint64_t value, rwl_error *err) {
    (void)err;
    rwl_doc_i64(ctx, NULL, (int32_t)value);
    return RWL_OK;
}

/* The bytes of field 1 of a UUID or an Any. */
static rwl_status take_first(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    (void)err;
    if (field->number == 1 && field->type == RWL_PROTO_BYTES)
        *(rwl_span *)ctx = field->bytes;
    return RWL_OK;
}

/* UUID of 16 bytes as usual, of another length in digits. */
static rwl_status put_uuid(rwl_span message, rwl_doc *doc, rwl_error *err) {
    rwl_span uuid = {NULL, 0};
    RWL_TRY(rwl_proto_walk(message, take_first, &uuid, err));
    if (uuid.len != UUID_LEN) {
        rwl_doc_hex(doc, "uuid", uuid);
        return doc->st;
    }
    rwl_type type = rwl_type_of(RWL_TYPE_UUID);
    rwl_value v = {.kind = RWL_TYPE_UUID, .as.bytes = uuid};
    rwl_doc_value(doc, "uuid", &type, &v);
    return doc->st;
}

/* "/lance.index.pb.BTreeIndexDetails": what stands behind the last dot or slash. */
static rwl_status put_details(rwl_span any, rwl_doc *doc, rwl_error *err) {
    rwl_span url = {NULL, 0};
    RWL_TRY(rwl_proto_walk(any, take_first, &url, err));
    size_t at = url.len;
    while (at > 0 && url.data[at - 1] != '/' && url.data[at - 1] != '.')
        at--;
    if (url.len > 0 && rwl_utf8_valid(url))
        rwl_doc_span(doc, "details", rwl_span_of(url.data + at, url.len - at));
    return doc->st;
}

/* An IndexMetadata, of each field the last. */
typedef struct index_message {
    rwl_span uuid, name, details;
    rwl_proto_field fields;
    uint64_t version;
} index_message;

static rwl_status take_index_part(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    index_message *m = ctx;
    (void)err;
    if (field->number == 4 && field->type == RWL_PROTO_VARINT)
        m->version = field->value;
    if (field->type != RWL_PROTO_BYTES)
        return RWL_OK;
    if (field->number == 1)
        m->uuid = field->bytes;
    else if (field->number == 2)
        m->fields = *field;
    else if (field->number == 3 && rwl_utf8_valid(field->bytes))
        m->name = field->bytes;
    else if (field->number == 6)
        m->details = field->bytes;
    return RWL_OK;
}

/* Members in the order of its fields; one that came twice would be a key twice. */
static rwl_status put_index(rwl_span message, rwl_doc *doc, rwl_error *err) {
    index_message m = {0};
    RWL_TRY(rwl_proto_walk(message, take_index_part, &m, err));
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_span(doc, "name", m.name);
    RWL_TRY(put_uuid(m.uuid, doc, err));
    rwl_doc_open(doc, "fields", '[');
    if (m.fields.number != 0)
        RWL_TRY(rwl_proto_each(&m.fields, put_field_id, doc, err));
    rwl_doc_close(doc, ']');
    rwl_doc_i64(doc, "dataset_version", (int64_t)m.version);
    RWL_TRY(put_details(m.details, doc, err));
    rwl_doc_close(doc, '}');
    return doc->st;
}

static rwl_status put_if_index(void *doc, const rwl_proto_field *field, rwl_error *err) {
    if (field->number != 1)
        return RWL_OK;
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    return put_index(field->bytes, doc, err);
}

static rwl_status put_indices(rwl_span section, rwl_doc *doc, rwl_error *err) {
    rwl_doc_open(doc, "indices", '[');
    RWL_TRY(rwl_proto_walk(section, put_if_index, doc, err));
    rwl_doc_close(doc, ']');
    return doc->st;
}

static rwl_status read_indices(rwl_inspect *in, rwl_file *file, int64_t length, rwl_doc *doc,
                               rwl_error *err) {
    rwl_buf bytes;
    if (length > INDEX_SECTION_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "it has %" PRId64 " bytes", length);
    RWL_TRY(rwl_op_reserve(in->op, length, "the index section", err));
    rwl_buf_init(&bytes, in->env, SIZE_MAX);
    rwl_status st = rwl_buf_reserve(&bytes, (size_t)length + 1, err);
    if (st == RWL_OK)
        st = rwl_file_read(file, in->op, in->manifest->index_section + LENGTH_LEN, (size_t)length, bytes.data,
                           err);
    if (st == RWL_OK)
        st = put_indices(rwl_span_of(bytes.data, (size_t)length), doc, err);
    rwl_buf_clear(&bytes);
    rwl_op_release(in->op, length);
    return st;
}

static rwl_status put_index_section(rwl_inspect *in, rwl_file *file, rwl_doc *doc, rwl_error *err) {
    int64_t offset = in->manifest->index_section, length;
    if (offset < 0) {
        rwl_doc_text(doc, "index_section", NULL);
        return RWL_OK;
    }
    rwl_status st = section_length(in, file, offset, &length, err);
    if (st == RWL_OK) {
        rwl_doc_open(doc, "index_section", '{');
        rwl_doc_i64(doc, "offset", offset);
        rwl_doc_i64(doc, "bytes", length);
        st = read_indices(in, file, length, doc, err);
        rwl_doc_close(doc, '}');
    }
    return st == RWL_OK ? st : rwl_error_in(err, st, "the index section");
}

/* One that can't be read is told, and no reason not to show the rest (readers open such versions). */
static rwl_status put_transaction(rwl_inspect *in, rwl_file *file, rwl_doc *doc, rwl_error *err) {
    int64_t offset = in->manifest->transaction_section, length = 0;
    rwl_lance_transaction t;
    rwl_error why = {0};
    bool found = false;
    if (offset < 0) {
        rwl_doc_text(doc, "transaction", NULL);
        return RWL_OK;
    }
    rwl_status st = section_length(in, file, offset, &length, &why);
    if (st == RWL_OK)
        st = rwl_lance_transaction_read(in->store, in->op, in->manifest, "", &in->arena, &t, &found, &why);
    if (st != RWL_OK && st != RWL_CORRUPT) {
        if (err != NULL)
            *err = why;
        return st;
    }
    rwl_doc_open(doc, "transaction", '{');
    rwl_doc_i64(doc, "offset", offset);
    rwl_doc_maybe(doc, "bytes", length > 0, length);
    if (st == RWL_OK)
        rwl_inspect_lance_transaction(&t, doc);
    else
        rwl_doc_text(doc, "error", why.message);
    rwl_doc_close(doc, '}');
    return RWL_OK;
}

/* --- the rest --- */

static void put_known(rwl_doc *doc, const char *key, const char *text) {
    rwl_doc_text(doc, key, *text != '\0' ? text : NULL);
}

static void put_head(const rwl_lance_manifest *m, rwl_doc *doc) {
    bool stable = rwl_lance_manifest_has_stable_ids(m);
    rwl_doc_i64(doc, "version", m->version);
    rwl_doc_bool(doc, "is_detached", m->is_detached);
    rwl_doc_i64(doc, "timestamp_ms", m->timestamp_ms);
    put_known(doc, "branch", m->branch);
    put_known(doc, "tag", m->tag);
    rwl_lance_writer_put(m, doc, "writer");
    put_known(doc, "data_format", m->data_format);
    rwl_lance_flags_put(m->reader_flags, doc, "reader_flags");
    rwl_lance_flags_put(m->writer_flags, doc, "writer_flags");
    rwl_doc_bool(doc, "stable_row_ids", stable);
    rwl_doc_maybe(doc, "next_row_id", stable, m->next_row_id);
    rwl_doc_maybe(doc, "max_fragment_id", m->max_fragment_id >= 0, m->max_fragment_id);
    rwl_lance_schema_put(m, doc, "schema");
}

static rwl_status put_body(rwl_inspect *in, rwl_file *file, rwl_doc *doc, rwl_error *err) {
    const rwl_lance_manifest *m = in->manifest;
    rwl_lance_pairs_put(m->schema_metadata, m->schema_metadata_count, doc, "schema_metadata");
    rwl_lance_pairs_put(m->config, m->config_count, doc, "config");
    rwl_lance_pairs_put(m->table_metadata, m->table_metadata_count, doc, "table_metadata");
    rwl_lance_bases_put(m, doc);
    rwl_doc_i64(doc, "message_offset", m->message_offset);
    rwl_doc_i64(doc, "message_bytes", m->message_length);
    RWL_TRY(put_index_section(in, file, doc, err));
    put_known(doc, "transaction_file", m->transaction_file);
    RWL_TRY(put_transaction(in, file, doc, err));
    RWL_TRY(put_fragments(in, file, doc, err));
    return doc->st;
}

rwl_status rwl_inspect_lance_manifest(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    rwl_file *file;
    put_head(in->manifest, doc);
    if (in->schema_only)
        return doc->st;
    RWL_TRY(rwl_file_open(in->store, in->op, in->location, &file, err));
    rwl_status st = put_body(in, file, doc, err);
    rwl_file_close(file);
    return st == RWL_OK ? st : rwl_error_in(err, st, "%s", in->location);
}
