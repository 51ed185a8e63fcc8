# SPDX-License-Identifier: Apache-2.0
# Help on every command, with examples; the version with formats and codecs.
for command in create append scan count digest delete rewrite upgrade show log status files entries manifests partitions refs inspect; do
    run "$command" --help
    code 0
    no_err
    case $command in inspect) argument=FILE ;; *) argument=TABLE ;; esac
    out_has "usage: rowline $command $argument"
    out_has 'examples:'
    out_has "  rowline $command "
    cp io/out io/help
    run help "$command"
    cmp -s io/out io/help || fail 'differs from --help'
done
run --help
code 0
out_has 'usage: rowline COMMAND TABLE'
for command in create append scan count digest delete rewrite upgrade show log status files entries manifests partitions refs inspect; do
    out_has "  $command "
done
run --version
out_has 'lance 2.0 2.1 2.2'
code 0
same "$(head -1 io/out)" "rowline $(head -1 io/out | sed 's/^rowline //')" version
out_has iceberg
for codec in snappy gzip zstd lz4_raw brotli; do out_has "$codec"; done
# The manual page of a command names the options that its help names.
pages=$(dirname "$case_file")/../../docs/man
for command in create append scan count digest delete rewrite upgrade show log status files entries manifests partitions refs inspect; do
    rowline "$command" --help | sed -n '/^options:/,/^options of/s/^  --\([a-z-]*\).*/\1/p' >io/options
    while read -r option; do
        grep -q "Fl Fl $option" "$pages/rowline-$command.1" || fail "rowline-$command.1 lacks --$option"
    done <io/options
done
rowline --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' | while read -r option; do
    grep -q "Fl Fl $option" "$pages/rowline.1" || echo "$option"
done >io/missing
[ ! -s io/missing ] || fail "rowline.1 lacks: $(cat io/missing)"
if command -v mandoc >/dev/null; then
    mandoc -Tlint -W warning "$pages"/*.1 >io/lint || fail "$(cat io/lint)"
fi
