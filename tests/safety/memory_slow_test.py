"""Memory: what does not fit is refused at once, and what runs out on the way keeps what there is. Limits of the address space
do not work under sanitizers, hence the name of this file."""
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time

BINARY = os.environ["RATTLEBACK_BINARY"]
MB = 1 << 20
FOLDER = tempfile.mkdtemp(prefix="rattleback_memory_")
ENVIRONMENT = dict(os.environ, TMPDIR=FOLDER, XDG_CACHE_HOME=os.path.join(FOLDER, "cache"))


def run(arguments, megabytes=None, stack=None):
    def limit():
        if stack is not None:
            resource.setrlimit(resource.RLIMIT_STACK, (stack * MB, stack * MB))
        if megabytes is not None:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes * MB, megabytes * MB))

    done = subprocess.run(
        [BINARY, *arguments], cwd=FOLDER, env=ENVIRONMENT, capture_output=True, text=True, timeout=200, preexec_fn=limit
    )
    assert done.returncode in (0, 2, 3, 74), (arguments, megabytes, done.returncode, done.stderr)
    assert done.returncode == 0 or done.stderr.strip(), (arguments, megabytes, "no message")
    return done.returncode, done.stdout, done.stderr


def rows_of(name):
    with open(os.path.join(FOLDER, name)) as file:
        text = file.read()
    assert text.endswith("\n")
    lines = text.splitlines()
    assert len({line.count(",") for line in lines}) == 1
    return lines


def check_refused_at_once():
    began = time.monotonic()
    status, out, err = run(["run", "skate", "--every", "1", "--steps", "1000000000000"])
    assert status == 2 and out == "" and "88 TB" in err and "Pass --every" in err, (status, err)
    assert time.monotonic() - began < 2.0
    status, _, err = run(["run", "skate", "--step", "0.1", "--until", "1e7", "--output-every", "0.2"], 300)
    assert status == 2 and "Pass --output-every" in err, (status, err)
    # What is suggested works.
    long = ["run", "skate", "--step", "0.1", "--steps", "5000000", "--json"]
    status, _, err = run([*long, "--every", "1"], 300)
    assert status == 2, (status, err)
    every = err.split("Pass --every ")[1].split()[0]
    status, out, err = run([*long, "--every", every], 300)
    assert status == 0, (status, err)


def check_thinned_by_default():
    status, out, err = run(["run", "skate", "--step", "0.1", "--steps", "1000000", "--json"], 90)
    assert status == 0, (status, err)
    assert any("so that the records fit into" in note for note in json.loads(out)["notes"]), out


def check_ends_on_the_way():
    """How many adaptive steps there will be is not known before."""
    request = ["run", "pendulum", "--adaptive", "1e-4", "--every", "1", "--json"]
    more = ["--output", "part.csv", "--plot", "part.svg", "--report", "part.html"]
    status, out, err = run([*request, "--until", "1e7", *more], 80)
    result = json.loads(out)
    assert status == 3 and result["status"] == "stopped", (status, err)
    assert "there is no memory for more than" in result["message"], result["message"]
    part = rows_of("part.csv")
    assert len(part) > 10_000, len(part)
    for name in more[1::2]:
        assert os.path.getsize(os.path.join(FOLDER, name)) > 0
    status, _, err = run([*request, "--until", "500", "--output", "whole.csv"])
    assert status == 0, err
    whole = rows_of("whole.csv")[:-2]  # the last step is cut to end at t
    assert len(whole) > 1000 and part[: len(whole)] == whole
    status, out, err = run(
        ["run", "pendulum", "--step", "0.1", "--until", "1e8", "--every", "1000000", "--event", "sin(30*t)", "--json"], 70
    )
    assert status == 3 and "zeros of events" in json.loads(out)["message"], (status, err)


