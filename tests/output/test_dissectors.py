#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of tshark with wireshark/netsim.lua for frames that it does not know by itself: the fields of known messages,
and no error of Lua on frames that are cut short, damaged or foreign."""

import os
import random
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import SOURCE, Case  # noqa: E402
import needs  # noqa: E402

DISSECTORS = os.path.join(SOURCE, "wireshark", "netsim.lua")
ETHERNET, GM, GRIM, INTERCEPT = 1, 147, 148, 149
OUT, IN = "0x00000002", "0x00000001"

BARE = """\
schema: 1
name: bare
testbed: testbeds/cluster1.yaml
workload: {benchmark: native.pingpong, sizes: 3000 B, repetitions: 1}
series: [{name: bare, stack: mvia}, {name: LAM, stack: lam_via, set: {workload.benchmark: pmb.pingpong}}]
"""

INTERCEPT_RAW = """\
schema: 1
name: raw
stack: intercept_vdma
nic: intercept
hosts: [{name: node, count: 2}]
links: [{from: node0, to: node1, rate: 2 Gb/s, count: 3}]
vdma_handler: {self_connect: false}
workload: {benchmark: vdma.transfer, sizes: 3000 B, repetitions: 1}
"""

INTERCEPT_PORTALS = """\
schema: 1
name: portals
stack: portals
nic: intercept
hosts: [{name: node, count: 2}]
links: [{from: node0, to: node1, rate: 2 Gb/s}]
vdma_handler: {self_connect: false}
workload:
  program:
    - {ranks: 0, do: [{put: {to: 1, size: 1500 B}}]}
    - {ranks: 1, do: [{attach: {size: 4 KiB, name: all}}, {event: {kind: put_end}}]}
