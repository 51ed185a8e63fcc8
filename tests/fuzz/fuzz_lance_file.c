/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Lance data file: opened, described, and its columns read by the file's own schema: as much as possible at once, a few
 * rows at a time, and backwards row by row. Ways that succeed give the same rows, and none takes much memory.
 *
 * Or two files, one behind the other, then the length of the first (u32) and "PAIR": the second has columns of fields that the first's
 * schema tells of and has no columns of, so that structs are put together.
 */
#include "base/vec.h"
#include "columns.h"
#include "counted.h"
#include "fuzz.h"
#include "lancefile/encoding20.h"
#include "lancefile/reader.h"
#include "memory_store.h"

enum {
    BUDGET = 16 << 20,
    SLACK = 48 << 20, /* a batch, which is not of the budget, schemas, codecs' own state */
    FIELDS_MAX = 24,
    ROWS_MAX = 200, /* read of a field, from each end */
    ONE_BY_ONE_MAX = 30,
    PAGES_MAX = 16, /* printed of a column */
    STEP = 7
};

static rwl_env env;
static volatile size_t sink;

typedef struct input {
    rwl_op op;
    rwl_arena arena;
    rwl_lancefile *file;
    rwl_lancefile *second; /* NULL: there is none */
    rwl_lance_schema schema;
    rwl_lance_source **sources; /* of each top-level field */
    int64_t *rows;              /* of its first column; -1: none */
} input;

/* --- what a file says of itself --- */

static void print_page(const rwl_lancefile *file, const rwl_lance_page *page) {
    rwl_arena arena;
    rwl_buf text;
    rwl_lance_layout layout;
    const rwl_lance_array *array;
    rwl_arena_init(&arena, &env, 0);
    rwl_buf_init(&text, &env, 1 << 20);
    if (file->version == RWL_LANCEFILE_2_0) {
        if (rwl_lance_array_parse(page->encoding, &arena, &array, NULL) == RWL_OK)
            sink += (size_t)rwl_lance_array_format(array, &text, NULL);
    } else if (rwl_lance_layout_parse(page->encoding, &arena, &layout, NULL) == RWL_OK) {
        rwl_lance_level_map map;
        rwl_lance_level_map_make(&layout, &map);
        sink += (size_t)rwl_lance_layout_format(&layout, &text, NULL);
    }
    rwl_buf_clear(&text);
    rwl_arena_clear(&arena);
}

/* The column belongs to the field that the file's schema has for it. */
static void place_column(input *in, rwl_lancefile *file, int32_t index) {
    const rwl_lance_column *column = NULL;
    const rwl_lance_field_def *def = NULL;
    if (rwl_lancefile_column(file, &in->op, index, &column, NULL) != RWL_OK)
        return;
    int64_t rows = 0;
    for (int32_t p = 0; p < column->page_count; p++) {
        FUZZ_CHECK(column->pages[p].first_row == rows && column->pages[p].row_count >= 0);
        rows += column->pages[p].row_count;
        if (p < PAGES_MAX)
            print_page(file, &column->pages[p]);
    }
    FUZZ_CHECK(rows == column->row_count);
    if (rwl_lancefile_column_field(file, &in->op, index, &def, NULL) != RWL_OK || def == NULL)
        return;
    const rwl_lance_node *node = rwl_lance_schema_find(&in->schema, def->id), *top = node;
    if (node == NULL)
        return;
    while (top->parent != NULL)
        top = top->parent;
    size_t field = (size_t)(top - in->schema.nodes);
    rwl_lance_source *source = &in->sources[field][node->index];
    if (source->file == NULL || file == in->file)
        *source = (rwl_lance_source){file, index};
    if (in->rows[field] < 0)
        in->rows[field] = column->row_count;
}

