#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""ARMCI's benchmarks as runs of the program: the parts that are in the time, the layout of
strided data, and the keys that a scenario may have."""

import json
import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])

MACHINE = """\
schema: 1
name: case
hosts: [{name: node, count: 2}]
switches: [{name: switch}]
links: [{from: node, to: switch, rate: 1280 Mb/s, preamble: 0 B, gap: 1 B, least_frame: 0 B}]
switch: {discipline: cut_through, ports: 8, latency: 150 ns, header: 1 B, route_bytes: 1 B}
nic: lanai7
host: {processor: {cores: 2, clock: 300 MHz}}
stack: armci
"""


class Benchmarks(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-armci-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def run_text(self, workload, *options, code=0):
        path = os.path.join(self.directory, "case.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{MACHINE}workload: {{{workload}}}\n")
        done = subprocess.run([NETSIM, "run", path, "-q", "--out", self.directory, *options],
                              cwd=self.directory, text=True, check=False, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=600)
        self.assertEqual(done.returncode, code, f"{workload}\n{done.stdout}\n{done.stderr}")
        return done

    def points(self, workload, *sets):
        options = [word for value in sets for word in ("--set", value)]
        series = json.loads(self.run_text(workload, "--format", "json", *options).stdout)["series"]
        return series[0]["points"]

    def latency(self, workload, *sets):
        return self.points(workload, *sets)[0]["latency_us"]

    def test_bandwidth_counts_megabytes_of_ten_to_the_six(self):
        for name in ("put", "get", "accumulate"):
            for point in self.points(f"benchmark: armci.{name}, sizes: [8 B, 1548800 B], "
                                     "repetitions: 3"):
                self.assertAlmostEqual(point["bandwidth_MB_per_s"],
                                       point["size_bytes"] / point["latency_us"], places=6)

    def test_the_fence_is_not_in_the_time_of_a_put(self):
        # A server that takes a second for the data of a put does not lengthen the calls.
        workload = "benchmark: armci.accumulate, sizes: [8000 B], repetitions: 1"
        fast = self.latency(workload)
        slow = self.latency(workload, "armci.accumulate_kib=1024 us")
        self.assertLess(slow, fast + 100)

    def test_strided_data_are_a_square_section(self):
        # 440 rows at both ends; a block costs 1000 cycles at each: at the client it is in the time.
        put = "benchmark: armci.put, sizes: [1548800 B], repetitions: 1, layout: "
        sets = ("armci.put=sequential", "armci.block=0 cycles")
        whole = self.latency(put + "contiguous", *sets)
        free = self.latency(put + "strided", *sets)
        dear = self.latency(put + "strided", "armci.put=sequential", "armci.block=3000 cycles")
        self.assertAlmostEqual(dear - free, 440 * 10, delta=200)
        self.assertAlmostEqual(free, whole, delta=0.02 * whole)  # pieces of whole rows

    def test_pipelined_put_is_quicker_above_two_buffers(self):
        put = "benchmark: armci.put, sizes: [1548800 B], repetitions: 3"
        self.assertLess(self.latency(put), self.latency(put, "armci.put=sequential"))

    def test_other_keys_are_refused(self):
        done = self.run_text("benchmark: armci.put, sizes: [8 B], layout: round", code=1)
        self.assertIn("layout", done.stderr)
        done = self.run_text("benchmark: armci.put, sizes: [8 B], ranks: 3", code=1)
        self.assertIn("ranks", done.stderr)
        done = self.run_text("ranks: 2, program: [{ranks: 0, do: [poll: 1]}]", code=1)
        self.assertIn("poll", done.stderr)

    def test_a_buffer_without_room_is_refused(self):
        done = self.run_text("benchmark: armci.put, sizes: [8 B]", "--set", "armci.small=256 B",
                             code=1)
        self.assertIn("armci.small", done.stderr)


if __name__ == "__main__":
    unittest.main()
