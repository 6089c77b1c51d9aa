#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs what the documentation shows.

    console.py [--update|--rewrite] FILE.md ...

A fenced block with `file=PATH` is written to a scratch directory. In a block of kind `console` every line "$ COMMAND"
is run there, in the order of the page; the lines below it are what it prints, where a line "..." stands for any number
of lines. A command ends with 0, unless the next one is "$ echo $?", which shows its exit code. ./netsim is the program
in $NETSIM (the one in build/ if that is not set), and the tree's scenarios/, references/ and traces/ are there. A block
with `norun` is only shown.

Numbers with a decimal point, fingerprints, and counts and rates of events may differ from those on
the page; everything else must be the same. --update puts the numbers of today into the page, --rewrite also
lines that came or went: read the diff. (For
docs/adding-a-fabric.md it takes a program with the example in it: test_adding_a_fabric.sh --update.)
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import machine  # pylint: disable=wrong-import-position

SOURCE = os.path.abspath(os.environ.get("NETSIM_SOURCE_DIR") or
                         os.path.join(os.path.dirname(__file__), "..", ".."))
NETSIM = os.path.abspath(os.environ.get("NETSIM") or os.path.join(SOURCE, "build", "netsim"))

FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)

REWRITE = False  # set by --rewrite

# Text that may differ from one calibration to the next, besides what belongs to the machine.
VOLATILE = (
    (re.compile(r"[\d,]+ events\b"), "EVENTS"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "FINGERPRINT"),
    (re.compile(r"\d+\.\d+(e[+-]?\d+)?"), "NUMBER"),
    (re.compile(r"\s+"), " "),
)


class Wrong(Exception):
    """A page that does not show what happens."""


def masked(line):
    line = machine.masked(line)
    for pattern, name in VOLATILE:
        line = pattern.sub(name, line)
    return line.strip()


def blocks(text):
    """(kind, [attribute, ...], body, where the body begins) of each fenced block."""
    for match in FENCE.finditer(text):
        words = match["info"].split() or [""]
        yield words[0], words[1:], match["body"], match.start("body")


def files(text):
    """(path, content) of the blocks that are files."""
    for _, attributes, body, _ in blocks(text):
        for attribute in attributes:
            if attribute.startswith("file="):
                yield attribute[len("file="):], body


def commands(body):
    """(command, [output line, ...]) of a console block."""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
        else:
            raise Wrong(f"output without a command: {line}")
    return found


def shown(expected, printed):
    """The lines of a page as they are printed today; raises Wrong if they are not."""
    # Blank lines at the end only set off what follows.
    while expected and not expected[-1].strip():
        expected = expected[:-1]
    result, at, free = [], 0, False
    chunks, chunk = [], []
    for line in expected + ["..."]:
        if line.strip() == "...":
            chunks.append(chunk)
            chunk = []
        else:
            chunk.append(line)
    for number, chunk in enumerate(chunks):
        want = [masked(line) for line in chunk]
        last = number == len(chunks) - 1
        places = range(at, len(printed) - len(chunk) + 1) if free else [at]
        if last:
            places = [place for place in places if place + len(chunk) == len(printed)]
        for place in places:
            if [masked(line) for line in printed[place:place + len(chunk)]] == want:
                result += printed[place:place + len(chunk)] + ([] if last else ["..."])
                at, free = place + len(chunk), True
                break
        else:
            if not REWRITE:
                raise Wrong("\n".join(["shown:"] + chunk + ["printed:"] + printed[:60]))
            at = nearest(chunk, printed, at) if free else at
            end = len(printed) if last else at + len(chunk)
            result += printed[at:end] + ([] if last else ["..."])
            at, free = end, True
    return result


def nearest(chunk, printed, start):
    """Where the printed lines begin that are most like the first one of the chunk."""
    if not chunk:
        return len(printed)
    def likeness(place):
        return difflib.SequenceMatcher(None, masked(chunk[0]), masked(printed[place])).ratio()
    return max(range(start, max(len(printed), start + 1)), key=likeness, default=start)


class Scratch:
    """A directory with the program and the scenarios, in which commands are run."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="netsim-docs-")
        self.path = self.temporary.name
        os.symlink(NETSIM, os.path.join(self.path, "netsim"))
        for folder in ("scenarios", "references", "traces"):
            os.symlink(os.path.join(SOURCE, folder), os.path.join(self.path, folder))

    def write(self, path, content):
        path = os.path.join(self.path, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)

    def run(self, command):
        """The exit code, and the lines printed to both streams."""
        done = subprocess.run(["bash", "-c", command], cwd=self.path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={**os.environ, "NETSIM_PROGRESS": "off"}, encoding="utf-8", timeout=600)
        return done.returncode, done.stdout.splitlines()


def run_block(scratch, body):
    """Runs a console block; its body with the output of today."""
    lines, code, want = [], 0, 0
    asked = commands(body)
    for number, (command, expected) in enumerate(asked):
        gap = []
        while expected and not expected[-1].strip():
            gap.append(expected.pop())
        lines.append(f"$ {command}")
        try:
            if command == "echo $?":
                lines += shown(expected, [str(code)])
            else:
                code, printed = scratch.run(command)
                lines += shown(expected, printed)
                asks = number + 1 < len(asked) and asked[number + 1][0] == "echo $?"
                want = code if asks else 0
                if code != want:
                    raise Wrong(f"it ended with {code}\n" + "\n".join(printed[:60]))
        except Wrong as problem:
            raise Wrong(f"$ {command}\n{problem}") from None
        lines += gap
    return "\n".join(lines) + "\n"


def run_page(text):
    """Runs all console blocks of a page; returns it with the output of today, and how many."""
    scratch = Scratch()
    for path, content in files(text):
        if path.endswith((".yaml", ".csv")) and not path.startswith("scenarios/"):
            scratch.write(path, content)
    pieces, at, count = [], 0, 0
    for kind, attributes, body, start in blocks(text):
        if kind != "console" or "norun" in attributes:
            continue
        pieces += [text[at:start], run_block(scratch, body)]
        at = start + len(body)
        count += len(commands(body))
    return "".join(pieces) + text[at:], count


def main():
    global REWRITE  # pylint: disable=global-statement
    update = sys.argv[1:2] in (["--update"], ["--rewrite"])
    REWRITE = sys.argv[1:2] == ["--rewrite"]
    for name in sys.argv[1 + update:]:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        try:
            fresh, count = run_page(text)
        except Wrong as problem:
            sys.exit(f"{name}: {problem}")
        if update and fresh != text:
            with open(name, "w", encoding="utf-8") as file:
                file.write(fresh)
        print(f"{name}: {count} commands, all as shown")


if __name__ == "__main__":
    main()
