#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The basis of a run on flows: where its curve was measured, and how far flows were off for this
kind of program by the tables of docs/flows.md; and `check` where SimGrid is missing."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"]).resolve()
NETSIM = os.path.abspath(os.environ["NETSIM"])
PLUGIN = pathlib.Path(NETSIM).parent / "netsim_flow.so"
needs_plugin = unittest.skipUnless(PLUGIN.exists(), "the plugin for SimGrid is not built")
HEAD = (f"schema: 1\nname: t\ntestbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
        "stack: lam_tcp\nfidelity: flow\nhosts: [{name: node, count: 8}]\n")


def documented():
    """{benchmark: (least, most)} in per cent, from the tables."""
    text = (SOURCE / "docs/flows.md").read_text(encoding="utf-8")
    found = {}
    for mark in ("pingpong", "collectives"):
        table = re.search(rf"<!-- flows: {mark} -->\n((?:\|.*\n)+)", text).group(1)
        for row in table.splitlines()[2:]:
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            name = "pmb.pingpong" if mark == "pingpong" else "pmb." + cells[0].split(", ")[1]
            numbers = [float(cell.split()[0]) for cell in cells[1:]]
            least, most = found.get(name, (0.0, 0.0))
            found[name] = min([least, *numbers]), max([most, *numbers])
    return found


def by_simgrid():
    """{benchmark: (least, most)} in per cent, from the table of both players."""
    text = (SOURCE / "docs/flows.md").read_text(encoding="utf-8")
    table = re.search(r"<!-- players -->\n((?:\|.*\n)+)", text).group(1)
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    return {row[0]: tuple(float(cell) for cell in row[2].split(" .. ")) for row in rows}, \
        {row[0]: tuple(float(cell) for cell in row[1].split(" .. ")) for row in rows}


class Accuracy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, command, text, *arguments, **environment):
        (self.folder / "t.yaml").write_text(text, encoding="utf-8")
        return subprocess.run([NETSIM, command, "t.yaml", *arguments], cwd=self.folder, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              env=dict(os.environ, **environment), timeout=300)

    def basis(self, workload):
        done = self.call("run", HEAD + f"workload: {workload}\n", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["series"][0]["basis"]

    def assert_printed(self, extremes, player):
        for name, (least, most) in extremes.items():
            ranks = 2 if name == "pmb.pingpong" else 6
            with self.subTest(name=name):
                text = self.basis(f"{{benchmark: {name}, ranks: {ranks}, sizes: [4 B], repetitions: 2}}\nflow: {player}")
                match = re.search(rf"\({name} of [^)]*, {ranks} ranks\), they were (\S+) to (\S+) % off$", text)
                self.assertIsNotNone(match, text)
                self.assertAlmostEqual(float(match[1]), float(f"{least:.3g}"))
                self.assertAlmostEqual(float(match[2]), float(f"{most:.3g}"))
                self.assertIn("measured on packets, two ranks on node0 and node1 with nothing else under way", text)

    def test_the_table_is_that_of_the_documents(self):
        extremes = documented()
        self.assert_printed(extremes, "device")
        self.assertEqual({name: tuple(float(f"{value:.1f}") for value in of) for name, of in extremes.items()}, by_simgrid()[1])

    @needs_plugin
    def test_simgrid_has_its_own(self):
        self.assert_printed(by_simgrid()[0], "simgrid")

    def test_more_ranks_and_other_programs(self):
        self.assertTrue(self.basis("{benchmark: pmb.allreduce, ranks: 8, sizes: [4 B], repetitions: 2}").endswith(
            "% off, and never with 8 ranks"))
        self.assertTrue(self.basis("{benchmark: pmb.barrier, ranks: 4, repetitions: 2}").endswith(
            "; flows were never compared with packets for pmb.barrier"))
        self.assertTrue(self.basis("{ranks: 2, program: [{ranks: all, do: [barrier]}]}").endswith(
            "; flows were never compared with packets for programs like this"))

    def test_it_is_printed(self):
        done = self.call("run", HEAD + "workload: {benchmark: pmb.bcast, ranks: 4, sizes: [4 B], repetitions: 2}\n",
                         "--quiet")
        self.assertEqual(len(re.findall("(?m)^lam_tcp: costs of a message measured on packets, ", done.stdout)), 1)

    def test_check_without_simgrid(self):
        """The scenario is right, and does not run here: the missing part, and the command to type."""
        text = HEAD + "flow: simgrid\nworkload: {benchmark: pmb.bcast, ranks: 4, sizes: [4 B], repetitions: 2}\n"
        missing = {"NETSIM_FLOW_PLUGIN": str(self.folder / "none.so")}
        done = self.call("check", text, **missing)
        self.assertEqual(done.returncode, 0)
        self.assertIn("netsim: warning: t.yaml can't run here: fidelity: flow needs SimGrid; type: "
                      "./netsim setup simgrid\n", done.stderr)
        lacking = json.loads(self.call("check", text, "--format", "json", **missing).stdout)["scenarios"][0]["lacking"]
        self.assertIn("./netsim setup simgrid", lacking)
        self.assertEqual(self.call("run", text, **missing).returncode, 3)
        packets = text.replace("fidelity: flow\n", "").replace("flow: simgrid\n", "")
        self.assertEqual(self.call("check", text.replace("flow: simgrid\n", ""), **missing).stderr, "")
        self.assertEqual(self.call("check", packets, **missing).stderr, "")


if __name__ == "__main__":
    unittest.main()
