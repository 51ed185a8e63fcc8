/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the manifest of rewritten files can be pinned, and to what. */
#include "lineage/pin.h"

#include "base/int128.h"

#include <inttypes.h>

static rwl_pin_verdict judge_file(const rwl_pin_file *file, int64_t next_row_id) {
    if (file->id_null_count > 0)
        return RWL_PIN_NULL_ID;
    if (file->version_null_count > 0)
        return RWL_PIN_NULL_VERSION;
    if (file->id_min < 0 || file->id_max >= next_row_id || file->id_min > file->id_max)
        return RWL_PIN_ID_OUT_OF_RANGE;
    return RWL_PIN_SOUND;
}

rwl_pin rwl_pin_decide(const rwl_pin_file *files, size_t count, int64_t next_row_id) {
    rwl_pin pin = {RWL_PIN_NO_ROWS, 0, 0};
    rwl_i128 rows = 0;
    for (size_t i = 0; i < count; i++) {
        if (files[i].rows == 0)
            continue;
        rwl_pin_verdict verdict = judge_file(&files[i], next_row_id);
        if (verdict != RWL_PIN_SOUND) {
            pin.verdict = verdict;
            pin.file = i;
            return pin;
        }
        if (rows == 0 || files[i].id_min < pin.first_row_id)
            pin.first_row_id = files[i].id_min;
        rows += files[i].rows;
    }
    if (rows > 0)
        pin.verdict = pin.first_row_id + rows <= next_row_id ? RWL_PIN_SOUND : RWL_PIN_RANGE_TOO_LONG;
    return pin;
}

rwl_status rwl_pin_check(const rwl_pin *pin, const rwl_pin_file *files, int64_t next_row_id, rwl_error *err) {
    const rwl_pin_file *file = &files[pin->file];
    switch (pin->verdict) {
    case RWL_PIN_SOUND:
        return RWL_OK;
    case RWL_PIN_NULL_ID:
        return rwl_fail(err, RWL_UNSUPPORTED, "law 8: %" PRId64 " rows of file %zu have no stored row id",
                        file->id_null_count, pin->file);
    case RWL_PIN_NULL_VERSION:
        return rwl_fail(err, RWL_UNSUPPORTED, "law 3: %" PRId64 " rows of file %zu have no stored version",
                        file->version_null_count, pin->file);
    case RWL_PIN_ID_OUT_OF_RANGE:
        return rwl_fail(err, RWL_LAW_BROKEN,
                        "law 2: file %zu holds row ids %" PRId64 " to %" PRId64 ", next-row-id is %" PRId64,
                        pin->file, file->id_min, file->id_max, next_row_id);
    case RWL_PIN_RANGE_TOO_LONG:
        return rwl_fail(err, RWL_LAW_BROKEN,
                        "law 1: more rows than row ids from %" PRId64 " to next-row-id %" PRId64
                        ": some id occurs twice",
                        pin->first_row_id, next_row_id);
    case RWL_PIN_NO_ROWS:
        break;
    }
    return rwl_fail(err, RWL_INTERNAL, "a manifest without rows has no first_row_id to pin");
}
