#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet files between rowline and others: what rowline writes and stitches they read, what they write rowline reads.

Used by interop.py, which brings the Spark session; `files.py LIBRARY --work DIR` runs it without Spark.
"""
import argparse
import datetime
import decimal
import itertools
import math
import os
import random
import shutil
import sys
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

import capi

ROWS = 3000


# --- tables ---

def some(rng, make, nulls=0.1):
    return [None if rng.random() < nulls else make() for _ in range(ROWS)]


def text(rng):
    return "".join(rng.choice("abcdef€ß😀 ") for _ in range(rng.randrange(12)))


def few(rng, values):
    return lambda: rng.choice(values)


def some_list(rng, make, nulls=0.1):
    return lambda: [None if rng.random() < nulls else make() for _ in range(rng.choice([0, 0, 1, 2, 5]))]


def day(rng):
    return datetime.date(1, 1, 1) + datetime.timedelta(days=rng.randrange(3652058))


def instant(rng):
    return datetime.datetime(1900, 1, 1) + datetime.timedelta(microseconds=rng.randrange(8 * 10**15))


def number(rng, digits, scale):
    return decimal.Decimal(rng.randrange(-10**digits + 1, 10**digits)).scaleb(-scale, decimal.Context(prec=60))


def double(rng):
    return rng.choice([rng.uniform(-1e9, 1e9), float(rng.randrange(5)), -0.0, math.inf])


def common(seed):
    """A table of types that every engine has."""
    rng = random.Random(seed)
    point = pa.struct([("a", pa.int32()), ("b", pa.string())])
    deep = pa.struct([("x", pa.float64()), ("y", pa.struct([("z", pa.list_(pa.string()))]))])
    columns = {
        "id": (pa.int64(), list(range(ROWS))),
        "permuted": (pa.int64(), rng.sample(range(ROWS), ROWS)),
        "flag": (pa.bool_(), some(rng, lambda: rng.random() < 0.3)),
        "i": (pa.int32(), some(rng, lambda: rng.randrange(-2**31, 2**31))),
        "few": (pa.int32(), some(rng, few(rng, [1, 2, 3, 1000]))),
        "l": (pa.int64(), some(rng, lambda: rng.randrange(-2**63, 2**63))),
        "f": (pa.float32(), some(rng, lambda: float(rng.randrange(100)) / 4)),
        "d": (pa.float64(), some(rng, lambda: double(rng))),
        "s": (pa.string(), some(rng, lambda: text(rng))),
        "word": (pa.string(), some(rng, few(rng, ["red", "green", "blue", ""]))),
        "b": (pa.binary(), some(rng, lambda: rng.randbytes(rng.randrange(9)))),
        "day": (pa.date32(), some(rng, lambda: day(rng))),
        "ts": (pa.timestamp("us"), some(rng, lambda: instant(rng))),
        "tz": (pa.timestamp("us", "UTC"), some(rng, lambda: instant(rng).replace(tzinfo=datetime.timezone.utc))),
        "d9": (pa.decimal128(9, 2), some(rng, lambda: number(rng, 9, 2))),
        "d18": (pa.decimal128(18, 4), some(rng, lambda: number(rng, 18, 4))),
        "d38": (pa.decimal128(38, 10), some(rng, lambda: number(rng, 38, 10))),
        "nothing": (pa.int32(), [None] * ROWS),
        "ints": (pa.list_(pa.int32()), some(rng, some_list(rng, lambda: rng.randrange(100)))),
        "lists": (pa.list_(pa.list_(pa.int64())), some(rng, some_list(rng, some_list(rng, lambda: rng.randrange(9))))),
        "points": (pa.list_(point), some(rng, some_list(rng, lambda: {"a": rng.randrange(9), "b": text(rng)}))),
        "deep": (deep, some(rng, lambda: {"x": 1.5, "y": None if rng.random() < 0.2 else {
            "z": None if rng.random() < 0.2 else some_list(rng, lambda: text(rng))()}})),
        "map": (pa.map_(pa.string(), pa.int64()), some(rng, lambda: [
            (k, None if rng.random() < 0.2 else rng.randrange(99)) for k in rng.sample("abcdef", rng.randrange(4))])),
        "mapped": (pa.map_(pa.string(), pa.list_(pa.float64())), some(rng, lambda: [
            (k, some_list(rng, lambda: 2.5)()) for k in rng.sample("abcdef", rng.randrange(3))])),
    }
    return pa.table([pa.array(v, t) for t, v in columns.values()],
                    schema=pa.schema([pa.field(n, t, nullable=n not in ("id", "permuted"))
                                      for n, (t, _) in columns.items()]))


def wide(seed):
    """Types that not all engines have."""
    rng = random.Random(seed)
    columns = {
        "id": (pa.int64(), list(range(ROWS))),
        "time": (pa.time64("us"), some(rng, lambda: (datetime.datetime.min + datetime.timedelta(
            microseconds=rng.randrange(86400 * 10**6))).time())),
        "ns": (pa.timestamp("ns"), some(rng, lambda: rng.randrange(-2**62, 2**62))),
        "nsz": (pa.timestamp("ns", "UTC"), some(rng, lambda: rng.randrange(-2**62, 2**62))),
        "fixed": (pa.binary(5), some(rng, lambda: rng.randbytes(5))),
        "uuid": (pa.uuid(), some(rng, lambda: uuid.UUID(bytes=rng.randbytes(16)).bytes)),
        "half": (pa.float16(), some(rng, lambda: rng.randrange(2048) / 8)),
        "u8": (pa.uint8(), some(rng, lambda: rng.randrange(256))),
        "u16": (pa.uint16(), some(rng, lambda: rng.randrange(2**16))),
        "u32": (pa.uint32(), some(rng, lambda: rng.randrange(2**32))),
        "i8": (pa.int8(), some(rng, lambda: rng.randrange(-128, 128))),
    }
    arrays = []
    for t, v in columns.values():
        arrays.append(pa.ExtensionArray.from_storage(t, pa.array(v, t.storage_type))
                      if isinstance(t, pa.BaseExtensionType) else pa.array(v, t))
    return pa.table(arrays, names=list(columns))


# --- comparing ---

def plain(value):
    """One value of any engine in one form: nested as tuples, floats by bits, instants as microseconds."""
    if isinstance(value, dict):
        return tuple((k, plain(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(plain(v) for v in value)
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value.hex()
    if isinstance(value, uuid.UUID):
        return value.bytes
    if isinstance(value, decimal.Decimal):
        return value.normalize(decimal.Context(prec=60))
    if hasattr(value, "tzinfo") and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value


def columns_of(table):
    out = {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
        if isinstance(column.type, pa.BaseExtensionType):
            column = column.storage
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
            column = column.cast(pa.int64())
        if pa.types.is_float16(column.type):
            column = column.cast(pa.float32())
        out[name] = [plain(v) for v in column.to_pylist()]
    return out


def difference(got, want):
    """None, or what differs first."""
    a, b = columns_of(got), columns_of(want)
    if list(a) != list(b):
        return "columns %s, expected %s" % (list(a), list(b))
    for name in b:
        if len(a[name]) != len(b[name]):
            return "%s: %d rows, expected %d" % (name, len(a[name]), len(b[name]))
        for i, (x, y) in enumerate(zip(a[name], b[name])):
            if isinstance(x, str) and isinstance(y, bytes):  # a uuid, to some
                x = uuid.UUID(x).bytes
            if x != y:
                return "%s row %d: %r, expected %r" % (name, i, x, y)
    return None


# --- engines ---

class Engine:
    without = ()  # columns of "wide" that it cannot read exactly
    cannot = ()  # what rowline writes and it refuses

    def can_read(self, paths):
        """Whether it reads all of these: a page that it can't read is no better when copied."""
        known = self.__dict__.setdefault("readable", {})
        for path in paths:
            if path not in known:
                known[path] = attempt(lambda: self.read(path) and None) is None
        return all(known[p] for p in paths)

    def check(self, path, want):
        """None, or how what it reads differs."""
        got = self.read(path)
        here = [n for n in got.column_names if n not in self.without]
        return difference(got.select(here), want.select(here))


