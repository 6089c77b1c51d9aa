#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a job over TCP starts: one connection after the other, so that a large one comes up over an
uplink that all calls have to pass; and the report if a connection does not come about."""

import os
import re
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.environ["NETSIM_SOURCE_DIR"]

# Two switches with the usual queue, and a gigabit cable between them.
HALVES = """\
schema: 1
name: halves
testbed: {source}/scenarios/testbeds/cluster1.yaml
stack: {stack}
hosts: [{{name: node, count: {hosts}}}]
switches: [{{name: half, count: 2}}]
links:
  - {{from: node, to: half, split: 2}}
  - {{from: half0, to: half1, rate: 1 Gb/s}}
workload: {{ranks: {hosts}, program: [{{ranks: all, do: [barrier]}}]}}
"""
STEP = re.compile(r"([\d.]+) node(\d+) tcp\[(\d+)\] ([\w-]+) -> ([\w-]+) ")


class Start(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-start-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def run_it(self, stack, hosts, *sets, code=0):
        with open(os.path.join(self.directory, "halves.yaml"), "w", encoding="utf-8") as file:
            file.write(HALVES.format(source=SOURCE, stack=stack, hosts=hosts))
        done = subprocess.run(
            [NETSIM, "run", "halves.yaml", "--quiet", "--log-states", "states.log",
             *(word for one in sets for word in ("--set", one))],
            cwd=self.directory, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, code, done.stdout)
        return " ".join(done.stdout.split())

    def steps(self):
        """(us, host, socket, from, to) of each step of a connection."""
        with open(os.path.join(self.directory, "states.log"), encoding="utf-8") as file:
            for line in file:
                found = STEP.match(line.lstrip())
                if found:
                    yield (float(found[1]), int(found[2]), int(found[3]), found[4], found[5])

    def check_order(self, hosts):
        """Each host calls all lower ones, one at a time; no call is repeated, which takes 3 s."""
        calls = [0] * hosts
        calling = [None] * hosts
        for when, host, socket, before, after in sorted(self.steps(), key=lambda step: step[0]):
            if after == "SYN-SENT":
                self.assertIsNone(calling[host], f"node{host} at {when}")
                calling[host] = when
                calls[host] += 1
            elif before == "SYN-SENT":
                self.assertEqual(after, "ESTABLISHED")
                self.assertLess(when - calling[host], 1e5, f"node{host}, connection {socket}")
                calling[host] = None
        self.assertEqual(calls, list(range(hosts)))

    def test_128_hosts(self):
        for stack in ("lam_tcp", "mpich_p4"):
            with self.subTest(stack=stack):
                self.run_it(stack, 128)
                self.check_order(128)

    def test_few_hosts(self):
        for hosts in (2, 4, 6):
            self.run_it("lam_tcp", hosts)
            self.check_order(hosts)

    def test_what_was_dropped(self):
        """All calls of node1 are lost on its cable, which the failure names."""
        said = self.run_it("lam_tcp", 2, "links[0].drop_probability=1",
                           "links[0].fault_direction=forward", code=3)
        self.assertIn("node1 gave up its TCP connection to node0 in SYN-SENT", said)
        self.assertIn("on the way between them: 6 packets lost on link node1->half1", said)

    def test_both_ways_the_most_first(self):
        """Calls are damaged in one direction, answers in the other."""
        said = self.run_it("lam_tcp", 2, "links[1].corrupt_nth=[1,2,3,4,5,6,7,8]",
                           "links[0].corrupt_nth=[1]", code=3)
        clauses = re.findall(r"(\d+) packets? dropped, (FCS error at \w+)",
                             said.split("on the way between them: ")[1])
        self.assertGreaterEqual(len(clauses), 2, said)
        self.assertEqual(len({place for _, place in clauses}), len(clauses))
        counts = [int(count) for count, _ in clauses]
        self.assertEqual(counts, sorted(counts, reverse=True))


if __name__ == "__main__":
    unittest.main()
