#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the time of a PingPong message goes, stage by stage, from a timeline.

    netsim run scenarios/pingpong_cluster1.yaml --set workload.sizes='1 B' \\
        --set workload.repetitions=10 --trace trace.json
    plots/breakdown.py trace.json ['VIA RPI']

One way is the time from one frame's start on the wire at node1 to the start of the answer's at node0: in the steady state of a
PingPong that is half the round trip, whatever stage one begins at. Every span on that way is listed; what lies between two spans is the
latency of the switch or of the card. For messages of one frame. Prints a table, as Markdown with --markdown.
"""
import json
import sys

TOLERANCE = 2e-6  # us


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def spans_of(events, series):
    """(start, end, host, lane, stage) of every span of one series, in order."""
    groups, lanes = {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            groups[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_name":
            lanes[event["pid"], event["tid"]] = event["args"]["name"]
    prefix = series + ": "
    found = []
    for event in events:
        group = groups.get(event.get("pid"), "")
        if event["ph"] == "X" and group.startswith(prefix):
            lane = lanes[event["pid"], event["tid"]]
            found.append((event["ts"], event["ts"] + event["dur"], group[len(prefix):], lane, event["name"]))
    return sorted(found)


def first(spans, after, accept):
    for span in spans:
        if span[0] >= after - TOLERANCE and accept(span):
            return span
    raise SystemExit("breakdown: the timeline ends before the message does")


def way(spans):
    """Stages of one way as (side, stage, us)."""
    starts = [s for s in spans if s[3].startswith("wire node1->")]
    answers = [s for s in spans if s[3].startswith("wire node0->")]
    if len(starts) < 2 or len(answers) < 2:
        raise SystemExit("breakdown: not a PingPong between node0 and node1")
    wire = [s for s in starts if s[0] < answers[-1][0]][-1]
    end = first(answers, wire[0], lambda s: True)[0]
    stages, at = [], wire[0]

    def take(side, span, name, gap):
        nonlocal at
        if span[0] - at > TOLERANCE:
            stages.append((side, gap, span[0] - at))
        stages.append((side, name, span[1] - span[0]))
        at = span[1]

    take("network", wire, "wire", "")
    take("network", first(spans, at, lambda s: s[3].endswith("->node0")), "wire", "switch")
    take("receiver", first(spans, at, lambda s: s[2] == "node0" and s[4] == "receive"), "bus", "card")
    cpus = [s for s in spans if s[2] == "node0" and s[3].startswith("cpu")]
    drivers = 0  # the second is the doorbell of the answer
    while drivers < 2:
        # Once the agent has the frame, the end of the interrupt is beside the way.
        arrived = any(stage == "agent" for _, stage, _ in stages)
        span = first(cpus, at, lambda s: s[4] != "interrupt" or not arrived)
        gap = "poll" if arrived else "card"
        drivers += span[4] == "driver"
        take("receiver" if not arrived else "process", span, span[4], gap)
    bus = first(spans, at, lambda s: s[2] == "node0" and s[4] == "send")
    take("sender", bus, "bus", "card")
    if abs(at - end) > 1e-3:
        raise SystemExit(f"breakdown: the stages end at {at}, the answer starts at {end}")
    return stages


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if not arguments:
        raise SystemExit(__doc__)
    stages = way(spans_of(load(arguments[0]), arguments[1] if len(arguments) > 1 else "VIA RPI"))
    totals = {}
    for _, stage, time in stages:
        totals[stage] = totals.get(stage, 0.0) + time
    markdown = "--markdown" in sys.argv
    if markdown:
        print("| stage | us |\n|---|---:|")
    for stage, time in sorted(totals.items(), key=lambda item: -item[1]):
        print(f"| {stage} | {time:.2f} |" if markdown else f"{stage:12} {time:8.3f} us")
    total = sum(totals.values())
    print(f"| **sum** | **{total:.2f}** |" if markdown else f"{'sum':12} {total:8.3f} us")


if __name__ == "__main__":
    main()
