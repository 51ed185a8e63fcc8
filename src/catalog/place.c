/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a table and reading its newest metadata. */
#include "catalog/catalog.h"

#include "catalog/folder.h"
#include "codec/codec.h"

#include <inttypes.h>

#define METADATA_SIZE_MAX ((size_t)256 << 20) /* bytes of a metadata document, DESIGN section 4 */

static rwl_status fail_no_table(const char *name, rwl_error *err) {
    return rwl_error_path(err, rwl_fail(err, RWL_NOT_FOUND, "no table at %s", name), name);
}

/* A copy without slashes at the end. */
static rwl_status keep_directory(rwl_arena *arena, const char *name, const char **out, rwl_error *err) {
    size_t len = strlen(name);
    while (len > 1 && name[len - 1] == '/')
        len--;
    *out = rwl_arena_strndup(arena, name, len);
    return *out != NULL ? RWL_OK : rwl_no_memory(err, len + 1);
}

/* The directory part of a location, without the slash; "." when it has none. */
static char *parent_of(rwl_arena *arena, const char *location) {
    const char *slash = strrchr(location, '/');
    if (slash == NULL)
        return rwl_arena_strdup(arena, ".");
    return rwl_arena_strndup(arena, location, slash == location ? 1 : (size_t)(slash - location));
}

static const char *last_component(const char *location) {
    const char *slash = strrchr(location, '/');
    return slash != NULL ? slash + 1 : location;
}

/* --- finding --- */

/* TABLE/metadata/x.metadata.json belongs to TABLE; one that lies elsewhere to the directory it is in. */
static rwl_status find_file(const char *name, rwl_arena *arena, rwl_place *out, rwl_error *err) {
    out->layout = RWL_LAYOUT_FILE;
    out->refusal = "a metadata file is read only: name the table's directory to change it";
    out->file = rwl_arena_strdup(arena, name);
    char *folder = parent_of(arena, name);
    if (folder != NULL && strcmp(last_component(folder), "metadata") == 0)
        folder = parent_of(arena, folder);
    out->directory = folder;
    return out->file != NULL && folder != NULL ? RWL_OK : rwl_no_memory(err, strlen(name) + 1);
}

static rwl_status set_refusal(rwl_place *out, char *text, rwl_error *err) {
    out->refusal = text;
    return text != NULL ? RWL_OK : rwl_no_memory(err, 256);
}

static rwl_status refuse_foreign(const rwl_folder *folder, rwl_arena *arena, rwl_place *out, rwl_error *err) {
    out->layout = RWL_LAYOUT_FOREIGN;
    return set_refusal(
        out,
        rwl_arena_printf(arena,
                         "its newest metadata %s was written by a catalog: it is read by path, "
                         "and changed only through its catalog",
                         folder->foreign.name),
        err);
}

/* Whether version `number` of the vN layout is there, in any form. */
static rwl_status has_version(rwl_store *store, rwl_op *op, const char *folder, int64_t number,
                              rwl_arena *arena, bool *out, rwl_error *err) {
    *out = false;
    for (int form = RWL_METADATA_PLAIN; form <= RWL_METADATA_GZIP_OLD && !*out; form++) {
        char name[RWL_METADATA_NAME_MAX];
        rwl_stat found;
        rwl_metadata_name_format(number, (rwl_metadata_form)form, name);
        char *location = rwl_folder_join(arena, folder, name);
        if (location == NULL)
            return rwl_no_memory(err, strlen(folder));
        rwl_status st = rwl_store_stat(store, op, location, &found, err);
        if (st != RWL_OK && st != RWL_NOT_FOUND)
            return st;
        *out = st == RWL_OK;
    }
    return RWL_OK;
}

/*
 * Both layouts: the hint decides if it names a version that is there. Otherwise nothing tells which one
 * counts; for reading the one with more versions is taken (NNNNN starts at 0), changes are refused.
 */
