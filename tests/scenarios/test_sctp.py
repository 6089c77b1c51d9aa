#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenarios of SCTP, CMT and CMT-PF (thesis 004).

`netsim validate` holds the failover test against what the thesis prints; here is what a run must have
whatever its constants are. No test depends on how long something takes.
"""

import os
import re
import tempfile
import unittest

from running import Case, Run

RATE = "rate_Mb_per_s"
SHORT = ("--set", "workload.duration=3 s")


def counters(run, series: str) -> dict:
    return next(s for s in run.json["series"] if s["name"] == series)["counters"]


def rates(run, series: str) -> dict:
    return {bin_: point[RATE] for bin_, point in run.points(series).items()}


def mean(run, series: str, *bins: int) -> float:
    found = rates(run, series)
    values = [found[bin_] for bin_ in bins or found]
    return sum(values) / len(values)


def log_of(run, series: str, pattern: str) -> list:
    """The state log's lines of a series that match: (time in s, what follows it)."""
    text = run.states().split(f"# series {series}\n")[1].split("# series ")[0]
    lines = [line.split(" ", 1) for line in text.splitlines()]
    return [(float(time) / 1e6, what) for time, what in lines if re.search(pattern, what)]


class Handshake(Case):
    def test_states(self):
        """sctp.sctp.handshake: four packets; the server keeps nothing before the cookie returns, and probes the second
        path. The client got that path from its program, which confirms it."""
        run = self.completes("sctp_handshake")
        steps = [what for _, what in log_of(run, "two paths", r"^node\d sctp(\[1\]| path 2)")]
        self.assertEqual([step for step in steps if "sctp[1]" in step][:4], [
            "node1 sctp[1] CLOSED -> COOKIE-WAIT associate",
            "node1 sctp[1] COOKIE-WAIT -> COOKIE-ECHOED receive INIT-ACK",
            "node0 sctp[1] CLOSED -> ESTABLISHED receive COOKIE-ECHO",
            "node1 sctp[1] COOKIE-ECHOED -> ESTABLISHED receive COOKIE-ACK"])
        self.assertIn("node0 sctp path 2[1] UNCONFIRMED -> ACTIVE HEARTBEAT-ACK", steps)
        self.assertEqual(counters(run, "two paths")["sctp heartbeats sent"], 1)
        # One path is confirmed by the handshake itself.
        self.assertEqual(log_of(run, "one path", "UNCONFIRMED"), [])
        self.assertEqual(counters(run, "one path").get("sctp heartbeats sent", 0), 0)

    def test_what_the_state_log_has(self):
        """Which path data go to and why, and when something is missing: no two steps alike follow each other."""
        run = self.completes("sctp_handshake", "--set", "sctp.cmt=true", "--set", "workload.sizes=256 KiB",
                             "--set", "links[0].drop_probability=0.02")
        for path in (1, 2):
            self.assertGreater(len(log_of(run, "two paths", rf"sctp new data\[1\] - -> path {path} \w+")), 10)
        self.assertGreater(len(log_of(run, "two paths", r"sctp retransmission\[1\] - -> path \d RTX-CWND")), 3)
        for node in ("node0", "node1"):
            steps = [what.split("] ")[1] for _, what in log_of(run, "two paths", f"^{node} sctp receiver")]
            self.assertGreater(len(steps), 4)
            self.assertEqual(set(steps[::2]), {"no gap -> gap"})
            self.assertEqual(set(steps[1::2]), {"gap -> no gap"})

    def test_packets(self):
        """sctp.sctp.chunks: INIT, INIT-ACK, COOKIE-ECHO and COOKIE-ACK, each first in its packet."""
        self.completes("sctp_handshake", "--pcap", os.path.join(self.directory, "pcap"))
        with open(os.path.join(self.directory, "pcap", "two_paths", "node1.em0.pcapng"), "rb") as file:
            data = file.read()
        kinds = re.findall(rb"\x08\x00\x45.{7}[\x00-\xff]\x84.{10}.{12}(.)", data, re.DOTALL)
        self.assertEqual([kind[0] for kind in kinds[:4]], [1, 2, 10, 11])


