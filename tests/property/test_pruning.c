/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random filters on random tables whose schema and partition spec change: what is left out by partitions, metrics,
 * statistics, dictionaries, bloom filters and page indexes must be rows that the filter does not select.
 *
 *   F                                      asked of everything that is known of files before they are read
 *   case when F then 1 else 0 end + 0 = 1  selects the same rows, and nothing is known of it but the rows: a sum may
 *                                          overflow, so that not even dictionaries are asked
 *
 *   ROWLINE_SEED    the run's seed; a failing table prints the seed that runs it alone
 *   ROWLINE_TABLES  how many, 25 unless told otherwise
 */
#include "values.h"
#include "world.h"

#include "base/json.h"
#include "base/vec.h"
#include "column/bits.h"
#include "engine/append.h"
#include "engine/create.h"
#include "engine/delete.h"
#include "engine/digest.h"
#include "engine/rewrite.h"
#include "engine/scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOP_MAX = 7, NODES_MAX = 48, LITERALS_MAX = 24, PARTITIONS_MAX = 40, STEPS = 9, FILTERS = 14 };

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        rwl_error err_ = {0};                                                                                \
        rwl_error *err = &err_;                                                                              \
        rwl_status st_ = (call);                                                                             \
        EXPECT(st_ == RWL_OK, "%s: status %d, %s", #call, (int)st_, err_.message);                           \
    } while (0)

/* A column, or a field of a struct. */
typedef struct node {
    random_column column; /* of structs only the field */
    int32_t parent;       /* -1 at the top */
    const char *path;     /* quoted, as filters name it */
    const char *literals[LITERALS_MAX];
    int32_t literal_count;
} node;

/* A field of _partition. */
typedef struct partition {
    const char *path;
    int32_t source; /* a node */
    rwl_transform_kind kind;
} partition;

typedef struct test {
    world w;
    rwl_arena arena;
    uint64_t seed, random;
    char table[160];
    int32_t version;
    node nodes[NODES_MAX];
    int32_t node_count, next_id;
    rwl_field fields[TOP_MAX + STEPS];
    int32_t field_count;
    partition partitions[PARTITIONS_MAX];
    int32_t partition_count, next_partition_id, schema_id, spec_id;
    int64_t rows;
    RWL_VEC(int64_t) snapshots;
    int step;
    diary done; /* for a failure */
} test;

static int64_t filters, unusable, files_skipped, groups_skipped, rows_matched;

static void print_test(void *ctx) {
    const test *t = ctx;
    fprintf(stderr, "%.*s\nthis table alone: ROWLINE_SEED=%" PRIu64 " ROWLINE_TABLES=1; it is %s\n",
            (int)t->done.len, t->done.text, t->seed, t->table);
}

static int64_t below(test *t, int64_t n) {
    return draw_below(&t->random, n);
}
static bool chance(test *t, int percent) {
    return draw_chance(&t->random, percent);
}
static const char *text_of(const char *text) {
    EXPECT(text != NULL, "out of memory");
    return text;
}

/* --- columns --- */

static bool is_struct(const node *n) {
    return n->column.field.type.kind == RWL_TYPE_STRUCT;
}

static int32_t add_node(test *t, int32_t parent, int depth) {
    EXPECT(t->node_count < NODES_MAX, "too many columns");
    int32_t at = t->node_count++;
    random_column two[2];
    make_columns(&t->arena, &t->random, t->version, two, 2);
    node *n = &t->nodes[at];
    *n = (node){.column = two[1], .parent = parent};
    rwl_field *f = &n->column.field;
    f->id = t->next_id++;
    f->name = text_of(rwl_arena_printf(&t->arena, "%s_%d", f->name, f->id));
    f->required = f->required && parent < 0;
    const char *name = quote_name(&t->arena, f->name);
    n->path = parent < 0 ? name : text_of(rwl_arena_printf(&t->arena, "%s.%s", t->nodes[parent].path, name));
    if (depth < 2 && t->node_count < NODES_MAX - 16 && chance(t, depth == 0 ? 30 : 20)) {
        f->type = rwl_type_of(RWL_TYPE_STRUCT);
        f->required = chance(t, 25);
        for (int32_t i = 0, count = 1 + (int32_t)below(t, 3); i < count; i++)
            (void)add_node(t, at, depth + 1);
    }
    return at;
}

