#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a test that is a Python script so that nothing is skipped in silence: run_script.py SCRIPT ...

Where the script's cases all hold but some were skipped, it prints which and why, one line per reason, and ends with 77,
which ctest reports as "Skipped". It does so too when an optional module is missing.
"""

import collections
import os
import runpy
import sys
import unittest

SKIPPED = 77  # SKIP_RETURN_CODE in CMakeLists.txt
OPTIONAL = {"yaml": "python3-yaml", "jsonschema": "python3-jsonschema"}

skipped = collections.Counter()


class Result(unittest.TextTestResult):
    """Remembers why cases were skipped."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        skipped[reason] += 1


def run():
    """Runs the script as `python3 SCRIPT ...` would; returns what it ends with."""
    sys.argv = sys.argv[1:]
    script = sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    unittest.TextTestRunner.resultclass = Result
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return end.code
    except ModuleNotFoundError as missing:
        if missing.name not in OPTIONAL:
            raise
        skipped[f"{OPTIONAL[missing.name]} is not installed"] += 1
    return 0


def main():
    code = run()
    sys.stderr.flush()
    for reason, count in skipped.items():
        print(f"skipped: {reason}" + (f" ({count} cases)" if count > 1 else ""))
    sys.exit(code or (SKIPPED if skipped else 0))


if __name__ == "__main__":
    main()
