#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of a processor, its memory and its bus are each testbed's own: none of them is left to defaults, which are
those of the Athlon MP of cluster 1. And a checksum costs what the memory of its host gives."""

import json
import os
import subprocess
import tempfile
import unittest

SOURCE = os.environ["NETSIM_SOURCE_DIR"]
NETSIM = os.environ["NETSIM"]
TESTBEDS = {"cluster2": "pingpong_cluster2", "config1": "armci_put_config1",
            "config2": "armci_put_config2", "grim": "grim_latency"}
OWN = {"host.processor": ("cores", "clock", "cycle_ratio"),
       "host.memory": ("cache", "copy_cached", "copy_uncached", "read_uncached")}


def netsim(*arguments):
    return subprocess.run([NETSIM, *arguments], capture_output=True, encoding="utf-8", check=True,
                          timeout=120).stdout


class Testbeds(unittest.TestCase):
    def test_processor_and_memory_are_the_testbeds_own(self):
        for testbed, scenario in TESTBEDS.items():
            with tempfile.TemporaryDirectory() as directory:
                netsim("run", f"{SOURCE}/scenarios/{scenario}.yaml", "-q", "--out", directory,
                       "--set", "workload.sizes=8 B", "--set", "workload.repetitions=1")
                with open(os.path.join(directory, "manifest.json"), encoding="utf-8") as file:
                    manifest = json.load(file)
            parameters = manifest["series"][0]["case"]["parameters"]
            for section, names in OWN.items():
                for name in names:
                    self.assertIn(f"testbeds/{testbed}", parameters[section][name]["origin"], name)

    def checksum(self, scenario):
        """Checksums of a segment of 1000 B of LAM over TCP, in us."""
        explained = json.loads(netsim("explain", f"{SOURCE}/scenarios/{scenario}.yaml", "--series",
                                      "LAM TCP", "--size", "1000 B", "--format", "json"))
        return explained["series"][0]["stages"]["checksum"][0]

    def test_a_checksum_is_the_hosts(self):
        """1032 B with LAM's envelope: read at 1000 MB/s on cluster 1 and at 500 on cluster 2, and 360 cycles per KiB
        besides the sender's copy, of 1.4 GHz and of 800 MHz."""
        for scenario, rate, clock in (("pingpong_cluster1", 1000, 1400),
                                      ("pingpong_cluster2", 500, 800)):
            stage = self.checksum(scenario)
            wanted = 1032 / rate + 360 * 1032 / 1024 / clock
            self.assertAlmostEqual(stage, wanted, delta=0.05 * wanted)


    def latency(self, machine):
        """PingPong of 1 B over LAM's VIA RPI on cluster 1, with another machine's lines."""
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, "t.yaml")
            with open(file, "w", encoding="utf-8") as text:
                text.write(f"schema: 1\nname: t\ntestbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\n"
                           "stack: lam_via\nworkload: {benchmark: pmb.pingpong, sizes: 1 B}\n"
                           + machine)
            document = json.loads(netsim("run", file, "-q", "--format", "json", "--out", directory))
        return document["series"][0]["points"][0]["latency_us"]

    def test_a_second_switch_adds_a_switch(self):
        """The latency to which cluster 1 is fitted is not each switch's: a second one adds the prior of 8 us, and the
        frame once more on a wire: 87 B with headers, and the preamble."""
        one = self.latency("")
        two = self.latency("hosts: [{name: node, count: 2}]\n"
                           "switches: [{name: left}, {name: right}]\n"
                           "links: [{from: node0, to: left}, {from: node1, to: right}, "
                           "{from: left, to: right}]\n")
        self.assertAlmostEqual(two - one, 8 + 95 * 0.08 + 0.05, delta=0.15)

    def test_each_reading_of_cluster_1_has_its_two_numbers(self):
        for reading in ("cluster1", "cluster1_switches", "cluster1_hold_off", "cluster1_transmit"):
            with tempfile.TemporaryDirectory() as directory:
                document = json.loads(netsim(
                    "run", f"{SOURCE}/scenarios/pingpong_cluster1.yaml", "-q", "--format", "json",
                    "--out", directory, "--set", f"testbed=testbeds/{reading}.yaml",
                    "--set", "workload.sizes=1 B"))
            times = {series["name"]: series["points"][0]["latency_us"]
                     for series in document["series"]}
            self.assertAlmostEqual(times["VIA RPI"], 74, delta=0.1, msg=reading)
            self.assertAlmostEqual(times["MVICH"], 77, delta=0.1, msg=reading)


if __name__ == "__main__":
    unittest.main()
