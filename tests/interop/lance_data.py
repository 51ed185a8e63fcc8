# SPDX-License-Identifier: Apache-2.0
"""Random columns for Lance datasets, and Arrow arrays of any type as plain values that compare by their bits."""
import decimal
import random
import struct

import pyarrow as pa

UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


# --- values ---


def floats(array, form):
    return [None if v is None else "NaN" if v != v else struct.pack(form, v).hex() for v in array.to_pylist()]


def instants(array, unit, wide):
    """Nanoseconds, whatever the unit."""
    raw = array.view(pa.int64() if wide else pa.int32()).to_pylist()
    return [None if v is None else v * UNITS[unit] for v in raw]


def halves(array):
    """The bits of a half as a float's, exactly."""
    return [None if v is None else float(v) for v in array.to_pylist()]


def lists(array, flat, base):
    valid, offsets = array.is_valid().to_pylist(), array.offsets.to_pylist()
    return [flat[offsets[i] - base:offsets[i + 1] - base] if ok else None for i, ok in enumerate(valid)]


def plain(array):
    """The cells as Python values: equal where the values are, whatever the width of the type they came in."""
    if isinstance(array, pa.ChunkedArray):
        return [v for chunk in array.chunks for v in plain(chunk)]
    t = array.type
    if isinstance(array, pa.ExtensionArray):
        return plain(array.storage)
    if pa.types.is_null(t):
        return [None] * len(array)
    if pa.types.is_dictionary(t):
        return plain(array.cast(t.value_type))
    if pa.types.is_floating(t):
        return floats(pa.array(halves(array), pa.float32()) if t.bit_width == 16 else array,
                      "<d" if t.bit_width == 64 else "<f")
    if pa.types.is_decimal(t):
        return [None if v is None else int(v.scaleb(0)) if v == v.to_integral_value() and t.scale == 0 else
                format(v, "f") for v in array.to_pylist()]
    if pa.types.is_date32(t):
        return array.view(pa.int32()).to_pylist()
    if pa.types.is_date64(t):
        return [None if v is None else v // 86400000 for v in array.view(pa.int64()).to_pylist()]
    if pa.types.is_time(t) or pa.types.is_timestamp(t):
        return instants(array, t.unit, t.bit_width == 64)
    if pa.types.is_duration(t):
        return array.view(pa.int64()).to_pylist()
    if pa.types.is_struct(t):
        columns = [plain(array.field(i)) for i in range(t.num_fields)]
        return [tuple(c[i] for c in columns) if ok else None for i, ok in enumerate(array.is_valid().to_pylist())]
    if pa.types.is_map(t):
        base = array.offsets[0].as_py()
        size = array.offsets[-1].as_py() - base
        entries = list(zip(plain(array.keys.slice(base if len(array.keys) > size else 0, size)),
                           plain(array.items.slice(base if len(array.items) > size else 0, size))))
        return lists(array, entries, base)
    if pa.types.is_fixed_size_list(t):
        flat = plain(array.values.slice(array.offset * t.list_size, len(array) * t.list_size))
        return [flat[i * t.list_size:(i + 1) * t.list_size] if ok else None
                for i, ok in enumerate(array.is_valid().to_pylist())]
    if pa.types.is_list(t) or pa.types.is_large_list(t):
        base = array.offsets[0].as_py() if len(array) else 0
        size = (array.offsets[-1].as_py() if len(array) else 0) - base
        return lists(array, plain(array.values.slice(base, size)), base)
    return array.to_pylist()


# --- columns ---

WORDS = ["", "a", "lance", "zwölf", "row", "a text of some length that is there more than once", "日本"]


def fixed_types(version):
    out = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
           pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.date32(), pa.date64(), pa.time32("s"),
           pa.time32("ms"), pa.time64("us"), pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ms", "UTC"),
           pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.duration("us"), pa.duration("s"), pa.decimal128(9, 2),
           pa.decimal128(38, 10), pa.decimal256(60, 3), pa.binary(5)]
    return out


