#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The golden sessions: what commands print, to the letter, kept in tests/golden/sessions/NAME.txt.

    session.py [NAME...]            run the commands; the texts must be those that are kept
    session.py --record [NAME...]   run the commands and keep what they print

A session is lines "$ COMMAND", each followed by what the command prints, by what it prints to stderr as lines
"! TEXT" and, unless it ended with 0, by "[exit CODE]". Lines before the first command are the session's head. Its commands run one
after the other in a directory of their own, in which scenarios/, references/ and traces/ are the tree's, inputs/ is
tests/golden/sessions/inputs/, and netsim is $NETSIM, or the launcher. One whose head says "Needs SimGrid." is skipped where the
plugin is not built. One whose head says "Shares runs." begins with the runs that tests/cli/test_validate_shipped.py has left beside the
program, as v.sqlite. In one whose head says "Wide." nothing folds: its texts hold paths of the tree, on whose length it depends
where a line breaks. A picture is not drawn: $NETSIM_PYTHON
keeps the document that would be drawn, `drawn' prints it; `flat' prints JSON with one line per object (flat.py). What belongs to the machine or the hour is replaced
by its name before it is compared: tests/support/machine.py has the table.

A change of a text that was meant is recorded; the diff then shows a reviewer what users will see.
"""

import argparse
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import machine  # pylint: disable=wrong-import-position

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR",
                                     pathlib.Path(__file__).resolve().parents[2])).resolve()
NETSIM = os.path.abspath(os.environ.get("NETSIM", SOURCE / "netsim"))
PLUGIN = pathlib.Path(os.environ.get("NETSIM_FLOW_PLUGIN",
                                     pathlib.Path(NETSIM).parent / "netsim_flow.so"))
VALIDATED = pathlib.Path(NETSIM).resolve().parent / "validate.sqlite"
SESSIONS = SOURCE / "tests" / "golden" / "sessions"
TIMEOUT_S = 300
WIDTH = 1000  # columns of a wide session

# In $PATH of the commands. The interpreter is asked whether it has matplotlib, and is given a document.
TOOLS = {
    "python-that-keeps": """#!/bin/sh
case $* in -c*) exit 0 ;; esac
printf '%s\\n' "$*" >"$SCRATCH/drawn-arguments"
cat >"$SCRATCH/drawn-document"
""",
    "drawn": """#!/bin/sh
cat "$SCRATCH/drawn-arguments" && cat "$SCRATCH/drawn-document"
""",
    "flat": """#!/bin/sh
exec python3 "$NETSIM_FLAT" "$@"
""",
}

class Wrong(Exception):
    """A session that is not as it is kept."""


def parse(text):
    """The head of a session, and [command, the lines below it] of each command."""
    head, commands = [], []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
        else:
            head.append(line)
    return head, commands


class Scratch:
    """The directory of a session."""

    def __init__(self, shares, wide):
        self.temporary = tempfile.TemporaryDirectory(prefix="netsim-session-")
        self.path = pathlib.Path(self.temporary.name).resolve()
        (self.path / "bin").mkdir()
        (self.path / "here").mkdir()
        for name, text in TOOLS.items():
            tool = self.path / "bin" / name
            tool.write_text(text, encoding="utf-8")
            tool.chmod(0o755)
        (self.path / "bin" / "netsim").symlink_to(NETSIM)
        for name, place in (("scenarios", SOURCE / "scenarios"), ("references", SOURCE / "references"),
                            ("traces", SOURCE / "traces"),
                            ("inputs", SESSIONS / "inputs")):
            (self.path / "here" / name).symlink_to(place)
        if shares and VALIDATED.exists():
            shutil.copy(VALIDATED, self.path / "here" / "v.sqlite")
        self.environment = machine.environment(
            **({"COLUMNS": WIDTH} if wide else {}), SCRATCH=self.path, PATH=f"{self.path}/bin:{os.environ['PATH']}", HOME=self.path,
            NETSIM_PYTHON=self.path / "bin" / "python-that-keeps", NETSIM_DATA_DIR=SOURCE,
            NETSIM_FLAT=SOURCE / "tests" / "golden" / "flat.py")

    def run(self, command):
        """All that the command prints, as it is kept."""
        done = subprocess.run(["bash", "-c", command], cwd=self.path / "here", env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.PIPE, encoding="utf-8", timeout=TIMEOUT_S)
        return (self.kept(done.stdout) + [f"! {line}".rstrip() for line in self.kept(done.stderr)] +
                ([f"[exit {done.returncode}]"] if done.returncode else []))

    def kept(self, text):
        """The lines of a text without what depends on the machine or the hour."""
        return machine.masked(text, SCRATCH=self.path, SOURCE=SOURCE).splitlines()


def play(text):
    """A session with what its commands print today."""
    head, commands = parse(text)
    scratch, lines = Scratch(*(words in "".join(head) for words in ("Shares runs.", "Wide."))), list(head)
    for command, _ in commands:
        lines += [f"$ {command}"] + scratch.run(command)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="keep what the commands print today")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    names = options.names or sorted(path.stem for path in SESSIONS.glob("*.txt"))
    wrong = skipped = 0
    for name in names:
        path = SESSIONS / f"{name}.txt"
        kept = path.read_text(encoding="utf-8")
        if "Needs SimGrid." in "".join(parse(kept)[0]) and not PLUGIN.exists():
            skipped += 1
            print(f"skipped: {name}: the plugin for SimGrid is not built")
            continue
        today = play(kept)
        commands = len(parse(kept)[1])
        if today == kept:
            print(f"{name}: {commands} commands, all print what is kept")
        elif options.record:
            path.write_text(today, encoding="utf-8")
            print(f"{name}: {commands} commands, recorded")
        else:
            wrong += 1
            diff = difflib.unified_diff(kept.splitlines(), today.splitlines(), f"{name}, kept",
                                        f"{name}, today", lineterm="")
            print("\n".join(list(diff)[:200]))
            print(f"{name}: not what is kept; if it is meant, tests/golden/session.py --record {name}")
    sys.exit(1 if wrong else 77 if skipped else 0)


if __name__ == "__main__":
    main()
