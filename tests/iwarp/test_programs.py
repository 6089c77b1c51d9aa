#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs on the bare verbs (stack iwarp), over SCTP and over TCP: their operations, random ones
over paths that lose packets, and the reports of those that fail.

Covers sctp.iwarp.layers, sctp.iwarp.preposted and sctp.iwarp.single_thread_blocking."""

import json
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["NETSIM_SOURCE_DIR"], "tests", "cli"))
from harness import Case  # pylint: disable=wrong-import-position

HEAD = """\
schema: 1
name: iwarp
testbed: testbeds/x306.yaml
stack: iwarp
native_iwarp: {{transport: {transport}}}
link: {{drop_probability: {drop}}}
workload:
  ranks: {ranks}
  program:
"""

TRANSPORTS = ("sctp", "tcp")
MEMORY = "register: {size: 1 MiB, buffer: 1048576}"


class Programs(Case):
    def run_program(self, transport, ranks, parts, *options, drop=0, code=0):
        text = HEAD.format(transport=transport, ranks=ranks, drop=drop)
        for who, operations in parts:
            text += f"    - ranks: {who}\n      do:\n"
            text += "".join(f"        - {operation}\n" for operation in operations)
        self.write("iwarp.yaml", text)
        done = self.netsim("run", "iwarp.yaml", "--format", "json", "--quiet", *options, code=code)
        self.stderr = done.stderr
        return json.loads(done.stdout)["series"][0]

    def test_operations(self):
        """Each kind; a message tells the target of a write."""
        for transport in TRANSPORTS:
            for size in ("0 B", "1 B", "16 KiB", "100 kB"):
                with self.subTest(transport=transport, size=size):
                    series = self.run_program(transport, 2, [
                        (0, ["recv: {from: 1, size: 0 B}",
                             f"rdma_write: {{to: 1, size: {size}, peer_buffer: 1048576}}",
                             "send: {to: 1, size: 32 B}",
                             f"rdma_read: {{from: 1, size: {size}, peer_buffer: 1048576}}",
                             "send: {to: 1, size: 32 B}"]),
                        (1, [MEMORY, "irecv: {from: 0, size: 32 B, request: a}",
                             "irecv: {from: 0, size: 32 B, request: b}", "send: {to: 0, size: 0 B}",
                             "waitall: [a, b]"])])
                    self.assertTrue(series["ledger"]["balanced"])
                    self.assertEqual(series["ledger"]["messages"], 5)

    def test_settings_of_the_other_transport(self):
        """They are refused as those that no series reads; those of the chosen one are not."""
        for transport, other in (("sctp", "tcp"), ("tcp", "sctp")):
            for section, code in ((transport, 0), (other, 1)):
                with self.subTest(transport=transport, section=section):
                    file = self.write("iwarp.yaml", "schema: 1\nname: iwarp\ntestbed: testbeds/x306.yaml\nstack: iwarp\n"
                                      f"native_iwarp: {{transport: {transport}}}\n{section}: {{mtu: 1500 B}}\n"
                                      "workload: {benchmark: native.pingpong, sizes: [8 B]}\n")
                    told = self.netsim("check", file, code=code).stderr
                    if code:
                        self.assertIn(f"iwarp.yaml:6:{len(section) + 9}: error: {section}.mtu: nothing reads this: iwarp "
                                      f"reads it only with native_iwarp.transport: {section} (--allow-unused", told)
                        self.netsim("check", file, "--allow-unused")

    def test_read_during_write(self):
        """The thread has written a part of a segment and waits for room when the process wants to
        send a read's request: both go on once there is some."""
        for transport in TRANSPORTS:
            for pause in ("0 us", "200 us", "1 ms", "3 ms"):
                with self.subTest(transport=transport, pause=pause):
                    series = self.run_program(transport, 2, [
                        (0, ["recv: {from: 1, size: 0 B}",
                             "rdma_write: {to: 1, size: 1 MiB, peer_buffer: 1048576, request: w}",
                             f"compute: {pause}",
                             "rdma_read: {from: 1, size: 4 KiB, peer_buffer: 1048576, request: r}",
                             "waitall: [w, r]", "send: {to: 1, size: 32 B}"]),
                        (1, [MEMORY, "irecv: {from: 0, size: 32 B, request: a}",
                             "send: {to: 0, size: 0 B}", "wait: a"])],
                        "--time-limit", "20s", "--set", f"{transport}.send_buffer=20 KiB",
                        *(["--set", "tcp.send_buffer_grows=false"] if transport == "tcp" else []))
                    self.assertTrue(series["ledger"]["balanced"])

    def random_parts(self, chance, ranks):
        """Each rank registers, posts all of its receives and announces it; then all send, write and
        read."""
        sends = {(a, b): chance.randint(0, 5) for a in range(ranks) for b in range(ranks) if a != b}
        parts = []
        for rank in range(ranks):
            peers = [peer for peer in range(ranks) if peer != rank]
            operations = [MEMORY]
            names = []
            for peer in peers:
                operations.append(f"irecv: {{from: {peer}, size: 0 B, request: go{peer}}}")
            for peer in peers:
                for i in range(sends[peer, rank]):
                    names.append(f"r{peer}x{i}")
                    operations.append(f"irecv: {{from: {peer}, size: 200 kB, request: {names[-1]}}}")
            operations.append("compute: 1 ms")
            operations += [f"send: {{to: {peer}, size: 0 B}}" for peer in peers]
            operations.append("waitall: [" + ", ".join(f"go{peer}" for peer in peers) + "]")
            plan = [("send", peer) for peer in peers for _ in range(sends[rank, peer])]
            plan += [(chance.choice(("rdma_write", "rdma_read")), chance.choice(peers))
                     for _ in range(chance.randint(0, 8))]
            chance.shuffle(plan)
            for i, (kind, peer) in enumerate(plan):
                way = "from" if kind == "rdma_read" else "to"
                memory = "" if kind == "send" else ", peer_buffer: 1048576"
                size = chance.choice((0, 1, 16384, 16385, 40000, chance.randrange(200000)))
                operations.append(f"{'isend' if kind == 'send' else kind}: {{{way}: {peer}, "
                                  f"size: {size} B{memory}, request: o{i}}}")
                names.append(f"o{i}")
            if names:
                operations.append("waitall: [" + ", ".join(names) + "]")
            parts.append((rank, operations))
        return parts

    def test_random_programs(self):
        for transport in TRANSPORTS:
            for seed in range(10):
                chance = random.Random(f"{transport} {seed}")
                ranks = chance.randint(2, 4)
                with self.subTest(transport=transport, seed=seed):
                    series = self.run_program(
                        transport, ranks, self.random_parts(chance, ranks),
                        "--set", f"iwarp.segment={chance.choice((4, 16, 32, 64))} KiB",
                        drop=chance.choice((0, 0.002, 0.01)))
                    self.assertTrue(series["ledger"]["balanced"])

    def fails(self, parts, *sentences, transport="sctp", options=()):
        series = self.run_program(transport, max(2, len(parts)), parts, *options, code=3)
        for sentence in sentences:
            self.assertIn(sentence, json.dumps(series) + self.stderr)

    def test_what_fails(self):
        for transport in TRANSPORTS:
            with self.subTest(transport=transport):
                self.fails([(0, ["rdma_write: {to: 1, size: 1 B}"]), (1, ["compute: 1 ms"])],
                           "rank 1, which has not registered that memory", transport=transport)
                self.fails([(0, [MEMORY, "compute: 1 ms", "send: {to: 1, size: 1 B}",
                                 "recv: {from: 1, size: 1 B}"]),
                            (1, ["compute: 500 us",
                                 "rdma_read: {from: 0, size: 1 MiB, peer_buffer: 1048576}"])],
                           "no posted receive", transport=transport)
                self.fails([(0, ["send: {to: 1, size: 20 B}"]), (1, ["recv: {from: 0, size: 1 B}"])],
                           "the message is longer than the posted receive", transport=transport)
                self.fails([(0, ["send: {to: 0, size: 1 B}"]), (1, ["compute: 1 ms"])],
                           "no messages from any source or to self", transport=transport)

    def test_a_blocked_thread(self):
        """Rank 1 does not poll for 5 s: the socket to it is full, and what goes to rank 2 waits."""
        for transport in TRANSPORTS:
            with self.subTest(transport=transport):
                series = self.run_program(transport, 3, [
                    (0, ["recv: {from: 2, size: 0 B}",
                         "rdma_write: {to: 1, size: 1 MiB, peer_buffer: 1048576, request: b}",
                         "send: {to: 2, size: 1 B}", "wait: b", "send: {to: 1, size: 1 B}"]),
                    (1, [MEMORY, "irecv: {from: 0, size: 1 B, request: a}", "compute: 5 s",
                         "wait: a"]),
                    (2, ["irecv: {from: 0, size: 1 B, request: a}", "compute: 1 ms",
                         "clock: it", "send: {to: 0, size: 0 B}", "wait: a", "lap: it"])])
                laps = [value["value"] for value in series["values"]
                        if value["metric"] == "it_mean_us"]
                self.assertGreater(laps[0], 4.9e6)
                self.assertGreater(series["counters"]["iwarp.thread_blocks"], 0)

    def test_a_deadlock_says_what_is_awaited(self):
        self.fails([(0, [MEMORY, "recv: {from: 1, size: 1 B}"]), (1, ["recv: {from: 0, size: 1 B}"])],
                   "deadlock", "an entry of the CQ: its message", "QP 1: RTS, 0 requests for the "
                   "thread, 1 receives, 0 reads")

    def test_a_segment_that_no_buffer_holds(self):
        self.write("iwarp.yaml", HEAD.format(transport="sctp", ranks=2, drop=0) +
                   "    - ranks: all\n      do: [{compute: 1 us}]\n")
        done = self.netsim("check", "iwarp.yaml", "--set", "sctp.send_buffer=16 KiB", code=1)
        self.assertIn("16402 B with its header does not fit into the socket's send buffer",
                      done.stderr)


if __name__ == "__main__":
    unittest.main()
