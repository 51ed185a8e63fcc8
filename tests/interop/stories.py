# SPDX-License-Identifier: Apache-2.0
"""What is done to each table, with every engine asked after each step."""
import os
import random

import data
import values
from table import RowlineError, Table  # RowlineError: also for the driver

EVERY = ["duckdb", "pyiceberg", "pyarrow", "polars", "iceberg-go", "spark"]
WITHOUT_SPARK = EVERY[:-1]


def tuples(table, rows):
    return [tuple(values.from_json(r[n], k) for n, k in table.types.items()) for r in rows]


def kept(court, table, operation, before, after):
    """A rewrite must leave every row with its lineage as it was."""
    court.run.judge("rowline", table.name, operation, values.difference(after, before))


def rewrite(court, table, operation, expected, before, *options):
    """Rewrites, asks everybody, holds lineage and next-row-id against those before."""
    first = table.show()["next_row_id"]
    table.commit = commit = table.one("rewrite", "--rewrite-all", *options)
    if commit["snapshot_id"] is None:
        raise RowlineError("%s: --rewrite-all made no snapshot" % table.name)
    after = court.check(table, operation, expected)
    kept(court, table, operation, before, after)
    if table.show()["next_row_id"] != first:
        court.run.fail("%s: %s moved next-row-id from %s to %s" % (table.name, operation, first,
                                                                 table.show()["next_row_id"]))
    return after


def row_groups_of(table):
    import pyarrow.parquet as parquet

    return [parquet.ParquetFile(f["file_path"]).num_row_groups for f in table.files() if f["content"] == 0]


def big(court, rowline, warehouse):
    """80,000 rows in four files of three row groups, deletion vectors on two of them, rewritten twice."""
    table = Table(rowline, warehouse, "big", data.BIG, EVERY)
    table.create("--property", "write.parquet.row-group-size-bytes=157286")
    court.check(table, "create", [])
    for part in range(4):
        source = os.path.join(warehouse, "source-%d.parquet" % part)
        data.big_parquet(source, part * 20000, 20000)
        table.one("append", source)
        os.unlink(source)
    if min(row_groups_of(table)) < 3:
        raise RowlineError("big: row groups %s, three a file were wanted" % row_groups_of(table))
    rows = [data.big_row(i) for i in range(80000)]
    court.check(table, "append", tuples(table, rows))
    table.one("delete", "--where", "id < 40000 and k between 3 and 20")
    rows = [r for r in rows if not (r["id"] < 40000 and r["k"] is not None and 3 <= r["k"] <= 20)]
    state = court.check(table, "delete", tuples(table, rows))
    vectors = [f for f in table.files() if f["content"] == 1]
    if len(vectors) != 2:
        raise RowlineError("big: %d deletion vectors, two of four files were wanted" % len(vectors))
    state = rewrite(court, table, "rewrite", tuples(table, rows), state)
    rewrite(court, table, "rewrite again", tuples(table, rows), state, "--sort", "k desc nulls last, v",
            "--target-file-size", "1048576")


def uneven_vectors(court, rowline, warehouse):
    """Vectors of very different lengths by one delete, under three partition specs where Spark can make them."""
    draw = random.Random(court.seed)
    spark = next((j for j in court.judges if j.name == "spark"), None)
    readers = [e for e in EVERY if e != "polars"]  # which counts all vectors of a partition for each file in it
    table = Table(rowline, warehouse, "uneven_vectors", "id long not null, k long", readers)
    table.create()
    rows, of_file, old = {}, 3000, []
    for part, spec in enumerate([None, None, "ADD PARTITION FIELD bucket(2, id)", None,
                                 "DROP PARTITION FIELD bucket(2, id)", "ADD PARTITION FIELD truncate(7000, k)"]):
        if spec is not None and spark is not None:
            spark.sql("ALTER TABLE %s %s" % (table.spark_name, spec))
        made = [{"id": part * of_file + i, "k": part * of_file + i} for i in range(of_file)]
        table.append_rows(made)
        rows.update((r["id"], r) for r in made)
    for _ in range(4):
        gone = set()
        for part in range(6):
            first = part * of_file
            gone |= set(draw.sample(range(first, first + of_file), draw.choice([0, 1, 2, 5, 100, 400, 800])))
        listed = sorted(gone & rows.keys())
        commit = table.one("delete", "--where", "id in (%s)" % ", ".join(map(str, listed)))
        rows = {i: r for i, r in rows.items() if i not in gone}
        state = court.check(table, "delete", tuples(table, rows.values()))
        old.append((int(commit["snapshot_id"]), rows))
    draw.shuffle(old)  # a reader with a cache finds some vectors of a file in it
    for snapshot, then in old:
        court.check(table, "time travel", tuples(table, then.values()), snapshot)
    rewrite(court, table, "rewrite", tuples(table, rows.values()), state)


