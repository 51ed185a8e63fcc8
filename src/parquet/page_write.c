/* SPDX-License-Identifier: Apache-2.0 */
/* Page headers being written. */
#include "parquet/page_write.h"

#include "parquet/thrift_put.h"

static rwl_status put_data_page(rwl_thrift_writing *w, const rwl_parquet_page_header *h) {
    rwl_thrift_writing page;
    RWL_TRY(rwl_put_begin(w, 5, &page));
    RWL_TRY(rwl_put_i32(&page, 1, h->value_count));
    RWL_TRY(rwl_put_i32(&page, 2, rwl_parquet_page_encoding(h->encoding)));
    RWL_TRY(rwl_put_i32(&page, 3, h->definition_encoding));
    RWL_TRY(rwl_put_i32(&page, 4, h->repetition_encoding));
    return rwl_put_end(&page);
}

static rwl_status put_dictionary_page(rwl_thrift_writing *w, const rwl_parquet_page_header *h) {
    rwl_thrift_writing page;
    RWL_TRY(rwl_put_begin(w, 7, &page));
    RWL_TRY(rwl_put_i32(&page, 1, h->value_count));
    RWL_TRY(rwl_put_i32(&page, 2, RWL_PARQUET_PLAIN));
    RWL_TRY(rwl_put_bool(&page, 3, false)); /* is_sorted */
    return rwl_put_end(&page);
}

static rwl_status put_data_page_v2(rwl_thrift_writing *w, const rwl_parquet_page_header *h) {
    rwl_thrift_writing page;
    RWL_TRY(rwl_put_begin(w, 8, &page));
    RWL_TRY(rwl_put_i32(&page, 1, h->value_count));
    RWL_TRY(rwl_put_i32(&page, 2, h->null_count));
    RWL_TRY(rwl_put_i32(&page, 3, h->row_count));
    RWL_TRY(rwl_put_i32(&page, 4, rwl_parquet_page_encoding(h->encoding)));
    RWL_TRY(rwl_put_i32(&page, 5, h->definition_len));
    RWL_TRY(rwl_put_i32(&page, 6, h->repetition_len));
    RWL_TRY(rwl_put_bool(&page, 7, h->is_compressed));
    return rwl_put_end(&page);
}

rwl_status rwl_parquet_page_write(const rwl_parquet_page_header *h, rwl_buf *out, rwl_error *err) {
    rwl_thrift_writing w = {out, 0, err};
    RWL_TRY(rwl_put_i32(&w, 1, h->type));
    RWL_TRY(rwl_put_i32(&w, 2, h->uncompressed_size));
    RWL_TRY(rwl_put_i32(&w, 3, h->compressed_size));
    if (h->has_crc)
        RWL_TRY(rwl_put_i32(&w, 4, (int32_t)h->crc));
    switch (h->type) {
    case RWL_PARQUET_DATA_PAGE:
        RWL_TRY(put_data_page(&w, h));
        break;
    case RWL_PARQUET_DICTIONARY_PAGE:
        RWL_TRY(put_dictionary_page(&w, h));
        break;
    case RWL_PARQUET_DATA_PAGE_V2:
        RWL_TRY(put_data_page_v2(&w, h));
        break;
    default:
        return rwl_fail(err, RWL_INTERNAL, "a page of type %d can't be written", h->type);
    }
    return rwl_put_end(&w);
}
