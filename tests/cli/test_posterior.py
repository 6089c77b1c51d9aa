#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim calibrate --posterior: what targets say of constants, the ensembles that come of it, failed draws, bad input."""

import csv
import json
import os
import unittest

from harness import SOURCE, Case

SCENARIO = f"""\
schema: 1
name: two
testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml
workload: {{benchmark: pmb.pingpong, sizes: [1 B, 4 KiB], repetitions: 2}}
eepro100: {{rx_latency: 22110 ns}}  # certain: the testbed's ensemble has fitted it to 74 us in each draw
series:
  - {{name: rpi, stack: lam_via}}
"""
SMALL = "{series: rpi, size: 1 B, value: 74 us, tolerance: 1 us}"
LARGE = "{series: rpi, size: 4 KiB, value: 544 us, tolerance: 5 us}"
PRECISE = "{series: rpi, size: 1 B, value: 74 us, tolerance: 0.1 us}"


class Posterior(Case):
    def setUp(self):
        super().setUp()
        self.write("two.yaml", SCENARIO)
        self.targets(SMALL, LARGE)

    def targets(self, *targets):
        self.write("targets.yaml", "schema: 1\ntargets:\n" + "".join(f"  - {target}\n" for target in targets))

    def command(self, *options, draws="100", **more):
        return self.netsim("calibrate", "two.yaml", "--to", "targets.yaml", "--posterior", "--draws", draws, *options, **more)

    def document(self, *options, **more):
        return json.loads(self.command(*options, "--format", "json", **more).stdout)

    def alternative(self, document, path):
        return next(row for row in document["alternatives"] if row["path"] == path)

    def rows(self, name):
        lines = [line for line in self.read(name).splitlines() if not line.startswith("#")]
        return list(csv.DictReader(lines))

    def band(self, *options, draws=100, series="rpi", size=1):
        values = json.loads(self.netsim("run", "drawn.yaml", "--draws", str(draws), "--format", "json", "--quiet", *options)
                            .stdout)["values"]
        return next(value for value in values if value["size_bytes"] == size and value["metric"] == "latency_us")

    def use_ensemble(self, name="two.draws"):
        """A testbed that stands upon the ensemble, and the scenario on it."""
        self.write("drawn_testbed.yaml", f"schema: 1\ninclude: {SOURCE}/scenarios/testbeds/cluster1.yaml\nensemble: {name}\n")
        self.write("drawn.yaml", SCENARIO.replace(f"{SOURCE}/scenarios/testbeds/cluster1.yaml", "drawn_testbed.yaml"))


