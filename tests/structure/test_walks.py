#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of docs/paths.md that follow a packet through the files (after the mark of a walk) are true:
each step names a function of its file, no file comes twice, and an earlier step's file uses that function."""

import os
import re
import sys
import unittest

SOURCE = os.environ["NETSIM_SOURCE_DIR"]
MARK = "<!-- walk -->\n"
STEP = re.compile(r"(\d+)\. `(\w+)\(\)` in `([\w/.]+\.c)`")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def walks(page):
    """Lists of (function, file), one per mark."""
    return [STEP.findall(part.split("\n\n", 1)[0]) for part in page.split(MARK)[1:]]


class Walks(unittest.TestCase):
    def test_marked_lists(self):
        found = walks(read("docs/paths.md"))
        self.assertGreaterEqual(len(found), 4)
        for steps in found:
            self.assertEqual([int(number) for number, _, _ in steps], list(range(1, len(steps) + 1)))
            self.assertGreater(len(steps), 3)

    def test_no_file_twice(self):
        for steps in walks(read("docs/paths.md")):
            files = [file for _, _, file in steps]
            self.assertEqual(sorted(files), sorted(set(files)))

    def test_functions(self):
        """Each is defined in its file, and named by the file of an earlier step."""
        for steps in walks(read("docs/paths.md")):
            before = ""
            for _, function, file in steps:
                text = read(file)
                self.assertRegex(text, rf"(?m)^[a-z][\w *]*\b{function}\(", file)
                if before:
                    self.assertRegex(before, rf"\b{function}\b", f"{function} of {file} is not used by an earlier step")
                before += text


if __name__ == "__main__":
    sys.exit(unittest.main())
