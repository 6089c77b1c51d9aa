#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scenario from a stranger, what it can do and what not: the table of SECURITY.md, row by row."""

import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.environ["NETSIM_SOURCE_DIR"]
CLUSTER = os.path.join(SOURCE, "scenarios/testbeds/cluster1.yaml")
SECRET = "hunter2 is the secret"
HEAD = f"schema: 1\nname: stranger\ntestbed: {CLUSTER}\nstack: lam_via\n"
ENDLESS = HEAD + "workload: {ranks: 2, program: [{ranks: all, do: [{loop: {count: 1000000000000, do: [{barrier: }]}}]}]}\n"


class Strangers(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-strangers-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def netsim(self, *arguments):
        done = subprocess.run([NETSIM, *arguments], cwd=self.directory, check=False, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def refused(self, text, why, *options):
        code, output = self.netsim("run", self.write("scenario.yaml", text), *options)
        self.assertEqual(code, 1, output)
        self.assertIn(why, output)
        self.assertFalse(os.path.exists(os.path.join(self.directory, "results")), output)

    def test_contents_of_other_files_are_not_printed(self):
        for name, text in (("plain", f"{SECRET}\n{SECRET}\n"), ("yaml", f"schema: 1\nhost: {{x: {SECRET}}}\n"), ("broken", f"a: [{SECRET}\n"),
                           ("csv", f"a,b\n{SECRET},1\n"), ("json", f'{{"a": "{SECRET}"}}\n')):
            path = self.write(f"{name}.yaml", text)
            for command in (("run", path), ("check", path), ("compare", path, path), ("plot", path),
                            ("run", self.write("testbed.yaml", f"schema: 1\nname: t\ntestbed: {path}\nworkload: {{benchmark: pmb.pingpong}}\n"
                                                               "series: [{name: a, stack: lam_tcp}]\n")),
                            ("run", self.write("replay.yaml", f"{HEAD}workload: {{replay: {path}}}\n"))):
                code, output = self.netsim(*command)
                with self.subTest(file=name, command=command[0]):
                    self.assertEqual(code, 1, output)
                    self.assertNotIn("hunter2", output)

    def test_results_stay_below_the_current_directory(self):
        workload = "workload: {ranks: 2, program: [{ranks: all, do: [{barrier: }]}]}\n"
        for name in ("../evil", "/evil", "a/b", "..", "."):
            self.refused(HEAD.replace("name: stranger", f"name: '{name}'") + workload, "cannot be a name")
        code, output = self.netsim("run", self.write("scenario.yaml", HEAD + workload))
        self.assertEqual(code, 0, output)
        self.assertEqual(sorted(os.listdir(self.directory)), ["results", "scenario.yaml"])
        self.assertEqual(os.listdir(os.path.join(self.directory, "results")), ["stranger"])

    def test_size_is_bounded(self):
        self.refused(HEAD + "hosts: [{name: node, count: 1048577}]\nworkload: {benchmark: pmb.pingpong}\n", "is too large (the range is 1 .. 1048576)")
        self.refused(HEAD + "workload: {benchmark: pmb.alltoall, ranks: 1048577}\n", "is out of range 1 .. 1048576")

    def test_time_is_bounded(self):
        path = self.write("endless.yaml", ENDLESS)
        code, output = self.netsim("run", path, "--simulated-limit", "1 ms")
        self.assertEqual(code, 3, output)
        self.assertIn("stranger", output)
        code, output = self.netsim("run", path, "--time-limit", "0.2")
        self.assertEqual(code, 3, output)

    def test_aliases_count_in_full(self):
        lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
        lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
        self.refused("\n".join(lines) + "\n", "aliases and included files count in full")


if __name__ == "__main__":
    unittest.main()
