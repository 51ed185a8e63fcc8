/* SPDX-License-Identifier: Apache-2.0 */
/* Lineage from every arm, alone and mixed; each breach of the rules of spilled lineage by its own sentence. */
#include "lance/carrier.h"
#include "lance/lineage.h"

#include "lance/sequence.h"
#include "lancefile/encoding.h"
#include "made.h"
#include "suites.h"

#include <stdio.h>

static made world;
static rwl_rows rows;
static rwl_read_stats was_read; /* by the last read_all */

static void set_up(void) {
    made_open(&world, 0);
    ASSERT_OK(rwl_rows_init(&rows, &world.env, NULL, 0, err));
}

static void tear_down(void) {
    rwl_rows_clear(&rows);
    made_close(&world);
}

static const unsigned masks[] = {RWL_LINEAGE_ROW_IDS, RWL_LINEAGE_CREATED, RWL_LINEAGE_VERSIONS};
static const char *const subjects[] = {"row ids", "created-at versions", "last-updated-at versions"};

/* Values of the carrier "c.lance": a user's int64, the three sequences, and a user's int64 and uint64 with values as ids have. */
static const uint64_t column_values[6][4] = {{9, 9, 9, 9}, {40, 3, 4, 7}, {1, 1, 2, 2},
                                             {5, 5, 6, 5}, {40, 3, 4, 7}, {40, 3, 4, 7}};
static const int64_t expected[3][4] = {{40, 3, 4, 7}, {1, 1, 2, 2}, {5, 5, 6, 5}};
static const int32_t carrier_fields[] = {0, -3, -4, -5}, carrier_indices[] = {0, 1, 2, 3};

static void make_carrier(const char *name) {
    static const char *const types[] = {
        "int64", "_rowid:uint64", "_row_created_at_version:uint64", "_row_last_updated_at_version:uint64",
        "int64", "uint64"};
    const uint64_t *values[6];
    for (int i = 0; i < 6; i++)
        values[i] = column_values[i];
    made_file(&world, name, types, values, 6, 4);
}

/* Fragment 10 of 4 rows, everything in the carrier. */
static rwl_lance_fragment spilled(rwl_lance_data_file *files, int32_t count) {
    rwl_lance_fragment f = {.id = 10, .files = files, .file_count = count, .physical_rows = 4};
    for (int s = 0; s < 3; s++)
        f.arms[s] = made_kind(RWL_LANCE_ARM_COLUMN);
    return f;
}

static rwl_status read_all(const rwl_lance_fragment *f, unsigned wanted, const rwl_range *ranges,
                           size_t count, rwl_error *err) {
    rwl_lance_lineage *l = NULL;
    rwl_lance_fragment_files opened;
    rwl_rows_reset(&rows);
    rwl_lance_fragment_files_init(&opened, &world.dataset, &world.op, f);
    rwl_status st = rwl_lance_lineage_open(&opened, wanted, &l, err);
    if (st == RWL_OK) {
        st = rwl_lance_lineage_read(l, ranges, count, &rows, err);
        was_read = (rwl_read_stats){0};
        rwl_lance_lineage_add_stats(l, &was_read);
        rwl_lance_lineage_close(l);
    }
    rwl_lance_fragment_files_clear(&opened);
    return st;
}

static rwl_status read_whole(const rwl_lance_fragment *f, unsigned wanted, rwl_error *err) {
    rwl_range all = {0, f->physical_rows};
    return read_all(f, wanted, &all, 1, err);
}

static const rwl_runs *sequence_of(int s) {
    return s == 0 ? &rows.row_ids : s == 1 ? &rows.created : &rows.versions;
}

/* Each alone, then all three. */
static void assert_lineage(const rwl_lance_fragment *f) {
    for (int s = 0; s < 3; s++) {
        ASSERT_OK(read_whole(f, masks[s], err));
        for (int other = 0; other < 3; other++)
            assert_values(sequence_of(other), expected[other], other == s ? 4 : 0);
    }
    ASSERT_OK(read_whole(f, RWL_LINEAGE_ALL, err));
    for (int s = 0; s < 3; s++)
        assert_values(sequence_of(s), expected[s], 4);
    static const rwl_range parts[] = {{1, 1}, {3, 1}};
    ASSERT_OK(read_all(f, RWL_LINEAGE_ALL, parts, 2, err));
    for (int s = 0; s < 3; s++)
        assert_values(sequence_of(s), (const int64_t[]){expected[s][1], expected[s][3]}, 2);
}

