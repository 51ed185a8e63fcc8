# SPDX-License-Identifier: Apache-2.0
# digest: sums by hand, the checksum by a separate program after XXH64's specification.
make_events t
# ids 0 1 2 of version 1, 3 4 of version 2: 10; 3*1 + 2*2 = 7; 0 + 1 + 2 + 3*2 + 4*2 = 17
run digest t
code 0
no_err
out_is <<'END'
rows                  5
rows without lineage  0
row id sum            10
last updated sum      7
product sum           17
lineage checksum      ef474e666de2952e
END
# without row id 1: 9, 6, 16
run digest t --where 'id <> 2' --json
code 0
out_is <<'END'
{"rows": 4, "rows_without_lineage": 0, "row_id_sum": "9", "last_updated_sum": "6", "product_sum": "16", "lineage_checksum": "3fab5ec939aa9fe8"}
END
first=$(rowline log t --json | jq -r .snapshot_id | tail -1)
# 0 + 1 + 2 = 3; 3*1 = 3; 0 + 1 + 2 = 3
run digest t "$first..main" --json
code 1
no_err
out_is <<'END'
{"a": {"rows": 3, "rows_without_lineage": 0, "row_id_sum": "3", "last_updated_sum": "3", "product_sum": "3", "lineage_checksum": "5f81f1cea534f85f"}, "b": {"rows": 5, "rows_without_lineage": 0, "row_id_sum": "10", "last_updated_sum": "7", "product_sum": "17", "lineage_checksum": "ef474e666de2952e"}, "equal": false}
END
run digest t "main..main"
code 0
out_is <<'END'
                      main              main
rows                  5                 5
rows without lineage  0                 0
row id sum            10                10
last updated sum      7                 7
product sum           17                17
lineage checksum      ef474e666de2952e  ef474e666de2952e
equal
END
run digest t "$first.."
code 1
out_has 'not equal'
run digest "t@$first" "$first.." # no B: the state that TABLE names
code 0
out_has "t@$first"
run digest t "$first.." --snapshot "$first"
code 0
run digest t main..nowhere
code 3
run digest t main..main --ref main
code 2
run digest t main..main --as-of 1d
code 2
make_events v2 2
run digest v2 --json
code 0
out_is <<'END'
{"rows": 5, "rows_without_lineage": 5, "row_id_sum": "0", "last_updated_sum": "0", "product_sum": "0", "lineage_checksum": "0000000000000000"}
END
