#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts with several buses: a card has the bus that the host's list names, and shares it with no other card."""

import csv
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import Case  # noqa: E402

MACHINE = """\
schema: 1
name: buses
testbed: testbeds/cluster1.yaml
workload: {benchmark: native.pingpong, sizes: [4 B, 4 KiB], repetitions: 5}
BUSES
hosts: [{name: n, count: 2, nics: [{name: eth0, nic: eepro100FIRST}, {name: eth1, nic: eepro100SECOND}]}]
switches: [{name: a}, {name: b}]
links: [{from: n.eth0, to: a}, {from: n.eth1, to: b}]
"""
SERIES = """\
series: [{name: first, stack: tcp, set: {nic: eth0}}, {name: second, stack: tcp, set: {nic: eth1}}]
"""


def machine(buses="", first="", second=""):
    return MACHINE.replace("BUSES", buses).replace("FIRST", first).replace("SECOND", second)


class Buses(Case):
    def curve(self, text, *options):
        file = self.write("buses.yaml", text)
        self.netsim("run", file, "--format", "csv", "--quiet", "--out", "out", *options)
        curves = {}
        with open(self.path("out/results.csv"), encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                if row["metric"] == "latency_us":
                    curves.setdefault(row["series"], []).append(float(row["value"]))
        return curves

    def test_a_bus_as_the_host_has_it(self):
        one = self.curve(machine() + SERIES)
        self.assertEqual(one["first"], one["second"])
        self.assertEqual(one, self.curve(machine("buses: [{name: other}, {name: spare}]", "", ", bus: other") + SERIES))

    def test_each_card_has_its_own(self):
        plain = self.curve(machine() + SERIES)["first"]
        text = machine("buses: [{name: fast, clock: 66 MHz}, {name: slow, rate: 3 MB/s}]", ", bus: fast",
                       ", bus: slow") + SERIES
        found = self.curve(text)
        for size in range(2):
            self.assertLess(found["first"][size], plain[size])
            self.assertGreater(found["second"][size], 1.5 * plain[size])
        # Settings reach one of them, or all that have no value of their own.
        slower = self.curve(text, "--set", "buses[1].rate=2 MB/s")
        self.assertEqual(slower["first"], found["first"])
        self.assertGreater(slower["second"][1], 1.2 * found["second"][1])
        both = self.curve(text, "--set", "host.bus.read_setup=100")
        for name in found:
            self.assertGreater(both[name][0], found[name][0])
        self.assertEqual(self.curve(text, "--set", "host.bus.rate=1 MB/s")["second"], found["second"])

    def test_sweeps_and_manifests(self):
        text = machine("buses: [{name: slow}]", "", ", bus: slow") + "stack: tcp\nnic: eth1\n"
        file = self.write("buses.yaml", text + "sweep: {axes: {'buses[0].rate': [3 MB/s, 30 MB/s]}}\n")
        table = self.netsim("sweep", file, "--quiet", "--csv", "--out", "out").stdout.splitlines()
        values = {row["buses[0].rate"]: float(row["value"]) for row in csv.DictReader(table)
                  if row["size"] == "4096" and row["metric"] == "latency_us"}
        self.assertEqual(len(values), 2, values)
        self.assertGreater(values["3 MB/s"], 2 * values["30 MB/s"])
        self.netsim("run", file, "--quiet", "--out", "run")
        with open(self.path("run/manifest.json"), encoding="utf-8") as stream:
            text = json.dumps(json.load(stream))
        self.assertIn('"bus_parameters": {"slow": {', text)
        self.assertIn('"nic": "eepro100", "bus": "slow"', text)

    def test_explain_tries_each_bus_and_the_timeline_shows_it(self):
        text = machine("buses: [{name: slow, clock: 33 MHz, rate: 3 MB/s}]", "", ", bus: slow")
        file = self.write("buses.yaml", text + "stack: tcp\nnic: eth1\n")
        document = json.loads(self.netsim("explain", file, "--size", "4 KiB", "--format", "json").stdout)
        trials = {one["what"]: one for one in document["series"][0]["trials"][0]}
        self.assertEqual(trials["the bus"]["less_time_percent"], 0)
        self.assertGreater(trials["the bus slow"]["less_time_percent"], 0.5)
        self.assertIn("buses[0].rate=3030000 B/s", trials["the bus slow"]["sets"])
        self.netsim("run", file, "--quiet", "--out", "out", "--trace", "t.json")
        with open(self.path("t.json"), encoding="utf-8") as stream:
            timeline = stream.read()
        self.assertIn('"bus slow"', timeline)
        self.assertIn('"NIC eth1 send"', timeline)

    def test_mtus(self):
        text = machine().replace("eepro100}", "eepro100, mtu: 9000 B}", 1) + "stack: tcp\n"
        file = self.write("mtu.yaml", text)
        self.assertIn("mtu.yaml:6:36: error: hosts: eepro100 takes frames of 1514 B, and packets of this MTU need "
                      "9014 (1500 B fits; eepro100.largest_frame is what it takes)",
                      self.netsim("check", file, "--set", "nic=eth0", code=1).stderr)
        # The other card has the stack's MTU.
        self.netsim("check", file, "--set", "nic=eth1")
        self.netsim("check", file, "--set", "eepro100.largest_frame=9014 B", "--set", "nic=eth0")
        self.assertIn("--set tcp.mtu=1501 B: error: tcp.mtu: eepro100 takes frames of 1514 B, and packets of this "
                      "MTU need 1515 (",
                      self.netsim("check", file, "--set", "nic=eth1", "--set", "tcp.mtu=1501 B", code=1).stderr)
        # Longer packets need fewer headers: the interface's MTU counts, not the stack's.

        options = ("--set", "eepro100.largest_frame=9014 B", "--set", "nic=eth0", "--set", "workload.sizes=64 KiB")
        plain = self.curve(machine() + "stack: tcp\n", *options)["tcp"][0]
        jumbo = self.curve(text, *options)["tcp"][0]
        self.assertEqual(jumbo, self.curve(machine() + "stack: tcp\n", "--set", "tcp.mtu=9000 B", *options)["tcp"][0])
        self.assertEqual(jumbo, self.curve(text, *options, "--set", "tcp.mtu=1000 B")["tcp"][0])
        self.assertNotEqual(jumbo, plain)

    def test_mistakes(self):
        file = self.write("buses.yaml", machine("buses: [{name: csa}]", ", bus: cas") + SERIES)
        self.assertIn('buses.yaml:6:69: error: hosts[0].nics[0].bus: unknown bus "cas" (the buses are csa)',
                      self.netsim("check", file, code=1).stderr)
        file = self.write("buses.yaml", machine("buses: [{name: csa, width: 0 B}]") + SERIES)
        self.assertIn("buses.yaml:5:28: error: buses[0].width: ", self.netsim("check", file, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