/* The same, inline. */
static void make_inline(rwl_buf bytes[3]) {
    static const uint16_t ids[] = {40, 3, 4, 7};
    for (int s = 0; s < 3; s++)
        rwl_buf_init(&bytes[s], &world.env, SIZE_MAX);
    put_numbers(&bytes[0], false, ids, 4);
    put_run(&bytes[1], 0, 2, 1);
    put_run(&bytes[1], 2, 2, 2);
    put_run(&bytes[2], 0, 2, 5);
    put_run(&bytes[2], 0, 1, 6);
    put_run(&bytes[2], 0, 1, 5);
}

START_TEST(spilled_lineage_is_read_from_its_carrier) {
    make_carrier("c.lance");
    rwl_lance_data_file file = made_data_file("c.lance", carrier_fields, carrier_indices, 4);
    rwl_lance_fragment f = spilled(&file, 1);
    assert_lineage(&f);
    ck_assert_int_eq(was_read.pages_read, 3);
    ck_assert_int_ge(was_read.requests, 1);
    int32_t where, column;
    ASSERT_OK(rwl_lance_carrier_find(&world.dataset, &f, RWL_LANCE_LAST_UPDATED, &where, &column, err));
    ck_assert_int_eq(where, 0);
    ck_assert_int_eq(column, 3);
}
END_TEST

/* Every mixture of inline and column, the latter in one file or in several. */
START_TEST(the_three_sequences_are_independent) {
    static const int32_t user[] = {0}, ids[] = {-3}, created[] = {-4}, updated[] = {-5}, at[] = {0, 1, 2, 3};
    rwl_buf bytes[3];
    make_inline(bytes);
    make_carrier("c.lance");
    make_carrier("d.lance");
    rwl_lance_data_file files[] = {
        made_data_file("c.lance", user, at, 1), made_data_file("d.lance", ids, at + 1, 1),
        made_data_file("c.lance", created, at + 2, 1), made_data_file("d.lance", updated, at + 3, 1)};
    for (int mask = 0; mask < 8; mask++) {
        rwl_lance_fragment f = spilled(files, 4);
        for (int s = 0; s < 3; s++)
            if (mask >> s & 1)
                f.arms[s] = made_arm(&bytes[s]);
        assert_lineage(&f);
    }
    for (int s = 0; s < 3; s++)
        rwl_buf_clear(&bytes[s]);
}
END_TEST

/* Of 800 rows every other pair: so many ranges are cut out of all that lies between them. Ids 5000 + row, or in halves the other way
 * round; versions of one run, or of three. */
START_TEST(scattered_rows_are_cut_out_of_what_lies_between) {
    enum { ROWS = 800, RANGES = ROWS / 4 };
    rwl_range ranges[RANGES];
    int64_t wanted[3][RANGES * 2];
    for (int several = 0; several < 2; several++) {
        rwl_buf bytes[2];
        rwl_buf_init(&bytes[0], &world.env, SIZE_MAX);
        rwl_buf_init(&bytes[1], &world.env, SIZE_MAX);
        for (uint64_t i = 0; several && i < ROWS; i++)
            put_range(&bytes[0], 5000 + (i + ROWS / 2) % ROWS, 5001 + (i + ROWS / 2) % ROWS);
        if (!several)
            put_range(&bytes[0], 5000, 5000 + ROWS);
        put_run(&bytes[1], 0, 300, 7);
        put_run(&bytes[1], 300, 101, several ? 8 : 7);
        put_run(&bytes[1], 401, ROWS - 401, 7);
        rwl_lance_fragment f = {.id = 10, .physical_rows = ROWS};
        f.arms[RWL_LANCE_ROW_IDS] = made_arm(&bytes[0]);
        f.arms[RWL_LANCE_CREATED_AT] = made_kind(RWL_LANCE_ARM_ABSENT);
        f.arms[RWL_LANCE_LAST_UPDATED] = made_arm(&bytes[1]);
        for (int64_t i = 0; i < RANGES * 2; i++) {
            int64_t row = 1 + i / 2 * 4 + i % 2;
            ranges[i / 2] = (rwl_range){1 + i / 2 * 4, 2};
            wanted[0][i] = 5000 + (several ? (row + ROWS / 2) % ROWS : row);
            wanted[1][i] = 1;
            wanted[2][i] = several && row >= 300 && row < 401 ? 8 : 7;
        }
        ASSERT_OK(read_all(&f, RWL_LINEAGE_ALL, ranges, RANGES, err));
        for (int s = 0; s < 3; s++)
            assert_values(sequence_of(s), wanted[s], RANGES * 2);
        rwl_buf_clear(&bytes[0]);
        rwl_buf_clear(&bytes[1]);
    }
}
END_TEST

