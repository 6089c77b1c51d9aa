#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives `netsim plot` over scenarios and results, and `explain --plot`."""

import json
import os
import re
import sqlite3
import unittest
import xml.etree.ElementTree as ElementTree

from drawing import Drawing, SVG
import needs

# Two series of which the second comes to a deadlock after its first sizes would need a fault; a program in which both
# ranks receive is a shorter one that fails.
STUCK = """\
schema: 1
name: stuck
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  ranks: 2
  program:
    - {ranks: all, do: [{recv: {from: (rank + 1) % 2, size: 1 KiB}}]}
"""


@needs.matplotlib
class Plot(Drawing):
    def test_a_scenario(self):
        done = self.netsim("plot", self.small())
        self.assertEqual(done.stdout, "figures/small.svg\n")
        ids = self.ids("figures/small.svg")
        # A panel for latency and one for bandwidth, each with both series.
        for panel in ("p1", "p2"):
            for series in ("first-quoted", "second"):
                self.assertIn(f"{panel}-series-{series}", ids)
        text = self.texts("figures/small.svg")
        for part in ("Three sizes, two series", "latency (µs)", "bandwidth (MB/s)", "message size",
                     "first, quoted"):
            self.assertIn(part, text)

    def test_points_stand_where_the_results_say(self):
        """The curve of a picture, read back, has the values of the run: same order, same shape."""
        self.netsim("plot", self.small())
        found = self.netsim("run", "small.yaml", "--format", "json", "--quiet").stdout
        values = [point["bandwidth_MB_per_s"]
                  for point in json.loads(found)["series"][0]["points"]]
        root = ElementTree.fromstring(self.read("figures/small.svg"))
        group = next(one for one in root.iter(SVG + "g")
                     if one.get("id") == "p2-series-first-quoted")
        path = next(group.iter(SVG + "path")).get("d")
        heights = [float(y) for _, y in re.findall(r"[ML] (\S+) (\S+)", path)]
        self.assertEqual(len(heights), len(values))
        # The axis is linear, so heights and values lie on one line.
        slope = (heights[-1] - heights[0]) / (values[-1] - values[0])
        for height, value in zip(heights, values):
            self.assertAlmostEqual(height, heights[0] + slope * (value - values[0]), places=3)

    def test_the_directory_of_a_run_gives_the_same_picture(self):
        self.netsim("run", self.small(), "--quiet")
        self.netsim("plot", "small.yaml", "--out", "a.svg")
        self.netsim("plot", "results/small", "--out", "b.svg")
        self.assertEqual(self.read("a.svg"), self.read("b.svg"))

    def test_the_same_data_give_the_same_bytes(self):
        self.small()
        for form in ("svg", "png", "pdf"):
            for name in ("a", "b"):
                self.netsim("plot", "small.yaml", "--out", f"{name}.{form}")
            with open(self.path(f"a.{form}"), "rb") as one, \
                    open(self.path(f"b.{form}"), "rb") as two:
                first = one.read()
                self.assertEqual(first, two.read())
            self.assertNotRegex(first, rb"20\d\d-\d\d-\d\d")

    def test_format(self):
        self.small()
        for arguments, start in ((["--format", "png"], b"\x89PNG"), (["--format", "pdf"], b"%PDF"),
                                 (["--out", "x.png"], b"\x89PNG"),
                                 (["--out", "y.pdf", "--format", "svg"], b"<?xml")):
            name = self.netsim("plot", "small.yaml", *arguments).stdout.strip()
            with open(self.path(name), "rb") as file:
                self.assertTrue(file.read(8).startswith(start), name)

    def test_settings(self):
        self.netsim("plot", self.small(), "--set", "workload.sizes=64 KiB", "--out", "one.svg")
        self.assertIn("64 KiB", self.texts("one.svg"))

    def test_values_without_a_size_are_bars(self):
        """A free program yields the time of each rank."""
        self.netsim("plot", "tiny", "--out", "tiny.svg")
        ids = self.ids("tiny.svg")
        self.assertTrue(any(one and "bar-lam-via" in one for one in ids) or
                        "p1-bar-lam-via-0" in self.read("tiny.svg"))
        self.assertIn("rank 1", self.texts("tiny.svg"))

    def test_a_failure_is_marked_and_said(self):
        done = self.netsim("plot", self.write("stuck.yaml", STUCK), "--out", "stuck.svg")
        self.assertIn("lam_via: deadlock: 2 of 2 ranks wait", done.stderr)
        self.assertIn("× lam_via: deadlock", self.texts("stuck.svg"))

    def test_as_a_figure(self):
        """--figure: the axes and marks of a figure over one's own results."""
        scenario = self.write("mine.yaml", self.read(self.small()).replace(
            '"first, quoted"', "VIA RPI").replace("name: second", "name: native"))
        done = self.netsim("plot", scenario, "--figure", "via.fig.6_3", "--out", "mine.svg")
        self.assertNotIn("not drawn", done.stderr)
        self.assertIn("p1-series-native-m-via", self.ids("mine.svg"))
        done = self.netsim("plot", scenario, "--figure", "6.1", "--out", "mine.svg")
        self.assertIn("not drawn: MVICH", done.stderr)
        self.assertIn("not drawn: MVICH", self.texts("mine.svg"))
        self.assertIn("p1-mark-via-pingpong-c1-window-mvich-faster", self.ids("mine.svg"))

    def test_as_a_figure_of_several_scenarios(self):
        """Results stand for their own scenario alone: no curve is held against itself."""
        done = self.netsim("plot", "bcast_cluster2", "--figure", "fig.6_9", "--set",
                           "workload.sizes=[1 KiB, 64 KiB]", "--out", "b.svg")
        self.assertIn("not drawn: VIA RPI (bcast_cluster1 was not run)", done.stderr)
        ids = self.ids("b.svg")
        self.assertIn("p2-series-via-rpi", ids)
        self.assertNotIn("p3-series-via-rpi", ids)

    def test_what_is_chosen(self):
        self.netsim("run", self.small(), "--quiet")
        for what in ("small.yaml", "results/small"):
            self.netsim("plot", what, "--series", "second", "--metric", "latency_us", "--size",
                        "1 B..4 KiB", "--linear", "y", "--title", "Mine", "--out", "c.svg")
            ids, text = self.ids("c.svg"), self.texts("c.svg")
            self.assertIn("p1-series-second", ids)
            self.assertNotIn("p1-series-first-quoted", ids)
            self.assertNotIn("bandwidth", text)
            self.assertIn("Mine", text)
            group = self.read("c.svg").split('id="p1-series-second"', 1)[1].split("</g>", 1)[0]
            self.assertEqual(group.count("<use "), 2)
        for options, part in ((["--metric", "p99"], "(latency_us, bandwidth_MB_per_s)"),
                              (["--series", "third"], "(first, quoted, second)"),
                              (["--x", "link.rate"], "a run has no axis but size"),
                              (["--y", "size"], "a run has no axis but size"),
                              (["--figure", "6.1", "--metric", "latency"], "its own axes")):
            with self.subTest(options):
                self.assertIn(part, self.netsim("plot", "results/small", *options, code=1).stderr)

    def test_metrics_in_one_unit(self):
        """One of several times is drawn, and a note lists the others."""
        self.write("all.yaml", "schema: 1\nname: all\ntestbed: testbeds/cluster1.yaml\n"
                   "stack: lam_via\nworkload: {benchmark: pmb.allreduce, sizes: [1 KiB, 2 KiB], "
                   "repetitions: 2}\n")
        self.assertIn("not drawn: latency_min_us, latency_avg_us (--metric draws",
                      self.netsim("plot", "all.yaml", "--out", "a.svg").stderr)
        self.assertNotIn("p2-series-lam-via", self.ids("a.svg"))
        self.netsim("plot", "all.yaml", "--metric", "latency", "--metric", "latency_avg_us",
                    "--out", "b.svg")
        self.assertIn("p2-series-lam-via", self.ids("b.svg"))

    def test_percentiles(self):
        """Kept repetitions give metrics of their own, which are drawn when they are named."""
        self.netsim("run", self.small(), "--set", "workload.samples=true", "--quiet")
        self.assertIn("repetition_p50_us", self.netsim("plot", "results/small", "--out", "a.svg").stderr)
        self.assertNotIn("repetition", self.texts("a.svg").split("not drawn")[0])
        self.netsim("plot", "results/small", "--metric", "p50", "--metric", "p99", "--out", "b.svg")
        self.assertIn("repetition p50 (µs)", self.texts("b.svg"))
        self.assertIn("p2-series-second", self.ids("b.svg"))

    def test_bad_input(self):
        self.small()
        os.mkdir(self.path("empty"))
        os.mkdir(self.path("half"))
        self.write("half/manifest.json", "{}")
        os.mkdir(self.path("strange"))
        self.write("strange/manifest.json", '{"scenario": "a", "series": []}')
        self.write("strange/results.csv", "scenario,series,rank,size,metric,unit,value\n"
                                          "a,VIA RPI,all,1,latency_us,us,2\n")
        self.write("wrong.yaml", "schema: 1\nname: wrong\n")
        connection = sqlite3.connect(self.path("other.sqlite"))
        connection.execute("CREATE TABLE t (a)")
        connection.commit()
        connection.close()
        for arguments, part in ((["nothing"], "no scenario `nothing'"),
                                (["empty"], "manifest.json"),
                                (["half"], "no manifest"),
                                (["strange"], "no series"),
                                (["other.sqlite"], "other.sqlite"),
                                (["wrong.yaml"], "wrong.yaml:"),
                                (["small.yaml", "--set", "lam_via.tniy=1 KiB"], "tniy"),
                                (["small.yaml", "--format", "gif"], "svg, png, pdf"),
                                (["small.yaml", "--figure", "via." + "fig.6_11"], "did you mean"),
                                (["small.yaml", "--figure", "via.*"], "one is drawn"),
                                (["empty", "--set", "a=1"], "can't be --set"),
                                (["small.yaml", "-j", "-1"], "from 0 to 1024"),
                                (["small.yaml", "--out", "small.yaml/x.svg"], "draw.py"),
                                ([], "too few")):
            with self.subTest(arguments):
                done = self.netsim("plot", *arguments, code=1)
                self.assertIn(part, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertFalse(os.path.exists(self.path("figures")))


@needs.matplotlib
class Explain(Drawing):
    def test_stages_are_stacked(self):
        self.netsim("explain", self.small(), "--plot", "stages.svg")
        ids, text = self.ids("stages.svg"), self.texts("stages.svg")
        for panel in ("p1", "p2"):
            self.assertIn(f"{panel}-stage-wire", ids)
        self.assertIn("share of the time (%)", text)
        self.assertIn("second:", text)

    def test_one_size_is_a_bar(self):
        self.netsim("explain", self.small(), "--size", "1 B", "--plot", "bar.svg")
        self.assertIn("p1-stage-wire", self.read("bar.svg"))


if __name__ == "__main__":
    unittest.main()
