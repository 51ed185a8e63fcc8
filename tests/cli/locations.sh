# SPDX-License-Identifier: Apache-2.0
# A table found elsewhere than it says it is: an error that prints the flag to use; with the flag it reads and writes.
make_events old/t
mkdir new && mv old/t new/t
run count new/t
code 5
no_out
err_has --map-path
run count new/t --map-path "$work/old=$work/new"
code 0
out_is <<'END'
5
END
run count --map-path "$work/old=new" new/t
code 0
run append new/t first.jsonl --map-path "$work/old=$work/new"
code 0
[ ! -e old/t ] || fail 'written under the old path'
rowline files new/t --map-path "$work/old=$work/new" | jq -r .file_path | grep -v "^$work/old/t/data/" >io/elsewhere
[ ! -s io/elsewhere ] || fail "paths that are not the metadata's: $(cat io/elsewhere)"
run scan new/t --select _file --limit 1 --map-path "/nothing=/here" --map-path "$work/old=$work/new"
code 0
out_has "$work/old/t/data/"

# A hint above the newest version: what it names was committed and is lost. Read with a word, not changed.
make_events lost
rm "lost/metadata/v$(cat lost/metadata/version-hint.text).metadata.json"
run count lost
code 0
err_has 'which is not there; reading v'
run delete lost --where 'id = 1'
code 5
err_has 'a version is missing'
rm lost/metadata/version-hint.text
run count lost
no_err
