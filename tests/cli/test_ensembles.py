#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ensembles: a draw takes a testbed's fitted constants from its row; each fault of a file is refused at its place."""

import json
import unittest

from harness import Case

PATHS = ["eepro100.rx_latency", "mpich_1_2_2.request", "mvich.vbuf"]
HEAD = "draw,eepro100.rx_latency,mpich_1_2_2.request\n"
ROWS = "0,22 us,8000 cycles\n1,20 us,7000 cycles\n2,24 us,9000 cycles\n"
FIT = ("schema: 1\n"
       "eepro100: {rx_latency: {value: 22 us, source: \"fitted: a\"}}\n"
       "mpich_1_2_2: {request: {value: 8000 cycles, source: \"fitted: b\"}}\n"
       "ensemble: fit.draws\n")
MACHINE = ("schema: 1\n"
           "include: fit.yaml\n"
           "hosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
           "links: [{from: node, to: switch, rate: 100 Mb/s}]\nnic: eepro100\n"
           "host: {processor: {cores: 1, clock: 1 GHz}, memory: {ram: 1 GiB, cache: 256 KiB}}\n")
RUN = ("schema: 1\ntestbed: machine.yaml\n"
       "workload: {benchmark: pmb.pingpong, sizes: 1 B, repetitions: 2}\n"
       "series: [{name: a, stack: mvich}, {name: b, stack: lam_via}]\n")


class Ensembles(Case):
    def setUp(self):
        super().setUp()
        for name, text in (("fit.yaml", FIT), ("machine.yaml", MACHINE), ("run.yaml", RUN), ("fit.draws", HEAD + ROWS)):
            self.write(name, text)

    def values(self, *options):
        """The values of a run's parameters, with their origins."""
        self.netsim("run", "run.yaml", "--out", "there", "--quiet", *options)
        return json.loads(self.read("there/manifest.json"))

    def parameter(self, path, *options):
        section, name = path.rsplit(".", 1)
        case = self.values(*options)["series"][0]["case"]
        return case["parameters"][section][name]

    def latency(self, *options):
        done = self.netsim("run", "run.yaml", "--format", "json", "--quiet", *options)
        return [series["points"][0]["latency_us"] for series in json.loads(done.stdout)["series"]]


class Values(Ensembles):
    def test_row(self):
        """A draw has the row's values, and is what the same values are by --set."""
        for draw, latency, request in ((1, "20 us", "7000 cycles"), (2, "24 us", "9000 cycles")):
            by_set = self.latency("--set", f"draw={draw}", "--set", f"eepro100.rx_latency={latency}",
                                  "--set", f"mpich_1_2_2.request={request}")
            self.assertEqual(self.latency("--set", f"draw={draw}"), by_set)

    def test_without_draws(self):
        """Without draws the file changes nothing."""
        with_file = self.latency()
        self.write("fit.yaml", FIT.replace("ensemble: fit.draws\n", ""))
        self.assertEqual(self.latency(), with_file)

    def test_set_wins(self):
        """A value of --set, or of a testbed above, is certain: a draw that has no row is no fault then."""
        sets = ["--set", "eepro100.rx_latency=1 us", "--set", "mpich_1_2_2.request.value=100 cycles"]
        self.assertEqual(self.netsim("run", "run.yaml", "--set", "draw=7", "--quiet", code=1).stdout, "")
        one = self.latency("--set", "draw=7", *sets)
        self.write("fit.yaml", FIT.replace("ensemble: fit.draws\n", ""))
        self.assertEqual(self.latency("--set", "draw=7", *sets), one)
        self.write("fit.yaml", FIT)
        self.write("machine.yaml", MACHINE + "eepro100: {rx_latency: 1 us}\n"
                   "mpich_1_2_2: {request: {value: 100 cycles, source: chosen}}\n")
        self.assertEqual(self.latency("--set", "draw=7"), one)

    def test_several(self):
        """A testbed's ensemble stands upon an included one's, and wins where both have a parameter."""
        self.write("more.draws", "draw,eepro100.rx_latency,mvich.vbuf\n1,30 us,1500 B\n")
        self.write("machine.yaml", MACHINE + "ensemble: more.draws\n")
        by_set = self.latency("--set", "draw=1", "--set", "eepro100.rx_latency=30 us", "--set", "mpich_1_2_2.request=7000 cycles",
                              "--set", "mvich.vbuf=1500 B")
        self.assertEqual(self.latency("--set", "draw=1"), by_set)
        self.write("machine.yaml", MACHINE.replace("fit.yaml", "fit.yaml\nensemble: [fit.draws, more.draws]"))
        self.assertEqual(self.latency("--set", "draw=1"), by_set)

    def test_user_names_one(self):
        """--set ensemble=FILE is a scenario's: it stands above the testbed's."""
        self.write("mine.draws", "draw,eepro100.rx_latency\n1,5 us\n")
        by_set = self.latency("--set", "draw=1", "--set", "eepro100.rx_latency=5 us")
        self.assertEqual(self.latency("--set", "draw=1", "--set", "ensemble=mine.draws"), by_set)
        self.assertEqual(self.latency("--set", "draw=1", "--set", "ensemble=mine.draws", "--set", "eepro100.rx_latency=5 us"), by_set)

    def test_manifest(self):
        self.netsim("run", "run.yaml", "--set", "draw=2", "--out", "there", "--quiet")
        self.assertIn('"draw 2 of fit.draws"', self.read("there/manifest.json"))
        self.netsim("run", "run.yaml", "--out", "plain", "--quiet")
        self.assertIn('"ensemble": "fit.draws"', self.read("plain/manifest.json"))


