#!/usr/bin/env python3
"""Lays out the pages of the site and has MkDocs build it.

    make_site.py SITE [--live RUNS] [--reference HTML]

Pages lie below each other as in the repository, so that their relative links hold in both. RUNS is a folder of runs
(`sinew run SCENE -o RUNS/NAME`), whose pages become part of the site; HTML is what Doxygen wrote. Both may be left out.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# What pages are made of, and what they link to.
PARTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "web/README.md", "docs", "examples", "scenes"]
SHOWN = ["humanoid", "hand", "stairs", "double_pendulum"]  # in frames; the others are links


def lay_out(pages):
    for part in PARTS:
        target = pages / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target, ignore=shutil.ignore_patterns("site", "__pycache__"))
        else:
            shutil.copy(ROOT / part, target)
    shutil.copy(HERE / "site.css", pages)


def about(run):
    scene = json.loads((run / "scene.json").read_text(encoding="utf-8"))
    return scene.get("name", run.name), scene.get("about", "")


def live_page(runs):
    lines = ["# Live", ""]
    if not runs:
        return "\n".join(lines + ["`make site` puts runs here that play, plot and simulate in the page.", ""])
    lines += [
        "These pages are what `sinew run` writes. Press *Live* (key V) in one of them: the engine then runs in the page. Drag a",
        "body to pull it, change the integrator and the step, make the joints stiffer. [All that a page can do](web/README.md).",
        "",
    ]
    order = {name: number for number, name in enumerate(SHOWN)}
    for run in sorted(runs, key=lambda run: (order.get(run.name, len(order)), run.name)):
        name, sentence = about(run)
        link = f"live/{run.name}/index.html"
        if run.name in SHOWN:
            lines += [f"## {name}", "", f"{sentence} [Open it alone]({link}).", ""]
            lines += [f'<iframe src="{link}" title="{name}" loading="lazy" width="100%" height="560"></iframe>', ""]
        else:
            if "## More" not in lines:
                lines += ["## More", ""]
            lines += [f"- [{name}]({link}): {sentence}"]
    return "\n".join(lines + [""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--live", type=pathlib.Path)
    parser.add_argument("--reference", type=pathlib.Path)
    options = parser.parse_args()
    if shutil.which("mkdocs") is None:
        sys.exit("MkDocs is not installed; Debian's packages are mkdocs and mkdocs-material")
    with tempfile.TemporaryDirectory() as scratch:
        pages = pathlib.Path(scratch)
        lay_out(pages)
        runs = sorted(page.parent for page in options.live.glob("*/index.html")) if options.live else []
        for run in runs:
            (pages / "live" / run.name).mkdir(parents=True)
            shutil.copy(run / "index.html", pages / "live" / run.name)
        (pages / "live.md").write_text(live_page(runs), encoding="utf-8")
        has_reference = options.reference is not None and (options.reference / "index.html").exists()
        (pages / "reference.md").write_text(
            "# C++ reference\n\n"
            + (
                "[Classes, functions and files](reference/index.html), by Doxygen from the comments in the headers.\n"
                if has_reference
                else "`make docs` writes these pages with Doxygen; `make site` after it puts them here.\n"
            ),
            encoding="utf-8",
        )
        if has_reference:
            shutil.copytree(options.reference, pages / "reference")
        command = ["mkdocs", "build", "--strict", "--quiet", "-f", str(HERE / "mkdocs.yml")]
        command += ["-d", str(options.site.resolve())]
        done = subprocess.run(command, env={**os.environ, "SINEW_SITE_PAGES": scratch})
    sys.exit(done.returncode)


main()
