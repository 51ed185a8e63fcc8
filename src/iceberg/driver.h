/* SPDX-License-Identifier: Apache-2.0 */
/* Iceberg as the engine sees it. */
#ifndef RWL_ICEBERG_DRIVER_H
#define RWL_ICEBERG_DRIVER_H

#include "iceberg/metadata.h"
#include "table/driver.h"

/* The driver of one metadata version; its states are rwl_metadata. The arguments are borrowed; `deletes` may be NULL. */
rwl_driver rwl_iceberg_driver(rwl_store *store, const rwl_metadata *metadata,
                              struct rwl_delete_cache *deletes);

#endif
