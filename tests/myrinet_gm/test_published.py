#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bare GM between hosts for which Myricom published what GM 1.6.4 does (April 2003: 2 GHz Pentium 4
Xeon, PCI 64/66, Myrinet-2000; LANai 9 at 133 MHz, PCI64B, and at 200 MHz, PCI64C). Nothing was
fitted to these numbers. MB is 10^6 bytes.

              latency, us     one_way, MB/s    both_ways, MB/s
  133 MHz     8.5             240              340
  200 MHz     6.7             246              421

Rates of one_way and the difference in latency come out, to within the bounds below. The rate of
both_ways at 200 MHz is 5 % low, and that at 133 MHz 17 % high: the model's SRAM of one access per cycle slows
the firmware there, but the engines still get what they ask for.
"""

import json
import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])

SCENARIO = """\
schema: 1
name: published
hosts: [{name: node, count: 2}]
switches: [{name: switch}]
links: [{from: node, to: switch}]
link: {rate: 2 Gb/s, propagation: 15 ns, preamble: 0 B, gap: 1 B, least_frame: 0 B}
switch: {discipline: cut_through, ports: 8, latency: 150 ns, header: 1 B, route_bytes: 1 B}
nic: lanai9
host:
  processor: {cores: 2, clock: 2 GHz}
  bus: {clock: 66 MHz, width: 8 B, read_burst: 256 B, write_burst: 256 B}
workload: {benchmark: gm.allsize.latency, sizes: [0 B], repetitions: 20}
series:
  - {name: latency, stack: gm}
  - {name: one way, stack: gm, set: {workload: {benchmark: gm.allsize.one_way, sizes: [1 MB], repetitions: 3}}}
  - {name: both ways, stack: gm, set: {workload: {benchmark: gm.allsize.both_ways, sizes: [1 MB], repetitions: 3}}}
"""


class Published(unittest.TestCase):
    def point(self, *sets):
        """What the three series measure."""
        with tempfile.TemporaryDirectory(prefix="netsim-gm-") as directory:
            path = os.path.join(directory, "case.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(SCENARIO)
            options = [word for value in sets for word in ("--set", value)]
            done = subprocess.run([NETSIM, "run", path, "-q", "--out", directory, "--format", "json", *options],
                                  text=True, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        latency, one, both = (series["points"][0] for series in json.loads(done.stdout)["series"])
        return latency["latency_us"], 1e6 / one["latency_us"], 2e6 / both["latency_us"]

    def test_against_what_was_published(self):
        (slow, slow_one, slow_both), (fast, fast_one, fast_both) = self.point(), self.point("lanai9.clock=200 MHz")
        self.assertAlmostEqual(slow - fast, 1.8, delta=0.2)
        self.assertAlmostEqual(slow, 8.5, delta=0.1 * 8.5)
        self.assertAlmostEqual(slow_one, 240, delta=0.04 * 240)
        self.assertAlmostEqual(fast_one, 246, delta=0.04 * 246)
        self.assertAlmostEqual(fast_both, 421, delta=0.06 * 421)
        self.assertGreater(slow_both, 1.4 * slow_one)  # published: 1.42

    def test_channels_for_both_directions(self):
        """With one channel of the host's DMA, each set-up waits for a transfer in the other direction."""
        _, one, both = self.point()
        _, single_one, single_both = self.point("lanai9.host_channels=1")
        self.assertAlmostEqual(one, single_one, delta=0.01 * one)
        self.assertGreater(both, 1.03 * single_both)


if __name__ == "__main__":
    unittest.main()
