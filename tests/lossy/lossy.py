#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random runs of every stack while links lose, damage and interrupt.

A run is a random benchmark or program on a random machine with random faults, all drawn from SEED and the
run's number. Whatever is lost, a run must end by itself: completed (exit code 0), with messages missing (2)
or failed (3), without a signal or a report of a sanitizer, and with every message accounted for. A run that
does not is kept as a scenario, and the command that shows it again is printed.

    lossy.py --netsim build-sanitize/netsim --runs 2000 --seed 1 --jobs 2 --keep /tmp/lossy

With --against, another build has to come to the same results: a field that is never set, and memory that is
read after it was freed, hold something else there.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

MPI = ["pmb.pingpong", "pmb.sendrecv", "pmb.exchange", "pmb.bcast", "pmb.reduce", "pmb.allreduce",
       "pmb.allgather", "pmb.alltoall", "pmb.barrier", "program"]
NATIVE = ["native.pingpong"]
# A stack's testbeds, benchmarks, and most hosts.
Stack = collections.namedtuple("Stack", "testbeds benchmarks hosts")
ETHERNET = ["cluster1", "cluster2"]
MYRINET = ["config1", "config2"]
INTERCEPT = ["intercept_switches"]
STACKS = {
    "lam_via": Stack(ETHERNET, MPI, 5),
    "mvich": Stack(ETHERNET, MPI, 5),
    "mvia": Stack(ETHERNET, NATIVE, 2),
    "lam_tcp": Stack(ETHERNET, MPI, 5),
    "mpich_p4": Stack(ETHERNET, MPI, 5),
    "ch3_sock": Stack(ETHERNET, MPI, 5),
    "ch3_sctp": Stack(ETHERNET, MPI, 5),
    "ch3_hybrid": Stack(ETHERNET, MPI, 5),
    "iwarp": Stack(ETHERNET, NATIVE, 2),
    "openmpi_tcp": Stack(ETHERNET, MPI, 5),
    "openmpi5_tcp": Stack(ETHERNET, MPI, 5),
    "mpich4_sock": Stack(ETHERNET, MPI, 5),
    "tcp": Stack(ETHERNET, NATIVE, 2),
    "sctp": Stack(ETHERNET, NATIVE, 2),
    "gm": Stack(MYRINET, ["gm.allsize.latency", "gm.allsize.one_way", "gm.allsize.both_ways", "program"],
                4),
    "armci": Stack(MYRINET, ["armci.put", "armci.get", "armci.accumulate", "program"], 4),
    "grim": Stack(["grim"], ["grim.latency", "grim.remote", "grim.inject", "program"], 4),
    "intercept_vdma": Stack(INTERCEPT, ["vdma.transfer", "program"], 4),
    "portals": Stack(INTERCEPT, ["portals.put", "portals.pingpong", "program"], 4),
}
# Most runs lose less than this; a tenth may lose all.
MOST_LOSS = 0.5

SIZES = [0, 1, 4, 7, 100, 1024, 1459, 1460, 1461, 3000, 4096, 4097, 16384, 20000]
TIMEOUT_S = 120


def size(draw):
    value = draw.choice(SIZES) if draw.random() < 0.8 else draw.randrange(0, 70000)
    return f"{value} B"


def log_uniform(draw, low, high):
    return low * (high / low) ** draw.random()


def some(draw, share):
    return draw.random() < share


# ---- The machine ----

# Buses may be faster than their clock, and FIFOs too short for a frame that waits for its threshold.
WHAT_IF = ["bus_rate", "memory_bus", "tcp_fifo", "sctp_fifo", "mvia_fifo"]


def links(draw, testbed, hosts, two):
    """The items of `links`: a star, or two switches with one or two cables between them."""
    cable = {"rate": "100 Mb/s"}
    if testbed not in ETHERNET:
        cable = {"rate": "1280 Mb/s", "propagation": "15 ns", "preamble": "0 B", "gap": "1 B",
                 "least_frame": "0 B"}
    if not two:
        return [{"from": "node", "to": "left", **cable}]
    half = draw.randrange(1, hosts)

    def those(first, last):
        return f"node{first}" if first == last else f"node{first}..{last}"
    return [{"from": those(0, half - 1), "to": "left", **cable},
            {"from": those(half, hosts - 1), "to": "right", **cable},
            {"from": "left", "to": "right", "count": draw.randrange(1, 3), **cable}]


