/* SPDX-License-Identifier: Apache-2.0 */
/* Values straight from a block's bytes into columns. */
#include "avro/primitives.h"
#include "avro/rows_internal.h"

#include "base/uuid.h"
#include "column/variant.h"

enum { ROOM_BYTES = 4096 /* what a column begins with: of ten thousand columns it must not be much */ };

static rwl_status read_value(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err);

/* --- room in columns --- */

static int64_t held_by(const rwl_column *c) {
    return (int64_t)(c->values.cap + c->offsets.cap + c->validity.cap);
}

static rwl_status set_charge(rwl_avro_values *v, int64_t bytes, rwl_error *err) {
    return rwl_op_charge(v->op, &v->charged, bytes, "values of a batch", err);
}

rwl_status rwl_avro_values_charge(rwl_avro_values *v, const rwl_batch *batch, rwl_error *err) {
    return set_charge(v, rwl_batch_bytes(batch), err);
}

/* A buffer grows by half at least, and the old one lives until the new one is filled. */
static rwl_status reserve(rwl_avro_values *v, const rwl_avro_branch *branch, rwl_column *c, int64_t rows,
                          size_t bytes, rwl_error *err) {
    int64_t held = v->charged, before = held_by(c);
    int64_t need = (int64_t)bytes + rows * ((int64_t)branch->width + 4), most = before + before / 2;
    RWL_TRY(set_charge(v, held + (need > most ? need : most), err));
    rwl_status st = rwl_column_reserve(c, v->op->env, rows, bytes, err);
    return st == RWL_OK ? set_charge(v, held + held_by(c) - before, err) : st;
}

static rwl_status grow(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    int64_t more = ROOM_BYTES / ((int64_t)branch->width + 4) + 1;
    int64_t room = c->length + (c->length > more ? c->length : more);
    RWL_TRY(reserve(v, branch, c, room < INT32_MAX ? room : c->length + 1, c->bytes_len, err));
    branch->room = room < INT32_MAX ? room : c->length + 1;
    return RWL_OK;
}

static inline rwl_status need_row(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c,
                                  rwl_error *err) {
    return c->length < branch->room ? RWL_OK : grow(v, branch, c, err);
}

static rwl_status grow_bytes(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, size_t len,
                             rwl_error *err) {
    if (len > RWL_COLUMN_BYTES_MAX - c->bytes_len)
        return rwl_fail_at(err, RWL_UNSUPPORTED, (int64_t)v->in.pos,
                           "values of a batch take more than %zu bytes", RWL_COLUMN_BYTES_MAX);
    size_t more = c->bytes_len / 2 > len ? c->bytes_len / 2 : len, most = RWL_COLUMN_BYTES_MAX - c->bytes_len;
    more = more > ROOM_BYTES ? more : ROOM_BYTES;
    return reserve(v, branch, c, branch->room, c->bytes_len + (more < most ? more : most), err);
}

static inline void end_valid(rwl_column *c) {
    if (c->null_count > 0)
        rwl_bit_set(c->validity.data, c->length);
    c->length++;
}

static inline int32_t *offsets_of(rwl_column *c) {
    return (int32_t *)(void *)c->offsets.data;
}

/* Memory that is asked for by few bytes: of elements, of symbols. */
static rwl_status take_memory(rwl_avro_values *v, int64_t count, int64_t each, rwl_error *err) {
    int64_t size;
    if (rwl_i64_mul(count, each, &size) && size <= v->memory_left) {
        v->memory_left -= size;
        return RWL_OK;
    }
    return rwl_fail_at(err, RWL_UNSUPPORTED, (int64_t)v->in.pos, "record takes more than %d bytes of memory",
                       RWL_AVRO_RECORD_MAX);
}

/* --- nulls --- */

/* A null row, and what it needs below: a null in each child of a struct, no elements in a list or map. */
static rwl_status put_null(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    RWL_TRY(need_row(v, branch, c, err));
    if (c->null_count == 0)
        RWL_TRY(rwl_column_need_validity(c, v->op->env, branch->room, err));
    rwl_bit_clear(c->validity.data, c->length);
    if (c->type.kind == RWL_TYPE_BOOLEAN)
        rwl_bit_clear(c->values.data, c->length);
    else if (branch->width > 0)
        memset(c->values.data + (size_t)c->length * branch->width, 0, branch->width);
    else if (c->type.kind == RWL_TYPE_STRUCT)
        for (int32_t i = 0; i < c->type.child_count; i++)
            RWL_TRY(put_null(v, &branch->children[i], &c->children[i], err));
    else if (c->offsets.data != NULL)
        offsets_of(c)[c->length + 1] = offsets_of(c)[c->length];
    c->length++;
    c->null_count++;
    return RWL_OK;
}

