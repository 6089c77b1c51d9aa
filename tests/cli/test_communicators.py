#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""workload.communicators: operations among some of a job's ranks."""

import json
import unittest

from harness import Case

TESTBEDS = {"lam_via": "cluster1", "mvich": "cluster1", "lam_tcp": "cluster1", "mpich_p4": "cluster1", "ch3_sock": "cluster1", "openmpi_tcp": "cluster1", "armci": "config1", "grim": "grim"}

PROGRAM = """\
schema: 1
name: groups
testbed: testbeds/%(testbed)s.yaml
hosts: [{name: node, count: 6}]
switch: {ports: 0}
stack: %(stack)s
workload:
  ranks: 6
  communicators: %(communicators)s
  program: %(program)s
"""

ROWS = "{pair: [5, 0], rows: {split: rank - rank % 3}}"


def parts(**of):
    """A program's parts, from the operations of each rank: "r0", "all"."""
    return "[%s]" % ", ".join("{ranks: %s, do: [%s]}" % (name.lstrip("r"), operations) for name, operations in of.items())


class Communicators(Case):
    def scenario(self, program, stack="lam_via", communicators=ROWS):
        return self.write("groups.yaml", PROGRAM % {"stack": stack, "testbed": TESTBEDS[stack], "program": program,
                                                    "communicators": communicators})

    def run_program(self, program, *arguments, stack="lam_via", code=0, **more):
        done = self.netsim("run", self.scenario(program, stack, **more), "--out", "results", *arguments, code=code)
        self.series = json.loads(self.read("results/manifest.json"))["series"][0]
        return done

    def complaint(self, program, communicators=ROWS):
        return self.netsim("check", self.scenario(program, communicators=communicators), code=1).stderr

    def test_messages_match_in_their_communicator_only(self):
        """Rank 5 sends in the job first and in the pair second; rank 0 receives in the reverse order, from any rank and
        with any tag. Each takes what is its communicator's: the other would be truncated."""
        for stack in TESTBEDS:
            with self.subTest(stack=stack):
                self.run_program(parts(r0="{recv: {from: any, size: 10 B, comm: pair}}, {recv: {from: any, size: 2000 B}}",
                                       r5="{send: {to: 0, size: 2000 B}}, {send: {to: 1, size: 10 B, comm: pair}}"), stack=stack)
                self.assertEqual(self.series["ledger"]["messages"], 2)

    def test_collectives_of_a_part_of_the_job(self):
        """Both rows at once, each with a different number of collectives: they do not wait for each other."""
        every = ", ".join("{%s: {%s, comm: rows}}" % one for one in (
            ("bcast", "root: 1, size: 700 B"), ("reduce", "root: 2, size: 700 B"), ("allreduce", "size: 700 B"),
            ("gather", "root: 2, size: 90 B"), ("scatter", "root: 1, size: 90 B"), ("allgather", "size: 90 B"),
            ("alltoall", "size: 90 B"), ("reduce_scatter", "size: 90 B"), ("scan", "size: 700 B"), ("exscan", "size: 70 B"),
            ("gatherv", "root: 1, sizes: 40 B * peer"), ("scatterv", "root: 2, sizes: 40 B * peer"), ("allgatherv", "sizes: 9 B * peer"),
            ("alltoallv", "sizes: 30 B * ((rank + peer) % 4)"), ("reduce_scatter", "size: 8 B * peer")))
        more = "{loop: {count: 'rank < 3 ? 1 : 4', do: [{barrier: {comm: rows}}, {allreduce: {size: 8 B, comm: rows}}]}}"
        for stack in ("lam_via", "mvich", "lam_tcp", "mpich_p4", "ch3_sock", "openmpi_tcp", "armci"):
            with self.subTest(stack=stack):
                self.run_program(parts(all=every + ", " + more), stack=stack)
        # The least that GRIM's library has.
        self.run_program(parts(all=more), stack="grim")

    def test_a_group_is_a_job_of_its_size(self):
        """Where hosts are alike, as many messages go through as in a job of three, twice."""
        program = parts(all="{allgather: {size: 1 KiB%s}}, {alltoall: {size: 1 KiB%s}}")
        self.run_program(program % (", comm: rows", ", comm: rows"), stack="mpich_p4")
        both = self.series["ledger"]["messages"]
        text = self.read("groups.yaml").replace("ranks: 6", "ranks: 3").replace(", comm: rows", "").replace(
            f"  communicators: {ROWS}\n", "")
        self.write("alone.yaml", text)
        self.netsim("run", "alone.yaml", "--out", "alone")
        self.assertEqual(both, 2 * json.loads(self.read("alone/manifest.json"))["series"][0]["ledger"]["messages"])

    def test_ranks_of_expressions(self):
        """A ring in each row, by the ranks that its members have in it."""
        ring = "{sendrecv: {to: (rows_rank + 1) % rows_ranks, from: (rows_rank + rows_ranks - 1) % rows_ranks, size: 1 KiB, comm: rows}}"
        self.run_program(parts(all=ring))
        self.assertEqual(self.series["ledger"]["messages"], 6)
        # Ranks 1 to 4 are not of the pair: pair_rank is -1 there, and pair_ranks is 0.
        self.run_program(parts(all="{loop: {count: pair_ranks, do: [barrier]}}, {loop: {count: pair_rank + 1, do: [barrier]}}",
                               **{"r1..4": "{loop: {count: 4, do: [barrier]}}", "r5": "barrier"}))

    def test_a_deadlock_names_the_group(self):
        done = self.run_program(parts(r0="{recv: {from: 0, size: 1 B, comm: pair}}", r5="{recv: {from: 0, size: 1 B}}"), code=3)
        waiting = json.loads(self.read("results/manifest.json"))["series"][0]["reason"]["ranks"]
        self.assertEqual(waiting[0]["requests"][0]["group"], "pair")
        self.assertEqual(waiting[0]["requests"][0]["peer"], 5)
        self.assertNotIn("group", waiting[1]["requests"][0])
        self.assertIn("group pair", done.stderr + done.stdout)

    def test_mistakes(self):
        for communicators, said in (
                ("{a: [0, 1], b: [2, 2]}", "workload.communicators.b[1]: rank 2 is named twice"),
                ("{a: [4..6]}", "workload.communicators.a[0]: there is no rank 6 (ranks are 0 .. 5)"),
                ("{a: []}", "workload.communicators.a: a communicator has at least one rank"),
                ("{a: some}", 'workload.communicators.a: "some" is no rank'),
                ("{a: {split: colour}}", "workload.communicators.a.split: "),
                ("{a: {split: rank % 0}}", "workload.communicators.a.split: "),
                ("{a: {by: rank}}", "workload.communicators.a"),
                ("{a-b: [0]}", '"a-b" cannot be the name of a communicator'),
                ("[0, 1]", "a map of names and their ranks")):
            with self.subTest(communicators=communicators):
                self.assertRegex(self.complaint(parts(r0="{compute: 1 us}"), communicators), r"groups.yaml:9:\d+: error: ")
                self.assertIn(said, self.complaint(parts(r0="{compute: 1 us}"), communicators))
        said = self.complaint(parts(all="{barrier: {comm: row}}"))
        self.assertIn('groups.yaml:10:48: error: workload.program[0].do[0].barrier.comm: "row": there is no such communicator', said)
        self.assertIn("did you mean rows?", said)
        self.assertIn("make", self.complaint(parts(all="{barrier: {comm: row}}"), "{}"))
        self.assertIn("comm", self.complaint(parts(r0="{compute: {time: 1 us, comm: pair}}")))

    def test_as_many_as_there_may_be(self):
        """All of them are known to expressions and in use; one more is too many."""
        of = "{%s}" % ", ".join(f"c{i}: [0, {i % 5 + 1}]" for i in range(255))
        program = parts(r0="{send: {to: c254_rank + 1, size: 1 B, comm: c254}}", r5="{recv: {from: 0, size: 1 B, comm: c254}}")
        self.run_program(program, stack="mpich_p4", communicators=of)
        said = self.complaint(program, of[:-1] + ", one_more: [0]}")
        self.assertIn("256 communicators are more than the 255 that there may be", said)

    def test_a_benchmark_has_none(self):
        self.write("benchmark.yaml", "schema: 1\ntestbed: testbeds/cluster1.yaml\nstack: lam_via\n"
                   "workload: {benchmark: pmb.barrier, communicators: {a: [0]}}\n")
        self.assertIn("communicators belong to a free program", self.netsim("check", "benchmark.yaml", code=1).stderr)

    def test_who_is_not_of_it(self):
        for program, said in (
                (parts(all="{barrier: {comm: pair}}"), "rank 1 is not of pair"),
                (parts(r0="{send: {to: pair_rank + 1, size: 1 B, comm: pair}}"), "there is no rank 2 in pair (ranks: 0..1)"),
                (parts(r0="{bcast: {root: 3, size: 1 B, comm: rows}}"), "there is no rank 3 in rows (ranks: 0..2)")):
            with self.subTest(program=program):
                done = self.run_program(program, code=3)
                self.assertIn(said, done.stderr + done.stdout)
                self.assertIn("groups.yaml:10:", done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
