# SPDX-License-Identifier: Apache-2.0
"""Random tables of JSON documents and of blobs that pylance writes, deletes from and compacts; rowline reads the texts that pylance reads, and the bytes
that went in.

Documents lie in plain columns, structs and lists of every file version; blobs (version 2, file version 2.2) likewise, of all kinds: inline, in
packs, in files of their own, in files elsewhere and below base paths, whole and in part. Of blobs pylance's own tables only say where they lie, so
that what was written is what is expected.
"""
import json
import os
import random
import shutil
import struct
import urllib.parse

import pyarrow as pa

OPERATIONS = ["lance json", "lance blobs"]
CHARACTERS = 'ab"\\/\n\t\x01\x7f\xe9\u65e5\U0001f600 \u2028'
EDGES = [0, -0.0, 1e15, 1e16, 1e21, 1e-5, 9.99e-6, -1e-5, 0.1, 123456.0, 2**63, -2**63, 2**64 - 1, 2**64, 5e-324, 1.7976931348623157e308]


# --- documents ---


def text(rnd):
    return "".join(rnd.choice(CHARACTERS) for _ in range(rnd.randrange(8)))


def number(rnd):
    kind = rnd.randrange(6)
    if kind == 0:
        return rnd.randrange(-200, 300)
    if kind == 1:
        return rnd.randrange(-2**63, 2**64)
    if kind == 2:
        return struct.unpack("<d", rnd.randbytes(8))[0]  # NaN and infinities are null to Lance
    if kind == 3:
        return rnd.random() * 10.0**rnd.randrange(-10, 25)
    if kind == 4:
        return rnd.choice(EDGES)
    return rnd.randrange(-10**9, 10**9) / 10**rnd.randrange(12)


def document(rnd, depth=0):
    pick = rnd.random()
    if depth < 5 and pick < 0.25:
        return [document(rnd, depth + 1) for _ in range(rnd.randrange(5))]
    if depth < 5 and pick < 0.5:
        return {text(rnd): document(rnd, depth + 1) for _ in range(rnd.randrange(5))}
    if pick < 0.6:
        return rnd.choice([None, True, False])
    return text(rnd) if pick < 0.8 else number(rnd)


def cuts(rnd, count):
    """Offsets of as many lists over as many values."""
    return pa.array([0] + sorted(rnd.randrange(count + 1) for _ in range(count - 1)) + [count], pa.int32())


def json_table(rnd, count):
    documents = pa.array([None if rnd.random() < 0.1 else json.dumps(document(rnd), ensure_ascii=rnd.random() < 0.5)
                          for _ in range(count)], pa.json_())
    return pa.table({"id": pa.array(range(count), pa.int64()), "j": documents,
                     "l": pa.ListArray.from_arrays(cuts(rnd, count), documents),
                     "s": pa.StructArray.from_arrays([documents], fields=[pa.field("j", pa.json_())])})


# --- blobs ---


class Blobs:
    """Values for blob columns, and what they are in the end."""

    def __init__(self, rnd, lance, work):
        self.rnd, self.lance, self.files = rnd, lance, []
        self.base = os.path.join(work, "blob base")
        for folder in (self.base, os.path.join(work, "blobs 100%")):
            os.makedirs(folder, exist_ok=True)
            for i in range(3):
                path = os.path.join(folder, "f %d.bin" % i)
                with open(path, "wb") as f:
                    f.write(rnd.randbytes(rnd.randint(2, 4000)))
                self.files.append(path)

    def external(self):
        path = self.rnd.choice(self.files)
        with open(path, "rb") as f:
            content = f.read()
        uri = "file://" + urllib.parse.quote(path)
        if self.rnd.random() < 0.5:
            return uri, content
        start = self.rnd.randrange(len(content) - 1)
        size = self.rnd.randint(1, len(content) - start)
        return self.lance.Blob.from_uri(uri, start, size), content[start:start + size]

    def value(self):
        pick = self.rnd.random()
        if pick < 0.15:
            return None, None
        if pick < 0.25:
            return b"", b""
        if pick < 0.4:
            return self.external()
        content = self.rnd.randbytes(self.rnd.choice([1, 5, 90, 150, 300, 700, 2000, 20000]))
        return content, content


def blob_table(rnd, blobs, count):
    """The table, and by id what its blob column has in the end."""
    lance = blobs.lance
    values = [blobs.value() for _ in range(count)]
    array = lance.blob_array([given for given, _ in values])
    limits = {"inline_size_threshold": rnd.choice([0, 64, 100]), "dedicated_size_threshold": rnd.choice([400, 1000, 10000]),
              "pack_file_size_threshold": rnd.choice([1000, 10**6])}
    field = lance.blob_field("b", **limits)
    want = [content for _, content in values]
    shape = rnd.choice(["flat", "struct", "list"])
    if shape == "list":
        offsets = cuts(rnd, count)
        field = pa.field("b", pa.list_(lance.blob_field("item", **limits)))
        array = pa.ListArray.from_arrays(offsets, array, type=field.type)
        ends = offsets.to_pylist()
        want = [want[ends[i]:ends[i + 1]] for i in range(count)]
    if shape == "struct":
        inner = [field, pa.field("x", pa.int32())]
        array = pa.StructArray.from_arrays([array, pa.array(range(count), pa.int32())], fields=inner)
        field = pa.field("b", pa.struct(inner))
        want = [{"b": w, "x": i} for i, w in enumerate(want)]
    fields = [pa.field("id", pa.int64()), field, pa.field("z", pa.string())]
    columns = [pa.array(range(count), pa.int64()), array, pa.array(["z%d" % i for i in range(count)])]
    return pa.table(columns, schema=pa.schema(fields)), dict(enumerate(want)), shape


