# SPDX-License-Identifier: Apache-2.0
"""Rows of a benchmark from run to run, and their place in a document."""
import json
import os

END = "<!-- end of figures -->"


def keep(path, parts, results):
    """Adds this run's rows, lists by part, to those of earlier runs in the file; gives all, in the parts' order."""
    kept = {}
    if os.path.exists(path):
        with open(path) as f:
            kept = json.load(f)
    kept.update(results)
    with open(path, "w") as f:
        json.dump(kept, f, indent=1)
    return [row for part in parts for row in kept.get(part, [])]


def write_between_marks(path, text, mark):
    """Puts the text behind the mark, up to the end of figures."""
    old = "# Benchmarks\n\n%s\n%s\n" % (mark, END)
    if os.path.exists(path):
        with open(path) as f:
            old = f.read()
    begin = old.index(mark) + len(mark)
    end = old.index(END, begin)
    with open(path, "w") as f:
        f.write(old[:begin] + "\n\n" + text + "\n" + old[end:])
