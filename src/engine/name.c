/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting a table's name from the state asked for, and refusing by name what can't be opened yet. */
#include "engine/name.h"

#include "storage/absolute.h"

static bool ends_with(const char *text, const char *end) {
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static rwl_status path_exists(rwl_store *store, rwl_op *op, const char *path, bool *exists, rwl_error *err) {
    rwl_stat st;
    rwl_status status = rwl_store_stat(store, op, path, &st, err);
    *exists = status == RWL_OK;
    return status == RWL_NOT_FOUND ? (rwl_status)RWL_OK : status;
}

/* Refuses catalogs ("CATALOG:NAMESPACE.TABLE") and bare data files other than Parquet. */
static rwl_status check_kind(const char *table, bool exists, rwl_error *err) {
    static const char *const data_files[] = {".avro", ".orc", ".csv", ".jsonl", ".arrow"};
    for (size_t i = 0; exists && i < sizeof data_files / sizeof *data_files; i++)
        if (ends_with(table, data_files[i]))
            return rwl_fail(err, RWL_UNSUPPORTED, "%s: opening a bare data file is not supported", table);
    const char *colon = strchr(table, ':');
    if (!exists && colon != NULL && strchr(table, '/') == NULL && strncmp(table, "file:", 5) != 0)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "%s: catalog %.*s is not configured; catalog names are not supported", table,
                        (int)(colon - table), table);
    return RWL_OK;
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
    out->table = text;
    out->state = NULL;
    bool exists;
    RWL_TRY(path_exists(store, op, text, &exists, err));
    if (exists)
        return check_kind(text, true, err);
    const char *slash = strrchr(text, '/'), *base = slash != NULL ? slash + 1 : text;
    const char *brace = strstr(base, "@{");
    const char *at = brace != NULL ? brace : strrchr(base, '@');
    if (at == NULL || at == text)
        return check_kind(text, false, err);
    if (brace != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: states by time are not supported", at);
    if (at[1] == '\0')
        return rwl_fail(err, RWL_USAGE, "%s: nothing after the @", text);
    char *table = rwl_arena_strndup(arena, text, (size_t)(at - text));
    if (table == NULL)
        return rwl_no_memory(err, strlen(text));
    out->table = table;
    out->state = at + 1;
    RWL_TRY(path_exists(store, op, table, &exists, err));
    return check_kind(table, exists, err);
}
