#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables that rowline and Spark write by turns, read by other engines after each step (stories.py, spark_tables.py);
random filters on them (filters.py); random histories of tables against a model in memory (histories.py); Parquet files between rowline and
others by the library that lies beside the program (files.py); Lance datasets with random histories written by pylance
(lance_tables.py).

    interop.py ROWLINE --jars DIR --work DIR [--go PROGRAM] [--only TABLE] [--without ENGINE]… [--seed N]

Prints two matrices, engine by operation, and one line a difference. Differences that known.tsv names (engine, case,
reason) do not fail the run; a line of known.tsv that never came true does. --only files leaves the tables out; --seed
is that of all that is random. Exit 1 on any failure.
"""
import argparse
import fnmatch
import os
import random
import shutil
import sys
import time
import traceback

import engines
import histories
import spark_tables
import stories
import values

OPERATIONS = ["create", "append", "delete", "upgrade", "rewrite", "rewrite again", "time travel", "digest",
              "spark append", "spark delete", "spark update", "spark merge", "spark evolve", "spark rewrite",
              "equality delete", "position delete", "filters"]


class Run:
    """What each engine said: cases by engine and operation, and the known differences."""

    def __init__(self, known_path):
        self.started, self.missing, self.results, self.failures = {}, [], {}, []
        self.known = []  # [engine, pattern, reason, times seen, times agreed]
        with open(known_path, encoding="utf-8") as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    self.known.append([*line.rstrip("\n").split("\t"), 0, 0])

    def judge(self, engine, table, operation, problem):
        """Records one case: problem is None where the engine agrees."""
        case = "%s/%s" % (table, operation)
        matching = [k for k in self.known if k[0] == engine and fnmatch.fnmatch(case, k[1])]
        named = operation in OPERATIONS  # else a longer name, which counts under the shorter
        column = operation if named else next((o for o in OPERATIONS if operation.startswith(o + " ")), operation)
        counts = self.results.setdefault((engine, column), {"ok": 0, "known": 0, "FAIL": 0})
        if problem is None:
            counts["ok"] += 1
            for k in matching:
                k[4] += 1
        elif matching:
            counts["known"] += 1
            for k in matching:
                k[3] += 1
        else:
            counts["FAIL"] += 1
            self.fail("%s %s: %s" % (engine, case, problem))

    def fail(self, line):
        self.failures.append(line)
        print("FAIL " + line, flush=True)

    def stale(self):
        """Known differences of engines that ran, of which a case agreed or none was met though its files were made."""
        for engine, pattern, reason, seen, agreed in self.known:
            unmade = any(m in pattern for m in self.missing) or (
                "spark" in self.missing and any(fnmatch.fnmatch(t.__name__, pattern.split("/")[0])
                                                for t, _ in spark_tables.ALL))
            if engine in self.started and (agreed or not (seen or unmade)):
                self.fail("known.tsv: %s %s no longer occurs (%d agree, %d differ): %s"
                          % (engine, pattern, agreed, seen, reason))

    def matrix(self, names, operations, most=9):
        """Prints it, `most` columns in a row of lines."""
        for first in range(0, len(operations), most):
            self.rows(names, operations[first:first + most])

    def rows(self, names, operations):
        operations = [o for o in operations if any((e, o) in self.results for e in names)]
        names = [n for n in names if any((n, o) in self.results for o in operations)]
        if not names:
            return
        width = max(len(n) for n in names)
        print(" " * width + "".join("  %14s" % o for o in operations))
        for engine in names:
            cells = []
            for operation in operations:
                counts = self.results.get((engine, operation))
                said = ["%s %d" % (what, n) for what, n in (counts or {}).items() if n]
                cells.append("  %14s" % (", ".join(said) or "-"))
            print(engine.ljust(width) + "".join(cells))
        print()


class Court:
    """Asks every engine about a table and holds the answers against rowline's own."""

    def __init__(self, run, judges, seed):
        self.run, self.judges, self.seed = run, judges, seed

    def check(self, table, operation, expected=None, snapshot=None, lineage=None):
        """`expected`: value rows known without rowline; returns rowline's rows with lineage."""
        mine = table.scan(snapshot)
        if expected is not None:
            self.run.judge("rowline", table.name, operation, values.difference([r[:-2] for r in mine], expected))
        if lineage is None:
            lineage = table.version() >= 3
        for judge in self.judges:
            if judge.name not in table.engines:
                continue
            with_lineage = lineage and judge.lineage
            try:
                theirs = judge.read(table, snapshot, with_lineage)
                if theirs is None:
                    continue
                problem = values.difference(theirs, mine if with_lineage else [r[:-2] for r in mine])
            except Exception as e:  # whatever an engine throws is its answer
                problem = "%s: %s" % (type(e).__name__, " ".join(str(e).split())[:300])
            self.run.judge(judge.name, table.name, operation, problem)
        if lineage and snapshot is None and (expected is not None or "rewrite" in operation):
            self.digest(table, operation)
        return mine

    def digest(self, table, operation):
        """Spark's SQL must give the digest that rowline gives."""
        spark = next((j for j in self.judges if j.name == "spark"), None)
        if spark is None or "spark" not in table.engines:
            return
        try:
            want = spark.digest(table)
            got = table.one("digest")
            got = {k: got.get(k) for k in want}
            problem = None if got == want else "rowline %s, spark %s" % (got, want)
        except Exception as e:
            problem = "%s: %s" % (type(e).__name__, " ".join(str(e).split())[:300])
        self.run.judge("spark", "%s/%s" % (table.name, operation), "digest", problem)


