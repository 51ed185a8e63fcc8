/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a dataset from its expected.json; cells compared by value, whatever their spelling. */
#include "fixture_support.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { EXACT_DIGITS = 19 }; /* integers of so many digits may pass int64: they are compared as text */

/* --- JSON --- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Quotes integers that JSON's parser refuses. */
static void quote_big_integers(fixture *f, const rwl_buf *in, rwl_buf *out) {
    const char *text = (const char *)in->data;
    bool in_string = false;
    for (size_t i = 0; i < in->len;) {
        size_t digits = 0;
        while (!in_string && i + digits < in->len && is_digit(text[i + digits]))
            digits++;
        bool is_part = i > 0 && (text[i - 1] == '.' || text[i - 1] == '-' || text[i - 1] == 'e');
        char next = i + digits < in->len ? text[i + digits] : '\0';
        if (digits >= EXACT_DIGITS && !is_part && next != '.' && next != 'e') {
            ck_assert_int_eq(rwl_buf_printf(out, &f->err, "\"%.*s\"", (int)digits, text + i), RWL_OK);
        } else {
            if (digits == 0)
                digits = in_string && text[i] == '\\' ? 2 : 1;
            if (digits == 1 && text[i] == '"')
                in_string = !in_string;
            ck_assert_int_eq(rwl_buf_append(out, text + i, digits, &f->err), RWL_OK);
        }
        i += digits;
    }
}

static rwl_json *parse(fixture *f, const rwl_buf *text) {
    rwl_buf quoted;
    rwl_json *json = NULL;
    rwl_buf_init(&quoted, &f->env, SIZE_MAX);
    quote_big_integers(f, text, &quoted);
    rwl_status st = rwl_json_parse_data(rwl_buf_span(&quoted), &json, &f->err);
    ck_assert_msg(st == RWL_OK, "%s in %.200s", f->err.message, (const char *)quoted.data);
    rwl_buf_clear(&quoted);
    return json;
}

/* --- datasets --- */

static const rwl_json *number_key(const rwl_json *object, int64_t number) {
    char key[24];
    snprintf(key, sizeof key, "%lld", (long long)number);
    return rwl_json_get(object, key);
}

/* The last version, and what it has of an older one. */
static void find_last(fixture *f, const rwl_json **fields) {
    const rwl_json *versions = rwl_json_get(f->expected, "versions");
    int64_t number = 0, count = (int64_t)rwl_json_len(versions);
    for (int64_t found = 0; found < count && number < 10000; number++) {
        const rwl_json *version = number_key(versions, number);
        if (version == NULL)
            continue;
        found++;
        f->last = version;
        const rwl_json *facts = rwl_json_get(version, "facts"), *v;
        if ((v = rwl_json_get(facts, "fields")) != NULL)
            *fields = v;
        if ((v = rwl_json_get(facts, "fragments")) != NULL)
            f->fragments = v;
    }
}

static bool is_true(const rwl_json *metadata, const char *key) {
    const char *text = rwl_json_str(rwl_json_get(metadata, key));
    return text != NULL && strcmp(text, "true") == 0;
}

static void build_schema(fixture *f, const rwl_json *fields) {
    size_t count = rwl_json_len(fields);
    rwl_lance_field_def *defs = rwl_arena_array(&f->arena, count, sizeof *defs);
    for (size_t i = 0; i < count; i++) {
        const rwl_json *field = rwl_json_at(fields, i), *metadata = rwl_json_get(field, "metadata");
        defs[i].name = rwl_json_str(rwl_json_get(field, "name"));
        defs[i].id = (int32_t)rwl_json_i64(rwl_json_get(field, "id"));
        defs[i].parent_id = (int32_t)rwl_json_i64(rwl_json_get(field, "parent_id"));
        defs[i].logical_type = rwl_json_str(rwl_json_get(field, "logical_type"));
        defs[i].nullable = rwl_json_bool(rwl_json_get(field, "nullable"));
        defs[i].is_packed = is_true(metadata, "lance-encoding:packed") || is_true(metadata, "packed");
        defs[i].is_blob = is_true(metadata, "lance-encoding:blob");
        defs[i].extension = rwl_json_str(rwl_json_get(metadata, "ARROW:extension:name"));
    }
    rwl_status st = rwl_lance_schema_build(defs, count, &f->arena, &f->schema, &f->err);
    ck_assert_msg(st == RWL_OK, "%s: %s", f->dir, f->err.message);
}

