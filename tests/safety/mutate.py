"""Damaged files: how they are made, from which they are made, and what must come of them.

A target is a file that the program reads, and a request that reads it. Its file is changed in a way that is drawn at random
(with a fixed seed). A file that proves itself, as a checkpoint does, gives the result of the undamaged one in all bits or is
refused. A text of the user's may have become another valid text; then any result will do. Nothing may crash, hang or
take memory.
"""
import os
import random
import shutil
import subprocess
import tempfile
import time

BINARY = os.path.abspath(os.environ["RATTLEBACK_BINARY"])
SOURCE = os.environ["RATTLEBACK_SOURCE_DIR"]
SECONDS = 10  # for one request, on a machine where the undamaged one takes well below one
MEMORY = 200_000_000  # beyond the undamaged request
DONE, REFUSED, STOPPED = 0, 2, 3


# --- ways to damage

def flip_bit(data, draw):
    at = draw.randrange(8 * len(data))
    data[at // 8] ^= 1 << at % 8


def change_byte(data, draw):
    data[draw.randrange(len(data))] = draw.randrange(256)


def truncate(data, draw):
    del data[draw.randrange(len(data)):]


def extend(data, draw):
    data += bytes(draw.randrange(256) for _ in range(draw.choice((1, 8, 100, 5000))))


def block(data, draw):
    size = min(draw.choice((1, 2, 8, 16, 100)), len(data))
    return draw.randrange(len(data) - size + 1), size


def swap_blocks(data, draw):
    (i, size), (j, _) = block(data, draw), block(data, draw)
    j = min(j, len(data) - size)
    data[i:i + size], data[j:j + size] = data[j:j + size], data[i:i + size]


def zero_block(data, draw):
    i, size = block(data, draw)
    data[i:i + size] = bytes(size)


def duplicate_block(data, draw):
    i, size = block(data, draw)
    data[i:i] = data[i:i + size]


def remove_block(data, draw):
    i, size = block(data, draw)
    del data[i:i + size]


def change_number(data, draw):
    """A decimal number in a text, or eight bytes that may be a count."""
    digits = [i for i, c in enumerate(data) if chr(c).isdigit()]
    if digits and draw.random() < 0.7:
        i = draw.choice(digits)
        data[i:i + 1] = draw.choice((b"-1", b"0", b"7", b"99", b"1e300", b"nan", b"18446744073709551615", b""))
    else:
        i = draw.randrange(max(1, len(data) - 7))
        value = draw.choice((0, 1, 2**31, 2**40, 2**62, 2**63, 2**64 - 1))
        data[i:i + 8] = value.to_bytes(8, "little")


WAYS = (flip_bit, flip_bit, change_byte, truncate, extend, swap_blocks, zero_block, duplicate_block, remove_block,
        change_number)


def mutated(good, draw):
    """The name of the damage, and a text that differs from the good one."""
    while True:
        way = draw.choice(WAYS)
        data = bytearray(good)
        for _ in range(draw.choice((1, 1, 1, 2, 5))):
            if data:
                way(data, draw)
        if bytes(data) != good:
            return way.__name__, bytes(data)


# --- requests

class Result:
    def __init__(self, status, usage, seconds, output, message):
        self.status, self.memory, self.seconds = status, usage.ru_maxrss * 1024, seconds
        self.output, self.message = output, message


def request(arguments, folder, output, limit):
    """Runs the program in `folder`. Status -1000: it did not end."""
    out, err = os.path.join(folder, "stdout"), os.path.join(folder, "stderr")
    environment = dict(os.environ, XDG_CACHE_HOME=folder, TMPDIR=folder, HOME=folder)
    begin = time.monotonic()
    with open(out, "wb") as stdout, open(err, "wb") as stderr:
        child = subprocess.Popen([BINARY, *arguments], cwd=folder, env=environment, stdout=stdout, stderr=stderr,
                                 stdin=subprocess.DEVNULL)
        hung = False
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid != 0:
                break
            if time.monotonic() - begin > limit:
                hung = True
                child.kill()
                _, status, usage = os.wait4(child.pid, 0)
                break
            time.sleep(0.001)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    path = os.path.join(folder, output)
    text = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            text = file.read()
    with open(err, "rb") as file:
        message = file.read().decode(errors="replace")
    return Result(-1000 if hung else child.returncode, usage, seconds, text, message)


class Target:
    """files: what the request finds; damaged: the name of the one that is changed; strict: it proves itself."""

    def __init__(self, name, files, damaged, arguments, output, strict):
        self.name, self.files, self.damaged = name, files, damaged
        self.arguments, self.output, self.strict = arguments, output, strict
        self.good = self.play(files[damaged], 300)
        assert self.good.status == DONE, (name, self.good.status, self.good.message)
        self.limit = max(SECONDS, 20 * self.good.seconds)  # a busy machine is no fault

    def play(self, data, limit):
        folder = tempfile.mkdtemp(prefix="rattleback_mutation_")
        try:
            for name, good in self.files.items():
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data if name == self.damaged else good)
                os.chmod(path, 0o600)
            return request(self.arguments, folder, self.output, limit)
        finally:
            shutil.rmtree(folder)

    def fault(self, data):
        """What is wrong with the answer to a damaged file; "" if nothing is."""
        found = self.play(data, self.limit)
        if found.status == -1000:
            return f"did not end in {self.limit:.0f} s"
        if found.status not in ((DONE, REFUSED) if self.strict else (DONE, REFUSED, STOPPED)):
            return f"status {found.status}: {found.message[:300]}"
        if found.memory > self.good.memory + MEMORY:
            return f"{found.memory >> 20} MB of memory, {self.good.memory >> 20} MB undamaged"
        if found.status != DONE and not found.message.strip():
            return "refused without a reason"
        if self.strict and found.status == DONE and found.output != self.good.output:
            return "accepted, with another result"
        return ""


