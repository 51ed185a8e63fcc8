/* SPDX-License-Identifier: Apache-2.0 */
/* A stream, row by row. */
#include "print.h"

#include <string.h>

/* The error behind a failed call of the stream. */
static rowline_status fail_stream(rows *r) {
    cli *c = r->c;
    rowline_stream_error(r->stream, &c->error);
    if (c->error.code != ROWLINE_OK)
        return c->error.code;
    const char *text = r->stream->get_last_error(r->stream);
    return cli_fail(c, ROWLINE_IO, "%s", text != NULL ? text : "reading rows failed");
}

rowline_status rows_open(rows *r, cli *c, struct ArrowArrayStream *stream) {
    memset(r, 0, sizeof *r);
    r->c = c;
    r->stream = stream;
    if (stream->get_schema(stream, &r->schema) != 0) {
        r->schema.release = NULL;
        return fail_stream(r);
    }
    return rowline_formatter_new(c->context, &r->schema, &r->formatter, &c->error);
}

static void release_batch(rows *r) {
    if (r->batch.release != NULL)
        r->batch.release(&r->batch);
    r->batch.release = NULL;
}

rowline_status rows_next(rows *r, bool *more) {
    r->row++;
    while (r->batch.release == NULL || r->row >= r->batch.length) {
        release_batch(r);
        out_flush(&r->c->out);
        if (r->stream->get_next(r->stream, &r->batch) != 0) {
            r->batch.release = NULL;
            return fail_stream(r);
        }
        r->row = 0;
        if (r->batch.release == NULL)
            break;
    }
    *more = r->batch.release != NULL;
    return ROWLINE_OK;
}

int64_t rows_find(const rows *r, const char *name) {
    for (int64_t i = 0; i < r->schema.n_children; i++)
        if (strcmp(r->schema.children[i]->name, name) == 0)
            return i;
    return -1;
}

rowline_status rows_cell(rows *r, int64_t column, bool json, const char **text, size_t *len) {
    *text = NULL;
    *len = 0;
    if (column < 0)
        return ROWLINE_OK;
    return rowline_formatter_cell(r->formatter, &r->batch, column, r->row, json, text, len, &r->c->error);
}

void rows_close(rows *r) {
    release_batch(r);
    rowline_formatter_free(r->formatter);
    if (r->schema.release != NULL)
        r->schema.release(&r->schema);
}

/* Metadata of the C data interface: a count, then keys and values, each with its length in front. */
bool rows_is_json(const struct ArrowSchema *column) {
    static const char KEY[] = "ARROW:extension:name", VALUE[] = "arrow.json";
    const char *p = column->metadata;
    if (p == NULL)
        return false;
    int32_t pairs, len;
    memcpy(&pairs, p, sizeof pairs);
    p += sizeof pairs;
    for (int32_t i = 0; i < pairs; i++) {
        memcpy(&len, p, sizeof len);
        bool named = len == (int32_t)sizeof KEY - 1 && memcmp(p + sizeof len, KEY, sizeof KEY - 1) == 0;
        p += sizeof len + (size_t)len;
        memcpy(&len, p, sizeof len);
        if (named)
            return len == (int32_t)sizeof VALUE - 1 && memcmp(p + sizeof len, VALUE, sizeof VALUE - 1) == 0;
        p += sizeof len + (size_t)len;
    }
    return false;
}
