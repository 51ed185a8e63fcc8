/* SPDX-License-Identifier: Apache-2.0 */
/* Manifest entries out of a block of a manifest, by the steps that its schema was compiled into. */
#include "iceberg/manifest_wire.h"

/* What one entry is decoded with. */
typedef struct decoding {
    const rwl_manifest_program *program;
    rwl_entry_decoder *d;
    rwl_arena *arena;
    rwl_manifest_entry *entry;
    rwl_value *partition;
    uint32_t seen; /* required fields */
} decoding;

/* A run that took other bytes than it says would be passed over to another place. */
static rwl_status end_run(const rwl_cursor *c, size_t start, int64_t size, rwl_error *err) {
    if (size < 0 || c->pos - start == (uint64_t)size)
        return RWL_OK;
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)start, "items of %" PRId64 " bytes take %zu", size,
                       c->pos - start);
}

/* --- values --- */

/* Members are written by their offset; memcpy so that no type is looked at through another. */
static inline void put(decoding *x, uint16_t offset, const void *value, size_t size) {
    memcpy((unsigned char *)x->entry + offset, value, size);
}

static rwl_status no_memory(const decoding *x, size_t size, rwl_error *err) {
    if (x->arena->max > 0 && size > x->arena->max - x->arena->used)
        return rwl_fail(err, RWL_UNSUPPORTED, "entry takes more than %zu bytes of memory", x->arena->max);
    return rwl_no_memory(err, size);
}

static rwl_status decode_i64(decoding *x, const rwl_step *s, rwl_error *err) {
    int64_t v;
    RWL_TRY(rwl_entry_read_long(&x->d->in, &v, err));
    if (s->kind == RWL_STEP_FIRST_ROW_ID)
        x->entry->file.stored_has_first_row_id = true;
    put(x, s->offset, &v, sizeof v);
    return RWL_OK;
}

static rwl_status decode_i32(decoding *x, const rwl_step *s, rwl_error *err) {
    int64_t wide;
    RWL_TRY(rwl_entry_read_long(&x->d->in, &wide, err));
    if (wide < INT32_MIN || wide > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "value is out of range: %" PRId64, wide);
    int32_t v = (int32_t)wide;
    put(x, s->offset, &v, sizeof v);
    return RWL_OK;
}

static rwl_status decode_str(decoding *x, const rwl_step *s, rwl_error *err) {
    rwl_span bytes;
    RWL_TRY(rwl_entry_read_bytes(&x->d->in, &bytes, err));
    if (bytes.len > 0 && memchr(bytes.data, 0, bytes.len) != NULL)
        return rwl_fail(err, RWL_CORRUPT, "text has a zero byte inside");
    const char *text = rwl_arena_strndup(x->arena, (const char *)bytes.data, bytes.len);
    if (text == NULL)
        return no_memory(x, bytes.len, err);
    put(x, s->offset, &text, sizeof text);
    return RWL_OK;
}

static rwl_status copy_bytes(const decoding *x, rwl_span bytes, rwl_span *out, rwl_error *err) {
    *out = rwl_span_of(rwl_arena_copy(x->arena, bytes.data, bytes.len), bytes.len);
    return out->data == NULL ? no_memory(x, bytes.len, err) : RWL_OK;
}

static rwl_status decode_bytes(decoding *x, const rwl_step *s, rwl_error *err) {
    rwl_span bytes, copy;
    if (s->form.schema->kind == RWL_AVRO_FIXED)
        RWL_TRY(rwl_cursor_bytes(&x->d->in, (size_t)s->form.schema->size, &bytes, err));
    else
        RWL_TRY(rwl_entry_read_bytes(&x->d->in, &bytes, err));
    RWL_TRY(copy_bytes(x, bytes, &copy, err));
    put(x, s->offset, &copy, sizeof copy);
    return RWL_OK;
}

/* --- lists and maps --- */

/* Items that grow in the arena. */
typedef struct item_list {
    void *items;
    int64_t len, cap;
} item_list;

/* Room for `more` items. */
static rwl_status reserve(const decoding *x, item_list *list, int64_t more, size_t size, rwl_error *err) {
    if (list->items != NULL && more <= list->cap - list->len)
        return RWL_OK;
    if (more > INT32_MAX / 2 - list->len)
        return rwl_fail(err, RWL_UNSUPPORTED, "there are more than 2^30 items");
    int64_t cap = list->len + more > 2 * list->cap ? list->len + more : 2 * list->cap;
    void *grown = rwl_arena_array(x->arena, (size_t)cap, size);
    if (grown == NULL)
        return no_memory(x, (size_t)cap * size, err);
    if (list->len > 0)
        memcpy(grown, list->items, (size_t)list->len * size);
    list->items = grown;
    list->cap = cap;
    return RWL_OK;
}

