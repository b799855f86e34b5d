#!/usr/bin/env python3
"""Instructions per step of every side of every case of bench_table, counted by callgrind: they do not depend on load. The
program is bench_table_counted, made for one kind of processor that valgrind knows on every machine.

    bench/instructions.py [--build FOLDER]            prints them, with the columns that a hand-written kernel should meet
    bench/instructions.py --write                     keeps them in bench/instructions.json, and on the page
    bench/instructions.py --check                     exit 1 when one grew by more than 5 % over what is kept there

Counts belong to a compiler: where it differs from the one that is kept, --check has nothing to compare and exits 77, as it
does without valgrind or without the program.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, "instructions.json")
MARCH = "x86-64-v3"  # as in cmake/extras.cmake
STEPS = 2000  # of bench_table --once
GROWTH = 1.05
KERNEL_MARGIN = 1.3  # a kernel counts as hand-written within this of the column
SKIPPED = 77


def skip(reason):
    print("skipped: " + reason)
    sys.exit(SKIPPED)


def compiler_of(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        path = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read(), re.M).group(1)
    return subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def count(program, case, way):
    """Instructions inside Side::advance(), callees included, per step; None when the case has no such side."""
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         "--toggle-collect=bench::*Side*::advance(double, long)", program, "--once", case, way],
        capture_output=True, text=True, env={**os.environ, "RATTLEBACK_MARCH": MARCH})
    if run.returncode == 2:
        return None
    found = re.search(r"Collected\s*:\s*(\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{case}, {way}: callgrind failed\n{run.stderr[-2000:]}")
    return int(found.group(1)) / STEPS


def write_page(counts):
    """The table of docs/developer/benchmarks.md."""
    page = os.path.join(os.path.dirname(HERE), "docs", "developer", "benchmarks.md")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    begin, end = "<!-- begin instructions -->\n", "<!-- end instructions -->"
    ways = ["kernel", "interpreter", "native", "cpp"]
    table = "| case | kernel | interpreter | native | C++ |\n|---|---|---|---|---|\n"
    for case, n in counts.items():
        table += f"| {case} | " + " | ".join(f"{n[way]:.0f}" if way in n else "" for way in ways) + " |\n"
    with open(page, "w", encoding="utf-8") as file:
        file.write(text[: text.index(begin) + len(begin)] + table + text[text.index(end):])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    options.add_argument("--write", action="store_true")
    options.add_argument("--check", action="store_true")
    options.add_argument("--only", default="", help="cases whose name contains this")
    asked = options.parse_args()
    program = os.path.join(asked.build, "bench_table_counted")
    if shutil.which("valgrind") is None:
        skip("valgrind is not installed")
    if not os.path.exists(program):
        skip(f"{program} is not built: cmake --build {asked.build} --target bench_table_counted")
    here = {"compiler": compiler_of(asked.build), "march": MARCH}
    kept = {"counts": {}}
    if os.path.exists(KEPT):
        with open(KEPT, encoding="utf-8") as file:
            kept = json.load(file)
    if asked.check and kept.get("machine") != here:
        skip(f"the kept counts are those of {kept.get('machine')}, this is {here}")

    counts, grown, outside = {}, [], []
    print(f"{'case':<42} {'side':<12} {'instructions/step':>18} {'kept':>10} {'column':>8}")
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        case, column, cpp = line.split("\t")
        if asked.only not in case:
            continue
        # a case without a column is another kernel for the same library steps
        for way in ["kernel"] + (["interpreter", "native"] if float(column) > 0 else []) + ([cpp] if cpp else []):
            n = count(program, case, way)
            if n is None:
                continue
            counts.setdefault(case, {})[way] = n
            before = kept["counts"].get(case, {}).get(way)
            note = ""
            if before is not None and n > GROWTH * before:
                grown.append(f"{case}, {way}: {before:.1f} -> {n:.1f}")
                note = "  grown"
            if way == "kernel" and float(column) > 0 and n > KERNEL_MARGIN * float(column):
                outside.append(f"{case}: {n:.1f}, column {column}")
                note += "  outside the column"
            print(f"{case:<42} {way:<12} {n:>18.1f} {before if before is not None else '-':>10} "
                  f"{column if way == 'kernel' else '':>8}{note}", flush=True)
    for text in outside:
        print(f"not within {KERNEL_MARGIN} of the column: {text}")
    if asked.write:
        with open(KEPT, "w", encoding="utf-8") as file:
            json.dump({"machine": here, "steps": STEPS, "counts": counts}, file, indent=2)
            file.write("\n")
        write_page(counts)
    if asked.check and grown:
        print("more than 5 % above what bench/instructions.json keeps:\n  " + "\n  ".join(grown))
        sys.exit(1)


main()
