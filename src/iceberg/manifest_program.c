/* SPDX-License-Identifier: Apache-2.0 */
/* From a manifest's Avro schema to the steps that decode its entries. */
#include "iceberg/manifest_program.h"

#include <inttypes.h>
#include <stddef.h>

typedef enum wanted_group { ALWAYS, SIZES, COUNTS, BOUNDS, SPLITS } wanted_group;

/* A field of entries or data files that is known here. */
typedef struct known_field {
    int32_t id;
    const char *name;
    rwl_step_kind kind;
    bool required;
    uint16_t offset, count_offset;
    int32_t key_id; /* maps; the value's is the next */
    wanted_group group;
} known_field;

#define IN_ENTRY(member) ((uint16_t)offsetof(rwl_manifest_entry, member))
#define IN_FILE(member)  IN_ENTRY(file.member)

static const known_field ENTRY_FIELDS[] = {
    {RWL_ENTRY_STATUS, "status", RWL_STEP_I32, true, IN_ENTRY(status), 0, 0, ALWAYS},
    {RWL_ENTRY_SNAPSHOT_ID, "snapshot_id", RWL_STEP_I64, false, IN_ENTRY(stored_snapshot_id), 0, 0, ALWAYS},
    {RWL_ENTRY_SEQUENCE_NUMBER, "sequence_number", RWL_STEP_I64, false, IN_ENTRY(stored_sequence_number), 0,
     0, ALWAYS},
    {RWL_ENTRY_FILE_SEQUENCE_NUMBER, "file_sequence_number", RWL_STEP_I64, false,
     IN_ENTRY(stored_file_sequence_number), 0, 0, ALWAYS},
    {RWL_ENTRY_DATA_FILE, "data_file", RWL_STEP_RECORD, true, 0, 0, 0, ALWAYS},
};

static const known_field FILE_FIELDS[] = {
    {RWL_FILE_PATH, "file_path", RWL_STEP_STR, true, IN_FILE(file_path), 0, 0, ALWAYS},
    {RWL_FILE_FORMAT, "file_format", RWL_STEP_STR, true, IN_FILE(file_format), 0, 0, ALWAYS},
    {RWL_FILE_RECORD_COUNT, "record_count", RWL_STEP_I64, true, IN_FILE(record_count), 0, 0, ALWAYS},
    {RWL_FILE_SIZE, "file_size_in_bytes", RWL_STEP_I64, true, IN_FILE(file_size), 0, 0, ALWAYS},
    {RWL_FILE_CONTENT, "content", RWL_STEP_I32, false, IN_FILE(content), 0, 0, ALWAYS},
    {RWL_FILE_PARTITION, "partition", RWL_STEP_PARTITION, false, 0, 0, 0, ALWAYS},
    {RWL_FILE_COLUMN_SIZES, "column_sizes", RWL_STEP_COUNTS, false, IN_FILE(column_sizes),
     IN_FILE(column_size_count), 117, SIZES},
    {RWL_FILE_VALUE_COUNTS, "value_counts", RWL_STEP_COUNTS, false, IN_FILE(value_counts),
     IN_FILE(value_count_count), 119, COUNTS},
    {RWL_FILE_NULL_COUNTS, "null_value_counts", RWL_STEP_COUNTS, false, IN_FILE(null_counts),
     IN_FILE(null_count_count), 121, COUNTS},
    {RWL_FILE_NAN_COUNTS, "nan_value_counts", RWL_STEP_COUNTS, false, IN_FILE(nan_counts),
     IN_FILE(nan_count_count), 138, COUNTS},
    {RWL_FILE_LOWER_BOUNDS, "lower_bounds", RWL_STEP_BOUNDS, false, IN_FILE(lower_bounds),
     IN_FILE(lower_count), 126, BOUNDS},
    {RWL_FILE_UPPER_BOUNDS, "upper_bounds", RWL_STEP_BOUNDS, false, IN_FILE(upper_bounds),
     IN_FILE(upper_count), 129, BOUNDS},
    {RWL_FILE_KEY_METADATA, "key_metadata", RWL_STEP_BYTES, false, IN_FILE(key_metadata), 0, 0, ALWAYS},
    {RWL_FILE_SPLIT_OFFSETS, "split_offsets", RWL_STEP_SPLITS, false, IN_FILE(split_offsets),
     IN_FILE(split_count), 0, SPLITS},
    {RWL_FILE_EQUALITY_IDS, "equality_ids", RWL_STEP_IDS, false, IN_FILE(equality_ids),
     IN_FILE(equality_count), 0, ALWAYS},
    {RWL_FILE_SORT_ORDER_ID, "sort_order_id", RWL_STEP_I32, false, IN_FILE(sort_order_id), 0, 0, ALWAYS},
    {RWL_FILE_FIRST_ROW_ID, "first_row_id", RWL_STEP_FIRST_ROW_ID, false, IN_FILE(stored_first_row_id), 0, 0,
     ALWAYS},
    {RWL_FILE_REFERENCED, "referenced_data_file", RWL_STEP_STR, false, IN_FILE(referenced_data_file), 0, 0,
     ALWAYS},
    {RWL_FILE_CONTENT_OFFSET, "content_offset", RWL_STEP_I64, false, IN_FILE(content_offset), 0, 0, ALWAYS},
    {RWL_FILE_CONTENT_SIZE, "content_size_in_bytes", RWL_STEP_I64, false, IN_FILE(content_size), 0, 0,
     ALWAYS},
};

