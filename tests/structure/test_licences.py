#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/structure/check_licences.py over small trees, and over this one."""

import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["NETSIM_SOURCE_DIR"]
CHECK = os.path.join(SOURCE, "tests/structure/check_licences.py")
TAG = "SPDX-License-" "Identifier: GPL-3.0-or-later"


def check(root):
    done = subprocess.run([sys.executable, CHECK, root], check=False, text=True, stdout=subprocess.PIPE)
    return done.returncode, done.stdout


class Licences(unittest.TestCase):
    def test_kinds(self):
        with tempfile.TemporaryDirectory(prefix="netsim-licences-") as root:
            for name, text in (("good.c", f"// {TAG}\n"), ("late.h", f"\n\n\n// {TAG}\n"), ("none.py", "print(1)\n"),
                               ("run", f"#!/bin/sh\n# {TAG}\n"), ("bare", "#!/bin/sh\ntrue\n"), ("CMakeLists.txt", "project(x)\n"),
                               ("data.yaml", "a: 1\n"), ("docs.md", "# A\n"), ("empty.lua", "")):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(text)
            code, output = check(root)
            self.assertEqual(code, 1)
            self.assertEqual([line.split(":")[0] for line in output.splitlines()],
                             ["CMakeLists.txt", "bare", "empty.lua", "late.h", "none.py"])

    def test_tree(self):
        self.assertEqual(check(SOURCE), (0, ""))


if __name__ == "__main__":
    unittest.main()
