# SPDX-License-Identifier: Apache-2.0
# partitions: live files, deletes and the last update of each, in Iceberg's columns.
printf '%s\n' '{"id": 1, "d": "2026-11-28"}' '{"id": 2, "d": "2026-11-28"}' '{"id": 3, "d": "2026-11-30"}' '{"id": 4, "d": null}' >one.jsonl
printf '%s\n' '{"id": 5, "d": "2026-11-28"}' >two.jsonl
rowline create t --schema 'id long not null, d date' --partition 'd' >/dev/null
rowline append t one.jsonl >/dev/null
rowline append t two.jsonl >/dev/null
rowline delete t --where 'id = 1' >/dev/null # a vector
rowline delete t --where 'id = 3' >/dev/null # a whole file
run partitions t
code 0
ids=$(rowline log t --json | jq -r .snapshot_id | tr '\n' ' ')
by() { echo "$ids" | cut -d' ' -f"$1"; } # 1 the newest
jq -r .total_data_file_size_in_bytes io/out | grep -qv '^[1-9][0-9]*$' && fail 'sizes'
jq -c --sort-keys '[.partition.d, .spec_id, .record_count, .file_count, .position_delete_record_count, .position_delete_file_count, .dv_count, .equality_delete_record_count, .equality_delete_file_count, .last_updated_snapshot_id]' \
    io/out | sort >io/rows
# 2026-11-28: ids 1, 2 and 5 in two files, one deleted by the third commit's vector; null: id 4 of the first commit
same "$(cat io/rows)" "$(printf '%s\n' "[\"2026-11-28\",0,3,2,1,0,1,0,0,\"$(by 2)\"]" "[null,0,1,1,0,0,0,0,0,\"$(by 4)\"]")" 'the partitions'
at=$(rowline log t --json | jq -r 'select(.sequence_number == 3).timestamp_ms')
same "$(jq -r 'select(.dv_count == 1).last_updated_at' io/out)" \
    "$(date -u -d "@$((at / 1000))" +%Y-%m-%dT%H:%M:%S).$(printf %03d $((at % 1000)))000+00:00" 'the time of the last update'
run partitions "t@$(by 4)"
same "$(jq -c '[.partition.d, .record_count]' io/out | sort | tr '\n' ' ')" '["2026-11-28",2] ["2026-11-30",1] [null,1] ' 'at the first snapshot'
make_events u
run partitions u
same "$(jq -c '[.partition, .spec_id, .record_count, .file_count]' io/out)" '[{},0,5,2]' 'an unpartitioned table'
run partitions u --format table
code 0
head -1 io/out | grep -q '^partition  spec_id  record_count' || fail "header: $(head -1 io/out)"
run create empty --schema 'id long'
run partitions empty --json
code 0
no_out
