/* SPDX-License-Identifier: Apache-2.0 */
/* Snappy elements, into as many bytes as the first two say. */
#include "codec/snappy_decode.h"
#include "fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    size_t len = (size_t)data[0] << 8 | data[1];
    uint8_t *out = malloc(len ? len : 1);
    if (out)
        (void)rwl_snappy_decode(rwl_span_of(data + 2, size - 2), out, len);
    free(out);
    return 0;
}
