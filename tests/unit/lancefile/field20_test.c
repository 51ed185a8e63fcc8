/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of file version 2.0 from pages made by hand: built, spec20_opened, read, compared. */
#include "field20_test.h"

#include "array_text.h"
#include "lancefile/field_internal.h"

#include <stdio.h>

/* --- building and opening --- */

static void build(const spec20_file *spec, const rwl_env *env, rwl_buf *out) {
    lance_build b;
    rwl_buf encoding;
    lance_build_init(&b, env, 0, 3);
    rwl_buf_init(&encoding, env, SIZE_MAX);
    for (size_t i = 0; i < spec->def_count; i++)
        lance_build_field(&b, spec->defs[i].name, spec->defs[i].id, spec->defs[i].parent_id,
                          spec->defs[i].logical_type, true);
    for (int c = 0; c < spec->column_count; c++) {
        const spec20_column *column = &spec->columns[c];
        lance_build_column(&b);
        if (column->own.len > 0)
            (void)lance_build_column_buffer(&b, column->own.data, column->own.len);
        for (int p = 0; p < column->page_count; p++) {
            const spec20_page *page = &column->pages[p];
            for (int i = 0; i < page->buffer_count; i++)
                (void)lance_build_buffer(&b, page->buffers[i].data, page->buffers[i].len);
            rwl_buf_reset(&encoding);
            put_array_text(&encoding, page->encoding);
            lance_build_page(&b, page->rows, rwl_buf_span(&encoding));
        }
    }
    lance_build_finish(&b, (uint64_t)spec->rows, out);
    lance_build_clear(&b);
    rwl_buf_clear(&encoding);
}

/* The file of o->bytes, its one field, and a source for each node. */
rwl_status spec20_open(spec20_opened *o, const spec20_file *spec) {
    rwl_status st = memory_file_open(&o->f, rwl_buf_span(&o->bytes));
    if (st != RWL_OK)
        return st;
    st = rwl_lance_schema_build(spec->defs, spec->def_count, &o->arena, &o->schema, &o->f.err);
    ck_assert_msg(st == RWL_OK, "%s: %s", spec->what, o->f.err.message);
    o->node = o->schema.nodes[0];
    for (int32_t i = 0; i < o->node.node_count; i++)
        o->sources[i] = (rwl_lance_source){i < spec->column_count ? o->f.file : NULL, i};
    return RWL_OK;
}

void spec20_begin(spec20_opened *o, const spec20_file *spec) {
    memset(o, 0, sizeof *o);
    rwl_env_init_default(&o->f.env);
    static rwl_env env; /* outlives the file's own, which opening makes again */
    rwl_env_init_default(&env);
    rwl_buf_init(&o->bytes, &env, SIZE_MAX);
    rwl_arena_init(&o->arena, &env, 0);
    build(spec, &env, &o->bytes);
}

void spec20_end(spec20_opened *o) {
    memory_file_clear(&o->f);
    rwl_buf_clear(&o->bytes);
    rwl_arena_clear(&o->arena);
}

/* Reads rows in batches; each as JSON into `text`, a line a row. */
rwl_status spec20_read(spec20_opened *o, int64_t rows, rwl_range *ranges, size_t count, size_t batch_bytes,
                       rwl_buf *text, int *batches) {
    rwl_lance_read_field field = {&o->node, o->sources};
    rwl_lance_read_options options = {
        .fields = &field, .field_count = 1, .row_count = rows, .batch_bytes = batch_bytes};
    rwl_lance_reader *reader;
    rwl_batch batch;
    rwl_error *err = &o->f.err;
    RWL_TRY(rwl_lance_reader_new(&o->f.op, &options, &reader, err));
    rwl_status st = rwl_batch_init(&batch, &o->f.env, &o->node.field, 1, err);
    int64_t left = 0;
    for (size_t i = 0; i < count; i++)
        left += ranges[i].count;
    for (*batches = 0; st == RWL_OK && left > 0; ++*batches) {
        st = rwl_lance_reader_read(reader, ranges, count, &batch, err);
        for (int64_t i = 0; st == RWL_OK && i < batch.length; i++) {
            st = rwl_column_format_json(&batch.columns[0], i, text, err);
            if (st == RWL_OK)
                st = rwl_buf_u8(text, '\n', err);
        }
        left -= batch.length;
        for (int64_t gone = batch.length; st == RWL_OK && gone > 0;) { /* drop what was read */
            int64_t step = ranges->count < gone ? ranges->count : gone;
            ranges->start += step;
            ranges->count -= step;
            gone -= step;
            if (ranges->count == 0 && --count > 0)
                memmove(ranges, ranges + 1, count * sizeof *ranges);
        }
    }
    rwl_batch_clear(&batch);
    rwl_lance_reader_free(reader);
    return st;
}

