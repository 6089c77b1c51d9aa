#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that repeat their packets: the effects on a program, and the report."""

import json
import unittest

from harness import SOURCE, Case

SCENARIO = f"""\
schema: 1
name: repeats
testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml
stack: mvich
workload: {{benchmark: pmb.exchange, repetitions: 3, ranks: 3, sizes: [131072 B]}}
link: {{window: 7}}
"""
CORRUPT = ("--set", "link.corrupt_nth=[25, 33]")
DEAD = ("--set", "link.down=[{from: 4 ms, to: never}]")
PLANES = f"""\
schema: 1
name: planes
testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml
stack: mvich
hosts: [{{name: node, count: 4}}]
switches: [{{name: plane, count: 4, discipline: cut_through, ports: 3, slack: 1 KiB}}]
links: [{{from: node, to: plane}}]
workload: {{benchmark: pmb.pingpong, sizes: [0 B]}}
"""


class Repeats(Case):
    def run_json(self, *arguments, code=0):
        self.write("repeats.yaml", SCENARIO)
        done = self.netsim("run", "repeats.yaml", "--format", "json", *arguments, code=code)
        return json.loads(done.stdout)["series"][0]

    def test_faults_only_delay(self):
        """What loses messages without a window loses none with it, and costs time."""
        self.run_json(*CORRUPT, "--set", "link.window=0", code=2)
        whole, hit = self.run_json(), self.run_json(*CORRUPT)
        self.assertEqual(hit["ledger"], whole["ledger"])
        self.assertTrue(hit["ledger"]["balanced"])
        self.assertGreater(hit["simulated_s"], whole["simulated_s"])
        repeats = {name: count for name, count in hit["counters"].items()
                   if name.startswith("packets repeated on link ")}
        self.assertEqual(len(repeats), 6)
        self.assertNotIn("packets dropped", " ".join(hit["counters"]))

    def test_report(self):
        self.write("repeats.yaml", SCENARIO)
        text = self.netsim("run", "repeats.yaml", "--set", "link.corrupt_nth=[500]").stdout
        self.assertIn("sent again", text)
        self.assertNotIn("hit nothing", text)

    def test_dead_link(self):
        """The messages are open, not lost, and the report names the link."""
        series = self.run_json(*DEAD, code=3)
        self.assertEqual(series["status"], "deadlock")
        self.assertRegex(series["reason"]["text"],
                         r"link \S+->\S+: \d packets? unacknowledged, link down")
        self.assertEqual(series["ledger"]["lost"], 0)
        self.assertGreater(series["ledger"]["open"], 0)
        self.assertIn("time-outs of link ", " ".join(series["counters"]))

    def test_ports_of_a_plane(self):
        """A plane has so many ports, and no host more."""
        self.write("planes.yaml", PLANES)
        done = self.netsim("check", "planes.yaml", code=1)
        self.assertIn("planes.yaml:7:9: error: links: plane0 has 3 ports, and this is one link more",
                      done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
