# SPDX-License-Identifier: Apache-2.0
"""The comparisons of the Parquet benchmarks: what is done, against whom, what is to be reached.

A row is a dict: work, peer, ours and theirs (figures), ratio, reach (number), limit ("least" or "most"), note. A ratio
is the peer's CPU time over ours, so many times faster are we; with limit "most" it is ours over the peer's.
"""
import json
import os
import shutil

BATCH_BYTES = 256 << 20  # what bin-packing may hold at two threads


def row(work, peer, ours, theirs, reach, limit="least", note=""):
    ratio = theirs["cpu"] / ours["cpu"] if limit == "least" else ours["cpu"] / theirs["cpu"]
    return dict(work=work, peer=peer, ours=ours, theirs=theirs, ratio=ratio, reach=reach, limit=limit, note=note)


def against(work, best, peers, limit="least", note=""):
    """A row for each of `peers`, a list of (name, reach)."""
    return [row(work, name, best["rowline"], best[name], reach, limit, note) for name, reach in peers if name in best]


def better_of(best, *names):
    return min((n for n in names if n in best), key=lambda n: best[n]["cpu"])


def scans(b):
    for codec in ("zstd", "snappy"):
        files = b.files(codec)
        for threads in (1, 2):
            best = b.compare({
                "rowline": b.driver("bench_parquet_scan", "-t", threads, "-n", 2, *files),
                "pyarrow": b.peer("pyarrow", "scan", files, threads, times=2),
                "DuckDB": b.peer("duckdb", "scan", files, threads, times=2),
            }, b.options.rounds)
            yield from against("scan, %s, %d thread%s" % (codec, threads, "s" * (threads > 1)), best,
                               [("pyarrow", 1.5), ("DuckDB", 3)])


# (set of one column, what it is called, peers, reach); several peers: the better of them
COLUMN_ROWS = [
    ("int32-plain", "int32 PLAIN", ["pyarrow"], 1.2),
    ("int64-plain", "int64 PLAIN", ["pyarrow"], 1.2),
    ("double-plain", "double PLAIN", ["pyarrow"], 1.2),
    ("int64-dict", "int64 dictionary", ["pyarrow"], 1.2),
    ("double-dict", "double dictionary", ["pyarrow"], 1.2),
    ("int64-split", "int64 BYTE_STREAM_SPLIT", ["pyarrow"], 1.2),
    ("float-split", "float BYTE_STREAM_SPLIT", ["pyarrow"], 1.2),
    ("double-split", "double BYTE_STREAM_SPLIT", ["pyarrow"], 1.2),
    ("delta-permuted", "int64 DELTA_BINARY_PACKED permuted", ["pyarrow"], 1.5),
    ("delta-random", "int64 DELTA_BINARY_PACKED random", ["pyarrow"], 1.5),
    ("delta-sequence", "int64 DELTA_BINARY_PACKED sequence", ["pyarrow"], 1.0),
    ("delta-constant", "int64 DELTA_BINARY_PACKED constant", ["pyarrow"], 1.0),
    ("int64-plain-nulls", "int64 PLAIN, 10 % nulls", ["pyarrow"], 2.5),
    ("double-plain-nulls", "double PLAIN, 10 % nulls", ["pyarrow"], 2.5),
    ("int64-dict-nulls", "int64 dictionary, 10 % nulls", ["pyarrow"], 2.5),
    ("double-split-nulls", "double BYTE_STREAM_SPLIT, 10 % nulls", ["pyarrow"], 2.5),
    ("delta-nulls", "int64 DELTA_BINARY_PACKED, 10 % nulls", ["pyarrow"], 2.5),
    ("bool", "booleans", ["polars"], 1.0),
    ("string-plain", "strings PLAIN", ["pyarrow", "arrow_rs"], 1.5),
    ("string-dict", "strings dictionary", ["pyarrow"], 4),
    ("string-delta-length", "strings DELTA_LENGTH_BYTE_ARRAY", ["arrow_rs"], 1.5),
    ("string-delta", "strings DELTA_BYTE_ARRAY, random", ["arrow_rs"], 1.5),
    ("string-delta-sorted", "strings DELTA_BYTE_ARRAY, sorted", ["arrow_rs"], 1.5),
]


def columns(b):
    for name, title, peers, reach in COLUMN_ROWS:
        files = b.files("columns/%s.parquet" % name)
        sides = {"rowline": b.driver("bench_parquet_scan", "-s", "-n", 5, *files)}
        for peer in peers:
            sides[peer] = b.peer(peer, "scan", files, times=3, touch=True)
        best = b.compare(sides, b.options.rounds)
        peer = better_of(best, *peers)
        rows = b.options.rows
        note = "%.2f ns a value, %s %.2f" % (best["rowline"]["cpu"] / rows * 1e9, peer.replace("_", "-"),
                                             best[peer]["cpu"] / rows * 1e9)
        yield from against("one column: " + title, best, [(peer, reach)], note=note)


def copy_properties(codec, level=None):
    yield from ("-p", "write.parquet.compression-codec=" + {"none": "uncompressed"}.get(codec, codec))
    if level:
        yield from ("-p", "write.parquet.compression-level=%d" % level)


