#!/usr/bin/env python3
"""Programs that the README and the tutorials show are those of examples/, letter by letter."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
examples = [path.read_text(encoding="utf-8") for path in sorted(root.glob("examples/*.cpp"))]
findings = []
for page in [root / "README.md", *sorted(root.glob("docs/tutorial_*.md"))]:
    for block in re.findall(r"^```cpp\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
        if not any(block in example for example in examples):
            findings.append(f"{page.relative_to(root)}: no file of examples/ has the block that begins with\n{block[:200]}")
hello = (root / "examples/hello.cpp").read_text(encoding="utf-8")
if f"```cpp\n{hello}```" not in (root / "README.md").read_text(encoding="utf-8"):
    findings.append("README.md: no ```cpp block equals examples/hello.cpp; copy the file into the README")
sys.exit("\n".join(findings) if findings else 0)
