# SPDX-License-Identifier: Apache-2.0
# Rows out in every format, to standard output and to files, and in again.
columns='id long not null, b boolean, f float, d double, dec decimal(38,2), dt date, ti time, ts timestamp,
    tz timestamptz, tn timestamp_ns, s string, u uuid, x fixed(2), bi binary, l list<int>,
    m map<string,double>, st struct<x int, y string>'
cat >rows.jsonl <<'END'
{"id": 1, "b": true, "f": 1.1, "d": -0.0, "dec": "-999999999999999999999999999999999999.99", "dt": "1969-12-31"}
{"id": 2, "ti": "23:59:59.999999", "ts": "2026-11-30T12:34:56.000001", "tz": "2026-11-30T12:34:56.000001+00:00"}
{"id": 3, "tn": "2026-11-30T12:34:56.000000001", "u": "f79c3e09-677c-4bbd-a479-3f349cb785e7", "x": "00ff", "bi": ""}
{"id": 4, "s": "", "l": [], "m": [], "st": {"x": null, "y": null}, "f": "NaN", "d": "-Infinity"}
{"id": 5, "s": "a,b", "l": [1, null], "m": [["k", 0.1], ["\"", null]], "st": {"x": 1, "y": "q\"q, \n"}, "bi": "00ff"}
{"id": 6, "s": " blank", "d": 1.7976931348623157e308, "f": 1e-45}
{"id": 7, "s": "two\nlines\r\n", "d": 0.30000000000000004}
{"id": 8, "s": "null", "d": 5e-324}
{"id": 9, "s": "\"\""}
{"id": 10}
END
rowline create t --schema "$columns" >/dev/null && rowline append t rows.jsonl >/dev/null || fail 'no table'
rowline scan t --json >wanted.jsonl
same "$(wc -l <wanted.jsonl)" 10 'rows'

# each format by its extension, by --format, through a pipe; each comes back the same
round_trip() { # FILE INPUT-FORMAT
    table=back_$(echo "$1" | tr . _)
    rowline create "$table" --schema "$columns" >/dev/null
    run_from "$1" append "$table" - --input-format "$2"
    code 0
    rowline scan "$table" --json | cmp -s - wanted.jsonl || fail "the rows of $1 differ"
}
for name in o.jsonl:jsonl o.csv:csv o.parquet:parquet o.arrow:arrow o.arrows:arrow; do
    run scan t -o "${name%:*}"
    code 0
    no_out
    no_err
    round_trip "${name%:*}" "${name#*:}"
done
for format in jsonl csv parquet arrow; do
    run scan t --format $format --stats
    code 0
    same "$(jq -c 'keys | length' io/err)" 10 "keys of the statistics with $format"
    cp io/out "p.$format"
    round_trip "p.$format" $format
done
cmp -s o.csv p.csv && cmp -s o.jsonl p.jsonl && cmp -s o.arrows p.arrow || fail 'a file is not what a pipe gets'
same "$(head -c 6 o.arrow) $(head -c 4 p.parquet)" 'ARROW1 PAR1' 'magic bytes'

# a table like an Arrow file takes its rows
run create like --like o.arrow
code 0
run append like o.arrow
code 0
rowline scan like --json | cmp -s - wanted.jsonl || fail 'the rows of a table like o.arrow differ'
same "$(rowline show like --json | jq -c '[.schema.fields[] | .id]')" \
    '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17,20]' 'ids depth first'

# and so does one like a Parquet file, nested columns and all; .ipc is a name of Arrow files too
run create like_parquet --like p.parquet
code 0
run append like_parquet p.parquet
code 0
rowline scan like_parquet --json | cmp -s - wanted.jsonl || fail 'the rows of a table like p.parquet differ'
cp o.arrow o.ipc
run create like_ipc --like o.ipc
code 0
run append like_ipc o.ipc
code 0

