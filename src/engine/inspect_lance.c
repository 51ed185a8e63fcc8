/* SPDX-License-Identifier: Apache-2.0 */
/* Lance files told apart; transactions and deletion files, which are small. */
#include "engine/inspect_lance.h"

#include "engine/lance_about.h"
#include "ipc/ipc.h"
#include "lance/deletions.h"

#include <inttypes.h>

enum { FOOTER_LEN = 16, LENGTH_LEN = 4, DELETIONS_MAX = 1 << 30 };

/* --- by the end: data files and manifests --- */

typedef struct ending {
    bool is_lance; /* ends in "LANC" */
    uint64_t position;
    uint16_t major, minor;
    bool is_message; /* a message that its length says to end at the footer is at `position` */
    uint8_t tag;     /* its first byte; 0 when it has none */
} ending;

static rwl_status read_message_head(rwl_inspect *in, rwl_file *file, ending *out, rwl_error *err) {
    uint8_t head[LENGTH_LEN + 1] = {0};
    uint64_t end = (uint64_t)in->size - FOOTER_LEN;
    if (out->position > end || end - out->position < LENGTH_LEN)
        return RWL_OK;
    uint64_t room = end - out->position;
    RWL_TRY(rwl_file_read(file, in->op, (int64_t)out->position, room > LENGTH_LEN ? sizeof head : LENGTH_LEN,
                          head, err));
    out->is_message = rwl_load_le32(head) == room - LENGTH_LEN;
    out->tag = head[LENGTH_LEN];
    return RWL_OK;
}

static rwl_status read_end(rwl_inspect *in, ending *out, rwl_error *err) {
    uint8_t footer[FOOTER_LEN];
    rwl_file *file;
    memset(out, 0, sizeof *out);
    if (in->size < FOOTER_LEN)
        return RWL_OK;
    RWL_TRY(rwl_file_open(in->store, in->op, in->location, &file, err));
    rwl_status st = rwl_file_read(file, in->op, in->size - FOOTER_LEN, FOOTER_LEN, footer, err);
    out->is_lance = st == RWL_OK && memcmp(footer + FOOTER_LEN - 4, "LANC", 4) == 0;
    if (out->is_lance) {
        out->position = rwl_load_le64(footer);
        out->major = rwl_load_le16(footer + 8);
        out->minor = rwl_load_le16(footer + 10);
        st = read_message_head(in, file, out, err);
    }
    rwl_file_close(file);
    return st;
}

static rwl_status open_data(rwl_inspect *in, rwl_error *err) {
    in->what = RWL_INSPECT_LANCE_DATA;
    RWL_TRY(rwl_lancefile_open(in->store, in->op, in->location, in->size, &in->lance, err));
    return rwl_inspect_lance_describe(in, err);
}

/* The message of a manifest begins with fields, bytes of number 1; that of a legacy data file with a position, a number of number 1. */
rwl_status rwl_inspect_lance_by_end(rwl_inspect *in, bool *found, rwl_error *err) {
    enum { TAG_POSITION = 1 << 3 };
    ending e;
    RWL_TRY(read_end(in, &e, err));
    bool is_old = e.major == 0 && (e.minor == 1 || e.minor == 2);
    *found = e.is_lance && (is_old || e.major == 2 || (e.major == 0 && e.minor == 3));
    if (!*found)
        return RWL_OK;
    if (!is_old || (e.is_message && e.tag == TAG_POSITION))
        return open_data(in, err);
    in->what = RWL_INSPECT_LANCE_MANIFEST;
    return rwl_lance_manifest_open(in->store, in->op, in->location, &in->manifest, err);
}

/* --- deletion files --- */

/* Which form each container of a bitmap has: the 32-bit form, already checked. */
static void count_containers(rwl_span content, int64_t counts[RWL_INSPECT_CONTAINERS]) {
    enum { COOKIE_LEN = 4, DESCRIPTOR_LEN = 4, ARRAY_MAX = 4096 };
    const uint8_t *flags = NULL, *at = content.data + COOKIE_LEN;
    uint32_t cookie = rwl_load_le32(content.data), count;
    if ((cookie & 0xffff) == RWL_INSPECT_COOKIE_RUNS) {
        count = (cookie >> 16) + 1;
        flags = at;
        at += (count + 7) / 8;
    } else {
        count = rwl_load_le32(at);
        at += 4;
    }
    for (uint32_t i = 0; i < count; i++, at += DESCRIPTOR_LEN) {
        bool is_run = flags != NULL && (flags[i / 8] >> i % 8 & 1) != 0;
        counts[is_run ? 2 : rwl_load_le16(at + 2) + 1 > ARRAY_MAX]++;
    }
}

static rwl_status parse_deletions(rwl_inspect *in, bool is_bitmap, rwl_error *err) {
    rwl_buf content;
    RWL_TRY(rwl_op_reserve(in->op, in->size, "a deletion file", err));
    rwl_buf_init(&content, in->env, DELETIONS_MAX);
    rwl_status st = rwl_store_read_all(in->store, in->op, in->location, &content, err);
    if (st == RWL_OK)
        st = rwl_lance_deletions_parse(in->op, rwl_buf_span(&content), is_bitmap, in->location, &in->deleted,
                                       err);
    if (st == RWL_OK && is_bitmap)
        count_containers(rwl_buf_span(&content), in->containers);
    rwl_buf_clear(&content);
    rwl_op_release(in->op, in->size);
    in->what = RWL_INSPECT_LANCE_DELETIONS;
    in->is_bitmap = is_bitmap;
    return st;
}

