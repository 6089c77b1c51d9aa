#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far something is while it runs: a bar on a terminal, which is gone at the end, and lines elsewhere if it takes long."""

import os
import pty
import re
import subprocess
import unittest

import harness
from harness import NETSIM
from sweeping import QUICK

BAR = r"\r\[[#-]{24}\]  *\d+ %  "
GONE = "\r\x1b[K"
PLUGIN = os.path.join(os.path.dirname(os.path.abspath(NETSIM)), "netsim_flow.so")


LINE = r"netsim: (\d+ %, )?.*after \d+ s"


class Lines(harness.Case):
    """Off a terminal, where only long steps report their progress: here each step does."""

    def check(self, *command, code=0):
        said = self.netsim(*command, code=code, environment={"NETSIM_PROGRESS": "0"})
        self.assertRegex(said.stderr, LINE, command)
        self.assertNotIn("\r", said.stderr)
        silent = self.netsim(*command, code=code, environment={"NETSIM_PROGRESS": "off"})
        self.assertNotRegex(silent.stderr, LINE)
        return said, silent

    def test_each_command_that_may_take_long(self):
        self.write("quick.yaml", QUICK)
        for command in (["run", self.small(), "-j1"], ["run", "small.yaml", "-j2"], ["explain", "small.yaml"],
                        ["sweep", "quick.yaml", "--set", "lam.call=1500 cycles,9000 cycles", "--again", "-j1"],
                        ["export", "ti", "small.yaml", "--out", "ti"],
                        ["export", "simgrid", "small.yaml", "--series", "second", "--out", "platform"]):
            with self.subTest(command=command):
                said, silent = self.check(*command)
                if command[0] == "explain":
                    self.assertEqual(said.stdout, silent.stdout)
                self.assertNotRegex(said.stdout, LINE)

    def test_the_export_of_one_series(self):
        """How many sizes are measured, while they are; the last line is that of all."""
        said = self.netsim("export", "simgrid", self.small(), "--series", "second", "--out", "platform",
                           environment={"NETSIM_PROGRESS": "0"}).stderr
        for part in ("curve", "benchmark"):
            counts = [int(count) for count in
                      re.findall(rf"netsim: second \(1 of 1\): (\d+) sizes of the {part}, after", said)]
            self.assertGreater(len(set(counts)), 3)
            self.assertEqual(counts, sorted(counts))
            self.assertGreater(counts[-1], 50)

    @unittest.skipUnless(os.path.exists(PLUGIN), "the plugin for SimGrid is not built")
    def test_the_curve_of_a_run_on_flows(self):
        said = self.netsim("run", "flow_exchange", "--set", "workload.repetitions=2", "--set", "flow=simgrid", code=None,
                           environment={"NETSIM_PROGRESS": "0"}).stderr
        self.assertRegex(said, r": \d\d sizes of its curve, after")

    def test_what_is_over_soon_says_nothing(self):
        done = self.netsim("run", self.small(), environment={"NETSIM_PROGRESS": ""})
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.netsim("run", "small.yaml", "--quiet", environment={"NETSIM_PROGRESS": "0"}).stderr, "")


class Progress(harness.Case):
    def shown(self, *arguments):
        """The text that netsim writes to its stderr, a terminal."""
        ours, theirs = pty.openpty()
        try:
            with subprocess.Popen([NETSIM, *arguments], cwd=self.directory, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=theirs) as process:
                os.close(theirs)
                text = b""
                while True:
                    try:
                        more = os.read(ours, 4096)
                    except OSError:  # the other end is closed
                        break
                    if not more:
                        break
                    text += more
            self.assertEqual(process.returncode, 0, text)
            return text.decode()
        finally:
            os.close(ours)

    def test_run(self):
        text = self.shown("run", self.small())
        self.assertRegex(text, rf"\A{BAR}first, quoted")
        self.assertTrue(text.endswith(GONE), repr(text))
        self.assertEqual(self.shown("run", "small.yaml", "--quiet"), "")

    def test_sweep(self):
        self.write("quick.yaml", QUICK)
        sweep = ("sweep", "quick.yaml", "--set", "lam.call=1500 cycles,9000 cycles", "-j", "1")
        text = self.shown(*sweep)
        # Of what is drawn only the first is sure.
        self.assertRegex(text, rf"\A{BAR}[12] of 2, (\d+:\d\d left, )?[a-z]")
        self.assertIn(GONE, text)
        self.assertNotRegex(self.shown(*sweep, "--out", "other", "--quiet"), BAR)

    def test_a_narrow_terminal(self):
        """80 columns where the terminal does not say how wide it is."""
        lines = re.split("\r", self.shown("run", self.write("long.yaml", harness.SMALL.replace(
            "second", "a name that is long " * 8))))
        self.assertLessEqual(max(len(line.replace("\x1b[K", "")) for line in lines), 79)


if __name__ == "__main__":
    unittest.main()
