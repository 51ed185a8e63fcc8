/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tags and branches: small JSON documents, one a file. Keys are in camel case since they exist; documents on the format show snake
 * case, so both are taken.
 *
 *   _refs/tags/{name}.json       branch (null: main), version, createdAt (RFC 3339), manifestSize
 *   _refs/branches/{name}.json   parentBranch, parentVersion, createAt (Unix seconds), manifestSize; '/' in names as %2F
 *
 * Versions are unsigned: those of 2^63 and more are detached.
 */
#include "base/json.h"
#include "base/time.h"
#include "base/vec.h"
#include "lance/dataset_internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { REF_MAX = 1 << 20, NAME_MAX_LEN = 512, NAMED_MAX = 20 };

/* --- names --- */

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

/* What can be the name of a ref, so that no other file is ever looked at. */
static bool is_ref_name(const char *name, bool is_tag) {
    size_t len = strlen(name);
    if (len == 0 || len > NAME_MAX_LEN || strstr(name, "..") || name[0] == '/' || name[len - 1] == '/' ||
        strstr(name, "//"))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_name_char(name[i]) && (is_tag || name[i] != '/'))
            return false;
    return true;
}

static const char *folder_of(const rwl_lance_lookup *lookup, bool is_tag) {
    return rwl_arena_printf(lookup->arena, "%s/_refs/%s", lookup->root, is_tag ? "tags" : "branches");
}

/* "{folder}/{name, '/' as %2F}.json" */
static rwl_status location_of(const rwl_lance_lookup *lookup, const char *name, bool is_tag, const char **out,
                              rwl_error *err) {
    char escaped[3 * NAME_MAX_LEN + 1];
    size_t len = 0;
    for (; *name != '\0'; name++) {
        if (*name != '/')
            escaped[len++] = *name;
        else
            len += (size_t)snprintf(escaped + len, 4, "%%2F");
    }
    escaped[len] = '\0';
    *out = rwl_arena_printf(lookup->arena, "%s/_refs/%s/%s.json", lookup->root, is_tag ? "tags" : "branches",
                            escaped);
    return *out != NULL ? RWL_OK : rwl_no_memory(err, strlen(lookup->root) + len);
}

/* The name in a file's, NULL when it is none. */
static char *name_of_file(rwl_arena *arena, const char *file, bool is_tag) {
    size_t len = strlen(file);
    if (len <= 5 || len > 3 * NAME_MAX_LEN || strcmp(file + len - 5, ".json") != 0)
        return NULL;
    char *name = rwl_arena_strndup(arena, file, len - 5);
    if (name == NULL)
        return NULL;
    char *to = name;
    for (const char *from = name; *from != '\0'; to++) {
        bool is_slash = from[0] == '%' && from[1] == '2' && (from[2] == 'F' || from[2] == 'f');
        *to = is_slash ? '/' : *from;
        from += is_slash ? 3 : 1;
    }
    *to = '\0';
    return is_ref_name(name, is_tag) ? name : NULL;
}

/* --- unsigned numbers --- */

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

/* The number at `text`, of digits alone, is beyond int64 and not beyond uint64. */
static bool is_wide(const uint8_t *text, size_t len, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < len; i++)
        if (__builtin_mul_overflow(*out, (uint64_t)10, out) ||
            __builtin_add_overflow(*out, (uint64_t)(text[i] - '0'), out))
            return false;
    return *out > INT64_MAX;
}

/* JSON is read with signed numbers: the text with those beyond them as the negative numbers of the same bits; how many there were. */
static rwl_status narrow_numbers(rwl_span text, rwl_buf *out, size_t *count, rwl_error *err) {
    bool in_string = false;
    *count = 0;
    for (size_t i = 0, len; i < text.len; i += len) {
        const uint8_t *at = text.data + i;
        uint64_t number;
        len = 1;
        if (*at == '"')
            in_string = !in_string;
        else if (in_string && *at == '\\' && i + 1 < text.len)
            len = 2;
        else if (!in_string && (is_digit(*at) || *at == '-'))
            while (i + len < text.len && is_digit(at[len]))
                len++;
        bool wide = !in_string && is_digit(*at) && is_wide(at, len, &number);
        *count += wide;
        RWL_TRY(wide ? rwl_buf_printf(out, err, "%lld",
                                      (long long)rwl_lance_version_bits((int64_t)(number & INT64_MAX), true))
                     : rwl_buf_append(out, at, len, err));
    }
    return RWL_OK;
}