class PyArrow(Engine):
    name, kinds = "pyarrow", ("common", "wide")

    def read(self, path):
        return pq.ParquetFile(path).read()

    def writes(self, table):
        """(label, function of a path) for each way this engine writes."""
        for codec in ("none", "snappy", "gzip", "zstd", "lz4", "brotli"):
            yield codec, lambda p, c=codec: pq.write_table(table, p, compression=c, row_group_size=1100)
        yield "v2", lambda p: pq.write_table(table, p, version="2.6", data_page_version="2.0", data_page_size=2000,
                                             write_page_index=True, write_page_checksum=True)
        yield "plain", lambda p: pq.write_table(table, p, use_dictionary=False, data_page_size=3000)
        for encoding, types in (("DELTA_BINARY_PACKED", ("int32", "int64")), ("BYTE_STREAM_SPLIT", (
                "float", "double", "int32", "int64")), ("DELTA_LENGTH_BYTE_ARRAY", ("string", "binary")),
                ("DELTA_BYTE_ARRAY", ("string", "binary"))):
            chosen = {f.name: encoding for f in table.schema if str(f.type) in types}
            yield encoding, lambda p, c=chosen: pq.write_table(table, p, use_dictionary=False, column_encoding=c,
                                                               data_page_version="2.0", data_page_size=4000)


