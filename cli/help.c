/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, from which dispatch and help come. */
#include "help.h"

#include <string.h>

#define CHANGE "dry-run snapshot-property"

static const cli_command COMMANDS[] = {
    {"status", "TABLE", "print what state a table is in and what is due",
     "Rows, files, deletes, lineage, snapshots and writers, from metadata and manifests alone: no data file "
     "is "
     "opened.\n"
     "Of a Lance dataset also what lineage costs in the manifest, and what spilling would save.\n"
     "With --exit-code 1 when a compaction is due, or live rows have no identity.",
     "exit-code",
     "rowline status wh/db/events\n"
     "rowline status wh/db/events --exit-code --quiet || rowline rewrite wh/db/events\n"
     "rowline status wh/db/events --json | jq .lineage.complete\n",
     1, 1, false, cmd_status},
    {"create", "TABLE", "make an empty table",
     "TABLE is a directory that holds no table yet. Field ids count from 1. With --schema or --like.",
     "schema like partition sort format-version property dry-run",
     "rowline create wh/db/events --schema \"id long not null, ts timestamptz, name string\" --partition "
     "\"day(ts)\"\n"
     "rowline create wh/db/events --like first.parquet --sort \"ts desc nulls last\" --property "
     "write.parquet.compression-codec=zstd\n",
     1, 1, false, cmd_create},
    {"append", "TABLE FILE...", "add the rows of files",
     "Parquet (.parquet), CSV with a header (.csv), JSON lines (.jsonl, .json) or Arrow IPC (.arrow, "
     ".arrows); "
     "'-' is standard\n"
     "input, with --input-format. Columns are matched by name; a missing one takes its write default or "
     "null, "
     "an unknown one\n"
     "is an error.",
     "input-format " CHANGE,
     "rowline append wh/db/events day1.parquet day2.parquet\n"
     "producer | rowline append wh/db/events - --input-format csv\n",
     2, -1, false, cmd_append},
    {"scan", "TABLE", "print rows",
     "_row_id, _last_updated_sequence_number, _file and _pos work like columns; of Lance datasets _rowid,\n"
     "_row_created_at_version, _row_last_updated_at_version, _rowaddr, _fragment_id. On a terminal 40 rows, "
     "unless --limit says else.\n"
     "A file given by -o is replaced when it is whole.",
     "select where limit lineage order-by-row-id stats no-verify-pages output",
     "rowline scan wh/db/events --lineage --order-by-row-id --limit 10\n"
     "rowline scan wh/db/events@audit-q3 --select \"id, name, _file\" --where \"ts >= timestamptz "
     "'2026-11-01T00:00:00Z'\" --json\n"
     "rowline scan wh/db/events -o events.parquet\n"
     "rowline scan events.lance --lineage --where \"_rowid in (17, 300412)\"\n",
     1, 1, true, cmd_scan},
    {"count", "TABLE", "print the number of rows", NULL, "where",
     "rowline count wh/db/events\n"
     "rowline count wh/db/events --where \"name is null\"\n",
     1, 1, false, cmd_count},
    {"digest", "TABLE [A..B]", "print what identity sums to, or compare two states",
     "Rows, sums of row ids, of versions and of their products, and the lineage checksum: figures that "
     "anyone can compute in SQL.\n"
     "A and B are snapshot ids, versions, branches or tags; no B is main. Exit code 1 when they differ.",
     "where",
     "rowline digest wh/db/events\n"
     "rowline digest wh/db/events 3051729675574597004..main\n",
     1, 2, false, cmd_digest},
    {"delete", "TABLE", "delete rows by deletion vectors",
     "A file whose last row goes is removed with its vector. Version 3 tables; others refuse, naming "
     "upgrade.",
     "where mode " CHANGE,
     "rowline delete wh/db/events --where \"id = 17\"\n"
     "rowline delete wh/db/events --where \"ts < timestamptz '2025-01-01T00:00:00Z'\" --dry-run\n",
     1, 1, false, cmd_delete},
    {"rewrite", "TABLE", "compact data files, every row keeping its id and version",
     "Small files, too large ones and files with many deleted rows are packed to the target size and "
     "verified before the commit.\n"
     "No id is used up. A second run on an unchanged table makes no snapshot. --where chooses files that "
     "may\n"
     "hold such rows and rewrites them whole. Without --sort pages are copied as they are wherever they can "
     "be.",
     "where sort target-file-size min-file-size max-file-size min-input-files delete-ratio delete-files "
     "max-group-size max-bytes deadline max-commits option rewrite-all "
     "verify row-id-encoding no-pin limit " CHANGE,
     "rowline rewrite wh/db/events --dry-run\n"
     "rowline rewrite wh/db/events --target-file-size 256MB\n"
     "rowline rewrite wh/db/events --sort \"name, ts desc\" --where \"ts >= timestamptz "
     "'2026-11-01T00:00:00Z'\"\n",
     1, 1, false, cmd_rewrite},
    {"upgrade", "TABLE", "bring a table to a newer format version, rows getting ids",
     "With --to. Existing rows of main get ids in an empty append of the same swap, unless --no-assign. "
     "There is no way back: it asks\n"
     "on a terminal and needs --yes elsewhere.",
     "to no-assign " CHANGE,
     "rowline upgrade wh/db/events --to 3 --dry-run\n"
     "rowline upgrade wh/db/events --to 3 --yes\n",
     1, 1, false, cmd_upgrade},
    {"show", "TABLE", "print schema, partitioning, sort order, properties, refs",
     "Of a Lance dataset also flags, and for each sequence of lineage whether it is inline or spilled, with "
     "its "
     "bytes.",
     "",
     "rowline show wh/db/events\n"
     "rowline show wh/db/events --json | jq .next_row_id\n",
     1, 1, false, cmd_show},
    {"log", "TABLE", "print snapshots, newest first",
     "The ancestors of the state, or with --all every snapshot; of a Lance dataset versions. With --metadata "
     "also what changed without "
     "one: "
     "schema, properties,\n"
     "refs, upgrades, as far back as older metadata files are there. Who made a snapshot is told by its "
     "summary, else by a file it added.",
     "all metadata limit",
     "rowline log wh/db/events\n"
     "rowline log wh/db/events --metadata\n"
     "rowline log wh/db/events --all --json | jq -r .snapshot_id\n",
     1, 1, true, cmd_log},
    {"files", "TABLE", "print live data and delete files", "Of a Lance dataset a line a fragment.", "limit",
     "rowline files wh/db/events --json | jq -r .file_path\n"
     "rowline files events.lance --json | jq -r '.files[].path'\n",
     1, 1, true, cmd_files},
    {"entries", "TABLE", "print manifest entries, deleted ones too",
     "Stored values and inherited ones side by side.", "limit",
     "rowline entries wh/db/events@3051729675574597004 --json\n", 1, 1, true, cmd_entries},
    {"manifests", "TABLE", "print the manifests of a state",
     "Counts, sequence numbers, first row ids, and the bounds of each partition field.", "limit",
     "rowline manifests wh/db/events\n"
     "rowline manifests wh/db/events --json | jq -r 'select(.content == 1).path'\n",
     1, 1, true, cmd_manifests},
    {"partitions", "TABLE", "print partitions: live files, deletes, last update", NULL, "limit",
     "rowline partitions wh/db/events\n"
     "rowline partitions 'wh/db/events@{2d}' --json\n",
     1, 1, true, cmd_partitions},
    {"refs", "TABLE", "print branches and tags", NULL, "limit", "rowline refs wh/db/events\n", 1, 1, true,
     cmd_refs},
    {"inspect", "FILE", "show what is in a file",
     "Parquet, Avro, Puffin, manifests, manifest lists and metadata JSON; Lance data files, manifests, "
     "transactions and deletion files; told apart by content.",
     "only-schema pages column row-group rows manifest-list limit",
     "rowline inspect wh/db/events/data/00000.parquet\n"
     "rowline inspect wh/db/events/data/00000.parquet --pages --column id --json\n"
     "rowline inspect events.lance/_versions/18446744073709551605.manifest\n"
     "rowline inspect wh/db/events/metadata/m0.avro --manifest-list wh/db/events/metadata/snap-1.avro\n",
     1, 1, false, cmd_inspect},
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static const char LATER_COMMANDS[] = "update merge rewrite-plan rewrite-group rewrite-commit "
                                     "changes trace audit repair branch tag "
                                     "rollback cherry-pick fast-forward expire remove-orphans "
                                     "rewrite-manifests set alter register drop";

const cli_command *help_find_command(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(COMMANDS[i].name, name) == 0)
            return &COMMANDS[i];
    return NULL;
}

