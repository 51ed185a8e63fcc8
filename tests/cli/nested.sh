# SPDX-License-Identifier: Apache-2.0
# Nested columns: appended as JSON and from Parquet, deleted from, sorted, bin-packed; and files scanned by themselves.
run create t --schema 'id long not null, p struct<a: int, b: list<string>>, m map<string, double>'
code 0
cat >rows.jsonl <<'END'
{"id": 1, "p": {"a": 5, "b": ["x", null]}, "m": [["k", 1.5]]}
{"id": 2, "p": null, "m": []}
{"id": 3, "p": {"b": []}}
END
run append t rows.jsonl
code 0
run scan t --json
code 0
out_is <<'END'
{"id": 1, "p": {"a": 5, "b": ["x", null]}, "m": [["k", 1.5]]}
{"id": 2, "p": null, "m": []}
{"id": 3, "p": {"a": null, "b": []}, "m": null}
END

bad() { # LINE WHAT
    printf '%s\n' "$1" >bad.jsonl
    run append t bad.jsonl
    code 7
    no_out
    err_has "line 1: column $2"
}
bad '{"id": 4, "p": {"a": "q"}}' 'p: a: a string is no int'
bad '{"id": 4, "p": {"a": 1, "z": 2}}' 'p: a key of it is no field of the struct'
bad '{"id": 4, "p": [1]}' 'p: an array is no struct'
bad '{"id": 4, "p": {"b": [1]}}' 'p: b: element: an integer is no string'
bad '{"id": 4, "m": {"k": 1.5}}' 'm: an object is no map'
bad '{"id": 4, "m": [[null, 1.5]]}' 'm: key: is required and null'

cp t/data/*.parquet file.parquet
run append t file.parquet
code 0
run delete t --where '_row_id = 4'
code 0
for how in '' '--sort id'; do
    run rewrite t --rewrite-all $how
    code 0
    run scan t --json --lineage --order-by-row-id
    code 0
    out_is <<'END'
{"id": 1, "p": {"a": 5, "b": ["x", null]}, "m": [["k", 1.5]], "_row_id": 0, "_last_updated_sequence_number": 1}
{"id": 2, "p": null, "m": [], "_row_id": 1, "_last_updated_sequence_number": 1}
{"id": 3, "p": {"a": null, "b": []}, "m": null, "_row_id": 2, "_last_updated_sequence_number": 1}
{"id": 1, "p": {"a": 5, "b": ["x", null]}, "m": [["k", 1.5]], "_row_id": 3, "_last_updated_sequence_number": 2}
{"id": 3, "p": {"a": null, "b": []}, "m": null, "_row_id": 5, "_last_updated_sequence_number": 2}
END
done

# A file by itself is a table that can only be read.
run scan file.parquet --where 'id >= 2' --select 'm, id' --json
code 0
out_is <<'END'
{"m": [], "id": 2}
{"m": null, "id": 3}
END
run count file.parquet
code 0
out_is <<'END'
3
END
run count file.parquet --where 'id = 7'
code 0
out_is <<'END'
0
END
run scan file.parquet --select id --lineage --limit 1 --json
code 0
out_is <<'END'
{"id": 1, "_row_id": null, "_last_updated_sequence_number": null}
END
err_is <<'END'
rowline: a file by itself has no lineage but what it stores: other rows read null
END
run delete file.parquet --where 'id = 1'
code 5
err_has 'is a Parquet file by itself, not a table'
run log file.parquet
code 5
run scan file.parquet@main
code 2

# Fields of structs: selected, filtered, together with their struct and with metadata columns.
run create n --schema 'id long not null, s struct<a: int, b: struct<c: string>>, g string' --partition g
code 0
cat >rows.jsonl <<'END'
{"id": 1, "s": {"a": 5, "b": {"c": "x"}}, "g": "p"}
{"id": 2, "s": null, "g": "p"}
{"id": 3, "s": {"a": 7, "b": null}}
END
run append n rows.jsonl
code 0
run scan n --json --order-by-row-id --select 's.b.c, _partition, id, s, _partition.g'
code 0
jq -c '[.id, .["s.b.c"], .s, ._partition, .["_partition.g"]]' io/out | sort >io/rows
cat >want <<'END'
[1,"x",{"a":5,"b":{"c":"x"}},{"g":"p"},"p"]
[2,null,null,{"g":"p"},"p"]
[3,null,{"a":7,"b":null},{"g":null},null]
END
cmp -s io/rows want || fail 'rows of structs and their fields'
run scan n --json --where 's.a >= 5 and s.b.c is null' --select id
code 0
out_is <<'END'
{"id": 3}
END
run scan n --json --where "_partition.g = 'p' and s.a is null" --select 'id, _spec_id'
code 0
out_is <<'END'
{"id": 2, "_spec_id": 0}
END
run count n --where 's.b.c is not null'
code 0
out_is <<'END'
1
END
run scan n --select 's.z'
code 2
err_has 'no column s.z'
run scan n --select 's.a, s.a'
code 2
err_has 'twice'
cp n/data/g=p/*.parquet p.parquet
run scan p.parquet --json --select 's.b.c, _pos' --where 's.a = 5'
code 0
out_is <<'END'
{"s.b.c": "x", "_pos": 0}
END
run scan p.parquet --select _partition
code 2

# BUG-181: a column of the table's own, called as a metadata column is. It is what the name gives, and the log says so.
sed -i 's/"name": *"id"/"name": "_pos"/' n/metadata/*.metadata.json
run scan n --json --where '_pos = 3' --select '_pos, _row_id' --verbose
code 0
same "$(jq -c ._pos io/out)" 3 'the column of the table'
err_has 'column _pos is the table'"'"'s own'

# A table partitioned and sorted by fields of structs: split, pruned without opening other files, rewritten.
run create e --schema 'id long, event struct<ts: timestamptz, at: struct<place: string>>' \
    --partition 'day(event.ts)' --sort 'event.at.place desc nulls last'
code 0
cat >rows.jsonl <<'END'
{"id": 1, "event": {"ts": "2017-11-16T22:31:08+00:00", "at": {"place": "x"}}}
{"id": 2, "event": null}
{"id": 3, "event": {"ts": "2017-11-17T00:00:00+00:00", "at": null}}
{"id": 4, "event": {"ts": "2017-11-16T00:00:00+00:00", "at": {"place": "y"}}}
END
run append e rows.jsonl
code 0
run append e rows.jsonl
code 0
run rewrite e --rewrite-all --sort 'event.ts, id'
code 0
run show e
code 0
grep -q '^  partition  day(event.ts) as event.ts_day$' io/out || fail "partition: $(grep partition io/out)"
grep -q '^  sort       event.at.place desc nulls last$' io/out || fail "sort: $(grep sort io/out)"
run partitions e
code 0
same "$(jq -c '[.partition["event.ts_day"], .record_count, .file_count]' io/out | sort | tr '\n' ' ')" \
    '["2017-11-16",4,1] ["2017-11-17",2,1] [null,2,1] ' 'partitions by a field of a struct'
run scan e --json --select 'id, event.at.place' --where "event.ts < timestamptz '2017-11-17T00:00:00+00:00'"
code 0
out_is <<'END'
{"id": 4, "event.at.place": "y"}
{"id": 4, "event.at.place": "y"}
{"id": 1, "event.at.place": "x"}
{"id": 1, "event.at.place": "x"}
END
rm e/data/event.ts_day=2017-11-16/* e/data/event.ts_day=null/* # pruned files are not missed
run count e --where "event.ts >= timestamptz '2017-11-17T00:00:00+00:00'"
code 0
out_is <<'END'
2
END
