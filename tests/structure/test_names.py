#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/structure/check_names.py over small trees. (That the tree itself passes is the ctest test `check_names`.)"""

import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.environ["NETSIM_SOURCE_DIR"], "tests/structure/check_names.py")


class Names(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-names-")
        self.addCleanup(temporary.cleanup)
        self.root = temporary.name

    def check(self, first, second, other="sim/net/b.c"):
        for path, text in (("sim/net/a.c", first), (other, second)):
            path = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, CHECK, self.root], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def test_refused(self):
        for text, kind, name in (("static int give(int number)\n{\n}\n", "function", "give"),
                                 ("static const struct row *\ngive(int number)\n{\n}\n", "function", "give"),
                                 ("static const char *const words[] = {NULL};\n", "object", "words"),
                                 ("static struct row table[] = {\n    {1},\n};\n", "object", "table"),
                                 ("struct row {\n    int number;\n};\n", "tag", "row"),
                                 ("enum kind { KIND_A, KIND_B };\n", "enumerator", "KIND_A"),
                                 ("typedef void row_fn(int number);\n", "type", "row_fn"),
                                 ("#define MOST_ROWS 16\n", "macro", "MOST_ROWS")):
            with self.subTest(text):
                code, output = self.check("\n" + text, text)
                self.assertEqual(code, 1, output)
                self.assertRegex(output, rf"sim/net/b.c:\d: the {kind} {name} stands in sim/net/a.c:\d as well")

    def test_accepted(self):
        text = "static int give(int number)\n{\n}\n"
        for first, second, other in ((text, text, "sim/host/b.c"),  # another room
                                     (text, "// static int give(int number)\nint give;\n", "sim/net/b.c"),
                                     (text, 'static int put(void)\n{\n    give("give(");\n}\n', "sim/net/b.c"),
                                     (text, "struct row {\n    int give;\n};\n", "sim/net/b.c"),
                                     ("#define L 1\n#undef L\n", "#define L 2\n", "sim/net/b.c"),
                                     ("#define _GNU_SOURCE\nint a;\n" + text, "#define _GNU_SOURCE\n", "sim/net/b.c")):
            with self.subTest(second):
                code, output = self.check(first, second, other)
                self.assertEqual(code, 0, output)
                os.remove(os.path.join(self.root, other))

    def test_nothing(self):
        code, output = self.check("", "")
        self.assertEqual(code, 1)
        self.assertIn("nothing was checked", output)


if __name__ == "__main__":
    unittest.main()
