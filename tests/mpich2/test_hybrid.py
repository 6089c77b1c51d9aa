#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The channel ch3:hybrid: connections of queue pairs, one-sided operations as work requests, the
stage in the progress engine.

Covers sctp.hybrid.split, sctp.hybrid.second_socket, sctp.hybrid.static_connect,
sctp.hybrid.static_handshake, sctp.hybrid.static_cost, sctp.hybrid.dynamic_collision,
sctp.hybrid.dynamic_handshake, sctp.hybrid.first_message_cost, sctp.hybrid.poll_stage,
sctp.hybrid.nonblocking_poll, sctp.hybrid.buffer_use, sctp.rma.put_flow, sctp.rma.put_envelope,
sctp.rma.get_via_write, sctp.rma.get_via_read, sctp.rma.get_same_message_count and
sctp.rma.get_register_local."""

import json
import os
import random
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["NETSIM_SOURCE_DIR"], "tests", "cli"))
sys.path.insert(0, os.path.join(os.environ["NETSIM_SOURCE_DIR"], "tests", "mpich2"))
import test_rma  # pylint: disable=wrong-import-position
from harness import Case  # pylint: disable=wrong-import-position

HEAD = """\
schema: 1
name: hybrid
testbed: testbeds/x306.yaml
stack: {stack}
workload:
  ranks: {ranks}
  program:
