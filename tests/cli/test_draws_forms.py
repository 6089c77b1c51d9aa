#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run --draws with few draws in each of its forms, also with --sensitivity total: the same numbers in all. (test_run_draws.py has what
they are; this one is quick enough for the sanitizers.)"""

import csv
import io
import json
import unittest

from harness import Case

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


if __name__ == "__main__":
    unittest.main()
