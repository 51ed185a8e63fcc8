# SPDX-License-Identifier: Apache-2.0
"""The rows of the tables: fixed, with nulls and extremes where types are the subject."""

BIG = "id long not null, k int, ts timestamptz, v double, s string"
PARTITIONED = "id long, region string, ts timestamp, amount decimal(9,2)"
UPGRADED = "id long, s string"
SPARK_TYPES = ("id int, b boolean, i int, l long, f float, d double, d9 decimal(9,4), d18 decimal(18,0), "
               "d38 decimal(38,10), dt date, ts timestamp, tz timestamptz, s string, bin binary")
OTHER_TYPES = "id int, u uuid, fx fixed[5], tm time, ns timestamp_ns"
NESTED = ("id long, st struct<a: int, b: string>, li list<int>, deep list<struct<x: double, ys: list<string>>>, "
          "m map<string, long>")
VARIANT = "id long, v variant, ls list<struct<n: int, s: string>>"
TZ_NS = "id int, ns timestamptz_ns"


def big_parquet(path, first, count):
    """Writes source rows first..first+count-1 by pyarrow; returns nothing, big_row says what they are."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    rows = [big_row(i) for i in range(first, first + count)]
    base = 1_700_000_000_000_000
    parquet.write_table(pa.table({
        "id": pa.array([r["id"] for r in rows], pa.int64()),
        "k": pa.array([r["k"] for r in rows], pa.int32()),
        "ts": pa.array([None if r["ts"] is None else base + r["id"] * 1_000_003 for r in rows],
                       pa.timestamp("us", tz="UTC")),
        "v": pa.array([r["v"] for r in rows], pa.float64()),
        "s": pa.array([r["s"] for r in rows], pa.string()),
    }), path)


def big_row(i):
    import values

    return {
        "id": i,
        "k": None if i % 11 == 0 else i % 97,
        "ts": None if i % 13 == 0 else values.stamp(1_700_000_000_000_000 + i * 1_000_003, 10**6, "+00:00"),
        "v": None if i % 17 == 0 else i / 7,
        "s": None if i % 19 == 0 else "value %d of %d" % (i, i * 2654435761 % 2**32),
    }


def nul_parquet(path):
    """Writes PARQUET_ROW by pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    parquet.write_table(pa.table({"id": pa.array([PARQUET_ROW["id"]], pa.int32()), "s": [PARQUET_ROW["s"]]}), path)


def partitioned(first, count):
    regions = ["north", "süd", None, "west"]
    return [{"id": i, "region": regions[i % 4], "ts": "2026-11-%02dT%02d:00:00.000001" % (1 + i % 3, i % 24),
             "amount": "%d.%02d" % (i * 3, i % 100)} for i in range(first, first + count)]


def upgraded(first, count):
    return [{"id": i, "s": None if i % 5 == 0 else "row %d" % i} for i in range(first, first + count)]


def nulls(schema_types, key):
    return {name: key if name == "id" else None for name in schema_types}


SPARK_ROWS = [
    {"id": 1, "b": True, "i": -(2**31), "l": -(2**63), "f": 3.4028234663852886e38, "d": 1.7976931348623157e308,
     "d9": "-99999.9999", "d18": "999999999999999999", "d38": "-9999999999999999999999999999.9999999999",
     "dt": "0001-01-01", "ts": "0001-01-01T00:00:00.000000", "tz": "0001-01-01T00:00:00.000000+00:00", "s": "",
     "bin": ""},
    {"id": 2, "b": False, "i": 2**31 - 1, "l": 2**63 - 1, "f": -0.0, "d": -0.0, "d9": "99999.9999",
     "d18": "-999999999999999999", "d38": "9999999999999999999999999999.9999999999", "dt": "9999-12-31",
     "ts": "9999-12-31T23:59:59.999999", "tz": "9999-12-31T23:59:59.999999+00:00", "s": "\U0001d4b3é\n\"",
     "bin": "00ff80"},
    {"id": 3, "b": True, "i": 0, "l": 0, "f": "NaN", "d": "NaN", "d9": "0.0000", "d18": "0", "d38": "0.0000000001",
     "dt": "1969-12-31", "ts": "1969-12-31T23:59:59.999999", "tz": "1969-12-31T23:59:59.999999+00:00", "s": "z" * 3000,
     "bin": "ab" * 3000},
    {"id": 4, "b": False, "i": -1, "l": -1, "f": "Infinity", "d": "-Infinity", "d9": "-0.0001", "d18": "1",
     "d38": "-0.0000000001", "dt": "1970-01-01", "ts": "2024-02-29T12:34:56.000001",
     "tz": "2024-02-29T12:34:56.000001+00:00", "s": "a\tb\\", "bin": "00"},
    {"id": 5, "b": None, "i": 7, "l": 7, "f": 1.401298464324817e-45, "d": 5e-324, "d9": "1.0000", "d18": "7",
     "d38": "1.0000000000", "dt": "2000-02-29", "ts": "2000-02-29T00:00:00.000000",
     "tz": "2000-02-29T00:00:00.000000+00:00", "s": "null", "bin": "ff"},
]