"""

OPEN = ["win_create: {size: 1 MiB, buffer: 1048576}", "win_fence: {}"]
CLOSE = ["win_fence: {}", "win_free: {}"]


class Hybrid(Case):
    def run_program(self, ranks, parts, *options, stack="ch3_hybrid"):
        """parts: (ranks, operations). Keeps counters, log of states and the results."""
        text = HEAD.format(stack=stack, ranks=ranks)
        for who, operations in parts:
            text += f"    - ranks: {who}\n      do:\n"
            text += "".join(f"        - {operation}\n" for operation in operations)
        self.write("hybrid.yaml", text)
        done = self.netsim("run", "hybrid.yaml", "--format", "json", "--quiet", "--log-states",
                           "states.txt", *options)
        series = json.loads(done.stdout)["series"][0]
        self.assertTrue(series["ledger"]["balanced"])
        self.counters, self.values = series["counters"], series["values"]
        with open(os.path.join(self.directory, "states.txt"), encoding="utf-8") as file:
            self.log = [line.split(" ", 1) for line in file.read().splitlines()
                        if not line.startswith("#")]
        return series

    def steps(self, machine):
        """(time, "rank 0 MACHINE[2] A -> B") of a machine, by time."""
        found = [(float(time), text) for time, text in self.log if f" {machine}[" in text]
        return sorted(found, key=lambda step: step[0])

    def work(self, kinds=("write", "read", "send", "read response")):
        """Work requests without receives, as they begin: "rank 0 write"."""
        started = []
        for _, text in self.steps("iwarp request"):
            found = re.match(r"(rank \d+) iwarp request\[\d+\] - -> queued (.*)", text)
            if found and found[2] in kinds:
                started.append(f"{found[1]} {found[2]}")
        return started

    # ---- Connections ----

    def test_static(self):
        """Each rank asks the higher ones, in turn; the target peels off, answers and registers."""
        starts = []
        for ranks in (2, 3, 4):
            self.run_program(ranks, [("all", ["compute: 1 us"])])
            self.assertEqual(self.counters["ch3:hybrid descriptors of queue pairs"],
                             ranks * (ranks - 1))
            pairs = self.steps("rdma vc")
            asked = [text for _, text in pairs if "-> REQ-SENT" in text]
            self.assertEqual(asked, [f"rank {i} rdma vc[{j}] NONE -> REQ-SENT"
                                     for i in range(ranks) for j in range(i + 1, ranks)])
            for i in range(ranks):
                for j in range(i + 1, ranks):
                    times = {text: time for time, text in pairs}
                    accepted = times[f"rank {j} rdma vc[{i}] NONE -> ACCEPTING"]
                    up = times[f"rank {i} rdma vc[{j}] REQ-SENT -> UP"]
                    self.assertLess(times[f"rank {i} rdma vc[{j}] NONE -> REQ-SENT"], accepted)
                    self.assertLess(accepted, up)
                    if i + 1 < ranks - 1:  # the next one asks after the barrier
                        later = times[f"rank {i + 1} rdma vc[{ranks - 1}] NONE -> REQ-SENT"]
                        self.assertLess(up, later)
            starts.append(max(time for time, text in self.steps("ch3:hybrid")
                              if text.endswith("-> up")))
        self.assertLess(starts[0] * 1.5, starts[1])
        self.assertLess(starts[1] * 1.2, starts[2])

    def test_dynamic(self):
        """Only those that use one another connect, with the first operation, which waits for it."""
        parts = [("all", OPEN), (0, ["put: {to: 2, size: 100 B}"]), ("all", CLOSE)]
        dynamic = ("--set", "ch3_hybrid.connections=dynamic")
        self.run_program(3, parts, *dynamic)
        self.assertEqual(self.counters["ch3:hybrid descriptors of queue pairs"], 2)
        self.assertEqual([text for _, text in self.steps("rdma vc")], [
            "rank 0 rdma vc[2] NONE -> REQ-SENT",
            "rank 2 rdma vc[0] NONE -> ACCEPTING",
            "rank 0 rdma vc[2] REQ-SENT -> UP",
            "rank 2 rdma vc[0] ACCEPTING -> UP"])
        up = self.steps("rdma vc")[2][0]
        write = [time for time, text in self.steps("iwarp request") if "queued write" in text]
        self.assertGreaterEqual(write[0], up)

    def first_put(self, connections):
        body = ["put: {to: 1, size: 100 B}", "clock: fence", "win_fence: {}", "lap: fence"]
        self.run_program(2, [(0, OPEN + body + CLOSE), (1, OPEN + ["win_fence: {}"] + CLOSE)],
                         "--set", f"ch3_hybrid.connections={connections}")
        return [value["value"] for value in self.values if value["metric"] == "fence_mean_us"][0]

    def test_first_message_is_dearer(self):
        """By one look-up, of 1 ms, and by the set-up."""
        self.assertGreater(self.first_put("dynamic"), self.first_put("static") + 1000)

    def test_collision(self):
        """Two that ask one another: the request of the lower rank holds, at both."""
        parts = [("all", OPEN + ["put: {to: 1 - rank, size: 100 B}"] + CLOSE)]
        self.run_program(2, parts, "--set", "ch3_hybrid.connections=dynamic")
        self.assertEqual(self.counters["ch3:hybrid descriptors of queue pairs"], 2)
        steps = [text for _, text in self.steps("rdma vc")]
        self.assertEqual(sorted(steps), [
            "rank 0 rdma vc[1] NONE -> REQ-SENT",
            "rank 0 rdma vc[1] REQ-SENT -> UP",
            "rank 1 rdma vc[0] ACCEPTING -> UP",
            "rank 1 rdma vc[0] NONE -> REQ-SENT",
            "rank 1 rdma vc[0] REQ-SENT -> ACCEPTING"])

    # ---- Operations ----

    def run_one(self, operation, *options):
        self.run_program(2, [("all", OPEN), (0, [operation]), ("all", CLOSE)], *options)

    def test_put(self):
        """A write, and when it has gone an envelope of 32 bytes; nothing else of it is a message."""
        self.run_one("put: {to: 1, size: 40000 B, buffer: 1048576}")
        self.assertEqual(self.work(), ["rank 0 write", "rank 0 send"])
        self.assertEqual(self.counters["iwarp.segments_sent"], 3 + 1)
        self.assertEqual(self.counters["ch3:hybrid envelopes over iWARP"], 1)
        steps = {text: time for time, text in self.steps("iwarp request")}
        gone = [time for text, time in steps.items() if text.endswith("-> done write")][0]
        told = [time for text, time in steps.items() if text.endswith("-> queued send")][0]
        self.assertLess(gone, told)

    def test_get(self):
        """Three messages in either direction."""
        self.run_one("get: {from: 1, size: 100 B, buffer: 1048576}")
        self.assertEqual(self.work(), ["rank 0 send", "rank 1 write", "rank 1 send"])
        self.assertEqual(self.counters["iwarp.segments_sent"], 3)
        self.run_one("get: {from: 1, size: 100 B, buffer: 1048576}", "--set",
                     "ch3_hybrid.get=read")
        self.assertEqual(self.work(), ["rank 0 read", "rank 1 read response", "rank 0 send"])
        self.assertEqual(self.counters["iwarp.segments_sent"], 3)

    def test_other_memory_is_registered(self):
        """A get to memory that is in no window is dearer by its pages."""
        laps = []
        for buffer in (1048576, 8388608):
            body = [f"get: {{from: 1, size: 1 MiB, buffer: {buffer}}}", "clock: fence",
                    "win_fence: {}", "lap: fence", "win_free: {}"]
            self.run_program(2, [(0, OPEN + body), (1, OPEN + CLOSE)],
                             "--set", "host.memory.pin_page=100 us")
            laps += [value["value"] for value in self.values if value["metric"] == "fence_mean_us"]
        self.assertGreater(laps[1], laps[0] + 250 * 100)  # of 256

    def test_messages_of_mpi_take_the_other_way(self):
        self.run_program(2, [(0, ["send: {to: 1, size: 100 kB}"]),
                             (1, ["recv: {from: 0, size: 100 kB}"])])
        self.assertEqual(self.counters["iwarp.segments_sent"], 0)
        self.assertEqual(self.counters["ch3:hybrid envelopes over iWARP"], 0)

    def test_accumulate_takes_packets(self):
        """And so do all operations of its epoch to that target."""
        self.run_program(2, [("all", OPEN), (0, ["put: {to: 1, size: 100 B}",
                                                 "accumulate: {to: 1, size: 100 B}",
                                                 "win_fence: {}", "put: {to: 1, size: 100 B}"]),
                             (1, ["win_fence: {}"]), ("all", CLOSE)])
        self.assertEqual(self.work(), ["rank 0 write", "rank 0 send"])

    def test_envelopes_before_their_data(self):
        """SCTP serves streams in turn: a long put's envelope overtakes its last segments."""
        put = "put: {to: 1, size: 100 kB, buffer: 1048576}"
        early = "ch3:hybrid envelopes before their data"
        self.run_one(put)
        self.assertEqual(self.counters[early], 1)
        self.run_one(put, "--set", "iwarp.stream_map=single")
        self.assertEqual(self.counters[early], 0)

    def test_held_envelopes(self):
        """Without holding them the target's fence ends before the data arrive."""
        laps = []
        for hold in ("true", "false"):
            body = ["clock: fence", "win_fence: {}", "lap: fence", "recv: {from: 0, size: 1 B}",
                    "win_free: {}"]
            self.run_program(2, [(0, OPEN + ["put: {to: 1, size: 100 kB, buffer: 1048576}",
                                             "win_fence: {}", "compute: 50 ms",
                                             "send: {to: 1, size: 1 B}", "win_free: {}"]),
                                 (1, OPEN + body)], "--set", f"ch3_hybrid.hold={hold}")
            self.assertEqual(self.counters["ch3:hybrid envelopes before their data"], 1)
            laps += [value["value"] for value in self.values if value["metric"] == "fence_mean_us"]
        self.assertLess(laps[1], laps[0] - 100)

    def test_more_than_a_queue_holds(self):
        many = "loop: {count: 600, as: i, do: [put: {to: 1, size: 8 B}, get: {from: 1, size: 8 B}]}"
        many = many.replace("put: {to: 1, size: 8 B}", "{put: {to: 1, size: 8 B}}")
        many = many.replace("get: {from: 1, size: 8 B}", "{get: {from: 1, size: 8 B}}")
        for get in ("write", "read"):
            self.run_one(many, "--set", f"ch3_hybrid.get={get}", "--set", "iwarp.queue_depth=20",
                         "--set", "ch3_hybrid.receives=20",
                         "--set", "iwarp.stream_map=single")
            self.assertEqual(self.counters["ch3:hybrid envelopes over iWARP"],
                             600 * (3 if get == "write" else 2))

    def test_random_programs(self):
        """All kinds of transfers at once, on paths that may lose packets."""
        options = {"ch3_hybrid.connections": ("static", "dynamic"), "ch3_hybrid.get":
                   ("write", "read"), "ch3_hybrid.blocking": (True, False), "iwarp.stream_map":
                   ("stag", "single"), "iwarp.segment": ("4 KiB", "16 KiB", "64 KiB"),
                   "ch3_hybrid.receives": (64, 128), "iwarp.queue_depth": (128, 256)}
        for seed in range(30):
            chance = random.Random(f"hybrid {seed}")
            ranks = chance.randint(2, 4)
            parts = test_rma.Rma.random_parts(None, chance, ranks)
            sets = [f"--set={name}={json.dumps(chance.choice(values))}"
                    for name, values in options.items()]
            with self.subTest(seed=seed, sets=sets):
                self.run_program(ranks, parts, *sets, "--set",
                                 f"link.drop_probability={chance.choice((0, 0, 0.002, 0.01))}")

    def test_more_receives_than_a_queue_holds(self):
        self.write("hybrid.yaml", HEAD.format(stack="ch3_hybrid", ranks=2) +
                   "    - ranks: all\n      do: [{compute: 1 us}]\n")
        done = self.netsim("check", "hybrid.yaml", "--set", "iwarp.queue_depth=100", code=1)
        self.assertIn("ch3_hybrid.receives of 256 does not go with iwarp.queue_depth of 100", done.stderr)

    # ---- The stage ----

    def test_the_poll_does_not_block(self):
        """A process that waits polls its sockets repeatedly, unless no window is open."""
        parts = [(0, ["compute: 20 ms", "send: {to: 1, size: 1 B}"]),
                 (1, ["recv: {from: 0, size: 1 B}"])]
        self.run_program(2, parts)
        spinning = self.counters["ch3:sctp reads that found nothing"]
        self.run_program(2, parts, "--set", "ch3_hybrid.blocking=true")
        blocking = self.counters["ch3:sctp reads that found nothing"]
        self.assertGreater(spinning, blocking + 1000)

    def test_the_stage_costs(self):
        """Each turn polls: a ping-pong takes longer by half a poll and more for each message. (Not compared
        with ch3:sctp, whose read that blocks pays for its sleep and for setting the socket's mode.)"""
        times = []
        body = ["clock: loop", "loop: {count: 20, do: [{send: {to: 1, size: 1 B}}, "
                "{recv: {from: 1, size: 1 B}}]}", "lap: loop"]
        back = ["loop: {count: 20, do: [{recv: {from: 0, size: 1 B}}, "
                "{send: {to: 0, size: 1 B}}]}"]
        for poll in ("0 us", "20 us"):
            self.run_program(2, [(0, body), (1, back)], "--set", "em82547gi.interrupt_distance=0 s",
                             "--set", "em82547gi.tx_interrupt_delay=0 s", "--set", f"iwarp.poll={poll}")
            times += [value["value"] for value in self.values if value["metric"] == "loop_mean_us"]
        self.assertGreater(times[1], times[0] + 20 * 2 * 10)


if __name__ == "__main__":
    unittest.main()
