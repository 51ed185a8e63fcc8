/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged Lance datasets: each file that a scan with lineage reads (manifest, data files, deletion files) is cut or has a bit
 * flipped. A scan then ends with an error that names a place, or with rows; Lance has no checksums, so values, ids and versions may
 * be others, but damage to data and deletion files never changes how many rows there are: that is said twice. Memory is given
 * back and no more held than the budget allows.
 *
 *   ROWLINE_SEED    of the places where files are damaged
 *   ROWLINE_FLIPS   bits and lengths tried a dataset; 0: all
 */
#include "counted.h"
#include "fault.h"
#include "lance_made.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FILES_MAX = 64,
    BUDGET = 32 << 20,
    SLACK = 16 << 20, /* schemas, windows, codecs' own state, batches */
    SECONDS_MAX = 10, /* of CPU, for one scan: sanitizers are slow */
};

/* The test's own datasets, those of seeds of the fuzzer, then those of another writer, at a version (NULL: the newest). */
static const struct {
    const char *name, *version;
} DATASETS[] = {
    {"made", NULL},
    {"made_parts", NULL},
    {"seed old", NULL},
    {"seed old-packed", NULL}, /* with the next two every encoding of 2.0 */
    {"seed old-compressed", NULL},
    {"seed old-texts", NULL},
    {"deletion_files", "2"}, /* .arrow */
    {"deletion_files", "3"}, /* .bin */
    {"segment_forms", "10"},
    {"spill_mixed_plan", "6"},
    {"spill_separate_file", "8"},
    {"spill_encodings_2_0", "7"},
    {"spill_merge", "9"},
    {"schema_changes", "10"},
    {"merge_variants", "11"},
    {"life_address_ids_2_2", "12"},
    {"types_nested_2_0", NULL},
    {"types_nested_2_2", NULL},
    {"types_texts_2_2", NULL},
    {"types_vectors_2_2", NULL},
    {"types_compressed_2_2", NULL},
};
enum { DATASET_COUNT = sizeof DATASETS / sizeof *DATASETS };

typedef enum kind { MANIFEST, DATA, DELETIONS, KINDS } kind;
static const char *const KIND_NAMES[] = {"manifests", "data files", "deletion files"};

typedef struct run {
    world w;
    rwl_env env;
    const char *name, *version;
    char table[160];
    char files[FILES_MAX][256]; /* those that a scan opens, below the folder */
    int file_count;
    uint64_t seed, random;
    int64_t flips, done, refused, peak;
    int64_t other[KINDS]; /* scans that gave other rows */
} run;

static run r;

/* --- reading --- */

static void note_open(void *ctx, rwl_test_call call, const char *location, bool fails) {
    (void)ctx;
    (void)fails;
    if (call != RWL_TEST_OPEN)
        return;
    const char *inside = strstr(location, r.table);
    ck_assert_ptr_nonnull(inside);
    inside += strlen(r.table);
    for (int i = 0; i < r.file_count; i++)
        if (strcmp(r.files[i], inside) == 0)
            return;
    ck_assert_int_lt(r.file_count, FILES_MAX);
    snprintf(r.files[r.file_count++], sizeof r.files[0], "%s", inside);
}

static outcome look(const rwl_test_store_options *options, const char *what) {
    rwl_op op;
    outcome o = {.status = RWL_OK};
    int64_t before = counted_live;
    double started = cpu_seconds();
    counted_peak = counted_live;
    rwl_op_init(&op, &r.env, BUDGET);
    o.status = lance_read(&op, r.table, r.version, options, &o, &o.error);
    int64_t held = counted_peak - before, lost = counted_live - before;
    if (held > BUDGET + SLACK || lost != 0 || atomic_load(&op.memory_used) != 0)
        ck_abort_msg("%s: %" PRId64 " bytes held, %" PRId64 " not given back, %lld of the budget", what, held,
                     lost, atomic_load(&op.memory_used));
    double seconds = cpu_seconds() - started;
    if (seconds > SECONDS_MAX)
        ck_abort_msg("%s: takes %.1f s", what, seconds);
    r.peak = held > r.peak ? held : r.peak;
    r.done++;
    r.refused += o.status != RWL_OK;
    return o;
}

