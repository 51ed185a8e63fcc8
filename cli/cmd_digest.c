/* SPDX-License-Identifier: Apache-2.0 */
/* rowline digest: what the identity of a state's rows sums to; two states side by side. */
#include "report.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 6 };

/* The figures as people read them, names first: counts grouped, sums and checksum as they are. */
static void tell_figures(const rowline_digest *d, const char *names[FIGURES], short_text figures[FIGURES]) {
    static const char *const NAMES[FIGURES] = {
        "rows", "rows without lineage", "row id sum", "last updated sum", "product sum", "lineage checksum"};
    const char *sums[FIGURES] = {
        NULL, NULL, d->row_id_sum, d->last_updated_sum, d->product_sum, d->lineage_checksum};
    figures[0] = text_grouped(d->rows);
    figures[1] = text_grouped(d->rows_without_lineage);
    for (int i = 0; i < FIGURES; i++) {
        names[i] = NAMES[i];
        if (sums[i] != NULL)
            snprintf(figures[i].s, sizeof figures[i].s, "%s", sums[i]);
    }
}

static rowline_status put_one(cli *c, rowline_table *table) {
    rowline_digest digest = {.struct_size = sizeof digest};
    rowline_status st = rowline_table_digest(table, c->args.where, &digest, &c->error);
    if (st != ROWLINE_OK)
        return st;
    if (c->json) {
        json j = {&c->out, false};
        report_digest_json(&j, &digest);
        out_char(&c->out, '\n');
        return ROWLINE_OK;
    }
    const char *names[FIGURES];
    short_text figures[FIGURES];
    tell_figures(&digest, names, figures);
    for (int i = 0; i < FIGURES; i++)
        out_printf(&c->out, "%-20s  %s\n", names[i], figures[i].s);
    return ROWLINE_OK;
}

/* --- two states --- */

static void put_pair_text(cli *c, const char *name_a, const char *name_b, const rowline_digest *a,
                          const rowline_digest *b, bool equal) {
    const char *names[FIGURES];
    short_text left[FIGURES], right[FIGURES];
    tell_figures(a, names, left);
    tell_figures(b, names, right);
    int width = (int)strlen(name_a);
    for (int i = 0; i < FIGURES; i++)
        width = (int)strlen(left[i].s) > width ? (int)strlen(left[i].s) : width;
    out_printf(&c->out, "%-20s  %-*s  %s\n", "", width, name_a, name_b);
    for (int i = 0; i < FIGURES; i++)
        out_printf(&c->out, "%-20s  %-*s  %s%s\n", names[i], width, left[i].s, right[i].s,
                   strcmp(left[i].s, right[i].s) == 0 ? "" : "  differs");
    out_str(&c->out, equal ? "equal\n" : "not equal\n");
}

static void put_pair_json(cli *c, const rowline_digest *a, const rowline_digest *b, bool equal) {
    json j = {&c->out, false};
    json_open(&j, '{');
    json_key(&j, "a");
    report_digest_json(&j, a);
    json_key(&j, "b");
    report_digest_json(&j, b);
    json_key(&j, "equal");
    json_bool(&j, equal);
    json_close(&j, '}');
    out_char(&c->out, '\n');
}

/* `name_b` NULL: the state that TABLE names. */
static rowline_status put_pair(cli *c, rowline_table *table, const char *name_a, const char *name_b) {
    rowline_digest a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    int32_t equal = 0;
    rowline_status st =
        rowline_digest_compare(table, name_a, name_b, c->args.where, &a, &b, &equal, &c->error);
    if (st != ROWLINE_OK)
        return st;
    c->findings = equal == 0;
    if (c->json)
        put_pair_json(c, &a, &b, equal != 0);
    else
        put_pair_text(c, name_a, name_b != NULL ? name_b : c->args.arguments[0], &a, &b, equal != 0);
    return ROWLINE_OK;
}

/* Splits "A..B" at its first ".."; `*b` NULL when nothing follows. `*a` is the caller's to free. */
static rowline_status split_range(cli *c, const char *range, char **a, const char **b) {
    const char *dots = strstr(range, "..");
    *a = NULL;
    if (dots == NULL || dots == range)
        return cli_fail(c, ROWLINE_USAGE, "'%.200s': not of the form A..B (snapshot ids, branches or tags)",
                        range);
    *b = dots[2] != '\0' ? dots + 2 : NULL;
    *a = strndup(range, (size_t)(dots - range));
    return *a != NULL ? ROWLINE_OK : cli_fail(c, ROWLINE_NO_MEMORY, "no memory for '%.200s'", range);
}

rowline_status cmd_digest(cli *c) {
    char *a = NULL;
    const char *b = NULL;
    rowline_status st = ROWLINE_OK;
    if (c->args.argument_count == 2)
        st = split_range(c, c->args.arguments[1], &a, &b);
    bool is_named = c->args.snapshot != NULL || c->args.ref != NULL || c->args.as_of != NULL;
    if (st == ROWLINE_OK && b != NULL && is_named)
        st = cli_fail(c, ROWLINE_USAGE, "A..B names both states: no --snapshot, --ref or --as-of with it");
    rowline_table *table = NULL;
    if (st == ROWLINE_OK)
        st = cli_open(c, c->args.arguments[0], false, &table);
    if (st == ROWLINE_OK)
        st = a != NULL ? put_pair(c, table, a, b) : put_one(c, table);
    rowline_table_free(table);
    free(a);
    return st;
}
