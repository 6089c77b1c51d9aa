#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`workload.steady`: repetitions that are alike are left out, the means stay, and draws do so by themselves."""

import json
import unittest

from harness import Case

# Scenario, series, size: the last repetition of each is like others before it, with one or several rotating roots.
EXACT = [("pingpong_cluster1", "VIA RPI", "1 B"), ("pingpong_cluster1", "MVICH", "16 KiB"), ("pingpong_cluster1", "native TCP", "1 KiB"),
         ("bcast_cluster1", "VIA RPI", "1 KiB"), ("bcast_cluster1", "MPICH", "2 B"), ("osu_latency_x306", "ch3:sctp", "64 B"),
         ("sctp_pingpong_x306", "CMT", "1 KiB"), ("copy_or_register", "copy", "4 KiB"), ("grim_latency", "LANai 9 with a polling thread", "64 B")]


class Steady(Case):
    def series(self, *arguments):
        return json.loads(self.netsim("run", *arguments, "--format", "json", "--quiet").stdout)["series"][0]

    def both(self, scenario, name, *settings):
        command = [scenario, "--series", name] + [word for setting in settings for word in ("--set", setting)]
        return self.series(*command), self.series(*command, "--set", "workload.steady=3")


class Means(Steady):
    def test_benchmarks(self):
        for scenario, name, size in EXACT:
            whole, steady = self.both(scenario, name, f"workload.sizes={size}")
            self.assertLess(steady["events"], 0.5 * whole["events"], (scenario, name))
            self.assertIn("(workload.steady)", steady["note"])
            for metric, value in whole["points"][0].items():
                self.assertAlmostEqual(steady["points"][0][metric] / value, 1, delta=0.005, msg=(scenario, name, metric))

    def test_iterations(self):
        """The iterations of a NAS code are such a loop, though its measurement is one repetition."""
        whole, steady = self.both("nas_cluster1", "LU, VIA")
        self.assertLess(steady["events"], 0.5 * whole["events"])
        for metric, value in whole["points"][0].items():
            self.assertAlmostEqual(steady["points"][0][metric] / (value or 1), value / (value or 1), places=6)

    def test_messages_are_accounted_for(self):
        """All ranks leave after the same repetition, also where the root rotates: no message is left over."""
        for name in ("VIA RPI", "MVICH", "LAM TCP", "MPICH"):
            steady = self.both("bcast_cluster1", name, "workload.sizes=[4 B, 8 KiB, 1 KiB]", "workload.repetitions=200")[1]
            self.assertEqual(steady["status"], "completed")
            self.assertTrue(steady["ledger"]["balanced"])


class Whole(Steady):
    def assert_whole(self, scenario, name, *settings):
        whole, steady = self.both(scenario, name, *settings)
        self.assertEqual((whole["fingerprint"], whole["points"]), (steady["fingerprint"], steady["points"]))
        self.assertNotIn("note", steady)

    def test_faults(self):
        """A loss may come in a repetition that would be left out."""
        self.assert_whole("pingpong_cluster1", "LAM TCP", "workload.sizes=1 KiB", "link.drop_nth=[150]")

    def test_noise(self):
        """Ticks are seldom, and chance may come in a repetition that would be left out."""
        for noise in ("tick_work=8us", "interrupt=2us"):
            self.assert_whole("pingpong_cluster1", "VIA RPI", "workload.sizes=1 KiB", f"host.noise.{noise}")

    def test_puts_run_ahead(self):
        self.assert_whole("armci_put_config1", "current", "workload.sizes=1 KiB", "workload.repetitions=100")

    def test_few(self):
        self.assert_whole("pingpong_cluster1", "VIA RPI", "workload.sizes=1 KiB", "workload.repetitions=4")


class Draws(Steady):
    CASE = ("pingpong_cluster1", "--series", "VIA RPI", "--set", "workload.sizes=1 KiB", "--set", "draw=3")

    def test_by_itself(self):
        draw = self.series(*self.CASE)
        self.assertIn("(workload.steady)", draw["note"])
        self.assertEqual(draw["points"], self.series(*self.CASE, "--set", "workload.steady=3")["points"])

    def test_file_decides(self):
        whole = self.series(*self.CASE, "--set", "workload.steady=false")
        self.assertNotIn("note", whole)
        self.assertGreater(whole["events"], 10 * self.series(*self.CASE)["events"])

    def test_samples(self):
        """Who keeps each repetition needs all of them."""
        self.assertNotIn("note", self.series(*self.CASE, "--set", "workload.samples=true"))


class Mistakes(Case):
    def test_refused(self):
        for settings, text in ((["workload.steady=1"], "2 .. 100"), (["workload.steady=true"], "a whole number"),
                               (["workload.steady=3", "workload.samples=true"], "leaves some out")):
            sets = [word for setting in settings for word in ("--set", setting)]
            self.assertIn(text, self.netsim("run", "pingpong_cluster1", *sets, code=1).stderr)
        self.assertIn("repeats nothing", self.netsim("run", "cmt_policies", "--set", "workload.steady=3", code=1).stderr)
        self.assertIn("belongs to a benchmark", self.netsim("run", "stencil", "--set", "workload.steady=3", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
