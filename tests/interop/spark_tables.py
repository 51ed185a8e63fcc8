# SPDX-License-Identifier: Apache-2.0
"""Tables that Spark makes: evolved, deleted from in every way, upgraded; rowline reads, rewrites and continues them."""
import os

import equality
import filters
import values
from table import RowlineError, Table

EVERY = ["duckdb", "pyiceberg", "polars", "iceberg-go", "spark"]
LINEAGE = ["duckdb", "iceberg-go", "spark"]


class Story:
    """A table at Spark's hands, with every engine asked after each step that has a name."""

    def __init__(self, court, rowline, warehouse, name, engines):
        self.court, self.spark = court, next((j for j in court.judges if j.name == "spark"), None)
        self.table = Table(rowline, warehouse, name, "", engines)
        self.table.vectors_of_others = True
        self.state = None

    def sql(self, *statements):
        for statement in statements:
            self.spark.sql(statement.format(t=self.table.spark_name, n="db." + self.table.name))

    def check(self, operation):
        self.table.look()
        self.state = self.court.check(self.table, operation)

    def step(self, operation, *statements):
        self.sql(*statements)
        self.check(operation)

    def kept(self, operation):
        """Checks, and that all rows have the lineage that they had at the check before."""
        before = self.state
        self.check(operation)
        self.court.run.judge("rowline", self.table.name, operation, values.difference(self.state, before))

    def rewrite(self, operation, *options):
        first = self.table.show()["next_row_id"]
        if self.table.one("rewrite", "--rewrite-all", *options)["snapshot_id"] is None:
            raise RowlineError("%s: --rewrite-all made no snapshot" % self.table.name)
        self.kept(operation)
        if self.table.show()["next_row_id"] != first:
            self.court.run.fail("%s: %s moved next-row-id" % (self.table.name, operation))

    def spark_rewrite(self, options="'rewrite-all', 'true'"):
        self.sql("CALL w.system.rewrite_data_files(table => '{n}', options => map(%s))" % options)
        self.kept("spark rewrite")

    def travel(self, operation, *numbers):
        """Reads snapshots as they were, by their place among all."""
        snapshots = self.spark.sql("SELECT snapshot_id FROM %s.snapshots ORDER BY committed_at" % self.table.spark_name)
        for n in numbers:
            snapshot = snapshots[n][0]
            self.table.look(snapshot)
            self.court.check(self.table, operation, snapshot=snapshot)
        self.table.look()

    def filter(self, count=40):
        filters.check(self.court, self.table, count)


