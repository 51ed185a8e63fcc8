/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The swap of the file-system layout: version N appears under its name, whole, if no form of it is there.
 *
 *   list          a version N or later, in any form: CONFLICT
 *   link vN       the commit; the name is taken: CONFLICT
 *   hint          version-hint.text replaced, .version-hint.text.crc removed (a stale one spoils the hint for
 * Spark); failures are logged, as a low or missing hint misleads nobody read back     another engine renames
 * over the name without looking: other bytes than ours, or another form of the same version, and nobody can
 * say which commit readers saw: COMMIT_UNKNOWN
 *
 * From the link on nothing is cancelled and nothing is removed.
 */
#include "catalog/catalog.h"

#include "catalog/folder.h"
#include "codec/codec.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct swap {
    const rwl_place *place;
    rwl_op *op;   /* until the link */
    rwl_op after; /* from then on: not cancelled */
    rwl_arena *arena;
    const char *folder;
    int64_t number;
    char name[RWL_METADATA_NAME_MAX];
    const char *location;
    rwl_span content; /* of the file, compressed if it is */
} swap;

static rwl_status need_join(swap *s, const char *name, const char **out, rwl_error *err) {
    *out = rwl_folder_join(s->arena, s->folder, name);
    return *out != NULL ? RWL_OK : rwl_no_memory(err, strlen(s->folder) + strlen(name) + 2);
}

/* --- before --- */

/* The version before must be the newest there is. */
static rwl_status check_free(swap *s, rwl_error *err) {
    rwl_folder folder;
    RWL_TRY(rwl_folder_list(s->place->store, s->op, s->place->directory, s->arena, &folder, err));
    s->folder = folder.location;
    int64_t newest = folder.version.name != NULL ? folder.version.parsed.number : 0;
    if (folder.version.name != NULL && newest >= s->number)
        return rwl_error_path(err,
                              rwl_fail(err, RWL_CONFLICT, "%s/%s exists: another commit came first",
                                       folder.location, folder.version.name),
                              folder.location);
    if (newest < s->number - 1)
        return rwl_error_path(err,
                              rwl_fail(err, RWL_CONFLICT,
                                       "%s: version %" PRId64 " is gone, the newest is %" PRId64,
                                       folder.location, s->number - 1, newest),
                              folder.location);
    return RWL_OK;
}

/* Hadoop's checksum of an older file of this name would make ours unreadable for Spark. */
static void remove_side_file(swap *s, rwl_op *op, const char *name) {
    char side[RWL_METADATA_NAME_MAX + 8];
    snprintf(side, sizeof side, ".%s.crc", name);
    char *location = rwl_folder_join(s->arena, s->folder, side);
    rwl_error error;
    rwl_status st = location == NULL ? rwl_no_memory(&error, strlen(side))
                                     : rwl_store_remove(s->place->store, op, location, &error);
    if (st != RWL_OK && st != RWL_NOT_FOUND)
        rwl_log(op->env, RWL_LOG_WARN, "%s stays: %s", side, error.message);
}

/* --- after --- */

static void replace_hint(swap *s) {
    char text[24];
    int len = snprintf(text, sizeof text, "%" PRId64, s->number);
    char *location = rwl_folder_join(s->arena, s->folder, "version-hint.text");
    rwl_error error;
    rwl_status st = location == NULL ? rwl_no_memory(&error, 32)
                                     : rwl_store_replace(s->place->store, &s->after, location,
                                                         rwl_span_of(text, (size_t)len), &error);
    if (st != RWL_OK)
        rwl_log(s->op->env, RWL_LOG_WARN, "version %" PRId64 " is committed, its hint was not replaced: %s",
                s->number, error.message);
    remove_side_file(s, &s->after, "version-hint.text");
}

/* Other bytes, no file, no answer: what readers see is not known. */
static rwl_status read_back(swap *s, rwl_error *err) {
    rwl_buf text;
    rwl_error cause;
    rwl_buf_init(&text, s->op->env, SIZE_MAX);
    rwl_status st = rwl_store_read_all(s->place->store, &s->after, s->location, &text, &cause);
    bool same = st == RWL_OK && rwl_span_equal(rwl_buf_span(&text), s->content);
    rwl_buf_clear(&text);
    if (same)
        return RWL_OK;
    if (st == RWL_OK)
        rwl_fail(err, RWL_COMMIT_UNKNOWN, "%s was replaced by another writer while it was committed",
                 s->location);
    else
        rwl_fail(err, RWL_COMMIT_UNKNOWN, "%s could not be read back: %s", s->location, cause.message);
    return rwl_error_path(err, RWL_COMMIT_UNKNOWN, s->location);
}

