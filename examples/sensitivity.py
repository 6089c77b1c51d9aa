#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The effects of the constants that are chosen: the table of docs/constants.md.

Runs the shipped scenarios with other values of constants that no source prints and no fit finds, and
prints the results that the theses report, as a table in Markdown.

    examples/sensitivity.py             all rows
    examples/sensitivity.py copy_traffic mvich
                                        those whose constant has one of the words in it

The program is $NETSIM, or the launcher next to this directory, or the one that is installed.
"""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
LAUNCHER = SOURCE / "netsim"
NETSIM = os.environ.get("NETSIM", str(LAUNCHER) if LAUNCHER.is_file() else "netsim")
ABOVE_ONE_BUFFER = (524288, 720000, 996872, 1280000, 1548800, 1812608, 2097152)
SIZES_OF_LAM = tuple(2 ** i for i in range(23))


def sizes_set(sizes: tuple) -> str:
    return "workload.sizes=[" + ", ".join(f"{size} B" for size in sizes) + "]"


def run(scenario: str, sets: tuple, metric: str) -> dict:
    """{series: {size: value}} of a scenario."""
    with tempfile.TemporaryDirectory(prefix="netsim-sensitivity-") as out:
        command = [NETSIM, "run", scenario, "-q", "--format", "csv", "--out", out]
        for one in sets:
            command += ["--set", one]
        text = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    found: dict = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["metric"] == metric and row["value"]:
            found.setdefault(row["series"], {})[int(row["size"])] = float(row["value"])
    return found


def bus_rate(factor: float) -> str:
    """The rate of config-1's memory bus, as it ships, times a factor."""
    with tempfile.TemporaryDirectory(prefix="netsim-sensitivity-") as out:
        subprocess.run([NETSIM, "run", "armci_put_config1", "-q", "--out", out, "--set",
                        "workload.sizes=8 B"], check=True, capture_output=True)
        manifest = json.loads((pathlib.Path(out) / "manifest.json").read_text(encoding="utf-8"))
    value = manifest["series"][0]["case"]["parameters"]["host.memory"]["bus_rate"]["value"]
    number, unit = value.split(" ")
    return f"host.memory.bus_rate={float(number) * factor:g} {unit}"


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def bytes_text(size: int) -> str:
    return f"{size} B" if size < 1024 or size % 1024 else f"{size // 1024} KiB"


# ---- Results ----

def put_gains(sets: tuple) -> str:
    """Mean and best gain of the pipelined put on config-1."""
    times = run("armci_put_config1", (*sets, sizes_set(ABOVE_ONE_BUFFER)), "latency_us")
    gains = [times["current"][size] / times["pipelined"][size] - 1 for size in ABOVE_ONE_BUFFER]
    return (f"put on config-1 gains {percent(sum(gains) / len(gains))}, at best "
            f"{percent(max(gains))}")


def third_buffer(sets: tuple) -> str:
    """The most that a third buffer gains or loses."""
    times = run("armci_put_buffers", (*sets, sizes_set(ABOVE_ONE_BUFFER)), "latency_us")
    changes = [times["2 buffers"][size] / times["3 buffers"][size] - 1 for size in ABOVE_ONE_BUFFER]
    return f"a third buffer changes a put by {percent(max(changes, key=abs))}"


def one_buffer_put(sets: tuple) -> str:
    """The pipeline's gain where there is nothing to overlap."""
    sizes = (131072, 352800)
    times = run("armci_put_config1", (*sets, sizes_set(sizes)), "latency_us")
    gains = [times["current"][size] / times["pipelined"][size] - 1 for size in sizes]
    return f"a put within one buffer gains up to {percent(max(gains))}"


def sends(sets: tuple) -> str:
    """The column of sends against its straight line, 2.5 us + 10.2 ns/B."""
    times = run("armci_copy_and_send", sets, "latency_us")["send"]
    worst = max((time / (2.5 + 0.0102 * size) - 1 for size, time in times.items()), key=abs)
    return f"sends of figure 3.4 are up to {percent(worst)} off 2.5 us + 10.2 ns/B"