/* The field with its children as they are now. */
static rwl_field field_of(test *t, int32_t at) {
    rwl_field f = t->nodes[at].column.field;
    if (f.type.kind != RWL_TYPE_STRUCT)
        return f;
    rwl_field *children = rwl_arena_array(&t->arena, NODES_MAX, sizeof *children);
    EXPECT(children != NULL, "out of memory");
    f.type.children = children;
    for (int32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].parent == at)
            children[f.type.child_count++] = field_of(t, i);
    return f;
}

static void list_fields(test *t) {
    t->field_count = 0;
    for (int32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].parent < 0)
            t->fields[t->field_count++] = field_of(t, i);
}

static bool is_writable(const rwl_value *v) {
    return !v->is_null && !(v->kind == RWL_TYPE_FLOAT && isinf(v->as.f32)) &&
           !(v->kind == RWL_TYPE_DOUBLE && isinf(v->as.f64));
}

static void keep_literal(test *t, node *n, const rwl_value *v) {
    if (!is_writable(v) || (n->literal_count >= LITERALS_MAX / 2 && !chance(t, 5)))
        return;
    int32_t at = n->literal_count < LITERALS_MAX ? n->literal_count++ : (int32_t)below(t, LITERALS_MAX);
    n->literals[at] = value_literal(&t->arena, &n->column.field.type, v);
}

/* --- rows --- */

static void fill_column(test *t, int32_t at, rwl_column *c, int64_t rows) {
    node *n = &t->nodes[at];
    if (at == 0) {
        for (int64_t i = 0; i < rows; i++) {
            rwl_value v = {.kind = RWL_TYPE_LONG, .as.i64 = make_key(t->rows + i)};
            keep_literal(t, n, &v);
            MUST(rwl_column_append(c, &t->w.env, &v, 1, err));
        }
        return;
    }
    if (!is_struct(n)) {
        bool one = chance(t, 25), nulls = !n->column.field.required && chance(t, 10);
        rwl_value v = make_value(&t->arena, &t->random, &n->column);
        for (int64_t i = 0; i < rows; i++) {
            if (!one)
                v = make_value(&t->arena, &t->random, &n->column);
            if (nulls)
                v = rwl_value_null(v.kind);
            keep_literal(t, n, &v);
            MUST(rwl_column_append(c, &t->w.env, &v, 1, err));
        }
        return;
    }
    int nulls = n->column.field.required ? 0 : chance(t, 40) ? 25 : chance(t, 10) ? 100 : 0;
    MUST(rwl_column_reserve(c, &t->w.env, rows, 0, err));
    MUST(rwl_column_need_validity(c, &t->w.env, rows, err));
    rwl_bits_fill(c->validity.data, 0, rows, true);
    for (int64_t i = 0; i < rows; i++)
        if (chance(t, nulls)) {
            rwl_bit_clear(c->validity.data, i);
            c->null_count++;
        }
    c->length = rows;
    int32_t child = 0;
    for (int32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].parent == at)
            fill_column(t, i, &c->children[child++], rows);
}

static rwl_table *open_table(test *t, const char *snapshot) {
    rwl_table_options options = {.for_change = snapshot == NULL, .snapshot = snapshot};
    rwl_table *table = NULL;
    MUST(rwl_table_open(&t->w.op, t->table, &options, &table, err));
    return table;
}

static void remember(test *t, const rwl_commit_outcome *out) {
    if (out->result.snapshot_id >= 0)
        MUST(rwl_vec_push(&t->snapshots, &t->w.env, out->result.snapshot_id, err));
}

static void append_rows(test *t) {
    int64_t rows = 1 + below(t, chance(t, 10) ? 700 : chance(t, 40) ? 60 : 9);
    rwl_batch batch;
    MUST(rwl_batch_init(&batch, &t->w.env, t->fields, t->field_count, err));
    for (int32_t i = 0, column = 0; i < t->node_count; i++)
        if (t->nodes[i].parent < 0)
            fill_column(t, i, &batch.columns[column++], rows);
    batch.length = rows;
    t->rows += rows;
    diary_note(&t->done, "append %" PRId64 " rows\n", rows);
    batch_input input;
    batch_input_init(&input, &batch, rows);
    rwl_input *inputs[] = {&input.base};
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    rwl_table *table = open_table(t, NULL);
    MUST(rwl_append(table, &t->w.op, inputs, 1, &options, &out, err));
    remember(t, &out);
    rwl_table_free(table);
    rwl_batch_clear(&batch);
}

