#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenarios of recorded programs, and of the stencil as a program: the same calls over three
stacks on the same hosts. No test depends on how long something takes.
"""

import unittest

from running import Case

TCP, VIA, GM = "LAM TCP", "VIA RPI", "MPICH over GM"


def slowest(run, name):
    """A series' time, in us: that of its slowest rank."""
    series = next(series for series in run.json["series"] if series["name"] == name)
    return max(value["value"] for value in series["values"] if value["metric"] == "program_us")


class Stencil(Case):
    def test_order_and_least_time(self):
        """No stack is faster than the computation alone; each of 60 steps costs least over GM, and over
        VIA no more than over TCP."""
        run = self.completes("stencil")
        time = {name: slowest(run, name) for name in (TCP, VIA, GM)}
        computes = 60 * 256 * 256 * 0.024
        self.assertLess(computes, time[GM])
        self.assertLess(time[GM], time[VIA])
        self.assertLess(time[VIA], time[TCP])

    def test_a_rank_alone_only_computes(self):
        run = self.run_scenario("stencil", "--set", "workload.ranks=1")
        for name in (TCP, VIA, GM):
            computes = 60 * 1024 * 1024 * 0.024
            self.assertLess(computes, slowest(run, name))
            self.assertLess(slowest(run, name), computes * 1.0001)


if __name__ == "__main__":
    unittest.main()
