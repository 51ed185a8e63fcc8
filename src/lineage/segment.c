/* SPDX-License-Identifier: Apache-2.0 */
/* Segments of row-id sequences and version runs. */
#include "lineage/segment.h"

#include "base/int128.h"
#include "column/bits.h"
#include "wire/proto.h"

#include <inttypes.h>

/* --- parsing, without a look at the values --- */

static rwl_status fail_value(rwl_error *err, const char *what, uint64_t value) {
    return rwl_fail(err, RWL_CORRUPT, "segment: %s %" PRIu64 " is above 2^63 - 2", what, value);
}

/* The bounds of a range, and the bytes of its field 3 (empty: none). */
static rwl_status parse_range(rwl_span message, rwl_segment *out, rwl_span *third, rwl_error *err) {
    uint64_t bounds[2] = {0, 0};
    const rwl_proto_want wants[] = {{1, &bounds[0], NULL}, {2, &bounds[1], NULL}, {3, NULL, third}};
    *third = rwl_span_of(NULL, 0);
    RWL_TRY(rwl_proto_pick(message, wants, 3, err));
    if (bounds[0] > INT64_MAX || bounds[1] > INT64_MAX)
        return fail_value(err, "bound", bounds[0] > INT64_MAX ? bounds[0] : bounds[1]);
    out->start = (int64_t)bounds[0];
    out->end = (int64_t)bounds[1];
    if (out->end < out->start)
        return rwl_fail(err, RWL_CORRUPT, "segment: range %" PRId64 "..%" PRId64 " ends before it starts",
                        out->start, out->end);
    return RWL_OK;
}

/* The base and the bytes of an EncodedU64Array of this form. */
static rwl_status parse_numbers(const rwl_proto_field *form, rwl_segment *out, rwl_error *err) {
    uint64_t base = 0;
    const rwl_proto_want wants[] = {{2, NULL, &out->items},
                                    {1, &base, NULL}}; /* of 8 bytes there is no base */
    out->item_len = form->number == 1 ? 2 : form->number == 2 ? 4 : 8;
    out->items = rwl_span_of(NULL, 0);
    RWL_TRY(rwl_proto_pick(form->bytes, wants, out->item_len < 8 ? 2 : 1, err));
    if (base > INT64_MAX)
        return fail_value(err, "base", base);
    out->base = (int64_t)base;
    if (out->items.len % (size_t)out->item_len != 0)
        return rwl_fail(err, RWL_CORRUPT, "segment: %zu bytes of numbers of %d bytes each", out->items.len,
                        out->item_len);
    return RWL_OK;
}

/* The one field that a message of `most` forms has; number 0 when it has none. */
static rwl_status find_form(rwl_span message, const char *what, uint32_t most, rwl_proto_field *out,
                            rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(message);
    rwl_proto_field field;
    bool more;
    *out = (rwl_proto_field){.type = RWL_PROTO_BYTES};
    for (;;) {
        RWL_TRY(rwl_proto_next(&c, &more, &field, err));
        if (!more)
            return RWL_OK;
        if (field.number > most)
            return rwl_fail(err, RWL_UNSUPPORTED, "%s of unknown form %u", what, field.number);
        RWL_TRY(rwl_proto_expect(&field, RWL_PROTO_BYTES, err));
        if (out->number != 0)
            return rwl_fail(err, RWL_CORRUPT, "%s of two forms, %u and %u", what, out->number, field.number);
        *out = field;
    }
}

/* An absent array has no numbers. */
static rwl_status parse_array(rwl_span message, rwl_segment *out, rwl_error *err) {
    rwl_proto_field form;
    RWL_TRY(find_form(message, "segment: an array", 3, &form, err));
    if (form.number == 0)
        form.number = 3;
    return parse_numbers(&form, out, err);
}

static rwl_status parse_bitmap(rwl_segment *out, rwl_span bits, rwl_error *err) {
    uint64_t slots = (uint64_t)(out->end - out->start);
    if (bits.len != slots / 8 + (slots % 8 != 0))
        return rwl_fail(err, RWL_CORRUPT, "segment: a bitmap of %zu bytes for %" PRIu64 " values", bits.len,
                        slots);
    if (slots % 8 != 0 && bits.data[bits.len - 1] >> (slots % 8) != 0)
        return rwl_fail(err, RWL_CORRUPT, "segment: a bitmap of %" PRIu64 " values has bits behind its end",
                        slots);
    out->items = bits;
    out->count = slots == 0 ? 0 : rwl_bits_count(bits.data, 0, (int64_t)slots);
    return RWL_OK;
}