START_TEST(lan_71_an_inline_arm_wins_over_a_column) {
    static const uint64_t stale[4] = {99, 98, 97, 96};
    static const char *const types[] = {"int64", "uint64", "uint64", "uint64"};
    const uint64_t *values[] = {stale, stale, stale, stale};
    rwl_buf bytes[3];
    make_inline(bytes);
    made_file(&world, "stale.lance", types, values, 4, 4);
    rwl_lance_data_file file = made_data_file("stale.lance", carrier_fields, carrier_indices, 4);
    rwl_lance_fragment f = spilled(&file, 1);
    for (int s = 0; s < 3; s++)
        f.arms[s] = made_arm(&bytes[s]);
    assert_lineage(&f);
    /* and with a carrier that would be wrong in every way */
    rwl_lance_data_file wrong[] = {file, made_data_file("gone.lance", carrier_fields, NULL, 4)};
    f.files = wrong;
    f.file_count = 2;
    assert_lineage(&f);
    for (int s = 0; s < 3; s++)
        rwl_buf_clear(&bytes[s]);
}
END_TEST

/* --- what is broken --- */

static void assert_breach(const rwl_lance_fragment *f, int s, const char *breach) {
    char text[256];
    snprintf(text, sizeof text, "fragment 10: %s are spilled, but %s", subjects[s], breach);
    ASSERT_FAILS(RWL_CORRUPT, text, read_whole(f, masks[s], err));
    rwl_error error = {0};
    ck_assert_int_eq(read_whole(f, masks[s], &error), RWL_CORRUPT);
    ck_assert_str_ne(error.path, ""); /* the manifest or the carrier */
    /* user columns stay readable: nothing is said where nobody asks */
    rwl_lance_fragment other = *f;
    other.arms[(s + 1) % 3] = made_kind(RWL_LANCE_ARM_EXTERNAL);
    ASSERT_FAILS(RWL_CORRUPT, text, read_whole(&other, masks[s], err));
    ASSERT_OK(read_whole(f, 0, err));
}

/* The carrier's fields with those of `s` alone, at the end, and another column index. */
static rwl_lance_fragment carried_at(int s, int32_t index, rwl_lance_data_file *file, int32_t *fields,
                                     int32_t *indices) {
    fields[0] = 0;
    fields[1] = -3 - s;
    indices[0] = 0;
    indices[1] = index;
    *file = made_data_file("c.lance", fields, indices, 2);
    return spilled(file, 1);
}