class Streams(Case):
    def test_loss_delays_its_stream(self):
        """sctp.sctp.no_hol_across_streams, sctp.sctp.stream_order: the other streams are as quick as without loss; the
        lost message waits for a timeout."""
        run = self.completes("sctp_streams_loss")

        def laps(series):
            values = next(s for s in run.json["series"] if s["name"] == series)["values"]
            return {v["metric"].split("_")[0]: v["value"] for v in values
                    if v["rank"] == 1 and "_mean" in v["metric"]}
        whole, lossy = laps("no loss"), laps("loss on stream 1")
        for stream in ("second", "third"):
            self.assertAlmostEqual(lossy[stream], whole[stream], delta=200)
        self.assertGreater(lossy["first"], whole["first"] + 900e3)

    def test_one_stream_holds_up_all(self):
        """sctp.sctp.stream_order: in one stream they all wait for the first one."""
        run = self.completes("sctp_streams_loss", "--set", "sctp.streams_out=1")
        values = next(s for s in run.json["series"] if s["name"] == "loss on stream 1")["values"]
        second = next(v["value"] for v in values if v["metric"].startswith("second_mean") and v["rank"] == 1)
        self.assertGreater(second, 900e3)


class Failover(Case):
    TIMES = {"1 s, 1": 3, "0.5 s, 2": 3.5, "0.3 s, 3": 4.5, "0.25 s, 3": 3.75, "1 s, 2": 7, "1 s, 3": 15,
             "1 s, 5": 63, "CMT-PF, 1 s, 1": 1, "CMT-PF, 0.5 s, 2": 0.5}

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory(prefix="netsim-scenarios-")
        cls.addClassCleanup(cls.shared.cleanup)
        cls.failed = Run(cls.shared.name, "sctp_failover")

    def test_closed_form(self):
        """sctp.sctp.multihoming, sctp.cfg.failover_default, sctp.failover.cmt_detection: RTO.Min x (2^(PMR + 1) - 1)
        after the cut at 2 s, within a bin of 100 ms and the one in which the rate returns; with CMT-PF RTO.Min
        alone."""
        run = self.failed
        for series, seconds in self.TIMES.items():
            found = rates(run, series)
            dark = [bin_ for bin_ in found if bin_ >= 2000 and found[bin_] < 20]
            self.assertEqual(dark, list(range(dark[0], dark[-1] + 100, 100)) if seconds < 1.1 else dark, series)
            self.assertAlmostEqual((dark[-1] + 100 - 2000) / 1000, seconds, delta=0.15, msg=series)

    def test_restarted_timers(self):
        """Without CMT the first timeout's retransmissions are acknowledged over the other path, which starts the failed
        one's timer anew: longer by at most RTO.Min (1 s) and the timeout that follows from a delayed acknowledgment (SRTT 200 ms
        and four times RTTVAR 100 ms), and by three bins until the other path's slow start has 300 Mb/s."""
        found = rates(self.failed, "multihoming, 1 s, 3")
        first = min(bin_ for bin_ in found if bin_ >= 2100 and found[bin_] > 300)
        self.assertTrue(17000 <= first <= 17000 + 1000 + 600 + 300, first)

    def test_states(self):
        """sctp.cmt.pf_state, sctp.cmt.inherits_failover: with CMT-PF the path is suspected with the first timeout, probed,
        and given up with the second; with CMT it is given up with the second timeout, and the primary moves."""
        run = self.failed
        cmt = log_of(run, "1 s, 1", r"^node0 sctp (path|primary)")
        steps = [what for time, what in cmt if time > 2]
        self.assertEqual(steps[:2], ["node0 sctp path 1[1] ACTIVE -> INACTIVE Path.Max.Retrans",
                                     "node0 sctp primary[1] path 1 -> path 2 the primary is INACTIVE"])
        suspected = log_of(run, "CMT-PF, 1 s, 1", r"^node0 sctp path 1.* -> PF")
        given_up = log_of(run, "CMT-PF, 1 s, 1", r"^node0 sctp path 1.*PF -> INACTIVE")
        self.assertAlmostEqual(suspected[0][0], 4, delta=0.05)
        self.assertGreater(given_up[0][0], suspected[0][0] + 1.9)
        heartbeats = counters(run, "CMT-PF, 1 s, 1")["sctp heartbeats sent"]
        self.assertGreater(heartbeats, 1)

    def test_heartbeat_interval(self):
        """sctp.sctp.heartbeat, sctp.sctp.failback: the primary path is used again with the answer to the first heartbeat
        after the repair, so that a longer interval makes it later."""
        back = []
        for interval in ("1 s", "4 s"):
            run = self.completes("sctp_iperf_failover", "--set", "workload.duration=34 s", "--set", "link.rate=100 Mb/s", "--set",
                                 f"sctp.heartbeat_interval={interval}", "--set", "links[2].down=[{from: 16 s, to: 25 s}]",
                                 "--set", "links[0].down=[{from: 16 s, to: 25 s}]", tag=interval[0])
            log = log_of(run, "multihoming", r"^node0 sctp primary.*path 2 -> path 1")
            self.assertEqual(len(log), 1)
            back.append(log[0][0])
            self.assertGreater(log[0][0], 25)
        # A tick of the stack of 2007 is HB.interval and 3.0 to 3.26 s, and two paths take turns.
        self.assertLess(back[0] - 25, 2 * 4.3)
        self.assertLess(back[1] - 25, 2 * 7.3)


