# SPDX-License-Identifier: GPL-3.0-or-later
"""Common parts of the tests of the shipped scenarios: runs of $NETSIM in a directory of their own."""

import json
import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.path.abspath(os.environ["NETSIM_SOURCE_DIR"])
SANITIZED = os.environ.get("NETSIM_SANITIZED") == "1"
SCENARIOS = os.path.join(SOURCE, "scenarios")

PRINTED = os.path.join(os.path.dirname(os.path.realpath(NETSIM)), "printed")  # by tests/golden/golden.py

DONE, UNBALANCED, FAILED = 0, 2, 3  # exit codes


def printed(name):
    """The output of this program for a scenario when its golden curves were compared, or None."""
    try:
        with open(os.path.join(PRINTED, name + ".json"), encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mtime > os.path.getmtime(NETSIM):
                return json.load(file)
    except FileNotFoundError:
        pass
    return None


class Run:
    """One run of a scenario, with all that it wrote."""

    def __init__(self, directory: str, name: str, *options: str, tag: str = "run"):
        self.out = os.path.join(directory, tag)
        self.log = os.path.join(directory, tag + ".states")
        command = [NETSIM, "run", os.path.join(SCENARIOS, name + ".yaml"), "--format", "json",
                   "--out", self.out, "--log-states", self.log, *options]
        done = subprocess.run(command, cwd=directory, text=True, check=False, timeout=600,
                              stdin=subprocess.DEVNULL, capture_output=True)
        self.code, self.stderr, self.stdout = done.returncode, done.stderr, done.stdout
        self.json = json.loads(done.stdout) if done.stdout else {}

    @property
    def status(self) -> str:
        return self.json["status"]

    @property
    def reason(self) -> dict:
        return self.json["reason"]

    @property
    def unaccounted(self) -> list:
        """The ledger's lines on messages that were lost or not completed."""
        return self.json["series"][0]["unaccounted"]

    def points(self, series: str) -> dict:
        """Points of a series by message size."""
        found = next(s for s in self.json["series"] if s["name"] == series)
        return {point["size_bytes"]: point for point in found["points"]}

    def read(self, name: str) -> str:
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return file.read()

    def states(self) -> str:
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def transitions(self, rank: int, *machines: str) -> list:
        """A rank's transitions of some machines, without time and rank: "send[1] start -> done"."""
        lines = []
        for line in self.states().splitlines():
            words = line.split(" ", 3)
            if words[1:3] == ["rank", str(rank)] and words[3].split("[")[0] in machines:
                lines.append(words[3])
        return lines


class Case(unittest.TestCase):
    """A test with a directory of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-scenarios-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def run_scenario(self, name: str, *options: str, code: int = DONE, tag: str = "run") -> Run:
        run = Run(self.directory, name, *options, tag=tag)
        self.assertEqual(run.code, code, f"{name} {' '.join(options)}\n{run.stderr}\n{run.stdout}")
        return run

    def completes(self, name: str, *options: str, tag: str = "run") -> Run:
        run = self.run_scenario(name, *options, tag=tag)
        ledger = run.json["ledger"]
        self.assertEqual(run.status, "completed")
        self.assertIsNone(run.reason)
        self.assertGreater(ledger["messages"], 0)
        self.assertEqual(ledger["delivered"], ledger["messages"])
        self.assertEqual((ledger["lost"], ledger["duplicated"], ledger["misordered"]), (0, 0, 0))
        return run
