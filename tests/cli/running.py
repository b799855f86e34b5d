"""What the Python tests of this folder share: the program in a folder of its own, and the wrong models of tests/model."""

import contextlib
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(os.environ.get("RATTLEBACK_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BINARY = os.environ.get("RATTLEBACK_BINARY", str(ROOT / "build" / "rattleback"))


class Run:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def __call__(self, *words, stdin=subprocess.DEVNULL):
        """(exit status, stdout, stderr) of the program."""
        done = subprocess.run([BINARY, *words], cwd=self.folder, stdin=stdin, capture_output=True, timeout=300, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8", newline="")
        return name


@contextlib.contextmanager
def in_folder():
    with tempfile.TemporaryDirectory(prefix="rattleback_cli_") as folder:
        yield Run(folder)


def bad_models():
    """(title, text, options, first line of the message) of each case of tests/model/bad_models.txt."""

    def expanded(line):
        while match := re.search(r"\{\{(\d+) (.*?)\}\}", line):
            line = line[: match.start()] + int(match[1]) * match[2] + line[match.end() :]
        return line

    cases = []
    for line in (ROOT / "tests/model/bad_models.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("=== "):
            cases.append([line[4:], "", [], ""])
        elif not cases:
            continue
        elif line.startswith("--- "):
            cases[-1][3] = line[4:]
        elif match := re.match(r"%(set|start) (.*)", line):
            cases[-1][2] += ["--" + match[1], match[2]]
        elif not cases[-1][3]:
            cases[-1][1] += expanded(line) + "\n"
    return cases
