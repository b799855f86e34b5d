"""Under mpirun an ensemble is shared out over processes: the same bits, one voice, no process left waiting."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

BINARY = os.environ["RATTLEBACK_BINARY"]
MODULE = os.path.join(os.path.dirname(BINARY), "rattleback_mpi.so")
ESCAPING = """coordinates = ["x"]
[lagrangian]
kinetic = "x'^2/2"
potential = "-exp(x)"
"""


def run(processes, arguments, folder, program=BINARY):
    command = [program, "ensemble", *arguments]
    if processes > 1:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes), *command]
    environment = dict(os.environ, XDG_CACHE_HOME=folder, OMPI_MCA_btl_vader_single_copy_mechanism="none")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def without_times(text):
    report = json.loads(text)
    for key in ("wall_seconds", "threads"):
        del report[key]
    return report


def main():
    if shutil.which("mpirun") is None or not os.path.exists(MODULE):
        print("skipped: mpirun or rattleback_mpi.so is not there")
        return
    folder = tempfile.mkdtemp(prefix="rattleback_mpirun_")
    try:
        with open(os.path.join(folder, "escaping.toml"), "w") as file:
            file.write(ESCAPING)
        cases = [
            ["contact-oscillator", "--vary", "z0=-0.7:0.6:200", "--until", "20", "--every", "8"],
            ["double-pendulum", "--vary", "y2'=-3:5:70", "--method", "rattle", "--project", "--until", "3",
             "--output-columns", "y2'', x1*y2"],
            ["skate", "--vary", "g=0.9:1.1:7", "--until", "5"],
            ["escaping.toml", "--vary", "x=-8:0:21", "--step", "0.01", "--until", "4", "--method", "spark-gauss"],
        ]
        for arguments in cases:
            status, alone, _ = run(1, [*arguments, "--json", "--output", "alone.csv", "--members", "members.csv"], folder)
            assert status in (0, 3), (arguments, status)
            with open(os.path.join(folder, "alone.csv")) as file:
                alone_file = file.read()
            with open(os.path.join(folder, "members.csv")) as file:
                alone_members = file.read()
            for processes in (2, 3):
                files = ["--output", "shared.csv", "--members", "members.csv"]
                shared_status, shared, _ = run(processes, [*arguments, "--json", *files], folder)
                assert shared_status == status, (arguments, processes, shared_status)
                assert without_times(shared) == without_times(alone), (arguments, processes)
                with open(os.path.join(folder, "shared.csv")) as file:
                    assert file.read() == alone_file, (arguments, processes)
                with open(os.path.join(folder, "members.csv")) as file:
                    assert file.read() == alone_members, (arguments, processes)
                os.remove(os.path.join(folder, "shared.csv"))
            os.remove(os.path.join(folder, "alone.csv"))
        # A member that is refused, in the share of any process: its message once, and the exit status.
        for wrong in (["contact-oscillator", "--vary", "z0=0:3:300", "--until", "1"],
                      ["contact-oscillator", "--vary", "z0=0:3:3", "--until", "1"],
                      ["contact-oscillator", "--vary", "nothing=0:3:3"]):
            status, out, message = run(1, wrong, folder)
            assert (status, out) == (2, ""), wrong
            shared_status, shared_out, shared_message = run(3, wrong, folder)
            assert shared_status == 2 and shared_out == "", (wrong, shared_status)
            assert shared_message.count(message.strip()) == 1, (wrong, shared_message)
        # Records of all members are written by one process.
        kept = [*cases[2], "--members", "kept.h5", "--keep-trajectories"]
        status, out, message = run(2, kept, folder)
        assert status == 2 and "leave --keep-trajectories" in message, (status, message)
        assert not os.path.exists(os.path.join(folder, "kept.h5"))
        # Without the module the processes do not all write the same file.
        lonely = os.path.join(folder, "lonely")
        shutil.copy(BINARY, lonely)
        status, _, message = run(2, cases[0], folder, lonely)
        assert status == 2 and "built without MPI" in message, (status, message)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
