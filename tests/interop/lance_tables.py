# SPDX-License-Identifier: Apache-2.0
"""Random histories of Lance datasets written by pylance; rowline reads every version as pylance does.

A history is a dataset of random columns (file version 2.0, 2.1 or 2.2, with or without stable row ids, spilled lineage on or off) that
lives through appends, updates, deletes, merge inserts, column rewrites, compactions (by binary copy too), schema changes, restores, overwrites,
shallow clones and branches. Then each version is read by both: rows, ids, addresses, versions of creation and last change; counts,
filters on lineage, single rows by id.
"""
import io
import os
import random
import shutil
import subprocess

import pyarrow as pa

import lance_cases
import lance_data
import lance_logical
import lance_pages

LINEAGE = ["_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"]
OPERATIONS = ["lance cases", "lance rows", "lance filters", "lance by id"] + lance_pages.OPERATIONS
PAGES = 4  # random tables of lance_pages.py for a history
OPERATIONS += lance_logical.OPERATIONS
VERSIONS = ["2.0", "2.1", "2.2"]

class History:
    def __init__(self, path, seed):
        import lance

        self.lance, self.path = lance, path
        self.rnd = random.Random(seed)
        self.version = self.rnd.choice(VERSIONS)
        self.stable = self.rnd.random() < 0.85
        self.added = 0
        self.said = []
        self.paths = [path]  # and of its clones
        self.branches = []   # (path, name)
        self.draw_columns()

    def draw_columns(self):
        self.keys = 0
        kinds = [lance_data.random_type(self.rnd, self.version) for _ in range(self.rnd.randint(1, 5))]
        self.fields = [("c%d" % i, t) for i, t in enumerate(kinds)]
        self.hints = {name: lance_data.hints(self.rnd, t, self.version) for name, t in self.fields}

    def versions(self):
        """(path, branch or None, number) of all there are."""
        for path in self.paths:
            for v in self.lance.dataset(path).versions():
                yield path, None, v["version"]
        for path, name in self.branches:
            for v in self.lance.dataset(path).checkout_version((name, None)).versions():
                yield path, name, v["version"]

    def what(self):
        return "%s %s%s" % (self.version, "stable" if self.stable else "addresses",
                            "" if not self.said else ", " + " ".join(self.said))

    def dataset(self):
        return self.lance.dataset(self.path)

    def rows(self, count, keys=None):
        """A table of random rows under the dataset's schema: key, number, then the random columns."""
        if keys is None:
            keys = list(range(self.keys, self.keys + count))
            self.keys += count
        columns = {"k": pa.array(keys, pa.int64()), "n": pa.array([self.rnd.randrange(50) for _ in keys], pa.int32())}
        for name, t in self.fields:
            columns[name] = lance_data.column(self.rnd, t, count, self.version)
        return pa.table(columns)

    def under(self, table):
        """The table in the columns that the dataset has by now."""
        schema = self.dataset().schema
        arrays = []
        for f in schema:
            arrays.append(table.column(f.name).cast(f.type) if f.name in table.column_names
                          else pa.nulls(table.num_rows, f.type))
        return pa.table(arrays, schema=schema)

    # --- operations ---

    def create(self):
        table = self.rows(self.rnd.choice([1, 5, 40, 700, 5000]))
        table = table.cast(pa.schema([f.with_metadata(self.hints.get(f.name) or None) for f in table.schema]))
        self.lance.write_dataset(table, self.path, enable_stable_row_ids=self.stable, data_storage_version=self.version,
                                 max_rows_per_file=self.rnd.choice([1 << 20, 300]))
        if self.stable and self.rnd.random() < 0.6:
            budget = self.rnd.choice(["0", "0", "60", "204800"])
            self.dataset().update_config({"lance.row_lineage.spill": "true",
                                          "lance.row_lineage.inline_max_bytes": budget})

    def append(self):
        self.lance.write_dataset(self.under(self.rows(self.rnd.choice([1, 20, 300]))), self.path, mode="append")

    def some(self):
        """A condition that holds for some rows."""
        return self.rnd.choice(["n < %d" % self.rnd.randrange(30), "k %% %d = 1" % self.rnd.randint(2, 9),
                                "k BETWEEN %d AND %d" % tuple(sorted(self.rnd.randrange(self.keys + 5) for _ in "ab"))])

    def delete(self):
        self.dataset().delete(self.some())

    def update(self):
        self.dataset().update({"n": "n + 100"}, where=self.some())

    def merge(self):
        here = self.dataset().to_table(columns=["k"]).column("k").to_pylist()
        keys = self.rnd.sample(here, min(len(here), self.rnd.choice([1, 30])))
        keys = list(dict.fromkeys(keys)) + list(range(self.keys, self.keys + self.rnd.randrange(20)))
        if not keys:
            return
        self.keys = max(self.keys, keys[-1] + 1)
        self.rnd.shuffle(keys)
        builder = self.dataset().merge_insert("k").when_matched_update_all()
        if self.rnd.random() < 0.8:
            builder = builder.when_not_matched_insert_all()
        builder.execute(self.under(self.rows(len(keys), keys)))

    def compact(self):
        self.dataset().optimize.compact_files(target_rows_per_fragment=self.rnd.choice([100, 1000, 1 << 20]),
                                              materialize_deletions_threshold=self.rnd.choice([0.0, 0.1]))

    def binary(self):
        """Pages copied as they are: lineage that spills goes to a file of its own."""
        self.dataset().optimize.compact_files(target_rows_per_fragment=self.rnd.choice([100, 1 << 20]),
                                              compaction_mode=self.rnd.choice(["force_binary_copy", "try_binary_copy"]))

    def numbers(self, keys):
        return pa.table({"k": pa.array(keys, pa.int64()),
                         "n": pa.array([7000 + self.rnd.randrange(9) for _ in keys], self.dataset().schema.field("n").type)})

    def merge_part(self):
        """A merge insert of one column."""
        here = self.dataset().to_table(columns=["k"]).column("k").to_pylist()
        if here:
            keys = self.rnd.sample(here, self.rnd.choice([1, len(here)]))
            self.dataset().merge_insert("k").when_matched_update_all().execute(self.numbers(keys))

    def rewrite(self):
        """A column of some rows of some fragments, written anew beside the others."""
        dataset = self.dataset()
        updated, offsets, modified = [], {}, []
        fragments = dataset.get_fragments()
        for f in self.rnd.sample(fragments, min(len(fragments), 2)):
            keys = f.to_table(columns=["k"]).column("k").to_pylist()
            if keys:
                rows = self.numbers(self.rnd.sample(keys, self.rnd.randint(1, len(keys))))
                new, modified, offsets[f.fragment_id] = f.update_columns(rows, left_on="k", right_on="k", with_offsets=True)
                updated.append(new)
        if updated:
            self.lance.LanceDataset.commit(dataset, self.lance.LanceOperation.Update(
                updated_fragments=updated, fields_modified=modified, update_mode="rewrite_columns",
                updated_fragment_offsets=offsets), read_version=dataset.version)

    def clone(self):
        """Lives on as a shallow clone: files under a base path."""
        if len(self.paths) < 3:
            path = "%s-%d" % (self.paths[0], len(self.paths))
            shutil.rmtree(path, ignore_errors=True)
            self.dataset().shallow_clone(path, self.dataset().version)
            self.paths.append(path)
            self.path = path

    def branch(self):
        """A branch that is changed twice; main goes on as it was."""
        name = "dev/%d" % len(self.branches)
        self.dataset().create_branch(name, self.dataset().version)
        self.branches.append((self.path, name))
        self.lance.dataset(self.path).checkout_version((name, None)).update({"n": "n + 1"}, where=self.some())
        self.lance.dataset(self.path).checkout_version((name, None)).optimize.compact_files()

    def add_column(self):
        self.added += 1
        self.dataset().add_columns({"a%d" % self.added: self.rnd.choice(["n * 2", "cast(k as string)", "k > 3"])})

    def drop_column(self):
        names = [n for n in self.dataset().schema.names if n not in ("k", "n")]
        if names:
            self.dataset().drop_columns([self.rnd.choice(names)])

    def rename(self):
        names = [n for n in self.dataset().schema.names if n.startswith("a")]
        if names:
            self.added += 1
            self.dataset().alter_columns({"path": self.rnd.choice(names), "name": "a%d" % self.added})

    def cast(self):
        if self.dataset().schema.field("n").type == pa.int32():
            self.dataset().alter_columns({"path": "n", "data_type": pa.int64()})

    def restore(self):
        versions = [v["version"] for v in self.dataset().versions()]
        self.lance.dataset(self.path, version=self.rnd.choice(versions)).restore()

    def overwrite(self):
        self.lance.write_dataset(self.rows(self.rnd.choice([3, 60])), self.path, mode="overwrite")

    def spill(self):
        if self.stable:
            self.dataset().update_config({"lance.row_lineage.spill": self.rnd.choice(["true", "false"])})

    def live(self, steps):
        for left in reversed(range(20)):
            try:
                self.create()
                break
            except OSError:  # Lance does not write all types with all hints
                if left == 0:
                    raise
                self.draw_columns()
        acts = [self.append] * 3 + [self.delete] * 2 + [self.update] * 3 + [self.merge] * 3 + [self.compact] * 3 + \
            [self.add_column, self.drop_column, self.rename, self.cast, self.restore, self.overwrite, self.spill] + \
            [self.binary, self.merge_part, self.rewrite, self.clone, self.branch]
        for _ in range(steps):
            act = self.rnd.choice(acts)
            self.said.append(act.__name__)
            try:
                act()
            except (OSError, RuntimeError, ValueError, pa.ArrowException, NotImplementedError) as e:
                self.said[-1] += "(refused)"  # a version that Lance did not commit is none
                if os.environ.get("LANCE_TRACE"):
                    print(self.said[-1], " ".join(str(e).split())[:200])


