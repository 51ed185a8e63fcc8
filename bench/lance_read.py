#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading Lance datasets, against pylance on the same ones in the same run.

    lance_read.py ROWLINE --programs DIR --work DIR [--rows N] [--shuffled N] [--repeat N] [--only PART,…] [--fresh]

scan      all rows of int64, double and string columns with ids and both versions, file versions 2.1 and 2.2
take      open, then 100 rows by id: of a dataset whose rows were all merged again in random order, so that lineage is
          scattered; once inline in the manifest, once spilled into hidden columns
open      opening alone, of the same two
memory    peak resident bytes of scanning the scattered dataset with lineage under a budget

CPU is that of all threads; of pylance that of the process after its imports. Each figure is the least of the repeats. The datasets are made
by pylance under WORK and kept.
"""
import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys

LINEAGE = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]

PEER = r"""
import json, os, resource, sys, time
import lance
what, path, ids, times = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), int(sys.argv[4])
LINEAGE = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
best = None
for _ in range(times):
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    dataset = lance.dataset(path)
    rows = 0
    if what == "scan":
        for batch in dataset.scanner(columns=dataset.schema.names + LINEAGE, batch_size=65536).to_batches():
            rows += batch.num_rows
    elif what == "take":
        rows = dataset._take_rows(ids, columns=dataset.schema.names).num_rows
    elif what == "filter":
        rows = dataset.to_table(filter="_rowid in (%s)" % ", ".join(map(str, ids))).num_rows
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


def theirs(options, what, path, ids=()):
    out = subprocess.run([sys.executable, "-c", PEER, what, path, json.dumps(list(ids)), str(options.repeat)],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def report(title, mine, peer, wanted=None):
    ratio = peer["cpu"] / max(mine["cpu"], 1e-6)
    print("%-44s %9.1f ms %9.1f ms   %6.2f %s" % (title, 1e3 * mine["cpu"], 1e3 * peer["cpu"], ratio,
                                                   "(of %.1f)" % wanted if wanted else ""), flush=True)
    if mine["rows"] != peer["rows"]:
        sys.exit("%s: %d rows, pylance has %d" % (title, mine["rows"], peer["rows"]))


def manifest_bytes(path):
    folder = os.path.join(path, "_versions")
    return os.path.getsize(os.path.join(folder, min(n for n in os.listdir(folder) if n.endswith(".manifest"))))


def scan(options):
    for version in ("2.1", "2.2"):
        path = make(os.path.join(options.work, "plain-%d-%s" % (options.rows, version)),
                    lambda p: plain(p, options.rows, version))
        report("scan with lineage, %s" % version, ours(options, path, "-l"), theirs(options, "scan", path), 1.5)


def twins(options, rows):
    for kind in ("inline", "spilled"):
        path = make(os.path.join(options.work, "scattered-%d-%s" % (rows, kind)),
                    lambda p: scattered(p, rows, kind == "spilled"))
        print("%-8s manifest %d bytes" % (kind, manifest_bytes(path)))
        yield kind, path


def take(options):
    ids = sorted(random.Random(5).sample(range(options.shuffled // 8 * 8), 100))
    for kind, path in twins(options, options.shuffled):
        mine = ours(options, path, "-w", "_rowid in (%s)" % ", ".join(map(str, ids)))
        peers = [theirs(options, what, path, ids) for what in ("take", "filter")]
        report("100 rows by id, %s" % kind, mine, min(peers, key=lambda f: f["cpu"]), 20 if kind == "inline" else 1)


def opening(options):
    for kind, path in twins(options, options.shuffled):
        report("open, %s" % kind, {**ours(options, path, "-w", "_fragment_id < 0"), "rows": 0}, theirs(options, "open", path))


def memory(options):
    for kind, path in twins(options, options.rows):
        mine = ours(options, path, "-l", "-m", str(64 << 20))
        print("%-44s peak %d MB under a budget of 64 MB, pylance %d MB" %
              ("scan with lineage, %s" % kind, mine["peak"] >> 20, theirs(options, "scan", path)["peak"] >> 20))


PARTS = {"scan": scan, "take": take, "open": opening, "memory": memory}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rowline")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--shuffled", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    options.work = os.path.join(os.path.abspath(options.work), "lance")
    if options.fresh:
        shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work, exist_ok=True)
    print("%-44s %12s %12s   pylance / rowline, CPU" % ("", "rowline", "pylance"))
    for name in options.only.split(","):
        PARTS[name](options)


if __name__ == "__main__":
    main()
