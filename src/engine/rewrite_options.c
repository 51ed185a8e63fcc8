/* SPDX-License-Identifier: Apache-2.0 */
/* Options become rules: defaults, the table's properties, then Spark's names over them. */
#include "engine/rewrite_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* --- Spark's names --- */

typedef enum option_kind {
    OPTION_NUMBER, /* an integer of at least `least` */
    OPTION_RATIO,  /* above 0, at most 1 */
    OPTION_TRUTH,
    OPTION_ORDER,
    OPTION_SPEC,
    OPTION_IDLE,   /* means nothing here: an integer of at least `least`, checked and left */
    OPTION_FACTOR, /* means nothing here: a number above 0 */
    OPTION_ZORDER
} option_kind;

typedef enum option_id {
    TARGET_BYTES,
    MIN_BYTES,
    MAX_BYTES,
    MIN_INPUT_FILES,
    REWRITE_ALL,
    MAX_GROUP_BYTES,
    MAX_GROUP_FILES,
    DELETE_FILES,
    DELETE_RATIO,
    MAX_FILES,
    PARTIAL_ENABLED,
    PARTIAL_COMMITS,
    PARTIAL_FAILED,
    USE_STARTING_NUMBER,
    REMOVE_DANGLING,
    JOB_ORDER,
    OUTPUT_SPEC,
    MAX_CONCURRENT,
    COMPRESSION_FACTOR,
    SHUFFLE_PARTITIONS,
    ZORDER_SIZE,
    ZORDER_LENGTH,
    OPTION_COUNT
} option_id;

/* Names and constraints of Iceberg's RewriteDataFiles. */
static const struct {
    const char *name;
    option_kind kind;
    int64_t least, most;
} OPTIONS[OPTION_COUNT] = {
    [TARGET_BYTES] = {"target-file-size-bytes", OPTION_NUMBER, 1, INT64_MAX},
    [MIN_BYTES] = {"min-file-size-bytes", OPTION_NUMBER, 0, INT64_MAX},
    [MAX_BYTES] = {"max-file-size-bytes", OPTION_NUMBER, 1, INT64_MAX},
    [MIN_INPUT_FILES] = {"min-input-files", OPTION_NUMBER, 1, INT32_MAX},
    [REWRITE_ALL] = {"rewrite-all", OPTION_TRUTH, 0, 0},
    [MAX_GROUP_BYTES] = {"max-file-group-size-bytes", OPTION_NUMBER, 1, INT64_MAX},
    [MAX_GROUP_FILES] = {"max-file-group-input-files", OPTION_NUMBER, 1, INT64_MAX},
    [DELETE_FILES] = {"delete-file-threshold", OPTION_NUMBER, 0, INT32_MAX},
    [DELETE_RATIO] = {"delete-ratio-threshold", OPTION_RATIO, 0, 0},
    [MAX_FILES] = {"max-files-to-rewrite", OPTION_NUMBER, 1, INT32_MAX},
    [PARTIAL_ENABLED] = {"partial-progress.enabled", OPTION_TRUTH, 0, 0},
    [PARTIAL_COMMITS] = {"partial-progress.max-commits", OPTION_NUMBER, 1, INT32_MAX},
    [PARTIAL_FAILED] = {"partial-progress.max-failed-commits", OPTION_NUMBER, 0, INT32_MAX},
    [USE_STARTING_NUMBER] = {"use-starting-sequence-number", OPTION_TRUTH, 0, 0},
    [REMOVE_DANGLING] = {"remove-dangling-deletes", OPTION_TRUTH, 0, 0},
    [JOB_ORDER] = {"rewrite-job-order", OPTION_ORDER, 0, 0},
    [OUTPUT_SPEC] = {"output-spec-id", OPTION_SPEC, INT32_MIN, INT32_MAX},
    [MAX_CONCURRENT] = {"max-concurrent-file-group-rewrites", OPTION_IDLE, 1, INT32_MAX},
    [COMPRESSION_FACTOR] = {"compression-factor", OPTION_FACTOR, 0, 0},
    [SHUFFLE_PARTITIONS] = {"shuffle-partitions-per-file", OPTION_IDLE, 1, INT32_MAX},
    [ZORDER_SIZE] = {"max-output-size", OPTION_ZORDER, 0, 0},
    [ZORDER_LENGTH] = {"var-length-contribution", OPTION_ZORDER, 0, 0},
};

/* The named options of a request by their place in the table. */
typedef struct named {
    const char *text[OPTION_COUNT]; /* NULL: not given */
    int64_t number[OPTION_COUNT];   /* numbers, truths as 0 and 1, orders */
    double ratio;
} named;

