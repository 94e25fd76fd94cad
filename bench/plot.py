#!/usr/bin/env python3
"""Draws the benchmarks' results as SVG files that stand alone.

    bench/plot.py [--bench out/bench] [--sinew build/release/bin/sinew] [--runs out/bench/runs] [--out docs/figures]

Reads the JSON files that the benchmark programs wrote and the CSV files of `sinew run`; with --sinew it makes
those runs first. Needs nothing but Python's own library.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
from xml.sax.saxutils import escape

# Apart for the colour-blind too, and dark enough on the light ground that every figure brings along.
BLUE, ORANGE, GREEN, RED, PURPLE, GREY, BROWN, TEAL = (
    "#0b62a8", "#d5730a", "#16855b", "#c22f3d", "#7a4fa3", "#6b7280", "#8a5a2b", "#0f8b9d")
INK, FAINT, GRID, GROUND, EDGE = "#1f2933", "#52606d", "#e3e8ee", "#fbfcfd", "#c5ced8"
FONT = "font-family=\"'DejaVu Sans', Verdana, 'Segoe UI', Helvetica, Arial, sans-serif\""

COLOURS = {
    "Sinew implicit": BLUE, "Sinew conservative": TEAL, "Sinew semi_implicit_euler": GREEN,
    "Bullet multibody": ORANGE, "ODE direct": RED, "ODE QuickStep": PURPLE, "DART": BROWN,
    "Simbody RK-Merson": GREY, "Simbody CPodes": "#9aa5b1", "Simbody semi-explicit Euler": GREY,
}
CASES = [
    ("heavy_tip", "Heavy tip: 10 links, the last 1000 times heavier"),
    ("stiff_10", "Stiff chain: 50 links, springs of 10 N·m/rad"),
    ("stiff_1000", "Stiff chain: 50 links, springs of 1,000 N·m/rad"),
    ("stiff_100000", "Stiff chain: 50 links, springs of 100,000 N·m/rad"),
]


class Svg:
    """A drawing on a light card, so that it can be read on dark pages as well."""

    def __init__(self, width, height, title, subtitle):
        self.width, self.height = width, height
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}" {FONT}>',
            f"<title>{escape(title)}</title>",
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="{GROUND}" stroke="{EDGE}"/>',
        ]
        self.text(24, 34, title, size=17, weight="bold")
        self.text(24, 55, subtitle, size=12, colour=FAINT)

    def text(self, x, y, words, size=12, colour=INK, anchor="start", weight="normal", turn=None, halo=False):
        around = f' stroke="{GROUND}" stroke-width="4" paint-order="stroke"' if halo else ""  # over lines
        rotate = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
                          f'font-weight="{weight}"{around}{rotate}>{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, colour=GRID, width=1, dash=None):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                          f'stroke-width="{width}"{dashes}/>')

    def path(self, points, colour, width=2, dash=None):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        track = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path d="{track}" fill="none" stroke="{colour}" stroke-width="{width}" '
                          f'stroke-linejoin="round" stroke-linecap="round"{dashes}/>')

    def bar(self, x, y, width, height, colour, failed=False):
        style = (f'fill="{colour}" fill-opacity="0.18" stroke="{colour}" stroke-dasharray="4 3"' if failed
                 else f'fill="{colour}"')
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" {style}/>')

    def mark(self, x, y, colour, shape):
        r = 4.5
        if shape == "circle":
            body = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}"'
        elif shape == "square":
            body = f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r}" height="{2 * r}"'
        else:
            up = -1 if shape == "up" else 1
            body = (f'<path d="M{x:.1f} {y + up * 5.5:.1f}L{x + 5:.1f} {y - up * 4:.1f}'
                    f'L{x - 5:.1f} {y - up * 4:.1f}Z"')
        self.parts.append(f'{body} fill="{colour}" stroke="{GROUND}" stroke-width="1.2"/>')

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.parts) + "\n</svg>\n", encoding="utf-8")
        print(f"wrote {path}")


def number(value):
    """A few digits, with a real minus."""
    if value == 0:
        return "0"
    if abs(value) < 1e-4:
        mantissa, power = f"{value:.0e}".split("e")
        power = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"{mantissa.replace('-', '−')}·10{power}"
    digits = max(0, 1 - int(math.floor(math.log10(abs(value)))))
    return f"{value:,.{min(digits, 4)}f}".replace("-", "−")


def step_text(h):
    if h > 1.01e-3:
        return f"1/{round(1 / h)} s"
    return f"{h * 1e3:.2g} ms" if h > 1e-4 else f"{h * 1e6:.2g} µs"


# ---- energy over time ---------------------------------------------------------------------------------------

def read_series(folder):
    with open(folder / "series.csv", newline="", encoding="utf-8") as file:
        return [(float(row["time"]), float(row["total"])) for row in csv.DictReader(file)]


def nice_ticks(low, high, count=6):
    raw = (high - low) / count
    size = 10 ** math.floor(math.log10(raw))
    step = next(size * m for m in (1, 2, 2.5, 5, 10) if size * m >= raw)
    first = math.ceil(low / step - 1e-9)
    return [step * i for i in range(first, int(math.floor(high / step + 1e-9)) + 1)]


def draw_energy(path, title, subtitle, series, low, high):
    """series: (label, colour, dash, points); the label stands at the line's right end."""
    svg = Svg(860, 440, title, subtitle)
    left, right, top, bottom = 78, 652, 76, 388
    end = max(points[-1][0] for _, _, _, points in series)

    def place(point):
        return (left + point[0] / end * (right - left), bottom - (point[1] - low) / (high - low) * (bottom - top))

    for tick in nice_ticks(low, high):
        y = place((0, tick))[1]
        svg.line(left, y, right, y)
        svg.text(left - 8, y + 4, number(tick), anchor="end", colour=FAINT)
    for tick in nice_ticks(0, end, 10):
        x = place((tick, low))[0]
        svg.line(x, bottom, x, bottom + 5, EDGE)
        svg.text(x, bottom + 19, f"{tick:g}", anchor="middle", colour=FAINT)
    svg.line(left, bottom, right, bottom, EDGE)
    svg.text((left + right) / 2, bottom + 40, "time (s)", anchor="middle")
    svg.text(24, (top + bottom) / 2, "total energy (J)", anchor="middle", turn=-90)
    for _, colour, dash, points in series:
        svg.path([place(p) for p in points], colour, 2, dash)
    # Labels at the ends, pushed apart where lines end close together.
    labels = sorted((place(points[-1])[1], label, colour, points[-1][1]) for label, colour, _, points in series)
    spots = []
    for y, *_ in labels:
        spots.append(max(y, spots[-1] + 34) if spots else max(y, top))
    overflow = max(0, spots[-1] + 16 - bottom)
    for (y, label, colour, energy), spot in zip(labels, spots):
        spot -= overflow
        svg.path([(right + 3, y), (right + 14, spot)], colour, 1.2)
        svg.text(right + 18, spot, label, colour=colour, weight="bold")
        svg.text(right + 18, spot + 14, f"{number(energy)} J at {end:g} s", size=11, colour=FAINT)
    svg.write(path)


