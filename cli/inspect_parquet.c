/* SPDX-License-Identifier: Apache-2.0 */
/* A Parquet file: facts, schema, row groups, column chunks. */
#include "inspect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_ROOM = 160, BOUND_ROOM = 96, BOUND_WIDTH = 24 };

/* --- schema --- */

/* Depth is limited by the parser's. */
static void put_fields(cli *c, layout_section *s, const json_node *fields, int32_t depth) {
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        const json_node *children = json_get(f, "children");
        const char *logical = json_get_text(f, "logical_type"),
                   *converted = json_get_text(f, "converted_type");
        layout_line(s);
        out_spaces(s->out, 2 * depth);
        if (inspect_i64(f, "field_id") >= 0)
            layout_member(s->out, f, "field_id");
        else
            out_char(s->out, '-');
        out_char(s->out, ' ');
        layout_member(s->out, f, "name");
        out_char(s->out, ' ');
        layout_member(s->out, f, "repetition");
        out_char(s->out, ' ');
        if (children != NULL)
            out_str(s->out, "group");
        layout_member(s->out, f, "physical_type");
        if (inspect_i64(f, "length") >= 0)
            out_printf(s->out, "(%" PRId64 ")", inspect_i64(f, "length"));
        if (logical != NULL || converted != NULL)
            out_char(s->out, ' ');
        if (logical != NULL)
            inspect_put_cut(c, logical);
        else
            layout_safe(s->out, converted != NULL ? converted : "");
        out_char(s->out, '\n');
        put_fields(c, s, children, depth + 1);
    }
}

void inspect_parquet_schema(cli *c, const char *title, const json_node *schema) {
    layout_section s = {&c->out, title, false};
    put_fields(c, &s, schema, 0);
}

/* --- facts --- */

/* The strings of an array, ", " between, as many as there is room for. */
static void join(const json_node *list, const char *key, char *out, size_t room) {
    size_t used = 0;
    out[0] = '\0';
    for (const json_node *n = list != NULL ? list->first : NULL; n != NULL && used < room; n = n->next) {
        const char *text = key != NULL ? json_get_text(n, key) : n->text;
        const json_node *descending = json_get(n, "descending");
        int more =
            snprintf(out + used, room - used, "%s%.60s%s", used > 0 ? ", " : "", text != NULL ? text : "?",
                     descending != NULL && descending->kind == JSON_TRUE ? " desc" : "");
        used += more > 0 ? (size_t)more : 0;
    }
}

static void put_facts(cli *c, const json_node *doc) {
    char codecs[LIST_ROOM];
    const char *dot = text_dot(c->utf8);
    join(json_get(doc, "codecs"), NULL, codecs, sizeof codecs);
    inspect_head(c, doc, "Parquet");
    out_printf(&c->out, "%s%s in %s%s%s", dot, text_count(inspect_i64(doc, "rows"), "row").s,
               text_count(inspect_i64(doc, "row_group_count"), "row group").s, dot,
               text_count(inspect_i64(doc, "columns"), "column").s);
    if (codecs[0] != '\0')
        out_printf(&c->out, "%s%s", dot, codecs);
    out_char(&c->out, '\n');
    const char *writer = json_get_text(doc, "created_by");
    layout_section s = {&c->out, "writer", false}, footer = {&c->out, "footer", false};
    layout_line(&s);
    layout_safe(&c->out, writer != NULL ? writer : "unnamed");
    out_char(&c->out, '\n');
    layout_line(&footer);
    out_printf(&c->out, "%s, version %" PRId64 "\n", inspect_bytes(doc, "footer_bytes").s,
               inspect_i64(doc, "version"));
    inspect_pairs(c, "metadata", json_get(doc, "metadata"));
    inspect_parquet_schema(c, "schema", json_get(doc, "schema"));
}

/* --- row groups --- */

static rowline_status put_groups(cli *c, const json_node *groups) {
    enum { GROUP, ROWS, FIRST, OFFSET, STORED, PLAIN, SORTED, CELLS };
    table_column columns[CELLS] = {
        [GROUP] = {.name = "ROW GROUP", .right = true, .keep = true},
        [ROWS] = {.name = "ROWS", .right = true, .keep = true},
        [FIRST] = {.name = "FIRST ROW", .right = true},
        [OFFSET] = {.name = "OFFSET", .right = true},
        [STORED] = {.name = "COMPRESSED", .right = true},
        [PLAIN] = {.name = "UNCOMPRESSED", .right = true},
        [SORTED] = {.name = "SORTED BY"},
    };
    inspect_table t;
    inspect_table_open(&t, c, columns, CELLS);
    for (const json_node *g = groups != NULL ? groups->first : NULL; g != NULL; g = g->next) {
        if (!inspect_table_wants(&t))
            continue;
        char sorted[LIST_ROOM];
        join(json_get(g, "sorting_columns"), "column", sorted, sizeof sorted);
        short_text count = inspect_grouped(g, "rows"), stored = inspect_bytes(g, "compressed_bytes"),
                   plain = inspect_bytes(g, "uncompressed_bytes");
        const char *const cells[CELLS] = {
            inspect_cell(json_get(g, "row_group")), count.s,  inspect_cell(json_get(g, "first_row")),
            inspect_cell(json_get(g, "offset")),    stored.s, plain.s,
            sorted[0] != '\0' ? sorted : NULL};
        inspect_table_row(&t, cells);
    }
    return inspect_table_close(&t);
}