def nested_evolution(story):
    """Columns inside structs, lists and maps added, dropped, renamed, moved, widened, between appends and deletes."""
    story.sql(
        "CREATE TABLE {t} (id bigint, st struct<a: int, b: string, f: float, gone: int>, "
        "li array<struct<x: int, y: string>>, m map<string, struct<v: int, w: decimal(9,2)>>, top int) "
        "TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')",
        "INSERT INTO {t} SELECT id, if(id % 7 = 0, NULL, named_struct('a', cast(id AS int), 'b', 'b' || id, "
        "'f', cast(id / 4 AS float), 'gone', 9)), "
        "if(id % 5 = 0, NULL, array(named_struct('x', cast(id AS int), 'y', 'y' || id), NULL)), "
        "map('k' || id, named_struct('v', cast(id AS int), 'w', cast(id / 4 AS decimal(9,2)))), cast(id AS int) "
        "FROM range(0, 30)")
    story.step("spark append",
               "ALTER TABLE {t} ADD COLUMN st.c date", "ALTER TABLE {t} ADD COLUMN li.element.z double",
               "ALTER TABLE {t} ADD COLUMN m.value.n array<int>",
               "INSERT INTO {t} SELECT id, named_struct('a', cast(id AS int), 'b', NULL, 'f', float('nan'), 'gone', 1, "
               "'c', date_add(date'1969-12-25', cast(id AS int))), "
               "array(named_struct('x', -1, 'y', NULL, 'z', id / 8)), "
               "if(id % 2 = 0, map(), map('n' || id, named_struct('v', NULL, 'w', -0.25, 'n', array(1, NULL, 3)), "
               "'o', NULL)), NULL FROM range(30, 60)")
    story.step("spark delete", "DELETE FROM {t} WHERE id IN (2, 33) OR st.a BETWEEN 15 AND 18")
    story.step("spark evolve",
               "ALTER TABLE {t} RENAME COLUMN st.b TO bb", "ALTER TABLE {t} RENAME COLUMN li.element.y TO yy",
               "ALTER TABLE {t} ALTER COLUMN st.a TYPE bigint", "ALTER TABLE {t} ALTER COLUMN st.f TYPE double",
               "ALTER TABLE {t} ALTER COLUMN m.value.w TYPE decimal(18,2)",
               "ALTER TABLE {t} ALTER COLUMN li.element.x TYPE bigint", "ALTER TABLE {t} DROP COLUMN st.gone",
               "ALTER TABLE {t} ALTER COLUMN st.c FIRST", "ALTER TABLE {t} ALTER COLUMN top FIRST",
               "ALTER TABLE {t} ALTER COLUMN top TYPE bigint", "ALTER TABLE {t} ADD COLUMN st.gone string",
               "INSERT INTO {t} SELECT 5000000000 + id, id, named_struct('c', NULL, 'a', 5000000000 + id, 'bb', 'new', "
               "'f', 1e300D, 'gone', 'back'), array(named_struct('x', 1, 'yy', 'n', 'z', NULL)), "
               "map('q', named_struct('v', 1, 'w', 12345678901234.25, 'n', NULL)) FROM range(60, 80)")
    story.filter()
    story.rewrite("rewrite")
    story.table.one("delete", "--where", "st.a > 5000000070 or id in (3, 40)")
    story.check("delete")
    story.step("spark merge", "MERGE INTO {t} t USING (SELECT 4 AS k UNION ALL SELECT 900) s ON t.id = s.k "
               "WHEN MATCHED THEN UPDATE SET t.st.bb = 'merged' "
               "WHEN NOT MATCHED THEN INSERT (id, top) VALUES (s.k, 1)")
    story.rewrite("rewrite again", "--sort", "st.c desc, id")
    story.travel("time travel", 0, 1, 3)
    story.spark_rewrite()


def spec_evolution(story):
    """Five partition specs, with deletes under each, rewritten into the last."""
    insert = ("INSERT INTO {{t}} SELECT id, if(id % 9 = 0, NULL, 's' || (id % 40)), "
              "if(id % 8 = 0, NULL, timestamp_micros(cast((id - 60) * 9999999999 AS bigint))), "
              "date_add(date'1970-01-15', cast(id - 60 AS int)), cast((id - 60) / 4 AS decimal(9,2)), "
              "cast(id - 60 AS double) / 4 FROM range({}, {})")
    story.sql("CREATE TABLE {t} (id bigint, s string, ts timestamp, d date, n decimal(9,2), v double) "
              "TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read', "
              "'write.update.mode' = 'merge-on-read')", insert.format(0, 30),
              "ALTER TABLE {t} ADD PARTITION FIELD truncate(2, s)", insert.format(30, 60),
              "DELETE FROM {t} WHERE id % 10 = 3")
    story.check("spark delete")
    story.sql("ALTER TABLE {t} ADD PARTITION FIELD days(ts)", "ALTER TABLE {t} ADD PARTITION FIELD bucket(3, n)",
              insert.format(60, 90), "ALTER TABLE {t} DROP PARTITION FIELD truncate(2, s)",
              "ALTER TABLE {t} REPLACE PARTITION FIELD ts_day WITH hours(ts)",
              "ALTER TABLE {t} ADD PARTITION FIELD months(d)", insert.format(90, 110))
    story.step("spark update", "UPDATE {t} SET v = v + 1 WHERE id % 10 = 4")
    story.filter()
    story.travel("time travel", 1, 2)
    story.rewrite("rewrite")
    story.sql("ALTER TABLE {t} DROP PARTITION FIELD n_bucket_3", "ALTER TABLE {t} ADD PARTITION FIELD s",
              "ALTER TABLE {t} RENAME COLUMN s TO text", insert.format(110, 130))
    story.check("spark append")
    story.table.one("delete", "--where", "text like 's1%' and id < 100")
    story.check("delete")
    story.rewrite("rewrite again", "--sort", "text desc nulls last, id")
    story.filter()
    story.spark_rewrite()


