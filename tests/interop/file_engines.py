# SPDX-License-Identifier: Apache-2.0
"""Engines as readers and writers of Parquet files."""
import os

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import file_values


def said(e):
    """What an engine threw, in one line: of Java's chains of causes the last."""
    text = str(e).rsplit("Caused by: ", 1)[-1]
    return "%s: %s" % (type(e).__name__, " ".join(text.split())[:300])


class Engine:
    kinds = ("common", "wide")
    operations = ("read ours", "read theirs", "read stitched")
    without = ()  # columns of the tables that it has no type for

    def columns(self, paths):
        """{path: {name: array in the common form}, or the exception}."""
        found = {}
        for path in paths:
            try:
                found[path] = file_values.columns(self.read(path))
            except Exception as e:  # whatever an engine throws is its answer
                found[path] = e
        return found


class PyArrow(Engine):
    name = "pyarrow"

    def read(self, path):
        return pq.ParquetFile(path).read()

    def matching(self, path, condition):
        column, operator, value = condition
        return pq.read_table(path, columns=["id"], filters=[(column, operator, value)])

    def writes(self, table):
        """(label, function of a path) for each way this engine writes."""
        for codec in ("none", "snappy", "gzip", "zstd", "lz4"):
            yield codec, lambda p, c=codec: pq.write_table(table, p, compression=c, row_group_size=1100)
        yield "v2", lambda p: pq.write_table(table, p, version="2.6", data_page_version="2.0", data_page_size=2000,
                                             write_page_index=True, write_page_checksum=True)
        yield "plain", lambda p: pq.write_table(table, p, use_dictionary=False, data_page_size=3000)
        yield "brotli", lambda p: pq.write_table(table, p, compression="brotli", row_group_size=1100)
        for label, encoding, types in (("split", "BYTE_STREAM_SPLIT", ("float", "double", "int32", "int64")),
                                       ("delta", "DELTA_BINARY_PACKED", ("int32", "int64")),
                                       ("delta length", "DELTA_LENGTH_BYTE_ARRAY", ("string", "binary")),
                                       ("delta strings", "DELTA_BYTE_ARRAY", ("string", "binary"))):
            chosen = {f.name: encoding for f in table.schema if str(f.type) in types}
            yield label, lambda p, c=chosen: pq.write_table(table, p, use_dictionary=False, column_encoding=c,
                                                            data_page_version="2.0", data_page_size=4000)


class DuckDB(Engine):
    name = "duckdb"
    without = ("nsz",)  # it cuts instants to microseconds

    def __init__(self):
        import duckdb
        self.connection = duckdb.connect(config={"threads": 2})
        self.connection.execute("SET TimeZone = 'UTC'")

    def read(self, path):
        return self.connection.execute("SELECT * FROM read_parquet('%s')" % path).to_arrow_table()

    def matching(self, path, condition):
        query = "SELECT id FROM read_parquet('%s') WHERE %s" % (path, sql(condition))
        return self.connection.execute(query).to_arrow_table()

    def writes(self, table):
        # no half floats from Arrow, uuids as bytes
        table = table.select([f.name for f in table.schema if f.type not in (pa.float16(), pa.uuid())])

        def copy(path, how):
            self.connection.register("t", table)
            self.connection.execute("COPY (SELECT * FROM t ORDER BY id) TO '%s' (FORMAT parquet, %s)" % (path, how))
        yield "v1", lambda p: copy(p, "COMPRESSION snappy, ROW_GROUP_SIZE 2048")
        yield "v2", lambda p: copy(p, "COMPRESSION zstd, PARQUET_VERSION v2")


class Polars(Engine):
    name, kinds = "polars", ("common",)

    def __init__(self):
        import polars
        self.polars = polars

    def read(self, path):
        return self.polars.read_parquet(path).to_arrow()

    def matching(self, path, condition):
        frame = self.polars.scan_parquet(path).filter(self.polars.sql_expr(sql(condition)))
        return frame.select("id").collect().to_arrow()

    def writes(self, table):
        flat = table.select([f.name for f in table.schema if not pa.types.is_map(f.type)])  # it has no maps
        yield "zstd", lambda p: self.polars.from_arrow(flat).write_parquet(p, row_group_size=700)


class Arro3(Engine):
    name = "arro3"

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
    """Spark with its vectorised reader (nested columns too), or row by row."""

    kinds = ("common",)

    def __init__(self, session, vectorised):
        self.session, self.vectorised = session, vectorised
        self.name = "spark" if vectorised else "spark rows"
        if not vectorised:
            self.operations = ("read ours", "read stitched")

    def settle(self):
        for key in ("enableVectorizedReader", "enableNestedColumnVectorizedReader"):
            self.session.conf.set("spark.sql.parquet." + key, "true" if self.vectorised else "false")

    def columns(self, paths):
        """Many files in one job; if it fails, halves, so that each failure is found with few jobs."""
        self.settle()
        found, waiting = {}, [paths] if paths else []
        while waiting:
            some = waiting.pop()
            try:
                frame = self.session.read.parquet(*some)
                table = frame.select("*", "_metadata.file_name").toArrow()
                names = {os.path.basename(p): p for p in some}
                files = pc.run_end_encode(table.column("file_name").combine_chunks())
                at, table = 0, table.drop_columns("file_name")
                for end, name in zip(files.run_ends.to_pylist(), files.values.to_pylist()):
                    found[names[name]] = file_values.columns(table.slice(at, end - at))
                    at = end
                for path in some:
                    found.setdefault(path, file_values.columns(table.slice(0, 0)))
            except Exception as e:
                if len(some) == 1:
                    found[some[0]] = e
                else:
                    waiting += [some[:len(some) // 2], some[len(some) // 2:]]
        return found

    def writes(self, table):
        if not self.vectorised:
            return
        settings = self.session.conf
        settings.set("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")
        settings.set("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED")

        def save(path, version, instants):
            folder, source = path + ".d", path + ".source"
            pq.write_table(table, source)
            settings.set("spark.sql.parquet.outputTimestampType", instants)
            (self.session.read.parquet(source).coalesce(1).sortWithinPartitions("id").write.mode("overwrite")
             .option("parquet.writer.version", version).option("parquet.page.size", "4000").parquet(folder))
            part = next(f for f in os.listdir(folder) if f.endswith(".parquet"))
            os.replace(os.path.join(folder, part), path)
        yield "v1", lambda p: save(p, "PARQUET_1_0", "TIMESTAMP_MICROS")
        yield "v2", lambda p: save(p, "PARQUET_2_0", "TIMESTAMP_MICROS")
        yield "int96", lambda p: save(p, "PARQUET_1_0", "INT96")


def sql(condition):
    """(column, operator, value) as every engine's SQL has it."""
    column, operator, value = condition
    return "%s %s %s" % (column, operator, "'%s'" % value if isinstance(value, str) else value)


def all_engines(session=None):
    """Those that can be had, and lines about those that cannot."""
    found, missing = [], []
    for make in (PyArrow, DuckDB, Polars, Arro3):
        try:
            found.append(make())
        except ImportError as e:
            missing.append("%s: not here, left out: %s" % (make.name, e))
    if session is not None:
        found += [Spark(session, True), Spark(session, False)]
    return found, missing
