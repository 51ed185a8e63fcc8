/* SPDX-License-Identifier: Apache-2.0 */
/* A flatbuffer, written from its end. */
#include "ipc/flat_build.h"

enum { BYTES_MAX = 256 << 20 };

void rwl_flat_init(rwl_flat *f, const rwl_env *env, rwl_error *err) {
    memset(f, 0, sizeof *f);
    f->env = env;
    f->err = err;
}

void rwl_flat_clear(rwl_flat *f) {
    rwl_free(f->env, f->data);
    memset(f, 0, sizeof *f);
}

/* Room for `size` bytes in front; false once something failed. */
static bool make_room(rwl_flat *f, size_t size) {
    if (f->st != RWL_OK)
        return false;
    if (size <= f->cap - f->used)
        return true;
    size_t cap = f->cap == 0 ? 1024 : f->cap;
    while (cap < f->used + size && cap <= BYTES_MAX)
        cap *= 2;
    uint8_t *grown = cap <= BYTES_MAX ? rwl_alloc(f->env, cap) : NULL;
    if (grown == NULL) {
        f->st = cap <= BYTES_MAX
                    ? rwl_no_memory(f->err, cap)
                    : rwl_fail(f->err, RWL_UNSUPPORTED, "an Arrow message is above %d MB", BYTES_MAX >> 20);
        return false;
    }
    if (f->used > 0)
        memcpy(grown + cap - f->used, f->data + f->cap - f->used, f->used);
    rwl_free(f->env, f->data);
    f->data = grown;
    f->cap = cap;
    return true;
}

static void put(rwl_flat *f, const void *bytes, size_t len) {
    if (!make_room(f, len))
        return;
    f->used += len;
    if (len > 0)
        memcpy(f->data + f->cap - f->used, bytes, len);
}

/* Zeros so that after `more` bytes the start is aligned to `size`. */
static void align(rwl_flat *f, size_t size, size_t more) {
    static const uint8_t zeros[16];
    put(f, zeros, (size - (f->used + more) % size) % size);
}

static void put_i16(rwl_flat *f, int32_t value) {
    uint8_t bytes[2] = {(uint8_t)(value & 255), (uint8_t)((value >> 8) & 255)};
    put(f, bytes, sizeof bytes);
}

static void put_u32(rwl_flat *f, uint32_t value) {
    uint8_t bytes[4];
    rwl_store_le32(bytes, value);
    align(f, 4, sizeof bytes);
    put(f, bytes, sizeof bytes);
}

/* A reference to an object, from where the reference itself will start. */
static void put_ref(rwl_flat *f, size_t position) {
    align(f, 4, 4);
    put_u32(f, (uint32_t)(f->used + 4 - position));
}

size_t rwl_flat_string(rwl_flat *f, rwl_span text) {
    align(f, 4, text.len + 1);
    put(f, "", 1);
    put(f, text.data, text.len);
    put_u32(f, (uint32_t)text.len);
    return f->used;
}

size_t rwl_flat_vector(rwl_flat *f, const size_t *positions, size_t count) {
    align(f, 4, 0);
    for (size_t i = count; i > 0; i--)
        put_ref(f, positions[i - 1]);
    put_u32(f, (uint32_t)count);
    return f->used;
}

size_t rwl_flat_structs(rwl_flat *f, const void *structs, size_t size, size_t count) {
    align(f, 8, size * count);
    put(f, structs, size * count);
    put_u32(f, (uint32_t)count);
    return f->used;
}

/* --- tables --- */

void rwl_flat_begin(rwl_flat *f) {
    memset(f->slots, 0, sizeof f->slots);
    f->table_start = f->used;
}

void rwl_flat_u8(rwl_flat *f, int slot, uint8_t value) {
    put(f, &value, 1);
    f->slots[slot] = f->used;
}

void rwl_flat_i16(rwl_flat *f, int slot, int16_t value) {
    align(f, 2, 2);
    put_i16(f, value);
    f->slots[slot] = f->used;
}

void rwl_flat_i32(rwl_flat *f, int slot, int32_t value) {
    put_u32(f, (uint32_t)value);
    f->slots[slot] = f->used;
}

void rwl_flat_i64(rwl_flat *f, int slot, int64_t value) {
    uint8_t bytes[8];
    rwl_store_le64(bytes, (uint64_t)value);
    align(f, 8, sizeof bytes);
    put(f, bytes, sizeof bytes);
    f->slots[slot] = f->used;
}

void rwl_flat_ref(rwl_flat *f, int slot, size_t position) {
    if (position == 0)
        return;
    put_ref(f, position);
    f->slots[slot] = f->used;
}

/* The table begins with the distance to its vtable, which is put in front of it: its own size, the table's, and where
 * each field lies in the table. */
size_t rwl_flat_end(rwl_flat *f) {
    int count = RWL_FLAT_SLOTS;
    while (count > 0 && f->slots[count - 1] == 0)
        count--;
    size_t vtable_len = 4 + 2 * (size_t)count;
    put_u32(f, 0);
    size_t table = f->used;
    align(f, 2, 0);
    for (int i = count; i > 0; i--)
        put_i16(f, f->slots[i - 1] > 0 ? (int32_t)(table - f->slots[i - 1]) : 0);
    put_i16(f, (int32_t)(table - f->table_start));
    put_i16(f, (int32_t)vtable_len);
    if (f->st == RWL_OK)
        rwl_store_le32(f->data + f->cap - table, (uint32_t)(f->used - table));
    return table;
}

rwl_status rwl_flat_finish(rwl_flat *f, size_t root, rwl_span *out) {
    align(f, 8, 4);
    put_ref(f, root);
    *out = f->st == RWL_OK ? rwl_span_of(f->data + f->cap - f->used, f->used) : rwl_span_of(NULL, 0);
    return f->st;
}
