#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives `netsim plot` over sweeps."""

import os
import unittest

from drawing import Drawing
import needs


@needs.matplotlib
class Sweeps(Drawing):
    def sweep(self, *axes, scenario="swept.yaml", sizes="1 KiB", more=""):
        self.write("swept.yaml", "schema: 1\nname: swept\ntestbed: testbeds/cluster1.yaml\n"
                   "stack: lam_via\n"
                   f"workload: {{benchmark: pmb.pingpong, sizes: [{sizes}], repetitions: 2}}\n" + more)
        arguments = [part for axis in axes for part in ("--set", axis)]
        self.netsim("sweep", scenario, *arguments, "--out", "out")
        return next(os.path.join("out", name) for name in os.listdir(self.path("out"))
                    if name.endswith((".sqlite", ".db")))

    def test_one_axis(self):
        database = self.sweep("link.rate=10 Mb/s,100 Mb/s")
        self.netsim("plot", database, "--out", "one.svg")
        ids, text = self.ids("one.svg"), self.texts("one.svg")
        self.assertTrue(any(one and one.startswith("p1-series-lam-via") for one in ids), ids)
        self.assertIn("link.rate (Mb/s)", text)
        self.assertIn(" swept ", text)
        # The directory of a sweep is as good as its database.
        self.netsim("plot", "out", "--out", "dir.svg")
        self.assertEqual(self.read("dir.svg"), self.read("one.svg"))
        # Unless a run has left its results there: then a note names the one that is drawn.
        self.netsim("run", "swept.yaml", "--out", "out")
        done = self.netsim("plot", "out", "--out", "run.svg")
        self.assertIn(f"note: drawn is the run in out; of the sweep there, draw {database}",
                      done.stderr)
        self.assertNotIn("link.rate (Mb/s)", self.texts("run.svg"))

    def test_title_is_the_description(self):
        """Of the scenario when it was swept, wherever its file is now."""
        database = self.sweep("link.rate=10 Mb/s,100 Mb/s", more="description: of two rates\n")
        os.remove(self.path("swept.yaml"))
        self.netsim("plot", database, "--out", "one.svg")
        self.assertIn("Of two rates", self.texts("one.svg"))

    def test_intervals_in_fields(self):
        database = self.sweep("link.drop_probability=0,0.02", "switch.queue=16,64", "seed=1,2,3",
                              scenario="swept.yaml", sizes="1 KiB")
        self.netsim("plot", database, "--x", "drop_probability", "--y", "queue", "--out", "f.svg")
        self.assertIn("\u00b1 0", self.texts("f.svg"))

    def test_points_that_failed_are_marked(self):
        """With few descriptors the flood breaks the connection, with many it does not."""
        database = self.sweep("lam_via.rdescs=8,16,64", scenario="flood_empty_rq")
        self.netsim("plot", database, "--out", "gap.svg")
        self.assertTrue(any(one and one.startswith("p1-failed-") for one in self.ids("gap.svg")))
        text = self.texts("gap.svg")
        # One note for one reason, and a sign at both.
        self.assertRegex(text, r"× lam_via, lam_via\.rdescs=8: failed: rank 1 fell behind")
        self.assertIn("(and 1 more for this reason)", text)
        self.assertNotIn("rdescs=64:", text)
        group = self.read("gap.svg").split('id="p1-failed-', 1)[1].split("</g>", 1)[0]
        self.assertEqual(group.count("<use "), 2)

    def test_one_axis_and_many_sizes(self):
        """Sizes are the axis then, and the values of what is swept are lines."""
        database = self.sweep("host.processor.clock=500 MHz,1 GHz", sizes="1 B .. 1 KiB")
        self.netsim("plot", database, "--out", "sizes.svg")
        text = self.texts("sizes.svg")
        for part in ("message size", "host.processor.clock=500 MHz", "host.processor.clock=1 GHz",
                     "latency (µs)",
                     "bandwidth (MB/s)"):
            self.assertIn(part, text)
        self.assertIn("p2-series-host-processor-clock-1-ghz", self.ids("sizes.svg"))

    def test_what_cannot_be_is_no_failure(self):
        database = self.sweep("lam_via.tiny=1 KiB,16 KiB", "lam_via.short=4 KiB,32 KiB")
        self.netsim("plot", database, "--out", "thresholds.svg")
        text = self.texts("thresholds.svg")
        self.assertRegex(text, r"– lam_via, lam_via\.tiny=16 KiB, lam_via\.short=4 KiB: not possible")
        self.assertNotIn(" failed", text)

    def test_the_sweeps_that_are_shipped(self):
        for name in ("tiny_short_thresholds", "descriptor_counts"):
            self.netsim("sweep", f"sweeps/{name}", "--out", name)
            self.netsim("plot", f"{name}/sweep.sqlite", "--out", f"{name}.svg")
            self.assertIn("p1-heat", self.read(f"{name}.svg"))
        text = self.texts("tiny_short_thresholds.svg")
        self.assertIn("lam_via, 8 KiB", text)
        # Curves that the axes do not change are not drawn.
        self.assertRegex(text, "not drawn, as the axes change nothing there: lam_via, 512 B;")
        self.assertRegex(self.read("descriptor_counts.svg"), 'id="p1-failed-0-[0-9]')

    def test_three_axes(self):
        """The fields are of the axes that do something, however many values the other one has; the
        time is that of the slowest rank, and each point that failed has its sign."""
        database = self.sweep("lam_via.sdescs=2,4,8,16,32", "lam_via.rdescs=8,16,64,72",
                              "workload.program[1].do[0].compute=100 us,1 ms,50 ms",
                              scenario="flood_empty_rq")
        self.netsim("plot", database, "--out", "three.svg")
        text = self.texts("three.svg")
        for part in ("lam_via.sdescs changes nothing", "lam_via.rdescs", "slowest rank",
                     "compute", "50 ms", "compute is workload.program[1].do[0].compute"):
            self.assertIn(part, text)
        picture = self.read("three.svg")
        self.assertIn('id="p1-heat"', picture)
        self.assertIn('id="p1-failed-0-2"', picture)
        self.assertNotIn('id="p1-failed-2-2"', picture)
        self.assertNotIn('id="p2-heat"', picture)

    def test_many_ranks_are_a_line(self):
        """Of few ranks each has one. Numbers that vary together are one axis of numbers."""
        self.write("many.yaml", """\
schema: 1
name: many
testbed: testbeds/cluster1.yaml
stack: lam_via
switches: [{name: switch, ports: 0}]
workload: {ranks: 2, program: [{ranks: all, do: [{compute: 1 us}, {barrier: {}}]}]}
""")
        for name, counts in (("few", "2,4,8"), ("many", "2,4,16")):
            self.netsim("sweep", "many.yaml", "--zip", "--set", f"workload.ranks={counts}",
                        "--set", f"hosts[0].count={counts}", "--out", name)
            self.netsim("plot", name, "--out", f"{name}.svg")
        few, many = self.texts("few.svg"), self.texts("many.svg")
        self.assertIn("lam_via, rank 7", few)
        self.assertNotIn("slowest", few)
        self.assertIn("the time is that of the slowest rank", many)
        self.assertNotIn("rank 7", many)
        self.assertIn("2 4 16 workload.ranks, hosts[0].count", many)
        self.assertEqual(len([one for one in self.ids("many.svg") if one and "p1-series-" in one]), 1)

    def test_axes_that_are_named(self):
        """--x alone draws lines, --x and --y a field of these two; of metrics and sizes, those that
        are named."""
        database = self.sweep("link.rate=10 Mb/s,100 Mb/s", "lam_via.tiny=512 B,1 KiB",
                              sizes="1 KiB, 2 KiB")
        self.netsim("plot", database, "--x", "link.rate", "--metric", "bandwidth", "--size", "1KiB",
                    "--title", "A $title$", "--out", "lines.svg")
        ids, text = self.ids("lines.svg"), self.texts("lines.svg")
        self.assertIn("p1-series-lam-via-lam-via-tiny-512-b", ids)
        self.assertIn("A $title$", text)
        self.assertIn("bandwidth (MB/s)", text)
        self.assertNotIn("latency", text)
        self.assertNotIn("2 KiB", text)
        self.netsim("plot", database, "--x", "tiny", "--y", "rate", "--out", "field.svg")
        self.assertIn("p1-heat", self.read("field.svg"))
        self.netsim("plot", database, "--x", "size", "--linear", "xy", "--out", "sizes.svg")
        self.assertIn("message size", self.texts("sizes.svg"))

    def test_names_that_are_not_there(self):
        database = self.sweep("link.rate=10 Mb/s,100 Mb/s", "lam_via.tiny=512 B,1 KiB")
        for options, part in (
                (["--x", "tin"], "--x tin: the sweep has no such axis "
                                 "(link.rate, lam_via.tiny, size)"),
                (["--y", "size"], "as --x"),
                (["--x", "size", "--y", "tiny"], "without --y"),
                (["--x", "tiny", "--y", "tiny"], "two different axes"),
                (["--metric", "p99"], "no such metric here (latency_us, bandwidth_MB_per_s)"),
                (["--series", "MVICH"], "no such series here (lam_via)"),
                (["--log", "x"], "--log x: along x there are places side by side"),
                (["--log", "z"], "it must be x, y or xy"),
                (["--log", "x", "--linear", "xy"], "both --log and --linear"),
                (["--size", "1 k"], "unknown unit"),
                (["--size", "2 KiB..1 KiB"], "from the larger to the smaller")):
            with self.subTest(options):
                done = self.netsim("plot", database, *options, "--out", "no.svg", code=1)
                self.assertIn(part, done.stderr)
        self.assertFalse(os.path.exists(self.path("no.svg")))

    def test_two_axes_are_a_field(self):
        database = self.sweep("link.rate=10 Mb/s,100 Mb/s", "lam_via.tiny=512 B,1 KiB,2 KiB")
        self.netsim("plot", database, "--out", "two.svg")
        self.assertIn("p1-heat", self.read("two.svg"))
        text = self.texts("two.svg")
        for part in ("link.rate (Mb/s)", "lam_via.tiny", "512 B", "2 KiB",
                     "in the fields: latency (µs)"):
            self.assertIn(part, text)

    def test_no_sweep_in_it(self):
        self.netsim("figures", "4.2", "--quiet")
        done = self.netsim("plot", "figures/cache.sqlite", code=1)
        self.assertIn("cache.sqlite", done.stderr)
        database = self.sweep("link.rate=10 Mb/s,100 Mb/s")
        for option in (["--figure", "6.1"], ["--set", "a=1"]):
            self.assertIn("sweep", self.netsim("plot", database, *option, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
