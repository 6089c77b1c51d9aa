#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the steps that the tests have taken against the tables of the state machines.

    steps.py BUILD

BUILD has NETSIM_STEPS, and run_suite.py has run its tests. Each step of a table was taken by a test, or
stands in untaken_steps.txt with its reason; what stands there was not taken.
"""

import json
import pathlib
import re
import subprocess
import sys

LIST = pathlib.Path(__file__).with_name("untaken_steps.txt")
LINE = re.compile(r"(?P<machine>.+?): (?P<start>.+) -> (?P<end>.+?): (?P<reason>.+)")


def declared(netsim):
    """The steps of all tables, as (title of the machine, from, to)."""
    printed = subprocess.run([netsim, "describe", "machine", "--format", "json"], check=True,
                             stdout=subprocess.PIPE).stdout
    return {(machine["title"], state["name"], end) for machine in json.loads(printed)["machines"]
            for state in machine["states"] for end in state["next"]}


def taken(build):
    lines = (build / "steps.txt").read_text(encoding="utf-8").splitlines()
    return {tuple(line.split("\t")) for line in lines}


def excused():
    """{step: reason}"""
    steps = {}
    for number, line in enumerate(LIST.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        if not match:
            sys.exit(f"{LIST.name}:{number}: expected TITLE: FROM -> TO: REASON")
        steps[match["machine"], match["start"], match["end"]] = match["reason"]
    return steps


def main():
    build = pathlib.Path(sys.argv[1])
    tables, seen, reasons = declared(build / "netsim"), taken(build), excused()
    faults = ([(step, "no test takes it, and untaken_steps.txt has no reason")
               for step in tables - seen - reasons.keys()] +
              [(step, "untaken_steps.txt has it, and a test takes it")
               for step in reasons.keys() & seen] +
              [(step, "untaken_steps.txt has it, and no table")
               for step in reasons.keys() - tables])
    for (machine, start, end), fault in sorted(faults):
        print(f"{machine}: {start} -> {end}: {fault}")
    print(f"{len(tables)} steps of {len({step[0] for step in tables})} machines: "
          f"{len(tables & seen)} taken by tests, {len(reasons)} with a reason why not")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
