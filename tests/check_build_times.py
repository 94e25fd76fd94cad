#!/usr/bin/env python3
"""Compile seconds per part of the tree, from Ninja's log, against the table in CONTRIBUTING.md.

    check_build_times.py SOURCE BUILD            fails where a part's share has doubled
    check_build_times.py SOURCE BUILD --print    prints the table for CONTRIBUTING.md

Machines differ, and so do seconds: what a neighbour takes falls on whatever is compiled just then. What is compared is
each part's share of the whole, with a wide margin. Exit status 77 (skipped): the log is not one of a build from nothing
without a compiler cache.
"""
import argparse
import collections
import pathlib
import re
import sys

TOLERANCE = 2
SMALL = 0.04  # of the whole: growth below this is not judged


def part(output):
    """The part of the tree that an object file belongs to, or None."""
    library = re.match(r"src/CMakeFiles/sinew(?:_(\w+))?\.dir/", output)
    if library:
        return library.group(1) or "apps"
    if output.startswith("web/") and output.endswith((".o", ".pch")):
        return "WebAssembly"
    if re.match(r"tests/.*\.(o|gch)$", output):
        return "tests"
    return None


def measured(log):
    """Seconds per part, and how long it was from the first object file to the last."""
    seconds = collections.Counter()
    last = {}  # an output that was made twice counts once
    for line in log.read_text().splitlines()[1:]:
        start, end, made, output, *_ = line.split("\t")
        if output.endswith((".o", ".gch", ".pch")) and part(output):
            last[output] = (int(end) - int(start)) / 1000, int(made) / 1e9
    for output, (duration, _) in last.items():
        seconds[part(output)] += duration
    times = [made for _, made in last.values()]
    return seconds, max(times) - min(times) if times else 0


def committed(text):
    """Rows `| part | seconds | …` of the table under the mark."""
    table = text.split("<!-- build times -->")
    if len(table) != 3:
        sys.exit("CONTRIBUTING.md: expected a table between two lines <!-- build times -->")
    return {name: float(number) for name, number in re.findall(r"^\| (\w+) \| (\d+) \|", table[1], re.M)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--print", action="store_true", dest="show")
    options = parser.parse_args()
    now, span = measured(options.build / ".ninja_log")
    if options.show:
        for name, seconds in now.most_common():
            print(f"| {name} | {seconds:.0f} |")
        print(f"| all | {sum(now.values()):.0f} |")
        return
    cache = (options.build / "CMakeCache.txt").read_text()
    if re.search(r"^CMAKE_CXX_COMPILER_LAUNCHER:\w+=\S", cache, re.M):
        print("skipped: built with a compiler launcher, whose times tell nothing")
        sys.exit(77)
    before = committed((options.source / "CONTRIBUTING.md").read_text())
    before.pop("all", None)
    if span > sum(now.values()):
        print("skipped: not one build from nothing")
        sys.exit(77)
    missing = sorted(set(before) - set(now))
    if missing:
        print("skipped: this build has no", ", ".join(missing))
        sys.exit(77)
    total, totalBefore = sum(now.values()), sum(before.values())
    grown = []
    for name, seconds in now.items():
        share = seconds / total
        was = before.get(name, 0) / totalBefore
        if share > SMALL + was and share > TOLERANCE * was:
            grown.append(f"{name} takes {100 * share:.1f} % of the time to compile, {100 * was:.1f} % in CONTRIBUTING.md")
    for line in grown:
        print(line)
    if grown:
        print("Make it compile faster, or measure the table anew: tests/check_build_times.py . build/release --print")
        sys.exit(1)
    print(f"no part of {len(now)} has doubled")


main()
