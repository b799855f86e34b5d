#!/usr/bin/env python3
"""scipy's DOP853 and Radau on the problems of bench_work_precision that are short enough to write down here: microseconds for
an error, as that program prints them. Needs python3-scipy; without it there is a message and nothing else.

    scipy_peers.py [--quick]
"""

import math
import sys
import time

try:
    import numpy
    from scipy.integrate import solve_ivp
except ImportError:
    print("scipy is left out: it is not installed (python3-scipy)")
    sys.exit(0)

TARGETS = [1e-4, 1e-6, 1e-8, 1e-10]


def double_pendulum(t, y):
    """Two masses on rods; acceleration and multipliers from K M^-1 K^T."""
    x1, y1, x2, y2, u1, w1, u2, w2 = y
    m1, m2, g = 3.0, 1.0, 9.81
    dx, dy, du, dw = x2 - x1, y2 - y1, u2 - u1, w2 - w1
    a11 = (x1 * x1 + y1 * y1) / m1
    a12 = -(x1 * dx + y1 * dy) / m1
    a22 = (dx * dx + dy * dy) * (1.0 / m1 + 1.0 / m2)
    r1 = u1 * u1 + w1 * w1 - g * y1
    r2 = du * du + dw * dw
    det = a11 * a22 - a12 * a12
    l1, l2 = (r1 * a22 - r2 * a12) / det, (a11 * r2 - a12 * r1) / det
    return (u1, w1, u2, w2,
            (-x1 * l1 + dx * l2) / m1, -g + (-y1 * l1 + dy * l2) / m1, -dx * l2 / m2, -g - dy * l2 / m2)


def contact_oscillator(t, y):
    """x' + y z' = 0 with the potential (x^2 + y^2 + z^2 + eps x^2 z^2)/2, eps = 0.3."""
    x, b, z, vx, vb, vz = y
    eps = 0.3
    fx, fz = -x * (1.0 + eps * z * z), -z * (1.0 + eps * x * x)
    multiplier = (fx + b * fz + vb * vz) / (1.0 + b * b)
    return vx, vb, vz, fx - multiplier, -b, fz - b * multiplier


PROBLEMS = [
    ("double-pendulum, t = 10", double_pendulum, [1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0], 10.0),
    ("contact-oscillator, t = 100", contact_oscillator,
     [math.sqrt((3.0 - 0.16 - 1.0) / (1.0 + 0.3 * 0.16)), 1.0, -0.4, 0.0, 0.0, 0.0], 100.0),
]


def run(problem, method, tolerance):
    _, rate, start, until = problem
    begin = time.perf_counter()
    found = solve_ivp(rate, (0.0, until), start, method=method, rtol=tolerance, atol=tolerance, t_eval=[until])
    return time.perf_counter() - begin, found.y[:, -1] if found.success else None


def seconds_at(points, error):
    """Interpolated on logarithmic scales between the neighbours of the front, as in work_precision.hpp."""
    front = []
    for seconds, reached in sorted(points):
        if not front or reached < front[-1][1]:
            front.append((seconds, reached))
    if not front or front[-1][1] > error:
        return math.inf
    if front[0][1] <= error:
        return front[0][0]
    for (t0, e0), (t1, e1) in zip(front, front[1:]):
        if e1 <= error:
            return t0 * (t1 / t0) ** (math.log(e0 / error) / math.log(e0 / e1))
    return math.inf


def main():
    quick = "--quick" in sys.argv[1:]
    for problem in PROBLEMS:
        positions = len(problem[2]) // 2
        reference = run(problem, "DOP853", 3e-14)[1][:positions]
        print(problem[0])
        for method, finest in (("DOP853", 1e-12), ("Radau", 1e-4 if quick else 1e-9)):
            points = []
            tolerance = 1e-3
            while tolerance > 0.99 * finest:
                best, end = run(problem, method, tolerance)
                for _ in range(0 if quick else 2):
                    best = min(best, run(problem, method, tolerance)[0])
                if end is not None:
                    error = numpy.max(numpy.abs(end[:positions] - reference)) / numpy.max(numpy.abs(reference))
                    points.append((best, error))
                tolerance /= 10.0
            cells = [seconds_at(points, target) for target in TARGETS]
            print(f"  scipy {method:<8}", "".join(f"{1e6 * x:>12.0f}" if x < math.inf else f"{'-':>12}" for x in cells))


if __name__ == "__main__":
    main()