START_TEST(lan_70_carriers) {
    static const int32_t none[] = {0, -1, -2, -6, -9};
    make_carrier("c.lance");
    for (int s = 0; s < 3; s++) {
        char text[128];
        rwl_lance_data_file files[2];
        files[0] = made_data_file("c.lance", none, carrier_indices, 4);
        rwl_lance_fragment f = spilled(files, 1);
        snprintf(text, sizeof text, "none of its files carries field %d", -3 - s);
        assert_breach(&f, s, text);
        f.file_count = 0;
        assert_breach(&f, s, text);
        files[0] = made_data_file("c.lance", carrier_fields, carrier_indices, 4);
        files[1] = made_data_file("d.lance", carrier_fields, carrier_indices, 4);
        f = spilled(files, 2);
        snprintf(text, sizeof text, "field %d is carried more than once, by c.lance and d.lance", -3 - s);
        assert_breach(&f, s, text);
        int32_t twice[] = {-3 - s, 0, -3 - s};
        files[0] = made_data_file("c.lance", twice, carrier_indices, 3);
        f = spilled(files, 1);
        assert_breach(&f, s, "field -");
    }
}
END_TEST

START_TEST(lan_70_column_indices) {
    make_carrier("c.lance");
    for (int s = 0; s < 3; s++) {
        rwl_lance_data_file file;
        int32_t fields[2], indices[2];
        char text[128];
        rwl_lance_fragment f = carried_at(s, -1, &file, fields, indices);
        snprintf(text, sizeof text, "field %d is at column index -1 of c.lance", -3 - s);
        assert_breach(&f, s, text);
        f = carried_at(s, 6, &file, fields, indices);
        assert_breach(&f, s, "column index 6 is not below the 6 columns of ");
        f = carried_at(s, INT32_MAX, &file, fields, indices);
        assert_breach(&f, s, "column index 2147483647 is not below the 6 columns of ");
        f = carried_at(s, 1, &file, fields, indices);
        file.index_count = 1;
        snprintf(text, sizeof text, "field %d has no column index in c.lance: 2 fields, 1 column indices",
                 -3 - s);
        assert_breach(&f, s, text);
        file.index_count = 0;
        assert_breach(&f, s, "field -");
    }
}
END_TEST

START_TEST(lan_70_types) {
    make_carrier("c.lance");
    for (int s = 0; s < 3; s++) {
        rwl_lance_data_file file;
        int32_t fields[2], indices[2];
        for (int32_t index = 0; index <= 4;
             index += 4) { /* a user's column, and one that has the right values */
            rwl_lance_fragment f = carried_at(s, index, &file, fields, indices);
            char text[256];
            snprintf(text, sizeof text, "column %d of %s/data/c.lance is of type int64, not uint64", index,
                     world.folder);
            assert_breach(&f, s, text);
        }
    }
}
END_TEST

/* The index of a user's uint64, or of another sequence. */
START_TEST(lan_70_columns_of_other_names) {
    static const char *const names[] = {"_rowid", "_row_created_at_version", "_row_last_updated_at_version"};
    make_carrier("c.lance");
    for (int s = 0; s < 3; s++) {
        rwl_lance_data_file file;
        int32_t fields[2], indices[2];
        char text[256];
        rwl_lance_fragment f = carried_at(s, 5, &file, fields, indices);
        snprintf(text, sizeof text, "column 5 of %s/data/c.lance is c5, not %s", world.folder, names[s]);
        assert_breach(&f, s, text);
        int other = (s + 1) % 3;
        f = carried_at(s, 1 + other, &file, fields, indices);
        snprintf(text, sizeof text, "column %d of %s/data/c.lance is %s, not %s", 1 + other, world.folder,
                 names[other], names[s]);
        assert_breach(&f, s, text);
    }
}
END_TEST

/* A file whose schema has one field less than it has columns. */
START_TEST(lan_70_a_column_that_is_no_field) {
    lance_build b;
    lance_build_init(&b, &world.env, 2, 1);
    lance_build_field(&b, "a", 0, -1, "uint64", false);
    lance_build_flat_column(&b, column_values[0], 4, 64);
    lance_build_flat_column(&b, column_values[1], 4, 64);
    lance_build_write(&b, 4, made_path(&world, "data/c.lance"));
    lance_build_clear(&b);
    for (int s = 0; s < 3; s++) {
        rwl_lance_data_file file;
        int32_t fields[2], indices[2];
        rwl_lance_fragment f = carried_at(s, 1, &file, fields, indices);
        assert_breach(&f, s, "column 1 of ");
    }
}
END_TEST

