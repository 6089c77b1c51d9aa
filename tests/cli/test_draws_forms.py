#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run --draws with few draws in each of its forms, also with --sensitivity total: the same numbers in all. (test_run_draws.py has what
they are; this one is quick enough for the sanitizers.)"""

import csv
import io
import json
import unittest

from harness import Case
import needs

SMALL = ("run", "pingpong_cluster1", "--set", "workload.sizes=[1 B]", "--set", "workload.repetitions=2", "--series", "VIA RPI", "--quiet")


class Forms(Case):
    def test_forms(self):
        text, document, rows = (self.netsim(*SMALL, "--series", "LAM TCP", "--draws", "5", "--format", form).stdout for form in ("table", "json", "csv"))
        document, rows = json.loads(document), list(csv.DictReader(io.StringIO(rows)))
        self.assertEqual(len(rows), len(document["values"]))
        for row, value in zip(rows, document["values"]):
            self.assertEqual((row["series"], row["metric"], float(row["median"])), (value["series"], value["metric"], value["median"]))
        self.assertIn("5 draws of the uncertain constants", text)
        self.assertEqual(len(document["pairs"]), 1)

    def test_total(self):
        document = json.loads(self.netsim(*SMALL, "--draws", "20", "--sensitivity", "total", "--format", "json").stdout)
        self.assertEqual([series["completed"] for series in document["series"]], [20])

    @needs.matplotlib
    def test_causes(self):
        """--causes draws what the document has, of either kind; a picture that can't be drawn is refused before the runs."""
        for how, draws, part in (("ranks", "200", "p1-cause-"), ("total", "20", "p1-total-switch")):
            document = json.loads(self.netsim(*SMALL, "--set", "workload.sizes=[4 KiB]", "--draws", draws, "--sensitivity", how, "--causes", "a.svg", "--format", "json").stdout)
            series = document["series"][0]
            text = self.read("a.svg")
            names = [one["of"] for one in series["causes"]] if how == "ranks" else [one["group"] for one in series["total"]]
            for name in names[:6]:
                self.assertIn(f">{name}<", text)
            self.assertIn(part, text)
            self.assertIn(f"{draws} draws", text)
        for arguments, said in ((("--causes", "a.svg"), "--causes goes with --draws"), (("--draws", "5", "--causes", "a.gif"), "ends in .svg")):
            self.assertIn(said, self.netsim(*SMALL, *arguments, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
