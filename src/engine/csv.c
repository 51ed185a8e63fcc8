/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer holds at least one whole record; fields point into it, doubled quotes are closed up in place. */
#include "engine/csv.h"

#include "base/vec.h"
#include "storage/stream.h"

enum { READ_BYTES = 1 << 18, RECORD_BYTES_MAX = 1 << 28 };

struct rwl_csv {
    rwl_op *op;
    char *path;
    rwl_stream *stream;
    rwl_buf text; /* bytes read and not yet used up: [start, len) */
    size_t start;
    bool begun; /* what may stand before the first record was looked at */
    bool ended;
    int64_t line, next_line;
    RWL_VEC(rwl_csv_field) fields;
};

rwl_status rwl_csv_open(rwl_op *op, const char *path, rwl_csv **out, rwl_error *err) {
    rwl_csv *csv = rwl_calloc(op->env, 1, sizeof *csv);
    if (csv == NULL)
        return rwl_no_memory(err, sizeof *csv);
    csv->op = op;
    csv->next_line = 1;
    rwl_buf_init(&csv->text, op->env, SIZE_MAX);
    rwl_buf_charge(&csv->text, op, "a record of CSV");
    csv->path = rwl_strdup(op->env, strcmp(path, "-") == 0 ? "standard input" : path);
    rwl_status st = csv->path != NULL ? rwl_stream_open(op, path, &csv->stream, err)
                                      : rwl_no_memory(err, strlen(path) + 1);
    if (st != RWL_OK) {
        rwl_csv_close(csv);
        return st;
    }
    *out = csv;
    return RWL_OK;
}

void rwl_csv_close(rwl_csv *csv) {
    if (csv == NULL)
        return;
    const rwl_env *env = csv->op->env;
    rwl_stream_close(csv->stream);
    rwl_vec_clear(&csv->fields, env);
    rwl_buf_clear(&csv->text);
    rwl_free(env, csv->path);
    rwl_free(env, csv);
}

int64_t rwl_csv_line(const rwl_csv *csv) {
    return csv->line;
}

const char *rwl_csv_path(const rwl_csv *csv) {
    return csv->path;
}

/* --- finding the end of a record --- */

/* Reads more behind what is not used up, which moves to the front. */
static rwl_status read_more(rwl_csv *csv, rwl_error *err) {
    size_t left = csv->text.len - csv->start, got;
    if (left > RECORD_BYTES_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: the record of line %lld is longer than %d bytes",
                        csv->path, (long long)csv->next_line, RECORD_BYTES_MAX);
    if (csv->start > 0 && left > 0)
        memmove(csv->text.data, csv->text.data + csv->start, left);
    csv->text.len = left;
    csv->start = 0;
    RWL_TRY(rwl_buf_reserve(&csv->text, READ_BYTES, err));
    RWL_TRY(rwl_stream_read(csv->stream, csv->text.data + left, READ_BYTES, &got, err));
    csv->text.len += got;
    csv->ended = got == 0;
    return RWL_OK;
}

/* Past a byte order mark, which is no part of the first field: a quote behind it opens that. */
static rwl_status skip_mark(rwl_csv *csv, rwl_error *err) {
    static const uint8_t mark[3] = {0xef, 0xbb, 0xbf};
    while (csv->text.len < sizeof mark && !csv->ended)
        RWL_TRY(read_more(csv, err));
    if (csv->text.len >= sizeof mark && memcmp(csv->text.data, mark, sizeof mark) == 0)
        csv->start = sizeof mark;
    csv->begun = true;
    return RWL_OK;
}

/* Where a record was looked through so far, from its start. Only a quote that begins a field opens one. */
typedef struct lookup {
    size_t scanned;
    bool inside;   /* of quotes */
    bool at_start; /* of a field */
} lookup;

