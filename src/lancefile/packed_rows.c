/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of packed structs of variable length: taken apart, decompressed field by field, put together as slots. */
#include "lancefile/packed_rows.h"

#include "lancefile/leaf.h"
#include "lancefile/schema_internal.h"

enum { SLOT_LENGTH = 4 }; /* bytes of a field's length in a slot */

typedef struct packed_field {
    bool is_wanted;
    size_t width;                             /* stored bytes; 0: told by a length */
    size_t length_len;                        /* bytes of that */
    int levels;                               /* of lists in a vector, outermost first */
    size_t items[RWL_LANCE_VECTOR_DEPTH_MAX]; /* elements at each */
    bool has_validity[RWL_LANCE_VECTOR_DEPTH_MAX];
    rwl_lance_fsst *fsst;
    rwl_lance_scheme scheme;
    rwl_lance_packed_format *inner; /* of a struct */
} packed_field;

struct rwl_lance_packed_format {
    rwl_op *op;
    packed_field *fields;
    int32_t count;
    rwl_buf scratch; /* a decompressed value */
    int64_t charged;
};

/* --- a page's codecs --- */

static rwl_status allocate(rwl_lance_packed_format *format, size_t count, size_t size, void **out,
                           rwl_error *err) {
    int64_t bytes = (int64_t)(count * size);
    RWL_TRY(rwl_op_reserve(format->op, bytes, "codecs of a packed struct", err));
    format->charged += bytes;
    *out = rwl_calloc(format->op->env, count, size);
    return *out ? (rwl_status)RWL_OK : rwl_no_memory(err, (size_t)bytes);
}

/* Values side by side, before them their elements' validity. */
static rwl_status open_fixed(const rwl_lance_node *node, const rwl_lance_packed_field *stored,
                             packed_field *out, rwl_error *err) {
    const rwl_lance_codec *codec = stored->value;
    int64_t items = 1, bits = rwl_lance_node_width(node);
    for (; codec->kind == RWL_LANCE_CODEC_FIXED_SIZE_LIST && node->form == RWL_LANCE_VECTOR;
         codec = codec->values, node = &node->children[0]) {
        if (out->levels == RWL_LANCE_VECTOR_DEPTH_MAX || codec->items != node->dimension)
            return rwl_fail(err, RWL_CORRUPT, "fixed_size_list of %lld, the schema has %d",
                            (long long)codec->items, node->dimension);
        items *= codec->items; /* of the node's width, which is limited */
        out->items[out->levels] = (size_t)items;
        out->has_validity[out->levels++] = codec->has_validity;
        bits += codec->has_validity ? (items + 7) / 8 * 8 : 0;
    }
    if (codec->kind != RWL_LANCE_CODEC_FLAT || codec->scheme != RWL_LANCE_SCHEME_NONE)
        return rwl_fail(err, RWL_UNSUPPORTED, "values of fixed width encoded other than flat");
    if (node->form != RWL_LANCE_FIXED || codec->bits != node->bits || bits != stored->bits_per_value)
        return rwl_fail(err, RWL_CORRUPT, "values of %lld bits, %lld each, in a field of %lld",
                        (long long)stored->bits_per_value, (long long)codec->bits, (long long)bits);
    return RWL_OK;
}

static rwl_status open_bytes(rwl_lance_packed_format *format, const rwl_lance_codec *codec, packed_field *out,
                             rwl_error *err) {
    if (codec->kind == RWL_LANCE_CODEC_FSST) {
        void *fsst = NULL;
        RWL_TRY(allocate(format, 1, sizeof *out->fsst, &fsst, err));
        out->fsst = fsst;
        RWL_TRY(rwl_lance_fsst_parse(codec->blob, out->fsst, err));
        codec = codec->values;
    } else if (codec->kind == RWL_LANCE_CODEC_GENERAL) {
        out->scheme = codec->scheme;
        codec = codec->values;
    }
    if (codec->kind != RWL_LANCE_CODEC_VARIABLE || codec->scheme != RWL_LANCE_SCHEME_NONE)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "values of variable length encoded other than plain, fsst or compressed");
    return RWL_OK;
}

