# SPDX-License-Identifier: Apache-2.0
"""Rewrites by Spark's rewrite_data_files in one session that is warm: CPU time of its Java process.

    spark_rewrite.py JSON     {"warehouse": …, "jars": DIR, "target": BYTES, "jobs": [{"table": …, "sort": COLUMN}, …]}

Prints a JSON list, of each job the cheapest of three; the first, which compiles, is hardly ever it.
"""
import glob
import json
import os
import shutil
import sys
import time

TIMES = 3


def session(spec):
    from pyspark.sql import SparkSession
    jars = sorted(glob.glob(os.path.join(spec["jars"], "iceberg-spark-runtime-*.jar")))
    settings = {
        "spark.driver.extraClassPath": ":".join(jars), "spark.driver.memory": "3g", "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2", "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.w": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.w.type": "hadoop",
        "spark.sql.catalog.w.warehouse": spec["warehouse"], "spark.sql.catalog.w.cache-enabled": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("bench")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def used(pid):
    with open("/proc/%d/stat" % pid) as stat:
        ticks = stat.read().rsplit(")", 1)[1].split()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def peak(pid):
    with open("/proc/%d/status" % pid) as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def restore(spec, name):
    table = os.path.join(spec["warehouse"], "db", name)
    shutil.rmtree(table, ignore_errors=True)
    shutil.copytree(os.path.join(spec["warehouse"], "pristine", name), table)
    os.sync()


def run(spec, spark, pid, job):
    how = "strategy => 'sort', sort_order => '%s', " % job["sort"] if "sort" in job else ""
    restore(spec, job["table"])
    before, start = used(pid), time.monotonic()
    spark.sql("CALL w.system.rewrite_data_files(table => 'db.`%s`', %soptions => map('rewrite-all', 'true', "
              "'target-file-size-bytes', '%s'))" % (job["table"], how, spec["target"])).collect()
    return {"cpu": used(pid) - before, "wall": time.monotonic() - start, "peak": peak(pid)}


def main():
    spec = json.loads(sys.argv[1])
    spark = session(spec)
    pid = spark._jvm.java.lang.ProcessHandle.current().pid()
    best = []
    for job in spec["jobs"]:
        runs = [run(spec, spark, pid, job) for _ in range(TIMES)]
        print(job, runs, file=sys.stderr, flush=True)
        best.append(min(runs, key=lambda r: r["cpu"]))
    print(json.dumps(best))


main()
