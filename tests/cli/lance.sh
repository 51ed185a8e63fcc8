# SPDX-License-Identifier: Apache-2.0
# Lance datasets by the commands that read rows: scan, count, digest; naming of versions; what is refused. Rows, ids and versions are
# those that expected.json of each fixture says its writer reads.
fixtures=${FIXTURES_DIR:-none}/pylance
[ -d "$fixtures" ] || skip "no fixtures of Lance datasets in $fixtures"

# The rows of a version as rowline prints them: columns in the order of --lineage.
expected_rows() { # CASE VERSION
    jq -c --arg v "$2" '.versions as $all | ($v | tonumber) as $n
        | [range($n; 0; -1) | $all[tostring] | select(.rows != null)][0]
        | .columns as $c | .rows[] | [$c, .] | transpose | map({key: .[0], value: .[1]}) | from_entries
        | {id, v, s, _rowid, _row_created_at_version, _row_last_updated_at_version}' "$fixtures/$1/expected.json"
}
values() { jq -c '[.id, .v, .s, ._rowid, ._row_created_at_version, ._row_last_updated_at_version]' "$1"; }

for case_name in life_stable_2_0 life_stable_2_1 life_stable_2_2 spill_update_only refs; do
    for version in $(jq -r '.versions | keys[]' "$fixtures/$case_name/expected.json"); do
        run scan "$fixtures/$case_name/t.lance@$version" --lineage --order-by-row-id --json
        code 0
        no_err
        values io/out >io/got
        expected_rows "$case_name" "$version" >io/wanted.json && values io/wanted.json >io/wanted
        cmp -s io/wanted io/got || fail "rows of $case_name version $version differ: $(diff io/wanted io/got | head -4)"
        run count "$fixtures/$case_name/t.lance" --snapshot "$version"
        code 0
        same "$(cat io/out)" "$(jq --arg v "$version" '.versions[$v].count' "$fixtures/$case_name/expected.json")" \
            "count of $case_name version $version"
    done
done

# The digest, its sums by jq over the rows that the writer reads.
sums() { # CASE VERSION
    expected_rows "$1" "$2" | jq -sc '{rows: length, rows_without_lineage: 0, row_id_sum: (map(._rowid) | add | tostring),
        last_updated_sum: (map(._row_last_updated_at_version) | add | tostring),
        product_sum: (map(._rowid * ._row_last_updated_at_version) | add | tostring)}'
}
t=$fixtures/spill_update_only/t.lance
run digest "$t" --json
code 0
no_err
same "$(jq -c 'del(.lineage_checksum)' io/out)" "$(sums spill_update_only 8)" 'the digest of version 8'
run digest "$t" 5..8 --json
code 1
no_err
same "$(jq -c '.a | del(.lineage_checksum)' io/out)" "$(sums spill_update_only 5)" 'the digest of version 5'
same "$(jq -c '.b | del(.lineage_checksum)' io/out)" "$(sums spill_update_only 8)" 'the digest of version 8, compared'
same "$(jq .equal io/out)" false equal
# a compaction keeps every identity
run digest "$fixtures/life_stable_2_2/t.lance" 11..13
code 0
out_has equal
run digest "$t" 8..
code 0
run digest "$t" 8..99
code 3
err_has 99

# Names of versions.
r=$fixtures/refs/t.lance
for name in "$r@first" "$r@3" "$r@main" "$r" "$r@{2030-01-01T00:00:00Z}"; do
    run count "$name" --where '_row_last_updated_at_version = 3'
    code 0
    same "$(cat io/out)" 1 "rows of $name that version 3 changed"
done
run count "$r" --ref v2.tag --where '_row_last_updated_at_version = 3'
same "$(cat io/out)" 0 'rows of a tag on version 2'
run count "$r" --as-of 2030-01-01T00:00:00Z
same "$(cat io/out)" 10 'rows of the newest version'
run count "$r" --as-of 2001-01-01T00:00:00Z
code 3
run count "$r@nothing"
code 3
err_has nothing
run count "$r@4"
code 3
run count "$r" --snapshot first
code 2
err_has 'no version'
run count "$r@3" --snapshot 3
code 2
err_has 'name one state'
# A branch counts its versions by itself; its files lie where the manifest's base path says.
base=/tmp/rowline-lance/refs/t.lance
map="--map-path $base=$r"
for version in $(jq -r '.branches["dev/one"].versions | keys[]' "$fixtures/refs/expected.json"); do
    run count "$r" --ref dev/one --snapshot "$version" $map
    code 0
    same "$(cat io/out)" "$(jq --arg v "$version" '.branches["dev/one"].versions[$v].count' "$fixtures/refs/expected.json")" \
        "count of branch version $version"
done
run digest "$r@v2.tag" 2..v2.tag
code 0
out_has 'equal'

