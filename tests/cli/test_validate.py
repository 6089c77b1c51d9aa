#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim validate: verdicts, totals, formats, patterns and exit codes, on claims of the test's own."""

import json
import os
import shutil
import sqlite3
import subprocess
import unittest
import xml.etree.ElementTree

import harness

CLAIMS = """\
behaviours:
  sys.b.tested: {statement: it is tested, source: "1"}
  sys.b.outside: {statement: it is not, source: "1", outside: nobody can}
others:
  sys.a.holds:
    kind: shape
    statement: latency grows
    source: "2"
    check: {monotone: {scenario: small, series: second, metric: latency_us, sizes: 0 B .. 4 KiB}}
  sys.a.unknown: {kind: config, statement: "a <b> & \\"c\\"", source: "2", not_checkable: "who & <what>"}
  sys.a.gone:
    kind: shape
    statement: there is a third
    source: "2"
    check: {monotone: {scenario: small, series: third, metric: latency_us, sizes: 0 B .. 4 KiB}}
  sys.a.nowhere:
    kind: shape
    statement: there is a scenario
    source: "2"
    check: {monotone: {scenario: samll, series: second, metric: latency_us, sizes: 0 B .. 4 KiB}}
  sys.c.known:
    kind: number
    statement: it is fast
    source: "3"
    known_miss: docs/fidelity.md#fast
    check: {bound: {scenario: small, series: second, metric: latency_us, below: 1 us}}
"""
MISS = """\
  sys.c.misses:
    kind: number
    statement: it is a & < b
    source: "3"
    check: {bound: {scenario: small, series: second, metric: latency_us, below: 2 us}}
"""
SAME = """\
  sys.c.again:
    kind: number
    statement: it grows, and is fast
    source: "4"
    same_as: [sys.a.holds, sys.c.known]
"""
AGREEMENTS = """\
  sys.f.agree:
    kind: agreement
    statement: a series is like itself
    source: "4"
    check: {agreement: {scenario: small, metric: latency_us, series: second, with: second, tolerance: 1 %}}
  sys.f.differ:
    kind: agreement
    statement: other messages are like these
    source: "4"
    check: {agreement: {scenario: small, metric: latency_us, series: second, from: 4 KiB, tolerance: 1 %,
            with: {series: second, set: host.processor.clock=1000 GHz}}}
"""
HEALED = """\
  sys.c.healed:
    kind: number
    statement: it is slow
    source: "3"
    known_miss: docs/fidelity.md#slow
    check: {bound: {scenario: small, series: second, metric: latency_us, above: 1 us}}
"""
TWO = """\
  sys.c.two:
    kind: shape
    statement: it grows, and it shrinks
    source: "3"
    check:
      - monotone: {scenario: small, series: second, metric: latency_us, sizes: 0 B .. 4 KiB}
      - monotone: {scenario: small, series: second, metric: latency_us, sizes: 0 B .. 4 KiB, falling: true}
"""
TESTS = """\
tests:
  sys.b.tested: [tests/a/test_it.c, tests/b/test_it.py]
  sys.a.unknown: [tests/c/test_it.c]
"""
ORDERS = """\
  sys.o.level:
    kind: shape
    statement: one is below itself
    source: "5, figure 5.1"
    fact: order
    known_miss: docs/fidelity.md#slow
    check: {order: {scenario: small, metric: latency_us, lower: second, higher: second, sizes: 0 B .. 4 KiB}}
  sys.o.across:
    kind: number
    statement: it takes the time of one of two clocks
    source: "5, figure 5.1"
    check: {bound: {scenario: small, metric: latency_us, series: second, sizes: 4 KiB, most: %s us,
            across: [host.processor.clock=1 MHz, host.processor.clock=1000 GHz]}}
  sys.o.guess:
    kind: guess
    statement: the processor limits
    source: "5"
    fact: order
    check: {bound: {scenario: small, series: second, metric: latency_us, below: 1 us}}
  sys.o.open: {kind: guess, statement: it is the weather, source: "5"}
  sys.o.arithmetic:
    kind: arithmetic
    statement: it takes time
    source: "5"
    check: {bound: {scenario: small, series: second, metric: latency_us, above: 0 us}}
"""
FIDELITY = "# Fidelity\n\n## Fast\n\n<a id=\"slow\"></a>\n"
TOP40 = """\
top40:
  - {rank: 1, title: It grows, ids: [sys.a.holds]}
  - {rank: 2, title: It is fast, ids: [sys.c.known, sys.a.holds]}
  - {rank: 3, title: It is tested, ids: [sys.b.tested]}
"""

COUNTS = {key: 0 for key in ("claims", "holds", "level", "misses", "known_miss", "not_run", "not_checkable",
                             "refuted", "open", "same_as")}

# The format of build servers: the elements of Jenkins's schema (junit-10.xsd) that are used here, with the attributes
# that they must have and may have. GitLab, Azure and others read a part of these.
JUNIT = {
    "testsuites": ({"name"}, {"tests", "failures", "errors", "skipped", "time"}, {"testsuite"}),
    "testsuite": ({"name", "tests"}, {"failures", "errors", "skipped", "time"}, {"testcase"}),
    "testcase": ({"name", "classname", "time"}, set(), {"failure", "skipped"}),
    "failure": ({"message", "type"}, set(), set()),
    "skipped": ({"message"}, set(), set()),
}


