# SPDX-License-Identifier: Apache-2.0
"""Random histories of Iceberg tables: rowline makes a table and changes it step by step, a model in memory says which
rows there must be, with which ids and versions, and every engine reads the table now and then.

A history is drawn from one seed; what it did is printed when it fails, with the command that repeats it alone. Some
histories are continued by Spark (history_spark.py) and then by rowline again.
"""
import json
import os
import random
import re
import shutil
import traceback

import filters
import history_data
import history_deletes
import history_spark
import values
from table import RowlineError, Table

OPERATIONS = ["history", "history then", "history out", "history filters", "history spark"]
READERS = ["duckdb", "pyiceberg", "polars", "iceberg-go"]
UNASSIGNED = (None, None)
# Targets near what a file has beside its rows: parts grow, and what many small files say of the size of few is too much.
TINY = ["1000", "2000", "20000", "30000"]
NUMBERED = 3  # the first format version whose rows have ids


class Wrong(Exception):
    """The table is not as the model says."""


class History:
    def __init__(self, court, rowline, warehouse, seed):
        self.court, self.seed, self.said = court, seed, []
        self.rng = random.Random("history %d" % seed)
        self.spark = next((j for j in court.judges if j.name == "spark"), None)
        self.continued = self.rng.random() < 0.35  # by Spark, if it is here
        self.for_spark = self.continued or self.rng.random() < 0.3
        self.columns = history_data.columns(self.rng, self.for_spark)
        self.columns.insert(0, history_data.Column(self.rng, "id", self.rng.choice(["long", "long not null"])))
        self.table = Table(rowline, warehouse, "history_%d" % seed, self.schema(), [])
        self.rows, self.lineage = {}, {}  # cells and (id, version) by key
        self.snapshots = []               # (id, types, rows with lineage)
        self.keys, self.files = 0, 0
        self.next_row_id = None
        self.of_file = {}  # of rows without ids: the numbers that they have when they get them

    def schema(self):
        return ", ".join("%s %s" % (c.name, c.kind) for c in self.columns)

    def say(self, *words):
        self.said.append(" ".join(words))

    def run(self, verb, *arguments):
        return json.loads(self.lines(verb, *arguments))

    def lines(self, verb, *arguments):
        self.say(verb, *(("'%s'" % a if " " in a else a) for a in arguments))
        return self.table.run(verb, *arguments, "--json")

    # --- the table and who reads it ---

    def create(self):
        version = 3 if self.needs_3() else self.rng.choice([2, 3, 3])
        self.spec = history_data.spec(self.rng, self.columns)
        arguments = ["--partition", self.spec] if self.spec else []
        if self.rng.random() < 0.5:
            arguments += ["--sort", history_data.order(self.rng, self.columns)]
        warehouse = os.path.dirname(os.path.dirname(self.table.folder))
        settings = history_data.properties(self.rng, self.columns, self.for_spark, warehouse, self.table.name)
        for key, value in settings.items():
            arguments += ["--property", "%s=%s" % (key, value)]
        self.run("create", "--schema", self.schema(), "--format-version", str(version), *arguments)
        self.version, self.target = version, settings.get("write.target-file-size-bytes")
        self.keyed = " ".join(arguments)  # where columns are named
        self.next_row_id = self.table.show().get("next_row_id")
        self.table.engines = self.readers()

    def needs_3(self):
        return any(t in k for k in self.table.types.values() for t in ("_ns", "unknown"))

    def readers(self):
        """Those that can read such columns."""
        kinds, without = self.table.types.values(), set()
        if "timestamptz_ns" in kinds or "unknown" in kinds:
            without.add("duckdb")  # 1.5.5 has neither
        if any(history_data.within(k, history_data.has_list_by_struct) for k in kinds):
            without.add("pyiceberg")  # 0.12.0 reads a null list in a struct, and one of structs, as an empty one
        if any(history_data.within(k, history_data.has_uuid) for k in kinds):
            without.add("pyiceberg")  # 0.12.0 reads a uuid in no nested type: "ArrowNotImplementedError: extension"
        of_path = {path: kind for path, kind, _ in history_data.leaves(self.columns)}
        keys = [re.sub(r"^void\((.*)\)$", r"\1", term) for term in values.split(self.spec or "")]
        if any(of_path.get(key, "").endswith("_ns") for key in keys):
            without |= {"pyiceberg", "polars"}  # PyIceberg 0.12.0 has no such values of partitions
        if any(of_path.get(key) in ("float", "double") for key in keys):
            without.add("polars")  # PyIceberg, which plans for it, finds no vector of the partition NaN
        return [e for e in READERS if e not in without]

    # --- the model ---

    def expected(self):
        return [cells + self.lineage[key] for key, cells in self.rows.items()]

    def all_have_ids(self):
        return UNASSIGNED not in self.lineage.values()

    def sequence(self):
        return self.table.show()["last_sequence_number"]

    def numbers_of_files(self):
        """The data sequence number of each row's file, by key."""
        of_file = {f["file_path"]: f["data_sequence_number"] for f in self.table.files() if f["content"] == 0}
        lines = self.table.run("scan", "--select", "id, _file", "--json").splitlines()
        return {r["id"]: of_file[r["_file"]] for r in map(json.loads, lines)}

    def look(self):
        """All rows by key, as rowline reads them."""
        place = list(self.table.types).index("id")
        state = self.table.scan()
        found = {row[place]: row for row in state}
        if len(found) != len(state):
            raise Wrong("%d rows have %d keys" % (len(state), len(found)))
        return found

    def number(self, found, born):
        """Takes the ids of rows that had none: born ones have the commit's version, others that of their file."""
        fresh = {key: found[key][-2:] for key in self.rows if key in found and self.lineage[key] == UNASSIGNED}
        if not any(l != UNASSIGNED for l in fresh.values()):
            return
        sequence, before, after = self.sequence(), self.next_row_id or 0, self.table.show()["next_row_id"]
        ids = [i for i, _ in fresh.values()]
        if None in ids or len(set(ids)) != len(ids) or min(ids) < before or max(ids) >= after:
            raise Wrong("ids %s… of new rows are not distinct ones of %d to %d" % (sorted(ids)[:5], before, after))
        for key, (_, version) in fresh.items():
            want = sequence if key in born else self.of_file[key]
            if version != want:
                raise Wrong("the row with id = %d has version %s, not %d" % (key, version, want))
        self.lineage.update(fresh)

    def absorb(self, born=(), exactly=True):
        """Holds the table against the model; `born` are keys of this commit, whose ids are `exactly` a range's."""
        found = self.look()
        all_had_ids = all(self.lineage[k] != UNASSIGNED for k in self.rows if k not in born)
        self.number(found, set(born))
        problem = values.difference(found.values(), self.expected())
        if problem:
            raise Wrong(problem)
        show = self.table.show()
        if show["format_version"] >= NUMBERED and exactly and all_had_ids:
            ids = sorted(self.lineage[k][0] for k in born)
            if ids != list(range(self.next_row_id or 0, show["next_row_id"])):
                raise Wrong("%d new rows have not the ids %d to %d" % (len(ids), self.next_row_id, show["next_row_id"]))
        self.of_file = {} if self.all_have_ids() else self.numbers_of_files()
        self.next_row_id, self.version = show.get("next_row_id"), show["format_version"]
        snapshot = show["current_snapshot_id"]
        if snapshot is not None and (not self.snapshots or self.snapshots[-1][0] != int(snapshot)):
            self.snapshots.append((int(snapshot), dict(self.table.types), self.expected()))

    # --- steps ---

    def new_rows(self, count):
        rows = []
        for _ in range(count):
            self.keys += self.rng.choice([1, 1, 1, 5])
            rows.append({c.name: self.keys if c.name == "id" else c.draw(self.rng) for c in self.columns})
        self.rng.shuffle(rows)
        return rows

    def take(self, rows):
        """New rows into the model; returns their keys."""
        for row in rows:
            self.rows[row["id"]] = tuple(values.from_json(row.get(n), k) for n, k in self.table.types.items())
            self.lineage[row["id"]] = UNASSIGNED
        return [row["id"] for row in rows]

    def append(self):
        rows = self.new_rows(self.rng.choice([1, 1, 4, 30, 200, 200, 1000] + [20000] * (self.rng.random() < 0.03)))
        kinds, files, left = {c.name: c.kind for c in self.columns}, [], rows
        while left:
            count = len(left) if len(files) == 2 or self.rng.random() < 0.6 else self.rng.randint(1, len(left))
            self.files += 1
            base = "%s-rows-%d" % (self.table.folder, self.files)
            files.append(history_data.write_rows(self.rng, base, kinds, left[:count]))
            left = left[count:]
        born = self.take(rows)
        self.run("append", *files)
        self.absorb(born)
        for path in files:
            os.unlink(path)

    def drop(self, keys):
        for key in keys:
            del self.rows[key], self.lineage[key]

    def places(self):
        """(key, file, position) of every row."""
        lines = self.table.run("scan", "--select", "id, _file, _pos", "--json").splitlines()
        return [(r["id"], r["_file"], r["_pos"]) for r in map(json.loads, lines)]

    def delete(self):
        if not self.rows:
            return
        condition, keys = history_deletes.Doomed(self).draw()
        commit = self.run("delete", "--where", condition)
        if (commit["snapshot_id"] is None) != (not keys):
            raise Wrong("%d rows are to be deleted, the commit says %s" % (len(keys), commit))
        self.drop(keys)
        self.absorb()

    def rewrite_options(self):
        size = self.rng.choice([None, "1000", "30000", "1000000000"])
        options = [] if size is None else ["--target-file-size", size]
        some = {"--min-input-files": ["1", "2", "3"], "--delete-ratio": ["0.01", "1"], "--delete-files": ["1"],
                "--max-group-size": ["1000", "50000"], "--max-commits": ["2", "10"], "--verify": ["full", "lineage"],
                "--row-id-encoding": ["plain", "delta"], "--threads": ["1", "3"],
                "--option": ["rewrite-job-order=bytes-asc", "rewrite-job-order=files-desc",
                             "use-starting-sequence-number=false", "remove-dangling-deletes=true"]}
        for option in self.rng.sample(sorted(some), self.rng.choice([0, 1, 3])):
            options += [option, self.rng.choice(some[option])]
        return options

    def rewrite(self):
        options = self.rewrite_options()
        if self.rng.random() < 0.4:
            options += ["--sort", history_data.order(self.rng, self.columns)]
        if self.rng.random() < 0.2 and self.rows and self.all_have_ids():
            options += ["--where", history_deletes.Doomed(self).draw()[0]]
        every, limited = self.rng.random() < 0.5, self.rng.random() < 0.15
        options += ["--rewrite-all"] if every else []
        options += ["--max-bytes", str(self.rng.choice([1, 5000]))] if limited else []
        fresh = ["--no-pin"] if self.rng.random() < 0.1 else []
        commit = self.run("rewrite", *options, *fresh)
        had_ids = self.all_have_ids()
        before = self.next_row_id
        self.absorb(exactly=not fresh)
        if not fresh and had_ids and self.next_row_id != before:
            raise Wrong("the rewrite moved next-row-id from %s to %s" % (before, self.next_row_id))
        if not every and not limited and not set(TINY) & {*options, self.target}:
            self.settled(options)

    def settled(self, options):
        """A second run on an unchanged table makes no snapshot."""
        again = self.run("rewrite", *options)
        if again["snapshot_id"] is not None:
            raise Wrong("a second rewrite found something to do: %s" % again)

    def upgrade(self):
        self.run("upgrade", "--to", "3", "--yes", *(["--no-assign"] if self.rng.random() < 0.3 else []))
        self.absorb()

    def nothing(self):
        """A dry run leaves every file as it was."""
        def listing():
            return sorted((os.path.join(at, f), os.path.getsize(os.path.join(at, f)))
                          for at, _, found in os.walk(self.table.folder) for f in found)
        before = listing()
        if self.version >= NUMBERED and self.rows and self.all_have_ids() and self.rng.random() < 0.5:
            self.lines("delete", "--dry-run", "--where", history_deletes.Doomed(self).draw()[0])
        else:
            self.lines("rewrite", "--dry-run", "--rewrite-all", "--limit", "1")
        if listing() != before:
            raise Wrong("a dry run changed files")

    def step(self):
        steps = [self.append, self.append, self.append, self.rewrite, self.rewrite, self.nothing]
        numbered = self.version >= NUMBERED
        if numbered and self.all_have_ids():
            steps += [self.delete] * 5
        if not numbered:
            steps += [self.upgrade]
        self.rng.choice(steps)()

    # --- readings ---

    def duckdb(self):
        """DuckDB, if it reads this table."""
        return next((j for j in self.court.judges if j.name == "duckdb" and "duckdb" in self.table.engines), None)

    def court_check(self, operation, expected, snapshot, lineage, spark=False):
        """Asks the engines; polars only while no file seems to have two vectors."""
        readers = self.table.engines
        puffins = {f["file_path"] for f in self.table.files(snapshot) if f["content"] == 1}
        # PyIceberg 0.12.0, which plans for it, takes each vector of a partition to be of each file there
        without = {"polars"} if len(puffins) > 1 else set()
        self.table.engines = [e for e in readers if e not in without] + (["spark"] if spark else [])
        try:
            self.court.check(self.table, operation, expected, snapshot, lineage)
        finally:
            self.table.engines = readers

    def check(self, operation="history", spark=False):
        """Every engine reads the newest state."""
        lineage = self.version >= NUMBERED and self.all_have_ids()
        self.court_check(operation, list(self.rows.values()), None, lineage, spark)

    def travel(self):
        """Every engine reads an old state."""
        snapshot, types, rows = self.rng.choice(self.snapshots)
        now, self.table.types = self.table.types, types
        try:
            problem = values.difference(self.table.scan(snapshot), rows)
            if problem:
                raise Wrong("snapshot %d: %s" % (snapshot, problem))
            lineage = all(r[-2:] != UNASSIGNED for r in rows)
            self.court_check("history then", None, snapshot, lineage)
        finally:
            self.table.types = now

    def outputs(self):
        """The other forms of a scan say what JSON lines say; figures say what the model says."""
        import pyarrow.ipc
        import pyarrow.parquet

        lineage = ["--lineage"] if self.all_have_ids() else []
        rows = self.expected() if lineage else list(self.rows.values())
        readers = {"parquet": pyarrow.parquet.read_table, "arrow": lambda path: pyarrow.ipc.open_file(path).read_all()}
        for form, read in readers.items():
            path = "%s-out.%s" % (self.table.folder, form)
            self.table.run("scan", "-o", path, *lineage)
            found = values.rows_of_arrow(read(path), self.table.types, bool(lineage))
            self.court.run.judge("rowline", self.table.name, "history out", values.difference(found, rows))
            os.unlink(path)

    def figures(self):
        known = [lineage for lineage in self.lineage.values() if lineage != UNASSIGNED]
        want = [len(self.rows), *(str(sum(n)) for n in ([i for i, _ in known], [v for _, v in known],
                                                        [i * v for i, v in known]))]
        digest = self.table.one("digest")
        got = [digest[k] for k in ("rows", "row_id_sum", "last_updated_sum", "product_sum")]
        problem = None if got == want else "digest %s, not %s" % (got, want)
        self.court.run.judge("rowline", self.table.name, "history out", problem)

    def conditions(self):
        """Random conditions, asked of DuckDB too."""
        if self.duckdb() is None or not self.rows:
            return
        maker = history_deletes.Conditions(self.table, self.rng)
        texts = [{w: "".join(filters.in_language(w, p) for p in c) for w in ("rowline", "duckdb")}
                 for c in (maker.condition() for _ in range(6))]
        theirs = self.duckdb().selected(self.table, [t["duckdb"] for t in texts])
        for text, want in zip(texts, theirs):
            lines = self.table.run("scan", "--json", "--select", "id", "--where", text["rowline"]).splitlines()
            got = sorted(json.loads(line)["id"] for line in lines)
            problem = None if got == sorted(want) else "%s: rowline %s, they %s" % (
                text["rowline"], str(got)[:100], str(sorted(want))[:100])
            self.court.run.judge("duckdb", self.table.name, "history filters", problem)

    # --- a life ---

    def live(self, steps):
        self.create()
        for n in range(steps):
            self.step()
            if n % 4 == 3:
                self.check()
                if self.snapshots:
                    self.travel()
        if "unknown" not in self.table.types.values():  # no column of a file
            self.outputs()
        self.figures()
        self.conditions()
        self.check(spark=self.for_spark and self.spark is not None)
        if self.continued and self.spark is not None and self.all_have_ids():
            history_spark.go_on(self)

    def clear(self):
        warehouse = os.path.dirname(os.path.dirname(self.table.folder))
        for folder in (self.table.folder, os.path.join(warehouse, "elsewhere", self.table.name)):
            shutil.rmtree(folder, ignore_errors=True)


def one(court, rowline, warehouse, seed, steps):
    """A history; when something is wrong, all that it did is printed and its table is kept."""
    failures = len(court.run.failures)
    history = History(court, rowline, warehouse, seed)
    try:
        history.live(steps)
    except Exception as e:
        if not isinstance(e, (Wrong, RowlineError)):
            traceback.print_exc(limit=-3, chain=False)
        court.run.judge("rowline", history.table.name, "history", " ".join(str(e).split())[:600])
    if len(court.run.failures) == failures:
        history.clear()
        return
    print("history %d, alone: --only histories --histories 1 --seed %d; its table: %s"
          % (seed, seed, history.table.folder))
    for line in history.said:
        print("  " + (line if len(line) < 2000 else line[:2000] + "…"))


def run(court, rowline, warehouse, seed, count, steps=12):
    try:
        import pyarrow  # noqa: F401
    except ImportError as e:
        print("histories: left out: %s" % e)
        return
    print("histories: seeds %d to %d" % (seed, seed + count - 1), flush=True)
    for n in range(count):
        one(court, rowline, warehouse, seed + n, steps)
