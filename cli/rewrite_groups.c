/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of a planned rewrite as JSON lines or a table. */
#include "rewrite_groups.h"

#include "json.h"
#include "print.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { PARTITION, FILES, BYTES, DELETED, EXPECTED, WHY, CELLS };

void rewrite_groups_init(rewrite_groups *g, cli *c) {
    memset(g, 0, sizeof *g);
    g->c = c;
}

static void put_json(output *o, const rowline_rewrite_group *group) {
    json j = {o, false};
    json_open(&j, '{');
    json_key(&j, "group");
    json_i64(&j, group->group);
    json_key(&j, "partition");
    json_raw(&j, group->partition_json);
    json_key(&j, "spec_id");
    json_maybe_i64(&j, group->spec_id >= 0, group->spec_id);
    json_key(&j, "files");
    json_open(&j, '[');
    for (size_t i = 0; i < group->file_count; i++) {
        json_item(&j);
        json_text(&j, group->files[i]);
    }
    json_close(&j, ']');
    json_key(&j, "input_bytes");
    json_i64(&j, group->input_bytes);
    json_key(&j, "rows");
    json_i64(&j, group->rows);
    json_key(&j, "reason");
    json_text(&j, group->reason);
    json_close(&j, '}');
    out_char(o, '\n');
}

static bool reserve(rewrite_groups *g) {
    if (g->count < g->room)
        return true;
    size_t room = g->room > 0 ? g->room * 2 : 64;
    char **cells = realloc(g->cells, room * CELLS * sizeof *cells);
    if (cells == NULL)
        return false;
    g->cells = cells;
    g->room = room;
    return true;
}

static bool keep(rewrite_groups *g, const rowline_rewrite_group *group) {
    if (!reserve(g))
        return false;
    const char *partition = group->partition != NULL && group->partition[0] != '\0' ? group->partition : "-";
    short_text files = text_grouped((int64_t)group->file_count), bytes = text_bytes(group->input_bytes),
               deleted = text_percent(group->deleted_rows, group->rows),
               expected = text_grouped(group->expected_files);
    const char *const texts[CELLS] = {partition, files.s,    bytes.s,
                                      deleted.s, expected.s, group->reason != NULL ? group->reason : "-"};
    char **to = g->cells + g->count * CELLS;
    bool made = true;
    for (int i = 0; i < CELLS; i++) {
        to[i] = text_printable(texts[i], strlen(texts[i]));
        made = made && to[i] != NULL;
    }
    g->count++;
    return made;
}

int32_t rewrite_groups_add(void *ctx, const rowline_rewrite_group *group) {
    rewrite_groups *g = ctx;
    int64_t limit = print_limit(g->c);
    if (g->c->json)
        put_json(&g->c->out, group);
    else if (limit >= 0 && (int64_t)g->count >= limit)
        g->hidden++;
    else
        g->failed = !keep(g, group);
    return g->failed;
}

rowline_status rewrite_groups_print(rewrite_groups *g) {
    cli *c = g->c;
    if (g->count == 0)
        return ROWLINE_OK;
    table_column columns[CELLS] = {
        [PARTITION] = {.name = "PARTITION"},
        [FILES] = {.name = "FILES", .right = true, .keep = true},
        [BYTES] = {.name = "BYTES", .right = true, .keep = true},
        [DELETED] = {.name = "DELETED", .right = true, .keep = true},
        [EXPECTED] = {.name = c->utf8 ? "\xe2\x86\x92 FILES" : "-> FILES", .right = true, .keep = true},
        [WHY] = {.name = "WHY"},
    };
    table t;
    bool good = table_init(&t, &c->out, columns, CELLS, cli_width(c), c->utf8);
    for (size_t i = 0; good && i < g->count; i++)
        good = table_row(&t, (const char *const *)(g->cells + i * CELLS));
    if (good)
        table_end(&t);
    table_clear(&t);
    if (!good)
        return cli_fail(c, ROWLINE_NO_MEMORY, "no memory for a table");
    print_more(c, g->hidden);
    return ROWLINE_OK;
}

void rewrite_groups_clear(rewrite_groups *g) {
    for (size_t i = 0; i < g->count * CELLS; i++)
        free(g->cells[i]);
    free(g->cells);
}