def mvich_ahead(sets: tuple) -> str:
    """Where MVICH is quicker than the VIA RPI, up to 64 KiB."""
    sizes = tuple(size for size in SIZES_OF_LAM if size <= 65536)
    times = run("pingpong_cluster1", (*sets, sizes_set(sizes)), "latency_us")
    ahead = [bytes_text(size) for size in sizes if times["MVICH"][size] < times["VIA RPI"][size]]
    return f"MVICH is ahead on cluster 1 at {', '.join(ahead) or 'no size'} (of 1 B to 64 KiB)"


def injection(sets: tuple) -> str:
    """How dear 5,000 and 6,000 null messages are, against few."""
    sets = (*sets, "workload.sizes=[1000, 5000, 6000]")
    times = run("grim_injection", sets, "overhead_us")["unbounded"]
    return (f"injection takes {times[5000] / times[1000]:.2f} times as long at 5,000 messages as at "
            f"1,000, {times[6000] / times[1000]:.2f} times at 6,000")


def cluster2(sets: tuple) -> str:
    """Cluster 2: the VIA RPI's time, TCP's lead over it, and which library is ahead."""
    times = run("pingpong_cluster2", (*sets, sizes_set(SIZES_OF_LAM)), "latency_us")
    mine = times["VIA RPI"]
    others = [name for name in ("MVICH", "LAM TCP", "MPICH") if name in times]
    ahead = [size for size in SIZES_OF_LAM if any(times[name][size] < mine[size] for name in others)]
    wide = [size for size in SIZES_OF_LAM if times["LAM TCP"][size] >= 1.25 * mine[size]]
    return (f"cluster 2: VIA RPI {mine[1]:.1f} us at 1 B, LAM TCP 25 % behind up to "
            f"{bytes_text(max(wide)) if wide else 'no size'}; the VIA RPI is not the first at "
            f"{len(ahead)} of {len(SIZES_OF_LAM)} sizes")


def small_area(sets: tuple) -> str:
    """A broadcast whose buffers just do not fit in addition to the default areas, and to smaller ones."""
    times = run("bcast_cluster2_small_area", (*sets, "workload.sizes=4 MiB"), "latency_us")
    default, small = (times[name][4 << 20] / 1000 for name in ("default area", "32 KiB area"))
    return (f"broadcasts of 4 MiB on cluster 2 with 8448 KiB to pin take {default:.1f} ms, with a "
            f"smaller area {small:.1f} ms")


def rates(scenario: str, series: tuple, sets: tuple) -> str:
    """The bandwidth of 100 MB or MiB, of some series."""
    found = run(scenario, sets, "bandwidth_MB_per_s")
    return ", ".join(f"{name} {next(iter(found[name].values())):.1f} MB/s" for name in series)


def system1(sets: tuple) -> str:
    return rates("portals_bandwidth_system1", ("VDMA", "client off by 4", "CB"), sets)


def system2(sets: tuple) -> str:
    return rates("vdma_planes_system2", ("1 plane", "2 planes", "looped, 1 plane"), sets)


def scs(sets: tuple) -> str:
    return rates("vdma_scs_reference", ("SCS",), sets)


def short_put(sets: tuple) -> str:
    """Means of 30 puts of 29 B with either build of the driver."""
    times = run("portals_pingpong_system1", sets, "latency_us")
    return (f"a put of 29 B takes {times['interrupt'][29]:.1f} us with interrupts, "
            f"{times['polling'][29]:.1f} us with polling")


# ---- Constants: the settings of each value ("" is what ships), and the results read ----

