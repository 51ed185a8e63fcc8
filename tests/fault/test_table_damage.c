/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged tables: each file that a scan reads (metadata, manifest lists, manifests, data files, deletes of every kind) is
 * cut or has a bit flipped. A scan then ends with an error that names a file, or with the rows and ids there were; where
 * neither checksum nor count can tell, with others. It gives all its memory back and holds no more than the budget allows.
 *
 *   ROWLINE_SEED    of the places where files are damaged
 *   ROWLINE_FLIPS   bits and lengths tried a file; 0: all
 */
#include "counted.h"
#include "fault.h"
#include "rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FILES_MAX = 64,
    BUDGET = 32 << 20,
    SLACK = 8 << 20,  /* documents, schemas, codecs' own state: not of the budget */
    SECONDS_MAX = 10, /* of CPU, for one scan: sanitizers are slow */
};

/* Tables of other engines; those of scenarios (fault.h) follow. `snapshot`: NULL for the head. */
static const struct {
    const char *folder, *location;
    const char *snapshot;
    bool has_keys; /* equality deletes */
} THEIRS[] = {
    {"spark/eqdel_v3", "/warehouse/spark/eqdel_v3", NULL, true},
    {"spark/eqdel_v3", "/warehouse/spark/eqdel_v3", "6551401857127230752", true},
    {"spark/upgrade_eqdel", "/warehouse/spark/upgrade_eqdel", "2635577612625000070", true},
    {"spark/upgrade_posdel", "/warehouse/spark/upgrade_posdel", "6702631987526935107", false},
    {"spark/upgrade_posdel", "/warehouse/spark/upgrade_posdel", "8285331926924567605", false},
    {"spark/upgrade_rewrite_first", "/warehouse/spark/upgrade_rewrite_first", "5936032566210911600", false},
    {"spark/mor_delete", "/warehouse/spark/mor_delete", NULL, false},
    {"spark/format_avro_cow", "/warehouse/spark/format_avro_cow", NULL, false},
    {"spark/gz_metadata", "/warehouse/spark/gz_metadata", NULL, false},
    {"spark/types_nested", "/warehouse/spark/types_nested", NULL, false},
    {"spark/types_variant", "/warehouse/spark/types_variant", NULL, false},
    {"spark/schema_change", "/warehouse/spark/schema_change", NULL, false},
    {"spark/schema_defaults", "/warehouse/spark/schema_defaults", NULL, false},
    {"spark/part_evolution", "/warehouse/spark/part_evolution", NULL, false},
    {"spark/add_files", "/warehouse/spark/add_files", NULL, false},
    {"spark/rewrite_sort", "/warehouse/spark/rewrite_sort", NULL, false},
    {"spark/upgrade_v1", "/warehouse/spark/upgrade_v1", NULL, false},
    {"hyparam+icebird/test/files/hyperparam-iceberg/java/bunnies", "s3a://hyperparam-iceberg/java/bunnies",
     NULL, true},
    {"golden-icebird/v3_eqdel", "file:///tmp/golden-icebird/v3_eqdel", NULL, true},
    {"golden-icebird/v2_rewrite_posdel", "file:///tmp/golden-icebird/v2_rewrite_posdel", NULL, false},
    {"golden-icebird/v3_dv_all", "file:///tmp/golden-icebird/v3_dv_all", NULL, false},
    {"golden-icebird/v3_types", "file:///tmp/golden-icebird/v3_types", NULL, false},
};
enum { THEIR_COUNT = sizeof THEIRS / sizeof THEIRS[0] };

/* Our own: vectors of deletes over two buckets; a version 2 table. */
static const char *const OURS[] = {"3aad", "2aa"};
enum { OUR_COUNT = sizeof OURS / sizeof OURS[0] };

typedef enum kind { METADATA, LIST, MANIFEST, DATA, VECTORS, KINDS } kind;
static const char *const KIND_NAMES[] = {"metadata", "manifest lists", "manifests", "data files", "vectors"};

typedef struct run {
    world w;
    rwl_env env;
    char table[160]; /* its folder */
    rwl_path_map map;
    const char *snapshot, *name;
    char files[FILES_MAX][512]; /* those that a scan opens, metadata first */
    int file_count;
    bool has_keys; /* equality deletes */
    uint64_t seed, random;
    int64_t flips, done, refused, peak, most;
    int64_t other[KINDS]; /* scans that gave other rows */
} run;

/* --- reading --- */

static void note_open(void *ctx, rwl_test_call call, const char *location, bool fails) {
    run *r = ctx;
    (void)fails;
    if (call != RWL_TEST_OPEN && call != RWL_TEST_STAT)
        return;
    const char *root = r->map.from != NULL ? strchr(r->map.from, '/') : r->table;
    const char *inside = strstr(location, root + strspn(root, "/"));
    ck_assert_ptr_nonnull(inside);
    inside += strlen(root + strspn(root, "/"));
    for (int i = 0; i < r->file_count; i++)
        if (strcmp(r->files[i], inside) == 0)
            return;
    ck_assert_int_lt(r->file_count, FILES_MAX);
    snprintf(r->files[r->file_count++], sizeof r->files[0], "%s", inside);
}

