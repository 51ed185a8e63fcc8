#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sorting 10 million rows in 10 files within 512 MB, against polars' streaming engine sorting the same files.

    sort.py ROWLINE --work DIR [--rows N] [--files N] [--repeat N] [--threads N] [--memory SIZE] [--by COLUMN]... [--fresh]

The table is binpack.py's. `rewrite --sort` (with --verify full, which reads everything back, and lineage) stands against
scan_parquet(...).sort(...).sink_parquet, both zstd; the sorted rewrite is then scanned by ascending row id, against polars
sorting the same files by their stored id, and a scan in plan order; all print JSON lines. polars has no budget. Measured is the whole process (wait4): CPU, wall, peak
resident memory. Each figure is the least of the repeats. Temporary files go to $TMPDIR.
"""
import argparse
import glob
import importlib
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
import binpack

POLARS = r"""
import sys
import polars as pl
pl.scan_parquet(sys.argv[2].split(",")).sort(sys.argv[3], maintain_order=True).sink_parquet(sys.argv[1],
    compression="zstd", engine="streaming")
"""
POLARS_SCAN = r"""
import sys
import polars as pl
pl.scan_parquet(sys.argv[2].split(",")).sort(sys.argv[3]).sink_ndjson(sys.argv[1], engine="streaming")
"""


def polars_threads(options):
    os.environ["POLARS_MAX_THREADS"] = str(options.threads)


def measure_polars(options, script, files, column, target):
    polars_threads(options)
    _, figures = binpack.run([sys.executable, "-c", script, target, ",".join(files), column])
    if os.path.isfile(target):
        os.unlink(target)
    return figures


def data_files(table):
    return sorted(glob.glob(os.path.join(table, "data", "**", "*.parquet"), recursive=True))


def measure_rewrite(options, table, column, verify):
    copy = os.path.join(options.work, "copy", os.path.basename(table))
    shutil.rmtree(os.path.dirname(copy), ignore_errors=True)
    shutil.copytree(table, copy)
    os.sync()  # the copy's own writing must not be charged to the rewrite
    out, figures = binpack.run([options.rowline, "rewrite", copy, "--map-path", "%s=%s" % (table, copy), "--rewrite-all",
                                "--sort", column, "--verify", verify, "--threads", str(options.threads), "--memory",
                                options.memory, "--json", "--quiet"])
    commit = json.loads(out)
    if commit["rows_out"] != options.rows or commit["digest_before"] != commit["digest_after"]:
        sys.exit("the rewrite is wrong: %s" % commit)
    figures["copy"] = copy
    return figures


def measure_scan(options, table, copy, order):
    command = "exec '%s' scan '%s' --map-path '%s=%s' --lineage --threads %d --memory %s --json --quiet %s >/dev/null" % (
        options.rowline, copy, table, copy, options.threads, options.memory, order)
    return binpack.run(["sh", "-c", command])[1]


def report(title, results):
    peer = results[0][1]
    print(title)
    print("%-28s %8s %8s %9s %13s %13s" % ("", "CPU s", "wall s", "peak MB", "polars / CPU", "polars / peak"))
    for name, f in results:
        print("%-28s %8.2f %8.2f %9.0f %13.2f %13.2f"
              % (name, f["cpu"], f["wall"], f["peak"] / 2**20, peer["cpu"] / f["cpu"], peer["peak"] / f["peak"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rowline")
    parser.add_argument("--work", required=True)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--memory", default="512MB")
    parser.add_argument("--by", action="append")
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    try:
        polars = importlib.import_module("polars")
    except ImportError as e:
        sys.exit("bench: no peer: %s" % e)
    options.rowline = os.path.abspath(options.rowline)
    options.work = os.path.abspath(options.work)
    options.rows -= options.rows % options.files
    os.makedirs(options.work, exist_ok=True)
    table = os.path.join(options.work, "binpack-%d-%d" % (options.rows, options.files))
    binpack.generate(options, table)
    for column in options.by or ["v", "s"]:
        target = os.path.join(options.work, "polars.parquet")
        results = [
            ("polars %s" % polars.__version__,
             binpack.best(lambda: measure_polars(options, POLARS, data_files(table), column, target), options.repeat)),
            ("rowline --verify full",
             binpack.best(lambda: measure_rewrite(options, table, column, "full"), options.repeat)),
            ("rowline --verify lineage",
             binpack.best(lambda: measure_rewrite(options, table, column, "lineage"), options.repeat)),
        ]
        report("rewrite --sort %s of %d rows in %d files, %s, %d threads"
               % (column, options.rows, options.files, options.memory, options.threads), results)
    copy = results[-1][1]["copy"]
    before = {os.path.basename(f) for f in data_files(table)}
    written = [f for f in data_files(copy) if os.path.basename(f) not in before]
    report("scan --order-by-row-id of the same rows to JSON lines", [
        ("polars %s" % polars.__version__,
         binpack.best(lambda: measure_polars(options, POLARS_SCAN, written, "_row_id", "/dev/null"), options.repeat)),
        ("rowline scan --order-by-...", binpack.best(lambda: measure_scan(options, table, copy, "--order-by-row-id"), options.repeat)),
        ("rowline scan, plan order", binpack.best(lambda: measure_scan(options, table, copy, ""), options.repeat)),
    ])
    shutil.rmtree(os.path.dirname(copy))
    return 0


if __name__ == "__main__":
    sys.exit(main())
