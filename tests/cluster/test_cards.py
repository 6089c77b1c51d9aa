#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts with several cards in several networks: each series runs on the card that its `nic` names, as
if the host had no other; TCP takes the card that leads to each peer."""

import csv
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import Case  # noqa: E402

HEAD = """\
schema: 1
name: cards
testbed: testbeds/cluster1.yaml
workload: {benchmark: native.pingpong, sizes: [4 B, 4 KiB], repetitions: 5}
"""
# Fast Ethernet, slow Ethernet, and Myrinet with its switch.
MACHINE = """\
hosts:
  - {name: n, count: 2, nics: [{name: eth0, nic: eepro100}, {name: eth1, nic: tulip}, {name: myri0, nic: lanai9}]}
switches:
  - {name: fast}
  - {name: slow}
  - {name: myrinet, discipline: cut_through, ports: 8, latency: 150 ns, header: 1 B, route_bytes: 1 B}
links:
  - {from: n.eth0, to: fast}
  - {from: n.eth1, to: slow, rate: 10 Mb/s}
  - {from: n.myri0, to: myrinet, rate: 1280 Mb/s, preamble: 0 B, gap: 1 B, least_frame: 0 B}
"""
# The same machine without the cards that a series does not use.
ALONE = """\
nic: {nic}
hosts: [{{name: n, count: 2}}]
switches: [{switch}]
links: [{{from: n, to: s{link}}}]
"""
ETHERNET = "{name: s}"
MYRINET = ("{name: s, discipline: cut_through, ports: 8, latency: 150 ns, header: 1 B, "
           "route_bytes: 1 B}")
MYRINET_LINK = ", rate: 1280 Mb/s, preamble: 0 B, gap: 1 B, least_frame: 0 B"
TWO_EQUAL = """\
hosts: [{name: n, count: 2, nics: [{name: eth0, nic: eepro100}, {name: eth1, nic: eepro100}]}]
switches: [{name: a}, {name: b}]
links:
  - {from: n.eth0, to: a}
  - {from: n.eth1, to: b, rate: 10 Mb/s}
"""


class Cards(Case):
    def curve(self, text, *options):
        """The latencies of each series, by name."""
        file = self.write("cards.yaml", text)
        self.netsim("run", file, "--format", "csv", "--quiet", "--out", "out", *options)
        curves = {}
        with open(self.path("out/results.csv"), encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                if row["metric"] == "latency_us":
                    curves.setdefault(row["series"], []).append(float(row["value"]))
        self.assertTrue(curves)
        return curves

    def alone(self, stack, nic, switch=ETHERNET, link=""):
        text = HEAD + ALONE.format(nic=nic, switch=switch, link=link)
        return self.curve(text + f"series: [{{name: alone, stack: {stack}}}]\n")["alone"]

    def complaint(self, text, says):
        file = self.write("cards.yaml", text)
        self.assertIn(says, self.netsim("run", file, code=1).stderr)


class Runs(Cards):
    def test_a_series_has_the_card_that_it_names(self):
        found = self.curve(HEAD + MACHINE + """\
series:
  - {name: via fast, stack: mvia, set: {nic: eth0}}
  - {name: via slow, stack: mvia, set: {nic: tulip}}
  - {name: tcp fast, stack: tcp, set: {nic: eepro100}}
  - {name: tcp slow, stack: tcp, set: {nic: eth1}}
  - {name: gm, stack: gm, set: {nic: myri0}}