bool fixture_open(fixture *f, const char *name) {
    memset(f, 0, sizeof *f);
    rwl_env_init_default(&f->env);
    rwl_op_init(&f->op, &f->env, 0);
    rwl_arena_init(&f->arena, &f->env, 0);
    snprintf(f->dir, sizeof f->dir, "%s/pylance/%s", FIXTURES_DIR, name);
    char path[600];
    snprintf(path, sizeof path, "%s/expected.json", f->dir);
    ck_assert_int_eq(rwl_store_local_new(&f->env, NULL, 0, &f->store, &f->err), RWL_OK);
    rwl_buf text;
    rwl_buf_init(&text, &f->env, SIZE_MAX);
    bool is_here = rwl_store_read_all(f->store, &f->op, path, &text, &f->err) == RWL_OK;
    if (is_here) {
        const rwl_json *fields = NULL;
        f->expected = parse(f, &text);
        find_last(f, &fields);
        build_schema(f, fields);
    } else {
        printf("skipped: no fixture %s\n", path);
        fixture_close(f);
    }
    rwl_buf_clear(&text);
    return is_here;
}

void fixture_close(fixture *f) {
    rwl_json_free(f->expected);
    rwl_store_free(f->store);
    rwl_arena_clear(&f->arena);
}

/* --- fragments --- */

/* The data file of this size; sizes of the fixtures' files are all different within a dataset. */
static void find_file(const fixture *f, int64_t size, char *path, size_t path_size) {
    char dir[560];
    snprintf(dir, sizeof dir, "%s/t.lance/data", f->dir);
    DIR *d = opendir(dir);
    ck_assert_ptr_nonnull(d);
    bool is_found = false;
    for (const struct dirent *e; !is_found && (e = readdir(d)) != NULL;) {
        struct stat st;
        snprintf(path, path_size, "%s/%s", dir, e->d_name);
        is_found = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == size;
    }
    closedir(d);
    ck_assert_msg(is_found, "%s has no file of %lld bytes", dir, (long long)size);
}

static const rwl_lance_node *top_of(const rwl_lance_node *node) {
    while (node->parent != NULL)
        node = node->parent;
    return node;
}

static void add_file(fixture *f, fixture_fragment *out, const rwl_json *file) {
    const rwl_json *fields = rwl_json_get(file, "fields"), *indices = rwl_json_get(file, "column_indices");
    int64_t size = rwl_json_i64(rwl_json_get(file, "bytes"));
    char path[900];
    find_file(f, size, path, sizeof path);
    rwl_lancefile **open = &out->files[out->file_count++];
    rwl_status st = rwl_lancefile_open(f->store, &f->op, path, size, open, &f->err);
    ck_assert_msg(st == RWL_OK, "%s: %s", path, f->err.message);
    for (size_t i = 0; i < rwl_json_len(fields); i++) {
        int32_t id = (int32_t)rwl_json_i64(rwl_json_at(fields, i));
        const rwl_lance_node *node = id < 0 ? NULL : rwl_lance_schema_find(&f->schema, id);
        int64_t column = indices == NULL ? (int64_t)i : rwl_json_i64(rwl_json_at(indices, i));
        if (node == NULL || column < 0)
            continue;
        rwl_lance_source *sources = (rwl_lance_source *)out->fields[top_of(node) - f->schema.nodes].sources;
        sources[node->index] = (rwl_lance_source){*open, (int32_t)column};
    }
}

void fixture_open_fragment(fixture *f, size_t i, fixture_fragment *out) {
    const rwl_json *fragment = rwl_json_at(f->fragments, i), *files = rwl_json_get(fragment, "files");
    memset(out, 0, sizeof *out);
    out->id = rwl_json_i64(rwl_json_get(fragment, "id"));
    out->rows = rwl_json_i64(rwl_json_get(fragment, "physical_rows"));
    ck_assert_int_le(f->schema.count, FIXTURE_FIELDS_MAX);
    for (int32_t k = 0; k < f->schema.count; k++) {
        out->fields[k].node = &f->schema.nodes[k];
        out->fields[k].sources =
            rwl_arena_array(&f->arena, (size_t)f->schema.nodes[k].node_count, sizeof(rwl_lance_source));
    }
    ck_assert_uint_le(rwl_json_len(files), FIXTURE_FILES_MAX);
    for (size_t k = 0; k < rwl_json_len(files); k++)
        add_file(f, out, rwl_json_at(files, k));
}

void fixture_close_fragment(fixture_fragment *fragment) {
    for (int i = 0; i < fragment->file_count; i++)
        rwl_lancefile_free(fragment->files[i]);
}

/* --- cells --- */

/* A date and time without "Z", an offset of zero and zeros at the end of its fraction. */
static void plain_time(const char *text, char *out, size_t size) {
    snprintf(out, size, "%s", text);
    size_t len = strlen(out);
    if (len > 6 && strcmp(out + len - 6, "+00:00") == 0)
        len -= 6;
    else if (len > 0 && out[len - 1] == 'Z')
        len--;
    if (memchr(out, '.', len) != NULL) {
        while (out[len - 1] == '0')
            len--;
        len -= out[len - 1] == '.';
    }
    out[len] = '\0';
}

static bool is_time(const rwl_type *type) {
    return type->kind >= RWL_TYPE_TIME && type->kind <= RWL_TYPE_TIMESTAMPTZ_NS;
}

