/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a manifest: the tail, the message without its long inline lineage, the structs, the checks. */
#include "lance/manifest_internal.h"

#include "lance/table.pb-c.h"

#include <inttypes.h>

enum { FOOTER_LEN = 16, TIMESTAMP_MAX = 256 };

const char *rwl_lance_sequence_name(rwl_lance_sequence s) {
    static const char *const names[] = {"_rowid", "_row_created_at_version", "_row_last_updated_at_version"};
    return names[s];
}

/* --- the ends of the file --- */

/* The stream at the message's first byte. */
static rwl_status read_footer(rwl_lance_stream *s, int64_t *length, rwl_error *err) {
    uint8_t footer[FOOTER_LEN];
    if (s->size < FOOTER_LEN + 4)
        return rwl_fail(err, RWL_CORRUPT, "a manifest of %lld bytes", (long long)s->size);
    s->pos = s->size > RWL_LANCE_WINDOW ? s->size - RWL_LANCE_WINDOW : 0; /* the tail as one read */
    rwl_span view;
    RWL_TRY(rwl_lance_stream_view(s, &view, err));
    s->pos = s->size - FOOTER_LEN;
    RWL_TRY(rwl_lance_stream_read(s, footer, sizeof footer, err));
    if (memcmp(footer + 12, "LANC", 4) != 0)
        return rwl_fail_at(err, RWL_CORRUPT, s->size - 4, "the file does not end with \"LANC\"");
    unsigned major = footer[8] | (unsigned)footer[9] << 8, minor = footer[10] | (unsigned)footer[11] << 8;
    if (major != 0 || minor < 1 || minor > 2)
        return rwl_fail_at(err, RWL_UNSUPPORTED, s->size - 8, "manifest version %u.%u", major, minor);
    uint64_t offset = rwl_load_le64(footer);
    if (offset > (uint64_t)(s->size - FOOTER_LEN - 4))
        return rwl_fail_at(err, RWL_CORRUPT, s->size - FOOTER_LEN,
                           "the manifest is at %" PRIu64 ", outside of the file's %lld bytes", offset,
                           (long long)s->size);
    RWL_TRY(rwl_lance_stream_section(s, (int64_t)offset, s->size - FOOTER_LEN, "the manifest", length, err));
    if (s->pos + *length != s->size - FOOTER_LEN)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)offset,
                           "the manifest has %lld bytes, but its footer is %lld behind", (long long)*length,
                           (long long)(s->size - FOOTER_LEN - s->pos));
    return RWL_OK;
}

/* --- time alone --- */

static rwl_status take_time_part(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    int64_t *parts = ctx;
    (void)err;
    if (field->number <= 2 && field->type == RWL_PROTO_VARINT)
        parts[field->number - 1] = (int64_t)field->value;
    return RWL_OK;
}

static rwl_status read_time(rwl_lance_stream *s, size_t len, int64_t *ms, rwl_error *err) {
    uint8_t bytes[TIMESTAMP_MAX];
    if (len > sizeof bytes)
        return rwl_fail(err, RWL_CORRUPT, "a timestamp of %zu bytes", len);
    RWL_TRY(rwl_lance_stream_read(s, bytes, len, err));
    int64_t parts[2] = {0, 0}; /* seconds, nanoseconds */
    RWL_TRY(rwl_proto_walk(rwl_span_of(bytes, len), take_time_part, parts, err));
    if (__builtin_mul_overflow(parts[0], (int64_t)1000, ms) ||
        __builtin_add_overflow(*ms, parts[1] / 1000000, ms))
        return rwl_fail(err, RWL_CORRUPT, "a timestamp of %lld seconds", (long long)parts[0]);
    return RWL_OK;
}

static rwl_status find_time(rwl_lance_stream *s, int64_t *ms, rwl_error *err) {
    int64_t length;
    RWL_TRY(read_footer(s, &length, err));
    for (int64_t end = s->pos + length; s->pos < end;) {
        rwl_lance_head head;
        RWL_TRY(rwl_lance_stream_head(s, end, &head, err));
        if (head.type != RWL_PROTO_BYTES)
            continue;
        if (head.number == 7)
            return read_time(s, (size_t)head.value, ms, err);
        s->pos += (int64_t)head.value;
    }
    return rwl_fail(err, RWL_CORRUPT, "a manifest without a timestamp");
}

rwl_status rwl_lance_manifest_time(rwl_store *store, rwl_op *op, const char *location, int64_t *timestamp_ms,
                                   rwl_error *err) {
    rwl_file *file;
    rwl_lance_stream *s = NULL;
    RWL_TRY(rwl_file_open(store, op, location, &file, err));
    rwl_status st = rwl_lance_stream_new(file, op, &s, err);
    if (st == RWL_OK)
        st = find_time(s, timestamp_ms, err);
    if (st != RWL_OK)
        st = rwl_error_path(err, rwl_error_in(err, st, "manifest %s", location), location);
    rwl_lance_stream_free(s);
    rwl_file_close(file);
    return st;
}

/* --- opening --- */

static rwl_status read_message(rwl_lance_manifest *m, rwl_lance_stream *s, rwl_error *err) {
    rwl_lance_compact compact;
    m->size = s->size;
    RWL_TRY(read_footer(s, &m->message_length, err));
    m->message_offset = s->pos;
    rwl_status st =
        rwl_lance_compact_read(s, &rwl__lance__manifest__descriptor, m->message_length, &compact, err);
    if (st == RWL_OK)
        st = rwl_lance_message_unpack(&rwl__lance__manifest__descriptor, rwl_buf_span(&compact.bytes),
                                      &m->arena, &m->message, err);
    if (st == RWL_OK)
        st = rwl_lance_manifest_fill(m, compact.left.items, compact.left.len, err);
    rwl_lance_compact_clear(&compact);
    return st;
}

