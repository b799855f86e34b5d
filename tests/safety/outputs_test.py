"""Outputs that cannot be written never cost the run: the result is printed, the other files are written, status 74."""
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time

BINARY = os.environ["RATTLEBACK_BINARY"]


class Folder:
    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="rattleback_outputs_")
        for name in ("tmp", "cache", "a", "b"):
            os.mkdir(os.path.join(self.path, name))
        self.environment = dict(
            os.environ, TMPDIR=os.path.join(self.path, "tmp"), XDG_CACHE_HOME=os.path.join(self.path, "cache")
        )
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def of(self, *names):
        return os.path.join(self.path, *names)

    def start(self, arguments, limit=None):
        def set_limit():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.Popen(
            [BINARY, *arguments], cwd=self.path, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, preexec_fn=set_limit
        )

    def temporaries(self):
        return glob.glob(self.of("**", ".rattleback-*"), recursive=True)


def finish(process):
    out, err = process.communicate(timeout=280)
    return process.returncode, out, err


def check_size_limit():
    """A file may not grow beyond 200 kB: as on a disk that is full."""
    for ending in ("csv", "h5"):
        with Folder() as folder:
            data, plot, old = folder.of("a", "run." + ending), folder.of("b", "p.svg"), "what was there"
            with open(data, "w") as file:
                file.write(old)
            status, out, err = finish(
                folder.start(["run", "skate", "--steps", "20000", "--json", "--output", data, "--plot", plot], 200_000)
            )
            assert status == 74, (ending, status, err)
            result = json.loads(out)
            assert result["status"] == "done" and result["steps"] == 20000
            assert "cannot write" in err, err
            with open(data) as file:
                assert file.read() == old
            assert os.path.exists(plot) and folder.temporaries() == []


def check_everything_fails():
    with Folder() as folder:
        arguments = ["run", "skate", "--json", "--output", "a/run.h5", "--plot", "a/p.svg", "--report", "a/r.html"]
        status, out, err = finish(folder.start(arguments, 1000))
        assert status == 74 and json.loads(out)["status"] == "done", (status, err)
        assert len(err.strip().splitlines()) == 3, err
        assert os.listdir(folder.of("a")) == []


def check_removed_folder():
    for ending in ("csv", "h5"):
        with Folder() as folder:
            data, plot = folder.of("a", "run." + ending), folder.of("b", "p.svg")
            process = folder.start(
                ["run", "skate", "--step", "0.01", "--steps", "1000000000000", "--json", "--output", data, "--plot", plot]
            )
            time.sleep(0.7)
            shutil.rmtree(folder.of("a"))
            process.send_signal(signal.SIGINT)
            status, out, err = finish(process)
            # The signal's status says that the run is not whole; what is missing is said, too.
            assert status == 130, (status, err)
            assert json.loads(out)["status"] == "cancelled"
            assert "does not exist" in err and "cancelled by SIGINT" in err, err
            assert os.path.exists(plot) and not os.path.exists(folder.of("a"))


def check_read_only_folder():
    if os.geteuid() == 0:
        return  # may write everywhere
    with Folder() as folder:
        process = folder.start(
            ["run", "skate", "--step", "0.01", "--steps", "2000000", "--native", "off", "--json"]
            + ["--output", "a/run.csv", "--plot", "b/p.svg"]
        )
        time.sleep(0.1)
        os.chmod(folder.of("a"), 0o500)
        status, out, err = finish(process)
        os.chmod(folder.of("a"), 0o700)
        assert status in (74, 2) and os.listdir(folder.of("a")) == [], (status, err)
        if status == 74:
            assert json.loads(out)["status"] == "done" and os.path.exists(folder.of("b", "p.svg"))


def check_stopped():
    """A run that stopped early keeps its own status."""
    with Folder() as folder:
        with open(folder.of("m.toml"), "w") as file:
            file.write('coordinates = ["x"]\n[lagrangian]\nkinetic = "x\'^2/2"\npotential = "-exp(x)"\n')
        status, out, err = finish(
            folder.start(["run", "m.toml", "--step", "0.001", "--until", "10", "--json", "--output", "a/run.csv"], 2000)
        )
        assert status == 3 and json.loads(out)["status"] == "stopped", (status, err)
        assert "cannot write" in err and "stopped at t" in err, err


def check_other_verbs():
    with Folder() as folder:
        for arguments in (
            ["ensemble", "skate", "--vary", "theta=0:1:5", "--until", "10", "--output", "a/e.csv"],
            ["ensemble", "skate", "--vary", "theta=0:1:5", "--until", "10", "--output", "a/e.h5"],
            ["ensemble", "skate", "--vary", "theta=0:1:5", "--until", "10", "--members", "a/m.csv"],
            ["ensemble", "skate", "--vary", "theta=0:1:5", "--until", "10", "--members", "a/m.h5"],
            ["ensemble", "skate", "--vary", "theta=0:1:5", "--until", "10", "--members", "a/k.h5", "--keep-trajectories"],
            ["ensemble", "skate", "--vary", "theta=0:1:5", "--until", "10", "--plot", "a/e.svg"],
            ["section", "contact-oscillator", "--where", "y'", "--crossings", "50", "--output", "a/s.csv"],
            ["order", "skate", "--methods", "spark-gauss:2", "--step-list", "0.1,0.05", "--until", "1"]
            + ["--plot", "a/o.svg"],
            ["compare", "skate", "--methods", "spark-gauss:2", "--step", "0.1", "--until", "1", "--plot", "a/c.svg"],
        ):
            status, out, err = finish(folder.start(arguments, 500))
            assert status == 74 and out != "" and "cannot write" in err, (arguments, status, out, err)
            assert os.listdir(folder.of("a")) == []
        status, out, err = finish(folder.start(["generate", "skate", "--output", "a/s.hpp"], 500))
        assert status == 74 and out == "" and "cannot write" in err, (status, out, err)
        status, out, err = finish(folder.start(["reproduce", "H-3.4", "--short", "--output", "a/redone"], 500))
        assert status == 74 and "H-3.4" in out and "cannot write" in err, (status, out, err)
        assert folder.temporaries() == []


for check in (
    check_size_limit, check_everything_fails, check_removed_folder, check_read_only_folder, check_stopped,
    check_other_verbs,
):
    began = time.monotonic()
    check()
    print(f"{check.__name__}: {time.monotonic() - began:.1f} s")
