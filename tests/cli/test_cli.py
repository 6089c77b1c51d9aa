#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the program as a user would: usage, help, check, describe, list, bench."""

import json
import os
import pathlib
import re
import unittest

from harness import NETSIM, SMALL, SOURCE, Case

COMMANDS = ["run", "check", "describe", "list", "new", "show", "bench", "sweep", "explain", "diagram", "flatten",
            "export", "trace", "calibrate"]


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
        for option in ("set", "out", "seed", "format", "trace", "log-states", "pcap", "quiet"):
            self.assertIn(f"--{option}", text)

    def test_unknown_command(self):
        done = self.netsim("rnu", code=1)
        self.assertEqual(done.stderr, "netsim: unknown command `rnu' (did you mean run?)\n")
        self.netsim("help", "rnu", code=1)
        self.assertIn("./netsim", self.netsim("test", code=1).stderr)

    def test_option_without_a_command(self):
        for option in ("-q", "--quiet", "-"):
            done = self.netsim(option, code=1)
            self.assertEqual(done.stderr, f"netsim: unknown option `{option}' "
                             "(a command comes first; `netsim help` lists them)\n")

    def test_values_joined_to_short_options(self):
        """-j2 and -qj2, in every command that has them; not after two dashes, nor in other words with a digit."""
        self.assertIn("via.fig.6_1", self.netsim("figures", "--list", "-j2").stdout)
        for joined in (("-qj2",), ("-q", "-j2"), ("-qj", "2")):
            self.assertIn("no claim is called `nothing'", self.netsim("validate", *joined, "nothing", code=1).stderr)
        self.assertRegex(self.netsim("calibrate", "-j0x", code=1).stderr, "value .0x. for -j")
        self.assertIn("no scenario `-j2'", self.netsim("check", "--", "-j2", code=1).stderr)
        self.assertIn("Unknown option -x ", self.netsim("check", "-x2", code=1).stderr)

    def test_what_follows_two_dashes_is_no_option(self):
        self.assertEqual(self.netsim("check", "--", "tiny").stdout, self.netsim("check", "tiny").stdout)
        done = self.netsim("check", "--", "--help", code=1)
        self.assertIn("--help", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("too few", self.netsim("check", "--", code=1).stderr)

    def test_bad_options(self):
        for arguments, part in ((["run"], "too few"), (["run", "a", "b"], "too many"),
                                (["run", "--frob", "a"], "--frob"),
                                (["run", "--outt=x", "a"], "did you mean --out?"),
                                (["run", "--format", "xml", "a"], "table, csv, json"),
                                (["run", "--seed", "0", "a"], "whole number"),
                                (["run", "--seed", "-1", "a"], "whole number"),
                                (["run", "--seed", "1x", "a"], "whole number"),
                                (["run", "--seed", "99999999999999999999", "a"], "whole number"),
                                (["bench", "a"], "there is no part"), (["list", "stakcs"], "stacks"),
                                (["--frob"], "--frob"), (["check"], "too few")):
            done = self.netsim(*arguments, code=1)
            self.assertEqual(done.stdout, "")
            self.assertTrue(done.stderr.startswith("netsim: "), done.stderr)
            self.assertIn(part, done.stderr)
        self.assertEqual(os.listdir(self.directory), [])

    def test_unwritable_stdout(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.netsim("list", code=1, stdout=full)
        self.assertIn("standard output", done.stderr)

    def test_reader_that_goes_away(self):
        read, write = os.pipe()
        os.close(read)
        done = self.netsim("describe", stdout=write)
        os.close(write)
        self.assertEqual(done.stderr, "")


class Check(Case):
    def test_every_scenario_is_right(self):
        names = self.netsim("list", "scenarios", "--names").stdout.split()
        self.assertIn("pingpong_cluster1", names)
        done = self.netsim("check", *names)
        self.assertEqual(done.stdout.count(": correct, "), len(names))

    def test_writes_nothing(self):
        self.netsim("check", self.small())
        self.assertEqual(os.listdir(self.directory), ["small.yaml"])

    def test_with_settings(self):
        self.netsim("check", "tiny", "--set", "lam_via.tiny=1 KiB")
        done = self.netsim("check", "tiny", "--set", "lam_via.tiny=1 furlong", code=1)
        self.assertIn("lam_via.tiny", done.stderr)


    OWN = ("schema: 1\nname: own\nnic: tulip\nhosts: [{name: n, count: 5}]\nswitches: [{name: s, count: 2}]\nlinks:\n"
           "  - {from: n0..2, to: s0}\n  - {from: n3..4, to: s1}\n  - {from: s0, to: s1}\nstack: lam_tcp\n"
           "workload: {benchmark: pmb.allreduce, sizes: 4 B, repetitions: 2}\n")

    def test_what_takes_part(self):
        """For a machine: a benchmark for any number of ranks takes the fewest if none is given, and reports it."""
        self.write("own.yaml", self.OWN)
        self.assertIn("  lam_tcp: 2 ranks (workload.ranks is not given) on 5 hosts, 2 switches, 6 links; about ",
                      self.netsim("check", "own.yaml").stdout)
        four = self.netsim("check", "own.yaml", "--set", "workload.ranks=4", "--format", "json").stdout
        series = json.loads(four)["scenarios"][0]["series"][0]
        self.assertEqual([series[name] for name in ("ranks", "hosts", "switches", "links")], [4, 5, 2, 6])
        note = "netsim: note: 2 of 5 hosts take part (workload.ranks says how many)\n"
        self.assertEqual(self.netsim("run", "own.yaml").stderr, note)
        for settings in (["workload.ranks=2"], ["workload.placement=[n4, n0]"], ["workload.benchmark=pmb.pingpong"]):
            sets = [word for setting in settings for word in ("--set", setting)]
            self.assertEqual(self.netsim("run", "own.yaml", "--out", settings[0][:16], *sets).stderr, "", settings)
        self.assertNotIn("note:", self.netsim("run", "own.yaml", "-q").stderr)

    def test_unknown_names_tell_what_there_is(self):
        self.write("own.yaml", self.OWN)
        for arguments, said in ((["stack=nope"], "(known: mvia, lam_via, "),
                                (["workload.benchmark=nope"], "pmb.allreduce, "),
                                (["workload.benchmark=pingpong"], "did you mean pmb.pingpong or native.pingpong or portals.pingpong?"),
                                (["testbed=nope"], "(known: cluster1, cluster1_hold_off, "),
                                (["testbed=testbeds/cluster9.yaml"], "did you mean testbeds/cluster1.yaml?"),
                                (["lam_tcp.zzzzzzzzzzzz=1"], "(lam_tcp has "),
                                (["nope.nope=1"], "`netsim list parameters` shows all"),
                                (["nic=nope"], "tulip")):
            said_then = self.netsim("check", "own.yaml", *[word for one in arguments for word in ("--set", one)],
                                    code=1).stderr
            self.assertIn(said, said_then, arguments)
        self.assertNotIn("fit", self.netsim("check", "own.yaml", "--set", "testbed=nope", code=1).stderr)
        for arguments, said in ((["run", "pingpong"], "did you mean flow_pingpong or pingpong_cluster1 or pingpong_cluster2 or "
                                 "portals_pingpong_system1 or sctp_pingpong_x306?"),
                                (["run", "pingpong_cluser1"], "did you mean pingpong_cluster1?"),
                                (["frobnicate"], "(there are run, check, "), (["help", "frobnicate"], "validate, "),
                                (["validate", "nothing"], "(known: armci, flow, grim, icpt, sctp, via, "),
                                (["explain", "own.yaml", "--series", "x"], "(it has lam_tcp)"),
                                (["list", "nothing"], "one of stacks, "), (["figures", "nothing"], "via.fig.6_1"),
                                (["describe", "nothinh"], "`netsim list sections`")):
            self.assertIn(said, self.netsim(*arguments, code=1).stderr, arguments)


class ShowFile(Case):
    def test_what_is_shipped(self):
        for kind, folder in (("scenarios", ""), ("testbeds", "testbeds"), ("sweeps", "sweeps")):
            for name in self.netsim("list", kind, "--names").stdout.split():
                path = self.netsim("show", "--path", name).stdout.strip()
                self.assertTrue(path.endswith(os.path.join("scenarios", folder, f"{name}.yaml")), path)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(self.netsim("show", "--file", name).stdout, file.read())
        self.assertEqual(self.netsim("show", "--file", "cluster1.yaml").stdout,
                         self.netsim("show", "--file", "cluster1").stdout)

    def test_a_copy_is_a_scenario(self):
        self.write("mine.yaml", self.netsim("show", "--file", "pingpong_cluster1").stdout)
        self.netsim("check", "mine.yaml")

    def test_unknown(self):
        for name, said in (("pingpong_clutser1", "did you mean pingpong_cluster1?"), ("testbeds", "`netsim list`"),
                           ("../README.md", "`netsim list`"), ("cluster9", "did you mean cluster")):
            for options in ([], ["--file"]):
                done = self.netsim("show", name, *options, code=1)
                self.assertEqual(done.stdout, "")
                self.assertIn(said, done.stderr)

    def test_own_file(self):
        self.write("mine.yaml", "schema: 1\n")
        self.assertEqual(self.netsim("show", "--file", "mine.yaml").stdout, "schema: 1\n")


class Named(Case):
    def test_a_word_is_what_is_shipped(self):
        """Whatever else is there: a program, or a directory of results."""
        shipped = self.netsim("check", "stencil").stdout
        self.assertIn("stencil", shipped)
        self.write("stencil", "\x7fELF")
        os.mkdir(self.path("tiny"))
        self.assertEqual(self.netsim("check", "stencil").stdout, shipped)
        self.netsim("check", "tiny")
        self.assertIn("not YAML", self.netsim("check", "./stencil", code=1).stderr)
        # As in the source tree, where a program is compiled next to the directory of the scenarios.
        os.symlink(os.path.join(SOURCE, "scenarios"), self.path("scenarios"))
        self.netsim("check", "stencil", environment={"NETSIM_DATA_DIR": self.directory})

    def test_a_path_is_a_file(self):
        self.write("stencil.yaml", SMALL)
        os.makedirs(self.path("sweeps/stencil_ranks"))
        self.assertIn("first, quoted", self.netsim("check", "stencil.yaml").stdout)
        self.netsim("sweep", "sweeps/stencil_ranks", "--dry-run")
        self.write("mine", SMALL)
        self.assertIn("first, quoted", self.netsim("check", "mine").stdout)


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

    def test_a_path(self):
        text = self.netsim("describe", "tcp.delayed_ack_least").stdout
        self.assertRegex(text, r"\Atcp\n  delayed_ack_least = 40 ms[^[]*\[1 us .. 1 s\]")
        self.assertIn("source: Linux 2.4", text)
        self.assertNotIn("delayed_ack_most", text)
        self.assertIn("did you mean sctp.heartbeat_interval?",
                      self.netsim("describe", "sctp.heartbeat_intervall", code=1).stderr)

    def test_words_are_searched(self):
        """In names and meanings, in any case; all of them must match, and matches of names precede."""
        lines = self.netsim("describe", "Delayed", environment={"COLUMNS": ""}).stdout.splitlines()
        self.assertEqual([line.split(" = ")[0] for line in lines[:2]],
                         ["tcp.delayed_ack_least", "tcp.delayed_ack_most"])
        self.assertTrue(any(line.startswith("link.jitter") for line in lines))
        for line in lines:
            self.assertLess(len(line), 110)
        both = self.netsim("describe", "heartbeat", "interval").stdout
        self.assertRegex(both, r"\Asctp\.heartbeat_interval = 30 s +HB\.interval")
        self.assertNotIn("heartbeat_first", both)
        many = self.netsim("describe", "the").stdout.splitlines()
        self.assertRegex(many[-1], r"and \d+ more; another word finds fewer")
        self.assertLess(len(many), 50)

    def test_keys_of_scenarios(self):
        """Those that are no sections, with where their own keys are described."""
        sweep = self.netsim("describe", "sweep").stdout
        self.assertIn("sweep   a key of a scenario\n      what `netsim sweep` varies\n", sweep)
        self.assertIn("`netsim describe file sweep`", sweep)
        self.assertIn("packets, or flows", self.netsim("describe", "fidelity").stdout)
        links = self.netsim("describe", "links").stdout
        self.assertIn("`netsim describe file topology`", links)

    def test_nothing_found(self):
        for words in (["xyzzy"], ["heartbeat", "xyzzy"]):
            said = self.netsim("describe", *words, code=1).stderr
            self.assertIn("xyzzy", said)
            self.assertLess(len(said), 200)

    def test_json(self):
        found = json.loads(self.netsim("describe", "tcp.delayed_ack_least", "--format", "json").stdout)
        self.assertEqual(found["parameters"], [{
            "path": "tcp.delayed_ack_least", "default": "40 ms (freebsd6: 100 ms)",
            "unit": "ps, ns, us, ms, s, min", "range": "1 us .. 1 s",
            "meaning": "shortest delay of an acknowledgment",
            "source": "Linux 2.4: TCP_ATO_MIN, TCP_DELACK_MIN; FreeBSD 6.2: net.inet.tcp.delacktime", "uncertain": None}])
        everything = json.loads(self.netsim("describe", "--format", "json").stdout)["parameters"]
        listed = self.netsim("list", "parameters", "--names").stdout.split()
        self.assertGreater(len(everything), 500)
        self.assertLessEqual({one["path"] for one in everything
                              if "workload of" not in one["path"]}, set(listed))

    def test_markdown(self):
        lines = self.netsim("describe", "--format", "markdown").stdout.splitlines()
        self.assertEqual(lines[0], "# Parameters")
        self.assertGreater(sum(line.startswith("| `") for line in lines), 40)
        before, columns = "", 0
        for line in lines:
            if line.startswith("|"):
                cells = len(re.findall(r"(?<!\\)\|", line))
                columns = columns if before.startswith("|") else cells
                self.assertEqual(cells, columns, line)
            before = line

    def test_operations(self):
        text = self.netsim("describe", "put").stdout
        self.assertEqual(re.findall("(?m)^operation (.*?):", text), ["put of armci", "put of grim", "put of portals",
                                                                      "put of ch3_sock, ch3_sctp, ch3_hybrid"])
        self.assertRegex(text, r"  notify = false   true or false\n      a word is written after the data\n")
        self.assertIn("  to = must be given   [all]   a rank\n", self.netsim("describe", "fence").stdout)
        # All by one word, and those of a stack with its parameters.
        names = re.findall("(?m)^operation ([a-z_]+)", self.netsim("describe", "operations").stdout)
        for name in ("send", "barrier", "loop", "accumulate", "poll"):
            self.assertIn(name, names)
        self.assertNotIn("measure_start", names)
        grim = self.netsim("describe", "grim").stdout
        self.assertIn("operation call of grim: ", grim)
        self.assertNotIn("operation put of armci: ", grim)
        self.assertNotIn("operation", self.netsim("describe", "lam_via").stdout)
        self.assertIn("did you mean active_message?",
                      self.netsim("describe", "active_mesage", code=1).stderr)
        self.assertIn("### `put` of grim\n", self.netsim("describe", "--format", "markdown").stdout)

    def test_json_schema(self):
        schema = json.loads(self.netsim("describe", "--json-schema").stdout)
        self.assertIn("$schema", schema)
        for key in ("testbed", "workload", "series", "lam_via"):
            self.assertIn(key, schema["properties"])


class List(Case):
    def test_json(self):
        document = json.loads(self.netsim("list", "--format", "json").stdout)
        self.assertEqual(list(document), ["stacks", "testbeds", "benchmarks", "scenarios",
                                          "sweeps"])
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


class Bench(Case):
    def test_parts(self):
        """Parts that are named are measured alone."""
        document = json.loads(self.netsim("bench", "--quick", "--no-ns3", "--format", "json", "memory", "star").stdout)
        self.assertEqual(set(document), {"star", "memory"})

    def test_json(self):
        if os.environ.get("NETSIM_SANITIZED") == "1":
            return  # all parts take minutes; test_parts runs two
        document = json.loads(self.netsim("bench", "--quick", "--no-ns3", "--format",
                                          "json").stdout)
        self.assertEqual(set(document), {"hold", "star", "clos", "allpairs", "streams", "messages", "collectives", "nas",
                                         "memory", "flows"})
        self.assertLessEqual({"lam_tcp"}, {row["stack"] for row in document["nas"]})
        for row in document["nas"]:
            # Of 251 iterations with 3,024 messages each between ranks, and a few more.
            self.assertAlmostEqual(row["messages_per_s"] * row["class_a_s"] / (251 * 3024), 1, delta=0.2)
        self.assertEqual([row["hosts"] for row in document["clos"]], [16, 128, 1024, 4096])
        for row in document["clos"]:
            self.assertGreater(row["packet_hops_per_s"], 0)
        self.assertEqual([row["pending"] for row in document["hold"]], 5 * [64, 1024, 16384, 262144])
        self.assertEqual([(row["hosts"], row["step"]) for row in document["star"]],
                         [(hosts, step) for step in ("in step", "out of step") for hosts in (8, 64)])
        for row in document["hold"]:
            self.assertGreater(row["events_per_s"], 0)
            self.assertGreater(row["bare_heap_events_per_s"], 0)
        self.assertEqual([row["hosts"] for row in document["allpairs"]], [16, 1024])
        for row in document["allpairs"]:
            # From the card to a switch and on to the card, or over a spine besides.
            hops = row["packet_hops_per_s"] / row["packets_per_s"]
            self.assertAlmostEqual(hops, 2 if row["hosts"] == 16 else 4, delta=0.5)
            self.assertGreater(row["bytes_per_host"], 1000)
        for row in document["star"]:
            self.assertGreater(row["frames_per_s"], 0)
            # A frame makes two hops; only those that are under way at the end have made one.
            self.assertAlmostEqual(row["hops_per_s"] / row["frames_per_s"], 2, delta=0.01)
            self.assertIsNone(row["ratio"])
        self.assertEqual([row["transport"] for row in document["streams"]],
                         ["TCP", "SCTP", "SCTP, CMT over 2 paths"])
        for row in document["streams"]:
            self.assertGreater(row["packets_per_s"], 0)
            self.assertIsNone(row["ratio"])
        for row in document["messages"]:
            self.assertGreater(row["messages_per_s"], 0)
        for row in document["collectives"]:
            self.assertGreater(row["messages_per_s"], 0)
        (memory,) = document["memory"]
        self.assertEqual(memory["hosts"], 1024)
        self.assertGreater(memory["bytes_per_host"], 0)
        self.check_flows(document["flows"])

    def check_flows(self, rows):
        self.assertEqual([(row["network"], row["ranks"]) for row in rows],
                         [("fat tree", 1024), ("leaves and spines", 1024)])
        for row in rows:
            self.assertEqual(row["messages"], 1024 * 10)  # by recursive doubling
            self.assertAlmostEqual(row["messages_per_cpu_s"] * row["cpu_s"] / row["messages"], 1)
            self.assertGreater(row["bytes"], 1 << 20)
            self.assertIsNone(row["ratio"])  # --no-ns3 leaves out SimGrid used bare, too


if __name__ == "__main__":
    unittest.main()