static rwl_status read_manifest(rwl_lance_manifest *m, rwl_store *store, rwl_op *op, rwl_error *err) {
    rwl_file *file;
    rwl_lance_stream *s = NULL;
    RWL_TRY(rwl_file_open(store, op, m->location, &file, err));
    rwl_status st = rwl_lance_stream_new(file, op, &s, err);
    if (st == RWL_OK)
        st = read_message(m, s, err);
    rwl_lance_stream_free(s);
    rwl_file_close(file);
    return st;
}

/* The version in the name, where the name is one of a manifest, is that of the message. */
static rwl_status check_name(const rwl_lance_manifest *m, rwl_error *err) {
    const char *slash = strrchr(m->location, '/');
    int64_t version;
    rwl_lance_naming naming = rwl_lance_version_of_name(slash ? slash + 1 : m->location, &version);
    if (naming == RWL_LANCE_NOT_A_MANIFEST)
        return RWL_OK;
    if (version != m->version || (naming == RWL_LANCE_DETACHED) != m->is_detached)
        return rwl_fail(err, RWL_CORRUPT, "the manifest is of %sversion %lld, its name of %sversion %lld",
                        m->is_detached ? "detached " : "", (long long)m->version,
                        naming == RWL_LANCE_DETACHED ? "detached " : "", (long long)version);
    return RWL_OK;
}

static rwl_status open_manifest(rwl_lance_manifest *m, rwl_store *store, rwl_op *op, const char *location,
                                rwl_error *err) {
    m->location = rwl_arena_strdup(&m->arena, location);
    if (m->location == NULL)
        return rwl_no_memory(err, strlen(location));
    RWL_TRY(read_manifest(m, store, op, err));
    return check_name(m, err);
}

rwl_status rwl_lance_manifest_open(rwl_store *store, rwl_op *op, const char *location,
                                   rwl_lance_manifest **out, rwl_error *err) {
    rwl_lance_manifest *m = rwl_calloc(op->env, 1, sizeof *m);
    if (m == NULL)
        return rwl_no_memory(err, sizeof *m);
    m->env = op->env;
    rwl_arena_init(&m->arena, op->env, 0);
    rwl_arena_charge(&m->arena, op);
    rwl_status st = open_manifest(m, store, op, location, err);
    st = rwl_arena_refused(&m->arena, st, "an unpacked manifest", err);
    if (st == RWL_OK) {
        *out = m;
        return RWL_OK;
    }
    rwl_lance_manifest_free(m);
    return rwl_error_path(err, rwl_error_in(err, st, "manifest %s", location), location);
}

void rwl_lance_manifest_free(rwl_lance_manifest *manifest) {
    if (manifest == NULL)
        return;
    const rwl_env *env = manifest->env;
    rwl_arena_clear(&manifest->arena);
    rwl_free(env, manifest);
}

bool rwl_lance_manifest_has_stable_ids(const rwl_lance_manifest *manifest) {
    return (manifest->reader_flags & RWL_LANCE_FLAG_STABLE_ROW_IDS) != 0;
}

const rwl_lance_fragment *rwl_lance_manifest_fragment(const rwl_lance_manifest *manifest, int64_t id) {
    size_t low = 0, high = manifest->fragment_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (manifest->fragments[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < manifest->fragment_count && manifest->fragments[low].id == id ? &manifest->fragments[low]
                                                                               : NULL;
}

/* --- packing --- */

typedef struct filler {
    const rwl_lance_manifest *manifest;
    rwl_op *op;
    rwl_file *file;
} filler;

static rwl_lance_sequence sequence_of(uint32_t field) {
    return field == 5 ? RWL_LANCE_ROW_IDS : field == 7 ? RWL_LANCE_LAST_UPDATED : RWL_LANCE_CREATED_AT;
}

static rwl_status fill_arm(void *ctx, size_t fragment, uint32_t field, rwl_buf *out, bool *found,
                           rwl_error *err) {
    const filler *f = ctx;
    if (fragment >= f->manifest->fragment_count)
        return RWL_OK;
    const rwl_lance_arm *arm = &f->manifest->fragments[fragment].arms[sequence_of(field)];
    *found = arm->kind == RWL_LANCE_ARM_INLINE && arm->bytes.data == NULL;
    if (!*found)
        return RWL_OK;
    RWL_TRY(rwl_buf_reserve(out, (size_t)arm->length, err));
    RWL_TRY(rwl_file_read(f->file, f->op, arm->offset, (size_t)arm->length, out->data, err));
    out->len = (size_t)arm->length;
    return RWL_OK;
}

rwl_status rwl_lance_manifest_pack(const rwl_lance_manifest *manifest, rwl_store *store, rwl_op *op,
                                   rwl_buf *out, rwl_error *err) {
    filler f = {.manifest = manifest, .op = op};
    const rwl_lance_fill fill = {fill_arm, &f};
    RWL_TRY(rwl_op_reserve(op, manifest->message_length, "packing a manifest", err));
    rwl_status st = rwl_file_open(store, op, manifest->location, &f.file, err);
    if (st == RWL_OK)
        st = rwl_lance_message_pack(op->env, manifest->message, &fill, out, err);
    rwl_file_close(f.file);
    rwl_op_release(op, manifest->message_length);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "manifest %s", manifest->location);
}