def partitioned(court, rowline, warehouse):
    """Two partition fields; deletion vectors, a sorted rewrite, an append, a rewrite of the rewrite."""
    table = Table(rowline, warehouse, "partitioned", data.PARTITIONED, EVERY)
    table.create("--partition", "region, day(ts)")
    rows = data.partitioned(0, 60)
    table.append_rows(rows[:30])
    table.append_rows(rows[30:])
    court.check(table, "append", tuples(table, rows))
    table.one("delete", "--where", "id in (3, 5, 7, 33, 44) or region = 'west' and id < 20")
    rows = [r for r in rows if r["id"] not in (3, 5, 7, 33, 44) and not (r["region"] == "west" and r["id"] < 20)]
    state = court.check(table, "delete", tuples(table, rows))
    rewrite(court, table, "rewrite", tuples(table, rows), state, "--sort", "amount desc, id")
    more = data.partitioned(60, 20)
    table.append_rows(more)
    rows += more
    state = court.check(table, "append", tuples(table, rows))
    rewrite(court, table, "rewrite again", tuples(table, rows), state)


def upgraded(court, rowline, warehouse):
    """A v2 table, upgraded: ids for its rows, nulls for its history."""
    table = Table(rowline, warehouse, "upgraded", data.UPGRADED, EVERY)
    table.create(version=2)
    rows = data.upgraded(0, 20)
    table.append_rows(rows[:12])
    old = table.append_rows(rows[12:])["snapshot_id"]
    court.check(table, "append", tuples(table, rows))
    table.one("upgrade", "--to", "3", "--yes")
    state = court.check(table, "upgrade", tuples(table, rows))
    unassigned = [r for r in state if r[-2] is None or r[-1] is None]
    court.run.judge("rowline", table.name, "upgrade", "%d rows without ids" % len(unassigned) if unassigned else None)
    court.check(table, "time travel", tuples(table, rows), int(old), True)
    table.append_rows(data.upgraded(20, 5))
    rows += data.upgraded(20, 5)
    court.check(table, "append", tuples(table, rows))
    table.one("delete", "--where", "id between 10 and 13 or id = 21")
    rows = [r for r in rows if not (10 <= r["id"] <= 13 or r["id"] == 21)]
    state = court.check(table, "delete", tuples(table, rows))
    state = rewrite(court, table, "rewrite", tuples(table, rows), state)
    rewrite(court, table, "rewrite again", tuples(table, rows), state, "--sort", "id desc")


def types(court, rowline, warehouse, name, schema, rows, judges, source=None):
    """One table of extremes and nulls: append, delete, rewrite. `source` writes a Parquet file to append as well."""
    table = Table(rowline, warehouse, name, schema, judges)
    table.create()
    court.check(table, "create", [])
    rows = rows + [data.nulls(table.types, len(rows) + 1)]
    table.append_rows(rows[:2])
    table.append_rows(rows[2:])
    if source is not None:
        path = table.folder + ".parquet"
        source(path)
        table.one("append", path)
        rows = rows + [{**data.nulls(table.types, None), **data.PARQUET_ROW}]
    court.check(table, "append", tuples(table, rows))
    table.one("delete", "--where", "id = 1")
    state = court.check(table, "delete", tuples(table, rows[1:]))
    rewrite(court, table, "rewrite", tuples(table, rows[1:]), state)


def spark_types(court, rowline, warehouse):
    types(court, rowline, warehouse, "spark_types", data.SPARK_TYPES, data.SPARK_ROWS, EVERY, data.nul_parquet)


def other_types(court, rowline, warehouse):
    types(court, rowline, warehouse, "other_types", data.OTHER_TYPES, data.OTHER_ROWS, WITHOUT_SPARK)


def tz_ns(court, rowline, warehouse):
    types(court, rowline, warehouse, "tz_ns", data.TZ_NS, data.TZ_NS_ROWS, WITHOUT_SPARK)


SPARK_STEPS = [
    ("spark append", "INSERT INTO {t} VALUES (200, 'spark', TIMESTAMP_NTZ'2026-11-02 01:02:03', 1.25), "
                     "(201, 'north', TIMESTAMP_NTZ'2026-11-01 00:00:00', NULL)"),
    ("spark delete", "DELETE FROM {t} WHERE id IN (4, 12, 201)"),
    ("spark merge", "MERGE INTO {t} AS t USING (SELECT id, 'merged' AS region FROM VALUES (8L), (16L), (300L) AS v(id)) "
                    "AS s ON t.id = s.id WHEN MATCHED AND t.id = 8 THEN DELETE WHEN MATCHED THEN UPDATE SET "
                    "t.amount = 77.50 WHEN NOT MATCHED THEN INSERT (id, region, ts, amount) "
                    "VALUES (s.id, s.region, TIMESTAMP_NTZ'2026-11-03 00:00:00', 0)"),
    ("spark rewrite", "CALL w.system.rewrite_data_files(table => 'db.{n}', options => map('rewrite-all', 'true'))"),
]