/* A segment that has bounds. */
static rwl_status parse_bounded(rwl_span message, rwl_segment *out, rwl_error *err) {
    rwl_span third;
    RWL_TRY(parse_range(message, out, &third, err));
    out->count = out->end - out->start;
    if (out->form == RWL_SEGMENT_RANGE)
        return RWL_OK;
    if (out->form == RWL_SEGMENT_BITMAP)
        return parse_bitmap(out, third, err);
    RWL_TRY(parse_array(third, out, err));
    size_t holes = out->items.len / (size_t)out->item_len;
    if (holes > (uint64_t)out->count)
        return rwl_fail(err, RWL_CORRUPT, "segment: %zu holes in range %" PRId64 "..%" PRId64, holes,
                        out->start, out->end);
    out->count -= (int64_t)holes;
    return RWL_OK;
}

static rwl_status parse_form(rwl_span message, rwl_segment *out, rwl_error *err) {
    rwl_proto_field form;
    *out = (rwl_segment){.form = RWL_SEGMENT_RANGE};
    RWL_TRY(find_form(message, "segment", RWL_SEGMENT_ARRAY, &form, err));
    if (form.number == 0)
        return RWL_OK;
    out->form = (rwl_segment_form)form.number;
    if (out->form <= RWL_SEGMENT_BITMAP)
        return parse_bounded(form.bytes, out, err);
    RWL_TRY(parse_array(form.bytes, out, err));
    out->count = (int64_t)(out->items.len / (size_t)out->item_len);
    return RWL_OK;
}

/* --- numbers --- */

static inline uint64_t number_at(const rwl_segment *s, size_t i) {
    const uint8_t *at = s->items.data + i * (size_t)s->item_len;
    return s->item_len == 2 ? rwl_load_le16(at) : s->item_len == 4 ? rwl_load_le32(at) : rwl_load_le64(at);
}

/* Of a checked segment. */
static inline int64_t value_at(const rwl_segment *s, size_t i) {
    return s->base + (int64_t)number_at(s, i);
}

static size_t number_count(const rwl_segment *s) {
    return s->items.len / (size_t)s->item_len;
}

static rwl_status check_sum(const rwl_segment *s, size_t i, int64_t *value, rwl_error *err) {
    uint64_t number = number_at(s, i);
    if (number > INT64_MAX || !rwl_i64_add(s->base, (int64_t)number, value) || *value == INT64_MAX)
        return fail_value(err, "value", (uint64_t)s->base + number);
    return RWL_OK;
}

/* Holes rise and lie in the range; numbers of a sorted array do not fall. */
static rwl_status check_numbers(const rwl_segment *s, rwl_error *err) {
    int64_t last = -1, value;
    size_t count = number_count(s);
    for (size_t i = 0; i < count; i++) {
        RWL_TRY(check_sum(s, i, &value, err));
        if (s->form == RWL_SEGMENT_HOLES && (value < s->start || value >= s->end))
            return rwl_fail(err, RWL_CORRUPT, "segment: hole %" PRId64 " outside of %" PRId64 "..%" PRId64,
                            value, s->start, s->end);
        if ((s->form == RWL_SEGMENT_HOLES && value <= last) ||
            (s->form == RWL_SEGMENT_SORTED && value < last))
            return rwl_fail(err, RWL_CORRUPT, "segment: %s %" PRId64 " behind %" PRId64,
                            s->form == RWL_SEGMENT_HOLES ? "hole" : "sorted value", value, last);
        last = value;
    }
    return RWL_OK;
}

rwl_status rwl_segment_parse(rwl_span message, rwl_segment *out, rwl_error *err) {
    int64_t start, end;
    if (rwl_segment_plain_range(message, &start, &end)) {
        *out = (rwl_segment){.form = RWL_SEGMENT_RANGE, .start = start, .end = end, .count = end - start};
        return RWL_OK;
    }
    RWL_TRY(parse_form(message, out, err));
    return out->item_len > 0 ? check_numbers(out, err) : (rwl_status)RWL_OK;
}

rwl_status rwl_segment_count(rwl_span message, int64_t *count, rwl_error *err) {
    rwl_segment segment;
    int64_t start, end;
    if (rwl_segment_plain_range(message, &start, &end)) {
        *count = end - start;
        return RWL_OK;
    }
    RWL_TRY(parse_form(message, &segment, err));
    *count = segment.count;
    return RWL_OK;
}

/* --- walking --- */

/* The run of values at or behind the place, at most `count`. */
static int64_t next_of_holes(const rwl_segment *s, rwl_segment_place *place, int64_t count, int64_t *start) {
    size_t holes = number_count(s);
    *start = s->start + place->value;
    while ((size_t)place->item < holes && value_at(s, (size_t)place->item) == *start) {
        ++*start;
        place->item++;
    }
    int64_t end = (size_t)place->item < holes ? value_at(s, (size_t)place->item) : s->end;
    int64_t run = end - *start < count ? end - *start : count;
    place->value = *start + run - s->start;
    return run;
}

