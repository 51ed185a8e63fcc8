/* SPDX-License-Identifier: Apache-2.0 */
/* The data files of one fragment, each opened when something of it is first needed. */
#ifndef RWL_LANCE_FRAGMENT_FILES_H
#define RWL_LANCE_FRAGMENT_FILES_H

#include "lance/dataset.h"
#include "lancefile/file.h"

typedef struct rwl_lance_fragment_files {
    const rwl_lance_dataset *dataset; /* this and what follows: borrowed */
    rwl_op *op;
    const rwl_lance_fragment *fragment;
    rwl_arena arena;
    rwl_lancefile **items; /* one of each of the fragment's, NULL until opened; itself NULL until one is */
} rwl_lance_fragment_files;

void rwl_lance_fragment_files_init(rwl_lance_fragment_files *files, const rwl_lance_dataset *dataset,
                                   rwl_op *op, const rwl_lance_fragment *fragment);
void rwl_lance_fragment_files_clear(rwl_lance_fragment_files *files);
/* File number `index` of the fragment, which stays until the list is cleared. Errors as of rwl_lancefile_open, and CORRUPT for a base
 * path that the manifest does not list. */
RWL_MUST_CHECK rwl_status rwl_lance_fragment_files_open(rwl_lance_fragment_files *files, int32_t index,
                                                        rwl_lancefile **out, rwl_error *err);

#endif
