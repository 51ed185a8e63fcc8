# SPDX-License-Identifier: Apache-2.0
"""The numbered cases of Lance datasets that are reads: pylance does what a case says, rowline must read what it says comes out.

Rows are written key|row id|fragment:offset|created at|last updated at; an offset of * is not told: the order of rows in the fragment of a
merge insert is the writer's own affair.
"""
import datetime
import json
import os
import random
import shutil

import pyarrow as pa

import lance_data

LINEAGE = ["_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"]
SPILL = {"lance.row_lineage.spill": "true", "lance.row_lineage.inline_max_bytes": "0"}


class Story:
    """A dataset that lives, and what rowline says of its newest version after each step."""

    def __init__(self, lance, rowline, judge, work, name):
        self.lance, self.rowline, self.judge, self.name = lance, rowline, judge, name
        self.path = os.path.join(work, name)
        shutil.rmtree(self.path, ignore_errors=True)

    # --- writing ---

    def table(self, keys, **more):
        return pa.table({"i": pa.array(list(keys), pa.int32()), **more})

    def dataset(self):
        return self.lance.dataset(self.path)

    def create(self, table, version="2.1", stable=True, **more):
        self.lance.write_dataset(table, self.path, enable_stable_row_ids=stable, data_storage_version=version, **more)

    def append(self, table):
        self.lance.write_dataset(table, self.path, mode="append")

    def overwrite(self, table):
        self.lance.write_dataset(table, self.path, mode="overwrite")

    def update(self, what, where=None):
        self.dataset().update(what, where=where)

    def delete(self, where):
        self.dataset().delete(where)

    def merge(self, table, matched=True, condition=None, insert=True, by_source=None):
        builder = self.dataset().merge_insert("i")
        if matched:
            builder = builder.when_matched_update_all(condition)
        if insert:
            builder = builder.when_not_matched_insert_all()
        if by_source:
            builder = builder.when_not_matched_by_source_delete(by_source)
        builder.execute(table)

    def optimize(self, **more):
        self.dataset().optimize.compact_files(**more)

    def config(self, **pairs):
        self.dataset().update_config(pairs or SPILL)

    # --- reading ---

    def rows(self, key="i"):
        """Key, id, address, both versions; without a key (None) only the rest."""
        names = [key] * (key is not None) + LINEAGE
        return [tuple(r.values()) for r in self.rowline.scan(self.path, "--select", ", ".join(names)).to_pylist()]

    def text(self, key="i"):
        return {(k, i, "%d:%d" % divmod(a, 1 << 32), c, u) for k, i, a, c, u in self.rows(key)}

    def arms(self):
        """Of each fragment the first letters of its arms: i inline, s spilled."""
        lines = self.rowline.run("files", self.path, "--json").splitlines()
        return ["".join(json.loads(l)[k]["kind"][0] for k in ("row_ids", "created_at", "last_updated_at")) for l in lines]

    def log(self, *options):
        """Of each version, newest first: number, parent, first id given, how many."""
        lines = [json.loads(l) for l in self.rowline.run("log", self.path, "--json", *options).splitlines()]
        return [(int(l["snapshot_id"]), l["parent_snapshot_id"] and int(l["parent_snapshot_id"]), l["first_row_id"],
                 l["added_rows"]) for l in lines]

    # --- judging ---

    def case(self, number, problem):
        self.judge("pylance", self.name, number, problem)

    def check(self, number, version, expected, key="i"):
        """All rows of the newest version, which is to be this one."""
        def look():
            if self.dataset().version != version:
                return "pylance is at version %d, not %d" % (self.dataset().version, version)
            want = [parse(line) for line in expected.split()]
            got = self.text(key)
            for k, i, place, c, u in want:
                found = [r for r in got if (r[0], r[1], r[3], r[4]) == (k, i, c, u)
                         and (r[2] == place or (place.endswith("*") and r[2].startswith(place[:-1])))]
                if len(found) != 1:
                    return "no row %s|%s|%s|%s|%s among %s" % (k, i, place, c, u, sorted(got))
            return None if len(got) == len(want) else "%d rows, should be %d" % (len(got), len(want))
        self.try_case(number, look)

    def states(self, number, path=None):
        """Every version of main and of all branches reads as pylance reads it: cells, ids, addresses, versions, in this order."""
        path = path or self.path
        main = self.lance.dataset(path)
        for branch in [None, *main.branches.list()]:
            on = main.checkout_version((branch, None)) if branch else main
            for version in on.versions():
                number_of = version["version"]
                self.try_case("%s, %s version %d" % (number, branch or "main", number_of),
                              lambda: self.state(path, branch, main.checkout_version((branch, number_of))))

    def state(self, path, branch, dataset):
        columns = [f.name for f in dataset.schema] + LINEAGE
        at = (("--ref", branch) if branch else ()) + ("--snapshot", str(dataset.version))
        want, got = dataset.to_table(columns=columns), self.rowline.scan(path, *at, "--select", ", ".join(columns))
        if int(self.rowline.run("count", path, *at)) != got.num_rows:
            return "count is not %d" % got.num_rows
        for name in columns:
            mine, theirs = (lance_data.plain(t.column(name)) for t in (got, want))
            if mine != theirs:
                return "%s: %s, should be %s" % (name, mine[:20], theirs[:20])
        return None

    def equal(self, number, got, want):
        self.try_case(number, lambda: None if got() == want else "%s, should be %s" % (got(), want))

    def try_case(self, number, look):
        try:
            problem = look()
        except Exception as e:
            problem = "%s: %s" % (type(e).__name__, " ".join(str(e).split())[:300])
        self.case(number, problem)


