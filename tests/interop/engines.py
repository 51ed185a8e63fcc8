# SPDX-License-Identifier: Apache-2.0
"""The judges: each opens a table where it lies and returns rows, with both lineage columns where it knows them."""
import glob
import importlib
import os
import subprocess

import values

LOGGING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "log4j2.properties")


class Unavailable(Exception):
    """The engine cannot be used here."""


class DuckDB:
    name, lineage = "duckdb", True

    def start(self, options):
        try:
            import duckdb
            packages = [importlib.import_module("duckdb_extension_" + n) for n in ("avro", "iceberg")]
        except ImportError as e:
            raise Unavailable(str(e)) from None
        self.extensions = []
        for package in packages:
            name = package.__name__.rsplit("_", 1)[1] + ".duckdb_extension"
            found = glob.glob(os.path.join(os.path.dirname(package.__file__), "**", name), recursive=True)
            if not found:
                raise Unavailable("no file %s in its package" % name)
            self.extensions.append(found[0])
        self.duckdb, self.connection = duckdb, None
        return "DuckDB " + duckdb.__version__

    def query(self, statement):
        if self.connection is None:
            self.connection = self.duckdb.connect(config={"allow_unsigned_extensions": "true"})
            for path in self.extensions:
                self.connection.execute("LOAD '%s'" % path)
            self.connection.execute("SET TimeZone = 'UTC'")
        try:
            return self.connection.execute(statement)
        except self.duckdb.Error as e:
            if "INTERNAL" in str(e) or "FATAL" in str(e):
                self.connection = None  # this one answers nothing any more
            raise

    def use_cache(self, table):
        """1.5.5 reads vectors wrong that it finds in its cache of file ranges (src/puffin/writer.c says when): those of
        rowline never, those of Spark now and then."""
        self.query("SET enable_external_file_cache = %s" % ("false" if table.vectors_of_others else "true"))

    def read(self, table, snapshot, lineage):
        self.use_cache(table)
        columns = ", ".join([*table.columns("CASE WHEN {0} IS NOT NULL THEN {0}::JSON END"),
                             *(values.LINEAGE if lineage else ())])
        at = ", snapshot_from_id = %d" % snapshot if snapshot else ""
        sql = "SELECT %s FROM iceberg_scan('%s'%s)" % (columns, table.metadata(), at)
        return values.rows_of_arrow(self.query(sql).to_arrow_table(), table.types, lineage)

    def selected(self, table, conditions):
        """The ids of the rows for which each condition holds."""
        self.use_cache(table)
        lists = ", ".join("coalesce(list(id) FILTER (WHERE %s), [])" % c for c in conditions)
        return self.query("SELECT %s FROM iceberg_scan('%s')" % (lists, table.metadata())).fetchone()


class PyIceberg:
    name, lineage = "pyiceberg", False

    def start(self, options):
        try:
            import pyiceberg
            import pyarrow
        except ImportError as e:
            raise Unavailable(str(e)) from None
        return "PyIceberg %s, pyarrow %s" % (pyiceberg.__version__, pyarrow.__version__)

    def read(self, table, snapshot, lineage):
        from pyiceberg.table import StaticTable

        found = StaticTable.from_metadata("file://" + table.metadata()).scan(snapshot_id=snapshot).to_arrow()
        return values.rows_of_arrow(found, table.types, False)


class PyArrow:
    """Reads the data files themselves, as far as no delete hides rows in them."""

    name, lineage = "pyarrow", False

    def start(self, options):
        try:
            import pyarrow
        except ImportError as e:
            raise Unavailable(str(e)) from None
        return "pyarrow " + pyarrow.__version__

    def read(self, table, snapshot, lineage):
        import pyarrow.parquet as parquet

        files = table.files(snapshot)
        if any(f["content"] != 0 for f in files):
            return None
        return [row for f in files
                for row in values.rows_of_arrow(parquet.ParquetFile(f["file_path"]).read(), table.types, False)]


class Polars:
    """Its own reader of the files; what lies in metadata it has from PyIceberg."""

    name, lineage = "polars", False

    def start(self, options):
        try:
            import polars
            import pyiceberg  # noqa: F401
        except ImportError as e:
            raise Unavailable(str(e)) from None
        self.polars = polars
        os.environ["POLARS_ICEBERG_PLANNER"] = "pyiceberg"  # no advice to install another
        return "polars " + polars.__version__

    def read(self, table, snapshot, lineage):
        frame = self.polars.scan_iceberg("file://" + table.metadata(), snapshot_id=snapshot, reader_override="native")
        return values.rows_of_arrow(frame.collect().to_arrow(), table.types, False)


