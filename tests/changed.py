# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests are next to a change: for `./netsim test --changed` (run_suite.py).

The change is what differs from the branch's upstream: commits that are not pushed, and the working tree.
A file leads to tests by what the build knows, `ninja -t deps`: which sources each object was compiled from.

  a header, a source        its room, and each room whose objects include it; the tests in C that include
                            them; those of a folder named like a part of the room (models/via/vip: tests/via);
                            the cases of stacks whose model is the room or stands on it
  a test                    itself; what a folder of tests shares: the folder
  tests/support             the tests in C that include it; tests/golden/sessions: the session
  docs, README.md           the tests of docs; scenarios/ and references/: those that read all of them
  another file              all quick tests

This is a choice for the loop of work: every stack runs through sim/core, and a test may depend on a room that
it does not name. All quick tests run before a change is pushed.
"""

import functools
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "structure"))
import check_includes  # noqa: E402  (the rooms)

FOLDER_TESTS = {"docs": ["docs"], "README.md": ["docs"], "CHANGELOG.md": ["docs"], "changelog.d": ["docs"], "towncrier.toml": ["docs"], "CONTRIBUTING.md": ["docs"],
                "scenarios": ["scenarios", "config"], "references": ["validate", "coverage"],
                "plots": ["plots", "figures"], "completion": ["docs", "cli"], "bench": ["bench"],
                "tools": ["tools"], "netsim": ["structure"],
                ".ci": ["structure"], ".clangd": ["structure"], "wireshark": ["output"], "traces": ["recording"], "examples": ["docs"]}


def git(root, *arguments):
    done = subprocess.run(["git", "-C", root, *arguments], check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else None


def changed_files(root):
    """The files that differ from the upstream's, and what they were compared with; None: this is no clone."""
    base = git(root, "merge-base", "HEAD", "@{upstream}")
    base = base.strip() if base else "HEAD"
    changed, new = git(root, "diff", "--name-only", base), git(root, "ls-files", "--others", "--exclude-standard")
    if changed is None or new is None:
        return None
    return sorted(set((changed + new).splitlines()))


def objects_of(build, root):
    """The files of the tree that each object was compiled from, by the object's path in the build."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    in_tree = functools.lru_cache(None)(lambda path: os.path.relpath(os.path.join(build, path), root))
    objects, files = {}, None
    for line in listed.splitlines():
        if line.startswith("    "):
            path = in_tree(line.strip())  # a header stands in the list once per object
            if not path.startswith("..") and files is not None:
                files.add(path)
        elif ": #deps" in line:
            files = objects.setdefault(line.split(": #deps")[0], set())
    return objects


class Tests:
    """The tests of a build: labels {test: its labels}, objects as objects_of has them."""

    def __init__(self, root, labels, objects):
        self.root, self.labels, self.objects = root, labels, objects

    @functools.cached_property
    def sources(self):
        """The sources of each test in C: {test: files that its object includes}."""
        found = {}
        for files in self.objects.values():
            for path in files:
                match = re.fullmatch(r"tests/(\w+)/test_(\w+)\.c", path)
                if match:
                    found[f"test_{match[1]}_{match[2]}"] = files
        return {test: files for test, files in found.items() if test in self.labels}

    def labelled(self, *folders):
        return {test for test, labels in self.labels.items() if set(labels) & set(folders)}

    def rooms_of(self, path):
        """The rooms of which an object of the library includes the file."""
        rooms = {check_includes.room_of(path)}
        for object_path, files in self.objects.items():
            if path in files and "netsim_lib" in object_path:
                rooms |= {check_includes.room_of(other) for other in files if other.endswith(".c")}
        return rooms

    def of_stacks(self, room):
        """The tests of cases whose stack's model is the room, or stands on it."""
        chosen = set()
        for test in self.labelled("cases"):
            stack = test.removeprefix("test_cases_")
            for model in stack_rooms(self.root, stack):
                if room == model or room in closure(self.root, model):
                    chosen.add(test)
        return chosen

    def of_source(self, path):
        """Those of a file in sim/, models/ or bench/."""
        room = check_includes.room_of(path)
        chosen = {test for test in self.labels if test.startswith("check_")} | self.labelled(*room.split("/")[1:])
        header = path.endswith((".h", ".inc"))
        for test, files in self.sources.items():
            if path in files or not header and any(check_includes.room_of(other) == room for other in files
                                                   if other.startswith(("sim/", "models/"))):
                chosen.add(test)
        for other in self.rooms_of(path) if header else {room}:
            if other.startswith("models/"):
                chosen |= self.of_stacks(other)
        return chosen

    def of_test(self, path):
        """Those of a file in tests/."""
        parts = path.split("/")
        folder, name = parts[1], parts[-1]
        if path.startswith("tests/golden/sessions/") and name.endswith(".txt"):
            return {"test_session_" + name.removesuffix(".txt")} & set(self.labels)
        if folder == "cases" and len(parts) > 3:
            return {f"test_cases_{parts[2]}"} & set(self.labels)
        if folder == "script" and len(parts) > 3:
            return {test for test in self.labels if test.startswith(f"test_{parts[2]}_scripts")}
        if folder == "fuzz" and len(parts) > 4:
            return {f"fuzz_{parts[3]}"} & set(self.labels)
        own = re.sub(r"^test_", f"test_{folder}_", name.removesuffix(".c"))
        if own in self.labels:
            return {own}
        if folder == "support":
            return {test for test, files in self.sources.items() if path.rsplit(".", 1)[0] + ".h" in files}
        return self.labelled(folder) if len(parts) > 2 else self.labelled("structure")

    def of_file(self, path):
        """The tests next to a file; None: it may concern all."""
        top = path.split("/")[0]
        if path.startswith(("sim/", "models/", "bench/")) and path.endswith((".c", ".h", ".inc")):
            return self.of_source(path)
        if top == "tests":
            return self.of_test(path) or None
        return self.labelled(*FOLDER_TESTS[top]) if top in FOLDER_TESTS else None


@functools.lru_cache
def stack_rooms(root, stack):
    """The rooms of models that name the stack."""
    found = git(root, "grep", "-l", f'"{stack}"', "--", "models") or ""
    return {check_includes.room_of(path) for path in found.splitlines()} - {"models"}


@functools.lru_cache
def closure(root, room):
    """The rooms that a model stands on."""
    return frozenset(check_includes.stands_on(root, room))


def choose(root, build, labels):
    """The tests next to the change, or None: all. Prints what leads to them."""
    files = changed_files(root)
    if files is None:
        print("--changed: this is no clone of git: all quick tests are run.")
        return None
    if not files:
        print("--changed: nothing differs from the upstream.")
        return set()
    tests = Tests(root, labels, objects_of(build, root))
    chosen = set()
    for path in files:
        found = tests.of_file(path)
        if found is None:
            print(f"--changed: {path} may concern every test: all quick tests are run.")
            return None
        print(f"--changed: {path}: {len(found)} test{'' if len(found) == 1 else 's'}")
        chosen |= found
    return chosen
