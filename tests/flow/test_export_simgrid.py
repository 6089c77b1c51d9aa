#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines exported as platforms of SimGrid: on them, smpirun's PingPong is netsim's within the
tolerance for every stack with MPI, and MPI programs run as they are. The export itself needs no
SimGrid.
"""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

os.environ["COLUMNS"] = "1000"  # lines are not folded
NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
TESTBEDS = SOURCE / "scenarios" / "testbeds"
STACKS = {"lam_via": "cluster1", "mvich": "cluster1", "lam_tcp": "cluster1", "mpich_p4": "cluster1",
          "ch3_sock": "x306", "ch3_sctp": "x306", "ch3_hybrid": "x306", "openmpi_tcp": "x306",
          "armci": "config1"}
NO_BENCHMARK = {"armci"}
MOST = {"armci": 16384}  # bytes that the stack can send
DONE, WRONG = 0, 1  # exit codes
TOLERANCE = 3       # %

# The benchmark's own; some between: both sides of frames, and sizes at no particular place; and
# others wherever chance puts them, the same in each run.
SIZES = [1 << i for i in range(23)]
BETWEEN = [3, 48, 1000, 1447, 1461, 2921, 5000, 12288, 12345, 54321, 196608, 333333, 1234567]
CHANCE = random.Random(1)
ANY = sorted({int(2 ** CHANCE.uniform(0, 22)) for _ in range(40)})
# With cards that keep interrupts at a distance, times hang on those of the messages before, and
# have ledges between two sizes that are measured (docs/flows.md, interrupts that pace).
PACED = {"ch3_sock", "ch3_sctp", "ch3_hybrid", "openmpi_tcp"}
PACED_TOLERANCE = 5
PACED_SHARE = 0.05  # of sizes that may be beyond TOLERANCE
# A round trip of one frame each way takes half of the distance of 124.928 us, the whole, or one and a half, by the phase
# that the sizes before have left: Open MPI's 8 B take 31.3 us between 4 and 16 B, and 64.4 in another list. Each is netsim's.
PACED_STEP, PACED_STEPS, ONE_FRAME = 31.232e-6, (-2, -1, 0, 1, 2), 1460
PROGRAM = "ranks: 2, program: [{ranks: all, do: [{barrier: {}}]}]"

# Each collective with small and large messages, and blocks that are not equal.
COLLECTIVES = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int count = 1; count <= 100000; count *= 10) {
        int *from = calloc((size_t)(count + 1) * ranks, sizeof(int)), *parts = malloc(sizeof(int) * ranks);
        int *to = calloc((size_t)(count + 1) * ranks, sizeof(int)), *starts = malloc(sizeof(int) * ranks);
        for (int i = 0, start = 0; i < ranks; start += parts[i++])
            parts[i] = count, starts[i] = start;
        for (int i = 0; i < count * ranks; i++)
            from[i] = rank + 1;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += to[count - 1] != ranks * (ranks + 1) / 2;
        MPI_Reduce(from, to, count, MPI_INT, MPI_MAX, 1, MPI_COMM_WORLD);
        wrong += rank == 1 && to[0] != ranks;
        MPI_Gather(from, count, MPI_INT, to, count, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scatter(from, count, MPI_INT, to, count, MPI_INT, 0, MPI_COMM_WORLD);
        wrong += to[0] != 1;
        MPI_Allgather(from, count, MPI_INT, to, count, MPI_INT, MPI_COMM_WORLD);
        wrong += to[count * ranks - 1] != ranks;
        MPI_Alltoall(from, count, MPI_INT, to, count, MPI_INT, MPI_COMM_WORLD);
        wrong += to[count * ranks - 1] != ranks;
        MPI_Alltoallv(from, parts, starts, MPI_INT, to, parts, starts, MPI_INT, MPI_COMM_WORLD);
        MPI_Allgatherv(from, count, MPI_INT, to, parts, starts, MPI_INT, MPI_COMM_WORLD);
        wrong += to[count * ranks - 1] != ranks;
        MPI_Reduce_scatter(from, to, parts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += to[0] != ranks * (ranks + 1) / 2;
        MPI_Scan(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += to[0] != (rank + 1) * (rank + 2) / 2;
        MPI_Bcast(from, count, MPI_INT, ranks - 1, MPI_COMM_WORLD);
        wrong += from[0] != ranks;
    }
    printf("%d: %s\n", rank, wrong ? "WRONG" : "right");
    MPI_Finalize();
    return 0;
}
"""


