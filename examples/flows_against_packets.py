#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows against packets: the tables of docs/flows.md.

Runs scenarios/flow_*.yaml, whose series are on packets and, with `on flows' after the name, on flows, and prints
by how much flows are off, or how many times as long packets take, as tables in Markdown.

    examples/flows_against_packets.py                     all tables
    examples/flows_against_packets.py collectives         that of flow_collectives.yaml
    examples/flows_against_packets.py --simgrid [TABLE...] with SimGrid in place of the device of flows

The program is $NETSIM, or the launcher next to this directory, or the one that is installed.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
LAUNCHER = SOURCE / "netsim"
NETSIM = os.environ.get("NETSIM", str(LAUNCHER) if LAUNCHER.is_file() else "netsim")
FLOWS = " on flows"
ENDED = (0, 2, 3)  # a program that fails on packets, as it should, leaves results too
BETWEEN = (3, 11, 48, 100, 192, 400, 750, 1500, 3000, 6000, 12000, 24000, 48000, 96000, 200000, 750000, 3000000)
SIMGRID = "--simgrid"
PLAYER = []  # settings
LAPS = ("1KiB", "4KiB", "16KiB", "64KiB", "256KiB", "1MiB")


def run(scenario: str, *sets: str) -> dict:
    """{series: its part of the JSON of a run}."""
    with tempfile.TemporaryDirectory(prefix="netsim-flows-") as out:
        command = [NETSIM, "run", str(SOURCE / "scenarios" / f"{scenario}.yaml"), "-q", "--format", "json", "--out", out]
        for one in (*PLAYER, *sets):
            command += ["--set", one]
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode not in ENDED:
        sys.exit(done.stderr.strip())
    return {series["name"]: series for series in json.loads(done.stdout)["series"]}


def points(series: dict) -> dict:
    """{size: latency}; none if it failed."""
    return {point["size_bytes"]: point["latency_us"] for point in series["points"]
            if series["status"] == "completed"}


def values(series: dict, rank: int) -> dict:
    """{metric: value} of a rank; none if it failed."""
    return {value["metric"]: value["value"] for value in series["values"]
            if value["rank"] == rank and series["status"] == "completed"}


def size_text(size: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def off(flow: float, packet: float) -> str:
    return f"{100 * (flow / packet - 1):+.1f}"


def names(series: dict) -> list:
    return [name for name in series if not name.endswith(FLOWS)]


def table(head: list, rows: list) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


# ---- Tables ----

def worst(flow: dict, packet: dict) -> str:
    size = max(packet, key=lambda one: abs(flow[one] / packet[one] - 1))
    return f"{100 * (flow[size] / packet[size] - 1):+.2f} at {size_text(size)}"


def pingpong() -> str:
    measured = run("flow_pingpong")
    between = run("flow_pingpong", "workload.sizes=[" + ", ".join(f"{size} B" for size in BETWEEN) + "]")
    return table(["PingPong, % of packets", "at points of the curve, at most", "between them, at most"],
                 [[name] + [worst(points(one[name + FLOWS]), points(one[name])) for one in (measured, between)]
                  for name in names(measured)])


def laps(scenario: str, ranks: tuple) -> list:
    series = run(scenario)
    rows = []
    for name in names(series):
        packet, flow = ([values(series[one], rank) for rank in ranks] for one in (name, name + FLOWS))
        rows.append([f"{scenario.removeprefix('flow_')}, {name}"] + [
            max((off(two[metric], one[metric]) for one, two in zip(packet, flow)), key=lambda text: abs(float(text)))
            for metric in (f"of_{lap}_mean_us" for lap in LAPS)])
    return rows


def shared() -> str:
    return table(["a round, % of packets"] + [lap.replace("KiB", " KiB").replace("MiB", " MiB") for lap in LAPS],
                 laps("flow_trunk", (2, 3)) + laps("flow_incast", (0,)))


def by_size(series: dict, what: str) -> str:
    sizes = sorted({size for one in series.values() for size in points(one)})
    rows = []
    for name in names(series):
        packet, flow = points(series[name]), points(series[name + FLOWS])
        rows.append([name] + [off(flow[size], packet[size]) if size in packet else "-" for size in sizes])
    return table([what] + [size_text(size) for size in sizes], rows)


def collectives() -> str:
    return by_size(run("flow_collectives"), "flows, % of packets")


def exchange() -> str:
    series = run("flow_exchange")
    sizes = sorted(points(series["32 KiB"]))
    return table(["Exchange with transfers of"] + [f"{size_text(size)}, packets (us), flows" for size in sizes],
                 [[name] + [f"{points(series[name])[size]:.0f}, "
                            f"{off(points(series[name + FLOWS])[size], points(series[name])[size])} %"
                            for size in sizes] for name in names(series)])


def bcast() -> str:
    series = run("flow_bcast_tcp")
    return table(["broadcast over TCP, us"] + [size_text(size) for size in sorted(points(series["LAM TCP"]))],
                 [[name] + [f"{value:.0f}" for _, value in sorted(points(one).items())]
                  for name, one in series.items()])


def replay() -> str:
    series = run("flow_cg")
    rows = []
    for name in names(series):
        packet, flow = (max(values(series[one], rank)["program_us"] for rank in range(8))
                        for one in (name, name + FLOWS))
        rows.append([name, f"{packet / 1000:.2f}", f"{flow / 1000:.2f}", off(flow, packet)])
    return table(["replay of traces/cg_8", "packets, ms", "flows, ms", "%"], rows)


def overrun() -> str:
    """How many times as long packets take."""
    series = run("flow_overrun")
    places, rows = (128, 32, 16, 8), []
    for name in [name.removesuffix(FLOWS) for name in series if name.endswith(FLOWS)]:
        flow = values(series[name + FLOWS], 0)["round_mean_us"]
        row = [name, f"{flow:.0f}"]
        for count in places:
            one = series.get(f"{name}, {count} places", series.get(name) if count == 128 else None)
            ended = values(one, 0) if one else {}
            row.append(f"{ended['round_mean_us'] / flow:.1f}" if ended else one["reason"]["kind"] if one else "-")
        rows.append(row)
    return table(["senders x size", "flows, us a round"] + [f"packets, {count} places" for count in places], rows)


TABLES = {"pingpong": pingpong, "shared": shared, "collectives": collectives, "exchange": exchange, "bcast": bcast,
          "replay": replay, "overrun": overrun}


def main(words: list) -> int:
    if SIMGRID in words:
        words.remove(SIMGRID)
        PLAYER.append("flow=simgrid")
    unknown = [word for word in words if word not in TABLES]
    if unknown:
        print(f"no table is called {unknown[0]} (known: {', '.join(TABLES)})", file=sys.stderr)
        return 1
    print("\n".join(TABLES[name]() for name in words or TABLES), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
