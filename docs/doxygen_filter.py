#!/usr/bin/env python3
"""Turns our plain comments into Doxygen's while it reads them: `//` above a declaration becomes `///`,
`// …` behind a member becomes `///< …`, and the page at the top of a header becomes the file's own text.
"""
import re
import sys

BARE = re.compile(r"^(\s*)//(?!/)(.*)$")
TRAILING = re.compile(r"^(\s*\S.*?[;,{]\s+)//(?!/)(.*)$")


def escape(text):
    # Doxygen would read these as commands of its own.
    return re.sub(r"([\\@#<>&])", r"\\\1", text)


def translate(lines):
    in_opening, in_formula, trailing_column = True, False, None
    for number, line in enumerate(lines):
        bare = BARE.match(line)
        trailing = None if bare else TRAILING.match(line)
        in_opening = in_opening and bare is not None
        if number == 0 and in_opening:
            yield "/// @file"
        if bare and bare[2].strip().startswith("----"):  # a divider
            yield line
        elif bare:
            indent, text = bare[1], bare[2]
            # A comment that goes on under a trailing one belongs to it.
            mark = "///<" if trailing_column == len(indent) else "///"
            formula = text.startswith("     ")
            if formula != in_formula and mark == "///":  # Markdown wants an empty line around a block
                yield f"{indent}///"
            in_formula = formula
            yield f"{indent}{mark}{text if formula else escape(text)}"
            continue
        elif trailing:
            trailing_column = len(trailing[1])
            yield f"{trailing[1]}///<{escape(trailing[2])}"
            continue
        else:
            yield line
        in_formula, trailing_column = False, None


for translated in translate(open(sys.argv[1], encoding="utf-8").read().splitlines()):
    print(translated)
