/* SPDX-License-Identifier: Apache-2.0 */
/* Names of operations, as snapshot summaries have them. */
#include "table/change.h"

const char *rwl_operation_name(rwl_operation operation) {
    switch (operation) {
    case RWL_OPERATION_APPEND:
        return "append";
    case RWL_OPERATION_DELETE:
        return "delete";
    case RWL_OPERATION_OVERWRITE:
        return "overwrite";
    case RWL_OPERATION_REPLACE:
        return "replace";
    }
    return "overwrite";
}