static option_id find_option(const char *name) {
    option_id id = 0;
    while (id < OPTION_COUNT && strcmp(OPTIONS[id].name, name) != 0)
        id++;
    return id;
}

/* All names that are not known in one message. */
static rwl_status check_names(const rwl_rewrite_options *o, rwl_error *err) {
    char unknown[256] = "";
    size_t len = 0;
    for (size_t i = 0; i < o->named_count; i++)
        if (find_option(o->names[i]) == OPTION_COUNT && len < sizeof unknown)
            len += (size_t)snprintf(unknown + len, sizeof unknown - len, "%s%s", len > 0 ? ", " : "",
                                    o->names[i]);
    if (len > 0)
        return rwl_fail(err, RWL_USAGE, "cannot use options [%s], they are not options of a rewrite",
                        unknown);
    return RWL_OK;
}

static rwl_status read_number(option_id id, const char *text, int64_t *out, rwl_error *err) {
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (text[0] == '\0' || *end != '\0' || errno != 0)
        return rwl_fail(err, RWL_USAGE, "'%s' is set to '%.60s', which is not an integer", OPTIONS[id].name,
                        text);
    if (id == MAX_FILES && value < OPTIONS[id].least)
        return rwl_fail(err, RWL_USAGE, "cannot set %s to %lld, the value must be positive integer",
                        OPTIONS[id].name, value);
    if (value < OPTIONS[id].least)
        return rwl_fail(err, RWL_USAGE, "'%s' is set to %lld but must be >= %lld", OPTIONS[id].name, value,
                        (long long)OPTIONS[id].least);
    if (value > OPTIONS[id].most)
        return rwl_fail(err, RWL_USAGE, "'%s' is set to %lld but must be <= %lld", OPTIONS[id].name, value,
                        (long long)OPTIONS[id].most);
    *out = value;
    return RWL_OK;
}

static rwl_status read_ratio(option_id id, const char *text, double most, double *out, rwl_error *err) {
    char *end = NULL;
    double value = strtod(text, &end);
    if (text[0] == '\0' || *end != '\0')
        return rwl_fail(err, RWL_USAGE, "'%s' is set to '%.60s', which is not a number", OPTIONS[id].name,
                        text);
    if (!(value > 0))
        return rwl_fail(err, RWL_USAGE, "'%s' is set to %s but must be > 0", OPTIONS[id].name, text);
    if (!(value <= most))
        return rwl_fail(err, RWL_USAGE, "'%s' is set to %s but must be <= %g", OPTIONS[id].name, text, most);
    *out = value;
    return RWL_OK;
}

static rwl_status read_truth(option_id id, const char *text, int64_t *out, rwl_error *err) {
    if (strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0)
        return rwl_fail(err, RWL_USAGE, "'%s' is set to '%.60s' but must be true or false", OPTIONS[id].name,
                        text);
    *out = strcasecmp(text, "true") == 0;
    return RWL_OK;
}

/* Java's names, any case, '-' and '_' alike. */
static bool is_order(const char *text, const char *name) {
    for (; *text != '\0' && *name != '\0'; text++, name++) {
        char c = *text == '_' ? '-' : *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (c != *name)
            return false;
    }
    return *text == *name;
}

static rwl_status read_order(const char *text, int64_t *out, rwl_error *err) {
    static const char *const names[] = {"none", "bytes-asc", "bytes-desc", "files-asc", "files-desc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_order(text, names[i])) {
            *out = (int64_t)i;
            return RWL_OK;
        }
    return rwl_fail(
        err, RWL_USAGE,
        "invalid rewrite job order name: %.60s (none, bytes-asc, bytes-desc, files-asc, files-desc)", text);
}

static rwl_status read_named(const rwl_rewrite_options *o, named *n, rwl_error *err) {
    memset(n, 0, sizeof *n);
    RWL_TRY(check_names(o, err));
    for (size_t i = 0; i < o->named_count; i++) {
        option_id id = find_option(o->names[i]);
        const char *text = o->values[i];
        double unused;
        if (n->text[id] != NULL)
            return rwl_fail(err, RWL_USAGE, "option %s is given twice", OPTIONS[id].name);
        n->text[id] = text;
        switch (OPTIONS[id].kind) {
        case OPTION_NUMBER:
        case OPTION_SPEC:
        case OPTION_IDLE:
            RWL_TRY(read_number(id, text, &n->number[id], err));
            break;
        case OPTION_RATIO:
            RWL_TRY(read_ratio(id, text, 1, &n->ratio, err));
            break;
        case OPTION_TRUTH:
            RWL_TRY(read_truth(id, text, &n->number[id], err));
            break;
        case OPTION_ORDER:
            RWL_TRY(read_order(text, &n->number[id], err));
            break;
        case OPTION_FACTOR:
            RWL_TRY(read_ratio(id, text, 1e308, &unused, err));
            break;
        case OPTION_ZORDER:
            return rwl_fail(err, RWL_UNSUPPORTED, "option %s: z-ordering is not supported", OPTIONS[id].name);
        }
    }
    return RWL_OK;
}

