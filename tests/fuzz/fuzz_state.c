/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of tables and of their states: a text is taken apart as TABLE@REF@{TIME}, and each part chooses a state of a table that
 * has branches, tags, a log out of order and parents that go in a circle. Times are read; ages are before now.
 */
#include "engine/name.h"
#include "engine/state.h"
#include "fuzz.h"

enum { NAME_MAX_LEN = 512 };
static const int64_t NOW_MS = INT64_C(1764500000000);

static rwl_env env;
static rwl_op op;
static rwl_store *store;
static rwl_metadata *metadata;

static const char METADATA[] =
    "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\",\"location\":\"s3://b/t\","
    "\"last-sequence-number\":9,\"last-updated-ms\":1764500000000,\"last-column-id\":1,"
    "\"current-schema-id\":1,\"schemas\":[{\"type\":\"struct\",\"schema-id\":1,\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"long\"}]}],"
    "\"default-spec-id\":0,\"last-partition-id\":999,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],"
    "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],"
    "\"current-snapshot-id\":3,\"snapshots\":["
    "{\"snapshot-id\":1,\"timestamp-ms\":1764300000000,\"sequence-number\":1,\"manifest-list\":\"/l\","
    "\"schema-id\":1},"
    "{\"snapshot-id\":2,\"parent-snapshot-id\":1,\"timestamp-ms\":1764400000000,\"sequence-number\":2,"
    "\"manifest-list\":\"/l\",\"schema-id\":7},"
    "{\"snapshot-id\":3,\"parent-snapshot-id\":2,\"timestamp-ms\":1764350000000,\"sequence-number\":3,"
    "\"manifest-list\":\"/l\"},"
    "{\"snapshot-id\":4,\"parent-snapshot-id\":5,\"timestamp-ms\":1764200000000,\"sequence-number\":4,"
    "\"manifest-list\":\"/l\"},"
    "{\"snapshot-id\":5,\"parent-snapshot-id\":4,\"timestamp-ms\":1764300000000,\"sequence-number\":5,"
    "\"manifest-list\":\"/l\"}],"
    "\"snapshot-log\":[{\"snapshot-id\":1,\"timestamp-ms\":1764300000000},"
    "{\"snapshot-id\":3,\"timestamp-ms\":1764460000000},{\"snapshot-id\":2,\"timestamp-ms\":1764400000000},"
    "{\"snapshot-id\":404,\"timestamp-ms\":1764410000000}],"
    "\"refs\":{\"main\":{\"snapshot-id\":3,\"type\":\"branch\"},\"b@1\":{\"snapshot-id\":2,\"type\":"
    "\"branch\"},"
    "\"ring\":{\"snapshot-id\":5,\"type\":\"branch\"},\"5\":{\"snapshot-id\":1,\"type\":\"tag\"},"
    "\"v1.0\":{\"snapshot-id\":1,\"type\":\"tag\"}}}";

static void prepare(void) {
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    rwl_status st = rwl_metadata_parse(&env, rwl_span_str(METADATA), NULL, &metadata, NULL);
    FUZZ_CHECK(st == RWL_OK);
    st = rwl_store_local_new(&env, NULL, 0, &store, NULL);
    FUZZ_CHECK(st == RWL_OK);
}

static void check_state(const char *state, const char *snapshot, const char *ref, const char *time) {
    rwl_state_request request = {state, snapshot, ref, time};
    rwl_state out;
    rwl_error err = {0};
    rwl_status st = rwl_state_select(metadata, &request, NOW_MS, &out, &err);
    FUZZ_CHECK(st == RWL_OK || st == RWL_USAGE || st == RWL_NOT_FOUND || st == RWL_CORRUPT);
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    if (st != RWL_OK)
        return;
    FUZZ_CHECK(out.snapshot != NULL && out.schema != NULL);
    FUZZ_CHECK(rwl_metadata_snapshot(metadata, out.snapshot->snapshot_id) == out.snapshot);
    FUZZ_CHECK(time == NULL || out.branch == NULL);
}

static void check_time(const char *text) {
    int64_t ms = 0;
    rwl_error err = {0};
    rwl_status st = rwl_state_time(text, NOW_MS, &ms, &err);
    FUZZ_CHECK(st == RWL_OK || (st == RWL_USAGE && err.message[0] != '\0'));
    size_t len = strlen(text);
    bool is_age = len > 0 && strchr("dhms", text[len - 1]) != NULL;
    FUZZ_CHECK(st != RWL_OK || !is_age || ms <= NOW_MS);
}

/* The parts of a name are pieces of its text. */
static void check_name(const char *text) {
    rwl_arena arena;
    rwl_name name;
    rwl_error err = {0};
    rwl_arena_init(&arena, &env, 0);
    rwl_status st = rwl_name_parse(store, &op, text, &arena, &name, &err);
    FUZZ_CHECK(st == RWL_OK || err.message[0] != '\0');
    if (st == RWL_OK) {
        FUZZ_CHECK(name.table != NULL && strncmp(text, name.table, strlen(name.table)) == 0);
        FUZZ_CHECK(name.state == NULL || strstr(text, name.state) != NULL);
        FUZZ_CHECK(name.time == NULL || strstr(text, name.time) != NULL);
        check_state(name.state, NULL, NULL, name.time);
    }
    rwl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    char text[NAME_MAX_LEN + 1];
    if (metadata == NULL)
        prepare();
    if (len > NAME_MAX_LEN || memchr(data, 0, len) != NULL)
        return 0; /* arguments end at a NUL */
    memcpy(text, data, len);
    text[len] = '\0';
    check_time(text);
    check_name(text);
    check_state(text, NULL, NULL, NULL);
    check_state(NULL, text, NULL, NULL);
    check_state(NULL, NULL, text, NULL);
    check_state(NULL, NULL, NULL, text);
    check_state(NULL, NULL, "ring", text);
    check_state("b@1", NULL, NULL, text);
    return 0;
}
