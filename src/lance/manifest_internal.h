/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of manifest.h. */
#ifndef RWL_LANCE_MANIFEST_INTERNAL_H
#define RWL_LANCE_MANIFEST_INTERNAL_H

#include "lance/manifest.h"
#include "lance/message_internal.h"

/* Fills the plain structs from m->message and the arms that stayed in the file, and checks them. */
RWL_MUST_CHECK rwl_status rwl_lance_manifest_fill(rwl_lance_manifest *m, const rwl_lance_left *left,
                                                  size_t left_count, rwl_error *err);
/* Its fragments. */
RWL_MUST_CHECK rwl_status rwl_lance_manifest_fill_fragments(rwl_lance_manifest *m, const rwl_lance_left *left,
                                                            size_t left_count, rwl_error *err);
/* When a version was committed, by the ends of the message alone. CORRUPT. */
RWL_MUST_CHECK rwl_status rwl_lance_manifest_time(rwl_store *store, rwl_op *op, const char *location,
                                                  int64_t *timestamp_ms, rwl_error *err);

typedef enum rwl_lance_naming {
    RWL_LANCE_NOT_A_MANIFEST,
    RWL_LANCE_V1,
    RWL_LANCE_V2,
    RWL_LANCE_DETACHED
} rwl_lance_naming;
/* What a file's name says ("18446744073709551614.manifest"); the version of a detached one without its top bit. Versions beyond
 * int64 are no manifests of ours. */
rwl_lance_naming rwl_lance_version_of_name(const char *name, int64_t *version);

#endif