class Weights(Posterior):
    def test_bands(self):
        """With enough draws near the targets they are weighed, and none is run twice."""
        document = self.document()
        self.assertEqual((document["method"], document["draws"], document["runs"]), ("weights", 100, 100))
        self.assertGreaterEqual(document["effective_size"], 50)
        for target in document["targets"]:
            self.assertTrue(target["explained"])
            self.assertLess(target["posterior"]["high"] - target["posterior"]["low"],
                            target["prior"]["high"] - target["prior"]["low"])
        first = document["targets"][0]
        self.assertEqual(first["expected"], 74)
        self.assertAlmostEqual(first["error"], (1 + (0.02 * 74) ** 2) ** 0.5)

    def test_what_is_learnt(self):
        """A constant that makes most of a latency, with a wide range, narrows; one that is not used stays."""
        document = self.document("--fit", "switch.latency=4 us .. 16 us", "--fit", "host.memory.pin_page", draws="400")
        learnt = {row["path"]: row for row in document["parameters"]}
        self.assertLess(learnt["switch.latency"]["width"], 0.75)
        self.assertTrue(learnt["switch.latency"]["learnt"])
        self.assertGreater(learnt["host.memory.pin_page"]["width"], 0.8)
        self.assertEqual(learnt["switch.latency"]["prior"]["median"], "8 us")
        self.assertEqual(document["parameters"][0]["path"], "switch.latency")
        table = self.command("--fit", "switch.latency=4 us .. 16 us").stdout
        self.assertRegex(table, r"(?m)^switch\.latency +8 us \(4\.47 \.\. 14\.3\) +\d\.\d+ us \(\d.*\) +\d+ %$")
        self.assertRegex(table, r"(?m)^rpi, latency_us at 1 B +74 \+/- 1\.8 +\d")
        self.assertIn("100 draws, 100 runs", table)

    def test_told_apart(self):
        """Two parts of one sum: what is measured is the sum, so that one is great where the other is small."""
        both = ("switch.latency", "eepro100.rx_latency")
        ranges = [word for path in both for word in ("--fit", f"{path}=8 us .. 50 us")]
        self.targets("{series: rpi, size: 1 B, value: 84 us, tolerance: 1 us}")
        document = self.document(*ranges, draws="600")
        pairs = [row for row in document["correlations"] if {row["one"], row["other"]} == set(both)]
        self.assertEqual(len(pairs), 1)
        self.assertLess(pairs[0]["posterior"], -0.6)
        self.assertLess(abs(pairs[0]["prior"]), 0.15)

    def test_alternatives(self):
        """One of two values explains the targets."""
        document = self.document("--set", "switch.latency={value: 8 us, or: [14 us], source: a}", draws="200")
        row = self.alternative(document, "switch.latency")
        self.assertEqual((document["method"], row["learnt"]), ("weights", True))
        shares = {value["value"]: value for value in row["values"]}
        self.assertAlmostEqual(shares["8 us"]["prior"], 0.5, delta=0.02)
        self.assertGreater(shares["8 us"]["posterior"], 0.9)
        self.assertAlmostEqual(sum(value["posterior"] for value in row["values"]), 1)

    def test_jobs(self):
        """The same bytes, texts and files, at any number of jobs."""
        for options in ([], ["--discrepancy", "0%"]):
            texts = {(self.command("--jobs", jobs, "--out", "two.draws", *options, draws="60").stdout, self.read("two.draws"))
                     for jobs in ("1", "3")}
            self.assertEqual(len(texts), 1)


class Smoother(Posterior):
    def test_precise_target(self):
        """Draws are moved to a target that few of them come near."""
        self.targets("{series: rpi, size: 1 B, value: 80 us, tolerance: 0.1 us}")
        document = self.document("--discrepancy", "0%")
        self.assertEqual((document["method"], document["runs"]), ("smoother", 500))
        self.assertLess(document["effective_size"], 50)
        target, = document["targets"]
        self.assertEqual(target["error"], 0.1)
        self.assertAlmostEqual(target["posterior"]["median"], 80, delta=0.3)
        self.assertLess(target["posterior"]["high"] - target["posterior"]["low"], 1.5)
        self.assertTrue(any("a smoother has moved the draws towards them, in 4 steps" in note for note in document["notes"]))

    def test_alternatives(self):
        """A smoother moves no alternative: draws are weighed by theirs."""
        document = self.document("--set", "switch.latency={value: 8 us, or: [30 us], source: a}", "--out", "two.draws")
        self.assertEqual(document["method"], "smoother")
        row = self.alternative(document, "switch.latency")
        shares = {value["value"]: value["posterior"] for value in row["values"]}
        self.assertGreater(shares["8 us"], 0.99)
        self.assertLess(document["targets"][0]["posterior"]["high"], 78)
        self.assertTrue(any("keeps its own of " in note and "switch.latency" in note for note in document["notes"]))
        self.assertEqual({row["switch.latency"] for row in self.rows("two.draws")}, {"8 us"})


