# SPDX-License-Identifier: Apache-2.0
# status: the screen, its JSON, what is due; other people's tables.
steady() { # what differs from run to run beside what `mask` knows
    sed -E -i -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/INSTANT/g' -e 's/since [0-9-]{10}/since DAY/' \
        -e 's/"bytes": [1-9][0-9]*/"bytes": N/g' -e 's/[0-9.]+ (B|KB)\)/SIZE)/g' io/out
}
make_events t
rowline delete t --where 'id = 2' >/dev/null
run status t
code 0
steady
# 5 rows, 1 of them deleted: 20 %; two files are too few to be worth a rewrite
out_is <<'END'
t  Iceberg v3 · filesystem · metadata v4 · last commit INSTANT by rowline 0.1.0
  rows       4 live, 1 deleted (1 DV, 20.00 %)
  files      2 (SIZE), 2 under 384 MB (SIZE)
  lineage    complete, next-row-id 5
  snapshots  3 since DAY; branches main
  writers    rowline 0.1.0 ×3
  due        compact: 1 group, 2 → 1 file     rowline rewrite t --dry-run
END
run status t --json
code 0
steady
# the file with the vector has 1 of 3 rows deleted: 33 %, more than the 30 % that make a rewrite due
out_is <<'END'
{"rows": 4, "deleted_rows": 1, "data_files": 2, "bytes": N, "small_files": 2, "delete_files": 1, "lineage": {"complete": true, "rows_without_lineage": 0, "next_row_id": 5}, "snapshots": 3, "writers": [{"name": "rowline", "version": "0.1.0", "snapshots": 3}], "due": [{"what": "compact", "groups": 1, "files": 2, "bytes": N, "expected_files": 1}], "cautions": []}
END
run status t --exit-code
code 1
rowline rewrite t >/dev/null
run status t --exit-code
code 0
steady
out_is <<'END'
t  Iceberg v3 · filesystem · metadata v5 · last commit INSTANT by rowline 0.1.0
  rows       4 live
  files      1 (SIZE), 1 under 384 MB (SIZE)
  lineage    complete, next-row-id 5
  snapshots  4 since DAY; branches main
  writers    rowline 0.1.0 ×4
END
first=$(rowline log t --json | jq -r .snapshot_id | tail -1)
run status "t@$first" --json
same "$(jq -c '[.rows, .data_files, .delete_files, .snapshots]' io/out)" '[3,1,0,4]' 'an older state'

# Below version 3 rows have no identity.
make_events two 2
run status two --json --exit-code
code 1
same "$(jq -c '[.lineage, .due]' io/out)" '[{"complete":false,"rows_without_lineage":5,"next_row_id":null},[]]' 'version 2'
run status two
out_has '  lineage    none in version 2 (rowline upgrade --to 3)'
rowline upgrade two --to 3 --no-assign --yes >/dev/null
run status two --json --exit-code
code 1
same "$(jq -c '[.lineage, .due]' io/out)" '[{"complete":false,"rows_without_lineage":5,"next_row_id":0},[{"what":"assign","files":2,"rows":5}]]' 'not assigned yet'
run status two
out_has '  lineage    incomplete: 5 rows without identity, next-row-id 0'
out_has '  due        assign: ids for 5 rows     rowline upgrade two --to 3 --dry-run'
rowline upgrade two --to 3 --yes >/dev/null
run status two --exit-code
code 0

# No snapshot.
run create empty --schema 'id long'
run status empty --exit-code
code 0
steady
out_is <<'END'
empty  Iceberg v3 · filesystem · metadata v1 · empty
  rows       0 live
  files      0 (SIZE)
  lineage    complete, next-row-id 0
  snapshots  none
END

# A summary that is wrong is not believed (BUG-183), an unsigned commit is named, a hint that lags is said.
make_events s
head=$(rowline log s --json | jq -r .snapshot_id | head -1)
sed -E -e 's/"total-records": *"5"/"total-records": "999"/' -e '0,/"engine-name": *"rowline",?/s///' \
    s/metadata/v3.metadata.json >s/metadata/v4.metadata.json
run status s --json
code 0
same "$(jq -r .rows io/out)" 5 rows
first=$(rowline log s --json | jq -r .snapshot_id | tail -1)
same "$(jq -c '.writers[-1]' io/out)" "{\"name\":null,\"version\":null,\"snapshots\":1,\"snapshot_ids\":[\"$first\"]}" 'the unsigned one'
sed "s/$head/HEAD/; s/$first/FIRST/" io/out | jq -r '.cautions[]' >io/cautions
same "$(cat io/cautions)" 'the summary of snapshot HEAD says total-records 999, its manifests have 5
other engines write here too: their Hadoop catalogs may replace a commit that is made at the same moment
version-hint.text says 3, the newest version is 4: readers that believe it see an old state' cautions
run status s
out_has "  writers    rowline 0.1.0 ×1, unsigned ×1 ($first)"
out_has '  caution    the summary of snapshot'
run log s
same "$(jq -c .engine io/out | tail -1)" '{"name":"rowline","version":"0.1.0","evidence":"created_by"}' 'the engine by its file'

# Moved, and by its metadata file alone.
mv t moved
run status moved --map-path "$work/t=$work/moved" --json
same "$(jq -r '.cautions[]' io/out)" "moved: its metadata says $work/t, it lies at $work/moved" 'moved'
run status empty/metadata/v1.metadata.json
out_has 'v1.metadata.json  Iceberg v3 · metadata file · empty'
out_has 'a metadata file is read only'
LC_ALL=C run status moved --map-path "$work/t=$work/moved"
out_has 'rowline 0.1.0 x4'

# Equality deletes of another engine: bounds are said to be bounds. At the head they hit no live file any more.
fixture=${FIXTURES_DIR:-none}/spark/eqdel_v3
if [ -d "$fixture" ]; then
    old=$fixture@6551401857127230752
    run status "$old" --map-path "/warehouse/spark/eqdel_v3=$fixture" --json
    code 0
    jq -r '.cautions[]' io/out | grep -q 'equality delete file.*upper bound' || fail "cautions: $(cat io/out)"
    run status "$old" --map-path "/warehouse/spark/eqdel_v3=$fixture"
    out_has '  rows       ≤ '
    run status "$fixture" --map-path "/warehouse/spark/eqdel_v3=$fixture"
    out_has '  rows       3 live, 0 deleted (2 equality delete files, 0.00 %)'
fi
