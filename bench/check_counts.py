#!/usr/bin/env python3
"""Counts the instructions of the cases of bench_count_cases and compares them with bench/counts.txt.

    check_counts.py PROGRAM [--update] [--jobs N] [CASE ...]

Exit code 1 where a case takes more than 5 % more or fewer than the baseline says, or ends early. Fewer is good, but
then the baseline is out of date: --update writes it anew (of the cases named, or of all)."""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

MARGIN = 0.05
BASELINE = pathlib.Path(__file__).with_name("counts.txt")
HEADER = "# Instructions, steps, Newton iterations and halvings of each case: make bench-check UPDATE=1\n"


def measure(program, case):
    """(instructions, steps, iterations, halvings), or a sentence that says what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=sinewCountedRun",
             f"--callgrind-out-file={folder}/out", program, case], capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not collected:
        words = [line for line in done.stderr.splitlines() if not line.startswith("==")]
        return words[-1] if words else (done.stderr.splitlines() or ["valgrind failed"])[-1]
    return (int(collected[1]), *map(int, done.stdout.split()))


def read_baseline():
    rows = {}
    if BASELINE.exists():
        for line in BASELINE.read_text().splitlines():
            if line and not line.startswith("#"):
                name, *numbers = line.split()
                rows[name] = tuple(map(int, numbers))
    return rows


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("cases", nargs="*")
    options.add_argument("--update", action="store_true")
    options.add_argument("--jobs", type=int, default=1)
    options = options.parse_args()
    known = subprocess.run([options.program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    unknown = set(options.cases) - set(known)
    if unknown:
        sys.exit(f"there is no case {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    cases = options.cases or known
    baseline = read_baseline()
    bad = []
    print(f"{'case':20}{'baseline':>16}{'now':>16}{'ratio':>8}   iterations (baseline)", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, now in zip(cases, pool.map(lambda name: measure(options.program, name), cases)):
            if isinstance(now, str):
                print(f"{case:20} {now}", flush=True)
                bad.append(case)
                continue
            was = baseline.get(case)
            ratio = now[0] / was[0] if was else float("nan")
            inside = was and abs(ratio - 1) <= MARGIN
            note = "" if inside else "   new" if not was else "   worse" if ratio > 1 else "   better"
            print(f"{case:20}{was[0] if was else '-':>16}{now[0]:>16}{ratio:>8.3f}"
                  f"   {now[2]} ({was[2] if was else '-'}){note}", flush=True)
            if options.update:
                baseline[case] = now
            elif not inside:
                bad.append(case)
    if options.update:
        rows = [f"{name:20}{n[0]:>16}{n[1]:>8}{n[2]:>8}{n[3]:>8}\n" for name, n in baseline.items() if name in known]
        BASELINE.write_text(HEADER + "".join(sorted(rows, key=lambda row: known.index(row.split()[0]))))
        print(f"{BASELINE.name} is written")
    if bad:
        print(f"off by more than {MARGIN:.0%}, or failed: {', '.join(bad)}. "
              "If it is meant: make bench-check UPDATE=1")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
