# SPDX-License-Identifier: Apache-2.0
"""The tables the benchmarks work on: made once, in the layout a Hadoop catalog has, under their directory.

A table is WORK/tables-ROWS/db/NAME and lies where its metadata say, so that every engine opens it. Work that changes one
begins with restore(), which puts back the copy beside it (pristine/NAME).
"""
import glob
import multiprocessing
import os
import re
import shutil
import subprocess

FILES, SMALL_FILES, SMALL_ROWS = 10, 2000, 100
COLUMNS = ["id", "ts", "v", "s"]
SCHEMA = "id long, ts timestamp, v double, s string"


def apart(work):
    """In a process of its own: what this one holds would count as the peak of the programs it starts."""
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join()
    if child.exitcode != 0:
        raise RuntimeError("a table could not be made")


class Tables:
    def __init__(self, bench):
        self.rowline, self.sources = bench.options.rowline, bench.files("zstd")
        self.warehouse = os.path.join(bench.options.work, "tables-%d" % bench.options.rows)

    def path(self, name):
        return os.path.join(self.warehouse, "db", name)

    def metadata(self, name):
        found = glob.glob(os.path.join(self.path(name), "metadata", "v*.metadata.json"))
        return max(found, key=lambda f: int(re.search(r"v(\d+)\.", os.path.basename(f)).group(1)))

    def data_files(self, name):
        return sorted(glob.glob(os.path.join(self.path(name), "data", "**", "*.parquet"), recursive=True))

    def restore(self, name):
        """The table as it was made; its writing is not charged to what follows."""
        shutil.rmtree(self.path(name), ignore_errors=True)
        shutil.copytree(os.path.join(self.warehouse, "pristine", name), self.path(name))
        os.sync()
        return self.path(name)

    def run(self, *arguments):
        subprocess.run([self.rowline, *arguments, "--quiet"], check=True, stdout=subprocess.DEVNULL)

    def make(self, name):
        """`events`: 10 files; `events-N`: every N-th row deleted by vectors; `small`: 2,000 files of 100 rows."""
        kept = os.path.join(self.warehouse, "pristine", name)
        if not os.path.exists(kept):
            shutil.rmtree(self.path(name), ignore_errors=True)
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            apart(lambda: self.make_small(self.path(name)) if name == "small" else
                  self.make_events(self.path(name), int(name.partition("-")[2] or 0)))
            shutil.copytree(self.path(name), kept + ".part")
            os.rename(kept + ".part", kept)
        return self.restore(name) if not os.path.exists(self.path(name)) else self.path(name)

    def make_events(self, table, every):
        import pyarrow.parquet as pq
        source = os.path.join(self.warehouse, "source.parquet")
        self.run("create", table, "--schema", SCHEMA)
        for path in self.sources:
            pq.write_table(pq.read_table(path, columns=COLUMNS), source, compression="zstd")
            self.run("append", table, source)
        os.unlink(source)
        if every:
            self.run("delete", table, "--where", "id %% %d = 7" % every)

    def make_small(self, table):
        """A target of one byte makes a file of each input's rows."""
        import pyarrow as pa
        import pyarrow.parquet as pq
        rows = pa.concat_tables(pq.read_table(path, columns=COLUMNS) for path in self.sources[:2])
        sources = [os.path.join(self.warehouse, "small-%05d.parquet" % k) for k in range(SMALL_FILES)]
        for k, source in enumerate(sources):
            pq.write_table(rows.slice(k * SMALL_ROWS, SMALL_ROWS), source, compression="zstd")
        self.run("create", table, "--schema", SCHEMA, "--property", "write.target-file-size-bytes=1")
        self.run("append", table, *sources)
        for source in sources:
            os.unlink(source)
        if len(self.data_files("small")) != SMALL_FILES:
            raise RuntimeError("%d small files" % len(self.data_files("small")))
