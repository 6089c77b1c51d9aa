#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives `netsim figures` and `netsim plot`: messages, kept files, the Python that draws. test_figures_all.py checks
that every figure is drawn as specified."""

import json
import os
import stat
import unittest

from drawing import Drawing, FIGURES
from harness import SOURCE
import needs


@needs.matplotlib
class Figures(Drawing):
    def test_one_of_them(self):
        for word in ("via.fig.4_2", "via.fig.4*"):
            done = self.netsim("figures", word, "--out", "x", "--format", "png", "-j", "1")
            self.assertTrue(done.stdout.startswith("x/thesis000/fig_4_2.png\nx/index.html\n"))
            self.assertRegex(done.stdout, r"\n1 figure with \d+ series; .*\d+ cases? run, the others were in "
                             r"\S+\n\d+\.\d s: \d+\.\d s to simulate, \d+\.\d s to draw\n$")
        self.assertEqual(os.listdir(self.path("x/thesis000")), ["fig_4_2.png"])
        self.assertIn("data-picture=", self.read("x/index.html"))
        self.netsim("figures", "via.fig.4_2", "--out", "x", environment={"NETSIM_D3": "/nowhere"})
        self.assertIn("<svg", self.read("x/index.html"))

    def test_a_number_is_that_of_every_source(self):
        for word in ("4.2", "fig.4_2"):
            done = self.netsim("figures", word, "--out", "x", "--format", "png", "-j", "1")
            self.assertEqual(sorted(done.stdout.splitlines()[:2]),
                             ["x/thesis000/fig_4_2.png", "x/thesis004/fig_4_2.png"])

    def test_a_missing_series_is_said(self):
        """A figure whose scenario lacks a series is drawn without it, with a note."""
        for folder in ("references/figures", "scenarios"):
            os.makedirs(self.path(f"data/{folder}"))
        for folder in ("plots", "scenarios/testbeds"):
            os.symlink(os.path.join(SOURCE, folder), self.path(f"data/{folder}"))
        self.small()
        os.rename(self.path("small.yaml"), self.path("data/scenarios/small.yaml"))
        self.write("data/references/figures/a.yaml", """\
schema: 1
figures:
  - id: a.fig.1
    file: a
    title: Three sizes
    source: here
    scenario: small
    panels:
      - y: {metric: latency_us}
        series: [second, third, {name: lost, scenario: nowhere, series: x}]
      - x: {set: lam_via.rdescs, values: [8, 16], label: descriptors, at: 4 KiB}
        y: {metric: latency_us}
        series: [second, {name: ratio, series: second, over: "first, quoted"}]
      - kind: bars
        x: {set: lam.call, values: [1500 cycles, 1500000 cycles], label: call, at: 4 KiB}
        y: {metric: latency_us}
        series: [second]
""")
        done = self.netsim("figures", environment={"NETSIM_DATA_DIR": self.path("data")})
        self.assertIn('a.fig.1: not drawn: third (', done.stderr)
        self.assertIn("a.fig.1: not drawn: lost (there is no scenario nowhere)", done.stderr)
        ids = self.ids("figures/a.svg")
        self.assertIn("p1-series-second", ids)
        self.assertNotIn("p1-series-third", ids)
        self.assertIn("not drawn: third", self.texts("figures/a.svg"))
        with open(self.path("figures/data/a.fig.1.json"), encoding="utf-8") as file:
            panels = json.load(file)["panels"]
        self.assertEqual([point[0] for point in panels[1]["series"][0]["points"]], [8, 16])
        self.assertEqual([point[1] for point in panels[1]["series"][1]["points"]], [1, 1])
        (short, short_y), (long, long_y) = panels[2]["series"][0]["points"]
        self.assertEqual((short, long), ("1500 cycles", "1500000 cycles"))
        self.assertGreater(long_y, 2 * short_y)

    def test_bad_input(self):
        wrong = "via." + "fig.6_99"  # in two, as no claim is called so
        for arguments, part in (([wrong], f"there is no figure `{wrong}'"),
                                ([wrong], "did you mean via.fig.6_9? there are armci.fig.3_4,"),
                                (["x"], "there are " + ", ".join(FIGURES)),
                                (["6.11"], "there is no figure"), (["6.1", "x"], "`x'"),
                                (["--format", "gif"], "svg, png, pdf"),
                                (["-j", "-2"], "from 0 to 1024"), (["--frob"], "--frob")):
            done = self.netsim("figures", *arguments, code=1)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(os.listdir(self.directory), [])

    def test_an_unwritable_directory(self):
        self.write("file", "")
        done = self.netsim("figures", "4.2", "--out", "file/below", code=1)
        self.assertIn("file/below", done.stderr)

    def test_a_cache_that_is_none(self):
        os.mkdir(self.path("figures"))
        self.write("figures/cache.sqlite", "this is no database\n" * 100)
        done = self.netsim("figures", "4.2", code=1)
        self.assertIn("cache.sqlite", done.stderr)
        self.assertEqual(self.read("figures/cache.sqlite")[:7], "this is")


class Python(Drawing):
    """Who draws is found before anything is simulated."""

    def fake(self, script):
        os.makedirs(self.path("bin"), exist_ok=True)
        self.write("bin/python3", f"#!/bin/sh\n{script}\n")
        os.chmod(self.path("bin/python3"), stat.S_IRWXU)
        return self.path("bin/python3")

    def test_none_has_matplotlib(self):
        """As on a machine without python3-matplotlib."""
        fake = self.fake("exit 1")
        for command in (["plot", self.small()], ["figures", "4.2"]):
            done = self.netsim(*command, code=1, environment={"NETSIM_PYTHON": fake})
            self.assertIn("matplotlib", done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertFalse(os.path.exists(self.path("figures")))

    def test_the_first_in_path_lacks_it(self):
        """Debian's packages serve only Debian's own python3."""
        self.fake("exit 1")
        path = self.path("bin") + os.pathsep + os.environ["PATH"]
        if os.system("/usr/bin/python3 -c 'import matplotlib' 2>/dev/null") != 0:
            done = self.netsim("plot", self.small(), code=1, environment={"PATH": path})
            self.assertIn("python3-matplotlib", done.stderr)
        else:
            self.netsim("plot", self.small(), environment={"PATH": path})

    @unittest.skipUnless(os.system("/usr/bin/python3 -c 'import matplotlib' 2>/dev/null") == 0, "matplotlib is not installed")
    def test_what_lies_in_the_current_directory_is_no_module(self):
        """A folder or a file with the name of a module is not taken for it, also not by a python3 that has no matplotlib."""
        self.fake('exec /usr/bin/python3 -S -s "$@"')
        path = self.path("bin") + os.pathsep + os.environ["PATH"]
        os.makedirs(self.path("matplotlib"))
        for name in ("importlib", "json", "sys", "math", "numpy"):
            self.write(f"{name}.py", f"open('{name}.ran', 'w')\n")
        self.netsim("plot", self.small(), environment={"PATH": path})
        self.write("matplotlib.py", "open('matplotlib.ran', 'w')\n")
        self.netsim("plot", "small.yaml", environment={"PATH": path})
        self.assertEqual([name for name in os.listdir(self.directory) if name.endswith(".ran")], [])

    def test_one_that_breaks(self):
        fake = self.fake('case "$1" in -c) exit 0 ;; esac\necho broken >&2; exit 7')
        done = self.netsim("plot", self.small(), code=1, environment={"NETSIM_PYTHON": fake})
        self.assertIn("broken", done.stderr)
        self.assertIn("draw.py", done.stderr)


if __name__ == "__main__":
    unittest.main()
