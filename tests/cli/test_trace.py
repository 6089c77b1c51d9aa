#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of netsim trace on recordings: on the shipped ones it is the sum of their lines, and with a stack's
collectives the messages into which netsim flatten unfolds them."""

import collections
import csv
import io
import json
import os
import unittest

from drawing import Drawing
from harness import SOURCE, Case

import needs

TRACES = os.path.join(SOURCE, "traces")
TYPE_BYTES = {"0": 8, "1": 4, "2": 1, "6": 1}
NAMES = {"sendRecv": "sendrecv", "reducescatter": "reduce_scatter"}


def shipped():
    return sorted(name for name in os.listdir(TRACES)
                  if os.path.isfile(os.path.join(TRACES, name, "trace.txt")))


def lines_of(name):
    """(rank, words) of every line of a shipped recording."""
    folder = os.path.join(TRACES, name)
    with open(os.path.join(folder, "trace.txt"), encoding="ascii") as names:
        for rank, file in enumerate(names.read().split()):
            with open(os.path.join(folder, file), encoding="ascii") as lines:
                for line in lines:
                    yield rank, line.split()[1:]


class Trace(Case):
    def json(self, *words, **options):
        return json.loads(self.netsim("trace", *words, "--format", "json", **options).stdout)

    def trace(self, text):
        """A recording of two ranks, whose lines are given without init and finalize."""
        ends = "".join(f"{rank} init\n" for rank in (0, 1)), "0 finalize\n1 finalize\n"
        return self.write("t.txt", ends[0] + text + ends[1])


class Shipped(Trace):
    def path_of(self, name):
        return os.path.join(TRACES, name, "trace.txt")

    def test_messages(self):
        for name in shipped():
            with self.subTest(name=name):
                cells = collections.defaultdict(lambda: [0, 0])
                for rank, words in lines_of(name):
                    if words[0] in ("send", "isend"):
                        cell = cells[rank, int(words[1])]
                        cell[0] += 1
                        cell[1] += int(words[3]) * TYPE_BYTES[words[4]]
                document = self.json(self.path_of(name))
                rows = [[*pair, *cells[pair]] for pair in sorted(cells)]
                self.assertEqual(document["matrix"],
                                 {"collectives": "apart", "stack": None, "rows": rows,
                                  "columns": ["from", "to", "messages", "bytes"]})
                messages = document["point_to_point"]
                self.assertEqual(messages["messages"], sum(row[2] for row in rows))
                self.assertEqual(messages["bytes"], sum(row[3] for row in rows))
                self.assertEqual(messages["pairs"], len(rows))
                self.assertEqual((messages["unreceived"], messages["unsent"]), (0, 0))
                for rank in document["by_rank"]:
                    sent = [row for row in rows if row[0] == rank["rank"]]
                    self.assertEqual((rank["messages"], rank["bytes"], rank["peers"]),
                                     (sum(row[2] for row in sent), sum(row[3] for row in sent),
                                      len(sent)))

    def test_operations(self):
        for name in shipped():
            with self.subTest(name=name):
                calls, ranks = collections.Counter(), collections.defaultdict(set)
                for rank, words in lines_of(name):
                    operation = NAMES.get(words[0], words[0])
                    if operation not in ("init", "finalize", "compute"):
                        calls[operation] += 1
                        ranks[operation].add(rank)
                document = self.json(self.path_of(name))
                found = {one["operation"]: one for one in document["operations"]}
                found.pop("compute", None)
                self.assertEqual({one: found[one]["calls"] for one in found}, calls)
                self.assertEqual({one: found[one]["ranks"] for one in found},
                                 {one: len(ranks[one]) for one in ranks})
                for one in found.values():
                    if "sizes" in one:
                        self.assertEqual(sum(row["calls"] for row in one["sizes"]), one["calls"])

    def test_work(self):
        for name in shipped():
            with self.subTest(name=name):
                work = collections.Counter()
                for rank, words in lines_of(name):
                    if words[0] == "compute":
                        work[rank] += float(words[1])
                document = self.json(self.path_of(name), "--speed", "125 Mflop/s")
                by_rank, seconds = (document["work"][key] for key in ("by_rank", "seconds_by_rank"))
                self.assertAlmostEqual(by_rank["most"], max(work.values()))
                self.assertAlmostEqual(by_rank["mean"], sum(work.values()) / document["ranks"])
                self.assertEqual(by_rank["most_rank"], max(work, key=work.get))
                self.assertAlmostEqual(seconds["least"], min(work.values()) / 125e6)
                self.assertAlmostEqual(by_rank["imbalance"], by_rank["most"] / by_rank["mean"] - 1)

    def test_collectives_of_a_stack(self):
        """With --stack the matrix has what netsim flatten prints of a replay over that stack."""
        for name, series, stack in (("nas_is_s_8", "LAM TCP", "lam_tcp"),
                                    ("sample_sort_8", "MPICH over GM", "armci"),
                                    ("stencil_16", "LAM TCP", "lam_tcp")):
            with self.subTest(name=name):
                scenario = "replay_" + {"nas_is_s_8": "nas_is"}.get(name, name.rsplit("_", 1)[0])
                cells = collections.defaultdict(lambda: [0, 0])
                for line in self.netsim("flatten", scenario, "--series", series, "--format",
                                        "json").stdout.splitlines():
                    operation = json.loads(line)
                    if operation["operation"] == "isend":
                        cell = cells[operation["rank"], operation["peer"]]
                        cell[0] += 1
                        cell[1] += operation["bytes"]
                text = self.netsim("trace", self.path_of(name), "--stack", stack, "--format",
                                   "csv").stdout
                rows = list(csv.reader(io.StringIO(text)))
                self.assertEqual(rows[0], ["from", "to", "messages", "bytes"])
                self.assertEqual([list(map(int, row)) for row in rows[1:]],
                                 [[*pair, *cells[pair]] for pair in sorted(cells)])


class Made(Trace):
    """Recordings that are made for it."""

    def test_sizes(self):
        """A class has the sizes up to a power of two; quantiles are sizes that occur."""
        sizes = [0, 1, 2, 3, 4, 5, 1024, 1025, 2048, 2**30]
        text = "".join(f"0 send 1 0 {size} 6\n1 recv 0 0 {size} 6\n" for size in sizes)
        document = self.json(self.trace(text))
        send = next(one for one in document["operations"] if one["operation"] == "send")
        self.assertEqual(send["sizes"], [{"most": most, "calls": calls} for most, calls in (
            (0, 1), (1, 1), (2, 1), (4, 2), (8, 1), (1024, 1), (2048, 2), (2**30, 1))])
        self.assertEqual(send["size"], {"least": 0, "median": 4, "p90": 2048, "most": 2**30})
        self.assertEqual(document["sizes"], {"messages": send["sizes"], "collectives": []})

    def test_what_callers_give(self):
        """Of a broadcast the root gives something, of an exchange each rank a block for each."""
        for lines, size, given in ((("bcast 100 1 6",) * 2, 100, 100),
                                   (("reduce 100 0 1 6",) * 2, 100, 200),
                                   (("scatter 100 100 0 6 6",) * 2, 100, 200),
                                   (("gather 100 100 0 6 6",) * 2, 100, 200),
                                   (("alltoall 100 100 6 6",) * 2, 100, 400),
                                   (("allgatherv 10 10 20 6 6", "allgatherv 20 10 20 6 6"), 30, 30),
                                   (("gatherv 10 10 20 0 6 6", "gatherv 20 0 20 0 6 6"), 30, 30)):
            with self.subTest(lines=lines):
                document = self.json(self.trace("".join(f"{rank} {line}\n"
                                                        for rank, line in enumerate(lines))))
                operation, = document["operations"]
                self.assertEqual((operation["size"]["most"], operation["bytes"]), (size, given))
                self.assertEqual(document["collectives"], {"calls": 2, "bytes": given})

    def test_unmatched(self):
        path = self.trace("0 send 1 0 8 6\n0 send 1 0 8 6\n1 recv 0 0 8 6\n0 recv 1 5 8 6\n")
        document = self.json(path)["point_to_point"]
        self.assertEqual((document["unreceived"], document["unsent"]), (1, 1))
        self.assertIn("1 message without a receive, 1 receive without a message",
                      self.netsim("trace", path).stdout)

    def test_nothing_in_it(self):
        document = self.json(self.trace(""))
        self.assertEqual((document["calls"], document["operations"], document["matrix"]["rows"]),
                         (0, [], []))
        text = self.netsim("trace", "t.txt").stdout
        self.assertIn("point to point: none", text)
        self.assertIn("computation: none", text)

    def test_sleep_is_apart(self):
        document = self.json(self.trace("0 compute 5e6\n1 sleep 0.5\n"))
        self.assertEqual([(rank["work"], rank["sleep"]) for rank in document["by_rank"]],
                         [(5e6, 0), (0, 0.5)])

    def test_refused(self):
        for text, said in (("0 fly\n", "t.txt:3:3: error: \"fly\" is no action"),
                           ("0 send 7 0 8 6\n", "t.txt:3:8: error: rank 7 is out of range")):
            with self.subTest(text=text):
                self.assertIn(said, self.netsim("trace", self.trace(text), code=1).stderr)
        self.write("empty.txt", "")
        good = self.trace("0 barrier\n1 barrier\n")
        for words, said in ((("nowhere.txt",), "nowhere.txt cannot be read: No such file"),
                            (("empty.txt",), "empty.txt is empty"),
                            ((good, "--speed", "3"), "--speed 3: "),
                            ((good, "--speed", "0"), "at least 1 flop/s"),
                            ((good, "--stack", "none"), "--stack none: there is none"),
                            ((good, "--stack", "gm"), "--stack gm: it has no MPI library"),
                            ((good, "--format", "xml"), "--format"),
                            ((good, "--matrix", good), "--matrix")):
            with self.subTest(words=words):
                self.assertIn(said, self.netsim("trace", *words, code=1).stderr)


class Pictures(Trace, Drawing):
    @needs.matplotlib
    def test_matrix(self):
        path = os.path.join(TRACES, "cg_8", "trace.txt")
        for form, head in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            self.netsim("trace", path, "--matrix", f"m.{form}")
            with open(self.path(f"m.{form}"), "rb") as file:
                self.assertTrue(file.read().startswith(head))
        self.assertLessEqual({"p1-matrix-bytes", "p2-matrix-messages"}, self.ids("m.svg"))
        self.assertIn("collectives are not in it", self.texts("m.svg"))
        self.netsim("trace", path, "--matrix", "m.svg", "--stack", "lam_tcp")
        self.assertIn("with the messages that lam_tcp makes of the collectives",
                      self.texts("m.svg"))
        self.assertIn("not gif", self.netsim("trace", path, "--matrix", "m.gif", code=1).stderr)

    @needs.matplotlib
    def test_no_message(self):
        self.netsim("trace", self.trace("0 compute 3\n"), "--matrix", "m.svg")
        self.assertIn("there is no message", self.texts("m.svg"))


if __name__ == "__main__":
    unittest.main()
