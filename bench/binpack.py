#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bin-pack of 10 million rows in 10 files, against DuckDB copying the same rows with both lineage columns.

    binpack.py ROWLINE --work DIR [--rows N] [--files N] [--repeat N] [--threads N] [--fresh]

The table (id int64, ts timestamp, v double, s string) is made once in DIR by `rowline append` from Parquet files that
DuckDB generates; each measured rewrite works on a copy. Measured is CPU time, user and system, of the whole process
for rowline (wait4) and of the COPY alone for DuckDB (getrusage before and after it); both write zstd and see warm files.
Each figure is the least of the repeats. No target: the ratio is what is looked at.
"""
import argparse
import glob
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

DUCKDB = r"""
import glob, importlib, json, os, resource, sys, time
import duckdb
con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": int(sys.argv[3])})
for name in ("avro", "iceberg"):
    package = importlib.import_module("duckdb_extension_" + name)
    con.execute("LOAD '%s'" % glob.glob(os.path.dirname(package.__file__) + "/**/" + name + ".duckdb_extension",
                                        recursive=True)[0])
con.execute("SET enable_progress_bar = false")
cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
start, wall = cpu(), time.monotonic()
con.execute("COPY (SELECT *, _row_id, _last_updated_sequence_number FROM iceberg_scan('%s')) TO '%s' "
            "(FORMAT parquet, COMPRESSION zstd)" % (sys.argv[1], sys.argv[2]))
print(json.dumps({"cpu": cpu() - start, "wall": time.monotonic() - wall,
                  "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))
"""


def generate(options, table):
    """The table as it is before a rewrite; kept for the next run."""
    import duckdb

    complete = table + ".complete"
    if os.path.exists(complete) and not options.fresh:
        return
    if os.path.exists(complete):
        os.unlink(complete)
    shutil.rmtree(table, ignore_errors=True)
    print("making %d rows in %d files" % (options.rows, options.files), flush=True)
    run([options.rowline, "create", table, "--schema", "id long, ts timestamp, v double, s string"])
    each = options.rows // options.files
    connection = duckdb.connect()
    for part in range(options.files):
        source = os.path.join(options.work, "source.parquet")
        connection.execute(
            f"COPY (SELECT i AS id, make_timestamp(1700000000000000 + i * 1000 + (hash(i) % 1000)::BIGINT) AS ts, "
            f"(hash(i) % 1000003) / 997.0 AS v, 'customer-' || (hash(i * 7) % 200000) || '/' || (i % 13) AS s "
            f"FROM range({part * each}, {(part + 1) * each}) r(i)) TO '{source}' (FORMAT parquet)")
        run([options.rowline, "append", table, source])
        os.unlink(source)
    open(complete, "w").close()


def run(command):
    """Runs a command to its end; returns stdout, CPU seconds, wall seconds and peak resident bytes."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("%s: exit %d" % (" ".join(command[:3]), child.returncode))
    return out, {"cpu": usage.ru_utime + usage.ru_stime, "wall": time.monotonic() - start,
                 "peak": usage.ru_maxrss * 1024}


def newest_metadata(table):
    found = glob.glob(os.path.join(table, "metadata", "v*.metadata.json"))
    return max(found, key=lambda f: int(re.search(r"v(\d+)\.", os.path.basename(f)).group(1)))


def measure_duckdb(options, table):
    target = os.path.join(options.work, "duckdb.parquet")
    out, _ = run([sys.executable, "-c", DUCKDB, newest_metadata(table), target, str(options.threads)])
    figures = json.loads(out)
    figures["bytes"] = os.path.getsize(target)
    os.unlink(target)
    return figures


def measure_rowline(options, table, verify):
    copy = os.path.join(options.work, "copy", os.path.basename(table))
    shutil.rmtree(os.path.dirname(copy), ignore_errors=True)
    shutil.copytree(table, copy)
    os.sync()  # the copy's own writing must not be charged to the rewrite
    out, figures = run([options.rowline, "rewrite", copy, "--map-path", "%s=%s" % (table, copy), "--rewrite-all",
                        "--verify", verify, "--threads", str(options.threads), "--json", "--quiet"])
    commit = json.loads(out)
    if commit["rows_out"] != options.rows or commit["digest_before"] != commit["digest_after"]:
        sys.exit("the rewrite is wrong: %s" % commit)
    figures["bytes"] = commit["output_bytes"]
    figures["files"] = commit["added_data_files"]
    shutil.rmtree(os.path.dirname(copy))
    return figures


def best(measure, repeat):
    return min((measure() for _ in range(repeat)), key=lambda f: f["cpu"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rowline")
    parser.add_argument("--work", required=True)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    try:
        duckdb = importlib.import_module("duckdb")
        importlib.import_module("duckdb_extension_iceberg")
    except ImportError as e:
        sys.exit("bench: no peer: %s" % e)
    options.rowline = os.path.abspath(options.rowline)
    options.work = os.path.abspath(options.work)
    options.rows -= options.rows % options.files
    os.makedirs(options.work, exist_ok=True)
    table = os.path.join(options.work, "binpack-%d-%d" % (options.rows, options.files))
    generate(options, table)
    results = [
        ("duckdb %s copy" % duckdb.__version__, best(lambda: measure_duckdb(options, table), options.repeat)),
        ("rowline --verify full", best(lambda: measure_rowline(options, table, "full"), options.repeat)),
        ("rowline --verify lineage", best(lambda: measure_rowline(options, table, "lineage"), options.repeat)),
    ]
    peer = results[0][1]["cpu"]
    print("bin-pack of %d rows in %d files, %d threads" % (options.rows, options.files, options.threads))
    print("%-26s %8s %8s %9s %9s %13s" % ("", "CPU s", "wall s", "peak MB", "out MB", "CPU / DuckDB"))
    for name, f in results:
        print("%-26s %8.2f %8.2f %9.0f %9.1f %13.2f"
              % (name, f["cpu"], f["wall"], f["peak"] / 2**20, f["bytes"] / 2**20, f["cpu"] / peer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
