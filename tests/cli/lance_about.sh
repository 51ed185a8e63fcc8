# SPDX-License-Identifier: Apache-2.0
# Lance datasets by the commands that tell about them: show, log, files, refs, status. Figures are those that expected.json of each
# fixture has from the manifests' bytes.
fixtures=${FIXTURES_DIR:-none}/pylance
[ -d "$fixtures" ] || skip "no fixtures of Lance datasets in $fixtures"
facts() { jq -c "$2" "$fixtures/$1/expected.json"; }

# --- show ---

t=$fixtures/spill_budget_created_only/t.lance
size=$(wc -c <"$t/_versions/18446744073709551607.manifest") # version 8: 2^64 - 1 - 8
run show "$t" --json
code 0
no_err
same "$(jq -r 'keys_unsorted | join(" ")' io/out)" \
    'format version location branch timestamp_ms manifest next_row_id max_fragment_id stable_row_ids data_format reader_flags writer_flags manifest_bytes writer schema refs config table_metadata schema_metadata bases lineage fragments' \
    keys
same "$(jq -c '[.format, .version, .location, .branch, .next_row_id, .max_fragment_id, .stable_row_ids, .data_format, .manifest_bytes, .fragments]' io/out)" \
    "[\"lance\",8,\"$t\",\"main\",102,4,true,\"2.2\",$size,1]" values
same "$(jq -c '[.reader_flags.value, .writer_flags.value, (.writer_flags.names | length)]' io/out)" '[2050,2058,3]' flags
same "$(jq -c .writer io/out)" '{"library":"lance","version":"14.0.2"}' writer
same "$(jq -c '.schema.fields' io/out)" \
    '[{"id":0,"name":"id","type":"int64","nullable":true},{"id":1,"name":"v","type":"double","nullable":true},{"id":2,"name":"s","type":"string","nullable":true}]' schema
same "$(jq -c '.config | to_entries | sort' io/out)" \
    '[{"key":"lance.row_lineage.inline_max_bytes","value":"96"},{"key":"lance.row_lineage.spill","value":"true"}]' config
# ids 66 bytes and last updated 68 inline, created-at in a column
same "$(jq -c '[.lineage[] | [.sequence, .inline_fragments, .inline_bytes, .spilled_fragments, (.spilled_bytes > 0), .absent_fragments]]' io/out)" \
    '[["_rowid",1,66,0,false,0],["_row_created_at_version",0,0,1,true,0],["_row_last_updated_at_version",1,68,0,false,0]]' lineage
