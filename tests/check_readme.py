#!/usr/bin/env python3
"""The hello-world that the README shows is examples/hello.cpp, letter by letter."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
blocks = re.findall(r"^```cpp\n(.*?)^```$", (root / "README.md").read_text(), re.M | re.S)
hello = (root / "examples/hello.cpp").read_text()
if hello not in blocks:
    sys.exit("README.md: no ```cpp block equals examples/hello.cpp; copy the file into the README")

# A link to a page that is gone is as bad as a hello-world that does not compile.
broken = []
for page in [*root.glob("*.md"), *root.glob("docs/*.md")]:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        if "://" not in target and not (page.parent / target).exists():
            broken.append(f"{page.relative_to(root)}: the link to {target} leads nowhere")
sys.exit("\n".join(broken) if broken else 0)