enum { ENTRY_FIELD_COUNT = sizeof ENTRY_FIELDS / sizeof *ENTRY_FIELDS };
enum { FILE_FIELD_COUNT = sizeof FILE_FIELDS / sizeof *FILE_FIELDS };

/* Required fields of both tables have bits in rwl_step.required: those of files behind those of entries. */
_Static_assert(ENTRY_FIELD_COUNT + FILE_FIELD_COUNT <= 32, "a bit for each field");

typedef struct compiler {
    rwl_manifest_program *program;
    rwl_arena *arena;
    bool by_id; /* some field of the schema has an id */
} compiler;

/* --- forms --- */

static bool is_varint(const rwl_avro_schema *s) {
    return s->kind == RWL_AVRO_INT || s->kind == RWL_AVRO_LONG;
}

static bool is_bytes(const rwl_avro_schema *s) {
    return s->kind == RWL_AVRO_BYTES || s->kind == RWL_AVRO_STRING;
}

/* False for a union of several types that are not null. */
static bool form_of(const rwl_avro_schema *s, rwl_step_form *out) {
    *out = (rwl_step_form){s, 0, 0};
    if (s->kind != RWL_AVRO_UNION)
        return true;
    int32_t values = 0;
    *out = (rwl_step_form){s->branches[0], s->branch_count, 0};
    for (int32_t i = 0; i < s->branch_count; i++) {
        if (s->branches[i]->kind == RWL_AVRO_NULL)
            continue;
        out->schema = s->branches[i];
        out->value_branch = i;
        values++;
    }
    return values <= 1;
}

/* --- what is passed over --- */

static void compile_skip_list(const rwl_avro_schema *item, rwl_step *out) {
    out->kind = RWL_STEP_SKIP_ANY;
    if (is_varint(item)) {
        out->kind = RWL_STEP_SKIP_LIST_VARINT;
        out->size = 1;
    }
    if (item->kind != RWL_AVRO_RECORD || item->field_count != 2 || !is_varint(item->fields[0].schema))
        return;
    if (is_varint(item->fields[1].schema)) {
        out->kind = RWL_STEP_SKIP_LIST_VARINT;
        out->size = 2;
    } else if (is_bytes(item->fields[1].schema)) {
        out->kind = RWL_STEP_SKIP_LIST_BOUND;
    }
}

static void compile_skip(const rwl_avro_field *field, rwl_step *out) {
    memset(out, 0, sizeof *out);
    out->name = field->name;
    out->id = field->id;
    out->kind = RWL_STEP_SKIP_ANY;
    if (!form_of(field->schema, &out->form)) {
        out->form = (rwl_step_form){field->schema, 0, 0};
        return;
    }
    const rwl_avro_schema *s = out->form.schema;
    if (s->fixed_len >= 0) {
        out->kind = RWL_STEP_SKIP_FIXED;
        out->size = s->fixed_len;
    } else if (is_varint(s) || s->kind == RWL_AVRO_ENUM) {
        out->kind = RWL_STEP_SKIP_VARINT;
    } else if (is_bytes(s)) {
        out->kind = RWL_STEP_SKIP_BYTES;
    } else if (s->kind == RWL_AVRO_ARRAY) {
        compile_skip_list(s->branches[0], out);
    }
}

/* --- known fields --- */

static rwl_status wrong_type(const rwl_step *step, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "field %s (id %" PRId32 ") has the wrong Avro type", step->name,
                    step->id);
}

static bool takes(rwl_step_kind kind, const rwl_avro_schema *s) {
    switch (kind) {
    case RWL_STEP_I64:
    case RWL_STEP_I32:
    case RWL_STEP_FIRST_ROW_ID:
        return is_varint(s);
    case RWL_STEP_STR:
        return s->kind == RWL_AVRO_STRING;
    case RWL_STEP_BYTES:
        return is_bytes(s) || s->kind == RWL_AVRO_FIXED;
    case RWL_STEP_COUNTS:
    case RWL_STEP_BOUNDS:
    case RWL_STEP_SPLITS:
    case RWL_STEP_IDS:
        return s->kind == RWL_AVRO_ARRAY;
    default:
        return s->kind == RWL_AVRO_RECORD;
    }
}