/* Looks for the line end outside of quotes; false when there is none yet. */
static bool find_end(const rwl_csv *csv, lookup *l, size_t *end) {
    size_t len = csv->text.len - csv->start;
    if (len == 0) /* of an empty file there is no buffer */
        return false;
    const uint8_t *data = csv->text.data + csv->start;
    for (; l->scanned < len; l->scanned++) {
        uint8_t c = data[l->scanned];
        if (c == '"' && (l->inside || l->at_start)) {
            l->inside = !l->inside; /* a doubled quote closes and opens again */
            l->at_start = !l->inside;
        } else if (c == '\n' && !l->inside) {
            *end = l->scanned;
            return true;
        } else {
            l->at_start = c == ',' && !l->inside;
        }
    }
    return false;
}

/* The bytes of the next record without its line end; data NULL at the end of the text. */
static rwl_status next_record(rwl_csv *csv, uint8_t **record, size_t *len, rwl_error *err) {
    lookup l = {0, false, true};
    size_t end;
    *record = NULL;
    while (!find_end(csv, &l, &end)) {
        if (csv->ended) {
            end = csv->text.len - csv->start;
            if (l.inside)
                return rwl_fail(err, RWL_CORRUPT, "%s: line %lld: a quote does not end", csv->path,
                                (long long)csv->next_line);
            if (end == 0)
                return RWL_OK;
            break;
        }
        RWL_TRY(read_more(csv, err));
    }
    *record = csv->text.data + csv->start;
    *len = end > 0 && (*record)[end - 1] == '\r' ? end - 1 : end;
    csv->start += end < csv->text.len - csv->start ? end + 1 : end;
    return RWL_OK;
}

/* --- fields --- */

static rwl_status bad_quote(const rwl_csv *csv, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "%s: line %lld: field %zu has text behind its closing quote", csv->path,
                    (long long)csv->line, csv->fields.len + 1);
}

/* A quoted field whose text begins at `at`; returns where the field ends. */
static rwl_status take_quoted(rwl_csv *csv, uint8_t *record, size_t len, size_t *at, rwl_csv_field *out,
                              rwl_error *err) {
    size_t from = *at, to = *at;
    out->quoted = true;
    while (from < len && !(record[from] == '"' && !(from + 1 < len && record[from + 1] == '"'))) {
        csv->next_line += record[from] == '\n';
        from += record[from] == '"'; /* of two the second */
        record[to++] = record[from++];
    }
    out->text = rwl_span_of(record + *at, to - *at);
    *at = from + 1;
    return *at == len || (*at < len && record[*at] == ',') ? (rwl_status)RWL_OK : bad_quote(csv, err);
}

static rwl_status split_record(rwl_csv *csv, uint8_t *record, size_t len, rwl_error *err) {
    csv->fields.len = 0;
    for (size_t at = 0;;) {
        rwl_csv_field field = {rwl_span_of(NULL, 0), false};
        if (at < len && record[at] == '"') {
            at++;
            RWL_TRY(take_quoted(csv, record, len, &at, &field, err));
        } else {
            const uint8_t *comma = at < len ? memchr(record + at, ',', len - at) : NULL;
            size_t end = comma != NULL ? (size_t)(comma - record) : len;
            field.text = rwl_span_of(record + at, end - at);
            at = end;
        }
        RWL_TRY(rwl_vec_push(&csv->fields, csv->op->env, field, err));
        if (at >= len)
            return RWL_OK;
        at++; /* the comma */
    }
}

rwl_status rwl_csv_next(rwl_csv *csv, const rwl_csv_field **fields, int32_t *count, rwl_error *err) {
    uint8_t *record;
    size_t len;
    *fields = NULL;
    *count = 0;
    if (!csv->begun)
        RWL_TRY(skip_mark(csv, err));
    RWL_TRY(next_record(csv, &record, &len, err));
    if (record == NULL)
        return RWL_OK;
    csv->line = csv->next_line++;
    RWL_TRY(split_record(csv, record, len, err));
    if (csv->fields.len > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: line %lld has too many fields", csv->path,
                        (long long)csv->line);
    *fields = csv->fields.items;
    *count = (int32_t)csv->fields.len;
    return RWL_OK;
}