/* --- schemas and specs that change --- */

static rwl_json *array_of(rwl_json *object, const char *key) {
    rwl_json *array = rwl_json_get(object, key);
    EXPECT(array != NULL, "the metadata lack %s", key);
    return array;
}

static void put_number(rwl_json *object, const char *key, int64_t value) {
    MUST(rwl_json_set(object, key, rwl_json_new_i64(value), err));
}

static void put_schema(test *t, rwl_json *metadata) {
    rwl_schema schema = {.schema_id = ++t->schema_id, .fields = t->fields, .field_count = t->field_count};
    rwl_json *json = NULL;
    MUST(rwl_schema_to_json(&schema, &json, err));
    MUST(rwl_json_append(array_of(metadata, "schemas"), json, err));
    put_number(metadata, "current-schema-id", t->schema_id);
    put_number(metadata, "last-column-id", t->next_id - 1);
}

static const char *transform_text(test *t, const rwl_type *type) {
    static const char *const texts[] = {"identity", "void", "year", "month", "day", "hour"};
    rwl_transform transform;
    rwl_type result;
    for (;;) {
        int64_t drawn = below(t, 9);
        const char *text = drawn == 0   ? texts[1]
                           : drawn <= 2 ? texts[0]
                           : drawn <= 4 ? rwl_arena_printf(&t->arena, "bucket[%d]", 1 + (int)below(t, 4))
                           : drawn <= 6 ? rwl_arena_printf(&t->arena, "truncate[%d]", 1 + (int)below(t, 12))
                                        : texts[2 + below(t, 4)];
        MUST(rwl_transform_parse(text_of(text), &t->arena, &transform, err));
        if (rwl_transform_result(&transform, type, &result))
            return text;
    }
}

static int32_t draw_leaf(test *t) {
    int32_t at;
    do
        at = (int32_t)below(t, t->node_count);
    while (is_struct(&t->nodes[at]));
    return at;
}

static void put_spec(test *t, rwl_json *metadata) {
    rwl_partition_field fields[3];
    int32_t count = (int32_t)below(t, 3);
    for (int32_t i = 0; i < count && t->partition_count < PARTITIONS_MAX; i++) {
        int32_t source = draw_leaf(t);
        node *n = &t->nodes[source];
        const char *text = source == 0 ? "bucket[2]" : transform_text(t, &n->column.field.type);
        int32_t id = t->next_partition_id++;
        const char *name = text_of(rwl_arena_printf(&t->arena, "p%d", id));
        fields[i] = (rwl_partition_field){.source_id = n->column.field.id, .field_id = id, .name = name};
        MUST(rwl_transform_parse(text, &t->arena, &fields[i].transform, err));
        if (n->column.pool_count > 2)
            n->column.pool_count = 2;
        n->column.pool_only = source != 0;
        t->partitions[t->partition_count++] = (partition){
            text_of(rwl_arena_printf(&t->arena, "_partition.%s", name)), source, fields[i].transform.kind};
        diary_note(&t->done, "  p%d = %s of %s\n", id, text, n->path);
    }
    rwl_partition_spec spec = {.spec_id = ++t->spec_id, .fields = fields, .field_count = count};
    rwl_json *json = NULL;
    MUST(rwl_partition_spec_to_json(&spec, false, &json, err));
    MUST(rwl_json_append(array_of(metadata, "partition-specs"), json, err));
    put_number(metadata, "default-spec-id", t->spec_id);
    put_number(metadata, "last-partition-id", t->next_partition_id - 1);
    diary_note(&t->done, "spec %d of %d fields\n", t->spec_id, count);
}

