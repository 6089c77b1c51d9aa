#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fragments of the changelog: their names and kinds, and the place where a release puts them."""

import pathlib
import re
import unittest

import console

ROOT = pathlib.Path(console.SOURCE)
FRAGMENTS = ROOT / "changelog.d"
MOST = 400  # characters: a sentence or two


class Changelog(unittest.TestCase):
    def kinds(self):
        return set(re.findall(r'(?m)^directory = "(\w+)"$', (ROOT / "towncrier.toml").read_text(encoding="utf-8")))

    def test_place(self):
        """Once, before the newest release."""
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        mark, = re.findall(r'(?m)^start_string = "(.*)\\n"$', (ROOT / "towncrier.toml").read_text(encoding="utf-8"))
        before, after = text.split(mark)
        self.assertNotIn("\n## ", before)
        self.assertRegex(after, r"\A\n\n## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d\n")

    def test_fragments(self):
        self.assertLessEqual({"added", "changed", "fixed", "removed"}, self.kinds())
        for path in sorted(FRAGMENTS.iterdir()):
            if path.name in ("README.md", "template.md.jinja"):
                continue
            with self.subTest(path.name):
                name = re.fullmatch(r"\+[a-z0-9-]+\.(\w+)\.md", path.name)
                self.assertTrue(name and name[1] in self.kinds(), "its name is +NAME.KIND.md")
                text = path.read_text(encoding="utf-8")
                self.assertRegex(text, r"\A\S.*[.\w`)]\n\Z", "one line")
                self.assertLessEqual(len(text), MOST)


if __name__ == "__main__":
    unittest.main()
