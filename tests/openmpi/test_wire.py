#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes that Open MPI puts on each card, from captures: headers of the BTL and the PML, names of processes, data."""

import collections
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import Case  # noqa: E402

SCENARIO = """\
schema: 1
name: wire
hosts: [{{name: node, count: 2}}]
switches: [{{name: switch}}]
links: [{{from: node, to: switch, count: 2}}]
nic: eepro100
stack: openmpi_tcp
openmpi_tcp: {{{settings}}}
workload:
  program:
    - {{ranks: 0, do: [{zero}]}}
    - {{ranks: 1, do: [{one}]}}
"""
NAME = 12
BTL, MATCH, RTS, ACK, FRAGMENT, REQUEST, FIN, SEGMENT = 16, 16, 32, 32, 32, 64, 16, 24


def payloads(data):
    """Bytes of TCP's payload by card and host of the sender, out of a capture of Ethernet frames with IPv4."""
    total = collections.Counter()
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:  # an enhanced packet block
            frame = data[at + 28:at + 28 + struct.unpack_from("<I", data, at + 20)[0]]
            ip = frame[14:]
            header = (ip[0] & 15) * 4
            whole = struct.unpack_from(">H", ip, 2)[0]
            total[ip[14], ip[15] - 1] += whole - header - (ip[header + 12] >> 4) * 4
        at += length
    return total


class Wire(Case):
    def sent(self, zero, one, settings=""):
        """By card and rank; the capture of host 0 has both directions."""
        self.write("wire.yaml", SCENARIO.format(zero=zero, one=one, settings=settings))
        self.netsim("run", "wire.yaml", "--pcap", "c", "--quiet", "--out", "out")
        directory = self.path("c/openmpi_tcp") if os.path.isdir(self.path("c/openmpi_tcp")) else self.path("c")
        total = collections.Counter()
        for name in sorted(os.listdir(directory)):
            if name.startswith("node0"):
                with open(os.path.join(directory, name), "rb") as file:
                    total.update(payloads(file.read()))
        return total

    def expect(self, got, expected):
        self.assertEqual({key: value for key, value in got.items() if value}, expected)

    def test_eager(self):
        for size in (0, 1, 1000, 65464):
            with self.subTest(size):
                got = self.sent(f"{{send: {{to: 1, size: {size} B}}}}", f"{{recv: {{from: 0, size: {size} B}}}}")
                self.expect(got, {(0, 0): NAME + BTL + MATCH + size, (0, 1): NAME})

    def test_messages_take_turns(self):
        got = self.sent("{send: {to: 1, size: 10 B}}, {send: {to: 1, size: 20 B}}, {send: {to: 1, size: 30 B}}",
                        "{recv: {from: 0, size: 10 B}}, {recv: {from: 0, size: 20 B}}, {recv: {from: 0, size: 30 B}}")
        self.expect(got, {(0, 0): NAME + 2 * (BTL + MATCH) + 40, (1, 0): NAME + BTL + MATCH + 20,
                          (0, 1): NAME, (1, 1): NAME})

    def test_latency_chooses_the_cards(self):
        got = self.sent("{send: {to: 1, size: 10 B}}, {send: {to: 1, size: 20 B}}",
                        "{recv: {from: 0, size: 10 B}}, {recv: {from: 0, size: 20 B}}", "latency_0: 101")
        self.expect(got, {(1, 0): NAME + 2 * (BTL + MATCH) + 30, (1, 1): NAME})

    def test_synchronous(self):
        got = self.sent("{ssend: {to: 1, size: 10 B}}", "{recv: {from: 0, size: 10 B}}")
        self.expect(got, {(0, 0): NAME + BTL + RTS + 10, (0, 1): NAME + BTL + ACK})

    def test_put(self):
        size, put = 1 << 20, BTL + SEGMENT + BTL + FIN
        got = self.sent(f"{{send: {{to: 1, size: {size} B}}}}", f"{{recv: {{from: 0, size: {size} B}}}}")
        self.expect(got, {(0, 0): NAME + BTL + RTS + put + size // 2, (1, 0): NAME + put + size // 2,
                          (0, 1): NAME + BTL + REQUEST, (1, 1): NAME + BTL + REQUEST})

    def test_put_by_weight(self):
        size, put = 1 << 20, BTL + SEGMENT + BTL + FIN
        got = self.sent(f"{{send: {{to: 1, size: {size} B}}}}", f"{{recv: {{from: 0, size: {size} B}}}}",
                        "bandwidth_0: 300, bandwidth_1: 100")
        self.expect(got, {(0, 0): NAME + BTL + RTS + put + size * 3 // 4, (1, 0): NAME + put + size // 4,
                          (0, 1): NAME + BTL + REQUEST, (1, 1): NAME + BTL + REQUEST})

    def test_pipeline_on_one_card(self):
        """65,464 B with the RTS, one fragment up to 128 KiB, and a PUT of the rest."""
        size = 1 << 20
        got = self.sent(f"{{send: {{to: 1, size: {size} B}}}}", f"{{recv: {{from: 0, size: {size} B}}}}",
                        "rendezvous: pipeline, cards: [1]")
        self.expect(got, {(1, 0): NAME + BTL + RTS + BTL + FRAGMENT + BTL + SEGMENT + BTL + FIN + size,
                          (1, 1): NAME + BTL + ACK + BTL + REQUEST})

    def test_no_message(self):
        self.expect(self.sent("{compute: 1 ms}", "{compute: 1 ms}"), {})


if __name__ == "__main__":
    unittest.main()
