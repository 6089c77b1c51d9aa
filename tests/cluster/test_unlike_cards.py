#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts with two gigabit cards at two buses, as those of thesis 004: bare TCP over each has the rate that its wire
or its bus lets through, and over both at the two ends of one connection that of the slower."""

import csv
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import Case  # noqa: E402

MACHINE = """\
schema: 1
name: unlike
host:
  processor: {clock: 3.2 GHz}
  memory: {copy_uncached: 1500 MB/s, copy_cached: 3 GB/s}
  bus: {clock: 33 MHz, width: 4 B, read_burst: 128 B, read_setup: 12, write_burst: 128 B, write_setup: 5}
buses: [{name: csa, clock: 66 MHz}]
hosts: [{name: n, count: 2, nics: [{name: em0, nic: em82547gi, bus: csa}, {name: em1, nic: em82541gi}]}]
switches: [{name: s}, {name: t}]
link: {rate: 1 Gb/s}
links: [{from: n.em0, to: s}, {from: n.em1, to: t}]
tcp: {mtu: 9000 B, checksum_offload: true, transmit_interrupt: 1, window_scale: 2,
      send_buffer: 233016 B, send_buffer_most: 233016 B, receive_buffer: 233016 B, buffer_limit: 233016 B}
netpipe: {send_buffer: 233016 B, receive_buffer: 233016 B}
workload: {benchmark: native.pingpong, sizes: 16 MiB, repetitions: 3}
"""
EACH = """\
series: [{name: csa, stack: tcp, set: {nic: em0}}, {name: pci, stack: tcp, set: {nic: em1}}]
"""
# With timestamps a frame of 9,018 B on a wire of 9,038 B has 8,948 B of the program's.
WIRE = 8948 / 9038 * 125.0
# 72 bursts for the frame and its five descriptors, each after 12 clocks.
PCI = 8948 / (72 * 12 / 33 + (9018 + 5 * 16) / 132.0)
# Received, each burst takes five clocks more.
PCI_WRITES = 8948 / (72 * 5 / 33 + (9018 + 5 * 16) / 132.0)


class UnlikeCards(Case):
    def rates(self, text, *options):
        """MB/s of each series."""
        file = self.write("unlike.yaml", text)
        self.netsim("run", file, "--format", "csv", "--quiet", "--out", "out", *options)
        with open(self.path("out/results.csv"), encoding="utf-8") as rows:
            return {row["series"]: float(row["value"]) for row in csv.DictReader(rows)
                    if row["metric"].startswith("bandwidth")}

    def assert_near(self, rate, ceiling):
        """Start and end of a message of 16 MiB, its return and the acknowledgements take a little."""
        self.assertLess(rate, ceiling)
        self.assertGreater(rate, 0.93 * ceiling)

    def test_each_card_has_its_bus(self):
        found = self.rates(MACHINE + EACH)
        self.assert_near(found["csa"], WIRE)
        self.assert_near(found["pci"], PCI)
        # The bus makes the difference, not the card: at the other's bus each is as fast as the other.
        swapped = MACHINE.replace("em82547gi, bus: csa", "em82547gi").replace("em82541gi", "em82541gi, bus: csa")
        found = self.rates(swapped + EACH)
        self.assert_near(found["csa"], PCI)
        self.assert_near(found["pci"], WIRE)
        # And at one bus both are alike.
        found = self.rates(MACHINE.replace(", bus: csa", "") + EACH)
        self.assert_near(found["csa"], PCI)

    def test_both_in_one_network(self):
        text = MACHINE.replace("links: [{from: n.em0, to: s}, {from: n.em1, to: t}]",
                               "links: [{from: n0.em0, to: s}, {from: n1.em1, to: s}]")
        # Of a message's two directions one is sent from PCI and one received there.
        self.assert_near(self.rates(text + "stack: tcp\n")["tcp"], 2 / (1 / PCI + 1 / PCI_WRITES))

    def test_both_mtus_in_one_network(self):
        """The smaller MTU of both ends counts in both directions."""
        text = MACHINE.replace("links: [{from: n.em0, to: s}, {from: n.em1, to: t}]",
                               "links: [{from: n0.em0, to: s}, {from: n1.em1, to: s}]") + "stack: tcp\n"
        small = text.replace("nic: em82541gi", "nic: em82541gi, mtu: 1500 B")
        self.assertEqual(self.rates(small), self.rates(small.replace("bus: csa", "bus: csa, mtu: 1500 B")))
        self.assertLess(self.rates(small)["tcp"], self.rates(text)["tcp"])

    def test_a_card_that_leads_nowhere(self):
        """Of a stack that uses all cards, too, `nic` may choose one by which a host is not reached."""
        text = MACHINE.replace("links: [{from: n.em0, to: s}", "links: [{from: n0.em0, to: s}, {from: n1.em0, to: u}")
        text = text.replace("{name: t}]", "{name: t}, {name: u}]")
        text = "".join(line for line in text.splitlines(True) if not line.startswith(("tcp:", "      ", "netpipe:")))
        file = self.write("apart.yaml", text + "stack: sctp\n")
        self.netsim("check", file)
        self.netsim("check", file, "--set", "nic=em1")
        self.assertIn("apart.yaml:8:9: error: links: no way joins n0 and n1 (the stack uses the cards that `nic` names, "
                      "or else the first that it drives)",
                      self.netsim("check", file, "--set", "nic=em0", code=1).stderr)

    def test_rings_hold_a_frame(self):
        file = self.write("unlike.yaml", MACHINE + EACH)
        self.assertIn("--set em82541gi.tx_ring=7: error: em82541gi.tx_ring: a frame of 16124 B takes 8 descriptors, "
                      "one for each buffer (make it longer, or largest_frame less)",
                      self.netsim("check", file, "--set", "em82541gi.tx_ring=7", code=1).stderr)
        self.netsim("check", file, "--set", "em82541gi.tx_ring=8", "--set", "em82541gi.rx_ring=8")
        self.assertIn("em82541gi.rx_ring: a frame of 9014 B takes 5 descriptors",
                      self.netsim("check", file, "--set", "em82541gi.rx_ring=4", "--set",
                                  "em82541gi.largest_frame=9014 B", code=1).stderr)

    def test_interrupts_pace_small_messages(self):
        """Each host's card interrupts at most once in 124.928 us, and a round trip has one at each."""
        text = MACHINE.replace("16 MiB", "[1 B, 1 KiB]") + EACH
        for series, rate in self.rates(text, "--set", "workload.sizes=1 B").items():
            self.assertLess(rate, 1 / 62.464, series)
        text = self.netsim("explain", "unlike.yaml", "--series", "csa", "--size", "1", "--no-trials",
                           "--set", "workload.sizes=1 B").stdout
        share = [float(line.split("%")[0].split()[-1]) for line in text.splitlines() if "distance of interrupts" in line]
        self.assertTrue(share and share[0] > 50, text)
        text = MACHINE.replace("16 MiB", "[1 B, 1 KiB]") + EACH
        for card in ("em82547gi", "em82541gi"):
            text = text.replace("\ntcp:", f"\n{card}: {{interrupt_distance: 0 s, tx_interrupt_delay: 0 s}}\ntcp:")
        for series, rate in self.rates(text, "--set", "workload.sizes=1 B").items():
            self.assertGreater(rate, 1 / 40, series)


if __name__ == "__main__":
    unittest.main()
