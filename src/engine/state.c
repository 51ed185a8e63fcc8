/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a state by its name. */
#include "engine/state.h"

#include "base/time.h"

#include <errno.h>
#include <stdlib.h>

/* --- times --- */

/* "7d": digits and a unit. False when `text` is no age; ages longer than time itself are the beginning of time. */
static bool parse_age(const char *text, int64_t now_ms, int64_t *out) {
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {{'d', 86400000}, {'h', 3600000}, {'m', 60000}, {'s', 1000}};
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || text[digits] == '\0' || text[digits + 1] != '\0')
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (units[i].unit != text[digits])
            continue;
        errno = 0;
        long long count = strtoll(text, NULL, 10);
        int64_t age, then;
        bool beyond = errno != 0 || __builtin_mul_overflow(count, units[i].ms, &age) ||
                      __builtin_sub_overflow(now_ms, age, &then);
        *out = beyond ? INT64_MIN : then;
        return true;
    }
    return false;
}

rwl_status rwl_state_time(const char *text, int64_t now_ms, int64_t *out_ms, rwl_error *err) {
    int64_t units;
    rwl_span span = rwl_span_str(text);
    if (parse_age(text, now_ms, out_ms))
        return RWL_OK;
    if (rwl_timestamp_parse(span, 9, true, &units)) {
        *out_ms = rwl_floor_div(units, 1000000);
        return RWL_OK;
    }
    if (rwl_timestamp_parse(span, 6, true, &units)) { /* years that nanoseconds do not reach */
        *out_ms = rwl_floor_div(units, 1000);
        return RWL_OK;
    }
    if (rwl_timestamp_parse(span, 6, false, &units) || rwl_timestamp_parse(span, 9, false, &units))
        return rwl_fail(err, RWL_USAGE, "the time %s has no zone; say %sZ for UTC", text, text);
    return rwl_fail(err, RWL_USAGE,
                    "'%.60s' is no time: say 2026-11-30T12:00:00Z, or an age such as 7d, 12h, 50m, 30s",
                    text);
}

/* --- snapshots --- */

/* True when `text` is all digits and an int64. */
static bool parse_snapshot_id(const char *text, int64_t *out) {
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return errno == 0 && *end == '\0';
}

/* Whether a snapshot that is not there was once: the log or a child still names it. */
static bool has_expired(const rwl_metadata *m, int64_t id) {
    const rwl_json *log = rwl_json_get(m->json, "snapshot-log");
    for (size_t i = 0; i < rwl_json_len(log); i++)
        if (rwl_json_i64(rwl_json_get(rwl_json_at(log, i), "snapshot-id")) == id)
            return true;
    for (int32_t i = 0; i < m->snapshot_count; i++)
        if (m->snapshots[i].parent_id == id)
            return true;
    return false;
}

static rwl_status find_snapshot(const rwl_metadata *m, int64_t id, const rwl_snapshot **out, rwl_error *err) {
    *out = rwl_metadata_snapshot(m, id);
    if (*out != NULL)
        return RWL_OK;
    if (id >= 0 && has_expired(m, id))
        return rwl_fail(err, RWL_NOT_FOUND, "%s: snapshot %lld has expired", m->location, (long long)id);
    return rwl_fail(err, RWL_NOT_FOUND, "%s has no snapshot %lld", m->location, (long long)id);
}

/* A snapshot by itself: its own schema, no branch. */
static rwl_status take_snapshot(const rwl_metadata *m, int64_t id, rwl_state *out, rwl_error *err) {
    RWL_TRY(find_snapshot(m, id, &out->snapshot, err));
    int32_t schema_id = out->snapshot->schema_id;
    if (schema_id >= 0 && rwl_metadata_schema(m, schema_id) == NULL)
        return rwl_fail(err, RWL_CORRUPT, "%s: snapshot %lld has schema %d, which the metadata lacks",
                        m->location, (long long)id, (int)schema_id);
    out->schema = rwl_metadata_snapshot_schema(m, out->snapshot);
    out->branch = NULL;
    return RWL_OK;
}

/* --- refs --- */

static rwl_status select_ref(const rwl_metadata *m, const char *name, rwl_state *out, rwl_error *err) {
    const rwl_ref *ref = rwl_metadata_ref(m, name);
    if (ref == NULL && strcmp(name, "main") == 0) {
        *out = (rwl_state){NULL, m->schema, "main"};
        return RWL_OK;
    }
    if (ref == NULL)
        return rwl_fail(err, RWL_NOT_FOUND, "%s has no branch, tag or snapshot %s", m->location, name);
    if (ref->is_tag)
        return take_snapshot(m, ref->snapshot_id, out, err);
    *out = (rwl_state){NULL, m->schema, ref->name};
    return find_snapshot(m, ref->snapshot_id, &out->snapshot, err);
}