# CSV, field by field
cat >quote.jsonl <<'END'
{"n": 1, "s": null}
{"n": 2, "s": ""}
{"n": 3, "s": "plain"}
{"n": 4, "s": "a,b"}
{"n": 5, "s": "a\"b"}
{"n": 6, "s": "a\nb"}
{"n": 7, "s": "a\rb"}
{"n": 8, "s": " a"}
{"n": 9, "s": "a "}
{"n": 10, "s": "\u00fcber"}
END
rowline create q --schema 'n int, s string' >/dev/null && rowline append q quote.jsonl >/dev/null
run scan q --format csv
printf 'n,s\n1,\n2,""\n3,plain\n4,"a,b"\n5,"a""b"\n6,"a\nb"\n7,"a\rb"\n8," a"\n9,"a "\n10,\303\274ber\n' >io/quoted
cmp -s io/out io/quoted || fail "quotes: $(cat io/out)"
run scan q --format csv --where 'n = 99'
same "$(cat io/out)" 'n,s' 'a header without rows'
rowline create w --schema '"a,b" int, "c""d" int' >/dev/null 2>&1 && same "$(rowline scan w --format csv)" '"a,b","c""d"' 'names'

# --limit, --select and --lineage reach files too
run scan t --lineage --limit 2 --select id -o two.csv
same "$(cat two.csv)" "id,_row_id,_last_updated_sequence_number
1,0,1
2,1,1" 'two.csv'

# --format beats the name; a name that tells nothing needs it
run scan q -o rows.txt
code 2
err_has 'rows.txt: its name tells no format'
run scan q -o rows.txt --format csv
code 0
cmp -s rows.txt io/quoted || fail 'rows.txt is no CSV'
run scan q -o - --format csv
cmp -s io/out io/quoted || fail "'-' is not standard output"

# An old file is replaced when the new one is whole: a link stays one, the mode too.
echo old >old.csv && chmod 640 old.csv && ln -s old.csv link.csv
run scan q -o link.csv
code 0
[ -L link.csv ] && cmp -s old.csv io/quoted || fail 'the file behind the link is not the new one'
same "$(stat -c %a old.csv)" 640 'the mode'

# What fails leaves nothing, and the old file as it was.
refuse() { # EXIT-CODE TEXT ARGUMENTS
    wanted=$1 text=$2
    shift 2
    find . -name '*.tmp' >io/before
    run "$@"
    code "$wanted"
    err_has "$text"
    no_out
    find . -name '*.tmp' | cmp -s - io/before || fail 'a temporary file is left'
}
refuse 3 'no/such/x.csv' scan q -o no/such/x.csv
mkdir d.csv
refuse 3 'd.csv: can'"'"'t be written: Is a directory' scan q -o d.csv
refuse 2 'no column nope' scan q --select nope -o old.csv
cmp -s old.csv io/quoted || fail 'the old file has changed'
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "{\"n\": %d, \"s\": \"row %d\"}\n", i, i }' >many.jsonl
rowline append q many.jsonl >/dev/null
for format in csv jsonl parquet arrow; do
    echo old >"full.$format"
    (ulimit -f 20 && exec rowline scan q -o "full.$format") >io/out 2>io/err
    got=$?
    last="scan q -o full.$format, with ulimit -f"
    code 3
    err_has 'File too large'
    same "$(cat full.$format)" old 'the old file'
done
same "$(find . -name '*.tmp')" '' 'temporary files'

# An interrupt ends a scan that waits for the reader of a pipe.
mkfifo slow.csv
exec 3<>slow.csv # a reader that reads one byte: the pipe is full after 64 KiB
run_until INT 'head -c 1 <&3' scan q -o slow.csv </dev/null
code 130
exec 3>&-
[ -p slow.csv ] || fail 'the pipe is gone'
same "$(find . -name '*.tmp')" '' 'temporary files'

# A pipe that is closed ends any format quietly.
for format in csv parquet arrow; do
    { rowline scan q --format $format 2>io/err; echo $? >io/code; } | head -c 10 >/dev/null
    last="scan q --format $format | head"
    same "$(cat io/code)" 0 'exit code'
    no_err
done

# What can't be read says where.
printf 'n,s\n1,a\nx,b\n' >bad.csv
refuse 7 'bad.csv: line 3: column n' append q bad.csv
printf 'n,s\n1,a,b\n' >bad.csv
refuse 7 'bad.csv: line 2 has 3 fields, the header has 2' append q bad.csv
head -c 300 o.arrow >bad.arrow
refuse 7 'bad.arrow' append t bad.arrow
last='append a pipe of Parquet'
rowline append t - --input-format parquet <slow.csv >io/out 2>io/err & # opened by the next line
cat p.parquet >slow.csv
wait $!
got=$?
code 5
err_has "Parquet can't be read from a pipe"
