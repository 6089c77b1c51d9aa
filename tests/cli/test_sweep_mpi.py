#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim sweep under mpirun: ranks that share the points, and die."""

import os
import signal
import subprocess
import unittest

from harness import NETSIM
import needs
from sweeping import content, count, SHORT, SLOW, SweepCase, TINY


@needs.program("mpirun")
class Mpi(SweepCase):
    ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def mpirun(self, ranks, *arguments):
        return subprocess.run(["mpirun", "-n", str(ranks), "--oversubscribe", NETSIM, "sweep",
                               *arguments], cwd=self.directory, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=300,
                              env={**os.environ, **self.ENVIRONMENT})

    def setUp(self):
        super().setUp()
        linked = subprocess.run(["ldd", NETSIM], stdout=subprocess.PIPE, text=True, check=False)
        if "libmpi" not in linked.stdout:
            self.skipTest("the program was built without MPI")

    def test_ranks_do_the_same_as_processes(self):
        self.sweep("quick.yaml", *TINY, *SHORT, "--out", "alone")
        for ranks in (1, 2, 3):
            done = self.mpirun(ranks, "quick.yaml", *TINY, *SHORT, "--out", f"mpi{ranks}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("6 of them new: 6 completed", done.stdout)
            self.assertEqual(done.stdout.count("quick: "), 1)
            self.assertEqual(content(self.path(f"mpi{ranks}/sweep.sqlite")),
                             content(self.path("alone/sweep.sqlite")))
        done = self.mpirun(2, "quick.yaml", *TINY, *SHORT, "--out", "mpi2")
        self.assertIn("0 of them new", done.stdout)

    def test_draws(self):
        """Ranks share draws as other points: the same database and the same report."""
        draws = (*TINY, "--draws", "3")
        alone = self.sweep("quick.yaml", *draws, "--quiet", "--out", "alone")
        done = self.mpirun(3, "quick.yaml", *draws, "--quiet", "--out", "ranks")
        self.assertEqual((done.returncode, done.stdout), (0, alone.stdout), done.stderr)
        self.assertEqual(content(self.path("ranks/sweep.sqlite")), content(self.path("alone/sweep.sqlite")))

    def case_processes(self, job):
        """The processes that run a case, by rank; ranks are children of mpirun."""
        def children(process):
            try:
                with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
                    return [int(word) for word in file.read().split()]
            except OSError:
                return []
        return {rank: children(rank) for rank in children(job.pid)}

    def start_job(self, *arguments):
        return subprocess.Popen(["mpirun", "-n", "3", "--oversubscribe", NETSIM, "sweep",
                                 *arguments], cwd=self.directory, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**os.environ, **self.ENVIRONMENT})

    AXIS = ("--set", "lam_via.rdescs=40,41,42,43,44,45,46,47")

    def at_work(self, job):
        return [children[0] for children in self.case_processes(job).values() if children]

    def test_a_case_that_dies_is_a_result(self):
        job = self.start_job("slow.yaml", *self.AXIS)
        self.wait_for(lambda: len(self.at_work(job)) == 2, job)
        os.kill(self.at_work(job)[0], signal.SIGKILL)
        out, errors = job.communicate(timeout=300)
        self.assertEqual(job.returncode, 2, errors)
        self.assertIn("7 completed, 1 crashed", out)

    def test_a_rank_that_dies_is_reported(self):
        job = self.start_job("slow.yaml", *self.AXIS)
        self.wait_for(lambda: count(self.path("results/slow/sweep.sqlite")) >= 2 and
                      self.at_work(job), job)
        rank = next(rank for rank, children in self.case_processes(job).items() if children)
        os.kill(rank, signal.SIGKILL)
        _, errors = job.communicate(timeout=300)
        self.assertNotEqual(job.returncode, 0)
        self.assertIn("signal 9", errors)
        kept = count(self.path("results/slow/sweep.sqlite"))
        self.assertGreaterEqual(kept, 2)
        self.assertIn(f"{8 - kept} of them new: 8 completed",
                      self.sweep("slow.yaml", *self.AXIS).stdout)

    def test_time_limit(self):
        self.write("slow.yaml", SLOW.replace("300", "1000000"))
        done = self.mpirun(2, "slow.yaml", "--set", "lam_via.rdescs=40,41", "--time-limit", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("2 crashed", done.stdout)

    def test_the_launcher_of_another_mpi(self):
        for variable in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE"):
            done = self.sweep("quick.yaml", *TINY, code=1, environment={variable: "3"})
            self.assertIn("one of 3 ranks", done.stderr)
            self.assertIn("--shard", done.stderr)
        self.assertFalse(os.path.exists(self.path("results")))
        self.sweep("quick.yaml", *TINY, "--shard", "1/3", environment={"PMI_SIZE": "3"})

    def test_what_ranks_do_not_share(self):
        """Each rank would run all claims, fits or figures, into the same files: refused before the first, and reported once."""
        commands = (("validate", "via.pingpong.latency_min.mvich", "--quiet"), ("figures",), ("fit", "points.csv"),
                    ("calibrate", "quick.yaml", "--fit", "lam_via.tiny=1 KiB..2 KiB", "--to", "t.yaml"))
        for command in commands:
            for launcher in ({"OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_RANK": "0"}, {"PMI_SIZE": "3", "PMI_RANK": "0"},
                             {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "3"}):
                error = self.netsim(*command, code=1, environment=launcher).stderr
                self.assertIn("this is one of 3 ranks, and each would do all of it (start it once: -j N", error)
            self.assertEqual("", self.netsim(*command, code=1, environment={"PMI_SIZE": "3", "PMI_RANK": "2"}).stderr)
        self.assertFalse(os.path.exists(self.path("results")))
        done = subprocess.run(["mpirun", "-n", "2", "--oversubscribe", NETSIM, "validate", "via.pingpong.latency_min.mvich"],
                              cwd=self.directory, text=True, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, env={**os.environ, **self.ENVIRONMENT})
        self.assertEqual((done.returncode, done.stderr.count("this is one of 2 ranks")), (1, 1), done.stderr)

    def test_mistakes_are_told_once(self):
        done = self.mpirun(3, "quick.yaml", "--set", "lam_via.tiny=1 KiB,2 furlong")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("error: lam_via.tiny"), 1)
        self.assertFalse(os.path.exists(self.path("results")))


if __name__ == "__main__":
    unittest.main()
