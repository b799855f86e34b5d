"""A checkpoint that cannot be written does not cost the run: limits of file sizes, folders that go away, full disks."""
import os
import resource
import shutil
import subprocess
import tempfile
import time

BINARY = os.path.abspath(os.environ["RATTLEBACK_BINARY"])


def run(folder, arguments, meanwhile=None, limit=None):
    def prepare():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    child = subprocess.Popen([BINARY, "run", "skate", "--step", "0.001", "--native", "off", *arguments], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=prepare)
    if meanwhile:
        meanwhile()
    out, err = child.communicate(timeout=300)
    return child.returncode, out, err


def resumes(folder, expected, arguments):
    status, _, err = run(folder, [*arguments, "--resume", "--output", "again.csv"])
    assert status == 0, (status, err)
    with open(os.path.join(folder, "again.csv"), "rb") as file:
        assert file.read() == expected


def wait_for(path):
    for _ in range(10_000):
        if os.path.exists(path):
            return
        time.sleep(0.003)
    raise AssertionError(path)


def main():
    root = tempfile.mkdtemp(prefix="rattleback_faults_")
    request = ["--steps", "4000000", "--every", "4000"]
    checkpoint = [*request, "--checkpoint", "in/c", "--checkpoint-seconds", "0.01"]
    try:
        os.mkdir(os.path.join(root, "in"))
        status, whole, _ = run(root, [*request, "--output", "whole.csv"])
        assert status == 0
        with open(os.path.join(root, "whole.csv"), "rb") as file:
            expected = file.read()

        # The limit is below what the records need, not below what the first checkpoints need.
        status, out, err = run(root, checkpoint, limit=40_000)
        assert status == 74, (status, err)
        assert "warning: checkpoint 'in/c' could not be written: File too large. The run goes on" in err, err
        assert err.count("warning:") == 1, err
        assert "State at t = 4000" in out, out
        assert sorted(os.listdir(os.path.join(root, "in"))) == ["c", "c.records"]
        resumes(root, expected, checkpoint)  # from the last one that was written

        # The folder goes away: everything else is written all the same.
        def remove():
            wait_for(os.path.join(root, "in", "c"))
            os.rename(os.path.join(root, "in"), os.path.join(root, "gone"))
        shutil.rmtree(os.path.join(root, "in"))
        os.mkdir(os.path.join(root, "in"))
        status, out, err = run(root, [*checkpoint, "--output", "out.csv"], remove)
        assert status == 74, (status, err)
        assert err.startswith("warning: checkpoint 'in/c' could not be written: No such file or directory"), err
        with open(os.path.join(root, "out.csv"), "rb") as file:
            assert file.read() == expected
        os.rename(os.path.join(root, "gone"), os.path.join(root, "in"))
        resumes(root, expected, checkpoint)

        # It comes back: a later checkpoint has everything, and nothing is wrong at the end.
        def away_and_back():
            remove()
            time.sleep(0.1)
            os.mkdir(os.path.join(root, "in"))
        shutil.rmtree(os.path.join(root, "in"))
        os.mkdir(os.path.join(root, "in"))
        status, out, err = run(root, checkpoint, away_and_back)
        assert status == 0, (status, err)
        shutil.rmtree(os.path.join(root, "gone"))
        resumes(root, expected, checkpoint)

        # A disk that is full, where one may be made.
        disk = os.path.join(root, "disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode == 0:
            try:
                status, out, err = run(root, [*request, "--checkpoint", "disk/c", "--checkpoint-seconds", "0.01"])
                assert status == 74, (status, err)
                assert "could not be written: No space left on device" in err, err
                resumed = [*request, "--checkpoint", "disk/c"]
                status, _, err = run(root, [*resumed, "--resume", "--output", "again.csv"])
                assert status == 74, (status, err)
                with open(os.path.join(root, "again.csv"), "rb") as file:
                    assert file.read() == expected
                assert not [x for x in os.listdir(disk) if x.startswith(".rattleback-")]
            finally:
                subprocess.run(["umount", disk], check=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