/* Opens the table and reads every row with its ids; `noting` keeps which files that takes. */
static rwl_status read_table(run *r, rwl_op *op, bool noting, outcome *o, rwl_error *err) {
    rwl_table_options options = {
        .maps = &r->map, .map_count = r->map.from != NULL ? 1 : 0, .snapshot = r->snapshot};
    rwl_test_store_options note = {.before = note_open, .before_ctx = r};
    rwl_table *t = NULL;
    rwl_scan *scan = NULL;
    RWL_TRY(rwl_table_open(op, r->table, &options, &t, err));
    if (noting) {
        const char *name = strrchr(t->metadata->metadata_location, '/');
        snprintf(r->files[r->file_count++], sizeof r->files[0], "/metadata%s", name);
        ck_assert_int_eq(rwl_test_store_new(&r->env, t->store, &note, &t->store, err), RWL_OK);
        t->place.store = t->store;
    }
    rwl_scan_options scan_options = {.rows = {.lineage = t->metadata->format_version >= 3}, .limit = -1};
    o->next_row_id = t->metadata->next_row_id;
    rwl_status st = rwl_scan_open(t, op, &scan_options, &scan, err);
    if (st == RWL_OK)
        st = read_rows(scan, &r->env, o, err);
    rwl_scan_close(scan);
    rwl_table_free(t);
    return st;
}

static outcome look(run *r, bool noting, const char *what) {
    rwl_op op;
    outcome o = {.status = RWL_OK};
    int64_t before = counted_live;
    double started = cpu_seconds();
    counted_peak = counted_live;
    rwl_op_init(&op, &r->env, BUDGET);
    o.status = read_table(r, &op, noting, &o, &o.error);
    int64_t held = counted_peak - before, lost = counted_live - before;
    if (held > BUDGET + SLACK || lost != 0 || atomic_load(&op.memory_used) != 0)
        ck_abort_msg("%s: %" PRId64 " bytes held, %" PRId64 " not given back, %lld of the budget", what, held,
                     lost, atomic_load(&op.memory_used));
    double seconds = cpu_seconds() - started;
    if (seconds > SECONDS_MAX)
        ck_abort_msg("%s: takes %.1f s", what, seconds);
    r->peak = held > r->peak ? held : r->peak;
    r->done++;
    r->refused += o.status != RWL_OK;
    return o;
}

/* --- judging --- */

/* One line, in a kind that damage may have, that names a file of the table. */
static void check_error(const run *r, const char *file, const outcome *o, bool is_cut, const char *what) {
    const rwl_error *e = &o->error;
    bool may_be = o->status == RWL_CORRUPT || o->status == RWL_UNSUPPORTED || o->status == RWL_IO ||
                  o->status == RWL_NOT_FOUND || o->status == RWL_NO_MEMORY;
    if (is_cut)
        may_be = o->status == RWL_CORRUPT || o->status == RWL_IO || o->status == RWL_UNSUPPORTED;
    ck_assert_msg(may_be, "%s: status %d: %s", what, (int)o->status, e->message);
    ck_assert_msg(e->message[0] != '\0' && strchr(e->message, '\n') == NULL, "%s: message '%s'", what,
                  e->message);
    const char *name = strrchr(file, '/') + 1;
    bool named = strstr(e->message, name) != NULL || strstr(e->path, name) != NULL;
    if (!is_cut) /* a name in it may be the damage */
        named = named || e->path[0] != '\0' || strstr(e->message, r->table) != NULL ||
                (r->map.from != NULL && strstr(e->message, r->map.from) != NULL);
    ck_assert_msg(named, "%s: %s is not named: '%s', path '%s'", what, name, e->message, e->path);
}

static kind kind_of(const char *file) {
    size_t len = strlen(file);
    if (strstr(file, "/metadata/") == NULL)
        return strcmp(file + len - 7, ".puffin") == 0 ? VECTORS : DATA;
    if (strcmp(file + len - 5, ".avro") != 0)
        return METADATA;
    return strncmp(strrchr(file, '/'), "/snap-", 6) == 0 ? LIST : MANIFEST;
}

static void judge(run *r, const char *file, const outcome *o, const outcome *whole, bool is_cut,
                  const char *what) {
    if (o->status != RWL_OK) {
        check_error(r, file, o, is_cut, what);
        return;
    }
    if (o->rows == whole->rows && o->sum == whole->sum)
        return;
    kind k = kind_of(file);
    r->other[k]++;
    if (getenv("ROWLINE_SHOW") != NULL)
        printf("%s: %" PRId64 " rows, not %" PRId64 "\n", what, o->rows, whole->rows);
    ck_assert_msg(!is_cut, "%s: %" PRId64 " rows of %" PRId64, what, o->rows, whole->rows);
    ck_assert_msg(k != VECTORS, "%s: not found by the checksum", what);
    /* how many rows a file has is said twice: in it and in its manifest; which of them equality deletes take is not */
    ck_assert_msg(k != DATA || o->rows == whole->rows || r->has_keys, "%s: %" PRId64 " rows of %" PRId64,
                  what, o->rows, whole->rows);
}

