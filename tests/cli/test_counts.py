#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks that came with a fabric, and count something else than bytes: the outputs of every command about them.
Also which cards a stack can drive, and what operations it has."""

import json
import os
import re
import unittest

from harness import Case, SOURCE
import needs

SCAN = """\
schema: 1
name: scan
testbed: testbeds/grim.yaml
stack: grim
workload: {benchmark: grim.scan, sizes: [1 .. 4, 6]}
"""


class Counts(Case):
    def scan(self, *changes):
        text = SCAN
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.write("scan.yaml", text)

    def test_table_csv_and_json(self):
        table = self.netsim("run", self.scan()).stdout.splitlines()
        self.assertRegex(table[1], r"^channels +scan$")
        self.assertEqual(table[2].split(), ["us"])
        self.assertEqual([line.split()[0] for line in table[3:7]], ["1", "2", "4", "6"])
        rows = self.netsim("run", "scan.yaml", "--format", "csv").stdout.splitlines()
        self.assertEqual(rows[0], "scenario,series,rank,size,metric,unit,value")
        self.assertTrue(rows[4].startswith("scan,grim,all,6,scan_us,us,"), rows[4])
        series = json.loads(self.netsim("run", "scan.yaml", "--format", "json").stdout)["series"][0]
        self.assertEqual(series["counts"], "channels")
        manifest = json.loads(self.read("results/scan/manifest.json"))
        self.assertEqual(manifest["series"][0]["counts"], "channels")

    def test_sizes_are_plain_numbers(self):
        done = self.netsim("check", self.scan(("[1 .. 4, 6]", "4 KiB")), code=1)
        self.assertIn('scan.yaml:5:41: error: workload.sizes: "4 KiB": KiB is the unit of a size',
                      done.stderr)

    def test_explain(self):
        lines = self.netsim("explain", self.scan()).stdout.splitlines()
        head = next(i for i, line in enumerate(lines) if re.match(r" +channels ", line))
        self.assertRegex(lines[head + 2], r"^ +2 ")

    @needs.matplotlib
    def test_plot(self):
        self.netsim("run", self.scan(), "--quiet")
        for source in ("scan.yaml", "results/scan"):  # anew, and from what was kept
            self.netsim("plot", source, "--out", "scan.svg")
            words = " ".join(re.findall(r">([^<>]+)</text>", self.read("scan.svg")))
            self.assertIn("channels", words)
            self.assertNotIn("message size", words)
            self.assertNotRegex(words, r"\d B\b")

    def test_sweep(self):
        self.netsim("sweep", self.scan(("[1 .. 4, 6]", "[1, 6]")), "--set", "nic=lanai4,lanai9")
        rows = self.netsim("sweep", "scan.yaml", "--set", "nic=lanai4,lanai9", "--csv").stdout
        self.assertEqual(rows.count("scan_us"), 4)
        report = self.netsim("sweep", "scan.yaml", "--report").stdout
        self.assertIn("6 channels", report)
        self.assertNotIn("6 B", report)


class Descriptions(Case):
    def test_benchmarks(self):
        text = self.netsim("describe", "grim.scan").stdout
        self.assertIn("sizes: numbers of channels", text)
        self.assertIn("reports: scan_us", text)
        text = self.netsim("describe", "armci.put").stdout
        self.assertRegex(text, r"(?m)^workload of armci.put: ")
        self.assertIn("layout = contiguous", text)
        self.assertIn("workload of armci.put: ", self.netsim("describe", "workload").stdout)
        self.assertIn("did you mean armci.put?", self.netsim("describe", "armci.pot", code=1).stderr)
        self.assertIn("ranks: 2 or more", self.netsim("describe", "pmb.barrier").stdout)

    def test_list(self):
        listed = json.loads(self.netsim("list", "--format", "json").stdout)
        counts = {one["name"]: one.get("counts") for one in listed["benchmarks"]}
        self.assertEqual(counts["grim.scan"], "channels")
        self.assertIsNone(counts["pmb.pingpong"])
        stacks = {one["name"]: one for one in listed["stacks"]}
        self.assertIn("put", stacks["armci"]["operations"])
        self.assertIn("active_message", stacks["grim"]["operations"])
        self.assertNotIn("operations", stacks["lam_via"])


class Refusals(Case):
    """What a stack can't do is said before anything runs, and where it stands in the file."""

    def check(self, text, message):
        self.assertIn(message, self.netsim("check", self.write("bad.yaml", text), code=1).stderr)

    def test_cards(self):
        head = "schema: 1\nworkload: {benchmark: pmb.pingpong}\n"
        for stack in ("lam_via", "mvich", "lam_tcp", "mpich_p4", "ch3_sock", "openmpi_tcp"):
            self.check(head + f"testbed: testbeds/cluster1.yaml\nstack: {stack}\nnic: lanai7\n",
                       "bad.yaml:5:6: error: nic: the stack cannot drive the NIC model lanai7 (the "
                       f"stack {stack} drives eepro100 (10 Mb/s or 100 Mb/s), tulip (10 Mb/s or 100 Mb/s), em82547gi (")
        for stack, benchmark in (("gm", "gm.allsize.latency"), ("armci", "armci.put"),
                                 ("grim", "grim.scan")):
            self.check("schema: 1\ntestbed: testbeds/config1.yaml\n"
                       f"workload: {{benchmark: {benchmark}}}\nstack: {stack}\nnic: tulip\n",
                       "bad.yaml:5:6: error: nic: the stack cannot drive the NIC model tulip (the "
                       f"stack {stack} drives lanai4")

    def test_operations(self):
        program = ("schema: 1\ntestbed: testbeds/{}.yaml\nstack: {}\nworkload:\n  ranks: 2\n"
                   "  program:\n    - ranks: 0\n      do:\n        - {}\n")
        self.check(program.format("cluster1", "lam_via", "put: {to: 1, size: 8 B}"),
                   "bad.yaml:9:11: error: workload.program[0].do[0].put: the stack lam_via has no "
                   "put (it has what every MPI library has: sends, receives, collectives)")
        self.check(program.format("grim", "grim", "lock: 1"),
                   "bad.yaml:9:11: error: workload.program[0].do[0].lock: the stack grim has no lock "
                   "(it has ")

    def test_keys_of_other_benchmarks(self):
        self.check("schema: 1\ntestbed: testbeds/cluster1.yaml\nstack: lam_via\n"
                   "workload: {benchmark: pmb.pingpong, layout: strided}\n",
                   "bad.yaml:4:37: error: workload.layout: belongs to armci.put, and not to "
                   "pmb.pingpong")

    def test_shipped_scenarios_are_right(self):
        folder = os.path.join(SOURCE, "scenarios")
        names = [name for name in sorted(os.listdir(folder)) if name.endswith(".yaml")]
        self.netsim("check", *(os.path.join(folder, name) for name in names))


if __name__ == "__main__":
    unittest.main()