# What is wrong with a carrier is told by whoever counts its bytes, too.
cp -r "$t" wrong
LC_ALL=C sed -i 's/uint64/uint32/' wrong/data/*.lance # of the hidden column; the user's are int64, double, string
for command in show status scan\ --lineage; do
    run $command wrong
    code 7
    err_has 'fragment 4: created-at versions are spilled, but column'
    err_has 'is of type uint32, not uint64'
done
run show wrong --json
same "$(jq -r '.error, (.path | test("^wrong/data/[^/]*.lance$"))' io/err | tr '\n' ' ')" 'corrupt true ' 'the file that is wrong'
run show "$fixtures/config_and_metadata/t.lance" --json
same "$(jq -c '[.config, .table_metadata, .schema_metadata]' io/out)" '[{"b":"3"},{"owner":"x"},{"k":"v"}]' metadata
cp -r "$fixtures/config_and_metadata/t.lance" t
run show t
code 0
sed -i -E 's/, [0-9]+ B$/, BYTES/' io/out
out_is <<'END'
t  Lance, data files 2.2
  location   t
  version    8 of main, INSTANT by lance 14.0.2
  manifest   t/_versions/18446744073709551607.manifest, BYTES
  fragments  2, greatest id so far 1
  lineage    stable row ids, next-row-id 6
             _rowid                        inline, 14 B in 2 fragments
             _row_created_at_version       inline, 20 B in 2 fragments
             _row_last_updated_at_version  inline, 20 B in 2 fragments
  flags      reader 2 (stable row ids)
             writer 10 (stable row ids, table config)
  schema     0 id int64
             1 v double
             2 s string
  refs       main branch 8
  config     b = 3
  metadata   owner = x
  of schema  k = v
END
run show "$fixtures/refs/t.lance@v2.tag" --json
same "$(jq -c '[.version, .refs]' io/out)" \
    '[2,{"main":{"type":"branch","version":3},"dev/one":{"type":"branch","version":4,"parent":"main","parent_version":2},"first":{"type":"tag","version":3,"branch":"main"},"v2.tag":{"type":"tag","version":2,"branch":"main"}}]' refs
run show "$fixtures/types_nested_2_2/t.lance" --json
same "$(jq -c '[.schema.fields[] | recurse(.children[]?) | [.id, .name, .type, .nullable]]' io/out)" \
    "$(facts types_nested_2_2 '[.versions | to_entries | map(select(.value.facts.fields != null)) | last | .value.facts.fields[] | [.id // 0, .name, .logical_type, (.nullable // false)]]')" \
    'nested fields'

# --- log ---

for case_name in life_stable_2_2 life_address_ids_2_2 spill_update_only config_and_metadata; do
    run log "$fixtures/$case_name/t.lance" --json
    code 0
    same "$(jq -sc '[.[] | [(.snapshot_id | tonumber), .sequence_number, .operation, .engine.version, .summary.rows]]' io/out)" \
        "$(facts $case_name '[.versions | to_entries | reverse[] | [(.key | tonumber), (.key | tonumber), .value.facts.operation, "14.0.2", .value.count]]')" \
        "the log of $case_name"
done
# ids given out: those between the two marks
run log "$fixtures/life_stable_2_2/t.lance" --json
same "$(jq -sc '[reverse[] | [.first_row_id, .added_rows]]' io/out)" \
    "$(facts life_stable_2_2 '[0] + [.versions | to_entries[] | .value.facts.next_row_id] | [range(1; length) as $i | [.[$i - 1], .[$i] - .[$i - 1]]]')" \
    'ranges of ids'
cp -r "$fixtures/refs/t.lance" r
run log r --format table
code 0
out_is <<'END'
VERSION  BRANCH  TIME (UTC)           OPERATION  ROWS  FRAGMENTS  ID RANGE  BY            REFS
      3  main    INSTANT  Update     0     ~1 +1      -         lance 14.0.2  main, first
      2  main    INSTANT  Append     +4    +1         6..9      lance 14.0.2  v2.tag
      1  main    INSTANT  Overwrite  +6    +1         0..5      lance 14.0.2  -
END
run log r --ref dev/one --json
code 0
same "$(jq -sc '[.[] | [.snapshot_id, .operation, .summary.branch, .refs]]' io/out)" \
    '[["4","Append","dev/one",["dev/one"]],["3","Update","dev/one",[]],["2","Clone","dev/one",[]],["2","Append","main",["v2.tag"]],["1","Overwrite","main",[]]]' \
    'the log of a branch'
run log r --all --json
same "$(jq -sc '[.[] | [.snapshot_id, .summary.branch]]' io/out)" \
    '[["4","dev/one"],["3","main"],["3","dev/one"],["2","main"],["2","dev/one"],["1","main"]]' 'all versions'
# a branch's first version adds nothing to the one it began at
same "$(jq -c 'select(.operation == "Clone") | [.parent_snapshot_id, .added_rows, .summary.rows_change]' io/out)" '["2",0,0]' \
    'the first version of a branch'
# Of a version behind ones that were cleaned up, the parent's number is known, not what it added to it.
cp -r "$fixtures/life_stable_2_2/t.lance" swept
rm swept/_versions/1844674407370955161[0-3].manifest # versions 2 to 5
run log swept --json
code 0
same "$(jq -sc '[.[] | select(.sequence_number == (7, 6, 1)) | [.snapshot_id, .parent_snapshot_id, .first_row_id == null, .added_rows == null, .summary.rows_change == null]]' io/out)" \
    '[["7","6",false,false,false],["6","5",true,true,true],["1",null,false,false,false]]' 'the log of versions behind a gap'
# A transaction that can't be read: what else the manifest says is told. It begins behind its length, at the file's begin.
manifest=r/_versions/18446744073709551613.manifest # version 2
rm -r r/_transactions
printf '\377\377\377\377' | dd of=$manifest bs=1 seek=4 conv=notrunc 2>io/dd
run log r --json
code 0
same "$(jq -sc '[.[] | [.snapshot_id, .operation, .summary.rows, .summary.rows_change, (.summary.transaction_error != null)]]' io/out)" \
    '[["3","Update",10,0,false],["2",null,10,4,true],["1","Overwrite",6,6,false]]' 'a broken transaction'
# A version that can't be read is a caution of the status of another one, and an error of its own log.
printf 'XXXX' | dd of=$manifest bs=1 seek=$(($(wc -c <$manifest) - 4)) conv=notrunc 2>io/dd
run status r --json
code 0
same "$(jq -c '[.rows, .snapshots, (.cautions[0] | test("^version 2 of main can.t be read: "))]' io/out)" '[10,3,true]' 'a broken version'
run log r --json
code 7
run count r@2
code 7
run count r
code 0

# --- files ---

run files "$fixtures/spill_budget_created_only/t.lance" --json
code 0
same "$(jq -c '[.fragment_id, .physical_rows, .deleted_rows, .deletion_file, .row_ids.kind, .row_ids.bytes, .created_at, .last_updated_at.kind, .last_updated_at.bytes, (.files | length), .files[0].fields, .files[0].file_version, .files[0].bytes]' io/out)" \
    '[4,81,0,null,"inline",66,{"kind":"spilled"},"inline",68,1,[0,1,2,-4],"2.2",3389]' 'a spilled fragment'
same "$(jq -c '.carrier == {"_row_created_at_version": .files[0].path}' io/out)" true carrier
run files "$fixtures/life_stable_2_2/t.lance@5" --json
same "$(jq -sc '[.[] | [.fragment_id, .physical_rows, .deleted_rows, .row_ids.kind, .row_ids.bytes, .row_ids.least, .row_ids.greatest]]' io/out | cut -c -68)" \
    '[[0,8,4,"inline",6,0,7],[1,8,3,"inline",8,8,15],[2,5,1,"inline",8,16' 'fragments with deletions'
same "$(jq -r 'select(.fragment_id == 0) | .deletion_file | ltrimstr("'"$fixtures"'/life_stable_2_2/t.lance/") | test("^_deletions/0-4-[0-9]+\\.arrow$")' io/out)" \
    true 'a deletion file'
run files "$fixtures/life_address_ids_2_2/t.lance" --json
same "$(jq -c '[.row_ids, .created_at, .last_updated_at, .carrier]' io/out)" \
    '[{"kind":"absent"},{"kind":"absent"},{"kind":"absent"},null]' 'a fragment without lineage'

cp -r "$fixtures/spill_update_only/t.lance" f
run files f --format table
code 0
sed -i -E 's/[01]{24}[0-9a-f]{26}/NAME/g; s/ +/ /g; s/^ //' io/out
out_is <<'END'
FRAGMENT ROWS DELETED FILES BYTES ROW IDS CREATED AT LAST UPDATED AT CARRIER FILE
0 25 5 1 1.5 KB 6 B, 0..24 10 B, 1 10 B, 1 - f/data/NAME.lance
1 25 5 1 1.5 KB 8 B, 25..49 10 B, 3 10 B, 3 - f/data/NAME.lance
2 25 0 1 1.5 KB 8 B, 50..74 10 B, 4 10 B, 4 - f/data/NAME.lance
3 25 2 1 1.5 KB 8 B, 75..99 10 B, 5 10 B, 5 - f/data/NAME.lance
4 11 2 2 1.9 KB spilled spilled 10 B, 6 NAME.lance f/data/NAME.lance
5 3 1 2 1.5 KB spilled spilled 10 B, 7 NAME.lance f/data/NAME.lance
END
# what `files` names can be opened
run inspect "$(rowline files f --json | jq -r '.files[0].path' | head -1)"
code 0

# --- refs ---

run refs "$fixtures/refs/t.lance" --json
code 0
same "$(jq -sc '[.[] | [.name, .type, .version, .branch, .parent_version]]' io/out)" \
    '[["main","BRANCH",3,null,null],["dev/one","BRANCH",4,"main",2],["first","TAG",3,"main",null],["v2.tag","TAG",2,"main",null]]' refs

# --- status ---

run status "$fixtures/life_stable_2_2/t.lance@5" --json
code 0
no_err
# live rows are version 5's count; deleted ones the sum over its fragments
same "$(jq -c '[.rows, .deleted_rows, .fragments, .data_files, .delete_files, .lineage.complete, .lineage.next_row_id, .snapshots]' io/out)" \
    "$(facts life_stable_2_2 '.versions["5"] | [.count, ([.facts.fragments[].deletion.deleted_rows // 0] | add), (.facts.fragments | length), ([.facts.fragments[].files | length] | add), ([.facts.fragments[] | select(.deletion)] | length), true, .facts.next_row_id, 5]')" \
    'status figures'
same "$(jq -c '.bytes' io/out)" "$(facts life_stable_2_2 '[.versions["5"].facts.fragments[].files[].bytes] | add')" bytes
same "$(jq -c '[.lineage.sequences[].inline_bytes]' io/out)" \
    "$(facts life_stable_2_2 '.versions["5"].facts.fragments | [([.[].row_ids.bytes] | add), ([.[].created_at.bytes] | add), ([.[].last_updated_at.bytes] | add)]')" \
    'inline bytes'
same "$(jq -c .writers io/out)" '[{"name":"lance","version":"14.0.2","snapshots":5}]' writers
same "$(jq -c .spilling io/out)" '{"enabled":false,"inline_max_bytes":204800,"sequences":[],"saved_bytes":0}' spilling
# version 8 of spill_update_only was updated with a limit of 0: what is still inline is over it
run status "$fixtures/spill_update_only/t.lance" --json
code 0
same "$(jq -c '.spilling | [.enabled, .inline_max_bytes, .saved_bytes]' io/out)" \
    "$(facts spill_update_only '[true, 0, ([.versions["8"].facts.fragments[] | .row_ids, .created_at, .last_updated_at | select(.kind == "inline") | .bytes] | add)]')" \
    'what spilling would save'
cp -r "$fixtures/config_and_metadata/t.lance" s
run status s
code 0
no_err
sed -i -E 's/^(  manifest   )[0-9.]+ K?B, of it lineage 54 B \([0-9.]+ %\)/\1SIZE, of it lineage 54 B/; s/since [0-9-]{10}/since DAY/; s/[0-9-]{10}T[0-9:]{8}Z/TIME/' io/out
out_is <<'END'
s  Lance · data files 2.2 · version 8 · last commit TIME by lance 14.0.2
  rows       6 live
  files      2 in 2 fragments (1.8 KB), 2 of under 1,048,576 rows (1.8 KB)
  lineage    complete, next-row-id 6
             _rowid                        inline, 14 B in 2 fragments
             _row_created_at_version       inline, 20 B in 2 fragments
             _row_last_updated_at_version  inline, 20 B in 2 fragments
  manifest   SIZE, of it lineage 54 B
  spilling   off, nothing over 200 KB a sequence
  flags      reader 2 (stable row ids)
             writer 10 (stable row ids, table config)
  versions   8 since DAY; branches main
  writers    lance 14.0.2 ×8
END
run status s --exit-code --quiet
code 0
run status "$fixtures/life_address_ids_2_2/t.lance" --exit-code --json
code 1
same "$(jq -c '[.lineage.complete, .lineage.rows_without_lineage, .lineage.next_row_id, (.cautions | length)]' io/out)" \
    '[false,22,null,1]' 'a dataset without stable ids'

# row ids in an external file, which nobody reads: field 6 (32) in place of 5 (2a), behind fragment 0's 4 rows (20 04)
cp -r "$fixtures/config_and_metadata/t.lance" outside
manifest=outside/_versions/18446744073709551607.manifest # version 8
at=$(LC_ALL=C grep -abo -P '\x20\x04\x2a\x06' $manifest | tail -1 | cut -d: -f1)
printf '\062' | dd of=$manifest bs=1 seek=$((at + 2)) conv=notrunc 2>io/dd
run status outside --json
code 0
same "$(jq -c '[.rows, .lineage.complete, .lineage.rows_without_lineage, .lineage.next_row_id, (.cautions | length)]' io/out)" \
    '[6,false,4,6,1]' 'a dataset that lacks the ids of a fragment'
run status outside
out_has 'missing in 4 rows, next-row-id 6'
run scan outside --lineage
code 5

# --- refs that are odd ---

# a tag on a detached version (from 2^63 on; columns have the negative number of the same bits), branches without a tree, a torn file
cp -r "$fixtures/refs/t.lance" odd
printf '{"branch":null,"version":9223372036854775813}' >odd/_refs/tags/detached.json
printf '{"parentBranch":null,"parentVersion":1}' >odd/_refs/branches/gone.json
printf '{"parentBranch":"main","parentVersion":18446744073709551615}' >odd/_refs/branches/late.json
printf '{"vers' >odd/_refs/tags/torn.json
run refs odd --json
code 0
err_has 'tag torn'
same "$(grep -c . io/err)" 1 'lines of warning'
grep -q '"name": "detached", "type": "TAG", "version": -9223372036854775803,' io/out || fail 'the bits of the detached version'
same "$(jq -sc '[.[] | select(.name != "detached") | [.name, .version, .branch, .parent_version]]' io/out)" \
    '[["main",3,null,null],["dev/one",4,"main",2],["first",3,"main",null],["gone",null,"main",1],["late",null,"main",-1],["v2.tag",2,"main",null]]' \
    'odd refs'
for command in show log 'log --all' status; do
    run $command odd --json
    code 0
    err_has 'tag torn'
    same "$(grep -c . io/err)" 1 "lines of warning of $command"
done
run show odd --json
grep -q '"version": 9223372036854775813' io/out || fail 'the detached version in full'
grep -q '"parent_version": 18446744073709551615' io/out || fail 'the detached parent in full'
same "$(jq -r '.refs.gone.version' io/out)" null 'a branch without a tree'
run count odd@torn
code 7
err_has 'tag torn'
run count odd@gone
code 3
run count odd@detached
code 3
err_has d9223372036854775813
run log odd --ref dev/one --json
code 0
same "$(jq -sc 'map(.sequence_number)' io/out)" '[4,3,2,2,1]' 'the log of a branch beside odd refs'
# a parent that is gone ends the line
mkdir odd/tree/gone && cp -r odd/tree/dev/one/_versions odd/tree/gone/
printf '{"parentBranch":"nowhere","parentVersion":2}' >odd/_refs/branches/gone.json
printf '{"parentBranch":null,"parentVersion":1}' >odd/_refs/branches/nowhere.json
run log odd@gone --json
code 0
same "$(jq -sc 'map(.sequence_number)' io/out)" '[4,3,2]' 'the log of a branch whose parent is gone'
# two naming schemes in a branch: of it nothing is told but the reason
cp odd/tree/gone/_versions/18446744073709551611.manifest odd/tree/gone/_versions/4.manifest
run refs odd --json
code 0
err_has 'branch gone'
same "$(jq -sc '.[] | select(.name == "gone") | .version' io/out)" null 'a branch that is damaged'
