#!/usr/bin/env python3
"""Puts what was measured where people read it.

    bench/publish.py bench/results/COMMIT.md            `rattleback bench --output bench/results`: fills
                                                        docs/developer/benchmarks.md and README.md
    bench/publish.py bench/results/work_precision.txt   `bench_work_precision`: fills docs/developer/peers.md

The tables of the first are copied, only their padding goes. Of the second the two fastest methods of ours at every error are
shown, those that a reader will ask for, and all other codes.
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


PROBLEMS = {  # place on the page: title in the output
    "contact-oscillator": "Contact oscillator",
    "quartic-particles": "Quartic particles",
    "double-pendulum": "Double pendulum",
    "andrews": "Andrews",
}
ASKED_FOR = ("projected-dop853", "prk-murua(3)")
OTHERS = ("ode-dop853", "Boost.Odeint fehlberg78", "ARKODE fehlberg 13-7-8", "CVODE Adams", "IDA, best of all ways")
RATIOS = (("ode-dop853 / best", "ode-dop853 / best of ours that keeps the constraints"), ("IDA / best", "IDA / best of ours"))


def microseconds(x):
    return x if x == "-" else f"{float(x):.0f}" if float(x) >= 100 else f"{float(x):.1f}"


def ratio(x):
    return x if x == "-" else f"{float(x):.2f}" if float(x) < 10 else f"{float(x):.0f}"


def peers_table(text):
    rows, ratios = [], {}
    for line in text.splitlines():
        row = re.match(r"  (\S.*?)\s{2,}(compiled|interpreted)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)$", line)
        if row:
            rows.append(row.groups())
        row = re.match(r"\s*(ode-dop853 / best|IDA / best)\s+(compiled|interpreted)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$", line)
        if row:
            ratios[row[1], row[2]] = [row[i] for i in range(3, 7)]
    ours = [r for r in rows if not r[0].startswith(("ode-", "Boost", "ARKODE", "CVODE", "IDA"))]
    table = "| microseconds for an error of | | 1e-4 | 1e-6 | 1e-8 | 1e-10 | constraints to |\n|---|---|---|---|---|---|---|\n"
    time = lambda r, column: float("inf") if r[column] == "-" else float(r[column])
    names = set(ASKED_FOR)
    for how in ("compiled", "interpreted"):  # the fastest two at every error
        for column in range(2, 6):
            mine = [r for r in ours if r[1] == how and r[column] != "-"]
            names |= {r[0] for r in sorted(mine, key=lambda r: time(r, column))[:2]}
    for how in ("compiled", "interpreted"):
        mine = sorted((r for r in ours if r[1] == how), key=lambda r: time(r, 4))
        shown = [r for r in mine if r[0] in names]
        table += "".join(f"| {r[0]} | {r[1]} | {' | '.join(map(microseconds, r[2:6]))} | {r[6]} |\n" for r in shown)
    for name in OTHERS:
        for r in rows:
            if r[0] == name:
                table += f"| {r[0]} | {r[1]} | {' | '.join(map(microseconds, r[2:6]))} | {r[6]} |\n"
    for how in ("compiled", "interpreted"):
        for what, label in RATIOS:
            if (what, how) in ratios:
                table += f"| **{label}** | {how} | {' | '.join(map(ratio, ratios[what, how]))} | |\n"
    return table


def publish_peers(text):
    for problem, title in PROBLEMS.items():
        part = re.search(rf"^{title}.*?, to t = .*?(?=^\S.*, to t = |\Z)", text, re.M | re.S)
        if not part:
            sys.exit(f"nothing about {problem} there")
        fill("docs/developer/peers.md", f"table {problem}", peers_table(part.group(0)))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    if sys.argv[1].endswith("work_precision.txt"):
        publish_peers(text)
        return
    result = without_padding(text)
    fill("docs/developer/benchmarks.md", "results", result)
    machine = result.splitlines()[0]
    goals = result[result.index("Goals.\n\n") + len("Goals.\n\n"):]
    ratios = re.search(r"(\| case \| limit.*?\n)\n", result, re.S).group(1)
    what = result[result.index("One trajectory"):result.index("| case |")]
    fill("README.md", "performance", f"{machine}\n\n{what}{ratios}\n{goals}")


if __name__ == "__main__":
    main()
