#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tshark's verdict on captures of SCTP: no malformed packet, no bad checksum, no complaint of its
experts, the handshake of a multi-homed association (sctp.handshake, sctp.multihoming of thesis 004,
2.2), every type of chunk that a run has, gap blocks, and as many chunks sent again as there were."""

import collections
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import Case  # noqa: E402
import needs  # noqa: E402

SCENARIO = """\
schema: 1
name: capture
stack: sctp
hosts: [{name: node, count: 2, nics: [{name: eth0, nic: eepro100}, {name: eth1, nic: eepro100}]}]
switches: [{name: net0}, {name: net1}]
links:
  - {from: node0.eth0, to: net0}
  - {from: node1.eth0, to: net0}
  - {from: node0.eth1, to: net1}
  - {from: node1.eth1, to: net1}
link: {rate: 100 Mb/s, propagation: 53 ns}
switch: {latency: 5 us}
workload: {benchmark: native.pingpong, sizes: [1 B, 3 KiB, 100 KiB], repetitions: 3}
"""
TYPES = ["DATA", "INIT", "INIT-ACK", "SACK", "HEARTBEAT", "HEARTBEAT-ACK", "ABORT", "SHUTDOWN",
         "SHUTDOWN-ACK", "ERROR", "COOKIE-ECHO", "COOKIE-ACK", "ECNE", "CWR", "SHUTDOWN-COMPLETE"]
SENT = "frame.packet_flags_direction == 2"
GRAVE = "_ws.expert.severity >= 0x00600000"  # warnings and errors
LOSSES = ["--set", "links[0].drop_probability=0.03", "--set", "links[2].drop_probability=0.03"]
CHECKS = ["-o", "ip.check_checksum:TRUE", "-o", "sctp.checksum:CRC 32c"]


@needs.program("tshark")
class Capture(Case):
    def capture(self, *options, code=0):
        file = self.write("capture.yaml", SCENARIO)
        self.netsim("run", file, "--pcap", "c", "--pcap-snap", "9 KiB", "--quiet", "--out", "out",
                    *options, code=code)

    def fields(self, names, *arguments, card="node0.eth0"):
        listed = [option for name in names for option in ("-e", name)]
        done = subprocess.run(["tshark", "-r", self.path(f"c/sctp/{card}.pcapng"), *arguments,
                               "-T", "fields", *listed],
                              capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C"})
        return [line.split("\t") for line in done.stdout.splitlines()]

    def merge(self, node):
        """An association has packets in the file of each of a node's cards."""
        files = [self.path(f"c/sctp/{node}.eth{card}.pcapng") for card in (0, 1)]
        subprocess.run(["mergecap", "-w", self.path(f"c/sctp/{node}.pcapng"), *files], check=True,
                       capture_output=True)
        return node

    def counters(self):
        return json.loads(self.read("out/manifest.json"))["series"][0]["counters"]

    def chunks(self, file):
        """How often each type of chunk is in the file."""
        return collections.Counter(TYPES[int(kind)] for row in self.fields(["sctp.chunk_type"], card=file)
                                   for kind in row[0].split(",") if kind)

    def complaints(self, file):
        """The warnings and errors of the experts."""
        return [row[0] for row in self.fields(["_ws.expert.message"], *CHECKS, "-Y", GRAVE, card=file)]

    def test_whole(self):
        for options in ([], ["--set", "sctp.profile=s2007"],
                        ["--set", "links[0].drop_probability=0.05"],
                        ["--set", "sctp.cmt=true", "--set", "links[1].drop_probability=0.05"]):
            with self.subTest(options):
                self.capture(*options)
                rows = self.fields(["_ws.malformed", *(f"{layer}.checksum.status" for layer in ("ip", "sctp"))],
                                   *CHECKS)
                self.assertGreater(len(rows), 100)
                self.assertEqual({tuple(row) for row in rows}, {("", "1", "1")})

    def test_handshake(self):
        self.capture("--set", "sctp.profile=s2007")
        rows = self.fields(["sctp.chunk_type", "sctp.chunk_length", "sctp.verification_tag",
                            "sctp.init_initiate_tag", "sctp.initack_initiate_tag",
                            "sctp.parameter_ipv4_address"], "-c", "4")
        self.assertEqual([row[0] for row in rows], ["1", "2", "10", "11"])
        self.assertEqual([row[1] for row in rows], ["112", str(112 + 4 + 332), str(4 + 332), "4"])
        client, server = rows[0][3], rows[1][4]
        self.assertEqual([row[2] for row in rows], ["0x00000000", client, server, client])
        addresses = [row[5].split(",") for row in rows[:2]]
        self.assertEqual(sorted(addresses),
                         [["10.0.0.1", "10.0.1.1"], ["10.0.0.2", "10.0.1.2"]])

    @needs.program("mergecap")
    def test_every_type_of_chunk_that_a_run_has(self):
        # Losses keep the run up for seconds, in which the path without data is probed.
        self.capture("--set", "sctp.heartbeat_interval=200 ms", *LOSSES)
        for node in ("node0", "node1"):
            chunks = self.chunks(self.merge(node))
            self.assertEqual(self.complaints(node), [])
            self.assertEqual(set(chunks), set(TYPES) - {"ABORT", "ERROR", "ECNE", "CWR"})
            self.assertGreater(chunks["HEARTBEAT"], 5)

    @needs.program("mergecap")
    def test_what_is_sent_again_is_what_tshark_sees(self):
        for options in ([], ["--set", "sctp.profile=s2007"], ["--set", "sctp.cmt=true"],
                        ["--set", "sctp.profile=s2007", "--set", "sctp.cmt=true"]):
            with self.subTest(options):
                self.capture(*options, *LOSSES)
                again = 0
                for node in ("node0", "node1"):
                    for row in self.fields(["sctp.retransmission"], "-Y", SENT, card=self.merge(node)):
                        again += len([frame for frame in row[0].split(",") if frame])
                self.assertGreater(again, 10)
                self.assertEqual(again, self.counters()["sctp chunks retransmitted"])

    @needs.program("mergecap")
    def test_gap_blocks(self):
        """They name what has come, and between them and cum_tsn is what has not."""
        self.capture(*LOSSES)
        rows = self.fields(["sctp.sack_cumulative_tsn_ack_raw", "sctp.sack_gap_block_start",
                            "sctp.sack_gap_block_end", "sctp.data_tsn_raw",
                            "frame.packet_flags_direction"], card=self.merge("node1"))
        come, seen = set(), 0
        for cum, starts, ends, data, direction in rows:
            if int(direction, 16) == 1:
                come.update(int(tsn) for tsn in data.split(",") if tsn)
                continue
            for start, end in zip(starts.split(","), ends.split(",")) if starts else ():
                seen += 1
                named = {int(cum) + offset for offset in range(int(start), int(end) + 1)}
                self.assertLessEqual(named, come)
                self.assertNotIn(min(named) - 1, come)
                self.assertNotIn(int(cum) + 1, come)
        self.assertGreater(seen, 10)


if __name__ == "__main__":
    unittest.main()
