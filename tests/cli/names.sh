# SPDX-License-Identifier: Apache-2.0
# How a table is named: directory, URL, metadata file, TABLE@REF; what is not here yet is refused by name.
make_events t
first=$(rowline log t --json | jq -r .snapshot_id | tail -1)
is_count() { # N ARGUMENTS
    expected=$1
    shift
    run count "$@"
    code 0
    same "$(cat io/out)" "$expected" count
}
is_count 5 t
is_count 5 "$work/t"
is_count 5 "file://$work/t"
is_count 5 "file:$work/t"
is_count 5 t/
is_count 5 t/metadata/v3.metadata.json
is_count 3 t/metadata/v2.metadata.json
is_count 3 "t@$first"
is_count 3 t --snapshot "$first"
is_count 5 t@main
is_count 5 t --ref main
mkdir odd && mv t odd/t@main
is_count 5 odd/t@main --map-path "$work/t=$work/odd/t@main"
mv odd/t@main t

run count nowhere
code 3
same "$(wc -l <io/err)" 1 'lines on standard error'
run count nowhere --json
code 3
same "$(jq -r .error io/err)" not_found 'the error'
run count t@nowhere
code 3
run count t@12345
code 3
run count t --snapshot 12345
code 3
run count t --ref nowhere
code 3
for name in prod:db.events s3://bucket/t; do
    run count "$name"
    code 5
    no_out
done
list t >io/before
run append "t@$first" first.jsonl
code 5
run append t/metadata/v3.metadata.json first.jsonl
code 5
list t >io/after
cmp -s io/before io/after || fail 'a refused change changed files'
