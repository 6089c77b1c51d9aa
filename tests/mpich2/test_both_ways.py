#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of isend and irecv in both directions over ch3:sock: a wait leaves with what it waits for, and posts again."""

import json
import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.path.abspath(os.environ["NETSIM_SOURCE_DIR"])


class BothWays(unittest.TestCase):
    def rates(self, benchmark):
        """MB/s by size."""
        with tempfile.TemporaryDirectory(prefix="netsim-ways-") as directory:
            path = os.path.join(directory, "ways.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"schema: 1\nname: ways\ntestbed: {SOURCE}/scenarios/testbeds/x306.yaml\nstack: ch3_sock\n"
                           f"workload: {{benchmark: {benchmark}, sizes: [4 KiB, 64 KiB, 1 MiB]}}\n")
            done = subprocess.run([NETSIM, "run", path, "-q", "--out", directory, "--format", "json"],
                                  text=True, check=False, capture_output=True, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            points = json.loads(done.stdout)["series"][0]["points"]
            return {point["size_bytes"]: point["bandwidth_MB_per_s"] for point in points}

    def test_both_directions_are_busy(self):
        """Both directions together carry clearly more than one: a library that drains before it sends carries the same."""
        one, both = self.rates("osu.bandwidth"), self.rates("osu.bibandwidth")
        for size, rate in one.items():
            with self.subTest(size=size):
                self.assertGreater(both[size], 1.3 * rate, f"{both} both ways, {one} one way")


if __name__ == "__main__":
    unittest.main()
