# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements of tests that a machine may lack. A test that lacks something is skipped with its reason; a reason that
begins with NEEDS_ROOT may be given where the suite does not run as root, and no reason at all where everything of the
launcher's table is installed (tests/run_suite.py --none-skipped)."""

import os
import shutil
import subprocess
import unittest

NEEDS_ROOT = "needs root: "


def python_that_draws():
    """The Python that has matplotlib, found as in sim/output/python.c; None if there is none."""
    for python in (os.environ.get("NETSIM_PYTHON"), "python3", "/usr/bin/python3"):
        if python and subprocess.run([python, "-c", "import matplotlib"], check=False,
                                     stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def matplotlib(test):
    """Decorates a test or a class of tests that draws."""
    return unittest.skipUnless(python_that_draws(), "no python3 has matplotlib")(test)


def program(name):
    """Decorates a test or a class of tests that calls a program of an optional package."""
    return unittest.skipUnless(shutil.which(name), f"{name} is not installed")
