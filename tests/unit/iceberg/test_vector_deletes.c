/* SPDX-License-Identifier: Apache-2.0 */
/* Deletion vectors held against manifest entry and footer. */
#include "fragment_test.h"
#include "iceberg/driver.h"
#include "iceberg/fragment_deletes.h"
#include "puffin/puffin.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const FOUR[] = {"0", "1", "2", "3"};

static rwl_fragment four_rows(const char *name) {
    columns c = columns_of("id int", NULL);
    return write_file(name, &c, FOUR, 4, 0);
}

static rwl_delete_ref ref_of(const char *path, const rwl_dv_ref *dv, int64_t size) {
    return (rwl_delete_ref){.kind = RWL_DELETE_VECTOR,
                            .location = path,
                            .format = "PUFFIN",
                            .file_size = size,
                            .offset = dv->offset,
                            .length = dv->length,
                            .row_count = dv->cardinality,
                            .file_scoped = true};
}

START_TEST(bug_058_several_vectors_in_one_file) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_fragment f[2] = {four_rows("a.parquet"), four_rows("b.parquet")};
    const int64_t positions[2][3] = {{2}, {0, 1, 3}}, counts[] = {1, 3};
    rwl_dv_ref dv[2];
    int64_t size;
    rwl_puffin_writer *w = NULL;
    const char *path = test_path("two.puffin");
    ASSERT_OK(rwl_puffin_writer_open(test_store(), test_op(), path, &w, err));
    for (int i = 0; i < 2; i++) {
        rwl_bitmap *set = NULL;
        ASSERT_OK(rwl_bitmap_new(test_env(), &set, err));
        for (int64_t k = 0; k < counts[i]; k++)
            ASSERT_OK(rwl_bitmap_add(set, positions[i][k], err));
        ASSERT_OK(rwl_puffin_add_dv(w, f[i].location, set, &dv[i], err));
        rwl_bitmap_free(set);
    }
    ASSERT_OK(rwl_puffin_writer_finish(w, &size, err));
    rwl_delete_ref refs[2] = {ref_of(path, &dv[0], size), ref_of(path, &dv[1], size)};
    for (int i = 0; i < 2; i++) {
        f[i].deletes = &refs[i];
        f[i].delete_count = 1;
    }
    assert_live(m, &f[0], "0 1 3");
    assert_live(m, &f[1], "2");
    /* the other's blob is a vector, too, but not this file's */
    f[0].deletes = &refs[1];
    assert_deletes_fail(m, &f[0], RWL_CORRUPT, "b.parquet by the footer");
    refs[0].row_count = 2;
    f[0].deletes = &refs[0];
    assert_deletes_fail(m, &f[0], RWL_CORRUPT, "invalid cardinality of deletion vector: 1, expected 2");
    refs[0].row_count = 1;
    refs[0].file_size = size + 1; /* warned of: the blob and the footer hold by themselves */
    assert_live(m, &f[0], "0 1 3");
    rwl_metadata_free(m);
}
END_TEST

/* More footer than is read at first, 16 KB: at least 200 bytes a blob. */
START_TEST(a_long_footer_is_read_whole) {
    enum { FILES = 150 };
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_fragment f = four_rows("a.parquet");
    rwl_dv_ref dv;
    rwl_delete_ref ref = {0};
    int64_t size;
    rwl_puffin_writer *w = NULL;
    const char *path = test_path("many.puffin");
    ASSERT_OK(rwl_puffin_writer_open(test_store(), test_op(), path, &w, err));
    for (int i = 0; i < FILES; i++) {
        rwl_bitmap *set = NULL;
        ASSERT_OK(rwl_bitmap_new(test_env(), &set, err));
        ASSERT_OK(rwl_bitmap_add(set, i == 0 ? 2 : i, err));
        const char *file =
            i == 0 ? f.location : rwl_arena_printf(test_arena(), "file:///warehouse/data/%d.parquet", i);
        ASSERT_OK(rwl_puffin_add_dv(w, file, set, &dv, err));
        rwl_bitmap_free(set);
        if (i == 0)
            ref = ref_of(path, &dv, 0);
    }
    ASSERT_OK(rwl_puffin_writer_finish(w, &size, err));
    ref.file_size = size;
    f.deletes = &ref;
    f.delete_count = 1;
    assert_live(m, &f, "0 1 3");
    rwl_metadata_free(m);
}
END_TEST

