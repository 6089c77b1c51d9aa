#!/usr/bin/env python3
"""A few of lossy.py's random runs of every stack, and what it holds a run to."""

import io
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lossy  # noqa: E402

NETSIM = os.path.abspath(os.environ["NETSIM"])
# A sanitizer sees what a plain run only may stumble over.
RUNS = 270 if os.environ.get("NETSIM_SANITIZED") == "1" else 63

BOOKS = {"messages": 4, "delivered": 3, "lost": 1, "open": 0, "duplicated": 0, "misordered": 0,
         "bytes": 10, "balanced": False}


def ended(code, status, errors="", **books):
    """How a run might have ended."""
    out = json.dumps({"series": [{"status": status, "ledger": {**BOOKS, **books}}]})
    return subprocess.CompletedProcess([], code, out, errors)


class Lossy(unittest.TestCase):
    def test_runs(self):
        out = io.StringIO()
        with tempfile.TemporaryDirectory(prefix="netsim-lossy-") as directory:
            options = types.SimpleNamespace(netsim=NETSIM, against=None, seed=20, first=0,
                                            runs=RUNS, jobs=1)
            with contextlib.redirect_stdout(out):
                wrong = lossy.run_all(options, directory)
        self.assertEqual(wrong, 0, out.getvalue())

    def test_every_stack_is_drawn(self):
        self.assertEqual(lossy.unknown_stacks(NETSIM), set(),
                         "tests/lossy/lossy.py, STACKS: a row for each stack")
        drawn = {lossy.scenario(1, number)[0]["stack"] for number in range(len(lossy.STACKS))}
        self.assertEqual(drawn, set(lossy.STACKS))

    def test_a_run_is_its_seed_and_number(self):
        for number in range(50):
            self.assertEqual(lossy.scenario(7, number), lossy.scenario(7, number))
            self.assertNotEqual(lossy.scenario(7, number), lossy.scenario(8, number))

    def test_what_a_run_is_held_to(self):
        whole = {"delivered": 4, "lost": 0, "balanced": True}
        self.assertIsNone(lossy.problem_of(ended(0, "completed", **whole)))
        self.assertIsNone(lossy.problem_of(ended(2, "lost")))
        self.assertIsNone(lossy.problem_of(ended(3, "deadlock")))
        self.assertIsNone(lossy.problem_of(ended(3, "failed", **whole)))
        for wrong in [ended(-11, "completed"), ended(1, "completed"), ended(134, "failed"),
                      ended(3, "failed", "==1==ERROR: AddressSanitizer: use-after-poison"),
                      ended(0, "completed"), ended(2, "lost", **whole), ended(2, "completed"),
                      ended(3, "completed"), ended(2, "failed"),
                      ended(3, "failed", open=1), ended(3, "failed", lost=2, open=-1),
                      subprocess.CompletedProcess([], 3, "", "")]:
            self.assertIsNotNone(lossy.problem_of(wrong), wrong)


if __name__ == "__main__":
    unittest.main()
