/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of mini-block pages: the table that lists them, the rows they hold, the parts of one. */
#include "lancefile/mini_internal.h"

/* --- the table --- */

/* One chunk's word; the last has what the others left. */
static rwl_status read_word(const rwl_lance_mini_table *table, int32_t i, uint32_t word, int64_t slots,
                            int64_t bytes, rwl_error *err) {
    rwl_lance_mini_chunk *chunk = &table->chunks[i];
    int64_t count = INT64_C(1) << (word & 15);
    int64_t left = slots - chunk->first_slot;
    if (i == table->count - 1) {
        /* mostly none; writers of fixed-size lists tell a count when it is a whole chunk's */
        if ((word & 15) != 0 && count != left)
            return rwl_fail(err, RWL_CORRUPT, "last chunk %d tells 2^%u values, but %lld are left", i,
                            word & 15, (long long)left);
        count = left;
    }
    int64_t len = ((int64_t)(word >> 4) + 1) * 8;
    if (count > left)
        return rwl_fail(err, RWL_CORRUPT, "chunk %d of %lld values, but %lld of the page's %lld are left", i,
                        (long long)count, (long long)left, (long long)slots);
    if (count > RWL_LANCE_MINI_VALUES_MAX)
        return rwl_fail(err, RWL_CORRUPT, "chunk %d of %lld values, limit %d", i, (long long)count,
                        RWL_LANCE_MINI_VALUES_MAX);
    if (len > bytes - chunk->offset)
        return rwl_fail(err, RWL_CORRUPT, "chunk %d of %lld bytes at %lld passes the end of its buffer, %lld",
                        i, (long long)len, (long long)chunk->offset, (long long)bytes);
    chunk[1].offset = chunk->offset + len;
    chunk[1].first_slot = chunk->first_slot + count;
    return RWL_OK;
}

static rwl_status allocate_chunks(rwl_lance_mini_table *table, rwl_op *op, size_t count, rwl_error *err) {
    int64_t bytes = (int64_t)((count + 1) * sizeof *table->chunks);
    RWL_TRY(rwl_op_reserve(op, bytes, "a page's chunk table", err));
    table->charged = bytes;
    table->chunks = rwl_calloc(op->env, count + 1, sizeof *table->chunks);
    if (table->chunks == NULL)
        return rwl_no_memory(err, (size_t)bytes);
    table->count = (int32_t)count;
    return RWL_OK;
}

rwl_status rwl_lance_mini_table_read(rwl_lance_mini_table *table, rwl_op *op, const rwl_lance_layout *layout,
                                     int64_t row_count, rwl_span words, int64_t chunk_bytes, rwl_error *err) {
    size_t width = layout->has_large_chunk ? 4 : 2;
    size_t count = words.len / width;
    if (words.len % width != 0)
        return rwl_fail(err, RWL_CORRUPT, "chunk table of %zu bytes, its words have %zu", words.len, width);
    if (layout->item_count < 0 || row_count < 0)
        return rwl_fail(err, RWL_CORRUPT, "%lld values", (long long)layout->item_count);
    /* a chunk has 8 bytes at least */
    if (count >= INT32_MAX || (int64_t)count > chunk_bytes / 8)
        return rwl_fail(err, RWL_CORRUPT, "%zu chunks in %lld bytes", count, (long long)chunk_bytes);
    RWL_TRY(allocate_chunks(table, op, count, err));
    for (size_t i = 0; i < count; i++) {
        uint32_t word =
            layout->has_large_chunk ? rwl_load_le32(words.data + i * 4) : rwl_load_le16(words.data + i * 2);
        RWL_TRY(read_word(table, (int32_t)i, word, layout->item_count, chunk_bytes, err));
    }
    if (table->chunks[count].first_slot != layout->item_count)
        return rwl_fail(err, RWL_CORRUPT, "no chunks for %lld values", (long long)layout->item_count);
    for (size_t i = 0; i <= count; i++)
        table->chunks[i].first_row = table->chunks[i].first_slot;
    return RWL_OK;
}

rwl_status rwl_lance_mini_table_set_rows(rwl_lance_mini_table *table, const rwl_lance_layout *layout,
                                         int64_t row_count, rwl_span index, rwl_error *err) {
    size_t stride = ((size_t)layout->repetition_index_depth + 1) * 8;
    if (index.len != (size_t)table->count * stride)
        return rwl_fail(err, RWL_CORRUPT, "repetition index of %zu bytes, but %d chunks of %zu", index.len,
                        table->count, stride);
    int64_t row = 0; /* that begin before */
    bool is_continued = false;
    for (int32_t i = 0; i < table->count; i++) {
        const uint8_t *entry = index.data + (size_t)i * stride;
        uint64_t ended = rwl_load_le64(entry);
        bool goes_on = rwl_load_le64(entry + stride - 8) > 0;
        /* a row that came in ends here or goes on */
        if (ended > (uint64_t)row_count || (is_continued && ended == 0 && !goes_on))
            return rwl_fail(err, RWL_CORRUPT, "repetition index: chunk %d ends %llu of %lld rows", i,
                            (unsigned long long)ended, (long long)row_count);
        table->chunks[i].first_row = row;
        table->chunks[i].is_continued = is_continued;
        row += (int64_t)ended - is_continued + goes_on;
        is_continued = goes_on;
        if (row > row_count)
            return rwl_fail(err, RWL_CORRUPT, "repetition index: %lld rows up to chunk %d, the page has %lld",
                            (long long)row, i, (long long)row_count);
    }
    table->chunks[table->count].first_row = row;
    if (row != row_count || is_continued)
        return rwl_fail(err, RWL_CORRUPT, "repetition index of %lld rows%s, the page has %lld",
                        (long long)row, is_continued ? " and one that does not end" : "",
                        (long long)row_count);
    return RWL_OK;
}

