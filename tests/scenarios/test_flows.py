#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenarios that run on packets and on flows. How far the two are apart is a matter of `netsim
validate flow`; here is what packets show and flows do not, and that flows are the same twice.
"""

import glob
import os
import subprocess
import unittest

from running import Case, DONE, FAILED, NETSIM, SCENARIOS

FLOWS = " on flows"


def statuses(run):
    return {series["name"]: series["status"] for series in run.json["series"]}


def round_us(run, name):
    """Mean time of a round at the receiver, in us."""
    series = next(series for series in run.json["series"] if series["name"] == name)
    return next(value["value"] for value in series["values"]
                if value["rank"] == 0 and value["metric"] == "round_mean_us")


class Flows(Case):
    def test_overrun(self):
        """Without flow control the receiver is overrun on packets; flows end in any case."""
        run = self.run_scenario("flow_overrun", code=FAILED)
        ended = statuses(run)
        for name, status in ended.items():
            fails = name.startswith("VIA RPI") and not name.endswith(FLOWS)
            self.assertEqual(status, "failed" if fails else "completed", name)
        for senders in ("3 x 16 KiB", "5 x 16 KiB", "3 x 64 KiB", "5 x 64 KiB"):
            flow = round_us(run, senders + FLOWS)
            self.assertAlmostEqual(round_us(run, senders + ", 128 places") / flow, 1, delta=0.03)
            self.assertGreater(round_us(run, senders + ", 8 places") / flow, 3)

    def test_pieces(self):
        """The shorter the transfers, the shorter an ACK waits, on packets as on flows."""
        run = self.run_scenario("flow_exchange", "--set", "workload.repetitions=5", code=DONE)
        size = 64 << 10
        packets = [run.points(name)[size]["latency_us"] for name in ("32 KiB", "16 KiB", "8 KiB", "4 KiB")]
        flows = [run.points(name + FLOWS)[size]["latency_us"] for name in ("32 KiB", "16 KiB", "8 KiB", "4 KiB")]
        for times in (packets, flows):
            self.assertEqual(times, sorted(times, reverse=True))
            self.assertGreater(times[0] - times[-1], 2000)

    def test_stall(self):
        """A delayed acknowledgment stalls the first broadcasts, on packets and on flows; windows of bytes, or none
        delayed, do not."""
        run = self.run_scenario("flow_bcast_tcp", code=DONE)
        times = {name: run.points(name)[4]["latency_us"] for name in statuses(run)}
        for name in ("window of bytes", "acknowledged at once"):
            self.assertGreater(times["LAM TCP"], 10 * times[name])
            self.assertGreater(times["on flows"], 10 * times[name + FLOWS])

    def test_the_same_twice(self):
        first, second = (self.run_scenario("flow_cg", code=DONE, tag=tag) for tag in ("first", "second"))
        self.assertEqual(first.json["series"], second.json["series"])
        self.assertEqual(first.read("results.csv"), second.read("results.csv"))

    def test_large(self):
        """10,000 ranks need little memory on flows; fewer can be had."""
        for path in sorted(glob.glob(os.path.join(SCENARIOS, "large", "allreduce_*.yaml"))):
            with self.subTest(path):
                said = subprocess.run([NETSIM, "check", path], check=True, stdout=subprocess.PIPE, encoding="utf-8", timeout=120).stdout
                self.assertRegex(" ".join(said.split()), "10,000 ranks: 10000 ranks on 10000 hosts, .* about [0-9.]+ MB of memory")


if __name__ == "__main__":
    unittest.main()
