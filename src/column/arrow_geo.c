/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry types to and from the metadata of geoarrow.wkb. */
#include "base/json.h"
#include "column/arrow_internal.h"

static const char CRS_DEFAULT[] = "OGC:CRS84";
static const char EDGES_DEFAULT[] = "spherical";

/* --- out --- */

static rwl_span trim(rwl_span text) {
    while (text.len > 0 && text.data[0] == ' ')
        text = rwl_span_of(text.data + 1, text.len - 1);
    while (text.len > 0 && text.data[text.len - 1] == ' ')
        text.len--;
    return text;
}

/* "crs, edges" of a geography, "crs" of a geometry; defaults where one is unsaid. */
static void split_parameters(const rwl_type *type, rwl_span *crs, rwl_span *edges) {
    rwl_span all = rwl_span_str(type->parameters == NULL ? "" : type->parameters);
    *edges = rwl_span_of(NULL, 0);
    if (type->kind == RWL_TYPE_GEOGRAPHY) {
        size_t comma = all.len;
        while (comma > 0 && all.data[comma - 1] != ',')
            comma--;
        if (comma > 0) {
            *edges = trim(rwl_span_of(all.data + comma, all.len - comma));
            all.len = comma - 1;
        }
        if (edges->len == 0)
            *edges = rwl_span_str(EDGES_DEFAULT);
    }
    *crs = trim(all);
    if (crs->len == 0)
        *crs = rwl_span_str(CRS_DEFAULT);
}

/* AUTHORITY:CODE, both of letters and digits. */
static bool is_authority_code(rwl_span crs) {
    size_t colons = 0;
    for (size_t i = 0; i < crs.len; i++) {
        uint8_t c = crs.data[i];
        bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (c == ':' && i > 0 && i + 1 < crs.len)
            colons++;
        else if (!plain)
            return false;
    }
    return colons == 1;
}

rwl_status rwl_arrow_geo_metadata(const rwl_type *type, rwl_buf *out, rwl_error *err) {
    rwl_span crs, edges;
    split_parameters(type, &crs, &edges);
    const char *kind = is_authority_code(crs) ? "authority_code" : NULL;
    if (crs.len > 5 && memcmp(crs.data, "srid:", 5) == 0) {
        crs = rwl_span_of(crs.data + 5, crs.len - 5);
        kind = "srid";
    }
    RWL_TRY(rwl_buf_str(out, "{\"crs\":", err));
    RWL_TRY(rwl_json_quote(crs, out, err));
    if (kind != NULL)
        RWL_TRY(rwl_buf_printf(out, err, ",\"crs_type\":\"%s\"", kind));
    if (type->kind == RWL_TYPE_GEOGRAPHY) {
        RWL_TRY(rwl_buf_str(out, ",\"edges\":", err));
        RWL_TRY(rwl_json_quote(edges, out, err));
    }
    return rwl_buf_u8(out, '}', err);
}

/* --- in --- */

/* Authority and code of a PROJJSON object. */
static const char *name_projjson(const rwl_json *crs, rwl_arena *arena) {
    const rwl_json *id = rwl_json_get(crs, "id");
    const char *authority = rwl_json_str(rwl_json_get(id, "authority"));
    const rwl_json *code = rwl_json_get(id, "code");
    if (authority == NULL || code == NULL)
        return NULL;
    if (rwl_json_kind_of(code) == RWL_JSON_INT)
        return rwl_arena_printf(arena, "%s:%lld", authority, (long long)rwl_json_i64(code));
    return rwl_json_str(code) != NULL ? rwl_arena_printf(arena, "%s:%s", authority, rwl_json_str(code))
                                      : NULL;
}

/* NULL where nothing is said. */
static rwl_status read_crs(const rwl_json *metadata, rwl_arena *arena, const char **out, rwl_error *err) {
    const rwl_json *crs = rwl_json_get(metadata, "crs");
    *out = NULL;
    if (crs == NULL || rwl_json_kind_of(crs) == RWL_JSON_NULL)
        return RWL_OK;
    const char *kind = rwl_json_str(rwl_json_get(metadata, "crs_type"));
    if (rwl_json_kind_of(crs) == RWL_JSON_OBJECT)
        *out = name_projjson(crs, arena);
    else if (rwl_json_str(crs) != NULL)
        *out = rwl_arena_printf(arena, "%s%s", kind != NULL && strcmp(kind, "srid") == 0 ? "srid:" : "",
                                rwl_json_str(crs));
    return *out != NULL ? RWL_OK : rwl_fail(err, RWL_UNSUPPORTED, "a CRS without authority and code");
}

static rwl_status read_geo(const rwl_json *metadata, rwl_arena *arena, rwl_type *out, rwl_error *err) {
    const char *edges = rwl_json_str(rwl_json_get(metadata, "edges"));
    const char *crs;
    RWL_TRY(read_crs(metadata, arena, &crs, err));
    bool planar = edges == NULL || strcmp(edges, "planar") == 0;
    *out = rwl_type_of(planar ? RWL_TYPE_GEOMETRY : RWL_TYPE_GEOGRAPHY);
    if (!planar && strcmp(edges, EDGES_DEFAULT) != 0)
        out->parameters = rwl_arena_printf(arena, "%s, %s", crs != NULL ? crs : CRS_DEFAULT, edges);
    else if (crs == NULL || strcmp(crs, CRS_DEFAULT) == 0)
        return RWL_OK;
    else
        out->parameters = rwl_arena_strdup(arena, crs);
    return out->parameters != NULL ? RWL_OK : rwl_no_memory(err, strlen(crs != NULL ? crs : ""));
}

rwl_status rwl_arrow_geo_type(rwl_span metadata, rwl_arena *arena, rwl_type *out, rwl_error *err) {
    rwl_json *json = NULL;
    if (metadata.len > 0)
        RWL_TRY(rwl_json_parse(metadata, &json, err));
    rwl_status st = read_geo(json, arena, out, err);
    rwl_json_free(json);
    return st;
}