def parse(line):
    key, row_id, place, created, updated = line.split("|")
    number = lambda t: int(t) if t.lstrip("-").isdigit() else t
    return number(key), int(row_id), place, int(created), int(updated)


def span(first, count, row_id, fragment, offset, created, updated):
    """Rows whose keys, ids and offsets rise by one."""
    return " ".join("%d|%d|%d:%d|%d|%d" % (first + i, row_id + i, fragment, offset + i, created, updated)
                    for i in range(count))


def small_life(story):
    story.create(story.table(range(4)))
    story.check("LAN-01", 1, span(0, 4, 0, 0, 0, 1, 1))
    story.append(story.table([4, 5, 6]))
    story.check("LAN-02", 2, span(0, 4, 0, 0, 0, 1, 1) + " " + span(4, 3, 4, 1, 0, 2, 2))
    story.update({"i": "102"}, "i = 2")
    story.check("LAN-03", 3, "0|0|0:0|1|1 1|1|0:1|1|1 3|3|0:3|1|1 102|2|2:0|1|3 " + span(4, 3, 4, 1, 0, 2, 2))
    story.delete("i = 5")
    rest = "0|0|0:0|1|1 3|3|0:3|1|1 4|4|1:0|2|2 6|6|1:2|2|2 "
    story.check("LAN-04", 4, rest + "1|1|0:1|1|1 102|2|2:0|1|3")
    story.merge(story.table([1, 102, 50]))
    story.check("LAN-05", 5, rest + "1|1|3:*|1|5 102|2|3:*|1|5 50|7|3:2|5|5")
    story.optimize()
    moved = "0|0|4:0|1|1 3|3|4:1|1|1 4|4|4:2|2|2 6|6|4:3|2|2 1|1|4:*|1|5 102|2|4:*|1|5 50|7|4:6|5|5"
    story.check("LAN-06", 7, moved)
    story.update({"i": "i"}, "i = 3")
    story.check("LAN-07", 8, moved.replace("3|3|4:1|1|1", "3|3|5:0|1|8"))
    story.append(story.table([60, 61]))
    story.check("LAN-08", 9, moved.replace("3|3|4:1|1|1", "3|3|5:0|1|8") + " 60|8|6:0|9|9 61|9|6:1|9|9")
    story.delete("i = 60")
    story.check("LAN-09", 10, moved.replace("3|3|4:1|1|1", "3|3|5:0|1|8") + " 61|9|6:1|9|9")
    story.optimize()
    story.check("LAN-10", 12, "0|0|7:0|1|1 4|4|7:1|2|2 6|6|7:2|2|2 1|1|7:*|1|5 102|2|7:*|1|5 50|7|7:5|5|5 3|3|7:6|1|8 61|9|7:7|9|9")


def overwrite(story):
    story.create(story.table(range(3)))
    story.append(story.table([3, 4]))
    story.overwrite(story.table([10, 11]))
    story.check("LAN-11", 3, "10|5|2:0|3|3 11|6|2:1|3|3")
    story.append(story.table([12]))
    story.check("LAN-11", 4, "10|5|2:0|3|3 11|6|2:1|3|3 12|7|3:0|4|4")


def restore(story):
    story.create(story.table(range(3)))
    story.append(story.table([3, 4]))
    story.append(story.table([5, 6]))
    story.lance.dataset(story.path, version=1).restore()
    story.check("LAN-12", 4, span(0, 3, 0, 0, 0, 1, 1))
    story.append(story.table([7, 8]))
    story.check("LAN-12", 5, span(0, 3, 0, 0, 0, 1, 1) + " 7|7|3:0|5|5 8|8|3:1|5|5")


