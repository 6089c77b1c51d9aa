#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows and the like over time: `netsim run --values`, its file, counters of the timeline and the
pictures of `netsim plot`."""

import collections
import csv
import io
import json
import unittest

from drawing import Drawing

CUT = """\
schema: 1
name: cut
testbed: testbeds/cluster1.yaml
hosts: [{name: node, count: 2}]
workload: {benchmark: iperf.tcp, start: 500 ms, duration: 3 s}
series:
  - {name: whole, stack: tcp}
  - name: cut
    stack: tcp
    set: {links: [{from: node0, to: switch, down: [{from: 1 s, to: 1300 ms}]}, {from: node1, to: switch}]}
"""
MSS = 1448
MVICH = """\
schema: 1
name: mvich
testbed: testbeds/cluster1.yaml
stack: mvich
workload:
  ranks: 2
  program:
    - {ranks: 0, do: [{loop: {count: 100, do: [{send: {to: 1, size: 1 KiB}}]}}, {loop: {count: 100, do: [{recv: {from: 1, size: 1 KiB}}]}}]}
    - {ranks: 1, do: [{loop: {count: 100, do: [{recv: {from: 0, size: 1 KiB}}]}}, {loop: {count: 100, do: [{send: {to: 0, size: 1 KiB}}]}}]}
