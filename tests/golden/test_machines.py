#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded holds nothing of the machine on which it was recorded: the sessions print the same on
another one, the masks replace each kind of text, and no recorded file has what they would replace."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from other_machine import OtherMachine

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import machine  # pylint: disable=wrong-import-position

# Written by a program, and kept.
RECORDED = ("tests/golden/", "tests/cases/", "tests/script/", "tests/fuzz/corpus/")

# Words of no machine, or that a reader is to type, by file.
ALLOWED = {
    "tests/bare_machine.sh": {"/root", "/home/new"},
    "tests/docs/test_readme.py": {"/root"},
    "tests/fuzz/corpus/compare/document": {"/home/user"},
    "tests/golden/other_machine.py": {"/home/somebody"},
    "tests/support/other_machine.c": {"7.8.9-other-arch1"},
    "tests/lossy/lossy.py": {"/tmp/lossy"},
    "tests/golden/sessions/help.txt": {"Xeon"},  # of a testbed
    "tests/golden/test_machines.py": None,
    **{f"traces/{name}/README.md": {f"/tmp/{word}" for word in ("cg", "ep", "is", "sample_sort", "simgrid", "stencil")}
       for name in ("cg_8", "nas_ep_s_8", "nas_is_s_8", "sample_sort_8", "stencil_16", "stencil_4_otf2")},
}


class Sessions(OtherMachine):
    # The first has every kind of text that a mask is for.
    QUICK = ("machine", "mistakes", "recordings", "runs", "sinks", "sweeps")

    def test_the_machine_is_another_one(self):
        """What the commands see is not what this machine has."""
        done = subprocess.run([os.environ["NETSIM"], "run", SOURCE / "scenarios/tiny.yaml", "-q", "--out",
                               self.directory / "out"], env=self.environment(), check=False,
                              stdout=subprocess.DEVNULL, cwd=self.directory)
        self.assertEqual(done.returncode, 0)
        text = (self.directory / "out" / "manifest.json").read_text(encoding="utf-8")
        for words in ('"elsewhere-17"', '"7.8.9-other-arch1"', '"riscv64"', '"cpus": 7', '"started": "203'):
            self.assertIn(words, text)

    def test_nothing_differs(self):
        self.assert_same(*self.QUICK)


class Masks(unittest.TestCase):
    """Each row of the table replaces what it is for, and nothing of a result."""

    PAIRS = (
        ("rate", "7 events in 0.01 s (95.4k events/s), 0.001 s", "7 events in CLOCK s (RATE), 0.001 s"),
        ("clock", "0.31 s to simulate", "CLOCK s to simulate"),
        ("clock", "in 12.5 s", "in CLOCK s"),
        ("clock", '"wall_s": 1.5e-05', '"wall_s": CLOCK'),
        ("clock", '"series_wall_s": [1, 2]', '"series_wall_s": CLOCK'),
        ("clock", '<testsuite time="0.5">', '<testsuite time="CLOCK">'),
        ("sources", '"source": "0123456789abcdef"', '"source": "SOURCES"'),
        ("sources", ": scenario=a source=0123456789abcdef points=12", ": scenario=a source=SOURCES points=12"),
        ("host", '"host": {"name": "a \\"b", "release": "5.10.0-8-amd64", "cpus": 64}',
         '"host": {"name": NAME, "release": RELEASE, "cpus": CPUS}'),
        ("memory", "9 ranks of x need about 9.1 GB of memory, and there are 8.0 GB (limits",
         "9 ranks of x need about 9.1 GB of memory, and there are MEMORY (limits"),
        ("jobs", "a\nnetsim: note: 2 processes instead of 8: the memory would not hold more (x)\nb\n", "a\nb\n"),
    )
    SAME = ('"host": {"processor": {"clock": "1 GHz"}}', "in 12.5 us", "0.001513 s simulated", '"host": {}',
            '"time": 4.5')

    def test_each_kind(self):
        for kind, text, want in self.PAIRS:
            with self.subTest(kind):
                self.assertEqual(machine.masked(text), want)
                self.assertEqual(machine.masked(want), want)
        self.assertEqual({kind for kind, _, _ in self.PAIRS}, {kind for kind, _, _ in machine.MASKS})

    def test_each_kind_is_in_the_session(self):
        """The session that the others' machines are tried with has each kind, but for a note that is taken out."""
        text = (SOURCE / "tests/golden/sessions/machine.txt").read_text(encoding="utf-8")
        for word in ("RATE", "CLOCK s", '"wall_s": CLOCK', '"started": CLOCK', "SOURCE/", "SCRATCH/", "MEMORY",
                     'time="CLOCK"', '"name": NAME', '"release": RELEASE', '"cpus": CPUS', "-j 3"):
            self.assertIn(word, text)

    def test_results_are_left(self):
        for text in self.SAME:
            self.assertEqual(machine.masked(text), text)

    def test_directories(self):
        self.assertEqual(machine.masked("/a/b/c and /a/b", OUT="/a/b", IN="/a/b/c"), "IN and OUT")

    def test_environment(self):
        """Of the caller's environment, only what is needed to run programs."""
        os.environ["NETSIM_DATA_DIR"] = os.environ["LC_NUMERIC"] = "x"
        found = machine.environment(HOME="y")
        self.assertEqual([found[name] for name in ("HOME", "LC_ALL", "TZ")], ["y", "C.UTF-8", "UTC"])
        self.assertFalse({"NETSIM_DATA_DIR", "LC_NUMERIC"} & set(found))