/* One leaf gets a wider type, where its own has one. */
static void promote(test *t) {
    node *n = &t->nodes[draw_leaf(t)];
    rwl_type *type = &n->column.field.type, from = *type;
    if (n->column.sequence || n == t->nodes)
        return;
    if (type->kind == RWL_TYPE_INT)
        type->kind = RWL_TYPE_LONG;
    else if (type->kind == RWL_TYPE_FLOAT)
        type->kind = RWL_TYPE_DOUBLE;
    else if (type->kind == RWL_TYPE_DECIMAL && type->precision < 38)
        type->precision += 1 + (int32_t)below(t, 38 - type->precision);
    else if (type->kind == RWL_TYPE_DATE && t->version >= 3)
        type->kind = chance(t, 50) ? RWL_TYPE_TIMESTAMP : RWL_TYPE_TIMESTAMP_NS;
    else
        return;
    for (int32_t i = 0; i < n->column.pool_count; i++) {
        rwl_value *v = &n->column.pool[i], old = *v;
        int64_t day = type->kind == RWL_TYPE_TIMESTAMP ? INT64_C(86400000000) : INT64_C(86400000000000);
        v->kind = type->kind;
        if (from.kind == RWL_TYPE_INT)
            v->as.i64 = old.as.i32;
        if (from.kind == RWL_TYPE_FLOAT)
            v->as.f64 = (double)old.as.f32;
        if (from.kind == RWL_TYPE_DATE)
            v->as.i64 = old.as.i32 * day;
    }
    if (n->column.field.initial_default != NULL) /* its own form is of the old type */
        n->column.field.initial_default = n->column.field.write_default = NULL;
    char name[64];
    rwl_type_name(type, name, sizeof name);
    diary_note(&t->done, "%s becomes %s\n", n->path, name);
}

static void add_column(test *t) {
    if (t->field_count >= TOP_MAX + STEPS - 1 || t->node_count > NODES_MAX - 16)
        return;
    node *n = &t->nodes[add_node(t, -1, 0)];
    rwl_field *f = &n->column.field;
    f->required = false;
    diary_note(&t->done, "new column %s\n", n->path);
    if (is_struct(n) || t->version < 3 || !chance(t, 60))
        return;
    const rwl_value *v = &n->column.pool[0];
    if (is_writable(v) && !(v->kind == RWL_TYPE_FLOAT && isnan(v->as.f32)) &&
        !(v->kind == RWL_TYPE_DOUBLE && isnan(v->as.f64))) {
        f->initial_default = f->write_default = v;
        f->required = chance(t, 40);
        keep_literal(t, n, v);
        diary_note(&t->done, "  default %s%s\n", value_literal(&t->arena, &f->type, v),
                   f->required ? " not null" : "");
    }
}

static void write_file(const char *path, rwl_span text) {
    FILE *file = fopen(path, "wb");
    EXPECT(file != NULL && fwrite(text.data, 1, text.len, file) == text.len && fclose(file) == 0,
           "%s cannot be written", path);
}

/* Changes the newest metadata in place, as a catalog's own command would do it in a next version. */
static void evolve(test *t, bool anew) {
    rwl_table *table = open_table(t, NULL);
    rwl_json *metadata = rwl_json_copy(table->metadata->json);
    const char *path = text_of(rwl_arena_strdup(&t->arena, table->metadata->metadata_location));
    rwl_table_free(table);
    EXPECT(metadata != NULL, "out of memory");
    if (!anew && chance(t, 50))
        promote(t);
    if (!anew && chance(t, 30))
        add_column(t);
    list_fields(t);
    put_schema(t, metadata);
    if (anew || chance(t, 50))
        put_spec(t, metadata);
    rwl_buf text;
    rwl_buf_init(&text, &t->w.env, SIZE_MAX);
    MUST(rwl_json_dump(metadata, 0, &text, err));
    write_file(strncmp(path, "file://", 7) == 0 ? path + 7 : path, rwl_buf_span(&text));
    rwl_buf_clear(&text);
    rwl_json_free(metadata);
}

/* --- filters --- */

static const char *const OPERATORS[] = {"=", "<>", "<", "<=", ">", ">="};

static const char *draw_literal(test *t, node *n) {
    if (n->literal_count > 0 && chance(t, 75))
        return n->literals[below(t, n->literal_count)];
    rwl_value v = {.kind = RWL_TYPE_LONG, .as.i64 = make_key(below(t, 100000))};
    if (n != t->nodes)
        v = make_value(&t->arena, &t->random, &n->column);
    return is_writable(&v)        ? value_literal(&t->arena, &n->column.field.type, &v)
           : n->literal_count > 0 ? n->literals[0]
                                  : "null";
}

/* "s LIKE 'some%'": a piece of a text that is there, its ends and some of its inside open. */
static const char *draw_pattern(test *t, node *n) {
    char *text = rwl_arena_strdup(&t->arena, draw_literal(t, n));
    EXPECT(text != NULL, "out of memory");
    size_t len = strlen(text);
    if (len < 3 || text[0] != '\'')
        return "'%'";
    size_t keep = 1 + (size_t)below(t, (int64_t)len - 1);
    while (keep > 1 && ((text[keep] & 0xC0) == 0x80 || text[keep - 1] == '\''))
        keep--;
    return text_of(rwl_arena_printf(&t->arena, "%.*s%s'", (int)keep, text,
                                    chance(t, 70)   ? "%"
                                    : chance(t, 50) ? "_%"
                                                    : ""));
}

