#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of netsim flatten: the messages of calls."""

import json
import os
import re
import unittest

from harness import SOURCE, Case

ALLREDUCE = """\
schema: 1
testbed: testbeds/cluster1.yaml
stack: lam_tcp
lam: {allreduce: recursive_doubling}
workload: {ranks: 4, program: [{ranks: all, do: [allreduce: 8 B]}]}
"""

CALLS = """\
schema: 1
testbed: testbeds/cluster1.yaml
workload:
  ranks: 2
  program:
    - ranks: all
      do:
        - issend: {to: 1 - rank, size: 64 KiB, tag: 7, request: a}
        - irecv: {from: any, tag: any, size: 64 KiB, request: b}
        - compute: 3 us
        - waitall: [b, a]
        - iprobe: {from: any}
        - barrier
series:
  - {name: first, stack: lam_via}
  - {name: second, stack: mvich}
"""


class Flatten(Case):
    def lines(self, *arguments):
        return [json.loads(line) for line in
                self.netsim("flatten", *arguments, "--format", "json").stdout.splitlines()]

    def test_the_documents_example_is_what_is_printed(self):
        self.write("allreduce.yaml", ALLREDUCE)
        with open(os.path.join(SOURCE, "docs", "scenarios.md"), encoding="utf-8") as file:
            shown = re.search(r"```\n\$ netsim (flatten [^\n]*)\n(.*?)```", file.read(), re.DOTALL)
        self.assertEqual(self.netsim(*shown[1].split()).stdout, shown[2])

    def test_table(self):
        self.write("calls.yaml", CALLS)
        text = self.netsim("flatten", "calls.yaml", "--rank", "1", "--series", "first").stdout
        self.assertEqual(text.splitlines(), [
            "first",
            "rank  call            operation       request  what",
            "   1  issend          issend                1  to 0, 64 KiB, tag 7",
            "   1  irecv           irecv                 2  from any, 64 KiB, tag any",
            "   1  compute         compute                  3 us",
            "   1  waitall         wait                     2 1",
            "   1  iprobe          iprobe                3  from any, tag any",
            "   1  barrier         isend                 4  to 0, 0 B",
            "   1  barrier         wait                     4",
            "   1  barrier         irecv                 5  from 0, 0 B",
            "   1  barrier         wait                     5",
        ])

    def test_json(self):
        self.write("calls.yaml", CALLS)
        lines = self.lines("calls.yaml")
        self.assertEqual([line["series"] for line in lines],
                         sorted(line["series"] for line in lines))
        for series in ("first", "second"):
            self.assertEqual({line["rank"] for line in lines if line["series"] == series}, {0, 1})
        self.assertEqual(lines[0], {
            "series": "first", "rank": 0, "call": "issend", "operation": "issend",
            "at": "calls.yaml:8:11", "request": 1, "peer": 1, "tag": 7, "collective": False,
            "bytes": 65536})
        self.assertEqual(lines[1]["peer"], "any")
        self.assertEqual(lines[2]["ps"], 3000000)
        self.assertEqual(lines[3]["requests"], [2, 1])

    def test_each_send_has_its_receive(self):
        lines = self.lines("bcast_cluster1", "--set", "workload.sizes=[1 B, 64 KiB]")
        for series in {line["series"] for line in lines}:
            sends, receives = {}, {}
            for line in lines:
                if line["series"] != series or "peer" not in line:
                    continue
                book, pair = ((sends, (line["rank"], line["peer"]))
                              if line["operation"] == "isend"
                              else (receives, (line["peer"], line["rank"])))
                book.setdefault(pair, []).append(line["bytes"])
            self.assertTrue(sends)
            self.assertEqual(sends, receives)

    def test_a_benchmark_has_one_repetition_unless_it_is_said(self):
        once = self.lines("bcast_cluster1", "--series", "MPICH", "--set", "workload.sizes=8 B")
        asked = self.lines("bcast_cluster1", "--series", "MPICH", "--set", "workload.sizes=8 B",
                           "--set", "workload.repetitions=5")
        calls = [sum(line["call"] == "bcast" for line in lines) for lines in (once, asked)]
        self.assertEqual(calls[1] * 3, calls[0] * 7)  # with two to warm up

    def test_one_sided_operations_are_as_they_are(self):
        lines = self.lines("armci_put_config1", "--set", "workload.sizes=64 B", "--rank", "0")
        puts = [line for line in lines if line["operation"] == "put"]
        self.assertTrue(puts)
        self.assertEqual((puts[0]["peer"], puts[0]["bytes"]), (1, 64))

    def test_communicators(self):
        self.write("groups.yaml", """\
schema: 1
testbed: testbeds/cluster1.yaml
stack: lam_tcp
workload:
  ranks: 4
  communicators: {pair: [3, 1]}
  program:
    - {ranks: [1, 3], do: [{barrier: {comm: pair}}]}
    - {ranks: 1, do: [{send: {to: 0, size: 1 B, comm: pair}}]}
    - {ranks: 3, do: [{recv: {from: 1, size: 1 B, comm: pair}}]}
""")
        text = self.netsim("flatten", "groups.yaml", "--rank", "1").stdout
        self.assertEqual([line.split(None, 3)[-1] for line in text.splitlines()[2:]],
                         ["1  to 3, 0 B, in pair", "1", "2  from 3, 0 B, in pair", "2",
                          "3  to 3, 1 B, tag 0, in pair", "3"])
        line = self.lines("groups.yaml", "--rank", "3")[-2]
        self.assertEqual((line["peer"], line["communicator"]), (1, "pair"))

    def test_what_no_machine_could_run(self):
        """Nothing is simulated: the memory and the operations that a run would take refuse nothing."""
        self.write("large.yaml", ALLREDUCE.replace("ranks: 4", "ranks: 4096")
                   + "hosts: [{name: node, count: 4096}]\nswitch: {ports: 0}\n"
                   + "limits: {memory: 20 MB, operations: 10}\n")
        self.netsim("check", "large.yaml", code=1)
        lines = self.lines("large.yaml", "--rank", "4095")
        self.assertEqual(sum(line["operation"] == "isend" for line in lines), 12)

    def test_mistakes(self):
        self.write("calls.yaml", CALLS)
        for arguments, said in ((["--rank", "2"], "--rank 2: first has the ranks 0..1"),
                                (["--rank", "-1"], "ranks are counted from 0"),
                                (["--series", "frist"], "did you mean first?")):
            self.assertIn(said, self.netsim("flatten", "calls.yaml", *arguments, code=1).stderr)
        self.write("wrong.yaml", CALLS.replace("to: 1 - rank", "to: 2 - rank"))
        done = self.netsim("flatten", "wrong.yaml", "--series", "first", code=3)
        self.assertIn("wrong.yaml:8:11: issend, rank 0: there is no rank 2 (ranks: 0..1)",
                      done.stderr)


if __name__ == "__main__":
    unittest.main()