/* Values that say of themselves that they may be null, and are: a constant page without a value. */
START_TEST(lan_70_nulls) {
    rwl_buf encoding;
    lance_build b;
    rwl_buf_init(&encoding, &world.env, SIZE_MAX);
    size_t layout = pb_begin(&encoding, 2);
    pb_packed(&encoding, 5, (const uint64_t[]){RWL_LANCE_LAYER_NULLABLE_ITEM}, 1);
    pb_end(&encoding, layout);
    lance_build_init(&b, &world.env, 2, 1);
    for (int s = 0; s < 3; s++) {
        lance_build_field(&b, rwl_lance_sequence_name((rwl_lance_sequence)s), s, -1, "uint64", false);
        lance_build_column(&b);
        lance_build_page(&b, 4, rwl_buf_span(&encoding));
    }
    lance_build_write(&b, 4, made_path(&world, "data/c.lance"));
    lance_build_clear(&b);
    rwl_buf_clear(&encoding);
    for (int s = 0; s < 3; s++) {
        rwl_lance_data_file file;
        int32_t fields[2], indices[2];
        rwl_lance_fragment f = carried_at(s, s, &file, fields, indices);
        assert_breach(&f, s, "column ");
        ASSERT_FAILS(RWL_CORRUPT, "holds nulls", read_whole(&f, masks[s], err));
    }
}
END_TEST

START_TEST(lan_70_other_numbers_of_values) {
    make_carrier("c.lance");
    for (int s = 0; s < 3; s++) {
        rwl_lance_data_file file;
        int32_t fields[2], indices[2];
        rwl_lance_fragment f = carried_at(s, 1 + s, &file, fields, indices);
        char text[256];
        for (f.physical_rows = 3; f.physical_rows <= 5; f.physical_rows += 2) {
            snprintf(text, sizeof text, "column %d of %s/data/c.lance holds 4 values for %d physical rows",
                     1 + s, world.folder, (int)f.physical_rows);
            assert_breach(&f, s, text);
        }
    }
}
END_TEST

START_TEST(lan_70_a_legacy_file_beside_a_marker) {
    make_carrier("c.lance");
    for (int s = 0; s < 3; s++) {
        static const int32_t user[] = {0};
        rwl_lance_data_file files[] = {made_data_file("old.lance", user, NULL, 1),
                                       made_data_file("c.lance", carrier_fields, carrier_indices, 4)};
        files[0].major_version = 0;
        files[0].minor_version = 2;
        rwl_lance_fragment f = spilled(files, 2);
        assert_breach(&f, s, "file old.lance is of the legacy version 1");
    }
}
END_TEST

START_TEST(lan_70_flags) {
    make_carrier("c.lance");
    rwl_lance_data_file file = made_data_file("c.lance", carrier_fields, carrier_indices, 4);
    rwl_lance_fragment f = spilled(&file, 1);
    for (int s = 0; s < 3; s++) {
        for (int word = 1; word <= 3; word++) {
            rwl_lance_manifest saved = world.manifest;
            if (word & 1)
                world.manifest.reader_flags = RWL_LANCE_FLAG_STABLE_ROW_IDS;
            if (word & 2)
                world.manifest.writer_flags = RWL_LANCE_FLAG_STABLE_ROW_IDS;
            assert_breach(&f, s, "feature flag 2048 (spilled row lineage) is not set");
            world.manifest = saved;
        }
        rwl_lance_manifest saved = world.manifest;
        world.manifest.reader_flags = world.manifest.writer_flags = RWL_LANCE_FLAG_SPILLED_LINEAGE;
        assert_breach(&f, s, "feature flag 2 (stable row ids) is not set");
        world.manifest = saved;
    }
}
END_TEST

START_TEST(lan_75_external_arms_are_refused) {
    for (int s = 0; s < 3; s++) {
        char text[128];
        rwl_lance_fragment f = {.id = 3, .physical_rows = 4};
        f.arms[s] = made_kind(RWL_LANCE_ARM_EXTERNAL);
        snprintf(text, sizeof text, "fragment 3: %s in an external file are not read", subjects[s]);
        ASSERT_FAILS(RWL_UNSUPPORTED, text, read_whole(&f, masks[s], err));
        if (s != 0)
            continue;
        ASSERT_OK(read_whole(&f, RWL_LINEAGE_CREATED | RWL_LINEAGE_VERSIONS, err));
    }
}
END_TEST

