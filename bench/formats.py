# SPDX-License-Identifier: Apache-2.0
"""Rows out as CSV and JSON lines and in again, against DuckDB, one thread each.

    bench/formats.py ROWLINE [ROWS]      4 columns (long, string, double, timestamp); 5 million rows

Out: a Parquet file to text. In: text to a Parquet file (rowline: a table of one). CPU seconds of the process, user and system, the least of
three runs: on a machine with neighbours wall time says little. Needs the package duckdb.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

RUNS = 3
SCHEMA = "id long, name string, price double, ts timestamp"


def duckdb(sql):
    code = f"import duckdb; c = duckdb.connect(); c.execute('set threads = 1'); c.execute({sql!r})"
    return [sys.executable, "-c", code]


def measure(command, prepare=lambda: None):
    best = None
    for _ in range(RUNS):
        prepare()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        best = used if best is None else min(best, used)
    return best


def report(what, ours, theirs):
    print(f"{what:12} rowline {ours:6.2f} s   duckdb {theirs:6.2f} s   {theirs / ours:5.2f} times its speed", flush=True)


def main():
    rowline = os.path.abspath(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000_000
    directory = tempfile.mkdtemp(prefix="rowline-formats-")
    os.chdir(directory)

    def new_table():
        shutil.rmtree("t", ignore_errors=True)
        subprocess.run([rowline, "create", "t", "--schema", SCHEMA, "--quiet"], check=True, stdout=subprocess.DEVNULL)

    try:
        subprocess.run(
            duckdb(
                "copy (select i::bigint as id, 'name ' || (i * 7919 % 1000003) as name, random() * 1000 as price, "
                f"timestamp '2026-01-01' + interval (i) second as ts from range({rows}) t(i)) to 'in.parquet'"
            ),
            check=True,
        )
        for extension, options in (("csv", "format csv, header"), ("jsonl", "format json")):
            ours = measure([rowline, "scan", "in.parquet", "--threads", "1", "-o", f"ours.{extension}"])
            theirs = measure(duckdb(f"copy (from 'in.parquet') to 'theirs.{extension}' ({options})"))
            report(f"{extension} out", ours, theirs)
        for extension, reader in (
            ("csv", "read_csv('ours.csv')"),
            ("jsonl", "read_json('ours.jsonl', format = 'newline_delimited')"),
        ):
            ours = measure([rowline, "append", "t", f"ours.{extension}", "--threads", "1", "--quiet"], new_table)
            theirs = measure(duckdb(f"copy (from {reader}) to 'out.parquet' (compression zstd)"))
            report(f"{extension} in", ours, theirs)
    finally:
        os.chdir("/")
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
