/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the columns of a scan come from in one file of any age (specification, "Column Projection"), by field id at
 * every depth: the file's field with the id, else the partition's value if an identity field of the file's spec has the
 * field as its source, else the field's initial default, else null.
 *
 * A file in which no field has an id gets the ids of `schema.name-mapping.default`; without that property, those of the
 * schema's fields of the same names, and one in which no column of the table is found so is refused.
 *
 * Elements of lists, keys and values of maps have no ids to be told apart by: they are those of their list or map.
 */
#ifndef RWL_ICEBERG_PROJECTION_H
#define RWL_ICEBERG_PROJECTION_H

#include "iceberg/metadata.h"
#include "iceberg/stored_file.h"
#include "table/fragment.h"

/* A file's fields as a table sees them. Plain data in an arena. */
typedef struct rwl_projection {
    const rwl_metadata *metadata;
    const rwl_fragment *fragment;
    const rwl_stored_file *file;
    rwl_arena *arena;
    const rwl_field *fields; /* the file's, with ids where it has none of its own */
    int32_t field_count;
    const int32_t *by_id;      /* indexes of fields in the order of their ids */
    const int32_t *first_leaf; /* one a field */
    int32_t leaf_count;
} rwl_projection;

/*
 * All borrowed. `fields` are columns to be read, by whose names and ids the schema is known that gives names to a file
 * without ids. CORRUPT: a name mapping that is none. UNSUPPORTED: no ids, no mapping, and no column of the table.
 */
RWL_MUST_CHECK rwl_status rwl_projection_init(rwl_projection *p, const rwl_metadata *metadata,
                                              const rwl_fragment *fragment, const rwl_stored_file *file,
                                              const rwl_field *fields, int32_t field_count, rwl_arena *arena,
                                              rwl_error *err);
/* The index of the file's top-level field with this id, -1 without. */
int32_t rwl_projection_find(const rwl_projection *p, int32_t field_id);
/* The index of the file's stored lineage column, by its reserved id alone: neither a name nor a name mapping makes one. -1
 * without, or where the fragment's null first_row_id hides it (law 5). CORRUPT: two of them, or no long. */
RWL_MUST_CHECK rwl_status rwl_projection_find_lineage(const rwl_projection *p, int32_t field_id, int32_t *out,
                                                      rwl_error *err);

typedef enum rwl_recipe_kind {
    RWL_RECIPE_SAME,     /* the file's values as they are */
    RWL_RECIPE_PROMOTED, /* the file's values in a wider type */
    RWL_RECIPE_REBUILT,  /* the file's structs, lists or maps, of children made by their recipes */
    RWL_RECIPE_CONSTANT  /* one value; of a struct that is not null, its children's */
} rwl_recipe_kind;

/* How a column is made from the file's. */
typedef struct rwl_recipe {
    rwl_recipe_kind kind;
    int32_t source;     /* index in file->fields, below the top among the children read; -1 for a constant */
    rwl_value constant; /* bytes borrowed from fragment, field or arena */
    struct rwl_recipe *children; /* REBUILT, CONSTANT structs: one a child of the field */
    int32_t child_count;
    bool is_bound; /* `source` is among the children read */
} rwl_recipe;

/*
 * The recipe of a field, which may have fewer children than the table's; sets the flags of the leaves that it needs in
 * `wanted` (p->leaf_count of them; NULL: not told). CORRUPT naming the column: a file type that the field's can't be
 * read from, a required field that nothing gives. To be bound when all recipes of a reader are made.
 */
RWL_MUST_CHECK rwl_status rwl_projection_resolve(const rwl_projection *p, const rwl_field *field,
                                                 bool *wanted, rwl_recipe *out, rwl_error *err);
/* Makes `source` of nested recipes indexes among the children that are wanted, and SAME what is read just as it is asked
 * for. */
void rwl_projection_bind(const rwl_projection *p, const bool *wanted, rwl_recipe *recipe);

/* Whether `type`, as rwl_stored_reader_fields gives it, has what a bound recipe takes from it. */
bool rwl_recipe_fits(const rwl_recipe *recipe, const rwl_type *type);
/* Appends `rows` times the constant to a column without rows. */
RWL_MUST_CHECK rwl_status rwl_recipe_fill(const rwl_recipe *recipe, int64_t rows, rwl_column *out,
                                          const rwl_env *env, rwl_error *err);
/* Sets `out` (reset) to what the recipe makes of all rows of `in`, whose buffers may go over to `out`; `in` keeps its
 * type and is to be reset then. */
RWL_MUST_CHECK rwl_status rwl_recipe_apply(const rwl_recipe *recipe, rwl_column *in, rwl_column *out,
                                           const rwl_env *env, rwl_error *err);
/* Exchanges what columns of the same layout hold, each keeping its type. */
void rwl_column_exchange(rwl_column *a, rwl_column *b);

/* A value of one schema as a value of another's type: widened, or narrowed where it fits; false else. */
bool rwl_value_convert(const rwl_value *from, const rwl_type *to, rwl_value *out);

#endif
