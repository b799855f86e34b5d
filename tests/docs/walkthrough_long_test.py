#!/usr/bin/env python3
"""Follows docs/developer/add-a-method.md and add-a-system.md to the letter, in a copy of the source tree: adds what the
pages say, builds, runs the new tests and the new method on the new system."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import pages

FOLDERS = ["bench", "cli", "cmake", "examples", "experiments", "include", "models", "mpi", "src", "starters", "tests", "web"]
FILES = ["CITATION.cff", "CMakeLists.txt", "LICENSE", "NOTICE", "docs/references.bib"]


def copy_tree(target):
    target.mkdir(parents=True, exist_ok=True)
    for name in FOLDERS:
        if (pages.ROOT / name).exists():
            shutil.copytree(pages.ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(pages.ROOT / name, target / name)


def follow(page, tree):
    anchors = {}  # file -> the lines of its last from= block
    for block in pages.blocks_of(page):
        if "from" in block.options:
            anchors[block.options["from"]] = block.text
        elif "new" in block.options:
            (tree / block.options["new"]).write_text(block.text, encoding="utf-8")
        elif "add" in block.options or "instead" in block.options:
            name = block.options.get("add") or block.options["instead"]
            path = tree / name
            text, anchor = path.read_text(encoding="utf-8"), anchors[name]
            if text.count(anchor) != 1:
                raise SystemExit(f"{block.place}: the lines it belongs to are not there exactly once:\n{anchor}")
            kept = anchor if "add" in block.options else ""
            path.write_text(text.replace(anchor, kept + block.text), encoding="utf-8")
        elif block.options.get("file", "").startswith("heisenberg"):
            (tree / "models" / block.options["file"]).write_text(block.text, encoding="utf-8")


def step(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"status {done.returncode} from {' '.join(command)}\n{done.stdout[-4000:]}")
    return done.stdout


def main(tree):
    build = tree / "build"
    copy_tree(tree)
    for name in ("add-a-method.md", "add-a-system.md"):
        follow(pages.ROOT / "docs" / "developer" / name, tree)
    for unneeded in (tree / "tests").glob("*/*_test.*"):  # only the new tests are to be built
        if unneeded.name not in ("spark_lobatto_d_test.cpp", "dg_both_ways_test.cpp", "heisenberg_test.cpp"):
            unneeded.unlink()
    step("cmake", "-S", str(tree), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
    step("cmake", "--build", str(build), "--target", "rattleback_cli", "method_tests")
    print(step("ctest", "--test-dir", str(build), "--no-tests=error", "-R", "SparkLobattoD|DgBothWays|Heisenberg", "--output-on-failure"))
    print(step(str(build / "rattleback"), "run", "heisenberg", "--method", "spark-lobatto-d", "--stages", "3"))


if __name__ == "__main__":
    if len(sys.argv) > 1:  # keeps the tree, for looking at it
        main(pathlib.Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory(prefix="rattleback-walkthrough-") as folder:
            main(pathlib.Path(folder))
