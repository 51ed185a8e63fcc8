/* SPDX-License-Identifier: Apache-2.0 */
/* What reading and writing of Arrow IPC share: the numbers of Message.fbs and Schema.fbs, and formats as types. */
#ifndef RWL_IPC_IPC_INTERNAL_H
#define RWL_IPC_IPC_INTERNAL_H

#include "base/buf.h"

#define RWL_IPC_MAGIC "ARROW1"
enum { RWL_IPC_MAGIC_LEN = 6, RWL_IPC_VERSION_4 = 3, RWL_IPC_VERSION_5 = 4, RWL_IPC_DEPTH_MAX = 64 };

/* MessageHeader of Message.fbs. */
enum { RWL_IPC_SCHEMA = 1, RWL_IPC_DICTIONARY = 2, RWL_IPC_BATCH = 3 };

/* Type of Schema.fbs. */
enum {
    RWL_IPC_NULL = 1,
    RWL_IPC_INT = 2,
    RWL_IPC_FLOAT = 3,
    RWL_IPC_BINARY = 4,
    RWL_IPC_UTF8 = 5,
    RWL_IPC_BOOL = 6,
    RWL_IPC_DECIMAL = 7,
    RWL_IPC_DATE = 8,
    RWL_IPC_TIME = 9,
    RWL_IPC_TIMESTAMP = 10,
    RWL_IPC_LIST = 12,
    RWL_IPC_STRUCT = 13,
    RWL_IPC_FIXED = 15,
    RWL_IPC_FIXED_LIST = 16,
    RWL_IPC_MAP = 17,
    RWL_IPC_DURATION = 18,
    RWL_IPC_LARGE_BINARY = 19,
    RWL_IPC_LARGE_UTF8 = 20,
    RWL_IPC_LARGE_LIST = 21
};

/* The buffers of a column behind its validity. */
typedef enum rwl_ipc_layout {
    RWL_IPC_LAYOUT_NONE, /* no buffer at all, not even a validity */
    RWL_IPC_LAYOUT_BITS,
    RWL_IPC_LAYOUT_FIXED,
    RWL_IPC_LAYOUT_BYTES,       /* 32-bit offsets, bytes */
    RWL_IPC_LAYOUT_LARGE_BYTES, /* 64-bit offsets, bytes */
    RWL_IPC_LAYOUT_LIST,        /* 32-bit offsets */
    RWL_IPC_LAYOUT_LARGE_LIST,  /* 64-bit offsets */
    RWL_IPC_LAYOUT_STRUCT       /* none: structs and lists of fixed size */
} rwl_ipc_layout;

typedef struct rwl_ipc_type {
    int id;        /* of Schema.fbs */
    int32_t a, b;  /* its parameters, in Schema.fbs' order, 0 without */
    int32_t width; /* LAYOUT_FIXED: bytes of a value; FIXED_LIST: items of a list */
    rwl_ipc_layout layout;
} rwl_ipc_type;

/* The type of a format string of the C data interface; false when IPC here does not know it. */
bool rwl_ipc_type_of_format(const char *format, rwl_ipc_type *out);

#endif