""")
        slow = ", rate: 10 Mb/s"
        self.assertEqual(found["via fast"], self.alone("mvia", "eepro100"))
        self.assertEqual(found["via slow"], self.alone("mvia", "tulip", link=slow))
        self.assertEqual(found["tcp fast"], self.alone("tcp", "eepro100"))
        self.assertEqual(found["tcp slow"], self.alone("tcp", "tulip", link=slow))
        self.assertEqual(found["gm"], self.alone("gm", "lanai9", MYRINET, MYRINET_LINK))
        self.assertEqual(len({tuple(curve) for curve in found.values()}), 5)

    def test_without_a_name_the_first_that_the_stack_drives(self):
        text = HEAD.replace("testbed: testbeds/cluster1.yaml\n", "") + MACHINE
        text = text.replace("  - {from: n.eth1, to: slow, rate: 10 Mb/s}\n", "")
        series = "series: [{name: gm, stack: gm}, {name: via, stack: mvia}]\n"
        found = self.curve(text + series)
        self.assertEqual(found, self.curve(text + series.replace("gm}", "gm, set: {nic: myri0}}")
                                           .replace("mvia}", "mvia, set: {nic: eth0}}")))

    def test_equal_cards_in_unlike_networks_are_not_mixed_up(self):
        found = self.curve(HEAD + TWO_EQUAL + """\
series: [{name: a, stack: tcp, set: {nic: eth0}}, {name: b, stack: tcp, set: {nic: eth1}}]
""")
        self.assertEqual(found["a"], self.alone("tcp", "eepro100"))
        self.assertEqual(found["b"], self.alone("tcp", "eepro100", link=", rate: 10 Mb/s"))

    def test_a_sweep_over_cards(self):
        file = self.write("cards.yaml", HEAD + TWO_EQUAL + "stack: tcp\nsweep: {axes: {nic: [eth0, eth1]}}\n")
        table = self.netsim("sweep", file, "--quiet", "--csv", "--out", "out").stdout.splitlines()
        values = {row["nic"]: float(row["value"]) for row in csv.DictReader(table)
                  if row["size"] == "4096" and row["metric"] == "latency_us"}
        self.assertGreater(values["eth1"], 3 * values["eth0"])

    def test_unlike_cards_in_one_network(self):
        text = HEAD + """\
hosts: [{name: a, nics: [{name: eth0, nic: eepro100}]}, {name: b, nics: [{name: eth0, nic: tulip}]}]
switches: [{name: s}]
links: [{from: [a, b], to: s}]
series: [{name: mixed, stack: mvia, set: {nic: eth0}}]
"""
        mixed = self.curve(text)["mixed"]
        like = [self.alone("mvia", nic) for nic in ("eepro100", "tulip")]
        for mine, one, other in zip(mixed, *like):
            self.assertLess(min(one, other), mine)
            self.assertLess(mine, max(one, other))
        # Each card's own parameters count, at its host.
        for nic in ("eepro100", "tulip"):
            slower = self.curve(text, "--set", f"{nic}.rx_frame=100 us")["mixed"]
            self.assertAlmostEqual(slower[0] - mixed[0], 50, delta=5)

    def test_tcp_goes_by_the_card_that_leads_to_a_peer(self):
        text = HEAD.replace("native.pingpong", "pmb.alltoall, ranks: 3") + """\
hosts: [{name: n, count: 3}]
links: [{from: n, to: n}]
stack: STACK
"""
        file = self.write("cables.yaml", text.replace("STACK", "lam_tcp"))
        self.netsim("run", file, "--quiet", "--out", "out", "--pcap", "c")
        addresses = set()
        for host in range(3):
            names = sorted(os.listdir(self.path("c/lam_tcp")))
            self.assertTrue([name for name in names if name.startswith(f"n{host}")], names)
            for name in names:
                addresses |= ip_sources(self.path(os.path.join("c/lam_tcp", name)))
        # Two cards of each of three hosts.
        self.assertEqual(addresses, {f"10.0.{card}.{host + 1}" for card in range(2) for host in range(3)})
        self.complaint(text.replace("STACK", "lam_via"), "no way joins n0 and n2 (the stack uses one card")

    def test_no_network_joins_all_hosts(self):
        text = HEAD.replace("native.pingpong", "pmb.alltoall, ranks: 4") + """\
