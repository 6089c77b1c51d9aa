#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenarios of recorded programs, and of the stencil as a program: the same calls over three
stacks on the same hosts. No test depends on how long something takes.
"""

import os
import unittest

from running import Case, SOURCE
from shipped import REPLAYS

TCP, VIA, GM = "LAM TCP", "VIA RPI", "MPICH over GM"


def slowest(run, name):
    """A series' time, in us: that of its slowest rank."""
    series = next(series for series in run.json["series"] if series["name"] == name)
    return max(value["value"] for value in series["values"] if value["metric"] == "program_us")


FOLDERS = {"replay_cg": "cg_8", "replay_nas_ep": "nas_ep_s_8", "replay_nas_is": "nas_is_s_8",
           "replay_sample_sort": "sample_sort_8", "replay_stencil": "stencil_16"}
FLOP_US = 0.008 # at the 125 Mflop/s of the scenarios


def work(name):
    """[us that each rank computes] of a replay."""
    folder = os.path.join(SOURCE, "traces", FOLDERS[name])
    with open(os.path.join(folder, "trace.txt"), encoding="ascii") as file:
        ranks = file.read().split()
    sums = []
    for rank in ranks:
        with open(os.path.join(folder, rank), encoding="ascii") as file:
            words = [line.split() for line in file]
        sums.append(sum(float(word[2]) for word in words if word[1] == "compute") * FLOP_US)
    return sums


class Replays(Case):
    def runs(self, name):
        """{stack: time of the slowest rank} of a replay; the rank that computes most sets the least."""
        run = self.completes(name, tag=name)
        times = {stack: slowest(run, stack) for stack in (TCP, VIA, GM)}
        self.assertLess(max(work(name)), min(times.values()))
        return times

    def test_all_are_here(self):
        self.assertEqual(set(FOLDERS), REPLAYS)

    def test_where_the_network_decides(self):
        """Small messages, one after the other: over GM all that is not work is less than half."""
        for name in ("replay_cg", "replay_nas_is", "replay_stencil"):
            times, least = self.runs(name), max(work(name))
            self.assertLess(2 * (times[GM] - least), times[TCP] - least, name)
            self.assertLess(2 * (times[GM] - least), times[VIA] - least, name)

    def test_where_it_does_not(self):
        """EP communicates at its end alone, so the stack does not matter."""
        times, least = self.runs("replay_nas_ep"), max(work("replay_nas_ep"))
        for stack, time in times.items():
            self.assertLess(time, 1.01 * least, stack)

    def test_sort(self):
        times = self.runs("replay_sample_sort")
        self.assertLess(times[GM], min(times[TCP], times[VIA]))


class Archive(Case):
    def test_as_other_replays(self):
        """The stencil on four ranks: GM is fastest, and no stack changes how much is sent."""
        run = self.completes("replay_otf2")
        time = {name: slowest(run, name) for name in (TCP, VIA, GM)}
        self.assertLess(time[GM], min(time[TCP], time[VIA]))
        self.assertEqual(run.json["ledger"]["messages"], run.json["ledger"]["delivered"])


class Stencil(Case):
    def test_same_messages_as_the_recording(self):
        """The program and the replay differ in the work alone, which has been spread evenly here."""
        program = self.completes("stencil", tag="program")
        replay = self.completes("replay_stencil", tag="replay")
        for key in ("messages", "delivered", "lost"):
            self.assertEqual(program.json["ledger"][key], replay.json["ledger"][key])
        for name in (TCP, VIA, GM):
            self.assertLess(slowest(program, name), slowest(replay, name))

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