def equality_deletes(story, partitioned):
    """Equality deletes by several sets of columns in v2 and, after the upgrade, in v3."""
    def delete(columns, rows, part, more=()):
        equality.delete(story.spark, story.table, columns, rows, "k=%d" % part if partitioned else None, more)

    def check(operation, engines=LINEAGE):  # the others refuse tables with such deletes, which to see once is enough
        story.table.engines = engines
        story.check(operation)

    insert = ("INSERT INTO {{t}} SELECT id, cast(id % 3 AS int), if(id % 4 = 0, NULL, 's' || (id % 5)), "
              "cast(id % 6 AS int), cast(id AS float) / 4 FROM range({}, {})")
    story.sql("CREATE TABLE {t} (id bigint, k int, s string, i int, f float) %s "
              "TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read')"
              % ("PARTITIONED BY (k)" if partitioned else ""), insert.format(0, 40))
    check("spark append", EVERY)
    delete(["s"], [("s1",), (None,)], 1)
    story.sql(insert.format(40, 60))  # rows that come later stay
    check("equality delete", EVERY)
    delete(["id", "s"], [(6, "s1"), (7, "s2"), (41, "s1"), (8, "none")], 2)
    delete(["i"], [(5,)], 0)
    story.sql("DELETE FROM {t} WHERE id = 42", "ALTER TABLE {t} DROP COLUMN f")
    check("equality delete")
    story.travel("time travel v2", 1, 3)
    story.sql("ALTER TABLE {t} RENAME COLUMN s TO text", "ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '3')",
              "INSERT INTO {t} SELECT id, cast(id % 3 AS int), 'v3', cast(id AS int) FROM range(100, 130)")
    delete(["i"], [(104,), (107,), (3,)], 1)
    check("equality delete v3", EVERY)
    story.sql("ALTER TABLE {t} ALTER COLUMN i TYPE bigint")
    check("equality delete promoted")
    story.filter()
    story.table.one("delete", "--where", "id = 110")
    check("delete")
    story.rewrite("rewrite")
    delete(["text"], [("v3",)], 2)
    check("equality delete beside nulls")
    story.rewrite("rewrite again", "--sort", "i, id")
    story.step("spark append", "INSERT INTO {t} VALUES (900, 2, 'v3', 1)")


def equal_global(story):
    equality_deletes(story, False)


def equal_partitioned(story):
    equality_deletes(story, True)


def upgrade_chain(story):
    """Version 1, 2 with position deletes of a partition, 3; ids from the first commit of rowline on."""
    insert = ("INSERT INTO {{t}} SELECT id, cast(id % 2 AS int), 's' || id, "
              "if(id % 5 = 0, NULL, array(cast(id AS int), NULL)) FROM range({}, {})")
    story.sql("CREATE TABLE {t} (id bigint, p int, s string, li array<int>) PARTITIONED BY (p) "
              "TBLPROPERTIES ('format-version' = '1', 'write.delete.granularity' = 'partition', "
              "'write.delete.mode' = 'merge-on-read')", insert.format(0, 20), insert.format(20, 30))
    story.check("spark append")
    story.sql("ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '2')", insert.format(30, 40),
              "DELETE FROM {t} WHERE id % 7 = 2")
    story.check("position delete")
    story.table.engines = [e for e in EVERY if e != "polars"]  # as long as there are such deletes
    story.rewrite("rewrite")
    story.sql("DELETE FROM {t} WHERE id IN (4, 25, 36)")
    story.table.one("upgrade", "--to", "3", "--yes")
    story.check("upgrade")
    story.step("spark append", insert.format(40, 50))
    story.step("spark delete", "DELETE FROM {t} WHERE id IN (6, 26, 45)")
    story.rewrite("rewrite again")
    story.filter(20)
    story.spark_rewrite()
    story.travel("time travel v1", 0)
    story.travel("time travel v2", 3)