hosts: [{name: n, count: 4}]
switches: [{name: s, count: 3SWITCH}]
links: [{from: n0..1, to: s0}, {from: n1..3, to: s1}, {from: [n0, n2, n3], to: s2}]
series: [{name: lam, stack: lam_tcp}, {name: p4, stack: mpich_p4}]
"""
        worms = ", discipline: cut_through, latency: 150 ns, header: 1 B, route_bytes: 1 B"
        for switch, options in (("", ()), (worms, ("--set", "link.preamble=0 B", "--set",
                                                   "link.least_frame=0 B"))):
            found = self.curve(text.replace("SWITCH", switch), *options)
            self.assertEqual({name: len(curve) for name, curve in found.items()}, {"lam": 2, "p4": 2})
        self.complaint(text.replace("SWITCH", "").replace("lam_tcp", "lam_via"), "no way joins n0 and n2")

    def test_captures_say_which_card(self):
        file = self.write("cards.yaml", HEAD + MACHINE + "stack: tcp\nnic: eth1\n")
        self.netsim("run", file, "--quiet", "--out", "out", "--pcap", "c")
        names = sorted(name for _, _, files in os.walk(self.path("c")) for name in files)
        self.assertTrue(names and all("eth1" in name for name in names), names)


def ip_sources(file):
    """The IPv4 source addresses of a pcapng file's enhanced packet blocks."""
    with open(file, "rb") as stream:
        data = stream.read()
    found, at = set(), 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        frame = at + 28
        if kind == 6 and data[frame + 12:frame + 14] == b"\x08\x00":
            found.add(".".join(str(byte) for byte in data[frame + 26:frame + 30]))
        at += length
    return found


class Mistakes(Cards):
    def test_a_card_that_is_not_there(self):
        its = "(its cards are eth0 (eepro100), eth1 (tulip), myri0 (lanai9))"
        self.complaint(HEAD + MACHINE + "stack: tcp\nnic: eth2\n",
                       f"cards.yaml:16:6: error: nic: n0 has no card eth2 {its}")
        self.complaint(HEAD + MACHINE.replace("n.eth1", "n.eth7") + "stack: tcp\nnic: eth0\n",
                       f"cards.yaml:13:12: error: links[1].from: n0 has no card \"eth7\" {its}")

    def test_a_card_that_the_stack_does_not_drive(self):
        self.complaint(HEAD + MACHINE + "stack: tcp\nnic: myri0\n",
                       "cards.yaml:16:6: error: nic: the stack tcp does not drive the card myri0 of n0")
        self.complaint(HEAD + MACHINE + "stack: tcp\nnic: lanai9\n",
                       "cards.yaml:16:6: error: nic: the stack cannot drive the NIC model lanai9")

    def test_a_card_that_only_some_hosts_have(self):
        text = HEAD + """\
hosts: [{name: a, nics: [{name: eth0, nic: eepro100}]}, {name: b}]
links: [{from: a, to: b}]
stack: tcp
nic: eth0
"""
        self.complaint(text, "cards.yaml:8:6: error: nic: b lists no cards, and eth0 is no NIC model")
        text = text.replace("{name: b}", "{name: b, nics: [{name: eth1, nic: eepro100}]}")
        self.complaint(text, "cards.yaml:8:6: error: nic: b has no card eth0 (its cards are eth1")

    def test_a_link_that_no_packet_takes(self):
        text = HEAD.replace("testbed: testbeds/cluster1.yaml\n", "") + TWO_EQUAL + "stack: tcp\n"
        self.complaint(text, "cards.yaml:8:5: error: links: no packet takes this link: of the cards of "
                             "n0, tcp uses eth0 (cards.yaml:7:5)")
        # Chosen by name, the other is no mistake.
        file = self.write("chosen.yaml", text + "nic: eth1\n")
        self.netsim("run", file, "--quiet", "--out", "out")


if __name__ == "__main__":
    unittest.main()
