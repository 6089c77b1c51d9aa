#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenarios on Myrinet: GM, ARMCI (thesis 001) and GRIM (thesis 003).

`netsim validate` holds their curves against what the theses print; here is what a run must have
whatever its constants are. No test depends on how long something takes.
"""

import unittest

from running import Case, DONE, FAILED

MB = 10**6
FEW = ("--set", "workload.sizes=[8 B, 12800 B, 524288 B, 1280000 B]")
CURVES = ("armci_put_config1", "armci_put_config2", "armci_put_buffers", "armci_get_config1",
          "armci_get_config2", "armci_accumulate")


class Armci(Case):
    def test_every_curve_completes(self):
        for name in CURVES:
            run = self.completes(name, *FEW, tag=name)
            for series in run.json["series"]:
                times = [point["latency_us"] for point in series["points"]]
                self.assertEqual(len(times), 4)
                self.assertEqual(times, sorted(times), f"{name}: {series['name']}")

    def test_a_put_within_one_buffer_gains_nothing(self):
        """armci.put.gain_needs_multibuffer, armci.put.first_buffer_serial"""
        run = self.completes("armci_put_config1", *FEW)
        for size in (8, 12800):
            self.assertAlmostEqual(run.points("current")[size]["latency_us"],
                                   run.points("pipelined")[size]["latency_us"], places=6)
        self.assertLess(run.points("pipelined")[1280000]["latency_us"],
                        run.points("current")[1280000]["latency_us"])

    def test_strided_data_cost_more(self):
        run = self.completes("armci_put_config1", *FEW)
        for size in (12800, 524288):
            self.assertGreater(run.points("current strided")[size]["latency_us"],
                               run.points("current")[size]["latency_us"])

    def test_memory_is_what_throttles(self):
        """armci.ideal_overlap_gain: without the shared memory bus copies and sends overlap almost
        as the table of figure 3.4 has it."""
        size = ("--set", "workload.sizes=1548800 B")
        gains = []
        for tag, free in (("shared", ()), ("free", ("--set", "host.memory.bus_rate=0 B/s"))):
            run = self.completes("armci_put_config1", *size, *free, tag=tag)
            gains.append(run.points("current")[1548800]["latency_us"] /
                         run.points("pipelined")[1548800]["latency_us"] - 1)
        self.assertGreater(gains[1], 0.45)
        self.assertGreater(gains[1], 3 * gains[0])

    def test_one_port(self):
        """armci.gm.two_port_deadlock_reason"""
        run = self.run_scenario("armci_one_port", code=FAILED)
        two, one = run.json["series"]
        self.assertEqual((two["status"], one["status"]), ("completed", "deadlock"))
        self.assertEqual(sorted(rank["rank"] for rank in one["reason"]["ranks"]), [0, 2, 3])
        self.completes("armci_one_port", "--set", "armci.server_stores=true", tag="stores")


class Gm(Case):
    def test_allsize(self):
        run = self.completes("gm_allsize", "--set", "workload.sizes=[4 B, 64 KiB]")
        latency, one, both = run.json["series"]
        for point in zip(latency["points"], one["points"], both["points"]):
            # A stream hides a part of what a single message takes, and two streams share the bus.
            self.assertLess(point[1]["latency_us"], point[0]["latency_us"])
            self.assertLess(point[1]["latency_us"], point[2]["latency_us"])

    def test_corrupt_packets_are_sent_again(self):
        run = self.completes("gm_corruption", "--set", "link.bit_error_rate=3e-8", "--set",
                             "workload.sizes=64 KiB", "--set", "workload.repetitions=300")
        corrupt = run.json["series"][1]
        dropped = sum(count for name, count in corrupt["counters"].items() if "CRC" in name)
        self.assertGreater(dropped, 0)

    def test_a_receiver_without_buffers(self):
        """armci.gm.recv_buffer_missing"""
        run = self.completes("gm_no_buffers")
        counters = run.json["series"][0]["counters"]
        self.assertGreater(counters["GM messages refused for lack of a receive buffer"], 0)
        for value in run.json["series"][0]["values"]:
            self.assertGreater(value["value"], 10000)

    def test_a_cable_that_is_pulled(self):
        run = self.completes("gm_cable")
        for value in run.json["series"][0]["values"]:
            self.assertGreater(value["value"], 60000)
        self.assertGreater(run.json["series"][0]["ledger"]["messages"], 0)


class Grim(Case):
    def test_scan(self):
        run = self.run_scenario("grim_scan", code=DONE)
        for series in run.json["series"]:
            times = [point["scan_us"] for point in series["points"]]
            self.assertEqual(times, sorted(times))

    def test_injection_below_the_limit(self):
        """grim.inject.low_until_limit: a burst within the limit costs what it costs without one."""
        run = self.completes("grim_injection", "--set", "workload.sizes=[1, 4, 16, 64]")
        cost = {series["name"]: [point["overhead_us"] for point in series["points"]]
                for series in run.json["series"]}
        self.assertEqual(cost["limit 4"][:2], cost["unbounded"][:2])
        self.assertEqual(cost["limit 16"][:3], cost["unbounded"][:3])
        self.assertEqual(cost["limit 64"], cost["unbounded"])
        self.assertGreater(cost["limit 4"][3], 2 * cost["unbounded"][3])

    def test_remote_memory(self):
        """grim.rm.contiguous_faster, grim.rm.rmp_faster_than_rmv, grim.rm.two_ops_notify_costlier"""
        run = self.completes("grim_remote_memory")
        for size in (16384, 65536):
            self.assertLess(run.points("RM-V contiguous")[size]["latency_us"],
                            run.points("RM-V paged")[size]["latency_us"])
        for size in (4, 256):
            self.assertLess(run.points("RM-P contiguous")[size]["latency_us"],
                            run.points("RM-V contiguous")[size]["latency_us"])
        self.assertLess(run.points("RM-V contiguous")[4]["latency_us"],
                        run.points("RM-V and a second write")[4]["latency_us"])

    def test_control_deadlock(self):
        """grim.ctl.deadlock_without_queue, grim.ctl.queue"""
        run = self.run_scenario("grim_control_deadlock", code=FAILED)
        queue, none = run.json["series"]
        self.assertEqual((queue["status"], none["status"]), ("completed", "deadlock"))
        self.assertEqual(len(none["reason"]["held_ports"]), 2)
        self.assertIn("in front of a station that takes no more", none["reason"]["text"])
        self.assertEqual(queue["ledger"]["delivered"], queue["ledger"]["messages"])

    def test_reply_deadlock(self):
        """grim.am.reply_deadlock, grim.am.overflow_queue"""
        run = self.run_scenario("grim_reply_deadlock", code=FAILED)
        statuses = {series["name"]: series["status"] for series in run.json["series"]}
        self.assertEqual(statuses["none"], "deadlock")
        self.assertIn("completed", statuses.values())
        text = next(s for s in run.json["series"] if s["name"] == "none")["reason"]["text"]
        for part in ("rank 0", "rank 1", "grim.overflow"):
            self.assertIn(part, text)

    def test_a_late_receiver(self):
        """grim.chan.sender_only_buffering, grim.chan.early_recv_queue"""
        run = self.completes("grim_late_receiver")
        sender, both = (series["counters"]["GRIM: messages sent again"]
                        for series in run.json["series"])
        self.assertGreater(sender, 100)
        self.assertEqual(both, 0)

    def test_a_cable_that_is_pulled(self):
        """grim.rel.no_timeout"""
        run = self.run_scenario("grim_cable_pulled", code=FAILED)
        statuses = sorted(series["status"] for series in run.json["series"])
        self.assertEqual(statuses[0], "completed")
        self.assertIn(statuses[1], ("deadlock", "failed"))


if __name__ == "__main__":
    unittest.main()
