/* SPDX-License-Identifier: Apache-2.0 */
/* Rows go from the inputs to the data writer, through the sorter where the table has a default order. */
#include "engine/append.h"

#include "engine/budget.h"
#include "engine/data_writer.h"
#include "engine/sorter.h"

#include "base/uuid.h"

typedef struct append {
    const rwl_table *table;
    rwl_op *op;
    rwl_data_files *files;
    rwl_data_writer *writer;
    rwl_sorter *sorter; /* NULL when the table is unsorted */
    rwl_batch batch, sorted;
    int64_t rows;
} append;

/* Writes what was collected. */
static rwl_status write_sorted(append *a, rwl_error *err) {
    RWL_TRY(rwl_sorter_finish(a->sorter, err));
    for (;;) {
        RWL_TRY(rwl_sorter_next(a->sorter, RWL_BATCH_ROWS, &a->sorted, NULL, NULL, err));
        if (a->sorted.length == 0)
            return RWL_OK;
        RWL_TRY(rwl_data_writer_write(a->writer, &a->sorted, NULL, NULL, err));
    }
}

static rwl_status write_input(append *a, rwl_input *input, rwl_error *err) {
    for (;;) {
        RWL_TRY(rwl_op_check(a->op, err));
        RWL_TRY(rwl_input_next(input, &a->batch, err));
        if (a->batch.length == 0)
            return RWL_OK;
        a->rows += a->batch.length;
        rwl_op_progress(a->op, "appending", a->rows, 0);
        if (a->sorter == NULL)
            RWL_TRY(rwl_data_writer_write(a->writer, &a->batch, NULL, NULL, err));
        else
            RWL_TRY(rwl_sorter_add(a->sorter, &a->batch, NULL, NULL, err));
    }
}

static rwl_status set_up(append *a, rwl_store *store, const char *operation_id, rwl_error *err) {
    const rwl_metadata *m = a->table->metadata;
    rwl_data_files_tell_format(m, a->op->env);
    rwl_data_files_options options = {
        .metadata = m, .sort_order_id = m->order->order_id, .operation_id = operation_id};
    RWL_TRY(rwl_data_files_new(store, a->op, &options, &a->files, err));
    RWL_TRY(rwl_data_writer_new(a->files, &a->writer, err));
    RWL_TRY(rwl_batch_init(&a->batch, a->op->env, m->schema->fields, m->schema->field_count, err));
    if (m->order->field_count == 0)
        return RWL_OK;
    int64_t limit = a->op->memory_limit;
    rwl_sorter_options sorting = {.batch_bytes = rwl_budget_sort_batch(limit, m->schema->field_count)};
    RWL_TRY(rwl_sorter_share(limit, rwl_budget_sort(limit, m->schema->field_count, 1), m->schema->field_count,
                             &sorting.memory, err));
    RWL_TRY(rwl_batch_init(&a->sorted, a->op->env, m->schema->fields, m->schema->field_count, err));
    return rwl_sorter_new(a->op, m->schema->fields, m->schema->field_count, m->order, &sorting, &a->sorter,
                          err);
}

static rwl_status commit_files(append *a, const rwl_change_options *options, rwl_commit_outcome *out,
                               rwl_error *err) {
    rwl_change_set change = {
        .operation = RWL_OPERATION_APPEND, .planned_snapshot_id = -1, .data_sequence_number = -1};
    change.added_files = rwl_data_files_list(a->files, &change.added_file_count);
    change.summary_keys = options->summary_keys;
    change.summary_values = options->summary_values;
    change.summary_count = options->summary_count;
    if (change.added_file_count == 0) {
        rwl_change_nothing(a->table, out);
        return RWL_OK;
    }
    rwl_commit_request request = {.change = &change, .branch = a->table->branch, .dry_run = options->dry_run};
    rwl_status st = rwl_commit(a->table, a->op, &request, out, err);
    if (st == RWL_OK || st == RWL_COMMIT_UNKNOWN)
        rwl_data_files_release(a->files);
    return st;
}

rwl_status rwl_append(const rwl_table *table, rwl_op *op, rwl_input *const *inputs, size_t count,
                      const rwl_change_options *options, rwl_commit_outcome *out, rwl_error *err) {
    RWL_TRY(rwl_change_check_version(table->metadata, 2, "appending to", err));
    append a = {.table = table, .op = op};
    a.batch.env = a.sorted.env = op->env;
    rwl_store *store = NULL;
    rwl_uuid id;
    char operation_id[RWL_UUID_TEXT_LEN + 1];
    RWL_TRY(rwl_uuid_new(op->env, &id, err));
    rwl_uuid_format(id.bytes, operation_id);
    rwl_status st = rwl_change_store(table, options, &store, err);
    if (st == RWL_OK)
        st = set_up(&a, store, operation_id, err);
    for (size_t i = 0; st == RWL_OK && i < count; i++)
        st = write_input(&a, inputs[i], err);
    if (st == RWL_OK && a.sorter != NULL)
        st = write_sorted(&a, err);
    if (st == RWL_OK)
        st = rwl_data_writer_finish(a.writer, err);
    if (st == RWL_OK)
        st = commit_files(&a, options, out, err);
    rwl_batch_clear(&a.batch);
    rwl_batch_clear(&a.sorted);
    rwl_sorter_free(a.sorter);
    rwl_data_writer_free(a.writer);
    rwl_data_files_free(a.files);
    rwl_change_store_free(table, store);
    return st;
}
