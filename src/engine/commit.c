/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt is: load, rebuild, swap. Everything a failed commit wrote is known to the update, which removes it. */
#include "engine/commit.h"

#include "engine/change_common.h"

#include "base/uuid.h"

#include <strings.h>

enum { WAIT_PART_MS = 50, WAIT_MOST_MS = 86400000 /* whatever the properties say */ };

/* commit.retry.*: tries after the first, and the pauses between. */
typedef struct retry_rules {
    int64_t retries, min_wait_ms, max_wait_ms, total_ms;
} retry_rules;

typedef struct commit {
    const rwl_table *table;
    rwl_op *op;
    const rwl_commit_request *request;
    rwl_commit_outcome *out;
    rwl_driver driver;
    rwl_attempts *tries;
    retry_rules retry;
    int64_t started_ns;
    int64_t known_head; /* of the state planned on, then of the last one loaded; -1 for none */
    bool head_known;
} commit;

static rwl_status read_rules(const rwl_metadata *m, retry_rules *out, rwl_error *err) {
    RWL_TRY(rwl_metadata_property_i64(m, "commit.retry.num-retries", 4, &out->retries, err));
    RWL_TRY(rwl_metadata_property_i64(m, "commit.retry.min-wait-ms", 100, &out->min_wait_ms, err));
    RWL_TRY(rwl_metadata_property_i64(m, "commit.retry.max-wait-ms", 60000, &out->max_wait_ms, err));
    if (out->max_wait_ms > WAIT_MOST_MS)
        out->max_wait_ms = WAIT_MOST_MS;
    return rwl_metadata_property_i64(m, "commit.retry.total-timeout-ms", 1800000, &out->total_ms, err);
}

/* Waits after the lost attempt number `attempt`: doubling from min to max, with up to a tenth of chance. False when time is up. */
static bool back_off(const commit *c, int32_t attempt) {
    const rwl_env *env = c->op->env;
    if (attempt > c->retry.retries)
        return false;
    int64_t spent_ms = (env->monotonic_ns(env->ctx) - c->started_ns) / 1000000;
    if (spent_ms > c->retry.total_ms)
        return false;
    int64_t wait = c->retry.min_wait_ms;
    for (int32_t i = 1; i < attempt && wait < c->retry.max_wait_ms; i++)
        wait *= 2;
    if (wait > c->retry.max_wait_ms)
        wait = c->retry.max_wait_ms;
    uint16_t chance = 0;
    if (env->random(env->ctx, &chance, sizeof chance))
        wait += wait * (chance % 100) / 1000;
    /* in parts, each followed by a look whether the operation was cancelled: the next attempt finds that out */
    for (int64_t part; wait > 0 && rwl_op_check(c->op, NULL) == RWL_OK; wait -= part) {
        part = wait < WAIT_PART_MS ? wait : WAIT_PART_MS;
        env->sleep_ms(env->ctx, part);
    }
    return true;
}

/* A commit is listed once; one that ends it all comes last, whatever the space. */
static void remember_conflict(commit *c, const rwl_conflict *conflict) {
    rwl_conflict *items = c->out->conflicts;
    int32_t at = 0, *count = &c->out->conflict_count;
    while (at < *count && items[at].snapshot_id != conflict->snapshot_id)
        at++;
    if (at < *count)
        memmove(&items[at], &items[at + 1], (size_t)(--*count - at) * sizeof *items);
    if (*count == RWL_CONFLICTS_MAX)
        --*count;
    items[(*count)++] = *conflict;
}

static void remember_snapshot(commit *c, const rwl_snapshot *s) {
    if (c->out->conflict_count == RWL_CONFLICTS_MAX)
        return;
    rwl_conflict other;
    memset(&other, 0, sizeof other);
    other.snapshot_id = s->snapshot_id;
    rwl_snapshot_engine(s, other.engine, sizeof other.engine);
    remember_conflict(c, &other);
}

/* Names the commits that came in between: since the plan, or since the last attempt. True when there are any. */
static bool note_others(commit *c, const rwl_metadata *base) {
    const rwl_ref *ref = rwl_metadata_ref(base, c->request->branch);
    int64_t head = ref != NULL ? ref->snapshot_id : -1, known = c->known_head;
    bool moved = c->head_known && head != known;
    const rwl_snapshot *s = moved && head >= 0 ? rwl_metadata_snapshot(base, head) : NULL;
    bool straight = s != NULL && known >= 0 && rwl_metadata_is_ancestor(base, known, head);
    for (; s != NULL && s->snapshot_id != known;
         s = straight ? rwl_metadata_snapshot(base, s->parent_id) : NULL)
        remember_snapshot(c, s);
    c->known_head = head;
    c->head_known = true;
    return moved;
}

/* The next metadata made from `base`, upgraded first where asked. */
static rwl_status rebuild(commit *c, const rwl_metadata *base, rwl_metadata **next, rwl_conflict *conflict,
                          rwl_error *err) {
    const rwl_env *env = c->op->env;
    int64_t now = env->now_ms(env->ctx);
    rwl_metadata *upgraded = NULL;
    if (c->request->upgrade_to != 0 && c->request->upgrade_to != base->format_version)
        RWL_TRY(rwl_metadata_upgrade(base, c->request->upgrade_to, now, &upgraded, err));
    if (c->request->metadata_only) {
        const rwl_ref *head = rwl_metadata_ref(base, c->request->branch);
        rwl_change_result *r = &c->out->result;
        r->parent_snapshot_id = head != NULL ? head->snapshot_id : -1;
        r->sequence_number = base->last_sequence_number;
        r->first_row_id = -1;
        r->added_rows = c->request->upgrade_to >= 3 ? 0 : -1;
        r->next_row_id = upgraded != NULL && upgraded->format_version >= 3 ? upgraded->next_row_id : -1;
        *next = upgraded;
        return RWL_OK;
    }
    void *made = NULL;
    rwl_status st = c->driver.vtable->change_apply(c->tries, upgraded != NULL ? upgraded : base, now, &made,
                                                   &c->out->result, conflict, err);
    *next = made;
    rwl_metadata_free(upgraded);
    return st;
}

