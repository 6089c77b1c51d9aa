#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives `netsim report`: what is refused, the page without its script, and the page in a headless Chromium: its
numbers are those of the CSV files, and each of its controls works by pointer and keyboard."""

import csv
import os
import re
import sqlite3
import unittest

from harness import Case
import browser
import needs

NO_D3 = {"NETSIM_D3": "/nowhere"}
TWO = """\
schema: 1
name: two
description: two series
testbed: testbeds/cluster1.yaml
workload: {benchmark: pmb.pingpong, sizes: [0 B, 1 B, 1 KiB, 4 KiB], repetitions: 3}
series:
  - {name: "</script><b>first", stack: lam_via}
  - {name: second, stack: lam_tcp}
"""
FAILING = """\
schema: 1
name: stuck
testbed: testbeds/cluster1.yaml
workload: {program: [{ranks: 0, do: [recv: {from: 1, size: 4 B}]}, {ranks: 1, do: [recv: {from: 0, size: 4 B}]}]}
series: [{name: stuck, stack: lam_via}]
"""


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


class Page(Case):
    def has(self, page, text):  # without the page in the message
        self.assertTrue(text in page, f"the page lacks {text!r}")

    def lacks(self, page, text):
        self.assertFalse(text in page, f"the page has {text!r}")

    def run_two(self, out="run", *more):
        self.write("two.yaml", TWO)
        self.netsim("run", "two.yaml", "--out", out, "-q", *more)

    def sweep_two(self, *more):
        self.write("two.yaml", TWO)
        self.netsim("sweep", "two.yaml", "--set", "link.rate=10 Mb/s,100 Mb/s", "--set", "link.drop_probability=0,0.01",
                    "--seeds", "2", "--out", "sweep", "-q", *more)


@needs.matplotlib
class Refused(Page):
    def refused(self, *arguments):
        done = self.netsim("report", *arguments, code=1)
        self.assertFalse(os.path.exists(self.path("report.html")))
        return done.stderr

    def test_no_results(self):
        os.mkdir(self.path("empty"))
        self.assertIn("empty: a directory without results", self.refused("empty"))
        self.assertIn("nowhere: no such directory or database", self.refused("nowhere"))
        self.write("text.txt", "no database")
        self.assertIn("text.txt: this is no database", self.refused("text.txt"))

    def test_a_database_of_another_version(self):
        self.sweep_two()
        with sqlite3.connect(self.path("sweep/sweep.sqlite")) as database:
            database.execute("PRAGMA user_version = 99")
        self.assertIn("the database has layout 99, and this program knows", self.refused("sweep"))

    def test_results_of_another_run(self):
        self.run_two()
        self.write("run/results.csv", self.read("run/results.csv").replace(",1024,", ",1025,"))
        self.assertIn("is not of the run of manifest.json", self.refused("run"))

    def test_its_own_input(self):
        self.sweep_two()
        self.assertIn("--out", self.refused("sweep/sweep.sqlite", "--out", "sweep/sweep.sqlite"))
        self.netsim("sweep", "--report", "sweep")


@needs.matplotlib
class Still(Page):
    """The page as text, with a file in place of the library, which is quicker than pictures."""

    def page(self, *arguments, environment=None):
        self.write("d3.js", "// https://d3js.org v5.0.0 is not here\n")
        self.netsim("report", *arguments, "--out", "page.html", "-q",
                    environment=environment or {"NETSIM_D3": self.path("d3.js")})
        return self.read("page.html")

    def test_a_run(self):
        self.run_two()
        page = self.page("run", environment=NO_D3)
        self.lacks(page, "<script")
        self.has(page, "&lt;/script&gt;&lt;b&gt;first")
        self.assertGreaterEqual(page.count("<svg "), 2)
        for text in ("netsim run two.yaml --out run -q", "Where the time goes", "Loads of links", "node0-&gt;switch", "A message on its way", 'class="netsim-diagram"', 'class="machine"',
                     "Nothing was dropped", "lam_via.tiny", "testbeds/cluster1.yaml:", "SHA-256"):
            self.has(page, text)
        self.netsim("report", "run", "--static", "-q")
        self.assertTrue(self.read("run/report.html") == page, "--static gives another page than a machine without d3")
        page = self.page("run", "--no-explain")
        self.has(page, "d3js.org v5.0.0 is not here")
        self.lacks(page, "Where the time goes")

    def test_settings_and_another_scenario(self):
        """A scenario that has changed since is not explained as if it were that of the run."""
        self.run_two("run", "--set", "link.rate=10 Mb/s")
        self.has(self.page("run"), "Where the time goes")
        self.write("two.yaml", TWO.replace("repetitions: 3", "repetitions: 4"))
        page = self.page("run")
        self.lacks(page, "Where the time goes")
        self.has(page, "it has changed since")
        os.unlink(self.path("two.yaml"))
        self.has(self.page("run"), "it is not there")

    def test_a_large_page(self):
        self.run_two()
        small = self.netsim("report", "run", "--no-explain", "-q").stderr
        self.assertNotIn("more than most mails", small)
        self.write("run/manifest.json", self.read("run/manifest.json").replace('"description": "', '"description": "' + 9 * 1000000 * "x", 1))
        large = self.netsim("report", "run", "--no-explain", "-q").stderr
        self.assertRegex(large, r"note: run/report.html has 2\d MB, more than most mails and issues take")

    def test_a_run_that_failed(self):
        self.write("stuck.yaml", FAILING)
        self.netsim("run", "stuck.yaml", "--out", "stuck", "-q", code=3)
        page = self.page("stuck")
        self.has(page, "deadlock")

    def test_a_sweep_that_was_interrupted(self):
        self.sweep_two("--shard", "1/2")
        page = self.page("sweep")
        self.assertTrue(re.search(r"This sweep is not finished: \d+ of 16 runs have not been made, and this page is partial", page))
        self.sweep_two()
        page = self.page("sweep/sweep.sqlite")
        self.lacks(page, "not finished")
        for text in ("Best and worst", "Effects of the axes", "Over link.rate", "--seeds 2"):
            self.has(page, text)

    def test_several(self):
        self.run_two("a")
        self.run_two("b", "--set", "link.rate=10 Mb/s")
        page = self.page("a", "b")
        self.has(page, "All of them together")
        self.lacks(page, "different versions")
        self.write("b/manifest.json", re.sub(r'"version": "[^"]*"', '"version": "0.0.1"', self.read("b/manifest.json")))
        self.has(self.page("a", "b"), "the results are of different versions of netsim")

    def test_claims(self):
        """A run of a scenario as it is shipped is held against the claims on it; with settings it is not."""
        self.netsim("run", "portals_bandwidth_system1", "--out", "run", "-q")
        page = self.page("run")
        self.has(page, "Claims of the sources")
        self.assertGreater(page.count('class="verdict holds"'), 3)


@needs.matplotlib
@browser.needed
class Live(Page):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.browser.problems.clear()
        self.browser.media()

    def show(self, *arguments):
        self.netsim("report", *arguments, "--out", "page.html", "-q")
        self.open("page.html")

    def open(self, name):
        self.browser.open(self.path(name))
        self.assertEqual(self.browser.problems, [])
        self.assertEqual(self.js("document.documentElement.dataset.ready"), "yes", "is Debian's node-d3 installed?")

    def js(self, expression):
        return self.browser.value(expression)

    def press(self, *keys):
        for key in keys:
            self.browser.key(key)

    def focus(self, selector):
        self.assertTrue(self.js(f"(e => {{ e.focus(); return document.activeElement === e; }})"
                                f"(document.querySelector({selector!r}))"), selector)

    def read_off(self, chart):
        """{(place, series): value} of a chart, read by its arrow keys."""
        self.focus(f"#{chart}")
        found, place, before = {}, None, None
        self.press("Home")
        while place is None or place != before:
            before = place
            place = self.js(f"document.querySelector('#{chart} + output b').textContent")
            for series, value in self.js(f"[...document.querySelectorAll('#{chart} + output span')]"
                                         ".map(e => [e.dataset.series, e.dataset.value])"):
                found[(place, series)] = float(value)
            self.press("ArrowRight")
            if self.js(f"document.querySelector('#{chart} + output b').textContent") == place:
                break
        return found

    def test_numbers_are_those_of_the_csv(self):
        self.run_two()
        self.show("run")
        sizes = {"0": "0", "1": "1 B", "1024": "1 KiB", "4096": "4 KiB"}
        rows = rows_of(self.read("run/results.csv"))
        metrics = list(dict.fromkeys(row["metric"] for row in rows if row["rank"] == "all"))
        for number, metric in enumerate(metrics[:2]):
            expected = {(sizes[row["size"]], row["series"]): float(row["value"]) for row in rows
                        if row["metric"] == metric and row["rank"] == "all"}
            read = self.read_off(f"part1-chart0-{number}")
            if metric == "latency_us":
                self.assertEqual(read, expected)
            else:
                self.assertEqual({key: expected[key] for key in read}, read)
            self.assertGreater(len(read), 5)
        shown = self.js("[...document.querySelectorAll('#part1-csv0 tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual(shown, [list(row.values()) for row in rows])
        self.assertIn("first", self.js("document.querySelector('.key').textContent"))
        self.assertEqual(self.browser.problems, [])

    def test_numbers_of_a_sweep(self):
        self.sweep_two()
        self.show("sweep")
        means = rows_of(self.netsim("sweep", "--report", "sweep", "--format", "csv").stdout)
        values = {float(row["mean"]) for row in means if row["mean"]}
        cells = self.js("[...document.querySelectorAll('#part1-csv0 tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual(cells, [list(row.values()) for row in means])
        read = self.js("JSON.parse(document.getElementById('netsim-data').textContent).pictures['part1-chart0'].panels"
                       ".flatMap(p => p.series.flatMap(s => s.points.map(x => x[p.kind === 'heat' ? 2 : 1])))")
        self.assertTrue(read)
        self.assertEqual({one for one in read if one is not None} - values, set())

    def ticks(self, chart):
        return self.js(f"[...document.querySelectorAll('#{chart} .axis text')].map(t => t.textContent)")

    def count(self, selector):
        return self.js(f"document.querySelectorAll({selector!r}).length")

    def test_controls(self):
        self.run_two()
        self.show("run")
        chart = "part1-chart0-0"
        whole = self.ticks(chart)
        for button in ("zoom in", "logarithmic x axis", "logarithmic y axis"):
            self.js(f"document.querySelector('.chart [data-do=\"{button}\"]').click()")
            self.assertNotEqual(self.ticks(chart), whole, button)
            if button.startswith("log"):
                self.js(f"document.querySelector('.chart [data-do=\"{button}\"]').click()")
            self.js("document.querySelector('.chart [data-do=\"show all\"]').click()")
            self.assertEqual(self.ticks(chart), whole, button)
        self.js("document.querySelector('.chart [data-do=\"zoom in\"]').click();"
                "document.querySelector('.chart [data-do=\"zoom out\"]').click()")
        self.assertEqual(self.ticks(chart), whole)
        self.assertEqual(self.count(f"#{chart} .series"), 2)
        self.js("document.querySelector('.key input').click()")
        self.assertEqual(self.count(f"#{chart} .series"), 1)
        self.assertEqual(self.count("#part1-chart0-1 .series"), 1)
        self.js("document.querySelector('.key input').click()")
        self.assertEqual(self.count(f"#{chart} .series"), 2)
        # A dragged rectangle zooms to what it encloses.
        left, top, width, height = self.js(f"(b => [b.left, b.top, b.width, b.height])(document.querySelector('#{chart}').getBoundingClientRect())")
        self.browser.drag((left + 0.4 * width, top + 0.3 * height), (left + 0.8 * width, top + 0.7 * height))
        zoomed = self.ticks(chart)
        self.assertNotEqual(zoomed, whole)
        self.assertNotIn("0", zoomed)
        self.js("document.querySelector('.chart [data-do=\"show all\"]').click()")
        # The rows of a table are searched.
        rows = self.count("#part1-values tbody tr:not([hidden])")
        self.js("(e => { e.value = 'lam_via tiny'; e.dispatchEvent(new Event('input')); })(document.querySelector('[aria-controls=part1-values]'))")
        self.assertLess(0, self.count("#part1-values tbody tr:not([hidden])"))
        self.assertLess(self.count("#part1-values tbody tr:not([hidden])"), rows / 10)
        self.assertEqual(self.browser.problems, [])

    def test_keyboard(self):
        self.run_two()
        self.show("run")
        self.press("Tab")
        self.assertEqual(self.js("document.activeElement.className"), "skip")
        order = []
        for _ in range(40):
            self.press("Tab")
            order.append(self.js("document.activeElement.id || document.activeElement.dataset.do || document.activeElement.type || document.activeElement.tagName"))
            if order[-1] == "part1-chart0-0":
                break
        self.assertEqual([one for one in order if one != "A"],
                         ["checkbox", "checkbox", "zoom in", "zoom out", "show all", "logarithmic x axis",
                          "logarithmic y axis", "part1-chart0-0"])
        self.assertNotEqual(self.js("getComputedStyle(document.activeElement).outlineStyle"), "none")
        whole = self.ticks("part1-chart0-0")
        self.press("ArrowRight", "ArrowRight")
        self.assertEqual(self.js("document.querySelector('#part1-chart0-0 + output b').textContent"), "1 B")
        self.assertEqual(self.js("document.querySelector('#part1-chart0-0 + output').getAttribute('aria-live')"), "polite")
        self.press("+")
        self.assertNotEqual(self.ticks("part1-chart0-0"), whole)
        self.press("0", "Escape")
        self.assertEqual(self.ticks("part1-chart0-0"), whole)
        self.focus(".key input")
        self.press("Space")
        self.assertEqual(self.count("#part1-chart0-0 .series"), 1)
        unnamed = self.js("[...document.querySelectorAll('button, input, svg[tabindex], [role=region]')].filter(e =>"
                          "!(e.getAttribute('aria-label') || e.closest('label') || e.textContent)).length")
        self.assertEqual(unnamed, 0)

    def test_light_dark_narrow_and_paper(self):
        self.sweep_two()
        self.run_two()
        self.show("run", "sweep")
        looks = {}
        for name, options in (("light", {}), ("dark", {"dark": True}), ("paper", {"dark": True, "kind": "print"})):
            self.browser.media(**options)
            looks[name] = self.js("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.tools')).display]")
        self.assertEqual(looks["light"], ["rgb(246, 248, 250)", "flex"])
        self.assertEqual(looks["dark"], ["rgb(13, 17, 23)", "flex"])
        self.assertEqual(looks["paper"], ["rgb(255, 255, 255)", "none"])
        for width in (400, 1200):
            self.browser.media(width=width)
            self.browser.open(self.path("page.html"))
            self.assertLessEqual(self.js("document.documentElement.scrollWidth"), width)
        self.assertEqual(self.browser.problems, [])
        self.assertLess(os.path.getsize(self.path("page.html")), 3e6)

    def test_a_gallery(self):
        self.netsim("figures", "via.fig.4_2", "--out", "x", "-q")
        self.open("x/index.html")
        self.assertGreater(self.count(".chart .line"), 1)
        self.assertGreater(self.count("ul[aria-label=claims] li"), 0)
        self.assertTrue(os.path.exists(self.path("x/thesis000/fig_4_2.svg")))


if __name__ == "__main__":
    unittest.main()
