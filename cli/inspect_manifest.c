/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests, stored values beside inherited ones, and manifest lists. */
#include "inspect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_ROOM = 192, NAME_WIDTH = 12 }; /* of a file in the making of an id, on a terminal */

static const char *name_of(const char *const *names, int64_t count, int64_t number) {
    return number >= 0 && number < count ? names[number] : "?";
}

static const char *content_name(const json_node *entry) {
    static const char *const NAMES[] = {"data", "position deletes", "equality deletes"};
    const char *format = json_get_text(entry, "file_format");
    int64_t content = inspect_i64(entry, "content");
    if (content == 1 && format != NULL && (format[0] == 'p' || format[0] == 'P') && strlen(format) == 6)
        return "deletion vector"; /* PUFFIN */
    return name_of(NAMES, 3, content);
}

/* --- entries --- */

/* How ids are handed out so far: what the next null first_row_id is made of. */
typedef struct id_walk {
    bool has_list; /* the list's line is known */
    int64_t base;  /* its first_row_id, -1 null */
    int64_t rows;  /* of files before that took ids */
    int64_t files;
    char last_file[64]; /* the last of them */
} id_walk;

static void describe_base(const id_walk *walk, char *out, size_t room) {
    if (walk->files == 0)
        snprintf(out, room, "list %" PRId64, walk->base);
    else if (walk->files == 1)
        snprintf(out, room, "list %" PRId64 " + %" PRId64 " of %s", walk->base, walk->rows, walk->last_file);
    else
        snprintf(out, room, "list %" PRId64 " + %" PRId64 " of %" PRId64 " files", walk->base, walk->rows,
                 walk->files);
}

/* "7" when stored and inherited agree, else "null -> 7". */
static void format_number(const cli *c, const json_node *entry, const char *key, const char *stored_key,
                          char out[CELL_ROOM]) {
    const char *value = inspect_cell(json_get(entry, key)),
               *stored = inspect_cell(json_get(entry, stored_key));
    if (value == NULL)
        value = "null";
    if (stored == NULL)
        stored = "null";
    if (strcmp(value, stored) == 0)
        snprintf(out, CELL_ROOM, "%.40s", value);
    else
        snprintf(out, CELL_ROOM, "%.40s %s %.40s", stored, text_arrow(c->utf8), value);
}

static void format_first_row_id(const cli *c, const json_node *entry, const id_walk *walk,
                                char out[CELL_ROOM]) {
    int64_t id = inspect_i64(entry, "first_row_id"), stored = inspect_i64(entry, "stored_first_row_id");
    format_number(c, entry, "first_row_id", "stored_first_row_id", out);
    size_t n = strlen(out);
    char base[128];
    if (walk->has_list && stored < 0 && id >= 0 && walk->base >= 0) {
        describe_base(walk, base, sizeof base);
        snprintf(out + n, CELL_ROOM - n, " (%s)", base);
    } else if (walk->has_list && stored >= 0 && id < 0) {
        snprintf(out + n, CELL_ROOM - n, " (the list has none)");
    }
}

static void pass_entry(const cli *c, id_walk *walk, const json_node *entry) {
    const char *path = json_get_text(entry, "file_path");
    bool takes = inspect_i64(entry, "stored_first_row_id") < 0 && inspect_i64(entry, "first_row_id") >= 0 &&
                 inspect_i64(entry, "status") != 2;
    if (!takes)
        return;
    walk->rows += inspect_i64(entry, "record_count");
    walk->files++;
    snprintf(walk->last_file, sizeof walk->last_file, "%.60s", path != NULL ? inspect_base_name(path) : "?");
    if (cli_width(c) > 0)
        text_shorten(walk->last_file, sizeof walk->last_file, NAME_WIDTH, false, c->utf8);
}

/* "day=2026-11-30, bucket=3" */
static void format_partition(const json_node *entry, char out[CELL_ROOM]) {
    const json_node *partition = json_get(entry, "partition");
    size_t used = 0;
    out[0] = '\0';
    for (const json_node *p = partition != NULL ? partition->first : NULL; p != NULL && used < CELL_ROOM;
         p = p->next) {
        const char *value = inspect_cell(p);
        int more = snprintf(out + used, CELL_ROOM - used, "%s%.40s=%.60s", used > 0 ? ", " : "", p->key,
                            value != NULL ? value : "null");
        used += more > 0 ? (size_t)more : 0;
    }
}

enum {
    STATUS,
    PATH,
    CONTENT,
    ROWS,
    BYTES,
    PARTITION,
    SNAPSHOT,
    SEQUENCE,
    FILE_SEQUENCE,
    FIRST_ROW_ID,
    CELLS
};

