# SPDX-License-Identifier: Apache-2.0
# On a terminal: a table that fits its width, 40 rows, a question before an upgrade.
command -v script >/dev/null || skip 'script (bsdutils) is not installed'
on_terminal() { # COMMAND LINE: its output without carriage returns, in io/out
    last="$1, on a terminal"
    script -qec "$1" /dev/null </dev/null >io/raw 2>&1
    got=$?
    tr -d '\r' <io/raw >io/out
}
make_events t
on_terminal 'COLUMNS=80 rowline scan t --lineage --order-by-row-id --limit 2'
code 0
out_is <<'END'
id  name  _row_id  _last_updated_sequence_number
 1  ada         0                              1
 2  bob         1                              1
END
# 2 + 2 + 7 + 2 + 29 = 42 columns leave no room for another: the name goes, lineage stays
on_terminal 'COLUMNS=42 rowline scan t --lineage --order-by-row-id --limit 1'
out_is <<'END'
id  _row_id  _last_updated_sequence_number
 1        0                              1
not shown: name
END
printf '{"id": 6, "name": "a name that is longer than there is room for"}\n' >long.jsonl
rowline append t long.jsonl >/dev/null
on_terminal 'COLUMNS=30 rowline scan t --where "id = 6"'
out_is <<'END'
id  name
 6  a name that is longer tha…
END
# inherited ids leave room for the names of files
rowline create p --schema 'id long not null' --partition id >/dev/null 2>&1
printf '{"id": %s}\n' 1 2 >two.jsonl
rowline append p two.jsonl >/dev/null 2>&1
on_terminal 'COLUMNS=80 rowline inspect "$(find p -name "*-m0.avro")" --manifest-list "$(find p -name "snap-*.avro")"'
grep -q '^STATUS  FILE ' io/out || fail 'no names of files'
grep -q 'null → 1 (list 0 + 1 of 00000-[^ ]*…)$' io/out || fail 'no making of an id'
# a line names the first columns left out and counts the others
columns=$(seq -f 'a_column_of_numbers_%03g int' -s ', ' 1 30)
rowline create w --schema "$columns" >/dev/null 2>&1
on_terminal 'COLUMNS=40 rowline scan w'
same "$(tail -1 io/out | grep -o 'numbers_021 and 9 more$')" 'numbers_021 and 9 more' 'columns left out'
awk 'BEGIN { for (i = 0; i < 1000; i++) printf "{\"id\": %d}\n", i }' >many.jsonl
rowline append t many.jsonl >/dev/null
on_terminal 'COLUMNS=80 rowline scan t --select id'
same "$(wc -l <io/out)" 42 'a header, 40 rows, a line about the rest'
same "$(tail -1 io/out)" '… 966 more (--limit 0 for all)' 'the rest'
on_terminal 'COLUMNS=80 rowline scan t --select id --limit 0'
same "$(wc -l <io/out)" 1007 'a header and all rows'
on_terminal 'COLUMNS=80 rowline scan t --json --limit 1 --select id'
same "$(head -c 7 io/out)" '{"id": ' 'JSON on a terminal'

make_events v2 2
list v2 >io/before
printf 'n\n' >io/no
script -qec 'rowline upgrade v2 --to 3' /dev/null <io/no >io/out 2>&1
got=$?
last='upgrade, answered n'
code 2
out_has 'Upgrade to version 3? There is no way back. [y/N]'
out_has 'not confirmed'
list v2 >io/after
cmp -s io/before io/after || fail 'a declined upgrade changed files'
printf 'y\n' >io/yes
script -qec 'rowline upgrade v2 --to 3' /dev/null <io/yes >io/out 2>&1
got=$?
last='upgrade, answered y'
code 0
run show v2 --json
same "$(jq .format_version io/out)" 3 'the version after yes'
