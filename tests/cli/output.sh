# SPDX-License-Identifier: Apache-2.0
# Standard output that is closed, full, or not UTF-8.
make_events t
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "{\"id\": %d, \"name\": \"row %d\"}\n", i, i }' >many.jsonl
rowline append t many.jsonl >/dev/null || fail 'many rows could not be appended'

# A closed pipe ends quietly, at once.
{ rowline scan t --json 2>io/err; echo $? >io/code; } | head -1 >/dev/null
last='scan t | head -1'
same "$(cat io/code)" 0 'exit code'
no_err

# A full device is an error.
if [ -w /dev/full ]; then
    rowline count t >/dev/full 2>io/err
    got=$?
    last='count t >/dev/full'
    code 3
    err_has 'standard output'
    printf '{"id": 9, "name": "zoe"}\n' >zoe.jsonl
    rowline append t zoe.jsonl >/dev/full 2>io/err
    got=$?
    last='append t >/dev/full'
    code 3
    err_has "snapshot $(rowline log t --limit 1 | jq -r .snapshot_id) is committed, but"
    rowline delete t --where 'id = 9' >/dev/null
fi

# ASCII where the locale has nothing else.
LC_ALL=C rowline rewrite t --rewrite-all >io/out 2>io/err
got=$?
last='rewrite in the C locale'
code 0
LC_ALL=C grep -q '[^ -~]' io/out && fail "not ASCII: $(cat io/out)"
out_has '3 files -> 1'