def planes(draw, hosts):
    """Hosts on one to four planes, each a network of its own: its switches and links."""
    count = draw.randrange(1, 5)
    cable = {"rate": "2 Gb/s", "window": draw.choice([0, 1, 7, 7])}
    if hosts == 2 and some(draw, 0.4):
        return {"switches": [], "links": [{"from": "node0", "to": "node1", "count": count, **cable}],
                "vdma_handler": {"self_connect": False}}
    return {"switches": [{"name": "plane", "count": count}],
            "links": [{"from": "node", "to": "plane", **cable}]}


def nth(draw):
    return sorted({int(log_uniform(draw, 1, 300)) for _ in range(draw.randrange(1, 8))})


def windows(draw):
    result, at = [], 0
    for _ in range(draw.randrange(1, 4)):
        start = at + int(log_uniform(draw, 10, 50000))
        at = start + int(log_uniform(draw, 1, 50000))
        result.append({"from": f"{start} us", "to": f"{at} us"})
    return result


def faults(draw):
    most = 1 if some(draw, 0.1) else MOST_LOSS
    kinds = {
        "drop_probability": lambda: round(min(most, log_uniform(draw, 3e-3, 1.2)), 6),
        "drop_nth": lambda: nth(draw),
        "corrupt_nth": lambda: nth(draw),
        "bit_error_rate": lambda: float(f"{log_uniform(draw, 1e-7, 1e-4):.3g}"),
        "down": lambda: windows(draw),
    }
    chosen = draw.sample(sorted(kinds), draw.choice([1, 1, 1, 2, 2, 3]))
    result = {kind: kinds[kind]() for kind in chosen}
    if some(draw, 0.3):
        result["fault_direction"] = draw.choice(["forward", "backward"])
    if "down" in result and some(draw, 0.3):
        result["down_direction"] = draw.choice(["forward", "backward"])
    return result


def disorder(draw):
    """Faults of links whose packets need not arrive once and in order."""
    kinds = {
        "duplicate_probability": lambda: round(log_uniform(draw, 3e-3, 1), 6),
        "duplicate_nth": lambda: nth(draw),
        "reorder_probability": lambda: round(log_uniform(draw, 3e-3, 0.5), 6),
        "reorder_nth": lambda: nth(draw),
        "jitter": lambda: f"{int(log_uniform(draw, 1, 3000))} us",
    }
    result = {kind: kinds[kind]() for kind in draw.sample(sorted(kinds), draw.choice([1, 1, 2, 3]))}
    if some(draw, 0.7):
        result["reorder_delay"] = f"{int(log_uniform(draw, 1, 20000))} us"
    return result


def ethernet(draw, sections):
    """Queues, rings, FIFOs and buses that may be too small or too slow; cables that mix frames up."""
    if some(draw, 0.4):
        if some(draw, 0.4):
            sections["link"] = {}
        sections["link"].update(disorder(draw))
    if some(draw, 0.3):
        sections["switch"].update(draw.choice([{"queue": draw.randrange(1, 20)},
                                               {"queue_bytes": f"{draw.randrange(1600, 20000)} B"}]))
    card = {}
    if some(draw, 0.3):
        card["tx_ring"] = draw.randrange(2, 16)
    if some(draw, 0.3):
        card["rx_ring"] = draw.randrange(2, 16)
    if some(draw, 0.3):
        card["tx_threshold"] = f"{draw.randrange(1, 1600)} B"
    if some(draw, 0.2):
        card["tx_fifo"] = f"{draw.randrange(64, 4096)} B"
    if some(draw, 0.3):
        card["completion"] = draw.choice(["sent", "loaded"])
    if some(draw, 0.2):
        card["coalesce_frames"] = draw.randrange(2, 10)
        card["coalesce_delay"] = f"{draw.randrange(1, 500)} us"
    sections["nic"] = draw.choice(["eepro100", "tulip", "em82547gi", "em82541gi"])
    if sections["nic"].startswith("em"):
        card["largest_frame"] = "1514 B"
        card["rx_fifo"] = f"{draw.randrange(2, 20)} KiB"
    sections[sections["nic"]] = card


