#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of options: one meaning for a name, values joined to short options, and what is made from the tables: help, man page,
completion."""

import os
import re
import shutil
import subprocess
import unittest

from harness import NETSIM, SOURCE, Case

MADE = ("docs/netsim.1", "completion/netsim.bash", "completion/_netsim", "completion/netsim.fish")
# Each command describes the argument or effect of these in its own words, within one meaning: where the output goes, a
# value, which message sizes are meant, how far two results may be apart, and what has several draws or seeds.
OWN_WORDS = {"out", "set", "database", "size", "tolerance", "draws", "seeds"}
ROW = re.compile(r"^  (?:-(?P<letter>\w), )?--(?P<name>[\w-]+)(?:=(?P<argument>\S+))? +(?P<summary>.*)$", re.M)


class Tables(Case):
    def commands(self):
        return re.findall(r"(?m)^  ([a-z]+) +[a-z]", self.netsim("help").stdout.split("Options:")[0])

    def options(self):
        """command -> the options of its help."""
        return {command: [match.groupdict() for match in ROW.finditer(self.netsim(command, "--help").stdout)]
                for command in self.commands()}

    def test_a_name_means_the_same_everywhere(self):
        meanings, letters = {}, {}
        for command, options in self.options().items():
            self.assertGreater(len(options), 0, command)
            for option in options:
                name = option["name"]
                form = option["letter"], option["argument"] is None
                words = "" if name in OWN_WORDS else re.sub(r"^(form of the output|simulate in N processes)[:;] .*", r"\1",
                                                            option["summary"])
                if name != "out" and name != "set" and name != "format":
                    words += f" {option['argument']}"
                first = meanings.setdefault(name, (command, form, words))
                self.assertEqual((form, words), first[1:], f"--{name} of {command} and of {first[0]}")
                if option["letter"]:
                    self.assertEqual(letters.setdefault(option["letter"], name), name)
        self.assertEqual(set(letters), {"h", "j", "q"})

    def test_jobs_in_every_command_that_has_them(self):
        having = [command for command, options in self.options().items()
                  if any(option["name"] == "jobs" for option in options)]
        self.assertGreaterEqual(set(having), {"sweep", "plot", "figures", "calibrate", "validate"})
        for command in having:
            for words in (["-j2x"], ["-j", "2x"], ["--jobs", "2x"], ["--jobs=2x"]):
                said = self.netsim(command, *words, "x", code=1).stderr
                self.assertRegex(said, f"^netsim: {command}: Cannot parse integer value .2x. for -")
            for words in (["-j-1"], ["-j", "-1"], ["-j1025"]):
                self.assertRegex(self.netsim(command, *words, "x", "y", code=1).stderr,
                                 r"^netsim: --jobs -?1\d*: a number of processes is a whole number from 0 to 1024")

    def test_words_that_only_look_like_short_options(self):
        """Arguments of another option stay as they are, and so do those after two dashes."""
        self.assertIn("no scenario `-qj2'", self.netsim("check", "--", "-qj2", code=1).stderr)
        self.assertIn("--format -j2:", self.netsim("plot", "--format", "-j2", "x", code=1).stderr)
        self.assertIn("--format -j2:", self.netsim("plot", "--format=-j2", "x", code=1).stderr)
        self.assertIn("Missing argument for -j", self.netsim("plot", "x", "-qj", code=1).stderr)
        self.assertIn("Unknown option -x ", self.netsim("plot", "-qx2", "x", code=1).stderr)

    def test_an_unknown_option_lists_what_there_is(self):
        for command, options in self.options().items():
            said = self.netsim(command, "--zzzzzzzzzzzz", code=1).stderr
            for option in options:
                self.assertIn(f"--{option['name']}", said)
        self.assertIn("did you mean --quiet?", self.netsim("run", "--quite", "x", code=1).stderr)


class Made(Case):
    def test_files_are_as_the_tables_make_them(self):
        for name in MADE:
            path = os.path.join(SOURCE, name)
            with open(path, encoding="utf-8") as file:
                kept = file.read()
            self.assertEqual(kept, self.netsim("help", "--fill", path).stdout,
                             f"{name} is out of date; `ninja -C build reference' makes it anew")

    def test_what_a_part_may_be(self):
        self.write("page", "a\n.\\\" Begin: man options list\nstale line\n.\\\" End\nz")
        text = self.netsim("help", "--fill", "page").stdout
        self.assertIn("--names", text.replace("Fl -names", "--names"))
        self.assertNotIn("stale", text)
        self.assertTrue(text.startswith("a\n") and text.endswith("\nz"), text)
        for wrong, said in (("# Begin: man options nothing\n# End\n", "line 1: there is no part"),
                            ("\n# Begin: bash commands\nx\n", "has no end")):
            self.write("page", wrong)
            done = self.netsim("help", "--fill", "page", code=1)
            self.assertEqual(done.stdout, "")
            self.assertIn(said, done.stderr)
        self.assertIn("--fill", self.netsim("help", "--fill", "nowhere", code=1).stderr)

    def test_the_man_page_has_every_command_and_option(self):
        with open(os.path.join(SOURCE, "docs/netsim.1"), encoding="utf-8") as file:
            page = file.read()
        for command in re.findall(r"(?m)^  ([a-z]+) +[a-z]", self.netsim("help").stdout.split("Options:")[0]):
            self.assertRegex(page, rf"(?m)^\.It Cm {command}\b")
            part = re.search(rf'Begin: man options {command}\n(.*?)\.\\" End\n', page, re.S).group(1)
            names = {match["name"] for match in ROW.finditer(self.netsim(command, "--help").stdout)} - {"help"}
            self.assertEqual(set(re.findall(r"(?m)^\.It (?:Fl \w , )?Fl -([\w-]+)", part)), names)

    def test_the_shells_take_the_files(self):
        for shell, option, name in (("bash", "-n", "netsim.bash"), ("zsh", "-n", "_netsim"),
                                    ("fish", "--no-execute", "netsim.fish")):
            if shutil.which(shell):
                done = subprocess.run([shell, option, os.path.join(SOURCE, "completion", name)], check=False,
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


@unittest.skipUnless(shutil.which("bash"), "no bash")
class Bash(Case):
    def offered(self, *words, program=NETSIM, environment=None):
        """The completions of the last word."""
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _netsim; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "-", os.path.join(SOURCE, "completion/netsim.bash"), program, *words],
                              cwd=self.directory, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, **(environment or {})})
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_commands_and_their_options(self):
        commands = re.findall(r"(?m)^  ([a-z]+) +[a-z]", self.netsim("help").stdout.split("Options:")[0])
        self.assertEqual(set(self.offered("")), {*commands, "test", "--version", "--help"})
        self.assertEqual(self.offered("exp"), ["explain", "export"])
        for command in commands:
            options = {f"--{match['name']}" for match in ROW.finditer(self.netsim(command, "--help").stdout)}
            self.assertEqual(set(self.offered(command, "--")), options)

    def test_values(self):
        self.assertEqual(set(self.offered("run", "--format", "")), {"table", "csv", "json"})
        self.assertEqual(self.offered("plot", "--format", "=", "p"), ["pdf", "png"])
        self.assertEqual(set(self.offered("calibrate", "--method", "")), {"auto", "lm", "nelder-mead"})
        self.assertEqual(self.offered("run", "--set", "lam_via.ti"), ["lam_via.tiny="])
        self.assertEqual(self.offered("run", "--seed", ""), [])
        os.mkdir(self.path("there"))
        self.write("there.txt", "")
        self.assertEqual(self.offered("run", "--out", "th"), ["there"])
        self.assertEqual(self.offered("run", "--trace", "th"), ["there", "there.txt"])

    def test_arguments(self):
        self.write("pingpong_mine.yaml", "")
        self.write("pingpong.txt", "")
        self.assertEqual(self.offered("run", "pingpong_"),
                         ["pingpong_cluster1", "pingpong_cluster2", "pingpong_mine.yaml"])
        self.assertIn("pingpong.txt", self.offered("compare", "ping"))
        self.assertIn("lam_via", self.offered("describe", "lam_"))
        self.assertIn("via.fig.6_1", self.offered("figures", "via."))
        self.assertEqual(self.offered("list", "st"), ["stacks"])
        self.assertEqual(self.offered("help", "va"), ["validate"])
        self.assertEqual(self.offered("sweep", "m"), ["merge"])

    def test_in_a_source_tree_nothing_is_built(self):
        os.makedirs(self.path("tree/build"))
        self.write("tree/CMakeLists.txt", "")
        self.write("tree/netsim", "#!/bin/sh\ntouch called\n")
        os.chmod(self.path("tree/netsim"), 0o755)
        self.assertEqual(self.offered("run", "pingpong_cluster1", program="tree/netsim"), [])
        os.symlink(NETSIM, self.path("tree/build/netsim"))
        environment = {"NETSIM_DATA_DIR": SOURCE}
        self.assertEqual(self.offered("run", "pingpong_cluster1", program="tree/netsim", environment=environment),
                         ["pingpong_cluster1"])
        self.assertFalse(os.path.exists(self.path("called")))


if __name__ == "__main__":
    unittest.main()
