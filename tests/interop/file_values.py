# SPDX-License-Identifier: Apache-2.0
"""Arrow tables of every engine in one form, so that equal is equal: floats by their bits, one type a kind of value."""
import pyarrow as pa
import pyarrow.compute as pc


def floats(array, bits):
    """Their bits; every NaN the same."""
    array = pc.if_else(pc.is_nan(array), pa.scalar(float("nan"), array.type), array)
    return array.view(bits).cast(pa.int64())


def lists(array):
    """Lists of any layout, what lies under null ones dropped."""
    if pa.types.is_map(array.type):
        entries = pa.StructArray.from_arrays([array.keys, array.items], ["key", "value"])
        offsets = pc.add(array.offsets, 0)  # a copy: masks go with no slice
        array = pa.ListArray.from_arrays(offsets, entries, mask=array.is_null())
    lengths = pc.fill_null(pc.list_value_length(array), 0).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])
    return pa.ListArray.from_arrays(offsets, normal(pc.list_flatten(array)), mask=array.is_null())


def normal(array):
    """One array in the common form. A uuid given as text stays text: see same_uuids."""
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays([normal(c) for c in array.chunks]) if array.num_chunks else pa.array([], array.type)
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    t = array.type
    if pa.types.is_struct(t):
        return pa.StructArray.from_arrays([normal(c) for c in array.flatten()], [f.name for f in t],
                                          mask=array.is_null())
    if pa.types.is_map(t) or pa.types.is_list(t) or pa.types.is_large_list(t):
        return lists(array)
    if pa.types.is_float16(t):
        return floats(array.cast(pa.float32()), pa.int32())
    if pa.types.is_float32(t):
        return floats(array, pa.int32())
    if pa.types.is_float64(t):
        return floats(array, pa.int64())
    if pa.types.is_integer(t) or pa.types.is_null(t):
        return array.cast(pa.int64())
    if pa.types.is_timestamp(t):
        return (array if t.unit == "ns" else array.cast(pa.timestamp("us", t.tz))).cast(pa.int64())
    if pa.types.is_time(t):
        return array.cast(pa.time64("us"))
    if pa.types.is_decimal(t):
        return array.cast(pa.decimal128(38, t.scale))
    if pa.types.is_large_string(t) or pa.types.is_string_view(t):
        return array.cast(pa.string())
    if pa.types.is_large_binary(t) or pa.types.is_binary_view(t) or pa.types.is_fixed_size_binary(t):
        return array.cast(pa.binary())
    return array


def columns(table):
    """{name: array in the common form} of a table."""
    return {name: normal(table.column(name)) for name in table.column_names}


def rows(cols, ranges):
    """The rows of [(first, count)…], None for all."""
    if ranges is None:
        return cols
    return {n: pa.concat_arrays([a.slice(*r) for r in ranges]) for n, a in cols.items()}


def together(parts):
    return {n: pa.concat_arrays([p[n] for p in parts]) for n in parts[0]}


def same_uuids(got, want):
    """Whether texts of uuids say the 16 bytes wanted."""
    return got.type == pa.string() and want.type == pa.binary() and pc.replace_substring(got, "-", "").to_pylist() == [
        None if v is None else v.hex() for v in want.to_pylist()]


def same_instants(got, want):
    """Whether nanoseconds (of INT96 to some) say the microseconds wanted."""
    try:
        return got.type == pa.int64() and got.equals(pc.multiply_checked(want, 1000))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False


def difference(got, want):
    """None, or what differs first; both {name: array}."""
    if list(got) != list(want):
        return "columns %s, expected %s" % (list(got), list(want))
    for name, b in want.items():
        a = got[name]
        if len(a) != len(b):
            return "%s: %d rows, expected %d" % (name, len(a), len(b))
        if a.equals(b) or same_uuids(a, b) or same_instants(a, b):
            continue
        if a.type != b.type:
            return "%s: type %s, expected %s" % (name, a.type, b.type)
        for i, (x, y) in enumerate(zip(a.to_pylist(), b.to_pylist())):
            if x != y:
                return "%s row %d: %r, expected %r" % (name, i, x, y)
    return None
