# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM: own files removed, 130 and 143.
make_events t
list t >io/before
seq 100000 | sed 's/.*/{"id": &}/' >lines.jsonl # more than a pipe holds: written when the program has read some of it
# append_until SIGNAL ARGUMENTS: lines from a pipe that stays open, so that the program waits for more
append_until() {
    signal=$1
    shift
    rm -f pipe && mkfifo pipe
    exec 3<>pipe
    run_until "$signal" 'cat lines.jsonl >&3' append t - --input-format jsonl "$@" <pipe
    exec 3>&-
}
for pair in INT:130 TERM:143; do
    append_until "${pair%:*}"
    code "${pair#*:}"
    no_out
    err_is <<'END'
rowline: interrupted
END
done
append_until TERM --json
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