class Paths(Case):
    def test_striping(self):
        """sctp.cmt.striping, sctp.cmt.dynamic_estimation: over two outputs of a switch CMT has nearly the sum of their
        rates, so each in the ratio of its rate, though neither is set: CMT infers them from losses."""
        link = "{{from: node{}.em{}, to: vlan{}, rate: {} Mb/s}}"
        for second in (50, 25):
            links = ", ".join(link.format(node, card, card, second if node == card == 1 else 100)
                              for node in (0, 1) for card in (0, 1))
            run = self.completes("cmt_reordering", "--set", f"links=[{links}]", "--set", "switch.queue_bytes=64 KiB",
                                 "--set", "what_if=card_rate",  # a card slower than any is the bottleneck
                                 "--set", "workload.bin=1 s", "--allow-unused", tag=str(second))
            payload = 1452 / 1538 * (100 + second)
            found = mean(run, "all, large", 1, 2, 3)
            self.assertTrue(0.93 * payload < found < 1.02 * payload, (found, payload))

    def test_shared_link(self):
        """sctp.cmt.no_shared_bottleneck: over a shared cable two paths have what one has, and less where its switch loses
        packets of two senders and a timeout follows."""
        for queue in ("512 KiB", "128 KiB"):
            run = self.completes("cmt_shared_link", *SHORT, "--set", f"switch.queue_bytes={queue}", tag=queue)
            one, shared = mean(run, "one path", 1, 2), mean(run, "shared link", 1, 2)
            self.assertLess(shared, 1.02 * one)
            if queue == "512 KiB":
                self.assertAlmostEqual(shared / one, 1, delta=0.02)
            self.assertGreater(mean(run, "links of their own", 1, 2), 1.3 * one)

    def test_loss(self):
        """sctp.sctp.sack: more loss on a path, less of it; all that was sent comes once."""
        run = self.completes("sctp_path_loss", *SHORT)
        none, one, two = (mean(run, f"one path, {loss} %") for loss in (0, 1, 2))
        self.assertGreater(none, one)
        self.assertGreater(one, two)
        self.assertGreater(counters(run, "one path, 2 %")["sctp fast retransmits"], 0)

    def test_pingpong(self):
        """sctp.sctp.message_oriented: each message comes whole, whatever its size; small ones are paced by interrupts, large
        ones gain by a second path."""
        run = self.completes("sctp_pingpong_x306", "--set", "workload.sizes=[1 B, 64 KiB, 4 MiB]", "--set",
                             "workload.repetitions=5")
        one, both, short = (run.points(name) for name in ("one path", "CMT", "1500 B"))
        self.assertTrue(62 < one[1]["latency_us"] < 190)
        self.assertLess(both[4 << 20]["latency_us"], one[4 << 20]["latency_us"])
        self.assertLess(one[4 << 20]["latency_us"], short[4 << 20]["latency_us"])