static void put_entry(inspect_table *t, const json_node *e, const id_walk *walk) {
    static const char *const STATES[] = {"existing", "added", "deleted"};
    char partition[CELL_ROOM], snapshot[CELL_ROOM], sequence[CELL_ROOM], file_sequence[CELL_ROOM],
        first[CELL_ROOM];
    format_partition(e, partition);
    format_number(t->c, e, "snapshot_id", "stored_snapshot_id", snapshot);
    format_number(t->c, e, "data_sequence_number", "stored_data_sequence_number", sequence);
    format_number(t->c, e, "file_sequence_number", "stored_file_sequence_number", file_sequence);
    format_first_row_id(t->c, e, walk, first);
    short_text count = inspect_grouped(e, "record_count"), bytes = inspect_bytes(e, "file_size_in_bytes");
    const char *cells[CELLS] = {
        [STATUS] = name_of(STATES, 3, inspect_i64(e, "status")),
        [PATH] = inspect_cell(json_get(e, "file_path")),
        [CONTENT] = content_name(e),
        [ROWS] = count.s,
        [BYTES] = bytes.s,
        [PARTITION] = partition[0] != '\0' ? partition : NULL,
        [SNAPSHOT] = snapshot,
        [SEQUENCE] = sequence,
        [FILE_SEQUENCE] = file_sequence,
        [FIRST_ROW_ID] = first,
    };
    inspect_table_row(t, cells);
}

static rowline_status put_entries(cli *c, const json_node *doc) {
    table_column columns[CELLS] = {
        [STATUS] = {.name = "STATUS"},
        [PATH] = {.name = "FILE", .tail = true},
        [CONTENT] = {.name = "CONTENT"},
        [ROWS] = {.name = "ROWS", .right = true},
        [BYTES] = {.name = "BYTES", .right = true},
        [PARTITION] = {.name = "PARTITION"},
        [SNAPSHOT] = {.name = "SNAPSHOT", .right = true},
        [SEQUENCE] = {.name = "DATA SEQ", .keep = true},
        [FILE_SEQUENCE] = {.name = "FILE SEQ", .right = true},
        [FIRST_ROW_ID] = {.name = "FIRST_ROW_ID", .keep = true},
    };
    const json_node *entries = json_get(doc, "entries"), *inherited = json_get(doc, "inherited");
    id_walk walk = {.has_list = inherited != NULL && inherited->kind == JSON_OBJECT,
                    .base = inspect_i64(inherited, "first_row_id")};
    inspect_table t;
    inspect_table_open(&t, c, columns, CELLS);
    for (const json_node *e = entries != NULL ? entries->first : NULL; e != NULL; e = e->next) {
        if (inspect_table_wants(&t))
            put_entry(&t, e, &walk);
        pass_entry(c, &walk, e);
    }
    return inspect_table_close(&t);
}

/* What the list says of the manifest. */
static void put_inherited(cli *c, const json_node *inherited) {
    layout_section s = {&c->out, "list", false};
    layout_line(&s);
    if (inherited == NULL || inherited->kind != JSON_OBJECT) {
        out_str(s.out, "not given, values are the stored ones (--manifest-list FILE)\n");
        return;
    }
    const char *snapshot = inspect_cell(json_get(inherited, "added_snapshot_id")),
               *first = inspect_cell(json_get(inherited, "first_row_id"));
    layout_member(s.out, inherited, "manifest_list");
    out_char(s.out, '\n');
    layout_line(&s);
    out_printf(s.out, "sequence number %" PRId64 ", added by %.24s, first_row_id %.24s\n",
               inspect_i64(inherited, "sequence_number"), snapshot != NULL ? snapshot : "null",
               first != NULL ? first : "null");
}

/* The entries' deletion vectors: which file's rows, and where the vector lies. */
static void put_vectors(cli *c, const json_node *entries) {
    layout_section s = {&c->out, "vectors", false};
    int64_t limit = print_limit(c), shown = 0;
    for (const json_node *e = entries != NULL ? entries->first : NULL; e != NULL; e = e->next) {
        const char *target = json_get_text(e, "referenced_data_file");
        if (target == NULL || (limit >= 0 && shown++ >= limit))
            continue;
        if (!s.begun)
            out_char(s.out, '\n');
        layout_line(&s);
        out_printf(s.out, "%s of ", text_count(inspect_i64(e, "record_count"), "row").s);
        layout_safe(s.out, target);
        if (inspect_i64(e, "content_offset") >= 0)
            out_printf(s.out, " at byte %" PRId64 ", %s", inspect_i64(e, "content_offset"),
                       text_count(inspect_i64(e, "content_size_in_bytes"), "byte").s);
        out_char(s.out, '\n');
    }
}

rowline_status inspect_manifest(cli *c, const json_node *doc) {
    const json_node *entries = json_get(doc, "entries");
    const char *dot = text_dot(c->utf8);
    int64_t count = json_count(entries);
    inspect_head(c, doc, "manifest");
    out_printf(&c->out, "%sv%" PRId64 "%s%s%sspec %" PRId64 "%s%s %s\n", dot,
               inspect_i64(doc, "format_version"), dot, inspect_i64(doc, "content") == 1 ? "deletes" : "data",
               dot, inspect_i64(doc, "partition_spec_id"), dot, text_grouped(count).s,
               count == 1 ? "entry" : "entries");
    put_inherited(c, json_get(doc, "inherited"));
    if (count == 0)
        return ROWLINE_OK;
    out_char(&c->out, '\n');
    rowline_status st = put_entries(c, doc);
    if (st == ROWLINE_OK)
        put_vectors(c, entries);
    return st;
}
