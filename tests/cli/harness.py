# SPDX-License-Identifier: GPL-3.0-or-later
"""Common parts of the tests of the command line: the built program ($NETSIM) in a directory of its own."""

import os
import subprocess
import sys
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.environ["NETSIM_SOURCE_DIR"]
sys.path.append(os.path.join(SOURCE, "tests", "support"))

# Tests read whole lines; test_widths.py is about the narrow ones.
os.environ["COLUMNS"] = "1000"

# A scenario that takes a few milliseconds.
SMALL = """\
schema: 1
name: small
description: three sizes, two series
testbed: testbeds/cluster1.yaml
workload: {benchmark: pmb.pingpong, sizes: [0 B, 1 B, 4 KiB], repetitions: 3}
series:
  - {name: "first, quoted", stack: lam_via}
  - {name: second, stack: lam_via}
"""


class Case(unittest.TestCase):
    """A test with a directory of its own, in which the program runs."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-cli-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def read(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def netsim(self, *arguments, code=0, environment=None, **options):
        done = subprocess.run([NETSIM, *arguments], cwd=self.directory, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=600,
                              stdout=options.pop("stdout", subprocess.PIPE),
                              stderr=subprocess.PIPE,
                              env={**os.environ, **(environment or {})}, **options)
        if code is not None:
            self.assertEqual(done.returncode, code,
                             f"netsim {' '.join(arguments)}\n{done.stdout}\n{done.stderr}")
        return done

    def small(self):
        return self.write("small.yaml", SMALL)