def writes(b):
    files = b.files("zstd")[:5]
    figures = {}
    for codec, level in (("zstd", 3), ("snappy", None), ("none", None)):
        figures[codec] = b.compare({
            "rowline": b.driver("bench_parquet_copy", "-m", *copy_properties(codec, level), b.out, *files),
            "pyarrow": b.peer("pyarrow", "write", files, codec=codec, level=level, out=b.out),
        }, b.options.rounds)
    for codec, reach in (("zstd", 1.2), ("snappy", 1.5), ("none", 2)):
        best = figures[codec]
        size = best["rowline"]["bytes"] / best["pyarrow"]["bytes"]
        title = "write from Arrow, " + ("the codec left out (both uncompressed)" if codec == "none" else codec)
        made = against(title, best, [("pyarrow", reach)], note="size %.3f of pyarrow's" % size)
        if codec != "none" and size > 1.02:
            made[0]["failed"] = "larger by more than 2 %"
        for one in made:
            one["ours"]["peak"] = one["theirs"]["peak"] = 0  # mostly the rows they are given
        yield from made


def bin_packs(b):
    for codec, peer, reach in (("zstd", "duckdb", 2), ("snappy", "polars", 1)):
        files = b.files(codec)
        best = b.compare({
            "rowline": b.driver("bench_parquet_copy", "-t", 2, *copy_properties(codec, 3 if codec == "zstd" else None),
                                b.out, *files),
            peer: b.peer(peer, "copy", files, 2, codec=codec, out=b.out),
        }, b.options.rounds)
        made = against("bin-pack by decode and encode, %s, two threads" % codec, best, [(peer, reach)],
                       note="size %.3f of theirs" % (best["rowline"]["bytes"] / best[peer]["bytes"]))
        if best["rowline"]["peak"] > BATCH_BYTES:
            made[0]["failed"] = "%d MiB, 256 allowed" % (best["rowline"]["peak"] >> 20)
        yield from made


def stitched_note(figures):
    return "%(row_groups)d row groups; pages copied %(pages_copied)d, recoded %(pages_recoded)d, " \
        "encoded %(pages_encoded)d" % figures


