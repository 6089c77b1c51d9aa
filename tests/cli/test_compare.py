#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim compare: what can be compared with what, its output, and its exit codes."""

import json
import os
import re
import shutil
import sqlite3
import unittest
import xml.etree.ElementTree

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
        self.assertRegex(told, r"worst [-+]\d+\.\d+ % at 0 B: ")
        self.assertIn("fingerprints differ", told)
        self.assertIn("4 differences", told)

    def test_a_value_against_none(self):
        for name, value in (("x.csv", "0"), ("y.csv", "5")):
            self.write(name, f"series,rank,size,metric,value\nA,,1,drops,{value}\n")
        told = self.netsim("compare", "x.csv", "y.csv", code=2).stdout
        self.assertIn("differs  A, drops: 1 point, 1 outside, worst without bound at 1 B: 0 against 5", told)

    def test_tolerance_and_metric(self):
        document = json.loads(self.netsim("compare", "a", "c", "--format", "json", code=2).stdout)
        worst = max(abs(curve["worst"]["deviation"]) for curve in document["curves"])
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 100.1}%")
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 100.1}  %")
        self.netsim("compare", "a", "c", "--tolerance", f"{worst * 99.9} %", code=2)
        for metric in ("latency_us", "latency"):
            told = self.netsim("compare", "a", "c", "--metric", metric, code=2).stdout
            self.assertIn("latency_us", told)
            self.assertNotIn("bandwidth", told)

    def test_a_slower_run_only(self):
        """c is slower than a: worse than it, while a is not worse than c."""
        told = self.netsim("compare", "a", "c", "--tolerance", "0% worse", code=2).stdout
        self.assertRegex(told, r"latency_us: 3 points, 3 outside, worst \+\d")
        self.assertRegex(told, r"bandwidth_MB_per_s: 3 points, 2 outside, worst -\d")
        told = self.netsim("compare", "c", "a", "--tolerance", "0% worse").stdout
        self.assertIn("no differences beyond 0% worse", told)
        self.netsim("compare", "a", "c", "--tolerance", "latency=1 s", code=2)
        self.netsim("compare", "a", "c", "--tolerance", "latency=1 s", "--tolerance", "1 GB/s")

    def test_numbers_are_rounded(self):
        told = self.netsim("compare", "a", "c", code=2).stdout
        numbers = re.findall(r"\d[\d.]*", " ".join(re.findall(r"worst .*", told)))
        self.assertTrue(numbers)
        for number in numbers:
            self.assertLessEqual(len(number.replace(".", "").lstrip("0")), 6, told)

    def test_common_points(self):
        """Measured points: fewer than the result has, of one of its series."""
        self.write("measured.csv", "series,size,metric,value\n\"first, quoted\",1,latency_us,1e6\n"
                                   "\"first, quoted\",77,latency_us,5\n")
        told = self.netsim("compare", "measured.csv", "a", "--common", code=2).stdout
        self.assertRegex(told, r"differs  first, quoted, latency_us: 1 point, .* 1 outside, worst -")
        self.assertIn("1 difference\n", told)
        self.netsim("compare", "measured.csv", "a", "--common", "--tolerance", "100%")
        self.write("none.csv", "series,size,metric,value\n\"first, quoted\",77,latency_us,5\n")
        done = self.netsim("compare", "none.csv", "a", "--common", code=1)
        self.assertIn("no point of a curve is in both", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_junit(self):
        for other, code, failures in (("b", 0, 0), ("c", 2, 4)):
            text = self.netsim("compare", "a", other, "--format", "junit", code=code).stdout
            suites = xml.etree.ElementTree.fromstring(text)
            self.assertEqual((suites.tag, suites.get("tests"), suites.get("failures")),
                             ("testsuites", "4", str(failures)))
            self.assertEqual(len(list(suites.iter("failure"))), failures)
            self.assertEqual([suite.get("name") for suite in suites], ["first, quoted", "second"])

    def test_json(self):
        document = json.loads(self.netsim("compare", "a", "b", "--format", "json").stdout)
        self.assertEqual(set(document), {"same", "differences", "compared", "tolerances",
                                         "fingerprints", "series", "curves"})
        self.assertIs(document["same"], True)
        self.assertIs(document["fingerprints"]["agree"], True)
        self.assertEqual(len(document["curves"]), 4)

    def test_a_series_that_is_not_there(self):
        document = json.loads(self.read("b.json"))
        document["series"].pop()
        self.write("less.json", json.dumps(document))
        told = self.netsim("compare", "a", "less.json", "--tolerance", "1000%", code=2).stdout
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
        self.netsim("compare", "b.json", "changed.json", "--tolerance", "1e11%", code=2)

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
                (("a", "b", "--tolerance", "little"), "a percentage or an amount is expected"),
                (("a", "b", "--tolerance", "-1%"), "write 2 %"),
                (("a", "b", "--tolerance", "inf%"), "write 2 %"),
                (("a", "b", "--tolerance", "nan%"), "write 2 %"),
                (("a", "b", "--tolerance", "1%%"), "write 1 %"),
                (("a", "b", "--tolerance", "2"), "2: a number needs its unit or percent sign (write 2 %)"),
                (("a", "b", "--tolerance", "0.02"), "write 0.02 % or 2 %"),
                (("a", "b", "--tolerance", "latency=2"), "write 2 %, or 2 us"),
                (("a", "b", "--tolerance", "rate=2%"), "neither result has the metric rate"),
                (("a", "b", "--metric", "latency_u"), "did you mean latency_us?"),
                (("a", "b", "--format", "csv"), "it must be one of table, json, junit")):
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
