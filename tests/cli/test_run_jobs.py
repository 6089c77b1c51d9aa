#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim run -j: series in processes give what they give one after the other."""

import json
import os
import pty
import re
import signal
import subprocess
import time
import unittest

from harness import NETSIM, Case

# Five series with all kinds of ends: with losses, in a deadlock, and whole.
MIXED = """\
schema: 1
name: mixed
testbed: testbeds/cluster1.yaml
workload: {benchmark: pmb.pingpong, sizes: [0 B, 4 KiB], repetitions: 4, samples: true}
series:
  - {name: longest, stack: lam_tcp, set: {workload.repetitions: 20}}
  - {name: lossy, stack: lam_tcp, set: {"link.drop_nth": [20]}}
  - {name: lost, stack: lam_via, set: {"link.drop_nth": [30]}}
  - {name: "größe, =1", stack: mpich_p4}
  - {name: short, stack: mvia, set: {workload.benchmark: native.pingpong}}
"""
ENDLESS = """\
schema: 1
name: endless
testbed: testbeds/cluster1.yaml
workload: {benchmark: pmb.pingpong, sizes: 4 B}
series:
  - {name: without end, stack: lam_via, set: {workload.repetitions: 100000000}}
  - {name: short, stack: lam_tcp, set: {workload.repetitions: 2}}
"""

CLOCK = re.compile(r"in \d+\.\d+ s \([^()]* events/s\)")


def without_clock(document):
    document.pop("execution", None)
    for name in ("wall_s", "events_per_s"):
        document.get("run", {}).pop(name, None)
    return document


