/* SPDX-License-Identifier: Apache-2.0 */
/* From text forms, or a file's columns, to version 1 of a table's metadata. */
#include "engine/create.h"

#include "catalog/catalog.h"
#include "engine/input.h"
#include "iceberg/metadata.h"
#include "ipc/ipc.h"
#include "lance/dataset.h"
#include "parquet/file.h"
#include "storage/absolute.h"

#include <strings.h>

/* --- --like --- */

static rwl_status refuse_column(const char *path, const char *name, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "%s: column %s: its type has no table type", path, name);
}

/* Numbers fields depth first; what only says how a bare file's values are printed is left out. */
static rwl_status number_fields(const char *path, rwl_field *fields, int32_t count, int32_t *last,
                                rwl_arena *arena, rwl_error *err) {
    for (int32_t i = 0; i < count; i++) {
        rwl_type *type = &fields[i].type;
        if (rwl_type_has(type, RWL_TYPE_NANOS) || rwl_type_is_duration(type) || rwl_type_is_decimal256(type))
            return refuse_column(path, fields[i].name, err);
        if (type->kind == RWL_TYPE_STRING || type->kind == RWL_TYPE_DECIMAL)
            type->parameters = NULL;
        fields[i].id = ++*last;
        if (type->child_count == 0)
            continue;
        rwl_field *children = rwl_arena_array(arena, (size_t)type->child_count, sizeof *children);
        if (children == NULL)
            return rwl_no_memory(err, (size_t)type->child_count * sizeof *children);
        memcpy(children, type->children, (size_t)type->child_count * sizeof *children);
        type->children = children;
        RWL_TRY(
            number_fields(path, children, type->child_count, last, arena, err)); /* as deep as import goes */
    }
    return RWL_OK;
}

/* The columns of a file as those of a new table. */
static rwl_status take_fields(const char *path, rwl_field *fields, int32_t count, rwl_arena *arena,
                              rwl_schema *out, rwl_error *err) {
    int32_t last = 0;
    for (int32_t i = 0; i < count; i++)
        RWL_TRY(rwl_input_check_name(path, fields[i].name, -1, err));
    RWL_TRY(number_fields(path, fields, count, &last, arena, err));
    *out = (rwl_schema){.fields = fields, .field_count = count};
    return RWL_OK;
}

/* The columns of an Arrow file or stream. */
static rwl_status schema_like_arrow(rwl_op *op, const char *path, rwl_arena *arena, rwl_schema *out,
                                    rwl_error *err) {
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    rwl_field *fields = NULL;
    int32_t count = 0;
    RWL_TRY(rwl_ipc_open_stream(op, path, &stream, err));
    rwl_status st;
    if (stream.get_schema(&stream, &schema) == 0) {
        st = rwl_arrow_import_schema(&schema, arena, &fields, &count, err);
        schema.release(&schema);
    } else {
        st = rwl_fail(err, RWL_CORRUPT, "%s: %s", path, stream.get_last_error(&stream));
    }
    stream.release(&stream);
    return st == RWL_OK ? take_fields(path, fields, count, arena, out, err) : st;
}

