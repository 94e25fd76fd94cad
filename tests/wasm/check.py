#!/usr/bin/env python3
"""The core (layers 0 to 8) compiles for WebAssembly and links into a module; where node is there, the
module is run too.

    check.py ROOT WORK EIGEN_INCLUDE
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
LAST_CORE_LEVEL = 8
COMPILER = "clang++-19"
# Portability is what is checked here, not speed: -O0 takes a quarter less time than -O1.
FLAGS = ["--target=wasm32-wasi", "-std=c++20", "-O0", "-fno-exceptions", "-ffp-contract=off"]

root, work, eigen = (pathlib.Path(argument) for argument in sys.argv[1:4])


def run(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def skip_unless_installed():
    reason = None
    if not shutil.which(COMPILER):
        reason = f"{COMPILER} is not installed"
    else:
        # A compiler without its libraries is of no use; a program of one line tells.
        probe = work / "probe.cpp"
        probe.write_text("#include <string>\nint main() { return (int)std::string(\"\").size(); }\n")
        result = subprocess.run([COMPILER, *FLAGS, str(probe), "-o", str(work / "probe.wasm")],
                                capture_output=True)
        if result.returncode != 0:
            reason = "the WebAssembly libraries are not installed (see cmake/install-deps)"
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)


def core_sources():
    table = (root / "docs/architecture.md").read_text(encoding="utf-8")
    folders = [name for level, name in re.findall(r"^\|\s*(\d+)\s*\|\s*`(\w+)`", table, re.M)
               if int(level) <= LAST_CORE_LEVEL]
    return sorted(path for folder in folders for path in (root / "src/sinew" / folder).rglob("*.cpp"))


INCLUDES = [f"-I{root / 'src'}", f"-isystem{eigen}"]


def precompile():
    """Eigen, which every file above `base` includes by way of this header, is read once: half the time."""
    header = work / "types.pch"
    run(COMPILER, *FLAGS, *INCLUDES, "-x", "c++-header", root / "src/sinew/math/types.h", "-o", header)
    return header


def compile_one(source, header):
    name = source.relative_to(root).with_suffix(".o")
    target = work / "_".join(name.parts)
    known = [] if "base" in name.parts else ["-include-pch", header]
    run(COMPILER, *FLAGS, *INCLUDES, *known, "-c", source, "-o", target)
    return target


def main():
    work.mkdir(parents=True, exist_ok=True)
    skip_unless_installed()
    sources = core_sources()
    if not sources:
        sys.exit("found no sources of the core")
    # The big ones first, so that no core waits for the last of them.
    sources.sort(key=lambda path: -path.stat().st_size)
    everything = [*sources, root / "tests/wasm/module.cpp"]
    header = precompile()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda source: compile_one(source, header), everything))
    module = work / "sinew.wasm"
    run(COMPILER, *FLAGS, "-mexec-model=reactor", "-Wl,--strip-all", *objects, "-o", module)
    print(f"{len(sources)} files compiled, {module.stat().st_size // 1024} KiB linked")
    if shutil.which("node"):
        print(run("node", "--no-warnings", root / "tests/wasm/run.mjs", module).strip())
    else:
        print("node is not installed: the module was linked, not run")


main()
