#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scenario's demands on the machine: printed by check, and refused if it can't meet them."""

import json
import os
import resource
import subprocess
import sys
import unittest

from harness import NETSIM, Case

with open(NETSIM, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()

MANY = """\
schema: 1
testbed: testbeds/{testbed}.yaml
stack: {stack}
hosts: [{{name: node, count: {ranks}}}]
switch: {{ports: 0}}
{memory}
workload: {{benchmark: {benchmark}, ranks: {ranks}, repetitions: 1{sizes}}}
"""

LARGE = """\
schema: 1
name: large
testbed: testbeds/cluster1.yaml
hosts: [{name: node, count: 110}]
switch: {ports: 0}
lam_via: {sdescs: 40}
workload: {benchmark: pmb.alltoall, sizes: 4 B, ranks: 110, repetitions: 1}
series: [{name: a, stack: lam_via}, {name: b, stack: lam_via}, {name: c, stack: lam_via}, {name: d, stack: lam_via}]
"""

LOOP = """\
schema: 1
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  ranks: 2
  program:
    - {ranks: all, do: [{loop: {count: 3, do: [barrier]}},
                        {loop: {count: 1000000000000000000, do: [barrier]}}]}
"""

# 65535 was meant to be 1: a rank that no other refers to.
LONELY = """\
schema: 1
testbed: testbeds/grim.yaml
stack: grim
workload: {program: [{ranks: %d, do: [{compute: 1 us}]}]}
"""


# Each rank talks to a few others, as a tree has them.
TREE = """\
schema: 1
testbed: testbeds/config1.yaml
stack: armci
hosts: [{name: node, count: 1024}]
switch: {ports: 0}
gm: {send_tokens: 2, receive_tokens: 8}
mpich_gm: {receive_buffers: 1}
armci: {large_buffers: 2, small_buffers: 6}
workload: {ranks: 1024, program: [{ranks: all, do: [barrier]}]}
"""

# Stacks with as many ranks as are asked for: a testbed, what else the case needs, what each rank does, and the most
# ranks that are run here. mvia and tcp have programs of two ranks only. A mesh of 1,024 of LAM or MPICH takes a minute
# and 1 GB: its peak is that of the parabola through three smaller ones. The peaks of such runs were 0.90 to 1.10 of the
# estimates; lam_via, mvich and iwarp fail with 1,024 ranks, and the peaks were those until then.
RING = ("{irecv: {from: (rank + ranks - 1) % ranks, size: 1 KiB, request: r}}, "
        "{isend: {to: (rank + 1) % ranks, size: 1 KiB, request: s}}, {waitall: [r, s]}")
PINS = "host: {memory: {ram: 8 GiB, pin_limit: 4 GB}}"
REDUCE = "{allreduce: 8 B}"
FEW_BUFFERS = "gm: {send_tokens: 2, receive_tokens: 64}\nmpich_gm: {receive_buffers: 1}"
PUT = ("{attach: {portal: 4, match_bits: 1, size: 64 KiB}}, {compute: 1 ms}, "
       "{put: {to: (rank + 1) % ranks, portal: 4, match_bits: 1, size: 1 KiB}}, {event: put_end}")
STACKS = {
    "lam_via": ("cluster1", PINS, REDUCE, 256),
    "mvich": ("cluster1", PINS, REDUCE, 256),
    "lam_tcp": ("cluster1", "", REDUCE, 256),
    "mpich_p4": ("cluster1", "", REDUCE, 256),
    "ch3_sock": ("cluster1", "", REDUCE, 1024),
    "openmpi_tcp": ("cluster1", "", REDUCE, 1024),
    "ch3_sctp": ("cluster1", "", REDUCE, 1024),
    "ch3_hybrid": ("cluster1", PINS, REDUCE, 256),
    "ch3_hybrid, dynamic": ("cluster1", PINS + "\nch3_hybrid: {connections: dynamic}", REDUCE, 1024),
    "sctp": ("cluster1", "", RING, 256),  # 1,024 ranks: 2.6 GB, 0.97 of the estimate
    "iwarp": ("cluster1", PINS, RING, 256),  # 1,024 ranks: 3.8 GB until connections are lost
    "gm": ("config1", "", RING, 1024),
    "armci": ("config1", FEW_BUFFERS, REDUCE, 1024),
    "grim": ("grim", "", REDUCE, 1024),
    "portals": ("intercept_clos16", "", PUT, 1024),
    "intercept_vdma": ("intercept_clos16", "", "{vdma_write: {to: (rank + 1) % ranks, size: 1 KiB}}", 1024),
}
PROGRAM = """\
schema: 1
testbed: testbeds/{testbed}.yaml
stack: {stack}
hosts: [{{name: node, count: {ranks}}}]
switch: {{ports: 0}}
{more}
workload: {{ranks: {ranks}, program: [{{ranks: all, do: [{body}]}}]}}
"""

# A program begins with the memory of the process that starts it, which for a test of this size may be
# more than its own: this one has little.
LAUNCHER = """\
import os, sys
nothing = os.open(os.devnull, os.O_WRONLY)
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,
                       file_actions=[(os.POSIX_SPAWN_DUP2, nothing, 1)])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def parabola(points, x):
    """At x, that through three points."""
    return sum(y * (x - a) * (x - b) / ((own - a) * (own - b))
               for own, y in points.items() for a, b in [[other for other in points if other != own]])


class Estimates(Case):
    peaks: dict = {}  # by the text of a scenario

    def many(self, stack, ranks, testbed="cluster1", benchmark="pmb.alltoall",
             sizes=", sizes: 4 B"):
        memory = "host: {memory: {pin_limit: 500 MB}}" if testbed == "cluster1" else ""
        return self.write(f"{stack}.yaml", MANY.format(**locals()))

    def estimate(self, name, *more):
        done = self.netsim("check", "--format", "json", name, *more)
        return json.loads(done.stdout)["scenarios"][0]["series"][0]

    def peak(self, name):
        """Bytes of memory that a run has had at most; no scenario is run twice."""
        text = self.read(name)
        if text in self.peaks:
            self.code, peak = self.peaks[text]
            return peak
        done = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, NETSIM, "run", name, "--quiet"],
                              cwd=self.directory, text=True, check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        self.code, kilobytes = map(int, done.stdout.split())
        self.peaks[text] = self.code, kilobytes * 1024
        return kilobytes * 1024

    def program(self, stack, ranks):
        testbed, more, body, _ = STACKS[stack]
        stack = stack.partition(",")[0]
        return self.write(f"{stack}.yaml", PROGRAM.format(**locals()))

    @unittest.skipIf(SANITIZED, "memory of a sanitized program is not that of the program")
    def test_memory_is_within_a_factor_of_one_and_a_half(self):
        """Of each stack, at 64, 256 and 1,024 ranks."""
        for stack, (_, _, _, most) in STACKS.items():
            run = {ranks: self.peak(self.program(stack, ranks)) for ranks in (16, 64, min(256, most))}
            self.assertEqual(self.code, 0)
            for ranks in (64, 256, 1024):
                with self.subTest(stack=stack, ranks=ranks):
                    name = self.program(stack, ranks)
                    peak = self.peak(name) if ranks <= most else parabola(run, ranks)
                    said = self.estimate(name, "--set", "limits.memory=100 GB")["memory_bytes"]
                    self.assertEqual(self.code, 0)
                    self.assertTrue(peak / 1.5 < said < 1.5 * peak, f"{said:.3g} of {peak:.3g}")

    def test_check_says_it_for_each_series(self):
        done = self.netsim("check", self.small())
        self.assertEqual(len(done.stdout.splitlines()), 3)
        self.assertRegex(done.stdout, r"small.yaml: correct, 2 series\n  first, quoted: 2 ranks on 6 hosts, 1 switch, 6 links; about \d+ "
                                      r"MB of memory, 40 operations, \d+ events\n")
        document = json.loads(self.netsim("check", "small.yaml", "--format", "json").stdout)
        series = document["scenarios"][0]["series"]
        self.assertEqual([one["name"] for one in series], ["first, quoted", "second"])
        self.assertEqual(set(series[0]), {"name", "stack", "ranks", "hosts", "switches", "links", "memory_bytes", "operations",
                                          "events"})
        # Three sizes, three repetitions, two ranks, a send and a receive.
        self.assertEqual(series[0]["operations"], 36)

    def test_repetitions_that_are_alike(self):
        """In draws they are left out, and the estimate knows it: each series within a factor of 2, all within 1.5."""
        all_ran = all_said = 0
        for name in ("pingpong_cluster1", "osu_latency_x306"):
            done = self.netsim("run", name, "--set", "draw=1", "--format", "json", "--quiet")
            ran = {one["name"]: one["events"] for one in json.loads(done.stdout)["series"]}
            told = self.netsim("check", "--format", "json", "--set", "workload.steady=3", name)
            said = {one["name"]: one["events"] for one in json.loads(told.stdout)["scenarios"][0]["series"]}
            for series, events in ran.items():
                with self.subTest(scenario=name, series=series):
                    self.assertTrue(events / 2 < said[series] < 2 * events, f"{said[series]:.3g} of {events:.3g}")
            all_ran += sum(ran.values())
            all_said += sum(said.values())
        self.assertTrue(all_ran / 1.5 < all_said < 1.5 * all_ran, f"{all_said:.3g} of {all_ran:.3g}")

    def test_flows(self):
        """Packets and connections, which flows do not have, make no events: within a factor of 2."""
        text = ("schema: 1\ntestbed: testbeds/cluster1.yaml\nstack: lam_tcp\nfidelity: flow\nflow: device\n"
                "hosts: [{{name: node, count: {ranks}}}]\nswitch: {{ports: 0}}\n"
                "workload: {{benchmark: {benchmark}, ranks: {ranks}, repetitions: 3, sizes: [8 B, 64 KiB, 1 MiB]}}\n")
        for benchmark, ranks in (("pmb.pingpong", 2), ("pmb.allreduce", 256), ("pmb.bcast", 64), ("pmb.alltoall", 16)):
            with self.subTest(benchmark=benchmark, ranks=ranks):
                name = self.write("flows.yaml", text.format(**locals()))
                ran = json.loads(self.netsim("run", name, "--format", "json", "--quiet").stdout)["series"][0]["events"]
                said = self.estimate(name)["events"]
                self.assertTrue(ran / 2 < said < 2 * ran, f"{said:.3g} of {ran:.3g}")

    def test_benchmark_over_time(self):
        """As much as fits the link in that time: 100 Mb/s, 10 s, 10 kB, each written and read."""
        name = self.write("stream.yaml", "schema: 1\nname: stream\ntestbed: testbeds/cluster1.yaml\nstack: tcp\n"
                          "workload: {benchmark: iperf.tcp, write_size: 10 kB}\n")
        self.assertEqual(self.estimate(name)["operations"], 25000)
        self.assertEqual(self.estimate(name, "--set", "workload.duration=20 s")["operations"], 50000)

    @unittest.skipIf(SANITIZED, "memory of a sanitized program is not that of the program")
    def test_memory_is_within_a_factor_of_two(self):
        pingpong = {"benchmark": "native.pingpong"}
        for stack, ranks, more in (
                ("lam_via", 40, {}), ("mvich", 30, {}), ("lam_tcp", 60, {}), ("mpich_p4", 60, {}), ("ch3_sock", 60, {}), ("openmpi_tcp", 60, {}),
                ("mvia", 2, pingpong), ("tcp", 2, pingpong),
                ("gm", 2, {"testbed": "config1", **pingpong}),
                ("armci", 4, {"testbed": "config1"}),
                ("grim", 300, {"testbed": "grim", "benchmark": "pmb.barrier", "sizes": ""})):
            with self.subTest(stack=stack):
                name = self.many(stack, ranks, **more)
                if stack == "armci":
                    name = self.write("armci.yaml", "schema: 1\ntestbed: testbeds/config1.yaml\n"
                                      "stack: armci\nworkload: {benchmark: armci.put, "
                                      "sizes: [1 B], repetitions: 1}\n")
                said, peak = self.estimate(name)["memory_bytes"], self.peak(name)
                self.assertTrue(peak / 2 < said < 2 * peak, f"{said:.3g} of {peak:.3g}")

    def test_all_that_is_kept_needs_memory(self):
        """It grows evenly with the settings that set the number of something."""
        native = {"benchmark": "native.pingpong"}
        myrinet = {"testbed": "config1", **native}
        each = {}
        for stack, setting, number, more in (  # number: of what has so many, of 20 or 2 processes
                ("lam_via", "lam_via.rdescs", 380, {}),
                ("lam_via", "lam_via.sdescs", 380, {}),
                ("mvia", "mvia_native.descriptors", 8, native),
                ("mvich", "mvich.dreg_buckets", 20, {}),
                ("gm", "gm.window", 4, myrinet),
                ("gm", "gm.send_tokens", 2, myrinet),
                ("gm", "gm.receive_tokens", 2, myrinet)):
            with self.subTest(setting=setting):
                name = self.many(stack, 2 if more else 20, **more)
                memory = [self.estimate(name, "--set", f"{setting}={value}")["memory_bytes"]
                          for value in (1000, 2000, 3000)]
                each[setting] = (memory[1] - memory[0]) / number / 1000
                self.assertTrue(8 <= each[setting] < 1000, each[setting])
                self.assertAlmostEqual(memory[2] - memory[1], memory[1] - memory[0], delta=2)
        self.assertEqual(each["lam_via.rdescs"], each["lam_via.sdescs"])
        self.assertEqual(each["lam_via.rdescs"], each["mvia_native.descriptors"])
        self.assertEqual(each["mvich.dreg_buckets"], 8)

    @unittest.skipIf(SANITIZED, "memory of a sanitized program is not that of the program")
    def test_endpoints_of_grim_keep_nothing_for_strangers(self):
        """Memory grows with the ranks, not with their square (which was 1.6 GB)."""
        self.assertLess(self.peak(self.write("lonely.yaml", LONELY % 7999)), 100e6)

    @unittest.skipIf(SANITIZED, "memory of a sanitized program is not that of the program")
    def test_a_connection_takes_little_before_it_is_used(self):
        """Descriptors, vbufs and streams of a pair take memory once messages do (it was 19, 30 and 2.6 KB for each pair at once)."""
        for stack, most in (("lam_via", 1500), ("mvich", 1500), ("lam_tcp", 2000), ("mpich_p4", 2000), ("ch3_sock", 2000), ("openmpi_tcp", 500)):
            with self.subTest(stack=stack):
                self.assertLess(self.peak(self.program(stack, 256)), 20e6 + 256 * 256 * most)

    @unittest.skipIf(SANITIZED, "memory of a sanitized program is not that of the program")
    def test_posted_receives_take_memory_with_their_messages(self):
        """However many a queue pair has posted, they are a number until messages come (it was 1.4 GB), and a process's table of
        others has no place for strangers."""
        self.assertLess(self.peak(self.program("ch3_hybrid", 128)), 150e6)
        self.assertLess(self.peak(self.program("ch3_sctp", 1024)), 200e6)

    @unittest.skipIf(SANITIZED, "memory of a sanitized program is not that of the program")
    def test_data_servers_keep_nothing_for_strangers(self):
        """Mutexes, flags of gets, connections of GM and what is not fenced are kept for those that are talked to (for all
        it was 150 MB), and the estimate knows it."""
        name = self.write("tree.yaml", TREE)
        said, peak = self.estimate(name)["memory_bytes"], self.peak(name)
        self.assertLess(peak, 110e6)
        self.assertTrue(peak / 2 < said < 2 * peak, f"{said:.3g} of {peak:.3g}")

    @unittest.skipIf(SANITIZED, "memory of a sanitized program is not that of the program")
    def test_four_thousand_ranks(self):
        """Stacks whose processes do not connect to all others hold them easily, and the estimate knows it."""
        tree = TREE.replace("1024", "4096").replace("[barrier]", "[barrier, {allreduce: 8 B}]")
        for name, most in ((self.write("tree.yaml", tree), 500e6),
                           (self.many("grim", 4096, testbed="grim", benchmark="pmb.barrier", sizes=""), 300e6)):
            with self.subTest(name=name):
                said, peak = self.estimate(name)["memory_bytes"], self.peak(name)
                self.assertEqual(self.code, 0)
                self.assertLess(peak, most)
                self.assertTrue(peak / 2 < said < 2 * peak, f"{said:.3g} of {peak:.3g}")

    def test_ranks_that_memory_does_not_hold(self):
        name = self.many("lam_via", 800)
        done = self.netsim("check", name, "--set", "limits.memory=1 GB", code=1)
        self.assertRegex(done.stderr, r"lam_via.yaml:7:44: error: workload.ranks: 800 ranks of "
                                      r"lam_via need about \d+\.\d GB of memory, and there are "
                                      r"1.0 GB \(limits.memory=\d+ GB runs it all the same\)")
        self.netsim("run", name, "--set", "limits.memory=1 GB", code=1)
        self.assertGreater(self.estimate(name, "--set", "limits.memory=1000 GB")["memory_bytes"],
                           4e9)

    def test_much_is_said_before_a_run(self):
        done = self.netsim("run", self.many("lam_via", 300), "--set", "limits.memory=100 GB",
                           "--time-limit", "1ms", "--quiet", code=None)
        self.assertRegex(done.stderr, "warning: lam_via: about .* GB of memory, .*: much memory")

    def test_work_without_end(self):
        done = self.netsim("check", self.small(), "--set", f"workload.repetitions={1 << 62}",
                           code=1)
        self.assertIn(f"--set workload.repetitions={1 << 62}: error: workload.repetitions: about 5.5e+19 operations are more than 9e+15: "
                      "the run will not end (limits.operations allows more)", done.stderr)
        self.write("loop.yaml", LOOP)
        done = self.netsim("check", "loop.yaml", code=1)
        self.assertIn("loop.yaml:8:40: error: workload.program: about 2e+18 operations",
                      done.stderr)
        told = self.netsim("check", "loop.yaml", "--set", "limits.operations=3000000000000000000")
        self.assertIn("2e+18 operations", told.stdout)

    @unittest.skipIf(SANITIZED, "a sanitized program needs all of the address space")
    def test_a_limit_of_the_shell(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
        name = self.many("lam_via", 300)
        done = self.netsim("check", name, code=1, preexec_fn=limit)
        self.assertIn("and there are 0.4 GB", done.stderr)
        done = self.netsim("run", name, "--set", "limits.memory=100 GB", "--quiet", code=1,
                           preexec_fn=limit)
        self.assertIn("netsim: out of memory", done.stderr)

    @unittest.skipIf(SANITIZED, "a sanitized program needs all of the address space")
    def test_memory_for_so_many(self):
        """Of series of which two fit what a process may have, two run at a time."""
        self.write("large.yaml", LARGE)
        need = max(series["memory_bytes"] for series in
                   json.loads(self.netsim("check", "large.yaml", "--format", "json").stdout)["scenarios"][0]["series"])
        self.assertGreater(need, 200e6)  # in comparison the program itself is little
        limit = int(2.5 * need)

        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        note = ("netsim: note: 2 processes instead of 4: the memory would not hold more series at once (`netsim check' "
                "says what each needs)\n")
        self.assertEqual(self.netsim("run", "large.yaml", "-j4", preexec_fn=limited).stderr, note)
        self.assertEqual(self.netsim("run", "large.yaml", "-j2", "--out", "two", preexec_fn=limited).stderr, "")
        self.assertEqual(self.read("two/results.csv"), self.read("results/large/results.csv"))


if __name__ == "__main__":
    unittest.main()
