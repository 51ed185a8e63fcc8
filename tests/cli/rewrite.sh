# SPDX-License-Identifier: Apache-2.0
# rewrite: the plan, the result, lineage unchanged, convergence.
make_events t
rowline delete t --where 'id = 2' >/dev/null
list t >io/before
# 1 of 3 rows of the first file is deleted
run rewrite t --dry-run --delete-ratio 0.34
code 0
out_is <<'END'
nothing to rewrite: files left alone: 2 in groups of too few files (--rewrite-all takes them); dry run, nothing written
END
run rewrite t --rewrite-all --dry-run
code 0
# 1 of 5 rows is deleted: 20.0 %
sed -i -E 's/[0-9.]+ (B|KB|GB|TB) /SIZE /g; s/\([^)]* free\)/(SIZE free)/' io/out
out_is <<'END'
PARTITION  FILES   BYTES  DELETED  → FILES  WHY
-              2  SIZE   20.0 %        1  rewrite all
needs up to SIZE of disk (SIZE free), memory 1 GB; dry run, nothing written
END
run rewrite t --rewrite-all --dry-run --json
code 0
same "$(wc -l <io/out)" 2 'a line a group and the summary'
same "$(head -1 io/out | jq -c '[keys_unsorted, .group, .partition, .spec_id, (.files | length), .rows, .reason]')" \
    '[["group","partition","spec_id","files","input_bytes","rows","reason"],1,{},0,2,5,"rewrite all"]' 'the group'
same "$(tail -1 io/out | jq -c '[.snapshot_id, .dry_run, .groups, .rows_in, .rows_out, .removed_data_files, .added_data_files]')" \
    '[null,true,1,4,4,2,1]' 'the summary'
list t >io/after
cmp -s io/before io/after || fail 'a dry run changed files'

run rewrite t --rewrite-all
code 0
err_is <<'END'
rowline: group 1: 2 files to 1, 4 rows verified
END
sed -i -E '1s/ · .*//' io/out
# without row id 1: see digest.sh
out_is <<'END'
2 files → 1
  deletes   1 delete file applied and removed
  lineage   ids and versions of 4 rows unchanged, digest 3fab5ec939aa9fe8 = 3fab5ec939aa9fe8
            next-row-id 5 → 5
  snapshot  ID replace
END
run scan t --lineage --order-by-row-id
out_is <<'END'
{"id": 1, "name": "ada", "_row_id": 0, "_last_updated_sequence_number": 1}
{"id": 3, "name": null, "_row_id": 2, "_last_updated_sequence_number": 1}
{"id": 4, "name": "dan", "_row_id": 3, "_last_updated_sequence_number": 2}
{"id": 5, "name": "eve", "_row_id": 4, "_last_updated_sequence_number": 2}
END
list t >io/before
run rewrite t --json
code 0
same "$(jq -c '[.snapshot_id, .operation, .groups, .skipped_files, .skipped.too_few_files, .complete]' io/out)" \
    '[null,null,0,1,1,true]' 'a second run'
list t >io/after
cmp -s io/before io/after || fail 'a second run changed files'

# four columns with lineage, a page each
run rewrite t --rewrite-all --sort 'name desc nulls last' --json --verify lineage --target-file-size 1MB
code 0
out_is <<'END'
{"snapshot_id": "ID", "parent_snapshot_id": "ID", "sequence_number": 5, "operation": "replace", "added_data_files": 1, "removed_data_files": 1, "added_delete_files": 0, "removed_delete_files": 0, "added_records": 4, "removed_records": 4, "first_row_id": 5, "added_rows": 0, "next_row_id": 5, "attempts": 1, "conflicts": [], "wall_ms": MS, "dry_run": false, "groups": 1, "input_bytes": N, "output_bytes": N, "rows_in": 4, "rows_out": 4, "rows_without_lineage": 0, "pages_copied": 0, "pages_encoded": 4, "next_row_id_before": 5, "peak_memory_bytes": N, "digest_before": {"rows": 4, "rows_without_lineage": 0, "row_id_sum": "9", "last_updated_sum": "6", "product_sum": "16", "lineage_checksum": "3fab5ec939aa9fe8"}, "digest_after": {"rows": 4, "rows_without_lineage": 0, "row_id_sum": "9", "last_updated_sum": "6", "product_sum": "16", "lineage_checksum": "3fab5ec939aa9fe8"}, "skipped_files": 0, "skipped": {"right_size": 0, "too_few_files": 0, "no_gain": 0, "filtered": 0}, "complete": true, "assigned_snapshot_id": null, "assigned_rows": 0}
END

