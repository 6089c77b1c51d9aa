#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`netsim validate --draws`: shares, classes and leave-one-out of claims whose outcome in each draw is known."""

import json
import sqlite3
import unittest

import harness
import test_validate

DRAWS = 20
CLAIM = """\
  sys.{name}:
    kind: {kind}
    statement: it is so
    source: "1"
{more}    check: {check}
"""
BOUND = "{{bound: {{scenario: small, series: second, metric: latency_us, sizes: 4 KiB, {bound}}}}}"
LIMITED = harness.SMALL.replace("name: small", "name: limited") + "limits: {simulated_time: %.3f us}\n"


def claim(name, check, kind="number", **more):
    return CLAIM.format(name=name, kind=kind, check=check,
                        more="".join(f"    {key}: {value}\n" for key, value in more.items()))


def below(us):
    return BOUND.format(bound=f"below: {us:.9f} us")


class Case(test_validate.Case):
    latencies = []  # of `second` at 4 KiB, by draw

    def setUp(self):
        super().setUp()
        if not Case.latencies:
            Case.latencies = [self.latency(f"draw={draw}") for draw in range(1, DRAWS + 1)]

    def latency(self, *sets):
        options = [option for setting in sets for option in ("--set", setting)]
        document = json.loads(self.netsim("run", self.path("data/scenarios/small.yaml"), "--series", "second",
                                          "--format", "json", *options).stdout)
        return document["series"][0]["points"][-1]["latency_us"]

    def between(self, place):
        """A bound below which exactly `place` of the draws lie."""
        ordered = sorted(self.latencies)
        return (ordered[place - 1] + ordered[place]) / 2

    def drawn(self, *arguments, draws=DRAWS, code=0):
        return json.loads(self.validate("--draws", str(draws), "--format", "json", *arguments, code=code).stdout)


def tally(row):
    draws = row["draws"]
    return draws["run"], draws["holds"], draws["level"], draws["misses"], draws["failed"]