/* 64 bits from a byte on; those behind the end are 0. */
static uint64_t load_bits(rwl_span bits, size_t byte) {
    uint64_t word = 0;
    if (bits.len - byte >= 8)
        return rwl_load_le64(bits.data + byte);
    for (size_t i = byte; i < bits.len; i++)
        word |= (uint64_t)bits.data[i] << (8 * (i - byte));
    return word;
}

/* The first bit that is (or, inverted, is not) 1, from `at`; `slots` when there is none. */
static int64_t find_bit(rwl_span bits, int64_t at, int64_t slots, bool value) {
    uint64_t flip = value ? 0 : UINT64_MAX;
    while (at < slots) {
        size_t byte = (size_t)at >> 3;
        uint64_t word = (load_bits(bits, byte) ^ flip) >> (at & 7);
        if (word != 0) {
            int64_t found = at + __builtin_ctzll(word);
            return found < slots ? found : slots;
        }
        at = ((int64_t)byte + 8) * 8;
    }
    return slots;
}

static int64_t next_of_bitmap(const rwl_segment *s, rwl_segment_place *place, int64_t count, int64_t *start) {
    int64_t slots = s->end - s->start;
    int64_t first = find_bit(s->items, place->value, slots, true);
    int64_t end = find_bit(s->items, first, slots, false);
    int64_t run = end - first < count ? end - first : count;
    *start = s->start + first;
    place->value = first + run;
    return run;
}

static int64_t next_of_numbers(const rwl_segment *s, const rwl_segment_place *place, int64_t count,
                               int64_t *start) {
    size_t first = (size_t)place->index;
    int64_t run = 1;
    *start = value_at(s, first);
    while (run < count && value_at(s, first + (size_t)run) == *start + run)
        run++;
    return run;
}

static int64_t next_run(const rwl_segment *s, rwl_segment_place *place, int64_t count, int64_t *start) {
    switch (s->form) {
    case RWL_SEGMENT_HOLES:
        return next_of_holes(s, place, count, start);
    case RWL_SEGMENT_BITMAP:
        return next_of_bitmap(s, place, count, start);
    case RWL_SEGMENT_SORTED:
    case RWL_SEGMENT_ARRAY:
        return next_of_numbers(s, place, count, start);
    case RWL_SEGMENT_RANGE:
    default:
        *start = s->start + place->index;
        return count;
    }
}

/* Values of a bitmap straight into a dense sequence, as many as it has room for; `count` are left at least. */
static int64_t read_bits(const rwl_segment *s, rwl_segment_place *place, int64_t count, rwl_runs *out) {
    int64_t room, *to = rwl_runs_tail(out, &room), done = 0;
    if (to == NULL || s->form != RWL_SEGMENT_BITMAP)
        return 0;
    count = count < room ? count : room;
    uint64_t unread = UINT64_MAX << (place->value & 7); /* of the first word */
    for (size_t byte = (size_t)place->value >> 3; done < count && byte < s->items.len; byte += 8) {
        uint64_t word = load_bits(s->items, byte) & unread;
        unread = UINT64_MAX;
        for (; word != 0 && done < count; word &= word - 1)
            to[done++] = s->start + (int64_t)byte * 8 + __builtin_ctzll(word);
    }
    if (done > 0)
        place->value = to[done - 1] + 1 - s->start;
    rwl_runs_written(out, done);
    return done;
}

rwl_status rwl_segment_read(const rwl_segment *segment, rwl_segment_place *place, int64_t count,
                            rwl_runs *out, rwl_error *err) {
    while (count > 0) {
        int64_t done = read_bits(segment, place, count, out);
        place->index += done;
        count -= done;
        if (count == 0)
            break;
        int64_t start, run = next_run(segment, place, count, &start);
        if (run <= 0)
            return rwl_fail(err, RWL_INTERNAL, "segment: %" PRId64 " values behind its end", count);
        RWL_TRY(rwl_segment_emit(out, start, run, err));
        place->index += run;
        count -= run;
    }
    return RWL_OK;
}

void rwl_segment_skip(const rwl_segment *segment, rwl_segment_place *place, int64_t count) {
    bool is_counted = (segment->form == RWL_SEGMENT_HOLES || segment->form == RWL_SEGMENT_BITMAP) &&
                      count < segment->count - place->index; /* behind the last one nothing is looked at */
    while (is_counted && count > 0) {
        int64_t start, run = next_run(segment, place, count, &start);
        if (run <= 0)
            return;
        place->index += run;
        count -= run;
    }
    place->index += count;
}

/* --- looking for values --- */