/* After an unclear swap: is our snapshot in the freshest metadata? */
static rwl_status look_for_commit(commit *c, bool *found, rwl_error *err) {
    rwl_metadata *fresh = NULL;
    int64_t version;
    RWL_TRY(rwl_table_load(c->table, c->op, &fresh, &version, err));
    *found = !c->request->metadata_only && rwl_metadata_snapshot(fresh, c->out->result.snapshot_id) != NULL;
    rwl_metadata_free(fresh);
    return RWL_OK;
}

/* The swap's own answer, or what a second look says where it has none. */
static rwl_status settle(commit *c, rwl_status swapped, rwl_error *err) {
    if (swapped != RWL_COMMIT_UNKNOWN)
        return swapped;
    bool found = false;
    if (look_for_commit(c, &found, NULL) == RWL_OK && found)
        return RWL_OK;
    return rwl_error_in(
        err, swapped, "commit %s (snapshot %lld) may have happened; look for rowline.commit-id=%s in the log",
        c->out->commit_id, (long long)c->out->result.snapshot_id, c->out->commit_id);
}

static rwl_status swap(commit *c, const rwl_metadata *base, int64_t version, const rwl_metadata *next,
                       rwl_error *err) {
    rwl_arena scratch;
    rwl_arena_init(&scratch, c->op->env, 0);
    rwl_buf text;
    rwl_buf_init(&text, c->op->env, SIZE_MAX);
    bool gzip =
        strcasecmp(rwl_metadata_property(base, "write.metadata.compression-codec", "none"), "gzip") == 0;
    const char *location;
    rwl_status st = rwl_metadata_dump(next, &text, err);
    if (st == RWL_OK)
        st = rwl_place_swap(&c->table->place, c->op, version + 1, rwl_buf_span(&text), gzip, &scratch,
                            &location, err);
    rwl_buf_clear(&text);
    rwl_arena_clear(&scratch);
    return settle(c, st, err);
}

/* *again tells that another try may succeed. */
static rwl_status attempt(commit *c, bool *again, rwl_error *err) {
    *again = false;
    rwl_metadata *base = NULL, *next = NULL;
    int64_t version;
    RWL_TRY(rwl_op_check(c->op, err));
    RWL_TRY(rwl_table_load(c->table, c->op, &base, &version, err));
    if (note_others(c, base) && c->out->attempts == 1)
        c->out->attempts++; /* the state it was planned on is gone: that was the first */
    rwl_conflict conflict;
    memset(&conflict, 0, sizeof conflict);
    rwl_status st = read_rules(base, &c->retry, err);
    if (st == RWL_OK)
        st =
            rwl_change_part(rebuild(c, base, &next, &conflict, err), err); /* only the swap can be in doubt */
    if (st == RWL_CONFLICT) {
        remember_conflict(c, &conflict);
    } else if (st == RWL_OK && next != NULL && !c->request->dry_run) {
        st = swap(c, base, version, next, err);
        *again = st == RWL_CONFLICT;
    }
    rwl_metadata_free(next);
    rwl_metadata_free(base);
    return st;
}

static rwl_status run(commit *c, rwl_error *err) {
    for (int32_t lost = 1;; lost++) {
        bool again;
        c->out->attempts++;
        rwl_status st = attempt(c, &again, err);
        if (!again)
            return st;
        if (!back_off(c, lost))
            return rwl_error_in(err, st, "gave up after %d attempts", c->out->attempts);
    }
}

rwl_status rwl_commit(const rwl_table *table, rwl_op *op, const rwl_commit_request *request,
                      rwl_commit_outcome *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    commit c = {.table = table, .op = op, .request = request, .out = out, .driver = rwl_table_driver(table)};
    c.started_ns = op->env->monotonic_ns(op->env->ctx);
    c.known_head = request->change != NULL ? request->change->planned_snapshot_id : -1;
    if (request->known_snapshot_id != 0)
        c.known_head = request->known_snapshot_id;
    c.head_known = c.known_head >= 0;
    rwl_uuid id;
    RWL_TRY(rwl_uuid_new(op->env, &id, err));
    rwl_uuid_format(id.bytes, out->commit_id);
    rwl_attempt_options options = {
        .branch = request->branch, .commit_id = out->commit_id, .dry_run = request->dry_run};
    RWL_TRY(rwl_random_id(op->env, &options.snapshot_id, err));
    out->result.snapshot_id = options.snapshot_id;
    RWL_TRY(c.driver.vtable->change_open(&c.driver, op, request->change, &options, &c.tries, err));
    rwl_status st = run(&c, err);
    if (st != RWL_COMMIT_UNKNOWN)
        c.driver.vtable->change_discard(c.tries, st != RWL_OK);
    c.driver.vtable->change_close(c.tries);
    if (st == RWL_OK && (request->dry_run || request->metadata_only))
        out->result.snapshot_id = -1;
    return st;
}