def whole_fragment(story):
    story.create(story.table(range(3)))
    story.append(story.table([3, 4, 5]))
    story.delete("i < 3")
    story.check("LAN-13", 3, span(3, 3, 3, 1, 0, 2, 2))
    story.append(story.table([6, 7]))
    story.check("LAN-13", 4, span(3, 3, 3, 1, 0, 2, 2) + " " + span(6, 2, 6, 2, 0, 4, 4))
    story.optimize()
    story.check("LAN-13", 6, span(3, 3, 3, 3, 0, 2, 2) + " " + span(6, 2, 6, 3, 3, 4, 4))
    story.update({"i": "i"}, "i > 1000")
    story.check("LAN-14", 7, span(3, 3, 3, 3, 0, 2, 2) + " " + span(6, 2, 6, 3, 3, 4, 4))
    story.delete("i > 1000")
    story.check("LAN-14", 8, span(3, 3, 3, 3, 0, 2, 2) + " " + span(6, 2, 6, 3, 3, 4, 4))


def updates(story):
    story.create(story.table(range(3)))
    story.append(story.table([3, 4, 5]))
    story.update({"i": "i"})
    story.check("LAN-15", 3, span(0, 3, 0, 2, 0, 1, 3) + " " + span(3, 3, 3, 2, 3, 2, 3))
    story.update({"i": "i"}, "i % 2 = 0")
    story.check("LAN-15", 4, "1|1|2:1|1|3 3|3|2:3|2|3 5|5|2:5|2|3 0|0|3:0|1|4 2|2|3:1|1|4 4|4|3:2|2|4")


def unsorted(story):
    story.create(story.table(range(10)))
    story.update({"i": "i"}, "i in (1, 3, 5)")
    story.update({"i": "i"}, "i in (0, 9)")
    story.optimize()
    order = [2, 4, 6, 7, 8, 1, 3, 5, 0, 9]
    story.equal("LAN-16", lambda: [r[1] for r in story.rows()], order)
    story.update({"i": "i"})
    story.equal("LAN-16", lambda: [r[1:] for r in story.rows()],
                [(i, (story.dataset().get_fragments()[0].fragment_id << 32) + o, 1, 6) for o, i in enumerate(order)])


def addresses(story):
    story.create(story.table(range(3)), stable=False)
    story.append(story.table([3, 4]))
    story.check("LAN-17", 2, "0|0|0:0|1|1 1|1|0:1|1|1 2|2|0:2|1|1 3|4294967296|1:0|1|1 4|4294967297|1:1|1|1")
    story.update({"i": "i"}, "i = 1")
    story.check("LAN-17", 3, "0|0|0:0|1|1 2|2|0:2|1|1 3|4294967296|1:0|1|1 4|4294967297|1:1|1|1 1|8589934592|2:0|1|1")


def merges(story):
    story.create(story.table(range(4), j=pa.array([0] * 4, pa.int32())))
    more = lambda keys, j: story.table(keys, j=pa.array(j, pa.int32()))
    story.append(more(range(4, 8), [0] * 4))
    story.merge(more([50, 6, 1, 51, 3], [1] * 5))
    rest = "0|0|0:0|1|1 2|2|0:2|1|1 4|4|1:0|2|2 5|5|1:1|2|2 7|7|1:3|2|2 "
    merged = "6|6|2:*|2|3 1|1|2:*|1|3 3|3|2:*|1|3 50|8|2:3|3|3 51|9|2:4|3|3 "
    story.check("LAN-18", 3, rest + merged)
    story.merge(more([1, 60], [1, 1]), matched=False)
    story.check("LAN-19", 4, rest + merged + "60|10|3:0|4|4")
    story.merge(more([0, 2], [7, 700]), condition="source.j > 100", insert=False)
    story.check("LAN-20", 5, rest.replace("2|2|0:2|1|1", "2|2|4:*|1|5") + merged + "60|10|3:0|4|4")


def matched_at_scale(story):
    story.create(story.table(range(2000)))
    story.append(story.table(range(2000, 4000)))
    keys = random.Random(7).sample(range(4000), 900)
    story.merge(story.table(keys))
    taken = set(keys)
    want = {k: (k, 1 if k < 2000 else 2, 3 if k in taken else 1 if k < 2000 else 2) for k in range(4000)}
    story.equal("LAN-23", lambda: {r[0]: (r[1], r[3], r[4]) for r in story.rows()}, want)


