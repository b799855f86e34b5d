#!/usr/bin/env python3
"""The reference of the public headers (the target `reference`): every public name has a sentence, and no comment has a fault
that Doxygen warns of. A value of an enum has a text of its own, or that of the enum names it; destructors need none."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(os.environ.get("RATTLEBACK_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))

PLANTED = """// A header with faults.
namespace RATTLEBACK_API rattleback {

// Described.
struct Good {
  int a = 0, b = 0;  // both are
  int c = 0;
  // These, too:
  void d();
  void e();

  void f();
};

// Has a value that is named (named_here) and others.
enum class Some {
  named_here,
  described,  // so it is
  forgotten
};

namespace detail {
struct Hidden {};
}  // namespace detail

struct Bad {
  int x = 0;

 private:
  int y_ = 0;
};
struct Empty {};

}  // namespace rattleback
"""
SILENT_IN_PLANTED = {"Bad", "x", "Empty", "c", "f", "forgotten"}


# For the test alone: Doxygen extracts everything, so that what nobody described is there to be found. (Its own warnings leave out
# classes of which nothing at all is described, and values of enums.)
EVERYTHING = "EXTRACT_ALL = YES\nGENERATE_HTML = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n"


def text_of(element):
    parts = [element.find(tag) for tag in ("briefdescription", "detaileddescription", "inbodydescription")]
    return " ".join("".join(part.itertext()) for part in parts if part is not None).strip()


def silent_members(compound):
    for member in compound.iter("memberdef"):
        name = member.findtext("name")
        if member.get("prot") == "private" or name.startswith("~"):
            continue
        text = text_of(member)
        if not text:
            yield name or "of an enum without a name", member
        words = set(re.findall(r"\w+", text))
        for value in member.iter("enumvalue"):
            if not text_of(value) and value.findtext("name") not in words:
                yield value.findtext("name"), member


def silent_names(folder):
    """(name, where it is) of all that has no text."""
    for file in sorted(folder.glob("*.xml")):
        for compound in xml.parse(file).iter("compounddef"):
            if compound.get("kind") not in ("class", "struct", "union", "namespace", "file", "concept"):
                continue
            name = compound.findtext("compoundname")
            found = list(silent_members(compound))
            if compound.get("prot") != "private" and not text_of(compound):
                found.insert(0, (name.removeprefix("rattleback::"), compound))
            for silent, element in found:
                at = element.find("location")
                if at is not None and "rattleback/" in at.get("file"):  # not what Doxygen knows of the standard library
                    yield silent, f"{at.get('file')}:{at.get('line', 1)}"


def faults_of(root, out):
    """What Doxygen says of the headers of a tree, and (name, where) of what has no text there."""
    doxyfile = (root / "docs/reference/Doxyfile").read_text(encoding="utf-8") + EVERYTHING
    environment = dict(os.environ, RATTLEBACK_REFERENCE=str(out), RATTLEBACK_VERSION="")
    ran = subprocess.run(["doxygen", "-"], cwd=root, env=environment, input=doxyfile, capture_output=True, text=True)
    said = [line.removeprefix(f"{root}/") for line in ran.stderr.splitlines() if line.strip()]
    if ran.returncode != 0:
        said.append(f"doxygen ended with {ran.returncode}")
    return list(dict.fromkeys(said)), sorted(set(silent_names(out / "xml")), key=lambda found: found[::-1])


def names_seen_in_planted(folder):
    """A header with such faults as the test is to see, in a tree of its own."""
    headers = folder / "include/rattleback"
    headers.mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "docs/reference").symlink_to(ROOT / "docs/reference")
    (headers / "planted.hpp").write_text(PLANTED, encoding="utf-8")
    return {name for name, at in faults_of(folder, folder / "out")[1]}


def main():
    if shutil.which("doxygen") is None:
        print("skipped: doxygen is not there")
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        out, tree = pathlib.Path(temporary) / "out", pathlib.Path(temporary).resolve() / "planted"
        for folder in (out, tree / "out"):
            folder.mkdir(parents=True)
        found, silent = faults_of(ROOT, out)
        found += [f"include/{at}: {name} is not documented" for name, at in silent]
        seen = names_seen_in_planted(tree)
    if seen != SILENT_IN_PLANTED:
        found.append(f"of planted faults {sorted(SILENT_IN_PLANTED)} it sees {sorted(seen)}")
    print("\n".join(found) or "every public name has a sentence")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
