/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a Lance schema as a tree, with how their values are stored ("lance.file.Field"; manifests and data files have the same).
 *
 *   logical type                          read as                     stored
 *   null                                  unknown                     nothing
 *   bool                                  boolean                     1 bit
 *   int8 int16 uint8 uint16 int32         int                         8, 16, 32 bits
 *   uint32 int64                          long                        32, 64
 *   uint64                                decimal(20, 0), UINT64      64
 *   halffloat float double                float float double          16, 32, 64
 *   decimal:128:p:s  decimal:256:p:s      decimal; above 38 digits fixed[32] with RWL_TYPE_DECIMAL256 parameters     128, 256
 *   date32:day date64:ms                  date (date64 that is no whole day: UNSUPPORTED)                            32, 64
 *   time32:s|ms time64:us|ns, time:…      time, in microseconds or (ns) RWL_TYPE_NANOS                               32, 64
 *   timestamp:{s|ms|us|ns}:{tz or -}      timestamp(tz), timestamp(tz)_ns; s and ms multiplied, UNSUPPORTED on overflow 64
 *   duration:{s|ms|us|ns}                 long with RWL_TYPE_DURATION… parameters                                    64
 *   string large_string, binary large_binary   string, binary         offsets and bytes
 *   fixed_size_binary:n                   fixed[n]                    8 n bits
 *   dict:{value}:{index}:{ordered}        as the value type           a dictionary page of it
 *   fixed_size_list:{element}:{dim}       list<element>               dim elements side by side; lance.bfloat16 as float
 *   fixed_size_list:struct:{dim}          list<struct>                as a list, but dim entries each, whatever they are
 *   struct, list, large_list, list.struct, large_list.struct, map     struct, list, map
 *   json (lance.json)                     string                      offsets and bytes, JSONB (jsonb.h)
 *   struct of extension lance.blob.v2     binary                      places of blobs (page_blob2.c); its fields are of writers only
 *
 * A zone other than UTC is read as UTC: instants are the same. Other extension types of Lance's own, which change what bytes mean,
 * and intervals are UNSUPPORTED by name, when the column is asked for.
 */
#ifndef RWL_LANCEFILE_SCHEMA_H
#define RWL_LANCEFILE_SCHEMA_H

#include "base/arena.h"
#include "column/type.h"

/* One lance.file.Field; parents come before their children. All borrowed. */
typedef struct rwl_lance_field_def {
    const char *name;
    int32_t id, parent_id; /* parent -1: top level */
    const char *logical_type;
    const char *extension; /* extension_name, or metadata key ARROW:extension:name; NULL when none */
    bool nullable;
    bool is_packed; /* metadata "packed" or "lance-encoding:packed" is "true" */
    bool is_blob;   /* metadata "lance-encoding:blob" is "true" */
} rwl_lance_field_def;
/* Whether it is a column of blobs (version 2), whatever its struct has below it. */
bool rwl_lance_field_is_blob2(const rwl_lance_field_def *def);
/* Whether it is one that a data file has below such a column, in its own schema: neither it nor its parent is told by an id. */
bool rwl_lance_field_is_nameless(const rwl_lance_field_def *def);

typedef enum rwl_lance_form {
    RWL_LANCE_NULL,  /* no values */
    RWL_LANCE_FIXED, /* `bits` a value */
    RWL_LANCE_BYTES, /* variable length */
    RWL_LANCE_VECTOR, /* fixed-size list of `dimension` values of the one child's form and bits (FIXED or VECTOR) */
    RWL_LANCE_STRUCT, /* children */
    RWL_LANCE_PACKED, /* struct whose children's values lie side by side in one column */
    RWL_LANCE_LIST, /* one child; with a `dimension`: so many structs (or PACKED), which have no layer of a list */
    RWL_LANCE_MAP /* one child, the struct of entries; of the rwl_type the two children are key and value */
} rwl_lance_form;

enum { RWL_LANCE_VECTOR_DEPTH_MAX = 32 }; /* of fixed-size lists in each other */

