# SPDX-License-Identifier: Apache-2.0
# Wrong command lines: 2 for what is wrong, 5 by name for what is not here yet; one line each.

usage() { # MESSAGE ARGUMENTS
    message=$1
    shift
    run "$@"
    code 2
    no_out
    same "$(cat io/err)" "rowline: $message" 'standard error'
}
refused() {
    message=$1
    shift
    run "$@"
    code 5
    no_out
    same "$(cat io/err)" "rowline: $message" 'standard error'
}

usage 'no command; rowline --help lists them'
usage "unknown command 'frobnicate'; rowline --help lists them" frobnicate t
usage "unknown command 'apend'; did you mean append?" apend t
usage "unknown option '--wher'; did you mean --where?" scan t --wher 'id = 1'
usage "unknown option '--frobnicate'" scan t --frobnicate=7
usage "unknown option '-x'" scan t -x
usage 'scan has no option --sort; see rowline scan --help' scan t --sort id
usage 'count has no option --dry-run; see rowline count --help' count t --dry-run
usage 'missing argument: rowline scan TABLE' scan
usage 'missing argument: rowline append TABLE FILE...' append t
usage "unexpected argument 'u': rowline scan TABLE" scan t u
usage "unexpected argument '--json': rowline count TABLE" count -- t --json
usage '--where needs a value: --where EXPR' scan t --where
usage '--where is given twice' scan t --where 'id = 1' --where 'id = 2'
usage '--lineage takes no value' scan t --lineage=yes
usage "--limit 'ten': not a number" scan t --limit ten
usage "--limit '-1': not a number" scan t --limit -1
usage "--limit '99999999999999999999': the number is too large" scan t --limit 99999999999999999999
usage "--threads '0': not from 1 to 1024" scan t --threads 0
usage "--memory '1 GB': not a size such as 512MB (KB, MB, GB or plain bytes)" scan t --memory '1 GB'
usage "--memory 'GB': not a size such as 512MB (KB, MB, GB or plain bytes)" scan t --memory GB
usage "--memory '9999999999GB': the size is too large" scan t --memory 9999999999GB
usage "--delete-ratio '0': not a number above 0 and at most 1" rewrite t --delete-ratio 0
usage "--verify 'none': not full or lineage" rewrite t --verify none
usage "--row-id-encoding 'rle': not plain or delta" rewrite t --row-id-encoding rle
usage "--format 'xml': not table, jsonl, csv, parquet or arrow" scan t --format xml
for format in csv parquet arrow; do
    for command in files log status count; do
        usage "--format $format is for the rows of scan: $command gives table or jsonl" $command t --format $format
    done
done
usage '--format table is for people: a file is jsonl, csv, parquet or arrow' scan t --format table -o x.csv
usage '--output is given twice' scan t -o x.csv --output y.csv
usage '--output needs a value: --output FILE' scan t -o
usage 'files has no option --output; see rowline files --help' files t -o x.csv
usage "--progress 'maybe': not auto, always or never" scan t --progress maybe
usage 'delete needs --where EXPR' delete t
usage 'upgrade needs --to N' upgrade t
usage 'create needs --schema or --like, one of them' create t
usage 'create needs --schema or --like, one of them' create t --schema 'id long' --like f.parquet
usage "--snapshot-property '=v': not of the form KEY=VALUE" delete t --where 'id = 1' --snapshot-property =v
usage "--map-path '/old': not of the form FROM=TO" count t --map-path /old
usage 'standard input needs --input-format csv, jsonl, arrow or parquet' append t -
usage "--input-format 'xml': not parquet, csv, jsonl or arrow" append t - --input-format xml
usage '--snapshot and --as-of name one state twice' count t --snapshot 1 --as-of 2d
usage 'scan has no option --exit-code; see rowline scan --help' scan t --exit-code
usage "'main': not of the form A..B (snapshot ids, branches or tags)" digest t main
usage "'..main': not of the form A..B (snapshot ids, branches or tags)" digest t ..main

refused "the command 'expire' is not supported yet" expire t --older-than 7d
for option in --catalog --config; do
    refused "$option is not supported yet" scan t "$option" x
done
usage "--deadline '50': not a time such as 12h, 50m or 30s" rewrite t --deadline 50
usage "--max-commits '0': not from 1 to 2147483647" rewrite t --max-commits 0
usage "--option 'rewrite-all': not of the form KEY=VALUE" rewrite t --option rewrite-all
refused '--mode copy is not supported yet' delete t --where 'id = 1' --mode copy
refused '--format lance is not supported yet' create t --schema 'id long' --format lance

# With JSON output a failure is an object; wherever --json stands.
run scan t --limit ten --json
code 2
no_out
same "$(cat io/err)" "{\"error\": \"usage\", \"message\": \"--limit 'ten': not a number\", \"path\": null}" 'standard error'
run scan t --format table --json
code 2
err_has '--json and --format table exclude each other'
run scan t --format csv --json
code 2
err_has '--json and --format csv exclude each other'
run --format=jsonl expire t
code 5
same "$(cat io/err)" '{"error": "unsupported", "message": "the command '"'expire'"' is not supported yet", "path": null}' 'standard error'