static int32_t find_field(const compiler *c, const rwl_avro_schema *record, int32_t id, const char *name) {
    for (int32_t i = 0; i < record->field_count; i++)
        if (c->by_id ? record->fields[i].id == id : strcmp(record->fields[i].name, name) == 0)
            return i;
    return -1;
}

static rwl_status compile_map(const compiler *c, const known_field *known, rwl_step *out, rwl_error *err) {
    const rwl_avro_schema *item = out->form.schema->branches[0];
    if (item->kind != RWL_AVRO_RECORD)
        return rwl_fail(err, RWL_CORRUPT, "field %s is no map of int keys", out->name);
    out->key_at = find_field(c, item, known->key_id, "key");
    out->value_at = find_field(c, item, known->key_id + 1, "value");
    if (out->key_at < 0 || !is_varint(item->fields[out->key_at].schema))
        return rwl_fail(err, RWL_CORRUPT, "field %s has keys that are no field ids", out->name);
    if (out->value_at < 0 || !form_of(item->fields[out->value_at].schema, &out->item) ||
        !(known->kind == RWL_STEP_COUNTS ? is_varint(out->item.schema)
                                         : out->item.schema->kind == RWL_AVRO_BYTES))
        return rwl_fail(err, RWL_CORRUPT, "field %s has values that are no %s", out->name,
                        known->kind == RWL_STEP_COUNTS ? "counts" : "bytes");
    out->key_first = item->field_count == 2 && out->key_at == 0 && out->item.branch_count == 0;
    return RWL_OK;
}

static rwl_status compile_list(rwl_step *out, rwl_error *err) {
    if (!form_of(out->form.schema->branches[0], &out->item) || !is_varint(out->item.schema))
        return rwl_fail(err, RWL_CORRUPT, "field %s has items that are no numbers", out->name);
    return RWL_OK;
}

static bool is_wanted(const rwl_manifest_wanted *w, wanted_group group) {
    switch (group) {
    case SIZES:
        return w->sizes;
    case COUNTS:
        return w->counts;
    case BOUNDS:
        return w->bounds;
    case SPLITS:
        return w->splits;
    case ALWAYS:
        break;
    }
    return true;
}

/* A field without values need not be there. Taking any other for null would say that all rows of the file have none. */
static bool may_be_absent(const rwl_manifest_program *p, int32_t k) {
    return p->types[k].kind == RWL_TYPE_UNKNOWN || p->spec->fields[k].transform.kind == RWL_TRANSFORM_VOID;
}

static bool is_required(const rwl_manifest_program *p, const known_field *known) {
    bool required = known->required;
    for (int32_t k = 0; known->kind == RWL_STEP_PARTITION && k < p->spec->field_count; k++)
        required = required || !may_be_absent(p, k);
    return required;
}

static rwl_status compile_record(const compiler *c, rwl_step *record, const known_field *known,
                                 int32_t known_count, rwl_error *err);
static rwl_status compile_partition(const compiler *c, rwl_step *record, rwl_error *err);

static rwl_status compile_known(const compiler *c, const rwl_avro_field *field, const known_field *known,
                                rwl_step *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    out->kind = known->kind;
    out->name = known->name;
    out->id = known->id;
    out->offset = known->offset;
    out->count_offset = known->count_offset;
    if (!form_of(field->schema, &out->form))
        return rwl_fail(err, RWL_UNSUPPORTED, "field %s (id %" PRId32 ") is a union of several types",
                        out->name, out->id);
    if (out->form.schema->kind == RWL_AVRO_NULL) {
        out->kind = RWL_STEP_NULL;
        return RWL_OK;
    }
    if (!takes(known->kind, out->form.schema))
        return wrong_type(out, err);
    switch (known->kind) {
    case RWL_STEP_COUNTS:
    case RWL_STEP_BOUNDS:
        return compile_map(c, known, out, err);
    case RWL_STEP_SPLITS:
    case RWL_STEP_IDS:
        return compile_list(out, err);
    case RWL_STEP_RECORD:
        return compile_record(c, out, FILE_FIELDS, FILE_FIELD_COUNT, err);
    case RWL_STEP_PARTITION:
        return compile_partition(c, out, err);
    default:
        return RWL_OK;
    }
}

static rwl_status new_steps(const compiler *c, rwl_step *record, rwl_step **out, rwl_error *err) {
    record->step_count = record->form.schema->field_count;
    record->steps = *out = rwl_arena_array(c->arena, (size_t)record->step_count, sizeof **out);
    return *out == NULL ? rwl_no_memory(err, (size_t)record->step_count * sizeof **out) : RWL_OK;
}

