#!/usr/bin/env python3
"""netsim explain: the parts of a message's time, resources, what bounds a run, runs that fail.

What a stage must come to is taken from the parameters of the scenario, or counted by hand.
"""

import json
import os
import subprocess
import unittest

from harness import SOURCE, Case

# IEEE 802.3 at 100 Mb/s: 80 ns a byte; preamble 8 B, gap 12 B.
BYTE_PS = 80000
STREAM = """\
schema: 1
name: stream
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  ranks: 2
  program:
    - {ranks: 0, do: [{loop: {count: 20, do: [{isend: {to: 1, size: 30 KiB, request: r}}, {wait: r}]}}]}
    - {ranks: 1, do: [{loop: {count: 20, do: [{recv: {from: 0, size: 30 KiB}}]}}]}
"""


class Explain(Case):
    def explained(self, *arguments, code=0):
        return json.loads(self.netsim("explain", *arguments, "--format", "json", code=code).stdout)

    def one(self, *arguments):
        """Stages in ps and the number of messages of the only size of the only series."""
        document = self.explained(*arguments)
        exact = document["series"][0]["exact"][0]
        return exact["stages_ps"], exact["messages"], document

    def test_parts_add_up_on_every_size_of_every_pingpong(self):
        for name in ("pingpong_cluster1", "pingpong_cluster2"):
            document = self.explained(name)
            self.assertGreaterEqual(len(document["series"]), 2)
            for series in document["series"]:
                self.assertEqual(series["failures"], [])
                self.assertGreaterEqual(len(series["sizes"]), 22)
                for i, exact in enumerate(series["exact"]):
                    with self.subTest(name=name, series=series["name"], size=series["sizes"][i]):
                        self.assertEqual(sum(exact["stages_ps"].values()), exact["total_ps"])
                        self.assertAlmostEqual(series["total"][i],
                                               exact["total_ps"] / exact["messages"] / 1e6)
                        # The model leaves no time of a PingPong unexplained.
                        self.assertFalse([s for s in exact["stages_ps"] if s.startswith("waiting")])

    def test_total_is_what_run_measures(self):
        """The same repetitions give the same latency, to the last digit."""
        sets = ["--set", "workload.sizes=[1 B, 40 KiB]", "--set", "workload.repetitions=7"]
        run = json.loads(self.netsim("run", "pingpong_cluster1", *sets, "--format", "json",
                                     "--quiet").stdout)
        explained = self.explained("pingpong_cluster1", *sets)
        for measured, series in zip(run["series"], explained["series"]):
            self.assertEqual([point["size_bytes"] for point in measured["points"]], series["sizes"])
            for point, total in zip(measured["points"], series["total"]):
                self.assertAlmostEqual(point["latency_us"], total, delta=1e-9 * total)

    def test_known_breakdown(self):
        """via.pingpong.latency_min.via_rpi: the stages of docs/fidelity.md, where they can be
        counted from the parameters."""
        stages, messages, _ = self.one("pingpong_cluster1", "--series", "VIA RPI", "--size", "1 B")
        parts = {name: time / messages / 1e6 for name, time in stages.items()}
        self.assertAlmostEqual(parts["wire"], 2 * 95 * BYTE_PS / 1e6)  # 87 B and preamble, twice
        self.assertAlmostEqual(parts["switch"], 8.0)
        self.assertAlmostEqual(parts["propagation"], 0.1)
        # Two calls, a request built and one destroyed, and a queue entry matched.
        self.assertAlmostEqual(parts["MPI"], 20.69, delta=0.01)
        self.assertAlmostEqual(parts["interrupt"], 6.4)
        self.assertAlmostEqual(parts["wake-up"], 8.5)
        self.assertAlmostEqual(sum(parts.values()), 74.0, delta=0.01)

    def test_a_parameter_moves_its_own_stage_alone(self):
        size = ["--series", "VIA RPI", "--size", "1 B"]
        before, messages, _ = self.one("pingpong_cluster1", *size)
        after, _, _ = self.one("pingpong_cluster1", *size, "--set", "switch.latency=11 us")
        for stage in before:
            moved = 3 * 10**6 * messages if stage == "switch" else 0
            self.assertEqual(after[stage] - before[stage], moved, stage)

    def test_bound_by_a_link(self):
        """Sends one after the other, each in pieces that fill the link: the link's share is
        counted from the frames."""
        self.write("stream.yaml", STREAM.replace("testbeds/", f"{SOURCE}/scenarios/testbeds/"))
        document = self.explained("stream.yaml", "--set", "host.processor.clock=100 GHz",
                                  "--set", "host.memory.copy_cached=100 GB/s",
                                  "--set", "host.memory.copy_uncached=100 GB/s",
                                  "--set", "lam.request=0", "--set", "host.kernel.wake_process=0",
                                  "--set", "host.kernel.switch_process=0",
                                  "--set", "host.kernel.interrupt_entry=0",
                                  "--set", "host.kernel.interrupt_exit=0")
        series = document["series"][0]
        self.assertEqual(series["sizes"], [-1])
        loads = {entry["resource"]: entry for entry in document["resources"]}
        link = loads["link node0->switch"]
        self.assertGreater(link["utilisation"], 0.95)
        self.assertTrue(series["bound"][0].startswith("bound by link "), series["bound"])
        self.assertIn("links[].rate", series["bound"][0])
        # Bytes on the wire by the frames: 1500 B of payload a frame at most.
        total = series["exact"][0]["total_ps"]
        least = 20 * 30 * 1024 * BYTE_PS
        self.assertGreaterEqual(link["utilisation"] * total, least)
        self.assertLess(link["utilisation"] * total, 1.10 * least)
        faster = self.explained("stream.yaml", "--set", "links[0].rate=1 Gb/s")["series"][0]
        self.assertLess(faster["total"][0], series["total"][0])

    def test_bound_by_a_processor(self):
        self.write("busy.yaml", "schema: 1\nname: busy\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload: {ranks: 2, program: [{ranks: all, do: [{compute: 5 ms}]}]}\n")
        document = self.explained("busy.yaml")
        self.assertEqual(document["series"][0]["exact"][0]["stages_ps"], {"compute": 5 * 10**9})
        self.assertIn("\"compute\"", document["series"][0]["bound"][0])
        busiest = document["resources"][0]
        self.assertEqual(busiest["by_class"], {"interrupt": 0.0, "kernel": 0.0, "user": 1.0})

    def test_queues(self):
        """Two ranks send to one at the same time: one frame waits for the link to it."""
        self.write("two.yaml", "schema: 1\nname: two\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload: {ranks: 3, program: [{ranks: [0, 1], do: [{send: {to: 2, size: 1 KiB}}]},"
                   " {ranks: 2, do: [{recv: {from: 0, size: 1 KiB}}, {recv: {from: 1, size: 1 KiB}}]}]}\n")
        loads = {entry["resource"]: entry for entry in self.explained("two.yaml")["resources"]}
        self.assertEqual(loads["link switch->node2"]["longest_queue"], 1)
        self.assertGreater(loads["link switch->node2"]["mean_queue"], 0)
        self.assertEqual(loads["link node0->switch"].get("longest_queue", 0), 0)

    def test_deadlock(self):
        """via.alltoall.deadlock_case: no message came to its end; who waits for what is said."""
        done = self.netsim("explain", "alltoall_deadlock", code=3)
        self.assertIn("deadlock: 6 of 6 ranks wait", done.stderr)
        self.assertIn("waits for memory to pin its buffer", done.stdout)
        document = self.explained("alltoall_deadlock", code=3)
        failure, = document["series"][0]["failures"]
        self.assertEqual(failure["reason"]["kind"], "deadlock")
        self.assertEqual(document["series"][0]["total"], [None])

    def test_tables(self):
        text = self.netsim("explain", "pingpong_cluster1", "--series", "native", "--size",
                           "4 KiB").stdout
        self.assertRegex(text, r"\Anative, 4096 B: [\d.]+ us, the mean of 40 messages")
        self.assertRegex(text, r"(?m)^  wire +[\d.]+ +[\d.]+ % +[\d.]+ %$")
        self.assertRegex(text, r"(?m)^  sum +[\d.]+$")
        rows = self.netsim("explain", "pingpong_cluster1", "--series", "native",
                           "--set", "workload.sizes=[1 B, 2 B]").stdout.splitlines()
        self.assertEqual([row.split()[0] for row in rows if row.strip() and "us of" not in row],
                         ["size", "1", "2"])

    def test_deterministic(self):
        arguments = ["explain", "pingpong_cluster2", "--size", "5000 B", "--format", "json"]
        self.assertEqual(self.netsim(*arguments).stdout, self.netsim(*arguments).stdout)

    def test_collective_is_that_of_the_slowest_rank(self):
        self.write("all.yaml", "schema: 1\nname: all\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload: {ranks: 4, program: [{ranks: all, do: [{alltoall: 1 KiB}]}]}\n")
        run = json.loads(self.netsim("run", "all.yaml", "--format", "json", "--quiet").stdout)
        slowest = max(value["value"] for value in run["series"][0]["values"]
                      if value["metric"] == "program_us")
        stages, _, document = self.one("all.yaml")
        self.assertAlmostEqual(sum(stages.values()) / 1e6, slowest)
        self.assertAlmostEqual(document["series"][0]["total"][0], slowest)

    def test_bad_usage(self):
        for arguments, part in (
                (["pingpong_cluster1", "--series", "VIA RPC"], "did you mean VIA RPI?"),
                (["pingpong_cluster1", "--size", "1 b"], "--size 1 b"),
                (["pingpong_cluster1", "--size", "-1 B"], "--size -1 B"),
                (["pingpong_cluster1", "--format", "csv"], "--format csv"),
                (["pingpong_cluster1", "--seed", "x"], "--seed x"),
                (["pingpong_cluster1", "--set", "lam.requst=1"], "lam.request"),
                (["pinpong_cluster1"], "did you mean pingpong_cluster1?"),
                ([], "too few")):
            with self.subTest(arguments=arguments):
                self.assertIn(part, self.netsim("explain", *arguments, code=1).stderr)

    def test_plot(self):
        python = os.environ.get("NETSIM_PYTHON", "/usr/bin/python3")
        if subprocess.run([python, "-c", "import matplotlib"], check=False,
                          stderr=subprocess.DEVNULL).returncode:
            self.skipTest("matplotlib is not installed")
        self.netsim("explain", "pingpong_cluster1", "--series", "native", "--set",
                    "workload.sizes=1 B .. 64 B", "--plot", "stages.svg")
        self.assertIn("<svg", self.read("stages.svg"))


if __name__ == "__main__":
    unittest.main()
