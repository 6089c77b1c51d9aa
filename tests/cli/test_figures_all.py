#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws every figure with `netsim figures`: each series of its specification, and the page of all."""

import html.parser
import json
import os
import pathlib
import re
import sqlite3
import unittest

from drawing import Drawing, FIGURES
from harness import NETSIM
import needs

VALIDATED = pathlib.Path(NETSIM).resolve().parent / "validate.sqlite"  # by test_validate_shipped.py


def slug(text):
    return "-".join(re.sub(r"[^\w]|_", " ", text.lower()).split())


def series_of_spec(figure):
    """The names of the series of a specification, as curve_label makes those that have none."""
    names = set()
    for panel in figure["panels"]:
        for series in panel.get("series", figure.get("series")):
            names.add(series if isinstance(series, str) else
                      series.get("name", series.get("series")))
    return names


class Page(html.parser.HTMLParser):
    """The addresses and ids of a page, and its open elements."""

    VOID = {"meta", "link", "img", "br", "hr", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.addresses, self.ids, self.text = [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.note(attrs)

    def handle_startendtag(self, tag, attrs):
        self.note(attrs)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        self.text += data

    def note(self, attrs):
        for name, value in attrs:
            if name in ("src", "href", "xlink:href"):
                self.addresses.append(value)
            if name == "id":
                self.ids.append(value)


@needs.matplotlib
class Figures(Drawing):
    def take_up_runs(self):
        """Most curves are those of claims, whose runs of this very program need not be made again."""
        os.mkdir(self.path("figures"))
        if VALIDATED.exists():
            with sqlite3.connect(VALIDATED) as validated, sqlite3.connect(self.path("figures/cache.sqlite")) as cache:
                validated.backup(cache)

    def test_all(self):
        """Every figure is drawn with every series that its specification names; the second call
        simulates nothing, and writes the same bytes."""
        self.take_up_runs()
        first = self.netsim("figures")
        self.assertNotIn("not drawn", first.stderr)
        self.assertRegex(first.stdout, rf"{len(FIGURES)} figures with \d+ series")
        self.assertIn("claims hold", first.stdout)
        self.assertRegex(first.stdout, r"\d+ cases? run")
        before = {}
        for figure in FIGURES.values():
            name = f"figures/{figure['file']}.svg"
            before[name] = self.read(name)
            drawn = {one.split("series-", 1)[1] for one in self.ids(name)
                     if one and "series-" in one}
            drawn |= {one.split("bar-", 1)[1].rsplit("-", 1)[0] for one in self.ids(name)
                      if one and "bar-" in one}
            self.assertEqual(drawn, {slug(series) for series in series_of_spec(figure)}, name)
            self.assertIn(figure["title"], self.texts(name))
            with open(self.path(f"figures/data/{figure['id']}.json"), encoding="utf-8") as file:
                self.check_document(json.load(file), figure)
        self.check_page()
        before["figures/index.html"] = self.read("figures/index.html")

        second = self.netsim("figures")
        self.assertIn("; 0 cases run", second.stdout)
        for name, text in before.items():
            self.assertEqual(self.read(name), text, name)

        again = self.netsim("figures", "6.3", "--again")
        self.assertNotIn("; 0 cases run", again.stdout)

    def check_document(self, document, figure):
        """All points are numbers within the figure's range; a mark has its source."""
        self.assertEqual(len(document["panels"]), len(figure["panels"]))
        for panel, wanted in zip(document["panels"], figure["panels"]):
            for series in panel["series"]:
                self.assertTrue(series["points"] or series["failure"], series["name"])
                sizes = [x for x, _ in series["points"]]
                self.assertEqual(sizes, sorted(sizes))
                if figure.get("number") == "6.2":
                    self.assertEqual((sizes[0], sizes[-1]), (1, 512))
                if figure.get("number") == "6.8":
                    self.assertEqual((sizes[0], sizes[-1]), (65536, 4194304))
                if series["name"] == "VIA RPI" and wanted["y"].get("label", "").endswith(
                        "time of the VIA RPI"):
                    self.assertTrue(all(y == 1 for _, y in series["points"]))
            for mark in panel["marks"]:
                self.assertTrue(mark["source"])

    def check_page(self):
        text = self.read("figures/index.html")
        page = Page(text)
        self.assertEqual(page.open, [])
        # Nothing is loaded; links lead into the page or to files next to it.
        for address in page.addresses:
            self.assertNotIn("//", address)
            if address.startswith("#"):
                self.assertIn(address[1:], page.ids)
            else:
                self.assertTrue(os.path.exists(self.path(f"figures/{address}")), address)
        self.assertNotIn("url(http", text)
        self.assertNotIn("@import", text)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertIn("width=device-width", text)
        self.assertIn("prefers-color-scheme: dark", text)
        for figure in FIGURES.values():
            for claim in figure["claims"]:
                self.assertIn(claim, page.text)


if __name__ == "__main__":
    unittest.main()
