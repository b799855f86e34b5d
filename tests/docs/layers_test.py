#!/usr/bin/env python3
"""Includes go one way: a file of src/ includes its own folder and those above it in the table of docs/developer/architecture.md.

The table, the README and the tree name the same folders in the same order. What a public header promises may be
implemented in any folder, so includes of include/rattleback count for nothing here, except that public headers include
nothing but the standard library and one another."""

import pathlib
import re
import sys

import pages

SRC = pages.ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)


def order_in_table():
    text = (pages.ROOT / "docs/developer/architecture.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `src/(\w+)` \|", text, re.M)


def order_in_readme():
    text = (pages.ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(r"^src/ .*?: ([a-z ]+)$", text, re.M)[1].split()


def faults_of(order, files):
    """files: (name below src/, text) pairs."""
    for name, text in files:
        folder = name.split("/")[0]
        for included in INCLUDE.findall(text):
            other = included.split("/")[0]
            if "/" in included and other in order and order.index(other) > order.index(folder):
                yield f"src/{name} includes {included}: {other} stands below {folder} in docs/developer/architecture.md"


def sources(root):
    for path in sorted(root.rglob("*")):
        if path.suffix in (".hpp", ".cpp"):
            yield str(path.relative_to(root)), path.read_text(encoding="utf-8")


def main():
    order = order_in_table()
    folders = sorted(p.name for p in SRC.iterdir() if p.is_dir())
    faults = []
    if sorted(order) != folders:
        faults.append(f"the table has {sorted(order)}, but src/ has {folders}")
    if order_in_readme() != order:
        faults.append(f"the README has {order_in_readme()}, but architecture.md has {order}")
    faults += faults_of(order, sources(SRC))
    for name, text in sources(pages.ROOT / "include"):
        faults += [f"include/{name} includes {i}, which users do not have" for i in INCLUDE.findall(text)
                   if i.split("/")[0] in order]
    # The test would see one.
    planted = [("expr/planted.cpp", '#include "run/grid.hpp"\n'), ("run/planted.cpp", '#include "expr/program.hpp"\n')]
    if len(list(faults_of(order, planted))) != 1:
        faults.append("an include against the order is not seen, or one along it is")
    for fault in faults:
        print(fault)
    if not faults:
        print(f"{sum(1 for _ in sources(SRC))} files in {len(order)} folders include only upwards")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