# A copy alone takes all of the memory in the first and the third row, so the bus is faster.
ROWS = (
    ("`host.memory.copy_traffic` of config-1", (put_gains,), (
        ("2 (ships)", ()),
        ("2, and a bus 20 % faster", (lambda: bus_rate(1.2),)),
        ("3, and a bus 50 % faster", ("host.memory.copy_traffic=3", lambda: bus_rate(1.5))))),
    ("`gm.refused_interval`", (third_buffer, put_gains), (
        ("100 us (ships)", ()),
        ("500 us", ("gm.refused_interval=500 us",)),
        ("1 ms", ("gm.refused_interval=1 ms",)))),
    ("`gm.send_buffers`, `gm.receive_buffers`", (sends, put_gains), (
        ("4 and 4 (ships)", ()),
        ("2 and 2", ("gm.send_buffers=2", "gm.receive_buffers=2")))),
    ("`armci.put_returns`", (put_gains, one_buffer_put), (
        ("`after_last_ack` (ships)", ()),
        ("`after_last_send`", ("armci.put_returns=after_last_send",)))),
    ("`mvich.rendezvous_threshold`", (mvich_ahead,), (
        ("5000 B (ships)", ()),
        ("4 KiB", ("mvich.rendezvous_threshold=4 KiB",)),
        ("16 KiB", ("mvich.rendezvous_threshold=16 KiB",)))),
    ("`lam_via.pieces`", (cluster2, small_area), (
        ("`one_by_one` (ships)", ()),
        ("`as_descriptors_go`", ("lam_via.pieces=as_descriptors_go",)))),
    ("`host.memory.pin_page`, `unpin_page`", (small_area,), (
        ("900 and 540 cycles (ships)", ()),
        ("1800 and 1080 cycles", ("host.memory.pin_page=1800 cycles",
                                  "host.memory.unpin_page=1080 cycles")),
        ("4000 and 2400 cycles", ("host.memory.pin_page=4000 cycles",
                                  "host.memory.unpin_page=2400 cycles")))),
    ("`mvia.refusal`", (small_area,), (
        ("`rolls_back` (ships)", ()),
        ("`before_pages`", ("mvia.refusal=before_pages",)))),
    ("`grim_ni.queue`", (injection,), (
        ("160,000 B (ships)", ()),
        ("128 KiB", ("grim_ni.queue=128 KiB",)),
        ("256 KiB", ("grim_ni.queue=256 KiB",)))),
    ("`host.bus.read_burst` of intercept_system1", (system1,), (
        ("64 B (ships)", ()),
        ("128 B", ("host.bus.read_burst=128 B",)),
        ("256 B", ("host.bus.read_burst=256 B",)))),
    ("`host.bus.read_burst` of intercept_scs", (scs,), (
        ("256 B (ships)", ()),
        ("128 B", ("host.bus.read_burst=128 B",)),
        ("512 B", ("host.bus.read_burst=512 B",)))),
    ("`host.bus.read_burst` of intercept_system2", (system2,), (
        ("1 KiB (ships)", ()),
        ("512 B", ("host.bus.read_burst=512 B",)),
        ("4 KiB", ("host.bus.read_burst=4 KiB",)))),
    ("`intercept.vdma_read`", (system2,), (
        ("1 KiB (ships)", ()),
        ("512 B", ("intercept.vdma_read=512 B",)))),
    ("`intercept.vdma_payload`, `header`", (system2,), (
        ("512 and 20 B (ships)", ()),
        ("256 and 12 B", ("intercept.vdma_payload=256 B", "intercept.header=12 B")))),
    ("`portals.first`, with `portals.cold` as fitted with 60 us", (short_put,), (
        ("60 us (ships)", ()),
        ("0", ("portals.first=0 us",)),
        ("80 us", ("portals.first=80 us",)))),
    ("`switch.latency` of cluster 2", (cluster2,), (
        ("8 us (ships)", ()),
        ("3 us", ("switch.latency=3 us",)),
        ("25 us", ("switch.latency=25 us",)))),
)


def main() -> int:
    words = sys.argv[1:]
    rows = [row for row in ROWS if not words or any(word in row[0] for word in words)]
    if not rows:
        print(f"no constant has {' or '.join(words)} in its name", file=sys.stderr)
        return 1
    print("| constant | value | what comes out |\n|---|---|---|")
    for constant, looks, values in rows:
        for value, sets in values:
            sets = tuple(one() if callable(one) else one for one in sets)
            told = "; ".join(look(sets) for look in looks)
            print(f"| {constant} | {value} | {told} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
