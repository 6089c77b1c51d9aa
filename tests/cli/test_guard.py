#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""examples/ci: the script that guards curves, and the commands of the workflow files line by line (but for those that install)."""

import os
import shlex
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import yaml

SOURCE = os.environ["NETSIM_SOURCE_DIR"]
NETSIM = os.path.abspath(os.environ["NETSIM"])
FOLDER = os.path.join(SOURCE, "examples/ci")
SCENARIO = """\
schema: 1
name: {name}
testbed: testbeds/cluster1.yaml
workload: {{benchmark: pmb.pingpong, sizes: [4 B, 1 KiB], repetitions: 2}}
series: [{{name: VIA, stack: lam_via, set: {{switch.latency: {latency}}}}}]
"""


class Guard(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-guard-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name
        os.mkdir(os.path.join(self.directory, "scenarios"))
        self.scenario("one", "8 us")
        self.scenario("two", "4 us")
        self.guard("record", "scenarios", "curves")

    def scenario(self, name, latency):
        with open(os.path.join(self.directory, "scenarios", f"{name}.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENARIO.format(name=name, latency=latency))

    def shell(self, command, code=0, **environment):
        done = subprocess.run(["bash", "-c", command], cwd=self.directory, check=False, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, "NETSIM": NETSIM, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def guard(self, *words, code=0, **environment):
        return self.shell(shlex.join((os.path.join(FOLDER, "guard.sh"), *words)), code, **environment)

    def failures(self, name):
        return int(ElementTree.parse(os.path.join(self.directory, "reports", f"{name}.xml")).getroot().get("failures"))

    def test_a_curve_that_is_worse_fails(self):
        self.assertIn("no differences beyond 2% worse", self.guard("check", "scenarios", "curves", "reports"))
        self.scenario("two", "10 us")
        output = self.guard("check", "scenarios", "curves", "reports", code=2)
        self.assertIn("2 differences beyond 2% worse", output)
        self.assertEqual((self.failures("one"), self.failures("two")), (0, 2))
        self.guard("check", "scenarios", "curves", "reports", TOLERANCE="20%")
        self.scenario("two", "1 us")  # better
        self.guard("check", "scenarios", "curves", "reports")

    def test_a_scenario_that_is_wrong_fails(self):
        self.scenario("two", "8 parsecs")
        self.guard("check", "scenarios", "curves", "reports", code=1)

    def commands(self, name):
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            document = yaml.safe_load(file)
        job = document["jobs"]["curves"] if "jobs" in document else document["curves"]
        if "steps" in job:
            steps = [step for step in job["steps"] if "run" in step]
            return [(command, step.get("env", {})) for step in steps for command in step["run"].splitlines()]
        return [(command, job["variables"]) for command in job["before_script"] + job["script"]]

    def test_the_commands_of_the_workflows(self):
        for name in ("github.yml", "gitlab.yml"):
            run = 0
            for command, environment in self.commands(name):
                if "apt-get" in command or "git clone" in command:
                    continue
                command = command.replace("/opt/netsim/netsim", shlex.quote(NETSIM)).replace("/opt/netsim", shlex.quote(SOURCE))
                self.shell(command, **{**environment, "NETSIM": NETSIM})
                run += 1
            self.assertEqual(run, 2, name)
            self.assertEqual((self.failures("one"), self.failures("two")), (0, 0))


if __name__ == "__main__":
    unittest.main()
