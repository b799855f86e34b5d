#!/usr/bin/env python3
"""Runs every command of the README and the documentation and compares what it prints with what the page shows.

Each page has a folder of its own with the files that its blocks show. `rattleback` and `./run` are the program under
test. Lines must agree in order; "..." on a line of its own stands for any number of lines, at other places for any text.
Numbers agree when they do to the digits that are shown (see `same_number`); times are not compared.

    commands_test.py [PAGE ...]         checks these pages, or all
    commands_test.py --fill [PAGE ...]  writes the output of commands that have the single line "?" for it
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pages

NUMBER = re.compile(r"(?<![A-Za-z_\[.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![A-Za-z_])")
DURATION = re.compile(r"\b\d+(?:\.\d+)? (?:ns|us|µs|ms|s|min|h)\b(?: \d+ (?:s|min)\b)?")
SECONDS = re.compile(r'("(?:wall_)?seconds": ?)[-+.\de]+')
ROUNDING = 1e-11  # numbers below it are rounding errors, which differ from compiler to compiler


def normalised(line):
    line = SECONDS.sub(r"\1TIME", DURATION.sub("TIME", line))
    return re.sub(r"\s+", " ", line).strip()


def last_digit(number):
    """The value of a unit in the last digit that is shown: 0.01 for 1.25, 1e-9 for 5.3e-08."""
    digits, _, power = number.partition("e")
    decimals = len(digits.partition(".")[2])
    return 10.0 ** (int(power or 0) - decimals)


def same_number(shown, found, line, adaptive):
    s, f = float(shown), float(found)
    if shown == found:
        return True
    if adaptive and "e" in shown:  # steps chosen from error estimates: the size of an error is what can be compared
        return 0.3 * abs(s) < abs(f) < 3 * abs(s)
    if s != 0 and abs(s) < ROUNDING:
        return abs(f) < 100 * ROUNDING
    if abs(f) < ROUNDING and abs(s) < ROUNDING:
        return True
    if "Newton" in line or "iterations" in line:  # counts may differ by a few
        return abs(s - f) <= max(0.1 * abs(s), 1)
    return "." in shown + found and abs(s - f) <= 1.01 * max(last_digit(shown), last_digit(found))


def same_piece(shown, found, line, adaptive):
    a, b = NUMBER.findall(shown), NUMBER.findall(found)
    if NUMBER.sub("#", shown) != NUMBER.sub("#", found) or len(a) != len(b):
        return False
    return all(same_number(x, y, line, adaptive) for x, y in zip(a, b))


def same_line(shown, found, adaptive):
    shown, found = normalised(shown), normalised(found)
    if shown.startswith("time, all steps") and found.startswith("time, all steps"):
        return True
    if "..." not in shown:
        return same_piece(shown, found, shown, adaptive)
    first, _, last = shown.partition("...")
    numbers_as_signs = NUMBER.sub("#", found)
    return numbers_as_signs.startswith(NUMBER.sub("#", first)) and numbers_as_signs.endswith(NUMBER.sub("#", last))


def compare(shown, found, adaptive):
    """Nothing, or what does not agree."""
    shown = [line for line in shown if line.strip()]
    found = [line for line in found if line.strip()]
    at, skipping = 0, False
    for line in shown:
        if line.strip() == "...":
            skipping = True
            continue
        start = at
        while skipping and at < len(found) and not same_line(line, found[at], adaptive):
            at += 1
        if at >= len(found) or not same_line(line, found[at], adaptive):
            seen = found[start] if start < len(found) else "(the end)"
            return f"the page shows\n    {line}\n  but the program prints" + (
                f" no such line after\n    {seen}" if skipping else f"\n    {seen}"
            )
        at, skipping = at + 1, False
    if at < len(found) and not skipping:
        return f"the program prints more than the page shows:\n    {found[at]}"
    return None


def commands_of(block):
    """(command, shown lines, number of the command's line) for each command of a console block."""
    commands = []
    for offset, line in enumerate(block.lines):
        if line.startswith("$ "):
            commands.append([line[2:], [], block.line + offset])
        elif commands and commands[-1][0].endswith("\\"):
            commands[-1][0] = commands[-1][0][:-1] + line.strip()
        elif commands:
            commands[-1][1].append(line)
    return commands


COMMAND_SECONDS = int(os.environ.get("RATTLEBACK_COMMAND_SECONDS", "60"))  # that one command may take


class Shell:
    def __init__(self, folder, tools):
        self.folder = folder
        self.environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="100")

    def run(self, command):
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS, check=False,
        )
        # Whether a run compiled its step depends on how busy the machine is.
        text = done.stdout.decode("utf-8", "replace")
        text = re.sub(rf",\s+{DURATION.pattern}\s+of\s+it\s+for\s+compiling", "", text)
        return done.returncode, text.splitlines()


