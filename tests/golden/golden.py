#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The golden curves: what every scenario in scenarios/ gives, kept in tests/golden/NAME.csv.

    golden.py [NAME...]            compare: `netsim compare` of the kept curves with those of now
    golden.py --record [NAME...]   run the scenarios and keep what they give

A file has the fingerprint of the run and of each series in its head, so that a change which moves
no curve is seen too. The program is $NETSIM, or the launcher ./netsim.
"""

import argparse
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR",
                                     pathlib.Path(__file__).resolve().parents[2]))
NETSIM = os.path.abspath(os.environ.get("NETSIM", SOURCE / "netsim"))
GOLDEN = SOURCE / "tests" / "golden"
COLUMNS = ["series", "rank", "size", "metric", "value"]
ENDED = (0, 2, 3)  # a run that fails as its scenario wants has curves, and a status, like any other


class Wrong(Exception):
    """A scenario that could not be run."""


def scenario_names():
    return sorted(path.stem for path in (SOURCE / "scenarios").glob("*.yaml"))


def golden_names():
    return sorted(path.stem for path in GOLDEN.glob("*.csv"))


def golden_file(name):
    return GOLDEN / f"{name}.csv"


def netsim(*arguments):
    return subprocess.run([NETSIM, *map(str, arguments)], stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          timeout=600)


def run(name, directory):
    """The text of `run --format json` for a scenario."""
    done = netsim("run", SOURCE / "scenarios" / f"{name}.yaml", "--format", "json", "-q",
                  "--out", os.path.join(directory, name))
    if done.returncode not in ENDED:
        raise Wrong(f"{name}: netsim run ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def rows(result):
    for series in result["series"]:
        for point in series["points"]:
            for metric, value in point.items():
                if metric != "size_bytes":
                    yield series["name"], "", point["size_bytes"], metric, value
        for value in series["values"]:
            rank, size = value["rank"], value["size_bytes"]
            yield (series["name"], "" if rank is None else rank, "" if size is None else size,
                   value["metric"], value["value"])


def golden_text(name, result):
    """A result as a file of golden curves."""
    out = io.StringIO()
    out.write(f"# what scenarios/{name}.yaml gives; written by tests/golden/golden.py --record\n"
              f"# fingerprint {result['run']['fingerprint']}\n")
    for series in result["series"]:
        out.write(f"# series {series['name']}: {series['status']} {series['fingerprint']}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(result))
    return out.getvalue()


def differences(name, directory):
    """How a scenario differs from its golden curves: text, or None if it does not."""
    if not golden_file(name).exists():
        return f"{name}: no golden curves: record them with tests/golden/golden.py --record {name}"
    try:
        text = run(name, directory)
    except Wrong as problem:
        return str(problem)
    now = os.path.join(directory, f"{name}.json")
    with open(now, "w", encoding="utf-8") as file:
        file.write(text)
    compared = netsim("compare", golden_file(name), now)
    if compared.returncode == 0 and "fingerprints agree" in compared.stdout:
        return None
    told = "".join(line + "\n" for line in compared.stdout.splitlines()
                   if not line.startswith("same "))
    return f"{name} (a: golden, b: now):\n{told}{compared.stderr}"


def record(name, directory):
    """Keeps what a scenario gives; a complaint, or None."""
    try:
        text = golden_text(name, json.loads(run(name, directory)))
    except Wrong as problem:
        return str(problem)
    golden_file(name).write_text(text, encoding="utf-8")
    return None


def for_all(names, what):
    """What `what` says of each name that is not None. As many at a time as there are processors."""
    with tempfile.TemporaryDirectory(prefix="netsim-golden-") as directory, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda name: what(name, directory), names)
        return [text for text in found if text]


def main():
    parser = argparse.ArgumentParser(description="compares or records the golden curves")
    parser.add_argument("--record", action="store_true", help="keep what the scenarios give now")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios; all if there is none")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(scenario_names())
    if unknown:
        parser.error(f"no scenario {', '.join(sorted(unknown))}")
    if arguments.record and not arguments.names:
        for name in set(golden_names()) - set(scenario_names()):
            golden_file(name).unlink()
    found = for_all(arguments.names or scenario_names(),
                    record if arguments.record else differences)
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