def run(*command, cwd, code=DONE, timeout=300):
    done = subprocess.run([str(word) for word in command], check=False, timeout=timeout, text=True,
                          cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != code:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout[-3000:]}"
                             f"{done.stderr[-3000:]}")
    return done


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-simgrid-")
        cls.addClassCleanup(temporary.cleanup)
        cls.directory = pathlib.Path(temporary.name)

    def scenario(self, name, stack, workload, more=""):
        path = self.directory / f"{name}.yaml"
        path.write_text(f"schema: 1\nname: {name}\n"
                        f"testbed: {TESTBEDS / STACKS.get(stack, 'cluster1')}.yaml\n"
                        f"stack: {stack}\nworkload: {{{workload}}}\n{more}", encoding="utf-8")
        return path

    def export(self, scenario, out, *options, code=DONE):
        return run(NETSIM, "export", "simgrid", scenario, "--out", out, *options,
                   cwd=self.directory, code=code)

    def text(self, *path):
        return self.directory.joinpath(*path).read_text(encoding="utf-8")

    def platform(self, *path):
        return xml.etree.ElementTree.parse(self.directory.joinpath(*path)).getroot()

    def refused(self, scenario, message, *options):
        done = self.export(scenario, "refused", *options, code=WRONG)
        self.assertIn(message, done.stderr)
        self.assertFalse((self.directory / "refused" / "platform.xml").exists())