/* Values beyond int64 are no ids. */
START_TEST(spilled_ids_above_63_bits_are_corrupt) {
    static const uint64_t values[4] = {1, UINT64_MAX, 2, 3};
    static const char *const types[] = {"_rowid:uint64"};
    const uint64_t *columns[] = {values};
    static const int32_t fields[] = {-3}, indices[] = {0};
    made_file(&world, "c.lance", types, columns, 1, 4);
    rwl_lance_data_file file = made_data_file("c.lance", fields, indices, 1);
    rwl_lance_fragment f = spilled(&file, 1);
    ASSERT_FAILS(RWL_CORRUPT, "fragment 10: row ids", read_whole(&f, RWL_LINEAGE_ROW_IDS, err));
}
END_TEST

/* --- ids that no commit gave --- */

static const rwl_range no_first[] = {{1, 3}}, ends[] = {{0, 1}, {3, 1}};

/* Ids 40, 3, 4, 7: the row of 40 is the only one that an earlier next-row-id speaks against. */
static void assert_given(const rwl_lance_fragment *f) {
    world.manifest.next_row_id = 41;
    ASSERT_OK(read_whole(f, RWL_LINEAGE_ALL, err));
    world.manifest.next_row_id = 40;
    ASSERT_FAILS(RWL_LAW_BROKEN, "fragment 10: row ids: law 2: row id 40 is not below next-row-id 40",
                 read_whole(f, RWL_LINEAGE_ALL, err));
    ASSERT_FAILS(RWL_LAW_BROKEN, "row id 40", read_whole(f, RWL_LINEAGE_ROW_IDS, err));
    ASSERT_FAILS(RWL_LAW_BROKEN, "row id 40", read_all(f, RWL_LINEAGE_ROW_IDS, ends, 2, err));
    ASSERT_OK(read_all(f, RWL_LINEAGE_ALL, no_first, 1, err));
    ASSERT_OK(read_whole(f, RWL_LINEAGE_CREATED | RWL_LINEAGE_VERSIONS, err));
    world.manifest.next_row_id = 7;
    ASSERT_FAILS(RWL_LAW_BROKEN, "row id 7 is", read_all(f, RWL_LINEAGE_ALL, no_first, 1, err));
    world.manifest.next_row_id = 0;
    ASSERT_FAILS(RWL_LAW_BROKEN, "next-row-id 0", read_all(f, RWL_LINEAGE_ALL, no_first, 1, err));
}

START_TEST(ids_are_below_the_next_row_id) {
    rwl_buf bytes[3];
    make_carrier("c.lance");
    rwl_lance_data_file file = made_data_file("c.lance", carrier_fields, carrier_indices, 4);
    rwl_lance_fragment f = spilled(&file, 1);
    assert_given(&f);
    make_inline(bytes);
    for (int s = 0; s < 3; s++)
        f.arms[s] = made_arm(&bytes[s]);
    assert_given(&f);
    for (int s = 0; s < 3; s++)
        rwl_buf_clear(&bytes[s]);
}
END_TEST

/* A long range is one run, single ids of falling order are dense. */
START_TEST(ids_are_below_the_next_row_id_as_runs_and_as_numbers) {
    rwl_buf range, numbers;
    rwl_lance_fragment f = {.id = 10, .physical_rows = 1000};
    rwl_buf_init(&range, &world.env, SIZE_MAX);
    rwl_buf_init(&numbers, &world.env, SIZE_MAX);
    put_range(&range, 5, 1005);
    for (uint64_t i = 1000; i > 0; i--)
        put_range(&numbers, 2 * i, 2 * i + 1);
    f.arms[0] = made_arm(&range);
    world.manifest.next_row_id = 1005;
    ASSERT_OK(read_whole(&f, RWL_LINEAGE_ROW_IDS, err));
    ck_assert(!rows.row_ids.dense);
    world.manifest.next_row_id = 1004;
    ASSERT_FAILS(RWL_LAW_BROKEN, "row id 1004 is not below", read_whole(&f, RWL_LINEAGE_ROW_IDS, err));
    f.arms[0] = made_arm(&numbers);
    world.manifest.next_row_id = 2001;
    ASSERT_OK(read_whole(&f, RWL_LINEAGE_ROW_IDS, err));
    ck_assert(rows.row_ids.dense);
    world.manifest.next_row_id = 2000;
    ASSERT_FAILS(RWL_LAW_BROKEN, "row id 2000 is not below", read_whole(&f, RWL_LINEAGE_ROW_IDS, err));
    rwl_buf_clear(&range);
    rwl_buf_clear(&numbers);
}
END_TEST

