# SPDX-License-Identifier: Apache-2.0
"""Filters on written and stitched files: what engines skip by dictionary, bloom filter, page index and statistics.

Each engine that filters must find the rows that are there. Spark is asked with its two readers, with and without page
index; and what it reads shows that it does skip, without which the answers would prove little.
"""
import random

import pyarrow as pa
import pyarrow.parquet as pq

import file_engines

ROWS = 4000
ONE_GROUP = {"write.parquet.page-row-limit": 200}
PLAIN = {**ONE_GROUP, "write.parquet.dict-size-bytes": 1}
BLOOM = {**PLAIN, **{"write.parquet.bloom-filter-enabled.column." + c: "true" for c in ("s", "n")}}


def table(first, few, many):
    """`few` rows of 40 values of n and s, then `many` with values of their own; the list makes pages end anywhere."""
    rng = random.Random(first)
    n = [rng.randrange(40) * 1000 for _ in range(few)] + [rng.randrange(40000) * 2 + 1 for _ in range(many)]
    ids = list(range(first, first + few + many))
    return pa.table({
        "id": pa.array(ids, pa.int64()),
        "n": pa.array([None if rng.random() < 0.05 else v for v in n], pa.int64()),
        "s": pa.array([None if rng.random() < 0.05 else "s%05d" % v for v in n]),
        "list": pa.array([list(range(i % 7)) for i in ids], pa.list_(pa.int32())),
    }, schema=pa.schema([pa.field("id", pa.int64(), False), pa.field("n", pa.int64()), pa.field("s", pa.string()),
                         pa.field("list", pa.list_(pa.int32()))]))


def codings(library, path, column):
    """How the data pages of each row group are coded: "D" with dictionary, "p" without."""
    groups = {}
    for page in library.pages(path, column).to_pylist():
        if page["kind"].startswith("data"):
            groups.setdefault(page["row_group"], []).append("D" if "DICTIONARY" in page["encoding"] else "p")
    return ["".join(g) for g in groups.values()]


def mixed(library, path):
    """Pages without dictionary behind such with one, in one chunk."""
    return all(any(g.strip("p") and g.strip("D") for g in codings(library, path, c)) for c in ("n", "s"))


def bloom(library, path):
    meta = pq.ParquetFile(path).metadata
    chunks = [meta.row_group(g).column(c) for g in range(meta.num_row_groups) for c in (1, 2)]
    return all(c.bloom_filter_offset is not None for c in chunks)


def order(path):
    """The columns by which each row group says it is sorted."""
    meta = pq.ParquetFile(path).metadata
    return [[s.column_index for s in meta.row_group(g).sorting_columns] for g in range(meta.num_row_groups)]


