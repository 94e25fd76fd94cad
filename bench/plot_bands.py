#!/usr/bin/env python3
"""Draws the last table that bench_bands printed: the highest stable step against inertia_floor.

    bench/plot_bands.py [--tables out/bench/bands.md] [--out docs/figures]
"""
import argparse
import math
import pathlib
import re

from plot import BLUE, EDGE, FAINT, ORANGE, Svg

LEFT, RIGHT, TOP, BOTTOM = 78, 640, 76, 348


def draw_floors(rows, path):
    """rows: (floor, step in ms); the first is without a floor."""
    (_, without), *shown = rows
    low = math.floor(math.log10(shown[0][0]))

    def place(floor, step):
        return (LEFT + (math.log10(floor) - low) / -low * (RIGHT - LEFT),
                BOTTOM - (math.log10(step) + 1) / 3 * (BOTTOM - TOP))

    svg = Svg(760, 410, "Inflated inertia: the highest stable step",
              "five thin links of 0.2 m with elastic alignment torques, bands at ν = 1")
    for step in (0.1, 1, 10, 100):
        y = place(1, step)[1]
        svg.line(LEFT, y, RIGHT, y)
        svg.text(LEFT - 8, y + 4, f"{step:g}", anchor="end", colour=FAINT)
    for power in range(low, 1):
        x = place(10.0 ** power, 1)[0]
        svg.line(x, BOTTOM, x, BOTTOM + 5, EDGE)
        svg.text(x, BOTTOM + 19, f"{10.0 ** power:g}", anchor="middle", colour=FAINT)
    svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, EDGE)
    svg.text((LEFT + RIGHT) / 2, BOTTOM + 42, "inertia_floor", anchor="middle")
    svg.text(24, (TOP + BOTTOM) / 2, "step (ms)", anchor="middle", turn=-90)
    y = place(1, without)[1]
    svg.line(LEFT, y, RIGHT, y, ORANGE, 2, "5 4")
    svg.text(RIGHT + 10, y + 4, "without", colour=ORANGE, weight="bold")
    points = [place(*row) for row in shown]
    svg.path(points, BLUE)
    for x, y in points:
        svg.mark(x, y, BLUE, "circle")
    svg.text(points[-1][0] + 10, points[-1][1] + 4, "stable below", colour=BLUE, weight="bold")
    svg.write(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=pathlib.Path, default="out/bench/bands.md")
    parser.add_argument("--out", type=pathlib.Path, default="docs/figures")
    options = parser.parse_args()
    rows = re.findall(r"^\| ([\d.]+) \| ([\d.]+) \| [\d.]+ \|$", options.tables.read_text(encoding="utf-8"), re.M)
    draw_floors([(float(floor), float(step)) for floor, step in rows], options.out / "inertia_floor.svg")


main()
