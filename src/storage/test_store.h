/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store for tests, wrapped around another: it delays and reorders reads, splits them, lets files end early,
 * counts what is asked for, and fails the n-th call of a kind, before or after it was carried out. Not part
 * of librowline.
 *
 * Reads are carried out when they are waited for and not before; until then their destination is filled with
 * 0xA5, so whoever looks too early sees nonsense. Thread-safe as a store must be.
 */
#ifndef RWL_STORAGE_TEST_STORE_H
#define RWL_STORAGE_TEST_STORE_H

#include "storage/store.h"

/* The calls that can fail and are counted. READ is one range, not one submit. ABORT is counted only. */
typedef enum rwl_test_call {
    RWL_TEST_OPEN,
    RWL_TEST_READ,
    RWL_TEST_CREATE,
    RWL_TEST_WRITE,
    RWL_TEST_FINISH,
    RWL_TEST_ABORT,
    RWL_TEST_STAT,
    RWL_TEST_REPLACE,
    RWL_TEST_REMOVE,
    RWL_TEST_LIST,
    RWL_TEST_CALL_KINDS,
    RWL_TEST_ANY = RWL_TEST_CALL_KINDS /* as fail_call: every kind but ABORT */
} rwl_test_call;

/* All zero: a store that only counts. */
typedef struct rwl_test_store_options {
    uint64_t seed;    /* of the order of reads */
    bool reorder;     /* waiting for one read first carries out others, chosen at random */
    int64_t delay_ms; /* before each read, through the environment's sleep */
    size_t split;     /* carries out a read in pieces of at most this many bytes; 0: whole */
    int64_t end_at;   /* files whose location contains `only` end here; 0: where they do */
    const char *only; /* failures and end_at only where the location contains this; NULL: everywhere */
    int64_t fail_at;  /* 1: the first call of fail_call that matches; 0: none fails */
    rwl_test_call fail_call;
    bool fail_after;        /* carried out, then answered with a failure: a lost reply */
    bool fail_rest;         /* every later one fails too */
    rwl_status fail_status; /* RWL_OK chooses: IO, and COMMIT_UNKNOWN for FINISH and REPLACE after the fact */
    /* Told of each call before it is carried out, from any thread, ABORT too; NULL for none. `fails` says whether it
     * is one of those made to fail. */
    void (*before)(void *ctx, rwl_test_call call, const char *location, bool fails);
    void *before_ctx;
} rwl_test_store_options;

typedef struct rwl_test_store_stats {
    int64_t calls[RWL_TEST_CALL_KINDS];
    int64_t submits;    /* submit calls; each may hold many ranges */
    int64_t bytes_read; /* asked for */
    int64_t bytes_written;
    int64_t failures;                   /* failures made up */
    int64_t open_files, open_new_files; /* right now: leaks when not 0 at the end */
} rwl_test_store_stats;

/* Takes `inner`, even when it fails. The strings of the options are borrowed. */
RWL_MUST_CHECK rwl_status rwl_test_store_new(const rwl_env *env, rwl_store *inner,
                                             const rwl_test_store_options *options, rwl_store **out,
                                             rwl_error *err);
/* New options; counts start again (but for what is open). */
void rwl_test_store_set(rwl_store *store, const rwl_test_store_options *options);
rwl_test_store_stats rwl_test_store_stats_of(rwl_store *store);
/* "open", "read", …: for messages of tests that go through all calls. */
const char *rwl_test_call_name(rwl_test_call call);

#endif
