# SPDX-License-Identifier: Apache-2.0
# scan and count: rows with lineage as JSON lines and as a table.
make_events t
run scan t --lineage --order-by-row-id
code 0
no_err
out_is <<'END'
{"id": 1, "name": "ada", "_row_id": 0, "_last_updated_sequence_number": 1}
{"id": 2, "name": "bob", "_row_id": 1, "_last_updated_sequence_number": 1}
{"id": 3, "name": null, "_row_id": 2, "_last_updated_sequence_number": 1}
{"id": 4, "name": "dan", "_row_id": 3, "_last_updated_sequence_number": 2}
{"id": 5, "name": "eve", "_row_id": 4, "_last_updated_sequence_number": 2}
END
run scan t --lineage --order-by-row-id --format table
code 0
out_is <<'END'
id  name  _row_id  _last_updated_sequence_number
 1  ada         0                              1
 2  bob         1                              1
 3  null        2                              1
 4  dan         3                              2
 5  eve         4                              2
END
run scan --json t --where 'id >= 2 and name is not null' --select 'name, _row_id' --order-by-row-id --limit 2
code 0
out_is <<'END'
{"name": "bob", "_row_id": 1}
{"name": "dan", "_row_id": 3}
END
run scan t --limit 0
code 0
same "$(wc -l <io/out)" 5 lines
run scan t --where 'id = 99' --format table
code 0
out_is <<'END'
id  name
END
# Conditions with computed values; see docs/filters.md.
ids() {
    run scan t --select id --order-by-row-id --where "$1"
    code 0
    same "$(jq -r .id io/out | tr '\n' ' ')" "$2" "ids where $1"
}
ids "name like '%b' or name like 'd_n'" '2 4 '
ids "name not like 'a%'" '2 4 5 ' # null is unknown
ids "name like '!%%' escape '!'" ''
ids 'id % 2 = 0' '2 4 '
ids 'id * 2 + 1 between 5 and 2 * 4' '2 3 '
ids "coalesce(name, 'none') = 'none'" '3 '
ids "case when name is null then 0 else id end < 2" '1 3 '
ids 'cast(id as string) in (cast(1 + 1 as string), '"'5')" '2 5 '
ids 'id <> 3 and 6 / (id - 3) = 3' '5 ' # nothing is divided for row 3
run scan t --where 'id / (id - 3) > 0'
code 2
err_has '3 / 0 is a division by zero'
make_events gone
rowline delete gone --where 'id = 3' >io/made
run scan gone --select id --order-by-row-id --where '6 / (id - 3) < 0' # of no row that is still there
code 0
same "$(jq -r .id io/out | tr '\n' ' ')" '1 2 ' 'ids beside a deleted row'
run scan t --where '"$row_id" = 1'
code 2
err_has 'did you mean _row_id?'
run scan t --where 'nmae = 1'
code 2
run scan t --where 'id ='
code 2
run scan t --stats --limit 1 --where 'id = 4'
code 0
same "$(wc -l <io/out)" 1 'lines of rows'
same "$(jq -r 'keys_unsorted | join(" ")' io/err)" \
    'manifests_read manifests_skipped files_read files_skipped row_groups_read row_groups_skipped pages_read pages_skipped bytes_read requests' \
    'keys of the statistics'

# BUG-007: a row id is a position, so of a file one row group is read, and nothing of the others.
run scan t --stats --where '_row_id = 3' --select id --json
code 0
out_is <<'END'
{"id": 4}
END
same "$(jq -r .row_groups_read io/err)" 1 'row groups read for one row id'

run count t
code 0
out_is <<'END'
5
END
run count t --where 'name is null' --json
code 0
out_is <<'END'
{"count": 1}
END

# Text that would move a cursor is shown, not obeyed; JSON escapes it.
printf '{"id": 6, "name": "a\\u001b[31m\\nb\\u0085\\"\\\\"}\n' >odd.jsonl
rowline append t odd.jsonl >/dev/null
run scan t --where 'id = 6' --format table
out_is <<'END'
id  name
 6  a\x1b[31m\nb\x85"\
END
run scan t --where 'id = 6'
same "$(jq -r '.name | explode | map(tostring) | join(" ")' io/out)" '97 27 91 51 49 109 10 98 133 34 92' 'code points'

# Below version 3 both columns are null, and one line says why.
make_events v2 2
run scan v2 --lineage --where 'id = 5'
code 0
out_is <<'END'
{"id": 5, "name": "eve", "_row_id": null, "_last_updated_sequence_number": null}
END
err_is <<'END'
rowline: _row_id and _last_updated_sequence_number are null: format version 2 has none (rowline upgrade --to 3)
END
run scan v2 --lineage --where 'id = 5' --quiet
no_err
run scan t --select ''
code 2
err_has 'names no column'
run scan t --select 'id, name, id'
code 2
err_has "names column 'id' twice"

# A long text is written in pieces, none of which cuts a character: 400,000 bytes, two a character, are in place at any piece.
jq -nc '{id: 1, name: ("é" * 200000 + "\"" + "x" * 300000)}' >long.jsonl
rowline create long --schema 'id long, name string' >/dev/null
rowline append long long.jsonl >/dev/null
run scan long --json
code 0
same "$(jq -c '[.name | length, .[:2], .[199999:200002]]' io/out)" '[500001,"éé","é\"x"]' 'a long text'
