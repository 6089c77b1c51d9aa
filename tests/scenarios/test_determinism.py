#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every shipped scenario, run with and without a timeline."""

import os
import re
import unittest

from running import Case, DONE, FAILED
from shipped import FAILING, FEW, FEWER, LONGER, QUICK


class Determinism(Case):
    """Two runs are equal in everything but wall time, and recording does not change what is recorded."""

    def same(self, name, code, options):
        trace = os.path.join(self.directory, "timeline.json")
        runs = [self.run_scenario(name, *options, *more, code=code, tag=tag)
                for tag, more in (("first", ()), ("traced", ("--trace", trace)))]
        for run in runs:
            for key in ("wall_s", "events_per_s"):
                del run.json["run"][key]
        first = runs[0]
        self.assertRegex(first.json["run"]["fingerprint"], r"\A[0-9a-f]{16}\Z")
        for other in runs[1:]:
            self.assertEqual(first.json, other.json)
            self.assertEqual(first.states(), other.states())
            self.assertEqual(first.read("results.csv"), other.read("results.csv"))
        self.assertGreater(os.path.getsize(trace), 1000)
        os.remove(trace)

    def test_equal_runs(self):
        for name in QUICK:
            with self.subTest(name):
                self.same(name, FAILED if name in FAILING else DONE, ())
        for name in sorted(LONGER):
            with self.subTest(name):
                self.same(name, DONE, FEWER.get(name, FEW))

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
