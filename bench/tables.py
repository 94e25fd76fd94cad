#!/usr/bin/env python3
"""Prints the tables of docs/benchmarks.md from the JSON files of the benchmark programs.

    bench/tables.py [out/bench]
"""
import pathlib
import sys

sys.dont_write_bytecode = True
from plot import CASES, load, shown_trial, step_text  # noqa: E402  (the script's own folder is on the path)

ORDER = ["Sinew implicit", "Sinew conservative", "Sinew semi_implicit_euler", "ODE direct", "ODE QuickStep", "DART",
         "Bullet multibody", "Simbody RK-Merson", "Simbody CPodes", "Simbody semi-explicit Euler"]


def digits(value, count=2):
    rounded = float(f"{value:.{count}g}")
    return (f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}").replace("-", "−")


def joules(value):
    return "0.0 J" if abs(value) < 0.05 else f"{value:.1f} J".replace("-", "−")


def gap(metres):
    if metres < 1e-9:
        return "none"
    return f"{digits(metres * 1e3)} mm" if metres > 1e-4 else f"{digits(metres * 1e6)} µm"


def row(cells):
    print("| " + " | ".join(cells) + " |")


def summary(engines):
    runs = {(run["case"], run["variant"]): run for engine in engines for run in engine.get("stability", [])}
    print("\n### Time for 10 s at the largest stable step\n")
    row(["engine", "heavy tip", "k = 10", "k = 10³", "k = 10⁵"])
    row(["---"] * 5)
    for name in ORDER:
        if not any(key[1] == name for key in runs):
            continue
        cells = []
        for case, _ in CASES:
            run = runs[case, name]
            trial = shown_trial(run)
            step = "own steps" if run["error_controlled"] else step_text(trial["step"])
            good = trial["stable"] or (trial.get("survives") and run["error_controlled"])
            cells.append(f"{digits(trial['processor_seconds'])} s ({step}), {joules(trial['energy_end'])}" if good
                         else f"{trial['verdict']} at {trial.get('time', 0):.1f} s ({step})")
        row([name, *cells])


def stability(engines):
    runs = {(run["case"], run["variant"]): run for engine in engines for run in engine.get("stability", [])}
    for case, title in CASES:
        print(f"\n### {title}\n")
        row(["engine", "step", "time for 10 s", "energy after 10 s", "largest gap", "at 1/60 s", "remarks"])
        row(["---"] * 7)
        for name in ORDER:
            run = runs.get((case, name))
            if not run:
                continue
            trials = run["trials"]
            frame = next((t for t in trials if abs(t["step"] * 60 - 1) < 1e-6), None)
            own = run["error_controlled"]
            at_frame = "" if own or not frame else (
                f"{digits(frame['processor_seconds'])} s, {joules(frame['energy_end'])}" if frame["stable"]
                else f"{frame['verdict']} at {frame.get('time', 0):.2f} s")
            # All of Sinew's implicit steps are of interest, of the others the largest that is stable.
            several = name in ("Sinew implicit", "Sinew conservative")
            stable = [t for t in trials if t["stable"]]
            shown = trials if several else stable[:1] or trials[-1:]
            looser = next((t for t in trials if t.get("survives") and not t["stable"]), None)
            for index, trial in enumerate(shown):
                remark = []
                if trial.get("halvings"):
                    remark.append(f"{trial['halvings']} steps halved")
                if trial.get("iterations") and not own:
                    remark.append(f"{trial['iterations'] / trial['steps']:.1f} iterations a step")
                if own and trial.get("iterations"):
                    remark.append(f"{trial['iterations']:,} steps of its own")
                if looser and not own and not index and looser["step"] > trial["step"]:
                    remark.append(f"with energy rising by up to 10 %: {step_text(looser['step'])}, "
                                  f"{digits(looser['processor_seconds'])} s")
                label = name if not index else ""
                step = "own" if own else step_text(trial["step"])
                if trial["stable"]:
                    cells = [f"{digits(trial['processor_seconds'])} s", joules(trial["energy_end"]), gap(trial["gap"])]
                elif trial.get("survives"):
                    cells = [f"{digits(trial['processor_seconds'])} s", joules(trial["energy_end"]), gap(trial["gap"])]
                    remark.insert(0, f"energy rises by {joules(trial['energy_rise'])}")
                else:
                    cells = [f"{trial['verdict']} at {trial.get('time', 0):.2f} s", "", ""]
                row([label, step, *cells, at_frame if not index and not several else "", "; ".join(remark)])


def costs(engines):
    sizes = [10, 100, 1000, 10000]
    table = {}
    for engine in engines:
        for cost in engine.get("cost", []):
            table.setdefault(cost["variant"], {})[cost["links"]] = cost
    print("\n### Cost of a step, µs (per link)\n")
    row(["engine", *(f"{n:,}" for n in sizes)])
    row(["---"] * 5)

    def cell(cost, key):
        if cost is None:
            return "–"
        if key not in cost:
            return cost.get("failure", "–")
        return f"{digits(cost[key], 3)} ({digits(cost[key] / cost['links'])})"

    for name in ORDER:
        if name not in table:
            continue
        row([name, *(cell(table[name].get(n), "microseconds") for n in sizes)])
        if "microseconds_per_iteration" in table[name][10] and name.startswith("Sinew"):
            row([f"{name}, one iteration", *(cell(table[name].get(n), "microseconds_per_iteration") for n in sizes)])
    for engine in engines:
        for cost in engine.get("hand", []):
            print(f"\nhand: {cost['variant']}: {cost['microseconds']:.1f} µs a step, "
                  f"{cost['iterations_per_step']:.2f} iterations")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out/bench")
    engines = load(folder)
    summary(engines)
    stability(engines)
    costs(engines)


if __name__ == "__main__":
    main()