static bool is_arrow(const char *path) {
    static const char *const ends[] = {".arrow", ".arrows", ".feather", ".ipc"};
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (len > strlen(ends[i]) && strcmp(path + len - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

static rwl_status copy_fields(const char *path, const rwl_parquet_file *file, rwl_arena *arena,
                              rwl_field *fields, rwl_error *err) {
    for (int32_t i = 0; i < file->node_count; i++) {
        const rwl_parquet_node *node = &file->nodes[i];
        for (int32_t l = node->first_leaf; l < node->first_leaf + node->leaf_count; l++)
            if (file->leaves[l].unsupported && node->variant == NULL)
                return refuse_column(path, file->leaves[l].field.name, err);
        if (!rwl_field_copy(arena, &node->field, &fields[i]))
            return rwl_no_memory(err, sizeof *fields);
    }
    return RWL_OK;
}

/* The columns of a Parquet file, numbered anew; of an Arrow one where the name says so. */
static rwl_status schema_like(rwl_op *op, const char *path, rwl_arena *arena, rwl_schema *out,
                              rwl_error *err) {
    if (is_arrow(path))
        return schema_like_arrow(op, path, arena, out, err);
    rwl_store *store = NULL;
    rwl_parquet_file *file = NULL;
    RWL_TRY(rwl_store_local_new(op->env, NULL, 0, &store, err));
    rwl_status st = rwl_parquet_open(store, op, path, -1, &file, err);
    if (st == RWL_OK) {
        rwl_field *fields = rwl_arena_array(arena, (size_t)file->node_count, sizeof *fields);
        st = fields != NULL ? copy_fields(path, file, arena, fields, err)
                            : rwl_no_memory(err, (size_t)file->node_count * sizeof *fields);
        if (st == RWL_OK)
            st = take_fields(path, fields, file->node_count, arena, out, err);
    }
    rwl_parquet_close(file);
    rwl_store_free(store);
    return st;
}

static rwl_status make_metadata(rwl_op *op, const char *location, const rwl_create_options *o,
                                rwl_arena *arena, rwl_metadata **out, rwl_error *err) {
    if ((o->schema != NULL) == (o->like != NULL))
        return rwl_fail(err, RWL_USAGE, "give the columns by --schema or by --like");
    rwl_schema schema;
    rwl_partition_spec spec;
    rwl_sort_order order;
    if (o->schema != NULL)
        RWL_TRY(rwl_schema_from_text(o->schema, arena, &schema, err));
    else
        RWL_TRY(schema_like(op, o->like, arena, &schema, err));
    if (o->partition != NULL)
        RWL_TRY(rwl_partition_spec_from_text(o->partition, &schema, arena, &spec, err));
    if (o->sort != NULL)
        RWL_TRY(rwl_sort_order_from_text(o->sort, &schema, arena, &order, err));
    rwl_metadata_new options = {.location = location,
                                .format_version = o->format_version,
                                .schema = &schema,
                                .spec = o->partition != NULL ? &spec : NULL,
                                .order = o->sort != NULL ? &order : NULL,
                                .property_keys = o->property_keys,
                                .property_values = o->property_values,
                                .property_count = o->property_count};
    return rwl_metadata_create(op->env, &options, out, err);
}

static rwl_status commit_first(rwl_op *op, const rwl_place *place, const rwl_metadata *m, rwl_arena *arena,
                               rwl_error *err) {
    rwl_buf text;
    rwl_buf_init(&text, op->env, SIZE_MAX);
    bool gzip = strcasecmp(rwl_metadata_property(m, "write.metadata.compression-codec", "none"), "gzip") == 0;
    const char *location;
    rwl_status st = rwl_metadata_dump(m, &text, err);
    if (st == RWL_OK)
        st = rwl_place_swap(place, op, 1, rwl_buf_span(&text), gzip, arena, &location, err);
    rwl_buf_clear(&text);
    if (st == RWL_CONFLICT && err != NULL)
        err->code = RWL_EXISTS; /* somebody else made the table */
    return st == RWL_CONFLICT ? (rwl_status)RWL_EXISTS : st;
}

static rwl_status create_in(rwl_op *op, rwl_store *store, const char *directory,
                            const rwl_create_options *options, rwl_arena *arena, rwl_error *err) {
    rwl_place place;
    const char *location;
    rwl_metadata *metadata = NULL;
    RWL_TRY(rwl_path_absolute(directory, arena, &location, err));
    bool is_lance;
    RWL_TRY(rwl_lance_dataset_is(store, op, location, &is_lance, err));
    if (is_lance)
        return rwl_error_path(err, rwl_fail(err, RWL_EXISTS, "%s is a Lance dataset already", location),
                              location);
    RWL_TRY(rwl_place_create(store, op, location, arena, &place, err));
    RWL_TRY(make_metadata(op, location, options, arena, &metadata, err));
    rwl_status st = options->dry_run ? (rwl_status)RWL_OK : commit_first(op, &place, metadata, arena, err);
    rwl_metadata_free(metadata);
    return st;
}

rwl_status rwl_create_table_in(rwl_op *op, rwl_store *store, const char *directory,
                               const rwl_create_options *options, rwl_error *err) {
    rwl_arena arena;
    rwl_arena_init(&arena, op->env, 0);
    rwl_status st = create_in(op, store, directory, options, &arena, err);
    rwl_arena_clear(&arena);
    return st;
}

rwl_status rwl_create_table(rwl_op *op, const char *directory, const rwl_create_options *options,
                            rwl_error *err) {
    rwl_store *store = NULL;
    RWL_TRY(rwl_store_local_new(op->env, NULL, 0, &store, err));
    rwl_status st = rwl_create_table_in(op, store, directory, options, err);
    rwl_store_free(store);
    return st;
}
