#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""State machines as `netsim describe machine` prints them: states, steps, waits and what could end them."""

import json
import shutil
import unittest

from harness import Case


class Machines(Case):
    RPI = "Request of LAM's VIA RPI"

    def described(self, *words):
        return self.netsim("describe", "machine", *words).stdout

    def test_text(self):
        lines = self.described(self.RPI).splitlines()
        self.assertEqual(lines[0], "request: Request of LAM's VIA RPI (thesis 000, 4.5.3 and figures 4.3 (tiny), "
                                   "4.4 (short), 4.5 (long))")
        self.assertIn("  syn_sent                 -> wait_ack; waits for the completion of its SYN, held by itself",
                      lines)

    def test_json(self):
        machine, = json.loads(self.described(self.RPI, "--format", "json"))["machines"]
        states = {state["name"]: state for state in machine["states"]}
        self.assertEqual(states["ack_sent"]["next"], ["wait_body", "done"])
        self.assertEqual(states["wait_ack"]["waits_for"], "the receiver's ACK")
        self.assertEqual(states["wait_ack"]["held_by"], "its peer")

    def test_markdown(self):
        page = self.described(self.RPI, "--format", "markdown")
        self.assertIn("In state logs `send, recv, probe`.", page)
        self.assertIn("| wait_pin | memory to pin its buffer | itself |", page)

    def test_one_name_of_several(self):
        self.assertGreater(self.described("request").count("request: "), 5)
        self.assertIn("--format svg", self.netsim("describe", "machine", "request", "--format", "svg", code=1).stderr)

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_drawing(self):
        self.assertIn("<svg", self.described("vi", "--format", "svg"))


if __name__ == "__main__":
    unittest.main()
