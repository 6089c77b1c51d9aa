#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""TCP and SCTP over random networks whose cables lose, duplicate, reorder, delay and are cut, all at once.

Whatever the cables do short of staying out, each byte of each message arrives once and in order: the run
completes, and the books are balanced. A run is drawn from its number alone.
"""

import collections
import json
import os
import random
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
RUNS = 120
STACKS = ["lam_tcp", "mpich_p4", "ch3_sock", "ch3_sctp", "openmpi_tcp", "tcp", "sctp"]
TIMEOUT_S = 120


def some(draw, share):
    return draw.random() < share


def log_uniform(draw, low, high):
    return low * (high / low) ** draw.random()


def faults(draw):
    """The settings of one cable; a fifth of them have none."""
    if some(draw, 0.2):
        return {}
    result = {
        "drop_probability": round(log_uniform(draw, 1e-3, 0.08), 6),
        "bit_error_rate": float(f"{log_uniform(draw, 1e-9, 3e-6):.3g}"),
        "duplicate_probability": round(log_uniform(draw, 1e-2, 0.5), 6),
        "reorder_probability": round(log_uniform(draw, 1e-2, 0.3), 6),
        "reorder_delay": f"{int(log_uniform(draw, 10, 20000))} us",
        "jitter": f"{int(log_uniform(draw, 1, 2000))} us",
        "fault_direction": draw.choice(["both", "both", "forward", "backward"]),
        "down_direction": draw.choice(["both", "forward", "backward"]),
    }
    at, cuts = 0, []
    for _ in range(draw.randrange(3)):
        start = at + int(log_uniform(draw, 1000, 300000))
        at = start + int(log_uniform(draw, 100, 400000))
        cuts.append({"from": f"{start} us", "to": f"{at} us"})
    if cuts:
        result["down"] = cuts
    # All faults together in half of the cables, else some of them.
    for name in list(result) if some(draw, 0.5) else []:
        if some(draw, 0.5):
            del result[name]
    return result


def cable(draw, one, other):
    return {"from": one, "to": other, "rate": draw.choice(["10 Mb/s", "100 Mb/s", "100 Mb/s"]),
            "propagation": f"{int(log_uniform(draw, 10, 1e6))} ns", **faults(draw)}


def network(draw, hosts):
    """Switches in a random tree with some cables more, and hosts at them; or two hosts with a cable."""
    if hosts == 2 and some(draw, 0.3):
        return {"links": [cable(draw, "node0", "node1")]}
    switches = [f"s{i}" for i in range(draw.randrange(1, 5))]
    links = [cable(draw, switches[draw.randrange(i)], switches[i]) for i in range(1, len(switches))]
    if len(switches) > 1:
        links += [cable(draw, *draw.sample(switches, 2)) for _ in range(draw.randrange(2))]
    links += [cable(draw, f"node{host}", draw.choice(switches)) for host in range(hosts)]
    return {"switches": [{"name": name} for name in switches], "links": links}


def planes(draw):
    """Two hosts with one to three paths between them: cables, or switches of their own."""
    links, switches = [], []
    for i in range(draw.randrange(1, 4)):
        if some(draw, 0.5):
            links.append(cable(draw, "node0", "node1"))
        else:
            switches.append({"name": f"s{i}"})
            links += [cable(draw, "node0", f"s{i}"), cable(draw, f"s{i}", "node1")]
    return {"switches": switches, "links": links}


def multipath(draw):
    """Settings of an association with several paths."""
    cmt = some(draw, 0.6)
    settings = {"profile": draw.choice(["rfc9260", "s2007", "ns2"]), "cmt": cmt,
                "sack_frequency": draw.choice([1, 2, 2, 4]),
                "receive_buffer": f"{int(log_uniform(draw, 5000, 300000))} B",
                "association_retries": 1000, "init_retries": 1000}
    if not cmt:
        settings["cmt_pf"] = 0
    else:
        settings |= {"cmt_sfr": some(draw, 0.8), "cmt_cuc": draw.choice(["off", "v1", "v2"]),
                     "cmt_dac": some(draw, 0.7),
                     "cmt_scheduler": draw.choice(["head", "round_robin", "fill"]),
                     "cmt_policy": draw.choice(["same", "asap", "cwnd", "ssthresh", "lossrate"]),
                     "cmt_pf": draw.choice([0, 1, 2, 4]),
                     "cmt_splitting": draw.choice(["none", "none", "send", "receive", "both"])}
    return settings


def size(draw):
    return f"{draw.choice([0, 1, 1459, 1460, 1461, draw.randrange(1, 5000), draw.randrange(1, 60000)])} B"


def ring(draw, ranks, _tag):
    shift, bytes_ = draw.randrange(1, ranks), size(draw)
    return {"all": [{"sendrecv": {"to": f"(rank + {shift}) % {ranks}", "size": bytes_,
                                  "from": f"(rank + {ranks - shift}) % {ranks}"}}]}


def transfer(draw, ranks, tag):
    source, target = draw.sample(range(ranks), 2)
    bytes_ = size(draw)
    return {source: [{"send": {"to": target, "size": bytes_, "tag": tag}}],
            target: [{"recv": {"from": source, "size": bytes_, "tag": tag}}]}


def together(draw, ranks, _tag):
    kind = draw.choice(["alltoall", "allgather", "allreduce", "barrier"])
    return {"all": ["barrier" if kind == "barrier" else {kind: f"{draw.randrange(1, 4000)} B"}]}


def workload(draw, stack, ranks):
    if stack in ("tcp", "sctp"):
        return {"benchmark": "native.pingpong", "repetitions": draw.randrange(1, 8),
                "sizes": sorted({size(draw) for _ in range(3)})}
    parts = []
    for tag in range(draw.randrange(2, 9)):
        for who, do in draw.choice([ring, transfer, transfer, together])(draw, ranks, tag).items():
            parts.append({"ranks": who, "do": do})
    return {"ranks": ranks, "program": parts}


def scenario(number):
    draw = random.Random(f"transfers/{number}")
    stack = STACKS[number % len(STACKS)]
    hosts = 2 if stack in ("tcp", "sctp") else draw.randrange(2, 9)
    several = stack == "sctp" and some(draw, 0.7)
    own = {"sctp": multipath(draw)} if stack == "sctp" else {}
    return {"schema": 1, "name": f"transfers{number}", "seed": number + 1, "stack": stack,
            "testbed": "testbeds/cluster1.yaml", "nic": "eepro100",
            "hosts": [{"name": "node", "count": hosts}], **own,
            **(planes(draw) if several else network(draw, hosts)),
            "workload": workload(draw, stack, hosts)}


class Transfers(unittest.TestCase):
    def run_one(self, directory, number):
        file = os.path.join(directory, "transfers.yaml")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(scenario(number), out, indent=1)
        return subprocess.run([NETSIM, "run", file, "--format", "json", "-q",
                               "--allow-unused", "--out",
                               os.path.join(directory, "results")], capture_output=True, text=True,
                              check=False, timeout=TIMEOUT_S)

    def test_every_byte_arrives_once(self):
        met = collections.Counter()
        with tempfile.TemporaryDirectory(prefix="netsim-transfers-") as directory:
            for number in range(RUNS):
                with self.subTest(number=number):
                    done = self.run_one(directory, number)
                    self.assertEqual(done.returncode, 0,
                                     done.stderr + json.dumps(scenario(number), indent=1))
                    series = json.loads(done.stdout)["series"][0]
                    books = series["ledger"]
                    self.assertTrue(books["balanced"], books)
                    self.assertEqual(books["delivered"], books["messages"])
                    self.assertEqual([books["lost"], books["open"], books["duplicated"],
                                      books["misordered"]], [0, 0, 0, 0])
                    for loss in series["losses"]:
                        met[loss["counter"].split(" on ")[0].split(":")[0]] += loss["count"]
                    met["cut"] += sum(count for name, count in series["counters"].items()
                                      if name.endswith(" down"))
        # The runs must have met such events.
        for kind in ["packets dropped", "packets duplicated", "packets held back", "cut",
                     "tcp segments retransmitted", "tcp time-outs",
                     "sctp chunks retransmitted", "sctp time-outs"]:
            self.assertGreater(met[kind], RUNS // 4, met)


if __name__ == "__main__":
    unittest.main()
