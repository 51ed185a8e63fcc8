# SPDX-License-Identifier: Apache-2.0
# show: text, and JSON with the metadata's own documents.
make_events t
run show t
code 0
sed -i '/parquet.compression/d' io/out
out_is <<'END'
t  Iceberg v3
  location   DIR/t
  uuid       UUID
  metadata   t/metadata/v3.metadata.json
  snapshot   ID, last sequence number 2
  lineage    next-row-id 5
  schema     1 id long not null
             2 name string
  partition  none
  sort       none
  refs       main branch ID
END
run show t --json
code 0
same "$(jq -r 'keys_unsorted | join(" ")' io/out)" \
    'format_version table_uuid location next_row_id last_sequence_number current_snapshot_id schema partition_spec sort_order refs properties' keys
same "$(jq -c '[.format_version, .next_row_id, .last_sequence_number, (.current_snapshot_id | type), .schema.fields[0].name, .partition_spec["spec-id"], .sort_order["order-id"], (.refs.main | .type)]' io/out)" \
    '[3,5,2,"string","id",0,0,"branch"]' values
same "$(jq -r .current_snapshot_id io/out)" "$(jq -r .refs.main.snapshot_id io/out)" 'the head'
make_events v2 2
run show v2 --json
same "$(jq .next_row_id io/out)" null 'next_row_id below version 3'

# An older state is shown with its own schema, a branch with the current one.
first=$(rowline log v2 --json | jq -r .snapshot_id | tail -1)
run show "v2@$first"
out_has "  state      $first"
fixture=${FIXTURES_DIR:-none}/spark/schema_change
if [ -d "$fixture" ]; then
    first=$(rowline log "$fixture" --map-path "/warehouse/spark/schema_change=$fixture" --json | jq -r .snapshot_id | tail -1)
    run show "$fixture@$first" --map-path "/warehouse/spark/schema_change=$fixture" --json
    same "$(jq '.schema["schema-id"]' io/out)" 0 'the first schema'
    run show "$fixture" --map-path "/warehouse/spark/schema_change=$fixture" --json
    same "$(jq '.schema["schema-id"]' io/out)" 5 'the current schema' # five changes: expected.json
fi

# What another writer calls a transform does not reach the terminal as it is.
run create odd --schema 'id long' --partition 'bucket(4, id)'
code 0
jq '."partition-specs"[0].fields[0].transform = "\u001b[2J[\u001b[5m]"' odd/metadata/v1.metadata.json >odd.metadata.json
run show odd.metadata.json
code 0
grep -q '^  partition ' io/out || fail 'no line of the partition'
! grep -q "$(printf '\033')" io/out || fail 'an escape sequence of the metadata is printed'
