#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs one case of the program's tests in an empty directory: run.sh PROGRAM CASE.sh
#
# A case calls `run ARGUMENTS` and then says what must have come of it:
#   code N            the exit code
#   out_is < TEXT     standard output, exactly; ids, times and sizes masked (see mask)
#   err_is < TEXT     standard error, likewise
#   out_has/err_has T a piece of it
set -u
program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)
case_file=$(CDPATH='' cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")
PATH=$program:$PATH
LC_ALL=C.UTF-8
export PATH LC_ALL
unset COLUMNS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir io && failures=0 last=

fail() {
    failures=$((failures + 1))
    printf '%s: after `rowline %s`: %s\n' "$(basename "$case_file")" "$last" "$1"
}

run() {
    last=$*
    rowline "$@" >io/out 2>io/err </dev/null
    got=$?
}

# The same with standard input of a file: run_from FILE ARGUMENTS
run_from() {
    input=$1
    shift
    last=$*
    rowline "$@" >io/out 2>io/err <"$input"
    got=$?
}

# Ends the program by a signal, however slow the machine: sent when READY, a command that waits for the program to be at
# work, has ended. Standard input is the caller's. `timeout` gives signals back that our parents ignore.
run_until() { # SIGNAL READY ARGUMENTS
    until_signal=$1 ready=$2
    shift 2
    last="$* until SIG$until_signal"
    (eval "$ready" && kill -s "$until_signal" "$(cat io/pid)") >/dev/null 2>&1 &
    helper=$!
    timeout -s KILL 300 sh -c 'echo $$ >io/pid && exec rowline "$@"' sh "$@" >io/out 2>io/err
    got=$?
    kill "$helper" 2>/dev/null
    wait "$helper"
}

# What differs from run to run: snapshot ids, uuids, wall times, sizes, instants, the place of the test.
mask() {
    sed -E -e "s|$work|DIR|g" -e 's/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/UUID/g' \
        -e 's/\b[1-9][0-9]{11,18}\b/ID/g' -e 's/"wall_ms": [0-9]+/"wall_ms": MS/' -e 's/[0-9.]+ (ms|s)$/TIME/' \
        -e 's/"peak_memory_bytes": [0-9]+/"peak_memory_bytes": N/' -e 's/"(input|output)_bytes": [1-9][0-9]*/"\1_bytes": N/g' \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}/INSTANT/g'
}

code() {
    [ "$got" -eq "$1" ] || fail "exit code $got, expected $1; standard error: $(cat io/err)"
}

compare() { # FILE NAME, expected text on standard input
    cat >io/expected
    mask <"$1" >io/masked
    if ! diff -u io/expected io/masked >io/diff; then
        fail "$2 differs"
        cat io/diff
    fi
}

out_is() { compare io/out 'standard output'; }
err_is() { compare io/err 'standard error'; }
no_out() { [ ! -s io/out ] || fail "standard output should be empty: $(cat io/out)"; }
no_err() { [ ! -s io/err ] || fail "standard error should be empty: $(cat io/err)"; }
out_has() { grep -qF -- "$1" io/out || fail "standard output lacks '$1': $(cat io/out)"; }
err_has() { grep -qF -- "$1" io/err || fail "standard error lacks '$1': $(cat io/err)"; }
same() { [ "$1" = "$2" ] || fail "'$1' is not '$2' ($3)"; }
list() { find "$1" -type f -exec cksum {} + | sort; } # every file with its content

# Five rows in two files: ids 0..2 written by commit 1, 3 and 4 by commit 2.
make_events() { # DIRECTORY [FORMAT-VERSION]
    printf '%s\n' '{"id": 1, "name": "ada"}' '{"id": 2, "name": "bob"}' '{"id": 3, "name": null}' >first.jsonl
    printf '%s\n' '{"id": 4, "name": "dan"}' '{"id": 5, "name": "eve"}' >second.jsonl
    rowline create "$1" --schema 'id long not null, name string' --format-version "${2:-3}" >io/made 2>&1 &&
        rowline append "$1" first.jsonl >>io/made 2>&1 && rowline append "$1" second.jsonl >>io/made 2>&1 ||
        { fail "a table for the test could not be made: $(cat io/made)" && exit 1; }
}

# Ends a case that can't run here.
skip() {
    printf 'skipped: %s\n' "$1"
    exit 77 # ctest shows it as skipped
}

. "$case_file"
[ "$failures" -eq 0 ] && echo "$(basename "$case_file"): passed"
exit "$((failures > 0))"
