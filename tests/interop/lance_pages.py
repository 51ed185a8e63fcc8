# SPDX-License-Identifier: Apache-2.0
"""Random tables that pylance writes once, in every encoding its hints can ask for; rowline reads them, whole and in slices, as pylance does.

A table has a few columns of random nested types with hints at every level, in file version 2.1 or 2.2, and rows in one of the shapes that make
a writer choose one encoding or another. What pylance does not write, or not read itself, is no case.
"""
import os
import random
import shutil

import pyarrow as pa

import lance_data

OPERATIONS = ["lance pages", "lance slices"]
SIZES = [1, 2, 7, 100, 1023, 1024, 1025, 3000, 3000, 20000, 70000]


class Pages:
    """A table and how it came to be."""

    def __init__(self, path, seed, lance):
        self.path, self.seed, self.lance = path, seed, lance
        self.rnd = rnd = random.Random(seed)
        self.version = rnd.choice(["2.1", "2.2", "2.2"])
        self.size = rnd.choice(SIZES)
        count = rnd.randint(1, 3) if self.size < 20000 else 1
        self.fields = [lance_data.random_field(rnd, "c%d" % i, self.version) for i in range(count)]
        self.shapes = [rnd.choice(lance_data.SHAPES) for _ in self.fields]
        self.written = None

    def what(self):
        return "seed %d, %s, %d rows, %s" % (self.seed, self.version, self.size, ", ".join(
            "%s %s" % (shape, lance_data.describe(f)) for f, shape in zip(self.fields, self.shapes)))

    def write(self):
        """False where pylance does not write such a table."""
        shutil.rmtree(self.path, ignore_errors=True)
        arrays = [lance_data.shaped(self.rnd, f, self.size, self.version, shape)
                  for f, shape in zip(self.fields, self.shapes)]
        self.written = pa.table(arrays, schema=pa.schema(self.fields))
        try:
            self.lance.write_dataset(self.written, self.path, data_storage_version=self.version)
        except BaseException as e:  # a panic is none of Exception
            if isinstance(e, (KeyboardInterrupt, SystemExit)):
                raise
            self.refusal = "write: " + " ".join(str(e).split())[:200]
            return False
        return True

    def read(self):
        """What pylance reads; None where it does not."""
        try:
            return self.lance.dataset(self.path).to_table()
        except BaseException as e:
            if isinstance(e, (KeyboardInterrupt, SystemExit)):
                raise
            self.refusal = "read: " + " ".join(str(e).split())[:200]
            return None

    def slices(self):
        """(condition, rows that it holds for)."""
        rnd, size = self.rnd, self.size
        low, high = sorted(rnd.randrange(size) for _ in "ab")
        some = sorted(rnd.sample(range(size), min(size, rnd.choice([1, 5, 40]))))
        first = rnd.randrange(size)
        return [("_pos between %d and %d" % (low, high), range(low, high + 1)),
                ("_rowid in (%s)" % ", ".join(map(str, some)), some),
                ("_pos = %d or _pos > %d" % (first, size - 3), sorted({first} | set(range(max(size - 2, 0), size))))]


def first_difference(got, want, names):
    """Columns as lists of plain cells."""
    for name in names:
        if len(got[name]) != len(want[name]):
            return "%d rows, pylance has %d" % (len(got[name]), len(want[name]))
        if got[name] != want[name]:
            at = next(i for i, (a, b) in enumerate(zip(got[name], want[name])) if a != b)
            return "%s, row %d is %.120r, pylance has %.120r" % (name, at, got[name][at], want[name][at])
    return None


def cells(table, names):
    return {name: lance_data.plain(table.column(name)) for name in names}


def check(judge, rowline, pages, name):
    """Judges a table; whether it was one that pylance writes and reads."""
    if not pages.write():
        return False
    theirs = pages.read()
    if theirs is None:
        return False
    names = theirs.column_names
    want = cells(theirs, names)

    def whole():
        return first_difference(cells(rowline.scan(pages.path), names), want, names)

    def slices():
        for condition, rows in pages.slices():
            mine = cells(rowline.scan(pages.path, "--where", condition), names)
            problem = first_difference(mine, {n: [want[n][i] for i in rows] for n in names}, names)
            if problem:
                return "%s: %s" % (condition, problem)
        return None

    for operation, function in (("lance pages", whole), ("lance slices", slices)):
        try:
            problem = function()
        except Exception as e:
            problem = "%s: %s" % (type(e).__name__, " ".join(str(e).split())[:400])
        judge("pylance", name, operation, problem and "%s (%s)" % (problem, pages.what()))
    return True


def run(judge, lance, rowline, work, seed, tables):
    for i in range(tables):
        path = os.path.join(work, "pages-%d" % i)
        check(judge, rowline, Pages(path, seed * 100000 + i, lance), "pages%d" % i)
        shutil.rmtree(path, ignore_errors=True)


def main():
    import argparse
    import sys

    import lance
    import lance_tables

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rowline")
    parser.add_argument("--work", default="build/interop/lance-pages")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--keep", action="store_true", help="leave what fails")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    rowline = lance_tables.Rowline(os.path.abspath(options.rowline))
    counts = {"ok": 0, "FAIL": 0, "none": 0}
    failed = []

    def judge(engine, table, operation, problem):
        counts["FAIL" if problem else "ok"] += 1
        if problem:
            failed.append(table)
            print("FAIL %s %s/%s: %s" % (engine, table, operation, problem), flush=True)

    print("seed %d" % options.seed, flush=True)
    for i in range(options.tables):
        path = os.path.join(options.work, "pages-%d" % i)
        pages = Pages(path, options.seed * 100000 + i, lance)
        if not check(judge, rowline, pages, "pages%d" % i):
            counts["none"] += 1
            print("none: %s (%s)" % (pages.refusal, pages.what()), flush=True)
        if not (options.keep and failed and failed[-1] == "pages%d" % i):
            shutil.rmtree(path, ignore_errors=True)
    print(counts)
    sys.exit(1 if counts["FAIL"] else 0)


if __name__ == "__main__":
    main()
