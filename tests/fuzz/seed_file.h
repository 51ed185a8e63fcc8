/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lance data files as lines of text (seed_text.h has the notation of BYTES and MESSAGE):
 *
 *   file NAME MAJOR MINOR ROWS          begins one
 *   field NAME ID PARENT TYPE [?]       of the schema; ? may be null
 *   schema MESSAGE                      a field with more to it
 *   column                              begins one
 *   buffer BYTES                        of the next page
 *   blob BYTES                          of the column
 *   chunk LOG2 LEVELS REP|DEF|V|V…      of a mini-block page, each BYTES or nothing
 *   chunks                              the two buffers of the chunks so far
 *   page ROWS MESSAGE                   ends a page
 *   flat NAME TYPE BITS BYTES           a field of its own with a mini-block page of flat values, as many as the file's rows
 */
#ifndef TESTS_FUZZ_SEED_FILE_H
#define TESTS_FUZZ_SEED_FILE_H

#include "base/buf.h"

enum { SEED_NAME_MAX = 64 };

/* Appends the file that the first lines are, up to the next file or the end of `count`; returns how many lines that was. */
size_t seed_file(const rwl_env *env, const char *const *lines, size_t count, char name[SEED_NAME_MAX],
                 rwl_buf *out);

#endif
