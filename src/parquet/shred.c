/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a nested column as the entries of one leaf. */
#include "parquet/shred.h"

/* --- the way to the leaf --- */

/* One step a field on the way from the top-level one to the leaf. */
static void follow_leaf(rwl_parquet_shred *s, const rwl_field *field, const rwl_parquet_write_leaf *leaf) {
    uint8_t repetition = 0;
    bool is_key = false; /* of a map: always there */
    for (int32_t i = 0; i <= leaf->way_count; i++) {
        int32_t child = i < leaf->way_count ? leaf->ways[i] : -1;
        bool repeated = field->type.kind == RWL_TYPE_LIST || field->type.kind == RWL_TYPE_MAP;
        repetition = (uint8_t)(repetition + repeated);
        s->steps[s->step_count++] =
            (rwl_parquet_shred_step){field, !field->required && !is_key, repeated, child, repetition};
        is_key = field->type.kind == RWL_TYPE_MAP && child == 0;
        field = child >= 0 ? &field->type.children[child] : field;
    }
}

static rwl_status check_levels(const rwl_parquet_shred *s, const rwl_parquet_write_leaf *leaf,
                               rwl_error *err) {
    int definition = 0, repetition = 0;
    for (int32_t i = 0; i < s->step_count; i++) {
        definition += s->steps[i].optional + s->steps[i].repeated;
        repetition += s->steps[i].repeated;
    }
    if (definition != leaf->max_definition || repetition != leaf->max_repetition || definition > UINT8_MAX)
        return rwl_fail(err, RWL_INTERNAL, "column %s: levels %d and %d of a leaf that has %d and %d",
                        leaf->dotted, definition, repetition, leaf->max_definition, leaf->max_repetition);
    return RWL_OK;
}

rwl_status rwl_parquet_shred_init(rwl_parquet_shred *s, const rwl_env *env,
                                  const rwl_parquet_write_schema *schema, int32_t leaf, rwl_error *err) {
    const rwl_parquet_write_leaf *of = &schema->leaves[leaf];
    rwl_buf *const bufs[] = {&s->definitions, &s->repetitions,      &s->indexes,          &s->row_entries,
                             &s->row_values,  &s->next_definitions, &s->next_repetitions, &s->next_indexes};
    memset(s, 0, sizeof *s);
    s->env = env;
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        rwl_buf_init(bufs[i], env, SIZE_MAX);
    size_t count = (size_t)of->way_count + 1;
    s->steps = rwl_calloc(env, count, sizeof *s->steps);
    if (s->steps == NULL)
        return rwl_no_memory(err, count * sizeof *s->steps);
    follow_leaf(s, &schema->fields[of->top], of);
    return check_levels(s, of, err);
}

void rwl_parquet_shred_clear(rwl_parquet_shred *s) {
    if (s->env == NULL)
        return;
    rwl_buf_clear(&s->definitions);
    rwl_buf_clear(&s->repetitions);
    rwl_buf_clear(&s->indexes);
    rwl_buf_clear(&s->row_entries);
    rwl_buf_clear(&s->row_values);
    rwl_buf_clear(&s->next_definitions);
    rwl_buf_clear(&s->next_repetitions);
    rwl_buf_clear(&s->next_indexes);
    rwl_free(s->env, s->steps);
    s->env = NULL;
}

int64_t rwl_parquet_shred_memory(const rwl_parquet_shred *s) {
    return (int64_t)(s->definitions.cap + s->repetitions.cap + s->indexes.cap + s->row_entries.cap +
                     s->row_values.cap + s->next_definitions.cap + s->next_repetitions.cap +
                     s->next_indexes.cap);
}

/* --- rows --- */

enum { ENDED = -1 }; /* index of an entry whose value is not there; its definition level says why */

static int32_t *indexes_of(rwl_buf *buf) {
    return (int32_t *)(void *)buf->data;
}

static rwl_status reserve_entries(rwl_buf *definitions, rwl_buf *repetitions, rwl_buf *indexes, size_t count,
                                  rwl_error *err) {
    rwl_buf_reset(definitions);
    rwl_buf_reset(repetitions);
    rwl_buf_reset(indexes);
    RWL_TRY(rwl_buf_reserve(definitions, count + 1, err));
    RWL_TRY(rwl_buf_reserve(repetitions, count + 1, err));
    return rwl_buf_reserve(indexes, count * sizeof(int32_t) + 1, err);
}

static rwl_status begin_rows(rwl_parquet_shred *s, size_t first, size_t rows, rwl_error *err) {
    RWL_TRY(reserve_entries(&s->definitions, &s->repetitions, &s->indexes, rows, err));
    int32_t *indexes = indexes_of(&s->indexes);
    for (size_t i = 0; i < rows; i++)
        indexes[i] = (int32_t)(first + i);
    memset(s->repetitions.data, 0, rows);
    s->rows = s->entries = rows;
    return RWL_OK;
}

