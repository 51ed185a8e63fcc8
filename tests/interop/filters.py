# SPDX-License-Identifier: Apache-2.0
"""Random conditions on a table: rowline, with all that it skips, must select the rows that others select."""
import json
import random

import values

# How each language writes what they do not share; rowline's own is the first.
WRITTEN = {
    "rowline": {"date": "date '%s'", "timestamp": "timestamp '%s'", "timestamptz": "timestamptz '%s'",
                "binary": "X'%s'", "nan": "%s is nan", "float": "%s", "long": "%s"},
    "spark": {"date": "DATE'%s'", "timestamp": "TIMESTAMP_NTZ'%s'", "timestamptz": "TIMESTAMP'%s'",
              "binary": "X'%s'", "nan": "coalesce(isnan(%s), false)", "float": "%sD", "long": "%s"},
    "duckdb": {"date": "DATE '%s'", "timestamp": "TIMESTAMP '%s'", "timestamptz": "TIMESTAMPTZ '%s'",
               "binary": "from_hex('%s')", "nan": "coalesce(isnan(%s), false)", "float": "%s::DOUBLE", "long": "%s"},
}


def leaves(types, prefix=()):
    """(path, kind) of the columns that conditions can be about, those in structs too."""
    for name, kind in types.items():
        if kind.startswith("struct<"):
            yield from leaves(dict(values.inner(kind)), prefix + (name,))
        else:
            yield prefix + (name,), kind


def cell(row, path):
    for name in path:
        row = None if row is None else row[name]
    return row


def in_language(language, part):
    """A part of a condition: text, or (form, text) for what is written in each language's way."""
    return WRITTEN[language][part[0]] % part[1] if isinstance(part, tuple) else part


class Maker:
    """Makes conditions as lists of parts."""

    def __init__(self, table, rng):
        self.rng = rng
        self.rows = [json.loads(line) for line in table.run("scan", "--json").splitlines()]
        self.columns = list(leaves(table.types))

    def literal(self, path, kind):
        """A literal part near values that are there, or None where the type has none."""
        some = [v for v in (cell(r, path) for r in self.rows) if v is not None]
        v = self.rng.choice(some) if some else None
        if v is None or "<" in kind or kind in ("variant", "uuid", "unknown", "time") or kind.startswith("fixed"):
            return None
        if kind in ("int", "long"):
            return ("long", v + self.rng.choice([0, 0, 0, -1, 1, 7]))
        if kind in ("float", "double"):
            return ("float", repr(float(self.rng.choice([v, 0.25, -0.0, 3.5])))) if abs(float(v)) < 1e15 else None
        if kind.startswith("decimal"):
            return v if self.rng.random() < 0.7 else v + "5"  # of another scale
        if kind == "string":
            return "'%s'" % self.rng.choice([v, v, v[:2], v + "a", ""])
        if kind == "boolean":
            return str(v).lower()
        return (kind, v)

    def simple(self):
        path, kind = self.rng.choice(self.columns)
        name, one, two = ".".join(path), self.literal(path, kind), self.literal(path, kind)
        if one is None or two is None or self.rng.random() < 0.1:
            return [name, self.rng.choice([" is null", " is not null"])]
        if kind in ("float", "double") and self.rng.random() < 0.2:
            return [("nan", name)]
        if kind == "string" and self.rng.random() < 0.4:
            text = one[1:-1]
            pattern = self.rng.choice([text[:2] + "%", "%" + text[-1:], text[:1] + "_%", text, "%" + text[1:2] + "%"])
            return [name, self.rng.choice([" like ", " not like "]), "'%s'" % pattern]
        choice = self.rng.random()
        if choice < 0.2:
            null = [", null"] if self.rng.random() < 0.2 else []
            return [name, self.rng.choice([" in (", " not in ("]), one, ", ", two, *null, ")"]
        if choice < 0.35:
            return [name, " between ", one, " and ", two]
        return [name, self.rng.choice([" = ", " <> ", " < ", " <= ", " > ", " >= "]), one]

    def condition(self, depth=2):
        if depth == 0 or self.rng.random() < 0.35:
            return self.simple()
        if self.rng.random() < 0.25:
            return ["not (", *self.condition(depth - 1), ")"]
        both = self.rng.choice([") and (", ") or ("])
        return ["(", *self.condition(depth - 1), both, *self.condition(depth - 1), ")"]


def check(court, table, count):
    """`count` conditions, each engine that has SQL asked for all of them at once; the key of a row is id."""
    rng = random.Random("%s %d" % (table.name, court.seed))
    maker = Maker(table, rng)
    conditions = [maker.condition() for _ in range(count)]
    texts = {w: ["".join(in_language(w, p) for p in c) for c in conditions] for w in WRITTEN}
    mine = []
    for text in texts["rowline"]:
        lines = table.run("scan", "--json", "--select", "id", "--where", text).splitlines()
        mine.append(sorted(json.loads(line)["id"] for line in lines))
    for judge in court.judges:
        if judge.name not in table.engines or judge.name not in texts:
            continue
        try:
            theirs = judge.selected(table, texts[judge.name])
            wrong = [(t, m, s) for t, m, s in zip(texts["rowline"], mine, theirs) if m != sorted(s)]
            problem = None if not wrong else "%d of %d, seed %d: %s: rowline %s, they %s" % (
                len(wrong), count, court.seed, *[str(w)[:200] for w in wrong[0]])
        except Exception as e:  # whatever an engine throws is its answer
            problem = "%s: %s" % (type(e).__name__, " ".join(str(e).split())[:300])
        court.run.judge(judge.name, table.name, "filters", problem)
