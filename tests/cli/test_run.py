#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim run: what it prints, what it writes, how it ends."""

import collections
import csv
import fcntl
import io
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

from harness import NETSIM, SMALL, SOURCE, Case

LONE = """\
schema: 1
name: lone
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  ranks: 2
  program:
    - {ranks: 0, do: [{send: {to: 1, size: 100 B}}]}
    - {ranks: 1, do: [{compute: 1 ms}]}
"""

PLAIN = """\
schema: 1
testbed: testbeds/cluster1.yaml
stack: lam_tcp
workload: {benchmark: pmb.pingpong, sizes: [4 B], repetitions: 5}
"""


class Run(Case):
    def test_chosen_series(self):
        """One of the series has the values that it has among all."""
        self.small()
        self.netsim("run", "small.yaml", "-q", "--out", "all")
        for jobs in ("1", "2"):
            self.netsim("run", "small.yaml", "-q", "--out", "one", "--series", "second", "-j", jobs)
            told = self.netsim("compare", "one", "all", "--common").stdout
            self.assertIn("same     second, latency_us: 3 points", told)
            self.assertNotIn("first", self.read("one/results.csv"))
        said = self.netsim("run", "small.yaml", "--series", "secnd", code=1).stderr
        self.assertIn("did you mean second?", said)

    def test_table_and_files(self):
        done = self.netsim("run", self.small())
        lines = done.stdout.splitlines()
        self.assertEqual(done.stderr, "")
        self.assertEqual(len({len(line) for line in lines[:6]}), 1, done.stdout)
        self.assertEqual([line.split()[0] for line in lines[3:6]], ["0", "1", "4096"])
        self.assertRegex(lines[-1], r"events in .*ledger balanced: .*; fingerprint [0-9a-f]{16}; "
                                    r"results in results/small/")
        self.assertEqual(sorted(os.listdir(self.path("results/small"))),
                         ["links.csv", "links_by_size.csv", "manifest.json", "results.csv"])

    def test_settings_that_change_nothing(self):
        """Settings on which no event depends are named; those that the scenario has already, or that act, are not."""
        self.write("lam.yaml", PLAIN)
        idle = ["--set", "lam_tcp.advance=1000cycles"]
        acts = ["--set", "host.bus.write_setup=50", "--set", "tcp.delayed_ack_least=40ms",
                "--set", "limits.simulated_time=1min"]
        for jobs in ("1", "2"):
            done = self.netsim("run", "lam.yaml", *idle, *acts, "-j", jobs, code=None)
            self.assertEqual(done.stderr.count("changed nothing"), 1, done.stderr)
            self.assertIn("note: --set lam_tcp.advance=1000cycles changed nothing: every result is "
                          "the same without it", done.stderr)
        self.assertNotIn("changed nothing", self.netsim("run", "lam.yaml", "-q", *idle, code=None).stderr)
        told = json.loads(self.netsim("run", "lam.yaml", *idle, *acts, "--format", "json", code=None).stdout)
        self.assertEqual(told["idle_settings"], ["lam_tcp.advance=1000cycles"])
        told = json.loads(self.netsim("run", "lam.yaml", *acts, "--format", "json", code=None).stdout)
        self.assertNotIn("idle_settings", told)
        unread = self.netsim("run", "lam.yaml", "--allow-unused", "--set", "lam_via.tiny=1 B", code=None)
        self.assertIn("note: --set lam_via.tiny=1 B changed nothing", unread.stderr)

    def test_results_csv(self):
        self.netsim("run", self.small(), "--quiet")
        text = self.read("results/small/results.csv")
        self.assertNotIn("\r", text)
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(list(rows[0]),
                         ["scenario", "series", "rank", "size", "metric", "unit", "value"])
        self.assertEqual({row["series"] for row in rows}, {"first, quoted", "second"})
        self.assertEqual({row["unit"] for row in rows if row["metric"] == "latency_us"}, {"us"})
        for row in rows:
            self.assertGreaterEqual(float(row["value"]), 0.0)

    def test_json_is_one_document(self):
        done = self.netsim("run", self.small(), "--format", "json")
        self.assertEqual(done.stderr, "")
        document = json.loads(done.stdout)
        self.assertEqual(list(document),
                         ["scenario", "status", "reason", "series", "run", "ledger"])
        self.assertEqual(document["scenario"], "small")
        self.assertEqual(document["status"], "completed")
        self.assertIsNone(document["reason"])
        self.assertEqual(set(document["run"]), {"events", "wall_s", "events_per_s", "simulated_s",
                                                "seed", "fingerprint"})
        self.assertEqual(set(document["ledger"]), {"messages", "bytes", "delivered", "lost",
                                                   "duplicated", "misordered"})
        self.assertEqual(document["ledger"]["messages"], document["ledger"]["delivered"])
        series = document["series"][0]
        self.assertEqual(series["name"], "first, quoted")
        self.assertEqual([point["size_bytes"] for point in series["points"]], [0, 1, 4096])
        for point in series["points"]:
            self.assertGreater(point["latency_us"], 0)
            self.assertIn("bandwidth_MB_per_s", point)

    def test_chosen_metrics_in_csv(self):
        """The rows of these metrics, and no counters; the file has all."""
        for draws in ((), ("--draws", "3", "--set", "workload.sizes=[0 B, 1 B]")):
            words = ["run", self.small(), "--format", "csv", *draws]
            whole, chosen = (self.netsim(*words, *more).stdout for more in ((), ("--metric", "latency")))
            rows = [row for row in csv.DictReader(io.StringIO(whole)) if row["metric"] == "latency_us"]
            self.assertEqual(list(csv.DictReader(io.StringIO(chosen))), rows)
            self.assertTrue(rows and len(whole.splitlines()) > len(rows) + 1)
        self.netsim("run", self.small(), "--format", "csv", "--metric", "latency", "--out", "kept")
        self.assertIn("bandwidth_MB_per_s", self.read("kept/results.csv"))

    def test_formats_agree(self):
        printed = self.netsim("run", self.small(), "--format", "csv", "--out", "results/small").stdout
        self.assertEqual(printed, self.read("results/small/results.csv"))
        document = json.loads(self.netsim("run", self.small(), "--format", "json").stdout)
        values = {(row["series"], int(row["size"]), row["metric"]): float(row["value"])
                  for row in csv.DictReader(io.StringIO(printed)) if row["unit"] != "count"}
        counters = {(row["series"], row["metric"]): int(row["value"])
                    for row in csv.DictReader(io.StringIO(printed)) if row["unit"] == "count"}
        for series in document["series"]:
            for point in series["points"]:
                for metric, value in point.items():
                    if metric != "size_bytes":
                        key = series["name"], point["size_bytes"], metric
                        self.assertEqual(values[key], value)
        self.assertEqual(counters, {(series["name"], name): value for series in document["series"]
                                    for name, value in series["counters"].items()})

    def test_what_is_printed_for_programs_is_not_written(self):
        for form in ("json", "csv"):
            self.netsim("run", self.small(), "--format", form)
        self.assertFalse(os.path.exists(self.path("results")))
        self.netsim("run", self.small(), "--format", "json", "--out", "kept")
        self.assertEqual(sorted(os.listdir(self.path("kept"))), ["links.csv", "links_by_size.csv", "manifest.json", "results.csv"])

    def test_results_of_others_are_not_replaced_in_silence(self):
        note = "netsim: note: results/small had results of another scenario, settings or seed, which these replace"
        self.assertEqual(self.netsim("run", self.small()).stderr, "")
        self.assertEqual(self.netsim("run", self.small()).stderr, "")
        for others in (("--seed", "2"), ("--seed", "1"), ("--set", "workload.repetitions=5")):
            self.assertIn(note, self.netsim("run", self.small(), *others).stderr)
        self.write("results/small/manifest.json", "no JSON")
        self.assertEqual(self.netsim("run", self.small()).stderr, "")

    def test_an_interrupt_keeps_what_is_finished(self):
        self.write("two.yaml", "schema: 1\nname: two\ntestbed: testbeds/cluster1.yaml\n"
                   "workload: {benchmark: pmb.pingpong, sizes: 4 B}\nseries:\n"
                   "  - {name: short, stack: lam_tcp, set: {workload.repetitions: 2}}\n"
                   "  - {name: endless, stack: lam_via, set: {workload.repetitions: 100000000}}\n")
        for number in (signal.SIGINT, signal.SIGTERM):
            child = subprocess.Popen([NETSIM, "run", "two.yaml", "--log-states", "s.log"], cwd=self.directory,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True)
            while not os.path.isdir(self.path("results/two")):
                time.sleep(0.01)
            time.sleep(0.5)
            child.send_signal(number)
            out, said = child.communicate(timeout=600)
            self.assertEqual(child.returncode, 128 + number)
            self.assertIn("netsim: interrupted: 1 of 2 series are finished, and in results/two", said)
            self.assertRegex(out, r"(?m)^    4 ")
            manifest = json.loads(self.read("results/two/manifest.json"))
            self.assertEqual([series["name"] for series in manifest["series"]], ["short"])
            self.assertIn("two,short,all,4,latency_us", self.read("results/two/results.csv"))
            self.assertNotIn("endless", self.read("results/two/results.csv"))
            shutil.rmtree(self.path("results"))

    LOSSY = ("schema: 1\nname: lossy\ntestbed: testbeds/cluster1.yaml\nstack: lam_tcp\n"
             "workload: {benchmark: pmb.pingpong, sizes: 64 KiB, repetitions: 4}\n")

    def test_losses_are_told(self):
        """In the table, in JSON and as rows of CSV: of the measurement, and of the part before it."""
        self.write("lossy.yaml", self.LOSSY)
        self.assertNotIn("dropped", self.netsim("run", "lossy.yaml").stdout)
        far = self.netsim("run", "lossy.yaml", "--set", "link.drop_nth=[300]").stdout
        self.assertIn("lam_tcp: 4 dropped (1 lost on link node0->switch, 1 lost on link node1->switch, 1 lost on link "
                      "switch->node0, and 1 at 1 more place), 2 sent again\n", far)
        self.assertNotIn("before the measurement", far)
        near = ("run", "lossy.yaml", "--set", "link.drop_nth=[100]")
        self.assertRegex(self.netsim(*near).stdout,
                         r"\nlam_tcp: 4 dropped (.*), 2 sent again; before the measurement: .*; "
                         r"the links' faults hit nothing that was measured\n")
        series = json.loads(self.netsim(*near, "--format", "json").stdout)["series"][0]
        losses = {loss["counter"]: loss for loss in series["losses"]}
        for name, loss in losses.items():
            self.assertEqual(loss["count"], series["counters"][name])
            self.assertEqual(loss["count"], loss["before_measurement"])
        self.assertEqual({name: loss["kind"] for name, loss in losses.items() if name.startswith("tcp")
                          or name.endswith("node0->switch")},
                         {"packets dropped: lost on link node0->switch": "dropped",
                          "tcp segments retransmitted": "sent again"})

    def test_manifest(self):
        self.netsim("run", self.small(), "--seed", "5", "--out", "here",
                    "--set", "workload.repetitions=2")
        manifest = json.loads(self.read("here/manifest.json"))
        self.assertEqual(manifest["seed"], 5)
        self.assertEqual(manifest["status"], "completed")
        self.assertRegex(manifest["fingerprint"], r"\A[0-9a-f]{16}\Z")
        execution = manifest["execution"]
        self.assertIn("--seed", execution["command"])
        self.assertGreaterEqual(execution["host"]["cpus"], 1)
        self.assertRegex(execution["started"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
        # Every parameter has the origin of its value.
        origins = collections.Counter()

        def visit(node):
            if isinstance(node, dict):
                if "value" in node and "origin" in node:
                    origins[node["origin"].split(":")[0].split(" ")[0]] += 1
                for child in node.values():
                    visit(child)
            elif isinstance(node, list):
                for child in node:
                    visit(child)

        visit(manifest["series"][0]["case"])
        self.assertGreater(origins["default"], 0)
        self.assertGreater(sum(origins.values()), 20)

    def test_two_runs_are_equal_to_the_byte(self):
        for out in ("a", "b"):
            self.netsim("run", self.small(), "--out", out, "--trace", f"{out}.json",
                        "--log-states", f"{out}.txt")
        self.assertEqual(self.read("a/results.csv"), self.read("b/results.csv"))
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        self.assertEqual(self.read("a.txt"), self.read("b.txt"))
        manifests = [json.loads(self.read(f"{out}/manifest.json")) for out in ("a", "b")]
        for manifest in manifests:
            del manifest["execution"]
        self.assertEqual(json.dumps(manifests[0]), json.dumps(manifests[1]))

    def test_a_trace_changes_no_result(self):
        self.netsim("run", self.small(), "--out", "plain")
        self.netsim("run", self.small(), "--out", "traced", "--trace", "t.json",
                    "--log-states", "t.txt")
        self.assertEqual(self.read("plain/results.csv"), self.read("traced/results.csv"))

    def test_quiet(self):
        text = self.netsim("run", self.small(), "--quiet").stdout
        self.assertIn("4096", text)
        self.assertNotIn("fingerprint", text)

    def test_scenarios_are_found_by_name_from_anywhere(self):
        for name in ("tiny", "tiny.yaml", "scenarios/tiny.yaml"):
            self.netsim("run", name, "--out", "out", "--quiet")
        done = self.netsim("run", "tniy", code=1)
        self.assertIn("did you mean tiny?", done.stderr)

    def many_series(self):
        series = "\n".join(f"  - {{name: number {number}, stack: lam_via}}" for number in range(7))
        self.write("many.yaml", SMALL.split("series:")[0] + "series:\n" + series + "\n")
        return "many.yaml"

    def test_tables_are_as_wide_as_80_columns(self):
        narrow = self.netsim("run", self.many_series(), "-q", environment={"COLUMNS": ""}).stdout
        self.assertLessEqual(max(map(len, narrow.splitlines())), 80)
        self.assertEqual(narrow.count("bytes"), 3)
        wide = self.netsim("run", "many.yaml", "-q", "--wide").stdout
        self.assertEqual(wide.count("bytes"), 1)
        # The same numbers, side by side.
        tables = [[line.split() for line in part.splitlines()[3:]] for part in narrow.split("\n\n")]
        rows = [[rows[0][0]] + [cell for row in rows for cell in row[1:]] for rows in zip(*tables)]
        self.assertEqual(rows, [line.split() for line in wide.splitlines()[3:]])

    def test_tables_fold_at_the_width_of_a_terminal(self):
        self.many_series()
        for columns, tables in ((60, 4), (110, 2), (300, 1)):
            master, slave = pty.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
            done = subprocess.Popen([NETSIM, "run", "many.yaml", "-q"], cwd=self.directory, stdout=slave,
                                    stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    env={**os.environ, "NO_COLOR": "1"})
            os.close(slave)
            text = b""
            try:
                while part := os.read(master, 65536):
                    text += part
            except OSError: # its end
                pass
            self.assertEqual(done.wait(), 0)
            os.close(master)
            lines = text.decode().splitlines()
            self.assertLessEqual(max(map(len, lines)), columns)
            self.assertEqual(sum("bytes" in line for line in lines), tables)

    def piped(self, command, *arguments, text, code=0):
        """netsim with a text on its standard input, through a pipe."""
        done = subprocess.run([NETSIM, command, *arguments], cwd=self.directory, input=text, check=False,
                              text=True, capture_output=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_standard_input(self):
        """A scenario from there gives what its file gives, and includes what lies here, in commands that compile it
        again, too."""
        text = self.read(self.small())
        wanted = self.netsim("run", "small.yaml", "-q").stdout
        for name, more in (("-", ()), ("-", ("-j2",)), ("/dev/stdin", ())):
            self.assertEqual(self.piped("run", name, "-q", *more, text=text).stdout, wanted)
        self.assertTrue(os.path.exists(self.path("results/small/results.csv")))
        self.assertIn("correct", self.piped("check", "-", text=text).stdout)
        self.assertEqual(self.piped("explain", "-", "--series", "second", text=text).stdout,
                         self.netsim("explain", "small.yaml", "--series", "second").stdout)
        self.write("base.yaml", text)
        self.assertEqual(self.piped("run", "-", "-q", text="schema: 1\ninclude: base.yaml\n").stdout, wanted)
        self.assertIn("<stdin>:2:1: error: sced: unknown key",
                      self.piped("check", "-", text="schema: 1\nsced: 2\n", code=1).stderr)
        self.assertIn("<stdin>:1:1: error: the file is empty", self.piped("check", "-", text="", code=1).stderr)
        self.assertEqual(self.piped("run", "-", "-q", "--draws", "3", text=text).stdout,
                         self.netsim("run", "small.yaml", "-q", "--draws", "3").stdout)
        sweep = ("--set", "lam_via.tiny=1KiB,2KiB", "--draws", "2", "--csv")
        self.assertEqual(self.piped("sweep", "-", *sweep, "--out", "piped", text=text).stdout,
                         self.netsim("sweep", "small.yaml", *sweep, "--out", "named").stdout)
        self.write("to.yaml", "schema: 1\ntargets:\n  - {series: second, metric: latency_us, size: 1 B, value: 75, tolerance: 1 %}\n")
        fit = ("--to", "to.yaml", "--fit", "switch.latency=1us..20us", "--format", "json")
        self.assertEqual(self.piped("calibrate", "-", *fit, text=text).stdout,
                         self.netsim("calibrate", "small.yaml", *fit).stdout)
        for name in ("-", "small.yaml"):
            self.piped("plot", name, "-q", "--format", "svg", "--out", f"plot{len(name)}.svg", text=text)
        self.assertEqual(self.read("plot1.svg"), self.read("plot10.svg"))
        # The settings that change nothing are found in it, too.
        idle = ("-q", "--set", "link.propagation=0s", "--out")
        self.assertEqual(self.piped("run", "-", *idle, "piped", text=text).stderr,
                         self.netsim("run", "small.yaml", *idle, "named").stderr)

    def test_data_directory_from_the_environment(self):
        os.makedirs(self.path("data/scenarios"))
        self.write("data/scenarios/mine.yaml",
                   SMALL.replace("testbeds/", f"{SOURCE}/scenarios/testbeds/"))
        environment = {"NETSIM_DATA_DIR": self.path("data")}
        names = self.netsim("list", "scenarios", "--names", environment=environment).stdout
        self.assertEqual(names, "mine\n")
        self.netsim("check", "mine", environment=environment)

    def test_program_that_fails(self):
        for name, status in (("alltoall_deadlock", "deadlock"), ("area_overrun", "failed"),
                             ("flood_empty_rq", "failed")):
            with self.subTest(name):
                done = self.netsim("run", name, "--format", "json", "--out", f"results/{name}", code=3)
                document = json.loads(done.stdout)
                self.assertEqual(document["status"], status)
                self.assertTrue(document["reason"]["text"])
                self.assertIn(document["reason"]["text"], done.stderr)
                self.assertTrue(os.path.exists(self.path(f"results/{name}/manifest.json")))
                table = self.netsim("run", name, code=3)
                self.assertEqual(table.stderr, "")
                self.assertIn(f": {status} at ", table.stdout)

    def test_deadlock_names_what_each_rank_waits_for(self):
        text = self.netsim("run", "alltoall_deadlock", code=3).stdout
        for rank in range(6):
            self.assertRegex(text, rf"rank {rank}: .*bytes pinned")
        self.assertRegex(text, r"send, .*peer \d, .*waits for ")


    def test_a_message_that_nobody_takes(self):
        """The program ends, but a byte is not accounted for: that is a check that failed."""
        self.write("lone.yaml", LONE)
        text = self.netsim("run", "lone.yaml", code=2).stdout
        self.assertIn("lam_via: lost\n  1 not completed of 1 messages; message 1, rank ", text)
        self.assertIn("  ledger NOT balanced: 1 message, 1 not completed\n", text)
        self.assertTrue(os.path.exists(self.path("results/lone/results.csv")))


class BadInput(Case):
    def test_a_bad_scenario_leaves_nothing(self):
        bad = {
            "empty": "",
            "not_yaml": "a: [",
            "unknown_key": SMALL + "worklod: {}\n",
            "unknown_stack": SMALL.replace("stack: lam_via", "stack: lam_vai", 1),
            "unknown_benchmark": SMALL.replace("pmb.pingpong", "pmb.pingpnog"),
            "no_testbed": SMALL.replace("cluster1.yaml", "cluster99.yaml"),
        }
        for name, text in bad.items():
            with self.subTest(name):
                file = self.write(f"{name}.yaml", text)
                done = self.netsim("run", file, "--trace", "t.json", "--log-states", "t.txt",
                                   code=1)
                self.assertEqual(done.stdout, "")
                self.assertRegex(done.stderr, rf"(?m)^{name}\.yaml(:\d+:\d+)?: ")
                self.assertEqual(self.netsim("check", file, code=1).stderr, done.stderr)
        self.assertEqual(sorted(os.listdir(self.directory)),
                         sorted(f"{name}.yaml" for name in bad))

    def test_bad_set(self):
        done = self.netsim("run", self.small(), "--set", "no.such.path=1", code=1)
        self.assertIn("no.such.path", done.stderr)
        self.netsim("run", self.small(), "--set", "nonsense", code=1)
        self.assertEqual(os.listdir(self.directory), ["small.yaml"])

    def test_missing_file(self):
        done = self.netsim("run", "surely-not-here.yaml", code=1)
        self.assertIn("surely-not-here.yaml", done.stderr)
        self.netsim("run", ".", code=1)
        self.assertEqual(os.listdir(self.directory), [])

    def test_unwritable_output(self):
        self.write("file", "")
        for arguments in (["--out", "file/below"], ["--out", "file"],
                          ["--trace", "missing/t.json"], ["--log-states", "file/t.txt"],
                          ["--pcap", "file/below"]):
            with self.subTest(arguments):
                done = self.netsim("run", self.small(), *arguments, code=1)
                self.assertEqual(done.stdout, "")
                self.assertTrue(done.stderr.startswith(f"netsim: {arguments[1]}: "), done.stderr)
        self.assertEqual(sorted(os.listdir(self.directory)), ["file", "small.yaml"])

    def test_full_disk(self):
        done = self.netsim("run", self.small(), "--trace", "/dev/full", code=1)
        self.assertIn("/dev/full", done.stderr)
        done = self.netsim("run", self.small(), "--trace", "/dev/full", "--log-states", "/dev/full", code=1)
        self.assertEqual(done.stderr.count("netsim: /dev/full: could not be written whole"), 2, done.stderr)
        os.makedirs(self.path("c/second"))
        os.symlink("/dev/full", self.path("c/second/node0.pcapng"))
        done = self.netsim("run", self.small(), "--quiet", "--pcap", "c", code=1)
        self.assertEqual(done.stderr.count("c/second/node0.pcapng: could not be written whole"), 1, done.stderr)

    def test_captures_that_cannot_be_are_refused(self):
        small = self.small()
        for options, text in (
                (["--pcap-at", "node0"], "--pcap-at needs --pcap"),
                (["--pcap-snap", "1 KiB"], "--pcap-snap needs --pcap"),
                (["--pcap", ""], "--pcap: a directory is expected"),
                (["--pcap", "c", "--pcap-at", "node0,node9"],
                 "--pcap-at: no host is called node9; there are node0, node1, node2, node3, node4, node5"),
                (["--pcap", "c", "--pcap-at", "switch"], "no host is called switch"),
                (["--pcap", "c", "--pcap-at", ""], "--pcap-at: names of nodes are expected"),
                (["--pcap", "c", "--pcap-at", "node0,"], "no host is called ;"),
                (["--pcap", "c", "--pcap-snap", "128"], "--pcap-snap 128: missing unit"),
                (["--pcap", "c", "--pcap-snap", "0"], "--pcap-snap 0: nothing would be left"),
                (["--pcap", "c", "--pcap-to", "0"], "--pcap-to 0: nothing would be left"),
                (["--pcap", "c", "--pcap-from", "2ms", "--pcap-to", "1ms"],
                 "--pcap-from 2ms is not before --pcap-to 1ms"),
                (["--pcap", "c", "--pcap-from", "1 KiB"], "--pcap-from 1 KiB: ")):
            with self.subTest(options):
                done = self.netsim("run", small, *options, code=1)
                self.assertIn(text, done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertEqual(os.listdir(self.directory), ["small.yaml"])

    def test_captures_cost_nothing_of_the_result(self):
        small = self.small()
        self.netsim("run", small, "-q", "--out", "a")
        self.netsim("run", small, "-q", "--out", "b", "--pcap", "c")
        self.assertEqual(self.read("a/results.csv"), self.read("b/results.csv"))


if __name__ == "__main__":
    unittest.main()
