#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""All golden sessions print the same on another machine; test_machines.py has the quick ones. The scorecard would
take minutes; `claims` prints of the same."""

import pathlib
import unittest

from other_machine import SOURCE, OtherMachine


class AllSessions(OtherMachine):
    def test_nothing_differs(self):
        names = sorted(pathlib.Path(path).stem for path in (SOURCE / "tests/golden/sessions").glob("*.txt"))
        names.remove("scorecard")
        self.assert_same(*names)


if __name__ == "__main__":
    unittest.main()
