# SPDX-License-Identifier: Apache-2.0
# inspect of Lance files: each kind as a screen and as JSON. Figures are those that expected.json of each fixture has from the bytes;
# names of files, uuids and times differ at every making of the fixtures and are masked.
fixtures=${FIXTURES_DIR:-none}/pylance
[ -d "$fixtures" ] || skip "no fixtures of Lance datasets in $fixtures"
plain() { sed -i -E -e 's/[01]{24}[0-9a-f]{26}\.lance/FILE.lance/g' -e 's/by lance [0-9.]+$/by lance VERSION/' io/out; }
name() { # DATASET VERSION: the manifest's name
    printf '%s/_versions/%s.manifest' "$1" "$(printf %u $((-1 - $2)))"
}

# --- data files ---

c=$fixtures/spill_compaction_2_2
t=$c/t.lance
v=$(jq -r '.versions | keys | map(tonumber) | max' "$c/expected.json")
file=$t/data/$(rowline inspect "$(name "$t" "$v")" --json | jq -r '.fragments[0].files[0].path')
run inspect "$file" --json
code 0
no_err
same "$(wc -l <io/out)" 1 'one object'
same "$(jq -r 'keys_unsorted | join(" ")' io/out)" \
    'kind path size_bytes file_version rows column_count schema global_buffers columns' 'keys of a data file'
same "$(jq -c '[.kind, .file_version, .rows, .column_count, .size_bytes]' io/out)" \
    "[\"lance_data\",\"2.2\",48,6,$(stat -c %s "$file")]" figures
same "$(jq -c '[.schema.fields[] | [.id, .name, .type, .nullable, .hidden]]' io/out)" \
    '[[0,"id","int64",true,null],[1,"v","double",true,null],[2,"s","string",true,null],[-3,"_rowid","uint64",false,true],[-4,"_row_created_at_version","uint64",false,true],[-5,"_row_last_updated_at_version","uint64",false,true]]' 'the schema'
same "$(jq -c '[.columns[] | {key: (.index | tostring), value: .encodings}] | from_entries' io/out)" \
    "$(jq -c '[.encodings[]][0][0].columns' "$c/expected.json")" encodings
run inspect "$file" --schema
code 0
out_is <<'END'
0 id int64
1 v double
2 s string
-3 _rowid uint64 not null (hidden)
-4 _row_created_at_version uint64 not null (hidden)
-5 _row_last_updated_at_version uint64 not null (hidden)
END
run inspect "$file"
code 0
plain
sed -i -E 's/[0-9.]+ (B|KB)( |$)/SIZE\2/g; s/ +SIZE/ SIZE/g' io/out
out_is <<'END'
FILE.lance  Lance 2.2 data file · SIZE · 48 rows · 6 columns
  schema     0 id int64
             1 v double
             2 s string
             -3 _rowid uint64 not null (hidden)
             -4 _row_created_at_version uint64 not null (hidden)
             -5 _row_last_updated_at_version uint64 not null (hidden)
  buffers    1 buffer of the file itself, SIZE

INDEX  COLUMN                        FIELD  TYPE    PAGES  ROWS  BYTES  ENCODINGS
    0  id                                0  int64       1    48 SIZE  miniblock[item] flat64 large_chunk
    1  v                                 1  double      1    48 SIZE  miniblock[item] flat64 large_chunk
    2  s                                 2  string      1    48 SIZE  miniblock[item?] variable(flat32) def rle(flat16, lengths flat8) large_chunk
    3  _rowid                           -3  uint64      1    48 SIZE  miniblock[item] flat64 large_chunk
    4  _row_created_at_version          -4  uint64      1    48 SIZE  miniblock[item] rle(flat64, lengths flat8) large_chunk
    5  _row_last_updated_at_version     -5  uint64      1    48 SIZE  miniblock[item] rle(flat64, lengths flat8) large_chunk
END
run inspect "$file" --pages
code 0
same "$(head -1 io/out | jq -r 'keys_unsorted | join(" ")')" \
    'column page kind encoding offset buffers compressed_bytes values first_row rows' 'keys of pages'
