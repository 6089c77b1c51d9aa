#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`netsim run --draws`: the bands are quantiles of what the draws give one by one, the same at any number of jobs."""

import csv
import io
import json
import math
import unittest

from harness import Case

# Without the ensemble of cluster 1, whose fit takes back at 1 B what the other constants do.
CERTAIN = "eepro100.rx_latency=22110 ns"
CALIBRATED = ["run", "pingpong_cluster1", "--set", "workload.sizes=[1 B, 4 KiB]", "--set", "workload.repetitions=2",
              "--series", "VIA RPI", "--series", "LAM TCP"]
SMALL = [*CALIBRATED, "--set", CERTAIN]


def latencies(document):
    return {(value["series"], value["size_bytes"]): value for value in document["values"]
            if value["metric"] == "latency_us"}


class Draws(Case):
    def bands(self, draws, *more):
        return json.loads(self.netsim(*SMALL, "--draws", str(draws), "--format", "json", *more).stdout)

    def latencies_of_a_run(self, *more):
        document = json.loads(self.netsim(*SMALL, "--format", "json", *more).stdout)
        return {(series["name"], point["size_bytes"]): point["latency_us"]
                for series in document["series"] for point in series["points"]}


class Bands(Draws):
    def test_quantiles_of_single_draws(self):
        """Of five draws the median is the third, and 5 % lies at a fifth between the first and the second."""
        draws = [self.latencies_of_a_run("--set", f"draw={draw}") for draw in range(1, 6)]
        for place, value in latencies(self.bands(5)).items():
            ordered = sorted(draw[place] for draw in draws)
            self.assertEqual(value["n"], 5)
            self.assertEqual(value["median"], ordered[2])
            self.assertAlmostEqual(value["low"], ordered[0] + 0.2 * (ordered[1] - ordered[0]), places=9)
            self.assertAlmostEqual(value["high"], ordered[4] - 0.2 * (ordered[4] - ordered[3]), places=9)

    def test_one_draw(self):
        one = self.latencies_of_a_run("--set", "draw=1")
        for place, value in latencies(self.bands(1)).items():
            self.assertEqual({value["low"], value["median"], value["high"]}, {one[place]})

    def test_manifest(self):
        """A drawn run has its number in the manifest, and each drawn constant as its source."""
        self.netsim(*SMALL, "--set", "draw=7", "--out", "there")
        manifest = json.loads(self.read("there/manifest.json"))
        self.assertEqual(manifest["draw"], 7)
        self.assertIn('"draw 7 of prior', self.read("there/manifest.json"))
        for series in manifest["series"]:
            hosts = series["case"]["drawn_hosts"]
            self.assertLessEqual({"node0", "node1"}, set(hosts))
            ticks = {float(host["host.phase.tick"]) for host in hosts.values()}
            self.assertEqual(len(ticks), len(hosts))
            self.assertTrue(all(0 < tick < 1 for tick in ticks))
        self.netsim(*SMALL, "--out", "medians")
        self.assertNotIn("drawn_hosts", self.read("medians/manifest.json"))
        self.assertNotIn("draw", json.loads(self.read("medians/manifest.json")))

    def test_jobs(self):
        for form in ("table", "csv", "json"):
            outputs = [self.netsim(*SMALL, "--draws", "8", "--format", form, "--jobs", jobs).stdout for jobs in ("1", "2", "3")]
            self.assertEqual(len(set(outputs)), 1, form)

    def test_noise(self):
        """Noise is the same at any number of jobs, differs between draws, and only adds time."""
        noise = ["--set", "host.noise.interrupt=20us", "--set", "host.noise.wake_up=3us", "--set", "host.noise.tick_work=8us"]
        outputs = [self.netsim(*SMALL, *noise, "--draws", "6", "--format", "json", "--jobs", jobs).stdout
                   for jobs in ("1", "3")]
        self.assertEqual(outputs[0], outputs[1])
        quiet, noisy = latencies(self.bands(6)), latencies(json.loads(outputs[0]))
        for place, value in noisy.items():
            self.assertGreater(value["median"], quiet[place]["median"])
        runs = [self.latencies_of_a_run(*noise, "--set", f"host.phase.draw={draw}") for draw in (1, 2)]
        self.assertNotEqual(*runs)

    def test_phase_of_processes(self):
        """Processes that start later together measure the same, so much later."""
        started = {}
        for when in ("0 us", "50 us"):
            document = json.loads(self.netsim(*SMALL, "--format", "json", "--set", f"host.phase.process={when}").stdout)
            started[when] = document["series"][0]
        self.assertEqual(started["0 us"]["points"], started["50 us"]["points"])
        self.assertAlmostEqual(started["50 us"]["simulated_s"] - started["0 us"]["simulated_s"], 50e-6, places=12)

    def test_band_holds_the_medians(self):
        """The run without draws is the draw of all medians: it lies within the band of 40."""
        plain = self.latencies_of_a_run()
        for place, value in latencies(self.bands(40)).items():
            self.assertLess(value["low"], plain[place])
            self.assertGreater(value["high"], plain[place])

    def test_what_a_user_sets_is_certain(self):
        """With the clock and the switch set, the band of their share is gone: it narrows and does not vanish."""
        wide = latencies(self.bands(20))[("VIA RPI", 1)]
        narrow = latencies(self.bands(20, "--set", "switch.latency=8 us"))[("VIA RPI", 1)]
        self.assertLess(narrow["high"] - narrow["low"], wide["high"] - wide["low"])
        self.assertGreater(narrow["high"], narrow["low"])