def stitch_large(b):
    files = b.files("zstd")
    sides = {"rowline": b.driver("bench_parquet_stitch", "-g", b.options.rows // 10, b.out, *files)}
    # all files behind one another into one file, as the stitcher does; cp takes one file, so it gets their concatenation
    whole = b.path("whole")
    with open(whole, "wb") as target:
        for path in files:
            with open(path, "rb") as source:
                shutil.copyfileobj(source, target, 1 << 20)
    sides["cp"] = b.command("cp", "--reflink=never", whole, b.out)
    if b.options.parquet_concat:
        sides["parquet-concat"] = b.command(b.options.parquet_concat, b.out, *files)
    best = b.compare(sides, b.options.rounds + 1)
    os.unlink(whole)
    note = stitched_note(best["rowline"])
    yield from against("bin-pack by stitching, large row groups", best, [("cp", 3)], "most", note)
    yield from against("bin-pack by stitching, large row groups", best, [("parquet-concat", 1)], note=note)


def stitch_small(b):
    for writer, reach in (("rowline", 5), ("spark", 5), ("pyarrow", 2)):
        files = b.files("small-" + writer)
        if not os.path.exists(os.path.join(b.data, "small-" + writer, "complete")):
            continue
        best = b.compare({
            "rowline": b.driver("bench_parquet_stitch", "-g", 1_000_000, b.out, *files),
            "DuckDB": b.peer("duckdb", "copy", files, 1, codec="zstd", out=b.out, group_rows=1_000_000),
        }, b.options.rounds)
        note = stitched_note(best["rowline"]) + "; size %.3f of DuckDB's" % (
            best["rowline"]["bytes"] / best["DuckDB"]["bytes"])
        yield from against("bin-pack by stitching %d files of 10,000 rows by %s" % (len(files), writer), best,
                           [("DuckDB", reach)], note=note)


def read_stitched(b):
    """Stitched and re-encoded files of the same small files, read by several; at most 5 % dearer."""
    for writer in ("rowline", "spark", "pyarrow"):
        if not os.path.exists(os.path.join(b.data, "small-" + writer, "complete")):
            continue
        files = b.files("small-" + writer)
        stitched, encoded = (b.path(n) for n in ("stitched", "encoded"))
        b.run([b.program("bench_parquet_stitch"), "-g", "1000000", stitched, *files])
        b.run([b.program("bench_parquet_copy"), *copy_properties("zstd", 3), encoded, *files])
        for reader in ("rowline", "pyarrow", "DuckDB") + (("Spark",) if b.options.spark else ()):
            sides = {}
            for name, path in (("rowline", stitched), ("re-encoded", encoded)):
                sides[name] = b.driver("bench_parquet_scan", "-n", 3, path) if reader == "rowline" else \
                    b.peer(reader.lower(), "scan", [path], times=8 if reader == "Spark" else 2)
            best = b.compare(sides, b.options.rounds)
            note = "size %.3f of the re-encoded's" % (os.path.getsize(stitched) / os.path.getsize(encoded))
            yield from against("reading the stitched file (small ones by %s) with %s" % (writer, reader), best,
                               [("re-encoded", 1.05)], "most", note)
        os.unlink(stitched)
        os.unlink(encoded)


def one_value(b):
    """Pages are counted, not time: one a column, as rows of a page are the same in all columns, or where they are not, what
    overlaps."""
    path = b.files("sorted/sorted.parquet")[0]
    pages = {}
    for name, more in (("one", ["--where", "id = %d" % (b.options.rows // 2 + 17)]), ("all", ["--where", "id >= 0"])):
        _, used = b.run([b.options.rowline, "scan", path, "--stats", "--select", "id, ts, v, s", "--format", "jsonl",
                         *more] if name == "one" else
                        [b.options.rowline, "scan", path, "--stats", "--select", "id, ts, v, s", "--limit", "0",
                         "--where", "id < 0 or s = ''"])
        pages[name] = json.loads(used["stderr"].strip().splitlines()[-1])
    one, skipped = pages["one"]["pages_read"], pages["one"]["pages_skipped"]
    yield dict(work="one value asked for in a sorted column, pages of 4 columns", peer="pages that may hold it",
               ours={"cpu": one}, theirs={"cpu": 4}, ratio=one / 4, reach=1, limit="most", unit="pages",
               note="%d of %d pages of its row group, %d of %d row groups" % (
                   one, one + skipped, pages["one"]["row_groups_read"],
                   pages["one"]["row_groups_read"] + pages["one"]["row_groups_skipped"]))


def growth(work, figures, note):
    """Nanoseconds a value at each size: the dearest over the cheapest of what should be the same."""
    values = [f for _, f in figures]
    return dict(work=work, peer="itself", ours={"cpu": max(values)}, theirs={"cpu": min(values)}, unit="ns",
                ratio=max(values) / min(values), reach=1.5, limit="most",
                note="ns a value: " + ", ".join("%s: %.2f" % f for f in figures) + note)


def linear_rows(b):
    sizes = [1, 10] + ([100] if b.options.full else [])
    unit = b.options.rows // 10
    write, read = [], []
    for size in sizes:
        target = b.path("linear")
        files = b.files("zstd")[:1] if size == 1 else b.files("zstd") * (size // 10)
        rounds = 1 if size == 100 else b.options.rounds
        best = b.compare({"write": b.driver("bench_parquet_copy", target, *files)}, rounds)
        best |= b.compare({"read": b.driver("bench_parquet_scan", target)}, rounds)
        name = "%g M rows" % (size * unit / 1e6)
        values = size * unit * 6 / 1e9
        write.append((name, best["write"]["cpu"] / values))
        read.append((name, best["read"]["cpu"] / values))
        peaks = "; peak %d MiB writing, %d MiB reading" % (best["write"]["peak"] >> 20, best["read"]["peak"] >> 20)
        os.unlink(target)
    yield growth("cost by rows, copying (decode and encode)", write, peaks)
    yield growth("cost by rows, scanning", read, peaks)


def linear_columns(b):
    ours, theirs = [], []
    for count in (10, 100, 1000):
        path = b.files("wide/%d.parquet" % count)
        best = b.compare({"rowline": b.driver("bench_parquet_scan", "-n", 3, *path),
                          "pyarrow": b.peer("pyarrow", "scan", path, times=3)}, b.options.rounds)
        values = b.options.rows // count * count / 1e9
        ours.append(("%d columns" % count, best["rowline"]["cpu"] / values))
        theirs.append(("%d" % count, best["pyarrow"]["cpu"] / values))
    yield growth("cost by columns, scanning", ours, " (pyarrow " + ", ".join("%s: %.2f" % f for f in theirs) + ")")


def footer_bytes(path):
    with open(path, "rb") as f:
        f.seek(-8, os.SEEK_END)
        return int.from_bytes(f.read(4), "little")


def opening(b):
    for name, title in (("columns", "10,000 columns"), ("groups", "10,000 row groups")):
        path = b.files("wide/%s.parquet" % name)
        best = b.compare({"rowline": b.driver("bench_parquet_scan", "-o", "-n", 10, *path),
                          "pyarrow": b.peer("pyarrow", "open", path, times=10)}, b.options.rounds + 1)
        size = footer_bytes(path[0])
        note = "footer %.2f MB: %.2f ns a byte, pyarrow %.2f" % (
            size / 1e6, best["rowline"]["cpu"] / size * 1e9, best["pyarrow"]["cpu"] / size * 1e9)
        yield from against("opening a file of " + title, best, [("pyarrow", 1)], note=note)


PARTS = {"scan": scans, "column": columns, "write": writes, "binpack": bin_packs, "stitch-large": stitch_large,
         "stitch-small": stitch_small, "read-stitched": read_stitched, "one-value": one_value, "rows": linear_rows,
         "columns": linear_columns, "open": opening}