/* From stored to read values, where these differ. */
typedef enum rwl_lance_convert {
    RWL_LANCE_AS_IT_IS,
    RWL_LANCE_SIGNED,   /* widened to the type's width */
    RWL_LANCE_UNSIGNED, /* likewise; 64 bits to DECIMAL */
    RWL_LANCE_HALF,     /* IEEE binary16 to float */
    RWL_LANCE_BFLOAT,   /* bfloat16 to float */
    RWL_LANCE_SCALED,   /* signed, times `factor`; UNSUPPORTED on overflow */
    RWL_LANCE_DAYS,     /* milliseconds to days */
    RWL_LANCE_JSONB,    /* of BYTES: JSONB to its text */
    RWL_LANCE_NARROW    /* 256-bit decimal to 128 bits; CORRUPT when it does not fit its precision */
} rwl_lance_convert;

/* A field and what is below it. `index` counts the nodes of the tree in pre-order from 0 at each top-level field. */
typedef struct rwl_lance_node {
    rwl_field field; /* name, id, required, type as it is read */
    rwl_lance_form form;
    /* FIXED: stored, 1 to 8 * 2^20; PACKED: of all its fields, also those cut away, 0 when their length varies. */
    int32_t bits;
    int32_t offset, place; /* in a PACKED: bits before it, fields before it */
    int32_t dimension;     /* VECTOR; LIST: 0 when lengths differ */
    rwl_lance_convert convert;
    int64_t factor; /* SCALED */
    /* PACKED: among all its fields; file version 2.2 has rows of bytes then, too (packed_rows.h). */
    bool has_vectors;
    bool is_dictionary, is_blob;         /* BYTES, FIXED: stored through a dictionary; BYTES: as a blob */
    bool is_blob2;                       /* BYTES: as a blob of version 2 */
    const char *refusal;                 /* why it can't be read, NULL when it can */
    const char *logical_type;            /* as stored; "lance.blob.v2" of such blobs */
    int32_t index, node_count;           /* of this node and all below it */
    const struct rwl_lance_node *parent; /* NULL at the top */
    /* Of a VECTOR one without a column of its own, with id -1 and the VECTOR's index, not counted. Children of the type of a list are
     * called "element", of a map "key" and "value", whatever the file calls them. */
    const struct rwl_lance_node *children;
    int32_t child_count;
} rwl_lance_node;

typedef struct rwl_lance_schema {
    const rwl_lance_node *nodes; /* top-level fields */
    const rwl_field *fields;     /* the same, for the engine */
    int32_t count;
} rwl_lance_schema;

/* Builds the tree in `arena`, which also keeps copies of names. CORRUPT: an unknown parent, an id twice, a name twice in a struct, a
 * list without exactly one child, deeper than RWL_TYPE_DEPTH_MAX, one of Lance's system columns as a name (trap 14). A logical
 * type that is not known becomes a node with a refusal. Negative ids are those of hidden columns of lineage, under their names, at
 * the top: right in a data file's own schema alone, which only the caller knows. (A file that holds nothing but lineage may number its
 * fields from 0: such a schema is for rwl_lancefile_column_field, not for this.) */
RWL_MUST_CHECK rwl_status rwl_lance_schema_build(const rwl_lance_field_def *defs, size_t count,
                                                 rwl_arena *arena, rwl_lance_schema *out, rwl_error *err);
/* The node with this field id at any depth; NULL when there is none. */
const rwl_lance_node *rwl_lance_schema_find(const rwl_lance_schema *schema, int32_t id);
/* The first node at or below this one that has a refusal; NULL when all can be read. */
const rwl_lance_node *rwl_lance_node_refused(const rwl_lance_node *node);
/* `node` cut down to the children that `type` (a field of it cut by name, table/name_fields) has, in `arena`; indexes, ids and
 * parents stay those of the whole. */
RWL_MUST_CHECK rwl_status rwl_lance_node_cut(const rwl_lance_node *node, const rwl_type *type,
                                             rwl_arena *arena, rwl_lance_node *out, rwl_error *err);
/* A node of uint64 values read as long, for lineage columns: CORRUPT above 2^63 - 1. */
rwl_lance_node rwl_lance_node_of_lineage(const char *name);

#endif
