#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks and the operations they are made of, as runs: the number of messages, the reported
times of the ranks, and the requests that free programs may make and may not."""

import csv
import io
import json
import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.path.abspath(os.environ["NETSIM_SOURCE_DIR"])

PALLAS = ("sendrecv", "exchange", "bcast", "reduce", "allreduce", "allgather", "alltoall")
MB = float(1 << 20)


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-workload-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def run_text(self, text: str, *options: str, code: int = 0):
        path = os.path.join(self.directory, "case.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("schema: 1\nname: case\n"
                       f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n{text}\n")
        done = subprocess.run([NETSIM, "run", path, "-q", "--out", self.directory, *options],
                              cwd=self.directory, text=True, check=False, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=600)
        self.assertEqual(done.returncode, code, f"{text}\n{done.stdout}\n{done.stderr}")
        return done

    def benchmark(self, name, ranks, sizes, repetitions, stack="lam_via", more=""):
        done = self.run_text(
            f"stack: {stack}\nworkload: {{benchmark: {name}, ranks: {ranks}, "
            f"{f'sizes: {sizes}, ' if sizes else ''}repetitions: {repetitions}}}\n{more}",
            "--format", "json")
        return json.loads(done.stdout)

    def program(self, ops, ranks=4, stack="lam_via", code=0, more=""):
        return self.run_text(f"stack: {stack}\nworkload: {{ranks: {ranks}, program: "
                             f"[{{ranks: all, do: [{ops}]}}]}}\n{more}",
                             *(("--format", "json") if code == 0 else ()), code=code)

    def messages(self, ops, ranks=4, stack="lam_via", more=""):
        result = json.loads(self.program(ops, ranks, stack, more=more).stdout)
        self.assertEqual(result["ledger"]["delivered"], result["ledger"]["messages"])
        return result["ledger"]["messages"]


def point(result):
    return result["series"][0]["points"][0]


class Osu(Case):
    """Windows of messages: the rate is that of all messages of a window, and each end counts."""

    def osu(self, name, stack, more=""):
        text = (f"stack: {stack}\nworkload: {{benchmark: osu.{name}, sizes: [4 KiB], repetitions: 5, "
                f"skip: 1{more}}}")
        return json.loads(self.run_text(text, "--format", "json").stdout)

    def test_windows(self):
        for stack in "lam_via", "mvich", "lam_tcp", "mpich_p4":
            for name, ways in ("bandwidth", 1), ("bibandwidth", 2):
                with self.subTest(stack=stack, name=name):
                    result = self.osu(name, stack, ", window: 16")
                    values = point(result)
                    self.assertEqual(result["ledger"]["messages"], 6 * (16 * ways + 2 - ways))
                    self.assertEqual(result["ledger"]["delivered"], result["ledger"]["messages"])
                    self.assertAlmostEqual(values["bandwidth_MB_per_s"] * values["message_us"],
                                           ways * 4096, delta=0.01)
                    self.assertAlmostEqual(values["rate_Mb_per_s"], 8 * values["bandwidth_MB_per_s"],
                                           delta=1e-3)
                    self.assertLess(values["rate_Mb_per_s"], ways * 100)  # that of the wire

    def test_latency(self):
        values = point(self.osu("latency", "lam_via"))
        pallas = point(self.benchmark("pmb.pingpong", 2, "[4 KiB]", 5))
        self.assertAlmostEqual(values["latency_us"] / pallas["latency_us"], 1, delta=0.02)


class Spread(Case):
    """The slowest, the fastest and the average rank."""

    def test_order_and_metrics(self):
        for name in PALLAS:
            with self.subTest(name):
                values = point(self.benchmark("pmb." + name, 4, "[10 KiB]", 5))
                self.assertLessEqual(values["latency_min_us"], values["latency_avg_us"])
                self.assertLessEqual(values["latency_avg_us"], values["latency_us"])
                self.assertGreater(values["latency_min_us"], 0)
                transfers = {"sendrecv": 2, "exchange": 4}.get(name, 0)
                self.assertEqual("bandwidth_MB_per_s" in values, transfers > 0)
                if transfers:
                    self.assertAlmostEqual(
                        values["bandwidth_MB_per_s"],
                        transfers * 10240 / MB / (values["latency_us"] * 1e-6), places=6)

    def test_one_line_a_size(self):
        result = self.benchmark("pmb.bcast", 5, "[0 B, 1 B, 64 KiB]", 3)
        points = result["series"][0]["points"]
        self.assertEqual([p["size_bytes"] for p in points], [0, 1, 65536])

    def test_pingpong_is_as_it_was(self):
        values = point(self.benchmark("pmb.pingpong", 2, "[4 B]", 3))
        self.assertNotIn("latency_min_us", values)
        self.assertIn("bandwidth_MB_per_s", values)

    def test_average_of_three(self):
        done = self.run_text("stack: lam_via\nworkload: {benchmark: pmb.bcast, ranks: 3, "
                             "sizes: 4 B, repetitions: 7}", "--format", "csv")
        rows = {row["metric"]: float(row["value"])
                for row in csv.DictReader(io.StringIO(done.stdout)) if row["unit"] != "count"}
        self.assertEqual(set(rows), {"latency_us", "latency_min_us", "latency_avg_us"})
        self.assertGreater(rows["latency_us"], rows["latency_min_us"])
        # The average of three lies so near to the ends as it can at most.
        third = (rows["latency_us"] - rows["latency_min_us"]) / 3
        self.assertGreaterEqual(rows["latency_avg_us"] + 1e-9, rows["latency_min_us"] + third)
        self.assertLessEqual(rows["latency_avg_us"] - 1e-9, rows["latency_us"] - third)


class Counts(Case):
    """Messages of a repetition, as the difference between two numbers of repetitions."""

    def per_repetition(self, name, ranks, size, stack="lam_via"):
        sizes = f"[{size}]" if size else ""
        few, many = (self.benchmark(name, ranks, sizes, count, stack)["ledger"]["messages"]
                     for count in (4, 12))
        return (many - few) / 8

    def test_lam(self):
        for name, wanted in (("sendrecv", 4), ("exchange", 8), ("bcast", 3), ("reduce", 3),
                             ("allreduce", 6), ("allgather", 6), ("alltoall", 12)):
            self.assertEqual(self.per_repetition("pmb." + name, 4, "1 KiB"), wanted, name)
        self.assertEqual(self.per_repetition("pmb.barrier", 4, None), 6)

    def test_mpich(self):
        for name, wanted in (("bcast", 3), ("reduce", 3), ("allreduce", 8), ("allgather", 8),
                             ("alltoall", 12)):
            self.assertEqual(self.per_repetition("pmb." + name, 4, "1 KiB", "mpich_p4"), wanted,
                             name)
        # 12,288 B and more: three of the scatter, two for each rank of the allgather.
        self.assertEqual(self.per_repetition("pmb.bcast", 4, "12288 B", "mpich_p4"), 11)
        self.assertEqual(self.per_repetition("pmb.bcast", 4, "12288 B", "mvich"), 3)
        self.assertEqual(self.per_repetition("pmb.bcast", 4, "0 B", "mpich_p4"), 0)

    def test_warm_ups_and_barriers(self):
        # Two broadcasts to warm up, two barriers of six messages, one broadcast that counts.
        one = self.benchmark("pmb.bcast", 4, "[1 KiB]", 1)["ledger"]["messages"]
        two_sizes = self.benchmark("pmb.bcast", 4, "[1 KiB, 2 KiB]", 1)["ledger"]["messages"]
        self.assertEqual(two_sizes - one, 2 * 3 + 2 * 6 + 3)

    def test_root_rotates(self):
        """Each rank is root once in four: it pins its send buffer for short messages."""
        self.benchmark("pmb.bcast", 4, "[100 KiB]", 4)
        path = os.path.join(self.directory, "states")
        self.run_text("stack: lam_via\nworkload: {benchmark: pmb.bcast, ranks: 4, "
                      "sizes: [100 KiB], repetitions: 4}", "--log-states", path)
        with open(path, encoding="utf-8") as file:
            lines = [line.split() for line in file]
        sends = {rank: sum(line[1:3] == ["rank", str(rank)] and line[3].startswith("send[") and
                           line[-1] == "long" and "syn_sent" in line for line in lines)
                 for rank in range(4)}
        # Warm-ups have roots 0 and 1, the loop begins with 0 again.
        self.assertEqual(sends, {0: 6, 1: 6, 2: 3, 3: 3})


class Operations(Case):
    def test_messages(self):
        for ops, wanted in (("{bcast: {root: 2, size: 1 KiB}}", 3),
                            ("{reduce: {root: 1, size: 1 KiB}}", 3),
                            ("{allreduce: 1 KiB}", 6),
                            ("{gather: {root: 3, size: 1 KiB}}", 3),
                            ("{scatter: {root: 3, size: 1 KiB}}", 3),
                            ("{allgather: 1 KiB}", 6), ("{alltoall: {size: 1 KiB}}", 12),
                            ("{sendrecv: {to: (rank + 1) % ranks, from: (rank - 1) % ranks, "
                             "size: 1 KiB}}", 4), ("{copy: 1 MiB}", 0), ("barrier", 6)):
            base = self.messages("{compute: 1 us}")
            self.assertEqual(self.messages(ops) - base, wanted, ops)

    def test_rules_can_be_set(self):
        base = self.messages("{compute: 1 us}")
        for rule, wanted in (("linear", 3), ("binomial", 3), ("scatter_allgather", 11)):
            self.assertEqual(self.messages("{bcast: {root: 0, size: 1 KiB}}",
                                           more=f"lam: {{bcast: {rule}}}") - base, wanted)

    def test_copy_costs_what_the_host_says(self):
        times = []
        for size in ("0 B", "4 MiB"):
            result = json.loads(self.program(f"{{copy: {size}}}", ranks=2,
                                             more="host: {memory: {copy_uncached: 100 MB/s}}").stdout)
            times.append(result["series"][0]["values"][0]["value"])
        self.assertAlmostEqual(times[1] - times[0], 4 * (1 << 20) / 100, delta=100)

    def test_reduction_costs_its_bytes(self):
        def time(cost):
            result = json.loads(self.program("{allreduce: 1 MiB}", ranks=2,
                                             more=f"lam: {{reduce_kib: {cost}}}").stdout)
            return result["series"][0]["values"][0]["value"]
        # One reduction at the root.
        self.assertAlmostEqual(time("100 us") - time("10 us"), 1024 * 90, delta=50)

    def test_bad_at_run_time(self):
        for ops, wanted in (
                ("{bcast: {root: rank + 4, size: 1 B}}", "there is no rank 4 (ranks: 0..3)"),
                ("{allreduce: 0 - rank - 1}", "-1 B is no size"),
                ("{copy: 0 - rank - 1}", "-1 B is no size"),
                ("{sendrecv: {to: rank - 1, from: 0, size: 1 B}}", "there is no rank -1"),
                ("{sendrecv: {to: 0, from: rank - 1, size: 1 B}}", "there is no rank -1"),
                ("{send: {to: rank - 1, size: 1 B}}", "there is no rank -1"),
                ("{recv: {from: rank - 1, size: 1 B}}", "there is no rank -1"),
                ("{register: {size: 4 KiB, buffer: 4096}}", "does not let programs register")):
            done = self.program(ops, code=3)
            self.assertIn(wanted, " ".join((done.stderr + done.stdout).split()))

    def test_bad_at_compile_time(self):
        for ops, wanted in (
                ("{bcast: {size: 1 B}}", "the key root is missing"),
                ("{bcast: {root: 4, size: 1 B}}", "ranks are 0 .. 3"),
                ("{bcast: {root: any, size: 1 B}}", "any"),
                ("{bcast: 4 KiB}", "a map of arguments is expected"),
                ("{gather: {root: 0}}", "the key size is missing"),
                ("{allreduce: {size: 1 B, root: 0}}", "root"),
                ("{sendrecv: {to: 1, size: 1 B}}", "the key from is missing"),
                ("{register: 4 KiB}", "a map of arguments is expected"),
                ("{copy: 3 us}", "3 us"), ("{bcst: {root: 0, size: 1 B}}", "bcast")):
            done = self.program(ops, code=1)
            self.assertIn(wanted, done.stderr, ops)


class Native(Case):
    def times(self, name, sizes):
        done = self.run_text(f"stack: mvia\nworkload: {{benchmark: {name}, sizes: {sizes}}}",
                             "--format", "json")
        return {p["size_bytes"]: p["latency_us"]
                for p in json.loads(done.stdout)["series"][0]["points"]}

    def test_copy_and_registration(self):
        """via.fig.4_2: registering costs a page at a time, copying a byte at a time."""
        sizes = "[1 B, 4096 B, 4097 B, 8192 B, 1 MiB]"
        register, copy = (self.times("native." + name, sizes) for name in ("register", "copy"))
        self.assertEqual(register[1], register[4096])
        self.assertEqual(register[4097], register[8192])
        self.assertGreater(register[8192], register[4096])
        self.assertGreater(register[4096], copy[1])
        self.assertGreater(copy[1 << 20], register[1 << 20])

    def test_nothing_to_register(self):
        self.assertEqual(list(self.times("native.register", "[0 B, 1 B]")), [1])


class Refused(Case):
    def test_benchmarks_that_a_stack_lacks(self):
        for stack, name in (("mvia", "pmb.bcast"), ("lam_via", "native.register")):
            done = self.run_text(f"stack: {stack}\nworkload: {{benchmark: {name}}}", code=1)
            self.assertIn(f"the stack {stack} cannot run {name}", done.stderr)

    def test_barrier_has_no_sizes(self):
        done = self.run_text("stack: lam_via\nworkload: {benchmark: pmb.barrier, sizes: 1 B}",
                             code=1)
        self.assertIn("pmb.barrier has no message size", done.stderr)


if __name__ == "__main__":
    unittest.main()