class Unexplained(Posterior):
    def test_outside_all_draws(self):
        self.targets(SMALL, "{series: rpi, size: 4 KiB, value: 400 us, tolerance: 5 us}")
        document = self.document()
        self.assertEqual([target["explained"] for target in document["targets"]], [True, False])
        self.assertGreater(document["targets"][1]["nearest"], 3)
        self.assertTrue(any(note.startswith("rpi, latency_us at 4096 B lies outside all draws") and
                            "no constants explain this, a mechanism is missing" in note for note in document["notes"]))

    def test_order(self):
        """An order that no draw has is as little explained, and one that all have takes nothing away."""
        self.write("two.yaml", SCENARIO + "  - {name: slow, stack: lam_via, set: {\"links[0].rate\": 10 Mb/s}}\n")
        for order, explained in ((["rpi", "slow"], True), (["slow", "rpi"], False)):
            self.targets("{order: [%s, %s], over: 4 KiB}" % tuple(order))
            document = self.document(draws="50")
            self.assertEqual(document["method"], "weights" if explained else "smoother")
            target, = document["targets"]
            self.assertEqual((target["explained"], target["expected"]), (explained, 0))
            self.assertEqual(target["posterior"]["high"] == 0, explained)


class Ensembles(Posterior):
    def test_weights_round_trip(self):
        """A testbed on the ensemble has the posterior's band, and the draws of the file are those of the bank."""
        document = self.document("--out", "two.draws", draws="200")
        self.assertEqual(document["method"], "weights")
        self.use_ensemble()
        band, posterior = self.band(draws=200), document["targets"][0]["posterior"]
        for end in ("low", "median", "high"):
            self.assertAlmostEqual(band[end], posterior[end], delta=0.4)
        rows = self.rows("two.draws")
        self.assertEqual([row["draw"] for row in rows], [str(draw) for draw in range(1, 201)])
        self.assertGreater(len(rows[0]), 30)
        first, _, command, *_ = self.read("two.draws").splitlines()
        self.assertTrue(first.startswith("# Draws as targets.yaml leaves them"))
        self.assertEqual(command, "#     netsim calibrate two.yaml --to targets.yaml --posterior --draws 200 --out two.draws")

    def test_smoother_round_trip(self):
        """Each row of a smoother's ensemble gives what its member gave."""
        self.targets(PRECISE)
        document = self.document("--discrepancy", "0%", "--out", "two.draws")
        self.assertEqual(document["method"], "smoother")
        self.use_ensemble()
        band, posterior = self.band(), document["targets"][0]["posterior"]
        for end in ("low", "median", "high"):
            self.assertAlmostEqual(band[end], posterior[end], delta=0.02)

    def test_posterior_of_a_posterior(self):
        """A second target on top of the ensemble of the first one: rows are where the draws now come from."""
        self.targets(SMALL)
        self.document("--out", "two.draws", draws="200")
        self.use_ensemble()
        self.targets(LARGE)
        document = json.loads(self.netsim("calibrate", "drawn.yaml", "--to", "targets.yaml", "--posterior", "--draws", "200",
                                          "--format", "json", "--out", "again.draws").stdout)
        self.assertEqual(document["method"], "weights")
        self.assertEqual(len(self.rows("again.draws")[0]), len(self.rows("two.draws")[0]))
        rows = {tuple(list(row.values())[1:]) for row in self.rows("two.draws")}
        for row in self.rows("again.draws")[:20]:
            self.assertIn(row["switch.latency"].split()[1], ("us", "ns", "ps"))
        self.assertGreater(len(rows), 50)


class Faults(Posterior):
    LIMIT = "limits.simulated_time={value: 6430 us, range: 5000 us .. 8300 us, source: a}"

    def test_some_fail(self):
        """Draws without a result have weight 0; what they have in common is named."""
        document = self.document("--set", self.LIMIT, draws="200")
        self.assertLess(document["completed"], 200)
        note = next(note for note in document["notes"] if "draws gave no result" in note)
        self.assertRegex(note, r"^\d+ of 200 draws gave no result")
        self.assertIn("the run is not over after", note)
        self.assertRegex(note, r"in them (.*, )?limits\.simulated_time is smaller \(median \d[^)]*, of the others \d[^)]*\)")

    def test_too_many_fail(self):
        done = self.command("--set", "limits.simulated_time={value: 20 us, range: 19 us .. 21 us, source: a}", code=3)
        self.assertRegex(done.stderr, r"100 of 100 draws gave no result, .*the run is not over.*; 50 results are needed")


