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


def nested(v, kind, leaf):
    """A nested cell as tuples, its leaves by leaf(value, kind); maps come as pairs."""
    if v is None:
        return None
    if kind.startswith("struct<"):
        return tuple(nested(v[n], k, leaf) for n, k in inner(kind))
    if kind.startswith("list<"):
        return tuple(nested(x, inner(kind)[0], leaf) for x in v)
    if kind.startswith("map<"):
        return tuple(tuple(nested(x, k, leaf) for x, k in zip(pair, inner(kind))) for pair in v)
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
    if kind in ("boolean", "int", "long", "string"):
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


def from_python(v, kind):
    """A leaf of a nested Arrow value; no times in those, which to_pylist turns into objects."""
    if kind == "variant":
        return variant(v)
    convert = converter(kind)
    return v if convert is None else convert(v)


def from_arrow(array, kind):
    """An Arrow column (chunked or not) as a list of cells."""
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        return [v for chunk in array.chunks for v in from_arrow(chunk, kind)]
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if "<" in kind or kind == "variant":
        return [nested(v, kind, from_python) for v in array.to_pylist()]
    t = array.type
    if pa.types.is_date32(t):
        array = array.cast(pa.int32())
    elif pa.types.is_timestamp(t) or pa.types.is_time(t):
        want = "ns" if kind.endswith("_ns") else "us"
        if t.unit != want:
            raise ValueError("unit %s of a %s" % (t.unit, kind))
        array = array.cast(pa.int64())
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
    if len(got) == len(want) and sorted(got, key=repr) == sorted(want, key=repr):
        return None
    have, need = collections.Counter(got), collections.Counter(want)
    missing, extra = list((need - have).elements()), list((have - need).elements())
    return "%d rows missing, %d too many; missing %s; too many %s" % (len(missing), len(extra), missing[:1], extra[:1])
