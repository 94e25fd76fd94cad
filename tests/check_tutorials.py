#!/usr/bin/env python3
"""The commands that the tutorials show do what the tutorials show.

    check_tutorials.py ROOT SINEW EXAMPLES   SINEW is the command, EXAMPLES the folder of the built examples

In a ```console block a line that begins with "$ " is a command, which goes on after a backslash at its end, and what
follows is its output. There "…" stands for any text, and on a line of its own for any lines; columns may be wider or
narrower, as the digits of a time make them. Commands of a page run one after the other in a folder that looks like the
repository; each has to end with exit code 0.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def commands(text):
    """Pairs of a command and the lines that it prints."""
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *lines = part.splitlines()
            while command.endswith("\\"):
                command += "\n" + lines.pop(0)
            yield command, lines


def pattern(lines):
    any_width = lambda text: re.sub(r"(?:\\ ){2,}", r" {2,}", re.escape(text))
    any_text = lambda line: ".*".join(any_width(piece) for piece in line.split("…"))
    return "".join("(?:.*\n)*" if line.strip() == "…" else any_text(line) + "\n" for line in lines)


def check(page, root, sinew, examples):
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        for part in ("scenes", "examples", "docs"):
            (place / part).symlink_to(root / part)
        (place / "build/release").mkdir(parents=True)
        (place / "build/release/examples").symlink_to(examples)
        environment = {**os.environ, "PATH": f"{sinew.parent}{os.pathsep}{os.environ['PATH']}"}
        found = list(commands(page.read_text(encoding="utf-8")))
        for command, lines in found:
            done = subprocess.run(
                command, shell=True, cwd=place, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            if done.returncode != 0:
                yield f"{page.name}: exit code {done.returncode} of: {command}\n{done.stdout}"
                return
            if not re.fullmatch(pattern(lines), done.stdout):
                yield f"{page.name}: another output than shown of: {command}\n{done.stdout}"
        if not found:
            yield f"{page.name}: shows no command"
        print(f"{page.name}: {len(found)} commands")


def main():
    root, sinew, examples = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    pages = sorted(root.glob("docs/tutorial_*.md"))
    findings = [line for page in pages for line in check(page, root, sinew, examples)]
    sys.exit("\n".join(findings) if findings else 0 if pages else "docs: there are no tutorials")


main()
