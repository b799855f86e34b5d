"""Runs that are killed (-9) at random times: each resumes with the same bits, and nothing is left behind.

The time of a kill is drawn over the life of a run: while a step is compiled, between steps, and inside the writes of a
checkpoint, of which there is one every few milliseconds.
"""
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

BINARY = os.path.abspath(os.environ["RATTLEBACK_BINARY"])

CASES = [
    ["skate", "--step", "0.001", "--every", "50", "--native", "off", "--steps"],
    ["pendulum", "--step", "0.001", "--every", "50", "--native", "on", "--steps"],
]
MAY_STAY = {"c", "c.records"}


class Player:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.root = tempfile.mkdtemp(prefix="rattleback_kills_")
        self.folder, self.temporary, self.cache = (os.path.join(self.root, x) for x in ("run", "tmp", "cache"))
        for path in (self.temporary, self.cache):
            os.mkdir(path, 0o700)
        self.environment = dict(os.environ, TMPDIR=self.temporary, XDG_CACHE_HOME=self.cache)

    def start(self, arguments):
        return subprocess.Popen([BINARY, "run", *arguments], cwd=self.folder, env=self.environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self, arguments):
        child = self.start(arguments)
        _, errors = child.communicate(timeout=600)
        assert child.returncode == 0, (arguments, child.returncode, errors.decode(errors="replace"))

    def csv(self):
        with open(os.path.join(self.folder, "out.csv"), "rb") as file:
            return file.read()

    def whole(self, case):
        """A run that takes about half a second, and its bytes."""
        steps = 20_000
        while True:
            begin = time.monotonic()
            self.finish([*case, str(steps), "--output", "out.csv"])
            if time.monotonic() - begin > 0.5:
                return steps, time.monotonic() - begin, self.csv()
            steps *= 2

    def left_behind(self, folder, prefix):
        return [name for name in os.listdir(folder) if name.startswith(prefix)]

    def play(self, kills):
        killed = 0
        per_case = max(1, kills // len(CASES))
        for case in CASES:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.mkdir(self.folder)
            steps, seconds, expected = self.whole(case)
            request = [*case, str(steps), "--checkpoint", "c", "--checkpoint-seconds", "0.002"]
            done = 0
            while done < per_case:
                shutil.rmtree(self.folder)
                os.mkdir(self.folder)
                if "on" in case and self.draw.random() < 0.3:  # killed while it compiles
                    shutil.rmtree(self.cache)
                    os.mkdir(self.cache, 0o700)
                for life in range(self.draw.randrange(1, 5)):
                    fresh = life == 0 or self.draw.random() < 0.2  # a new run over an older pair
                    child = self.start([*request, *([] if fresh else ["--resume"])])
                    time.sleep(self.draw.random() * 1.2 * seconds)
                    child.send_signal(signal.SIGKILL)
                    child.communicate()
                    assert child.returncode in (0, -signal.SIGKILL), child.returncode
                    killed += child.returncode != 0
                    done += child.returncode != 0
                self.finish([*request, "--resume", "--output", "out.csv"])
                assert self.csv() == expected, f"another result: {case}"
                os.remove(os.path.join(self.folder, "out.csv"))
                left = set(os.listdir(self.folder))
                assert left == MAY_STAY, left
                stale = self.left_behind(self.temporary, "rattleback-native-")
                assert not stale, stale
        shutil.rmtree(self.root, ignore_errors=True)  # compilers of killed runs may still write
        print(f"{killed} kills, all resumed with the same bits")