class Causes(Draws):
    def test_share_of_a_variance(self):
        """A wide switch and a certain one: the share of the switch in the variance of a ping-pong is nearly all, or none."""
        for switch, least, most in (("{value: 50 us, within: 3, source: a}", 0.9, 1.0), ("50 us", 0.0, 0.0)):
            document = self.bands(60, "--set", f"switch.latency={switch}")
            for series in document["series"]:
                shares = {cause["of"]: cause["share"] for cause in series["causes"]}
                self.assertGreaterEqual(shares.get("switch.latency", 0.0), least, series)
                self.assertLessEqual(shares.get("switch.latency", 0.0), most, series)
                self.assertLessEqual(sum(shares.values()), 1.2, series)

    def test_too_few_draws(self):
        done = self.netsim(*SMALL, "--draws", "3")
        self.assertRegex(done.stdout, r"VIA RPI: the band of latency has no cause that stands out among \d+ inputs")


class Linear(Draws):
    """One ping-pong whose latency is linear in the few constants that are left uncertain."""

    SCENARIO = ["pingpong_cluster1", "--series", "native", "--set", "workload.sizes=[1 B]", "--set", "workload.repetitions=2"]
    LEFT = {"switch.latency": (30.0, 1.4), "host.kernel.interrupt_latency": (20.0, 1.4)}  # us, within

    def certain(self):
        """--set of every uncertain constant but those that are left, with its median."""
        def values(folder, *more):
            self.netsim("run", *self.SCENARIO, "--quiet", "--out", folder, *more)
            found = {}
            def walk(node, path):
                if isinstance(node, dict) and {"value", "origin"} <= set(node):
                    found[path] = node
                elif isinstance(node, dict):
                    for key, below in node.items():
                        walk(below, f"{path}.{key}" if path else key)
            walk(json.loads(self.read(f"{folder}/manifest.json"))["series"][0]["case"]["parameters"], "")
            return found
        medians, drawn = values("medians"), set()
        for draw in range(1, 21):  # one in each twentieth of every distribution, so that each alternative is among them
            drawn |= {path for path, node in values("drawn", "--set", f"draw={draw}").items()
                      if str(node.get("source")).startswith(f"draw {draw}")}
        sets = ["--set", "mvia.poll_period=1 ns"]
        for path in sorted(drawn - set(self.LEFT) - {"mvia.poll_period"}):
            sets += ["--set", f"{path}={medians[path]['value']}"]
        return sets

    def left(self):
        return [word for path, (median, within) in self.LEFT.items()
                for word in ("--set", f"{path}={{value: {median} us, within: {within}, source: a}}")]

    def document(self, *more):
        return json.loads(self.netsim("run", *self.SCENARIO, *self.certain(), *self.left(), "--format", "json", "--quiet", *more).stdout)

    def shares(self):
        """Of the variance: both factors are 1, and the variance of a log-normal is its median's square times w (w - 1)."""
        w = {path: math.exp((math.log(within) / 1.959964) ** 2) for path, (_, within) in self.LEFT.items()}
        variances = {path: self.LEFT[path][0] ** 2 * w[path] * (w[path] - 1.0) for path in w}
        return {path: variance / sum(variances.values()) for path, variance in variances.items()}

    def test_band_of_one_constant(self):
        """With the switch alone the band is that of the log-normal: median times 1.4 to the power of +-1.645 / 1.960."""
        self.LEFT = {"switch.latency": (30.0, 1.4)}
        value = latencies(self.document("--draws", "200"))[("native", 1)]
        factor = 1.4 ** (1.644854 / 1.959964)
        self.assertAlmostEqual(value["high"] - value["median"], 30.0 * (factor - 1.0), delta=0.25)
        self.assertAlmostEqual(value["median"] - value["low"], 30.0 * (1.0 - 1.0 / factor), delta=0.25)
        self.assertLess(value["low_between"][0], value["low"])
        self.assertGreater(value["low_between"][1], value["low"])

    def test_shares_of_ranks(self):
        """Of two constants alike each has half. Ranks of both and of their sum are correlated by 6 / pi asin(1 / sqrt(8)), as of a normal
        distribution."""
        self.LEFT = {path: (25.0, 1.4) for path in self.LEFT}
        series = self.document("--draws", "400")["series"][0]
        causes = {cause["of"]: cause["share"] for cause in series["causes"]}
        half = (6.0 / math.pi * math.asin(1.0 / math.sqrt(8.0))) ** 2
        self.assertAlmostEqual(series["r2"], 2.0 * half, delta=0.03)
        for path in self.LEFT:
            self.assertAlmostEqual(causes.pop(path), half, delta=0.06)
        self.assertLess(sum(causes.values()), 0.01)


    def test_total_shares(self):
        """Of a sum, each section has its share of the variance, alone and together with others; those of certain constants have none."""
        asked = ["--draws", "300", "--sensitivity", "total"]
        series, = self.document(*asked, "--jobs", "2")["series"]
        found = {index["group"]: index for index in series["total"]}
        self.assertEqual(series["total_draws"], 300)
        for path, share in self.shares().items():
            index = found.pop(path.rpartition(".")[0])
            self.assertAlmostEqual(index["total"], share, delta=0.12)
            self.assertAlmostEqual(index["first"], share, delta=0.15)
            low, high = index["total_between"]
            self.assertTrue(low <= index["total"] <= high)
        self.assertLess(max((index["total"] for index in found.values()), default=0.0), 0.01)


