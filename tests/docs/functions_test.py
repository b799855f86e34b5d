#!/usr/bin/env python3
"""No function of src/ and cli/ is longer than 100 lines, from its name to its closing brace.

The layout (.clang-format) makes both ends easy to find: the brace that opens a body ends a line, and the one that closes
it begins a line with the same indent as the name. Texts in raw strings are not code."""

import pathlib
import re
import sys

import pages

LONGEST = 100
LONGER = {"src/method/registry.cpp": 270}  # a table: one entry after the other
RAW = re.compile(r'R"(\w*)\((.*?)\)\1"', re.S)
NO_FUNCTION = re.compile(r"(namespace|class|struct|union|enum|extern|if|else|for|while|do|switch|try|return|case)\b|"
                         r"(public|private|protected):")


def deeper(line, indent):
    return line.startswith(" " * (indent + 1))


def functions_of(text):
    """(first line, number of lines, how it begins) of each body outside of other bodies."""
    text = RAW.sub(lambda m: 'R"(' + "\n" * m[2].count("\n") + ')"', text)
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        begin = number
        number += 1
        code = line.strip()
        if not re.match(r"[\w~\[:]", code) or NO_FUNCTION.match(code):
            continue
        indent = len(line) - len(code)
        # A declaration goes on in deeper lines.
        end = begin
        while not re.search(r"[;{}]$", lines[end]) and lines[end + 1:end + 2] and deeper(lines[end + 1], indent):
            end += 1
        head = " ".join(part.strip() for part in lines[begin:end + 1])
        if not head.endswith("{") or "(" not in head or re.search(r"[^=!<>]= ?(\{|\[.*\{)$", head):
            continue
        close = next((k for k in range(end + 1, len(lines)) if re.match(rf" {{{indent}}}}}", lines[k])), len(lines) - 1)
        yield begin + 1, close - begin + 1, code
        number = close + 1


def sources():
    for folder in ("src", "cli"):
        for path in sorted((pages.ROOT / folder).rglob("*")):
            if path.suffix in (".hpp", ".cpp"):
                yield path


def main():
    faults = pages.Faults()
    count, longest = 0, (0, "")
    for path in sources():
        for line, length, begins in functions_of(path.read_text(encoding="utf-8")):
            count += 1
            longest = max(longest, (length, f"{pages.name_of(path)}:{line}"))
            most = LONGER.get(pages.name_of(path), LONGEST)
            if length > most:
                faults.add(f"{pages.name_of(path)}:{line}", f"{length} lines, more than {most}: {begins}")
    # The test would see one.
    planted = "class A {\n  double f(\n      int a) {\n" + "    g();\n" * LONGEST + "  }\n};\n\nint h() {\n  return 1;\n}\n"
    if [length for _, length, _ in functions_of(planted)] != [LONGEST + 3, 3]:
        faults.add("tests/docs/functions_test.py", "the length of a function is not measured")
    faults.finish(f"{count} functions; the longest has {longest[0]} lines ({longest[1]})")


if __name__ == "__main__":
    main()
