/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in a table's metadata folder.
 *
 *   vN.metadata.json          version N, from 1, of the file-system layout; no leading zeros
 *   vN.gz.metadata.json       the same, gzip
 *   vN.metadata.json.gz       the same, gzip, as old writers named it
 *   NNNNN-uuid.metadata.json  version NNNNN, from 0, of a table that a catalog owns; gzip forms as above
 *   version-hint.text         a decimal N on the first line
 */
#ifndef RWL_CATALOG_NAMES_H
#define RWL_CATALOG_NAMES_H

#include "base/buf.h"

typedef enum rwl_metadata_layout { RWL_METADATA_VERSION, RWL_METADATA_FOREIGN } rwl_metadata_layout;

/* In the order in which readers look for them (Iceberg Java): of two with one number the first counts. */
typedef enum rwl_metadata_form {
    RWL_METADATA_PLAIN,
    RWL_METADATA_GZIP,
    RWL_METADATA_GZIP_OLD
} rwl_metadata_form;

typedef struct rwl_metadata_name {
    rwl_metadata_layout layout;
    rwl_metadata_form form;
    int64_t number;
} rwl_metadata_name;

/* False when `name` is none of the above. */
bool rwl_metadata_name_parse(const char *name, rwl_metadata_name *out);
/* The form of any name that ends as a metadata file does; false for other names. */
bool rwl_metadata_name_form(const char *name, rwl_metadata_form *out);

#define RWL_METADATA_NAME_MAX 48
/* "vN.metadata.json" and its forms, with a NUL. */
void rwl_metadata_name_format(int64_t number, rwl_metadata_form form, char out[RWL_METADATA_NAME_MAX]);

/* The version a hint names: its first line, spaces around it ignored; -1 when that is no positive number. */
int64_t rwl_metadata_hint_parse(rwl_span text);

#endif