class Files(Exports):
    def test_star(self):
        self.export(self.scenario("star", "lam_tcp", PROGRAM), "star", "--host-speed", "2 Gflop/s")
        root = self.platform("star", "platform.xml")
        cluster = root.find("cluster")
        self.assertEqual([cluster.get(key) for key in ("prefix", "radical", "bw", "core", "speed")],
                         ["node", "0-5", "12500000Bps", "2", "2e+09f"])
        self.assertEqual(self.text("star", "hostfile"), "".join(f"node{i}\n" for i in range(6)))
        options = {prop.get("id"): prop.get("value") for prop in root.iter("prop")}
        self.assertEqual(options["smpi/async-small-thresh"], "65537")
        self.assertEqual(options["smpi/send-is-detached-thresh"], "65537")
        self.assertEqual(options["smpi/bcast"], "binomial_tree")
        self.assertEqual(options["smpi/allgather"], "GB")
        self.assertEqual(options["network/crosstraffic"], "no")
        for name in ("smpi/os", "smpi/ois", "smpi/or"):
            self.assertRegex(options[name], r"^0:[-0-9.e]+:[-0-9.e]+(;\d+:[-0-9.e]+:[-0-9.e]+)*$")
        readme = self.text("star", "README.md")
        self.assertIn("smpirun -platform platform.xml -hostfile hostfile "
                      "--cfg=smpi/host-speed:2000000000f -np 6 ./PROGRAM\n", readme)
        self.assertIn("| allgatherv | gatherv_each | its own |", readme)
        self.assertIn("speed: 2 Gflop/s", readme)
        self.assertIn("Nothing is lost", readme)

    def test_several_series_have_directories(self):
        done = self.export(SOURCE / "scenarios" / "bcast_cluster1.yaml", "several")
        self.assertEqual(sorted(os.listdir(self.directory / "several")),
                         ["LAM_TCP", "MPICH", "MVICH", "VIA_RPI"])
        self.assertEqual(len(re.findall(r"^several/\w+/platform.xml: .* PingPong in \d+ pieces, at "
                                        r"worst [-+][0-9.]+ % off at \d+ B$", done.stdout, re.M)), 4)
        for name in os.listdir(self.directory / "several"):
            self.assertEqual(sorted(os.listdir(self.directory / "several" / name)),
                             ["README.md", "hostfile", "platform.xml"])

    def test_what_is_no_library_has_no_platform(self):
        path = self.directory / "mixed.yaml"
        path.write_text(f"schema: 1\nname: mixed\ntestbed: {TESTBEDS}/cluster1.yaml\n"
                        "workload: {benchmark: pmb.pingpong}\nseries:\n  - {name: LAM, stack: lam_tcp}\n"
                        "  - {name: bare, stack: tcp, set: {workload.benchmark: native.pingpong}}\n",
                        encoding="utf-8")
        done = self.export(path, "mixed")
        self.assertIn("no platform of bare: the stack tcp is no MPI library\n", done.stdout)
        self.assertEqual(os.listdir(self.directory / "mixed"), ["LAM"])

    def test_two_exports_are_equal(self):
        scenario = self.scenario("same", "mvich", PROGRAM)
        self.export(scenario, "one")
        self.export(scenario, "two")
        for name in ("platform.xml", "hostfile", "README.md"):
            self.assertEqual(self.text("one", name), self.text("two", name))

    def test_what_is_not_modelled_is_said(self):
        done = self.export(self.scenario("limited", "armci", PROGRAM), "limited")
        self.assertIn("limited/platform.xml: nothing vouches for messages of more than 16 KiB, at "
                      "which netsim ends: ", done.stdout)
        self.assertIn("rank 0 sends 16385 B to rank 1: MPICH beside ARMCI is modelled for eager "
                      "messages only (mpich_gm.eager: 16384 B)\n", done.stdout)
        self.assertRegex(self.text("limited", "README.md"),
                         r"From 1 B to 16 KiB they are at worst .*\nnetsim ends at a larger message")
        self.assertRegex(self.text("limited", "README.md"), r"\n\| \d+ \| 16384 \| ")
        self.export(self.scenario("whole", "mvich", PROGRAM), "whole")
        self.assertRegex(self.text("whole", "README.md"),
                         r"From 1 B to 4 MiB they are at worst .*\nBeyond, the last piece goes on\.")

    def test_a_smaller_tolerance_takes_more_pieces(self):
        scenario = self.scenario("fine", "lam_tcp", PROGRAM)
        coarse = self.export(scenario, "coarse", "--tolerance", "10%").stdout
        fine = self.export(scenario, "fine", "--tolerance", "1%").stdout
        pieces = [int(re.search(r"in (\d+) pieces?", text)[1]) for text in (coarse, fine)]
        self.assertLess(pieces[0], pieces[1])
        self.assertLessEqual(abs(float(re.search(r"worst ([-+.0-9]+) %", fine)[1])), 1)

    def test_refused(self):
        program = self.scenario("program", "lam_tcp", PROGRAM)
        for text in ("x", "0.5%", "70%", "3%x", "3", "0.03"):
            self.refused(program, f"--tolerance {text}: a relative deviation from 1 % to 50 %",
                         "--tolerance", text)
        self.refused(program, "a host does at least 1 flop/s", "--host-speed", "0 flop/s")
        self.refused(self.scenario("bare", "mvia", "benchmark: native.pingpong"),
                     "the stack mvia is no MPI library")
        done = run(NETSIM, "export", "ti", program, "--out", "refused", "--tolerance", "3%",
                   cwd=self.directory, code=WRONG)
        self.assertIn("--tolerance is an option of `export simgrid', and not of `export ti'",
                      done.stderr)


