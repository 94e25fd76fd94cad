#!/usr/bin/env python3
"""Every source file is laid out as .clang-format says. `make format` puts it right."""
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
WANTED = 14  # other versions lay out a few constructs differently

root = pathlib.Path(sys.argv[1])
tool = shutil.which(f"clang-format-{WANTED}") or shutil.which("clang-format")
version = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout if tool else ""
if not re.search(rf"version {WANTED}\.", version):
    print(f"skipped: clang-format {WANTED} is not installed")
    sys.exit(SKIPPED)

files = sorted(
    path
    for folder in ("src", "tests", "examples", "bench")
    for path in (root / folder).rglob("*")
    if path.suffix in (".cpp", ".h")
)
result = subprocess.run([tool, "--dry-run", "--Werror", *map(str, files)])
print(f"{len(files)} files looked at")
sys.exit(result.returncode)