# without a sort pages are copied as they are, the two lineage columns too, unless they are to be stored otherwise
run rewrite t --rewrite-all --json
code 0
same "$(jq -c '[.pages_copied, .pages_encoded]' io/out)" '[4,0]' 'pages of a second rewrite'
run rewrite t --rewrite-all --json --row-id-encoding plain
code 0
same "$(jq -c '[.pages_copied, .pages_encoded]' io/out)" '[3,1]' 'pages with other ids'
run rewrite t --rewrite-all
code 0
sed -i -E '1s/.* · (pages .*)/\1/; 2,$d' io/out
out_is <<'END'
pages 100 % copied, 0 % re-encoded
END

# the memory of the program that starts this one is not counted
last='rewrite, started by a large program'
: >io/out
awk 'BEGIN { s = "x"; for (i = 0; i < 28; i++) s = s s; exit system("exec rowline rewrite t --rewrite-all --json >io/out 2>io/err") }'
same "$(jq '.peak_memory_bytes > 1000000 and .peak_memory_bytes < 200000000' io/out)" true 'its peak is its own'

# A head without ids gets them first, unless the request is wrong.
make_events bare 2
run upgrade bare --to 3 --no-assign --yes
code 0
snapshots=$(rowline log bare --json | wc -l)
run rewrite bare --sort nmae
code 2
run rewrite bare --where 'nmae = 1'
code 2
run rewrite bare --memory 1MB --rewrite-all
code 5
same "$(rowline log bare --json | wc -l)" "$snapshots" snapshots
run rewrite bare
code 0
out_is <<'END'
nothing to rewrite: files left alone: 2 in groups of too few files (--rewrite-all takes them)
  assigned  5 rows got ids first, in snapshot ID
END
same "$(rowline log bare --json | wc -l)" $((snapshots + 1)) snapshots
run rewrite bare
out_is <<'END'
nothing to rewrite: files left alone: 2 in groups of too few files (--rewrite-all takes them); no snapshot made
END

# Limits: each run takes what it may, the next one goes on.
run create parts --schema 'id long, p string' --partition p
for i in 1 2; do
    printf '{"id": %d, "p": "a"}\n{"id": %d, "p": "b"}\n{"id": %d, "p": "c"}\n' $i $i $i | rowline append parts - --input-format jsonl >/dev/null
done
run rewrite parts --min-input-files 2 --option max-files-to-rewrite=2 --json
code 0
same "$(jq -c '[.groups, .complete, .removed_data_files]' io/out)" '[1,false,2]' 'two files'
run rewrite parts --min-input-files 2 --max-bytes 1 --dry-run
code 0
sed -i -E 's/[0-9.]+ (B|KB|GB|TB) /SIZE /g; s/\([^)]* free\)/(SIZE free)/' io/out
out_is <<'END'
PARTITION  FILES   BYTES  DELETED  → FILES  WHY
p=b            2  SIZE    0.0 %        1  small files
left alone: 1 in groups of too few files
a limit leaves groups or files for the next run
needs up to SIZE of disk (SIZE free), memory 1 GB; dry run, nothing written
END
run rewrite parts --min-input-files 2 --max-commits 2 --deadline 1h --option max-concurrent-file-group-rewrites=5 --json
code 0
same "$(jq -c '[.groups, .complete, .removed_data_files, .added_data_files, .attempts, .conflicts]' io/out)" '[2,true,4,2,1,[]]' 'two commits'
same "$(grep -c 'means nothing here' io/err)" 1 'a note'
same "$(rowline log parts --json | jq -r .operation | grep -c replace)" 3 'replace snapshots'
run rewrite parts --min-input-files 2
code 0
out_has 'nothing to rewrite'
same "$(rowline scan parts --order-by-row-id --json | jq -c '[.id, .p]' | tr '\n' ' ')" \
    '[1,"a"] [1,"b"] [1,"c"] [2,"a"] [2,"b"] [2,"c"] ' 'rows'
run rewrite parts --rewrite-all --max-commits 3
code 0
out_has 'the last of 3 commits'
run rewrite parts --option zorder=a --option x=1
code 2
err_is <<'END'
rowline: cannot use options [zorder, x], they are not options of a rewrite
END
run rewrite parts --option max-output-size=1
code 5
err_is <<'END'
rowline: option max-output-size: z-ordering is not supported
END

# A table that asks for other files gets Parquet, and a line that says so.
run create avro --schema 'id long' --property write.format.default=avro
printf '{"id": 1}\n' >io/one.jsonl
run append avro io/one.jsonl
code 0
err_is <<'END'
rowline: warning: write.format.default is avro; new data files are Parquet all the same
END
