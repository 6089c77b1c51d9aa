#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A guard on the simulator's speed: ratios within one run of `netsim bench`, in processor time, so
that a slow or a busy machine changes both sides alike. Each limit is a third of what is usual (a
half for the growth with ranks): noise does not reach it, and an algorithm that has become worse does."""

import json
import os
import subprocess
import unittest

NETSIM = os.environ["NETSIM"]


def bench(*arguments):
    return subprocess.run([NETSIM, "bench", "--quick", *arguments], capture_output=True, text=True, check=False)


class Speed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run = bench("--no-ns3", "--format", "json", "hold", "star", "clos", "messages", "collectives")
        assert run.returncode == 0, run.stderr
        cls.parts = json.loads(run.stdout)
        # The yardstick: a bare heap of 64 items, whose cost is that of a few cached lines.
        cls.heap = cls.parts["hold"][0]["bare_heap_events_per_s"]

    def rate(self, part, key, **where):
        rows = [row for row in self.parts[part] if where.items() <= row.items()]
        self.assertEqual(len(rows), 1, (part, where))
        return rows[0][key]

    def test_engine_against_the_bare_heap(self):
        for row in self.parts["hold"]:
            self.assertGreater(row["ratio"], 0.2 if row["pending"] > 100_000 else 0.35, row)

    def test_frames(self):
        self.assertGreater(self.rate("star", "frames_per_s", hosts=8, step="in step"), 0.18 * self.heap)
        self.assertGreater(self.rate("star", "frames_per_s", hosts=64, step="out of step"), 0.07 * self.heap)
        self.assertGreater(self.rate("clos", "packet_hops_per_s", hosts=16), 0.05 * self.heap)

    def test_messages(self):
        libraries = {row["stack"]: row["messages_per_s"] for row in self.parts["messages"]}
        self.assertGreaterEqual(len(libraries), 9)
        for stack, rate in libraries.items():
            self.assertGreater(rate, self.heap / (360 if stack == "armci" else 240), stack)

    def test_messages_among_more_ranks(self):
        for row in self.parts["collectives"]:
            self.assertLess(row["cost"], 6.0, row)

    def test_no_peer(self):
        self.assertIsNone(self.rate("messages", "smpi_messages_per_s", stack="lam_tcp"))

    def test_unknown_part(self):
        run = bench("holds")
        self.assertEqual(run.returncode, 1)
        self.assertIn('there is no part "holds" (hold, star,', run.stderr)

    def test_markdown(self):
        run = bench("--markdown", "memory")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("\n| hosts | bytes/host |\n|--:|--:|\n| 1,024 | ", run.stdout)
        self.assertIn("\nMeasured on ", run.stdout)


if __name__ == "__main__":
    unittest.main()
