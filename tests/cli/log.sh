# SPDX-License-Identifier: Apache-2.0
# log: the table tells rows, files and ids; JSON has the keys in order.
make_events t
rowline delete t --where 'id = 2' >/dev/null
rowline rewrite t --rewrite-all >/dev/null
run log t --format table
code 0
sed -i -E 's/ +/ /g' io/out # ids differ in length
out_is <<'END'
SNAPSHOT SEQ TIME (UTC) OPERATION ROWS FILES ID RANGE BY REFS
ID 4 INSTANT replace 0 -2 +1 -1 del - rowline 0.1.0 main
ID 3 INSTANT delete -1 +1 del - rowline 0.1.0 -
ID 2 INSTANT append +2 +1 3..4 rowline 0.1.0 -
ID 1 INSTANT append +3 +1 0..2 rowline 0.1.0 -
END
run log t
code 0
same "$(wc -l <io/out)" 4 snapshots
same "$(head -1 io/out | jq -r 'keys_unsorted | join(" ")')" \
    'snapshot_id parent_snapshot_id sequence_number timestamp_ms operation schema_id first_row_id added_rows engine refs summary' keys
same "$(tail -1 io/out | jq -c '[(.snapshot_id | type), .parent_snapshot_id, .sequence_number, .operation, .first_row_id, .added_rows, .engine, .refs]')" \
    '["string",null,1,"append",0,3,{"name":"rowline","version":"0.1.0","evidence":"summary"},[]]' 'the first snapshot'
run log t --limit 1 --json
same "$(wc -l <io/out)" 1 'snapshots under a limit'
second=$(rowline log t --json | jq -r 'select(.sequence_number == 2).snapshot_id')
run log "t@$second"
same "$(jq -r .sequence_number io/out | tr '\n' ' ')" '2 1 ' 'ancestors'
run log "t@$second" --all
same "$(jq -r .sequence_number io/out | tr '\n' ' ')" '4 3 2 1 ' 'all'