"""


def number(text):
    return int(text, 0)


@needs.program("tshark")
class Dissectors(Case):
    def run_with_captures(self, scenario, *options):
        done = self.netsim("run", scenario, "-q", "--out", "out", "--pcap", "c", *options, code=None)
        self.assertIn(done.returncode, (0, 3), done.stderr)

    def tshark(self, file, *arguments):
        done = subprocess.run(["tshark", "-X", f"lua_script:{DISSECTORS}", "-r", self.path(file),
                               *arguments], capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C"})
        self.assertNotIn("Lua", done.stdout)
        self.assertNotIn("lua", done.stderr)
        self.assertNotIn("Lua:", done.stderr)
        return done.stdout.splitlines()

    def fields(self, file, names, *arguments):
        listed = [option for name in names for option in ("-e", name)]
        return [line.split("\t") for line in
                self.tshark(file, *arguments, "-T", "fields", *listed)]

    # ---- Known messages ----

    def test_via_send(self):
        self.run_with_captures(self.write("bare.yaml", BARE))
        rows = self.fields("c/bare/node0.pcapng", [
            "mvia.sequence", "mvia.total", "mvia.offset", "mvia.length", "mvia.source_vi",
            "mvia.destination_vi", "mvia.operation", "mvia.handle", "frame.len"],
            "-Y", "mvia.type == 2 && frame.packet_flags_direction == 2", "-c", "60")
        # 1500 B of a frame less 32 B of header.
        expected = [(0, 1468), (1468, 1468), (2936, 64)]
        for i, row in enumerate(rows[:3]):
            self.assertEqual(row[:7], [str(i), "3000", str(expected[i][0]), str(expected[i][1]), "1", "1", "1"])
            self.assertEqual((row[7], row[8]), ("", str(14 + 32 + expected[i][1])))
        self.assertEqual([row[0] for row in rows], [str(i) for i in range(len(rows))])
        # Both ask for the connection with one discriminator, and learn that their requests arrived.
        rows = self.fields("c/bare/node0.pcapng", ["frame.packet_flags_direction", "mvia.discriminator",
                                                   "mvia.answer"], "-Y", "mvia.type == 0")
        self.assertEqual({row[0] for row in rows}, {IN, OUT})
        self.assertEqual(len({row[1] for row in rows}), 1)
        self.assertTrue({row[2] for row in rows} <= {"0", "1", "False", "True"})

    def test_via_rdma_write(self):
        self.run_with_captures(self.write("bare.yaml", BARE))
        rows = self.fields("c/LAM/node0.pcapng", [
            "mvia.offset", "mvia.length", "mvia.handle", "mvia.address", "mvia.total",
            "mvia.immediate", "_ws.col.Protocol", "_ws.col.Info", "frame.comment"],
            "-Y", "mvia.operation == 2 && frame.packet_flags_direction == 2 && mvia.total > 2999")
        first = rows[0]
        self.assertEqual(first[0], "0")
        self.assertGreater(number(first[2]), 0)
        self.assertGreater(number(first[3]), 0)
        self.assertEqual(first[6], "M-VIA")
        self.assertTrue(first[7].startswith("RDMA write, 1468 B at 0 of 30"), first[7])
        self.assertIn("rank 0 to 1, 3000 B: bytes 0..", first[8])
        self.assertEqual({row[3] for row in rows[:3]}, {first[3]})  # the transfer's, in each frame
        self.assertEqual(sum(int(row[1]) for row in rows[:3]), int(first[4]))
        immediate = self.fields("c/LAM/node0.pcapng", ["mvia.immediate"], "-Y", "mvia.immediate_flag == 1",
                                "-c", "20")
        self.assertTrue(immediate and all(row[0] for row in immediate))

    def test_a_broken_connection(self):
        self.run_with_captures("flood_empty_rq")  # a failing run: its frames are kept
        [series] = os.listdir(self.path("c"))
        rows = self.fields(f"c/{series}/node1.pcapng", ["mvia.sequence", "frame.comment"],
                           "-Y", 'frame.comment contains "dropped"', "-E", "aggregator=|")
        self.assertGreater(len(rows), 0)
        self.assertRegex(rows[0][1], r"^message \d+, rank 0 to 1, \d+ B.*\|"
                                     r"dropped here: receive queue empty, at \d+\.\d{3} us$")
        # Its sender saw it leave, and nothing else of it.
        [comment] = self.fields(f"c/{series}/node0.pcapng", ["frame.comment"], "-Y",
                                f"frame.packet_flags_direction == 2 && mvia.type == 2 && mvia.sequence == {rows[0][0]}",
                                "-E", "aggregator=|")
        self.assertEqual(comment[0], rows[0][1].split("|")[0])

    def test_gm(self):
        self.run_with_captures("gm_allsize", "--set", "workload.sizes=5000 B", "--set",
                               "workload.repetitions=1")
        names = ["frame.packet_flags_direction", "gm.subtype", "gm.sequence", "gm.length", "gm.position",
                 "gm.total", "gm.last", "gm.ack", "gm.source", "gm.destination", "gm.route", "frame.len"]
        rows = self.fields("c/latency/node0.pcapng", names)
        sent = [row for row in rows if row[0] == OUT and row[1] == "0"]
        self.assertEqual([row[2] for row in sent], [str(i) for i in range(len(sent))])
        large = [row for row in sent if row[5] == "5000"]
        self.assertEqual([row[3:6] for row in large[:2]],
                         [["4096", "0", "5000"], ["904", "4096", "5000"]])
        self.assertEqual([row[6] in ("1", "True") for row in large[:2]], [False, True])
        comments = self.fields("c/latency/node0.pcapng", ["frame.comment"], "-Y",
                               "gm.total == 5000 && gm.subtype == 0 && frame.packet_flags_direction == 2")
        self.assertTrue(comments[0][0].endswith("5000 B: bytes 0..4095"), comments[0])
        self.assertTrue(comments[1][0].endswith("5000 B: bytes 4096..4999"), comments[1])
        self.assertTrue(all(row[8:10] == ["1", "2"] and row[10] for row in sent))
        self.assertTrue(all(int(row[11]) == 1 + 24 + int(row[3]) for row in sent))
        answers = [row for row in rows if row[0] == IN and row[1] == "2"]
        self.assertEqual(int(answers[-1][7]), len(sent))  # all of them have arrived
        self.assertTrue(all(row[8:12] == ["2", "1", "", "16"] for row in answers))
        # node0 and node1 are neighbours at the switch: one port up, and one port down.
        [up] = {row[10] for row in sent}
        back = self.fields("c/latency/node1.pcapng", ["gm.route"], "-Y", "frame.packet_flags_direction == 2")
        [down] = {row[0] for row in back}
        self.assertEqual((int(up, 16) + int(down, 16)) % 64, 0)
        self.assertNotEqual(up, down)

    def test_gm_refusals(self):
        self.run_with_captures("gm_no_buffers")
        series = sorted(os.listdir(self.path("c")))[0]
        found = {}
        for node in ("node0", "node1"):
            for subtype, direction, comment in self.fields(
                    f"c/{series}/{node}.pcapng", ["gm.subtype", "frame.packet_flags_direction", "frame.comment"],
                    "-E", "aggregator=|"):
                if subtype == "4" and direction == OUT:
                    found["NACK"] = found.get("NACK", 0) + 1
                if "dropped here: GM no receive buffer" in comment:
                    self.assertEqual((subtype, direction), ("0", IN))
                    found["refused"] = found.get("refused", 0) + 1
        self.assertGreater(found["NACK"], 0)
        self.assertEqual(found["NACK"], found["refused"])

    def test_grim(self):
        self.run_with_captures("grim_remote_memory", "--pcap-to", "1ms")
        names = ["frame.packet_flags_direction", "grim.type", "grim.token", "grim.sequence", "grim.source",
                 "grim.destination", "grim.length", "grim.words", "grim.route", "frame.len", "grim.id"]
        rows = self.fields("c/RM-V_contiguous/node0.pcapng", names)
        self.assertEqual({row[10] for row in rows}, {"0x0636"})
        writes = [row for row in rows if row[0] == OUT and row[1] == "1"]
        self.assertGreater(len(writes), 2)
        for row in writes:
            self.assertEqual(row[4:6], ["0", "1"])
            self.assertEqual(int(row[9]), 1 + 32 + 4 * int(row[7]))
            self.assertTrue(4 * int(row[7]) - 3 <= int(row[6]) <= 4 * int(row[7]))
        # An ACK repeats token and sequence number of the message that it is for, and whose it was.
        acks = [row for row in rows if row[0] == IN and row[1] == "6"]
        self.assertTrue(set((row[2], row[3]) for row in acks) >= set((row[2], row[3]) for row in writes[:-1]))
        self.assertTrue(all(row[4] == "0" and row[9] == "8" and not row[5] for row in acks))

    def test_intercept(self):
        self.run_with_captures(self.write("raw.yaml", INTERCEPT_RAW))
        [series] = os.listdir(self.path("c"))
        names = ["intercept.kind", "intercept.source", "intercept.destination", "intercept.channel",
                 "intercept.address", "intercept.length", "frame.len", "frame.comment"]
        sent = self.fields(f"c/{series}/node0.pcapng", names, "-Y", "frame.packet_flags_direction == 2")
        come = self.fields(f"c/{series}/node1.pcapng", names, "-Y", "frame.packet_flags_direction == 1")
        # Planes take turns, and so packets may arrive in another order than they were sent in.
        self.assertEqual(sorted(sent), sorted(come))
        data = [row for row in sent if row[0] == "1"]
        self.assertEqual([int(row[4]) for row in data], [512 * i for i in range(6)])
        self.assertEqual([int(row[5]) for row in data], 5 * [512] + [440])
        self.assertTrue(all(row[1:4] == ["0", "1", "0"] for row in data))
        self.assertTrue(all(int(row[6]) == int(row[5]) + 16 for row in data))  # less its CRC-32
        self.assertTrue(data[1][7].endswith("3000 B: bytes 512..1023"), data[1])
        messages = self.fields(f"c/{series}/node0.pcapng", ["intercept.vnic", "intercept.marked", "_ws.col.Protocol",
                                                            "_ws.col.Info"],
                               "-Y", "intercept.kind == 2", "-E", "separator=|")
        self.assertTrue(all(row[0].startswith("15|") for row in messages))
        told = [row[0].split("|") for row in messages]
        self.assertTrue(all(row[1] in ("1", "True") and row[2] == "VDMA handler" for row in told))
        self.assertEqual([row[3] for row in told if row[3][:3] in ("PUT", "GET", "DON")],
                         ["PUT of 3000 B", "GET of 3000 B, slice 1, channel 0", "DONE, key 1"])

    def test_intercept_portals(self):
        self.run_with_captures(self.write("portals.yaml", INTERCEPT_PORTALS))
        [series] = os.listdir(self.path("c"))
        rows = self.fields(f"c/{series}/node0.pcapng", [
            "rmpp.type", "rmpp.msgnum", "rmpp.len", "rmpp.n", "rmpp.mlen", "rmpp.data", "rmpp.portals.length",
            "intercept.source"], "-Y", "rmpp")
        # Thesis 002, table 5.1: 1500 B are 416 with the RTS and three data packets.
        self.assertEqual([row[0] for row in rows if row[7] == "0"], ["0", "3", "3", "5"])
        self.assertEqual([row[0] for row in rows if row[7] == "1"], ["1", "6"])
        rts, cts = rows[0], rows[1]
        self.assertEqual((rts[1], rts[2], rts[6]), ("0", "504", "1500"))
        self.assertEqual((cts[1], cts[3], cts[4]), ("0", "16", "1500"))
        self.assertEqual([row[5] for row in rows if row[5]], ["0", "1", "2"])
        self.assertEqual(len({row[1] for row in rows}), 1)  # of one message

    # ---- Cut short, damaged, foreign ----

    def capture(self, name, link, frames):
        """A capture of frames (bytes, whole length)."""
        with open(self.path(name), "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link))
            for i, (data, length) in enumerate(frames):
                file.write(struct.pack("<IIII", i, 0, len(data), length) + data)

    def check_all(self, link, prefix, samples):
        rng = random.Random(7)
        frames = [(prefix + data[:n], len(prefix) + len(data)) for data in samples for n in range(len(data) + 1)]
        for data in samples:
            for _ in range(150):
                bad = bytearray(data)
                for _ in range(rng.randint(1, 6)):
                    bad[rng.randrange(len(bad))] = rng.randrange(256)
                frames.append((prefix + bytes(bad), len(prefix) + len(bad)))
        for _ in range(300):
            data = bytes(rng.randrange(256) for _ in range(rng.randint(0, 80)))
            frames.append((prefix + data, len(prefix) + len(data)))
        frames.append((prefix + bytes([0x83] * 20), len(prefix) + 20))  # a route, and nothing after it
        self.capture("cut.pcap", link, frames)
        lines = self.tshark("cut.pcap", "-V")  # the helper checks for errors of Lua
        self.assertEqual(sum(line.startswith("Frame ") for line in lines), len(frames))
        self.assertTrue(any("the frame ends within its header" in line for line in lines))
        self.assertEqual(len(self.tshark("cut.pcap")), len(frames))

    def test_bad_via_frames(self):
        data = bytes([0xa1, 0, 0, 7]) + struct.pack(">HHIIIHHII", 3, 4, 9, 5000, 1468, 14, 0, 0x1000, 77) + bytes(14)
        connect = bytes([0x02, 0, 0, 0]) + struct.pack(">HHIQ", 3, 0, 0, 12345) + bytes(26)
        prefix = bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0x86])
        self.check_all(ETHERNET, prefix, [data, connect])

    def test_bad_gm_packets(self):
        data = bytes([0x81, 0xbf]) + struct.pack(">HBBHHHHHBBII", 5, 0, 0x85, 1, 2, 0, 7, 12, 2, 3, 0, 12) + bytes(12)
        directed = struct.pack(">HBBHHHHHBBIIQ", 5, 1, 0, 1, 2, 0, 7, 4, 2, 3, 0, 12, 4096) + bytes(4)
        ack = struct.pack(">HBBHHHHHBB", 5, 2, 0, 2, 1, 0, 8, 0, 0, 0)
        self.check_all(GM, b"", [data, directed, ack])

    def test_bad_grim_messages(self):
        data = b"\x81" + struct.pack(">HBBBBHHHHHIIII", 0x636, 1, 2, 1, 0, 4, 3, 5, 0, 9, 1, 2, 3, 4) + bytes(12)
        nack = struct.pack(">HBBBBH", 0x636, 1, 2, 7 << 2, 0, 4)
        self.check_all(GRIM, b"", [data, nack])

    def test_bad_intercept_packets(self):
        data = struct.pack(">BBHHBBHHI", 1, 0, 1, 0, 2, 0, 24, 0, 4096) + bytes(24)
        samples = [data]
        for kind in range(9):
            header = struct.pack(">BBHHBBHHI", 2, 1, 1, 0, 15, 0, 24, 0, 0)
            samples.append(header + struct.pack(">BBHIQQ", kind, 2, 1, 16, 4096, 1000))
        for kind in range(9):
            header = struct.pack(">BBHHBBHHI", 2, 0, 1, 0, 0, 0, 72, 0, 0)
            samples.append(header + struct.pack(">IQI", kind, 5, 100) + struct.pack(">IIIIIIQQQQ", 0, 0, 5, 1, 5, 4,
                                                                                   9, 8, 100, 0))
        self.check_all(INTERCEPT, b"", samples)

    def test_snap_length(self):
        for snap in ("1 B", "15 B", "40 B"):
            self.run_with_captures(self.write("bare.yaml", BARE), "--pcap-snap", snap)
            lines = self.tshark("c/LAM/node1.pcapng", "-V", "-c", "20")
            self.assertEqual(sum(line.startswith("Frame ") for line in lines), 20)


if __name__ == "__main__":
    unittest.main()
