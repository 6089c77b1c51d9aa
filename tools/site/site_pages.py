#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a site with search of the documents, by MkDocs with the theme Material (Debian's mkdocs-material).

    site_pages.py [--out DIR]

The pages are README.md, docs/*.md and all that they link to in the tree, at the same places, so that links need no
change. MkDocs runs with --strict, and then every link and anchor of the site is followed: a dead one is an error.
"""

import argparse
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Sections of the site; pages that no section has are the last one.
SECTIONS = {
    "Use": ["README.md", "docs/commands.md", "docs/scenarios.md", "docs/python.md", "docs/recording.md", "docs/campaigns.md",
            "docs/captures.md", "docs/uncertainty.md", "docs/glossary.md"],
    "Models": ["docs/models.md", "docs/parameters.md", "docs/constants.md", "docs/mechanisms.md", "docs/machines.md",
               "docs/system-calls.md", "docs/nas.md"],
    "Results": ["docs/fidelity.md", "docs/flows.md", "docs/coverage.md", "docs/what_ifs.md", "docs/speed.md"],
    "Work on it": ["CONTRIBUTING.md", "docs/architecture.md", "docs/paths.md", "docs/adding-a-fabric.md", "CHANGELOG.md"],
}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *```+)(\w+)[^\n`]*$", re.MULTILINE)


def read(path):
    with open(os.path.join(TREE, path), encoding="utf-8") as file:
        return file.read()


def is_outside(address):
    return re.match(r"[a-z]+:", address) or address.startswith("#")


class Staging:
    """The pages and the files that they link to, copied into a directory."""

    def __init__(self, directory):
        self.directory, self.done = directory, set()

    def add(self, path):
        if path in self.done:
            return
        self.done.add(path)
        target = os.path.join(self.directory, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not path.endswith(".md"):
            shutil.copyfile(os.path.join(TREE, path), target)
            return
        # Fences have words for the tests of the documents; MkDocs takes the language alone.
        text = FENCE.sub(r"\1\2", read(path))
        text = LINK.sub(lambda link: self.linked(path, link), text)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)

    def linked(self, page, link):
        """A link as it stands, after what it leads to was added; the text alone where that is a directory."""
        address = urllib.parse.unquote(link[3])
        if is_outside(address):
            return link[0]
        path = os.path.normpath(os.path.join(os.path.dirname(page), address.split("#")[0]))
        if os.path.isdir(os.path.join(TREE, path)):
            return link[2]
        if os.path.isfile(os.path.join(TREE, path)) and not path.startswith(".."):
            self.add(path)
        return link[0]


def navigation(pages):
    """The `nav` of mkdocs.yml, as text."""
    named = [page for section in SECTIONS.values() for page in section]
    rest = sorted(page for page in pages if page not in named)
    lines = ["nav:"]
    for title, section in [*SECTIONS.items(), ("More", rest)]:
        lines.append(f"  - {title}:")
        lines += [f"    - {page}" for page in section if page in pages]
    return "\n".join(lines) + "\n"


class Page(html.parser.HTMLParser):
    """The addresses and ids of a page."""

    def __init__(self, path):
        super().__init__()
        self.addresses, self.ids = [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("src", "href") and value:
                self.addresses.append(value)
            elif name in ("id", "name") and value:
                self.ids.add(value)


def dead_links(site):
    """"page: address" of each link that leads nowhere, or elsewhere without being asked."""
    pages = {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                pages[path] = Page(path)
    found = []
    for path, page in sorted(pages.items()):
        for address in page.addresses:
            place, _, anchor = urllib.parse.unquote(address).partition("#")
            if re.match(r"[a-z]+:|//", place):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), place)) if place else path
            if os.path.isdir(target):
                target = os.path.join(target, "index.html")
            known = pages.get(target)
            if os.path.basename(path) == "404.html" or (os.path.exists(target) and (
                    not anchor or not known or anchor in known.ids)):
                continue
            found.append(f"{os.path.relpath(path, site)}: {address}")
    return found


def write_index(out):
    """The index of the search once more as a script, for pages that are opened as files."""
    with open(os.path.join(out, "search", "search_index.json"), encoding="utf-8") as file:
        sections = [{name: one[name] for name in ("location", "title", "text")} for one in json.load(file)["docs"]]
    with open(os.path.join(out, "search", "search_index.js"), "w", encoding="utf-8") as file:
        file.write(f"window.netsimSections = {json.dumps(sections, ensure_ascii=False)};\n")


def make(out):
    with tempfile.TemporaryDirectory(prefix="netsim-site-") as scratch:
        staging = Staging(os.path.join(scratch, "pages"))
        staging.add("tools/site/file_search.js")
        for page in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + \
                sorted(f"docs/{name}" for name in os.listdir(os.path.join(TREE, "docs")) if name.endswith(".md")):
            staging.add(page)
        pages = [page for page in staging.done if page.endswith(".md")]
        with open(os.path.join(scratch, "mkdocs.yml"), "w", encoding="utf-8") as file:
            file.write(read("tools/site/mkdocs.yml") + f"docs_dir: pages\nsite_dir: {os.path.abspath(out)}\n" + navigation(pages))
        done = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--clean"], cwd=scratch, check=False)
        if done.returncode:
            sys.exit("site_pages.py: mkdocs has found mistakes")
    write_index(out)
    dead = dead_links(out)
    if dead:
        sys.exit("site_pages.py: dead links:\n" + "\n".join(dead))
    print(os.path.join(out, "index.html"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", default="site", help="directory of the site")
    make(parser.parse_args().out)


if __name__ == "__main__":
    main()
