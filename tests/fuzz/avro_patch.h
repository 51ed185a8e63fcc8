/* SPDX-License-Identifier: Apache-2.0 */
/* Avro container files for fuzz targets. */
#ifndef TESTS_FUZZ_AVRO_PATCH_H
#define TESTS_FUZZ_AVRO_PATCH_H

#include "base/env.h"

/* Sets the sync markers and snappy CRCs of a container file right, as far as it is one. */
void avro_patch(const rwl_env *env, uint8_t *file, size_t len);

#endif
