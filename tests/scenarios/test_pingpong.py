#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of scenarios/pingpong_cluster1.yaml and pingpong_cluster2.yaml.

Claims: via.pingpong.latency_min.via_rpi, via.pingpong.c1.smooth,
via.pingpong.c1.tracks_native_mvia, via.pingpong.bandwidth_bound.

Meaning of "no step". The overhead of a size is its latency over the VIA RPI less that over bare M-VIA, which moves the
same bytes over the same cards, wire and switch. On a fine grid of sizes, the overhead may change from one size to the
next by no more than

  - PER_BYTE for each byte between them: two copies (one on each side) out of main memory, the most
    that any class copies;
  - FRAME: one Ethernet frame of the least length, with its preamble and gap, and as much again for
    agent, driver and interrupt. A message of the RPI has an envelope in front of its data, so it
    needs another frame a few bytes earlier than the bare one, and its last frame is longer or
    shorter;
  - for long messages whose last piece has just become one more and is shorter than a frame, the
    overhead of a message without data: a piece goes out when the completion of the one before it
    has been handled, which is an interrupt and a pass through the library, and so less than that.

A constant that depended on the size, or a path taken beyond some size, would show as more than
this. Between the largest tiny and the smallest short message, and between the largest short and the
smallest long one, the protocol changes, and the overhead with it: these two places are left out,
and their steps are bounded by what they are made of: a copy less and a transfer more; a round trip
more.
"""

import os
import unittest

from running import Case, Run, SANITIZED

TINY, SHORT = 16384, 32768  # longest of their class
PIECE_BYTES = 32768         # mvia.largest_transfer
FRAME_BYTES = 1468          # mvia.mtu less mvia.header
MIB = 1 << 20

LINE_RATE = 12.5e6 / MIB           # 100 Mb/s in the benchmark's MB/s
LEAST_FRAME = (64 + 8 + 12) * 0.08 # us on the wire
FRAME = 2 * LEAST_FRAME
PER_BYTE = 2 / 600                 # us: two copies at 600 MB/s, host.memory.copy_uncached

# The shipped run has a thousand repetitions of most sizes; they are all alike.
REPETITIONS = ("--set", "workload.repetitions=5") if SANITIZED else ()


def overheads(run: Run) -> dict:
    native = run.points("native")
    return {size: point["latency_us"] - native[size]["latency_us"]
            for size, point in run.points("VIA RPI").items()}


def neighbours(sizes) -> list:
    ordered = sorted(sizes)
    return list(zip(ordered, ordered[1:]))


class Curve:
    """Checks of both clusters; the run is made once for each."""

    scenario = ""
    shipped = None

    def setUp(self):
        super().setUp()
        if type(self).shipped is None:
            type(self).shipped = self.completes(self.scenario, *REPETITIONS)
        self.rpi, self.native = self.shipped.points("VIA RPI"), self.shipped.points("native")

    def test_sizes(self):
        powers = [0] + [1 << power for power in range(23)]
        self.assertEqual(sorted(self.rpi), powers)
        self.assertEqual(sorted(self.native), powers)

    def test_rpi_lies_above_native_at_every_size(self):
        for size, point in self.rpi.items():
            self.assertGreater(point["latency_us"], self.native[size]["latency_us"], size)

    def test_latency_and_bandwidth_rise(self):
        for points in (self.rpi, self.native):
            for small, large in neighbours(points):
                self.assertGreaterEqual(points[large]["latency_us"], points[small]["latency_us"])
                self.assertGreater(points[large]["bandwidth_MB_per_s"],
                                   points[small]["bandwidth_MB_per_s"], large)

    def test_bandwidth_stays_below_the_line_rate(self):
        """via.pingpong.bandwidth_bound; and the longest messages come near it."""
        for points in (self.rpi, self.native):
            for size, point in points.items():
                self.assertLess(point["bandwidth_MB_per_s"], LINE_RATE, size)
            self.assertGreater(points[4 * MIB]["bandwidth_MB_per_s"], 0.9 * LINE_RATE)

    def test_bandwidth_is_what_latency_says(self):
        for size, point in self.rpi.items():
            self.assertAlmostEqual(point["bandwidth_MB_per_s"],
                                   size / MIB / (point["latency_us"] * 1e-6), places=6)


class Cluster1(Curve, Case):
    scenario = "pingpong_cluster1"

    def test_smallest_latency(self):
        """via.pingpong.latency_min.via_rpi: 74 us within 2 %."""
        self.assertAlmostEqual(self.rpi[1]["latency_us"], 74, delta=0.02 * 74)

    def test_tracks_native(self):
        """via.pingpong.c1.tracks_native_mvia: from the size on at which both fill more than a
        least frame, the RPI's share of the latency falls with the size, but for the two
        switches."""
        share = {size: over / self.rpi[size]["latency_us"]
                 for size, over in overheads(self.shipped).items() if size >= 64}
        for small, large in neighbours(share):
            if small not in (TINY, SHORT):
                self.assertLess(share[large], share[small], large)
        over = overheads(self.shipped)
        self.assertLess(over[SHORT], 2 * over[0] + PER_BYTE / 2 * SHORT + FRAME)
        self.assertLess(share[4 * MIB], 0.001)

    def test_long_messages_are_parallel(self):
        """via.pingpong.c1.smooth: over the whole range of long messages the overhead is that of the
        rendezvous, and no byte or piece more adds to it."""
        over = [over for size, over in overheads(self.shipped).items() if size >= 4 * SHORT]
        self.assertEqual(len(over), 6)
        self.assertLess(max(over) - min(over), LEAST_FRAME)


class Cluster2(Curve, Case):
    scenario = "pingpong_cluster2"

    def test_slower_processor(self):
        """The library's share of a small message is larger at 800 MHz than at 1.4 GHz: what the
        VIA RPI over bare M-VIA costs, and the same testbed at the other's clock is quicker."""
        faster = self.completes("pingpong_cluster2", "--set", "workload.sizes=[0 B, 1 KiB]",
                                "--set", "workload.repetitions=5",
                                "--set", "host.processor.clock=1.4 GHz", tag="faster")
        for size, over in overheads(faster).items():
            self.assertGreater(overheads(self.shipped)[size], over)
            self.assertGreater(self.rpi[size]["latency_us"],
                               faster.points("VIA RPI")[size]["latency_us"])