/* Of several fields with one id the first counts. */
static rwl_status compile_record(const compiler *c, rwl_step *record, const known_field *known,
                                 int32_t known_count, rwl_error *err) {
    const rwl_avro_schema *schema = record->form.schema;
    rwl_step *steps;
    RWL_TRY(new_steps(c, record, &steps, err));
    for (int32_t i = 0; i < schema->field_count; i++)
        compile_skip(&schema->fields[i], &steps[i]);
    for (int32_t k = 0; k < known_count; k++) {
        int32_t i = find_field(c, schema, known[k].id, known[k].name);
        if (i < 0 || !is_wanted(&c->program->wanted, known[k].group))
            continue;
        RWL_TRY(compile_known(c, &schema->fields[i], &known[k], &steps[i], err));
        if (is_required(c->program, &known[k]))
            steps[i].required = UINT32_C(1) << (known == ENTRY_FIELDS ? k : ENTRY_FIELD_COUNT + k);
    }
    return RWL_OK;
}

/* Without ids a field goes by its name in the table. */
static int32_t find_partition_field(const compiler *c, const rwl_avro_schema *record,
                                    const rwl_partition_field *field) {
    for (int32_t i = 0; i < record->field_count; i++) {
        const rwl_avro_field *f = &record->fields[i];
        const char *name = f->iceberg_name != NULL ? f->iceberg_name : f->name;
        if (c->by_id ? f->id == field->field_id : strcmp(name, field->name) == 0)
            return i;
    }
    return -1;
}

static rwl_status check_absent(const compiler *c, int32_t k, rwl_error *err) {
    const rwl_partition_field *f = &c->program->spec->fields[k];
    if (may_be_absent(c->program, k))
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "entries have no partition field %s (id %" PRId32 ")", f->name,
                    f->field_id);
}

static rwl_status compile_partition(const compiler *c, rwl_step *record, rwl_error *err) {
    const rwl_avro_schema *schema = record->form.schema;
    const rwl_partition_spec *spec = c->program->spec;
    rwl_step *steps;
    RWL_TRY(new_steps(c, record, &steps, err));
    for (int32_t i = 0; i < schema->field_count; i++)
        compile_skip(&schema->fields[i], &steps[i]);
    for (int32_t k = 0; k < spec->field_count; k++) {
        int32_t i = find_partition_field(c, schema, &spec->fields[k]);
        if (i < 0) {
            RWL_TRY(check_absent(c, k, err));
            continue;
        }
        rwl_step_form form;
        if (!form_of(schema->fields[i].schema, &form))
            return rwl_fail(err, RWL_UNSUPPORTED, "partition field %s is a union of several types",
                            spec->fields[k].name);
        steps[i].kind = form.schema->kind == RWL_AVRO_NULL ? RWL_STEP_NULL : RWL_STEP_VALUE;
        steps[i].form = form;
        steps[i].size = k;
        steps[i].name = spec->fields[k].name;
    }
    return RWL_OK;
}

/* --- what a decoded entry lacks --- */

static const known_field *field_of_bit(int32_t bit) {
    return bit < ENTRY_FIELD_COUNT ? &ENTRY_FIELDS[bit] : &FILE_FIELDS[bit - ENTRY_FIELD_COUNT];
}

static uint32_t all_required(const rwl_manifest_program *p) {
    uint32_t bits = 0;
    for (int32_t i = 0; i < ENTRY_FIELD_COUNT + FILE_FIELD_COUNT; i++)
        bits |= is_required(p, field_of_bit(i)) ? UINT32_C(1) << i : 0;
    return bits;
}

rwl_status rwl_manifest_fail_required(const rwl_manifest_program *p, uint32_t seen, rwl_error *err) {
    int32_t i = 0;
    while (i < ENTRY_FIELD_COUNT + FILE_FIELD_COUNT - 1 && ((p->required & ~seen) >> i & 1) == 0)
        i++;
    return rwl_fail(err, RWL_CORRUPT, "required field %s (id %" PRId32 ") is missing or null",
                    field_of_bit(i)->name, field_of_bit(i)->id);
}

/* --- all of it --- */

rwl_status rwl_manifest_compile(const rwl_avro_schema *schema, const rwl_partition_spec *spec,
                                const rwl_type *types, const rwl_manifest_wanted *wanted, rwl_arena *arena,
                                rwl_manifest_program *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    if (schema->kind != RWL_AVRO_RECORD)
        return rwl_fail(err, RWL_CORRUPT, "entries are no records");
    out->spec = spec;
    out->types = types;
    out->wanted = *wanted;
    out->required = all_required(out);
    out->entry = (rwl_step){.kind = RWL_STEP_RECORD, .form = {schema, 0, 0}, .name = "manifest_entry"};
    compiler c = {out, arena, *schema->has_ids};
    return compile_record(&c, &out->entry, ENTRY_FIELDS, ENTRY_FIELD_COUNT, err);
}