def junit_is_valid(case, element):
    needs, may, below = JUNIT[element.tag]
    case.assertLessEqual(needs, set(element.keys()), element.attrib)
    case.assertLessEqual(set(element.keys()), needs | may, element.attrib)
    for key in ("tests", "failures", "errors", "skipped", "time"):
        case.assertRegex(element.get(key, "0"), r"^\d+$")
    for child in element:
        case.assertIn(child.tag, below)
        junit_is_valid(case, child)
    if element.tag == "testcase":
        case.assertLessEqual(len(element), 1)
    elif "tests" in element.keys():
        for key, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
            case.assertEqual(int(element.get(key)), len(list(element.iter(tag))), key)
    if element.tag == "testsuites":
        names = [(one.get("classname"), one.get("name")) for one in element.iter("testcase")]
        case.assertEqual(len(names), len(set(names)), "a name twice")


class Case(harness.Case):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("data/references/claims"))
        os.makedirs(self.path("data/scenarios"))
        os.makedirs(self.path("data/docs"))
        self.write("data/docs/fidelity.md", FIDELITY)
        os.symlink(os.path.join(harness.SOURCE, "scenarios", "testbeds"),
                   self.path("data/scenarios/testbeds"))
        self.write("data/scenarios/small.yaml", harness.SMALL)
        self.claims(CLAIMS)

    def claims(self, text):
        self.write("data/references/claims/sys.yaml", text)

    def validate(self, *arguments, code=0):
        return self.netsim("validate", *arguments, code=code,
                           environment={"NETSIM_DATA_DIR": self.path("data")})

    def rows(self, *arguments, code=0):
        document = json.loads(self.validate(*arguments, "--format", "json", code=code).stdout)
        return {row["id"]: row for row in document["claims"]}


