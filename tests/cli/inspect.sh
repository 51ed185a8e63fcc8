# SPDX-License-Identifier: Apache-2.0
# inspect: each kind of file as a screen and as JSON, told apart by content.
make_events t 3
rowline delete t --where 'id = 2' >/dev/null 2>&1 || fail 'a row could not be deleted'
only() { # PATTERN: the first such file of the table
    find t -name "$1" | sort | head -1
}
data=t/data/$(basename "$(rowline files t --json | jq -r 'select(.record_count == 3 and .content == 0) | .file_path')")

# Parquet: figures that do not depend on the codec
run inspect "$data" --json
code 0
same "$(wc -l <io/out)" 1 'one object'
same "$(jq -r .kind io/out)" parquet kind
same "$(jq -c '[.rows, .columns, .row_group_count, .size_bytes]' io/out)" "[3,2,1,$(stat -c %s "$data")]" figures
same "$(jq -c '[.schema[] | [.name, .field_id, .repetition, .physical_type, .logical_type]]' io/out)" \
    '[["id",1,"required","INT64",null],["name",2,"optional","BYTE_ARRAY","STRING"]]' 'the schema'
same "$(jq -c '[.row_groups[0].columns[] | [.column, .values, .null_count, .min, .min_is_exact, .max, .max_is_exact]]' io/out)" \
    '[["id",3,0,1,true,3,true],["name",3,1,"ada",true,"bob",true]]' 'the statistics'
same "$(jq -c '.row_groups[0] | [.row_group, .first_row, .rows, .offset]' io/out)" '[0,0,3,4]' 'the row group'
same "$(jq -r '.row_groups[0].compressed_bytes == ([.row_groups[0].columns[].compressed_bytes] | add)' io/out)" true sums
run inspect "$data" --schema
code 0
out_is <<'END'
1 id required INT64
2 name optional BYTE_ARRAY STRING
END
run inspect "$data" --schema --json
same "$(jq -r 'keys_unsorted | join(" ")' io/out)" \
    'kind path size_bytes created_by rows columns codecs footer_bytes version schema' 'keys of a schema'
run inspect "$data"
code 0
out_has '3 rows in 1 row group · 2 columns'
out_has '  schema     1 id required INT64'
out_has 'ROW GROUP  COLUMN  CODEC'
run inspect "$data" --column name
grep -q '0  id ' io/out && fail 'a column that was not asked for'
out_has '0  name '

# pages: they follow each other and carry all rows
run inspect "$data" --pages
code 0
same "$(head -1 io/out | jq -r 'keys_unsorted | join(" ")')" \
    'row_group column page kind encoding offset compressed_bytes uncompressed_bytes values rows' 'keys of pages'
same "$(jq -s -r 'map(select(.kind != "dictionary")) | group_by(.column) | map([.[0].column, (map(.rows) | add)] | join("=")) | join(" ")' io/out)" \
    'id=3 name=3' 'rows of pages'
same "$(head -1 io/out | jq .offset)" 4 'the first page'
run inspect "$data" --pages --column id --row-group 0 --format table
same "$(head -1 io/out | tr -s ' ')" 'row_group column page kind encoding offset compressed_bytes uncompressed_bytes values rows' header
run inspect "$data" --rows 2
code 0
out_is <<'END'
{"id": 1, "name": "ada"}
{"id": 2, "name": "bob"}
END
run inspect "$data" --rows 0 --column name
out_is <<'END'
{"name": "ada"}
{"name": "bob"}
{"name": null}
END
run inspect "file:$PWD/$data" --schema
code 0
run inspect "/elsewhere/$data" --map-path "/elsewhere=$PWD" --schema
code 0

# Puffin
puffin=$(only '*.puffin')
run inspect "$puffin" --json
code 0
same "$(jq -c '[.kind, .blob_count, (.blobs[0] | [.type, .snapshot_id, .cardinality, .ranges, .range_count])]' io/out)" \
    '["puffin",1,["deletion-vector-v1",null,1,[[1,1]],1]]' 'the vector'
run inspect "$puffin"
out_has '1 position: 1'
out_has 'referenced-data-file = '

# manifest lists and manifests
head=$(rowline show t --json | jq -r .current_snapshot_id)
list=$(only "snap-$head-*.avro")
run inspect "$list" --json
code 0
same "$(jq -c '[.kind, .manifest_count, ([.manifests[].content] | sort), .avro.records]' io/out)" \
    '["manifest_list",3,[0,0,1],3]' 'the list'
second=t/metadata/$(basename "$(jq -r '.manifests[] | select(.added_rows_count == 2) | .manifest_path' io/out)")
run inspect "$list"
out_has 'MANIFEST'
run inspect "$second" --json
same "$(jq -c '[.kind, .format_version, .content, .inherited, (.entries[0] | [.status, .record_count, .stored_first_row_id, .first_row_id, .data_sequence_number])]' io/out)" \
    '["manifest",3,0,null,[1,2,null,null,null]]' 'stored values'
