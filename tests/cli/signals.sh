# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM: own files removed, 130 and 143.
make_events t
list t >io/before
mkfifo pipe
exec 3<>pipe # held open: the program waits for lines that never come
for pair in INT:130 TERM:143; do
    printf '{"id": 1}\n' >&3
    timeout -k 5 --preserve-status -s "${pair%:*}" 1 rowline append t - --input-format jsonl <pipe >io/out 2>io/err
    got=$?
    last="append, ended by SIG${pair%:*}"
    code "${pair#*:}"
    no_out
    err_is <<'END'
rowline: interrupted
END
done
timeout -k 5 --preserve-status -s TERM 1 rowline append t - --input-format jsonl --json <pipe >io/out 2>io/err
same "$(jq -c '[.error, .path]' io/err)" '["interrupted",null]' 'the error as JSON'
list t >io/after
cmp -s io/before io/after || fail 'files were left'

# a limit on the size of files (blocks of 512 bytes or 1 KiB) is an I/O error, not the end of the program
seq 50000 | sed 's/.*/{"id": &}/' >many.jsonl
(ulimit -f 20 && exec rowline append t many.jsonl --quiet) >io/out 2>io/err
got=$?
last="append, with ulimit -f"
code 3
err_has 'File too large'
list t >io/after
cmp -s io/before io/after || fail 'files were left'