class Verdicts(Case):
    def test_each(self):
        rows = self.rows()
        self.assertEqual({name: row["verdict"] for name, row in rows.items()},
                         {"sys.a.holds": "holds", "sys.a.unknown": "not_checkable",
                          "sys.a.gone": "not_checkable", "sys.a.nowhere": "not_checkable",
                          "sys.c.known": "known_miss"})
        self.assertEqual(rows["sys.a.gone"]["why"], 'series missing: small has no "third"')
        self.assertEqual(rows["sys.a.nowhere"]["why"], "there is no scenario samll")
        self.assertEqual(rows["sys.a.unknown"]["why"], "who & <what>")
        self.assertEqual(rows["sys.c.known"]["why"], "docs/fidelity.md#fast")
        self.assertIsNone(rows["sys.a.holds"]["why"])
        for row in rows.values():
            self.assertEqual(list(row), ["id", "kind", "standing", "standing_by", "expected",
                                         "simulated", "deviation", "verdict", "why", "source", "fact",
                                         "known_miss", "cause", "printed"])

    def test_a_miss_ends_with_2(self):
        self.claims(CLAIMS + MISS)
        row = self.rows(code=2)["sys.c.misses"]
        self.assertEqual(row["verdict"], "misses")
        self.assertEqual(row["expected"], "second below 2 us")
        self.assertRegex(row["simulated"], r"^\d+\.?\d* us at 4 KiB; 3 of 3 values outside$")
        self.assertGreater(row["deviation"], 0)
        # ... only if it is asked for
        self.validate("sys.a")

    def test_times_of_single_repetitions(self):
        """Their metrics are curves like all others, if the scenario has them."""
        check = "\n".join("      - " + line for line in (
            "bound: {scenario: small, set: workload.samples=true, series: second, metric: repetition_min_us, above: 1 us}",
            "ratio: {scenario: small, set: workload.samples=true, over: {series: second, metric: repetition_max_us},"
            " under: {series: second, metric: repetition_min_us}, least: 1, level: 0 %}"))
        claim = "  sys.c.spread:\n    kind: shape\n    statement: it varies\n    source: \"3\"\n    check:\n"
        self.claims(CLAIMS + claim + check + "\n")
        self.assertEqual(self.rows("sys.c.spread")["sys.c.spread"]["verdict"], "holds")
        self.claims(CLAIMS + claim + check.replace(" set: workload.samples=true,", "") + "\n")
        row = self.rows("sys.c.spread")["sys.c.spread"]
        self.assertEqual((row["verdict"], row["why"]), ("not_checkable", "second of small has no repetition_min_us"))

    def test_a_known_miss_that_holds(self):
        """It is no longer one, and must not stay on the list."""
        self.claims(CLAIMS + HEALED)
        document = json.loads(self.validate("--format", "json", code=2).stdout)
        row = document["claims"][-1]
        self.assertEqual((row["id"], row["verdict"]), ("sys.c.healed", "holds"))
        self.assertEqual(row["why"], "no longer a miss, but listed as one (docs/fidelity.md#slow): "
                                     "take its known_miss out of references/claims/")
        totals = document["totals"]
        self.assertEqual((totals["misses"], totals["holds"], totals["listed_but_hold"]), (0, 2, 1))
        self.assertIn("\n1 claim is listed as known to miss and does not: see `why' above\n",
                      self.validate(code=2).stdout)
        self.validate("sys.a")

    def test_a_known_miss_needs_its_analysis(self):
        self.write("data/docs/fidelity.md", FIDELITY.replace("Fast", "Faster"))
        self.assertRegex(self.validate(code=1).stderr,
                         r"sys\.yaml:\d+:3: error: sys\.c\.known: docs/fidelity\.md#fast: there is no "
                         r"such place")
        os.remove(self.path("data/docs/fidelity.md"))  # as where the program is installed
        self.validate()

    def test_several_checks(self):
        self.claims(CLAIMS + TWO)
        row = self.rows("sys.c.two", code=2)["sys.c.two"]
        self.assertEqual(row["verdict"], "misses")
        self.assertEqual(row["expected"], "(1) second never falls at 0 B .. 4 KiB; "
                                          "(2) second never rises at 0 B .. 4 KiB")
        self.assertRegex(row["simulated"], r"^\(1\) nearest to it .*; \(2\) misses: the wrong way by ")
        self.assertGreater(row["deviation"], 0)

    def test_a_figure_that_is_not_drawn(self):
        self.claims(CLAIMS + """\
  sys.fig.1:
    kind: figure
    statement: it is drawn
    source: "4"
    check: {figure: {spec: sys.fig.1, scenario: small, series: second, metric: latency_us, sizes: 1 B}}
""")
        row = self.rows("sys.fig", code=2)["sys.fig.1"]
        self.assertEqual(row["simulated"], "references/figures/ has no such figure")
        os.mkdir(self.path("data/references/figures"))
        figure = ("figures: [{id: sys.fig.1, scenario: small, series: [second], "
                  "panels: [{y: {metric: latency_us}}]}]\n")
        self.write("data/references/figures/sys.yaml", figure)
        self.assertEqual(self.rows("sys.fig")["sys.fig.1"]["simulated"], "drawn: 1 curve, 1 values")
        self.write("data/references/figures/sys.yaml", figure.replace("[second]", "[first]"))
        self.assertEqual(self.rows("sys.fig", code=2)["sys.fig.1"]["simulated"],
                         "it does not draw second")

    def test_a_run_that_fails_misses(self):
        failing = harness.SMALL.replace("benchmark: pmb.pingpong, sizes: [0 B, 1 B, 4 KiB], "
                                        "repetitions: 3",
                                        "ranks: 2, program: [{ranks: 0, do: [{recv: {from: 1, "
                                        "size: 4 B}}]}]")
        self.assertNotEqual(failing, harness.SMALL)
        self.write("data/scenarios/small.yaml", failing)
        row = self.rows("sys.a.holds", code=2)["sys.a.holds"]
        self.assertEqual(row["verdict"], "misses")
        self.assertIn("ended as deadlock", row["why"])

    def test_totals(self):
        self.claims(CLAIMS + MISS)
        document = json.loads(self.validate("--format", "json", code=2).stdout)
        totals = document["totals"]
        self.assertEqual(list(document), ["claims", "totals"])
        self.assertEqual({key: value for key, value in totals.items()
                          if key not in ("by_kind", "by_standing", "behaviours", "facts", "theses", "figures", "causes")},
                         {**COUNTS, "claims": 6, "holds": 1, "misses": 1, "known_miss": 1, "not_checkable": 3,
                          "listed_but_hold": 0,
                          "predicted": {"claims": 3, "hold": 1, "level": 0},
                          "compared": {"claims": 0, "hold": 0, "level": 0},
                          "top40": {"ranks": 0, "hold": 0, "level": 0, "list": [],
                                    "predicted": {"ranks": 0, "hold": 0, "level": 0}}})
        self.assertEqual(totals["by_kind"]["number"], {**COUNTS, "claims": 2, "misses": 1, "known_miss": 1})
        for key in ("claims", "holds", "misses", "known_miss", "not_checkable"):
            self.assertEqual(sum(kind[key] for kind in totals["by_kind"].values()), totals[key])

    def test_what_is_neither_held_nor_missed(self):
        """Level values, values that hang on a setting, guesses, and what can't fail."""
        for most, verdict in ((1000, "level"), (0.001, "misses"), (1e9, "holds")):
            with self.subTest(most):
                self.claims(CLAIMS + ORDERS % most)
                document = json.loads(self.validate("sys.o", "--format", "json", code=2).stdout)
                rows = {row["id"]: (row["verdict"], row["standing"]) for row in document["claims"]}
                self.assertEqual(rows, {"sys.o.level": ("level", "predicted"), "sys.o.across": (verdict, "predicted"),
                                        "sys.o.guess": ("refuted", "guess"), "sys.o.open": ("open", "guess"),
                                        "sys.o.arithmetic": ("holds", "arithmetic")})
        totals = document["totals"]
        self.assertEqual(totals["listed_but_hold"], 1)  # the level one
        self.assertEqual(totals["predicted"], {"claims": 2, "hold": 1, "level": 1})
        self.assertEqual([(fact["fact"], fact["standing"], fact["verdict"], fact["claims"]) for fact in totals["facts"]],
                         [("order", "predicted", "level", ["sys.o.level", "sys.o.guess"]),
                          ("sys.o.across", "predicted", "holds", ["sys.o.across"]),
                          ("sys.o.open", "guess", "open", ["sys.o.open"]),
                          ("sys.o.arithmetic", "arithmetic", "holds", ["sys.o.arithmetic"])])
        summary, = totals["theses"]
        self.assertEqual({key: summary[key] for key in ("thesis", "facts", "hold", "level", "miss", "not_decidable")},
                         {"thesis": "sys", "facts": 2, "hold": 1, "level": 1, "miss": 0, "not_decidable": 0})
        self.assertEqual(totals["figures"], [{"thesis": "sys", "figure": "5.1", "statements": 2, "hold": 1, "level": 1,
                                              "miss": 0, "worst_deviation": None, "worst": None}])
        told = self.validate("sys.o", code=2).stdout
        self.assertIn("\n1 of 2 predicted claims hold, 1 level\n", told)
        self.assertRegex(told, r"\nsys {8}2 {5}1 {5}1 {5}0 +0( +0){5} +- +- +0 +- +-\n$")

    def test_agreement(self):
        """A comparison of simulations has a standing of its own, and is no evidence for the model."""
        self.claims(CLAIMS + AGREEMENTS)
        rows = self.rows("sys", code=2)
        self.assertEqual([(rows[name]["kind"], rows[name]["standing"], rows[name]["verdict"])
                          for name in ("sys.f.agree", "sys.f.differ")],
                         [("agreement", "compared", "holds"), ("agreement", "compared", "misses")])
        self.assertEqual(rows["sys.f.agree"]["deviation"], 0)
        self.assertIn("1 of 1 values outside", rows["sys.f.differ"]["simulated"])
        self.assertLess(rows["sys.f.differ"]["deviation"], -0.02)
        totals = json.loads(self.validate("--format", "json", code=2).stdout)["totals"]
        self.assertEqual(totals["compared"], {"claims": 2, "hold": 1, "level": 0})
        self.assertEqual(totals["predicted"], {"claims": 2, "hold": 1, "level": 0})
        self.assertIn("\n1 of 2 comparisons of simulations hold\n", self.validate(code=2).stdout)

    def test_same_as(self):
        """A statement of two claims is counted once, also among known misses."""
        self.claims(CLAIMS + SAME)
        document = json.loads(self.validate("--format", "json").stdout)
        row = {row["id"]: row for row in document["claims"]}["sys.c.again"]
        self.assertEqual(row["verdict"], "same_as")
        self.assertEqual(row["why"], "counted as sys.a.holds, sys.c.known")
        self.assertEqual({key: document["totals"][key]
                          for key in ("claims", "holds", "known_miss", "same_as")},
                         {"claims": 5, "holds": 1, "known_miss": 1, "same_as": 1})
        self.assertEqual(document["totals"]["by_kind"]["number"]["claims"], 1)
        self.claims(CLAIMS + SAME.replace("sys.c.known", "sys.c.unknown"))
        self.assertIn("sys.c.again: there is no claim sys.c.unknown", self.validate(code=1).stderr)

    def test_behaviours(self):
        self.assertNotIn("sys.b.tested", self.rows())
        rows = self.rows("--all")
        self.assertEqual(rows["sys.b.tested"]["verdict"], "not_run")
        self.assertIn("docs/coverage.md", rows["sys.b.tested"]["why"])
        self.assertEqual(rows["sys.b.outside"]["why"], "nobody can")
        self.assertEqual(rows["sys.b.tested"]["kind"], "behaviour")

    def test_which_tests_hold(self):
        self.write("data/references/tests.yaml", TESTS)
        rows = self.rows("--all")
        self.assertEqual(rows["sys.b.tested"]["why"],
                         "not run for this build, and `netsim test' runs: "
                         "tests/a/test_it.c, tests/b/test_it.py")
        self.assertEqual(rows["sys.a.unknown"]["why"],
                         "not checkable here, but named by tests/c/test_it.c (who & <what>)")
        self.write("data/references/tests.yaml", TESTS.replace("sys.b.tested", "sys.b.testde"))
        self.assertIn("tests.yaml:2:3: error: tests: there is no claim sys.b.testde",
                      self.validate(code=1).stderr)

    def test_nothing_is_run_twice(self):
        self.validate("--database", "kept.sqlite")
        first = os.stat(self.path("kept.sqlite")).st_mtime_ns
        self.validate("--database", "kept.sqlite")
        self.assertEqual(os.stat(self.path("kept.sqlite")).st_mtime_ns, first)
        self.validate("--database", "kept.sqlite", "--again", "-j", "2")
        self.assertNotEqual(os.stat(self.path("kept.sqlite")).st_mtime_ns, first)

    def test_the_number_of_processes_changes_nothing(self):
        self.claims(CLAIMS + MISS + TWO)
        printed = [self.validate("--format", "json", "--database", f"{jobs}.sqlite", "-j", str(jobs),
                                 code=2).stdout for jobs in (1, 3)]
        self.assertEqual(*printed)


