# SPDX-License-Identifier: Apache-2.0
# Snapshot ids survive jq, which keeps numbers as doubles: they are strings, and come back as TABLE@ID.
command -v jq >/dev/null || skip 'jq is not installed'
make_events t
# the largest id there can be and its neighbours differ only beyond 2^53
states=0
for id in $(rowline log t --json | jq -r .snapshot_id); do
    run count "t@$id"
    code 0
    run log "t@$id" --json
    same "$(head -1 io/out | jq -r .snapshot_id)" "$id" 'an id through jq'
    run scan t --snapshot "$id" --select id
    code 0
    states=$((states + 1))
done
same "$states" 2 states
run count "t@$(rowline log t --json | jq -r .snapshot_id | tail -1)"
out_is <<'END'
3
END
run show t --json
head=$(jq -r .current_snapshot_id io/out)
run digest t "$head..main"
code 0
rowline append t first.jsonl --json >io/commit
id=$(jq -r .snapshot_id io/commit)
run count "t@$id"
out_is <<'END'
8
END
same "$(jq -r .parent_snapshot_id io/commit)" "$head" 'the parent'
same "$(rowline entries t --json | jq -r .snapshot_id | sort -u | wc -l)" 3 'snapshots of entries'
