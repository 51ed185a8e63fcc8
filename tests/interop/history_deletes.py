# SPDX-License-Identifier: Apache-2.0
"""Which rows of a table a history (histories.py) deletes: a condition for rowline, and the keys for which it holds."""
import json

import filters


def listed(numbers):
    return ", ".join(map(str, numbers))


class Conditions(filters.Maker):
    """Conditions that rowline and DuckDB must understand alike: no literal near the end of its type's range, none that
    DuckDB would read as a double, as it does for floats too."""

    KINDS = ["int", "long", "double", "string", "boolean", "decimal(9,2)", "decimal(18,0)", "date", "timestamp",
             "timestamptz", "binary"]

    def literal(self, path, kind):
        part = super().literal(path, kind) if kind in self.KINDS else None
        text = part[1] if isinstance(part, tuple) else part
        if text is None or len(str(text)) > 200 or any(c in str(text) for c in "'%_\\\n"):
            return None
        if kind in ("date", "timestamp", "timestamptz") and not "1700" < str(text) < "2300":
            return None
        return None if kind in ("int", "long") and abs(text) > 2**30 else part


class Doomed:
    """Draws them for a history whose rows have ids, as far as it has rows."""

    def __init__(self, history):
        self.history, self.rng = history, history.rng

    def draw(self):
        """A condition and the keys of the rows for which it holds."""
        ways = [self.some_keys] * 2 + [self.some_ids, self.unevenly] + [self.places] * 2 + [self.by_sql] * 2
        return self.rng.choice(ways)()

    def some_keys(self):
        """One, some, a range, or all but three."""
        keys, way = sorted(self.history.rows), self.rng.choice(["some", "some", "range", "most"])
        if way == "range":
            low, high = sorted(self.rng.choice(keys) for _ in "ab")
            return "id between %d and %d" % (low, high), [k for k in keys if low <= k <= high]
        some = self.rng.sample(keys, min(len(keys), 3 if way == "most" else self.rng.choice([1, 1, 3, 40, 400])))
        if way == "most":
            return "id not in (%s)" % listed(some), [k for k in keys if k not in some]
        return "id in (%s)" % listed(some), some

    def some_ids(self):
        keys = sorted(self.history.rows)
        if self.rng.random() < 0.5:
            some = self.rng.sample(keys, min(len(keys), self.rng.choice([1, 5, 100])))
            return "_row_id in (%s)" % listed(self.history.lineage[k][0] for k in some), some
        low, high = sorted(self.history.lineage[self.rng.choice(keys)][0] for _ in "ab")
        return "_row_id between %d and %d" % (low, high), [k for k in keys if low <= self.history.lineage[k][0] <= high]

    def by_file(self):
        """(key, position) of every row, by file."""
        found = {}
        for line in self.history.table.run("scan", "--select", "id, _file, _pos", "--json").splitlines():
            row = json.loads(line)
            found.setdefault(row["_file"], []).append((row["id"], row["_pos"]))
        return found

    def places(self):
        """A file, or rows of it by their positions."""
        path, rows = self.rng.choice(sorted(self.by_file().items()))
        if self.rng.random() < 0.4:
            return "_file = '%s'" % path, [key for key, _ in rows]
        low, high = sorted(self.rng.choice(rows)[1] for _ in "ab")
        return ("_file = '%s' and _pos between %d and %d" % (path, low, high),
                [key for key, pos in rows if low <= pos <= high])

    def unevenly(self):
        """Some rows of each file, in one few and in the next many: vectors of very different lengths."""
        some = []
        for _, rows in sorted(self.by_file().items()):
            some += self.rng.sample([key for key, _ in rows], min(len(rows), self.rng.choice([0, 1, 2, 50, 500])))
        return "id in (%s)" % listed(some or [-1]), some

    def by_sql(self):
        """A condition that DuckDB is asked about."""
        if self.history.duckdb() is None:
            return self.some_keys()
        condition = Conditions(self.history.table, self.rng).condition()
        texts = {w: "".join(filters.in_language(w, p) for p in condition) for w in ("rowline", "duckdb")}
        return texts["rowline"], self.history.duckdb().selected(self.history.table, [texts["duckdb"]])[0]
