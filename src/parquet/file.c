/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a Parquet file: its tail in one speculative read, the footer parsed, the result shared by count. */
#include "parquet/file.h"

#include "parquet/footer.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    MAGIC_LEN = 4,
    TRAILER_LEN = 8, /* footer length and magic */
    SPECULATIVE_LEN = 64 * 1024,
    DICTIONARY_HEADER_MAX = 100, /* bytes */
    FOOTER_EXPANSION_MAX =
        96 /* bytes of parsed structures a footer byte may cost: hostile footers stop here */
};
#define FOOTER_LEN_MAX ((uint32_t)256 * 1024 * 1024)

/* What rwl_parquet_file points into. */
typedef struct file_owner {
    rwl_parquet_file file; /* first: the public part */
    rwl_arena arena;
    uint8_t *tail; /* the bytes statistics borrow from */
    atomic_int refs;
} file_owner;

static file_owner *owner_of(rwl_parquet_file *file) {
    return (file_owner *)(void *)file;
}

rwl_parquet_file *rwl_parquet_ref(rwl_parquet_file *file) {
    atomic_fetch_add(&owner_of(file)->refs, 1);
    return file;
}

void rwl_parquet_close(rwl_parquet_file *file) {
    if (!file)
        return;
    file_owner *owner = owner_of(file);
    if (atomic_fetch_sub(&owner->refs, 1) > 1)
        return;
    const rwl_env *env = file->env;
    rwl_arena_clear(&owner->arena);
    rwl_free(env, owner->tail);
    rwl_free(env, owner);
}

static rwl_status check_trailer(const uint8_t *trailer, int64_t size, uint32_t *footer_len, rwl_error *err) {
    const uint8_t *magic = trailer + 4;
    *footer_len = rwl_load_le32(trailer);
    if (memcmp(magic, "PARE", MAGIC_LEN) == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "the footer is encrypted (PARE)");
    if (memcmp(magic, "PAR1", MAGIC_LEN) != 0)
        return rwl_fail_at(err, RWL_CORRUPT, size - MAGIC_LEN, "no parquet file: ends in %02x %02x %02x %02x",
                           magic[0], magic[1], magic[2], magic[3]);
    if (*footer_len == 0 || (int64_t)*footer_len > size - MAGIC_LEN - TRAILER_LEN)
        return rwl_fail_at(err, RWL_CORRUPT, size - TRAILER_LEN, "footer of %u bytes in a file of %" PRId64,
                           *footer_len, size);
    if (*footer_len > FOOTER_LEN_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "footer of %u bytes; the limit is %u", *footer_len,
                        FOOTER_LEN_MAX);
    return RWL_OK;
}

/* Reads the last bytes, and more when the footer is longer than the guess. Leaves the footer in *footer,
 * which lies in owner->tail. */
static rwl_status read_footer(rwl_file *f, rwl_op *op, file_owner *owner, rwl_span *footer, rwl_error *err) {
    const rwl_env *env = owner->file.env;
    int64_t size = owner->file.size;
    size_t len = size < SPECULATIVE_LEN ? (size_t)size : SPECULATIVE_LEN;
    uint32_t footer_len;
    if (size < MAGIC_LEN + TRAILER_LEN)
        return rwl_fail(err, RWL_CORRUPT, "no parquet file: %" PRId64 " bytes", size);
    owner->tail = rwl_alloc(env, len);
    if (!owner->tail)
        return rwl_no_memory(err, len);
    RWL_TRY(rwl_file_read(f, op, size - (int64_t)len, len, owner->tail, err));
    RWL_TRY(check_trailer(owner->tail + len - TRAILER_LEN, size, &footer_len, err));
    size_t tail_len = (size_t)footer_len + TRAILER_LEN;
    if (tail_len > len) {
        uint8_t *longer = rwl_alloc(env, tail_len);
        if (!longer)
            return rwl_no_memory(err, tail_len);
        memcpy(longer + tail_len - len, owner->tail, len);
        rwl_free(env, owner->tail);
        owner->tail = longer;
        RWL_TRY(rwl_file_read(f, op, size - (int64_t)tail_len, tail_len - len, longer, err));
        len = tail_len;
    }
    *footer = rwl_span_of(owner->tail + len - tail_len, footer_len);
    owner->file.tail = rwl_span_of(owner->tail, len);
    owner->file.tail_off = size - (int64_t)len;
    return RWL_OK;
}

/* Whether chunks may be longer than they say: parquet-mr before 1.2.9 did not count the header of the dictionary page
 * (PARQUET-816). Who does not say a version may be one of them. */
static bool leaves_headers_out(const char *created_by) {
    static const char name[] = "parquet-mr", version[] = " version ";
    int major, minor, patch;
    if (strncmp(created_by, name, sizeof name - 1) != 0)
        return false;
    const char *at = strstr(created_by, version);
    if (!at || sscanf(at + sizeof version - 1, "%9d.%9d.%9d", &major, &minor, &patch) != 3)
        return !at;
    return major == 1 && (minor < 2 || (minor == 2 && patch < 9));
}

