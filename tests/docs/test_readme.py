#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""README and docs/ must be right: commands, output, links, names, lists."""

import functools
import glob
import importlib
import json
import os
import re
import subprocess
import sys
import unittest

import console

SOURCE = console.SOURCE
PAGES = ["README.md", "CHANGELOG.md", *sorted(
    os.path.relpath(path, SOURCE) for path in glob.glob(os.path.join(SOURCE, "docs", "*.md")))]
RUN = ["README.md", "docs/commands.md", "docs/uncertainty.md", "docs/lessons.md", "docs/tutorial.md", "docs/scenarios.md", "docs/recording.md", "docs/architecture.md"]

# Keys that the fragments of scenarios in docs/scenarios.md leave out.
REST = {
    "schema": "schema: 1",
    "testbed": "testbed: testbeds/cluster1.yaml",
    "stack": "stack: lam_via",
    "workload": "workload: {benchmark: pmb.pingpong}",
}


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


@functools.cache
def sources():
    """All of sim/, models/ and bench/ as one text."""
    return "".join(read(os.path.relpath(path, SOURCE))
                   for folder in ("sim/*/*.[ch]", "models/*.[ch]", "models/*/*.[ch]", "models/*/*/*.[ch]", "bench/*.[ch]")
                   for path in glob.glob(os.path.join(SOURCE, folder)))


def called(code):
    """The names before a parenthesis: name( and (*name)(."""
    return {name for names in re.findall(r"\b(\w+)\(|\(\*(\w+)\)\(", code) for name in names}


def netsim(*arguments):
    return subprocess.run([console.NETSIM, *arguments], stdin=subprocess.DEVNULL, check=True,
                          encoding="utf-8", stdout=subprocess.PIPE, timeout=60).stdout


def without_blocks(text):
    return console.FENCE.sub("", text)


class Commands(unittest.TestCase):
    def test_what_is_shown(self):
        """Each command of a console block has the output and the exit code that the page shows."""
        for page in RUN:
            with self.subTest(page):
                try:
                    console.run_page(read(page))
                except console.Wrong as problem:
                    self.fail(f"{page}: {problem}\n(new numbers alone are put into the pages by "
                              f"tests/docs/console.py --update {page})")

    def test_what_is_not_run(self):
        """Commands that are only shown exist."""
        launcher = read("netsim")
        for page in PAGES:
            for kind, attributes, body, _ in console.blocks(read(page)):
                if kind != "console" or "norun" not in attributes:
                    continue
                for command, _ in console.commands(body):
                    words = [word for word in command.split() if not re.match("[A-Z]+=", word)]
                    if words[0] == "./netsim" and words[1] in ("test", "setup"):
                        self.assertIn(f"\n{words[1]})", launcher)
                    elif words[0] == "./netsim":
                        netsim("help", words[1])
                    elif "/" in words[0]:
                        self.assertTrue(os.access(os.path.join(SOURCE, words[0]), os.X_OK), command)
                    else:
                        self.assertIn(words[0], ("git", "cd", "sudo", "cmake", "smpicc", "smpirun"), command)

    def test_every_command_is_shown(self):
        """In the README, on the page of commands or on that of speed."""
        readme = read("README.md") + read("docs/commands.md") + read("docs/speed.md")
        commands = re.findall(r"(?m)^  (\w+) ",
                              netsim("help").split("Commands:")[1].split("Options:")[0])
        self.assertIn("run", commands)
        for command in commands:
            self.assertRegex(readme, rf"\./netsim {command}\b")
        for option in re.findall(r"--[a-z-]+(?==)", netsim("help", "run")):
            if option not in ("--out", "--seed"):
                self.assertIn(option, readme)

    def test_files_are_right_or_wrong_as_named(self):
        for page, file in (("README.md", "ring.yaml"), ("docs/commands.md", "wrong.yaml")):
            scenarios = [path for path, content in console.files(read(page)) if content.startswith("schema:")]
            self.assertEqual(scenarios, [file])

    def test_the_readme_is_short(self):
        self.assertLess(len(read("README.md").splitlines()), 300)


class Links(unittest.TestCase):
    def test_relative_links(self):
        for page in PAGES:
            text = without_blocks(read(page))
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                with self.subTest(page=page, target=target):
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), "no such file")
                    if anchor:
                        heads = [re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-")
                                 for head in re.findall(r"(?m)^#+ (.*)$",
                                                        without_blocks(read(path)))]
                        self.assertIn(anchor, heads)

    def test_every_page_is_linked(self):
        readme = read("README.md")
        for page in PAGES[1:]:
            self.assertIn(f"]({page})", readme)


