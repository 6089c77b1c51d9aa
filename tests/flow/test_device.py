#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`fidelity: flow` by its device: flows next to packets, MPI's rules on them, and how such runs end."""

import csv
import io
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"]).resolve()
NETSIM = os.path.abspath(os.environ["NETSIM"])
HEAD = f"schema: 1\nname: t\ntestbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
BOTH = """\
series:
  - {{name: packets, stack: {0}}}
  - {{name: flows, stack: {0}, set: {{fidelity: flow}}}}
"""
ON_FLOWS = HEAD + "stack: lam_tcp\nfidelity: flow\nflow: device\n"


def program(*ranks, count=None):
    parts = ", ".join(f"{{ranks: {rank}, do: [{', '.join(calls)}]}}" for rank, calls in ranks)
    return f"workload: {{ranks: {count or len(ranks)}, program: [{parts}]}}\n"


class Device(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, text, *arguments, command="run"):
        path = self.folder / "t.yaml"
        path.write_text(text)
        return subprocess.run([NETSIM, command, path, *arguments], cwd=self.folder, check=False, capture_output=True,
                              encoding="utf-8", timeout=600)

    def result(self, text, *arguments, code=0):
        done = self.call(text, "--format", "json", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)["series"]

    def assert_near(self, text, tolerance, metric, ranks=None):
        """Of all ranks, or of some."""
        done = self.call(text, "--format", "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        packets, flows = [{(row["size"], row["rank"]): float(row["value"]) for row in rows
                           if row["series"] == series and row["metric"] == metric and
                           (ranks is None or int(row["rank"]) in ranks)} for series in ("packets", "flows")]
        self.assertTrue(packets, text)
        self.assertEqual(packets.keys(), flows.keys())
        for key, value in packets.items():
            self.assertLessEqual(abs(flows[key] / value - 1), tolerance, (key, value, flows[key], text))


