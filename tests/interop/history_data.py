# SPDX-License-Identifier: Apache-2.0
"""Random columns, partition specs, sort orders and properties of tables, their rows, and files that bring these.

A type is the text of rowline's schemas, "not null" in it where it stands; a cell is what rowline's JSON lines say.
"""
import csv
import datetime
import decimal
import json
import uuid

import values

PLAIN = ["boolean", "int", "long", "float", "double", "decimal(9,2)", "decimal(18,0)", "decimal(38,10)", "date",
         "timestamp", "timestamptz", "string", "string", "binary", "uuid", "fixed[5]"]
WITHOUT_SPARK = ["time", "timestamp_ns"]  # Spark 4.1.4 has no such types
RARE = ["timestamptz_ns", "unknown"]  # each of which some engine cannot read; no file that we can write has a variant
KEYS = ["string", "int", "long", "date"]
TEXTS = ["", "a", "ab", "b", "B", "ä", "\U0001d4b3é", "x,\"y\"\n", "z" * 3000, "row of some length"]

TIMES = {"timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"}
BUCKETS = TIMES | {"int", "long", "decimal", "date", "time", "string", "uuid", "fixed", "binary"}


def bare(kind):
    return kind.replace(" not null", "")


def family(kind):
    """The name of a type without its figures."""
    return bare(kind).split("(")[0].split("[")[0]


def parts(kind):
    """The types inside of a nested one; none of others."""
    if "<" not in kind:
        return []
    return [k for _, k in values.inner(kind)] if kind.startswith("struct<") else values.inner(kind)


def within(kind, test):
    """Whether `test` holds for a nested type somewhere in this one."""
    return "<" in kind and (test(kind) or any(within(bare(k), test) for k in parts(kind)))


def has_list_by_struct(kind):
    """Whether it is a struct that has a list or map, or one of these that has structs."""
    within_it = ("list<", "map<") if kind.startswith("struct<") else ("struct<",)
    return any(k.startswith(within_it) for k in parts(kind))


def has_uuid(kind):
    return "uuid" in kind


class Column:
    """`pool`: the few values that it has, or None where each row has its own."""

    def __init__(self, rng, name, kind):
        self.name, self.kind = name, kind
        self.pool = [cell(rng, kind) for _ in range(rng.randint(1, 5))] if rng.random() < 0.6 else None

    def draw(self, rng):
        return rng.choice(self.pool) if self.pool else cell(rng, self.kind)


# --- types ---

def leaf(rng, spark):
    if rng.random() < 0.1 and not spark:
        return rng.choice(WITHOUT_SPARK)
    return rng.choice(PLAIN)


def required(rng, kind):
    return kind + " not null" if rng.random() < 0.2 else kind


def a_type(rng, spark, depth=3):
    if depth == 0 or rng.random() < 0.7:
        return leaf(rng, spark)
    shape = rng.choice(["struct", "list", "map"])
    part = lambda: required(rng, a_type(rng, spark, depth - 1))
    if shape == "struct":  # PySpark 4.1.4 makes no Arrow column of null structs with required fields
        inside = (lambda: bare(part())) if spark else part
        return "struct<%s>" % ", ".join("%s: %s" % (n, inside()) for n in "abc"[:rng.randint(1, 3)])
    return "list<%s>" % part() if shape == "list" else "map<%s, %s>" % (rng.choice(KEYS), part())


def columns(rng, spark):
    """The key first, then up to six; one of a rare type only when Spark need not read them."""
    found = [Column(rng, "c%d" % i, required(rng, a_type(rng, spark))) for i in range(rng.randint(1, 6))]
    if not spark and rng.random() < 0.15:
        found.append(Column(rng, "rare", rng.choice(RARE)))
    return found


# --- values ---

def cell(rng, kind):
    """A random cell, null now and then where it may be."""
    if kind.endswith(" not null"):
        kind = kind[:-9]
    elif rng.random() < 0.12:
        return None
    if kind.startswith("struct<"):
        return {n: cell(rng, k) for n, k in values.inner(kind)}
    if kind.startswith("list<"):
        return [cell(rng, values.inner(kind)[0]) for _ in range(rng.choice([0, 1, 2, 5]))]
    if kind.startswith("map<"):
        key, value = values.inner(kind)
        keys = dict.fromkeys(cell(rng, key + " not null") for _ in range(rng.choice([0, 1, 3])))
        return [[k, cell(rng, value)] for k in keys]
    return MAKERS[family(kind)](rng, kind)


