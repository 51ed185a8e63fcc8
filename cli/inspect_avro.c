/* SPDX-License-Identifier: Apache-2.0 */
/* Avro files and Puffin files. */
#include "inspect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_SHOWN = 12 };

static void put_text(output *o, const char *title, const char *text) {
    layout_section s = {o, title, false};
    layout_line(&s);
    layout_safe(o, text != NULL ? text : "none");
    out_char(o, '\n');
}

/* --- Avro --- */

static rowline_status put_blocks(cli *c, const json_node *blocks) {
    enum { BLOCK, OFFSET, RECORDS, BYTES, CELLS };
    table_column columns[CELLS] = {
        [BLOCK] = {.name = "BLOCK", .right = true},
        [OFFSET] = {.name = "OFFSET", .right = true},
        [RECORDS] = {.name = "RECORDS", .right = true},
        [BYTES] = {.name = "BYTES", .right = true},
    };
    inspect_table t;
    inspect_table_open(&t, c, columns, CELLS);
    for (const json_node *b = blocks != NULL ? blocks->first : NULL; b != NULL; b = b->next) {
        if (!inspect_table_wants(&t))
            continue;
        short_text records = inspect_grouped(b, "records"), bytes = inspect_grouped(b, "bytes");
        const char *const cells[CELLS] = {inspect_cell(json_get(b, "block")),
                                          inspect_cell(json_get(b, "offset")), records.s, bytes.s};
        inspect_table_row(&t, cells);
    }
    return inspect_table_close(&t);
}

rowline_status inspect_avro(cli *c, const json_node *doc) {
    const json_node *schema = json_get(doc, "schema");
    const char *codec = json_get_text(doc, "codec");
    inspect_head(c, doc, "Avro");
    out_printf(&c->out, "%s%s in %s\n", text_dot(c->utf8),
               text_count(inspect_i64(doc, "records"), "record").s,
               text_count(inspect_i64(doc, "block_count"), "block").s);
    put_text(&c->out, "codec", codec != NULL && strcmp(codec, "null") != 0 ? codec : "none");
    put_text(&c->out, "sync", json_get_text(doc, "sync"));
    inspect_pairs(c, "metadata", json_get(doc, "metadata"));
    if (schema != NULL) {
        layout_section s = {&c->out, "schema", false};
        layout_line(&s);
        layout_json(&c->out, schema, 13);
        out_char(&c->out, '\n');
    }
    if (json_count(json_get(doc, "blocks")) == 0)
        return ROWLINE_OK;
    out_char(&c->out, '\n');
    return put_blocks(c, json_get(doc, "blocks"));
}

/* --- Puffin --- */

static void join_fields(const json_node *blob, char *out, size_t room) {
    const json_node *fields = json_get(blob, "fields");
    size_t used = 0;
    out[0] = '\0';
    for (const json_node *n = fields != NULL ? fields->first : NULL; n != NULL && used < room; n = n->next) {
        int more = snprintf(out + used, room - used, "%s%.12s", used > 0 ? ", " : "",
                            n->text != NULL ? n->text : "?");
        used += more > 0 ? (size_t)more : 0;
    }
}

