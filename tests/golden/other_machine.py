# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden sessions on another machine: a preloaded library (tests/support/other_machine.c) gives the commands
another host name, kernel, number of processors, size of memory and date, and the caller's environment another
user, home, locale, time zone and place for temporary files. Nothing that they print may differ."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"])
SANITIZED = b"__asan_init" in pathlib.Path(os.environ["NETSIM"]).read_bytes()
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

CALLER = {"HOME": "/home/somebody", "USER": "somebody", "LOGNAME": "somebody", "HOSTNAME": "elsewhere-17",
          "LANG": "de_DE.UTF-8", "LC_ALL": "tr_TR.UTF-8", "LC_NUMERIC": "de_DE.UTF-8", "LANGUAGE": "de:fr",
          "TZ": "Asia/Kathmandu", "TERM": "xterm-256color", "COLUMNS": "43", "CLICOLOR_FORCE": "1",
          "NETSIM_DATA_DIR": "/nowhere", "XDG_CACHE_HOME": "/nowhere/cache", "SLURM_NTASKS": "9"}


@unittest.skipIf(SANITIZED, "the sanitizers' library must be the first to be loaded")
@unittest.skipUnless(COMPILER, "no C compiler is installed")
class OtherMachine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="other-machine-")
        cls.addClassCleanup(temporary.cleanup)
        cls.directory = pathlib.Path(temporary.name)
        cls.preload = cls.directory / "other_machine.so"
        subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", cls.preload,
                        SOURCE / "tests/support/other_machine.c", "-ldl"], check=True)

    def environment(self):
        return {**os.environ, **CALLER, "LD_PRELOAD": str(self.preload), "TMPDIR": str(self.directory)}

    def assert_same(self, *names):
        done = subprocess.run([sys.executable, SOURCE / "tests/golden/session.py", *names], check=False,
                              env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, encoding="utf-8")
        self.assertIn(done.returncode, (0, 77), done.stdout)