class Faults(Ensembles):
    def refused(self, text, *options):
        self.write("fit.draws", text)
        return self.netsim("run", "run.yaml", "--quiet", *options, code=1).stderr

    def test_files(self):
        """Faults that any run finds."""
        cases = [
            ("", "fit.draws: error: the file has no columns"),
            ("# only a comment\n", "fit.draws: error: the file has no columns"),
            ("size,latency\n1,2\n", "fit.draws:1:1: error: these are no columns of an ensemble of draws"),
            ("draw\n1\n", "fit.draws:1:1: error: these are no columns"),
            ("draw,fault\n1,x\n", "fit.draws:1:1: error: these are no columns"),
            ("draw,eepro100.rx_latncy\n1,2 us\n", "fit.draws:1:6: error: eepro100.rx_latncy: there is no such key (did you mean eepro100.rx_latency"),
            ("draw,eepro100\n1,2 us\n", "fit.draws:1:6: error: eepro100: is no parameter of a model"),
            ("draw,workload.sizes\n1,2 B\n", "fit.draws:1:6: error: workload.sizes: is no parameter of a model"),
            ("draw,links[0].rate\n1,1 Gb/s\n", "fit.draws:1:6: error: links[0].rate: is no parameter of a model"),
            ("draw,mvich.vbuf,mvich.vbuf\n1,2 KiB,2 KiB\n", "fit.draws:1:17: error: mvich.vbuf: there is a second column of this name"),
            (HEAD + "1,20 us\n", "fit.draws:2:1: error: the row has 2 values, and the head names 3 columns"),
            (HEAD + "1,20 us,7000 cycles,3\n", "fit.draws:2:1: error: the row has 4 values, and the head names 3 columns"),
            (HEAD + "1,20 us,\n", "fit.draws:2:9: error: mpich_1_2_2.request: the value is missing"),
            (HEAD + "x,20 us,7000 cycles\n", 'fit.draws:2:1: error: draw: "x" is no number of a draw, 0 to 1000000'),
            (HEAD + "-1,20 us,7000 cycles\n", 'fit.draws:2:1: error: draw: "-1" is no number of a draw'),
            (HEAD + "1.5,20 us,7000 cycles\n", 'fit.draws:2:1: error: draw: "1.5" is no number of a draw'),
            (HEAD + "1000001,20 us,7000 cycles\n", 'fit.draws:2:1: error: draw: "1000001" is no number of a draw'),
            (HEAD + ROWS + "# twice\n2,1 us,7 cycles\n", "fit.draws:6:1: error: draw: draw 2 is there already, in line 4"),
            (HEAD.strip() + ",fault\n1,20 us,7000 cycles,no\n", "fit.draws:2:1: error: fault: a draw has values, or a fault"),
        ]
        for text, message in cases:
            self.assertIn(message, self.refused(text), text)
            self.assertIn(message, self.netsim("check", "run.yaml", code=1).stderr, text)

    def test_other_testbed(self):
        """An ensemble of a fit holds parameters that the testbed is fitted with."""
        text = "draw,eepro100.rx_latency,eepro100.interrupt_delay\n0,22 us,1 us\n1,20 us,1 us\n"
        self.assertIn("fit.draws:1:26: error: eepro100.interrupt_delay: an ensemble of another testbed: "
                      "this one is not fitted with it (name the ensemble where", self.refused(text))

    def test_other_fit(self):
        stale = HEAD + ROWS.replace("22 us", "21 us").replace("0,", "0,", 1)
        done = self.refused(stale, "--set", "draw=1")
        self.assertRegex(done, r"fit\.draws:2:3: error: eepro100\.rx_latency: an ensemble of another fit: it is of 21 us, and \S*fit\.yaml has 22 us")
        self.write("fit.draws", stale)
        self.netsim("run", "run.yaml", "--quiet")  # without draws it does not matter

    def test_draws(self):
        """Faults of the draw that runs."""
        command = "# netsim calibrate s.yaml --fit a --to b --draws 2 --out fit.draws\n"
        done = self.refused(command + HEAD + ROWS, "--set", "draw=3")
        self.assertEqual(done.count("the ensemble has no draw 3; its last is 2 "
                                    "(netsim calibrate s.yaml --fit a --to b --draws 3 --out fit.draws)"), 1, done)
        cases = [
            ("1,20 MB/s,7000 cycles\n", 'fit.draws:2:3: error: eepro100.rx_latency: "20 MB/s"'),
            ("1,-1 us,7000 cycles\n", "fit.draws:2:3: error: eepro100.rx_latency: "),
            ("1,20 us,fast\n", 'fit.draws:2:9: error: mpich_1_2_2.request: "fast"'),
        ]
        for rows, message in cases:
            self.assertIn(message, self.refused(HEAD + rows, "--set", "draw=1"), rows)
        done = self.refused("draw,mvich.vbuf\n1,4 GiB\n", "--set", "draw=1")
        self.assertIn("fit.draws:2:3: error: mvich.vbuf: ", done)
        done = self.refused(HEAD.strip() + ',fault\n1,,,"a: 3, not ""4"""\n', "--set", "draw=1")
        self.assertIn('fit.draws:2:1: error: ensemble: draw 1 has no values: a: 3, not "4"\n', done)

    def test_no_file(self):
        for name, message in (("none.draws", "cannot read none.draws: No such file or directory"),
                              (".", "cannot read .: it is no regular file"),
                              ("[]", None), ("{a: b}", "fit.yaml:4:11: error: ensemble: the name of a file")):
            self.write("fit.yaml", FIT.replace("fit.draws", name))
            done = self.netsim("run", "run.yaml", "--quiet", code=1 if message else 0)
            if message:
                self.assertIn(message, done.stderr)
                self.assertIn("fit.yaml:4:11: error: ensemble: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