same "$(jq -s -c '[.[] | [.column, .page, .kind, .first_row, .rows]][0]' io/out)" '["id",0,"mini_block",0,48]' 'the first page'
run inspect "$file" --pages --column _rowid
same "$(wc -l <io/out)" 1 'pages of a column'

# rows with the hidden columns: as the writer reads the row of that id
run inspect "$file" --rows 1
code 0
no_err
id=$(jq ._rowid io/out)
same "$(jq -c . io/out)" "$(jq -c --arg v "$v" --argjson id "$id" '.versions as $all | [range($v | tonumber; 0; -1) | $all[tostring] | select(.rows != null)][0]
    | .columns as $c | .rows[] | [$c, .] | transpose | map({key: .[0], value: .[1]}) | from_entries | select(._rowid == $id)
    | {id, v, s, _rowid, _row_created_at_version, _row_last_updated_at_version}' "$c/expected.json")" 'the first row'
run inspect "$file" --rows 0 --column _rowid
same "$(wc -l <io/out)" 48 'all rows of a column'
run inspect "$file" --row-group 0
code 2
err_has 'row groups are chosen of Parquet files'
run inspect "$file" --column nope
code 2
err_has 'no column nope'
# version 2.0: arrays instead of layouts
old=$(find "$fixtures/life_stable_2_0/t.lance/data" -name '*.lance' | sort | head -1)
run inspect "$old" --pages
same "$(jq -s -c '[.[] | [.kind, .encoding]]' io/out)" \
    '[["array","no_nulls(flat64)"],["array","no_nulls(flat64)"],["array","binary(no_nulls(flat64), flat8)"]]' 'pages of 2.0'
# a name says nothing
cp "$file" thing.parquet
run inspect thing.parquet --schema
code 0
out_has '-3 _rowid uint64'
# legacy: refused by name
legacy=$(find "$fixtures/life_v1_file_legacy/t.lance/data" -name '*.lance' | sort | head -1)
run inspect "$legacy"
code 5
err_has 'Lance file version 0.2 (legacy)'

# --- manifests ---

t=$fixtures/spill_update_only/t.lance
run inspect "$(name "$t" 8)" --json
code 0
no_err
same "$(jq -r 'keys_unsorted | join(" ")' io/out)" \
    'kind path size_bytes version is_detached timestamp_ms branch tag writer data_format reader_flags writer_flags stable_row_ids next_row_id max_fragment_id schema schema_metadata config table_metadata bases message_offset message_bytes index_section transaction_file transaction fragment_count fragments' 'keys of a manifest'
