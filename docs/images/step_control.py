#!/usr/bin/env python3
"""Draws docs/images/step_control.svg, the picture of docs/theory/step-control.md, from runs of the program.

    python3 docs/images/step_control.py [PROGRAM, default build/rattleback] [PICTURE, default step_control.svg beside this]
"""

import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from skate import Picture

HERE = pathlib.Path(__file__).resolve().parent
KEPLER = """
name = "Kepler orbit in a plane"
coordinates = ["x", "y", "z"]
[parameters]
e = 0.8
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "-1/sqrt(x^2 + y^2 + z^2)"
[constraints.holonomic]
plane = "0.6*y - 0.8*z"
[initial]
x = "1 - e"
"y'" = "0.8*sqrt((1 + e)/(1 - e))"
"z'" = "0.6*sqrt((1 + e)/(1 - e))"
"""
COLOURS = {"reversible": "#0072b2", "pi": "#d55e00"}


def energy_error(program, system, options, controller):
    """(points (t, largest energy error so far), number of steps)"""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "kepler.toml"
        model.write_text(KEPLER, encoding="utf-8")
        path = pathlib.Path(folder) / "run.csv"
        command = [program, "run", str(model) if system == "kepler" else system, "--json", "--output", str(path)]
        done = subprocess.run(command + options + ["--controller", controller], check=True, capture_output=True)
        report = json.loads(done.stdout)
        with open(path, newline="", encoding="utf-8") as file:
            rows = [(float(row["t"]), float(row["energy"])) for row in csv.DictReader(file)]
    points, largest = [], 0.0
    every = max(1, len(rows) // 500)
    for number, (t, energy) in enumerate(rows):
        largest = max(largest, abs(energy - rows[0][1]))
        if number % every == 0 and largest > 0:
            points.append((t, largest))
    return points, report["steps"]


def draw_panel(picture, title, curves, left, top, width, height, decades, until):
    low, high = decades

    def place(t, value):
        value = min(max(value, 10.0**low), 10.0**high)
        return left + width * t / until, top + height * (high - math.log10(value)) / (high - low)

    picture.text(left, top - 12, title, extra='font-weight="bold"')
    for decade in range(low, high + 1):
        y = place(0, 10.0**decade)[1]
        picture.line([(left, y), (left + width, y)], "#ddd", 1)
        picture.text(left - 6, y + 4, f'10<tspan dy="-4" font-size="9">{decade}</tspan>', "end")
    for part in (0, 0.25, 0.5, 0.75, 1):
        picture.text(left + width * part, top + height + 16, f"{part * until:.0f}", "middle")
    picture.text(left + width / 2, top + height + 32, "time", "middle")
    for controller, (points, steps) in curves.items():
        picture.line([place(t, value) for t, value in points], COLOURS[controller], 2)
        x, y = place(until * 0.98, points[-1][1])
        label = f"{controller}, {steps // 1000} 000 steps"
        picture.text(x, y - 7, label, "end", f'fill="{COLOURS[controller]}"')


def main(program, target):
    picture = Picture(860, 330)
    picture.text(40, 28, "Energy error, largest so far, with the two controllers", extra='font-weight="bold"')
    for (system, title, options, until, decades), left in zip(CASES, (70, 500)):
        options = METHOD + options + ["--until", str(until)]
        curves = {c: energy_error(program, system, options, c) for c in COLOURS}
        draw_panel(picture, title, curves, left, 80, 330, 190, decades, until)
    picture.save(target)


METHOD = ["--formulation", "index2", "--method", "spark-gauss", "--stages", "2"]
CASES = [
    ("kepler", "Kepler orbit, eccentricity 0.8", ["--adaptive", "1e-6"], 16000, (-6, 0)),
    ("double-pendulum", "Double pendulum", ["--adaptive", "1e-5"], 3500, (-5, 1)),
]

if __name__ == "__main__":
    main(
        sys.argv[1] if len(sys.argv) > 1 else str(HERE.parents[1] / "build" / "rattleback"),
        pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HERE / "step_control.svg",
    )