class Algorithms(Case):
    """cmt_reordering: nothing is lost, and packets of the longer path are overtaken."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory(prefix="netsim-scenarios-")
        cls.addClassCleanup(cls.shared.cleanup)
        cls.reordered = Run(cls.shared.name, "cmt_reordering")

    def count(self, series, name):
        return counters(self.reordered, series).get("sctp " + name, 0)

    def test_sfr(self):
        """Without SFR chunks are sent again that nothing had lost, whatever the buffer; it is slower only with the
        large one, as the small one is the limit by itself."""
        for size in ("small", "large"):
            self.assertEqual(self.count(f"all, {size}", "chunks retransmitted"), 0)
            again = self.count(f"no SFR, {size}", "chunks retransmitted")
            self.assertGreater(again, 100)
            self.assertEqual(again, self.count(f"no SFR, {size}", "chunks received twice"))
        self.assertLess(mean(self.reordered, "no SFR, large"), 0.8 * mean(self.reordered, "all, large"))

    def test_dac(self):
        """Without DAC each packet that comes past a gap is acknowledged: at least 1.4 times the SACKs."""
        for size in ("small", "large"):
            def sacks(series):
                chunks = self.count(series, "chunks received") - self.count(series, "SACKs sent")
                return self.count(series, "SACKs sent") / chunks
            self.assertGreater(sacks(f"no DAC, {size}"), 1.4 * sacks(f"all, {size}"))

    def test_cuc(self):
        """Without CUC windows grow only with the cumulative TSN: a slower start with the large buffer."""
        self.assertLess(rates(self.reordered, "no CUC, large")[0], 0.95 * rates(self.reordered, "all, large")[0])

    def test_sum(self):
        """sctp.cmt.schedules_for_bandwidth: with all three, and room, both paths are full though no parameter sets
        their delays."""
        self.assertGreater(mean(self.reordered, "all, large", *range(500, 4000, 100)), 170)


class Policies(Case):
    def test_order(self):
        """Published for a small buffer and unlike loss: the path itself, or any with room, is slower than the three
        that consider losses, of which none is published as the best."""
        run = self.completes("cmt_policies")
        blind = max(mean(run, name) for name in ("same", "asap"))
        for name in ("cwnd", "ssthresh", "lossrate"):
            self.assertGreater(mean(run, name), blind, name)

    def test_equal_paths(self):
        """With equal loss all are alike, within a quarter."""
        run = self.completes("cmt_policies", "--set", "links[1].drop_probability=0.5 %")
        found = [mean(run, name) for name in ("same", "asap", "cwnd", "ssthresh", "lossrate")]
        self.assertLess(max(found), 1.25 * min(found))


class SmallBuffer(Case):
    def test_rate_grows(self):
        """A smaller receive buffer is blocked by what was lost more often, and holds less: never faster."""
        run = self.completes("cmt_small_buffer", *SHORT)
        found = [mean(run, name) for name in ("32 KiB", "64 KiB", "128 KiB", "256 KiB")]
        self.assertEqual(found, sorted(found))
        self.assertGreater(found[-1], 2 * found[0])
        self.assertGreater(counters(run, "32 KiB")["sctp times blocked by the peer's window"], 0)


class WrongSettings(Case):
    """Impossible settings are refused, with their place and what to do."""

    def refused(self, name, *settings):
        options = [option for setting in settings for option in ("--set", setting)]
        return self.run_scenario(name, *options, code=1).stderr

    def test_cards(self):
        self.assertIn("there is no card 2 at node0, whose 2 cards are counted from 0",
                      self.refused("sctp_handshake", "native_sctp.cards=[0, 2]"))

    def test_retries(self):
        text = self.refused("sctp_handshake", "sctp.path_retries=11")
        self.assertIn("sctp.path_retries", text)

    def test_buffers(self):
        for name in ("send_buffer", "receive_buffer"):
            self.assertIn("sctp." + name, self.refused("sctp_handshake", f"sctp.{name}=1000 B"))

    def test_a_send_buffer_below_the_longest_message(self):
        """Messages are cut to what the buffer holds."""
        self.completes("sctp_handshake", "--set", "sctp.send_buffer=10000 B", "--set",
                       "workload.sizes=64 KiB", "--set", "workload.repetitions=1")

    def test_pf_without_cmt(self):
        self.assertIn("cmt_pf", self.refused("sctp_handshake", "sctp.cmt_pf=1"))


if __name__ == "__main__":
    unittest.main()