class Refused(Posterior):
    def test_options(self):
        calibrate = ["calibrate", "two.yaml", "--to", "targets.yaml"]
        posterior = [*calibrate, "--posterior"]
        for words, message in (
                (posterior, "--posterior: how many draws are to be weighed? (--draws 200)"),
                ([*posterior, "--draws", "49"], "--draws 49: with --posterior it must be a number from 50 to 10000"),
                ([*posterior, "--draws", "10001"], "--draws 10001: with --posterior it must be"),
                ([*posterior, "--draws", "many"], "--draws many: with --posterior it must be"),
                ([*posterior, "--draws", ""], "with --posterior it must be"),
                ([*posterior, "--draws", "100", "--discrepancy", "2"], "--discrepancy 2: it must be a percentage below 100 %"),
                ([*posterior, "--draws", "100", "--discrepancy", "-1%"], "it must be a percentage below 100 %"),
                ([*posterior, "--draws", "100", "--discrepancy", "100%"], "it must be a percentage below 100 %"),
                ([*posterior, "--draws", "100", "--method", "lm"], "--posterior does not go with --method"),
                ([*posterior, "--draws", "100", "--check", "a.yaml"], "--posterior does not go with --check"),
                ([*calibrate, "--fit", "lam.call", "--discrepancy", "2%"], "--discrepancy is for draws that are weighed"),
                (["calibrate", "two.yaml", "--posterior", "--draws", "100"], "what is it to be fitted to?"),
                ([*posterior, "--draws", "100", "--fit", "lam.cal"], "--fit lam.cal: draws of this scenario do not differ in it"),
                ([*posterior, "--draws", "100", "--fit", "lam.call", "--fit", "lam.call"], "--fit lam.call: given twice"),
                ([*posterior, "--draws", "100", "--fit", "lam.call=9 cycles..3 cycles"], "the lower bound is not below the upper"),
                ([*posterior, "--draws", "100", "--fit", "lam.call=0 cycles..3 cycles"], "a range of draws begins above 0"),
                ([*posterior, "--draws", "100", "--fit", "lam_via.rdescs"], "--fit lam_via.rdescs=LO..HI"),
                ([*posterior, "--draws", "100", "--out", "targets.yaml"], "targets.yaml")):
            done = self.netsim(*words, code=1)
            self.assertIn(message, done.stderr, words)
            self.assertEqual(done.stdout, "")

    def test_files(self):
        self.assertIn("missing.yaml", self.netsim("calibrate", "two.yaml", "--to", "missing.yaml", "--posterior", "--draws", "50",
                                                  code=1).stderr)
        self.write("none.yaml", "schema: 1\ntargets: []\n")
        self.assertIn("there is no target", self.netsim("calibrate", "two.yaml", "--to", "none.yaml", "--posterior", "--draws",
                                                        "50", code=1).stderr)
        self.targets("{series: other, size: 1 B, value: 74 us}")
        self.assertIn('no series "other"', self.command(code=1).stderr)

    def test_unwritable(self):
        """The file is tried before draws are run, so that they are not run in vain."""
        os.mkdir(self.path("taken"))
        done = self.command("--out", "taken", draws="50", code=1)
        self.assertIn("taken", done.stderr)
        self.assertEqual(done.stdout, "")
        self.write("plain", "")
        self.assertIn("plain", self.command("--out", "plain/two.draws", draws="50", code=1).stderr)

    def test_nothing_uncertain(self):
        """An ensemble that can't be read is an error at its place."""
        self.use_ensemble("missing.draws")
        done = self.netsim("calibrate", "drawn.yaml", "--to", "targets.yaml", "--posterior", "--draws", "50", code=1)
        self.assertRegex(done.stderr, r"drawn_testbed\.yaml:3:.*missing\.draws")


if __name__ == "__main__":
    unittest.main()
