#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim new: scenarios of every stack, in several sizes and with all its benchmarks, which check and run."""

import json
import re
import unittest

import harness

# Requests besides the stack, and the text that each puts into the file.
MACHINES = [
    ([], []),
    (["--hosts", "2", "--switches", "1"], ["count: 2"]),
    (["--hosts", "16", "--switches", "2"], ["count: 16", "split: 2"]),
    (["--hosts", "9", "--switches", "4"], ["leaf", "from: leaf"]),
    (["--hosts", "7", "--switches", "3", "--topology", "ring"], ["switch2", "to: switch0"]),
    (["--hosts", "12", "--switches", "6", "--topology", "clos"], ["spine"]),
    (["--hosts", "12", "--switches", "4", "--topology", "tree"], ["root"]),
]


class New(harness.Case):
    def stacks(self):
        return json.loads(self.netsim("list", "stacks", "--format", "json").stdout)["stacks"]

    def test_every_stack_and_size(self):
        names = []
        for turn, stack in enumerate(self.stacks()):
            for number, (machine, parts) in list(enumerate(MACHINES))[turn % 2::2]:
                name = f"{stack['name']}_{number}"
                self.netsim("new", name, "--stack", stack["name"], *machine)
                text = self.read(f"{name}.yaml")
                for part in parts:
                    self.assertRegex(text, re.sub("(switch|leaf|spine|root)", r"(net0)?\1", part, count=1))
                self.assertLessEqual(max(map(len, text.splitlines())), 100, name)
                names.append(f"{name}.yaml")
        done = self.netsim("check", *names)
        self.assertEqual(done.stdout.count(": correct, 1 series\n"), len(names))
        self.assertNotIn("error", done.stderr)

    def test_every_benchmark_of_every_stack(self):
        names, refused = [], []
        for stack in self.stacks():
            for benchmark in stack["benchmarks"]:
                name = f"{stack['name']}-{benchmark}"
                done = self.netsim("new", name, "--stack", stack["name"], "--benchmark", benchmark,
                                   "--hosts", "2", code=None)
                if done.returncode == 1 and benchmark == "program":
                    self.assertIn("with the operation sendrecv, which", done.stderr)
                    refused.append(stack["name"])
                else:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    names.append(f"{name}.yaml")
        self.netsim("check", *names)
        # A program is written for every MPI library at least.
        self.assertFalse({"lam_via", "lam_tcp", "mvich", "armci", "ch3_sctp", "openmpi_tcp"} & set(refused))

    def test_a_sample_runs(self):
        for stack in self.stacks():
            name = stack["name"]
            self.netsim("new", name, "--stack", name, "--hosts", "4", "--switches", "2",
                        "--topology", "chain")
            with self.subTest(name):
                self.netsim("run", f"{name}.yaml", "--quiet")

    def test_a_program_runs(self):
        self.netsim("new", "mine", "--stack", "lam_tcp", "--hosts", "3", "--benchmark", "program")
        self.assertIn("lam_tcp", self.netsim("run", "mine.yaml", "--quiet").stdout)

    def test_commented_parameters_can_be_set(self):
        """Without their # the parameters of the text hold."""
        self.netsim("new", "mine", "--stack", "lam_tcp", "--benchmark", "nas.is")
        text, sections = self.read("mine.yaml").split("#link:", 1)
        text = re.sub(r"^( *)#(\S)", r"\1\2", text, flags=re.M)
        self.write("set.yaml", text + re.sub("^#", "", "#link:" + sections, flags=re.M))
        self.netsim("check", "set.yaml")
        a = self.netsim("run", "mine.yaml", "--set", "workload.class=S", "--format", "csv").stdout
        b = self.netsim("run", "set.yaml", "--set", "workload.class=S", "--format", "csv",
                        "--set", "name=mine").stdout
        self.assertEqual(a, b)

    def test_an_existing_file_stays(self):
        self.write("mine.yaml", "mine\n")
        done = self.netsim("new", "mine", "--stack", "lam_tcp", code=1)
        self.assertIn("mine.yaml is there already (--force writes over it)", done.stderr)
        self.assertEqual(self.read("mine.yaml"), "mine\n")
        self.netsim("new", "mine.yaml", "--stack", "lam_tcp", "--force")
        self.assertIn("stack: lam_tcp", self.read("mine.yaml"))

    def test_ports(self):
        done = self.netsim("new", "mine", "--stack", "gm", "--hosts", "16", "--switches", "1")
        self.assertIn("warning: 16 hosts on 1 switch take 16 ports of one, and those of config1 have 8: "
                      "written with `ports: 16` (--switches 6 fits them)", done.stderr)
        self.netsim("check", "mine.yaml")
        self.netsim("new", "fits", "--stack", "gm", "--hosts", "16")
        self.assertNotIn("    ports:", self.read("fits.yaml"))
        self.assertIn("6 switches (clos)", self.netsim("new", "fits", "--stack", "gm", "--hosts", "16", "--force").stdout)

    def test_cards(self):
        done = self.netsim("new", "mine", "--stack", "lam_tcp", "--nic", "em82547gi")
        self.assertEqual(done.stderr, "")
        self.assertIn("nic: em82547gi", self.read("mine.yaml"))
        self.assertIn("rate: 1 Gb/s", self.read("mine.yaml"))
        self.netsim("check", "mine.yaml")
        self.netsim("new", "mine", "--force", "--stack", "openmpi_tcp", "--nic", "ethernet", "--hosts", "4")

    def test_a_testbed_as_it_is(self):
        self.netsim("new", "mine", "--stack", "lam_tcp", "--testbed", "cluster2")
        self.assertNotIn("hosts:", self.read("mine.yaml"))
        self.netsim("check", "mine.yaml")
        self.netsim("new", "both", "--stack", "gm", "--testbed", "two_networks", "--hosts", "4")
        self.assertIn("nic: lanai9", self.read("both.yaml"))
        self.netsim("check", "both.yaml")

    def test_mistakes_name_what_there_is(self):
        for arguments, text in [
                (["mine"], "--stack is missing"),
                (["mine", "--stack", "lamtcp"], "did you mean lam_tcp?"),
                (["mine", "--stack", "x"], "mvia, lam_via, mvich"),
                (["mine", "--stack", "gm", "--benchmark", "pmb.bcast"], "it runs native.pingpong, native.copy"),
                (["mine", "--stack", "gm", "--nic", "eepro100"], "it drives lanai4, lanai7, lanai9"),
                (["mine", "--stack", "gm", "--testbed", "cluster1"], "these do: config1, config2"),
                (["mine", "--stack", "gm", "--testbed", "cluster9"], "did you mean cluster1"),
                (["mine", "--stack", "lam_tcp", "--switches", "0", "--hosts", "3"], "without a switch there are two hosts"),
                (["mine", "--stack", "lam_tcp", "--switches", "9", "--hosts", "3"], "9 switches (tree) have 8 for hosts"),
                (["mine", "--stack", "lam_tcp", "--switches", "2", "--topology", "star"], "a star has one switch, not 2"),
                (["mine", "--stack", "lam_tcp", "--topology", "torus"], "auto, star, chain, ring, tree, clos"),
                (["mine", "--stack", "lam_tcp", "--hosts", "x"], "--hosts"),
                (["a b", "--stack", "lam_tcp"], "is no name for a scenario"),
                (["mine", "--stack", "lam_tcp", "--benchmark", "pmb.pingpong", "--ranks", "3"], "runs on at most 2 ranks, not 3"),
                (["no/mine", "--stack", "lam_tcp"], "no/mine.yaml"),
        ]:
            with self.subTest(arguments):
                self.assertIn(text, self.netsim("new", *arguments, code=1).stderr)
        self.assertRaises(FileNotFoundError, self.read, "mine.yaml")


if __name__ == "__main__":
    unittest.main()