/* The value as text: strings as they are, integers in decimals. */
static const char *text_of(const rwl_json *value, char *room, size_t size) {
    if (rwl_json_kind_of(value) == RWL_JSON_INT)
        snprintf(room, size, "%lld", (long long)rwl_json_i64(value));
    else
        return rwl_json_str(value);
    return room;
}

static bool is_number(const rwl_json *value) {
    return rwl_json_kind_of(value) == RWL_JSON_INT || rwl_json_kind_of(value) == RWL_JSON_REAL;
}

static double number_of(const rwl_json *value) {
    return rwl_json_kind_of(value) == RWL_JSON_INT ? (double)rwl_json_i64(value) : rwl_json_real(value);
}

static bool same_scalar(const rwl_lance_node *node, const rwl_type *type, const rwl_json *a,
                        const rwl_json *b) {
    rwl_json_kind ka = rwl_json_kind_of(a), kb = rwl_json_kind_of(b);
    if (ka == RWL_JSON_NULL || kb == RWL_JSON_NULL)
        return ka == kb;
    if (ka == RWL_JSON_BOOL || kb == RWL_JSON_BOOL)
        return ka == kb && rwl_json_bool(a) == rwl_json_bool(b);
    if (is_number(a) && is_number(b) && (ka == RWL_JSON_REAL || kb == RWL_JSON_REAL)) {
        double x = number_of(a), y = number_of(b);
        if (strcmp(node->logical_type, "halffloat") == 0) /* printed with the digits that halves need */
            return fabs(x - y) <= fmax(fabs(y) * 0x1p-11, 0x1p-25);
        return memcmp(&x, &y, sizeof x) == 0;
    }
    char room_a[64], room_b[64], time_a[64], time_b[64];
    const char *x = text_of(a, room_a, sizeof room_a), *y = text_of(b, room_b, sizeof room_b);
    if (x == NULL || y == NULL)
        return false;
    if (is_time(type)) {
        plain_time(x, time_a, sizeof time_a);
        plain_time(y, time_b, sizeof time_b);
        return strcmp(time_a, time_b) == 0;
    }
    return strcmp(x, y) == 0;
}

static bool same_value(const rwl_lance_node *node, const rwl_type *type, const rwl_json *a,
                       const rwl_json *b) {
    if (!rwl_type_is_nested(type) || rwl_json_kind_of(a) == RWL_JSON_NULL ||
        rwl_json_kind_of(b) == RWL_JSON_NULL)
        return same_scalar(node, type, a, b);
    if (rwl_json_kind_of(a) != rwl_json_kind_of(b) || rwl_json_len(a) != rwl_json_len(b))
        return false;
    bool is_same = true;
    for (int32_t k = 0; type->kind == RWL_TYPE_STRUCT && k < type->child_count && is_same; k++)
        is_same = same_value(node, &type->children[k].type, rwl_json_get(a, type->children[k].name),
                             rwl_json_get(b, type->children[k].name));
    for (size_t i = 0; type->kind == RWL_TYPE_LIST && i < rwl_json_len(a) && is_same; i++)
        is_same = same_value(node, &type->children[0].type, rwl_json_at(a, i), rwl_json_at(b, i));
    for (size_t i = 0; type->kind == RWL_TYPE_MAP && i < rwl_json_len(a) && is_same; i++)
        for (size_t k = 0; k < 2 && is_same; k++)
            is_same = same_value(node, &type->children[k].type, rwl_json_at(rwl_json_at(a, i), k),
                                 rwl_json_at(rwl_json_at(b, i), k));
    return is_same;
}

void fixture_check_row(const fixture *f, const rwl_batch *batch, int64_t i, const rwl_json *row,
                       const char *where) {
    fixture *scratch = (fixture *)f;
    for (int32_t k = 0; k < f->schema.count; k++) {
        rwl_buf text, wanted;
        rwl_buf_init(&text, &f->env, SIZE_MAX);
        rwl_buf_init(&wanted, &f->env, SIZE_MAX);
        const rwl_json *cell = rwl_json_at(row, (size_t)k);
        ck_assert_int_eq(rwl_column_format_json(&batch->columns[k], i, &text, &scratch->err), RWL_OK);
        rwl_json *mine = parse(scratch, &text);
        if (!same_value(&f->schema.nodes[k], &f->schema.fields[k].type, mine, cell)) {
            ck_assert_int_eq(rwl_json_dump(cell, 0, &wanted, &scratch->err), RWL_OK);
            ck_abort_msg("%s: %s of row %lld is %.*s, not %.*s", where, f->schema.fields[k].name,
                         (long long)i, (int)text.len, (const char *)text.data, (int)wanted.len,
                         (const char *)wanted.data);
        }
        rwl_json_free(mine);
        rwl_buf_clear(&text);
        rwl_buf_clear(&wanted);
    }
}