static rwl_status open_wanted(rwl_lance_packed_format *format, const rwl_lance_node *node,
                              const rwl_lance_packed_field *field, packed_field *out, rwl_error *err) {
    out->is_wanted = true;
    rwl_lance_codec_kind kind = field->value->kind;
    bool is_struct = node->form == RWL_LANCE_PACKED;
    bool is_fixed = is_struct ? kind == RWL_LANCE_CODEC_PACKED_STRUCT
                              : node->form == RWL_LANCE_FIXED || node->form == RWL_LANCE_VECTOR;
    if (is_fixed != (out->width > 0))
        return rwl_fail(err, RWL_CORRUPT, "%s values in a field of type %s",
                        out->width > 0 ? "fixed" : "variable", node->logical_type);
    if (is_fixed && !is_struct)
        return open_fixed(node, field, out, err);
    if (node->form == RWL_LANCE_BYTES)
        return open_bytes(format, field->value, out, err);
    if (!rwl_lance_node_is_packed_rows(node) || (!is_fixed && kind != RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT))
        return rwl_fail(err, RWL_UNSUPPORTED, "a field of type %s", node->logical_type);
    return rwl_lance_packed_format_new(format->op, node, field->value, &out->inner, err);
}

/* How long each field is, wanted or not. */
static rwl_status open_width(const rwl_lance_packed_field *field, packed_field *out, rwl_error *err) {
    if (field->bits_per_value % 8 != 0 || field->bits_per_length % 8 != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "packed struct: a field of %lld bits, or a length of %lld",
                        (long long)field->bits_per_value, (long long)field->bits_per_length);
    out->width = (size_t)field->bits_per_value / 8;
    out->length_len = (size_t)field->bits_per_length / 8;
    return RWL_OK;
}

/* In a struct of fixed width: values as they are, without validity. */
static rwl_status open_plain(const rwl_lance_node *node, packed_field *out, rwl_error *err) {
    size_t items = 1;
    int64_t bits = rwl_lance_node_width(node);
    if (bits == 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "a field of type %s in a struct of fixed width",
                        node->logical_type);
    if (bits % 8 != 0 || (size_t)bits / 8 != out->width)
        return rwl_fail(err, RWL_CORRUPT, "values of %zu bytes in a field of %lld bits", out->width,
                        (long long)bits);
    out->is_wanted = true;
    for (; node->form == RWL_LANCE_VECTOR; node = &node->children[0])
        out->items[out->levels++] = items *= (size_t)node->dimension;
    return RWL_OK;
}

static rwl_status open_fields(rwl_lance_packed_format *format, const rwl_lance_node *node,
                              const rwl_lance_codec *codec, rwl_error *err) {
    void *fields = NULL;
    RWL_TRY(allocate(format, (size_t)codec->field_count, sizeof *format->fields, &fields, err));
    format->fields = fields;
    format->count = codec->field_count;
    bool is_fixed = codec->kind == RWL_LANCE_CODEC_PACKED_STRUCT;
    if (is_fixed &&
        (codec->values->kind != RWL_LANCE_CODEC_FLAT || codec->values->scheme != RWL_LANCE_SCHEME_NONE))
        return rwl_fail(err, RWL_UNSUPPORTED, "a packed struct of %s inside of another",
                        rwl_lance_codec_name(codec->values->kind));
    for (int32_t i = 0; i < codec->field_count; i++) {
        rwl_lance_packed_field width = {.bits_per_value = is_fixed ? codec->widths[i] : 0};
        RWL_TRY(open_width(is_fixed ? &width : &codec->fields[i], &format->fields[i], err));
    }
    for (int32_t i = 0; i < node->child_count; i++) {
        const rwl_lance_node *child = &node->children[i];
        if (child->place < 0 || child->place >= format->count)
            return rwl_fail(err, RWL_CORRUPT, "packed struct of %d fields has none for '%.60s'",
                            format->count, child->field.name);
        packed_field *field = &format->fields[child->place];
        rwl_status st = is_fixed ? open_plain(child, field, err)
                                 : open_wanted(format, child, &codec->fields[child->place], field, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "packed struct, %.60s", child->field.name);
    }
    return RWL_OK;
}

rwl_status rwl_lance_packed_format_new(rwl_op *op, const rwl_lance_node *node, const rwl_lance_codec *codec,
                                       rwl_lance_packed_format **out, rwl_error *err) {
    *out = NULL;
    rwl_lance_packed_format *format = rwl_calloc(op->env, 1, sizeof *format);
    if (format == NULL)
        return rwl_no_memory(err, sizeof *format);
    format->op = op;
    rwl_buf_init(&format->scratch, op->env, RWL_COLUMN_BYTES_MAX);
    rwl_status st = open_fields(format, node, codec, err);
    if (st != RWL_OK) {
        rwl_lance_packed_format_free(format);
        return st;
    }
    *out = format;
    return RWL_OK;
}

