#!/usr/bin/env python3
"""What is to be cited: `--cite` prints entries of docs/references.bib, those of each method's page, and the program as CITATION.cff
describes it. `--version` names the commit of the tree."""

import json
import re
import shutil
import subprocess

import running

ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(?:  .*\n)+\}$", re.M)


def bibliography():
    text = (running.ROOT / "docs/references.bib").read_text(encoding="utf-8")
    return {match[2]: match[0] for match in ENTRY.finditer(text)}


def references_of_page(name):
    page = running.ROOT / "docs/methods" / (name.replace("-", "_") + ".md")
    return re.findall(r"^- \[(\w+)\]", page.read_text(encoding="utf-8").split("## References")[1], re.M)


def yaml_field(text, key):
    return re.search(rf'^{key}: "?(.*?)"?$', text, re.M)[1]


def check_methods(run):
    entries = bibliography()
    assert len(entries) > 40, len(entries)
    program = run("--cite")[1]
    methods = json.loads(run("methods", "--json")[1])["methods"]
    for name, info in methods.items():
        assert info["references"] == references_of_page(name), (name, info["references"])
        status, out, err = run("--cite", name)
        assert (status, err) == (0, ""), err
        wanted = program + "".join("\n" + entries[key] + "\n" for key in info["references"])
        assert out == wanted, (name, out)
    both = run("--cite", "spark-gauss", "srk_gauss")[1]  # several, by any of their names; each source once
    keys = re.findall(r"^@\w+\{(\w+),", both, re.M)
    assert len(keys) == len(set(keys)) and {"Rattleback", "Jay2009", "Jay2006"} <= set(keys), keys
    assert run("--cite", "rattle")[1] == run("--cite", "prk-lobatto")[1]
    status, out, err = run("--cite", "spark-gaus")
    assert (status, out) == (2, "") and "Did you mean 'spark-gauss'?" in err, err


def check_program(run):
    cff = (running.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    out = run("--cite")[1]
    assert ENTRY.fullmatch(out.strip()), out
    version = yaml_field(cff, "version")
    assert f"project(rattleback VERSION {version} " in (running.ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    for field, value in (
        ("title", yaml_field(cff, "title")),
        ("version", version),
        ("author", "{" + re.search(r'^  - name: "(.*)"$', cff, re.M)[1] + "}"),
    ):
        assert re.search(rf"^  {field} += \{{{re.escape(value)}\}},$", out, re.M), (field, value, out)
    for key in ("cff-version", "message", "license"):
        assert yaml_field(cff, key)
    assert yaml_field(cff, "license") == "Apache-2.0"
    assert "Copyright 2026 " + re.search(r'name: "(.*)"', cff)[1] in (running.ROOT / "NOTICE").read_text(encoding="utf-8")


def check_commit(run):
    status, out, err = run("--version")
    found = re.fullmatch(r"rattleback \d+\.\d+\.\d+(?: \(commit ([0-9a-f]{7,12})\))?\n", out)
    assert (status, err) == (0, "") and found, out
    if shutil.which("git") is None or not (running.ROOT / ".git").exists():
        return
    known = subprocess.run(["git", "cat-file", "-e", str(found[1])], cwd=running.ROOT, capture_output=True, check=False)
    # The tree may have moved on since the program was built; what it names is one of its commits.
    assert found[1] and known.returncode == 0, f"{out} names no commit of {running.ROOT}"
    assert f"Commit {found[1]}" in run("--cite")[1]


def check_without_repository(run):
    """The script that asks: nothing outside of a repository, what `git archive` wrote where it did."""
    (run.folder / "cmake").mkdir()
    script = running.ROOT / "cmake/write_commit.cmake"
    for archived, wanted in (("$Format:%H$", ""), ("0123456789abcdef0123456789abcdef01234567", "0123456789")):
        run.write("cmake/archived_commit.txt", archived + "\n")
        command = ["cmake", "-DGIT=", f"-DSOURCE={run.folder}", f"-DOUTPUT={run.folder}/commit.cpp", "-P", str(script)]
        subprocess.run(command, check=True, capture_output=True)
        assert f'return "{wanted}";' in (run.folder / "commit.cpp").read_text(), archived
    attributes = (running.ROOT / ".gitattributes").read_text(encoding="utf-8")
    assert "cmake/archived_commit.txt export-subst" in attributes
    assert (running.ROOT / "cmake/archived_commit.txt").read_text(encoding="utf-8").strip() in ("$Format:%H$",) or not (running.ROOT / ".git").exists()


def main():
    with running.in_folder() as run:
        check_methods(run)
        check_program(run)
        check_commit(run)
        check_without_repository(run)
    print("what is to be cited is what the files say")


if __name__ == "__main__":
    main()
