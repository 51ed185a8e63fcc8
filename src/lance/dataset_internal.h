/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of dataset.h. */
#ifndef RWL_LANCE_DATASET_INTERNAL_H
#define RWL_LANCE_DATASET_INTERNAL_H

#include "lance/dataset.h"

/* Where tags and branches are looked up. All borrowed. */
typedef struct rwl_lance_lookup {
    rwl_store *store;
    rwl_op *op;
    const char *root; /* the dataset's directory */
    rwl_arena *arena; /* of what is found */
} rwl_lance_lookup;

/* A tag or branch by its name; *found false when there is none. `is_tag` says which of the two is asked for. CORRUPT when it says
 * nothing. */
RWL_MUST_CHECK rwl_status rwl_lance_ref_find(const rwl_lance_lookup *lookup, const char *name, bool is_tag,
                                             rwl_lance_ref *out, bool *found, rwl_error *err);
/* NOT_FOUND for a name, with the tags and branches that there are. */
rwl_status rwl_lance_ref_missing(rwl_store *store, rwl_op *op, const char *root, const char *name,
                                 rwl_error *err);

#endif