class DuckDB(Engine):
    name, kinds = "duckdb", ("common", "wide")
    without = ("nsz",)  # it cuts instants to microseconds
    cannot = ("split",)  # BYTE_STREAM_SPLIT of other types than float and double

    def __init__(self):
        import duckdb
        self.connection = duckdb.connect()
        self.connection.execute("SET TimeZone = 'UTC'")

    def read(self, path):
        return self.connection.execute("SELECT * FROM read_parquet('%s')" % path).to_arrow_table()

    def writes(self, table):
        def copy(path, how):
            self.connection.register("t", table)
            self.connection.execute("COPY (SELECT * FROM t ORDER BY id) TO '%s' (FORMAT parquet, %s)" % (path, how))
        yield "v1", lambda p: copy(p, "COMPRESSION snappy, ROW_GROUP_SIZE 2048")
        yield "v2", lambda p: copy(p, "COMPRESSION zstd, PARQUET_VERSION v2")


class Polars(Engine):
    name, kinds = "polars", ("common",)
    cannot = ("split",)  # BYTE_STREAM_SPLIT of FIXED_LEN_BYTE_ARRAY

    def __init__(self):
        import polars
        self.polars = polars

    def read(self, path):
        return self.polars.read_parquet(path).to_arrow()

    def writes(self, table):
        flat = table.select([f.name for f in table.schema if not pa.types.is_map(f.type)])
        yield "zstd", lambda p: self.polars.from_arrow(flat).write_parquet(p, row_group_size=700)


class Arro3(Engine):
    name, kinds = "arro3", ("common", "wide")

    def __init__(self):
        import arro3.io
        self.io = arro3.io

    def read(self, path):
        return pa.table(self.io.read_parquet(path).read_all())

    def writes(self, table):
        yield "snappy", lambda p: self.io.write_parquet(table, p, compression="snappy", max_row_group_size=900)
        yield "v2", lambda p: self.io.write_parquet(table, p, compression="zstd(3)", writer_version="parquet_2_0",
                                                    data_page_size_limit=3000)


class Spark(Engine):
    name, kinds = "spark", ("common",)

    def __init__(self, session):
        self.session = session

    def read(self, path):
        return self.session.read.parquet(path).toArrow()

    def writes(self, table):
        def save(path, version):
            flat = table.drop_columns([f.name for f in table.schema if f.name in ("day", "ts", "tz")])
            folder = path + ".d"
            source = path + ".source"
            pq.write_table(flat, source)
            (self.session.read.parquet(source).coalesce(1).sortWithinPartitions("id").write.mode("overwrite")
             .option("parquet.writer.version", version).option("parquet.page.size", "4000").parquet(folder))
            part = next(f for f in os.listdir(folder) if f.endswith(".parquet"))
            os.replace(os.path.join(folder, part), path)
        yield "v1", lambda p: save(p, "PARQUET_1_0")
        yield "v2", lambda p: save(p, "PARQUET_2_0")


def engines(session=None):
    """Those that can be had, and lines about those that cannot."""
    found, missing = [], []
    for make in (PyArrow, DuckDB, Polars, Arro3):
        try:
            found.append(make())
        except ImportError as e:
            missing.append("%s: not here, left out: %s" % (make.name, e))
    if session is not None:
        found.append(Spark(session))
    return found, missing


# --- what is checked ---

WRITES = {
    "default": {},
    "snappy small pages": {"write.parquet.compression-codec": "snappy", "write.parquet.page-row-limit": 100},
    "gzip plain": {"write.parquet.compression-codec": "gzip", "write.parquet.dict-size-bytes": 1},
    "delta v2": {"rowline.parquet.encoding": "delta", "write.parquet.page-version": "v2",
                 "write.parquet.dict-size-bytes": 1, "write.parquet.compression-codec": "uncompressed"},
    "split": {"rowline.parquet.encoding": "split", "write.parquet.dict-size-bytes": 1},
    "lz4": {"write.parquet.compression-codec": "lz4", "write.parquet.row-group-size-bytes": 40000},
    "brotli": {"write.parquet.compression-codec": "brotli", "write.parquet.page-version": "v2"},
    "bloom": {"write.parquet.bloom-filter-enabled.column.s": "true", "write.parquet.bloom-filter-enabled.column.l": "true"},
}


