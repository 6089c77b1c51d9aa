#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim validate: verdicts, totals, formats, patterns and exit codes, on claims of the test's own,
and that what ships refers to what is there."""

import json
import os
import pathlib
import re
import unittest
import xml.etree.ElementTree

import yaml

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
  sys.c.healed:
    kind: number
    statement: it is slow
    source: "3"
    known_miss: docs/fidelity.md#slow
    check: {bound: {scenario: small, series: second, metric: latency_us, above: 1 us}}
"""
MISS = """\
  sys.c.misses:
    kind: number
    statement: it is a & < b
    source: "3"
    check: {bound: {scenario: small, series: second, metric: latency_us, below: 2 us}}
"""
TOP40 = """\
top40:
  - {rank: 1, title: It grows, ids: [sys.a.holds]}
  - {rank: 2, title: It is fast, ids: [sys.c.known, sys.a.holds]}
  - {rank: 3, title: It is tested, ids: [sys.b.tested]}
"""


class Case(harness.Case):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("data/references/claims"))
        os.makedirs(self.path("data/scenarios"))
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
                          "sys.c.known": "known_miss", "sys.c.healed": "holds"})
        self.assertEqual(rows["sys.a.gone"]["why"], 'series missing: small has no "third"')
        self.assertEqual(rows["sys.a.nowhere"]["why"], "there is no scenario samll")
        self.assertEqual(rows["sys.a.unknown"]["why"], "who & <what>")
        self.assertEqual(rows["sys.c.known"]["why"], "docs/fidelity.md#fast")
        self.assertIn("no longer a miss", rows["sys.c.healed"]["why"])
        self.assertIsNone(rows["sys.a.holds"]["why"])
        for row in rows.values():
            self.assertEqual(list(row), ["id", "kind", "expected", "simulated", "deviation",
                                         "verdict", "why"])

    def test_a_miss_ends_with_2(self):
        self.claims(CLAIMS + MISS)
        row = self.rows(code=2)["sys.c.misses"]
        self.assertEqual(row["verdict"], "misses")
        self.assertEqual(row["expected"], "second below 2 us")
        self.assertRegex(row["simulated"], r"^\d+\.?\d* us at 4 KiB; 3 of 3 values outside$")
        self.assertGreater(row["deviation"], 0)
        # ... only if it is asked for
        self.validate("sys.a")

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
        self.assertEqual({key: value for key, value in totals.items() if key != "by_kind"},
                         {"claims": 7, "holds": 2, "misses": 1, "known_miss": 1,
                          "not_checkable": 3})
        self.assertEqual(totals["by_kind"]["number"],
                         {"claims": 3, "holds": 1, "misses": 1, "known_miss": 1,
                          "not_checkable": 0})
        for key in ("claims", "holds", "misses", "known_miss", "not_checkable"):
            self.assertEqual(sum(kind[key] for kind in totals["by_kind"].values()), totals[key])

    def test_behaviours(self):
        self.assertNotIn("sys.b.tested", self.rows())
        rows = self.rows("--all")
        self.assertIn("docs/coverage.md", rows["sys.b.tested"]["why"])
        self.assertEqual(rows["sys.b.outside"]["why"], "nobody can")
        self.assertEqual(rows["sys.b.tested"]["kind"], "behaviour")

    def test_nothing_is_run_twice(self):
        self.validate("--database", "kept.sqlite")
        first = os.stat(self.path("kept.sqlite")).st_mtime_ns
        self.validate("--database", "kept.sqlite")
        self.assertEqual(os.stat(self.path("kept.sqlite")).st_mtime_ns, first)


class Top40(Case):
    def setUp(self):
        super().setUp()
        self.write("data/references/top40.yaml", TOP40)

    def test_ranks(self):
        document = json.loads(self.validate("--top40", "--format", "json").stdout)
        self.assertEqual({row["id"] for row in document["claims"]}, {"sys.a.holds", "sys.c.known"})
        top40 = document["totals"]["top40"]
        self.assertEqual((top40["ranks"], top40["hold"]), (3, 2))
        self.assertEqual([rank["verdict"] for rank in top40["list"]],
                         ["holds", "known_miss", "holds"])

    def test_text(self):
        told = self.validate("--top40").stdout
        self.assertIn("2 of 3 hold", told)
        self.assertIn("  2  known miss     It is fast", told)

    def test_bad_rank(self):
        self.write("data/references/top40.yaml", TOP40.replace("sys.c.known", "sys.c.konwn"))
        self.assertRegex(self.validate(code=1).stderr,
                         r"top40\.yaml:3:40: error: top40\[1\]: there is no claim sys\.c\.konwn")


