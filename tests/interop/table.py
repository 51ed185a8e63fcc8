# SPDX-License-Identifier: Apache-2.0
"""A table that rowline writes, driven through its command line, with the values its rows must have."""
import glob
import json
import os
import re
import subprocess

import values


class RowlineError(Exception):
    pass


class Table:
    """`schema` is rowline's text, empty for a table of others (look); rows are dicts in the JSON form of the command line."""

    def __init__(self, rowline, warehouse, name, schema, engines):
        self.rowline, self.name, self.schema, self.engines = rowline, name, schema, engines
        self.folder = os.path.join(warehouse, "db", name)
        self.spark_name = "w.db." + name
        self.vectors_of_others = False
        self.types = {}
        for field in values.split(schema) if schema else []:
            column, kind = field.split(None, 1)
            self.types[column] = kind.replace(" not null", "")

    def run(self, verb, *arguments):
        done = subprocess.run([self.rowline, verb, self.folder, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8")
        if done.returncode != 0:
            raise RowlineError("%s %s: exit %d: %s" % (verb, self.name, done.returncode, done.stderr.strip()[-500:]))
        return done.stdout

    def one(self, verb, *arguments):
        return json.loads(self.run(verb, *arguments, "--json"))

    def create(self, *arguments, version=3):
        self.one("create", "--schema", self.schema, "--format-version", str(version), *arguments)

    def look(self, snapshot=None):
        """Takes the columns from the table: those of a snapshot, if given."""
        at = ["--snapshot", str(snapshot)] if snapshot else []
        schema = self.one("show", *at)["schema"]
        self.types = {f["name"]: values.kind_of(f["type"]) for f in schema["fields"]}

    def columns(self, variant):
        """The columns for an engine's SELECT, variants by the expression given, "{}" their name."""
        return ['"%s"' % n if k != "variant" else variant.format(n) + ' AS "%s"' % n for n, k in self.types.items()]

    def append_rows(self, rows):
        path = self.folder + ".jsonl"
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(r) + "\n" for r in rows)
        return self.one("append", path)

    def scan(self, snapshot=None):
        """All rows with lineage as tuples."""
        at = ["--snapshot", str(snapshot)] if snapshot else []
        return values.rows_of_json(self.run("scan", "--lineage", "--json", *at).splitlines(), self.types)

    def files(self, snapshot=None):
        at = ["--snapshot", str(snapshot)] if snapshot else []
        return [json.loads(line) for line in self.run("files", "--json", *at).splitlines()]

    def show(self):
        return self.one("show")

    def metadata(self):
        """The newest metadata file."""
        found = glob.glob(os.path.join(self.folder, "metadata", "v*.metadata.json"))
        return max(found, key=lambda f: int(re.search(r"v(\d+)\.", os.path.basename(f)).group(1)))

    def version(self):
        return self.show()["format_version"]
