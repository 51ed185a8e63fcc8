/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting a table's name from the state asked for, and refusing by name what can't be opened yet. */
#include "engine/name.h"

#include "storage/absolute.h"

static bool ends_with(const char *text, const char *end) {
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* What there is at a path. */
typedef struct presence {
    bool exists, is_directory;
} presence;

static rwl_status look_at(rwl_store *store, rwl_op *op, const char *path, presence *out, rwl_error *err) {
    rwl_stat st;
    rwl_status status = rwl_store_stat(store, op, path, &st, err);
    *out = (presence){status == RWL_OK, status == RWL_OK && st.is_directory};
    return status == RWL_NOT_FOUND ? (rwl_status)RWL_OK : status;
}

/* Refuses catalogs ("CATALOG:NAMESPACE.TABLE"), bare data files other than Parquet, and files of Lance datasets. */
static rwl_status check_kind(const char *table, presence there, rwl_error *err) {
    static const char *const data_files[] = {".avro", ".orc", ".csv", ".jsonl", ".arrow"};
    bool is_file = there.exists && !there.is_directory;
    if (is_file && ends_with(table, ".manifest"))
        return rwl_fail(
            err, RWL_UNSUPPORTED,
            "%.200s is the manifest of one version of a Lance dataset: name the dataset's folder, a "
            "version as DATASET@N; inspect shows the manifest",
            table);
    if (is_file && ends_with(table, ".lance"))
        return rwl_fail(
            err, RWL_UNSUPPORTED,
            "%.200s is a data file of a Lance dataset: opening a bare data file is not supported; "
            "inspect shows it, with --rows its rows",
            table);
    for (size_t i = 0; is_file && i < sizeof data_files / sizeof *data_files; i++)
        if (ends_with(table, data_files[i]))
            return rwl_fail(err, RWL_UNSUPPORTED, "%s: opening a bare data file is not supported", table);
    const char *colon = strchr(table, ':');
    if (!there.exists && colon != NULL && strchr(table, '/') == NULL && strncmp(table, "file:", 5) != 0)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "%s: catalog %.*s is not configured; catalog names are not supported", table,
                        (int)(colon - table), table);
    return RWL_OK;
}

/* Splits "TABLE@{TIME}"; *front is all before it. Without one *time stays NULL. */
static rwl_status split_time(const char *text, rwl_arena *arena, const char **front, const char **time,
                             rwl_error *err) {
    const char *slash = strrchr(text, '/'), *at = strstr(slash != NULL ? slash + 1 : text, "@{");
    size_t len = strlen(text);
    *front = text;
    *time = NULL;
    if (at == NULL || at == text || text[len - 1] != '}')
        return RWL_OK;
    if (at[2] == '}')
        return rwl_fail(err, RWL_USAGE, "%s: no time between the braces", text);
    *front = rwl_arena_strndup(arena, text, (size_t)(at - text));
    *time = rwl_arena_strndup(arena, at + 2, len - (size_t)(at + 2 - text) - 1);
    return *front != NULL && *time != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, len);
}

/* Splits "TABLE@REF" at the last '@' after the last slash. */
static rwl_status split_ref(const char *text, rwl_arena *arena, rwl_name *out, rwl_error *err) {
    const char *slash = strrchr(text, '/'), *at = strrchr(slash != NULL ? slash + 1 : text, '@');
    out->table = text;
    if (at == NULL || at == text)
        return RWL_OK;
    if (at[1] == '\0')
        return rwl_fail(err, RWL_USAGE, "%s: nothing after the @", text);
    out->table = rwl_arena_strndup(arena, text, (size_t)(at - text));
    out->state = at + 1;
    return out->table != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, strlen(text));
}

rwl_status rwl_name_parse(rwl_store *store, rwl_op *op, const char *text, rwl_arena *arena, rwl_name *out,
                          rwl_error *err) {
    if (*text == '\0')
        return rwl_fail(err, RWL_USAGE, "the table's name is empty");
    size_t scheme = rwl_url_scheme_len(text);
    if (scheme > 0 && !(scheme == 4 && memcmp(text, "file", 4) == 0))
        return rwl_error_path(err,
                              rwl_fail(err, RWL_UNSUPPORTED, "%s: %.*s:// locations are not supported", text,
                                       (int)scheme, text),
                              text);
    *out = (rwl_name){.table = text};
    presence there;
    RWL_TRY(look_at(store, op, text, &there, err));
    if (there.exists)
        return check_kind(text, there, err);
    const char *front;
    RWL_TRY(split_time(text, arena, &front, &out->time, err));
    out->table = front;
    if (out->time != NULL)
        RWL_TRY(look_at(store, op, front, &there, err));
    if (!there.exists) {
        RWL_TRY(split_ref(front, arena, out, err));
        RWL_TRY(look_at(store, op, out->table, &there, err));
    }
    return check_kind(out->table, there, err);
}
