#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tshark's verdict on captures: no malformed packet, no bad checksum, a handshake, sequence numbers
without a hole, and as many segments sent again as there were."""

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
testbed: testbeds/cluster1.yaml
workload: {{benchmark: {benchmark}, repetitions: 3}}
series:
{series}
"""
PINGPONG = "native.pingpong, sizes: [1 B, 3 KiB, 20 KiB]"
EXCHANGE = "pmb.exchange, ranks: 4, sizes: [3 KiB, 32 KiB]"
TCP = "  - {name: native TCP, stack: tcp}\n"
VIA = "  - {name: native VIA, stack: mvia}\n"
LAM = "  - {name: LAM TCP, stack: lam_tcp}\n"
CHECKS = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]
SENT = "frame.packet_flags_direction == 2"
ODD = ("tcp.analysis.retransmission || tcp.analysis.lost_segment || tcp.analysis.out_of_order || "
       "tcp.analysis.duplicate_ack || tcp.analysis.ack_lost_segment")


@needs.program("tshark")
class Capture(Case):
    def capture(self, series, *options, benchmark=PINGPONG):
        file = self.write("capture.yaml", SCENARIO.format(series=series, benchmark=benchmark))
        self.netsim("run", file, "--pcap", "c", "--quiet", "--out", "out", *options)

    def tshark(self, *arguments, file="native_TCP/node0"):
        done = subprocess.run(["tshark", "-r", self.path(f"c/{file}.pcapng"), *arguments],
                              capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C"})
        return done.stdout.splitlines()

    def fields(self, names, *arguments, **options):
        listed = [option for name in names for option in ("-e", name)]
        lines = self.tshark(*arguments, "-T", "fields", *listed, **options)
        return [line.split("\t") for line in lines]

    def counters(self, series=0):
        return json.loads(self.read("out/manifest.json"))["series"][series]["counters"]

    def assert_whole(self):
        rows = self.fields(["_ws.malformed", "ip.checksum.status", "tcp.checksum.status"], *CHECKS)
        self.assertEqual({tuple(row) for row in rows}, {("", "1", "1")})  # checked, and good

    def test_tcp_is_whole(self):
        for options in ([], ["--set", "tcp.mtu=9000 B", "--set", "eepro100.largest_frame=9014 B"], ["--set", "tcp.timestamps=false"],
                        ["--set", "tcp.window_scale=2", "--set", "links[0].drop_probability=0.02"],
                        ["--set", "tcp.recovery=reno", "--set", "tcp.timestamps=false"]):
            with self.subTest(options):
                self.capture(TCP, *options)
                self.assert_whole()

    def test_handshake(self):
        self.capture(TCP)
        rows = self.fields(["tcp.flags", "tcp.options.mss_val", "tcp.options.sack_perm",
                            "tcp.window_size_value", "tcp.seq", "tcp.ack"], "-c", "200")
        self.assertEqual([int(row[0], 16) for row in rows[:3]], [0x02, 0x12, 0x10])
        self.assertEqual([row[1] for row in rows[:2]], ["1460", "1460"])
        self.assertTrue(rows[0][2] and rows[1][2])
        self.assertEqual([row[3] for row in rows[:2]], ["5840", "5840"])
        self.assertEqual([row[4:] for row in rows[:3]], [["0", "0"], ["0", "1"], ["1", "1"]])

    def test_sequence_numbers_have_no_hole(self):
        self.capture(TCP)
        expected = {}
        for port, seq, length, syn, fin in self.fields(
                ["tcp.srcport", "tcp.seq", "tcp.len", "tcp.flags.syn", "tcp.flags.fin"], "-2"):
            if syn in ("1", "True"):
                expected[port] = 1
                continue
            self.assertEqual(int(seq), expected[port])
            expected[port] += int(length) + (fin in ("1", "True"))  # RFC 793: a FIN takes one
        self.assertEqual(len(expected), 2)
        # 3 repetitions and 2 warm-ups at least, of each size, in both directions.
        self.assertTrue(all(end > 5 * (1 + 3072 + 20480) for end in expected.values()), expected)

    def test_no_anomaly_without_losses(self):
        self.capture(TCP)
        for node in ("node0", "node1"):
            self.assertEqual(self.tshark("-Y", ODD, file=f"native_TCP/{node}"), [])
            said = "\n".join(self.tshark("-q", "-z", "expert", file=f"native_TCP/{node}"))
            self.assertNotIn("retransmission", said)
            self.assertIn("Connection establish request", said)
        self.assertEqual(self.counters()["tcp segments retransmitted"], 0)

    def test_no_anomaly_among_many(self):
        self.capture(LAM, benchmark=EXCHANGE)
        for node in range(4):
            rows = self.fields(["tcp.analysis.flags"], file=f"LAM_TCP/node{node}")
            self.assertEqual({row[0] for row in rows}, {""})
            self.assertGreater(len(rows), 100)
        self.assertEqual(self.tshark(file="LAM_TCP/node4"), [])  # has no rank

    def test_what_is_sent_again_is_what_tshark_sees(self):
        # At random; and the first frame of each link, so that it hits connections that are opened.
        for fault, least in (("drop_probability=0.01", 10), ("drop_nth=[1, 300]", 6)):
            self.capture(LAM, "--set", f"links[0].{fault}", benchmark=EXCHANGE)
            again = opening = dropped = 0
            for node in range(4):
                for syn, sent_again, other, comment in self.fields(
                        ["tcp.flags.syn", "tcp.analysis.retransmission", "tcp.analysis.out_of_order",
                         "frame.comment"], "-Y", SENT, file=f"LAM_TCP/node{node}"):
                    again += bool(sent_again or other)
                    opening += bool(sent_again or other) and syn in ("1", "True")
                    dropped += "dropped" in comment
            counters = self.counters()
            self.assertGreater(again, least)
            self.assertEqual(again, counters["tcp segments retransmitted"])
            self.assertEqual(dropped, sum(count for name, count in counters.items()
                                          if name.startswith("packets dropped: ")))
        self.assertGreater(opening, 3)

    def stream(self, *options):
        """One direction, as much as the connection carries, for 200 ms."""
        file = self.write("stream.yaml", "schema: 1\nname: stream\ntestbed: testbeds/cluster1.yaml\n"
                          "hosts: [{name: node, count: 2}]\nstack: tcp\nworkload: {benchmark: "
                          "iperf.tcp, duration: 200 ms, bin: 100 ms}\n")
        self.netsim("run", file, "--pcap", "c", "--pcap-snap", "128 B", "--quiet", "--out", "out",
                    *options)

    def test_a_stream_has_no_anomaly_in_either_file(self):
        self.stream()
        for node in ("node0", "node1"):
            self.assertEqual(self.tshark("-Y", ODD, file=f"tcp/{node}"), [])
            self.assertGreater(len(self.tshark(file=f"tcp/{node}")), 1500)

    @needs.program("mergecap")
    def test_both_ends_in_one_file_would_not_do(self):
        """Why each node has a file of its own: with both, each segment comes twice."""
        self.stream()
        subprocess.run(["mergecap", "-w", self.path("c/both.pcapng"), self.path("c/tcp/node0.pcapng"),
                        self.path("c/tcp/node1.pcapng")], check=True, capture_output=True)
        self.assertGreater(len(self.tshark("-Y", ODD, file="both")), 1000)

    def test_losses_of_a_stream_are_counted_alike(self):
        """Whichever recovery, and whatever the rate of losses is: what the sender's file shows as sent
        again is what the counter has, and the receiver's own file none that it did not get."""
        for recovery, rate in (("sack", 0.002), ("sack", 0.02), ("newreno", 0.01), ("reno", 0.005)):
            with self.subTest(recovery=recovery, rate=rate):
                self.stream("--set", f"tcp.recovery={recovery}", "--set",
                            f"links[0].drop_probability={rate}", "--seed", "3")
                again = self.tshark("-Y", f"({SENT}) && (tcp.analysis.retransmission || "
                                    "tcp.analysis.out_of_order)", file="tcp/node0")
                counters = self.counters()
                self.assertGreater(len(again), 1)
                self.assertEqual(len(again), counters["tcp segments retransmitted"])
                dropped = sum(count for name, count in counters.items()
                              if name.startswith("packets dropped: "))
                found = [row for node in (0, 1) for row in
                         self.tshark("-Y", 'frame.comment contains "dropped"', file=f"tcp/node{node}")]
                self.assertEqual(len(found), dropped)

    def test_the_manifest_names_the_files(self):
        self.capture(TCP + VIA, "--pcap-at", "node0,node3", "--trace", "t.json")
        files = json.loads(self.read("out/manifest.json"))["execution"]["files"]
        self.assertEqual(files, [{"as": "--trace", "file": "t.json"}] + [
            {"as": "--pcap", "file": f"c/{folder}/{node}.pcapng", "series": series, "node": node}
            for folder, series in (("native_TCP", "native TCP"), ("native_VIA", "native VIA"))
            for node in ("node0", "node3")])
        for file in files:
            self.assertTrue(os.path.exists(self.path(file["file"])))
        # Without such options there are none.
        self.netsim("run", "capture.yaml", "--quiet", "--out", "plain")
        self.assertNotIn("files", json.loads(self.read("plain/manifest.json"))["execution"])

    def test_comments(self):
        self.capture(TCP, "--set", "links[0].drop_nth=[8]", "--set", "workload.sizes=3 KiB")
        rows = self.fields(["frame.packet_flags_direction", "tcp.len", "tcp.seq", "frame.comment"],
                           "-E", "aggregator=|")
        data = [row for row in rows if int(row[1]) > 1000]
        self.assertEqual(data[0][3], "message 1, rank 0 to 1, 3072 B: bytes 0..1447")
        self.assertTrue(all(row[3].startswith("message ") for row in data))
        lost = [row for row in rows if "dropped" in row[3]]
        self.assertTrue(all(int(row[0], 16) == 2 for row in lost))
        self.assertRegex(lost[0][3],  # an ACK
                         r"^dropped on its way: lost on link node0->switch, at \d+\.\d{3} us$")
        self.assertRegex(lost[1][3], r"^message 3, rank 0 to 1, 3072 B: bytes 0\.\.1447\|"
                                     r"dropped on its way: lost on link switch->node1, at \d+\.\d{3} us$")
        self.assertEqual(len(lost), 2)
        # It is sent again, and that is not lost.
        again = [row for row in data if row[2] == lost[1][2] and row[0] == lost[1][0]]
        self.assertEqual([row[3] for row in again], [lost[1][3], lost[1][3].split("|")[0]])

    def test_a_full_queue_and_a_full_ring(self):
        self.capture("  - {name: LAM TCP, stack: lam_tcp, set: {switch.queue: 4}}\n"
                     "  - {name: ring, stack: lam_tcp, set: {eepro100.rx_ring: 4}}\n",
                     benchmark="pmb.alltoall, ranks: 4, sizes: [64 KiB]")
        for series, file, text, counter in (
                (0, "LAM_TCP", "dropped on its way: queue full at switch->node", "packets dropped: queue full"),
                (1, "ring", "dropped on its way: receive ring full", "nic receive ring full")):
            comments = [row for node in range(4) for row in
                        self.fields(["frame.comment"], "-E", "aggregator=|", "-Y", SENT,
                                    file=f"{file}/node{node}")]
            found = [row for row in comments if text in row[0]]
            self.assertEqual(len(found), sum(
                count for name, count in self.counters(series).items() if name.startswith(counter)))
            self.assertGreater(len(found), 5)

    def test_interfaces_directions_and_times(self):
        self.capture(TCP)
        rows = {}
        for name in ("node0", "node1"):
            rows[name] = self.fields(["frame.interface_name", "frame.packet_flags_direction",
                                      "frame.time_epoch", "frame.len"], file=f"native_TCP/{name}")
            self.assertEqual({row[0] for row in rows[name]}, {name})
            self.assertEqual({int(row[1], 16) for row in rows[name]}, {1, 2})
            # Nanoseconds: nine digits, and not the last three of them 0.
            stamps = [row[2].partition(".")[2] for row in rows[name]]
            self.assertTrue(all(len(stamp) == 9 for stamp in stamps))
            self.assertTrue(any(not stamp.endswith("000") for stamp in stamps))
            times = [float(row[2]) for row in rows[name]]
            self.assertEqual(times, sorted(times))
            self.assertTrue(all(60 <= int(row[3]) <= 1514 for row in rows[name]))
        for one, other in (("node0", "node1"), ("node1", "node0")):
            sent = [row[3] for row in rows[one] if int(row[1], 16) == 2]
            self.assertEqual(sent, [row[3] for row in rows[other] if int(row[1], 16) == 1])

    def test_files_of_series_and_nodes(self):
        self.capture(TCP + VIA + "  - {name: native/TCP, stack: tcp}\n")
        self.assertEqual(sorted(os.listdir(self.path("c"))),
                         ["native_TCP", "native_TCP-2", "native_VIA"])
        for name in os.listdir(self.path("c")):
            self.assertEqual(sorted(os.listdir(self.path(f"c/{name}"))),
                             [f"node{i}.pcapng" for i in range(6)])
        self.assertEqual({row[0] for row in self.fields(["eth.type"])}, {"0x0800"})
        self.assertEqual({row[0] for row in self.fields(["eth.type"], file="native_VIA/node1")},
                         {"0x8886"})
        self.assertEqual(self.tshark("-Y", "_ws.malformed", file="native_VIA/node0"), [])

    def test_nodes_window_and_snap_length(self):
        self.capture(TCP)
        whole = self.fields(["frame.time_epoch", "frame.len", "tcp.seq"], file="native_TCP/node1")
        self.capture(TCP, "--pcap", "d", "--pcap-at", "node1", "--pcap-from", "2 ms", "--pcap-to",
                     "5ms", "--pcap-snap", "80 B")
        self.assertEqual(os.listdir(self.path("d/native_TCP")), ["node1.pcapng"])
        os.rename(self.path("d/native_TCP/node1.pcapng"), self.path("c/cut.pcapng"))
        cut = self.fields(["frame.time_epoch", "frame.len", "tcp.seq", "frame.cap_len"], "-o",
                          "tcp.relative_sequence_numbers:FALSE", file="cut")
        expected = [row for row in whole if 2e-3 <= float(row[0]) < 5e-3]
        self.assertGreater(len(expected), 3)
        self.assertEqual([row[:2] for row in cut], [row[:2] for row in expected])
        self.assertTrue(all(int(row[3]) == min(int(row[1]), 80) for row in cut))
        self.assertTrue(any(int(row[1]) > 80 for row in cut))


if __name__ == "__main__":
    unittest.main()
