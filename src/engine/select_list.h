/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of --select:
 *
 *   list := [ name { , name } ]      name := part { . part }
 *   part := "any text" ("" for a quote) | text without comma and dot, spaces around it not part of it
 */
#ifndef RWL_ENGINE_SELECT_LIST_H
#define RWL_ENGINE_SELECT_LIST_H

#include "base/arena.h"

typedef struct rwl_select_name {
    const char *text; /* the parts with dots between them, quotes removed; NULL at the end of the list */
    bool is_path;     /* of several parts */
} rwl_select_name;

/* The next name at *text, which moves behind it. USAGE. */
RWL_MUST_CHECK rwl_status rwl_select_next(const char **text, rwl_arena *arena, rwl_select_name *out,
                                          rwl_error *err);

#endif
