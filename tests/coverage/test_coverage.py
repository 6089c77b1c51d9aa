#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every behaviour that a source states is tested, or declared to be outside what a simulator can show.

references/claims/SYSTEM.yaml lists what a source states, by id. A test names the ids that it is
about in its name or in a comment. This sees that each behaviour is named by a test or has a reason
under `outside`, not both; that tests name no id that does not exist; that where a claim refers to
another one for its reasons, that one is there and, if the reason is that no scenario can be held
against the claim, tested; and that docs/coverage.md and references/tests.yaml are up to date.
`netsim validate` reads the latter.

    test_coverage.py           check (and check the checks)
    test_coverage.py --write   write docs/coverage.md and references/tests.yaml anew
"""

import os
import pathlib
import re
import sys
import tempfile
import unittest

import yaml

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR",
                                     pathlib.Path(__file__).resolve().parents[2]))
PAGE = "docs/coverage.md"
TESTS = "references/tests.yaml"
SUFFIXES = {".c", ".h", ".py", ".sh", ".case"}
OWN = "tests/coverage"  # names ids only as examples

INTRODUCTION = """\
# Coverage: which statements of the sources are tested

Written by `tests/coverage/test_coverage.py --write`; the test suite fails when it is out of date.

The statements, with their sections, are in `references/`. A behaviour is either named by a test, by
its id in the test's name or in a comment, or it is listed as outside of what a simulator can show.
"""


class Claims:
    """What one source states: references/claims/SYSTEM.yaml."""

    def __init__(self, path: pathlib.Path):
        text = path.read_text(encoding="utf-8")
        data = yaml.safe_load(text)
        self.file = f"claims/{path.name}"
        self.system = path.stem
        self.behaviours = data["behaviours"]
        self.others = data.get("others") or {}
        written = re.findall(rf"(?m)^  ({self.system}\.[a-z0-9_.]+):", text)
        self.twice = sorted({name for name in written if written.count(name) > 1})

    def known(self, name: str) -> bool:
        return name in self.behaviours or name in self.others

    def outside(self) -> dict:
        return {name: claim["outside"] for name, claim in self.behaviours.items()
                if "outside" in claim}


def read_claims(root: pathlib.Path) -> list:
    return [Claims(path) for path in sorted((root / "references" / "claims").glob("*.yaml"))]


def named_in_tests(root: pathlib.Path, system: str) -> dict:
    """The ids of a system that tests name: id -> files that name it."""
    # Not a part of a longer word or path, and not a pattern such as via.rpi.*
    pattern = re.compile(rf"(?<![\w./-]){system}(?:\.[a-z0-9_]+)+(?![\w/]|\.?\*)")
    found: dict = {}
    for path in sorted((root / "tests").rglob("*")):
        file = path.relative_to(root).as_posix()
        if path.suffix not in SUFFIXES or file.startswith(OWN + "/"):
            continue
        for name in set(pattern.findall(path.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(file)
    return found


# ---- The page ----

def cell(text: str) -> str:
    """Text as it stands in a cell of a Markdown table."""
    text = " ".join(str(text).split())
    return re.sub(r"([\\|*_`])", r"\\\1", text).replace("<", "&lt;")


def table(head: list, rows: list) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def files(names: list) -> str:
    return ", ".join(f"`{name.removeprefix('tests/')}`" for name in names)


def group_of(name: str) -> str:
    return ".".join(name.split(".")[:2])


def claims_section(claims: Claims, named: dict) -> str:
    outside = claims.outside()
    tested = [name for name in claims.behaviours if name in named]
    out = [f"\n## `references/{claims.file}`\n\n",
           f"{len(claims.behaviours)} behaviours: {len(tested)} tested, {len(outside)} outside.\n"]
    if outside:
        rows = [[f"`{name}`", cell(claims.behaviours[name]["statement"]), cell(reason)]
                for name, reason in outside.items()]
        out.append("\n### Outside\n\n" + table(["statement", "what it says", "why"], rows))
    for group in dict.fromkeys(map(group_of, tested)):
        rows = [[f"`{name}`", cell(claims.behaviours[name]["statement"]),
                 cell(claims.behaviours[name]["source"]), files(named[name])]
                for name in tested if group_of(name) == group]
        out.append(f"\n### Tested: `{group}`\n\n"
                   + table(["statement", "what it says", "source", "in `tests/`"], rows))
    rows = [[f"`{name}`", cell(claim["statement"]), cell(claim["source"]), files(named[name])]
            for name, claim in claims.others.items() if name in named]
    if rows:
        out.append("\n### Numbers, shapes and configurations that tests name\n\n"
                   + table(["statement", "what it says", "source", "in `tests/`"], rows))
    return "".join(out)


def page(root: pathlib.Path) -> str:
    return INTRODUCTION + "".join(claims_section(claims, named_in_tests(root, claims.system))
                                  for claims in read_claims(root))


# ---- What the program reads ----

TESTS_HEAD = """\
# Which tests name which claim; written by tests/coverage/test_coverage.py --write.
tests:
"""


def tests_text(root: pathlib.Path) -> str:
    lines = []
    for claims in read_claims(root):
        named = named_in_tests(root, claims.system)
        lines += [f"  {name}: [{', '.join(named[name])}]\n"
                  for name in [*claims.behaviours, *claims.others] if name in named]
    return TESTS_HEAD + "".join(lines)


def write(root: pathlib.Path):
    for name, text in ((PAGE, page(root)), (TESTS, tests_text(root))):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


# ---- The check ----

def complaints_about_reasons(claims: Claims, named: dict) -> list:
    """Ids that reasons refer to."""
    found = []
    pattern = re.compile(rf"\b{claims.system}(?:\.[a-z0-9_]+)+")
    for name, claim in {**claims.behaviours, **claims.others}.items():
        for key in ("outside", "not_checkable", "because"):
            for other in pattern.findall(str(claim.get(key, ""))):
                if not claims.known(other):
                    found.append(f"{claims.file}: {name} refers to {other}, which is not there")
                elif (key != "because" and other not in named
                      and "check" not in claims.others.get(other, {})):
                    found.append(f"{claims.file}: {name} leaves it to {other}, "
                                 "which no test names")
    return found


def complaints_about(claims: Claims, named: dict) -> list:
    found = [f"{claims.file}: {name} stands there twice" for name in claims.twice]
    for name, claim in {**claims.behaviours, **claims.others}.items():
        found += [f"{claims.file}: {name} has no {key}" for key in ("statement", "source")
                  if not claim.get(key)]
    for name, claim in claims.behaviours.items():
        if "outside" not in claim and name not in named:
            found.append(f"{claims.file}: {name} is neither tested nor said to be outside")
        if "outside" in claim and name in named:
            found.append(f"{claims.file}: {name} is said to be outside, "
                         f"but {named[name][0]} tests it")
        if "outside" in claim and not claim["outside"]:
            found.append(f"{claims.file}: {name} is outside without a reason")
    found += complaints_about_reasons(claims, named)
    for name, where in named.items():
        is_file = name.count(".") == 1  # sys.h
        if not claims.known(name) and not is_file:
            found.append(f"{where[0]}: there is no {name} in {claims.file}")
    return found


def complaints(root: pathlib.Path) -> list:
    found = []
    for claims in read_claims(root):
        found += complaints_about(claims, named_in_tests(root, claims.system))
    for name, text in ((PAGE, page(root)), (TESTS, tests_text(root))):
        written = root / name
        if not written.exists() or written.read_text(encoding="utf-8") != text:
            found.append(f"{name} is out of date: write it with {OWN}/test_coverage.py --write")
    return found


class Coverage(unittest.TestCase):
    def test_every_behaviour(self):
        self.assertEqual(complaints(SOURCE), [])

    def test_all_behaviours_are_there(self):
        """The catalogue itself does not shrink unseen."""
        counts = {claims.system: len(claims.behaviours) for claims in read_claims(SOURCE)}
        self.assertEqual(counts.get("via"), 104)


class CheckOfTheCheck(unittest.TestCase):
    """A small tree of its own that is right, and each mistake that it can have."""

    CLAIMS = """\
