# SPDX-License-Identifier: Apache-2.0
# States by time: the log of main, a branch's ancestors, ages; what is no time and what has expired.
make_events t
is_count() { # N ARGUMENTS
    expected=$1
    shift
    run count "$@"
    code 0
    same "$(cat io/out)" "$expected" count
}
# The two appends get the times 2026-11-01T00:00:00Z and 2026-11-02T00:00:00Z, in metadata that is read alone.
first=$(rowline log t --json | jq -r .snapshot_id | tail -1)
second=$(rowline log t --json | jq -r .snapshot_id | head -1)
edit() { # a jq program over the newest metadata: NAME PROGRAM
    python3 - "$1" "$2" "$first" "$second" <<'END'
import json, sys
name, what, first, second = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
m = json.load(open("t/metadata/v3.metadata.json"))
days = {first: 1793491200000, second: 1793577600000}
for s in m["snapshots"]:
    s["timestamp-ms"] = days[s["snapshot-id"]]
m["snapshot-log"] = [{"timestamp-ms": days[i], "snapshot-id": i} for i in (second, first)]
m["last-updated-ms"] = 1793577600000
if what == "branch":
    m["refs"]["dev"] = {"snapshot-id": first, "type": "branch"}
    m["refs"]["keep"] = {"snapshot-id": first, "type": "tag"}
if what == "expired":
    m["snapshots"] = [s for s in m["snapshots"] if s["snapshot-id"] != first]
json.dump(m, open("t/metadata/" + name, "w"))
END
}
command -v python3 >/dev/null || skip 'no python3'
edit 1.metadata.json branch
edit 2.metadata.json expired
m=t/metadata/1.metadata.json
is_count 3 "$m@{2026-11-01T00:00:00Z}"
is_count 3 "$m@{2026-11-01T23:59:59.999Z}"
is_count 5 "$m@{2026-11-02T00:00:00Z}"
is_count 5 "$m@{2026-11-02T02:00:00+02:00}"
is_count 3 $m --as-of 2026-11-02T01:59:59+02:00
is_count 5 $m --ref main --as-of 2026-11-03T00:00:00Z
is_count 3 $m --ref dev --as-of 2026-11-03T00:00:00Z
is_count 3 "$m@dev@{2026-11-03T00:00:00Z}"
is_count 5 "t@{0s}"
is_count 5 t --as-of 0s

run count "$m@{2026-10-31T23:59:59Z}"
code 3
err_has "no snapshot as old as 2026-10-31T23:59:59.000000+00:00; its first is $first of 2026-11-01T00:00:00.000000+00:00"
run count "$m@{2026-11-01T00:00:00}"
code 2
err_has 'no zone'
run count "$m@{yesterday}"
code 2
run count "$m@{}"
code 2
run count t --as-of 2w
code 2
run count "$m@keep@{2026-11-03T00:00:00Z}"
code 2
run count $m --snapshot "$first" --as-of 1d
code 2
run count "$m@{1d}" --as-of 1d
code 2
run count "t/metadata/2.metadata.json@$first"
code 3
err_has "snapshot $first has expired"
run count "t/metadata/2.metadata.json@{2026-11-01T12:00:00Z}"
code 3
err_has "snapshot $first has expired"
run append "t@{0s}" first.jsonl
code 5
err_has 'a snapshot id, tag or time'