class Shares(Case):
    def test_classes(self):
        self.claims("others:\n" + claim("always", below(1e9)) + claim("nineteen", below(self.between(19))) +
                    claim("some", below(self.between(14))) +
                    claim("one", below(self.between(1)), known_miss="docs/fidelity.md#fast") +
                    claim("never", below(1e-3), known_miss="docs/fidelity.md#fast") +
                    claim("set", "{parameter: {scenario: small, series: second, path: nic, equals: eepro100}}",
                          kind="config"))
        document = self.drawn()
        rows = {row["id"]: row for row in document["claims"]}
        self.assertEqual({name: (tally(row), row["draws"]["class"]) for name, row in rows.items() if row["draws"]},
                         {"sys.always": ((20, 20, 0, 0, 0), "robust"), "sys.nineteen": ((20, 19, 0, 1, 0), "robust"),
                          "sys.some": ((20, 14, 0, 6, 0), "undecided"),
                          "sys.one": ((20, 1, 0, 19, 0), "robustly_missed"),
                          "sys.never": ((20, 0, 0, 20, 0), "robustly_missed")})
        self.assertIsNone(rows["sys.set"]["draws"])
        self.assertEqual(document["totals"]["draws"]["classes"],
                         {"claims": 5, "robust": 2, "by_chance": 0, "undecided": 1, "robustly_missed": 2, "not_judged": 0, "constant": 0})
        # Wilson's interval of 14 in 20.
        some = rows["sys.some"]["draws"]
        self.assertAlmostEqual(some["share"], 0.7)
        self.assertAlmostEqual(some["low"], 0.4810, places=4)
        self.assertAlmostEqual(some["high"], 0.8545, places=4)

    def test_chance(self):
        """One throw of chance that some of the draws are like is no open question; one that none is like misses."""
        why = "by_chance", "it shows one throw"
        self.claims("others:\n" + claim("some", below(self.between(14)), **dict([why])) +
                    claim("always", below(1e9), **dict([why])) + claim("never", below(1e-3), **dict([why])))
        document = self.drawn(code=2)
        self.assertEqual([row["draws"]["class"] for row in document["claims"]], ["by_chance", "robust", "robustly_missed"])
        self.assertEqual(document["totals"]["theses"][0]["draws"]["by_chance"], 1)
        self.assertIn("in 70 % of the draws (48 .. 85 %), n = 20: a matter of chance (it shows one throw)",
                      " ".join(self.validate("--draws", "20", code=2).stdout.split()))

    def test_verdicts_stay(self):
        """All but the draws themselves is as without draws."""
        self.claims("others:\n" + claim("some", below(self.between(14))) + claim("always", below(1e9)))
        plain, drawn = json.loads(self.validate("--format", "json").stdout), self.drawn()
        del drawn["totals"]["draws"]
        for entry in drawn["claims"] + drawn["totals"]["facts"] + drawn["totals"]["theses"]:
            del entry["draws"]
            entry.pop("left_out", None)
        self.assertEqual(drawn, plain)
        self.assertNotIn("draws", self.validate().stdout)

    def test_level(self):
        order = "{order: {scenario: small, metric: latency_us, lower: second, higher: '%s', sizes: 0 B .. 4 KiB}}"
        self.claims("others:\n" + claim("level", order % "first, quoted", kind="shape"))
        row, = self.drawn()["claims"]
        self.assertEqual((tally(row), row["draws"]["class"]), ((20, 0, 20, 0, 0), "robust"))
        self.assertIn("is level in all draws (at least 84 %), n = 20: robust",
                      " ".join(self.validate("--draws", "20").stdout.split()))

    def test_draws_that_fail(self):
        """A run that its limit ends is no miss of the claim, and the share is of the others."""
        whole = json.loads(self.netsim("run", self.path("data/scenarios/small.yaml"), "--series", "second",
                                       "--format", "json").stdout)["series"][0]
        self.write("data/scenarios/limited.yaml", LIMITED % (whole["simulated_s"] * 1e6))
        check = "{bound: {scenario: limited, series: second, metric: latency_us, above: 1 us}}"
        self.claims("others:\n" + claim("limited", check) + claim("always", below(1e9)))
        document = self.drawn(code=None)
        row = document["claims"][0]
        run, holds, level, misses, failed = tally(row)
        self.assertEqual((run, level, misses, holds + failed), (20, 0, 0, 20))
        self.assertTrue(0 < failed < 20, failed)
        self.assertEqual((row["draws"]["share"], row["draws"]["class"]), (1.0, "robust"))
        self.assertRegex(row["draws"]["why"], "^second of limited ended as ")
        self.assertIn(f"failed in {failed}: second of limited ended as",
                      " ".join(self.validate("--draws", "20", code=None).stdout.split()))

    def test_a_scenario_that_no_draw_can_read(self):
        self.claims("others:\n" + claim("gone", below(1e9).replace("scenario: small", "scenario: smaall")) +
                    claim("always", below(1e9)))
        gone, always = self.drawn()["claims"]
        self.assertEqual((gone["verdict"], gone["draws"]["class"]), ("not_checkable", "not_judged"))
        self.assertEqual(always["draws"]["class"], "robust")

    def test_settings(self):
        """A claim's own settings hold in each draw, and a value that it sets is not drawn."""
        fixed = "host.processor.cycle_ratio=1"
        latency = sorted(self.latency(f"draw={draw}", fixed) for draw in (1, 2, 3))
        check = below((latency[0] + latency[1]) / 2).replace("series: second", f"set: {fixed}, series: second")
        self.claims("others:\n" + claim("fixed", check, known_miss="docs/fidelity.md#fast"))
        row, = self.drawn(draws=3, code=None)["claims"]
        self.assertEqual(tally(row), (3, 1, 0, 2, 0))

    def test_results_and_settings(self):
        """A check of a setting among those of results is judged once, and decides in all draws."""
        check = "[" + below(self.between(14)) + ", {parameter: {scenario: small, series: second, path: nic, equals: %s}}]"
        self.claims("others:\n" + claim("right", check % "eepro100") + claim("wrong", check % "tulip"))
        right, wrong = self.drawn(code=None)["claims"]
        self.assertEqual((tally(right), tally(wrong)), ((20, 14, 0, 6, 0), (20, 0, 0, 20, 0)))

    def test_behaviours(self):
        """They are drawn where they are listed."""
        ends = "{ends_with: {scenario: small, series: second, status: completed}}"
        self.claims("behaviours:\n  sys.b.ends: {statement: it ends, source: '1', check: " + ends + "}\n")
        self.assertEqual(self.drawn()["claims"], [])
        row, = self.drawn("--all")["claims"]
        self.assertEqual(tally(row), (20, 20, 0, 0, 0))


