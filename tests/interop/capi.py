# SPDX-License-Identifier: Apache-2.0
"""rowline's Parquet functions by ctypes, Arrow C data on both sides (include/rowline/parquet.h)."""
import ctypes
import os

import pyarrow


class RowlineError(Exception):
    """A rowline function failed; the text is its error's message."""


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("system_errno", ctypes.c_int32), ("http_status", ctypes.c_int32),
                ("offset", ctypes.c_int64), ("message", ctypes.c_char * 512), ("path", ctypes.c_char * 1024)]


class Property(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class ReadOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("columns", ctypes.POINTER(ctypes.c_char_p)),
                ("column_count", ctypes.c_size_t), ("where", ctypes.c_char_p), ("first_row", ctypes.c_int64),
                ("row_count", ctypes.c_int64), ("batch_rows", ctypes.c_int64), ("no_verify_pages", ctypes.c_int32)]


class WriteOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("properties", ctypes.POINTER(Property)),
                ("property_count", ctypes.c_size_t), ("key_values", ctypes.POINTER(Property)),
                ("key_value_count", ctypes.c_size_t), ("sorted_by", ctypes.POINTER(ctypes.c_int32)),
                ("sorted_by_count", ctypes.c_size_t)]


class Result(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("rows", ctypes.c_int64), ("bytes", ctypes.c_int64),
                ("row_groups", ctypes.c_int32), ("pages_copied", ctypes.c_int64), ("pages_recoded", ctypes.c_int64),
                ("pages_encoded", ctypes.c_int64)]


class InspectOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("maps", ctypes.c_void_p), ("map_count", ctypes.c_size_t),
                ("manifest_list", ctypes.c_char_p), ("column", ctypes.c_char_p), ("row_group", ctypes.c_int64),
                ("schema_only", ctypes.c_int32)]


class RowRange(ctypes.Structure):
    _fields_ = [("first", ctypes.c_int64), ("count", ctypes.c_int64)]


class Part(ctypes.Structure):
    _fields_ = [("file", ctypes.c_void_p), ("ranges", ctypes.POINTER(RowRange)), ("range_count", ctypes.c_size_t)]


# The Arrow structs as far as their addresses go: their sizes are what counts.
class CSchema(ctypes.Structure):
    _fields_ = [("words", ctypes.c_void_p * 9)]


class CArray(ctypes.Structure):
    _fields_ = [("words", ctypes.c_void_p * 10)]


class CStream(ctypes.Structure):
    _fields_ = [("words", ctypes.c_void_p * 5)]


def properties(given):
    items = [Property(k.encode(), str(v).encode()) for k, v in given.items()]
    return (Property * max(len(items), 1))(*items), len(items)


class Library:
    """One context of the library at `path`."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(os.path.abspath(path))
        self.context = ctypes.c_void_p()
        self.call("rowline_context_new", None, ctypes.byref(self.context))

    def call(self, name, *arguments):
        error = Error()
        if getattr(self.lib, name)(*arguments, ctypes.byref(error)) != 0:
            raise RowlineError("%s: %s %s" % (name, error.message.decode(errors="replace"),
                                              error.path.decode(errors="replace")))

    def open(self, path):
        handle = ctypes.c_void_p()
        self.call("rowline_parquet_open", self.context, path.encode(), ctypes.byref(handle))
        return handle

    def close(self, handle):
        self.lib.rowline_parquet_close(handle)

    def read(self, path, columns=None, where=None, first=0, count=-1, batch_rows=0):
        """The rows as a pyarrow table."""
        handle = self.open(path)
        try:
            options = ReadOptions(ctypes.sizeof(ReadOptions), None, 0, where.encode() if where else None, first, count,
                                  batch_rows, 0)
            if columns is not None:
                options.columns = (ctypes.c_char_p * max(len(columns), 1))(*[c.encode() for c in columns])
                options.column_count = len(columns)
            stream = CStream()
            self.call("rowline_parquet_read", handle, ctypes.byref(options), ctypes.byref(stream))
            return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()
        finally:
            self.close(handle)

    def pages(self, path, column):
        """The pages of a column as a pyarrow table."""
        options = InspectOptions(ctypes.sizeof(InspectOptions), None, 0, None, column.encode(), -1, 0)
        inspection, stream = ctypes.c_void_p(), CStream()
        self.call("rowline_inspect_open", self.context, path.encode(), ctypes.byref(options), ctypes.byref(inspection))
        try:
            self.call("rowline_inspect_pages", inspection, ctypes.byref(stream))
            return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()
        finally:
            self.lib.rowline_inspect_free(inspection)

    def write_options(self, given, sorted_by=()):
        options = WriteOptions(ctypes.sizeof(WriteOptions))
        options.properties, options.property_count = properties(given)
        options.sorted_by = (ctypes.c_int32 * max(len(sorted_by), 1))(*sorted_by)
        options.sorted_by_count = len(sorted_by)
        return options

    def write(self, table, path, given=None, sorted_by=(), batch_rows=1000):
        options, schema = self.write_options(given or {}, sorted_by), CSchema()
        table.schema._export_to_c(ctypes.addressof(schema))
        writer, result = ctypes.c_void_p(), Result(ctypes.sizeof(Result))
        self.call("rowline_parquet_writer_open", self.context, path.encode(), ctypes.byref(schema),
                  ctypes.byref(options), ctypes.byref(writer))
        for batch in table.to_batches(max_chunksize=batch_rows):
            array = CArray()
            batch._export_to_c(ctypes.addressof(array))
            try:
                self.call("rowline_parquet_writer_write", writer, ctypes.byref(array))
            except RowlineError:
                self.lib.rowline_parquet_writer_abort(writer)
                raise
            finally:
                release(array)
        self.call("rowline_parquet_writer_finish", writer, ctypes.byref(result))
        return result

    def stitch(self, parts, path, given=None):
        """`parts`: (file, [(first, count)…] or None)."""
        handles = [self.open(p) for p, _ in parts]
        try:
            items = []
            for handle, (_, ranges) in zip(handles, parts):
                array = None if ranges is None else (RowRange * max(len(ranges), 1))(*[RowRange(*r) for r in ranges])
                items.append(Part(handle, array, 0 if ranges is None else len(ranges)))
            options, result = self.write_options(given or {}), Result(ctypes.sizeof(Result))
            self.call("rowline_parquet_stitch", self.context, path.encode(), (Part * len(items))(*items),
                      ctypes.c_size_t(len(items)), ctypes.byref(options), ctypes.byref(result))
            return result
        finally:
            for handle in handles:
                self.close(handle)


def release(struct):
    """Calls the release callback of an ArrowSchema or ArrowArray, the second last word of each."""
    address = struct.words[len(struct.words) - 2]
    if address:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(ctypes.addressof(struct))
