#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim explain: the parts of a message's time, resources, what bounds a run, runs that fail.

The expected time of a stage is taken from the parameters of the scenario, or counted by hand.
"""

import csv
import io
import itertools
import json
import os
import random
import re
import subprocess
import unittest

from harness import NETSIM, SOURCE, Case
import needs

# IEEE 802.3 at 100 Mb/s: 80 ns per byte; preamble 8 B, gap 12 B.
BYTE_PS = 80000
WAITS = ["waiting for " + what for what in
         ("credit", "descriptor", "ACK", "window", "buffer", "memory")]
STREAM = """\
schema: 1
name: stream
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  ranks: 2
  program:
    - {ranks: 0, do: [{loop: {count: 20, do: [{isend: {to: 1, size: 30 KiB, request: r}}, {wait: r}]}}]}
    - {ranks: 1, do: [{loop: {count: 20, do: [{recv: {from: 0, size: 30 KiB}}]}}]}
"""


def sets(*settings):
    return [word for one in settings for word in ("--set", one)]


class Explain(Case):
    def explained(self, *arguments, code=0, trials=False):
        if not trials:
            arguments = (*arguments, "--no-trials")
        return json.loads(self.netsim("explain", *arguments, "--format", "json", code=code).stdout)

    def one(self, *arguments):
        """Stages in ps and the number of messages of the only size of the only series."""
        document = self.explained(*arguments)
        exact = document["series"][0]["exact"][0]
        return exact["stages_ps"], exact["messages"], document

    def test_a_series_of_any_name(self):
        self.write("named.yaml", STREAM.replace("stack: lam_via\n", "series:\n"
                   "  - {name: Zürich → Köln, stack: lam_via}\n  - {name: b, stack: lam_via}\n", 1))
        for locale in ("C", "C.UTF-8"):
            document = json.loads(self.netsim(
                "explain", "named.yaml", "--series", "Zürich → Köln", "--format", "json",
                environment={"LC_ALL": locale}).stdout)
            self.assertEqual([one["name"] for one in document["series"]], ["Zürich → Köln"])

    def test_parts_add_up_on_every_size_of_every_pingpong(self):
        """Repetitions are alike: of short messages so many that the first, which differ, weigh little."""
        sizes = {"40": [0] + [2**i for i in range(16)], "4": [2**i for i in range(16, 23)]}
        for name, repetitions in itertools.product(("pingpong_cluster1", "pingpong_cluster2"), sizes):
            document = self.explained(name, *sets(f"workload.repetitions={repetitions}", "workload.sizes=["
                                                  + ", ".join(f"{size} B" for size in sizes[repetitions]) + "]"))
            self.assertGreaterEqual(len(document["series"]), 2)
            for series in document["series"]:
                self.assertEqual(series["failures"], [])
                self.assertEqual(series["sizes"], sizes[repetitions])
                for i, exact in enumerate(series["exact"]):
                    with self.subTest(name=name, series=series["name"], size=series["sizes"][i]):
                        self.assertEqual(sum(exact["stages_ps"].values()), exact["total_ps"])
                        self.assertAlmostEqual(series["total"][i],
                                               exact["total_ps"] / exact["messages"] / 1e6)
                        # The model leaves no time of a PingPong unexplained: all that it waits
                        # for is the answer of a rendezvous, or an ACK.
                        self.assertLessEqual({s for s in exact["stages_ps"]
                                              if s.startswith("waiting")}, {"waiting for ACK"})
                        classes = sum(times[i] for times in series["classes"].values())
                        self.assertAlmostEqual(classes, series["total"][i], places=4)

    def test_total_is_what_run_measures(self):
        """The same repetitions give the same latency, to the last digit."""
        same = sets("workload.sizes=[1 B, 40 KiB]", "workload.repetitions=7")
        run = json.loads(self.netsim("run", "pingpong_cluster1", *same, "--format", "json",
                                     "--quiet").stdout)
        explained = self.explained("pingpong_cluster1", *same)
        for measured, series in zip(run["series"], explained["series"]):
            self.assertEqual([point["size_bytes"] for point in measured["points"]], series["sizes"])
            for point, total in zip(measured["points"], series["total"]):
                self.assertAlmostEqual(point["latency_us"], total, delta=1e-9 * total)

    STALL = ("schema: 1\nname: stall\nhosts: [{name: node, count: 4}]\nswitches: [{name: leaf}]\n"
             "links: [{from: node, to: leaf}]\nlink: {rate: 1 Gb/s}\nnic: em82547gi\n"
             "stack: ch3_sock\nworkload: {benchmark: pmb.allreduce, ranks: 4, "
             "sizes: [8 B, 16 B, 64 B], repetitions: 5}\n")

    def test_a_size_is_explained_as_it_is_run_after_the_others(self):
        """A delayed acknowledgment at the start of the second size is in its row and in its explanation, asked for
        alone or among all; a size that run does not measure is marked as such."""
        self.write("stall.yaml", self.STALL)
        run = json.loads(self.netsim("run", "stall.yaml", "--format", "json", "--quiet").stdout)
        measured = [point["latency_us"] for point in run["series"][0]["points"]]
        self.assertGreater(measured[1], 5 * measured[0])
        series, = self.explained("stall.yaml")["series"]
        for all_sizes, one in zip(series["total"], measured):
            self.assertAlmostEqual(all_sizes, one, places=6)
        for number, size in enumerate(("8 B", "16 B", "64 B")):
            alone, = self.explained("stall.yaml", "--size", size)["series"]
            self.assertEqual(alone["total"], [series["total"][number]])
            self.assertEqual(alone["exact"][0], series["exact"][number])
        held = series["held"][1]["waiting for ACK"]
        self.assertGreater(held["delayed ACK"], 0.8 * measured[1])
        other, = self.explained("stall.yaml", "--size", "32 B")["series"]
        self.assertTrue(other["exact"][0]["by_itself"])
        self.assertLess(other["total"][0], 2 * measured[0])
        self.assertIn("(not one of the scenario's sizes: run by itself, as --set workload.sizes "
                      "does)\n", self.netsim("explain", "stall.yaml", "--size", "32 B",
                                              "--no-trials").stdout)

    def test_trials_run_what_is_explained(self):
        """A trial's time is that of the size after the sizes before it, too."""
        self.write("stall.yaml", self.STALL)
        gains, _, series = self.tried("stall.yaml", "--size", "16 B")
        self.assertTrue(gains)
        for trial in series["trials"][0]:
            with self.subTest(trial=trial["sets"][0]):
                run = json.loads(self.netsim("run", "stall.yaml", "--format", "json", "--quiet",
                                             *sets(*trial["sets"])).stdout)
                after = run["series"][0]["points"][1]["latency_us"]
                self.assertAlmostEqual(trial["less_time_percent"],
                                       100 * (1 - after / series["total"][0]), places=6)

    def test_a_program_is_measured_as_a_whole(self):
        """The time of a NAS program is not the mean of its iterations, and adds up."""
        text = self.netsim("explain", "nas_cluster1", "--series", "MG, VIA", "--no-trials").stdout
        self.assertRegex(text, r"all 4 repetitions, as rank \d measures them\n")
        self.assertNotIn("mean of", text)
        text = self.netsim("explain", "nas_cluster1", "--series", "LU, TCP", "--no-trials",
                           *sets("workload.repetitions=30")).stdout
        self.assertIn("all 30 repetitions, as rank", text)
        (exact,) = self.explained("nas_cluster1", "--series", "MG, VIA")["series"][0]["exact"]
        self.assertEqual(sum(exact["stages_ps"].values()), exact["total_ps"])

    def test_known_breakdown(self):
        """via.pingpong.latency_min.via_rpi: stages that can be counted from parameters, which are
        given here."""
        stages, messages, _ = self.one(
            "pingpong_cluster1", "--series", "VIA RPI", "--size", "1 B", *sets(
                "switch.latency=8 us", "lam.call=1400 cycles", "lam.request=7000 cycles",
                "lam.match=70 cycles", "host.processor.clock=1.4 GHz",
                "host.kernel.interrupt_entry=3 us", "eepro100.status_read=1 us",
                "host.kernel.interrupt_latency=500 ns", "host.kernel.interrupt_ack=250 ns",
                "host.kernel.wake_process=5 us", "host.kernel.wake_other=1 us",
                "host.kernel.switch_process=2 us", "host.kernel.process_set=2 kB",
                "host.memory.refill=500 MB/s"))
        parts = {name: time / messages / 1e6 for name, time in stages.items()}
        self.assertAlmostEqual(parts["serialisation"], 2 * 95 * BYTE_PS / 1e6)  # 87 B and preamble, twice
        self.assertAlmostEqual(parts["switch"], 8.0)
        self.assertAlmostEqual(parts["propagation"], 0.1)
        # A call, a request built, one destroyed and a call; and perhaps a queue entry matched.
        self.assertAlmostEqual(parts["MPI"], 1 + 5 + 5 + 1, delta=1.1)
        self.assertAlmostEqual(parts["interrupt line"], 0.5)
        self.assertAlmostEqual(parts["interrupt"], 0.25 + 3 + 1)
        self.assertAlmostEqual(parts["wake-up"], 5 + 1 + 2 + 4)

    def test_process_switches_are_no_network_switch(self):
        """GRIM with a polling thread: the thread and then the program are switched to. The
        classes are counted from parameters, which are given here."""
        document = self.explained(
            "grim_latency", "--series", "LANai 9 with a polling thread", "--size", "0 B",
            *sets("host.kernel.wake_process=2 us", "host.kernel.switch_process=5 us",
                  "host.kernel.process_set=1 kB", "host.memory.refill=1000 MB/s", "switch.latency=500 ns", "grim.thread_period=90 us"))
        series, = document["series"]
        self.assertAlmostEqual(series["classes"]["switch"][0], 0.5)
        self.assertAlmostEqual(series["stages"]["wake-up"][0], 6 + 2 + 6)
        # The thread looks every 90 us: what is left of them passes until it looks.
        self.assertAlmostEqual(series["total"][0], 90.0)
        self.assertGreater(series["stages"]["poll"][0], 45.0)
        self.assertEqual(series["class_of"]["poll"], "wake-up")
        self.assertFalse([stage for stage in series["stages"] if stage.startswith("waiting")])

    def test_a_parameter_moves_its_own_class_alone(self):
        """For each stack: 2 us more for a parameter of its own, which is charged at least once per message, are in its
        stage, and more of them in that stage's class than in any other."""
        for scenario, series, setting, stage, of in (
                ("pingpong_cluster1", "VIA RPI", "lam_via.send", "RPI", "library"),
                ("pingpong_cluster1", "MVICH", "mvich.packet", "MVICH", "library"),
                ("pingpong_cluster1", "native", "mvia.send_setup", "agent", "kernel"),
                ("pingpong_cluster1", "LAM TCP", "lam_tcp.send", "LAM TCP", "library"),
                ("pingpong_cluster1", "MPICH", "mpich_p4.message", "p4", "library"),
                ("pingpong_cluster1", "native TCP", "tcp.receive_path", "TCP", "kernel"),
                ("gm_allsize", "latency", "gm.send", "GM", "library"),
                ("gm_allsize", "latency", "gm.start_send", "start send", "NIC"),
                ("armci_put_config1", "current", "armci.request", "ARMCI", "library"),
                ("grim_latency", "LANai 9", "grim.message", "GRIM", "library"),
                ("grim_latency", "LANai 9", "grim_ni.deliver", "deliver", "NIC")):
            with self.subTest(series=series, setting=setting):
                size = ["--size", "4608"] if scenario.startswith("armci") else ["--size", "0 B"]
                arguments = [scenario, "--series", series, *size]
                before, = self.explained(*arguments, *sets(f"{setting}=1 us"))["series"]
                after, = self.explained(*arguments, *sets(f"{setting}=3 us"))["series"]
                self.assertEqual(after["class_of"][stage], of)
                grown = {name: times[0] - before["classes"].get(name, [0.0])[0]
                         for name, times in after["classes"].items()}
                self.assertGreater(
                    after["stages"][stage][0] - before["stages"][stage][0], 1.9)
                self.assertEqual(max(grown, key=grown.get), of)

    def test_a_parameter_moves_its_own_stage_alone(self):
        size = ["--series", "VIA RPI", "--size", "1 B"]
        before, messages, _ = self.one("pingpong_cluster1", *size, *sets("switch.latency=8 us"))
        after, _, _ = self.one("pingpong_cluster1", *size, *sets("switch.latency=11 us"))
        for stage in before:
            moved = 3 * 10**6 * messages if stage == "switch" else 0
            self.assertEqual(after[stage] - before[stage], moved, stage)

    def held(self, wait, *arguments):
        """The length of a wait of the only series, in us; its parts; and the series."""
        document = self.explained(*arguments)
        series, = document["series"]
        exact = series["exact"][0]
        self.assertEqual(sum(exact["stages_ps"].values()), exact["total_ps"])
        self.assertIn(wait, exact["stages_ps"])
        self.assertEqual(series["class_of"][wait],
                         "behind others" if wait.startswith("behind ") else wait)
        parts = series["held"][0][wait]
        whole = series["stages"][wait][0]
        self.held_add_up(series)
        return whole, parts, series

    def held_add_up(self, series):
        """Each wait is what it is made of, to the picosecond."""
        for exact in filter(None, series["exact"]):
            waits = {stage: time for stage, time in exact["stages_ps"].items()
                     if stage in WAITS or stage.startswith("behind others at ")}
            self.assertEqual({wait: sum(parts.values())
                              for wait, parts in exact["held_ps"].items()}, waits)

    def test_waits_add_up_under_loss(self):
        """A lost packet is sent again when a timer runs out: the timer is a part of the wait."""
        timers = 0
        for benchmark, stacks in (("pmb.pingpong", ("lam_tcp", "mpich_p4", "ch3_sock", "openmpi_tcp")),
                                  ("native.pingpong", ("tcp",))):
            for stack in stacks:
                for seed in (1, 2, 3, 4):
                    self.write("loss.yaml", "schema: 1\nname: loss\nnic: eepro100\n"
                               f"stack: {stack}\ntestbed: testbeds/cluster1.yaml\n"
                               f"workload: {{benchmark: {benchmark}, sizes: [64 KiB], repetitions: 60}}\n")
                    with self.subTest(stack=stack, seed=seed):
                        series, = self.explained("loss.yaml", "--seed", str(seed),
                                                 *sets("link.drop_probability=0.03"))["series"]
                        self.held_add_up(series)
                        held, = series["exact"][0]["held_ps"],
                        timers += held.get("waiting for ACK", {}).get("retransmission timer (data)", 0)
        self.assertGreater(timers, 200 * 10**9)

    def test_the_table_adds_up_under_loss(self):
        """As printed: what a wait is made of comes to its row but for the last digit of each line."""
        self.write("loss.yaml", "schema: 1\nname: loss\nnic: eepro100\nstack: lam_tcp\n"
                   "testbed: testbeds/cluster1.yaml\n"
                   "workload: {benchmark: pmb.pingpong, sizes: [64 KiB], repetitions: 60}\n")
        for seed in ("1", "2", "3", "4"):
            text = self.netsim("explain", "loss.yaml", "--no-trials", "--seed", seed,
                               "--set", "link.drop_probability=0.03").stdout
            wait, parts = re.search(r"(?m)^  waiting for ACK +([\d.]+) .*\n((?:    of it .*\n)+)",
                                    text).groups()
            times = [float(line.split()[-1]) for line in parts.splitlines()]
            self.assertAlmostEqual(sum(times), float(wait), delta=0.0005 * (len(times) + 1))
            self.assertIn("of it retransmission timer (data)", parts)

    def test_timers_are_named_by_what_is_sent_again(self):
        """SYN or data, INIT or DATA: the first packets of a connection are lost one at a time."""
        testbed = os.path.join(SOURCE, "scenarios", "testbeds", "x306.yaml")
        for stack, lost, timer in (("ch3_sock", 1, "retransmission timer (SYN)"), ("ch3_sock", 3, "retransmission timer (data)"),
                                   ("ch3_sctp", 1, "T1-init (INIT)"), ("ch3_sctp", 2, "T3-rtx (DATA)")):
            with self.subTest(stack=stack, lost=lost):
                file = self.write("lost.yaml", f"schema: 1\nname: lost\ntestbed: {testbed}\nstack: {stack}\nlinks: [{{from: node0.em0, "
                                  "to: vlan0}, {from: node1.em0, to: vlan0, fault_direction: forward, drop_nth: "
                                  f"[{lost}]}}, {{from: node.em1, to: vlan1}}]\nworkload: {{ranks: 2, program: [{{ranks: 1, do: [{{send: "
                                  "{to: 0, size: 8 B}}]}, {ranks: 0, do: [{recv: {from: 1, size: 8 B}}]}]}\n")
                self.assertIn(timer, self.netsim("explain", file, "--no-trials").stdout)

    def test_timers_of_cards_have_names(self):
        """Under loss, GM and GRIM wait for their timer, and the wait is not left unexplained."""
        for stack, testbed, benchmark, more in (
                ("gm", "config1", "gm.allsize.latency", ()),
                ("grim", "grim", "grim.latency",
                 ("grim_ni.timeouts=true", "grim_ni.stalled=10 s"))):
            self.write("card.yaml", f"schema: 1\nname: card\nstack: {stack}\n"
                       f"testbed: testbeds/{testbed}.yaml\nworkload: "
                       f"{{benchmark: {benchmark}, sizes: [4 KiB], repetitions: 20}}\n")
            series, = self.explained("card.yaml", "--seed", "3", *sets(
                "link.drop_probability=0.03", *more))["series"]
            exact = series["exact"][0]
            self.held_add_up(series)
            whole = exact["stages_ps"].get("resend timer", 0) + sum(
                parts.get("resend timer", 0) for parts in exact["held_ps"].values())
            blank = exact["stages_ps"].get("waiting", 0) + sum(
                parts.get("not traced", 0) for parts in exact["held_ps"].values())
            self.assertGreater(whole, 0.8 * exact["total_ps"], stack)
            self.assertEqual(series["class_of"].get("resend timer"), "waiting for ACK", stack)
            self.assertLess(blank, 0.001 * exact["total_ps"], stack)

    def test_waits_add_up_where_cards_repeat(self):
        """Like waits under loss, but over Myrinet, where cards send again, and for the waits of its libraries."""
        for scenario, *more in (("gm_cable",), ("gm_corruption",), ("gm_no_buffers",),
                                ("armci_put_config1", "--size", "50000"), ("grim_late_receiver",)):
            process = subprocess.run([NETSIM, "explain", scenario, *more, "--format", "json"],
                                     stdout=subprocess.PIPE, cwd=self.directory, check=False)
            for series in json.loads(process.stdout)["series"]:
                self.held_add_up(series)

    def test_waiting_for_credit(self):
        """R3 with few credits: the data wait for those that the receiver returns."""
        arguments = ["pingpong_cluster1", "--series", "MVICH", "--size", "64 KiB",
                     *sets("mvich.rendezvous_protocol=r3", "mvich.prepost_depth=16",
                           "mvich.prepost_rendezvous_extra=0")]
        few, parts, series = self.held("waiting for credit", *arguments)
        self.assertGreater(few, 0.1 * series["total"][0])
        self.assertIn("serialisation", parts)
        more = self.explained(*arguments, *sets("mvich.prepost_depth=100"))["series"][0]
        self.assertLess(more["classes"].get("waiting for credit", [0])[0], few)

    def test_waiting_for_a_send_token(self):
        """A token is a credit: ARMCI's only one, which MPI_Iprobe brings back, and GM's."""
        arguments = ["armci_put_buffers", "--series", "2 buffers", "--size", "524288"]
        few, parts, series = self.held("waiting for credit", *arguments)
        self.assertGreater(few, 0.2 * series["total"][0])
        self.assertGreater(parts["bus"], 0.5 * few)
        more = self.explained(*arguments, *sets("armci.send_tokens=8"))["series"][0]
        self.assertNotIn("waiting for credit", more["stages"])
        self.write("tokens.yaml", "schema: 1\nname: tokens\nstack: gm\n"
                   "testbed: testbeds/config1.yaml\n"
                   "workload:\n  ranks: 2\n  program:\n"
                   "    - {ranks: 0, do: [{isend: {to: 1, size: 4 KiB, request: a}},"
                   " {isend: {to: 1, size: 4 KiB, request: b}}, {wait: b}]}\n"
                   "    - {ranks: 1, do: [{recv: {from: 0, size: 4 KiB}},"
                   " {recv: {from: 0, size: 4 KiB}}]}\n")
        self.held("waiting for credit", "tokens.yaml", *sets("gm.send_tokens=1"))
        enough = self.explained("tokens.yaml", *sets("gm.send_tokens=2"))["series"][0]
        self.assertNotIn("waiting for credit", enough["stages"])

    def test_waiting_for_an_earlier_send(self):
        """ARMCI fills its only buffer again when the card has acknowledged what was in it."""
        arguments = ["armci_put_buffers", "--size", "524288", "--series"]
        whole, parts, series = self.held("waiting for ACK", *arguments, "1 buffer")
        self.assertGreater(whole, 0.2 * series["total"][0])
        self.assertGreater(parts["bus"], 0.5 * whole)
        more = self.explained(*arguments, "4 buffers")["series"][0]
        self.assertNotIn("waiting for ACK", more["stages"])

    def test_waiting_for_descriptor(self):
        """Many small sends, two descriptors, and a card that reports late that it has sent."""
        sends = ", ".join(f"{{isend: {{to: 1, size: 4 B, request: r{i}}}}}" for i in range(12))
        self.write("many.yaml", "schema: 1\nname: many\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload:\n  ranks: 2\n  program:\n"
                   f"    - {{ranks: 0, do: [{sends}, {{waitall: all}}]}}\n"
                   "    - {ranks: 1, do: [{loop: {count: 12, do: [{recv: {from: 0, size: 4 B}}]}}]}\n")
        late = sets("eepro100.interrupt_delay=100 us")
        few, parts, _ = self.held("waiting for descriptor", "many.yaml", *late,
                                  *sets("lam_via.sdescs=2"))
        self.assertGreater(few, 4 * 100.0)
        self.assertGreater(parts["NIC"], 4 * 100.0)
        enough = self.explained("many.yaml", *late, *sets("lam_via.sdescs=20"))["series"][0]
        self.assertNotIn("waiting for descriptor", enough["stages"])

    def test_waiting_for_the_answer_of_a_rendezvous(self):
        """Every library's long messages ask first: VIA RPI's SYN, MVICH's RENDEZVOUS_START, LAM's long protocol, p4's
        request to send. The wait for the answer is a round trip."""
        for series in ("VIA RPI", "MVICH", "LAM TCP", "MPICH"):
            with self.subTest(series=series):
                _, parts, _ = self.held("waiting for ACK", "pingpong_cluster1", "--series", series,
                                        "--size", "256 KiB", *sets("switch.latency=9 us", "workload.repetitions=20"))
                self.assertGreaterEqual(parts["switch"], 9.0)
                self.assertGreater(parts["serialisation"], 0)

    def test_what_a_process_does_meanwhile_is_no_waiting(self):
        """The answer has long been there."""
        self.write("busy.yaml", "schema: 1\nname: busy\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload: {ranks: 2, program: [{ranks: 0, do: [{isend: {to: 1, size: 200 KiB,"
                   " request: r}}, {compute: 5 ms}, {wait: r}]},"
                   " {ranks: 1, do: [{recv: {from: 0, size: 200 KiB}}]}]}\n")
        stages, _, _ = self.one("busy.yaml")
        self.assertEqual(stages["compute"], 5 * 10**9)
        self.assertLess(stages.get("waiting for ACK", 0), 10**9)

    def test_waiting_for_a_window(self):
        """A receiver with a small buffer, for bare TCP and under LAM."""
        whole, _, series = self.held("waiting for window", "pingpong_cluster1", "--series",
                                     "native TCP", "--size", "256 KiB",
                                     *sets("tcp.receive_buffer=3 KiB", "workload.repetitions=20"))
        self.assertGreater(whole, 0.3 * series["total"][0])
        self.held("waiting for window", "pingpong_cluster1", "--series", "LAM TCP", "--size",
                  "256 KiB", *sets("lam_tcp.socket_buffer=3 KiB", "workload.repetitions=20"))

    def test_waiting_for_a_timer(self):
        """A lost frame that no other follows is sent again when the timer runs out."""
        document = self.explained(
            "pingpong_cluster1", "--series", "native TCP", "--size", "1",
            *sets("workload.sizes=[1 B]", "workload.repetitions=4", "links[0].drop_nth=[6]",
                  "links[0].fault_direction=forward"))
        series, = document["series"]
        timer, = (stage for stage, of in series["class_of"].items() if of == "waiting for ACK")
        # RFC 2988 as Linux has it: 200 ms at least; for one of eight messages.
        self.assertGreater(series["exact"][0]["stages_ps"][timer], 200 * 10**9)
        self.assertGreater(series["classes"]["waiting for ACK"][0], 200e3 / 8)

    def tried(self, *arguments):
        """{what was faster, or the setting: how much less time, in per cent}, the bound, the series."""
        series, = self.explained(*arguments, trials=True)["series"]
        return ({one["what"] or one["sets"][0]: one["less_time_percent"]
                 for one in series["trials"][0]}, series["bound"][0], series)

    def test_bound_by_wire_bus_and_memory(self):
        """4 MiB over 100 Mb/s: each resource in its turn helps, and no other does."""
        size = ["pingpong_cluster1", "--series", "native", "--size", "4 MiB"]
        for settings, by in (
                ([], "the links"),
                (["host.bus.clock=3 MHz", "eepro100.tx_threshold=2048 B"], "the bus"),
                (["host.memory.copy_cached=4 MB/s", "host.memory.copy_uncached=4 MB/s",
                  "eepro100.rx_ring=4096"], "the memory")):
            with self.subTest(by=by):
                gains, bound, _ = self.tried(*size, *sets(*settings))
                self.assertRegex(bound, f"^bound by {by}: 1 % faster, [01].[0-9]+ % less time$")
                self.assertGreater(gains[by], 0.5)
                self.assertEqual([what for what in gains if gains[what] > 0.5], [by])

    def test_a_trial_is_a_run_with_settings(self):
        """The gain of a trial is that of the same settings by hand, as a what-if; twice the same."""
        size = ["pingpong_cluster1", "--series", "VIA RPI", "--size", "1 KiB"]
        gains, _, series = self.tried(*size)
        self.assertLessEqual({"the links", "the switches", "the card"}, set(gains))
        for trial in series["trials"][0]:
            by_hand = self.explained(*size, *sets(*trial["sets"], "what_if=card_rate"))["series"][0]
            self.assertAlmostEqual(
                trial["less_time_percent"],
                100 * (series["total"][0] - by_hand["total"][0]) / series["total"][0])
        self.assertEqual(self.tried(*size)[2], series)

    def test_links_of_one_and_of_many(self):
        """Only the middle link is slow: with it faster alone it is nearly as if all were."""
        self.write("two.yaml", "schema: 1\nname: two\nstack: lam_tcp\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "hosts: [{name: a}, {name: b}]\nswitches: [{name: s}, {name: t}]\nlinks: [{from: a, to: s}, {from: b, to: t}, "
                   "{from: s, to: t, rate: 1 Mb/s}]\n"
                   "workload: {benchmark: pmb.pingpong, sizes: [4 KiB]}\n")
        gains, bound, series = self.tried("two.yaml")
        alone = {trial["what"]: trial["sets"] for trial in series["trials"][0]}
        self.assertIn(alone["links[2] with s->t"], (["links[2].rate=1010000 b/s"],))
        self.assertEqual(alone["the links"], ["link.rate=101000000 b/s",
                                              "links[2].rate=1010000 b/s"])
        self.assertGreater(gains["links[2] with s->t"], 0.8)
        self.assertGreaterEqual(gains["the links"], gains["links[2] with s->t"])
        self.assertIn("links[2] with s->t: 1 % faster", bound)

    def test_links_that_cannot_be_told_apart(self):
        """Items of one --set stand in one place: which of them has which rate is not guessed."""
        _, _, series = self.tried(
            "pingpong_cluster1", "--series", "native", "--size", "4 KiB", "--set",
            "links=[{from: node, to: switch, rate: 10 Mb/s}, {from: node, to: switch}]")
        links, = (one for one in series["trials"][0] if one["what"].startswith("the links"))
        self.assertIsNone(links["less_time_percent"])
        self.assertIn("can't be told apart", links["not_tried"])

    def test_links_with_stop_and_go(self):
        """1 % is no rate that STOP and GO can have: the next one that is, is tried."""
        _, _, series = self.tried("gm_allsize", "--series", "latency", "--size", "64 KiB")
        links, = (trial for trial in series["trials"][0] if trial["what"] == "the links")
        self.assertEqual(links["sets"], ["link.rate=1562500000 b/s"])
        self.assertAlmostEqual(links["faster_percent"], 100 * (1.5625 / 1.28 - 1))
        self.assertIsNotNone(links["less_time_percent"])

    def test_serial_steps_and_the_algorithm(self):
        """A binomial tree of eight is three messages deep, and an allreduce by one up and one down
        twice that; the one by recursive doubling needs three rounds, and takes less time."""
        self.write("all.yaml", "schema: 1\nname: all\nstack: lam_tcp\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "hosts: [{name: node, count: 8}]\n"
                   "workload: {benchmark: pmb.allreduce, ranks: 8, sizes: [1 KiB], repetitions: 1}\n")
        gains, _, series = self.tried("all.yaml")
        self.assertEqual(series["steps"], [6])
        self.assertEqual(series["choices"][0][0],
                         "lam.allreduce=reduce_bcast (or recursive_doubling, rabenseifner, by_size, "
                         "folded_doubling, ring, doubling_or_ring, linear, rabenseifner_halves, by_size_and_count, measured)")
        self.assertGreater(gains["lam.allreduce=recursive_doubling"], 20)
        other = self.explained("all.yaml", *sets("lam.allreduce=recursive_doubling"))["series"][0]
        self.assertEqual(other["steps"], [3])
        text = self.netsim("explain", "all.yaml", "--no-trials").stdout
        self.assertIn("\n  6 messages one after the other on the way, by\n"
                      "  lam.allreduce=reduce_bcast (or recursive_doubling, rabenseifner, by_size, "
                      "folded_doubling, ring, doubling_or_ring, linear, rabenseifner_halves, by_size_and_count, "
                      "measured)\n", text)
        self.assertNotIn("% faster", text)

    def test_a_jammed_uplink(self):
        """Eight hosts exchange over a link of 100 Mb/s whose queue overflows: the wait is at its two ports, for packets
        of the hosts of the same side, and losses are no property of a resource."""
        self.write("jam.yaml", "schema: 1\nname: jam\nstack: lam_tcp\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "hosts: [{name: a, count: 4}, {name: b, count: 4}]\n"
                   "switches: [{name: s, queue: 20}, {name: t, queue: 20, latency: 12 us}]\n"
                   "links: [{from: a, to: s}, {from: b, to: t}, {from: s, to: t}]\n"
                   "lam: {allreduce: recursive_doubling}\n"
                   "workload: {benchmark: pmb.allreduce, ranks: 8, sizes: [256 KiB], repetitions: 10}\n")
        _, bound, series = self.tried("jam.yaml")
        self.held_add_up(series)
        behind = {stage: times[0] for stage, times in series["stages"].items()
                  if stage.startswith("behind others at ")}
        most = sorted(behind, key=behind.get)[-2:]
        self.assertEqual(set(most), {"behind others at s->t", "behind others at t->s"})
        self.assertLessEqual(set(series["held"][0]["behind others at s->t"]),
                             {f"packets of a{i}" for i in range(4)})
        self.assertRegex(bound, "^what bounds it can't be told: ")

    def test_switches_of_their_own(self):
        """A switch with its own latency is set by itself, the others by the common one."""
        self.write("row.yaml", "schema: 1\nname: row\nstack: mvia\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "hosts: [{name: a}, {name: b}]\n"
                   "switches: [{name: s}, {name: t, latency: 202 us}, {name: u}]\n"
                   "switch: {latency: 101 us}\n"
                   "links: [{from: a, to: s}, {from: s, to: t}, {from: t, to: u}, {from: u, to: b}]\n"
                   "workload: {benchmark: native.pingpong, sizes: [1 B]}\n")
        gains, bound, series = self.tried("row.yaml")
        switches, = (one for one in series["trials"][0] if one["what"] == "the switches")
        self.assertEqual(switches["sets"], ["switch.latency=100000000 ps",
                                            "switches[1].latency=200000000 ps"])
        # 404 us become 400; the poll is at the next turn of a loop.
        self.assertAlmostEqual(gains["the switches"], 100 * 4 / series["total"][0], delta=0.1)
        self.assertTrue(bound.startswith("bound by the switches: "), bound)

    def test_chance_is_not_called_a_bound(self):
        """With losses, 1 % more moves the time by far more than 1 %: that is chance."""
        for seed in range(1, 9):
            gains, bound, _ = self.tried(
                "pingpong_cluster1", "--series", "LAM TCP", "--size", "64 KiB", "--seed", str(seed),
                *sets("link.drop_probability=0.03"))
            for gain in gains.values():
                if gain and abs(gain) > 2:
                    self.assertRegex(bound, "^what bounds it can't be told: ")
                    return
        self.fail("no seed shows it")

    def test_random_programs_add_up(self):
        """Whatever the program, the stack and its settings: the stages sum to what the run took, to the picosecond, or
        the run reports why it failed."""
        draw = random.Random(11)
        pick = draw.choice
        done = 0
        for number in range(40):
            ranks = pick([2, 3, 4])
            ops = []
            for _ in range(draw.randint(1, 5)):
                size = f"{pick([0, 1, 40, 1500, 5000, 20000, 70000, 300000])} B"
                shift = draw.randint(1, ranks - 1)
                ops += pick([
                    [f"irecv: {{from: (rank + ranks - {shift}) % ranks, size: {size}, request: i}}",
                     f"isend: {{to: (rank + {shift}) % ranks, size: {size}, request: o}}",
                     "waitall: all"],
                    [f"compute: (rank + 1) * {draw.randint(1, 900)} us"],
                    [f"bcast: {{size: {size}, root: {draw.randrange(ranks)}}}"],
                    [f"alltoall: {size}"]])
            stack = pick(["lam_via", "mvich", "lam_tcp", "mpich_p4", "ch3_sock", "openmpi_tcp"])
            settings = draw.sample([
                "lam_via.sdescs=2", "mvich.prepost_depth=16", "mvich.rendezvous_protocol=r3",
                "lam_tcp.socket_buffer=4 KiB", "tcp.receive_buffer=8 KiB", "switch.latency=90 us",
                "eepro100.interrupt_delay=70 us", "links[0].rate=10 Mb/s",
                "host.processor.clock=100 MHz", "eepro100.coalesce_frames=4",
                "eepro100.coalesce_delay=50 us", "mvia.doorbell=ioctl"], draw.randint(0, 4))
            program = "".join(f"        - {op}\n" for op in ops)
            self.write("some.yaml", f"schema: 1\nname: some\nstack: {stack}\n"
                       f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\nworkload:\n"
                       f"  ranks: {ranks}\n  program:\n    - ranks: all\n      do:\n{program}"
                       "        - barrier\n")
            with self.subTest(number=number, stack=stack, settings=settings, program=program):
                process = subprocess.run(
                    [NETSIM, "explain", "some.yaml", *sets(*settings), "--allow-unused", "--format",
                     "json"],
                    cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    text=True, check=False)
                self.assertIn(process.returncode, (0, 3), process.stderr)
                series, = json.loads(process.stdout)["series"]
                if process.returncode:
                    self.assertTrue(series["failures"][0]["text"])
                    continue
                done += 1
                exact, = series["exact"]
                self.assertEqual(sum(exact["stages_ps"].values()), exact["total_ps"])
                self.held_add_up(series)
                self.assertNotIn("waiting", exact["stages_ps"])
                slowest = max(value["value"] for value in json.loads(self.netsim(
                    "run", "some.yaml", *sets(*settings), "--allow-unused", "--format", "json",
                    "--quiet").stdout)["series"][0]["values"] if value["metric"] == "program_us")
                self.assertAlmostEqual(exact["total_ps"] / 1e6, slowest, places=5)
        self.assertGreater(done, 25)

    def test_sizes_without_a_unit(self):
        size = ["explain", "pingpong_cluster1", "--series", "native", "--format", "json", "--size"]
        self.assertEqual(self.netsim(*size, "4096").stdout, self.netsim(*size, "4 KiB").stdout)
        self.assertEqual(self.explained(*size[1:4], "--size", "0")["series"][0]["sizes"], [0])

    def test_csv(self):
        """The same numbers as in JSON, one per row."""
        arguments = ["pingpong_cluster1", "--series", "MVICH", *sets("workload.sizes=[1 B, 64 KiB]")]
        rows = list(csv.DictReader(io.StringIO(
            self.netsim("explain", *arguments, "--format", "csv").stdout)))
        document = self.explained(*arguments)
        series, = document["series"]
        for i, size in enumerate(series["sizes"]):
            mine = [row for row in rows if row["size"] == str(size)]
            stages = {row["name"]: float(row["value"]) for row in mine if row["kind"] == "stage"}
            self.assertEqual(stages, {name: times[i] for name, times in series["stages"].items()
                                      if times[i]})
            self.assertEqual({row["name"]: row["class"] for row in mine if row["kind"] == "stage"},
                             {name: series["class_of"][name] for name in stages})
            total, = [row for row in mine if row["kind"] == "total"]
            self.assertEqual((float(total["value"]), total["unit"]), (series["total"][i], "us"))
            loads = {row["name"]: float(row["value"]) for row in mine
                     if row["kind"] == "utilisation"}
            self.assertEqual(loads, {one["resource"]: one["utilisation"]
                                     for one in document["resources"]
                                     if one["size"] == size and one["utilisation"] is not None})
        failed = list(csv.DictReader(io.StringIO(
            self.netsim("explain", "alltoall_deadlock", "--format", "csv", code=3).stdout)))
        self.assertEqual([(row["kind"], row["name"], row["value"]) for row in failed],
                         [("failure", "deadlock", "")])

    def test_a_closed_form(self):
        """One frame between two hosts over one switch, all costs of processors and cards nothing:
        what is left is wire, propagation, switch and bus, which can be computed."""
        zero = [f"{name}=0" for name in (
            "mvia.post", "mvia.send_setup", "mvia.send_frame", "mvia.receive_frame",
            "mvia.completion", "mvia.queue_check", "mvia.dequeue", "eepro100.doorbell",
            "eepro100.status_read", "eepro100.tx_frame", "eepro100.tx_done", "eepro100.rx_frame",
            "host.kernel.fast_trap", "host.kernel.interrupt_entry", "host.kernel.interrupt_exit")]
        none = [f"{name}=0 us" for name in ("eepro100.tx_start", "eepro100.rx_status",
                                            "eepro100.rx_latency",
                                            "eepro100.interrupt_delay",
                                            "host.kernel.interrupt_latency",
                                            "host.kernel.interrupt_unmask")]
        stages, messages, _ = self.one(
            "pingpong_cluster1", "--series", "native", "--size", "1000",
            *sets(*zero, *none, "switch.latency=7 us", "host.memory.copy_cached=100 GB/s",
                  "host.memory.copy_uncached=100 GB/s", "mvia.poll_period=1 ns"))
        parts = {name: time / messages / 1e6 for name, time in stages.items()}
        # Payload, VIA header, Ethernet header and check sequence, preamble.
        self.assertAlmostEqual(parts.pop("serialisation"), 2 * (1000 + 32 + 18 + 8) * BYTE_PS / 1e6, places=6)
        self.assertAlmostEqual(parts.pop("switch"), 7.0, places=6)
        self.assertAlmostEqual(parts.pop("propagation"), 0.1, places=6)
        self.assertGreater(parts.pop("bus"), 0)
        self.assertLess(sum(parts.values()), 0.2, parts)  # the copy's setup, and the poll

    def test_bound_by_a_link(self):
        """Sends one after the other, each in pieces that fill the link: the link's share is
        counted from the frames."""
        self.write("stream.yaml", STREAM.replace("testbeds/", f"{SOURCE}/scenarios/testbeds/"))
        document = self.explained("stream.yaml", "--set", "host.processor.clock=100 GHz",
                                  "--set", "host.memory.copy_cached=100 GB/s",
                                  "--set", "host.memory.copy_uncached=100 GB/s",
                                  "--set", "lam.request=0", "--set", "host.kernel.wake_process=0",
                                  "--set", "host.kernel.switch_process=0",
                                  "--set", "host.kernel.interrupt_entry=0",
                                  "--set", "host.kernel.interrupt_exit=0",
                                  "--set", "host.kernel.interrupt_latency=0 s",
                                  "--set", "host.kernel.wake_other=0 s", trials=True)
        series = document["series"][0]
        self.assertEqual(series["sizes"], [-1])
        loads = {entry["resource"]: entry for entry in document["resources"]}
        link = loads["link node0->switch"]
        self.assertGreater(link["utilisation"], 0.95)
        self.assertTrue(series["bound"][0].startswith("bound by the links: "), series["bound"])
        # Bytes on the wire by the frames: 1500 B of payload a frame at most.
        total = series["exact"][0]["total_ps"]
        least = 20 * 30 * 1024 * BYTE_PS
        self.assertGreaterEqual(link["utilisation"] * total, least)
        self.assertLess(link["utilisation"] * total, 1.10 * least)
        faster = self.explained("stream.yaml",
                                *sets("links[0].rate=1 Gb/s", "what_if=card_rate"))["series"][0]
        self.assertLess(faster["total"][0], series["total"][0])

    def test_bound_by_a_processor(self):
        self.write("busy.yaml", "schema: 1\nname: busy\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload: {ranks: 2, program: [{ranks: all, do: [{compute: 5 ms}]}]}\n")
        document = self.explained("busy.yaml", trials=True)
        self.assertEqual(document["series"][0]["exact"][0]["stages_ps"], {"compute": 5 * 10**9})
        # A program's computation is given as a time: nothing that is faster makes it shorter.
        self.assertEqual(document["series"][0]["trials"], [[]])
        self.assertEqual(document["series"][0]["bound"], [None])
        busiest = document["resources"][0]
        self.assertEqual(busiest["by_class"], {"interrupt": 0.0, "kernel": 0.0, "user": 1.0})

    def test_queues(self):
        """Two ranks send to one at the same time: one frame waits for the link to it."""
        self.write("two.yaml", "schema: 1\nname: two\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload: {ranks: 3, program: [{ranks: [0, 1], do: [{send: {to: 2, size: 1 KiB}}]},"
                   " {ranks: 2, do: [{recv: {from: 0, size: 1 KiB}}, {recv: {from: 1, size: 1 KiB}}]}]}\n")
        loads = {entry["resource"]: entry for entry in self.explained("two.yaml")["resources"]}
        self.assertEqual(loads["link switch->node2"]["longest_queue"], 1)
        self.assertGreater(loads["link switch->node2"]["mean_queue"], 0)
        self.assertEqual(loads["link node0->switch"].get("longest_queue", 0), 0)

    def test_behind_others(self):
        """The second of two frames that come at the same time waits for the first, and its gap; a lone sender waits for
        no other, on Ethernet and on Myrinet."""
        self.write("two.yaml", "schema: 1\nname: two\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload: {ranks: 3, program: [{ranks: [0, 1], do: [{send: {to: 2, size: 1 KiB}}]},"
                   " {ranks: 2, do: [{recv: {from: 0, size: 1 KiB}}, {recv: {from: 1, size: 1 KiB}}]}]}\n")
        waits, parts, series = self.held("behind others at switch->node2", "two.yaml")
        # Payload, envelope, VIA header, Ethernet header and check sequence, preamble and gap.
        frame = (1024 + 36 + 32 + 18 + 8 + 12) * BYTE_PS / 1e6
        self.assertAlmostEqual(waits, frame, places=6)
        self.assertEqual(list(parts), ["packets of node0"])
        self.assertAlmostEqual(series["classes"]["behind others"][0], frame, places=6)
        self.assertAlmostEqual(series["stages"]["serialisation"][0],
                               2 * (frame - 12 * BYTE_PS / 1e6), places=6)
        self.assertAlmostEqual(series["stages"]["propagation"][0], 0.1, places=6)
        for name, size in (("pingpong_cluster1", "64 KiB"), ("gm_allsize", "64 KiB")):
            for series in self.explained(name, "--size", size, *sets("workload.repetitions=10"))["series"]:
                others = {part for parts in series["held"][0].values() for part in parts
                          if part.startswith("packets of ")}
                self.assertEqual(others, set(), series["name"])
                if series["name"] != "both ways":  # where a card is too slow for both
                    self.assertNotIn("behind others", series["classes"], series["name"])

    def test_behind_others_on_myrinet(self):
        """Three hosts put to one: the card's packets meet at the port to it. While one is held back
        on its own link, its sender's next one waits as well."""
        self.write("three.yaml", "schema: 1\nname: three\nstack: armci\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/config1.yaml\n"
                   "hosts: [{name: node, count: 4}]\n"
                   "workload: {ranks: 4, program: [{ranks: [0, 1, 2], do: [{loop: {count: 5, do: "
                   "[{put: {to: 3, size: 16 KiB}}]}}, {fence: {to: all}}]}]}\n")
        waits, parts, _ = self.held("behind others at switch->node3", "three.yaml")
        self.assertGreater(waits, 0)
        self.assertLessEqual(set(parts), {"packets of node0", "packets of node1",
                                          "packets of node2", "no place at node3",
                                          "held back on node0->switch",
                                          "held back on node1->switch",
                                          "held back on node2->switch"})

    def test_no_time_at_all(self):
        """A program that does nothing: no path, no loads, and no division by its time."""
        self.write("idle.yaml", "schema: 1\nname: idle\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload: {ranks: 2, program: [{ranks: all, do: [{compute: 0 us}]}]}\n")
        self.assertEqual(self.netsim("explain", "idle.yaml").stdout,
                         "lam_via, program: 0.000 us, as rank 0 measures it\n\n"
                         "  stage                              us    share  cumulated  class\n"
                         "  sum                             0.000\n\n"
                         "  resource                    busy us     busy on the way mean queue longest\n")
        document = json.loads(self.netsim("explain", "idle.yaml", "--format", "json").stdout)
        self.assertEqual(document["resources"], [])
        self.assertEqual(document["series"][0]["total"], [0])

    def test_deadlock(self):
        """via.alltoall.deadlock_case: no message was delivered; the reasons of the waits are reported."""
        done = self.netsim("explain", "alltoall_deadlock", code=3)
        self.assertIn("deadlock: 6 of 6 ranks wait", done.stderr)
        self.assertIn("waits for memory to pin its buffer", done.stdout)
        document = self.explained("alltoall_deadlock", code=3)
        failure, = document["series"][0]["failures"]
        self.assertEqual(failure["reason"]["kind"], "deadlock")
        self.assertEqual(document["series"][0]["total"], [None])

    def test_repetitions_that_are_measured_one_by_one(self):
        """Their mean is explained, which is what run reports, and its parts add up to it."""
        arguments = ("portals_pingpong_system1", "--series", "polling")
        text = self.netsim("explain", *arguments, "--no-trials").stdout
        self.assertRegex(text, r"\Apolling, 29 B: [\d.]+ us, the mean of 30 messages in 30 "
                         r"repetitions, as rank 1 measures it\n\n")
        series, = self.explained(*arguments)["series"]
        run = json.loads(self.netsim("run", "portals_pingpong_system1", "--format", "json",
                                     "--quiet").stdout)
        point, = next(one for one in run["series"] if one["name"] == "polling")["points"]
        self.assertAlmostEqual(point["latency_us"], series["total"][0], places=6)
        self.assertEqual(sum(series["exact"][0]["stages_ps"].values()),
                         series["exact"][0]["total_ps"])

    def test_tables(self):
        text = self.netsim("explain", "pingpong_cluster1", "--series", "native", "--size",
                           "4 KiB").stdout
        self.assertRegex(text, r"\Anative, 4096 B: [\d.]+ us, the mean of 2000 messages in 1000 "
                         r"repetitions, as rank 0 measures it\n\n")
        self.assertRegex(text, r"(?m)^  serialisation +[\d.]+ +[\d.]+ % +[\d.]+ % +wire$")
        self.assertRegex(text, r"(?m)^  sum +[\d.]+$")
        self.assertRegex(text, r"(?m)^  1 % faster, the links: [\d.]+ % less time \(link.rate\)$")
        self.assertNotIn(" only", text)
        rows = self.netsim("explain", "pingpong_cluster1", "--series", "native",
                           "--set", "workload.sizes=[1 B, 2 B]").stdout.splitlines()
        self.assertEqual([row.split()[0] for row in rows if row.strip() and "us of" not in row],
                         ["size", "1", "2"])

    def test_deterministic(self):
        arguments = ["explain", "pingpong_cluster2", "--size", "5000 B", "--format", "json"]
        self.assertEqual(self.netsim(*arguments).stdout, self.netsim(*arguments).stdout)

    def test_collective_is_that_of_the_slowest_rank(self):
        self.write("all.yaml", "schema: 1\nname: all\nstack: lam_via\n"
                   f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                   "workload: {ranks: 4, program: [{ranks: all, do: [{alltoall: 1 KiB}]}]}\n")
        run = json.loads(self.netsim("run", "all.yaml", "--format", "json", "--quiet").stdout)
        slowest = max(value["value"] for value in run["series"][0]["values"]
                      if value["metric"] == "program_us")
        stages, _, document = self.one("all.yaml")
        self.assertAlmostEqual(sum(stages.values()) / 1e6, slowest)
        self.assertAlmostEqual(document["series"][0]["total"][0], slowest)

    def test_bad_usage(self):
        for arguments, part in (
                (["pingpong_cluster1", "--series", "VIA RPC"], "did you mean VIA RPI?"),
                (["pingpong_cluster1", "--size", "1 b"], "--size 1 b"),
                (["pingpong_cluster1", "--size", "-1 B"], "--size -1 B"),
                (["pingpong_cluster1", "--size", ""], "--size"),
                (["pingpong_cluster1", "--size", "99999999999999999999"], "--size 9999"),
                (["alltoall_deadlock", "--size", "1"], "which takes no message size"),
                (["pingpong_cluster1", "--format", "junit"], "--format junit"),
                (["pingpong_cluster1", "--seed", "x"], "--seed x"),
                (["pingpong_cluster1", "--set", "lam.requst=1"], "lam.request"),
                (["pinpong_cluster1"], "did you mean pingpong_cluster1?"),
                ([], "too few")):
            with self.subTest(arguments=arguments):
                self.assertIn(part, self.netsim("explain", *arguments, code=1).stderr)

    @needs.matplotlib
    def test_plot(self):
        self.netsim("explain", "pingpong_cluster1", "--series", "native", "--set",
                    "workload.sizes=1 B .. 64 B", "--plot", "stages.svg")
        self.assertIn("<svg", self.read("stages.svg"))


if __name__ == "__main__":
    unittest.main()