run inspect "$second" --manifest-list "$list" --json
code 0
same "$(jq -c '.inherited | [.sequence_number, .first_row_id]' io/out)" '[2,3]' 'what the list says'
same "$(jq -c '.entries[0] | [.stored_first_row_id, .first_row_id, .stored_data_sequence_number, .data_sequence_number, .file_sequence_number]' io/out)" \
    '[null,3,null,2,2]' 'inherited values'
same "$(jq -c '[.entries[0].metrics[] | [.field_id, .name, .values, .nulls, .lower, .upper]]' io/out)" \
    '[[1,"id",2,0,4,5],[2,"name",2,0,"dan","eve"]]' metrics
run inspect "$second" --manifest-list "$list"
out_has 'null → 2'
out_has 'null → 3 (list 3)'

# a manifest of several files tells what a first_row_id is made of
rowline create p --schema 'id long not null' --partition id >/dev/null 2>&1
printf '{"id": %s}\n' 1 1 1 2 2 3 >many.jsonl
rowline append p many.jsonl >/dev/null 2>&1 || fail 'a partitioned table could not be made'
run inspect "$(find p -name '*-m0.avro')" --manifest-list "$(find p -name 'snap-*.avro')"
code 0
out_has 'id=1'
# files in the order of the manifest: what the first one has, then what both have
awk '$1 == "added" { print $4 }' io/out >io/rows
one=$(sed -n 1p io/rows) two=$(sed -n 2p io/rows)
out_has 'null → 0 (list 0)'
out_has "null → $one (list 0 + $one of 00000-"
out_has "null → $((one + two)) (list 0 + $((one + two)) of 2 files)"

# plain Avro, and the schema of a manifest
run inspect "$second" --rows 1
code 0
same "$(jq -r '.data_file.record_count' io/out)" 2 'a record'
run inspect "$second" --schema --json
same "$(jq -r .schema.name io/out)" manifest_entry 'the Avro schema'

# metadata, plain and gzip, whatever its name
run inspect t/metadata/v4.metadata.json --json
code 0
same "$(jq -c '[.kind, .format_version, .last_sequence_number, .next_row_id, .snapshot_count, .refs[0].name]' io/out)" \
    '["metadata",3,3,5,3,"main"]' 'the metadata'
gzip -c t/metadata/v4.metadata.json >unnamed
run inspect unnamed --json
code 0
same "$(jq -r .kind io/out)" metadata gzip
run inspect unnamed --schema
out_is <<'END'
1 id long not null
2 name string
END
run inspect t/metadata/v1.metadata.json
sed -i 's/ · [0-9.]* KB$/ · SIZE/; /parquet.compression/d' io/out
out_is <<'END'
v1.metadata.json  Iceberg v3 metadata · SIZE
  location   DIR/t
  uuid       UUID
  snapshot   none, last sequence number 0
  lineage    next-row-id 0
  history    updated INSTANT, 0 snapshots, 0 earlier versions
  schema     1 id long not null
             2 name string
  partition  none
  sort       none
END

# refusals
printf 'GIF89a' >picture
run inspect picture
code 5
err_is <<'END'
rowline: picture begins with 47 49 46 38 39 61: no Parquet, Avro, Puffin, Lance or Iceberg metadata file
END
printf 'AGS1\0\0\20\0' >sealed.avro # the Iceberg specification, "AES GCM Stream"
run inspect sealed.avro
code 5
err_has 'is an encrypted file'
run inspect first.jsonl # JSON, but lines of it
code 7
run inspect t
code 5
err_has 'is a directory'
run inspect absent
code 3
head -c 100 "$data" >cut.parquet
run inspect cut.parquet --json
code 7
same "$(jq -r .error io/err)" corrupt 'a damaged file'
run inspect "$puffin" --pages
code 2
run inspect "$data" --row-group 7
code 2
err_has 'no row group 7'
run inspect "$data" --column nam
code 2
run inspect "$data" --pages --rows 1
code 2
run inspect "$second" --manifest-list "$data"
code 7
run inspect "$data" --schema=x
code 2
run create q --schema 'id long' # the option of the same name takes a value there
code 0
run scan t --schema x
code 2

# files of other engines
if [ -d "${FIXTURES_DIR:-}/golden-icebird/v3_dv" ]; then
    golden=$FIXTURES_DIR/golden-icebird/v3_dv
    for file in "$golden"/metadata/*.avro "$golden"/data/* "$golden"/metadata/*.json; do
        run inspect "$file"
        code 0
        run inspect "$file" --json
        code 0
        jq -e .kind io/out >/dev/null || fail "no JSON of $file"
    done
    run inspect "$golden/data/3bea993c-5343-4ac5-a9d7-107524d90125-deletes.puffin"
    out_has '2 positions: 0..1'
else
    echo "skipped: no ${FIXTURES_DIR:-}/golden-icebird"
fi
if [ -d "${FIXTURES_DIR:-}/spark" ]; then
    find "$FIXTURES_DIR/spark" \( -name '*-m[0-9]*.avro' -o -name 'snap-*.avro' -o -name '*.puffin' \) | sort | head -60 >io/spark
    while read -r file; do
        run inspect "$file" --json
        code 0
        jq -e .kind io/out >/dev/null || fail "no JSON of $file"
    done <io/spark
else
    echo "skipped: no ${FIXTURES_DIR:-}/spark"
fi
