#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of docs/fidelity.md on known misses in draws has each of them, and no other claim.

    test_fidelity_draws.py                         check
    test_fidelity_draws.py --write DOCUMENT...     put in what `netsim validate --draws N --format json` has printed; of a
                                                   claim that several documents have, what most draws say
"""

import json
import os
import pathlib
import re
import sys
import unittest

import yaml

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2])).resolve()
PAGE = SOURCE / "docs" / "fidelity.md"
CLAIMS = SOURCE / "references" / "claims"
THESES = ("via", "armci", "icpt", "grim", "sctp")  # the files of theses 000 to 004
HEAD = "| known miss | holds or is level in | draws | |\n|---|---:|---:|---|\n"
CLASSES = {"robust": "robust: a miss of the constants' medians", "by_chance": "a matter of chance", "undecided": "undecided",
           "robustly_missed": "robustly missed", "not_judged": "judged in none"}
FEW = 20  # with fewer draws no class is given


def known_misses():
    """{claim: place of its analysis}, in the order of the theses and of the files."""
    return {name: claim["known_miss"].removeprefix("docs/fidelity.md")
            for thesis in THESES
            for name, claim in yaml.safe_load((CLAIMS / f"{thesis}.yaml").read_text(encoding="utf-8"))["others"].items()
            if "known_miss" in claim}


def row(name, place, claim):
    draws = claim["draws"]
    judged = draws["holds"] + draws["level"] + draws["misses"]
    share = "-" if draws["share"] is None else f"{100 * draws['share']:.0f} %"
    failed = f"; failed in {draws['failed']}" if draws["failed"] else ""
    said = "no draw moves it" if draws["constant"] else "few draws" if judged < FEW else CLASSES[draws["class"]]
    return f"| [`{name}`]({place}) | {share} | {judged} | {said}{failed} |\n"


def table(page):
    start = page.index(HEAD)
    return page[start:page.index("\n\n", start) + 1]


def write(*documents):
    claims = {}
    for document in documents:
        for claim in json.loads(pathlib.Path(document).read_text(encoding="utf-8"))["claims"]:
            other = claims.get(claim["id"])
            if claim["draws"] and (not other or claim["draws"]["run"] > other["draws"]["run"]):
                claims[claim["id"]] = claim
    rows = "".join(row(name, place, claims[name]) for name, place in known_misses().items())
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page.replace(table(page), HEAD + rows), encoding="utf-8")


class Misses(unittest.TestCase):
    def test_each_is_there(self):
        listed = re.findall(r"^\| \[`([\w.]+)`\]\((#[\w-]+)\)", table(PAGE.read_text(encoding="utf-8")), re.MULTILINE)
        self.assertEqual(dict(listed), known_misses())
        self.assertEqual(len(listed), len(known_misses()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(*sys.argv[2:])
    else:
        unittest.main()
