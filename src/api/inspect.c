/* SPDX-License-Identifier: Apache-2.0 */
/* Looking into files. */
#include "api/api_internal.h"

#include "engine/inspect.h"

struct rowline_inspection {
    const rwl_env *env;
    rwl_inspect *inspect;
};

static rwl_status open_file(rowline_context *context, const char *file, const rowline_inspect_options *o,
                            rwl_inspect **out, rwl_error *err) {
    rwl_path_map *maps = rwl_calloc(&context->env, o->map_count + 1, sizeof *maps);
    if (maps == NULL)
        return rwl_no_memory(err, (o->map_count + 1) * sizeof *maps);
    for (size_t i = 0; i < o->map_count; i++)
        maps[i] = (rwl_path_map){o->maps[i].from, o->maps[i].to};
    rwl_inspect_options options = {maps,      o->map_count, o->manifest_list,
                                   o->column, o->row_group, o->schema_only != 0};
    rwl_status st = rwl_inspect_open(&context->op, file, &options, out, err);
    rwl_free(&context->env, maps);
    return st;
}

rowline_status rowline_inspect_open(rowline_context *context, const char *file,
                                    const rowline_inspect_options *options, rowline_inspection **out,
                                    rowline_error *err) {
    rowline_inspect_options o;
    RWL_TRY(rwl_api_options(&o, sizeof o, options, err));
    if (options == NULL)
        o.row_group = -1;
    rowline_inspection *i = rwl_calloc(&context->env, 1, sizeof *i);
    if (i == NULL)
        return rwl_no_memory(err, sizeof *i);
    i->env = &context->env;
    rwl_status st = open_file(context, file, &o, &i->inspect, err);
    if (st != RWL_OK) {
        rwl_free(i->env, i);
        return st;
    }
    *out = i;
    return RWL_OK;
}

void rowline_inspect_free(rowline_inspection *i) {
    if (i == NULL)
        return;
    rwl_inspect_free(i->inspect);
    rwl_free(i->env, i);
}

const char *rowline_inspect_kind(const rowline_inspection *i) {
    return rwl_inspect_kind(i->inspect);
}

rowline_status rowline_inspect_document(rowline_inspection *i, const char **json, size_t *length,
                                        rowline_error *err) {
    rwl_span text;
    RWL_TRY(rwl_inspect_document(i->inspect, &text, err));
    *json = (const char *)text.data;
    *length = text.len;
    return RWL_OK;
}

rowline_status rowline_inspect_pages(rowline_inspection *i, struct ArrowArrayStream *out,
                                     rowline_error *err) {
    return rwl_inspect_pages(i->inspect, out, err);
}

rowline_status rowline_inspect_rows(rowline_inspection *i, int64_t count, struct ArrowArrayStream *out,
                                    rowline_error *err) {
    return rwl_inspect_rows(i->inspect, count, out, err);
}