/* Formats nest as codecs do, which parsing limits. */
void rwl_lance_packed_format_free(rwl_lance_packed_format *format) {
    if (format == NULL)
        return;
    const rwl_env *env = format->op->env;
    for (int32_t i = 0; i < format->count; i++) {
        rwl_free(env, format->fields[i].fsst);
        rwl_lance_packed_format_free(format->fields[i].inner);
    }
    rwl_free(env, format->fields);
    rwl_buf_clear(&format->scratch);
    rwl_op_release(format->op, format->charged);
    rwl_free(env, format);
}

/* --- rows to slots --- */

static rwl_status append_bytes(const rwl_env *env, rwl_span bytes, rwl_column *out, rwl_error *err) {
    RWL_TRY(rwl_column_reserve(out, env, out->length + 1, out->bytes_len + bytes.len, err));
    if (bytes.len > 0)
        memcpy(out->values.data + out->bytes_len, bytes.data, bytes.len);
    out->bytes_len += bytes.len;
    return RWL_OK;
}

static rwl_status append_fsst(const rwl_env *env, const rwl_lance_fsst *fsst, rwl_span bytes, rwl_column *out,
                              rwl_error *err) {
    if (bytes.len > RWL_COLUMN_BYTES_MAX / 8)
        return rwl_fail(err, RWL_UNSUPPORTED, "a compressed value of %zu bytes", bytes.len);
    size_t room = bytes.len * 8 + RWL_LANCE_FSST_SLACK;
    RWL_TRY(rwl_column_reserve(out, env, out->length + 1, out->bytes_len + room, err));
    int64_t len = rwl_lance_fsst_decode(fsst, bytes, out->values.data + out->bytes_len);
    if (len < 0)
        return rwl_fail(err, RWL_CORRUPT, "fsst: a code that is none, in a value of %zu bytes", bytes.len);
    out->bytes_len += (size_t)len;
    return RWL_OK;
}

/* The values first, so that they stand where they do without validity; levels that say nothing are all valid. */
static rwl_status append_vector(const rwl_env *env, const packed_field *field, rwl_span bytes,
                                rwl_column *out, rwl_error *err) {
    size_t validity_len = 0, room = bytes.len;
    for (int i = 0; i < field->levels; i++) {
        size_t len = (field->items[i] + 7) / 8;
        validity_len += field->has_validity[i] ? len : 0;
        room += field->has_validity[i] ? 0 : len;
    }
    RWL_TRY(rwl_column_reserve(out, env, out->length + 1, out->bytes_len + room, err));
    uint8_t *to = out->values.data + out->bytes_len;
    const uint8_t *validity = bytes.data;
    memcpy(to, bytes.data + validity_len, bytes.len - validity_len);
    to += bytes.len - validity_len;
    for (int i = 0; i < field->levels; i++) {
        size_t len = (field->items[i] + 7) / 8;
        if (field->has_validity[i])
            memcpy(to, validity, len);
        else
            memset(to, 0xff, len);
        validity += field->has_validity[i] ? len : 0;
        to += len;
    }
    out->bytes_len += room;
    return RWL_OK;
}

static rwl_status append_row(rwl_lance_packed_format *format, rwl_lance_general *general, rwl_span row,
                             rwl_column *out, rwl_error *err);

static rwl_status append_value(rwl_lance_packed_format *format, const packed_field *field,
                               rwl_lance_general *general, rwl_span bytes, rwl_column *out, rwl_error *err) {
    const rwl_env *env = format->op->env;
    if (!field->is_wanted)
        return RWL_OK;
    if (field->levels > 0)
        return append_vector(env, field, bytes, out, err);
    if (field->inner != NULL)
        return append_row(field->inner, general, bytes, out, err);
    if (field->fsst != NULL)
        return append_fsst(env, field->fsst, bytes, out, err);
    if (field->scheme != RWL_LANCE_SCHEME_NONE) {
        RWL_TRY(rwl_lance_general_decode(general, env, field->scheme, bytes, &format->scratch, err));
        bytes = rwl_buf_span(&format->scratch);
    }
    return append_bytes(env, bytes, out, err);
}