static rwl_status choose_layout(rwl_op *op, const rwl_folder *folder, int64_t hint, rwl_arena *arena,
                                rwl_place *out, rwl_error *err) {
    bool decided = false;
    if (hint > 0)
        RWL_TRY(has_version(out->store, op, folder->location, hint, arena, &decided, err));
    if (decided) {
        out->layout = RWL_LAYOUT_VERSIONS;
        return RWL_OK;
    }
    bool foreign = folder->foreign.parsed.number >= folder->version.parsed.number - 1;
    out->layout = foreign ? RWL_LAYOUT_FOREIGN : RWL_LAYOUT_VERSIONS;
    const char *read = foreign ? folder->foreign.name : folder->version.name;
    rwl_log(op->env, RWL_LOG_WARN, "%s: both %s and %s, and no version-hint.text that decides; reading %s",
            folder->location, folder->version.name, folder->foreign.name, read);
    return set_refusal(out,
                       rwl_arena_printf(arena,
                                        "its metadata is in two layouts, %s and %s, and no version-hint.text "
                                        "decides which one counts",
                                        folder->version.name, folder->foreign.name),
                       err);
}

/* A hint is written after its version: one above the newest tells that commits are lost, and their ids with them. */
static rwl_status refuse_missing(rwl_op *op, const rwl_folder *folder, int64_t hint, rwl_arena *arena,
                                 rwl_place *out, rwl_error *err) {
    rwl_log(op->env, RWL_LOG_WARN, "%s: version-hint.text says %" PRId64 ", which is not there; reading %s",
            folder->location, hint, folder->version.name);
    return set_refusal(out,
                       rwl_arena_printf(arena,
                                        "its version-hint.text says %" PRId64
                                        ", but its newest metadata is %s: "
                                        "a version is missing. Where it is not, remove the hint",
                                        hint, folder->version.name),
                       err);
}

static rwl_status find_directory(rwl_op *op, const char *name, rwl_arena *arena, rwl_place *out,
                                 rwl_error *err) {
    rwl_folder folder;
    int64_t hint;
    RWL_TRY(keep_directory(arena, name, &out->directory, err));
    const char *metadata = rwl_folder_join(arena, out->directory, "metadata");
    if (metadata == NULL)
        return rwl_no_memory(err, strlen(name) + 10);
    /* the hint before the list: a commit in between then shows as a newer version, not as a missing one */
    RWL_TRY(rwl_folder_hint(out->store, op, metadata, arena, &hint, err));
    RWL_TRY(rwl_folder_list(out->store, op, out->directory, arena, &folder, err));
    out->layout = RWL_LAYOUT_VERSIONS;
    if (folder.version.name == NULL && folder.foreign.name == NULL)
        return fail_no_table(name, err);
    if (folder.foreign.name == NULL)
        return hint > folder.version.parsed.number ? refuse_missing(op, &folder, hint, arena, out, err)
                                                   : RWL_OK;
    if (folder.version.name == NULL)
        return refuse_foreign(&folder, arena, out, err);
    return choose_layout(op, &folder, hint, arena, out, err);
}

rwl_status rwl_place_find(rwl_store *store, rwl_op *op, const char *name, rwl_arena *arena, rwl_place *out,
                          rwl_error *err) {
    memset(out, 0, sizeof *out);
    out->store = store;
    rwl_stat found;
    rwl_status st = rwl_store_stat(store, op, name, &found, err);
    if (st == RWL_NOT_FOUND)
        return fail_no_table(name, err);
    if (st != RWL_OK)
        return st;
    if (found.is_directory)
        return find_directory(op, name, arena, out, err);
    rwl_metadata_form form;
    if (rwl_metadata_name_form(last_component(name), &form))
        return find_file(name, arena, out, err);
    return rwl_fail(err, RWL_UNSUPPORTED, "%s is neither a table's directory nor a *.metadata.json file",
                    name);
}

rwl_status rwl_place_create(rwl_store *store, rwl_op *op, const char *directory, rwl_arena *arena,
                            rwl_place *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    out->store = store;
    out->layout = RWL_LAYOUT_VERSIONS;
    rwl_stat found;
    rwl_status st = rwl_store_stat(store, op, directory, &found, err);
    if (st == RWL_OK && !found.is_directory)
        return rwl_error_path(err, rwl_fail(err, RWL_EXISTS, "%s is a file", directory), directory);
    if (st != RWL_OK && st != RWL_NOT_FOUND)
        return st;
    rwl_folder folder;
    RWL_TRY(keep_directory(arena, directory, &out->directory, err));
    RWL_TRY(rwl_folder_list(store, op, out->directory, arena, &folder, err));
    const char *there = folder.version.name != NULL ? folder.version.name : folder.foreign.name;
    if (there != NULL)
        return rwl_error_path(err, rwl_fail(err, RWL_EXISTS, "%s is a table already (%s)", directory, there),
                              directory);
    return RWL_OK;
}

