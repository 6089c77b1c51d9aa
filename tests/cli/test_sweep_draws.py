#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim sweep --draws: points in draws, their database, resuming, shards, reports, bad input. The algebra of bands is in
tests/campaign/test_drawn.c."""

import json
import os
import signal
import sqlite3
import unittest

from sweeping import content, count, QUICK, SLOW, SweepCase

# A transfer that takes as long as the draw has it, and computing that no draw changes.
LINEAR = """\
schema: 1
name: linear
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  ranks: 2
  program:
    - ranks: 0
      do: [{compute: 1 ms}, {send: {to: 1, size: 1 KiB}}, {recv: {from: 1, size: 1 KiB}}, {lap: both}]
    - ranks: 1
      do: [{recv: {from: 0, size: 1 KiB}}, {send: {to: 0, size: 1 KiB}}]
"""
COMPUTE = "workload.program[0].do[0].compute"


def quantile(values, p):
    """Type 7 of Hyndman and Fan."""
    values = sorted(values)
    place = p * (len(values) - 1)
    below = min(int(place), len(values) - 2)
    return values[below] + (place - below) * (values[below + 1] - values[below])


class DrawsCase(SweepCase):
    def setUp(self):
        super().setUp()
        self.write("linear.yaml", LINEAR)

    def laps(self, where):
        """The time of rank 0 by (value of the axis, draw)."""
        return {(row.get(COMPUTE), int(row["draw"])): float(row["value"]) for row in self.rows(where)
                if row["metric"] == "both_mean_us" and row["rank"] in ("all", "0")}


# A cable of which some draws are longer than the slack buffer of the switch allows.
REFUSED = LINEAR.replace("name: linear", "name: refused").replace("stack: lam_via\n", """\
stack: lam_via
switch: {discipline: cut_through, header: 14 B, slack: 80 B, stop: 56 B, go: 40 B}
link: {propagation: {value: 800 ns, within: 1.5, source: a long cable}}
""")


class Impossible(DrawsCase):
    """Draws whose machine a rule does not allow."""
    def setUp(self):
        super().setUp()
        self.write("refused.yaml", REFUSED)
        self.options = ("--set", f"{COMPUTE}=1 ms,2 ms", "--draws", "8")

    def test_some(self):
        """The others are run, and the report has how many there are and why."""
        report = self.sweep("refused.yaml", *self.options, code=None).stdout
        said = " ".join(report.split())
        self.assertRegex(said, r"[1-7] of 8 draws \([\d, ]*6[\d, ]*\) are of no possible machine at a point or more, because "
                               r"switches\[0\]: \d+ B come in at switch over link node0-switch")
        self.assertIn("8 draws", said)
        self.assertEqual({draw for _, draw in self.laps("results/refused")} & {1, 2, 6}, {1, 2})

    def test_all(self):
        """A machine that no draw makes possible is a mistake, and nothing is run."""
        told = self.sweep("refused.yaml", "--set", "link.propagation=2 us", *self.options, code=1)
        self.assertIn("while STOP or GO goes back", told.stderr)
        self.assertEqual(told.stdout, "")


class Points(DrawsCase):
    def test_order(self):
        """Draws vary faster than axes, seeds faster than draws; also where axes are zipped."""
        lines = self.sweep("quick.yaml", "--set", "lam_via.tiny=1 KiB,2 KiB", "--set", "lam_via.short=4 KiB,8 KiB", "--zip",
                           "--draws", "2", "--seeds", "2", "--dry-run").stdout.splitlines()
        self.assertEqual(len(lines), 8)
        self.assertEqual(lines[1], "1  lam_via.tiny=1 KiB, lam_via.short=4 KiB, draw=1, seed=2")
        self.assertEqual(lines[2], "2  lam_via.tiny=1 KiB, lam_via.short=4 KiB, draw=2, seed=1")
        self.assertEqual(lines[4], "4  lam_via.tiny=2 KiB, lam_via.short=8 KiB, draw=1, seed=1")

    def test_key(self):
        self.write("own.yaml", QUICK + "sweep: {axes: {lam_via.tiny: [1 KiB, 2 KiB]}, draws: 3}\n")
        self.assertEqual(len(self.sweep("own.yaml", "--dry-run").stdout.splitlines()), 6)
        self.assertEqual(len(self.sweep("own.yaml", "--dry-run", "--draws", "5").stdout.splitlines()), 10)
        self.write("alone.yaml", QUICK + "sweep: {draws: 4}\n")
        self.assertEqual(len(self.sweep("alone.yaml", "--dry-run").stdout.splitlines()), 4)
        self.assertIn("draws", self.netsim("describe", "file", "sweep").stdout)


class Results(DrawsCase):
    def test_a_draw_is_what_run_gives(self):
        self.sweep("quick.yaml", "--set", "lam_via.tiny=1 KiB,4 KiB", "--draws", "3", "-q")
        rows = self.rows("results/quick")
        for draw in ("1", "3"):
            run = json.loads(self.netsim("run", "quick.yaml", "--set", f"draw={draw}", "--set", "lam_via.tiny=4 KiB",
                                         "--format", "json").stdout)
            self.assertEqual({int(row["size"]): float(row["value"]) for row in rows if row["draw"] == draw
                              and row["lam_via.tiny"] == "4 KiB" and row["metric"] == "latency_us"},
                             {point["size_bytes"]: point["latency_us"] for point in run["series"][0]["points"]})

    def test_bands_of_a_linear_scenario(self):
        """Computing longer adds just that in each draw: bands move by it, and the change of a draw is 2 ms over its time."""
        self.sweep("linear.yaml", "--set", COMPUTE + "=1 ms,3 ms", "--draws", "20", "-q")
        laps = self.laps("results/linear")
        short, long = ([laps[value, draw] for draw in range(1, 21)] for value in ("1 ms", "3 ms"))
        for one, other in zip(short, long):
            self.assertAlmostEqual(other - one, 2000.0, places=5)
        report = self.report("results/linear")
        metric = next(one for one in report["metrics"] if one["metric"] == "both_mean_us")
        bands = [band for band in metric["bands"] if band["rank"] in (None, 0)]
        for band, values in zip(bands, (short, long)):
            self.assertEqual(band["n"], 20)
            for key, p in (("low", 0.05), ("median", 0.5), ("high", 0.95)):
                self.assertAlmostEqual(band[key], quantile(values, p), places=6)
        changes = [2000.0 / value for value in short]
        effect = next(one for one in metric["effects"] if one["value"] == "3 ms")
        for key, p in (("change_low", 0.05), ("change", 0.5), ("change_high", 0.95)):
            self.assertAlmostEqual(effect[key], quantile(changes, p), places=9)
        self.assertEqual((effect["sign_share"], effect["told_apart"], effect["n"]), (1.0, True, 20))

    def test_view(self):
        """The view `bands` of the database has the numbers of the report."""
        self.sweep("quick.yaml", "--set", "lam_via.tiny=1 KiB,4 KiB", "--draws", "7", "--seeds", "2", "-q")
        expected = {(band["at"]["values"]["lam_via.tiny"], metric["metric"], band["size_bytes"]): band
                    for metric in self.report("results/quick")["metrics"] for band in metric["bands"]}
        database = sqlite3.connect(self.path("results/quick/sweep.sqlite"))
        rows = database.execute("SELECT axes, metric, size, n, median, low, high FROM bands").fetchall()
        database.close()
        self.assertEqual(len(rows), len(expected))
        for axes, metric, size, n, median, low, high in rows:
            band = expected[json.loads(axes)["lam_via.tiny"], metric, size]
            self.assertEqual(n, band["n"])
            for value, key in ((median, "median"), (low, "low"), (high, "high")):
                self.assertAlmostEqual(value, band[key], delta=1e-9 * abs(band[key]))

    def test_one_draw(self):
        """Of one draw the band is that value, and it is marked as a draw."""
        self.sweep("quick.yaml", "--draws", "1", "-q")
        band = self.report("results/quick")["metrics"][0]["bands"][0]
        self.assertEqual({band["low"], band["high"]}, {band["median"]})
        self.assertIn("Each point in the draws 1:", self.sweep("--report", "results/quick").stdout)


class Work(DrawsCase):
    ARGUMENTS = ("quick.yaml", "--set", "lam_via.tiny=1 KiB,4 KiB", "--draws", "6")

    def test_jobs(self):
        outputs = [self.sweep(*self.ARGUMENTS, "--csv", "--out", f"o{jobs}", "-j", jobs).stdout for jobs in ("1", "2")]
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(content(self.path("o1/sweep.sqlite")), content(self.path("o2/sweep.sqlite")))
        for form in ("table", "json", "csv"):
            reports = [self.sweep("--report", f"o{jobs}", "--format", form).stdout for jobs in ("1", "2")]
            self.assertEqual(reports[0], reports[1])

    def test_shards(self):
        self.sweep(*self.ARGUMENTS, "-q", "--out", "whole")
        for shard in (1, 2):
            self.sweep(*self.ARGUMENTS, "-q", "--out", f"s{shard}", "--shard", f"{shard}/2")
        self.sweep("merge", "merged.sqlite", "s2", "s1")
        self.assertEqual(content(self.path("merged.sqlite")), content(self.path("whole/sweep.sqlite")))
        self.assertEqual(self.sweep("--report", "merged.sqlite").stdout, self.sweep("--report", "whole").stdout)

    def test_a_killed_sweep_goes_on(self):
        arguments = ("slow.yaml", "--draws", "12")
        self.write("slow.yaml", SLOW)
        child = self.start(*arguments, "--out", "cut", "-j1", "-q")
        self.wait_for(lambda: count(self.path("cut/sweep.sqlite")) > 1, child)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        done = count(self.path("cut/sweep.sqlite"))
        self.assertLess(done, 12)
        self.assertIn(f"12 runs, {12 - done} of them new", self.sweep(*arguments, "--out", "cut").stdout)
        self.sweep(*arguments, "--out", "whole", "-q")
        self.assertEqual(content(self.path("cut/sweep.sqlite")), content(self.path("whole/sweep.sqlite")))

    def test_more_draws_later(self):
        self.sweep("quick.yaml", "--draws", "3", "-q")
        self.assertIn("5 runs, 2 of them new", self.sweep("quick.yaml", "--draws", "5").stdout)


class Refused(DrawsCase):
    def test_numbers(self):
        for number in ("0", "-1", "1e9", "10001", "x", "1.5", "", "999999999999999999999"):
            done = self.sweep("quick.yaml", "--draws", number, code=1)
            self.assertIn(f"--draws {number}: it must be a whole number from 1 to 10000", done.stderr)

    def test_keys(self):
        for number, text in (("0", "draws"), ("-1", "draws"), ("10001", "draws"), ("[1]", "draws"), ("many", "draws")):
            self.write("bad.yaml", QUICK + f"sweep: {{draws: {number}}}\n")
            done = self.sweep("bad.yaml", code=1)
            self.assertRegex(done.stderr, r"bad\.yaml:6:\d+: error: sweep\." + text)

    def test_twice(self):
        for more in (["--set", "draw=1,2"], ["--set", "draw=3"]):
            done = self.sweep("quick.yaml", *more, "--draws", "2", code=1)
            self.assertIn("an axis of draws and a number of draws exclude each other", done.stderr)
        self.write("both.yaml", QUICK + "sweep: {axes: {draw: [1, 2]}, draws: 2}\n")
        self.assertIn("both.yaml:6:16", self.sweep("both.yaml", code=1).stderr)

    def test_too_many(self):
        done = self.sweep("quick.yaml", "--draws", "10000", "--seeds", "100", code=1)
        self.assertIn("1000000 runs are more than the 100000 of a sweep", done.stderr)
        done = self.sweep("quick.yaml", "--set", "lam_via.tiny=1 KiB,2 KiB", "--draws", "10000", "--seeds", "10", code=1)
        self.assertIn("200000 points are more than the 100000 of a sweep", done.stderr)

    def test_draws_that_are_none(self):
        for value in ("0,1", "1,-2", "1,x"):
            self.assertIn("draw", self.sweep("quick.yaml", "--set", f"draw={value}", code=1).stderr)

    def test_report(self):
        self.sweep("quick.yaml", "--draws", "2", "-q")
        self.assertIn("it takes no --set, --zip, --seeds, --draws", self.sweep("--report", "results/quick", "--draws", "2",
                                                                              code=1).stderr)

    def test_damage(self):
        self.sweep("quick.yaml", "--draws", "2", "-q")
        for number in ("3", "0", "\"x\"", "1e3"):
            self.sweep("quick.yaml", "--draws", "2", "-q", "--out", "d")
            database = sqlite3.connect(self.path("d/sweep.sqlite"))
            database.execute("UPDATE campaigns SET definition = json_set(definition, '$.draws', json(?))", (number,))
            database.commit()
            database.close()
            self.assertIn("the database is damaged", self.sweep("--report", "d", code=1).stderr)
            os.remove(self.path("d/sweep.sqlite"))


if __name__ == "__main__":
    unittest.main()
