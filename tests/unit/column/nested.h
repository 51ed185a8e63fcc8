/* SPDX-License-Identifier: Apache-2.0 */
/* Nested types, random columns of them, and their rows as text. */
#ifndef RWL_TEST_COLUMN_NESTED_H
#define RWL_TEST_COLUMN_NESTED_H

#include "suites.h"

extern const rwl_field NESTED[];
extern const int NESTED_COUNT;

/* One random row; one in `null_every` is null at each level (0: none). */
void append_random(rwl_column *c, const rwl_env *env, int null_every, uint64_t *seed);
/* A row that is not null: nothing in a list or map, whose elements are appended before or after; in a struct the
 * children get theirs by themselves. */
void append_present(rwl_column *c, const rwl_env *env, int64_t elements);
/* Every row as JSON, to be freed with free_texts. */
char **texts_of(const rwl_column *c, const rwl_env *env);
void free_texts(char **texts, int64_t count);

#endif
