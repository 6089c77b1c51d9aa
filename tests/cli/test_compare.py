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

    def test_a_value_against_none(self):
        for name, value in (("x.csv", "0"), ("y.csv", "5")):
            self.write(name, f"series,rank,size,metric,value\nA,,1,drops,{value}\n")
        told = self.netsim("compare", "x.csv", "y.csv", code=2).stdout
        self.assertIn("differs  A, drops: 1 point, 1 outside, worst without bound at 1 B: 0 against 5", told)

    def test_tolerance_and_metric(self):
        document = json.loads(self.netsim("compare", "a", "c", "--format", "json", code=2).stdout)
        worst = max(curve["worst"]["deviation"] for curve in document["curves"])
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 0.999}", code=2)
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 1.001}")
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 100.1}%")
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 100.1}  %")
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 99.9} %", code=2)
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

    def series(self):
        return json.loads(self.read("b.json"))["series"]

    def compare_documents(self, change, code):
        """b.json against itself with something changed."""
        document = json.loads(self.read("b.json"))
        change(document["series"])
        self.write("changed.json", json.dumps(document))
        told = self.netsim("compare", "b.json", "changed.json", "--format", "json", code=code)
        return json.loads(told.stdout)

    def test_points_that_are_not_there(self):
        def change(series):
            del series[0]["points"][1]
        curve = self.compare_documents(change, 2)["curves"][0]
        self.assertEqual((curve["points"], curve["missing"]), (2, "1 point in b"))

    def test_no_number(self):
        def change(series):
            series[0]["points"][1]["latency_us"] = None
        document = self.compare_documents(change, 2)
        worst = document["curves"][0]["worst"]
        self.assertEqual((worst["size_bytes"], worst["b"], worst["deviation"]), (1, None, None))
        self.assertEqual(document["differences"], 1)

    def test_zero(self):
        """A bandwidth of 0 at 0 B is equal to itself, and to nothing else within any tolerance."""
        self.assertEqual(self.series()[0]["points"][0]["bandwidth_MB_per_s"], 0)

        def change(series):
            series[0]["points"][0]["bandwidth_MB_per_s"] = 1e-9
        self.assertEqual(self.compare_documents(change, 2)["differences"], 1)
        self.netsim("compare", "b.json", "changed.json", "--tolerance", "1e9", code=2)

    def test_failures(self):
        """Both fail: the same only if it is for the same reason."""
        def fail(kind):
            def change(series):
                series[0].update(status="failed", points=[], values=[],
                                 reason={"kind": kind, "text": "x"})
            return change
        self.assertEqual(self.compare_documents(fail("overrun"), 2)["series"][0],
                         {"series": "first, quoted", "a": "completed", "b": "failed (overrun)"})
        os.replace(self.path("changed.json"), self.path("b.json"))
        self.compare_documents(fail("overrun"), 0)
        self.assertEqual(self.compare_documents(fail("broken"), 2)["series"][0],
                         {"series": "first, quoted", "a": "failed (overrun)",
                          "b": "failed (broken)"})

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
                (("a", "b", "--tolerance", "inf"), "write 0.01 or 1%"),
                (("a", "b", "--tolerance", "nan"), "write 0.01 or 1%"),
                (("a", "b", "--tolerance", "1%%"), "write 0.01 or 1%"),
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

    def test_a_directory(self):
        self.netsim("sweep", "small.yaml", "--set", "lam.call=1500 cycles,9000 cycles", "--out",
                    "swept")
        told = self.netsim("compare", "swept", "one.sqlite").stdout
        self.assertIn("no differences", told)

    def test_a_sweep_against_another(self):
        """A point less is reported, and so is a series that is impossible at one."""
        self.netsim("sweep", "small.yaml", "--set", "lam.call=1500 cycles", "--out", "swept")
        told = self.netsim("compare", "one.sqlite", "swept", code=2).stdout
        self.assertIn("second, lam.call=9000 cycles: completed against missing", told)

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
