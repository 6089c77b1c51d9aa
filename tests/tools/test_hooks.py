#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/hooks in a repository of a few files: commits that are refused, and commits that are not."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = os.environ["NETSIM_SOURCE_DIR"]
sys.path.append(os.path.join(SOURCE, "tests/support"))
import needs  # noqa: E402

# REUSE-IgnoreStart
GOOD = "// SPDX-License-Identifier: GPL-3.0-or-later\nint number(void)\n{\n    return 1;\n}\n"
# REUSE-IgnoreEnd


class Hooks(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-hooks-")
        self.addCleanup(temporary.cleanup)
        self.root = temporary.name
        for path in ("tools/hooks", "tests/structure", ".clang-format"):
            target = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            copy = shutil.copytree if os.path.isdir(os.path.join(SOURCE, path)) else shutil.copy
            copy(os.path.join(SOURCE, path), target)
        self.put("tests/structure/call_circles.txt", "")
        self.put("sim/net/good.c", GOOD)
        self.put("sim/net/named.c", "static const int one = 1;\n\n" + GOOD.replace("number", "named").replace("1", "one"))
        self.git("init", "--quiet")
        self.git("config", "user.name", "A")
        self.git("config", "user.email", "a@b")
        self.commit("First", "--no-verify")
        self.git("config", "core.hooksPath", "tools/hooks") # as CONTRIBUTING.md has it

    def put(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.root, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def commit(self, message, *options):
        self.git("add", "--all")
        return self.git("commit", "--quiet", "--message", message, *options)

    def accepts(self, message="Add a file"):
        done = self.commit(message)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def refuses(self, part, message="Add a file"):
        done = self.commit(message)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(part, done.stdout)

    def test_good(self):
        self.put("sim/net/other.c", GOOD.replace("number", "other"))
        start = time.monotonic()
        self.accepts()
        print(f"a commit takes {time.monotonic() - start:.1f} s")

    @needs.program("clang-format")
    def test_format(self):
        self.put("sim/net/bad.c", GOOD.replace("    return", "  return"))
        self.refuses("not formatted; `clang-format -i' these files and add them again:\n    sim/net/bad.c\n")
        # The staged content counts, not the file.
        self.git("add", "--all")
        self.put("sim/net/bad.c", GOOD)
        done = self.git("commit", "--quiet", "--message", "Add a file")
        self.assertIn("sim/net/bad.c", done.stdout)
        self.accepts()

    def test_includes(self):
        self.put("sim/net/bad.c", GOOD.replace("int", '#include "sim/cli/cli.h"\n\nint', 1))
        self.refuses("sim/net/bad.c:2: sim/net includes sim/cli/cli.h")

    def test_calls(self):
        self.put("sim/net/a.c", GOOD.replace("number", "a").replace("return 1", "return b()"))
        self.put("sim/net/b.c", GOOD.replace("number", "b").replace("return 1", "return a()"))
        self.refuses("circle of calls sim/net: a.c b.c")

    def test_prose(self):
        self.put("sim/net/bad.c", GOOD.replace("int", "// Nobody looks whether it is over.\nint", 1))
        self.refuses("sim/net/bad.c:2")

    def test_subject(self):
        for subject, part in (("A" * 73, "the subject has 73 characters"),
                              ("Add a file.", "a subject does not end with a full stop"),
                              ("Add a file\nbecause", "an empty line separates")):
            with self.subTest(subject):
                self.put("text", subject)
                self.refuses(part, subject)
        self.accepts("Add a file\n\nIt was missing.")


if __name__ == "__main__":
    unittest.main()