def machine(draw, stack, testbed, hosts):
    two = hosts > 1 and some(draw, 0.4)
    sections = {
        "testbed": f"testbeds/{testbed}.yaml",
        "what_if": WHAT_IF,
        "hosts": [{"name": "node", "count": hosts}],
        "switch": {"ports": 8},
        "switches": [{"name": "left"}] + ([{"name": "right"}] if two else []),
        "links": links(draw, testbed, hosts, two),
        "link": faults(draw),
        "host": {"bus": {}},
    }
    bus = sections["host"]["bus"]
    if some(draw, 0.3):
        bus["rate"] = f"{int(log_uniform(draw, 1000, 264000))} kB/s"
    if some(draw, 0.2):
        bus["read_setup"] = round(log_uniform(draw, 0.3, 1000), 2)
        bus["write_setup"] = bus["read_setup"] / 2
    if some(draw, 0.2):
        sections["host"]["memory"] = {"bus_rate": f"{draw.randrange(100, 1000)} MB/s"}
    if testbed in ETHERNET:
        ethernet(draw, sections)
    if testbed in INTERCEPT:
        sections.update(planes(draw, hosts))
        if not sections["switches"]:
            del sections["switch"]
            if sections["links"][0]["window"] == 0 and some(draw, 0.6):
                sections["link"].update(disorder(draw))
    return sections


# ---- What is done ----

def ring(draw, ranks):
    bytes_, tag = size(draw), draw.randrange(3)
    send = draw.choice(["isend", "issend"])
    right, left = f"(rank + 1) % {ranks}", f"(rank - 1) % {ranks}"
    both = [{"irecv": {"from": left, "size": bytes_, "tag": tag, "request": "in"}},
            {send: {"to": right, "size": bytes_, "tag": tag, "request": "out"}},
            {"waitall": "all"}]
    return {"all": both}


def pair(draw, ranks):
    source, target = draw.sample(range(ranks), 2)
    bytes_ = size(draw)
    receive = {"recv": {"from": draw.choice([source, "any"]), "size": bytes_}}
    before = [{"probe": {"from": source}}] if some(draw, 0.2) else []
    if some(draw, 0.3):
        before.append({"compute": f"{draw.randrange(1, 3000)} us"})
    return {source: [{draw.choice(["send", "ssend"]): {"to": target, "size": bytes_}}],
            target: before + [receive]}


def fan_in(draw, ranks):
    root, bytes_ = draw.randrange(ranks), size(draw)
    others = [rank for rank in range(ranks) if rank != root]
    result = {rank: [{"send": {"to": root, "size": bytes_}}] for rank in others}
    result[root] = [{"recv": {"from": "any", "size": bytes_}} for _ in others]
    return result


def exchange(draw, ranks):
    bytes_ = size(draw)
    return {"all": [{"sendrecv": {"to": f"(rank + 1) % {ranks}", "from": f"(rank - 1) % {ranks}",
                                  "size": bytes_}}]}


def collective(draw, ranks):
    kind = draw.choice(["barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather",
                        "alltoall"])
    if kind == "barrier":
        return {"all": ["barrier"]}
    if kind in ("allreduce", "allgather", "alltoall"):
        return {"all": [{kind: size(draw)}]}
    return {"all": [{kind: {"root": draw.randrange(ranks), "size": size(draw)}}]}


def native_pair(draw, ranks):
    source, target = draw.sample(range(ranks), 2)
    bytes_ = size(draw)
    return {source: [{"send": {"to": target, "size": bytes_}}],
            target: [{"recv": {"from": source, "size": bytes_}}]}


def one_sided(draw, ranks):
    source, target = draw.sample(range(ranks), 2)
    kind = draw.choice(["put", "accumulate", "get", "fetch_add", "lock", "fence", "strided"])
    some_bytes = f"{draw.randrange(1, 9000)} B"
    operations = {
        "put": [{"put": {"to": target, "size": some_bytes}}],
        "accumulate": [{"accumulate": {"to": target, "size": some_bytes}}],
        "get": [{"get": {"from": target, "size": some_bytes}}],
        "fetch_add": [{"fetch_add": target}],
        "lock": [{"lock": target}, {"unlock": target}],
        "fence": [{"fence": draw.choice([target, "all"])}],
        "strided": [{draw.choice(["put", "accumulate"]): {"to": target, "strided": {
            "counts": [f"{draw.randrange(1, 500)} B", draw.randrange(1, 20)],
            "strides": ["600 B"]}}}],
    }
    return {source: operations[kind]}