def avro_files(story):
    """Data in Avro, with stored lineage, and deletion vectors on it; rowline rewrites into Parquet."""
    insert = ("INSERT INTO {{t}} SELECT id, named_struct('a', cast(id AS int), 'l', array('x' || id, NULL)), "
              "map('k', id / 4), date_add(date'1970-01-01', cast(-id AS int)), "
              "timestamp_micros(id * 1000003), cast(id / 4 AS decimal(20,2)), cast('b' || id AS binary) "
              "FROM range({}, {})")
    story.sql("CREATE TABLE {t} (id bigint, st struct<a: int, l: array<string>>, m map<string, double>, d date, "
              "ts timestamp, n decimal(20,2), bin binary) TBLPROPERTIES ('format-version' = '3', "
              "'write.format.default' = 'avro', 'write.delete.mode' = 'merge-on-read', "
              "'write.update.mode' = 'copy-on-write')", insert.format(0, 30), insert.format(30, 60))
    story.check("spark append")
    story.step("spark delete", "DELETE FROM {t} WHERE id IN (3, 44)")
    story.step("spark update", "UPDATE {t} SET n = n + 1 WHERE id IN (5, 50)")
    story.sql("ALTER TABLE {t} RENAME COLUMN st.a TO aa", "ALTER TABLE {t} ALTER COLUMN st.aa TYPE bigint",
              insert.format(60, 70))
    story.check("spark append")
    story.filter()
    story.spark_rewrite()
    story.rewrite("rewrite")
    story.step("spark append", insert.format(70, 80))
    story.rewrite("rewrite again", "--sort", "d")


def mapped_files(story):
    """Parquet files without field ids, read by the name mapping that add_files sets, then renamed under it."""
    folder = story.table.folder + "-files"
    (story.spark.session.sql(
        "SELECT id, 's' || id AS s, named_struct('a', cast(id AS int), 'b', if(id % 3 = 0, NULL, id / 4)) AS st, "
        "array(named_struct('x', id)) AS li FROM range(0, 20)").coalesce(1).write.parquet(folder))
    story.sql("CREATE TABLE {t} (id bigint, s string, st struct<a: int, b: double>, li array<struct<x: bigint>>) "
              "TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')",
              "CALL w.system.add_files(table => '{n}', source_table => '`parquet`.`%s`')" % folder)
    story.check("spark append")
    story.step("spark delete", "DELETE FROM {t} WHERE id IN (3, 4)")
    story.step("spark evolve", "ALTER TABLE {t} RENAME COLUMN s TO text", "ALTER TABLE {t} RENAME COLUMN st.b TO bb",
               "ALTER TABLE {t} ADD COLUMN more int", "ALTER TABLE {t} ALTER COLUMN st.a TYPE bigint",
               "INSERT INTO {t} VALUES (100, 'new', named_struct('a', 1, 'bb', 2.5D), array(), 7)")
    story.filter()
    story.rewrite("rewrite")
    story.step("spark update", "UPDATE {t} SET text = 'changed' WHERE id = 5")
    story.rewrite("rewrite again", "--sort", "id desc")


# (struct, name, type, value)
DEFAULTS = [(None, "n", "Decimal", "-0.25"), (None, "b", "Boolean", True), (None, "i", "Integer", 34),
            (None, "l", "Long", 4900000000), (None, "f", "Float", 12.25), (None, "d", "Double", -0.5),
            (None, "s", "String", "of default"), (None, "un", "UUID", "0f8fad5b-d9cb-469f-a165-70867728950e"),
            ("st", "inner", "String", "inside")]


def defaults(story):
    """Columns added with defaults, through Iceberg's Java classes, one inside a struct."""
    story.sql("CREATE TABLE {t} (id bigint, st struct<a: int>) TBLPROPERTIES ('format-version' = '3', "
              "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read')",
              "INSERT INTO {t} SELECT id, if(id % 4 = 0, NULL, named_struct('a', cast(id AS int))) FROM range(0, 20)")
    iceberg = story.spark.session._jvm.org.apache.iceberg
    literal = iceberg.expressions.Literal

    def type_of(kind):
        found = getattr(iceberg.types, "Types$%sType" % kind)
        return found.of(9, 2) if kind == "Decimal" else found.get()

    def add(columns):
        update = story.spark.loaded(story.table.spark_name).updateSchema()
        for parent, name, kind, value in columns:
            update = update.addColumn(parent, name, type_of(kind), None, literal.of(value).to(type_of(kind)))
        update.commit()

    add(DEFAULTS)
    story.check("spark evolve")
    story.step("spark append", "INSERT INTO {t} (id) SELECT id FROM range(20, 30)",
               "INSERT INTO {t} (id, b, i, s, st) VALUES (31, NULL, NULL, NULL, named_struct('a', 1, 'inner', NULL))")
    story.step("spark update", "UPDATE {t} SET i = 1 WHERE id IN (3, 22)")
    story.filter()
    story.rewrite("rewrite")
    story.step("spark delete", "DELETE FROM {t} WHERE id IN (7, 25)")
    story.rewrite("rewrite again", "--sort", "s, id desc")
    add([(None, "dt", "Date", "2026-11-30")])
    story.check("default of a date")


