#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A few of lossy.py's random runs of every stack, and its conditions for a run."""

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
# A sanitizer detects errors that a plain run may hide.
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

    def test_one_packet_twice(self):
        """Whichever packet arrives twice on a cable of these fabrics, the run ends by itself."""
        workloads = {
            "gm": ("config1", {"benchmark": "gm.allsize.latency", "sizes": ["9000 B"]}),
            "armci": ("config1", {"benchmark": "armci.get", "sizes": ["4000 B"]}),
            "grim": ("grim", {"benchmark": "grim.latency", "sizes": ["2000 B"]}),
            "intercept_vdma": ("intercept_switches",
                               {"benchmark": "vdma.transfer", "sizes": ["800 B"]}),
            "portals": ("intercept_switches", {"benchmark": "portals.put", "sizes": ["40000 B"]}),
        }
        cable = {"from": "node0", "to": "node1", "rate": "1280 Mb/s", "least_frame": "0 B",
                 "window": 0}
        said = ""
        with tempfile.TemporaryDirectory(prefix="netsim-twice-") as directory:
            file = os.path.join(directory, "twice.yaml")
            for stack, (testbed, workload) in workloads.items():
                text = {"schema": 1, "name": "twice", "stack": stack,
                        "testbed": f"testbeds/{testbed}.yaml", "links": [cable], "switches": [], "what_if": "card_rate",
                        "hosts": [{"name": "node", "count": 2}],
                        "workload": {"repetitions": 2, **workload}}
                if stack in ("intercept_vdma", "portals"):
                    text["vdma_handler"] = {"self_connect": False}
                for nth in range(1, 26):
                    with self.subTest(stack=stack, nth=nth):
                        text["link"] = {"duplicate_nth": [nth]}
                        with open(file, "w", encoding="utf-8") as out:
                            json.dump(text, out)
                        done = lossy.run_once(NETSIM, file, 1, os.path.join(directory, "results"))
                        self.assertIsNone(lossy.problem_of(done), done.stderr)
                        if stack in ("gm", "armci"):
                            self.assertEqual(done.returncode, 0, done.stderr)
                        said += done.stderr
        self.assertIn("relies on links that do not", said)
        self.assertIn("the handlers rely on links that do not", said)

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
