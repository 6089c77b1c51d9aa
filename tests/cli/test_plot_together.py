#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives `netsim plot` with several results in one picture: runs, sweeps, and points that a user has measured."""

import os
import unittest

from drawing import Drawing
import needs

MEASURED = """\
# our cluster
size,latency (ms),error,series
1,0.11,0.006,second
4 KiB,0.6,0.05,second
4 KiB,0.7,,our $cluster_1
"""


@needs.matplotlib
class Together(Drawing):
    def setUp(self):
        super().setUp()
        self.netsim("run", self.small(), "--quiet", "--out", "base")
        self.write("measured.csv", MEASURED)

    def test_two_runs(self):
        """A series that both have is told apart; the same metric is one panel."""
        self.netsim("run", "small.yaml", "--quiet", "--set", "host.processor.clock=300 MHz",
                    "--out", "slow")
        done = self.netsim("plot", "base", "slow")
        self.assertEqual(done.stdout, "figures/base+slow.svg\n")
        ids = self.ids("figures/base+slow.svg")
        for series in ("second-base", "second-slow", "first-quoted-base", "first-quoted-slow"):
            self.assertIn(f"p1-series-{series}", ids)
            self.assertIn(f"p2-series-{series}", ids)
        self.assertFalse(any(one and one.startswith("p3-") for one in ids))
        # A table of results is as good as its directory.
        self.netsim("plot", "base/results.csv", "slow/results.csv", "--out", "csv.svg")
        self.assertIn("p1-series-second-slow", self.ids("csv.svg"))

    def test_a_scenario_beside_what_was_run(self):
        """--set is of the scenario alone."""
        self.netsim("plot", "base", "small.yaml", "--set", "workload.sizes=[1 B, 8 B]", "--out",
                    "set.svg")
        text = self.read("set.svg")
        counts = [text.split(f'id="p1-series-second-{name}"', 1)[1].split("</g>", 1)[0]
                  .count("<use ") for name in ("base", "small")]
        self.assertEqual(counts, [3, 2])

    def test_measured_points(self):
        self.netsim("plot", "base", "measured.csv", "--metric", "latency", "--out", "m.svg")
        ids, text = self.ids("m.svg"), self.texts("m.svg")
        for name in ("series-second-base", "measured-second-measured", "measured-our-cluster-1",
                     "interval-second-measured"):
            self.assertIn(f"p1-{name}", ids)
        self.assertIn("our $cluster_1", text)
        self.assertNotIn("bandwidth", text)
        self.netsim("plot", "measured.csv", "--out", "alone.svg")
        self.assertIn("p1-measured-second", self.ids("alone.svg"))

    def test_a_sweep_beside_a_run(self):
        """Over message sizes there is a line for each value; a field is of one sweep alone."""
        self.netsim("sweep", "small.yaml", "--set", "host.processor.clock=500 MHz,1 GHz", "--out",
                    "swept")
        self.netsim("plot", "swept", "base", "measured.csv", "--series", "second", "--out", "s.svg")
        ids = self.ids("s.svg")
        for name in ("series-second-host-processor-clock-1-ghz", "series-second-base",
                     "measured-second-measured"):
            self.assertIn(f"p1-{name}", ids)
        self.write("clock.csv", "clock (GHz),latency (us)\n0.8,600\n")
        self.netsim("plot", "swept", "clock.csv", "--x", "clock", "--size", "4 KiB", "--out", "c.svg")
        self.assertIn("p1-measured-clock", self.ids("c.svg"))
        done = self.netsim("plot", "swept", "base", "--y", "clock", code=1)
        self.assertIn("a field is of one sweep alone", done.stderr)

    def test_bad_input(self):
        self.write("bad.csv", "size,latency_us\n1,2\n1 parsec,3\n")
        self.write("other.csv", "size,jitter_us\n1,2\n")
        for arguments, part in (
                (["base", "bad.csv"], "bad.csv:3:1: 1 parsec is no number"),
                (["base", "other.csv"], "other.csv:1:6: nothing is drawn as jitter (us)"),
                (["base", "none.csv"], "none.csv"),
                (["base", "measured.csv", "--figure", "6.1"], "one run alone"),
                (["base", "measured.csv", "--set", "a=1"], "can't be --set"),
                (["base", "measured.csv", "--y", "size"], "no axis but size"),
                (["base", "measured.csv", "--series", "third"],
                 "there is no such series here (first, quoted, second, our $cluster_1)"),
                (["base", "nothing"], "nothing"),
                (["small.yaml", "measured.csv", "--out", "p.jpg"], "ends in .svg, .png or .pdf"),
                (["base", "measured.csv", "--format", "svg", "--out", "measured.csv"], "--out")):
            with self.subTest(arguments):
                done = self.netsim("plot", *arguments, code=1)
                self.assertIn(part, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(self.read("measured.csv"), MEASURED)
        self.assertFalse(os.path.exists(self.path("figures")))
        self.assertFalse(os.path.exists(self.path("p.jpg")))


if __name__ == "__main__":
    unittest.main()
