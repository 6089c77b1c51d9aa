#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table in references/nas.yaml is the one that the closed forms give."""

import unittest

import counts


class Table(unittest.TestCase):
    maxDiff = None

    def test_is_made_by_the_closed_forms(self):
        kept = counts.FILE.read_text(encoding="utf-8").split(counts.MARK)[1]
        self.assertEqual(kept, counts.table())


if __name__ == "__main__":
    unittest.main()