def make_tools(folder):
    folder.mkdir()
    (folder / "rattleback").symlink_to(pathlib.Path(pages.BINARY).resolve())
    (folder / "python3").symlink_to(sys.executable)
    return folder


def prepare(folder, blocks):
    folder.mkdir()
    run = folder / "run"
    run.write_text('#!/bin/sh\n[ $# -gt 0 ] || set -- demo\nexec rattleback "$@"\n')
    run.chmod(0o755)
    (folder / "models").symlink_to(pages.ROOT / "models")
    (folder / "build").symlink_to(pathlib.Path(pages.BINARY).resolve().parent)  # of the examples
    for block in blocks:
        if "file" in block.options:
            (folder / block.options["file"]).write_text(block.text, encoding="utf-8")


def has_report(shell):
    """Were the scripts of the HTML report bundled into the program?"""
    return "is not in this build" not in " ".join(shell.run("rattleback run skate --report ''")[1])


def check(page, shell, blocks, faults):
    count = 0
    for block in blocks:
        if block.language != "console" or (block.options.get("needs") == "report" and not has_report(shell)):
            continue
        commands = commands_of(block)
        if not commands:
            faults.add(block.place, 'a console block needs commands, which start with "$ "')
        for i, (command, shown, line) in enumerate(commands):
            place = f"{pages.name_of(page)}:{line}"
            status, found = shell.run(command)
            count += 1
            expected = int(block.options.get("status", 0)) if i + 1 == len(commands) else 0
            if status != expected:
                faults.add(place, f"`{command}` ends with status {status} instead of {expected}\n  " + "\n  ".join(found))
                continue
            if fault := compare(shown, found, re.search(r"--method (ode|index1)\b", command)):
                faults.add(place, f"`{command}`: {fault}")
    return count


def fill(page, shell, blocks):
    results = []
    for block in blocks:
        if block.language == "console":
            results += [(shown, line, shell.run(command)[1]) for command, shown, line in commands_of(block)]
    lines = page.read_text(encoding="utf-8").splitlines()
    for shown, line, found in reversed(results):  # from below, so that the numbers of the lines above stay
        if shown == ["?"]:
            at = lines.index("?", line - 1)
            lines[at : at + 1] = [text.rstrip() for text in found]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments):
    filling = "--fill" in arguments
    named = [pathlib.Path(a).resolve() for a in arguments if not a.startswith("--")]
    faults, count = pages.Faults(), 0
    work = pathlib.Path(tempfile.mkdtemp(prefix="rattleback-docs-"))
    try:
        tools = make_tools(work / "bin")
        for number, page in enumerate(named or pages.all_pages()):
            blocks = pages.blocks_of(page)
            folder = work / str(number)
            prepare(folder, blocks)
            shell = Shell(folder, tools)
            if filling:
                fill(page, shell, blocks)
            else:
                count += check(page, shell, blocks, faults)
    finally:
        shutil.rmtree(work)
    faults.finish(f"{count} commands print what the pages show")


if __name__ == "__main__":
    main(sys.argv[1:])
