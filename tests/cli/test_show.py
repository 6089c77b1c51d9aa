#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim show: resolved scenarios, routes and drawings of each kind of machine that is shipped."""

import json
import re
import unittest
import xml.etree.ElementTree

import harness

SVG = "{http://www.w3.org/2000/svg}"

# Hosts and switches that are drawn one by one, and lines of links.
DRAWN = {
    "cluster1": (6, 1, 6),
    "cluster2": (None, 1, None),
    "x306": (4, 2, 8),
    "two_networks": (16, 2, 32),
    "intercept_clos16": (16, 4, 64),
    "intercept_system1": (2, 0, 4),
    "intercept_system1_loop": (1, 0, 4),
    "ring_deadlock": (4, 4, 8),
    "plane_reordering": (3, 4, 12),
    "fat_tree_10000": (1, 3, 3),
    "leaf_spine_10000": (1, 2, 2),
    "intercept_clos1024": (1, 12, 12),
}

THREE_PATHS = """\
schema: 1
testbed: x306
hosts: [{name: node, count: 4, nics: [{name: em0, nic: em82547gi, bus: csa}, {name: em1, nic: em82541gi}, {name: em2, nic: em82541gi}]}]
switches: [{name: vlan, count: 3}]
links: [{from: node.em0, to: vlan0}, {from: node.em1, to: vlan1}, {from: node.em2, to: vlan2}]
stack: ch3_sctp
workload: {benchmark: pmb.pingpong}
"""


class Drawing(harness.Case):
    def drawn(self, name):
        self.netsim("show", name, "--svg", "out.svg")
        return xml.etree.ElementTree.fromstring(self.read("out.svg"))

    def test_each_kind_of_machine(self):
        self.write("three.yaml", THREE_PATHS)
        for name, (hosts, switches, links) in {**DRAWN, "three.yaml": (4, 3, 12)}.items():
            with self.subTest(name):
                root = self.drawn(name)
                boxes = root.findall(f"{SVG}rect")
                kinds = [box.get("class") for box in boxes]
                if hosts is not None:
                    self.assertEqual(kinds.count("host"), hosts)
                    lines = [path for path in root.findall(f"{SVG}path") if path.find(f"{SVG}title") is not None]
                    self.assertEqual(len(lines), links)
                self.assertEqual(kinds.count("switch"), switches)
                self.check_places(root, boxes)

    def check_places(self, root, boxes):
        """Boxes are within the drawing, and none lies over another."""
        width, height = float(root.get("width")), float(root.get("height"))
        places = [tuple(float(box.get(key)) for key in ("x", "y", "width", "height")) for box in boxes]
        for number, (x, y, w, h) in enumerate(places):
            self.assertTrue(x >= 0 and y >= 0 and x + w <= width and y + h <= height, (x, y, w, h))
            for other_x, other_y, other_w, other_h in places[number + 1:]:
                self.assertFalse(x < other_x + other_w and other_x < x + w and
                                 y < other_y + other_h and other_y < y + h, (x, y, other_x, other_y))

    def test_a_summary_counts(self):
        text = "".join(self.drawn("fat_tree_10000").itertext())
        for part in ("10,000 hosts", "leaf0 .. leaf499", "500 switches", "10,000 links", "20 each", "25 each",
                     "30,000 links of 100 Mb/s"):
            self.assertIn(part, text)

    def test_dot(self):
        text = self.netsim("show", "two_networks", "--dot", "-").stdout
        self.assertEqual(text.count(" -- "), 32)
        self.assertIn('label="node15"', text)
        self.assertRegex(text, r'tooltip="node0.myri0 - myrinet, 1280 Mb/s"')


class Text(harness.Case):
    def test_every_shipped_file(self):
        for kind in ("scenarios", "testbeds", "sweeps"):
            for name in self.netsim("list", kind, "--names").stdout.split():
                text = self.netsim("show", name).stdout
                self.assertIn("\nmachine", text, name)

    def test_values_after_overlays_and_set(self):
        done = self.netsim("show", "pingpong_cluster1", "--set", "lam_tcp.short=1 KiB", "--origins")
        self.assertRegex(done.stdout, r"host.memory.cache = 256 KiB\n +.*cluster1.yaml:\d+:\d+\n")
        self.assertRegex(done.stdout, r"values of LAM TCP that are no defaults\n  lam_tcp.short = 1 KiB\n +--set lam_tcp.short=1 KiB\n")
        self.assertNotIn("lam_tcp.envelope", done.stdout)
        self.assertIn("lam_tcp.envelope = 24 B", self.netsim("show", "pingpong_cluster1", "--defaults").stdout)
        only = self.netsim("show", "pingpong_cluster1", "--series", "MPICH").stdout
        self.assertNotIn("LAM TCP", only)
        cases = json.loads(self.netsim("show", "pingpong_cluster1", "--format", "json").stdout)["series"]
        self.assertEqual([case["stack"] for case in cases][:2], ["lam_via", "mvich"])

    def test_ranks(self):
        self.write("placed.yaml", harness.SMALL.replace("repetitions: 3", "placement: [node3, node1]"))
        self.assertIn("ranks     0 on node3\n            1 on node1\n", self.netsim("show", "placed.yaml").stdout)
        piped = self.netsim("show", "stencil").stdout
        self.assertRegex(piped, r"ranks +0 \.\. 15 on node0 \.\. node15\n")

    def test_routes(self):
        self.assertEqual(self.netsim("show", "cluster1", "--route", "node0", "node5").stdout,
                         "node0 to node5: 1 route\n  node0 -> switch (100 Mb/s) -> node5 (100 Mb/s)\n")
        both = self.netsim("show", "x306", "--route", "node0", "node1").stdout
        self.assertIn("node0.em1 -> vlan1 (1 Gb/s) -> node1.em1 (1 Gb/s)", both)
        given = self.netsim("show", "ring_deadlock", "--route", "node0", "node2").stdout
        self.assertRegex(given, r"node0 -> switch0 .* -> switch1 .* ->\s+switch2 .* ->\s+node2")
        far = self.netsim("show", "fat_tree_10000", "--route", "node0", "node9999").stdout
        self.assertEqual(len(re.findall("->", far)), 6)

    def test_mistakes(self):
        for arguments, text in [
                (["cluster1", "--route", "node0"], "lacks the second host"),
                (["cluster1", "node0"], "a second argument is the host of --route"),
                (["cluster1", "--route", "node0", "node9"], "no host `node9'"),
                (["cluster1", "--svg", "no/x.svg"], "no/x.svg"),
                (["nothing"], "no scenario, testbed or sweep `nothing'"),
                (["pingpong_cluster1", "--set", "a=1"], "there is no such key"),
                (["cluster1", "--format", "json"], "a testbed alone is not resolved")]:
            with self.subTest(arguments):
                self.assertIn(text, self.netsim("show", *arguments, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
