"""SIGINT, SIGTERM and SIGHUP end a run with all that there is by then; a second one ends it at once. Nothing is left over."""
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

BINARY = os.environ["RATTLEBACK_BINARY"]
SLOW = "RATTLEBACK_COMMAND_SECONDS" in os.environ  # sanitizers
SOON = 20.0 if SLOW else 3.0  # a busy machine included
LONG = ["run", "skate", "--step", "0.01", "--steps", "1000000000000"]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]

try:
    import h5py
except ImportError:
    h5py = None


class Folder:
    """A place of our own for everything that the program touches."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="rattleback_signals_")
        for name in ("tmp", "cache", "out"):
            os.mkdir(os.path.join(self.path, name))
        self.environment = dict(
            os.environ, TMPDIR=os.path.join(self.path, "tmp"), XDG_CACHE_HOME=os.path.join(self.path, "cache")
        )
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def out(self, name):
        return os.path.join(self.path, "out", name)

    def start(self, arguments, **more):
        return subprocess.Popen(
            [BINARY, *arguments], cwd=self.path, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, **more
        )

    def temporaries(self):
        return glob.glob(self.out(".rattleback-*")) + glob.glob(os.path.join(self.path, "tmp", "*"))


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


def finish(process, begin):
    out, err = process.communicate(timeout=60)
    took = time.monotonic() - begin
    assert took < SOON, (took, out, err)
    return process.returncode, out, err


def rows_of(path):
    with open(path) as file:
        text = file.read()
    assert text.endswith("\n"), "half a line"
    rows = [line.split(",") for line in text.splitlines()]
    assert all(len(row) == len(rows[0]) for row in rows)
    return rows


def check_outputs():
    for number in SIGNALS:
        for ending in ("csv", "h5"):
            with Folder() as folder:
                data, page, plot, checkpoint = (folder.out(n) for n in ("run." + ending, "r.html", "p.svg", "c"))
                process = folder.start(
                    LONG + ["--json", "--output", data, "--report", page, "--plot", plot, "--checkpoint", checkpoint]
                )
                wait_for(lambda: os.path.exists(checkpoint))
                begin = time.monotonic()
                process.send_signal(number)
                status, out, err = finish(process, begin)
                assert status == 128 + number, (status, err)
                result = json.loads(out)
                assert result["status"] == "cancelled", result
                assert result["message"].startswith(f"cancelled by {number.name} at t = "), result["message"]
                assert err.strip() == result["message"], err
                with open(page) as file:
                    text = file.read()
                assert text.rstrip().endswith("</html>") and "cancelled" in text
                with open(plot) as file:
                    assert file.read().rstrip().endswith("</svg>")
                if ending == "csv":
                    last = float(rows_of(data)[-1][0])
                elif h5py is not None:
                    with h5py.File(data) as file:
                        last = file["t"][-1]
                        assert json.loads(file.attrs["audit"])["status"] == "cancelled"
                else:
                    continue
                assert last == result["t"], (last, result["t"])
                assert folder.temporaries() == [], folder.temporaries()


def check_resumed():
    with Folder() as folder:
        request = ["run", "skate", "--step", "0.01", "--steps", "4000000", "--every", "1000", "--native", "off"]
        whole, part = folder.out("whole.csv"), folder.out("part.csv")
        checked = request + ["--output", part, "--checkpoint", folder.out("c")]
        for _ in range(2):  # twice, so that it stops in a resumed part, too
            process = folder.start(checked)
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
            assert process.returncode in (143, 0), (process.returncode, err)
            if os.path.exists(folder.out("c")) and "--resume" not in checked:
                checked.append("--resume")
        assert folder.start(checked).wait(timeout=200) == 0
        assert folder.start(request + ["--output", whole]).wait(timeout=200) == 0
        with open(whole) as a, open(part) as b:
            assert a.read() == b.read()


def check_second():
    with Folder() as folder:
        data = folder.out("run.csv")
        process = folder.start(
            ["run", "skate", "--step", "0.01", "--steps", "900000", "--every", "1", "--native", "off", "--output", data]
        )
        wait_for(lambda: folder.temporaries())  # the output is being written
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        status, _, err = finish(process, begin)
        assert status in (143, 130), (status, err)
        assert "ended at once" in err, err
        assert not os.path.exists(data) and folder.temporaries() == [], folder.temporaries()


def check_set_up():
    """While nothing is computed there is nothing to wait for: here for a model that does not come."""
    for verb in ("run", "check", "generate"):
        with Folder() as folder:
            pipe = os.path.join(folder.path, "model.toml")
            os.mkfifo(pipe)
            process = folder.start([verb, pipe])
            time.sleep(1.0 if SLOW else 0.2)
            begin = time.monotonic()
            process.send_signal(signal.SIGTERM)
            status, out, err = finish(process, begin)
            if status == 2 and "pipe" in err:  # pipes may be refused
                continue
            assert status == 143 and out == "", (status, out, err)


def check_ignored():
    with Folder() as folder:
        process = folder.start(
            ["run", "skate", "--step", "0.01", "--steps", "2000000", "--native", "off"],
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        )
        time.sleep(0.2)
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=100)
        assert process.returncode == 0, (process.returncode, err)


def check_verbs():
    verbs = {
        "order": ["skate", "--methods", "spark-gauss:2", "--step-list", "1e-7,5e-8", "--until", "100"],
        "compare": ["skate", "--methods", "spark-gauss:2", "--step", "1e-7", "--until", "100"],
        "ensemble": ["skate", "--vary", "theta=0:1:200", "--step", "1e-6", "--until", "1000", "--output", "out/e.csv"],
        "section": ["contact-oscillator", "--where", "y'", "--crossings", "1000000000", "--vary", "z0=-1:1:5"]
        + ["--output", "out/s.csv"],
        "reproduce": ["H", "--output", "out/redone"],
    }
    for verb, arguments in verbs.items():
        with Folder() as folder:
            process = folder.start([verb, *arguments])
            time.sleep(3.0 if SLOW else 0.7)
            begin = time.monotonic()
            process.send_signal(signal.SIGTERM)
            status, out, err = finish(process, begin)
            assert status == 143, (verb, status, err)
            assert "cancelled by SIGTERM" in err or "ended at once by SIGTERM" in err, (verb, err)
            assert folder.temporaries() == [] and glob.glob(folder.out("redone/.rattleback-*")) == []
            if os.path.exists(folder.out("s.csv")):
                rows_of(folder.out("s.csv"))


def check_kept_trajectories():
    """The members that were complete are in the file, with the records of each."""
    for number in SIGNALS:
        with Folder() as folder:
            data = folder.out("k.h5")
            process = folder.start(
                ["ensemble", "contact-oscillator", "--vary", "z0=-0.5:0.5:1000000", "--until", "20", "--json"]
                + ["--members", data, "--keep-trajectories"]
            )
            wait_for(lambda: any(os.path.getsize(name) > 1 << 20 for name in glob.glob(folder.out(".rattleback-*"))))
            begin = time.monotonic()
            process.send_signal(number)
            status, out, err = finish(process, begin)
            assert status == 128 + number, (status, err)
            result = json.loads(out)
            assert result["status"] == "cancelled" and 0 < result["members"] < 1000000, result["members"]
            assert folder.temporaries() == [], folder.temporaries()
            if h5py is None:
                continue
            with h5py.File(data) as file:
                assert file.attrs["status"] == "cancelled"
                assert file["members/q"].shape[0] == result["members"] == file["records/q"].shape[0]
                assert (file["records/q"][-1, -1] == file["members/q"][-1]).all()


def check_any_time():
    draw = random.Random(16)
    for k in range(20):
        with Folder() as folder:
            data, plot = folder.out("run.csv"), folder.out("p.svg")
            process = folder.start(LONG + ["--output", data, "--plot", plot, "--checkpoint", folder.out("c")])
            time.sleep(draw.random() * 0.4)
            number = SIGNALS[k % 3]
            process.send_signal(number)
            begin = time.monotonic()
            status, _, err = finish(process, begin)
            # Before the program has its handlers, the signal does what it always does.
            assert status in (128 + number, -number), (status, err)
            if "cancelled by" in err:
                rows_of(data)
                assert os.path.exists(plot)
            assert folder.temporaries() == [], folder.temporaries()


for check in (check_outputs, check_resumed, check_second, check_set_up, check_ignored, check_verbs,
              check_kept_trajectories, check_any_time):
    began = time.monotonic()
    check()
    print(f"{check.__name__}: {time.monotonic() - began:.1f} s")
