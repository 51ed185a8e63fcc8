# SPDX-License-Identifier: Apache-2.0
# delete: deletion vectors, whole files, nothing to do, dry runs.
make_events t
list t >io/before
run delete t --where 'id = 2' --dry-run
code 0
grep -q '^1 row deleted · 1 deletion vector written · 0 files removed · ' io/out || fail "headline: $(cat io/out)"
out_has 'dry run, nothing written'
list t >io/after
cmp -s io/before io/after || fail 'a dry run changed files'

run delete t --where 'id = 2' --json
code 0
out_is <<'END'
{"snapshot_id": "ID", "parent_snapshot_id": "ID", "sequence_number": 3, "operation": "delete", "added_data_files": 0, "removed_data_files": 0, "added_delete_files": 1, "removed_delete_files": 0, "added_records": 0, "removed_records": 0, "first_row_id": 5, "added_rows": 0, "next_row_id": 5, "attempts": 1, "conflicts": [], "wall_ms": MS, "dry_run": false}
END
# the last rows of the first file: it goes with its vector
run delete t --where 'id in (1, 3)'
code 0
grep -q '^2 rows deleted · 0 deletion vectors written · 1 file removed · ' io/out || fail "headline: $(cat io/out)"
run scan t --lineage --order-by-row-id
out_is <<'END'
{"id": 4, "name": "dan", "_row_id": 3, "_last_updated_sequence_number": 2}
{"id": 5, "name": "eve", "_row_id": 4, "_last_updated_sequence_number": 2}
END
run files t
same "$(wc -l <io/out)" 1 'live files'
list t >io/before
run delete t --where 'id = 2'
code 0
out_is <<'END'
nothing to delete: no live row satisfies the condition; no snapshot made
END
run delete t --where 'id = 2' --json
code 0
same "$(jq -c '[.snapshot_id, .operation, .dry_run]' io/out)" '[null,null,false]' 'nothing done'
list t >io/after
cmp -s io/before io/after || fail 'nothing to delete changed files'
make_events v2 2
run delete v2 --where 'id = 1'
code 5
err_has upgrade