/* --- judging --- */

static kind kind_of(const char *file) {
    return strncmp(file, "/data/", 6) == 0          ? DATA
           : strncmp(file, "/_deletions/", 12) == 0 ? DELETIONS
                                                    : MANIFEST;
}

/* One line, in a kind that damage may have, that names a file of the dataset or one of its fragments. */
static void check_error(const char *file, const outcome *o, bool is_cut, const char *what) {
    const rwl_error *e = &o->error;
    const char *name = strrchr(file, '/') + 1;
    bool names_files =
        kind_of(file) == MANIFEST || strstr(e->message, ".blob") != NULL; /* by a blob's number */
    bool may_be = o->status == RWL_CORRUPT || o->status == RWL_UNSUPPORTED || o->status == RWL_IO ||
                  (!is_cut && o->status == RWL_LAW_BROKEN) || /* an id that nobody gave */
                  (!is_cut && names_files && o->status == RWL_NOT_FOUND);
    ck_assert_msg(may_be, "%s: status %d: %s", what, (int)o->status, e->message);
    ck_assert_msg(e->message[0] != '\0' && strchr(e->message, '\n') == NULL, "%s: message '%s'", what,
                  e->message);
    bool named = strstr(e->message, name) != NULL || strstr(e->path, name) != NULL;
    if (!is_cut) /* a name in it may be the damage; a page of data files is told by fragment and column */
        named = named || e->path[0] != '\0' || strstr(e->message, r.table) != NULL ||
                strstr(e->message, "fragment ") != NULL;
    ck_assert_msg(named, "%s: %s is not named: '%s', path '%s'", what, name, e->message, e->path);
}

static void judge(const char *file, const outcome *o, const outcome *whole, bool is_cut, const char *what) {
    if (o->status != RWL_OK) {
        check_error(file, o, is_cut, what);
        return;
    }
    if (o->rows == whole->rows && o->sum == whole->sum)
        return;
    kind k = kind_of(file);
    r.other[k]++;
    if (getenv("ROWLINE_SHOW") != NULL)
        printf("%s: %" PRId64 " rows of %" PRId64 "\n", what, o->rows, whole->rows);
    ck_assert_msg(!is_cut, "%s: %" PRId64 " rows of %" PRId64, what, o->rows, whole->rows);
    ck_assert_msg(k == MANIFEST || o->rows == whole->rows, "%s: %" PRId64 " rows of %" PRId64, what, o->rows,
                  whole->rows);
}

/* --- damaging --- */

static void flip_bits(const char *file, const char *path, uint8_t *bytes, size_t len, const outcome *whole) {
    char what[600];
    int64_t bits = (int64_t)len * 8, flips = r.flips == 0 || r.flips > bits ? bits : r.flips;
    for (int64_t i = 0; i < flips; i++) {
        int64_t n = flips == bits ? i : draw_below(&r.random, bits);
        bytes[n / 8] ^= (uint8_t)(1 << n % 8);
        write_file(path, bytes, len);
        bytes[n / 8] ^= (uint8_t)(1 << n % 8);
        snprintf(what, sizeof what, "%s, %s, byte %" PRId64 ", bit %d (ROWLINE_SEED=%" PRIu64 ")", r.name,
                 file, n / 8, (int)(n % 8), r.seed);
        outcome o = look(NULL, what);
        judge(file, &o, whole, false, what);
    }
}