static bool place_columns(input *in) {
    size_t count = (size_t)in->schema.count;
    in->sources = rwl_arena_array(&in->arena, count, sizeof *in->sources);
    in->rows = rwl_arena_array(&in->arena, count, sizeof *in->rows);
    if (in->sources == NULL || in->rows == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        in->rows[i] = -1;
        in->sources[i] =
            rwl_arena_array(&in->arena, (size_t)in->schema.nodes[i].node_count, sizeof **in->sources);
        if (in->sources[i] == NULL)
            return false;
    }
    for (int32_t i = 0; i < in->file->column_count && i < 4 * FIELDS_MAX; i++)
        place_column(in, in->file, i);
    for (int32_t i = 0; in->second != NULL && i < in->second->column_count && i < 4 * FIELDS_MAX; i++)
        place_column(in, in->second, i);
    return true;
}

/* --- reading --- */

typedef struct reading {
    rwl_lance_read_options options;
    rwl_field fields[FIELDS_MAX];
    uint64_t hashes[ROWS_MAX];
} reading;

/* Reads one range, in as many batches as it takes. */
static rwl_status read_range(const reading *what, rwl_lance_reader *r, rwl_batch *batch, int64_t first,
                             rwl_range range, uint64_t *hashes) {
    while (range.count > 0) {
        rwl_error err = {0};
        rwl_status st = rwl_lance_reader_read(r, &range, 1, batch, &err);
        FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
        if (st != RWL_OK) {
            fuzz_show(err.message);
            return st;
        }
        FUZZ_CHECK(batch->length > 0 && batch->length <= range.count);
        for (int32_t c = 0; c < what->options.field_count; c++)
            fuzz_check_column(&batch->columns[c], batch->length);
        for (int64_t i = 0; i < batch->length; i++) {
            uint64_t h = 5;
            for (int32_t c = 0; c < what->options.field_count; c++)
                h = fuzz_hash_row(&batch->columns[c], i, h);
            hashes[range.start - first + i] = h;
        }
        range.start += batch->length;
        range.count -= batch->length;
    }
    return RWL_OK;
}

/* `rows` from `first` on, `step` at a time, or with -1 backwards one by one. */
static rwl_status read_rows(rwl_op *op, const reading *what, int64_t first, int64_t rows, int64_t step,
                            uint64_t *hashes) {
    rwl_lance_reader *r = NULL;
    rwl_batch batch;
    rwl_error err = {0};
    rwl_status st = rwl_lance_reader_new(op, &what->options, &r, &err);
    if (st != RWL_OK) {
        fuzz_show(err.message);
        return st;
    }
    st = rwl_batch_init(&batch, &env, what->fields, what->options.field_count, NULL);
    for (int64_t i = 0; st == RWL_OK && i < rows; i += step < 0 ? 1 : step) {
        rwl_range range = {first + i, step < rows - i ? step : rows - i};
        if (step < 0)
            range = (rwl_range){first + rows - 1 - i, 1};
        st = read_range(what, r, &batch, first, range, hashes);
    }
    rwl_lance_read_stats stats = rwl_lance_reader_stats(r);
    FUZZ_CHECK(stats.pages_read >= 0 && stats.bytes_read >= 0 && stats.requests >= 0);
    rwl_batch_clear(&batch);
    rwl_lance_reader_free(r);
    return st;
}

/* What the first way gave, others give too; ways of many steps for fewer rows. */
static void compare_ways(rwl_op *op, reading *what, int64_t first) {
    static const struct {
        int64_t rows, step;
        size_t batch_bytes;
    } WAYS[] = {{ROWS_MAX, ROWS_MAX, 1 << 20},
                {ROWS_MAX, STEP, 1 << 20},
                {ONE_BY_ONE_MAX, -1, 1 << 20},
                {ONE_BY_ONE_MAX, ROWS_MAX, 100}};
    uint64_t hashes[ROWS_MAX];
    int64_t known = 0, left = what->options.row_count - first;
    for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
        int64_t rows = left < WAYS[i].rows ? left : WAYS[i].rows;
        what->options.batch_bytes = WAYS[i].batch_bytes;
        if (read_rows(op, what, first, rows, WAYS[i].step, hashes) != RWL_OK)
            continue;
        size_t same = (size_t)(known < rows ? known : rows);
        FUZZ_CHECK(memcmp(hashes, what->hashes, same * sizeof *hashes) == 0);
        if (known < rows)
            memcpy(what->hashes, hashes, (size_t)rows * sizeof *hashes);
        known = known < rows ? rows : known;
    }
}

