#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading Lance datasets, against pylance on the same ones in the same run.

    lance_read.py --programs DIR --work DIR [--rows N] [--shuffled N] [--repeat N] [--only PART,…] [--fresh]
                  [--write FILE]

scan      all rows of int64, double and string columns, with ids and both versions and without
columns   strings; lists of lists; columns compressed by zstd
fragments 10,000 fragments of 100 rows
whole     counting rows, and the digest, beside pylance's reading of ids and versions
late      a filter that few rows pass, all columns of these read
take      open, then 1, 100 and 1,000 rows by id: of a plain dataset, and of one whose rows were all merged again in random
          order, so that lineage is scattered, inline in the manifest or spilled into hidden columns
open      opening alone, of the scattered ones
memory    peak resident bytes of scanning the scattered dataset with lineage under a budget

CPU is that of all threads, from opening on in a process that runs already. Each figure is the least of the repeats. The datasets are made by pylance under WORK and kept. --write puts the table between the marks in FILE, parts
not measured in this run as they were.
"""
import argparse
import datetime
import json
import os
import random
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from figures import keep, write_between_marks

BEGIN = "<!-- figures: bench/run lance --write -->"
LINEAGE = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]

PEER = r"""
import json, os, resource, sys, time
import lance
what, path, argument, times = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), int(sys.argv[4])
best = None
for _ in range(times):
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    dataset = lance.dataset(path)
    rows = 0
    if what == "scan":
        for batch in dataset.scanner(columns=dataset.schema.names + argument, batch_size=65536).to_batches():
            rows += batch.num_rows
    elif what == "lineage":
        for batch in dataset.scanner(columns=argument, batch_size=65536).to_batches():
            rows += batch.num_rows
    elif what == "count":
        rows = dataset.count_rows()
    elif what == "take":
        rows = dataset._take_rows(argument, columns=dataset.schema.names).num_rows
    elif what == "filter":
        rows = dataset.to_table(filter=argument).num_rows
    after = resource.getrusage(resource.RUSAGE_SELF)
    figures = {"rows": rows, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
               "wall": time.monotonic() - start, "peak": after.ru_maxrss * 1024}
    if best is None or figures["cpu"] < best["cpu"]:
        best = figures
