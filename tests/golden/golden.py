#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The golden curves: what every scenario in scenarios/ and every sweep in scenarios/sweeps/ gives, kept
in tests/golden/NAME.csv and tests/golden/sweeps/NAME.csv.

    golden.py [NAME...]            compare: `netsim compare` of the kept curves with those of now
    golden.py --record [NAME...]   run the scenarios and keep what they give

NAME is that of a scenario, or sweeps/NAME. A file has in its head how each series ended and, of a
scenario, the fingerprints of the run and of each series, so that a change which moves no curve is
seen too. The program is $NETSIM, or the launcher ./netsim.
"""

import argparse
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import machine  # pylint: disable=wrong-import-position

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR",
                                     pathlib.Path(__file__).resolve().parents[2]))
NETSIM = os.path.abspath(os.environ.get("NETSIM", SOURCE / "netsim"))
GOLDEN = SOURCE / "tests" / "golden"
COLUMNS = ["series", "rank", "size", "metric", "value"]
SWEEPS = "sweeps/"
# What the scenarios have printed last, for the tests that run them, too (tests/scenarios/running.py).
PRINTED = pathlib.Path(NETSIM).resolve().parent / "printed"
# The runs that test_cli_validate_shipped.py has kept, by the program's own key of a case and of its sources.
VALIDATED = PRINTED.parent / "validate.sqlite"
ENDED = (0, 2, 3)  # a run that fails as its scenario wants has curves, and a status, like any other


class Wrong(Exception):
    """A scenario that could not be run."""


def names_below(root, suffix):
    return sorted(folder + path.stem for folder in ("", SWEEPS)
                  for path in (root / folder).glob("*" + suffix))


def scenario_names():
    return names_below(SOURCE / "scenarios", ".yaml")


def golden_names():
    return names_below(GOLDEN, ".csv")


def on_flows(name):
    """Whether a scenario or sweep has runs on flows."""
    return "fidelity: flow" in (SOURCE / "scenarios" / f"{name}.yaml").read_text(encoding="utf-8")


def golden_file(name):
    return GOLDEN / f"{name}.csv"


def netsim(*arguments):
    return subprocess.run([NETSIM, *map(str, arguments)], stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          timeout=600, env=machine.environment(NETSIM_DATA_DIR=SOURCE))


def run(name, directory):
    """What a scenario's run, or a sweep, prints: a JSON document, or CSV."""
    is_sweep = name.startswith(SWEEPS)
    command = ["sweep", "-j", "1", "--csv"] if is_sweep else ["run", "--format", "json"]
    done = netsim(*command, SOURCE / "scenarios" / f"{name}.yaml", "-q",
                  "--out", os.path.join(directory, name))
    if done.returncode not in ENDED:
        raise Wrong(f"{name}: netsim {command[0]} ended with {done.returncode}: "
                    f"{done.stderr.strip()}")
    if not is_sweep:
        keep_printed(name, done.stdout)
    return done.stdout


def keep_printed(name, text):
    if PRINTED.parent.name.startswith("build"):
        PRINTED.mkdir(exist_ok=True)
        (PRINTED / f"{name}.json").write_text(text, encoding="utf-8")


def run_fingerprint(series):
    """The fingerprint of a run from those of its series, as result_fingerprint_add (sim/measure/result.c) has it."""
    value, bits = 0, (1 << 64) - 1
    for one in series:
        value = (value + 0x9e3779b97f4a7c15 & bits) ^ int(one["fingerprint"], 16)
        value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & bits
        value = (value ^ value >> 27) * 0x94d049bb133111eb & bits
        value ^= value >> 31
    return f"{value:016x}"


def validated(name, directory):
    """The document of a scenario with the seed 1, with no new run of a series that test_cli_validate_shipped.py has run
    with this very program; None: it has kept nothing."""
    if not VALIDATED.exists():
        return None
    out = pathlib.Path(directory) / "validated" / name
    out.mkdir(parents=True)
    with sqlite3.connect(VALIDATED) as kept, sqlite3.connect(out / "sweep.sqlite") as runs:
        kept.backup(runs)
    done = netsim("sweep", "--seeds", "1", "-j", "1", "-q", SOURCE / "scenarios" / f"{name}.yaml", "--out", out)
    if done.returncode not in ENDED:
        return None
    with sqlite3.connect(out / "sweep.sqlite") as runs:
        series = [{"name": one, **json.loads(document)} for one, document in runs.execute(
            "select name, document from series join results using (key) order by series")]
    return {"scenario": name, "series": series, "run": {"seed": 1, "fingerprint": run_fingerprint(series)}}


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