class Behaviours(Case):
    """A behaviour holds only if all its tests passed, for this build."""

    def setUp(self):
        super().setUp()
        self.write("data/references/tests.yaml", TESTS)
        self.write("data/references/top40.yaml", TOP40)
        self.validate("sys.a", "--database", "id.sqlite")  # whose cases know what build it is
        with sqlite3.connect(self.path("id.sqlite")) as database:
            (self.build,), = database.execute("SELECT DISTINCT source FROM cases")

    def judged(self, code=0, build=None, options=(), **tests):
        """The row of the behaviour, its rank, and its totals, after tests that ended so."""
        cases = "".join(f'<testcase name="{name.replace("_py", ".py")}" status="{status}"/>'
                        for name, status in tests.items())
        self.write("tests.xml", '<testsuite><properties><property name="netsim.build" '
                   f'value="{build or self.build}"/></properties>{cases}</testsuite>')
        done = self.validate("--format", "json", "--tests", "tests.xml", *options, code=code)
        document = json.loads(done.stdout)
        rows = {row["id"]: row for row in document["claims"]}
        totals = document["totals"]
        return (rows.get("sys.b.tested"), totals["top40"]["list"][2], totals["behaviours"])

    def test_passed(self):
        row, rank, totals = self.judged(options=["--all"], test_a_it="run", test_b_it_py="run")
        self.assertEqual((row["verdict"], row["standing"], row["why"]), ("holds", "test", None))
        self.assertEqual(row["simulated"], "passed: tests/a/test_it.c, tests/b/test_it.py")
        self.assertEqual((rank["verdict"], rank["standing"]), ("holds", "test"))
        self.assertEqual(totals, {**COUNTS, "claims": 2, "holds": 1, "not_checkable": 1, "lack": None})
        self.judged(options=["--all-run"], test_a_it="run", test_b_it_py="run")

    def test_checked(self):
        """A scenario shows it: that decides where the tests were not run, and must hold where they were."""
        both = {"test_a_it": "run", "test_b_it_py": "run"}
        for status, tests, verdict in (("completed", {}, "holds"), ("completed", both, "holds"),
                                       ("deadlock", {}, "misses"), ("deadlock", both, "misses"),
                                       ("completed", {"test_a_it": "fail"}, "misses")):
            with self.subTest(status=status, tests=tests):
                self.claims(CLAIMS.replace(
                    'it is tested, source: "1"', 'it is tested, source: "1", check: {ends_with: '
                    f"{{scenario: small, series: second, status: {status}}}}}"))
                row, rank, _ = self.judged(code=2 if verdict == "misses" else 0, options=["--all"],
                                           **tests)
                self.assertEqual((row["verdict"], rank["verdict"]), (verdict, verdict))
                self.assertEqual(row["standing"], "test")
                self.assertEqual(row["simulated"].split(";")[0], "ended as completed")

    def test_not_run(self):
        """One of its tests, both, skipped, or another build: nothing is known."""
        for tests, why in (({"test_a_it": "run"}, "not run for this build.*b/test_it.py$"),
                           ({}, "not run for this build.*a/test_it.c, tests/b/test_it.py$"),
                           ({"test_a_it": "run", "test_b_it_py": "notrun"}, "^skipped.*b/test_it.py$")):
            with self.subTest(tests):
                row, rank, totals = self.judged(options=["--all"], **tests)
                self.assertEqual((row["verdict"], rank["verdict"]), ("not_run", "not_run"))
                self.assertRegex(row["why"], why)
                self.assertEqual((totals["holds"], totals["not_run"]), (0, 1))
                self.judged(code=2, options=["--all-run"], **tests)
        row, _, totals = self.judged(build="another", options=["--all"], test_a_it="run",
                                     test_b_it_py="run")
        self.assertEqual(row["verdict"], "not_run")
        self.assertEqual(totals["lack"], "the results of the tests are those of another build")

    def test_failed(self):
        """That is a miss, and it is listed though behaviours are not."""
        row, rank, totals = self.judged(code=2, test_a_it="run", test_b_it_py="fail")
        self.assertEqual((row["verdict"], rank["verdict"]), ("misses", "misses"))
        self.assertEqual(row["simulated"], "failed: tests/b/test_it.py")
        self.assertEqual(totals["misses"], 1)
        self.judged(code=2, test_b_it_py="fail")  # the other one was not run

    def test_text(self):
        self.judged()
        told = self.validate("--all", "--tests", "tests.xml").stdout
        self.assertIn("not run        sys.b.tested [test]\n", told)
        self.assertIn("\n0 of 2 behaviours hold; 1 were not run: `netsim test' does\n",
                      told)
        self.assertIn("  3  not run        test       It is tested", told)
        self.assertIn("1 were not run, as the results of the tests are those of another build",
                      self.validate("--tests", self.write("other.xml", "<a/>")).stdout)
        self.assertNotIn("behaviours", self.validate("sys.a").stdout)

    def test_junit(self):
        self.judged()
        self.validate("--all", "--tests", "tests.xml", "--format", "junit", "--out", "v.xml")
        suites = xml.etree.ElementTree.parse(self.path("v.xml")).getroot()
        junit_is_valid(self, suites)
        case, = (case for case in suites.iter("testcase") if case.get("name") == "sys.b.tested")
        self.assertIn("not run for this build", case.find("skipped").get("message"))

    def test_beside_the_program(self):
        """Where `netsim test' leaves them, if no other file is named."""
        os.mkdir(self.path("build"))
        program = shutil.copy(harness.NETSIM, self.path("build/netsim"))
        environment = {**os.environ, "NETSIM_DATA_DIR": self.path("data")}
        told = subprocess.run([program, "validate", "sys.b", "--all"], cwd=self.directory, check=True,
                              env=environment, stdout=subprocess.PIPE, encoding="utf-8").stdout
        self.assertIn("not run        sys.b.tested", told)
        self.assertIn("1 were not run, as the tests of this build were not run", told)
        self.judged(test_a_it="run", test_b_it_py="run")
        os.rename(self.path("tests.xml"), self.path("build/tests.xml"))
        told = subprocess.run([program, "validate", "sys.b", "--all"], cwd=self.directory, check=True,
                              env=environment, stdout=subprocess.PIPE, encoding="utf-8").stdout
        self.assertIn("holds          sys.b.tested", told)

    def test_no_such_file(self):
        self.assertIn("--tests none.xml: no such file",
                      self.validate("--tests", "none.xml", code=1).stderr)


