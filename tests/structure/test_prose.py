#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/structure/prose.py over small trees: its patterns, the texts that it reads, and its counts.
(That the tree itself passes is the ctest test `check_prose`.)"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"])

WORN = {
    "tell": ("a table tells its size", "the result says why", "the caller is told"),
    "way": ("the way to the card", "two ways in"),
    "it-is": ("asked for: it is there",),
    "the-same": ("The same for windows.", "ends; likewise"),
    "looks": ("looks at the queue", "a process looks again", "its next look"),
    "what": ("What is left.", "closed. What comes", "rows: What"),
    "comes": ("the ACK comes back", "what came first", "comes late"),
    "who": ("for who calls", "whoever frees it", "the ranks whom"),
    "nobody": ("nobody waits", "someone else", "no one"),
    "over": ("the call is over", "are over"),
    "behind": ("behind the header", "beside the card"),
    "give-back": ("gives back the token", "give it back"),
    "a-for-per": ("one a round", "20 bytes a packet", "10 us a message"),
}
PLAIN = ("while the call is under way", "Like X, but for windows.", "NULL: it has none", "returns the token",
         "over the link", "the process whose turn it is", "a packet of a message", "somewhat later")


class Prose(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-prose-")
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.script = self.root / "tests" / "structure" / "prose.py"
        self.script.parent.mkdir(parents=True)
        shutil.copy(SOURCE / "tests" / "structure" / "prose.py", self.script)
        self.put("tests/structure/prose.txt", "# counts\n")
        self.put("README.md", "plain\n")

    def put(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def run_script(self, *options, code=0):
        done = subprocess.run([sys.executable, self.script, *options], cwd=self.root, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def found(self, path, text):
        """The (place, kind) of each find in a file with this text."""
        self.put(path, text)
        return [tuple(line.split(" ")[:2]) for line in self.run_script(path).splitlines()]

    def test_each_kind(self):
        rows = [(kind, text) for kind, texts in WORN.items() for text in texts]
        found = self.found("docs/a.md", "\n".join(text for _, text in rows))
        for number, (kind, text) in enumerate(rows, 1):
            with self.subTest(text):
                self.assertIn((f"docs/a.md:{number}:", kind), found)

    def test_plain(self):
        self.assertEqual(self.found("docs/a.md", "\n".join(PLAIN)), [])

    def test_texts_that_are_read(self):
        for path, text, line in (
                ("sim/a.c", 'print("who");\nint x; // who\n', 2),
                ("sim/a.h", "struct who;\n\n// who\n", 3),
                ("tests/a.pkt", "1 > who\n// who\n", 2),
                ("plots/a.py", 'text = "who"\n# who\n', 2),
                ("plots/a.py", 'def who():\n    """First.\n    who\n    """\n', 3),
                ("docs/a.md", "```console\nwho\n```\n[a](who.md) who\n", 4),
                ("CMakeLists.txt", "set(who)\n# who\n", 2),
                ("tests/a.case", "who: 1\n# who\n", 2)):
            with self.subTest(path):
                self.assertEqual(self.found(path, text), [(f"{path}:{line}:", "who")])

    def test_counts(self):
        self.put("README.md", "who\nwho\n")
        self.run_script("--write")
        self.assertIn("# counts\n", (self.root / "tests/structure/prose.txt").read_text(encoding="utf-8"))
        self.run_script()
        self.put("README.md", "who\n")
        self.run_script()
        self.put("README.md", "who\nwho\nwhoever\n")
        self.assertIn("3 times 'who', of which the tree had 2", self.run_script(code=1))

    def test_staged(self):
        def git(*arguments):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.root, check=True,
                           stdout=subprocess.DEVNULL)
        git("init", "-q")
        self.put("README.md", "who\nplain\nplain\n")
        git("add", "README.md")
        git("commit", "-qm", "First")
        self.run_script("--staged")
        self.put("README.md", "who\nplain\nnobody\nplain\n")
        self.run_script("--staged")
        git("add", "README.md")
        self.assertEqual(self.run_script("--staged", code=1).split(" ")[:2], ["README.md:3:", "nobody"])


if __name__ == "__main__":
    unittest.main()