/* Addresses are no ids: such a dataset's next-row-id stays 0. */
START_TEST(addresses_are_not_held_against_the_next_row_id) {
    rwl_lance_fragment f = {.id = 10, .physical_rows = 4};
    world.manifest.reader_flags = world.manifest.writer_flags = 0;
    world.manifest.next_row_id = 0;
    ASSERT_OK(read_whole(&f, RWL_LINEAGE_ALL, err));
}
END_TEST

/* --- inline and absent --- */

START_TEST(inline_sequences_must_have_a_value_a_row) {
    rwl_buf bytes[3];
    make_inline(bytes);
    for (int s = 0; s < 3; s++) {
        char text[128];
        rwl_lance_fragment f = {.id = 7, .physical_rows = 5};
        for (int k = 0; k < 3; k++)
            f.arms[k] = made_arm(&bytes[k]);
        snprintf(text, sizeof text, "fragment 7: %s: there are 4 values, 1 more are missing", subjects[s]);
        ASSERT_FAILS(RWL_CORRUPT, text, read_whole(&f, masks[s], err));
        f.physical_rows = 3;
        snprintf(text, sizeof text, "fragment 7: %s: there are more than 3 values", subjects[s]);
        ASSERT_FAILS(RWL_CORRUPT, text, read_whole(&f, masks[s], err));
        static const rwl_range first = {0, 2}; /* nothing is known of the rest */
        ASSERT_OK(read_all(&f, masks[s], &first, 1, err));
    }
    for (int s = 0; s < 3; s++)
        rwl_buf_clear(&bytes[s]);
}
END_TEST

START_TEST(arms_that_stayed_in_the_manifest_are_read_from_it) {
    rwl_buf bytes[3];
    make_inline(bytes);
    int64_t length = 0;
    rwl_lance_fragment f = {.id = 10, .physical_rows = 4};
    FILE *file = fopen(world.manifest.location, "wb");
    ck_assert(file != NULL);
    for (int s = 0; s < 3; s++) {
        f.arms[s] = (rwl_lance_arm){
            .kind = RWL_LANCE_ARM_INLINE, .offset = ftell(file), .length = (int64_t)bytes[s].len};
        fwrite(bytes[s].data, 1, bytes[s].len, file);
        length += (int64_t)bytes[s].len;
        rwl_buf_clear(&bytes[s]);
    }
    fclose(file);
    assert_lineage(&f);
    ck_assert_int_eq(was_read.requests, 3); /* a window holds each whole */
    ck_assert_int_eq(was_read.bytes_read, length);
}
END_TEST

START_TEST(absent_arms) {
    rwl_lance_fragment f = {.id = 3, .physical_rows = 4};
    ASSERT_FAILS(RWL_CORRUPT, "fragment 3: row ids are missing", read_whole(&f, RWL_LINEAGE_ROW_IDS, err));
    ASSERT_OK(read_whole(&f, RWL_LINEAGE_CREATED | RWL_LINEAGE_VERSIONS, err));
    assert_values(&rows.created, (const int64_t[]){1, 1, 1, 1}, 4);
    assert_values(&rows.versions, (const int64_t[]){1, 1, 1, 1}, 4);
    world.manifest.reader_flags = world.manifest.writer_flags = 0; /* trap 13 */
    ASSERT_OK(read_whole(&f, RWL_LINEAGE_ALL, err));
    int64_t first = INT64_C(3) << 32;
    assert_values(&rows.row_ids, (const int64_t[]){first, first + 1, first + 2, first + 3}, 4);
    assert_values(&rows.created, (const int64_t[]){1, 1, 1, 1}, 4);
}
END_TEST

