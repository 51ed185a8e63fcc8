/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inline lineage of Lance: however it is read (at once, in steps, some passed over, from memory, from a file through a window), the
 * values are the same; a segment's count and bounds are those of its values.
 *
 *   input := u8 bit 0: versions, not row ids   u8 seed of the steps   the arm
 */
#include "counted.h"
#include "fuzz.h"
#include "lance/sequence.h"
#include "memory_store.h"

enum { BUDGET = 4 << 20, SLACK = 4 << 20, HEAD = 2, ROWS_MAX = 3000, STEP_MAX = 70 };

static rwl_env env;
static volatile uint64_t sink;

typedef struct input {
    rwl_op op;
    rwl_store *store;
    rwl_file *file;
    bool is_versions;
    uint32_t seed;
    rwl_span bytes;
} input;

static int64_t draw(input *in, int64_t below) {
    in->seed = in->seed * 1103515245U + 12345U;
    return (int64_t)((in->seed >> 8) % (uint32_t)below);
}

static void start(input *in, bool from_file, rwl_lance_values *values) {
    rwl_lance_arm arm = {.kind = RWL_LANCE_ARM_INLINE, .offset = HEAD, .length = (int64_t)in->bytes.len};
    arm.bytes = from_file ? rwl_span_of(NULL, 0) : in->bytes;
    rwl_lance_values_init(values, &in->op, &arm, in->is_versions, in->file);
}

/* --- segments --- */