static rwl_status parse_document(rwl_span text, const rwl_env *env, rwl_json **out, bool *has_wide,
                                 rwl_error *err) {
    rwl_buf narrow;
    size_t count = 0;
    rwl_buf_init(&narrow, env, REF_MAX * 2);
    rwl_status st = narrow_numbers(text, &narrow, &count, err);
    if (st == RWL_OK)
        st = rwl_json_parse(rwl_buf_span(&narrow), out, err);
    *has_wide = count > 0;
    rwl_buf_clear(&narrow);
    return st;
}

/* --- documents --- */

static const char *key_of(const rwl_json *json, const char *camel, const char *snake) {
    return rwl_json_get(json, camel) != NULL ? camel : snake;
}

static rwl_status get_text(const rwl_json *json, const char *camel, const char *snake, rwl_arena *arena,
                           const char **out, rwl_error *err) {
    const char *text;
    RWL_TRY(rwl_json_opt_str(json, key_of(json, camel, snake), &text, err));
    *out = text == NULL ? NULL : rwl_arena_strdup(arena, text);
    return text == NULL || *out != NULL ? RWL_OK : rwl_no_memory(err, strlen(text));
}

/* A time: RFC 3339 text, or seconds as a number. */
static rwl_status get_time(const rwl_json *json, const char *key, int64_t *ms, rwl_error *err) {
    const rwl_json *value = rwl_json_get(json, key);
    *ms = -1;
    if (value == NULL || rwl_json_kind_of(value) == RWL_JSON_NULL)
        return RWL_OK;
    if (rwl_json_kind_of(value) == RWL_JSON_INT) {
        if (__builtin_mul_overflow(rwl_json_i64(value), (int64_t)1000, ms))
            return rwl_fail(err, RWL_CORRUPT, "\"%s\" is %lld seconds", key, (long long)rwl_json_i64(value));
        return RWL_OK;
    }
    const char *text = rwl_json_str(value);
    int64_t ns;
    if (text == NULL || !rwl_timestamp_parse(rwl_span_str(text), 9, true, &ns))
        return rwl_fail(err, RWL_CORRUPT, "\"%s\" is no time", key);
    *ms = rwl_floor_div(ns, 1000000);
    return RWL_OK;
}

static rwl_status take_branch(const rwl_json *json, rwl_arena *arena, rwl_lance_ref *out, rwl_error *err) {
    static const char *const created[] = {"createAt", "create_at", "createdAt", "created_at"};
    RWL_TRY(get_text(json, "parentBranch", "parent_branch", arena, &out->branch, err));
    RWL_TRY(rwl_json_need_i64(json, key_of(json, "parentVersion", "parent_version"), &out->version, err));
    for (size_t i = 0; i < sizeof created / sizeof *created; i++)
        if (rwl_json_get(json, created[i]) != NULL)
            return get_time(json, created[i], &out->created_ms, err);
    return RWL_OK;
}

static rwl_status take_tag(const rwl_json *json, rwl_arena *arena, rwl_lance_ref *out, rwl_error *err) {
    RWL_TRY(get_text(json, "branch", "branch", arena, &out->branch, err));
    RWL_TRY(rwl_json_need_i64(json, "version", &out->version, err));
    return get_time(json, key_of(json, "createdAt", "created_at"), &out->created_ms, err);
}

