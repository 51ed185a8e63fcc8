# SPDX-License-Identifier: Apache-2.0
# refs: branches and tags with their retention, in Iceberg's columns; the same whatever state is named.
make_events t
first=$(rowline log t --json | jq -r .snapshot_id | tail -1)
head=$(rowline log t --json | jq -r .snapshot_id | head -1)
# jq before 1.7 rounds the ids: the document goes through sed alone
sed "s/\"refs\": *{/\"refs\": {\"keep\":{\"snapshot-id\":$first,\"type\":\"tag\",\"max-ref-age-ms\":86400000},\"dev\":{\"snapshot-id\":$first,\"type\":\"branch\",\"min-snapshots-to-keep\":2,\"max-snapshot-age-ms\":3600000},/" \
    t/metadata/v3.metadata.json >t/metadata/v4.metadata.json
run refs t
code 0
sed "s/$first/FIRST/; s/$head/HEAD/" io/out >io/named && mv io/named io/out
out_is <<'END'
{"name": "keep", "type": "TAG", "snapshot_id": "FIRST", "max_reference_age_in_ms": 86400000, "min_snapshots_to_keep": null, "max_snapshot_age_in_ms": null}
{"name": "dev", "type": "BRANCH", "snapshot_id": "FIRST", "max_reference_age_in_ms": null, "min_snapshots_to_keep": 2, "max_snapshot_age_in_ms": 3600000}
{"name": "main", "type": "BRANCH", "snapshot_id": "HEAD", "max_reference_age_in_ms": null, "min_snapshots_to_keep": null, "max_snapshot_age_in_ms": null}
END
run refs t@keep
same "$(wc -l <io/out)" 3 refs
run refs t --format table
code 0
same "$(sed -n 2p io/out | tr -s ' ')" "keep TAG $first 86400000 - -" 'a row of the table'
run refs t --limit 1 --json
same "$(wc -l <io/out)" 1 'under a limit'
run create empty --schema 'id long'
run refs empty --json
code 0
no_out # no snapshot: not even main
