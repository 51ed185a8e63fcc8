# SPDX-License-Identifier: Apache-2.0
# files and entries: stored values beside inherited ones.
make_events t
run files t
code 0
same "$(wc -l <io/out)" 2 'live files'
same "$(head -1 io/out | jq -r 'keys_unsorted | join(" ")')" \
    'content file_path file_format record_count file_size_in_bytes first_row_id stored_first_row_id data_sequence_number file_sequence_number partition spec_id sort_order_id referenced_data_file content_offset content_size_in_bytes' keys
jq -c '[.content, .file_format, .record_count, .first_row_id, .stored_first_row_id, .data_sequence_number, .partition]' io/out | sort >io/rows
same "$(cat io/rows)" '[0,"PARQUET",2,3,null,2,{}]
[0,"PARQUET",3,0,null,1,{}]' 'the files'
run entries t
code 0
same "$(jq -r 'select(.record_count == 2) | [.status, (.snapshot_id | type), .stored_data_sequence_number] | map(tostring) | join(" ")' io/out)" \
    '1 string null' 'an added entry'
run files t --format table
code 0
head -1 io/out | grep -q '^content  file_path ' || fail "header: $(head -1 io/out)"
rowline rewrite t --rewrite-all >/dev/null
run entries t
same "$(jq -r .status io/out | sort | uniq -c | tr -s ' \n' ' ')" ' 1 1 2 2 ' 'one ADDED, two DELETED'
run files t --limit 1 --json
same "$(wc -l <io/out)" 1 'under a limit'