class Many(Device):
    def test_hosts(self):
        """Packets number hosts by 16 bits, flows do not."""
        many = "hosts: [{name: n, count: 65537}]\nswitches: [{name: s}]\nlinks: [{from: n, to: s}]\nswitch: {ports: 0}\n" \
               "workload: {benchmark: pmb.pingpong, sizes: [1 B], ranks: 2}\n"
        done = self.call(HEAD + "stack: lam_tcp\n" + many, command="check")
        self.assertIn("packets have at most 65536 ranks and hosts (fidelity: flow runs more)", done.stderr)
        self.assertEqual(done.returncode, 1)
        done = self.call(ON_FLOWS + many, command="check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Times(Device):
    def test_pingpong(self):
        """Each size is measured by itself: none lies between points."""
        sizes = "[0 B, 3 B, 1533 B, 1534 B, 30001 B, 65536 B, 65537 B, 1 MiB]"
        for stack in ("lam_via", "mvich", "lam_tcp", "mpich_p4"):
            self.assert_near(HEAD + f"workload: {{benchmark: pmb.pingpong, sizes: {sizes}, repetitions: 10}}\n" +
                             BOTH.format(stack), 0.005, "latency_us")

    def test_more_sizes_than_are_measured(self):
        """Beyond 200 sizes the others lie between those of a grid."""
        sizes = ", ".join(f"{1000 + 20 * i} B" for i in range(230))
        self.assert_near(HEAD + f"workload: {{benchmark: pmb.pingpong, sizes: [{sizes}], repetitions: 5}}\n" +
                         BOTH.format("lam_via"), 0.04, "latency_us")

    def test_work_of_a_rank(self):
        calls = ("{compute: 3 ms}", "{copy: 1 MiB}", "{copy: 4 KiB}", "{compute: 7 us}")
        self.assert_near(HEAD + program(("all", calls), count=2) + BOTH.format("lam_tcp"), 1e-9, "program_us")

    def test_long_messages_without_loss(self):
        """Any pairs that exchange long messages: when they have arrived, in ten programs. (A sender over TCP is
        done earlier, when the last bytes are in its socket.)"""
        for seed in range(10):
            chance = random.Random(seed)
            order = chance.sample(range(6), 6)
            size = f"{chance.randrange(256, 1024)} KiB"
            ranks = []
            for sender, receiver in zip(order[::2], order[1::2]):
                times = chance.randrange(1, 4)
                wait = f"{{compute: {chance.randrange(1, 2000)} us}}"
                ranks.append((sender, [wait] + [f"{{send: {{to: {receiver}, size: {size}}}}}"] * times))
                ranks.append((receiver, [f"{{recv: {{from: {sender}, size: {size}}}}}"] * times))
            text = HEAD + "switch: {queue: 4096}\n" + program(*ranks)
            self.assert_near(text + BOTH.format(chance.choice(["lam_via", "lam_tcp"])), 0.02, "program_us", order[1::2])


    def test_interrupts_at_a_distance(self):
        """Gigabit cards that hold interrupts back: each round trip falls into the same step as on packets."""
        text = HEAD.replace("cluster1", "x306") + "workload: {benchmark: pmb.pingpong, sizes: [0 B, 1 B .. 64 KiB]}\n"
        for stack in ("ch3_sock", "ch3_sctp"):
            self.assert_near(text + BOTH.format(stack), 0.002, "latency_us")

    def test_acknowledgments_held_back(self):
        """One repetition waits for a tick of the kernel's clock, where the window is full of short messages."""
        reduce = HEAD + "workload: {benchmark: pmb.reduce, ranks: 6, sizes: [4 B, 64 B, 256 B, 1 KiB], repetitions: 100}\n"
        self.assert_near(reduce + BOTH.format("lam_tcp"), 0.17, "latency_us")
        wide = "workload: {benchmark: pmb.allreduce, ranks: RANKS, sizes: [8 B, 8 KiB], repetitions: 5}\n"
        tree = """schema: 1
name: t
hosts: [{name: node, count: 256}]
switches: [{name: leaf, count: 16}, {name: spine, count: 8}]
switch: {ports: 0}
links: [{from: node, to: leaf, split: 16}, {from: leaf, to: spine}]
link: {rate: 1 Gb/s}
nic: em82547gi
"""
        self.assert_near(tree + wide.replace("RANKS", "256") + BOTH.format("ch3_sock"), 0.1, "latency_us")


class Rules(Device):
    def ends_well(self, *ranks):
        (series,) = self.result(ON_FLOWS + program(*ranks))
        self.assertEqual(series["status"], "completed")
        self.assertTrue(series["ledger"]["balanced"])
        self.assertEqual(series["ledger"]["misordered"], 0)
        return series

    def test_short_ones_do_not_overtake(self):
        """A message of a frame goes past one in pieces in the card; its receive still comes second."""
        self.ends_well(
            (0, ["{isend: {to: 1, size: 60 KiB, request: a}}", "{isend: {to: 1, size: 8 B, request: b}}",
                 "{isend: {to: 1, size: 256 KiB, request: c}}", "{isend: {to: 1, size: 9 B, request: d}}",
                 "{waitall: [a, b, c, d]}"]),
            (1, ["{recv: {from: 0, size: 60 KiB}}", "{recv: {from: 0, size: 8 B}}",
                 "{recv: {from: 0, size: 256 KiB}}", "{recv: {from: 0, size: 9 B}}"]))

    def test_wildcards_and_probes(self):
        self.ends_well(
            (0, ["{probe: {from: any, tag: 5}}", "{recv: {from: any, tag: 5, size: 64 KiB}}",
                 "{recv: {from: any, tag: any, size: 256 KiB}}", "{recv: {from: any, tag: any, size: 256 KiB}}"]),
            (1, ["{compute: 2 ms}", "{send: {to: 0, tag: 5, size: 64 KiB}}"]),
            (2, ["{send: {to: 0, tag: 5, size: 1 KiB}}", "{ssend: {to: 0, tag: 6, size: 256 KiB}}"]))

    def test_to_itself_and_synchronous(self):
        self.ends_well(
            (0, ["{irecv: {from: 0, size: 1 KiB, request: a}}", "{send: {to: 0, size: 1 KiB}}", "{wait: a}",
                 "{issend: {to: 0, size: 9 B, request: b}}", "{recv: {from: 0, size: 9 B}}", "{wait: b}",
                 "{ssend: {to: 1, size: 0 B}}"]),
            (1, ["{compute: 1 ms}", "{recv: {from: 0, size: 0 B}}"]))

    def test_ranks_of_one_host(self):
        """They share its processors; messages among them cross no link."""
        text = ("schema: 1\nname: t\nstack: armci\nfidelity: flow\nflow: device\n"
                f"testbed: {SOURCE}/scenarios/testbeds/config1.yaml\n"
                "workload: {ranks: 8, program: [{ranks: all, do: [{allreduce: {size: 8 B}}, "
                "{alltoall: {size: 8 KiB}}]}]}\n")
        (series,) = self.result(text)
        self.assertTrue(series["ledger"]["balanced"])

    def test_same_bytes(self):
        text = HEAD + "workload: {benchmark: pmb.alltoall, sizes: 1 B .. 64 KiB, repetitions: 5}\n" + \
            BOTH.format("lam_via")
        first, *others = [self.call(text, "--format", "csv", "--jobs", jobs).stdout for jobs in ("1", "1", "2")]
        self.assertTrue(first)
        for other in others:
            self.assertEqual(other, first)


class Ends(Device):
    def test_deadlock(self):
        text = ON_FLOWS + program((0, ["{send: {to: 1, size: 1 KiB}}", "{recv: {from: 2, size: 8 B, tag: 3}}"]),
                                  (1, ["{recv: {from: 0, size: 1 KiB}}"]), (2, ["{compute: 1 us}"]))
        (series,) = self.result(text, code=3)
        self.assertEqual(series["status"], "deadlock")
        (rank,) = series["reason"]["ranks"]
        (request,) = rank["requests"]
        self.assertEqual((request["kind"], request["peer"], request["tag"]), ("recv", 2, 3))
        self.assertIn("t.yaml:", rank["at"])

    def test_long_sends_to_each_other(self):
        send = "{{send: {{to: {0}, size: 256 KiB}}}}"
        receive = "{{recv: {{from: {0}, size: 256 KiB}}}}"
        text = ON_FLOWS + program((0, [send.format(1), receive.format(1)]), (1, [send.format(0), receive.format(0)]))
        (series,) = self.result(text, code=3)
        self.assertEqual(len(series["reason"]["ranks"]), 2)

    def test_a_message_without_a_receive(self):
        (series,) = self.result(ON_FLOWS + program((0, ["{send: {to: 1, size: 1 KiB}}"]), (1, ["{compute: 1 us}"])),
                                code=2)
        self.assertEqual(series["status"], "lost")

    def test_too_short_a_buffer(self):
        (series,) = self.result(ON_FLOWS + program((0, ["{send: {to: 1, size: 2 KiB}}"]),
                                                   (1, ["{recv: {from: 0, size: 1 KiB}}"])), code=3)
        self.assertEqual(series["reason"]["kind"], "truncated")

    def test_states_and_timeline(self):
        text = ON_FLOWS + "workload: {benchmark: pmb.bcast, sizes: [1 KiB, 256 KiB], repetitions: 2}\n"
        done = self.call(text, "--log-states", "t.log", "--trace", "t.json", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("asks", (self.folder / "t.log").read_text())
        self.assertIn("flow", (self.folder / "t.json").read_text())
        done = self.call(text, "--pcap", "pcap")
        self.assertEqual(done.returncode, 1)
        self.assertIn("runs on flows", done.stderr)

    def test_no_diagram(self):
        done = self.call(ON_FLOWS + "workload: {benchmark: pmb.bcast, sizes: 1 KiB}\n", command="diagram")
        self.assertEqual(done.returncode, 1)
        self.assertIn("diagram: lam_tcp runs on flows, of which there is nothing to show (fidelity=packet", done.stderr)

    def test_what_flows_can_not_show(self):
        done = self.call(ON_FLOWS + "workload: {benchmark: pmb.bcast, sizes: 1 KiB, repetitions: 2}\n")
        self.assertIn("no loss, no full queue", done.stdout)
        self.assertIn("costs of a message measured on packets", done.stdout)

    def test_no_such_player(self):
        done = self.call(ON_FLOWS.replace("flow: device", "flow: devices") + "workload: {benchmark: pmb.bcast}\n",
                         command="check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("t.yaml:6:7: error: flow", done.stderr)


if __name__ == "__main__":
    unittest.main()