void rwl_lance_mini_table_clear(rwl_lance_mini_table *table, rwl_op *op) {
    rwl_free(op->env, table->chunks);
    rwl_op_release(op, table->charged);
    memset(table, 0, sizeof *table);
}

/* --- rows to chunks --- */

/* The chunk in which a row begins, not before chunk `from`. */
static int32_t find_start(const rwl_lance_mini_table *table, int32_t from, int64_t row) {
    int32_t low = from, high = table->count; /* begins at or behind low, before high */
    while (high - low > 1) {
        int32_t mid = low + (high - low) / 2;
        if (table->chunks[mid].first_row <= row)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* The chunk in which a row that begins in `chunk` ends. */
static int32_t find_end(const rwl_lance_mini_table *table, int32_t chunk, int64_t row) {
    while (chunk + 1 < table->count && table->chunks[chunk + 1].is_continued &&
           table->chunks[chunk + 1].first_row == row + 1)
        chunk++;
    return chunk;
}

bool rwl_lance_mini_next_run(const rwl_lance_mini_table *table, rwl_lance_mini_rows *rows, int32_t *first,
                             int32_t *last) {
    bool found = false;
    for (; rows->at < rows->count; rows->at++) {
        const rwl_range *range = &rows->ranges[rows->at];
        if (range->count == 0)
            continue;
        int32_t start = find_start(table, found ? *last : 0, range->start);
        if (found && start > *last + 1)
            return true;
        if (!found)
            *first = start;
        found = true;
        int64_t last_row = range->start + range->count - 1;
        *last = find_end(table, find_start(table, start, last_row), last_row);
    }
    return found;
}

/* --- parts --- */

static rwl_status take_size(rwl_cursor *c, bool is_large, size_t *out, rwl_error *err) {
    uint16_t small = 0;
    uint32_t large = 0;
    if (is_large)
        RWL_TRY(rwl_cursor_le32(c, &large, err));
    else
        RWL_TRY(rwl_cursor_le16(c, &small, err));
    *out = is_large ? large : small;
    return RWL_OK;
}

/* The next part, and the padding behind it, which may be missing at the end. */
static rwl_status take_part(rwl_cursor *c, size_t len, const char *what, rwl_span *out, rwl_error *err) {
    if (len > rwl_cursor_left(c))
        return rwl_fail(err, RWL_CORRUPT, "%s of %zu bytes at %zu passes the chunk's end, %zu", what, len,
                        c->pos, c->len);
    RWL_TRY(rwl_cursor_bytes(c, len, out, err));
    size_t padding = (8 - c->pos % 8) % 8;
    return rwl_cursor_skip(c, padding < rwl_cursor_left(c) ? padding : rwl_cursor_left(c), err);
}

rwl_status rwl_lance_mini_split(const rwl_lance_layout *layout, rwl_span chunk, int64_t value_count,
                                rwl_lance_mini_parts *out, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(chunk);
    uint16_t levels = 0;
    size_t rep = 0, def = 0, sizes[RWL_LANCE_MINI_BUFFERS_MAX];
    RWL_TRY(rwl_cursor_le16(&c, &levels, err));
    if (layout->rep != NULL)
        RWL_TRY(take_size(&c, false, &rep, err));
    if (layout->def != NULL)
        RWL_TRY(take_size(&c, false, &def, err));
    for (int32_t i = 0; i < layout->buffer_count; i++)
        RWL_TRY(take_size(&c, layout->has_large_chunk, &sizes[i], err));
    rwl_span header;
    RWL_TRY(take_part(&c, 0, "header", &header, err));
    out->level_count = levels;
    out->value_count = value_count;
    out->rep = out->def = rwl_span_of(NULL, 0);
    if (layout->rep != NULL)
        RWL_TRY(take_part(&c, rep, "repetition levels", &out->rep, err));
    if (layout->def != NULL)
        RWL_TRY(take_part(&c, def, "definition levels", &out->def, err));
    for (int32_t i = 0; i < layout->buffer_count; i++)
        RWL_TRY(take_part(&c, sizes[i], "values", &out->buffers[i], err));
    out->buffer_count = layout->buffer_count;
    return RWL_OK;
}