def check_any_limit():
    """Whatever the limit is, there is an exit status of ours and a message; what is written is whole."""
    outputs = ["--output", "any.csv", "--plot", "any.svg", "--report", "any.html"]
    outcomes = set()
    for megabytes in list(range(36, 100, 6)):
        for name in outputs[1::2]:
            if os.path.exists(os.path.join(FOLDER, name)):
                os.remove(os.path.join(FOLDER, name))
        try:
            status, out, _ = run(
                ["run", "skate", "--step", "0.1", "--steps", "150000", "--every", "1", "--json", *outputs], megabytes
            )
        except AssertionError as failure:
            if "error while loading shared libraries" in str(failure):
                continue  # the program did not begin
            raise
        outcomes.add(status)
        if status in (0, 3) and os.path.exists(os.path.join(FOLDER, "any.csv")):
            rows_of("any.csv")
        if status != 2:
            assert json.loads(out)["status"] in ("done", "stopped")
    assert 0 in outcomes and len(outcomes) > 1, outcomes


def without_times(text):
    report = json.loads(text)
    for key in ("wall_seconds", "threads", "notes"):
        report.pop(key, None)
    return report


def check_ensemble():
    members = ["ensemble", "contact-oscillator", "--vary", "z0=-0.5:0.5:48", "--step", "0.1"]
    request = [*members, "--until", "10000"]
    status, free, err = run([*request, "--threads", "2", "--json"])
    assert status == 0, err
    for megabytes in (90, 110, 200):
        status, out, err = run([*request, "--threads", "2", "--json"], megabytes)
        assert status in (0, 2, 3), (megabytes, status, err)
        if status == 3:  # the first members
            part = json.loads(out)
            assert part["status"] == "stopped" and "there was no memory for more than" in part["message"], err
            assert 0 < part["members"] < 48, part["members"]
        if status == 0:
            expected = without_times(free)
            if "over_time" not in json.loads(out):  # a long list may be left out, with a note
                assert "no memory to list" in out
                del expected["over_time"]
            assert without_times(out) == expected, megabytes
    status, _, err = run([*members, "--every", "1", "--until", "4e9"])
    assert status == 2 and "Pass --every" in err, (status, err)


def check_kept_trajectories():
    """Records of all members take 265 MB, and the program has 200 MB for everything."""
    request = ["ensemble", "contact-oscillator", "--vary", "z0=-0.5:0.5:3000", "--step", "0.1", "--until", "100"]
    status, _, err = run([*request, "--threads", "2", "--members", "kept.h5", "--keep-trajectories"], 200)
    assert status == 0, err
    path = os.path.join(FOLDER, "kept.h5")
    assert os.path.getsize(path) > 250 * MB, os.path.getsize(path)
    os.remove(path)


def check_threads_that_cannot_be_had():
    """A thread wants a stack of 2 GB, and 1 GB is there."""
    for verb, more in (
        ("ensemble", ["skate", "--vary", "theta=0:1:64", "--until", "10"]),
        ("section", ["contact-oscillator", "--where", "y'", "--crossings", "5", "--vary", "z0=-0.5:0.5:5"]),
    ):
        request = [verb, *more, "--threads", "3", "--json"]
        status, free, err = run(request)
        assert status == 0, err
        status, out, err = run(request, 1024, 2048)
        assert status == 0, (status, err)
        assert without_times(out) == without_times(free)
        assert any("1 of 3 threads could be had" in note for note in json.loads(out)["notes"]), out
    status, out, err = run(["reproduce", "H-3.4", "--short", "--check", "--threads", "3"], 1024, 2048)
    assert status == 0 and "threads could be had" in out, (status, out, err)


try:
    for check in (
        check_refused_at_once, check_thinned_by_default, check_ends_on_the_way, check_any_limit, check_ensemble,
        check_kept_trajectories,
        check_threads_that_cannot_be_had,
    ):
        begin = time.monotonic()
        check()
        print(f"{check.__name__}: {time.monotonic() - begin:.1f} s")
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