/* A value made of the column, and a literal to compare it with. */
static const char *draw_computed(test *t, node *n, const char **literal) {
    rwl_type_kind kind = n->column.field.type.kind;
    *literal = draw_literal(t, n);
    if (kind >= RWL_TYPE_TIMESTAMP && kind <= RWL_TYPE_TIMESTAMPTZ_NS) {
        *literal = text_of(rwl_arena_printf(&t->arena, "date '%04d-%02d-%02d'", 1901 + (int)below(t, 138),
                                            1 + (int)below(t, 12), 1 + (int)below(t, 28)));
        return text_of(rwl_arena_printf(&t->arena, "cast(%s as date)", n->path));
    }
    if (kind == RWL_TYPE_INT || kind == RWL_TYPE_LONG)
        return text_of(rwl_arena_printf(&t->arena, "cast(%s as %s)", n->path,
                                        chance(t, 50)   ? "bigint"
                                        : chance(t, 50) ? "double"
                                                        : "decimal(38,2)"));
    if (kind == RWL_TYPE_FLOAT || kind == RWL_TYPE_DOUBLE)
        return text_of(rwl_arena_printf(&t->arena, "cast(%s as double)", n->path));
    if (kind == RWL_TYPE_DATE)
        return text_of(rwl_arena_printf(&t->arena, "cast(%s as timestamp)", n->path));
    if (kind == RWL_TYPE_DECIMAL)
        return text_of(
            rwl_arena_printf(&t->arena, "cast(%s as decimal(38, %d))", n->path, n->column.field.type.scale));
    return text_of(rwl_arena_printf(&t->arena, "coalesce(%s, %s)", n->path, draw_literal(t, n)));
}

static const char *metadata_leaf(test *t) {
    static const char *const names[] = {"_row_id", "_last_updated_sequence_number", "_pos", "_spec_id"};
    const char *no = chance(t, 40) ? "not " : "", *op = OPERATORS[below(t, 6)];
    const char *name = names[below(t, 4)];
    int64_t drawn = below(t, 6);
    int64_t n = below(t, name == names[0] ? t->rows + 2 : name == names[2] ? 40 : t->step + 2);
    if (drawn == 0)
        return text_of(rwl_arena_printf(&t->arena, "%s is %snull", name, no));
    if (drawn == 1)
        return text_of(rwl_arena_printf(&t->arena, "%s %sin (%" PRId64 ", %" PRId64 ")", name, no, n, n / 2));
    if (drawn == 2)
        return text_of(
            rwl_arena_printf(&t->arena, "_file %slike '%%%c%%'", no, "0123456789abcdef"[below(t, 16)]));
    return text_of(rwl_arena_printf(&t->arena, "%s %s %" PRId64, name, op, n));
}

static const char *partition_leaf(test *t) {
    const partition *p = &t->partitions[below(t, t->partition_count)];
    const char *no = chance(t, 40) ? "not " : "", *op = OPERATORS[below(t, 6)];
    const char *literal = draw_literal(t, &t->nodes[p->source]);
    if (p->kind == RWL_TRANSFORM_BUCKET || p->kind == RWL_TRANSFORM_YEAR)
        literal = text_of(rwl_arena_printf(&t->arena, "%d", (int)below(t, 4)));
    if (p->kind == RWL_TRANSFORM_MONTH || p->kind == RWL_TRANSFORM_HOUR)
        literal = text_of(rwl_arena_printf(&t->arena, "%d", (int)below(t, 800) - 400));
    if (chance(t, 30))
        return text_of(rwl_arena_printf(&t->arena, "%s is %snull", p->path, no));
    if (chance(t, 20))
        return text_of(rwl_arena_printf(&t->arena, "%s %sin (%s)", p->path, no, literal));
    return text_of(rwl_arena_printf(&t->arena, "%s %s %s", p->path, op, literal));
}

/* Another leaf of the same kind, where there is one. */
static const node *draw_partner(test *t, const node *n) {
    for (int tries = 0; tries < 20; tries++) {
        const node *other = &t->nodes[draw_leaf(t)];
        if (other != n && other->column.field.type.kind == n->column.field.type.kind)
            return other;
    }
    return n;
}

