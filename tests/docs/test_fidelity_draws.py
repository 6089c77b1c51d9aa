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
HEAD = "| root | robustly missed | undecided, or else |\n|---|---|---|\n"
ROBUSTLY_MISSED = "robustly_missed"
CLASSES = {"robust": "robust: a miss of the constants' medians", "by_chance": "a matter of chance", "not_judged": "judged in none"}
FEW = 20  # with fewer draws no class is given


def known_misses():
    """{claim: place of its analysis}, in the order of the theses and of the files."""
    return {name: claim["known_miss"].removeprefix("docs/fidelity.md")
            for thesis in THESES
            for name, claim in yaml.safe_load((CLAIMS / f"{thesis}.yaml").read_text(encoding="utf-8"))["others"].items()
            if "known_miss" in claim}


def entry(name, claim):
    """A claim with the share of the draws in which it holds or is level, and of how many: "`a.b` 5 % of 20"."""
    draws = claim["draws"]
    judged = draws["holds"] + draws["level"] + draws["misses"]
    share = "-" if draws["share"] is None else f"{100 * draws['share']:.0f} %"
    said = "no draw moves it" if draws["constant"] else "few draws" if judged < FEW else CLASSES.get(draws["class"])
    return f"`{name}` {share} of {judged}" + (f", {draws['failed']} failed" if draws["failed"] else "") + (f" ({said})" if said else "")


def row(place, names, claims, headings):
    columns = {True: [], False: []}
    for name in names:
        columns[claims[name]["draws"]["class"] == ROBUSTLY_MISSED].append(entry(name, claims[name]))
    return f"| [{headings[place]}]({place}) | {'; '.join(columns[True])} | {'; '.join(columns[False])} |\n"


def headings_of(page):
    """{anchor: heading} of a page."""
    return {"#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-"): heading
            for heading in re.findall(r"(?m)^#+ (.*)$", page)}


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
    page, places = PAGE.read_text(encoding="utf-8"), {}
    for name, place in known_misses().items():
        places.setdefault(place, []).append(name)
    rows = "".join(row(place, names, claims, headings_of(page)) for place, names in places.items())
    PAGE.write_text(page.replace(table(page), HEAD + rows), encoding="utf-8")


class Misses(unittest.TestCase):
    def test_each_is_there(self):
        listed = [(name, place) for place, rest in re.findall(r"(?m)^\| \[[^\]]*\]\((#[\w-]+)\) \| (.*)$", table(PAGE.read_text(encoding="utf-8")))
                  for name in re.findall(r"`([\w.]+)` (?:-|\d+ %) of \d+", rest)]
        self.assertEqual(dict(listed), known_misses())
        self.assertEqual(len(listed), len(known_misses()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(*sys.argv[2:])
    else:
        unittest.main()