void rwl_rewrite_options_note(const rwl_rewrite_options *o, const rwl_env *env) {
    for (size_t i = 0; i < o->named_count; i++) {
        option_id id = find_option(o->names[i]);
        if (id != OPTION_COUNT && (OPTIONS[id].kind == OPTION_IDLE || OPTIONS[id].kind == OPTION_FACTOR))
            rwl_log(env, RWL_LOG_WARN, "option %s means nothing here and is left out", OPTIONS[id].name);
    }
}

/* --- rules --- */

static rwl_status check_rules(const rwl_rewrite_rules *r, rwl_error *err) {
    if (r->target_bytes <= 0)
        return rwl_fail(err, RWL_USAGE, "target file size %lld is not positive", (long long)r->target_bytes);
    if (r->min_bytes < 0 || r->min_bytes >= r->target_bytes)
        return rwl_fail(err, RWL_USAGE, "min file size %lld is not below target %lld",
                        (long long)r->min_bytes, (long long)r->target_bytes);
    if (r->max_bytes <= r->target_bytes)
        return rwl_fail(err, RWL_USAGE, "max file size %lld is not above target %lld",
                        (long long)r->max_bytes, (long long)r->target_bytes);
    if (r->min_input_files <= 0)
        return rwl_fail(err, RWL_USAGE, "min input files %d is not positive", r->min_input_files);
    if (!(r->delete_ratio > 0 && r->delete_ratio <= 1))
        return rwl_fail(err, RWL_USAGE, "delete ratio %g is not above 0 and at most 1", r->delete_ratio);
    if (r->delete_files < 0)
        return rwl_fail(err, RWL_USAGE, "delete files %lld is negative", (long long)r->delete_files);
    if (r->max_group_bytes <= 0)
        return rwl_fail(err, RWL_USAGE, "max group size %lld is not positive", (long long)r->max_group_bytes);
    if (r->max_total_bytes < 0)
        return rwl_fail(err, RWL_USAGE, "max bytes %lld is negative", (long long)r->max_total_bytes);
    return RWL_OK;
}

/* What is asked for in both ways, and differently, has no answer. */
static rwl_status check_once(const named *n, option_id id, bool given, const char *what, rwl_error *err) {
    if (given && n->text[id] != NULL)
        return rwl_fail(err, RWL_USAGE, "option %s and %s are both given", OPTIONS[id].name, what);
    return RWL_OK;
}

static rwl_status check_both(const rwl_rewrite_options *o, const named *n, rwl_error *err) {
    RWL_TRY(check_once(n, TARGET_BYTES, o->target_bytes != 0, "a target file size", err));
    RWL_TRY(check_once(n, MIN_BYTES, o->min_bytes != 0, "a min file size", err));
    RWL_TRY(check_once(n, MAX_BYTES, o->max_bytes != 0, "a max file size", err));
    RWL_TRY(check_once(n, MIN_INPUT_FILES, o->min_input_files != 0, "min input files", err));
    RWL_TRY(check_once(n, DELETE_RATIO, o->delete_ratio != 0, "a delete ratio", err));
    RWL_TRY(check_once(n, DELETE_FILES, o->delete_files != 0, "delete files", err));
    RWL_TRY(check_once(n, MAX_GROUP_BYTES, o->max_group_bytes != 0, "a max group size", err));
    RWL_TRY(check_once(n, PARTIAL_COMMITS, o->max_commits != 0, "max commits", err));
    return RWL_OK;
}

/* The order asked for: one of the table's when equal to it, else without an id. */
static rwl_status read_sort(const rwl_rewrite_options *o, const rwl_metadata *m, rwl_arena *arena,
                            rwl_rewrite_settings *out, rwl_error *err) {
    if (o->sort == NULL)
        return RWL_OK;
    RWL_TRY(rwl_sort_order_from_text(o->sort, m->schema, arena, &out->order, err));
    if (out->order.field_count == 0)
        return rwl_fail(err, RWL_USAGE, "the sort order names no column");
    out->order.order_id = 0;
    for (int32_t i = 0; i < m->order_count; i++)
        if (rwl_sort_order_equal(&m->orders[i], &out->order))
            out->order.order_id = m->orders[i].order_id;
    out->rules.sort = &out->order;
    return RWL_OK;
}

