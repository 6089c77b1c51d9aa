#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every default that is a prior or assumed has an uncertainty that draws read, or stands in undrawn.txt with the reason."""

import fnmatch
import json
import os
import pathlib
import re
import subprocess
import unittest

NETSIM = os.environ["NETSIM"]
SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"])
UNDRAWN = SOURCE / "tests" / "config" / "undrawn.txt"
# One or more of each testbed and stack.
DRAWN = ("pingpong_cluster1", "bcast_cluster2", "armci_put_config1", "grim_latency", "vdma_planes_system2",
         "osu_latency_x306")
DRAWS = 20  # one in each twentieth of every distribution
IN_WORDS = re.compile(r"\d+(?:\.\d+)?(?:\.\.| to )\d+(?:\.\d+)? ?(?:ns|us|ms|cycles|MB/s|B|KiB)\b")
# The range in words is of something else than the value: one of several port reads; the switch of processes with cold
# caches, which does more; additions without the copy that hides them.
OTHER_RANGES = ("eepro100.doorbell", "eepro100.status_read", "host.kernel.switch_thread", "tcp.checksum_copy")


def described():
    done = subprocess.run([NETSIM, "describe", "--format", "json"], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["parameters"]


def guessed(parameter):
    return re.match(r"(prior|assumed)\b", parameter["source"] or "")


class Undrawn(unittest.TestCase):
    """The tables, against the list of exceptions."""

    @classmethod
    def setUpClass(cls):
        cls.parameters = described()
        cls.patterns = [line.strip() for line in UNDRAWN.read_text(encoding="utf-8").splitlines()
                        if line.strip() and not line.startswith("#")]

    def without_prior(self):
        return [one["path"] for one in self.parameters
                if guessed(one) and not one["uncertain"] and not re.match(r"(0\b|\[\])", one["default"])]

    def test_every_guess_is_drawn(self):
        missing = [path for path in self.without_prior()
                   if not any(fnmatch.fnmatchcase(path, pattern) for pattern in self.patterns)]
        self.assertFalse(missing, "give them .prior (sim/config/prior.h), or a line with a reason in tests/config/undrawn.txt")

    def test_every_exception_is_one(self):
        paths = self.without_prior()
        idle = [pattern for pattern in self.patterns if not fnmatch.filter(paths, pattern)]
        self.assertFalse(idle, "nothing is excepted by these lines of tests/config/undrawn.txt")

    def test_a_range_in_words_is_data(self):
        """A source that prints a range has more than the usual factor."""
        self.assertRegex("3..10 us", IN_WORDS)
        self.assertRegex("0.6 to 1.5 us", IN_WORDS)
        usual = [one["path"] for one in self.parameters
                 if guessed(one) and IN_WORDS.search(one["source"]) and "usual" in (one["uncertain"] or "usual")]
        self.assertEqual(sorted(usual), sorted(OTHER_RANGES))


class Scenarios(unittest.TestCase):
    """Each draw is a machine that the tables' checks accept."""

    def test_draws_are_accepted(self):
        for name in DRAWN:
            for draw in range(1, DRAWS + 1):
                done = subprocess.run([NETSIM, "check", name, "--set", f"draw={draw}"], check=False, text=True,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, f"{name}, draw {draw}: {done.stderr}")


if __name__ == "__main__":
    unittest.main()