# A program that would take long, and that its limit ends at once.
LONG = """\
schema: 1
name: {name}
testbed: testbeds/cluster1.yaml
limits: {{simulated_time: 1 ms}}
workload:
  ranks: 2
  program:
    - {{ranks: 0, do: [{{loop: {{count: {count}, do: [{{recv: {{from: 1, size: 4 B}}}}]}}}}]}}
    - {{ranks: 1, do: [{{loop: {{count: {count}, do: [{{send: {{to: 0, size: 4 B}}}}]}}}}]}}
series: [{{name: only, stack: lam_via}}]
"""


class Long(Case):
    """How many draws a claim is run in hangs on what its runs are estimated to cost."""
    def setUp(self):
        super().setUp()
        for name, count in (("long", 700000), ("longest", 7000000)):
            self.write(f"data/scenarios/{name}.yaml", LONG.format(name=name, count=count))
        ends = "{{ends_with: {{scenario: {name}, series: only, status: {status}}}}}"
        self.claims("others:\n" + claim("short", below(1e9)) +
                    claim("long", ends.format(name="long", status="failed")) +
                    claim("longest", ends.format(name="longest", status="failed")) +
                    claim("misses", ends.format(name="long", status="completed"), known_miss="docs/fidelity.md#fast"))

    def test_depths(self):
        rows = {row["id"]: row["draws"] for row in self.drawn(draws=60, code=None)["claims"]}
        self.assertEqual({name: (draws["run"], draws["stopped"], draws["class"]) for name, draws in rows.items()},
                         {"sys.short": (60, None, "robust"), "sys.long": (40, "decided", "robust"),
                          "sys.longest": (20, "long", "robust"), "sys.misses": (40, "decided", "robustly_missed")})
        told = " ".join(self.validate("--draws", "60", "--jobs", "1", code=None).stdout.split())
        self.assertIn("holds in all draws (at least 91 %), n = 40, which decide: robust", told)
        self.assertIn("holds in all draws (at least 84 %), n = 20, as its runs are long: robust", told)
        self.assertIn("In 60 draws of the uncertain constants; 1 claim, whose runs are longest, in 20; 2 with long runs until "
                      "they were decided", told)

    def test_few(self):
        """With no more draws than the first block all are run in all, without a note."""
        rows = self.drawn(draws=3, code=None)["claims"]
        self.assertEqual({(row["draws"]["run"], row["draws"]["stopped"]) for row in rows}, {(3, None)})

    def test_jobs(self):
        told = [self.validate("--draws", "45", "--jobs", jobs, "--database", f"{jobs}.sqlite", code=None).stdout
                for jobs in ("1", "3")]
        self.assertEqual(told[0], told[1])


class Printed(Case):
    def setUp(self):
        super().setUp()
        self.claims("others:\n" + claim("always", below(1e9)) +
                    claim("some", below(self.between(14)), known_miss="docs/fidelity.md#fast") +
                    claim("never", below(1e-3), known_miss="docs/fidelity.md#fast"))

    def test_table(self):
        told = self.validate("--draws", "20", code=None).stdout
        words = " ".join(told.split())
        self.assertIn("draws holds in all draws (at least 84 %), n = 20: robust", words)
        self.assertIn("draws holds in 70 % of the draws (48 .. 85 %), n = 20: undecided", words)
        self.assertIn("draws holds in no draw (at most 16 %), n = 20: robustly missed", words)
        self.assertIn("In 20 draws of the uncertain constants\n", told)
        self.assertIn("sys: of 3 independent facts".replace("sys:", "sys   "), told)

    def test_brief(self):
        told = self.validate("--draws", "20", "--format", "brief", code=None).stdout
        for name, share in (("always", "100 %"), ("some", "70 %"), ("never", "0 %")):
            self.assertRegex(told, rf"(?m)^\S.*sys\.{name} .* {share}  [\d.]+ us")
        self.assertNotIn("left-out facts that draws move", told)

    def test_junit(self):
        told = self.validate("--draws", "20", "--format", "junit", code=None).stdout
        self.assertIn("holds in no draw (at most 16 %), n = 20: robustly missed", told)

    def test_agreements(self):
        """Comparisons of simulations are drawn with --all."""
        self.claims("others:\n" + claim("agree", "{agreement: {scenario: small, metric: latency_us, series: second, "
                                        "with: second, tolerance: 1 %}}", kind="agreement"))
        row, = self.drawn(draws=2, code=None)["claims"]
        self.assertIsNone(row["draws"])
        row, = self.drawn("--all", draws=2, code=None)["claims"]
        self.assertEqual(tally(row), (2, 2, 0, 0, 0))

    def test_bad(self):
        for number in ("0", "-1", "10001", "many", "1.5", ""):
            with self.subTest(number):
                self.assertIn("it must be a whole number from 1 to 10000",
                              self.validate("--draws", number, code=1).stderr)


