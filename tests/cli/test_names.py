#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of the user's in what is printed, drawn and written: nothing steers a terminal, a picture
or a spreadsheet."""

import csv
import io
import json
import re
import unittest
import xml.etree.ElementTree as ElementTree

from harness import SMALL, Case

# As YAML has it in double quotes, and as people are shown it.
ESCAPE, SHOWN = "\\e]0;x\\a\\e[31m", r"\x1b]0;x\x07\x1b[31m"
SVG = "{http://www.w3.org/2000/svg}"


class Names(Case):
    def scenario(self, first="first", second="second", file="s.yaml"):
        return self.write(file, SMALL.replace('"first, quoted"', f'"{first}"').replace(
            "name: second", f'name: "{second}"'))

    def netsim(self, *arguments, **options):
        done = super().netsim(*arguments, **options)
        for text in (done.stdout, done.stderr):
            self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f]")
        return done

    def drawn(self, *arguments, out="p.svg"):
        done = self.netsim(*arguments, out, code=None)
        if "no python3 with matplotlib" in done.stderr:
            self.skipTest("no python3 with matplotlib")
        self.assertEqual(done.returncode, 0, done.stderr)
        root = ElementTree.fromstring(self.read(out))
        return ["".join(text.itertext()) for text in root.iter(SVG + "text")]


class Shown(Names):
    def test_names_in_what_is_printed(self):
        self.scenario(f"größe {ESCAPE}", "a\\nb")
        out = self.netsim("run", "s.yaml").stdout
        self.assertIn(f"größe {SHOWN}", out)
        self.assertIn("a\\x0ab", out)
        self.assertIn(SHOWN, self.netsim("explain", "s.yaml", "--size", "1").stdout)
        self.assertIn(SHOWN, self.netsim("explain", "s.yaml").stdout)
        self.netsim("run", "s.yaml", "-q", "--out", "a")
        self.netsim("run", "s.yaml", "-q", "--out", "b", "--set", "lam.call=9000 cycles")
        self.assertIn(SHOWN, self.netsim("compare", "a", "b", code=2).stdout)
        self.netsim("sweep", "s.yaml", "--set", "lam_via.tiny=1 KiB,2 KiB", "--out", "d")
        self.assertIn(SHOWN, self.netsim("sweep", "--report", "d").stdout)
        self.assertIn("\x1b", json.loads(self.read("a/manifest.json"))["series"][0]["name"])

    def test_failures(self):
        self.write("lone.yaml", f"""\
schema: 1
name: lone
testbed: testbeds/cluster1.yaml
workload: {{ranks: 2, program: [{{ranks: 0, do: [{{send: {{to: 1, size: 1 B}}}}]}}]}}
series: [{{name: "{ESCAPE}", stack: lam_via}}]
""")
        self.assertIn(f"{SHOWN}: lost", self.netsim("run", "lone.yaml", code=2).stdout)
        self.assertIn(f"{SHOWN}: lost", self.netsim("explain", "lone.yaml", code=2).stderr)

    def test_mistakes(self):
        self.write("value.yaml", SMALL.replace("pmb.pingpong", f'"{ESCAPE}"'))
        self.assertIn(SHOWN, self.netsim("check", "value.yaml", code=1).stderr)
        raw = "\x1b]0;x\a\x1b[31m"
        for arguments in (["check", f"{raw}.yaml"], ["run", "small", "--format", raw], [raw],
                          ["run", f"--{raw}"], ["compare", raw, raw], ["figures", raw],
                          ["describe", raw], ["list", raw], ["help", raw], ["plot", f"{raw}/x"],
                          ["sweep", "--report", f"{raw}.sqlite"]):
            with self.subTest(arguments):
                self.assertIn("\\x1b", self.netsim(*arguments, code=1).stderr)

    def test_points_of_a_sweep(self):
        self.scenario()
        done = self.netsim("sweep", "s.yaml", "--set", "lam_via.tiny=1 KiB,\x1b[31m", code=1)
        self.assertIn("\\x1b[31m", done.stderr)


class Drawn(Names):
    def test_a_dollar_is_a_dollar(self):
        names = ["a$\\frac$", "$5 to $6"]
        self.scenario(*(name.replace("\\", "\\\\") for name in names))
        for texts in (self.drawn("plot", "s.yaml", "--out"),
                      self.drawn("explain", "s.yaml", "--plot")):
            for name in names:
                self.assertTrue(any(name in text for text in texts), (name, texts))

    def test_a_name_that_begins_with_a_line(self):
        self.scenario("_x", "__")
        texts = self.drawn("plot", "s.yaml", "--out")
        self.assertIn("_x", texts)
        self.assertIn("__", texts)

    def test_what_no_font_has(self):
        self.scenario(f"a{ESCAPE}")
        texts = self.drawn("plot", "s.yaml", "--out")
        self.assertIn(f"a{SHOWN}", texts)

    def test_the_kind_of_picture(self):
        self.scenario()
        for name in ("p.jpg", "there/p.SVGZ", "p."):
            done = self.netsim("plot", "s.yaml", "--out", name, code=1)
            self.assertIn(f"--out {name}: a picture ends in .svg, .png or .pdf", done.stderr)
        for name in (["p.jpg", "--format", "svg"], ["picture"], ["d.d/picture"], [".hidden"]):
            self.drawn("plot", "s.yaml", *name[1:], "--out", out=name[0])


class Cells(Names):
    NAMES = ["=1+1", "-x, y"]

    def test_formulas_are_guarded_and_read_back(self):
        self.scenario(*self.NAMES)
        self.netsim("run", "s.yaml", "-q", "--out", "a")
        rows = list(csv.DictReader(io.StringIO(self.read("a/results.csv"))))
        self.assertEqual({row["series"] for row in rows}, {"'=1+1", "'-x, y"})
        for row in rows:
            float(row["value"])
        told = self.netsim("compare", "a", "a").stdout
        for name in self.NAMES:
            self.assertIn(f"same     {name}, latency_us: 3 points", told)
        document = self.netsim("run", "s.yaml", "-q", "--format", "json").stdout
        self.write("a.json", document)
        self.assertIn("no differences", self.netsim("compare", "a/results.csv", "a.json").stdout)
        for text in (self.netsim("explain", "s.yaml", "--size", "1", "--format", "csv").stdout,
                     self.netsim("sweep", "s.yaml", "--set", "lam_via.tiny=1 KiB,2 KiB",
                                 "--csv").stdout):
            self.assertNotRegex(text, r'(?m)(^|,)"?[=@]')
            self.assertTrue(re.search(r"(?m)(^|,)'=1\+1,", text))

    def test_a_picture_of_them(self):
        self.scenario(*self.NAMES)
        self.netsim("run", "s.yaml", "-q", "--out", "a")
        texts = self.drawn("plot", "a", "--out")
        for name in self.NAMES:
            self.assertIn(name, texts)


if __name__ == "__main__":
    unittest.main()
