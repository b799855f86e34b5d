"""Runs in which the n-th write, rename, sync, open, fork or request for memory fails (fail_call.c).

Whatever fails: the program ends by itself with a status that says so and a message; each file it was to write is as before or
complete; nothing of its own is left beside them; and the checkpoint that is there can be resumed, with the bits of a run in
which nothing failed.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

BINARY = os.environ["RATTLEBACK_BINARY"]
HERE = os.path.dirname(os.path.abspath(__file__))
RUN = ["run", "double-pendulum", "--method", "rattle", "--step", "0.01", "--steps", "400", "--checkpoint", "run.ck",
       "--checkpoint-seconds", "0.02"]
SECOND = ["run", "skate", "--method", "spark-gauss", "--step", "0.1", "--steps", "60", "--output", "run.h5"]
SECONDS = 60  # more than that is a hang


class Place:
    """A folder with a cache and a folder for temporary files of its own."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="faults-")
        self.work, self.tmp, self.cache = (os.path.join(self.root, name) for name in ("work", "tmp", "cache"))
        for folder in (self.work, self.tmp, self.cache):
            os.mkdir(folder, 0o700)

    def environment(self, **more):
        return {**os.environ, "TMPDIR": self.tmp, "XDG_CACHE_HOME": self.cache, **more}

    def run(self, arguments, **more):
        return subprocess.run([BINARY, *arguments], cwd=self.work, env=self.environment(**more), capture_output=True,
                              timeout=SECONDS, stdin=subprocess.DEVNULL)

    def read(self, name):
        path = os.path.join(self.work, name)
        if not os.path.exists(path):
            return None
        with open(path, "rb") as file:
            return file.read()

    def copy_from(self, other):
        shutil.rmtree(self.root)
        shutil.copytree(other.root, self.root, symlinks=True)

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)


