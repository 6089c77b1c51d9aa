#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outputs of a run in progress: state log, timeline, progress bar."""

import collections
import fcntl
import gzip
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from harness import NETSIM, Case


class Traces(Case):
    def test_state_log(self):
        self.netsim("run", self.small(), "--log-states", "states.txt", "--quiet")
        lines = self.read("states.txt").splitlines()
        self.assertEqual([line for line in lines if line.startswith("#")],
                         ["# series first, quoted", "# series second"])
        self.assertGreater(len(lines), 20)
        for line in lines:
            if not line.startswith("#"):
                self.assertRegex(line, r"\A\d+\.\d{6} \S.* [^ ].*\[-?\d+\] \S+ -> \S+")

    def test_timeline(self):
        """Slices of a thread never overlap, arrows start once, go forward, and stand on slices."""
        self.netsim("run", self.small(), "--trace", "t.json", "--quiet")
        events = json.loads(self.read("t.json"))["traceEvents"]
        phases = collections.Counter(event["ph"] for event in events)
        for phase in "XMistf":
            self.assertGreater(phases[phase], 0, phase)
        slices = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                start = round(event["ts"] * 1e6)
                slices[event["pid"], event["tid"]].append((start, start + round(event["dur"] * 1e6)))
        for spans in slices.values():
            spans.sort()
            for before, after in zip(spans, spans[1:]):
                self.assertLessEqual(before[1], after[0])
        arrows = collections.defaultdict(list)
        for event in events:
            if event["ph"] in "stf":
                when = round(event["ts"] * 1e6)
                self.assertTrue(any(start <= when <= end
                                    for start, end in slices[event["pid"], event["tid"]]), event)
                arrows[event["id"]].append((when, "stf".index(event["ph"])))
        for ends in arrows.values():
            ends.sort()
            order = [phase for _, phase in ends]
            self.assertEqual(order, sorted(order))
            self.assertEqual(order.count(0), 1)
            self.assertLessEqual(order.count(2), 1)

    def test_compressed(self):
        """A name that ends in .gz: the same file, compressed, whatever the number of processes; and none after a failure."""
        small = self.small()
        self.netsim("run", small, "--trace", "t.json", "--log-states", "s.txt", "--values", "v.csv", "-q")
        for jobs in "12":
            self.netsim("run", small, "--trace", f"{jobs}.gz", "--log-states", "s.gz", "--values", "v.gz", "-q", "-j", jobs)
            for plain, packed in (("t.json", f"{jobs}.gz"), ("s.txt", "s.gz"), ("v.csv", "v.gz")):
                with open(self.path(packed), "rb") as file:
                    self.assertEqual(gzip.decompress(file.read()).decode(), self.read(plain))
        with open(self.path("1.gz"), "rb") as one, open(self.path("2.gz"), "rb") as two:
            self.assertEqual(one.read(), two.read())
        self.assertLess(os.path.getsize(self.path("1.gz")), os.path.getsize(self.path("t.json")) / 5)
        with open("/dev/full", "wb"):
            pass
        os.symlink("/dev/full", self.path("full.gz"))
        self.assertIn("No space left", self.netsim("run", small, "--trace", "full.gz", "-q", code=1).stderr)

    def timeline(self, *words):
        self.netsim("run", *words, "--trace", "t.json", "--quiet", code=None)
        return json.loads(self.read("t.json"))["traceEvents"]

    def test_timeline_follows_the_format(self):
        """Each event has the fields that the Trace Event Format asks of its phase, and no phase is another."""
        number = (int, float)
        times = {"ts": number, "pid": int, "tid": int}
        fields = {"X": {**times, "name": str, "dur": number}, "i": {**times, "name": str, "s": str},
                  "C": {"ts": number, "pid": int, "name": str, "args": dict},
                  "M": {"pid": int, "tid": int, "name": str, "args": dict},
                  "b": {**times, "name": str, "cat": str, "id": int},
                  "e": {**times, "name": str, "cat": str, "id": int}}
        for phase in "stf":
            fields[phase] = {**times, "name": str, "cat": str, "id": int, "bp": str}
        open_ones = {}
        for event in self.timeline("flow_overrun", "--series", "3 x 16 KiB, 8 places") + self.timeline(self.small()):
            for field, kind in fields[event["ph"]].items():
                self.assertIsInstance(event[field], kind, (field, event))
            self.assertGreaterEqual(event.get("ts", 0), 0)
            self.assertGreaterEqual(event.get("dur", 0), 0)
            if event["ph"] == "i":
                self.assertIn(event["s"], "tpg")
            if event["ph"] == "C":
                self.assertGreaterEqual(event["args"]["value"], 0)
            if event["ph"] == "b":
                open_ones[event["id"]] = event
            if event["ph"] == "e":
                begun = open_ones.pop(event["id"])
                self.assertEqual((begun["name"], begun["pid"]), (event["name"], event["pid"]))
                self.assertLessEqual(begun["ts"], event["ts"])
        self.assertFalse(open_ones)

    def test_timeline_arguments(self):
        """Packets, messages and calls have their size, their ends and their number."""
        events = self.timeline("pingpong_cluster1", "--series", "LAM TCP", "--set", "workload.sizes=[4 KiB]",
                               "--set", "workload.repetitions=3")
        packets = [event for event in events if event["ph"] == "X" and "packet" in event.get("args", {})]
        data = [event for event in packets if event["name"] == "TCP data" and event.get("args", {}).get("message bytes") == 4096]
        self.assertTrue(data)
        for event in data:
            args = event["args"]
            self.assertEqual({args["source"], args["destination"]}, {"node0", "node1"})
            self.assertLessEqual(args["offset"] + args["bytes"], 4096)
            self.assertEqual((args["source"][-1], args["destination"][-1]),
                             (str(args["source rank"]), str(args["destination rank"])))
            self.assertGreater(args["sequence"], 0)
            self.assertGreater(args["message"], 0)
        self.assertTrue(any(event["name"] == "TCP ACK" and event["args"]["acknowledges"] > 0 for event in packets))
        copies = [event for event in events if event["ph"] == "X" and event["name"] == "copy"
                  and event.get("args", {}).get("message bytes") == 4096]
        self.assertTrue(copies)
        calls = [event for event in events if event["ph"] == "X" and event["name"] == "send"
                 and event.get("args", {}).get("bytes") == 4096]
        self.assertEqual({event["args"]["peer"] for event in calls}, {0, 1})

    def test_timeline_queues_and_losses(self):
        """Queues end empty; no lane is split for them; what is dropped and what timed out has its mark."""
        events = self.timeline("sctp_streams_loss", "--series", "loss on stream 1")
        names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
        self.assertFalse([name for name in names if name.startswith("port ")])
        last = {}
        for event in events:
            if event["ph"] == "C" and event["name"].endswith(("waiting (packets)", "ring (frames)")):
                last[event["pid"], event["name"]] = event["args"]["value"]
        self.assertTrue(last)
        self.assertEqual(set(last.values()), {0})
        marks = [event["name"] for event in events if event["ph"] == "i" and event["s"] == "p"]
        self.assertEqual(sum(name.startswith("drop: lost on link") for name in marks), 1)
        self.assertEqual(sum(name.startswith("time-out: T3-rtx") for name in marks), 1)
        self.assertEqual(marks.count("sent again: SCTP chunk"), 1)

    def test_timeline_stretch(self):
        """--trace-from and --trace-to leave out the rest, and no more than the rest."""
        whole = self.timeline(self.small())
        part = self.timeline(self.small(), "--trace-from", "1.2 ms", "--trace-to", "1.5 ms")

        def within(events):
            return sorted((event["ts"], event["name"]) for event in events if event["ph"] in "Xi"
                          and event["ts"] + event.get("dur", 0) >= 1200 and event["ts"] < 1500
                          and event["name"] != "message")
        self.assertEqual(within(part), within(whole))
        self.assertLess(len(part), len(whole))
        for event in part:
            self.assertLess(event.get("ts", 0), 1500)
            if event["ph"] in "Xi":
                self.assertGreaterEqual(event["ts"] + event.get("dur", 0), 1200)
        for words, text in ((["--trace-from", "1 s"], "--trace-from needs --trace"),
                            (["--trace", "t.json", "--trace-to", "0 s"], "nothing would be left"),
                            (["--trace", "t.json", "--trace-from", "2 s", "--trace-to", "1 s"], "is not before"),
                            (["--trace", "t.json", "--trace-from", "soon"], "--trace-from soon")):
            self.assertIn(text, self.netsim("run", self.small(), *words, code=1).stderr)

    def test_timeline_has_the_lanes_of_both_series(self):
        self.netsim("run", self.small(), "--trace", "t.json", "--quiet")
        events = json.loads(self.read("t.json"))["traceEvents"]
        names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
        for series in ("first, quoted", "second"):
            self.assertTrue(any(name.startswith(f"{series}: ") for name in names), names)

    def spans(self, scenario, *options):
        """The slices of a run by host and lane: [(name, from, to)] in us, ascending."""
        self.netsim("run", scenario, "--trace", "t.json", "--quiet", *options)
        events = json.loads(self.read("t.json"))["traceEvents"]
        hosts = {event["pid"]: event["args"]["name"] for event in events
                 if event["name"] == "process_name"}
        lanes = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
                 if event["name"] == "thread_name"}
        spans = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                place = hosts[event["pid"]].split(": ")[-1], lanes[event["pid"], event["tid"]]
                spans[place].append((event["name"], event["ts"], event["ts"] + event["dur"]))
        return spans

    def test_each_call_of_a_rank_is_a_span(self):
        """One follows the other without a gap, from MPI_Init to MPI_Finalize."""
        spans = self.spans("short")
        ranks = {place[1]: calls for place, calls in spans.items() if place[1].startswith("rank")}
        self.assertEqual([call[0] for call in ranks["rank 0"]],
                         ["MPI_Init", "send", "ssend", "MPI_Finalize"])
        for calls in ranks.values():
            self.assertEqual(calls[0][:2], ("MPI_Init", 0))
            for before, after in zip(calls, calls[1:]):
                self.assertAlmostEqual(before[2], after[1], places=5)

    def test_each_path_has_a_lane(self):
        """With what its sender does; a second one is not confirmed at first."""
        spans = self.spans("sctp_handshake")
        paths = {place: [doing[0] for doing in told] for place, told in spans.items()
                 if place[1].endswith((" path 1", " path 2"))}
        self.assertEqual(len(paths), 4)
        for told in paths.values():
            self.assertEqual(told[-1], "slow_start")
        self.assertIn(["UNCONFIRMED", "slow_start"], list(paths.values()))


class Terminal(Case):
    def run_on_terminal(self, *arguments):
        """The program's output to a terminal that is its stderr."""
        try:
            ours, theirs = pty.openpty()
        except OSError as why:
            self.skipTest(f"no terminal to be had here: {why}")
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        with subprocess.Popen([NETSIM, *arguments], cwd=self.directory, stderr=theirs,
                              stdout=subprocess.DEVNULL) as process:
            os.close(theirs)
            text = b""
            while True:
                try:
                    part = os.read(ours, 4096)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                text += part
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        return text.decode()

    def test_progress_bar(self):
        text = self.run_on_terminal("run", self.small())
        self.assertRegex(text, r"\r\[[#-]+\] +\d+ %")
        self.assertTrue(text.endswith("\r\033[K"), repr(text))  # it takes itself away
        for line in re.split(r"\r", text):
            self.assertLess(len(line.replace("\033[K", "")), 60)

    def test_quiet_has_no_bar(self):
        self.assertEqual(self.run_on_terminal("run", self.small(), "--quiet"), "")


if __name__ == "__main__":
    unittest.main()
