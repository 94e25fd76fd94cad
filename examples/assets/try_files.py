#!/usr/bin/env python3
"""Try files of your own: does each one load, run, stay together, come to rest?

    examples/assets/try_files.py FILE|FOLDER ... -o DIR [--seconds 4] [--pictures] [--sinew PATH]

Robots (.urdf) and models (.xml) stand or fall on a floor at 0, models with a floor of their own on that; characters
(.glb, .gltf, .bvh) go limp and fall on one, and are baked too where they are glTF. Writes DIR/assets.md, a table with a
line for each file, and with --pictures a strip of pictures of each. Exit code: 0 if all of them passed, else 1. The
column `looks` is measured, not seen: it tells what of the list below failed in a run to the end.

A file passes if it loads and runs to its end without a step above its tolerance, no energy is gained, no joint opens by
more than a ten-thousandth of the figure's size and nothing is deeper in another than a hundredth of it.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

ROBOTS, MODELS, CHARACTERS = {".urdf"}, {".xml", ".mjcf"}, {".glb", ".gltf", ".bvh"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE|FOLDER")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--patience", type=float, default=300, help="seconds of waiting for each command")
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--sinew", default="build/release/bin/sinew", help="the command")
    return parser.parse_args()


def kind_of(path):
    ending = path.suffix.lower()
    if ending in ROBOTS:
        return "robot"
    if ending in CHARACTERS:
        return "character"
    if ending in MODELS:
        text = path.read_bytes()
        if b"<robot" in text:
            return "robot"
        # Parts that models include and scenes without bodies are nothing to try by themselves.
        moves = any(word in text for word in (b"<body", b"<flexcomp", b"<composite", b"<include", b"<attach"))
        return "model" if b"<mujoco" in text and b"<worldbody" in text and moves else None
    return None


def found(paths):
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for inner in sorted(path.rglob("*")):
            if inner.is_file() and kind_of(inner):
                yield inner


class Trial:
    def __init__(self, path, options):
        self.path, self.options = path, options
        self.kind = kind_of(path)
        self.folder = options.output / re.sub(r"\W+", "_", path.stem)
        self.faults, self.notes, self.summary = [], set(), None
        self.loads = self.runs = False

    def sinew(self, *words):
        """Runs the command; a fault is kept. Whether it went well."""
        command = [self.options.sinew, *map(str, words)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.options.patience)
        except subprocess.TimeoutExpired:
            self.faults.append(f"{words[0]}: not done after {self.options.patience:g} s")
            return False
        lines = done.stderr.strip().splitlines()
        self.notes |= {line for line in lines if line.startswith("note:")}
        if done.returncode == 0:
            return True
        said = [line for line in lines if not line.startswith("note:")]
        self.faults.append(f"{words[0]}: " + (said[-1] if said else f"exit code {done.returncode}"))
        return False

    def run(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        scene, ground = self.path, []
        if self.kind == "robot":
            ground = ["--ground", "0"]
        if self.kind == "character":
            scene = self.folder / "scene.json"
            if not self.sinew("convert", self.path, scene, "--ground", "0"):
                return
        self.loads = self.sinew("check", scene)
        if not self.loads:
            return
        self.runs = self.sinew("run", scene, *ground, "--duration", self.options.seconds, "-o", self.folder / "run")
        if not self.runs:
            return
        self.summary = json.loads((self.folder / "run" / "summary.json").read_text())
        self.judge()
        if self.kind == "character" and self.path.suffix.lower() != ".bvh":
            self.sinew("bake", self.path, "--dynamic", "*", "--ground", "0", "--duration", self.options.seconds,
                       "-o", self.folder / ("baked" + self.path.suffix))
        if self.options.pictures:
            self.sinew("render", self.folder / "run", "-o", self.options.output / f"{self.folder.name}.png", "--strip", 4)

    def size(self):
        """The figure's, from where its bodies are at the start."""
        scene = json.loads((self.folder / "run" / "scene.json").read_text())
        places = [body.get("position", [0, 0, 0]) for body in scene.get("bodies", [])]
        for mesh in scene.get("meshes", []):
            at = mesh.get("position", [0, 0, 0])
            places += [[a + b for a, b in zip(at, vertex)] for vertex in mesh.get("vertices", [])]
        spans = [max(p[k] for p in places) - min(p[k] for p in places) for k in range(3)]
        return max(0.05, math.hypot(*spans))

    def judge(self):
        s, size = self.summary, self.size()
        scale = max(s["energy_max"] - s["energy_min"], 1e-9)
        for what, value in s.items():
            if isinstance(value, float) and not math.isfinite(value):
                self.faults.append(f"{what} is not finite")
        drives = max(0, s.get("energy_put_in_drives", 0))
        gained = s["energy_max"] - s["energy_start"] - drives
        if gained > 1e-3 * scale + 1e-6:
            self.faults.append(f"gains {gained:.3g} J of {scale:.3g}")
        if s["joint_gap_max"] > 1e-4 * size:
            self.faults.append(f"a joint opens by {s['joint_gap_max']:.2g} m")
        if s.get("penetration_max", 0) > 1e-2 * size:
            self.faults.append(f"{s['penetration_max']:.2g} m deep")
        if s.get("steps_unconverged", 0) > 0:
            self.faults.append(f"{s['steps_unconverged']} steps above their tolerance")

    def row(self):
        s = self.summary
        said = "; ".join(self.faults)
        loads = "yes" if self.loads else said
        runs = "yes" if self.runs else said if self.loads else "–"
        looks = "–" if not self.runs else said or "good"
        if not s:
            return f"| `{self.path.name}` | {self.kind} | – | – | – | – | – | {len(self.notes)} | {loads} | {runs} | {looks} |"
        speed = s["time"] / s["cpu_seconds"] if s["cpu_seconds"] > 0 else math.inf
        deep = 1e3 * s.get("penetration_max", 0)
        return (f"| `{self.path.name}` | {self.kind} | {s['bodies']} | {s['dof']} | {s['newton_iterations_mean']:.1f} | "
                f"{speed:.2g} | {deep:.2g} | {len(self.notes)} | {loads} | {runs} | {looks} |")


def main():
    options = arguments()
    options.output.mkdir(parents=True, exist_ok=True)
    trials = [Trial(path, options) for path in found(options.files) if path.suffix != ".xml" or kind_of(path)]
    if not trials:
        sys.exit("try_files: none of these files is a robot, a model or a character")
    rows = []
    for trial in trials:
        trial.run() if trial.kind else trial.faults.append("is of an unknown kind")
        rows.append(trial.row())
        print(f"{trial.path.name}: " + ("; ".join(trial.faults) or "good"), flush=True)
    head = ("| file | kind | bodies | freedoms | iterations a step | times real time | deepest, mm | notes | loads | runs | looks |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|\n")
    (options.output / "assets.md").write_text(head + "\n".join(rows) + "\n")
    bad = sum(bool(trial.faults) for trial in trials)
    print(f"{len(trials) - bad} of {len(trials)} good; {options.output / 'assets.md'}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
