#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outputs of commands: whole or not at all, through links, to pipes, and never over their inputs or each other."""

import json
import os
import resource
import signal
import subprocess
import threading
import time
import unittest

from harness import NETSIM, SMALL, SOURCE, Case

# Takes some seconds, long enough for an interruption.
LONG = SMALL.replace("name: small", "name: long").replace(
    "[0 B, 1 B, 4 KiB], repetitions: 3", "1 MiB, repetitions: 100000")
OTHER = ("--set", "lam_via.tiny=512 B")


class Files(Case):
    def setUp(self):
        super().setUp()
        self.small()

    def files(self, directory="."):
        return sorted(os.listdir(self.path(directory)))

    def drawn(self, *arguments, **options):
        """A call that draws; skips where matplotlib is missing."""
        done = self.netsim(*arguments, code=None, **options)
        if "no python3 with matplotlib" in done.stderr:
            self.skipTest("no python3 with matplotlib")
        return done


class Whole(Files):
    def test_results_of_two_runs_are_no_pair(self):
        self.netsim("run", "small.yaml", "-q", "--out", "a")
        self.netsim("run", "small.yaml", "-q", "--out", "b", *OTHER)
        fingerprint = json.loads(self.read("a/manifest.json"))["fingerprint"]
        self.assertNotEqual(self.read("a/results.csv"), self.read("b/results.csv"))
        os.replace(self.path("b/results.csv"), self.path("a/results.csv"))
        done = self.netsim("compare", "a", "a", code=1)
        self.assertRegex(done.stderr, r"a: results.csv \(SHA-256 [0-9a-f]{12}\.\.\.\) is not of "
                         rf"the run of manifest.json \(fingerprint {fingerprint}, results "
                         r"[0-9a-f]{12}\.\.\.\)")
        self.assertEqual(done.stdout, "")
        drawn = self.drawn("plot", "a", "--out", "a.svg")
        self.assertEqual(drawn.returncode, 1)
        self.assertIn("is not of the run of manifest.json", drawn.stderr)
        # The table alone can still be read, and a manifest of an older version has no entry for it.
        self.netsim("compare", "a/results.csv", "a/results.csv")
        manifest = json.loads(self.read("a/manifest.json"))
        del manifest["results"]
        self.write("a/manifest.json", json.dumps(manifest))
        self.netsim("compare", "a", "a")

    def test_no_room_for_all_leaves_all_as_it_was(self):
        self.netsim("run", "small.yaml", "-q", "--out", "a")
        before = self.read("a/results.csv"), self.read("a/manifest.json")
        room = len(before[0]) + 1000
        self.assertLess(room, len(before[1]))
        done = self.netsim("run", "small.yaml", "-q", "--out", "a", *OTHER, code=1, preexec_fn=lambda:
                           resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
        self.assertIn("a/manifest.json: could not be written whole: File too large", done.stderr)
        self.assertEqual((self.read("a/results.csv"), self.read("a/manifest.json")), before)
        self.assertEqual(self.files("a"), ["links.csv", "links_by_size.csv", "manifest.json", "results.csv"])

    def test_no_room_for_a_trace_leaves_none(self):
        self.write("t.json", "old")
        done = self.netsim("run", "small.yaml", "-q", "--trace", "t.json", "--out", "a", code=1,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                 (60000, 60000)))
        self.assertIn("t.json: could not be written whole", done.stderr)
        self.assertEqual(self.read("t.json"), "old")
        self.assertEqual(self.files(), ["a", "small.yaml", "t.json"])

    def test_no_room_for_a_picture_leaves_none(self):
        done = self.drawn("plot", "small.yaml", "--out", "p.svg", preexec_fn=lambda:
                          resource.setrlimit(resource.RLIMIT_FSIZE, (16000, 16000)))
        self.assertEqual(done.returncode, 1)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(self.files(), ["small.yaml"])

    def test_a_run_that_is_killed_leaves_no_part(self):
        self.write("long.yaml", LONG)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            child = subprocess.Popen([NETSIM, "run", "long.yaml", "--out", "a", "--trace", "t.json",
                                      "--log-states", "s.log", "--pcap", "c"],
                                     cwd=self.directory, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not os.path.isdir(self.path("a")) and child.poll() is None:
                time.sleep(0.01)
            time.sleep(0.05)
            child.send_signal(number)
            self.assertEqual(child.wait(timeout=600), -number if number == signal.SIGKILL else 128 + number)
            self.assertEqual(self.files(), ["a", "c", "long.yaml", "small.yaml"])
            self.assertEqual(self.files("a"), [])
            self.assertEqual([files for _, _, files in os.walk(self.path("c")) if files], [])
            os.rmdir(self.path("a"))

    def test_a_place_that_cannot_be_is_found_before_the_run(self):
        self.write("long.yaml", LONG)
        for place in ("/proc/x", "small.yaml/x"):
            done = self.netsim("run", "long.yaml", "--out", place, "--trace", "t.json", code=1)
            self.assertIn(place, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(self.files(), ["long.yaml", "small.yaml"])


class Links(Files):
    def read_pipe(self, *arguments):
        """The text that a command writes to a pipe in place of its output file."""
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        found = []

        def read():
            with open(pipe, "rb") as file:
                found.append(file.read())

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        done = self.drawn(*arguments, "pipe")
        self.assertEqual(done.returncode, 0, done.stderr)
        reader.join(60)
        self.assertTrue(os.path.exists(pipe) and not os.path.isfile(pipe))
        os.unlink(pipe)
        return found[0]

    def test_pipes_are_written_to(self):
        self.assertIn(b"traceEvents", self.read_pipe("run", "small.yaml", "-q", "--trace"))
        self.assertIn(b"<svg", self.read_pipe("plot", "small.yaml", "--format", "svg", "--out"))
        self.assertIn(b"<svg", self.read_pipe("explain", "small.yaml", "--size", "4 KiB", "--plot"))

    def test_calibrate_writes_to_a_pipe(self):
        self.write("targets.yaml",
                   "schema: 1\ntargets:\n  - {series: second, size: 1 B, value: 80 us}\n")
        text = self.read_pipe("calibrate", "small.yaml", "--fit",
                              "lam.request=500 cycles..100000 cycles", "--to", "targets.yaml",
                              "--out")
        self.assertIn(b"request", text)

    def test_links_stay(self):
        os.mkdir(self.path("there"))
        for name, target, arguments in (
                ("t.json", "there/t.json", ["run", "small.yaml", "-q", "--out", "a", "--trace"]),
                ("p.svg", "there/p.svg", ["plot", "small.yaml", "--out"]),
                ("e.svg", "there/e.svg", ["explain", "small.yaml", "--size", "1", "--plot"])):
            for before in ("", "old"):
                if before:
                    self.write(target, before)
                else:
                    os.symlink(target, self.path(name))
                done = self.drawn(*arguments, name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(os.path.islink(self.path(name)))
                self.assertGreater(os.path.getsize(self.path(target)), 100)
        self.assertEqual(self.files("there"), ["e.svg", "p.svg", "t.json"])

    def test_results_through_links(self):
        os.mkdir(self.path("there"))
        os.mkdir(self.path("a"))
        os.symlink("../there/r.csv", self.path("a/results.csv"))
        self.netsim("run", "small.yaml", "-q", "--out", "a")
        self.assertTrue(os.path.islink(self.path("a/results.csv")))
        self.assertIn("latency_us", self.read("there/r.csv"))

    def test_a_database_is_a_regular_file(self):
        self.netsim("sweep", "small.yaml", "-q", "--set", "seed=1,2", "--out", "a")
        os.mkfifo(self.path("pipe"))
        done = self.netsim("sweep", "merge", "pipe", "a", code=1)
        self.assertIn("pipe: this is no regular file", done.stderr)
        self.assertEqual(self.files(), ["a", "pipe", "small.yaml"])

    def test_a_name_that_begins_with_a_dash(self):
        self.assertEqual(self.drawn("plot", "small.yaml", "--out=-x.svg").returncode, 0)
        self.assertIn("-x.svg", self.files())

    def test_nothing_is_left_where_temporary_files_go(self):
        os.mkdir(self.path("tmp"))
        self.drawn("plot", "small.yaml", "--out", "p.svg", environment={"TMPDIR": self.path("tmp")})
        self.drawn("explain", "small.yaml", "--size", "1", "--plot", "e.svg",
                   environment={"TMPDIR": "/nowhere"})
        self.assertEqual(self.files("tmp"), [])
        self.assertIn("e.svg", self.files())


class Apart(Files):
    def refused(self, *arguments):
        before = {name: self.read(name) for name in self.files()
                  if os.path.isfile(self.path(name))}
        done = self.netsim(*arguments, code=1)
        self.assertEqual(done.stdout, "")
        self.assertEqual({name: self.read(name) for name in before}, before)
        return done.stderr

    def test_outputs_are_not_each_other(self):
        said = self.refused("run", "small.yaml", "--trace", "x", "--pcap", "./x")
        self.assertIn("--pcap ./x: this file is written by --trace, too", said)
        os.symlink(".", self.path("here"))
        self.refused("run", "small.yaml", "--log-states", "x", "--pcap", "here/x")
        self.refused("run", "small.yaml", "--log-states", "x/y/second/node3.pcapng", "--pcap", "here/x/./y")
        self.refused("run", "small.yaml", "--trace", "x/first__quoted", "--pcap", "x")
        self.refused("run", "small.yaml", "--trace", "a/results.csv", "--out", "a")
        self.refused("run", "small.yaml", "--trace", "a/../a/manifest.json", "--out", "a")
        self.assertEqual(self.files(), ["here", "small.yaml"])
        self.write("x", "")
        os.link(self.path("x"), self.path("y"))
        self.refused("run", "small.yaml", "--trace", "x", "--log-states", "y")

    def test_outputs_are_no_inputs(self):
        self.write("machine.yaml", f"include: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "switch: {latency: 8 us}\n")
        self.write("own.yaml", SMALL.replace("testbeds/cluster1.yaml", "machine.yaml"))
        self.netsim("check", "own.yaml")
        os.symlink("own.yaml", self.path("link"))
        for name in ("own.yaml", "link"):
            for option in ("--trace", "--log-states"):
                said = self.refused("run", "own.yaml", option, name)
                self.assertIn(f"{option} {name}: this is the file of the scenario", said)
            said = self.refused("run", "own.yaml", "--pcap", name)
            self.assertIn(f"--pcap {name}: this is no directory", said)
        self.refused("run", "own.yaml", "--trace", "machine.yaml")
        self.refused("plot", "own.yaml", "--out", "own.yaml")
        self.refused("explain", "own.yaml", "--plot", "machine.yaml")
        self.write("targets.yaml",
                   "schema: 1\ntargets:\n  - {series: second, size: 1 B, value: 80 us}\n")
        fit = ("calibrate", "own.yaml", "--fit", "lam.request=500 cycles..100000 cycles", "--to",
               "targets.yaml", "--out")
        self.refused(*fit, "targets.yaml")
        self.refused(*fit, "own.yaml")

    def test_a_picture_is_not_drawn_over_its_results(self):
        self.netsim("run", "small.yaml", "-q", "--out", "a")
        before = self.read("a/results.csv")
        self.netsim("plot", "a", "--out", "a/results.csv", "--format", "svg", code=1)
        self.assertEqual(self.read("a/results.csv"), before)

    def test_devices_may_be_shared(self):
        self.netsim("run", "small.yaml", "-q", "--trace", "/dev/null", "--log-states", "/dev/null")
        self.assertFalse(os.path.isfile("/dev/null"))

    def test_captures_replace_no_device(self):
        os.mkfifo(self.path("pipe"))
        for name in ("/dev/null", "pipe", "small.yaml"):
            done = self.netsim("run", "small.yaml", "--pcap", name, code=1)
            self.assertIn(f"--pcap {name}: this is no directory", done.stderr)
            self.assertEqual(done.stdout, "")
        os.makedirs(self.path("c/second"))
        os.symlink("/dev/null", self.path("c/second/node1.pcapng"))
        self.write("kept", "kept")
        os.symlink("../../kept", self.path("c/second/node2.pcapng"))
        done = self.netsim("run", "small.yaml", "--pcap", "c")
        self.assertTrue(done.stdout.endswith("; captures in c/\n"), done.stdout)
        self.assertTrue(os.path.islink(self.path("c/second/node1.pcapng")))
        self.assertFalse(os.path.isfile("/dev/null"))
        self.assertTrue(os.path.islink(self.path("c/second/node2.pcapng")))  # its target is replaced
        with open(self.path("kept"), "rb") as file:
            self.assertEqual(file.read(4), b"\n\r\r\n")

    def test_captures_of_finished_series_are_kept(self):
        self.write("long.yaml", SMALL.replace(
            "second, stack: lam_via", "second, stack: lam_via, "
            "set: {workload.sizes: 1 MiB, workload.repetitions: 100000}"))
        child = subprocess.Popen([NETSIM, "run", "long.yaml", "--out", "a", "--pcap", "c", "-q"],
                                 cwd=self.directory, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(self.path("c/first__quoted/node0.pcapng")) and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        self.assertIn("interrupted: 1 of 2 series", child.communicate(timeout=600)[1])
        self.assertEqual(len(self.files("c/first__quoted")), 6)
        self.assertEqual(self.files("c/second"), [])


if __name__ == "__main__":
    unittest.main()