"""
# Of each quantity of a scenario the least, the most and the last values: tokens return, and queues run empty.
LENT = {
    "gm_allsize": {"send tokens": (0, 61, {61}), "receive tokens": (0, 254, range(255))},
    "grim_injection": {"message queue": (0, 5000, {0}), "endpoint queue": (0, 5000, {0})},
    "vdma_planes_system2": {"TX-CB 1": (0, 4096, {0}), "RX-CB": (0, 4096, {0}), "credits": (0, 32, range(33))},
    "portals_pingpong_system1": {"TX-CB 1": (0, 4096, {0}), "TX-CB 2": (0, 4096, {0}), "RX-CB": (0, 4096, {0})},
}


class Values(Drawing):
    def run_cut(self, *options):
        self.netsim("run", self.write("cut.yaml", CUT), "-q", "--values", "v.csv", *options)
        return list(csv.DictReader(io.StringIO(self.read("v.csv"))))

    def curves(self):
        curves = collections.defaultdict(list)
        for row in self.run_cut():
            self.assertEqual(row["unit"], "B")
            curves[row["series"], row["host"], row["quantity"]].append(
                (float(row["time_us"]) / 1e6, int(row["value"])))
        return curves

    def test_what_a_connection_tells(self):
        curves = self.curves()
        self.assertEqual({key[2] for key in curves}, {"cwnd", "ssthresh", "flight", "rwnd"})
        for points in curves.values():
            times = [when for when, _ in points]
            self.assertEqual(times, sorted(times))
            self.assertTrue(all(a[1] != b[1] for a, b in zip(points, points[1:])))
        # Slow start: the window opens by a segment for each acknowledgment, until the peer's limits.
        opened = [value for when, value in curves["whole", "node0", "cwnd"] if when > 0.5]
        self.assertEqual(opened, sorted(opened))
        self.assertEqual({b - a for a, b in zip(opened, opened[1:])}, {MSS})
        # Without a loss there is no threshold; the flight never exceeds the peer's window.
        self.assertNotIn(("whole", "node0", "ssthresh"), curves)
        rwnd = max(value for _, value in curves["whole", "node0", "rwnd"])
        flight = curves["whole", "node0", "flight"]
        self.assertLessEqual(max(value for _, value in flight), rwnd)
        self.assertEqual(flight[-1][1], 0)

    def test_a_time_out(self):
        curves = self.curves()
        cwnd = curves["cut", "node0", "cwnd"]
        # One segment after the time-out, half of the flight as the threshold.
        when = next(when for when, value in cwnd if when > 1 and value == MSS)
        self.assertTrue(1.2 <= when < 1.5)
        threshold = curves["cut", "node0", "ssthresh"]
        self.assertTrue(all(abs(at - when) < 1e-6 or at > when for at, _ in threshold))
        before = [value for at, value in curves["cut", "node0", "flight"] if at < when][-1]
        self.assertEqual(threshold[0][1], before // MSS // 2 * MSS)
        self.assertGreater(cwnd[-1][1], threshold[0][1])

    def test_nothing_else_changes(self):
        self.run_cut("--out", "a")
        self.netsim("run", "cut.yaml", "-q", "--out", "b")
        self.assertEqual(self.read("a/results.csv"), self.read("b/results.csv"))
        fingerprints = [[one["fingerprint"] for one in json.loads(self.read(f"{d}/manifest.json"))
                         ["series"]] for d in "ab"]
        self.assertEqual(*fingerprints)

    def test_several_processes_and_sinks(self):
        short = ("--set", "workload.start=0 s", "--set", "workload.duration=20 ms", "--set",
                 "workload.bin=10 ms")
        self.run_cut(*short, "--trace", "t.json", "--log-states", "s.txt")
        files = {name: self.read(name) for name in ("v.csv", "t.json", "s.txt")}
        self.run_cut(*short, "-j", "2", "--trace", "t.json", "--log-states", "s.txt")
        for name, text in files.items():
            self.assertEqual(self.read(name), text, name)
        counters = collections.Counter(
            event["name"] for event in json.loads(files["t.json"])["traceEvents"]
            if event["ph"] == "C" and event["name"].startswith("tcp "))  # others are rings and queues
        self.assertEqual(sum(counters.values()), len(files["v.csv"].splitlines()) - 1)
        self.assertIn("tcp 1 to node1: cwnd (B)", counters)
        self.run_cut(*short)
        self.assertEqual(self.read("v.csv"), files["v.csv"])

    def buffers(self, scenario):
        """{(series, host, name, quantity): [(time, value)]} of a run."""
        self.netsim("run", scenario, "-q", "--values", "v.csv")
        curves = collections.defaultdict(list)
        for row in csv.DictReader(io.StringIO(self.read("v.csv"))):
            if not row["name"].startswith("tcp "):
                curves[tuple(row[key] for key in ("series", "host", "name", "quantity"))].append(
                    (float(row["time_us"]), int(row["value"])))
        return curves

    def test_credits_tokens_and_buffers(self):
        """Each stays within what the library has of it, and all that is lent returns."""
        for scenario, wanted in LENT.items():
            with self.subTest(scenario=scenario):
                curves = self.buffers(scenario)
                self.assertEqual({key[3] for key in curves}, set(wanted))
                for key, points in curves.items():
                    least, most, last = wanted[key[3]]
                    times, values = zip(*points)
                    self.assertEqual(list(times), sorted(times), key)
                    self.assertTrue(all(a != b for a, b in zip(values, values[1:])), key)
                    self.assertTrue(least <= min(values) and max(values) <= most, (key, min(values), max(values)))
                    self.assertIn(values[-1], last, key)

    def test_credits_are_conserved(self):
        """A credit of MVICH is at the sender, on its way, or to be returned by the receiver (64 of them)."""
        curves = self.buffers(self.write("mvich.yaml", MVICH))
        for rank in (0, 1):
            events = [(when, place, value) for place, key in enumerate((
                (f"node{rank}", f"mvich rank {rank} to {1 - rank}", "credits"),
                (f"node{1 - rank}", f"mvich rank {1 - rank} to {rank}", "credits to return")))
                      for when, value in curves["mvich", *key]]
            held, sums = [64, 0], []
            for _, place, value in sorted(events):
                held[place] = value
                sums.append(sum(held))
            self.assertGreater(len(sums), 50)
            self.assertLessEqual(max(sums), 64)
            self.assertGreater(len(set(sums)), 1)

    def test_stacks_that_tell_nothing(self):
        self.netsim("run", self.small(), "-q", "--values", "v.csv")
        self.assertEqual(self.read("v.csv"), "series,host,name,quantity,unit,time_us,value\n")

    def test_files(self):
        self.write("cut.yaml", CUT)
        done = self.netsim("run", "cut.yaml", "-q", "--values", "x", "--trace", "x", code=1)
        self.assertIn("--values", done.stderr)
        done = self.netsim("run", "cut.yaml", "-q", "--values", "no/such/x", code=1)
        self.assertIn("no/such/x", done.stderr)

    def test_pictures(self):
        self.run_cut()
        self.netsim("plot", "v.csv", "-q", "--out", "a.svg")
        self.netsim("plot", "cut.yaml", "--over-time", "-q", "--out", "b.svg")
        for name in ("a.svg", "b.svg"):
            self.assertIn("time (s)", self.texts(name))
            self.assertIn("cut: node0, tcp 1 to node1", self.texts(name))
            self.assertTrue({"p2-series-cwnd", "p4-series-ssthresh"} <= self.ids(name))
        self.netsim("plot", "v.csv", "-q", "--series", "cut", "--metric", "cwnd", "--out", "c.svg")
        self.assertNotIn("whole", self.texts("c.svg"))
        self.assertNotIn("flight", self.texts("c.svg"))
        self.assertIn("cwnd (B)", self.texts("c.svg"))

    def test_pictures_that_cannot_be(self):
        self.run_cut("--out", "r")
        for words, text in ((["r", "--over-time"], "--over-time goes with a scenario"),
                            (["v.csv", "v.csv"], "of one run alone"),
                            (["v.csv", "--x", "size"], "no figure, sizes and axes"),
                            (["v.csv", "--metric", "window"], "cwnd")):
            self.assertIn(text, self.netsim("plot", *words, "-q", code=1).stderr)
        header = "series,host,name,quantity,unit,time_us,value\n"
        for row, text in (("s,h,n,q,B,1\n", "seven columns"), ("s,h,n,q,B,x,1\n", "a time in"),
                          ("s,h,n,q,B,1,2.5\n", "a whole number"),
                          ("s,h,n,q,B,5,1\ns,h,n,q,B,4,2\n", ":3: this time is before")):
            self.write("w.csv", header + row)
            self.assertIn(text, self.netsim("plot", "w.csv", "-q", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