cp -r "$r" d
run count 'd@dev/one@{2030-01-01T00:00:00Z}'
code 3
err_has 'd --ref dev/one'
run count d@dev/one
code 3
err_has 'no table at d@dev/one; a branch or tag with a slash in its name is an option: d --ref dev/one'
run count d --ref dev/one --as-of 2030-01-01T00:00:00Z
same "$(cat io/out)" "$(jq '[.branches["dev/one"].versions[].count] | last' "$fixtures/refs/expected.json")" 'rows of a branch now'
run digest d 3.. --ref dev/one
code 1
run digest d 4.. --ref dev/one $map
code 0
run count d/data
code 3
err_has 'no table at d/data, which is inside of the Lance dataset d'
mkdir in && cp -r "$r" in/d
(cd in/d && rowline count ..) >io/out 2>io/err # which holds the dataset, not the other way round
same "$(cat io/err)" 'rowline: no table at ..' 'a hint about the folder above'
run count "$(ls d/data/*.lance | head -1)"
code 5
err_has 'is a data file of a Lance dataset: opening a bare data file is not supported; inspect shows it'
run count "$(ls d/_versions/*.manifest | head -1)"
code 5
err_has 'is the manifest of one version of a Lance dataset: name the dataset'
mkdir db && cp -r "$r" db/t.lance && cp -r "$r" db/a.lance
run count db/
code 3
err_has 'no table at db/, but there are Lance datasets in it: a.lance, t.lance'

# Metadata columns in --select and --where; names of the other format.
run scan "$r" --select '_rowid, _rowaddr, _fragment_id, _pos' --where '_rowid in (0, 9)' --order-by-row-id --json
code 0
out_is <<'END'
{"_rowid": 0, "_rowaddr": 0, "_fragment_id": 0, "_pos": 0}
{"_rowid": 9, "_rowaddr": 8589934592, "_fragment_id": 2, "_pos": 0}
END
run scan "$r" --where '_row_created_at_version = 2 and id < 8' --select id --json --order-by-row-id
code 0
out_is <<'END'
{"id": 6}
{"id": 7}
END
run scan "$r" --select _row_id
code 2
err_has 'no column _row_id: it is called _rowid in Lance datasets'
run scan "$r" --where '_last_updated_sequence_number = 1'
code 2
err_has 'did you mean _row_last_updated_at_version?'
make_events iceberg
run scan iceberg --select _rowid
code 2
err_has 'no column _rowid: it is called _row_id in Iceberg tables'
run count iceberg --snapshot 1 --ref main
code 2
err_has '--snapshot and --ref name one state twice'
run scan "$r" --select _row_created_at_version --where '_row_created_at_version > 1' --limit 1 --json
code 0
out_is <<'END'
{"_row_created_at_version": 2}
END

# Without stable row ids.
a=$fixtures/life_address_ids_2_2/t.lance
run scan "$a" --lineage --limit 1 --json
code 0
err_is <<'END'
rowline: without stable row ids _rowid is the address of a row, and versions are not kept: they read 1
END
same "$(jq -c '[._rowid, ._row_created_at_version, ._row_last_updated_at_version]' io/out)" '[34359738368,1,1]' 'the first row'
# Addresses are no identity, for the digest as for the status; a compaction leaves nothing that could differ.
rows=$(jq '.versions | to_entries | last | .value.count' "$fixtures/life_address_ids_2_2/expected.json")
run digest "$a" --json
code 0
out_is <<END
{"rows": $rows, "rows_without_lineage": $rows, "row_id_sum": "0", "last_updated_sum": "0", "product_sum": "0", "lineage_checksum": "0000000000000000"}
END
run digest "$a" --where '_rowid = 34359738368' --json
code 0
same "$(jq -c '[.rows, .rows_without_lineage]' io/out)" '[1,1]' 'the digest of an address'
run status "$a" --json
same "$(jq -c '[.rows, .lineage.complete, .lineage.rows_without_lineage]' io/out)" "[$rows,false,$rows]" 'the status of addresses'

# A column of type null is not in Parquet files, which is told.
run scan "$fixtures/types_special_2_2/t.lance" -o nulls.parquet
code 0
err_has 'warning: column null is null in all rows and has no type: left out of Parquet'

# Legacy data files are refused by name.
run scan "$fixtures/life_v1_file_legacy/t.lance" --json
code 5
run scan "$fixtures/life_v1_file_legacy/t.lance" --json --limit 1
code 5
err_has unsupported

# Where such a dataset does not even tell how many rows it has, 0 would be wrong.
old="${FIXTURES_DIR}/lancedb+lance/test_data/v0.5.9/dataset_with_fragments"
if [ -d "$old" ]; then
    run count "$old"
    code 5
    err_has 'does not tell its number of rows: Lance file format version 1 (legacy)'
    run status "$old"
    code 5
fi

# What Lance datasets do not have, and what is not done to them.
cp -r "$r" mine
list mine >io/before
for command in 'entries mine' 'manifests mine' 'partitions mine' 'append mine first.jsonl' 'delete mine --where id=1' \
    'rewrite mine' 'rewrite mine --dry-run' 'upgrade mine --to 3 --yes' 'append mine --ref dev/one first.jsonl'; do
    run $command
    code 5
    no_out
    err_has 'Lance datasets is not supported'
done
run delete mine --where 'id = 1'
err_has 'changing Lance datasets is not supported'
run create mine --schema 'id long'
code 5
err_has 'a Lance dataset already'
list mine >io/after
cmp -s io/before io/after || fail 'a refused change changed the dataset'
mkdir mine/metadata
run count mine
code 5
err_has 'both _versions and metadata'
