/* SPDX-License-Identifier: Apache-2.0 */
/* rowline inspect: what is in a file. */
#include "inspect.h"
#include "print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_SHOWN = 60 }; /* bytes of a long value */

/* --- what the screens share --- */

int64_t inspect_i64(const json_node *node, const char *key) {
    int64_t value;
    return json_as_i64(json_get(node, key), &value) ? value : -1;
}

const char *inspect_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void inspect_head(cli *c, const json_node *doc, const char *kind) {
    const char *path = json_get_text(doc, "path");
    layout_safe(&c->out, path != NULL ? inspect_base_name(path) : "");
    out_printf(&c->out, "  %s%s%s", kind, text_dot(c->utf8), inspect_bytes(doc, "size_bytes").s);
}

/* Cut not inside a character. */
void inspect_put_cut(cli *c, const char *text) {
    char cut[VALUE_SHOWN + 1];
    size_t n = strlen(text);
    if (n > VALUE_SHOWN)
        for (n = VALUE_SHOWN; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--;
    memcpy(cut, text, n);
    cut[n] = '\0';
    layout_safe(&c->out, cut);
    if (text[n] != '\0')
        out_str(&c->out, text_more(c->utf8));
}

static void put_value(cli *c, const char *value, int64_t bytes) {
    inspect_put_cut(c, value);
    if (strlen(value) > VALUE_SHOWN)
        out_printf(&c->out, " (%s)", text_count(bytes, "byte").s);
}

void inspect_pairs(cli *c, const char *title, const json_node *pairs) {
    layout_section s = {&c->out, title, false};
    for (const json_node *p = pairs != NULL ? pairs->first : NULL; p != NULL; p = p->next) {
        const char *value = json_get_text(p, "value"), *hex = json_get_text(p, "hex");
        layout_line(&s);
        layout_member(s.out, p, "key");
        out_str(s.out, value == NULL && hex != NULL ? " = 0x" : " = ");
        put_value(c, value != NULL ? value : hex != NULL ? hex : "null", inspect_i64(p, "bytes"));
        out_char(s.out, '\n');
    }
}

void inspect_members(cli *c, const char *title, const json_node *object) {
    layout_section s = {&c->out, title, false};
    for (const json_node *p = object != NULL ? object->first : NULL; p != NULL; p = p->next) {
        const char *value = inspect_cell(p);
        layout_line(&s);
        layout_safe(s.out, p->key != NULL ? p->key : "");
        out_str(s.out, " = ");
        put_value(c, value != NULL ? value : "null", value != NULL ? (int64_t)strlen(value) : 0);
        out_char(s.out, '\n');
    }
}

const char *inspect_cell(const json_node *node) {
    if (node == NULL)
        return NULL;
    switch (node->kind) {
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    case JSON_STRING:
    case JSON_NUMBER:
        return node->text;
    default:
        return NULL;
    }
}

short_text inspect_grouped(const json_node *node, const char *key) {
    int64_t value;
    short_text none = {"-"};
    return json_as_i64(json_get(node, key), &value) ? text_grouped(value) : none;
}

short_text inspect_bytes(const json_node *node, const char *key) {
    int64_t value;
    short_text none = {"-"};
    return json_as_i64(json_get(node, key), &value) ? text_bytes(value) : none;
}

/* --- tables --- */

void inspect_table_open(inspect_table *t, cli *c, table_column *columns, int32_t count) {
    memset(t, 0, sizeof *t);
    t->c = c;
    t->columns = count;
    t->limit = print_limit(c);
    t->st = ROWLINE_OK;
    if (!table_init(&t->t, &c->out, columns, count, cli_width(c), c->utf8))
        t->st = cli_fail(c, ROWLINE_NO_MEMORY, "no memory for a table");
}

bool inspect_table_wants(inspect_table *t) {
    bool wanted = t->limit < 0 || t->shown < t->limit;
    t->left += !wanted;
    return wanted;
}

void inspect_table_row(inspect_table *t, const char *const *cells) {
    if (t->st != ROWLINE_OK)
        return;
    char **copies = calloc((size_t)t->columns, sizeof *copies);
    bool made = copies != NULL;
    for (int32_t i = 0; made && i < t->columns; i++) {
        const char *cell = cells[i] != NULL ? cells[i] : "-";
        copies[i] = text_printable(cell, strlen(cell));
        made = copies[i] != NULL;
    }
    made = made && table_row(&t->t, (const char *const *)copies);
    for (int32_t i = 0; copies != NULL && i < t->columns; i++)
        free(copies[i]);
    free(copies);
    t->shown++;
    if (!made)
        t->st = cli_fail(t->c, ROWLINE_NO_MEMORY, "no memory for a row of a table");
}

rowline_status inspect_table_close(inspect_table *t) {
    if (t->st == ROWLINE_OK) {
        table_end(&t->t);
        print_more(t->c, t->left);
    }
    table_clear(&t->t);
    return t->st;
}

/* --- the command --- */

static rowline_status put_screen(cli *c, const char *kind, const json_node *doc) {
    static const struct {
        const char *kind;
        rowline_status (*put)(cli *c, const json_node *doc);
    } SCREENS[] = {{"parquet", inspect_parquet},
                   {"avro", inspect_avro},
                   {"puffin", inspect_puffin},
                   {"manifest", inspect_manifest},
                   {"metadata", inspect_metadata},
                   {"manifest_list", inspect_manifest_list},
                   {"lance_data", inspect_lance_data},
                   {"lance_manifest", inspect_lance_manifest},
                   {"lance_transaction", inspect_lance_transaction},
                   {"lance_deletions", inspect_lance_deletions}};
    for (size_t i = 0; i < sizeof SCREENS / sizeof *SCREENS; i++)
        if (strcmp(SCREENS[i].kind, kind) == 0)
            return SCREENS[i].put(c, doc);
    return cli_fail(c, ROWLINE_INTERNAL, "no screen for %s", kind);
}

/* Parquet's tree, Lance's and Iceberg's fields as lines, Avro's own JSON. */
static void put_schema(cli *c, const char *kind, const json_node *doc) {
    const json_node *schema = json_get(doc, "schema");
    if (strcmp(kind, "parquet") == 0) {
        inspect_parquet_schema(c, NULL, schema);
    } else if (strcmp(kind, "metadata") == 0) {
        layout_schema(&c->out, NULL, schema);
    } else if (strncmp(kind, "lance_", 6) == 0) {
        inspect_lance_schema(c, NULL, schema);
    } else if (schema != NULL) {
        layout_json(&c->out, schema, 0);
        out_char(&c->out, '\n');
    }
}

static rowline_status put_document(cli *c, rowline_inspection *inspection) {
    const char *text;
    size_t len;
    rowline_status st = rowline_inspect_document(inspection, &text, &len, &c->error);
    if (st != ROWLINE_OK)
        return st;
    if (c->json) {
        out_bytes(&c->out, text, len);
        out_char(&c->out, '\n');
        return ROWLINE_OK;
    }
    json_doc parsed;
    const json_node *doc = json_parse(text, len, &parsed);
    const char *kind = rowline_inspect_kind(inspection);
    if (doc == NULL)
        st = cli_fail(c, ROWLINE_UNSUPPORTED, "%s is nested too deep for a screen; --json shows it",
                      c->args.arguments[0]);
    else if (c->args.only_schema)
        put_schema(c, kind, doc);
    else
        st = put_screen(c, kind, doc);
    json_doc_free(&parsed);
    return st;
}

static rowline_status put_stream(cli *c, rowline_inspection *inspection) {
    bool pages = c->args.pages;
    struct ArrowArrayStream stream;
    rowline_status st =
        pages ? rowline_inspect_pages(inspection, &stream, &c->error)
              : rowline_inspect_rows(inspection, c->args.rows > 0 ? c->args.rows : -1, &stream, &c->error);
    if (st != ROWLINE_OK)
        return st;
    int64_t printed, limit = print_limit(c);
    print_options how = {
        .metadata = pages, .limit = pages ? limit : -1, .count_rest = pages && !c->json && c->args.limit < 0};
    st = print_stream(c, &stream, &how, &printed);
    stream.release(&stream);
    return st;
}

static rowline_status check_options(cli *c) {
    const cli_args *a = &c->args;
    if (a->pages + (a->rows >= 0) + a->only_schema > 1)
        return cli_fail(c, ROWLINE_USAGE, "--schema, --pages and --rows exclude each other");
    if (a->snapshot != NULL || a->ref != NULL)
        return cli_fail(c, ROWLINE_USAGE, "a file has no states: --snapshot and --ref are of tables");
    return ROWLINE_OK;
}

rowline_status cmd_inspect(cli *c) {
    rowline_path_map *maps;
    size_t map_count;
    rowline_status st = check_options(c);
    if (st != ROWLINE_OK)
        return st;
    st = cli_maps(c, &maps, &map_count);
    if (st != ROWLINE_OK)
        return st;
    bool streams = c->args.pages || c->args.rows >= 0;
    if (streams && c->args.format == NULL && !c->terminal)
        c->json = true; /* rows are JSON lines where no one looks on */
    rowline_inspect_options options = {.struct_size = sizeof options,
                                       .maps = maps,
                                       .map_count = map_count,
                                       .manifest_list = c->args.manifest_list,
                                       .column = c->args.column,
                                       .row_group = c->args.row_group,
                                       .schema_only = c->args.only_schema};
    rowline_inspection *inspection = NULL;
    st = rowline_inspect_open(c->context, c->args.arguments[0], &options, &inspection, &c->error);
    free(maps);
    if (st == ROWLINE_OK)
        st = streams ? put_stream(c, inspection) : put_document(c, inspection);
    rowline_inspect_free(inspection);
    return st;
}
