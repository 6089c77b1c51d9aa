#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""workload.placement: which rank runs on which host."""

import csv
import json
import os
import unittest

from harness import SOURCE, Case

CHAIN = """\
schema: 1
name: chain
hosts: [{name: node, count: 4}]
switches: [{name: left}, {name: right}]
links: [{from: node0..1, to: left}, {from: node2..3, to: right}, {from: left, to: right}]
nic: eepro100
host: {processor: {cores: 2}}
stack: lam_via
workload: {benchmark: pmb.pingpong, sizes: 1 B%s}
"""

# Two processes on a host each speak through its card.
SHARED = """\
schema: 1
name: shared
testbed: testbeds/config1.yaml
stack: armci
workload:
  %s
  program:
    - ranks: all
      do: [{put: {to: (rank + 2) %% 4, size: 64 B}}, {fence: all}]
"""

FOUR = SHARED.replace("stack: armci", "stack: armci\nhosts: [{name: node, count: 4}]")


class Placement(Case):
    def run_text(self, text, *arguments, code=0):
        self.write("placed.yaml", text)
        return self.netsim("run", "placed.yaml", "--out", "results", *arguments, code=code)

    def series(self):
        return json.loads(self.read("results/manifest.json"))["series"]

    def workload(self):
        return self.series()[0]["case"]["workload"]

    def latency(self, placement):
        self.run_text(CHAIN % placement)
        with open(self.path("results/results.csv"), encoding="utf-8", newline="") as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            return next(float(row["value"]) for row in rows if row["metric"] == "latency_us")

    def complaint(self, placement, *arguments):
        return self.run_text(CHAIN % placement, *arguments, code=1).stderr

    def test_hosts_are_where_the_list_says(self):
        """A second switch is on the way only if the two ranks are at different ones."""
        near = self.latency("")
        self.assertEqual(self.latency(", placement: [node1, node0]"), near)
        self.assertEqual(self.latency(", placement: [node3, node2]"), near)
        far = self.latency(", placement: [node0, node3]")
        self.assertGreater(far, near + 5)
        self.assertEqual(self.latency(", placement: [node3, node0]"), far)

    def test_ranges_and_number_of_ranks(self):
        """A range may go down; without `ranks` there is one for each host of the list."""
        text = CHAIN.replace("pmb.pingpong", "pmb.bcast")
        self.run_text(text % ", placement: [node3..1]")
        self.assertEqual(self.workload()["ranks"], 3)
        self.assertEqual(self.workload()["placement"], ["node3", "node2", "node1"])
        self.run_text(text % "", "--set", "workload.placement=[node2, node0]")
        self.assertEqual(self.workload()["placement"], ["node2", "node0"])

    def test_mistakes(self):
        said = self.complaint(", placement: [node0, nod3]")
        self.assertIn("placed.yaml:9:68: error: workload.placement[1]: there is no host \"nod3\"",
                      said)
        self.assertIn("(did you mean node3?)\n", said)
        self.assertEqual(said.count("error:"), 1)
        self.assertIn("there is no host \"left\"", self.complaint(", placement: [node0, left]"))
        self.assertIn("a list of hosts", self.complaint(", placement: node0"))
        self.assertIn("the list is empty", self.complaint(", placement: []"))
        self.assertIn("ranks 0 and 1 are both on node2",
                      self.complaint(", placement: [node2, node2]"))
        self.assertIn("ranks 0 and 1 are both on node2",
                      self.complaint(", ranks: 2, placement: [node2]"))
        self.assertIn("3 hosts are listed for 2 ranks",
                      self.complaint(", ranks: 2, placement: [node0..2]"))

    def test_several_on_a_host(self):
        """Where a stack lets several processes share a host, the list may name it again, and is repeated at its end."""
        counts = []
        for placement in ("ranks: 4\n  placement: [node0, node0, node1, node1]",
                          "ranks: 4\n  placement: [node1, node0]",
                          "placement: [node0..1, node0..1]"):
            self.run_text(SHARED % placement)
            counts.append(self.series()[0]["fingerprint"])
        self.assertEqual(counts[1], counts[2])
        self.assertNotEqual(counts[0], counts[1])

    def test_blocks(self):
        """Ranks one after the other on a host, as evenly as possible; the word alone is for all hosts."""
        for placement, hosts in (("block", "001223"), ("{block: [node3, node1]}", "333111"), ("cyclic", "012301"),
                                 ("{block: [node2..0]}", "221100")):
            with self.subTest(placement=placement):
                self.run_text(FOUR % f"ranks: 6\n  placement: {placement}")
                self.assertEqual(self.workload()["placement"], ["node" + host for host in hosts])
        # With fewer ranks than hosts each has one of its own, on any stack.
        text = CHAIN.replace("pmb.pingpong", "pmb.bcast") % ", ranks: 3, placement: block"
        self.run_text(text)
        self.assertEqual(self.workload()["placement"], ["node0", "node1", "node2"])

    def test_mistakes_of_blocks(self):
        self.assertIn('placed.yaml:9:60: error: workload.placement: a list of hosts, cyclic or block is expected here, not "blok" (did you mean block?)', self.complaint(", placement: blok"))
        self.assertIn("workload.placement.blok: unknown key", self.complaint(", placement: {blok: [node0]}"))
        self.assertIn("the list is empty", self.complaint(", placement: {block: []}"))
        self.assertIn("placed.yaml:9:69: error: workload.placement.block[0]: there is no host", self.complaint(", placement: {block: [nod0]}"))
        self.assertIn("do not fit 4 hosts", self.complaint(", ranks: 5, placement: block"))

    def test_ports_of_a_card(self):
        """ARMCI's processes have a port each, and the data server two: a host has eight."""
        self.run_text(FOUR % "ranks: 20")
        said = self.run_text(FOUR % "ranks: 21", code=1).stderr
        self.assertRegex(said, r"placed.yaml:\d+:3: error: workload: 6 processes of node0 need a port each .* 5 ports from 3 on")
        self.run_text(FOUR % "ranks: 6\n  placement: [node2]", code=1)
        self.run_text(FOUR % "ranks: 6\n  placement: [node2]", "--set", "gm.ports=9")

    def test_every_stack(self):
        """On machines of equal hosts nothing depends on which of them the ranks are on."""
        for name, sizes in (("pingpong_cluster1", "[1 B, 64 KiB]"), ("gm_allsize", "[64 B]"),
                            ("grim_latency", None), ("armci_put_config1", "[500000 B]")):
            prints = []
            for placement in (["--set", "workload.placement=[node0, node1]"],
                              ["--set", "workload.placement=[node1, node0]"]):
                only = ["--set", f"workload.sizes={sizes}"] if sizes else []
                self.netsim("run", os.path.join(SOURCE, "scenarios", name + ".yaml"), "--out",
                            "results", *placement, *only)
                prints.append([(one["name"], one["fingerprint"]) for one in self.series()])
            self.assertEqual(prints[0], prints[1], name)
            self.assertTrue(prints[0])


if __name__ == "__main__":
    unittest.main()