/* --- bytes --- */

/* Short values are copied in one step where both sides have the room. */
static rwl_status put_bytes(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_span bytes,
                            rwl_error *err) {
    if (bytes.len > c->values.cap - c->bytes_len || bytes.len > RWL_COLUMN_BYTES_MAX - c->bytes_len)
        RWL_TRY(grow_bytes(v, branch, c, bytes.len, err));
    if (bytes.len > 0)
        memcpy(c->values.data + c->bytes_len, bytes.data, bytes.len);
    c->bytes_len += bytes.len;
    return RWL_OK;
}

static void end_bytes(rwl_column *c) {
    offsets_of(c)[c->length + 1] = (int32_t)c->bytes_len;
    end_valid(c);
}

static rwl_status read_bytes(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    rwl_span bytes;
    RWL_TRY(rwl_avro_read_bytes(&v->in, &bytes, err));
    RWL_TRY(put_bytes(v, branch, c, bytes, err));
    end_bytes(c);
    return RWL_OK;
}

static rwl_status read_enum(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    const rwl_avro_schema *schema = branch->node->schema;
    int64_t index;
    RWL_TRY(rwl_avro_read_index(&v->in, schema->symbol_count, "enum symbol", &index, err));
    rwl_span symbol = rwl_span_str(schema->symbols[index]);
    RWL_TRY(take_memory(v, 1, (int64_t)symbol.len, err));
    RWL_TRY(put_bytes(v, branch, c, symbol, err));
    end_bytes(c);
    return RWL_OK;
}

/* The metadata without what may follow it, then the value, whichever comes first in the record. */
static rwl_status read_variant(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    const rwl_avro_schema *schema = branch->node->schema;
    rwl_span parts[2], metadata, rest;
    int value = strcmp(schema->fields[0].name, "value") == 0 ? 0 : 1;
    for (int i = 0; i < 2; i++)
        RWL_TRY(rwl_avro_read_bytes(&v->in, &parts[i], err));
    RWL_TRY(rwl_variant_split(parts[1 - value], &metadata, &rest, err));
    RWL_TRY(put_bytes(v, branch, c, metadata, err));
    RWL_TRY(put_bytes(v, branch, c, parts[value], err));
    end_bytes(c);
    return RWL_OK;
}

/* --- fixed widths --- */

static void put_fixed(rwl_column *c, const void *value, size_t width) {
    memcpy(c->values.data + (size_t)c->length * width, value, width);
    end_valid(c);
}

static rwl_status read_int(rwl_avro_values *v, rwl_column *c, rwl_error *err) {
    int64_t number;
    RWL_TRY(rwl_avro_read_int(&v->in, &number, err));
    int32_t narrow = (int32_t)number;
    put_fixed(c, &narrow, sizeof narrow);
    return RWL_OK;
}

static rwl_status read_long(rwl_avro_values *v, rwl_column *c, rwl_error *err) {
    int64_t number;
    RWL_TRY(rwl_avro_read_long(&v->in, &number, err));
    put_fixed(c, &number, sizeof number);
    return RWL_OK;
}

static rwl_status read_millis(rwl_avro_values *v, bool is_int, rwl_column *c, rwl_error *err) {
    int64_t at = (int64_t)v->in.pos, millis, micros;
    RWL_TRY(is_int ? rwl_avro_read_int(&v->in, &millis, err) : rwl_avro_read_long(&v->in, &millis, err));
    if (!rwl_i64_mul(millis, 1000, &micros))
        return rwl_fail_at(err, RWL_CORRUPT, at, "%" PRId64 " ms are more than 64 bits of microseconds",
                           millis);
    put_fixed(c, &micros, sizeof micros);
    return RWL_OK;
}

/* Little endian in the file as in the column. */
static rwl_status read_fixed(rwl_avro_values *v, size_t width, rwl_column *c, rwl_error *err) {
    rwl_span bytes;
    RWL_TRY(rwl_cursor_bytes(&v->in, width, &bytes, err));
    if (width > 0)
        put_fixed(c, bytes.data, width);
    else
        end_valid(c);
    return RWL_OK;
}

