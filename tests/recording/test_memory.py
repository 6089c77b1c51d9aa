#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording of 1,024 ranks is replayed packet by packet over GM in memory that its length does not
determine: at most 5 KB per rank more than the same calls take as a program, connections being the
same, while the rank's calls are several times as long as that. A file that is no recording is refused
in memory that does not grow with it.

Each rank passes messages around a ring, and computes in many small pieces between them.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"]).resolve()
RANKS, PIECES, BYTES = 1024, 40, 64
SHORT, LONG = 2, 100 # rounds, of which each has 3 + PIECES calls
PER_RANK = 5000
PER_NAMED = 200  # B of a rank that a trace names, while it is read

MACHINE = f"""\
schema: 1
testbed: {SOURCE}/scenarios/testbeds/two_networks.yaml
hosts: [{{name: node, count: {RANKS}, nics: [{{name: eth0, nic: eepro100}}, {{name: myri0, nic: lanai9}}]}}]
switches: [{{name: ethernet}}, {{name: myrinet, discipline: cut_through, ports: {RANKS}, latency: 300 ns, header: 1 B, route_bytes: 1 B}}]
stack: armci
nic: myri0
"""

PROGRAM = f"""\
workload:
  ranks: {RANKS}
  program:
    - ranks: all
      do:
        - loop:
            count: COUNT
            do:
              - irecv: {{from: (rank - 1) % ranks, tag: 1, size: {BYTES} B, request: in}}
              - isend: {{to: (rank + 1) % ranks, tag: 1, size: {BYTES} B, request: out}}
              - waitall: all
              - loop: {{count: {PIECES}, as: i, do: [{{compute: 1001 ns + 1 ns * i}}]}}
"""

# A program begins with the memory of the process that starts it: this one has little.
PEAK = """\
import os, sys
nothing = os.open(os.devnull, os.O_WRONLY)
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,
                       file_actions=[(os.POSIX_SPAWN_DUP2, nothing, 1)])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def record(folder, rounds):
    """Writes a recording of the ring; returns the bytes of a rank's file."""
    os.mkdir(folder)
    work = "".join(f"{{0}} compute {1001 + i}\n" for i in range(PIECES))
    for rank in range(RANKS):
        a_round = (f"{rank} irecv {(rank - 1) % RANKS} 1 {BYTES} 6\n"
                   f"{rank} isend {(rank + 1) % RANKS} 1 {BYTES} 6\n"
                   f"{rank} waitall 2\n" + work.format(rank))
        (folder / f"rank-{rank + 1}.txt").write_text(
            f"{rank} init\n" + rounds * a_round + f"{rank} finalize\n", encoding="ascii")
    (folder / "trace.txt").write_text(
        "".join(f"rank-{rank + 1}.txt\n" for rank in range(RANKS)), encoding="ascii")
    return (folder / "rank-1.txt").stat().st_size


class Memory(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-memory-")
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def peak(self, *arguments, ends=0):
        """Bytes of memory that the program has had at most, until it ended with that code."""
        done = subprocess.run([sys.executable, "-I", "-S", "-c", PEAK, NETSIM, *map(str, arguments)],
                              check=False, timeout=900, cwd=self.directory, encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        code, kilobytes = map(int, done.stdout.split())
        self.assertEqual(code, ends, done.stderr)
        return kilobytes << 10

    def run_scenario(self, name, workload):
        """(peak, simulated results) of a run."""
        file = self.directory / f"{name}.yaml"
        file.write_text(MACHINE + workload, encoding="utf-8")
        peak = self.peak("run", file, "--quiet", "--allow-unused", "--out", self.directory / name)
        results = (self.directory / name / "results.csv").read_text(encoding="utf-8")
        return peak, results.splitlines()[1:]

    def replay(self, rounds):
        folder = self.directory / f"ring{rounds}"
        size = record(folder, rounds)
        peak, results = self.run_scenario(
            f"replay{rounds}", f"workload: {{replay: {folder}/trace.txt, speed: 1 Gflop/s}}\n")
        return peak, results, size

    def test_bound(self):
        short, _, _ = self.replay(SHORT)
        long, replayed, size = self.replay(LONG)
        program, results = self.run_scenario("program", PROGRAM.replace("COUNT", str(LONG)))
        self.assertGreater(size, 10 * PER_RANK)
        self.assertLess((long - program) / RANKS, PER_RANK)
        self.assertLess((long - short) / RANKS, PER_RANK)
        # Nor does reading it take more, which ends before the machine is built.
        reading = [self.peak("check", "--allow-unused", self.directory / f"replay{rounds}.yaml")
                   for rounds in (SHORT, LONG)]
        self.assertLess((reading[1] - reading[0]) / RANKS, PER_RANK)
        # It is the same run: the same times, but for the names of the two.
        self.assertEqual([line.split(",", 1)[1] for line in replayed],
                         [line.split(",", 1)[1] for line in results])

    def test_what_is_none(self):
        """Lines without end, ranks without number, lists without end: all of them large. Flows take a million ranks,
        and the reader keeps some bytes of each that a trace names."""
        scenario = self.directory / "s.yaml"
        scenario.write_text(MACHINE + "workload: {replay: t.txt, speed: 1 Gflop/s}\n", encoding="utf-8")
        trace = self.directory / "t.txt"
        trace.write_text("0 init\n0 fly\n0 finalize\n", encoding="ascii")
        little = self.peak("check", scenario, ends=1)
        size = 100_000_000
        for text in ("x" * size, "0 init\n0 send " + "1 " * (size // 2), "x " * (size // 2), "x\n" * (size // 2),
                     "0 init\n" + "0 compute 1e6\n" * (size // 14), "0 fly\n" * (size // 6), "65535 init\n",
                     "".join(f"{rank} init\n" for rank in range(2_000_000))):
            trace.write_text(text, encoding="ascii")
            bound = 1_048_576 * PER_NAMED if text.startswith("0 init\n1 init") else 100_000_000
            with self.subTest(text=text[:20]):
                self.assertLess(self.peak("check", scenario, ends=1) - little, bound)


if __name__ == "__main__":
    unittest.main()