/* `has_wide`: a negative number may stand for an unsigned one. */
static rwl_status take_ref(const rwl_json *json, bool has_wide, rwl_arena *arena, rwl_lance_ref *out,
                           rwl_error *err) {
    if (rwl_json_kind_of(json) != RWL_JSON_OBJECT)
        return rwl_fail(err, RWL_CORRUPT, "the document is no object");
    RWL_TRY(out->is_tag ? take_tag(json, arena, out, err) : take_branch(json, arena, out, err));
    if (out->branch != NULL && strcmp(out->branch, "main") == 0)
        out->branch = NULL;
    if (out->branch != NULL && !is_ref_name(out->branch, false))
        return rwl_fail(err, RWL_CORRUPT, "branch \"%.100s\" is no name of a branch", out->branch);
    out->is_detached = has_wide && out->version < 0;
    if (out->is_detached)
        out->version &= INT64_MAX;
    else if (out->version < 1)
        return rwl_fail(err, RWL_CORRUPT, "version %lld", (long long)out->version);
    return rwl_json_opt_i64(json, key_of(json, "manifestSize", "manifest_size"), NULL, &out->manifest_size,
                            err);
}

static rwl_status read_ref(const rwl_lance_lookup *lookup, const char *location, rwl_lance_ref *out,
                           rwl_error *err) {
    rwl_buf text;
    rwl_json *json = NULL;
    bool has_wide = false;
    out->created_ms = -1;
    rwl_buf_init(&text, lookup->op->env, REF_MAX);
    rwl_status st = rwl_store_read_all(lookup->store, lookup->op, location, &text, err);
    if (st == RWL_OK)
        st = parse_document(rwl_buf_span(&text), lookup->op->env, &json, &has_wide, err);
    if (st == RWL_OK)
        st = take_ref(json, has_wide, lookup->arena, out, err);
    rwl_json_free(json);
    rwl_buf_clear(&text);
    return st;
}

/* --- by name --- */

rwl_status rwl_lance_ref_find(const rwl_lance_lookup *lookup, const char *name, bool is_tag,
                              rwl_lance_ref *out, bool *found, rwl_error *err) {
    const char *location;
    rwl_error why = {0};
    *found = false;
    if (!is_ref_name(name, is_tag))
        return RWL_OK;
    RWL_TRY(location_of(lookup, name, is_tag, &location, err));
    *out = (rwl_lance_ref){.name = rwl_arena_strdup(lookup->arena, name), .is_tag = is_tag};
    if (out->name == NULL)
        return rwl_no_memory(err, strlen(name));
    rwl_status st = read_ref(lookup, location, out, &why);
    *found = st == RWL_OK;
    if (st == RWL_OK || st == RWL_NOT_FOUND)
        return RWL_OK;
    if (err != NULL)
        *err = why;
    return rwl_error_path(err, rwl_error_in(err, st, "%s %s", is_tag ? "tag" : "branch", name), location);
}

/* --- all --- */

typedef RWL_VEC(const char *) names;

typedef struct name_list {
    const rwl_lance_lookup *lookup;
    bool is_tag;
    names found;
} name_list;