def text_of(name, head, table):
    """A file of golden curves."""
    out = io.StringIO()
    out.write(f"# what scenarios/{name}.yaml gives; written by tests/golden/golden.py --record\n")
    out.writelines(f"# {line}\n" for line in head)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(table)
    return machine.masked(out.getvalue(), SOURCE=SOURCE)


def series_line(name, status, fingerprint, reason):
    return " ".join(["series", name + ":", status, fingerprint] + ([reason] if reason else []))


def golden_text(name, result):
    """A result as a file of golden curves."""
    head = ["fingerprint " + result["run"]["fingerprint"]]
    head += [series_line(series["name"], series["status"], series["fingerprint"],
                         (series["reason"] or {}).get("kind")) for series in result["series"]]
    return text_of(name, head, rows(result))


def sweep_text(scenario, text):
    """The CSV of a sweep as a file of golden curves. Each point's series is a series, named as
    `netsim compare` names it; a sweep has no fingerprint."""
    head, table = {}, []
    points = list(csv.DictReader(io.StringIO(text)))
    names = list(dict.fromkeys(row["series"] for row in points if row["series"]))
    columns = list(points[0])
    axes = columns[1:columns.index("seed")]
    if len({row["seed"] for row in points} - {""}) > 1:
        axes.append("seed")  # each replication is a series of its own
    for row in points:
        # A point that is not possible has one row, whatever series there are; its reason is a text.
        possible = row["status"] != "impossible"
        for name in [row["series"]] if possible else names:
            series = ", ".join([name] + [f"{axis}={row[axis]}" for axis in axes])
            head[series] = series_line(series, row["status"], "-",
                                       row["reason"] if possible else "")
        if row["value"]:
            rank = "" if row["rank"] == "all" else row["rank"]
            table.append([series, rank, row["size"], row["metric"], row["value"]])
    return text_of(scenario, head.values(), table)


def recorded(name, text):
    """What is kept of what a run or sweep printed."""
    if name.startswith(SWEEPS):
        return sweep_text(name, text)
    return golden_text(name, json.loads(text))


def is_validated(name, directory):
    """Whether the runs that test_cli_validate_shipped.py has kept give the golden curves of a scenario, to the byte."""
    document = None if name.startswith(SWEEPS) else validated(name, directory)
    if document is None or golden_text(name, document) != golden_file(name).read_text(encoding="utf-8"):
        return False
    keep_printed(name, json.dumps(document))
    return True


def differences(name, directory, dear=()):
    """How a scenario differs from its golden curves: text, or None if it does not. One of `dear` is not run where
    its runs are kept and do not differ."""
    if not golden_file(name).exists():
        return f"{name}: no golden curves: record them with tests/golden/golden.py --record {name}"
    if name in dear and is_validated(name, directory):
        return None
    is_sweep = name.startswith(SWEEPS)
    now = os.path.join(directory, name)
    try:
        text = run(name, directory)
    except Wrong as problem:
        return str(problem)
    if not is_sweep:
        now += ".json"
        pathlib.Path(now).write_text(text, encoding="utf-8")
    compared = netsim("compare", golden_file(name), now)
    if compared.returncode == 0 and (is_sweep or "fingerprints agree" in compared.stdout):
        return None
    told = "".join(line + "\n" for line in compared.stdout.splitlines()
                   if not line.startswith("same "))
    return f"{name} (a: golden, b: now):\n{told}{compared.stderr}"


def record(name, directory):
    """Keeps what a scenario gives; a complaint, or None."""
    try:
        text = recorded(name, run(name, directory))
    except Wrong as problem:
        return str(problem)
    golden_file(name).parent.mkdir(exist_ok=True)
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
