#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The diagnosis of a deadlock, on every MPI library: the message that lies unexpected where a receive asks for another, the circle
of waits and the setting that opens it, and the rank that has ended its program."""

import json
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from harness import Case, NETSIM  # noqa: E402

# Testbed, and the full name of the setting that makes sends eager with what must be raised with it; None: all sends are.
LIBRARIES = {
    "lam_tcp": ("cluster1", "lam_tcp.short", ("tcp.buffer_limit=1 MiB",)),
    "lam_via": ("cluster1", "lam_via.short", ("lam_via.area=1 MiB", "mvia.largest_transfer=1 MiB")),
    "mvich": ("cluster1", "mvich.rendezvous_threshold", ("mvich.prepost_depth=400", "mvich.prepost_noop_extra=100")),
    "mpich_p4": ("cluster1", "mpich_p4.eager", ()),
    "openmpi_tcp": ("cluster1", "openmpi_tcp.eager", ()),
    "ch3_sock": ("x306", "ch3.eager", ()),
    "ch3_sctp": ("x306", "ch3.eager", ()),
    "ch3_hybrid": ("x306", "ch3.eager", ()),
    "grim": ("grim", None, ()),
    "armci": ("config1", None, ()),
}
SENDS = """[{send: {to: (rank + 1) % ranks, size: SIZE, tag: 1}}, {recv: {from: (rank - 1) % ranks, size: SIZE, tag: 1}}]"""


class Runs(Case):
    FIDELITY = "packet"

    def simulate(self, stack, ranks, program, *sets, code=3, workload=""):
        """The first series of a run, with its printed output in one line."""
        testbed = os.path.join(os.environ["NETSIM_SOURCE_DIR"], "scenarios", "testbeds", LIBRARIES[stack][0] + ".yaml")
        file = self.write("case.yaml", f"schema: 1\nname: case\ntestbed: {testbed}\nstack: {stack}\n"
                                       f"fidelity: {self.FIDELITY}\n"
                                       f"workload: {{{workload}ranks: {ranks}, program: {program}}}\n")
        done = self.netsim("run", file, "--out", "out", *(word for one in sets for word in ("--set", one)), code=code)
        with open(self.path("out/manifest.json"), encoding="utf-8") as manifest:
            return " ".join(done.stdout.split()), json.load(manifest)["series"][0]

    def find(self, kind, *arguments, **keys):
        printed, series = self.simulate(*arguments, **keys)
        self.assertEqual(series["status"], "deadlock")
        found = series["reason"].get(kind, [])
        for entry in found[:8]:
            self.assertIn(entry["text"], printed)
        return found


class Deadlock(Runs):
    def test_another_tag(self):
        for stack in LIBRARIES:
            with self.subTest(stack=stack):
                found = self.find("mismatches", stack, 2, "[{ranks: 0, do: [{send: {to: 1, size: 8 B, tag: 8}}, {recv: {from: 1, size: 8 B}}]},"
                                  "{ranks: 1, do: [{recv: {from: 0, size: 8 B, tag: 7}}, {send: {to: 0, size: 8 B}}]}]")
                self.assertEqual(found, [{
                    "rank": 1, "request": 1, "differs": ["tag"], "message": {"source": 0, "tag": 8, "bytes": 8},
                    "text": "node1 waits to receive tag 7 from node0; a message of 8 B with tag 8 from node0 lies there unexpected "
                            "(another tag)"}])

    def test_long_message_with_another_tag(self):
        for stack, (_, setting, _) in LIBRARIES.items():
            if setting:
                with self.subTest(stack=stack):
                    found, = self.find("mismatches", stack, 2, "[{ranks: 0, do: [{send: {to: 1, size: 300 KiB, tag: 8}}]},"
                                       "{ranks: 1, do: [{recv: {from: 0, size: 300 KiB, tag: 7}}]}]")
                    self.assertEqual((found["differs"], found["message"]["bytes"]), (["tag"], 307200))

    def test_circle(self):
        for stack, (testbed, setting, more) in LIBRARIES.items():
            for ranks in (2, 4) if setting else ():
                if ranks == 4 and testbed == "x306":
                    continue
                with self.subTest(stack=stack, ranks=ranks):
                    program = "[{ranks: all, do: " + SENDS.replace("SIZE", "300 KiB") + "}]"
                    circle, = self.find("circles", stack, ranks, program)
                    names = [f"node{rank % ranks}" for rank in range(ranks + 1)]
                    self.assertEqual(circle["ranks"], list(range(ranks)))
                    self.assertEqual(circle["setting"]["name"], setting)
                    needed = circle["setting"]["needed_bytes"]
                    self.assertIn(" -> ".join(names) + f": each waits to send to the next; with {setting} of {needed} B or more (it is "
                                  f"{circle['setting']['bytes']} B) the sends would be eager", circle["text"])
                    self.simulate(stack, ranks, program, f"{setting}={needed} B", *more, code=0)
                    again, = self.find("circles", stack, ranks, program, f"{setting}={needed - 1} B", *more)
                    self.assertEqual(again["setting"]["needed_bytes"], needed)

    def test_another_source_and_communicator(self):
        for stack in LIBRARIES:
            if stack not in ("grim", "armci"):  # with fewer than three hosts, or without communicators
                with self.subTest(stack=stack):
                    found = self.find(
                        "mismatches", stack, 2, "[{ranks: 0, do: [{send: {to: 1, size: 8 B, tag: 7, comm: both}}, "
                        "{recv: {from: 1, size: 8 B}}]}, {ranks: 1, do: [{recv: {from: 0, size: 8 B, tag: 7}}]}]",
                        workload="communicators: {both: {dup: all}}, ")
                    self.assertEqual(found[0]["differs"], ["communicator"])
        found, = self.find("mismatches", "mpich_p4", 3, "[{ranks: 2, do: [{send: {to: 1, size: 8 B, tag: 7}}]},"
                           "{ranks: 1, do: [{recv: {from: 0, size: 8 B, tag: 7}}]}]")
        self.assertEqual((found["differs"], found["message"]["source"]), (["source"], 2))
        self.assertIn("from node2 lies there unexpected (another source)", found["text"])

    def test_call_against_collective(self):
        found, = self.find("mismatches", "lam_tcp", 2, "[{ranks: 0, do: [{bcast: {root: 0, size: 8 B}}]},"
                           "{ranks: 1, do: [{recv: {from: 0, size: 8 B, tag: 7}}]}]")
        self.assertEqual(found["differs"], ["call"])

    def test_ended(self):
        """Waits for a rank that has ended are no circle, and are reported as such, with the chain of waiting ranks."""
        program = ("[{ranks: 0, do: [{compute: 1 us}]}, {ranks: 1, do: [{recv: {from: 0, size: 8 B, tag: 5}}, "
                   "{send: {to: 2, size: 8 B, tag: 0}}]}, {ranks: 2, do: [{recv: {from: 1, size: 8 B, tag: 0}}]}]")
        for stack, (testbed, _, _) in LIBRARIES.items():
            if testbed == "cluster1":
                with self.subTest(stack=stack):
                    printed, series = self.simulate(stack, 3, program)
                    self.assertEqual([entry["text"] for entry in series["reason"]["ended"]], [
                        "node1 waits to receive tag 5 from node0, which has ended its program: node2 -> node1 -> node0"])
                    self.assertIn("which has ended its program", printed)
                    self.assertNotIn("circles", series["reason"])
        for stack in LIBRARIES:
            with self.subTest(stack=stack, ranks=2):
                found, = self.find("ended", stack, 2, "[{ranks: 0, do: [{compute: 1 us}]}, "
                                   "{ranks: 1, do: [{recv: {from: 0, size: 8 B, tag: 5}}]}]")
                self.assertEqual((found["rank"], found["waited_for_by"]), (0, [1]))

    def test_any_source(self):
        found, = self.find("ended", "lam_tcp", 3, "[{ranks: 1, do: [{recv: {from: any, size: 8 B, tag: 5}}]}]")
        self.assertEqual(found["text"], "node1 waits to receive tag 5 from any rank, and all others have ended their programs")

    def test_no_setting(self):
        """A setting opens no circle of synchronous sends, none with a receive in it, and none of a rank alone."""
        synchronous = "[{ranks: all, do: [{ssend: {to: (rank + 1) % ranks, size: 300 KiB}}]}]"
        mixed = ("[{ranks: 0, do: [{send: {to: 1, size: 300 KiB}}]}, {ranks: 1, do: [{recv: {from: 2, size: 8 B}}]},"
                 "{ranks: 2, do: [{recv: {from: 0, size: 8 B}}]}]")
        alone = "[{ranks: 0, do: [{recv: {from: 0, size: 8 B}}]}]"
        for ranks, program, text in ((2, synchronous, "node0 -> node1 -> node0: each waits to send to the next"),
                                     (3, mixed, "node0 -> node1 -> node2 -> node0: each waits for the next"),
                                     (2, alone, "node0 -> node0: it waits for itself")):
            with self.subTest(text=text):
                circle, = self.find("circles", "lam_tcp", ranks, program)
                self.assertEqual((circle["text"], "setting" in circle), (text, False))

    def test_lost_message_is_no_circle(self):
        """A receive and the send that it would match wait for each other: the network is at fault."""
        _, series = self.simulate("lam_via", 2, "[{ranks: 0, do: [{ssend: {to: 1, size: 8 KiB, tag: 1}}]},"
                                  "{ranks: 1, do: [{recv: {from: 0, size: 8 KiB, tag: 1}}]}]",
                                  "link.drop_nth=[3]", "link.fault_direction=forward")
        self.assertEqual(series["status"], "deadlock")
        self.assertEqual({"mismatches", "circles", "ended"} & set(series["reason"]), set())

    def test_lost_messages(self):
        """Requests for connections of 48 processes at once overflow the queues of the switch. M-VIA repeats them, but no
        message: one whose receiver is not connected yet is lost. It is named, and no message of another rank that lies there."""
        sets = ("hosts=[{name: node, count: 48}]", "switch.ports=0", "host.memory.pin_limit=64 MB")
        found = self.find("lost", "lam_via", 48, "[{ranks: all, do: [{allreduce: 8 B}]}]", *sets, "switch.queue=24")
        self.assertIn(" lost: the VI is not connected", found[0]["text"])
        self.assertTrue(any(re.match(r"node\d+ waits to receive a collective's message from node\d+, which has sent it: the message "
                                     "has not arrived", entry["text"]) for entry in found), found)
        # `check` warns of it, at the setting or at the ranks, as long as the queue does not hold them.
        for more, told in (
                (("switch.queue=24",), "--set switch.queue=24: warning: switch.queue: 48 ranks of lam_via connect at once: 47 requests meet "
                                       "at each port, and the switch's queue holds 24; "),
                (("switch.queue=46",), "the switch's queue holds 46; "), (("switch.queue=47",), None), (("switch.queue=0",), None),
                (("switch.queue_bytes=2 KiB",), "--set switch.queue_bytes=2 KiB: warning: switch.queue_bytes: "), ((), None),
                (("switch.queue_bytes=3008 B",), None)):
            with self.subTest(more=more):
                done = self.netsim("check", "case.yaml", *(word for one in (*sets, *more) for word in ("--set", one)))
                if told:
                    self.assertIn(told, done.stderr)
                    self.assertIn("(switch.queue_bytes=3008 B holds them)" if "bytes" in told else "(switch.queue=47 holds them)",
                                  done.stderr)
                else:
                    self.assertEqual(done.stderr, "")

    def test_two_ranks_on_a_host(self):
        circle, = self.find("circles", "armci", 4, "[{ranks: all, do: [{recv: {from: (rank + 1) % ranks, size: 8 B}}]}]")
        self.assertEqual(circle["text"], "rank 0 -> rank 1 -> rank 2 -> rank 3 -> rank 0: each waits to receive from the next")


@unittest.skipUnless(os.path.exists(os.path.join(os.path.dirname(NETSIM), "netsim_flow.so")), "the plugin for SimGrid is not built")
class OnFlows(Runs):
    """Flows have the same findings: their matching is the plugin's, their requests are the flattened program's."""

    FIDELITY = "flow"

    def first_text(self, kind, program, **keys):
        return self.find(kind, "lam_tcp", 2, program, **keys)[0]["text"]

    def test_mismatches(self):
        receives = "{ranks: 1, do: [{recv: {from: 0, size: 8 B, tag: 7}}]}]"
        for differs, program in (
                ("a message of 8 B with tag 8 from node0 lies there unexpected (another tag)",
                 "[{ranks: 0, do: [{send: {to: 1, size: 8 B, tag: 8}}]}, " + receives),
                ("a message of 300000 B with tag 8 from node0 lies there unexpected (another tag)",
                 "[{ranks: 0, do: [{send: {to: 1, size: 300 kB, tag: 8}}]}, " + receives),
                ("a message of 8 B with tag 7 from node0 lies there unexpected (another communicator)",
                 "[{ranks: 0, do: [{send: {to: 1, size: 8 B, tag: 7, comm: both}}]}, " + receives),
                ("a message of 8 B of a collective from node0 lies there unexpected (one of a collective, the other of none)",
                 "[{ranks: 0, do: [{bcast: {root: 0, size: 8 B}}]}, " + receives)):
            with self.subTest(differs=differs):
                self.assertEqual(self.first_text("mismatches", program, workload="communicators: {both: {dup: all}}, "),
                                 "node1 waits to receive tag 7 from node0; " + differs)
        self.assertEqual(self.first_text("mismatches", "[{ranks: 0, do: [{send: {to: 1, size: 8 B, tag: 8}}]}, "
                                         "{ranks: 1, do: [{probe: {from: 0, tag: 7}}]}]"),
                         "node1 waits to probe tag 7 from node0; a message of 8 B with tag 8 from node0 lies there unexpected "
                         "(another tag)")

    def test_circle(self):
        program = "[{ranks: all, do: " + SENDS.replace("SIZE", "300 KiB") + "}]"
        circle, = self.find("circles", "lam_tcp", 2, program)
        self.assertTrue(circle["text"].startswith("node0 -> node1 -> node0: each waits to send to the next; with lam_tcp.short of "))
        self.assertTrue(circle["text"].endswith(" (on flows, what the sockets do not hold waits all the same)"))
        self.simulate("lam_tcp", 2, program, f"lam_tcp.short={circle['setting']['needed_bytes']} B", "tcp.buffer_limit=1 MiB", code=0)

    def test_ended(self):
        found = self.first_text("ended", "[{ranks: 0, do: [{irecv: {from: 1, size: 8 B, request: r}}, {wait: r}]}, "
                                "{ranks: 1, do: [{irecv: {from: 0, size: 8 B, request: r}}]}]")
        self.assertEqual(found, "node0 waits to receive any tag from node1, which has ended its program")


if __name__ == "__main__":
    unittest.main()