class Output(Case):
    def test_text(self):
        self.claims(CLAIMS + MISS)
        told = self.validate(code=2).stdout
        self.assertIn("MISSES         sys.c.misses\n               expected   second below 2 us\n",
                      told)
        self.assertRegex(told, r"\nkind +claims +holds +MISSES +known miss +not checkable\n")
        self.assertRegex(told, r"\nall +7 +2 +1 +1 +3\n$")
        self.assertNotIn("\033", told)

    def test_junit(self):
        self.claims(CLAIMS + MISS)
        self.validate("--format", "junit", "--out", "v.xml", code=2)
        suites = xml.etree.ElementTree.parse(self.path("v.xml")).getroot()
        suite, = suites
        self.assertEqual((suites.tag, suite.tag, suite.get("name")), ("testsuites", "testsuite", "sys"))
        self.assertEqual([suite.get(key) for key in ("tests", "failures", "errors", "skipped")],
                         ["7", "1", "0", "4"])
        cases = {case.get("name"): case for case in suite}
        self.assertEqual(len(cases), 7)
        self.assertEqual(cases["sys.c.misses"].get("classname"), "sys.c")
        self.assertIn("expected second below 2 us",
                      cases["sys.c.misses"].find("failure").get("message"))
        self.assertIn("known miss: ", cases["sys.c.known"].find("skipped").get("message"))
        self.assertEqual(cases["sys.a.unknown"].find("skipped").get("message"), "who & <what>")
        self.assertEqual(list(cases["sys.a.holds"]), [])

    def test_out(self):
        printed = self.validate("--format", "json").stdout
        self.assertEqual(self.validate("--format", "json", "--out", "v.json").stdout, "")
        self.assertEqual(self.read("v.json"), printed)
        self.assertIn("none/v.json", self.validate("--out", "none/v.json", code=1).stderr)


class Patterns(Case):
    def test_good(self):
        for pattern, count in (("sys", 6), ("sys.a", 4), ("sys.a.holds", 1), ("*.c.*", 2),
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
        for arguments, said in ((("--format", "xml"), "it must be one of table, json, junit"),
                                (("-j", "-1"), "-j -1"), (("--top4",), "did you mean --top40?")):
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


class Shipped(unittest.TestCase):
    """What references/ says is about what is there."""

    SOURCE = pathlib.Path(harness.SOURCE)

    def claims(self):
        for path in sorted((self.SOURCE / "references" / "claims").glob("*.yaml")):
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
            yield path.stem, data["others"]

    def test_how_many(self):
        """The catalogue does not shrink unseen."""
        kinds = [claim["kind"] for system, claims in self.claims() if system == "via"
                 for claim in claims.values()]
        self.assertEqual({kind: kinds.count(kind) for kind in kinds},
                         {"config": 27, "number": 14, "shape": 22, "figure": 26})

    def test_known_misses_are_analysed(self):
        headings = re.findall(r"(?m)^#+ (.+)$",
                              (self.SOURCE / "docs" / "fidelity.md").read_text(encoding="utf-8"))
        anchors = {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")
                   for heading in headings}
        for _, claims in self.claims():
            for name, claim in claims.items():
                if "known_miss" in claim:
                    self.assertIn(claim["known_miss"].split("#")[1], anchors, name)

    def test_scenarios_are_there(self):
        for system, _ in self.claims():
            text = (self.SOURCE / "references" / "claims" / f"{system}.yaml").read_text(
                encoding="utf-8")
            for name in set(re.findall(r"\bscenario: ([\w-]+)", text)):
                self.assertTrue((self.SOURCE / "scenarios" / f"{name}.yaml").exists(), name)


if __name__ == "__main__":
    unittest.main()
