#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim calibrate: problems whose answer is known, indistinguishable parameters, overlays, bad input.

References are made by running the scenario with values that the calibration is then to find.
"""

import json
import math
import os
import re
import shlex
import sqlite3
import unittest

from harness import SOURCE, Case

SCENARIO = f"""\
schema: 1
name: two
testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml
switch: {{latency: 8 us}}
eepro100: {{interrupt_delay: 500 ns}}
what_if: card_rate
workload: {{benchmark: pmb.pingpong, sizes: [1 B, 4 KiB, 16 KiB]}}
series:
  - {{name: rpi, stack: lam_via}}
  - name: bare
    stack: mvia
    set: {{workload.benchmark: native.pingpong, switch.latency: 60 us, "links[0].rate": 120 Mb/s}}
"""
REQUEST = "lam.request=500 cycles..100000 cycles"
COPY = "host.memory.copy_cached=200 MB/s..3000 MB/s"


class Calibrate(Case):
    def setUp(self):
        super().setUp()
        self.write("two.yaml", SCENARIO)

    def latency(self, *sets):
        """{(series, size): us}"""
        options = [word for one in sets for word in ("--set", one)]
        document = json.loads(self.netsim(
            "run", "two.yaml", *options, "--format", "json",
            "--quiet").stdout)
        return {(series["name"], point["size_bytes"]): point["latency_us"]
                for series in document["series"] for point in series["points"]}

    def reference(self, *targets):
        self.write("targets.yaml", "schema: 1\ntargets:\n" +
                   "".join(f"  - {{{target}}}\n" for target in targets))

    def points(self, values, *where):
        self.reference(*(f"series: {name}, size: {size} B, value: {values[name, size]!r} us"
                         for name, size in where))

    def fit(self, *fits, options=(), code=0):
        words = [word for one in fits for word in ("--fit", one)]
        done = self.netsim("calibrate", "two.yaml", *words, "--to", "targets.yaml", "--format",
                           "json", *options, code=code)
        document = json.loads(done.stdout)
        return {entry["path"]: entry["value"] for entry in document["parameters"]}, document

    def test_recovers_a_parameter(self):
        self.points(self.latency("lam.request=9000 cycles"), ("rpi", 1), ("rpi", 4096))
        for method in ("lm", "nelder-mead"):
            values, document = self.fit(REQUEST, options=["--method", method])
            self.assertEqual(values, {"lam.request": "9000 cycles"}, method)
            self.assertTrue(document["converged"])
            self.assertLess(document["cost"], 1e-9)
            self.assertGreater(document["start_cost"], 1)
            # A request is built and one destroyed in the path of a message, at 1.4 GHz.
            change = document["targets"][0]["sensitivity"]["lam.request"]
            self.assertAlmostEqual(change, 0.01 * 2 * 9000 / 1400, delta=2e-3)
            self.assertEqual(document["notes"], [])

    def test_recovers_two_parameters(self):
        self.points(self.latency("lam.request=20000 cycles", "host.memory.copy_cached=800 MB/s"),
                    ("rpi", 1), ("rpi", 4096), ("rpi", 16384))
        values, document = self.fit(REQUEST, COPY)
        self.assertEqual(values, {"lam.request": "20000 cycles",
                                  "host.memory.copy_cached": "800 MB/s"})
        self.assertLess(document["condition"], 100)
        self.assertEqual(document["notes"], [])
        self.assertEqual(len(document["correlation"]), 2)

    def test_names_what_cannot_be_told_apart(self):
        """Every message pays for calls and for requests: only their sum shows."""
        self.points(self.latency(), ("rpi", 1), ("rpi", 4096), ("rpi", 16384))
        _, document = self.fit(REQUEST, "lam.call=100 cycles..20000 cycles")
        notes = [note for note in document["notes"] if "can't be told apart" in note]
        self.assertEqual(len(notes), 1)
        self.assertIn("lam.request and lam.call", notes[0])
        self.assertLess(document["cost"], 1e-3)

    def test_names_what_has_no_effect(self):
        self.points(self.latency("lam.request=9000 cycles"), ("rpi", 1), ("rpi", 4096))
        _, document = self.fit(REQUEST, "mvia.poll_period=100 ns..1 us")
        self.assertIn("mvia.poll_period changes none of the targets near its value", document["notes"])
        self.assertEqual(document["condition"], 1) # of the one that shows
        errors = {one["path"]: one["error_percent"] for one in document["parameters"]}
        self.assertIsNone(errors["mvia.poll_period"])
        self.assertLess(errors["lam.request"], 10)

    def test_too_few_targets_are_warned_of(self):
        self.points(self.latency("lam.request=9000 cycles"), ("rpi", 1))
        _, document = self.fit(REQUEST, COPY)
        self.assertTrue(any("2 fitted constants for 1 target" in note
                            for note in document["notes"]))

    def test_a_value_outside_the_bounds_ends_at_one(self):
        self.points(self.latency("lam.request=9000 cycles"), ("rpi", 1), ("rpi", 4096))
        values, document = self.fit("lam.request=10000 cycles..20000 cycles")
        self.assertEqual(values, {"lam.request": "10000 cycles"})
        self.assertIn("lam.request ends at its lower bound", document["notes"])

    def test_order(self):
        """The start, in the middle of the bounds, has the reverse order."""
        self.reference("order: [rpi, bare], over: 1 B .. 64 B, tolerance: 1 %")
        # Where the two meet at 64 B: the latency grows linearly with the cost of a request.
        few, many = (self.latency(f"lam.request={cycles} cycles", "workload.sizes=64 B")
                     for cycles in (1000, 31000))
        meet = 1000 + 30000 * (few["bare", 64] - few["rpi", 64]) / (
            many["rpi", 64] - few["rpi", 64])
        self.assertGreater(meet, 2000, "the shipped testbed is too slow for this test")
        values, document = self.fit(
            f"lam.request={round(meet / 3)} cycles..{round(meet * 6)} cycles")
        self.assertEqual(document["method"], "Nelder-Mead")
        self.assertGreater(document["start_cost"], 0)
        self.assertEqual(document["cost"], 0)
        found = self.latency(f"lam.request={values['lam.request']}", "workload.sizes=1 B .. 64 B")
        for size in (1, 2, 4, 8, 16, 32, 64):
            self.assertLess(found["rpi", size], found["bare", size])

    def test_crossover(self):
        """The faster link wins where the switch's latency is made up for: at 1 KiB."""
        self.reference("crossover: [rpi, bare], at: 1 KiB")
        values, document = self.fit("lam.request=100 cycles..50000 cycles")
        self.assertLess(document["cost"], 0.01)
        found = self.latency(f"lam.request={values['lam.request']}",
                             "workload.sizes=[512 B, 1 KiB, 2 KiB]")
        self.assertLess(found["rpi", 512], found["bare", 512])
        self.assertAlmostEqual(found["rpi", 1024], found["bare", 1024], delta=0.5)
        self.assertGreater(found["rpi", 2048], found["bare", 2048])

    def test_gain(self):
        """The mean over sizes of how far one curve is above another, at a request of 20,000 cycles."""
        found = self.latency("lam.request=20000 cycles")
        sizes = (1, 4096, 16384)
        gain = sum(found["rpi", size] / found["bare", size] - 1 for size in sizes) / len(sizes)
        self.reference("gain: [rpi, bare], sizes: [1 B, 4096 B, 16384 B], "
                       f"value: {100 * gain!r} %, tolerance: 0.1 %")
        values, document = self.fit(REQUEST)
        self.assertEqual(values, {"lam.request": "20000 cycles"})
        self.assertEqual(document["method"], "Levenberg-Marquardt")
        target = document["targets"][0]
        self.assertAlmostEqual(target["expected"], gain)
        self.assertAlmostEqual(target["simulated"], gain, places=6)
        self.assertIn("rpi above bare, latency_us at 1..16384 B", target["target"])

    def test_counts(self):
        """Sizes of a benchmark that counts something else than bytes have no unit."""
        self.write("scan.yaml", "schema: 1\nname: scan\n"
                   f"include: {SOURCE}/scenarios/grim_scan.yaml\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/grim.yaml\n")
        self.write("targets.yaml", "schema: 1\ntargets:\n"
                   "  - {series: LANai 4, metric: scan_us, size: 10, value: 10 us}\n")
        fit = ["calibrate", "scan.yaml", "--fit", "grim_lanai4.scan_channel=10 cycles..60 cycles"]
        done = self.netsim(*fit, "--to", "targets.yaml", "--format", "json")
        target = json.loads(done.stdout)["targets"][0]
        self.assertEqual(target["target"], "LANai 4, scan_us at 10")
        self.assertAlmostEqual(target["simulated"], 10, delta=0.5)

    def test_what_can_not_be_reached(self):
        """No library is fast enough to make up for the slower link."""
        self.reference("crossover: [rpi, bare], at: 16 KiB")
        values, document = self.fit("lam.request=100 cycles..50000 cycles")
        self.assertEqual(values, {"lam.request": "100 cycles"})
        self.assertGreater(document["targets"][0]["off"], 1)
        self.assertIn("lam.request ends at its lower bound", document["notes"])

    def test_overlay(self):
        """In a testbed that includes the overlay, which is empty at first."""
        with open(f"{SOURCE}/scenarios/testbeds/cluster1.yaml", encoding="utf-8") as file:
            bed = file.read().replace("include: cluster1.fit.yaml", "include: two.fit.yaml")
        self.write("two.fit.yaml", "schema: 1\n")
        self.write("bed.yaml", bed)
        self.write("two.yaml", SCENARIO.replace(f"{SOURCE}/scenarios/testbeds/cluster1.yaml",
                                                "bed.yaml"))
        self.points(self.latency("lam.request=9000 cycles"), ("rpi", 1), ("rpi", 4096))
        words = ["calibrate", "two.yaml", "--fit", REQUEST, "--to", "targets.yaml"]
        self.netsim(*words, "--out", "two.fit.yaml")
        text = self.read("two.fit.yaml")
        self.assertIn("request: {value: 9000 cycles, source: \"fitted: ", text)
        command = re.search(r"(?m)^# +(netsim calibrate .*)$", text).group(1)
        self.assertEqual(shlex.split(command), ["netsim", *words, "--out", "two.fit.yaml"])
        # Again, now that the scenario includes the overlay, and by the very command: no change.
        self.netsim(*words, "--check", "two.fit.yaml")
        self.netsim(*shlex.split(command)[1:])
        self.assertEqual(self.read("two.fit.yaml"), text)
        # Under a testbed it counts, and what the testbed itself says wins.
        for own, value in (("", "9000 cycles"), ("lam: {request: 1 us}\n", "1 us")):
            self.write("bed.yaml", bed + own)
            self.write("one.yaml", "schema: 1\nname: one\ntestbed: bed.yaml\nstack: lam_via\n"
                       "workload: {benchmark: pmb.pingpong, sizes: 1 B}\n")
            self.netsim("run", "one.yaml", "--out", "out", "--quiet")
            manifest = self.read("out/manifest.json")
            self.assertIn(f'"value": "{value}"', manifest)
            self.assertEqual('"source": "fitted: ' in manifest, not own)
        self.write("bed.yaml", bed)
        self.write("two.fit.yaml", text.replace("9000 cycles", "9001 cycles"))
        done = self.netsim(*words, "--check", "two.fit.yaml", code=2)
        self.assertIn("lam.request: 9000 cycles, and the file has 9001 cycles", done.stderr)
        self.write("two.fit.yaml", "schema: 1\n")
        self.assertIn("the file has none",
                      self.netsim(*words, "--check", "two.fit.yaml", code=2).stderr)
        self.netsim(*words, "--check", "missing.yaml", code=1)

    def test_only_what_targets_look_at_is_run(self):
        """A series that no target names may even fail; and each runs at its own sizes."""
        self.write("two.yaml", SCENARIO + "  - {name: bad, stack: lam_via, set: "
                   "{host.memory.pin_limit: 1 MiB, lam_via.area: 512 KiB}}\n")
        self.points({("rpi", 1): 90.0, ("bare", 4096): 560.0}, ("rpi", 1), ("bare", 4096))
        self.netsim("calibrate", "two.yaml", "--fit", REQUEST, "--to", "targets.yaml",
                    "--database", "runs.sqlite")
        with sqlite3.connect(self.path("runs.sqlite")) as database:
            rows = set(database.execute(
                "select stack, size from cases join measurements using (key)"))
        self.assertEqual(rows, {("lam_via", 1), ("mvia", 4096)})

    def test_deterministic(self):
        self.points(self.latency("lam.request=20000 cycles", "host.memory.copy_cached=800 MB/s"),
                    ("rpi", 1), ("rpi", 16384), ("bare", 4096))
        words = ["calibrate", "two.yaml", "--fit", REQUEST, "--fit", COPY, "--to", "targets.yaml"]
        first = self.netsim(*words, "-j", "1").stdout
        self.assertEqual(self.netsim(*words, "-j", "3").stdout, first)
        cached = [*words, "--database", "runs.sqlite"]
        self.assertEqual(self.netsim(*cached).stdout, self.netsim(*cached).stdout)

    def test_shipped_overlays_come_out_again(self):
        """The constants that testbeds call fitted are what the commands in their overlays give."""
        beds = f"{SOURCE}/scenarios/testbeds"
        overlays = [name for name in sorted(os.listdir(beds)) if name.endswith(".fit.yaml")]
        self.assertIn("cluster1.fit.yaml", overlays)
        for name in overlays:
            with self.subTest(overlay=name), open(f"{beds}/{name}", encoding="utf-8") as file:
                words = shlex.split(re.search(r"(?m)^# +netsim (calibrate .*)$",
                                              file.read()).group(1))
                words[words.index("--out")] = "--check"
                words = [f"{SOURCE}/{word}" if os.path.exists(f"{SOURCE}/{word}") else word
                         for word in words]
                self.netsim(*words)

    STAIRS = ("schema: 1\nname: two\nhosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
              "links: [{from: node, to: switch}]\nlink: {rate: 1 Gb/s}\nnic: em82547gi\n"
              "workload: {benchmark: pmb.pingpong, sizes: [1 B, 256 B, 4 KiB], repetitions: 20}\n"
              "series: [{name: sock, stack: ch3_sock}]\n")

    def test_runs_as_run_does(self):
        """The values simulated for a target are those of run with these sizes and the overlay."""
        self.write("two.yaml", SCENARIO.replace("repetitions: 10", "repetitions: 3"))
        self.reference("series: rpi, size: 1 B, value: 90 us", "series: rpi, size: 4 KiB, value: 600 us",
                       "series: bare, size: 1 B, value: 90 us", "series: bare, size: 4 KiB, value: 600 us")
        values, document = self.fit(REQUEST)
        run = self.latency("workload.sizes=[1 B, 4 KiB]", "lam.request=" + values["lam.request"])
        for target in document["targets"]:
            name, size = re.match(r"(\w+), latency_us at (\d+) B", target["target"]).groups()
            self.assertAlmostEqual(target["simulated"], run[name, int(size)], places=6)

    def test_parameters_that_do_not_describe_the_data(self):
        """Chi square by hand, and the notes on values that no setting comes near to."""
        self.write("two.yaml", self.STAIRS)
        self.reference("series: sock, size: 1 B, value: 130 us", "series: sock, size: 256 B, value: 131 us",
                       "series: sock, size: 4 KiB, value: 200 us")
        _, document = self.fit("tcp.receive_path=100 cycles..60000 cycles")
        chi_square = sum(((target["simulated"] - target["expected"]) / (0.01 * target["expected"])) ** 2
                         for target in document["targets"])
        self.assertAlmostEqual(document["chi_square"], chi_square, delta=1e-6 * chi_square)
        self.assertEqual(document["degrees_of_freedom"], 2)
        self.assertIs(document["described"], False)
        # Of two degrees of freedom the distribution is exponential.
        self.assertAlmostEqual(document["probability"], math.exp(-chi_square / 2))
        text = self.netsim("calibrate", "two.yaml", "--fit", "tcp.receive_path=100 cycles..60000 cycles",
                           "--to", "targets.yaml").stdout
        self.assertIn("note: these parameters do not describe these data", text)
        self.assertRegex(text, r"(?m)^tcp.receive_path +\d+ cycles +\(\S+ %\)")
        self.assertRegex(text, r"(?m)^chi square \S+ for 2 degrees of freedom: \S+ each$")
        self.write("two.yaml", SCENARIO)
        self.points(self.latency("workload.sizes=[1 B, 4 KiB]", "lam.request=20000 cycles"),
                    ("rpi", 1), ("rpi", 4096), ("bare", 4096))
        self.assertIs(self.fit(REQUEST)[1]["described"], True)

    def test_stairs(self):
        """The interrupts of a gigabit card make stairs of a small message's time: from the flat of one
        Levenberg-Marquardt goes astray, and the simplex takes its place."""
        self.write("two.yaml", self.STAIRS)
        values = self.latency("tcp.receive_path=40000 cycles")
        self.points(values, ("sock", 256))
        path = "tcp.receive_path=100 cycles..60000 cycles"
        _, alone = self.fit(path, options=["--method", "lm"])
        self.assertGreater(alone["cost"], 10)
        self.assertIs(alone["method_changed"], False)
        _, document = self.fit(path)
        self.assertLess(document["cost"], 0.1)
        self.assertEqual((document["method"], document["method_changed"]), ("Nelder-Mead", True))
        self.assertIn("Levenberg-Marquardt did not get near the targets", " ".join(document["notes"]))
        # A stair that is broader than the first simplex.
        self.points(values, ("sock", 1))
        values, document = self.fit(path)
        self.assertLess(document["cost"], 0.1)
        self.assertTrue(30000 < int(values["tcp.receive_path"].split()[0]) < 50000, values)

    def test_one_constant_for_one_value_that_it_cannot_reach(self):
        self.reference("series: rpi, size: 1 B, value: 20 us, tolerance: 1 us")
        _, document = self.fit(REQUEST)
        self.assertIs(document["described"], False)
        self.assertIn("these parameters do not describe these data: there is a constant for each of them",
                      " ".join(document["notes"]))
        self.assertNotIn("that they agree", " ".join(document["notes"]))

    def test_bad_usage(self):
        self.points({("rpi", 1): 74.0}, ("rpi", 1))
        to = ["--to", "targets.yaml"]
        for words, part in (
                (to, "what is to be fitted?"),
                (["--fit", REQUEST], "what is it to be fitted to?"),
                (["--fit", "lam.requst=1..2", *to], "did you mean lam.request?"),
                (["--fit", "lam.request=5 us", *to], "bounds are written lo..hi"),
                (["--fit", "lam.request=5 us..1 us", *to], "the lower bound is not below"),
                (["--fit", "lam.request=5 us..9 MB", *to], "9 MB"),
                (["--fit", "lam.request=-5 us..9 us", *to], "lam.request"),
                (["--fit", "lam_via.sdescs=1..20", *to], "leave the parameter's range, 2 .. 65536"),
                (["--fit", "lam.barrier", *to], "no quantity that could be fitted"),
                (["--fit", "tcp.checksum_rate=1..2", *to],
                 "--fit tcp.checksum_rate: this key is called host.memory.read_uncached now"),
                (["--fit", "tcp.checksum_copy_rate", *to], "called checksum_copy now (a cost for each KiB"),
                (["--fit", "", *to], "no such parameter"),
                (["--fit", REQUEST, *to, "--seed", "0x"], "--seed 0x"),
                (["--fit", REQUEST, *to, "--set", "lam.requst=1"], "lam.request"),
                (["--fit", "kernel", *to], "no such parameter"),
                (["--fit", "link.check=1..2", *to], "--fit link.check"),
                (["--fit", REQUEST, "--fit", REQUEST, *to], "given twice"),
                (["--fit", REQUEST, *to, "--method", "newton"], "--method newton"),
                (["--fit", REQUEST, *to, "--out", "a", "--check", "b"], "give one of them"),
                (["--fit", REQUEST, *to, "-j", "-1"], "from 0 to 1024"),
                (["--fit", REQUEST, "--to", "missing.yaml"], "missing.yaml")):
            with self.subTest(words=words):
                self.assertIn(part, self.netsim("calibrate", "two.yaml", *words, code=1).stderr)

    def test_bad_references(self):
        for text, part in (
                ("targets: []", "there is no target"),
                ("target: []", "did you mean targets?"),
                ("targets: [{series: rpi, size: 1 B}]", "value: must be given"),
                ("targets: [{series: rpi, value: 3}]", "size: must be given"),
                ("targets: [{size: 1 B, value: 3}]", "targets[0]: the key series is missing (one of rpi, bare)"),
                ("targets: [{series: rpi, size: 1, value: 3 ms}]", "a number in us is expected"),
                ("targets: [{series: rpi, size: 1 B, value: 3 ms}]", "a number in us is expected"),
                ("targets: [{series: rpi, size: 1 B, value: 3, tolerance: 0}]", "above 0"),
                ("targets: [{series: rpi, size: 1 B, value: 3, weight: -1}]", "above 0"),
                ("targets: [{series: rpi, size: 1 B, valu: 3}]", "did you mean value?"),
                ("targets: [{order: [rpi], over: 1 B .. 2 B}]", "two or more series"),
                ("targets: [{order: [rpi, bare], over: 2 B .. 1 B}]", "a range goes upwards"),
                ("targets: [{crossover: [rpi, bare, rpi], at: 1 KiB}]", "two series"),
                ("targets: [{series: rpj, size: 1 B, value: 3}]", "did you mean rpi?"),
                ("targets: [{order: [rpi, bar], over: 1 B .. 2 B}]", "did you mean bare?"),
                ("targets: [{series: rpi, size: -1 B, value: 3}]", "size"),
                ("targets: [{series: rpi, size: 1 B, value: nan}]", "a number"),
                ("targets: [{series: rpi, size: 1 B, value: 3, order: [rpi, bare]}]",
                 "series does not go with order"),
                ("targets: [{crossover: [rpi, bare], over: 1 B .. 2 B}]",
                 "over does not go with crossover"),
                ("targets: [{gain: [rpi], sizes: [1 B], value: 3 %}]", "two series"),
                ("targets: [{gain: [rpi, bare], value: 3 %}]", "sizes: must be given"),
                ("targets: [{gain: [rpi, bare], sizes: [], value: 3 %}]", "a gain needs a size"),
                ("targets: [{gain: [rpi, bare], sizes: 1 B, value: 3 %}]", "a list of sizes"),
                ("targets: [{gain: [rpi, bare], sizes: [1 B]}]", "value: must be given"),
                ("targets: [{gain: [rpi, bare], over: 1 B .. 2 B, value: 3 %}]",
                 "over does not go with gain"),
                ("targets: [{}]", "value: must be given"),
                ("targets: [3]", "a target is expected"),
                ("targets: [{crossover: [rpi, bare]}]", "at: must be given"),
                ("targets: [{order: rpi, over: 1 B .. 2 B}]", "a list of series"),
                ("name: x", "targets: must be given"),
                ("targets: 3", "a list of targets")):
            with self.subTest(text=text):
                self.write("targets.yaml", f"schema: 1\n{text}\n")
                done = self.netsim("calibrate", "two.yaml", "--fit", REQUEST, "--to",
                                   "targets.yaml", code=1)
                self.assertIn(part, done.stderr)
                if "does not go with" in part:  # and there is no other error about such a target
                    self.assertEqual(done.stderr.count("error: "), 1, done.stderr)

    def test_runs_that_fail(self):
        """A metric that the series does not have, values that the scenario refuses."""
        self.reference("series: rpi, metric: speed_MB_per_s, size: 1 B, value: 3")
        done = self.netsim("calibrate", "two.yaml", "--fit", REQUEST, "--to", "targets.yaml",
                           code=3)
        self.assertIn("rpi has no speed_MB_per_s at 1 B", done.stderr)
        # A size that no buffer can have: the run ends without it, and reports why.
        self.reference("series: rpi, size: 900 GiB, value: 3")
        done = self.netsim("calibrate", "two.yaml", "--fit", REQUEST, "--to", "targets.yaml",
                           code=3)
        self.assertIn("966367641600 B", done.stderr)
        self.points({("rpi", 1): 74.0}, ("rpi", 1))
        done = self.netsim("calibrate", "two.yaml", "--fit", "lam_via.tiny=40 KiB..50 KiB", "--to",
                           "targets.yaml", code=3)
        self.assertRegex(done.stderr, r"does not take the values: lam_via\.tiny: the longest tiny message")


if __name__ == "__main__":
    unittest.main()