class Repository(unittest.TestCase):
    """The repository holds nothing of the machine on which it was made."""

    def files(self):
        """All of the repository; of a tree without one, all that no build has made."""
        listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], check=False, encoding="utf-8",
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) if shutil.which("git") else None
        if listed and listed.returncode == 0 and listed.stdout:
            return [name for name in listed.stdout.split("\0") if name]
        names = [str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*")]
        return [name for name in names if not re.match(r"\.git/|build|results/", name)]

    def texts(self):
        for name in self.files():
            try:
                if (SOURCE / name).is_file():
                    yield name, (SOURCE / name).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                pass

    def test_no_words_of_a_machine(self):
        found = []
        for name, text in self.texts():
            kinds = machine.RECORDED if name.startswith(RECORDED) else machine.EVERYWHERE
            allowed = ALLOWED.get(name, ())
            found += [f"{name}:{line}: {what}: {words}" for line, what, words in machine.leftovers(text, kinds)
                      if allowed is not None and words not in allowed]
        self.assertFalse(found, "\n".join(found) + "\nmask it: tests/support/machine.py has the table")

    def test_all_that_is_recorded_is_masked(self):
        for path in sorted((SOURCE / "tests/golden").rglob("*")):
            if path.suffix in (".txt", ".csv") and "inputs" not in path.parts:
                with self.subTest(path.name):
                    text = path.read_text(encoding="utf-8")
                    self.assertEqual(machine.masked(text), text)

    def test_kinds_are_found(self):
        for words, what in (('"release": "6.1.0-13-amd64"', "a kernel's release"),
                            ("5.15.153.1-microsoft-standard-WSL2", "a kernel's release"),
                            ("results in /home/ann/results", "a home directory"),
                            ("/root/netsim/x", "a home directory"), ("/tmp/abc", "a temporary directory"),
                            ("2026-11-28T10:11:12Z", "a time of the clock"),
                            ("Intel Xeon", "a processor's name"), ("Python 3.11", "a version of a library")):
            self.assertIn(what, [kind for _, kind, _ in machine.leftovers(words)], words)
        self.assertFalse(machine.leftovers("thesis 000, 4.4.1; 1.2.1-like; Linux 2.4; 0.1.0; 10-20"))


if __name__ == "__main__":
    unittest.main()
