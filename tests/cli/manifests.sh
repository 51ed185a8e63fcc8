# SPDX-License-Identifier: Apache-2.0
# manifests: Iceberg's columns, sequence numbers, first row ids; bounds of partition fields as people read them.
printf '%s\n' '{"id": 1, "ts": "2026-11-28T10:00:00.000000+00:00", "name": "ada"}' \
    '{"id": 2, "ts": "2026-11-30T10:00:00.000000+00:00", "name": null}' >one.jsonl
printf '%s\n' '{"id": 3, "ts": null, "name": "eve"}' >two.jsonl
rowline create t --schema 'id long not null, ts timestamptz, name string' --partition 'day(ts), truncate(2, name)' >/dev/null
rowline append t one.jsonl >/dev/null
rowline append t two.jsonl >/dev/null
rowline delete t --where 'id = 2' >/dev/null # a whole file: no vector
run manifests t
code 0
sed -E -i -e "s/\"(added_snapshot_id)\": \"[0-9]+\"/\"\1\": \"ID\"/" -e 's/"length": [0-9]+/"length": N/' -e 's/-m[0-9]+\.avro/.avro/' io/out
# The delete wrote the first append's manifest anew, one file of two gone: its first row id is the commit's, 3, and it takes none, since
# the file that is left has its own. The manifest of the second append is kept.
out_is <<'END'
{"content": 0, "path": "DIR/t/metadata/UUID.avro", "length": N, "partition_spec_id": 0, "added_snapshot_id": "ID", "added_data_files_count": 1, "existing_data_files_count": 0, "deleted_data_files_count": 0, "added_delete_files_count": 0, "existing_delete_files_count": 0, "deleted_delete_files_count": 0, "partition_summaries": [{"contains_null": true, "contains_nan": false, "lower_bound": null, "upper_bound": null}, {"contains_null": false, "contains_nan": false, "lower_bound": "ev", "upper_bound": "ev"}], "sequence_number": 2, "min_sequence_number": 2, "first_row_id": 2}
{"content": 0, "path": "DIR/t/metadata/UUID.avro", "length": N, "partition_spec_id": 0, "added_snapshot_id": "ID", "added_data_files_count": 0, "existing_data_files_count": 1, "deleted_data_files_count": 1, "added_delete_files_count": 0, "existing_delete_files_count": 0, "deleted_delete_files_count": 0, "partition_summaries": [{"contains_null": false, "contains_nan": false, "lower_bound": "2026-11-28", "upper_bound": "2026-11-30"}, {"contains_null": true, "contains_nan": false, "lower_bound": "ad", "upper_bound": "ad"}], "sequence_number": 3, "min_sequence_number": 1, "first_row_id": 3}
END
first=$(rowline log t --json | jq -r .snapshot_id | tail -1)
run manifests "t@$first"
same "$(jq -c '[.sequence_number, .added_data_files_count, .first_row_id]' io/out)" '[1,2,0]' 'at the first snapshot'
# A vector is a delete file.
make_events v
rowline delete v --where 'id = 1' >/dev/null
run manifests v
same "$(jq -c '[.content, .added_data_files_count, .added_delete_files_count, .first_row_id, .partition_summaries]' io/out | tr '\n' ' ')" \
    '[0,1,0,3,[]] [0,1,0,0,[]] [1,0,1,null,[]] ' 'a delete manifest'
run manifests v --format table
code 0
head -1 io/out | grep -q '^content  path ' || fail "header: $(head -1 io/out)"
run create empty --schema 'id long'
run manifests empty --json
code 0
no_out
