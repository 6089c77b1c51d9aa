#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenarios reproduce the shapes of GRIM's curves (thesis 003, 4.2.4, 4.3.4, 4.5)."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["NETSIM_SOURCE_DIR"], "tests", "scenarios"))
from running import Case, FAILED  # noqa: E402

LIMITS = (4, 16, 64, 256)


class Injection(Case):
    """Fig. 4.6, with fewer bursts than the shipped scenario has."""

    BURSTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 8192)

    @classmethod
    def setUpClass(cls):
        cls.curves = None

    def curve(self, series: str) -> dict:
        if Injection.curves is None:
            sizes = "[" + ", ".join(map(str, self.BURSTS)) + "]"
            run = self.run_scenario("grim_injection", "--set", "workload.sizes=" + sizes)
            Injection.curves = {
                name: {size: point["overhead_us"] for size, point in run.points(name).items()}
                for name in [*(f"limit {limit}" for limit in LIMITS), "unbounded"]}
        return Injection.curves[series]

    def test_low_until_the_limit(self):
        """grim.inject.low_until_limit: up to the limit no injection waits."""
        free = self.curve("unbounded")
        for limit in LIMITS:
            for burst in self.BURSTS:
                if burst <= limit:
                    self.assertAlmostEqual(self.curve(f"limit {limit}")[burst], free[burst], delta=0.1)

    def test_sharp_rise(self):
        """grim.inject.sharp_rise, grim.inject.rise_not_instant: beyond the limit the overhead climbs
        to a steady value, mostly within four times the limit, but not at once."""
        for limit in LIMITS:
            curve = self.curve(f"limit {limit}")
            low, steady = curve[limit], curve[8192]
            self.assertGreater(steady, 3 * low)
            self.assertLess(curve[2 * limit] - low, 0.7 * (steady - low))
            self.assertGreater(curve[4 * limit] - low, 0.6 * (steady - low))
            rising = [curve[burst] for burst in self.BURSTS if burst >= limit]
            self.assertEqual(rising, sorted(rising))

    def test_the_knee_moves_with_the_limit(self):
        """grim.inject.knee_moves_with_limit: at each burst a higher limit costs no more, but for the
        steady state, where all are level within 2 %, and at the first burst beyond the lower limit
        less."""
        for lower, higher in zip(LIMITS, LIMITS[1:]):
            for burst in self.BURSTS:
                self.assertLessEqual(self.curve(f"limit {higher}")[burst],
                                     1.02 * self.curve(f"limit {lower}")[burst])
            self.assertLess(self.curve(f"limit {higher}")[2 * lower],
                            0.8 * self.curve(f"limit {lower}")[2 * lower])

    def test_unbounded(self):
        """grim.inject.unbounded_knee: without a limit only the room on the cards ends the low part."""
        curve = self.curve("unbounded")
        for burst in self.BURSTS:
            if burst <= 4096:
                self.assertAlmostEqual(curve[burst], curve[1], delta=0.15)
        self.assertGreater(curve[8192], 2 * curve[1])

    def test_more_memory_moves_the_unbounded_knee(self):
        """grim.inject.unbounded_knee: the cards' memory saturates."""
        options = ("--set", "workload.sizes=[8192]", "--set", "grim_ni.queue=512 KiB")
        run = self.run_scenario("grim_injection", *options)
        self.assertLess(run.points("unbounded")[8192]["overhead_us"],
                        0.5 * self.curve("unbounded")[8192])


class Scan(Case):
    def test_scan(self):
        """grim.scan.monotone, grim.lanai9_faster: more channels take longer, a LANai 9 less."""
        run = self.run_scenario("grim_scan")
        old = {size: point["scan_us"] for size, point in run.points("LANai 4").items()}
        new = {size: point["scan_us"] for size, point in run.points("LANai 9").items()}
        for curve in (old, new):
            self.assertEqual(list(curve.values()), sorted(curve.values()))
        for channels, time in new.items():
            self.assertLess(time, old[channels])


class Remote(Case):
    def test_order_of_curves(self):
        """grim.rm.rmp_faster_than_rmv, grim.rm.contiguous_faster, and
        grim.rm.two_ops_notify_costlier, each where arriving data do not hide it."""
        run = self.run_scenario("grim_remote_memory")
        curves = {name: run.points(name) for name in
                  ("RM-P contiguous", "RM-V contiguous", "RM-V paged", "RM-V and a second write")}
        for size in curves["RM-V paged"]:
            times = [curves[name][size]["latency_us"] for name in list(curves)[:3]]
            for least, most in zip(times, times[1:]):
                self.assertLess(least, most + 0.05)
            if size <= 256:
                self.assertLess(times[0], times[1])
            if size >= 16384:
                self.assertLess(times[1], times[2] - 1)
        self.assertGreater(curves["RM-V and a second write"][4]["latency_us"],
                           1.05 * curves["RM-V contiguous"][4]["latency_us"])


class ReplyDeadlock(Case):
    def test_the_scenario(self):
        """grim.am.reply_deadlock, grim.am.overflow_queue, grim.am.overflow_not_absolute."""
        run = self.run_scenario("grim_reply_deadlock", code=FAILED)
        states = {series["name"]: series for series in run.json["series"]}
        self.assertEqual(states["overflow queue"]["status"], "completed")
        for name in ("too small a one", "none"):
            self.assertEqual(states[name]["status"], "deadlock")
            self.assertIn("rank 0 to reply to rank 1, rank 1 to reply to rank 0",
                          states[name]["reason"]["text"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
