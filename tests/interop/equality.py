# SPDX-License-Identifier: Apache-2.0
"""Equality deletes, which neither Spark nor rowline writes: files by pyarrow, committed by Iceberg's Java classes."""
import os


def arrow_type(java_type):
    import pyarrow as pa

    return {"int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(), "string": pa.string(),
            "date": pa.date32()}[java_type]


def delete(spark, table, columns, rows, partition=None, more=()):
    """Commits one file that deletes rows equal to `rows` in `columns`; the cells of `more` stand in the file as well.

    `partition` is a path as "k=1/s=a", None in a table without partitions.
    """
    import pyarrow as pa
    import pyarrow.parquet as parquet

    java, gateway = spark.loaded(table.spark_name), spark.session.sparkContext._gateway
    schema = java.schema()
    fields, cells = [], {}
    for n, name in enumerate([*columns, *more]):
        field = schema.findField(name)
        fields.append(pa.field(name.replace(".", "_"), arrow_type(field.type().toString()),
                               metadata={"PARQUET:field_id": str(field.fieldId())}))
        cells[fields[-1].name] = [r[n] for r in rows]
    path = os.path.join(table.folder, "data", "equal-%d.parquet" % (java.currentSnapshot().sequenceNumber() + 1))
    parquet.write_table(pa.table(cells, schema=pa.schema(fields)), path)
    ids = gateway.new_array(gateway.jvm.int, len(columns))
    for n, name in enumerate(columns):
        ids[n] = schema.findField(name).fieldId()
    # paths like those of the data files: the catalog's warehouse has no scheme
    builder = (gateway.jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(java.spec()).ofEqualityDeletes(ids)
               .withPath(path).withFormat("PARQUET").withFileSizeInBytes(os.path.getsize(path))
               .withRecordCount(len(rows)))
    if partition is not None:
        builder = builder.withPartitionPath(partition)
    java.newRowDelta().addDeletes(builder.build()).commit()
