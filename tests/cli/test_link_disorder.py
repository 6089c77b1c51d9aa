#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that deliver packets twice, hold them back or delay them: the outputs of the commands."""

import json
import unittest

from harness import SOURCE, Case

SCENARIO = f"""\
schema: 1
name: disorder
testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml
stack: lam_tcp
workload: {{benchmark: pmb.pingpong, repetitions: 3, sizes: [40000 B]}}
"""
TWICE = ("--set", "link.duplicate_nth=[100, 110]")
HELD = ("--set", "link.reorder_nth=[105]")


class Disorder(Case):
    def run_text(self, *arguments):
        self.write("disorder.yaml", SCENARIO)
        return self.netsim("run", "disorder.yaml", *arguments).stdout

    def test_report(self):
        text = self.run_text(*TWICE, *HELD)
        self.assertRegex(text, r"\d+ duplicated, \d+ held back, \d+ sent again")
        self.assertNotIn("hit nothing", text)

    def test_losses_as_json(self):
        series = json.loads(self.run_text(*TWICE, *HELD, "--format", "json"))["series"][0]
        kinds = {loss["counter"].split(" on link ")[0]: loss["kind"] for loss in series["losses"]}
        self.assertEqual(kinds["packets duplicated"], "duplicated")
        self.assertEqual(kinds["packets held back"], "held back")
        self.assertTrue(series["ledger"]["balanced"])
        self.assertEqual(series["ledger"]["duplicated"], 0)

    def test_what_hits_nothing(self):
        """A packet that never comes is not met with; jitter strikes each."""
        self.assertIn("hit nothing", self.run_text("--set", "link.reorder_nth=[1000000]"))
        self.assertNotIn("hit nothing", self.run_text("--set", "link.jitter=1 us"))

    def test_explain(self):
        self.write("disorder.yaml", SCENARIO)
        text = self.netsim("explain", "disorder.yaml", "--set", "link.jitter=1 ms",
                           "--no-trials").stdout
        self.assertIn("held back by the link", text)

    def test_refused_with_its_place(self):
        text = SCENARIO + "link:\n  window: 7\n  jitter: 1 us\n"
        self.write("window.yaml", text)
        done = self.netsim("check", "window.yaml", code=1)
        self.assertIn("window.yaml:8:11: error: links[0]: jitter cannot be set: link node0-switch "
                      "has a window: it delivers each packet once and in order (give the link no "
                      "window, or leave the setting out)", done.stderr)
        self.write("cuts.yaml", SCENARIO + "switch: {discipline: cut_through}\n"
                                           "link: {reorder_probability: 0.1}\n")
        done = self.netsim("check", "cuts.yaml", code=1)
        self.assertRegex(done.stderr, r"cuts\.yaml:7:29: error: links\[0\]: reorder_probability cannot be "
                                      r"set: link node0-switch ends at a cut-through switch")


if __name__ == "__main__":
    unittest.main()
