/* SPDX-License-Identifier: Apache-2.0 */
/* What a version's commit did. */
#include "lance/transaction.h"
#include "lance/message_internal.h"

#include "lance/transaction.pb-c.h"

enum { FIRST_OPERATION = 100, LAST_OPERATION = 199 };

/* --- which operation --- */

typedef struct operation {
    int32_t number;
    const char *name;
} operation;

static const operation operations[] = {
    {100, "Append"},
    {101, "Delete"},
    {102, "Overwrite"},
    {103, "CreateIndex"},
    {104, "Rewrite"},
    {105, "Merge"},
    {106, "Restore"},
    {107, "ReserveFragments"},
    {108, "Update"},
    {109, "Project"},
    {110, "UpdateConfig"},
    {111, "DataReplacement"},
    {112, "UpdateMemWalState"},
    {113, "Clone"},
    {114, "UpdateBases"},
    {115, "DataOverlay"},
    {116, "ReserveRowIds"},
};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

static bool has_operation(const Rwl__Lance__Transaction *t, int32_t number) {
    const void *const set[OPERATION_COUNT] = {
        t->append,
        t->delete_rows,
        t->overwrite,
        t->create_index,
        t->rewrite,
        t->merge,
        t->restore,
        t->reserve_fragments,
        t->update,
        t->project,
        t->update_config,
        t->data_replacement,
        NULL,
        t->clone,
        t->update_bases,
        NULL,
        t->reserve_row_ids,
    };
    if (number == 112)
        return t->has_update_mem_wal_state;
    if (number == 115)
        return t->has_data_overlay;
    return set[number - FIRST_OPERATION] != NULL;
}

static rwl_status take_operation(rwl_lance_transaction *out, int32_t number, const char *name,
                                 rwl_error *err) {
    if (out->operation_number != 0)
        return rwl_fail(err, RWL_CORRUPT, "a transaction with operations %d and %d",
                        (int)out->operation_number, (int)number);
    out->operation_number = number;
    out->operation = name;
    return RWL_OK;
}

static rwl_status find_operation(const Rwl__Lance__Transaction *t, rwl_arena *arena,
                                 rwl_lance_transaction *out, rwl_error *err) {
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (has_operation(t, operations[i].number))
            RWL_TRY(take_operation(out, operations[i].number, operations[i].name, err));
    for (unsigned i = 0; i < t->base.n_unknown_fields; i++) {
        uint32_t number = t->base.unknown_fields[i].tag;
        if (number < FIRST_OPERATION || number > LAST_OPERATION)
            continue;
        char *name = rwl_arena_printf(arena, "operation %u", (unsigned)number);
        if (name == NULL)
            return rwl_no_memory(err, 16);
        RWL_TRY(take_operation(out, (int32_t)number, name, err));
    }
    return RWL_OK;
}

/* --- what it names --- */

static void count_rewrite(const Rwl__Lance__Rewrite *r, rwl_lance_transaction *out) {
    out->added_fragments = (int64_t)r->n_new_fragments;
    out->removed_fragments = (int64_t)r->n_old_fragments;
    for (size_t i = 0; i < r->n_groups; i++) {
        out->added_fragments += (int64_t)r->groups[i]->n_new_fragments;
        out->removed_fragments += (int64_t)r->groups[i]->n_old_fragments;
    }
}

static void count_fragments(const Rwl__Lance__Transaction *t, rwl_lance_transaction *out) {
    out->added_fragments = out->removed_fragments = out->updated_fragments = -1;
    if (t->append != NULL)
        out->added_fragments = (int64_t)t->append->n_fragments;
    else if (t->overwrite != NULL)
        out->added_fragments = (int64_t)t->overwrite->n_fragments;
    else if (t->rewrite != NULL)
        count_rewrite(t->rewrite, out);
    else if (t->data_replacement != NULL)
        out->updated_fragments = (int64_t)t->data_replacement->n_replacements;
    else if (t->delete_rows != NULL) {
        out->removed_fragments = (int64_t)t->delete_rows->n_deleted_fragment_ids;
        out->updated_fragments = (int64_t)t->delete_rows->n_updated_fragments;
    } else if (t->update != NULL) {
        out->added_fragments = (int64_t)t->update->n_new_fragments;
        out->removed_fragments = (int64_t)t->update->n_removed_fragment_ids;
        out->updated_fragments = (int64_t)t->update->n_updated_fragments;
    }
}

static rwl_status copy_text(rwl_arena *arena, const char *text, const char **out, rwl_error *err) {
    *out = rwl_arena_strdup(arena, text != NULL ? text : "");
    return *out != NULL ? RWL_OK : rwl_no_memory(err, 16);
}

static rwl_status copy_properties(const Rwl__Lance__Transaction *t, rwl_arena *arena,
                                  rwl_lance_transaction *out, rwl_error *err) {
    rwl_lance_pair *pairs = rwl_arena_array(arena, t->n_transaction_properties, sizeof *pairs);
    if (pairs == NULL)
        return rwl_no_memory(err, t->n_transaction_properties * sizeof *pairs);
    for (size_t i = 0; i < t->n_transaction_properties; i++) {
        const char *value;
        RWL_TRY(copy_text(arena, t->transaction_properties[i]->key, &pairs[i].key, err));
        RWL_TRY(copy_text(arena, t->transaction_properties[i]->value, &value, err));
        pairs[i].value = rwl_span_str(value);
    }
    out->properties = pairs;
    out->property_count = t->n_transaction_properties;
    return RWL_OK;
}

