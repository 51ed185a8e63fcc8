/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a page by its layout. */
#include "lancefile/page.h"

void rwl_lance_page_init(rwl_lance_page_reader *page, const rwl_lance_page_vtable *vtable,
                         const rwl_lance_page_request *request) {
    *page = (rwl_lance_page_reader){.vtable = vtable,
                                    .op = request->op,
                                    .file = request->file,
                                    .column = request->column,
                                    .page = request->page,
                                    .layout = request->layout,
                                    .fetch = request->fetch,
                                    .general = request->general};
    rwl_lance_level_map_make(request->layout, &page->levels);
}

rwl_status rwl_lance_page_check_rows(const rwl_lance_page_reader *page, const rwl_range *rows, size_t count,
                                     rwl_error *err) {
    int64_t end = 0, row_count = page->page->row_count;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].count < 0 || rows[i].start < end || rows[i].start > row_count - rows[i].count)
            return rwl_fail(err, RWL_INTERNAL, "rows %lld to %lld of a page of %lld",
                            (long long)rows[i].start, (long long)(rows[i].start + rows[i].count),
                            (long long)row_count);
        end = rows[i].start + rows[i].count;
    }
    return RWL_OK;
}

rwl_status rwl_lance_page_open(const rwl_lance_page_request *request, rwl_lance_page_reader **out,
                               rwl_error *err) {
    *out = NULL;
    if (request->leaf->node->is_blob2)
        return rwl_lance_blob2_open(request, out, err);
    switch (request->layout->kind) {
    case RWL_LANCE_LAYOUT_MINI_BLOCK:
        return rwl_lance_mini_open(request, out, err);
    case RWL_LANCE_LAYOUT_CONSTANT:
        return rwl_lance_constant_open(request, out, err);
    case RWL_LANCE_LAYOUT_FULL_ZIP:
        return rwl_lance_zip_open(request, out, err);
    case RWL_LANCE_LAYOUT_BLOB:
        return rwl_lance_blob_open(request, out, err);
    }
    return rwl_fail(err, RWL_INTERNAL, "no page layout has the number %d", (int)request->layout->kind);
}

rwl_status rwl_lance_page_fit(rwl_lance_page_reader *page, const rwl_range *rows, size_t count,
                              int64_t bytes_max, int64_t *fitting, rwl_error *err) {
    if (page->vtable->fit != NULL)
        return page->vtable->fit(page, rows, count, bytes_max, fitting, err);
    *fitting = 0;
    for (size_t i = 0; i < count; i++)
        *fitting += rows[i].count;
    return RWL_OK;
}
