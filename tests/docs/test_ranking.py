#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of docs/constants.md with the ten constants that results depend on most are what examples/ranking.py prints."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2])).resolve()
NETSIM = os.path.abspath(os.environ.get("NETSIM", str(SOURCE / "netsim")))
COMMAND = SOURCE / "examples" / "ranking.py"
SPEC = importlib.util.spec_from_file_location("ranking", COMMAND)
ranking = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(ranking)
HEAD = "| constant | value | mean | at most | source |"
ROW = re.compile(r"\| `(?P<path>[^`]+)` \| (?P<value>[^|]+) \| (?P<mean>[^|]+) \| (?P<most>[^|]+) \| (?P<source>.+) \|")
# In the order of the page.
TESTBEDS = ("cluster1", "cluster2", "config1", "config2", "grim", "intercept_system1", "intercept_system2", "intercept_scs", "x306")
QUICK = ("config2", "grim", "intercept_system2")


def tables() -> dict:
    """{testbed: rows of its table}."""
    page = (SOURCE / "docs" / "constants.md").read_text(encoding="utf-8")
    found = [[ROW.fullmatch(line) for line in part.split("\n\n")[0].splitlines()[2:]] for part in page.split(HEAD)[1:]]
    return dict(zip(TESTBEDS, found, strict=True))


def told(*words: str) -> str:
    return subprocess.run([sys.executable, str(COMMAND), *words], check=True, timeout=600, env={**os.environ, "NETSIM": NETSIM},
                          stdout=subprocess.PIPE, encoding="utf-8").stdout


def resolved(testbed: str) -> dict:
    """{constant: its values in the testbed's scenarios}."""
    found: dict = {}
    for name, series, _ in ranking.TESTBEDS[testbed][1]:
        command = [NETSIM, "show", name, "--defaults", "--format=json", *(f"--series={one}" for one in series)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        for one in json.loads(done.stdout)["series"]:
            switches = [("switch", table) for table in one["topology"]["switch_parameters"]]
            for section, table in [*one["parameters"].items(), *switches]:
                for key, entry in table.items():
                    found.setdefault(f"{section}.{key}", set()).add(ranking.value_text(entry["value"]))
    return found


class Ranking(unittest.TestCase):
    maxDiff = None

    def test_tables(self):
        """Ten rows each, the greatest first, each with a source."""
        for testbed, rows in tables().items():
            with self.subTest(testbed=testbed):
                self.assertNotIn(None, rows)
                self.assertEqual(len(rows), 10)
                means = [float(row["mean"].removesuffix(" %")) for row in rows]
                self.assertEqual(means, sorted(means, reverse=True))
                for row in rows:
                    self.assertRegex(row["source"], r"\w\w\w")

    def test_quick_testbeds(self):
        """Each row to the digit."""
        for testbed in QUICK:
            with self.subTest(testbed=testbed):
                rows = tables()[testbed]
                printed = told(testbed, *(f"--only={row['path']}" for row in rows))
                page = [f"| `{row['path']}` | {row['value']} | {row['mean']} | {row['most']} |" for row in rows]
                self.assertEqual(sorted(printed.strip().splitlines()[4:]), sorted(page))

    def test_values(self):
        """Those of each testbed's scenarios today."""
        for testbed, rows in tables().items():
            known = resolved(testbed)
            for row in rows:
                with self.subTest(testbed=testbed, constant=row["path"]):
                    self.assertIn(row["value"], known[row["path"]])


if __name__ == "__main__":
    unittest.main()
