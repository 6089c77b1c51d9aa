#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`flow: simgrid` through the program: times of flows next to packets, how runs on flows end, errors
and their places, and that one scenario always gives the same bytes."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"]).resolve()
NETSIM = os.path.abspath(os.environ["NETSIM"])
PLUGIN = pathlib.Path(NETSIM).parent / "netsim_flow.so"
sys.path.insert(0, str(SOURCE))
needs_plugin = unittest.skipUnless(PLUGIN.exists(), "the plugin for SimGrid is not built")

HEAD = f"schema: 1\nname: t\ntestbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
BOTH = """\
series:
  - {{name: packets, stack: {0}}}
  - {{name: flows, stack: {0}, set: {{fidelity: flow, flow: simgrid}}}}
"""
STACKS = ("lam_via", "mvich", "lam_tcp", "mpich_p4")


class Flows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, text, *arguments, command="run", environment=None):
        path = self.folder / "t.yaml"
        path.write_text(text)
        return subprocess.run([NETSIM, command, path, *arguments], cwd=self.folder, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              env=dict(os.environ, **(environment or {})), timeout=600)

    def result(self, text, *arguments, code=0):
        done = self.call(text, "--format", "json", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)["series"]

    def times(self, text, metric="latency_us"):
        """{size or rank: (on packets, on flows)}"""
        found = []
        for series in self.result(text):
            found.append({(value["size_bytes"], value["rank"]): value["value"]
                          for value in series["values"] if value["metric"] == metric})
        self.assertEqual(len(found), 2)
        self.assertEqual(found[0].keys(), found[1].keys())
        return {key: (found[0][key], found[1][key]) for key in found[0]}

    def assert_near(self, text, tolerance, metric="latency_us"):
        for key, (packets, flows) in self.times(text, metric).items():
            self.assertLessEqual(abs(flows - packets), tolerance * packets, (text, key))


@needs_plugin
class Times(Flows):
    def test_pingpong_at_points_of_the_curve(self):
        for stack in STACKS:
            self.assert_near(HEAD + "workload: {benchmark: pmb.pingpong, repetitions: 10}\n" + BOTH.format(stack),
                             0.002)

    def test_pingpong_between_points(self):
        sizes = "[3 B, 77 B, 1533 B, 1534 B, 3001 B, 5001 B, 30001 B, 40000 B, 3000001 B]"
        for stack in STACKS:
            self.assert_near(HEAD + f"workload: {{benchmark: pmb.pingpong, sizes: {sizes}, repetitions: 10}}\n" +
                             BOTH.format(stack), 0.03)

    def test_work_of_a_rank(self):
        """A rank's computing, copying and reducing alone takes as long as on packets."""
        program = ("[{ranks: all, do: [{compute: 3 ms}, {copy: 1 MiB}, {copy: 4 KiB}, "
                   "{compute: 7 us}]}]")
        self.assert_near(HEAD + f"workload: {{ranks: 2, program: {program}}}\n" +
                         BOTH.format("lam_tcp"), 1e-9, "program_us")

    def test_clocks_of_a_program(self):
        program = ("[{ranks: 0, do: [{clock: all}, {compute: 1 ms}, {lap: all}, {compute: 2 ms}, "
                   "{lap: all}]}]")
        text = HEAD + f"workload: {{ranks: 2, program: {program}}}\n" + BOTH.format("lam_tcp")
        for metric, value in (("all_min_us", 1000), ("all_max_us", 2000), ("all_mean_us", 1500)):
            ((packets, flows),) = self.times(text, metric).values()
            self.assertAlmostEqual(packets, value, places=6)
            self.assertAlmostEqual(flows, value, places=6)

    def test_what_is_done_first(self):
        """Calls that close one of several requests close the one that is done first."""
        program = ("[{ranks: 0, do: [{irecv: {from: 1, size: 64 KiB, request: a}}, "
                   "{irecv: {from: 2, size: 8 B, request: b}}, {clock: c}, {waitany: [a, b]}, "
                   "{lap: c}, {waitany: [a, b]}, {lap: c}, "
                   "{irecv: {from: 2, size: 8 B, request: d}}, "
                   "{irecv: {from: 1, size: 8 B, request: e}}, {waitsome: [d, e]}, "
                   "{waitall: [d, e]}]}, "
                   "{ranks: 1, do: [{compute: 3 ms}, {send: {to: 0, size: 64 KiB}}, "
                   "{send: {to: 0, size: 8 B}}]}, "
                   "{ranks: 2, do: [{compute: 1 ms}, {send: {to: 0, size: 8 B}}, "
                   "{compute: 20 ms}, {send: {to: 0, size: 8 B}}]}]")
        text = HEAD + f"workload: {{ranks: 3, program: {program}}}\n" + BOTH.format("lam_tcp")
        self.assert_near(text, 0.02, "program_us")
        for metric, least, most in (("c_min_us", 1000, 1200), ("c_max_us", 7000, 9000)):
            ((packets, flows),) = self.times(text, metric).values()
            self.assertTrue(least < packets < most and least < flows < most, (packets, flows))

    def test_a_recording(self):
        """A program that mostly computes takes the same time on both."""
        text = (f"schema: 1\nname: t\ntestbed: {SOURCE}/scenarios/testbeds/two_networks.yaml\n"
                f"workload: {{replay: {SOURCE}/traces/cg_8/trace.txt, speed: 125 Mflop/s}}\n"
                "nic: eth0\n")
        text += BOTH.format("lam_tcp")
        self.assert_near(text, 0.02, "program_us")