static rwl_status select_named(const rwl_metadata *m, const char *state, rwl_state *out, rwl_error *err) {
    int64_t id;
    if (!parse_snapshot_id(state, &id))
        return select_ref(m, state, out, err);
    if (rwl_metadata_ref(m, state) != NULL)
        return rwl_fail(err, RWL_USAGE,
                        "%s is a ref of %s and could be a snapshot id; say --snapshot or --ref", state,
                        m->location);
    return take_snapshot(m, id, out, err);
}

/* --- history --- */

/* What was current when, as a walk over history collects it. */
typedef struct as_of {
    int64_t at_ms;
    bool found, any;
    int64_t id, ms;             /* of the best so far */
    int64_t first_id, first_ms; /* of the earliest there is */
} as_of;

/* `later`: of two with one time this one counts. */
static void look_at(as_of *a, int64_t id, int64_t ms, bool later) {
    if (!a->any || ms < a->first_ms) {
        a->first_id = id;
        a->first_ms = ms;
    }
    a->any = true;
    if (ms <= a->at_ms && (!a->found || ms > a->ms || (ms == a->ms && later))) {
        a->found = true;
        a->id = id;
        a->ms = ms;
    }
}

static void walk_log(const rwl_json *log, as_of *a) {
    for (size_t i = 0; i < rwl_json_len(log); i++) {
        const rwl_json *entry = rwl_json_at(log, i);
        look_at(a, rwl_json_i64(rwl_json_get(entry, "snapshot-id")),
                rwl_json_i64(rwl_json_get(entry, "timestamp-ms")), true);
    }
}

/* A cycle of parents ends when as many as there are were walked. */
static void walk_ancestors(const rwl_metadata *m, const rwl_snapshot *head, as_of *a) {
    const rwl_snapshot *s = head;
    for (int32_t steps = 0; s != NULL && steps < m->snapshot_count; steps++) {
        look_at(a, s->snapshot_id, s->timestamp_ms, false);
        s = rwl_metadata_snapshot(m, s->parent_id);
    }
}

static rwl_status select_time(const rwl_metadata *m, const char *branch, int64_t at_ms, rwl_state *out,
                              rwl_error *err) {
    const rwl_json *log = rwl_json_get(m->json, "snapshot-log");
    const rwl_ref *ref = rwl_metadata_ref(m, branch);
    char text[RWL_TIME_TEXT_MAX], first[RWL_TIME_TEXT_MAX];
    as_of a = {.at_ms = at_ms};
    if (strcmp(branch, "main") == 0 && rwl_json_len(log) > 0)
        walk_log(log, &a);
    else if (ref != NULL)
        walk_ancestors(m, rwl_metadata_snapshot(m, ref->snapshot_id), &a);
    if (a.found)
        return take_snapshot(m, a.id, out, err);
    if (!a.any)
        return rwl_fail(err, RWL_NOT_FOUND, "%s: branch %s has no snapshot yet", m->location, branch);
    return rwl_fail(err, RWL_NOT_FOUND, "%s: branch %s has no snapshot as old as %s; its first is %lld of %s",
                    m->location, branch, rwl_instant_format(at_ms, text), (long long)a.first_id,
                    rwl_instant_format(a.first_ms, first));
}

/* The state of the branch that `named` is, at a time. */
static rwl_status select_then(const rwl_metadata *m, const rwl_state *named, const char *time, int64_t now_ms,
                              rwl_state *out, rwl_error *err) {
    int64_t at_ms;
    if (named->branch == NULL)
        return rwl_fail(err, RWL_USAGE, "a snapshot id or tag is one state whatever the time is: %s", time);
    RWL_TRY(rwl_state_time(time, now_ms, &at_ms, err));
    return select_time(m, named->branch, at_ms, out, err);
}

rwl_status rwl_state_select(const rwl_metadata *m, const rwl_state_request *r, int64_t now_ms, rwl_state *out,
                            rwl_error *err) {
    if (r->snapshot != NULL && r->ref != NULL)
        return rwl_fail(err, RWL_USAGE, "--snapshot and --ref name one state twice");
    int named = (r->state != NULL) + (r->snapshot != NULL) + (r->ref != NULL);
    if (named > 1 || (r->snapshot != NULL && r->time != NULL))
        return rwl_fail(err, RWL_USAGE,
                        "name one state: TABLE@REF, --snapshot, or --ref; a time goes with a branch");
    rwl_state chosen;
    memset(&chosen, 0, sizeof chosen);
    int64_t id;
    if (r->snapshot != NULL && !parse_snapshot_id(r->snapshot, &id))
        return rwl_fail(err, RWL_USAGE, "--snapshot %s is no snapshot id", r->snapshot);
    if (r->snapshot != NULL)
        RWL_TRY(take_snapshot(m, id, &chosen, err));
    else if (r->state != NULL)
        RWL_TRY(select_named(m, r->state, &chosen, err));
    else
        RWL_TRY(select_ref(m, r->ref != NULL ? r->ref : "main", &chosen, err));
    if (r->time != NULL)
        RWL_TRY(select_then(m, &chosen, r->time, now_ms, &chosen, err));
    *out = chosen;
    return RWL_OK;
}
