#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The constants on which a testbed's results depend most: the tables of docs/constants.md.

Makes each numeric constant of a testbed a tenth greater by itself, runs the testbed's scenarios, and prints by how much
the times change: the mean over all times of the change's size, and the greatest change. A count is made greater by one,
a burst is doubled, and a value at the end of its range is made a tenth less; changes are scaled to a tenth more. Fitted
constants are not fitted again. Rates of links and widths of buses are a standard's and left out, as are constants whose
value differs between the series of a scenario.

    examples/ranking.py                     the ten of each testbed
    examples/ranking.py config1 grim        of these
    examples/ranking.py --rows 20 x306      more of them
    examples/ranking.py grim --only host.bus.clock --only lanai9.clock
                                            of these constants alone

The program is $NETSIM, or the launcher next to this directory, or the one that is installed.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
LAUNCHER = SOURCE / "netsim"
NETSIM = os.environ.get("NETSIM", str(LAUNCHER) if LAUNCHER.is_file() else "netsim")
TENTH = 0.1
# Numbers that are no constants to measure: draws, bounds of a run, masks, and what a standard or an architecture gives.
NO_CONSTANTS = re.compile(r"(host\.phase|host\.noise|limits|workload|link)\.|.*\.plane_mask$|host\.(bus\.width|memory\.page)$")
BURST = re.compile(r".*\.(read_burst|vdma_read|bus_hold)$")  # powers of two
QUANTITY = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?) (.*)")
LARGER = {"ns": "us", "us": "ms", "ms": "s", "Hz": "kHz", "kHz": "MHz", "MHz": "GHz", "kB/s": "MB/s", "MB/s": "GB/s"}
SIZES = {"B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30}

FEW = ("workload.repetitions=2",)
# {testbed: (heading, scenarios as (name, series or none for all, settings))}
TESTBEDS = {
    "cluster1": ("Cluster 1", (
        ("pingpong_cluster1", (), FEW + ("workload.sizes=[1 B, 1 KiB, 64 KiB, 1 MiB]",)),
        ("bcast_cluster1", (), FEW + ("workload.sizes=[1 B, 64 KiB]",)))),
    "cluster2": ("Cluster 2", (
        ("pingpong_cluster2", (), FEW + ("workload.sizes=[1 B, 1 KiB, 64 KiB, 1 MiB]",)),
        ("bcast_cluster2", (), FEW + ("workload.sizes=[1 B, 64 KiB]",)))),
    "config1": ("Config-1", (
        ("armci_copy_and_send", (), ("workload.sizes=[60000 B, 395000 B]",)),
        ("armci_put_config1", (), ("workload.sizes=[524288 B, 1548800 B]",)),
        ("armci_get_config1", (), ("workload.sizes=[1548800 B]",)))),
    "config2": ("Config-2", (
        ("armci_put_config2", (), ("workload.sizes=[524288 B, 1548800 B]",)),
        ("armci_get_config2", (), ("workload.sizes=[1548800 B]",)))),
    "grim": ("The cards of thesis 003", (
        ("grim_scan", (), ()),
        ("grim_latency", (), ("workload.sizes=[0 B, 4096 B]",)),
        ("grim_remote_memory", (), ("workload.sizes=[4 B, 64 KiB]",)))),
    "intercept_system1": ("Intercept, system 1", (
        ("portals_pingpong_system1", (), ()),
        ("portals_bandwidth_system1", (), ("workload.sizes=[8 MiB]",)))),
    "intercept_system2": ("Intercept, system 2", (
        ("vdma_planes_system2", (), ("workload.sizes=[8 MB]",)),)),
    "intercept_scs": ("Intercept, SCS", (
        ("vdma_scs_reference", ("SCS",), ("workload.sizes=[8 MB]",)),)),
    "x306": ("The hosts of thesis 004", (
        ("osu_latency_x306", (), ("workload.sizes=[1 B, 16 KiB, 256 KiB]", "workload.loops=20", "workload.skip=4")),
        ("osu_bandwidth_x306", ("ch3:sock", "ch3:sctp", "ch3:sctp, CMT", "Open MPI, one", "Open MPI, two"),
         ("workload.sizes=[1 KiB, 1 MiB]",)),
        ("put_get_x306", ("put, ch3:sctp", "put, ch3:hybrid", "get, ch3:sctp", "get, ch3:hybrid"),
         ("workload.sizes=[1 KiB, 1 MiB]",)))),
}


class Refused(Exception):
    """The program's reason for not running a scenario with a setting."""


def run(scenario: tuple, *sets: str) -> tuple:
    """The times of a scenario, and its manifest."""
    name, series, own = scenario
    command = [NETSIM, "run", name, "-q", "--format", "csv"]
    command += [f"--series={one}" for one in series] + [f"--set={one}" for one in (*own, *sets)]
    with tempfile.TemporaryDirectory(prefix="netsim-ranking-") as out:
        done = subprocess.run([*command, "--out", out], check=False, capture_output=True, encoding="utf-8")
        if done.returncode:
            raise Refused(done.stderr)
        manifest = json.loads((pathlib.Path(out) / "manifest.json").read_text(encoding="utf-8"))
    rows = [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["size"] and row["value"]]
    times = [float(row["value"]) for row in rows if row["unit"] == "us"]
    return times or [1 / float(row["value"]) for row in rows if row["unit"] == "MB/s"], manifest


def times_as_much(path: str, value, factor: float) -> tuple:
    """A value times a factor, as text, and what the factor became. None of what is no positive number."""
    if isinstance(value, (bool, list)):
        return None, 1.0
    if isinstance(value, int):
        value = f"{value} "
    elif isinstance(value, float):
        return (f"{value * factor:.12g}", factor) if value > 0 else (None, 1.0)
    match = QUANTITY.fullmatch(value)
    if not match or not float(match[1]):
        return None, 1.0
    number, unit = float(match[1]) * SIZES.get(match[2], 1), "B" if match[2] in SIZES else match[2]
    if unit not in ("B", "cycles", "Hz", ""):
        return f"{number * factor:.12g} {unit}", factor
    whole = 2 * number if BURST.match(path) else round(number * factor)
    whole += (whole == number) * (1 if factor > 1 else -1)
    return f"{whole:.0f} {unit}".strip(), whole / number


def constants(manifest: dict) -> dict:
    """{path: value} of what all series of a scenario have alike."""
    found: dict = {}
    for series in manifest["series"]:
        switches = [("switch", one) for one in series["case"]["topology"]["switch_parameters"]]
        for section, table in [*series["case"]["parameters"].items(), *switches]:
            for key, entry in table.items():
                found.setdefault(f"{section}.{key}", []).append(entry["value"])
    return {path: values[0] for path, values in found.items()
            if all(value == values[0] for value in values) and not NO_CONSTANTS.match(path)}


def changes_of(scenario: tuple, base: list, path: str, value) -> list:
    """The change of each time for a tenth more. Empty if the scenario cannot run so."""
    reason = None
    for factor in (1 + TENTH, 1 - TENTH):
        other, factor = times_as_much(path, value, factor)
        if not other:
            return []
        try:
            moved, _ = run(scenario, f"{path}={other}")
        except Refused as refusal:
            reason = refusal
            if "nothing reads this" in str(refusal):
                break
            continue
        if len(moved) == len(base):
            return [(new / old - 1) * TENTH / (factor - 1) for new, old in zip(moved, base)]
    if reason:
        raise reason
    return []


def changes(testbed: str, only: tuple = ()) -> dict:
    """{path: (value, [change per time])}: of a constant that a scenario does not read its times do not change."""
    found: dict = {}
    times = 0
    for scenario in TESTBEDS[testbed][1]:
        base, manifest = run(scenario)
        unread = set()
        for path, value in constants(manifest).items():
            section = path.rpartition(".")[0]
            if section in unread or (only and path not in only):
                continue
            try:
                moved = changes_of(scenario, base, path, value)
            except Refused as refusal:
                if "nothing reads this: no series has" in str(refusal):
                    unread.add(section)
                elif "nothing reads this" not in str(refusal):
                    print(f"{scenario[0]}: {path} left out: {str(refusal).splitlines()[0]}", file=sys.stderr)
                continue
            found.setdefault(path, (value, [0.0] * times))[1].extend(moved)
        times += len(base)
        for _, moved in found.values():
            moved.extend([0.0] * (times - len(moved)))
    return found


def ranked(testbed: str, rows: int, only: tuple = ()) -> list:
    """(path, value, mean size of the changes, greatest change) of the constants that change most."""
    found = [(path, value, sum(map(abs, moved)) / len(moved), max(moved, key=abs))
             for path, (value, moved) in changes(testbed, only).items()]
    return sorted(found, key=lambda row: (-row[2], row[0]))[:rows]


def value_text(value) -> str:
    """In the unit that makes it short."""
    match = QUANTITY.fullmatch(str(value))
    if not match:
        return f"{value:.6g}" if isinstance(value, float) else str(value)
    number, unit = float(match[1]), match[2]
    while number >= 1000 and unit in LARGER:
        number, unit = number / 1000, LARGER[unit]
    return f"{number:.6g} {unit}"


def row_text(row: tuple) -> str:
    path, value, mean, most = row
    return f"| `{path}` | {value_text(value)} | {100 * mean:.2f} % | {100 * most:+.1f} % |"


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("testbed", nargs="*", choices=[[], *TESTBEDS], metavar="TESTBED", help=", ".join(TESTBEDS))
    parser.add_argument("--rows", type=int, default=10, help="constants per testbed (10)")
    parser.add_argument("--only", action="append", default=[], metavar="PATH", help="this constant (repeatable)")
    given = parser.parse_args()
    for testbed in given.testbed or TESTBEDS:
        print(f"**{TESTBEDS[testbed][0]}** (`{testbed}`)\n\n| constant | value | mean | at most |\n|---|---|---:|---:|")
        for row in ranked(testbed, given.rows, tuple(given.only)):
            print(row_text(row), flush=True)
        print()


if __name__ == "__main__":
    main()
