/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Arrow module include. */
#ifndef RWL_COLUMN_ARROW_INTERNAL_H
#define RWL_COLUMN_ARROW_INTERNAL_H

#include "column/arrow.h"
#include "column/bits.h"

#endif
