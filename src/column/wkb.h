/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Well-known binary as well-known text (OGC Simple Feature Access, 06-103r4, chapters 7 and 8).
 *
 *   geometry  byte order (0 big, 1 little), uint32 type, then
 *             1 point               coordinates; all NaN where empty
 *             2 line string         count, points' coordinates
 *             3 polygon             count, rings as line strings
 *             4, 5, 6, 7            count, geometries: points, line strings, polygons; any
 * Types + 1000 have Z, + 2000 M, + 3000 both; the flags 2^31 (Z), 2^30 (M) and 2^29 (an SRID follows, ignored)
 * of the extended form are understood too.
 */
#ifndef RWL_COLUMN_WKB_H
#define RWL_COLUMN_WKB_H

#include "base/buf.h"

enum { RWL_WKB_DEPTH_MAX = 32 }; /* collections in collections */

/* Appends "POINT (1.5 2.5)", "LINESTRING Z (0 0 1, 1 1 2)", "POLYGON EMPTY" …: shortest digits, a space after
 * commas. CORRUPT where the bytes are none or more follow, UNSUPPORTED for curves and surfaces. */
RWL_MUST_CHECK rwl_status rwl_wkb_format(rwl_span wkb, rwl_buf *out, rwl_error *err);

#endif
