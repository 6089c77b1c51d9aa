#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sweeps of docs/what_ifs.md have the results that the page describes, with fewer points and seeds."""

import csv
import io
import pathlib
import re
import unittest

from harness import SOURCE
from sweeping import SweepCase

PAGE = pathlib.Path(SOURCE, "docs", "what_ifs.md").read_text(encoding="utf-8")
PICTURES = pathlib.Path(SOURCE, "docs", "pictures")
INTERRUPTS = 124.928 # us between two of an em's: ITR 488 of 256 ns


class WhatIfs(SweepCase):
    def means(self, name, metric, *options):
        """Means over the seeds of a metric, by series, values of the axes, and message size if it has one. Of times by
        rank, that of rank 0."""
        self.sweep(name, "-j2", "-q", *options)
        text = self.sweep("--report", "results/" + name, "--format", "csv").stdout
        found = {}
        for row in csv.DictReader(io.StringIO(text)):
            columns = list(row)
            axes = [row[axis] for axis in columns[1:columns.index("series")]]
            if row["metric"] == metric and row["rank"] in ("all", "0"):
                size = [int(row["size"])] if row["size"] else []
                found[row["series"], *axes, *size] = float(row["mean"])
        return found

    def test_page(self):
        """Each sweep of the page is run by the script that makes its picture, and the picture is there."""
        script = (PICTURES / "make.sh").read_text(encoding="utf-8")
        shown = re.findall(r"netsim sweep sweeps/(\w+)", PAGE)
        self.assertEqual(len(shown), 7)
        for name in shown:
            self.assertIn(f"](pictures/{name}.png)", PAGE)
            self.assertTrue((PICTURES / f"{name}.png").exists())
            options = re.search(rf"netsim plot results/{name}(.*)", PAGE).group(1).strip()
            self.assertRegex(script, rf"(?m)^what_if {name}{' ' if options else ''}{re.escape(options)}$")

    def test_streams(self):
        """One stream for messages takes more than twice as long as ten with 2 % of loss. 1 and 2 have one stream for messages each, so they
        are alike until a packet of control is lost, of which the seeds lose none with 1 %; 12 and 20 have more than ten tags need."""
        time = self.means("streams_loss", "program_us", "--seeds", "3", "--set", "link.drop_probability=1 %,2 %")
        less, more = ({key[1]: value for key, value in time.items() if key[2] == loss} for loss in ("1 %", "2 %"))
        self.assertGreater(more["1"], 2 * more["12"])
        self.assertGreater(more["1"], 2 * more["4"])
        self.assertAlmostEqual(less["2"] / less["1"], 1, delta=0.0001)
        for of in (less, more):
            self.assertEqual(of["12"], of["20"])

    def test_failover(self):
        """The timeout decides, and what a larger buffer brings is the same whatever the timeout."""
        rate = self.means("failover_buffer", "mean_rate_Mb_per_s", "--set",
                          "sctp.receive_buffer=32 KiB,512 KiB", "--set", "sctp.rto_least=200 ms,2 s")
        quick, slow = ((rate["sctp", "32 KiB", rto], rate["sctp", "512 KiB", rto]) for rto in ("200 ms", "2 s"))
        self.assertGreater(quick[0], 2.5 * slow[1])
        self.assertAlmostEqual(quick[1] - quick[0], slow[1] - slow[0], delta=0.2)

    def test_policies(self):
        """With as much loss on both paths the policies are alike; with 5 % on the second one those that consider losses
        have more than those that do not (Iyengar, Amer, Stewart 2006)."""
        rate = self.means("retransmission_policies", "mean_rate_Mb_per_s", "--seeds", "3", "--set",
                          "links[1].drop_probability=0.5 %,5 %")
        equal, worse = ({key[2]: value for key, value in rate.items() if key[1] == loss} for loss in ("0.5 %", "5 %"))
        self.assertLess(max(equal.values()), 1.1 * min(equal.values()))
        for policy in ("cwnd", "ssthresh", "lossrate"):
            for blind in ("same", "asap"):
                self.assertGreater(worse[policy], 1.1 * worse[blind])

    def test_segments(self):
        """The lengths differ by about two of the distances between interrupts at most, whatever the size: by a third where a put has a few
        frames, by little where it has hundreds. Up to 1 MiB the shortest are the fastest, and the longest two are so nowhere."""
        time = self.means("ddp_segment", "latency_us")
        by_size = {size: {key[1]: value for key, value in time.items() if key[-1] == size} for _, _, size in time}
        for size, of in by_size.items():
            if size >= 16 << 10:
                self.assertLess(max(of.values()) - min(of.values()), 2.1 * INTERRUPTS, size)
            if size <= 1 << 20:
                self.assertEqual(min(of, key=of.get), "4 KiB", size)
            self.assertNotIn(min(of, key=of.get), ("32 KiB", "64 KiB"))
            if size >= 128 << 10:
                self.assertLess(max(of.values()), (1.022 if size >= 1 << 20 else 1.07) * min(of.values()), size)
        self.assertGreater(by_size[16 << 10]["16 KiB"], 1.3 * by_size[16 << 10]["4 KiB"])

    def rendezvous(self, *options):
        """The cost of a rendezvous by transport and size: the latency of a threshold of 8 KiB above that of 1 MiB."""
        time = self.means("eager_threshold", "latency_us", "--set", "ch3.eager=8 KiB,1 MiB", *options)
        return {(series, size): latency - time[series, "1 MiB", *others, size]
                for (series, threshold, *others, size), latency in time.items()
                if threshold == "8 KiB" and size >= 8 << 10} # its envelope makes 8 KiB longer than that

    def test_threshold(self):
        """Over TCP both packets of the handshake wait for an interrupt, so a rendezvous costs a little less than two of their distances at
        each size of the sweep; over SCTP it does up to 32 KiB at most, and less than one distance from 64 KiB on."""
        for (transport, size), cost in self.rendezvous().items():
            if transport == "ch3:sock":
                self.assertTrue(1.8 * INTERRUPTS < cost < 2 * INTERRUPTS, (size, cost))
            else:
                self.assertTrue(0 < cost < (1 if size >= 64 << 10 else 2) * INTERRUPTS, (size, cost))

    def test_threshold_between(self):
        """These are phases of the sizes: with others, TCP's rendezvous costs one distance less, and SCTP's more than two."""
        cost = self.rendezvous("--set", "workload.sizes=56KiB,80KiB")
        self.assertLess(cost["ch3:sock", 56 << 10], INTERRUPTS)
        self.assertGreater(cost["ch3:sctp", 80 << 10], 2 * INTERRUPTS)

    def test_rails(self):
        """CMT with small buffers is slower than its first path alone when the second one is slow; with large ones it is the fastest from
        200 Mb/s on, and no fixed ratio of Open MPI is the best at every rate."""
        rate = self.means("unequal_rails", "rate_Mb_per_s", "--set", "links[2].rate=100 Mb/s,200 Mb/s,400 Mb/s,1 Gb/s")
        by_rate = {text: {key[0]: value for key, value in rate.items() if key[1] == text}
                   for text in ("100 Mb/s", "200 Mb/s", "400 Mb/s", "1 Gb/s")}
        slow, *others = by_rate.values()
        self.assertLess(slow["CMT"], 0.5 * slow["SCTP, first path"])
        self.assertEqual(max(slow, key=slow.get), "Open MPI, 10:1")
        for of in others:
            self.assertEqual(max(of, key=of.get), "CMT, buffers of 2 MiB")
        best = [max((name for name in of if name.startswith("Open")), key=of.get) for of in by_rate.values()]
        self.assertEqual(best, ["Open MPI, 10:1", "Open MPI, 10:1", "Open MPI, 2:1", "Open MPI, 1:1"])

    def test_loss_under_mpi(self):
        """A farm of long tasks takes more than twice as long over TCP as over SCTP with 1 % lost, for the waits for a window update; PingPong
        takes more than twice as long over SCTP, for its least timeout: with TCP's it takes no longer than TCP."""
        lossy = ("--set", "links[0].drop_probability=0.005", "--seeds")
        farm = {key[0]: value for key, value in self.means("loss_under_mpi_long_tasks", "farm_mean_us", *lossy, "5").items()}
        for tcp in ("LAM TCP", "ch3:sock"):
            self.assertGreater(farm[tcp], 2 * farm["ch3:sctp, 10 streams"])
        time = {(key[0], key[-1]): value for key, value in self.means("loss_under_mpi_pingpong", "latency_us", *lossy, "5").items()}
        for size in (30000, 300000):
            for tcp in ("LAM TCP", "ch3:sock"):
                self.assertGreater(time["ch3:sctp", size], 2 * time[tcp, size])
                self.assertLess(time["ch3:sctp, RTO.Min 203 ms", size], 1.1 * time[tcp, size])


if __name__ == "__main__":
    unittest.main()
