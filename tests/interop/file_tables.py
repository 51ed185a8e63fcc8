# SPDX-License-Identifier: Apache-2.0
"""The rows of the files: two fixed tables, and random ones."""
import datetime
import decimal
import math
import random
import uuid

import pyarrow as pa

ROWS = 3000


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


def time_of_day(rng):
    return (datetime.datetime.min + datetime.timedelta(microseconds=rng.randrange(86400 * 10**6))).time()


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
        "time": (pa.time64("us"), some(rng, lambda: time_of_day(rng))),
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
    return pa.table([array_of(v, t) for t, v in columns.values()], names=list(columns))


def array_of(values, t):
    if isinstance(t, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(t, pa.array(values, t.storage_type))
    return pa.array(values, t)


# --- random tables ---

LEAVES = {
    pa.bool_(): lambda r: r.random() < 0.5,
    pa.int8(): lambda r: r.randrange(-128, 128),
    pa.uint16(): lambda r: r.randrange(2**16),
    pa.int32(): lambda r: r.choice([r.randrange(-2**31, 2**31), r.randrange(4)]),
    pa.uint32(): lambda r: r.randrange(2**32),
    pa.int64(): lambda r: r.choice([r.randrange(-2**63, 2**63), r.randrange(4)]),
    pa.float32(): lambda r: r.choice([r.randrange(-99, 99) / 4, math.nan, -0.0, -math.inf]),
    pa.float64(): lambda r: r.choice([r.uniform(-1e300, 1e300), math.nan, 0.0, -0.0]),
    pa.string(): lambda r: r.choice([text(r), "same", ""]),
    pa.binary(): lambda r: r.randbytes(r.choice([0, 1, 8, 300])),
    pa.binary(3): lambda r: r.randbytes(3),
    pa.date32(): day,
    pa.time64("us"): time_of_day,
    pa.timestamp("us"): instant,
    pa.timestamp("us", "UTC"): lambda r: instant(r).replace(tzinfo=datetime.timezone.utc),
    pa.timestamp("ns"): lambda r: r.randrange(-2**63, 2**63),
    pa.decimal128(5, 2): lambda r: number(r, 5, 2),
    pa.decimal128(15, 0): lambda r: number(r, 15, 0),
    pa.decimal128(38, 20): lambda r: number(r, 38, 20),
}


def random_type(rng, depth):
    """(type, function that makes a value) of at most `depth` levels of nesting."""
    shape = rng.choice(["leaf", "leaf", "struct", "list", "map"]) if depth else "leaf"
    if shape == "struct":
        fields = [(pa.field("f%d" % i, t, nullable=rng.random() < 0.8), make)
                  for i, (t, make) in enumerate(random_type(rng, depth - 1) for _ in range(rng.randrange(1, 4)))]
        makers = [(f.name, maybe(rng, make, f.nullable)) for f, make in fields]
        return pa.struct([f for f, _ in fields]), lambda: {n: make() for n, make in makers}
    if shape == "list":
        t, make = random_type(rng, depth - 1)
        item = pa.field("element", t, nullable=rng.random() < 0.8)
        one, most = maybe(rng, make, item.nullable), rng.choice([1, 3, 8])
        return pa.list_(item), lambda: [one() for _ in range(rng.randrange(most + 1))]
    if shape == "map":
        key = rng.choice([pa.string(), pa.int32()])
        t, make = random_type(rng, depth - 1)
        one = maybe(rng, make, True)
        return pa.map_(key, t), lambda: [(k, one()) for k in {LEAVES[key](rng): None for _ in range(rng.randrange(4))}]
    t = rng.choice(list(LEAVES))
    values = [LEAVES[t](rng) for _ in range(rng.choice([1, 3, 20]))] if rng.random() < 0.4 else None
    return t, (lambda: rng.choice(values)) if values else (lambda: LEAVES[t](rng))


def maybe(rng, make, nullable):
    if not nullable:
        return make
    part = rng.choice([0, 0.1, 0.5, 1])
    return lambda: None if rng.random() < part else make()


def random_table(rng):
    """Up to eight columns, nested to depth 3."""
    rows = rng.choice([0, 1, 60, 400, 1000])
    fields, arrays = [pa.field("id", pa.int64(), nullable=False)], [pa.array(range(rows), pa.int64())]
    for i in range(rng.randrange(1, 8)):
        t, make = random_type(rng, 3)
        field = pa.field("c%d" % i, t, nullable=rng.random() < 0.8)
        one = maybe(rng, make, field.nullable)
        fields.append(field)
        arrays.append(pa.array([one() for _ in range(rows)], t))
    return pa.table(arrays, schema=pa.schema(fields))


def random_properties(rng):
    """Properties of a writer of rowline."""
    return {
        "write.parquet.compression-codec": rng.choice(["uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"]),
        "write.parquet.page-version": rng.choice(["v1", "v2"]),
        "write.parquet.page-size-bytes": rng.choice([64, 1000, 1 << 20]),
        "write.parquet.page-row-limit": rng.choice([1, 17, 20000]),
        "write.parquet.dict-size-bytes": rng.choice([1, 100, 1 << 20]),
        "write.parquet.row-group-size-bytes": rng.choice([3000, 20000, 1 << 27]),
        "rowline.parquet.encoding": rng.choice(["plain", "delta", "split"]),
    }


def random_arguments(rng):
    """Arguments of pyarrow's writer."""
    return {
        "compression": rng.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"]),
        "data_page_version": rng.choice(["1.0", "2.0"]),
        "data_page_size": rng.choice([64, 1000, 1 << 20]),
        "write_batch_size": rng.choice([1, 50, 1024]),
        "dictionary_pagesize_limit": rng.choice([10, 300, 1 << 20]),
        "row_group_size": rng.choice([90, 1 << 20]),
        "write_page_index": rng.random() < 0.5,
        "write_page_checksum": rng.random() < 0.5,
        "use_dictionary": rng.random() < 0.6,
    }
