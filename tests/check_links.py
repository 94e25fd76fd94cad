#!/usr/bin/env python3
"""Links of the documentation lead somewhere, in the repository and in the site.

    check_links.py ROOT              relative links and anchors of every Markdown file; every page is in the site's menu
    check_links.py ROOT --site       builds the site with MkDocs into a scratch folder and checks its links; exit
                                     status 77 where MkDocs is not installed
    check_links.py ROOT --self-test  checks that the check catches what it should
"""
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

SKIPPED = {"node_modules", "build", "out", ".git"}
FENCE = re.compile(r"^( {0,3})(```+|~~~+).*?^ {0,3}\2[ \t]*$", re.M | re.S)
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?: {4}[^\n]*\n|\n(?= {4}))+")
INLINE_CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)")
HEADING = re.compile(r"^#{1,6} +(.*?)(?: +#+)? *$", re.M)
ID = re.compile(r" *\{#([\w-]+)\}$")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:|^//", re.I)


def prose(text):
    """Without code, in which brackets are no links and # is no heading."""
    return INDENTED.sub("\n", FENCE.sub("", text))


def anchors(text):
    """The names of the headings as GitHub and the site make them."""
    found = set()
    for heading in HEADING.findall(prose(text)):
        given = ID.search(heading)
        if given:
            found.add(given[1])
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", ID.sub("", heading)).lower()
        slug = re.sub(r"[^\w\- ]", "", words.strip()).replace(" ", "-")
        name, number = slug, 0
        while name in found:
            number += 1
            name = f"{slug}-{number}"
        found.add(name)
    return found


def check_page(page, text, read):
    """Findings of one page. `read` gives the text of a path, "" for what is no Markdown, None for what is not there."""
    for target in LINK.findall(INLINE_CODE.sub("", prose(text))):
        if ELSEWHERE.match(target):
            continue
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        there = page.parent / path if path else page
        found = read(there)
        if found is None:
            yield f"{page}: the link to {target} leads nowhere"
        elif anchor and there.suffix == ".md" and anchor not in anchors(found):
            yield f"{page}: {target}: there is no such heading"


def reader(root):
    def read(path):
        file = root / path
        if not file.exists():
            return None
        return file.read_text(encoding="utf-8") if file.suffix == ".md" else ""

    return read


def check_repository(root):
    pages = [path.relative_to(root) for path in sorted(root.rglob("*.md"))]
    pages = [page for page in pages if not SKIPPED & set(page.parts)]
    read = reader(root)
    findings = [line for page in pages for line in check_page(page, read(page), read)]
    menu = (root / "docs/site/mkdocs.yml").read_text(encoding="utf-8")
    for page in pages:
        if page.parent == pathlib.Path("docs") and not re.search(rf": {re.escape(str(page))}$", menu, re.M):
            findings.append(f"docs/site/mkdocs.yml: {page} is not in the menu")
    return len(pages), findings


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.update(values[key] for key in ("id", "name") if values.get(key))
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


def check_site(root):
    if shutil.which("mkdocs") is None:
        print("skipped: MkDocs is not installed (mkdocs, mkdocs-material)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        site = pathlib.Path(scratch).resolve()
        if subprocess.run([sys.executable, "-B", root / "docs/site/make_site.py", site]).returncode != 0:
            sys.exit("MkDocs could not build the site")
        pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
        findings = []
        for path, page in pages.items():
            if path.name == "404.html":  # served at any address; its links are absolute
                continue
            for link in page.links:
                if ELSEWHERE.match(link):
                    continue
                where, _, anchor = urllib.parse.unquote(link).partition("#")
                target = (path.parent / where.split("?")[0]).resolve() if where else path
                if target.is_dir():
                    target /= "index.html"
                if not target.exists():
                    findings.append(f"{path.relative_to(site)}: the link to {link} leads nowhere")
                elif anchor and target in pages and anchor not in pages[target].ids:
                    findings.append(f"{path.relative_to(site)}: {link}: there is no such place")
        return len(pages), findings


def self_test():
    pages = {
        "docs/there.md": "# A page\n\n## `sinew run`, once more\n\n## Same\n\n## Same\n\n# Main {#mainpage}\n",
        "docs/file.txt": "",
    }
    cases = [
        ("[x](there.md) ![y](file.txt) [z](https://example.org/x.md)", 0),
        ("[x](gone.md)", 1),
        ("![x](gone.png)", 1),
        ("[x](there.md#sinew-run-once-more) [x](there.md#same-1) [x](there.md#mainpage)", 0),
        ("[x](there.md#sinew-walk)", 1),
        ("# Own\n\n[x](#own)", 0),
        ("# Own\n\n[x](#other)", 1),
        ("`[x](gone.md)`\n\n    [x](gone.md)\n\n```\n[x](gone.md)\n```\n", 0),
        ("```\n# No heading\n```\n[x](#no-heading)", 1),
    ]
    wrong = []
    for text, expected in cases:
        page = pathlib.Path("docs/page.md")
        known = {**pages, str(page): text}
        found = list(check_page(page, text, lambda path, known=known: known.get(str(path))))
        if len(found) != expected:
            wrong.append(f"{text!r}: {expected} findings expected, got {found}")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if "--self-test" in sys.argv:
        wrong = self_test()
        sys.exit("\n".join(wrong) if wrong else 0)
    count, findings = check_site(root) if "--site" in sys.argv else check_repository(root)
    if count == 0:
        sys.exit("found no pages")
    print(f"{count} pages, {len(findings)} findings")
    sys.exit("\n".join(findings) if findings else 0)


main()