static void read_fields(rwl_op *op, const rwl_lance_read_field *fields, int32_t count, int64_t rows) {
    reading what = {.options = {.fields = fields, .field_count = count, .row_count = rows}};
    for (int32_t i = 0; i < count; i++)
        what.fields[i] = fields[i].node->field;
    compare_ways(op, &what, 0);
    if (rows > ROWS_MAX)
        compare_ways(op, &what, rows - ROWS_MAX);
}

/* A struct cut down to its last field. */
static void read_cut(input *in, const rwl_lance_read_field *field, int64_t rows) {
    rwl_lance_node cut;
    rwl_type type = field->node->field.type;
    if (type.kind != RWL_TYPE_STRUCT || type.child_count < 2)
        return;
    type.children += type.child_count - 1;
    type.child_count = 1;
    if (rwl_lance_node_cut(field->node, &type, &in->arena, &cut, NULL) != RWL_OK)
        return;
    rwl_lance_read_field of_cut = {&cut, field->sources};
    read_fields(&in->op, &of_cut, 1, rows);
}

static void read_file(input *in) {
    rwl_lance_read_field fields[FIELDS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < in->schema.count && i < FIELDS_MAX; i++) {
        rwl_lance_read_field field = {&in->schema.nodes[i], in->sources[i]};
        int64_t rows = in->rows[i] >= 0 ? in->rows[i] : in->file->row_count;
        read_fields(&in->op, &field, 1, rows);
        read_cut(in, &field, rows);
        if (rows == in->file->row_count && rwl_lance_node_refused(field.node) == NULL)
            fields[count++] = field;
    }
    read_fields(&in->op, fields, count, in->file->row_count);
}

static bool open_file(input *in, rwl_store *store, size_t len, rwl_lancefile **out) {
    rwl_error err = {0};
    rwl_status st = rwl_lancefile_open(store, &in->op, "input", (int64_t)len, out, &err);
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    if (st == RWL_OK)
        st = rwl_lancefile_describe(*out, &in->op, &err);
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    if (st != RWL_OK)
        fuzz_show(err.message);
    return st == RWL_OK;
}

static void look(input *in) {
    rwl_error err = {0};
    rwl_status st =
        rwl_lance_schema_build(in->file->defs, in->file->def_count, &in->arena, &in->schema, &err);
    if (st != RWL_OK)
        fuzz_show(err.message);
    else if (place_columns(in))
        read_file(in);
}

/* The second of two files, none where there is one; what is left in *first is the other. */
static rwl_span cut_second(rwl_span *first) {
    enum { END_LEN = 8 };
    const uint8_t *end = first->data + first->len;
    if (first->len < END_LEN || memcmp(end - 4, "PAIR", 4) != 0)
        return rwl_span_of(NULL, 0);
    size_t len = rwl_load_le32(end - END_LEN), left = first->len - END_LEN;
    if (len > left)
        return rwl_span_of(NULL, 0);
    first->len = len;
    return rwl_span_of(first->data + len, left - len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    input in;
    rwl_span first = rwl_span_of(data, len), second = cut_second(&first);
    memset(&in, 0, sizeof in);
    counted_env_init(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&in.op, &env, BUDGET);
    rwl_arena_init(&in.arena, &env, 0);
    rwl_store *stores[2] = {rwl_memory_store_new(&env, first), rwl_memory_store_new(&env, second)};
    if (open_file(&in, stores[0], first.len, &in.file) &&
        (second.len == 0 || open_file(&in, stores[1], second.len, &in.second)))
        look(&in);
    rwl_lancefile_free(in.file);
    rwl_lancefile_free(in.second);
    FUZZ_CHECK(atomic_load(&in.op.memory_used) == 0);
    rwl_arena_clear(&in.arena);
    rwl_store_free(stores[0]);
    rwl_store_free(stores[1]);
    FUZZ_CHECK(counted_live == 0);
    FUZZ_CHECK(counted_peak <= BUDGET + SLACK + 64 * (int64_t)len);
    return 0;
}
