# SPDX-License-Identifier: GPL-3.0-or-later
"""workload.samples: the times of single repetitions, and what is made of them in each output."""

import csv
import json
import os
import sqlite3
import statistics
import unittest

from harness import Case, SOURCE

LOSSY = """\
schema: 1
name: lossy
testbed: testbeds/cluster1.yaml
link: {drop_probability: 0.01}
workload: {benchmark: pmb.pingpong, sizes: [4 B, 16 KiB], repetitions: 100}
series:
  - {name: LAM TCP, stack: lam_tcp}
  - {name: VIA, stack: lam_via, set: {link.drop_probability: 0}}
"""
KEPT = ("--set", "workload.samples=true")
NAMES = ["p50", "p90", "p99", "min", "max", "sd"]


def quantile(values, fraction):
    """With a straight line between neighbours, as GSL and NumPy have it."""
    values = sorted(values)
    place = (len(values) - 1) * fraction
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


class Samples(Case):
    def setUp(self):
        super().setUp()
        self.write("lossy.yaml", LOSSY)

    def results(self, directory):
        """{(series, size, metric): value} of values of all ranks."""
        rows = csv.DictReader(self.read(os.path.join(directory, "results.csv")).splitlines())
        return {(row["series"], row["size"], row["metric"]): float(row["value"])
                for row in rows if row["unit"] != "count"}

    def samples(self, directory):
        """{(series, size, rank): [time]}"""
        found = {}
        for row in csv.DictReader(self.read(os.path.join(directory, "samples.csv")).splitlines()):
            times = found.setdefault((row["series"], row["size"], row["rank"]), [])
            times.append(float(row["time_us"]))
            self.assertEqual(int(row["repetition"]), len(times))
        return found

    def check(self, directory, mean="latency_us"):
        """The metrics are those of the rank whose mean is the benchmark's time."""
        results, samples = self.results(directory), self.samples(directory)
        for series, size in {key[:2] for key in samples}:
            slowest = max((times for (*key, _), times in samples.items() if key == [series, size]),
                          key=statistics.mean)
            of = lambda name: results[series, size, f"repetition_{name}_us"]
            self.assertAlmostEqual(statistics.mean(slowest), results[series, size, mean],
                                   delta=1e-9 * results[series, size, mean])
            for name, fraction in (("min", 0), ("p50", .5), ("p90", .9), ("p99", .99), ("max", 1)):
                self.assertAlmostEqual(of(name), quantile(slowest, fraction), delta=1e-9 * of(name))
            if len(slowest) > 1:
                self.assertAlmostEqual(of("sd"), statistics.stdev(slowest), delta=1e-6 * of("max"))
        return results, samples

    def test_the_run_is_the_same(self):
        self.netsim("run", "lossy.yaml", "-q", "--out", "without")
        self.netsim("run", "lossy.yaml", "-q", "--out", "with", *KEPT)
        without, kept = self.results("without"), self.results("with")
        self.assertEqual({key: value for key, value in kept.items() if not key[2].startswith("repetition")}, without)
        self.assertEqual(*(json.loads(self.read(f"{name}/manifest.json"))["fingerprint"] for name in ("without", "with")))
        self.assertFalse(os.path.exists(self.path("without/samples.csv")))
        self.assertEqual({key[2][11:-3] for key in set(kept) - set(without)}, set(NAMES))

    def test_percentiles_of_half_round_trips(self):
        self.netsim("run", "lossy.yaml", "-q", "--out", "out", *KEPT)
        results, samples = self.check("out")
        self.assertEqual({key: len(times) for key, times in samples.items()},
                         {(series, size, "0"): 100 for series in ("LAM TCP", "VIA") for size in ("4", "16384")})
        # A time-out affects some repetitions only, and a mean hides which.
        self.assertLess(results["LAM TCP", "16384", "repetition_p50_us"] * 3, results["LAM TCP", "16384", "latency_us"])
        self.assertGreater(results["LAM TCP", "16384", "repetition_p99_us"], 100e3)

    def test_collectives_are_of_the_slowest_rank(self):
        text = LOSSY.replace("pmb.pingpong", "pmb.bcast, ranks: 4").replace("cluster1", "cluster2")
        self.write("bcast.yaml", text)
        self.netsim("run", "bcast.yaml", "-q", "--out", "out", *KEPT)
        _, samples = self.check("out")
        self.assertEqual({key[2] for key in samples}, {"0", "1", "2", "3"})

    def test_what_models_measure(self):
        for scenario, mean in (("grim_injection", "overhead_us"), ("grim_scan", "scan_us"), ("grim_latency", "latency_us"),
                               ("armci_put_config1", "latency_us"), ("copy_or_register", "latency_us")):
            sizes = "workload.sizes=4 B,4 KiB" if mean == "latency_us" else "workload.sizes=4,16"
            self.netsim("run", os.path.join(SOURCE, "scenarios", scenario + ".yaml"), "-q", "--out", scenario, *KEPT,
                        "--set", sizes.replace("=", "=[") + "]")
            self.check(scenario, mean)

    def test_in_processes(self):
        self.netsim("run", "lossy.yaml", "-q", "--out", "one", *KEPT)
        self.netsim("run", "lossy.yaml", "-q", "--out", "two", "-j2", *KEPT)
        for name in ("results.csv", "samples.csv"):
            self.assertEqual(self.read("one/" + name), self.read("two/" + name))

    def test_the_table(self):
        head = lambda *options: self.netsim("run", "lossy.yaml", "-q", *KEPT, *options).stdout
        self.assertRegex(head(), r"latency +bandwidth +repetition p50 +repetition p99\n")
        self.assertRegex(head("--wide"), r"latency +bandwidth +repetition p50 +repetition p99 +latency")
        self.assertIn("of single repetitions also: p90, min, max, sd (--metric shows them)", head())
        self.assertRegex(head("--metric", "p90", "--metric", "latency"), r"size +latency +repetition p90 +latency +repetition p90\n")
        self.assertRegex(head("--metric", "repetition_sd_us"), r"size +repetition sd +repetition sd\n")
        done = self.netsim("run", "lossy.yaml", "--metric", "p90", code=1)
        self.assertIn("--metric p90: there are latency_us, bandwidth_MB_per_s (workload.samples=true", done.stderr)
        self.assertEqual(os.listdir(self.path("results")), ["lossy"])

    def test_old_ones_go(self):
        self.netsim("run", "lossy.yaml", "-q", "--out", "out", *KEPT)
        self.netsim("run", "lossy.yaml", "-q", "--out", "out")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["links.csv", "links_by_size.csv", "manifest.json", "results.csv"])
        # But not a file that no run has left.
        self.write("out/samples.csv", "mine")
        self.netsim("run", "lossy.yaml", "-q", "--out", "out")
        self.assertEqual(self.read("out/samples.csv"), "mine")

    def test_json_and_sweeps(self):
        document = json.loads(self.netsim("run", "lossy.yaml", "--format", "json", *KEPT).stdout)
        point = document["series"][0]["points"][1]
        for name in NAMES:
            self.assertIn(f"repetition_{name}_us", point)
        self.netsim("sweep", "lossy.yaml", "-q", *KEPT, "--seeds", "2")
        rows = list(csv.DictReader(self.netsim("sweep", "--report", "lossy", "--csv").stdout.splitlines()))
        of_first = {row["metric"]: float(row["value"]) for row in rows
                    if row["point"] == "0" and row["series"] == "LAM TCP" and row["size"] == "16384"}
        self.assertEqual(of_first, {name: value for name, value in point.items() if name != "size_bytes"})
        database = sqlite3.connect(self.path("results/lossy/sweep.sqlite"))
        self.addCleanup(database.close)
        self.assertEqual(database.execute("SELECT count(*), min(n) FROM means WHERE metric = 'repetition_p99_us'").fetchone(), (4, 2))

    def test_where_there_are_none(self):
        where = self.write("stream.yaml", LOSSY.split("link:", maxsplit=1)[0].replace("cluster1", "config1") +
                           "stack: gm\nworkload: {benchmark: gm.allsize.one_way, samples: true}\n")
        error = self.netsim("check", where, code=1).stderr
        self.assertIn("the messages of gm.allsize.one_way overlap", error)
        self.write("program.yaml", LOSSY.split("workload:", maxsplit=1)[0] +
                   "stack: lam_tcp\nworkload: {samples: true, program: [{ranks: 0, do: [{compute: 1 us}]}]}\n")
        self.assertIn("samples belongs to a benchmark", self.netsim("check", "program.yaml", code=1).stderr)
        self.assertIn('unknown value "yes" (known: false, true)',
                      self.netsim("check", "lossy.yaml", "--set", "workload.samples=yes", code=1).stderr)

    def test_their_memory_is_told(self):
        said = lambda *options: self.netsim("check", "lossy.yaml", "--set", "workload.repetitions=1000000", *options).stdout
        self.assertRegex(said(), r"LAM TCP: .*about 13 MB of memory")
        self.assertRegex(said(*KEPT), r"LAM TCP: .*about 2\d\d MB of memory")


if __name__ == "__main__":
    unittest.main()
