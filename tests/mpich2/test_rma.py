#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows and one-sided operations of MPICH2's device over its channels: random programs, the number
of messages, errors.

Covers sctp.rma.delayed_fence, sctp.rma.window_create, sctp.rma.window_free, sctp.rma.fence_only and
sctp.rma.not_fully_one_sided."""

import json
import os
import random
import subprocess
import sys
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
sys.path.insert(0, os.path.join(os.environ["NETSIM_SOURCE_DIR"], "tests", "cli"))
from harness import Case  # pylint: disable=wrong-import-position


def stacks():
    """Those of this build that have windows."""
    told = subprocess.run([NETSIM, "list", "stacks"], text=True, check=True, capture_output=True)
    found = [line.split()[0] for line in told.stdout.splitlines() if line.startswith("  ch3_")]
    assert found, told.stdout
    return found


HEAD = """\
schema: 1
name: rma
testbed: testbeds/x306.yaml
stack: {stack}
link: {{drop_probability: {drop}}}
workload:
  ranks: {ranks}
  communicators: {{pairs: {{split: rank - rank % 2}}}}
  program:
"""

BIG = ("--set", "host.memory.ram=64 GiB", "--set", "host.memory.pin_limit=60 GiB")

SIZES = (0, 1, 17, 1000, 65516, 65517, 200000)


class Rma(Case):
    def run_program(self, stack, ranks, parts, drop=0, code=0, options=()):
        """parts: (ranks, operations) of the program. Returns the case of the results."""
        text = HEAD.format(stack=stack, drop=drop, ranks=ranks)
        for who, operations in parts:
            text += f"    - ranks: {who}\n      do:\n"
            text += "".join(f"        - {operation}\n" for operation in operations)
        self.write("rma.yaml", text)
        done = self.netsim("run", "rma.yaml", "--format", "json", "--quiet", *options, code=code)
        self.stderr = done.stderr
        return json.loads(done.stdout)

    def ledger(self, results):
        return results["series"][0]["ledger"]

    def random_parts(self, chance, ranks):
        """The same windows and fences at all ranks; operations between them by chance."""
        windows = ["a", "b"][:chance.randint(1, 2)]
        plan = [("create", window) for window in windows] + [("fence", window) for window in windows]
        for _ in range(chance.randint(1, 6)):
            plan += [("epoch", None)] * chance.randint(0, 2) + [("fence", chance.choice(windows))]
        plan += [("free", window) for window in windows]
        parts = []
        for rank in range(ranks):
            operations = []
            for what, window in plan:
                if what == "create":
                    operations.append(f"win_create: {{size: 256 KiB, window: {window}}}")
                elif what in ("fence", "free"):
                    operations.append(f"win_{what}: {{window: {window}}}")
                else:
                    for _ in range(chance.randint(0, 4)):
                        kind = chance.choice(("put", "get", "accumulate"))
                        way = "from" if kind == "get" else "to"
                        operations.append(
                            f"{kind}: {{{way}: {chance.randrange(ranks)}, "
                            f"size: {chance.choice(SIZES)} B, window: {chance.choice(windows)}}}")
            parts.append((rank, operations))
        return parts

    def test_random_programs_end_with_a_balanced_ledger(self):
        for stack in stacks():
            for seed in range(12):
                chance = random.Random(f"{stack} {seed}")
                ranks = chance.randint(2, 4)
                with self.subTest(stack=stack, seed=seed):
                    results = self.run_program(stack, ranks, self.random_parts(chance, ranks),
                                               drop=chance.choice((0, 0, 0.002)))
                    self.assertTrue(self.ledger(results)["balanced"])

    def test_operations_wait_for_the_fence(self):
        """A rank that computes before its fence holds up the data of all: none moves without it."""
        for stack in stacks():
            with self.subTest(stack=stack):
                first = ["win_create: {size: 1 KiB}", "win_fence: {}"]
                results = self.run_program(stack, 2, [
                    (0, first + ["put: {to: 1, size: 1 KiB}", "clock: fence", "win_fence: {}",
                                 "lap: fence"]),
                    (1, first + ["compute: 50 ms", "win_fence: {}"])])
                times = {value["metric"]: value["value"]
                         for value in results["series"][0]["values"] if value["rank"] == 0}
                self.assertGreater(times["fence_mean_us"], 49000)

    def test_windows_of_communicators(self):
        """Only the two of a pair take part; the pairs do not wait for each other."""
        for stack in stacks():
            with self.subTest(stack=stack):
                results = self.run_program(stack, 4, [("all", [
                    "win_create: {size: 4 KiB, window: w, comm: pairs}",
                    "win_fence: {window: w, comm: pairs}",
                    "put: {to: 1 - pairs_rank, size: 4 KiB, window: w, comm: pairs}",
                    "win_fence: {window: w, comm: pairs}",
                    "win_free: {window: w, comm: pairs}"])])
                self.assertTrue(self.ledger(results)["balanced"])

    def test_what_is_wrong_is_said(self):
        create, fence = "win_create: {size: 1 KiB}", "win_fence: {}"
        wrong = {
            ("put: {to: 1, size: 1 B}",): "no such window has been created",
            (create, "put: {to: 1, size: 1 B}"): "no fence has begun an epoch",
            (create, fence, "put: {to: 1, size: 1 KiB, offset: 1 B}", fence):
                "bytes up to 1025, and rank 1's part of it has 1024",
            (create, create): "it is there already",
            (create, fence, "get: {from: 1, size: 2 B}",
             "win_fence: {assertion: no_precede}"): "operations precede it",
            ("win_fence: {}",): "no such window has been created",
        }
        for stack in stacks():
            for operations, sentence in wrong.items():
                with self.subTest(stack=stack, operations=operations):
                    results = self.run_program(stack, 2, [("all", operations)], code=3)
                    self.assertIn(sentence, json.dumps(results) + self.stderr)

    def test_lengths_of_more_than_32_bits(self):
        """No length is cut: beyond MPI's count check refuses a constant one, and the run one that is computed."""
        create, fence = "win_create: {size: 8 GiB}", "win_fence: {}"
        for stack in stacks():
            for kind in ("put: {to", "get: {from", "accumulate: {to"):
                for size in (2 << 30, (4 << 30) + 8):
                    sentence = f"a message of {size} B is longer than MPI's count of bytes can say"
                    with self.subTest(stack=stack, kind=kind, size=size):
                        moves = f"{kind}: 1 - rank, size: %s, offset: 16 B}}"
                        results = self.run_program(stack, 2, [("all", (create, fence, moves % f"{size // 2} * ranks", fence))],
                                                   code=3, options=BIG)
                        self.assertIn(f": {sentence}", json.dumps(results) + self.stderr)
                        with open(os.path.join(self.directory, "rma.yaml"), encoding="utf-8") as file:
                            text = file.read().replace(f"{size // 2} * ranks", f"{size} B")
                        self.write("constant.yaml", text)
                        done = self.netsim("check", "constant.yaml", code=1)
                        self.assertRegex(done.stderr, r"constant.yaml:\d+:\d+: error: workload.program: " + sentence)

    def test_sizes_of_benchmarks_are_lengths(self):
        self.write("large.yaml", "schema: 1\ntestbed: testbeds/x306.yaml\nstack: ch3_sctp\n"
                   "workload: {benchmark: rma.put, ranks: 2, sizes: [8 B, 2 GiB]}\n")
        self.assertIn("large.yaml:4:49: error: workload.sizes: a message of 2147483648 B is longer than",
                      self.netsim("check", "large.yaml", code=1).stderr)

    def test_offsets_of_more_than_32_bits(self):
        """Offsets reach all of a window; the envelope of a get by write has no place for these, and the run reports it."""
        for stack in stacks():
            for get in ("write", "read") if stack == "ch3_hybrid" else ("",):
                for kind in ("put: {to", "get: {from"):
                    with self.subTest(stack=stack, get=get, kind=kind):
                        refused = get == "write" and kind.startswith("get")
                        results = self.run_program(
                            stack, 2, [("all", ("win_create: {size: 8 GiB}", "win_fence: {}",
                                                f"{kind}: 1 - rank, size: 1 KiB, offset: 5 GiB}}", "win_fence: {}"))],
                            code=3 if refused else 0, options=BIG + (("--set", f"ch3_hybrid.get={get}") if get else ()))
                        if refused:
                            self.assertIn("holds 32 bits of the offset, which is 5368709120 B at rank", json.dumps(results) + self.stderr)
                        else:
                            self.assertTrue(self.ledger(results)["balanced"])

    def test_data_are_contiguous(self):
        """sctp.rma.predefined_types_only: other datatypes are refused before anything runs."""
        for stack in stacks():
            for way in ("strided: {counts: [8 B, 4], strides: [64 B]}",
                        "segments: [{bytes: 8 B, count: 4}]"):
                with self.subTest(stack=stack, way=way):
                    self.write("rma.yaml", HEAD.format(stack=stack, drop=0, ranks=2) +
                               f"    - {{ranks: all, do: [{{put: {{to: 0, {way}}}}}]}}\n")
                    done = self.netsim("run", "rma.yaml", code=1)
                    self.assertIn(f"put.{way.split(':')[0]}: unknown key", done.stderr)

    def test_a_fence_that_one_rank_does_not_call_is_a_deadlock(self):
        for stack in stacks():
            with self.subTest(stack=stack):
                first = ["win_create: {size: 1 KiB}", "win_fence: {}"]
                results = self.run_program(stack, 2, [
                    (0, first + ["put: {to: 1, size: 1 KiB}", "win_fence: {}"]),
                    (1, first + ["recv: {from: 0, size: 1 B}"])], code=3)
                self.assertIn("deadlock", json.dumps(results) + self.stderr)
                self.assertIn("win_fence", json.dumps(results) + self.stderr)


if __name__ == "__main__":
    unittest.main()