def start_engines(run, options):
    judges = []
    for engine in engines.all_engines():
        if engine.name in options.without:
            continue
        try:
            what = engine.start(options)
        except engines.Unavailable as e:
            print("%s: not here, left out: %s" % (engine.name, e))
            run.missing.append(engine.name)
            continue
        run.started[engine.name] = what
        judges.append(engine)
        print("%s: %s" % (engine.name, what), flush=True)
    return judges


def check_files(run, judges, library, options):
    """What files.py says, with Spark where it runs; returns the names of the engines and of what they did."""
    try:
        import capi
        import file_engines
        import files
    except ImportError as e:
        print("files: left out: %s" % e)
        run.missing.append(":")  # of each case of files
        return [], []
    spark = next((j for j in judges if j.name == "spark"), None)
    found, missing = file_engines.all_engines(spark and spark.session)
    for line in missing:
        print(line)
        run.missing.append(line.split(":")[0])
    found = [e for e in found if e.name not in options.without]
    for engine in found:
        run.started.setdefault(engine.name, "files")
    print("files: seed %d" % options.seed, flush=True)
    work = os.path.join(os.path.abspath(options.work), "files")
    files.Files(capi.Library(library), found, work, run.judge).run(options.seed, options.tables)
    return [e.name for e in found], files.OPERATIONS


def check_lance(run, program, options):
    """What lance_tables.py says; returns the names of what was compared."""
    try:
        import lance
        import lance_tables
    except ImportError as e:
        print("lance: left out: %s" % e)
        return []
    run.started["pylance"] = "pylance " + lance.__version__
    work = os.path.join(os.path.abspath(options.work), "lance")
    os.makedirs(work, exist_ok=True)
    lance_tables.run(run.judge, program, work, options.seed, options.datasets, 12)
    return lance_tables.OPERATIONS


def timed(run, name, work):
    """Runs one part of the whole; what stops it is a failure."""
    start, result = time.monotonic(), None
    try:
        result = work()
    except Exception as e:
        run.fail("%s: stopped: %s" % (name, " ".join(str(e).split())[:600]))
        if not isinstance(e, stories.RowlineError):
            traceback.print_exc(limit=-2, chain=False)
    print("%-22s %5.1f s" % (name, time.monotonic() - start), flush=True)
    return result


def picked(only, name):
    """Whether --only, parts of names with commas between them, takes this one."""
    return any(part in name for part in only.split(","))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rowline")
    parser.add_argument("--jars", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--go", default="", help="the program that reads by iceberg-go")
    parser.add_argument("--only", default="")
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--tables", type=int, default=15, help="how many random ones")
    parser.add_argument("--datasets", type=int, default=30, help="how many random histories of Lance datasets")
    parser.add_argument("--histories", type=int, default=5, help="how many random histories of Iceberg tables")
    options = parser.parse_args()
    options.warehouse = os.path.join(os.path.abspath(options.work), "warehouse")
    shutil.rmtree(options.warehouse, ignore_errors=True)
    os.makedirs(os.path.join(options.warehouse, "db"))
    begin = time.monotonic()
    rowline = shutil.copy2(options.rowline, os.path.join(options.work, "rowline"))  # a build meanwhile changes nothing
    beside = os.path.join(os.path.dirname(os.path.abspath(options.rowline)), "librowline.so")
    library = shutil.copy2(beside, options.work)
    run = Run(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.tsv"))
    judges = start_engines(run, options)
    court = Court(run, judges, options.seed)
    for story in stories.ALL:
        name = story.__name__
        if picked(options.only, name):
            timed(run, name, lambda: story(court, os.path.abspath(rowline), options.warehouse))
    for story, judges_of in spark_tables.ALL:
        name = story.__name__
        if picked(options.only, name):
            timed(run, name, lambda: spark_tables.run(story, judges_of, court, os.path.abspath(rowline),
                                                      options.warehouse))
    if picked(options.only, "histories"):
        timed(run, "histories", lambda: histories.run(court, os.path.abspath(rowline), options.warehouse, options.seed,
                                                      options.histories))
    readers, done = [], []
    if picked(options.only, "files"):
        readers, done = timed(run, "files", lambda: check_files(run, judges, library, options)) or ([], [])
    datasets = []
    if picked(options.only, "lance") and "pylance" not in options.without:
        datasets = timed(run, "lance", lambda: check_lance(run, os.path.abspath(rowline), options)) or []
    if not options.only and not options.without:
        run.stale()
    print()
    run.matrix(["rowline"] + [j.name for j in judges], OPERATIONS)
    run.matrix(["rowline"] + [j.name for j in judges], histories.OPERATIONS)
    run.matrix(["rowline"] + readers, done)
    run.matrix(["pylance"], datasets)
    for engine, pattern, reason, seen, _ in run.known:
        if seen:
            print("known: %s %s (%d): %s" % (engine, pattern, seen, reason))
    print("%d failures, %.0f s" % (len(run.failures), time.monotonic() - begin))
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
