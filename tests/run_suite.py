#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests of a build with ctest, and closes with what a reader wants to know: the slowest
tests and the sum, which tests were skipped and why, and last ctest's own closing lines.

    run_suite.py BUILD [--all] [--changed] [--failed] [--resume] [--none-skipped] [CTEST-OPTION ...]

Runs the quick tests (label `fast`); with --all every test; with an option of ctest that chooses
tests, those that it chooses. With --changed only those next to the files that differ from the upstream
(changed.py); with --failed those that failed in the last run, quick or not. With --resume those that have
passed for this very build are not run again, and their results are kept.
Ends as ctest does, which fails too when no test ran. With --none-skipped it fails as well when a
test was skipped, unless for want of root where it does not run as root. The times and the output of
each test stay in BUILD/tests.xml (JUnit), with the identity of the sources that the program was built
from, by which `netsim validate` knows that the results are those of its own build. With
--targets it runs nothing and prints what ninja has to build for the tests that --changed, --failed or an
option of ctest chooses. A build with NETSIM_STEPS leaves the steps of state machines that the tests have
taken in BUILD/steps.txt (steps.py).
"""

import contextlib
import functools
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import changed

STRICT = "--none-skipped"
ALL = "--all"
RESUME = "--resume"
CHANGED = "--changed"
FAILED = "--failed"
TARGETS = "--targets"
OWN = (STRICT, ALL, RESUME, CHANGED, FAILED, TARGETS)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHOOSES = re.compile(r"-(R|L|E|LE|I|U|FS|FC|FA)|--(tests-regex|label-regex|exclude-regex|label-exclude|"
                     r"tests-information|union|rerun-failed|fixture-exclude-.*)(=.*)?")
SLOWEST = 10
BUILD_PROPERTY = "netsim.build"
NEEDS_ROOT = "needs root: "  # as tests/support/needs.py has it
CLOSING = re.compile(r"(\x1b\[[\d;]*m)*\d+% tests passed")
# One more than there are processors: tests also wait, for pipes, signals and the disk.
JOBS = len(os.sched_getaffinity(0)) + 1
# A skipped test prints its reason last, and ctest keeps only the beginning of the output of tests that passed.
WHOLE_OUTPUT = ["--test-output-size-passed", "1000000"]


class Test:
    """A test of a JUnit file."""

    def __init__(self, case, labels):
        self.name = case.get("name")
        self.seconds = float(case.get("time") or 0)
        self.labels = labels.get(self.name, [])
        self.skipped = case.find("skipped") is not None
        output = case.findtext("system-out") or ""
        self.reasons = re.findall(r"^skipped: (.*)$", output, re.MULTILINE)

    def may_be_skipped(self):
        return (os.geteuid() != 0 and self.reasons and
                all(reason.startswith(NEEDS_ROOT) for reason in self.reasons))


def run(build, report, options):
    """Runs ctest and shows its output, but for its closing lines, which are returned besides its
    exit code."""
    ctest = ["ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error",
             "--output-junit", report, *WHOLE_OUTPUT, "-j", str(JOBS),
             *options]
    closing = []
    steps = os.path.join(os.path.abspath(build), "steps.txt")
    if not os.path.exists(report) and os.path.exists(steps):
        os.remove(steps)
    with subprocess.Popen(ctest, stdout=subprocess.PIPE, text=True, errors="replace",
                          env={**os.environ, "NETSIM_STEPS": steps}) as process:
        for line in process.stdout:
            if closing or CLOSING.match(line):
                closing.append(line)
            else:
                sys.stdout.write(line)
                sys.stdout.flush()
    return process.returncode, closing


@functools.lru_cache
def tests_of(build, *options):
    """The list of tests from ctest, of those that its options choose."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *options], check=True,
                            stdout=subprocess.PIPE).stdout
    return json.loads(listed)["tests"]


def labels_of(build):
    """The labels by test, which ctest 3.25 does not write to JUnit files."""
    return {test["name"]: [label for one in test.get("properties", [])
                           if one["name"] == "LABELS" for label in one["value"]]
            for test in tests_of(build)}


def print_targets(build, chosen):
    """The programs that the chosen tests run; all if they are not known. Tests in C do not run netsim, scripts do."""
    tests = None if chosen is None else [test for test in tests_of(build) if test["name"] in chosen]
    # ctest knows no command of a program that has never been built.
    if tests is None or not all("command" in test for test in tests):
        print("all")
        return
    commands = {test["command"][0] for test in tests}
    inside = os.path.join(os.path.abspath(build), "")
    programs = {path.removeprefix(inside) if path.startswith(inside) else "netsim" for path in commands}
    print(" ".join(sorted(programs)) or "netsim")


def read(report, build):
    try:
        cases = ElementTree.parse(report).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError):
        return []  # nothing was run, for example by ctest -N
    labels = labels_of(build)
    return [Test(case, labels) for case in cases]


def identity_of(build):
    """The identity of the program's build, or None: this build makes none."""
    try:
        with open(os.path.join(build, "source_id.c"), encoding="utf-8") as file:
            found = re.search(r'campaign_source_id\[\] = "(\w+)"', file.read())
    except OSError:
        return None
    return found and found.group(1)