behaviours:
  sys.a.first: {statement: the first <b> | c, source: "1.1"}
  sys.a.second: {statement: the second, source: "1.2", outside: no simulator has it}
others:
  sys.number: {kind: number, statement: a number, source: "2"}
  sys.figure: {kind: figure, statement: a drawing, source: "3", not_checkable: see sys.a.first.}
"""
    TEST = ("// sys.a.first, sys.number: and never the sys.* of a pattern, nor lib_sys.other or\n"
            "// sys/x.c or sys.h.\n")

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-coverage-")
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.write("references/claims/sys.yaml", self.CLAIMS)
        self.write("tests/room/test_it.c", self.TEST)
        self.write("tests/coverage/test_coverage.py", "# sys.a.unknown")
        self.write_page()

    def write(self, name: str, text: str):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_page(self):
        write(self.root)

    def complains(self, *parts: str):
        found = complaints(self.root)
        self.assertEqual(len(found), len(parts), found)
        for part, complaint in zip(parts, found):
            self.assertIn(part, complaint)

    def test_right(self):
        self.complains()
        text = (self.root / PAGE).read_text(encoding="utf-8")
        self.assertIn("2 behaviours: 1 tested, 1 outside.", text)
        self.assertIn("| `sys.a.first` | the first &lt;b> \\| c | 1.1 | `room/test_it.c` |", text)
        self.assertIn("| `sys.a.second` | the second | no simulator has it |", text)
        self.assertIn("| `sys.number` | a number | 2 | `room/test_it.c` |", text)

    def test_what_the_program_reads(self):
        self.assertEqual(yaml.safe_load((self.root / TESTS).read_text(encoding="utf-8")),
                         {"tests": {"sys.a.first": ["tests/room/test_it.c"],
                                    "sys.number": ["tests/room/test_it.c"]}})
        (self.root / TESTS).write_text("tests: {}", encoding="utf-8")
        self.complains("references/tests.yaml is out of date")

    def test_case_file(self):
        self.write("tests/cases/stack/it.case", "# sys.a.first: it holds.\n")
        self.write_page()
        self.complains()
        self.assertIn("| `cases/stack/it.case`, `room/test_it.c` |",
                      (self.root / PAGE).read_text(encoding="utf-8"))

    def test_untested(self):
        self.write("tests/room/test_it.c", "// sys.number\n")
        self.write_page()
        self.complains("sys.a.first is neither tested nor said to be outside",
                       "sys.figure leaves it to sys.a.first, which no test names")

    def test_reason_that_leads_nowhere(self):
        self.write("references/claims/sys.yaml",
                   self.CLAIMS.replace("see sys.a.first.", "see sys.a.frist."))
        self.write_page()
        self.complains("sys.figure refers to sys.a.frist, which is not there")

    def test_unknown(self):
        self.write("tests/room/test_more.py", "# sys.a.frist\n")
        self.complains("tests/room/test_more.py: there is no sys.a.frist")

    def test_both(self):
        self.write("tests/room/test_more.sh", "# sys.a.second\n")
        self.write_page()
        self.complains("sys.a.second is said to be outside, but tests/room/test_more.sh tests it")

    def test_outside_without_a_reason(self):
        self.write("references/claims/sys.yaml", self.CLAIMS.replace("no simulator has it", "''"))
        self.write_page()
        self.complains("sys.a.second is outside without a reason")

    def test_twice(self):
        line = "  sys.a.first: {statement: again, source: x}\n"
        self.write("references/claims/sys.yaml",
                   self.CLAIMS.replace("others:\n", line + "others:\n"))
        self.write_page()
        self.complains("sys.a.first stands there twice")

    def test_incomplete(self):
        self.write("references/claims/sys.yaml", self.CLAIMS.replace('source: "1.1"', 'source: ""'))
        self.write_page()
        self.complains("sys.a.first has no source")

    def test_page_out_of_date(self):
        self.write("tests/room/test_more.c", "// sys.a.first\n")
        self.complains("out of date", "out of date")
        (self.root / PAGE).unlink()
        self.complains("out of date", "out of date")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write(SOURCE)
    else:
        unittest.main()
