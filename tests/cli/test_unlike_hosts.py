#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""hosts[].host: hosts of one network that are unlike each other."""

import csv
import json
import unittest

from harness import Case

NETWORK = """\
schema: 1
name: unlike
testbed: testbeds/cluster1.yaml
%(common)s
hosts: [{name: node, count: 2}, {name: old, count: 2%(own)s}]
links: [{from: [node, old], to: switch, rate: 100 Mb/s}]
workload: {benchmark: pmb.pingpong, sizes: [1 KiB], repetitions: 2}
series:
  - {name: like, stack: %(stack)s, set: {workload: {placement: [node0, node1]}}}
  - {name: mixed, stack: %(stack)s, set: {workload: {placement: [node0, old0]}}}
  - {name: old, stack: %(stack)s, set: {workload: {placement: [old0, old1]}}}
"""

SLOW = "{processor: {clock: 600 MHz}, memory: {copy_uncached: 100 MB/s}, kernel: {interrupt_latency: 20 us}}"


class UnlikeHosts(Case):
    def scenario(self, own, common="", stack="lam_via"):
        return self.write("unlike.yaml", NETWORK % {"own": f", host: {own}" if own else "", "common": common, "stack": stack})

    def latencies(self, own, *arguments, **more):
        self.netsim("run", self.scenario(own, **more), "--out", "results", *arguments)
        with open(self.path("results/results.csv"), encoding="utf-8", newline="") as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            return {row["series"]: float(row["value"]) for row in rows if row["metric"] == "latency_us"}

    def series(self):
        return json.loads(self.read("results/manifest.json"))["series"]

    def test_a_slow_host_is_slow_only_itself(self):
        for stack in ("lam_via", "mvich", "lam_tcp", "mpich_p4", "ch3_sock", "openmpi_tcp"):
            with self.subTest(stack=stack):
                all_like, unlike = self.latencies("", stack=stack), self.latencies(SLOW, stack=stack)
                self.assertEqual(all_like["like"], all_like["old"])
                self.assertEqual(unlike["like"], all_like["like"])
                self.assertLess(unlike["like"], unlike["mixed"])
                self.assertLess(unlike["mixed"], unlike["old"])

    def test_as_if_all_were_so(self):
        """Two of the slow hosts are what a machine of such hosts is."""
        self.latencies(SLOW)
        own = self.series()[2]["fingerprint"]
        self.latencies("", common=f"host: {SLOW}")
        self.assertEqual(self.series()[2]["fingerprint"], own)

    def test_the_common_settings_are_below(self):
        """Settings that a host lacks are those of all hosts, --set included."""
        first = self.latencies("{processor: {clock: 600 MHz}}")
        set_too = self.latencies("{processor: {clock: 600 MHz}}", "--set", "host.kernel.interrupt_latency=50 us")
        self.assertGreater(set_too["old"], first["old"] + 40)
        again = self.latencies("{processor: {clock: 600 MHz}}", "--set", "hosts[1].host.processor.clock=300 MHz")
        self.assertEqual(again["like"], first["like"])
        self.assertGreater(again["old"], first["old"])

    def test_the_manifest_has_them(self):
        self.latencies(SLOW)
        own = self.series()[0]["case"]["topology"]["host_parameters"]
        self.assertEqual(set(own), {"old0", "old1"})
        self.assertEqual(set(own["old0"]), {"processor", "memory", "bus", "kernel", "phase", "noise"})
        self.latencies("")
        self.assertNotIn("host_parameters", self.series()[0]["case"]["topology"])

    def test_mistakes(self):
        for own, said in (("{processor: {cock: 1 GHz}}", "hosts[1].host.processor.cock: unknown key (did you mean clock?)"),
                          ("{procesor: {clock: 1 GHz}}", "hosts[1].host.procesor: unknown key (did you mean processor?)"),
                          ("{processor: {clock: 1 s}}", "hosts[1].host.processor.clock: "),
                          ("{processor: 3}", "hosts[1].host.processor: a map of parameters is expected"),
                          ("{memory: {pin_limit: 64 GB}}", "hosts[1].host.memory.pin_limit: a process may pin"),
                          ("fast", "hosts[1].host: settings as of host")):
            with self.subTest(own=own):
                stderr = self.netsim("check", self.scenario(own), code=1).stderr
                self.assertRegex(stderr, r"unlike.yaml:5:\d+: error: ")
                self.assertIn(said, stderr)


if __name__ == "__main__":
    unittest.main()
