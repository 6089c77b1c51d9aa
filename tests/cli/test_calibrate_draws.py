#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`netsim calibrate --draws`: what algebra says in a machine that is linear in its constants, files that are gone on with, faults."""

import csv
import json
import os
import re
import shlex
import unittest

from harness import SOURCE, Case

HEAD = ("schema: 1\n"
        "hosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
        "links: [{from: node, to: switch, rate: 100 Mb/s}]\nnic: eepro100\n"
        "host: {processor: {cores: 1, clock: 1 GHz}, memory: {ram: 1 GiB, cache: 256 KiB}}\n")
MACHINE = HEAD + "lam: {request: {value: 9000 cycles, source: \"fitted: t\"}}\n"
SCENARIO = ("schema: 1\ntestbed: machine.yaml\nstack: lam_via\n"
            "workload: {benchmark: pmb.pingpong, sizes: [1 B, 1 KiB], repetitions: 3}\n")
REQUEST = "lam.request=10 cycles..100000 cycles"


class Draws(Case):
    def setUp(self):
        super().setUp()
        self.write("machine.yaml", MACHINE)
        self.write("run.yaml", SCENARIO)
        self.target = self.latency()
        self.targets(self.target)

    def targets(self, value, more=""):
        self.write("targets.yaml", f"schema: 1\ntargets:\n  - {{series: lam_via, size: 1 B, value: {value!r} us, tolerance: 0.5 us}}\n" + more)

    def latency(self, *sets, size="1 B"):
        options = [word for one in sets for word in ("--set", one)]
        done = self.netsim("run", "run.yaml", "--set", f"workload.sizes=[{size}]", *options, "--format", "json", "--quiet")
        return json.loads(done.stdout)["series"][0]["points"][0]["latency_us"]

    def calibrate(self, draws, *options, fits=(REQUEST,), code=0):
        words = [word for fit in fits for word in ("--fit", fit)]
        return self.netsim("calibrate", "run.yaml", *words, "--to", "targets.yaml", "--draws", str(draws), *options, code=code)

    def rows(self, name):
        lines = [line for line in self.read(name).splitlines() if not line.startswith("#")]
        return {int(row["draw"]): row for row in csv.DictReader(lines)}


