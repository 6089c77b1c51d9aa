#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim compare --draws: variants of scenarios, draw by draw."""

import json
import unittest
import xml.etree.ElementTree

from harness import Case

PING = """\
schema: 1
name: ping
testbed: testbeds/cluster1.yaml
stack: lam_via
workload: {benchmark: pmb.pingpong, sizes: [4 B, 4 KiB], repetitions: 2}
"""
# A cable of which some draws are longer than the slack buffer of the switch allows.
CABLE = PING.replace("stack: lam_via\n", """\
stack: lam_via
switch: {discipline: cut_through, header: 14 B, slack: 80 B, stop: 56 B, go: 40 B}
link: {propagation: {value: 800 ns, within: 1.5, source: a long cable}}
""")
SMALL = "ping.yaml"
OTHER = "ping.yaml#lam_via.tiny=1 KiB"


class Compare(Case):
    def setUp(self):
        super().setUp()
        self.write("ping.yaml", PING)

    def rows(self, *arguments, code=0):
        done = self.netsim("compare", *arguments, "--metric", "latency", "--format", "json", code=code)
        return {row["size_bytes"]: row for row in json.loads(done.stdout)["rows"]}

    def latency(self, *sets):
        run = json.loads(self.netsim("run", "ping.yaml", "--format", "json", *(word for one in sets for word in ("--set", one))).stdout)
        return {point["size_bytes"]: point["latency_us"] for point in run["series"][0]["points"]}

    def test_changes_of_single_draws(self):
        """Of three draws the change's median is the second of what the draws give."""
        changes = sorted(self.latency(f"draw={draw}", "lam_via.tiny=1 KiB")[4096] / self.latency(f"draw={draw}")[4096] - 1
                         for draw in (1, 2, 3))
        row = self.rows(SMALL, OTHER, "--draws", "3", code=2)[4096]
        self.assertAlmostEqual(row["change"], changes[1], places=12)
        self.assertAlmostEqual(row["change_low"], changes[0] + 0.1 * (changes[1] - changes[0]), places=12)
        self.assertEqual((row["n"], row["sign_share"], row["verdict"]), (3, 1.0, "outside"))

    def test_itself(self):
        rows = self.rows(SMALL, SMALL, "--draws", "3")
        self.assertEqual({row["verdict"] for row in rows.values()}, {"within"})
        self.assertEqual({row["change"] for row in rows.values()}, {0.0})

    def test_tolerances(self):
        self.netsim("compare", SMALL, OTHER, "--draws", "3", "--metric", "latency", "--tolerance", "2%")
        done = self.netsim("compare", SMALL, OTHER, "--draws", "3", "--metric", "latency", "--tolerance", "0.01%", code=2)
        self.assertRegex(done.stdout, r"(?m)^ *outside +lam_via +latency_us +4096 .* all draws$")
        self.assertIn("1 within, 1 outside, 0 undecided of a tolerance of 0.01%", done.stdout)

    def test_jobs(self):
        outputs = [self.netsim("compare", SMALL, OTHER, "--draws", "4", "--jobs", jobs, code=2).stdout for jobs in ("1", "2")]
        self.assertEqual(outputs[0], outputs[1])

    def test_lists_in_settings(self):
        rows = self.rows("ping.yaml#workload.sizes=[8 B, 16 B],lam_via.tiny=1 KiB", "ping.yaml#workload.sizes=[8 B, 16 B]",
                         "--draws", "2")
        self.assertEqual(set(rows), {8, 16})

    def test_a_side_that_fails(self):
        done = self.netsim("compare", "flood_empty_rq", "flood_empty_rq#lam_via.rdescs=128", "--draws", "2", code=2)
        self.assertIn("lam_via: 0 draws completed in A, 2 in B", done.stdout)

    def test_junit(self):
        """A case for each row; what is not within the tolerance fails, and so does the command."""
        for tolerance, failures, code in (("2%", 0, 0), ("0.01%", 1, 2)):
            done = self.netsim("compare", SMALL, OTHER, "--draws", "3", "--metric", "latency", "--tolerance", tolerance,
                               "--format", "junit", code=code)
            root = xml.etree.ElementTree.fromstring(done.stdout)
            cases = list(root.iter("testcase"))
            self.assertEqual([case.get("name") for case in cases], ["latency_us at 4", "latency_us at 4096"])
            self.assertEqual(sum(case.find("failure") is not None for case in cases), failures)
            self.assertEqual(root.find("testsuite").get("name"), "lam_via")
        failure = next(root.iter("failure"))
        self.assertRegex(failure.get("message") or failure.text, r"outside: A \d.*, B \d.*, change .*; outside in 3 of 3 draws")

    def test_seeds(self):
        """A draw is the mean of its seeds."""
        self.write("lossy.yaml", PING.replace("lam_via", "lam_tcp").replace("repetitions: 2", "repetitions: 40") +
                   "link: {drop_probability: 0.01}\n")
        more = "link.drop_probability=0.03"

        def mean(draw, *sets):
            values = []
            for seed in "123":
                run = json.loads(self.netsim("run", "lossy.yaml", "--seed", seed, "--set", f"draw={draw}", *sets, "--format", "json").stdout)
                values += [point["latency_us"] for point in run["series"][0]["points"] if point["size_bytes"] == 4096]
            return sum(values) / 3
        changes = sorted(mean(draw, "--set", more) / mean(draw) - 1 for draw in (1, 2, 3))
        row = self.rows("lossy.yaml", f"lossy.yaml#{more}", "--draws", "3", "--seeds", "3", code=2)[4096]
        self.assertAlmostEqual(row["change"], changes[1], places=12)
        self.assertEqual(row["n"], 3)
        self.assertIn("--seeds goes with --draws", self.netsim("compare", SMALL, OTHER, "--seeds", "3", code=1).stderr)

    def test_draws_of_no_machine(self):
        """A draw that a scenario refuses has failed in it; if all are refused, so is the command."""
        self.write("cable.yaml", CABLE)
        done = self.netsim("compare", "cable.yaml", "cable.yaml#link.propagation=500 ns", "--draws", "8", code=2)
        self.assertRegex(done.stdout, r"(?m)^lam_via: [1-7] draws completed in A, 8 in B$")
        self.assertIn("while STOP or GO goes back",
                      self.netsim("compare", "cable.yaml", "cable.yaml#link.propagation=2 us", "--draws", "8", code=1).stderr)

    def test_refused(self):
        for number in ("0", "-1", "1e9", "x", ""):
            self.assertIn("it must be a whole number from 1 to 10000",
                          self.netsim("compare", SMALL, OTHER, "--draws", number, code=1).stderr)
        for bad, text in (("ping.yaml#", "--set"), ("ping.yaml#lam_via.tnny=1 KiB", "did you mean lam_via.tiny"),
                          ("missing.yaml", "missing.yaml"), ("ping.yaml#lam_via.tiny", "--set lam_via.tiny")):
            self.assertIn(text, self.netsim("compare", SMALL, bad, "--draws", "2", code=1).stderr)
        self.assertIn("--metric nosuch", self.netsim("compare", SMALL, OTHER, "--draws", "2", "--metric", "nosuch", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
