#!/usr/bin/env python3
"""Draws docs/images/skate.svg, the picture of the README, from runs of the program.

    python3 docs/images/skate.py [PROGRAM, default build/rattleback] [PICTURE, default skate.svg beside this file]
"""

import csv
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
UNTIL = 1000.0
RUNS = [  # name in the picture, options, colour
    ("spark-lobatto-ab, 4 stages", ["--method", "spark-lobatto-ab", "--stages", "4"], "#0072b2"),
    ("ode (Dormand-Prince 5(4))", ["--method", "ode"], "#d55e00"),
    ("index1 (BDF)", ["--method", "index1"], "#8c6bb1"),
]
FLOOR = 1e-17  # what is smaller is drawn there


def trajectory(program, options, until):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.csv"
        command = [program, "run", "skate", "--step", "0.1", "--until", str(until), "--output", str(path)]
        subprocess.run(command + options, check=True, stdout=subprocess.DEVNULL)
        with open(path, newline="", encoding="utf-8") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def largest_so_far(rows, value, every=100):
    """(t, largest value up to t), one point for each `every` rows."""
    points, largest = [], 0.0
    for number, row in enumerate(rows):
        largest = max(largest, value(row))
        if number > 0 and number % every == 0:
            points.append((row["t"], max(largest, FLOOR)))
    return points


class Picture:
    def __init__(self, width, height):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#333">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
        ]

    def line(self, points, colour, width=1.5, extra=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" {extra}/>')

    def text(self, x, y, words, anchor="start", extra=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{words}</text>')

    def save(self, path):
        path.write_text("\n".join(self.parts + ["</svg>"]) + "\n", encoding="utf-8")


def draw_path(picture, rows, left, top, scale):
    """The plane falls towards +x, which is drawn downwards; y goes to the right."""

    def place(x, y):
        return left + scale * y, top + scale * x

    picture.line([place(r["x"], r["y"]) for r in rows], "#0072b2", 1.5)
    for row in rows[::4]:  # the blade
        dx, dy = 0.045 * math.cos(row["theta"]), 0.045 * math.sin(row["theta"])
        blade = [place(row["x"] + s * dx, row["y"] + s * dy) for s in (-1, 1)]
        picture.line(blade, "#333", 2.5, 'stroke-linecap="round"')


def draw_panel(picture, title, curves, left, top, width, height, decades):
    low, high = decades

    def place(t, value):
        return left + width * t / UNTIL, top + height * (high - math.log10(value)) / (high - low)

    picture.text(left, top - 12, title, extra='font-weight="bold"')
    for decade in range(low, high + 1, 4):
        y = place(0, 10.0**decade)[1]
        picture.line([(left, y), (left + width, y)], "#ddd", 1)
        picture.text(left - 6, y + 4, f'10<tspan dy="-4" font-size="9">{decade}</tspan>', "end")
    for t in (0, 250, 500, 750, 1000):
        picture.text(place(t, 1)[0], top + height + 16, f"{t}", "middle")
    picture.text(left + width / 2, top + height + 32, "time", "middle")
    for name, colour, points in curves:
        picture.line([place(t, value) for t, value in points], colour, 2)
        x, y = place(UNTIL * 0.98, points[-1][1])
        picture.text(x, y - 7, name, "end", f'fill="{colour}"')


def main(program, target):
    picture = Picture(860, 420)
    picture.text(40, 28, "A spinning skate on an incline does not slide down: its path is a cycloid", extra='font-weight="bold"')
    draw_path(picture, trajectory(program, RUNS[0][1], 12.0), 40, 50, 130)
    runs = [(name, colour, trajectory(program, options, UNTIL)) for name, options, colour in RUNS]
    slip, energy = [], []
    for name, colour, rows in runs:
        start = rows[0]["energy"]
        slip.append((name, colour, largest_so_far(rows, lambda r: r["residual.velocity"])))
        energy.append((name, colour, largest_so_far(rows, lambda r: abs(r["energy"] - start))))
    draw_panel(picture, "Slip across the blade, largest so far", slip, 70, 180, 340, 180, (-18, -2))
    draw_panel(picture, "Energy error, largest so far", energy, 500, 180, 340, 180, (-14, -2))
    picture.save(target)


if __name__ == "__main__":
    main(
        sys.argv[1] if len(sys.argv) > 1 else str(HERE.parents[1] / "build" / "rattleback"),
        pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HERE / "skate.svg",
    )