# --- targets: each function gives some

def checkpoints():
    requests = {
        "fixed steps": ["skate", "--step", "0.1", "--every", "4"],
        "chosen steps": ["pendulum", "--adaptive", "1e-6", "--event", "x", "--output-every", "0.5"],
        "contacts": ["friction-on-cubic", "--step", "0.005", "--every", "20"],
        "dependent constraints": ["pendulum", "--step", "0.05", "--every", "10", "--redundant", "minimum-norm"],
    }
    for name, arguments in requests.items():
        folder = tempfile.mkdtemp(prefix="rattleback_mutation_")
        try:
            files = {}
            first = ["run", *arguments, "--until", "2", "--checkpoint", "c"]
            subprocess.run([BINARY, *first], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            for each in ("c", "c.records"):
                with open(os.path.join(folder, each), "rb") as file:
                    files[each] = file.read()
        finally:
            shutil.rmtree(folder)
        again = ["run", *arguments, "--until", "3", "--checkpoint", "c", "--resume", "--output", "out.csv"]
        for each in ("c", "c.records"):
            yield Target(f"checkpoint of {name}, {each}", files, each, again, "out.csv", strict=True)


TABLEAU = """name  = "my-gauss"
order = 4
A = [["1/4", "1/4 - sqrt(3)/6"], ["1/4 + sqrt(3)/6", "1/4"]]
b = ["1/2", "1/2"]
"""

STARTS = "theta',x\n" + "".join(f"{1 + 0.1 * k},{0.01 * k}\n" for k in range(6))


def tableaux():
    yield Target("tableau", {"t.toml": TABLEAU.encode()}, "t.toml",
                 ["run", "skate", "--tableau", "t.toml", "--step", "0.1", "--until", "1", "--output", "out.csv"], "out.csv",
                 strict=False)


def starts():
    yield Target("starts", {"s.csv": STARTS.encode()}, "s.csv",
                 ["ensemble", "skate", "--starts", "s.csv", "--until", "1", "--threads", "1", "--output", "out.csv"],
                 "out.csv", strict=False)


def recipes():
    with open(os.path.join(SOURCE, "experiments", "H-2.4.toml"), "rb") as file:
        recipe = file.read()
    yield Target("recipe", {"r.toml": recipe}, "r.toml", ["reproduce", "r.toml", "--output", "o", "--threads", "1"],
                 "o/index.html", strict=False)


def caches():
    """Compiled steps: a damaged object is made again, and the numbers stay."""
    arguments = ["run", "double-pendulum", "--method", "rattle", "--step", "0.01", "--steps", "200", "--native", "on",
                 "--output", "out.csv"]
    folder = tempfile.mkdtemp(prefix="rattleback_mutation_")
    try:
        subprocess.run([BINARY, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, XDG_CACHE_HOME=folder, TMPDIR=folder, HOME=folder))
        kept = [name for name in os.listdir(os.path.join(folder, "rattleback")) if name.endswith(".so")]
        assert len(kept) == 1, kept
        name = "rattleback/" + kept[0]
        with open(os.path.join(folder, name), "rb") as file:
            files = {name: file.read()}
    finally:
        shutil.rmtree(folder)
    yield Target("cache", files, name, arguments, "out.csv", strict=True)


TARGETS = [checkpoints, tableaux, starts, recipes, caches]


def play(count, seed):
    """`count` damaged files, shared out over all targets. Says what is wrong, and with which data."""
    groups = [list(function()) for function in TARGETS]
    draw, faults = random.Random(seed), []
    for k in range(count):
        # Half of them for checkpoints: they promise most.
        group = groups[0] if k % 2 == 0 else groups[draw.randrange(len(groups))]
        target = draw.choice(group)
        way, data = mutated(target.files[target.damaged], draw)
        fault = target.fault(data)
        if fault:
            faults.append(f"{target.name}, {way} (number {k} of seed {seed}): {fault}")
            with open(os.path.join(tempfile.gettempdir(), f"rattleback_mutation_{seed}_{k}"), "wb") as file:
                file.write(data)
    for line in faults:
        print(line)
    print(f"{count} damaged files, {len(faults)} faults")
    return len(faults) == 0
