/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Lance transaction: parsed from memory, and read as the file that a manifest names. What parses is read as the same; more is read than
 * parses, since a tag or length written with more bytes than it needs is written anew on the way.
 */
#include "counted.h"
#include "fuzz.h"
#include "lance/transaction.h"
#include "memory_store.h"

enum { BUDGET = 16 << 20, SLACK = 4 << 20, FACTOR = 400 };

static rwl_env env;
static volatile uint64_t sink;

static void look_at(const rwl_lance_transaction *t) {
    sink += strlen(t->uuid) + strlen(t->operation);
    if (t->predicate != NULL)
        sink += strlen(t->predicate);
    for (size_t i = 0; i < t->property_count; i++)
        sink += strlen(t->properties[i].key) + t->properties[i].value.len;
    FUZZ_CHECK(t->added_fragments >= -1 && t->removed_fragments >= -1 && t->updated_fragments >= -1);
    FUZZ_CHECK(t->restored_version >= -1);
}

static bool same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void check_same(const rwl_lance_transaction *a, const rwl_lance_transaction *b) {
    FUZZ_CHECK(a->read_version == b->read_version && a->operation_number == b->operation_number);
    FUZZ_CHECK(same_text(a->uuid, b->uuid) && same_text(a->operation, b->operation));
    FUZZ_CHECK(same_text(a->predicate, b->predicate) && a->restored_version == b->restored_version);
    FUZZ_CHECK(a->added_fragments == b->added_fragments && a->removed_fragments == b->removed_fragments);
    FUZZ_CHECK(a->updated_fragments == b->updated_fragments && a->property_count == b->property_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    rwl_op op;
    rwl_arena arena;
    rwl_lance_transaction parsed, read;
    rwl_error err = {0}, read_err = {0};
    bool found = false;
    counted_env_init(&env);
    fuzz_fix_random(&env);
    rwl_op_init(&op, &env, BUDGET);
    rwl_arena_init(&arena, &env, 0);
    const rwl_lance_manifest m = {
        .env = &env, .location = "d", .transaction_section = -1, .transaction_file = "0-1.txn"};
    rwl_store *store = rwl_memory_store_new(&env, rwl_span_of(data, len));
    rwl_status st = rwl_lance_transaction_parse(&env, rwl_span_of(data, len), &arena, &parsed, &err);
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    if (st != RWL_OK)
        fuzz_show(err.message);
    if (st == RWL_OK)
        look_at(&parsed);
    rwl_status read_st = rwl_lance_transaction_read(store, &op, &m, "d", &arena, &read, &found, &read_err);
    FUZZ_CHECK((read_st == RWL_OK && found) || read_err.message[0] != '\0');
    FUZZ_CHECK(st != RWL_OK || read_st == RWL_OK);
    if (read_st == RWL_OK)
        look_at(&read);
    if (st == RWL_OK)
        check_same(&parsed, &read);
    FUZZ_CHECK(atomic_load(&op.memory_used) == 0);
    rwl_arena_clear(&arena);
    rwl_store_free(store);
    FUZZ_CHECK(counted_live == 0);
    FUZZ_CHECK(counted_peak <= SLACK + FACTOR * (int64_t)len);
    return 0;
}