/* --- column chunks --- */

enum { GROUP, COLUMN, CODEC, ENCODINGS, VALUES, NULLS, BYTES, RATIO, MIN, MAX, INDEX, BLOOM, CELLS };

/* A bound, cut to a width; the mark of a cut also behind one that is itself a truncated value. */
static const char *format_bound(const cli *c, const json_node *chunk, const char *key, const char *exact_key,
                                char out[BOUND_ROOM]) {
    const char *text = inspect_cell(json_get(chunk, key));
    const json_node *exact = json_get(chunk, exact_key);
    if (text == NULL)
        return NULL;
    size_t n = strlen(text), room = BOUND_ROOM - 8;
    bool cut = n > room;
    for (n = cut ? room : n; cut && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    memcpy(out, text, n);
    out[n] = '\0';
    text_shorten(out, BOUND_ROOM, BOUND_WIDTH, false, c->utf8);
    n = strlen(out);
    const char *mark = text_more(c->utf8);
    bool marked = n >= strlen(mark) && strcmp(out + n - strlen(mark), mark) == 0;
    if (!marked && (cut || (exact != NULL && exact->kind == JSON_FALSE)))
        snprintf(out + n, BOUND_ROOM - n, "%s", mark);
    return out;
}

static void format_ratio(const json_node *chunk, char out[16]) {
    int64_t stored = inspect_i64(chunk, "compressed_bytes"), plain = inspect_i64(chunk, "uncompressed_bytes");
    if (stored > 0 && plain >= 0)
        snprintf(out, 16, "%.1f", (double)plain / (double)stored);
    else
        snprintf(out, 16, "-");
}

/* Which halves of the page index are there. */
static const char *index_text(const json_node *chunk) {
    bool columns = inspect_i64(chunk, "column_index_bytes") > 0,
         offsets = inspect_i64(chunk, "offset_index_bytes") > 0;
    return columns && offsets ? "yes" : offsets ? "offsets" : columns ? "columns" : NULL;
}

static void put_chunk(inspect_table *t, const json_node *group, const json_node *chunk) {
    char encodings[LIST_ROOM], min[BOUND_ROOM], max[BOUND_ROOM], ratio[16];
    join(json_get(chunk, "encodings"), NULL, encodings, sizeof encodings);
    format_ratio(chunk, ratio);
    short_text values = inspect_grouped(chunk, "values"), nulls = inspect_grouped(chunk, "null_count"),
               bytes = inspect_bytes(chunk, "compressed_bytes"),
               bloom = inspect_bytes(chunk, "bloom_filter_bytes");
    if (inspect_i64(chunk, "bloom_filter_bytes") < 0 && inspect_i64(chunk, "bloom_filter_offset") > 0)
        snprintf(bloom.s, sizeof bloom.s, "yes");
    const json_node *encrypted = json_get(chunk, "encrypted");
    const char *cells[CELLS] = {
        [GROUP] = inspect_cell(json_get(group, "row_group")),
        [COLUMN] = inspect_cell(json_get(chunk, "column")),
        [CODEC] = inspect_cell(json_get(chunk, "codec")),
        [ENCODINGS] = encrypted != NULL && encrypted->kind == JSON_TRUE ? "encrypted" : encodings,
        [VALUES] = values.s,
        [NULLS] = nulls.s,
        [BYTES] = bytes.s,
        [RATIO] = ratio,
        [MIN] = format_bound(t->c, chunk, "min", "min_is_exact", min),
        [MAX] = format_bound(t->c, chunk, "max", "max_is_exact", max),
        [INDEX] = index_text(chunk),
        [BLOOM] = bloom.s,
    };
    inspect_table_row(t, cells);
}

static rowline_status put_chunks(cli *c, const json_node *groups) {
    table_column columns[CELLS] = {
        [GROUP] = {.name = "ROW GROUP", .right = true},
        [COLUMN] = {.name = "COLUMN", .keep = true},
        [CODEC] = {.name = "CODEC"},
        [ENCODINGS] = {.name = "ENCODINGS"},
        [VALUES] = {.name = "VALUES", .right = true},
        [NULLS] = {.name = "NULLS", .right = true},
        [BYTES] = {.name = "BYTES", .right = true},
        [RATIO] = {.name = "RATIO", .right = true},
        [MIN] = {.name = "MIN"},
        [MAX] = {.name = "MAX"},
        [INDEX] = {.name = "PAGE INDEX"},
        [BLOOM] = {.name = "BLOOM", .right = true},
    };
    inspect_table t;
    inspect_table_open(&t, c, columns, CELLS);
    for (const json_node *g = groups != NULL ? groups->first : NULL; g != NULL; g = g->next) {
        const json_node *chunks = json_get(g, "columns");
        for (const json_node *n = chunks != NULL ? chunks->first : NULL; n != NULL; n = n->next)
            if (inspect_table_wants(&t))
                put_chunk(&t, g, n);
    }
    return inspect_table_close(&t);
}

rowline_status inspect_parquet(cli *c, const json_node *doc) {
    const json_node *groups = json_get(doc, "row_groups");
    put_facts(c, doc);
    if (json_count(groups) == 0)
        return ROWLINE_OK;
    out_char(&c->out, '\n');
    rowline_status st = put_groups(c, groups);
    if (st != ROWLINE_OK)
        return st;
    out_char(&c->out, '\n');
    return put_chunks(c, groups);
}