rwl_segment_slice rwl_segment_whole(const rwl_segment *segment) {
    rwl_segment_slice all = {0, segment->count, segment->start, segment->end};
    if (segment->form == RWL_SEGMENT_ARRAY) {
        all.least = 0;
        all.end = INT64_MAX;
    } else if (segment->form == RWL_SEGMENT_SORTED && segment->count > 0) {
        all.least = value_at(segment, 0);
        all.end = value_at(segment, (size_t)segment->count - 1) + 1;
    }
    return all;
}

/* How many holes lie below a value. */
static int64_t holes_below(const rwl_segment *s, int64_t value) {
    size_t low = 0, high = number_count(s);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (value_at(s, middle) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return (int64_t)low;
}

/* How many values lie in [least, end) of a segment that has bounds. */
static int64_t count_between(const rwl_segment *s, int64_t least, int64_t end) {
    if (s->form == RWL_SEGMENT_BITMAP)
        return rwl_bits_count(s->items.data, least - s->start, end - least);
    int64_t holes = s->form == RWL_SEGMENT_HOLES ? holes_below(s, end) - holes_below(s, least) : 0;
    return end - least - holes;
}

bool rwl_segment_halve(const rwl_segment *segment, const rwl_segment_slice *slice, rwl_segment_slice *low,
                       rwl_segment_slice *high) {
    bool by_value = segment->form <= RWL_SEGMENT_BITMAP;
    if (segment->form == RWL_SEGMENT_ARRAY || slice->count < 2)
        return false;
    *low = *high = *slice;
    low->end = high->least = slice->least + (slice->end - slice->least) / 2;
    low->count = by_value ? count_between(segment, low->least, low->end) : slice->count / 2;
    high->first += low->count;
    high->count -= low->count;
    if (!by_value) {
        low->end = value_at(segment, (size_t)high->first - 1) + 1;
        high->least = value_at(segment, (size_t)high->first);
    }
    return true;
}

/* --- for people and plans --- */

static void number_bounds(const rwl_segment *s, int64_t *least, int64_t *greatest) {
    size_t count = number_count(s);
    *least = *greatest = value_at(s, 0);
    for (size_t i = 1; i < count; i++) {
        int64_t value = value_at(s, i);
        if (value < *least)
            *least = value;
        if (value > *greatest)
            *greatest = value;
    }
}

void rwl_segment_bounds(const rwl_segment *segment, int64_t *least, int64_t *greatest) {
    const rwl_segment *s = segment;
    *least = s->start;
    *greatest = s->end - 1;
    if (s->form == RWL_SEGMENT_SORTED) {
        *least = value_at(s, 0);
        *greatest = value_at(s, number_count(s) - 1);
    } else if (s->form == RWL_SEGMENT_ARRAY) {
        number_bounds(s, least, greatest);
    } else if (s->form == RWL_SEGMENT_HOLES) {
        size_t first = 0, end = number_count(s);
        for (; first < end && value_at(s, first) == *least; first++)
            ++*least;
        for (; end > first && value_at(s, end - 1) == *greatest; end--)
            --*greatest;
    } else if (s->form == RWL_SEGMENT_BITMAP) {
        int64_t slots = s->end - s->start, last = slots - 1;
        while (last > 0 && !rwl_bit_get(s->items.data, last))
            last--;
        *least = s->start + find_bit(s->items, 0, slots, true);
        *greatest = s->start + last;
    }
}

rwl_status rwl_segment_format(const rwl_segment *segment, rwl_buf *out, rwl_error *err) {
    const rwl_segment *s = segment;
    int bits = 8 * s->item_len;
    switch (s->form) {
    case RWL_SEGMENT_HOLES:
        return rwl_buf_printf(out, err, "range %" PRId64 "..%" PRId64 " holes u%d x%zu", s->start, s->end,
                              bits, number_count(s));
    case RWL_SEGMENT_BITMAP:
        RWL_TRY(rwl_buf_printf(out, err, "bitmap %" PRId64 "..%" PRId64, s->start, s->end));
        if (s->items.len > 16) /* no line is longer for it */
            return rwl_buf_printf(out, err, " x%" PRId64, s->count);
        RWL_TRY(rwl_buf_str(out, " ", err));
        return rwl_buf_hex(out, s->items, err);
    case RWL_SEGMENT_SORTED:
    case RWL_SEGMENT_ARRAY:
        return rwl_buf_printf(out, err, "%s u%d x%zu",
                              s->form == RWL_SEGMENT_SORTED ? "sorted_array" : "array", bits,
                              number_count(s));
    case RWL_SEGMENT_RANGE:
    default:
        return rwl_buf_printf(out, err, "range %" PRId64 "..%" PRId64, s->start, s->end);
    }
}