class Fits(Draws):
    def test_linear(self):
        """A latency is linear in a request's cycles: two runs of a draw say where it meets the target."""
        self.calibrate(12, "--out", "fit.draws")
        rows = self.rows("fit.draws")
        self.assertEqual(rows[0]["lam.request"], "9000 cycles")
        self.assertEqual(sorted(rows), list(range(13)))
        for draw in range(1, 13):
            low, high = (self.latency(f"draw={draw}", f"lam.request={cycles} cycles") for cycles in (1000, 21000))
            expected = 1000 + 20000 * (self.target - low) / (high - low)
            cycles = int(rows[draw]["lam.request"].removesuffix(" cycles"))
            self.assertAlmostEqual(cycles, expected, delta=0.02 / (high - low) * 20000 + 5, msg=f"draw {draw}")

    def test_runs_of_the_ensemble(self):
        """With the ensemble every draw meets the target; without it none does, to its tolerance."""
        self.calibrate(8, "--out", "fit.draws")
        apart = [abs(self.latency(f"draw={draw}") - self.target) for draw in range(1, 9)]
        self.write("machine.yaml", MACHINE + "ensemble: fit.draws\n")
        for draw in range(1, 9):
            self.assertAlmostEqual(self.latency(f"draw={draw}"), self.target, delta=0.02)
        self.assertGreater(max(apart), 1)

    def test_stands_upon_another(self):
        """A fit upon an ensemble: each draw has the row of the other."""
        self.write("other.draws", "draw,switch.latency\n" + "".join(f"{draw},{10 + draw} us\n" for draw in range(5)))
        self.write("machine.yaml", MACHINE + "switch: {latency: 10 us}\nensemble: other.draws\n")
        self.targets(self.latency())
        target = self.latency()
        self.calibrate(4, "--out", "fit.draws")
        for draw, row in self.rows("fit.draws").items():
            if draw:
                found = self.latency(f"draw={draw}", f"switch.latency={10 + draw} us", f"lam.request={row['lam.request']}")
                self.assertAlmostEqual(found, target, delta=0.02)

    def test_orders_only(self):
        """A parameter that no number depends on stays where it is as long as the order holds."""
        self.write("run.yaml", SCENARIO.replace("stack: lam_via\n", "") + "series: [{name: lam_via, stack: lam_via}, {name: TCP, stack: mpich_p4}]\n")
        self.targets(self.target, "  - {order: [lam_via, TCP], metric: latency_us, over: 1 B .. 1 KiB}\n")
        done = self.calibrate(4, "--out", "fit.draws", fits=[REQUEST, "mpich_1_2_2.request=1000 cycles..90000 cycles"])
        self.assertIn("mpich_1_2_2.request: no number depends on it.", done.stdout)
        now = self.rows("fit.draws")[0]["mpich_1_2_2.request"]
        self.assertEqual({row["mpich_1_2_2.request"] for row in self.rows("fit.draws").values()}, {now})

    def test_summary(self):
        done = json.loads(self.calibrate(40, "--format", "json").stdout)
        self.assertEqual((done["draws"], done["fitted"], done["faults"], done["scenario_is_fitted"]), (40, 40, [], True))
        one = done["parameters"][0]
        self.assertEqual((one["path"], one["value"]), ("lam.request", 9000))
        self.assertLess(one["low"], one["median"])
        self.assertLess(one["median"], one["high"])
        table = self.calibrate(3).stdout
        self.assertIn("3 draws, of which 3 are fitted", table)
        self.assertIn("\ndraw,lam.request\n0,9000 cycles\n1,", table)

    def test_not_fitted_yet(self):
        """A scenario with other values than its fit: row 0 is the fit, and the summary asks for the overlay."""
        self.write("machine.yaml", MACHINE.replace("9000", "20000"))
        done = self.calibrate(2, "--out", "fit.draws")
        self.assertIn("The scenario has other values than the fit without draws", done.stdout)
        self.assertRegex(self.rows("fit.draws")[0]["lam.request"], r"^(899\d|900\d) cycles$")

    def test_jobs(self):
        texts = {self.calibrate(6, "--jobs", jobs).stdout for jobs in ("1", "2", "5")}
        self.assertEqual(len(texts), 1)

    def test_number_of_draws(self):
        """A draw's row does not depend on how many there are."""
        self.calibrate(50, "--out", "many.draws")
        self.calibrate(3, "--out", "few.draws")
        many, few = self.rows("many.draws"), self.rows("few.draws")
        self.assertEqual(few, {draw: many[draw] for draw in range(4)})


class Shipped(Case):
    def test_rows(self):
        """The first rows of shipped ensembles come out again; all nine fits have one, of 200 draws, that their overlay names."""
        beds = os.path.join(SOURCE, "scenarios", "testbeds")
        names = sorted(name.removesuffix(".fit.yaml") for name in os.listdir(beds) if name.endswith(".fit.yaml"))
        self.assertEqual(len(names), 9)
        for name in names:
            with open(os.path.join(beds, name + ".draws"), encoding="utf-8") as file:
                text = file.read()
            with open(os.path.join(beds, name + ".fit.yaml"), encoding="utf-8") as file:
                self.assertIn(f"\nensemble: {name}.draws\n", file.read())
            rows = [line for line in text.splitlines() if re.match(r"\d+,", line)]
            self.assertEqual([int(row.split(",")[0]) for row in rows], list(range(201)), name)
            self.assertLess(sum(",," in row for row in rows), 10, name)
            command = re.search(r"^#  +netsim (calibrate .*)", text, re.M)[1]
            draws = {"cluster1": "2", "grim": "1"}.get(name)
            if draws:
                words = [re.sub("^(?=scenarios/|references/)", lambda _: SOURCE + "/", word) for word in shlex.split(command)]
                end = words.index("--draws")
                self.netsim(*words[:end], "--draws", draws, "--check", os.path.join(beds, name + ".draws"))