class Total(Draws):
    def test_jobs_and_text(self):
        outputs = {self.netsim(*SMALL, "--series", "VIA RPI", "--draws", "4", "--sensitivity", "total", "--jobs", jobs).stdout
                   for jobs in ("1", "3")}
        self.assertEqual(len(outputs), 1)
        text, = outputs
        self.assertRegex(text, r"VIA RPI: shares of the variance of latency \(95 %\), from 4 draws\n +alone +with others\n")
        self.assertIn("fitted constants keep the values of the medians.\n", text)

    def test_refused(self):
        self.assertIn("--sensitivity goes with --draws", self.netsim(*SMALL, "--sensitivity", "total", code=1).stderr)
        self.assertIn("ranks, total", self.netsim(*SMALL, "--draws", "2", "--sensitivity", "all", code=1).stderr)


class Pairs(Draws):
    def test_shares_of_single_draws(self):
        """The share in which one series is ahead is counted draw by draw."""
        draws = [self.latencies_of_a_run("--set", f"draw={draw}") for draw in range(1, 9)]
        pair, = self.bands(8)["pairs"]
        self.assertEqual((pair["first"], pair["second"], pair["metric"]), ("VIA RPI", "LAM TCP", "latency_us"))
        for place in pair["at"]:
            size = place["size_bytes"]
            ahead = sum(draw[("VIA RPI", size)] < draw[("LAM TCP", size)] for draw in draws)
            self.assertEqual(place["ahead"]["share"], ahead / 8)
            self.assertEqual(place["behind"]["share"], 1 - ahead / 8)
            ratios = sorted(draw[("VIA RPI", size)] / draw[("LAM TCP", size)] for draw in draws)
            self.assertAlmostEqual(place["ratio"]["median"], (ratios[3] + ratios[4]) / 2, places=9)

    def test_text(self):
        """One order everywhere is one line; else sizes that stand alike are one part of it."""
        done = self.netsim(*SMALL, "--draws", "20")
        self.assertIn("VIA RPI and LAM TCP: VIA RPI is ahead in all draws at 1 B; undecided (VIA RPI in", done.stdout)
        done = self.netsim(*SMALL, "--draws", "20", "--set", "workload.sizes=[1 B, 64 B]")
        self.assertIn("\nVIA RPI is ahead of LAM TCP in all draws at all sizes\n", done.stdout)

    def test_one_series(self):
        self.assertEqual(json.loads(self.netsim("run", "pingpong_cluster1", "--set", "workload.sizes=[1 B]", "--series", "native",
                                                "--draws", "2", "--format", "json").stdout)["pairs"], [])