class Rowline:
    def __init__(self, program):
        self.program = program

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise AssertionError("%s: exit %d: %s" % (arguments[0], done.returncode, done.stderr.decode().strip()[-400:]))
        return done.stdout

    def scan(self, target, *options):
        with pa.ipc.open_stream(io.BytesIO(self.run("scan", target, "--format", "arrow", *options))) as stream:
            return stream.read_all()


def quoted(name):
    return '"%s"' % name.replace('"', '""')


def rows_of(table, columns):
    """Rows by row id, of columns in this order."""
    cells = [lance_data.plain(table.column(c)) for c in columns]
    return sorted(zip(*cells), key=lambda row: row[-4:-2])


def difference(got, want):
    if got == want:
        return None
    if len(got) != len(want):
        return "%d rows, pylance has %d" % (len(got), len(want))
    for have, other in zip(got, want):
        if have != other:
            at = next(i for i, (a, b) in enumerate(zip(have, other)) if a != b)
            return "row id %s: cell %d is %r, pylance has %r" % (have[-4], at, have[at], other[at])
    return None


class Check:
    def __init__(self, rowline, history, judge, name):
        self.rowline, self.history, self.judge, self.name = rowline, history, judge, name
        self.rnd = random.Random(history.rnd.random())

    def one(self, operation, function):
        try:
            problem = function()
        except Exception as e:  # whatever pylance throws is its answer, too
            problem = "%s: %s" % (type(e).__name__, " ".join(str(e).split())[:400])
        self.judge("pylance", self.name, operation, problem and "%s (%s)" % (problem, self.history.what()))
        return problem is None

    def version(self, path, branch, number):
        dataset = self.history.lance.dataset(path)
        dataset = dataset.checkout_version((branch, number) if branch else number)
        names = [f.name for f in dataset.schema]
        columns = names + LINEAGE
        theirs = dataset.to_table(columns=columns)
        want = rows_of(theirs, columns)
        at = (("--ref", branch) if branch else ()) + ("--snapshot", str(number))
        select = ",".join(quoted(c) for c in columns)

        def read():
            mine = self.rowline.scan(path, *at, "--select", select)
            count = int(self.rowline.run("count", path, *at))
            if count != len(want):
                return "version %d: count says %d, pylance has %d rows" % (number, count, len(want))
            return at_version(number, difference(rows_of(mine, columns), want))

        def filters():
            least = self.rnd.randrange(1, number + 1)
            for text, keep in (("_row_last_updated_at_version >= %d" % least, lambda r: r[-1] >= least),
                               ("_row_created_at_version < %d" % least, lambda r: r[-2] < least),
                               ("_rowaddr < 4294967296", lambda r: r[-3] < 1 << 32)):
                mine = self.rowline.scan(path, *at, "--select", select, "--where", text)
                problem = difference(rows_of(mine, columns), [r for r in want if keep(r)])
                if problem:
                    return at_version(number, "%s: %s" % (text, problem))
            return None

        def by_id():
            ids = self.rnd.sample([r[-4] for r in want], min(5, len(want))) + [10**15]
            mine = self.rowline.scan(path, *at, "--select", select, "--where",
                                     "_rowid in (%s)" % ", ".join(map(str, ids)))
            return at_version(number, difference(rows_of(mine, columns), [r for r in want if r[-4] in ids]))

        self.one("lance rows", read)
        if want and self.rnd.random() < 0.5:
            self.one("lance filters", filters)
        if want and self.rnd.random() < 0.5:
            self.one("lance by id", by_id)


