#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenario of Open MPI over several cards. No test depends on how long something takes."""

import unittest

from running import Case

LATENCY = "latency_us"
LONG = 1 << 20


class Rails(Case):
    def test_orders(self):
        run = self.completes("openmpi_rails")
        at = {name: {size: point[LATENCY] for size, point in run.points(name).items()}
              for name in ("one card", "two cards", "pipelined", "unlike cards", "by weight")}
        long = {name: points[LONG] for name, points in at.items()}
        # Half on each card, and half of what is left each time.
        self.assertLess(long["two cards"], long["pipelined"])
        self.assertLess(long["pipelined"], long["one card"])
        self.assertGreater(long["one card"] / long["two cards"], 1.9)
        # The card of a quarter of the rate has half of the message, or a fifth of it.
        self.assertAlmostEqual(long["unlike cards"] / long["one card"], 2, delta=0.1)
        self.assertAlmostEqual(long["by weight"] / long["one card"], 0.8, delta=0.05)
        # Messages begin on the card of least latency alone: as if there were no other.
        for size in (0, 1024, 16384):
            self.assertEqual(at["by weight"][size], at["one card"][size])
        # Up to the eager limit there is no rendezvous to differ in.
        for size in (0, 1024, 16384):
            self.assertEqual(at["pipelined"][size], at["two cards"][size])


if __name__ == "__main__":
    unittest.main()
