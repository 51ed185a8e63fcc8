#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Planning a scan of a table of a million files, from its metadata alone.

    plan.py PROGRAM --work DIR [--repeat N] [--fresh]

PROGRAM is bench_plan. Two tables are made once in DIR: 100 manifests of 10,000 files, and 10,000 manifests of 100; nine
columns, all with counts and bounds. Printed are entries a second of CPU time (user and system, of planning alone, one
thread), the peak memory of the process, and the manifests opened: without a filter, so that no metrics are decoded; with a
filter on three columns that every file may match, so that their counts and bounds are; and with one that a single manifest
matches. "all metrics" decodes everything of every entry. PyIceberg plans a table of 20,000 files for comparison. Each
figure is the best of the repeats.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

TABLES = (("100 x 10,000", 100, 10000), ("10,000 x 100", 10000, 100))
SMALL = ("20 x 1,000", 20, 1000)
ROWS = (
    ("no filter", ["plan", "1"], 1e6),
    ("three columns' bounds", ["plan", "1", "id >= 0 and s >= 'a' and x > -1"], 5e5),
    ("all metrics", ["entries"], None),
    ("one day", ["plan", "1", "d = date '1970-02-10'"], None),
)
PEER = r"""
import json, resource, sys
from pyiceberg.table import StaticTable
table = StaticTable.from_metadata(sys.argv[1])
cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
start = cpu()
files = len(list(table.scan().plan_files()))
print(json.dumps({"files": files, "cpu": cpu() - start}))
"""


def make(options, name, manifests, files):
    table = os.path.join(options.work, "plan-%dx%d" % (manifests, files))
    complete = table + ".complete"
    if options.fresh or not os.path.exists(complete):
        shutil.rmtree(table, ignore_errors=True)
        print("making a table of %s" % name, flush=True)
        subprocess.run([options.program, "make", table, str(manifests), str(files)], check=True)
        open(complete, "w").close()
    return table


def best(options, command):
    results = [json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
               for _ in range(options.repeat)]
    return min(results, key=lambda r: r["cpu"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--work", required=True)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    missed = 0
    for name, manifests, files in TABLES:
        table = make(options, name, manifests, files)
        print("%s (manifests x files)" % name)
        for label, (mode, *rest), target in ROWS:
            r = best(options, [options.program, mode, table, *rest])
            rate = r["entries"] / r["cpu"]
            note = "" if target is None else "  target %.1f M%s" % (target / 1e6, "" if rate >= target else ": missed")
            missed += target is not None and rate < target
            print("  %-22s %9.2f M entries/s  %6.1f MiB  %6d manifests%s"
                  % (label, rate / 1e6, r["peak"] / 2**20, r["manifests"], note), flush=True)
    table = make(options, *SMALL)
    ours = best(options, [options.program, "plan", table, "1"])
    try:
        theirs = best(options, [sys.executable, "-c", PEER, os.path.join(table, "metadata/v1.metadata.json")])
    except (subprocess.CalledProcessError, ValueError):
        print("PyIceberg: not installed, or it can't plan the table")
    else:
        print("PyIceberg, %d files: %.2f s of CPU; here %.3f s: %.0f times"
              % (theirs["files"], theirs["cpu"], ours["cpu"], theirs["cpu"] / ours["cpu"]))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
