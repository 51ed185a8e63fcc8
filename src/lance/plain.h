/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short ranges as every writer has them, unpacked in one loop: a dataset merged in random order has one a row.
 *
 *   row ids     0a len 0a len 08 start 10 end
 *   versions    0a len 0a len 0a len 08 start 10 end 10 version
 */
#ifndef RWL_LANCE_PLAIN_H
#define RWL_LANCE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RWL_LANCE_PLAIN_MOST = 4 }; /* values of a range that is short */

/*
 * Unpacks from data + *pos on, into `to`, as long as there are such ranges and room for one more of them; anything of the `room` values
 * may be overwritten. Returns how many were written, *pos behind the last range. What it stops at is not wrong, but has to be looked at.
 */
int64_t rwl_lance_plain_unpack(const uint8_t *data, size_t len, size_t *pos, bool is_versions, int64_t *to,
                               int64_t room);

#endif
