# SPDX-License-Identifier: Apache-2.0
# create: an empty table, no snapshot; refused where one is.
run create wh/t --schema 'id long not null, ts timestamptz' --partition 'day(ts), bucket(16, id)' --sort 'ts desc nulls last' \
    --property a.b=c=d
code 0
no_err
out_is <<'END'
created wh/t  Iceberg v3, empty
END
run show wh/t
code 0
out_is <<'END'
wh/t  Iceberg v3
  location   DIR/wh/t
  uuid       UUID
  metadata   wh/t/metadata/v1.metadata.json
  snapshot   none
  lineage    next-row-id 0
  schema     1 id long not null
             2 ts timestamptz
  partition  day(ts) as ts_day, bucket(16, id) as id_bucket
  sort       ts desc nulls last
  properties write.parquet.compression-codec = zstd
             a.b = c=d
END
list wh >io/before
run create wh/t --schema 'id long'
code 5
no_out
run create wh/t --schema 'id long' --json
code 5
err_has '"error": "unsupported"'
list wh >io/after
cmp -s io/before io/after || fail 'a refused create changed files'

run create wh/u --schema 'id long' --json
code 0
out_is <<'END'
{"snapshot_id": null, "parent_snapshot_id": null, "sequence_number": 0, "operation": null, "added_data_files": 0, "removed_data_files": 0, "added_delete_files": 0, "removed_delete_files": 0, "added_records": 0, "removed_records": 0, "first_row_id": null, "added_rows": 0, "next_row_id": 0, "attempts": 1, "conflicts": [], "wall_ms": MS, "dry_run": false}
END
run create wh/dry --schema 'id long' --dry-run
code 0
out_is <<'END'
would create wh/dry  Iceberg v3, empty; dry run, nothing written
END
[ ! -e wh/dry ] || fail 'a dry run made a directory'
run create wh/bad --schema 'id lung'
code 2
[ ! -e wh/bad ] || fail 'a failed create left a directory'
run create wh/w --schema 'id long' --map-path /a=/b
code 5
run create fixed --schema 'a fixed(4), b fixed[4]'
code 0
run show fixed
out_has '1 a fixed[4]'
run create calls --schema 'ts timestamp' --partition 'dayy(ts)'
code 2
err_has "there is no transform 'dayy'"
