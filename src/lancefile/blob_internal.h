/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What blob pages of both kinds share (blob_places.c): places of blobs, read as rows of an ordinary page of packed structs, before
 * any of the bytes; and files beside a data file (blob_files.c).
 *
 *   page_blob.c    u64 position | u64 size                                       bytes of the data file itself
 *   page_blob2.c   u8 kind | u64 position | u64 size | u32 blob_id | blob_uri    there, in a file beside it, or anywhere
 */
#ifndef RWL_LANCEFILE_BLOB_INTERNAL_H
#define RWL_LANCEFILE_BLOB_INTERNAL_H

#include "lancefile/page.h"

#define RWL_LANCE_BLOB_WANTED_MAX (INT64_C(1) << 30) /* bytes of blobs in memory at once */

typedef struct rwl_lance_places {
    rwl_op *op;
    rwl_lance_page_reader *page;
    rwl_lance_fetch fetch;     /* of `page` */
    rwl_lance_leaf leaf;       /* places of the rows that are loaded */
    RWL_VEC(rwl_range) loaded; /* these rows */
    int64_t look;              /* rows to load at first when it is asked how many fit */
} rwl_lance_places;

/* Opens the page that `layout` describes as one of `node`'s. To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_lance_places_open(rwl_lance_places *places,
                                                const rwl_lance_page_request *request,
                                                const rwl_lance_layout *layout, const rwl_lance_node *node,
                                                rwl_error *err);
void rwl_lance_places_clear(rwl_lance_places *places);
/* Whether the rows are the first of those loaded. */
bool rwl_lance_places_are_loaded(const rwl_lance_places *places, const rwl_range *rows, size_t count);
/* Reads the places of these rows, unless they are loaded; *is_new tells whether it did. */
RWL_MUST_CHECK rwl_status rwl_lance_places_load(rwl_lance_places *places, const rwl_range *rows, size_t count,
                                                bool *is_new, rwl_error *err);

/* A blob page's: how many of the first of its loaded rows, `rows` of them, have at most so many bytes. */
typedef rwl_status rwl_lance_blob_measure(rwl_lance_page_reader *page, const rwl_range *ranges, size_t count,
                                          int64_t rows, int64_t bytes_max, int64_t *fitting, rwl_error *err);
/* The same for a page's `fit`, which loads no more rows than it must. */
RWL_MUST_CHECK rwl_status rwl_lance_places_fit(rwl_lance_places *places, rwl_lance_page_reader *page,
                                               rwl_lance_blob_measure *measure, const rwl_range *rows,
                                               size_t count, int64_t bytes_max, int64_t *fitting,
                                               rwl_error *err);

/* --- bytes of other files (blob_files.c) --- */

/* A file that blobs lie in; the last one stays open. Zero-initialised is none. */
typedef struct rwl_lance_blob_file {
    rwl_arena arena;
    const char *location; /* NULL: none */
    uint32_t id;          /* what was asked for: a sidecar's number, or the base of `uri` */
    rwl_span uri;         /* data NULL: a sidecar */
    rwl_file *file;
    int64_t size;
} rwl_lance_blob_file;

/*
 * Opens the sidecar "{data file without .lance}/{32 digits}.blob", the digits being the bits of the number from the lowest on.
 * NOT_FOUND naming it.
 */
RWL_MUST_CHECK rwl_status rwl_lance_blob_open_sidecar(rwl_lance_blob_file *f,
                                                      const rwl_lance_page_reader *page, uint32_t blob_id,
                                                      rwl_error *err);
/* Opens what a URI names: base 0 a file: URL, else a path below a base path of the manifest. UNSUPPORTED naming another scheme. */
RWL_MUST_CHECK rwl_status rwl_lance_blob_open_uri(rwl_lance_blob_file *f, const rwl_lance_page_reader *page,
                                                  uint32_t base_id, rwl_span uri, rwl_error *err);
/* CORRUPT when the file ends before. */
RWL_MUST_CHECK rwl_status rwl_lance_blob_check(const rwl_lance_blob_file *f, uint64_t position, uint64_t size,
                                               rwl_error *err);
void rwl_lance_blob_close(rwl_lance_blob_file *f);

#endif