static rwl_status take_file(void *ctx, const char *file, const rwl_stat *stat, rwl_error *err) {
    name_list *l = ctx;
    const char *name = stat->is_directory ? NULL : name_of_file(l->lookup->arena, file, l->is_tag);
    return name == NULL ? RWL_OK : rwl_vec_push(&l->found, l->lookup->op->env, name, err);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of tags or branches, in order; none when there is no folder. */
static rwl_status list_names(name_list *l, rwl_error *err) {
    const rwl_lance_lookup *lookup = l->lookup;
    const char *folder = folder_of(lookup, l->is_tag);
    rwl_error why = {0};
    if (folder == NULL)
        return rwl_no_memory(err, strlen(lookup->root));
    rwl_status st = rwl_store_list(lookup->store, lookup->op, folder, take_file, l, &why);
    if (l->found.len > 1)
        qsort(l->found.items, l->found.len, sizeof *l->found.items, compare_names);
    if (st == RWL_OK || st == RWL_NOT_FOUND)
        return RWL_OK;
    if (err != NULL)
        *err = why;
    return st;
}

typedef RWL_VEC(rwl_lance_ref) refs;

static rwl_status read_refs(const rwl_lance_lookup *lookup, bool is_tag, bool warn, refs *out,
                            rwl_error *err) {
    const rwl_env *env = lookup->op->env;
    name_list l = {.lookup = lookup, .is_tag = is_tag};
    rwl_status st = list_names(&l, err);
    for (size_t i = 0; st == RWL_OK && i < l.found.len; i++) {
        rwl_lance_ref ref;
        bool found = false;
        rwl_error why = {0};
        st = rwl_lance_ref_find(lookup, l.found.items[i], is_tag, &ref, &found, &why);
        if (st == RWL_CORRUPT) { /* the others are not the worse for it */
            if (warn)
                rwl_log(env, RWL_LOG_WARN, "%s: left out: %s", lookup->root, why.message);
            st = RWL_OK;
        } else if (st != RWL_OK && err != NULL) {
            *err = why;
        }
        if (st == RWL_OK && found) /* else it went while we looked */
            st = rwl_vec_push(out, env, ref, err);
    }
    rwl_vec_clear(&l.found, env);
    return st;
}

static int compare_refs(const void *a, const void *b) {
    const rwl_lance_ref *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : y->is_tag - x->is_tag;
}

rwl_status rwl_lance_refs(rwl_store *store, rwl_op *op, const char *root, bool warn, rwl_arena *arena,
                          rwl_lance_ref **out, size_t *count, rwl_error *err) {
    const rwl_lance_lookup lookup = {store, op, root, arena};
    refs all = {0};
    rwl_status st = read_refs(&lookup, true, warn, &all, err);
    if (st == RWL_OK)
        st = read_refs(&lookup, false, warn, &all, err);
    if (st == RWL_OK) {
        if (all.len > 1)
            qsort(all.items, all.len, sizeof *all.items, compare_refs);
        *out = rwl_arena_copy(arena, all.items, all.len * sizeof *all.items);
        *count = all.len;
        if (*out == NULL)
            st = rwl_no_memory(err, all.len * sizeof *all.items);
    }
    rwl_vec_clear(&all, op->env);
    return st;
}

/* Appends up to NAMED_MAX of them: "; tags: a, b, … (30 in all)". */
static rwl_status put_names(const rwl_lance_lookup *lookup, bool is_tag, rwl_buf *out, rwl_error *err) {
    name_list l = {.lookup = lookup, .is_tag = is_tag};
    rwl_status st = list_names(&l, err);
    for (size_t i = 0; st == RWL_OK && i < l.found.len && i < NAMED_MAX; i++)
        st = rwl_buf_printf(out, err, "%s%.40s",
                            i > 0    ? ", "
                            : is_tag ? "; tags: "
                                     : "; branches: ",
                            l.found.items[i]);
    if (st == RWL_OK && l.found.len > NAMED_MAX)
        st = rwl_buf_printf(out, err, ", … (%zu in all)", l.found.len);
    rwl_vec_clear(&l.found, lookup->op->env);
    return st;
}

rwl_status rwl_lance_ref_missing(rwl_store *store, rwl_op *op, const char *root, const char *name,
                                 rwl_error *err) {
    rwl_buf text;
    rwl_arena arena;
    rwl_buf_init(&text, op->env, SIZE_MAX);
    rwl_arena_init(&arena, op->env, 0);
    const rwl_lance_lookup lookup = {store, op, root, &arena};
    rwl_status st = put_names(&lookup, true, &text, err);
    if (st == RWL_OK)
        st = put_names(&lookup, false, &text, err);
    if (st == RWL_OK)
        st = rwl_fail(err, RWL_NOT_FOUND, "no branch or tag \"%.100s\" in %.100s%.*s", name, root,
                      (int)text.len, text.len > 0 ? (const char *)text.data : "");
    rwl_arena_clear(&arena);
    rwl_buf_clear(&text);
    return st;
}