CHOSEN = """\
  sys.d.chosen:
    kind: number
    statement: it is quick
    source: "4"
    check:
      - bound: {scenario: small, series: "first, quoted", metric: latency_us, below: 1000000 us}
      - parameter: {scenario: small, series: second, path: switch.latency, equals: 5 us}
  sys.d.set:
    kind: config
    statement: it is 5 us
    source: "4"
    check: {parameter: {scenario: small, series: second, path: switch.latency, equals: 5 us}}
  sys.d.other:
    kind: number
    statement: it is quick with another value
    source: "4"
    check:
      bound: {scenario: small, series: second, set: switch.latency=6 us, metric: latency_us, below: 1000000 us}
"""
CALIBRATION = "targets: [{series: second, size: 1 B, value: 1 us, claim: sys.c.known}]"


class Standings(Case):
    def setUp(self):
        super().setUp()
        self.claims(CLAIMS + CHOSEN)

    def standings(self, latency):
        """By claim, with this latency of the switch in the scenario."""
        self.write("data/scenarios/small.yaml", f"{harness.SMALL}switch: {{latency: {latency}}}\n")
        return {name: (row["standing"], row["standing_by"])
                for name, row in self.rows("--all").items()}

    def test_chosen(self):
        chosen = ("chosen", "switch.latency")
        for value, standing in (
                ("5 us", ("predicted", None)),
                ("{value: 5 us, source: x}", ("predicted", None)),
                ("{value: 5 us, source: x, chosen_for: sys.d.chosen}", chosen),
                ("{value: 5 us, source: x, chosen_for: [sys.a.gone, sys.d.chosen]}", chosen),
                ("{value: 5 us, source: x, chosen_for: sys.d}", chosen),
                ("{value: 5 us, source: x, chosen_for: sys.d.chose}", ("predicted", None))):
            with self.subTest(value):
                standings = self.standings(value)
                self.assertEqual(standings["sys.d.chosen"], standing)
                self.assertEqual(standings["sys.d.set"], ("setting", None))
                # It runs with a value of its own, which was not chosen.
                self.assertEqual(standings["sys.d.other"], ("predicted", None))

    def test_in_view(self):
        """A value chosen for one claim makes those chosen that judge the same series and metric at one of its sizes."""
        check = "{{bound: {{scenario: small, series: {}, metric: {}, sizes: {}, above: 0}}}}"
        claims = {"aim": ("second", "latency_us", "1 B"), "same": ("second", "latency_us", "0 B .. 1 B"),
                  "size": ("second", "latency_us", "4 KiB"), "metric": ("second", "bandwidth_MB_per_s", "1 B"),
                  "series": ('"first, quoted"', "latency_us", "1 B"),
                  "order": ("{series: second, over: {series: second, set: seed=2}}", "latency_us", "1 B")}
        self.claims(CLAIMS + "".join(
            f"  sys.v.{name}:\n    kind: shape\n    statement: x\n    source: \"4\"\n    check: {check.format(*which)}\n"
            for name, which in claims.items()))
        standings = self.standings("{value: 5 us, source: x, chosen_for: sys.v.aim}")
        chosen = {name for name in standings if standings[name][0] == "chosen"}
        self.assertEqual(chosen, {"sys.v.aim", "sys.v.same", "sys.v.order", "sys.a.holds", "sys.c.known"})
        self.assertEqual(standings["sys.v.same"][1], "switch.latency")
        # Of another thesis; and of another stack, which the series does not read.
        self.write("data/references/claims/other.yaml", "behaviours: {}\nothers:\n  other.aim: {kind: shape, statement: x, "
                   f"source: y, check: {check.format(*claims['aim'])}}}\n")
        standings = self.standings("{value: 5 us, source: x, chosen_for: other.aim}")
        self.assertEqual({name for name in standings if standings[name][0] == "chosen"}, {"other.aim"})
        standings = self.standings("5 us\nmvich: {vbuf: {value: 1 KiB, source: x, chosen_for: sys.v.aim}}")
        self.assertFalse([name for name in standings if standings[name][0] == "chosen"])

    def test_fitted_beside(self):
        """One value of a series that runs with what was fitted to the value of another one at that size."""
        value = "check: {{value: {{scenario: small, series: {}, metric: latency_us, size: {}, expected: 74 us, tolerance: 9 %}}}}"
        claims = {"target": ("second", "1 B"), "beside": ('"first, quoted"', "1 B"), "size": ('"first, quoted"', "0 B")}
        self.claims(CLAIMS + "".join(f"  sys.v.{name}: {{kind: number, statement: x, source: y, {value.format(*which)}}}\n"
                                     for name, which in claims.items()))
        os.mkdir(self.path("data/references/calibration"))
        self.write("data/references/calibration/it.yaml", CALIBRATION.replace("sys.c.known", "sys.v.target"))
        for source, beside in (("fitted: sys.v.size, sys.v.target", "fitted"), ("fitted: sys.v.size", "predicted"),
                               ("sys.v.target", "predicted")):
            with self.subTest(source):
                standings = self.standings(f"{{value: 5 us, source: '{source}'}}")
                self.assertEqual({name: standings[f"sys.v.{name}"][0] for name in claims},
                                 {"target": "fitted", "beside": beside, "size": "predicted"})

    def test_fitted(self):
        os.mkdir(self.path("data/references/calibration"))
        self.write("data/references/calibration/it.yaml", CALIBRATION)
        standings = self.standings("5 us")
        self.assertEqual(standings["sys.c.known"], ("fitted", "it"))
        self.assertEqual(standings["sys.a.holds"], ("predicted", None))
        self.write("data/references/calibration/it.yaml", CALIBRATION.replace("known", "konwn"))
        self.assertIn("it.yaml:1:59: error: targets: there is no claim sys.c.konwn",
                      self.validate(code=1).stderr)

    def test_without(self):
        standings = self.standings("5 us")
        self.assertEqual(standings["sys.a.unknown"], (None, None))
        self.assertEqual(standings["sys.b.tested"], ("test", None))
        self.assertEqual(standings["sys.b.outside"], (None, None))

    def test_shown_apart(self):
        self.standings("{value: 5 us, source: x, chosen_for: sys.d.chosen}")
        document = json.loads(self.validate("--format", "json").stdout)
        totals = document["totals"]
        self.assertEqual(list(totals["by_standing"]), ["chosen", "predicted", "setting"])
        self.assertEqual(totals["by_standing"]["predicted"]["claims"], 5)
        # Not those that could not be run.
        self.assertEqual(totals["predicted"], {"claims": 3, "hold": 2, "level": 0})
        told = self.validate().stdout
        self.assertIn("holds          sys.d.chosen [chosen: switch.latency]\n", told)
        self.assertIn("known miss     sys.c.known [predicted]\n", told)
        self.assertRegex(told, r"\nstanding +claims +holds.*\nchosen +1 +1 +0")
        self.assertIn("\n2 of 3 predicted claims hold\n", told)
        self.validate("--format", "junit", "--out", "v.xml")
        suites = xml.etree.ElementTree.parse(self.path("v.xml")).getroot()
        junit_is_valid(self, suites)
        self.assertEqual([suite.get("name") for suite in suites],
                         ["sys, predicted", "sys, not checked", "sys, chosen", "sys, setting"])