/* Ends the entries that are null in `column`, at the level of their parent. */
static rwl_status end_nulls(rwl_parquet_shred *s, const rwl_parquet_shred_step *step,
                            const rwl_column *column, uint8_t level, rwl_error *err) {
    int32_t *indexes = indexes_of(&s->indexes);
    const uint8_t *validity = column->validity.data;
    size_t nulls = 0;
    for (size_t i = 0; i < s->entries; i++) {
        int32_t at = indexes[i];
        if (at == ENDED || rwl_bit_get(validity, at))
            continue;
        s->definitions.data[i] = level;
        indexes[i] = ENDED;
        nulls++;
    }
    if (nulls > 0 && !step->optional)
        return rwl_fail(err, RWL_INTERNAL, "column %s is required but has a null to write",
                        step->field->name);
    return RWL_OK;
}

static size_t count_elements(const rwl_parquet_shred *s, const int32_t *offsets) {
    const int32_t *indexes = rwl_parquet_shred_indexes(s);
    size_t count = 0;
    for (size_t i = 0; i < s->entries; i++) {
        size_t len = indexes[i] == ENDED ? 0 : (size_t)(offsets[indexes[i] + 1] - offsets[indexes[i]]);
        count += len > 0 ? len : 1;
    }
    return count;
}

/* Each list becomes its elements; empty ones end. */
static rwl_status spread_lists(rwl_parquet_shred *s, const rwl_parquet_shred_step *step,
                               const rwl_column *column, uint8_t level, rwl_error *err) {
    const int32_t *offsets = rwl_column_offsets(column);
    size_t count = count_elements(s, offsets);
    if (count > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: %zu elements at once", step->field->name, count);
    RWL_TRY(reserve_entries(&s->next_definitions, &s->next_repetitions, &s->next_indexes, count, err));
    const int32_t *indexes = rwl_parquet_shred_indexes(s);
    uint8_t *definitions = s->next_definitions.data, *repetitions = s->next_repetitions.data;
    int32_t *to = indexes_of(&s->next_indexes);
    size_t n = 0;
    for (size_t i = 0; i < s->entries; i++) {
        int32_t start = 0, len = 0;
        repetitions[n] = s->repetitions.data[i];
        definitions[n] = level;
        if (indexes[i] == ENDED) {
            definitions[n] = s->definitions.data[i];
        } else {
            start = offsets[indexes[i]];
            len = offsets[indexes[i] + 1] - start;
        }
        to[n] = len > 0 ? start : ENDED;
        n++;
        for (int32_t k = 1; k < len; k++, n++) {
            repetitions[n] = step->repetition;
            to[n] = start + k;
        }
    }
    rwl_buf *const pairs[][2] = {{&s->definitions, &s->next_definitions},
                                 {&s->repetitions, &s->next_repetitions},
                                 {&s->indexes, &s->next_indexes}};
    for (int i = 0; i < 3; i++) {
        rwl_buf t = *pairs[i][0];
        *pairs[i][0] = *pairs[i][1];
        *pairs[i][1] = t;
    }
    s->entries = n;
    return RWL_OK;
}

/* Gives the entries that came through the highest level, keeps their indexes, and counts by rows. */
static rwl_status end_rows(rwl_parquet_shred *s, uint8_t level, rwl_error *err) {
    rwl_buf_reset(&s->row_entries);
    rwl_buf_reset(&s->row_values);
    RWL_TRY(rwl_buf_reserve(&s->row_entries, (s->rows + 1) * sizeof(uint32_t), err));
    RWL_TRY(rwl_buf_reserve(&s->row_values, (s->rows + 1) * sizeof(uint32_t), err));
    uint32_t *row_entries = (uint32_t *)(void *)s->row_entries.data;
    uint32_t *row_values = (uint32_t *)(void *)s->row_values.data;
    int32_t *indexes = indexes_of(&s->indexes);
    size_t row = 0, n = 0;
    for (size_t i = 0; i < s->entries; i++) {
        if (s->repetitions.data[i] == 0) {
            row_entries[row] = (uint32_t)i;
            row_values[row++] = (uint32_t)n;
        }
        if (indexes[i] != ENDED) {
            s->definitions.data[i] = level;
            indexes[n++] = indexes[i];
        }
    }
    row_entries[row] = (uint32_t)s->entries;
    row_values[row] = (uint32_t)n;
    s->values = n;
    s->is_run = n > 0 && (size_t)(indexes[n - 1] - indexes[0]) == n - 1;
    return RWL_OK;
}

rwl_status rwl_parquet_shred_rows(rwl_parquet_shred *s, const rwl_column *column, size_t first, size_t rows,
                                  rwl_error *err) {
    uint8_t level = 0;
    RWL_TRY(begin_rows(s, first, rows, err));
    for (int32_t i = 0; i < s->step_count; i++) {
        const rwl_parquet_shred_step *step = &s->steps[i];
        if (column->null_count > 0)
            RWL_TRY(end_nulls(s, step, column, level, err));
        level = (uint8_t)(level + step->optional);
        if (step->repeated) {
            RWL_TRY(spread_lists(s, step, column, level, err));
            level++;
        }
        if (step->child >= 0)
            column = &column->children[step->child];
    }
    s->leaf_column = column;
    return end_rows(s, level, err);
}
