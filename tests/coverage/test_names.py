#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file that a claim, a scenario or a document names exists, and so does every target of a link.

A path is what begins with a directory of the tree, "tests/rpi/test_wire.c"; one with a * must match
something. A test may be named without its directory. A part in capitals stands for any name
("tests/ROOM/test_NAME.c"), and a page may name the files whose text it shows ("```c file=PATH").
Links of a page are to files from where it stands, and to headings.

    test_names.py     check (and check the check)
"""

import os
import pathlib
import re
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR",
                                     pathlib.Path(__file__).resolve().parents[2]))
ROOMS = "bench|cmake|completion|docs|examples|models|plots|references|scenarios|sim|tests"
PATH = re.compile(rf"(?<![\w./-])(?:{ROOMS})/[\w.*/-]*[\w*]")
TEST = re.compile(r"(?<![\w./*-])test_\w+\.(?:c|py|sh)\b")
LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)")
SHOWN = re.compile(r"(?m)^```\w* file=(\S+)$")
WRITTEN = "docs/coverage.md"  # by test_coverage.py, from the files; its paths begin below tests/


def texts(root: pathlib.Path) -> list:
    found = [*root.glob("references/**/*.yaml"), *root.glob("scenarios/**/*.yaml"),
             *root.glob("docs/*.md"), *root.glob("docs/*.1"), root / "README.md",
             root / "CHANGELOG.md"]
    return sorted(path for path in found
                  if path.is_file() and path.relative_to(root).as_posix() != WRITTEN)


def is_there(root: pathlib.Path, name: str) -> bool:
    return any(root.glob(name)) if "*" in name else (root / name).exists()


def is_placeholder(name: str) -> bool:
    return any(re.search(r"(?<![A-Za-z])[A-Z]{4,}(?![a-z])", part)
               for part in name.split("/") if not part.endswith(".md"))


def headings(page: str) -> set:
    """The anchors of a page, as GitHub makes them."""
    plain = re.sub(r"(?ms)^```.*?^```$", "", page)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
            for title in re.findall(r"(?m)^#{1,6} (.*)$", plain)}


def wrong_links(path: pathlib.Path, text: str) -> list:
    found = []
    for match in LINK.finditer(text):
        name, anchor = match.group(1), match.group(2)
        target = (path.parent / name) if name else path
        if not target.exists():
            found.append((match.start(), f"there is no {name}"))
        elif anchor and anchor not in headings(target.read_text(encoding="utf-8")):
            found.append((match.start(), f"{name} has no #{anchor}"))
    return found


def complaints(root: pathlib.Path) -> list:
    tests = {path.name for path in (root / "tests").rglob("test_*")}
    found = []
    for path in texts(root):
        text = path.read_text(encoding="utf-8")
        shown = set(SHOWN.findall(text))
        wrong = [(match.start(), f"there is no {match.group()}") for match in PATH.finditer(text)
                 if not (is_there(root, match.group()) or is_placeholder(match.group())
                         or match.group() in shown)]
        wrong += [(match.start(), f"there is no test {match.group()}")
                  for match in TEST.finditer(text) if match.group() not in tests]
        if path.suffix == ".md":
            wrong += wrong_links(path, text)
        for at, complaint in sorted(wrong):
            line = text.count("\n", 0, at) + 1
            found.append(f"{path.relative_to(root).as_posix()}:{line}: {complaint}")
    return found


class Names(unittest.TestCase):
    def test_all(self):
        self.assertEqual(complaints(SOURCE), [])

    def test_something_is_read(self):
        names = [path.relative_to(SOURCE).as_posix() for path in texts(SOURCE)]
        for name in ("README.md", "CHANGELOG.md", "docs/fidelity.md", "references/claims/via.yaml",
                     "references/top40.yaml", "scenarios/testbeds/cluster1.yaml"):
            self.assertIn(name, names)
        self.assertGreater(sum(len(PATH.findall(path.read_text(encoding="utf-8")))
                               for path in texts(SOURCE)), 300)


class CheckOfTheCheck(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-names-")
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.write("tests/room/test_it.c", "")
        self.write("docs/page.md", "# The page: `x`, 64 KiB\n```sh\n# no heading\n```\n")
        self.write("references/claims/sys.yaml", "a: tests/room/test_it.c, test_it.c, tests/room\n")

    def write(self, name: str, text: str):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def expect(self, text: str, *expected: str, name: str = "README.md"):
        self.write(name, text)
        self.assertEqual(complaints(self.root), [f"{name}:{one}" for one in expected])

    def test_right(self):
        self.expect("tests/room/test_*.c, tests/ROOM/test_NAME.c, [a](docs/page.md), "
                    "[b](docs/page.md#the-page-x-64-kib), [c](https://x.y/tests/z), lib/tests/z, "
                    "[d](#head), results/tests/z.\n# Head\n")
        self.expect("```c file=models/wire/wire.c\n```\nSee models/wire/wire.c.\n")

    def test_wrong(self):
        self.expect("tests/room/test_it.c and\ntests/room/test_message.c.\n",
                    "2: there is no tests/room/test_message.c")
        self.expect("as test_message.c does\n", "1: there is no test test_message.c")
        self.expect("tests/room/*.py\n", "1: there is no tests/room/*.py")
        self.expect("[a](docs/pgae.md)\n", "1: there is no docs/pgae.md", "1: there is no docs/pgae.md")
        self.expect("[a](docs/page.md#no-heading)\n", "1: docs/page.md has no #no-heading")
        self.expect("[a](#haed)\n# Head\n", "1:  has no #haed")

    def test_everywhere(self):
        for name in ("references/top.yaml", "references/claims/a.yaml", "scenarios/a.yaml",
                     "docs/a.md", "docs/netsim.1", "CHANGELOG.md"):
            self.expect("a: sim/none.c\n", "1: there is no sim/none.c", name=name)
            (self.root / name).unlink()


if __name__ == "__main__":
    unittest.main()
