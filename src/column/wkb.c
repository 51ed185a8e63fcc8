/* SPDX-License-Identifier: Apache-2.0 */
/* Well-known binary to text, in one pass over the bytes. */
#include "column/wkb.h"

#include "column/value.h"

enum { POINT = 1, LINE_STRING, POLYGON, MULTI_POINT, MULTI_LINE_STRING, MULTI_POLYGON, COLLECTION };

static const char *const NAMES[] = {"",           "POINT",           "LINESTRING",   "POLYGON",
                                    "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"};

typedef struct geometry {
    bool big_endian, has_z, has_m;
    uint32_t type;
} geometry;

static rwl_status read_u32(rwl_cursor *c, bool big_endian, uint32_t *out, rwl_error *err) {
    return big_endian ? rwl_cursor_be32(c, out, err) : rwl_cursor_le32(c, out, err);
}

static rwl_status read_double(rwl_cursor *c, bool big_endian, double *out, rwl_error *err) {
    uint64_t bits;
    RWL_TRY(rwl_cursor_le64(c, &bits, err));
    if (big_endian)
        bits = __builtin_bswap64(bits);
    memcpy(out, &bits, sizeof bits);
    return RWL_OK;
}

static rwl_status read_header(rwl_cursor *c, geometry *g, rwl_error *err) {
    uint8_t order;
    uint32_t code, srid;
    RWL_TRY(rwl_cursor_u8(c, &order, err));
    if (order > 1)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos - 1, "wkb: byte order %d", order);
    g->big_endian = order == 0;
    RWL_TRY(read_u32(c, g->big_endian, &code, err));
    if (code & UINT32_C(0x20000000))
        RWL_TRY(read_u32(c, g->big_endian, &srid, err));
    uint32_t plain = code & UINT32_C(0x1FFFFFFF);
    uint32_t dimensions = plain / 1000;
    g->type = plain % 1000;
    g->has_z = (code & UINT32_C(0x80000000)) != 0 || dimensions == 1 || dimensions == 3;
    g->has_m = (code & UINT32_C(0x40000000)) != 0 || dimensions == 2 || dimensions == 3;
    if (dimensions > 3 || g->type < POINT || g->type > COLLECTION)
        return rwl_fail(
            err, dimensions <= 3 && g->type > COLLECTION && g->type <= 17 ? RWL_UNSUPPORTED : RWL_CORRUPT,
            "wkb: geometry type %u", code);
    return RWL_OK;
}

/* --- coordinates --- */

static rwl_status put_number(double v, rwl_buf *out, rwl_error *err) {
    char text[40];
    size_t len = rwl_double_format(v, text);
    if (len > 2 && text[len - 1] == '0' && text[len - 2] == '.')
        len -= 2; /* a whole number */
    return rwl_buf_append(out, text, len, err);
}

static rwl_status read_coordinates(rwl_cursor *c, const geometry *g, double at[4], int *count, bool *empty,
                                   rwl_error *err) {
    *count = 2 + g->has_z + g->has_m;
    *empty = true;
    for (int i = 0; i < *count; i++) {
        RWL_TRY(read_double(c, g->big_endian, &at[i], err));
        *empty = *empty && at[i] != at[i];
    }
    return RWL_OK;
}

static rwl_status put_coordinates(const double *at, int count, rwl_buf *out, rwl_error *err) {
    for (int i = 0; i < count; i++) {
        if (i > 0)
            RWL_TRY(rwl_buf_u8(out, ' ', err));
        RWL_TRY(put_number(at[i], out, err));
    }
    return RWL_OK;
}

static rwl_status format_point(rwl_cursor *c, const geometry *g, rwl_buf *out, rwl_error *err) {
    double at[4];
    int count;
    bool empty;
    RWL_TRY(read_coordinates(c, g, at, &count, &empty, err));
    if (empty)
        return rwl_buf_str(out, "EMPTY", err);
    RWL_TRY(rwl_buf_u8(out, '(', err));
    RWL_TRY(put_coordinates(at, count, out, err));
    return rwl_buf_u8(out, ')', err);
}

static rwl_status format_line(rwl_cursor *c, const geometry *g, rwl_buf *out, rwl_error *err) {
    uint32_t points;
    RWL_TRY(read_u32(c, g->big_endian, &points, err));
    if (points == 0)
        return rwl_buf_str(out, "EMPTY", err);
    for (uint32_t i = 0; i < points; i++) {
        double at[4];
        int count;
        bool empty;
        RWL_TRY(read_coordinates(c, g, at, &count, &empty, err));
        RWL_TRY(rwl_buf_str(out, i == 0 ? "(" : ", ", err));
        RWL_TRY(put_coordinates(at, count, out, err));
    }
    return rwl_buf_u8(out, ')', err);
}

/* --- geometries --- */

static rwl_status format_tagged(rwl_cursor *c, const geometry *g, rwl_buf *out, int depth, rwl_error *err);

/* Item of a polygon or of one of the multiple types: the parent says what it is. */
static rwl_status format_item(rwl_cursor *c, const geometry *parent, rwl_buf *out, int depth, rwl_error *err);

static rwl_status format_items(rwl_cursor *c, const geometry *g, rwl_buf *out, int depth, rwl_error *err) {
    uint32_t count;
    RWL_TRY(read_u32(c, g->big_endian, &count, err));
    if (count == 0)
        return rwl_buf_str(out, "EMPTY", err);
    for (uint32_t i = 0; i < count; i++) {
        RWL_TRY(rwl_buf_str(out, i == 0 ? "(" : ", ", err));
        RWL_TRY(format_item(c, g, out, depth, err));
    }
    return rwl_buf_u8(out, ')', err);
}

static rwl_status format_body(rwl_cursor *c, const geometry *g, rwl_buf *out, int depth, rwl_error *err) {
    if (g->type == POINT)
        return format_point(c, g, out, err);
    if (g->type == LINE_STRING)
        return format_line(c, g, out, err);
    return format_items(c, g, out, depth, err);
}

static rwl_status format_item(rwl_cursor *c, const geometry *parent, rwl_buf *out, int depth,
                              rwl_error *err) {
    if (parent->type == POLYGON)
        return format_line(c, parent, out, err);
    geometry g;
    RWL_TRY(read_header(c, &g, err));
    if (parent->type == COLLECTION)
        return format_tagged(c, &g, out, depth + 1, err);
    if (g.type != parent->type - MULTI_POINT + POINT)
        return rwl_fail(err, RWL_CORRUPT, "wkb: a %s with a %s in it", NAMES[parent->type], NAMES[g.type]);
    return format_body(c, &g, out, depth, err);
}

static rwl_status format_tagged(rwl_cursor *c, const geometry *g, rwl_buf *out, int depth, rwl_error *err) {
    static const char *const DIMENSIONS[] = {" ", " Z ", " M ", " ZM "};
    if (depth > RWL_WKB_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "wkb: collections nested deeper than %d", RWL_WKB_DEPTH_MAX);
    RWL_TRY(rwl_buf_str(out, NAMES[g->type], err));
    RWL_TRY(rwl_buf_str(out, DIMENSIONS[g->has_z + 2 * g->has_m], err));
    return format_body(c, g, out, depth, err);
}

rwl_status rwl_wkb_format(rwl_span wkb, rwl_buf *out, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(wkb);
    geometry g;
    RWL_TRY(read_header(&c, &g, err));
    RWL_TRY(format_tagged(&c, &g, out, 0, err));
    if (rwl_cursor_left(&c) > 0)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c.pos, "wkb: %zu bytes after the geometry",
                           rwl_cursor_left(&c));
    return RWL_OK;
}
