/* SPDX-License-Identifier: Apache-2.0 */
/* Lance data files made of lines. */
#include "seed_file.h"

#include "lance_build.h"
#include "seed_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
    const rwl_env *env;
    char *name;
    uint64_t rows;
    lance_build build;
    rwl_buf words, chunks, scratch;
    int32_t next_id;
} maker;

static void put16(rwl_buf *out, size_t value) {
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    seed_must(rwl_buf_append(out, bytes, sizeof bytes, NULL), "memory");
}

static void put_size(const maker *m, rwl_buf *out, size_t value, bool is_small) {
    if (m->build.minor >= 2 && !is_small)
        seed_must(rwl_buf_le32(out, (uint32_t)value, NULL), "memory");
    else
        put16(out, value);
}

static void pad(rwl_buf *out) {
    while (out->len % 8 != 0)
        seed_must(rwl_buf_u8(out, 0xfe, NULL), "memory");
}

/* "LOG2 LEVELS REP|DEF|V|V…" */
static void put_chunk(maker *m, const char *text) {
    char parts[8][1024];
    char *at;
    size_t count = 0, begin = m->chunks.len;
    unsigned long log2 = strtoul(text, &at, 10), levels = strtoul(at, &at, 10);
    for (bool more = true; more; count++) {
        size_t len = strcspn(at, "|");
        snprintf(parts[count], sizeof parts[count], "%.*s", (int)len, at);
        more = at[len] == '|';
        at += len + more;
    }
    rwl_buf bytes[8];
    put16(&m->chunks, levels);
    for (size_t i = 0; i < count; i++) {
        rwl_buf_init(&bytes[i], m->env, SIZE_MAX);
        seed_bytes(&bytes[i], parts[i]);
        if (bytes[i].len > 0 || (i >= 2 && count > 3))
            put_size(m, &m->chunks, bytes[i].len, i < 2);
    }
    pad(&m->chunks);
    for (size_t i = 0; i < count; i++) {
        seed_must(rwl_buf_append(&m->chunks, bytes[i].data, bytes[i].len, NULL), "memory");
        pad(&m->chunks);
        rwl_buf_clear(&bytes[i]);
    }
    put_size(m, &m->words, ((m->chunks.len - begin) / 8 - 1) << 4 | log2, false);
}

static void put_chunks(maker *m) {
    lance_build_buffer(&m->build, m->words.data, m->words.len);
    lance_build_buffer(&m->build, m->chunks.data, m->chunks.len);
    rwl_buf_reset(&m->words);
    rwl_buf_reset(&m->chunks);
}

static void put_page(maker *m, const char *text) {
    char *at;
    uint64_t rows = strtoull(text, &at, 10);
    rwl_buf_reset(&m->scratch);
    seed_message(&m->scratch, at);
    bool is_mini = m->build.major != 0 && m->scratch.len > 0 && m->scratch.data[0] == 0x0a;
    if (is_mini && m->build.minor >= 2 && strstr(at, "10:1)") == NULL) { /* which grammar it is */
        char with[4096];
        snprintf(with, sizeof with, "%.*s 10:1)", (int)(strlen(at) - 1), at);
        rwl_buf_reset(&m->scratch);
        seed_message(&m->scratch, with);
    }
    lance_build_page(&m->build, rows, rwl_buf_span(&m->scratch));
}

static void put_flat(maker *m, const char *text) {
    char name[32], type[64], message[128], chunk[1024];
    int bits, end;
    if (sscanf(text, "%31s %63s %d %n", name, type, &bits, &end) != 3)
        seed_must(RWL_USAGE, text);
    lance_build_field(&m->build, name, m->next_id++, -1, type, true);
    lance_build_column(&m->build);
    snprintf(chunk, sizeof chunk, "0 0 ||%s", text + end);
    put_chunk(m, chunk);
    put_chunks(m);
    if (strncmp(type, "fixed_size_binary", 17) == 0) /* bytes side by side */
        snprintf(message, sizeof message, "1(3(11(1:%d 2(1(1:8)))) 6=01 7:1 9:%" PRIu64 ")", bits / 8,
                 m->rows);
    else
        snprintf(message, sizeof message, "1(3(1(1:%d)) 6=01 7:1 9:%" PRIu64 ")", bits, m->rows);
    snprintf(chunk, sizeof chunk, "%" PRIu64 " %s", m->rows, message);
    put_page(m, chunk);
}

static void put_field(maker *m, const char *text) {
    char name[32], type[64], nullable = 0;
    int id, parent;
    if (sscanf(text, "%31s %d %d %63s %c", name, &id, &parent, type, &nullable) < 4)
        seed_must(RWL_USAGE, text);
    lance_build_field(&m->build, name, id, parent, type, nullable == '?');
}

static void begin_file(maker *m, const char *text) {
    int major, minor;
    if (sscanf(text, "%63s %d %d %" SCNu64, m->name, &major, &minor, &m->rows) != 4)
        seed_must(RWL_USAGE, text);
    lance_build_init(&m->build, m->env, (uint16_t)major, (uint16_t)minor);
}

static void put_line(maker *m, const char *line) {
    size_t len = strcspn(line, " ");
    const char *rest = line + len + (line[len] == ' ');
    rwl_buf_reset(&m->scratch);
    if (strncmp(line, "file ", 5) == 0) {
        begin_file(m, rest);
    } else if (strncmp(line, "field ", 6) == 0) {
        put_field(m, rest);
    } else if (strncmp(line, "schema ", 7) == 0) {
        size_t begin = pb_begin(&m->build.schema, 1);
        seed_message(&m->build.schema, rest);
        pb_end(&m->build.schema, begin);
    } else if (strcmp(line, "column") == 0) {
        lance_build_column(&m->build);
    } else if (strncmp(line, "buffer ", 7) == 0) {
        seed_bytes(&m->scratch, rest);
        lance_build_buffer(&m->build, m->scratch.data, m->scratch.len);
    } else if (strncmp(line, "blob ", 5) == 0) {
        seed_bytes(&m->scratch, rest);
        lance_build_column_buffer(&m->build, m->scratch.data, m->scratch.len);
    } else if (strncmp(line, "chunk ", 6) == 0) {
        put_chunk(m, rest);
    } else if (strcmp(line, "chunks") == 0) {
        put_chunks(m);
    } else if (strncmp(line, "page ", 5) == 0) {
        put_page(m, rest);
    } else if (strncmp(line, "flat ", 5) == 0) {
        put_flat(m, rest);
    } else {
        seed_must(RWL_USAGE, line);
    }
}

size_t seed_file(const rwl_env *env, const char *const *lines, size_t count, char name[SEED_NAME_MAX],
                 rwl_buf *out) {
    maker m = {.env = env, .name = name};
    size_t used = 0;
    rwl_buf_init(&m.words, env, SIZE_MAX);
    rwl_buf_init(&m.chunks, env, SIZE_MAX);
    rwl_buf_init(&m.scratch, env, SIZE_MAX);
    do
        put_line(&m, lines[used++]);
    while (used < count && strncmp(lines[used], "file ", 5) != 0);
    lance_build_finish(&m.build, m.rows, out);
    lance_build_clear(&m.build);
    rwl_buf_clear(&m.words);
    rwl_buf_clear(&m.chunks);
    rwl_buf_clear(&m.scratch);
    return used;
}