START_TEST(bounds_of_arms_in_memory) {
    static const int64_t least[] = {3, 1, 5}, greatest[] = {40, 2, 6};
    rwl_buf bytes[3];
    make_inline(bytes);
    for (int s = 0; s < 3; s++) {
        rwl_lance_fragment f = {.id = 10, .physical_rows = 4};
        bool known;
        int64_t low, high;
        f.arms[s] = made_arm(&bytes[s]);
        ASSERT_OK(rwl_lance_lineage_bounds(&f, (rwl_lance_sequence)s, &known, &low, &high, err));
        ck_assert(known && low == least[s] && high == greatest[s]);
        for (f.physical_rows = 3; f.physical_rows <= 5;
             f.physical_rows += 2) { /* it is broken: nothing is known */
            ASSERT_OK(rwl_lance_lineage_bounds(&f, (rwl_lance_sequence)s, &known, &low, &high, err));
            ck_assert(!known);
        }
        f.physical_rows = 4;
        f.arms[s] = (rwl_lance_arm){.kind = RWL_LANCE_ARM_INLINE, .offset = 5, .length = 9};
        ASSERT_OK(rwl_lance_lineage_bounds(&f, (rwl_lance_sequence)s, &known, &low, &high, err));
        ck_assert(!known);
        f.arms[s] = made_kind(RWL_LANCE_ARM_COLUMN);
        ASSERT_OK(rwl_lance_lineage_bounds(&f, (rwl_lance_sequence)s, &known, &low, &high, err));
        ck_assert(!known);
        f.arms[s] = made_kind(RWL_LANCE_ARM_ABSENT);
        ASSERT_OK(rwl_lance_lineage_bounds(&f, (rwl_lance_sequence)s, &known, &low, &high, err));
        int64_t first = s == 0 ? INT64_C(10) << 32 : 1;
        ck_assert(known && low == first && high == (s == 0 ? first + 3 : 1));
        rwl_buf_clear(&bytes[s]);
    }
}
END_TEST

Suite *lineage_suite(void) {
    Suite *suite = suite_create("lineage");
    TCase *tc = tcase_create("lineage");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, spilled_lineage_is_read_from_its_carrier);
    tcase_add_test(tc, the_three_sequences_are_independent);
    tcase_add_test(tc, scattered_rows_are_cut_out_of_what_lies_between);
    tcase_add_test(tc, lan_71_an_inline_arm_wins_over_a_column);
    tcase_add_test(tc, lan_70_carriers);
    tcase_add_test(tc, lan_70_column_indices);
    tcase_add_test(tc, lan_70_types);
    tcase_add_test(tc, lan_70_columns_of_other_names);
    tcase_add_test(tc, lan_70_a_column_that_is_no_field);
    tcase_add_test(tc, lan_70_nulls);
    tcase_add_test(tc, lan_70_other_numbers_of_values);
    tcase_add_test(tc, lan_70_a_legacy_file_beside_a_marker);
    tcase_add_test(tc, lan_70_flags);
    tcase_add_test(tc, lan_75_external_arms_are_refused);
    tcase_add_test(tc, spilled_ids_above_63_bits_are_corrupt);
    tcase_add_test(tc, ids_are_below_the_next_row_id);
    tcase_add_test(tc, ids_are_below_the_next_row_id_as_runs_and_as_numbers);
    tcase_add_test(tc, addresses_are_not_held_against_the_next_row_id);
    tcase_add_test(tc, inline_sequences_must_have_a_value_a_row);
    tcase_add_test(tc, arms_that_stayed_in_the_manifest_are_read_from_it);
    tcase_add_test(tc, absent_arms);
    tcase_add_test(tc, bounds_of_arms_in_memory);
    suite_add_tcase(suite, tc);
    return suite;
}
