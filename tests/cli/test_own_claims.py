#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim validate --claims: claims of a user's own, about scenarios of their own; plot --points."""

import json
import unittest

from drawing import Drawing

import needs

SCENARIO = """\
schema: 1
name: mine
testbed: cluster1
workload: {benchmark: pmb.pingpong, sizes: [1 B, 4 KiB], steady: 3}
series: [{name: LAM TCP, stack: lam_tcp}, {name: VIA RPI, stack: lam_via}]
"""
CLAIM = """\
  {id}:
    kind: number
    statement: so long does it take
    source: measured in May
    check: {{value: {{scenario: {scenario}, metric: latency_us, series: LAM TCP, size: {size}, expected: {value} us, tolerance: 3 %}}}}
"""


class Claims(Drawing):
    def setUp(self):
        super().setUp()
        self.write("mine.yaml", SCENARIO)

    def claims(self, *claims, name="claims.yaml"):
        rows = [CLAIM.format(id=f"ours.{number}", scenario=scenario, size=size, value=value)
                for number, (scenario, size, value) in enumerate(claims)]
        return self.write(name, "others:\n" + "".join(rows))

    def validate(self, *options, **more):
        return self.netsim("validate", "--claims", "claims.yaml", "--quiet", *options, **more)

    def test_verdicts(self):
        self.claims(("./mine.yaml", "1 B", 83), ("mine.yaml", "4 KiB", 400))
        rows = json.loads(self.validate("--format", "json", code=2).stdout)["claims"]
        self.assertEqual([(row["id"], row["verdict"]) for row in rows], [("ours.0", "holds"), ("ours.1", "misses")])
        one = json.loads(self.validate("ours.0", "--format", "json").stdout)["claims"]
        self.assertEqual([row["id"] for row in one], ["ours.0"])
        drawn = json.loads(self.validate("ours.0", "--draws", "20", "--format", "json").stdout)["claims"][0]["draws"]
        self.assertEqual(drawn["run"], 20)

    def test_what_cannot_be_judged(self):
        self.claims(("./other.yaml", "1 B", 83))
        self.assertIn("there is no scenario ./other.yaml", self.validate(code=2).stdout)

    def test_bad_files(self):
        for text, message in (
                ("others: {}\n", "there are no claims here"),
                ("others: [1]\n", "claims.yaml:1:9"),
                ("others:\n  a.b: {kind: number, statement: s}\n", "claims.yaml:2:8"),
                ("others:\n  a.b: {kind: nmber, statement: s, source: t}\n", "number"),
                ("others:\n  a.b: {kind: number, statement: s, source: t, check: {vale: {}}}\n", "claims.yaml:2:"),
                ("others:\n  a.b: {kind: number, statement: s, source: t, same_as: [c.d]}\n", "there is no claim c.d")):
            self.write("claims.yaml", text)
            self.assertIn(message, self.validate(code=1).stderr)
        self.claims(("mine.yaml", "1 B", 83))
        self.assertIn("cannot read none.yaml", self.netsim("validate", "--claims", "none.yaml", code=1).stderr)
        self.assertIn("--top40 is about claims that are shipped", self.validate("--top40", code=1).stderr)

    @needs.matplotlib
    def test_points(self):
        self.write("points.txt", "series,size,value,unit,error\nLAM TCP,1,92,us,9\nLAM TCP,4 KiB,0.5,ms,0.1\n")
        self.netsim("plot", "mine.yaml", "--points", "points.txt", "--metric", "latency", "--out", "p.svg", "--quiet")
        ids = self.ids("p.svg")
        for group in ("p1-measured-lam-tcp-points", "p1-interval-lam-tcp-points", "p1-series-via-rpi"):
            self.assertIn(group, ids)
        self.netsim("plot", "mine.yaml", "--points", "none.txt", "--out", "p.svg", code=1)


if __name__ == "__main__":
    unittest.main()
