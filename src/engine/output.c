/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of output by name, and what they share. */
#include "engine/output.h"

#include <strings.h>

typedef struct named {
    const char *name;
    rwl_output_format format;
} named;

rwl_status rwl_output_format_named(const char *name, bool file, rwl_output_format *out, rwl_error *err) {
    static const named NAMES[] = {{"jsonl", RWL_OUTPUT_JSONL},
                                  {"csv", RWL_OUTPUT_CSV},
                                  {"parquet", RWL_OUTPUT_PARQUET},
                                  {"arrow-stream", RWL_OUTPUT_ARROW_STREAM},
                                  {"arrow-file", RWL_OUTPUT_ARROW_FILE}};
    if (strcmp(name, "arrow") == 0) {
        *out = file ? RWL_OUTPUT_ARROW_FILE : RWL_OUTPUT_ARROW_STREAM;
        return RWL_OK;
    }
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strcmp(name, NAMES[i].name) == 0) {
            *out = NAMES[i].format;
            return RWL_OK;
        }
    }
    return rwl_fail(err, RWL_USAGE, "format '%.60s': not jsonl, csv, parquet or arrow", name);
}

rwl_status rwl_output_format_of_path(const char *path, rwl_output_format *out, rwl_error *err) {
    static const named EXTENSIONS[] = {
        {".jsonl", RWL_OUTPUT_JSONL},      {".json", RWL_OUTPUT_JSONL},
        {".csv", RWL_OUTPUT_CSV},          {".parquet", RWL_OUTPUT_PARQUET},
        {".arrow", RWL_OUTPUT_ARROW_FILE}, {".feather", RWL_OUTPUT_ARROW_FILE},
        {".ipc", RWL_OUTPUT_ARROW_FILE},   {".arrows", RWL_OUTPUT_ARROW_STREAM},
    };
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof EXTENSIONS / sizeof *EXTENSIONS; i++) {
        size_t n = strlen(EXTENSIONS[i].name);
        if (len > n && strcasecmp(path + len - n, EXTENSIONS[i].name) == 0) {
            *out = EXTENSIONS[i].format;
            return RWL_OK;
        }
    }
    return rwl_fail(err, RWL_USAGE,
                    "%s: its name tells no format (.jsonl, .csv, .parquet, .arrow, .arrows); say which",
                    path);
}

static rwl_status make(rwl_op *op, rwl_output_format format, rwl_output **out, rwl_error *err) {
    switch (format) {
    case RWL_OUTPUT_JSONL:
    case RWL_OUTPUT_CSV:
        return rwl_output_open_text(op, format == RWL_OUTPUT_CSV, out, err);
    case RWL_OUTPUT_PARQUET:
        return rwl_output_open_parquet(op, out, err);
    default:
        return rwl_output_open_arrow(op, format == RWL_OUTPUT_ARROW_FILE, out, err);
    }
}

static rwl_status begin(rwl_output *o, rwl_output_format format, const rwl_parquet_write_options *parquet,
                        rwl_error *err) {
    switch (format) {
    case RWL_OUTPUT_JSONL:
    case RWL_OUTPUT_CSV:
        return rwl_output_begin_text(o, err);
    case RWL_OUTPUT_PARQUET:
        return rwl_output_begin_parquet(o, parquet, err);
    default:
        return rwl_output_begin_arrow(o, err);
    }
}

rwl_status rwl_output_open(rwl_op *op, rwl_output_format format, const rwl_field *fields, int32_t field_count,
                           const rwl_parquet_write_options *parquet, rwl_output_sink sink, rwl_output **out,
                           rwl_error *err) {
    rwl_output *o = NULL;
    *out = NULL;
    RWL_TRY(make(op, format, &o, err));
    o->op = op;
    o->fields = fields;
    o->field_count = field_count;
    o->sink = sink;
    rwl_status st = begin(o, format, parquet, err);
    if (st != RWL_OK) {
        rwl_output_close(o);
        return st;
    }
    *out = o;
    return RWL_OK;
}

rwl_status rwl_output_write(rwl_output *o, rwl_batch *batch, rwl_error *err) {
    RWL_TRY(rwl_op_check(o->op, err));
    return o->vtable->write(o, batch, err);
}

rwl_status rwl_output_finish(rwl_output *o, rwl_error *err) {
    RWL_TRY(rwl_op_check(o->op, err));
    return o->vtable->finish(o, err);
}

void rwl_output_close(rwl_output *o) {
    if (o != NULL)
        o->vtable->close(o);
}
