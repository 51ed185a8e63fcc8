# SPDX-License-Identifier: Apache-2.0
"""One piece of work by one peer, in a process of its own.

    parquet_peers.py JSON      {"peer": …, "work": …, "files": [...], "threads": N, "times": N, …}

Prints JSON: CPU (user and system) and wall time of the cheapest of `times`, imports and start-up left out, and the peak
memory of the process. Every value is touched, where asked, as the rowline driver does it: as words of the buffers.
"""
import json
import os
import resource
import sys
import time

BATCH = 65_536


def sum_words(buffer, first, length):
    import pyarrow as pa
    import pyarrow.compute as pc
    begin = first // 8 * 8
    words = (first + length - begin) // 8
    return pc.sum(pa.Array.from_buffers(pa.int64(), words, [None, buffer.slice(begin, words * 8)])) if words else 0


def touch(batch):
    """Adds up values and offsets of flat columns, validity left out."""
    import pyarrow as pa
    for array in batch.columns:
        kind, buffers, first, count = array.type, array.buffers(), array.offset, len(array)
        if count == 0:
            continue
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            width = 8 if pa.types.is_large_string(kind) else 4
            offsets = pa.Array.from_buffers(pa.int64() if width == 8 else pa.int32(), count + 1,
                                            [None, buffers[1]], offset=first)
            begin, end = offsets[0].as_py(), offsets[count].as_py()
            sum_words(buffers[1], first * width, count * width)
            sum_words(buffers[2], begin, end - begin)
        elif pa.types.is_boolean(kind):
            sum_words(buffers[1], first // 8, count // 8)
        else:
            width = kind.bit_width // 8
            sum_words(buffers[1], first * width, count * width)


def pyarrow_scan(job):
    import pyarrow as pa
    import pyarrow.parquet as pq
    pa.set_cpu_count(job["threads"])

    def work():
        for path in job["files"]:
            for batch in pq.ParquetFile(path).iter_batches(BATCH, use_threads=job["threads"] > 1):
                if job.get("touch"):
                    touch(batch)
    return work


def pyarrow_open(job):
    import pyarrow.parquet as pq

    def work():
        for path in job["files"]:
            pq.ParquetFile(path).close()
    return work


def pyarrow_write(job):
    import pyarrow as pa
    import pyarrow.parquet as pq
    table = pa.concat_tables([pq.read_table(path) for path in job["files"]])
    return lambda: pq.write_table(table, job["out"], compression=job["codec"], compression_level=job.get("level"))


def arrow_rs_scan(job):
    import pyarrow as pa
    from arro3.io import read_parquet

    def work():
        for path in job["files"]:
            for batch in pa.RecordBatchReader.from_stream(read_parquet(path, batch_size=BATCH)):
                if job.get("touch"):
                    touch(batch)
    return work


def polars_scan(job):
    import polars

    def work():
        for path in job["files"]:
            for batch in polars.read_parquet(path).to_arrow().to_batches():
                if job.get("touch"):
                    touch(batch)
    return work


def polars_copy(job):
    import polars
    return lambda: polars.scan_parquet(job["files"]).sink_parquet(job["out"], compression=job["codec"])


def duckdb_connection(job):
    import duckdb
    connection = duckdb.connect(config={"threads": job["threads"]})
    connection.execute("SET enable_progress_bar = false")
    return connection


def duckdb_scan(job):
    connection = duckdb_connection(job)

    def work():
        result = connection.execute("SELECT * FROM read_parquet(?)", [job["files"]])
        reader = result.to_arrow_reader(BATCH) if hasattr(result, "to_arrow_reader") else result.fetch_record_batch(BATCH)
        for _ in reader:
            pass
    return work


def duckdb_copy(job):
    connection = duckdb_connection(job)
    groups = ", ROW_GROUP_SIZE %d" % job["group_rows"] if "group_rows" in job else ""
    return lambda: connection.execute("COPY (SELECT * FROM read_parquet(%s)) TO '%s' (FORMAT parquet, COMPRESSION %s%s)"
                                      % (job["files"], job["out"], job["codec"], groups))


def duckdb_with_iceberg(job):
    """The extension comes from its package, as there may be no network."""
    import glob
    import importlib

    import duckdb
    connection = duckdb.connect(config={"threads": job["threads"], "allow_unsigned_extensions": "true"})
    for name in ("avro", "iceberg"):
        where = os.path.dirname(importlib.import_module("duckdb_extension_" + name).__file__)
        found = glob.glob(where + "/**/" + name + ".duckdb_extension", recursive=True)
        connection.execute("LOAD '%s'" % found[0])
    connection.execute("SET enable_progress_bar = false")
    return connection


SUMS = "SELECT sum(id), sum(epoch_us(ts)), sum(v), sum(strlen(s)) FROM "


def duckdb_sum_table(job):
    connection = duckdb_with_iceberg(job)
    return lambda: connection.execute(SUMS + "iceberg_scan('%s')" % job["files"][0]).fetchall()


def duckdb_sum_files(job):
    connection = duckdb_connection(job)
    return lambda: connection.execute(SUMS + "read_parquet(?)", [job["files"]]).fetchall()


def duckdb_copy_table(job):
    connection = duckdb_with_iceberg(job)
    return lambda: connection.execute(
        "COPY (SELECT *, _row_id, _last_updated_sequence_number FROM iceberg_scan('%s')) TO '%s' "
        "(FORMAT parquet, COMPRESSION zstd)" % (job["files"][0], job["out"]))


def polars_sort(job):
    import polars
    return lambda: polars.scan_parquet(job["files"]).sort(job["by"], maintain_order=True).sink_parquet(
        job["out"], compression="zstd", engine="streaming")


def spark_scan(job):
    from pyspark.sql import SparkSession
    spark = (SparkSession.builder.master("local[%d]" % job["threads"]).config("spark.ui.enabled", "false")
             .config("spark.driver.memory", "2g").getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    job["also"] = spark._jvm.java.lang.ProcessHandle.current().pid()
    return lambda: spark.read.parquet(*job["files"]).write.format("noop").mode("overwrite").save()


def used(job):
    """User and all CPU seconds of this process, and of the one that works for it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    user, system = usage.ru_utime, usage.ru_stime
    if "also" in job:
        with open("/proc/%d/stat" % job["also"]) as stat:
            ticks = stat.read().rsplit(")", 1)[1].split()
        user += int(ticks[11]) / os.sysconf("SC_CLK_TCK")
        system += int(ticks[12]) / os.sysconf("SC_CLK_TCK")
    return user, user + system


def peak(job):
    with open("/proc/%s/status" % job.get("also", "self")) as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def main():
    job = json.loads(sys.argv[1])
    os.environ["POLARS_MAX_THREADS"] = str(job["threads"])
    os.environ["ARROW_IO_THREADS"] = str(max(1, job["threads"]))
    work = globals()[job["peer"] + "_" + job["work"]](job)
    best = None
    for _ in range(job.get("times", 1)):
        before, start = used(job), time.monotonic()
        work()
        after, wall = used(job), time.monotonic() - start
        one = {"user": after[0] - before[0], "cpu": after[1] - before[1], "wall": wall}
        best = one if best is None or one["cpu"] < best["cpu"] else best
    best["peak"] = peak(job)
    if "out" in job:
        best["bytes"] = os.path.getsize(job["out"])
    print(json.dumps(best))


if __name__ == "__main__":
    main()