def ranges_of(rng, rows):
    """Ascending, disjoint ranges of about half the rows, some of them single."""
    out, at = [], rng.randrange(40)
    while at < rows:
        count = min(rng.choice([1, 1, 7, 130, 900]), rows - at)
        out.append((at, count))
        at += count + rng.choice([1, 3, 60, 400])
    return out


def check_files(library, judges, work, judge):
    """Calls judge(engine, case, problem or None) for each case."""
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    tables = {"common": common(1), "wide": wide(2)}

    def read_by_all(path, kind, want, case):
        for engine in judges:
            if kind in engine.kinds and case.split()[-1] not in engine.cannot:
                judge(engine.name, case, attempt(lambda e=engine: e.check(path, want)))

    written = {}
    for kind, table in tables.items():
        for label, options in WRITES.items():
            path = os.path.join(work, "rowline-%s-%s.parquet" % (kind, label.replace(" ", "-")))
            problem = attempt(lambda: library.write(table, path, options) and None)
            judge("rowline", "%s/write %s" % (kind, label), problem)
            if problem is None:
                judge("rowline", "%s/read %s" % (kind, label), attempt(lambda: difference(library.read(path), table)))
                read_by_all(path, kind, table, "%s/write %s" % (kind, label))
                written.setdefault(kind, []).append(path)
        for engine in judges:
            if kind not in engine.kinds:
                continue
            for label, write in engine.writes(table):
                path = os.path.join(work, "%s-%s-%s.parquet" % (engine.name, kind, label))
                try:
                    write(path)
                except Exception as e:  # an engine that cannot write it is no case
                    print("%s cannot write %s %s: %s" % (engine.name, kind, label, " ".join(str(e).split())[:160]))
                    continue
                judge(engine.name, "%s/they write %s" % (kind, label),
                      attempt(lambda: engine.check(path, library.read(path))))
                written.setdefault(kind, []).append(path)
    stitch_all(library, judges, work, judge, written)


def stitch_all(library, judges, work, judge, written):
    rng, numbers = random.Random(3), itertools.count()
    for kind, paths in written.items():
        groups = {}
        for path in paths:
            schema = tuple((f.name, str(f.type)) for f in library.read(path, count=1).schema)
            groups.setdefault(schema, []).append(path)
        for schema, same in groups.items():
            for case, parts in ([("each", [[p] for p in same]), ("mixed", [rng.sample(same, len(same)) for _ in range(3)])]):
                for i, chosen in enumerate(parts):
                    picked, wanted = [], []
                    for path in chosen:
                        table = library.read(path)
                        table = pa.table(table.columns, names=table.column_names)  # all nullable
                        ranges = ranges_of(rng, table.num_rows) if rng.random() < 0.7 else None
                        picked.append((path, ranges))
                        wanted += [table.slice(*r) for r in ranges] if ranges is not None else [table]
                    want = pa.concat_tables(wanted)
                    out = os.path.join(work, "stitched-%d.parquet" % next(numbers))
                    label = "%s/stitch %s %s" % (kind, case, os.path.basename(chosen[0])[:-8] if case == "each" else i)
                    problem = attempt(lambda: library.stitch(picked, out) and None)
                    judge("rowline", label, problem or attempt(lambda: difference(library.read(out), want)))
                    split = any("split" in p or "BYTE_STREAM_SPLIT" in p for p in chosen)
                    for engine in judges if problem is None else ():
                        if kind in engine.kinds and not (split and "split" in engine.cannot) and engine.can_read(chosen):
                            judge(engine.name, label, attempt(lambda e=engine: e.check(out, want)))


def attempt(check):
    try:
        return check()
    except Exception as e:  # whatever is thrown is the answer
        return "%s: %s" % (type(e).__name__, " ".join(str(e).split())[:300])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    judges, missing = engines()
    for line in missing:
        print(line)
    counts, failures = {}, 0

    def judge(engine, case, problem):
        nonlocal failures
        key = (engine, case.split("/")[1].split()[0], problem is None)
        counts[key] = counts.get(key, 0) + 1
        if problem is not None:
            failures += 1
            print("FAIL %s %s: %s" % (engine, case, problem), flush=True)

    check_files(capi.Library(options.library), judges, options.work, judge)
    for (engine, what, good), n in sorted(counts.items()):
        print("%-8s %-8s %-4s %d" % (engine, what, "ok" if good else "FAIL", n))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
