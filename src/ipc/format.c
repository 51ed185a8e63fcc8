/* SPDX-License-Identifier: Apache-2.0 */
/* Format strings of the C data interface as types of Schema.fbs. */
#include "ipc/ipc_internal.h"

#include <stdlib.h>

typedef struct format_row {
    const char *format;
    rwl_ipc_type type;
} format_row;

static const format_row FORMATS[] = {
    {"n", {RWL_IPC_NULL, 0, 0, 0, RWL_IPC_LAYOUT_NONE}},
    {"b", {RWL_IPC_BOOL, 0, 0, 0, RWL_IPC_LAYOUT_BITS}},
    {"c", {RWL_IPC_INT, 8, 1, 1, RWL_IPC_LAYOUT_FIXED}},
    {"C", {RWL_IPC_INT, 8, 0, 1, RWL_IPC_LAYOUT_FIXED}},
    {"s", {RWL_IPC_INT, 16, 1, 2, RWL_IPC_LAYOUT_FIXED}},
    {"S", {RWL_IPC_INT, 16, 0, 2, RWL_IPC_LAYOUT_FIXED}},
    {"i", {RWL_IPC_INT, 32, 1, 4, RWL_IPC_LAYOUT_FIXED}},
    {"I", {RWL_IPC_INT, 32, 0, 4, RWL_IPC_LAYOUT_FIXED}},
    {"l", {RWL_IPC_INT, 64, 1, 8, RWL_IPC_LAYOUT_FIXED}},
    {"L", {RWL_IPC_INT, 64, 0, 8, RWL_IPC_LAYOUT_FIXED}},
    {"e", {RWL_IPC_FLOAT, 0, 0, 2, RWL_IPC_LAYOUT_FIXED}},
    {"f", {RWL_IPC_FLOAT, 1, 0, 4, RWL_IPC_LAYOUT_FIXED}},
    {"g", {RWL_IPC_FLOAT, 2, 0, 8, RWL_IPC_LAYOUT_FIXED}},
    {"z", {RWL_IPC_BINARY, 0, 0, 0, RWL_IPC_LAYOUT_BYTES}},
    {"u", {RWL_IPC_UTF8, 0, 0, 0, RWL_IPC_LAYOUT_BYTES}},
    {"Z", {RWL_IPC_LARGE_BINARY, 0, 0, 0, RWL_IPC_LAYOUT_LARGE_BYTES}},
    {"U", {RWL_IPC_LARGE_UTF8, 0, 0, 0, RWL_IPC_LAYOUT_LARGE_BYTES}},
    {"tdD", {RWL_IPC_DATE, 0, 0, 4, RWL_IPC_LAYOUT_FIXED}},
    {"tdm", {RWL_IPC_DATE, 1, 0, 8, RWL_IPC_LAYOUT_FIXED}},
    {"tts", {RWL_IPC_TIME, 0, 32, 4, RWL_IPC_LAYOUT_FIXED}},
    {"ttm", {RWL_IPC_TIME, 1, 32, 4, RWL_IPC_LAYOUT_FIXED}},
    {"ttu", {RWL_IPC_TIME, 2, 64, 8, RWL_IPC_LAYOUT_FIXED}},
    {"ttn", {RWL_IPC_TIME, 3, 64, 8, RWL_IPC_LAYOUT_FIXED}},
    {"tDs", {RWL_IPC_DURATION, 0, 0, 8, RWL_IPC_LAYOUT_FIXED}},
    {"tDm", {RWL_IPC_DURATION, 1, 0, 8, RWL_IPC_LAYOUT_FIXED}},
    {"tDu", {RWL_IPC_DURATION, 2, 0, 8, RWL_IPC_LAYOUT_FIXED}},
    {"tDn", {RWL_IPC_DURATION, 3, 0, 8, RWL_IPC_LAYOUT_FIXED}},
    {"+s", {RWL_IPC_STRUCT, 0, 0, 0, RWL_IPC_LAYOUT_STRUCT}},
    {"+l", {RWL_IPC_LIST, 0, 0, 0, RWL_IPC_LAYOUT_LIST}},
    {"+L", {RWL_IPC_LARGE_LIST, 0, 0, 0, RWL_IPC_LAYOUT_LARGE_LIST}},
    {"+m", {RWL_IPC_MAP, 0, 0, 0, RWL_IPC_LAYOUT_LIST}},
};

/* The number at `text`, which must be positive and end with `end`. */
static bool read_number(const char *text, char end, int32_t *out, const char **rest) {
    char *stop;
    long n = strtol(text, &stop, 10);
    if (stop == text || *stop != end || n < 0 || n > INT32_MAX)
        return false;
    *out = (int32_t)n;
    *rest = stop + (end != '\0');
    return true;
}

/* "tsu:UTC": unit and zone. */
static bool read_timestamp(const char *format, rwl_ipc_type *out) {
    const char *units = "smun", *unit = format[2] != '\0' ? strchr(units, format[2]) : NULL;
    if (unit == NULL || format[3] != ':')
        return false;
    *out = (rwl_ipc_type){RWL_IPC_TIMESTAMP, (int32_t)(unit - units), 0, 8, RWL_IPC_LAYOUT_FIXED};
    return true;
}

/* "d:9,2", with an optional third number of bits, 128 or 256 here. */
static bool read_decimal(const char *format, rwl_ipc_type *out) {
    const char *rest;
    int32_t bits;
    *out = (rwl_ipc_type){RWL_IPC_DECIMAL, 0, 0, 16, RWL_IPC_LAYOUT_FIXED};
    if (!read_number(format + 2, ',', &out->a, &rest))
        return false;
    if (read_number(rest, '\0', &out->b, &rest))
        return true;
    if (!read_number(rest, ',', &out->b, &rest) || !read_number(rest, '\0', &bits, &rest) ||
        (bits != 128 && bits != 256))
        return false;
    out->width = bits / 8;
    return true;
}

bool rwl_ipc_type_of_format(const char *format, rwl_ipc_type *out) {
    const char *rest;
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++)
        if (strcmp(format, FORMATS[i].format) == 0) {
            *out = FORMATS[i].type;
            return true;
        }
    if (strncmp(format, "ts", 2) == 0)
        return read_timestamp(format, out);
    if (strncmp(format, "d:", 2) == 0)
        return read_decimal(format, out);
    *out = (rwl_ipc_type){RWL_IPC_FIXED, 0, 0, 0, RWL_IPC_LAYOUT_FIXED};
    if (strncmp(format, "w:", 2) == 0 && read_number(format + 2, '\0', &out->a, &rest)) {
        out->width = out->a;
        return true;
    }
    *out = (rwl_ipc_type){RWL_IPC_FIXED_LIST, 0, 0, 0, RWL_IPC_LAYOUT_STRUCT};
    if (strncmp(format, "+w:", 3) == 0 && read_number(format + 3, '\0', &out->a, &rest)) {
        out->width = out->a;
        return true;
    }
    return false;
}
