/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of Avro files, for this folder only.
 *
 *   nodes     what the file's schema says, one for each field at any depth: the same for all scans
 *   branches  what one scan decodes: nodes cut down to what is wanted, with the room of the columns they fill
 *   steps     the fields of a record as they lie in the bytes: each is decoded by a branch, or passed over
 */
#ifndef RWL_AVRO_ROWS_INTERNAL_H
#define RWL_AVRO_ROWS_INTERNAL_H

#include "avro/container.h"
#include "avro/rows.h"
#include "base/int128.h"

/* How a value becomes one of a column. */
typedef enum rwl_avro_read_kind {
    RWL_AVRO_READ_NULL,
    RWL_AVRO_READ_BOOLEAN,
    RWL_AVRO_READ_INT,         /* 32 bits in 32 */
    RWL_AVRO_READ_LONG,        /* 64 bits in 64 */
    RWL_AVRO_READ_INT_MILLIS,  /* an int of milliseconds, microseconds in 64 bits */
    RWL_AVRO_READ_LONG_MILLIS, /* a long of milliseconds, microseconds in 64 bits */
    RWL_AVRO_READ_FLOAT,
    RWL_AVRO_READ_DOUBLE,
    RWL_AVRO_READ_BYTES, /* strings too */
    RWL_AVRO_READ_ENUM,
    RWL_AVRO_READ_FIXED,
    RWL_AVRO_READ_UUID_TEXT,
    RWL_AVRO_READ_DECIMAL_FIXED,
    RWL_AVRO_READ_DECIMAL_BYTES,
    RWL_AVRO_READ_VARIANT,
    RWL_AVRO_READ_STRUCT,
    RWL_AVRO_READ_LIST,
    RWL_AVRO_READ_MAP,        /* a map of Avro, its keys strings */
    RWL_AVRO_READ_KEY_VALUES, /* an array of records of a key and a value */
} rwl_avro_read_kind;

typedef struct rwl_avro_node {
    rwl_field field;
    rwl_avro_read_kind kind;
    const rwl_avro_schema *schema; /* of a value that is not null */
    int32_t branch_count;          /* of the union around it, 0: there is none */
    int32_t null_branch;           /* -1: there is none */
    const char *problem;           /* why it can't be read; NULL when it can */
    int32_t first_leaf, leaf_count;
    struct rwl_avro_node *children; /* field.type.child_count of them */
} rwl_avro_node;

/* Fields of all depths that a file may have: references to one named type multiply them. */
enum { RWL_AVRO_NODES_MAX = 1 << 18 };

/* Makes the nodes of a record's fields in `arena`, which keeps pointing into the schema. */
RWL_MUST_CHECK rwl_status rwl_avro_nodes_new(rwl_arena *arena, const rwl_avro_schema *record,
                                             rwl_avro_node **nodes, int32_t *count, rwl_error *err);

struct rwl_avro_rows {
    const rwl_env *env;
    rwl_store *store;
    char *location;
    int64_t size;
    rwl_avro_header header;
    rwl_avro_node *nodes; /* of the top-level fields */
    rwl_field *fields;
    int32_t field_count;
};

/* --- one scan --- */

typedef struct rwl_avro_branch rwl_avro_branch;

typedef struct rwl_avro_step {
    const char *name;              /* for errors */
    const rwl_avro_schema *schema; /* union and all */
    rwl_avro_branch *branch;       /* NULL: passed over */
    int32_t column;                /* which of the record's columns it fills */
} rwl_avro_step;

struct rwl_avro_branch {
    const rwl_avro_node *node;
    rwl_field field;           /* cut down to what is read */
    rwl_avro_branch *children; /* field.type.child_count of them */
    rwl_avro_step *steps;      /* STRUCT, KEY_VALUES: of the record */
    int32_t step_count;
    size_t width;    /* of the column's values */
    int64_t room;    /* rows reserved in the column of the current batch */
    int64_t charge;  /* memory that a value takes at least: of elements that they take in its lists */
    rwl_i128 beyond; /* DECIMAL: the least number of too many digits, 0: none of 128 bits is */
};

/* What is decoded of a record that is the file's top. */
typedef struct rwl_avro_plan {
    rwl_arena arena;
    rwl_avro_branch *branches; /* in output order */
    rwl_field *fields;
    int32_t count;
    rwl_avro_step *steps;
    int32_t step_count;
    int64_t charge; /* of a row */
} rwl_avro_plan;

/* The plan is to be cleared also after a failure. UNSUPPORTED: a wanted field that can't be read. */
RWL_MUST_CHECK rwl_status rwl_avro_plan_init(rwl_avro_plan *plan, const rwl_avro_rows *rows,
                                             const int32_t *columns, int32_t count, const bool *wanted,
                                             rwl_error *err);
void rwl_avro_plan_clear(rwl_avro_plan *plan);
/* Begins a batch: nothing is known of the room in its columns. */
void rwl_avro_plan_restart(rwl_avro_plan *plan);

typedef struct rwl_avro_values {
    rwl_op *op;
    int64_t charged;     /* of its budget, for the columns of the batch */
    rwl_cursor in;       /* the uncompressed block */
    int64_t values_left; /* of those that may take no bytes */
    int64_t memory_left; /* that the row may take in columns */
} rwl_avro_values;

/* Charges what the columns of a batch hold when its reading begins, instead of what was charged before. */
RWL_MUST_CHECK rwl_status rwl_avro_values_charge(rwl_avro_values *v, const rwl_batch *batch, rwl_error *err);
/* Appends a row: each step to its column of `columns`. */
RWL_MUST_CHECK rwl_status rwl_avro_values_row(rwl_avro_values *v, const rwl_avro_plan *plan,
                                              rwl_column *columns, rwl_error *err);
/* Passes over a value of `schema` without looking at more of it than its end needs. */
RWL_MUST_CHECK rwl_status rwl_avro_skip(rwl_cursor *in, const rwl_avro_schema *schema, rwl_error *err);
/* All strings of a finished batch are UTF-8, or CORRUPT. */
RWL_MUST_CHECK rwl_status rwl_avro_values_check_text(const rwl_avro_branch *branch, const rwl_column *column,
                                                     rwl_error *err);

#endif