class Jobs(Case):
    def outcome(self, jobs, *arguments, code=None):
        out = f"out{jobs}"
        done = self.netsim("run", "mixed.yaml", "-q", "-j", str(jobs), "--out", out, "--trace", f"{out}.json",
                           "--log-states", f"{out}.log", "--pcap", f"{out}.pcap", *arguments, code=code)
        frames = {}
        for directory, _, names in os.walk(self.path(f"{out}.pcap")):
            for name in names:
                path = os.path.join(directory, name)
                with open(path, "rb") as file:
                    frames[os.path.relpath(path, self.path(f"{out}.pcap"))] = file.read()
        return (done.returncode, CLOCK.sub("CLOCK", done.stdout), done.stderr, self.read(f"{out}/results.csv") + self.read(f"{out}/samples.csv"),
                without_clock(json.loads(self.read(f"{out}/manifest.json"))), self.read(f"{out}.json"),
                self.read(f"{out}.log"), frames)

    def test_the_same_bytes(self):
        self.write("mixed.yaml", MIXED)
        one = self.outcome(1)
        self.assertEqual(one[0], 3)
        self.assertGreater(len({series["status"] for series in one[4]["series"]}), 1)
        self.assertTrue(one[4]["series"][1]["losses"])
        events = json.loads(one[5])["traceEvents"]
        self.assertGreater(len({event["pid"] for event in events}), 5)
        self.assertEqual(len(one[7]), 5 * 6)  # series and hosts
        for jobs in (2, 0):
            self.assertEqual(self.outcome(jobs), one, jobs)

    def test_formats(self):
        self.write("mixed.yaml", MIXED)
        for format in ("csv", "json", "table"):
            texts = []
            for jobs in ("-j1", "-j3"):
                done = self.netsim("run", "mixed.yaml", jobs, "--format", format, "--seed", "7", code=3)
                out = done.stdout if format != "json" else json.dumps(without_clock(json.loads(done.stdout)))
                texts.append((CLOCK.sub("CLOCK", out), done.stderr))
            self.assertEqual(*texts)

    def test_an_interrupt_keeps_what_is_finished(self):
        self.write("endless.yaml", ENDLESS)
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([NETSIM, "run", "endless.yaml", "-j2", "--log-states", "s.log", "--trace", "t.json",
                                   "--pcap", "frames", "--out", str(number.value)], cwd=self.directory, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
                self.wait_for_workers(child.pid, 1)
                child.send_signal(number)
                out, said = child.communicate(timeout=600)
            self.assertEqual(child.returncode, 128 + number)
            self.assertIn(f"netsim: interrupted: 1 of 2 series are finished, and in {number.value}\n", said)
            self.assertRegex(out, r"(?m)^    4 ")
            manifest = json.loads(self.read(f"{number.value}/manifest.json"))
            self.assertEqual([(series["name"], series["case"]["stack"]) for series in manifest["series"]],
                             [("short", "lam_tcp")])
            self.assertNotIn("without end", self.read("s.log"))
            self.assertIn("# series short\n", self.read("s.log"))
            json.loads(self.read("t.json"))
            self.assertEqual({name: len(os.listdir(self.path(f"frames/{name}"))) for name in ("short", "without_end")},
                             {"short": 6, "without_end": 0})
            self.assertEqual(self.children(child.pid), [])

    def test_the_death_of_a_process(self):
        self.write("endless.yaml", ENDLESS)
        with subprocess.Popen([NETSIM, "run", "endless.yaml", "-j2", "--out", "d"], cwd=self.directory,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as child:
            os.kill(self.wait_for_workers(child.pid, 1)[0], signal.SIGKILL)
            _, said = child.communicate(timeout=600)
        self.assertEqual(child.returncode, 2, said)
        self.assertRegex(said, r"(?m)^netsim: without end: signal 9 \(.*\) ended the process$")
        self.assertIn("netsim: 1 of 2 series are finished, and in d\n", said)
        self.assertIn("endless,short,", self.read("d/results.csv"))

    def test_a_sink_that_can_not_be_written(self):
        self.write("mixed.yaml", MIXED)
        said = {self.netsim("run", "mixed.yaml", "-q", jobs, "--log-states", "/dev/full", code=1).stderr
                for jobs in ("-j1", "-j3")}
        self.assertEqual(said, {"netsim: /dev/full: could not be written whole: No space left on device\n"})

    def test_what_can_not_be_written_is_found_before(self):
        """Not after the endless series."""
        self.write("endless.yaml", ENDLESS)
        for jobs in ("-j1", "-j2"):
            for option in ("--out", "--trace", "--log-states"):
                done = self.netsim("run", "endless.yaml", jobs, option, "/proc/nope/x", code=1)
                self.assertEqual(done.stdout, "")
                self.assertIn("/proc/nope", done.stderr)
            self.assertEqual(os.listdir(self.directory), ["endless.yaml"])

    def test_progress(self):
        self.write("mixed.yaml", MIXED.replace("repetitions: 20}", "repetitions: 4000}"))
        ours, theirs = pty.openpty()
        with subprocess.Popen([NETSIM, "run", "mixed.yaml", "-j2"], cwd=self.directory, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=theirs) as child:
            os.close(theirs)
            text = b""
            try:
                while more := os.read(ours, 4096):
                    text += more
            except OSError:  # the other end is closed
                pass
        os.close(ours)
        shown = text.decode()
        self.assertRegex(shown, r"\A\r\[[#-]{24}\]  *\d+ %  \d of 5 series, ")
        self.assertTrue(shown.endswith("\r\x1b[K"), repr(shown))
        parts = [int(part) for part in re.findall(r"\] +(\d+) %", shown)]
        self.assertEqual(parts, sorted(parts))

    @staticmethod
    def children(pid):
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return [int(child) for child in file.read().split()]
        except OSError:
            return []

    def wait_for_workers(self, pid, count):
        """The processes of a run, when only so many have been left for a while."""
        since = None
        while since is None or time.monotonic() < since + 0.5:
            children = self.children(pid)
            if len(children) != count:
                since = None
            elif since is None:
                since = time.monotonic()
            time.sleep(0.01)
        return children


if __name__ == "__main__":
    unittest.main()
