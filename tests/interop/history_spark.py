# SPDX-License-Identifier: Apache-2.0
"""What Spark does to a table whose history rowline began (histories.py): rows changed by merge-on-read and
copy-on-write, files and manifests rewritten, snapshots expired, schema and partition spec evolved; then rowline goes on."""
import re
import struct

import history_data
import values

# What a column may be set to, as Spark writes it and as JSON lines have it.
CHANGED = {"boolean": ("true", True), "int": ("7", 7), "long": ("7L", 7), "string": ("'changed'", "changed"),
           "double": ("2.5D", 2.5), "date": ("DATE'2020-02-02'", "2020-02-02"), "decimal(9,2)": ("1.25", "1.25"),
           "timestamptz": ("TIMESTAMP'2020-02-02 01:02:03Z'", "2020-02-02T01:02:03.000000+00:00")}
WIDER = {"int": "long", "float": "double", "decimal(9,2)": "decimal(20,2)"}
ADDED = ["int", "string", "double", "struct<a: int, b: list<string>>"]
SQL = [("long", "bigint"), ("list<", "array<")]  # how Spark calls types


def widened(cell, was, now):
    if cell is None or was == now or was != "float":
        return cell
    return cell if cell == "NaN" else values.bits(struct.unpack("<f", bytes.fromhex(cell))[0], "<d")