static rwl_status take_transaction(const Rwl__Lance__Transaction *t, rwl_arena *arena,
                                   rwl_lance_transaction *out, rwl_error *err) {
    *out = (rwl_lance_transaction){.read_version = t->read_version, .operation = "", .restored_version = -1};
    RWL_TRY(find_operation(t, arena, out, err));
    count_fragments(t, out);
    if (t->delete_rows != NULL && t->delete_rows->predicate != NULL)
        RWL_TRY(copy_text(arena, t->delete_rows->predicate, &out->predicate, err));
    if (t->restore != NULL) {
        if (t->restore->version > INT64_MAX)
            return rwl_fail(err, RWL_CORRUPT, "version %llu is restored",
                            (unsigned long long)t->restore->version);
        out->restored_version = (int64_t)t->restore->version;
    }
    RWL_TRY(copy_text(arena, t->uuid, &out->uuid, err));
    return copy_properties(t, arena, out, err);
}

static rwl_status parse(const rwl_env *env, rwl_op *op, rwl_span message, rwl_arena *arena,
                        rwl_lance_transaction *out, rwl_error *err) {
    rwl_arena unpacked;
    void *t;
    rwl_arena_init(&unpacked, env, 0);
    rwl_arena_charge(&unpacked, op);
    rwl_status st =
        rwl_lance_message_unpack(&rwl__lance__transaction__descriptor, message, &unpacked, &t, err);
    st = rwl_arena_refused(&unpacked, st, "an unpacked transaction", err);
    if (st == RWL_OK)
        st = take_transaction(t, arena, out, err);
    rwl_arena_clear(&unpacked);
    return st;
}

rwl_status rwl_lance_transaction_parse(const rwl_env *env, rwl_span message, rwl_arena *arena,
                                       rwl_lance_transaction *out, rwl_error *err) {
    return parse(env, NULL, message, arena, out, err);
}

/* --- where it is --- */

/* From a manifest's section at `offset`, or with -1 of a file that is nothing else. */
static rwl_status read_stream(rwl_lance_stream *s, int64_t offset, int64_t limit, rwl_arena *arena,
                              rwl_lance_transaction *out, rwl_error *err) {
    rwl_lance_compact compact;
    int64_t length = s->size;
    if (offset >= 0)
        RWL_TRY(rwl_lance_stream_section(s, offset, limit, "the transaction section", &length, err));
    rwl_status st = rwl_lance_compact_read(s, &rwl__lance__transaction__descriptor, length, &compact, err);
    if (st == RWL_OK)
        st = parse(s->op->env, s->op, rwl_buf_span(&compact.bytes), arena, out, err);
    rwl_lance_compact_clear(&compact);
    return st;
}

static rwl_status read_file(rwl_store *store, rwl_op *op, const char *location, int64_t offset, int64_t limit,
                            rwl_arena *arena, rwl_lance_transaction *out, rwl_error *err) {
    rwl_file *file;
    rwl_lance_stream *s = NULL;
    RWL_TRY(rwl_file_open(store, op, location, &file, err));
    rwl_status st = rwl_lance_stream_new(file, op, &s, err);
    if (st == RWL_OK)
        st = read_stream(s, offset, limit, arena, out, err);
    rwl_lance_stream_free(s);
    rwl_file_close(file);
    return st == RWL_OK ? RWL_OK
                        : rwl_error_path(err, rwl_error_in(err, st, "transaction of %s", location), location);
}

rwl_status rwl_lance_transaction_file(rwl_store *store, rwl_op *op, const char *location, rwl_arena *arena,
                                      rwl_lance_transaction *out, rwl_error *err) {
    return read_file(store, op, location, -1, 0, arena, out, err);
}

rwl_status rwl_lance_transaction_read(rwl_store *store, rwl_op *op, const rwl_lance_manifest *manifest,
                                      const char *root, rwl_arena *arena, rwl_lance_transaction *out,
                                      bool *found, rwl_error *err) {
    *found = true;
    if (manifest->transaction_section >= 0) /* the message begins 4 bytes behind its length */
        return read_file(store, op, manifest->location, manifest->transaction_section,
                         manifest->message_offset - 4, arena, out, err);
    *found = false;
    if (*manifest->transaction_file == '\0')
        return RWL_OK;
    if (strchr(manifest->transaction_file, '/') != NULL)
        return rwl_fail(err, RWL_CORRUPT, "transaction file \"%.200s\" is no name in _transactions",
                        manifest->transaction_file);
    const char *location = rwl_arena_printf(arena, "%s/_transactions/%s", root, manifest->transaction_file);
    if (location == NULL)
        return rwl_no_memory(err, strlen(root));
    rwl_error why = {0};
    rwl_status st = read_file(store, op, location, -1, 0, arena, out, &why);
    *found = st == RWL_OK;
    if (st == RWL_NOT_FOUND || st == RWL_OK)
        return RWL_OK;
    if (err != NULL)
        *err = why;
    return st;
}