/* A Puffin file with the vector {1} at 4 and a footer of one blob made of these parts. */
static rwl_delete_ref write_puffin(const char *name, const char *blob, const char *tail) {
    rwl_buf bytes, vector;
    rwl_bitmap *set = NULL;
    rwl_new_file *out = NULL;
    rwl_buf_init(&bytes, test_env(), SIZE_MAX);
    rwl_buf_init(&vector, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_bitmap_new(test_env(), &set, err));
    ASSERT_OK(rwl_bitmap_add(set, 1, err));
    ASSERT_OK(rwl_dv_encode(set, &vector, err));
    rwl_bitmap_free(set);
    rwl_dv_ref dv = {.offset = 4, .length = (int64_t)vector.len, .cardinality = 1};
    if (blob != NULL) {
        ASSERT_OK(rwl_buf_str(&bytes, "PFA1", err));
        ASSERT_OK(rwl_buf_append(&bytes, vector.data, vector.len, err));
        ASSERT_OK(rwl_buf_str(&bytes, "PFA1", err));
        size_t at = bytes.len;
        ASSERT_OK(rwl_buf_printf(&bytes, err, "{\"blobs\":[%s]}", blob));
        ASSERT_OK(rwl_buf_le32(&bytes, (uint32_t)(bytes.len - at), err));
        ASSERT_OK(rwl_buf_append(&bytes, tail, 4, err));
        ASSERT_OK(rwl_buf_str(&bytes, "PFA1", err));
    } else {
        dv.offset = 0;
        ASSERT_OK(rwl_buf_append(&bytes, vector.data, vector.len, err));
    }
    const char *path = test_path(name);
    ASSERT_OK(rwl_new_file_create(test_store(), test_op(), path, &out, err));
    ASSERT_OK(rwl_new_file_write(out, bytes.data, bytes.len, err));
    ASSERT_OK(rwl_new_file_finish(out, err));
    rwl_delete_ref ref = ref_of(path, &dv, (int64_t)bytes.len);
    rwl_buf_clear(&bytes);
    rwl_buf_clear(&vector);
    return ref;
}

START_TEST(the_footer_must_say_the_same) {
    /* the vector of {1}: 12 bytes of frame, count 8, key 4, cookie 4, size 4, descriptor 4, offset 4, value 2 = 42 */
    static const struct {
        const char *type;
        int offset, length;
        const char *rest; /* %s: the data file */
        const char *part; /* NULL: fine */
    } cases[] = {
        {"deletion-vector-v1", 4, 42,
         ",\"properties\":{\"referenced-data-file\":\"%s\",\"cardinality\":\"1\"}", NULL},
        {"deletion-vector-v1", 4, 42, "", NULL}, /* properties are not everyone's */
        {"deletion-vector-v1", 5, 41, "", "the footer has no blob at 4"},
        {"deletion-vector-v1", 4, 41, "", "has 41 bytes by the footer, 42 by the manifest"},
        {"apache-datasketches-theta-v1", 4, 42, "",
         "is of type apache-datasketches-theta-v1, no deletion vector"},
        {"deletion-vector-v1", 4, 42, ",\"compression-codec\":\"zstd\"", "compressed, no deletion vector"},
        {"deletion-vector-v1", 4, 42, ",\"properties\":{\"referenced-data-file\":\"%s2\"}",
         "2 by the footer, for"},
        {"deletion-vector-v1", 4, 42, ",\"properties\":{\"cardinality\":\"2\"}",
         "has 2 positions by the footer, 1 by the manifest"},
    };
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_fragment f = four_rows("a.parquet");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32], rest[400], blob[600];
        const char *percent = strstr(cases[i].rest, "%s");
        int before = percent != NULL ? (int)(percent - cases[i].rest) : (int)strlen(cases[i].rest);
        snprintf(rest, sizeof rest, "%.*s%s%s", before, cases[i].rest, percent != NULL ? f.location : "",
                 percent != NULL ? percent + 2 : "");
        snprintf(name, sizeof name, "v%d.puffin", (int)i);
        snprintf(blob, sizeof blob,
                 "{\"type\":\"%s\",\"fields\":[2147483645],\"snapshot-id\":-1,\"sequence-number\":-1,"
                 "\"offset\":%d,\"length\":%d%s}",
                 cases[i].type, cases[i].offset, cases[i].length, rest);
        rwl_delete_ref ref = write_puffin(name, blob, "\0\0\0\0");
        f.deletes = &ref;
        f.delete_count = 1;
        if (cases[i].part == NULL)
            assert_live(m, &f, "0 2 3");
        else
            assert_deletes_fail(m, &f, RWL_CORRUPT, cases[i].part);
    }
    rwl_metadata_free(m);
}
END_TEST