def fenced(draw, ranks):
    return {"all": [{"fence": "all"}, "barrier"]}


def active(draw, ranks):
    source, target = draw.sample(range(ranks), 2)
    handler = draw.choice(["nop", "reply"])
    message = {"active_message": {"to": target, "size": size(draw), "handler": handler}}
    return {source: [message] + ([{"poll": 1}] if handler == "reply" else []), target: [{"poll": 1}]}


def remote(draw, ranks):
    source, target = draw.sample(range(ranks), 2)
    some_bytes = f"{draw.randrange(1, 9000)} B"
    return {source: [draw.choice([{"put": {"to": target, "size": some_bytes}},
                                  {"get": {"from": target, "size": some_bytes}}])]}


def raw_vdma(draw, ranks):
    source, target = draw.sample(range(ranks), 2)
    some_bytes = f"{8 * draw.randrange(3, 9000)} B"
    return {source: [draw.choice([{"vdma_write": {"to": target, "size": some_bytes}},
                                  {"vdma_read": {"from": target, "size": some_bytes}}])]}


def portals(draw, ranks):
    source, target = draw.sample(range(ranks), 2)
    put = {"put": {"to": target, "size": size(draw), "ack": some(draw, 0.3)}}
    get = {"get": {"from": target, "size": f"{draw.randrange(1, 8000)} B"}}
    return {source: [get if some(draw, 0.3) else put]}


ROUNDS = {
    "intercept_vdma": [raw_vdma],
    "portals": [portals],
    "gm": [native_pair],
    "armci": [one_sided, one_sided, fenced, native_pair],
    "grim": [active, remote, pair, lambda draw, ranks: {"all": ["barrier"]}],
}


def program(draw, name, ranks):
    parts = []
    for _ in range(draw.randrange(1, 16)):
        choices = ROUNDS.get(name, [ring, pair, fan_in, exchange, collective])
        for who, do in draw.choice(choices)(draw, ranks).items():
            parts.append({"ranks": who, "do": do})
    if name == "portals":
        parts.insert(0, {"ranks": "all", "do": [{"attach": {"size": "1 MiB", "truncate": True}},
                                                {"compute": "1 ms"}]})
    if name in ("armci", "grim"):
        parts.append({"ranks": "all", "do": ["barrier"]})
    return {"ranks": ranks, "program": parts}


def benchmark(draw, stack, name, hosts):
    kind = draw.choice(stack.benchmarks)
    if kind == "program":
        return program(draw, name, hosts)
    workload = {"benchmark": kind, "repetitions": draw.randrange(1, 12)}
    if kind == "grim.inject":
        workload["sizes"] = [draw.randrange(1, 60)]
    elif kind == "portals.pingpong":
        workload["sizes"] = ["29 B"]
    elif kind.startswith(("armci.", "grim.remote", "vdma.")):
        workload["sizes"] = [f"{4 * draw.randrange(1, 5000)} B"]
    elif kind != "pmb.barrier":
        workload["sizes"] = [size(draw) for _ in range(draw.randrange(1, 4))]
    if kind.startswith("pmb.") and kind != "pmb.pingpong":
        workload["ranks"] = hosts
    if kind == "armci.put" and some(draw, 0.4):
        workload["layout"] = "strided"
        workload["sizes"] = [f"{(8 * draw.randrange(1, 9)) ** 2 * 8} B"]
    if kind == "grim.remote":
        workload["operation"] = draw.choice(["write", "read"])
        workload["notify"] = draw.choice(["inside", "second"])
    return workload


def scenario(seed, number):
    """The scenario of one run, and its seed."""
    draw = random.Random(f"{seed}/{number}")
    name = sorted(STACKS)[number % len(STACKS)]
    stack = STACKS[name]
    hosts = draw.randrange(2, stack.hosts + 1)
    workload = benchmark(draw, stack, name, hosts)
    if "program" not in workload and "ranks" not in workload:
        hosts = 2
    result = {"schema": 1, "name": f"lossy{number}", "stack": name,
              **machine(draw, stack, draw.choice(stack.testbeds), hosts), "workload": workload}
    if name == "grim" and some(draw, 0.5):
        result["grim_ni"] = {"timeouts": True}
    return result, draw.randrange(1, 1 << 30)


