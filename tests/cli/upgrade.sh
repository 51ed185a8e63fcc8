# SPDX-License-Identifier: Apache-2.0
# upgrade: asks or needs --yes; gives ids; a second run has nothing to do.
make_events t 2
list t >io/before
run upgrade t --to 3
code 2
err_is <<'END'
rowline: there is no way back from an upgrade: --yes confirms it where nobody can be asked
END
run upgrade t --to 3 --dry-run
code 0
out_is <<'END'
t  v2 → v3
  writers   rowline 0.1.0 ×2
  deletes   0 live equality delete files, 0 live position delete files
  assigned  5 rows would get ids 0..4
dry run, nothing written
END
run upgrade t --to 3 --dry-run --json
code 0
same "$(jq -c '[.from_version, .to_version, .assigned_rows, .branches_without_ids, .dry_run, .snapshot_id, .live_position_deletes]' io/out)" \
    '[2,3,5,[],true,null,0]' 'the dry run'
list t >io/after
cmp -s io/before io/after || fail 'dry runs or a refusal changed files'

run upgrade t --to 3 --yes
code 0
no_err
out_is <<'END'
t  v2 → v3
  assigned  5 rows got ids 0..4
  snapshot  ID append
END
# every row keeps the number of its own commit
run scan t --lineage --select id --where 'id in (1, 5)'
jq -c '[.id, ._last_updated_sequence_number]' io/out | sort >io/versions
same "$(cat io/versions)" '[1,1]
[5,2]' 'versions'
run digest t --json
same "$(jq -c '[.rows, .rows_without_lineage, .row_id_sum, .last_updated_sum]' io/out)" '[5,0,"10","7"]' 'the digest'
list t >io/before
run upgrade t --to 3 --yes
code 0
out_is <<'END'
nothing to do: version 3 already, and no row of main lacks an id; no snapshot made
END
run upgrade t --to 2 --yes
code 2
run upgrade t --to 4 --yes
code 5
list t >io/after
cmp -s io/before io/after || fail 'nothing to do changed files'

# More branches and writers than there is room for: as many as fit, and the number of the others.
make_events many 2
jq '.["current-snapshot-id"] as $s | .snapshots[0] as $n
    | .refs += ([range(300) | {"a-branch-with-a-name-\(.)": {"snapshot-id": $s, "type": "branch"}}] | add)
    | .snapshots += [range(100) | $n + {"snapshot-id": (1000 + .), "summary": {"operation": "append", "engine-name": "engine number \(.)", "engine-version": "1.2"}}]' \
    many/metadata/v3.metadata.json >many.json
mv many.json many/metadata/v3.metadata.json
run upgrade many --to 3 --dry-run --json
code 0
[ "$(jq '.branches_without_ids | length > 50 and length < 300' io/out)" = true ] || fail 'the branches as JSON'
[ "$(jq '.writers | length > 20 and length < 101' io/out)" = true ] || fail 'the writers as JSON'
run upgrade many --to 3 --dry-run
code 0
grep -q '^  branches .*a-branch-with-a-name-0, .* and [0-9]* more$' io/out || fail 'the branches'
grep -q '^  writers .* and [0-9]* more$' io/out || fail 'the writers'
