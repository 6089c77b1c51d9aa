#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of docs/flows.md on flows against packets are what their command prints.

    test_flows.py           check
    test_flows.py --write   run the command and put what it prints into the page
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR",
                                     pathlib.Path(__file__).resolve().parents[2])).resolve()
NETSIM = os.path.abspath(os.environ.get("NETSIM", SOURCE / "netsim"))
PAGE = SOURCE / "docs" / "flows.md"
COMMAND = SOURCE / "examples" / "flows_against_packets.py"
TABLE = re.compile(r"<!-- flows: (\w+) -->\n((?:\|.*\n)*)")
# The others take many seconds, and their scenarios are run by test_golden_golden.py.
SHORT = ("shared", "exchange", "bcast", "replay", "overrun")


def told(*words: str) -> str:
    done = subprocess.run([sys.executable, str(COMMAND), *words], check=True, timeout=600,
                          env={**os.environ, "NETSIM": NETSIM}, stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout


def write():
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda match: f"<!-- flows: {match[1]} -->\n{told(match[1])}", page), encoding="utf-8")


class Flows(unittest.TestCase):
    maxDiff = None

    def tables(self):
        return dict(TABLE.findall(PAGE.read_text(encoding="utf-8")))

    def test_what_the_page_has(self):
        tables = self.tables()
        self.assertLess(set(SHORT), set(tables))
        for name in SHORT:
            with self.subTest(name):
                self.assertEqual(tables[name], told(name))

    def test_all_are_there(self):
        for name, table in self.tables().items():
            self.assertGreater(len(table.splitlines()), 3, name)

    def test_none(self):
        done = subprocess.run([sys.executable, str(COMMAND), "nothing"], check=False, env={**os.environ, "NETSIM": "/nowhere"},
                              capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no table is called nothing", done.stderr)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
