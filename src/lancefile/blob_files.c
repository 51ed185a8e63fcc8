/* SPDX-License-Identifier: Apache-2.0 */
/* Files that blobs lie in: beside a data file, below a base path, or wherever a URI says. */
#include "lancefile/blob_internal.h"

enum { URI_MAX = 64 * 1024, SHOWN_MAX = 200, BLOB_ID_BITS = 32 };

void rwl_lance_blob_close(rwl_lance_blob_file *f) {
    if (f->location == NULL)
        return;
    rwl_file_close(f->file);
    rwl_arena_clear(&f->arena);
    *f = (rwl_lance_blob_file){.location = NULL};
}

static bool is_open(const rwl_lance_blob_file *f, uint32_t id, rwl_span uri) {
    return f->file != NULL && f->id == id && (f->uri.data == NULL) == (uri.data == NULL) &&
           rwl_span_equal(f->uri, uri);
}

/* Opens `location`, whose arena is the file's already. */
static rwl_status open_location(rwl_lance_blob_file *f, const rwl_lance_page_reader *page,
                                const char *location, rwl_error *err) {
    rwl_status st = rwl_file_open(page->file->store, page->op, location, &f->file, err);
    if (st == RWL_OK)
        st = rwl_file_size(f->file, &f->size, err);
    return st == RWL_OK ? RWL_OK : rwl_error_path(err, st, location);
}

/* --- beside a data file --- */

static const char *sidecar_location(const char *data_file, uint32_t blob_id, rwl_arena *arena) {
    static const char SUFFIX[] = ".lance";
    size_t len = strlen(data_file), suffix = sizeof SUFFIX - 1;
    char digits[BLOB_ID_BITS + 1] = {0};
    for (uint32_t i = 0; i < BLOB_ID_BITS; i++)
        digits[i] = (char)('0' + (blob_id >> i & 1));
    if (len > suffix && strcmp(data_file + len - suffix, SUFFIX) == 0)
        len -= suffix;
    return rwl_arena_printf(arena, "%.*s/%s.blob", (int)len, data_file, digits);
}

rwl_status rwl_lance_blob_open_sidecar(rwl_lance_blob_file *f, const rwl_lance_page_reader *page,
                                       uint32_t blob_id, rwl_error *err) {
    rwl_span none = {NULL, 0};
    if (is_open(f, blob_id, none))
        return RWL_OK;
    rwl_lance_blob_close(f);
    rwl_arena_init(&f->arena, page->op->env, 0);
    f->location = sidecar_location(page->file->location, blob_id, &f->arena);
    if (f->location == NULL) {
        rwl_arena_clear(&f->arena);
        return rwl_no_memory(err, strlen(page->file->location));
    }
    f->id = blob_id;
    return open_location(f, page, f->location, err);
}

/* --- elsewhere --- */

static rwl_status refuse_uri(rwl_span uri, rwl_status code, const char *why, rwl_error *err) {
    return rwl_fail(err, code, "external blob \"%.*s\": %s", (int)(uri.len < SHOWN_MAX ? uri.len : SHOWN_MAX),
                    (const char *)uri.data, why);
}

/* A file: URL with its escapes taken out, in place. */
static rwl_status unescape(char *url, rwl_span uri, rwl_error *err) {
    char *to = url;
    for (const char *from = url; *from != '\0'; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        int high = rwl_hex_digit((uint8_t)from[1]), low = high < 0 ? -1 : rwl_hex_digit((uint8_t)from[2]);
        if (low < 0 || (high == 0 && low == 0))
            return refuse_uri(uri, RWL_CORRUPT, "a '%' with no byte behind it", err);
        *to++ = (char)(high * 16 + low);
        from += 2;
    }
    *to = '\0';
    return RWL_OK;
}

/* An absolute path is taken as it is. */
static rwl_status absolute_location(char *text, rwl_span uri, rwl_error *err) {
    if (text[0] == '/')
        return RWL_OK;
    if (strncmp(text, "file:/", 6) == 0)
        return unescape(text, uri, err);
    return refuse_uri(uri, RWL_UNSUPPORTED, "only local files are read", err);
}

static rwl_status uri_location(rwl_lance_blob_file *f, const rwl_lance_page_reader *page, uint32_t base_id,
                               rwl_span uri, const char **out, rwl_error *err) {
    char *text = rwl_arena_strndup(&f->arena, (const char *)uri.data, uri.len);
    f->uri.data = rwl_arena_copy(&f->arena, uri.data, uri.len);
    f->uri.len = uri.len;
    if (text == NULL || f->uri.data == NULL)
        return rwl_no_memory(err, uri.len);
    if (base_id == 0) {
        *out = text;
        return absolute_location(text, uri, err);
    }
    if (page->file->locate == NULL)
        return refuse_uri(uri, RWL_UNSUPPORTED, "it lies in a base path, which only the table knows", err);
    rwl_status st = page->file->locate(page->file->locate_ctx, base_id, text, &f->arena, out, err);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "external blob");
}

rwl_status rwl_lance_blob_open_uri(rwl_lance_blob_file *f, const rwl_lance_page_reader *page,
                                   uint32_t base_id, rwl_span uri, rwl_error *err) {
    const char *location = NULL;
    if (is_open(f, base_id, uri))
        return RWL_OK;
    if (uri.len == 0 || uri.len > URI_MAX || memchr(uri.data, 0, uri.len) != NULL)
        return rwl_fail(err, RWL_CORRUPT, "external blob with a URI of %zu bytes%s", uri.len,
                        uri.len == 0 || uri.len > URI_MAX ? "" : ", among them a zero");
    rwl_lance_blob_close(f);
    rwl_arena_init(&f->arena, page->op->env, 0);
    f->location = page->file->location; /* until there is another, and so that it is closed */
    f->id = base_id;
    RWL_TRY(uri_location(f, page, base_id, uri, &location, err));
    f->location = location;
    return open_location(f, page, location, err);
}

rwl_status rwl_lance_blob_check(const rwl_lance_blob_file *f, uint64_t position, uint64_t size,
                                rwl_error *err) {
    uint64_t all = (uint64_t)f->size;
    if (position <= all && size <= all - position)
        return RWL_OK;
    rwl_status st = rwl_fail(err, RWL_CORRUPT, "a blob of %llu bytes at %llu in a file of %llu",
                             (unsigned long long)size, (unsigned long long)position, (unsigned long long)all);
    return rwl_error_path(err, st, f->location);
}
