#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of examples/mpi under Open MPI and under SimGrid: they compute right results with any
number of ranks, refuse wrong arguments, and make the calls that the recordings in traces/ have.

Nothing here checks times: those of a recording are measured, and differ from one to the next.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR",
                                     pathlib.Path(__file__).resolve().parents[2])).resolve()
PROGRAMS = ("cg", "stencil", "sample_sort")

# (program, ranks, arguments): also blocks that are not equal, and ranks with few points.
RUNS = (("cg", 1, "40 30"), ("cg", 3, "50 60"), ("cg", 8, "64 500"), ("cg", 7, "7 9"),
        ("stencil", 1, "20 30 40"), ("stencil", 6, "50 41 30 7 2 3"), ("stencil", 8, "64 64 100"),
        ("stencil", 5, "5 5 3 1 5 1"), ("stencil", 4, "2 2 3 1 2 2"),
        ("sample_sort", 1, "100 10"), ("sample_sort", 7, "1000 13"), ("sample_sort", 8, "1 1"))
REFUSED = (("cg", 4, "3"), ("cg", 2, "10 0"), ("stencil", 4, "10 10 5 1 3 2"),
           ("stencil", 4, "10 10 5 0"), ("stencil", 4, "1 10 5 1 4 1"), ("sample_sort", 2, "4 5"))

# The recordings, and the programs that they were made of (traces/*/README.md).
RECORDED = (("cg_8", 8, "cg", "256 100"), ("stencil_16", 16, "stencil", "1024 1024 60 10"),
            ("sample_sort_8", 8, "sample_sort", "16384 64"))


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=False, timeout=300, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **options)


class Built(unittest.TestCase):
    """Programs that a compiler wrapper has built, in a directory of the class."""

    compiler = runner = None

    @classmethod
    def setUpClass(cls):
        for tool in (cls.compiler, cls.runner):
            if tool is None or not shutil.which(tool):
                raise unittest.SkipTest(f"{tool} is not installed")
        temporary = tempfile.TemporaryDirectory(prefix="netsim-mpi-")
        cls.addClassCleanup(temporary.cleanup)
        cls.directory = pathlib.Path(temporary.name)
        for name in PROGRAMS:
            done = run(cls.compiler, "-O2", "-Wall", "-Wextra", "-Werror",
                       SOURCE / "examples" / "mpi" / f"{name}.c", "-o", cls.directory / name, "-lm")
            if done.returncode:
                raise AssertionError(f"{cls.compiler} {name}.c\n{done.stderr}")


class UnderOpenMPI(Built):
    compiler, runner = "mpicc", "mpirun"

    def run_program(self, name, ranks, arguments):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return run("mpirun", "--oversubscribe", "--mca", "btl", "self,vader", "-np", ranks,
                   self.directory / name, *arguments.split(), cwd=self.directory, env=environment)

    def test_right(self):
        for name, ranks, arguments in RUNS:
            with self.subTest(program=name, ranks=ranks, arguments=arguments):
                done = self.run_program(name, ranks, arguments)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(": right\n", done.stdout)

    def test_refused(self):
        for name, ranks, arguments in REFUSED:
            with self.subTest(program=name, ranks=ranks, arguments=arguments):
                done = self.run_program(name, ranks, arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertNotIn("right", done.stdout)
                self.assertIn(f"{name}: ", done.stderr)


class UnderSimGrid(Built):
    compiler, runner = "smpicc", "smpirun"

    def record(self, name, ranks, arguments):
        folder = self.directory / f"{name}-{ranks}-{arguments.replace(' ', '-')}"
        done = run(SOURCE / "traces" / "record.sh", folder, ranks, self.directory / name,
                   *arguments.split(), cwd=self.directory)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(": right\n", done.stdout)
        return folder

    def calls(self, folder, rank):
        """The rank's calls, without the work between them."""
        lines = (folder / f"rank-{rank + 1}.txt").read_text(encoding="ascii").splitlines()
        return [line for line in lines if line.split()[1] != "compute"]

    def test_right_and_nothing_lost(self):
        for name, ranks, arguments in RUNS:
            with self.subTest(program=name, ranks=ranks, arguments=arguments):
                folder = self.record(name, ranks, arguments)
                for rank in range(ranks):
                    for line in self.calls(folder, rank):
                        self.assertFalse({"-1", "-333", "-444"} & set(line.split()), line)
                listed = (folder / "trace.txt").read_text(encoding="ascii").split()
                self.assertEqual(listed, [f"rank-{rank + 1}.txt" for rank in range(ranks)])

    def test_shipped_recordings_are_of_these_programs(self):
        for name, ranks, program, arguments in RECORDED:
            shipped = SOURCE / "traces" / name
            self.assertEqual(len(list(shipped.glob("rank-*.txt"))), ranks)
            folder = self.record(program, ranks, arguments)
            for rank in range(ranks):
                self.assertEqual(self.calls(folder, rank), self.calls(shipped, rank),
                                 f"{name}, rank {rank}")


del Built

if __name__ == "__main__":
    unittest.main()