static rwl_status read_sizes(const rwl_rewrite_options *o, const named *n, const rwl_metadata *m,
                             rwl_rewrite_rules *rules, rwl_error *err) {
    bool min = o->min_bytes != 0 || n->text[MIN_BYTES] != NULL,
         max = o->max_bytes != 0 || n->text[MAX_BYTES] != NULL;
    int64_t target = n->text[TARGET_BYTES] != NULL ? n->number[TARGET_BYTES] : o->target_bytes;
    RWL_TRY(rwl_rewrite_rules_default(m, target, rules, err));
    if (min)
        rules->min_bytes = n->text[MIN_BYTES] != NULL ? n->number[MIN_BYTES] : o->min_bytes;
    if (max)
        rules->max_bytes = n->text[MAX_BYTES] != NULL ? n->number[MAX_BYTES] : o->max_bytes;
    if (!max && rules->max_bytes == rules->target_bytes && rules->max_bytes < INT64_MAX)
        rules->max_bytes++; /* a target of one byte */
    return RWL_OK;
}

/* An option's number, else the one asked for in our way, else the default. */
static int64_t choose(const named *n, option_id id, int64_t given, int64_t otherwise) {
    return n->text[id] != NULL ? n->number[id] : given != 0 ? given : otherwise;
}

static rwl_status read_spec(const named *n, const rwl_metadata *m, rwl_rewrite_rules *rules, rwl_error *err) {
    rules->spec = m->spec;
    if (n->text[OUTPUT_SPEC] != NULL)
        rules->spec = rwl_metadata_spec(m, (int32_t)n->number[OUTPUT_SPEC]);
    if (rules->spec == NULL)
        return rwl_fail(
            err, RWL_USAGE,
            "cannot use output spec id %lld because the table does not contain a reference to this "
            "spec-id",
            (long long)n->number[OUTPUT_SPEC]);
    return rwl_partition_spec_check_writable(rules->spec, err);
}

static void read_commits(const rwl_rewrite_options *o, const named *n, rwl_rewrite_settings *out) {
    bool partial = n->number[PARTIAL_ENABLED] != 0;
    out->max_commits = o->max_commits > 0 ? o->max_commits
                       : partial          ? (int32_t)choose(n, PARTIAL_COMMITS, 0, 10)
                                          : 1;
    out->max_failed_commits = (int32_t)choose(n, PARTIAL_FAILED, 0, out->max_commits);
}

rwl_status rwl_rewrite_settings_read(const rwl_rewrite_options *o, const rwl_metadata *m, rwl_arena *arena,
                                     rwl_rewrite_settings *out, rwl_error *err) {
    named n;
    memset(out, 0, sizeof *out);
    RWL_TRY(read_named(o, &n, err));
    RWL_TRY(check_both(o, &n, err));
    rwl_rewrite_rules *rules = &out->rules;
    RWL_TRY(read_sizes(o, &n, m, rules, err));
    rules->min_input_files = (int32_t)choose(&n, MIN_INPUT_FILES, o->min_input_files, rules->min_input_files);
    rules->delete_ratio = n.text[DELETE_RATIO] != NULL ? n.ratio
                          : o->delete_ratio != 0       ? o->delete_ratio
                                                       : rules->delete_ratio;
    rules->delete_files = choose(&n, DELETE_FILES, o->delete_files, rules->delete_files);
    rules->max_group_bytes = choose(&n, MAX_GROUP_BYTES, o->max_group_bytes, rules->max_group_bytes);
    rules->max_group_files = n.number[MAX_GROUP_FILES];
    rules->max_files = n.number[MAX_FILES];
    rules->max_total_bytes = o->max_total_bytes;
    rules->order = (rwl_rewrite_order)n.number[JOB_ORDER];
    rules->rewrite_all = o->rewrite_all || n.number[REWRITE_ALL] != 0;
    if (o->deadline_ms < 0 || o->max_commits < 0)
        return rwl_fail(err, RWL_USAGE, "%s is negative",
                        o->deadline_ms < 0 ? "the deadline" : "max commits");
    RWL_TRY(read_spec(&n, m, rules, err));
    RWL_TRY(read_sort(o, m, arena, out, err));
    read_commits(o, &n, out);
    out->renumber = n.text[USE_STARTING_NUMBER] != NULL && n.number[USE_STARTING_NUMBER] == 0;
    out->remove_dangling = n.number[REMOVE_DANGLING] != 0;
    return check_rules(rules, err);
}
