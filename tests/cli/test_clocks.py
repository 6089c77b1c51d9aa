#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks of free programs: what their laps are, where they are reported, and what is refused."""

import json
import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
TESTBEDS = os.path.join(os.path.abspath(os.environ["NETSIM_SOURCE_DIR"]), "scenarios", "testbeds")

PROGRAM = """\
schema: 1
name: clocks
testbed: {testbeds}/cluster1.yaml
stack: lam_tcp
workload:
  ranks: 2
  program:
    - ranks: all
      do:
{operations}
"""


class Clocks(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-clocks-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def netsim(self, command, operations, *options, code=0):
        lines = "".join(f"        - {operation}\n" for operation in operations)
        with open(os.path.join(self.directory, "clocks.yaml"), "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(testbeds=TESTBEDS, operations=lines))
        done = subprocess.run([NETSIM, command, "clocks.yaml", *options], cwd=self.directory, text=True,
                              check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def values(self, *operations):
        """{(rank, metric): value} of the program's clocks."""
        done = self.netsim("run", operations, "--quiet", "--format", "json")
        values = json.loads(done.stdout)["series"][0]["values"]
        return {(value["rank"], value["metric"]): value["value"] for value in values
                if value["metric"] != "program_us"}

    def test_a_clock_leaves_out_what_is_before_it(self):
        turn = "{loop: {count: 3, as: i, do: [clock: work, {compute: 1 ms * (i + 1 + 10 * rank)}, lap: work, " \
               "{compute: 7 ms}]}}"
        self.assertEqual(self.values(turn), {
            (0, "work_mean_us"): 2000, (0, "work_min_us"): 1000, (0, "work_max_us"): 3000,
            (1, "work_mean_us"): 12000, (1, "work_min_us"): 11000, (1, "work_max_us"): 13000})

    def test_laps_follow_each_other(self):
        values = self.values("clock: c", "{compute: 2 ms}", "lap: c", "{compute: 5 ms}", "lap: c")
        self.assertEqual(values[0, "c_mean_us"], 3500)
        self.assertEqual((values[0, "c_min_us"], values[0, "c_max_us"]), (2000, 5000))

    def test_without_a_clock_from_the_beginning(self):
        values = self.values("{compute: 2 ms}", "lap: all_of_it", "{compute: 1 ms}", "lap: all_of_it")
        self.assertEqual((values[1, "all_of_it_min_us"], values[1, "all_of_it_max_us"]), (1000, 2000))

    def test_clocks_are_independent_and_cost_nothing(self):
        values = self.values("clock: a", "{compute: 1 ms}", "clock: b", "{compute: 2 ms}", "lap: a", "lap: b",
                             "clock: never_read")
        self.assertEqual(values[0, "a_mean_us"], 3000)
        self.assertEqual(values[0, "b_mean_us"], 2000)
        self.assertEqual(len(values), 2 * 2 * 3)
        exchange = ("{sendrecv: {to: 1 - rank, from: 1 - rank, size: 1 KiB}}", "barrier")
        fingerprint = lambda *operations: json.loads(
            self.netsim("run", operations, "--quiet", "--format", "json").stdout)["run"]["fingerprint"]
        self.assertEqual(fingerprint("clock: a", exchange[0], "lap: a", exchange[1], "lap: a"), fingerprint(*exchange))

    def test_metrics_are_known_by_name(self):
        operations = ("{loop: {count: 2, do: [{compute: 1 ms}, lap: turn]}}", "lap: turn")
        shown = self.netsim("run", operations, "--quiet", "--metric", "turn max").stdout
        self.assertIn("rank 0: turn max (us)", shown)
        self.assertNotIn("program", shown)
        wrong = self.netsim("run", operations, "--quiet", "--metric", "torn", code=1).stderr
        self.assertIn("there are program_us, turn_mean_us, turn_min_us, turn_max_us (", wrong)

    def test_names_that_make_no_metric(self):
        for name in ('"1st"', '"a b"', '"a-b"', "_a", "a.b", '""'):
            refused = self.netsim("check", (f"lap: {name}",), code=1).stderr
            self.assertIn("clocks.yaml:10:1", refused)

    def test_flattened_programs_have_none(self):
        flat = self.netsim("flatten", ("clock: a", "{compute: 1 ms}", "lap: a"), "--rank", "0").stdout
        self.assertEqual([line.split()[1] for line in flat.splitlines()[2:]], ["compute"], flat)


if __name__ == "__main__":
    unittest.main()
