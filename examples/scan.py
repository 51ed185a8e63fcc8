# SPDX-License-Identifier: Apache-2.0
"""Prints a table's rows with their ids by pyarrow: python3 scan.py TABLE [FILTER], librowline on the library path."""
import ctypes
import sys

import pyarrow

class ScanOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("select", ctypes.c_char_p), ("where", ctypes.c_char_p),
                ("limit", ctypes.c_int64), ("lineage", ctypes.c_int32), ("others", ctypes.c_int32 * 2)]

lib, error = ctypes.CDLL("librowline.so.0"), ctypes.create_string_buffer(4096)

def check(status):
    if status != 0:
        sys.exit(error.raw[24:536].split(b"\0")[0].decode())  # rowline_error.message

table, where = [a.encode() for a in sys.argv[1:3]] + [None] * (3 - len(sys.argv))
context, handle, stream = ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_void_p * 5)()  # struct ArrowArrayStream
check(lib.rowline_context_new(None, ctypes.byref(context), error))
check(lib.rowline_table_open(context, table, None, ctypes.byref(handle), error))
options = ScanOptions(ctypes.sizeof(ScanOptions), None, where, -1, 1)
check(lib.rowline_scan(handle, ctypes.byref(options), stream, error))
print(pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all().to_pylist())