static const char *column_leaf(test *t) {
    rwl_arena *a = &t->arena;
    node *n = &t->nodes[below(t, t->node_count)];
    const char *no = chance(t, 40) ? "not " : "", *op = OPERATORS[below(t, 6)];
    if (is_struct(n))
        return text_of(rwl_arena_printf(a, "%s is %snull", n->path, no));
    rwl_type_kind kind = n->column.field.type.kind;
    const char *x = draw_literal(t, n), *y = draw_literal(t, n);
    switch (below(t, 10)) {
    case 0:
        return text_of(rwl_arena_printf(a, "%s %sbetween %s and %s", n->path, no, x, y));
    case 1:
        return text_of(rwl_arena_printf(a, "%s %sin (%s, %s, %s)", n->path, no, x, y,
                                        chance(t, 10) ? "null" : draw_literal(t, n)));
    case 2:
        return text_of(rwl_arena_printf(a, "%s is %snull", n->path, no));
    case 3:
        if (kind == RWL_TYPE_FLOAT || kind == RWL_TYPE_DOUBLE)
            return text_of(rwl_arena_printf(a, "%s is %snan", n->path, no));
        if (kind == RWL_TYPE_STRING)
            return text_of(rwl_arena_printf(a, "%s %slike %s", n->path, no, draw_pattern(t, n)));
        break;
    case 4:
        return text_of(rwl_arena_printf(a, "%s %s %s", n->path, op, draw_partner(t, n)->path));
    case 5:
        y = draw_computed(t, n, &x);
        return text_of(rwl_arena_printf(a, "%s %s %s", y, op, x));
    case 6:
        return text_of(rwl_arena_printf(a, "%s %s %s", x, op, n->path));
    default:
        break;
    }
    return text_of(rwl_arena_printf(a, "%s %s %s", n->path, op, x));
}

static const char *make_filter(test *t, int depth) {
    if (depth == 0 || chance(t, 50)) {
        if (chance(t, 15))
            return metadata_leaf(t);
        return t->partition_count > 0 && chance(t, 20) ? partition_leaf(t) : column_leaf(t);
    }
    const char *left = make_filter(t, depth - 1);
    if (chance(t, 20))
        return text_of(rwl_arena_printf(&t->arena, "not (%s)", left));
    return text_of(rwl_arena_printf(&t->arena, "(%s) %s (%s)", left, chance(t, 55) ? "and" : "or",
                                    make_filter(t, depth - 1)));
}

/* --- asking --- */

typedef RWL_VEC(int64_t) key_vec;

/* The keys of the rows that `where` selects, in the order they come. */
static rwl_status read_keys(test *t, const rwl_table *table, const char *where, key_vec *keys,
                            rwl_scan_stats *stats, rwl_error *error) {
    rwl_scan_options options = {.rows = {.select = "k", .where = where}, .limit = -1};
    rwl_scan *scan = NULL;
    rwl_batch batch;
    int32_t count;
    RWL_TRY(rwl_scan_open(table, &t->w.op, &options, &scan, error));
    const rwl_field *fields = rwl_scan_fields(scan, &count);
    MUST(rwl_batch_init(&batch, &t->w.env, fields, count, err));
    rwl_status st;
    while ((st = rwl_scan_next(scan, &batch, error)) == RWL_OK && batch.length > 0)
        for (int64_t i = 0; i < batch.length; i++)
            MUST(rwl_vec_push(keys, &t->w.env, rwl_column_i64(&batch.columns[0])[i], err));
    *stats = rwl_scan_get_stats(scan);
    rwl_batch_clear(&batch);
    rwl_scan_close(scan);
    return st;
}

static void compare_keys(const key_vec *got, const key_vec *want) {
    for (size_t i = 0; i < got->len && i < want->len; i++)
        EXPECT(got->items[i] == want->items[i], "row %zu has key %" PRId64 ", not %" PRId64, i, got->items[i],
               want->items[i]);
    EXPECT(got->len == want->len, "%zu rows with pruning, %zu without", got->len, want->len);
}