class Failures(Draws):
    SCENARIO = """schema: 1
testbed: testbeds/cluster1.yaml
stack: lam_via
workload: {ranks: 4, program: [{ranks: all, do: [{alltoall: {size: 3 MiB}}]}]}
host: {memory: {pin_limit: {value: 18 MiB, within: 2, source: a}}}
"""

    def test_what_failed_draws_have_in_common(self):
        """Ranks that may pin too little never end: the draws that fail have a low limit, and the text has one of them."""
        name = self.write("pinning.yaml", self.SCENARIO)
        done = self.netsim("run", name, "--draws", "40")
        self.assertRegex(done.stdout, r"lam_via: \d+ of 40 draws completed, and only these are in the table\n"
                                      r"  \d+ of the others \(--set draw=\d+\): deadlock: 4 of 4 ranks wait")
        self.assertRegex(done.stdout, r"(?m)^  the draws that failed have low host.memory.pin_limit$")
        series, = json.loads(self.netsim("run", name, "--draws", "40", "--format", "json").stdout)["series"]
        self.assertEqual(sum(len(failure["draws"]) for failure in series["failures"]), 40 - series["completed"])
        draw = series["failures"][0]["draws"][0]
        self.assertIn(series["failures"][0]["kind"], self.netsim("run", name, "--set", f"draw={draw}", code=3).stdout)