class Names(unittest.TestCase):
    """Names that the pages put into backquotes."""

    def test_functions(self):
        there = called(sources())
        for page in PAGES:
            shown = called("".join(content for _, content in console.files(read(page))))
            for name in set(re.findall(r"`(\w+)\(\)`", without_blocks(read(page)))):
                with self.subTest(page=page, name=name):
                    self.assertTrue(name in there or name in shown, "no such function")

    def test_files(self):
        pattern = r"`((?:sim|models|bench|tests|docs|scenarios|completion|plots)/[\w./-]*)`"
        for page in PAGES:
            text = without_blocks(read(page))
            # A page may name the files that the reader is to make.
            made = {path for path, _ in console.files(read(page))}
            for path in set(re.findall(pattern, text)):
                if re.search(r"\b(NAME|ROOM)\b|_NAME", path):
                    continue
                with self.subTest(page=page, path=path):
                    there = any(os.path.exists(os.path.join(SOURCE, folder, path))
                                for folder in ("", "tests")) # coverage.md names tests so
                    self.assertTrue(there or any(one.startswith(path) for one in made))

    def test_where_functions_are(self):
        """The file that the pages name for a function defines it."""
        for page in PAGES:
            text = without_blocks(read(page))
            pairs = re.findall(r"`(\w+)\(\)`(?: in)? \(?`((?:sim|models)/[\w/]+\.c)`", text)
            for name, path in pairs:
                with self.subTest(page=page, name=name):
                    self.assertRegex(read(path), rf"(?m)^[a-z][\w *]*\b{name}\(")

    def test_rooms(self):
        """Diagram and table of rooms are made from what includes are checked by, and no room is
        allowed what none of its files uses."""
        sys.path.insert(0, os.path.join(SOURCE, "tests", "structure"))
        check = importlib.import_module("check_includes")
        rooms = importlib.import_module("rooms")
        shown = read("docs/architecture.md")
        self.assertEqual(shown, rooms.page(shown), "tests/structure/rooms.py --write makes it anew")
        named = re.findall(r"(?m)^\| `(?:sim/)?([\w/]+?)(?:/NAME)?/` \|", shown)
        self.assertEqual(sorted(named), sorted(map(rooms.short, check.MAY_INCLUDE)))
        used = {(check.kind_of(check.room_of(path)), check.kind_of(check.room_of(target)))
                for path in check.source_files(SOURCE)
                for _, what in check.includes_of(SOURCE, path)
                if (target := check.target_of(SOURCE, path, what))}
        for room, may in check.MAY_INCLUDE.items():
            for other in may:
                if other not in ("sim/core", "sim/config"):
                    self.assertIn((room, other), used)

    def test_share_of_the_protocol(self):
        """The table of lines by model is about that of today."""
        sys.path.insert(0, os.path.join(SOURCE, "tests", "structure"))
        plumbing = importlib.import_module("plumbing")

        def rows(text):
            return {name: (int(lines.replace(",", "")), int(share)) for name, lines, share in
                    re.findall(r"(?m)^\| (\S+) \| ([\d,]+) \| \*\*(\d+) %", text)}
        shown, today = rows(read("docs/models.md")), rows(plumbing.table())
        again = "tests/structure/plumbing.py --write makes it anew"
        self.assertEqual(set(shown), set(today), again)
        for name, (lines, share) in today.items():
            self.assertLessEqual(abs(shown[name][0] - lines), 0.1 * lines, f"{name}: {again}")
            self.assertLessEqual(abs(shown[name][1] - share), 5, f"{name}: {again}")

    def test_ops_of_a_device(self):
        """The page on fabrics points to the header with the ops of a device, which describes each."""
        self.assertIn("`sim/mpi/process.h` describes each", read("docs/adding-a-fabric.md"))
        ops = re.search(r"struct mpi_device_ops \{(.*?)\n\};", read("sim/mpi/process.h"), re.DOTALL)[1]
        described = False
        for line in ops.splitlines():
            name = re.search(r"\(\*(\w+)\)", line)
            if name:
                self.assertTrue(described, f"sim/mpi/process.h: no comment says what `{name[1]}` must do")
            described = described or line.lstrip().startswith("//")
            if "//" not in line and line.endswith(";") and not name:
                described = False

    def test_nothing_is_named_that_the_reader_does_not_have(self):
        for page in PAGES:
            self.assertNotRegex(read(page), r"/root/|/tmp/")


