#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet files between rowline and others: what rowline writes and stitches they read, what they write rowline reads.

    files.py LIBRARY --work DIR [--seed N] [--tables N]

Used by interop.py, which brings the Spark session; run by itself it does without Spark, and shows known differences
(known.tsv) as failures. Cases are "common:zstd small pages/read ours": table, way of writing, what was done.
"""
import argparse
import os
import random
import shutil
import sys

import capi
import file_engines
import file_filters
import file_tables
import file_values

OPERATIONS = ["write", "read ours", "we read", "read theirs", "read stitched", "filter", "random"]

WRITES = {
    "default": {},
    "snappy small pages": {"write.parquet.compression-codec": "snappy", "write.parquet.page-row-limit": 100},
    "gzip plain": {"write.parquet.compression-codec": "gzip", "write.parquet.dict-size-bytes": 1},
    "delta without floats": {"rowline.parquet.encoding": "delta", "write.parquet.dict-size-bytes": 1},
    "lz4": {"write.parquet.compression-codec": "lz4", "write.parquet.row-group-size-bytes": 40000},
    "bloom": {"write.parquet.bloom-filter-enabled.column.s": "true",
              "write.parquet.bloom-filter-enabled.column.l": "true"},
    # some engines refuse these: together, so that Spark finds out with few jobs
    "delta v2": {"rowline.parquet.encoding": "delta", "write.parquet.page-version": "v2",
                 "write.parquet.dict-size-bytes": 1, "write.parquet.compression-codec": "uncompressed"},
    "split": {"rowline.parquet.encoding": "split", "write.parquet.dict-size-bytes": 1},
    "brotli": {"write.parquet.compression-codec": "brotli", "write.parquet.page-version": "v2"},
}


def attempt(check):
    """What is wrong: the text that `check` returns or what it throws."""
    try:
        return check()
    except Exception as e:  # whatever is thrown is the answer
        return file_engines.said(e)


class File:
    """A Parquet file, who wrote it, and the rows that it must have."""

    def __init__(self, path, label, writer, rows):
        self.path, self.label, self.writer, self.rows = path, label, writer, rows


class Files:
    """The checks; judge(engine, table, operation, problem or None) hears about each case."""

    def __init__(self, library, judges, work, judge):
        self.library, self.judges, self.work, self.judge = library, judges, work, judge
        self.refused = {}  # paths of files that an engine does not read, by its name
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)

    def path(self, *words):
        return os.path.join(self.work, "-".join(w.replace(" ", "-").replace(":", "-") for w in words) + ".parquet")

    def read(self, path):
        return file_values.columns(self.library.read(path))

    def ask(self, engine, files, operation, operation_of_own=None):
        """Lets an engine read all files."""
        found = engine.columns([f.path for f in files])
        for f in files:
            got = found[f.path]
            if isinstance(got, Exception):
                problem = file_engines.said(got)
                self.refused.setdefault(engine.name, set()).add(f.path)
            else:
                picked = [n for n in got if n not in engine.without]
                problem = file_values.difference({n: got[n] for n in picked},
                                                 {n: a for n, a in f.rows.items() if n not in engine.without})
            own = f.writer == engine.name and operation_of_own
            self.judge(engine.name, f.label, own or operation, problem)

    def ask_alike(self, kind, files, operation, operation_of_own=None):
        """Lets all engines read all files, together those of the same columns."""
        for columns in dict.fromkeys(tuple(f.rows) for f in files):
            for engine in self.judges:
                if kind in engine.kinds and operation in engine.operations:
                    self.ask(engine, [f for f in files if tuple(f.rows) == columns], operation, operation_of_own)

    def ours(self, kind, table):
        """Files that rowline writes."""
        files = []
        for label, options in WRITES.items():
            some = without_floats(table) if "without floats" in label else table
            label = "%s:%s" % (kind, label)
            f = File(self.path("rowline", label), label, "rowline", file_values.columns(some))
            problem = attempt(lambda: self.library.write(some, f.path, options) and None)
            self.judge("rowline", label, "write",
                       problem or attempt(lambda: file_values.difference(self.read(f.path), f.rows)))
            if problem is None:
                files.append(f)
        self.ask_alike(kind, files, "read ours")
        return files

    def theirs(self, kind, table):
        """Files that the engines write, each also read by the others: who is alone is wrong."""
        files = []
        for engine in self.judges:
            for label, write in engine.writes(table) if kind in engine.kinds else ():
                label = "%s:%s %s" % (kind, engine.name, label)
                f = File(self.path(label), label, engine.name, None)
                try:
                    write(f.path)
                    f.rows = self.read(f.path)
                except capi.RowlineError as e:
                    self.judge(engine.name, label, "we read", str(e))
                    continue
                except Exception as e:
                    self.judge(engine.name, label, "we read", "it cannot write: " + file_engines.said(e))
                    continue
                files.append(f)
        self.ask_alike(kind, files, "read theirs", "we read")
        return files

    def stitched(self, kind, files):
        """Each file by itself, and some of the same columns together, ranges of rows or all."""
        rng, jobs = random.Random(3), [(f.label, [f]) for f in files]
        for number, columns in enumerate(dict.fromkeys(tuple(f.rows) for f in files)):
            same = [f for f in files if tuple(f.rows) == columns]
            plain = [f for f in same if not any(f.path in r for r in self.refused.values())]
            for what, some in (("all", same), ("readable", plain)):
                if len(some) > 1:
                    jobs.append(("%s:%s %d" % (kind, what, number), rng.sample(some, len(some))))
        outputs = []
        for label, chosen in jobs:
            parts, wanted = [], []
            for f in chosen:
                count = len(f.rows["id"])
                ranges = ranges_of(rng, count) if rng.random() < 0.7 else None
                parts.append((f.path, ranges))
                wanted.append(file_values.rows(f.rows, ranges))
            out = File(self.path("stitched", label), label, "rowline", file_values.together(wanted))
            out.parts = [f.path for f in chosen]
            problem = attempt(lambda: self.library.stitch(parts, out.path) and None)
            self.judge("rowline", label, "read stitched",
                       problem or attempt(lambda: file_values.difference(self.read(out.path), out.rows)))
            if problem is None:
                outputs.append(out)
        for engine in self.judges:
            if kind in engine.kinds:
                # a page that it does not read in the file it comes from is no better when copied
                refused = self.refused.get(engine.name, set())
                asked = [f for f in outputs if refused.isdisjoint(f.parts)]
                for columns in dict.fromkeys(tuple(f.rows) for f in asked):
                    self.ask(engine, [f for f in asked if tuple(f.rows) == columns], "read stitched")

    def random_tables(self, seed, count):
        """Random tables by random options, each way between rowline and pyarrow, then both files stitched."""
        asked = [e for e in self.judges if e.name in ("pyarrow", "arro3")]
        for number in range(count):
            rng = random.Random("%d %d" % (seed, number))
            table, label = file_tables.random_table(rng), "random:%d of seed %d" % (number, seed)
            rows = file_values.columns(table)
            ours, theirs, both = (File(self.path(w, label), label + ", " + w, w, rows)
                                  for w in ("rowline", "pyarrow", "stitched"))
            properties, arguments = file_tables.random_properties(rng), file_tables.random_arguments(rng)
            files = []
            for f, write in ((ours, lambda: self.library.write(table, ours.path, properties)),
                             (theirs, lambda: file_engines.pq.write_table(table, theirs.path, **arguments))):
                problem = attempt(lambda: write() and None)
                self.judge("rowline", label, "random", problem or attempt(
                    lambda: file_values.difference(self.read(f.path), rows)))
                files += [f] if problem is None else []
            if len(files) == 2:
                rng.shuffle(files)
                picked = [ranges_of(rng, table.num_rows) if rng.random() < 0.7 else None for _ in files]
                picked = [None if r == [] else r for r in picked]
                both.rows = file_values.together([file_values.rows(rows, r) for r in picked])
                problem = attempt(lambda: self.library.stitch(
                    [(f.path, r) for f, r in zip(files, picked)], both.path, properties) and None)
                self.judge("rowline", label, "random", problem or attempt(
                    lambda: file_values.difference(self.read(both.path), both.rows)))
                files += [both] if problem is None else []
            for engine in asked:  # pyarrow loses rows of its own files: those behind an empty page of a list
                self.ask(engine, [f for f in files if engine.name != f.writer], "random")

    def run(self, seed, tables):
        for kind, table in (("common", file_tables.common(1)), ("wide", file_tables.wide(2))):
            self.stitched(kind, self.ours(kind, table) + self.theirs(kind, table))
        file_filters.check(self.library, self.judges, self.path, self.judge)
        self.random_tables(seed, tables)


def without_floats(table):
    return table.select([f.name for f in table.schema if not any(w in str(f.type) for w in ("float", "double"))])


def ranges_of(rng, rows):
    """Ascending, disjoint ranges of about half the rows, some of them single."""
    out, at = [], rng.randrange(40)
    while at < rows:
        count = min(rng.choice([1, 1, 7, 130, 900]), rows - at)
        out.append((at, count))
        at += count + rng.choice([1, 3, 60, 400])
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--work", required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--tables", type=int, default=20)
    options = parser.parse_args()
    judges, missing = file_engines.all_engines()
    print("\n".join([*missing, "seed %d" % options.seed]), flush=True)
    counts = {}

    def judge(engine, table, operation, problem):
        key = (engine, operation, "ok" if problem is None else "FAIL")
        counts[key] = counts.get(key, 0) + 1
        if problem is not None:
            print("FAIL %s %s/%s: %s" % (engine, table, operation, problem), flush=True)

    Files(capi.Library(options.library), judges, options.work, judge).run(options.seed, options.tables)
    for (engine, operation, good), n in sorted(counts.items()):
        print("%-10s %-14s %-4s %d" % (engine, operation, good, n))
    return 1 if any(k[2] == "FAIL" for k in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
