#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the time of a one-way PingPong message goes, from a timeline.

    netsim run scenarios/pingpong_cluster1.yaml --set workload.sizes='1 B' \\
        --set workload.repetitions=3 --trace trace.json
    plots/breakdown.py trace.json [SERIES]

Walks back from the moment at which the last pong's receive returned control to the program of rank 0 through the spans
that led to it: the receiver's processors, its bus, the wires, the sender's bus, the sender's processor. What lies between two
spans is latency: propagation, switching, the card, the interrupt line, rounding of a poll. Prints a table of stage, where, time.
"""
import collections
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def lanes_of(events, series):
    names, threads = {}, {}
    for event in events:
        if event["ph"] != "M":
            continue
        if event["name"] == "process_name":
            names[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    prefix = series + ": "
    return {
        key: (names[key[0]][len(prefix):], lane)
        for key, lane in threads.items()
        if names[key[0]].startswith(prefix)
    }


def spans_of(events, lanes):
    spans = []
    for event in events:
        key = (event.get("pid"), event.get("tid"))
        if event["ph"] == "X" and key in lanes:
            group, lane = lanes[key]
            spans.append((event["ts"], event["ts"] + event["dur"], group, lane, event["name"]))
    return spans


def last_before(spans, when, wanted):
    best = None
    for span in spans:
        if span[1] <= when + 1e-6 and wanted(span) and (best is None or (span[1], span[0]) > (best[1], best[0])):
            best = span
    return best


def walk(spans, end, start):
    """Stages as (name, microseconds), backwards from `end` to `start`."""
    def host(name, lane):
        return lambda span: span[2] == name and span[3].startswith(lane)

    phases = [
        (host("node0", "cpu"), "interrupt"),
        (host("node0", "bus"), None),
        (lambda span: "wire" in span[3] and "node0" in span[3].split("->")[-1], None),
        (lambda span: "wire" in span[3] and "node1" in span[3].split("->")[0], None),
        (host("node1", "bus"), None),
        (host("node1", "cpu"), None),
    ]
    gaps = ["card to processor", "card", "switch", "card", "doorbell to card", "-"]
    stages, at = [], end
    for index, (wanted, stop) in enumerate(phases):
        while True:
            span = last_before(spans, at, wanted)
            if span is None or span[1] < start - 1e-6:
                break
            gap = at - span[1]
            if gap > 1e-6:
                previous = gaps[index - 1] if index and not stages_in(stages, index) else "waiting"
                stages.append((index, previous, gap))
            stages.append((index, span[4] if "wire" not in span[3] else "wire", span[1] - span[0]))
            at = span[0]
            if stop is None and index < 5:
                break
            if stop and span[4] == stop and not followed_by_interrupt(spans, span, wanted):
                break
            if at <= start + 1e-6:
                return stages
    return stages


def stages_in(stages, index):
    return any(stage[0] == index for stage in stages)


def followed_by_interrupt(spans, span, wanted):
    """True if the span before is an interrupt span of the same service routine."""
    before = last_before(spans, span[0], wanted)
    return before is not None and before[4] == "interrupt" and abs(before[1] - span[0]) < 1e-6


def main():
    events = load(sys.argv[1])
    series = sys.argv[2] if len(sys.argv) > 2 else "VIA RPI"
    lanes = lanes_of(events, series)
    spans = spans_of(events, lanes)
    calls = [s for s in spans if s[2] == "node0" and s[4] == "MPI"]
    calls_1 = [s for s in spans if s[2] == "node1" and s[4] == "MPI"]
    end = max(s[1] for s in spans if s[2] == "node0" and s[3].startswith("cpu") and s[1] <= calls[-1][0] + 1e9)
    start = calls_1[-1][0]
    totals = collections.OrderedDict()
    for index, stage, time in reversed(walk(spans, end, start)):
        side = "sender" if index >= 4 else "receiver" if index <= 1 else "network"
        totals[side, stage] = totals.get((side, stage), 0.0) + time
    for (side, stage), time in totals.items():
        print(f"{side:10} {stage:20} {time:8.3f} us")
    print(f"{'':10} {'sum':20} {sum(totals.values()):8.3f} us")
    del calls


if __name__ == "__main__":
    main()