print(json.dumps(best))
"""


# --- datasets ---


def make(path, build):
    """Makes a dataset once; what is half made counts for nothing."""
    if not os.path.exists(path):
        half = path + ".half"
        shutil.rmtree(half, ignore_errors=True)
        build(half)
        os.rename(half, path)
    return path


def plain(path, rows, version):
    import lance
    import numpy
    import pyarrow as pa

    rng = numpy.random.default_rng(7)
    step = 500_000
    for first in range(0, rows, step):
        count = min(step, rows - first)
        table = pa.table({"id": numpy.arange(first, first + count), "v": rng.standard_normal(count),
                          "s": pa.array(["name %d of row" % n for n in rng.integers(0, 10**6, count)])})
        lance.write_dataset(table, path, mode="append" if first else "create", enable_stable_row_ids=True,
                            data_storage_version=version)
    lance.dataset(path).update({"v": "v + 1"}, where="id % 5 = 0")


def strings(path, rows):
    import lance
    import numpy
    import pyarrow as pa

    numbers = numpy.random.default_rng(11).integers(0, 10**9, rows)
    lance.write_dataset(pa.table({"name": pa.array(["customer number %d" % n for n in numbers]),
                                  "hex": pa.array(["%016x" % (n * 2654435761) for n in numbers])}),
                        path, data_storage_version="2.2")


def nested(path, rows):
    """Lists of up to three lists of up to four numbers, and lists of structs; a tenth of them null."""
    import lance
    import numpy
    import pyarrow as pa

    rng = numpy.random.default_rng(13)
    inner = numpy.concatenate([[0], numpy.cumsum(rng.integers(0, 5, 3 * rows))]).astype(numpy.int32)
    outer = numpy.concatenate([[0], numpy.cumsum(rng.integers(0, 4, rows))]).astype(numpy.int32)
    lists = pa.ListArray.from_arrays(inner, pa.array(rng.integers(0, 10**6, inner[-1])))
    structs = pa.StructArray.from_arrays([pa.array(rng.integers(0, 1000, 3 * rows)),
                                          pa.array(rng.standard_normal(3 * rows))], ["a", "b"])
    nulls = pa.array(rng.random(rows) < 0.1)
    lance.write_dataset(pa.table({"lists": pa.ListArray.from_arrays(outer, lists, mask=nulls),
                                  "structs": pa.ListArray.from_arrays(outer, structs, mask=nulls)}),
                        path, data_storage_version="2.2")


def compressed(path, rows):
    import lance
    import numpy
    import pyarrow as pa

    numbers = numpy.random.default_rng(17).integers(0, 10**6, rows)
    zstd = {"lance-encoding:compression": "zstd"}
    schema = pa.schema([pa.field("n", pa.int64(), metadata=zstd), pa.field("v", pa.float64(), metadata=zstd),
                        pa.field("s", pa.string(), metadata=zstd)])
    lance.write_dataset(pa.table([pa.array(numbers), pa.array(numpy.round(numbers / 7, 2)),
                                  pa.array(["customer number %d of many" % n for n in numbers])], schema=schema),
                        path, data_storage_version="2.2")


def many_fragments(path, rows):
    import lance
    import numpy
    import pyarrow as pa

    lance.write_dataset(pa.table({"id": numpy.arange(rows), "v": numpy.random.default_rng(19).standard_normal(rows)}), path,
                        max_rows_per_file=100, max_rows_per_group=100, enable_stable_row_ids=True, data_storage_version="2.2")


def scattered(path, rows, spill):
    """8 appends, then every row merged again in random order, then compacted: lineage has no runs."""
    import lance
    import numpy
    import pyarrow as pa

    for part in range(8):
        ids = numpy.arange(part * (rows // 8), (part + 1) * (rows // 8))
        lance.write_dataset(pa.table({"id": ids, "value": 3 * ids}), path, mode="append" if part else "create",
                            enable_stable_row_ids=True, data_storage_version="2.2")
    if spill:
        lance.dataset(path).update_config({"lance.row_lineage.spill": "true"})
    # A source that outweighs the target is what sets the order of the rows; keys that match nothing add the weight.
    ids = numpy.random.default_rng(3).permutation(rows // 8 * 16)
    lance.dataset(path).merge_insert("id").when_matched_update_all().execute(pa.table({"id": ids, "value": 5 * ids}))


# --- measuring ---


def ours(options, path, *more, threads=None):
    out = subprocess.run([os.path.join(options.programs, "bench_parquet_scan"), "-T", "-n", str(options.repeat), "-t",
                          str(threads or os.cpu_count()), *more, path], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def theirs(options, what, path, argument=()):
    out = subprocess.run([sys.executable, "-c", PEER, what, path, json.dumps(argument), str(options.repeat)],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def compare(title, mine, peer, wanted=None):
    """A row of the table, shown at once."""
    if mine["rows"] != peer["rows"]:
        sys.exit("%s: %d rows, pylance has %d" % (title, mine["rows"], peer["rows"]))
    ratio = peer["cpu"] / max(mine["cpu"], 1e-6)
    row = [title, "%.1f ms" % (1e3 * mine["cpu"]), "%.1f ms" % (1e3 * peer["cpu"]), "%.2f" % ratio,
           "≥ %g" % wanted if wanted else ""]
    print("%-72s %12s %12s %8s  %s" % tuple(row), flush=True)
    return row


def manifest_bytes(path):
    folder = os.path.join(path, "_versions")
    return os.path.getsize(os.path.join(folder, min(n for n in os.listdir(folder) if n.endswith(".manifest"))))


def plain_path(options, version="2.2"):
    return make(os.path.join(options.work, "plain-%d-%s" % (options.rows, version)),
                lambda p: plain(p, options.rows, version))


def millions(rows):
    return "%g M rows" % (rows / 1e6)


def scan(options):
    for version in ("2.1", "2.2"):
        path = plain_path(options, version)
        yield compare("scan of %s (int64, double, string) with ids and both versions, %s" % (millions(options.rows), version),
                      ours(options, path, "-l"), theirs(options, "scan", path, LINEAGE), 1.5)
    yield compare("the same without lineage, 2.2", ours(options, path), theirs(options, "scan", path), 1.5)


def columns(options):
    rows = options.rows * 2 // 5
    for title, build, share in (("two columns of strings", strings, 1), ("lists of lists and of structs", nested, 2),
                                ("int64, double and strings by zstd", compressed, 1)):
        path = make(os.path.join(options.work, "%s-%d" % (build.__name__, rows // share)), lambda p: build(p, rows // share))
        yield compare("scan of %s, %s" % (millions(rows // share), title), ours(options, path), theirs(options, "scan", path), 1.5)


def fragments_path(options):
    return make(os.path.join(options.work, "fragments-10000"), lambda p: many_fragments(p, 1_000_000))


def fragments(options):
    path = fragments_path(options)
    yield compare("scan of 10,000 fragments of 100 rows", ours(options, path), theirs(options, "scan", path), 1.5)
    yield compare("the same with ids and both versions", ours(options, path, "-l"), theirs(options, "scan", path, LINEAGE), 1.5)


def whole(options):
    path = plain_path(options)
    yield compare("count of %s" % millions(options.rows), ours(options, path, "-k"), theirs(options, "count", path), 1.5)
    many = fragments_path(options)
    yield compare("count of 10,000 fragments", ours(options, many, "-k"), theirs(options, "count", many), 1.5)
    yield compare("digest of %s (pylance: reading ids and both versions)" % millions(options.rows), ours(options, path, "-d"),
                  theirs(options, "lineage", path, LINEAGE), 1.5)


def late(options):
    path, few = plain_path(options), "v > 4.5"
    yield compare("filter that few of %s pass, all their columns read" % millions(options.rows),
                  ours(options, path, "-w", few), theirs(options, "filter", path, few), 1.5)


def twins(options, rows):
    for kind in ("inline", "spilled"):
        path = make(os.path.join(options.work, "scattered-%d-%s" % (rows, kind)),
                    lambda p: scattered(p, rows, kind == "spilled"))
        yield kind, path


def take(options):
    kinds = [("plain", plain_path(options), options.rows)]
    kinds += [("shuffled, %s (manifest of %d KB)" % (kind, manifest_bytes(path) // 1000), path, options.shuffled // 8 * 8)
              for kind, path in twins(options, options.shuffled)]
    for kind, path, rows in kinds:
        for count in (1, 100, 1000):
            ids = sorted(random.Random(5).sample(range(rows), count))
            wanted = "_rowid in (%s)" % ", ".join(map(str, ids))
            peers = [theirs(options, "take", path, ids), theirs(options, "filter", path, wanted)]
            peers = [p for p in peers if p["rows"] == count]
            reach = 20 if "inline" in kind and count == 100 else 1 if "spilled" in kind else 1.5
            yield compare("open and %d row%s by id of %s, %s" % (count, "s" if count > 1 else "", millions(rows), kind),
                          ours(options, path, "-w", wanted), min(peers, key=lambda f: f["cpu"]), reach)


def opening(options):
    for kind, path in twins(options, options.shuffled):
        yield compare("open alone, %s" % kind, {**ours(options, path, "-w", "_fragment_id < 0"), "rows": 0},
                      theirs(options, "open", path))


def memory(options):
    for kind, path in twins(options, options.rows):
        mine = ours(options, path, "-l", "-m", str(64 << 20))["peak"] >> 20
        peer = theirs(options, "scan", path, LINEAGE)["peak"] >> 20
        row = ["peak memory, scan of %s with lineage, %s, --memory 64MB" % (millions(options.rows), kind), "%d MB" % mine,
               "%d MB" % peer, "%.1f" % (peer / mine), "within 64 MB"]
        print("%-72s %12s %12s %8s  %s" % tuple(row), flush=True)
        yield row


PARTS = {"scan": scan, "columns": columns, "fragments": fragments, "whole": whole, "late": late, "take": take, "open": opening,
         "memory": memory}


# --- the table ---


def as_markdown(options, rows):
    import lance

    head = "%d cores, pylance %s, the least of %d, %s." % (os.cpu_count(), lance.__version__, options.repeat,
                                                          datetime.date.today().isoformat())
    lines = [head, "", "| work | rowline | pylance | ratio | reach |", "|---|---|---|---|---|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--shuffled", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--write")
    options = parser.parse_args()
    options.work = os.path.join(os.path.abspath(options.work), "lance")
    if options.fresh:
        shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work, exist_ok=True)
    print("%-72s %12s %12s   pylance / rowline, CPU" % ("", "rowline", "pylance"))
    results = {}
    for name in options.only.split(","):
        results[name] = list(PARTS[name](options))
    rows = keep(os.path.join(options.work, "figures-%d.json" % options.rows), PARTS, results)
    if options.write:
        write_between_marks(options.write, as_markdown(options, rows), BEGIN)


if __name__ == "__main__":
    main()