static rwl_status read_uuid(rwl_avro_values *v, rwl_column *c, rwl_error *err) {
    int64_t at = (int64_t)v->in.pos;
    uint8_t uuid[16];
    rwl_span text;
    RWL_TRY(rwl_avro_read_bytes(&v->in, &text, err));
    if (!rwl_uuid_parse(text, uuid))
        return rwl_fail_at(err, RWL_CORRUPT, at, "'%.*s' is no uuid", text.len < 60 ? (int)text.len : 60,
                           (const char *)text.data);
    put_fixed(c, uuid, sizeof uuid);
    return RWL_OK;
}

static rwl_status read_decimal(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    int64_t at = (int64_t)v->in.pos;
    rwl_span bytes;
    rwl_i128 number;
    uint8_t room[16];
    if (branch->node->kind == RWL_AVRO_READ_DECIMAL_FIXED)
        RWL_TRY(rwl_cursor_bytes(&v->in, (size_t)branch->node->schema->size, &bytes, err));
    else
        RWL_TRY(rwl_avro_read_bytes(&v->in, &bytes, err));
    if (bytes.len == 0 || !rwl_i128_from_be(bytes, &number) || number >= branch->beyond ||
        number <= -branch->beyond)
        return rwl_fail_at(err, RWL_CORRUPT, at, "decimal of %zu bytes has more than %d digits", bytes.len,
                           c->type.precision);
    rwl_i128_store(room, number);
    put_fixed(c, room, sizeof room);
    return RWL_OK;
}

static rwl_status read_bool(rwl_avro_values *v, rwl_column *c, rwl_error *err) {
    bool b;
    RWL_TRY(rwl_avro_read_bool(&v->in, &b, err));
    if (b)
        rwl_bit_set(c->values.data, c->length);
    else
        rwl_bit_clear(c->values.data, c->length);
    end_valid(c);
    return RWL_OK;
}

/* --- nested --- */

static rwl_status read_record(rwl_avro_values *v, const rwl_avro_step *steps, int32_t count,
                              rwl_column *columns, rwl_error *err) {
    for (int32_t i = 0; i < count; i++) {
        const rwl_avro_step *step = &steps[i];
        rwl_status st = step->branch == NULL ? rwl_avro_skip(&v->in, step->schema, err)
                                             : read_value(v, step->branch, &columns[step->column], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "field '%.60s'", step->name);
    }
    return RWL_OK;
}

/* Items that may take no bytes are limited by number, all by the memory they take. */
static rwl_status check_run(rwl_avro_values *v, int64_t count, int64_t min_len, int64_t charge,
                            rwl_error *err) {
    int64_t left = (int64_t)rwl_cursor_left(&v->in);
    if (min_len > 0 && count > left / min_len)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)v->in.pos,
                           "%" PRId64 " items cannot be in %" PRId64 " bytes", count, left);
    if (min_len == 0 && count > v->values_left)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)v->in.pos,
                           "%" PRId64 " items are more than the file's bytes may hold", count);
    if (min_len == 0)
        v->values_left -= count;
    return take_memory(v, count, charge, err);
}

static rwl_status read_item(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    switch (branch->node->kind) {
    case RWL_AVRO_READ_LIST:
        return read_value(v, &branch->children[0], &c->children[0], err);
    case RWL_AVRO_READ_MAP:
        RWL_TRY(read_value(v, &branch->children[0], &c->children[0], err));
        return read_value(v, &branch->children[1], &c->children[1], err);
    default:
        return read_record(v, branch->steps, branch->step_count, c->children, err);
    }
}

static rwl_status read_items(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    bool is_map = branch->node->kind == RWL_AVRO_READ_MAP;
    int64_t min_len = (int64_t)branch->node->schema->branches[0]->min_len + is_map, charge = 0;
    for (int32_t i = 0; i < c->type.child_count; i++)
        charge += branch->children[i].charge;
    for (;;) {
        int64_t count, size;
        RWL_TRY(rwl_avro_read_count(&v->in, &count, &size, err));
        if (count == 0)
            break;
        RWL_TRY(check_run(v, count, min_len, charge, err));
        for (; count > 0; count--)
            RWL_TRY(read_item(v, branch, c, err));
    }
    if (c->type.kind == RWL_TYPE_MAP && c->children[0].null_count > 0)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)v->in.pos, "key of a map is null");
    offsets_of(c)[c->length + 1] = (int32_t)c->children[0].length; /* reserve refuses longer ones */
    end_valid(c);
    return RWL_OK;
}

