/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feature flags: which bits must not be passed over.
 *
 * A bit is readable here when rows, ids and versions are the same whether it is heeded or not, or when heeding it is
 * built; all others are refused, as the format asks. Lance 14.0.2 reads the same ones.
 */
#include "lance/manifest.h"

typedef struct flag {
    uint64_t bit;
    const char *name;
    bool is_known;     /* else refused in the words it is in */
    bool is_in_both;   /* in one word only: corrupt */
    bool is_of_writer; /* never in the readers' word */
} flag;

static const flag flags[] = {
    {RWL_LANCE_FLAG_DELETIONS, "deletion files", true, false, false},
    {RWL_LANCE_FLAG_STABLE_ROW_IDS, "stable row ids", true, false, false},
    {RWL_LANCE_FLAG_V2_FORMAT, "v2 format", true, false, false},
    {RWL_LANCE_FLAG_CONFIG, "table config", true, false, false},
    {RWL_LANCE_FLAG_BASE_PATHS, "base paths", true, false, false},
    {RWL_LANCE_FLAG_NO_TRANSACTION_FILES, "no transaction files", true, false, false},
    {RWL_LANCE_FLAG_OVERLAYS, "data overlay files", false, false, false},
    {RWL_LANCE_FLAG_COVERED_INDEX, "covered index metadata", true, false, false},
    {RWL_LANCE_FLAG_MIXED_FILE_VERSIONS, "mixed data file versions", true, true, false},
    {RWL_LANCE_FLAG_REUSE_INDEX, "fragment reuse index with stable row ids", false, false, false},
    {RWL_LANCE_FLAG_TAGGED_REUSE_INDEX, "tagged fragment reuse index", true, true, false},
    {RWL_LANCE_FLAG_SPILLED_LINEAGE, "spilled row lineage", true, false, false},
    {RWL_LANCE_FLAG_FRAGMENT_TREE, "fragment tree", false, false, false},
    {RWL_LANCE_FLAG_COVERING_FIELDS, "independent covering fields", false, false, false},
    {RWL_LANCE_FLAG_MANAGED_BLOBS, "managed blobs", true, true, false},
    {RWL_LANCE_FLAG_FIELD_IDS, "field ids that are not used again", true, false, true},
    {RWL_LANCE_FLAG_ZONE_SEEDS, "zone write seeds", false, true, false},
    {RWL_LANCE_FLAG_OBJECT_METADATA, "object metadata", false, false, false},
};
enum { FLAG_COUNT = sizeof flags / sizeof *flags };

static const flag *find_flag(uint64_t bit) {
    for (size_t i = 0; i < FLAG_COUNT; i++)
        if (flags[i].bit == bit)
            return &flags[i];
    return NULL;
}

const char *rwl_lance_flag_name(uint64_t bit) {
    const flag *f = find_flag(bit);
    return f == NULL ? NULL : f->name;
}

static rwl_status check_word(uint64_t word, const char *whose, rwl_error *err) {
    for (; word != 0; word &= word - 1) {
        uint64_t bit = word & (~word + 1);
        const flag *f = find_flag(bit);
        if (f == NULL)
            return rwl_fail(err, RWL_UNSUPPORTED, "%s feature flag %llu, which is not known here", whose,
                            (unsigned long long)bit);
        if (!f->is_known)
            return rwl_fail(err, RWL_UNSUPPORTED, "%s feature flag %llu (%s)", whose, (unsigned long long)bit,
                            f->name);
    }
    return RWL_OK;
}

rwl_status rwl_lance_flags_check(uint64_t reader, uint64_t writer, rwl_error *err) {
    RWL_TRY(check_word(reader, "reader", err));
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        const flag *f = &flags[i];
        if (f->is_in_both && ((reader ^ writer) & f->bit) != 0)
            return rwl_fail(err, RWL_CORRUPT, "feature flag %llu (%s) is set for %s alone",
                            (unsigned long long)f->bit, f->name, reader & f->bit ? "readers" : "writers");
        if (f->is_of_writer && (reader & f->bit) != 0)
            return rwl_fail(err, RWL_CORRUPT, "feature flag %llu (%s) is set for readers",
                            (unsigned long long)f->bit, f->name);
    }
    return RWL_OK;
}

rwl_status rwl_lance_flags_check_write(uint64_t writer, rwl_error *err) {
    return check_word(writer, "writer", err);
}