def random_type(rnd, version, depth=0):
    pick = rnd.random()
    if depth < 3 and pick < 0.30:
        inner = random_type(rnd, version, depth + 1)
        kind = rnd.randrange(4)
        if kind == 0:
            return pa.list_(inner)
        if kind == 1:
            return pa.large_list(inner)
        if kind == 2 and depth == 0:
            return pa.list_(rnd.choice([pa.float32(), pa.float64(), pa.uint8(), pa.int16()]), rnd.choice([1, 3, 8, 200]))
        if kind == 3 and version == "2.2" and rnd.random() < 0.5:
            return pa.map_(pa.string(), inner)
        return pa.struct([pa.field("f%d" % i, random_type(rnd, version, depth + 1), version != "2.0" or True)
                          for i in range(rnd.randint(1, 3))])
    if pick < 0.55:
        return rnd.choice([pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string(),
                           pa.dictionary(pa.int32(), pa.string())] if depth == 0 else [pa.string(), pa.binary()])
    return rnd.choice(fixed_types(version))


def number(rnd, low, high, style):
    if style == "few":
        return low + rnd.randrange(4) * ((high - low) // 7)
    if style == "small":
        return max(low, min(high, rnd.randrange(100)))
    return rnd.randint(low, high)


def value(rnd, t, style, nulls, version):
    """A random value of a type; in 2.0 structs are never null."""
    is_struct = pa.types.is_struct(t)
    if pa.types.is_null(t):
        return None
    if nulls and rnd.random() < nulls and not (is_struct and version == "2.0"):
        return None
    again = lambda u: value(rnd, u, style, nulls, version)
    if pa.types.is_boolean(t):
        return rnd.random() < 0.5
    if pa.types.is_integer(t):
        signed = pa.types.is_signed_integer(t)
        low = -(1 << t.bit_width - 1) if signed else 0
        return number(rnd, low, (1 << t.bit_width - signed) - 1, style)
    if pa.types.is_floating(t):
        if style == "small":
            return float(rnd.randrange(100))
        return rnd.choice([0.0, -0.0, 1.5, float("inf"), float("nan")]) if rnd.random() < 0.1 else \
            struct.unpack("<e", struct.pack("<e", rnd.uniform(-100, 100)))[0] if t.bit_width == 16 else \
            rnd.uniform(-1e6, 1e6)
    if pa.types.is_date(t):
        return number(rnd, -50000, 90000, style) * (86400000 if t.bit_width == 64 else 1)
    if pa.types.is_time(t):
        return number(rnd, 0, 86400 * 10**9 // UNITS[t.unit] - 1, style)
    if pa.types.is_timestamp(t) or pa.types.is_duration(t):
        return number(rnd, -(10**18) // UNITS[t.unit], 3 * 10**18 // UNITS[t.unit], style)
    if pa.types.is_decimal(t):
        most = 10**t.precision - 1
        return decimal.Decimal(number(rnd, -most, most, style)).scaleb(-t.scale, decimal.Context(prec=80))
    if pa.types.is_fixed_size_binary(t):
        return bytes(rnd.randrange(256) for _ in range(t.byte_width))
    if pa.types.is_dictionary(t) or pa.types.is_string(t) or pa.types.is_large_string(t):
        if style == "long":
            return rnd.choice(WORDS) * rnd.randrange(60) + str(rnd.randrange(10**6))
        return rnd.choice(WORDS) if style != "wide" else rnd.choice(WORDS) + str(rnd.randrange(1000))
    if pa.types.is_binary(t) or pa.types.is_large_binary(t):
        return bytes(rnd.randrange(256) for _ in range(rnd.randrange(400 if style == "long" else 12)))
    if is_struct:
        return {t.field(i).name: again(t.field(i).type) for i in range(t.num_fields)}
    if pa.types.is_map(t):
        return [(str(i), again(t.item_type)) for i in range(rnd.randrange(4))]
    if pa.types.is_fixed_size_list(t):
        return [value(rnd, t.value_type, style, nulls if rnd.random() < 0.3 else 0, version) for _ in range(t.list_size)]
    return [again(t.value_type) for _ in range(rnd.randrange(5))]


def raw(t):
    """The type in which Arrow takes integers for t's values."""
    if pa.types.is_temporal(t):
        return pa.int32() if t.bit_width == 32 else pa.int64()
    return None


def build(values, t):
    """An array; temporal cells, at any depth, are given as integers."""
    if pa.types.is_temporal(t):
        return pa.array(values, raw(t)).view(t)
    if pa.types.is_struct(t):
        mask = pa.array([v is None for v in values], pa.bool_())
        fields = [t.field(i) for i in range(t.num_fields)]
        children = [build([fill(f, None) if v is None else v[f.name] for v in values], f.type) for f in fields]
        return pa.StructArray.from_arrays(children, fields=fields, mask=mask)
    if pa.types.is_map(t):
        lengths = [0]
        keys, items = [], []
        for v in values:
            for k, x in v or []:
                keys.append(k)
                items.append(x)
            lengths.append(len(keys))
        offsets = pa.array([None if i < len(values) and values[i] is None else n for i, n in enumerate(lengths)], pa.int32())
        return pa.MapArray.from_arrays(offsets, build(keys, t.key_type), build(items, t.item_type), type=t)
    if pa.types.is_fixed_size_list(t):
        flat = [x for v in values for x in (v if v is not None else [fill(t.value_field, None)] * t.list_size)]
        return pa.FixedSizeListArray.from_arrays(build(flat, t.value_type), type=t,
                                                 mask=pa.array([v is None for v in values], pa.bool_()))
    if pa.types.is_list(t) or pa.types.is_large_list(t):
        offsets, flat = [], []
        for v in values:
            offsets.append(None if v is None else len(flat))
            flat += v or []
        offsets.append(len(flat))
        large = pa.types.is_large_list(t)
        make = pa.LargeListArray if large else pa.ListArray
        return make.from_arrays(pa.array(offsets, pa.int64() if large else pa.int32()), build(flat, t.value_type), type=t)
    if pa.types.is_dictionary(t):
        return pa.array(values, t.value_type).dictionary_encode().cast(t)
    return pa.array(values, t)


def column(rnd, t, rows, version):
    """`rows` random values, in one of the ways that make a writer choose one encoding or another."""
    style = rnd.choice(["few", "small", "wide", "wide", "long"])
    nulls = rnd.choice([0, 0, 0.1, 0.5, 1 if rows and rnd.random() < 0.3 else 0])
    if rnd.random() < 0.15:
        return build([value(rnd, t, style, nulls, version)] * rows, t)
    return build([value(rnd, t, style, nulls, version) for _ in range(rows)], t)


def hints(rnd, t, version):
    """Metadata of a field by which a writer may be told how to encode it."""
    out = {}
    if version == "2.0" or rnd.random() < 0.4:
        return out
    for key, choices, odds in (("compression", ["zstd", "lz4", "none", "fsst"], 0.5),
                               ("structural-encoding", ["miniblock", "fullzip"], 0.4),
                               ("bss", ["on", "off"], 0.3), ("rle-threshold", ["0.0", "0.9"], 0.3),
                               ("dict-divisor", ["1", "100"], 0.3)):
        if rnd.random() < odds:
            out["lance-encoding:" + key] = rnd.choice(choices)
    flat = pa.types.is_struct(t) and all(pa.types.is_primitive(t.field(i).type) and not pa.types.is_boolean(t.field(i).type)
                                         for i in range(t.num_fields))
    if flat and rnd.random() < 0.5:
        out["packed"] = "true"
    return out


# --- fields with hints at every level ---


def random_vector(rnd, version, depth, in_list):
    """A fixed-size list: of numbers, of such lists, outside of lists of structs."""
    size = rnd.choice([1, 2, 3, 8, 20, 130])
    pick = rnd.random()
    if pick > 0.97:
        return pa.list_(pa.null(), min(size, 8))
    if pick > 0.93:  # deep; rowline reads 32 of them, and there may be more around
        t = rnd.choice([pa.int8(), pa.float64(), pa.bool_()])
        for _ in range(rnd.choice([6, 10, 24])):
            t = pa.list_(pa.field("item", t, rnd.random() < 0.5), 2 if rnd.random() < 0.1 else 1)
        return t
    if pick < 0.2 and size < 10:
        inner = random_vector(rnd, version, depth + 1, True)
    elif pick < 0.35 and not in_list and size < 10:
        return pa.list_(pa.field("item", pa.struct([random_field(rnd, "s%d" % i, version, depth + 2, True, False)
                                                    for i in range(rnd.randint(1, 2))])), size)
    else:
        inner = rnd.choice(fixed_types(version))
    return pa.list_(pa.field("item", inner, rnd.random() < 0.7), size)


def packed_struct(rnd, version):
    """Of fixed width, or in 2.2 with texts and vectors, which are not null then: no writer stores that."""
    is_variable = version == "2.2" and rnd.random() < 0.6
    fields = []
    for i in range(rnd.randint(1, 4)):
        pick = rnd.random()
        if is_variable and pick < 0.4:
            t = rnd.choice([pa.string(), pa.binary(), pa.large_string()])
        elif is_variable and pick < 0.6:
            t = pa.list_(rnd.choice([pa.float32(), pa.int8(), pa.uint64()]), rnd.choice([1, 3, 16]))
        elif is_variable and pick < 0.7:
            t = pa.struct([pa.field("q0", pa.string(), False), pa.field("q1", rnd.choice([pa.int16(), pa.binary()]), False)])
        else:
            t = rnd.choice([u for u in fixed_types(version) if not pa.types.is_boolean(u)])
        fields.append(pa.field("p%d" % i, t, not is_variable, field_hints(rnd, t) if is_variable else None))
    return pa.struct(fields)


def field_hints(rnd, t):
    """Metadata by which a writer may be told how to encode a field."""
    out = {}
    if rnd.random() < 0.4:
        return out
    for key, choices, odds in (("compression", ["zstd", "zstd", "lz4", "none", "fsst"], 0.4),
                               ("compression-level", ["1", "9"], 0.1),
                               ("structural-encoding", ["miniblock", "fullzip"], 0.4),
                               ("bss", ["on", "off", "auto"], 0.3), ("rle-threshold", ["0.0", "0.5", "1.0"], 0.3),
                               ("dict-divisor", ["1", "2", "100"], 0.3), ("dict-size-ratio", ["0.1", "1.0"], 0.2),
                               ("dict-values-compression", ["zstd", "lz4", "none"], 0.3),
                               ("minichunk-size", ["128", "4096", "32768"], 0.15)):
        if rnd.random() < odds:
            out["lance-encoding:" + key] = rnd.choice(choices)
    return out


def random_field(rnd, name, version, depth=0, in_vector=False, may_list=True, in_list=False):
    """A field of a random type with hints at every level."""
    pick, inside = rnd.random(), {"in_vector": in_vector, "may_list": may_list}
    extra = {}
    child = lambda n, in_list=in_list: random_field(rnd, n, version, depth + 1, in_vector, may_list, in_list)
    if depth < 3 and pick < 0.14 and may_list:
        make = rnd.choice([pa.list_, pa.list_, pa.large_list])
        t = make(child("item", True))
    elif depth < 3 and pick < 0.18 and version == "2.2" and may_list:
        t = pa.map_(pa.string(), child("value", True))
    elif depth < 3 and pick < 0.30:
        t = pa.struct([child("f%d" % i) for i in range(rnd.randint(1, 3))])
    elif depth < 3 and pick < 0.42:
        t = random_vector(rnd, version, depth, in_list or in_vector)
    elif depth < 3 and pick < 0.54:
        t = packed_struct(rnd, version)
        extra = {rnd.choice(["packed", "lance-encoding:packed"]): "true"}
    elif pick < 0.74:
        t = rnd.choice([pa.string(), pa.large_string(), pa.binary(), pa.large_binary(),
                        pa.dictionary(pa.int32(), pa.string())])
    elif pick < 0.76:
        t = pa.null()
    else:
        t = rnd.choice(fixed_types(version))
    nullable = rnd.random() < 0.75 or pa.types.is_null(t)
    metadata = dict(field_hints(rnd, t), **extra)
    return pa.field(name, t, nullable, metadata or None)


def describe(field):
    """A field with its hints, in one line."""
    t = field.type
    text = str(t)
    if pa.types.is_struct(t):
        text = "struct<%s>" % ", ".join("%s: %s" % (t.field(i).name, describe(t.field(i))) for i in range(t.num_fields))
    elif pa.types.is_fixed_size_list(t):
        text = "vector<%s, %d>" % (describe(t.value_field), t.list_size)
    elif pa.types.is_list(t) or pa.types.is_large_list(t):
        text = "list<%s>" % describe(t.value_field)
    elif pa.types.is_map(t):
        text = "map<string, %s>" % describe(t.item_field)
    hints = ["%s=%s" % (k.decode().replace("lance-encoding:", ""), v.decode()) for k, v in (field.metadata or {}).items()]
    return text + ("" if field.nullable else " not null") + (" {%s}" % " ".join(hints) if hints else "")


# --- rows in shapes ---

SHAPES = ["random", "random", "random", "few", "equal", "null", "alternating", "runs", "one long", "ascending"]


def no_null(t, v, field=None):
    """The value with something in the place of nulls where fields may not be null."""
    if v is None:
        return v
    if pa.types.is_struct(t):
        return {t.field(i).name: fill(t.field(i), v[t.field(i).name]) for i in range(t.num_fields)}
    if pa.types.is_map(t):
        return [(k, fill(t.item_field, x)) for k, x in v]
    if pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_fixed_size_list(t):
        return [fill(t.value_field, x) for x in v]
    return v


def fill(field, v):
    """The value of a field, which is not null where the field may not be."""
    if v is None and not field.nullable and not pa.types.is_null(field.type):
        v = value(random.Random(7), field.type, "small", 0, "2.2")
    return no_null(field.type, v)


def long_value(rnd, t, version):
    """One that is much longer than others, where the type allows."""
    if pa.types.is_string(t) or pa.types.is_large_string(t):
        return "".join(rnd.choice(WORDS) for _ in range(rnd.choice([300, 3000, 40000])))
    if pa.types.is_binary(t) or pa.types.is_large_binary(t):
        return rnd.randbytes(rnd.choice([300, 9000, 300000]))
    if pa.types.is_struct(t):
        return {t.field(i).name: long_value(rnd, t.field(i).type, version) for i in range(t.num_fields)}
    if pa.types.is_list(t) or pa.types.is_large_list(t):
        return [value(rnd, t.value_type, "wide", 0.1, version) for _ in range(rnd.choice([300, 5000]))]
    return value(rnd, t, "wide", 0, version)


def shaped(rnd, field, rows, version, shape):
    """`rows` values of a field."""
    t = field.type
    style, nulls = rnd.choice(["few", "small", "wide", "wide", "long"]), rnd.choice([0, 0, 0.1, 0.5])
    if pa.types.is_null(t):
        return pa.nulls(rows)
    if shape == "null" and field.nullable:
        return build([None] * rows, t)
    kinds = {"equal": 1, "alternating": 2, "few": 5, "runs": 9}.get(shape, min(rows, rnd.choice([300, 1500])))
    pool = [value(rnd, t, style, nulls, version) for _ in range(kinds)]
    if shape == "one long":
        pool.append(long_value(rnd, t, version))
    if shape == "equal" and rnd.random() < 0.3:
        pool.append(None)
    if shape == "ascending" and pa.types.is_integer(t):
        pool = sorted(v for v in pool if v is not None) or pool
    pool = [fill(field, v) for v in pool]
    if shape == "alternating":
        at = [i % len(pool) for i in range(rows)]
    elif shape == "runs":
        at = []
        while len(at) < rows:
            at += [rnd.randrange(len(pool))] * rnd.choice([1, 20, 300, 5000])
    elif shape == "one long":
        at = [rnd.randrange(len(pool) - 1) for _ in range(rows)]
        at[rnd.randrange(rows)] = len(pool) - 1
    elif shape == "ascending":
        at = sorted(rnd.randrange(len(pool)) for _ in range(rows))
    else:
        at = [rnd.randrange(len(pool)) for _ in range(rows)]
    return build(pool, t).take(pa.array(at[:rows], pa.int64()))