/* The field's stored bytes, cut off from the row. */
static rwl_status take_field(const packed_field *field, rwl_span *row, rwl_span *bytes, rwl_error *err) {
    uint64_t len = field->width;
    size_t head = field->width > 0 ? 0 : field->length_len;
    if (head <= row->len && head > 0)
        for (size_t i = len = 0; i < head; i++)
            len |= (uint64_t)row->data[i] << (8 * i);
    if (head > row->len || len > row->len - head)
        return rwl_fail(err, RWL_CORRUPT, "packed struct: a field of %llu bytes where %zu are left",
                        (unsigned long long)len, row->len);
    *bytes = rwl_span_of(row->data + head, (size_t)len);
    *row = rwl_span_of(row->data + head + len, row->len - head - (size_t)len);
    return RWL_OK;
}

/* Depth: the formats'. */
static rwl_status append_row(rwl_lance_packed_format *format, rwl_lance_general *general, rwl_span row,
                             rwl_column *out, rwl_error *err) {
    static const uint8_t no_length[SLOT_LENGTH] = {0};
    for (int32_t i = 0; i < format->count; i++) {
        rwl_span bytes;
        RWL_TRY(take_field(&format->fields[i], &row, &bytes, err));
        RWL_TRY(append_bytes(format->op->env, rwl_span_of(no_length, SLOT_LENGTH), out, err));
        size_t begin = out->bytes_len;
        RWL_TRY(append_value(format, &format->fields[i], general, bytes, out, err));
        rwl_store_le32(out->values.data + begin - SLOT_LENGTH, (uint32_t)(out->bytes_len - begin));
    }
    if (row.len > 0)
        return rwl_fail(err, RWL_CORRUPT, "packed struct: %zu bytes behind the last field", row.len);
    return RWL_OK;
}

rwl_status rwl_lance_packed_append(rwl_lance_packed_format *format, rwl_lance_general *general, rwl_span row,
                                   rwl_column *slots, rwl_error *err) {
    RWL_TRY(append_row(format, general, row, slots, err));
    ((int32_t *)(void *)slots->offsets.data)[++slots->length] = (int32_t)slots->bytes_len;
    return RWL_OK;
}

/* --- slots to fields --- */

/* Field `number` of a slot; false when it has not so many. */
static bool find_field(rwl_span slot, int32_t number, rwl_span *out) {
    for (int32_t i = 0;; i++) {
        if (slot.len < SLOT_LENGTH)
            return false;
        size_t len = rwl_load_le32(slot.data);
        if (len > slot.len - SLOT_LENGTH)
            return false;
        *out = rwl_span_of(slot.data + SLOT_LENGTH, len);
        if (i == number)
            return true;
        slot = rwl_span_of(slot.data + SLOT_LENGTH + len, slot.len - SLOT_LENGTH - len);
    }
}

rwl_status rwl_lance_packed_take(const rwl_env *env, const rwl_column *slots, int32_t number, size_t null_len,
                                 rwl_column *out, rwl_error *err) {
    size_t total = 0;
    for (int64_t i = 0; i < slots->length; i++) {
        rwl_span slot = rwl_column_bytes(slots, i), field = {NULL, null_len};
        if (slot.len > 0 && !find_field(slot, number, &field))
            return rwl_fail(err, RWL_INTERNAL, "a packed struct of %zu bytes without field %d", slot.len,
                            number);
        total += field.len; /* below 2^31 values of 2^31 bytes */
    }
    RWL_TRY(rwl_column_reserve(out, env, out->length + slots->length, out->bytes_len + total, err));
    int32_t *ends = (int32_t *)(void *)out->offsets.data;
    for (int64_t i = 0; i < slots->length; i++) {
        rwl_span slot = rwl_column_bytes(slots, i), field = {NULL, null_len};
        bool is_there = slot.len > 0 && find_field(slot, number, &field);
        if (is_there && field.len > 0)
            memcpy(out->values.data + out->bytes_len, field.data, field.len);
        else if (field.len > 0)
            memset(out->values.data + out->bytes_len, 0, field.len);
        out->bytes_len += field.len;
        ends[++out->length] = (int32_t)out->bytes_len;
    }
    return RWL_OK;
}