class Continuation:
    def __init__(self, history):
        self.history, self.table, self.rng = history, history.table, history.rng
        self.table.vectors_of_others = True
        self.made = 0  # names and numbers of its own

    def sql(self, statement):
        text = statement.replace("{t}", self.table.spark_name).replace("{n}", "db." + self.table.name)
        self.history.say("spark:", text)
        self.history.spark.sql(text)

    def some(self, most):
        keys = sorted(self.history.rows)
        return self.rng.sample(keys, min(len(keys), most))

    def absorb(self, born=(), changed=()):
        """As a history does; `changed` rows keep their ids and have the version of the commit."""
        h = self.history
        if changed:
            version = h.sequence()
            h.lineage.update((k, (h.lineage[k][0], version)) for k in changed)
        h.absorb(born, exactly=False)

    # --- rows ---

    def insert(self):
        """Rows that are as others are, under keys of their own."""
        h, keys = self.history, self.some(self.rng.choice([1, 20]))
        shift = h.keys
        h.keys += shift + 1
        names = ", ".join("id + %d" % shift if n == "id" else n for n in self.table.types)
        self.sql("INSERT INTO {t} SELECT %s FROM {t} WHERE id IN (%s)" % (names, ", ".join(map(str, keys))))
        place = list(self.table.types).index("id")
        for key in keys:
            row = h.rows[key]
            h.rows[key + shift] = row[:place] + (key + shift,) + row[place + 1:]
            h.lineage[key + shift] = (None, None)
        self.absorb([key + shift for key in keys])

    def delete(self):
        keys = self.some(self.rng.choice([1, 3, 60]))
        self.sql("DELETE FROM {t} WHERE id IN (%s)" % ", ".join(map(str, keys)))
        self.history.drop(keys)
        self.absorb()

    def change(self):
        """(column, SQL, cell) of an assignment, or None where the table has no column for it."""
        able = [(c.name, *CHANGED[history_data.bare(c.kind)]) for c in self.history.columns[1:]
                if history_data.bare(c.kind) in CHANGED]
        able += [(c.name, "NULL", None) for c in self.history.columns[1:] if not c.kind.endswith(" not null")]
        return self.rng.choice(able) if able else None

    def assign(self, keys, change):
        place = list(self.table.types).index(change[0])
        cell = values.from_json(change[2], self.table.types[change[0]])
        for key in keys:
            row = self.history.rows[key]
            self.history.rows[key] = row[:place] + (cell,) + row[place + 1:]

    def update(self):
        change, keys = self.change(), self.some(self.rng.choice([1, 10, 100]))
        if change is None:
            return
        self.sql("UPDATE {t} SET %s = %s WHERE id IN (%s)" % (*change[:2], ", ".join(map(str, keys))))
        self.assign(keys, change)
        self.absorb(changed=keys)

    def merge(self):
        """Rows changed, removed, and added, where only the key must be there."""
        h, change, keys = self.history, self.change(), self.some(20)
        if change is None:
            return
        removed, new = keys[::4], h.keys + 1
        may_add = not any(c.kind.endswith(" not null") for c in h.columns[1:])
        h.keys = new
        self.sql("MERGE INTO {t} t USING (SELECT explode(array(%s)) AS k) s ON t.id = s.k "
                 "WHEN MATCHED AND t.id IN (%s) THEN DELETE WHEN MATCHED THEN UPDATE SET t.%s = %s%s"
                 % (", ".join("%dL" % k for k in [*keys, new]), ", ".join(map(str, removed)), *change[:2],
                    " WHEN NOT MATCHED THEN INSERT (id) VALUES (s.k)" if may_add else ""))
        self.history.drop(removed)
        changed = [k for k in keys if k not in removed]
        self.assign(changed, change)
        self.absorb(h.take([{"id": new}]) if may_add else (), changed)

    # --- files ---

    def rewrite(self):
        options = self.rng.choice(["'rewrite-all', 'true'", "'min-input-files', '2'",
                                   "'rewrite-all', 'true', 'remove-dangling-deletes', 'true'",
                                   "'rewrite-all', 'true', 'target-file-size-bytes', '40000'"])
        sort = self.rng.choice(["", ", strategy => 'sort', sort_order => 'id DESC NULLS LAST'"])
        self.sql("CALL w.system.rewrite_data_files(table => '{n}', options => map(%s)%s)" % (options, sort))
        self.absorb()

    def rewrite_manifests(self):
        self.sql("CALL w.system.rewrite_manifests(table => '{n}')")
        self.absorb()

    def rewrite_deletes(self):
        self.sql("CALL w.system.rewrite_position_delete_files(table => '{n}')")
        self.absorb()

    def expire(self):
        self.sql("CALL w.system.expire_snapshots(table => '{n}', older_than => TIMESTAMP'2100-01-01 00:00:00', "
                 "retain_last => %d)" % self.rng.choice([1, 3]))
        there = {r[0] for r in self.history.spark.sql("SELECT snapshot_id FROM %s.snapshots" % self.table.spark_name)}
        self.history.snapshots = [s for s in self.history.snapshots if s[0] in there]
        self.absorb()

    # --- schema and spec ---

    def remap(self, renamed=()):
        """Brings the model's rows under the schema that the table has by now."""
        was = dict(self.table.types)
        self.table.look()
        back = {new: old for old, new in renamed}
        sources = [(list(was).index(back.get(n, n)), was[back.get(n, n)], k) if back.get(n, n) in was else None
                   for n, k in self.table.types.items()]
        self.history.rows = {key: tuple(s and widened(row[s[0]], *s[1:]) for s in sources)
                             for key, row in self.history.rows.items()}
        self.table.engines = self.history.readers()

    def add_column(self):
        self.made += 1
        kind = self.rng.choice(ADDED)
        text = kind
        for ours, theirs in SQL:
            text = text.replace(ours, theirs)
        place = self.rng.choice(["", " FIRST", " AFTER id"])
        self.sql("ALTER TABLE {t} ADD COLUMN n%d %s%s" % (self.made, text, place))
        self.history.columns.append(history_data.Column(self.rng, "n%d" % self.made, kind))
        self.remap()

    def free_columns(self):
        """Those in no partition spec, sort order or property."""
        return [c for c in self.history.columns[1:] if not re.search(r"\b%s\b" % c.name, self.history.keyed)]

    def drop_column(self):
        able = self.free_columns()
        if len(able) < 2:
            return
        column = self.rng.choice(able)
        self.sql("ALTER TABLE {t} DROP COLUMN " + column.name)
        self.history.columns.remove(column)
        self.remap()

    def rename_column(self):
        able = self.free_columns()
        if not able:
            return
        self.made += 1
        column, name = self.rng.choice(able), "r%d" % self.made
        self.sql("ALTER TABLE {t} RENAME COLUMN %s TO %s" % (column.name, name))
        renamed, column.name = [(column.name, name)], name
        self.remap(renamed)

    def widen_column(self):
        able = [c for c in self.free_columns() if history_data.bare(c.kind) in WIDER]
        if not able:
            return
        column = self.rng.choice(able)
        was, now = history_data.bare(column.kind), WIDER[history_data.bare(column.kind)]
        self.sql("ALTER TABLE {t} ALTER COLUMN %s TYPE %s" % (column.name, "bigint" if now == "long" else now))
        column.kind = column.kind.replace(was, now)
        self.remap()

    def partition(self):
        self.made += 1
        self.sql("ALTER TABLE {t} ADD PARTITION FIELD bucket(%d, id) AS p%d" % (self.made + 6, self.made))
        if self.rng.random() < 0.4:
            self.sql("ALTER TABLE {t} DROP PARTITION FIELD p%d" % self.made)

    def go_on(self, steps):
        rows = [self.insert, self.delete, self.update, self.update, self.merge]
        files = [self.rewrite, self.rewrite_manifests, self.rewrite_deletes, self.expire]
        schema = [self.add_column, self.drop_column, self.rename_column, self.widen_column, self.partition]
        for _ in range(steps):
            if not self.history.rows or self.rng.random() < 0.4:
                self.history.step()
            else:
                self.rng.choice(self.rng.choice([rows, rows, files, schema]))()
            self.history.check("history spark", spark=self.rng.random() < 0.3)
            if self.history.snapshots and self.rng.random() < 0.3:
                self.history.travel()


def go_on(history, steps=8):
    Continuation(history).go_on(steps)
    history.conditions()
    history.check("history spark", spark=True)