/* Sets the list's members; an empty list is not null. */
static void put_list(decoding *x, const rwl_step *s, const item_list *list) {
    int32_t count = (int32_t)list->len;
    put(x, s->offset, &list->items, sizeof list->items);
    put(x, s->count_offset, &count, sizeof count);
}

static rwl_status append_number(const decoding *x, const rwl_step *s, item_list *list, rwl_error *err) {
    bool there;
    int64_t v;
    RWL_TRY(rwl_entry_read_branch(&x->d->in, &s->item, &there, err));
    if (!there)
        return rwl_fail(err, RWL_CORRUPT, "an item is no number");
    RWL_TRY(rwl_entry_read_long(&x->d->in, &v, err));
    if (s->kind == RWL_STEP_SPLITS) {
        ((int64_t *)list->items)[list->len++] = v;
        return RWL_OK;
    }
    if (v < 0 || v > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "an item is no field id: %" PRId64, v);
    ((int32_t *)list->items)[list->len++] = (int32_t)v;
    return RWL_OK;
}

static rwl_status decode_numbers(decoding *x, const rwl_step *s, rwl_error *err) {
    size_t item_size = s->kind == RWL_STEP_SPLITS ? sizeof(int64_t) : sizeof(int32_t);
    item_list list = {0};
    int64_t count, size;
    do {
        RWL_TRY(rwl_entry_read_count(&x->d->in, 1, &count, &size, err));
        RWL_TRY(reserve(x, &list, count, item_size, err));
        size_t start = x->d->in.pos;
        for (int64_t i = 0; i < count; i++)
            RWL_TRY(append_number(x, s, &list, err));
        RWL_TRY(end_run(&x->d->in, start, size, err));
    } while (count > 0);
    put_list(x, s, &list);
    return RWL_OK;
}

/* An item of a map: its key, and its value as number or bytes. */
typedef struct map_item {
    int64_t key, number;
    rwl_span bytes;
} map_item;

static inline rwl_status read_map_value(const decoding *x, const rwl_step *s, map_item *out, rwl_error *err) {
    if (s->kind == RWL_STEP_COUNTS)
        return rwl_entry_read_long(&x->d->in, &out->number, err);
    return rwl_entry_read_bytes(&x->d->in, &out->bytes, err);
}

/* Items with more than a plain key and a plain value. */
static rwl_status read_odd_item(const decoding *x, const rwl_step *s, map_item *out, rwl_error *err) {
    const rwl_avro_schema *item = s->form.schema->branches[0];
    RWL_TRY(rwl_entry_take_values(x->d, item->field_count, err));
    for (int32_t i = 0; i < item->field_count; i++) {
        bool there;
        if (i == s->key_at) {
            RWL_TRY(rwl_entry_read_long(&x->d->in, &out->key, err));
        } else if (i == s->value_at) {
            RWL_TRY(rwl_entry_read_branch(&x->d->in, &s->item, &there, err));
            if (!there)
                return rwl_fail(err, RWL_CORRUPT, "a value is null");
            RWL_TRY(read_map_value(x, s, out, err));
        } else {
            RWL_TRY(rwl_entry_skip(x->d, item->fields[i].schema, err));
        }
    }
    return RWL_OK;
}

static inline rwl_status read_map_item(const decoding *x, const rwl_step *s, map_item *out, rwl_error *err) {
    if (s->key_first) {
        RWL_TRY(rwl_entry_read_long(&x->d->in, &out->key, err));
        RWL_TRY(read_map_value(x, s, out, err));
    } else {
        RWL_TRY(read_odd_item(x, s, out, err));
    }
    if (out->key < INT32_MIN || out->key > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "a key is no field id: %" PRId64, out->key);
    return RWL_OK;
}

static inline bool is_wanted(const rwl_manifest_wanted *w, int64_t id) {
    if (w->ids == NULL)
        return true;
    for (int32_t i = 0; i < w->id_count; i++)
        if (w->ids[i] == id)
            return true;
    return false;
}

static rwl_status keep_item(const decoding *x, const rwl_step *s, const map_item *item, item_list *list,
                            rwl_error *err) {
    int64_t at = list->len++;
    if (s->kind == RWL_STEP_COUNTS) {
        ((rwl_metric_count *)list->items)[at] = (rwl_metric_count){(int32_t)item->key, item->number};
        return RWL_OK;
    }
    rwl_metric_bound *bound = &((rwl_metric_bound *)list->items)[at];
    bound->field_id = (int32_t)item->key;
    return copy_bytes(x, item->bytes, &bound->value, err);
}

