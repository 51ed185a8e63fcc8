/* SPDX-License-Identifier: Apache-2.0 */
/* The partition of the rows is computed anew, from what was read back. */
#include "engine/entry_check.h"

#include "engine/partitioner.h"

struct rwl_entry_check {
    const rwl_env *env;
    const rwl_schema *schema;
    const rwl_partition_spec *spec;
    rwl_partitioner *partitioner;
    const rwl_added_file *file; /* whose rows are given */
    int64_t rows;
    int64_t *nulls; /* of each field of the schema */
};

rwl_status rwl_entry_check_new(const rwl_env *env, const rwl_schema *schema, const rwl_partition_spec *spec,
                               rwl_entry_check **out, rwl_error *err) {
    rwl_entry_check *check = rwl_calloc(env, 1, sizeof *check);
    if (check == NULL)
        return rwl_no_memory(err, sizeof *check);
    check->env = env;
    check->schema = schema;
    check->spec = spec;
    check->nulls = rwl_calloc(env, (size_t)schema->field_count + 1, sizeof *check->nulls);
    rwl_status st = check->nulls != NULL
                        ? rwl_partitioner_new(env, schema, spec, &check->partitioner, err)
                        : rwl_no_memory(err, (size_t)schema->field_count * sizeof *check->nulls);
    if (st != RWL_OK) {
        rwl_entry_check_free(check);
        return st;
    }
    *out = check;
    return RWL_OK;
}

void rwl_entry_check_free(rwl_entry_check *check) {
    if (check == NULL)
        return;
    rwl_partitioner_free(check->partitioner);
    rwl_free(check->env, check->nulls);
    rwl_free(check->env, check);
}

void rwl_entry_check_begin(rwl_entry_check *check, const rwl_added_file *file) {
    check->file = file;
    check->rows = 0;
    memset(check->nulls, 0, (size_t)check->schema->field_count * sizeof *check->nulls);
}

static bool is_partition(const rwl_entry_check *check, int32_t partition) {
    const rwl_value *tuple = rwl_partitioner_values(check->partitioner, partition);
    for (int32_t i = 0; i < check->spec->field_count; i++)
        if (!rwl_value_equal(&tuple[i], &check->file->partition[i]))
            return false;
    return true;
}

rwl_status rwl_entry_check_rows(rwl_entry_check *check, const rwl_batch *batch, rwl_error *err) {
    check->rows += batch->length;
    for (int32_t i = 0; i < batch->column_count; i++)
        check->nulls[i] += batch->columns[i].null_count;
    if (check->spec->field_count == 0)
        return RWL_OK;
    const rwl_partition_rows *groups;
    const int32_t *order;
    size_t count;
    RWL_TRY(rwl_partitioner_split(check->partitioner, batch, &groups, &count, &order, err));
    for (size_t g = 0; g < count; g++)
        if (!is_partition(check, groups[g].partition))
            return rwl_fail(err, RWL_INTERNAL, "row %lld is not of the partition its entry names",
                            (long long)(check->rows - batch->length + order[groups[g].first]));
    return RWL_OK;
}

rwl_status rwl_entry_check_counts(const rwl_added_file *file, const rwl_field *field, int64_t rows,
                                  int64_t nulls, rwl_error *err) {
    for (int32_t m = 0; m < file->metrics_count; m++) {
        const rwl_column_metrics *metrics = &file->metrics[m];
        if (metrics->with_counts && metrics->field_id == field->id &&
            (metrics->value_count != rows || (metrics->null_count >= 0 && metrics->null_count != nulls)))
            return rwl_fail(err, RWL_INTERNAL,
                            "column %s has %lld nulls in %lld rows, its entry says %lld in %lld", field->name,
                            (long long)nulls, (long long)rows, (long long)metrics->null_count,
                            (long long)metrics->value_count);
    }
    return RWL_OK;
}

rwl_status rwl_entry_check_end(const rwl_entry_check *check, rwl_error *err) {
    const rwl_schema *schema = check->schema;
    for (int32_t i = 0; i < schema->field_count; i++)
        RWL_TRY(rwl_entry_check_counts(check->file, &schema->fields[i], check->rows, check->nulls[i], err));
    return RWL_OK;
}
