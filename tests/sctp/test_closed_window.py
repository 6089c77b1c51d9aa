#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes of a closed window keep no run alive: a deadlock that they hide is reported. If the reader resumes, the run
goes on, also if the SACK that opens the window is lost and only a probe can find it open."""

import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from harness import Case  # noqa: E402

WRITE_FIRST = """\
schema: 1
name: write_first
testbed: {testbed}
stack: ch3_sctp
ch3_sctp: {{progress: write_first}}
sctp: {{profile: {profile}}}
workload:
  ranks: 2
  program:
    - ranks: all
      do:
        - win_create: {{size: 4 MiB}}
        - win_fence: {{}}
        - put: {{to: (rank + 1) % ranks, size: 4 MiB}}
        - get: {{from: (rank + 1) % ranks, size: 4 MiB}}
        - put: {{to: (rank + 1) % ranks, size: 4 MiB}}
        - win_fence: {{}}
"""

LATE_READER = """\
schema: 1
name: late
hosts: [{{name: n, count: 2, nics: [{{name: e0, nic: em82547gi}}]}}]
links: [{{from: n0.e0, to: n1.e0, rate: 100 Mb/s, propagation: 1 us{fault}}}]
stack: sctp
sctp: {{profile: rfc9260, no_delay: true}}
native_sctp: {{message: 1452 B}}
workload:
  program:
    - {{ranks: 0, do: [{{send: {{to: 1, size: 2 MiB}}}}]}}
    - {{ranks: 1, do: [{{compute: 40 s}}, {{recv: {{from: 0, size: 2 MiB}}}}]}}
"""


class ClosedWindow(Case):
    def simulate(self, text, code):
        file = self.write("case.yaml", text)
        done = self.netsim("run", file, "--out", "out", code=code)
        with open(self.path("out/manifest.json"), encoding="utf-8") as manifest:
            return done, json.load(manifest)["series"][0]

    def test_deadlock(self):
        testbed = os.path.join(os.environ["NETSIM_SOURCE_DIR"], "scenarios", "testbeds", "x306.yaml")
        done, series = self.simulate(WRITE_FIRST.format(testbed=testbed, profile="rfc9260"), 3)
        self.assertIn("ch3_sctp: deadlock at ", done.stdout + done.stderr)
        self.assertIn("2 of 2 ranks wait for what will never happen", done.stdout + done.stderr)
        self.assertLess(series["counters"]["sctp retransmission timeouts"], 20)

    def test_abort(self):
        """The stack of 2007 sends a chunk 30 times, and then aborts: its probes change something in the end."""
        testbed = os.path.join(os.environ["NETSIM_SOURCE_DIR"], "scenarios", "testbeds", "x306.yaml")
        done, _ = self.simulate(WRITE_FIRST.format(testbed=testbed, profile="s2007"), 3)
        self.assertNotIn("deadlock", done.stdout + done.stderr)

    def test_reader(self):
        for fault in "", ", down: [{from: 39.999 s, to: 40.5 s}]", ", fault_direction: backward, drop_probability: 0.3":
            _, series = self.simulate(LATE_READER.format(fault=fault), 0)
            self.assertGreater(series["counters"]["sctp window probes"], 0)

    def test_reader_of_a_sliver(self):
        """Like test_reader, but with the stack of 2007, which offers 1 while its window is all but closed."""
        text = LATE_READER.replace("profile: rfc9260", "profile: s2007, most_transmissions: 0")
        for fault in "", ", down: [{from: 39.999 s, to: 40.5 s}]":
            _, series = self.simulate(text.format(fault=fault), 0)
            self.assertGreater(series["counters"]["sctp window probes"], 0)


if __name__ == "__main__":
    unittest.main()