class Case:
    """A file with its rows, and what it must look like for the filters to mean something."""

    def __init__(self, name, path, rows, shape):
        self.name, self.path, self.shape = name, path, shape
        self.rows = {n: rows.column(n).to_pylist() for n in ("id", "n", "s")}

    def conditions(self):
        """Values that are there (of front and end), that are not but might be by the bounds, ranges."""
        values = [v for v in self.rows["n"] if v is not None]
        texts = [v for v in self.rows["s"] if v is not None]
        yield from [("n", "=", values[-3]), ("n", "=", 17778), ("s", "=", texts[-3])]
        yield from [("id", "=", self.rows["id"][len(self.rows["id"]) // 3]), ("id", ">=", self.rows["id"][-1] - 30)]

    def wanted(self, condition):
        """(rows, sum of ids)."""
        column, operator, value = condition
        test = {"=": value.__eq__, ">": lambda v: v > value, ">=": lambda v: v >= value}[operator]
        found = [i for i, v in zip(self.rows["id"], self.rows[column]) if v is not None and test(v)]
        return len(found), sum(found)


def make(library, path):
    """The files: dictionary with fallback, bloom filters, sorted; as written and as stitched."""
    cases, files = [], {}

    def write(name, rows, properties, sorted_by=()):
        files[name] = (path("filter", name), rows)
        library.write(rows, files[name][0], properties, sorted_by)

    def case(name, shape):
        cases.append(Case(name, *files[name], shape))

    def stitch(name, parts, properties, shape):
        """`parts`: (name, first row, count)."""
        out = path("filter", name)
        library.stitch([(files[n][0], [(first, count)]) for n, first, count in parts], out, properties)
        files[name] = (out, pa.concat_tables([files[n][1].slice(first, count) for n, first, count in parts]))
        case(name, shape)

    write("fallback", table(0, 3000, 1000), {**ONE_GROUP, "write.parquet.dict-size-bytes": 3000})
    case("fallback", lambda p: mixed(library, p))
    write("few", table(10000, ROWS, 0), ONE_GROUP)
    case("few", lambda p: "p" not in "".join(codings(library, p, "n")))
    write("many", table(20000, 0, ROWS), PLAIN)
    stitch("stitched fallback", [("few", 0, 3000), ("many", 0, 1000)], ONE_GROUP,
           lambda p: mixed(library, p))
    stitch("stitched around", [("fallback", 10, 3900), ("few", 0, 500), ("many", 77, 1000), ("few", 600, 500)],
           ONE_GROUP, lambda p: True)
    write("bloom", table(30000, 0, ROWS), BLOOM)
    case("bloom", lambda p: bloom(library, p))
    write("bloom too", table(40000, 0, ROWS // 2), BLOOM)
    stitch("stitched bloom", [("bloom", 0, ROWS), ("bloom too", 0, ROWS // 2)], BLOOM,
           lambda p: bloom(library, p))
    by_id = [0]
    write("sorted", table(50000, ROWS, 0), ONE_GROUP, by_id)
    case("sorted", lambda p: order(p) == [by_id])
    write("sorted behind", table(60000, ROWS // 2, 0), ONE_GROUP, by_id)
    stitch("stitched sorted", [("sorted", 30, 3900), ("sorted behind", 0, 1900)], ONE_GROUP,
           lambda p: order(p) == [by_id])
    stitch("stitched unsorted", [("sorted behind", 0, 1900), ("sorted", 30, 3900)], ONE_GROUP,
           lambda p: by_id not in order(p) or len(order(p)) > 1)
    return cases


def compare(case, found):
    """`found`: condition to (rows, sum of ids). None, or the first that differs."""
    for condition, got in found.items():
        if tuple(got) != case.wanted(condition):
            return "%s: %d rows, ids sum to %s, expected %d and %d" % (file_engines.sql(condition), *got,
                                                                       *case.wanted(condition))
    return None


def figures(rows):
    ids = rows.column("id").to_pylist()
    return len(ids), sum(ids)


def by_each(case, read):
    try:
        return compare(case, {c: figures(read(case.path, c)) for c in case.conditions()})
    except Exception as e:
        return file_engines.said(e)


def by_spark(engine, cases, page_index):
    """{case: {condition: (rows, sum of ids)}} by one job without shuffles."""
    engine.settle()
    union, keys = None, []
    for case in cases:
        frame = engine.session.read.option("parquet.filter.columnindex.enabled", page_index).parquet(case.path)
        for condition in case.conditions():
            one = frame.where(file_engines.sql(condition)).selectExpr("%d AS k" % len(keys), "id")
            union = one if union is None else union.unionAll(one)
            keys.append((case, condition))
    ids = [[] for _ in keys]
    engine.session.conf.set("spark.sql.codegen.wholeStage", "false")  # a hundred stages to compile take longer
    try:
        for row in union.toArrow().to_pylist():
            ids[row["k"]].append(row["id"])
    finally:
        engine.session.conf.unset("spark.sql.codegen.wholeStage")
    found = {case: {} for case in cases}
    for (case, condition), some in zip(keys, ids):
        found[case][condition] = (len(some), sum(some))
    return found


def rows_read(engine, case, condition, **options):
    """How many rows Spark's scan gave to its filter."""
    reader = engine.session.read
    for key, value in options.items():
        reader = reader.option("parquet.filter." + key + ".enabled", value)
    frame = reader.parquet(case.path).where(file_engines.sql(condition)).select("id")
    plan = frame._jdf.queryExecution().executedPlan()
    frame._jdf.queryExecution().toRdd().count()
    return plan.collectLeaves().head().metrics().apply("numOutputRows").value()


def skipping(engine, cases):
    """None, or what Spark should have skipped and read all the same; (case, condition, option, rows at most)."""
    engine.settle()
    some = {c.name: c for c in cases}
    wanted = [("few", ("n", "=", 17778), "dictionary", 0),
              ("bloom", ("n", "=", 17778), "bloom", 0),
              ("stitched bloom", ("s", "=", "s17778"), "bloom", 0),
              ("sorted", ("id", "=", 50777), "columnindex", 400),
              ("stitched sorted", ("id", "=", 60777), "columnindex", 400)]
    for name, condition, option, most in wanted:
        on = rows_read(engine, some[name], condition)
        off = rows_read(engine, some[name], condition, **{option: "false"})
        if on > most or off <= most:
            return "%s where %s: %d rows read, %d without %s" % (name, file_engines.sql(condition), on, off, option)
    return None


def check(library, judges, path, judge):
    cases = make(library, path)
    for case in cases:
        label = "filter:" + case.name
        judge("rowline", label, "filter", None if case.shape(case.path) else "the file is not of the shape to be tried")
        judge("rowline", label, "filter", by_each(case, lambda p, c: library.read(p, ["id"], file_engines.sql(c))))
        for engine in judges:
            if hasattr(engine, "matching"):
                judge(engine.name, label, "filter", by_each(case, engine.matching))
    for engine in judges:
        if not isinstance(engine, file_engines.Spark):
            continue
        for page_index, some in (("true", cases), ("false", [c for c in cases if "sorted" in c.name])):
            try:
                found = by_spark(engine, some, page_index)
            except Exception as e:
                judge(engine.name, "filter:all", "filter", file_engines.said(e))
                continue
            for case in some:
                judge(engine.name, "filter:" + case.name, "filter", compare(case, found[case]))
        try:
            problem = skipping(engine, cases)
        except Exception as e:
            problem = file_engines.said(e)
        judge(engine.name, "filter:skipping", "filter", problem)