def shredded(story):
    """Variants whose fields Spark shreds into columns of their own."""
    story.sql("CREATE TABLE {t} (id bigint, v variant) TBLPROPERTIES ('format-version' = '3', "
              "'write.parquet.shred-variants' = 'true', 'write.delete.mode' = 'merge-on-read')")
    conf = story.spark.session.conf
    conf.set("spark.sql.iceberg.shred-variants", "true")
    try:
        story.sql("INSERT INTO {t} SELECT id, CASE WHEN id % 7 = 0 THEN NULL WHEN id % 11 = 0 THEN parse_json('[1,2]') "
                  "ELSE parse_json('{{\"n\": ' || id || ', \"s\": \"x' || id || '\", \"o\": {{\"a\": [true]}}}}') END "
                  "FROM range(0, 60)")
    finally:
        conf.unset("spark.sql.iceberg.shred-variants")
    story.check("spark append")
    story.step("spark delete", "DELETE FROM {t} WHERE id IN (3, 44)")
    story.rewrite("rewrite")
    story.table.one("delete", "--where", "id = 5")
    story.check("delete")


def own_evolved(story):
    """rowline makes the table, Spark evolves it, and both write on."""
    table = story.table
    table.types = {}
    table.one("create", "--schema", "id long not null, ts timestamptz, st struct<a: int, l: list<string>>, "
              "m map<string, double>, n decimal(9,2)", "--partition", "day(ts), bucket(2, id)", "--sort", "id",
              "--property", "write.delete.mode=merge-on-read")
    row = lambda i: {"id": i, "ts": None if i % 5 == 0 else "2026-11-%02dT00:00:01.5+00:00" % (i % 3 + 1),
                     "st": None if i % 4 == 0 else {"a": i, "l": None if i % 3 == 0 else ["x%d" % i, None]},
                     "m": None if i % 6 == 0 else [["k%d" % i, i / 4], ["z", None]], "n": "%d.25" % i}
    table.append_rows([row(i) for i in range(0, 20)])
    table.append_rows([row(i) for i in range(20, 40)])
    story.check("append")
    story.step("spark append", "ALTER TABLE {t} ADD COLUMN st.d date", "ALTER TABLE {t} ALTER COLUMN st.a TYPE bigint",
               "ALTER TABLE {t} RENAME COLUMN m TO mm", "ALTER TABLE {t} ALTER COLUMN n TYPE decimal(12,2)",
               "INSERT INTO {t} SELECT id, timestamp'2026-11-02 05:00:00Z', named_struct('a', id + 5000000000, 'l', "
               "array(), 'd', date'2026-01-01'), map(), id FROM range(40, 50)")
    table.one("delete", "--where", "st.a between 5 and 9 or id = 41")
    story.check("delete")
    row_now = lambda i: {"id": i, "ts": "2026-12-01T00:00:00+00:00", "st": {"a": i, "l": [], "d": "1969-07-20"},
                         "mm": [], "n": "9999999999.75"}
    table.append_rows([row_now(i) for i in range(60, 70)])
    story.check("append")
    story.step("spark merge", "MERGE INTO {t} t USING (SELECT 12L AS k UNION ALL SELECT 400L) s ON t.id = s.k "
               "WHEN MATCHED THEN UPDATE SET n = -1 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.k)")
    story.rewrite("rewrite")
    story.sql("ALTER TABLE {t} REPLACE PARTITION FIELD ts_day WITH months(ts)",
              "INSERT INTO {t} (id, n) SELECT id, 0 FROM range(500, 510)", "DELETE FROM {t} WHERE id IN (13, 501)")
    story.check("spark delete")
    story.filter()
    story.rewrite("rewrite again", "--sort", "n desc")
    story.spark_rewrite()
    table.append_rows([row_now(i) for i in range(70, 75)])
    story.check("append")


ALL = [(nested_evolution, EVERY), (spec_evolution, EVERY), (equal_global, EVERY), (equal_partitioned, EVERY),
       (upgrade_chain, EVERY), (mapped_files, EVERY), (defaults, EVERY), (own_evolved, EVERY),
       (shredded, LINEAGE), (avro_files, ["spark"])]  # the others read no Avro


def run(of, engines, court, rowline, warehouse):
    story = Story(court, rowline, warehouse, of.__name__, engines)
    if story.spark is not None:
        of(story)