/* --- damaging --- */

static void damage_file(run *r, const char *file, const outcome *whole) {
    char path[700], what[900];
    size_t len;
    snprintf(path, sizeof path, "%s%s", r->table, file);
    uint8_t *bytes = read_file(path, &len);
    int64_t bits = (int64_t)len * 8, flips = r->flips == 0 || r->flips > bits ? bits : r->flips;
    for (int64_t i = 0; i < flips; i++) {
        int64_t n = flips == bits ? i : draw_below(&r->random, bits);
        bytes[n / 8] ^= (uint8_t)(1 << n % 8);
        write_file(path, bytes, len);
        bytes[n / 8] ^= (uint8_t)(1 << n % 8);
        snprintf(what, sizeof what, "%s, %s, byte %" PRId64 ", bit %d (ROWLINE_SEED=%" PRIu64 ")", r->name,
                 file, n / 8, (int)(n % 8), r->seed);
        outcome o = look(r, false, what);
        judge(r, file, &o, whole, false, what);
    }
    int64_t cuts = r->flips == 0 || r->flips / 4 > (int64_t)len ? (int64_t)len : r->flips / 4;
    for (int64_t i = 0; i < cuts; i++) {
        int64_t at = cuts == (int64_t)len ? i : draw_below(&r->random, (int64_t)len);
        write_file(path, bytes, (size_t)at);
        snprintf(what, sizeof what, "%s, %s, cut at %" PRId64 " (ROWLINE_SEED=%" PRIu64 ")", r->name, file,
                 at, r->seed);
        outcome o = look(r, false, what);
        judge(r, file, &o, whole, true, what);
    }
    write_file(path, bytes, len);
    free(bytes);
}

static void begin(run *r, int n) {
    memset(r, 0, sizeof *r);
    r->seed = number_from("ROWLINE_SEED", 5);
    r->random = r->seed + (uint64_t)n * 1000003;
    r->flips = (int64_t)number_from("ROWLINE_FLIPS", 60);
    r->flips = r->flips > 0 && r->flips < fault_stride() ? 1 : r->flips / fault_stride();
    ck_assert(world_open(&r->w, r->seed));
    snprintf(r->table, sizeof r->table, "%s/t", r->w.folder);
}

static void damage_table(run *r) {
    counted_env_init(&r->env);
    outcome whole = look(r, true, r->name);
    ck_assert_msg(whole.status == RWL_OK && whole.rows > 0, "%s: %s", r->name, whole.error.message);
    for (int i = 0; i < r->file_count; i++)
        damage_file(r, r->files[i], &whole);
    outcome again = look(r, false, r->name);
    ck_assert(again.status == RWL_OK && again.rows == whole.rows && again.sum == whole.sum);
    printf("%s: %d files, %" PRId64 " scans, %" PRId64 " refused, at most %" PRId64 " KiB held", r->name,
           r->file_count, r->done, r->refused, r->peak >> 10);
    for (int k = 0; k < KINDS; k++)
        if (r->other[k] > 0)
            printf("; %s: %" PRId64 " other rows", KIND_NAMES[k], r->other[k]);
    printf("\n");
    ck_assert_int_eq(counted_live, 0);
    world_close(&r->w, false);
}

START_TEST(tables_of_others_damaged_give_an_error_or_rows) {
    static run r;
    char from[512];
    snprintf(from, sizeof from, "%s/%s", FIXTURES_DIR, THEIRS[_i].folder);
    begin(&r, _i);
    if (!world_copy_tree(from, r.table)) {
        printf("skipped: no %s\n", from);
        world_close(&r.w, false);
        return;
    }
    r.name = THEIRS[_i].folder;
    r.snapshot = THEIRS[_i].snapshot;
    r.has_keys = THEIRS[_i].has_keys;
    r.map = (rwl_path_map){THEIRS[_i].location, r.table};
    damage_table(&r);
}
END_TEST

START_TEST(our_tables_damaged_give_an_error_or_rows) {
    static run r;
    begin(&r, THEIR_COUNT + _i);
    r.name = OURS[_i];
    for (const char *p = OURS[_i]; *p != '\0'; p++) {
        rwl_error error = {0};
        rwl_status st = make_change(&r.w, r.table, *p, NULL, NULL, &error);
        ck_assert_msg(st == RWL_OK, "%s", error.message);
    }
    damage_table(&r);
}
END_TEST

Suite *table_damage_suite(void) {
    Suite *suite = suite_create("tables");
    TCase *tc = tcase_create("damage");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, our_tables_damaged_give_an_error_or_rows, 0, OUR_COUNT);
    tcase_add_loop_test(tc, tables_of_others_damaged_give_an_error_or_rows, 0, THEIR_COUNT);
    suite_add_tcase(suite, tc);
    return suite;
}
