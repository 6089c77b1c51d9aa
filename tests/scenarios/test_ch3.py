#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenarios of MPICH2's channels (thesis 004, 3.2): MPI_ANY_TAG over streams, connections,
those of ch3:hybrid's queue pairs, and the benchmarks of its chapter 4.

tests/cases/ch3_sctp and tests/cases/ch3_sock have the states of each rule one by one.
"""

import re
import unittest

from running import Case, FAILED
from shipped import FEWER, X306

MATCHED = {"no loss": (1, 3, 5), "tag 1 lost": (3, 5, 1), "tags 1 and 3 lost": (5, 1, 3),
           "sequence numbers": (1, 3, 5), "control stream": (1, 3, 5)}


def laps(run, series: str, rank: int, *names: str) -> list:
    """The times of a rank's clocks in the order of the program, in us."""
    found = next(s for s in run.json["series"] if s["name"] == series)
    times = {v["metric"].split("_")[0]: v["value"] for v in found["values"]
             if v["rank"] == rank and v["metric"].endswith("_mean_us")}
    return [times[name] for name in names or ("first", "second", "third")]


def timed_log_of(run, series: str) -> list:
    """The state log's lines of a series, as pairs of the time in us and the line."""
    text = run.states().split(f"# series {series}\n")[1].split("# series ")[0]
    return [(float(time), line) for time, line in (line.split(" ", 1) for line in text.splitlines())]


def log_of(run, series: str) -> list:
    """The state log's lines of a series, without times."""
    return [line for _, line in timed_log_of(run, series)]


def when(run, series: str, begin: str) -> float:
    """When the first line of a series' state log that starts with `begin` was written, in us."""
    return next(time for time, line in timed_log_of(run, series) if line.startswith(begin))


class AnyTag(Case):
    def completed(self, order: tuple) -> set:
        """The series that complete if each receive has the room of one of the messages, in this order: they differ by
        two bytes, and one that is matched by a receive which is too short is an error."""
        rooms = [option for number, tag in enumerate(order)
                 for option in ("--set", f"workload.program[1].do[{3 + number}].irecv.size={6000 + tag} B")]
        run = self.run_scenario("any_tag", *rooms, code=FAILED, tag="".join(map(str, order)))
        self.assertEqual({s["name"] for s in run.json["series"]}, set(MATCHED))
        return {s["name"] for s in run.json["series"] if s["status"] == "completed"}

    def test_order(self):
        """sctp.ch3.any_tag, sctp.ch3.any_tag_fixes: 3, 5, 1 and 5, 1, 3 where 1, 3, 5 was sent, by what was lost; with each
        remedy the order of the sends, though the same packets are lost."""
        for order in set(MATCHED.values()):
            self.assertEqual(self.completed(order),
                             {series for series, found in MATCHED.items() if found == order}, order)

    def test_waits(self):
        """Without a remedy only lost messages are late; with one, all three are, which is the cost of numbers."""
        run = self.completes("any_tag")
        whole, numbered = laps(run, "no loss", 1), laps(run, "sequence numbers", 1)
        one, two = laps(run, "tag 1 lost", 1), laps(run, "tags 1 and 3 lost", 1)
        late = 900e3  # the retransmission's timeout is 1 s
        self.assertLess(whole[2], 20e3)
        self.assertEqual([lap > late for lap in one], [False, False, True])
        self.assertEqual([lap > late for lap in two], [False, True, True])
        self.assertEqual([lap > late for lap in numbered], [True, True, True])
        self.assertIn("rank 1 any_tag[5] - -> held back rank 0", log_of(run, "sequence numbers"))

    def test_data_before_their_envelope(self):
        """sctp.ch3.any_tag_fixes: with all envelopes on one stream, data may arrive before theirs."""
        run = self.completes("any_tag")
        counters = {s["name"]: s["counters"]["ch3:sctp data before their envelope"]
                    for s in run.json["series"]}
        self.assertGreater(counters.pop("control stream"), 0)
        self.assertEqual(set(counters.values()), {0})


