#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs under Open MPI, recorded as OTF2 archives and replayed: each call that the recorder has, and
the shipped archive, which has the calls of the program that it is of. No test depends on how long
something takes.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"]).resolve()
SHIPPED = SOURCE / "traces" / "stencil_4_otf2" / "traces.otf2"
EVERY_CALL = SOURCE / "tests" / "recording" / "every_call.c"

SCENARIO = """schema: 1
name: {name}
testbed: {source}/scenarios/testbeds/two_networks.yaml
workload: {{replay: {archive}, {time}}}
series:
  - {{name: TCP, stack: lam_tcp, set: {{nic: eth0}}}}
  - {{name: VIA, stack: lam_via, set: {{nic: eth0}}}}
"""
EXAMPLES = ("cg", "stencil", "sample_sort")
UNTIMED = "time_scale: 0"


def run(*command, **options):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OPTIONS": "--oversubscribe --mca btl self,vader"}
    return subprocess.run([str(word) for word in command], check=False, timeout=300, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment, **options)


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-otf2-")
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def replay(self, archive, time=UNTIMED, name="replay"):
        """How netsim ended, and its results if it did."""
        scenario = self.directory / f"{name}.yaml"
        scenario.write_text(SCENARIO.format(name=name, source=SOURCE, archive=archive, time=time),
                            encoding="ascii")
        done = run(NETSIM, "run", scenario, "--format", "json", cwd=self.directory)
        return done, json.loads(done.stdout) if done.returncode == 0 else None

    def times(self, results):
        return [[value["value"] for value in series["values"]] for series in results["series"]]


class Replays(Case):
    def test_shipped(self):
        """As many messages as the program sends: 50 steps, on each of four sides that join two ranks
        one per direction, five allreduces and that of the check, and the barrier."""
        done, results = self.replay(SHIPPED, "time_scale: 8")
        self.assertEqual(done.returncode, 0, done.stderr)
        untimed = self.replay(SHIPPED)[1]
        self.assertEqual(results["ledger"]["messages"], untimed["ledger"]["messages"])
        self.assertGreater(results["ledger"]["messages"], 2 * 50 * 8)
        for timed, bare in zip(self.times(results), self.times(untimed)):
            self.assertLess(max(bare), min(timed))

    def test_the_same_as_lines(self):
        """The archive's calls as SimGrid's lines, without the work, take as long."""
        self.replay(SHIPPED)
        done = run(NETSIM, "export", "ti", self.directory / "replay.yaml", "--series", "TCP",
                   "--host-speed", "1 Gflop/s", "--out", "lines", cwd=self.directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        bare = self.replay(SHIPPED)[1]
        lined = self.replay(self.directory / "lines" / "TCP.txt", "speed: 1 Gflop/s", "lined")[1]
        self.assertEqual(self.times(lined), self.times(bare))


class Recorded(Case):
    @classmethod
    def setUpClass(cls):
        for tool in ("mpicc", "mpirun"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"{tool} is not installed")
        temporary = tempfile.TemporaryDirectory(prefix="netsim-mpi-")
        cls.addClassCleanup(temporary.cleanup)
        cls.built = pathlib.Path(temporary.name)
        examples = [SOURCE / "examples" / "mpi" / f"{name}.c" for name in EXAMPLES]
        for source in (EVERY_CALL, *examples):
            done = run("mpicc", "-O2", "-Wall", "-Wextra", "-Werror", source, "-o",
                       cls.built / source.stem, "-lm")
            if done.returncode:
                raise AssertionError(f"mpicc {source}\n{done.stderr}")
        done = run("mpicc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                   *(SOURCE / "examples" / "mpi" / "otf2_record").glob("*.c"), "-o",
                   cls.built / "recorder.so", "-lopen-trace-format2")
        if done.returncode:
            raise AssertionError(f"the recorder\n{done.stderr}")

    def record(self, ranks, program, *arguments):
        folder = self.directory / f"{program}-{ranks}"
        done = run(SOURCE / "traces" / "record_otf2.sh", folder, ranks, self.built / program,
                   *arguments, cwd=self.directory)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return folder / "traces.otf2"

    def test_every_call(self):
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                done, results = self.replay(self.record(ranks, "every_call"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(results["ledger"]["messages"], results["ledger"]["delivered"])

    def test_examples(self):
        for program, arguments in (("cg", (64, 20)), ("sample_sort", (1000, 16))):
            with self.subTest(program=program):
                done, _ = self.replay(self.record(4, program, *arguments))
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_shipped_archive_is_of_the_program(self):
        archive = self.record(4, "stencil", 512, 512, 50)
        self.assertEqual(self.times(self.replay(archive)[1]), self.times(self.replay(SHIPPED)[1]))


if __name__ == "__main__":
    unittest.main()