static rwl_status decode_map(decoding *x, const rwl_step *s, rwl_error *err) {
    const rwl_manifest_wanted *w = &x->program->wanted;
    size_t item_size = s->kind == RWL_STEP_COUNTS ? sizeof(rwl_metric_count) : sizeof(rwl_metric_bound);
    item_list list = {0};
    int64_t count, size;
    do {
        RWL_TRY(rwl_entry_read_count(&x->d->in, 2, &count, &size, err));
        /* a key that occurs again may find no room, and is not missed: the first one counts */
        int64_t room = w->ids != NULL && count > w->id_count ? w->id_count : count;
        RWL_TRY(reserve(x, &list, room, item_size, err));
        size_t start = x->d->in.pos;
        for (int64_t i = 0; i < count; i++) {
            map_item item = {0};
            RWL_TRY(read_map_item(x, s, &item, err));
            if (is_wanted(w, item.key) && list.len < list.cap)
                RWL_TRY(keep_item(x, s, &item, &list, err));
        }
        RWL_TRY(end_run(&x->d->in, start, size, err));
    } while (count > 0);
    put_list(x, s, &list);
    return RWL_OK;
}

/* --- partitions --- */

static rwl_status read_scalar(rwl_cursor *c, rwl_avro_datum *out, rwl_error *err) {
    uint32_t word;
    uint64_t wide;
    uint8_t byte;
    switch (out->kind) {
    case RWL_AVRO_BOOLEAN:
        RWL_TRY(rwl_cursor_u8(c, &byte, err));
        if (byte > 1)
            return rwl_fail(err, RWL_CORRUPT, "boolean is %u, not 0 or 1", (unsigned)byte);
        out->as.b = byte == 1;
        return RWL_OK;
    case RWL_AVRO_INT:
    case RWL_AVRO_LONG:
        RWL_TRY(rwl_entry_read_long(c, &out->as.i, err));
        if (out->kind == RWL_AVRO_INT && (out->as.i < INT32_MIN || out->as.i > INT32_MAX))
            return rwl_fail(err, RWL_CORRUPT, "int is %" PRId64 ", which is no 32-bit number", out->as.i);
        return RWL_OK;
    case RWL_AVRO_FLOAT:
        RWL_TRY(rwl_cursor_le32(c, &word, err));
        memcpy(&out->as.f, &word, sizeof word);
        return RWL_OK;
    case RWL_AVRO_DOUBLE:
        RWL_TRY(rwl_cursor_le64(c, &wide, err));
        memcpy(&out->as.d, &wide, sizeof wide);
        return RWL_OK;
    case RWL_AVRO_BYTES:
    case RWL_AVRO_STRING:
        return rwl_entry_read_bytes(c, &out->as.bytes, err);
    case RWL_AVRO_FIXED:
        return rwl_cursor_bytes(c, (size_t)out->schema->size, &out->as.bytes, err);
    default:
        return RWL_OK; /* no partition value: refused by its kind */
    }
}

static rwl_status decode_value(decoding *x, const rwl_step *s, rwl_error *err) {
    rwl_avro_datum datum;
    memset(&datum, 0, sizeof datum);
    datum.schema = s->form.schema;
    datum.kind = s->form.schema->kind;
    RWL_TRY(read_scalar(&x->d->in, &datum, err));
    return rwl_partition_value(&datum, &x->program->types[s->size], x->arena, &x->partition[s->size], err);
}

/* --- steps --- */

static rwl_status run_steps(decoding *x, const rwl_step *record, rwl_error *err);

