#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The NAS programs as runs: each ends on LAM over TCP and on MPICH over GM with the books balanced, its time and
rate belong together, and computation alone takes the time that follows from the rate."""

import json
import os
import subprocess
import tempfile
import unittest

import counts

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.path.abspath(os.environ["NETSIM_SOURCE_DIR"])
ETHERNET = ("testbed: {}/scenarios/testbeds/cluster1.yaml\nstack: lam_tcp\nhosts: [{{name: node, count: {}}}]\n"
            "links: [{{from: node, to: switch}}]\n")
MYRINET = ("testbed: {}/scenarios/testbeds/config1.yaml\nstack: armci\nswitch: {{ports: 32}}\nhosts: [{{name: node, count: {}}}]\n"
           "links: [{{from: node, to: switch}}]\nmpich_gm: {{eager: 1 MiB}}\n")
RATES = {"bt": 700, "cg": 200, "ep": 11, "ft": 400, "is": 30, "lu": 700, "mg": 300, "sp": 200}


class Runs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-nas-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def execute(self, machine, code, ranks, *options, keys="", cls="S"):
        path = os.path.join(self.directory, "nas.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("schema: 1\nname: nas\n" + machine.format(SOURCE, ranks) +
                       f"workload: {{benchmark: nas.{code}, class: {cls}, ranks: {ranks}{keys}}}\n")
        return subprocess.run([NETSIM, "run", path, "-q", "--out", self.directory, "--format", "json", *options],
                              cwd=self.directory, text=True, check=False, capture_output=True, timeout=300)

    def result(self, *arguments, **more):
        done = self.execute(*arguments, **more)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}\n{done.stderr}")
        result = json.loads(done.stdout)
        self.assertEqual(result["ledger"]["delivered"], result["ledger"]["messages"])
        return result

    def runs_on(self, machine, ranks, repetitions):
        for code, rate in RATES.items():
            if counts.row(code, "S", ranks) is None:
                continue
            with self.subTest(code=code, ranks=ranks):
                result = self.result(machine, code, ranks, keys=f", repetitions: {repetitions}")
                (point,) = result["series"][0]["points"]
                self.assertLess(point["operations_Mop_per_s"], rate * ranks * 1.001)
                if ranks == 1 and code != "is":  # which copies its keys
                    self.assertAlmostEqual(point["operations_Mop_per_s"], rate, delta=0.2 * rate)

    def test_lam_tcp(self):
        for ranks in range(1, 17):
            self.runs_on(ETHERNET, ranks, 2)

    def test_other_libraries(self):
        """But MVICH: M-VIA does not repeat packets of FT's alltoall that the switch drops."""
        machines = {"cluster1": ("lam_via", "mpich_p4"), "x306": ("ch3_sock", "ch3_sctp", "ch3_hybrid", "openmpi_tcp")}
        for testbed, stacks in machines.items():
            for stack in stacks:
                machine = (f"testbed: {{}}/scenarios/testbeds/{testbed}.yaml\nstack: {stack}\n"
                           + ("hosts: [{{name: node, count: {}}}]\nlinks: [{{from: node, to: switch}}]\n"
                              if testbed == "cluster1" else "# {} of its hosts\n"))
                with self.subTest(stack=stack):
                    self.runs_on(machine, 4, 1)

    def test_mpich_gm(self):
        for ranks in 1, 2, 4, 9, 16:
            self.runs_on(MYRINET, ranks, 1)

    def test_whole_runs(self):
        """All iterations of class S, and the codes' output: Mop/s are their operations over the time."""
        megaoperations = {"bt": 228.3, "ep": 2.0 ** 25 / 1e6, "mg": 58e-6 * 4 * 32 ** 3, "is": 10 * 2 ** 16 / 1e6}
        for code, expected in megaoperations.items():
            (point,) = self.result(ETHERNET, code, 4)["series"][0]["points"]
            self.assertAlmostEqual(point["operations_Mop_per_s"] * point["time_s"] / expected, 1, delta=0.001)

    def test_messages_are_those_counted(self):
        """On one rank per host: the ledger has the messages of the closed forms, besides those of collectives."""
        ledger = self.result(ETHERNET, "bt", 9)["ledger"]
        count = counts.Count()
        counts.bt(count, "S", 9)
        collectives = 3 * 8 + 2 * 8 + 8  # three broadcasts, a barrier there and back, a reduction
        self.assertGreaterEqual(ledger["messages"], count.messages)
        self.assertLessEqual(ledger["messages"], count.messages + 3 * collectives)

    def test_ft_in_two_dimensions(self):
        """More ranks than planes: an alltoall within 2 columns of 32 ranks and within 32 rows of 2, for each transform."""
        machine = ("# {}\nlink: {{rate: 1 Gb/s}}\nswitch: {{latency: 4 us, queue: 10000}}\nstack: lam_tcp\n"
                   "hosts: [{{name: node, count: {}, nics: [{{name: em0, nic: em82547gi}}]}}]\n"
                   "switches: [{{name: switch}}]\nlinks: [{{from: node.em0, to: switch}}]\n"
                   "host: {{processor: {{clock: 3.2 GHz}}, bus: {{clock: 133 MHz, width: 8 B}}}}\n")
        ledger = self.result(machine, "ft", 64, keys=", repetitions: 1", cls="W")["ledger"]
        transforms = 3 * (64 * 31 + 64)  # start-up, first, and of one iteration
        collectives = 64 * 2 * 6 + 64 * 2  # a barrier, five broadcasts, a reduction
        self.assertGreater(ledger["messages"], transforms)
        self.assertLess(ledger["messages"], transforms + collectives)
        # Each rank's part of the cube goes to others, but for what stays with it.
        moved = 3 * 128 * 128 * 32 * 16 * (31 / 32 + 1 / 2)
        self.assertAlmostEqual(ledger["bytes"] / moved, 1, delta=0.001)

    def test_refused_ranks(self):
        done = self.execute(ETHERNET, "bt", 5)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nas.bt does not run on 5 ranks: their number must be a square", done.stderr)

    def test_rate_is_the_speed_of_computation(self):
        """Twice the rate, half the time of EP, which does not communicate."""
        slow, fast = (self.result(ETHERNET, "ep", 2, keys=f", rate: {rate}")["series"][0]["points"][0]["time_s"]
                      for rate in (10, 20))
        self.assertAlmostEqual(slow / fast, 2, delta=0.01)


if __name__ == "__main__":
    unittest.main()
