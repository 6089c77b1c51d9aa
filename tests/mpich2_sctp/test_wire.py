#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""User messages of ch3:sctp on its association, their streams and lengths, as a capture has them.
sctp.ch3.connection_packet_first, sctp.ch3.short_single_send, sctp.ch3.fragmentation, sctp.ch3.iov_one_by_one,
sctp.ch3.mapping."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import capture  # noqa: E402

NETSIM = os.path.abspath(os.environ["NETSIM"])
PACKET, OPEN = 32, 0xff
EAGER, SYNC_ACK, RTS, CTS, RNDV, CLOSE, CLOSE_ACK = 0, 2, 4, 5, 6, 12, 13  # types of packets

SCENARIO = """\
schema: 1
name: wire
stack: ch3_sctp
hosts: [{{name: node, count: 2}}]
switches: [{{name: switch}}]
links: [{{from: node, to: switch}}]
nic: eepro100
workload: {{ranks: 2, program: [{{ranks: 0, do: [{first}]}}, {{ranks: 1, do: [{second}]}}]}}
"""


class Wire(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-wire-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def messages(self, first, second, *sets):
        """What rank 0 and rank 1 have sent: (stream, type or None if it is data, bytes) each."""
        with open(os.path.join(self.directory, "wire.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENARIO.format(first=first, second=second))
        done = subprocess.run([NETSIM, "run", "wire.yaml", "-q", "--pcap", "c", "--pcap-snap", "9 KiB",
                               *(word for one in sets for word in ("--set", one))],
                              cwd=self.directory, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [capture.messages(os.path.join(self.directory, "c", "ch3_sctp", f"node{node}.pcapng"))
                for node in range(2)]

    def sizes(self, sent):
        """Without connection packets: (stream, type, bytes)."""
        known, found = set(), []
        for stream, data in sent:
            if stream not in known:  # the first one of each stream
                known.add(stream)
                self.assertEqual(data[0], OPEN)
                self.assertTrue(40 <= len(data) <= 70, len(data))
                continue
            found.append((stream, data[0], len(data)))
        return found

    def test_connection_packets(self):
        """The sender and its group; on each stream, also on that of control, and in both directions."""
        sent, answered = self.messages("{send: {to: 1, size: 10 B, tag: 3}}, {send: {to: 1, size: 10 B, tag: 4}}",
                                       "{recv: {from: 0, size: 10 B, tag: 3}}, {recv: {from: 0, size: 10 B, tag: 4}}")
        for rank, messages in ((0, sent), (1, answered)):
            packets = [data for _, data in messages if data[0] == OPEN]
            self.assertEqual(len(packets), 3 if rank == 0 else 1)
            for data in packets:
                self.assertEqual(int.from_bytes(data[PACKET:PACKET + 4], "little"), rank)
                self.assertEqual(data[PACKET + 4:], b"mpd_node0 node%d\0" % rank)
        self.assertEqual(self.sizes(sent)[:2], [(4, EAGER, PACKET + 10), (5, EAGER, PACKET + 10)])

    def test_short(self):
        """Envelope and data together up to 64 KB; else two elements, one by one."""
        for size, parts in ((65504, [65536]), (65505, [PACKET, 65505])):
            sent, _ = self.messages(f"{{send: {{to: 1, size: {size} B}}}}", f"{{recv: {{from: 0, size: {size} B}}}}")
            self.assertEqual([length for stream, _, length in self.sizes(sent) if stream == 1], parts)

    def test_long(self):
        """RNDV_REQ_TO_SEND on the message's stream, the answer on the control stream, RNDV_SEND alone, then the
        data in pieces of 64 KB."""
        sent, answered = self.messages("{send: {to: 1, size: 200000 B, tag: 6}}",
                                       "{recv: {from: 0, size: 200000 B, tag: 6}}")
        data = [one for one in self.sizes(sent) if one[0] == 7]
        self.assertEqual(data[0], (7, RTS, PACKET))
        self.assertEqual(data[1], (7, RNDV, PACKET))
        self.assertEqual([size for _, _, size in data[2:]], [65536, 65536, 65536, 200000 - 3 * 65536])
        self.assertEqual(self.sizes(answered)[0], (0, CTS, PACKET))

    def test_end(self):
        sent, answered = self.messages("{send: {to: 1, size: 0 B}}", "{recv: {from: 0, size: 0 B}}, {compute: 1 s}")
        self.assertEqual(self.sizes(sent), [(1, EAGER, PACKET), (0, CLOSE, PACKET), (0, CLOSE_ACK, PACKET)])
        self.assertEqual(self.sizes(answered)[-1], (0, CLOSE_ACK, PACKET))

    def test_control_stream(self):
        """All envelopes on the control stream, the data on those of their messages."""
        sent, _ = self.messages("{send: {to: 1, size: 5000 B, tag: 2}}, {send: {to: 1, size: 100 KiB, tag: 3}}",
                                "{recv: {from: 0, size: 5000 B, tag: 2}}, {recv: {from: 0, size: 100 KiB, tag: 3}}",
                                "ch3_sctp.any_tag=control_stream")
        sizes = self.sizes(sent)
        self.assertEqual([kind for stream, kind, _ in sizes if stream == 0][:3], [EAGER, RTS, RNDV])
        self.assertEqual([size for stream, _, size in sizes if stream == 3], [5000])
        self.assertEqual([size for stream, _, size in sizes if stream == 4], [65536, 100 * 1024 - 65536])

    def test_synchronous(self):
        _, answered = self.messages("{ssend: {to: 1, size: 10 B}}", "{recv: {from: 0, size: 10 B}}")
        self.assertEqual(self.sizes(answered)[0], (0, SYNC_ACK, PACKET))

    def test_packet_of_another_length(self):
        sent, _ = self.messages("{send: {to: 1, size: 10 B}}", "{recv: {from: 0, size: 10 B}}", "ch3.packet=40 B")
        self.assertEqual(self.sizes(sent)[0], (1, EAGER, 50))


if __name__ == "__main__":
    unittest.main()
