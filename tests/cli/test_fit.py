#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim fit: points that known constants made lead to these again; what is proposed, written and drawn; bad requests."""

import json
import os
import unittest

from drawing import Drawing

import needs

SIZES = ["1 B", "1 KiB", "4 KiB"]
SETTING = f"workload.sizes=[{', '.join(SIZES)}]"


class Fit(Drawing):
    def fit(self, *options, file="points.csv", **more):
        return self.netsim("fit", file, "--quiet", *options, **more)

    def points(self, *settings, scales=(1.0, 1.0, 1.0)):
        """Points of bare M-VIA's PingPong on cluster 1 with some constants set, 0.3 us precise."""
        self.write("truth.yaml", "schema: 1\nname: truth\ntestbed: cluster1\nstack: mvia\n"
                                 "workload: {benchmark: native.pingpong, steady: 3}\n")
        sets = [word for setting in (SETTING, *settings) for word in ("--set", setting)]
        result = json.loads(self.netsim("run", "truth.yaml", "--quiet", "--format", "json", *sets).stdout)
        latencies = [point["latency_us"] for point in result["series"][0]["points"]]
        self.write("points.csv", "size,value,error\n" + "".join(
            f"{size},{value * scale!r},0.3\n" for size, value, scale in zip(SIZES, latencies, scales)))
        return latencies


class Known(Fit):
    def judge(self, document):
        parameters = {row["path"]: row for row in document["fit"]["parameters"]}
        self.assertEqual([row["path"] for row in document["proposal"]["chosen"]], list(parameters))
        fitted = parameters["eepro100.rx_latency"]
        value = float(fitted["value"].removesuffix(" ns"))
        self.assertLess(abs(value - 27000), 3 * fitted["error_percent"] / 100 * value)
        self.assertLess(fitted["error_percent"], 3)
        self.assertEqual(parameters["mvia.header"]["value"], "32 B")  # as it was: the points ask for nothing else
        like = {row["path"]: row["of"] for row in document["proposal"]["like"]}
        self.assertEqual(like["switch.latency"], "eepro100.rx_latency")
        self.assertTrue(document["fit"]["described"])
        self.assertLess(document["fit"]["chi_square"], 2)
        learnt = {row["path"]: row for row in document["posterior"]["parameters"]}["eepro100.rx_latency"]
        self.assertTrue(learnt["learnt"])
        self.assertLess(learnt["width"], 1)

    @needs.matplotlib
    def test_constants_come_back(self):
        latencies = self.points("eepro100.rx_latency=27 us")
        options = ("--testbed", "cluster1", "--stack", "mvia", "--draws", "50", "--out", "fitted")
        document = json.loads(self.fit(*options, "--format", "json").stdout)
        self.judge(document)
        self.assertEqual(document["files"], {
            "scenario": "fitted/points.yaml", "overlay": "fitted/points.fit.yaml",
            "ensemble": "fitted/points.draws", "picture": "fitted/points.svg"})
        # The scenario has what was fitted, and draws of it have the band that the points leave.
        run = ("run", "fitted/points.yaml", "--quiet", "--format", "json", "--set", SETTING)
        fitted = json.loads(self.netsim(*run).stdout)["series"][0]["points"]
        for point, latency in zip(fitted, latencies):
            self.assertLess(abs(point["latency_us"] - latency), 0.61)
        drawn = json.loads(self.netsim(*run, "--draws", "20").stdout)
        band = next(row for row in drawn["values"] if row["size_bytes"] == 1)
        self.assertTrue(band["low"] < latencies[0] < band["high"])
        self.assertIn('source: "fitted: points.csv"', self.read("fitted/points.fit.yaml"))
        ids = self.ids("fitted/points.svg")
        for group in ("p1-series-fitted", "p1-measured-measured", "p1-interval-fitted", "p1-interval-measured",
                      "p2-measured-measured"):
            self.assertIn(group, ids)
        self.assertIn("residual (errors)", self.texts("fitted/points.svg"))

    def test_no_constants_explain(self):
        self.points(scales=(1.0, 1.0, 3.0))
        done = self.fit("--testbed", "cluster1", "--stack", "POINT=mvia", "--stack", "mvia", code=1)
        self.assertIn("--stack POINT=mvia: the file has no such series (it has one series without a name)", done.stderr)
        done = self.fit("--testbed", "cluster1", "--stack", "mvia", "--draws", "50", "--fit", "eepro100.rx_latency")
        text = " ".join(done.stdout.split())
        self.assertIn("mvia, latency_us at 4096 B lies outside all draws", text)
        self.assertIn("no constants explain this, a mechanism is missing", text)
        self.assertIn("the fitted values do not describe the points", text)
        self.assertNotIn("as the points tell them apart", text)  # --fit names them
        self.assertTrue(os.path.exists(self.path("results/points_fit/points.draws")))


class Bad(Fit):
    def refuse(self, message, *options, text="size,value\n1,70\n"):
        self.write("points.csv", text)
        done = self.fit(*options, code=1)
        self.assertEqual(done.stdout, "")
        self.assertIn(message, done.stderr)

    def test_requests(self):
        cluster = ("--testbed", "cluster1")
        self.refuse("on which machine was it measured?")
        self.refuse("give one of them", *cluster, "--scenario", "pingpong_cluster1")
        self.refuse("--stack: the scenario has its own", "--scenario", "pingpong_cluster1", "--stack", "mvia")
        self.refuse("which stack is the measured curve of? (--stack STACK, one of mvia, lam_via", *cluster)
        self.refuse("which stack is A of? (--stack A=STACK", *cluster, text="size,value,series\n1,70,A\n")
        self.refuse("--stack lam_vai: there is no such stack (did you mean lam_via?)", *cluster, "--stack", "lam_vai")
        self.refuse("--benchmark pmb.pingpong: mvia has no such benchmark (it has ", *cluster, "--stack", "mvia",
                    "--benchmark", "pmb.pingpong")
        self.refuse("cluster9", "--testbed", "cluster9", "--stack", "mvia")
        self.refuse("--draws 3: with --posterior it must be a number from 50", *cluster, "--stack", "mvia", "--draws", "3")
        self.refuse("points.csv:2:3: fast is no number", *cluster, "--stack", "mvia", text="size,value\n1,fast\n")
        self.refuse('points.csv:2:6: the scenario has no series "A" (it has VIA RPI, MVICH', "--scenario",
                    "pingpong_cluster1", text="size,value,series\n1,70,A\n")
        self.refuse("there is no such parameter", *cluster, "--stack", "mvia", "--fit", "no.such")


if __name__ == "__main__":
    unittest.main()
