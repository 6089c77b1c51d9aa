#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bytes that ch3:sock writes into its connections, counted: each program's TCP streams are as long as the
packets and data of its protocol, with the opening before and the close protocol after them."""

import os
import struct
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])

PACKET, GROUP_ID = 32, 24
OPEN_REQ, OPEN_RESP = PACKET + GROUP_ID, PACKET
# The other one has ended meanwhile: a call of MPI takes its CLOSE, and MPI_Finalize answers with an ACK. The three
# packets of the close protocol are then CLOSE, CLOSE_ACK and CLOSE_ACK.
LOOKS = "{compute: 1 s}, {iprobe: {from: 1, tag: 99}}"

SCENARIO = """\
schema: 1
name: bytes
stack: ch3_sock
hosts: [{{name: node, count: {ranks}}}]
switches: [{{name: switch}}]
links: [{{from: node, to: switch{link}}}]
nic: eepro100
workload: {{ranks: {ranks}, program: [{program}]}}
"""


def frames(path):
    """The frames of a pcapng file, in order."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:  # an enhanced packet block
            captured, = struct.unpack_from("<I", data, at + 20)
            yield data[at + 28:at + 28 + captured]
        at += length


class StreamBytes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-bytes-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def streams(self, program, *sets, ranks=2, link="", node=0):
        """{(source address, source port, address, port): bytes of the stream}, SYN and FIN not counted, of all
        connections that one host has seen."""
        with open(os.path.join(self.directory, "bytes.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENARIO.format(ranks=ranks, link=link, program=", ".join(
                f"{{ranks: {rank}, do: [{do}]}}" for rank, do in program.items())))
        done = subprocess.run([NETSIM, "run", "bytes.yaml", "-q", "--pcap", "c",
                               *(word for one in sets for word in ("--set", one))],
                              cwd=self.directory, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        first, last = {}, {}  # sequence numbers of the first byte and of FIN
        for frame in frames(os.path.join(self.directory, "c", "ch3_sock", f"node{node}.pcapng")):
            if frame[12:14] != b"\x08\x00" or frame[23] != 6:
                continue
            total, = struct.unpack_from(">H", frame, 16)
            ports = struct.unpack_from(">HH", frame, 34)
            sequence, = struct.unpack_from(">I", frame, 38)
            header, flags = frame[46] >> 4, frame[47]
            key = (frame[26:30], ports[0], frame[30:34], ports[1])
            if flags & 2:
                first[key] = sequence + 1
            if flags & 1:
                last[key] = sequence + total - 20 - 4 * header
        return {key: last[key] - first[key] for key in first}

    def check(self, expected, program, *sets, **options):
        """expected: lengths of the streams, in any order."""
        self.assertEqual(sorted(self.streams(program, *sets, **options).values()), sorted(expected))

    def test_eager(self):
        for size in (0, 1, 1000, 65516):
            program = {0: f"{{compute: 10 ms}}, {{send: {{to: 1, size: {size} B}}}}, {LOOKS}",
                       1: f"{{recv: {{from: 0, size: {size} B}}}}"}
            self.check([OPEN_REQ + PACKET + size + PACKET, OPEN_RESP + 2 * PACKET], program)

    def test_synchronous(self):
        program = {0: "{compute: 10 ms}, {ssend: {to: 1, size: 700 B}}, " + LOOKS,
                   1: "{recv: {from: 0, size: 700 B}}"}
        self.check([OPEN_REQ + PACKET + 700 + PACKET, OPEN_RESP + PACKET + 2 * PACKET], program)

    def test_rendezvous(self):
        for size, send in ((65517, "send"), (200000, "send"), (70000, "ssend")):
            program = {0: f"{{compute: 10 ms}}, {{{send}: {{to: 1, size: {size} B}}}}, {LOOKS}",
                       1: f"{{recv: {{from: 0, size: {size} B}}}}"}
            self.check([OPEN_REQ + 2 * PACKET + size + PACKET, OPEN_RESP + PACKET + 2 * PACKET], program)

    def test_both_close(self):
        """Both send CLOSE before they have that of the other one, and acknowledge it."""
        program = {0: "{compute: 10 ms}, {send: {to: 1, size: 10 B}}, {compute: 1 s}",
                   1: "{recv: {from: 0, size: 10 B}}"}
        self.check([OPEN_REQ + PACKET + 10 + 2 * PACKET, OPEN_RESP + 2 * PACKET], program)

    def test_both_connect(self):
        """Two connections, of which one is refused and carries nothing else."""
        program = {rank: f"{{compute: 10 ms}}, {{isend: {{to: {1 - rank}, size: 50 B, request: s}}}}, "
                         f"{{recv: {{from: {1 - rank}, size: 50 B}}}}, {{wait: s}}, "
                         f"{{compute: {1 + rank} s}}" for rank in range(2)}
        streams = self.streams(program)
        refused = sorted(length for length in streams.values() if length in (OPEN_REQ, OPEN_RESP))
        kept = sorted(set(streams.values()) - {OPEN_REQ, OPEN_RESP})
        self.assertEqual(refused, [OPEN_RESP, OPEN_REQ])
        # Rank 1's connection; neither makes a call of MPI before its MPI_Finalize.
        self.assertEqual(kept, [OPEN_RESP + PACKET + 50 + 2 * PACKET, OPEN_REQ + PACKET + 50 + 2 * PACKET])
        for key, length in streams.items():
            if length == OPEN_REQ:  # of rank 0, whose address is lower
                self.assertLess(key[0], key[2])

    def test_lengths_are_settings(self):
        program = {0: "{compute: 10 ms}, {send: {to: 1, size: 10 B}}, " + LOOKS,
                   1: "{recv: {from: 0, size: 10 B}}"}
        self.check([40 + 50 + 40 + 10 + 40, 40 + 80], program, "ch3.packet=40 B", "ch3_sock.group_id=50 B")

    def test_only_pairs_that_talk(self):
        """A ring of eight: each process has two connections, however many there are."""
        program = {rank: f"{{sendrecv: {{to: {(rank + 1) % 8}, from: {(rank - 1) % 8}, size: 100 B}}}}"
                   for rank in range(8)}
        peers = {frozenset((key[0], key[2])) for key in self.streams(program, ranks=8, node=3)}
        self.assertEqual(len(peers), 2)

    def test_losses(self):
        """Retransmissions are no part of the stream."""
        program = {0: "{compute: 10 ms}, {send: {to: 1, size: 60000 B}}, {send: {to: 1, size: 100000 B}}, "
                      "{compute: 10 s}, " + LOOKS,
                   1: "{recv: {from: 0, size: 60000 B}}, {recv: {from: 0, size: 100000 B}}"}
        self.check([OPEN_REQ + 3 * PACKET + 160000 + PACKET, OPEN_RESP + PACKET + 2 * PACKET], program,
                   link=", drop_probability: 0.03")


if __name__ == "__main__":
    unittest.main()
