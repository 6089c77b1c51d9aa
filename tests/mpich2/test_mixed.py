#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""rma.mixed: rounds of messages and one-sided operations, in both directions, over MPICH2's channels."""

import json
import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.path.abspath(os.environ["NETSIM_SOURCE_DIR"])
KIB = 1024


def doubling(least, most, count):
    """The first `count` sizes from least to most by doubling, again and again."""
    sizes = []
    while len(sizes) < count:
        size = least
        while size <= most and len(sizes) < count:
            sizes.append(size)
            size *= 2
    return sizes


class Mixed(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-mixed-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def execute(self, stack, keys="", *options):
        path = os.path.join(self.directory, "mixed.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"schema: 1\nname: mixed\ntestbed: {SOURCE}/scenarios/testbeds/x306.yaml\nstack: {stack}\n"
                       f"workload: {{benchmark: rma.mixed{keys}}}\n")
        return subprocess.run([NETSIM, "run", path, "-q", "--out", self.directory, "--format", "json",
                               *options],
                              cwd=self.directory, text=True, check=False, capture_output=True, timeout=100)

    def result(self, stack, keys=""):
        done = self.execute(stack, keys)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    @staticmethod
    def waits(timeline):
        """The waits of rank 0 in order: W for messages, F for the fence."""
        letters = {"waitall": "W", "win_fence": "F"}
        with open(timeline, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        found = [(e["ts"], letters[e["name"]]) for e in events if e["name"] in letters and e["ph"] == "X" and e["pid"] == 1]
        return "".join(letter for _, letter in sorted(found))

    def test_rounds(self):
        """Bytes of a round are those of the definition, and all are delivered."""
        sends, puts = doubling(KIB, 256 * KIB, 16), doubling(64 * KIB, 1024 * KIB, 8)
        moved = 2 * (sum(sends) + 2 * sum(puts))
        for stack in "ch3_sock", "ch3_sctp", "ch3_hybrid":
            with self.subTest(stack=stack):
                result = self.result(stack, ", repetitions: 3")
                (point,) = result["series"][0]["points"]
                self.assertAlmostEqual(point["bandwidth_MB_per_s"] * point["round_us"] / moved, 1, delta=1e-4)
                self.assertEqual(result["ledger"]["delivered"], result["ledger"]["messages"])
                self.assertEqual(result["ledger"]["lost"], 0)
                # Three measured rounds and one before them; besides, the messages of the window's collectives.
                self.assertGreaterEqual(result["ledger"]["bytes"], 4 * moved)
                self.assertLess(result["ledger"]["bytes"], 4 * moved + 1000)

    def test_keys(self):
        keys = ", repetitions: 1, sends: 3, least_send: 1 B, most_send: 2 B, puts: 1, least_put: 8 B, most_put: 8 B"
        (point,) = self.result("ch3_sock", keys)["series"][0]["points"]
        self.assertAlmostEqual(point["bandwidth_MB_per_s"] * point["round_us"], 2 * (1 + 2 + 1 + 2 * 8), delta=0.1)

    def test_waits(self):
        """A round waits for its messages before the fence, after it, or for half of them before it."""
        for wait, calls in {"before_fence": "WF", "after_fence": "FW", "between": "WFW"}.items():
            with self.subTest(wait=wait):
                timeline = os.path.join(self.directory, wait + ".json")
                done = self.execute("ch3_sock", f", repetitions: 2, sends: 4, puts: 1, wait: {wait}",
                                    "--trace", timeline)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.waits(timeline), 3 * calls)  # with the round before

    def test_sizes_the_wrong_way_round(self):
        done = self.execute("ch3_sock", ", least_put: 2 MiB")
        self.assertEqual(done.returncode, 1)
        self.assertIn("workload.least_put: is above most_put", done.stderr)


if __name__ == "__main__":
    unittest.main()
