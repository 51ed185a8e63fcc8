/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of lance/ share: a folder, a store, manifests of any content, and the fixtures. */
#ifndef RWL_TESTS_LANCE_TEST_H
#define RWL_TESTS_LANCE_TEST_H

#include "lance/dataset.h"
#include "lance_build.h"

#include <check.h>

#define ASSERT_OK(expr)                                                                                      \
    do {                                                                                                     \
        rwl_status status_ = (expr);                                                                         \
        ck_assert_msg(status_ == RWL_OK, "%s: %s", #expr, lance_error.message);                              \
    } while (0)
/* It fails with this status, and the message has `text` in it. */
#define ASSERT_FAILS(expr, want, text)                                                                       \
    do {                                                                                                     \
        rwl_status status_ = (expr);                                                                         \
        ck_assert_msg(status_ == (want) && strstr(lance_error.message, (text)) != NULL,                      \
                      "%s: %d \"%s\", not %d \"%s\"", #expr, (int)status_,                                   \
                      status_ == RWL_OK ? "" : lance_error.message, (int)(want), (text));                    \
    } while (0)

extern rwl_env lance_env;
extern rwl_error lance_error;
extern rwl_op lance_op;
extern rwl_store *lance_store;
extern rwl_arena lance_arena;
extern char lance_folder[64];

/* A fixture of each test: the folder is made and removed. */
void lance_setup(void);
void lance_teardown(void);

/* "{folder}/{name}", of the test's life. */
const char *lance_path(const char *name);
/* Writes a file, its folders made. */
void lance_put(const char *name, rwl_span content);
void lance_put_text(const char *name, const char *text);
/* A manifest file of a message: before it `front` (may be NULL), after it the footer. */
void lance_wrap(const rwl_buf *front, const rwl_buf *message, rwl_buf *out);
/* A small message of a version: one int32 field "i", one fragment of 4 rows with inline lineage, stable ids. */
void lance_message(rwl_buf *out, int64_t version);
/* Writes one as V2 names say, under "{folder}/{tree}", at a time. */
void lance_put_version(const char *tree, int64_t version, int64_t seconds);
rwl_status lance_open(const char *name, rwl_lance_manifest **out);

/* Calls back with each file below FIXTURES_DIR/`folder` whose path ends in `ending`; false when the folder is absent. */
bool lance_each_fixture(const char *folder, const char *ending, void (*each)(const char *path));

#endif