static const char *command_name_at(size_t index) {
    return index < COMMAND_COUNT ? COMMANDS[index].name : NULL;
}

rowline_status help_fail_command(cli *c, const char *name) {
    if (cli_has_word(LATER_COMMANDS, name))
        return cli_fail(c, ROWLINE_UNSUPPORTED, "the command '%s' is not supported yet", name);
    const char *nearest = cli_nearest(name, command_name_at);
    if (nearest != NULL)
        return cli_fail(c, ROWLINE_USAGE, "unknown command '%.60s'; did you mean %s?", name, nearest);
    return cli_fail(c, ROWLINE_USAGE, "unknown command '%.60s'; rowline --help lists them", name);
}

/* Lines with `indent` spaces in front of each. */
static void put_indented(output *o, const char *text, int32_t indent) {
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        out_spaces(o, indent);
        out_bytes(o, text, len);
        out_char(o, '\n');
        text += len + (text[len] == '\n');
    }
}

static void put_option(output *o, const cli_option *option) {
    char head[64];
    size_t n = strlen(option->name);
    memcpy(head, option->name, n);
    if (option->metavar != NULL) {
        head[n++] = ' ';
        memcpy(head + n, option->metavar, strlen(option->metavar));
        n += strlen(option->metavar);
    }
    head[n] = '\0';
    out_printf(o, "  %-26s  %s\n", head, option->help);
}

