# SPDX-License-Identifier: Apache-2.0
"""The comparisons of the table benchmarks: scans, planning, rewrites. Rows are those of parquet_rows.py."""
import argparse
import json
import os
import sys

import plan
from parquet_measure import wait_for_quiet
from parquet_rows import row
from table_data import Tables

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = "536870912"  # of new files, in bytes; the small table's own is one byte
PLAN_BYTES = 300_000_000
BUDGET = "512MB"  # of a sorted rewrite


def scans(b):
    tables = Tables(b)
    for name in ("events", "events-20"):
        tables.make(name)
    paths = {name: tables.restore(name) for name in ("events", "events-20")}  # a run that was stopped may have left them rewritten
    for threads in (1, 2):
        scan = lambda table, *more: b.driver("bench_parquet_scan", "-T", "-s", "-t", threads, "-n", 3, *more, paths[table])
        best = b.compare({
            "rowline": scan("events"), "lineage": scan("events", "-l"), "deletes": scan("events-20"),
            "DuckDB": b.peer("duckdb", "sum_table", [tables.metadata("events")], threads, times=3),
            "read_parquet": b.peer("duckdb", "sum_files", tables.data_files("events"), threads, times=3),
        }, b.options.rounds)
        title = "table scan, 4 columns summed, %d thread%s" % (threads, "s" * (threads > 1))
        yield row(title, "DuckDB", best["rowline"], best["DuckDB"], 1.5, note="iceberg_scan")
        yield row(title, "DuckDB", best["rowline"], best["read_parquet"], 1.5, note="read_parquet")
        yield row(title + ", both lineage columns", "without", best["lineage"], best["rowline"], 1.1, "most")
        yield row(title + ", 5 % deleted", "none deleted", best["deletes"], best["rowline"], 1.1, "most",
                  "500,000 positions in deletion vectors" if b.options.rows == 10_000_000 else "")


def planning(b):
    """Entries a second and core against what is to be reached, and the manifests that a filter opens; see plan.py."""
    options = argparse.Namespace(program=b.program("bench_plan"), work=b.options.work, repeat=3, fresh=False)
    for name, manifests, files in plan.TABLES:
        table = plan.make(options, name, manifests, files)
        for label, (mode, *rest), target in plan.ROWS:
            wait_for_quiet(b.options.wait)
            r = plan.best(options, [options.program, mode, table, *rest])
            title = "planning %s files (manifests x files), %s" % (name, label)
            if target is not None:
                made = row(title, "%g M entries/s" % (target / 1e6), r, {"cpu": r["entries"] / target}, 1,
                           note="%.2f M entries a second" % (r["entries"] / r["cpu"] / 1e6))
                if r["peak"] >= PLAN_BYTES:
                    made["failed"] = "300 MB or more"
                yield made
            elif label == "one day":
                yield dict(row(title, "manifests hit", {"cpu": r["manifests"], "peak": r["peak"]}, {"cpu": 1}, 1, "most",
                               "%.4f s" % r["cpu"]), unit="pages")


def rewritten(b, tables, name, *options, verify="lineage", target=TARGET):
    """A rewrite of every file by the program: CPU of the process, start-up counted."""
    def side():
        table = tables.restore(name)
        out, figures = b.run([b.options.rowline, "rewrite", table, "--rewrite-all", "--verify", verify, "--threads", "2",
                              "--target-file-size", target, "--json", "--quiet", *options])
        commit = json.loads(out)
        if commit["snapshot_id"] is None or commit["digest_before"] != commit["digest_after"]:
            raise RuntimeError("the rewrite is wrong: %s" % commit)
        return figures
    return side


def duckdb_copy(b, tables, name):
    def side():
        tables.restore(name)
        return b.peer("duckdb", "copy_table", [tables.metadata(name)], 2, out=b.out)()
    return side


def rewrites(b):
    tables = Tables(b)
    for name, title, reach in (("events", "no deletes", {"lineage": 15, "full": 5}),
                               ("events-100", "1 % deleted here and there", {"lineage": 3, "full": 3})):
        tables.make(name)
        best = b.compare({
            "lineage": rewritten(b, tables, name), "full": rewritten(b, tables, name, verify="full"),
            "DuckDB": duckdb_copy(b, tables, name),
        }, b.options.rounds)
        for verify in ("lineage", "full"):
            yield row("rewrite, zstd, %s, --verify %s" % (title, verify), "DuckDB", best[verify], best["DuckDB"],
                      reach[verify], note="COPY of iceberg_scan with both lineage columns")


def sorts(b):
    tables = Tables(b)
    tables.make("events")
    tables.restore("events")
    sources = tables.data_files("events")
    best = b.compare({
        "rowline": rewritten(b, tables, "events", "--sort", "v", "--memory", BUDGET),
        "polars": b.peer("polars", "sort", [f.replace("/db/", "/pristine/") for f in sources], 2, by="v", out=b.out),
    }, b.options.rounds)
    share = best["rowline"]["peak"] / best["polars"]["peak"]
    made = row("rewrite --sort v, %s, --verify lineage" % BUDGET, "polars", best["rowline"], best["polars"], 1.5,
               note="memory %.2f of polars'; with both lineage columns" % share)
    if share > 1 / 3:
        made["failed"] = "memory above a third"
    yield made


def spark_rewrites(b):
    """rewrite_data_files in one session, warm: each job three times, the cheapest counts."""
    if not b.options.spark:
        return
    tables = Tables(b)
    jobs = [("small", "rewrite, %d files of %d rows" % (2000, 100), {}),
            ("events", "rewrite, zstd, no deletes", {}),
            ("events-100", "rewrite, zstd, 1 % deleted here and there", {}),
            ("events", "rewrite --sort v", {"sort": "v"})]
    ours = {}
    for name, title, more in jobs:
        tables.make(name)
        sort = ("--sort", more["sort"], "--memory", BUDGET) if more else ()
        for verify in ("lineage", "full"):
            ours[title, verify] = b.compare({"rowline": rewritten(b, tables, name, *sort, verify=verify)},
                                            b.options.rounds + 1)["rowline"]
    spec = {"warehouse": tables.warehouse, "jars": os.path.join(HERE, "..", "build", "interop", "jars"), "target": TARGET,
            "jobs": [dict(more, table=name) for name, _, more in jobs]}
    wait_for_quiet(b.options.wait)
    out, _ = b.run([sys.executable, os.path.join(HERE, "spark_rewrite.py"), json.dumps(spec)])
    for (_, title, _), theirs in zip(jobs, json.loads(out.splitlines()[-1])):
        for verify in ("lineage", "full"):
            yield row("%s, --verify %s" % (title, verify), "Spark", ours[title, verify], theirs, 10,
                      note="rewrite_data_files in a warm session; wall %.2f s, Spark %.2f s" % (
                          ours[title, verify]["wall"], theirs["wall"]))


TABLE_PARTS = {"table-scan": scans, "plan": planning, "rewrite": rewrites, "sort": sorts, "spark-rewrite": spark_rewrites}