static void check_sums(test *t, const rwl_table *table, const char *where, const char *plain, size_t want) {
    int64_t count = -1;
    rwl_digest a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    MUST(rwl_table_count(table, &t->w.op, where, &count, err));
    EXPECT(count == (int64_t)want, "count says %" PRId64 ", not %zu", count, want);
    MUST(rwl_table_digest(table, &t->w.op, where, &a, err));
    MUST(rwl_table_digest(table, &t->w.op, plain, &b, err));
    EXPECT(rwl_digest_equal(&a, &b), "the digests differ");
}

/* False where the filter cannot be asked. */
static bool check_filter(test *t, const rwl_table *table, const char *where, size_t *matched) {
    const char *plain = text_of(rwl_arena_printf(&t->arena, "case when %s then 1 else 0 end + 0 = 1", where));
    key_vec got = {0}, want = {0};
    rwl_error error = {0}, error2 = {0};
    rwl_scan_stats stats, all;
    diary_note(&t->done, "  where %.900s\n", where);
    rwl_status st = read_keys(t, table, plain, &want, &all, &error);
    rwl_status st2 = read_keys(t, table, where, &got, &stats, &error2);
    EXPECT(st2 == RWL_OK || st != RWL_OK, "pruned: status %d, %s", (int)st2, error2.message);
    EXPECT(st == RWL_OK || st == RWL_USAGE || st == RWL_UNSUPPORTED, "status %d, %s", (int)st, error.message);
    EXPECT(st == RWL_OK || st2 != RWL_OK || strstr(error.message, "overflow") != NULL ||
               strstr(error.message, "range") != NULL || strstr(error.message, "fit") != NULL,
           "only without pruning: %s", error.message);
    if (st == RWL_OK) {
        EXPECT(all.plan.files_skipped == 0 && all.files.groups_skipped == 0, "the other way prunes, too");
        compare_keys(&got, &want);
        if (chance(t, 40))
            check_sums(t, table, where, plain, want.len);
        files_skipped += stats.plan.files_skipped;
        groups_skipped += stats.files.groups_skipped;
        rows_matched += (int64_t)want.len;
    } else if (getenv("ROWLINE_SHOW") != NULL) {
        fprintf(stderr, "%s: %s\n", where, error.message);
    }
    filters++;
    unusable += st != RWL_OK;
    *matched = want.len;
    rwl_vec_clear(&got, &t->w.env);
    rwl_vec_clear(&want, &t->w.env);
    return st == RWL_OK;
}

static void check_filters(test *t) {
    size_t matched;
    rwl_table *table = open_table(t, NULL);
    for (int i = 0; i < FILTERS; i++)
        (void)check_filter(t, table, make_filter(t, 3), &matched);
    rwl_table_free(table);
    if (t->snapshots.len < 2)
        return;
    char id[32];
    snprintf(id, sizeof id, "%" PRId64, t->snapshots.items[below(t, (int64_t)t->snapshots.len)]);
    table = open_table(t, id);
    diary_note(&t->done, "snapshot %s\n", id);
    for (int i = 0; i < FILTERS / 3; i++)
        (void)check_filter(t, table, make_filter(t, 2), &matched);
    rwl_table_free(table);
}

static void delete_rows(test *t) {
    const char *where = make_filter(t, 2);
    size_t matched, after;
    rwl_table *table = open_table(t, NULL);
    bool usable = check_filter(t, table, where, &matched);
    int64_t rows, left;
    MUST(rwl_table_count(table, &t->w.op, NULL, &rows, err));
    if (usable && 2 * (int64_t)matched <= rows) {
        rwl_change_options options = {0};
        rwl_commit_outcome out;
        diary_note(&t->done, "delete these %zu\n", matched);
        MUST(rwl_delete(table, &t->w.op, where, &options, &out, err));
        remember(t, &out);
        rwl_table_free(table);
        table = open_table(t, NULL);
        MUST(rwl_table_count(table, &t->w.op, NULL, &left, err));
        EXPECT(left == rows - (int64_t)matched, "%" PRId64 " rows are left of %" PRId64, left, rows);
        (void)check_filter(t, table, where, &after);
        EXPECT(after == 0, "%zu of %zu deleted rows are there", after, matched);
    }
    rwl_table_free(table);
}

static void rewrite_rows(test *t) {
    rwl_rewrite_options options = {.min_input_files = 2, .rewrite_all = chance(t, 50)};
    rwl_commit_outcome out;
    rwl_rewrite_result result;
    diary_note(&t->done, "rewrite%s\n", options.rewrite_all ? " all" : "");
    rwl_table *table = open_table(t, NULL);
    MUST(rwl_rewrite(table, &t->w.op, &options, &out, &result, err));
    remember(t, &out);
    rwl_table_free(table);
}

