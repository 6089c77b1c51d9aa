#!/usr/bin/env python3
"""What tshark says of captures: no malformed packet, no bad checksum, a handshake, sequence numbers
without a hole."""

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
testbed: testbeds/cluster1.yaml
workload: {{benchmark: native.pingpong, sizes: [1 B, 3 KiB, 20 KiB], repetitions: 3}}
series:
{series}
"""
TCP = "  - {name: native TCP, stack: tcp}\n"
VIA = "  - {name: native VIA, stack: mvia}\n"
CHECKS = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]


@needs.program("tshark")
class Capture(Case):
    def capture(self, series, *options):
        file = self.write("capture.yaml", SCENARIO.format(series=series))
        self.netsim("run", file, "--pcap", "c.pcapng", "--quiet", "--out", "out", *options)

    def tshark(self, *arguments, file="c.pcapng"):
        done = subprocess.run(["tshark", "-r", os.path.join(self.directory, file), *arguments],
                              capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C"})
        return done.stdout.splitlines()

    def anomalies(self, expression):
        """What tshark finds odd in what one card has seen: two see each segment twice."""
        self.tshark("-Y", "frame.interface_id == 0", "-w",
                    os.path.join(self.directory, "one.pcapng"))
        return self.tshark("-Y", expression, file="one.pcapng")

    def fields(self, names, *arguments):
        options = [option for name in names for option in ("-e", name)]
        lines = self.tshark(*arguments, "-T", "fields", *options)
        return [line.split("\t") for line in lines]

    def assert_whole(self):
        bad = self.tshark(*CHECKS, "-Y", "_ws.malformed || ip.checksum.status == 0 || "
                                         "tcp.checksum.status == 0")
        self.assertEqual(bad, [])
        status = {tuple(row) for row in self.fields(
            ["ip.checksum.status", "tcp.checksum.status"], *CHECKS, "-Y", "tcp")}
        self.assertEqual(status, {("1", "1")})  # checked, and good

    def test_tcp_is_whole(self):
        for options in ([], ["--set", "tcp.mtu=9000 B"], ["--set", "tcp.timestamps=false"],
                        ["--set", "tcp.window_scale=2", "--set", "links[0].drop_probability=0.02"],
                        ["--set", "tcp.recovery=reno", "--set", "tcp.timestamps=false"]):
            with self.subTest(options):
                self.capture(TCP, *options)
                self.assert_whole()

    def test_handshake(self):
        self.capture(TCP)
        rows = self.fields(["tcp.flags", "tcp.options.mss_val", "tcp.options.sack_perm",
                            "tcp.window_size_value", "tcp.seq", "tcp.ack"], "-c", "200",
                           "-Y", "frame.interface_id == 0")
        self.assertEqual([int(row[0], 16) for row in rows[:3]], [0x02, 0x12, 0x10])
        self.assertEqual([row[1] for row in rows[:2]], ["1460", "1460"])
        self.assertTrue(rows[0][2] and rows[1][2])
        self.assertEqual([row[3] for row in rows[:2]], ["5840", "5840"])
        self.assertEqual([row[4:] for row in rows[:3]], [["0", "0"], ["0", "1"], ["1", "1"]])

    def test_sequence_numbers_have_no_hole(self):
        self.capture(TCP)
        expected = {}
        for port, seq, length, syn, fin in self.fields(
                ["tcp.srcport", "tcp.seq", "tcp.len", "tcp.flags.syn", "tcp.flags.fin"],
                "-2", "-R", "frame.interface_id == 0"):
            if syn in ("1", "True"):
                expected[port] = 1
                continue
            self.assertEqual(int(seq), expected[port])
            expected[port] += int(length) + (fin in ("1", "True"))  # RFC 793: a FIN takes one
        self.assertEqual(len(expected), 2)
        # 3 repetitions and 2 warm-ups at least, of each size, both ways.
        self.assertTrue(all(end > 5 * (1 + 3072 + 20480) for end in expected.values()), expected)

    def test_no_anomaly_without_losses(self):
        self.capture(TCP)
        self.assertEqual(self.anomalies(
            "tcp.analysis.retransmission || tcp.analysis.lost_segment || "
            "tcp.analysis.out_of_order || tcp.analysis.duplicate_ack"), [])

    def test_losses_show(self):
        self.capture(TCP, "--set", "links[0].drop_probability=0.05")
        self.assertTrue(self.anomalies("tcp.analysis.retransmission"))

    def test_interfaces_directions_and_times(self):
        self.capture(TCP)
        rows = self.fields(["frame.interface_name", "frame.packet_flags_direction",
                            "frame.time_epoch", "frame.len"])
        self.assertEqual({row[0] for row in rows}, {"node0", "node1"})
        self.assertEqual({int(row[1], 16) for row in rows}, {1, 2})
        # Nanoseconds: nine digits, and not the last three of them 0.
        stamps = [row[2].partition(".")[2] for row in rows]
        self.assertTrue(all(len(stamp) == 9 for stamp in stamps))
        self.assertTrue(any(not stamp.endswith("000") for stamp in stamps))
        times = [float(row[2]) for row in rows]
        self.assertEqual(times, sorted(times))
        self.assertTrue(all(60 <= int(row[3]) <= 1514 for row in rows))
        for name in ("node0", "node1"):
            sent = sum(row[0] == name and int(row[1], 16) == 2 for row in rows)
            got = sum(row[0] != name and int(row[1], 16) == 1 for row in rows)
            self.assertEqual(sent, got)

    def test_a_section_for_each_series(self):
        self.capture(TCP + VIA)
        kinds = self.fields(["eth.type"])
        self.assertEqual({row[0] for row in kinds}, {"0x0800", "0x8886"})
        self.assertEqual(self.tshark("-Y", "_ws.malformed"), [])


if __name__ == "__main__":
    unittest.main()
