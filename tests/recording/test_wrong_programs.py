#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings that can be read, and whose programs are wrong: receives without a send, sends without a receive, calls
that do not belong together, numbers that are too large. Each run ends with a report of the calls that wait, their
lines, and the reasons; the exit codes are those of any other program.
"""

import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
TESTBEDS = os.path.join(os.path.abspath(os.environ["NETSIM_SOURCE_DIR"]), "scenarios", "testbeds")
STACKS = {"lam_tcp": "cluster1", "lam_via": "cluster1", "mvich": "cluster1", "mpich_p4": "cluster1",
          "ch3_sock": "x306", "ch3_sctp": "x306", "ch3_hybrid": "x306", "openmpi_tcp": "x306",
          "armci": "config1"}
EAGER_ONLY = {"armci"}
DONE, WRONG, LOST, FAILED = 0, 1, 2, 3 # exit codes
LARGE = 1000000

# Calls of rank 0 and of rank 1, how the run ends, and parts of its report. Rank 0's calls are in the file from its
# second line on.
CASES = (
    # Receives without a send.
    (("recv 1 1 8 6",), (), FAILED, "deadlock", "t.txt:2:1: recv", "peer 1, tag 1, 8 bytes, waits for a matching message"),
    (("irecv 1 1 8 6", "wait 1 0 1"), (), FAILED, "deadlock", "t.txt:3:1: wait"),
    (("irecv 1 1 8 6", "irecv 1 2 8 6", "waitall 2"), ("send 0 1 8 6",), FAILED, "deadlock", "t.txt:4:1: waitall", "tag 2"),
    (("irecv 1 1 8 6", "test 1 0 1"), (), FAILED, "deadlock", "t.txt:3:1: wait"), # its end was recorded, so it is awaited
    (("irecv 1 1 8 6",), (), FAILED, "deadlock", "t.txt:3:1: waitall"), # finalize's
    (("recv 0 1 8 6",), (), FAILED, "deadlock", "t.txt:2:1: recv", "held by rank 0"), # from itself
    (("recv 1 -444 8 6",), (), FAILED, "deadlock", "t.txt:2:1: recv"), # any tag
    (("sendRecv 8 1 8 1 6 6",), (), FAILED, "deadlock", "t.txt:2:1: sendrecv"),
    (("recv 1 1 8 6",), ("recv 0 1 8 6",), FAILED, "2 of 2 ranks wait", "t.txt:2:1: recv", "t.txt:5:1: recv"),
    # Sends without a receive: one that is buffered has ended, and its message is lost.
    (("send 1 1 8 6",), (), LOST, "1 not completed of 1 messages", "rank 0 to 1, 8 B: bytes 0..7 not delivered"),
    (("isend 1 1 8 6", "wait 0 1 1"), (), LOST, "not delivered"),
    ((f"send 1 1 {LARGE} 6",), (), FAILED, "deadlock", "t.txt:2:1: send", "peer 1, tag 1, 1000000 bytes, waits for"),
    ((f"isend 1 1 {LARGE} 6",), (), FAILED, "deadlock", "t.txt:3:1: waitall"),
    (("Ssend 1 1 8 6",), (), FAILED, "deadlock", "t.txt:2:1: ssend"),
    (("ISsend 1 1 8 6", "waitall 1"), (), FAILED, "deadlock", "t.txt:3:1: waitall"),
    (("Ssend 1 1 8 6", "recv 1 2 8 6"), ("Ssend 0 2 8 6", "recv 0 1 8 6"), FAILED, "2 of 2 ranks wait", "t.txt:2:1: ssend", "t.txt:6:1: ssend"),
    # Messages that do not match.
    (("send 1 2 8 6",), ("recv 0 1 8 6",), FAILED, "deadlock", "t.txt:5:1: recv", "tag 1"),
    (("send 1 1 80 6",), ("recv 0 1 8 6",), FAILED, "rank 1 receives 80 B from rank 0 into a buffer of 8 B (MPI_ERR_TRUNCATE)"),
    # Collectives of some ranks, of others, of other sizes, with other roots.
    (("barrier",), (), FAILED, "deadlock", "t.txt:2:1: barrier"),
    (("allreduce 8 0 6",), (), FAILED, "deadlock", "t.txt:2:1: allreduce"),
    (("alltoall 8 8 6 6", "barrier"), ("alltoall 8 8 6 6",), FAILED, "deadlock", "t.txt:3:1: barrier"),
    (("allreduce 8 0 6",), ("allreduce 16 0 6",), FAILED, "MPI_ERR_TRUNCATE"),
    (("bcast 8 0 6",), ("bcast 8 1 6",), LOST, "not delivered"),
    # More than time or a message can hold.
    (("compute 1e30",), (), FAILED, "what comes next is past the end of simulated time, 26 days; rank 0 is at t.txt:2:1: compute"),
    (("compute 2e15", "compute 2e15"), ("recv 0 1 1 6",), FAILED, "past the end of simulated time", "t.txt:3:1: compute", "t.txt:6:1: recv"),
    (tuple(["sleep 1e6"] * 10), (), FAILED, "past the end of simulated time"),
    (("allreduce 1 1e30 6",), ("allreduce 1 0 6",), FAILED, "past the end of simulated time", "t.txt:2:1: compute"),
    (("alltoall 1e11 1e11 6 6",), ("alltoall 1e11 1e11 6 6",), FAILED, "a message of 100000000000 B is longer than MPI's count of bytes can say"),
    # As small or as large as they may be.
    (("compute 1e-300", "sleep 1e-300"), (), DONE),
    (("send 1 2147483647 8 6",), ("recv 0 2147483647 8 6",), DONE),
    (("send 1 0 0 6",), ("recv 0 0 0 6",), DONE),
    (("send 0 1 8 6", "recv 0 1 8 6"), (), DONE), # to itself
)


class WrongPrograms(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-wrong-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def write(self, name, text):
        with open(os.path.join(self.directory, name), "w", encoding="ascii") as file:
            file.write(text)

    def expect(self, stack, calls, code, *parts):
        self.write("t.txt", "".join(f"{rank} {line}\n" for rank in (0, 1) for line in ("init", *calls[rank], "finalize")))
        self.write("s.yaml", f"schema: 1\ntestbed: {TESTBEDS}/{STACKS[stack]}.yaml\nstack: {stack}\n"
                             "workload: {replay: t.txt, speed: 1 Gflop/s}\n")
        done = subprocess.run([NETSIM, "run", "s.yaml", "--out", "out"], cwd=self.directory, text=True, check=False,
                              timeout=300, stdin=subprocess.DEVNULL, capture_output=True)
        printed = " ".join((done.stdout + done.stderr).split())  # lines fold
        self.assertEqual(done.returncode, code, printed)
        for part in parts:
            self.assertIn(part, printed)

    def test_what_is_said(self):
        for first, second, code, *parts in CASES:
            with self.subTest(first=first, second=second):
                self.expect("lam_tcp", (first, second), code, *parts)

    def test_every_stack(self):
        """A program without end is a deadlock over each of them, and its calls are named."""
        other = "recv 0 9 8 6" # what rank 1 waits for
        for stack in STACKS:
            for first, name in ((("recv 1 1 8 6",), "recv"), (("barrier",), "barrier"), ((f"Ssend 1 1 {LARGE} 6",), "ssend")):
                if stack in EAGER_ONLY and name == "ssend":
                    continue
                with self.subTest(stack=stack, first=first):
                    self.expect(stack, (first, (other,)), FAILED, "2 of 2 ranks wait", f"t.txt:2:1: {name}", "t.txt:5:1: recv")


if __name__ == "__main__":
    unittest.main()
