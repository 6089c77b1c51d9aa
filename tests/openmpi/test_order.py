#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of messages: each communicator has its own, so that a message on a slow card holds up those of its communicator only."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import Case  # noqa: E402

SCENARIO = """\
schema: 1
name: order
hosts: [{{name: node, count: 2}}]
switches: [{{name: switch}}]
links:
  - {{from: node0, to: switch, rate: 10 Mb/s}}
  - {{from: node0, to: switch}}
  - {{from: node1, to: switch, count: 2}}
nic: eepro100
stack: openmpi_tcp
workload:
  communicators: {{one: [0, 1], other: [0, 1]}}
  program:
    - ranks: 0
      do:
        - {{compute: 100 ms}}
        - {{isend: {{to: 1, size: 60 KiB, comm: one, request: a}}}}
        - {{isend: {{to: 1, size: 1 KiB, comm: {second}, request: b}}}}
        - {{wait: a}}
        - {{wait: b}}
    - ranks: 1
      do:
        - {{irecv: {{from: 0, size: 60 KiB, comm: one, request: a}}}}
        - {{recv: {{from: 0, size: 1 KiB, comm: {second}}}}}
        - {{wait: a}}
"""
AHEAD = "openmpi messages ahead of their turn"


class Order(Case):
    def run_with(self, second):
        self.write("order.yaml", SCENARIO.format(second=second))
        self.netsim("run", "order.yaml", "--quiet", "--out", "out", "--log-states", "states")
        counters = json.loads(self.read("out/manifest.json"))["series"][0]["counters"]
        lines = self.read("states").splitlines()
        done = [line.split()[3] for line in lines if " rank 1 recv[" in line and line.endswith("posted -> done")]
        return counters.get(AHEAD, 0), done

    def test_of_one_communicator(self):
        self.assertEqual(self.run_with("one"), (1, ["recv[1]", "recv[2]"]))

    def test_of_two_communicators(self):
        self.assertEqual(self.run_with("other"), (0, ["recv[2]", "recv[1]"]))


if __name__ == "__main__":
    unittest.main()
