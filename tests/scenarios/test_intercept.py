#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenarios on Intercept (thesis 002): raw VDMA and Portals.

`netsim validate` holds bandwidths and latencies against what the thesis prints; here is what a run
must have whatever its constants are. No test depends on how long something takes.
"""

import os
import subprocess
import unittest

from running import Case, FAILED, NETSIM, SCENARIOS

MIB = 1 << 20
SMALL = ("--set", "workload.sizes=2 MiB")


def counters(run, series: str) -> dict:
    return next(s for s in run.json["series"] if s["name"] == series)["counters"]


class PingPong(Case):
    def test_builds(self):
        """icpt.pingpong.measure_semantics, icpt.short.thread_wakeup: 30 puts there and 30 back, each
        an RTS that is answered by a MSGEND; the time of one ends with its MSGEND, so that it does
        not depend on the pause in which the other comes. The thread polls or is woken."""
        run = self.completes("portals_pingpong_system1")
        for build in ("interrupt", "polling"):
            count = counters(run, build)
            self.assertEqual((count["RMPP: RTS"], count["RMPP: MSGEND"]), (60, 60))
            self.assertNotIn("RMPP: CTS", {k for k, v in count.items() if v})
        self.assertEqual(counters(run, "polling").get("Intercept interrupts", 0), 0)
        self.assertGreaterEqual(counters(run, "interrupt")["Intercept interrupts"], 60)
        points = {build: run.points(build)[29] for build in ("interrupt", "polling")}
        for metric in ("latency_us", "repetition_min_us"):
            self.assertLess(points["polling"][metric], points["interrupt"][metric])

    def test_each_call_enters_the_kernel(self):
        """icpt.portals.no_os_bypass: a dearer system call makes every put dearer."""
        times = [self.completes("portals_pingpong_system1", "--set",
                                f"host.kernel.system_call={cost}", tag=cost[0])
                 .points("interrupt")[29]["repetition_min_us"] for cost in ("1 us", "5 us")]
        self.assertGreater(times[1] - times[0], 3.9)


class Planes(Case):
    def test_reordering(self):
        """icpt.planes.reordering, icpt.short.message_order, icpt.portals.in_order_begin,
        icpt.short.offset_from_number: RTS overtake each other on planes of unequal length, wait for
        their turn, and all bytes come once."""
        run = self.completes("plane_reordering")
        self.assertGreater(counters(run, "four planes")["RMPP: RTS kept for their turn"], 0)
        self.assertEqual(counters(run, "one plane").get("RMPP: RTS kept for their turn", 0), 0)

    def test_striping(self):
        """icpt.planes.striping: where only planes bind, two are twice as fast as one, and four
        twice as fast as two."""
        run = self.completes("vdma_planes_system2", "--set", "workload.sizes=8 MiB", "--set",
                             "host.bus={clock: 100 GHz, width: 8 B, rate: 0 B/s}", "--set",
                             "vdma_handler.ahead=3")
        rates = [run.points(name)[8 * MIB]["bandwidth_MB_per_s"]
                 for name in ("1 plane", "2 planes", "4 planes")]
        for fewer, more in zip(rates, rates[1:]):
            self.assertAlmostEqual(more / fewer, 2, delta=0.1)

    def test_one_plane_keeps_order(self):
        """icpt.planes.single_plane_order: on one plane no RTS has to wait for its turn, however
        the sizes are mixed."""
        run = self.completes("plane_reordering")
        self.assertEqual(counters(run, "one plane").get("RMPP: RTS kept for their turn", 0), 0)

    def test_dark_plane(self):
        """icpt.vdma.fault_tolerance: what is masked out is not missed; what is not stops."""
        self.completes("plane_masked")
        self.run_scenario("plane_dead", code=FAILED)

    def test_repeats(self):
        """icpt.link.retransmission: above the links only the time changes."""
        run = self.completes("link_corruption", "--set", "workload.sizes=[29 B, 8 KiB, 64 KiB]")
        clean, corrupt = counters(run, "clean"), counters(run, "some corrupt")
        for name in ("RMPP: RTS", "RMPP: DATA", "RMPP: MSGEND", "VDMA handler: slices received"):
            self.assertEqual(clean.get(name), corrupt.get(name), name)
        for series in run.json["series"]:
            self.assertEqual(series["ledger"]["lost"], 0)


class Vdma(Case):
    def test_slices(self):
        """icpt.vdma.get, icpt.vdma.put, icpt.vdma.done_reason, icpt.vdma.packet_counter: a GET and
        an interrupt per slice, a PUT and a DONE per write."""
        for size, slices in (("1048568 B", 1), ("1 MiB", 1), ("1048584 B", 2), ("5 MiB", 5)):
            run = self.completes("vdma_slices", "--set", f"workload.sizes={size}", tag=size)
            for series in run.json["series"]:
                count = series["counters"]
                writes = count["VDMA handler: PUT sent"]
                self.assertEqual(count["VDMA handler: DONE sent"], writes)
                self.assertEqual(count["VDMA handler: GET sent"], slices * writes)
                self.assertEqual(count["VDMA handler: slices received"], slices * writes)

    def test_prepared_ahead(self):
        """icpt.vdma.one_active: slices that are prepared while one is under way save time, and one
        after the other still goes over the link."""
        run = self.completes("vdma_slices", "--set", "workload.sizes=5 MiB")
        times = [run.points(name)[5 * MIB]["latency_us"]
                 for name in ("none ahead", "1 ahead", "3 ahead")]
        self.assertGreater(times[0], times[1])
        self.assertAlmostEqual(times[1], times[2], delta=10)

    def test_counters_and_threads(self):
        """icpt.vdma.sender_counter_first, icpt.vdma.receiver_prepares, icpt.vdma.kernel_thread:
        the receiver's channel is ready before the sender sends, and the sender's counter is zero
        first; a dearer switch to the kernel's thread makes a transfer dearer."""
        options = ("--set", "workload.sizes=1 MiB", "--set", "workload.repetitions=1")
        run = self.completes("vdma_slices", *options)
        log = run.states().split("# series ")[1]
        steps = [log.index(step) for step in (
            "node1 VDMA channel[0] FREE -> READY", "node0 VDMA channel[0] QUEUED -> SENDING",
            "node0 VDMA channel[0] SENDING -> DONE", "node1 VDMA channel[0] ACTIVE -> DONE")]
        self.assertEqual(steps, sorted(steps))
        dearer = self.completes("vdma_slices", *options, "--set",
                                "host.kernel.switch_thread=100 us", tag="dearer")
        self.assertGreater(dearer.points("none ahead")[MIB]["latency_us"],
                           run.points("none ahead")[MIB]["latency_us"] + 190)

    def test_credit(self):
        """icpt.vdma.credit_flow_control: with a single credit each message waits for an update,
        and all get through."""
        options = ("--set", "workload.sizes=5 MiB", "--set", "vdma_handler.credits=1", "--set",
                   "vdma_handler.credit_update=1")
        few = self.completes("vdma_slices", *options, tag="few")
        many = self.completes("vdma_slices", "--set", "workload.sizes=5 MiB", tag="many")
        few, many = (counters(run, "none ahead") for run in (few, many))
        self.assertGreater(few["VDMA handler: CREDIT sent"],
                           many.get("VDMA handler: CREDIT sent", 0))
        self.assertEqual(few["VDMA handler: GET sent"], many["VDMA handler: GET sent"])

    def test_alignment(self):
        """icpt.vdma.alignment_reject, icpt.align.same_displacement,
        icpt.align.different_displacement, icpt.align.any_transfer, icpt.align.first_slice_info"""
        run = self.run_scenario("vdma_alignment")
        declined = {s["name"] for s in run.json["series"] if s["ledger"].get("declined", 0)}
        self.assertEqual(declined, {"aligned to 8 B", "16 B", "28 B"})
        same, different = (counters(run, f"{kind} displacement") for kind in ("same", "different"))
        self.assertEqual(same.get("VDMA handler: slices copied", 0), 0)
        self.assertEqual(different["VDMA handler: slices copied"], 2)
        for count in (same, different, counters(run, "20 B split")):
            self.assertEqual(count["VDMA handler: GET_EXT_REPLY sent"], 1)

    def test_only_a_different_displacement_is_copied(self):
        """icpt.align.same_displacement: with the same -m at both programs nothing is lost but the
        message that carries the ends; at one alone a tenth is."""
        run = self.completes("portals_bandwidth_system1", "--set", "workload.sizes=20 MiB")
        times = {name: run.points(name)[20 * MIB]["latency_us"]
                 for name in ("VDMA", "both off by 4", "client off by 4")}
        self.assertAlmostEqual(times["both off by 4"] / times["VDMA"], 1, delta=0.01)
        self.assertGreater(times["client off by 4"] / times["VDMA"], 1.05)

    def test_self_connection(self):
        """icpt.conn.self_connect_bug, icpt.vdma.connection_based"""
        run = self.run_scenario("self_connect", code=FAILED)
        self.assertEqual([series["status"] for series in run.json["series"]],
                         ["failed", "completed", "completed"])

    def test_old_firmware(self):
        """icpt.firmware.old_alignment: it never ends, and reports no reason."""
        run = self.run_scenario("old_firmware", code=FAILED)
        self.assertEqual([series["status"] for series in run.json["series"]],
                         ["completed", "deadlock"])

    def test_loopback_shares_the_bus(self):
        """icpt.bw.s1.loopback_below_two_node: both directions of a looped card take turns."""
        run = self.completes("vdma_loopback_system1", *SMALL)
        for kind in ("VDMATransfer", "Portals"):
            self.assertGreater(run.points(f"{kind} looped")[2 * MIB]["latency_us"],
                               run.points(kind)[2 * MIB]["latency_us"])