class Files(Draws):
    def test_goes_on(self):
        """Rows that are there are kept, also by more draws; --again fits them anew."""
        self.calibrate(3, "--out", "fit.draws")
        plain = self.read("fit.draws")
        rows = self.rows("fit.draws")
        self.write("fit.draws", plain.replace(rows[2]["lam.request"], "77 cycles"))
        self.calibrate(5, "--out", "fit.draws")
        self.assertEqual(self.rows("fit.draws")[2]["lam.request"], "77 cycles")
        self.assertEqual(sorted(self.rows("fit.draws")), [0, 1, 2, 3, 4, 5])
        self.calibrate(3, "--out", "fit.draws")  # has more already
        self.assertEqual(sorted(self.rows("fit.draws")), [0, 1, 2, 3, 4, 5])
        self.calibrate(3, "--out", "fit.draws", "--again")
        self.assertEqual(self.read("fit.draws"), plain)

    def test_check(self):
        self.calibrate(3, "--out", "fit.draws")
        self.calibrate(3, "--check", "fit.draws")
        self.calibrate(2, "--check", "fit.draws")
        rows = self.rows("fit.draws")
        self.write("fit.draws", self.read("fit.draws").replace(rows[2]["lam.request"], "77 cycles"))
        done = self.calibrate(3, "--check", "fit.draws", code=2)
        self.assertIn(f"fit.draws: draw 2: {rows[2]['lam.request']}, and the file has 77 cycles", done.stderr)
        self.assertIn("draw 4: ", self.calibrate(4, "--check", "fit.draws", code=2).stderr)

    def test_other_files(self):
        self.calibrate(2, "--out", "fit.draws")
        text = self.read("fit.draws")
        cases = [
            (text.replace("targets.yaml", "other.yaml"), "it was made by another command"),
            (text.replace("0,9000 cycles", "0,9100 cycles"), "it is of another fit: its row 0 differs"),
            ("draw,lam.request\n1,5 cycles\n", "it was made by another command"),
            (text + "2,5 cycles\n", "draw 2 is there already"),
            ("rubbish\n", "these are no columns of an ensemble"),
        ]
        for other, message in cases:
            self.write("fit.draws", other)
            done = self.calibrate(2, "--out", "fit.draws", code=1)
            self.assertIn(message, done.stderr)
            self.assertEqual(self.read("fit.draws"), other)

    def test_numbers(self):
        for number in ("0", "-1", "x", "10001", ""):
            self.assertIn("it must be a whole number from 1 to 10000", self.calibrate(number, code=1).stderr)
        done = self.netsim("calibrate", "run.yaml", "--fit", REQUEST, "--to", "targets.yaml", "--again", code=1)
        self.assertIn("--again is about the draws that a file has", done.stderr)


class Faults(Draws):
    def test_bounds(self):
        """Bounds that no draw but a few can do with: the others have no row, and their runs say why."""
        done = self.calibrate(8, "--out", "fit.draws", fits=["lam.request=8800 cycles..9200 cycles"])
        rows = self.rows("fit.draws")
        without = [draw for draw, row in rows.items() if not row["lam.request"]]
        self.assertGreater(len(without), 2)
        self.assertIn(f"{len(without)} draws have no fit. Draw {without[0]}: lam_via, latency_us at 1 B is ", done.stdout)
        self.assertRegex(rows[without[0]]["fault"], r"^lam_via, latency_us at 1 B is [\d.]+ at best, not [\d.]+, with lam\.request at its bound (8800|9200) cycles$")
        self.write("machine.yaml", MACHINE + "ensemble: fit.draws\n")
        done = self.netsim("run", "run.yaml", "--set", f"draw={without[0]}", "--quiet", code=1)
        self.assertIn(f"error: ensemble: draw {without[0]} has no values: lam_via, latency_us at 1 B is ", done.stderr)


if __name__ == "__main__":
    unittest.main()
