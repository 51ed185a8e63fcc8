/* SPDX-License-Identifier: Apache-2.0 */
/* rowline: Iceberg tables whose rows keep their identity. Includes every public header. */
#ifndef ROWLINE_ROWLINE_H
#define ROWLINE_ROWLINE_H

#include <rowline/arrow.h>
#include <rowline/context.h>
#include <rowline/inspect.h>
#include <rowline/output.h>
#include <rowline/parquet.h>
#include <rowline/read.h>
#include <rowline/rewrite.h>
#include <rowline/status.h>
#include <rowline/table.h>
#include <rowline/task.h>
#include <rowline/write.h>

#endif
