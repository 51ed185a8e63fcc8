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

# What changed without a snapshot: the upgrade, the refs and properties of versions written by hand; what is gone is said.
make_events u 2
rowline upgrade u --to 3 --no-assign --yes >/dev/null
second=$(rowline log u --json | jq -r .snapshot_id | head -1)
sed -E -e "s/\"refs\": *\{/\"refs\": {\"keep\":{\"snapshot-id\":$second,\"type\":\"tag\"},/" -e 's/"properties": *\{/"properties": {"owner":"ada",/' \
    -e 's|"metadata-log": *\[|&{"timestamp-ms":1,"metadata-file":"v0.metadata.json"},|' u/metadata/v4.metadata.json >io/edited
python3 - <<'END' || skip 'no python3'
import json
m = json.load(open("io/edited"))
before = json.load(open("u/metadata/v4.metadata.json"))
m["metadata-log"] = before["metadata-log"] + [{"timestamp-ms": before["last-updated-ms"], "metadata-file": before["location"] + "/metadata/v4.metadata.json"}]
m["last-updated-ms"] += 1000
json.dump(m, open("u/metadata/v5.metadata.json", "w"))
END
run log u --metadata
code 0
sed "s/$second/SECOND/" io/out | jq -c 'if .snapshot_id == null then [.operation, .summary.changes] else .sequence_number end' >io/rows
same "$(cat io/rows)" '["properties, refs",["property owner set to ada","tag keep created at SECOND"]]
["upgrade",["format version 2 to 3"]]
2
1
["create",["the table was created"]]' 'changes and snapshots'
rm u/metadata/v2.metadata.json
run log u --metadata
code 0
same "$(jq -c 'if .snapshot_id == null then [.operation, (.summary["metadata-file"] | split("/") | last)] else .sequence_number end' io/out | tr '\n' ' ')" \
    '["properties, refs","v5.metadata.json"] ["upgrade","v4.metadata.json"] 2 ["gone","v2.metadata.json"] 1 ["create","v1.metadata.json"] ' 'a version that is gone'
run log u --metadata --format table
code 0
grep -q 'upgrade' io/out || fail "the table: $(cat io/out)"