@needs_plugin
class Ends(Flows):
    def test_deadlock(self):
        """A receive without its send ends as on packets: exit code 3, and the ranks that wait, and for what."""
        program = ("[{ranks: 0, do: [{send: {to: 1, size: 1 KiB}}, "
                   "{recv: {from: 2, size: 8 B, tag: 3}}]}, "
                   "{ranks: 1, do: [{recv: {from: 0, size: 1 KiB}}]}]")
        text = HEAD + ("stack: lam_tcp\nfidelity: flow\nflow: simgrid\n"
                       f"workload: {{ranks: 3, program: {program}}}\n")
        (series,) = self.result(text, code=3)
        self.assertEqual(series["status"], "deadlock")
        (rank,) = series["reason"]["ranks"]
        self.assertEqual(rank["rank"], 0)
        self.assertIn("t.yaml:7:", rank["at"])
        (request,) = rank["requests"]
        self.assertEqual((request["kind"], request["peer"], request["tag"], request["size"]),
                         ("recv", 2, 3, 8))
        self.assertGreater(series["reason"]["time_us"], 100)

    def test_probes_wait_too(self):
        text = HEAD + ("stack: lam_tcp\nfidelity: flow\nflow: simgrid\nworkload: {ranks: 2, program: "
                       "[{ranks: 0, do: [{probe: {from: 1, tag: 5}}]}]}\n")
        (series,) = self.result(text, code=3)
        ((request,),) = [rank["requests"] for rank in series["reason"]["ranks"]]
        self.assertEqual((request["kind"], request["tag"]), ("probe", 5))

    def test_a_message_that_nobody_receives(self):
        """An eager one: all ranks end, and the books do not balance."""
        text = HEAD + ("stack: lam_tcp\nfidelity: flow\nflow: simgrid\nworkload: {ranks: 2, program: "
                       "[{ranks: 0, do: [{send: {to: 1, size: 1 KiB}}]}]}\n")
        (series,) = self.result(text, code=2)
        self.assertEqual(series["status"], "lost")
        self.assertFalse(series["ledger"]["balanced"])

    def test_simulated_limit(self):
        text = HEAD + ("stack: lam_tcp\nfidelity: flow\nflow: simgrid\nlimits: {simulated_time: 1 ms}\n"
                       "workload: {ranks: 2, benchmark: pmb.pingpong, sizes: 4 MiB}\n")
        (series,) = self.result(text, code=3)
        self.assertEqual(series["reason"]["kind"], "simulated_limit")

    def test_what_flows_do_not_show_is_said(self):
        done = self.call(HEAD + "workload: {benchmark: pmb.bcast, sizes: 1 KiB}\n" +
                         BOTH.format("lam_via"))
        self.assertIn("flows: no loss, no full queue, no flow control", done.stdout)
        series = self.result(HEAD + "workload: {benchmark: pmb.bcast, sizes: 1 KiB}\n" +
                             BOTH.format("lam_via"))
        self.assertNotIn("fidelity", series[0])
        self.assertEqual(series[1]["fidelity"], "flow")
        self.assertIn("no loss", series[1]["note"])

    def test_manifest(self):
        self.call(HEAD + "workload: {benchmark: pmb.bcast, sizes: 1 KiB}\n" +
                  BOTH.format("lam_via"), "--out", "out")
        manifest = json.loads((self.folder / "out" / "manifest.json").read_text())
        self.assertEqual([series["case"]["fidelity"] for series in manifest["series"]],
                         ["packet", "flow"])

    def test_same_bytes(self):
        text = HEAD + "workload: {benchmark: pmb.allreduce, sizes: 1 B .. 1 MiB, repetitions: 10}\n" + \
            BOTH.format("lam_tcp")
        first, *others = [self.call(text, "--format", "csv", "--jobs", jobs).stdout
                          for jobs in ("1", "1", "2")]
        self.assertTrue(first)
        for other in others:
            self.assertEqual(other, first)


