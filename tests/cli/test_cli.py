#!/usr/bin/env python3
"""Drives the built program ($NETSIM) as a user would: what it prints, what it writes, how it ends."""

import collections
import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.environ["NETSIM_SOURCE_DIR"]
COMMANDS = ["run", "check", "describe", "list", "bench"]

SMALL = """\
schema: 1
name: small
description: three sizes, two series
testbed: testbeds/cluster1.yaml
workload: {benchmark: pmb.pingpong, sizes: [0 B, 1 B, 4 KiB], repetitions: 3}
series:
  - {name: "first, quoted", stack: lam_via}
  - {name: second, stack: lam_via}
"""


class Case(unittest.TestCase):
    """A test with a directory of its own, in which the program runs."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-cli-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def read(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def netsim(self, *arguments, code=0, environment=None, **options):
        done = subprocess.run([NETSIM, *arguments], cwd=self.directory, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=600,
                              stdout=options.pop("stdout", subprocess.PIPE),
                              stderr=subprocess.PIPE,
                              env={**os.environ, **(environment or {})}, **options)
        self.assertEqual(done.returncode, code,
                         f"netsim {' '.join(arguments)}\n{done.stdout}\n{done.stderr}")
        return done

    def small(self):
        return self.write("small.yaml", SMALL)


class Usage(Case):
    def test_version(self):
        self.assertRegex(self.netsim("--version").stdout, r"\Anetsim \d+\.\d+\.\d+\n\Z")

    def test_no_command(self):
        done = self.netsim(code=1)
        self.assertEqual(done.stdout, "")
        self.assertIn("Usage:", done.stderr)

    def test_help_lists_every_command(self):
        for arguments in (["help"], ["--help"], ["-h"], ["help", "help"]):
            text = self.netsim(*arguments).stdout
            for command in COMMANDS:
                self.assertRegex(text, rf"(?m)^  {command} ")

    def test_help_of_each_command(self):
        for command in COMMANDS:
            text = self.netsim("help", command).stdout
            self.assertIn(f"netsim {command}", text)
            self.assertEqual(text, self.netsim(command, "--help").stdout)
            self.assertNotIn("…", text)

    def test_help_names_every_option_of_run(self):
        text = self.netsim("help", "run").stdout
        for option in ("set", "out", "seed", "format", "trace", "log-states", "quiet"):
            self.assertIn(f"--{option}", text)

    def test_unknown_command(self):
        done = self.netsim("rnu", code=1)
        self.assertEqual(done.stderr, "netsim: unknown command `rnu' (did you mean run?)\n")
        self.netsim("help", "rnu", code=1)
        self.assertIn("./netsim", self.netsim("test", code=1).stderr)

    def test_bad_options(self):
        for arguments, part in ((["run"], "too few"), (["run", "a", "b"], "too many"),
                                (["run", "--frob", "a"], "--frob"),
                                (["run", "--outt=x", "a"], "did you mean --out?"),
                                (["run", "--format", "xml", "a"], "table, csv, json"),
                                (["run", "--seed", "0", "a"], "whole number"),
                                (["run", "--seed", "-1", "a"], "whole number"),
                                (["run", "--seed", "1x", "a"], "whole number"),
                                (["run", "--seed", "99999999999999999999", "a"], "whole number"),
                                (["bench", "a"], "too many"), (["list", "stakcs"], "stacks"),
                                (["--frob"], "--frob"), (["check"], "too few")):
            done = self.netsim(*arguments, code=1)
            self.assertEqual(done.stdout, "")
            self.assertTrue(done.stderr.startswith("netsim: "), done.stderr)
            self.assertIn(part, done.stderr)
        self.assertEqual(os.listdir(self.directory), [])

    def test_unwritable_stdout(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.netsim("list", code=1, stdout=full)
        self.assertIn("standard output", done.stderr)

    def test_reader_that_goes_away(self):
        read, write = os.pipe()
        os.close(read)
        done = self.netsim("describe", stdout=write)
        os.close(write)
        self.assertEqual(done.stderr, "")


class Run(Case):
    def test_table_and_files(self):
        done = self.netsim("run", self.small())
        lines = done.stdout.splitlines()
        self.assertEqual(done.stderr, "")
        self.assertEqual(len({len(line) for line in lines[:6]}), 1, done.stdout)
        self.assertEqual([line.split()[0] for line in lines[3:6]], ["0", "1", "4096"])
        self.assertRegex(lines[-1], r"events in .*ledger balanced: .*; fingerprint [0-9a-f]{16}; "
                                    r"results in results/small/")
        self.assertEqual(sorted(os.listdir(self.path("results/small"))),
                         ["manifest.json", "results.csv"])

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

    def test_formats_agree(self):
        printed = self.netsim("run", self.small(), "--format", "csv").stdout
        self.assertEqual(printed, self.read("results/small/results.csv"))
        document = json.loads(self.netsim("run", self.small(), "--format", "json").stdout)
        values = {(row["series"], int(row["size"]), row["metric"]): float(row["value"])
                  for row in csv.DictReader(io.StringIO(printed))}
        for series in document["series"]:
            for point in series["points"]:
                for metric, value in point.items():
                    if metric != "size_bytes":
                        key = series["name"], point["size_bytes"], metric
                        self.assertEqual(values[key], value)

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
        # Every parameter says where its value came from.
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
                done = self.netsim("run", name, "--format", "json", code=3)
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
                          ["--trace", "missing/t.json"], ["--log-states", "file/t.txt"]):
            with self.subTest(arguments):
                done = self.netsim("run", self.small(), *arguments, code=1)
                self.assertEqual(done.stdout, "")
                self.assertTrue(done.stderr.startswith(f"netsim: {arguments[1]}: "), done.stderr)
        self.assertEqual(sorted(os.listdir(self.directory)), ["file", "small.yaml"])

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        done = self.netsim("run", self.small(), "--trace", "/dev/full", code=1)
        self.assertIn("/dev/full", done.stderr)


class Check(Case):
    def test_every_scenario_is_right(self):
        names = self.netsim("list", "scenarios", "--names").stdout.split()
        self.assertIn("pingpong_cluster1", names)
        done = self.netsim("check", *names)
        self.assertEqual(len(done.stdout.splitlines()), len(names))

    def test_writes_nothing(self):
        self.netsim("check", self.small())
        self.assertEqual(os.listdir(self.directory), ["small.yaml"])

    def test_with_settings(self):
        self.netsim("check", "tiny", "--set", "lam_via.tiny=1 KiB")
        done = self.netsim("check", "tiny", "--set", "lam_via.tiny=1 furlong", code=1)
        self.assertIn("lam_via.tiny", done.stderr)


class Describe(Case):
    def test_every_section(self):
        text = self.netsim("describe").stdout
        for section in ("link", "switch", "host.memory", "mvia", "lam_via"):
            self.assertRegex(text, rf"(?m)^{re.escape(section)}: ")

    def test_one_model(self):
        text = self.netsim("describe", "lam_via").stdout
        self.assertIn("tiny = 16 KiB", text.replace("16384 B", "16 KiB"))
        self.assertIn("source: ", text)
        host = self.netsim("describe", "host").stdout
        self.assertIn("host.memory: ", host)
        self.assertNotIn("link: ", host)
        self.assertIn("did you mean lam_via?", self.netsim("describe", "lam_vai", code=1).stderr)

    def test_markdown(self):
        lines = self.netsim("describe", "--format", "markdown").stdout.splitlines()
        self.assertEqual(lines[0], "# Parameters")
        rows = [line for line in lines if line.startswith("|")]
        self.assertGreater(len(rows), 40)
        for row in rows:
            self.assertEqual(len(re.findall(r"(?<!\\)\|", row)), 7, row)

    def test_json_schema(self):
        schema = json.loads(self.netsim("describe", "--json-schema").stdout)
        self.assertIn("$schema", schema)
        for key in ("testbed", "workload", "series", "lam_via"):
            self.assertIn(key, schema["properties"])


class List(Case):
    def test_json(self):
        document = json.loads(self.netsim("list", "--format", "json").stdout)
        self.assertEqual(list(document), ["stacks", "testbeds", "benchmarks", "scenarios"])
        for kind in document.values():
            self.assertGreater(len(kind), 0)
            for entry in kind:
                self.assertTrue(entry["name"])
                self.assertTrue(entry["description"], entry)
        for entry in document["scenarios"] + document["testbeds"]:
            self.assertTrue(os.path.exists(entry["file"]))

    def test_names(self):
        everything = self.netsim("list", "--names").stdout.split()
        for name in ("lam_via", "cluster1", "pmb.pingpong", "pingpong_cluster1"):
            self.assertIn(name, everything)

    def test_a_broken_scenario_does_not_break_the_list(self):
        os.makedirs(self.path("data/scenarios"))
        self.write("data/scenarios/broken.yaml", "a: [")
        text = self.netsim("list", environment={"NETSIM_DATA_DIR": self.path("data")}).stdout
        self.assertRegex(text, r"broken +\(cannot be read")


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

    def test_timeline_has_the_lanes_of_both_series(self):
        self.netsim("run", self.small(), "--trace", "t.json", "--quiet")
        events = json.loads(self.read("t.json"))["traceEvents"]
        names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
        for series in ("first, quoted", "second"):
            self.assertTrue(any(name.startswith(f"{series}: ") for name in names), names)


class Terminal(Case):
    def run_on_terminal(self, *arguments):
        """What the program writes to a terminal that is its stderr."""
        ours, theirs = pty.openpty()
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


class Bench(Case):
    def test_json(self):
        document = json.loads(self.netsim("bench", "--quick", "--no-ns3", "--format",
                                          "json").stdout)
        self.assertEqual(list(document), ["hold", "star", "pingpong", "memory"])
        self.assertEqual([row["pending"] for row in document["hold"]], [64, 1024, 16384, 262144])
        self.assertEqual([row["hosts"] for row in document["star"]], [8, 64])
        for row in document["hold"]:
            self.assertGreater(row["events_per_s"], 0)
            self.assertGreater(row["bare_heap_events_per_s"], 0)
        for row in document["star"]:
            self.assertGreater(row["frames_per_s"], 0)
            # A frame makes two hops; only those that are under way at the end have made one.
            self.assertAlmostEqual(row["hops_per_s"] / row["frames_per_s"], 2, delta=0.01)
            self.assertIsNone(row["ratio"])
        self.assertGreater(document["pingpong"]["messages_per_s"], 0)
        self.assertEqual(document["memory"]["hosts"], 1024)
        self.assertGreater(document["memory"]["bytes_per_host"], 0)


if __name__ == "__main__":
    unittest.main()