def schema(story):
    story.create(story.table(range(3), j=pa.array([5, 6, 7], pa.int32())))
    story.append(story.table([3, 4], j=pa.array([8, 9], pa.int32())))
    lived = lambda u: span(0, 3, 0, 0, 0, 1, u) + " " + span(3, 2, 3, 1, 0, 2, u)
    story.dataset().add_columns({"w": "i * 2"})
    story.check("LAN-24", 3, lived(3))
    story.dataset().alter_columns({"path": "j", "data_type": pa.int64()})
    story.check("LAN-25", 4, lived(4))
    story.dataset().alter_columns({"path": "j", "name": "jj"})
    story.check("LAN-26", 5, lived(4))
    story.dataset().drop_columns(["w"])
    story.check("LAN-26", 6, lived(4))


def thousand(story, spill=False):
    """LAN-34; with spilled lineage the compaction's part of it is LAN-64."""
    for part in range(4):
        table = story.table(range(250 * part, 250 * (part + 1)))
        story.append(table) if part else story.create(table, "2.2" if spill else "2.1")
    shift = 0
    if spill:
        story.config()
        shift = 1
    story.delete("i % 7 = 0")
    if spill:
        story.optimize()
        kept = [i for i in range(1000) if i % 7]
        story.equal("LAN-64", lambda: [(r[0], r[1], r[3], r[4]) for r in story.rows()],
                    [(i, i, i // 250 + 1, i // 250 + 1) for i in kept])
        story.equal("LAN-64", story.arms, ["sss"])
        return
    story.equal("LAN-34", lambda: len(story.rows()), 857)
    story.update({"i": "i + 10000"}, "i >= 500")
    story.merge(story.table([300, 10701, 5000]))
    story.optimize(materialize_deletions_threshold=0.1)

    def histogram():
        counts = {}
        for r in story.rows():
            counts[r[3], r[4]] = counts.get((r[3], r[4]), 0) + 1
        return counts

    story.equal("LAN-34", histogram, {(1, 1): 214, (2, 2): 213, (3, 6): 213, (4, 6): 215, (2, 7): 1, (3, 7): 1, (7, 7): 1})
    some = {1: (1, 1, 1), 499: (499, 2, 2), 10500: (500, 3, 6), 300: (300, 2, 7), 10701: (701, 3, 7), 5000: (1000, 7, 7)}
    story.equal("LAN-34", lambda: {r[0]: (r[1], r[3], r[4]) for r in story.rows() if r[0] in some}, some)


def bitmap_file(story):
    story.create(story.table(range(20000)))
    gone = sorted(random.Random(35).sample(range(20000), 9333))
    story.delete("i in (%s)" % ", ".join(map(str, gone)))
    story.equal("LAN-35", lambda: sorted(os.path.splitext(n)[1] for n in os.listdir(os.path.join(story.path, "_deletions"))), [".bin"])
    story.equal("LAN-35", lambda: [r[1] for r in story.rows()], sorted(set(range(20000)) - set(gone)))


def spilled_thousand(story):
    thousand(story, spill=True)


def quarters(story):
    """4 x 250 rows compacted into one fragment with everything spilled."""
    story.create(story.table(range(250)), "2.2")
    for part in range(1, 4):
        story.append(story.table(range(250 * part, 250 * (part + 1))))
    story.config()
    story.optimize()
    plain = lambda: [(r[0], r[1], r[3], r[4]) for r in story.rows()]
    want = [(i, i, i // 250 + 1, i // 250 + 1) for i in range(1000)]
    story.equal("LAN-60", story.arms, ["sss"])
    story.equal("LAN-60", plain, want)
    story.update({"i": "i"}, "i between 240 and 260 or i between 745 and 755")
    at = story.dataset().version
    hit = lambda i: 240 <= i <= 260 or 745 <= i <= 755
    story.equal("LAN-66", lambda: sorted(plain()), [(i, i, i // 250 + 1, at if hit(i) else i // 250 + 1) for i in range(1000)])
    story.equal("LAN-65", story.arms, ["sss", "ssi"])
    story.merge(story.table([300, 700, 5000]))
    merged = story.dataset().version
    some = {300: (300, 2, merged), 700: (700, 3, merged), 5000: (1000, merged, merged)}
    story.equal("LAN-67", lambda: {r[0]: (r[1], r[3], r[4]) for r in story.rows() if r[0] in some}, some)

    def lineage():
        return sorted(r[:1] + r[2:] for r in story.rows(None))

    before = lineage()
    story.delete("i = 5")
    before = [r for r in before if r[0] != 5]
    story.dataset().create_scalar_index("i", "BTREE")
    story.config(other="1")
    story.equal("LAN-74", lineage, before)
    story.optimize(materialize_deletions_threshold=0.0)
    story.optimize(target_rows_per_fragment=300, materialize_deletions_threshold=0.0)
    story.equal("LAN-73", lineage, before)
    story.equal("LAN-73", lambda: story.rowline.scan(story.path).column_names, ["i"])


def carriers(story):
    """Schema changes around a carrier of spilled lineage."""
    story.create(story.table(range(50), j=pa.array(range(50), pa.int32()), s=pa.array(["x"] * 50)), "2.2")
    story.append(story.table(range(50, 100), j=pa.array(range(50), pa.int32()), s=pa.array(["y"] * 50)))
    story.config()
    story.optimize()
    want = [(i, i // 50 + 1) for i in range(100)]
    ids = lambda: [(r[0], r[2]) for r in story.rows(None)]
    story.dataset().alter_columns({"path": "j", "name": "k"})
    story.equal("LAN-72", ids, want)
    story.dataset().alter_columns({"path": "k", "data_type": pa.int64()})
    story.equal("LAN-71", lambda: [(r[0], r[2], r[3]) for r in story.rows(None)],
                [(i, c, story.dataset().version) for i, c in want])  # -5 still stands in the carrier, the arm is inline
    story.dataset().add_columns({"new": "i + 1"})
    story.dataset().drop_columns(["i", "k", "s"])
    story.equal("LAN-72", ids, want)
    story.equal("LAN-72", lambda: story.arms()[0][:2], "ss")


def fragments(story):
    """3 x 250 rows, target 300: two fragments, each spilled by itself."""
    story.create(story.table(range(250)), "2.2")
    for part in (1, 2):
        story.append(story.table(range(250 * part, 250 * (part + 1))))
    story.config()
    story.optimize(target_rows_per_fragment=300)
    story.equal("LAN-63", story.arms, ["sss", "sss"])
    story.equal("LAN-63", lambda: [(r[1], r[3], r[4]) for r in story.rows()], [(i, i // 250 + 1, i // 250 + 1) for i in range(750)])


# --- races ---


def races(story):
    """Handles that are behind: what lands carries the version that it landed at."""
    at = lambda version: story.lance.dataset(story.path, version=version)
    more = lambda keys, j: story.table(keys, j=pa.array(j, pa.int32()))
    row = lambda key: [r[1:2] + r[3:] for r in story.rows() if r[0] == key]
    j_of = lambda key: story.rowline.scan(story.path, "--select", "j", "--where", "i = %d" % key).column("j").to_pylist()
    story.create(more(range(3), [0] * 3))
    first, second = at(1), at(1)
    story.lance.write_dataset(more([3, 4], [0, 0]), first, mode="append")
    story.lance.write_dataset(more([5, 6], [0, 0]), second, mode="append")
    story.check("LAN-27", 3, span(0, 3, 0, 0, 0, 1, 1) + " " + span(3, 2, 3, 1, 0, 2, 2) + " " + span(5, 2, 5, 2, 0, 3, 3))
    stale = at(3)
    story.append(more([7], [0]))
    stale.update({"j": "5"}, where="i = 1")
    story.equal("LAN-28", lambda: row(1), [(1, 1, 5)])
    first, second = at(5), at(5)
    first.update({"j": "6"}, where="i = 0")
    second.update({"j": "7"}, where="i = 2")
    story.equal("LAN-29", lambda: [row(0), row(2), sorted(r[0] for r in story.rows())], [[(0, 1, 6)], [(2, 1, 7)], list(range(8))])
    first, second = at(7), at(7)
    first.update({"j": "-7"}, where="i = 3")
    second.update({"j": "j - 1"}, where="i = 3")
    story.equal("LAN-30", lambda: [row(3), j_of(3)], [[(3, 2, 9)], [-8]])
    stale = at(9)
    story.optimize(materialize_deletions_threshold=0.0)
    stale.update({"j": "1"}, where="i = 5")
    story.equal("LAN-31", lambda: [row(5), len(story.rows())], [[(5, 3, 12)], 8])
    first, second = at(12), at(12)
    first.delete("i in (1, 4)")
    second.delete("i in (2, 5)")
    story.equal("LAN-32", lambda: [story.dataset().version, sorted(r[0] for r in story.rows())], [14, [0, 3, 6, 7]])
    story.states("races")


# --- lives that random histories do not reach ---


def branches_of_branches(story):
    """Branches of branches, and clones of them and of one another."""
    story.create(story.table(range(20)), "2.2")
    story.append(story.table(range(20, 30)))
    one = story.dataset().create_branch("one", (None, 1))
    story.lance.write_dataset(story.table([100, 101]), one, mode="append")
    one = story.dataset().checkout_version(("one", None))
    one.delete("i = 3")
    one.update_config(SPILL)
    one.optimize.compact_files(materialize_deletions_threshold=0.0)
    two = story.dataset().create_branch("deep/two", ("one", None))
    two.update({"i": "i"}, where="i < 5")
    three = story.dataset().create_branch("deep/two/three", ("deep/two", None))
    three.merge_insert("i").when_matched_update_all().when_not_matched_insert_all().execute(story.table([1, 2, 500]))
    story.dataset().tags.create("on.three", ("deep/two/three", None))
    story.dataset().delete("i = 25")
    story.states("branches")
    version = story.dataset().checkout_version("on.three").version
    story.equal("branches", lambda: [l[:2] for l in story.log("--ref", "deep/two/three")][:2],
                [(version, version - 1), (version - 1, version - 1)])  # the second is where it began
    for n, (of, reference) in enumerate([(story.path, "on.three"), (story.path + ".0", (None, None))]):
        clone = "%s.%d" % (story.path, n)
        shutil.rmtree(clone, ignore_errors=True)
        story.lance.dataset(of).shallow_clone(clone, reference)
        story.lance.dataset(clone).delete("i = %d" % (7 + n))
        story.states("clone %d" % n, clone)
    for n in range(2):
        shutil.rmtree("%s.%d" % (story.path, n))


def schemas_restored(story):
    """Versions of other columns restored; overwritten in other file versions; emptied and filled again."""
    story.create(story.table(range(10), s=pa.array(["s%d" % i for i in range(10)])))
    story.dataset().add_columns({"w": "i * 2"})
    story.dataset().drop_columns(["s"])
    story.config()
    story.optimize()
    for version in (1, 2, 3):
        story.lance.dataset(story.path, version=version).restore()
        story.delete("i = %d" % version)
        story.update({"i": "i + 100"}, "i > 7 and i < 100")
        story.optimize(materialize_deletions_threshold=0.0)
    for version in ("2.0", "2.2"):
        story.lance.write_dataset(pa.table({"z": [1.5, 2.5]}), story.path, mode="overwrite", data_storage_version=version)
        story.dataset().truncate_table()
        story.append(pa.table({"z": [3.5]}))
    story.states("schemas")


def several_bases(story):
    """Data files in base paths, with and without the folders of a dataset in them."""
    bases = [story.path + ".one", story.path + ".two"]
    for base in bases:
        shutil.rmtree(base, ignore_errors=True)
        os.makedirs(base)
    roots = [story.lance.DatasetBasePath(base, os.path.basename(base), n == 1) for n, base in enumerate(bases)]
    story.create(story.table(range(10)), "2.2", initial_bases=roots, target_bases=[roots[0].name])
    story.lance.write_dataset(story.table(range(10, 20)), story.path, mode="append", target_bases=[roots[1].name])
    story.append(story.table(range(20, 25)))
    story.delete("i in (3, 13, 23)")
    story.config()
    story.update({"i": "i"}, "i % 5 = 1")
    story.optimize(materialize_deletions_threshold=0.0)
    story.states("bases")
    for base in bases:
        shutil.rmtree(base)


def named_anew(story):
    """Manifests that get the other naming scheme in the middle, and one that no name of a ref leads to."""
    from lance.fragment import write_fragments

    story.create(story.table(range(5)), enable_v2_manifest_paths=False)
    story.append(story.table([5, 6]))
    story.states("version 1 names")
    story.dataset().migrate_manifest_paths_v2()
    story.delete("i = 3")
    append = story.lance.LanceOperation.Append(write_fragments(story.table([50, 51]), story.path))
    detached = story.lance.LanceDataset.commit(story.path, append, read_version=3, detached=True)
    story.states("version 2 names")
    story.try_case("detached", lambda: story.state(story.path, None, detached))


def swept(story):
    """Of versions behind ones that were cleaned up the parent is known, but not what it gave out."""
    story.create(story.table(range(5)))
    for key in range(5, 9):
        story.append(story.table([key]))
    story.dataset().tags.create("kept", 2)
    story.dataset().cleanup_old_versions(older_than=datetime.timedelta(0), error_if_tagged_old_versions=False)
    story.append(story.table([9]))
    story.equal("swept", story.log, [(6, 5, 9, 1), (5, 4, None, None), (2, 1, None, None)])
    story.states("swept")


# --- faults of others ---


def restored_ids(story):
    """Ids of a restored version are not given again."""
    story.create(story.table([0]))
    story.append(story.table([1]))
    story.lance.dataset(story.path, version=1).restore()
    story.append(story.table([100]))
    story.check("BUG-188", 4, "0|0|0:0|1|1 100|2|2:0|4|4")


def overwritten_ids(story):
    """An overwrite's fragments are none of those before, whatever their numbers."""
    story.create(story.table(range(10)))
    story.delete("i in (3, 4)")
    story.overwrite(story.table(range(20, 25)))
    story.check("BUG-189", 3, span(20, 5, 10, 1, 0, 3, 3))
    story.equal("BUG-189", lambda: [r["i"] for r in story.rowline.scan(story.path, "--snapshot", "1").to_pylist()], list(range(10)))


def created_of_updated(story):
    """Where an updated row was created does not follow from the bits of its id."""
    story.create(story.table(range(4)))
    story.append(story.table([4, 5]))
    story.update({"i": "i"}, "i = 5")
    story.check("BUG-191", 3, span(0, 4, 0, 0, 0, 1, 1) + " 4|4|1:0|2|2 5|5|2:0|2|3")
    story.optimize()
    some = [(5, 5, 2, 3)]
    story.equal("BUG-190", lambda: [(r[0], r[1], r[3], r[4]) for r in story.rows() if r[1] == 5], some)


def created_of_merged(story):
    """Rows that a merge inserts are created by it."""
    story.create(story.table([0]))
    story.append(story.table([1, 2, 3, 4]))
    story.merge(story.table([1, 5, 6]), by_source="i = 2")
    story.equal("BUG-192", lambda: sorted((r[0], r[1], r[3], r[4]) for r in story.rows()),
                [(0, 0, 1, 1), (1, 1, 2, 3), (3, 3, 2, 2), (4, 4, 2, 2), (5, 5, 3, 3), (6, 6, 3, 3)])


def compacted_ids(story):
    """Ids go with their rows through a compaction that leaves out deleted ones."""
    story.create(story.table(range(3)))
    story.append(story.table(range(3, 6)))
    story.append(story.table(range(6, 9)))
    story.delete("i in (1, 3, 8)")
    story.optimize(materialize_deletions_threshold=0.0)
    kept = [0, 2, 4, 5, 6, 7]
    story.equal("BUG-206", lambda: [(r[0], r[1]) for r in story.rows()], [(k, k) for k in kept])
    by_id = lambda k: story.rowline.scan(story.path, "--where", "_rowid = %d" % k).to_pylist()
    story.equal("BUG-206", lambda: [by_id(k) for k in kept + [1]], [[{"i": k}] for k in kept] + [[]])


def replaced_column(story):
    """Replacing a column's file stamps the fragment's rows."""
    import lance

    story.create(story.table(range(4), c=pa.array([1, 2, 3, 4], pa.int32())), "2.1")
    fragment = story.dataset().get_fragments()[0]
    file = os.path.join(story.path, "data", "replacement.lance")
    with lance.file.LanceFileWriter(file, pa.schema([("c", pa.int32())]), version="2.1") as out:
        out.write_batch(pa.table({"c": pa.array([9, 9, 9, 9], pa.int32())}))
    new = lance.fragment.DataFile("replacement.lance", [1], [0], 2, 1, os.path.getsize(file))
    replace = lance.LanceOperation.DataReplacement([lance.LanceOperation.DataReplacementGroup(fragment.fragment_id, new)])
    lance.LanceDataset.commit(story.path, replace, read_version=1)
    story.check("BUG-248", 2, span(0, 4, 0, 0, 0, 1, 2))
    story.equal("BUG-248", lambda: story.rowline.scan(story.path, "--select", "c").column("c").to_pylist(), [9] * 4)


def later_fields(story, version, later):
    """A struct gets a field, and the table a column, from a file of another version."""
    import lance

    rows = range(50)
    first = [{"a": i} if i % 3 or version == "2.0" else None for i in rows]  # in 2.0 structs are never null
    story.create(pa.table({"i": pa.array(rows, pa.int32()), "s": pa.array(first)}), version)
    both = [{"a": i, "b": "text %d" % i if i % 5 else None} if i % 7 or later == "2.0" else None for i in rows]
    other = story.path + "-later"
    shutil.rmtree(other, ignore_errors=True)
    whole = lance.write_dataset(pa.table({"i": pa.array(rows, pa.int32()), "s": pa.array(both),
                                          "l": pa.array([list(range(i % 4)) for i in rows])}), other, data_storage_version=later)
    file = whole.get_fragments()[0].metadata.files[0]
    shutil.copy(os.path.join(other, "data", file.path), os.path.join(story.path, "data"))
    kept = [(f, c) for f, c in zip(file.fields, file.column_indices) if f not in (0, 2)]  # all but i and s.a
    if later != "2.0":
        kept = [(f, c) for f, c in kept if f != 1]
    new = lance.fragment.DataFile(file.path, [f for f, _ in kept], [c for _, c in kept], file.file_major_version,
                                  file.file_minor_version, file.file_size_bytes)
    old = story.dataset().get_fragments()[0].metadata
    if later == "2.0":  # the struct's own column is in one file only
        old.files[0] = lance.fragment.DataFile(old.files[0].path, [0, 2], [0, 1], old.files[0].file_major_version,
                                               old.files[0].file_minor_version, old.files[0].file_size_bytes)
    merged = lance.fragment.FragmentMetadata(old.id, list(old.files) + [new], old.physical_rows, old.deletion_file, old.row_id_meta)
    lance.LanceDataset.commit(story.path, lance.LanceOperation.Merge([merged], whole.lance_schema), read_version=1)
    shutil.rmtree(other)
    want = story.dataset().to_table().to_pylist()
    story.equal("%s and %s" % (version, later), lambda: story.rowline.scan(story.path).to_pylist(), want)
    story.equal("%s and %s" % (version, later), lambda: story.rowline.scan(story.path, "--where", "_pos > 46").to_pylist(),
                want[47:])


def later_items(story, version, later):
    """The same of structs in lists."""
    import lance

    first = [[{"a": k} for k in range(i % 4)] if i % 9 else None for i in range(50)]
    both = [[{"a": k, "b": "text %d" % k} for k in range(i % 4)] if i % 9 else None for i in range(50)]
    story.create(pa.table({"l": pa.array(first)}), version)
    other = story.path + "-later"
    shutil.rmtree(other, ignore_errors=True)
    whole = lance.write_dataset(pa.table({"l": pa.array(both)}), other, data_storage_version=later)
    file = whole.get_fragments()[0].metadata.files[0]
    shutil.copy(os.path.join(other, "data", file.path), os.path.join(story.path, "data"))
    old = story.dataset().get_fragments()[0].metadata
    parts = []  # what the first file has of a, the second of the rest; only one may have the list's own column
    for f, keep in ((old.files[0], (2,) if later == "2.0" else (0, 1, 2)), (file, (0, 1, 3) if later == "2.0" else (3,))):
        kept = [(i, c) for i, c in zip(f.fields, f.column_indices) if i in keep]
        parts.append(lance.fragment.DataFile(f.path, [i for i, _ in kept], [c for _, c in kept], f.file_major_version,
                                             f.file_minor_version, f.file_size_bytes))
    merged = lance.fragment.FragmentMetadata(old.id, parts, old.physical_rows, old.deletion_file, old.row_id_meta)
    lance.LanceDataset.commit(story.path, lance.LanceOperation.Merge([merged], whole.lance_schema), read_version=1)
    shutil.rmtree(other)
    want = story.dataset().to_table().to_pylist()
    story.equal("lists of %s and %s" % (version, later), lambda: story.rowline.scan(story.path).to_pylist(), want)


def two_versions(story):
    """Files of two versions in one fragment, and in one struct."""
    for version in ("2.0", "2.1", "2.2"):
        for later in ("2.0", "2.1", "2.2"):
            if version != later:
                shutil.rmtree(story.path, ignore_errors=True)
                later_fields(story, version, later)
                shutil.rmtree(story.path, ignore_errors=True)
                later_items(story, version, later)


STORIES = [small_life, overwrite, restore, whole_fragment, updates, unsorted, addresses, merges, matched_at_scale, schema,
           thousand, bitmap_file, spilled_thousand, quarters, carriers, fragments,
           races, branches_of_branches, schemas_restored, several_bases, named_anew, swept,
           restored_ids, overwritten_ids, created_of_updated, created_of_merged, compacted_ids, replaced_column, two_versions]


def run(judge, lance, rowline, work):
    for tell in STORIES:
        story = Story(lance, rowline, lambda engine, table, operation, problem: judge(engine, table, "lance cases", problem and
                                                                                     "%s: %s" % (operation, problem)),
                      work, "lance_" + tell.__name__)
        try:
            tell(story)
        except Exception as e:
            judge("pylance", story.name, "lance cases", "stopped: %s: %s" % (type(e).__name__, " ".join(str(e).split())[:400]))
        shutil.rmtree(story.path, ignore_errors=True)