class Top40(Case):
    def setUp(self):
        super().setUp()
        self.write("data/references/top40.yaml", TOP40)

    def test_ranks(self):
        document = json.loads(self.validate("--top40", "--format", "json").stdout)
        self.assertEqual({row["id"] for row in document["claims"]}, {"sys.a.holds", "sys.c.known"})
        top40 = document["totals"]["top40"]
        self.assertEqual((top40["ranks"], top40["hold"]), (3, 1))
        self.assertEqual([rank["verdict"] for rank in top40["list"]],
                         ["holds", "known_miss", "not_run"])
        self.assertEqual([rank["standing"] for rank in top40["list"]],
                         ["predicted", "predicted", "test"])
        self.assertEqual(top40["predicted"], {"ranks": 2, "hold": 1, "level": 0})

    def test_text(self):
        told = self.validate("--top40").stdout
        self.assertIn("1 of 3 hold; of the predicted, 1 of 2", told)
        self.assertIn("  2  known miss     predicted  It is fast", told)

    def test_without_the_option(self):
        """All claims, and the ranks all the same."""
        document = json.loads(self.validate("--format", "json").stdout)
        self.assertEqual(len(document["claims"]), 5)
        self.assertEqual(document["totals"]["top40"]["hold"], 1)

    def test_a_rank_that_is_asked_for_in_part(self):
        """It gets no verdict: half of it may hold."""
        document = json.loads(self.validate("sys.a", "--format", "json").stdout)
        self.assertEqual([rank["rank"] for rank in document["totals"]["top40"]["list"]], [1])
        self.assertNotIn("The most important", self.validate("sys.c").stdout)

    def test_bad_rank(self):
        self.write("data/references/top40.yaml", TOP40.replace("sys.c.known", "sys.c.konwn"))
        self.assertRegex(self.validate(code=1).stderr,
                         r"top40\.yaml:3:40: error: top40\[1\]: there is no claim sys\.c\.konwn")


