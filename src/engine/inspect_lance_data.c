/* SPDX-License-Identifier: Apache-2.0 */
/* Lance data files: their own schema, columns, and what the pages of each are encoded as. */
#include "engine/inspect_lance.h"

#include "lancefile/encoding20.h"

#include <inttypes.h>

enum { ENCODINGS_SHOWN = 12 };

/* --- fields and columns --- */

bool rwl_inspect_lance_is_hidden(const rwl_lance_field_def *def) {
    for (int s = 0; s < RWL_LANCE_SEQUENCES && def->parent_id == -1; s++)
        if (strcmp(def->name, rwl_lance_sequence_name((rwl_lance_sequence)s)) == 0)
            return true;
    return false;
}

/* Fields come depth first, which rwl_lancefile_column_field has checked. */
rwl_status rwl_inspect_lance_describe(rwl_inspect *in, rwl_error *err) {
    rwl_lancefile *file = in->lance;
    const rwl_lance_field_def *first;
    int32_t around[RWL_TYPE_DEPTH_MAX], depth = 0;
    RWL_TRY(rwl_lancefile_column_field(file, in->op, 0, &first, err));
    if (file->def_count > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%zu fields", file->def_count);
    int32_t *above = rwl_arena_array(&in->arena, file->def_count + 1, sizeof *above);
    if (above == NULL)
        return rwl_no_memory(err, file->def_count * sizeof *above);
    for (int32_t i = 0; i < (int32_t)file->def_count; i++) {
        if (depth > 0 && rwl_lance_field_is_nameless(&file->defs[i])) {
            above[i] = around[depth - 1];
            continue;
        }
        while (depth > 0 && file->defs[around[depth - 1]].id != file->defs[i].parent_id)
            depth--;
        if (depth == RWL_TYPE_DEPTH_MAX)
            return rwl_fail(err, RWL_CORRUPT, "fields nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
        above[i] = depth > 0 ? around[depth - 1] : -1;
        around[depth++] = i;
    }
    in->lance_above = above;
    return RWL_OK;
}

rwl_status rwl_inspect_lance_path(rwl_inspect *in, int32_t column, rwl_buf *out,
                                  const rwl_lance_field_def **def, rwl_error *err) {
    const rwl_lancefile *file = in->lance;
    int32_t path[RWL_TYPE_DEPTH_MAX], depth = 0;
    RWL_TRY(rwl_lancefile_column_field(in->lance, in->op, column, def, err));
    if (*def == NULL) {
        RWL_TRY(rwl_buf_printf(out, err, "#%" PRId32, column));
        return rwl_buf_terminate(out, err);
    }
    for (int32_t i = (int32_t)(*def - file->defs); i >= 0 && depth < RWL_TYPE_DEPTH_MAX;
         i = in->lance_above[i])
        path[depth++] = i;
    while (depth-- > 0) {
        RWL_TRY(rwl_buf_str(out, file->defs[path[depth]].name, err));
        if (depth > 0)
            RWL_TRY(rwl_buf_u8(out, '.', err));
    }
    return rwl_buf_terminate(out, err);
}

bool rwl_inspect_lance_wants(const rwl_inspect *in, const char *path) {
    if (in->column == NULL)
        return true;
    size_t len = strlen(in->column);
    return strncmp(path, in->column, len) == 0 && (path[len] == '\0' || path[len] == '.');
}

rwl_status rwl_inspect_lance_check_column(rwl_inspect *in, rwl_error *err) {
    bool found = in->column == NULL;
    rwl_status st = RWL_OK;
    rwl_buf path;
    rwl_buf_init(&path, in->env, SIZE_MAX);
    for (int32_t i = 0; st == RWL_OK && !found && i < in->lance->column_count; i++) {
        const rwl_lance_field_def *def;
        rwl_buf_reset(&path);
        st = rwl_inspect_lance_path(in, i, &path, &def, err);
        found = st == RWL_OK && rwl_inspect_lance_wants(in, (const char *)path.data);
    }
    rwl_buf_clear(&path);
    if (st == RWL_OK && !found)
        st = rwl_fail(err, RWL_USAGE, "no column %s in %s", in->column, in->location);
    return st;
}

/* --- the schema --- */

typedef struct open_field {
    int32_t index;
    bool has_children; /* their array is open */
} open_field;

static void close_field(const open_field *field, rwl_doc *doc) {
    if (field->has_children)
        rwl_doc_close(doc, ']');
    rwl_doc_close(doc, '}');
}

static void open_one(const rwl_lance_field_def *def, rwl_doc *doc) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_i64(doc, "id", def->id);
    rwl_doc_text(doc, "name", def->name);
    rwl_doc_text(doc, "type", def->logical_type);
    rwl_doc_bool(doc, "nullable", def->nullable);
    if (rwl_inspect_lance_is_hidden(def))
        rwl_doc_bool(doc, "hidden", true);
    if (def->extension != NULL)
        rwl_doc_text(doc, "extension", def->extension);
}

/* The tree of fields as the file has it: one stays open until the next is not below it. */
static void put_schema(const rwl_inspect *in, rwl_doc *doc) {
    open_field around[RWL_TYPE_DEPTH_MAX];
    int32_t depth = 0;
    rwl_doc_open(doc, "schema", '{');
    rwl_doc_open(doc, "fields", '[');
    for (int32_t i = 0; i < (int32_t)in->lance->def_count && doc->st == RWL_OK; i++) {
        while (depth > 0 && around[depth - 1].index != in->lance_above[i])
            close_field(&around[--depth], doc);
        if (depth > 0 && !around[depth - 1].has_children) {
            rwl_doc_open(doc, "children", '[');
            around[depth - 1].has_children = true;
        }
        open_one(&in->lance->defs[i], doc);
        around[depth++] = (open_field){i, false};
    }
    while (depth > 0)
        close_field(&around[--depth], doc);
    rwl_doc_close(doc, ']');
    rwl_doc_close(doc, '}');
}

/* --- pages --- */

static rwl_status format_array(const rwl_lance_page *page, rwl_arena *arena, rwl_buf *out,
                               rwl_inspect_layout *layout, rwl_error *err) {
    const rwl_lance_array *array;
    RWL_TRY(rwl_lance_array_parse(page->encoding, arena, &array, err));
    layout->kind = "array";
    return rwl_lance_array_format(array, out, err);
}

static rwl_status format_layout(const rwl_lance_page *page, rwl_arena *arena, rwl_buf *out,
                                rwl_inspect_layout *layout, rwl_error *err) {
    static const char *const KINDS[] = {[RWL_LANCE_LAYOUT_MINI_BLOCK] = "mini_block",
                                        [RWL_LANCE_LAYOUT_CONSTANT] = "constant",
                                        [RWL_LANCE_LAYOUT_FULL_ZIP] = "full_zip",
                                        [RWL_LANCE_LAYOUT_BLOB] = "blob"};
    rwl_lance_layout parsed;
    RWL_TRY(rwl_lance_layout_parse(page->encoding, arena, &parsed, err));
    const rwl_lance_layout *l = parsed.kind == RWL_LANCE_LAYOUT_BLOB ? parsed.inner : &parsed;
    layout->kind = KINDS[parsed.kind];
    if (l->kind == RWL_LANCE_LAYOUT_MINI_BLOCK || l->kind == RWL_LANCE_LAYOUT_FULL_ZIP)
        layout->values = l->item_count;
    return rwl_lance_layout_format(&parsed, out, err);
}

rwl_status rwl_inspect_lance_layout(const rwl_inspect *in, const rwl_lance_page *page, rwl_arena *arena,
                                    rwl_buf *out, rwl_inspect_layout *layout, rwl_error *err) {
    rwl_error why = {0};
    size_t len = out->len;
    *layout = (rwl_inspect_layout){"unknown", -1};
    rwl_status st = in->lance->version == RWL_LANCEFILE_2_0 ? format_array(page, arena, out, layout, &why)
                                                            : format_layout(page, arena, out, layout, &why);
    if (st ==
        RWL_UNSUPPORTED) { /* the page is there all the same, and more than its encoding is known of it */
        out->len = len;
        *layout = (rwl_inspect_layout){"unknown", -1};
        return rwl_buf_printf(out, err, "not read: %s", why.message);
    }
    if (st != RWL_OK && err != NULL)
        *err = why;
    return st;
}

/* --- columns --- */

typedef struct summary {
    int64_t bytes, buffers;
    int64_t other_pages;                /* of encodings beyond those shown */
    size_t starts[ENCODINGS_SHOWN + 1]; /* of the different encodings in `text` */
    int32_t shown;
    rwl_buf text;
    rwl_arena arena; /* of one page */
} summary;

static rwl_span encoding_of(const summary *s, int32_t i) {
    return rwl_span_of(s->text.data + s->starts[i], s->starts[i + 1] - s->starts[i]);
}

/* Buffers lie in the file, but pages may share them: the sum is checked. */
static rwl_status add_buffers(summary *s, const rwl_lance_extent *buffers, int32_t count, rwl_error *err) {
    for (int32_t i = 0; i < count; i++)
        if (__builtin_add_overflow(s->bytes, buffers[i].length, &s->bytes))
            return rwl_fail(err, RWL_CORRUPT, "the buffers have more than 2^63 - 1 bytes");
    s->buffers += count;
    return RWL_OK;
}

static rwl_status add_page(const rwl_inspect *in, const rwl_lance_page *page, summary *s, rwl_error *err) {
    rwl_inspect_layout layout;
    size_t start = s->text.len;
    RWL_TRY(rwl_op_check(in->op, err));
    RWL_TRY(add_buffers(s, page->buffers, page->buffer_count, err));
    rwl_arena_reset(&s->arena);
    RWL_TRY(rwl_inspect_lance_layout(in, page, &s->arena, &s->text, &layout, err));
    rwl_span text = rwl_span_of(s->text.data + start, s->text.len - start);
    for (int32_t i = 0; i < s->shown; i++)
        if (rwl_span_equal(encoding_of(s, i), text)) {
            s->text.len = start;
            return RWL_OK;
        }
    if (s->shown == ENCODINGS_SHOWN) {
        s->text.len = start;
        s->other_pages++;
        return RWL_OK;
    }
    s->starts[s->shown++] = start;
    s->starts[s->shown] = s->text.len;
    return RWL_OK;
}

static rwl_status add_pages(const rwl_inspect *in, const rwl_lance_column *column, summary *s,
                            rwl_error *err) {
    s->bytes = s->buffers = s->other_pages = s->shown = 0;
    rwl_buf_reset(&s->text);
    RWL_TRY(add_buffers(s, column->buffers, column->buffer_count, err));
    for (int32_t p = 0; p < column->page_count; p++) {
        rwl_status st = add_page(in, &column->pages[p], s, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "page %" PRId32, p);
    }
    return RWL_OK;
}

static rwl_status put_column(rwl_inspect *in, int32_t index, const char *path, const rwl_lance_field_def *def,
                             summary *s, rwl_doc *doc, rwl_error *err) {
    const rwl_lance_column *column;
    RWL_TRY(rwl_lancefile_column(in->lance, in->op, index, &column, err));
    RWL_TRY(add_pages(in, column, s, err));
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_i64(doc, "index", index);
    rwl_doc_text(doc, "column", path);
    rwl_doc_maybe(doc, "field_id", def != NULL, def != NULL ? def->id : 0);
    rwl_doc_text(doc, "type", def != NULL ? def->logical_type : NULL);
    rwl_doc_i64(doc, "pages", column->page_count);
    rwl_doc_i64(doc, "rows", column->row_count);
    rwl_doc_i64(doc, "buffers", s->buffers);
    rwl_doc_i64(doc, "bytes", s->bytes);
    rwl_doc_open(doc, "encodings", '[');
    for (int32_t i = 0; i < s->shown; i++)
        rwl_doc_span(doc, NULL, encoding_of(s, i));
    rwl_doc_close(doc, ']');
    if (s->other_pages > 0)
        rwl_doc_i64(doc, "other_pages", s->other_pages);
    rwl_doc_close(doc, '}');
    return doc->st;
}

static rwl_status put_columns(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    rwl_status st = RWL_OK;
    summary s = {0};
    rwl_buf path;
    rwl_buf_init(&path, in->env, SIZE_MAX);
    rwl_buf_init(&s.text, in->env, SIZE_MAX);
    rwl_arena_init(&s.arena, in->env, 0);
    rwl_doc_open(doc, "columns", '[');
    for (int32_t i = 0; st == RWL_OK && i < in->lance->column_count; i++) {
        const rwl_lance_field_def *def;
        rwl_buf_reset(&path);
        st = rwl_inspect_lance_path(in, i, &path, &def, err);
        if (st != RWL_OK || !rwl_inspect_lance_wants(in, (const char *)path.data))
            continue;
        st = put_column(in, i, (const char *)path.data, def, &s, doc, err);
        if (st != RWL_OK)
            st = rwl_error_in(err, st, "column %" PRId32, i);
    }
    rwl_doc_close(doc, ']');
    rwl_arena_clear(&s.arena);
    rwl_buf_clear(&s.text);
    rwl_buf_clear(&path);
    return st;
}

static void put_globals(const rwl_lancefile *file, rwl_doc *doc) {
    rwl_doc_open(doc, "global_buffers", '[');
    for (int32_t i = 0; i < file->global_count; i++) {
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_i64(doc, "offset", file->globals[i].offset);
        rwl_doc_i64(doc, "bytes", file->globals[i].length);
        rwl_doc_close(doc, '}');
    }
    rwl_doc_close(doc, ']');
}

rwl_status rwl_inspect_lance_data(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    rwl_doc_text(doc, "file_version", rwl_lancefile_version_name(in->lance->version));
    rwl_doc_i64(doc, "rows", in->lance->row_count);
    rwl_doc_i64(doc, "column_count", in->lance->column_count);
    put_schema(in, doc);
    if (in->schema_only)
        return doc->st;
    put_globals(in->lance, doc);
    rwl_status st = put_columns(in, doc, err);
    if (st != RWL_OK && (err == NULL || strstr(err->message, in->location) == NULL))
        return rwl_error_in(err, st, "%s", in->location);
    return st != RWL_OK ? st : doc->st;
}