static inline rwl_status run_step(decoding *x, const rwl_step *s, rwl_error *err) {
    rwl_cursor *c = &x->d->in;
    bool there;
    RWL_TRY(rwl_entry_read_branch(c, &s->form, &there, err));
    if (!there)
        return RWL_OK;
    x->seen |= s->required;
    switch (s->kind) {
    case RWL_STEP_NULL:
        x->seen &= ~s->required;
        return RWL_OK;
    case RWL_STEP_I64:
    case RWL_STEP_FIRST_ROW_ID:
        return decode_i64(x, s, err);
    case RWL_STEP_I32:
        return decode_i32(x, s, err);
    case RWL_STEP_STR:
        return decode_str(x, s, err);
    case RWL_STEP_BYTES:
        return decode_bytes(x, s, err);
    case RWL_STEP_COUNTS:
    case RWL_STEP_BOUNDS:
        return decode_map(x, s, err);
    case RWL_STEP_SPLITS:
    case RWL_STEP_IDS:
        return decode_numbers(x, s, err);
    case RWL_STEP_RECORD:
    case RWL_STEP_PARTITION:
        return run_steps(x, s, err);
    case RWL_STEP_VALUE:
        return decode_value(x, s, err);
    case RWL_STEP_SKIP_VARINT:
        return rwl_entry_skip_varint(c, err);
    case RWL_STEP_SKIP_FIXED:
        return rwl_cursor_skip(c, (size_t)s->size, err);
    case RWL_STEP_SKIP_LIST_VARINT:
        return rwl_entry_skip_varints(c, s->size, err);
    case RWL_STEP_SKIP_LIST_BOUND:
        return rwl_entry_skip_bounds(c, err);
    case RWL_STEP_SKIP_BYTES:
    case RWL_STEP_SKIP_ANY:
        break;
    }
    return rwl_entry_skip(x->d, s->form.schema, err);
}

/* An entry's data_file and its partition are the only records in it: two levels of recursion. */
static rwl_status run_steps(decoding *x, const rwl_step *record, rwl_error *err) {
    RWL_TRY(rwl_entry_take_values(x->d, record->step_count, err));
    for (int32_t i = 0; i < record->step_count; i++) {
        const rwl_step *s = &record->steps[i];
        rwl_status st = run_step(x, s, err);
        if (st == RWL_OK)
            continue;
        if (s->kind == RWL_STEP_RECORD || s->kind == RWL_STEP_PARTITION)
            return st;
        return rwl_error_in(err, st, s->kind == RWL_STEP_VALUE ? "partition field %.60s" : "field %.60s",
                            s->name);
    }
    return RWL_OK;
}

static rwl_status check_entry(const decoding *x, rwl_error *err) {
    const rwl_manifest_entry *e = x->entry;
    const rwl_data_file *f = &e->file;
    if (x->seen != x->program->required)
        return rwl_manifest_fail_required(x->program, x->seen, err);
    if (e->status < RWL_STATUS_EXISTING || e->status > RWL_STATUS_DELETED)
        return rwl_fail(err, RWL_CORRUPT, "entry status is %" PRId32 ", not 0, 1 or 2", e->status);
    if (f->content < RWL_CONTENT_DATA || f->content > RWL_CONTENT_EQUALITY_DELETES)
        return rwl_fail(err, RWL_CORRUPT, "content is %" PRId32 ", not 0, 1 or 2", f->content);
    if (f->record_count < 0 || f->file_size < 0)
        return rwl_fail(err, RWL_CORRUPT,
                        "record_count %" PRId64 " or file_size_in_bytes %" PRId64 " is negative",
                        f->record_count, f->file_size);
    return RWL_OK;
}

static rwl_status start_entry(decoding *x, rwl_error *err) {
    rwl_manifest_entry *e = x->entry;
    const rwl_partition_spec *spec = x->program->spec;
    memset(e, 0, sizeof *e);
    e->stored_snapshot_id = e->stored_sequence_number = e->stored_file_sequence_number = -1;
    e->file.content_offset = e->file.content_size = -1;
    e->file.sort_order_id = -1;
    e->file.spec_id = spec->spec_id;
    RWL_TRY(rwl_entry_take_values(x->d, spec->field_count, err)); /* each costs memory, there or not */
    x->partition = rwl_arena_array(x->arena, (size_t)spec->field_count, sizeof *x->partition);
    if (x->partition == NULL)
        return no_memory(x, (size_t)spec->field_count * sizeof *x->partition, err);
    for (int32_t i = 0; i < spec->field_count; i++) {
        x->partition[i].kind = x->program->types[i].kind;
        x->partition[i].is_null = true;
    }
    e->file.partition = x->partition;
    e->file.partition_count = spec->field_count;
    return RWL_OK;
}

rwl_status rwl_manifest_entry_decode(const rwl_manifest_program *program, rwl_entry_decoder *d,
                                     rwl_arena *arena, rwl_manifest_entry *out, rwl_error *err) {
    decoding x = {.program = program, .d = d, .arena = arena, .entry = out};
    RWL_TRY(start_entry(&x, err));
    rwl_status st = run_steps(&x, &program->entry, err);
    if (st == RWL_OK)
        st = check_entry(&x, err);
    if (st == RWL_OK || out->file.file_path == NULL)
        return st;
    return rwl_error_in(err, st, "entry of %s", out->file.file_path);
}
