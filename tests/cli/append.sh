# SPDX-License-Identifier: Apache-2.0
# append: JSON lines from files and standard input, dry runs, what does not fit.
make_events t
run append t first.jsonl second.jsonl
code 0
no_err
head -1 io/out >io/line
grep -Eq '^\+5 rows in [12] files? · ids 5..9 · ' io/line || fail "headline: $(cat io/line)"
out_has ' append'

printf '{"id": 10}\n' >ten.jsonl
run_from ten.jsonl append t - --input-format jsonl --json
code 0
out_is <<'END'
{"snapshot_id": "ID", "parent_snapshot_id": "ID", "sequence_number": 4, "operation": "append", "added_data_files": 1, "removed_data_files": 0, "added_delete_files": 0, "removed_delete_files": 0, "added_records": 1, "removed_records": 0, "first_row_id": 10, "added_rows": 1, "next_row_id": 11, "attempts": 1, "conflicts": [], "wall_ms": MS, "dry_run": false}
END

list t >io/before
run append t ten.jsonl --dry-run --json
code 0
out_is <<'END'
{"snapshot_id": null, "parent_snapshot_id": "ID", "sequence_number": 5, "operation": "append", "added_data_files": 1, "removed_data_files": 0, "added_delete_files": 0, "removed_delete_files": 0, "added_records": 1, "removed_records": 0, "first_row_id": 11, "added_rows": 1, "next_row_id": 12, "attempts": 1, "conflicts": [], "wall_ms": MS, "dry_run": true}
END
run append t ten.jsonl --dry-run
code 0
grep -q '^+1 row in 1 file · ids 11..11 · ' io/out || fail "headline: $(cat io/out)"
out_has 'dry run, nothing written'

refuse() { # CODE LINE
    printf '%s\n' "$2" >bad.jsonl
    run append t bad.jsonl
    code "$1"
    no_out
    same "$(wc -l <io/err)" 1 'lines on standard error'
}
refuse 7 '{"id": 1, "nmae": "x"}'
err_has nmae
refuse 7 '{"id": "one"}'
err_has id
refuse 7 '{"name": "no id"}'
refuse 7 '{"id": 1'
refuse 5 '{"id": 1, "_row_id": 7}'
err_has _row_id
run append t missing.jsonl
code 3
run append t missing.csv
code 3
run append t first.xml
code 5
err_has '--input-format says what a file of another name is'
list t >io/after
cmp -s io/before io/after || fail 'dry runs and failures changed the table'

: >empty.jsonl
run append t empty.jsonl
code 0
out_is <<'END'
nothing to append: the input has no rows; no snapshot made
END
run append t ten.jsonl --snapshot-property batch=17 --snapshot-property by=test
code 0
rowline log t --json --limit 1 | jq -r '.summary.batch, .summary.by, .summary["engine-name"]' >io/summary
same "$(cat io/summary)" "17
test
rowline" 'the summary'