def whole(rng, bits):
    most = 2**(bits - 1)
    return rng.choice([rng.randrange(100), rng.randrange(-1000, 1000), rng.randrange(-most, most), 0, -1, -most,
                       most - 1])


def real(rng, digits):
    """A number that has the digits of its type; not all that are shorter in the other."""
    v = rng.choice([rng.randrange(-400, 400) / 4, rng.random() * 10**rng.randint(-3, 6), 0.0, -0.0, "NaN", "Infinity",
                    "-Infinity", 1e30, -1e-30])
    return float("%.*g" % (digits, v)) if isinstance(v, float) else v


def number(rng, kind):
    precision, scale = (int(n) for n in kind[8:-1].split(","))
    most = 10**precision
    v = rng.choice([rng.randrange(-999, 1000), rng.randrange(1 - most, most), 0, most - 1, 1 - most])
    sign, digits = "-" if v < 0 else "", str(abs(v)).rjust(scale + 1, "0")
    return sign + (digits if scale == 0 else digits[:-scale] + "." + digits[-scale:])


def day(rng):
    return rng.choice([rng.randrange(-40, 40), rng.randrange(19000, 21000), -719162, 2932896, 0, -1])


def moment(rng, per_second):
    """Units since 1970; nanoseconds have fewer years."""
    days = day(rng)
    if per_second != 10**6:
        days = max(-106750, min(days, 106750))
    return days * 86400 * per_second + rng.choice([0, 1, 86400 * per_second - 1, rng.randrange(86400 * per_second)])


def some_bytes(rng, count):
    return bytes(rng.choice([0, 255, 97, rng.randrange(256)]) for _ in range(count)).hex()


MAKERS = {
    "boolean": lambda rng, kind: rng.random() < 0.5,
    "int": lambda rng, kind: whole(rng, 32),
    "long": lambda rng, kind: whole(rng, 64),
    "float": lambda rng, kind: real(rng, 6),
    "double": lambda rng, kind: real(rng, 15),
    "decimal": number,
    "date": lambda rng, kind: values.civil(day(rng)),
    "time": lambda rng, kind: values.clock(rng.choice([0, 86400 * 10**6 - 1, rng.randrange(86400 * 10**6)]), 10**6),
    "timestamp": lambda rng, kind: values.stamp(moment(rng, 10**6), 10**6, ""),
    "timestamptz": lambda rng, kind: values.stamp(moment(rng, 10**6), 10**6, "+00:00"),
    "timestamp_ns": lambda rng, kind: values.stamp(moment(rng, 10**9), 10**9, ""),
    "timestamptz_ns": lambda rng, kind: values.stamp(moment(rng, 10**9), 10**9, "+00:00"),
    "string": lambda rng, kind: rng.choice([*TEXTS, "s%d" % rng.randrange(10**6)]),
    "binary": lambda rng, kind: some_bytes(rng, rng.choice([0, 1, 3, 20])),
    "fixed": lambda rng, kind: some_bytes(rng, int(kind[6:-1])),
    "uuid": lambda rng, kind: str(uuid.UUID(int=rng.choice([0, 2**128 - 1, rng.getrandbits(128)]))),
    "unknown": lambda rng, kind: None,
}


# --- how tables are made ---

def leaves(found):
    """(path, type, has few values) of the columns behind id that can be keys, those in structs too."""
    for c in found[1:]:
        if c.kind.startswith("struct<"):
            for name, kind in values.inner(bare(c.kind)):
                if "<" not in kind:
                    yield c.name + "." + name, kind, c.pool is not None
        elif "<" not in c.kind and c.kind != "unknown":
            yield c.name, bare(c.kind), c.pool is not None