# the arms as expected.json has them: "column" is what is called spilled here
same "$(jq -c '[.fragments[] | [.row_ids, .created_at, .last_updated_at][] | [.kind, .bytes, (.segments // .runs)]]' io/out)" \
    "$(jq -c '.versions as $all | [range(8; 0; -1) | $all[tostring].facts.fragments | select(. != null)][0]
        | [.[] | [.row_ids, .created_at, .last_updated_at][]
           | [(if .kind == "column" then "spilled" else .kind end), .bytes, (.segments // .runs)]]' \
        "$fixtures/spill_update_only/expected.json")" lineage
run inspect "$(name "$t" 8)"
code 0
plain
sed -i -E 's/[0-9.]+ (B|KB)( |$)/SIZE\2/; s/(section[^,]*|byte [0-9]+), .*$/\1, SIZE/; s/manifest at byte [0-9]+/manifest at byte N/
    s/^( +[0-9]+  FILE.lance +-  2.2 +)[0-9.]+ K?B/\1SIZE/; s/  +SIZE/  SIZE/' io/out
out_is <<'END'
18446744073709551607.manifest  Lance manifest · SIZE · 6 fragments
  version    8 of main, INSTANT by lance VERSION
  lineage    stable row ids, next-row-id 100
  flags      reader 2051 (deletion files, stable row ids, spilled row lineage)
             writer 2059 (deletion files, stable row ids, table config, spilled row lineage)
  data       files of version 2.2
  schema     0 id int64
             1 v double
             2 s string
  config     lance.row_lineage.inline_max_bytes = 0
             lance.row_lineage.spill = true
  sections   transaction at byte 0, SIZE
             manifest at byte N, SIZE
  operation  Delete, having read version 7
  uuid       UUID
  fragments  0 removed, 1 updated
  where      id = 99
  txn file   7-UUID.txn

FRAGMENT  ROWS  DELETED  FILES  ROW IDS             CREATED AT  LAST UPDATED AT
       0    25        5      1  6 B: range 0..25    10 B: 25x1  10 B: 25x1
       1    25        5      1  8 B: range 25..50   10 B: 25x3  10 B: 25x3
       2    25        -      1  8 B: range 50..75   10 B: 25x4  10 B: 25x4
       3    25        2      1  8 B: range 75..100  10 B: 25x5  10 B: 25x5
       4    11        2      2  spilled             spilled     10 B: 11x6
       5     3        1      2  spilled             spilled     10 B: 3x7

FRAGMENT  FILE                                                      BASE  VERSION   BYTES  FIELDS   COLUMNS
       0  FILE.lance     -  2.2  SIZE  0, 1, 2  0, 1, 2
       1  FILE.lance     -  2.2  SIZE  0, 1, 2  0, 1, 2
       2  FILE.lance     -  2.2  SIZE  0, 1, 2  0, 1, 2
       3  FILE.lance     -  2.2  SIZE  0, 1, 2  0, 1, 2
       4  FILE.lance     -  2.2  SIZE  0, 1, 2  0, 1, 2
       4  FILE.lance     -  2.2  SIZE  -3, -4   0, 1
       5  FILE.lance     -  2.2  SIZE  0, 1, 2  0, 1, 2
       5  FILE.lance     -  2.2  SIZE  -3, -4   0, 1
END
run inspect "$(name "$t" 8)" --schema
out_is <<'END'
0 id int64
1 v double
2 s string
END
run inspect "$(name "$t" 8)" --rows 1
code 2
err_has 'has no rows'
# indices
i=$fixtures/indexed
v=$(jq -r '.versions | keys | map(tonumber) | max' "$i/expected.json")
run inspect "$(name "$i/t.lance" "$v")"
code 0
out_has '  indices    id_idx '
out_has ' on field 0: BTreeIndexDetails'

# --- transactions ---

run inspect "$(find "$t/_transactions" -name '7-*.txn')"
code 0
sed -i -E 's/[0-9.]+ K?B$/SIZE/' io/out
out_is <<'END'
7-UUID.txn  Lance transaction · SIZE
  operation  Delete, having read version 7
  uuid       UUID
  fragments  0 removed, 1 updated
  where      id = 99
END
run inspect "$(find "$t/_transactions" -name '7-*.txn')" --json
same "$(jq -c 'del(.path, .size_bytes, .uuid)' io/out)" \
    '{"kind":"lance_transaction","operation":"Delete","read_version":7,"added_fragments":null,"removed_fragments":0,"updated_fragments":1,"predicate":"id = 99","restored_version":null,"properties":{}}' 'a transaction'
# no mark of its own: under another name it is nothing known
cp "$(find "$t/_transactions" -name '7-*.txn')" transaction
run inspect transaction
code 5
err_has 'no Parquet, Avro, Puffin, Lance or Iceberg metadata file'

# --- deletion files ---

d=$fixtures/deletion_files/t.lance/_deletions
run inspect "$(find "$d" -name '0-1-*.arrow')"
code 0
sed -i -E 's/^0-1-[0-9]+/0-1-ID/; s/[0-9.]+ K?B ·/SIZE ·/' io/out
out_is <<'END'
0-1-ID.arrow  Lance deletion file · SIZE · Arrow
  deleted    6 positions: 0..1, 77, 4095..4096, 10999
END
run inspect "$(find "$d" -name '0-2-*.bin')" --json
code 0
same "$(jq -c '[.kind, .form, .containers, .container_count, ([.ranges[][1]] | add == 5504), .deleted_rows, (.ranges | length) == .range_count]' io/out)" \
    '["lance_deletions","bitmap",{"array":0,"bitmap":1,"run":0},1,true,5504,true]' 'a bitmap'
run inspect "$(find "$d" -name '0-2-*.bin')"
code 0
out_has '  containers 1: 1 bitmap'
out_has '  deleted    5,504 positions: 0..2, 4, 6, '
run inspect "$(find "$d" -name '0-2-*.bin')" --schema
code 2
err_has 'which has no schema'
