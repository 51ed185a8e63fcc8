/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of the puffin layer. */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>

void append_hex(rwl_buf *out, const char *hex) {
    for (const char *p = hex; *p != '\0';) {
        if (*p == ' ') {
            p++;
            continue;
        }
        char two[3] = {p[0], p[1], '\0'};
        if (rwl_buf_u8(out, (uint8_t)strtoul(two, NULL, 16), NULL) != RWL_OK)
            ck_abort_msg("no memory");
        p += 2;
    }
}

bool append_fixture(rwl_buf *out, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", FIXTURES_DIR, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        printf("skipped: %s is not here\n", path);
        return false;
    }
    uint8_t part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        ck_assert_int_eq(rwl_buf_append(out, part, n, NULL), RWL_OK);
    fclose(f);
    return true;
}

int main(void) {
    Suite *suite = suite_create("puffin");
    suite_add_tcase(suite, dv_cases());
    suite_add_tcase(suite, file_cases());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