class Messages(Case):
    # (RTS, CTS, DATA, STOP_DATA, NEXT_CTS, LAST_DATA, MSGEND)
    PACKETS = {"0 B": (1, 0, 0, 0, 0, 0, 1), "29 B": (1, 0, 0, 0, 0, 0, 1),
               "416 B": (1, 0, 0, 0, 0, 0, 1), "417 B": (1, 1, 0, 0, 0, 1, 1),
               "900 B": (1, 1, 0, 0, 0, 1, 1), "901 B": (1, 1, 1, 0, 0, 1, 1),
               "8160 B": (1, 1, 15, 0, 0, 1, 1), "8161 B": (0, 0, 0, 0, 0, 0, 0),
               "8161 B forced": (1, 1, 15, 1, 1, 1, 1),
               "16384 B forced": (1, 1, 30, 2, 2, 1, 1)}

    def test_packets(self):
        """icpt.short.flow, icpt.short.single_packet, icpt.short.stop_data,
        icpt.short.next_cts_only_when_forced, icpt.short.rts_payload, icpt.short.msgend_meaning,
        icpt.cfg.protocol_threshold, icpt.cfg.packet_payload, icpt.fig.5_6"""
        run = self.completes("short_message_flow")
        kinds = ("RTS", "CTS", "DATA", "STOP_DATA", "NEXT_CTS", "LAST_DATA", "MSGEND")
        found = {s["name"]: tuple(s["counters"].get(f"RMPP: {kind}", 0) for kind in kinds)
                 for s in run.json["series"]}
        self.assertEqual(found, self.PACKETS)

    def test_path_of_a_put(self):
        """icpt.portals.put_path, icpt.fig.3_3, icpt.portals.events, icpt.portals.connectionless: the target's event
        follows the RTS, the initiator's the MSGEND; no process has connected before."""
        run = self.completes("short_message_flow")
        log = run.states().split("# series ")[2]
        steps = [log.index(step) for step in (
            "rank 0 put[1] new -> wait_send_end", "rank 0 short send[0] NEW -> RTS_SENT",
            "rank 1 short receive[0] PARSED -> ENDED node0, MSGEND sent",
            "rank 1 event[2] wait_event -> done",
            "rank 0 short send[0] RTS_SENT -> DONE node1, MSGEND",
            "rank 0 put[1] wait_send_end -> done")]
        self.assertEqual(steps, sorted(steps))
        self.assertEqual(counters(run, "29 B").get("VDMA handler: CONNECT sent", 0), 0)

    def test_matching_first(self):
        """icpt.portals.matching_before_transfer: Portals has matched before the first slice is
        asked for."""
        log = self.completes("long_message_flow").states()
        self.assertLess(log.index("long receive[1] MATCHED -> READING"),
                        log.index("node0 VDMA channel[0] QUEUED -> SENDING"))

    def test_process_ids(self):
        """icpt.rank.composition: a process is a node and a pid; a message to a pid that is not
        there is dropped, and its sender waits."""
        path = "workload.program[0].do[1].put.pid"
        self.completes("short_message_flow", "--set", f"{path}=5")
        run = self.run_scenario("short_message_flow", "--set", f"{path}=6", code=FAILED,
                                tag="other")
        self.assertEqual(counters(run, "29 B")["RMPP: messages to an unknown pid"], 1)

    def test_one_process_per_node(self):
        """icpt.driver.single_process"""
        done = subprocess.run([NETSIM, "check", os.path.join(SCENARIOS, "long_message_flow.yaml"),
                               "--set", "workload.ranks=3"], text=True, check=False,
                              capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("one process a host", done.stderr)

    def test_long(self):
        """icpt.long.flow, icpt.long.receiver_driven, icpt.conn.pseudo_connectionless: the first put
        connects, each is a TRY_MATCH, three GETs and a MATCH_REPLY."""
        run = self.completes("long_message_flow")
        for series in run.json["series"]:
            count = {name.removeprefix("VDMA handler: "): value
                     for name, value in series["counters"].items()}
            self.assertEqual(count["GET sent"], 6)
            self.assertEqual(count["slices received"], 6)
            self.assertEqual(series["counters"].get("RMPP: RTS", 0), 0)

    def test_declined(self):
        """icpt.portals.truncation, icpt.short.nomatch, icpt.portals.addressing: what a descriptor
        does not take is declined, and the sender's puts end."""
        run = self.run_scenario("truncated_put")
        for series in run.json["series"]:
            self.assertEqual(series["ledger"]["declined"], 3)
        run = self.run_scenario("unmatched_put", tag="unmatched")
        for series in run.json["series"]:
            self.assertEqual(series["ledger"]["declined"], 4)

    def test_event_queue(self):
        """icpt.portals.events: a queue of 16 slots that no process reads is overwritten."""
        self.completes("eq_overflow")

    def test_full_circular_buffer(self):
        """icpt.short.tx_full_postpone, icpt.short.two_tx_cbs, icpt.cb.pipelined_setup"""
        run = self.completes("tx_cb_full")
        for name in ("Intercept TX-CB full", "RMPP: packets postponed"):
            self.assertGreater(counters(run, "polling")[name], 0)
        self.assertEqual(counters(run, "polling")["RMPP: RTS"], 301)

    def test_boot(self):
        """icpt.short.bootmsg: what follows the first message waits until that is confirmed."""
        run = self.completes("boot_message")
        for series in run.json["series"]:
            self.assertGreater(series["counters"]["RMPP: packets postponed"], 1)

    def test_begin_order(self):
        """icpt.portals.in_order_begin does not hold between long and short messages: the short put,
        called second, begins first."""
        run = self.completes("begin_order_mixed")
        for log in run.states().split("# series ")[1:]:
            self.assertLess(log.index("short receive[0] PARSED"), log.index("long receive[1] MATCHED"))

    def test_incast(self):
        """icpt.short.cts_should_scale: grants do not ask for room in the RX-CB."""
        run = self.completes("incast_grants")
        self.assertGreater(
            counters(run, "grants of 64 and a small RX-CB")["Intercept packets held, RX-CB full"], 0)

    def test_large(self):
        """The scenario on 1,024 nodes is right; bench measures a run like it."""
        done = subprocess.run([NETSIM, "check",
                               os.path.join(SCENARIOS, "large", "portals_allpairs_1024.yaml")],
                              text=True, check=False, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1024 ranks on 1024 hosts", done.stdout)

    def test_designs(self):
        """The delivered driver is within a little of the better of its two protocols."""
        run = self.completes("design_versions")
        for size, point in run.points("delivered").items():
            best = min(run.points(name)[size]["latency_us"] for name in ("VDMA", "CB"))
            self.assertLess(point["latency_us"], 1.5 * best, size)


if __name__ == "__main__":
    unittest.main()
