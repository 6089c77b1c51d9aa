#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenario of a plain Ethernet card. Its numbers are held against bounds of the machine alone, since nothing was measured."""

import unittest

from running import Case

LATENCY = "latency_us"
LONG = 4 << 20
BITS = 8
HEADERS = 52  # of IP and TCP with timestamps
ON_WIRE = 38  # of a frame besides its packet: preamble, header, check sequence, gap


def wire(mtu):
    """Bytes per microsecond that frames full of TCP's data carry at 25 Gb/s."""
    return 25e3 / BITS * (mtu - HEADERS) / (mtu + ON_WIRE)


class Plain(Case):
    def test_bounds(self):
        run = self.completes("ethernet_25g")
        at = {name: {size: point[LATENCY] for size, point in run.points(name).items()}
              for name in ("Open MPI", "ch3:sock", "ch3:sctp", "Open MPI, 1500 B", "Open MPI, one lane")}
        rate = {name: LONG / points[LONG] for name, points in at.items()}
        for name in ("Open MPI", "ch3:sock", "ch3:sctp"):
            self.assertLess(rate[name], wire(9000))
        self.assertLess(rate["Open MPI, 1500 B"], wire(1500))
        # The link is the bottleneck of long messages over TCP with jumbo frames; the host of short frames.
        self.assertGreater(rate["Open MPI"], 0.9 * wire(9000))
        self.assertLess(rate["Open MPI, 1500 B"], 0.7 * wire(1500))
        # Of a lane, 24 of 280 B are no data.
        lane = 7.877e3 / BITS * 256 / 280
        self.assertLess(rate["Open MPI, one lane"], lane)
        self.assertGreater(rate["Open MPI, one lane"], 0.9 * lane)
        # Both directions wait for an interrupt that collects frames for 8 us.
        for name, points in at.items():
            self.assertGreater(points[0], 8, name)


if __name__ == "__main__":
    unittest.main()
