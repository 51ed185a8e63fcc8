# SPDX-License-Identifier: Apache-2.0
"""The files the Parquet benchmarks work on; made once, kept under their directory.

    parquet_data.py DIR ROWS PROGRAMS SET…

DIR/SET is complete when DIR/SET/complete is there. PROGRAMS is where bench_parquet_copy lies. pyarrow writes whatever
both sides read, so that neither reads its own files; values come from DuckDB's hash().
"""
import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

GROUP = 1_000_000  # rows of a row group
FILES = 10
SMALL = 10_000  # rows of a small file
ROW_ID, LAST_UPDATED = 2147483540, 2147483539  # the lineage columns' reserved field ids


def field(name, kind, field_id):
    return pa.field(name, kind, metadata={"PARQUET:field_id": str(field_id)})


SCHEMA = pa.schema([field("id", pa.int64(), 1), field("ts", pa.timestamp("us"), 2), field("v", pa.float64(), 3),
                    field("s", pa.string(), 4), field("_row_id", pa.int64(), ROW_ID),
                    field("_last_updated_sequence_number", pa.int64(), LAST_UPDATED)])
SMALL_SCHEMA = pa.schema(list(SCHEMA)[:4] + [field("c", pa.string(), 5)] + list(SCHEMA)[4:])
HEX = "lpad(to_hex(hash(i * 7 + 1)), 16, '0')"
FRACTION = "(hash(i + 1000000007) / 18446744073709551616.0)"


def select(expression, first, end):
    """A table of SQL over i, the row number."""
    import duckdb
    return duckdb.execute(f"SELECT {expression} FROM range({first}, {end}) r(i)").to_arrow_table()


def permutation(rows):
    return pc.sort_indices(select("hash(i) AS h", 0, rows)["h"]).cast(pa.int64())


def events(ids, first, end, version, schema=SCHEMA):
    """Rows [first, end) with both lineage columns; `ids` are all ids."""
    made = select(f"make_timestamp(1700000000000000 + i * 1000 + (hash(i) % 1000)::BIGINT) AS ts, {FRACTION} * 1000 AS v, "
                  f"{HEX} AS s, 'category-' || (hash(i * 3) % 40) AS c, i AS _row_id, "
                  f"{version}::BIGINT AS _last_updated_sequence_number", first, end)
    made = made.append_column("id", ids.slice(first, end - first))
    return made.select(schema.names).cast(schema)


def make_table(out, rows, codec):
    ids, each = permutation(rows), rows // FILES
    for part in range(FILES):
        table = events(ids, part * each, (part + 1) * each, part + 1)
        pq.write_table(table, f"{out}/{part:04}.parquet", compression=codec, row_group_size=GROUP,
                       compression_level=3 if codec == "zstd" else None)


