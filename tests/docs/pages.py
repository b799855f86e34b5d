"""The Markdown pages of the repository and their fenced blocks. Shared by the tests in this folder.

The word after the three back quotes says what a block is; what follows it is for these tests:

  ```console            commands after "$ ", each followed by what it prints; they are run
  ```console status=2   the same; the last command ends with this exit status
  ```console needs=report  the same; left out where the build has no HTML report
  ```toml file=x.toml   a file that the commands of the page use
  ```cpp from=PATH      lines which stand in this file of the repository, in one piece
  ```cpp whole=PATH     all of that file
  ```cpp add=PATH       lines that the reader adds to that file, below those of the last block from=PATH of the page
  ```cpp instead=PATH   lines that the reader puts in the place of that block
  ```cpp new=PATH       a file that the reader adds; see walkthrough_long_test.py
  ```sh                 commands for the reader, which are not run: builds, ./test
"""

import os
import pathlib
import re

ROOT = pathlib.Path(os.environ.get("RATTLEBACK_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BINARY = os.environ.get("RATTLEBACK_BINARY", str(ROOT / "build" / "rattleback"))
if not pathlib.Path(BINARY).is_file():
    raise SystemExit(f"{BINARY} is not there. Build it with ./run, or set RATTLEBACK_BINARY to a program that was built")


ROOMS = ("src/method", "src/system", "src/model", "src/engine")  # whose folders say what they hold


def all_pages():
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [page for page in top + sorted((ROOT / "docs").rglob("*.md")) + rooms() if page.exists()]


def rooms():
    """The README of each folder in ROOMS, whether it is there or not."""
    return [folder / "README.md" for room in ROOMS for folder in sorted((ROOT / room).iterdir()) if folder.is_dir()]


def name_of(page):
    return str(page.relative_to(ROOT))


class Block:
    def __init__(self, page, line, info):
        words = info.split()
        self.page, self.line = page, line  # line: number of its first line
        self.language = words[0] if words else ""
        self.options = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        self.lines = []

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)

    @property
    def place(self):
        return f"{name_of(self.page)}:{self.line}"


def blocks_of(page):
    blocks, block = [], None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = re.match(r"^```(.*)$", line)
        if block is None and fence:
            block = Block(page, number + 1, fence.group(1))
        elif block is not None and line == "```":
            blocks.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
    if block is not None:
        raise SystemExit(f"{block.place}: this block is not closed")
    return blocks


def without_blocks(page):
    """The text of a page with its blocks blanked, so that line numbers stay."""
    lines, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = line.startswith("```")
        lines.append("" if inside or fence else line)
        inside = inside != fence
    return lines


class Faults:
    """Collects what is wrong and ends the program with it."""

    def __init__(self):
        self.list = []

    def add(self, place, text):
        self.list.append(f"{place}: {text}")

    def finish(self, done):
        for fault in self.list:
            print(fault)
        print(f"{len(self.list)} faults" if self.list else done)
        raise SystemExit(1 if self.list else 0)