def at_version(number, problem):
    return problem and "version %d: %s" % (number, problem)


def run(judge, program, work, seed, histories, steps):
    """Does what lance_cases.py and lance_pages.py say, then lets `histories` datasets live and reads them; judge(engine, table, operation, problem) is told each case."""
    rowline = Rowline(program)
    import lance
    lance_cases.run(judge, lance, rowline, work)
    print("lance: seed %d" % seed, flush=True)
    lance_logical.run(judge, lance, rowline, work, seed, histories)
    lance_pages.run(judge, lance, rowline, work, seed, PAGES * histories)
    for i in range(histories):
        path = os.path.join(work, "lance-%d" % i)
        shutil.rmtree(path, ignore_errors=True)
        history = History(path, seed * 1000 + i)
        history.live(steps)
        check = Check(rowline, history, judge, "lance%d" % i)
        for at in history.versions():
            check.version(*at)
        for path in history.paths:
            shutil.rmtree(path, ignore_errors=True)


def main():
    import argparse
    import sys

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rowline")
    parser.add_argument("--work", default="build/interop/lance")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--histories", type=int, default=20)
    parser.add_argument("--steps", type=int, default=12)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    counts = {"ok": 0, "FAIL": 0}

    def judge(engine, table, operation, problem):
        counts["FAIL" if problem else "ok"] += 1
        if problem:
            print("FAIL %s %s/%s: %s" % (engine, table, operation, problem), flush=True)

    run(judge, os.path.abspath(options.rowline), options.work, options.seed, options.histories, options.steps)
    print(counts)
    sys.exit(1 if counts["FAIL"] else 0)


if __name__ == "__main__":
    main()
