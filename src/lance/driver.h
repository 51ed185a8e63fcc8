/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the engine asks of a Lance dataset (table/driver.h): its fragments, and their rows with lineage.
 *
 * Metadata columns: _rowid, _row_last_updated_at_version, _row_created_at_version, _rowaddr, _fragment_id, _file (of the fragment's first
 * file), _pos. The first three are what --lineage appends, in the order _rowid, _row_created_at_version, _row_last_updated_at_version.
 */
#ifndef RWL_LANCE_DRIVER_H
#define RWL_LANCE_DRIVER_H

#include "lance/dataset.h"
#include "table/driver.h"

/* Reads it; changes are no part of this driver. */
rwl_driver rwl_lance_driver(rwl_store *store, const rwl_lance_dataset *dataset);

#endif
