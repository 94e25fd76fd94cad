#!/usr/bin/env python3
"""The layers of docs/architecture.md hold: a folder includes only folders of a lower level, the core
neither throws nor catches, only the apps use fmt, and no message of the library speaks of the command's options.

The table is read from the page itself, so that page and check cannot differ.

    check_layers.py ROOT              checks ROOT/src
    check_layers.py ROOT --self-test  checks that the check catches what it should
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]sinew/([^">]+)[">]')
FMT = re.compile(r'^\s*#\s*include\s*[<"]fmt/')
ROW = re.compile(r"^\|\s*(\d+)\s*\|\s*`(\w+)`")
EXCEPTION = re.compile(r"\b(throw|try|catch)\b")
# Comments, strings and character constants, where "try" is only a word.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
OPTION = re.compile(r"--[a-z]")
MAY_THROW = {"io", "apps"}


def read_levels(page):
    levels = {}
    for line in page.read_text(encoding="utf-8").splitlines():
        row = ROW.match(line)
        if row:
            levels[row[2]] = int(row[1])
    return levels


def blank(match):
    # Line breaks stay, so that line numbers do.
    return re.sub(r"[^\n]", " ", match[0])


def check_file(name, text, levels):
    """Findings of one file; name is its path below src/sinew."""
    folder = name.parts[0] if len(name.parts) > 1 else None
    if folder is not None and folder not in levels:
        yield f"{name}: folder {folder} is not in the layer table"
        return
    for number, line in enumerate(text.splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        parts = include[1].split("/")
        other = parts[0]
        if len(parts) == 1:
            if folder != "apps":
                yield f"{name}:{number}: only apps and users include sinew/{other}"
        elif other not in levels:
            yield f"{name}:{number}: includes {other}, which is not in the layer table"
        elif folder is None:  # the umbrella header
            if other == "apps":
                yield f"{name}:{number}: the library does not know its apps"
        elif other != folder and levels[other] >= levels[folder]:
            yield (
                f"{name}:{number}: {folder} (level {levels[folder]}) must not include "
                f"{other} (level {levels[other]})"
            )
    if folder != "apps":
        for number, line in enumerate(text.splitlines(), 1):
            if FMT.match(line):
                yield f"{name}:{number}: only the apps are linked with fmt"
            if any(OPTION.search(string) for string in STRING.findall(line)):
                yield f"{name}:{number}: an option of the command; name the setting (Diagnostic::setting)"
    if folder is not None and folder not in MAY_THROW:
        for number, line in enumerate(NOT_CODE.sub(blank, text).splitlines(), 1):
            word = EXCEPTION.search(line)
            if word:
                yield f"{name}:{number}: '{word[1]}' in the core, which knows no exceptions"


def check_tree(source, levels):
    files = sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp"))
    findings = []
    for path in files:
        findings += check_file(path.relative_to(source), path.read_text(encoding="utf-8"), levels)
    return files, findings


def self_test(levels):
    """Each of these files holds exactly one mistake, or none."""
    cases = [
        ("math/up.h", '#include "sinew/model/model.h"', 1),
        ("force/sideways.h", '#include "sinew/dynamics/methods.h"', 1),
        ("io/solves.h", '#include "sinew/simulation/simulation.h"', 1),
        ("io/deep/inside.h", '#  include "sinew/apps/main.h"', 1),
        ("io/angle.h", "#include <sinew/apps/main.h>", 1),
        ("base/unknown.h", '#include "sinew/nowhere/x.h"', 1),
        ("nowhere/x.h", "", 1),
        ("sinew.h", '#include "sinew/apps/main.h"', 1),
        ("model/umbrella.h", '#include "sinew/sinew.h"', 1),
        ("math/throws.cpp", "void f() { throw 1; }", 1),
        ("state/tries.cpp", "void f() { try { g(); } catch (...) {} }", 1),
        ("simulation/option.cpp", 'return fault("--slow-band", "is 0");', 1),
        ("character/prose.cpp", 'return "does not go with --from";', 1),
        ("io/formats.cpp", "#include <fmt/core.h>", 1),
        ("apps/formats.cpp", "#include <fmt/core.h>", 0),
        ("apps/option.cpp", 'return fault("--slow-band", "is 0");', 0),
        ("io/comment.cpp", 'skipTo("<!--", "-->"); for (int i = n; --i;) f("x");', 0),
        ("model/down.h", '#include "sinew/math/types.h"\n#include "sinew/model/joint.h"', 0),
        ("math/talks.cpp", '// we try\nconst char* s = "throw \\" try";', 0),
        ("io/throws.cpp", "void f() { throw 1; }", 0),
    ]
    wrong = []
    for name, text, expected in cases:
        found = list(check_file(pathlib.PurePath(name), text, levels))
        if len(found) != expected:
            wrong.append(f"{name}: {expected} findings expected, got {found}")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1])
    levels = read_levels(root / "docs/architecture.md")
    if len(levels) < 2:
        sys.exit("docs/architecture.md: found no layer table (rows like '| 3 | `model` | … |')")
    if "--self-test" in sys.argv:
        wrong = self_test(levels)
        sys.exit("\n".join(wrong) if wrong else 0)
    files, findings = check_tree(root / "src/sinew", levels)
    if not files:
        sys.exit("src/sinew: found no source files")
    print(f"{len(files)} files, {len(levels)} layers, {len(findings)} findings")
    sys.exit("\n".join(findings) if findings else 0)


main()