/* The vector stands for itself: length, magic, CRC and cardinality were checked. */
START_TEST(a_footer_that_cannot_be_read_is_not_held_against_the_vector) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_fragment f = four_rows("a.parquet");
    rwl_delete_ref ref = write_puffin("v.puffin", "", "\1\0\0\0"); /* flag: compressed */
    f.deletes = &ref;
    f.delete_count = 1;
    assert_live(m, &f, "0 2 3");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_057_a_bare_vector_is_no_puffin_file) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_fragment f = four_rows("a.parquet");
    rwl_delete_ref ref = write_puffin("v.puffin", NULL, NULL);
    f.deletes = &ref;
    f.delete_count = 1;
    assert_deletes_fail(m, &f, RWL_CORRUPT, "expected the magic PFA1");
    rwl_metadata_free(m);
}
END_TEST

/* Whoever plans leaves them out already; a fragment that names both is read by the same rule. */
START_TEST(bug_067_a_vector_takes_the_place_of_position_files) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_fragment f = four_rows("a.parquet");
    const int64_t zero[] = {0};
    rwl_delete_ref refs[] = {
        write_positions("p.parquet", (const char *[]){rwl_arena_printf(test_arena(), "%s|1", f.location)}, 1),
        write_vector("v.puffin", f.location, zero, 1)};
    f.deletes = refs;
    f.delete_count = 2;
    assert_live(m, &f, "1 2 3");
    f.delete_count = 1;
    assert_live(m, &f, "0 2 3");
    rwl_metadata_free(m);
}
END_TEST

/* BUG-226: a vector that names every row leaves none. */
START_TEST(bug_226_a_vector_of_all_rows_leaves_none) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_fragment f = four_rows("a.parquet");
    const int64_t all[] = {0, 1, 2, 3};
    rwl_delete_ref ref = write_vector("v.puffin", f.location, all, 4);
    f.deletes = &ref;
    f.delete_count = 1;
    assert_live(m, &f, "");
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_vector_deletes(void) {
    Suite *s = suite_create("vector_deletes");
    TCase *t = tcase_create("vector_deletes");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, bug_058_several_vectors_in_one_file);
    tcase_add_test(t, a_long_footer_is_read_whole);
    tcase_add_test(t, the_footer_must_say_the_same);
    tcase_add_test(t, a_footer_that_cannot_be_read_is_not_held_against_the_vector);
    tcase_add_test(t, bug_057_a_bare_vector_is_no_puffin_file);
    tcase_add_test(t, bug_067_a_vector_takes_the_place_of_position_files);
    tcase_add_test(t, bug_226_a_vector_of_all_rows_leaves_none);
    suite_add_tcase(s, t);
    return s;
}
