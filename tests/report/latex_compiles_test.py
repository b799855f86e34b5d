"""What `check --form latex` writes is compiled by LaTeX, without errors and without lines that leave the page, where LaTeX is
installed."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("RATTLEBACK_BINARY", "build/rattleback")
ROOM = 70.0  # pt beyond the text: the margin of the page is wider
# Systems for which a page has no room.
WIDE = {"andrews"}


def fault(key, work):
    """What LaTeX says of a system's document; None: nothing, "none": there is no such document."""
    made = subprocess.run([PROGRAM, "check", key, "--form", "latex"], capture_output=True, text=True)
    if made.returncode == 2 and "has no LaTeX form" in made.stderr:
        return "none"
    if made.returncode != 0:
        return made.stderr
    (work / f"{key}.tex").write_text(made.stdout)
    ran = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{key}.tex"], cwd=work,
                         capture_output=True, text=True, errors="replace")
    if ran.returncode != 0:
        return "\n".join(line for line in ran.stdout.splitlines() if line.startswith(("!", "l.")))
    too_wide = [float(x) for x in re.findall(r"Overfull \\hbox \(([0-9.]+)pt too wide", ran.stdout)]
    if key not in WIDE and any(x > ROOM for x in too_wide):
        return f"a line is {max(too_wide)} pt wider than the text"
    return None


def main():
    if shutil.which("pdflatex") is None:
        print("skipped: pdflatex is not installed (texlive-latex-base, texlive-latex-recommended)")
        return 0
    listed = json.loads(subprocess.run([PROGRAM, "systems", "--json"], capture_output=True, text=True, check=True).stdout)
    compiled = faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for system in listed if isinstance(listed, list) else listed["systems"]:
            key = system.get("key") or system["name"]
            found = fault(key, pathlib.Path(folder))
            if found == "none":
                continue
            compiled += 1
            if found is not None:
                faults += 1
                print(f"{key}: {found}")
    if compiled < 10:
        print(f"only {compiled} documents")
        return 1
    return 1 if faults else 0


sys.exit(main())
