/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of base/. */
#include "base_tests.h"

#include <stdlib.h>

static void *failing_realloc(void *ctx, void *old, size_t size) {
    failing_env *f = ctx;
    if (size == 0) {
        f->blocks -= old != NULL;
        free(old);
        return NULL;
    }
    if (f->fail_at && ++f->calls >= f->fail_at)
        return NULL;
    f->blocks += old == NULL;
    return realloc(old, size);
}

void failing_env_init(failing_env *f, int64_t fail_at) {
    rwl_env_init_default(&f->env);
    f->env.ctx = f;
    f->env.realloc = failing_realloc;
    f->calls = f->blocks = 0;
    f->fail_at = fail_at;
}

int main(void) {
    Suite *suite = suite_create("base");
    TCase *(*const cases[])(void) = {status_tests,     env_tests,    arena_tests, buf_tests,
                                     collection_tests, int128_tests, time_tests,  uuid_tests,
                                     hash_tests,       pool_tests,   json_tests};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        suite_add_tcase(suite, cases[i]());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
