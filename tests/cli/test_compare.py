#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim compare: what can be compared with what, what it says, and how it ends."""

import json
import os
import shutil
import sqlite3
import unittest

import harness


class Compare(harness.Case):
    def setUp(self):
        super().setUp()
        self.small()
        self.netsim("run", "small.yaml", "-q", "--out", "a")
        document = self.netsim("run", "small.yaml", "-q", "--out", "b", "--format", "json").stdout
        self.write("b.json", document)
        self.netsim("run", "small.yaml", "-q", "--out", "c", "--set", "lam.call=9000 cycles")

    def test_the_same_in_all_forms(self):
        for other in ("b", "b.json", "b/results.csv"):
            told = self.netsim("compare", "a", other).stdout
            self.assertIn("no differences", told)
            self.assertIn("same     first, quoted, latency_us: 3 points", told)
            self.assertNotIn("differs", told)
            self.assertEqual("fingerprints agree" in told, other != "b/results.csv", told)

    def test_a_changed_parameter(self):
        told = self.netsim("compare", "a", "c", code=2).stdout
        self.assertIn("differs  first, quoted, latency_us: 3 points, 3 outside, worst ", told)
        self.assertRegex(told, r"worst \d+\.\d+ % at 0 B: ")
        self.assertIn("fingerprints differ", told)
        self.assertIn("4 differences", told)

    def test_tolerance_and_metric(self):
        document = json.loads(self.netsim("compare", "a", "c", "--format", "json", code=2).stdout)
        worst = max(curve["worst"]["deviation"] for curve in document["curves"])
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 0.999}", code=2)
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 1.001}")
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 100.1}%")
        told = self.netsim("compare", "a", "c", "--metric", "latency_us", code=2).stdout
        self.assertNotIn("bandwidth", told)

    def test_json(self):
        document = json.loads(self.netsim("compare", "a", "b", "--format", "json").stdout)
        self.assertEqual(set(document), {"same", "differences", "tolerance", "fingerprints",
                                         "series", "curves"})
        self.assertIs(document["same"], True)
        self.assertIs(document["fingerprints"]["agree"], True)
        self.assertEqual(len(document["curves"]), 4)

    def test_a_series_that_is_not_there(self):
        document = json.loads(self.read("b.json"))
        document["series"].pop()
        self.write("less.json", json.dumps(document))
        told = self.netsim("compare", "a", "less.json", "--tolerance", "10", code=2).stdout
        self.assertIn("second: completed against missing", told)
        self.assertIn("missing: the curve in b", told)

    def test_bad_input(self):
        self.write("no.json", "{\"series\": ")
        self.write("other.json", "{}")
        self.write("no.csv", "a,b\n")
        for arguments, said in (
                (("a",), "too few arguments"),
                (("a", "b", "c"), "too many arguments"),
                (("a", "nothing.json"), "nothing.json"),
                (("a", "no.json"), "no.json:1:"),
                (("a", "other.json"), "other.json: this is no result of netsim"),
                (("a", "no.csv"), "no.csv:1: the columns series, size, metric and value"),
                (("a", "b", "--tolerance", "little"), "write 0.01 or 1%"),
                (("a", "b", "--tolerance", "-1"), "write 0.01 or 1%"),
                (("a", "b", "--metric", "latency_u"), "did you mean latency_us?"),
                (("a", "b", "--format", "csv"), "it must be one of table, json")):
            with self.subTest(arguments):
                self.assertIn(said, self.netsim("compare", *arguments, code=1).stderr)


class Databases(harness.Case):
    """Cases and points of a sweep. Two databases of one sweep have the same rows."""

    def setUp(self):
        super().setUp()
        self.small()
        self.sweep("one.sqlite")

    def sweep(self, name):
        self.netsim("sweep", "small.yaml", "--set", "lam.call=1500 cycles,9000 cycles", "--out",
                    "swept", "-j", "1")
        found = [os.path.join(folder, file) for folder, _, files in os.walk(self.path("swept"))
                 for file in files if file.endswith(".sqlite")]
        self.assertEqual(len(found), 1, found)
        shutil.copy(found[0], self.path(name))
        shutil.rmtree(self.path("swept"))

    def keys(self):
        with sqlite3.connect(self.path("one.sqlite")) as database:
            return [key for (key,) in database.execute("SELECT key FROM cases ORDER BY key")]

    def test_the_same_sweep(self):
        self.sweep("two.sqlite")
        told = self.netsim("compare", "one.sqlite", "two.sqlite").stdout
        self.assertIn("same     second, lam.call=9000 cycles, latency_us: 3 points", told)

    def test_two_points(self):
        told = self.netsim("compare", "one.sqlite#lam.call=1500 cycles",
                           "one.sqlite#lam.call=9000 cycles", code=2).stdout
        self.assertIn("differs  second, latency_us: 3 points, 3 outside", told)
        self.netsim("compare", "one.sqlite#lam.call=9000 cycles",
                    "one.sqlite#lam.call=9000 cycles")

    def test_two_cases(self):
        keys = self.keys()
        self.assertEqual(len(keys), 2)
        told = self.netsim("compare", f"one.sqlite#{keys[0][:12]}", f"one.sqlite#{keys[1][:12]}",
                           code=2).stdout
        self.assertIn("differs  lam_via, latency_us", told)
        self.netsim("compare", f"one.sqlite#{keys[0]}", f"one.sqlite#{keys[0]}")

    def test_bad_input(self):
        for which, said in (("lam.call=1 cycles", "no point of the sweep has lam.call=1 cycles"),
                            ("lam.cal=1500 cycles", "the sweep does not vary that"),
                            ("0000000000000000", "no case has a key that starts with")):
            with self.subTest(which):
                problem = self.netsim("compare", f"one.sqlite#{which}", "one.sqlite", code=1)
                self.assertIn(said, problem.stderr)


if __name__ == "__main__":
    unittest.main()
