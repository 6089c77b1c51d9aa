#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text that commands print where there is no terminal has at most 80 columns, or $COLUMNS, unless --wide is given."""

import re
import unittest

import harness

MEASURED = "size,latency_us,error\n1 B,93.6,0.5\n1 KiB,266.3,0.8\n16 KiB,1597,4\n"
TARGETS = """\
schema: 1
targets:
  - {series: "first, quoted", metric: latency_us, size: 1 B, value: 74, tolerance: 1 %}
  - {series: second, metric: latency_us, size: 4 KiB, value: 540, tolerance: 1 %}
"""
DEADLOCK = """\
schema: 1
name: names
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  program:
    - ranks: [0]
      do: [{send: {to: 1, size: 4 KiB, tag: 3}}, recv: {from: 1, size: 1 B, tag: 4}]
    - ranks: [1]
      do: [{recv: {from: 0, size: 4 KiB, tag: 3}}]
"""

# Each command, and the code with which it ends.
COMMANDS = (
    (["help"], 0),
    *((["help", name], 0) for name in (
        "run", "check", "describe", "list", "new", "show", "bench", "sweep", "explain", "diagram", "flatten",
        "export", "trace", "validate", "compare", "plot", "report", "figures", "calibrate", "fit")),
    (["list"], 0), (["list", "figures"], 0), (["list", "parameters"], 0), (["list", "sections"], 0),
    (["figures", "--list"], 0),
    (["show", "pingpong_cluster1"], 0), (["show", "two_networks"], 0), (["show", "wide.yaml"], 0),
    (["show", "fat_tree_10000"], 0), (["show", "intercept_clos1024", "--route", "node0", "node900"], 0),
    *((["describe", name], 0) for name in (
        "lam_via", "openmpi_tcp", "put", "nas.bt", "ch3_sock", "link", "host", "sctp", "file")),
    (["describe", "file", "claims"], 0), (["describe", "machine"], 0), (["describe", "operations"], 0), (["describe"], 0),
    (["check", "pingpong_cluster1", "armci_put_config1", "wide.yaml"], 0),
    (["run", "small.yaml"], 0), (["run", "small.yaml", "--links", "--out", "a"], 0),
    (["run", "small.yaml", "-q", "--links=all", "--set", "link.drop_probability=0.01", "--out", "b"], None),
    (["run", "small.yaml", "--draws", "4", "-q"], 0),
    (["run", "deadlock.yaml"], 3),
    (["compare", "a", "b"], None), (["compare", "small.yaml", "small.yaml#link.rate=10Mb/s", "--draws", "3"], None),
    (["explain", "pingpong_cluster1", "--series", "LAM TCP", "--set", "workload.repetitions=2"], 0),
    (["explain", "small.yaml", "--size", "1"], 0),
    (["flatten", "wide.yaml", "--set", "workload.sizes=64 KiB"], 0),
    (["trace", "traces/stencil_16/trace.txt"], 0), (["trace", "traces/sample_sort_8/trace.txt"], 0),
    (["calibrate", "small.yaml", "--to", "targets.yaml", "--fit", "eepro100.rx_latency=10us..40us", "--fit", "switch.latency=1us..20us",
      "--out", "overlay.yaml"], None),
    (["fit", "measured.csv", "--testbed", "cluster1", "--stack", "lam_tcp", "--draws", "50", "--set",
      "workload.repetitions=2", "-q"], None),
    (["sweep", "small.yaml", "--set", "lam_via.tiny=1KiB,2KiB", "--set", "lam_via.short=8KiB,16KiB", "--set",
      "link.drop_probability=0,0.3"], None),
    (["sweep", "--report", "results/small"], None),
    (["validate", "-q", "via.pingpong.latency_min.mvich", "via.pingpong.c1.smooth", "--format", "brief"], None),
    (["validate", "-q", "via.pingpong.latency_min.mvich", "via.pingpong.c1.smooth"], None),
)


def too_wide(text, width):
    """The lines that have more columns; a word that is longer by itself is not cut."""
    return [line for line in text.splitlines()
            if len(line) > width and len(re.sub(r"^\s*", "", line).split()) > 1]


class Widths(harness.Case):
    def setUp(self):
        super().setUp()
        self.small()
        self.write("measured.csv", MEASURED)
        self.write("targets.yaml", TARGETS)
        self.write("deadlock.yaml", DEADLOCK)
        harness.os.symlink(harness.os.path.join(harness.SOURCE, "traces"), self.path("traces"))
        self.netsim("new", "wide", "--stack", "openmpi_tcp", "--hosts", "16")

    def test_text_has_80_columns(self):
        for command, code in COMMANDS:
            with self.subTest(command):
                done = self.netsim(*command, code=code, environment={"COLUMNS": ""})
                self.assertNotEqual(done.stdout, "", done.stderr)
                self.assertEqual(too_wide(done.stdout, 80), [])

    def test_columns(self):
        """$COLUMNS is the width off a terminal; nonsense is not."""
        text = self.netsim("explain", "small.yaml", "--size", "1", environment={"COLUMNS": "60"}).stdout
        self.assertEqual(too_wide(text, 60), [])
        text = self.netsim("check", "small.yaml", environment={"COLUMNS": "200"}).stdout
        self.assertGreater(max(map(len, text.splitlines())), 80)
        for columns in ("0", "-3", "19", "wide", ""):
            text = self.netsim("check", "small.yaml", environment={"COLUMNS": columns}).stdout
            self.assertEqual(too_wide(text, 80), [])

    def test_wide(self):
        """--wide folds nothing, and has the same words."""
        for command in (["check", "small.yaml"], ["run", "small.yaml", "--links", "-q"],
                        ["explain", "small.yaml", "--size", "1"], ["trace", "traces/stencil_16/trace.txt"]):
            with self.subTest(command):
                narrow = self.netsim(*command, environment={"COLUMNS": "40"}).stdout
                wide = self.netsim(*command, "--wide", environment={"COLUMNS": "40"}).stdout
                self.assertLess(len(wide.splitlines()), len(narrow.splitlines()))
                self.assertLessEqual(set(wide.split()), set(narrow.split()))


if __name__ == "__main__":
    unittest.main()
