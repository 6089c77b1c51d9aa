# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeds as replications: `netsim sweep` over a network that loses frames by chance, in each of its outputs."""

import csv
import io
import json
import math
import os
import re
import sqlite3
import statistics
import unittest

from sweeping import SweepCase

LOSSY = """\
schema: 1
name: lossy
testbed: testbeds/cluster1.yaml
stack: lam_tcp
workload: {benchmark: pmb.pingpong, sizes: [4 B, 16 KiB], repetitions: 5}
"""
LOSS = ("--set", "link.drop_probability=0,0.03", "-q", "-j2")
# Student's t for 95 %, two-sided, by degrees of freedom, as tables have it.
T = {2: 4.30265, 4: 2.77645}


class Seeds(SweepCase):
    def setUp(self):
        super().setUp()
        self.write("lossy.yaml", LOSSY)

    def means(self, where):
        rows = csv.DictReader(io.StringIO(self.sweep("--report", where, "--format", "csv").stdout))
        return {(row["link.drop_probability"], row["size"], row["metric"]): row for row in rows}

    def values(self, where):
        """Of each point and metric what its seeds have, in the order of the seeds."""
        found = {}
        for row in self.rows(where):
            key = row["link.drop_probability"], row["size"], row["metric"]
            found.setdefault(key, []).append(float(row["value"]))
        return found

    def check(self, where, seeds):
        means, values = self.means(where), self.values(where)
        self.assertEqual(set(means), set(values))
        for key, row in means.items():
            self.assertEqual(int(row["n"]), seeds)
            self.assertEqual(len(values[key]), seeds)
            sd = statistics.stdev(values[key])
            self.assertAlmostEqual(float(row["mean"]) / statistics.mean(values[key]), 1, 12)
            self.assertAlmostEqual(float(row["sd"]), sd, delta=1e-9 * (1 + sd))
            half_width = T[seeds - 1] * sd / math.sqrt(seeds)
            self.assertAlmostEqual(float(row["half_width"]), half_width, delta=1e-5 * (1e-6 + half_width))
            self.assertEqual([float(row["min"]), float(row["max"])], [min(values[key]), max(values[key])])
        self.assertGreater(float(means["0.03", "16384", "latency_us"]["sd"]), 1000)
        return means

    def test_report_csv_json_and_database_agree(self):
        self.sweep("lossy.yaml", *LOSS, "--seeds", "5")
        means = self.check("results/lossy", 5)
        report = self.report("results/lossy")
        self.assertEqual(report["points"], 2)
        self.assertEqual(report["seeds"], [1, 2, 3, 4, 5])
        self.assertEqual([axis["name"] for axis in report["axes"]], ["link.drop_probability"])
        latency = report["metrics"][0]
        self.assertEqual({effect["axis"] for effect in latency["effects"]}, {"link.drop_probability"})
        self.assertNotIn("seed", latency["rows"][0]["best_point"]["values"])
        told = {(mean["at"]["values"]["link.drop_probability"], str(mean["size_bytes"])): mean
                for mean in latency["means"]}
        for (loss, size), mean in told.items():
            for name in ("n", "mean", "half_width", "sd", "min", "max"):
                self.assertEqual(float(means[loss, size, "latency_us"][name]), mean[name])
        database = sqlite3.connect(self.path("results/lossy/sweep.sqlite"))
        self.addCleanup(database.close)
        rows = database.execute("SELECT axes, size, metric, n, mean, half_width, sd, min, max FROM means").fetchall()
        self.assertEqual(len(rows), len(means))
        for axes, size, metric, *numbers in rows:
            row = means[json.loads(axes)["link.drop_probability"], str(size), metric]
            for name, number in zip(("n", "mean", "half_width", "sd", "min", "max"), numbers):
                self.assertAlmostEqual(number, float(row[name]), delta=1e-6 * abs(number))

    def test_what_is_left_to_chance_is_said(self):
        self.sweep("lossy.yaml", *LOSS, "--seeds", "3")
        report = self.report("results/lossy")
        effect = report["metrics"][0]["effects"][1]
        self.assertGreater(effect["half_width"], abs(effect["change"]))
        self.assertIs(effect["told_apart"], False)
        text = self.sweep("--report", "results/lossy").stdout
        self.assertIn("Each point with the seeds 1, 2, 3: values are means ± their 95 % confidence interval", text)
        self.assertRegex(text, r"link.drop_probability +0.03 +\(\+[\d.]+ ± [\d.]+ %\)")
        self.assertIn('cannot be told from chance at n=3 seeds', text)
        self.assertNotIn("seed=", text)

    def test_an_axis_of_seeds_is_the_same(self):
        self.sweep("lossy.yaml", *LOSS, "--seeds", "3", "--out", "number")
        self.sweep("lossy.yaml", *LOSS, "--set", "seed=3,1,2", "--out", "axis")
        number, axis = self.check("number", 3), self.check("axis", 3)
        for key, row in number.items():
            for name in ("mean", "half_width", "min", "max"):
                self.assertAlmostEqual(float(row[name]), float(axis[key][name]), delta=1e-9 * abs(float(row[name])))
        self.assertEqual(self.report("axis")["seeds"], [1, 2, 3])

    def test_more_seeds_later_and_in_shares(self):
        self.sweep("lossy.yaml", *LOSS, "--seeds", "3", "--out", "whole")
        summary = self.sweep("lossy.yaml", *LOSS[:2], "-j2", "--seeds", "5", "--out", "whole").stdout
        self.assertIn("lossy: 2 points, 10 runs, 4 of them new", summary)
        whole = self.check("whole", 5)
        for share in ("1/2", "2/2"):
            self.sweep("lossy.yaml", *LOSS, "--seeds", "5", "--shard", share, "--out", "share" + share[0])
        self.sweep("merge", "merged", "share1", "share2")
        self.assertEqual(self.check("merged", 5), whole)

    def test_seeds_of_other_sweeps_are_told_of(self):
        for name, seeds in (("one", "1,2,3"), ("two", "4,5")):
            self.sweep("lossy.yaml", *LOSS, "--set", "seed=" + seeds, "--out", name)
        self.assertNotIn("more seed", self.sweep("--report", "two").stdout)
        os.mkdir(self.path("merged"))
        self.sweep("merge", "merged", "one", "two")
        self.assertIn("other sweeps of this database have run cases of this one with 3 more seeds (1, 2, 3)",
                      self.sweep("--report", "merged").stdout)
        summary = self.sweep("lossy.yaml", *LOSS[:2], "--seeds", "5", "--out", "merged").stdout
        self.assertIn("lossy: 2 points, 10 runs, 0 of them new", summary)
        self.assertNotIn("more seed", summary)
        self.check("merged", 5)

    def test_seeds_alone(self):
        self.sweep("lossy.yaml", "--seeds", "3", "-q")
        text = self.sweep("--report", "lossy").stdout
        self.assertIn("lossy: 1 point\n", text)
        self.assertIn("the seeds changed nothing", text)
        self.assertRegex(text, r"\n  4 B +3 +[\d.]+ ± 0 ")

    def test_what_was_left_to_chance(self):
        """Seeds that change nothing: no random number, faults too rare to strike, and the choices of
        a protocol. Each has a warning that is true."""
        text = ("schema: 1\nname: same\ntestbed: testbeds/cluster1.yaml\nstack: {stack}\n"
                "workload: {{benchmark: pmb.alltoall, ranks: 3, sizes: [1 KiB], repetitions: 20}}\n"
                "{more}sweep: {{axes: {{host.processor.cores: [2]}}, seeds: 3}}\n")
        for name, stack, more, expected in (
                ("none", "lam_via", "", "nothing in these runs is left to chance, and one seed tells as much"),
                ("numbered", "lam_tcp", "link: {drop_nth: [30]}\n",
                 "nothing in these runs is left to chance"),
                ("rare", "lam_via", "link: {drop_probability: 1e-9}\n", "packets in these runs, and none was struck"),
                ("bits", "lam_via", "link: {bit_error_rate: 1e-15}\n", "packets in these runs, and none was struck"),
                ("order", "lam_tcp", "link: {reorder_probability: 1e-9}\n",
                 "packets in these runs, and none was struck"),
                ("twice", "lam_tcp", "link: {duplicate_probability: 1e-9}\n",
                 "packets in these runs, and none was struck")):
            with self.subTest(name=name):
                self.write(f"{name}.yaml", text.format(stack=stack, more=more))
                self.sweep(f"{name}.yaml", "-q", "--out", name)
                warnings = [one for one in self.report(name)["warnings"] if "seeds changed" in one]
                self.assertEqual(len(warnings), 1)
                self.assertIn(expected, warnings[0])
                count = re.search(r"carried (\d+) packets", warnings[0])
                self.assertEqual(bool(count), name in ("rare", "bits", "order", "twice"))
                # 3 runs of 20 + 1 Alltoalls of 3 ranks, each message over two links; and barriers.
                if count:
                    self.assertGreater(int(count[1]), 3 * 21 * 6 * 2)
                    self.assertIn(f"of these packets {count[1]} count", warnings[0])
        # Points that share their seeds share their chances.
        self.sweep("rare.yaml", "-q", "--set", "lam_via.rdescs=64,80,96", "--out", "points")
        more, = (one for one in self.report("points")["warnings"] if "seeds changed" in one)
        whole, apart = map(int, re.search(r"carried (\d+) packets .* of these packets (\d+) count", more).groups())
        self.assertEqual(whole, 3 * apart)
        self.assertIn(f"fewer than {3 / apart:.2g} of all packets", more)
        self.write("sctp.yaml", "schema: 1\nname: sctp\ntestbed: testbeds/x306.yaml\nstack: ch3_sctp\n"
                   "workload: {benchmark: osu.latency, sizes: [1 KiB], repetitions: 20}\n"
                   "sweep: {axes: {host.processor.cores: [1]}, seeds: 3}\n")
        self.sweep("sctp.yaml", "-q", "--out", "sctp")
        warning, = (one for one in self.report("sctp")["warnings"] if "seeds changed" in one)
        self.assertRegex(warning, r"protocols made \d+ random choices in these runs, and no result depends on them")


if __name__ == "__main__":
    unittest.main()
