#!/usr/bin/env python3
"""Every method has a page, and the tables of the pages say what `rattleback methods --json` says, and in which files the
equations are.

    method_pages_test.py           checks
    method_pages_test.py --write   writes the tables anew
"""

import json
import re
import subprocess
import sys

import method_sources
import pages

FOLDER = pages.ROOT / "docs" / "methods"
OTHER_PAGES = {"index.md", "compositions.md"}
SECTIONS = ["## Scheme", "## What it keeps", "## Try it", "## Choosing h", "## References"]
LARGEST_SHOWN = 5  # stages


def methods():
    done = subprocess.run([pages.BINARY, "methods", "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["methods"]


def page_of(name):
    return name.replace("-", "_") + ".md"


def claim(value):
    return {True: "yes", False: "no"}.get(value, "under the condition below")


def stages(info):
    if "stages" not in info:
        return "chooses its own steps"
    s = info["stages"]
    return str(s["min"]) if s.get("max") == s["min"] else f"s >= {s['min']}; default {s['default']}"


def order(info):
    orders = {s: p for s, p in info.get("order_of_stages", {}).items() if int(s) <= LARGEST_SHOWN}
    if len(orders) < 2:
        return info["order"]
    return f"{info['order']}: " + ", ".join(f"{p} (s = {s})" for s, p in orders.items())


def other_orders(info):
    """The cases in which a component does not have the order above."""
    texts = []
    for case in info.get("orders", []):
        q = case.get("q", case.get("x"))
        v = case.get("v", q)
        if q == info["order"] and v == info["order"]:
            continue
        constraints = "no constraints" if case["constraints"] == "none" else case["constraints"]
        both = q if q == v else f"positions {q}, velocities {v}"
        texts.append(f"{case['kind']} ({constraints}): {both}")
    return "; ".join(texts)


def facts(info, equations):
    rows = [
        ("name", f"`{info['name']}`" + "".join(f", also `{alias}`" for alias in info.get("aliases", []))),
        ("systems", ", ".join(info["kinds"])),
        ("stages", stages(info)),
        ("order", order(info)),
        ("between steps", f"order {info['between_steps']['order']}: {info['between_steps']['by']}"),
    ]
    if other_orders(info):
        rows.append(("orders elsewhere", other_orders(info)))
    rows += [
        ("symmetric", claim(info["symmetric"])),
        ("keeps the energy exactly", claim(info["energy"])),
        ("constraints", info["constraints"]),
    ]
    if "note" in info:
        rows.append(("note", info["note"]))
    rows.append(("source", info["source"]))
    rows.append(("equations", equations))
    return ["| | |", "|---|---|"] + [f"| {name} | {value} |" for name, value in rows]


def overview(list_of_methods):
    rows = ["| method | systems | stages | order | symmetric | constraints |", "|---|---|---|---|---|---|"]
    for name, info in list_of_methods.items():
        symmetric = "(*)" if info["symmetric"] == "conditional" else claim(info["symmetric"])
        number = "-" if "stages" not in info else stages(info).split(";")[0].replace("s >= ", ">= ")
        rows.append(
            f"| [{name}]({page_of(name)}) | {', '.join(info['kinds'])} | {number} | {info['order']} | {symmetric} "
            f"| {info['constraints']} |"
        )
    return rows


def between_marks(page, faults):
    """(lines, begin, end) of the table between the marks; nothing without them."""
    lines = page.read_text(encoding="utf-8").splitlines()
    try:
        begin, end = lines.index("<!-- begin table -->") + 1, lines.index("<!-- end table -->")
    except ValueError:
        faults.add(pages.name_of(page), "the marks <!-- begin table --> and <!-- end table --> are missing")
        return None
    return lines, begin, end


def check_table(page, table, writing, faults):
    found = between_marks(page, faults)
    if not found:
        return
    lines, begin, end = found
    if lines[begin:end] == table:
        return
    if writing:
        page.write_text("\n".join(lines[:begin] + table + lines[end:]) + "\n", encoding="utf-8")
        return
    for number, line in enumerate(table):
        if line not in lines[begin:end]:
            faults.add(f"{pages.name_of(page)}:{begin + 1 + number}", f"the table should say\n  {line}")
    faults.add(pages.name_of(page), "its table is not that of `rattleback methods --json`; use --write")


def check_sections(page, name, faults):
    text = page.read_text(encoding="utf-8")
    if not text.startswith(f"# {name}\n"):
        faults.add(pages.name_of(page), f"the first line should be '# {name}'")
    places = [text.find("\n" + section) for section in SECTIONS]
    for section, place in zip(SECTIONS, places):
        if place < 0:
            faults.add(pages.name_of(page), f"section '{section}' is missing")
    if places != sorted(places):
        faults.add(pages.name_of(page), "the sections are not in the order " + ", ".join(SECTIONS))
    if not re.search(rf"\$ rattleback [^\n]*--methods? [^\n]*{re.escape(name)}(?![a-z-])", text):
        faults.add(pages.name_of(page), "no command runs the method")


def main(arguments):
    writing = "--write" in arguments
    faults = pages.Faults()
    found = methods()
    for name, info in found.items():
        page = FOLDER / page_of(name)
        if not page.exists():
            faults.add(pages.name_of(page), f"method '{name}' has no page")
            continue
        try:
            equations = method_sources.equations(name, info)
        except method_sources.NotFound as reason:
            faults.add(pages.name_of(page), f"{name}: {reason}")
            continue
        check_table(page, facts(info, equations), writing, faults)
        check_sections(page, name, faults)
    known = {page_of(name) for name in found} | OTHER_PAGES
    for page in sorted(FOLDER.glob("*.md")):
        if page.name not in known:
            faults.add(pages.name_of(page), "there is no such method")
    check_table(FOLDER / "index.md", overview(found), writing, faults)
    faults.finish(f"{len(found)} methods agree with their pages")


if __name__ == "__main__":
    main(sys.argv[1:])
