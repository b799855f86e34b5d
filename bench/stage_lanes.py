#!/usr/bin/env python3
"""Instructions per step of native steps without and with stages in lanes, counted by callgrind: they do not depend on load.

    bench/stage_lanes.py [--build FOLDER] [--only TEXT]    prints them
    bench/stage_lanes.py --check                           exit 1 when lanes give less than they should in one of the cases

Exits 77 without valgrind or without the program.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 2000  # of bench_stage_lanes --once
SKIPPED = 77


def skip(reason):
    print("skipped: " + reason)
    sys.exit(SKIPPED)


def count(program, case, way):
    """Instructions inside PlanStepper::advance(), callees included, per step."""
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         "--toggle-collect=rattleback::PlanStepper::advance(double, long)", program, "--once", case, way],
        capture_output=True, text=True, env={**os.environ, "RATTLEBACK_MARCH": "x86-64-v3"})  # valgrind knows it
    found = re.search(r"Collected\s*:\s*(\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{case}, {way}: callgrind failed\n{run.stderr[-2000:]}")
    return int(found.group(1)) / STEPS


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    options.add_argument("--check", action="store_true")
    options.add_argument("--only", default="", help="cases whose name contains this")
    asked = options.parse_args()
    program = os.path.join(asked.build, "bench_stage_lanes")
    if shutil.which("valgrind") is None:
        skip("valgrind is not installed")
    if not os.path.exists(program):
        skip(f"{program} is not built: cmake --build {asked.build} --target bench_stage_lanes")
    missed = []
    print(f"{'case':<42} {'without':>10} {'with':>10} {'ratio':>7} {'at most':>8}")
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        case, most = line.split("\t")
        if asked.only not in case or (asked.check and float(most) >= 1.0):
            continue
        without, lanes = count(program, case, "without"), count(program, case, "with")
        ratio = lanes / without
        if ratio > float(most):
            missed.append(f"{case}: {ratio:.2f}, at most {most}")
        print(f"{case:<42} {without:>10.0f} {lanes:>10.0f} {ratio:>7.2f} {most:>8}", flush=True)
    if asked.check and missed:
        print("stages in lanes give less than they should:\n  " + "\n  ".join(missed))
        sys.exit(1)


main()
