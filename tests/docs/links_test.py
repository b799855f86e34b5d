#!/usr/bin/env python3
"""Links, citations, quoted source and options of the pages are what they claim to be."""

import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import pages

CITED = re.compile(r"\[((?:[A-Z][A-Za-z]+\d{4}|AbramowitzStegun|JaySimeon)[^\[\]]*)\](?!\()")
KEY = re.compile(r"\b(?:[A-Z][A-Za-z]+\d{4}|AbramowitzStegun|JaySimeon)\b")
CODE = ["include", "src", "cli", "tests", "bench", "fuzz", "examples", "models"]


def anchor_of(heading):
    text = re.sub(r"[^\w\- ]", "", heading.strip("# ").lower())
    return text.replace(" ", "-")


def check_links(page, faults):
    for number, line in enumerate(pages.without_blocks(page), start=1):
        for target in re.findall(r"\]\(([^)\s]+(?:\([^)]*\)[^)\s]*)?)\)", line):
            if re.match(r"https?://", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            place = f"{pages.name_of(page)}:{number}"
            if not file.exists():
                faults.add(place, f"the link leads nowhere: {target}")
            elif anchor and anchor not in [anchor_of(l) for l in pages.without_blocks(file) if l.startswith("#")]:
                faults.add(place, f"there is no heading '{anchor}' in {pages.name_of(file)}")


def check_reachable(all_pages, faults):
    """Every page below docs/ can be reached from its index."""
    seen, todo = set(), [pages.ROOT / "docs" / "index.md"]
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".md" or not page.exists():
            continue
        seen.add(page)
        for target in re.findall(r"\]\(([^)\s#]+)", "\n".join(pages.without_blocks(page))):
            if "://" not in target:
                todo.append((page.parent / target).resolve())
    for page in all_pages:
        if page.is_relative_to(pages.ROOT / "docs") and page not in seen:
            faults.add(pages.name_of(page), "no link from docs/index.md leads here")


def check_rooms(faults):
    """Each says in one paragraph what it holds, and what it names is there."""
    for page in pages.rooms():
        if not page.exists():
            faults.add(pages.name_of(page), "is missing: what is here, what to read first, who uses it")
            continue
        text = page.read_text(encoding="utf-8")
        if not re.fullmatch(r"# [^\n]+\n\n[^\n]+(?:\n[^\n]+)*\n", text):
            faults.add(pages.name_of(page), "is not a heading and one paragraph")
        for name in re.findall(r"`((?:\.\./|src/)?[\w/]+(?:\.[ch]pp)?|\.\.)`", text):
            where = pages.ROOT if name.startswith("src/") else page.parent
            if ("/" in name or "." in name) and not (where / name).exists():
                faults.add(pages.name_of(page), f"there is no {name}")


def check_citations(all_pages, faults):
    entries = set(re.findall(r"^@\w+\{(\w+),", (pages.ROOT / "docs/references.bib").read_text(encoding="utf-8"), re.M))
    files = list(all_pages)
    for folder in CODE:
        files += [f for f in (pages.ROOT / folder).rglob("*") if f.suffix in (".cpp", ".hpp", ".toml", ".md")]
    cited = set()
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
            for inside in CITED.findall(line):
                for key in KEY.findall(inside):
                    cited.add(key)
                    if key not in entries:
                        faults.add(f"{pages.name_of(file)}:{number}", f"'{key}' is not in docs/references.bib")
    for key in sorted(entries - cited):
        faults.add("docs/references.bib", f"nobody cites '{key}'")


def check_quotes(page, faults):
    for block in pages.blocks_of(page):
        for option in ("from", "whole"):
            path = block.options.get(option)
            if not path:
                continue
            file = pages.ROOT / path
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            same = text == block.text if option == "whole" else block.text in text
            if not same:
                faults.add(block.place, f"these lines are not {'all' if option == 'whole' else 'part'} of {path}")


def check_options(faults):
    """The page of the command line names every option of --help, and no page names one that does not exist."""
    overview = subprocess.run([pages.BINARY, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    verbs = re.findall(r"^  ([a-z]+) ", overview.split("\nVerbs\n")[1].split("\n\n")[0], re.M)
    known = set(re.findall(r"^  (--[a-z]+)", overview, re.M))
    for verb in verbs:
        done = subprocess.run([pages.BINARY, verb, "--help"], check=True, stdout=subprocess.PIPE, text=True)
        known |= set(re.findall(r"(?<!\w)--[a-z][a-z-]*", done.stdout))
    page = pages.ROOT / "docs/guide/command-line.md"
    text = "\n".join(pages.without_blocks(page))
    for option in sorted(known):
        if not re.search(rf"`(?:rattleback )?{option}\b", text):
            faults.add(pages.name_of(page), f"{option} is not explained")
    for other in (pages.ROOT / "README.md", page, pages.ROOT / "docs/guide/own-tableau.md"):
        for number, line in enumerate(pages.without_blocks(other), start=1):
            for option in re.findall(r"`(--[a-z][a-z-]*)", line):
                if option not in known | {"--help"}:
                    faults.add(f"{pages.name_of(other)}:{number}", f"the program has no option {option}")


def check_picture(faults):
    """The script of the README's picture works."""
    with tempfile.TemporaryDirectory() as folder:
        target = folder + "/skate.svg"
        script = pages.ROOT / "docs/images/skate.py"
        done = subprocess.run([sys.executable, str(script), pages.BINARY, target], check=False)
        if done.returncode != 0:
            faults.add(pages.name_of(script), f"ends with status {done.returncode}")
        else:
            xml.etree.ElementTree.parse(target)


def main():
    faults = pages.Faults()
    all_pages = pages.all_pages()
    for page in all_pages:
        check_links(page, faults)
        check_quotes(page, faults)
    check_reachable(all_pages, faults)
    check_rooms(faults)
    check_citations(all_pages, faults)
    check_options(faults)
    check_picture(faults)
    faults.finish(f"{len(all_pages)} pages are in order")


if __name__ == "__main__":
    main()
