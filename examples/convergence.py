#!/usr/bin/env python3
"""How fast integrators converge: the error at the end of a run against the length of the step.

    convergence.py SCENE [--integrators NAME,...] [--duration S] [--step S] [--halvings N] [--sinew COMMAND]

Each integrator runs the scene with ever smaller steps. The error is the largest distance of a body's place from the
same run by rk4 with a tenth of the smallest step. Halving the step divides the error by 2 to the power of the order.
"""
import argparse
import csv
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile


def places(sinew, scene, integrator, step, duration):
    """Where every body is at the end, as one list of numbers; None if the run diverged."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sinew, "run", scene, "-o", folder, "--no-page", "--integrator", integrator]
        command += ["--step", repr(step), "--duration", repr(duration), "--fps", repr(1 / duration)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 3:
            return None
        if done.returncode != 0:
            sys.exit(done.stderr.strip())
        with open(pathlib.Path(folder) / "trajectory.csv", newline="", encoding="utf-8") as table:
            *_, last = csv.DictReader(table)
    return [float(value) for name, value in last.items() if name.rsplit(".")[-1] in ("px", "py", "pz")]


def distance(ours, theirs):
    return max(math.dist(ours[i : i + 3], theirs[i : i + 3]) for i in range(0, len(ours), 3))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scene")
    parser.add_argument("--integrators", default="explicit_euler,semi_implicit_euler,implicit,rk4")
    parser.add_argument("--duration", type=float, default=1)
    parser.add_argument("--step", type=float, default=0.01, help="the largest step")
    parser.add_argument("--halvings", type=int, default=4)
    parser.add_argument("--sinew", default="sinew", help="the command")
    options = parser.parse_args()
    if shutil.which(options.sinew) is None:
        sys.exit(f"there is no command {options.sinew!r}; say where it is: --sinew build/release/bin/sinew")
    steps = [options.step / 2**k for k in range(options.halvings + 1)]
    exact = places(options.sinew, options.scene, "rk4", steps[-1] / 10, options.duration)
    if exact is None:
        sys.exit("rk4 diverges even with the smallest step; choose a smaller one")

    print(f"{'integrator':20}  {'step (s)':>10}  {'error (m)':>10}  order")
    for integrator in options.integrators.split(","):
        before = None
        for step in steps:
            found = places(options.sinew, options.scene, integrator, step, options.duration)
            error = None if found is None else distance(found, exact)
            order = f"{math.log2(before / error):5.2f}" if before and error else ""
            shown = "diverged" if error is None else f"{error:.2e}"
            print(f"{integrator:20}  {step:10.6g}  {shown:>10}  {order}".rstrip())
            before = error


main()