# ---- Running ----

def series_of(done):
    """The result of a run; None if it has written none."""
    try:
        return json.loads(done.stdout)["series"][0]
    except (ValueError, LookupError):
        return None


def problem_of(done):
    """The problem with the end of a run; None if there is none."""
    if done.returncode not in (0, 2, 3):
        return f"exit code {done.returncode}"
    if "Sanitizer" in done.stderr or "runtime error" in done.stderr:
        return "a sanitizer's report"
    series = series_of(done)
    if not series:
        return "no result as JSON"
    books = series["ledger"]
    declined = books.get("declined", 0)
    if books["delivered"] + books["lost"] + books["open"] + declined != books["messages"]:
        return f"messages that are nowhere: {books}"
    if min(books.values()) < 0:
        return f"a negative count: {books}"
    if done.returncode != 3 and books["balanced"] != (done.returncode == 0):
        return f"exit code {done.returncode} with {books}"
    if {"completed": 0, "lost": 2}.get(series["status"], 3) != done.returncode:
        return f"exit code {done.returncode} of a run that is {series['status']}"
    return None


def run_once(netsim, file, seed, results):
    return subprocess.run([netsim, "run", file, "--seed", str(seed), "--format", "json", "-q",
                           "--out", results], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, errors="replace")


def run(options, directory, number):
    """Makes one run: (number, exit code, problem or None, its file and seed, its stderr)."""
    content, seed = scenario(options.seed, number)
    file = os.path.join(directory, f"lossy{number}.yaml")
    results = os.path.join(directory, f"results{number % (2 * options.jobs)}")
    with open(file, "w", encoding="utf-8") as out:
        json.dump(content, out, indent=1)
    try:
        done = run_once(options.netsim, file, seed, results)
        code, problem, text = done.returncode, problem_of(done), done.stderr
        if options.against and not problem:
            other = run_once(options.against, file, seed, results)
            if (other.returncode, series_of(other)) != (code, series_of(done)):
                problem = f"{options.against} comes to another result"
    except subprocess.TimeoutExpired:
        code, problem, text = None, f"still runs after {TIMEOUT_S} s", ""
    if not problem:
        os.unlink(file)
    return number, code, problem, f"{file} --seed {seed}", text


def run_all(options, directory):
    """Makes all runs; the number of those that went wrong."""
    wrong, ends = 0, collections.Counter()
    numbers = range(options.first, options.first + options.runs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, code, problem, what, text in pool.map(
                lambda number: run(options, directory, number), numbers):
            ends[code] += 1
            if problem:
                wrong += 1
                print(f"run {number}: {problem}: {options.netsim} run {what}", flush=True)
                print("    " + "\n    ".join(text.splitlines()[:12]), flush=True)
    print(f"{options.runs} runs, exit codes " +
          ", ".join(f"{code}: {count}" for code, count in sorted(ends.items(), key=str)) +
          f"; {wrong} went wrong")
    return wrong


def unknown_stacks(netsim):
    """The stacks that exist and are not drawn here, or the reverse."""
    listed = subprocess.run([netsim, "list", "stacks", "--names"], capture_output=True, text=True,
                            check=True)
    return set(listed.stdout.split()) ^ set(STACKS)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--netsim", default=os.environ.get("NETSIM", "build/netsim"))
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--against", help="another build, whose results must be the same")
    parser.add_argument("--keep", help="directory for the scenarios of runs that went wrong")
    options = parser.parse_args()
    options.netsim = os.path.abspath(options.netsim)
    options.against = options.against and os.path.abspath(options.against)
    unknown = unknown_stacks(options.netsim)
    if unknown:
        sys.exit(f"lossy.py does not know what to draw for {', '.join(sorted(unknown))}: STACKS")
    with tempfile.TemporaryDirectory(prefix="netsim-lossy-") as temporary:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        return 1 if run_all(options, options.keep or temporary) else 0


if __name__ == "__main__":
    sys.exit(main())
