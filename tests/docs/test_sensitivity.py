#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of docs/constants.md on what hangs on chosen constants is what its command prints.

    test_sensitivity.py           check
    test_sensitivity.py --write   run the command and put what it prints into the page
"""

import os
import pathlib
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR",
                                     pathlib.Path(__file__).resolve().parents[2])).resolve()
PAGE = SOURCE / "docs" / "constants.md"
COMMAND = SOURCE / "examples" / "sensitivity.py"
HEAD = "| constant | value | what comes out |\n"


def told(*words: str) -> str:
    environment = {"NETSIM": str(SOURCE / "netsim"), **os.environ}
    environment["NETSIM"] = os.path.abspath(environment["NETSIM"])
    return subprocess.run([sys.executable, str(COMMAND), *words], check=True, timeout=600,
                          env=environment, stdout=subprocess.PIPE, encoding="utf-8").stdout


def table(page: str) -> str:
    start = page.index(HEAD)
    return page[start:page.index("\n\n", start) + 1]


def write():
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page.replace(table(page), told()), encoding="utf-8")


class Sensitivity(unittest.TestCase):
    maxDiff = None

    def test_all_rows(self):
        self.assertEqual(table(PAGE.read_text(encoding="utf-8")), told())

    def test_some(self):
        page = table(PAGE.read_text(encoding="utf-8"))
        rows = [row for row in page.splitlines() if row.startswith("| `grim_ni.queue`")]
        self.assertEqual(told("grim_ni").splitlines()[2:], rows)
        self.assertEqual(len(rows), 3)

    def test_none(self):
        environment = {**os.environ, "NETSIM": "/nowhere"}
        done = subprocess.run([sys.executable, str(COMMAND), "nothing"], check=False,
                              env=environment, capture_output=True, encoding="utf-8")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("nothing", done.stderr)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