def continued(court, rowline, warehouse, name, mode):
    """Spark goes on writing to a table that rowline rewrote; both must see the same rows and lineage after each step."""
    spark = next((j for j in court.judges if j.name == "spark"), None)
    if spark is None:
        return
    table = Table(rowline, warehouse, name, data.PARTITIONED, EVERY)
    table.vectors_of_others = True
    modes = [a for k in ("delete", "update", "merge") for a in ("--property", "write.%s.mode=%s" % (k, mode))]
    table.create("--partition", "region, day(ts)", *modes)
    rows = data.partitioned(0, 40)
    table.append_rows(rows[:25])
    table.append_rows(rows[25:])
    table.one("delete", "--where", "id in (1, 2, 27)")
    table.one("rewrite", "--rewrite-all", "--sort", "id")
    state = None
    for operation, statement in SPARK_STEPS:
        before = table.show()["current_snapshot_id"]
        spark.sql(statement.format(t=table.spark_name, n=table.name))
        if table.show()["current_snapshot_id"] == before:
            raise RowlineError("%s: %s made no snapshot" % (name, operation))
        last, state = state, court.check(table, operation)
        if operation == "spark rewrite":
            kept(court, table, operation, last, state)
    table.append_rows(data.partitioned(400, 10))
    table.one("delete", "--where", "id in (9, 200, 405)")
    state = court.check(table, "delete")
    state = rewrite(court, table, "rewrite again", [r[:-2] for r in state], state)
    spark.sql("INSERT INTO %s VALUES (500, NULL, NULL, NULL)" % table.spark_name)
    court.check(table, "spark append")


def continued_merge_on_read(court, rowline, warehouse):
    continued(court, rowline, warehouse, "continued_mor", "merge-on-read")


def continued_copy_on_write(court, rowline, warehouse):
    continued(court, rowline, warehouse, "continued_cow", "copy-on-write")


def of_spark(court, rowline, warehouse, name, schema, made_by, rows_of, judges):
    """Spark creates a table and appends small files; rowline rewrites, by copying pages, and deletes; Spark goes on."""
    spark = next((j for j in court.judges if j.name == "spark"), None)
    if spark is None:
        return
    table = Table(rowline, warehouse, name, schema, judges)
    table.vectors_of_others = True
    types = ", ".join("%s %s" % (n, k.replace("list<", "array<").replace("long", "bigint"))
                      for n, k in table.types.items())
    spark.sql("CREATE TABLE %s (%s) TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read', "
              "'write.parquet.dict-size-bytes' = '64', 'write.parquet.page-row-limit' = '100')"
              % (table.spark_name, types))  # else pages are renumbered, or joined because they are so small
    for part in range(5):
        spark.sql("INSERT INTO %s %s" % (table.spark_name, made_by.format(part * 60, part * 60 + 60)))
    rows = rows_of(0, 300)
    court.check(table, "spark append", tuples(table, rows))
    spark.sql("DELETE FROM %s WHERE id IN (3, 9, 61) OR id BETWEEN 70 AND 90" % table.spark_name)
    rows = [r for r in rows if r["id"] not in (3, 9, 61) and not 70 <= r["id"] <= 90]
    state = court.check(table, "spark delete", tuples(table, rows))
    state = rewrite(court, table, "rewrite", tuples(table, rows), state)
    court.run.judge("rowline", table.name, "rewrite", None if table.commit["pages_copied"] else "no page was copied")
    table.one("delete", "--where", "id in (100, 299)")
    rows = [r for r in rows if r["id"] not in (100, 299)]
    court.check(table, "delete", tuples(table, rows))
    spark.sql("INSERT INTO %s %s" % (table.spark_name, made_by.format(400, 430)))
    spark.sql("DELETE FROM %s WHERE id IN (110, 290, 410)" % table.spark_name)
    rows = [r for r in rows + rows_of(400, 30) if r["id"] not in (110, 290, 410)]
    state = court.check(table, "spark delete", tuples(table, rows))
    state = rewrite(court, table, "rewrite again", tuples(table, rows), state)
    spark.sql("CALL w.system.rewrite_data_files(table => 'db.%s', options => map('rewrite-all', 'true'))" % name)
    kept(court, table, "spark rewrite", state, court.check(table, "spark rewrite", tuples(table, rows)))


def nested_spark(court, rowline, warehouse):
    of_spark(court, rowline, warehouse, "nested_spark", data.NESTED, data.NESTED_SQL, data.nested, EVERY)


def variant_spark(court, rowline, warehouse):
    of_spark(court, rowline, warehouse, "variant_spark", data.VARIANT, data.VARIANT_SQL, data.variants,
             ["duckdb", "iceberg-go", "spark"])  # the others have no variants


ALL = [nested_spark, variant_spark, spark_types, other_types, tz_ns, upgraded, uneven_vectors, partitioned,
       continued_merge_on_read, continued_copy_on_write, big]
