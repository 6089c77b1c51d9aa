#!/usr/bin/env python3
"""Drives `netsim plot` and `netsim figures`: what is drawn, what is said, what is kept."""

import html.parser
import json
import os
import re
import sqlite3
import stat
import unittest
import xml.etree.ElementTree as ElementTree

import yaml

from harness import Case, SOURCE
import needs

SVG = "{http://www.w3.org/2000/svg}"
# The sources' figures that hold data, in the order of `netsim figures --list`.
NUMBERS = {"armci": ["3.4", "3.5", "3.6", "3.7", "4.6", "4.7"], "grim": ["4.6", "4.10"],
           "via": ["4.2"] + [f"6.{figure}" for figure in range(1, 10)]}


def figures_of(system):
    path = os.path.join(SOURCE, f"references/figures/{system}.yaml")
    with open(path, encoding="utf-8") as file:
        return {figure["id"]: figure for figure in yaml.safe_load(file)["figures"]}


FIGURES = {name: figure for system in NUMBERS for name, figure in figures_of(system).items()}

# Two series of which the second comes to a deadlock after its first sizes would need a fault; a
# program in which both ranks receive is the short way to a failure.
STUCK = """\
schema: 1
name: stuck
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  ranks: 2
  program:
    - {ranks: all, do: [{recv: {from: (rank + 1) % 2, size: 1 KiB}}]}
"""


def slug(text):
    return "-".join(re.sub(r"[^\w]|_", " ", text.lower()).split())


def series_of_spec(figure):
    """The names of the series of a specification, as curve_label makes those that have none."""
    names = set()
    for panel in figure["panels"]:
        for series in panel.get("series", figure.get("series")):
            names.add(series if isinstance(series, str) else
                      series.get("name", series.get("series")))
    return names


