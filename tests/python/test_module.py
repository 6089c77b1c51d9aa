#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python module: frames equal what the program prints, refusals are exceptions, and the example notebook runs."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

if importlib.util.find_spec("pandas") is None and os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3"):
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # Debian's python3-pandas

import pandas

SOURCE = os.environ["NETSIM_SOURCE_DIR"]
NETSIM = os.environ["NETSIM"] = os.path.abspath(os.environ["NETSIM"])
sys.path.insert(0, os.path.join(SOURCE, "python"))
import netsim  # noqa: E402

SMALL = {"workload.sizes": ["1 B", "1 KiB"], "workload.repetitions": 2}
RING = {"schema": 1, "name": "ring", "testbed": "testbeds/cluster1.yaml", "stack": "lam_via",
        "workload": {"ranks": 2, "program": [{"ranks": 0, "do": [{"send": {"to": 1, "size": "1 KiB"}}]},
                                             {"ranks": 1, "do": [{"recv": {"from": 0, "size": "1 KiB"}}]}]}}


class Module(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-python-")
        self.addCleanup(temporary.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        self.directory = temporary.name
        os.chdir(self.directory)

    def printed(self, *arguments):
        return subprocess.run([NETSIM, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()

    def test_run(self):
        frame = netsim.run("pingpong_cluster1", set=SMALL, series=["VIA RPI", "LAM TCP"], out="kept")
        lines = self.printed("run", "pingpong_cluster1", "-q", "--format", "csv", "--set", "workload.sizes=[1 B, 1 KiB]", "--set",
                             "workload.repetitions=2", "--series", "VIA RPI", "--series", "LAM TCP")
        self.assertEqual(len(frame), len(lines) - 1)
        self.assertEqual(list(frame.columns), lines[0].split(","))
        self.assertEqual(set(frame[frame["metric"] == "latency_us"]["unit"]), {"us"})
        self.assertEqual(float(lines[1].split(",")[-1]), frame["value"].iloc[0])
        pandas.testing.assert_frame_equal(netsim.read("kept"), frame, check_exact=True)
        table = netsim.curves(frame)
        self.assertEqual((list(table.columns), list(table.index)), (["VIA RPI", "LAM TCP"], [1, 1024]))
        self.assertEqual(table.attrs["unit"], "us")

    def test_nothing_is_left(self):
        netsim.run("pingpong_cluster1", set=SMALL, series=["VIA RPI"])
        netsim.sweep("pingpong_cluster1", set={**SMALL, "link.rate": ["10 Mb/s", "100 Mb/s"]})
        self.assertEqual(os.listdir(), [])

    def test_a_map_is_a_scenario(self):
        frame = netsim.run(RING)
        self.assertEqual(set(frame["series"]), {"lam_via"})
        self.assertEqual(list(frame[frame["metric"] == "program_us"]["rank"]), ["0", "1"])

    def test_draws(self):
        frame = netsim.run("pingpong_cluster1", draws=5, set=SMALL, series=["VIA RPI"])
        self.assertTrue((frame["low"] <= frame["median"]).all() and (frame["median"] <= frame["high"]).all())
        self.assertEqual(set(frame["n"]), {5})
        self.assertEqual(netsim.curves(frame)["VIA RPI"].loc[1],
                         frame[(frame["metric"] == "latency_us") & (frame["size"] == 1)]["median"].iloc[0])

    def test_sweep(self):
        axes = {"link.rate": ["10 Mb/s", "100 Mb/s"], "workload.repetitions": 2, "workload.sizes": "1 B"}
        frame = netsim.sweep("pingpong_cluster1", set=axes, out="kept")
        table = netsim.curves(frame)
        self.assertEqual([name for name in table.index.names], ["link.rate", "size"])
        self.assertGreater(table["VIA RPI"].loc[("10 Mb/s", 1)], table["VIA RPI"].loc[("100 Mb/s", 1)])
        with open(netsim.report("kept", out="page.html"), encoding="utf-8") as file:
            self.assertIn("Sweep of pingpong_cluster1", file.read())
        again = netsim.curves(netsim.read("kept"))
        self.assertAlmostEqual(again["MVICH"].loc[("10 Mb/s", 1)], table["MVICH"].loc[("10 Mb/s", 1)])

    def test_explain(self):
        frame = netsim.explain("pingpong_cluster1", "1 B", series="VIA RPI", set={"workload.repetitions": 2}, options=["--no-trials"])
        run = netsim.curves(netsim.run("pingpong_cluster1", series=["VIA RPI"], set={"workload.repetitions": 2, "workload.sizes": "1 B"}))
        stages = frame[frame["kind"] == "stage"]
        self.assertAlmostEqual(stages["value"].sum(), run["VIA RPI"].loc[1], places=3)

    def test_refused(self):
        for wrong in (lambda: netsim.run("nowhere"), lambda: netsim.run({**RING, "stack": "none"}),
                      lambda: netsim.run("pingpong_cluster1", set={"link.rate": "fast"}), lambda: netsim.read("nothing-here"),
                      lambda: netsim.curves(netsim.run(RING), "latency_us"), lambda: netsim.describe("nothing_of_the_kind")):
            with self.assertRaises(netsim.Error) as caught:
                wrong()
            self.assertEqual(caught.exception.code, 1)
            self.assertTrue(str(caught.exception))
        deadlock = {**RING, "workload": {"ranks": 2, "program": [{"ranks": "all", "do": [{"recv": {"from": "1 - rank", "size": "1 B"}}]}]}}
        with self.assertRaises(netsim.Failed) as caught:
            netsim.run(deadlock)
        self.assertEqual(caught.exception.code, 3)

    def test_describe(self):
        self.assertIn("eepro100", netsim.describe("eepro100"))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_plot(self):
        frame = netsim.run("pingpong_cluster1", set=SMALL, series=["VIA RPI", "LAM TCP"])
        figure = netsim.plot(frame)
        lines = [line for axes in figure.axes for line in axes.get_lines() if list(line.get_xdata()) == [1, 1024]]
        wanted = netsim.curves(frame)
        self.assertIn(list(wanted["VIA RPI"]), [list(line.get_ydata()) for line in lines])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_the_notebook_runs(self):
        with open(os.path.join(SOURCE, "examples/notebook.ipynb"), encoding="utf-8") as file:
            notebook = json.load(file)
        self.assertEqual(notebook["nbformat"], 4)
        names = {}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)  # pylint: disable=exec-used
        self.assertGreater(names["band"]["high"].max(), names["band"]["low"].min())


if __name__ == "__main__":
    unittest.main()