/* --- tables --- */

static void create_table(test *t) {
    static const char *const modes[] = {"none",        "counts",       "truncate(1)",
                                        "truncate(3)", "truncate(16)", "full"};
    const char *keys[12], *values[12];
    int32_t n = 0;
    rwl_create_options o = {.schema = "k long not null", .format_version = t->version};
    if (chance(t, 60)) {
        keys[n] = "write.metadata.metrics.default";
        values[n++] = modes[below(t, 6)];
    }
    if (chance(t, 40)) {
        keys[n] = "write.parquet.page-row-limit";
        values[n++] = chance(t, 50) ? "3" : "20";
    }
    if (chance(t, 30)) {
        keys[n] = "write.parquet.row-group-size-bytes";
        values[n++] = "900";
    }
    for (int32_t i = 0; i < t->node_count && n < 10; i++)
        if (t->nodes[i].parent < 0 && !is_struct(&t->nodes[i]) && chance(t, 30)) {
            keys[n] = text_of(rwl_arena_printf(&t->arena, "write.parquet.bloom-filter-enabled.column.%s",
                                               t->nodes[i].column.field.name));
            values[n++] = "true";
        }
    for (int32_t i = 0; i < n; i++)
        diary_note(&t->done, "%s=%s\n", keys[i], values[i]);
    o.property_keys = keys;
    o.property_values = values;
    o.property_count = n;
    MUST(rwl_create_table(&t->w.op, t->table, &o, err));
}

static void run_table(test *t) {
    t->random = t->seed;
    EXPECT(world_open(&t->w, t->seed), "no folder for tests");
    rwl_arena_init(&t->arena, &t->w.env, 0);
    snprintf(t->table, sizeof t->table, "%s/t", t->w.folder);
    t->version = chance(t, 30) ? 2 : 3;
    t->next_partition_id = 1000;
    random_column key[1];
    make_columns(&t->arena, &t->random, t->version, key, 1);
    t->nodes[0] = (node){.column = key[0], .parent = -1, .path = "k"};
    t->node_count = 1;
    t->next_id = 2;
    for (int32_t i = 0, count = 1 + (int32_t)below(t, TOP_MAX - 1); i < count; i++)
        (void)add_node(t, -1, 0);
    diary_note(&t->done, "v%d\n", t->version);
    create_table(t);
    evolve(t, true);
    diary_note(&t->done, "%s\n", "columns:");
    for (int32_t i = 0; i < t->node_count; i++) {
        char name[64];
        rwl_type_name(&t->nodes[i].column.field.type, name, sizeof name);
        diary_note(&t->done, "  %s %s%s\n", t->nodes[i].path, is_struct(&t->nodes[i]) ? "struct" : name,
                   t->nodes[i].column.field.required ? " not null" : "");
    }
    for (t->step = 1; t->step <= STEPS; t->step++) {
        append_rows(t);
        check_filters(t);
        if (chance(t, 25))
            evolve(t, false);
        if (t->version >= 3 && chance(t, 40))
            delete_rows(t);
        if (chance(t, 10))
            rewrite_rows(t);
    }
    rwl_vec_clear(&t->snapshots, &t->w.env);
    rwl_arena_clear(&t->arena);
    world_close(&t->w, false);
}

int main(void) {
    static test t;
    uint64_t seed = number_from("ROWLINE_SEED", 20261130), count = number_from("ROWLINE_TABLES", 25);
    set_failure_context(print_test, &t);
    for (uint64_t i = 0; i < count; i++) {
        memset(&t, 0, sizeof t);
        t.seed = seed + i;
        run_table(&t);
    }
    printf("%" PRIu64 " tables from seed %" PRIu64 ": %" PRId64 " filters, %" PRId64
           " of them refused; %" PRId64 " rows matched, %" PRId64 " files and %" PRId64
           " row groups skipped\n",
           count, seed, filters, unusable, rows_matched, files_skipped, groups_skipped);
    bool idle = count >= 20 && (files_skipped == 0 || groups_skipped == 0 || 4 * unusable > filters);
    if (idle)
        fprintf(stderr, "FAILED: hardly anything was pruned, or too many filters were refused\n");
    return idle ? EXIT_FAILURE : EXIT_SUCCESS;
}
