#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws documents with plots/draw.py, plots/causes.py, plots/explain.py and plots/matrix.py alone, without the simulator."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE = os.environ["NETSIM_SOURCE_DIR"]
SVG = "{http://www.w3.org/2000/svg}"
sys.path.append(os.path.join(SOURCE, "tests", "support"))

import needs  # pylint: disable=wrong-import-position

from drawing import Drawing  # pylint: disable=wrong-import-position

PYTHON = needs.python_that_draws()
DRAWING = Drawing(PYTHON)

SIZES = {"label": "message size", "unit": "B", "scale": "log"}
TIME = {"label": "latency", "unit": "us", "scale": "log"}


def line(name, points, **more):
    return {"name": name, "stack": more.pop("stack", None), "points": points,
            "failure": None, **more}


def picture(*panels, **more):
    return {"figure": 1, "id": "test", "file": "test", "title": "A test", "source": "here",
            "notes": [], "panels": list(panels), **more}


def panel(*series, **more):
    return {"kind": "lines", "x": SIZES, "y": TIME, "series": list(series), "marks": [], **more}


@needs.matplotlib
class Drawn(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-plots-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def draw(self, document, script="draw.py", code=0, name="a.svg"):
        source, out = (os.path.join(self.directory, one) for one in ("a.json", name))
        with open(source, "w", encoding="utf-8") as file:
            json.dump(document, file)
        # -W error: a warning of matplotlib means a wrong picture.
        ended, stderr = DRAWING.run(os.path.join(SOURCE, "plots", script), "--out", out, source)
        self.assertEqual(ended, code, stderr)
        if code:
            self.assertNotIn("Traceback", stderr)
            return stderr
        with open(out, encoding="utf-8") as file:
            self.text = file.read()
        root = ElementTree.fromstring(self.text)
        self.ids = [group.get("id") for group in root.iter(SVG + "g") if group.get("id")]
        self.words = " ".join("".join(text.itertext()) for text in root.iter(SVG + "text"))
        return self.text

    def colour(self, name):
        """The colour of a series' line."""
        group = self.text.split(f'id="{name}"', 1)[1]
        return group.split("stroke: ", 1)[1][:7]


class Pictures(Drawn):
    def test_a_stack_looks_the_same_everywhere(self):
        points = [[1, 2.0], [1024, 30.0]]
        self.draw(picture(panel(line("a", points, stack="lam_via"),
                                line("b", points, stack="mvich"))))
        first = self.colour("p1-series-a")
        self.draw(picture(panel(line("c", points, stack="tcp"),
                                line("x", points, stack="lam_via"))))
        self.assertEqual(self.colour("p1-series-x"), first)
        self.assertNotEqual(self.colour("p1-series-c"), first)

    def test_many_of_one_stack_differ(self):
        points = [[1, 2.0], [1024, 30.0]]
        names = "abcdef"
        self.draw(picture(panel(*[line(name, points, stack="mvich") for name in names])))
        self.assertEqual(len({self.colour(f"p1-series-{name}") for name in names}), len(names))

    def test_size_zero_is_drawn_and_other_zeros_are_not(self):
        self.draw(picture(panel(line("a", [[0, 5.0], [1, 5.0], [2, 0.0], [4, None], [8, 9.0]]))))
        group = self.text.split('id="p1-series-a"', 1)[1].split("</g>", 1)[0]
        path = group.split('d="', 1)[1].split('"', 1)[0]
        self.assertEqual(path.count("M") + path.count("L"), 3)

    def test_one_point(self):
        """Points that are all at one place are bars with their values, next to the source's value."""
        self.draw(picture(panel(line("a", [[16, 5.25]]), line("b", [[16, 7.0]]), marks=[
            {"kind": "point", "x": 16, "y": 6.0, "text": "6 us", "source": "p. 1", "claim": "c.a",
             "series": "b"}])))
        for name in ("p1-bar-a-0", "p1-bar-b-0", "p1-mark-c-a"):
            self.assertIn(name, self.ids)
        for word in ("5.25", "7", "6 us", "message size 16 B", "printed in the source"):
            self.assertIn(word, self.words)

    def test_long_times(self):
        """In a unit in which they are read, on a logarithmic axis each tick in its own."""
        long = {"label": "farm mean", "unit": "us", "scale": "linear"}
        rto = {"label": "rto", "unit": "us", "scale": "linear"}
        field = {"kind": "heat", "x": SIZES, "y": rto, "value": long,
                 "series": [line("h", [[1, 2e5, 3e6], [1, 2e6, 8e6]])]}
        self.draw(picture(panel(line("a", [[1, 1e6], [2, 2e7]]), y=long),
                          panel(line("a", [[1, 100.0], [2, 2e7]])),
                          panel(line("a", [[1, 9.0], [2, 9000.0]]), y=long), field))
        for word in ("farm mean (s)", "20", "latency", "1 ms", "10 s", "farm mean (\u00b5s)",
                     "200 ms", "2 s", "8"):
            self.assertIn(word, self.words)
        self.assertNotIn("000\u2009000", self.text)
        self.assertIn("in the fields: farm mean (s), the lowest in bold", self.words)

    def test_lines_on_each_other(self):
        """The lower ones are wider, and signs stand at different places; apart, all are alike."""
        def widths(*lines):
            self.draw(picture(panel(*lines)))
            groups = [self.text.split(f'id="p1-series-{name}"', 1)[1].split("</g>", 1)[0]
                      for name in "ab"]
            return [float(re.search(r"stroke-width: ([\d.]+)", group)[1]) for group in groups]
        points = [[2 ** power, 10.0 * 4 ** power] for power in range(10)]
        near, far = ([[x, y * factor] for x, y in points] for factor in (1.01, 5.0))
        first, second = widths(line("a", points), line("b", near))
        self.assertLess(first, second)
        first, second = widths(line("a", points), line("b", far))
        self.assertEqual(first, second)

    def width(self, name):
        group = self.text.split(f'id="{name}"', 1)[1].split("</g>", 1)[0]
        return float(re.search(r"stroke-width: ([\d.]+)", group)[1])

    def test_only_what_lies_on_each_other_is_nested(self):
        """At more than half of the places; and a note explains the widths. An axis without its zero
        blows up what differs little, which then is apart."""
        points = [[2 ** power, 10.0 * 4 ** power] for power in range(10)]
        near, far, half = ([[x, y * (factor if power < count else 9.0)] for power, (x, y)
                            in enumerate(points)]
                           for factor, count in ((1.01, 10), (5.0, 10), (1.01, 5)))
        self.draw(picture(panel(line("a", points), line("b", far), line("c", near),
                                line("d", half))))
        widths = [self.width(f"p1-series-{name}") for name in "abcd"]
        self.assertEqual(widths[1], widths[3])
        self.assertLess(widths[0], widths[2])
        self.assertIn("the one that is named first is on top", self.words)
        self.draw(picture(panel(line("a", points), line("b", far))))
        self.assertNotIn("is on top", self.words)
        ratio = {"label": "ratio", "unit": "", "scale": "linear", "zero": False}
        parts = [[[x, 1.0 + lift + 0.01 * power] for power, (x, _) in enumerate(points)]
                 for lift in (0.0, 0.01)]
        self.draw(picture(panel(line("a", parts[0]), line("b", parts[1]), y=ratio)))
        self.assertEqual(self.width("p1-series-a"), self.width("p1-series-b"))

    def test_too_many_lines_on_each_other(self):
        points = [[2 ** power, 10.0 * 4 ** power] for power in range(10)]
        self.draw(picture(panel(*[line(f"s{number}", points) for number in range(9)])))
        self.assertIn("9 lines lie on each other at most places, from s0, which is on top, to s8",
                      self.words)

    def test_colours_are_told_apart(self):
        """Six series without a stack have six colours, none of them like that of a stack next to
        them; where a line is not seen, two of one stack have two."""
        points = [[2 ** power, 10.0 * 4 ** power] for power in range(10)]
        apart = [[[x, y * 3 ** number] for x, y in points] for number in range(7)]
        self.draw(picture(panel(*[line(f"s{number}", apart[number]) for number in range(6)])))
        self.assertEqual(len({self.colour(f"p1-series-s{number}") for number in range(6)}), 6)
        self.draw(picture(panel(line("a", apart[0], stack="armci"), line("b", apart[1]))))
        one, other = ([int(self.colour(f"p1-series-{name}")[i:i + 2], 16) for i in (1, 3, 5)]
                      for name in "ab")
        self.assertGreater(sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5, 85)
        bars = {"kind": "bars", "x": {"label": "n", "unit": "", "scale": "linear"},
                "y": {**TIME, "scale": "linear"}}
        for shown in (panel(line("a", points, stack="portals"), line("b", points, stack="portals")),
                      {**bars, "series": [line(name, [["p", 1.0]], stack="portals") for name in "ab"]}):
            self.draw(picture(shown))
            kind, look = ("bar", "fill: ") if shown["kind"] == "bars" else ("series", "stroke: ")
            end = "-0" if kind == "bar" else ""
            self.assertEqual(len({self.text.split(f'id="p1-{kind}-{name}{end}"', 1)[1]
                                  .split(look, 1)[1][:7] for name in "ab"}), 2)

    def test_names_that_do_not_fit_below_bars(self):
        """Bars lie, with room for each name and value."""
        names = [f"LAM over TCP with an eager limit of {number} KiB" for number in range(12)]
        self.draw(picture(panel(*[line(name, [[16, 5.25 + number]],
                                       intervals=[[16, 5.0, 6.0 + number, 3]])
                                  for number, name in enumerate(names)]),
                          panel(line("b", [[16, 7.0]]))))
        found = [re.search(r"([\d.]+)\)?$", text.get("y") or text.get("transform").split(")")[0])[1]
                 for text in ElementTree.fromstring(self.text).iter(SVG + "text")
                 if re.search(r"of \d+ KiB$", "".join(text.itertext()))]
        heights = sorted(map(float, found))
        self.assertEqual(len(heights), 12)
        self.assertGreater(min(b - a for a, b in zip(heights, heights[1:])), 18)
        for word in ("5.25", "16.25", "message size 16 B", "latency"):
            self.assertIn(word, self.words)

    def test_bars_on_a_logarithmic_axis(self):
        """Length means nothing there: points stand for them."""
        self.draw(picture({"kind": "bars", "x": {"label": "n", "unit": "", "scale": "linear"},
                           "y": TIME, "series": [line("a", [["p", 0.1], ["q", 100.0]])]}))
        self.assertIn("p1-bar-a-points", self.ids)
        self.assertNotIn("p1-bar-a-0", self.ids)

    def test_a_long_title(self):
        self.draw(picture(panel(line("a", [[1, 5.0], [2, 6.0]])), title="word " * 40))
        self.assertGreater(len(re.findall(r">(?:word ?)+<", self.text)), 1)

    def places(self, name):
        """The points of a line, or of the bars of intervals."""
        group = self.text.split(f'id="{name}"', 1)[1].split("</g>", 1)[0]
        group = re.sub("(?s)<defs>.*?</defs>", "", group)
        return [tuple(map(float, pair)) for pair in re.findall(r"[ML] (\S+) (\S+)", group)]

    def test_intervals(self):
        """A bar at each point, of the interval's length; of many points a band. Series that have
        bars stand aside of each other, those whose intervals are nothing stay."""
        y = {"label": "latency", "unit": "us", "scale": "linear"}
        points = [[1, 10.0], [1024, 30.0]]
        ends = [[1, 5.0, 15.0, 3], [1024, 20.0, 40.0, 3]]
        none = [[1, 10.0, 10.0, 3], [1024, 30.0, 30.0, 3]]
        self.draw(picture(panel(line("a", points, intervals=ends), y=y)))
        low, high, left, right = *self.places("p1-interval-a")[:2], *self.places("p1-series-a")
        self.assertEqual(low[0], left[0])
        self.assertAlmostEqual((low[1] + high[1]) / 2, left[1], places=3)
        self.assertAlmostEqual((low[1] - high[1]) * 2, left[1] - right[1], places=3)
        self.draw(picture(panel(line("a", points, intervals=ends), line("b", points, intervals=ends),
                                line("c", points, intervals=none), y=y)))
        first, second, third = (self.places(f"p1-series-{name}")[0][0] for name in "abc")
        self.assertTrue(first < third < second)
        self.assertAlmostEqual((first + second) / 2, third, places=3)
        self.assertEqual(self.places("p1-interval-a")[0][0], first)
        self.assertIn("a little aside", self.words)
        many = [[2 ** power, 10.0 + power] for power in range(20)]
        self.draw(picture(panel(line("a", many, intervals=[[x, y - 1, y + 1, 3] for x, y in many]))))
        self.assertIn("fill-opacity: 0.2", self.text.split('id="p1-interval-a"', 1)[1])

    def test_bands_of_draws(self):
        """Shaded between thin edges, also of few points, which then stay at their places."""
        y = {"label": "latency", "unit": "us", "scale": "linear"}
        points, ends = [[1, 10.0], [1024, 30.0]], [[1, 5.0, 20.0, 20], [1024, 20.0, 40.0, 20]]
        bands = [line(name, points, intervals=ends, band=True) for name in "ab"]
        self.draw(picture(panel(*bands, y=y)))
        self.assertIn("fill-opacity: 0.16", self.text.split('id="p1-interval-a"', 1)[1].split("</g>")[0])
        self.assertEqual(self.places("p1-series-a")[0][0], self.places("p1-series-b")[0][0])
        self.assertNotIn("a little aside", self.words)

    def test_intervals_below_zero(self):
        """A value that is never negative has no axis below 0, and a logarithmic axis no end at 0."""
        for scale in ("linear", "log"):
            self.draw(picture(panel(line("a", [[1, 10.0], [2, 12.0]],
                                         intervals=[[1, -90.0, 110.0, 2], [2, 11.0, 13.0, 2]]),
                                    y={"label": "t", "unit": "us", "scale": scale})))
            self.assertNotIn("\u2212", self.words)
            self.assertIn("100", self.words)

    def test_measured(self):
        """Points without a line, in the colour of the simulated ones of their name or in one that
        nothing else has."""
        points = [[1, 2.0], [1024, 30.0]]
        self.draw(picture(panel(line("a", points, stack="lam_via"),
                                line("a (m)", points, stack="lam_via", measured=True,
                                     intervals=[[1, 1.0, 3.0, 1]]),
                                line("b", points, measured=True),
                                line("c", points, measured=True))))
        def edge(name):
            return self.text.split(f'id="{name}"', 1)[1].split("stroke: ", 1)[1][:7]
        self.assertEqual(edge("p1-measured-a-m"), self.colour("p1-series-a"))
        self.assertEqual(len({edge(f"p1-measured-{name}") for name in ("a-m", "b", "c")}), 3)
        self.assertNotIn("p1-series-b", self.ids)
        self.assertIn("p1-interval-a-m", self.ids)
        group = self.text.split('id="p1-measured-b"', 1)[1].split("</g>", 1)[0]
        self.assertEqual(group.count("<use "), 2)

    def test_three_of_one_stack_have_colours_of_their_own(self):
        points = [[1, 2.0], [1024, 30.0]]
        for count, colours in ((2, 1), (3, 3), (6, 6)):
            names = [f"s{number}" for number in range(count)]
            self.draw(picture(panel(*[line(name, points, stack="armci") for name in names])))
            self.assertEqual(len({self.colour(f"p1-series-{name}") for name in names}), colours)
        # Six in two panels are no more than three: the first keeps the colour of its stack.
        self.draw(picture(panel(line("s", points, stack="armci"))))
        first = self.colour("p1-series-s")
        halves = [panel(*[line(name, points, stack="armci") for name in names[half:half + 3]])
                  for half in (0, 3)]
        self.draw(picture(*halves))
        found = [self.colour(f"p{1 + number // 3}-series-{name}") for number, name in enumerate(names)]
        self.assertEqual((found[0], len(set(found))), (first, 6))

    def test_scales_that_a_user_chooses(self):
        """A linear axis of sizes has round sizes; a logarithmic one of swept values keeps its 0."""
        points = [[1, 2.0], [65536, 30.0]]
        self.draw(picture(panel(line("a", points), x={**SIZES, "scale": "linear"})))
        for text in ("16 KiB", "32 KiB", "64 KiB"):
            self.assertIn(text, self.words)
        swept = {"label": "loss", "unit": "", "scale": "log", "swept": True}
        self.draw(picture(panel(line("a", [[0, 2.0], [0.001, 3.0], [0.1, 4.0]]), x=swept)))
        self.assertEqual(len(self.places("p1-series-a")), 3)
        self.assertIn("0.001", self.words)
        self.assertNotIn("mathdefault", self.words)

    def test_failures(self):
        failure = {"status": "deadlock", "text": "deadlock: nobody sends"}
        self.draw(picture(panel(line("a", [[1, 2.0], [2, 3.0]], failure=failure),
                                line("b", [], failure=failure),
                                line("c", [[1, 1.0]], failed_at=[[2, "failed: so"]]))))
        self.assertIn("p1-failure-a", self.ids)
        self.assertIn("p1-failed-c", self.ids)
        for name in "ab":
            self.assertIn(f"× {name}: deadlock: nobody sends", self.words)
        # A sign for each in the legend; b, which has no point to stand at, is seen all the same.
        for entry in ("deadlock", "failed"):
            self.assertRegex(self.words, rf"(^| ){entry}( |$)")

    def test_nothing_but_failures(self):
        failure = {"status": "failed", "text": "failed: it broke"}
        self.draw(picture(panel(line("a", [], failure=failure), line("b", [], failure=failure))))
        for name in "ab":
            self.assertIn(f'id="p1-failure-{name}"', self.text)
            self.assertIn(f"{name}: failed", self.words)
        self.assertNotIn("nothing to draw", self.words)

    def test_marks(self):
        marks = [{"kind": "band", "from": 2, "to": 4, "text": "one", "source": "S1", "claim": "x.a"},
                 {"kind": "vertical", "x": 8, "text": "two", "source": "S2", "claim": "x.b"},
                 {"kind": "horizontal", "y": 90, "text": "three", "source": "S3", "claim": "x.c"},
                 {"kind": "point", "x": 1, "y": 7, "text": "four", "note": "4th", "source": "S4"},
                 {"kind": "vertical", "x": 99999, "text": "out", "source": "S5", "claim": "x.e"}]
        self.draw(picture(panel(line("a", [[1, 5.0], [16, 9.0]]), marks=marks)))
        for claim in ("p1-mark-x-a", "p1-mark-x-b", "p1-mark-x-c", "p1-mark-3"):
            self.assertIn(f'id="{claim}"', self.text)
        # A mark outside the axis is not drawn, but is not kept secret either.
        self.assertNotIn("p1-mark-x-e", self.text)
        for word in ("shaded: one (S1)", "line: two (S2)", "ring: 4th (S4)", "line: out (S5)"):
            self.assertIn(word, self.words)

    def test_notes_have_the_number_of_their_mark(self):
        """That which stands at the mark, unless the note itself has it."""
        def note(text, more):
            mark = {"kind": "horizontal", "y": 6, "text": text, "source": "S", **more}
            self.draw(picture(panel(line("a", [[1, 5.0], [16, 9.0]]), marks=[mark])))
            return re.search(r"line[^()]*\(S\)", self.words)[0]
        self.assertEqual(note("6 us", {"note": "the mean"}), "line 6 us: the mean (S)")
        self.assertEqual(note("6 us", {"note": "6 us, the mean"}), "line: 6 us, the mean (S)")
        self.assertEqual(note("6 us", {}), "line: 6 us (S)")
        self.assertEqual(note("above this", {"note": "the mean"}), "line: the mean (S)")

    def test_nothing(self):
        mark = {"kind": "band", "from": 2048, "to": 4096, "text": "one", "source": "S1"}
        self.draw(picture(panel(marks=[mark]), notes=["not drawn: a (it is lost)"]))
        self.assertIn("nothing to draw", self.words)
        self.assertIn("not drawn: a (it is lost)", self.words)

    def test_bars_and_fields(self):
        bars = {"kind": "bars", "x": {"label": "n", "unit": "", "scale": "linear"},
                "y": {**TIME, "scale": "linear"},
                "series": [line("a", [["p", 1.0], ["q", 2.0]]), line("b", [["q", 2.0]])]}
        field = {"kind": "heat", "x": {"label": "n", "unit": "", "scale": "linear"}, "y": SIZES,
                 "value": TIME, "series": [line("h", [[1, 16, 3.0], [2, 16, None, "deadlock"],
                                                      [1, 32, None, "impossible"], [2, 32, 6.0]])]}
        self.draw(picture(bars, field))
        for name in ("p1-bar-a-0", "p1-bar-a-1", "p1-bar-b-0", "p2-heat"):
            self.assertIn(f'id="{name}"', self.text)
        for name in ("p2-failed-1-0", "p2-failed-0-1"):
            self.assertIn(f'id="{name}"', self.text)
        for word in ("deadlock", "not possible", "latency / lowest of the field"):
            self.assertIn(word, self.words)

    def test_numbers_in_fields(self):
        """In groups of three where they are long, with the half width of their interval."""
        self.draw(picture({"kind": "heat", "x": {"label": "n", "unit": "", "scale": "linear"},
                           "y": SIZES, "value": {"label": "packets", "unit": "", "scale": "log"},
                           "series": [line("h", [[1, 16, 24850.3, 14971.2], [2, 16, 966.021, 0],
                                                 [3, 16, 3.14159]])]}))
        for number in ("24\u202f850", "\u00b1 15\u202f000", "966", "\u00b1 0", "3.142"):
            self.assertIn(number, self.text)
        self.assertEqual(self.text.count("\u00b1"), 2 * self.text.count("\u00b1 0"))

    def test_units_of_fields(self):
        """Each field is named where they differ; and what varies a lot has colours by its decades."""
        def field(name, values):
            return {"kind": "heat", "x": {"label": "n", "unit": "", "scale": "linear"}, "y": SIZES,
                    "title": name, "value": TIME,
                    "series": [line("h", [[x, 16, value] for x, value in enumerate(values)])]}
        self.draw(picture(field("one", [5.0, 6.0]), field("two", [2e6, 3e6])))
        for words in ("in the field one: latency (\u00b5s)", "in the field two: latency (s)"):
            self.assertIn(words, self.words)
        self.draw(picture(field("one", [1.0, 2.0, 10.0, 100.0])))
        self.assertIn("in the fields: latency", self.words)
        fills = re.findall(r"fill: (#[0-9a-f]+)", self.text.split('id="p1-heat"')[1].split("</g>")[0])
        self.assertEqual(len(set(fills)), 4)
        for tick in ("1", "2", "5", "10", "100"):
            self.assertIn(tick, self.words.split())

    def test_fields_can_be_compared(self):
        """One scale of colours for all: how many times the best of its field a value is."""
        def field(name, better, best, worse):
            return {"kind": "heat", "x": {"label": "n", "unit": "", "scale": "linear"}, "y": SIZES,
                    "value": {**TIME, "best": better},
                    "series": [line(name, [["b", 1, best], ["a", 1, worse]])]}
        self.draw(picture(field("one", "highest", 10.0, 5.0)))
        self.assertIn("highest of the field /", self.words)
        self.draw(picture(field("one", "lowest", 10.0, 20.0), field("two", "highest", 4.0, 2.0)))
        colours = [self.text.split(f'id="p{one}-heat"')[1].split("</g>")[0] for one in (1, 2)]
        fills = [re.findall(r"fill: (#[0-9a-f]+)", one) for one in colours]
        self.assertEqual(len(set(fills[0])), 2)
        self.assertEqual(fills[0], fills[1])
        # Names are in the order in which they were given.
        self.assertLess(self.words.split().index("b"), self.words.split().index("a"))

    def test_texts_find_room(self):
        """The text of a shade is not put over a curve that runs through all of its usual place."""
        mark = {"kind": "band", "from": 2, "to": 8, "text": "one", "source": "S1", "claim": "x.a"}
        def height(y):
            self.draw(picture(panel(line("a", [[1, 0.0], [1.5, y], [9, y], [16, 0.0]]),
                                    y={**TIME, "scale": "linear", "range": [0, 10]},
                                    marks=[mark])))
            return float(re.search(r'translate\(\S+ (\S+?)\)[^>]*>one<|y="([\d.]+)"[^>]*>one<',
                                   self.text).group(2) or 0)
        self.assertGreater(height(9.7), height(3))

    def test_texts_find_room_beside_steep_lines(self):
        """A line that rises within the width of a character is seen, too."""
        points = [[second, 9.0 if second < 23 else 1.0] for second in range(120)]
        mark = {"kind": "horizontal", "y": 5.0, "text": "a rather long text", "source": "S1",
                "claim": "x.a"}
        self.draw(picture(panel(line("a", points), marks=[mark],
                                x={"label": "time", "unit": "s", "scale": "linear"},
                                y={**TIME, "scale": "linear", "range": [0, 10]})))
        steep = sorted(self.places("p1-series-a"))[23][0]
        text = float(re.search(r'<text[^>]*?x="([\d.]+)"[^>]*>a rather|'
                               r'translate\((\S+) [^>]*>a rather', self.text)[1] or
                     re.search(r'translate\((\S+) [^>]*>a rather', self.text)[1])
        self.assertTrue(text + 70 < steep or text > steep, (text, steep))

    def test_labels_of_sizes_have_room(self):
        """From 0 on there is one label more, which the others make room for."""
        points = [[0, 2.0], *[[2 ** power, 3.0] for power in range(21)]]
        self.draw(picture(panel(line("a", points)), panel(line("b", points))))
        labels = re.findall(r">(0|\d+ (?:B|KiB|MiB))<", self.text)
        self.assertLessEqual(len(labels), 2 * 7)

    def test_a_long_legend(self):
        """Names that do not fit next to each other make the picture higher, not wider."""
        names = [f"a series with a rather long name, number {number}" for number in range(7)]
        sizes = []
        for count in (2, 7):
            self.draw(picture(panel(*[line(name, [[1, 2.0], [2, 3.0]]) for name in names[:count]])))
            root = ElementTree.fromstring(self.text)
            sizes.append([float(root.get(one)[:-2]) for one in ("width", "height")])
        self.assertEqual(sizes[0][0], sizes[1][0])
        self.assertGreater(sizes[1][1], sizes[0][1] + 20)

    def test_names_are_text(self):
        self.draw(picture(panel(line('<b> & "c"', [[1, 5.0]])), title="<i>$x$ & y"))
        self.assertIn('<b> & "c"', self.words)

    def test_bad_documents(self):
        self.assertIn("panels", self.draw({"id": "a", "title": "b"}, code=1))
        self.assertIn("lacks", self.draw(picture({"series": []}), code=1))
        with open(os.path.join(self.directory, "x.json"), "w", encoding="utf-8") as file:
            file.write("{")
        for name in ("x.json", "y.json"):
            done = subprocess.run([PYTHON, "-B", os.path.join(SOURCE, "plots/draw.py"),
                                   os.path.join(self.directory, name)],
                                  check=False, text=True, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith("draw.py: "), done.stderr)


class Gallery(Drawn):
    def test_verdicts(self):
        sys.path.insert(0, os.path.join(SOURCE, "plots"))
        self.addCleanup(sys.path.pop, 0)
        listing = {"gallery": 1, "version": "1", "totals": None, "no_verdicts": None, "figures": [
            {"id": "test", "number": "1", "source": "here", "about": "One: A. B. MB is 2^20 bytes.",
             "claims": [
                {"id": "a.b", "verdict": "holds", "expected": "<74 us>", "simulated": "74.1 us",
                 "deviation": 0.0014, "why": None, "standing": "fitted", "standing_by": "cluster1"},
                {"id": "a.c", "verdict": "misses", "deviation": -0.5, "why": "a & b",
                 "standing": "predicted"},
                {"id": "a.e", "verdict": "level", "standing": "predicted"},
                {"id": "a.f", "verdict": "refuted", "standing": "guess"},
                {"id": "a.d"}]},
            {"id": "two", "number": "1", "source": "there", "about": "Two: C. D.", "claims": []}]}
        os.mkdir(os.path.join(self.directory, "data"))
        for name, document in (("gallery", listing),
                               ("test", picture(panel(line("a", [[1, 5.0], [2, 6.0]])))),
                               ("two", picture(panel(line("b", [[1, 5.0]])), file="two"))):
            with open(os.path.join(self.directory, f"data/{name}.json"), "w",
                      encoding="utf-8") as file:
                json.dump(document, file)
        subprocess.run([PYTHON, "-B", os.path.join(SOURCE, "plots/draw.py"), "--gallery",
                        os.path.join(self.directory, "data/gallery.json"), self.directory],
                       check=True, stdout=subprocess.DEVNULL, env={**os.environ, "NETSIM_D3": "/nowhere"})
        with open(os.path.join(self.directory, "index.html"), encoding="utf-8") as file:
            text = file.read()
        for part in ("&lt;74 us&gt;", "+0.1 %", "-50.0 %", "a &amp; b", "not judged", "1 holds",
                     "1 misses", "1 level", "1 refuted", "of 4 claims; 0 of 2 predicted ones hold",
                     "fitted: cluster1", "curves: a", '<th scope="row">1 B</th><td>5</td>', "var(--ink)"):
            self.assertIn(part, text)
        self.assertNotIn("#1f2328;", text.split("</style>")[-1])
        # Each source by its name, with its own units, over its own figures.
        places = [text.index(part) for part in (
            'One: A. B. MB is 2<sup>20</sup> bytes.</p><nav', 'href="#test"', "Two: C. D.</p><nav",
            'href="#two"', '2<sup>20</sup> bytes.</p><section id="test"',
            'Two: C. D.</p><section id="two"')]
        self.assertEqual(places, sorted(places))
        self.assertEqual(text.count("2<sup>20"), 2)


class Explain(Drawn):
    @staticmethod
    def document(sizes, **more):
        series = {"name": "a", "stack": "lam_via", "sizes": sizes,
                  "classes": {"wire": [2.0 * (i + 1) for i in range(len(sizes))],
                             "copy": [1.0] * len(sizes)},
                  "total": [2.0 * (i + 1) + 1.0 for i in range(len(sizes))], "failures": []}
        series.update(more)
        return {"scenario": "s", "series": [series], "resources": []}

    def test_stack(self):
        self.draw(self.document([0, 1, 1024]), script="explain.py")
        self.assertIn('id="p1-stage-wire"', self.text)
        self.assertIn('id="p1-stage-copy"', self.text)
        self.assertIn("3.0 µs to 7.0 µs", self.words)

    def test_one_size(self):
        self.draw(self.document([64]), script="explain.py")
        self.assertIn("wire 67 %", self.words)

    def test_a_size_that_failed(self):
        self.draw(self.document([1, 2, 4], total=[3.0, None, 7.0],
                                classes={"wire": [3.0, None, 7.0]},
                                failures=[{"size": 2, "reason": {"text": "it broke"}}]),
                  script="explain.py")
        self.assertIn("× a at 2 B: it broke", self.words)

    def test_all_failed(self):
        said = self.draw(self.document([1], total=[None], classes={}), script="explain.py", code=1)
        self.assertIn("nothing to draw", said)


class Matrix(Drawn):
    @staticmethod
    def document(ranks, rows, stack=None):
        return {"file": "t.txt", "ranks": ranks,
                "matrix": {"collectives": "unfolded" if stack else "apart", "stack": stack,
                           "columns": ["from", "to", "messages", "bytes"], "rows": rows}}

    def test_numbers_in_cells(self):
        self.draw(self.document(3, [[0, 1, 2, 3072], [1, 0, 5, 0], [2, 2, 1, 7 * 2**20]], "lam_tcp"),
                  script="matrix.py")
        self.assertLessEqual({"p1-matrix-bytes", "p2-matrix-messages"}, set(self.ids))
        for word in ("3\u2009KiB", "7\u2009MiB", "0\u2009B", "3 ranks", "from rank", "to rank",
                     "t.txt", "messages that lam_tcp makes of the collectives"):
            self.assertIn(word, self.words)

    def test_one_value(self):
        """All pairs alike, as in a ring, and a single rank that sends to itself."""
        for ranks in (1, 16, 100):
            self.draw(self.document(ranks, [[i, (i + 1) % ranks, 4, 100] for i in range(ranks)]),
                      script="matrix.py")
            self.assertIn("100\u2009B", self.words)
            self.assertIn("collectives are not in it", self.words)

    def test_neighbours_share_a_cell(self):
        self.draw(self.document(1000, [[0, 1, 1, 10], [1, 0, 1, 10], [3, 3, 1, 10],
                                       [999, 999, 7, 1000]]), script="matrix.py")
        self.assertIn("the sum of 4 \u00d7 4 ranks", self.words)
        self.assertIn("30\u2009B", self.words)  # the least

    def test_nothing(self):
        self.draw(self.document(2, []), script="matrix.py")
        self.assertIn("there is no message", self.words)

    def test_not_a_recording(self):
        said = self.draw({"file": "t.txt", "ranks": 2}, script="matrix.py", code=1)
        self.assertIn("the document lacks 'matrix'", said)


class Causes(Drawn):
    @staticmethod
    def document(*series, draws=20):
        return {"scenario": "s", "draws": draws, "series": [
            {"name": f"a{number}", "completed": draws, "causes_of": "latency_us", **one} for number, one in enumerate(series)]}

    @staticmethod
    def causes(*shares):
        return [{"of": f"host.c{number}", "share": share, "sign": -1 if number % 2 else 1} for number, share in enumerate(shares)]

    def test_shares(self):
        """A bar for each cause, the rest as one, and what none explains."""
        self.draw(self.document({"causes": self.causes(0.4, 0.2), "r2": 0.6}, {"causes": self.causes(*[0.08] * 10), "r2": 0.95}),
                  script="causes.py")
        for word in ("a0: latency", "host.c0", "40 %", "20 %", "not explained", "2 others", "16 %", "5 %", "20 draws",
                     "rises with it", "falls as it rises", "a0: these explain 60 %"):
            self.assertIn(word, self.words)
        self.assertLessEqual({"p1-cause-host-c1", "p2-cause-2-others", "p2-cause-not-explained"}, set(self.ids))
        self.assertNotIn("these explain 95 %", self.words)

    def test_total(self):
        total = [{"group": name, "first": first, "first_between": [first - 0.05, first + 0.05], "total": all_of_it,
                  "total_between": [all_of_it - 0.05, all_of_it + 0.1]} for name, first, all_of_it in
                 (("switch", 0.5, 0.6), ("host.bus", -0.01, 0.02))]
        self.draw(self.document({"causes": [], "total": total, "total_of": "latency_us"}), script="causes.py")
        for word in ("50 %", "60 %", "< 1 %", "2 %", "alone", "with others", "Sobol"):
            self.assertIn(word, self.words)
        self.assertLessEqual({"p1-first-switch", "p1-total-interval-host-bus"}, set(self.ids))

    def test_nothing_to_draw(self):
        """Series that no draw changes, that have no cause, that vary in no draw, or that never completed."""
        self.draw(self.document({"causes": []}, {"causes": [], "r2": 0.0}, {"total": [], "total_of": "latency_us"},
                                {"completed": 0, "causes_of": None}), script="causes.py")
        for word in ("no draw changes it", "no cause stands out", "it does not vary", "no draw completed", "0 of 20 draws completed"):
            self.assertIn(word, self.words)

    def test_not_draws(self):
        self.assertIn("the document lacks 'draws'", self.draw({"scenario": "s", "series": []}, script="causes.py", code=1))


if __name__ == "__main__":
    unittest.main()