rwl_status spec20_try(const spec20_file *spec, rwl_error *err) {
    spec20_opened o;
    rwl_buf text;
    rwl_range all = {0, spec->rows};
    int batches;
    spec20_begin(&o, spec);
    rwl_buf_init(&text, o.bytes.env, SIZE_MAX);
    ck_assert_int_eq(spec20_open(&o, spec), RWL_OK);
    rwl_status st = spec20_read(&o, spec->rows, &all, 1, 0, &text, &batches);
    *err = o.f.err;
    rwl_buf_clear(&text);
    spec20_end(&o);
    return st;
}

/* Rows first, first + step, …, `count` of them each time. */
static void check_rows(const spec20_file *spec, int64_t first, int64_t step, int64_t count,
                       size_t batch_bytes) {
    spec20_opened o;
    rwl_buf text, expected;
    rwl_range ranges[ROWS_MAX];
    size_t n = 0;
    int batches = 0;
    spec20_begin(&o, spec);
    rwl_buf_init(&text, o.bytes.env, SIZE_MAX);
    rwl_buf_init(&expected, o.bytes.env, SIZE_MAX);
    for (int64_t at = first; at < spec->rows; at += step) {
        ranges[n] = (rwl_range){at, at + count <= spec->rows ? count : spec->rows - at};
        for (int64_t i = 0; i < ranges[n].count; i++)
            ck_assert_int_eq(rwl_buf_printf(&expected, NULL, "%s\n", spec->expected[at + i]), RWL_OK);
        n++;
    }
    rwl_status st = spec20_open(&o, spec);
    ck_assert_msg(st == RWL_OK, "%s: %s", spec->what, o.f.err.message);
    int64_t held = memory_file_held(&o.f);
    st = spec20_read(&o, spec->rows, ranges, n, batch_bytes, &text, &batches);
    ck_assert_msg(st == RWL_OK, "%s: %s", spec->what, o.f.err.message);
    ck_assert_int_eq(o.f.op.memory_used, held);
    ck_assert_msg(rwl_span_equal(rwl_buf_span(&text), rwl_buf_span(&expected)), "%s:\n%.*sexpected\n%.*s",
                  spec->what, (int)text.len, (const char *)text.data, (int)expected.len,
                  (const char *)expected.data);
    ck_assert_int_ge(batches, expected.len > 0);
    rwl_buf_clear(&text);
    rwl_buf_clear(&expected);
    spec20_end(&o);
}

void check_spec20_rows(const spec20_file *spec) {
    for (int64_t first = 0; first < spec->rows; first++)
        for (int64_t step = 1; step <= 3; step++)
            for (int64_t count = 1; count <= step; count++)
                check_rows(spec, first, step, count, 0);
    check_rows(spec, 0, spec->rows, spec->rows, 0);
    check_rows(spec, 0, spec->rows, spec->rows, 1); /* a row a batch, or few */
    check_rows(spec, 0, spec->rows, spec->rows, 12);
}

void check_spec20_damage(const spec20_file *spec, int seed) {
    spec20_opened o;
    rwl_buf text;
    int batches;
    spec20_begin(&o, spec);
    rwl_buf_init(&text, o.bytes.env, SIZE_MAX);
    for (size_t i = 0; i < o.bytes.len; i++) {
        rwl_range all = {0, spec->rows};
        uint8_t bit = (uint8_t)(1 << (i * 5 + (size_t)seed) % 8);
        if (o.bytes.data[i] == 'H' && i > 0 && o.bytes.data[i - 1] == 'H')
            continue; /* filler */
        o.bytes.data[i] ^= bit;
        rwl_buf_reset(&text);
        rwl_arena_reset(&o.arena);
        if (spec20_open(&o, spec) == RWL_OK)
            (void)!spec20_read(&o, spec->rows, &all, 1, 0, &text, &batches);
        memory_file_clear(&o.f); /* nothing stays charged */
        o.bytes.data[i] ^= bit;
    }
    rwl_buf_clear(&text);
    spec20_end(&o);
}

void check_spec20_wrong(const spec20_wrong *w) {
    bool is_list = strcmp(w->type, "list") == 0;
    spec20_file spec = {.what = w->encoding,
                        .defs = {FIELD("x", 0, -1, w->type), FIELD("item", 1, 0, "int8")},
                        .def_count = is_list ? 2 : 1,
                        .columns = {{.pages = {{.rows = 3, .encoding = w->encoding}}, .page_count = 1}},
                        .column_count = is_list ? 2 : 1,
                        .rows = 3};
    memcpy(spec.columns[0].pages[0].buffers, w->buffers, sizeof w->buffers);
    spec.columns[0].pages[0].buffer_count = w->buffer_count;
    rwl_error err;
    rwl_status st = spec20_try(&spec, &err);
    ck_assert_msg(st == w->status && strstr(err.message, w->says) != NULL, "%s: %d %s", w->encoding, (int)st,
                  err.message);
    if (st != RWL_OK && !is_list)
        ck_assert_msg(strstr(err.message, "column 0, page 0: ") != NULL ||
                          strstr(err.message, "UTF-8") != NULL,
                      "%s", err.message);
}
