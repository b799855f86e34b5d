#!/usr/bin/env python3
"""Generated headers look after a state, parameters and inputs that a program changes between calls.

Each case generates a header, compiles a program with it and runs it; the program says what is wrong."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RATTLEBACK_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BINARY = os.environ.get("RATTLEBACK_BINARY", str(ROOT / "build" / "rattleback"))
COMPILER = next(filter(None, (shutil.which(c) for c in (os.environ.get("CXX", ""), "c++", "g++", "clang++"))))

PORT = """coordinates = ["x"]
[parameters]
k = 2.0
[lagrangian]
kinetic = "x'^2/2"
potential = "k*x^4/4"
[ports.motor]
along = { x = "1 + x^2" }
[initial]
x = 1
"""
OSCILLATOR = """coordinates = ["x"]
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
x = 1
"""

ANGLE = """coordinates = ["theta"]
angles = ["theta"]
[lagrangian]
kinetic = "theta'^2/2"
potential = "-cos(theta)"
[initial]
theta = 1
"""

BLADE = """coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[constraints.nonholonomic]
blade = "y' - x*x'"
[ports.push]
along = { y = "1" }
[initial]
"x'" = 1
"""

HEAD = """#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include "steps.hpp"
int faults = 0;
#define EXPECT(condition) if (!(condition)) { ++faults; std::printf("line %d: not so: %s\\n", __LINE__, #condition); }
int main() {
"""
TAIL = "\nreturn faults; }\n"

# title: system (or the text of one), options, program
CASES = {
    "what is no step is refused": ("skate", ["--method", "spark-gauss", "--stages", "2"], """
  Steps motion, before = motion;
  for (const double h : {std::numeric_limits<double>::quiet_NaN(), 0.0, HUGE_VAL}) {
    const auto end = motion.advance(h, 1);
    EXPECT(!end.ok && end.done == 0 && std::strlen(end.reason) > 20);
    EXPECT(motion.t() == 0.0 && motion.q == before.q && motion.v == before.v);
  }
  EXPECT(motion.advance(0.1, 3).ok && before.advance(0.1, 3).ok && motion.q == before.q);"""),

    # x = cos t: restart() between all steps, with an unchanged state, keeps the order of the positions.
    "a two-step method goes on after restart()": (OSCILLATOR, ["--method", "cortes-martinez"], """
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    Steps motion;
    const int steps = k == 0 ? 100 : 200;
    for (int i = 0; i < steps; ++i) {
      EXPECT(motion.advance(2.0 / steps, 1).ok);
      motion.restart(motion.t());
    }
    errors[k] = std::fabs(motion.q[0] - std::cos(2.0));
  }
  EXPECT(errors[0] < 1e-4 && errors[0] > 3.5 * errors[1]);
  Steps motion, anew;
  EXPECT(motion.advance(0.1, 5).ok);
  const auto q = motion.q;
  motion.v[0] += 0.1;
  const auto end = motion.advance(0.1, 1);
  EXPECT(!end.ok && std::string(end.reason).find("restart()") != std::string::npos && motion.q == q);
  motion.q[0] = 1.0;
  motion.v[0] = 0.0;
  motion.restart();  // the start once more
  EXPECT(motion.advance(0.1, 7).ok && anew.advance(0.1, 7).ok && std::fabs(motion.q[0] - anew.q[0]) < 1e-14);"""),

    "a changed state is noticed": ("double-pendulum", ["--method", "prk-lobatto", "--stages", "3"], """
  // Away to the start of another motion, and back: the same as a new motion, to rounding.
  Steps motion, anew;
  EXPECT(motion.advance(0.01, 300).ok);
  motion.q = anew.q;
  motion.v = anew.v;
  EXPECT(motion.advance(0.01, 100).ok && anew.advance(0.01, 100).ok);
  for (std::size_t i = 0; i < motion.q.size(); ++i) EXPECT(std::fabs(motion.q[i] - anew.q[i]) < 1e-11);
  EXPECT(motion.position_residual() < 1e-13);
  // Small changes after every step, along the constraints: no cold starts. A cold one takes several iterations more.
  Steps pushed, alone;
  for (int i = 0; i < 500; ++i) {
    for (double& x : pushed.v) x *= 1.0 - 1e-5;
    EXPECT(pushed.advance(0.01, 1).ok);
  }
  EXPECT(alone.advance(0.01, 500).ok);
  std::printf("iterations: %lld pushed, %lld alone\\n", (long long)pushed.iterations, (long long)alone.iterations);
  EXPECT(pushed.iterations < 2 * alone.iterations);"""),

    "inputs and parameters are members": (PORT, ["--method", "spark-gauss", "--stages", "2"], """
  Steps motion, mirrored;
  EXPECT(motion.inputs.motor == 0.0 && motion.parameters.k == 2.0);
  mirrored.q[0] = -1.0;  // the mirrored motion has the mirrored input
  for (int i = 0; i < 200; ++i) {
    motion.inputs.motor = i % 50 < 25 ? 0.7 : -0.4;
    mirrored.inputs.motor = -motion.inputs.motor;
    motion.parameters.k = mirrored.parameters.k = 2.0 + 0.001 * i;
    EXPECT(motion.advance(0.01, 1).ok && mirrored.advance(0.01, 1).ok);
    EXPECT(std::fabs(motion.q[0] + mirrored.q[0]) < 1e-12);
  }
  // From rest at x = 1 without a spring, with u: x'' = u (1 + x^2).
  Steps fine, coarse;
  for (Steps* s : {&fine, &coarse}) s->inputs.motor = 0.5;
  EXPECT(fine.advance(0.0125, 80).ok && coarse.advance(0.025, 40).ok);
  EXPECT(fine.q[0] != 1.0 && std::fabs(fine.q[0] - coarse.q[0]) < 1e-6);"""),

    "the energy to be kept is that of a changed state": ("quartic-reduced", ["--method", "dg-gonzalez"], """
  Steps motion;
  EXPECT(motion.advance(0.05, 20).ok);
  for (double& x : motion.q) x *= 1.25;
  const double energy = motion.energy();
  EXPECT(std::fabs(energy - motion.reference_energy) > 1e-3);
  EXPECT(motion.advance(0.05, 20).ok);
  EXPECT(std::fabs(motion.energy() - energy) < 1e-12 * std::fabs(energy));"""),

    "multipliers that are carried jump with inputs": (BLADE, ["--method", "rk-lobatto-iiia", "--stages", "3"], """
  // What the recursion of the method carries would never forget the old force.
  Steps motion, held;
  motion.inputs.push = 3.0;
  EXPECT(motion.advance(0.01, 10).ok);
  held.inputs.push = 3.0;
  EXPECT(held.find_multipliers() && held.advance(0.01, 10).ok);
  EXPECT(motion.q == held.q && motion.v == held.v && motion.carried == held.carried);
  const auto lambda = motion.lambda;
  EXPECT(motion.find_multipliers() && std::fabs(motion.lambda[0] - lambda[0]) < 1e-3);"""),

    "an angle may be set beyond a turn": (ANGLE, ["--method", "spark-gauss", "--stages", "2"], """
  Steps motion, turned;
  turned.q[0] += 8 * std::atan(1.0);
  EXPECT(motion.advance(0.01, 50).ok && turned.advance(0.01, 50).ok);
  EXPECT(std::fabs(motion.q[0] - turned.q[0]) < 1e-12 && turned.turns[0] == motion.turns[0] + 1);"""),
}


def main():
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for title, (system, options, program) in CASES.items():
            if "\n" in system:
                (pathlib.Path(folder) / "model.toml").write_text(system, encoding="utf-8")
                system = "model.toml"
            (pathlib.Path(folder) / "main.cpp").write_text(HEAD + program + TAIL, encoding="utf-8")
            for command in ([BINARY, "generate", system, *options, "--step", "0.01", "--name", "Steps", "--output", "steps.hpp"],
                            [COMPILER, "-std=gnu++20", "-O1", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main"],
                            ["./main"]):
                done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                if done.returncode != 0:
                    print(f"{title}: {command[0]} ends with {done.returncode}\n{done.stdout.decode()[:3000]}")
                    faults += 1
                    break
                print(done.stdout.decode(), end="")
    print(f"{len(CASES)} programs, {faults} of them with faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