def run_sinew(sinew, runs):
    """The runs behind the two plots of energy."""
    def call(*words):
        subprocess.run([sinew, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    runs.mkdir(parents=True, exist_ok=True)
    tip, stiff = runs / "tip.json", runs / "stiff.json"
    call("make", "chain", "--links", 10, "--tip-ratio", 1000, "--start", "horizontal", "-o", tip)
    call("make", "chain", "--links", 50, "--stiffness", 10, "--damping", 0.01, "--start", "horizontal", "-o", stiff)
    for scene, name in ((tip, "tip"), (stiff, "stiff")):
        for integrator in ("implicit_euler", "implicit_bdf2", "conservative"):
            call("run", scene, "-o", runs / f"{name}_{integrator}", "--integrator", integrator,
                 "--step", 1 / 60, "--duration", 10, "--fps", 60)
    call("run", stiff, "-o", runs / "stiff_rk4", "--integrator", "rk4", "--step", 1 / 7680, "--duration", 10, "--fps", 60)


def draw_energies(runs, out):
    lines = [("implicit_euler", ORANGE, None), ("implicit_bdf2", BLUE, None), ("conservative", GREEN, None)]
    names = {"implicit_bdf2": "implicit (BDF2)"}
    for name, file, title, low, high in (
            ("tip", "heavy_tip_energy", "Heavy tip: what each step keeps of the energy at 1/60 s", -950, 50),
            ("stiff", "stiff_chain_energy", "Stiff chain, k = 10 N·m/rad: energy at 1/60 s", -100, 5)):
        series = [(names.get(integrator, integrator), colour, dash, read_series(runs / f"{name}_{integrator}"))
                  for integrator, colour, dash in lines if (runs / f"{name}_{integrator}" / "series.csv").exists()]
        if name == "stiff" and (runs / "stiff_rk4" / "series.csv").exists():
            series.append(("reference: RK4, 0.13 ms", INK, "5 4", read_series(runs / "stiff_rk4")))
        if not series:
            print(f"no runs for {file}: pass --sinew", file=sys.stderr)
            continue
        about = ("10 ball-jointed links, the last 1000 times heavier, let go from horizontal; no damping: the truth is 0 J"
                 if name == "tip" else
                 "50 ball-jointed links of 0.1 m and 0.1 kg, damping 0.01 N·m·s/rad, let go from horizontal")
        draw_energy(out / f"{file}.svg", title, about, series, low, high)


# ---- time for 10 s --------------------------------------------------------------------------------------------

def shown_trial(run):
    """Sinew's implicit and conservative at 1/60 s, any other at the largest stable step; else the last tried."""
    trials = run["trials"]
    if run["variant"] in ("Sinew implicit", "Sinew conservative", "Sinew implicit_euler"):
        return next(t for t in trials if abs(t["step"] * 60 - 1) < 1e-6)
    return next((t for t in trials if t["stable"]), trials[-1])


def draw_times(engines, out):
    order = ["Sinew implicit", "Sinew conservative", "ODE direct", "ODE QuickStep", "DART", "Bullet multibody",
             "Simbody RK-Merson"]
    found = {(run["case"], run["variant"]): run for engine in engines for run in engine.get("stability", [])}
    order = [name for name in order if any(key[1] == name for key in found)]
    if not order:
        return
    row, gap = 20, 40
    height = 92 + len(CASES) * (len(order) * row + gap) + 34
    svg = Svg(860, height, "Computing time for 10 s of simulation, each engine at the largest step it bears",
              "Sinew at 1/60 s. Stable: energy never 1 % of the range above its start, no joint open by 10 mm. Shorter is better.")
    left, right, top = 170, 590, 84
    low, high = 0.01, 100.0

    def place(seconds):
        return left + math.log(max(seconds, low) / low) / math.log(high / low) * (right - left)

    bottom = height - 46
    for tick in (0.01, 0.1, 1, 10, 100):
        x = place(tick)
        svg.line(x, top, x, bottom, GRID)
        svg.text(x, bottom + 16, f"{tick:g}", anchor="middle", colour=FAINT)
    svg.line(place(10), top, place(10), bottom, FAINT, 1, "3 3")
    svg.text(place(10), top - 4, "real time", size=10, colour=FAINT, anchor="middle")
    svg.text((left + right) / 2, bottom + 34, "processor time (s), logarithmic", anchor="middle")
    y = top + 4
    for case, title in CASES:
        svg.text(24, y + 16, title, size=13, weight="bold", halo=True)
        y += 24
        for name in order:
            run = found.get((case, name))
            svg.text(left - 8, y + 13, name, size=11, anchor="end")
            if run:
                trial, colour = shown_trial(run), COLOURS[name]
                seconds = trial.get("processor_seconds") or 0
                x = place(seconds)
                step = "own steps" if run["error_controlled"] else f"step {step_text(trial['step'])}"
                if trial["stable"]:
                    svg.bar(left, y + 3, x - left, row - 6, colour)
                    words = f"{seconds:.2g} s · {step} · ends at {number(round(trial['energy_end'], 2))} J"
                else:
                    svg.bar(left, y + 3, x - left, row - 6, colour, failed=True)
                    reason = {"too slow": f"over {seconds:.0f} s, not finished"}.get(trial["verdict"], trial["verdict"])
                    words = f"{reason} at {trial.get('time', 0):.1f} s · {step}"
                svg.text(x + 6, y + 14, words, size=10, colour=FAINT, halo=True)
            y += row
        y += gap - 24
    svg.write(out / "time_for_ten_seconds.svg")


# ---- cost of a step -----------------------------------------------------------------------------------------

def draw_costs(engines, out):
    lines = {}
    for engine in engines:
        for cost in engine.get("cost", []):
            if "microseconds" in cost:
                lines.setdefault(cost["variant"], []).append((cost["links"], cost["microseconds_per_link"]))
                if cost["variant"] == "Sinew implicit":
                    lines.setdefault("Sinew implicit, one iteration", []).append(
                        (cost["links"], cost["microseconds_per_iteration"] / cost["links"]))
    if not lines:
        return
    svg = Svg(860, 520, "Cost of a step against the length of the chain",
              "µs per link and step; ball joints, no springs. Steps of 1/60 s with implicit and conservative, 1 ms with the others. Lower is better.")
    left, right, top, bottom = 78, 600, 76, 462
    low, high, first, last = 0.3, 30.0, 10, 10000

    def place(links, micro):
        return (left + math.log(links / first) / math.log(last / first) * (right - left),
                bottom - math.log(micro / low) / math.log(high / low) * (bottom - top))

    for tick in (0.3, 0.5, 1, 2, 3, 5, 10, 20, 30):
        y = place(first, tick)[1]
        svg.line(left, y, right, y)
        svg.text(left - 8, y + 4, f"{tick:g}", anchor="end", colour=FAINT)
    for tick in (10, 100, 1000, 10000):
        x = place(tick, low)[0]
        svg.line(x, top, x, bottom)
        svg.text(x, bottom + 18, f"{tick:,}", anchor="middle", colour=FAINT)
    svg.text((left + right) / 2, bottom + 40, "links", anchor="middle")
    svg.text(24, (top + bottom) / 2, "time per link and step (µs)", anchor="middle", turn=-90)
    shapes = ["circle", "square", "up", "down"]
    labels = []
    for index, (name, points) in enumerate(sorted(lines.items())):
        single = name.endswith("one iteration")
        colour = COLOURS.get(name, BLUE)
        inside = [p for p in points if p[1] <= high]
        track = [place(*p) for p in inside]
        if len(inside) < len(points):  # leaves the picture: go on to its edge
            a, b = inside[-1], points[len(inside)]
            share = math.log(high / a[1]) / math.log(b[1] / a[1])
            track.append(place(a[0] * (b[0] / a[0]) ** share, high))
        svg.path(track, colour, 2.6 if name.startswith("Sinew") and not single else 1.8, "5 4" if single else None)
        for p in inside:
            svg.mark(*place(*p), colour, shapes[index % 4])
        x, y = track[-1]
        if x < right - 10:  # ends early: the name stands beside the end
            svg.text(x + 9, y + 18, name, size=11, colour=colour, weight="bold", halo=True)
        else:
            labels.append((y, x, name, colour))
    # Names stand in one column at the right, in the order in which the lines end.
    labels.sort()
    spots = []
    for y, *_ in labels:
        spots.append(max(y, spots[-1] + 19) if spots else max(y, top + 6))
    shift = max(0, spots[-1] - bottom)
    for (y, x, name, colour), spot in zip(labels, spots):
        spot -= shift
        svg.path([(x + 6, y), (right + 16, spot)], colour, 0.8, "1 3")
        svg.text(right + 20, spot + 4, name, size=11, colour=colour, weight="bold")
    svg.write(out / "cost_per_link.svg")


def load(folder):
    """What the programs wrote. A part that was run again (--only PART) counts where it was faster."""
    engines = {}
    for path in sorted(folder.glob("*.json"), key=lambda p: p.name.count(".")):
        new = json.loads(path.read_text(encoding="utf-8"))
        old = engines.setdefault(new["engine"], new)
        for part in ("cost", "hand"):
            best = {}
            for cost in old.get(part, []) + new.get(part, []):
                key = cost["variant"], cost["links"]
                if key not in best or cost.get("microseconds", 1e300) < best[key].get("microseconds", 1e300):
                    best[key] = cost
            old[part] = list(best.values())
        again = {(run["case"], run["variant"], trial["step"]): trial
                 for run in new.get("stability", []) for trial in run["trials"]}
        for run in old.setdefault("stability", new.get("stability", [])):
            for trial in run["trials"]:
                other = again.get((run["case"], run["variant"], trial["step"]), trial)
                if other["verdict"] == trial["verdict"] and "processor_seconds" in trial:
                    trial["processor_seconds"] = min(trial["processor_seconds"], other["processor_seconds"])
    return list(engines.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=pathlib.Path, default=pathlib.Path("out/bench"))
    parser.add_argument("--runs", type=pathlib.Path, default=pathlib.Path("out/bench/runs"))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("docs/figures"))
    parser.add_argument("--sinew", help="the sinew command, to make the runs for the plots of energy")
    options = parser.parse_args()
    if options.sinew:
        run_sinew(options.sinew, options.runs)
    engines = load(options.bench)
    draw_energies(options.runs, options.out)
    draw_times(engines, options.out)
    draw_costs(engines, options.out)


if __name__ == "__main__":
    main()
