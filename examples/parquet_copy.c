/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the rows of a Parquet file that satisfy a filter to a new file, a batch at a time.
 *
 *   cc parquet_copy.c $(pkg-config --cflags --libs rowline) -o parquet_copy
 *   ./parquet_copy in.parquet out.parquet "id >= 5"
 */
#include <rowline/rowline.h>
#include <stdio.h>

/* Batches of the stream to the writer; a stream's own errors become ours. */
static rowline_status copy_rows(struct ArrowArrayStream *rows, rowline_parquet_writer *writer,
                                rowline_error *error) {
    for (;;) {
        struct ArrowArray batch;
        if (rows->get_next(rows, &batch) != 0) {
            rowline_stream_error(rows, error);
            return error->code;
        }
        if (batch.release == NULL)
            return ROWLINE_OK; /* the end */
        rowline_status status = rowline_parquet_writer_write(writer, &batch, error);
        batch.release(&batch);
        if (status != ROWLINE_OK)
            return status;
    }
}

int main(int argc, char **argv) {
    rowline_error error = {0};
    rowline_context *context = NULL;
    rowline_parquet *file = NULL;
    rowline_parquet_writer *writer = NULL;
    struct ArrowArrayStream rows = {0};
    struct ArrowSchema schema = {0};
    rowline_property zstd = {"write.parquet.compression-codec", "zstd"};
    rowline_parquet_read_options read = {.struct_size = sizeof read, .where = argc > 3 ? argv[3] : NULL};
    rowline_parquet_write_options write = {
        .struct_size = sizeof write, .properties = &zstd, .property_count = 1};
    rowline_parquet_result result = {.struct_size = sizeof result};

    rowline_status status = argc >= 3 ? rowline_context_new(NULL, &context, &error) : ROWLINE_USAGE;
    if (status == ROWLINE_OK)
        status = rowline_parquet_open(context, argv[1], &file, &error);
    if (status == ROWLINE_OK)
        status = rowline_parquet_schema(file, &schema, &error);
    if (status == ROWLINE_OK) /* takes the schema */
        status = rowline_parquet_writer_open(context, argv[2], &schema, &write, &writer, &error);
    if (status == ROWLINE_OK)
        status = rowline_parquet_read(file, &read, &rows, &error);
    if (status == ROWLINE_OK)
        status = copy_rows(&rows, writer, &error);
    if (status == ROWLINE_OK) {
        status = rowline_parquet_writer_finish(writer, &result, &error);
        writer = NULL; /* gone whatever the result */
    }
    if (status == ROWLINE_OK)
        printf("%lld rows, %lld bytes\n", (long long)result.rows, (long long)result.bytes);
    else
        fprintf(stderr, "%s\n",
                error.message[0] != '\0' ? error.message : "usage: parquet_copy IN OUT [FILTER]");
    rowline_parquet_writer_abort(writer); /* leaves no file */
    if (rows.release != NULL)
        rows.release(&rows);
    rowline_parquet_close(file);
    rowline_context_free(context);
    return rowline_status_exit_code(status);
}