static rwl_status read_struct(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    RWL_TRY(read_record(v, branch->steps, branch->step_count, c->children, err));
    end_valid(c);
    return RWL_OK;
}

/* --- any value --- */

static rwl_status read_present(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    switch (branch->node->kind) {
    case RWL_AVRO_READ_NULL:
        return put_null(v, branch, c, err);
    case RWL_AVRO_READ_BOOLEAN:
        return read_bool(v, c, err);
    case RWL_AVRO_READ_INT:
        return read_int(v, c, err);
    case RWL_AVRO_READ_LONG:
        return read_long(v, c, err);
    case RWL_AVRO_READ_INT_MILLIS:
        return read_millis(v, true, c, err);
    case RWL_AVRO_READ_LONG_MILLIS:
        return read_millis(v, false, c, err);
    case RWL_AVRO_READ_FLOAT:
        return read_fixed(v, sizeof(float), c, err);
    case RWL_AVRO_READ_DOUBLE:
        return read_fixed(v, sizeof(double), c, err);
    case RWL_AVRO_READ_BYTES:
        return read_bytes(v, branch, c, err);
    case RWL_AVRO_READ_ENUM:
        return read_enum(v, branch, c, err);
    case RWL_AVRO_READ_FIXED:
        return read_fixed(v, branch->width, c, err);
    case RWL_AVRO_READ_UUID_TEXT:
        return read_uuid(v, c, err);
    case RWL_AVRO_READ_DECIMAL_FIXED:
    case RWL_AVRO_READ_DECIMAL_BYTES:
        return read_decimal(v, branch, c, err);
    case RWL_AVRO_READ_VARIANT:
        return read_variant(v, branch, c, err);
    case RWL_AVRO_READ_STRUCT:
        return read_struct(v, branch, c, err);
    case RWL_AVRO_READ_LIST:
    case RWL_AVRO_READ_MAP:
    case RWL_AVRO_READ_KEY_VALUES:
        return read_items(v, branch, c, err);
    }
    return rwl_fail(err, RWL_INTERNAL, "a value of kind %d", (int)branch->node->kind);
}

/* Recursion ends with the schema's height, at most RWL_AVRO_DEPTH_MAX. */
static rwl_status read_value(rwl_avro_values *v, rwl_avro_branch *branch, rwl_column *c, rwl_error *err) {
    const rwl_avro_node *node = branch->node;
    RWL_TRY(need_row(v, branch, c, err));
    if (node->branch_count > 0) {
        int64_t index;
        RWL_TRY(rwl_avro_read_index(&v->in, node->branch_count, "union branch", &index, err));
        if (index == node->null_branch)
            return put_null(v, branch, c, err);
    }
    return read_present(v, branch, c, err);
}

rwl_status rwl_avro_values_row(rwl_avro_values *v, const rwl_avro_plan *plan, rwl_column *columns,
                               rwl_error *err) {
    v->memory_left = RWL_AVRO_RECORD_MAX;
    RWL_TRY(take_memory(v, 1, plan->charge, err));
    return read_record(v, plan->steps, plan->step_count, columns, err);
}

/* --- text --- */

static bool is_ascii(const uint8_t *p, size_t len) {
    uint64_t any = 0;
    for (; len >= 8; len -= 8, p += 8)
        any |= rwl_load_le64(p);
    for (; len > 0; len--)
        any |= *p++;
    return (any & UINT64_C(0x8080808080808080)) == 0;
}

/* Valid together, and none begins inside a character: then each is valid. */
static bool is_text(const rwl_column *c) {
    const int32_t *ends = rwl_column_offsets(c);
    if (c->bytes_len == 0 || is_ascii(c->values.data, c->bytes_len))
        return true;
    if (!rwl_utf8_valid(rwl_span_of(c->values.data, c->bytes_len)))
        return false;
    for (int64_t i = 0; i < c->length; i++)
        if (ends[i] < ends[i + 1] && (c->values.data[ends[i]] & 0xc0) == 0x80)
            return false;
    return true;
}

rwl_status rwl_avro_values_check_text(const rwl_avro_branch *branch, const rwl_column *column,
                                      rwl_error *err) {
    if (column->type.kind == RWL_TYPE_STRING && !is_text(column))
        return rwl_fail(err, RWL_CORRUPT, "field '%.60s': a text is not UTF-8", branch->field.name);
    for (int32_t i = 0; i < column->type.child_count; i++)
        RWL_TRY(rwl_avro_values_check_text(&branch->children[i], &column->children[i], err));
    return RWL_OK;
}
