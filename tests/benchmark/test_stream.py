#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks over time: bytes by second on every bare stack, their keys in scenarios, and
their axis in tables, CSV, JSON, sweeps and pictures."""

import csv
import io
import json
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.path.abspath(os.environ["NETSIM_SOURCE_DIR"])

TCP = f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\nhosts: [{{name: node, count: 2}}]\n"
DOWN = ("links: [{from: node0, to: switch, down: [{from: 2 s, to: 3 s}]}, "
        "{from: node1, to: switch}]\n")


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-stream-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def netsim(self, *arguments, code=0):
        done = subprocess.run([NETSIM, *arguments], cwd=self.directory, text=True, check=False,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def scenario(self, workload, head=TCP, series="stack: tcp"):
        path = os.path.join(self.directory, "case.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"schema: 1\nname: case\n{head}{series}\nworkload: {{{workload}}}\n")
        return path

    def run_json(self, workload, head=TCP, series="stack: tcp"):
        return json.loads(self.netsim("run", self.scenario(workload, head, series), "-q",
                                      "--format", "json").stdout)


def rates(series):
    return {point["size_bytes"]: point["rate_Mb_per_s"] for point in series["points"]}


def single(series, metric):
    return next(one["value"] for one in series["values"] if one["metric"] == metric)


class Bins(Case):
    def test_bytes_by_second(self):
        result = self.run_json("benchmark: iperf.tcp, duration: 3 s")
        series = result["series"][0]
        self.assertEqual(series["counts"], "second")
        self.assertEqual(list(rates(series)), [0, 1, 2])
        # Fast Ethernet carries 1448 of 1538 B: whole buffers of 8 KiB, and nothing is faster.
        for rate in rates(series).values():
            buffers = rate * 1e6 / 8 / 8192
            self.assertAlmostEqual(buffers, round(buffers), delta=1e-6)
            self.assertLess(93.5, rate)
            self.assertLess(rate, 100 * 1460 / 1538)
        self.assertAlmostEqual(single(series, "mean_rate_Mb_per_s"),
                               sum(rates(series).values()) / 3, places=9)
        # All written data have arrived, also those in no bin.
        ledger = series["ledger"]
        self.assertTrue(ledger["balanced"])
        self.assertEqual(ledger["delivered"], ledger["messages"])
        inside = sum(rates(series).values()) * 1e6 / 8 / 8192
        self.assertLess(inside, ledger["messages"])
        self.assertLess(ledger["messages"], inside + 20)

    def test_cut(self):
        # The bins begin with the first write, at 1 s: the cut from 2 s on is second 1.
        series = self.run_json("benchmark: iperf.tcp, duration: 5 s, start: 1 s",
                               head=TCP + DOWN)["series"][0]
        found = rates(series)
        self.assertGreater(found[0], 93)
        self.assertLess(found[1], 1)
        self.assertGreater(found[4], 93)
        self.assertLess(1000, single(series, "longest_gap_ms"))
        self.assertLess(single(series, "longest_gap_ms"), 3000)
        # Without a start the writer begins at once, and the same cut is a second later.
        found = rates(self.run_json("benchmark: iperf.tcp, duration: 5 s",
                                    head=TCP + DOWN)["series"][0])
        self.assertGreater(found[1], 93)
        self.assertLess(found[2], 1)

    def test_bins_of_another_length(self):
        whole = self.run_json("benchmark: iperf.tcp, duration: 2 s")["series"][0]
        fine = self.run_json("benchmark: iperf.tcp, duration: 2 s, bin: 250 ms")["series"][0]
        self.assertEqual(fine["counts"], "ms")
        self.assertEqual(list(rates(fine)), list(range(0, 2000, 250)))
        self.assertEqual(fine["fingerprint"], whole["fingerprint"])
        for second, rate in rates(whole).items():
            parts = [rates(fine)[1000 * second + 250 * quarter] for quarter in range(4)]
            self.assertAlmostEqual(sum(parts) / 4, rate, places=9)
        coarse = self.run_json("benchmark: iperf.tcp, duration: 4 s, bin: 2 s")["series"][0]
        self.assertEqual((coarse["counts"], list(rates(coarse))), ("second", [0, 2]))

    def test_write_size(self):
        for size in (8, 128):
            result = self.run_json(f"benchmark: iperf.tcp, duration: 1 s, write_size: {size} KiB")
            ledger = result["series"][0]["ledger"]
            self.assertEqual(ledger["bytes"], ledger["messages"] * size * 1024)

    def test_each_bare_stack(self):
        via = f"testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml\nhosts: [{{name: node, count: 2}}]\n"
        gm = f"testbed: {SOURCE}/scenarios/testbeds/config1.yaml\n"
        for head, stack in ((TCP, "tcp"), (via, "mvia"), (gm, "gm")):
            with self.subTest(stack):
                series = self.run_json("benchmark: native.stream, duration: 20 ms, bin: 10 ms",
                                       head, f"stack: {stack}")["series"][0]
                self.assertEqual(series["status"], "completed")
                self.assertEqual(list(rates(series)), [0, 10])
                self.assertGreater(min(rates(series).values()), 10)
                self.assertEqual(series["ledger"]["delivered"], series["ledger"]["messages"])


class Wrong(Case):
    def refused(self, workload, text):
        self.assertIn(text, self.netsim("run", self.scenario(workload), "-q", code=1).stderr)

    def test_what_it_has_not(self):
        self.refused("benchmark: iperf.tcp, sizes: 8 KiB", "has no message size")
        self.refused("benchmark: iperf.tcp, repetitions: 3", "runs for a time, and repeats nothing")
        self.refused("benchmark: iperf.tcp, samples: true", "overlap")
        self.refused("benchmark: iperf.tcp, ranks: 3", "at most 2 ranks")
        self.refused("benchmark: native.pingpong, duration: 1 s", "belongs to")

    def test_bins(self):
        self.refused("benchmark: iperf.tcp, duration: 1500 ms", "no whole number of bins")
        self.refused("benchmark: iperf.tcp, bin: 1500 us", "no whole number of milliseconds")
        self.refused("benchmark: iperf.tcp, duration: 1000 s, bin: 1 ms", "more than 100000 bins")

    def test_flatten(self):
        done = self.netsim("flatten", self.scenario("benchmark: iperf.tcp"), code=1)
        self.assertIn("only a run says", done.stderr)

    def test_a_run_that_is_cut_short_reports_nothing(self):
        done = self.netsim("run", self.scenario("benchmark: iperf.tcp"), "-q", "--format", "json",
                           "--simulated-limit", "2 s", code=3)
        self.assertEqual(json.loads(done.stdout)["series"][0]["points"], [])


class Explained(Case):
    def test_a_buffer(self):
        path = self.scenario("benchmark: iperf.tcp, duration: 20 ms, bin: 10 ms")
        text = self.netsim("explain", path, "--no-trials").stdout
        self.assertRegex(text, r"^tcp, a buffer: 7\d\d\.\d+ us, the mean of \d+ messages, as rank 1 measures it\n")
        self.assertNotIn("repetition", text)
        document = json.loads(self.netsim("explain", path, "--no-trials", "--format", "json").stdout)
        self.assertIn('"messages"', json.dumps(document))


class Axis(Case):
    WORKLOAD = "benchmark: iperf.tcp, duration: 2 s"

    def test_table_and_csv(self):
        path = self.scenario(self.WORKLOAD)
        text = self.netsim("run", path, "-q", "--out", "r").stdout
        self.assertRegex(text, r"(?m)^second +rate$")
        self.assertNotIn("size", text)
        self.assertNotIn("bytes", text)
        with open(os.path.join(self.directory, "r/results.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(io.StringIO(file.read())))
        self.assertEqual([row["size"] for row in rows if row["metric"] == "rate_Mb_per_s"],
                         ["0", "1"])
        self.assertEqual({row["unit"] for row in rows if row["metric"] == "rate_Mb_per_s"},
                         {"Mb/s"})

    def test_case_and_describe(self):
        path = self.scenario(self.WORKLOAD)
        self.netsim("run", path, "-q", "--out", "r")
        with open(os.path.join(self.directory, "r/manifest.json"), encoding="utf-8") as file:
            workload = json.load(file)["series"][0]["case"]["workload"]
        self.assertEqual(workload["counts"], "second")
        self.assertEqual(workload["parameters"]["duration"]["value"], "2 s")
        self.assertFalse({"sizes", "sizes_bytes", "repetitions"} & set(workload))
        text = self.netsim("describe", "iperf.tcp").stdout
        self.assertIn("a value for each second", text)
        self.assertIn("write_size = 8 KiB", text)
        self.assertNotIn("sizes:", text)

    def texts(self, name):
        root = ElementTree.parse(os.path.join(self.directory, name)).getroot()
        return " ".join("".join(text.itertext())
                        for text in root.iter("{http://www.w3.org/2000/svg}text"))

    def test_plot(self):
        self.netsim("plot", self.scenario(self.WORKLOAD), "-q", "--metric", "rate_Mb_per_s",
                    "--out", "a.svg")
        self.assertIn("time (s)", self.texts("a.svg"))
        self.assertIn("rate (Mb/s)", self.texts("a.svg"))
        self.assertNotIn("size", self.texts("a.svg"))
        self.netsim("plot", self.scenario(self.WORKLOAD + ", bin: 200 ms"), "-q", "--metric",
                    "rate_Mb_per_s", "--out", "b.svg")
        self.assertIn("time (ms)", self.texts("b.svg"))

    def test_sweep_and_compare(self):
        path = self.scenario(self.WORKLOAD + "\nsweep: {axes: {workload.write_size: [8 KiB, 64 KiB]}}"
                             .replace("\n", "}\n", 1)[:-1])
        self.netsim("sweep", path, "-q", "--out", "s")
        self.netsim("plot", "s", "-q", "--x", "size", "--metric", "rate_Mb_per_s", "--out", "s.svg")
        self.assertIn("time (s)", self.texts("s.svg"))
        # A metric without values by second is no panel along them.
        self.netsim("plot", "s", "-q", "--x", "size", "--metric", "rate", "--out", "s.svg")
        self.assertNotIn("mean rate", self.texts("s.svg"))
        plain = self.scenario(self.WORKLOAD)
        self.netsim("run", plain, "-q", "--out", "r")
        same = self.netsim("compare", "r", "r").stdout
        self.assertIn("rate_Mb_per_s", same)
        self.netsim("run", plain, "-q", "--set", "links[0].rate=10 Mb/s", "--out", "t")
        self.assertIn("rate_Mb_per_s", self.netsim("compare", "r", "t", code=2).stdout)


if __name__ == "__main__":
    unittest.main()