# Every 64 bytes up to two frames, then every 257, so that frames end anywhere; and both sides of
# each switch.
FINE = sorted({*range(0, 3000, 64), *range(3001, 2 * SHORT + 40000, 257),
               TINY, TINY + 1, SHORT, SHORT + 1})


def size_class(size: int) -> str:
    return "tiny" if size <= TINY else "short" if size <= SHORT else "long"


def last_piece(size: int) -> int:
    return (size - 1) % PIECE_BYTES + 1


class Smooth(Case):
    """via.pingpong.c1.smooth, on a fine grid; the bounds are in the head of this file."""

    def fine(self, grid: list) -> Run:
        sizes = ", ".join(f"{size} B" for size in grid)
        return self.completes("pingpong_cluster1", "--set", f"workload.sizes=[{sizes}]",
                              "--set", "workload.repetitions=2")

    def test_no_step_within_a_class(self):
        over = overheads(self.fine(FINE))
        seen = {"tiny": 0, "short": 0, "long": 0}
        for small, large in neighbours(over):
            if size_class(small) != size_class(large):
                continue
            step = over[large] - over[small]
            bound = PER_BYTE * (large - small) + FRAME
            new_piece = large > SHORT and last_piece(large) < FRAME_BYTES + large - small
            self.assertLess(step, bound + (over[0] if new_piece else 0), f"{small} B to {large} B")
            self.assertGreater(step, -bound, f"{small} B to {large} B")
            seen[size_class(small)] += 1
        self.assertGreater(min(seen.values()), 50)

    def test_pieces(self):
        """One more piece costs nothing of its own, away from its beginning: this card reports a
        frame as sent once it is loaded, so that the next piece is posted while the wire is busy."""
        sizes = [PIECE_BYTES * count + 5000 for count in range(1, 9)]
        over = overheads(self.fine([0, *sizes]))
        for small, large in neighbours(sizes):
            self.assertLess(abs(over[large] - over[small]), LEAST_FRAME)

    def test_protocol_switches(self):
        run = self.fine([0, TINY, TINY + 1, SHORT, SHORT + 1])
        over, empty = overheads(run), run.points("VIA RPI")[0]["latency_us"]
        self.assertLess(abs(over[TINY + 1] - over[TINY]), over[0] + PER_BYTE * TINY)
        self.assertLess(0, over[SHORT + 1] - over[SHORT])
        # SYN and ACK, which take as long as two empty messages.
        self.assertLess(over[SHORT + 1] - over[SHORT], 2 * empty + LEAST_FRAME)


if __name__ == "__main__":
    unittest.main()
