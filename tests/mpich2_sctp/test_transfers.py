#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs of 2 to 8 ranks over ch3:sctp on two networks whose cables lose, duplicate, reorder, delay and
are cut: with one path, multi-homed, with CMT, with 1 to 20 streams and each rule for MPI_ANY_TAG. Whatever the
cables do short of staying out, each byte of each message arrives once: the run completes, and the books are
balanced. A run is drawn from its number alone. Also sctp.ch3.bind_file: only the cards of the list are used."""

import collections
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import capture  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
LOSSY = importlib.util.spec_from_file_location("lossy_transfers", os.path.join(HERE, "..", "lossy", "test_transfers.py"))
lossy = importlib.util.module_from_spec(LOSSY)
LOSSY.loader.exec_module(lossy)

RUNS = 60
TIMEOUT_S = 120


def channel(draw):
    """The channel's own settings; an order that holds back, or one stream, if one is lost."""
    streams = draw.randrange(1, 21)
    rules = ["violate", "sequence"] + (["control_stream"] if streams > 1 else [])
    any_tag = draw.choice(rules)
    maps = ["tag_context", "single", "rank"] + (["sequence"] if any_tag != "violate" else [])
    buffer = draw.choice([20000, 70000, 233016])
    return {"streams": streams, "any_tag": any_tag, "stream_map": draw.choice(maps),
            "socket_buffer": f"{buffer} B",
            "message": f"{draw.choice([2000, 20000, min(buffer, 65536)])} B",
            "association_events": lossy.some(draw, 0.5),
            "cards": draw.choice([[], [0], [1], [0, 1], [0, 1]])}


def machine(draw, hosts):
    return {"hosts": [{"name": "node", "count": hosts, "nics": [{"name": "eth0", "nic": "eepro100"},
                                                               {"name": "eth1", "nic": "eepro100"}]}],
            "switches": [{"name": "vlan0"}, {"name": "vlan1"}],
            "links": [lossy.cable(draw, f"node{host}.eth{card}", f"vlan{card}")
                      for host in range(hosts) for card in range(2)]}


def burst(draw, ranks):
    """Messages of several tags at once, received in another order."""
    source, target = draw.sample(range(ranks), 2)
    sizes = {tag: lossy.size(draw) for tag in range(20, 20 + draw.randrange(4, 10))}
    wanted = draw.sample(sorted(sizes), len(sizes))
    return [{"ranks": source, "do": [{"isend": {"to": target, "size": size, "tag": tag, "request": f"s{tag}"}}
                                     for tag, size in sizes.items()] + [{"waitall": "all"}]},
            {"ranks": target, "do": [{"irecv": {"from": source, "size": sizes[tag], "tag": tag, "request": f"r{tag}"}}
                                     for tag in wanted] + [{"waitall": "all"}]}]


def scenario(number):
    draw = random.Random(f"ch3_sctp/{number}")
    hosts = draw.randrange(2, 9)
    own = {"ch3_sctp": channel(draw), "ch3": {"eager": draw.choice(["100 B", "5000 B", "65536 B"])}}
    return {"schema": 1, "name": f"transfers{number}", "seed": number + 1, "stack": "ch3_sctp",
            "host": {"processor": {"cores": draw.choice([1, 2])}}, **machine(draw, hosts),
            "sctp": {**lossy.multipath(draw), "path_retries": draw.choice([3, 5, 100])}, **own,
            "workload": {"ranks": hosts, "program": [
                *lossy.workload(draw, "ch3_sctp", hosts)["program"],
                *(part for _ in range(3) for part in burst(draw, hosts))]}}


class Runs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-ch3-sctp-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def run_one(self, what, *options):
        file = os.path.join(self.directory, "transfers.yaml")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(what, out, indent=1)
        done = subprocess.run([NETSIM, "run", file, "--format", "json", "-q", "--allow-unused", "--out",
                               os.path.join(self.directory, "results"), *options], capture_output=True, text=True,
                              check=False, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr + json.dumps(what, indent=1))
        return json.loads(done.stdout)["series"][0]


class Transfers(Runs):
    def test_every_byte_arrives_once(self):
        met = collections.Counter()
        for number in range(RUNS):
            with self.subTest(number=number):
                series = self.run_one(scenario(number))
                books = series["ledger"]
                self.assertTrue(books["balanced"], books)
                self.assertEqual(books["delivered"], books["messages"])
                self.assertEqual([books["lost"], books["open"], books["duplicated"], books["misordered"]],
                                 [0, 0, 0, 0])
                for name, count in series["counters"].items():
                    met[name.split(" on ")[0].split(":")[-1]] += count
        for kind in ["sctp chunks retransmitted", "sctp retransmission timeouts", "sctp reads",
                     "sctp messages held back for their number", "sctp data before their envelope",
                     "sctp entries into the send queue", "sctp reads that found nothing"]:
            self.assertGreater(met[kind], 5, met)


class BindFile(Runs):
    """sctp.ch3.bind_file: frames of each of two networks, by the cards that the channel binds."""

    def frames(self, **channel_settings):
        what = {"schema": 1, "name": "bind", "stack": "ch3_sctp", "sctp": {"cmt": True}, "ch3_sctp": channel_settings,
                "hosts": [{"name": "node", "count": 2, "nics": [{"name": "eth0", "nic": "eepro100"},
                                                               {"name": "eth1", "nic": "eepro100"}]}],
                "switches": [{"name": "vlan0"}, {"name": "vlan1"}],
                "links": [{"from": f"node{host}.eth{card}", "to": f"vlan{card}"}
                          for host in range(2) for card in range(2)],
                "workload": {"ranks": 2, "program": [
                    {"ranks": 0, "do": [{"send": {"to": 1, "size": "500 KiB"}}]},
                    {"ranks": 1, "do": [{"recv": {"from": 0, "size": "500 KiB"}}]}]}}
        directory = os.path.join(self.directory, "c")
        self.run_one(what, "--pcap", directory)
        return [len(list(capture.frames(os.path.join(directory, "ch3_sctp", f"node0.eth{card}.pcapng"))))
                for card in range(2)]

    def test_daemons_card_without_a_file(self):
        first, second = self.frames()
        self.assertGreater(first, 300)
        self.assertEqual(second, 0)

    def test_file(self):
        first, second = self.frames(cards=[1])
        self.assertEqual(first, 0)
        self.assertGreater(second, 300)

    def test_both(self):
        first, second = self.frames(cards=[0, 1])
        self.assertGreater(min(first, second), 100)

    def test_other_daemon(self):
        self.assertEqual(self.frames(daemon_card=1)[0], 0)


if __name__ == "__main__":
    unittest.main()
