#!/usr/bin/env python3
"""What tshark says of captures of SCTP: no malformed packet, no bad checksum, the handshake of a
multi-homed association (sctp.handshake, sctp.multihoming of thesis 004, 2.2)."""

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
CHECKS = ["-o", "ip.check_checksum:TRUE", "-o", "sctp.checksum:CRC 32c"]


@needs.program("tshark")
class Capture(Case):
    def capture(self, *options):
        file = self.write("capture.yaml", SCENARIO)
        self.netsim("run", file, "--pcap", "c", "--pcap-snap", "9 KiB", "--quiet", "--out", "out",
                    *options)

    def fields(self, names, *arguments, card="node0.eth0"):
        listed = [option for name in names for option in ("-e", name)]
        done = subprocess.run(["tshark", "-r", self.path(f"c/sctp/{card}.pcapng"), *arguments,
                               "-T", "fields", *listed],
                              capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C"})
        return [line.split("\t") for line in done.stdout.splitlines()]

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


if __name__ == "__main__":
    unittest.main()