static void put_options(output *o, const cli_command *command, bool global) {
    const cli_option *option;
    for (size_t i = 0; (option = cli_option_at(i)) != NULL; i++) {
        bool own = command != NULL && cli_option_of(option, command->options);
        if (option->kind != CLI_LATER && (global ? cli_option_is_global(option) : own))
            put_option(o, option);
    }
}

static void print_program(output *o) {
    out_str(o, "rowline: Iceberg and Lance tables whose rows keep their identity\n\n"
               "usage: rowline COMMAND TABLE [ARGUMENTS] [OPTIONS]\n\n"
               "commands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        out_printf(o, "  %-10s  %s\n", COMMANDS[i].name, COMMANDS[i].summary);
    out_str(o, "\nTABLE is a directory or file: URL of an Iceberg table or Lance dataset, or a "
               "*.metadata.json file; the "
               "last two are\n"
               "read only. TABLE@REF is its state at a snapshot id or version, branch or tag, TABLE@{TIME} "
               "at a time\n"
               "(2026-11-30T12:00:00Z, or an age: 2d, 12h, 50m, 30s).\n\n"
               "options of every command:\n");
    put_options(o, NULL, true);
    out_str(o, "\nexamples:\n"
               "  rowline rewrite wh/db/events --dry-run\n"
               "  rowline digest wh/db/events\n\n"
               "rowline COMMAND --help says more.\n");
}

void help_print(output *o, const cli_command *command) {
    if (command == NULL) {
        print_program(o);
        return;
    }
    out_printf(o, "rowline %s: %s\n\nusage: rowline %s %s [OPTIONS]\n", command->name, command->summary,
               command->name, command->arguments);
    if (command->details != NULL) {
        out_char(o, '\n');
        put_indented(o, command->details, 0);
    }
    if (command->options[0] != '\0') {
        out_str(o, "\noptions:\n");
        put_options(o, command, false);
    }
    out_str(o, "\noptions of every command:\n");
    put_options(o, NULL, true);
    out_str(o, "\nexamples:\n");
    put_indented(o, command->examples, 2);
}
