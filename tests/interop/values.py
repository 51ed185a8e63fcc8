# SPDX-License-Identifier: Apache-2.0
"""Rows of every engine in one form: what rowline's JSON lines say, floats by their bits, so that equal is equal."""
import collections
import datetime
import decimal
import json
import struct
import uuid

LINEAGE = ("_row_id", "_last_updated_sequence_number")


def civil(days):
    """Days since 1970-01-01 as YYYY-MM-DD, years 0001 to 9999."""
    return datetime.date.fromordinal(days + datetime.date(1970, 1, 1).toordinal()).isoformat()


def clock(units, per_second):
    seconds, rest = divmod(units, per_second)
    digits = len(str(per_second)) - 1
    return "%02d:%02d:%02d.%0*d" % (seconds // 3600, seconds // 60 % 60, seconds % 60, digits, rest)


def stamp(units, per_second, zone):
    days, rest = divmod(units, 86400 * per_second)
    return civil(days) + "T" + clock(rest, per_second) + zone


def bits(v, letter):
    return "NaN" if v != v else struct.pack(letter, v).hex()


def scale_of(kind):
    return int(kind.rstrip(")").split(",")[1])


def split(text, at=","):
    """The parts between commas that lie in no brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "<([") - (c in ">)]")
        if c == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def inner(kind):
    """What stands in the angle brackets: types, of structs "name: type" as pairs."""
    parts = split(kind[kind.index("<") + 1:-1])
    return [tuple(split(p, ":")) for p in parts] if kind.startswith("struct") else parts


def kind_of(t):
    """The text of a type in a schema's JSON."""
    if isinstance(t, str):
        return t.replace(", ", ",")
    if t["type"] == "struct":
        return "struct<%s>" % ", ".join("%s: %s" % (f["name"], kind_of(f["type"])) for f in t["fields"])
    if t["type"] == "list":
        return "list<%s>" % kind_of(t["element"])
    return "map<%s, %s>" % (kind_of(t["key"]), kind_of(t["value"]))


def pairs(found):
    """The entries of a map in one order."""
    return tuple(sorted(found, key=repr))


def nested(v, kind, leaf):
    """A nested cell as tuples, its leaves by leaf(value, kind); maps come as pairs."""
    if v is None:
        return None
    if kind.startswith("struct<"):
        return tuple(nested(v[n], k, leaf) for n, k in inner(kind))
    if kind.startswith("list<"):
        return tuple(nested(x, inner(kind)[0], leaf) for x in v)
    if kind.startswith("map<"):
        return pairs(tuple(nested(x, k, leaf) for x, k in zip(pair, inner(kind))) for pair in v)
    return leaf(v, kind)


def variant(v):
    """The JSON of a variant, from text or what it says; a null in it is as no variant, for JSON lines can't tell."""
    v = json.loads(v) if isinstance(v, str) else v
    return None if v is None else json.dumps(v, sort_keys=True)


def from_json(v, kind):
    """A cell of rowline's JSON lines."""
    if v is None:
        return None
    if "<" in kind:
        return nested(v, kind, from_json)
    if kind == "variant":
        return variant(json.dumps(v))
    if kind == "float":
        return bits(float(v), "<f")
    if kind == "double":
        return bits(float(v), "<d")
    if kind in ("int", "long"):
        if isinstance(v, bool) or not isinstance(v, int):
            raise ValueError("%r is no integer" % (v,))
    return v


def converter(kind):
    """The function that brings a Python value of an Arrow column (times as integers) to the JSON form of its type."""
    if kind in ("boolean", "int", "long", "string", "unknown"):
        return None
    if kind == "float":
        return lambda v: bits(v, "<f")
    if kind == "double":
        return lambda v: bits(v, "<d")
    if kind == "date":
        return civil
    if kind == "time":
        return lambda v: clock(v, 10**6)
    if kind.startswith("timestamp"):
        per_second, zone = 10**9 if kind.endswith("_ns") else 10**6, "+00:00" if "tz" in kind else ""
        return lambda v: stamp(v, per_second, zone)
    if kind.startswith("decimal"):
        unit = decimal.Decimal(1).scaleb(-scale_of(kind))
        context = decimal.Context(prec=60, traps=[decimal.Inexact, decimal.InvalidOperation])
        return lambda v: format(v.quantize(unit, context=context), "f")
    if kind == "uuid":
        return lambda v: str(uuid.UUID(bytes=v) if isinstance(v, bytes) else uuid.UUID(str(v)))
    if kind == "binary" or kind.startswith("fixed"):
        return lambda v: bytes(v).hex()
    raise ValueError("no form for type " + kind)


def structs(array, fields):
    """The cells of a struct array; (name, kind) of each field."""
    columns = [from_arrow(array.field(name), kind) for name, kind in fields]
    return [v if there else None for v, there in zip(zip(*columns), array.is_valid().to_pylist())]


def lists(array, items):
    """The cells of a list or map array, whose `items` are those of array.values."""
    ends = array.offsets.to_pylist()
    return [tuple(items[a:b]) if there else None
            for a, b, there in zip(ends, ends[1:], array.is_valid().to_pylist())]


def maps(array, kind):
    """The cells of a map array; some engines have lists of structs for them."""
    import pyarrow as pa

    entries = array.values if not pa.types.is_map(array.type) else pa.StructArray.from_arrays(
        [array.keys, array.items], ["key", "value"])
    items = structs(entries, list(zip([f.name for f in entries.type], inner(kind))))
    return [None if v is None else pairs(v) for v in lists(array, items)]


def from_time(array, kind):
    """Integers in the unit of the type; an engine may have a finer one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    units = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    have, want = units[array.type.unit], units["ns" if kind.endswith("_ns") else "us"]
    whole = array.cast(pa.int32() if array.type.bit_width == 32 else pa.int64()).cast(pa.int64())
    if have <= want:
        return pc.multiply_checked(whole, want // have)
    if pc.any(pc.not_equal(pc.multiply(pc.divide(whole, have // want), have // want), whole)).as_py():
        raise ValueError("%s is finer than a %s" % (array.type, kind))
    return pc.divide(whole, have // want)


def from_arrow(array, kind):
    """An Arrow column (chunked or not) as a list of cells."""
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        return [v for chunk in array.chunks for v in from_arrow(chunk, kind)]
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if kind.startswith("struct<"):
        return structs(array, inner(kind))
    if kind.startswith("list<"):
        return lists(array, from_arrow(array.values, inner(kind)[0]))
    if kind.startswith("map<"):
        return maps(array, kind)
    if kind == "variant":
        return [variant(v) for v in array.to_pylist()]
    t = array.type
    if pa.types.is_date32(t):
        array = array.cast(pa.int32())
    elif pa.types.is_timestamp(t) or pa.types.is_time(t):
        array = from_time(array, kind)
    convert, values = converter(kind), array.to_pylist()
    return values if convert is None else [None if v is None else convert(v) for v in values]


def rows_of_arrow(table, types, lineage):
    """A pyarrow table as a list of tuples in schema order, the two lineage columns last when asked."""
    kinds = {**types, **({c: "long" for c in LINEAGE} if lineage else {})}
    return list(zip(*(from_arrow(table[name], kind) for name, kind in kinds.items())))


def rows_of_json(lines, types, lineage=True):
    names = [*types, *(LINEAGE if lineage else ())]
    kinds = [types.get(n, "long") for n in names]
    return [tuple(from_json(r[n], k) for n, k in zip(names, kinds)) for r in map(json.loads, lines)]


def difference(got, want):
    """None for equal multisets, else one line that says how they differ."""
    have, need = collections.Counter(got), collections.Counter(want)
    if have == need:
        return None
    missing, extra = list((need - have).elements()), list((have - need).elements())
    return "%d rows missing, %d too many; missing %s; too many %s" % (len(missing), len(extra), missing[:1], extra[:1])
