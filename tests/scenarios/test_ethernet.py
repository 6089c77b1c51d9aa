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

    def test_offload(self):
        """Linux 6 at 25 Gb/s: a processor is the bottleneck without offloads, and nearly the link with them."""
        run = self.completes("tcp_offload")
        rate = {name: LONG / run.points(name)[LONG][LATENCY]
                for name in ("linux6", "no send offload", "no receive offload", "neither", "neither at 9000 B", "linux24")}
        for name in rate:
            self.assertLess(rate[name], wire(9000 if "9000" in name else 1500), name)
        self.assertGreater(rate["linux6"], 0.9 * wire(1500))
        self.assertLess(rate["neither"], 0.7 * wire(1500))
        self.assertGreater(rate["linux6"], 1.4 * rate["no send offload"])
        self.assertGreater(rate["linux6"], 1.4 * rate["no receive offload"])
        self.assertGreater(rate["neither at 9000 B"], 0.9 * wire(9000))

    def test_eager(self):
        """Below the limit a message spares the rendezvous; above it the limit does not matter."""
        run = self.completes("tcp_eager")
        at = {name: {size: point[LATENCY] for size, point in run.points(name).items()}
              for name in ("8 KiB", "64 KiB", "256 KiB", "2 MiB")}
        self.assertEqual(len({points[4096] for points in at.values()}), 1)
        for size, above, below in ((32768, "8 KiB", "64 KiB"), (131072, "64 KiB", "256 KiB")):
            self.assertGreater(at[above][size], at[below][size] + 15)
        self.assertLess(abs(at["8 KiB"][524288] - at["64 KiB"][524288]), 1)

    def test_incast(self):
        """The timeout of one worker is the whole round's; a buffer that holds all answers, or a short RTO min, has none."""
        run = self.completes("sweeps/incast_server", "--set", "workload.ranks=33")
        rounds = {series["name"]: next(value["value"] for value in series["values"]
                                       if value["rank"] == 0 and value["metric"] == "round_max_us")
                  for series in run.json["series"]}
        self.assertGreater(rounds["1 MiB per port"], 200e3)
        self.assertGreater(rounds["no tail probes"], 200e3)
        self.assertLess(rounds["16 MiB per port"], 10e3)
        self.assertLess(rounds["RTO min 5 ms"], 30e3)


if __name__ == "__main__":
    unittest.main()
