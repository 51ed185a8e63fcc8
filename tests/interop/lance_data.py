# SPDX-License-Identifier: Apache-2.0
"""Random columns for Lance datasets, and Arrow arrays of any type as plain values that compare by their bits."""
import decimal
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
        children = [build([None if v is None else v[f.name] for v in values], f.type) for f in fields]
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
        flat = [x for v in values for x in (v if v is not None else [None] * t.list_size)]
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
