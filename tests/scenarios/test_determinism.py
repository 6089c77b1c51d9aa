#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every shipped scenario, run twice, and with a timeline besides."""

import os
import re
import unittest

from running import Case, DONE, FAILED
from shipped import FAILING, FEW, FEWER, LONGER, QUICK


class Determinism(Case):
    """Two runs are equal in everything but wall time, and looking does not change what is seen."""

    def same(self, name, code, options, more):
        first = self.run_scenario(name, *options, code=code, tag="first")
        second = self.run_scenario(name, *options, *more, code=code, tag="second")
        for run in (first, second):
            for key in ("wall_s", "events_per_s"):
                del run.json["run"][key]
        self.assertEqual(first.json, second.json)
        self.assertRegex(first.json["run"]["fingerprint"], r"\A[0-9a-f]{16}\Z")
        self.assertEqual(first.states(), second.states())
        self.assertEqual(first.read("results.csv"), second.read("results.csv"))

    def each(self, more=()):
        for name in QUICK:
            code = FAILED if name in FAILING else DONE
            with self.subTest(name):
                self.same(name, code, (), more)
        for name in sorted(LONGER):
            with self.subTest(name):
                self.same(name, DONE, FEWER.get(name, FEW), more)

    def test_equal_runs(self):
        self.each()

    def test_trace_changes_nothing(self):
        trace = os.path.join(self.directory, "timeline.json")
        self.each(("--trace", trace))
        self.assertGreater(os.path.getsize(trace), 10000)

    def test_state_log_is_stable_text(self):
        run = self.completes("unexpected_messages")
        lines = run.states().splitlines()
        self.assertEqual(lines[0], "# series lam_via")
        shape = re.compile(r"\d+\.\d{6} rank [01] (rpi|vi|send|recv|probe|cbuf|pin)\[\d+\] "
                           r"(-|[a-z_]+) -> [a-z_]+( .+)?\Z")
        for line in lines[1:]:
            self.assertRegex(line, shape)
        self.assertGreater(len(lines), 30)


if __name__ == "__main__":
    unittest.main()
