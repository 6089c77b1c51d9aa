#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every shipped scenario does what its description promises.

The curves of the PingPong scenarios have a file of their own, test_pingpong.py; so have those on
Myrinet, test_myrinet.py, and that each gives the same twice, test_determinism.py. No test here
depends on how long something takes.
"""

import os
import unittest

from running import Case, DONE, FAILED, SCENARIOS, UNBALANCED
from shipped import FEW, FLOWS, RECORDINGS, TESTED, UNVALIDATED

KIB, MIB = 1 << 10, 1 << 20


class Shipped(Case):
    def test_every_scenario_is_tested(self):
        shipped = {name[:-len(".yaml")] for name in os.listdir(SCENARIOS) if name.endswith(".yaml")}
        self.assertEqual(shipped, TESTED)

    def test_every_scenario_is_named_and_described(self):
        for name in sorted(TESTED):
            with open(os.path.join(SCENARIOS, name + ".yaml"), encoding="utf-8") as file:
                text = file.read()
            self.assertRegex(text, rf"(?m)^name: {name}$")
            source = ("on packets .*on flows" if name in FLOWS else
                      "traces/" if name in RECORDINGS else
                      "not validated" if name in UNVALIDATED else "thesis 00[0-4]")
            self.assertRegex(text, rf"(?m)^description: .*{source}")


class CopyOrRegister(Case):
    def test_the_curves_cross(self):
        """via.memcpy_vs_register.crossover, via.fig.4_2: a small buffer is cheaper to copy, a large
        one by far to register, and between the two the order changes once."""
        run = self.run_scenario("copy_or_register", code=DONE)
        copy, register = run.points("copy"), run.points("VipRegisterMem")
        cheaper = [copy[size]["latency_us"] < register[size]["latency_us"] for size in copy]
        self.assertEqual(cheaper, sorted(cheaper, reverse=True))
        self.assertLess(10 * copy[64]["latency_us"], register[64]["latency_us"])
        self.assertGreater(copy[4 * MIB]["latency_us"], 10 * register[4 * MIB]["latency_us"])

    def test_registration_goes_by_pages(self):
        run = self.run_scenario("copy_or_register", code=DONE)
        register = run.points("VipRegisterMem")
        self.assertAlmostEqual(register[1]["latency_us"], register[4096]["latency_us"], places=6)
        page = register[8192]["latency_us"] - register[4096]["latency_us"]
        self.assertAlmostEqual(register[4 * MIB]["latency_us"],
                               register[4096]["latency_us"] + 1023 * page, places=3)


class TcpCablePulled(Case):
    def test_rates_by_second(self):
        """TCP tries again after times that double: of the 2 s that the cable is out it makes more than
        3, and is back at its old rate then."""
        run = self.run_scenario("tcp_cable_pulled", code=DONE)
        whole, pulled = run.points("whole"), run.points("pulled")
        self.assertEqual(list(pulled), list(range(12)))
        for second in range(12):
            self.assertTrue(93 < whole[second]["rate_Mb_per_s"] < 95)
        self.assertEqual([second for second in pulled if pulled[second]["rate_Mb_per_s"] < 1],
                         [3, 4, 5])
        self.assertEqual([second for second in pulled if pulled[second]["rate_Mb_per_s"] < 93],
                         [3, 4, 5, 6])


class PinCacheSearch(Case):
    def test_what_is_compared(self):
        """via.pincache.avl_breakeven, via.pincache.hybrid_lookup_overhead: nothing but the searches differs, so the
        structures are in the order of the entries that they visit, and within a microsecond of each other for each of
        the 6000 searches."""
        run = self.run_scenario("pin_cache_search", code=DONE)
        time = {series["name"]: value["value"] for series in run.json["series"]
                for value in series["values"] if value["rank"] == 0}
        table, tree, both = time["table"], time["tree"], time["both"]
        self.assertLess(table, tree)
        self.assertLess(tree, both)
        self.assertLess(both - table, 6000)


class Nas(Case):
    def test_every_code_ends(self):
        """Over VIA and over TCP all messages of the four codes come, and each code is within a fifth as fast over both."""
        run = self.completes("nas_cluster1")
        rate = {series["name"]: point["operations_Mop_per_s"] for series in run.json["series"]
                for point in series["points"]}
        self.assertEqual(len(rate), 8)
        for code in ("CG", "IS", "LU", "MG"):
            self.assertAlmostEqual(rate[f"{code}, TCP"] / rate[f"{code}, VIA"], 1, delta=0.2)


class CutThrough(Case):
    def test_saves_the_frame_behind_its_header(self):
        """A frame of 14 + 32 + 36 + size + 4 bytes is not waited for beyond its 14 of header."""
        run = self.run_scenario("cut_through", code=DONE)
        cut, stored = run.points("cuts through"), run.points("stores")
        for size in (1, 64, 1024):
            saved = stored[size]["latency_us"] - cut[size]["latency_us"]
            self.assertAlmostEqual(saved, (32 + 36 + size + 4) * 0.08, places=6)
        self.assertGreater(stored[65536]["latency_us"], cut[65536]["latency_us"])


class Flood(Case):
    """via.rpi.flood_crash, via.rpi.no_flow_control, via.rpi.error_handler"""

    def test_breaks(self):
        run = self.run_scenario("flood_empty_rq", code=FAILED)
        self.assertEqual(run.status, "failed")
        self.assertEqual(run.reason["kind"], "connection_broken")
        self.assertEqual((run.reason["rank"], run.reason["peer"], run.reason["vi"]), (1, 0, 1))
        self.assertEqual((run.reason["setting"], run.reason["value"]), ("lam_via.rdescs", 50))
        for part in ("rank 1 fell behind", "VI 1", "lam_via.rdescs", "50"):
            self.assertIn(part, run.reason["text"])
            self.assertIn(part, run.stderr)

    def test_loses_the_message_after_the_last_descriptor(self):
        run = self.run_scenario("flood_empty_rq", code=FAILED)
        self.assertEqual(run.json["ledger"]["lost"], 1)
        self.assertEqual(run.json["ledger"]["delivered"], 0)
        self.assertEqual(run.unaccounted[0], "message 51, rank 0 to 1, 4 B: bytes 0..3 lost: "
                                             "receive queue empty")
        self.assertIn("vi[1] connected -> error receive queue empty", run.states())

    def test_more_descriptors_avoid_it(self):
        self.completes("flood_empty_rq", "--set", "lam_via.rdescs=100")
        self.completes("flood_empty_rq", "--set", "lam_via.rdescs=60", tag="exactly")
        self.run_scenario("flood_empty_rq", "--set", "lam_via.rdescs=59", code=FAILED, tag="less")


class Overrun(Case):
    def test_overwrites(self):
        run = self.run_scenario("area_overrun", code=FAILED)
        self.assertEqual(run.status, "failed")
        self.assertEqual(run.reason["kind"], "area_overrun")
        self.assertEqual((run.reason["rank"], run.reason["peer"], run.reason["vi"]), (1, 0, 1))
        self.assertEqual((run.reason["setting"], run.reason["value"]), ("lam_via.area", 65536))
        for part in ("rank 1 fell behind", "VI 1", "lam_via.area", "65536 B"):
            self.assertIn(part, run.reason["text"])

    def test_ledger_names_what_was_destroyed(self):
        run = self.run_scenario("area_overrun", code=FAILED)
        self.assertEqual(run.unaccounted[0], "message 1, rank 0 to 1, 16384 B: bytes 0..16383 "
                                             "lost: overwritten in the RDMA area")
        self.assertEqual(run.json["ledger"]["lost"], 1)
        self.assertIn(run.unaccounted[0], run.read("manifest.json"))

    def test_larger_area_avoids_it(self):
        self.completes("area_overrun", "--set", "lam_via.area=256 KiB")


class Broadcast(Case):
    """via.bcast.c1.via_fastest as far as it holds: see docs/fidelity.md"""

    def test_every_stack_completes(self):
        for cluster in (1, 2):
            run = self.completes(f"bcast_cluster{cluster}", *FEW, tag=str(cluster))
            for series in run.json["series"]:
                self.assertEqual(sorted(p["size_bytes"] for p in series["points"]),
                                 [1, 20 * KIB, 100 * KIB])

    def test_smaller_area_keeps_both_buffers(self):
        """via.bcast.c2.pin_thrash, via.bcast.c2.smaller_area_helps: the mechanism"""
        options = ("--set", "workload.sizes=4 MiB", "--set", "workload.repetitions=8")
        run = self.completes("bcast_cluster2_small_area", *options)
        parts = run.states().split("# series ")[1:]
        evictions = {part.splitlines()[0]: part.count("evicted") for part in parts}
        self.assertGreater(evictions.pop("default area"), 10)
        self.assertEqual(evictions, {"32 KiB area": 0, "default area with 20 MiB": 0})


class Ring(Case):
    def test_the_cycle_is_named(self):
        run = self.run_scenario("ring_deadlock", code=FAILED)
        self.assertEqual(run.status, "deadlock")
        ports = run.reason["held_ports"]
        self.assertEqual(len(ports), 4)
        for i, line in enumerate(ports):
            self.assertIn(f"switch{i}->switch{(i + 1) % 4} is held by the packet from", line)
        self.assertIn("routes: up_down", run.reason["text"])

    def test_up_down_routes_avoid_it(self):
        run = self.completes("ring_deadlock", "--set", "routes=up_down")
        self.assertTrue(run.json["series"][1]["status"] == "completed")


class Alltoall(Case):
    """via.pin.alltoall_deadlock"""

    def test_deadlock(self):
        run = self.run_scenario("alltoall_deadlock", code=FAILED)
        self.assertEqual(run.status, "deadlock")
        self.assertEqual(run.reason["kind"], "deadlock")
        self.assertEqual([rank["rank"] for rank in run.reason["ranks"]], list(range(6)))
        for rank in run.reason["ranks"]:
            self.assertIn("alltoall", rank["at"])
            self.assertEqual(rank["pin_limit_bytes"], 20 * MIB)
            self.assertGreater(rank["pinned_bytes"], 16 * MIB)
            self.assertLessEqual(rank["pinned_bytes"], 20 * MIB)
            others = sorted(set(range(6)) - {rank["rank"]})
            for kind, waits_for in (("recv", "a matching message"),
                                    ("send", "memory to pin its buffer")):
                requests = [r for r in rank["requests"] if r["kind"] == kind]
                self.assertEqual(sorted(r["peer"] for r in requests), others)
                self.assertEqual({r["size"] for r in requests}, {4 * MIB})
                self.assertEqual({r["waits_for"] for r in requests}, {waits_for})
        self.assertEqual(run.json["ledger"]["delivered"], 0)

    def test_more_memory_avoids_it(self):
        run = self.completes("alltoall_deadlock", "--set", "host.memory.pin_limit=64 MiB")
        self.assertEqual(run.json["ledger"]["messages"], 30)

    def test_smaller_messages_avoid_it(self):
        self.completes("alltoall_deadlock", "--set", "host.memory.pin_limit=41 MiB")
        run = self.run_scenario("alltoall_deadlock", "--set", "host.memory.pin_limit=19 MiB",
                                code=FAILED, tag="less")
        self.assertEqual(run.status, "deadlock")


class Classes(Case):
    """via.rpi.tiny_protocol, via.rpi.short_protocol, via.rpi.long_protocol: each of these
    scenarios sends a message, and a synchronous one."""

    def expect(self, run, rank, lines):
        self.assertEqual(run.transitions(rank, "send", "recv"), lines)

    def test_tiny(self):
        run = self.completes("tiny")
        self.expect(run, 0, ["send[1] start -> envelope_sent tiny",
                             "send[1] envelope_sent -> done",
                             "send[2] start -> envelope_sent tiny",
                             "send[2] envelope_sent -> wait_ack synchronous",
                             "send[2] wait_ack -> done"])
        self.assertEqual(run.transitions(0, "pin") + run.transitions(1, "pin"), [])
        self.assertEqual(run.transitions(1, "recv")[-2:],
                         ["recv[2] posted -> ack_sent synchronous", "recv[2] ack_sent -> done"])

    def test_short(self):
        run = self.completes("short")
        self.expect(run, 0, ["send[1] start -> envelope_sent short",
                             "send[1] envelope_sent -> body_sent",
                             "send[1] body_sent -> done",
                             "send[2] start -> envelope_sent short",
                             "send[2] envelope_sent -> body_sent",
                             "send[2] body_sent -> wait_ack synchronous",
                             "send[2] wait_ack -> done"])
        # Its sender pins the user's buffer; its receiver copies and pins nothing.
        self.assertEqual(sum("registered" in line for line in run.transitions(0, "pin")), 2)
        self.assertEqual(run.transitions(1, "pin"), [])
        self.assertEqual(run.transitions(1, "recv")[-3:],
                         ["recv[2] start -> wait_body short",
                          "recv[2] wait_body -> ack_sent synchronous", "recv[2] ack_sent -> done"])

    def test_long(self):
        run = self.completes("long")
        lines = [f"send[{n}] {step}" for n in (1, 2)
                 for step in ("start -> syn_sent long", "syn_sent -> wait_ack",
                              "wait_ack -> body_sent first piece",
                              "body_sent -> body_sent last piece", "body_sent -> done")]
        self.expect(run, 0, lines)
        for rank in (0, 1):
            registered = [line for line in run.transitions(rank, "pin") if "registered" in line]
            self.assertEqual(len(registered), 2)
            for line in registered:
                self.assertIn(f"{200 * KIB} B", line)
        self.assertEqual(sum("ack_sent target" in line for line in run.transitions(1, "recv")), 2)

    def test_lost_frame(self):
        """A message that is lost ends the run; a lost piece of a long body is seen in the books
        alone."""
        lost = ("--set", "link.fault_direction=forward", "--set")
        run = self.run_scenario("tiny", *lost, "link.drop_nth=[4]", code=FAILED, tag="tiny")
        self.assertEqual(run.status, "deadlock")
        self.assertRegex(run.unaccounted[0],
                         r"message 2, rank 0 to 1, 1024 B: bytes 0\.\.1023 lost: ")
        run = self.run_scenario("long", *lost, "link.drop_nth=[8]", code=UNBALANCED, tag="long")
        self.assertEqual(run.status, "lost")
        self.assertRegex(run.unaccounted[0], r"message 1, rank 0 to 1, 204800 B: bytes .* lost: ")


class Unexpected(Case):
    """via.rpi.unexpected_tiny, via.rpi.unexpected_short_complete,
    via.rpi.unexpected_short_claimed, via.rpi.unexpected_long"""

    def test_all_four_cases(self):
        run = self.completes("unexpected_messages")
        lines = run.transitions(1, "recv", "cbuf")
        arrivals = [line.split(" ")[-1] for line in lines if line.startswith("cbuf")]
        self.assertEqual(arrivals, ["unexpected_tiny", "unexpected_short", "unexpected_long",
                                    "unexpected_short"])
        starts = [line.split(" ", 1)[1] for line in lines if " start -> " in line]
        self.assertEqual(starts, ["start -> done", "start -> done", "start -> ack_sent target",
                                  "start -> wait_body short"])
        # The fourth finds its body expected.
        self.assertEqual(lines[-1].split(" ", 1)[1], "wait_body -> done")


if __name__ == "__main__":
    unittest.main()