class Refusals(Flows):
    CASES = (
        ("stack: tcp\nworkload: {benchmark: native.pingpong}\n", ":4:", "no MPI library"),
        ("stack: lam_tcp\nworkload: {ranks: 1, program: [{ranks: 0, do: [{compute: 1 us}]}]}\n",
         ":6:", "two ranks"),
        ("stack: lam_tcp\nworkload: {benchmark: pmb.bcast, samples: true}\n", ":6:", "repetitions"),
        ("stack: lam_tcp\nlink: {drop_probability: 0.1}\nworkload: {benchmark: pmb.bcast}\n", "",
         "links have no faults"),
        ("stack: lam_via\nworkload: {ranks: 2, program: [{ranks: all, do: [{register: "
         "{buffer: 4096, size: 4 KiB}}]}]}\n", ":6:", "registered memory"),
    )

    def test_where_and_why(self):
        for text, place, why in self.CASES:
            done = self.call(HEAD + "fidelity: flow\n" + text, command="check")
            self.assertEqual(done.returncode, 1, (text, done.stderr))
            self.assertIn(why, done.stderr, text)
            self.assertIn(place, done.stderr, text)

    def test_what_shows_packets_says_that_there_are_none(self):
        flows = HEAD + ("stack: lam_via\nfidelity: flow\nflow: simgrid\n"
                        "workload: {benchmark: pmb.bcast, sizes: 1 KiB}\n")
        both = HEAD + "workload: {benchmark: pmb.bcast, sizes: 1 KiB}\n" + BOTH.format("lam_via")
        for option in (["--trace", "t.json"], ["--pcap", "pcap"], ["--log-states", "t.log"],
                       ["--values", "t.csv"]):
            done = self.call(flows, *option)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"{option[0]}: lam_via runs on flows", done.stderr)
            self.assertFalse((self.folder / option[1]).exists())
        done = self.call(flows, command="explain")
        self.assertEqual(done.returncode, 1)
        self.assertIn("runs on flows", done.stderr)
        done = self.call(both, "--no-trials", command="explain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: explain: flows runs on flows", done.stderr)
        self.assertNotIn("flows: us of one message", done.stdout)

    def test_no_such_fidelity(self):
        done = self.call(HEAD + "fidelity: flows\nstack: lam_tcp\nworkload: "
                         "{benchmark: pmb.bcast}\n", command="check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("t.yaml:4:11: error: fidelity", done.stderr)
        self.assertIn("flow", done.stderr)

    def test_without_simgrid(self):
        """Everything else works; flows name the command to type."""
        text = HEAD + "workload: {benchmark: pmb.bcast, sizes: 1 KiB}\n" + BOTH.format("lam_via")
        done = self.call(text, environment={"NETSIM_FLOW_PLUGIN": "/nonexistent"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("./netsim setup simgrid", done.stdout + done.stderr)
        done = self.call(text, command="check",
                         environment={"NETSIM_FLOW_PLUGIN": "/nonexistent"})
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