class UnderSmpirun(Exports):
    @classmethod
    def setUpClass(cls):
        for tool in ("smpirun", "smpicc"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"{tool} is not installed")
        super().setUpClass()
        programs = cls.directory / "collectives.c"
        programs.write_text(COLLECTIVES, encoding="utf-8")
        for source in (HERE / "pingpong.c", programs, SOURCE / "examples" / "mpi" / "stencil.c",
                       SOURCE / "examples" / "mpi" / "cg.c"):
            run("smpicc", "-O2", source, "-o", cls.directory / source.stem, "-lm",
                cwd=cls.directory)

    exported = set()

    def exported_of(self, stack):
        """The directory of the stack's export, which the tests share."""
        if stack not in self.exported:
            self.export(self.scenario(stack, stack, PROGRAM), stack)
            self.exported.add(stack)
        return stack

    def smpirun(self, platform, ranks, program, *arguments):
        done = run("smpirun", "-platform", f"{platform}/platform.xml", "-hostfile",
                   f"{platform}/hostfile", "--cfg=smpi/simulate-computation:no",
                   "--log=root.threshold:error", "-np", ranks, f"./{program}", *arguments,
                   cwd=self.directory)
        return done.stdout

    def program_curve(self, stack, sizes):
        """As curve, of a program of two ranks: what pingpong.c does, without the benchmark."""
        ranks = [], []
        for size in sizes:
            for rank, other in ((0, 1), (1, 0)):
                there = f"send: {{to: {other}, size: {size} B, tag: 0}}"
                back = f"recv: {{from: {other}, size: {size} B, tag: 0}}"
                calls = f"[{{{there}}}, {{{back}}}]" if rank == 0 else f"[{{{back}}}, {{{there}}}]"
                ranks[rank].extend([f"{{loop: {{count: 3, do: {calls}}}}}", f"{{clock: b{size}}}",
                                    f"{{loop: {{count: 10, do: {calls}}}}}", f"{{lap: b{size}}}"])
        path = self.scenario(f"{stack}_curve", stack,
                             f"ranks: 2, program: [{{ranks: 0, do: [{', '.join(ranks[0])}]}}, "
                             f"{{ranks: 1, do: [{', '.join(ranks[1])}]}}]")
        done = run(NETSIM, "run", path, "--format", "json", "--out", "results", cwd=self.directory)
        laps = {value["metric"]: value["value"]
                for value in json.loads(done.stdout)["series"][0]["values"] if value["rank"] == 0}
        return {size: laps[f"b{size}_mean_us"] * 1e-6 / 20 for size in sizes}

    def curve(self, stack, sizes):
        """Seconds of netsim's own PingPong by size."""
        sizes = [size for size in sizes if size <= MOST.get(stack, size)]
        if stack in NO_BENCHMARK:
            return self.program_curve(stack, sizes)
        listed = ", ".join(f"{size} B" for size in sizes)
        path = self.scenario(f"{stack}_curve", stack,
                             f"benchmark: pmb.pingpong, ranks: 2, sizes: [{listed}]")
        done = run(NETSIM, "run", path, "--format", "json", "--out", "results", cwd=self.directory)
        points = json.loads(done.stdout)["series"][0]["points"]
        return {point["size_bytes"]: point["latency_us"] * 1e-6 for point in points}

    def deviations(self, platform, truth, paced=False):
        """Pairs of the deviation in per cent and the size, the largest first."""
        def off(size):
            steps = PACED_STEPS if paced and size <= ONE_FRAME else (0,)
            longer = max(seconds[size], truth[size])
            return min(abs(seconds[size] + step * PACED_STEP - truth[size]) / (longer if step else truth[size])
                       for step in steps)
        out = self.smpirun(platform, 2, "pingpong", *truth)
        seconds = {int(size): float(time) for size, time in re.findall(r"^(\d+) ([0-9.]+)$", out,
                                                                       re.M)}
        self.assertEqual(seconds.keys(), truth.keys())
        return sorted(((100 * off(size), size) for size in truth), reverse=True)

    def test_pingpong_is_netsims(self):
        for stack in STACKS:
            with self.subTest(stack=stack):
                platform = self.exported_of(stack)
                paced = stack in PACED
                worst, size = self.deviations(platform, self.curve(stack, SIZES), paced)[0]
                self.assertLessEqual(worst, TOLERANCE, f"at {size} B")
                worst, size = self.deviations(platform, self.curve(stack, BETWEEN), paced)[0]
                tolerance = PACED_TOLERANCE if paced else TOLERANCE
                self.assertLessEqual(worst, tolerance, f"at {size} B")
                anywhere = self.deviations(platform, self.curve(stack, ANY), paced)
                beyond = [pair for pair in anywhere if pair[0] > TOLERANCE]
                share = PACED_SHARE if paced else 0
                self.assertLessEqual(len(beyond), share * len(anywhere), beyond)

    def test_collectives_of_each_library(self):
        for stack in ("lam_tcp", "mpich_p4", "mvich", "ch3_sock", "openmpi_tcp"):
            platform = self.exported_of(stack)
            for ranks in (4, 6, 8):
                with self.subTest(stack=stack, ranks=ranks):
                    out = self.smpirun(platform, ranks, "collectives")
                    self.assertEqual(out.count(": right\n"), ranks, out)

    def test_programs_as_they_are(self):
        platform = self.exported_of("lam_tcp")
        for program, arguments in (("stencil", "100 100 20"), ("cg", "64 20")):
            with self.subTest(program=program):
                first = self.smpirun(platform, 6, program, *arguments.split())
                self.assertIn(": right\n", first)
                self.assertEqual(self.smpirun(platform, 6, program, *arguments.split()), first)


if __name__ == "__main__":
    unittest.main()
