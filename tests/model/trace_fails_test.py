#!/usr/bin/env python3
"""A member of a C++ model that says something else than its name promises does not compile, and the compiler says why.

Each case is a class; the message of the compiler must contain the text beside it ("": it compiles)."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RATTLEBACK_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
COMPILER = next(filter(None, (shutil.which(c) for c in (os.environ.get("CXX", ""), "c++", "g++", "clang++"))))

L = "template <class T> T lagrangian(const T&, V<T>, V<T> v) const { return v[0] * v[0]; }\n"
H = "template <class T> std::vector<T> "
CASES = {
    "a model": (L, ""),
    "all arguments": (
        "template <class T> T lagrangian(const T&, V<T>, V<T> v, const Parameters<T>& p) const { return p[0] * v[0]; }\n"
        + H + "holonomic(const T&, V<T> q, const Parameters<T>& p) const { return {q[0] - p[0]}; }\n"
        + H + "nonholonomic(const T&, V<T>, V<T> v, const Parameters<T>&) const { return {v[0]}; }\n"
        + H + "forces(const T&, V<T>, V<T>, const Parameters<T>& p, const Inputs<T>& u, V<T> l) const"
        " { return {u[0] * p[0] + l[0]}; }\n", ""),
    "arrays": (L + "template <class T> std::array<T, 1> holonomic(const T&, V<T> q) const { return {q[0]}; }", ""),
    "helpers and data": (L + "double force = 1, constraints = 2;\n"
                         "template <class T> T kinetic_energy(V<T> v) const { return v[0]; }\n"
                         "template <class T> T potential(V<T> q) const { return q[0]; }", ""),
    "no Lagrangian": ("int a = 0;", "a model has a member `lagrangian`, or `kinetic` and `potential`"),
    "a Lagrangian that is not const": (
        "template <class T> T lagrangian(const T&, V<T>, V<T> v) { return v[0]; }", "lagrangian must be: template"),
    "a Lagrangian of other arguments": (
        "template <class T> T lagrangian(V<T>, V<T> v) const { return v[0]; }", "lagrangian must be: template"),
    "constraints that are not const": (
        L + H + "holonomic(const T&, V<T> q) { return {q[0]}; }", "holonomic must be: template"),
    "constraints of velocities": (
        L + H + "holonomic(const T&, V<T> q, V<T>) const { return {q[0]}; }", "holonomic must be: template"),
    "one constraint as a number": (
        L + "template <class T> T holonomic(const T&, V<T> q) const { return q[0]; }", "holonomic must be: template"),
    "constraints of numbers": (
        L + "std::vector<double> nonholonomic(double, std::span<const double>, std::span<const double>) const"
        " { return {}; }", "nonholonomic must be: template"),
    "overloads": (L + "double holonomic(int) const { return 1; } double holonomic(double) const { return 2; }",
                  "holonomic must be: template"),
    "parameters as a span": (L + H + "forces(const T&, V<T>, V<T>, V<T> p) const { return {p[0]}; }",
                             "forces must be: template"),
    "inputs before parameters": (
        L + H + "forces(const T&, V<T>, V<T>, const Inputs<T>& u) const { return {u[0]}; }",
        "forces must be: template"),
    "a potential of velocities": (
        "template <class T> T kinetic(const T&, V<T>, V<T> v) const { return v[0]; }\n"
        "template <class T> T potential(const T&, V<T>, V<T> v) const { return v[0]; }", "potential must be: template"),
    "a known solution of the state": (
        L + "template <class T> T exact(const T&, V<T> q) const { return q[0]; }", "exact must be: template"),
    "starts without names": (
        L + H + "initial(const Parameters<T>& p) const { return {p[0]}; }", "initial must be: template"),
    "Lagrangian": ("template <class T> T Lagrangian(const T&, V<T>, V<T> v) const { return v[0]; }",
                   "this member is called `lagrangian`"),
    "kinetic_energy": ("template <class T> T kinetic_energy(const T&, V<T>, V<T> v) const { return v[0]; }",
                       "this member is called `kinetic`"),
    "constraints": (L + H + "constraints(const T&, V<T> q) const { return {q[0]}; }",
                    "constraints are members `holonomic`"),
    "holonomic_constraints": (L + H + "holonomic_constraints(const T&, V<T> q) const { return {q[0]}; }",
                              "this member is called `holonomic`"),
    "non_holonomic": (L + H + "non_holonomic(const T&, V<T>, V<T> v) const { return {v[0]}; }",
                      "this member is called `nonholonomic`"),
    "force": (L + H + "force(const T&, V<T>, V<T> v) const { return {v[0]}; }", "this member is called `forces`"),
    "dissipation": (L + "template <class T> T dissipation(const T&, V<T>, V<T> v) const { return v[0]; }",
                    "this member is called `rayleigh`"),
}

HEAD = """#include <array>
#include <rattleback/rattleback.hpp>
using rattleback::Inputs;
using rattleback::Parameters;
template <class T> using V = std::span<const T>;
"""
CLASS = """namespace case_%d {
struct System {
%s};
rattleback::Model model() { return rattleback::trace(System{}, {.name = "m", .coordinates = {"x"}}); }
}
"""


def compiled(folder, cases):
    """What the compiler says about all these classes, error by error; its notes name the class that each is about."""
    source = pathlib.Path(folder) / "model.cpp"
    source.write_text(HEAD + "".join(CLASS % (number, members) for number, (members, _) in cases), encoding="utf-8")
    limit = "-ferror-limit=0" if "clang" in COMPILER else "-fmax-errors=0"
    done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", limit, f"-I{ROOT / 'include'}", source],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return re.split(r"(?=^[^\n]*error: )", done.stdout.decode("utf-8", "replace"), flags=re.MULTILINE)


def main():
    faults = []
    cases = list(enumerate(CASES.values()))
    with tempfile.TemporaryDirectory() as folder:
        right = compiled(folder, [case for case in cases if case[1][1] == ""])
        if any("error: " in text for text in right):
            faults.append("these should compile:\n" + "".join(right)[:3000])
        wrong = compiled(folder, [case for case in cases if case[1][1] != ""])
        for (number, (_, expected)), title in zip(cases, CASES):
            if expected and not any(f"case_{number}::" in text and expected in text for text in wrong):
                faults.append(f"{title}: nothing says '{expected}'")
        others = [text for text in wrong if "error: " in text and not re.search(r"static[ _]assert", text)]
        faults += ["this is no assertion:\n" + text[:500] for text in others]
    print("\n".join(faults) or f"{len(CASES)} classes compile, or do not, as they should")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