class Output(Case):
    def test_text(self):
        self.claims(CLAIMS + MISS)
        told = self.validate(code=2).stdout
        self.assertIn("MISSES         sys.c.misses [predicted]\n               expected   second below 2 us\n",
                      told)
        self.assertRegex(told, r"\nkind +claims +holds +level +MISSES +known miss +not run +not checkable "
                               r"+refuted +open +same as\n")
        self.assertRegex(told, r"\nall +6 +1 +0 +1 +1 +0 +3 +0 +0 +0\n")
        self.assertNotIn("\033", told)

    def test_junit(self):
        self.claims(CLAIMS + MISS)
        self.validate("--format", "junit", "--out", "v.xml", code=2)
        suites = xml.etree.ElementTree.parse(self.path("v.xml")).getroot()
        self.assertEqual([(suite.tag, suite.get("name")) for suite in suites],
                         [("testsuite", "sys, predicted"), ("testsuite", "sys, not checked")])
        self.assertEqual(suites.tag, "testsuites")
        self.assertEqual([suites.get(key) for key in ("tests", "failures", "errors", "skipped")],
                         ["6", "1", "0", "4"])
        cases = {case.get("name"): case for case in suites.iter("testcase")}
        self.assertEqual(len(cases), 6)
        junit_is_valid(self, suites)
        self.assertIn("expected second below 2 us", cases["sys.c.misses"].find("failure").text)
        self.assertEqual(cases["sys.c.misses"].get("classname"), "sys.c")
        self.assertIn("expected second below 2 us",
                      cases["sys.c.misses"].find("failure").get("message"))
        self.assertIn("known miss: ", cases["sys.c.known"].find("skipped").get("message"))
        self.assertEqual(cases["sys.a.unknown"].find("skipped").get("message"), "who & <what>")
        self.assertEqual(list(cases["sys.a.holds"]), [])

    def test_junit_of_a_known_miss_that_holds(self):
        self.claims(CLAIMS + HEALED)
        self.validate("--format", "junit", "--out", "v.xml", code=2)
        suites = xml.etree.ElementTree.parse(self.path("v.xml")).getroot()
        junit_is_valid(self, suites)
        failure, = suites.iter("failure")
        self.assertIn("no longer a miss", failure.get("message"))

    def test_junit_of_odd_text(self):
        """Characters that XML has no place for, or only escaped."""
        self.claims(CLAIMS.replace("who & <what>", "\\x01 ]]> \\u00fc \\U0001F600 \\ufffe \\n'"))
        self.validate("--format", "junit", "--out", "v.xml")
        junit_is_valid(self, xml.etree.ElementTree.parse(self.path("v.xml")).getroot())
        self.assertNotIn("\x01", self.read("v.xml"))

    def test_out(self):
        printed = self.validate("--format", "json").stdout
        self.assertEqual(self.validate("--format", "json", "--out", "v.json").stdout, "")
        self.assertEqual(self.read("v.json"), printed)
        self.assertIn("none/v.json", self.validate("--out", "none/v.json", code=1).stderr)


