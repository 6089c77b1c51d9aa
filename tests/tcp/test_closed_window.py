#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A deadlock with closed windows of TCP is reported as one: probes of a window that stays closed end after tcp.probes,
however many these are, and cost few events. A reader that resumes before that finds its data."""

import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from harness import SOURCE, Case  # noqa: E402

CASE = """\
schema: 1
name: closed
testbed: {testbed}
stack: lam_tcp
tcp: {{profile: {profile}, probes: {probes}}}
lam_tcp: {{short: 2 MiB}}
workload: {{ranks: 2, program: {program}}}
"""
BOTH_WRITE = "[{ranks: all, do: [{send: {to: 1 - rank, size: 1 MiB}}, {recv: {from: 1 - rank, size: 1 MiB}}]}]"
LATE_READER = "[{ranks: 0, do: [{send: {to: 1, size: 1 MiB}}]}, {ranks: 1, do: [{compute: 300 s}, {recv: {from: 0, size: 1 MiB}}]}]"


class ClosedWindow(Case):
    def simulate(self, profile, probes, program, code):
        testbed = os.path.join(SOURCE, "scenarios", "testbeds", "cluster1.yaml")
        file = self.write("case.yaml", CASE.format(testbed=testbed, profile=profile, probes=probes, program=program))
        self.netsim("run", file, "--out", "out", code=code)
        with open(self.path("out/manifest.json"), encoding="utf-8") as manifest:
            return json.load(manifest)["series"][0]

    def test_deadlock(self):
        for profile in ("linux24", "freebsd6"):
            for probes, most_events in ((1, 20000), (15, 20000), (1000, 150000)):
                with self.subTest(profile=profile, probes=probes):
                    series = self.simulate(profile, probes, BOTH_WRITE, 3)
                    self.assertEqual(series["status"], "deadlock")
                    self.assertEqual(series["reason"]["circles"][0]["text"], "node0 -> node1 -> node0: each waits to send to the next")
                    self.assertLess(series["events"], most_events)

    def test_reader_that_comes_back(self):
        for profile in ("linux24", "freebsd6"):
            with self.subTest(profile=profile):
                series = self.simulate(profile, 15, LATE_READER, 0)
                self.assertGreater(series["simulated_s"], 300)


if __name__ == "__main__":
    unittest.main()