def transform(rng, path, kind, few):
    """A partition field of few values, or None."""
    able, of = [], family(kind)
    if of in BUCKETS:
        able += ["bucket(%d, %s)" % (rng.randint(1, 5), path)] * 2
    if few:
        able += [path, path, "void(%s)" % path]
        able += ["%s(%s)" % (t, path) for t in ("year", "month", "day") if of == "date" or of in TIMES]
        able += ["hour(%s)" % path] if of in TIMES else []
        if of in ("int", "long", "decimal", "string", "binary"):
            able.append("truncate(%d, %s)" % (rng.choice([1, 2, 10, 1000]), path))
    return rng.choice(able) if able else None


def spec(rng, found):
    """The text of a partition spec, or None for a table without; one field a column."""
    if rng.random() < 0.4:
        return None
    able = [transform(rng, *leaf_of) for leaf_of in leaves(found)]
    able += [rng.choice(["bucket(%d, id)" % rng.randint(1, 6), "truncate(%d, id)" % rng.choice([3000, 100000])])]
    able = [t for t in able if t]
    return ", ".join(rng.sample(able, min(len(able), rng.choice([1, 1, 2, 3]))))


def order(rng, found):
    """The text of a sort order."""
    able = ["id"] + [path for path, _, _ in leaves(found)]
    keys = rng.sample(able, min(len(able), rng.randint(1, 3)))
    return ", ".join(k + rng.choice(["", " desc", " asc nulls last", " desc nulls first"]) for k in keys)


def properties(rng, found, spark, warehouse, name):
    """Of the files, their statistics, the metadata; those that an engine cannot read are left out."""
    some = {
        "write.parquet.compression-codec": ["zstd", "snappy", "gzip", "uncompressed"],
        "write.parquet.page-version": ["v1", "v2"],
        "write.parquet.page-size-bytes": ["64", "1000", "65536"],
        "write.parquet.page-row-limit": ["1", "7", "100", "20000"],
        "write.parquet.dict-size-bytes": ["64" if spark else "1", "200", "1048576"],  # Spark writes with none below 64
        "write.parquet.row-group-size-bytes": ["1000", "20000", "1048576"],
        "parquet.enable.dictionary": ["true", "false"],
        "write.target-file-size-bytes": ["2000", "20000", "536870912"],
        "write.metadata.metrics.default": ["none", "counts", "truncate(2)", "truncate(16)", "full"],
        "write.metadata.compression-codec": ["none", "gzip"],
        "write.manifest.compression-codec": ["gzip", "uncompressed"],
        "write.metadata.previous-versions-max": ["1", "3"],
        "commit.manifest.target-size-bytes": ["1", "5000"],
        "write.data.path": [warehouse + "/elsewhere/" + name],
    }
    for c in found:
        if "<" not in c.kind:
            some["write.parquet.bloom-filter-enabled.column." + c.name] = ["true"]
            some["write.parquet.stats-enabled.column." + c.name] = ["false"]
            some["write.metadata.metrics.column." + c.name] = ["none", "counts", "full"]
    picked = rng.sample(sorted(some), min(len(some), rng.choice([0, 2, 4, 8])))
    for mode in ("delete", "update", "merge") if spark else ():
        some["write.%s.mode" % mode] = ["merge-on-read", "copy-on-write"]
        picked.append("write.%s.mode" % mode)
    return {k: rng.choice(some[k]) for k in picked}


# --- files of rows ---

def arrow_type(kind, made=False):
    """The Arrow type of a column, or with `made` the one that pyarrow can make of Python's values and then cast."""
    import pyarrow as pa

    of, kind = family(kind), bare(kind)
    if kind.startswith("struct<"):
        return pa.struct([(n, arrow_type(k, made)) for n, k in values.inner(kind)])
    if kind.startswith("list<"):
        return pa.list_(arrow_type(values.inner(kind)[0], made))
    if kind.startswith("map<"):
        return pa.map_(*(arrow_type(k, made) for k in values.inner(kind)))
    if of == "decimal":
        return pa.decimal128(*(int(n) for n in kind[8:-1].split(",")))
    if of == "fixed":
        return pa.binary(int(kind[6:-1]))
    return {"boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(),
            "date": pa.date32(), "time": pa.time64("us"), "timestamp": pa.timestamp("us"),
            "timestamptz": pa.timestamp("us", "UTC"), "timestamp_ns": pa.timestamp("ns"),
            "timestamptz_ns": pa.timestamp("ns", "UTC"), "string": pa.string(), "binary": pa.binary(),
            "uuid": pa.binary(16) if made else pa.uuid()}[of]


