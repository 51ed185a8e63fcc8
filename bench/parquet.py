#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet files and tables against other implementations: same files, same run, CPU time and peak memory of both sides.

    parquet.py ROWLINE --programs DIR --work DIR [--quick|--full] [--only PART,…] [--rounds N] [--wait SECONDS]
               [--spark] [--parquet-concat PROGRAM] [--write FILE]

ROWLINE is the program, --programs where the drivers bench_parquet_* lie. 10 million rows, with --quick 1 million, with
--full one comparison of 100 million too. --only: these parts (scan, column, write, …). --wait: at most so long before
each run until others leave the machine idle. --write puts the table between the marks in FILE, parts not measured in
this run with their last figures.

CPU time is user and system, of the whole work; start-up of a Python that hosts a peer is left out. Sides take turns;
each figure is the least of the rounds. Peak memory is the process's, with the interpreter of a peer that has one.
"""
import argparse
import datetime
import os
import platform
import subprocess
import sys
import time

from figures import keep, write_between_marks
from parquet_measure import Bench
from parquet_rows import PARTS as PARQUET_PARTS
from table_rows import TABLE_PARTS

PARTS = {**PARQUET_PARTS, **TABLE_PARTS}

BEGIN = "<!-- figures: bench/run --write -->"
SETS = ["zstd", "snappy", "columns", "small-pyarrow", "small-rowline", "sorted", "wide"]


def is_met(r):
    good = r["ratio"] >= r["reach"] if r["limit"] == "least" else r["ratio"] <= r["reach"]
    return good and "failed" not in r


def megabytes(figures):
    return "%d" % (figures["peak"] >> 20) if figures.get("peak") else ""


def cells(r):
    unit = r.get("unit", "s")
    show = (lambda f: "%d" % f["cpu"]) if unit == "pages" else (lambda f: "%.3f" % f["cpu"])
    if r["limit"] == "least":
        reach = "≥ %g" % r["reach"]
    else:
        reach = "≤ %g" % r["reach"]
    verdict = "yes" if is_met(r) else "no" + (": " + r["failed"] if "failed" in r else "")
    note = r["note"]
    return [r["work"], r["peer"].replace("_", "-"), show(r["ours"]), show(r["theirs"]), "%.2f" % r["ratio"], reach,
            verdict, megabytes(r["ours"]), megabytes(r["theirs"]), note]


HEAD = ["work", "against", "rowline", "peer", "ratio", "reach", "met", "MiB", "peer MiB", "remarks"]


def print_row(r):
    c = cells(r)
    print("%-64s %-15s %9s %9s %7s %7s  %-4s %5s %5s  %s" % tuple(c), flush=True)


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "?"


def machine(options, bench):
    """The description that stands above the table."""
    from importlib.metadata import PackageNotFoundError, version
    with open("/proc/cpuinfo") as f:
        model = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())
    with open("/proc/meminfo") as f:
        memory = int(f.readline().split()[1]) // 1024
    versions = []
    for package, name in (("pyarrow", "pyarrow"), ("duckdb", "DuckDB"), ("polars", "polars"), ("arro3-io", "arro3 (arrow-rs)")):
        try:
            versions.append("%s %s" % (name, version(package)))
        except PackageNotFoundError:
            versions.append(name + " absent")
    if options.parquet_concat:
        versions.append("parquet-concat of " + first_line([options.parquet_concat, "--version"]))
    return ("%s, %d cores, %d MiB of memory, Linux %s; %s; %s. %s rows, %s. Others kept %.1f cores busy meanwhile, on average." %
            (model, os.cpu_count(), memory, platform.release().split("-")[0], first_line([options.rowline, "--version"]),
             ", ".join(versions), format(options.rows, ","), datetime.date.today().isoformat(), bench.others()))


def as_markdown(options, bench, rows, left_out):
    lines = [machine(options, bench), "", "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    lines += ["| " + " | ".join(cells(r)) + " |" for r in rows]
    lines += [""] + ["Left out: " + line for line in left_out]
    return "\n".join(lines).rstrip() + "\n"


def make_data(options, data, left_out):
    os.makedirs(data, exist_ok=True)
    maker = [sys.executable, os.path.join(os.path.dirname(__file__), "parquet_data.py"), data, str(options.rows),
             options.programs]
    subprocess.run(maker + SETS, check=True)
    if os.path.exists(os.path.join(data, "small-spark", "complete")):
        return
    if not options.spark:
        left_out.append("small files by Spark (--spark makes them once, with pyspark and Java)")
    elif subprocess.run(maker + ["small-spark"], stdout=subprocess.DEVNULL).returncode != 0:
        left_out.append("small files by Spark: no session could be had")


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("rowline")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--wait", type=float, default=0)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--parquet-concat")
    parser.add_argument("--write")
    options = parser.parse_args()
    options.rowline, options.programs, options.work = map(os.path.abspath,
                                                          (options.rowline, options.programs, options.work))
    options.rows = 1_000_000 if options.quick else 10_000_000
    options.rounds = options.rounds or (1 if options.quick else 2)
    return options


def main():
    options, left_out, results = parse_arguments(), [], {}
    os.makedirs(options.work, exist_ok=True)
    data = os.path.join(options.work, "data-%d" % options.rows)
    make_data(options, data, left_out)
    if not options.parquet_concat:
        left_out.append("parquet-concat of arrow-rs (cargo install parquet --features cli builds it)")
    if not options.full:
        left_out.append("100 million rows (--full)")
    bench, start = Bench(options, data), time.monotonic()
    parts = options.only.split(",") if options.only else list(PARTS)
    print("%-64s %-15s %9s %9s %7s %7s  %-4s %5s %5s  %s" % tuple(HEAD))
    for name in parts:
        try:
            made = []
            for r in PARTS[name](bench):
                made.append(r)
                print_row(r)
            results[name] = made
        except RuntimeError as e:
            left_out.append("%s: %s" % (name, e))
            print("%s: %s" % (name, e), file=sys.stderr)
    for line in left_out:
        print("left out: " + line)
    rows = [r for part in results.values() for r in part]
    print("%d of %d reached, %d s; %s" % (sum(map(is_met, rows)), len(rows), time.monotonic() - start, machine(options, bench)))
    every = keep(os.path.join(options.work, "parquet-%d.json" % options.rows), PARTS, results)
    if options.write:
        write_between_marks(options.write, as_markdown(options, bench, every, left_out), BEGIN)
    return 0


if __name__ == "__main__":
    sys.exit(main())