class Progress(Case):
    def test_reads_first(self):
        """sctp.ch3.read_before_write: two full sockets are drained, unless all is written before anything is read."""
        run = self.run_scenario("ch3_progress", code=FAILED)
        log = log_of(run, "reads first")
        for rank in range(2):
            self.assertIn(f"rank {rank} send[2] send_eager -> done", log)
            self.assertIn(f"rank {rank} recv[1] read_data -> done", log)
        self.assertFalse([line for line in log_of(run, "writes first") if line.endswith("-> done")])


class Connect(Case):
    def test_lazy(self):
        """sctp.ch3.lazy_connect, sctp.ch3.connection_packet_first: the first message pays for the lookup of the card and the
        connection; over SCTP the first of another stream has a connection packet in front of it, and the next one has none.
        How long each takes is a phase of the interrupts, so the state log shows it."""
        run = self.completes("ch3_connect")
        for series, opens in (("ch3:sctp", "stream"), ("ch3:sctp, two cards", "stream"), ("ch3:sock", "connection")):
            log = log_of(run, series)
            begun, opening = (when(run, series, line) for line in (
                "rank 0 send[1] start", f"rank 0 {opens}[1] " + ("UNCONNECTED ->" if opens == "stream" else "- -> connecting")))
            self.assertGreater(opening, begun + 1000, series)  # ch3_sctp.daemon is 1 ms
            sender = [line for line in log if re.match(rf"rank 0 (send|{opens})\[", line)]
            opened = [self.inside(sender, f"rank 0 send[{number}] start", f"rank 0 send[{number}] send_eager -> done")
                      for number in (1, 3, 5)]
            if opens == "connection":
                self.assertTrue(opened[0][-1].endswith("-> connected"), opened)
                self.assertEqual(opened[1:], [[], []])
                continue
            wanted = [[f"rank 0 stream[{stream}] UNCONNECTED -> CONNECTING rank 1",
                       f"rank 0 stream[{stream}] CONNECTING -> CONNECTED rank 1"] for stream in (1, 2)]
            self.assertEqual(opened, [*wanted, []])
            receiver = [line for line in log if re.match(r"rank 1 (recv|stream in)\[", line)]
            known = [self.inside(receiver, f"rank 1 recv[{number}] start", f"rank 1 recv[{number}] posted -> read_data")
                     for number in (1, 3, 5)]
            self.assertEqual(known, [["rank 1 stream in[1] UNKNOWN -> KNOWN rank 0"],
                                     ["rank 1 stream in[2] UNKNOWN -> KNOWN rank 0"], []])
            counters = next(s["counters"] for s in run.json["series"] if s["name"] == series)
            # Each of four senders opens a stream for its first tag and one for the end, and rank 0 another.
            self.assertEqual(counters["ch3:sctp connection packets sent"], 4 * 2 + 1)

    @staticmethod
    def inside(log: list, begin: str, end: str) -> list:
        """The lines between the one that starts with `begin` and the one that starts with `end`."""
        at = next(number for number, line in enumerate(log) if line.startswith(begin))
        to = next(number for number, line in enumerate(log) if line.startswith(end))
        return log[at + 1:to]

    def test_only_pairs_that_talk(self):
        """Two associations for three VCs that send first: the pair that sends at once has one, of both ends' INITs."""
        run = self.completes("ch3_connect")
        for series in ("ch3:sctp", "ch3:sctp, two cards"):
            log = log_of(run, series)
            for node in range(4):
                states = [line.split(" ", 2)[2] for line in log if line.startswith(f"node{node} sctp[")]
                begun = [state for state in states if state.startswith("CLOSED -> COOKIE-WAIT")]
                self.assertEqual(len(begun), 0 if node == 1 else 1)
                self.assertEqual(len([state for state in states if "-> ESTABLISHED" in state]), 1)
            vcs = {re.match(r"rank (\d) vc\[(\d)\]", line).groups() for line in log if " vc[" in line}
            self.assertEqual(vcs, {("0", "1"), ("1", "0"), ("2", "3"), ("3", "2")})

    def test_collision_over_tcp(self):
        """Over TCP both ends connect, and one of the two connections is refused."""
        log = log_of(self.completes("ch3_connect"), "ch3:sock")
        self.assertEqual(len([line for line in log if "-> SYN-SENT" in line]), 3)
        self.assertEqual(len([line for line in log if line.endswith("refuses")]), 1)
        self.assertEqual(len([line for line in log if line.endswith("refused")]), 1)
        self.assertEqual(len([line for line in log if re.search(r"connection\[\d\] .*-> connected", line)]), 4)

    def test_addresses(self):
        """sctp.ch3.bind_file: with two cards bound, the second path of each association is probed and used; with one
        there is none."""
        run = self.completes("ch3_connect")
        self.assertFalse([line for line in log_of(run, "ch3:sctp") if "path 2" in line])
        active = [line.split()[0] for line in log_of(run, "ch3:sctp, two cards")
                  if "sctp path 2" in line and "UNCONFIRMED -> ACTIVE" in line]
        self.assertEqual(sorted(active), ["node0", "node1", "node2", "node3"])