# What JSON lines cannot bring: handed over in a Parquet file.
PARQUET_ROW = {"id": 100, "s": "a\u0000b"}

OTHER_ROWS = [
    {"id": 1, "u": "00000000-0000-0000-0000-000000000000", "fx": "0000000000", "tm": "00:00:00.000000",
     "ns": "1677-09-22T00:00:00.000000001"},
    {"id": 2, "u": "ffffffff-ffff-ffff-ffff-ffffffffffff", "fx": "ffffffffff", "tm": "23:59:59.999999",
     "ns": "2262-04-11T23:47:16.854775806"},
    {"id": 3, "u": "0f8fad5b-d9cb-469f-a165-70867728950e", "fx": "0102030405", "tm": "12:34:56.000001",
     "ns": "1969-12-31T23:59:59.999999999"},
]

TZ_NS_ROWS = [{"id": r["id"], "ns": r["ns"] + "+00:00"} for r in OTHER_ROWS]

# Rows first..first+count-1 as Spark's SQL makes them of range(first, first + count).
NESTED_SQL = """SELECT id,
    if(id % 7 = 0, NULL, named_struct('a', cast(id AS int), 'b', if(id % 3 = 0, NULL, 'b' || id))),
    if(id % 5 = 0, NULL, transform(slice(array(0, 1, 2), 1, cast(id % 4 AS int)), x -> if(x = 1, NULL, x * 10))),
    transform(slice(array(1, 2, 3), 1, cast(id % 3 AS int)),
        x -> named_struct('x', x / 2D, 'ys', if(x = 2, NULL, array('y' || id, NULL)))),
    if(id % 4 = 0, NULL, map_from_arrays(transform(slice(array(1, 2, 3), 1, cast(id % 3 AS int)), x -> 'k' || x),
        transform(slice(array(1, 2, 3), 1, cast(id % 3 AS int)), x -> if(x = 2, NULL, x * id))))
    FROM range({0}, {1})"""
VARIANT_SQL = """SELECT id, CASE id % 5 WHEN 0 THEN NULL
        WHEN 1 THEN parse_json('{{"n": ' || id || ', "t": "text' || id || '", "a": [1, null, {{"z": 1.5}}]}}') WHEN 2 THEN parse_json('"' || id || '"') WHEN 3 THEN parse_json('[]')
        ELSE parse_json('{{}}') END,
    if(id % 6 = 0, NULL, array(named_struct('n', cast(id AS int), 's', 'of ' || id), NULL)) FROM range({0}, {1})"""


def nested(first, count):
    """The rows of NESTED_SQL in the JSON form of the command line."""
    def row(i):
        return {
            "id": i,
            "st": None if i % 7 == 0 else {"a": i, "b": None if i % 3 == 0 else "b%d" % i},
            "li": None if i % 5 == 0 else [None if x == 1 else x * 10 for x in range(min(i % 4, 3))],
            "deep": [{"x": x / 2, "ys": None if x == 2 else ["y%d" % i, None]} for x in range(1, i % 3 + 1)],
            "m": None if i % 4 == 0 else [["k%d" % x, None if x == 2 else x * i] for x in range(1, i % 3 + 1)],
        }
    return [row(i) for i in range(first, first + count)]


def variants(first, count):
    """The rows of VARIANT_SQL."""
    def value(i):
        return [None, {"n": i, "t": "text%d" % i, "a": [1, None, {"z": 1.5}]}, str(i), [], {}][i % 5]
    return [{"id": i, "v": value(i), "ls": None if i % 6 == 0 else [{"n": i, "s": "of %d" % i}, None]}
            for i in range(first, first + count)]