def mark(report, identity):
    """Adds the property netsim.build, which sim/validate/test_results.h reads."""
    try:
        tree = ElementTree.parse(report)
    except (OSError, ElementTree.ParseError):
        return
    properties = ElementTree.Element("properties")
    ElementTree.SubElement(properties, "property", name=BUILD_PROPERTY, value=identity)
    tree.getroot().insert(0, properties)
    tree.write(report, encoding="UTF-8", xml_declaration=True)


def passed_before(report, identity):
    """The cases (ElementTree elements) that an earlier report of this build has as passed, by name."""
    try:
        tree = ElementTree.parse(report)
    except (OSError, ElementTree.ParseError):
        return {}
    made_by = [one.get("value") for one in tree.getroot().iter("property")
               if one.get("name") == BUILD_PROPERTY]
    if not identity or made_by != [identity]:
        return {}
    return {case.get("name"): case for case in tree.getroot().iter("testcase")
            if case.get("status") == "run" and case.find("failure") is None and
            case.find("skipped") is None}


def failed_before(report):
    """The names of the tests that failed in the last run."""
    try:
        tree = ElementTree.parse(report)
    except (OSError, ElementTree.ParseError):
        return set()
    return {case.get("name") for case in tree.getroot().iter("testcase")
            if case.get("status") == "fail" or case.find("failure") is not None}


def only(names):
    """The option of ctest that chooses the tests of these names."""
    return f"^({'|'.join(sorted(name.replace('.', '[.]') for name in names))})$"


def chosen_tests(build, report, arguments):
    """The tests that --changed and --failed choose; None: neither is given, or all."""
    chosen = None
    if CHANGED in arguments:
        chosen = changed.choose(ROOT, build, labels_of(build))
    if FAILED in arguments:
        failed = failed_before(report) & set(labels_of(build))
        chosen = failed if chosen is None else chosen & failed
        print(f"{len(failed)} test{'' if len(failed) == 1 else 's'} failed in the last run.")
    return chosen


def add_to(report, passed):
    """Puts the cases of an earlier report into a new one."""
    tree = ElementTree.parse(report)
    tree.getroot().extend(passed.values())
    tree.write(report, encoding="UTF-8", xml_declaration=True)


def print_times(tests):
    if len(tests) < 2:
        return
    slowest = sorted(tests, key=lambda test: -test.seconds)[:SLOWEST]
    width = max(len(test.name) for test in slowest)
    print(f"\nThe slowest of {len(tests)} tests:\n")
    for test in slowest:
        print(f"{test.name:{width}} {test.seconds:8.1f} s  {' '.join(test.labels)}")
    print(f"{'all, one after the other':{width}} "
          f"{sum(test.seconds for test in tests):8.1f} s")


def print_skipped(tests):
    if not tests:
        return
    print("\nSkipped, in whole or in part:\n")
    for test in tests:
        for reason in test.reasons or ["no reason is given"]:
            print(f"{test.name}: {reason}")


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    build = sys.argv[1]
    arguments = sys.argv[2:]
    options = [option for option in arguments if option not in OWN]
    report = os.path.join(os.path.abspath(build), "tests.xml")
    named = any(map(CHOOSES.fullmatch, options))
    if TARGETS in arguments:
        with contextlib.redirect_stdout(io.StringIO()):
            chosen = chosen_tests(build, report, arguments)
        if named:
            names = {test["name"] for test in tests_of(build, *options)}
            # A new test is known only after the build.
            chosen = (names if chosen is None else chosen & names) or None
        print_targets(build, chosen)
        sys.exit(0)
    chosen = chosen_tests(build, report, arguments)
    if chosen is not None and not chosen:
        print("No test is to be run.")
        sys.exit(0)
    quick = ALL not in arguments and FAILED not in arguments and not named
    if chosen is not None:
        options += ["-R", only(chosen)]
    if quick:
        options += ["-L", "^fast$"]
    strict = STRICT in arguments
    identity = identity_of(build)
    # --failed runs the others of that build no more than --resume does.
    passed = passed_before(report, identity) if {RESUME, FAILED} & set(arguments) else {}
    if passed and RESUME in arguments:
        options += ["-E", only(passed)]
        print(f"{len(passed)} tests have passed for this build and are not run again.")
    if not passed and os.path.exists(report):
        os.remove(report)
    if RESUME in arguments and passed and all(name in passed or quick and "fast" not in labels
                                              for name, labels in labels_of(build).items()):
        sys.exit(0)
    code, closing = run(build, report, options)
    if passed:
        add_to(report, passed)
    if identity:
        mark(report, identity)
    tests = read(report, build)
    skipped = [test for test in tests if test.skipped]
    print_times(tests)
    print_skipped(skipped)
    if quick:
        print("\nThese were " + ("quick tests next to the change; ./netsim test runs all quick ones."
                                 if chosen is not None else
                                 "the quick tests; ./netsim test --all runs the others, too."))
    print("\n" + "".join(closing), end="")
    refused = [test.name for test in skipped if not test.may_be_skipped()]
    if strict and refused:
        print(f"\nSkipped, which is not allowed here: {', '.join(refused)}")
        code = code or 1
    sys.exit(code)


if __name__ == "__main__":
    main()