class Patterns(Case):
    def test_good(self):
        for pattern, count in (("sys", 5), ("sys.a", 4), ("sys.a.holds", 1), ("*.c.*", 1),
                               ("sys.?.holds", 1)):
            with self.subTest(pattern):
                self.assertEqual(len(self.rows(pattern)), count)
        self.assertEqual(len(self.rows("sys.a", "sys.c.known")), 5)

    def test_bad(self):
        for pattern, said in (("syss", "did you mean sys?"),
                              ("sys.a.hold", "did you mean sys.a.holds?"),
                              ("sys.x.*", "no claim is called `sys.x.*'"),
                              ("s", "no claim is called `s'")):
            with self.subTest(pattern):
                self.assertIn(said, self.validate(pattern, code=1).stderr)

    def test_bad_options(self):
        for arguments, said in ((("--format", "xml"), "it must be one of table, brief, json, junit"),
                                (("-j", "-1"), "--jobs -1"), (("--top4",), "did you mean --top40?")):
            with self.subTest(arguments):
                self.assertIn(said, self.validate(*arguments, code=1).stderr)

    def test_bad_claims(self):
        self.claims(CLAIMS.replace("monotone: {scenario: small, series: second",
                                   "monotnoe: {scenario: small, series: second"))
        self.assertRegex(self.validate(code=1).stderr,
                         r"sys\.yaml:9:13: error: sys\.a\.holds\.check\.monotnoe: unknown key "
                         r"\(did you mean monotone\?\)")

    def test_no_claims(self):
        os.remove(self.path("data/references/claims/sys.yaml"))
        self.assertIn("there are no claims here", self.validate(code=1).stderr)


if __name__ == "__main__":
    unittest.main()