class Page(html.parser.HTMLParser):
    """What of a page could load something, and how its elements close."""

    VOID = {"meta", "link", "img", "br", "hr", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.addresses, self.ids, self.text = [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.note(attrs)

    def handle_startendtag(self, tag, attrs):
        self.note(attrs)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        self.text += data

    def note(self, attrs):
        for name, value in attrs:
            if name in ("src", "href", "xlink:href"):
                self.addresses.append(value)
            if name == "id":
                self.ids.append(value)


class Drawing(Case):
    def ids(self, name):
        """The ids of a picture's groups, which name what is drawn."""
        root = ElementTree.fromstring(self.read(name))
        return {group.get("id") for group in root.iter(SVG + "g")}

    def texts(self, name):
        root = ElementTree.fromstring(self.read(name))
        return " ".join("".join(text.itertext()) for text in root.iter(SVG + "text"))


@needs.matplotlib
class Plot(Drawing):
    def test_a_scenario(self):
        done = self.netsim("plot", self.small())
        self.assertEqual(done.stdout, "figures/small.svg\n")
        ids = self.ids("figures/small.svg")
        # A panel for latency and one for bandwidth, each with both series.
        for panel in ("p1", "p2"):
            for series in ("first-quoted", "second"):
                self.assertIn(f"{panel}-series-{series}", ids)
        text = self.texts("figures/small.svg")
        for part in ("small", "latency (µs)", "bandwidth (MB/s)", "message size",
                     "first, quoted"):
            self.assertIn(part, text)

    def test_points_stand_where_the_results_say(self):
        """The curve of a picture, read back, has the values of the run: same order, same shape."""
        self.netsim("plot", self.small())
        found = self.netsim("run", "small.yaml", "--format", "json", "--quiet").stdout
        values = [point["bandwidth_MB_per_s"]
                  for point in json.loads(found)["series"][0]["points"]]
        root = ElementTree.fromstring(self.read("figures/small.svg"))
        group = next(one for one in root.iter(SVG + "g")
                     if one.get("id") == "p2-series-first-quoted")
        path = next(group.iter(SVG + "path")).get("d")
        heights = [float(y) for _, y in re.findall(r"[ML] (\S+) (\S+)", path)]
        self.assertEqual(len(heights), len(values))
        # The axis is linear, so heights and values lie on one line.
        slope = (heights[-1] - heights[0]) / (values[-1] - values[0])
        for height, value in zip(heights, values):
            self.assertAlmostEqual(height, heights[0] + slope * (value - values[0]), places=3)

    def test_the_directory_of_a_run_gives_the_same_picture(self):
        self.netsim("run", self.small(), "--quiet")
        self.netsim("plot", "small.yaml", "--out", "a.svg")
        self.netsim("plot", "results/small", "--out", "b.svg")
        self.assertEqual(self.read("a.svg"), self.read("b.svg"))

    def test_the_same_data_give_the_same_bytes(self):
        self.small()
        for form in ("svg", "png", "pdf"):
            for name in ("a", "b"):
                self.netsim("plot", "small.yaml", "--out", f"{name}.{form}")
            with open(self.path(f"a.{form}"), "rb") as one, \
                    open(self.path(f"b.{form}"), "rb") as two:
                first = one.read()
                self.assertEqual(first, two.read())
            self.assertNotRegex(first, rb"20\d\d-\d\d-\d\d")

    def test_format(self):
        self.small()
        for arguments, start in ((["--format", "png"], b"\x89PNG"), (["--format", "pdf"], b"%PDF"),
                                 (["--out", "x.png"], b"\x89PNG"),
                                 (["--out", "y.pdf", "--format", "svg"], b"<?xml")):
            name = self.netsim("plot", "small.yaml", *arguments).stdout.strip()
            with open(self.path(name), "rb") as file:
                self.assertTrue(file.read(8).startswith(start), name)

    def test_settings(self):
        self.netsim("plot", self.small(), "--set", "workload.sizes=64 KiB", "--out", "one.svg")
        self.assertIn("64 KiB", self.texts("one.svg"))

    def test_values_without_a_size_are_bars(self):
        """A free program yields the time of each rank."""
        self.netsim("plot", "tiny", "--out", "tiny.svg")
        ids = self.ids("tiny.svg")
        self.assertTrue(any(one and "bar-lam-via" in one for one in ids) or
                        "p1-bar-lam-via-0" in self.read("tiny.svg"))
        self.assertIn("rank 1", self.texts("tiny.svg"))

    def test_a_failure_is_marked_and_said(self):
        done = self.netsim("plot", self.write("stuck.yaml", STUCK), "--out", "stuck.svg")
        self.assertIn("lam_via: deadlock: 2 of 2 ranks wait", done.stderr)
        self.assertIn("× lam_via: deadlock", self.texts("stuck.svg"))

    def test_as_a_figure(self):
        """--figure: the axes and marks of a figure over one's own results."""
        scenario = self.write("mine.yaml", self.read(self.small()).replace(
            '"first, quoted"', "VIA RPI").replace("name: second", "name: native"))
        done = self.netsim("plot", scenario, "--figure", "via.fig.6_3", "--out", "mine.svg")
        self.assertNotIn("not drawn", done.stderr)
        self.assertIn("p1-series-native-m-via", self.ids("mine.svg"))
        done = self.netsim("plot", scenario, "--figure", "6.1", "--out", "mine.svg")
        self.assertIn("not drawn: MVICH", done.stderr)
        self.assertIn("not drawn: MVICH", self.texts("mine.svg"))
        self.assertIn("p1-mark-via-pingpong-c1-window-mvich-faster", self.ids("mine.svg"))

    def test_as_a_figure_of_several_scenarios(self):
        """Results stand for their own scenario alone: no curve is held against itself."""
        done = self.netsim("plot", "bcast_cluster2", "--figure", "fig.6_9", "--set",
                           "workload.sizes=[1 KiB, 64 KiB]", "--out", "b.svg")
        self.assertIn("not drawn: VIA RPI (bcast_cluster1 was not run)", done.stderr)
        ids = self.ids("b.svg")
        self.assertIn("p2-series-via-rpi", ids)
        self.assertNotIn("p3-series-via-rpi", ids)

    def test_bad_input(self):
        self.small()
        os.mkdir(self.path("empty"))
        os.mkdir(self.path("half"))
        self.write("half/manifest.json", "{}")
        os.mkdir(self.path("strange"))
        self.write("strange/manifest.json", '{"scenario": "a", "series": []}')
        self.write("strange/results.csv", "scenario,series,rank,size,metric,unit,value\n"
                                          "a,VIA RPI,all,1,latency_us,us,2\n")
        self.write("wrong.yaml", "schema: 1\nname: wrong\n")
        connection = sqlite3.connect(self.path("other.sqlite"))
        connection.execute("CREATE TABLE t (a)")
        connection.commit()
        connection.close()
        for arguments, part in ((["nothing"], "no scenario `nothing'"),
                                (["empty"], "manifest.json"),
                                (["half"], "no manifest"),
                                (["strange"], "no series"),
                                (["other.sqlite"], "other.sqlite"),
                                (["wrong.yaml"], "wrong.yaml:"),
                                (["small.yaml", "--set", "lam_via.tniy=1 KiB"], "tniy"),
                                (["small.yaml", "--format", "gif"], "svg, png, pdf"),
                                (["small.yaml", "--figure", "via." + "fig.6_11"], "did you mean"),
                                (["small.yaml", "--figure", "via.*"], "one is drawn"),
                                (["empty", "--set", "a=1"], "can't be --set"),
                                (["small.yaml", "-j", "-1"], "at least 1"),
                                (["small.yaml", "--out", "small.yaml/x.svg"], "draw.py"),
                                ([], "too few")):
            with self.subTest(arguments):
                done = self.netsim("plot", *arguments, code=1)
                self.assertIn(part, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertFalse(os.path.exists(self.path("figures")))


@needs.matplotlib
class Sweeps(Drawing):
    def sweep(self, *axes, scenario="swept.yaml", sizes="1 KiB"):
        self.write("swept.yaml", "schema: 1\nname: swept\ntestbed: testbeds/cluster1.yaml\n"
                   "stack: lam_via\n"
                   f"workload: {{benchmark: pmb.pingpong, sizes: [{sizes}], repetitions: 2}}\n")
        arguments = [part for axis in axes for part in ("--set", axis)]
        self.netsim("sweep", scenario, *arguments, "--out", "out")
        return next(os.path.join("out", name) for name in os.listdir(self.path("out"))
                    if name.endswith((".sqlite", ".db")))

    def test_one_axis(self):
        database = self.sweep("link.rate=10 Mb/s,100 Mb/s")
        self.netsim("plot", database, "--out", "one.svg")
        ids, text = self.ids("one.svg"), self.texts("one.svg")
        self.assertTrue(any(one and one.startswith("p1-series-lam-via") for one in ids), ids)
        self.assertIn("link.rate (Mb/s)", text)
        self.assertIn("Sweep of swept", text)
        # The directory of a sweep is as good as its database.
        self.netsim("plot", "out", "--out", "dir.svg")
        self.assertEqual(self.read("dir.svg"), self.read("one.svg"))

    def test_points_that_failed_are_marked(self):
        """With few descriptors the flood breaks the connection, with many it does not."""
        database = self.sweep("lam_via.rdescs=8,16,64", scenario="flood_empty_rq")
        self.netsim("plot", database, "--out", "gap.svg")
        self.assertTrue(any(one and one.startswith("p1-failed-") for one in self.ids("gap.svg")))
        text = self.texts("gap.svg")
        # One note for one reason, and a sign at both.
        self.assertRegex(text, r"× lam_via, lam_via\.rdescs=8: failed: rank 1 fell behind")
        self.assertIn("(and 1 more for this reason)", text)
        self.assertNotIn("rdescs=64:", text)
        group = self.read("gap.svg").split('id="p1-failed-', 1)[1].split("</g>", 1)[0]
        self.assertEqual(group.count("<use "), 2)

    def test_one_axis_and_many_sizes(self):
        """Sizes are the axis then, and the values of what is swept are lines."""
        database = self.sweep("host.processor.clock=500 MHz,1 GHz", sizes="1 B .. 1 KiB")
        self.netsim("plot", database, "--out", "sizes.svg")
        text = self.texts("sizes.svg")
        for part in ("message size", "host.processor.clock=500 MHz", "host.processor.clock=1 GHz",
                     "latency (µs)",
                     "bandwidth (MB/s)"):
            self.assertIn(part, text)
        self.assertIn("p2-series-host-processor-clock-1-ghz", self.ids("sizes.svg"))

    def test_what_cannot_be_is_no_failure(self):
        database = self.sweep("lam_via.tiny=1 KiB,16 KiB", "lam_via.short=4 KiB,32 KiB")
        self.netsim("plot", database, "--out", "thresholds.svg")
        text = self.texts("thresholds.svg")
        self.assertRegex(text, r"– lam_via, lam_via\.tiny=16 KiB, lam_via\.short=4 KiB: not possible")
        self.assertNotIn(" failed", text)

    def test_the_sweeps_that_are_shipped(self):
        for name in ("tiny_short_thresholds", "descriptor_counts"):
            self.netsim("sweep", f"sweeps/{name}", "--out", name)
            self.netsim("plot", f"{name}/sweep.sqlite", "--out", f"{name}.svg")
            self.assertIn("p1-heat", self.read(f"{name}.svg"))
        text = self.texts("tiny_short_thresholds.svg")
        self.assertIn("lam_via, 8 KiB", text)
        # What the axes do not change is not drawn.
        self.assertRegex(text, "not drawn, as the axes change nothing there: lam_via, 512 B;")
        self.assertRegex(self.read("descriptor_counts.svg"), 'id="p1-failed-0-[0-9]')

    def test_three_axes(self):
        """The two longest are those of the fields, with a field for each value of the third; the
        time is that of the slowest rank, and each point that failed has its sign."""
        database = self.sweep("lam_via.sdescs=2,8", "lam_via.rdescs=8,16,64,72",
                              "workload.program[1].do[0].compute=100 us,1 ms,50 ms",
                              scenario="flood_empty_rq")
        self.netsim("plot", database, "--out", "three.svg")
        text = self.texts("three.svg")
        for part in ("lam_via.sdescs=2", "lam_via.sdescs=8", "slowest rank", "compute (µs)",
                     "compute is workload.program[1].do[0].compute"):
            self.assertIn(part, text)
        picture = self.read("three.svg")
        for panel in ("p1", "p2"):
            self.assertIn(f'id="{panel}-heat"', picture)
            self.assertIn(f'id="{panel}-failed-0-2"', picture)
            self.assertNotIn(f'id="{panel}-failed-2-2"', picture)
        self.assertNotIn('id="p3-heat"', picture)

    def test_two_axes_are_a_field(self):
        database = self.sweep("link.rate=10 Mb/s,100 Mb/s", "lam_via.tiny=512 B,1 KiB,2 KiB")
        self.netsim("plot", database, "--out", "two.svg")
        self.assertIn("p1-heat", self.read("two.svg"))
        text = self.texts("two.svg")
        for part in ("link.rate (Mb/s)", "lam_via.tiny", "512 B", "2 KiB",
                     "in the fields: latency (µs)"):
            self.assertIn(part, text)

    def test_no_sweep_in_it(self):
        self.netsim("figures", "4.2", "--quiet")
        done = self.netsim("plot", "figures/cache.sqlite", code=1)
        self.assertIn("cache.sqlite", done.stderr)
        database = self.sweep("link.rate=10 Mb/s,100 Mb/s")
        for option in (["--figure", "6.1"], ["--set", "a=1"]):
            self.assertIn("sweep", self.netsim("plot", database, *option, code=1).stderr)


@needs.matplotlib
class Explain(Drawing):
    def test_stages_are_stacked(self):
        self.netsim("explain", self.small(), "--plot", "stages.svg")
        ids, text = self.ids("stages.svg"), self.texts("stages.svg")
        for panel in ("p1", "p2"):
            self.assertIn(f"{panel}-stage-wire", ids)
        self.assertIn("share of the time (%)", text)
        self.assertIn("second:", text)

    def test_one_size_is_a_bar(self):
        self.netsim("explain", self.small(), "--size", "1 B", "--plot", "bar.svg")
        self.assertIn("p1-stage-wire", self.read("bar.svg"))


class Specifications(Drawing):
    """references/figures/ has every data figure, and every series of it exists."""

    def test_every_figure_is_there(self):
        # via.fig.4_2 via.fig.6_1 via.fig.6_2 via.fig.6_3 via.fig.6_4 via.fig.6_5 via.fig.6_6
        # via.fig.6_7 via.fig.6_8 via.fig.6_9
        # armci.fig.3_4 armci.fig.3_5 armci.fig.3_6 armci.fig.3_7 armci.fig.4_6 armci.fig.4_7
        # grim.fig.4_6 grim.fig.4_10
        for system, numbers in NUMBERS.items():
            own = figures_of(system)
            self.assertEqual([figure["number"] for figure in own.values()], numbers)
            for name, figure in own.items():
                self.assertEqual(name, f"{system}.fig." + figure["number"].replace(".", "_"))
                self.assertIn(name, figure["claims"])
        listed = self.netsim("figures", "--list").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in listed], list(FIGURES))
        self.assertEqual(os.listdir(self.directory), [])

    def test_every_claim_exists(self):
        """Claims of figures and marks are claims of the references."""
        claims = ""
        for system in NUMBERS:
            path = os.path.join(SOURCE, f"references/claims/{system}.yaml")
            with open(path, encoding="utf-8") as file:
                claims += file.read()
        for figure in FIGURES.values():
            marks = [mark for panel in figure["panels"] for mark in panel.get("marks", [])]
            for claim in figure["claims"] + [mark["claim"] for mark in marks]:
                self.assertRegex(claims, rf"(?m)\b{re.escape(claim)}\b")
            for mark in marks:
                self.assertRegex(mark["source"], r"^thesis 00[013], (figure )?\d\.\d")

    def test_every_series_exists(self):
        names = self.netsim("list", "scenarios", "--names").stdout.split()
        for figure in FIGURES.values():
            for panel in figure["panels"]:
                for series in panel.get("series", figure.get("series")):
                    one = {"series": series} if isinstance(series, str) else series
                    scenario = one.get("scenario", panel.get("scenario", figure["scenario"]))
                    self.assertIn(scenario, names)
                    there = self.series_there(scenario)
                    self.assertIn(one["series"], there, figure["id"])
                    for other in (one.get("over"), one.get("minus")):
                        if isinstance(other, dict):
                            self.assertIn(other["series"], self.series_there(other["scenario"]))
                        elif other:
                            self.assertIn(other, there, figure["id"])

    @staticmethod
    def series_there(scenario):
        with open(os.path.join(SOURCE, "scenarios", scenario + ".yaml"), encoding="utf-8") as file:
            return {series["name"] for series in yaml.safe_load(file)["series"]}

    def test_a_wrong_specification(self):
        for folder in ("scenarios", "references/figures"):
            os.makedirs(self.path(f"data/{folder}"))
        right = ("schema: 1\nfigures:\n  - id: a.fig.1\n    file: a\n    title: A\n"
                 "    source: here\n    scenario: tiny\n    series: [one]\n    panels:\n"
                 "      - y: {metric: latency_us}\n")
        for before, after, part in ((": a.fig.1", ": a/fig", ":3:"),
                                    ("file: a", "file: ../a", "below"),
                                    ("    title: A\n", "", "title"),
                                    ("metric: latency_us", "metrik: latency_us", "metric"),
                                    ("    series: [one]\n", "", "series"),
                                    ("    scenario: tiny\n", "", "scenario"),
                                    ("y: {", "x: {range: [4 KiB, 1 KiB]}\n        y: {", "ends"),
                                    ("y: {", "x: {range: [4, 9]}\n        y: {", "unit"),
                                    ("y: {", "kind: pie\n        y: {", "pie"),
                                    ("y: {", "marks: [{kind: band, from: 1 B}]\n        y: {",
                                     "to"),
                                    ("y: {", "x: {set: a.b, label: b}\n        y: {", "values"),
                                    ("schema: 1", "schema: 2", "schema"),
                                    ("latency_us}", "latency_us", "a.yaml:")):
            with self.subTest(after or before):
                self.write("data/references/figures/a.yaml", right.replace(before, after))
                done = self.netsim("figures", "--list", code=1,
                                   environment={"NETSIM_DATA_DIR": self.path("data")})
                self.assertRegex(done.stderr, r"a\.yaml:\d+:\d+: ")
                self.assertIn(part, done.stderr)
        self.write("data/references/figures/a.yaml", right)
        self.netsim("figures", "--list", environment={"NETSIM_DATA_DIR": self.path("data")})

    def test_no_specification(self):
        os.makedirs(self.path("data/scenarios"))
        done = self.netsim("figures", code=1, environment={"NETSIM_DATA_DIR": self.path("data")})
        self.assertIn("there are no figures", done.stderr)


@needs.matplotlib
class Figures(Drawing):
    def test_all(self):
        """Every figure is drawn with every series that its specification names; the second call
        simulates nothing, and writes the same bytes."""
        first = self.netsim("figures")
        self.assertNotIn("not drawn", first.stderr)
        self.assertRegex(first.stdout, r"18 figures with \d+ series")
        self.assertIn("claims hold", first.stdout)
        ran = int(re.search(r"(\d+) cases? run", first.stdout)[1])
        self.assertGreater(ran, 0)
        before = {}
        for figure in FIGURES.values():
            name = f"figures/{figure['file']}.svg"
            before[name] = self.read(name)
            drawn = {one.split("series-", 1)[1] for one in self.ids(name)
                     if one and "series-" in one}
            self.assertEqual(drawn, {slug(series) for series in series_of_spec(figure)}, name)
            self.assertIn(figure["title"], self.texts(name))
            with open(self.path(f"figures/data/{figure['id']}.json"), encoding="utf-8") as file:
                self.check_document(json.load(file), figure)
        self.check_page()
        before["figures/index.html"] = self.read("figures/index.html")

        second = self.netsim("figures")
        self.assertIn("; 0 cases run", second.stdout)
        for name, text in before.items():
            self.assertEqual(self.read(name), text, name)

        again = self.netsim("figures", "6.3", "--again")
        self.assertNotIn("; 0 cases run", again.stdout)

    def check_document(self, document, figure):
        """All points are numbers within the figure's range; a mark has its source."""
        self.assertEqual(len(document["panels"]), len(figure["panels"]))
        for panel, wanted in zip(document["panels"], figure["panels"]):
            for series in panel["series"]:
                self.assertTrue(series["points"] or series["failure"], series["name"])
                sizes = [x for x, _ in series["points"]]
                self.assertEqual(sizes, sorted(sizes))
                if figure["number"] == "6.2":
                    self.assertEqual((sizes[0], sizes[-1]), (1, 512))
                if figure["number"] == "6.8":
                    self.assertEqual((sizes[0], sizes[-1]), (65536, 4194304))
                if series["name"] == "VIA RPI" and wanted["y"].get("label", "").endswith(
                        "time of the VIA RPI"):
                    self.assertTrue(all(y == 1 for _, y in series["points"]))
            for mark in panel["marks"]:
                self.assertTrue(mark["source"])

    def check_page(self):
        text = self.read("figures/index.html")
        page = Page(text)
        self.assertEqual(page.open, [])
        # Nothing is loaded; links lead into the page or to files beside it.
        for address in page.addresses:
            self.assertNotIn("//", address)
            if address.startswith("#"):
                self.assertIn(address[1:], page.ids)
            else:
                self.assertTrue(os.path.exists(self.path(f"figures/{address}")), address)
        self.assertNotIn("url(http", text)
        self.assertNotIn("@import", text)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertIn("width=device-width", text)
        self.assertIn("prefers-color-scheme: dark", text)
        for figure in FIGURES.values():
            for claim in figure["claims"]:
                self.assertIn(claim, page.text)

    def test_one_of_them(self):
        for word in ("4.2", "via.fig.4_2", "fig.4_2", "via.fig.4*"):
            done = self.netsim("figures", word, "--out", "x", "--format", "png", "-j", "1")
            self.assertTrue(done.stdout.startswith("x/thesis000/fig_4_2.png\nx/index.html\n"))
        self.assertEqual(os.listdir(self.path("x/thesis000")), ["fig_4_2.png"])
        self.assertIn("<svg", self.read("x/index.html"))

    def test_a_missing_series_is_said(self):
        """A figure whose scenario lacks a series is drawn without it, and says so."""
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
                                (["-j", "-2"], "at least 1"), (["--frob"], "--frob")):
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

    def test_one_that_breaks(self):
        fake = self.fake('case "$1" in -c) exit 0 ;; esac\necho broken >&2; exit 7')
        done = self.netsim("plot", self.small(), code=1, environment={"NETSIM_PYTHON": fake})
        self.assertIn("broken", done.stderr)
        self.assertIn("draw.py", done.stderr)


if __name__ == "__main__":
    unittest.main()