def units(text, kind):
    """A time as an integer in the unit of its type."""
    per_second = 10**9 if kind.endswith("_ns") else 10**6
    clock = text.split("T")[-1].split("+")[0]
    hours, minutes, seconds = clock.split(":")
    whole_part, rest = seconds.split(".")
    found = ((int(hours) * 60 + int(minutes)) * 60 + int(whole_part)) * per_second + int(rest)
    if "T" in text:
        days = datetime.date.fromisoformat(text.split("T")[0]).toordinal() - datetime.date(1970, 1, 1).toordinal()
        found += days * 86400 * per_second
    return found


def to_arrow(v, kind):
    """A cell as pyarrow takes it."""
    of, kind = family(kind), bare(kind)
    if v is None:
        return None
    if kind.startswith("struct<"):
        return {n: to_arrow(v[n], k) for n, k in values.inner(kind)}
    if kind.startswith("list<"):
        return [to_arrow(x, values.inner(kind)[0]) for x in v]
    if kind.startswith("map<"):
        return [tuple(to_arrow(x, k) for x, k in zip(pair, values.inner(kind))) for pair in v]
    if of in ("float", "double"):
        return float(v)
    if of == "decimal":
        return decimal.Decimal(v)
    if of == "date":
        return datetime.date.fromisoformat(v)
    if of == "time" or of in TIMES:
        return units(v, kind)
    if of in ("binary", "fixed"):
        return bytes.fromhex(v)
    return uuid.UUID(v).bytes if of == "uuid" else v


def write_columns(rng, path, kinds, rows):
    """An Arrow or Parquet file in pieces of random size, the columns in any order."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    names = rng.sample(list(kinds), len(kinds))
    table = pa.table([pa.array([to_arrow(r[n], kinds[n]) for r in rows], arrow_type(kinds[n], True))
                      .cast(arrow_type(kinds[n])) for n in names], names=names)
    piece = rng.choice([1 + len(rows) // 7, 100000])
    if path.endswith(".parquet"):
        parquet.write_table(table, path, row_group_size=piece, data_page_version=rng.choice(["1.0", "2.0"]),
                            compression=rng.choice(["none", "snappy", "zstd"]), use_dictionary=rng.random() < 0.7)
    else:
        with pa.ipc.new_file(path, table.schema) as f:
            f.write_table(table, max_chunksize=piece)


def write_lines(rng, path, kinds, rows):
    """JSON lines; nulls are missing or said."""
    with open(path, "w", encoding="utf-8") as f:
        for row in rows:
            said = rng.random() < 0.5
            f.write(json.dumps({n: row[n] for n in kinds if said or row[n] is not None}) + "\n")


def text_of(v, kind):
    if v is None:
        return ""
    if "<" in kind or isinstance(v, bool):
        return json.dumps(v)
    return repr(v) if isinstance(v, float) else str(v)


def write_csv(rng, path, kinds, rows):
    """All that is no null in quotes, for "" is a text and nothing a null."""
    names = rng.sample(list(kinds), len(kinds))
    with open(path, "w", encoding="utf-8", newline="") as f:
        csv.writer(f).writerow(names)
        for row in rows:
            cells = [None if row[n] is None else '"%s"' % text_of(row[n], kinds[n]).replace('"', '""') for n in names]
            f.write(",".join(c or "" for c in cells) + "\n")


WRITERS = {"jsonl": write_lines, "csv": write_csv, "parquet": write_columns, "arrow": write_columns}


def write_rows(rng, base, kinds, rows):
    """Writes the rows into a file of one of the forms that can hold them; returns its path."""
    forms = ["jsonl", "csv"] if "unknown" in kinds.values() else list(WRITERS)
    form = rng.choice(forms)
    path = "%s.%s" % (base, form)
    WRITERS[form](rng, path, kinds, rows)
    return path