# --- what is done to them ---


def live(rnd, lance, path, said):
    """Spills lineage, deletes, compacts, some of it; the ids that are left out."""
    dead = False
    steps = [("spill", lambda ds: ds.update_config({"lance.row_lineage.spill": "true", "lance.row_lineage.inline_max_bytes": "0"})),
             ("delete", lambda ds: ds.delete("id % 3 = 1")),
             ("compact", lambda ds: ds.optimize.compact_files(materialize_deletions_threshold=0.0,
                                                              target_rows_per_fragment=rnd.choice([150, 10**6])))]
    for name, step in steps:
        if rnd.random() < 0.6:
            try:
                step(lance.dataset(path))
            except (OSError, RuntimeError, ValueError, NotImplementedError):
                continue
            said.append(name)
            dead = dead or name == "delete"
    return dead


def write(rnd, lance, path, table, **options):
    shutil.rmtree(path, ignore_errors=True)
    return lance.write_dataset(table, path, enable_stable_row_ids=True, max_rows_per_file=rnd.choice([100, 10**6]), **options)


def first_difference(got, want):
    if got == want:
        return None
    if sorted(got) != sorted(want):
        return "%d rows, %d are expected" % (len(got), len(want))
    at = next(i for i in want if got[i] != want[i])
    return "id %d: %.200r, expected %.200r" % (at, got[at], want[at])


def cells(table, columns):
    """By id a tuple of the other columns."""
    lists = [table.column(c).to_pylist() for c in columns]
    return dict(zip(table.column("id").to_pylist(), zip(*lists)))


def check_json(rnd, lance, rowline, path):
    version = rnd.choice(["2.0", "2.1", "2.2"])
    said = [version]
    write(rnd, lance, path, json_table(rnd, rnd.choice([1, 10, 300, 3000])), data_storage_version=version)
    live(rnd, lance, path, said)
    columns = ["j", "l", "s", "_rowid", "_row_created_at_version"]
    theirs = lance.dataset(path).to_table(columns=["id"] + columns)
    problem = first_difference(cells(rowline.scan(path, "--lineage"), columns), cells(theirs, columns))
    if not problem:
        texts = [t for t in theirs.column("j").to_pylist() if t is not None]
        one = rnd.choice(texts) if texts else "0"
        count = int(rowline.run("count", path, "--where", "j = '%s'" % one.replace("'", "''")))
        problem = None if count == texts.count(one) else "j = %r holds for %d rows, not %d" % (one, count, texts.count(one))
    return problem and "%s (%s)" % (problem, " ".join(said))


def check_blobs(rnd, lance, rowline, path, blobs):
    table, want, shape = blob_table(rnd, blobs, rnd.choice([1, 10, 300, 2000]))
    said = [shape, "%d rows" % len(want)]
    bases = {"initial_bases": [lance.DatasetBasePath(blobs.base, name="base", is_dataset_root=rnd.random() < 0.5)]}
    write(rnd, lance, path, table, allow_external_blob_outside_bases=True, **(bases if rnd.random() < 0.5 else {}))
    if live(rnd, lance, path, said):
        want = {i: w for i, w in want.items() if i % 3 != 1}
    ids = lance.dataset(path).to_table(columns=["id"], with_row_id=True)
    want = {i: (want[i], row) for i, row in zip(*(ids.column(c).to_pylist() for c in ("id", "_rowid")))}
    for options in ([], ["--memory", "16MB"]):
        got = cells(rowline.scan(path, "--lineage", *options), ["b", "_rowid"])
        problem = first_difference(got, want)
        if problem:
            return "%s (%s)" % (problem, " ".join(said + options))
    nulls = sum(w[0] is None for w in want.values())
    count = int(rowline.run("count", path, "--where", "b is null"))
    return None if count == nulls else "b is null holds for %d rows, not %d (%s)" % (count, nulls, " ".join(said))


def run(judge, lance, rowline, work, seed, count):
    """`count` tables of each kind; judge(engine, table, operation, problem) is told each."""
    rnd = random.Random(seed)
    work = os.path.abspath(work)
    blobs = Blobs(rnd, lance, work)
    for i in range(count):
        for operation, check in (("lance json", lambda path: check_json(rnd, lance, rowline, path)),
                                 ("lance blobs", lambda path: check_blobs(rnd, lance, rowline, path, blobs))):
            path = os.path.join(work, "logical")
            try:
                problem = check(path)
            except Exception as e:  # whatever pylance throws is its answer, too
                problem = "%s: %s" % (type(e).__name__, " ".join(str(e).split())[:400])
            judge("pylance", "logical%d" % i, operation, problem and "%s (seed %d)" % (problem, seed))
            shutil.rmtree(path, ignore_errors=True)
