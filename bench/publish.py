#!/usr/bin/env python3
"""Puts what `rattleback bench --output bench/results` measured where people read it.

    bench/publish.py bench/results/COMMIT.md     fills docs/developer/benchmarks.md and the goals in README.md

Nothing is rounded or left out on the way: the tables are copied, only their padding goes.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def without_padding(text):
    rows = []
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            line = "| " + " | ".join(cell.strip() for cell in line.strip().strip("|").split("|")) + " |"
        rows.append(line)
    return "\n".join(rows) + "\n"


def fill(page, name, text):
    path = os.path.join(ROOT, page)
    with open(path, encoding="utf-8") as file:
        old = file.read()
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    if begin not in old or end not in old:
        sys.exit(f"{page} has no place '{name}'")
    new = old[: old.index(begin) + len(begin)] + text + old[old.index(end):]
    with open(path, "w", encoding="utf-8") as file:
        file.write(new)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        result = without_padding(file.read())
    fill("docs/developer/benchmarks.md", "results", result)
    machine = result.splitlines()[0]
    goals = result[result.index("Goals.\n\n") + len("Goals.\n\n"):]
    ratios = re.search(r"(\| case \| limit.*?\n)\n", result, re.S).group(1)
    fill("README.md", "performance", f"{machine}\n\n{ratios}\n{goals}")


if __name__ == "__main__":
    main()