def make_small(out, rows, codec="zstd"):
    ids = permutation(rows)
    for part in range(0, rows // SMALL, 100):
        end = min(rows, (part + 100) * SMALL)
        table = events(ids, part * SMALL, end, 1, SMALL_SCHEMA)
        for k in range((end - part * SMALL) // SMALL):
            pq.write_table(table.slice(k * SMALL, SMALL), f"{out}/{part + k:04}.parquet", compression=codec,
                           compression_level=3)


def make_small_by_rowline(out, rows, programs, source):
    for name in sorted(os.listdir(source)):
        if name.endswith(".parquet"):
            subprocess.run([f"{programs}/bench_parquet_copy", f"{out}/{name}", f"{source}/{name}"], check=True,
                           stdout=subprocess.DEVNULL)


def make_small_by_spark(out, rows, source):
    from pyspark.sql import SparkSession
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
             .config("spark.driver.memory", "2g").config("spark.sql.files.maxPartitionBytes", "64m").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    # a row group a file: the input files are of as many rows as the output files
    frame = spark.read.parquet(source).repartition(rows // SMALL)
    frame.write.mode("append").option("compression", "zstd").option("parquet.compression.codec.zstd.level", "3").parquet(out)
    spark.stop()


# name: (SQL of x, type, encoding) of the one-column files; encoding "DICT" is a dictionary
INT, DBL = "hash(i)::UBIGINT % 9223372036854775807", f"{FRACTION} * 1000"
COLUMNS = {
    "int32-plain": ("(hash(i) % 2000000000)::INTEGER", pa.int32(), "PLAIN"),
    "int64-plain": (f"({INT})::BIGINT", pa.int64(), "PLAIN"),
    "double-plain": (DBL, pa.float64(), "PLAIN"),
    "int64-dict": ("(hash(hash(i) % 1000) % 9223372036854775807)::BIGINT", pa.int64(), "DICT"),
    "double-dict": ("(hash(i) % 1000) / 7.0", pa.float64(), "DICT"),
    "int64-split": (f"({INT})::BIGINT", pa.int64(), "BYTE_STREAM_SPLIT"),
    "float-split": (f"({DBL})::FLOAT", pa.float32(), "BYTE_STREAM_SPLIT"),
    "double-split": (DBL, pa.float64(), "BYTE_STREAM_SPLIT"),
    "delta-permuted": (None, pa.int64(), "DELTA_BINARY_PACKED"),
    "delta-random": (f"({INT})::BIGINT", pa.int64(), "DELTA_BINARY_PACKED"),
    "delta-sequence": ("i::BIGINT", pa.int64(), "DELTA_BINARY_PACKED"),
    "delta-constant": ("42::BIGINT", pa.int64(), "DELTA_BINARY_PACKED"),
    "int64-plain-nulls": (f"CASE WHEN hash(i * 5) % 10 > 0 THEN ({INT})::BIGINT END", pa.int64(), "PLAIN"),
    "double-plain-nulls": (f"CASE WHEN hash(i * 5) % 10 > 0 THEN {DBL} END", pa.float64(), "PLAIN"),
    "int64-dict-nulls": ("CASE WHEN hash(i * 5) % 10 > 0 THEN (hash(i) % 1000)::BIGINT END", pa.int64(), "DICT"),
    "double-split-nulls": (f"CASE WHEN hash(i * 5) % 10 > 0 THEN {DBL} END", pa.float64(), "BYTE_STREAM_SPLIT"),
    "delta-nulls": ("CASE WHEN hash(i * 5) % 10 > 0 THEN (hash(i) % 10000000)::BIGINT END", pa.int64(),
                    "DELTA_BINARY_PACKED"),
    "bool": ("hash(i) % 2 = 0", pa.bool_(), "PLAIN"),
    "string-plain": (HEX, pa.string(), "PLAIN"),
    "string-dict": ("lpad(to_hex(hash(hash(i) % 1000)), 16, '0')", pa.string(), "DICT"),
    "string-delta-length": (HEX, pa.string(), "DELTA_LENGTH_BYTE_ARRAY"),
    "string-delta": (HEX, pa.string(), "DELTA_BYTE_ARRAY"),
    "string-delta-sorted": ("'customer/' || lpad(i::VARCHAR, 10, '0')", pa.string(), "DELTA_BYTE_ARRAY"),
}


def make_columns(out, rows):
    for name, (sql, kind, encoding) in COLUMNS.items():
        schema = pa.schema([field("x", kind, 1)])
        how = {"use_dictionary": True, "dictionary_pagesize_limit": 1 << 22} if encoding == "DICT" else \
            {"use_dictionary": False, "column_encoding": {"x": encoding}}
        ids = permutation(rows) if sql is None else None
        with pq.ParquetWriter(f"{out}/{name}.parquet", schema, compression="none", **how) as writer:
            for first in range(0, rows, GROUP):
                end = min(first + GROUP, rows)
                x = ids.slice(first, end - first) if sql is None else select(sql + " AS x", first, end)["x"]
                writer.write_table(pa.table([x.cast(kind)], schema=schema), row_group_size=GROUP)


def make_sorted(out, rows, programs):
    """By rowline, for its page index; ids ascend."""
    ids = pa.array(range(rows), pa.int64())
    pq.write_table(events(ids, 0, rows, 1), f"{out}/plain.parquet", compression="zstd")
    subprocess.run([f"{programs}/bench_parquet_copy", f"{out}/sorted.parquet", f"{out}/plain.parquet"], check=True,
                   stdout=subprocess.DEVNULL)
    os.unlink(f"{out}/plain.parquet")


def numbers(rows, columns):
    made = [select("hash(i) % 1000000007 AS a", k * rows, (k + 1) * rows)["a"].cast(pa.int64())
            for k in range(min(columns, 50))]
    return pa.table([made[k % len(made)] for k in range(columns)],
                    schema=pa.schema([field(f"c{k}", pa.int64(), k + 1) for k in range(columns)]))


def make_wide(out, rows):
    for columns in (10, 100, 1000):
        pq.write_table(numbers(rows // columns, columns), f"{out}/{columns}.parquet", compression="none",
                       use_dictionary=False)
    pq.write_table(numbers(10, 10_000), f"{out}/columns.parquet", compression="none", use_dictionary=False)
    pq.write_table(numbers(10_000, 4), f"{out}/groups.parquet", compression="none", row_group_size=1)
    pq.write_table(numbers(10, 4), f"{out}/few.parquet", compression="none", use_dictionary=False)


def main():
    base, rows, programs = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    makers = {
        "zstd": lambda out: make_table(out, rows, "zstd"),
        "snappy": lambda out: make_table(out, rows, "snappy"),
        "columns": lambda out: make_columns(out, rows),
        "small-pyarrow": lambda out: make_small(out, rows),
        "small-rowline": lambda out: make_small_by_rowline(out, rows, programs, f"{base}/small-pyarrow"),
        "small-spark": lambda out: make_small_by_spark(out, rows, f"{base}/small-pyarrow"),
        "sorted": lambda out: make_sorted(out, rows, programs),
        "wide": lambda out: make_wide(out, rows),
    }
    for name in sys.argv[4:]:
        out = f"{base}/{name}"
        if os.path.exists(f"{out}/complete"):
            continue
        print(f"making {name}", file=sys.stderr, flush=True)
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        makers[name](out)
        open(f"{out}/complete", "w").close()


if __name__ == "__main__":
    main()