class Texts(Draws):
    def test_table(self):
        done = self.netsim(*SMALL, "--draws", "4", "--metric", "latency")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "latency, us, median (5 % .. 95 %)")
        self.assertEqual(lines[1].split("   ")[-1].strip(), "LAM TCP")
        self.assertRegex(lines[2], r"^ +1 +\d+\.\d+ \(\d+\.\d+ \.\. \d+\.\d+\)")
        self.assertNotIn("bandwidth", done.stdout)
        self.assertIn("4 draws of the uncertain constants; with so many the 5 % end may be anywhere up to the 2nd least value, "
                      "and the 95 % end likewise\n", done.stdout)
        hundred = self.netsim(*SMALL, "--draws", "100", "--metric", "latency").stdout
        self.assertIn("anywhere from the 1st to the 11th least value", hundred)

    def test_ensemble(self):
        """With its ensemble the machine is a calibrated one in each draw: 74 us at 1 B. A copy of the fit without it keeps the medians'."""
        done = self.netsim(*CALIBRATED, "--draws", "20", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["fitted"], [])
        value = latencies(json.loads(done.stdout))[("VIA RPI", 1)]
        self.assertAlmostEqual(value["low"], 74.0, delta=0.1)
        self.assertAlmostEqual(value["high"], 74.0, delta=0.1)

    def test_fitted(self):
        """A fit that no ensemble has keeps the medians' value, and the last line names it."""
        copy = "eepro100.rx_latency={value: 22110 ns, source: 'fitted: t'}"
        self.assertIn("fitted for the medians, and not drawn: eepro100.rx_latency",
                      self.netsim(*CALIBRATED, "--set", copy, "--draws", "4").stdout)
        self.write("mine.draws", "draw,eepro100.rx_latency\n1,22 us\n2,21 us\n")
        done = self.netsim(*CALIBRATED, "--set", "ensemble=mine.draws", "--draws", "2")
        self.assertNotIn("not drawn", done.stdout)

    def test_refused_draws(self):
        """A draw whose ensemble has no values counts as one that failed; only if all draws are refused the command is."""
        self.write("mine.draws", "draw,eepro100.rx_latency,fault\n1,22 us,\n2,,no card is so quick\n3,21 us,\n")
        options = [*CALIBRATED, "--set", "ensemble=mine.draws"]
        done = self.netsim(*options, "--draws", "3")
        self.assertIn("2 of 3 draws completed", done.stdout)
        self.assertIn("no card is so quick", done.stdout)
        self.write("mine.draws", "draw,eepro100.rx_latency,fault\n1,,no card is so quick\n")
        self.assertIn("mine.draws:2:1: error: ensemble: draw 1 has no values: no card is so quick",
                      self.netsim(*options, "--draws", "1", code=1).stderr)

    def test_csv(self):
        done = self.netsim(*SMALL, "--draws", "3", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        values = self.bands(3)["values"]
        self.assertEqual(len(rows), len(values))
        for row, value in zip(rows, values):
            self.assertEqual((row["series"], row["metric"], int(row["size"]), row["unit"]),
                             (value["series"], value["metric"], value["size_bytes"], value["unit"]))
            for key in ("median", "low", "high"):
                self.assertEqual(float(row[key]), value[key])

    def test_ranks(self):
        """Values of ranks are apart, as in a run."""
        name = self.write("ranks.yaml", "schema: 1\ntestbed: testbeds/cluster1.yaml\nstack: lam_via\n"
                          "workload: {ranks: 2, program: [{ranks: 0, do: [{send: {to: 1, size: 1 KiB}}]}, "
                          "{ranks: 1, do: [{recv: {from: 0, size: 1 KiB}}]}]}\n")
        done = self.netsim("run", name, "--draws", "3")
        self.assertRegex(done.stdout, r"(?m)^ *rank 0 +\d+(\.\d+)? \(")
        values = json.loads(self.netsim("run", name, "--draws", "3", "--format", "json").stdout)["values"]
        self.assertEqual({value["rank"] for value in values}, {0, 1})


class Refused(Draws):
    def test_numbers(self):
        for number in ("0", "-1", "x", "1.5", "10001", ""):
            done = self.netsim(*SMALL, "--draws", number, code=1)
            self.assertIn("it must be a whole number from 1 to 10000", done.stderr)

    def test_records(self):
        for option in (["--trace", "t.json"], ["--out", "there"], ["--links"], ["--stop-at", "1 ms"]):
            done = self.netsim(*SMALL, "--draws", "2", *option, code=1)
            self.assertIn("--draws prints a table, and writes no results, links or records", done.stderr)

    def test_failed_runs(self):
        """A series that fails in every draw ends with 3 and is named."""
        done = self.netsim("run", "alltoall_deadlock", "--draws", "2", code=3)
        self.assertRegex(done.stdout, r": 0 of 2 draws completed, and only these are in the table")


if __name__ == "__main__":
    unittest.main()