static void check_values(const rwl_segment *s, rwl_runs *out) {
    int64_t least = 0, greatest = 0, low = INT64_MAX, high = -1, before = -1;
    bool ascends = s->form != RWL_SEGMENT_ARRAY;
    int64_t count = s->count < ROWS_MAX ? s->count : ROWS_MAX;
    rwl_segment_place place = {0, 0, 0};
    rwl_runs_reset(out);
    FUZZ_CHECK(rwl_segment_read(s, &place, count, out, NULL) == RWL_OK);
    FUZZ_CHECK(out->length == count && place.index == count);
    rwl_segment_bounds(s, &least, &greatest);
    FUZZ_CHECK(least >= 0 && least <= greatest);
    for (int64_t i = 0; i < count; i++) {
        int64_t value = -1;
        FUZZ_CHECK(rwl_runs_get(out, i, &value));
        FUZZ_CHECK(value >= least && value <= greatest);
        /* of a sorted array numbers do not fall, but may repeat */
        FUZZ_CHECK(!ascends || value > before || (s->form == RWL_SEGMENT_SORTED && value == before));
        before = value;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    FUZZ_CHECK(!ascends || low == least);
    FUZZ_CHECK(count < s->count || (low == least && high == greatest));
}

/* *total: values of all segments or runs, at most INT64_MAX. */
static rwl_status look_at_segments(input *in, int64_t *total) {
    rwl_lance_values values;
    rwl_runs out;
    rwl_buf text;
    bool more;
    rwl_status st;
    rwl_error err = {0};
    *total = 0;
    rwl_runs_init(&out, &env, 1);
    rwl_buf_init(&text, &env, 1 << 16);
    start(in, false, &values);
    while ((st = rwl_lance_values_next(&values, &more, &err)) == RWL_OK && more) {
        FUZZ_CHECK(values.rest >= 0);
        *total = values.rest > INT64_MAX - *total ? INT64_MAX : *total + values.rest;
        if (in->is_versions)
            continue;
        FUZZ_CHECK(values.segment.count == values.rest);
        rwl_buf_reset(&text);
        sink += rwl_segment_format(&values.segment, &text, NULL);
        if (values.rest > 0)
            check_values(&values.segment, &out);
    }
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    if (st != RWL_OK)
        fuzz_show(err.message);
    rwl_lance_values_clear(&values);
    rwl_runs_clear(&out);
    rwl_buf_clear(&text);
    return st;
}

/* The input as a segment's message by itself: both ways to count it agree. */
static void look_at_message(const input *in) {
    rwl_segment s;
    int64_t count = -1;
    rwl_status st = rwl_segment_parse(in->bytes, &s, NULL);
    rwl_status counted = rwl_segment_count(in->bytes, &count, NULL);
    if (st == RWL_OK)
        FUZZ_CHECK(counted == RWL_OK && count == s.count);
}

/* --- reading --- */

/* The first `count` values; with steps some are passed over and are -1. */
static rwl_status read_values(input *in, bool from_file, bool in_steps, int64_t count, int64_t *out) {
    rwl_lance_values values;
    rwl_runs runs;
    rwl_error err = {0};
    rwl_status st = RWL_OK;
    rwl_runs_init(&runs, &env, in->is_versions ? 0 : 1);
    start(in, from_file, &values);
    for (int64_t at = 0, step; at < count && st == RWL_OK; at += step) {
        step = in_steps ? draw(in, STEP_MAX) + 1 : count;
        step = step < count - at ? step : count - at;
        bool is_passed = in_steps && draw(in, 4) == 0;
        rwl_runs_reset(&runs);
        st = is_passed ? rwl_lance_values_skip(&values, step, &err)
                       : rwl_lance_values_read(&values, step, &runs, &err);
        FUZZ_CHECK(st != RWL_OK || is_passed || runs.length == step);
        for (int64_t i = 0; i < step && st == RWL_OK; i++) {
            out[at + i] = -1;
            FUZZ_CHECK(is_passed || rwl_runs_get(&runs, i, &out[at + i]));
        }
    }
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    if (st != RWL_OK)
        fuzz_show(err.message);
    FUZZ_CHECK(st != RWL_OK || values.row == count);
    rwl_lance_values_clear(&values);
    rwl_runs_clear(&runs);
    return st;
}

static void compare_ways(input *in, bool is_sound, int64_t count) {
    static int64_t whole[ROWS_MAX], other[ROWS_MAX];
    rwl_status st = read_values(in, false, false, count, whole);
    FUZZ_CHECK(!is_sound || st == RWL_OK);
    for (int way = 1; way < 4; way++) {
        FUZZ_CHECK(read_values(in, way >= 2, way % 2 == 1, count, other) == st);
        for (int64_t i = 0; i < count && st == RWL_OK; i++)
            FUZZ_CHECK(other[i] == -1 || other[i] == whole[i]);
    }
}

/* All is passed over, and then there is an end; before it there is none. */
static void check_end(input *in, bool from_file, int64_t total) {
    rwl_lance_values values;
    rwl_runs runs;
    rwl_runs_init(&runs, &env, in->is_versions ? 0 : 1);
    start(in, from_file, &values);
    if (total > 0) {
        FUZZ_CHECK(rwl_lance_values_skip(&values, total - 1, NULL) == RWL_OK);
        FUZZ_CHECK(rwl_lance_values_finish(&values, NULL) == RWL_CORRUPT);
        FUZZ_CHECK(rwl_lance_values_read(&values, 1, &runs, NULL) == RWL_OK && runs.length == 1);
    }
    FUZZ_CHECK(rwl_lance_values_finish(&values, NULL) == RWL_OK);
    FUZZ_CHECK(rwl_lance_values_read(&values, 1, &runs, NULL) == RWL_CORRUPT);
    rwl_lance_values_clear(&values);
    rwl_runs_clear(&runs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    input in;
    if (len < HEAD)
        return 0;
    memset(&in, 0, sizeof in);
    counted_env_init(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&in.op, &env, BUDGET);
    in.is_versions = (data[0] & 1) != 0;
    in.seed = data[1];
    in.bytes = rwl_span_of(data + HEAD, len - HEAD);
    in.store = rwl_memory_store_new(&env, rwl_span_of(data, len));
    FUZZ_CHECK(in.store != NULL && rwl_file_open(in.store, &in.op, "d", &in.file, NULL) == RWL_OK);
    int64_t total;
    rwl_status st = look_at_segments(&in, &total);
    look_at_message(&in);
    int64_t count = total < ROWS_MAX ? total : ROWS_MAX;
    compare_ways(&in, st == RWL_OK, count);
    if (st == RWL_OK && total < INT64_MAX) {
        check_end(&in, false, total);
        check_end(&in, true, total);
    }
    FUZZ_CHECK(atomic_load(&in.op.memory_used) == 0);
    rwl_file_close(in.file);
    rwl_store_free(in.store);
    FUZZ_CHECK(counted_live == 0);
    FUZZ_CHECK(counted_peak <= BUDGET + SLACK);
    return 0;
}