class IcebergGo:
    """By the program of the folder go, built beforehand."""

    name, lineage = "iceberg-go", True

    def start(self, options):
        if not os.access(options.go, os.X_OK):
            raise Unavailable("no %s" % options.go)
        self.program = options.go
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "go", "go.mod"), encoding="utf-8") as f:
            version = next(line.split()[1] for line in f if "apache/iceberg-go" in line)
        return "iceberg-go " + version

    def read(self, table, snapshot, lineage):
        import pyarrow.ipc

        columns = [*table.types, *(values.LINEAGE if lineage else ())]
        done = subprocess.run([self.program, "file://" + table.metadata(), str(snapshot or "-"), *columns],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace").strip()[-300:])
        with pyarrow.ipc.open_stream(done.stdout) as stream:
            return values.rows_of_arrow(stream.read_all(), table.types, lineage)


class Spark:
    name, lineage = "spark", True

    def start(self, options):
        try:
            import pyspark
            from pyspark.sql import SparkSession
        except ImportError as e:
            raise Unavailable(str(e)) from None
        jars = sorted(glob.glob(os.path.join(options.jars, "iceberg-spark-runtime-*.jar")))
        if not jars:
            raise Unavailable("no iceberg-spark-runtime jar in " + options.jars)
        settings = {
            "spark.driver.extraClassPath": ":".join(jars),
            "spark.driver.memory": "2g",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -Dlog4j2.configurationFile=" + LOGGING,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.adaptive.enabled": "false",  # a few rows: compiling and planning would take most of the time
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
            "spark.sql.catalog.w": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.w.type": "hadoop",
            "spark.sql.catalog.w.warehouse": options.warehouse,
            "spark.sql.catalog.w.cache-enabled": "false",  # rowline commits in between
            # it keeps the values of equality deletes in the type that a column had before
            "spark.sql.iceberg.executor-cache.enabled": "false",
        }
        builder = SparkSession.builder.master("local[2]").appName("interop")
        for key, value in settings.items():
            builder = builder.config(key, value)
        try:
            self.session = builder.getOrCreate()
        except Exception as e:  # no Java, or one that is too old
            raise Unavailable(" ".join(str(e).split())[:200]) from None
        return "Spark %s with %s" % (pyspark.__version__, os.path.basename(jars[0]))

    def sql(self, statement):
        return self.session.sql(statement).collect()

    def loaded(self, name):
        """Iceberg's Java table."""
        return self.session._jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(self.session._jsparkSession, name)

    def read(self, table, snapshot, lineage):
        columns = ", ".join([*table.columns("to_json({0})"), *(values.LINEAGE if lineage else ())]).replace('"', "`")
        at = " VERSION AS OF %d" % snapshot if snapshot else ""
        found = self.session.sql("SELECT %s FROM %s%s" % (columns, table.spark_name, at))
        return values.rows_of_arrow(found.toArrow(), table.types, lineage)

    def selected(self, table, conditions):
        """The ids of the rows for which each condition holds."""
        lists = ", ".join("collect_list(id) FILTER (WHERE %s)" % c for c in conditions)
        return self.sql("SELECT %s FROM %s" % (lists, table.spark_name))[0]

    def digest(self, table):
        """The figures of `rowline digest`, by the SQL that its documentation gives."""
        i, v = values.LINEAGE
        row = self.sql(
            f"""SELECT count(*), count_if({i} IS NULL OR {v} IS NULL),
                coalesce(sum(CAST({i} AS DECIMAL(38,0))), 0), coalesce(sum(CAST({v} AS DECIMAL(38,0))), 0),
                coalesce(sum(CAST({i} AS DECIMAL(20,0)) * CAST({v} AS DECIMAL(17,0))), 0),
                coalesce(sum(CAST(xxhash64({i}, {v}) AS DECIMAL(38,0))), 0)
            FROM {table.spark_name}"""
        )[0]
        return {
            "rows": row[0],
            "rows_without_lineage": row[1],
            "row_id_sum": str(int(row[2])),
            "last_updated_sum": str(int(row[3])),
            "product_sum": str(int(row[4])),
            "lineage_checksum": "%016x" % (int(row[5]) % 2**64),
        }


def all_engines():
    return [DuckDB(), PyIceberg(), PyArrow(), Polars(), IcebergGo(), Spark()]