class HybridConnect(Case):
    """tests/mpich2/test_hybrid.py has the steps of both modes of connection."""

    def up_at(self, run, series: str) -> float:
        """When the last rank is through MPI_Init, in us."""
        text = run.states().split(f"# series {series}\n")[1].split("# series ")[0]
        return max(float(line.split()[0]) for line in text.splitlines() if "ch3:hybrid[0] join -> up" in line)

    def test_what_grows_with_ranks(self):
        """sctp.hybrid.static_cost: descriptors for N (N - 1) ends of queue pairs, and an MPI_Init that takes longer the more
        ranks there are; dynamic, only those of the pairs that put, and MPI_Init does not grow."""
        run = self.completes("hybrid_connect")
        ends = {s["name"]: s["counters"]["ch3:hybrid descriptors of queue pairs"] for s in run.json["series"]}
        for ranks in (2, 4, 8):
            self.assertEqual(ends[f"static, {ranks}"], ranks * (ranks - 1))
            self.assertEqual(ends[f"dynamic, {ranks}"], 2 if ranks == 2 else 2 * ranks) # a ring
        two, four, eight = (self.up_at(run, f"static, {ranks}") for ranks in (2, 4, 8))
        self.assertGreater(four, 1.5 * two)
        self.assertGreater(eight, 1.5 * four)
        self.assertEqual(len({self.up_at(run, f"dynamic, {ranks}") for ranks in (2, 4, 8)}), 1)

    def test_who_pays(self):
        """sctp.hybrid.first_message_cost: the first put to a peer is dearer by the connection if that is made then, and
        later ones are as quick."""
        run = self.completes("hybrid_connect")
        for ranks in (2, 4, 8):
            static, dynamic = (laps(run, f"{kind}, {ranks}", 0, "first", "second") for kind in ("static", "dynamic"))
            self.assertLess(static[0], 1.1 * static[1])
            self.assertGreater(dynamic[0], dynamic[1] + 1000)
            self.assertLess(dynamic[1], 1.2 * static[1])


class Measurements(Case):
    """The benchmarks of thesis 004, with less to do: `netsim validate` holds the whole ones against what it prints."""

    def test_all_end(self):
        for name in sorted(X306):
            run = self.completes(name, *FEWER[name], tag=name)
            for series in run.json["series"]:
                self.assertEqual(series["status"], "completed", (name, series["name"]))
                self.assertTrue(series["points"], (name, series["name"]))

    def test_two_paths(self):
        """At 1 MiB two paths carry more than one, whichever library shares them out."""
        run = self.completes("osu_bandwidth_x306", "--set", "workload.sizes=1 MiB", "--set", "workload.loops_large=3")
        rate = {series["name"]: series["points"][0]["rate_Mb_per_s"] for series in run.json["series"]}
        self.assertGreater(rate["ch3:sctp, CMT"], 1.3 * rate["ch3:sctp"])
        self.assertGreater(rate["Open MPI, two"], 1.3 * rate["Open MPI, one"])


if __name__ == "__main__":
    unittest.main()