/* Gives such chunks room for the header, as far as the file goes; what follows the last page is not read. */
static void lengthen_chunks(rwl_parquet_file *file, int64_t data_end) {
    for (int32_t g = 0; g < file->group_count; g++)
        for (int32_t i = 0; i < file->leaf_count; i++) {
            rwl_parquet_chunk *chunk = (rwl_parquet_chunk *)&file->groups[g].chunks[i];
            int64_t start = chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
            int64_t room = data_end - start - chunk->compressed_size;
            if (room > 0 && !chunk->encrypted)
                chunk->compressed_size += room < DICTIONARY_HEADER_MAX ? room : DICTIONARY_HEADER_MAX;
        }
}

static rwl_status load(rwl_file *f, rwl_op *op, int64_t known_size, file_owner *owner, rwl_error *err) {
    rwl_span footer;
    RWL_TRY(rwl_file_size(f, &owner->file.size, err));
    RWL_TRY(read_footer(f, op, owner, &footer, err));
    owner->arena.max = footer.len * FOOTER_EXPANSION_MAX + (size_t)64 * 1024;
    int64_t data_end = owner->file.size - TRAILER_LEN - (int64_t)footer.len;
    rwl_status st = rwl_parquet_footer_parse(footer, data_end, &owner->arena, &owner->file, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "parquet footer");
    if (leaves_headers_out(owner->file.created_by))
        lengthen_chunks(&owner->file, data_end);
    rwl_file_size_compare(op->env, owner->file.location, owner->file.size, known_size);
    return RWL_OK;
}

rwl_status rwl_parquet_open(rwl_store *store, rwl_op *op, const char *location, int64_t known_size,
                            rwl_parquet_file **out, rwl_error *err) {
    *out = NULL;
    rwl_file *f = NULL;
    RWL_TRY(rwl_op_check(op, err));
    file_owner *owner = rwl_calloc(op->env, 1, sizeof *owner);
    if (!owner)
        return rwl_no_memory(err, sizeof *owner);
    owner->file.env = op->env;
    atomic_init(&owner->refs, 1);
    rwl_arena_init(&owner->arena, op->env, 0);
    rwl_arena_charge(&owner->arena, op);
    rwl_status st;
    owner->file.location = rwl_arena_strdup(&owner->arena, location);
    if (!owner->file.location) {
        st = rwl_no_memory(err, strlen(location));
        goto out;
    }
    RWL_GOTO(st, rwl_file_open(store, op, location, &f, err), out);
    RWL_GOTO(st, load(f, op, known_size, owner, err), out);
    *out = &owner->file;
    owner = NULL;
out:
    rwl_file_close(f);
    if (owner) {
        st = rwl_arena_refused(&owner->arena, st, "a parquet footer", err);
        rwl_parquet_close(&owner->file);
    }
    return st == RWL_OK ? st : rwl_error_path(err, st, location);
}

int32_t rwl_parquet_node_by_id(const rwl_parquet_file *file, int32_t field_id) {
    int32_t low = 0, high = file->node_count;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (file->nodes[file->by_id[mid]].field.id < field_id)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == file->node_count || file->nodes[file->by_id[low]].field.id != field_id)
        return -1;
    return file->by_id[low];
}

int32_t rwl_parquet_node_by_name(const rwl_parquet_file *file, const char *name) {
    int32_t low = 0, high = file->node_count;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (strcmp(file->nodes[file->by_name[mid]].field.name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == file->node_count || strcmp(file->nodes[file->by_name[low]].field.name, name) != 0)
        return -1;
    return file->by_name[low];
}

static const rwl_parquet_leaf *flat_leaf(const rwl_parquet_file *file, int32_t node) {
    if (node < 0 || file->nodes[node].leaf_count != 1)
        return NULL;
    const rwl_parquet_leaf *leaf = &file->leaves[file->nodes[node].first_leaf];
    return leaf->is_nested ? NULL : leaf;
}

const rwl_parquet_leaf *rwl_parquet_leaf_by_id(const rwl_parquet_file *file, int32_t field_id) {
    return flat_leaf(file, rwl_parquet_node_by_id(file, field_id));
}

const rwl_parquet_leaf *rwl_parquet_leaf_by_name(const rwl_parquet_file *file, const char *name) {
    return flat_leaf(file, rwl_parquet_node_by_name(file, name));
}

bool rwl_parquet_without_ids(const rwl_parquet_file *file) {
    for (int32_t i = 0; i < file->leaf_count; i++)
        if (file->leaves[i].field.id >= 0 || file->leaves[i].top_id >= 0)
            return false;
    return true;
}