static void cut(const char *file, const char *path, const uint8_t *bytes, size_t len, const outcome *whole) {
    char what[600];
    int64_t cuts = r.flips == 0 || r.flips / 4 > (int64_t)len ? (int64_t)len : r.flips / 4;
    for (int64_t i = 0; i < cuts; i++) {
        int64_t at = cuts == (int64_t)len ? i : draw_below(&r.random, (int64_t)len);
        write_file(path, bytes, (size_t)at);
        snprintf(what, sizeof what, "%s, %s, cut at %" PRId64 " (ROWLINE_SEED=%" PRIu64 ")", r.name, file, at,
                 r.seed);
        outcome o = look(NULL, what);
        judge(file, &o, whole, true, what);
    }
}

static void damage_file(const char *file, const outcome *whole) {
    char path[500];
    size_t len;
    snprintf(path, sizeof path, "%s%s", r.table, file);
    uint8_t *bytes = read_file(path, &len);
    flip_bits(file, path, bytes, len, whole);
    cut(file, path, bytes, len, whole);
    write_file(path, bytes, len);
    free(bytes);
}

static void damage_dataset(void) {
    const rwl_test_store_options noting = {.before = note_open};
    outcome whole = look(&noting, r.name);
    ck_assert_msg(whole.status == RWL_OK && whole.rows > 0, "%s: %s", r.name, whole.error.message);
    if (r.flips > 0) /* small files, of which there may be many, have their share */
        r.flips = r.flips / r.file_count > 8 ? r.flips / r.file_count : 8;
    r.flips = r.flips > 0 && r.flips < fault_stride() ? 1 : r.flips / fault_stride();
    for (int i = 0; i < r.file_count; i++)
        damage_file(r.files[i], &whole);
    outcome again = look(NULL, r.name);
    ck_assert(again.status == RWL_OK && again.rows == whole.rows && again.sum == whole.sum);
    printf("%s: %d files, %" PRId64 " scans, %" PRId64 " refused, at most %" PRId64 " KiB held", r.name,
           r.file_count, r.done, r.refused, r.peak >> 10);
    for (int k = 0; k < KINDS; k++)
        if (r.other[k] > 0)
            printf("; %s: %" PRId64 " other rows", KIND_NAMES[k], r.other[k]);
    printf("\n");
    ck_assert_int_eq(counted_live, 0);
}

static bool make_dataset(void) {
    char from[512];
    bool is_seed = strncmp(r.name, "seed ", 5) == 0;
    if (is_seed)
        snprintf(from, sizeof from, "%s/lance_file/%s", SEEDS_DIR, r.name + 5);
    else
        snprintf(from, sizeof from, "%s/pylance/%s/t.lance", FIXTURES_DIR, r.name);
    if (is_seed)
        lance_made_of(&r.w.env, from, r.table);
    else if (strcmp(r.name, "made") == 0)
        lance_made(&r.w.env, r.table);
    else if (strcmp(r.name, "made_parts") == 0)
        lance_made_parts(&r.w.env, r.table);
    else if (!world_copy_tree(from, r.table)) {
        printf("skipped: no %s\n", from);
        return false;
    }
    return true;
}

START_TEST(datasets_damaged_give_an_error_or_rows) {
    memset(&r, 0, sizeof r);
    r.seed = number_from("ROWLINE_SEED", 6);
    r.random = r.seed + (uint64_t)_i * 1000003;
    r.flips = (int64_t)number_from("ROWLINE_FLIPS", 400);
    ck_assert(world_open(&r.w, r.seed));
    snprintf(r.table, sizeof r.table, "%s/t.lance", r.w.folder);
    r.name = DATASETS[_i].name;
    r.version = DATASETS[_i].version;
    counted_env_init(&r.env);
    if (make_dataset())
        damage_dataset();
    world_close(&r.w, false);
}
END_TEST

Suite *lance_damage_suite(void) {
    Suite *suite = suite_create("lance_damage");
    TCase *tc = tcase_create("damage");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, datasets_damaged_give_an_error_or_rows, 0, DATASET_COUNT);
    suite_add_tcase(suite, tc);
    return suite;
}
