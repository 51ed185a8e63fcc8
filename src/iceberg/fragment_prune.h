/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of a fragment may satisfy a filter, as far as its Parquet file tells. */
#ifndef RWL_ICEBERG_FRAGMENT_PRUNE_H
#define RWL_ICEBERG_FRAGMENT_PRUNE_H

#include "iceberg/projection.h"
#include "parquet/prune.h"
#include "table/rows.h"

/* Fills `out` as rwl_parquet_prune does; of the options the filter, its fields and skip_page_crc. The file is Parquet. */
RWL_MUST_CHECK rwl_status rwl_fragment_prune(rwl_store *store, rwl_op *op, const rwl_projection *projection,
                                             const rwl_fragment_read_options *options,
                                             rwl_parquet_selection *out, rwl_error *err);

#endif
