#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The specifications of figures in references/figures/: which there are, and wrong ones."""

import os
import re
import unittest

import yaml

from drawing import Drawing, FIGURES, figures_of, NUMBERS
from harness import SOURCE


class Specifications(Drawing):
    """references/figures/ has every data figure, and every series of it exists."""

    def test_every_figure_is_there(self):
        # via.fig.4_2 via.fig.6_1 via.fig.6_2 via.fig.6_3 via.fig.6_4 via.fig.6_5 via.fig.6_6
        # via.fig.6_7 via.fig.6_8 via.fig.6_9
        # armci.fig.3_4 armci.fig.3_5 armci.fig.3_6 armci.fig.3_7 armci.fig.4_6 armci.fig.4_7
        # grim.fig.4_6 grim.fig.4_10
        # sctp.fig.4_2 sctp.fig.4_3 sctp.fig.4_4 sctp.fig.4_5 sctp.fig.4_6 sctp.fig.4_7 sctp.fig.4_8
        for system, numbers in NUMBERS.items():
            own = figures_of(system)
            self.assertEqual([figure.get("number") for figure in own.values()], numbers)
            for name, figure in own.items():
                if name.startswith(f"{system}.table."):
                    continue  # a table or numbers of the text: no figure of the source asks for it
                self.assertEqual(name, f"{system}.fig." + figure["number"].replace(".", "_"))
                self.assertIn(name, figure["claims"])
        listed = self.netsim("figures", "--list").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in listed], list(FIGURES))
        self.assertEqual(os.listdir(self.directory), [])

    def test_every_claim_exists(self):
        """Claims of figures and marks are claims of the references."""
        claims = ""
        for system in NUMBERS:
            path = os.path.join(SOURCE, f"references/claims/{system}.yaml")
            with open(path, encoding="utf-8") as file:
                claims += file.read()
        for figure in FIGURES.values():
            marks = [mark for panel in figure["panels"] for mark in panel.get("marks", [])]
            for claim in figure["claims"] + [mark["claim"] for mark in marks]:
                self.assertRegex(claims, rf"(?m)\b{re.escape(claim)}\b")
            for mark in marks:
                self.assertRegex(mark["source"], r"^thesis 00[0-4], (figure )?\d\.\d")

    def test_every_series_exists(self):
        names = self.netsim("list", "scenarios", "--names").stdout.split()
        for figure in FIGURES.values():
            for panel in figure["panels"]:
                for series in panel.get("series", figure.get("series")):
                    one = {"series": series} if isinstance(series, str) else series
                    scenario = one.get("scenario", panel.get("scenario", figure["scenario"]))
                    self.assertIn(scenario, names)
                    there = self.series_there(scenario)
                    self.assertIn(one["series"], there, figure["id"])
                    for other in (one.get("over"), one.get("minus")):
                        if isinstance(other, dict):
                            self.assertIn(other["series"], self.series_there(other["scenario"]))
                        elif other:
                            self.assertIn(other, there, figure["id"])

    @staticmethod
    def series_there(scenario):
        with open(os.path.join(SOURCE, "scenarios", scenario + ".yaml"), encoding="utf-8") as file:
            return {series["name"] for series in yaml.safe_load(file)["series"]}

    def test_a_wrong_specification(self):
        for folder in ("scenarios", "references/figures"):
            os.makedirs(self.path(f"data/{folder}"))
        right = ("schema: 1\nfigures:\n  - id: a.fig.1\n    file: a\n    title: A\n"
                 "    source: here\n    scenario: tiny\n    series: [one]\n    panels:\n"
                 "      - y: {metric: latency_us}\n")
        for before, after, part in ((": a.fig.1", ": a/fig", ":3:"),
                                    ("file: a", "file: ../a", "below"),
                                    ("    title: A\n", "", "title"),
                                    ("metric: latency_us", "metrik: latency_us", "metric"),
                                    ("    series: [one]\n", "", "series"),
                                    ("    scenario: tiny\n", "", "scenario"),
                                    ("y: {", "x: {range: [4 KiB, 1 KiB]}\n        y: {", "ends"),
                                    ("y: {", "x: {range: [4, 9]}\n        y: {", "unit"),
                                    ("y: {", "kind: pie\n        y: {", "pie"),
                                    ("y: {", "marks: [{kind: band, from: 1 B}]\n        y: {",
                                     "to"),
                                    ("y: {", "x: {set: a.b, label: b}\n        y: {", "values"),
                                    ("schema: 1", "schema: 2", "schema"),
                                    ("latency_us}", "latency_us", "a.yaml:")):
            with self.subTest(after or before):
                self.write("data/references/figures/a.yaml", right.replace(before, after))
                done = self.netsim("figures", "--list", code=1,
                                   environment={"NETSIM_DATA_DIR": self.path("data")})
                self.assertRegex(done.stderr, r"a\.yaml:\d+:\d+: ")
                self.assertIn(part, done.stderr)
        self.write("data/references/figures/a.yaml", right)
        self.netsim("figures", "--list", environment={"NETSIM_DATA_DIR": self.path("data")})

    def test_no_specification(self):
        os.makedirs(self.path("data/scenarios"))
        done = self.netsim("figures", code=1, environment={"NETSIM_DATA_DIR": self.path("data")})
        self.assertIn("there are no figures", done.stderr)


if __name__ == "__main__":
    unittest.main()