static rwl_status read_schema(rwl_inspect *in, bool *has, rwl_error *err) {
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    RWL_TRY(rwl_ipc_open_stream(in->op, in->location, &stream, err));
    rwl_status st = RWL_OK;
    if (stream.get_schema(&stream, &schema) == 0) {
        *has = schema.n_children == 1 && strcmp(schema.children[0]->name, "row_id") == 0 &&
               strcmp(schema.children[0]->format, "I") == 0;
        schema.release(&schema);
    } else {
        rwl_ipc_stream_error(&stream, err);
        st = err->code;
    }
    stream.release(&stream);
    return st;
}

/* A file whose schema can't be read is some other one. */
static rwl_status has_row_ids(rwl_inspect *in, bool *has, rwl_error *err) {
    rwl_error why = {0};
    *has = false;
    rwl_status st = read_schema(in, has, &why);
    if (st == RWL_OK || st == RWL_CORRUPT || st == RWL_UNSUPPORTED)
        return RWL_OK;
    if (err != NULL)
        *err = why;
    return st;
}

static rwl_status open_arrow(rwl_inspect *in, bool *found, rwl_error *err) {
    RWL_TRY(has_row_ids(in, found, err));
    return *found ? parse_deletions(in, false, err) : (rwl_status)RWL_OK;
}

/* The cookie alone is two bytes: what is damaged behind it is taken for a deletion file only where the name says so too. */
static rwl_status open_bitmap(rwl_inspect *in, bool *found, rwl_error *err) {
    rwl_error why = {0};
    size_t len = strlen(in->location);
    rwl_status st = parse_deletions(in, true, &why);
    bool is_named = len > 4 && strcmp(in->location + len - 4, ".bin") == 0;
    *found = st == RWL_OK || is_named || st != RWL_CORRUPT;
    if (*found && st != RWL_OK && err != NULL)
        *err = why;
    return *found ? st : (rwl_status)RWL_OK;
}

void rwl_inspect_lance_deletions(const rwl_inspect *in, rwl_doc *doc) {
    static const char *const FORMS[RWL_INSPECT_CONTAINERS] = {"array", "bitmap", "run"};
    int64_t total = 0;
    rwl_doc_text(doc, "form", in->is_bitmap ? "bitmap" : "arrow");
    rwl_doc_i64(doc, "deleted_rows", rwl_bitmap_count(in->deleted));
    if (in->is_bitmap) {
        rwl_doc_open(doc, "containers", '{');
        for (int i = 0; i < RWL_INSPECT_CONTAINERS; i++) {
            rwl_doc_i64(doc, FORMS[i], in->containers[i]);
            total += in->containers[i];
        }
        rwl_doc_close(doc, '}');
        rwl_doc_i64(doc, "container_count", total);
    }
    rwl_inspect_put_ranges(in->deleted, doc);
}

/* --- transactions --- */

static rwl_status open_transaction(rwl_inspect *in, rwl_error *err) {
    in->what = RWL_INSPECT_LANCE_TRANSACTION;
    in->transaction = rwl_arena_alloc(&in->arena, sizeof *in->transaction);
    if (in->transaction == NULL)
        return rwl_no_memory(err, sizeof *in->transaction);
    RWL_TRY(rwl_lance_transaction_file(in->store, in->op, in->location, &in->arena, in->transaction, err));
    if (*in->transaction->uuid == '\0')
        return rwl_fail(err, RWL_CORRUPT, "transaction of %s: it has no uuid", in->location);
    return RWL_OK;
}

void rwl_inspect_lance_transaction(const rwl_lance_transaction *t, rwl_doc *doc) {
    rwl_doc_text(doc, "operation", *t->operation != '\0' ? t->operation : NULL);
    rwl_doc_i64(doc, "read_version",
                (int64_t)(t->read_version & INT64_MAX)); /* a detached one has the top bit */
    rwl_doc_text(doc, "uuid", t->uuid);
    rwl_doc_maybe(doc, "added_fragments", t->added_fragments >= 0, t->added_fragments);
    rwl_doc_maybe(doc, "removed_fragments", t->removed_fragments >= 0, t->removed_fragments);
    rwl_doc_maybe(doc, "updated_fragments", t->updated_fragments >= 0, t->updated_fragments);
    rwl_doc_text(doc, "predicate", t->predicate);
    rwl_doc_maybe(doc, "restored_version", t->restored_version >= 0, t->restored_version);
    rwl_lance_pairs_put(t->properties, t->property_count, doc, "properties");
}

/* --- by the beginning --- */

rwl_status rwl_inspect_lance_by_head(rwl_inspect *in, rwl_span head, bool *found, rwl_error *err) {
    size_t len = strlen(in->location);
    *found = false;
    if (head.len >= 6 && memcmp(head.data, "ARROW1", 6) == 0)
        return open_arrow(in, found, err);
    uint32_t cookie = head.len >= 8 ? rwl_load_le32(head.data) : 0;
    if (cookie == RWL_INSPECT_COOKIE || (cookie & 0xffff) == RWL_INSPECT_COOKIE_RUNS) {
        RWL_TRY(open_bitmap(in, found, err));
        if (*found)
            return RWL_OK;
    }
    *found = head.len > 0 && len > 4 && strcmp(in->location + len - 4, ".txn") == 0;
    return *found ? open_transaction(in, err) : (rwl_status)RWL_OK;
}

void rwl_inspect_lance_close(rwl_inspect *in) {
    rwl_lancefile_free(in->lance);
    rwl_lance_manifest_free(in->manifest);
    rwl_bitmap_free(in->deleted);
}