class Lists(unittest.TestCase):
    def test_every_scenario_is_mentioned(self):
        text = read("README.md") + read("docs/scenarios.md")
        scenarios = netsim("list", "scenarios", "--names").split()
        self.assertIn("pingpong_cluster1", scenarios)
        for name in scenarios:
            self.assertIn(f"`{name}`", text)
        for name in netsim("list", "testbeds", "--names").split():
            self.assertIn(f"testbeds/{name}.yaml", text)
        for name in netsim("list", "benchmarks", "--names").split():
            self.assertIn(f"`{name}`", text)

    def test_every_key_and_operation_is_explained(self):
        """All that the JSON Schema has, but for the sections, whose page is parameters.md."""
        text = read("docs/scenarios.md")
        schema = json.loads(netsim("describe", "--json-schema"))
        sections = {path.split(".")[0] for path in schema["$defs"]} - {"link", "switch"}
        keys = set(schema["properties"]) - sections
        keys |= set(schema["properties"]["workload"]["properties"])
        for shape in schema["$defs"]["operations"]["items"]["anyOf"]:
            keys |= set(shape.get("properties", {}))
        self.assertLess({"schema", "include", "sizes", "send", "barrier"}, keys)
        for name in sorted(keys):
            self.assertIn(f"`{name}`", text)

    def check_reference(self, scratch, body):
        """A reference of a calibration: one that uses it takes it."""
        scratch.write("reference.yaml", body)
        code, printed = scratch.run(
            "./netsim calibrate pingpong_cluster1 --fit 'lam.request=100 cycles..50000 cycles' "
            "--to reference.yaml --set workload.repetitions=1 --format json")
        self.assertEqual(code, 0, body + "\n".join(printed))
        self.assertEqual(len(json.loads("\n".join(printed))["targets"]), body.count("\n  - {"))

    def test_fragments_of_scenarios_are_right(self):
        scratch = console.Scratch()
        count = 0
        for kind, attributes, body, _ in console.blocks(read("docs/scenarios.md")):
            if kind != "yaml":
                continue
            # A file is for the commands of the page, and right as the others are.
            self.assertEqual([one for one in attributes if not one.startswith("file=")], [])
            if re.search(r"(?m)^targets:", body):
                self.check_reference(scratch, body)
                continue
            rest = [line for key, line in REST.items()
                    if not re.search(rf"(?m)^{key}:", body)
                    and not (key == "stack" and re.search(r"(?m)^series:", body))]
            scratch.write(f"fragment{count}.yaml", "\n".join(rest) + "\n" + body)
            code, printed = scratch.run(f"./netsim check fragment{count}.yaml")
            self.assertEqual(code, 0, body + "\n".join(printed))
            count += 1
        self.assertGreater(count, 0)

    def test_dependencies(self):
        """README, launcher and CMakeLists.txt name the same."""
        table = re.search(r"<<'END'\n(.*?)^END$", read("netsim"), re.DOTALL | re.MULTILINE)[1]
        rows = [[cell.strip() for cell in row.split("|")] for row in table.splitlines()]
        packages = {row[1] for row in rows}
        built = {row[1] for row in rows if row[0] in ("build", "build?")}
        libraries = {row[2].partition(":")[2] for row in rows if row[2].startswith("library:")}

        cmake = read("CMakeLists.txt")
        wanted = re.search(r"DEPENDENCIES REQUIRED IMPORTED_TARGET\s+([^)]*)\)", cmake)[1].split()
        wanted += re.findall(r"pkg_check_modules\(\w+ IMPORTED_TARGET (\w+)\)", cmake)
        self.assertEqual(libraries, set(wanted))

        section = read("README.md").split("## Dependencies")[1].split("\n## ")[0]
        in_table = set()
        for row in re.findall(r"(?m)^\| ([a-z][^|]*?) +\|", section):
            in_table |= set(re.findall(r"[a-z][a-z0-9.+-]+", re.sub(r"\([^)]*\)", "", row)))
        self.assertEqual(in_table, packages | {"libns3-dev", "g++"})
        by_hand = re.search(r"apt-get install (.*)", section)[1].split()
        self.assertEqual(set(by_hand), built)


if __name__ == "__main__":
    unittest.main()