/* --- reading --- */

static rwl_status decompress(rwl_op *op, rwl_codec_id id, rwl_buf *text, rwl_error *err) {
    rwl_codec *codec;
    rwl_buf plain;
    RWL_TRY(rwl_codec_new(op->env, id, 0, &codec, err));
    rwl_buf_init(&plain, op->env, METADATA_SIZE_MAX);
    rwl_buf_charge(&plain, op, "table metadata");
    rwl_status st = rwl_codec_decompress_all(codec, rwl_buf_span(text), &plain, err);
    rwl_codec_free(codec);
    rwl_buf_clear(text);
    *text = plain;
    return st;
}

/* By the content first: not every writer names what it compresses as others do, and stores unpack what is called gzip. */
static rwl_codec_id codec_of(rwl_span text, const char *name) {
    static const uint8_t gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (text.len >= sizeof gzip && memcmp(text.data, gzip, sizeof gzip) == 0)
        return RWL_CODEC_GZIP;
    if (text.len >= sizeof zstd && memcmp(text.data, zstd, sizeof zstd) == 0)
        return RWL_CODEC_ZSTD;
    rwl_metadata_form form = RWL_METADATA_PLAIN;
    bool is_document = text.len > 0 && text.data[0] == '{';
    bool is_gzip = rwl_metadata_name_form(name, &form) && form != RWL_METADATA_PLAIN;
    return is_gzip && !is_document ? RWL_CODEC_GZIP : RWL_CODEC_NONE;
}

static rwl_status read_document(rwl_store *store, rwl_op *op, rwl_version *out, rwl_error *err) {
    rwl_buf_init(&out->text, op->env, METADATA_SIZE_MAX);
    rwl_buf_charge(&out->text, op, "table metadata");
    rwl_status st = rwl_store_read_all(store, op, out->location, &out->text, err);
    rwl_codec_id codec =
        st == RWL_OK ? codec_of(rwl_buf_span(&out->text), last_component(out->location)) : RWL_CODEC_NONE;
    if (codec != RWL_CODEC_NONE)
        st = decompress(op, codec, &out->text, err);
    if (st == RWL_OK)
        return RWL_OK;
    rwl_buf_clear(&out->text);
    if (st == RWL_UNSUPPORTED)
        st = rwl_error_in(err, st, "metadata is limited to 256 MB and the budget");
    if (st == RWL_UNSUPPORTED || st == RWL_CORRUPT)
        st = rwl_error_in(err, st, "%s", out->location);
    return rwl_error_path(err, st, out->location);
}

/* The newest metadata file of the place's layout. */
static rwl_status choose_file(const rwl_place *place, const rwl_folder *folder, const rwl_folder_file **out,
                              rwl_error *err) {
    bool foreign = place->layout == RWL_LAYOUT_FOREIGN;
    *out = foreign ? &folder->foreign : &folder->version;
    if ((*out)->name == NULL)
        return fail_no_table(place->directory, err);
    if (foreign && folder->foreign_twin != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "%s has two newest metadata files, %s and %s: name the one its catalog knows",
                        folder->location, folder->foreign.name, folder->foreign_twin);
    return RWL_OK;
}

rwl_status rwl_place_load(const rwl_place *place, rwl_op *op, rwl_arena *arena, rwl_version *out,
                          rwl_error *err) {
    memset(out, 0, sizeof *out);
    if (place->layout == RWL_LAYOUT_FILE) {
        out->location = rwl_arena_strdup(arena, place->file);
    } else {
        rwl_folder folder;
        const rwl_folder_file *newest;
        RWL_TRY(rwl_folder_list(place->store, op, place->directory, arena, &folder, err));
        RWL_TRY(choose_file(place, &folder, &newest, err));
        out->number = newest->parsed.number;
        out->location = rwl_folder_join(arena, folder.location, newest->name);
    }
    if (out->location == NULL)
        return rwl_no_memory(err, strlen(place->directory));
    return read_document(place->store, op, out, err);
}