/* A file of the same version in another form: two commits, and readers choose by form. */
static rwl_status look_for_twin(swap *s, rwl_error *err) {
    for (int form = RWL_METADATA_PLAIN; form <= RWL_METADATA_GZIP_OLD; form++) {
        char name[RWL_METADATA_NAME_MAX];
        rwl_metadata_name_format(s->number, (rwl_metadata_form)form, name);
        char *location = strcmp(name, s->name) == 0 ? NULL : rwl_folder_join(s->arena, s->folder, name);
        rwl_stat found;
        if (location == NULL || rwl_store_stat(s->place->store, &s->after, location, &found, NULL) != RWL_OK)
            continue;
        rwl_fail(err, RWL_COMMIT_UNKNOWN, "%s was committed at the same time as %s: only one of them counts",
                 location, s->name);
        return rwl_error_path(err, RWL_COMMIT_UNKNOWN, s->location);
    }
    return RWL_OK;
}

/* --- the swap --- */

/* OK and COMMIT_UNKNOWN: the file is there, or may be. */
static rwl_status link_version(swap *s, rwl_error *err) {
    rwl_status st = rwl_store_put(s->place->store, s->op, s->location, s->content, err);
    if (st != RWL_EXISTS)
        return st;
    return rwl_error_path(
        err, rwl_fail(err, RWL_CONFLICT, "%s exists: another commit came first", s->location), s->location);
}

static rwl_status commit(swap *s, rwl_error *err) {
    RWL_TRY(check_free(s, err));
    RWL_TRY(need_join(s, s->name, &s->location, err));
    remove_side_file(s, s->op, s->name);
    rwl_status st = link_version(s, err);
    if (st != RWL_OK && st != RWL_COMMIT_UNKNOWN)
        return st;
    rwl_op_init(&s->after, s->op->env, 0);
    if (st == RWL_COMMIT_UNKNOWN) { /* a lost reply: our bytes under the name are our commit */
        RWL_TRY(read_back(s, NULL) == RWL_OK ? (rwl_status)RWL_OK : st);
        rwl_log(s->op->env, RWL_LOG_WARN, "%s is there, though the store was not sure", s->location);
    }
    replace_hint(s);
    RWL_TRY(read_back(s, err));
    return look_for_twin(s, err);
}

static rwl_status compress(rwl_op *op, rwl_span text, rwl_buf *out, rwl_error *err) {
    rwl_codec *codec;
    RWL_TRY(rwl_codec_new(op->env, RWL_CODEC_GZIP, 0, &codec, err));
    rwl_status st = rwl_codec_compress(codec, text, out, err);
    rwl_codec_free(codec);
    return st;
}

rwl_status rwl_place_swap(const rwl_place *place, rwl_op *op, int64_t number, rwl_span text, bool gzip,
                          rwl_arena *arena, const char **location, rwl_error *err) {
    *location = NULL;
    if (place->refusal != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: %s", place->directory, place->refusal);
    if (place->layout != RWL_LAYOUT_VERSIONS || number < 1)
        return rwl_fail(err, RWL_INTERNAL, "%s: version %" PRId64 " cannot be committed", place->directory,
                        number);
    swap s = {.place = place, .op = op, .arena = arena, .number = number, .content = text};
    rwl_metadata_name_format(number, gzip ? RWL_METADATA_GZIP : RWL_METADATA_PLAIN, s.name);
    rwl_buf packed;
    rwl_buf_init(&packed, op->env, SIZE_MAX);
    rwl_status st = gzip ? compress(op, text, &packed, err) : RWL_OK;
    if (gzip)
        s.content = rwl_buf_span(&packed);
    if (st == RWL_OK)
        st = commit(&s, err);
    rwl_buf_clear(&packed);
    if (st == RWL_OK || st == RWL_COMMIT_UNKNOWN)
        *location = s.location;
    return st;
}