static rowline_status put_blobs(cli *c, const json_node *blobs) {
    enum { BLOB, TYPE, FIELDS, SNAPSHOT, SEQUENCE, OFFSET, BYTES, CODEC, CELLS };
    table_column columns[CELLS] = {
        [BLOB] = {.name = "BLOB", .right = true},
        [TYPE] = {.name = "TYPE", .keep = true},
        [FIELDS] = {.name = "FIELDS"},
        [SNAPSHOT] = {.name = "SNAPSHOT", .keep = true},
        [SEQUENCE] = {.name = "SEQ", .right = true},
        [OFFSET] = {.name = "OFFSET", .right = true},
        [BYTES] = {.name = "BYTES", .right = true},
        [CODEC] = {.name = "CODEC"},
    };
    inspect_table t;
    inspect_table_open(&t, c, columns, CELLS);
    int64_t index = 0;
    for (const json_node *b = blobs != NULL ? blobs->first : NULL; b != NULL; b = b->next, index++) {
        if (!inspect_table_wants(&t))
            continue;
        char fields[96];
        join_fields(b, fields, sizeof fields);
        short_text number = text_grouped(index), bytes = inspect_grouped(b, "bytes");
        const char *const cells[CELLS] = {number.s,
                                          inspect_cell(json_get(b, "type")),
                                          fields[0] != '\0' ? fields : NULL,
                                          inspect_cell(json_get(b, "snapshot_id")),
                                          inspect_cell(json_get(b, "sequence_number")),
                                          inspect_cell(json_get(b, "offset")),
                                          bytes.s,
                                          inspect_cell(json_get(b, "codec"))};
        inspect_table_row(&t, cells);
    }
    return inspect_table_close(&t);
}

void inspect_ranges(cli *c, layout_section *s, const json_node *positions, const char *count_key) {
    const json_node *ranges = json_get(positions, "ranges");
    int64_t shown = 0, total = inspect_i64(positions, "range_count"), limit = c->args.limit;
    int64_t most = limit == 0 ? INT64_MAX : limit > 0 ? limit : RANGES_SHOWN;
    layout_line(s);
    out_printf(s->out, "%s", text_count(inspect_i64(positions, count_key), "position").s);
    for (const json_node *r = ranges != NULL ? ranges->first : NULL; r != NULL && shown < most;
         r = r->next, shown++) {
        int64_t start = 0, count = 0;
        if (r->first == NULL || !json_as_i64(r->first, &start) || !json_as_i64(r->first->next, &count))
            continue;
        out_str(s->out, shown == 0 ? ": " : ", ");
        if (count == 1)
            out_printf(s->out, "%" PRId64, start);
        else
            out_printf(s->out, "%" PRId64 "..%" PRId64, start, start + count - 1);
    }
    if (total > shown)
        out_printf(s->out, " %s %s more (--limit 0)", text_more(c->utf8),
                   text_count(total - shown, "range").s);
    out_char(s->out, '\n');
}

static void put_blob(cli *c, const json_node *blob, int64_t index) {
    char title[32];
    snprintf(title, sizeof title, "blob %" PRId64, index);
    layout_section s = {&c->out, title, false};
    const json_node *properties = json_get(blob, "properties");
    for (const json_node *p = properties != NULL ? properties->first : NULL; p != NULL; p = p->next) {
        const char *value = inspect_cell(p);
        if (strcmp(p->key, "cardinality") == 0 && json_get(blob, "ranges") != NULL)
            continue; /* told with the positions */
        layout_line(&s);
        layout_safe(s.out, p->key);
        out_str(s.out, " = ");
        layout_safe(s.out, value != NULL ? value : "null");
        out_char(s.out, '\n');
    }
    if (json_get(blob, "ranges") != NULL)
        inspect_ranges(c, &s, blob, "cardinality");
}

rowline_status inspect_puffin(cli *c, const json_node *doc) {
    const json_node *blobs = json_get(doc, "blobs");
    inspect_head(c, doc, "Puffin");
    out_printf(&c->out, "%s%s\n", text_dot(c->utf8), text_count(inspect_i64(doc, "blob_count"), "blob").s);
    inspect_members(c, "properties", json_get(doc, "properties"));
    if (json_count(blobs) == 0)
        return ROWLINE_OK;
    out_char(&c->out, '\n');
    rowline_status st = put_blobs(c, blobs);
    int64_t index = 0, limit = print_limit(c);
    if (st == ROWLINE_OK)
        out_char(&c->out, '\n');
    for (const json_node *b = blobs->first; st == ROWLINE_OK && b != NULL; b = b->next, index++)
        if (limit < 0 || index < limit)
            put_blob(c, b, index);
    return st;
}
