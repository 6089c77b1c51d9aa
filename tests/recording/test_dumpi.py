#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""DUMPI traces as text. dumpi/calls-000N.txt is what SST's dumpi2ascii (sst-dumpi's main branch of 2026) wrote of dumpi/calls.c,
which its tracer recorded under Open MPI 4.1 on four processes:

    mpicc calls.c -o calls -ldumpi && mpirun -n 4 ./calls
    for i in 0 1 2 3; do dumpi2ascii dumpi-*-000$i.bin >calls-000$i.txt; done
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"]).resolve()
NETSIM = os.path.abspath(os.environ["NETSIM"])
TRACE = SOURCE / "tests/recording/dumpi"
SCENARIO = """schema: 1
name: dumpi
testbed: {bed}
workload: {{replay: calls-0000.txt}}
series: [{{name: one, stack: openmpi5_tcp}}]
"""
# The calls of dumpi/calls.c in its order; a Test that is done is a wait, another one is left out.
MESSAGES = ["isend", "irecv", "waitall", "barrier", "issend", "irecv", "wait", "wait", "isend", "irecv"]
COLLECTIVES = ["barrier", "bcast", "reduce", "allreduce", "scan", "gather", "scatter", "allgather", "alltoall", "gatherv",
               "scatterv", "allgatherv", "reduce_scatter", "alltoallv"]
# (rank's file, what is replaced, by what, the line's error)
WRONG = [
    (0, "MPI_Comm comm=2 (MPI_COMM_WORLD)\nint size=4", "MPI_Comm comm=2 (MPI_COMM_WORLD)\nint size=5",
     "MPI_Comm_size: the program has 5 ranks, and there are files of 4"),
    (0, "int count=3", "int count=three", 'MPI_Isend: count is "three", and no whole number'),
    (0, "int count=3", "int count=-3", "MPI_Isend: count is"),
    (0, "int count=3\n", "", "MPI_Isend: there is no count"),
    (1, "(MPI_DOUBLE)", "(user-defined-datatype)", "does not have the size of datatype"),
    (1, "int dest=2", "int dest=9", "MPI_Isend: dest is"),
    (1, "int tag=5", "int tag=-5", "MPI_Isend: tag is"),
    (2, "MPI_Request request=[2]", "MPI_Request request=2", "request is no list of numbers"),
    (2, "in thread 0.", "in thread 1.", "calls of several threads"),
    (3, "MPI_Finalize entering", "MPI_Win_fence entering", "does not return before MPI_Finalize does"),
    (3, "MPI_Scan", "MPI_Win_fence", "MPI_Win_fence: this call of a DUMPI trace cannot be replayed"),
    (0, "MPI_Isend returning", "MPI_Irecv entering", "another call begins before it returns"),
    (0, "MPI_Request request=[3]", "MPI_Request request=[2]", "request 2 is open already"),
    (0, "oldcomm=2 (MPI_COMM_WORLD)", "oldcomm=4 (user-defined-comm)", "a communicator of another one than MPI_COMM_WORLD"),
    (1, "newcomm=4 (", "newcomm=44 (", "is not one whose ranks the trace has"),
    (0, "walltime 8", "walltime x", "is no line of a call"),
    (0, "int commsize=4", "int commsize=3", "numbers, and the communicator 3 ranks"),
]


class Dumpi(unittest.TestCase):
    """The recorded program, and copies of it with a mistake each."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        for file in TRACE.glob("*.txt"):
            shutil.copy(file, self.scratch)
        (self.scratch / "one.yaml").write_text(SCENARIO.format(bed=SOURCE / "scenarios/testbeds/x306.yaml"), encoding="utf-8")

    def netsim(self, *words):
        return subprocess.run([NETSIM, *words], cwd=self.scratch, check=False, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def calls(self):
        """[each rank's rows], without its own work."""
        done = self.netsim("flatten", "one.yaml", "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        ranks = [[] for _ in range(4)]
        for line in done.stdout.splitlines():
            row = json.loads(line)
            if row["call"] != "compute":
                ranks[row["rank"]].append(row)
        return ranks

    def test_calls(self):
        """Every rank makes the calls of the program, once for all ranks and once for its row."""
        for rank, rows in enumerate(self.calls()):
            names = [row["call"] for i, row in enumerate(rows) if i == 0 or row["at"] != rows[i - 1]["at"]]
            with self.subTest(rank=rank):
                self.assertEqual(names[:len(MESSAGES)], MESSAGES)
                self.assertEqual(names[-2 * len(COLLECTIVES):], 2 * COLLECTIVES)

    def test_peers_and_sizes(self):
        for rank, rows in enumerate(self.calls()):
            first = [row for row in rows if row["call"] == "isend"][0]
            self.assertEqual((first["peer"], first["bytes"], first["tag"]), ((rank + 1) % 4, 24, 5))
            # Rows of the split: ranks 0 and 2, 1 and 3, in the order of falling ranks.
            last = [row for row in rows if row["call"] == "alltoallv" and row["operation"] == "isend"]
            self.assertEqual([row["peer"] for row in last][-1:], [(rank + 2) % 4])

    def test_runs(self):
        done = self.netsim("run", "one.yaml", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        other = self.netsim("trace", "calls-0000.txt")
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertIn("DUMPI", other.stdout)

    def test_mistakes(self):
        for rank, old, new, error in WRONG:
            name = f"calls-000{rank}.txt"
            text = (TRACE / name).read_text(encoding="utf-8")
            with self.subTest(f"{name}: {new}"):
                self.assertIn(old, text)
                (self.scratch / name).write_text(text.replace(old, new, 1) if "Scan" not in old else text.replace(old, new),
                                                 encoding="utf-8")
                done = self.netsim("check", "one.yaml")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertRegex(done.stderr, name.replace(".", r"\.") + r":[1-9][0-9]*:1: error: ")
                self.assertIn(error, done.stderr)
            (self.scratch / name).write_text(text, encoding="utf-8")

    def test_files(self):
        """A file that is cut off, one that is missing, and a name without a number."""
        text = (TRACE / "calls-0003.txt").read_text(encoding="utf-8")
        (self.scratch / "calls-0003.txt").write_text(text[:text.index("MPI_Finalize")], encoding="utf-8")
        self.assertIn("do not end with MPI_Finalize", self.netsim("check", "one.yaml").stderr)
        (self.scratch / "calls-0003.txt").unlink()
        self.assertIn("there are files of 3", self.netsim("check", "one.yaml").stderr)
        shutil.copy(TRACE / "calls-0000.txt", self.scratch / "calls.txt")
        self.assertIn("NAME-0000.txt", self.netsim("trace", "calls.txt").stderr)


if __name__ == "__main__":
    unittest.main()