def build_library():
    folder = tempfile.mkdtemp(prefix="faults-")
    library = os.path.join(folder, "fail_call.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, os.path.join(HERE, "fail_call.c"), "-ldl"], check=True)
    return library


def complete(name, data, expected):
    """Is this a whole file of its kind? Pages and figures may hold times."""
    if name.endswith(".csv"):
        return data == expected
    if name.endswith(".h5"):
        return data[:8] == b"\x89HDF\r\n\x1a\n" and len(data) >= len(expected) - 4096
    if name.endswith(".svg"):
        return data.rstrip().endswith(b"</svg>")
    return data.rstrip().endswith(b"</html>")


OUTPUTS = ["run.csv", "run.svg", "run.html"]
FIRST = RUN + ["--output", "run.csv", "--plot", "run.svg", "--report", "run.html", "--native", "on"]


class Faults:
    def __init__(self):
        self.library = build_library()
        self.wrong, self.runs = [], 0
        self.undisturbed = Place()
        done = self.undisturbed.run(FIRST)
        if done.returncode != 0:
            sys.exit(f"the undisturbed run failed:\n{done.stderr.decode()}")
        self.expected = {name: self.undisturbed.read(name) for name in OUTPUTS}
        self.second = Place()
        done = self.second.run(SECOND)
        if done.returncode != 0:
            sys.exit(f"the undisturbed second run failed:\n{done.stderr.decode()}")
        # An older checkpoint of the same run, of fewer steps, and older outputs.
        self.older = Place()
        steps = FIRST.index("--steps") + 1
        self.older.run(FIRST[:steps] + ["150"] + FIRST[steps + 1:])
        for name in OUTPUTS:
            with open(os.path.join(self.older.work, name), "wb") as file:
                file.write(b"older\n")

    def count(self, kind, arguments, start):
        """How many calls of a kind a run makes."""
        place = Place()
        if start:
            place.copy_from(start)
        file = os.path.join(place.root, "count")
        place.run(arguments, LD_PRELOAD=self.library, FAIL_CALL=kind, FAIL_COUNT=file)
        with open(file, encoding="ascii") as counted:
            number = int(counted.read())
        place.remove()
        return number

    def fail(self, text, place, done):
        self.wrong.append(f"{text}\n    status {done.returncode}, stderr: {done.stderr.decode(errors='replace')[-600:]}\n"
                          f"    left: {sorted(os.listdir(place.work))}, {sorted(os.listdir(place.tmp))}")

    def look(self, what, place, done, kind, outputs, expected):
        message = done.stderr.decode(errors="replace").strip()
        allowed = (0, 2, 3, 74, 70) if kind == "malloc" else (0, 2, 3, 74)
        if done.returncode not in allowed:
            self.fail(f"{what}: an unexpected status", place, done)
        if done.returncode != 0 and not message:
            self.fail(f"{what}: no message", place, done)
        for name in outputs:
            data = place.read(name)
            if data is not None and data != b"older\n" and not complete(name, data, expected[name]):
                self.fail(f"{what}: {name} is half-written ({len(data)} bytes)", place, done)
            if done.returncode == 0 and (data is None or data == b"older\n"):
                self.fail(f"{what}: status 0 without {name}", place, done)
        left = [name for name in os.listdir(place.work) if name.startswith(".rattleback")] + os.listdir(place.tmp)
        if left:
            self.fail(f"{what}: {left} is left", place, done)

    def try_one(self, kind, n, longer, older):
        """One run with a fault, then the resumed one without."""
        place = Place()
        if older:
            place.copy_from(self.older)
        what = f"{kind} {n}{' and all after it' if longer else ''}, {'over older files' if older else 'in an empty folder'}"
        arguments = FIRST + (["--resume"] if older and n % 2 == 0 else [])
        try:
            done = place.run(arguments, LD_PRELOAD=self.library, FAIL_CALL=kind, FAIL_AT=str(n),
                             FAIL_FOR="1000000000" if longer else "1")
            self.runs += 1
            self.look(what, place, done, kind, OUTPUTS, self.expected)
            if place.read("run.ck") is not None:
                done = place.run(FIRST + ["--resume"])
                if done.returncode != 0 or place.read("run.csv") != self.expected["run.csv"]:
                    self.fail(f"{what}: the checkpoint cannot be resumed to the same bits", place, done)
            elif older:
                self.fail(f"{what}: the older checkpoint is gone", place, done)
        except subprocess.TimeoutExpired:
            self.wrong.append(f"{what}: hangs")
        place.remove()

    def try_second(self, kind, n):
        place = Place()
        what = f"{kind} {n} of a run with HDF5"
        try:
            done = place.run(SECOND, LD_PRELOAD=self.library, FAIL_CALL=kind, FAIL_AT=str(n))
            self.runs += 1
            self.look(what, place, done, kind, ["run.h5"], {"run.h5": self.second.read("run.h5")})
        except subprocess.TimeoutExpired:
            self.wrong.append(f"{what}: hangs")
        place.remove()

    def all(self, most, mallocs):
        """Every call of each kind, or `most` of them; of those for memory so many at the beginning and so many drawn."""
        draw = random.Random(16)

        def some(count, largest):
            numbers = list(range(1, count + 1))
            return numbers if count <= largest else sorted({1, 2, count, *draw.sample(numbers, largest)})

        for kind in ("write", "rename", "sync", "open", "fork"):
            for older in (False, True):
                count = self.count(kind, FIRST, self.older if older else None) + 1
                for n in some(count, most):
                    self.try_one(kind, n, n % 3 == 0, older)
            for n in some(self.count(kind, SECOND, None), most):
                self.try_second(kind, n)
        if mallocs:
            count = self.count("malloc", FIRST, None)
            numbers = list(range(1, min(mallocs, count) + 1)) + draw.sample(range(1, count + 1), min(mallocs, count))
            for n in numbers:
                self.try_one("malloc", n, False, n % 2 == 0)

    def finish(self):
        for place in (self.undisturbed, self.second, self.older):
            place.remove()
        shutil.rmtree(os.path.dirname(self.library), ignore_errors=True)
        for text in self.wrong[:20]:
            print(text)
        print(f"{self.runs} runs with a fault, {len(self.wrong)} wrong")
        sys.exit(1 if self.wrong or self.runs == 0 else 0)
