#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs exported as time-independent traces: replayed they take exactly as long as themselves,
exported again they are the same files, smpirun replays them, and programs that the format can't
hold are refused with their places. The random programs have fixed seeds.
"""

import json
import os
import re
import shutil
import subprocess
import unittest

from test_replay import DONE, FAILED, SOURCE, TESTBEDS, WRONG, Author, Replays, times

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-15" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>
"""


class Exports(Replays):
    def run_json(self, name):
        return json.loads(self.netsim("run", name, "--format", "json", "--out", "results").stdout)

    def export(self, name, out, *options, code=DONE):
        return self.netsim("export", "ti", name, "--out", out, *options, code=code)

    def files(self, folder):
        folder, texts = os.path.join(self.directory, folder), {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts[name] = file.read()
        return texts

    def program(self, parts, ranks=2, before=""):
        self.scenario("p.yaml", f"  ranks: {ranks}\n{before}  program:\n    - ranks: all\n"
                                f"      do:\n" + "".join(f"        - {part}\n" for part in parts))

    def random_programs(self):
        """Yields (seed, ranks) of each random program, which is exported to out<seed>."""
        for seed in range(12):
            ranks = 2 + seed % 5
            author = Author(seed, ranks, 300000, False)
            self.scenario("p.yaml", f"  ranks: {ranks}\n  program:\n{author.program()}")
            self.export("p.yaml", f"out{seed}")
            yield seed, ranks


class Returns(Exports):
    def test_same_time_and_same_files(self):
        for seed, ranks in self.random_programs():
            with self.subTest(seed=seed):
                self.scenario("r.yaml", f"  replay: out{seed}/lam_tcp.txt\n  speed: 1 Gflop/s\n")
                self.assertEqual(times(self.run_json("r.yaml")), times(self.run_json("p.yaml")))
                self.export("r.yaml", f"again{seed}")
                first, second = self.files(f"out{seed}"), self.files(f"again{seed}")
                self.assertEqual(first.keys(), second.keys())
                for name in first.keys() - {"README.md"}:
                    self.assertEqual(second[name], first[name], name)
                self.assertEqual(first["lam_tcp.txt"].split(),
                                 [f"lam_tcp_rank-{rank}.txt" for rank in range(ranks)])

    def test_speed(self):
        """Work is counted at the given speed, a replay's at its own, else at 1 Gflop/s."""
        self.program(("compute: 3 us", "barrier:"))
        for options, work, speed in (((), 3000, "1 Gflop/s"),
                                     (("--host-speed", "125 Mflop/s"), 375, "125 Mflop/s")):
            self.export("p.yaml", "out", *options)
            files = self.files("out")
            self.assertEqual(files["lam_tcp_rank-1.txt"],
                             f"1 init\n1 compute {work}\n1 barrier\n1 finalize\n")
            self.assertIn(f"workload: {{replay: lam_tcp.txt, speed: {speed}}}", files["README.md"])
        self.scenario("r.yaml", "  replay: out/lam_tcp.txt\n  speed: 125 Mflop/s\n")
        self.export("r.yaml", "again")
        self.assertIn("compute 375\n", self.files("again")["lam_tcp_rank-0.txt"])

    def test_benchmark(self):
        """One repetition of each size, unless the scenario sets the number."""
        self.scenario("b.yaml", "  benchmark: pmb.allreduce\n  sizes: [8 B, 64 B]\n  ranks: 3\n")
        lines = {}
        for repetitions in (1, 5):
            self.export("b.yaml", "out", "--set", f"workload.repetitions={repetitions}")
            lines[repetitions] = self.files("out")["lam_tcp_rank-2.txt"].count("allreduce 64 0 6")
        self.assertEqual(lines[5], lines[1] + 4)

    def test_several_series(self):
        self.write("p.yaml", f"schema: 1\ntestbed: {TESTBEDS}/cluster1.yaml\n"
                             "workload: {ranks: 2, program: [{ranks: all, do: [barrier]}]}\n"
                             "series: [{name: A B, stack: lam_tcp}, {name: a_b, stack: mvich},\n"
                             "  {name: ../c, stack: lam_tcp}]\n")
        text = self.export("p.yaml", "out").stdout
        self.assertEqual(text, "out/A_B.txt: A B, 2 ranks\nout/a_b-2.txt: a_b, 2 ranks\n"
                               "out/_._c.txt: ../c, 2 ranks\n")
        self.export("p.yaml", "one", "--series", "a_b")
        self.assertEqual(sorted(self.files("one")),
                         ["README.md", "a_b.txt", "a_b_rank-0.txt", "a_b_rank-1.txt"])


class Refused(Exports):
    def refused_part(self, *parts, said, code=WRONG, before=""):
        self.program(parts, before=before)
        errors = self.export("p.yaml", "refused", code=code).stderr
        self.assertIn(said, errors)
        self.assertEqual(os.listdir(os.path.join(self.directory, "refused")), [])

    def test_calls(self):
        comm = "  communicators: {half: {split: rank}}\n"
        for part, said in (("{ssend: {to: 1 - rank, size: 8 B}}", "no synchronous send"),
                           ("{rsend: {to: 1 - rank, size: 8 B}}", "buffered, or that its receive"),
                           ("{probe: {from: 1 - rank}}", "no recording has a probe"),
                           ("{recv: {from: any, size: 8 B}}", "looks like one from MPI_PROC_NULL"),
                           ("{sendrecv: {to: 1 - rank, from: 1 - rank, size: 8 B, tag: 3}}",
                            "a sendrecv has no tags"),
                           ("{copy: 64 KiB}", "the host's memory says how long"),
                           ("{isend: {to: 1 - rank, size: 8 B, request: a}}",
                            "nothing waits for the request")):
            with self.subTest(part=part):
                self.refused_part("barrier:", part, said=said)
                self.refused_part("barrier:", part, said="p.yaml:10: ")
        self.refused_part("{barrier: {comm: half}}", said="communicators cannot be recorded",
                          before=comm)
        for wait in ("{waitany: all}", "{testall: all}", "{test: {request: a, every: 1 us}}"):
            with self.subTest(wait=wait):
                self.refused_part("{irecv: {from: 1 - rank, size: 8 B, request: a}}", wait,
                                  "{send: {to: 1 - rank, size: 8 B}}", "{wait: a}",
                                  said="p.yaml:10: ")

    def test_failing_expression(self):
        self.refused_part("{send: {to: \"1 / (rank - rank)\", size: 8 B}}", code=FAILED,
                          said="p.yaml:9: send of rank 0 in lam_tcp: ")

    def test_options(self):
        self.program(("barrier:",))
        for words, said in ((("p.yaml",), "where shall the files be written?"),
                            (("p.yaml", "--out", "x", "--host-speed", "3"), "--host-speed 3: "),
                            (("p.yaml", "--out", "x", "--host-speed", "0"), "at least 1 flop/s"),
                            (("p.yaml", "--out", "p.yaml"), "p.yaml"),
                            (("p.yaml", "--out", "x", "--series", "none"), "none")):
            with self.subTest(words=words):
                self.assertIn(said, self.netsim("export", "ti", *words, code=WRONG).stderr)
        self.assertIn("it must be one of ti",
                      self.netsim("export", "t", "p.yaml", "--out", "x", code=WRONG).stderr)


@unittest.skipUnless(shutil.which("smpirun"), "no smpirun: Debian's package simgrid has it")
class UnderSimGrid(Exports):
    def smpirun(self, folder, ranks, trace="lam_tcp.txt"):
        self.write("platform.xml", PLATFORM)
        self.write("hosts.txt", "".join(f"n{rank}\n" for rank in range(16)))
        done = subprocess.run(["smpirun", "-np", str(ranks), "-platform", "../platform.xml",
                               "-hostfile", "../hosts.txt", "-replay", trace],
                              cwd=os.path.join(self.directory, folder), text=True, check=False,
                              timeout=300, capture_output=True)
        text = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, text)
        return max(map(float, re.findall(r"Simulation time ([0-9.e+-]+)", text)))

    def test_random_programs(self):
        for seed, ranks in self.random_programs():
            with self.subTest(seed=seed):
                self.smpirun(f"out{seed}", ranks)

    def test_time_of_computations(self):
        self.program(("compute: 25 ms", "barrier:"))
        self.export("p.yaml", "out")
        self.assertAlmostEqual(self.smpirun("out", 2), 0.025, delta=0.001)

    def test_a_recording_is_replayed_as_it_was(self):
        """A recording by smpirun and its export take the same time there."""
        recorded = os.path.join(SOURCE, "traces", "cg_8")
        self.export(os.path.join(SOURCE, "scenarios", "replay_cg.yaml"), "out", "--series",
                    "LAM TCP", "--set", "workload.speed=1 Gflop/s")
        exported = self.smpirun("out", 8, "LAM_TCP.txt")
        with open(os.path.join(recorded, "trace.txt"), encoding="ascii") as file:
            self.write("out/t.txt", "".join(os.path.join(recorded, line) for line in file))
        self.assertAlmostEqual(self.smpirun("out", 8, "t.txt"), exported, delta=1e-5 * exported)


del Replays

if __name__ == "__main__":
    unittest.main()
