#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repetitions that are unlike the others of their size are named, with the timer that they waited for."""

import json
import pathlib
import re
import unittest

from harness import Case

STALL = """\
schema: 1
name: stall
hosts: [{name: node, count: 4}]
switches: [{name: leaf}]
links: [{from: node, to: leaf}]
link: {rate: 1 Gb/s}
nic: em82547gi
stack: ch3_sock
workload: {benchmark: pmb.allreduce, ranks: 4, sizes: [8 B, 16 B, 64 B], repetitions: 5}
"""


class Standouts(Case):
    def outcome(self, *arguments):
        return json.loads(self.netsim("run", *arguments, "--format", "json", "--quiet").stdout)[
            "series"][0]

    def test_a_delayed_acknowledgment(self):
        """The one repetition in which a one-way connection waits for the acknowledgment of three
        small segments is named, with its timer; its size's row is far above its neighbours."""
        self.write("stall.yaml", STALL)
        series = self.outcome("stall.yaml")
        long, = (one for one in series["standouts"] if one["kind"] == "longest")
        self.assertEqual((long["size_bytes"], long["repetition"], long["repetitions"]), (16, 1, 5))
        self.assertEqual(long["wait"], "delayed ACK")
        self.assertGreater(long["wait_us"], 0.9 * long["us"])
        self.assertGreater(long["us"], 10 * long["median_us"])
        # The table's latency is the mean of these repetitions.
        latency = series["points"][1]["latency_us"]
        self.assertLess(long["us"] / 5, latency)
        text = self.netsim("run", "stall.yaml", "--quiet").stdout
        self.assertRegex(text, r"(?m)^ch3_sock, 16 B: repetition 1 of 5 took 3\d\.\d+ ms, \d+ times the "
                         r"median: for 3\d\.\d+ ms it waited for a timer: delayed ACK$")
        manifest = json.loads(pathlib.Path(self.directory, "results/stall/manifest.json").read_text(
            encoding="utf-8"))
        self.assertIn("delayed ACK", json.dumps(manifest))

    def test_without_the_timer_nothing_stands_out(self):
        self.write("stall.yaml", STALL)
        series = self.outcome("stall.yaml", "--set", "tcp.initial_window=16")
        self.assertNotIn("longest", [one["kind"] for one in series["standouts"]])

    def test_the_first_repetition(self):
        """Its share of the mean is what the row would lose: of few repetitions, none of many."""
        self.write("stall.yaml", STALL)
        settings = ("--set", "tcp.initial_window=16", "--set", "workload.samples=true")
        series = self.outcome("stall.yaml", *settings)
        first = [one for one in series["standouts"] if one["kind"] == "first"]
        self.assertTrue(first)
        for one in first:
            self.assertGreater(abs(one["us"] - one["others_us"]), 0.1 * one["others_us"])
            point, = (at for at in series["points"] if at["size_bytes"] == one["size_bytes"])
            mean = (one["us"] + 4 * one["others_us"]) / 5
            self.assertAlmostEqual(mean, point["latency_us"], places=6)
        many = self.outcome("stall.yaml", *settings, "--set", "workload.repetitions=500")
        self.assertEqual([one for one in many["standouts"] if one["kind"] == "first"], [])

    def test_a_retransmission_timer(self):
        """A frame that is lost at the end of a message is sent again when the timer runs out."""
        series = self.outcome(
            "pingpong_cluster1", "--set", "series=[{name: x, stack: lam_tcp}]", "--set",
            "workload.sizes=[1 B]", "--set", "workload.repetitions=50",
            "--set", "links[0].drop_nth=[40]", "--set", "links[0].fault_direction=forward")
        long, = series["standouts"]
        self.assertEqual((long["kind"], long["wait"]), ("longest", "retransmission timer (data)"))
        self.assertGreater(long["wait_us"], 200e3 / 2)  # of half a round trip

    def test_the_same_whatever_runs_it(self):
        self.write("two.yaml", STALL.replace("stack: ch3_sock", "series: [{name: a, stack: ch3_sock}, "
                                             "{name: b, stack: ch3_sock}]"))
        one = self.netsim("run", "two.yaml", "--quiet", "-j", "1").stdout
        self.assertEqual(one, self.netsim("run", "two.yaml", "--quiet", "-j", "2").stdout)
        self.assertEqual(len(re.findall("16 B: repetition 1 of 5", one)), 2)

    def test_few_lines(self):
        names = ", ".join(f"{{name: s{i}, stack: ch3_sock}}" for i in range(5))
        self.write("five.yaml", STALL.replace("stack: ch3_sock", f"series: [{names}]"))
        text = self.netsim("run", "five.yaml", "--quiet").stdout
        self.assertEqual(len(re.findall("times the median", text)), 3)
        self.assertIn("and likewise in 2 more rows (--format json has them)\n", text)

    def test_nothing_stands_out(self):
        text = self.netsim("run", "pingpong_cluster1", "--quiet", "--set",
                           "workload.sizes=[1 B, 4 KiB]").stdout
        self.assertNotIn("repetition", text)


if __name__ == "__main__":
    unittest.main()