class LeftOut(Case):
    """Bounds on one latency: draws that others know to be quick are quick."""
    def setUp(self):
        super().setUp()
        self.claims("others:\n" + "".join(claim(f"at{place}", below(self.between(place)),
                                                known_miss="docs/fidelity.md#fast")
                                          for place in (5, 10, 15)))

    def test_by_hand(self):
        """10 quick draws of 20: in 5 of these both others hold, in 5 one, in 5 of the slow ones one, in 5 none."""
        fact = {fact["fact"]: fact["left_out"] for fact in self.drawn(code=None)["totals"]["facts"]}["sys.at10"]
        both, one, none = 0.95 ** 2, 0.95 * 0.05, 0.05 ** 2
        total = 5 * (both + one + one + none)
        self.assertAlmostEqual(fact["holds"], 5 * (both + one) / total)
        self.assertAlmostEqual(fact["effective"], total ** 2 / (5 * (both ** 2 + 2 * one ** 2 + none ** 2)))
        self.assertEqual((fact["outcome"], fact["others"], fact["draws"], fact["moved"]), ("holds", 2, 20, True))
        self.assertAlmostEqual(fact["plain_holds"], 0.5)

    def test_shared_numbers_leave_together(self):
        """A claim of the same fact does not weigh it."""
        self.claims("others:\n" + "".join(claim(f"at{place}", below(self.between(place)), fact="one",
                                                known_miss="docs/fidelity.md#fast") for place in (5, 10, 15)))
        fact, = self.drawn(code=None)["totals"]["facts"]
        self.assertEqual((fact["left_out"]["others"], fact["left_out"]["few"]), (0, False))
        self.assertAlmostEqual(fact["left_out"]["effective"], 20)
        self.assertEqual(fact["draws"]["holds"], 5)  # a fact misses if one of its claims does

    def test_sums(self):
        document = self.drawn(code=None)
        thesis, = document["totals"]["theses"]
        outcomes = [fact["left_out"]["outcome"] for fact in document["totals"]["facts"]]
        self.assertEqual(thesis["left_out"]["come_out"], outcomes.count("holds"))
        self.assertEqual((thesis["left_out"]["facts"], thesis["left_out"]["moved"], thesis["left_out"]["few"]), (3, 3, 3))
        told = self.validate("--draws", "20", code=None).stdout
        self.assertIn(f"of 3 independent facts, {outcomes.count('holds')} come out when the others are known", told)
        self.assertIn("fewer than 20 effective draws for 3 of them", told)


class Campaigns(Case):
    def setUp(self):
        super().setUp()
        self.claims("others:\n" + claim("some", below(self.between(14))) + claim("always", below(1e9)))

    def cases(self):
        with sqlite3.connect(self.path("results/validate.sqlite")) as database:
            return database.execute("select count(*) from results").fetchone()[0]

    def test_jobs(self):
        """The same bytes at any number of jobs, and in a second block of draws."""
        for form in ("table", "brief", "json", "junit"):
            told = [self.validate("--draws", "23", "--format", form, "--jobs", jobs, "--database", f"{jobs}.sqlite",
                                  code=None).stdout for jobs in ("1", "3")]
            self.assertEqual(told[0], told[1], form)

    def test_resume(self):
        """More draws run no draw again, and those that are there are the same; only series that checks read run."""
        self.validate("--draws", "3", code=None)
        before = self.cases()
        first = self.drawn(draws=5, code=None)
        self.assertEqual((before, self.cases()), (4, 6))  # one series without draws, and in each draw
        again = self.drawn(draws=5, code=None)
        self.assertEqual((first, self.cases()), (again, 6))


if __name__ == "__main__":
    unittest.main()
